"""How often intervals that should hold for all pairs at once fail, on real collections."""

from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import BoolArray, FloatArray
from confint_cli.pairs import Paired, Pairs
from confint_cli.resampling import Drawing, Resamples, derived, generator
from confint_cli.simultaneous import limits

LEVEL = 0.95
DRAWS = 999
LAST_BITS = 1e-12


@dataclass(frozen=True)
class Failures:
    """Shares of samples in which at least one pair fails."""

    missed: float  # by confint: the truth is outside an interval
    plain: float  # the same with the plain recipe: resampled topics, and the sample's se
    wrong: float  # confint says that a run is better which is not


def failures(
    values: FloatArray, runs: int, samples: int, *, equal: bool, seed: int = 0
) -> Failures:
    """Draw samples of topics and runs from values[topic, run], as many topics as there are.

    If the runs are to be `equal`, the scores of each topic are dealt out to them at random.
    """
    random = generator(derived(seed, "simultaneous", runs, samples, int(equal)))
    topics, everyone = values.shape
    pairs = Pairs.all(runs)
    found = np.zeros(3)
    for sample in range(samples):
        chosen = random.permutation(everyone)[:runs]
        drawn = values[random.integers(topics, size=topics)]
        if equal:
            scores, truth = random.permuted(drawn, axis=1)[:, :runs], np.zeros(len(pairs))
        else:
            means = values.mean(axis=0)[chosen]
            scores, truth = drawn[:, chosen], means[pairs.run] - means[pairs.baseline]
        paired = Paired(scores, pairs)
        ends = limits(paired, (LEVEL,), Drawing(DRAWS, sample))
        low, high = ends.low[0] - LAST_BITS, ends.high[0] + LAST_BITS
        wrong = ((low > 0) & (truth <= LAST_BITS)) | ((high < 0) & (truth >= -LAST_BITS))
        missed = (truth < low) | (truth > high)
        found += [missed.any(), _plain_misses(paired, truth, sample).any(), wrong.any()]
    return Failures(*(found / samples))


def _plain_misses(paired: Paired, truth: FloatArray, seed: int) -> BoolArray:
    """Say which pairs miss if the critical value is the quantile of max |d* - d|/se."""
    sample = paired.sample
    varies = ~sample.constant
    deviations = sample.deviations[varies].T
    counts = np.vstack(list(Resamples(paired.topics, DRAWS, seed).counts()))
    largest = (np.abs(counts @ deviations / paired.topics) / sample.se[varies]).max(axis=1)
    critical = np.sort(largest)[round((DRAWS + 1) * LEVEL) - 1]
    missed: BoolArray = np.abs(sample.mean - truth) > critical * sample.se + LAST_BITS
    return missed
