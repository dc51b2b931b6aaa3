"""Tukey's honestly significant difference, randomised."""

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import Progress
from confint_cli.stats.pairs import Paired
from confint_cli.stats.random import Drawing, shuffled
from confint_cli.stats.significance.test import SignificanceTest


def _p(paired: Paired, drawing: Drawing, progress: Progress) -> FloatArray:
    """Return (1 + hits)/(1 + B) of each pair, [pair]; hits are counted among all runs there are."""
    # Which run had which score does not matter here, so the order of the runs must not either.
    ordered = np.sort(paired.whole, axis=1)
    largest, done = np.empty(drawing.number), 0
    for chunk in shuffled(ordered, drawing.number, drawing.seed):
        progress(done, drawing.number)
        sums = chunk.sum(axis=1)  # [permutation, run]
        largest[done : (done := done + len(sums))] = sums.max(axis=1) - sums.min(axis=1)
    progress(done, drawing.number)
    largest.sort()
    hits = len(largest) - np.searchsorted(largest, paired.reached)
    p: FloatArray = (1 + hits) / (1 + drawing.number)
    return p


TEST = SignificanceTest(
    summary="randomised Tukey HSD: tests whether all runs are exchangeable, all pairs at once",
    formula="p = (1 + hits)/(1 + B); a hit is a permutation with max - min of means ≥ |d̄|",
    explanation="""\
A test of all pairs of runs at once. It asks whether the runs are exchangeable, that is, whether the
scores of a topic might belong to any of them. The test permutes the runs' scores within every
topic, B times (--draws), and counts how often the largest difference of any two means is at least
as large as the observed difference of a pair. All runs of the call count, even with --baseline, and
p is not corrected. With two runs, it is the randomisation test.

Prefer --correct max-t, and --simultaneous for intervals, with --strict where rare topics may decide
(docs/levels.md). tukey tests whether runs are exchangeable, not whether their means are equal, so
it also finds runs different that vary more than others. With two runs of standard deviation 0.2
among eight of 0.02, and all means equal, 19% of families have a pair with p < 0.05, not 5%.
--correct max-t and --simultaneous allow for that.

In the formula, max - min is the largest difference of any two means after a permutation, and d̄ the
observed mean difference of a pair.""",
    reference="Carterette, ACM TOIS 30(1) (2012); Sakai, Laboratory Experiments in Information "
    "Retrieval (2018)",
    words="randomised Tukey HSD test",
    also=("tukey-hsd", "hsd"),
    of_two_runs="randomisation test",
    p=_p,
    least=lambda _topics, number: 1 / (1 + number),
    draws=True,
    simultaneous=True,
    caution="tukey tests whether runs are exchangeable, not only whether means are equal; prefer "
    "--correct max-t, with --strict where rare topics may decide",
)
