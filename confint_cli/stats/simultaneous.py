"""Max-T: intervals of the differences of many pairs of runs that hold for all of them at once.

The topics are resampled, and the t statistic T* of each pair is computed in every resample. The
scale s of a pair is a quantile of its own |T*|; the largest |T*|/s of any pair in a resample is M,
and the critical value λ is a quantile of M. The intervals are d̄ ± λ·s·se. Pairs that differ on too
few topics, or by the same on nearly all of them, are left out: they would have no variance in so
many resamples that no pair had limits.

With w how often each topic is drawn and e the differences of a pair less their mean, D = Σwe and
Q = Σwe² give the resample's t statistic: T*² = (n-1)·D²/(nQ - D²). Sums are of whole numbers, so
they are exact: the same to the last bit on every machine, beside whatever other pairs.

Topics of several collections are resampled within each, and T*² = D²/Σ n/(n-1)·(Q - D²/n), where
the sum is over collections, with D, Q and n of each. Groups of topics are resampled whole, in the
place of topics, and T* is as `bootstrap.Groups` has it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from confint_cli.common.arrays import BoolArray, Counts, FloatArray, Positions
from confint_cli.common.exact import steps_of_one
from confint_cli.common.parallel import Together, in_threads
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.records import Explained
from confint_cli.common.system import threads_that_fit
from confint_cli.scores.design import PLAIN, Design
from confint_cli.stats.bootstrap import Groups, sum_by_strata
from confint_cli.stats.flags import Doubt, DoubtArray, with_doubt
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.names import MAX_T
from confint_cli.stats.pairs import Paired, Pairs, with_baseline
from confint_cli.stats.quantiles import Ordered, quantile_error
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.sample import Sample

OWN_SCALE = 0.99  # the quantile of a pair's |T*| that is its scale
_UNSEEN = 0.1  # the share of α that a resample of some pair without variance may have
_LAST_BITS = 1e-9  # as a share, by which statistics that are meant to be equal may differ
_DEGENERATE = 8  # times the rounding of nQ - D²: less is no variance at all
_OWN_BYTES = 1 << 28  # memory of all threads together for the largest T*² of each run's own pairs
_KEPT_COUNTS = 1 << 24  # counts of topics that are kept as floats, not converted again
_CELLS = 1 << 18  # T* that are computed at a time where counts are kept: near the processor
_MANY_CELLS = 1 << 21  # T* at a time where they are not, so that to convert them takes little time
EXPLAINED = Explained(
    summary="intervals that hold for all differences at once, for compare --simultaneous and rank",
    formula="d̄ ± λ·s·se; s is the .99 quantile of a pair's |T*| over resamples, λ the quantile at "
    "the level of max |T*|/s over all pairs",
    explanation="""\
Intervals of the differences between runs that hold for all pairs at once, approximately: with a
level of 95%, there should be any interval that misses the true difference in only 5% of samples.

Topics are resampled B times (--draws), and in each resample the t statistic T* of every pair is
computed anew. Each pair has its own scale s, so that a pair with skewed differences does not widen
the intervals of all other pairs. For 95% intervals, λ is the smallest factor such that in 95% of
resamples no pair strays beyond λ times its scale. As all pairs share the resamples, the intervals
take into account how alike the runs are. In the formula, d̄ is the mean difference of a pair and se
its standard error.

'confint compare --correct max-t' gives p-values that agree with the intervals: p ≤ 0.05 where the
95% interval excludes 0. With several levels, each row has the p-value that belongs to its level.

--strict uses one scale for all pairs. Where differences are alike, its intervals are hardly any
wider. Where some are skewed, they are .8 to 2.3 times as wide, in the median of each family of runs
in docs/levels.md; with many runs and few topics, far fewer pairs are then told apart.

The intervals hold together approximately, because rare large differences that are absent from these
topics cannot be seen. Of families of equal runs, about 5% have any interval that excludes 0, under
skewness too, but more where a few rare topics decide (docs/levels.md has the figures). Two runs
that differ on very few topics cannot be told apart by resampling these topics: such pairs have no
limits, a p-value of 1 and the note 'few differences'.""",
    reference="Beran, JASA 83 (1988); Romano and Wolf, JASA 100 (2005)",
    style=8,
)


@dataclass(frozen=True)
class LeftOut:
    """How many pairs are left out, and why."""

    few_differences: int  # pairs whose runs differ on too few topics
    at_most: int  # on how many topics the runs of these pairs differ at most
    unbounded: int  # other pairs, whose runs differ by the same on nearly all topics
    enough_topics: bool  # if not, all pairs are left out

    @property
    def pairs(self) -> int:
        """How many pairs are left out in all."""
        return self.few_differences + self.unbounded


@dataclass(frozen=True)
class MaxT:
    """The result of max-T for each pair of a family, at one level; arrays are [pair]."""

    level: float
    difference: FloatArray  # d̄
    se: FloatArray  # of d̄
    differing: Positions  # on how many topics the runs differ
    few_differences: BoolArray  # which pairs differ, but on too few topics to be told apart
    scale: FloatArray  # s; infinite: the pair is left out
    scale_error: FloatArray  # the Monte Carlo standard error of s
    largest: FloatArray  # [resample]: M, in ascending order
    own: FloatArray | None  # [run]: λ of the pairs that the run is in, where it was asked for
    enough_topics: bool  # whether resamples vary enough; if not, all pairs are left out

    @property
    def left_out(self) -> BoolArray:
        """Which pairs have no limits, and are not told apart; equal runs have limits of 0."""
        out: BoolArray = (np.isinf(self.scale) | np.isinf(self.critical)) & (self.differing > 0)
        return out

    @property
    def unbounded(self) -> BoolArray:
        """Which pairs are left out that differ on enough topics, but by the same on too many."""
        out: BoolArray = self.left_out & ~self.few_differences
        return out

    def counted(self, pairs: Pairs) -> LeftOut:
        """Return how many pairs are left out; each two runs count once."""
        few = self.few_differences
        at_most = int(self.differing[few].max()) if few.any() else 0
        number_few, number_unbounded = (
            int(pairs.each_once(which.astype(np.intp)).sum()) for which in (few, self.unbounded)
        )
        return LeftOut(number_few, at_most, number_unbounded, self.enough_topics)

    @property
    def critical(self) -> float:
        """The critical value λ."""
        return float(self.largest[place_of(self.level, len(self.largest)) - 1])

    @cached_property
    def statistic(self) -> FloatArray:
        """The |t| of each pair on its own scale; pairs with more than λ are told apart.

        It is made smaller by the last bits, so that a T* which is meant to be equal reaches it.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (1 - _LAST_BITS) * np.abs(self.difference) / (self.se * self.scale)
        return np.where(self.left_out | (self.difference == 0), 0.0, t)

    @property
    def told(self) -> BoolArray:
        """Which pairs are told apart."""
        told: BoolArray = self.statistic > self.critical
        return told

    @property
    def p(self) -> FloatArray:
        """The p-values, (1 + number of M that reach the statistic)/(1 + B); p ≤ α: told apart."""
        number = len(self.largest)
        reached = number - np.searchsorted(self.largest, self.statistic, side="left")
        p: FloatArray = np.where(self.statistic == 0, 1.0, (1 + reached) / (1 + number))
        return p

    @property
    def half(self) -> FloatArray:
        """Half the width of each interval: 0 where all differences are equal, NaN: no limits."""
        with np.errstate(invalid="ignore"):
            half = self.critical * self.scale * self.se
        return np.where(self.left_out, np.nan, np.where(self.se == 0, 0.0, half))

    @property
    def error_share(self) -> float:
        """The Monte Carlo error of the limits as a share of half the width, in the median pair."""
        half = self.half
        kept = np.isfinite(half) & (half > 0)
        return float(np.median(self.error[kept] / half[kept])) if kept.any() else 0.0

    @property
    def close(self) -> int:
        """How many pairs have a limit no farther from 0 than its own Monte Carlo error."""
        with np.errstate(invalid="ignore"):
            return int((np.abs(np.abs(self.difference) - self.half) < self.error).sum())

    @property
    def error(self) -> FloatArray:
        """The Monte Carlo standard error of the limits, by that of λ and of the pair's scale."""
        ordered = Ordered(self.largest[None], len(self.largest))
        critical_error = float(quantile_error(ordered, np.array([[self.level]]))[0, 0])
        with np.errstate(invalid="ignore"):
            error = self.se * np.hypot(
                self.scale * critical_error, self.critical * self.scale_error
            )
        return np.where(self.left_out | (self.se == 0), 0.0, error)

    def limits(self) -> Limits:
        """Return the intervals of all pairs, [1, pair]; they leave 0 out where p ≤ α."""
        half, told, error = self.half, self.told, self.error
        low, high = self.difference - half, self.difference + half
        # A limit that rounding in the last bit puts beyond 0 must not tell a pair apart.
        low = np.where((low > 0) & ~told, 0.0, low)
        high = np.where((high < 0) & ~told, 0.0, high)
        return Limits(*(array[None] for array in (low, high, error, error)))


@dataclass(frozen=True)
class AtOnce:
    """The results of max-T at one or several levels."""

    by_level: tuple[MaxT, ...]

    @property
    def limits(self) -> Limits:
        """The intervals, [level, pair]; NaN: there are no limits."""
        arrays = zip(*(at_level.limits().parts for at_level in self.by_level), strict=True)
        return Limits(*(np.concatenate(of_levels) for of_levels in arrays))

    @property
    def p(self) -> FloatArray:
        """The p-values, [level, pair], that agree with the intervals of their level.

        Which pairs are left out depends on the level, and so do the p-values of all others.
        """
        p: FloatArray = np.array([at_level.p for at_level in self.by_level])
        return p

    @property
    def few_differences(self) -> BoolArray:
        """Which pairs, [level, pair], differ on too few topics to be told apart."""
        return np.array([at_level.few_differences for at_level in self.by_level])

    @property
    def unbounded(self) -> BoolArray:
        """Which other pairs, [level, pair], have no limits: too many resamples have no variance."""
        return np.array([at_level.unbounded for at_level in self.by_level])


def with_max_t(
    limits: Mapping[str, Limits],
    doubts: Mapping[str, DoubtArray],
    found: AtOnce,
    *,
    about: DoubtArray,
    varies: BoolArray,
    intervals: bool,
) -> tuple[dict[str, Limits], dict[str, DoubtArray]]:
    """Return limits and doubts by method, [level, pair], with those of max-T.

    `about` are the doubts about the differences, and `varies` says which of them have a variance,
    [pair]. That pairs differ on too few topics for max-T is a doubt of all methods; there are
    limits of max-T only if its `intervals` are asked for.
    """
    limits, doubts = dict(limits), dict(doubts)
    if intervals:
        limits[MAX_T] = found.limits
        own = about & ~int(Doubt.SKEWED)  # max-T allows for it
        doubts[MAX_T] = with_doubt(own, Doubt.UNBOUNDED, found.unbounded & varies)
    few = found.few_differences
    return limits, {
        name: with_doubt(each, Doubt.FEW_DIFFERENCES, few) for name, each in doubts.items()
    }


def at_once(
    paired: Paired,
    levels: tuple[float, ...],
    drawing: Drawing,
    *,
    strict: bool = False,
    progress: Progress = no_progress,
) -> AtOnce:
    """Return the results of max-T for all pairs at each level."""
    steps = parts_of(progress, len(levels))
    return AtOnce(
        tuple(
            max_t(
                paired.values, paired.pairs, level, drawing,
                strict=strict, progress=step, design=paired.design,
            )
            for level, step in zip(levels, steps, strict=True)
        )
    )  # fmt: skip


def max_t(
    values: FloatArray,
    pairs: Pairs,
    level: float,
    drawing: Drawing,
    *,
    strict: bool = False,
    own: bool = False,
    progress: Progress = no_progress,
    design: Design = PLAIN,
) -> MaxT:
    """Return the result of max-T for pairs of the runs of values[topic, run], at one level.

    With `strict`, all pairs have one scale. With `own`, there is also a critical value for each run
    by itself, which holds for all pairs that it is in. `design` says how the topics were drawn.
    """
    which = pairs_with_limits(values, pairs, level, design)
    work = _Work(values, pairs, which.kept, drawing, strict=strict,
                 own=level if own else None, design=design)  # fmt: skip
    largest, criticals = work.done(progress)
    return MaxT(level, work.difference, work.se, which.differing, which.few,
                work.scale, work.scale_error, largest, criticals, which.enough)  # fmt: skip


@dataclass(frozen=True)
class PairsWithLimits:
    """Which pairs can have limits from resamples of the topics; arrays are [pair]."""

    differing: Positions  # on how many topics the runs differ
    kept: BoolArray
    few: BoolArray  # which differ, but on too few topics
    enough: bool  # whether resamples vary enough; if not, none is kept


def pairs_with_limits(
    values: FloatArray, pairs: Pairs, level: float, design: Design = PLAIN
) -> PairsWithLimits:
    """Return which pairs of the runs of values[topic, run] can have limits at a level."""
    sizes = design.strata or (len(values),)
    enough = _enough_topics(sizes, level)
    if design.strata:
        differing, kept, few = _kept_of_collections(values, pairs, sizes, level)
        return PairsWithLimits(differing, kept & enough, few, enough)
    differing, varying = _differing_topics(Sample(values, design=design).row_means, pairs)
    least = _least_varying(pairs.each_once(varying), len(values), level)
    kept, few = varying >= least, (differing > 0) & (differing < least)
    return PairsWithLimits(differing, kept & enough, few, enough)


def _kept_of_collections(
    values: FloatArray, pairs: Pairs, sizes: tuple[int, ...], level: float
) -> tuple[Positions, BoolArray, BoolArray]:
    """Return on how many topics pairs differ, which are kept, and which differ on too few, [pair].

    A resample has no variance if each collection lacks all topics that vary. Pairs are kept, those
    first for which that is least probable, as long as it is improbable for all of them together.
    """
    differing = np.zeros(len(pairs), np.intp)
    chance, chance_of_zeros = np.ones((2, len(pairs)))
    for size, part in zip(sizes, np.split(values, np.cumsum(sizes)[:-1]), strict=True):
        own_differing, own_varying = _differing_topics(part, pairs)
        differing += own_differing
        chance *= (1 - own_varying / size) ** size
        chance_of_zeros *= (1 - own_differing / size) ** size
    ordered = np.sort(chance[pairs.distinct[0]])
    together = np.cumsum(ordered)
    bound = _UNSEEN * (1 - level) * (1 + 1e-9)
    within = np.flatnonzero(together <= bound)
    most = ordered[within[-1]] if len(within) else -1.0
    # Equals are all kept, or none; the order of collections changes the last bits of a product.
    if len(within) < len(ordered) and most >= ordered[len(within)] * (1 - _LAST_BITS):
        below = ordered[ordered < most * (1 - _LAST_BITS)]
        most = below[-1] if len(below) else -1.0
    kept: BoolArray = chance <= most
    few: BoolArray = ~kept & (differing > 0) & (chance_of_zeros >= chance * (1 - _LAST_BITS))
    return differing, kept, few


def _differing_topics(values: FloatArray, pairs: Pairs) -> tuple[Positions, Positions]:
    """Return on how many topics the runs of each pair differ, [pair], and how many vary, [pair].

    Topics vary whose difference is not the one that most topics have. Where no two topics have the
    same difference, all of them do.
    """
    differing, varying = np.empty((2, len(pairs)), np.intp)
    for base, runs, places in pairs.by_baseline():
        paired = with_baseline(values, base, runs)
        differing[places] = np.count_nonzero(paired.differences, axis=0)
        most = _most_common(paired)
        varying[places] = len(values) - np.where(most > 1, most, 0)
    return differing, varying


def _most_common(paired: Paired) -> Positions:
    """Return how many topics have the most common difference of each pair, but for last bits."""
    ordered = np.sort(paired.differences.T, axis=1)
    new = np.ones(ordered.shape, dtype=bool)
    new[:, 1:] = np.diff(ordered, axis=1) > paired.rounding[:, None]
    starts = np.flatnonzero(new)  # of stretches of equal ones, none of which goes into another row
    lengths = np.diff(starts, append=new.size)
    first_of_row = np.searchsorted(starts, np.arange(0, new.size, paired.topics))
    most: Positions = np.maximum.reduceat(lengths, first_of_row)
    return most


def _least_varying(varying: Positions, topics: int, level: float) -> int:
    """Return on how many topics the difference of a pair has to vary for the pair to be kept.

    A resample that lacks all these topics has no variance. Over all pairs that are kept, that has
    to be improbable, or T* would be infinite in too many resamples for any pair to have limits.
    """
    lacking = (1 - np.arange(topics + 1) / topics) ** topics
    number = np.bincount(varying, minlength=topics + 1)
    of_more = np.cumsum((number * lacking)[::-1])[::-1]
    enough = np.flatnonzero(of_more[1:] <= _UNSEEN * (1 - level) * (1 + 1e-9))
    return 1 + int(enough[0])  # pairs that vary on all topics lack them in no resample


def _enough_topics(sizes: Sequence[int], level: float) -> bool:
    """Say whether resamples of one topic only, without variance, are rare: at 95%, from 5 on.

    Of several collections, with these numbers of topics, each would have one topic only. This is
    their probability, not their number: a few draws may have none of them by luck.
    """
    chance = math.prod(float(topics) ** (1 - topics) for topics in sizes)
    return min(sizes) > 1 and chance <= min(1 - OWN_SCALE, _UNSEEN * (1 - level))


class _Work:
    """The T* of all pairs that are kept, by any number of threads.

    Beside them, the difference, se, scale and scale error of each pair are kept here, [pair].
    """

    def __init__(
        self,
        values: FloatArray,
        pairs: Pairs,
        kept: BoolArray,
        drawing: Drawing,
        *,
        strict: bool,
        own: float | None,
        design: Design,
    ) -> None:
        self._values, self._pairs, self._kept, self._drawing = values, pairs, kept, drawing
        self._strict, self._own, self._design = strict, own, design
        topics, self._runs = values.shape
        # T*² are divided by it, until they have a scale.
        self._free = topics - 1 if design.counts_alike else 1
        self._resampled = _ResampledT(topics, drawing, design)
        self.difference, self.se = np.empty(len(pairs)), np.empty(len(pairs))
        self.scale, self.scale_error = np.full(len(pairs), np.inf), np.zeros(len(pairs))

    def done(self, progress: Progress) -> tuple[FloatArray, FloatArray | None]:
        """Return M of all resamples, in ascending order, and with `own` λ of each run, [run]."""
        self._progress = Together(progress)
        progress(0, len(self._pairs))
        groups = list(self._pairs.by_baseline())
        threads = self._threads
        shares = [groups[share::threads] for share in range(threads)]
        by_thread = in_threads(self._share, shares, threads=threads, stop=self._progress.stop)
        largest: FloatArray = np.sqrt(np.max([of_pairs for of_pairs, _ in by_thread], axis=0))
        largest.sort()
        return largest, self._criticals([own for _, own in by_thread if own is not None])

    @property
    def _threads(self) -> int:
        own_bytes = 8 * self._runs * self._drawing.number if self._own is not None else 0
        most = self._drawing.workers.here.threads
        if own_bytes:
            most = min(most, max(1, _OWN_BYTES // own_bytes))
        return threads_that_fit(most, own_bytes + 5 * 8 * self._resampled.together)

    def _criticals(self, by_thread: Sequence[FloatArray]) -> FloatArray | None:
        """Return λ of each run by itself, [run], or None if it is not asked for.

        `by_thread` is the largest T*² of the pairs that each run is in, [run, resample] each.
        """
        if self._own is None:
            return None
        largest, *others = by_thread
        for other in others:
            np.maximum(largest, other, out=largest)
        place = place_of(self._own, self._drawing.number) - 1
        largest.partition(place, axis=1)
        criticals: FloatArray = np.sqrt(largest[:, place])
        return criticals

    def _share(
        self, groups: Sequence[tuple[int, Positions, Positions]]
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return the largest T*² of any pair of a share of the groups, [resample].

        The second array has that of the pairs that each run is in, [run, resample], or is None.
        """
        number = self._drawing.number
        largest = np.zeros(number)
        own = np.zeros((self._runs, number)) if self._own is not None else None
        width = max(1, self._resampled.together // number)
        for base, runs, places in groups:
            for start in range(0, len(places), width):
                block = slice(start, start + width)
                squares, scaled_runs = self._on_own_scale(base, runs[block], places[block])
                if len(scaled_runs):
                    most = squares.max(axis=0)
                    np.maximum(largest, most, out=largest)
                    if own is not None:
                        np.maximum(own[base], most, out=own[base])
                        _raise(own, scaled_runs, squares)
                self._progress.tell(len(places[block]), len(self._pairs))
        return largest, own

    def _on_own_scale(
        self, base: int, runs: Positions, places: Positions
    ) -> tuple[FloatArray, Positions]:
        """Return T*²/s² of the pairs that have a finite scale, [pair, resample], and their runs.

        The difference, se, scale and scale error of all pairs at these places are kept.
        """
        paired = with_baseline(self._values, base, runs, self._design)
        sample = paired.sample
        self.difference[places], self.se[places] = paired.mean_difference, sample.se
        kept = self._kept[places] & ~sample.constant
        if not kept.any():
            return np.empty((0, 0)), runs[:0]
        squares = self._resampled.squares(sample.shares[kept])
        floor = stdtrit(sample.df[kept], (1 + OWN_SCALE) / 2) ** 2 / self._free
        scale, error = scales(squares, floor)
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


def _raise(largest: FloatArray, rows: Positions, values: FloatArray) -> None:
    """Raise some rows of `largest`, in place, to the values where these are larger."""
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 == len(rows):  # as usual; then nothing is copied
        block = largest[first : last + 1]
        np.maximum(block, values, out=block)
    else:
        largest[rows] = np.maximum(largest[rows], values)


class _ResampledT:
    """The t statistics of pairs in every resample of topics."""

    def __init__(self, topics: int, drawing: Drawing, design: Design) -> None:
        self._number = drawing.number
        self._slices = design.slices(topics) if design.strata else []
        self._sizes = design.sizes
        self._counts = Resamples(topics, drawing.number, drawing.seed, design.strata).in_few_bytes()
        few = topics * drawing.number <= _KEPT_COUNTS
        self._kept = list(map(_as_factor, self._counts)) if few else None
        self.together = _CELLS if few else _MANY_CELLS  # T* that are best computed at a time

    def squares(self, deviations: FloatArray) -> FloatArray:
        """Return T*²/(n-1) of pairs, [pair, resample], from deviations within ±1, [pair, topic].

        Of several collections, or groups of different sizes, it is T*².
        """
        pairs, topics = deviations.shape
        if self._sizes is not None:
            return self._squares_of_groups(Groups(deviations, self._sizes), pairs)
        steps = steps_of_one(topics)
        whole = np.rint(np.concatenate([deviations, deviations**2]) * steps)
        squares = np.empty((pairs, self._number))
        done = 0
        for chunk in self._kept or map(_as_factor, self._counts):
            resamples = slice(done, done := done + chunk.shape[1])
            if self._slices:
                self._square_of_collections(whole, chunk, steps, squares[:, resamples])
                continue
            sums = whole @ chunk
            _square(sums[:pairs], sums[pairs:], topics, steps, squares[:, resamples])
        return squares

    def _squares_of_groups(self, groups: Groups, pairs: int) -> FloatArray:
        """Return T*² of pairs, [pair, resample], in every resample of groups."""
        squares = np.empty((pairs, self._number))
        done = 0
        for chunk in self._kept or map(_as_factor, self._counts):
            resamples = slice(done, done := done + chunk.shape[1])
            total, _, residuals = groups.sums(chunk)
            squares[:, resamples] = groups.ratios(total, residuals) ** 2
        return squares

    def _square_of_collections(
        self, whole: FloatArray, counts: FloatArray, steps: float, out: FloatArray
    ) -> None:
        """Put T*² into `out`, [pair, resample]; without variance ∞, or 0 if the mean is m."""
        total, topics = np.empty_like(out), len(counts)
        sum_by_strata(whole, counts, self._slices, steps, total, out)
        none = out <= 2 * _DEGENERATE * topics * steps
        total *= total
        far = total[none] > _DEGENERATE * topics**2 * steps
        out[none] = np.where(far, 0.0, np.inf)
        with np.errstate(divide="ignore"):
            np.divide(total, out, out=out)


def _as_factor(counts: Counts) -> FloatArray:
    """Return counts [resample, topic] with the topics first, as floats."""
    return np.ascontiguousarray(counts.T, dtype=np.float64)


def _square(
    total: FloatArray, squared: FloatArray, topics: int, steps: float, out: FloatArray
) -> None:
    """Put D²/(nQ - D²) into `out`, all [pair, resample]; without variance ∞, or 0 if D is 0.

    D is `total` and Q is `squared`, in whole steps. Both are overwritten.
    """
    squared *= topics * steps
    total *= total
    squared -= total
    none = squared <= _DEGENERATE * topics**2 * steps
    if none.any():
        squared[none] = np.where(total[none] > _DEGENERATE * topics**2 * steps, 0.0, np.inf)
    with np.errstate(divide="ignore"):
        np.divide(total, squared, out=out)


def scales(squares: FloatArray, floor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return s²/(n-1) of each pair from T*²/(n-1), and the Monte Carlo error of s/√(n-1).

    `squares` are [pair, resample], both answers [pair]. Of B values in order the scale is the
    ⌈.99(B+1)⌉-th, but at least the `floor` [pair], what a t statistic with the degrees of freedom
    of the pair has. The number of values below the true quantile has a standard deviation of
    √(.99·.01·B): half the way between the values this many places to either side is the error.
    """
    number = squares.shape[1]
    depth = number - place_of(OWN_SCALE, number) + 1  # from the largest
    off = max(1, round(math.sqrt(number * OWN_SCALE * (1 - OWN_SCALE))))
    places = np.clip([depth - off, depth, depth + off], 1, None)
    tail = _tails(squares, floor, int(places[-1]))
    farther, own, nearer = tail[:, places - 1].T
    finite = np.isfinite(own)
    farther = np.where(np.isfinite(farther), farther, 4 * own)  # an error of half of s, or more
    error = np.zeros(len(squares))
    error[finite] = (np.sqrt(farther[finite]) - np.sqrt(nearer[finite])) / 2
    return own, error


def _tails(squares: FloatArray, floor: FloatArray, number: int) -> FloatArray:
    """Return the `number` largest values of each row, or more, in descending order.

    None is below the floor [pair]. Few are above it, and only these need to be sorted.
    """
    above = squares > floor[:, None]
    row, column = np.nonzero(above)
    counts = np.bincount(row, minlength=len(squares))
    tails = np.full((len(squares), max(number, int(counts.max()))), floor[:, None])
    starts = np.cumsum(counts) - counts
    tails[row, np.arange(len(row)) - starts[row]] = squares[row, column]
    tails *= -1
    tails.sort(axis=1)
    tails *= -1
    return tails


def place_of(level: float, number: int) -> int:
    """Return the place, from 1, of the quantile at `level` among `number` ordered values.

    It is not interpolated, as p-values are not.
    """
    return min(number, math.ceil(round(level * (number + 1), 9)))
