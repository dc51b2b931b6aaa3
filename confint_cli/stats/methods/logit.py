"""The studentised logit bootstrap interval."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, stdtrit

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.stats.methods.method import Ends, Method
from confint_cli.stats.sample import Sample

if TYPE_CHECKING:
    from confint_cli.stats.ideal.covering import Judged, Study


def interval(sample: Sample, levels: FloatArray) -> Ends:
    """Return logit⁻¹(μ ± t(n-1, 1-α/2)·σ), μ and σ of logit(m*), m* of 0 and 1 left out."""
    centre, spread = sample.resampled.logit_moments(sample.mean)
    return _limits(centre, spread, _width(sample, levels))


def _limits(centre: FloatArray, spread: FloatArray, width: FloatArray) -> Ends:
    """Return logit⁻¹(μ ± wσ) of μ and σ [column] and w [level, 1], [level, column] each."""
    # Where all resamples within (0, 1) have the same mean, the limits are 0 and 1.
    low = np.where(spread > 0, expit(centre - width * spread), 0.0)
    high = np.where(spread > 0, expit(centre + width * spread), 1.0)
    return low, high


def error(sample: Sample, levels: FloatArray) -> Ends:
    """Return the standard errors of μ ± wσ by the delta method, carried through logit⁻¹."""
    centre, spread = sample.resampled.logit_moments(sample.mean)
    skew, kurtosis, number = sample.resampled.logit_shape(sample.mean)
    width = _width(sample, levels)
    errors = []
    for sign in (-1, 1):
        end = expit(centre + sign * width * spread)
        squared = (1 + sign * width * skew + width**2 * (kurtosis - 1) / 4) / number
        errors.append(spread * np.sqrt(np.maximum(squared, 0.0)) * end * (1 - end))
    low, high = errors
    return low, high


def _width(sample: Sample, levels: FloatArray) -> FloatArray:
    """Return t(n-1, 1-α/2), [level, 1]."""
    width: FloatArray = stdtrit(sample.topics - 1, (1 + levels) / 2)[:, None]
    return width


def _within(scores: FloatArray) -> BoolArray:
    return (scores >= 0) & (scores <= 1)


def covers(study: "Study") -> "Judged":
    """Return which intervals lie beside the truth, from the moments of logit(m*)."""
    centre, spread = study.logit_moments()
    width: FloatArray = stdtrit(study.samples.topics - 1, (1 + study.levels) / 2)[:, None]
    low, high = _limits(centre, spread, width)
    rounding = 4 * np.finfo(float).eps * high
    return study.judged(
        study.truth < low - rounding,
        study.truth > high + rounding,
        np.where(study.moments.varies, high - low, 0.0).sum(axis=1),
    )


METHOD = Method(
    summary="studentised logit bootstrap, for few topics and scores from 0 to 1",
    formula="logit⁻¹(μ ± t(n-1, 1-α/2)·σ), μ and σ of logit(m*) over the resamples",
    explanation="""\
A bootstrap interval for means over 10 to 20 topics, of scores from 0 to 1. It is a t interval on
another scale, the logit log(m/(1-m)): it transforms the means m* of resampled topics to that scale,
takes their mean μ and standard deviation σ, and transforms the limits back. So the limits stay
between 0 and 1.

Resamples' means m* of exactly 0 or 1 are left out, and σ divides by the number of the others. In
the formula, t(n-1, …) is a quantile of Student's t distribution for n topics, and α is 1 - level.

For 5, 10 and 20 topics of average precision of TREC 2004 Robust, 5.5%, 5.4% and 4.7% of its 95%
intervals miss the true mean (Park 2011). On 31 sets of real scores (a set is one measure on one
collection, averaged over its runs), 4.7% to 13.9%, 3.5% to 8.2% and 3.3% to 6.7% miss. With 10 and
20 topics, it is the method closest to its level on more of these sets than any other. Which method
is closest depends on the collection (docs/choosing.md).""",
    reference="Park, Bootstrap confidence intervals for Mean Average Precision, ASEARC (2011)",
    style=5,
    interval=interval,
    error=error,
    covers=covers,
    resamples=True,
    quantiles=False,
    domain="scores from 0 to 1",
    accepts=_within,
)
