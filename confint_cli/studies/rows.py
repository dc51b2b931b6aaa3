"""The records of answers: one class per kind of row, with all that its readers need.

Scores have theirs in `score.py` and `standardize.py`, which need none of the statistics here.

The columns of the contract are attributes of these names. Doubts about a number are flags here;
`note`, which puts them into words, is for those who read records. NaN is a value that is missing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.stats import significance
from confint_cli.stats.flags import SHAPE_TOPICS, Doubt
from confint_cli.studies.doubts import (
    VERDICTS,
    counted_note,
    full_note,
    missing_note,
    missing_notes,
    note_of,
    repeat_notes,
)

if TYPE_CHECKING:
    from confint_cli.stats.equivalence import Verdict
    from confint_cli.stats.posterior import Density, Known
    from confint_cli.stats.power import Spread

_P = "p_"  # begins the names of columns of p-values, which end in the name of a test

OfMeans = Mapping[str, Any]
"""The fields that are missing where a record is about means of collections, with what they have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalFields:
    """One interval, with the fields that every record of an interval has."""

    of_means: ClassVar[OfMeans | None] = {"design_effect": math.nan}
    is_of_pair: ClassVar[bool] = False  # of a run and its baseline
    has_shared_slope: ClassVar[bool] = True  # all runs have one, if there is a cheaper judge

    measure: str
    run: str
    topics: int
    method: str
    level: float
    low: float
    high: float
    doubts: int = field(repr=False)  # the sum of the `Doubt`s about it
    error: float = field(repr=False)  # the Monte Carlo error of the less certain limit
    collection: str = field(default="", repr=False)  # `macro`: all of them; empty: there is one
    collections: int | None = field(default=None, repr=False)  # how many `macro` is over
    groups: int | None = field(default=None, repr=False)  # of topics, if these come in groups
    design_effect: float = field(default=math.nan, repr=False)  # a ratio of variances
    repeats: int | None = field(default=None, repr=False)  # of the run, if runs have any
    repeat_share: float = field(default=math.nan, repr=False)  # of the variance of the mean
    human_topics: int | None = field(default=None, repr=False)  # people's, beside a cheaper judge
    human_low: float = field(default=math.nan, repr=False)  # the limits of people's scores only
    human_high: float = field(default=math.nan, repr=False)
    bias: float = field(default=math.nan, repr=False)  # of the judge, on topics with both
    slope: float = field(default=math.nan, repr=False)  # of people's scores on the judge's
    correlation: float = field(default=math.nan, repr=False)
    effective_topics: float = field(default=math.nan, repr=False)  # worth as many by people only

    @property
    def error_share(self) -> float:
        """The Monte Carlo error as a share of the half-width; 0 without limits."""
        half_width = (self.high - self.low) / 2
        return self.error / half_width if half_width > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRow(IntervalFields):
    """One interval of the mean of a run in a measure."""

    of_means: ClassVar[OfMeans | None] = {"sd": math.nan, "design_effect": math.nan}
    has_shared_slope: ClassVar[bool] = False

    mean: float
    sd: float
    se: float
    df: float = field(default=math.nan, repr=False)  # the degrees of freedom of the se
    missing: int = field(default=0, repr=False)  # topics that the run lacks, scored 0
    human_mean: float = field(default=math.nan, repr=False)  # by people only
    judge_mean: float = field(default=math.nan, repr=False)  # by the judge only, on all its topics
    least: float = field(default=math.nan, repr=False)  # over all possible judgements
    largest: float = field(default=math.nan, repr=False)

    @property
    def shape(self) -> float:
        """The upper limit's distance from the mean over the lower limit's; NaN, if that is 0."""
        below, above = self.mean - self.low, self.high - self.mean
        return above / below if below > 0 else math.nan

    @property
    def note(self) -> str:
        """The doubts in words, and how many topics the run lacks."""
        return full_note(self.doubts, missing_note(self.missing))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow(IntervalFields):
    """The rank of a run in a measure, its rank sets, and the interval of its mean."""

    rank: int
    mean: float
    rank_low: int
    rank_high: int
    own_rank_low: int
    own_rank_high: int
    first_share: float
    tied_with_best: bool
    human_mean: float = field(default=math.nan, repr=False)  # by people only
    judge_mean: float = field(default=math.nan, repr=False)  # by the judge only, on all its topics
    least: float = field(default=math.nan, repr=False)  # over all possible judgements
    largest: float = field(default=math.nan, repr=False)
    judged_share: float = field(default=math.nan, repr=False)  # of its first documents
    missing: int = field(repr=False)  # topics that the run lacks, scored 0
    copy_of: str = field(repr=False)  # the first run with the same scores; empty: there is none
    group: int = field(repr=False)  # all runs of a group are better than all of later groups
    apart: BoolArray = field(repr=False, compare=False)
    """[run]: which runs, in the order of the records of the measure, can be told apart from it."""
    enough_topics: bool = field(repr=False)  # whether max-T can tell any two runs apart
    pairs_left_out: int = field(repr=False)  # pairs by the measure that max-T never tells apart

    @property
    def note(self) -> str:
        """The doubts in words, how many topics the run lacks, and the run that it is a copy of."""
        copied = f"same scores as {self.copy_of}" if self.copy_of else ""
        return full_note(self.doubts, missing_note(self.missing), copied)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """How often the intervals of a run in a measure cover, by one method, at one level and size."""

    of_means: ClassVar[OfMeans | None] = None  # the record says the same of any means

    measure: str
    run: str
    method: str
    level: float
    sample_size: int | None  # None: samples differ in it
    replicates: int
    coverage: float
    coverage_low: float
    coverage_high: float
    miss_low: float
    miss_high: float
    width: float
    doubts: int = field(repr=False)  # the sum of the `Doubt`s about such intervals
    varies: bool = field(repr=False)  # whether not all scores are equal
    one_value: bool = field(repr=False)  # whether a sample may well have one value only
    error: float = field(repr=False)  # the Monte Carlo error of the coverage
    collection: str = field(default="", repr=False)  # `macro`: all of them; empty: there is one
    collections: int | None = field(default=None, repr=False)  # how many `macro` is over
    groups: int | None = field(default=None, repr=False)  # of a sample, if topics come in groups
    repeats: int | None = field(default=None, repr=False)  # of a sample, if runs have any
    judge_topics: int | None = field(default=None, repr=False)  # of a sample, by a cheaper judge
    both: FloatArray = field(repr=False, compare=False)
    """[method]: the share of samples that the intervals of this and of each method both cover.

    The methods are those of all records by the measure, in their order.
    """

    @property
    def note(self) -> str:
        """The doubts in words."""
        return note_of(self.doubts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSummaryRow:
    """How coverage spreads over the runs whose scores vary, by one method, at one level and size.

    `error_…` are of the Type I error, 1 - coverage.
    """

    measure: str
    method: str
    level: float
    sample_size: int | None  # None: samples differ in it
    runs: int
    mean: float
    sd: float
    min: float
    q1: float
    median: float
    q3: float
    max: float
    error_mean: float
    error_sd: float
    error_max: float
    width: float
    distance: float
    miss_low: float
    miss_high: float
    collection: str = field(default="", repr=False)  # `macro`: all of them; empty: there is one
    collections: int | None = field(default=None, repr=False)  # how many `macro` is over
    groups: int | None = field(default=None, repr=False)  # of a sample, if topics come in groups
    repeats: int | None = field(default=None, repr=False)  # of a sample; None: runs differ in it
    judge_topics: int | None = field(default=None, repr=False)  # of a sample, by a cheaper judge


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow(IntervalFields):
    """One interval of a pair of runs, with the fields that every record of a pair has."""

    is_of_pair: ClassVar[bool] = True

    baseline: str
    baseline_topics: int  # as `topics`, unless the runs are on different topics
    baseline_repeats: int | None = field(default=None, repr=False)
    mean: float
    baseline_mean: float
    missing: int = field(repr=False)  # topics that the run lacks, scored 0
    baseline_missing: int = field(repr=False)  # topics that the baseline lacks
    place: int = field(repr=False)  # of the run in the order of all runs by the measure, from 0
    baseline_place: int = field(repr=False)

    @property
    def note(self) -> str:
        """The doubts in words, and which of the two has one repeat or lacks topics."""
        return full_note(
            self.doubts & ~int(Doubt.ONE_REPEAT),
            *repeat_notes(self.doubts, self.repeats, self.baseline_repeats),
            *missing_notes(self.missing, self.baseline_missing),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRow(PairRow):
    """One interval of the difference of two runs in a measure, with tests and effect sizes.

    The p-value of a test is an attribute too: `p_t`, `p_wilcoxon`; NaN, if it was not asked for.
    """

    of_means: ClassVar[OfMeans | None] = {
        **dict.fromkeys(("glass_delta", "hedges_gz", "glass_low", "glass_high"), math.nan),
        **dict.fromkeys(("hedges_gz_low", "hedges_gz_high", "design_effect"), math.nan),
        **dict.fromkeys(("wins", "ties", "losses")),
    }

    difference: float
    t: float
    df: float
    p: Mapping[str, float] = field(hash=False)  # by test
    p_adjusted: float
    glass_delta: float
    hedges_gz: float
    hedges_g: float
    wins: int | None
    ties: int | None
    losses: int | None
    significant: bool  # at its own level, after correction
    is_marked: bool = field(repr=False)  # significant at the first level, as tables and figures say
    tau2: float = field(default=math.nan, repr=False)  # of a meta-analysis
    i2: float = field(default=math.nan, repr=False)  # of a meta-analysis
    human_difference: float = field(default=math.nan, repr=False)  # by people only
    judge_difference: float = field(default=math.nan, repr=False)  # by the judge only
    least_difference: float = field(default=math.nan, repr=False)  # over all judgements
    largest_difference: float = field(default=math.nan, repr=False)
    glass_low: float = field(default=math.nan, repr=False)  # limits of effect sizes, if asked for
    glass_high: float = field(default=math.nan, repr=False)
    hedges_gz_low: float = field(default=math.nan, repr=False)
    hedges_gz_high: float = field(default=math.nan, repr=False)
    hedges_g_low: float = field(default=math.nan, repr=False)
    hedges_g_high: float = field(default=math.nan, repr=False)
    p_noninferior: float = field(default=math.nan, repr=False)  # about a margin, if there is one
    p_equivalent: float = field(default=math.nan, repr=False)
    shown: "Verdict | None" = field(default=None, repr=False)  # of the margin, at the row's level
    enough_topics: bool = field(repr=False)  # whether max-T, if it was asked for, has limits

    @property
    def verdict(self) -> str:
        """What is shown of the margin, in words; empty, if there is none."""
        return "" if self.shown is None else VERDICTS[self.shown]

    def __getattr__(self, name: str) -> float:
        if name.startswith(_P):
            test = name.removeprefix(_P)
            if test in self.p:
                return self.p[test]
            if test in _tests():
                return math.nan
        raise AttributeError(f"a comparison has no {name}")


@cache
def _tests() -> frozenset[str]:
    """Return the names of all tests."""
    return frozenset(significance.names())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rope:
    """The probabilities that a difference lies below, within and above a region."""

    below: float
    within: float
    above: float


@dataclass(frozen=True, slots=True)
class Classical:
    """What classical statistics say of a quantity.

    Only the difference has limits and a p-value, by the t test or by Welch's.
    """

    sample: float  # the value of the quantity in the sample; NaN if it has none
    low: float | None = None
    high: float | None = None
    p: float | None = None  # one-sided, against a quantity no larger than the threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesRow(PairRow):
    """The posterior of one quantity of a pair of runs; NaN where there is no posterior."""

    quantity: str
    eap: float  # the mean of the posterior
    sd: float  # of the posterior
    threshold: float
    probability: float  # that the quantity is above the threshold
    effective_draws: float = field(repr=False)  # draws of equal weights that would say as much
    sd_error: float = field(repr=False)  # the Monte Carlo error of `sd`
    rope: Rope | None = field(repr=False)  # of a difference, if the question has a region
    classical: Classical = field(repr=False)
    known: "Known" = field(repr=False)  # of the scores of the pair, what the posterior depends on
    density: "Density | None" = field(repr=False, compare=False)  # None: not computed, or none

    @property
    def caution(self) -> str:
        """The doubts in words, or why there is no posterior."""
        return full_note(self.doubts, note_of(self.known.why_no_posterior))

    @property
    def note(self) -> str:
        """The caution, and how many topics the run or its baseline lack."""
        remarks = [self.caution, *missing_notes(self.missing, self.baseline_missing)]
        return ", ".join(filter(None, remarks))

    @property
    def ess(self) -> int | None:
        """How many draws of equal weights would say as much; None without a posterior."""
        return None if math.isnan(self.effective_draws) else round(self.effective_draws)

    @property
    def p_below(self) -> float | None:
        """The probability that the difference is below the rope; None, if there is none."""
        return self.rope.below if self.rope else None

    @property
    def p_within(self) -> float | None:
        """The probability that the difference is within the rope; None, if there is none."""
        return self.rope.within if self.rope else None

    @property
    def p_above(self) -> float | None:
        """The probability that the difference is above the rope; None, if there is none."""
        return self.rope.above if self.rope else None

    @property
    def sample(self) -> float:
        """The value of the quantity in the sample."""
        return self.classical.sample

    @property
    def confidence_low(self) -> float | None:
        """The lower limit by the t test, or by Welch's; of a difference only."""
        return self.classical.low

    @property
    def confidence_high(self) -> float | None:
        """The upper limit by the t test, or by Welch's; of a difference only."""
        return self.classical.high

    @property
    def p_one_sided(self) -> float | None:
        """The one-sided p against a difference no larger than the threshold."""
        return self.classical.p


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskRow(PairRow):
    """One interval of the URisk⁻ of a run at one r, and other figures about its risk.

    Verdicts are RISKY, SAFE or UNDECIDED, of `stats.risk`.
    """

    r: float
    urisk_minus: float
    trisk: float
    georisk: float
    wins: int
    ties: int
    losses: int
    shapiro_topics: float
    shapiro_bootstrap: float
    baseline_georisk: float = field(repr=False)
    trisk_bound: float = field(repr=False)  # above which TRisk calls a run risk-free
    by_trisk: int = field(repr=False)  # the verdict by TRisk
    by_interval: int = field(repr=False)  # the verdict by this interval


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRow:
    """A topic on which the run of a pair loses to the baseline."""

    measure: str
    run: str
    baseline: str
    topic: str
    baseline_score: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskSummaryRow(IntervalFields):
    """Medians over the best runs, by one method at one level and r; NaN where there is none."""

    baseline: str
    runs: int  # over which the medians are
    r: float
    urisk_minus: float
    low_notch_low: float  # the notch of the median of lower limits begins here
    low_notch_high: float
    high_notch_low: float  # the notch of the median of upper limits begins here
    high_notch_high: float
    low_from_t: float  # how far the limit is above that of t, in half-widths of t
    high_from_t: float
    disagree: int  # runs whose verdict is not that of t
    shapiro_topics: float
    shapiro_bootstrap: float
    all_runs: int = field(repr=False)  # of which the best are summed up
    doubts_of_runs: tuple[int, ...] = field(repr=False)  # the `Doubt`s about each of the best

    @property
    def note(self) -> str:
        """The doubts in words, `few topics, 3 skewed`: one about all runs has no number."""
        return counted_note(self.doubts_of_runs)

    @property
    def farthest(self) -> float:
        """The larger distance of the two limits from those of t, in half-widths of t."""
        return max(abs(self.low_from_t), abs(self.high_from_t))


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeRow:
    """The shape of the scores of a run, or of its differences to a baseline, by one measure."""

    # It describes the means themselves, so it has their sd.
    of_means: ClassVar[OfMeans | None] = {
        "zeros": math.nan, "histogram": (), "design_effect": math.nan
    }  # fmt: skip

    measure: str
    run: str
    baseline: str  # empty: these are scores, not differences
    topics: int
    mean: float
    sd: float
    min: float
    q1: float
    median: float
    q3: float
    max: float
    zeros: float  # the share of values that are 0
    skew: float
    shapiro_w: float
    shapiro_p: float
    doubts: int = field(repr=False)  # the sum of the `Doubt`s about a t interval of it
    missing: int = field(repr=False)  # topics that the run lacks, scored 0
    baseline_missing: int = field(repr=False)
    copy_of: str = field(repr=False)  # the first run with the same scores; empty: there is none
    kind: str = field(repr=False)  # why it is unfit for a t interval, or `fit`
    histogram: tuple[int, ...] = field(repr=False)  # topics in each bin
    ends: tuple[float, float] = field(repr=False)  # of the histogram
    groups: int | None = field(default=None, repr=False)  # of topics, if these come in groups
    design_effect: float = field(default=math.nan, repr=False)  # a ratio of variances
    repeats: int | None = field(default=None, repr=False)  # of the run, if runs have any
    repeat_share: float = field(default=math.nan, repr=False)  # of the variance of the mean
    collection: str = field(default="", repr=False)  # `macro`: all of them; empty: there is one
    collections: int | None = field(default=None, repr=False)  # how many `macro` is over
    values: FloatArray = field(repr=False, compare=False)  # [topic], in ascending order

    @property
    def is_of_pair(self) -> bool:
        """Whether it is of differences of a run and its baseline."""
        return bool(self.baseline)

    @property
    def note(self) -> str:
        """The doubts in words, topics that are missing, and the run that this is a copy of."""
        copied = f"same scores as {self.copy_of}" if self.copy_of else ""
        missing = missing_notes(self.missing, self.baseline_missing)
        return full_note(self.doubts, *missing, copied)

    @property
    def name(self) -> str:
        """The run or the pair of runs, as a sentence names it; of several collections, which."""
        name = f"{self.run} and {self.baseline}" if self.baseline else self.run
        return f"{name} ({self.collection})" if self.collection else name


HALF_WIDTH_OF_MEAN = "half-width of mean"
HALF_WIDTH_OF_DIFFERENCE = "half-width of difference"
DETECTABLE_DIFFERENCE = "detectable difference"
NON_INFERIORITY = "non-inferiority margin"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """How many topics one target needs by one measure and level."""

    of_means: ClassVar[OfMeans | None] = None  # the study itself makes records about means

    measure: str
    design: str  # what is planned: a half-width, or a difference
    sd: float
    target: float | None
    level: float
    power: float | None
    assurance: float | None
    topics_now: int
    topics_needed: int | None  # None: no target, no variance, or no practical number is enough
    topics_needed_high: int | None  # the same, if the sd is as large as its upper limit
    attained: float  # the half-width or the difference that today's topics give
    runs: int
    collection: str = field(default="", repr=False)  # `macro`: all of them; empty: there is one
    collections: int | None = field(default=None, repr=False)  # how many `macro` is over
    collections_needed: int | None = field(default=None, repr=False)  # for new collections
    collections_needed_high: int | None = field(default=None, repr=False)
    in_collections: bool = field(default=False, repr=False)  # whether these are what is planned
    groups: int | None = field(default=None, repr=False)  # today's, if these are what is planned
    groups_needed: int | None = field(default=None, repr=False)
    groups_needed_high: int | None = field(default=None, repr=False)
    group_share: float = field(default=math.nan, repr=False)  # that longer groups would not remove
    group_noun: str = field(default="", repr=False)  # what a group is called; empty: there is none
    repeats: int | None = field(default=None, repr=False)  # today's, if runs have any
    repeat_share: float = field(default=math.nan, repr=False)  # that topics would not remove
    repeats_needed: int | None = field(default=None, repr=False)  # with today's topics
    judge_topics: int | None = field(default=None, repr=False)  # of a cheaper judge, with people's
    human_attained: float = field(default=math.nan, repr=False)  # by people only
    topics_for_same: int | None = field(default=None, repr=False)  # with the judge, for that
    correlation: float = field(default=math.nan, repr=False)  # of both judges
    spread: "Spread" = field(repr=False, compare=False)
    """How much scores vary, which says what other numbers of topics would give."""
    no_variance: bool = field(default=False, repr=False)

    @property
    def now(self) -> int:
        """How many topics there are, or collections or groups if these are what is planned."""
        if self.group_noun:
            return self.groups or 0
        return self.collections or 0 if self.in_collections else self.topics_now

    @property
    def needed(self) -> int | None:
        """How many of them are needed."""
        if self.group_noun:
            return self.groups_needed
        return self.collections_needed if self.in_collections else self.topics_needed

    @property
    def needed_high(self) -> int | None:
        """How many of them are needed if the sd is as large as its upper limit."""
        if self.group_noun:
            return self.groups_needed_high
        return self.collections_needed_high if self.in_collections else self.topics_needed_high

    @property
    def noun(self) -> str:
        """What is counted: topics, collections or groups."""
        return self.group_noun or ("collection" if self.in_collections else "topic")

    def attained_by(self, topics: int, spread: "Spread | None" = None) -> float:
        """Return the half-width or the difference that a number of topics, or groups, gives.

        It may be by another `spread`, such as that of more repeats.
        """
        return (spread or self.spread).attained(
            topics, self.level, self.power, one_sided=self.design == NON_INFERIORITY
        )

    @property
    def is_met(self) -> bool:
        """Whether the topics at hand are enough, if the sd is right."""
        return self.needed is not None and self.needed <= self.now

    @property
    def is_surely_met(self) -> bool:
        """Whether they are enough even if the sd is as large as its upper limit."""
        return self.needed_high is not None and self.needed_high <= self.now

    @property
    def note(self) -> str:
        """What there is to know before one trusts the number, in words."""
        has_target = self.target is not None and not self.no_variance
        notes = {
            "small pilot": self.now < SHAPE_TOPICS,
            "no variance": self.no_variance,
            "met already": self.is_met and self.is_surely_met,
            "perhaps met": self.is_met and not self.is_surely_met,
            "out of reach": has_target and self.needed is None,
            "beyond the judge": self.judge_topics is not None
            and self.needed is not None
            and self.needed > self.judge_topics,
            "perhaps out of reach": self.needed is not None
            and self.needed_high is None
            and not self.is_met,
        }
        return ", ".join(text for text, applies in notes.items() if applies)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """How far a cheaper judge agrees with people by a measure, on topics that both have judged."""

    measure: str
    runs: int
    topics: int  # of the judge
    human_topics: int  # with both judges
    bias: float
    correlation: float
    tau: float
    tau_low: float
    tau_high: float
    pairs: int
    kept: int
    lost: int
    invented: int
    reversed: int
    effective_topics: float
    error: float = field(repr=False)  # the Monte Carlo error of the less certain limit of τ
    people_topics: int = field(repr=False)  # with people's scores, whether the judge has them too
    collection: str = field(default="", repr=False)  # `macro`: all of them; empty: there is one
    collections: int | None = field(default=None, repr=False)  # how many `macro` is over
    groups: int | None = field(default=None, repr=False)  # of topics with both judges, if any

    @property
    def decisions(self) -> int:
        """How many pairs of runs people tell apart."""
        return self.kept + self.lost + self.reversed


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRunRow:
    """The means of a run by two judges on the same topics, each with its t interval."""

    measure: str
    run: str
    mean: float
    low: float
    high: float
    judge_mean: float
    judge_low: float
    judge_high: float
    rank: int = 0  # by people, on the topics with both
    judge_rank: int = 0
    collection: str = ""  # `macro`: all of them; empty: there is one
