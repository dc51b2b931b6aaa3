"""Sums that are exact: of whole numbers of steps, not so many that a float cannot hold them.

Whatever the order in which a matrix product adds them up, on whatever machine and beside whatever
columns, such a sum is the same to the last bit.
"""

from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray


def steps_of_one(terms: int, kind: Any = np.float64) -> float:
    """Return how many steps up to 1 numbers are rounded to if so many are to be summed up."""
    digits = np.finfo(kind).nmant + 1
    return float(2.0 ** (digits - (terms - 1).bit_length()))


def power_of_two_above(values: FloatArray) -> FloatArray:
    """Return powers of two about as large as the values; 1 for zeros.

    To divide by one costs no digits.
    """
    power: FloatArray = np.exp2(np.ceil(np.log2(np.where(values > 0, values, 1.0))))
    return power
