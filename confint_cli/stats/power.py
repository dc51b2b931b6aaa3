"""How many topics an interval or a test needs, and what a number of topics gives, by Student's t.

Scores, or differences of two runs' scores, are taken as normal with a known standard deviation s;
a t interval or t test of n topics then estimates it anew, so that t and not z decides. What is
known of s from a pilot is an estimate itself, for which there is an upper limit.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.special import chdtri, gammainc, gammaincc, ndtr, roots_legendre, stdtrit

from confint_cli.common.arrays import FloatArray
from confint_cli.common.ties import LAST_BITS
from confint_cli.stats.sample import Sample

FEWEST = 2  # topics: of one there is no interval
MOST = 10**15  # topics: nobody asks about more, and floats can count them
CONFIDENCE = 0.8  # of the upper limit of a standard deviation, after Browne (1995)
_NEGLIGIBLE = 9.5  # standard deviations: what lies beyond them has no probability
_NODES = 400  # places at which an integral is evaluated
_MANY = 200  # degrees of freedom: with more, s varies less than the mean


def half_width(topics: int, sd: float, level: float) -> float:
    """Return half the width of a t interval, t(n-1, 1-α/2)·s/√n, of n = `topics` and s = `sd`."""
    return float(stdtrit(topics - 1, (1 + level) / 2)) * sd / math.sqrt(topics)


def topics_for_half_width(
    target: float, sd: float, level: float, assurance: float | None = None
) -> int | None:
    """Return the smallest number of topics whose interval is no wider than ±target, or None.

    That holds if the sample's standard deviation is `sd`; about every other sample has a larger
    one. With an `assurance`, of one half at least, it holds in that share of samples. For a smaller
    share it would not be true that all larger numbers are enough too: two topics can be nearly
    equal by chance, many cannot. None: more than `MOST` topics would be needed.
    """
    if assurance is None:
        return _smallest(lambda topics: half_width(topics, sd, level) <= target)
    return _smallest(lambda topics: chance_of_more(topics, target, sd, level) <= 1 - assurance)


def chance_of_more(topics: int, target: float, sd: float, level: float) -> float:
    """Return the probability that the interval of `topics` topics is wider than ±target.

    The width goes with the sample's s, of which νs²/σ² is χ² with ν = n-1.
    """
    freedom = topics - 1
    width = half_width(topics, sd, level)
    allowed = target / width if width else math.inf
    return float(gammaincc(freedom / 2, freedom / 2 * (allowed * allowed)))


def power(topics: int, effect: float, level: float) -> float:
    """Return the probability that a two-sided t test finds a mean of `effect` standard deviations.

    That is the noncentral t distribution, of which scipy's own fails far out. Given the sample's
    mean, whether it is significant depends on s; given s, on the mean. The integral is over
    whichever of the two varies more, so that nothing in it is steep.
    """
    return power_of_t(topics - 1, effect * math.sqrt(topics), level)


def power_of_t(freedom: float, shift: float, level: float) -> float:
    """Return the power of a two-sided t test of a mean that is `shift` standard errors from 0.

    The standard error has these degrees of freedom.
    """
    critical = float(stdtrit(freedom, (1 + level) / 2))
    if freedom <= _MANY:
        return _over_means(freedom, critical, shift)
    reach = _NEGLIGIBLE / math.sqrt(2 * freedom)
    log_s, weights = _nodes(-reach, reach)
    weights = weights * np.exp(freedom * (log_s - np.expm1(2 * log_s) / 2))  # of s in units of σ
    limits = critical * np.exp(log_s)
    significant = ndtr(shift - limits) + ndtr(-shift - limits)  # its probability, given s
    return float((weights * significant).sum() / weights.sum())


def _over_means(freedom: float, critical: float, shift: float) -> float:
    """Return the power as an integral over the mean, below and above 0, where there is a kink."""
    total = 0.0
    edges = sorted([-_NEGLIGIBLE, min(max(-shift, -_NEGLIGIBLE), _NEGLIGIBLE), _NEGLIGIBLE])
    for low, high in pairwise(edges):
        z, weights = _nodes(low, high)
        with np.errstate(over="ignore"):  # where differences are found for sure
            small_enough = gammainc(freedom / 2, freedom / 2 * ((z + shift) / critical) ** 2)
        total += float((weights * np.exp(-(z**2) / 2) * small_enough).sum())
    return min(1.0, total / math.sqrt(2 * math.pi))


def _nodes(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return the places at which to evaluate an integral from low to high, and their weights.

    These are Gauss's and Legendre's.
    """
    places, weights = _gauss()
    half = (high - low) / 2
    return low + half * (1 + places), half * weights


@cache
def _gauss() -> tuple[FloatArray, FloatArray]:
    """Return the places and weights of an integral from -1 to 1."""
    places, weights = roots_legendre(_NODES)
    return places, weights


def topics_for_power(difference: float, sd: float, level: float, target: float) -> int | None:
    """Return the smallest number of topics with which a difference is found with power `target`.

    None: more than `MOST` topics would be needed.
    """
    return _smallest(lambda topics: power(topics, difference / sd, level) >= target)


def detectable(topics: int, sd: float, level: float, target: float) -> float:
    """Return the smallest difference that `topics` topics find with power `target`."""
    return _least_shift(lambda effect: power(topics, effect, level) >= target) * sd


def _least_shift(is_enough: Callable[[float], bool]) -> float:
    """Return the least number above 0 that is enough, if all larger ones are too."""
    low, high = 0.0, 1.0
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


def _smallest(enough: Callable[[int], bool], fewest: int = FEWEST) -> int | None:
    """Return the smallest number of topics that is enough; None: not even `MOST` are.

    All numbers that are larger than one that is enough have to be enough too.
    """
    numbers = range(fewest, MOST + 1)
    place = bisect_left(numbers, True, key=enough)
    return numbers[place] if place < len(numbers) else None


# Several collections


@dataclass(frozen=True)
class Spread:
    """How much topics of several collections vary, and in which proportion there are any.

    Scores are weighted, so that the mean of all topics is the mean of the collections' means.
    """

    sds: tuple[float, ...]  # of each collection
    sizes: tuple[int, ...]  # topics of each in the pilot
    factor: float = 1.0  # by which standard deviations are larger

    @property
    def varies(self) -> bool:
        """Whether there is any variance."""
        return any(self.sds)

    @property
    def topics(self) -> int:
        """The number of all topics in the pilot."""
        return sum(self.sizes)

    @property
    def fewest(self) -> int:
        """The least number of topics, in this proportion, with two of each collection."""
        return math.ceil(2 * self.topics / min(self.sizes))

    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error of the mean of so many topics, and its degrees of freedom."""
        sizes = np.array(self.sizes) * topics / self.topics
        variances = sizes * (np.array(self.sds) * self.factor) ** 2 / topics**2
        total = float(variances.sum())
        shares = variances / total
        return math.sqrt(total), float(1 / (shares**2 / (sizes - 1)).sum())

    def upper(self) -> "Spread":
        """Return the spread if variances are as large as their upper limit, as `sd_limit` has it.

        The degrees of freedom of the pilot are Satterthwaite's.
        """
        _, df = self.se_and_df(self.topics)
        return replace(self, factor=self.factor * math.sqrt(df / float(chdtri(df, CONFIDENCE))))

    def half_width(self, topics: int, level: float) -> float:
        """Return half the width of the interval of so many topics."""
        se, df = self.se_and_df(topics)
        return float(stdtrit(df, (1 + level) / 2)) * se

    def topics_for_half_width(
        self, target: float, level: float, assurance: float | None = None
    ) -> int | None:
        """Return the smallest number of topics whose interval is no wider than ±target, or None.

        `assurance` is as in `topics_for_half_width`.
        """

        def is_enough(topics: int) -> bool:
            width = self.half_width(topics, level)
            if assurance is None:
                return width <= target
            _, df = self.se_and_df(topics)
            return float(gammaincc(df / 2, df / 2 * (target / width) ** 2)) <= 1 - assurance

        return _smallest(is_enough, self.fewest)

    def power(self, topics: int, difference: float, level: float) -> float:
        """Return the probability that a two-sided t test of so many topics finds a difference."""
        se, df = self.se_and_df(topics)
        return power_of_t(df, difference / se, level)

    def topics_for_power(self, difference: float, level: float, target: float) -> int | None:
        """Return the smallest number of topics that find a difference with power `target`."""
        return _smallest(
            lambda topics: self.power(topics, difference, level) >= target, self.fewest
        )

    def detectable(self, topics: int, level: float, target: float) -> float:
        """Return the smallest difference that so many topics find with power `target`."""
        se, df = self.se_and_df(topics)
        return _least_shift(lambda shift: power_of_t(df, shift, level) >= target) * se


def spread_of_runs(values: FloatArray, strata: Sequence[int]) -> Spread:
    """Return how much a run's scores vary in each collection, of weighted values[topic, run]."""
    parts = np.split(values, np.cumsum(strata)[:-1])
    return Spread(tuple(sd_of_runs(part) for part in parts), tuple(strata))


def spread_of_differences(values: FloatArray, strata: Sequence[int]) -> Spread:
    """Return the same of the differences of two runs."""
    parts = np.split(values, np.cumsum(strata)[:-1])
    return Spread(tuple(sd_of_differences(part) for part in parts), tuple(strata))


def sd_of_runs(values: FloatArray) -> float:
    """Return the standard deviation over topics of a run's scores, values[topic, run].

    For several runs it is the root of their mean variance.
    """
    return _root_mean_square(Sample(values).sd)


def sd_of_differences(values: FloatArray) -> float:
    """Return the standard deviation over topics of the differences of two runs, values[topic, run].

    The variance is twice the residual mean square of the two-way analysis (topic and run). For two
    runs that is the variance of their differences, for several its mean over all pairs of runs.
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


def sd_limit(sd: float, topics: int) -> float:
    """Return the upper limit s√(ν/χ²) of a standard deviation s that was estimated from `topics`.

    χ² is its lower 20% point with ν = n-1 degrees of freedom, however many runs s is of: runs share
    their topics, and what is a hard topic for one is hard for most.
    """
    freedom = topics - 1
    return sd * math.sqrt(freedom / float(chdtri(freedom, CONFIDENCE)))


def _root_mean_square(values: FloatArray) -> float:
    unit = values.max() or 1.0
    return float(unit * np.sqrt(((values / unit) ** 2).mean()))
