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

_BATCH = 50  # replicates that share the weights of their bootstrap; more would share its error
_RUNS = 128  # whose samples share them too, at most; for others they are drawn again
_VALUES = 1 << 24  # of resamples that a task computes, about: a third of a second's work
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

    replicates: int
    sizes: tuple[int, ...] = ()  # none: as many topics as there are
    replacement: bool = True
    standardizing: int | None = None  # runs drawn anew for each sample, to standardise it by

    def sizes_for(self, matrix: Matrix) -> tuple[int, ...]:
        """Return the sizes of samples by a measure."""
        return self.sizes or (len(matrix.topics),)


@dataclass(frozen=True)
class Tally:
    """What became of the intervals of each run, by one measure and size of samples."""

    covered: NDArray[np.int64]  # [run, method, method, level]: by both; the diagonal, by the one
    too_high: NDArray[np.int64]  # [run, method, level]: the interval lies above the truth
    too_low: NDArray[np.int64]
    width: FloatArray  # the sum of all
    left_out: int  # topics, of all samples, as the runs to standardise by did not differ

    def __add__(self, other: "Tally") -> "Tally":
        """Return the tally of both."""
        return Tally(
            self.covered + other.covered,
            self.too_high + other.too_high,
            self.too_low + other.too_low,
            self.width + other.width,
            self.left_out + other.left_out,
        )


@dataclass(frozen=True)
class _Task:
    """Some batches of samples of some runs."""

    place: int  # of the measure
    first: int
    end: int  # of the runs
    size: int
    batches: range

    def samples(self, design: Design) -> int:
        """Return how many samples it draws."""
        last = min(self.batches.stop * _BATCH, design.replicates)
        return (self.end - self.first) * (last - self.batches.start * _BATCH)


def tallies(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],  # of each measure
    how: Estimation,
    design: Design,
    progress: Progress = no_progress,
) -> dict[tuple[int, int], Tally]:
    """Return what became of the intervals, by measure (its place) and size.

    A run's samples come from random numbers of its own, whatever other runs there are.
    """
    tasks = list(_tasks(matrices, how, design))
    parts: dict[tuple[int, int], dict[int, Tally]] = {}
    total = sum(task.samples(design) for task in tasks)
    done = 0
    progress(done, total)
    settings = (matrices, methods, how.alone, design)
    work = how.workers.map(_worker, settings, tasks, together=1)
    for task, found in zip(tasks, work, strict=True):
        runs = parts.setdefault((task.place, task.size), {})
        for batch in found:  # one after the other, so that sums do not depend on the tasks
            runs[task.first] = runs[task.first] + batch if task.first in runs else batch
        done += task.samples(design)
        progress(done, total)
    return {key: _beside(list(runs.values())) for key, runs in parts.items()}


def _beside(several: Sequence[Tally]) -> Tally:
    """Return the tally of all runs of several."""
    return Tally(
        np.concatenate([one.covered for one in several]),
        np.concatenate([one.too_high for one in several]),
        np.concatenate([one.too_low for one in several]),
        np.concatenate([one.width for one in several]),
        sum(one.left_out for one in several),
    )


def _tasks(matrices: Sequence[Matrix], how: Estimation, design: Design) -> Iterator[_Task]:
    batches = -(-design.replicates // _BATCH)
    for place, matrix in enumerate(matrices):
        for size in design.sizes_for(matrix):
            runs = max(1, min(_RUNS, _CELLS // (_BATCH * size)))
            blocks = -(-len(matrix.runs) // runs)
            bounds = [len(matrix.runs) * block // blocks for block in range(blocks + 1)]
            for first, end in pairwise(bounds):
                values = (end - first) * _BATCH * (how.resamples if how.resampling else size)
                step = max(1, _VALUES // values)
                for batch in range(0, batches, step):
                    yield _Task(place, first, end, size, range(batch, min(batch + step, batches)))


def _worker(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    how: Estimation,
    design: Design,
) -> Callable[[_Task], list[Tally]]:
    def work(task: _Task) -> list[Tally]:
        matrix, estimation = matrices[task.place], how.by(methods[task.place])
        return [_batch(matrix, task, batch, estimation, design) for batch in task.batches]

    return work


def _batch(matrix: Matrix, task: _Task, batch: int, how: Estimation, design: Design) -> Tally:
    """Draw samples of each run, and see which of their intervals cover the truth."""
    measure = canonical(matrix.measure)  # whatever its spelling
    populations = [
        _Population(
            matrix,
            run,
            design,
            generator(derived(how.seed, "samples", matrix.runs[run], measure, task.size, batch)),
        )
        for run in range(task.first, task.end)
    ]
    how = replace(how, seed=derived(how.seed, "weights", task.size, batch))
    number = min(_BATCH, design.replicates - batch * _BATCH)
    at_once = max(1, min(number, _CELLS // task.size))
    pieces = [
        _piece([one.draw(min(at_once, number - done), task.size) for one in populations], how)
        for done in range(0, number, at_once)
    ]
    return reduce(Tally.__add__, pieces)


def _piece(drawn: Sequence["_Drawn"], how: Estimation) -> Tally:
    """Return what becomes of the intervals of some samples of each run."""
    together = Sample(
        np.hstack([one.scores for one in drawn]), population_sd=np.hstack([one.sd for one in drawn])
    )
    truth = np.hstack([one.truth for one in drawn])
    done, parts = 0, []
    for sample in resampled_roughly(together, how):
        here = slice(done, done := done + len(sample.mean))
        parts.append(_compare(sample, truth[here], how))
    by_run = (len(how.methods), len(how.levels), len(drawn), -1)
    too_high, too_low, width = (
        np.concatenate(part, axis=2).reshape(by_run) for part in zip(*parts, strict=True)
    )
    covered = (~(too_high | too_low)).transpose(2, 1, 0, 3).astype(np.float64)
    both = covered @ covered.transpose(0, 1, 3, 2)  # [run, level, method, method]
    return Tally(
        both.transpose(0, 2, 3, 1).astype(np.int64),
        too_high.sum(axis=3).transpose(2, 0, 1),
        too_low.sum(axis=3).transpose(2, 0, 1),
        width.sum(axis=3).transpose(2, 0, 1),
        sum(one.left_out for one in drawn),
    )


def _compare(
    sample: Sample, truth: FloatArray, how: Estimation
) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Return which intervals lie above the truth and which below, and how wide they are.

    All are [method, level, column]. A limit that is the truth but for rounding covers it: means
    of coarse scores, such as P_10, often are.
    """
    levels = np.array(how.levels)
    too_high, too_low, width = [], [], []
    for method in map(method_named, how.methods):
        low, high = ends(sample, method, levels)
        rounding = sample.resampled.rounding if method.resamples else sample.rounding
        too_high.append(truth < low - rounding)
        too_low.append(truth > high + rounding)
        width.append(high - low)
    return np.stack(too_high), np.stack(too_low), np.stack(width)


@dataclass(frozen=True)
class _Drawn:
    """Samples of one run, a column each, and what they are samples of."""

    scores: FloatArray  # [topic, sample]
    truth: FloatArray  # [sample]: the mean of the population
    sd: FloatArray  # [sample]: its standard deviation, which divides by its size
    left_out: int  # topics that could not be standardised, of all samples


@dataclass(frozen=True)
class _Population:
    """The scores of a run, to draw samples from."""

    matrix: Matrix
    run: int
    design: Design
    random: np.random.Generator

    def draw(self, number: int, size: int) -> _Drawn:
        """Return so many samples of so many topics."""
        if self.design.standardizing is not None:
            return self._draw_standardized(number, size, self.design.standardizing)
        scores = self.matrix.values[:, self.run]
        usable = np.ones((number, len(scores)), dtype=bool)
        places = draw_topics(self.random, usable, size, replacement=self.design.replacement)
        whole = Sample(scores[:, None])
        sd = whole.sd * np.sqrt((len(scores) - 1) / len(scores))
        return _Drawn(scores[places].T, np.repeat(whole.mean, number), np.repeat(sd, number), 0)

    def _draw_standardized(self, number: int, size: int, by: int) -> _Drawn:
        """Return samples of scores standardised by so many other runs, drawn for each sample.

        The population is all topics on which these runs differ.
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
