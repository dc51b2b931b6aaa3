"""The kinds of arrays that functions take and return."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
AnyFloatArray = NDArray[np.floating[Any]]  # of single precision too, where that is enough
BoolArray = NDArray[np.bool_]
Positions = NDArray[np.intp]
TextArray = NDArray[np.object_]
