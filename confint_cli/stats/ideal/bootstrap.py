"""The ideal bootstrap of columns of scores: which way each column takes, and what it gives.

Few distinct scores or few topics are enumerated. Of the others, m* is convolved, and z* has a
saddlepoint approximation. That is not to be trusted where one or a few topics carry the mean, or
of very few topics; the z* of such a column is resampled instead, many times, and `drawn` says so.
The rules stand in `_has_atoms` and `_by_saddlepoint`; docs/ideal.md has the errors that they leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.stats.ideal.column import AT_MEAN, Column
from confint_cli.stats.ideal.enumeration import (
    Atoms,
    can_enumerate,
    enumerated_means,
    enumerated_ratios,
)
from confint_cli.stats.ideal.groups import ColumnOfGroups, distribution_over_groups
from confint_cli.stats.ideal.mean import SMALLEST_TAIL, MeanDistribution, mean_distribution
from confint_cli.stats.ideal.strata import ColumnOfCollections, distribution_over_collections
from confint_cli.stats.ideal.studentized import quantiles, standardized
from confint_cli.stats.quantiles import tails
from confint_cli.stats.sample import Sample

MOST_RESAMPLES = 200_000  # of a column whose z* is resampled
_FEWER_RESAMPLES, _FEWEST_RESAMPLES = 10_000, 1000
_DRAWN = 50_000_000  # topics of all resamples together, about: that takes half a second
_MOST_DRAWN = 1_000_000_000  # the same, if `_FEWER_RESAMPLES` take more: ten seconds
_CHECKED = np.array([0.025, 0.975])
_HEAVY = 2.9  # |z*| at 0.025 or 0.975 from which on the saddlepoint is not trusted
_FEW_TOPICS = 15  # fewer have atoms that the saddlepoint does not know
_MANY_TOPICS = 25  # of fewer, a cluster with half of the topics makes atoms too
_FEW_CLUSTERS = 4  # of scores that are about the same, likewise
_LAST_BITS = 16 * np.finfo(float).eps
_FEW_OTHERS = 5  # topics that are not in the largest cluster, likewise


AnyColumn = Column | ColumnOfCollections | ColumnOfGroups
_RESAMPLED = (ColumnOfCollections, ColumnOfGroups)  # whose z* has no distribution without resamples


class Distribution(Protocol):
    """A distribution of m* - m."""

    @property
    def share_below(self) -> float:
        """The probability of values below 0, and half of that of 0."""

    @property
    def resolution(self) -> float:
        """How far off a value with a probability of its own may be."""

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return the quantiles at p [level]."""


PointByPoint = Atoms | MeanDistribution  # distributions whose values are known one by one


def resamples_for(topics: int) -> int:
    """Return how often a column of this many topics is resampled, if it has to be."""
    fewest = min(_FEWER_RESAMPLES, max(_FEWEST_RESAMPLES, _MOST_DRAWN // topics))
    return max(fewest, min(_DRAWN // topics, MOST_RESAMPLES))


@dataclass(frozen=True)
class Ratios:
    """Quantiles of z* of each column at the p [level] of some levels."""

    p: FloatArray
    values: FloatArray  # [level, column]
    errors: FloatArray  # [level, column]: Monte Carlo standard errors
    drawn: BoolArray  # [column]: whether they come from resamples

    def columns(self, chosen: slice) -> "Ratios":
        """Return those of some of the columns."""
        values, errors = self.values[:, chosen], self.errors[:, chosen]
        return Ratios(self.p, values, errors, self.drawn[chosen])

    def at(self, p: FloatArray) -> Positions:
        """Return the places of p [level, 1] among those that are known."""
        places: Positions = np.abs(self.p - p).argmin(axis=1)
        assert (self.p[places] == p[:, 0]).all()  # as they are of the levels asked for
        return places


@dataclass(frozen=True)
class IdealBootstrap:
    """The distribution of m* of each column, and quantiles of z*, without random numbers."""

    distributions: Sequence[Distribution | None]  # of m* - m by column; None: all scores are equal
    scores: FloatArray  # [topic, column]
    rounding: FloatArray  # [column]
    ratios: Ratios | None

    @classmethod
    def of(
        cls, sample: Sample, columns: Sequence[AnyColumn | None], ratios: Ratios | None = None
    ) -> "IdealBootstrap":
        """Return the bootstrap of a sample, which has these columns; `ratios`, if z* is needed."""
        distributions = [None if column is None else _distribution(column) for column in columns]
        resolution = np.array([0.0 if each is None else each.resolution for each in distributions])
        rounding = sample.rounding + sample.unit * _LAST_BITS + resolution
        return cls(distributions, sample.scores, rounding, ratios)

    @property
    def number(self) -> float:
        """The number of resamples that it stands for."""
        return np.inf

    @property
    def drawn(self) -> BoolArray:
        """Which columns have quantiles of z* from random numbers, [column]."""
        return (
            np.zeros(len(self.rounding), dtype=bool) if self.ratios is None else self.ratios.drawn
        )

    @cached_property
    def share_below(self) -> FloatArray:
        """The probability of m* below m, ties counted half, [column]."""
        return np.array(
            [0.5 if each is None else each.share_below for each in self.distributions]
        ).clip(np.finfo(float).tiny, 1 - np.finfo(float).epsneg)

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return quantiles of m* - m at p [level, column], or [level, 1] for all columns."""
        p = p.clip(SMALLEST_TAIL, 1 - SMALLEST_TAIL)
        p = np.broadcast_to(p, (len(p), len(self.rounding)))
        none = np.zeros(len(p))
        return np.stack(
            [
                none if each is None else each.quantile(own)
                for each, own in zip(self.distributions, p.T, strict=True)
            ],
            axis=1,
        )

    def quantile_error(self, p: FloatArray, sd: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return the Monte Carlo errors of these: none."""
        return np.zeros((len(p), len(self.rounding)))

    def studentized_quantile(self, p: FloatArray) -> FloatArray:
        """Return quantiles of z* at p [level, 1], of a level that was asked for."""
        return self._ratios.values[self._ratios.at(p)]

    def studentized_error(self, p: FloatArray) -> FloatArray:
        """Return the Monte Carlo standard errors of these."""
        return self._ratios.errors[self._ratios.at(p)]

    @property
    def _ratios(self) -> Ratios:
        assert self.ratios is not None  # as the method's record asks for it
        return self.ratios

    def logit_moments(self, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and sd of logit(m*), m* of 0 and 1 left out; `mean` is m; all [column]."""
        moments = [
            _logit_moments(each, own_mean, scores)
            if isinstance(each, PointByPoint)  # groups of topics have no logit interval
            else (0.0, 0.0)
            for each, own_mean, scores in zip(self.distributions, mean, self.scores.T, strict=True)
        ]
        centre, spread = np.array(moments).reshape(-1, 2).T
        return centre, spread

    def logit_shape(self, mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return skewness and kurtosis of logit(m*), as of no use, and infinitely many m*."""
        zeros = np.zeros(len(mean))
        return zeros, zeros, np.full(len(mean), np.inf)


def _logit_moments(
    distribution: PointByPoint, mean: float, scores: FloatArray
) -> tuple[float, float]:
    """Return mean and sd of logit(m*) of scores [topic] from 0 to 1 that are not all equal.

    m* of 0 and 1 are left out, and so is what comes to lie beyond half of the least m* above 0,
    and likewise below 1.
    """
    means, probabilities = mean + distribution.points, distribution.probabilities
    lowest, highest = scores[scores > 0].min(), scores[scores < 1].max()
    least, most = lowest / len(scores), 1 - (1 - highest) / len(scores)
    inside = (means > least / 2) & (means < (1 + most) / 2)
    means, probabilities = means[inside], probabilities[inside]
    logits = np.log(means / (1 - means))
    total = probabilities.sum()
    centre = (probabilities * logits).sum() / total
    variance = (probabilities * (logits - centre) ** 2).sum() / total
    return float(centre), float(np.sqrt(max(variance, 0.0)))


def columns_of(sample: Sample) -> list[AnyColumn | None]:
    """Return the columns of a sample; None for one without variance."""
    if sample.design.sizes is not None:
        weights = sample.design.weights(slice(sample.topics))
        assert weights is not None
        return [
            None if constant else ColumnOfGroups(shares, float(unit), weights)
            for shares, unit, constant in zip(
                sample.shares, sample.unit, sample.constant, strict=True
            )
        ]
    if sample.strata:
        return [
            None if constant else ColumnOfCollections(shares, float(unit), sample.strata)
            for shares, unit, constant in zip(
                sample.shares, sample.unit, sample.constant, strict=True
            )
        ]
    in_order = np.sort(sample.shares, axis=1)
    return [
        None if constant else Column.of(shares, float(unit))
        for shares, unit, constant in zip(in_order, sample.unit, sample.constant, strict=True)
    ]


def _distribution(column: AnyColumn) -> Distribution:
    """Return the distribution of m* - m: enumerated if it can be, else convolved."""
    if isinstance(column, ColumnOfCollections):
        return distribution_over_collections(column)
    if isinstance(column, ColumnOfGroups):
        return distribution_over_groups(column)
    return enumerated_means(column) if can_enumerate(column) else mean_distribution(column)


def ratios_without_resamples(
    sample: Sample, columns: Sequence[AnyColumn | None], levels: FloatArray
) -> Ratios:
    """Return the quantiles of z* for limits at these levels, as far as they need no resamples.

    `drawn` are the columns that do: all of several collections, or of groups of different sizes.
    Columns without variance have 0.
    """
    p = np.vstack(tails(levels))[:, 0]
    values = np.zeros((len(p), len(columns)))
    smooth, drawn = (np.zeros(len(columns), dtype=bool) for _ in range(2))
    for place, column in enumerate(columns):
        if isinstance(column, _RESAMPLED):
            drawn[place] = True
        elif column is not None and can_enumerate(column):
            values[:, place] = enumerated_ratios(column).quantile(p)
        elif column is not None:
            drawn[place] = _has_atoms(column)
            smooth[place] = not drawn[place]
    if smooth.any():
        chosen = [column for column, is_smooth in zip(columns, smooth, strict=True)
                  if is_smooth and column is not None
                  and not isinstance(column, _RESAMPLED)]  # fmt: skip
        values[:, smooth], trusted = _by_saddlepoint(sample.shares[smooth], chosen, p)
        drawn[smooth] = ~trusted
    return Ratios(p, values, np.zeros_like(values), drawn)


def _has_atoms(column: Column) -> bool:
    """Say whether resamples have so few different z* that they can be told apart."""
    few_clusters = len(column.in_clusters) <= _FEW_CLUSTERS
    most = max(column.in_clusters.max(), column.numbers.max())
    few_others = column.topics - most <= _FEW_OTHERS
    half = column.topics < _MANY_TOPICS and 2 * most >= column.topics
    return bool(few_clusters or few_others or half or column.topics < _FEW_TOPICS)


def _by_saddlepoint(
    shares: FloatArray, columns: Sequence[Column], p: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return quantiles of z* at p, [level, column], and which columns they are to be trusted of.

    `shares` are deviations [column, topic]. Where one or a few topics carry the mean, z* has a long
    tail, and the saddlepoint errs; resamples of one value alone, which have an infinite z*, it does
    not know.
    """
    found, solved = quantiles(standardized(shares), np.concatenate([p, _CHECKED]))
    light = (np.abs(found[len(p) :]) <= _HEAVY).all(axis=0)
    at_levels, solved = found[: len(p)], solved[: len(p)]
    for sign in (-1, 1):
        alone = [_one_alone(column, sign) for column in columns]
        tail = p if sign < 0 else 1 - p
        infinite = tail[:, None] <= np.array(alone)
        at_levels = np.where(infinite, sign * np.inf, at_levels)
        solved = solved | infinite
    return at_levels, np.logical_and.reduce([*solved, light])


def _one_alone(column: Column, sign: int) -> float:
    """Return how probable a resample of one value alone is, of those on a side of the mean."""
    numbers = column.numbers[sign * column.values > AT_MEAN]
    return float(((numbers / column.topics) ** column.topics).sum())
