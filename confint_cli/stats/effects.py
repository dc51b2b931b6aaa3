"""Intervals of effect sizes: standardised differences by noncentral t, Glass's Δ by the jackknife.

If differences are normal, d̄/s times √n is a noncentral t, and the limits of its shift are exact
(Steiger 2004): the bias that is taken off the estimate is not in them.

Glass's Δ divides by the standard deviation of the baseline's own scores, which are seldom normal.
The delta method covers too seldom then, whether it takes scores as normal or by their own moments:
95% intervals of 10 and 50 topics cover .86 to .98 and .87 to .95 of the time. The jackknife, which
takes the same derivatives by leaving out each topic, covers .94 to .96 (docs/compare.md).

References: Steiger, Psychological Methods 9 (2004); Efron, The Jackknife, the Bootstrap and Other
Resampling Plans (1982).
"""

from collections.abc import Mapping

import numpy as np
from scipy.special import stdtrit

from confint_cli.common.arrays import FloatArray
from confint_cli.common.exact import power_of_two_above
from confint_cli.common.ties import LAST_BITS
from confint_cli.stats.comparison import Differences
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.noncentral import shifts
from confint_cli.stats.pairs import Paired
from confint_cli.stats.sample import Sample

Effects = Mapping[str, Ends]  # the limits [level, pair] by effect size; NaN: there are none

GLASS, GZ, G = "glass", "hedges_gz", "hedges_g"
_FEWEST = 3  # topics: one that is left out leaves two, which have a standard deviation


def of_paired(paired: Paired, known: Differences, levels: FloatArray) -> Effects:
    """Return the limits of the effect sizes of runs on the same topics."""
    df = np.full(len(paired.pairs), paired.topics - 1.0)
    root = np.sqrt(paired.topics)
    known_gz = ~np.isnan(known.hedges_gz)  # of two topics there is no estimate without bias
    t = np.where(known_gz, _shift(known.difference, paired.sample.sd / root), np.nan)
    low, high = shifts(t, df, levels)
    se = _paired_glass_se(paired) if paired.topics >= _FEWEST else np.full(len(df), np.nan)
    return {
        GLASS: _around(known.glass_delta, se, df, levels),
        GZ: (low / root, high / root),
    }


def of_unpaired(known: Differences, levels: FloatArray) -> Effects:
    """Return the limits of the effect sizes of runs on topics of their own.

    Those of Glass's Δ need what `deletions` says of the baselines.
    """
    run, baseline = known.run, known.baseline
    df = (run.topics + baseline.topics - 2).astype(np.float64)
    pooled_sd = np.hypot(*(own.sd * np.sqrt((own.topics - 1) / df) for own in (run, baseline)))
    root = np.sqrt(1 / run.topics + 1 / baseline.topics)
    low, high = shifts(_shift(known.difference, pooled_sd * root), df, levels)
    effects = {G: (low * root, high * root)}
    if baseline.deletions is not None:
        aa, ab, bb = baseline.deletions
        d = known.glass_delta
        with np.errstate(divide="ignore", invalid="ignore"):
            of_run = (run.sd / baseline.sd) ** 2 / run.topics
            of_baseline = np.maximum(d * d * aa - 2 * d * ab + bb, 0.0)
            total = of_run + of_baseline
            own_df = total**2 / (
                of_run**2 / (run.topics - 1) + of_baseline**2 / (baseline.topics - 1)
            )
        effects[GLASS] = _around(known.glass_delta, np.sqrt(total), own_df, levels)
    return effects


def deletions(scores: FloatArray) -> FloatArray:
    """Return what the jackknife needs of a baseline's scores [topic], [3].

    These are (n-1)/n times the sums of squares, and of products, of s̄/s and (m - m̄)/s, where m and
    s are of all topics but one, and m̄ and s̄ of all.
    """
    if len(scores) < _FEWEST:
        return np.full(3, np.nan)
    inverse = _inverse_sds(scores[:, None])[:, 0]
    moved = -(scores - scores.mean()) / (len(scores) - 1) * inverse
    ratio = inverse * Sample(scores[:, None]).sd
    a, b = ratio - ratio.mean(), moved - moved.mean()
    return np.array([a @ a, a @ b, b @ b]) * (len(scores) - 1) / len(scores)


def _paired_glass_se(paired: Paired) -> FloatArray:
    """Return the jackknife's standard error of Glass's Δ, [pair]; NaN for a constant baseline."""
    topics = paired.topics
    inverse = _inverse_sds(paired.values)
    mean = paired.mean_difference
    se = np.empty(len(paired.pairs))
    for base, _, places in paired.pairs.by_baseline():
        own = mean[places]
        without = own - (paired.differences[:, places] - own) / (topics - 1)
        deltas = without * inverse[:, [base]]
        deltas -= deltas.mean(axis=0)
        se[places] = np.sqrt((topics - 1) / topics * (deltas**2).sum(axis=0))
    return se


def _inverse_sds(values: FloatArray) -> FloatArray:
    """Return 1/s of values[topic, run] without each topic, [topic, run].

    It is NaN for a run that is constant without some topic.
    """
    topics = len(values)
    unit = power_of_two_above(np.abs(values).max(axis=0))  # squares of tiny numbers would be lost
    scaled = values / unit
    squares = (scaled - scaled.mean(axis=0)) ** 2
    left = squares.sum(axis=0) - squares * topics / (topics - 1)
    varies = (left > topics * LAST_BITS**2).all(axis=0)
    inverse: FloatArray = np.sqrt((topics - 2) / np.where(varies, left, np.nan)) / unit
    return inverse


def _shift(difference: FloatArray, se: FloatArray) -> FloatArray:
    """Return the t statistics, [pair]; NaN for what does not vary."""
    t: FloatArray = difference / np.where(se > 0, se, np.nan)
    return t


def _around(delta: FloatArray, se: FloatArray, df: FloatArray, levels: FloatArray) -> Ends:
    """Return Δ ± t·se, [level, pair]; NaN for what does not vary."""
    se = np.where(se > 0, se, np.nan)
    half = stdtrit(np.where(se > 0, df, 1.0), (1 + levels[:, None]) / 2) * se
    return delta - half, delta + half
