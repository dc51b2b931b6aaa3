"""Intervals of many columns by several methods at several levels, in bounded memory."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from threading import Lock

import numpy as np

from confint_cli.common.arrays import Counts, FloatArray
from confint_cli.common.parallel import ALL_CORES, ALONE, Workers
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.system import threads_that_fit
from confint_cli.stats.bootstrap import MOST_TOPICS, resample, resample_ratios, resample_roughly
from confint_cli.stats.flags import (
    Doubt,
    DoubtArray,
    doubts_about,
    doubts_about_limits,
    with_doubt,
)
from confint_cli.stats.ideal.bootstrap import (
    AnyColumn,
    IdealBootstrap,
    Ratios,
    columns_of,
    ratios_without_resamples,
    resamples_for,
)
from confint_cli.stats.methods import USUAL_DRAWS, method_named
from confint_cli.stats.methods.method import Ends, Limits, Method
from confint_cli.stats.quantiles import quantile, quantile_error, tails
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.sample import Sample

_REPLICATES = 1 << 21  # means of resamples of all columns that are resampled at a time: 16 MB
_THREADS_REPLICATES = 1 << 24  # means in all threads together: 128 MB, twice that with their se
_IDEAL = 64  # columns whose distributions are computed at a time: 8 MB
_IDEAL_RESAMPLED = 4  # columns that a thread resamples at a time for the ideal bootstrap: 13 MB
_ROUGH_REPLICATES = 1 << 20  # means in single precision at a time: 4 MB, near the processor
_KEPT_COUNTS = 1 << 27  # bytes of counts that are kept for the next columns, not drawn again
_ROUGH_COUNTS = 1 << 22  # counts in single precision that are kept: 16 MB


def fewest_draws(level: float, tails: int) -> int:
    """Return the least number of draws that has a quantile in each of one or two `tails`.

    The tails together have the share 1 - `level`.
    """
    error = 1 - Decimal(repr(level))  # 1 - 0.999 is no 0.001 in floats
    return math.ceil(tails / error) - 1


@dataclass(frozen=True)
class Estimation:
    """Which intervals to compute, and from which random numbers."""

    methods: tuple[str, ...]
    levels: tuple[float, ...]
    resamples: int | None = None  # None: the ideal bootstrap, of infinitely many
    seed: int = 0
    optional: frozenset[str] = frozenset()  # methods to leave out where scores are unfit for them
    workers: Workers = ALL_CORES  # who resamples and draws
    draws: int = USUAL_DRAWS  # random numbers of tests, simultaneous intervals and ranks
    immunity: bool = True  # whether doubts are left out that methods are immune to

    @property
    def fewest_resamples(self) -> int:
        """The least number of resamples that has quantiles as far out as both limits; 1: any."""
        chosen = map(method_named, self.methods)
        if not any(method.resamples and method.quantiles for method in chosen):
            return 1
        return fewest_draws(max(self.levels), 2)

    @property
    def fewest_draws(self) -> int:
        """The least number of draws that has a quantile as far out as simultaneous limits are."""
        return fewest_draws(max(self.levels), 1)

    @property
    def drawing(self) -> Drawing:
        """How tests, simultaneous intervals and ranks draw random numbers."""
        return Drawing(self.draws, self.seed, self.workers)

    @property
    def alone(self) -> "Estimation":
        """The estimation that a worker gets, which does its part of the work alone."""
        return replace(self, workers=ALONE)

    def by(self, methods: tuple[str, ...]) -> "Estimation":
        """Return the estimation by other methods."""
        return replace(self, methods=methods)

    @property
    def ideal(self) -> bool:
        """Whether bootstrap intervals come without random numbers, as far as they can."""
        return self.resampling and self.resamples is None

    @property
    def number(self) -> int:
        """The number of resamples, where there are any: not of the ideal bootstrap."""
        assert self.resamples is not None
        return self.resamples

    def depth_of(self, number: int) -> int:
        """Return how many resamples of these, from either end, have limits, even most of BCa's."""
        return math.ceil(2.5 * (1 - min(self.levels)) / 2 * number) + 1

    @property
    def resampling(self) -> bool:
        """Whether any method needs a bootstrap."""
        return any(method_named(name).resamples for name in self.methods)

    @property
    def studentizing(self) -> bool:
        """Whether any method needs the standard error of every resample."""
        return any(method_named(name).studentized for name in self.methods)

    def counts_of(self, topics: int) -> int:
        """Return how many numbers the counts [resample, topic] of all resamples are."""
        return topics * self.number


@dataclass(frozen=True)
class Estimate:
    """The intervals of each column, and its moments; a missing value is NaN."""

    topics: int
    mean: FloatArray  # [column]
    sd: FloatArray  # [column]
    se: FloatArray  # [column]
    df: FloatArray  # [column]: the degrees of freedom of the se
    limits: Mapping[str, Limits]  # by method
    doubts: Mapping[str, DoubtArray]  # by method, [level, column]

    def columns(self, start: int, end: int) -> "Estimate":
        """Return the estimate of the columns from `start` to before `end`."""
        chosen = slice(start, end)
        return Estimate(
            self.topics,
            self.mean[chosen],
            self.sd[chosen],
            self.se[chosen],
            self.df[chosen],
            {name: limits.columns(chosen) for name, limits in self.limits.items()},
            {name: doubts[:, chosen] for name, doubts in self.doubts.items()},
        )

    @classmethod
    def beside(cls, blocks: Sequence["Estimate"]) -> "Estimate":
        """Return the estimate of the columns of all blocks, one beside the other."""
        first = blocks[0]
        return cls(
            first.topics,
            np.hstack([block.mean for block in blocks]),
            np.hstack([block.sd for block in blocks]),
            np.hstack([block.se for block in blocks]),
            np.hstack([block.df for block in blocks]),
            {
                name: Limits.beside([block.limits[name] for block in blocks])
                for name in first.limits
            },
            {name: np.hstack([block.doubts[name] for block in blocks]) for name in first.doubts},
        )


def estimate(sample: Sample, estimation: Estimation, progress: Progress = no_progress) -> Estimate:
    """Return the intervals of every column of a sample; the workers share the resampling."""
    if not _needs_bootstrap(sample, estimation):
        return _of_columns(sample, estimation)
    if estimation.ideal:
        return Estimate.beside(list(_ideal_estimates(sample, estimation, progress)))
    blocks = _blocks(sample, estimation)
    progress(0, estimation.number * len(blocks))
    settings = (estimation.alone, sample.topics, sample.strata)
    threads = threads_for(estimation)
    estimates = estimation.workers.compute(_estimator, settings, blocks, progress, threads=threads)
    return Estimate.beside(estimates)


def _estimator(
    estimation: Estimation, topics: int, strata: tuple[int, ...] = ()
) -> Callable[[Sample, Progress], Estimate]:
    """Return the function that resamples a block of columns and returns its intervals."""
    depth = estimation.depth_of(estimation.number)
    add_bootstrap = _resampler(estimation, topics, depth, strata)

    def of_columns(block: Sample, progress: Progress) -> Estimate:
        return _of_columns(add_bootstrap(block, progress), estimation)

    return of_columns


def _ideal_estimates(
    sample: Sample, estimation: Estimation, progress: Progress
) -> Iterator[Estimate]:
    """Yield the intervals of blocks of columns from their ideal bootstrap.

    Threads would wait for one another, as most of it is many small steps; they resample columns
    whose z* has to be resampled.
    """
    for block in ideally_bootstrapped(sample, estimation, progress):
        yield _of_columns(block, estimation)


def ideally_bootstrapped(
    sample: Sample, estimation: Estimation, progress: Progress = no_progress
) -> Iterator[Sample]:
    """Yield the sample in blocks of columns with their ideal bootstrap."""
    columns, steps = columns_of(sample), parts_of(progress, 1 + estimation.studentizing)
    ratios = None
    if estimation.studentizing:
        ratios = _ratios(sample, columns, estimation, next(steps))
    tell = next(steps)
    for start in range(0, len(columns), _IDEAL):
        some = slice(start, start + _IDEAL)
        block, own_ratios = sample.columns(some), None if ratios is None else ratios.columns(some)
        yield replace(block, bootstrap=IdealBootstrap.of(block, columns[some], own_ratios))
        tell(min(start + _IDEAL, len(columns)), len(columns))


def _ratios(
    sample: Sample, columns: Sequence[AnyColumn | None], estimation: Estimation, progress: Progress
) -> Ratios:
    """Return quantiles of z* of each column; the workers resample those that need it."""
    levels = np.array(estimation.levels)
    ratios = ratios_without_resamples(sample, columns, levels)
    drawn = np.flatnonzero(ratios.drawn)
    if not len(drawn):
        return ratios
    number = resamples_for(sample.topics)
    most = estimation.workers.here.threads
    threads = threads_that_fit(most, 3 * 8 * _IDEAL_RESAMPLED * number + _KEPT_COUNTS)
    # As many at a time as memory is meant for, but no thread is to wait for others.
    width = min(_IDEAL_RESAMPLED, -(-len(drawn) // threads))
    groups = [drawn[start : start + width] for start in range(0, len(drawn), width)]
    blocks = [sample.columns(group) for group in groups]
    settings = (estimation.alone, sample.topics, number, sample.strata)
    found = estimation.workers.compute(_ratio_worker, settings, blocks, progress, threads=threads)
    values, errors = ratios.values.copy(), ratios.errors.copy()
    for group, (own_values, own_errors) in zip(groups, found, strict=True):
        values[:, group], errors[:, group] = own_values, own_errors
    return replace(ratios, values=values, errors=errors)


def _ratio_worker(
    estimation: Estimation, topics: int, number: int, strata: tuple[int, ...]
) -> Callable[[Sample, Progress], tuple[FloatArray, FloatArray]]:
    """Return the function that resamples columns, and returns quantiles of z* and their errors."""
    depth = estimation.depth_of(number)
    draws = _Draws(topics, number, estimation.seed, strata)
    p = np.vstack(tails(np.array(estimation.levels)))

    def of_columns(block: Sample, progress: Progress) -> tuple[FloatArray, FloatArray]:
        counts = _counted(draws.counts(), number, progress)
        ratios = resample_ratios(block.columns(slice(None)), counts, number, depth)
        return quantile(ratios, p), quantile_error(ratios, p)

    return of_columns


def _of_columns(sample: Sample, estimation: Estimation) -> Estimate:
    """Return the intervals of columns that have their bootstrap already, if they need one."""
    levels, about_columns = np.array(estimation.levels), doubts_about(sample)
    limits, doubts = {}, {}
    for name in estimation.methods:
        method = method_named(name)
        low, high = ends(sample, method, levels)
        immune = method.immune if estimation.immunity else Doubt.NONE
        limits[name] = Limits(low, high, *_errors(sample, method, levels))
        doubts[name] = doubts_about_limits(about_columns, low, high, immune)
        if estimation.ideal and method.studentized and sample.bootstrap is not None:
            doubts[name] = with_doubt(doubts[name], Doubt.RESAMPLED, sample.bootstrap.drawn)
    mean, sd, se, df = sample.mean, sample.sd, sample.se, sample.df
    return Estimate(sample.topics, mean, sd, se, df, limits, doubts)


def _errors(sample: Sample, method: Method, levels: FloatArray) -> Ends:
    """Return the Monte Carlo standard errors of a method's limits; 0 where they have none."""
    if method.error is None or sample.fewest < 2:
        none = np.zeros((len(levels), len(sample.mean)))
        return none, none
    low, high = method.error(sample, levels)
    return np.where(sample.constant, 0.0, low), np.where(sample.constant, 0.0, high)


def ends(sample: Sample, method: Method, levels: FloatArray) -> Ends:
    """Return a method's limits, [level, column] each: NaN for one topic, of a collection too.

    Columns without variance have [m, m], but by a method whose record says otherwise. Limits of
    differences that are 0 but for the last bits are 0, as their sign decides who is ahead.
    """
    if sample.fewest < 2:
        none = np.full((len(levels), len(sample.mean)), np.nan)
        return none, none
    low, high = method.interval(sample, levels)
    level_by_column = (len(levels), len(sample.mean))
    assert np.shape(low) == np.shape(high) == level_by_column
    if sample.sizes is not None:
        rounding = sample.resampled.rounding if method.resamples else sample.rounding
        low, high = (np.where(np.abs(end) <= rounding, 0.0, end) for end in (low, high))
    if not method.constant_is_point:
        return low, high
    constant, mean = sample.constant, sample.mean
    if sample.sizes is not None:
        mean = np.where(np.abs(mean) <= sample.rounding, 0.0, mean)
    return np.where(constant, mean, low), np.where(constant, mean, high)


def resampled(sample: Sample, estimation: Estimation, depth: int | None = None) -> Iterator[Sample]:
    """Yield the sample in blocks of columns that memory is meant for, with their bootstrap.

    Without a method that needs one, the sample comes as it is. `depth` is how many resamples from
    either end are put in order; None is all of them.
    """
    if not _needs_bootstrap(sample, estimation):
        return iter([sample])
    add_bootstrap = _resampler(estimation, sample.topics, depth, sample.strata)
    return (add_bootstrap(block, no_progress) for block in _blocks(sample, estimation))


def _needs_bootstrap(sample: Sample, estimation: Estimation) -> bool:
    return sample.fewest > 1 and estimation.resampling


def _width(estimation: Estimation) -> int:
    """Return how many columns are resampled at a time."""
    return max(1, _REPLICATES // estimation.number)


def _blocks(sample: Sample, estimation: Estimation) -> list[Sample]:
    """Return the sample in blocks of columns that are resampled at a time."""
    width = _width(estimation)
    columns = sample.scores.shape[1]
    return [sample.columns(slice(start, start + width)) for start in range(0, columns, width)]


def threads_for(estimation: Estimation) -> int:
    """Return how many threads may resample at a time: as many as there is memory for."""
    replicates = _width(estimation) * estimation.number
    most = min(max(1, _THREADS_REPLICATES // replicates), estimation.workers.here.threads)
    return threads_that_fit(most, 3 * 8 * replicates + _KEPT_COUNTS)  # rather too much


def _resampler(
    estimation: Estimation, topics: int, depth: int | None, strata: tuple[int, ...]
) -> Callable[[Sample, Progress], Sample]:
    """Return the function that adds the bootstrap to a block; threads may call it at once."""
    number = estimation.number
    draws = _Draws(topics, number, estimation.seed, strata)

    def add_bootstrap(block: Sample, progress: Progress) -> Sample:
        return resample(
            block.columns(slice(None)),  # freed with what it caches; blocks live to the end
            _counted(draws.counts(), number, progress),
            number,
            studentize=estimation.studentizing,
            depth=depth,
        )

    return add_bootstrap


def _counted(chunks: Iterable[Counts], total: int, progress: Progress) -> Iterator[Counts]:
    """Yield the chunks, and tell after each how many of the `total` resamples are done."""
    done = 0
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        progress(done, total)


class _Draws:
    """The resamples of topics, kept for the next columns where there is memory for them."""

    def __init__(self, topics: int, number: int, seed: int, strata: tuple[int, ...]) -> None:
        self._resamples = Resamples(topics, number, seed, strata)
        self._lock = Lock()

    def counts(self) -> Iterable[Counts]:
        """Return chunks [resample, topic] that count how often each topic is drawn."""
        if self._resamples.bytes > _KEPT_COUNTS:
            return self._resamples.counts()
        with self._lock:  # one thread draws them for all
            return self._kept

    @cached_property
    def _kept(self) -> list[Counts]:
        return self._resamples.in_few_bytes()


def resampled_roughly(sample: Sample, estimation: Estimation) -> Iterator[Sample]:
    """Yield the sample in blocks of columns with their bootstrap, in single precision if it does.

    Resamples are in order only as far in as limits usually lie. That is enough, and several times
    faster, where only the share of intervals that cover something is asked for. A block is good
    until the next one is asked for, which is computed in the same memory.
    """
    topics, columns = sample.scores.shape
    if not estimation.resampling:
        yield sample
        return
    number = estimation.number
    depth = estimation.depth_of(number)
    if topics > MOST_TOPICS or estimation.counts_of(topics) > _ROUGH_COUNTS:
        yield from resampled(sample, estimation, depth)
        return
    resamples = Resamples(topics, number, estimation.seed, sample.strata)
    counts = [chunk.astype(np.float32) for chunk in resamples.counts()]
    width = max(1, _ROUGH_REPLICATES // number)
    room = np.empty((2 * min(width, columns), number), np.float32)
    for start in range(0, columns, width):
        block = sample.columns(slice(start, start + width))
        yield resample_roughly(block, counts, room, studentize=estimation.studentizing, depth=depth)
