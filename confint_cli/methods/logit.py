"""The studentised logit bootstrap interval."""

import numpy as np
from scipy.special import expit, logit, stdtrit

from confint_cli.arrays import BoolArray, FloatArray
from confint_cli.methods._method import Limits, Method
from confint_cli.methods._sample import Sample


def interval(sample: Sample, levels: FloatArray) -> Limits:
    """Return logit⁻¹(μ ± t(n-1, 1-α/2)·σ), μ and σ of logit(m*), m* of 0 and 1 left out."""
    boot = sample.resampled
    means = boot.deviations + sample.mean[:, None]
    inside = (means > boot.rounding[:, None]) & (means < 1 - boot.rounding[:, None])
    number = np.maximum(inside.sum(axis=1), 1)
    logits = logit(np.where(inside, means, 0.5))
    centre = np.where(inside, logits, 0.0).sum(axis=1) / number
    beside = np.where(inside, logits - centre[:, None], 0.0)
    spread, skew, kurtosis = _shape(beside, number)
    width = stdtrit(sample.topics - 1, (1 + levels) / 2)[:, None]
    limits = []
    for sign in (-1, 1):
        end = expit(centre + sign * width * spread)
        # Of μ + wσ by the delta method, carried through the transformation.
        squared = (1 + sign * width * skew + width**2 * (kurtosis - 1) / 4) / number
        error = spread * np.sqrt(np.maximum(squared, 0.0)) * end * (1 - end)
        # Where all resamples within (0, 1) have one mean, nothing is known.
        limits += [np.where(spread > 0, end, (1 + sign) / 2), error]
    low, low_error, high, high_error = limits
    return Limits(low, high, low_error, high_error)


def _shape(beside: FloatArray, number: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return σ, skewness and kurtosis of each row of differences from its mean."""
    spread = np.sqrt((beside**2).sum(axis=1) / number)
    scaled = beside / np.where(spread > 0, spread, 1.0)[:, None]
    return spread, (scaled**3).sum(axis=1) / number, (scaled**4).sum(axis=1) / number


def _within(scores: FloatArray) -> BoolArray:
    return (scores >= 0) & (scores <= 1)


METHOD = Method(
    summary="studentised logit bootstrap, for few topics and scores from 0 to 1",
    formula="logit⁻¹(μ ± t(n-1, 1-α/2)·σ), μ and σ of logit(m*) over the resamples",
    explanation="""\
Resamples' means m* of exactly 0 or 1 are left out; σ divides by their number. The logit takes most
of the skew away, and the limits stay between 0 and 1. For 5, 10 and 20 topics of average precision
it misses about as often as it should (5.5%, 5.4% and 4.7% of 95% intervals), where percentile and
BCa intervals miss up to 18% (Park 2011).""",
    reference="Park, Bootstrap confidence intervals for Mean Average Precision, ASEARC (2011)",
    interval=interval,
    resamples=True,
    quantiles=False,
    domain="scores from 0 to 1",
    accepts=_within,
)
