"""The distribution of a mean over several collections whose topics are drawn within each.

The sums of the collections are independent, so that their Fourier transforms are multiplied: that
of n topics of a collection is the n-th power of the transform of its scores. All of it happens on
one grid, as in `mean.py`; scores are weighted and lie on no lattice.
"""

from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.ideal.mean import (
    BLUR,
    FINEST,
    POINTS,
    MeanDistribution,
    OnGrid,
    between_points,
    reach_of,
)


@dataclass(frozen=True)
class ColumnOfCollections:
    """A column of scores of several collections, less the mean of each, not all of them 0."""

    shares: FloatArray  # [topic]: deviations in a unit, one collection after the other
    unit: float  # of the shares
    strata: tuple[int, ...]  # topics of each collection

    @property
    def parts(self) -> list[FloatArray]:
        """The shares of each collection, [topic]."""
        return np.split(self.shares, np.cumsum(self.strata)[:-1])


def distribution_over_collections(column: ColumnOfCollections) -> MeanDistribution:
    """Return the distribution of m* - m, m the mean of all scores."""
    variance = float((column.shares**2).sum())  # of N(m* - m)
    root, topics = float(np.sqrt(variance)), len(column.shares)
    reach = reach_of(float(np.abs(column.shares).max()) / root, topics) * root
    points = POINTS
    parts = column.parts
    while True:
        grids = [between_points(part, 0.0, 2 * reach / (points - 3), points) for part in parts]
        added = sum(len(part) * grid.added for part, grid in zip(parts, grids, strict=True))
        if np.sqrt(added) <= BLUR * root or points >= FINEST:
            break
        points *= 2
    cumulative, start = _convolved(grids, reach)
    # To divide scores between points adds variance, which a narrower grid takes out again.
    scale = column.unit / topics / float(np.sqrt(1 + added / variance))
    step = grids[0].step
    return MeanDistribution(
        step * start * scale, step * scale, cumulative, lattice=False, resolution=0.0
    )


def _convolved(grids: list[OnGrid], reach: float) -> tuple[FloatArray, int]:
    """Return the cumulative probabilities of sums, [point], and the first point, in steps from 0.

    The sums are of as many scores as each grid has, and lie within ± `reach`.
    """
    points = len(grids[0].histogram)
    transform = np.ones(points // 2 + 1, dtype=complex)
    for grid in grids:
        transform *= grid.transform
    start = int(np.ceil(-reach / grids[0].step)) - 1  # no sum is there
    probabilities = np.fft.irfft(transform, points)
    return np.cumsum(np.roll(probabilities, -(start % points))), start
