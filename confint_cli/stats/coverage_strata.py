"""Samples of several collections whose mean is known.

For new topics, a sample has each collection, with topics drawn from its own. For new collections,
it has as many collections as there are, drawn from these, with topics drawn from each. Beside the
interval that is right for the design stand those that ignore it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.design import Design
from confint_cli.stats.coverage import Simulation, Tally
from confint_cli.stats.coverage_designs import Judged, ends_by_methods, judged, tallies_of_design
from confint_cli.stats.estimate import Estimation, ends
from confint_cli.stats.methods import method_named
from confint_cli.stats.methods.t import METHOD as T
from confint_cli.stats.random import draw_of_all
from confint_cli.stats.sample import Sample

POOLED, OF_TOPICS = "pooled-t", "topics-t"  # intervals that ignore the design


@dataclass(frozen=True)
class Population:
    """The scores of one run by one measure in each collection, from which samples are drawn."""

    run: str
    measure: str
    parts: tuple[FloatArray, ...]  # [topic] of each collection
    new_collections: bool = False  # whether collections are drawn, too

    @property
    def truth(self) -> float:
        """The mean of the collections' means."""
        return float(np.mean([part.mean() for part in self.parts]))

    def judge(
        self, random: np.random.Generator, number: int, size: int | None, estimation: Estimation
    ) -> Judged:
        """Draw samples with `size` topics of each collection, and judge their intervals."""
        found = [
            self._judge(random, which, times, size, estimation)
            for which, times in self._chosen(random, number)
        ]
        too_high, too_low, width = (
            np.concatenate(parts, axis=2) for parts in zip(*found, strict=True)
        )
        return too_high, too_low, width

    def _chosen(
        self, random: np.random.Generator, number: int
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield choices of collections, and how many samples have each of them."""
        collections = len(self.parts)
        if not self.new_collections:
            yield tuple(range(collections)), number
            return
        choices = np.sort(draw_of_all(random, number, collections, collections), axis=1)
        yield from Counter(map(tuple, choices.tolist())).items()

    def _judge(
        self,
        random: np.random.Generator,
        which: Sequence[int],
        number: int,
        size: int | None,
        estimation: Estimation,
    ) -> Judged:
        """Draw samples with these collections, and judge their intervals."""
        parts = []
        for place in which:
            scores = self.parts[place]
            drawn = draw_of_all(random, number, len(scores), size or len(scores))
            parts.append(scores[drawn].T)  # [topic, sample]
        raw = np.concatenate(parts)
        sizes = tuple(len(part) for part in parts)
        weights = np.repeat([len(raw) / (len(parts) * own) for own in sizes], sizes)
        sample = Sample(raw * weights[:, None], design=Design(sizes))
        levels = np.array(estimation.levels)
        if self.new_collections:
            means = Sample(np.array([part.mean(axis=0) for part in parts]))
            by_method = [ends(means, method_named(name), levels) for name in estimation.methods]
            by_method.append(ends(sample, T, levels))
        else:
            by_method = ends_by_methods(sample, estimation, levels)
        by_method.append(ends(Sample(raw), T, levels))
        return judged(by_method, self.truth, np.abs(raw).max(axis=0))


def naive_methods(*, new_collections: bool) -> tuple[str, ...]:
    """Return the names of the intervals that ignore the design."""
    return (OF_TOPICS, POOLED) if new_collections else (POOLED,)


def tallies_over_collections(
    populations: Sequence[Population],
    estimation: Estimation,
    simulation: Simulation,
    size: int | None,
    progress: Progress = no_progress,
) -> Tally:
    """Return how many intervals of each run cover, by the methods and then by naive ones.

    `size` is how many topics each collection has in a sample; None: as many as there are.
    """
    return tallies_of_design("collections", populations, estimation, simulation, size, progress)
