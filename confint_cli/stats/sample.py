"""What a method gets: scores, and the bootstrap of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.exact import power_of_two_above
from confint_cli.common.ties import LAST_BITS
from confint_cli.stats.quantiles import Ordered

_CELLS = 1 << 16  # shares that are worked on at a time


@dataclass(frozen=True)
class Bootstrap:
    """What the resamples of each column of scores gave."""

    deviations: Ordered  # [column, resample]: m* - m
    studentized: Ordered | None  # [column, resample]: z* = (m* - m)/se*
    rounding: FloatArray  # [column]: deviations no larger than this are zero

    @property
    def number(self) -> int:
        """The number B of resamples."""
        return self.deviations.number


def equal_but_for_rounding(
    lowest: FloatArray, highest: FloatArray, sizes: FloatArray | None = None
) -> BoolArray:
    """Say whether scores from the lowest to the highest differ in their last bits only.

    `sizes` is how large the numbers were that they were computed from, if they were.
    """
    largest = np.maximum(np.abs(lowest), np.abs(highest)) if sizes is None else sizes
    equal: BoolArray = highest - lowest <= LAST_BITS * largest
    return equal


@dataclass(frozen=True)
class Sample:
    """Scores of columns (runs by measures) on the same topics; of one topic there is no sd."""

    scores: FloatArray  # [topic, column]
    bootstrap: Bootstrap | None = None  # of these columns, for the methods that need it
    population_sd: FloatArray | None = None  # [column], where the whole population is at hand
    sizes: FloatArray | None = None  # [column]: of numbers that the scores are differences of

    def columns(self, here: slice | BoolArray) -> "Sample":
        """Return some of the columns, without a bootstrap."""
        known, sizes = (
            None if of_columns is None else of_columns[here]
            for of_columns in (self.population_sd, self.sizes)
        )
        return Sample(self.scores[:, here], population_sd=known, sizes=sizes)

    @property
    def topics(self) -> int:
        """The number n of topics."""
        return len(self.scores)

    @cached_property
    def centre(self) -> tuple[FloatArray, FloatArray]:
        """The mean m of each column, and x - m, [column, topic].

        Each column is summed by itself, so that it gives the same to the last bit whatever stands
        beside it, and less its first score, so that equal scores have exactly their own mean and
        a large offset costs no digits.
        """
        columns = np.array(self.scores.T, order="C")  # one copy, changed in place: it may be large
        first = columns[:, :1].copy()
        columns -= first
        shift = columns.mean(axis=1, keepdims=True)
        columns -= shift
        return (first + shift)[:, 0], columns

    @property
    def mean(self) -> FloatArray:
        """The mean m of each column."""
        return self.centre[0]

    @property
    def deviations(self) -> FloatArray:
        """The differences x - m, [column, topic]."""
        return self.centre[1]

    @cached_property
    def unit(self) -> FloatArray:
        """A power of two about as large as the largest deviation: squares of shares of it are safe.

        The squares and cubes of very small or large scores themselves would not be.
        """
        return power_of_two_above(
            np.maximum(self.deviations.max(axis=1), -self.deviations.min(axis=1))
        )

    @cached_property
    def shares(self) -> FloatArray:
        """The deviations as shares of the unit, from -1 to 1."""
        shares: FloatArray = self.deviations / self.unit[:, None]
        return shares

    @cached_property
    def sd(self) -> FloatArray:
        """The standard deviation s, with n-1; 0 where all scores are equal."""
        if self.topics == 1:
            return np.full(len(self.mean), np.nan)
        variance = self._sums_of_squares() / (self.topics - 1)
        return np.where(self.constant, 0.0, self.unit * np.sqrt(variance))

    def _sums_of_squares(self) -> FloatArray:
        """Return the sum of the squared shares of each column."""
        sums = np.empty(len(self.mean))
        for here in self.blocks():
            sums[here] = ((self.deviations[here] / self.unit[here, None]) ** 2).sum(axis=1)
        return sums

    def blocks(self) -> Iterator[slice]:
        """Yield some columns at a time: copies of all pairs of some hundred runs would be large."""
        width = max(1, _CELLS // self.topics)
        for start in range(0, self.scores.shape[1], width):
            yield slice(start, start + width)

    @cached_property
    def skewness(self) -> FloatArray:
        """The third moment over the second to the power of 1.5; missing without variance."""
        moments = np.empty((2, len(self.mean)))
        for here in self.blocks():
            shares = self.deviations[here] / self.unit[here, None]
            squares = shares**2
            moments[:, here] = squares.mean(axis=1), (squares * shares).mean(axis=1)
        second, third = moments
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.constant, np.nan, third / second**1.5)

    @property
    def se(self) -> FloatArray:
        """The standard error s/√n."""
        se: FloatArray = self.sd / np.sqrt(self.topics)
        return se

    @cached_property
    def constant(self) -> BoolArray:
        """Which columns have no variance: all scores equal, but for the last bits."""
        return equal_but_for_rounding(*self.bounds, self.sizes)

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest score of each column."""
        return self.scores.min(axis=0), self.scores.max(axis=0)

    @property
    def largest(self) -> FloatArray:
        """The largest score of each column, whatever its sign, or what they are computed from."""
        largest: FloatArray = np.maximum(*map(np.abs, self.bounds))
        return largest if self.sizes is None else self.sizes

    @property
    def rounding(self) -> FloatArray:
        """What decimals that are not exact in binary may put a score off, several times over."""
        return 4 * np.finfo(float).eps * self.largest

    def within_range(self, values: FloatArray) -> FloatArray:
        """Return values [level, column] that are no smaller or larger than any score.

        Means of resamples never are; their last bits may be.
        """
        return values.clip(*self.bounds)

    def no_more_than_range(self, errors: FloatArray) -> FloatArray:
        """Return errors [level, column] of such values: none is larger than the scores' range."""
        low, high = self.bounds
        return np.minimum(errors, high - low)

    @property
    def known_sd(self) -> FloatArray:
        """The population's standard deviation, for a method that has asked for it."""
        assert self.population_sd is not None  # as the method's record asks for it
        return self.population_sd

    @property
    def resampled(self) -> Bootstrap:
        """The bootstrap, for a method that has asked for it."""
        assert self.bootstrap is not None  # as the method's record asks for it
        return self.bootstrap
