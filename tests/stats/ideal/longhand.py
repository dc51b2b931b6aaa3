"""Bootstrap distributions written out: in whole numbers, one resample after the other, by draws."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, inf, sqrt

import numpy as np

from confint_cli.common.parallel import ALONE
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.ideal.bootstrap import columns_of
from confint_cli.stats.ideal.column import Column
from confint_cli.stats.sample import Sample

METHODS = ("percentile", "basic", "bca", "bootstrap-t")


def column_of(scores: Sequence[float] | np.ndarray) -> Column:
    """Return scores that differ as the ideal bootstrap sees them."""
    (column,) = columns_of(Sample(np.array(scores, dtype=float)[:, None]))
    assert column is not None
    return column


def estimated(
    scores: np.ndarray, levels: Sequence[float] = (0.95,), methods: Sequence[str] = METHODS
) -> Estimate:
    """Return the intervals of scores [topic, column], or [topic], without random numbers."""
    scores = scores[:, None] if scores.ndim == 1 else scores
    return estimate(Sample(scores), Estimation(tuple(methods), tuple(levels), workers=ALONE))


def is_drawn(scores: np.ndarray, levels: Sequence[float] = (0.95,)) -> list[bool]:
    """Return which columns have a bootstrap-t interval from random numbers."""
    doubts = estimated(scores, levels, ("bootstrap-t",)).doubts["bootstrap-t"]
    return [bool(doubt & Doubt.RESAMPLED) for doubt in doubts[0]]


def exact_sums(whole: Sequence[int]) -> dict[int, Fraction]:
    """Return the probability of each sum of n draws of n whole numbers, by n-fold convolution."""
    ways = {0: 1}
    numbers = Counter(map(int, whole))
    for _ in whole:
        longer: Counter[int] = Counter()
        for total, own in ways.items():
            for value, number in numbers.items():
                longer[total + value] += own * number
        ways = longer
    all_ways = len(whole) ** len(whole)
    return {total: Fraction(ways[total], all_ways) for total in sorted(ways)}


def quantile(distribution: dict[int, Fraction] | dict[float, Fraction], p: Fraction) -> float:
    """Return the least value that is not exceeded with probability p."""
    cumulative = Fraction(0)
    for value in sorted(distribution):
        cumulative += distribution[value]
        if cumulative >= p:
            return value
    raise AssertionError(p)


def exact_ratios(whole: Sequence[int]) -> dict[float, Fraction]:
    """Return the probability of each z*, over all multisets of topics."""
    n, mean_sum = len(whole), sum(whole)
    found: dict[float, Fraction] = {}
    for drawn in combinations_with_replacement(range(n), n):
        ways = factorial(n)
        for number in Counter(drawn).values():
            ways //= factorial(number)
        scores = [whole[place] for place in drawn]
        above, variance = sum(scores) - mean_sum, n * sum(x * x for x in scores) - sum(scores) ** 2
        if variance:
            ratio = above * sqrt((n - 1) / variance)
        else:
            ratio = 0.0 if above == 0 else inf if above > 0 else -inf
        ratio = round(ratio, 12)
        found[ratio] = found.get(ratio, Fraction(0)) + Fraction(ways, n**n)
    return found


def resamples(whole: np.ndarray, number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return m* - m in standard errors of the mean, and z*, of resamples of whole numbers."""
    random, n = np.random.default_rng(seed), len(whole)
    deviations = whole - whole.mean()
    unit = np.sqrt((deviations**2).sum() * n / (n - 1))  # n standard errors
    means, ratios = np.empty(number), np.empty(number)
    for start in range(0, number, 20_000):
        drawn = whole.astype(float)[random.integers(n, size=(20_000, n), dtype=np.int32)]
        total, squares = drawn.sum(axis=1), np.einsum("ij,ij->i", drawn, drawn)
        above = total - whole.sum()
        part = slice(start, start + 20_000)
        means[part] = above / unit
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios[part] = above * np.sqrt(n - 1) / np.sqrt(n * squares - total**2)
    ratios[np.isnan(ratios)] = 0.0
    return means, ratios
