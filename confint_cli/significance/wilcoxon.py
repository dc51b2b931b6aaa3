"""Wilcoxon's signed-rank test."""

import numpy as np
from scipy.special import ndtr

from confint_cli.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.pairs import Drawing, Paired
from confint_cli.progress import Progress
from confint_cli.significance._test import SignificanceTest
from confint_cli.ties import places

_EXACT = 50  # topics up to which the exact distribution is used if no two ranks are tied …
_EXACT_WITH_TIES = 13  # … and if some are


def _p(paired: Paired, _drawing: Drawing, _progress: Progress) -> FloatArray:
    doubled, tied = _doubled_ranks(paired)
    plus = np.where(paired.differences > 0, doubled, 0.0).sum(axis=0)
    total = doubled.sum(axis=0)
    # The variance of the sum of ranks under random signs, from the ranks as they are: with ties it
    # is Wilcoxon's with the correction for ties.
    sd = np.sqrt((doubled**2).sum(axis=0)) / 2
    p: FloatArray = 2 * ndtr(-np.abs(plus - total / 2) / np.where(sd > 0, sd, 1.0))
    smaller = np.minimum(plus, total - plus).astype(np.intp)
    if paired.topics <= _EXACT:
        clean = ~(tied | any_along(doubled == 0, 0))
        p[clean] = _exact(np.arange(2, 2 * paired.topics + 1, 2), smaller[clean])
    if paired.topics <= _EXACT_WITH_TIES:
        for column in range(len(p)):
            p[column] = _exact(doubled[:, column].astype(np.intp), smaller[column])
    return p


def _doubled_ranks(paired: Paired) -> tuple[FloatArray, BoolArray]:
    """Return twice the rank of each |d| among those of its pair, [topic, pair], 0 for a d of 0.

    Equal ones share their mean rank, twice which is a whole number. Also returned is in which pairs
    there are any.
    """
    sizes = np.abs(paired.differences.T)
    first, last = places(sizes, paired.rounding)
    zero = sizes == 0
    doubled = np.where(zero, 0.0, first + last - 2.0 * zero.sum(axis=1, keepdims=True))
    return doubled.T, any_along((last > first) & ~zero, 1)


def _exact(doubled: Positions, smaller: Positions) -> FloatArray:
    """Return p from the distribution of the sum of the (doubled) ranks over all signs.

    The share of each sum grows rank by rank: with a plus a rank adds to it, with a minus it does
    not.
    """
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled:
        added = shares.copy()
        added[rank:] += shares[: len(shares) - rank]
        shares = added / 2
    p: FloatArray = np.minimum(1.0, 2 * np.cumsum(shares)[smaller])
    return p


TEST = SignificanceTest(
    summary="Wilcoxon's signed-rank test: by the ranks of the differences",
    formula="the sum of the ranks of |d| where d > 0; topics with d = 0 are left out",
    explanation="""\
Asks whether differences are about as large in favour of the one run as of the other, by their ranks
only, so that a few topics with large differences do not decide. That is not a question about means:
a run with the better mean may be the worse one here. As in scipy, exact for up to 50 topics
if no two |d| are equal and none is 0, and for up to 13 in any case; otherwise the normal
approximation with the correction for ties. Differences that are equal but for rounding, such as
0.3 - 0.1 and 0.4 - 0.2, are ties; scipy by itself does not see that. For retrieval the t and the
randomisation test are to be preferred (Smucker et al. 2007, Urbano et al. 2019).""",
    reference="Wilcoxon (1945); Urbano, Lima and Hanjalic, SIGIR (2019)",
    words="Wilcoxon test",
    of_means=False,
    p=_p,
    least=lambda topics, _number: 2.0 ** (1 - topics),
)
