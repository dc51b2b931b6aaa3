"""The kinds of arrays that functions take and return."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Positions = NDArray[np.intp]
TextArray = NDArray[np.object_]
