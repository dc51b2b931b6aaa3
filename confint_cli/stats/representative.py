"""Are the topics that people judged like the others? By what a cheaper judge scores on both."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from confint_cli.scores.two_judges import Rows, TwoJudges
from confint_cli.stats.ppi import Units, centred, means_of, variance_of_mean


@dataclass(frozen=True)
class Apart:
    """How far two kinds of topics are apart, by the judge's mean over runs."""

    sds: float  # the difference of their means, in standard deviations of topics
    p: float  # of Welch's t test


def apart(two: TwoJudges) -> Apart | None:
    """Return how far topics with both judges are from those of the cheaper judge alone.

    Of several collections, it is the mean of their differences; groups of topics count as a whole.
    None: there are no others, or one of them alone, or all scores are equal.
    """
    if not two.others.number:
        return None
    kinds = [_topic_means(rows) for rows in (two.judge, two.others)]
    number = len(kinds[0].strata)
    fewest = min(float(Units.of(rows).numbers(number).min()) for rows in kinds)
    squares = sum(float((centred(rows) ** 2).sum()) for rows in kinds)
    if fewest < 2 or squares <= 0:
        return None
    free = sum(rows.number for rows in kinds) - 2 * number
    sd = math.sqrt(squares / free)
    difference = float((means_of(kinds[0]) - means_of(kinds[1])).mean())
    variances = [variance_of_mean(rows)[:, 0] / number**2 for rows in kinds]
    freedom = [Units.of(rows).numbers(number) - 1 for rows in kinds]
    variance = float(np.sum(variances))
    if variance <= 0:
        return None
    df = variance**2 / float(np.sum([own**2 / free for own, free in zip(variances, freedom,
                                                                       strict=True)]))  # fmt: skip
    p = 2 * float(stdtr(df, -abs(difference) / math.sqrt(variance)))
    return Apart(difference / sd, p)


def _topic_means(rows: Rows) -> Rows:
    """Return the mean over runs on each topic, as scores of one run."""
    return replace(rows, values=rows.values.mean(axis=1, keepdims=True))
