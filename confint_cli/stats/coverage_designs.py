"""Intervals of many samples of a design whose mean is known: how often do they cover it?

What a sample of a design is, and which intervals it has, is for the module of the design to say.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Protocol

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.measures import canonical
from confint_cli.common.progress import Progress, no_progress
from confint_cli.stats.coverage import Simulation, Tally, tally_of
from confint_cli.stats.estimate import Estimation, ends, ideally_bootstrapped, resampled
from confint_cli.stats.methods import method_named
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.random import derived, generator
from confint_cli.stats.sample import Sample

_BATCH = 50  # samples that are drawn together
RESAMPLES = 2000  # of a sample, where its bootstrap has no distribution without resamples

# Which intervals lie above the truth, which below, and their widths: [method, level, sample].
Judged = tuple[BoolArray, BoolArray, FloatArray]


class Population(Protocol):
    """The scores of one run by one measure, from which samples are drawn."""

    @property
    def run(self) -> str:
        """The name of the run."""

    @property
    def measure(self) -> str:
        """The name of the measure."""

    def judge(
        self,
        random: np.random.Generator,
        number: int,
        size: int | None,
        estimation: Estimation,
    ) -> Judged:
        """Draw a `number` of samples of a `size`, and judge their intervals.

        These are by the methods of the estimation, and then by those that ignore the design.
        """


def tallies_of_design(
    kind: str,
    populations: Sequence[Population],
    estimation: Estimation,
    simulation: Simulation,
    size: int | None,
    progress: Progress = no_progress,
) -> Tally:
    """Return how many intervals of each run cover, by the methods and then by naive ones.

    The `kind` of design has random numbers of its own. `size` is that of samples, None: of what
    there is.
    """
    batches = -(-simulation.replicates // _BATCH)
    tasks = [(run, batch) for run in range(len(populations)) for batch in range(batches)]
    settings = (kind, populations, estimation.alone, simulation, size)
    by_run: dict[int, Tally] = {}
    progress(0, len(tasks))
    for done, ((run, _), tally) in enumerate(
        zip(tasks, estimation.workers.map(_worker, settings, tasks, together=1), strict=True), 1
    ):
        by_run[run] = by_run[run] + tally if run in by_run else tally
        progress(done, len(tasks))
    return reduce(Tally.beside, by_run.values())


def _worker(
    kind: str,
    populations: Sequence[Population],
    estimation: Estimation,
    simulation: Simulation,
    size: int | None,
) -> Callable[[tuple[int, int]], Tally]:
    """Return the function that returns the tally of a batch of samples of one run."""

    def work(task: tuple[int, int]) -> Tally:
        run, batch = task
        population = populations[run]
        names = (population.run, canonical(population.measure))
        seed = derived(estimation.seed, kind, *names, size or 0, batch)
        number = min(_BATCH, simulation.replicates - batch * _BATCH)
        too_high, too_low, width = population.judge(generator(seed), number, size, estimation)
        return tally_of(too_high[:, :, None], too_low[:, :, None], width.sum(axis=2)[:, :, None], 0)

    return work


def judged(by_method: Sequence[Ends], truth: float, largest: FloatArray | float) -> Judged:
    """Return which intervals, [level, sample] by each method, lie beside the truth.

    `largest` is how large scores are: limits may be off by their last bits.
    """
    rounding = 16 * np.finfo(float).eps * largest
    low, high = (np.stack(limits) for limits in zip(*by_method, strict=True))
    return truth < low - rounding, truth > high + rounding, high - low


def ends_by_methods(sample: Sample, estimation: Estimation, levels: FloatArray) -> list[Ends]:
    """Return the limits of samples, each of them a column, by each method, [level, sample]."""
    limits = []
    for name in estimation.methods:
        method, own = method_named(name), estimation.by((name,))
        blocks: Iterator[Sample] = iter([sample])
        needs_resamples = method.studentized or sample.design.sizes is not None
        if method.resamples and own.ideal and needs_resamples:
            blocks = resampled(sample, replace(own, resamples=RESAMPLES))
        elif method.resamples:
            blocks = ideally_bootstrapped(sample, own) if own.ideal else resampled(sample, own)
        found: list[Any] = [ends(block, method, levels) for block in blocks]
        low, high = (np.concatenate(side, axis=1) for side in zip(*found, strict=True))
        limits.append((low, high))
    return limits
