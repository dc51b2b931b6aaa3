"""Random numbers: made here and nowhere else, seeded, in chunks of bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import FloatArray

_CELLS = 1 << 22  # of counts in a chunk: 32 MB
_COUNTED = 1 << 15  # draws that are counted at a time: more would leave the processor's cache


@dataclass(frozen=True)
class Resamples:
    """So many bootstrap resamples of so many topics; the same seed (0 too) gives the same ones.

    They depend on nothing else, so that every run and measure on the same topics shares them.
    """

    topics: int
    number: int
    seed: int

    def counts(self) -> Iterator[FloatArray]:
        """Yield chunks of rows; a row counts how often a resample has each topic.

        A row times the scores is n times the resample's mean: one matrix product gives the means
        of all columns, many times faster than gathering the drawn scores would.
        """
        random = np.random.default_rng(self.seed)
        rows = max(1, _CELLS // self.topics)
        for start in range(0, self.number, rows):
            yield _counts(random, min(rows, self.number - start), self.topics)


def _counts(random: np.random.Generator, rows: int, topics: int) -> FloatArray:
    counts = np.empty((rows, topics))
    step = max(1, _COUNTED // topics)
    for start in range(0, rows, step):
        here = counts[start : start + step]
        drawn = random.integers(topics, size=here.shape, dtype=np.uint32).astype(np.intp)
        drawn += np.arange(len(here))[:, None] * topics  # rows one after the other
        here[...] = np.bincount(drawn.reshape(-1), minlength=here.size).reshape(here.shape)
    return counts
