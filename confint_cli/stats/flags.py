"""Doubts about intervals, as flags: what there is to know before one trusts a number.

An array of doubts has an integer for each interval, the sum of the flags that apply to it; 0 is an
interval without doubts. Which words stand for a flag is for those to say who show it.
"""

from enum import IntFlag, auto

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.stats.sample import Sample

FEW_TOPICS = 10  # fewer make any interval doubtful
FEW_FREE = 5  # degrees of freedom: groups of topics with fewer are too few
FEW_REPEATS = 3  # fewer hardly show how much repeats differ
SHAPE_TOPICS = 30  # fewer do not show what the scores of a run are like
_LIKELY = 0.01

DoubtArray = NDArray[np.intp]  # sums of `Doubt`s


class Doubt(IntFlag):
    """A reason not to trust an interval, a test or a posterior."""

    NONE = 0
    ONE_TOPIC = auto()  # there is no interval, and no other doubt is worth a word
    FEW_TOPICS = auto()
    NO_VARIANCE = auto()  # all scores of the column are equal
    MOSTLY_ZEROS = auto()  # a sample of zeros only is likely enough
    MOSTLY_TIES = auto()  # the same of differences: a difference of zero is a tie
    MOSTLY_ONE_VALUE = auto()  # a sample of one value only, which is not zero, is likely enough
    SKEWED = auto()  # too skewed for a t interval of that many topics
    UNBOUNDED = auto()  # a limit is infinite, or there is none
    RESAMPLED = auto()  # no doubt, but to be known: the limits have an error of random numbers
    IDENTICAL = auto()  # both runs of a pair have the same scores; says all there is to say
    FEW_DIFFERENCES = auto()  # the runs of a pair differ on too few topics for max-T
    FEW_LOSSES = auto()  # a sample without a single loss is likely enough
    NO_LOSSES = auto()
    NO_WINS = auto()
    SAME_BUT_SCALED = auto()  # one run is the other, shifted or stretched: the correlation is 1
    MIRRORED = auto()  # one run is the other, turned round: the correlation is -1
    FEW_COLLECTIONS = auto()  # too few to show how much collections differ
    PARTLY_CONSTANT = auto()  # all scores of one of several collections are equal
    FEW_GROUPS = auto()  # groups of topics are too few, or too different in size
    ONE_REPEAT = auto()  # beside runs with repeats, one without: taken as deterministic
    FEW_REPEATS = auto()  # too few to show how much repeats differ
    JUDGE_CONSTANT = auto()  # a cheaper judge does not vary: people's scores alone
    NO_OTHER_TOPICS = auto()  # it has no topics but those of people: people's scores alone
    NO_GAIN = auto()  # it agrees too little with people to make an interval shorter
    BOUNDS_WIDE = auto()  # what documents may be that nobody judged leaves a mean open


def doubts_about(sample: Sample) -> DoubtArray:
    """Return the doubts about an interval of the mean of each column, [column].

    Topics of several collections are as few as the degrees of freedom say, or as the smallest of
    the collections has; groups of topics, as the degrees of freedom say. Degrees of freedom that
    count repeats too say nothing about topics.
    """
    zeros, one_value = mostly_one_value(sample, sample.topics)
    skew = skewed(sample.skewness, sample.topics)
    topics: int | FloatArray = sample.topics
    if sample.strata:
        topics = np.full(len(sample.mean), float(sample.fewest))
        if sample.fewest > 1 and sample.repeats is None:
            topics = np.minimum(sample.df + 1, topics)
    if sample.design.grouped and sample.fewest > 1:
        topics = FEW_TOPICS
    doubts = doubts_about_columns(
        topics, ~sample.constant, zeros=zeros, one_value=one_value, skewed=skew
    )
    if sample.design.grouped and sample.fewest > 1:
        doubts = with_doubt(doubts, Doubt.FEW_GROUPS, sample.df < FEW_FREE)
    if sample.repeats is not None and sample.fewest > 1:
        number = sample.repeats.fewest
        doubts = with_doubt(doubts, Doubt.ONE_REPEAT, number == 1)
        doubts = with_doubt(doubts, Doubt.FEW_REPEATS, (number > 1) & (number < FEW_REPEATS))
    if not sample.strata or sample.fewest == 1:
        return doubts
    partly = any_along(sample.constant_parts, 0) & ~sample.constant
    return with_doubt(doubts, Doubt.PARTLY_CONSTANT, partly)


def doubts_about_columns(
    topics: int | Positions | FloatArray,
    varies: BoolArray,
    *,
    zeros: BoolArray | bool = False,
    one_value: BoolArray | bool = False,
    skewed: BoolArray | bool = False,
) -> DoubtArray:
    """Return the doubts about columns of which this much is known, [column].

    `topics` is their number, for all columns or for each. `zeros` and `one_value` are as
    `mostly_one_value` returns them. Where they apply, they say more than `skewed` does, and it is
    left out.
    """
    applies = {
        Doubt.FEW_TOPICS: np.less(topics, FEW_TOPICS),
        Doubt.NO_VARIANCE: ~varies,
        Doubt.MOSTLY_ZEROS: varies & zeros,
        Doubt.MOSTLY_ONE_VALUE: varies & one_value,
        Doubt.SKEWED: np.logical_and(skewed, ~np.logical_or(zeros, one_value)),
    }
    doubts = np.zeros(varies.shape, dtype=np.intp)
    for doubt, where in applies.items():
        doubts = with_doubt(doubts, doubt, where)
    return np.where(np.equal(topics, 1), int(Doubt.ONE_TOPIC), doubts)


def with_doubt(doubts: DoubtArray, doubt: Doubt, where: BoolArray) -> DoubtArray:
    """Return the doubts with one more where it applies; the shapes are broadcast."""
    added: DoubtArray = doubts | np.where(where, int(doubt), 0)
    return added


def doubts_about_limits(
    doubts: DoubtArray, low: FloatArray, high: FloatArray, immune: Doubt = Doubt.NONE
) -> DoubtArray:
    """Return the doubts about intervals with these limits, [level, column].

    `doubts` [column] are those about the columns. The method is `immune` to some of them.
    """
    left = doubts & ~int(immune)
    return with_doubt(left, Doubt.UNBOUNDED, np.isinf(low) | np.isinf(high))


def doubts_about_differences(doubts: DoubtArray, identical: BoolArray) -> DoubtArray:
    """Return doubts about scores as doubts about differences, of the same shape.

    A difference of zero is a tie. Pairs of runs that are `identical` [pair] need no other doubt.
    """
    zeros = (doubts & int(Doubt.MOSTLY_ZEROS)) > 0
    others = doubts & ~int(Doubt.MOSTLY_ZEROS)
    return np.where(identical, int(Doubt.IDENTICAL), with_doubt(others, Doubt.MOSTLY_TIES, zeros))


def mostly_one_value(
    sample: Sample, size: int, *, replacement: bool = True
) -> tuple[BoolArray, BoolArray]:
    """Return of which columns a sample of `size` topics is likely enough to have one value only.

    The first array [column] says where this value is 0, the second where it is another. Only a
    value that most topics have counts: of three topics, a sample of any one of them is likely.
    """
    if sample.strata:
        return _mostly_one_value_each(sample)
    topics = sample.topics
    value, number = _median(sample)
    if replacement:
        chance = (number / topics) ** size
    else:  # C(number, size) / C(topics, size)
        enough = np.maximum(number, size)
        ways = gammaln(enough + 1) - gammaln(enough - size + 1)
        chance = np.exp(ways - gammaln(topics + 1) + gammaln(topics - size + 1))
        chance = np.where(number < size, 0.0, chance)
    likely = (chance > _LIKELY) & (2 * number > topics) & ~sample.constant
    zero = np.abs(value) <= sample.rounding
    return likely & zero, likely & ~zero


def _mostly_one_value_each(sample: Sample) -> tuple[BoolArray, BoolArray]:
    """Return the same of collections: likely to have one value only in each of them, all at once.

    Only values count that most topics of their collection have.
    """
    chance = np.ones(len(sample.mean))
    mostly, zero = np.ones((2, len(sample.mean)), dtype=bool)
    for rows in sample.slices:
        part = Sample(sample.row_means[rows], sizes=sample.largest)
        value, number = _median(part)
        chance *= (number / part.topics) ** part.topics
        mostly &= 2 * number > part.topics
        zero &= np.abs(value) <= part.rounding
    likely = (chance > _LIKELY) & mostly & ~sample.constant
    return likely & zero, likely & ~zero


def _median(sample: Sample) -> tuple[FloatArray, Positions]:
    """Return the median of each column, and how many topics have it, but for the last bits.

    A value that more than half of the topics have is the median.
    """
    columns = sample.scores.shape[1]
    values, numbers = np.empty(columns), np.empty(columns, dtype=np.intp)
    for block in sample.blocks():
        scores = sample.row_means[:, block]
        middle = np.partition(scores, sample.topics // 2, axis=0)[sample.topics // 2]
        values[block] = middle
        numbers[block] = (np.abs(scores - middle) <= sample.rounding[block]).sum(axis=0)
    return values, numbers


def skewed(skewness: FloatArray, topics: int) -> BoolArray:
    """Return which columns of this skewness are too skewed for a t interval of `topics` topics.

    Cochran's rule: with more than 25 skewness² topics, no more than 6% of 95% intervals miss. From
    fewer than `SHAPE_TOPICS` topics the skewness says nothing, and no column is called skewed.
    """
    too_skewed: BoolArray = (topics >= SHAPE_TOPICS) & (25 * skewness**2 > topics)
    return too_skewed
