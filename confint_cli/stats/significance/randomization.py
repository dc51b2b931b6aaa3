"""The paired randomisation test."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.progress import Progress, parts_of
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Flips
from confint_cli.stats.significance.test import SignificanceTest

_SUMS = 1 << 17  # sums of differences that are held at a time: 1 MB


def flipped_differences(
    paired: Paired, scores: FloatArray, flips: Flips, progress: Progress
) -> Iterator[tuple[slice, Positions, FloatArray]]:
    """Yield a slice of flips, the places of some pairs, and these pairs' sums, [pair, flip].

    The sum of differences with flipped signs is the difference of two runs' sums with flipped
    signs: one matrix product for the runs, scores[topic, run] in whole numbers, and a subtraction
    for each pair. All pairs share the flips. The caller may change the sums in place.
    """
    grouped = list(paired.pairs.by_baseline())
    done = 0
    for signs in flips.signs():
        progress(done, flips.number)
        some_flips = slice(done, done := done + len(signs))
        sums = scores.T @ signs.T  # [run, flip]
        for baseline, runs, places in grouped:
            differences = sums[runs]
            differences -= sums[baseline]
            yield some_flips, places, differences
    progress(done, flips.number)


def _p(paired: Paired, drawing: Drawing, progress: Progress) -> FloatArray:
    """Return the p-values, [pair]: the share of hits of all ways to flip, or (1 + hits)/(1 + B).

    Workers that get a share of the pairs each draw the same flips.
    """
    flips = Flips(paired.topics, drawing.number, drawing.seed)
    workers = drawing.workers
    places, shares = zip(*paired.divided(workers.shares), strict=True)
    p = np.empty(len(paired.pairs))
    by_share = workers.compute(_flipping, (flips,), shares, progress)
    for own_places, own_p in zip(places, by_share, strict=True):
        p[own_places] = own_p
    return p


def _flipping(flips: Flips) -> Callable[[Paired, Progress], FloatArray]:
    return lambda paired, progress: _p_by_flips(paired, flips, progress)


def _p_by_flips(paired: Paired, flips: Flips, progress: Progress) -> FloatArray:
    """Return p by the random flips, or by all ways to flip where these are no more, [pair].

    Where two runs have the same score, flipping changes nothing: only topics on which they differ
    count.
    """
    differing = np.count_nonzero(paired.differences, axis=0)
    few = differing < (1 + flips.number).bit_length()  # 2^k ways, one of which was observed
    p = np.empty(len(few))
    steps = parts_of(progress, int(few.any()) + int((~few).any()))
    for chosen, compute_p in ((few, _p_of_all_ways), (~few, _p_of_random_ways)):
        if chosen.any():
            pairs = Pairs(paired.pairs.run[chosen], paired.pairs.baseline[chosen])
            p[chosen] = compute_p(paired.among(pairs), flips, next(steps))
    return p


def _p_of_random_ways(paired: Paired, flips: Flips, progress: Progress) -> FloatArray:
    """Return (1 + hits)/(1 + B) of the random flips, [pair]."""
    reached = paired.reached
    hits = np.zeros(len(reached), dtype=np.intp)
    for _, places, sums in flipped_differences(paired, paired.whole, flips, progress):
        np.abs(sums, out=sums)
        hits[places] += np.count_nonzero(sums >= reached[places, None], axis=1)
    p: FloatArray = (1 + hits) / (1 + flips.number)
    return p


def _p_of_all_ways(paired: Paired, _flips: Flips, progress: Progress) -> FloatArray:
    """Return the share of hits of all ways to flip, [pair]."""
    p = np.ones(len(paired.pairs))  # stays 1 for runs that differ nowhere
    done = 0
    for places, steps in _by_topics_that_differ(paired):
        # All signs turned are as good as none: the last topic keeps its sign.
        first, last = steps[:, :-1], steps[:, -1]
        rows = max(1, _SUMS >> first.shape[1])
        for start in range(0, len(places), rows):
            progress(done, len(p))
            block = slice(start, start + rows)
            reached = np.abs(steps[block].sum(axis=1)) - paired.slack
            p[places[block]] = _share_of_hits(first[block], last[block], reached)
            done += len(places[block])
    progress(len(p), len(p))
    return p


def _by_topics_that_differ(paired: Paired) -> Iterator[tuple[Positions, FloatArray]]:
    """Yield the pairs in groups that differ on the same number of topics.

    A group is the places of its pairs, and by how many steps they differ, [pair, differing topic].
    Sums of whole steps are exact, so that equal means never differ in their last bits.
    """
    differ = (paired.differences != 0).T
    number = differ.sum(axis=1)
    for topics in np.unique(number[number > 0]).tolist():
        places = np.flatnonzero(number == topics)
        run, baseline = paired.pairs.run[places], paired.pairs.baseline[places]
        steps = (paired.whole[:, run] - paired.whole[:, baseline]).T
        yield places, steps[differ[places]].reshape(len(places), topics)


def _share_of_hits(steps: FloatArray, fixed: FloatArray, reached: FloatArray) -> FloatArray:
    """Return the share of all ways to flip steps[pair, topic] whose sum is a hit, [pair].

    A sum is a hit if it is at least `reached` [pair] from 0. To every sum of a pair, `fixed` [pair]
    is added. All sums of the first topics are made once, and the signs of the others are gone
    through one by one, so that there are never too many sums at a time.
    """
    at_once = _SUMS.bit_length() - 1
    sums = fixed[:, None]
    for topic in steps.T[:at_once, :, None]:
        sums = np.concatenate([sums + topic, sums - topic], axis=1)
    others = steps[:, at_once:]
    hits = np.zeros(len(fixed))
    for signs in itertools.product((1.0, -1.0), repeat=others.shape[1]):
        moved = np.abs(sums + (others @ np.array(signs))[:, None])
        hits += np.count_nonzero(moved >= reached[:, None], axis=1)
    share: FloatArray = hits / 2.0 ** steps.shape[1]
    return share


def _least(topics: int, number: int) -> float:
    """Return the smallest p that there can be with this number of topics and of draws.

    Of all 2^n ways to flip, two are as far from 0 as can be: no sign turned, and all of them. Fewer
    draws than ways may miss both by luck; that is not to be counted on.
    """
    return max(2.0 ** (1 - topics), 1 / (1 + number))


TEST = SignificanceTest(
    summary="randomisation test: signs of the differences flipped at random",
    formula="p = (1 + hits)/(1 + B); a hit is a flip with |mean| no smaller than observed; of all "
    "2^k flips, hits/2^k",
    explanation="""\
A test of the mean difference of two runs that does not assume normal differences. If two runs are
equally good, each topic's two scores might as well have been the other way round. So the test flips
the signs of the differences at random, B times (--draws), and counts how often the mean is at least
as far from 0 as the observed mean.

The test assumes that differences are symmetric about 0 when the runs are equal. If they are skewed,
equal means are not enough. On differences of real runs with equal means, it finds a difference at
the 5% level in 4.5% to 6.1% of samples of 10 to 100 topics, depending on the kind of measure, but
in 8.1% of samples of 10 topics with reciprocal rank; 5% would be right (docs/choosing.md). With 50
topics, its p-values are nearly those of the t test (Smucker et al. 2007).

In the formula, k is the number of topics on which the two runs differ: only these have signs to
flip, in 2^k ways. If there are no more than B ways (with 10,000 draws, up to 13 such topics), the
test takes all of them, and p is exact. All other pairs of runs share the same random flips. p is
never 0.""",
    reference="Fisher (1935); Smucker, Allan and Carterette, CIKM (2007)",
    words="randomisation test",
    designs=frozenset({"collections", "groups"}),
    also=("randomisation", "permutation", "sign-flip", "signflip"),
    p=_p,
    least=_least,
    draws=True,
)
