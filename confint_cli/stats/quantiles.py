"""Quantiles of a bootstrap, with their own error.

A bootstrap quantile at p is the (B+1)p-th of B ordered values. Between two of them it is
interpolated on the scale of the normal distribution: Davison and Hinkley, Bootstrap Methods and
their Application (1997), equation 5.8; R's boot does the same. Beyond the first or the last, it is
that one. Only the tails need to be in order, as quantiles of limits lie there.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from confint_cli.common.arrays import AnyFloatArray, FloatArray, Positions

_WHOLE = 1e-9  # what is this close to a whole number is that number: 0.05·10000 is 500, not 499
_SMALLEST_TAIL = 1e-15  # beyond which 1 - p is lost in rounding


@dataclass(frozen=True)
class Ordered:
    """Rows of values of which those near either end are in order."""

    values: AnyFloatArray  # [column, resample]
    depth: int  # how many values from either end are in order

    @classmethod
    def sort(cls, values: AnyFloatArray, depth: int | None = None) -> "Ordered":
        """Return the values with their rows put in order, in place; without `depth`, in full."""
        ordered = cls(values, values.shape[1] if depth is None else depth)
        put_in_order(values, ordered.depth)
        return ordered

    @property
    def number(self) -> int:
        """How many values a row has."""
        number: int = self.values.shape[1]
        return number

    def at(self, place: Positions) -> FloatArray:
        """Return the values [level, column] at places [level, column], of which the first is 1.

        A single column of places is for all columns of values. Columns with a place deeper than
        `depth` are put in order in full.
        """
        deep = ((place > self.depth) & (place <= self.number - self.depth)).any(axis=0)
        if deep.any():
            deep = np.broadcast_to(deep, len(self.values))
            self.values[deep] = np.sort(self.values[deep], axis=1)
        if place.shape[1] == 1:
            picked = self.values[:, place[:, 0] - 1].T
        else:
            picked = self.values[np.arange(len(self.values)), place - 1]
        return picked.astype(np.float64)


def put_in_order(values: AnyFloatArray, depth: int) -> None:
    """Sort `depth` values at either end of each row, in place; those between are in no order.

    That takes less than half as long as to sort all, which is done where little would be left. To
    partition a row by one place at a time is much faster than by two.
    """
    number = values.shape[1]
    if 3 * depth > number:
        values.sort(axis=1)
        return
    values.partition(depth, axis=1)
    values[:, :depth].sort(axis=1)
    values[:, depth:].partition(number - 2 * depth, axis=1)
    values[:, number - depth :].sort(axis=1)


def tails(levels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return α/2 and 1-α/2, [level, 1] each."""
    return ((1 - levels) / 2)[:, None], ((1 + levels) / 2)[:, None]


def quantile(ordered: Ordered, p: FloatArray) -> FloatArray:
    """Return the quantiles [level, column] at p of ordered values.

    `p` is [level, column], or [level, 1] for all columns alike.
    """
    number = ordered.number
    p = p.clip(1 / (number + 1), number / (number + 1))
    place = np.floor((number + 1) * p + _WHOLE).astype(np.intp)
    after = np.minimum(place + 1, number)
    start, end = ndtri(place / (number + 1)), ndtri(after / (number + 1))
    width = np.where(end > start, end - start, np.inf)
    share = ((ndtri(p) - start) / width).clip(0, 1)
    share[share < _WHOLE] = 0.0
    first, second = np.split(ordered.at(np.vstack([place, after])), 2)
    return _between(first, second, share)


def _between(first: FloatArray, second: FloatArray, share: FloatArray) -> FloatArray:
    """Return the values at a `share` of the way from first to second; either may be infinite."""
    if np.isfinite(first).all() and np.isfinite(second).all():
        return first + share * (second - first)
    with np.errstate(invalid="ignore"):
        between = first + share * (second - first)
    infinite = np.where(np.isinf(first), first, second)
    unclear = np.isinf(first) | (np.isinf(second) & (share > 0))
    return np.where(unclear, infinite, np.where(share == 0, first, between))


def quantile_error(ordered: Ordered, p: FloatArray, sd: FloatArray | None = None) -> FloatArray:
    """Return the Monte Carlo standard error of the quantiles at p, [level, column].

    Of the values, a share of p lies below the true quantile, give or take `sd`: √(p(1-p)/B) unless
    p has an error of its own. The quantile's error is half the way from the ordered value at p - sd
    to the one at p + sd: the spacing of the values around it. Where no values are that far out,
    or only infinite ones, it is at least what the tail of a normal distribution would have.
    """
    number = ordered.number
    if sd is None:
        sd = np.sqrt(p * (1 - p) / number)
    p, sd = (np.broadcast_to(array, (len(p), len(ordered.values))) for array in (p, sd))
    first, last = 1 / (number + 1), number / (number + 1)
    value = quantile(ordered, p)
    steps = np.empty((2, *p.shape))
    for step, bound in zip(steps, (p - sd, p + sd), strict=True):
        with np.errstate(invalid="ignore"):
            step[...] = np.abs(quantile(ordered, bound) - value)
        step[(bound < first) | (bound > last)] = np.nan
    known = np.isfinite(steps).sum(axis=0)
    spacing = np.where(np.isfinite(steps), steps, 0.0).sum(axis=0) / np.maximum(known, 1)
    if (known < 2).any():
        far_out = p.clip(_SMALLEST_TAIL, 1 - _SMALLEST_TAIL)
        tail_sd = np.maximum(sd, np.sqrt(far_out * (1 - far_out) / number))
        tail = tail_sd * _normal_spread(ordered) / density(ndtri(far_out))
        spacing = np.where(known < 2, np.maximum(spacing, tail), spacing)
    return np.where(np.isfinite(value), spacing, 0.0)


def _normal_spread(ordered: Ordered) -> FloatArray:
    """Return the standard deviation of each row, from its middle half, as if it were normal."""
    quartiles = quantile(ordered, np.array([[0.25], [0.75]]))
    with np.errstate(invalid="ignore"):
        spread = (quartiles[1] - quartiles[0]) / (2 * ndtri(0.75))
    return np.where(np.isfinite(spread), spread, 0.0)


def density(z: FloatArray) -> FloatArray:
    """Return the density of the standard normal distribution at each z."""
    height: FloatArray = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return height
