"""The paired randomisation test."""

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.flipping import by_flips, flipped_differences
from confint_cli.pairs import Drawing, Paired
from confint_cli.progress import Progress
from confint_cli.resampling import Flips
from confint_cli.significance._test import SignificanceTest


def _p(paired: Paired, drawing: Drawing, progress: Progress) -> FloatArray:
    """Return (1 + hits)/(1 + B) of each pair."""
    p = np.empty(len(paired.pairs))
    for places, found in by_flips(_p_by_flips, paired, drawing, progress):
        p[places] = found
    return p


def _p_by_flips(paired: Paired, flips: Flips, progress: Progress) -> FloatArray:
    reached = paired.reached
    hits = np.zeros(len(reached), dtype=np.intp)
    for _, places, sums in flipped_differences(paired, paired.whole, flips, progress):
        np.abs(sums, out=sums)
        hits[places] += np.count_nonzero(sums >= reached[places, None], axis=1)
    p: FloatArray = (1 + hits) / (1 + flips.number)
    return p


def _least(topics: int, number: int) -> float:
    """Return the smallest p there can be: all signs turned are as good as none."""
    return max(2.0 ** (1 - topics), 1 / (1 + number))


TEST = SignificanceTest(
    summary="randomisation test: signs of the differences flipped at random",
    formula="p = (1 + hits)/(1 + B); a hit is a flip with |mean| no smaller than observed",
    explanation="""\
If two runs are equally good, each topic's scores might as well have been the other way round. Flips
the signs of the differences at random, B times (--resamples), and counts how often the mean is as
far from 0 as the one observed. It assumes no distribution, and is never 0. Where there are no more
than B ways to flip (13 topics at 10,000), it takes all of them, and the p-value is exact. All pairs
share the flips. Smucker et al. (2007) recommend it for retrieval.""",
    reference="Fisher (1935); Smucker, Allan and Carterette, CIKM (2007)",
    words="randomisation test",
    p=_p,
    least=_least,
    draws=True,
)
