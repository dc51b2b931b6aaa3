"""Intervals of many samples from scores whose mean is known: how often do they cover it?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from confint_cli.arrays import BoolArray, FloatArray, Positions
from confint_cli.errors import DataError
from confint_cli.estimation import Estimation, ends, resampled_roughly
from confint_cli.methods import method_named
from confint_cli.methods._sample import Sample
from confint_cli.parallel import map_in_order
from confint_cli.progress import Progress, no_progress
from confint_cli.resampling import choose, derived, draw_topics, generator
from confint_cli.scores import Matrix
from confint_cli.standardization import factors
from confint_cli.text import count, visible

_BATCH = 50  # replicates that share the weights of their bootstrap; more would share its error
_RUNS = 32  # whose samples share them too; for others they are drawn again
_VALUES = 1 << 26  # that a task computes, at least: half a second's work


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
    *,
    jobs: int | None = None,
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
    work = map_in_order(_worker, (matrices, methods, how, design), tasks, jobs=jobs)
    for task, found in zip(tasks, work, strict=True):
        runs = parts.setdefault((task.place, task.size), {})
        runs[task.first] = runs[task.first] + found if task.first in runs else found
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
            values = _RUNS * _BATCH * (how.resamples if how.resampling else size)
            step = max(1, _VALUES // values)
            blocks = -(-len(matrix.runs) // _RUNS)
            bounds = [len(matrix.runs) * block // blocks for block in range(blocks + 1)]
            for run, end in pairwise(bounds):
                for batch in range(0, batches, step):
                    yield _Task(place, run, end, size, range(batch, min(batch + step, batches)))


def _worker(
    matrices: Sequence[Matrix],
    methods: Sequence[tuple[str, ...]],
    how: Estimation,
    design: Design,
) -> Callable[[_Task], Tally]:
    def work(task: _Task) -> Tally:
        matrix, estimation = matrices[task.place], how.by(methods[task.place])
        batches = [_batch(matrix, task, batch, estimation, design) for batch in task.batches]
        return sum(batches[1:], start=batches[0])

    return work


def _batch(matrix: Matrix, task: _Task, batch: int, how: Estimation, design: Design) -> Tally:
    """Draw samples of each run, and see which of their intervals cover the truth."""
    number = min(_BATCH, design.replicates - batch * _BATCH)
    drawn = []
    for run in range(task.first, task.end):
        name = (matrix.runs[run], matrix.measure, task.size, batch)
        random = generator(derived(how.seed, "samples", *name))
        drawn.append(_draw(matrix, run, number, task.size, design, random))
    truth = np.hstack([one.truth for one in drawn])
    together = Sample(
        np.hstack([one.scores for one in drawn]), population_sd=np.hstack([one.sd for one in drawn])
    )
    how = replace(how, seed=derived(how.seed, "weights", task.size, batch))
    done, parts = 0, []
    for sample in resampled_roughly(together, how):
        here = slice(done, done := done + len(sample.mean))
        parts.append(_compare(sample, truth[here], how))
    too_high, too_low, width = (np.concatenate(part, axis=2) for part in zip(*parts, strict=True))
    by_run = (len(how.methods), len(how.levels), len(drawn), number)
    too_high, too_low, width = (part.reshape(by_run) for part in (too_high, too_low, width))
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
    limits = [ends(sample, method_named(name), levels) for name in how.methods]
    low, high = np.stack([one for one, _ in limits]), np.stack([one for _, one in limits])
    rounding = 8 * np.finfo(np.float32).eps * sample.largest
    return truth < low - rounding, truth > high + rounding, high - low


@dataclass(frozen=True)
class _Drawn:
    """Samples of one run, a column each, and what they are samples of."""

    scores: FloatArray  # [topic, sample]
    truth: FloatArray  # [sample]: the mean of the population
    sd: FloatArray  # [sample]: its standard deviation, which divides by its size
    left_out: int  # topics that could not be standardised, of all samples


def _draw(
    matrix: Matrix, run: int, number: int, size: int, design: Design, random: np.random.Generator
) -> _Drawn:
    """Return so many samples of so many topics of a run."""
    if design.standardizing is None:
        population = np.broadcast_to(matrix.values[:, run], (number, len(matrix.topics)))
    else:
        chosen = choose(random, number, len(matrix.runs) - 1, design.standardizing)
        chosen += chosen >= run  # never the run itself: it would be its own yardstick
        population = _standardized(matrix.values.T, run, chosen)
    usable = ~np.isnan(population)
    left = usable.sum(axis=1)
    if left.min() < (2 if design.replacement else size):
        raise DataError(
            "",
            f"by {visible(matrix.measure)}, {design.standardizing} runs to standardise by differ "
            f"on as few as {count(int(left.min()), 'topic')}",
            "standardise by more runs",
        )
    places = draw_topics(random, usable, size, replacement=design.replacement)
    scores = np.take_along_axis(population, places, axis=1).T
    truth = population.sum(axis=1, where=usable) / left
    squares = ((population - truth[:, None]) ** 2).sum(axis=1, where=usable)
    return _Drawn(scores, truth, np.sqrt(squares / left), int(np.sum(~usable)))


def _standardized(values: FloatArray, run: int, chosen: Positions) -> FloatArray:
    """Return a run's scores of values[run, topic], for each sample standardised by its chosen runs.

    The answer is [sample, topic], NaN where these runs do not differ.
    """
    mean, sd = factors(values[chosen])
    result = np.full(mean.shape, np.nan)
    np.divide(values[run] - mean, sd, out=result, where=sd > 0)
    return result
