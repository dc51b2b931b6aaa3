"""The record of an interval method, and the limits that it gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.records import Explained
from confint_cli.stats.flags import Doubt
from confint_cli.stats.sample import Sample

if TYPE_CHECKING:
    from confint_cli.stats.ideal.covering import Judged, Study


@dataclass(frozen=True)
class Limits:
    """The ends of intervals, [level, column], and the Monte Carlo standard error of each."""

    low: FloatArray
    high: FloatArray
    low_error: FloatArray
    high_error: FloatArray

    @classmethod
    def exact(cls, low: FloatArray, high: FloatArray) -> "Limits":
        """Return limits that come without random numbers, and so without an error of these."""
        zeros = np.zeros_like(low)
        return cls(low, high, zeros, zeros)

    @classmethod
    def beside(cls, blocks: Sequence["Limits"]) -> "Limits":
        """Return the limits of the columns of all blocks, one beside the other."""
        return cls(*map(np.hstack, zip(*(block.parts for block in blocks), strict=True)))

    def columns(self, chosen: slice | Positions) -> "Limits":
        """Return the limits of some of the columns."""
        return Limits(*(array[:, chosen] for array in self.parts))

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The arrays low, high, low_error and high_error."""
        return self.low, self.high, self.low_error, self.high_error


Ends = tuple[FloatArray, FloatArray]  # the low and the high limits, or errors, [level, column]
CoversFunction = Callable[["Study"], "Judged"]  # takes samples whose true mean is known
EndsFunction = Callable[[Sample, FloatArray], Ends]  # takes a sample and levels [level]


@dataclass(frozen=True)
class Method(Explained):
    """An interval method and its explanation; `domain` says in words which scores it is for."""

    interval: EndsFunction  # returns the limits
    error: EndsFunction | None = None  # returns their Monte Carlo standard errors; None: all are 0
    resamples: bool = False  # whether it needs a bootstrap
    studentized: bool = False  # whether it needs the standard error of every resample
    quantiles: bool = True  # whether its limits are quantiles of the resamples
    accepts: Callable[[FloatArray], BoolArray] | None = None  # which scores lie in the domain
    constant_is_point: bool = True  # whether scores that are all equal give [m, m]
    immune: Doubt = Doubt.NONE  # what makes other methods cover too seldom, but not this one
    covers: CoversFunction | None = None  # how to tell without limits, if it can be
    # The designs that it has been shown to cover in, as `scope.py` of studies names them.
    designs: frozenset[str] = frozenset()
    population: bool = False  # whether it needs the population, which only a simulation has

    def refuses(self, scores: FloatArray) -> BoolArray | None:
        """Return which scores lie outside the domain, or None if none does."""
        if self.accepts is None:
            return None
        refused = ~self.accepts(scores)
        return refused if refused.any() else None
