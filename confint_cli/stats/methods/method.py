"""What an interval method is, and what it returns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.records import Explained
from confint_cli.stats.flags import Doubt
from confint_cli.stats.sample import Sample


@dataclass(frozen=True)
class Limits:
    """The ends of intervals, [level, column], and the Monte Carlo standard error of each."""

    low: FloatArray
    high: FloatArray
    low_error: FloatArray
    high_error: FloatArray

    @classmethod
    def beside(cls, several: Sequence["Limits"]) -> "Limits":
        """Return the limits of all columns of several."""
        return cls(*map(np.hstack, zip(*(one.parts for one in several), strict=True)))

    def columns(self, here: slice | Positions) -> "Limits":
        """Return the limits of some of the columns."""
        return Limits(*(part[:, here] for part in self.parts))

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """All four arrays."""
        return self.low, self.high, self.low_error, self.high_error


Ends = tuple[FloatArray, FloatArray]  # of the low and of the high limits, [level, column]
EndsFunction = Callable[[Sample, FloatArray], Ends]  # of a sample and levels


@dataclass(frozen=True)
class Method(Explained):
    """An interval method, with all that `confint methods NAME` shows of it."""

    interval: EndsFunction  # → the limits
    error: EndsFunction | None = None  # → their Monte Carlo standard errors; None: they have none
    resamples: bool = False  # whether it needs a bootstrap …
    studentized: bool = False  # … and the standard error of every resample
    quantiles: bool = True  # whether its limits are quantiles of the resamples
    accepts: Callable[[FloatArray], BoolArray] | None = None  # which of the scores lie in it
    constant_is_point: bool = True  # whether scores that are all equal give [m, m]
    immune: Doubt = Doubt.NONE  # what makes other methods cover too seldom, but not this one
    population: bool = False  # whether it needs the population, which only a simulation has

    def refuses(self, scores: FloatArray) -> BoolArray | None:
        """Return which scores lie outside its domain, or None if all are fine."""
        if self.accepts is None:
            return None
        refused = ~self.accepts(scores)
        return refused if refused.any() else None
