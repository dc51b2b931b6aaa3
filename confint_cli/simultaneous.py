"""Intervals of the differences of many pairs of runs that hold for all of them at once: max-T.

With e the differences d of a pair less their mean d̄, turn the signs of all runs' scores on random
topics. The means ē* of what comes out vary about 0 as d̄ varies about the truth, and those of
different pairs depend on each other as the pairs do. T* = ē*/se*, the standard error being that of
the turned differences, is how far off the t statistic of a pair may be by chance.

A common way is to resample topics and to divide by the se of the sample, not by se*. But that
forgets that se is estimated too: with 40 equal runs on 50 topics, 8% to 18% of such families have
an interval that leaves 0 out instead of 5%, on 20 topics 30% to 50%. With signs it is 5%
(docs/reproduction.md), and no resample can be without the few topics on which two runs differ.

Because Σe² does not change with the signs, T*² = (n-1)·u/(1-u) with u = ē*²/(Σe²/n): the largest
|T*| is where u is largest, and se* needs no computing of its own.
"""

import numpy as np
from scipy.special import stdtrit

from confint_cli.arrays import FloatArray
from confint_cli.explained import Explained
from confint_cli.flipping import by_flips, flipped_differences
from confint_cli.methods._method import Limits
from confint_cli.methods._ordered import Ordered
from confint_cli.methods._quantiles import quantile, quantile_error
from confint_cli.pairs import Drawing, Paired
from confint_cli.progress import Progress, no_progress
from confint_cli.resampling import Flips

NAME = "max-t"  # of the method, in results
_ALMOST_ALL = 1 - 1e-12  # of √u, from which on T* is infinite


EXPLAINED = Explained(
    summary="intervals of all differences at once, for compare --simultaneous and rank",
    formula="d̄ ± q·s/√n; q is the quantile of max |T*| over all pairs, T* of d - d̄ with signs "
    "flipped on random topics",
    explanation="""\
The signs of all runs' scores, less their means, are turned on random topics, B times (--resamples).
How far the t statistics of all pairs then stray, at most, in 95% of the draws, is how wide the
95% intervals are. As all pairs share the flips, it takes into account how alike the runs are, and
is narrower than Bonferroni's; but never narrower than the t interval of one comparison. Of families
of equal runs, 5 or 40 of them, 5% have any interval that leaves 0 out (docs/reproduction.md). Five
topics or fewer have too few flips for 95%, and their intervals no limits.""",
    reference="Westfall and Young, Resampling-Based Multiple Testing (1993); flips of centred "
    "values: Wu, Annals of Statistics 14 (1986)",
)


def limits(
    paired: Paired,
    levels: tuple[float, ...],
    drawing: Drawing,
    progress: Progress = no_progress,
) -> Limits:
    """Return the intervals [level, pair] of differences that hold for all pairs at once."""
    shares = [one for _, one in by_flips(_largest_shares, paired, drawing, progress)]
    largest = Ordered.sort(np.max(shares, axis=0)[None])
    p = np.array(levels)[:, None]
    share = quantile(largest, p)
    critical = _statistic(share, paired.topics)
    # All signs turned are as good as none: so few topics may not have a flip rare enough.
    critical[p > 1 - 2.0 ** (1 - paired.topics)] = np.inf
    farther = _statistic(share + quantile_error(largest, p), paired.topics)
    farther = np.where(np.isinf(farther), 2 * critical, farther)  # so uncertain that it is all
    # Of runs that differ on few topics, T* hardly varies: one comparison's t is the least there is.
    single = stdtrit(paired.topics - 1, (1 + p) / 2)
    critical, farther = np.maximum(critical, single), np.maximum(farther, single)
    sample = paired.sample
    # Differences that are all equal leave no doubt, unless there are too few of them for any.
    no_doubt = np.where(np.isinf(critical) & (sample.mean != 0), np.inf, 0.0)
    with np.errstate(invalid="ignore"):
        half = np.where(sample.constant, no_doubt, critical * sample.se)
        off = np.where(np.isinf(critical) | sample.constant, 0.0, (farther - critical) * sample.se)
    return Limits(sample.mean - half, sample.mean + half, off, off)


def _statistic(share: FloatArray, topics: int) -> FloatArray:
    """Return |T*| from √u."""
    with np.errstate(divide="ignore"):
        t = share * np.sqrt((topics - 1) / np.maximum(0.0, (1 - share) * (1 + share)))
    return np.where(share >= _ALMOST_ALL, np.inf, t)


def _largest_shares(paired: Paired, flips: Flips, progress: Progress) -> FloatArray:
    """Return the largest √u of any pair for each flip of signs."""
    centred = paired.whole - np.rint(paired.whole.mean(axis=0))
    sample = paired.sample
    norm = sample.unit * np.sqrt((sample.shares**2).sum(axis=1) * paired.topics)  # n·√(Σe²/n)
    weight = np.where(sample.constant, 0.0, paired.step / np.where(norm > 0, norm, 1.0))
    largest = np.zeros(flips.number)
    for here, places, sums in flipped_differences(paired, centred, flips, progress):
        sums *= weight[places, None]
        np.abs(sums, out=sums)
        np.maximum(largest[here], sums.max(axis=0), out=largest[here])
    return largest
