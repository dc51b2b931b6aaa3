"""Intervals of the differences of many pairs of runs that hold for all of them at once: max-T.

With e the differences d of a pair less their mean d̄, turn the signs of all runs' scores on random
topics. The means ē* of what comes out vary about 0 as d̄ varies about the truth, and those of
different pairs depend on each other as the pairs do. T* = ē*/se*, the standard error being that of
the turned differences, is how far off the t statistic of a pair may be by chance. The interval
is d̄ ± q·se, where q is the level's quantile of the largest |T*| of any pair.

A common way is to resample topics and to divide by the se of the sample, not by se*. But that
forgets that se is estimated too: with 40 equal runs on 50 topics, 10% to 18% of such families have
an interval that leaves 0 out instead of 5%, on 20 topics 30% to 50%. With signs it is 5%, and no
resample can be without the few topics on which two runs differ.

Because Σe² does not change with the signs, T*² = (n-1)·u/(1-u) with u = ē*²/(Σe²/n): the largest
|T*| is where u is largest, and se* needs no computing of its own.
"""

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.methods._method import Limits
from confint_cli.methods._ordered import Ordered
from confint_cli.methods._quantiles import quantile, quantile_error
from confint_cli.pairs import Drawing, Paired
from confint_cli.progress import Progress, no_progress
from confint_cli.resampling import Flips

NAME = "max-t"  # of the method, in results
_ALMOST_ALL = 1 - 1e-12  # of √u, from which on T* is infinite


def fewest_draws(levels: tuple[float, ...]) -> int:
    """Return how many draws it takes to have a quantile at the highest level."""
    return int(np.ceil(round(1 / (1 - max(levels)), 6))) - 1


def limits(
    paired: Paired,
    levels: tuple[float, ...],
    drawing: Drawing,
    progress: Progress = no_progress,
) -> Limits:
    """Return the intervals [level, pair] of differences that hold for all pairs at once."""
    largest = Ordered.sort(_largest_shares(paired, drawing, progress)[None])
    p = np.array(levels)[:, None]
    share, error = quantile(largest, p), quantile_error(largest, p)
    critical, farther = _statistic(share, paired.topics), _statistic(share + error, paired.topics)
    critical[p > largest.number / (largest.number + 1)] = np.inf  # so few topics have few signs
    sample = paired.sample
    # Differences that are all equal leave no doubt, unless there are too few of them for any.
    no_doubt = np.where(np.isinf(critical) & (sample.mean != 0), np.inf, 0.0)
    with np.errstate(invalid="ignore"):
        half = np.where(sample.constant, no_doubt, critical * sample.se)
        off = np.where(np.isfinite(farther), (farther - critical) * sample.se, 0.0)
    off = np.where(sample.constant, 0.0, off)
    return Limits(sample.mean - half, sample.mean + half, off, off)


def _statistic(share: FloatArray, topics: int) -> FloatArray:
    """Return |T*| from √u."""
    with np.errstate(divide="ignore"):
        t = share * np.sqrt((topics - 1) / np.maximum(0.0, (1 - share) * (1 + share)))
    return np.where(share >= _ALMOST_ALL, np.inf, t)


def _largest_shares(paired: Paired, drawing: Drawing, progress: Progress) -> FloatArray:
    """Return the largest √u of any pair for each flip of signs.

    As in the randomisation test, a pair's sum is the difference of two runs' sums.
    """
    flips = Flips(paired.topics, drawing.number, drawing.seed)
    centred = paired.whole - np.rint(paired.whole.mean(axis=0))
    sample = paired.sample
    norm = sample.unit * np.sqrt((sample.shares**2).sum(axis=1) * paired.topics)  # n·√(Σe²/n)
    varies = ~sample.constant
    with np.errstate(divide="ignore"):
        weight = np.where(varies, paired.step / norm, 0.0)
    grouped = list(paired.pairs.by_baseline())
    largest, done = np.zeros(flips.number), 0
    for signs in flips.signs():
        progress(done, flips.number)
        sums = centred.T @ signs.T  # [run, flip]
        here = largest[done : (done := done + len(signs))]
        for baseline, runs, places in grouped:
            flipped = sums[runs]
            flipped -= sums[baseline]
            flipped *= weight[places, None]
            np.abs(flipped, out=flipped)
            np.maximum(here, flipped.max(axis=0), out=here)
    progress(done, flips.number)
    return largest
