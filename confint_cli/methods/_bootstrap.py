"""The bootstrap of columns of scores."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from confint_cli.arrays import AnyFloatArray, FloatArray
from confint_cli.methods._ordered import Ordered
from confint_cli.methods._sample import Bootstrap, Sample

Order = Callable[[AnyFloatArray], Ordered]

_IN_CACHE = 1 << 15  # values that are worked on at a time


def resample(
    sample: Sample,
    counts: Iterable[FloatArray],
    number: int,
    *,
    studentize: bool,
    single: bool = False,
    order: Order = Ordered.whole,
) -> Sample:
    """Return the sample with its bootstrap; `single` keeps its values in single precision.

    `counts` are chunks of rows that count how often each topic was drawn. Scores are rounded to a
    grid, as fine as can be with sums of their products with counts still exact: whatever the order
    in which a matrix product adds them up, on whatever machine and beside whatever columns, the
    same resample has the same mean to the last bit.
    """
    shares, unit, topics = sample.shares, sample.unit, sample.topics
    columns = len(shares)
    grid = 2.0 ** (52 - (topics - 1).bit_length())
    exact = np.rint(np.vstack([shares, shares**2] if studentize else [shares]) * grid)
    sums = np.empty((len(exact), number))
    done = 0
    for chunk in counts:
        np.matmul(exact, chunk.T, out=sums[:, done : (done := done + len(chunk))])
    means, ratios = sums[:columns], sums[columns:]
    if single:
        means, ratios = np.empty_like(means, np.float32), np.empty_like(ratios, np.float32)
    step = max(1, _IN_CACHE // number)
    for start in range(0, columns, step):
        here = slice(start, min(start + step, columns))
        mean, square = sums[here], sums[columns:][here]
        mean /= topics * grid
        if studentize:
            square /= topics * grid
            _studentize(mean, square, topics, 4 / grid)
        mean *= unit[here, None]
        if single:
            means[here] = mean
            ratios[here] = square
    rounding = sample.rounding + 2 * unit / grid
    return replace(
        sample,
        bootstrap=Bootstrap(order(means), order(ratios) if studentize else None, rounding),
    )


def _studentize(mean: FloatArray, square: FloatArray, topics: int, rounding: float) -> None:
    """Turn the means of squares into z* = (m* - m)/se*, all as shares of a unit.

    Where se* is 0, z* is ±∞ by the sign of m* - m, and 0 where they are equal.
    """
    variance = square - mean * mean  # with n; se*² is this over n-1
    equal = variance <= rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(mean, np.sqrt(variance, out=variance), out=square)
    square *= np.sqrt(topics - 1)
    if equal.any():
        tied = np.abs(mean[equal]) <= rounding
        square[equal] = np.where(tied, 0.0, np.copysign(np.inf, mean[equal]))
