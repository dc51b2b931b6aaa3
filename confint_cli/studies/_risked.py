"""Pairs of runs by one measure, and what each risks: what all tables of it show."""

from collections.abc import Iterator
from dataclasses import dataclass

from confint_cli.comparison import Comparison
from confint_cli.pairs import Pairs
from confint_cli.risk import Risk
from confint_cli.studies._pair_rows import PairRows, rows_by_baseline


@dataclass(frozen=True)
class Risked:
    """Pairs of runs by one measure, and what was found of each."""

    measure: str
    runs: tuple[str, ...]
    pairs: Pairs
    baselines: tuple[str, ...]
    found: Comparison
    risks: tuple[Risk, ...]  # at each r
    methods: tuple[str, ...]  # that were asked for
    levels: tuple[float, ...]

    def names(self, pair: int) -> tuple[str, str]:
        """Return the run and the baseline of a pair."""
        return self.pairs.names(pair, self.runs)

    def by_baseline(self) -> Iterator[PairRows]:
        """Yield the pairs with each baseline."""
        return rows_by_baseline(self.runs, self.pairs, self.found, self.baselines)

    def outcomes(self, pair: int) -> tuple[int, int, int]:
        """Return how many topics a run wins, ties and loses."""
        assert self.found.outcomes is not None, "risk is of runs on the same topics"
        wins, ties, losses = self.found.outcomes[:, pair].tolist()
        return wins, ties, losses
