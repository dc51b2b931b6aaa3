"""The bootstrap of few distinct scores, or of few topics: all resamples, with their probabilities.

A resample of n topics with k distinct scores is how often it has each of them. There are
C(n+k-1, k-1) such compositions, and a multinomial distribution has their probabilities (Fisher and
Hall, Bootstrap algorithms for small samples, Journal of Statistical Planning and Inference, 1991).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from scipy.special import gammaln

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.ideal.column import NEARLY, Column

MOST = 30_000  # compositions that are enumerated
_MOST_VALUES = 12  # of more there are too many, but for very few topics
_MOST_OF_TWO = 1 << 20  # of two distinct scores, which have one more than there are topics
_SAME = 1e-12  # of the largest deviation: a mean that is no larger is 0 on paper


@dataclass(frozen=True)
class Atoms:
    """A distribution of single values in ascending order."""

    points: FloatArray
    probabilities: FloatArray

    @property
    def resolution(self) -> float:
        """How far off a value may be: not at all."""
        return 0.0

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return the least values that are not exceeded with probability p, [level]."""
        cumulative = np.cumsum(self.probabilities)
        places = np.searchsorted(cumulative, p * NEARLY)
        quantiles: FloatArray = self.points[places.clip(0, len(self.points) - 1)]
        return quantiles

    @property
    def share_below(self) -> float:
        """The probability of values below 0, and half of that of 0."""
        below, tie = self.points < 0, self.points == 0
        return float(self.probabilities[below].sum() + self.probabilities[tie].sum() / 2)


def can_enumerate(column: Column) -> bool:
    """Say whether the resamples of a column have few enough compositions."""
    values = len(column.values)
    most = _MOST_OF_TWO if values == 2 else MOST
    return values <= _MOST_VALUES and comb(column.topics + values - 1, values - 1) <= most


def enumerated_means(column: Column) -> Atoms:
    """Return the distribution of m* - m."""
    total, _, probability = _outcomes(column)
    return in_order(total * (column.unit / column.topics), probability)


def enumerated_ratios(column: Column) -> Atoms:
    """Return the distribution of z* = (m* - m)/se*.

    A resample of one value alone has a z* of ±∞, or of 0 if it is m.
    """
    topics = column.topics
    total, squares, probability = _outcomes(column)
    counts, _ = compositions(topics, len(column.values))
    varies = np.max(counts, axis=0) < topics
    spread = np.sqrt(np.maximum(topics * squares - total**2, 0.0))
    ratio = np.where(total == 0, 0.0, np.copysign(np.inf, total))
    np.divide(total * np.sqrt(topics - 1), spread, out=ratio, where=varies & (spread > 0))
    return in_order(ratio, probability)


def _outcomes(column: Column) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the sums of shares and of their squares, and the probability, [composition] each."""
    topics = column.topics
    counts, ways = compositions(topics, len(column.values))
    logarithm, total, squares = ways.copy(), np.zeros(len(ways)), np.zeros(len(ways))
    for count, number, value in zip(counts, column.numbers, column.values, strict=True):
        logarithm += count * np.log(number / topics)
        total += count * value
        squares += count * value**2
    total[np.abs(total) <= _SAME * topics * np.abs(column.values).max()] = 0.0
    probability = np.exp(logarithm)
    return total, squares, probability / probability.sum()


def in_order(points: FloatArray, probabilities: FloatArray) -> Atoms:
    """Return the distribution of values in any order."""
    order = np.argsort(points, kind="stable")
    return Atoms(points[order], probabilities[order])


@lru_cache(maxsize=4)
def compositions(topics: int, values: int) -> tuple[list[FloatArray], FloatArray]:
    """Return how often each value is drawn, an array [composition] for each, and log n!/Πc!."""
    left, counts = np.array([topics]), list[np.ndarray]()
    for _ in range(values - 1):
        ways = left + 1
        origin = np.repeat(np.arange(len(left)), ways)
        taken = np.arange(len(origin)) - np.repeat(np.cumsum(ways) - ways, ways)
        counts = [count[origin] for count in counts] + [taken]
        left = left[origin] - taken
    counts.append(left)
    logarithm = gammaln(topics + 1) - sum(gammaln(count + 1) for count in counts)
    return [count.astype(float) for count in counts], logarithm
