"""The distribution of the mean of topics drawn with replacement, by convolution.

The sum of n scores drawn with replacement from x_1 … x_n has the n-fold convolution of their
empirical distribution: in terms of its Fourier transform φ, the n-th power φⁿ. Scores are put on a
grid, their histogram is transformed, raised to the power n by repeated squaring, and transformed
back, which gives the probability of every point of the grid (Davison and Hinkley, Bootstrap
Methods and their Application, 1997, section 9.5 on saddlepoints gives the problem; the convolution
is that of Embrechts and Frei, Panjer recursion versus FFT, 2009).

Scores on a lattice, such as P_10 or success_1, have a grid of their own, and the result is exact.
Others are divided between the two points beside them so that their mean stays; the variance that
this adds is taken out of the result.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import ComplexArray, FloatArray
from confint_cli.stats.ideal.column import NEARLY, Column

Numbers = TypeVar("Numbers", FloatArray, ComplexArray)

_TAIL = 1e-10  # probability that may lie beyond either end of the grid
SMALLEST_TAIL = 1e-9  # of a quantile: further out, the transform's rounding counts
POINTS = 1 << 14  # of a grid on which single atoms of the distribution can be told apart
_FEWER_POINTS = 1 << 11  # of a distribution that has no atoms
BLUR, FINEST = 0.008, 1 << 20  # standard deviations of a sum: more asks for more points, to these
VISIBLE_WAVE = 3e-4  # of the transform of a sample whose verdict is asked for
_FADED = 1e-10  # of a wave of the transform: what has faded to this is not worth a point
_POINTS_IN_WAVE = 8  # of the shortest wave that has not
_NOTICEABLE = 1e-6  # probability of a sum of one score alone that is worth to be seen
_VISIBLE = 0.004  # standard deviations of a sum that the steps of a lattice have to be
_DENOMINATORS = np.array(
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100, 200, 1000], dtype=float
)
_ROUNDED = 1.3e-4  # by how much differences of scores with four digits may be off a lattice
_NEAR = 0.02  # steps that a score may be off a lattice
_HARMLESS = 2e-3  # standard deviations that a score may be moved on to a lattice


@dataclass(frozen=True)
class MeanDistribution:
    """The distribution of m* - m, as the probabilities of equally spaced points."""

    first: float  # the first point
    step: float
    cumulative: FloatArray  # [point]: the probability of it and of all before it
    lattice: bool  # whether there is nothing between two points
    resolution: float  # how far off a value with a probability of its own may be

    def quantile(self, p: FloatArray) -> FloatArray:
        """Return the quantiles at p [level]: the least value that m* - m does not exceed with p.

        The probability of a point that stands for others around it is spread over a step.
        """
        enough = p * NEARLY if self.lattice else p
        place = np.searchsorted(self.cumulative, enough).clip(1, len(self.cumulative) - 1)
        if self.lattice:
            on_lattice: FloatArray = self.first + self.step * place
            return on_lattice
        before, at = self.cumulative[place - 1], self.cumulative[place]
        between: FloatArray = self.first + self.step * (place - 0.5 + (p - before) / (at - before))
        return between

    @property
    def share_below(self) -> float:
        """The probability that m* is below m, and half of that of a tie."""
        place = -self.first / self.step  # of m among the points
        if self.lattice:
            nearest = round(place)
            if abs(place - nearest) < 1e-6:
                return float(self.cumulative[nearest - 1 : nearest + 1].mean())
            return float(self.cumulative[int(np.floor(place))])
        return float(np.interp(place, np.arange(len(self.cumulative)) + 0.5, self.cumulative))

    @property
    def probabilities(self) -> FloatArray:
        """The probability of each point, [point]."""
        return np.diff(self.cumulative, prepend=0.0)

    @property
    def points(self) -> FloatArray:
        """The values of m* - m, [point]."""
        points: FloatArray = self.first + self.step * np.arange(float(len(self.cumulative)))
        return points


def mean_distribution(column: Column) -> MeanDistribution:
    """Return the distribution of m* - m of a column whose scores differ."""
    scores, step = column.shares, _visible_step(column)
    if step:
        scores = scores[0] + step * np.rint((scores - scores[0]) / step)
    deviations = scores - scores.mean()
    root = float(np.sqrt((deviations**2).sum()))  # the standard deviation of n(m* - m)
    reach = reach_of(float(np.abs(deviations).max()) / root, len(scores)) * root
    if step:
        points = 1 << int(np.ceil(np.log2(2 * reach / step + 3)))
        on_grid = _on_lattice(deviations, step, points)
    else:
        # A sum of one score alone, if it is probable, is to be on a point; if not, the mean is.
        base = float(deviations[column.mode]) if _one_alone(column) > _NOTICEABLE else 0.0
        points = POINTS
        on_grid = between_points(deviations, base, 2 * reach / (points - 3), points)
        while on_grid.blur > BLUR * root and points < FINEST:
            points *= 2
            on_grid = between_points(deviations, base, 2 * reach / (points - 3), points)
    return _convolve(on_grid, deviations, reach, column)


def _visible_step(column: Column) -> float:
    """Return the step of the lattice of a column, in its unit; 0: none, or one too fine to see."""
    least = _VISIBLE * float(np.sqrt((column.shares**2).sum()))
    if float(np.diff(column.values).min()) < least / 2:
        return 0.0
    step = lattice_step(column.shares * column.unit) / column.unit
    return step if step > least else 0.0


def lattice_step(scores: FloatArray) -> float:
    """Return the step of the lattice that scores [topic] in ascending order lie on; 0: none.

    Steps are 1/d for usual d, or that between two scores. Scores that were rounded to four digits,
    as .3333 of thirds, are on it; so are differences of two of them.
    """
    offsets = scores - scores[0]
    if ((offsets == 0) | (offsets == offsets[-1])).all():  # two scores, whatever they are
        return float(offsets[-1])
    with np.errstate(over="ignore", invalid="ignore"):  # of scores beyond all reason
        harmless = _HARMLESS * float(np.std(offsets / offsets[-1])) * offsets[-1]
        least = np.minimum(min(_ROUNDED, harmless) * _DENOMINATORS, _NEAR)
        places = np.multiply.outer(_DENOMINATORS, offsets)
        fits = np.abs(places - np.rint(places)).max(axis=1) <= least
    return 1 / float(_DENOMINATORS[fits.argmax()]) if fits.any() else 0.0


def _one_alone(column: Column) -> float:
    """Return how probable a resample of the most frequent score alone is."""
    return float((column.numbers.max() / column.topics) ** column.topics)


def reach_of(largest: float, topics: int) -> float:
    """Return how many standard deviations a sum is from its mean at the most, but for `_TAIL`.

    It is Bernstein's inequality, P(S > w) ≤ exp(-w²/2/(1 + w·b/3)) for summands of at most b
    standard deviations of the sum, or all there is: n·b.
    """
    log = -np.log(_TAIL)
    bound = largest * log / 3
    return float(min(bound + np.sqrt(bound**2 + 2 * log), 1.001 * topics * largest))


@dataclass(frozen=True)
class OnGrid:
    """Scores on the points of a grid that goes round in a circle."""

    histogram: NDArray[Any]  # [point]: how many scores there are
    base: float  # the deviation at point 0
    step: float
    added: float  # the variance that a score has more than before
    lattice: bool

    @cached_property
    def transform(self) -> ComplexArray:
        """The Fourier transform of the sum of as many draws as there are scores, [frequency]."""
        topics = round(float(self.histogram.sum()))
        return power(np.fft.rfft(self.histogram / topics), topics)

    @property
    def blur(self) -> float:
        """The standard deviation that this adds to a sum."""
        return float(np.sqrt(self.added * self.histogram.sum()))


def _on_lattice(deviations: FloatArray, step: float, points: int) -> OnGrid:
    """Return deviations [topic] that are whole steps apart on points of their own."""
    places = np.rint((deviations - deviations[0]) / step).astype(np.intp)
    histogram = np.bincount(places % points, np.ones(len(places)), points)
    return OnGrid(histogram, float(deviations[0]), step, 0.0, True)


def between_points(deviations: FloatArray, base: float, step: float, points: int) -> OnGrid:
    """Return deviations [topic] divided between the two points beside each; `base` is on one."""
    places = (deviations - base) / step
    whole = np.floor(places)
    beyond = places - whole
    at = whole.astype(np.intp) % points
    histogram = np.bincount(at, 1 - beyond, points)
    histogram += np.bincount((at + 1) % points, beyond, points)
    added = step**2 * float((beyond * (1 - beyond)).mean())
    return OnGrid(histogram, base, step, added, False)


def _convolve(
    grid: OnGrid, deviations: FloatArray, reach: float, column: Column
) -> MeanDistribution:
    """Return the distribution of means of n scores on a grid, whose sums lie within ± `reach`."""
    topics, points, transform = len(deviations), len(grid.histogram), grid.transform
    # Sums without atoms have a transform that fades soon, and need fewer points.
    step, enough = grid.step, _enough_points(transform)
    if not grid.lattice and enough < points:
        step, points, transform = step * points / enough, enough, transform[: enough // 2 + 1]
    probabilities = np.fft.irfft(transform, points)
    # A sum of the score at point 0 alone is at point 0 again, and points go round in a circle.
    start = int(np.ceil((-reach - topics * grid.base) / step)) - 1  # no sum is there
    cumulative = np.cumsum(np.roll(probabilities, -(start % points)))
    first = topics * grid.base + step * start
    # To divide scores between points adds variance, which a narrower grid takes out again.
    shrink = 1 / np.sqrt(1 + topics * grid.added / float((deviations**2).sum()))
    scale = float(shrink) * column.unit / topics
    blurred = not grid.lattice and _one_alone(column) > _NOTICEABLE
    return MeanDistribution(
        first * scale,
        step * scale,
        cumulative,
        lattice=grid.lattice,
        resolution=step * scale if blurred else 0.0,
    )


def _enough_points(transform: ComplexArray) -> int:
    """Return how many points show all waves of a transform [frequency] that have not faded."""
    last = int(np.flatnonzero(np.abs(transform) > _FADED)[-1])  # the first one is 1
    return max(_FEWER_POINTS, 1 << int(np.ceil(np.log2(_POINTS_IN_WAVE * last + 1))))


def last_wave(e: FloatArray, draws: int, step: float) -> float:
    """Return the highest frequency at which the mean of draws from e [topic] has not faded.

    e has mean 0 and standard deviation 1, and the frequency is that of √draws times the mean. Of
    smooth scores it is about 4; scores in clusters have waves further out. On a lattice of a `step`
    (0: there is none), frequencies repeat those up to that of two steps.
    """
    root = float(np.sqrt(draws))
    reach = reach_of(float(np.abs(e).max()) / root, draws) * root
    grid = between_points(e, 0.0, 2 * reach / (POINTS - 3), POINTS)
    sizes = np.abs(np.fft.rfft(grid.histogram / len(e))) ** draws
    if step:
        sizes = sizes[: int(POINTS * grid.step / (2 * step)) + 1]
    last = int(np.flatnonzero(sizes > VISIBLE_WAVE)[-1])
    return 2 * np.pi * root / (POINTS * grid.step) * last


def power(values: Numbers, exponent: int) -> Numbers:
    """Return values to the power of a positive whole number, by repeated squaring."""
    square = values.copy()
    while exponent % 2 == 0:
        np.multiply(square, square, out=square)
        exponent //= 2
    result = square.copy()
    while exponent := exponent // 2:
        np.multiply(square, square, out=square)
        if exponent % 2:
            np.multiply(result, square, out=result)
    return result
