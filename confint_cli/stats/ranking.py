"""Ranks of runs, and rank sets: which ranks they may truly have, but for the choice of topics."""

from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.design import PLAIN, Design
from confint_cli.scores.scores import means_and_sizes, ranks
from confint_cli.stats.bonferroni import told_apart
from confint_cli.stats.pairs import OnSameTopics, Paired, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.significance.t import statistic, two_sided
from confint_cli.stats.simultaneous import LeftOut, MaxT, max_t

_TOGETHER = 1 << 18  # sums of resamples that are compared at a time, near the processor


@dataclass(frozen=True)
class Ranking:
    """The rank of each run, and which ranks it may have but for the choice of topics."""

    rank: Positions  # [run]: by the mean; runs of equal means share the better rank
    low: Positions  # [run]: the first of its simultaneous rank set: 1 + the runs told to be better
    high: Positions  # [run]: the last of the set: the number of runs less those told to be worse
    own_low: Positions  # [run]: the first rank of a set that holds for this run by itself
    own_high: Positions  # [run]: the last rank of that set
    first_share: FloatArray  # [run]: the share of resamples in which it is first
    better: BoolArray  # [run, other]: told to be better than the other, all pairs at once
    left_out: LeftOut  # the pairs that cannot be told apart whatever their difference
    error_share: float  # the Monte Carlo error of simultaneous limits, as a share of half the width
    error: float  # the largest Monte Carlo error of the simultaneous limits
    close: int  # pairs so close to being told apart, or not, that the error might decide

    @property
    def apart(self) -> BoolArray:
        """Which runs can be told apart, [run, other]."""
        apart: BoolArray = self.better | self.better.T
        return apart


def rank_runs(
    values: FloatArray,
    level: float,
    drawing: Drawing,
    *,
    strict: bool = False,
    design: Design = PLAIN,
    progress: Progress = no_progress,
) -> Ranking:
    """Return the ranking of the runs of values[topic, run].

    A run is better than another if the simultaneous interval of their difference leaves 0 out. Rank
    sets hold for all runs at once, at the level; a run's own set for it alone. With `strict`, max-T
    takes one scale for all pairs. `design` says how the topics were drawn.
    """
    scores, pairs = OnSameTopics(values), Pairs.all(values.shape[1])
    at_once = max_t(
        values, pairs, level, drawing, strict=strict, own=True, progress=progress, design=design
    )
    shares = _first_shares(scores, drawing, design)
    return ranked(at_once, pairs, ranks(*means_and_sizes(values)), shares)


def ranked(
    at_once: MaxT, pairs: Pairs, rank: Positions, first_share: FloatArray
) -> Ranking:  # fmt: skip
    """Return the ranking that max-T of all pairs tells of runs with these ranks by their means."""
    assert at_once.own is not None
    runs = pairs.every
    error, close = float(at_once.error.max()), at_once.close
    ahead = _statistics(at_once, pairs)
    own = at_once.own[:, None]
    better = ahead > at_once.critical
    return Ranking(
        rank=rank,
        low=1 + better.sum(axis=0),
        high=runs - better.sum(axis=1),
        own_low=1 + (ahead < -own).sum(axis=1),
        own_high=runs - (ahead > own).sum(axis=1),
        first_share=first_share,
        better=better,
        left_out=at_once.counted(pairs),
        error_share=at_once.error_share,
        error=error,
        close=close,
    )


def rank_by_t(paired: Paired, level: float) -> Ranking:
    """Return the ranking of runs, of which every two are `paired`, where rows cannot be resampled.

    A run is better than another if Bonferroni's t interval of their difference leaves 0 out: over
    all pairs for simultaneous rank sets, over the pairs of a run for its own. There are no shares
    of resamples.
    """
    sample = paired.sample
    p = two_sided(statistic(sample), sample.df)
    rank = ranks(*means_and_sizes(paired.values))
    return rank_by_p(p, paired.mean_difference, paired.pairs, rank, level)


def rank_by_p(
    p: FloatArray, difference: FloatArray, pairs: Pairs, rank: Positions, level: float
) -> Ranking:
    """Return the ranking of runs by p of every two, as `rank_by_t` does; `rank` is by their means.

    The sign of a difference says which of the two is better.
    """
    runs = pairs.every
    better, own_better = (
        _ahead(difference, told_apart(p, level, number), pairs) for number in (len(pairs), runs - 1)
    )
    return Ranking(
        rank=rank,
        low=1 + better.sum(axis=0),
        high=runs - better.sum(axis=1),
        own_low=1 + own_better.sum(axis=0),
        own_high=runs - own_better.sum(axis=1),
        first_share=np.full(runs, np.nan),
        better=better,
        left_out=LeftOut(0, 0, 0, True),
        error_share=0.0,
        error=0.0,
        close=0,
    )


def _ahead(difference: FloatArray, told: BoolArray, pairs: Pairs) -> BoolArray:
    """Return which runs are told to be better than which others, [run, other]."""
    better = np.zeros((pairs.every, pairs.every), dtype=bool)
    better[pairs.run, pairs.baseline] = told & (difference > 0)
    better[pairs.baseline, pairs.run] = told & (difference < 0)
    return better


def _statistics(at_once: MaxT, pairs: Pairs) -> FloatArray:
    """Return the statistic of each two runs, [run, other], positive where the run is ahead."""
    ahead = np.zeros((pairs.every, pairs.every))
    for base, runs, places in pairs.by_baseline():
        signed = np.copysign(at_once.statistic[places], at_once.difference[places])
        ahead[runs, base], ahead[base, runs] = signed, -signed
    return ahead


def _first_shares(scores: OnSameTopics, drawing: Drawing, design: Design) -> FloatArray:
    """Return the share of resamples in which each run is first, [run].

    Where several are first in a resample, each has its part of it.
    """
    runs = scores.values.shape[1]
    firsts = np.zeros(runs)
    rows = max(1, _TOGETHER // runs)
    resamples = Resamples(scores.topics, drawing.number, drawing.seed, design.strata)
    for counts in resamples.counts():
        for start in range(0, len(counts), rows):
            sums = counts[start : start + rows] @ scores.whole
            first = sums >= sums.max(axis=1, keepdims=True) - scores.slack
            firsts += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    return firsts / drawing.number
