"""Bayesian and classical comparisons of the best 20 runs of NTCIR-7 IR4QA, as in Sakai (2017)."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import foldnorm

from confint_cli.common.arrays import FloatArray
from confint_cli.common.measures import canonical
from confint_cli.stats.comparison import (
    Moments,
    paired_differences,
    t_limits,
    unpaired_differences,
    welch_limits,
)
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.posterior import known_of_moments, known_of_pairs, posterior_of
from confint_cli.stats.random import Drawing
from confint_cli.stats.sample import Sample
from tests.reproduction.load import collection

RUNS = 20
LEVEL = 0.95
MEASURE = "Q_1000"


@dataclass(frozen=True)
class Both:
    """What both ways say of every pair: p of the worse run, limits, Glass's Δ by the worse run."""

    classical: dict[str, FloatArray]
    bayesian: dict[str, FloatArray]
    absolute: FloatArray  # what Glass's Δ would be if absolute values were averaged

    def agreement(self, name: str) -> tuple[float, float]:
        """Return the correlation and the largest difference of two columns of figures."""
        classical, bayesian = self.classical[name], self.bayesian[name]
        correlation = float(np.corrcoef(classical, bayesian)[0, 1])
        return correlation, float(np.abs(classical - bayesian).max())


@cache
def best_runs() -> FloatArray:
    """The scores of the best runs, best first."""
    (matrix,) = (one for one in collection("ntcir7.ir4qa")
                 if canonical(one.measure) == canonical(MEASURE))  # fmt: skip
    best: FloatArray = matrix.best_first().values[:, :RUNS]
    return best


def both(*, paired: bool, draws: int = 100_000) -> Both:
    """Compare all pairs, the better run by its mean with the worse."""
    values = best_runs()
    pairs = Pairs.all(values.shape[1])
    if paired:
        on_same_topics = Paired(values, pairs)
        found = paired_differences(on_same_topics)
        known = known_of_pairs(values, pairs, found)
        low, high = t_limits(on_same_topics, (LEVEL,))
    else:
        sample = Sample(values)
        topics = np.full(values.shape[1], len(values))
        moments = Moments(topics, sample.mean, sample.sd)
        found = unpaired_differences(moments, pairs)
        known = known_of_moments(found)
        low, high = welch_limits(found, (LEVEL,))
    rows, absolute = [], []
    for one in known:
        posterior = posterior_of(one, Drawing(draws, 0))
        difference, glass = (posterior.quantities[name]
                             for name in ("difference", "glass_baseline"))  # fmt: skip
        rows.append((1 - difference.above(0), *difference.limits(LEVEL)[:2], glass.eap))
        sd, _ = glass.sd_and_error()
        absolute.append(foldnorm.mean(abs(glass.eap) / sd, scale=sd))
    names = ("p", "low", "high", "glass")
    return Both(
        dict(zip(names, (found.p_above(0.0), low[0], high[0], found.glass_delta), strict=True)),
        dict(zip(names, np.array(rows).T, strict=True)),
        np.array(absolute),
    )  # fmt: skip
