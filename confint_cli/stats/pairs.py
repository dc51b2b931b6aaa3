"""Runs on the same topics, in pairs: what every paired comparison begins with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.common.exact import power_of_two_above, steps_of_one
from confint_cli.common.ties import LAST_BITS
from confint_cli.scores.design import PLAIN, Design
from confint_cli.stats.sample import RepeatVariance, Sample

_TINY = 2.0**-900  # scores that differ by less count as equal: steps would underflow


def pairs_among(runs: int) -> int:
    """Return how many pairs there are among this many runs."""
    return runs * (runs - 1) // 2


@dataclass(frozen=True)
class Pairs:
    """Which runs are compared with which, by their places among the runs."""

    run: Positions  # [pair]
    baseline: Positions  # [pair]
    every: int = 0  # if the pairs are every two of all runs, in order: how many runs there are

    @classmethod
    def against(cls, baselines: Sequence[int], runs: int) -> "Pairs":
        """Return the pairs of each baseline with all other runs, of which there are `runs`."""
        both = [(run, base) for base in baselines for run in range(runs) if run != base]
        return cls(*np.array(both, dtype=np.intp).reshape(-1, 2).T)

    @classmethod
    def among(cls, runs: Sequence[str], baselines: Sequence[str]) -> "Pairs":
        """Return the pairs of runs with each baseline, by name; without any, of every two runs."""
        if not baselines:
            return cls.all(len(runs))
        return cls.against([runs.index(baseline) for baseline in baselines], len(runs))

    @classmethod
    def all(cls, runs: int) -> "Pairs":
        """Return the pairs of every two of `runs` runs, the later one as the baseline."""
        return cls(*np.triu_indices(runs, 1), every=runs)

    def __len__(self) -> int:
        return len(self.run)

    def names(self, pair: int, runs: Sequence[str]) -> tuple[str, str]:
        """Return the names of the run and of the baseline of a pair; `runs` are all names."""
        return runs[int(self.run[pair])], runs[int(self.baseline[pair])]

    @cached_property
    def distinct(self) -> tuple[Positions, Positions]:
        """Each two runs once, whichever is the baseline: two arrays of places.

        The first has the places of pairs of which no two are the same two runs. The second, [pair],
        says which of these each pair is the same as.
        """
        if self.every:
            everything = np.arange(len(self))
            return everything, everything
        both = np.sort(np.stack([self.run, self.baseline]), axis=0)
        _, first, same = np.unique(both, axis=1, return_index=True, return_inverse=True)
        return first, same.reshape(-1)

    def each_once(self, values: Positions) -> Positions:
        """Return the values [pair] of distinct pairs only, so that each two runs count once."""
        return values if self.every else values[self.distinct[0]]

    @property
    def family(self) -> int:
        """How many comparisons there are, each counted once whichever run is the baseline."""
        return len(self.distinct[0])

    def divided(self, number: int) -> Iterator[tuple[Positions, "Pairs"]]:
        """Yield the pairs in `number` shares or fewer, each with the places of its pairs.

        All pairs with the same baseline are in one share.
        """
        in_order = np.argsort(self.baseline, kind="stable")
        starts = np.unique(self.baseline[in_order], return_index=True)[1]
        for own_starts in np.array_split(starts, min(number, len(starts))):
            later = starts[starts > own_starts[-1]]
            places = in_order[own_starts[0] : later[0] if len(later) else len(in_order)]
            yield places, Pairs(self.run[places], self.baseline[places])

    def by_baseline(self) -> Iterator[tuple[int, Positions, Positions]]:
        """Yield each baseline, the runs it is compared with, and the places of these pairs."""
        for base in range(1, self.every):
            runs = np.arange(base)  # (r, r + 1) is at r(2R - r - 1)/2, and (r, base) behind it
            yield base, runs, runs * (2 * self.every - runs - 1) // 2 + base - runs - 1
        if self.every:
            return
        in_order = np.argsort(self.baseline, kind="stable")
        starts = np.flatnonzero(np.diff(self.baseline[in_order]) > 0) + 1
        for places in np.split(in_order, starts):
            yield int(self.baseline[places[0]]), self.run[places], places


@dataclass(frozen=True)
class OnSameTopics:
    """Scores of runs on the same topics, also as whole numbers, whose sums are exact."""

    values: FloatArray  # [topic, run]

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
        """By how many steps sums of `whole` over all topics may differ and yet count as equal."""
        largest = float(np.abs(self.values).max())
        return 2 * self.topics * (1 + LAST_BITS * largest / self.step)

    @cached_property
    def step(self) -> float:
        """The size of a step, in the units of the scores."""
        above = self.values.max(axis=1) - self.values.min(axis=1)
        unit = float(power_of_two_above(above.max(keepdims=True))[0])
        return max(unit, _TINY) / steps_of_one(self.topics)


@dataclass(frozen=True)
class Paired(OnSameTopics):
    """Scores of runs on the same topics, and which of the runs are compared."""

    pairs: Pairs
    design: Design = PLAIN  # how the topics were drawn
    repeats: RepeatVariance | None = None  # [pair]: what repeats of runs add to the variance
    # [pair]: whether the runs have the same scores on all topics, if rows are groups of these.
    alike_on_topics: BoolArray | None = None

    def divided(self, number: int) -> Iterator[tuple[Positions | slice, "Paired"]]:
        """Yield these runs with the pairs in `number` shares or fewer, and the pairs' places."""
        if number == 1:  # with what it has computed already
            yield slice(None), self
            return
        for places, pairs in self.pairs.divided(number):
            yield places, self.among(pairs)

    def among(self, pairs: Pairs) -> "Paired":
        """Return the same runs in other pairs; nothing is known of what their repeats add."""
        return Paired(self.values, pairs, self.design)

    @cached_property
    def sizes(self) -> FloatArray:
        """The largest score of either run of a pair, whatever its sign, [pair]."""
        largest = np.abs(self.values).max(axis=0)
        sizes: FloatArray = np.maximum(largest[self.pairs.run], largest[self.pairs.baseline])
        return sizes

    @property
    def rounding(self) -> FloatArray:
        """By how much differences of a pair may differ and yet count as equal, [pair]."""
        return LAST_BITS * self.sizes

    @cached_property
    def differences(self) -> FloatArray:
        """Scores of the run less those of the baseline, [topic, pair]; last bits count as 0."""
        differences: FloatArray = self.values[:, self.pairs.run]
        differences -= self.values[:, self.pairs.baseline]
        differences[np.abs(differences) <= self.rounding] = 0.0
        return differences

    @cached_property
    def sample(self) -> Sample:
        """The differences as a sample, whose columns are the pairs."""
        return Sample(self.differences, sizes=self.sizes, design=self.design, repeats=self.repeats)

    @property
    def identical(self) -> BoolArray:
        """Which pairs are of runs that have the same scores on all topics, in all repeats, [pair].

        The sums of a group may be equal though its topics are not.
        """
        alike = self.alike_on_topics
        if alike is None:
            alike = ~any_along(self.differences != 0, 0)
        return alike if self.repeats is None else alike & (self.repeats.added == 0)

    @property
    def mean_difference(self) -> FloatArray:
        """The mean of each pair's differences, [pair]; last bits count as 0."""
        mean = self.sample.mean
        return np.where(np.abs(mean) <= self.rounding, 0.0, mean)

    @property
    def reached(self) -> FloatArray:
        """How many steps a pair's summed differences are from 0, less the slack, [pair].

        Random sums that are as large as this count as no smaller than the one observed.
        """
        sums = self.whole.sum(axis=0)
        observed = np.abs(sums[self.pairs.run] - sums[self.pairs.baseline])
        reached: FloatArray = observed - self.slack
        return reached


def with_baseline(values: FloatArray, base: int, runs: Positions, design: Design = PLAIN) -> Paired:
    """Return some runs of values[topic, run], each paired with the same baseline."""
    both = np.concatenate([values[:, [base]], values[:, runs]], axis=1)
    number = len(runs)
    return Paired(both, Pairs(np.arange(1, number + 1), np.zeros(number, np.intp)), design)
