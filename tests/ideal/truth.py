"""The bootstrap distributions of m* and z* by ways that the program does not go.

Scores are whole numbers of 1/10,000. The distribution of their sum over n draws is a polynomial
Σx^k/n to the power n, computed on every whole number that a sum can be: nothing is put on a grid,
divided, cut or interpolated. z* is enumerated of up to ten topics, over all C(2n-1, n) multisets of
topics, and resampled of more, with sums of whole numbers, which are exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial

import numpy as np
from scipy.special import ndtr, ndtri

MOST_ENUMERATED = 10  # topics
RESAMPLES = 8_000_000
SLICE = 10_000  # resamples: as many as people take
SLICES = 100
_BLOCK = 64  # columns that are multiplied at a time
_TOGETHER = 128  # columns that have the same resamples: their tails have to be kept
SMALLEST_TAIL = 1e-9  # of a quantile that BCa may ask for: further out, nobody means it
_KEPT = 0.07  # of the z* at either end: limits at 90% are at 0.05
_NEARLY = 1 - 1e-12  # a probability that is p but for rounding is p
LEVELS = (0.9, 0.95, 0.99, 0.999)
TAILS = np.array([[(1 - level) / 2, (1 + level) / 2] for level in LEVELS])  # [level, end]


@dataclass(frozen=True)
class Sums:
    """The distribution of the sum of n draws, on whole numbers."""

    first: int
    cumulative: np.ndarray  # [sum - first]

    def quantile(self, p: np.ndarray) -> np.ndarray:
        """Return the least sums that are not exceeded with probability p."""
        place = np.searchsorted(self.cumulative, p * _NEARLY)
        return self.first + place.clip(0, len(self.cumulative) - 1)

    def share_below(self, total: int) -> float:
        """Return the probability of less than a sum, and half of that of the sum itself."""
        place = int(total) - self.first
        return float(self.cumulative[place - 1 : place + 1].mean())


def sums(whole: np.ndarray) -> Sums:
    """Return the distribution of the sum of as many draws as there are scores [topic]."""
    topics, least = len(whole), int(whole.min())
    size = topics * int(whole.max() - least) + 1
    points = 1 << int(np.ceil(np.log2(size)))
    transform = np.fft.rfft(np.bincount(whole - least, minlength=points) / topics)
    power = np.ones_like(transform)
    for bit in f"{topics:b}":  # much faster than ** of complex numbers
        power *= power
        if bit == "1":
            power *= transform
    cumulative = np.cumsum(np.fft.irfft(power, points)[:size].clip(0))
    return Sums(topics * least, cumulative / cumulative[-1])


def sums_by_steps(whole: np.ndarray) -> Sums:
    """Return the same without a transform, one draw after the other: slow, and sure."""
    topics, least = len(whole), int(whole.min())
    steps, numbers = np.unique(whole - least, return_counts=True)
    reach = int(steps[-1])
    probabilities = np.ones(1)
    for _ in range(topics):
        longer = np.zeros(len(probabilities) + reach)
        for step, number in zip(steps, numbers, strict=True):
            longer[step : step + len(probabilities)] += probabilities * (number / topics)
        probabilities = longer
    return Sums(topics * least, np.cumsum(probabilities))


def bca_levels(whole: np.ndarray, share_below: np.ndarray) -> np.ndarray:
    """Return the p that BCa takes quantiles at, [level, end, …], by a share of m* below m […]."""
    e = whole - whole.mean()
    acceleration = (e**3).sum() / (6 * (e**2).sum() ** 1.5)
    bias = ndtri(share_below)
    shifted = bias + np.expand_dims(ndtri(TAILS), tuple(range(2, 2 + np.ndim(bias))))
    shrink = 1 - acceleration * shifted
    outermost = np.where(shifted > 0, np.inf, -np.inf)
    with np.errstate(divide="ignore"):
        p = ndtr(bias + np.where(shrink > 0, shifted / shrink, outermost))
    return p.clip(SMALLEST_TAIL, 1 - SMALLEST_TAIL)


@dataclass(frozen=True)
class Truth:
    """What is known of a column; limits are in standard errors from the mean."""

    percentile: np.ndarray  # [level, end]
    bca: np.ndarray  # [level, end]
    ratios: np.ndarray  # [level, end]: quantiles of z*
    ratio_errors: np.ndarray  # [level, end]: Monte Carlo standard errors of these
    share_check: np.ndarray  # [end]: how many standard errors resamples are off m*, at 95%
    # Of 10,000 resamples, the median error of the worse end, in standard errors, [level]:
    percentile_drawn: np.ndarray
    bca_drawn: np.ndarray
    ratios_drawn: np.ndarray


class _Column:
    """A column on its way to its truth."""

    def __init__(self, whole: np.ndarray) -> None:
        self.whole, self.topics, self.total = whole, len(whole), int(whole.sum())
        deviations = whole - whole.mean()
        self.unit = np.sqrt((deviations**2).sum() * self.topics / (self.topics - 1))  # n·se
        self.sums = sums(whole)
        self.percentile = self._limits(self.sums.quantile(TAILS))
        own = bca_levels(whole, np.array(self.sums.share_below(self.total)))
        self.bca = self._limits(self.sums.quantile(own))
        self.ends = self.sums.quantile(TAILS[1])  # of m* at 95%
        self.at_or_below = np.zeros(2)
        self.cut = np.zeros(2)
        self.tails: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        self.slices: list[list[np.ndarray]] = [[], [], []]  # limits by percentile, BCa, z*

    def _limits(self, sums: np.ndarray) -> np.ndarray:
        """Return sums as limits of the mean, in standard errors from the mean."""
        return (sums - self.total) / self.unit

    def add(self, totals: np.ndarray, ratios: np.ndarray) -> None:
        """Take a slice of resamples' sums and z* into account."""
        if len(self.slices[0]) < SLICES:
            self._add_slice(totals, ratios)
        self.at_or_below += [(totals <= end).sum() for end in self.ends]
        self.tails[0].append(ratios[ratios <= self.cut[0]])
        self.tails[1].append(ratios[ratios >= self.cut[1]])

    def _add_slice(self, totals: np.ndarray, ratios: np.ndarray) -> None:
        in_order, ratios_in_order = np.sort(totals), np.sort(ratios)
        if not self.slices[0]:
            self.cut = quantile(ratios_in_order, np.array([_KEPT, 1 - _KEPT]))
        below = np.searchsorted(in_order, self.total)
        share = (below + np.searchsorted(in_order, self.total, "right")) / (2 * len(totals))
        own = bca_levels(self.whole, share.clip(0.5 / len(totals), 1 - 0.5 / len(totals)))
        self.slices[0].append(self._limits(quantile(in_order, TAILS)))
        self.slices[1].append(self._limits(quantile(in_order, own)))
        self.slices[2].append(quantile(ratios_in_order, TAILS))

    def truth(self, number: int) -> Truth:
        """Return what is found from so many resamples."""
        low, high = np.sort(np.concatenate(self.tails[0])), np.sort(np.concatenate(self.tails[1]))

        def at(p: np.ndarray) -> np.ndarray:
            places = np.ceil(p * number * _NEARLY).astype(int) - 1
            below = low[places[:, 0].clip(0, len(low) - 1)]
            above = high[(places[:, 1] - (number - len(high))).clip(0, len(high) - 1)]
            return np.stack([below, above], axis=1)

        sd = np.sqrt(TAILS * (1 - TAILS) / number)
        ratios = at(TAILS)
        errors = np.abs(difference(at(TAILS + sd), at(TAILS - sd))) / 2
        p = self.sums.cumulative[self.ends - self.sums.first]
        off = (self.at_or_below / number - p) / np.sqrt(np.maximum(p * (1 - p), 1e-9) / number)
        return self._with_slices(ratios, errors, off)

    def _with_slices(self, ratios: np.ndarray, errors: np.ndarray, off: np.ndarray) -> Truth:
        truths = (self.percentile, self.bca, ratios)
        drawn = [
            np.median([np.abs(difference(each, truth)).max(axis=1) for each in own], axis=0)
            for own, truth in zip(self.slices, truths, strict=True)
        ]
        return Truth(*truths, errors, off, *drawn)

    def enumerated(self, counts: np.ndarray, probability: np.ndarray, drawn: np.ndarray) -> Truth:
        """Return the truth from all resamples; `drawn` are places among them, [slice, resample]."""
        totals, ratios = next(_resampled([self], counts.T))[1:]
        for slice_ in drawn:
            self._add_slice(totals[slice_], ratios[slice_])
        order = np.argsort(ratios, kind="stable")
        cumulative = np.cumsum(probability[order])
        place = np.searchsorted(cumulative, TAILS * _NEARLY)
        found = ratios[order[place.clip(0, len(order) - 1)]]
        return self._with_slices(found, np.zeros_like(found), np.zeros(2))


def difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return first - second, of which both may be infinite: that is no difference."""
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)


def quantile(in_order: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the (B+1)p-th of B values in order, those between two in proportion."""
    place = (p * (len(in_order) + 1)).clip(1, len(in_order))
    before = np.floor(place + 1e-9).astype(int)
    after, share = np.minimum(before + 1, len(in_order)), place - before
    low, high = in_order[before - 1], in_order[after - 1]
    with np.errstate(invalid="ignore"):
        between = np.where((low == high) | (share < 1e-9), low, low + share * (high - low))
    infinite = np.where(np.isinf(low), low, high)
    return np.where(np.isnan(between), infinite, between)


def truths(columns: Sequence[np.ndarray], seed: int, number: int = RESAMPLES) -> list[Truth]:
    """Return the truth of columns of whole scores that all have as many topics."""
    topics = len(columns[0])
    random = np.random.default_rng([seed, topics])
    if topics <= MOST_ENUMERATED:
        counts, probability = multisets(topics)
        drawn = random.choice(len(probability), (SLICES, SLICE), p=probability)
        return [_Column(whole).enumerated(counts, probability, drawn) for whole in columns]
    groups = [columns[start : start + _TOGETHER] for start in range(0, len(columns), _TOGETHER)]
    return [truth for group in groups for truth in _by_resamples(group, random, number)]


def _by_resamples(
    columns: Sequence[np.ndarray], random: np.random.Generator, number: int
) -> Iterator[Truth]:
    """Yield the truth of columns that share their resamples."""
    topics, ready = len(columns[0]), [_Column(whole) for whole in columns]
    rows = np.arange(SLICE, dtype=np.int32)[:, None] * topics
    for _ in range(number // SLICE):
        drawn = random.integers(topics, size=(SLICE, topics), dtype=np.int32) + rows
        counts = np.bincount(drawn.ravel(), minlength=SLICE * topics).reshape(SLICE, topics)
        for column, totals, ratios in _resampled(ready, counts.T.astype(float)):
            column.add(totals, ratios)
    while ready:  # each is forgotten after its turn: its tails are large
        yield ready.pop(0).truth(number)


def multisets(topics: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all resamples as counts [resample, topic], and their probabilities."""
    drawn = np.array(list(combinations_with_replacement(range(topics), topics)))
    counts = np.stack([(drawn == topic).sum(axis=1) for topic in range(topics)], axis=1)
    ways = np.array([factorial(count) for count in range(topics + 1)])[counts].prod(axis=1)
    return counts.astype(float), factorial(topics) / ways / topics**topics


def _resampled(
    columns: Sequence[_Column], counts: np.ndarray
) -> Iterator[tuple[_Column, np.ndarray, np.ndarray]]:
    """Yield columns with the sums and the z* of resamples, from counts [topic, resample]."""
    for start in range(0, len(columns), _BLOCK):
        block = columns[start : start + _BLOCK]
        whole = np.array([column.whole for column in block], dtype=float)
        totals, squares = np.vsplit(np.vstack([whole, whole**2]) @ counts, 2)  # whole: exact
        for column, own, own_squares in zip(block, totals, squares, strict=True):
            yield column, own, _ratios(own, own_squares, column)


def _ratios(totals: np.ndarray, squares: np.ndarray, column: _Column) -> np.ndarray:
    """Return z* = (m*-m)/se*; of resamples of one value alone it is infinite, or 0 if it is m."""
    above = totals - column.total
    spread = np.sqrt(column.topics * squares - totals**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = above * np.sqrt(column.topics - 1) / spread
    ratios[np.isnan(ratios)] = 0.0
    return ratios
