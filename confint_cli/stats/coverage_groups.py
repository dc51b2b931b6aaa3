"""Samples of groups of topics whose mean is known.

A sample has as many groups as there are, drawn from these with all of their topics. Beside the
interval that is right for groups stands the one that takes all topics for independent.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from confint_cli.common.arrays import FloatArray
from confint_cli.scores.design import Design
from confint_cli.stats.coverage_designs import Judged, ends_by_methods, judged
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.methods.t import of_moments
from confint_cli.stats.random import draw_of_all
from confint_cli.stats.sample import Sample

INDEPENDENT = "independent-t"  # the interval that ignores groups
_T = "t"


@dataclass(frozen=True)
class GroupPopulation:
    """The scores of one run by one measure in groups of topics, from which samples are drawn."""

    run: str
    measure: str
    sums: FloatArray  # [group]: of the scores of its topics
    squares: FloatArray  # [group]: of their squares
    sizes: FloatArray  # [group]: the number of its topics
    equal: bool  # whether groups count alike, whatever their sizes

    @property
    def truth(self) -> float:
        """The mean over topics or, if groups count alike, over groups."""
        if self.equal:
            return float((self.sums / self.sizes).mean())
        return float(self.sums.sum() / self.sizes.sum())

    def judge(
        self, random: np.random.Generator, number: int, size: int | None, estimation: Estimation
    ) -> Judged:
        """Draw samples of `size` groups, and judge their intervals."""
        drawn = draw_of_all(random, number, len(self.sums), size or len(self.sums)).T
        sums, sizes = self.sums[drawn], self.sizes[drawn]  # [group, sample]
        levels = np.array(estimation.levels)
        if self.equal:
            by_method = ends_by_methods(Sample(sums / sizes), estimation, levels)
        else:
            by_method = [
                _cr2(sums, sizes, levels)
                if name == _T
                else _one_by_one(sums, sizes, estimation.by((name,)), levels)
                for name in estimation.methods
            ]
        by_method.append(_naively(sums, self.squares[drawn], sizes, levels))
        return judged(by_method, self.truth, np.abs(self.sums / self.sizes).max())


def _cr2(sums: FloatArray, sizes: FloatArray, levels: FloatArray) -> Ends:
    """Return the t interval of samples with groups [group, sample] of sizes of their own.

    It is what `Sample` has, of many samples at a time.
    """
    topics = sizes.sum(axis=0)
    mean = sums.sum(axis=0) / topics
    q = sizes / topics
    a = 1 / (1 - q)
    residuals = sums - sizes * mean
    se = np.sqrt((a * residuals**2).sum(axis=0)) / topics
    df = 1 / (((a * q) ** 2).sum(0) - 2 * (a**2 * q**3).sum(0) + (a * q**2).sum(0) ** 2)
    return of_moments(mean, se, df, levels)


def _one_by_one(
    sums: FloatArray, sizes: FloatArray, estimation: Estimation, levels: FloatArray
) -> Ends:
    """Return the intervals of samples by a bootstrap method: each has sizes of its own."""
    low, high = np.empty((2, len(levels), sums.shape[1]))
    for place, (own_sums, own_sizes) in enumerate(zip(sums.T, sizes.T, strict=True)):
        same = bool((own_sizes == own_sizes[0]).all())
        design = Design(grouped=True, sizes=None if same else own_sizes)
        sample = Sample(own_sums[:, None] / own_sizes.mean(), design=design)
        ((own_low, own_high),) = ends_by_methods(sample, estimation, levels)
        low[:, place], high[:, place] = own_low[:, 0], own_high[:, 0]
    return low, high


def _naively(
    sums: FloatArray, squares: FloatArray, sizes: FloatArray, levels: FloatArray
) -> Ends:  # fmt: skip
    """Return the t interval of all topics as if they were independent."""
    topics = sizes.sum(axis=0)
    mean = sums.sum(axis=0) / topics
    variance = np.maximum(squares.sum(axis=0) - topics * mean**2, 0.0) / (topics - 1)
    half = stdtrit(topics - 1, (1 + levels[:, None]) / 2) * np.sqrt(variance / topics)
    return mean - half, mean + half
