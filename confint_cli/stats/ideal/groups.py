"""The distribution of a mean over topics whose groups are drawn, and are of different sizes.

The mean of a resample is a ratio, the sum of its scores over the number of its topics. It does not
exceed m + y if the sum of e - y·w over its groups does not exceed 0, where e is the deviation of a
group and w its weight: a sum of independent terms, whose distribution is that of `mean.py`. So the
distribution function is known at any y, and a quantile is where it reaches p. Resamples of few
groups are enumerated.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.ideal.column import Column
from confint_cli.stats.ideal.enumeration import (
    MOST,
    Atoms,
    can_enumerate,
    compositions,
    enumerated_means,
    in_order,
)
from confint_cli.stats.ideal.mean import MeanDistribution, mean_distribution

_STEPS = 60  # of bisection, at most
_CLOSE = 1e-7  # of the range that a quantile is looked for in: as close as it has to be found


@dataclass(frozen=True)
class ColumnOfGroups:
    """A column of groups of different sizes, not all of which have the same mean."""

    shares: FloatArray  # [group]: deviations from as many means as the group has topics, in a unit
    unit: float  # of the shares
    weights: FloatArray  # [group]: their sizes, 1 on average


@dataclass(frozen=True)
class RatioDistribution:
    """The distribution of m* - m of many groups."""

    column: ColumnOfGroups

    @property
    def resolution(self) -> float:
        """How far off a value with a probability of its own may be."""
        low, high = self._range
        return _CLOSE * (high - low)

    @cached_property
    def _range(self) -> tuple[float, float]:
        """The least and the largest value: resamples of one group only."""
        ratios = self.column.shares / self.column.weights * self.column.unit
        return float(ratios.min()), float(ratios.max())

    @cached_property
    def share_below(self) -> float:
        """The probability of values below 0, and half of that of 0."""
        return _sums(self.column.shares).share_below

    def below(self, value: float) -> float:
        """Return the probability that m* - m does not exceed a value."""
        terms = self.column.shares - value / self.column.unit * self.column.weights
        mean = float(terms.mean())
        return _reached(_sums(terms - mean), -mean)

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return the quantiles at p [level]: where the probability reaches p."""
        return np.array([self._quantile(float(level)) for level in p])

    def _quantile(self, p: float) -> float:
        """Return one quantile, by bisection with a secant where it shortens the way."""
        low, high = self._range
        close = _CLOSE * (high - low)
        below_low, below_high = 0.0, 1.0
        for step in range(_STEPS):
            if high - low <= close:
                break
            middle = (low + high) / 2
            if step % 3:  # else an end that stays put slows it down
                secant = low + (high - low) * (p - below_low) / (below_high - below_low)
                margin = 0.01 * (high - low)
                middle = min(max(secant, low + margin), high - margin)
            reached = self.below(middle)
            if reached < p:
                low, below_low = middle, reached
            else:
                high, below_high = middle, reached
        return (low + high) / 2


def distribution_over_groups(column: ColumnOfGroups) -> Atoms | RatioDistribution:
    """Return the distribution of m* - m."""
    groups = len(column.shares)
    if comb(2 * groups - 1, groups) > MOST:
        return RatioDistribution(column)
    counts, logarithm = compositions(groups, groups)
    total = sum(count * share for count, share in zip(counts, column.shares, strict=True))
    weight = sum(count * own for count, own in zip(counts, column.weights, strict=True))
    probability = np.exp(logarithm - groups * np.log(groups))
    means = np.asarray(total / weight * column.unit)
    means[np.abs(means) <= 1e-12 * np.abs(means).max()] = 0.0
    return in_order(means, probability / probability.sum())


def _sums(terms: FloatArray) -> Atoms | MeanDistribution:
    """Return the distribution of means of terms [group] drawn with replacement, less their mean."""
    column = Column.of(np.sort(terms), 1.0)
    return enumerated_means(column) if can_enumerate(column) else mean_distribution(column)


def _reached(distribution: Atoms | MeanDistribution, value: float) -> float:
    """Return the probability that a distribution does not exceed a value."""
    if isinstance(distribution, Atoms):
        slack = 1e-12 * float(np.abs(distribution.points).max())
        return float(distribution.probabilities[distribution.points <= value + slack].sum())
    cumulative = distribution.cumulative
    place = (value - distribution.first) / distribution.step
    if distribution.lattice:
        at = int(np.floor(place + 1e-6))
        return float(cumulative[min(at, len(cumulative) - 1)]) if at >= 0 else 0.0
    return float(
        np.interp(place, np.arange(len(cumulative)) + 0.5, cumulative, left=0.0, right=1.0)
    )
