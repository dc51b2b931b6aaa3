"""Moments of logit(m*) of many samples from one population, by Laplace transforms.

With L(t) the mean of exp(-t·x/n) over the scores of a sample, n draws sum up to a mean m* with
E exp(-t·m*) = L(t)ⁿ. From log m = ∫ (e^-t - e^-tm)/t dt follow, with p₀ the chance that m* is 0 and
d(v) = L(t)ⁿ - p₀ - (1-p₀)e^-t at t = e^v,

    E log m* = -∫ d dv,   E log² m* = 2∫ v·d dv - 2γ·E log m*,

over m* above 0; likewise of 1-m*. The trapezoidal rule converges fast on such integrands. What is
left, E log m*·log(1-m*), has a bounded integrand and comes from the series of `inversion`.
"""

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.ideal.inversion import inversions
from confint_cli.stats.ideal.mean import power
from confint_cli.stats.ideal.samples import SharedSamples

_STEP = 0.35  # of v
_SMALL, _LARGE = 1e-9, 40.0  # t·m from the one, of the largest m, to the other, of the smallest
_POINTS = 2048  # of a window, at which log m·log(1-m) is taken
_ZERO = 1e-12  # scores this close to 0 or 1, beside the largest, are


def logit_moments(samples: SharedSamples) -> tuple[FloatArray, FloatArray]:
    """Return mean and sd of logit(m*) over m* that are neither 0 nor 1, [sample].

    Scores lie between 0 and 1. Samples without variance have 0 for the sd.
    """
    scores = (samples.truth + samples.scale * samples.population).clip(0.0, 1.0)
    of_zero, log, log_squared = _logarithms(samples, scores)
    of_one, other, other_squared = _logarithms(samples, 1 - scores)
    product = _products(samples)
    # Each logarithm is over its own m*: where m* is 1, that of m* is 0, and the other way round.
    inside = 1 - of_zero - of_one
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (log - other) / inside
        square = (log_squared + other_squared - 2 * product) / inside
        variance = np.where(samples.moments.varies, square - mean * mean, 0.0)
    return mean, np.sqrt(np.maximum(variance, 0.0))


def _logarithms(
    samples: SharedSamples, scores: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(m* = 0), E log m* and E log² m* over m* above 0, not divided by 1-p₀, [sample]."""
    n = samples.topics
    scores = np.where(scores < _ZERO * scores.max(), 0.0, scores)
    none = samples.counts @ (scores == 0)
    zero = (none / n) ** n
    least = scores[scores > 0].min() / n
    v = np.arange(np.log(_SMALL), np.log(_LARGE / least) + _STEP, _STEP)
    t = np.exp(v)
    transform = power(samples.counts @ np.exp(np.multiply.outer(-scores / n, t)) / n, n)
    integrand = transform - zero[:, None] - np.multiply.outer(1 - zero, np.exp(-t))
    log = -_STEP * integrand.sum(axis=1)
    squared = 2 * _STEP * (integrand * v).sum(axis=1) - 2 * np.euler_gamma * log
    return zero, log, squared


def _products(samples: SharedSamples) -> FloatArray:
    """Return E log m*·log(1-m*), which is 0 at 0 and at 1, [sample]."""
    found = np.zeros(samples.number)
    varying = np.flatnonzero(samples.moments.varies)
    truth, unit = samples.truth, samples.scale / np.sqrt(samples.topics)
    for inversion in inversions(samples, varying, 1e-6):
        found[inversion.rows] = inversion.expectation(lambda y: _product(truth + unit * y), _POINTS)
    return found


def _product(means: FloatArray) -> FloatArray:
    inside = (means > 0) & (means < 1)
    safe = np.where(inside, means, 0.5)
    return np.where(inside, np.log(safe) * np.log1p(-safe), 0.0)
