"""The kinds of arrays that functions take and return."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
AnyFloatArray = NDArray[np.floating[Any]]  # of single precision too, where that is enough
Counts = NDArray[np.unsignedinteger[Any]] | FloatArray  # in any precision
BoolArray = NDArray[np.bool_]
Positions = NDArray[np.intp]
TextArray = NDArray[np.object_]


def any_along(flags: BoolArray, axis: int) -> BoolArray:
    """Return in which rows or columns any flag is set: `np.any`, known to return an array."""
    found: BoolArray = np.logical_or.reduce(flags, axis=axis)
    return found
