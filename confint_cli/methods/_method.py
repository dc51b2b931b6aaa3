"""What an interval method is, what it gets and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.arrays import BoolArray, FloatArray
from confint_cli.methods._bootstrap import Bootstrap


@dataclass(frozen=True)
class Sample:
    """Scores of columns (runs by measures) on the same topics; of one topic there is no sd."""

    scores: FloatArray  # [topic, column]
    bootstrap: Bootstrap | None = None  # of these columns, for the methods that need it

    @property
    def topics(self) -> int:
        """The number n of topics."""
        return len(self.scores)

    @cached_property
    def mean(self) -> FloatArray:
        """The mean m of each column; where all scores are equal, it is exactly theirs."""
        first = self.scores[0]
        mean: FloatArray = first + (self.scores - first).mean(axis=0)
        return mean

    @cached_property
    def deviations(self) -> FloatArray:
        """The differences x - m."""
        return self.scores - self.mean

    @cached_property
    def sd(self) -> FloatArray:
        """The standard deviation s, with n-1."""
        squares = (self.deviations**2).sum(axis=0)
        sd: FloatArray = (
            np.sqrt(squares / (self.topics - 1)) if self.topics > 1 else squares * np.nan
        )
        return sd

    @property
    def se(self) -> FloatArray:
        """The standard error s/√n."""
        se: FloatArray = self.sd / np.sqrt(self.topics)
        return se

    @cached_property
    def constant(self) -> BoolArray:
        """Which columns have no variance: all scores equal, but for the last bits."""
        spread = np.ptp(self.scores, axis=0)
        equal: BoolArray = spread <= 8 * np.finfo(float).eps * np.abs(self.scores).max(axis=0)
        return equal

    @property
    def resampled(self) -> Bootstrap:
        """The bootstrap, for a method that has asked for it."""
        assert self.bootstrap is not None, "the method's record says what it needs"
        return self.bootstrap


@dataclass(frozen=True)
class Limits:
    """The ends of intervals, [level, column], and the Monte Carlo standard error of each."""

    low: FloatArray
    high: FloatArray
    low_error: FloatArray
    high_error: FloatArray

    @classmethod
    def exact(cls, low: FloatArray, high: FloatArray) -> "Limits":
        """Return limits that no random number had a part in."""
        return cls(low, high, np.zeros_like(low), np.zeros_like(high))

    def columns(self, here: slice) -> "Limits":
        """Return the limits of some of the columns."""
        return Limits(*(part[:, here] for part in self.parts))

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """All four arrays."""
        return self.low, self.high, self.low_error, self.high_error


Interval = Callable[[Sample, FloatArray], Limits]


@dataclass(frozen=True)
class Method:
    """An interval method, with all that `confint methods NAME` shows of it."""

    summary: str
    formula: str
    explanation: str
    reference: str
    interval: Interval  # (sample, levels) → limits
    resamples: bool = False  # whether it needs a bootstrap …
    studentized: bool = False  # … and the standard error of every resample
    domain: str = ""  # in words, which scores it is for; "": all
    accepts: Callable[[FloatArray], BoolArray] | None = None  # which of the scores lie in it
    constant_is_point: bool = True  # whether scores that are all equal give [m, m]

    def refuses(self, scores: FloatArray) -> BoolArray | None:
        """Return which scores lie outside its domain, or None if all are fine."""
        if self.accepts is None:
            return None
        refused = ~self.accepts(scores)
        return refused if refused.any() else None

    def full_text(self, name: str) -> str:
        """Return all there is to say about it."""
        lines = [f"{name}: {self.summary}", "", f"  formula    {self.formula}"]
        if self.domain:
            lines.append(f"  for        {self.domain} only")
        lines += [f"  reference  {self.reference}", "", self.explanation, ""]
        return "\n".join(lines)
