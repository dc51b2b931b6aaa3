"""Intervals of many samples of several collections whose mean is known: how often do they cover it?

For new topics, a sample has each collection, with topics drawn from its own. For new collections,
it has as many collections as there are, drawn from these, with topics drawn from each. Beside the
interval that is right for the design stand those that ignore it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.measures import canonical
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.design import Design
from confint_cli.stats.coverage import Simulation, Tally, tally_of
from confint_cli.stats.estimate import Estimation, ends, ideally_bootstrapped, resampled
from confint_cli.stats.methods import method_named
from confint_cli.stats.methods.t import METHOD as T
from confint_cli.stats.random import derived, draw_of_all, generator
from confint_cli.stats.sample import Sample

POOLED, OF_TOPICS = "pooled-t", "topics-t"  # intervals that ignore the design
_BATCH = 50  # samples that are drawn together
_RESAMPLES = 2000  # of a sample, for z*, of which there is no distribution without resamples


@dataclass(frozen=True)
class Population:
    """The scores of one run by one measure in each collection, from which samples are drawn."""

    run: str
    measure: str
    parts: tuple[FloatArray, ...]  # [topic] of each collection

    @property
    def truth(self) -> float:
        """The mean of the collections' means."""
        return float(np.mean([part.mean() for part in self.parts]))


def naive_methods(*, new_collections: bool) -> tuple[str, ...]:
    """Return the names of the intervals that ignore the design."""
    return (OF_TOPICS, POOLED) if new_collections else (POOLED,)


def tallies_over_collections(
    populations: Sequence[Population],
    estimation: Estimation,
    simulation: Simulation,
    size: int | None,
    *,
    new_collections: bool,
    progress: Progress = no_progress,
) -> Tally:
    """Return how many intervals of each run cover, by the methods and then by naive ones.

    `size` is how many topics each collection has in a sample; None: as many as there are.
    """
    batches = -(-simulation.replicates // _BATCH)
    tasks = [(run, batch) for run in range(len(populations)) for batch in range(batches)]
    settings = (populations, estimation.alone, simulation, size, new_collections)
    by_run: dict[int, Tally] = {}
    progress(0, len(tasks))
    for done, ((run, _), tally) in enumerate(
        zip(tasks, estimation.workers.map(_worker, settings, tasks, together=1), strict=True), 1
    ):
        by_run[run] = by_run[run] + tally if run in by_run else tally
        progress(done, len(tasks))
    return reduce(Tally.beside, by_run.values())


def _worker(
    populations: Sequence[Population],
    estimation: Estimation,
    simulation: Simulation,
    size: int | None,
    new_collections: bool,
) -> Callable[[tuple[int, int]], Tally]:
    """Return the function that returns the tally of a batch of samples of one run."""

    def work(task: tuple[int, int]) -> Tally:
        run, batch = task
        population = populations[run]
        names = (population.run, canonical(population.measure))
        seed = derived(estimation.seed, "collections", *names, size or 0, batch)
        number = min(_BATCH, simulation.replicates - batch * _BATCH)
        random = generator(seed)
        chosen = _chosen(random, len(population.parts), number, drawn=new_collections)
        judged = [
            _judge(random, population, which, len(columns), size, estimation, new_collections)
            for which, columns in chosen
        ]
        too_high, too_low, width = (
            np.concatenate(parts, axis=2) for parts in zip(*judged, strict=True)
        )
        return tally_of(too_high[:, :, None], too_low[:, :, None], width.sum(axis=2)[:, :, None], 0)

    return work


def _chosen(
    random: np.random.Generator, collections: int, number: int, *, drawn: bool
) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield choices of collections, and the samples that have each of them."""
    if not drawn:
        yield tuple(range(collections)), list(range(number))
        return
    choices = np.sort(draw_of_all(random, number, collections, collections), axis=1)
    by_choice: dict[tuple[int, ...], list[int]] = {}
    for sample, choice in enumerate(choices.tolist()):
        by_choice.setdefault(tuple(choice), []).append(sample)
    yield from by_choice.items()


def _judge(
    random: np.random.Generator,
    population: Population,
    which: Sequence[int],
    number: int,
    size: int | None,
    estimation: Estimation,
    new_collections: bool,
) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Return which intervals of samples with these collections lie above the truth, which below.

    Both are [method, level, sample], and so are their widths.
    """
    parts = []
    for place in which:
        scores = population.parts[place]
        drawn = draw_of_all(random, number, len(scores), size or len(scores))
        parts.append(scores[drawn].T)  # [topic, sample]
    raw = np.concatenate(parts)
    sizes = tuple(len(part) for part in parts)
    weights = np.repeat([len(raw) / (len(parts) * own) for own in sizes], sizes)
    sample = Sample(raw * weights[:, None], design=Design(sizes))
    levels = np.array(estimation.levels)
    by_method = {}
    if new_collections:
        means = Sample(np.array([part.mean(axis=0) for part in parts]))
        by_method = {name: ends(means, method_named(name), levels) for name in estimation.methods}
        by_method[OF_TOPICS] = ends(sample, T, levels)
    else:
        by_method = _by_methods(sample, estimation, levels)
    by_method[POOLED] = ends(Sample(raw), T, levels)
    rounding = 16 * np.finfo(float).eps * np.abs(raw).max(axis=0)
    low, high = (np.stack(limits) for limits in zip(*by_method.values(), strict=True))
    return population.truth < low - rounding, population.truth > high + rounding, high - low


def _by_methods(
    sample: Sample, estimation: Estimation, levels: FloatArray
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return the limits of samples by each method, [level, sample] each."""
    limits = {}
    for name in estimation.methods:
        method, own = method_named(name), estimation.by((name,))
        blocks: Iterator[Sample] = iter([sample])
        if method.studentized and own.ideal:
            blocks = resampled(sample, replace(own, resamples=_RESAMPLES))
        elif method.resamples:
            blocks = ideally_bootstrapped(sample, own) if own.ideal else resampled(sample, own)
        found = [ends(block, method, levels) for block in blocks]
        low, high = (np.concatenate(side, axis=1) for side in zip(*found, strict=True))
        limits[name] = (low, high)
    return limits
