"""Which ranks the runs of a shared task may truly have."""

import math
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import BoolArray, FloatArray, Positions
from confint_cli.methods._method import Limits
from confint_cli.pairs import Drawing, Paired, Pairs
from confint_cli.progress import Progress, no_progress, parts_of
from confint_cli.resampling import Resamples
from confint_cli.simultaneous import limits
from confint_cli.ties import places

_TOGETHER = 1 << 18  # scores of resamples that are ranked at a time: near the processor


@dataclass(frozen=True)
class Ranking:
    """Of each run: its rank, and which ranks it may have but for the choice of topics."""

    rank: Positions  # by the mean; runs of equal means share the better one
    low: Positions  # the simultaneous rank set: 1 + the number of runs that are surely better …
    high: Positions  # … to all but the number that are surely worse
    marginal_low: Positions  # the interval of its rank over resamples, of this run by itself
    marginal_high: Positions
    p_best: FloatArray  # the share of resamples in which it is the best
    better: BoolArray  # [run, other]: surely better than the other, all pairs at once
    error: float  # of the simultaneous limits behind this: the largest Monte Carlo error
    close: int  # pairs so close to being told apart, or not, that this error might decide
    bounded: bool  # whether there are enough topics for limits at all

    @property
    def apart(self) -> BoolArray:
        """Which runs, [run, other], can be told apart."""
        apart: BoolArray = self.better | self.better.T
        return apart


def order_of(values: FloatArray) -> list[int]:
    """Return the runs of values[topic, run], best first; those of equal means stay in order."""
    paired = Paired(values, Pairs.all(values.shape[1]))
    return [int(run) for run in np.argsort(_observed(paired), kind="stable")]


def _observed(paired: Paired) -> Positions:
    """Return the ranks by the means; runs of equal means share the better one."""
    best, _ = _ranks(paired, paired.whole.sum(axis=0)[None])
    return best.reshape(-1)


def rank_runs(
    values: FloatArray, level: float, drawing: Drawing, progress: Progress = no_progress
) -> Ranking:
    """Rank runs by values[topic, run]; a run is surely better if its simultaneous interval says so.

    The rank sets hold for all runs at once, at the level.
    """
    runs = values.shape[1]
    paired = Paired(values, Pairs.all(runs))
    parts = parts_of(progress, 2)
    found = limits(paired, (level,), drawing, next(parts))
    better = np.zeros((runs, runs), dtype=bool)
    better[paired.pairs.run, paired.pairs.baseline] = found.low[0] > 0
    better[paired.pairs.baseline, paired.pairs.run] = found.high[0] < 0
    best, worst, firsts = _resampled_ranks(paired, drawing, next(parts))
    tail = (1 - level) / 2 * (drawing.number + 1)
    low_place = max(1, math.floor(tail + 1e-9))
    high_place = min(drawing.number, math.ceil(drawing.number + 1 - tail - 1e-9))
    return Ranking(
        rank=_observed(paired),
        low=1 + better.sum(axis=0),
        high=runs - better.sum(axis=1),
        marginal_low=1 + (best.cumsum(axis=1) < low_place).sum(axis=1),
        marginal_high=1 + (worst.cumsum(axis=1) < high_place).sum(axis=1),
        p_best=firsts / drawing.number,
        better=better,
        error=float(found.low_error.max()),
        close=int(_closeness(found).sum()),
        bounded=bool(np.isfinite(found.low).all()),
    )


def _closeness(found: Limits) -> BoolArray:
    """Say which limits are no farther from 0 than their own error."""
    near: BoolArray = np.minimum(np.abs(found.low), np.abs(found.high)) < found.low_error
    return near


def _resampled_ranks(
    paired: Paired, drawing: Drawing, progress: Progress
) -> tuple[Positions, Positions, FloatArray]:
    """Return how often each run had each rank, [run, rank], and how often it was the best.

    Of runs with equal means, the first part has the best of their ranks, the second the worst;
    several best ones share the first place.
    """
    runs = paired.values.shape[1]
    best, worst = np.zeros((2, runs, runs), dtype=np.intp)
    firsts, done = np.zeros(runs), 0
    rows = max(1, _TOGETHER // runs)
    for counts in Resamples(paired.topics, drawing.number, drawing.seed).counts():
        for start in range(0, len(counts), rows):
            progress(done, drawing.number)
            here = _ranks(paired, counts[start : start + rows] @ paired.whole)
            done += len(here[0])
            for ranks, number in zip(here, (best, worst), strict=True):
                cells = ranks - 1 + np.arange(runs) * runs
                number += np.bincount(cells.ravel(), minlength=runs * runs).reshape(runs, runs)
            first = here[0] == 1
            firsts += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    progress(done, drawing.number)
    return best, worst, firsts


def _ranks(paired: Paired, sums: FloatArray) -> tuple[Positions, Positions]:
    """Return the best and the worst rank of each run in each row of sums; they differ by ties."""
    return places(-sums, paired.slack)
