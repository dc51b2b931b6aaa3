"""The bootstrap of columns of scores."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.methods._sample import Bootstrap, Sample


def resample(
    sample: Sample, counts: Iterable[FloatArray], number: int, *, studentize: bool
) -> Sample:
    """Return the sample with its bootstrap.

    `counts` are chunks of rows that count how often each topic was drawn. Scores are rounded to a
    grid, as fine as can be with sums of their products with counts still exact: whatever the order
    in which a matrix product adds them up, on whatever machine and beside whatever columns, the
    same resample has the same mean to the last bit.
    """
    shares, unit, topics = sample.shares, sample.unit, sample.topics
    grid = 2.0 ** (52 - (topics - 1).bit_length())
    exact = np.rint(shares * grid)
    exact_squares = np.rint(shares**2 * grid) if studentize else exact[:0]
    means = np.empty((len(shares), number))
    ratios = np.empty((len(shares), number)) if studentize else None
    done = 0
    for chunk in counts:
        here = slice(done, done := done + len(chunk))
        means[:, here] = exact @ chunk.T
        if ratios is not None:
            ratios[:, here] = exact_squares @ chunk.T
    rounding = sample.rounding + 2 * unit / grid
    for column in range(len(shares)):  # one at a time stays in the processor's cache
        means[column] /= topics * grid
        if ratios is not None:
            ratios[column] /= topics * grid
            _studentize(means[column], ratios[column], topics, 4 / grid)
            ratios[column].sort()
        means[column] *= unit[column]
        means[column].sort()
    return replace(sample, bootstrap=Bootstrap(means, ratios, rounding))


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
