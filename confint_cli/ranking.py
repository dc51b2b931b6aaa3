"""Which ranks the runs of a shared task may truly have."""

import math
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import BoolArray, FloatArray, Positions
from confint_cli.pairs import Drawing, Paired, Pairs
from confint_cli.progress import Progress, no_progress
from confint_cli.resampling import Resamples
from confint_cli.simultaneous import limits

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

    @property
    def apart(self) -> BoolArray:
        """Which runs, [run, other], can be told apart."""
        apart: BoolArray = self.better | self.better.T
        return apart


def rank_runs(
    values: FloatArray, level: float, drawing: Drawing, progress: Progress = no_progress
) -> Ranking:
    """Rank runs by values[topic, run]; a run is surely better if its simultaneous interval says so.

    The rank sets hold for all runs at once, at the level.
    """
    runs = values.shape[1]
    paired = Paired(values, Pairs.all(runs))
    found = limits(paired, (level,), drawing, progress)
    better = np.zeros((runs, runs), dtype=bool)
    better[paired.pairs.run, paired.pairs.baseline] = found.low[0] > 0
    better[paired.pairs.baseline, paired.pairs.run] = found.high[0] < 0
    best, worst, firsts = _resampled_ranks(paired, drawing, progress)
    tail = (1 - level) / 2 * (drawing.number + 1)
    low_place = max(1, math.floor(tail + 1e-9))
    high_place = min(drawing.number, math.ceil(drawing.number + 1 - tail - 1e-9))
    observed, _ = _ranks(_rounded(paired, paired.whole.sum(axis=0)[None]))
    return Ranking(
        rank=observed[0],
        low=1 + better.sum(axis=0),
        high=runs - better.sum(axis=1),
        marginal_low=1 + (best.cumsum(axis=1) < low_place).sum(axis=1),
        marginal_high=1 + (worst.cumsum(axis=1) < high_place).sum(axis=1),
        p_best=firsts / drawing.number,
        better=better,
    )


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
            here = _ranks(_rounded(paired, counts[start : start + rows] @ paired.whole))
            done += len(here[0])
            for ranks, number in zip(here, (best, worst), strict=True):
                places = ranks - 1 + np.arange(runs) * runs
                number += np.bincount(places.ravel(), minlength=runs * runs).reshape(runs, runs)
            first = here[0] == 1
            firsts += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    progress(done, drawing.number)
    return best, worst, firsts


def _rounded(paired: Paired, sums: FloatArray) -> FloatArray:
    """Return sums of steps such that those meant to be equal are."""
    rounded: FloatArray = np.rint(sums / (16 * paired.slack))
    return rounded


def _ranks(values: FloatArray) -> tuple[Positions, Positions]:
    """Return the best and the worst rank of each value within its row, which differ by ties."""
    runs = values.shape[1]
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.arange(1, runs + 1)
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    last = np.where(np.roll(new, -1, axis=1), place, runs)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    best, worst = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(best, order, first, axis=1)
    np.put_along_axis(worst, order, last, axis=1)
    return best, worst
