"""Which ranks the runs of a shared task may truly have."""

from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.scores import means_and_sizes, ranks
from confint_cli.stats.pairs import OnSameTopics, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.simultaneous import LeftOut, MaxT, max_t

_TOGETHER = 1 << 18  # sums of resamples that are compared at a time: near the processor


@dataclass(frozen=True)
class Ranking:
    """Of each run: its rank, and which ranks it may have but for the choice of topics."""

    rank: Positions  # by the mean; runs of equal means share the better one
    low: Positions  # the simultaneous rank set: 1 + the number of runs told to be better …
    high: Positions  # … to all but the number told to be worse
    own_low: Positions  # the same for this run by itself, of all pairs that it is in
    own_high: Positions
    first_share: FloatArray  # the share of resamples in which it is first
    better: BoolArray  # [run, other]: told to be better than the other, all pairs at once
    left_out: LeftOut  # the pairs that cannot be told apart whatever their difference
    error_share: float  # the Monte Carlo error of limits, as a share of half their width
    error: float  # of the simultaneous limits behind this: the largest Monte Carlo error
    close: int  # pairs so close to being told apart, or not, that this error might decide

    @property
    def apart(self) -> BoolArray:
        """Which runs, [run, other], can be told apart."""
        apart: BoolArray = self.better | self.better.T
        return apart


def rank_runs(
    values: FloatArray,
    level: float,
    drawing: Drawing,
    *,
    strict: bool = False,
    progress: Progress = no_progress,
) -> Ranking:
    """Rank runs by values[topic, run]; a run is better if its simultaneous interval says so.

    The rank sets hold for all runs at once, at the level; those of each run's own for it alone.
    `strict` is for max-T.
    """
    runs = values.shape[1]
    scores, pairs = OnSameTopics(values), Pairs.all(runs)
    found = max_t(values, pairs, level, drawing, strict=strict, own=True, progress=progress)
    assert found.own is not None
    error, close = float(found.error.max()), found.close
    ahead = _statistics(found, pairs)
    own = found.own[:, None]
    better = ahead > found.critical
    return Ranking(
        rank=ranks(*means_and_sizes(values)),
        low=1 + better.sum(axis=0),
        high=runs - better.sum(axis=1),
        own_low=1 + (ahead < -own).sum(axis=1),
        own_high=runs - (ahead > own).sum(axis=1),
        first_share=_first_shares(scores, drawing),
        better=better,
        left_out=found.counted(pairs),
        error_share=found.error_share,
        error=error,
        close=close,
    )


def _statistics(found: MaxT, pairs: Pairs) -> FloatArray:
    """Return how far each run is ahead of each other, [run, other]: the statistics with signs."""
    ahead = np.zeros((pairs.every, pairs.every))
    for base, runs, here in pairs.by_baseline():
        signed = np.copysign(found.statistic[here], found.difference[here])
        ahead[runs, base], ahead[base, runs] = signed, -signed
    return ahead


def _first_shares(scores: OnSameTopics, drawing: Drawing) -> FloatArray:
    """Return the share of resamples in which each run is first; several first ones divide one."""
    runs = scores.values.shape[1]
    firsts = np.zeros(runs)
    rows = max(1, _TOGETHER // runs)
    for counts in Resamples(scores.topics, drawing.number, drawing.seed).counts():
        for start in range(0, len(counts), rows):
            sums = counts[start : start + rows] @ scores.whole
            first = sums >= sums.max(axis=1, keepdims=True) - scores.slack
            firsts += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    return firsts / drawing.number
