"""A column of scores as the ideal bootstrap sees it: in order, with its distinct values."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions

NEARLY = 1 - 1e-11  # a share of a probability that is that probability but for rounding
AT_MEAN = 1e-12  # a share of no more is that of a score that is the mean on paper
_CLUSTER = 0.15  # standard deviations: how wide a cluster of scores may be
_SAME = 1e-12  # of the range of the scores: what differs by less is the same on paper


@dataclass(frozen=True)
class Column:
    """The scores of a column that are not all equal, less their mean, in ascending order."""

    shares: FloatArray  # [topic]: deviations from the mean in a unit
    unit: float  # of the shares
    values: FloatArray  # [value]: the distinct ones among them
    numbers: FloatArray  # [value]: how many topics have each
    mode: int  # the place among the shares of the first one with the most frequent value

    @classmethod
    def of(cls, shares: FloatArray, unit: float) -> "Column":
        """Return the column of these shares [topic], in ascending order, of a unit."""
        is_new = np.diff(shares, prepend=-np.inf) > _SAME * (shares[-1] - shares[0])
        first = np.flatnonzero(is_new)
        numbers = np.diff(first, append=len(shares)).astype(float)
        return cls(shares, unit, shares[first], numbers, int(first[numbers.argmax()]))

    @property
    def topics(self) -> int:
        """The number n of topics."""
        return len(self.shares)

    @cached_property
    def in_clusters(self) -> Positions:
        """How many topics are in each cluster of scores, [cluster]."""
        return np.diff(clusters(self.shares), append=self.topics)


def clusters(scores: FloatArray) -> Positions:
    """Return where each cluster of scores in ascending order [topic] begins, [cluster].

    A cluster has scores that differ by a small share of the standard deviation of all. To resamples
    that can be told apart, they are one score.
    """
    width = _CLUSTER * float(scores.std())
    first = [0]
    while first[-1] < len(scores):
        first.append(int(np.searchsorted(scores, scores[first[-1]] + width, "right")))
    return np.array(first[:-1])
