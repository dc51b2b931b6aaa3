"""Scores of a topic as so many standard deviations above the mean of reference runs."""

from dataclasses import replace

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.methods._sample import equal_but_for_rounding
from confint_cli.scores import Matrix


def factors(reference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the sd (with n-1) of each topic over reference[..., run, topic].

    The sd is 0 where the runs do not differ: such a topic has no standardised score.
    """
    lowest, highest = reference.min(axis=-2), reference.max(axis=-2)
    spread = highest - lowest
    alike = equal_but_for_rounding(lowest, highest)
    unit = np.where(alike, 1.0, spread)  # squares of tiny scores would be 0
    mean = reference.mean(axis=-2)
    shares = reference - mean[..., None, :]
    shares /= unit[..., None, :]
    shares *= shares
    sd = unit * np.sqrt(shares.sum(axis=-2) / (reference.shape[-2] - 1))
    return mean, np.where(alike, 0.0, sd)


def standardized(matrix: Matrix) -> tuple[Matrix, int]:
    """Return the scores standardised over all runs, and how many topics had to be left out."""
    in_order = np.sort(matrix.values, axis=1)  # that of runs would show in the last bits
    mean, sd = factors(in_order.T)
    differ = sd > 0
    values = (matrix.values[differ] - mean[differ, None]) / sd[differ, None]
    topics = tuple(topic for topic, here in zip(matrix.topics, differ, strict=True) if here)
    filled = matrix.filled[differ]
    return replace(matrix, topics=topics, values=values, filled=filled), int(np.sum(~differ))
