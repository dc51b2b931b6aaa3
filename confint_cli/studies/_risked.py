"""Pairs of runs by one measure, and what each risks: what all tables of it show."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.comparison import Comparison
from confint_cli.pairs import Pairs
from confint_cli.risk import Risk
from confint_cli.scores import Matrix
from confint_cli.studies._comparable import about_missing, missing_of_pair
from confint_cli.studies._pair_rows import PairRows, rows_by_baseline

_EQUAL = 1e-12  # of the largest score: losses that differ by less are equally large


@dataclass(frozen=True)
class Risked:
    """Pairs of runs by one measure, and what was found of each."""

    matrix: Matrix
    pairs: Pairs
    baselines: tuple[str, ...]
    found: Comparison
    risks: tuple[Risk, ...]  # at each r
    methods: tuple[str, ...]  # that were asked for
    levels: tuple[float, ...]

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.matrix.measure

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.matrix.topics)

    def names(self, pair: int) -> tuple[str, str]:
        """Return the run and the baseline of a pair."""
        return self.pairs.names(pair, self.matrix.runs)

    @cached_property
    def missing(self) -> dict[str, str]:
        """What to note on topics that runs lack."""
        return about_missing(self.matrix)

    def missing_of(self, pair: int) -> list[str]:
        """Return what to note about topics that a run or its baseline lacks."""
        return missing_of_pair(self.missing, *self.names(pair))

    def by_baseline(self) -> Iterator[PairRows]:
        """Yield the pairs with each baseline."""
        return rows_by_baseline(self.matrix.runs, self.pairs, self.found, self.baselines)

    def outcomes(self, pair: int) -> tuple[int, int, int]:
        """Return how many topics a run wins, ties and loses."""
        assert self.found.outcomes is not None, "risk is of runs on the same topics"
        wins, ties, losses = self.found.outcomes[:, pair].tolist()
        return wins, ties, losses

    def largest_losses(self, pair: int, most: int) -> list[tuple[str, float, float]]:
        """Return some topics that a run loses, with the scores of the baseline and of the run."""
        _, _, losses = self.outcomes(pair)
        both = self.matrix.values[:, [self.pairs.baseline[pair], self.pairs.run[pair]]]
        steps = np.rint((both[:, 1] - both[:, 0]) / (_EQUAL * np.abs(both).max() or 1.0))
        order = np.argsort(steps, kind="stable")[: min(most, losses)]
        return [(self.matrix.topics[topic], *both[topic].tolist()) for topic in order]
