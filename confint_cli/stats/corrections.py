"""P-values of many comparisons, corrected for their number: Holm, Bonferroni, false discoveries."""

from collections.abc import Callable

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions


def _holm(p: FloatArray) -> FloatArray:
    """Return Holm's (1979) p.

    The chance that any true hypothesis has p < α is α at most.
    """
    number = len(p)
    order: Positions = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(number, 0, -1))
    return _in_place(np.minimum(raised, 1.0), order)


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Return Benjamini and Hochberg's (1995) p, which bounds the share of false discoveries.

    Of the hypotheses with p < α, a share of α at most is true on average.
    """
    number = len(p)
    order: Positions = np.argsort(p, kind="stable")
    raised = p[order] * number / np.arange(1, number + 1)
    lowest_of_rest = np.minimum.accumulate(raised[::-1])[::-1]
    return _in_place(np.minimum(lowest_of_rest, 1.0), order)


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    """Return Benjamini and Yekutieli's (2001) p, which holds however tests depend on each other.

    Benjamini and Hochberg's is proven for tests that are independent or depend positively. Those of
    all pairs of runs need not: a - b and b - c have b in common, with opposite signs.
    """
    raised: FloatArray = np.minimum(_benjamini_hochberg(p) * _harmonic(len(p)), 1.0)
    return raised


def _harmonic(number: int) -> float:
    """Return 1 + 1/2 + … + 1/number."""
    return float((1 / np.arange(1, number + 1)).sum())


def _bonferroni(p: FloatArray) -> FloatArray:
    """Return Bonferroni's p, which promises what Holm's does and is never below it."""
    return np.minimum(p * len(p), 1.0)


def _in_place(ordered: FloatArray, order: Positions) -> FloatArray:
    """Return the ordered values at the places where they were before, which `order` has."""
    values = np.empty_like(ordered)
    values[order] = ordered
    return values


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _holm,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
    "bonferroni": _bonferroni,
}


def least_factor(correction: str, number: int) -> float:
    """Return the least factor by which a correction raises the smallest of `number` p-values.

    Holm and Bonferroni multiply it by the number of tests. The others do not where all p-values are
    as small as the smallest. Without a correction the factor is 1.
    """
    if correction == "by":
        return _harmonic(number)
    return float(number) if correction in ("holm", "bonferroni") else 1.0
