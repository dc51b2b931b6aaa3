"""Pairs of runs by one measure, and what was found of each: what both views of it show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from confint_cli.arrays import BoolArray, FloatArray
from confint_cli.comparison import Comparison, Testing
from confint_cli.pairs import Pairs, pairs_among
from confint_cli.significance import named_test
from confint_cli.simultaneous import NAME as MAX_T
from confint_cli.studies._comparable import missing_of_pair


@dataclass(frozen=True)
class Compared:
    """Pairs of runs by one measure, and what was found of each."""

    measure: str
    runs: tuple[str, ...]
    pairs: Pairs
    baselines: tuple[str, ...]  # none: all pairs
    found: Comparison
    levels: tuple[float, ...]
    testing: Testing
    missing: Mapping[str, str] = field(default_factory=dict)  # what to note on topics runs lack

    def missing_of(self, pair: int) -> list[str]:
        """Return what to note about topics that a run or its baseline lacks."""
        return missing_of_pair(self.missing, *self.names(pair))

    def names(self, pair: int) -> tuple[str, str]:
        """Return the run and the baseline of a pair."""
        return self.pairs.names(pair, self.runs)

    @property
    def family(self) -> int:
        """How many comparisons p-values hold for; all pairs of runs by a test of all of them."""
        if named_test(self.testing.tests[0]).simultaneous:
            return pairs_among(len(self.runs))
        return self.pairs.family

    @property
    def alpha(self) -> float:
        """The p-value below which a difference is called significant, by the first level."""
        return float(1 - Decimal(repr(self.levels[0])))  # 1 - 0.9 is no 0.1 in floats

    @property
    def p_values(self) -> FloatArray:
        """Those that decide: of the first test, after correction."""
        adjusted = self.found.adjusted
        return self.found.p[self.testing.tests[0]] if adjusted is None else adjusted

    @property
    def significant(self) -> BoolArray:
        """Which differences are more than chance, after correction.

        By max-t also those whose p is α itself: their intervals leave 0 out.
        """
        p = self.p_values
        significant: BoolArray = p <= self.alpha if self.by_max_t else p < self.alpha
        return significant

    @property
    def by_max_t(self) -> bool:
        """Whether max-T decides."""
        return self.testing.correction == MAX_T
