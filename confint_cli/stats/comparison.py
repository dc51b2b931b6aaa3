"""Comparisons of pairs of runs by one measure: differences, effect sizes, intervals, p-values.

Moments, mean differences and effect sizes need no test, and come first. From them, or from the
scores themselves, come intervals and p-values, and these are corrected for their number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln, stdtr

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.records import Explained
from confint_cli.common.ties import LAST_BITS
from confint_cli.stats import bonferroni
from confint_cli.stats.corrections import CORRECTIONS
from confint_cli.stats.estimate import Estimation, ends, estimate
from confint_cli.stats.flags import (
    DoubtArray,
    doubts_about,
    doubts_about_columns,
    doubts_about_differences,
)
from confint_cli.stats.methods.method import Ends, Limits
from confint_cli.stats.methods.t import METHOD as T_INTERVAL
from confint_cli.stats.methods.t import of_moments
from confint_cli.stats.names import BONFERRONI_T, MAX_T, WELCH
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance import named_test, t
from confint_cli.stats.simultaneous import AtOnce, at_once, with_max_t

T_TEST = "t"
_LARGE = 1e4  # degrees of freedom from which on Hedges' approximation is good to nine digits
EXPLAINED = Explained(
    summary="Welch's t interval for runs on different topics, for compare --unpaired and summary",
    formula="m1 - m2 ± t(ν, 1-α/2)·√(s1²/n1 + s2²/n2), ν of Welch and Satterthwaite",
    explanation="""\
Compares the means of two runs that do not need to have any topic in common, or equal variances: for
example results of different years, or of different papers. If both runs are on the same topics, use
paired differences: they are usually more precise, and far more so for runs that are alike.

In the formula, m1 and m2 are the means of the two runs, s1 and s2 their standard deviations, and n1
and n2 their numbers of topics. ν are the degrees of freedom, by the approximation of Welch and
Satterthwaite, and α is 1 - level.""",
    reference="Welch, Biometrika 34 (1947); for retrieval: Park, ADCS (2010)",
    style=9,
)


@dataclass(frozen=True)
class Moments:
    """Moments of runs that need not have the same topics: all that Welch's test needs."""

    topics: Positions  # [run]: the number of topics
    mean: FloatArray  # [run]
    sd: FloatArray  # [run], with n-1
    deletions: FloatArray | None = None  # [3, run], as `effects` has them, if scores are known

    def of(self, runs: Positions) -> "Moments":
        """Return the moments of the runs at these places, which may come more than once."""
        own = None if self.deletions is None else self.deletions[:, runs]
        return Moments(self.topics[runs], self.mean[runs], self.sd[runs], own)


@dataclass(frozen=True)
class Differences:
    """Figures about each pair of runs that need no test, [pair]; a missing value is NaN."""

    run: Moments  # of the run of each pair
    baseline: Moments  # of the baseline of each pair
    difference: FloatArray  # of the means
    se: FloatArray  # of the difference
    t: FloatArray  # the statistic of the t test, or of Welch's
    df: FloatArray  # the degrees of freedom of t
    glass_delta: FloatArray  # the difference in standard deviations of the baseline
    hedges_gz: FloatArray  # the effect size of paired differences; NaN for two samples
    hedges_g: FloatArray  # the effect size of two samples; NaN for paired differences
    outcomes: Positions | None  # [3, pair]: wins, ties and losses, where topics are paired
    doubts: DoubtArray  # [pair]: why not to trust a t interval of it

    def p_above(self, threshold: float) -> FloatArray:
        """Return the one-sided p-values of the t test of 'the difference exceeds `threshold`'."""
        above = self.difference - threshold
        sizes = np.abs(self.run.mean) + np.abs(self.baseline.mean) + abs(threshold)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            statistic = np.where(np.abs(above) <= LAST_BITS * sizes, 0.0, above / self.se)
        p: FloatArray = stdtr(self.df, -statistic)
        return p

    @property
    def glass_of_run(self) -> FloatArray:
        """The difference in standard deviations of the run, not of the baseline, [pair]."""
        return _ratio(self.difference, self.run.sd)


def paired_differences(paired: Paired, on_topics: Paired | None = None) -> Differences:
    """Return the figures about pairs of runs on the same topics.

    If rows are groups of topics, the scores `on_topics` have effect sizes and outcomes. Runs with
    repeats have no effect sizes, as these would depend on the number of repeats.
    """
    on_topics = on_topics or paired
    pairs, sample, differences = paired.pairs, paired.sample, on_topics.differences
    mean = Sample(paired.values, design=paired.design).mean
    sd = Sample(on_topics.values, design=on_topics.design).sd
    if paired.repeats is not None:
        sd = np.full(len(sd), np.nan)
    moments = Moments(np.full(len(mean), on_topics.topics), mean, sd)
    baseline = moments.of(pairs.baseline)
    df = sample.df
    difference = paired.mean_difference
    sd_of_differences = on_topics.sample.sd if paired.repeats is None else sd[pairs.run]
    free = np.full(len(pairs), on_topics.topics - 1.0)
    return Differences(
        run=moments.of(pairs.run),
        baseline=baseline,
        difference=difference,
        se=sample.se,
        t=t.statistic(sample),
        df=df,
        glass_delta=_ratio(difference, baseline.sd),
        hedges_gz=_unbiased(_ratio(sample.mean, sd_of_differences), free),
        hedges_g=np.full(len(pairs), np.nan),
        outcomes=np.array([np.sum(f(differences, 0), axis=0) for f in (np.greater, np.equal,
                                                                      np.less)]),
        doubts=doubts_about_differences(doubts_about(sample), paired.identical),
    )  # fmt: skip


def unpaired_differences(moments: Moments, pairs: Pairs) -> Differences:
    """Return the figures about pairs of runs on topics of their own."""
    run, baseline = moments.of(pairs.run), moments.of(pairs.baseline)
    difference = run.mean - baseline.mean
    sizes = np.maximum(np.abs(run.mean), np.abs(baseline.mean))
    difference[np.abs(difference) <= LAST_BITS * sizes] = 0.0
    own_se, baseline_se = (moments.sd / np.sqrt(moments.topics) for moments in (run, baseline))
    se = np.hypot(own_se, baseline_se)
    varies = se > 0
    share = np.where(varies, own_se / np.where(varies, se, 1.0), np.sqrt(0.5)) ** 2
    df = 1 / (share**2 / (run.topics - 1) + (1 - share) ** 2 / (baseline.topics - 1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        statistic = np.where(difference == 0, 0.0, difference / se)
    freedom = (run.topics + baseline.topics - 2).astype(np.float64)
    pooled_sd = np.hypot(*(own.sd * np.sqrt((own.topics - 1) / freedom) for own in (run, baseline)))
    return Differences(
        run=run,
        baseline=baseline,
        difference=difference,
        se=se,
        t=statistic,
        df=df,
        glass_delta=_ratio(difference, baseline.sd),
        hedges_gz=np.full(len(pairs), np.nan),
        hedges_g=_unbiased(_ratio(difference, pooled_sd), freedom),
        outcomes=None,
        doubts=doubts_about_columns(np.minimum(run.topics, baseline.topics), varies),
    )


def _ratio(difference: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the differences in units of `sd`: 0 for no difference, else NaN where `sd` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(sd > 0, difference / sd, np.nan)
    return np.where(difference == 0, 0.0, ratio)


def _unbiased(ratio: FloatArray, df: FloatArray) -> FloatArray:
    """Return the ratios with Hedges' correction for an sd of `df` degrees of freedom."""
    few = np.minimum(df, _LARGE)
    with np.errstate(invalid="ignore"):
        exact = np.exp(gammaln(few / 2) - gammaln((few - 1) / 2)) / np.sqrt(few / 2)
    factor = np.where(df < _LARGE, exact, 1 - 3 / (4 * df - 1))  # large gammas lose digits
    return np.where(df > 1, ratio * factor, np.nan)


def t_limits(paired: Paired, levels: tuple[float, ...]) -> Ends:
    """Return the limits of the t interval, [level, pair], as `compare_paired` finds them."""
    return ends(paired.sample, T_INTERVAL, np.array(levels))


def welch_limits(known: Differences, levels: tuple[float, ...]) -> Ends:
    """Return the limits of Welch's t interval, [level, pair]."""
    return of_moments(known.difference, known.se, known.df, np.array(levels))


@dataclass(frozen=True)
class Testing:
    """Which tests to make, and how to correct for the number of pairs.

    Only the p-values of the first test are corrected; those about a margin never are.
    """

    tests: tuple[str, ...] = (T_TEST,)
    correction: str = "holm"  # or another of the corrections, "max-t" or "none"
    simultaneous: bool = False  # whether there are to be intervals, too, for all pairs at once
    strict: bool = False  # whether max-T takes one critical value for all pairs
    by_bonferroni: bool = False  # whether simultaneous intervals are Bonferroni's, not max-T's
    margin: float | None = None  # within which a difference does not matter, if one was given
    effect_intervals: bool = False  # whether effect sizes are to have intervals

    @property
    def at_once(self) -> bool:
        """Whether max-T is needed, for intervals or for p-values."""
        return not self.by_bonferroni and (self.simultaneous or self.correction == MAX_T)

    @property
    def draws(self) -> bool:
        """Whether random numbers are needed."""
        return self.at_once or any(named_test(name).draws for name in self.tests)

    def adjusted(self, p: FloatArray, pairs: Pairs, max_t: AtOnce | None) -> FloatArray | None:
        """Return the first test's p-values [pair], corrected; None: they are not to be corrected.

        `max_t` is the result of max-T, if it was needed.
        """
        if self.correction == "none":
            return None
        if self.correction == MAX_T:
            assert max_t is not None  # as it is needed then
            return max_t.by_level[0].p
        if named_test(self.tests[0]).simultaneous:
            return p
        first, same = pairs.distinct
        return CORRECTIONS[self.correction](p[first])[same]


@dataclass(frozen=True)
class Comparison:
    """Intervals and p-values of each pair of runs; a missing value is NaN."""

    limits: Mapping[str, Limits]  # by method
    doubts: Mapping[str, DoubtArray]  # by method, [level, pair]
    p: Mapping[str, FloatArray]  # by test, [pair]
    adjusted: FloatArray | None  # [pair]: the first test's p, corrected, at the first level
    at_once: AtOnce | None = None  # the result of max-T, where it was needed


def compare_paired(
    paired: Paired, estimation: Estimation, testing: Testing, progress: Progress = no_progress
) -> Comparison:
    """Return intervals and p-values of runs on the same topics, by their differences."""
    sample = paired.sample
    slow = [name for name in testing.tests if named_test(name).draws or named_test(name).slow]
    steps = parts_of(progress, estimation.resampling + testing.at_once + len(slow))
    # Of differences no method is immune: a few topics decide, and bootstrap-t may err more than t.
    estimation = replace(estimation, immunity=False)
    intervals = estimate(sample, estimation, next(steps) if estimation.resampling else no_progress)
    limits, doubts = dict(intervals.limits), dict(intervals.doubts)
    max_t = None
    if testing.by_bonferroni and testing.simultaneous:
        levels = np.array(estimation.levels)
        low, high = bonferroni.limits(
            paired.mean_difference, sample.se, sample.df, levels, paired.pairs.family
        )
        limits[BONFERRONI_T] = Limits.exact(low, high)
        doubts[BONFERRONI_T] = np.broadcast_to(doubts_about(sample), low.shape)
    if testing.at_once:
        max_t = at_once(
            paired,
            estimation.levels,
            estimation.drawing,
            strict=testing.strict,
            progress=next(steps),
        )
        limits, doubts = with_max_t(
            limits,
            doubts,
            max_t,
            about=doubts_about(sample),
            varies=~sample.constant,
            intervals=testing.simultaneous,
        )
    p = {
        name: named_test(name).p(
            paired, estimation.drawing, next(steps) if name in slow else no_progress
        )
        for name in testing.tests
    }
    identical = paired.identical
    return Comparison(
        limits=limits,
        doubts={name: doubts_about_differences(doubts[name], identical) for name in limits},
        p=p,
        adjusted=testing.adjusted(p[testing.tests[0]], paired.pairs, max_t),
        at_once=max_t,
    )


def compare_unpaired(
    known: Differences, pairs: Pairs, levels: tuple[float, ...], testing: Testing
) -> Comparison:
    """Return the intervals and p-values of Welch's t test, of runs on topics of their own."""
    low, high = welch_limits(known, levels)
    p = t.two_sided(known.t, known.df)
    return Comparison(
        limits={WELCH: Limits.exact(low, high)},
        doubts={WELCH: np.broadcast_to(known.doubts, low.shape)},
        p={T_TEST: p},
        adjusted=testing.adjusted(p, pairs, None),
    )
