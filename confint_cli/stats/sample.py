"""What an interval method gets: columns of scores, their moments, and their bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.exact import power_of_two_above
from confint_cli.common.ties import LAST_BITS
from confint_cli.scores.design import PLAIN, Design

_CELLS = 1 << 16  # numbers that are worked on at a time


class Bootstrap(Protocol):
    """What methods ask of a bootstrap of each column: means m* of topics drawn with replacement.

    Quantiles are at p [level, column], or [level, 1] for all columns alike, and come as
    [level, column]. Errors are Monte Carlo standard errors, 0 where nothing is random.
    """

    @property
    def number(self) -> float:
        """The number B of resamples; infinite, if the distribution itself is known."""

    @property
    def rounding(self) -> FloatArray:
        """How far off zero deviations m* - m may be that are zero on paper, [column]."""

    @property
    def drawn(self) -> BoolArray:
        """Which columns have quantiles of z* from random numbers, [column]."""

    @property
    def share_below(self) -> FloatArray:
        """The share of m* below m, ties counted half, [column]; it is never 0 or 1."""

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return quantiles of m* - m."""

    def quantile_error(self, p: FloatArray, sd: FloatArray | None = None) -> FloatArray:
        """Return the errors of these; `sd` is that of p, if p has an error of its own."""

    def studentized_quantile(self, p: FloatArray) -> FloatArray:
        """Return quantiles of z* = (m* - m)/se*."""

    def studentized_error(self, p: FloatArray) -> FloatArray:
        """Return the errors of these."""

    def logit_moments(self, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and sd of logit(m*), m* of 0 and 1 left out; `mean` is m; all [column]."""

    def logit_shape(self, mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return skewness and kurtosis of logit(m*), and how many m* are not left out, [column]."""


def equal_but_for_rounding(
    lowest: FloatArray, highest: FloatArray, sizes: FloatArray | None = None
) -> BoolArray:
    """Return in which columns scores from `lowest` to `highest` differ in their last bits only.

    All arrays have the same shape. `sizes` is how large the numbers are that the scores were
    computed from; without it, the scores themselves decide what their last bits are.
    """
    largest = np.maximum(np.abs(lowest), np.abs(highest)) if sizes is None else sizes
    equal: BoolArray = highest - lowest <= LAST_BITS * largest
    return equal


def _centred(columns: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the mean of each row of columns[column, topic], from which it is taken off in place.

    The first score is taken off before, so that equal scores have exactly their own mean and a
    large offset costs no digits. With `weights` [topic], 1 on average, a score loses the mean
    times its weight.
    """
    if weights is None:
        first = columns[:, :1].copy()
        columns -= first
        shift = columns.mean(axis=1, keepdims=True)
        columns -= shift
    else:
        first = columns[:, :1] / weights[0]
        columns -= first * weights
        shift = columns.mean(axis=1, keepdims=True)
        columns -= shift * weights
    mean: FloatArray = (first + shift)[:, 0]
    return mean


def inflation(weights: FloatArray | None, rows: int) -> FloatArray | float:
    """Return by how much squared deviations of rows are too small: n/(n-1), or a of each, [row].

    With weights w, a = 1/(1 - w/n): the CR2 correction of Bell and McCaffrey for a mean.
    """
    if rows == 1:
        return np.nan
    if weights is None:
        return rows / (rows - 1)
    factors: FloatArray = 1 / (1 - weights / rows)
    return factors


def freedom(weights: FloatArray | None, rows: int) -> float:
    """Return the degrees of freedom of the variance of a mean: n-1, or Bell and McCaffrey's.

    With weights w, shares q = w/n and a = 1/(1-q), these are 1/(Σ(aq)² - 2Σa²q³ + (Σaq²)²).
    """
    if weights is None or rows == 1:
        return rows - 1.0
    q = weights / rows
    a = 1 / (1 - q)
    df = 1 / (((a * q) ** 2).sum() - 2 * (a**2 * q**3).sum() + (a * q**2).sum() ** 2)
    return float(df)


@dataclass(frozen=True)
class RepeatVariance:
    """What repeats of systems, such as training seeds, add to the variance of means, [column]."""

    added: FloatArray  # to the variance of the mean
    root: FloatArray  # of the sum of squares of mean squares behind it, each over its freedom
    fewest: Positions  # repeats of the system that has the fewest

    def columns(self, chosen: slice | BoolArray | Positions) -> "RepeatVariance":
        """Return that of some of the columns."""
        return RepeatVariance(self.added[chosen], self.root[chosen], self.fewest[chosen])

    @classmethod
    def beside(cls, blocks: "Sequence[RepeatVariance]") -> "RepeatVariance":
        """Return that of the columns of all blocks, one beside the other."""
        return cls(
            np.concatenate([block.added for block in blocks]),
            np.concatenate([block.root for block in blocks]),
            np.concatenate([block.fewest for block in blocks]),
        )


@dataclass(frozen=True)
class Sample:
    """Scores of columns (runs by measures, or pairs of runs) on the same topics.

    Of one topic there is no sd: it is NaN, and so is the se.

    With strata in its `design`, the topics are of several collections: deviations are from the mean
    of the own collection, se and df are those of independent samples after Welch and Satterthwaite,
    and there is no one sd. With groups of different sizes, what is called a topic here is a group:
    deviations are from as many means as it has topics, se and df are CR2's with Bell and
    McCaffrey's degrees of freedom, and there is no sd either.
    """

    scores: FloatArray  # [topic, column]
    bootstrap: Bootstrap | None = None  # of these columns, for the methods that need it
    population_sd: FloatArray | None = None  # [column], where the whole population is at hand
    # [column]: how large the numbers are that the scores are differences of, if they are.
    sizes: FloatArray | None = None
    design: Design = PLAIN  # how the topics were drawn
    repeats: RepeatVariance | None = None  # what repeats add to the variance of the mean

    def columns(self, chosen: slice | BoolArray | Positions) -> "Sample":
        """Return the sample of some of the columns, without a bootstrap."""
        population_sd, sizes = (
            None if by_column is None else by_column[chosen]
            for by_column in (self.population_sd, self.sizes)
        )
        return Sample(
            self.scores[:, chosen],
            population_sd=population_sd,
            sizes=sizes,
            design=self.design,
            repeats=self.repeats and self.repeats.columns(chosen),
        )

    @property
    def topics(self) -> int:
        """The number n of topics."""
        return len(self.scores)

    @property
    def strata(self) -> tuple[int, ...]:
        """The number of topics of each collection; empty: there is one."""
        return self.design.strata

    @property
    def fewest(self) -> int:
        """The number of topics of the smallest collection."""
        return min(self.strata, default=self.topics)

    @cached_property
    def slices(self) -> list[slice]:
        """The rows of each collection; of one, all."""
        return self.design.slices(self.topics)

    @cached_property
    def centre(self) -> tuple[FloatArray, FloatArray]:
        """The mean m of each column, [column], and x - m, [column, topic]; m of the collection.

        Each column is summed by itself, so that it gives the same to the last bit whatever stands
        beside it.
        """
        columns = np.array(self.scores.T, order="C")  # one copy, changed in place: it may be large
        means = [_centred(columns[:, rows], self.design.weights(rows)) for rows in self.slices]
        if not self.strata:
            return means[0], columns
        sums = [size * mean for size, mean in zip(self.strata, means, strict=True)]
        return np.sum(sums, axis=0) / self.topics, columns

    @property
    def mean(self) -> FloatArray:
        """The mean m of each column, [column]."""
        return self.centre[0]

    @property
    def deviations(self) -> FloatArray:
        """The differences x - m, [column, topic]."""
        return self.centre[1]

    @cached_property
    def unit(self) -> FloatArray:
        """A power of two about as large as the largest deviation, [column].

        Squares and cubes of shares of it are safe; those of very small or large scores themselves
        would underflow or overflow.
        """
        return power_of_two_above(
            np.maximum(self.deviations.max(axis=1), -self.deviations.min(axis=1))
        )

    @cached_property
    def shares(self) -> FloatArray:
        """The deviations as shares of the unit, from -1 to 1, [column, topic]."""
        shares: FloatArray = self.deviations / self.unit[:, None]
        return shares

    @cached_property
    def sd(self) -> FloatArray:
        """The standard deviation s, with n-1, [column]; 0 where all scores are equal.

        Several collections have none in common, nor have groups of different sizes: it is NaN, as
        of one topic.
        """
        if self.topics == 1 or not self.design.counts_alike:
            return np.full(len(self.mean), np.nan)
        variance = self._sums_of_squares() / (self.topics - 1)
        return np.where(self.constant, 0.0, self.unit * np.sqrt(variance))

    def _sums_of_squares(self) -> FloatArray:
        """Return the sum of the squared shares of each column, [column]."""
        sums = np.empty(len(self.mean))
        for block in self.blocks():
            sums[block] = ((self.deviations[block] / self.unit[block, None]) ** 2).sum(axis=1)
        return sums

    def blocks(self) -> Iterator[slice]:
        """Yield slices of columns to work on at a time: copies of all of them may be too large."""
        width = max(1, _CELLS // self.topics)
        for start in range(0, self.scores.shape[1], width):
            yield slice(start, start + width)

    @cached_property
    def skewness(self) -> FloatArray:
        """The third moment over the second to the power of 1.5, [column]; NaN without variance."""
        moments = np.empty((2, len(self.mean)))
        for block in self.blocks():
            shares = self.deviations[block] / self.unit[block, None]
            squares = shares**2
            moments[:, block] = squares.mean(axis=1), (squares * shares).mean(axis=1)
        second, third = moments
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.constant, np.nan, third / second**1.5)

    @cached_property
    def se(self) -> FloatArray:
        """The standard error of the mean, [column]: that of topics, with that of repeats if any."""
        if self.repeats is None:
            return self.se_of_topics
        return np.sqrt(self.se_of_topics**2 + self.repeats.added)

    @property
    def repeat_share(self) -> FloatArray:
        """The share of the variance of the mean that more topics would not remove, [column]."""
        if self.repeats is None:
            return np.zeros(len(self.mean))
        with np.errstate(divide="ignore", invalid="ignore"):
            share: FloatArray = self.repeats.added / self.se**2
        return share

    @cached_property
    def se_of_topics(self) -> FloatArray:
        """The standard error s/√n, [column]; of other designs √Σv, v as in `variances`."""
        if not self.design.counts_alike:
            of_all: FloatArray = self.unit * np.sqrt(self.variances.sum(axis=0))
            return of_all if self.fewest == 1 else np.where(self.constant, 0.0, of_all)
        se: FloatArray = self.sd / np.sqrt(self.topics)
        return se

    @cached_property
    def variances(self) -> FloatArray:
        """What each collection adds to the variance of the mean, in squared units.

        It is [collection, column], v = n·s²/N² of n weighted scores with variance s², of N in all;
        NaN for a collection of one topic. Of groups of different sizes, it is Σae²/N² with
        deviations e and a as in `inflation`.
        """
        parts = []
        for rows in self.slices:
            size = rows.stop - rows.start
            sums = np.empty(len(self.mean))
            factor = inflation(self.design.weights(rows), size)
            for block in self.blocks():
                squares = (self.deviations[block, rows] / self.unit[block, None]) ** 2
                if isinstance(factor, float):
                    sums[block] = squares.sum(axis=1) * factor
                else:
                    sums[block] = (squares * factor).sum(axis=1)
            parts.append(sums / self.topics**2)
        return np.array(parts)

    @cached_property
    def freedoms(self) -> FloatArray:
        """The degrees of freedom of the variance of each collection, [collection]."""
        return np.array(
            [freedom(self.design.weights(rows), rows.stop - rows.start) for rows in self.slices]
        )

    @cached_property
    def df(self) -> FloatArray:
        """The degrees of freedom of the se, [column], after Satterthwaite if it has several parts.

        These are the squared variance over the sum of the squared parts over their own.
        """
        if self.repeats is None:
            return self.df_of_topics
        with np.errstate(divide="ignore", invalid="ignore"):
            own = (self.se_of_topics / self.se) ** 2
            df = 1 / (own**2 / self.df_of_topics + (self.repeats.root / self.se / self.se) ** 2)
        # A difference of nearly equal mean squares would have next to none.
        return np.where(self.repeats.root > 0, np.maximum(df, 1.0), self.df_of_topics)

    @cached_property
    def df_of_topics(self) -> FloatArray:
        """The degrees of freedom of the se of topics, [column]: `freedom`, or Satterthwaite's.

        These are (Σv)²/Σ(v²/(n-1)), with v and n of each collection.
        """
        if not self.strata:
            return np.full(len(self.mean), self.freedoms[0])
        free = self.freedoms[:, None]
        total = self.variances.sum(axis=0)
        varies = total > 0
        shares = self.variances / np.where(varies, total, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = 1 / (shares**2 / free).sum(axis=0)
        satterthwaite: FloatArray = np.where(varies, df, free.sum())
        return satterthwaite if self.fewest > 1 else np.full(len(self.mean), np.nan)

    @cached_property
    def constant(self) -> BoolArray:
        """Which columns have no variance, [column]: all scores are equal, but for the last bits.

        Those of several collections need to be equal within each, and repeats not to differ.
        """
        if self.design.counts_alike:
            constant = equal_but_for_rounding(*self.bounds, self.sizes)
        else:
            constant = np.logical_and.reduce(self.constant_parts, axis=0)
        return constant if self.repeats is None else constant & (self.repeats.added == 0)

    @cached_property
    def constant_parts(self) -> BoolArray:
        """In which collections all scores of a column are equal, [collection, column]."""
        sizes = self.sizes
        if sizes is not None and self.design.sizes is not None:
            least = min(float(own.min()) for own in map(self.design.weights, self.slices)
                        if own is not None)  # fmt: skip
            sizes = sizes / least
        return np.array(
            [
                equal_but_for_rounding(
                    self.row_means[rows].min(axis=0), self.row_means[rows].max(axis=0), sizes
                )
                for rows in self.slices
            ]
        )

    @cached_property
    def row_means(self) -> FloatArray:
        """The scores [topic, column], of groups of different sizes the means of their topics."""
        if self.design.sizes is None:
            return self.scores
        weights = np.concatenate([self.design.weights(rows) for rows in self.slices])
        means: FloatArray = self.scores / weights[:, None]
        return means

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest mean that topics of each column can have, [column] each.

        Of one collection, these are the smallest and the largest score.
        """
        if not self.strata:
            return self.row_means.min(axis=0), self.row_means.max(axis=0)
        low, high = np.zeros(len(self.mean)), np.zeros(len(self.mean))
        for rows in self.slices:
            share = (rows.stop - rows.start) / self.topics
            low += share * self.row_means[rows].min(axis=0)
            high += share * self.row_means[rows].max(axis=0)
        return low, high

    @property
    def largest(self) -> FloatArray:
        """The largest score of each column, whatever its sign, or its `sizes` if it has any."""
        if self.sizes is not None:
            return self.sizes
        if not self.design.counts_alike:
            largest: FloatArray = np.abs(self.scores).max(axis=0)
            return largest
        farther: FloatArray = np.maximum(*map(np.abs, self.bounds))
        return farther

    @property
    def rounding(self) -> FloatArray:
        """By how much scores that are equal on paper may differ, [column], rather too much.

        Decimals are not exact in binary.
        """
        return 4 * np.finfo(float).eps * self.largest

    def within_range(self, values: FloatArray) -> FloatArray:
        """Return the values [level, column], clipped to the range of each column's scores.

        Means of resamples never leave it, but for their last bits.
        """
        return values.clip(*self.bounds)

    def no_more_than_range(self, errors: FloatArray) -> FloatArray:
        """Return the errors [level, column], none larger than the range of the column's scores."""
        low, high = self.bounds
        return np.minimum(errors, high - low)

    @property
    def known_sd(self) -> FloatArray:
        """The population's standard deviation, [column], for a method that has asked for it."""
        assert self.population_sd is not None  # as the method's record asks for it
        return self.population_sd

    @property
    def resampled(self) -> Bootstrap:
        """The bootstrap, for a method that has asked for it."""
        assert self.bootstrap is not None  # as the method's record asks for it
        return self.bootstrap
