"""P-values of a family of tests, raised so that the more tests there are the less each proves."""

from collections.abc import Callable

import numpy as np

from confint_cli.arrays import FloatArray, Positions


def _holm(p: FloatArray) -> FloatArray:
    """Return Holm's (1979) p: that any true hypothesis is rejected is as improbable as it says."""
    number = len(p)
    order: Positions = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(number, 0, -1))
    return _in_place(np.minimum(raised, 1.0), order)


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Return Benjamini and Hochberg's (1995) p: the share of false ones among those rejected."""
    number = len(p)
    order: Positions = np.argsort(p, kind="stable")
    raised = p[order] * number / np.arange(1, number + 1)
    lowest_of_rest = np.minimum.accumulate(raised[::-1])[::-1]
    return _in_place(np.minimum(lowest_of_rest, 1.0), order)


def _bonferroni(p: FloatArray) -> FloatArray:
    """Return Bonferroni's p, which promises what Holm's does and is never below it."""
    return np.minimum(p * len(p), 1.0)


def _in_place(ordered: FloatArray, order: Positions) -> FloatArray:
    values = np.empty_like(ordered)
    values[order] = ordered
    return values


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bh": _benjamini_hochberg,
    "bonferroni": _bonferroni,
}
NAMES = {  # in a sentence; max-t is no correction of p-values, but has its own
    "max-t": "max-t",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
}
# Those that multiply the smallest p by the number of tests. Benjamini and Hochberg's does not where
# all p are as small as can be.
RAISING_ALL = frozenset({"holm", "bonferroni"})
