"""Do bootstrap intervals of many samples cover the true mean? Without resampling the samples.

Whether an interval covers the truth θ takes no limits: the percentile interval does if F(θ) ≥ α/2
and F(θ⁻) < 1-α/2, F the distribution of m*. So do basic, at 2m-θ, and bca, at adjusted levels, and
bootstrap-t with the distribution of z* at (m-θ)/se. One probability of a sample answers all levels.

Mean widths need limits. These are computed of some samples, and those of all others follow by a
regression on widths by Cornish and Fisher's expansion, a control variate.

A `Study` has what methods ask for; `Method.covers` says how each of them asks.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import logit, ndtr, ndtri

from confint_cli.common.arrays import AnyFloatArray, BoolArray, FloatArray, Positions, any_along
from confint_cli.common.exact import power_of_two_above
from confint_cli.stats.bootstrap import resample_ratios_roughly
from confint_cli.stats.ideal.bootstrap import IdealBootstrap, columns_of
from confint_cli.stats.ideal.enumeration import compositions
from confint_cli.stats.ideal.inversion import Inversion, inversions
from confint_cli.stats.ideal.logits import logit_moments
from confint_cli.stats.ideal.mean import SMALLEST_TAIL
from confint_cli.stats.ideal.samples import SampleMoments, Samples, SharedSamples
from confint_cli.stats.ideal.studentized import cornish_fisher, quantiles, standardized, tail_root
from confint_cli.stats.quantiles import Ordered, quantile
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample

_ENUMERATED = 7  # topics: of no more, all resamples of a sample are looked at
_TRIALS = 4000  # resamples of a sample whose z* is doubtful
SETS = 4  # of such resamples: runs take one or another, so that not all have the same error
_TOGETHER = 64  # samples that are resampled at a time
_STEPS, _MORE_STEPS = 4, 30  # of Newton's method
_FAR = 0.5  # in normal quantiles: a |z| below that is covered at all levels
_HEAVY, _HEAVY_OF_FEW, _HEAVY_COARSE = 1.4, 1.15, 0.8  # likewise: a |z| above is doubtful
_HEAVY_RATIO = 2.9 / 1.96  # likewise, of a quantile of z*
_FEW_TOPICS = 15
_NO_VARIANCE = 1e-13  # of a resample, in units of the sample's: less is rounding
_MEASURED, _FEWER_MEASURED = 48, 24  # samples whose limits are computed, usually and if it is long
_MANY_LEVELS = 3
_SLACK = 1e-6  # share of a probability that is rounding
_TIE = 1e-9  # what differs by less, in units of e, is the same on paper
_RATIO_TIE = 1e-5  # likewise of z*, which comes in single precision, as a share of it


@dataclass(frozen=True)
class Judged:
    """The intervals of one method: on which side of the truth they lie, and how wide they are."""

    too_high: BoolArray  # [level, sample]
    too_low: BoolArray  # [level, sample]
    width: FloatArray  # [level]: the sum over all samples


@dataclass(frozen=True)
class Study(ABC):
    """Samples whose true mean is known, and what methods ask of their bootstrap.

    Means are in units of e: the truth is 0.
    """

    samples: Samples
    truth: FloatArray  # [sample]: the true mean in scores, where e is 0
    scale: FloatArray  # [sample]: the unit of e in scores
    levels: FloatArray  # [level]
    seed: int  # of what has to be resampled

    @property
    def tails(self) -> FloatArray:
        """α/2, [level, 1]."""
        return ((1 - self.levels) / 2)[:, None]

    @property
    def moments(self) -> SampleMoments:
        """The moments of each sample."""
        return self.samples.moments

    @property
    @abstractmethod
    def at_truth(self) -> FloatArray:
        """F(θ), F(θ⁻), F(m) with ties half, F(2m-θ) and F((2m-θ)⁻) of m*, [point, sample]."""

    @property
    @abstractmethod
    def ratio_at_truth(self) -> FloatArray:
        """P(z* ≤ z) and P(z* < z) at z = (m-θ)/se, [2, level, sample]; ½ where z is near 0.

        The levels, or one for all, differ where what is good enough for one is not for another.
        """

    @abstractmethod
    def width_of_means(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the sum of the widths between two quantiles of m*, [level].

        These are at Φ(low) and Φ(high), [level, sample] or [level, 1].
        """

    @cached_property
    def percentile_width(self) -> FloatArray:
        """The sum of the widths between the quantiles of m* at α/2 and 1-α/2, [level]."""
        low = ndtri(self.tails)
        return self.width_of_means(low, -low)

    @abstractmethod
    def width_of_ratios(self) -> FloatArray:
        """Return the sum of z*(1-α/2) - z*(α/2), times se, over all samples, [level]."""

    @abstractmethod
    def logit_moments(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and sd of logit(m*) of scores from 0 to 1, m* of 0 and 1 left out, [sample].

        The sd of a sample without variance is 0.
        """

    def judged(self, too_high: BoolArray, too_low: BoolArray, width: FloatArray) -> Judged:
        """Return the verdicts, but of samples without variance: these have points for intervals."""
        varies, mean = self.moments.varies, self.moments.mean
        return Judged(
            np.where(varies, too_high, mean > _TIE),
            np.where(varies, too_low, mean < -_TIE),
            width,
        )

    def by_means(self, low: FloatArray, high: FloatArray, width: FloatArray) -> Judged:
        """Return the verdicts on intervals between quantiles of m* at low and high.

        These are probabilities, [level, sample] or [level, 1].
        """
        truth, before, *_ = self.at_truth
        return self.judged(_is_below(truth, low), _is_below(1 - before, 1 - high, ties=True), width)

    def by_mirrored_means(self, width: FloatArray) -> Judged:
        """Return the verdicts on intervals between 2m less the quantiles of m* at 1-α/2 and α/2."""
        *_, mirrored, before = self.at_truth
        tails = self.tails
        too_high, too_low = _is_below(1 - before, tails, ties=True), _is_below(mirrored, tails)
        return self.judged(too_high, too_low, width)

    def by_ratios(self) -> Judged:
        """Return the verdicts on intervals from m less se times the quantiles of z*."""
        truth, before = self.ratio_at_truth
        tails = self.tails
        too_high, too_low = _is_below(1 - before, tails, ties=True), _is_below(truth, tails)
        return self.judged(too_high, too_low, self.width_of_ratios())


def _is_below(share: FloatArray, p: FloatArray, *, ties: bool = False) -> BoolArray:
    """Return which shares are below p, or with `ties` no larger; what differs by rounding is p."""
    below: BoolArray = share <= p * (1 + _SLACK) if ties else share < p * (1 - _SLACK)
    return below


def study_of(
    samples: Samples, truth: FloatArray, scale: FloatArray, levels: FloatArray, seed: int
) -> Study:
    """Return the study of samples: of few topics, all resamples of each are looked at."""
    kind = _AllResamples if samples.topics <= _ENUMERATED else _Inverted
    return kind(samples, truth, scale, levels, seed)


@dataclass(frozen=True)
class _Inverted(Study):
    """A study by characteristic functions and saddlepoints."""

    @cached_property
    def at_truth(self) -> FloatArray:
        """F(θ), F(θ⁻), F(m) with ties half, F(2m-θ) and F((2m-θ)⁻) of m*, [point, sample]."""
        found = np.full((5, self.samples.number), 0.5)
        for inversion in self._inversions:
            found[:, inversion.rows] = inversion.at_truth()
        return found

    @cached_property
    def _inversions(self) -> list[Inversion]:
        varying = np.flatnonzero(self.moments.varies)
        return list(inversions(self.samples, varying, float(self.tails.min())))

    @cached_property
    def ratio_at_truth(self) -> FloatArray:
        """P(z* ≤ z) and P(z* < z) at z = (m-θ)/se, [2, sample]; about ½ where z is near 0."""
        samples, moments = self.samples, self.moments
        z = np.sqrt(samples.topics - 1) * moments.mean / moments.sd
        normal = ndtri(1 - self.tails[:, 0])
        found = np.full((2, len(self.levels), samples.number), 0.5)
        rows = np.flatnonzero(moments.varies & (np.abs(z) > _FAR * normal.min()))
        if not len(rows):
            return found
        root, solved = tail_root(samples.tilted(rows), z[rows], _STEPS)
        again = np.flatnonzero(~solved)
        if len(again):
            tilted = samples.tilted(rows[again])
            root[again], solved[again] = tail_root(tilted, z[rows[again]], _MORE_STEPS)
        below = ndtr(np.where(solved, root, 0.0))
        found[:, :, rows] = below
        doubtful = ~solved | self._doubtful(
            rows, np.abs(z[rows]), np.minimum(below, 1 - below), normal
        )
        again = np.flatnonzero(any_along(doubtful, 0))
        by_trials = _Trials(samples, self.seed).below(rows[again], z[rows[again]])
        found[:, :, rows[again]] = np.where(
            doubtful[:, again], by_trials[:, None], found[:, :, rows[again]]
        )
        return found

    def _doubtful(
        self, rows: Positions, size: FloatArray, tail: FloatArray, normal: FloatArray
    ) -> BoolArray:
        """Return in which samples the saddlepoint may decide wrongly, [level, row].

        That is where |z|, the `size`, is much larger than the normal quantile of a level and the
        `tail` beyond it not much different from α/2, or where the sample has few distinct scores.
        """
        few = self.samples.few_clusters(rows)
        near = (tail < 3 * self.tails + 0.03) & (tail > self.tails / 4 - 0.003)
        band = _HEAVY if self.samples.topics >= _FEW_TOPICS else _HEAVY_OF_FEW
        far = size > band * normal[:, None]
        coarse = few & (size > _HEAVY_COARSE * normal[:, None])
        return np.asarray((near & (far | few)) | coarse)

    @property
    def _measured(self) -> int:
        """The number of samples whose limits are computed."""
        many_levels = len(self.levels) >= _MANY_LEVELS
        few_topics = self.samples.topics < _FEW_TOPICS  # whose limits take long
        return _FEWER_MEASURED if many_levels or few_topics else _MEASURED

    def width_of_means(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the sum of the widths between two quantiles of m*, [level], at Φ(low), Φ(high)."""
        varying = np.flatnonzero(self.moments.varies)
        shape = (len(self.levels), self.samples.number)
        normal = np.stack([np.broadcast_to(each, shape) for each in (low, high)])
        start = _mean_by_cornish_fisher(self.moments, self.samples.topics, normal.clip(-5, 5))
        some = varying[: self._measured]
        if not len(some):
            return np.zeros(len(self.levels))
        in_clusters = self.samples.last_wave > 0  # whose quantiles may be far from where they start
        width = self._convolved_width if in_clusters else self._inverted_width
        unit = self.scale / np.sqrt(self.samples.topics)
        control = ((start[1] - start[0]) * unit)[:, varying]
        return _sum_of_all(control, width(some, normal, start) * unit[some])

    def _convolved_width(
        self, rows: Positions, normal: FloatArray, _start: FloatArray
    ) -> FloatArray:
        """Return the width of S between its quantiles at Φ(normal) [end, level, sample].

        It is that of some samples, [level, row], whose m* are convolved.
        """
        sample = Sample(np.ascontiguousarray(self.samples.scores(rows).T))
        bootstrap = IdealBootstrap.of(sample, columns_of(sample))
        low, high = (bootstrap.quantile(ndtr(z[:, rows])) for z in normal)
        return np.asarray((high - low) * np.sqrt(self.samples.topics))

    def _inverted_width(self, rows: Positions, normal: FloatArray, start: FloatArray) -> FloatArray:
        """Return the same by Newton's method from `start`, of the shape of `normal`."""
        measured = np.zeros((len(self.levels), self.samples.number))
        edge, root = float(ndtri(SMALLEST_TAIL)), np.sqrt(self.samples.topics)
        for whole in self._inversions:
            inversion = whole.only(whole.rows <= rows[-1])
            own, ends_of_all = inversion.rows, (2 * len(self.levels), -1)
            if not len(own):
                continue
            z, near = (both[:, :, own].reshape(ends_of_all) for both in (normal, start))
            ends = inversion.quantiles(z.clip(edge, -edge), near)
            ends = ends.clip(*(bound[own] * root for bound in self.samples.bounds))
            low_ends, high_ends = np.split(ends, 2)
            measured[:, own] = high_ends - low_ends
        return measured[:, rows]

    def width_of_ratios(self) -> FloatArray:
        """Return the sum of z*(1-α/2) - z*(α/2), times se, over all samples, [level]."""
        moments, n = self.moments, self.samples.topics
        varying = np.flatnonzero(moments.varies)
        se = moments.sd * self.scale / np.sqrt(n - 1)
        z = ndtri(self.tails)
        expanded = [cornish_fisher(sign * z, moments.skewness, n) for sign in (1, -1)]
        control = ((expanded[1] - expanded[0]) * se)[:, varying]
        some = varying[: self._measured]
        if not len(some):
            return np.zeros(len(self.levels))
        p = np.concatenate([self.tails[:, 0], 1 - self.tails[:, 0]])
        found = self._ratios(some, p)
        low, high = np.split(found, 2)
        width = _sum_of_all(control, (high - low) * se[some])
        return np.where(self._is_unbounded(varying), np.inf, width)

    def _ratios(self, rows: Positions, p: FloatArray) -> FloatArray:
        """Return the quantiles of z* at p [level] of some samples, [level, row]."""
        samples, moments = self.samples, self.moments
        found = np.full((len(p), len(rows)), np.nan)
        doubtful = samples.few_clusters(rows) | (samples.topics < _FEW_TOPICS)
        usual = np.flatnonzero(~doubtful)
        if len(usual):
            own = samples.scores(rows[usual]) - moments.mean[rows[usual], None]
            found[:, usual], solved = quantiles(standardized(own), p)
            heavy = np.abs(found[:, usual]) > _HEAVY_RATIO * np.abs(ndtri(p))[:, None]
            doubtful[usual] = any_along(heavy | ~solved, 0)
        redone = np.flatnonzero(doubtful)
        found[:, redone] = _Trials(samples, self.seed).quantiles(rows[redone], p)
        return found

    def logit_moments(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and sd of logit(m*) of scores from 0 to 1, [sample]."""
        if isinstance(self.samples, SharedSamples):
            return logit_moments(self.samples)
        every = np.arange(self.samples.number)
        scores = self.truth + self.scale * self.samples.scores(every).T
        sample = Sample(scores.clip(0.0, 1.0))
        return IdealBootstrap.of(sample, columns_of(sample)).logit_moments(sample.mean)

    def _is_unbounded(self, rows: Positions) -> BoolArray:
        """Return at which levels some of the samples have an infinite limit, [level].

        A resample of one score alone has z* of ±∞, and is as probable as (the score's share)ⁿ.
        """
        alone = self.samples.chance_of_one_value(rows)
        return any_along(alone >= self.tails, 1)


def _mean_by_cornish_fisher(moments: SampleMoments, topics: int, z: FloatArray) -> FloatArray:
    """Return about the quantiles of S = √n·m* where the normal distribution has z, as z's shape."""
    skewness = moments.skewness / np.sqrt(topics)
    kurtosis = moments.kurtosis / topics
    cube = kurtosis / 24 - skewness * skewness / 18
    slope = 1 - kurtosis / 8 + skewness * skewness * (5 / 36)
    expanded: FloatArray = np.sqrt(topics) * moments.mean + moments.sd * (
        ((cube * z + skewness / 6) * z + slope) * z - skewness / 6
    )
    return expanded


def _sum_of_all(control: FloatArray, measured: FloatArray) -> FloatArray:
    """Return the sum over all samples of what was `measured` of the first ones, [level].

    Both are [level, sample]; the `control` is known of all samples, and a linear regression on it
    makes up for the difference between the first ones and all.
    """
    number, known = control.shape[1], measured.shape[1]
    if known == number:
        return np.asarray(measured.sum(axis=1))
    unit = power_of_two_above(np.abs(control).max(axis=1, keepdims=True))  # squares are safe then
    control, measured = control / unit, measured / unit
    with np.errstate(invalid="ignore"):  # of infinite widths
        own = control[:, :known]
        aside = own - own.mean(axis=1, keepdims=True)
        spread = np.maximum((aside**2).sum(axis=1), np.finfo(float).tiny)
        centred = measured - measured.mean(axis=1, keepdims=True)
        slope = (aside * centred).sum(axis=1) / spread
        mean = measured.mean(axis=1) + slope * (control.mean(axis=1) - own.mean(axis=1))
    infinite = any_along(np.isinf(measured), 1)
    return np.where(infinite, np.inf, mean * number * unit[:, 0])


@dataclass(frozen=True)
class _Trials:
    """Resamples of samples, for those whose z* cannot be had otherwise."""

    samples: Samples
    seed: int

    def below(self, rows: Positions, z: FloatArray) -> FloatArray:
        """Return P(z* ≤ z) and P(z* < z) for z [row], [2, row]."""
        found = np.empty((2, len(rows)))
        for some, ratios in self._ratios(rows, 0):
            values, own = ratios.values, z[some, None]
            slack = _RATIO_TIE * np.abs(own)
            found[:, some] = [
                (values <= own + slack).mean(axis=1), (values < own - slack).mean(axis=1)
            ]  # fmt: skip
        return found

    def quantiles(self, rows: Positions, p: FloatArray) -> FloatArray:
        """Return the quantiles of z* at p [level], [level, row]."""
        found = np.empty((len(p), len(rows)))
        depth = int(_TRIALS * np.minimum(p, 1 - p).max()) + 2
        for some, ratios in self._ratios(rows, depth):
            found[:, some] = quantile(ratios, p[:, None])
        return found

    def _ratios(self, rows: Positions, depth: int) -> Iterator[tuple[Positions, Ordered]]:
        """Yield places among the rows with their z*, [row, trial], a few at a time."""
        counts = _trial_counts(self.samples.topics, self.seed)
        for start in range(0, len(rows), _TOGETHER):
            some = np.arange(start, min(start + _TOGETHER, len(rows)))
            scores = np.ascontiguousarray(self.samples.scores(rows[some]).T)
            yield some, resample_ratios_roughly(Sample(scores), [counts], _TRIALS, depth)


@lru_cache(maxsize=4 * SETS)
def _trial_counts(topics: int, seed: int) -> AnyFloatArray:
    """Return how often each topic of a sample is drawn, [trial, topic]."""
    return np.vstack(
        [chunk.astype(np.float32) for chunk in Resamples(topics, _TRIALS, seed).counts()]
    )


@dataclass(frozen=True)
class _AllResamples(Study):
    """A study of samples of so few topics that all resamples of each are looked at."""

    @cached_property
    def _outcomes(self) -> tuple[FloatArray, FloatArray]:
        """How often each topic is drawn, [topic, resample], and the probability, [resample]."""
        topics = self.samples.topics
        counts, ways = compositions(topics, topics)
        return np.stack(counts), np.exp(ways - topics * np.log(topics))

    @cached_property
    def _means(self) -> FloatArray:
        """m* of every resample, [sample, resample]."""
        counts, _ = self._outcomes
        return self._scores @ counts / self.samples.topics

    @cached_property
    def _scores(self) -> FloatArray:
        return self.samples.scores(np.arange(self.samples.number))

    @cached_property
    def at_truth(self) -> FloatArray:
        """F(θ), F(θ⁻), F(m) with ties half, F(2m-θ) and F((2m-θ)⁻) of m*, [point, sample]."""
        means, (_, probability) = self._means, self._outcomes
        own = self.moments.mean[:, None]
        up_to = [(means <= y + _TIE) @ probability for y in (0.0, own, 2 * own)]
        before = [(means < y - _TIE) @ probability for y in (0.0, own, 2 * own)]
        half = (up_to[1] + before[1]) / 2
        return np.stack([up_to[0], before[0], half, up_to[2], before[2]])

    @cached_property
    def _ratios(self) -> FloatArray:
        """z* of every resample, [sample, resample]: ±∞ of one score alone, 0 if that is m."""
        counts, _ = self._outcomes
        n, mean = self.samples.topics, self.moments.mean[:, None]
        squares = (self._scores - mean) ** 2 @ counts / n
        off = self._means - mean
        tie = np.abs(off) <= _TIE
        variance = np.maximum(squares - off * off, 0.0)
        ratios = np.where(tie, 0.0, np.copysign(np.inf, off))
        varies = np.max(counts, axis=0) < n
        varies = varies & (variance > _NO_VARIANCE * self.moments.sd[:, None] ** 2)
        np.divide(off * np.sqrt(n - 1), np.sqrt(variance), out=ratios, where=varies & ~tie)
        return ratios

    @cached_property
    def ratio_at_truth(self) -> FloatArray:
        """P(z* ≤ z) and P(z* < z) at z = (m-θ)/se, [2, sample]."""
        moments, (_, probability) = self.moments, self._outcomes
        z = (np.sqrt(self.samples.topics - 1) * moments.mean / moments.sd)[:, None]
        slack = _TIE * (1 + np.abs(z))
        up_to, before = self._ratios <= z + slack, self._ratios < z - slack
        return np.stack([up_to @ probability, before @ probability])[:, None]

    def width_of_means(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the sum of the widths between two quantiles of m*, [level], at Φ(low), Φ(high)."""
        shape = (len(self.levels), self.samples.number)
        ends = [self._quantiles(self._means, np.broadcast_to(ndtr(z), shape)) for z in (low, high)]
        return self._sum_of_widths((ends[1] - ends[0]) * self.scale)

    def width_of_ratios(self) -> FloatArray:
        """Return the sum of z*(1-α/2) - z*(α/2), times se, over all samples, [level]."""
        shape = (len(self.levels), self.samples.number)
        low, high = (
            self._quantiles(self._ratios, np.broadcast_to(p, shape))
            for p in (self.tails, 1 - self.tails)
        )
        se = self.moments.sd * self.scale / np.sqrt(self.samples.topics - 1)
        return self._sum_of_widths((high - low) * se)

    def logit_moments(self) -> tuple[FloatArray, FloatArray]:
        """Return mean and sd of logit(m*) of scores from 0 to 1, [sample]."""
        means = self.truth[:, None] + self.scale[:, None] * self._means
        inside = (means > _TIE * self.scale[:, None]) & (means < 1 - _TIE)
        logits = np.where(inside, logit(np.where(inside, means, 0.5)), 0.0)
        chances = np.where(inside, self._outcomes[1], 0.0)
        total = np.maximum(chances.sum(axis=1), np.finfo(float).tiny)
        mean = (chances * logits).sum(axis=1) / total
        variance = (chances * (logits - mean[:, None]) ** 2).sum(axis=1) / total
        return mean, np.where(self.moments.varies, np.sqrt(variance), 0.0)

    def _quantiles(self, values: FloatArray, p: FloatArray) -> FloatArray:
        """Return the quantiles of values[sample, resample] at p [level, sample], of p's shape."""
        order = np.argsort(values, axis=1, kind="stable")
        in_order = np.take_along_axis(values, order, axis=1)
        cumulative = np.cumsum(self._outcomes[1][order], axis=1)
        found = np.empty(p.shape)
        for place, own in enumerate(p):
            # The last share is 1, which no p reaches.
            at = (cumulative < (own * (1 - _TIE))[:, None]).sum(axis=1)
            found[place] = in_order[np.arange(len(values)), at]
        return found

    def _sum_of_widths(self, widths: FloatArray) -> FloatArray:
        total: FloatArray = np.where(self.moments.varies, widths, 0.0).sum(axis=1)
        return total
