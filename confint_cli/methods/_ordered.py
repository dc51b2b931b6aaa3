"""Values in order, or only as much of it as quantiles far out need."""

from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import AnyFloatArray, FloatArray, Positions


def put_in_order(values: AnyFloatArray, depth: int) -> None:
    """Sort so many values at either end of each row, in place; what is between stays as it is.

    That takes less than half as long as to sort all, which is done where little would be left. To
    part a row by one place at a time is much faster than by two.
    """
    number = values.shape[1]
    if 3 * depth > number:
        values.sort(axis=1)
        return
    values.partition(depth, axis=1)
    values[:, :depth].sort(axis=1)
    values[:, depth:].partition(number - 2 * depth, axis=1)
    values[:, number - depth :].sort(axis=1)


@dataclass(frozen=True)
class Ordered:
    """Rows of values that have been put in order to this depth."""

    values: AnyFloatArray  # [column, resample]
    depth: int

    @classmethod
    def sort(cls, values: AnyFloatArray, depth: int | None = None) -> "Ordered":
        """Put the rows in order, in place."""
        ordered = cls(values, values.shape[1] if depth is None else depth)
        put_in_order(values, ordered.depth)
        return ordered

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
