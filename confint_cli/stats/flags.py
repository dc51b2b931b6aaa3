"""What there is to know before trusting an interval, in a few words."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import gammaln

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, TextArray
from confint_cli.stats.methods.method import MOSTLY_ONE_VALUE, MOSTLY_ZEROS, SKEWED, Limits
from confint_cli.stats.sample import Sample

FEW_TOPICS = 10
SHAPE_TOPICS = 30  # that show what the scores of a run are like
_LIKELY = 0.01


@dataclass(frozen=True)
class Doubts:
    """Why not to trust intervals of the columns of a sample."""

    topics: int
    varies: BoolArray
    zeros: BoolArray  # so many that a sample of nothing else is likely enough …
    one_value: BoolArray  # … or so many scores of another value
    skewed: BoolArray  # too much for a t interval of so many topics

    @classmethod
    def about(cls, sample: Sample) -> "Doubts":
        """Return those about a sample."""
        zeros, one_value = mostly_one_value(sample, sample.topics)
        skew = skewed(sample.skewness, sample.topics)
        return cls(sample.topics, ~sample.constant, zeros, one_value, skew)

    def notes(self, immune: Collection[str] = (), unbounded: BoolArray | None = None) -> TextArray:
        """Return a note for each column; with `unbounded` limits, for each level and column.

        Some methods are immune to some of what there is to doubt.
        """
        none = np.zeros_like(self.varies)
        unbounded = none if unbounded is None else unbounded
        if self.topics == 1:
            return np.full(unbounded.shape, "one topic", dtype=object)  # says enough by itself
        flags = (
            self.varies,
            none if MOSTLY_ZEROS in immune else self.zeros,
            none if MOSTLY_ONE_VALUE in immune else self.one_value,
            none if SKEWED in immune else self.skewed,
        )
        kinds = [*product((False, True), repeat=len(flags) + 1)]
        known = [
            note_on(self.topics, varies=varies, zeros=zeros, one_value=one_value, skewed=skewed,
                    unbounded=without_limit)
            for varies, zeros, one_value, skewed, without_limit in kinds
        ]  # fmt: skip
        kind = np.zeros(unbounded.shape, dtype=np.intp)
        for flag in (*flags, unbounded):  # the binary digits of the kind's place
            kind = 2 * kind + flag
        notes: TextArray = np.array(known, dtype=object)[kind]
        return notes


def mostly_one_value(
    sample: Sample, size: int, *, replacement: bool = True
) -> tuple[BoolArray, BoolArray]:
    """Say in which columns a sample of so many topics is likely enough to have one value only.

    The first part of the answer are columns in which that value is 0, the second the others. It is
    a value that most topics have: of three topics, any sample of one alone is likely.
    """
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


def _median(sample: Sample) -> tuple[FloatArray, Positions]:
    """Return the median of each column, and how many topics have it, but for the last bits.

    A value that more than half of the topics have is the median.
    """
    columns = sample.scores.shape[1]
    values, numbers = np.empty(columns), np.empty(columns, dtype=np.intp)
    for here in sample.blocks():
        scores = sample.scores[:, here]
        middle = np.partition(scores, sample.topics // 2, axis=0)[sample.topics // 2]
        values[here] = middle
        numbers[here] = (np.abs(scores - middle) <= sample.rounding[here]).sum(axis=0)
    return values, numbers


def skewed(skewness: FloatArray, topics: int) -> BoolArray:
    """Say which columns are too skewed for a t interval of so many topics.

    Cochran's rule: of more than 25 skewness² topics, no more than 6% of 95% intervals miss. Of
    fewer topics than show a shape, the skewness says nothing: docs/reproduction.md has figures.
    """
    found: BoolArray = (topics >= SHAPE_TOPICS) & (25 * skewness**2 > topics)
    return found


def note_on(
    topics: int,
    *,
    varies: bool,
    zeros: bool = False,
    one_value: bool = False,
    skewed: bool = False,
    unbounded: bool = False,
) -> str:
    """Return the note on an interval from two topics or more."""
    words = {
        "few topics": topics < FEW_TOPICS,
        "no variance": not varies,
        MOSTLY_ZEROS: zeros and varies,
        MOSTLY_ONE_VALUE: one_value and varies,
        SKEWED: skewed and not (zeros or one_value),  # which say more
        "unbounded": unbounded,
    }
    return ", ".join(word for word, applies in words.items() if applies)


def notes_on(doubts: Doubts, limits: Limits, immune: Collection[str] = ()) -> TextArray:
    """Return a note for each level and column."""
    return doubts.notes(immune, np.isinf(limits.low) | np.isinf(limits.high))


def about_differences(notes: TextArray, identical: BoolArray) -> TextArray:
    """Return notes in the words of comparisons: a difference of zero is a tie."""
    said = [[note.replace(MOSTLY_ZEROS, "mostly ties") for note in level] for level in notes]
    return np.where(identical, "identical", np.array(said, dtype=object)).astype(object)
