"""Which pairs of runs resamples of the topics can tell something about.

Where nearly all differences of a pair are the same (0, as a rule), a resample may lack all topics
with others, and has no variance: it says nothing about how the difference varies.
"""

import numpy as np

from confint_cli.arrays import FloatArray, Positions
from confint_cli.pairs import Paired, Pairs, with_baseline
from confint_cli.resampled_t import OWN_SCALE

_UNSEEN = 0.1  # of α: how probable it may be that a resample of some pair has no variance


def differing_topics(values: FloatArray, pairs: Pairs) -> tuple[Positions, Positions]:
    """Return on how many topics the runs of each pair differ, and not by what is most common.

    Where no two topics have the same difference, none is common.
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
    starts = np.flatnonzero(new)  # of equal ones, which never go on into the next row
    lengths = np.diff(starts, append=new.size)
    first_of_row = np.searchsorted(starts, np.arange(0, new.size, paired.topics))
    most: Positions = np.maximum.reduceat(lengths, first_of_row)
    return most


def least_varying(varying: Positions, topics: int, level: float) -> int:
    """Return on how many topics the difference of pairs must not be the most common, to be kept.

    A resample that lacks all these topics has no variance. Over all pairs that are kept, that is
    improbable, or T* would be infinite in so many resamples that no pair had limits.
    """
    lacking = (1 - np.arange(topics + 1) / topics) ** topics
    number = np.bincount(varying, minlength=topics + 1)
    of_more = np.cumsum((number * lacking)[::-1])[::-1]
    enough = np.flatnonzero(of_more[1:] <= _UNSEEN * (1 - level) * (1 + 1e-9))
    return 1 + int(enough[0])  # pairs that vary on all topics lack them in no resample


def enough_topics(topics: int, level: float) -> bool:
    """Say whether resamples of one topic only, without variance, are rare: at 95%, from 5 on.

    Some few draws might show less of them, by luck.
    """
    return float(topics) ** (1 - topics) <= min(1 - OWN_SCALE, _UNSEEN * (1 - level))
