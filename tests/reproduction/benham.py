"""Limits of URisk⁻ on 50 and on 249 topics of TREC 2004 Robust, as in Benham et al. (2019).

The paper resampled 100,000 and 500,000 times; here the bootstrap is the ideal one.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.scores.scores import Scores
from confint_cli.stats.coverage import Simulation, tallies
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.risk import weighted
from confint_cli.studies.risk import risk_summary
from confint_cli.studies.rows import RiskSummaryRow
from tests.reproduction.load import robust2004

BASELINE = "sys62"  # NLPR04OKapi: the paper's own BM25 run was not submitted
TOP = 0.75
RS = (1, 2, 5, 10)
LEVELS = (0.95, 0.999)
METHODS = ("t", "percentile", "basic", "bootstrap-t", "bca")
EVERY = 5


@cache
def summary(
    first: int | None = None, resamples: int | None = None, rs: tuple[int, ...] = RS
) -> tuple[RiskSummaryRow, ...]:
    """Return the summary on all topics, or on every fifth from the first, second, … on."""
    matrix = robust2004()
    here = slice(first, None, EVERY) if first is not None else slice(None)
    values, topics = matrix.values[here, :, None], matrix.topics[here]
    scores = Scores(values, topics, matrix.runs, (matrix.measure,), np.zeros(values.shape, bool))
    estimation = Estimation(METHODS, LEVELS, resamples)
    return tuple(risk_summary(scores, (BASELINE,), tuple(map(float, rs)), estimation, TOP).rows)


def of(rows: tuple[RiskSummaryRow, ...], r: float, level: float) -> dict[str, RiskSummaryRow]:
    """Return the rows of one r and level, by method."""
    return {row.method: row for row in rows if (row.r, row.level) == (r, level)}


def farthest(rows: tuple[RiskSummaryRow, ...], r: float, level: float) -> RiskSummaryRow:
    """Return the method whose limits are the farthest from t's."""
    return max(of(rows, r, level).values(), key=lambda row: row.farthest)


def coverage(
    replicates: int = 1000, resamples: int | None = None
) -> Iterator[tuple[int, int, FloatArray]]:
    """Yield r, the topics in a sample, and how often each method covers, over the best runs.

    Samples are drawn with replacement from all topics, whose mean is the truth.
    """
    matrix = robust2004().best_first()
    baseline = matrix.runs.index(BASELINE)
    others = [place for place in range(len(matrix.runs)) if place != baseline]
    best = others[: -(-len(others) * 3 // 4)]
    differences = matrix.values[:, best] - matrix.values[:, [baseline]]
    how = Estimation(METHODS, LEVELS[:1], resamples)
    for r in RS:
        one = replace(matrix.ordered(best), values=weighted(differences, r))
        found = tallies([one], [METHODS], how, Simulation(replicates, (50, 249)))
        for (_, size), tally in found.items():
            covered = np.einsum("rmml->rml", tally.covered)[:, :, 0]
            yield r, size, covered.mean(axis=0) / replicates
