"""Exact sums: terms are whole numbers of steps, so few that a float holds every sum of them.

So such a sum is the same to the last bit on any machine, in whatever order a matrix product adds
them up, and whatever other columns there are.
"""

from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray

_SMALLEST_EXPONENT = -1000  # of a power of two whose inverse is a float, and far from the last


def steps_of_one(terms: int, kind: Any = np.float64) -> float:
    """Return how many steps make up 1, a power of two, if sums of `terms` numbers are to be exact.

    The numbers are at most 1, rounded to such steps, in floats of the type `kind`.
    """
    digits = np.finfo(kind).nmant + 1
    return float(2.0 ** (digits - (terms - 1).bit_length()))


def power_of_two_above(values: FloatArray) -> FloatArray:
    """Return a power of two for each value, about as large or up to twice as large; 1 for zeros.

    To divide by a power of two costs no digits. It is larger beside numbers so small that nothing
    can be divided by them.
    """
    exponent = np.ceil(np.log2(np.where(values > 0, values, 1.0)))
    power: FloatArray = np.exp2(np.maximum(exponent, _SMALLEST_EXPONENT))
    return power
