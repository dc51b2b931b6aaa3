"""Whether `confint describe` flags the runs whose t intervals cover too seldom.

By Cochran's rule a t interval needs more than 25 skewness² topics: 25 skewness²/n is to be below 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from confint_cli.stats.random import derived, generator
from confint_cli.stats.sample import Sample
from tests.reproduction.load import COLLECTIONS, METHODS, collection
from tests.reproduction.soboroff import Box

SIZES = (10, 20, 30, 50, 100)
EDGES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf)


@dataclass(frozen=True)
class Flagged:
    """Runs by a measure: how skewed they are for their topics, and coverage [run, method]."""

    ratio: np.ndarray  # 25 skewness²/n
    coverage: np.ndarray

    def between(self, low: float, high: float) -> np.ndarray:
        """Return the coverage of those that are so skewed."""
        found: np.ndarray = self.coverage[(self.ratio >= low) & (self.ratio < high)]
        return found


def flagged(boxes: Sequence[Box]) -> Flagged:
    """Return all runs and measures of all collections whose scores vary."""
    ratios, coverage = [], []
    for name in dict.fromkeys(box.collection for box in boxes):
        for matrix in collection(name):
            of_methods = {
                box.method: dict(zip(box.runs, box.ours, strict=True))
                for box in boxes
                if (box.collection, box.measure) == (name, matrix.measure)
            }
            runs = [run for run in matrix.runs if all(run in own for own in of_methods.values())]
            skew = Sample(matrix.values[:, [matrix.runs.index(run) for run in runs]]).skewness
            ratios.append(25 * skew**2 / len(matrix.topics))
            coverage.append([[of_methods[method][run] for method in METHODS] for run in runs])
    ratio, covered = np.concatenate(ratios), np.concatenate(coverage)
    there = ~np.isnan(ratio)
    return Flagged(ratio[there], covered[there])


def by_own_skewness(topics: int, samples: int = 1000) -> tuple[float, float, float]:
    """Return the share of samples that Cochran's rule flags, and how often t covers these, others.

    The rule goes by the skewness of the sample, as that is all that `describe` has. Samples of so
    many topics are drawn from every run of all collections, by the measure that comes first.
    """
    flags, covers = [], []
    for name in COLLECTIONS:
        matrix = collection(name)[0]
        for run, scores in zip(matrix.runs, matrix.values.T, strict=True):
            random = generator(derived(0, name, run, topics))
            sample = scores[random.integers(len(scores), size=(topics, samples))]
            mean, sd = sample.mean(axis=0), sample.std(axis=0, ddof=1)
            half = stdtrit(topics - 1, 0.975) * sd / np.sqrt(topics)
            there = sd > 0
            flags.append((25 * Sample(sample).skewness ** 2 > topics)[there])
            covers.append((np.abs(mean - scores.mean()) <= half)[there])
    by_rule, covered = np.concatenate(flags), np.concatenate(covers)
    return by_rule.mean(), covered[by_rule].mean(), covered[~by_rule].mean()
