"""How far a cheaper judge agrees with people: on scores, on the order of runs, on decisions.

All of it is on the topics that both have judged, but for `effective_topics`, which is about what
the judge's other topics are worth.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import FloatArray, Positions, stretches
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.ties import places
from confint_cli.common.words import alpha_of
from confint_cli.scores.design import Design
from confint_cli.scores.two_judges import Rows, TwoJudges
from confint_cli.stats import ppi
from confint_cli.stats.estimate import ends
from confint_cli.stats.methods import method_named
from confint_cli.stats.pairs import OnSameTopics, Paired, Pairs, pairs_among
from confint_cli.stats.quantiles import Ordered, quantile, quantile_error, tails
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance.t import statistic, two_sided

_CELLS = 1 << 19  # means of resamples that are worked on at a time: 4 MB
_TOGETHER = 1 << 21  # differences that are worked on at a time

Ranks = NDArray[Any]  # whole numbers, small enough for few bytes
Verdicts = NDArray[np.int8]  # 1: the run is better, -1: the other; 0: neither


@dataclass(frozen=True)
class Tau:
    """Kendall's τ_b of the means of runs by two judges, with an interval; NaN: there is none."""

    value: float
    low: float
    high: float
    error: float  # the Monte Carlo error of the less certain limit


@dataclass(frozen=True)
class Decisions:
    """How many pairs of runs two judges tell apart, alike or not."""

    pairs: int  # of runs
    kept: int  # told apart by both, with one sign
    lost: int  # by people only
    invented: int  # by the judge only
    reversed: int  # by both, with opposite signs


@dataclass(frozen=True)
class Agreement:
    """How far a judge agrees with people, by one measure."""

    bias: float  # the judge's means less those of people, on average over runs
    correlation: float  # of scores of a run, topic by topic: the median over runs
    tau: Tau
    decisions: Decisions
    effective_topics: float  # the median over runs


@dataclass(frozen=True)
class Means:
    """The means of runs by one judge with their t intervals, [run]."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def agreement(
    two: TwoJudges, level: float, drawing: Drawing, progress: Progress = no_progress
) -> Agreement:
    """Return how far the judge agrees with people; `level` is that of τ's interval and of tests."""
    powered = ppi.means(two)
    return Agreement(
        math.fsum(powered.bias) / len(powered.bias),  # the same in any order of the runs
        median(powered.correlation),
        tau_of(two.human, two.judge, level, drawing, progress),
        decisions(two.human, two.judge, level),
        median(powered.effective_topics),
    )


def median(values: FloatArray) -> float:
    """Return the median of the values that are no NaN; NaN, if there is none."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else np.nan


def weighted(rows: Rows) -> tuple[FloatArray, Design]:
    """Return the scores [unit, run] whose mean over units is that over collections, with a design.

    Units are topics or, if these come in groups, the groups.
    """
    units = ppi.Units.of(rows)
    several = len(rows.strata) > 1
    topics = np.array(rows.strata)[units.collections]
    values = units.sums(rows.values)
    if several or units.groups is not None:
        values = values * (len(units.sizes) / (len(rows.strata) * topics))[:, None]
    strata = tuple(np.bincount(units.collections).tolist()) if several else ()
    alike = bool((units.sizes == units.sizes[0]).all())
    grouped = units.groups is not None
    return values, Design(strata, grouped, None if alike else units.sizes)


def means_of(rows: Rows, level: float) -> Means:
    """Return the mean of each run, with its t interval."""
    values, design = weighted(rows)
    sample = Sample(values, design=design)
    (low,), (high,) = ends(sample, method_named("t"), np.array([level]))
    return Means(sample.mean, low, high)


# The order of runs


def tau_b(first: Positions, second: Positions) -> FloatArray:
    """Return Kendall's τ_b of the ranks [row, run] by two judges, [row].

    It is (C - D)/√(n·m): of all pairs of runs, C are in the same order by both judges, D in
    opposite ones, n are no ties by the first and m none by the second. NaN if n or m is 0.
    """
    kind = np.int16 if first.shape[1] <= np.iinfo(np.int16).max else np.int32
    one, two = (np.ascontiguousarray(ranks.T, dtype=kind) for ranks in (first, second))
    runs, rows = one.shape
    agreeing, untied, untied_by_second = np.zeros((3, rows))
    for apart in range(1, runs):
        signs, others = (_signs(ranks[apart:], ranks[:-apart]) for ranks in (one, two))
        agreeing += (signs * others).sum(axis=0, dtype=kind)
        untied += (signs * signs).sum(axis=0, dtype=kind)
        untied_by_second += (others * others).sum(axis=0, dtype=kind)
    with np.errstate(invalid="ignore"):
        tau: FloatArray = agreeing / np.sqrt(untied * untied_by_second)
    return tau


def _signs(ranks: Ranks, others: Ranks) -> Verdicts:
    """Return 1 where a rank is above the other, -1 where it is below: in bytes, which are fast."""
    return (ranks > others).view(np.int8) - (ranks < others).view(np.int8)


def tau_of(
    human: Rows, judge: Rows, level: float, drawing: Drawing, progress: Progress = no_progress
) -> Tau:
    """Return τ_b of the means of runs, with an interval from resamples of topics.

    Topics are drawn within their collection, and groups of them as a whole. Resamples without a τ,
    in which all runs tie by one of the judges, are left out.

    Resamples are noisier than the topics, so that their τ lies below that of these, and its
    quantiles are no interval: with many runs they cover hardly ever. The interval goes as far to
    either side as the farther of the two quantiles lies from τ, and no farther than 1 and -1.
    """
    means = (_Resampled(human), _Resampled(judge))
    nothing_drawn = np.ones((1, len(means[0].units.sizes)))
    (value,) = tau_b(*(own.ranks(nothing_drawn) for own in means))
    if np.isnan(value):
        return Tau(np.nan, np.nan, np.nan, 0.0)
    parts = [
        tau_b(*(own.ranks(counts) for own in means))
        for counts in _counts(means[0], drawing, progress)
    ]
    of_all = np.concatenate(parts)
    known = of_all[~np.isnan(of_all)]
    if not len(known):
        return Tau(float(value), np.nan, np.nan, 0.0)
    ordered = Ordered.sort(known[None, :])
    both = tails(np.array([level]))
    low, high = (float(quantile(ordered, p)[0, 0]) for p in both)
    error = max(float(quantile_error(ordered, p)[0, 0]) for p in both)
    farther = max(value - low, high - value)
    return Tau(float(value), max(value - farther, -1.0), min(value + farther, 1.0), error)


def _counts(
    means: "_Resampled", drawing: Drawing, progress: Progress = no_progress
) -> Iterator[FloatArray]:
    """Yield counts [resample, unit] of how often each unit was drawn, a few resamples at a time."""
    units = len(means.units.sizes)
    step = max(1, _CELLS // max(means.runs, units))
    done = 0
    for chunk in Resamples(units, drawing.number, drawing.seed, means.strata).counts():
        for start in range(0, len(chunk), step):
            part = chunk[start : start + step]
            yield part
            done += len(part)
            progress(done, drawing.number)


class _Resampled:
    """Means of runs over resamples, less what all runs have in common there.

    Sums are those of whole numbers, and exact, so that means tie where they do on paper.
    """

    def __init__(self, rows: Rows) -> None:
        self.units = ppi.Units.of(rows)
        self.runs = rows.values.shape[1]
        self.strata = tuple(np.bincount(self.units.collections).tolist())
        self._sums = self.units.sums(rows.values)

    @cached_property
    def _exact(self) -> list[tuple[slice, OnSameTopics]]:
        """The sums of each collection, with the places of its units."""
        return [(own, OnSameTopics(self._sums[own])) for own in stretches(self.strata)]

    def ranks(self, counts: FloatArray) -> Positions:
        """Return the ranks of runs, [resample, run], the lowest mean first; ties share theirs.

        `counts` is [resample, unit]. Means are those over topics, or those of collections.
        """
        total = np.zeros((len(counts), self.runs))
        slack = np.zeros(len(counts))
        for own, sums in self._exact:
            drawn = counts[:, own]
            unit = sums.step / (drawn @ self.units.sizes[own])  # of means, in each resample
            total += (drawn @ sums.whole) * unit[:, None]
            slack += sums.slack * unit
        return places(total, slack)[0]


# Decisions


def decisions(human: Rows, judge: Rows, level: float) -> Decisions:
    """Return what becomes of the decisions of paired t tests, uncorrected, between all runs."""
    by_people, by_judge = _verdicts(human, level), _verdicts(judge, level)
    found, also = by_people != 0, by_judge != 0

    def number(which: Any) -> int:
        return int(np.count_nonzero(which))

    return Decisions(
        pairs_among(human.values.shape[1]),
        number(found & (by_people == by_judge)),
        number(found & ~also),
        number(also & ~found),
        number(found & (by_people == -by_judge)),
    )


def _verdicts(rows: Rows, level: float) -> Verdicts:
    """Return which run of each pair is significantly better, [pair]."""
    values, design = weighted(rows)
    pairs = Pairs.all(values.shape[1])
    verdicts = np.zeros(len(pairs), np.int8)
    alpha = alpha_of(level)
    width = max(1, _TOGETHER // len(values))
    for start in range(0, len(pairs), width):
        own = slice(start, start + width)
        paired = Paired(values, Pairs(pairs.run[own], pairs.baseline[own]), design)
        p = two_sided(statistic(paired.sample), paired.sample.df)
        verdicts[own] = np.where(p < alpha, np.sign(paired.mean_difference), 0)
    return verdicts
