"""How many verdicts of `confint coverage` differ from those of the ideal limits of each sample.

docs/ideal.md has the table: the largest number over every tenth run of TREC-8, sizes and levels.
"""

from collections.abc import Iterator

import numpy as np

from confint_cli.common.parallel import ALONE
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.sample import Sample
from tests.reproduction.load import collection
from tests.reproduction.run import table
from tests.stats.ideal.longhand_covering import judged, places_of

METHODS = ("percentile", "basic", "bca", "bootstrap-t")
LEVELS = (0.9, 0.95, 0.99)
SIZES, SAMPLES, EVERY = (20, 50), 1000, 10
MEASURES = {"map": "average precision", "P10": "P10", "recip_rank": "reciprocal rank", "P30": "P30"}
NEAR = 1e-9  # of a limit that equals the truth, but for rounding


def differing(scores: np.ndarray, places: np.ndarray) -> dict[str, np.ndarray]:
    """Return how many verdicts on samples of scores[topic] differ, by method, [level].

    The samples are at places[sample, topic].
    """
    limits = estimate(
        Sample(scores[places].T), Estimation(METHODS, LEVELS, workers=ALONE)
    ).limits  # fmt: skip
    truth = float(scores.mean())
    found = {}
    for method in METHODS:
        quick = judged(scores, places, method, LEVELS)
        low, high = limits[method].low, limits[method].high
        outside = (truth < low - NEAR) | (truth > high + NEAR)
        found[method] = (outside != (quick.too_high | quick.too_low)).sum(axis=1)
    return found


def study() -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each measure with the largest number of verdicts that differ, by method."""
    by_measure = {matrix.measure: matrix for matrix in collection("trec8.adhoc")}
    for measure in MEASURES:
        matrix = by_measure[measure]
        most = dict.fromkeys(METHODS, 0)
        for column in range(0, matrix.values.shape[1], EVERY):
            scores = matrix.values[:, column]
            for size in SIZES:
                random = np.random.default_rng([column, size])
                numbers = differing(scores, places_of(random, len(scores), SAMPLES, size))
                most = {name: max(most[name], int(numbers[name].max())) for name in METHODS}
        yield measure, most


def verdicts() -> str:
    """Return the table."""
    rows = [[MEASURES[name], *map(str, most.values())] for name, most in study()]
    return table(["measure", *METHODS], rows)
