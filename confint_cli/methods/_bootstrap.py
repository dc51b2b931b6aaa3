"""The bootstrap of columns of scores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from confint_cli.arrays import AnyFloatArray, BoolArray
from confint_cli.methods._ordered import Ordered
from confint_cli.methods._sample import Bootstrap, Sample

_IN_CACHE = 1 << 15  # values that are worked on at a time
_SURE = 8  # a variance so many times as large as its rounding error is known well enough
_MODEST = 1e30  # scores up to here, and down to its inverse, are safe in single precision


def resample(
    sample: Sample,
    counts: Iterable[AnyFloatArray],
    number: int,
    *,
    studentize: bool,
    order: Callable[[AnyFloatArray], Ordered] = Ordered.whole,
) -> Sample:
    """Return the sample with its bootstrap, in order.

    `counts` are chunks of rows that count how often each topic was drawn.
    """
    room = np.empty(((2 if studentize else 1) * len(sample.mean), number))
    means, ratios, _ = _replicates(sample, counts, room, studentize)
    return _with_bootstrap(sample, means, ratios, order)


def resample_roughly(
    sample: Sample,
    counts: Sequence[AnyFloatArray],
    room: AnyFloatArray,
    *,
    studentize: bool,
    order: Callable[[AnyFloatArray], Ordered],
) -> Sample:
    """Return the sample with its bootstrap in single precision, to about five digits.

    That is far more than resamples are good for, in half the time. Only a standard error that is
    tiny beside the largest score takes double precision, and so do scores of unheard-of size. The
    room is where the values go: to ask the system for new memory each time would take as long as
    the matrix product.
    """
    number = room.shape[1]
    if not (np.abs(np.log10(sample.unit)) < np.log10(_MODEST)).all():
        return resample(sample, counts, number, studentize=studentize, order=order)
    room = room[: (2 if studentize else 1) * len(sample.mean)]
    means, ratios, unsure = _replicates(sample, counts, room, studentize)
    if unsure.any():
        room = np.empty((2 * int(unsure.sum()), number))
        again = sample.columns(unsure)
        means[unsure], ratios[unsure], _ = _replicates(again, counts, room, studentize)
    return _with_bootstrap(sample, means, ratios, order)


def _grid(topics: int, kind: Any) -> float:
    """Return how many steps up to 1 shares are rounded to.

    As many as there can be with sums of their products with counts still exact: whatever the order
    in which a matrix product adds them up, on whatever machine and beside whatever columns, the
    same resample has the same mean to the last bit.
    """
    digits = np.finfo(kind).nmant
    return float(2.0 ** (digits - (topics - 1).bit_length()))


def _replicates(
    sample: Sample, counts: Iterable[AnyFloatArray], sums: AnyFloatArray, studentize: bool
) -> tuple[AnyFloatArray, AnyFloatArray, BoolArray]:
    """Return m* - m and z* of each resample, [column, resample].

    They are kept in `sums`, in its precision. The third part of the answer says which columns have
    a z* that it is too low for. Without studentizing, z* has no columns.
    """
    shares, topics, columns = sample.shares, sample.topics, len(sample.mean)
    kind, number = sums.dtype, sums.shape[1]
    grid = _grid(topics, kind)
    exact = np.rint(np.vstack([shares, shares**2] if studentize else [shares]) * grid).astype(kind)
    done = 0
    for chunk in counts:
        rows = chunk.astype(kind, copy=False).T
        np.matmul(exact, rows, out=sums[:, done : (done := done + len(chunk))])
    means, ratios = sums[:columns], sums[columns:]
    units = (sample.unit / (topics * grid)).astype(kind)
    unsure = np.zeros(columns, dtype=bool)
    step = max(1, _IN_CACHE // number)
    for start in range(0, columns, step):
        here = slice(start, start + step)
        if studentize:
            unsure[here] = _studentize(means[here], ratios[here], topics, grid)
        means[here] *= units[here, None]
    return means, ratios, unsure


def _studentize(
    total: AnyFloatArray, squares: AnyFloatArray, topics: int, grid: float
) -> BoolArray:
    """Turn the sums of squares, beside the sums of shares, into z* = (m* - m)/se*.

    Where se* is 0, z* is ±∞ by the sign of m* - m, and 0 where they are equal. Returned is in
    which rows some se* is lost in rounding.
    """
    squares *= topics * grid
    squares -= total * total  # (n·grid)² times the variance, with n; se*² is that over n-1
    rounding = 4 * topics**2 * grid
    smallest = squares.min(axis=1)
    equal = squares <= rounding if smallest.min() <= rounding else None
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(total, np.sqrt(squares, out=squares), out=squares)
    squares *= float(np.sqrt(topics - 1))
    if equal is not None:
        alike = total[equal]
        tied = np.abs(alike) <= 4 * topics
        squares[equal] = np.where(tied, 0.0, np.copysign(np.inf, alike))
    unsure: BoolArray = smallest < _SURE * rounding
    return unsure


def _with_bootstrap(
    sample: Sample,
    means: AnyFloatArray,
    ratios: AnyFloatArray,
    order: Callable[[AnyFloatArray], Ordered],
) -> Sample:
    """Return the sample with its bootstrap, in order."""
    grid = _grid(sample.topics, means.dtype)
    return replace(
        sample,
        bootstrap=Bootstrap(
            order(means),
            order(ratios) if len(ratios) else None,
            sample.rounding + 2 * sample.unit / grid,
        ),
    )
