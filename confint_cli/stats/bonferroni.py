"""Intervals of many differences that hold for all at once by Bonferroni's bound on t intervals.

They are for differences of which nothing can be resampled, such as the means of six collections,
or of five training seeds.
"""

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.records import Explained
from confint_cli.stats.methods.method import Ends
from confint_cli.stats.methods.t import of_moments

EXPLAINED = Explained(
    summary="t intervals that hold for all differences at once, where nothing can be resampled",
    formula="d̄ ± t(ν, 1-α/2m)·se, for m differences, each with its own ν: K-1 of K collections",
    explanation="""\
Intervals of the differences between runs that hold for all m differences at once. confint uses them
instead of max-t where it has nothing to resample:

- for new collections (with six of them, max-t would have a critical value of 8.7 where 4.8 is
  enough)
- for new repeats of runs
- for groups of topics in several collections

There, 'confint compare --simultaneous' gives these intervals and p-values that agree with them, and
the rank sets of 'confint rank' come from them.

Each of the m intervals misses its difference with a probability of α/m, so the probability that any
of them misses is α at most, however alike the runs are. They never promise too much where t itself
does not, and they are wide where many runs are compared. In the formula, α is 1 - level, d̄ is a
mean difference and se its standard error, and ν are its degrees of freedom.

Where a few collections have far larger differences than the others, t itself errs, and so do these
intervals. In simulated families of six equal runs, 4% had an interval that excludes 0 where
differences between collections were normal, and 10% to 13% where they were very skewed
(docs/designs.md).""",
    reference="Bonferroni (1936); Dunn, Multiple comparisons among means, JASA 56 (1961)",
    style=11,
)


def limits(
    difference: FloatArray, se: FloatArray, df: FloatArray, levels: FloatArray, number: int
) -> Ends:
    """Return the limits of `number` differences at once, [level, pair] each.

    Where all differences of a pair are equal, they are the difference itself.
    """
    return of_moments(difference, se, df, 1 - (1 - levels) / number)


def told_apart(p: FloatArray, level: float, number: FloatArray | int) -> BoolArray:
    """Return which pairs with these p of t tests are told apart, for `number` pairs at once."""
    told: BoolArray = np.minimum(p * number, 1.0) <= 1 - level
    return told
