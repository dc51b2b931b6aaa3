"""The paired randomisation test."""

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.pairs import Drawing, Paired
from confint_cli.progress import Progress
from confint_cli.resampling import Flips
from confint_cli.significance._test import SignificanceTest


def _p(paired: Paired, drawing: Drawing, progress: Progress) -> FloatArray:
    """Return (1 + hits)/(1 + B) of each pair; all pairs share the flips.

    The sum of the differences with flipped signs is the difference of the runs' sums with flipped
    signs: one matrix product for the runs, and a subtraction for each pair.
    """
    flips = Flips(paired.topics, drawing.number, drawing.seed)
    whole = paired.whole
    reached = paired.reached
    hits, done = np.zeros(len(reached), dtype=np.intp), 0
    grouped = list(paired.pairs.by_baseline())
    for signs in flips.signs():
        progress(done, flips.number)
        done += len(signs)
        sums = whole.T @ signs.T  # [run, flip]
        for baseline, runs, places in grouped:
            flipped = sums[runs]
            flipped -= sums[baseline]
            np.abs(flipped, out=flipped)
            hits[places] += np.count_nonzero(flipped >= reached[places, None], axis=1)
    progress(done, flips.number)
    p: FloatArray = (1 + hits) / (1 + flips.number)
    return p


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
    draws=True,
)
