"""Scores of a topic as so many standard deviations above the mean of reference runs."""

from dataclasses import replace

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.scores import Matrix


def factors(reference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the sd (with n-1) of each topic over reference[..., run, topic].

    The sd is 0 where the runs do not differ: such a topic has no standardised score.
    """
    spread = reference.max(axis=-2) - reference.min(axis=-2)
    alike = spread <= 8 * np.finfo(float).eps * np.abs(reference).max(axis=-2)
    sd = np.where(alike, 0.0, reference.std(axis=-2, ddof=1))
    return reference.mean(axis=-2), sd


def standardized(matrix: Matrix) -> tuple[Matrix, int]:
    """Return the scores standardised over all runs, and how many topics had to be left out."""
    mean, sd = factors(matrix.values.T)
    differ = sd > 0
    values = (matrix.values[differ] - mean[differ, None]) / sd[differ, None]
    topics = tuple(topic for topic, here in zip(matrix.topics, differ, strict=True) if here)
    return replace(matrix, topics=topics, values=values), int(np.sum(~differ))
