"""Intervals of many samples from scores whose mean is known: how often do they cover it?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.measures import canonical
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.scores import Matrix
from confint_cli.stats.estimate import (
    Estimation,
    ends,
    ideally_bootstrapped,
    resampled_roughly,
)
from confint_cli.stats.ideal.covering import SETS, Study, study_of
from confint_cli.stats.ideal.samples import OwnSamples, SharedSamples
from confint_cli.stats.methods import method_named
from confint_cli.stats.random import choose, derived, draw_of_all, draw_topics, generator
from confint_cli.stats.sample import Sample
from confint_cli.stats.standardize import means_and_sds

_BATCH = 50  # samples of a run that share the weights of their bootstrap, and so its error
_RUNS = 128  # runs, at most, whose samples share these weights; for others they are drawn again
_VALUES = 1 << 24  # means of resamples that a task computes, about: a third of a second's work
_PIECE = 20  # batches whose samples are judged together by the ideal bootstrap
_TOGETHER = 1 << 13  # samples that a task judges by it, about: a tenth of a second's work
_LARGE_POPULATION = 20  # times as many topics as a sample has: to count them all takes too long
_CELLS = 1 << 22  # scores of samples that are in memory at a time: 32 MB


class TooFewTopicsError(ValueError):
    """The runs drawn to standardise by differ on too few topics for a sample."""

    def __init__(self, measure: str, topics: int) -> None:
        super().__init__(measure, topics)  # so that it survives the way back from another process
        self.measure = measure
        self.topics = topics  # how many they differ on


@dataclass(frozen=True)
class Simulation:
    """How samples of topics are drawn from the scores at hand."""

    replicates: int  # samples of each run, by each measure and of each size
    sizes: tuple[int, ...] = ()  # topics in a sample; none: as many as there are
    replacement: bool = True
    standardizing: int | None = None  # how many runs are drawn for each sample to standardise it by

    def sizes_for(self, matrix: Matrix) -> tuple[int, ...]:
        """Return the sizes of samples by the measure of a matrix."""
        return self.sizes or (len(matrix.topics),)


@dataclass(frozen=True)
class Tally:
    """How many intervals of each run cover the truth, by one measure and size of samples."""

    covered: NDArray[np.int64]  # [run, method, method, level]: samples that both methods cover
    too_high: NDArray[np.int64]  # [run, method, level]: intervals that lie above the truth
    too_low: NDArray[np.int64]  # [run, method, level]: intervals that lie below the truth
    width: FloatArray  # [run, method, level]: the sum of the widths of all intervals
    left_out: int  # topics, over all samples, on which the runs to standardise by did not differ

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of the samples of both, of the same runs."""
        return Tally(
            self.covered + other.covered,
            self.too_high + other.too_high,
            self.too_low + other.too_low,
            self.width + other.width,
            self.left_out + other.left_out,
        )

    def beside(self, other: "Tally") -> "Tally":
        """Return the tally of the runs of both, those of the other behind its own."""
        return Tally(
            np.concatenate([self.covered, other.covered]),
            np.concatenate([self.too_high, other.too_high]),
            np.concatenate([self.too_low, other.too_low]),
            np.concatenate([self.width, other.width]),
            self.left_out + other.left_out,
        )


@dataclass(frozen=True)
class _Task:
    """Some batches of samples of some runs, by one measure."""

    place: int  # of the measure among all matrices
    first: int  # the first run
    end: int  # the run behind the last
    size: int  # topics in a sample
    batches: range

    def samples(self, simulation: Simulation) -> int:
        """Return how many samples it draws."""
        last = min(self.batches.stop * _BATCH, simulation.replicates)
        return (self.end - self.first) * (last - self.batches.start * _BATCH)


def tallies(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],  # of each measure
    estimation: Estimation,
    simulation: Simulation,
    progress: Progress = no_progress,
) -> dict[tuple[int, int], Tally]:
    """Return the tally by each measure (the place of its matrix) and size.

    A run's samples come from random numbers of its own, whatever other runs there are. Raises
    `TooFewTopicsError` where a sample cannot be standardised.
    """
    tasks = list(_tasks(matrices, estimation, simulation))
    by_runs: dict[tuple[int, int], dict[int, Tally]] = {}  # by the first run of each block
    total = sum(task.samples(simulation) for task in tasks)
    done = 0
    progress(done, total)
    settings = (matrices, methods, estimation.alone, simulation)
    work = estimation.workers.map(_worker, settings, tasks, together=1)
    for task, batches in zip(tasks, work, strict=True):
        runs = by_runs.setdefault((task.place, task.size), {})
        for batch in batches:  # one after the other, so that sums do not depend on the tasks
            runs[task.first] = runs[task.first] + batch if task.first in runs else batch
        done += task.samples(simulation)
        progress(done, total)
    return {key: reduce(Tally.beside, runs.values()) for key, runs in by_runs.items()}


def _tasks(
    matrices: Sequence[Matrix], estimation: Estimation, simulation: Simulation
) -> Iterator[_Task]:
    """Yield the work in tasks: blocks of runs that share weights, a few batches at a time."""
    batches = -(-simulation.replicates // _BATCH)
    for place, matrix in enumerate(matrices):
        for size in simulation.sizes_for(matrix):
            if estimation.ideal:
                runs = max(1, _TOGETHER // simulation.replicates)
                step = max(_PIECE, _TOGETHER // _BATCH // _PIECE * _PIECE)
                for first in range(0, len(matrix.runs), runs):
                    end = min(first + runs, len(matrix.runs))
                    for batch in range(0, batches, step):
                        some = range(batch, min(batch + step, batches))
                        yield _Task(place, first, end, size, some)
                continue
            runs = max(1, min(_RUNS, _CELLS // (_BATCH * size)))
            blocks = -(-len(matrix.runs) // runs)
            bounds = [len(matrix.runs) * block // blocks for block in range(blocks + 1)]
            for first, end in pairwise(bounds):
                values = estimation.number if estimation.resampling else size
                step = max(1, _VALUES // ((end - first) * _BATCH * values))
                for batch in range(0, batches, step):
                    yield _Task(place, first, end, size, range(batch, min(batch + step, batches)))


def _worker(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    estimation: Estimation,
    simulation: Simulation,
) -> Callable[[_Task], list[Tally]]:
    """Return the function that does a task; it returns a tally for each batch."""

    def work(task: _Task) -> list[Tally]:
        matrix, by_methods = matrices[task.place], estimation.by(methods[task.place])
        if by_methods.ideal:
            return list(_ideal_tallies(matrix, task, by_methods, simulation))
        return [_batch(matrix, task, batch, by_methods, simulation) for batch in task.batches]

    return work


def _batch(
    matrix: Matrix, task: _Task, batch: int, estimation: Estimation, simulation: Simulation
) -> Tally:
    """Return the tally of one batch of samples of each run of a task."""
    populations = [
        _population(matrix, run, task.size, batch, estimation.seed, simulation)
        for run in range(task.first, task.end)
    ]
    estimation = replace(estimation, seed=derived(estimation.seed, "weights", task.size, batch))
    number = min(_BATCH, simulation.replicates - batch * _BATCH)
    at_once = max(1, min(number, _CELLS // task.size))
    by_piece = []
    for done in range(0, number, at_once):
        fewer = min(at_once, number - done)
        drawn = [population.draw(fewer, task.size) for population in populations]
        by_piece.append(_tally(drawn, estimation))
    return reduce(Tally.__add__, by_piece)


def _tally(drawn: Sequence["_Drawn"], estimation: Estimation) -> Tally:
    """Return the tally of some samples of each run."""
    together = Sample(
        np.hstack([of_run.scores for of_run in drawn]),
        population_sd=np.hstack([of_run.sd for of_run in drawn]),
    )
    truth = np.hstack([of_run.truth for of_run in drawn])
    done, compared = 0, []
    for sample in resampled_roughly(together, estimation):
        columns = slice(done, done := done + len(sample.mean))
        compared.append(_compare(sample, truth[columns], estimation))
    by_run = (len(estimation.methods), len(estimation.levels), len(drawn), -1)
    too_high, too_low, width = (
        np.concatenate(blocks, axis=2).reshape(by_run) for blocks in zip(*compared, strict=True)
    )
    left_out = sum(of_run.left_out for of_run in drawn)
    return tally_of(too_high, too_low, width.sum(axis=3), left_out)


def tally_of(too_high: BoolArray, too_low: BoolArray, width: FloatArray, left_out: int) -> Tally:
    """Return the tally of intervals above and below the truth, [method, level, run, sample].

    `width` is [method, level, run], the sum over the samples.
    """
    covered = (~(too_high | too_low)).transpose(2, 1, 0, 3).astype(np.float64)
    both = covered @ covered.transpose(0, 1, 3, 2)  # [run, level, method, method]
    return Tally(
        both.transpose(0, 2, 3, 1).astype(np.int64),
        too_high.sum(axis=3).transpose(2, 0, 1),
        too_low.sum(axis=3).transpose(2, 0, 1),
        width.transpose(2, 0, 1),
        left_out,
    )


def _ideal_tallies(
    matrix: Matrix, task: _Task, estimation: Estimation, simulation: Simulation
) -> Iterator[Tally]:
    """Yield the tallies of some batches at a time, without resampling the samples."""
    # Samples are counted by topic, and a large collection has many topics.
    counted = min(len(matrix.topics), _LARGE_POPULATION * task.size)
    step = max(1, min(_PIECE, _CELLS // (_BATCH * max(task.size, counted))))
    for first in range(task.batches.start, task.batches.stop, step):
        batches = range(first, min(first + step, task.batches.stop))
        by_run, left_out = [], 0
        for run in range(task.first, task.end):
            drawn = [
                _population(matrix, run, task.size, batch, estimation.seed, simulation).draw(
                    min(_BATCH, simulation.replicates - batch * _BATCH), task.size
                )
                for batch in batches
            ]
            together = _Drawn.together(drawn)
            left_out += together.left_out
            trials = derived(0, matrix.runs[run], canonical(matrix.measure)) % SETS
            by_run.append(_judge(together, matrix.values[:, run], estimation, trials))
        too_high, too_low, width = (np.stack(parts, axis=2) for parts in zip(*by_run, strict=True))
        yield tally_of(too_high, too_low, width, left_out)


def _judge(
    drawn: "_Drawn", scores: FloatArray, estimation: Estimation, trials: int
) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Return which intervals of samples of one run lie above the truth and which below.

    These are [method, level, sample]; the third array is the sum of their widths, [method, level].
    `scores` [topic] are those of the run, and `trials` says which resamples are for doubtful ones.
    """
    levels = np.array(estimation.levels)
    sample = Sample(drawn.scores, population_sd=drawn.sd)
    seed = derived(estimation.seed, "trials", sample.topics, trials)
    study = drawn.study(scores, levels, seed)
    shape = (len(estimation.methods), len(levels), len(drawn.truth))
    too_high, too_low = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    width = np.zeros(shape[:2])
    by_limits = []
    for place, method in enumerate(map(method_named, estimation.methods)):
        if method.covers is None or not method.resamples:
            by_limits.append(place)
        elif study is not None:
            judged = method.covers(study)
            too_high[place], too_low[place] = judged.too_high, judged.too_low
            width[place] = judged.width
    if by_limits:
        others = estimation.by(tuple(estimation.methods[place] for place in by_limits))
        blocks = ideally_bootstrapped(sample, others) if others.resampling else [sample]
        done = 0
        for block in blocks:
            columns = slice(done, done := done + len(block.mean))
            found = _compare(block, drawn.truth[columns], others)
            too_high[by_limits, :, columns], too_low[by_limits, :, columns] = found[:2]
            width[by_limits] += found[2].sum(axis=2)
    return too_high, too_low, width


def _compare(
    sample: Sample, truth: FloatArray, estimation: Estimation
) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Return which intervals lie above the truth, which below, and how wide they are.

    All three are [method, level, column]; `truth` is [column]. A limit that is the truth but for
    rounding covers it: with coarse scores, such as those of P_10, many are.
    """
    levels = np.array(estimation.levels)
    too_high, too_low, width = [], [], []
    for method in map(method_named, estimation.methods):
        low, high = ends(sample, method, levels)
        rounding = sample.resampled.rounding if method.resamples else sample.rounding
        too_high.append(truth < low - rounding)
        too_low.append(truth > high + rounding)
        width.append(high - low)
    return np.stack(too_high), np.stack(too_low), np.stack(width)


@dataclass(frozen=True)
class _Drawn:
    """Samples of one run, a column each, and the moments of their populations."""

    scores: FloatArray  # [topic, sample]
    truth: FloatArray  # [sample]: the mean of the population
    sd: FloatArray  # [sample]: its standard deviation, which divides by its size
    left_out: int  # topics that could not be standardised, over all samples
    places: Positions | None = None  # [sample, topic] in the population, if all have the same

    @classmethod
    def together(cls, parts: Sequence["_Drawn"]) -> "_Drawn":
        """Return the samples of all parts, one behind the other."""
        places = [part.places for part in parts if part.places is not None]
        return cls(
            np.hstack([part.scores for part in parts]),
            np.hstack([part.truth for part in parts]),
            np.hstack([part.sd for part in parts]),
            sum(part.left_out for part in parts),
            np.vstack(places) if places else None,
        )

    def study(self, population: FloatArray, levels: FloatArray, seed: int) -> Study | None:
        """Return the study of the samples, None if scores do not vary: all intervals cover then.

        `population` [topic] are the scores that they are drawn from, if all have the same.
        """
        if self.places is None:
            scale = np.where(self.sd > 0, self.sd, 1.0)
            own = OwnSamples(np.ascontiguousarray(((self.scores - self.truth) / scale).T))
            return study_of(own, self.truth, scale, levels, seed)
        if Sample(population[:, None]).constant[0]:
            return None
        number, size = self.places.shape
        large = len(population) > _LARGE_POPULATION * size
        shared = SharedSamples.of(population, self.places[:0] if large else self.places)
        samples = OwnSamples.of_shared(shared, self.places) if large else shared
        truth, scale = (np.full(number, value) for value in (shared.truth, shared.scale))
        return study_of(samples, truth, scale, levels, seed)


def _population(
    matrix: Matrix, run: int, size: int, batch: int, seed: int, simulation: Simulation
) -> "_Population":
    """Return the scores of a run, to draw the samples of a batch from by random numbers of its own.

    They depend on names, whatever other runs there are, in whatever spelling the measure comes.
    """
    names = "samples", matrix.runs[run], canonical(matrix.measure), size, batch
    return _Population(matrix, run, simulation, generator(derived(seed, *names)))


@lru_cache(maxsize=_RUNS)
def _moments(scores: bytes) -> tuple[float, float]:
    """Return mean and sd, which divides by n, of a population's scores, given by their bytes.

    All batches of samples ask for them.
    """
    whole = Sample(np.frombuffer(scores)[:, None])
    return float(whole.mean[0]), float(whole.sd[0] * np.sqrt((whole.topics - 1) / whole.topics))


@dataclass(frozen=True)
class _Population:
    """The scores of a run, to draw samples from."""

    matrix: Matrix
    run: int  # its place in the matrix
    simulation: Simulation
    random: np.random.Generator

    def draw(self, number: int, size: int) -> _Drawn:
        """Return `number` samples, each of `size` topics."""
        if self.simulation.standardizing is not None:
            return self._draw_standardized(number, size, self.simulation.standardizing)
        scores = self.matrix.values[:, self.run]
        if self.simulation.replacement:
            places = draw_of_all(self.random, number, len(scores), size)
        else:
            usable = np.ones((number, len(scores)), dtype=bool)
            places = draw_topics(self.random, usable, size, replacement=False)
        truth, sd = _moments(scores.tobytes())
        return _Drawn(scores[places].T, np.full(number, truth), np.full(number, sd), 0, places)

    def _draw_standardized(self, number: int, size: int, by: int) -> _Drawn:
        """Return `number` samples of `size` topics, each standardised by `by` other runs.

        These runs are drawn for each sample. Its population is all topics on which they differ.
        """
        matrix, replacement = self.matrix, self.simulation.replacement
        # By name, whatever order they are shown in; never the run itself as its own yardstick.
        others = np.array(
            [
                other
                for other in sorted(range(len(matrix.runs)), key=lambda run: matrix.runs[run])
                if other != self.run
            ]
        )
        chosen = others[choose(self.random, number, len(others), by)]
        mean, sd = means_and_sds(np.ascontiguousarray(matrix.values.T)[chosen])  # [sample, topic]
        usable = sd > 0
        left = usable.sum(axis=1)
        if left.min() < (2 if replacement else size):
            raise TooFewTopicsError(matrix.measure, int(left.min()))
        scores = np.zeros(mean.shape)
        np.divide(matrix.values[:, self.run] - mean, sd, out=scores, where=usable)
        places = draw_topics(self.random, usable, size, replacement=replacement)
        truth = scores.sum(axis=1) / left
        squares = ((scores - truth[:, None]) ** 2).sum(axis=1, where=usable)
        return _Drawn(
            np.take_along_axis(scores, places, axis=1).T,
            truth,
            np.sqrt(squares / left),
            int(np.sum(~usable)),
        )
