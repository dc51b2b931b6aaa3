"""Ranks of numbers, some of which are equal or are meant to be."""

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions

LAST_BITS = 8 * np.finfo(float).eps  # how far equal numbers may differ, relative to their size


def places(values: FloatArray, slack: FloatArray | float) -> tuple[Positions, Positions]:
    """Return the first and the last rank in its row, from 1, of each of values[row, column].

    Both are [row, column]. The smallest value has rank 1. Neighbours in order that are no farther
    apart than the slack, one number or [row], are equal, and share their first and last ranks.
    """
    number = values.shape[1]
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    is_new = np.ones(values.shape, dtype=bool)
    is_new[:, 1:] = ordered[:, 1:] - ordered[:, :-1] > np.reshape(slack, (-1, 1))
    rank = np.arange(1, number + 1)
    first = np.maximum.accumulate(np.where(is_new, rank, 0), axis=1)
    last = np.where(np.roll(is_new, -1, axis=1), rank, number)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    first_and_last = np.empty((2, *values.shape), dtype=np.intp)
    for ranks, in_order in zip(first_and_last, (first, last), strict=True):
        np.put_along_axis(ranks, order, in_order, axis=1)
    return first_and_last[0], first_and_last[1]
