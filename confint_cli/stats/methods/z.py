"""The normal interval of a known standard deviation."""

import numpy as np
from scipy.special import ndtri

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.methods.method import Ends, Method
from confint_cli.stats.sample import Sample


def interval(sample: Sample, levels: FloatArray) -> Ends:
    """Return m ± Φ⁻¹(1-α/2)·σ/√n, where σ is that of the population."""
    half = np.multiply.outer(ndtri((1 + levels) / 2), sample.known_sd / np.sqrt(sample.topics))
    return sample.mean - half, sample.mean + half


METHOD = Method(
    summary="normal interval with a known standard deviation, for 'confint coverage' only",
    formula="m ± Φ⁻¹(1-α/2)·σ/√n, σ of the population, which divides by its size",
    explanation="""\
A yardstick for coverage studies, not an interval to report: it needs σ, the standard deviation of
the whole population of topics, which nobody knows. In a coverage study the population is at hand.

There z shows what would happen if the standard deviation did not have to be estimated. Compare it
with t to see why an interval fails: because means of so few topics are not normal yet, or because
the standard deviation s of a sample is a poor guess of σ. With five topics of average precision, z
misses 4.0% of the time where t misses 8.2% (Park 2010).

In the formula, m is the mean of n topic scores, and Φ⁻¹(1-α/2) the quantile of the normal
distribution: 1.96 for a 95% interval.""",
    reference="Park, Confidence intervals for information retrieval evaluation, ADCS (2010)",
    style=7,
    interval=interval,
    constant_is_point=False,
    population=True,
)
