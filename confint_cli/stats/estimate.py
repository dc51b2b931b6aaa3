"""Intervals of many columns by several methods at several levels, in bounded memory."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from threading import Lock

import numpy as np

from confint_cli.common.arrays import Counts, FloatArray, TextArray
from confint_cli.common.cluster import Cluster
from confint_cli.common.errors import CallError
from confint_cli.common.parallel import Jobs, in_threads, jobs_here, map_in_order
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.system import threads_that_fit
from confint_cli.stats.bootstrap import MOST_TOPICS, resample, resample_roughly
from confint_cli.stats.flags import Doubts, notes_on
from confint_cli.stats.methods import MOST_RESAMPLES, method_named
from confint_cli.stats.methods.method import Ends, Limits, Method
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.sample import Sample

LARGEST_ERROR = 0.05  # of a limit, as a share of the half-width, before we warn
_REPLICATES = 1 << 21  # of all columns that are resampled at a time: 16 MB
_THREADS_REPLICATES = 1 << 24  # of all threads together: 128 MB, with standard errors twice that
_ROUGH_REPLICATES = 1 << 20  # the same in single precision, near the processor: 4 MB
_KEPT_COUNTS = 1 << 27  # bytes of counts that are kept for the next columns, not drawn again
_ROUGH_COUNTS = 1 << 22  # the same in single precision: 16 MB


@dataclass(frozen=True)
class RandomDraws:
    """What random numbers are called that limits come from."""

    name: str  # and that of the option for their number
    most: int
    otherwise: str  # what to do where no number of them would do

    def check(self, number: int, least: int, purpose: str) -> None:
        """Refuse fewer than are the least for a purpose."""
        if number >= least:
            return
        problem = f"too few for {purpose}"
        if least > self.most:
            raise CallError(f"{self.most} {self.name}, the most there are, are {problem}")
        given = f"{number} {self.name} are" if number > 1 else f"1 {self.name[:-1]} is"
        raise CallError(
            f"{given} {problem}",
            f"--{self.name} {least} is the least for it, and ten times as many are better",
        )


def fewest_draws(level: float, tails: int) -> int:
    """Return how many draws have a quantile in each of so many tails at a level."""
    error = 1 - Decimal(repr(level))  # 1 - 0.999 is no 0.001 in floats
    return math.ceil(tails / error) - 1


RESAMPLES = RandomDraws("resamples", MOST_RESAMPLES, "choose a lower level or another method")
DRAWS = RandomDraws("draws", MOST_RESAMPLES, "choose a lower level")
USUAL_DRAWS = 10_000


@dataclass(frozen=True)
class Estimation:
    """Which intervals to compute."""

    methods: tuple[str, ...]
    levels: tuple[float, ...]
    resamples: int = 10_000
    seed: int = 0
    optional: frozenset[str] = frozenset()  # methods to leave out where scores are unfit for them
    jobs: Jobs = None
    draws: int = USUAL_DRAWS  # of tests, simultaneous intervals and ranks
    immunity: bool = True  # whether notes leave out what methods are immune to

    def __post_init__(self) -> None:
        """Refuse levels that so few resamples say nothing about."""
        RESAMPLES.check(self.resamples, self.fewest_resamples, f"level {max(self.levels)}")

    @property
    def fewest_resamples(self) -> int:
        """How many resamples have quantiles as far out as the limits of both tails are."""
        chosen = map(method_named, self.methods)
        if not any(method.resamples and method.quantiles for method in chosen):
            return 1
        return fewest_draws(max(self.levels), 2)

    def check_simultaneous(self) -> None:
        """Refuse too few draws for intervals that hold for all comparisons at once."""
        level = max(self.levels)
        purpose = f"simultaneous intervals of level {level}"
        DRAWS.check(self.draws, fewest_draws(level, 1), purpose)

    @property
    def drawing(self) -> Drawing:
        """How tests, simultaneous intervals and ranks draw random numbers."""
        return Drawing(self.draws, self.seed, self.jobs)

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
    notes: Mapping[str, TextArray]  # by method, [level, column]

    def columns(self, start: int, end: int) -> "Estimate":
        """Return what was found of some of the columns."""
        here = slice(start, end)
        return Estimate(
            self.topics,
            self.mean[here],
            self.sd[here],
            self.se[here],
            {name: limits.columns(here) for name, limits in self.limits.items()},
            {name: notes[:, here] for name, notes in self.notes.items()},
        )


def estimate(scores: FloatArray, how: Estimation, progress: Progress = no_progress) -> Estimate:
    """Return the intervals of every column of scores[topic, column]."""
    return estimate_sample(Sample(scores), how, progress)


def estimate_sample(sample: Sample, how: Estimation, progress: Progress = no_progress) -> Estimate:
    """Return the intervals of every column of a sample."""
    work = _Parts(sample, how, progress, how.tail_depth)
    if work.needed and isinstance(how.jobs, Cluster):
        parts = _on_cluster(work, how.jobs)
    else:
        parts = _in_threads(work)
    return Estimate(
        sample.topics,
        np.hstack([part.mean for part in parts]),
        np.hstack([part.sd for part in parts]),
        np.hstack([part.se for part in parts]),
        {name: Limits.beside([part.limits[name] for part in parts]) for name in how.methods},
        {name: np.hstack([part.notes[name] for part in parts]) for name in how.methods},
    )


def _in_threads(work: "_Parts") -> list[Estimate]:
    """Return the intervals of each part of the columns."""

    def of_columns(here: slice) -> Estimate:
        return _of_columns(work.resampled(here), work.how)

    return in_threads(of_columns, work.parts, jobs=work.threads, stop=work.stop)


def _on_cluster(work: "_Parts", cluster: Cluster) -> list[Estimate]:
    """Return the same, found by workers that draw the same resamples."""
    samples = [work.sample.columns(here) for here in work.parts]
    settings = (work.how, work.sample.topics, work.depth)
    parts = []
    for part in map_in_order(_estimator, settings, samples, jobs=cluster):
        parts.append(part)
        work.tell(work.how.resamples)
    return parts


def _estimator(how: Estimation, topics: int, depth: int) -> Callable[[Sample], Estimate]:
    draws = _Draws(topics, how)

    def of_columns(sample: Sample) -> Estimate:
        bootstrap = resample(
            sample, draws.counts(), how.resamples, studentize=how.studentizing, depth=depth
        )
        return _of_columns(bootstrap, how)

    return of_columns


def _of_columns(sample: Sample, how: Estimation) -> Estimate:
    """Return the intervals of columns that have been resampled if they need to be."""
    limits = {name: _limits(sample, method_named(name), how) for name in how.methods}
    doubts = Doubts.about(sample)
    notes = {
        name: notes_on(doubts, limits[name], method_named(name).immune if how.immunity else ())
        for name in how.methods
    }
    return Estimate(sample.topics, sample.mean, sample.sd, sample.se, limits, notes)


def _limits(sample: Sample, method: Method, how: Estimation) -> Limits:
    """Return a method's limits with their errors: none for one topic."""
    low = high = np.full((len(how.levels), len(sample.mean)), np.nan)
    low_error = high_error = np.zeros_like(low)
    if sample.topics > 1:
        levels = np.array(how.levels)
        low, high = ends(sample, method, levels)
        if method.error is not None:
            errors = method.error(sample, levels)
            low_error, high_error = (np.where(sample.constant, 0.0, error) for error in errors)
    return Limits(low, high, low_error, high_error)


def ends(sample: Sample, method: Method, levels: FloatArray) -> Ends:
    """Return a method's limits: [m, m] for columns without variance.

    Limits of differences that are 0 but for the last bits are 0, as they decide who is ahead.
    """
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
    work = _Parts(sample, how, depth=depth)
    return map(work.resampled, work.parts)


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


class _Parts:
    """So many columns at a time as memory is meant for, resampled by any number of threads."""

    def __init__(
        self,
        sample: Sample,
        how: Estimation,
        progress: Progress = no_progress,
        depth: int | None = None,
    ) -> None:
        self.sample, self.how, self.depth = sample, how, depth
        topics, columns = sample.scores.shape
        self.needed = topics > 1 and how.resampling
        self.width = max(1, _REPLICATES // how.resamples) if self.needed else columns
        self.parts = [slice(start, start + self.width) for start in range(0, columns, self.width)]
        self._draws = _Draws(topics, how)
        self._progress, self._done, self._total = progress, 0, how.resamples * len(self.parts)
        self._lock = Lock()
        self._stopped = False
        if self.needed:
            progress(0, self._total)

    @property
    def threads(self) -> int:
        """How many threads there is memory for."""
        replicates = self.width * self.how.resamples
        most = min(max(1, _THREADS_REPLICATES // replicates), jobs_here(self.how.jobs))
        if not self.needed:
            return most
        return threads_that_fit(most, 3 * 8 * replicates + _KEPT_COUNTS)  # rather too much

    def resampled(self, here: slice) -> Sample:
        """Return some columns, with their bootstrap if it is needed."""
        if not self.needed:
            return self.sample
        return resample(
            self.sample.columns(here),
            self._counted(self._draws.counts()),
            self.how.resamples,
            studentize=self.how.studentizing,
            depth=self.depth,
        )

    def _counted(self, chunks: Iterable[Counts]) -> Iterator[Counts]:
        """Yield the chunks and tell how many of all resamples are done."""
        for chunk in chunks:
            if self._stopped:
                raise InterruptedError
            yield chunk
            self.tell(len(chunk))

    def tell(self, done: int) -> None:
        """Tell that so many more of all resamples are done."""
        with self._lock:
            self._done += done
            self._progress(self._done, self._total)

    def stop(self) -> None:
        """Make all that is going on end soon, for whatever it gives."""
        self._stopped = True


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
