"""Is a difference small enough not to matter? Non-inferiority and equivalence within a margin.

Each question is a one-sided t test, of a difference beyond -δ or beyond δ (Schuirmann 1987). A run
is equivalent if the 1-2α interval of the difference lies within (-δ, δ), and not inferior if its
lower limit exceeds -δ. A difference that is known between bounds only is taken by the bound that
speaks most against the claim.

Reference: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
"""

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from scipy.special import stdtr

from confint_cli.common.arrays import FloatArray
from confint_cli.common.ties import LAST_BITS
from confint_cli.stats.comparison import Differences
from confint_cli.stats.identified import Identified


class Verdict(Enum):
    """What is shown of a difference and a margin δ."""

    EQUIVALENT = auto()  # within (-δ, δ)
    SUPERIOR = auto()  # above δ
    INFERIOR = auto()  # below -δ
    NOT_INFERIOR = auto()  # above -δ, and nothing of δ
    UNDECIDED = auto()  # nothing of -δ


@dataclass(frozen=True)
class WithinMargin:
    """One-sided p-values of each pair and a margin δ, [pair]."""

    above_low: FloatArray  # of 'the difference exceeds -δ'
    below_low: FloatArray  # of 'the difference is less than -δ'
    above_high: FloatArray  # of 'the difference exceeds δ'
    below_high: FloatArray  # of 'the difference is less than δ'

    @property
    def noninferior(self) -> FloatArray:
        """The p-value of 'the run is not worse by δ or more'."""
        return self.above_low

    @property
    def equivalent(self) -> FloatArray:
        """The p-value of 'the runs differ by less than δ'."""
        p: FloatArray = np.maximum(self.above_low, self.below_high)
        return p

    def verdicts(self, alpha: float) -> list[Verdict]:
        """Return what is shown of each pair, at one-sided level α."""
        shown = [
            (Verdict.EQUIVALENT, self.equivalent),
            (Verdict.SUPERIOR, self.above_high),
            (Verdict.INFERIOR, self.below_low),
            (Verdict.NOT_INFERIOR, self.above_low),
        ]
        return [
            next((verdict for verdict, p in shown if p[pair] < alpha), Verdict.UNDECIDED)
            for pair in range(len(self.above_low))
        ]


def of_differences(known: Differences, margin: float) -> WithinMargin:
    """Return the p-values about differences, by the t test or by Welch's."""
    sizes = np.abs(known.run.mean) + np.abs(known.baseline.mean)
    one = known.difference, known.se
    return _within(*one, *one, known.df, sizes, margin)


def of_bounds(between: Identified, margin: float) -> WithinMargin:
    """Return the p-values about differences that are known between bounds only."""
    sizes = np.abs(between.least) + np.abs(between.largest)
    return _within(
        between.least, between.least_se, between.largest, between.largest_se, between.df, sizes,
        margin,
    )  # fmt: skip


def _within(
    least: FloatArray,
    least_se: FloatArray,
    largest: FloatArray,
    largest_se: FloatArray,
    df: FloatArray,
    sizes: FloatArray,
    margin: float,
) -> WithinMargin:
    """Return the p-values; `sizes` say of which size last bits are that make no difference."""

    def p(beyond: FloatArray, se: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            t = np.where(np.abs(beyond) <= LAST_BITS * (sizes + margin), 0.0, beyond / se)
        value: FloatArray = stdtr(df, -t)
        return value

    return WithinMargin(
        above_low=p(least + margin, least_se),
        below_low=p(-margin - largest, largest_se),
        above_high=p(least - margin, least_se),
        below_high=p(margin - largest, largest_se),
    )
