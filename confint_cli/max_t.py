"""Balanced max-T: how far the t statistics of many pairs of runs stray by chance, all at once.

Resample the topics, all pairs by the same ones. With w how often each topic is drawn and e the
differences of a pair less their mean, D = Σwe and Q = Σwe² give the resample's t statistic:
T*² = (n-1)·D²/(nQ - D²). Every pair is studentised anew in every resample; with the standard error
of the sample instead, the error of that is forgotten, and intervals are too short.

Pairs whose differences are skewed have T* with longer tails. So that none of them decides how wide
the intervals of all others are, T* is measured on the pair's own scale s, the .99 quantile of its
|T*|, before the largest of all pairs, M, is taken (Beran 1988: 'balanced'). A pair's interval is
d̄ ± λ·s·se, where λ is the quantile of M. `strict` has one scale for all.

Sums are of whole numbers, so they are exact: the same to the last bit on every machine, whatever
the order of the runs and the number of threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from scipy.special import stdtrit

from confint_cli.arrays import BoolArray, Counts, FloatArray, Positions
from confint_cli.exact import steps_of_one
from confint_cli.memory import threads_that_fit
from confint_cli.methods._method import Limits
from confint_cli.methods._ordered import Ordered
from confint_cli.methods._quantiles import quantile_error
from confint_cli.pairs import Drawing, Paired, Pairs
from confint_cli.parallel import in_threads, jobs_here
from confint_cli.progress import Progress, no_progress
from confint_cli.resampling import Resamples

_OWN_SCALE = 0.99  # the quantile of a pair's |T*| that is its scale
_UNSEEN = 0.1  # of α: how probable it may be that a resample lacks all differences of some pair
_CELLS = 1 << 18  # T* that are computed at a time: near the processor
_KEPT_COUNTS = 1 << 24  # counts of topics that are kept as floats, not converted again
_OWN_BYTES = 1 << 28  # of what threads have for ranks of runs by themselves, all together
_DEGENERATE = 8  # times the rounding of nQ - D²: less is no variance at all


@dataclass(frozen=True)
class MaxT:
    """What max-T finds of each pair of a family, at one level."""

    level: float
    difference: FloatArray  # d̄ of each pair
    se: FloatArray
    differing: Positions  # on how many topics the runs of a pair differ
    least: int  # on how many they must, to be told apart
    scale: FloatArray  # s of each pair; infinite: it is left out
    scale_error: FloatArray  # its Monte Carlo standard error
    largest: FloatArray  # M of each resample, in order
    own: FloatArray | None  # [run]: λ of the pairs that it is in, where it was asked for

    @property
    def few_differences(self) -> BoolArray:
        """Which pairs differ on some topics, but on too few to be told apart."""
        few: BoolArray = (self.differing > 0) & (self.differing < self.least)
        return few

    @property
    def left_out(self) -> BoolArray:
        """Which pairs have no limits, and are not told apart; equal runs have limits of 0."""
        out: BoolArray = np.isinf(self.scale) & (self.differing > 0)
        return out

    @property
    def critical(self) -> float:
        """The critical value λ."""
        return float(self.largest[_place(self.level, len(self.largest)) - 1])

    @cached_property
    def statistic(self) -> FloatArray:
        """The |t| of each pair on its own scale: those above λ are told apart."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(self.difference) / (self.se * self.scale)
        return np.where(self.left_out | (self.difference == 0), 0.0, t)

    @property
    def told(self) -> BoolArray:
        """Which pairs are told apart."""
        return self.told_by(self.critical)

    def told_by(self, critical: FloatArray | float) -> BoolArray:
        """Return which pairs are told apart by other critical values, one for all or for each."""
        told: BoolArray = self.statistic > critical
        return told

    @property
    def p(self) -> FloatArray:
        """The p-values: (1 + number of M that reach the statistic)/(1 + B); p ≤ α where told."""
        number = len(self.largest)
        reached = number - np.searchsorted(self.largest, self.statistic, side="left")
        p: FloatArray = np.where(self.statistic == 0, 1.0, (1 + reached) / (1 + number))
        return p

    @cached_property
    def half(self) -> FloatArray:
        """Half the width of each interval: 0 where all differences are equal; NaN: no limits."""
        with np.errstate(invalid="ignore"):
            half = self.critical * self.scale * self.se
        return np.where(self.left_out, np.nan, np.where(self.se == 0, 0.0, half))

    @cached_property
    def error(self) -> FloatArray:
        """The Monte Carlo standard error of the limits, by that of λ and of the pair's scale."""
        ordered = Ordered(self.largest[None], len(self.largest))
        critical_error = float(quantile_error(ordered, np.array([[self.level]]))[0, 0])
        with np.errstate(invalid="ignore"):
            error = self.se * np.hypot(
                self.scale * critical_error, self.critical * self.scale_error
            )
        return np.where(np.isinf(self.scale) | (self.se == 0), 0.0, error)

    def limits(self) -> Limits:
        """Return the intervals of all pairs, [1, pair]; they leave 0 out where p ≤ α."""
        low, high = self.difference - self.half, self.difference + self.half
        # Rounding in the last bit may not tell what the statistic does not.
        low = np.where((low > 0) & ~self.told, 0.0, low)
        high = np.where((high < 0) & ~self.told, 0.0, high)
        return Limits(*(part[None] for part in (low, high, self.error, self.error)))


def max_t(
    values: FloatArray,
    pairs: Pairs,
    level: float,
    drawing: Drawing,
    *,
    strict: bool = False,
    own: bool = False,
    progress: Progress = no_progress,
) -> MaxT:
    """Return what is found of pairs of runs, values[topic, run], for all of them at once.

    With `own`, also of each run by itself, for all pairs that it is in.
    """
    differing = _differing(values, pairs)
    topics = len(values)
    least = _least_differing(differing[pairs.distinct[0]], topics, level)
    work = _Work(values, pairs, differing >= least, drawing, strict=strict,
                 own=level if own else None)  # fmt: skip
    largest, criticals = work.done(progress)
    # Equal differences leave no doubt, unless a resample of so few topics may have but one of them.
    if _shows_variance(topics):
        work.scale[(work.se == 0) & (differing >= least)] = 1.0
    return MaxT(level, work.difference, work.se, differing, least, work.scale, work.scale_error,
                largest, criticals)  # fmt: skip


def _shows_variance(topics: int) -> bool:
    """Say whether resamples of one topic alone are rare enough: from five topics on."""
    return float(topics) ** (1 - topics) < 1 - _OWN_SCALE


def _place(level: float, number: int) -> int:
    """Return which of so many ordered values is the quantile: not interpolated, as p is not."""
    return min(number, math.ceil(round(level * (number + 1), 9)))


def _differing(values: FloatArray, pairs: Pairs) -> Positions:
    """Return on how many topics the runs of each pair differ."""
    differing = np.empty(len(pairs), np.intp)
    for base, runs, places in pairs.by_baseline():
        paired = _with_baseline(values, base, runs)
        differing[places] = np.count_nonzero(paired.differences, axis=0)
    return differing


def _with_baseline(values: FloatArray, base: int, runs: Positions) -> Paired:
    """Return some runs, and the baseline that each of them is compared with."""
    both = np.concatenate([values[:, [base]], values[:, runs]], axis=1)
    number = len(runs)
    return Paired(both, Pairs(np.arange(1, number + 1), np.zeros(number, np.intp)))


def _least_differing(differing: Positions, topics: int, level: float) -> int:
    """Return on how many topics pairs must differ to be kept.

    A resample that lacks all the topics on which two runs differ cannot tell how they vary. Over
    all pairs that are kept, that is improbable.
    """
    lacking = (1 - np.arange(topics + 1) / topics) ** topics
    number = np.bincount(differing, minlength=topics + 1)
    of_more = np.cumsum((number * lacking)[::-1])[::-1]
    enough = np.flatnonzero(of_more[1:] <= _UNSEEN * (1 - level) * (1 + 1e-9))
    return 1 + int(enough[0])  # pairs that differ on all topics lack them in no resample


class _Work:
    """The T* of all pairs that are kept, by any number of threads; and what is plain of each."""

    def __init__(
        self,
        values: FloatArray,
        pairs: Pairs,
        kept: BoolArray,
        drawing: Drawing,
        *,
        strict: bool,
        own: float | None,
    ) -> None:
        self._values, self._pairs, self._kept, self._drawing = values, pairs, kept, drawing
        self._strict, self._own = strict, own
        topics, self._runs = values.shape
        self._free = topics - 1
        self._draws = _Draws(topics, drawing)
        self._floor = float(stdtrit(topics - 1, (1 + _OWN_SCALE) / 2)) ** 2 / self._free
        self.difference, self.se = np.empty(len(pairs)), np.empty(len(pairs))
        self.scale, self.scale_error = np.full(len(pairs), np.inf), np.zeros(len(pairs))
        self._lock, self._told, self._stopped = Lock(), 0, False

    def done(self, progress: Progress) -> tuple[FloatArray, FloatArray | None]:
        """Return M of all resamples, in order, and λ of runs; the rest is kept here."""
        self._progress = progress
        progress(0, len(self._pairs))
        groups = list(self._pairs.by_baseline())
        threads = self._threads
        shares = [groups[share::threads] for share in range(threads)]
        found = in_threads(self._share, shares, jobs=threads, stop=self._stop)
        largest: FloatArray = np.sqrt(np.max([one for one, _ in found], axis=0))
        largest.sort()
        return largest, self._criticals([own for _, own in found if own is not None])

    @property
    def _threads(self) -> int:
        own = 8 * self._runs * self._drawing.number if self._own is not None else 0
        most = jobs_here(self._drawing.jobs)
        if own:
            most = min(most, max(1, _OWN_BYTES // own))
        return threads_that_fit(most, own + 5 * 8 * _CELLS)

    def _criticals(self, by_thread: Sequence[FloatArray]) -> FloatArray | None:
        """Return λ of each run by itself, from the largest T*² of its pairs, [run, resample]."""
        if self._own is None:
            return None
        largest, *others = by_thread
        for other in others:
            np.maximum(largest, other, out=largest)
        place = _place(self._own, self._drawing.number) - 1
        largest.partition(place, axis=1)
        criticals: FloatArray = np.sqrt(largest[:, place])
        return criticals

    def _share(
        self, groups: Sequence[tuple[int, Positions, Positions]]
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return the largest T*² of any pair of a share, and of the pairs that each run is in."""
        number = self._drawing.number
        largest = np.zeros(number)
        own = np.zeros((self._runs, number)) if self._own is not None else None
        width = max(1, _CELLS // number)
        for base, runs, places in groups:
            for start in range(0, len(places), width):
                here = slice(start, start + width)
                squares, left = self._on_own_scale(base, runs[here], places[here])
                if len(left):
                    most = squares.max(axis=0)
                    np.maximum(largest, most, out=largest)
                    if own is not None:
                        np.maximum(own[base], most, out=own[base])
                        _raise(own, left, squares)
                self._tell(len(places[here]))
        return largest, own

    def _on_own_scale(
        self, base: int, runs: Positions, places: Positions
    ) -> tuple[FloatArray, Positions]:
        """Return T*²/s² of those pairs that have a scale, [pair, resample], and which runs' it is.

        What is plain of all these pairs is noted.
        """
        paired = _with_baseline(self._values, base, runs)
        sample = paired.sample
        self.difference[places], self.se[places] = paired.mean_difference, sample.se
        kept = self._kept[places] & ~sample.constant
        if not kept.any():
            return np.empty((0, 0)), runs[:0]
        squares = self._draws.squares(sample.shares[kept])
        scale, error = _scales(squares, self._floor)
        if self._strict:
            scale = np.where(np.isinf(scale), np.inf, 1 / self._free)
            error = np.zeros_like(error)
        places, runs = places[kept], runs[kept]
        self.scale[places] = np.sqrt(self._free * scale)
        self.scale_error[places] = np.sqrt(self._free) * error
        finite = np.isfinite(scale)
        if not finite.all():
            squares, runs, scale = squares[finite], runs[finite], scale[finite]
        squares /= scale[:, None]
        return squares, runs

    def _tell(self, pairs: int) -> None:
        """Tell that so many more pairs are done; or end, if all is to end."""
        if self._stopped:
            raise InterruptedError
        with self._lock:
            self._told += pairs
            self._progress(self._told, len(self._pairs))

    def _stop(self) -> None:
        self._stopped = True


def _raise(largest: FloatArray, rows: Positions, values: FloatArray) -> None:
    """Let rows of the largest be no smaller than the values."""
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 == len(rows):  # as usual; then nothing is copied
        here = largest[first : last + 1]
        np.maximum(here, values, out=here)
    else:
        largest[rows] = np.maximum(largest[rows], values)


class _Draws:
    """The resamples of topics, as matrix products take them."""

    def __init__(self, topics: int, drawing: Drawing) -> None:
        self._number = drawing.number
        self._counts = Resamples(topics, drawing.number, drawing.seed).in_few_bytes()
        few = topics * drawing.number <= _KEPT_COUNTS
        self._kept = list(map(_as_factor, self._counts)) if few else None

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


def _scales(squares: FloatArray, floor: float) -> tuple[FloatArray, FloatArray]:
    """Return s²/(n-1) of each pair, at least the floor, and the error of s/√(n-1).

    Of B values in order the scale is the ⌈.99(B+1)⌉-th. Its place has a standard deviation of
    √(.99·.01·B): half the way between the values so far to either side is the error.
    """
    number = squares.shape[1]
    depth = number - _place(_OWN_SCALE, number) + 1  # from the largest
    off = max(1, round(math.sqrt(number * _OWN_SCALE * (1 - _OWN_SCALE))))
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
