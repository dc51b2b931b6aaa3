"""Max-T of runs by two judges: intervals of all their differences at once, as `simultaneous` has.

Topics with both judges, those of the cheaper judge alone and those of people alone are resampled
separately, within their collections; groups of topics as a whole. In every resample there is the
slope, the estimate of each difference and its standard error anew, by the same formulas as `ppi`.

What all runs have in common on a topic is in no difference, and is taken off. With sums over the
units of a resample, what is left without one of them follows by subtraction, so that the jackknife
of all resamples is a few matrix products.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from confint_cli.common.arrays import FloatArray, Positions, stretches
from confint_cli.common.parallel import in_threads
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.system import threads_that_fit
from confint_cli.scores.two_judges import Rows
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ppi import Family, Powered, Units, by_topic, means_of
from confint_cli.stats.random import Drawing, Resamples, derived, generator
from confint_cli.stats.simultaneous import (
    OWN_SCALE,
    AtOnce,
    MaxT,
    pairs_with_limits,
    place_of,
    scales,
)

_KEPT = 1 << 26  # T*² that are kept at a time: 512 MB
_CHUNK = 1 << 18  # numbers of a chunk of resamples: 2 MB
_MOST_OTHERS = 2000  # units of other topics that are resampled: their mean is normal by then
_NONE = 1e-9  # of the variance of a difference: less, in a resample, is none but for rounding
_FLAT = 1e-12  # of the judge's sum of squares: less, in a resample, is none but for rounding


@dataclass(frozen=True, eq=False)
class Standing:
    """Max-T of every two runs, and in which share of resamples each run is first, [run]."""

    at_once: MaxT
    first_share: FloatArray


def at_once(
    family: Family,
    pairs: Pairs,
    found: Powered,
    levels: tuple[float, ...],
    drawing: Drawing,
    *,
    strict: bool = False,
    progress: Progress = no_progress,
) -> AtOnce:
    """Return the results of max-T for pairs at each level; `found` are their differences."""
    steps = parts_of(progress, len(levels))
    return AtOnce(
        tuple(
            _max_t(family, pairs, found, level, drawing, strict=strict, progress=step).at_once
            for level, step in zip(levels, steps, strict=True)
        )
    )


def standing(
    family: Family,
    found: Powered,
    level: float,
    drawing: Drawing,
    *,
    strict: bool = False,
    progress: Progress = no_progress,
) -> Standing:
    """Return max-T of every two runs; `found` are their differences."""
    pairs = Pairs.all(len(family.two.runs))
    return _max_t(
        family, pairs, found, level, drawing, strict=strict, own=True, progress=progress
    )  # fmt: skip


def _max_t(
    family: Family,
    pairs: Pairs,
    found: Powered,
    level: float,
    drawing: Drawing,
    *,
    strict: bool,
    own: bool = False,
    progress: Progress,
) -> Standing:
    """Return max-T of pairs at one level; with `own`, there are critical values of each run."""
    runs = len(family.two.runs)
    which = pairs_with_limits(family.two.matrix.values, pairs, level, family.two.matrix.design)
    # Runs may be alike to people where the judge tells them apart: one topic is too few as well.
    by_judge = (which.differing == 0) & (found.se > 0)
    differing, few = np.maximum(which.differing, by_judge), which.few | by_judge
    kept = np.flatnonzero(which.kept & (found.se > 0))
    resampled = _Resampled(family, drawing)
    scale, error = np.full(len(pairs), np.inf), np.zeros(len(pairs))
    largest = np.zeros(drawing.number)
    of_run = np.zeros((runs, drawing.number)) if own else None
    width = max(1, _KEPT // drawing.number)
    starts = range(0, max(len(kept), 1), width)
    first_share = np.zeros(runs)
    for start, step in zip(starts, parts_of(progress, len(starts)), strict=True):
        places = kept[start : start + width]
        run, baseline = pairs.run[places], pairs.baseline[places]
        squares, first_share = resampled.squares(
            run, baseline, found.mean[places], found.se[places], step
        )
        if not len(places):
            continue
        floor = stdtrit(found.df[places], (1 + OWN_SCALE) / 2) ** 2
        squared_scale, scale_error = scales(squares, floor)
        finite = np.isfinite(squared_scale)
        if strict:
            squared_scale[finite], scale_error[finite] = 1.0, 0.0
        scale[places], error[places] = np.sqrt(squared_scale), scale_error
        squares[~finite] = 0.0
        squares /= squared_scale[:, None]
        np.maximum(largest, squares.max(axis=0), out=largest)
        if of_run is not None:
            for one, most in enumerate(of_run):
                mine = squares[(run == one) | (baseline == one)]
                np.maximum(most, mine.max(axis=0, initial=0.0), out=most)
    largest = np.sort(np.sqrt(largest))
    criticals = None
    if of_run is not None:
        place = place_of(level, drawing.number) - 1
        criticals = np.sqrt(np.sort(of_run, axis=1)[:, place])
    result = MaxT(level, found.mean, found.se, differing, few, scale, error, largest, criticals,
                  which.enough)  # fmt: skip
    return Standing(result, first_share)


def _first(estimates: FloatArray, rounding: float) -> FloatArray:
    """Return in how many resamples [resample, run] each run is first; equals share it."""
    first = estimates >= estimates.max(axis=1, keepdims=True) - rounding
    shares: FloatArray = (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    return shares


class _Kind:
    """Topics of one kind in one collection, as sums over the units that are resampled."""

    def __init__(self, rows: Rows, collection: int, centre: FloatArray) -> None:
        """Keep the sums of the scores less the centre [run] of each unit of the collection."""
        units = Units.of(rows)
        own = units.collections == collection
        self.sizes: FloatArray = units.sizes[own]
        self.sums: FloatArray = units.sums(rows.values - centre)[own]  # [unit, run]

    @property
    def number(self) -> int:
        """How many units there are."""
        return len(self.sizes)

    def put_together(self, most: int, seed: int) -> None:
        """Put units together at random, so that there are no more than `most`."""
        if self.number <= most:
            return
        order = generator(derived(seed, "others")).permutation(self.number)
        starts = np.arange(most) * self.number // most
        self.sizes = np.add.reduceat(self.sizes[order], starts)
        self.sums = np.add.reduceat(self.sums[order], starts, axis=0)


class _Squares:
    """The squared deviations of differences of runs from their mean, over resampled units."""

    def __init__(self, kinds: Sequence[_Kind], run: Positions, baseline: Positions) -> None:
        self._run, self._baseline = run, baseline
        self._sizes = np.concatenate([kind.sizes for kind in kinds])
        self._sums = np.concatenate([kind.sums for kind in kinds])
        self._squares = (self._sums[:, run] - self._sums[:, baseline]) ** 2
        self._units = len(self._sizes)

    def of(self, counts: FloatArray) -> FloatArray:
        """Return G/(G-1)·Σ(sum of a unit's deviations)² in resamples, [resample, pair]."""
        total, sized = counts @ self._sums, counts @ (self._sizes[:, None] * self._sums)
        mean = (total[:, self._run] - total[:, self._baseline]) / (counts @ self._sizes)[:, None]
        squares: FloatArray = counts @ self._squares
        sized_differences = sized[:, self._run]
        sized_differences -= sized[:, self._baseline]
        sized_differences *= -2
        sized_differences += mean * (counts @ self._sizes**2)[:, None]
        sized_differences *= mean
        squares += sized_differences
        squares *= self._units / (self._units - 1)
        return squares


class _Resampled:
    """The estimates and variances of differences in every resample."""

    def __init__(self, family: Family, drawing: Drawing) -> None:
        two = family.two
        human, judge, others, alone = map(by_topic, (two.human, two.judge, two.others, two.alone))
        self.weights = np.broadcast_to(family.weights[:, 0], len(human.strata))
        self.used = family.used
        self._drawing, self._runs = drawing, len(two.runs)
        h_mean, f_mean = means_of(human), means_of(judge)
        everything = range(len(human.strata))
        self.human = [_Kind(human, own, h_mean[own]) for own in everything]
        self.judge = [_Kind(judge, own, f_mean[own]) for own in everything]
        self.others = [_Kind(others, own, f_mean[own]) for own in everything]
        self.alone = [_Kind(alone, own, h_mean[own]) for own in everything]
        for kind in self.others:
            kind.put_together(_MOST_OTHERS, drawing.seed)
        units = Units.of(human)
        h, f = human.values - h_mean[human.collections], judge.values - f_mean[judge.collections]
        products = [units.sums((one * f).sum(axis=1, keepdims=True))[:, 0] for one in (h, f)]
        # [collection, product, unit]: those of people with the judge, and the judge's squares.
        self.products = [
            np.array([product[units.collections == own] for product in products])
            for own in everything
        ]
        self.flat = _FLAT * float(products[1].sum())
        self.centre = h_mean.mean(axis=0)
        self._rounding = 1e-12 * float(np.abs(two.human.values).max(initial=0.0))
        kinds = (self.human, self.others, self.alone)
        self._strata = tuple(kind.number for of_kind in kinds for kind in of_kind)
        used = tuple(size for size in self._strata if size)
        self._resamples = Resamples(sum(used), drawing.number, drawing.seed, used)

    def squares(
        self,
        run: Positions,
        baseline: Positions,
        truth: FloatArray,
        se: FloatArray,
        progress: Progress,
    ) -> tuple[FloatArray, FloatArray]:
        """Return T*² of pairs, [pair, resample], and the share of resamples each run is first in.

        Without variance it is ∞, or 0 if nothing has changed. `truth` and `se` are those of the
        differences, [pair].
        """
        judged, lone = (
            [_Squares(kinds, run, baseline) for kinds in zip(one, other, strict=True)]
            for one, other in ((self.judge, self.others), (self.human, self.alone))
        )
        squares = np.empty((len(run), self._drawing.number))
        none = _NONE * se**2

        def work(chunk: tuple[int, FloatArray]) -> FloatArray:
            start, counts = chunk
            drawn = _Drawn(self, counts)
            away = drawn.estimates[:, run]
            away -= drawn.estimates[:, baseline]
            away -= truth
            away *= away
            variances = drawn.of_labelled(run, baseline)
            drawn.add_others(variances, judged, lone)
            flat = variances <= none
            if flat.any():
                least = np.broadcast_to(none, flat.shape)[flat]
                away[flat] = np.where(away[flat] > least, np.inf, 0.0)
                variances[flat] = 1.0
            away /= variances
            squares[:, start : start + len(counts)] = away.T
            return _first(drawn.estimates, self._rounding)

        done, firsts = 0, np.zeros(self._runs)
        most = max(kind.number for kind in self.human) * self._runs
        rows = max(1, _CHUNK // max(most, len(run), 1))
        threads = threads_that_fit(self._drawing.workers.here.threads, 64 * _CHUNK)
        for counts in self._resamples.counts():
            chunks = [
                (done + start, counts[start : start + rows])
                for start in range(0, len(counts), rows)
            ]
            firsts += np.sum(in_threads(work, chunks, threads=threads, stop=_nothing), axis=0)
            done += len(counts)
            progress(done, self._drawing.number)
        return squares, firsts / self._drawing.number

    def parted(self, counts: FloatArray) -> list[list[FloatArray]]:
        """Return counts [resample, unit] in parts: of each kind, and of each collection."""
        parts = [counts[:, own] for own in stretches(self._strata)]
        number = len(self.human)
        return [parts[:number], parts[number : 2 * number], parts[2 * number :]]


def _nothing() -> None:
    """Let threads end by themselves: none works for long."""


class _Drawn:
    """Some resamples: all arrays begin with [resample]."""

    def __init__(self, of: _Resampled, counts: FloatArray) -> None:
        self._of = of
        self._counts, self._other_counts, self._alone_counts = of.parted(counts)
        own = range(len(of.human))
        self._topics = [self._counts[k] @ of.human[k].sizes for k in own]
        self._h = [self._counts[k] @ of.human[k].sums for k in own]  # sums over the labelled
        self._f = [self._counts[k] @ of.judge[k].sums for k in own]
        self._further = [self._other_counts[k] @ of.others[k].sizes for k in own]
        self._u = [
            self._other_counts[k] @ of.others[k].sums / np.maximum(self._further[k], 1)[:, None]
            for k in own
        ]
        self._raw = [self._counts[k] @ of.products[k].T for k in own]
        # Σ(h-h̄)(f-f̄) and Σ(f-f̄)² of each collection.
        self._moments = [
            self._raw[k] - np.stack([_dot(one, self._f[k]) for one in (self._h[k], self._f[k])], 1)
            / self._topics[k][:, None]
            for k in own
        ]  # fmt: skip
        self._slope = self._ratio(*np.sum(self._moments, axis=0).T)
        # F - f̄ of each collection, [resample, run].
        self._moved = [
            (self._further[k] / (self._topics[k] + self._further[k]))[:, None]
            * (self._u[k] - self._f[k] / self._topics[k][:, None])
            for k in own
        ]
        self.estimates = self._estimates()

    def _ratio(self, cross: FloatArray, squares: FloatArray) -> FloatArray:
        """Return the slope; 0 where the judge is not used, or does not vary in a resample."""
        if not self._of.used:
            return np.zeros_like(cross)
        varies = squares > self._of.flat
        return np.where(varies, cross / np.where(varies, squares, 1.0), 0.0)

    def _estimates(self) -> FloatArray:
        """Return the estimates, [resample, run], but for what all runs have in common."""
        of = self._of
        total = np.zeros_like(self._h[0])
        for k, weight in enumerate(of.weights):
            mean = self._h[k] / self._topics[k][:, None] + self._slope[:, None] * self._moved[k]
            total += weight * mean
            if of.alone[k].number:
                counts = self._alone_counts[k]
                sizes = (counts @ of.alone[k].sizes)[:, None]
                total += (1 - weight) * (counts @ of.alone[k].sums) / sizes
        estimates: FloatArray = total / len(of.weights) + of.centre
        return estimates

    def of_labelled(self, run: Positions, baseline: Positions) -> FloatArray:
        """Return the jackknife variance of each pair, [resample, pair]."""
        of, number = self._of, len(self._of.weights)
        together = np.sum(self._moments, axis=0)
        weighted = [weight * moved for weight, moved in zip(of.weights, self._moved, strict=True)]
        everything = np.sum(weighted, axis=0)
        variances = np.zeros((len(together), len(run)))
        for k, weight in enumerate(of.weights):
            slope, left = self._deleted(k, together - self._moments[k])
            further = self._further[k][:, None]
            of_human = weight / left
            pulled = weight * slope * further / (left + further)  # [resample, unit]
            of_judge = pulled / left
            # What the estimate is without each unit, [resample, unit, run], but for a constant.
            changed = of_judge[:, :, None] * of.judge[k].sums
            changed -= of_human[:, :, None] * of.human[k].sums
            factors = np.stack([of_human, -of_judge, pulled, slope], axis=2)
            sums = (self._h[k], self._f[k], self._u[k], everything - weighted[k])
            changed += factors @ np.stack(sums, axis=1)
            counts, units = self._counts[k], of.human[k].number
            changed -= (counts[:, None] @ changed) / units
            changed *= np.sqrt(counts)[:, :, None]
            factor = (units - 1) / units / number**2
            if len(run) < changed.shape[2] ** 2 // 8:
                apart = changed[:, :, run] - changed[:, :, baseline]
                variances += factor * np.einsum("dup,dup->dp", apart, apart)
                continue
            covariance = changed.transpose(0, 2, 1) @ changed
            own = factor * np.einsum("dii->di", covariance)
            variances += own[:, run]
            variances += own[:, baseline]
            variances -= 2 * factor * covariance[:, run, baseline]
        return variances

    def _deleted(self, k: int, besides: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the slope without one of each unit, and the topics left, [resample, unit] each.

        `besides` are the moments of all other collections.
        """
        of, h, f = self._of, self._h[k], self._f[k]
        h_sums, f_sums = of.human[k].sums, of.judge[k].sums
        left = self._topics[k][:, None] - of.human[k].sizes
        h_f = _dot(h, f)[:, None] - h @ f_sums.T - f @ h_sums.T + _dot(h_sums, f_sums)
        f_f = _dot(f, f)[:, None] - 2 * (f @ f_sums.T) + _dot(f_sums, f_sums)
        cross, squares = (besides + self._raw[k]).T[:, :, None] - of.products[k][:, None]
        return self._ratio(cross - h_f / left, squares - f_f / left), left

    def add_others(
        self, variances: FloatArray, judged: Sequence[_Squares], lone: Sequence[_Squares]
    ) -> None:
        """Add what the judge's mean and topics of people alone add to variances of pairs.

        These are the mean of all the judge's scores, and that of all of people's.
        """
        of = self._of
        for k, weight in enumerate(of.weights):
            if of.used and of.others[k].number:
                topics = self._topics[k] + self._further[k]
                squares = judged[k].of(np.hstack([self._counts[k], self._other_counts[k]]))
                factor = (weight * self._slope / len(of.weights)) ** 2
                squares *= (factor * self._further[k] / topics**3)[:, None]
                variances += squares
            if of.alone[k].number:
                own = self._alone_counts[k] @ of.alone[k].sizes
                squares = lone[k].of(np.hstack([self._counts[k], self._alone_counts[k]]))
                factor = ((1 - weight) / len(of.weights)) ** 2
                squares *= (factor / own / (self._topics[k] + own))[:, None]
                variances += squares


def _dot(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the sum of products of each row."""
    dot: FloatArray = np.einsum("ir,ir->i", one, other)
    return dot
