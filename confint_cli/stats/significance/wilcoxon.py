"""Wilcoxon's signed-rank test."""

import numpy as np
from scipy.special import ndtr

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.progress import Progress
from confint_cli.common.ties import places
from confint_cli.stats.pairs import Paired
from confint_cli.stats.random import Drawing
from confint_cli.stats.significance.test import SignificanceTest

# Up to this many topics that differ, all ways of signs are counted. 2^50 ways are few enough for a
# float to count every one, and a byte can hold twice the rank of each topic.
_EXACT = 50


def _p(paired: Paired, _drawing: Drawing, progress: Progress) -> FloatArray:
    """Return the p-values, [pair]: exact for few topics that differ, else by the normal one."""
    doubled = _doubled_ranks(paired)
    plus = np.where(paired.differences > 0, doubled, 0.0).sum(axis=0)
    total = doubled.sum(axis=0)
    # The variance of the sum of ranks under random signs, from the ranks as they are: with ties it
    # is Wilcoxon's with the correction for ties.
    sd = np.sqrt((doubled**2).sum(axis=0)) / 2
    p: FloatArray = 2 * ndtr(-np.abs(plus - total / 2) / np.where(sd > 0, sd, 1.0))
    few = np.count_nonzero(doubled, axis=0) <= _EXACT
    if few.any():
        smaller = np.minimum(plus, total - plus)[few].astype(np.intp)
        p[few] = _exact(doubled[:, few], smaller, progress)
    return p


def _doubled_ranks(paired: Paired) -> FloatArray:
    """Return twice the rank of each |d| among those of its pair, [topic, pair]; 0 for a d of 0.

    Equal |d| share their mean rank; twice that is a whole number.
    """
    sizes = np.abs(paired.differences.T)
    first, last = places(sizes, paired.rounding)
    zero = sizes == 0
    doubled = np.where(zero, 0.0, first + last - 2.0 * zero.sum(axis=1, keepdims=True))
    return doubled.T


def _exact(doubled: FloatArray, smaller: Positions, progress: Progress) -> FloatArray:
    """Return p of each pair from all signs of its ranks, doubled[topic, pair].

    `smaller` [pair] is the smaller of two sums: of the ranks with a plus, and of those with a
    minus. Pairs that have the same ranks share their distribution: without ties, all pairs that
    differ on the same number of topics.
    """
    ranks = np.zeros((len(smaller), _EXACT), dtype=np.uint8)
    in_order = np.sort(doubled.T, axis=1)[:, -_EXACT:]  # zeros come first, and need no place
    ranks[:, _EXACT - in_order.shape[1] :] = in_order
    _, same, shared_by = np.unique(
        ranks.view(f"V{_EXACT}").reshape(-1), return_inverse=True, return_counts=True
    )
    p = np.empty(len(smaller))
    groups = np.split(np.argsort(same, kind="stable"), np.cumsum(shared_by)[:-1])
    for done, pairs in enumerate(groups):
        progress(done, len(groups))
        own = ranks[pairs[0]]
        own, sums = own[own > 0], smaller[pairs]
        p[pairs] = 2 * _ways(own.tolist(), int(sums.max()))[sums] / 2.0 ** len(own)
    progress(len(groups), len(groups))
    return np.minimum(p, 1.0)  # sums up to half of the total come in more than half of the ways


def _ways(ranks: list[int], most: int) -> FloatArray:
    """Return how many ways of signs give a sum of the ranks with a plus of at most 0, 1, … `most`.

    The ways grow rank by rank, in ascending order: with a plus a rank adds to every sum that those
    before it have, with a minus it does not. No rank above `most` has a plus in any of them.
    """
    ways = np.zeros(most + 1)
    ways[0] = 1.0
    end = 1  # all sums that there are so far are below it
    for rank in ranks:
        if rank > most:
            break
        grown = min(end + rank, most + 1)
        ways[rank:grown] += ways[: grown - rank].copy()
        end = grown
    return np.cumsum(ways)


TEST = SignificanceTest(
    summary="Wilcoxon's signed-rank test: uses only the ranks of the differences",
    formula="the sum of the ranks of |d| where d > 0; topics with d = 0 are left out",
    explanation="""\
Asks whether the differences are about as large in favour of one run as in favour of the other. It
uses only the ranks of the differences, so a few topics with large differences do not decide. It
does not ask about means: a run with the better mean can be the worse run in this test.

Whether to prefer it is disputed (docs/choosing.md):

- Parapar et al. (2020), with simulated rankings, find that it has more power than the t test, and a
  good level.
- Urbano et al. (2019), with simulated scores, prefer the t test.
- Smucker et al. (2007) advise against it, as it disagrees with other tests.

Where means are equal and differences skewed, the more topics there are, the more often it finds a
difference: for real runs, at the 5% level, in 13% of samples of 100 topics with AP, nDCG or Q, and
in 36% with reciprocal rank. In its own terms, that is not an error.

In the formula, d is the difference of the two runs on a topic. If up to 50 topics differ, p is
exact, with or without ties: the test counts all signs that the ranks may have. If more differ, it
uses the normal approximation with the correction for ties. With few differing topics, the
approximation would err: if five of 50 topics differ, all in favour of the same run, p is 0.0625,
not 0.043. Differences that are equal except for rounding, such as 0.3 - 0.1 and 0.4 - 0.2, are
ties.""",
    reference="Wilcoxon (1945); Smucker, Allan and Carterette, CIKM (2007); Urbano, Lima and "
    "Hanjalic, SIGIR (2019); Parapar et al., JASIST 71(1) (2020)",
    words="Wilcoxon test",
    also=("signed-rank",),
    of_means=False,
    slow=True,
    p=_p,
    least=lambda topics, _number: 2.0 ** (1 - topics),
)
