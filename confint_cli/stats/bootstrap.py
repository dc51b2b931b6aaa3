"""The bootstrap of columns of scores: means of resampled topics, by matrix products."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from confint_cli.common.arrays import AnyFloatArray, BoolArray, Counts, FloatArray
from confint_cli.common.exact import power_of_two_above, steps_of_one
from confint_cli.stats.quantiles import Ordered, put_in_order, quantile, quantile_error
from confint_cli.stats.sample import Sample

_IN_CACHE = 1 << 15  # values that are worked on at a time
_SURE = 16  # times its rounding error: a variance as large as that is known well enough
_FINE = 1000  # steps of the grid that most shares have to spread over, or they are too coarse
_MODEST = 1e30  # scores up to here, and down to its inverse, are safe in single precision
MOST_TOPICS = 256  # for which single precision is enough


@dataclass(frozen=True)
class Resampled:
    """The means of the resamples of each column of scores."""

    deviations: Ordered  # [column, resample]: m* - m
    studentized: Ordered | None  # [column, resample]: z* = (m* - m)/se*
    rounding: FloatArray  # [column]: deviations no larger than this are zero

    @property
    def number(self) -> float:
        """The number B of resamples."""
        return self.deviations.number

    @property
    def drawn(self) -> BoolArray:
        """Which columns are resampled: all."""
        return np.ones(len(self.rounding), dtype=bool)

    @property
    def share_below(self) -> FloatArray:
        """The share of m* below m, ties counted half, [column]; it is never 0 or 1."""
        values = self.deviations.values
        rounding = self.rounding[:, None].astype(values.dtype)
        # 2 for a value below, 1 for a tie: to add bytes is twice as fast as to count truths twice.
        halves = (values < -rounding).view(np.int8) + (values <= rounding)
        share: FloatArray = halves.sum(axis=1, dtype=np.int32) / (2 * self.number)
        least = 0.5 / self.number
        return share.clip(least, 1 - least)

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return quantiles of m* - m at p, [level, column]."""
        return quantile(self.deviations, p)

    def quantile_error(self, p: FloatArray, sd: FloatArray | None = None) -> FloatArray:
        """Return the Monte Carlo standard errors of these; `sd` is that of p, if it has one."""
        return quantile_error(self.deviations, p, sd)

    def studentized_quantile(self, p: FloatArray) -> FloatArray:
        """Return quantiles of z* at p, [level, column]."""
        return quantile(self._ratios, p)

    def studentized_error(self, p: FloatArray) -> FloatArray:
        """Return the Monte Carlo standard errors of these."""
        return quantile_error(self._ratios, p)

    @property
    def _ratios(self) -> Ordered:
        assert self.studentized is not None  # as the method's record asks for it
        return self.studentized

    def logit_moments(self, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and sd of logit(m*), m* of 0 and 1 left out; `mean` is m; all [column]."""
        centre, deviations, number = self._logits(mean)
        return centre, _spread(deviations, number)

    def logit_shape(self, mean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return skewness and kurtosis of logit(m*), and how many m* are not left out, [column]."""
        _, deviations, number = self._logits(mean)
        spread = _spread(deviations, number)
        scaled = deviations / np.where(spread > 0, spread, 1.0)[:, None]
        skew, kurtosis = ((scaled**power).sum(axis=1) / number for power in (3, 4))
        return skew, kurtosis, number

    def _logits(self, mean: FloatArray) -> tuple[FloatArray, AnyFloatArray, FloatArray]:
        """Return the mean μ of logit(m*), logit(m*) - μ, and how many m* are not left out.

        These are [column], [column, resample] and [column]. An m* of 0 or 1 is left out: in the
        second array it has 0.
        """
        values = self.deviations.values
        means = values + mean[:, None].astype(values.dtype)
        rounding = self.rounding[:, None].astype(values.dtype)
        nearly_one = 1 - np.maximum(rounding, np.finfo(values.dtype).eps)
        outside = (means <= rounding) | (means >= nearly_one)
        some_outside = outside.any()
        number = np.full(len(means), float(self.number))
        if some_outside:
            number = np.maximum(number - outside.sum(axis=1), 1.0)
            means[outside] = 0.5  # the logit is 0
        logits = np.log(means / (1 - means))
        centre = logits.sum(axis=1) / number
        logits -= centre[:, None].astype(values.dtype)
        if some_outside:
            logits[outside] = 0.0
        return centre, logits, number


def _spread(deviations: AnyFloatArray, number: FloatArray) -> FloatArray:
    """Return σ of each row of deviations from its mean, of which `number` [column] count."""
    spread: FloatArray = np.sqrt((deviations**2).sum(axis=1) / number)
    return spread


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


def resample_ratios(
    sample: Sample,
    counts: Iterable[Counts | AnyFloatArray],
    number: int,
    depth: int,
) -> Ordered:
    """Return z* of `number` resamples, [column, resample]; `counts` and `depth` as in `resample`.

    With a depth of 0 they are in no order. The means themselves are in none, which saves a third of
    the time.
    """
    room = np.empty((2 * len(sample.mean), number))
    _, ratios, _ = _replicates(sample, counts, room, True, depth, ratios_only=True)
    return Ordered(ratios, depth)


def resample_ratios_roughly(
    sample: Sample, counts: Sequence[AnyFloatArray], number: int, depth: int
) -> Ordered:
    """Return z* of resamples as `resample_ratios` does, in single precision where it is enough."""
    if sample.topics > MOST_TOPICS or not _is_modest(sample):
        return resample_ratios(sample, counts, number, depth)
    room = np.empty((2 * len(sample.mean), number), np.float32)
    _, ratios, unsure = _replicates(sample, counts, room, True, depth, ratios_only=True)
    again = unsure | _is_dwarfed(sample, room.dtype)
    if again.any():
        precise = resample_ratios(sample.columns(again), counts, number, depth)
        ratios[again] = precise.values
    return Ordered(ratios, depth)


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
    if not _is_modest(sample):
        return resample(sample, counts, number, studentize=studentize, depth=depth)
    means, ratios, unsure = _replicates(sample, counts, room, studentize, depth)
    step = 1 / steps_of_one(sample.topics, room.dtype)
    dwarfed = _is_dwarfed(sample, room.dtype)
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


def _is_modest(sample: Sample) -> bool:
    """Say whether all scores are of a size that single precision is safe for."""
    return bool((np.abs(np.log10(sample.unit)) < np.log10(_MODEST)).all())


def _is_dwarfed(sample: Sample, kind: Any) -> BoolArray:
    """Return in which columns one score dwarfs the others, [column].

    Floats of the type `kind` have too few digits for these.
    """
    step = 1 / steps_of_one(sample.topics, kind)
    dwarfed: BoolArray = (_spread_of_most(sample.shares) < _FINE * step) & ~sample.constant
    return dwarfed


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
    *,
    ratios_only: bool = False,
) -> tuple[AnyFloatArray, AnyFloatArray, BoolArray]:
    """Return m* - m and z* [column, resample], and which columns have an uncertain z* [column].

    Both are views of `room`, which has two rows for each column, and have its precision; a z* is
    uncertain where that is too low for it. Either end is in order to this depth. Without
    `studentize`, z* has no rows; with `ratios_only`, m* - m is left as it is on the way.
    """
    if sample.design.sizes is not None:
        return _replicates_of_groups(sample, counts, room, studentize, depth)
    shares, topics, columns = sample.shares, sample.topics, len(sample.mean)
    kind, number = room.dtype, room.shape[1]
    grid = steps_of_one(topics, kind)  # products with counts are sums of `topics` shares
    exact = np.rint(np.vstack([shares, shares**2] if studentize else [shares]) * grid).astype(kind)
    sums, done = room[: len(exact)], 0
    means, ratios = sums[:columns], sums[columns:]
    for chunk in counts:
        rows = chunk.astype(kind, copy=False).T
        drawn = slice(done, done := done + len(chunk))
        if studentize and sample.strata:
            sum_by_strata(exact, rows, sample.slices, grid, means[:, drawn], ratios[:, drawn])
        else:
            np.matmul(exact, rows, out=sums[:, drawn])
    units = (sample.unit / (topics * grid)).astype(kind)
    unsure = np.zeros(columns, dtype=bool)
    step = max(1, _IN_CACHE // number)
    for start in range(0, columns, step):
        block = slice(start, start + step)
        if studentize:
            if sample.strata:
                _studentize_strata(means[block], ratios[block], topics, grid)
            else:
                unsure[block] = _studentize(means[block], ratios[block], topics, grid)
            if depth:
                put_in_order(ratios[block], depth)
        if ratios_only:
            continue
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


def sum_by_strata(
    exact: AnyFloatArray,
    rows: AnyFloatArray,
    slices: Sequence[slice],
    grid: float,
    total: AnyFloatArray,
    variance: AnyFloatArray,
) -> None:
    """Put the sums of shares into `total`, and the variance of each into `variance`, in place.

    These are [column, resample], of counts [topic, resample] in `rows`. The variance of a sum is
    that of independent collections, Σ n/(n-1)·(Q - D²/n), D and Q the sums of shares and of squares
    in each; in steps of the grid, squared.
    """
    columns = len(total)
    total[...], variance[...] = 0.0, 0.0
    for own in slices:
        size = own.stop - own.start
        sums = exact[:, own] @ rows[own]
        shares, squares = sums[:columns], sums[columns:]
        total += shares
        squares *= grid
        squares -= shares * shares / size
        squares *= size / (size - 1)
        variance += squares


def _studentize_strata(
    total: AnyFloatArray, variance: AnyFloatArray, topics: int, grid: float
) -> None:
    """Turn `variance` in place into z* = (m* - m)/se*; both are as `sum_by_strata` has them.

    Where se* is 0, z* is ±∞ by the sign of m* - m, and 0 where they are equal.
    """
    equal = variance <= 8 * topics * grid
    variance[equal] = 1.0
    np.divide(total, np.sqrt(variance, out=variance), out=variance)
    alike = total[equal]
    variance[equal] = np.where(np.abs(alike) <= 4 * topics, 0.0, np.copysign(np.inf, alike))


class Groups:
    """Columns of groups that are drawn and count by their sizes, as sums that are exact.

    With e the share of a group and w its weight, D = Σe and N = Σw over a resample, the mean of the
    resample is D/N above m. Its squared residuals are R = Σ(e - w·D/N)², and its standard error is
    √(G/(G-1)·R)/N, after CR1. All of them come from sums of e, e² and e·w, in whole steps of a
    grid, and of w and w², which are sizes.
    """

    def __init__(self, shares: FloatArray, sizes: FloatArray) -> None:
        """Keep shares [column, group] between -1 and 1 of groups with these `sizes`, [group]."""
        self._number, self._mean = len(sizes), float(sizes.mean())
        self._sizes = np.stack([sizes, sizes**2])
        weights = sizes / self._mean
        largest = float(power_of_two_above(weights.max(keepdims=True))[0])
        self._grid = steps_of_one(self._number) / largest
        self._columns = len(shares)
        self._whole = np.rint(np.vstack([shares, shares**2, shares * weights]) * self._grid)

    def sums(self, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return D [column, resample], N [resample] and R [column, resample] of resamples.

        `counts` [group, resample] say how often each group is drawn.
        """
        sums = self._whole @ counts
        sums /= self._grid
        total, squares, products = np.split(sums, 3)
        weight, weight_squares = self._sizes @ counts
        weight /= self._mean
        weight_squares /= self._mean**2
        off = total / weight
        products *= -2 * off
        squares += products
        squares += off**2 * weight_squares
        return total, weight, squares

    def ratios(self, total: FloatArray, squares: FloatArray) -> FloatArray:
        """Return z* = D/√(G/(G-1)·R), [column, resample]; without variance ±∞, or 0 if D is 0."""
        rounding = 8 * self._number**2 / self._grid
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios: FloatArray = total / np.sqrt(squares * (self._number / (self._number - 1)))
        equal = squares <= rounding
        alike = total[equal]
        ratios[equal] = np.where(np.abs(alike) <= rounding, 0.0, np.copysign(np.inf, alike))
        return ratios


def _replicates_of_groups(
    sample: Sample,
    counts: Iterable[Counts | AnyFloatArray],
    room: AnyFloatArray,
    studentize: bool,
    depth: int,
) -> tuple[AnyFloatArray, AnyFloatArray, BoolArray]:
    """Return what `_replicates` does, for groups that are drawn and count by their sizes."""
    assert sample.design.sizes is not None
    columns = len(sample.mean)
    groups = Groups(sample.shares, sample.design.sizes)
    means = room[:columns]
    ratios = room[columns : 2 * columns] if studentize else room[columns:columns]
    done = 0
    for chunk in counts:
        drawn = slice(done, done := done + len(chunk))
        total, weight, squares = groups.sums(chunk.astype(np.float64, copy=False).T)
        means[:, drawn] = total / weight * sample.unit[:, None]
        if studentize:
            ratios[:, drawn] = groups.ratios(total, squares)
    for block in (means, ratios):
        if depth and len(block):
            put_in_order(block, depth)
    return means, ratios, np.zeros(columns, dtype=bool)


def _with_bootstrap(
    sample: Sample, means: AnyFloatArray, ratios: AnyFloatArray, steps: FloatArray, depth: int
) -> Sample:
    """Return the sample with its bootstrap; means are good to `steps` [column] of its unit."""
    return replace(
        sample,
        bootstrap=Resampled(
            Ordered(means, depth),
            Ordered(ratios, depth) if len(ratios) else None,
            sample.rounding + sample.unit * steps,
        ),
    )
