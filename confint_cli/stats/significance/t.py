"""The paired t test."""

import numpy as np
from scipy.special import stdtr

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import Progress
from confint_cli.stats.pairs import Paired
from confint_cli.stats.random import Drawing
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance.test import SignificanceTest


def statistic(sample: Sample) -> FloatArray:
    """Return t = mean/se of each column of differences, [column].

    It is ±∞ where all differences are equal, and 0 where their mean is 0: differences that are
    equal in each of several collections may cancel but for the last bits.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = sample.mean / sample.se
    cancelled = (sample.se == 0) & (np.abs(sample.mean) <= sample.rounding)
    return np.where((sample.mean == 0) | cancelled, 0.0, t)


def two_sided(t: FloatArray, df: FloatArray | float) -> FloatArray:
    """Return the probability that |t| with `df` degrees of freedom is as large by chance."""
    p: FloatArray = 2 * stdtr(df, -np.abs(t))
    return p


def _p(paired: Paired, _drawing: Drawing, _progress: Progress) -> FloatArray:
    """Return the p-values of the paired t test, [pair]."""
    return two_sided(statistic(paired.sample), paired.sample.df)


TEST = SignificanceTest(
    summary="paired t test, the textbook one",
    formula="t = d̄/(s/√n), with n-1 degrees of freedom; d̄ and s of the differences",
    explanation="""\
The usual test of the mean difference of two runs. It asks how probable a mean difference at least
as far from 0 as the observed one would be if the runs were equally good. It agrees with the t
interval: p < 0.05 where the 95% interval excludes 0. It uses no random numbers.

The test was derived for normal differences, which real differences are not. On differences of real
runs with equal means, it finds a difference at the 5% level in 4.5% to 6.0% of samples of 10 to 100
topics, depending on the kind of measure; 5% would be right (docs/choosing.md). With simulated
scores, Urbano et al. (2019) find that it holds its level. With 50 topics, its p-values are nearly
those of the randomisation test (Smucker et al. 2007).

In the formula, d̄ is the mean of the differences of the two runs, topic by topic, s their standard
deviation, and n the number of topics.""",
    reference="Student (1908); Smucker, Allan and Carterette, CIKM (2007); Urbano, Lima and "
    "Hanjalic, SIGIR (2019)",
    words="paired t test",
    designs=frozenset({"collections", "groups", "repeats", "judge", "bounds"}),
    also=("t-test", "ttest", "student", "paired-t"),
    p=_p,
)
