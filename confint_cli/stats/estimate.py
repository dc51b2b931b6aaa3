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
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.system import threads_that_fit
from confint_cli.stats.bootstrap import MOST_TOPICS, resample, resample_roughly
from confint_cli.stats.flags import Doubt, DoubtArray, doubts_about, doubts_about_limits
from confint_cli.stats.methods import method_named
from confint_cli.stats.methods.method import Ends, Limits, Method
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.sample import Sample

USUAL_DRAWS = 10_000
_REPLICATES = 1 << 21  # of all columns that are resampled at a time: 16 MB
_THREADS_REPLICATES = 1 << 24  # of all threads together: 128 MB, with standard errors twice that
_ROUGH_REPLICATES = 1 << 20  # the same in single precision, near the processor: 4 MB
_KEPT_COUNTS = 1 << 27  # bytes of counts that are kept for the next columns, not drawn again
_ROUGH_COUNTS = 1 << 22  # the same in single precision: 16 MB


def fewest_draws(level: float, tails: int) -> int:
    """Return how many draws have a quantile in each of so many tails at a level."""
    error = 1 - Decimal(repr(level))  # 1 - 0.999 is no 0.001 in floats
    return math.ceil(tails / error) - 1


@dataclass(frozen=True)
class Estimation:
    """Which intervals to compute."""

    methods: tuple[str, ...]
    levels: tuple[float, ...]
    resamples: int = 10_000
    seed: int = 0
    optional: frozenset[str] = frozenset()  # methods to leave out where scores are unfit for them
    workers: Workers = ALL_CORES  # who resamples and draws
    draws: int = USUAL_DRAWS  # of tests, simultaneous intervals and ranks
    immunity: bool = True  # whether doubts are left out that methods are immune to

    @property
    def fewest_resamples(self) -> int:
        """How many resamples have quantiles as far out as the limits of both tails are."""
        chosen = map(method_named, self.methods)
        if not any(method.resamples and method.quantiles for method in chosen):
            return 1
        return fewest_draws(max(self.levels), 2)

    @property
    def fewest_draws(self) -> int:
        """How many draws have a quantile as far out as simultaneous limits at all levels are."""
        return fewest_draws(max(self.levels), 1)

    @property
    def drawing(self) -> Drawing:
        """How tests, simultaneous intervals and ranks draw random numbers."""
        return Drawing(self.draws, self.seed, self.workers)

    @property
    def alone(self) -> "Estimation":
        """The same for a worker, which does its part alone."""
        return replace(self, workers=ALONE)

    def by(self, methods: tuple[str, ...]) -> "Estimation":
        """Return the same by some of the methods only."""
        return replace(self, methods=methods)

    @property
    def tail_depth(self) -> int:
        """So far in from either end of the ordered resamples limits lie, even most of BCa's."""
        return math.ceil(2.5 * (1 - min(self.levels)) / 2 * self.resamples) + 1

    @property
    def resampling(self) -> bool:
        """Whether any method needs a bootstrap."""
        return any(method_named(name).resamples for name in self.methods)

    @property
    def studentizing(self) -> bool:
        """Whether any method needs the standard error of every resample."""
        return any(method_named(name).studentized for name in self.methods)

    def counts_of(self, topics: int) -> int:
        """Return how many counts of topics the resamples have."""
        return topics * self.resamples


@dataclass(frozen=True)
class Estimate:
    """What was found of each column; a missing value is NaN."""

    topics: int
    mean: FloatArray
    sd: FloatArray
    se: FloatArray
    limits: Mapping[str, Limits]  # by method
    doubts: Mapping[str, DoubtArray]  # by method, [level, column]

    def columns(self, start: int, end: int) -> "Estimate":
        """Return what was found of some of the columns."""
        here = slice(start, end)
        return Estimate(
            self.topics,
            self.mean[here],
            self.sd[here],
            self.se[here],
            {name: limits.columns(here) for name, limits in self.limits.items()},
            {name: doubts[:, here] for name, doubts in self.doubts.items()},
        )

    @classmethod
    def beside(cls, parts: Sequence["Estimate"]) -> "Estimate":
        """Return what was found of the columns of all parts."""
        first = parts[0]
        return cls(
            first.topics,
            np.hstack([part.mean for part in parts]),
            np.hstack([part.sd for part in parts]),
            np.hstack([part.se for part in parts]),
            {name: Limits.beside([part.limits[name] for part in parts]) for name in first.limits},
            {name: np.hstack([part.doubts[name] for part in parts]) for name in first.doubts},
        )


def estimate(sample: Sample, how: Estimation, progress: Progress = no_progress) -> Estimate:
    """Return the intervals of every column of a sample."""
    if not _needs_bootstrap(sample, how):
        return _of_columns(sample, how)
    parts = _parts(sample, how)
    progress(0, how.resamples * len(parts))
    settings = (how.alone, sample.topics)
    found = how.workers.compute(_estimator, settings, parts, progress, threads=threads_for(how))
    return Estimate.beside(found)


def _estimator(how: Estimation, topics: int) -> Callable[[Sample, Progress], Estimate]:
    add_bootstrap = _resampler(how, topics, how.tail_depth)

    def of_columns(part: Sample, progress: Progress) -> Estimate:
        return _of_columns(add_bootstrap(part, progress), how)

    return of_columns


def _of_columns(sample: Sample, how: Estimation) -> Estimate:
    """Return the intervals of columns that have been resampled if they need to be."""
    levels, about_columns = np.array(how.levels), doubts_about(sample)
    limits, doubts = {}, {}
    for name in how.methods:
        method = method_named(name)
        low, high = ends(sample, method, levels)
        immune = method.immune if how.immunity else Doubt.NONE
        limits[name] = Limits(low, high, *_errors(sample, method, levels))
        doubts[name] = doubts_about_limits(about_columns, low, high, immune)
    return Estimate(sample.topics, sample.mean, sample.sd, sample.se, limits, doubts)


def _errors(sample: Sample, method: Method, levels: FloatArray) -> Ends:
    """Return by how much other random numbers might move a method's limits."""
    if method.error is None or sample.topics < 2:
        none = np.zeros((len(levels), len(sample.mean)))
        return none, none
    low, high = method.error(sample, levels)
    return np.where(sample.constant, 0.0, low), np.where(sample.constant, 0.0, high)


def ends(sample: Sample, method: Method, levels: FloatArray) -> Ends:
    """Return a method's limits: none for one topic, [m, m] for columns without variance.

    Limits of differences that are 0 but for the last bits are 0, as they decide who is ahead.
    """
    if sample.topics < 2:
        none = np.full((len(levels), len(sample.mean)), np.nan)
        return none, none
    low, high = method.interval(sample, levels)
    if sample.sizes is not None:
        rounding = sample.resampled.rounding if method.resamples else sample.rounding
        low, high = (np.where(np.abs(end) <= rounding, 0.0, end) for end in (low, high))
    if not method.constant_is_point:
        return low, high
    constant, mean = sample.constant, sample.mean
    return np.where(constant, mean, low), np.where(constant, mean, high)


def resampled(sample: Sample, how: Estimation, depth: int | None = None) -> Iterator[Sample]:
    """Yield so many columns at a time as memory is meant for, with their bootstrap if needed.

    `depth` is how far in from the ends resamples are put in order; None is all the way.
    """
    if not _needs_bootstrap(sample, how):
        return iter([sample])
    add_bootstrap = _resampler(how, sample.topics, depth)
    return (add_bootstrap(part, no_progress) for part in _parts(sample, how))


def _needs_bootstrap(sample: Sample, how: Estimation) -> bool:
    return sample.topics > 1 and how.resampling


def _width(how: Estimation) -> int:
    """Return how many columns are resampled at a time."""
    return max(1, _REPLICATES // how.resamples)


def _parts(sample: Sample, how: Estimation) -> list[Sample]:
    """Return so many columns at a time as memory is meant for."""
    width = _width(how)
    columns = sample.scores.shape[1]
    return [sample.columns(slice(start, start + width)) for start in range(0, columns, width)]


def threads_for(how: Estimation) -> int:
    """Return how many threads may resample at a time: as many as there is memory for."""
    replicates = _width(how) * how.resamples
    most = min(max(1, _THREADS_REPLICATES // replicates), how.workers.here.threads)
    return threads_that_fit(most, 3 * 8 * replicates + _KEPT_COUNTS)  # rather too much


def _resampler(
    how: Estimation, topics: int, depth: int | None
) -> Callable[[Sample, Progress], Sample]:
    """Return what adds the bootstrap to some columns, for any number of threads."""
    draws = _Draws(topics, how)

    def add_bootstrap(part: Sample, progress: Progress) -> Sample:
        return resample(
            part.columns(slice(None)),  # what it computes is freed with it; parts live to the end
            _counted(draws.counts(), how.resamples, progress),
            how.resamples,
            studentize=how.studentizing,
            depth=depth,
        )

    return add_bootstrap


def _counted(chunks: Iterable[Counts], total: int, progress: Progress) -> Iterator[Counts]:
    """Yield chunks of resamples and tell how many are done."""
    done = 0
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        progress(done, total)


class _Draws:
    """The resamples of topics, kept for the next columns where there is memory for them."""

    def __init__(self, topics: int, how: Estimation) -> None:
        self._resamples = Resamples(topics, how.resamples, how.seed)
        self._lock = Lock()

    def counts(self) -> Iterable[Counts]:
        """Return chunks of rows that count how often each topic is drawn."""
        if self._resamples.bytes > _KEPT_COUNTS:
            return self._resamples.counts()
        with self._lock:  # one thread draws them for all
            return self._kept

    @cached_property
    def _kept(self) -> list[Counts]:
        return self._resamples.in_few_bytes()


def resampled_roughly(sample: Sample, how: Estimation) -> Iterator[Sample]:
    """Yield the same in order only as far in as limits usually lie, in single precision if it does.

    That is enough, and several times faster, where only the share of intervals that cover
    something is asked for. What is yielded is good until the next is asked for.
    """
    topics, columns = sample.scores.shape
    depth = how.tail_depth
    if not how.resampling or topics > MOST_TOPICS or how.counts_of(topics) > _ROUGH_COUNTS:
        yield from resampled(sample, how, depth)
        return
    resamples = Resamples(topics, how.resamples, how.seed)
    counts = [chunk.astype(np.float32) for chunk in resamples.counts()]
    width = max(1, _ROUGH_REPLICATES // how.resamples)
    room = np.empty((2 * min(width, columns), how.resamples), np.float32)
    for start in range(0, columns, width):
        here = sample.columns(slice(start, start + width))
        yield resample_roughly(here, counts, room, studentize=how.studentizing, depth=depth)
