"""How many topics an interval or a test needs, and what a number of topics gives, by Student's t.

Scores, or differences of two runs' scores, are taken as normal with a known standard deviation s;
a t interval or t test of n topics then estimates it anew, so that t and not z decides. What is
known of s from a pilot is an estimate itself, for which there is an upper limit.
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import chdtri, gammaincc, stdtrit

from confint_cli.common.arrays import FloatArray
from confint_cli.common.ties import LAST_BITS
from confint_cli.scores.scores import Matrix
from confint_cli.scores.two_judges import FEWEST as FEWEST_JUDGED
from confint_cli.scores.two_judges import TwoJudges
from confint_cli.stats import noncentral
from confint_cli.stats.ppi import by_topic, centred, slopes_of
from confint_cli.stats.repeats import variances_of_repeats
from confint_cli.stats.sample import Sample

FEWEST = 2  # topics: of one there is no interval
MOST = 10**15  # topics: nobody asks about more, and floats can count them
CONFIDENCE = 0.8  # of the upper limit of a standard deviation, after Browne (1995)
_PRACTICAL, _TRIED = 10**9, 500  # the largest number that is tried, and how many are


def power_of_t(freedom: float, shift: float, level: float) -> float:
    """Return the power of a two-sided t test of a mean that is `shift` standard errors from 0.

    The standard error has these degrees of freedom.
    """
    critical = float(stdtrit(freedom, (1 + level) / 2))
    return min(
        1.0, _chance_above(freedom, critical, shift) + _chance_above(freedom, critical, -shift)
    )


def one_sided_power_of_t(freedom: float, shift: float, level: float) -> float:
    """Return the power of a one-sided t test of a mean that is `shift` standard errors above."""
    return _chance_above(freedom, float(stdtrit(freedom, level)), shift)


def _chance_above(freedom: float, critical: float, shift: float) -> float:
    """Return the probability of a noncentral t above a critical value."""
    of_minus_t = np.array([-critical]), np.array([float(freedom)]), np.array([-shift])
    return float(noncentral.below(*of_minus_t)[0])


def _least(is_enough: Callable[[float], bool]) -> float:
    """Return the least number above 0 that is enough, if all larger ones are too."""
    low, high = 0.0, 1.0
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


def _smallest(enough: Callable[[int], bool], fewest: int = FEWEST) -> int | None:
    """Return the smallest number of topics that is enough; None: not even `MOST` are.

    All numbers that are larger than one that is enough have to be enough too.
    """
    numbers = range(fewest, MOST + 1)
    place = bisect_left(numbers, True, key=enough)
    return numbers[place] if place < len(numbers) else None


def _first(enough: Callable[[int], bool], fewest: int) -> int | None:
    """Return the smallest number that is enough; None: none that was tried is.

    Larger ones need not be enough: numbers are tried that are a few percent apart, and before the
    first of these that is enough all are enough from some number on.
    """
    tried = np.unique(np.geomspace(fewest, _PRACTICAL, _TRIED).round().astype(np.int64)).tolist()
    for before, number in pairwise([fewest - 1, *tried]):
        if enough(number):
            between = range(before + 1, number + 1)
            return between[bisect_left(between, True, key=enough)]
    return None


class Spread(ABC):
    """How much the mean of a design varies with the number of its topics, groups or repeats."""

    @property
    def sd_of_scores(self) -> float:
        """The standard deviation of scores, or of differences; NaN: there is no single one."""
        return math.nan

    @property
    @abstractmethod
    def varies(self) -> bool:
        """Whether there is any variance."""

    @property
    @abstractmethod
    def fewest(self) -> int:
        """The least number that has an interval."""

    @abstractmethod
    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error of the mean of this many topics, and its degrees of freedom.

        Of groups, it is their number.
        """

    @abstractmethod
    def upper(self) -> "Spread":
        """Return the spread if variances are as large as their upper limit, as `sd_limit` has it.

        The degrees of freedom of the pilot are those of its standard error.
        """

    def attained(
        self, topics: int, level: float, power: float | None = None, *, one_sided: bool = False
    ) -> float:
        """Return what a number of topics gives: half the width of an interval, without a `power`.

        With a power, it is the smallest difference that a test finds or, if the test is
        `one_sided`, the smallest margin within which it shows non-inferiority.
        """
        if power is None:
            return self.half_width(topics, level)
        if one_sided:
            return self.margin_of(topics, level, power)
        return self.detectable(topics, level, power)

    def needed(
        self,
        target: float,
        level: float,
        power: float | None = None,
        *,
        one_sided: bool = False,
        assurance: float | None = None,
    ) -> int | None:
        """Return the smallest number of topics that gives a target, or None.

        What kind of target it is is decided as in `attained`; only a half-width has an `assurance`.
        """
        if power is None:
            return self.topics_for_half_width(target, level, assurance)
        if one_sided:
            return self.topics_for_margin(target, level, power)
        return self.topics_for_power(target, level, power)

    def scale_root_df(self, topics: int) -> tuple[float, float, float]:
        """Return two numbers whose ratio is the standard error, and its degrees of freedom.

        Plain topics have s and √n, so that last digits are those of the textbook formulas.
        """
        se, df = self.se_and_df(topics)
        return se, 1.0, df

    def half_width(self, topics: int, level: float) -> float:
        """Return half the width of the interval of this many topics, t(ν, 1-α/2)·se."""
        scale, root, df = self.scale_root_df(topics)
        return float(stdtrit(df, (1 + level) / 2)) * scale / root

    def chance_of_more(self, topics: int, target: float, level: float) -> float:
        """Return the probability that the interval of this many topics is wider than ±target.

        The width goes with the sample's s, of which νs²/σ² is χ².
        """
        _, df = self.se_and_df(topics)
        width = self.half_width(topics, level)
        allowed = target / width if width else math.inf
        return float(gammaincc(df / 2, df / 2 * (allowed * allowed)))

    def topics_for_half_width(
        self, target: float, level: float, assurance: float | None = None
    ) -> int | None:
        """Return the smallest number of topics whose interval is no wider than ±target, or None.

        That holds if the sample's standard deviation is that of the pilot; about every other sample
        has a larger one. With an `assurance`, of one half at least, it holds in that share of
        samples. For a smaller share it would not be true that all larger numbers are enough too:
        two topics can be nearly equal by chance, many cannot. None: more than `MOST` topics would
        be needed.
        """
        if assurance is None:
            return self.search(lambda topics: self.half_width(topics, level) <= target)
        return self.search(
            lambda topics: self.chance_of_more(topics, target, level) <= 1 - assurance
        )

    def search(self, is_enough: Callable[[int], bool]) -> int | None:
        """Return the smallest number of topics that is enough, or None; all larger ones are too."""
        return _smallest(is_enough, self.fewest)

    def power(self, topics: int, difference: float, level: float) -> float:
        """Return the probability that a two-sided t test of this many topics finds a difference.

        That is a tail of the noncentral t distribution at either end.
        """
        scale, root, df = self.scale_root_df(topics)
        return power_of_t(df, difference / scale * root, level)

    def topics_for_power(self, difference: float, level: float, target: float) -> int | None:
        """Return the smallest number of topics that find a difference with power `target`."""
        return self.search(lambda topics: self.power(topics, difference, level) >= target)

    def detectable(self, topics: int, level: float, target: float) -> float:
        """Return the smallest difference that this many topics find with power `target`."""
        scale, root, df = self.scale_root_df(topics)
        effect = _least(lambda effect: power_of_t(df, effect * root, level) >= target)
        return effect * scale

    def power_of_noninferiority(self, topics: int, margin: float, level: float) -> float:
        """Return the probability that equally good runs are shown not to differ by a margin.

        The t test is one-sided, at 1 - level.
        """
        scale, root, df = self.scale_root_df(topics)
        return one_sided_power_of_t(df, margin / scale * root, level)

    def topics_for_margin(self, margin: float, level: float, target: float) -> int | None:
        """Return the smallest number of topics that show non-inferiority with power `target`."""
        return self.search(
            lambda topics: self.power_of_noninferiority(topics, margin, level) >= target
        )

    def margin_of(self, topics: int, level: float, target: float) -> float:
        """Return the smallest margin within which this many topics show non-inferiority."""
        scale, root, df = self.scale_root_df(topics)
        effect = _least(lambda effect: one_sided_power_of_t(df, effect * root, level) >= target)
        return effect * scale


@dataclass(frozen=True)
class PlainSpread(Spread):
    """How much plain topics vary: s/√n with n-1 degrees of freedom."""

    sd: float
    topics: int  # of the pilot

    @property
    def sd_of_scores(self) -> float:
        """The standard deviation of scores, or of differences."""
        return self.sd

    @property
    def varies(self) -> bool:
        """Whether there is any variance."""
        return self.sd > 0

    @property
    def fewest(self) -> int:
        """The least number of topics."""
        return FEWEST

    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error of the mean of this many topics, and its degrees of freedom."""
        return self.sd / math.sqrt(topics), topics - 1

    def scale_root_df(self, topics: int) -> tuple[float, float, float]:
        """Return s, √n and n-1."""
        return self.sd, math.sqrt(topics), topics - 1

    def upper(self) -> "PlainSpread":
        """Return the spread if the standard deviation is as large as its upper limit."""
        return replace(self, sd=sd_limit(self.sd, self.topics))


def _limit(df: float) -> float:
    """Return by which factor a variance with these degrees of freedom is below its upper limit.

    It is ν/χ², as in `sd_limit`.
    """
    return df / float(chdtri(df, CONFIDENCE))


@dataclass(frozen=True)
class StrataSpread(Spread):
    """How much topics of several collections vary, and in which proportion there are any.

    Scores are weighted, so that the mean of all topics is the mean of the collections' means.
    """

    sds: tuple[float, ...]  # of each collection
    sizes: tuple[int, ...]  # topics of each in the pilot
    factor: float = 1.0  # by which standard deviations are larger

    @property
    def varies(self) -> bool:
        """Whether there is any variance."""
        return any(self.sds)

    @property
    def topics(self) -> int:
        """The number of all topics in the pilot."""
        return sum(self.sizes)

    @property
    def fewest(self) -> int:
        """The least number of topics, in this proportion, with two of each collection."""
        return math.ceil(2 * self.topics / min(self.sizes))

    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error of the mean of this many topics, and its degrees of freedom."""
        sizes = np.array(self.sizes) * topics / self.topics
        variances = sizes * (np.array(self.sds) * self.factor) ** 2 / topics**2
        total = float(variances.sum())
        shares = variances / total
        return math.sqrt(total), float(1 / (shares**2 / (sizes - 1)).sum())

    def upper(self) -> "StrataSpread":
        """Return the spread if variances are as large as their upper limit."""
        _, df = self.se_and_df(self.topics)
        return replace(self, factor=self.factor * math.sqrt(_limit(df)))


@dataclass(frozen=True)
class GroupSpread(Spread):
    """How much groups of topics vary: the number of groups grows, their sizes stay as they are."""

    variance: float  # of the mean of the pilot
    groups: int  # of the pilot
    df: float  # of the pilot
    within: float  # the part of the variance that topics within their groups have

    @property
    def varies(self) -> bool:
        """Whether there is any variance."""
        return self.variance > 0

    @property
    def fewest(self) -> int:
        """The least number of groups."""
        return FEWEST

    @property
    def group_share(self) -> float:
        """The share of the variance that longer groups would not remove; NaN without variance."""
        return max(0.0, 1 - self.within / self.variance) if self.varies else math.nan

    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error of the mean of this many groups, and its degrees of freedom."""
        return (
            math.sqrt(self.variance * self.groups / topics),
            self.df * (topics - 1) / (self.groups - 1),
        )

    def upper(self) -> "GroupSpread":
        """Return the spread if the variance is as large as its upper limit."""
        factor = _limit(self.df)
        return replace(self, variance=self.variance * factor, within=self.within * factor)


@dataclass(frozen=True)
class RepeatSpread(Spread):
    """How much topics and repeats of runs vary: σ²_T/n + σ²_R/S + σ²_E/(nS) of n topics."""

    of_topics: float  # σ²_T
    of_repeats: float  # σ²_R
    of_both: float  # σ²_E
    repeats: int  # S
    topics: int  # of the pilot
    systems: int = 1  # whose repeats vary: 2 of a difference, each with half of the variance

    @property
    def varies(self) -> bool:
        """Whether there is any variance."""
        return self.of_topics + self.of_repeats + self.of_both > 0

    @property
    def fewest(self) -> int:
        """The least number of topics."""
        return FEWEST

    @property
    def repeat_share(self) -> float:
        """The share of the variance that more topics would not remove; NaN without variance."""
        se, _ = self.se_and_df(self.topics) if self.varies else (0.0, 0.0)
        return self.of_repeats / self.repeats / se**2 if se else math.nan

    def with_repeats(self, number: int) -> "RepeatSpread":
        """Return the spread of this many repeats."""
        return replace(self, repeats=number)

    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error of the mean of this many topics, and its degrees of freedom."""
        both = self.of_both / (topics * self.repeats)
        own = self.of_topics / topics + both
        added = self.of_repeats / self.repeats
        parts = own**2 / (topics - 1)
        if added > 0 and self.repeats > 1:
            free = self.systems * (self.repeats - 1)
            parts += (added + both) ** 2 / free + both**2 / (free * (topics - 1))
        return math.sqrt(own + added), (own + added) ** 2 / parts if parts else topics - 1.0

    def upper(self) -> "RepeatSpread":
        """Return the spread if variances are as large as their upper limits, each by its own df."""
        of_topics = _limit(self.topics - 1)
        of_repeats = _limit(self.systems * (self.repeats - 1)) if self.repeats > 1 else 1.0
        return replace(
            self, of_topics=self.of_topics * of_topics, of_both=self.of_both * of_topics,
            of_repeats=self.of_repeats * of_repeats,
        )  # fmt: skip

    def repeats_for(self, is_enough: Callable[["RepeatSpread"], bool]) -> int | None:
        """Return the smallest number of repeats that is enough with today's topics, or None."""
        return _first(lambda number: is_enough(self.with_repeats(number)), FEWEST)

    def search(self, is_enough: Callable[[int], bool]) -> int | None:
        """Return the smallest number of topics that is enough, or None.

        More need not be better: with ever more topics, the few degrees of freedom of repeats are
        all that is left, and limits move apart again.
        """
        return _first(is_enough, self.fewest)


@dataclass(frozen=True)
class JudgeSpread(Spread):
    """How much the mean by people and a cheaper judge varies with the number of people's topics.

    The judge's topics stay as many as they are, unless people judge more. With the slope b, a
    variance s² of people's scores, and g = 2b·cov - b²·var of the judge's, of n of its T topics the
    variance of the mean is (s² - g)/n + g/T.
    """

    left: float  # s² - g: what the judge does not know
    gained: float  # g
    judge_topics: int  # T
    topics: int  # of the pilot
    lost: int  # degrees of freedom: 2 of a mean, whose slope is its own, 1 of a difference
    correlation: float  # of both judges

    @property
    def varies(self) -> bool:
        """Whether there is any variance."""
        return self.left + self.gained > 0

    @property
    def fewest(self) -> int:
        """The least number of people's topics."""
        return FEWEST_JUDGED

    @property
    def sd_of_scores(self) -> float:
        """The standard deviation of people's scores, or of their differences."""
        return math.sqrt(self.left + self.gained)

    @property
    def of_people(self) -> PlainSpread:
        """How much people's scores vary, without the judge."""
        return PlainSpread(self.sd_of_scores, self.topics)

    def se_and_df(self, topics: int) -> tuple[float, float]:
        """Return the standard error with this many topics by people, and its degrees of freedom."""
        variance = self.left / topics + self.gained / max(topics, self.judge_topics)
        return math.sqrt(variance), topics - self.lost

    def upper(self) -> "JudgeSpread":
        """Return the spread if variances are as large as their upper limit."""
        factor = _limit(self.topics - self.lost)
        return replace(self, left=self.left * factor, gained=self.gained * factor)


def spread_of_judges(two: TwoJudges, *, differences: bool) -> JudgeSpread:
    """Return how much means of a run, or differences of two, vary that both judges decide."""
    slopes = slopes_of(two.human, two.judge, common=differences)
    human, judge = two.human, two.judge
    factor = 1.0
    if differences:
        human, judge = by_topic(human), by_topic(judge)
        runs = len(two.runs)
        factor = 2 * runs / (runs - 1)
    h, f = centred(human), centred(judge)
    topics = human.number
    lost = 1 if differences and len(two.runs) > 2 else 2
    own = factor * float((h**2).sum(axis=0).mean()) / (topics - 1)
    left = factor * float(((h - slopes.slope * f) ** 2).sum(axis=0).mean()) / (topics - lost)
    if own <= (LAST_BITS * float(np.abs(two.human.values).max())) ** 2:
        own = left = 0.0
    return JudgeSpread(
        left,
        max(own - left, 0.0),
        two.topics,
        topics,
        lost,
        float(np.median(slopes.correlation)),
    )


def spread_of_topics(values: FloatArray, *, differences: bool) -> PlainSpread:
    """Return how much scores of a run, or differences of two, vary: values[topic, run]."""
    sd_of = sd_of_differences if differences else sd_of_runs
    return PlainSpread(sd_of(values), len(values))


def spread_of_strata(matrix: Matrix, *, differences: bool) -> StrataSpread:
    """Return how much scores of a run, or differences of two, vary in each collection."""
    strata = matrix.design.strata
    sd_of = sd_of_differences if differences else sd_of_runs
    parts = np.split(matrix.values, np.cumsum(strata)[:-1])
    return StrataSpread(tuple(sd_of(part) for part in parts), strata)


def _typical(values: FloatArray, *, differences: bool) -> tuple[FloatArray, float]:
    """Return columns whose mean variance, times a factor, is that of a run or of a difference.

    The mean over all pairs of the variance of differences is 2/(R-1) times the sum of those of the
    scores less the mean of all R runs.
    """
    runs = values.shape[1]
    if not differences:
        return values, 1.0
    return values - values.mean(axis=1, keepdims=True), 2 * runs / (runs - 1)


def spread_of_groups(matrix: Matrix, *, differences: bool) -> GroupSpread:
    """Return how much scores of a run, or differences of two, vary between and within groups."""
    groups, topics = matrix.groups, matrix.on_topics
    assert groups is not None
    columns, factor = _typical(matrix.values, differences=differences)
    sample = Sample(columns, design=matrix.design)
    variance = factor * float((sample.se**2).mean())
    on_topics, _ = _typical(topics.values, differences=differences)
    sizes = groups.sizes
    means = groups.sums(on_topics) / sizes[:, None]
    squares = ((on_topics - means[groups.codes]) ** 2).sum(axis=0) / (len(on_topics) - len(sizes))
    share = 1 / len(on_topics)
    if groups.equal:
        share = float((1 / sizes).sum()) / len(sizes) ** 2
    within = factor * float(squares.mean()) * share
    if variance <= (LAST_BITS * float(np.abs(topics.values).max())) ** 2:
        variance = within = 0.0
    return GroupSpread(variance, len(sizes), float(sample.df[0]), min(within, variance))


def spread_of_repeats(matrix: Matrix, *, differences: bool) -> RepeatSpread:
    """Return how much scores of a run, or differences of two, vary over topics and repeats.

    Runs without repeats vary over topics only.
    """
    repeats = matrix.repeats
    assert repeats is not None
    topics, factor = len(matrix.values), 2.0 if differences else 1.0
    between, within, numbers = variances_of_repeats(repeats, matrix.design)
    sd = sd_of_differences(matrix.values) if differences else sd_of_runs(matrix.values)
    return RepeatSpread(
        of_topics=max(0.0, sd**2 - factor * topics * float(within.mean())),
        of_repeats=factor * float((np.maximum(between - within, 0.0) * numbers).mean()),
        of_both=factor * topics * float((within * numbers).mean()),
        repeats=int(numbers[numbers > 1].min(initial=numbers.max())),
        topics=topics,
        systems=2 if differences else 1,
    )


def sd_of_runs(values: FloatArray) -> float:
    """Return the standard deviation over topics of a run's scores, values[topic, run].

    For several runs it is the root of their mean variance.
    """
    return _root_mean_square(Sample(values).sd)


def sd_of_differences(values: FloatArray) -> float:
    """Return the standard deviation over topics of the differences of two runs, values[topic, run].

    The variance is twice the residual mean square of the two-way analysis (topic and run). For two
    runs that is the variance of their differences, for several its mean over all pairs of runs.
    """
    topics, runs = values.shape
    sample = Sample(values)
    centred = sample.deviations  # [run, topic], less each run's mean
    residuals = centred - centred.mean(axis=0)
    unit = np.abs(residuals).max()  # squares of tiny numbers would be lost
    if unit <= LAST_BITS * sample.largest.max():
        return 0.0
    squares = float(((residuals / unit) ** 2).sum())
    return float(unit) * math.sqrt(2 * squares / ((topics - 1) * (runs - 1)))


def sd_limit(sd: float, topics: int) -> float:
    """Return the upper limit s√(ν/χ²) of a standard deviation s that was estimated from `topics`.

    χ² is its lower 20% point with ν = n-1 degrees of freedom, however many runs s is of: runs share
    their topics, and what is a hard topic for one is hard for most.
    """
    freedom = topics - 1
    return sd * math.sqrt(freedom / float(chdtri(freedom, CONFIDENCE)))


def _root_mean_square(values: FloatArray) -> float:
    unit = values.max() or 1.0
    return float(unit * np.sqrt(((values / unit) ** 2).mean()))
