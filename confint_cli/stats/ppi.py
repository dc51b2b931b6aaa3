"""Prediction-powered means: what people judged, corrected by what a cheaper judge knows of more.

People have judged n topics, h; a cheaper judge these, f, and N others, u. With the slope b of h on
f and F the mean of all f and u, the estimate is h̄ + b(F - f̄): PPI++ with λ = bN/(n+N). However
wrong the judge is, its errors on the n topics cancel; what it knows makes the interval shorter.

A mean of one run has a slope of its own, and a variance by HC3: with F fixed, the sum of squared
changes of the estimate when each topic is left out, and b²·var(F) besides. Differences of several
runs have one slope for all, or their order could be cyclic, and so have means over collections; of
these, the variance is a jackknife with b computed anew, and λ²·var(ū) besides. With groups of
topics, whole groups are left out. Collections are left out of one another's variance; their shares
in it have degrees of freedom after Satterthwaite.

Topics of people that the judge lacks have a mean h̄₀ of their own, and w·θ + (1-w)·h̄₀ is the
estimate, with w as many topics as both judges' count for over all.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.records import Explained
from confint_cli.common.ties import LAST_BITS
from confint_cli.scores.two_judges import Rows, TwoJudges
from confint_cli.stats.flags import Doubt, DoubtArray, with_doubt
from confint_cli.stats.matrices import paired_of, sample_of
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample

_LEAST_LEFT = 1e-3  # of the judge's variance that has to be left when any topic is left out
_TINY = 1e-240  # sums of squares that are as small have too few digits
_TOGETHER = 1 << 21  # differences that are worked on at a time
EXPLAINED = Explained(
    summary="intervals from human and cheaper judgements together, for --judge-qrels",
    formula="h̄ + b(F - f̄) ± t(n-2, 1-α/2)·se, b = S_hf/S_ff; se² = Σ(w·e/(1-l))² + b²·s²/(n+N); "
    "differences use one slope for all runs, a jackknife and t(n-1)",
    explanation="""\
Prediction-powered inference: it combines the judgements of people on some topics with those of a
cheaper judge, such as a language model, on many more. Where the judge agrees with people topic by
topic, the interval is shorter than one from human judgements only; where it does not, the interval
is hardly longer. 'effective_topics' says how many topics judged by people only would give an
interval as short.

People judged n topics, with the scores h. The cheaper judge judged the same topics, with the scores
f, and N others. F is the mean of all scores of the judge, h̄ and f̄ are the means over the n
topics. The judge can be biased and noisy: its errors are measured on the n topics and taken off.

In the formula, b is the slope of h on f, and S_hf and S_ff are sums of products and squares about
the means. e is what the slope leaves of a topic's score, l the leverage of the topic and w its
weight (HC3); s² is the variance of all scores of the judge. With several runs, all differences
share one slope, and rank sets and simultaneous intervals (max-t) resample the topics that people
judged and the others separately.

In simulations from a real collection with a real language model, 95% intervals of means and of
differences covered 95% to 96% of the time with 10 to 50 human-judged topics. Intervals from the
judge's scores only covered 0% (means) and about three quarters (differences) of the time
(docs/judges.md).

The topics that people judged must be a random sample of all topics. The judge must be the same for
all topics, and judge all of them to the same depth.""",
    reference="Angelopoulos, Duchi and Zrnic, PPI++ (2023); for retrieval: Oosterhuis et al., KDD "
    "(2024); HC3: MacKinnon and White, Journal of Econometrics 29 (1985)",
    style=16,
)


@dataclass(frozen=True)
class Powered:
    """Prediction-powered estimates of columns: means of runs, or differences of pairs; [column].

    Where the judge is not `used`, they are those of people alone.
    """

    mean: FloatArray
    se: FloatArray
    df: FloatArray
    human_mean: FloatArray
    human_se: FloatArray
    human_df: FloatArray
    human_topics: int
    topics: int  # of the judge
    judge_mean: FloatArray  # over all its topics
    bias: FloatArray  # the judge's mean less that of people, on the topics with both
    slope: FloatArray
    correlation: FloatArray
    used: BoolArray
    gains: BoolArray  # whether the correlation is large enough to gain anything
    has_others: bool  # whether the judge has further topics

    @property
    def effective_topics(self) -> FloatArray:
        """How many topics judged by people alone would give the same variance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                self.se > 0, self.human_topics * (self.human_se / self.se) ** 2, np.nan
            )  # fmt: skip

    @property
    def doubts(self) -> DoubtArray:
        """What there is to know of the judge's part in each of them."""
        doubts = np.zeros(len(self.mean), np.intp)
        if not self.has_others:
            return with_doubt(doubts, Doubt.NO_OTHER_TOPICS, np.ones(len(doubts), dtype=bool))
        doubts = with_doubt(doubts, Doubt.JUDGE_CONSTANT, ~self.used)
        return with_doubt(doubts, Doubt.NO_GAIN, self.used & ~self.gains)


# Sums over topics, or over groups of them


@dataclass(frozen=True, eq=False)
class Units:
    """What was drawn: topics or, if these come in groups, the groups."""

    sizes: FloatArray  # [unit]: the number of its topics
    collections: Positions  # [unit]: the place of its collection
    groups: Positions | None  # [topic]: the unit of each topic; None: each is one

    @classmethod
    def of(cls, rows: Rows) -> "Units":
        """Return the units of some topics."""
        if rows.groups is None:
            return cls(np.ones(rows.number), rows.collections, None)
        _, first = np.unique(rows.groups, return_index=True)
        sizes = np.bincount(rows.groups).astype(float)
        return cls(sizes, rows.collections[first], rows.groups)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of values [topic, column] over the topics of each unit."""
        if self.groups is None:
            return values
        sums = np.zeros((len(self.sizes), values.shape[1]))
        np.add.at(sums, self.groups, values)
        return sums

    def numbers(self, collections: int) -> FloatArray:
        """Return how many units each collection has, [collection]."""
        return np.bincount(self.collections, minlength=collections).astype(float)

    def in_collections(self, values: FloatArray, collections: int) -> FloatArray:
        """Return the sums of values [unit, column] over each collection."""
        sums = np.zeros((collections, values.shape[1]))
        np.add.at(sums, self.collections, values)
        return sums


def means_of(rows: Rows) -> FloatArray:
    """Return the mean of each collection, [collection, column]; 0 of one without topics.

    The first score is taken off before, so that equal scores have exactly their own mean.
    """
    first, sums = np.zeros((2, len(rows.strata), rows.values.shape[1]))
    own = rows.collections
    has_topics = np.array(rows.strata) > 0
    first[has_topics] = rows.values[np.searchsorted(own, np.flatnonzero(has_topics))]
    np.add.at(sums, own, rows.values - first[own])
    means: FloatArray = first + sums / np.maximum(rows.strata, 1)[:, None]
    return means


def centred(rows: Rows) -> FloatArray:
    """Return the values less the mean of their collection, [topic, column]."""
    deviations: FloatArray = rows.values - means_of(rows)[rows.collections]
    return deviations


def by_topic(rows: Rows) -> Rows:
    """Return the values less the mean over all runs on their topic, which is in no difference."""
    return replace(rows, values=rows.values - rows.values.mean(axis=1, keepdims=True))


# The slope of people's scores on the judge's


@dataclass(frozen=True, eq=False)
class Slopes:
    """The slope b, of each column or one for all: arrays have as many columns, or one."""

    slope: FloatArray  # [column]
    deleted: FloatArray  # [unit, column]: without the unit
    correlation: FloatArray  # [column]
    usable: BoolArray  # [column]: whether the judge varies, and not by one unit alone

    def gains(self, topics: int) -> BoolArray:
        """Say where the correlation is large enough for this many topics to gain anything."""
        gains: BoolArray = np.abs(self.correlation) > 1 / np.sqrt(topics - 2)
        return gains


def slopes_of(human: Rows, judge: Rows, *, common: bool) -> Slopes:
    """Return the slopes within collections; with `common`, one for all differences of runs."""
    least_human, least_judge = (_rounding(rows, common=common) for rows in (human, judge))
    if common:
        human, judge = by_topic(human), by_topic(judge)
    units = Units.of(human)
    h, f = centred(human), centred(judge)

    def together(values: FloatArray) -> FloatArray:
        return values.sum(axis=1, keepdims=True) if common else values

    left = (np.array(human.strata)[units.collections] - units.sizes)[:, None]  # topics
    h_sums, f_sums = units.sums(h), units.sums(f)
    products = units.sums(together(h * f))
    squares = units.sums(together(f * f))
    cross, judge_squares = products.sum(axis=0), squares.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        cross_left = cross - products - together(h_sums * f_sums) / left
        squares_left = judge_squares - squares - together(f_sums * f_sums) / left
        topics = np.array(human.strata)[units.collections][:, None]
        remaining = (squares_left / judge_squares * left / topics).min(axis=0)
        varies = judge_squares > least_judge
        usable = varies & (remaining > _LEAST_LEFT)
        slope = np.where(usable, cross / judge_squares, 0.0)
        deleted = np.where(usable, cross_left / squares_left, 0.0)
        human_squares = together(h * h).sum(axis=0)
        correlation = np.where(
            varies & (human_squares > least_human),
            cross / (np.sqrt(judge_squares) * np.sqrt(human_squares)),
            np.nan,
        )
    return Slopes(slope, deleted, correlation, usable)


def _rounding(rows: Rows, *, common: bool) -> FloatArray:
    """Return what sums of squared deviations have at most if scores differ in last bits, [column].

    With `common`, it is that of all columns together, [1].
    """
    largest = np.abs(rows.values).max(axis=0)
    sums = rows.number * (LAST_BITS * largest) ** 2
    least: FloatArray = np.maximum(sums.sum(keepdims=True) if common else sums, _TINY)
    return least


# Estimates


@dataclass(frozen=True, eq=False)
class _Parts:
    """What an estimate is made of, by collection and column."""

    mean: FloatArray  # [collection, column], with topics of people alone
    labelled: FloatArray  # [collection, column]: the variance that labelled topics add
    judged: FloatArray  # that of the judge's mean
    lone: FloatArray  # that of topics of people alone
    freedom: FloatArray  # [collection]: of the first two
    lone_freedom: FloatArray  # [collection]: of the third

    @property
    def variance(self) -> FloatArray:
        """The variance of the mean over collections, [column]."""
        total: FloatArray = (self.labelled + self.judged + self.lone).sum(axis=0)
        return total

    @property
    def df(self) -> FloatArray:
        """Its degrees of freedom, [column], after Satterthwaite if it has several parts."""
        parts = np.concatenate([self.labelled + self.judged, self.lone])
        free = np.concatenate([self.freedom, self.lone_freedom])[:, None]
        total = self.variance
        varies = total > 0
        shares = parts / np.where(varies, total, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            below: FloatArray = np.where(shares > 0, shares**2 / free, 0.0).sum(axis=0)
            return np.where(varies, 1 / below, self.freedom.sum())


def variance_of_mean(rows: Rows) -> FloatArray:
    """Return the variance of the mean of each collection, [collection, column].

    Groups count as a whole: it is G/(G-1)·Σ(sums of deviations)²/n² over G groups.
    """
    number = len(rows.strata)
    units = Units.of(rows)
    sums = units.in_collections(units.sums(centred(rows)) ** 2, number)
    of_units = units.numbers(number)[:, None]
    topics = np.array(rows.strata)[:, None]
    variance: FloatArray = sums * of_units / (of_units - 1) / topics**2
    return variance


def _parts(
    two: TwoJudges, slopes: Slopes, weights: FloatArray | float, *, at_fixed_mean: bool
) -> _Parts:
    """Return the parts of the estimates of the columns of scores by two judges.

    `weights` are those of topics with both judges against those of people alone, as [collection,
    column]. `at_fixed_mean` is for the mean of one run: the judge's mean counts as known, and
    varies by itself.
    """
    human, judge, others, alone = two.human, two.judge, two.others, two.alone
    number = len(human.strata)
    labelled, further = np.array(human.strata)[:, None], np.array(others.strata)[:, None]
    share = further / (labelled + further)  # N/(n+N), of each collection
    apart = means_of(others) - means_of(judge)
    moved = share * apart  # F - f̄
    weights = np.broadcast_to(weights, moved.shape)
    mean = weights * (means_of(human) + slopes.slope * moved) + (1 - weights) * means_of(alone)

    units = Units.of(human)
    own = units.collections
    left = (labelled[own, 0] - units.sizes)[:, None]
    h, f = (-units.sums(centred(rows)) / left for rows in (human, judge))
    if at_fixed_mean:
        changed = h + slopes.deleted * (moved[own] - f) - slopes.slope * moved[own]
        freedom = np.array([len(units.sizes) - 2.0])
        factor = np.ones((1, 1))
    else:
        share_left = further[own] / (left + further[own])
        within = weights[own] * (h + slopes.deleted * share_left * (apart[own] - f))
        besides = (weights * moved).sum(axis=0) - (weights * moved)[own]
        changed = within + slopes.deleted * besides
        of_units = units.numbers(number)
        changed -= (units.in_collections(changed, number) / of_units[:, None])[own]
        freedom, factor = of_units - 1, ((of_units - 1) / of_units)[:, None]
    of_judge = variance_of_mean(_below(judge, others))
    judged = slopes.slope * of_judge * slopes.slope * (1.0 if at_fixed_mean else share)
    lone, lone_freedom = _of_alone(human, alone)
    scale = weights**2 if at_fixed_mean else 1.0
    return _Parts(
        mean,
        scale * factor * units.in_collections(changed**2, number) / number**2,
        weights**2 * judged / number**2,
        (1 - weights) ** 2 * lone / number**2,
        freedom,
        lone_freedom,
    )


def _of_alone(human: Rows, alone: Rows) -> tuple[FloatArray, FloatArray]:
    """Return the variance of the mean of people's own topics, by that of all their topics.

    It is [collection, column], 0 without any, with its degrees of freedom, [collection].
    """
    everything = _below(human, alone)
    units = Units.of(everything).numbers(len(human.strata))
    topics, own = np.array(everything.strata)[:, None], np.array(alone.strata)[:, None]
    lone = np.where(own > 0, variance_of_mean(everything) * topics / np.maximum(own, 1), 0.0)
    return lone, units - 1


def _below(first: Rows, second: Rows) -> Rows:
    """Return all rows of both, collection by collection."""
    if not second.number:
        return first
    order = np.argsort(np.concatenate([first.collections, second.collections]), kind="stable")
    groups = None
    if first.groups is not None and second.groups is not None:
        behind = int(first.groups.max()) + 1
        groups = np.concatenate([first.groups, second.groups + behind])[order]
    return Rows(
        np.concatenate([first.values, second.values])[order],
        tuple(one + other for one, other in zip(first.strata, second.strata, strict=True)),
        groups,
    )


def weights_of(two: TwoJudges, slopes: Slopes, *, common: bool) -> FloatArray:
    """Return how much topics with both judges count against those of people alone.

    It is [collection, column], of one `common` slope [collection, 1]: n_eff/(n_eff + n₀), where
    n_eff is n times the ratio of the variances without the judge and with it, and n at the least:
    of few topics the ratio is too noisy to take weight from these.
    """
    number = len(two.human.strata)
    alone = np.array(two.alone.strata)[:, None]
    if not alone.any():
        return np.ones((number, 1))
    if common:
        two = _changed(two, by_topic)
    parts = _parts(two, slopes, 1.0, at_fixed_mean=number == 1 and not common)
    by_people = variance_of_mean(two.human).sum(axis=0) / number**2
    by_both = parts.labelled.sum(axis=0) + parts.judged.sum(axis=0)
    if common:
        by_people, by_both = by_people.sum(keepdims=True), by_both.sum(keepdims=True)
    used = slopes.usable & (two.others.number > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(used & (by_both > 0), np.maximum(by_people / by_both, 1.0), 1.0)
    effective = np.array(two.human.strata)[:, None] * gain
    weights: FloatArray = effective / (effective + alone)
    return weights


@dataclass(frozen=True, eq=False)
class Family:
    """Runs that are compared with one another: one slope, and one weight, for all of them."""

    two: TwoJudges

    @cached_property
    def slopes(self) -> Slopes:
        """The slope of all differences of runs."""
        return slopes_of(self.two.human, self.two.judge, common=True)

    @property
    def used(self) -> bool:
        """Whether the judge is used at all."""
        return self.two.others.number > 0 and bool(self.slopes.usable[0])

    @cached_property
    def weights(self) -> FloatArray:
        """How much topics with both judges count against those of people alone."""
        return weights_of(self.two, self.slopes, common=True)

    def means(self) -> Powered:
        """Return the means of runs, of which the differences are those of `differences`."""
        return _powered(
            self.two, self.slopes, self.weights, sample_of(self.two.matrix), at_fixed_mean=False
        )

    def differences(self, pairs: Pairs) -> Powered:
        """Return the differences of pairs of runs."""
        width = max(1, _TOGETHER // self.two.topics)
        blocks = [
            self._differences(Pairs(pairs.run[start : start + width],
                                    pairs.baseline[start : start + width]))
            for start in range(0, max(len(pairs), 1), width)
        ]  # fmt: skip
        return blocks[0] if len(blocks) == 1 else _beside(blocks)

    def _differences(self, pairs: Pairs) -> Powered:
        paired: Paired = paired_of(self.two.matrix, pairs)
        two = _changed(self.two, lambda rows: _of_pairs(rows, pairs))
        found = _powered(two, self.slopes, self.weights, paired.sample, at_fixed_mean=False)
        # Means of decimals that are equal on paper may differ in their last bits.
        mean, se = (
            np.where(np.abs(array) <= paired.rounding, 0.0, array)
            for array in (found.mean, found.se)
        )
        return replace(found, mean=mean, se=se)


def _changed(two: TwoJudges, change: Callable[[Rows], Rows]) -> TwoJudges:
    """Return the scores of both judges with other values of all rows."""
    return replace(
        two,
        human=change(two.human),
        judge=change(two.judge),
        others=change(two.others),
        alone=change(two.alone),
    )


def _of_pairs(rows: Rows, pairs: Pairs) -> Rows:
    differences = rows.values[:, pairs.run] - rows.values[:, pairs.baseline]
    return replace(rows, values=differences)


def means(two: TwoJudges) -> Powered:
    """Return the mean of each run, with a slope of its own."""
    slopes = slopes_of(two.human, two.judge, common=False)
    weights = weights_of(two, slopes, common=False)
    plain = len(two.human.strata) == 1
    return _powered(two, slopes, weights, sample_of(two.matrix), at_fixed_mean=plain)


def _powered(
    two: TwoJudges, slopes: Slopes, weights: FloatArray, sample: Sample, *, at_fixed_mean: bool
) -> Powered:
    """Return the estimates of the columns of scores by two judges; `sample` has those of people."""
    columns = two.human.values.shape[1]
    parts = _parts(two, slopes, weights, at_fixed_mean=at_fixed_mean)
    has_others = two.others.number > 0
    used = np.broadcast_to(slopes.usable & has_others, columns)
    everything = means_of(_below(two.judge, two.others)).mean(axis=0)
    bias = (means_of(two.judge) - means_of(two.human)).mean(axis=0)
    units = len(Units.of(two.human).sizes)
    return Powered(
        mean=np.where(used, parts.mean.mean(axis=0), sample.mean),
        se=np.where(used, np.sqrt(parts.variance), sample.se),
        df=np.where(used, parts.df, sample.df),
        human_mean=sample.mean,
        human_se=sample.se,
        human_df=np.broadcast_to(sample.df, columns),
        human_topics=two.human_topics,
        topics=two.topics,
        judge_mean=everything,
        bias=bias,
        slope=np.where(used, np.broadcast_to(slopes.slope, columns), 0.0),
        correlation=np.broadcast_to(slopes.correlation, columns),
        used=used,
        gains=np.broadcast_to(slopes.gains(units), columns),
        has_others=has_others,
    )


def _beside(blocks: list[Powered]) -> Powered:
    """Return the estimates of the columns of all blocks, one beside the other."""

    def joined(name: str) -> FloatArray:
        return np.concatenate([getattr(block, name) for block in blocks])

    return replace(
        blocks[0],
        mean=joined("mean"),
        se=joined("se"),
        df=joined("df"),
        human_mean=joined("human_mean"),
        human_se=joined("human_se"),
        human_df=joined("human_df"),
        judge_mean=joined("judge_mean"),
        bias=joined("bias"),
        slope=joined("slope"),
        correlation=joined("correlation"),
        used=joined("used").astype(bool),
        gains=joined("gains").astype(bool),
    )
