"""Ranks of numbers of which some are equal, or meant to be."""

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions

LAST_BITS = 8 * np.finfo(float).eps  # by which numbers that are meant to be equal may differ


def places(values: FloatArray, slack: FloatArray | float) -> tuple[Positions, Positions]:
    """Return the first and the last place, from 1, that each value may have in its row in order.

    Neighbours that are no farther apart than the slack (of each row) are equal, and share places.
    """
    number = values.shape[1]
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] - ordered[:, :-1] > np.reshape(slack, (-1, 1))
    place = np.arange(1, number + 1)
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    last = np.where(np.roll(new, -1, axis=1), place, number)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    found = np.empty((2, *values.shape), dtype=np.intp)
    for own, in_order in zip(found, (first, last), strict=True):
        np.put_along_axis(own, order, in_order, axis=1)
    return found[0], found[1]
