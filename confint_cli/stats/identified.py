"""Intervals of a mean that is known only between two bounds on every topic.

Where documents lack judgements, a score lies somewhere between a least and a largest value. Its
mean then is identified as between the means of both, L̄ and Ū, however many topics there are; and
both of these vary with the topics.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, stdtr, stdtrit

from confint_cli.common.arrays import FloatArray
from confint_cli.common.records import Explained
from confint_cli.stats.sample import Sample

EXPLAINED = Explained(
    summary="intervals of means that are only known between bounds, for --unjudged bounds",
    formula="[L̄ - c·se_L, Ū + c·se_U], T(c + Δ/max se) - T(-c) = level, Δ = Ū - L̄; T is of t",
    explanation="""\
The interval of a mean where some documents lack judgements. The score of each topic then lies
between a least and a largest value, and so does the mean, however many topics there are. L̄ is the
mean of the least values and Ū that of the largest; both vary with the topics, too.

The interval covers the mean as often as its level says, wherever the mean is between the bounds. If
everything is judged, it is the plain t interval. If the bounds are far apart, each side needs only
a one-sided quantile. In simulations with 10 to 100 topics, 95% intervals cover .94 to .97 of the
time if the mean is at either end, and more often if it is between them (docs/unjudged.md).

For a difference of two runs, the bounds are over judgements that both runs share: one document
cannot be relevant for one run and not relevant for the other.

In the formula, se_L and se_U are the standard errors of L̄ and Ū, and T is Student's t distribution
function.""",
    reference="Imbens and Manski, Econometrica 72 (2004); Stoye, Econometrica 77 (2009)",
    style=17,
)
_STEPS = 100  # of Newton's, which end after a few


@dataclass(frozen=True)
class Identified:
    """The means of the least and the largest values, [column] each, with standard errors.

    The interval is Imbens and Manski's, with t instead of the normal distribution: [L̄ - c·se_L,
    Ū + c·se_U], where T(c + Δ/max(se_L, se_U)) - T(-c) = level and Δ = Ū - L̄. The mean, wherever it
    is between the bounds, is covered as often as the level says. If both are one, it is the plain t
    interval. If they are far apart, the mean can be near one of them only, and c falls to the
    quantile of a one-sided interval.

    That Δ is itself estimated could make such an interval too short where it is near 0. It does not
    if, as here, no sample has a largest value below a least one: when Δ is small, it then varies
    little as well (Stoye's Lemma 3).

    References: Imbens and Manski, Econometrica 72 (2004); Stoye, Econometrica 77 (2009).
    """

    least: FloatArray
    largest: FloatArray
    least_se: FloatArray
    largest_se: FloatArray
    df: FloatArray  # degrees of freedom of both standard errors

    @property
    def width(self) -> FloatArray:
        """How far the means are apart, Δ, [column]."""
        return np.maximum(self.largest - self.least, 0.0)

    @property
    def _relative_width(self) -> FloatArray:
        """The width in standard errors, of the larger one, [column]; 0/0 is 0."""
        se = np.maximum(self.least_se, self.largest_se)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(self.width == 0, 0.0, self.width / se)

    def factors(self, levels: FloatArray) -> FloatArray:
        """Return c, [level, column]; it is never negative, so that both means are inside."""
        return _factors(self._relative_width, self.df, levels)

    def limits(self, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the low and the high limits, [level, column] each."""
        c = self.factors(levels)
        high = np.maximum(self.least, self.largest)  # they may be one but for rounding
        return self.least - c * self.least_se, high + c * self.largest_se

    def p(self) -> FloatArray:
        """Return the p-value of a mean of 0, such as that of no difference, [column].

        It is below 1 - level where the interval of this level leaves 0 out: T(-z) +
        T(-z - Δ/max(se_L, se_U)), z standard errors of the nearer bound away from it; 1 where 0 is
        between the bounds. Of one bound, it is the p-value of the t test.
        """
        below, above = self.least, -self.largest
        distance = np.maximum(below, above)
        se = np.where(below >= above, self.least_se, self.largest_se)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = np.where(distance > 0, distance / se, 0.0)
        tails = stdtr(self.df, -z) + stdtr(self.df, -z - self._relative_width)
        return np.where(distance > 0, tails, 1.0)


def identified(least: Sample, largest: Sample) -> Identified:
    """Return the means of least and largest values of the same topics, drawn by any design.

    Where a design gives both their own degrees of freedom, the fewer count.
    """
    df = np.broadcast_to(np.minimum(least.df, largest.df), least.mean.shape).astype(np.float64)
    return Identified(least.mean, largest.mean, least.se, largest.se, df)


def _factors(width: FloatArray, df: FloatArray, levels: FloatArray) -> FloatArray:
    """Return c ≥ 0 with T(-c) + T(-c - width) = 1 - level, [level, column].

    Tails are summed, so that high levels lose no digits. The sum falls with c and is convex, so
    Newton's steps from below, from the quantile of a one-sided interval, never go too far.
    """
    miss = np.broadcast_to(1 - levels[:, None], (len(levels), len(width)))
    c: FloatArray = np.maximum(-stdtrit(df, miss), 0.0)
    df = np.where(df > 0, df, np.nan)  # of one topic, which has no limits
    log_scale = gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    power = -(df + 1) / 2

    def density(x: FloatArray) -> FloatArray:
        value: FloatArray = np.exp(log_scale + power * np.log1p(x * x / df))
        return value

    for _ in range(_STEPS):
        excess = stdtr(df, -c) + stdtr(df, -c - width) - miss
        moved = c + np.maximum(excess, 0.0) / (density(c) + density(c + width))
        is_done = (moved - c <= 1e-15 * moved).all()
        c = moved
        if is_done:
            break
    return np.where(width == 0, stdtrit(df, (1 + levels[:, None]) / 2), c)
