"""Random numbers: made here and nowhere else, seeded, in chunks of bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import FloatArray

_CELLS = 1 << 20  # of counts in a chunk: 8 MB


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
    drawn = random.integers(topics, size=(rows, topics), dtype=np.uint32).astype(np.intp)
    drawn += np.arange(rows)[:, None] * topics
    counted = np.bincount(drawn.reshape(-1), minlength=rows * topics)
    return counted.reshape(rows, topics).astype(np.float64)
