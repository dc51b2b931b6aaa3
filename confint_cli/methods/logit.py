"""The studentised logit bootstrap interval."""

import numpy as np
from scipy.special import expit, logit, stdtrit

from confint_cli.arrays import BoolArray, FloatArray
from confint_cli.methods._method import Limits, Method, Sample


def interval(sample: Sample, levels: FloatArray) -> Limits:
    """Return logit⁻¹(μ ± t(n-1, 1-α/2)·σ), μ and σ of logit(m*), m* of 0 and 1 left out."""
    boot = sample.resampled
    means = boot.deviations + sample.mean[:, None]
    inside = (means > boot.rounding[:, None]) & (means < 1 - boot.rounding[:, None])
    number = np.maximum(inside.sum(axis=1), 1)
    logits = np.where(inside, logit(np.where(inside, means, 0.5)), 0.0)
    centre = logits.sum(axis=1) / number
    spread = np.sqrt(np.where(inside, (logits - centre[:, None]) ** 2, 0.0).sum(axis=1) / number)
    width = stdtrit(sample.topics - 1, (1 + levels) / 2)[:, None]
    low, high = expit(centre - width * spread), expit(centre + width * spread)
    # Errors σ/√B of μ and σ/√(2B) of σ, carried through the transformation.
    error = spread * np.sqrt((1 + width**2 / 2) / number)
    return Limits(low, high, error * low * (1 - low), error * high * (1 - high))


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
    domain="scores from 0 to 1",
    accepts=_within,
)
