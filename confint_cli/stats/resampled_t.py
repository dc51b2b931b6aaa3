"""The t statistics of differences in resamples of the topics, and how far they stray.

With w how often each topic is drawn and e the differences of a pair less their mean, D = Σwe and
Q = Σwe² give the resample's t statistic: T*² = (n-1)·D²/(nQ - D²). Sums are of whole numbers, so
they are exact: the same to the last bit on every machine, beside whatever other pairs.
"""

import math

import numpy as np
from scipy.special import stdtrit

from confint_cli.common.arrays import Counts, FloatArray
from confint_cli.common.exact import steps_of_one
from confint_cli.stats.random import Drawing, Resamples

OWN_SCALE = 0.99  # the quantile of a pair's |T*| that is its scale
_KEPT_COUNTS = 1 << 24  # counts of topics that are kept as floats, not converted again
_CELLS = 1 << 18  # T* that are computed at a time: near the processor …
_MANY_CELLS = 1 << 21  # … or so many that converting counts for them takes little of the time
_DEGENERATE = 8  # times the rounding of nQ - D²: less is no variance at all


def place_of(level: float, number: int) -> int:
    """Return which of so many ordered values is the quantile: not interpolated, as p is not."""
    return min(number, math.ceil(round(level * (number + 1), 9)))


class ResampledT:
    """The t statistics of pairs in every resample of topics."""

    def __init__(self, topics: int, drawing: Drawing) -> None:
        self._number = drawing.number
        self._counts = Resamples(topics, drawing.number, drawing.seed).in_few_bytes()
        few = topics * drawing.number <= _KEPT_COUNTS
        self._kept = list(map(_as_factor, self._counts)) if few else None
        self.together = _CELLS if few else _MANY_CELLS  # T* that are best computed at a time

    def squares(self, deviations: FloatArray) -> FloatArray:
        """Return T*²/(n-1) of pairs, [pair, resample], from deviations within ±1, [pair, topic]."""
        pairs, topics = deviations.shape
        steps = steps_of_one(topics)
        whole = np.rint(np.concatenate([deviations, deviations**2]) * steps)
        squares = np.empty((pairs, self._number))
        done = 0
        for chunk in self._kept or map(_as_factor, self._counts):
            sums = whole @ chunk
            here = slice(done, done := done + sums.shape[1])
            _square(sums[:pairs], sums[pairs:], topics, steps, squares[:, here])
        return squares


def _as_factor(counts: Counts) -> FloatArray:
    """Return counts [resample, topic] with the topics first, as floats."""
    return np.ascontiguousarray(counts.T, dtype=np.float64)


def _square(
    total: FloatArray, squared: FloatArray, topics: int, steps: float, out: FloatArray
) -> None:
    """Put D²/(nQ - D²) into `out`; D and Q, in whole steps, are used up.

    Without variance that is infinite, or 0 if D is 0 too.
    """
    squared *= topics * steps
    total *= total
    squared -= total
    none = squared <= _DEGENERATE * topics**2 * steps
    if none.any():
        squared[none] = np.where(total[none] > _DEGENERATE * topics**2 * steps, 0.0, np.inf)
    with np.errstate(divide="ignore"):
        np.divide(total, squared, out=out)


def scales(squares: FloatArray, freedom: int) -> tuple[FloatArray, FloatArray]:
    """Return s²/(n-1) of each pair from T*²/(n-1), and the Monte Carlo error of s/√(n-1).

    It is at least what a t statistic with these degrees of freedom has.

    Of B values in order the scale is the ⌈.99(B+1)⌉-th. Its place has a standard deviation of
    √(.99·.01·B): half the way between the values so far to either side is the error.
    """
    floor = float(stdtrit(freedom, (1 + OWN_SCALE) / 2)) ** 2 / freedom
    number = squares.shape[1]
    depth = number - place_of(OWN_SCALE, number) + 1  # from the largest
    off = max(1, round(math.sqrt(number * OWN_SCALE * (1 - OWN_SCALE))))
    places = np.clip([depth - off, depth, depth + off], 1, None)
    tail = _tails(squares, floor, int(places[-1]))
    farther, own, nearer = tail[:, places - 1].T
    finite = np.isfinite(own)
    farther = np.where(np.isfinite(farther), farther, 4 * own)  # so uncertain that it is all
    error = np.zeros(len(squares))
    error[finite] = (np.sqrt(farther[finite]) - np.sqrt(nearer[finite])) / 2
    return own, error


def _tails(squares: FloatArray, floor: float, number: int) -> FloatArray:
    """Return so many of the largest values of each row, or more, in order; the least is the floor.

    Few are above the floor, and only these need to be sorted.
    """
    above = squares > floor
    row, column = np.nonzero(above)
    counts = np.bincount(row, minlength=len(squares))
    tails = np.full((len(squares), max(number, int(counts.max()))), floor)
    starts = np.cumsum(counts) - counts
    tails[row, np.arange(len(row)) - starts[row]] = squares[row, column]
    tails *= -1
    tails.sort(axis=1)
    tails *= -1
    return tails
