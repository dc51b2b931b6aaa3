"""What there is to know before trusting an interval, in a few words."""

import numpy as np
from scipy.special import gammaln

from confint_cli.arrays import BoolArray, FloatArray, TextArray
from confint_cli.methods._method import Limits
from confint_cli.methods._sample import Sample

FEW_TOPICS = 10
SHAPE_TOPICS = 30  # that show what the scores of a run are like
_ZEROS_ARE_LIKELY = 0.01


def mostly_zeros(scores: FloatArray, size: int, *, replacement: bool = True) -> BoolArray:
    """Say in which columns a sample of so many topics is likely enough to have zeros only."""
    topics, zeros = len(scores), (scores == 0).sum(axis=0)
    if replacement:
        chance = (zeros / topics) ** size
    else:  # C(zeros, size) / C(topics, size)
        enough = np.maximum(zeros, size)
        ways = gammaln(enough + 1) - gammaln(enough - size + 1)
        chance = np.exp(ways - gammaln(topics + 1) + gammaln(topics - size + 1))
        chance = np.where(zeros < size, 0.0, chance)
    likely: BoolArray = chance > _ZEROS_ARE_LIKELY
    return likely


def skewed(skewness: FloatArray, topics: int) -> BoolArray:
    """Say which columns are too skewed for a t interval of so many topics.

    Cochran's rule: of more than 25 skewness² topics, no more than 6% of 95% intervals miss. Of
    fewer topics than show a shape, the skewness says nothing: docs/reproduction.md has figures.
    """
    found: BoolArray = (topics >= SHAPE_TOPICS) & (25 * skewness**2 > topics)
    return found


def note_on(topics: int, *, varies: bool, zeros: bool = False, unbounded: bool = False) -> str:
    """Return the note on an interval from two topics or more."""
    words = {
        "few topics": topics < FEW_TOPICS,
        "no variance": not varies,
        "mostly zeros": zeros and varies,
        "unbounded": unbounded,
    }
    return ", ".join(word for word, applies in words.items() if applies)


def notes_on(sample: Sample, limits: Limits) -> TextArray:
    """Return a note for each level and column; `one topic` says enough by itself."""
    if sample.topics == 1:
        return np.full(limits.low.shape, "one topic", dtype=object)
    zeros = mostly_zeros(sample.scores, sample.topics).tolist()
    varies = (~sample.constant).tolist()
    unbounded = (np.isinf(limits.low) | np.isinf(limits.high)).tolist()
    notes = [
        [
            note_on(sample.topics, varies=own_varies, zeros=own_zeros, unbounded=own_unbounded)
            for own_varies, own_zeros, own_unbounded in zip(varies, zeros, level, strict=True)
        ]
        for level in unbounded
    ]
    return np.array(notes, dtype=object)


def about_differences(notes: TextArray, identical: BoolArray) -> TextArray:
    """Return notes in the words of comparisons: a difference of zero is a tie."""
    said = [[note.replace("mostly zeros", "mostly ties") for note in level] for level in notes]
    return np.where(identical, "identical", np.array(said, dtype=object)).astype(object)
