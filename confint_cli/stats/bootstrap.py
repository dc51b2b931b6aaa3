"""The bootstrap of columns of scores: means of resampled topics, by matrix products."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from confint_cli.common.arrays import AnyFloatArray, BoolArray, Counts, FloatArray
from confint_cli.common.exact import steps_of_one
from confint_cli.stats.quantiles import Ordered, put_in_order
from confint_cli.stats.sample import Bootstrap, Sample

_IN_CACHE = 1 << 15  # values that are worked on at a time
_SURE = 16  # times its rounding error: a variance as large as that is known well enough
_FINE = 1000  # steps of the grid that most shares have to spread over, or they are too coarse
_MODEST = 1e30  # scores up to here, and down to its inverse, are safe in single precision
MOST_TOPICS = 256  # for which single precision is enough


def resample(
    sample: Sample,
    counts: Iterable[Counts | AnyFloatArray],
    number: int,
    *,
    studentize: bool,
    depth: int | None = None,
) -> Sample:
    """Return the sample with a bootstrap of `number` resamples.

    `counts` are chunks [resample, topic] that count how often each topic was drawn. `depth` is how
    many resamples from either end are put in order; None is all. With `studentize`, the bootstrap
    has z* too.
    """
    depth = number if depth is None else depth
    room = np.empty((2 * len(sample.mean), number))
    means, ratios, _ = _replicates(sample, counts, room, studentize, depth)
    steps = np.full(len(means), 1 / steps_of_one(sample.topics, room.dtype))
    return _with_bootstrap(sample, means, ratios, steps, depth)


def resample_roughly(
    sample: Sample,
    counts: Sequence[AnyFloatArray],
    room: AnyFloatArray,
    *,
    studentize: bool,
    depth: int,
) -> Sample:
    """Return the sample with a bootstrap in single precision, of up to `MOST_TOPICS` topics.

    Means come to five digits of the largest score, far more than resamples are good for, in half
    the time. Where one score dwarfs the others, or a standard error is tiny beside it, and for
    scores of unheard-of size, it is double precision. `room` [2·column, resample] is where the
    values go: to ask the system for new memory each time would take as long as the matrix product.
    """
    assert sample.topics <= MOST_TOPICS
    number = room.shape[1]
    if not (np.abs(np.log10(sample.unit)) < np.log10(_MODEST)).all():
        return resample(sample, counts, number, studentize=studentize, depth=depth)
    means, ratios, unsure = _replicates(sample, counts, room, studentize, depth)
    step = 1 / steps_of_one(sample.topics, room.dtype)
    dwarfed = (_spread_of_most(sample.shares) < _FINE * step) & ~sample.constant
    again = dwarfed | (unsure & ~sample.constant)
    if again.any():
        precise_room = np.empty((2 * int(again.sum()), number))
        precise, precise_ratios, _ = _replicates(
            sample.columns(again), counts, precise_room, studentize, depth
        )
        means[dwarfed] = precise[dwarfed[again]]  # not of others: no mean depends on studentizing
        if studentize:
            ratios[again] = precise_ratios
    steps = np.where(dwarfed, np.finfo(means.dtype).eps, step)
    return _with_bootstrap(sample, means, ratios, steps, depth)


def _spread_of_most(shares: FloatArray) -> FloatArray:
    """Return how far nine tenths of a column's shares are, at most, from their median, [column].

    It is 1 where these are equal.
    """
    beside = np.abs(shares - np.median(shares, axis=1, keepdims=True))
    place = 9 * shares.shape[1] // 10
    spread = np.partition(beside, place, axis=1)[:, place]
    return np.where(spread > 0, spread, 1.0)


def _replicates(
    sample: Sample,
    counts: Iterable[Counts | AnyFloatArray],
    room: AnyFloatArray,
    studentize: bool,
    depth: int,
) -> tuple[AnyFloatArray, AnyFloatArray, BoolArray]:
    """Return m* - m and z* [column, resample], and which columns have an uncertain z* [column].

    Both are views of `room`, which has two rows for each column, and have its precision; a z* is
    uncertain where that is too low for it. Either end is in order to this depth. Without
    `studentize`, z* has no rows.
    """
    shares, topics, columns = sample.shares, sample.topics, len(sample.mean)
    kind, number = room.dtype, room.shape[1]
    grid = steps_of_one(topics, kind)  # products with counts are sums of `topics` shares
    exact = np.rint(np.vstack([shares, shares**2] if studentize else [shares]) * grid).astype(kind)
    sums, done = room[: len(exact)], 0
    for chunk in counts:
        rows = chunk.astype(kind, copy=False).T
        np.matmul(exact, rows, out=sums[:, done : (done := done + len(chunk))])
    means, ratios = sums[:columns], sums[columns:]
    units = (sample.unit / (topics * grid)).astype(kind)
    unsure = np.zeros(columns, dtype=bool)
    step = max(1, _IN_CACHE // number)
    for start in range(0, columns, step):
        block = slice(start, start + step)
        if studentize:
            unsure[block] = _studentize(means[block], ratios[block], topics, grid)
            put_in_order(ratios[block], depth)
        means[block] *= units[block, None]
        put_in_order(means[block], depth)
    return means, ratios, unsure


def _studentize(
    total: AnyFloatArray, squares: AnyFloatArray, topics: int, grid: float
) -> BoolArray:
    """Turn `squares` in place into z* = (m* - m)/se*; return in which rows some se* is uncertain.

    `total` and `squares` are the sums [column, resample] of shares and of their squares, in steps
    of the grid. Where se* is 0, z* is ±∞ by the sign of m* - m, and 0 where they are equal. An se*
    is uncertain if it is nearly lost in rounding.
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
    sample: Sample, means: AnyFloatArray, ratios: AnyFloatArray, steps: FloatArray, depth: int
) -> Sample:
    """Return the sample with its bootstrap; means are good to `steps` [column] of its unit."""
    return replace(
        sample,
        bootstrap=Bootstrap(
            Ordered(means, depth),
            Ordered(ratios, depth) if len(ratios) else None,
            sample.rounding + sample.unit * steps,
        ),
    )
