"""Values in order, or only as much of it as quantiles far out need."""

from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import AnyFloatArray, FloatArray, Positions


@dataclass
class Ordered:
    """Rows of values; `depth` of the lowest and of the highest of each are in their places."""

    values: AnyFloatArray  # [column, resample]
    depth: int

    @classmethod
    def whole(cls, values: AnyFloatArray) -> "Ordered":
        """Sort the rows, in place."""
        values.sort(axis=1)
        return cls(values, values.shape[1])

    @classmethod
    def tails(cls, values: AnyFloatArray, depth: int) -> "Ordered":
        """Sort both ends of the rows, in place, and leave what is between them as it is.

        That takes less than half as long. One place at a time is much faster to part by than two.
        """
        number = values.shape[1]
        if 3 * depth > number:
            return cls.whole(values)
        values.partition(depth, axis=1)
        values[:, :depth].sort(axis=1)
        values[:, depth:].partition(number - 2 * depth, axis=1)
        values[:, number - depth :].sort(axis=1)
        return cls(values, depth)

    @property
    def number(self) -> int:
        """How many values a row has."""
        number: int = self.values.shape[1]
        return number

    def at(self, place: Positions) -> FloatArray:
        """Return the values at places [level, column], of which the first is 1.

        One column of places is for all columns of values.
        """
        deep = ((place > self.depth) & (place <= self.number - self.depth)).any(axis=0)
        if deep.any():
            deep = np.broadcast_to(deep, len(self.values))
            self.values[deep] = np.sort(self.values[deep], axis=1)
        if place.shape[1] == 1:
            picked = self.values[:, place[:, 0] - 1].T
        else:
            picked = self.values[np.arange(len(self.values)), place - 1]
        return picked.astype(np.float64)
