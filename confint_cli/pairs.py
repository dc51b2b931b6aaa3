"""Runs on the same topics, in pairs: what every paired comparison begins with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.arrays import FloatArray, Positions
from confint_cli.exact import power_of_two_above, steps_of_one
from confint_cli.methods._sample import Sample

_LAST_BITS = 4 * np.finfo(float).eps  # by which scores that are meant to be equal may differ


@dataclass(frozen=True)
class Pairs:
    """Which runs are compared with which, by their places among the runs."""

    run: Positions
    baseline: Positions

    @classmethod
    def against(cls, baselines: Sequence[int], runs: int) -> "Pairs":
        """Return all runs with each baseline, but for the baseline itself."""
        both = [(run, base) for base in baselines for run in range(runs) if run != base]
        return cls(*np.array(both, dtype=np.intp).reshape(-1, 2).T)

    @classmethod
    def all(cls, runs: int) -> "Pairs":
        """Return every two runs once, the later one as the baseline."""
        return cls(*np.triu_indices(runs, 1))

    def __len__(self) -> int:
        return len(self.run)

    def by_baseline(self) -> Iterator[tuple[int, Positions, Positions]]:
        """Yield each baseline, the runs it is compared with, and the places of these pairs."""
        for base in np.unique(self.baseline):
            places = np.flatnonzero(self.baseline == base)
            yield int(base), self.run[places], places


@dataclass(frozen=True)
class Drawing:
    """How many random flips, permutations or resamples to draw, and from which seed."""

    number: int
    seed: int


@dataclass(frozen=True)
class Paired:
    """Scores of runs on the same topics, and which of the runs are compared."""

    values: FloatArray  # [topic, run]
    pairs: Pairs

    @cached_property
    def differences(self) -> FloatArray:
        """Scores of the run less those of the baseline, [topic, pair]; last bits count as none."""
        own, other = self.values[:, self.pairs.run], self.values[:, self.pairs.baseline]
        differences = own - other
        np.abs(own, out=own)
        np.maximum(own, np.abs(other, out=other), out=own)
        differences[np.abs(differences) <= _LAST_BITS * own] = 0.0
        return differences

    @cached_property
    def sample(self) -> Sample:
        """The differences as a sample of topics."""
        return Sample(self.differences)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    @cached_property
    def whole(self) -> FloatArray:
        """The scores above the lowest of their topic, in whole numbers of steps, [topic, run].

        What all runs have in common on a topic makes no difference to any comparison. Sums of these
        numbers over all topics, whatever their signs, are exact.
        """
        above = self.values - self.values.min(axis=1, keepdims=True)
        whole: FloatArray = np.rint(above / self.step)
        return whole

    @property
    def slack(self) -> float:
        """By how many steps sums over all topics may differ and still be meant to be equal."""
        largest = float(np.abs(self.values).max())
        return 2 * self.topics * (1 + _LAST_BITS * largest / self.step)

    @property
    def reached(self) -> FloatArray:
        """The sum of steps from which on a difference is as large as the one observed of a pair."""
        sums = self.whole.sum(axis=0)
        observed = np.abs(sums[self.pairs.run] - sums[self.pairs.baseline])
        reached: FloatArray = observed - self.slack
        return reached

    @cached_property
    def step(self) -> float:
        """How large a step is."""
        above = self.values.max(axis=1) - self.values.min(axis=1)
        unit = float(power_of_two_above(above.max(keepdims=True))[0])
        return unit / steps_of_one(self.topics)
