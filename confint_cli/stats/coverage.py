"""Intervals of many samples from scores whose mean is known: how often do they cover it?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.measures import canonical
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.scores import Matrix
from confint_cli.stats.estimate import Estimation, ends, resampled_roughly
from confint_cli.stats.methods import method_named
from confint_cli.stats.random import choose, derived, draw_topics, generator
from confint_cli.stats.sample import Sample
from confint_cli.stats.standardize import means_and_sds

_BATCH = 50  # samples of a run that share the weights of their bootstrap, and so its error
_RUNS = 128  # runs, at most, whose samples share these weights; for others they are drawn again
_VALUES = 1 << 24  # means of resamples that a task computes, about: a third of a second's work
_CELLS = 1 << 22  # scores of samples that are in memory at a time: 32 MB


class TooFewTopicsError(ValueError):
    """The runs drawn to standardise by differ on too few topics for a sample."""

    def __init__(self, measure: str, topics: int) -> None:
        super().__init__(measure, topics)  # so that it survives the way back from another process
        self.measure = measure
        self.topics = topics  # how many they differ on


@dataclass(frozen=True)
class Design:
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


@dataclass(frozen=True)
class _Task:
    """Some batches of samples of some runs, by one measure."""

    place: int  # of the measure among all matrices
    first: int  # the first run
    end: int  # the run behind the last
    size: int  # topics in a sample
    batches: range

    def samples(self, design: Design) -> int:
        """Return how many samples it draws."""
        last = min(self.batches.stop * _BATCH, design.replicates)
        return (self.end - self.first) * (last - self.batches.start * _BATCH)


def tallies(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],  # of each measure
    estimation: Estimation,
    design: Design,
    progress: Progress = no_progress,
) -> dict[tuple[int, int], Tally]:
    """Return the tally by each measure (the place of its matrix) and size.

    A run's samples come from random numbers of its own, whatever other runs there are. Raises
    `TooFewTopicsError` where a sample cannot be standardised.
    """
    tasks = list(_tasks(matrices, estimation, design))
    by_runs: dict[tuple[int, int], dict[int, Tally]] = {}  # by the first run of each block
    total = sum(task.samples(design) for task in tasks)
    done = 0
    progress(done, total)
    settings = (matrices, methods, estimation.alone, design)
    work = estimation.workers.map(_worker, settings, tasks, together=1)
    for task, batches in zip(tasks, work, strict=True):
        runs = by_runs.setdefault((task.place, task.size), {})
        for batch in batches:  # one after the other, so that sums do not depend on the tasks
            runs[task.first] = runs[task.first] + batch if task.first in runs else batch
        done += task.samples(design)
        progress(done, total)
    return {key: _beside(list(runs.values())) for key, runs in by_runs.items()}


def _beside(blocks: Sequence[Tally]) -> Tally:
    """Return the tally of the runs of all blocks, one behind the other."""
    return Tally(
        np.concatenate([block.covered for block in blocks]),
        np.concatenate([block.too_high for block in blocks]),
        np.concatenate([block.too_low for block in blocks]),
        np.concatenate([block.width for block in blocks]),
        sum(block.left_out for block in blocks),
    )


def _tasks(matrices: Sequence[Matrix], estimation: Estimation, design: Design) -> Iterator[_Task]:
    """Yield the work in tasks: blocks of runs that share weights, a few batches at a time."""
    batches = -(-design.replicates // _BATCH)
    for place, matrix in enumerate(matrices):
        for size in design.sizes_for(matrix):
            runs = max(1, min(_RUNS, _CELLS // (_BATCH * size)))
            blocks = -(-len(matrix.runs) // runs)
            bounds = [len(matrix.runs) * block // blocks for block in range(blocks + 1)]
            for first, end in pairwise(bounds):
                values = (estimation.resamples or size) if estimation.resampling else size
                step = max(1, _VALUES // ((end - first) * _BATCH * values))
                for batch in range(0, batches, step):
                    yield _Task(place, first, end, size, range(batch, min(batch + step, batches)))


def _worker(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    estimation: Estimation,
    design: Design,
) -> Callable[[_Task], list[Tally]]:
    """Return the function that does a task; it returns a tally for each batch."""

    def work(task: _Task) -> list[Tally]:
        matrix, by_methods = matrices[task.place], estimation.by(methods[task.place])
        return [_batch(matrix, task, batch, by_methods, design) for batch in task.batches]

    return work


def _batch(
    matrix: Matrix, task: _Task, batch: int, estimation: Estimation, design: Design
) -> Tally:
    """Return the tally of one batch of samples of each run of a task."""
    measure = canonical(matrix.measure)  # whatever its spelling
    populations = [
        _Population(
            matrix,
            run,
            design,
            generator(
                derived(estimation.seed, "samples", matrix.runs[run], measure, task.size, batch)
            ),
        )
        for run in range(task.first, task.end)
    ]
    estimation = replace(estimation, seed=derived(estimation.seed, "weights", task.size, batch))
    number = min(_BATCH, design.replicates - batch * _BATCH)
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
    covered = (~(too_high | too_low)).transpose(2, 1, 0, 3).astype(np.float64)
    both = covered @ covered.transpose(0, 1, 3, 2)  # [run, level, method, method]
    return Tally(
        both.transpose(0, 2, 3, 1).astype(np.int64),
        too_high.sum(axis=3).transpose(2, 0, 1),
        too_low.sum(axis=3).transpose(2, 0, 1),
        width.sum(axis=3).transpose(2, 0, 1),
        sum(of_run.left_out for of_run in drawn),
    )


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


@dataclass(frozen=True)
class _Population:
    """The scores of a run, to draw samples from."""

    matrix: Matrix
    run: int  # its place in the matrix
    design: Design
    random: np.random.Generator

    def draw(self, number: int, size: int) -> _Drawn:
        """Return `number` samples, each of `size` topics."""
        if self.design.standardizing is not None:
            return self._draw_standardized(number, size, self.design.standardizing)
        scores = self.matrix.values[:, self.run]
        usable = np.ones((number, len(scores)), dtype=bool)
        places = draw_topics(self.random, usable, size, replacement=self.design.replacement)
        whole = Sample(scores[:, None])
        sd = whole.sd * np.sqrt((len(scores) - 1) / len(scores))
        return _Drawn(scores[places].T, np.repeat(whole.mean, number), np.repeat(sd, number), 0)

    def _draw_standardized(self, number: int, size: int, by: int) -> _Drawn:
        """Return `number` samples of `size` topics, each standardised by `by` other runs.

        These runs are drawn for each sample. Its population is all topics on which they differ.
        """
        matrix, replacement = self.matrix, self.design.replacement
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
