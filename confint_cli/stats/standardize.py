"""Standardised scores: by how many standard deviations a score is above the mean of reference runs.

Mean and standard deviation are of the reference runs' scores on the same topic. So all topics count
alike; and whoever has these means and standard deviations can put other runs on the same scale
(Webber, Moffat and Zobel 2008; Park 2010).
"""

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.stats.random import choose, derived, generator
from confint_cli.stats.sample import equal_but_for_rounding


def means_and_sds(reference: FloatArray) -> tuple[FloatArray, FloatArray]:
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


def means_and_sds_in_any_order(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the sd of each topic over all runs of values[topic, run].

    They are the same to the last bit in whatever order the runs come.
    """
    return means_and_sds(np.sort(values, axis=1).T)


def z_scores(values: FloatArray, mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return (x - mean)/sd of values[topic, run]; NaN on topics whose sd is 0.

    `mean` and `sd` are of the reference runs, [topic].
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(sd[:, None] > 0, (values - mean[:, None]) / sd[:, None], np.nan)


def have_all_measures(values: FloatArray) -> BoolArray:
    """Return which runs have a score by every measure, [run], of values[topic, run, measure]."""
    has = any_along(~np.isnan(values), 0)
    return ~any_along(~has, 1)


def have_lost_all(raw: FloatArray, z: FloatArray) -> BoolArray:
    """Return which runs have raw scores, but no standardised one, [run]; both are [topic, run]."""
    return any_along(~np.isnan(raw), 0) & ~any_along(~np.isnan(z), 0)


def drawn_references(runs: int, number: int, seed: int) -> Positions:
    """Return the places of `number` different runs among `runs`, drawn at random, ascending."""
    places: Positions = choose(generator(derived(seed, "reference")), 1, runs, number)[0]
    return places
