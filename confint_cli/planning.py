"""How many topics it takes, and what so many topics give: exact, by Student's t.

Scores, or differences of two runs' scores, are taken as normal with a known standard deviation s;
a t interval or t test of n topics then estimates it anew, so that t and not z decides.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtrit

from confint_cli.arrays import FloatArray
from confint_cli.methods._sample import LAST_BITS, Sample

FEWEST = 2  # topics that have an interval
MOST = 10**15  # topics that anybody asks about, and that floats can count
_NODES = 2001  # of an integral
_NEGLIGIBLE = 1e-18  # probability


def half_width(topics: int, sd: float, level: float) -> float:
    """Return t(n-1, 1-α/2)·s/√n."""
    return float(stdtrit(topics - 1, (1 + level) / 2)) * sd / math.sqrt(topics)


def topics_for_half_width(target: float, sd: float, level: float) -> int | None:
    """Return the smallest number of topics whose interval is no wider than ±target."""
    return _smallest(lambda topics: half_width(topics, sd, level) <= target)


def power(topics: int, effect: float, level: float) -> float:
    """Return how probably a two-sided t test finds a mean of so many standard deviations.

    The noncentral t distribution is integrated over s: given that, the mean is normal. (scipy's own
    fails far out.) In log(s), a sum over even steps is exact but for rounding.
    """
    freedom = topics - 1
    critical = float(stdtrit(freedom, (1 + level) / 2))
    shift = effect * math.sqrt(topics)
    log_s = _range_of_log_s(freedom)
    weights = np.exp(freedom * (log_s - np.expm1(2 * log_s) / 2))  # of s in units of σ
    limits = critical * np.exp(log_s)
    found = ndtr(shift - limits) + ndtr(-shift - limits)
    return float((weights * found).sum() / weights.sum())


def _range_of_log_s(freedom: int) -> FloatArray:
    """Return even steps over all that a standard deviation of so many degrees of freedom may be."""
    shape = freedom / 2
    if freedom > 1e6:  # then it is normal, and quantiles of its square are too coarse
        reach = 9 / math.sqrt(2 * freedom)
        return np.linspace(-reach, reach, _NODES)
    lowest = gammaincinv(shape, _NEGLIGIBLE) / shape
    highest = gammaincinv(shape, 1 - 2.0**-53) / shape * 1.2
    return np.linspace(math.log(lowest) / 2, math.log(highest) / 2, _NODES)


def topics_for_power(target: float, difference: float, sd: float, level: float) -> int | None:
    """Return the smallest number of topics with which the difference is found so probably."""
    return _smallest(lambda topics: power(topics, difference / sd, level) >= target)


def detectable(topics: int, sd: float, level: float, target: float) -> float:
    """Return the smallest difference that so many topics find with the target's power."""
    low, high = 0.0, 1.0
    while power(topics, high, level) < target:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if power(topics, middle, level) < target:
            low = middle
        else:
            high = middle
    return high * sd


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number of topics that is enough, as all larger ones are; or None."""
    high = FEWEST
    while not enough(high):
        if high >= MOST:
            return None
        high *= 2
    low = high // 2  # is not enough, or too few for anything
    while high - low > 1 and high > FEWEST:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def sd_of_runs(values: FloatArray) -> float:
    """Return the standard deviation of a run's scores[topic, run] over topics.

    Of several runs, that of their mean variance.
    """
    return _root_mean_square(Sample(values).sd)


def sd_of_differences(values: FloatArray) -> float:
    """Return the standard deviation of the differences of two runs, scores[topic, run].

    The variance is twice the residual mean square of the two-way analysis (topic and run): of two
    runs that of their differences, of several the mean over all pairs of runs.
    """
    topics, runs = values.shape
    sample = Sample(values)
    centred = sample.deviations  # [run, topic], less each run's mean
    residuals = centred - centred.mean(axis=0)
    unit = np.abs(residuals).max()  # squares of tiny numbers would be lost
    if unit <= LAST_BITS * sample.largest.max():
        return 0.0
    squares = float(((residuals / unit) ** 2).sum())
    return float(unit) * math.sqrt(2 * squares / ((topics - 1) * (runs - 1)))


def _root_mean_square(values: FloatArray) -> float:
    unit = values.max() or 1.0
    return float(unit * np.sqrt(((values / unit) ** 2).mean()))
