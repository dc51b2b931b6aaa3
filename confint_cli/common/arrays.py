"""The kinds of arrays that functions take and return."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
AnyFloatArray = NDArray[np.floating[Any]]  # single precision too, where that is enough
ComplexArray = NDArray[np.complexfloating[Any, Any]]
Counts = NDArray[np.unsignedinteger[Any]] | FloatArray  # whole numbers, of any size in memory
BoolArray = NDArray[np.bool_]
Positions = NDArray[np.intp]  # indices into another array
TextArray = NDArray[np.object_]


def stretches(sizes: Sequence[int]) -> list[slice]:
    """Return the places of parts of these sizes, one behind the other."""
    ends = np.cumsum(sizes, dtype=int).tolist()
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def any_along(flags: BoolArray, axis: int) -> BoolArray:
    """Return where any flag is set along an axis: `np.any`, known to return an array."""
    is_any_set: BoolArray = np.logical_or.reduce(flags, axis=axis)
    return is_any_set
