"""How probable each value of something unknown is, as a curve to be drawn."""

import math
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.posterior import Quantity

_POINTS = 161
_DRAWS = 4000  # are as smooth as all of them: each is a normal distribution, not a point
_KERNEL = 0.2  # standard deviations, of draws that are points: no bumps, and hardly wider
_REACH = 0.9995  # of the probability is under the curve
_NEXT_TO_ONE = 1 - 1e-12


@dataclass(frozen=True)
class Density:
    """A curve of a density: its height at some values."""

    at: FloatArray
    height: FloatArray

    @property
    def finite(self) -> bool:
        """Whether it can be drawn."""
        return bool(np.isfinite(self.height).all() and self.height.max() > 0)


def density_of(quantity: Quantity) -> Density:
    """Return the density of a quantity of the posterior.

    A difference is normal about its centre, given the variances: the density is the mean of these
    normal ones over draws. Draws of a correlation are points; their density is a kernel estimate of
    Fisher's z, so that nothing spills beyond -1 and 1.
    """
    low, high, _ = quantity.limits(_REACH)
    at = np.linspace(low, high, _POINTS)
    weight = quantity.weight
    if quantity.spread is not None:
        centre = np.broadcast_to(quantity.centre, quantity.spread.shape)[:_DRAWS]
        share = weight[:_DRAWS] / weight[:_DRAWS].sum()
        return Density(at, _mixed(at, centre, quantity.spread[:_DRAWS], share))
    z = np.arctanh(quantity.centre.clip(-_NEXT_TO_ONE, _NEXT_TO_ONE))
    mean = float((weight * z).sum())
    sd = math.sqrt(float((weight * (z - mean) ** 2).sum()))
    width = np.full(len(z), _KERNEL * sd)
    inside = at.clip(-_NEXT_TO_ONE, _NEXT_TO_ONE)
    return Density(at, _mixed(np.arctanh(inside), z, width, weight) / (1 - inside**2))


def _mixed(
    at: FloatArray, centre: FloatArray, spread: FloatArray, weight: FloatArray
) -> FloatArray:
    """Return the density of a weighted mixture of normal distributions."""
    heights = np.empty(len(at))
    with np.errstate(over="ignore", invalid="ignore"):  # of scores so tiny that nobody has them
        for place, x in enumerate(at):
            off = (x - centre) / spread
            heights[place] = np.sum(np.exp(-(off**2) / 2) * weight / spread)
    return heights / math.sqrt(2 * math.pi)
