"""The distribution of z* = (m*-m)/se* by a saddlepoint approximation.

With u = (x-m)/sd of the n scores of a column, z* > z > 0 is an event about two means of draws of u,
ū and the mean of u²: that ū > 0 and β·ū² exceeds the latter, β = 1 + (n-1)/z². Daniels and Young,
Saddlepoint approximation for the Studentized mean, Biometrika 78 (1991), and Jing, Shao and Zhou,
Saddlepoint approximation for Student's t-statistic with no moment conditions, Annals of Statistics
32 (2004), approximate its probability from the most likely way in which it happens: draws from u
tilted by exp(-λ(u-βa)²), with λ and a such that these have the mean a and the mean square βa². The
formula is Lugannani and Rice's in the form of Barndorff-Nielsen, P(z* ≤ z) = Φ(±r*).

It is not for z near 0, where r and U both vanish, and it knows nothing of resamples of one value
alone, which have an infinite z*.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from confint_cli.common.arrays import BoolArray, FloatArray, Positions

_STEPS, _MORE_STEPS = 6, 40  # of Newton's method; where the first do not do, the others
_LEAST = 0.3  # |r*| of a quantile: it is not to be found any nearer to the median
_TRIES = 7  # of the secant method for a quantile
_CLOSE = 0.003  # r* may be this far from its aim before the last step, which squares the distance
_CLOSE_ENOUGH = 0.02  # the same where the slope is known from two points
_MOST_VALUES = 1 << 12  # of a column: more are divided between as many points
_CELLS = 1 << 18  # numbers that are worked on at a time: 2 MB


@dataclass(frozen=True)
class Standardized:
    """Columns of u = (x-m)/sd, with the shares that they have of all draws."""

    values: FloatArray  # [column, value]
    shares: FloatArray  # [column, value], or [1, 1] if all are the same
    draws: int  # n

    def rows(self, chosen: Positions) -> "Standardized":
        """Return some of the columns, or one several times."""
        shares = self.shares if len(self.shares) == 1 else self.shares[chosen]
        return Standardized(self.values[chosen], shares, self.draws)

    @property
    def skewness(self) -> FloatArray:
        """The mean of u³, [column]."""
        return _sum(self.values**2 * self.values * self.shares)


def standardized(deviations: FloatArray) -> Standardized:
    """Return columns of deviations from their means [column, topic] in units of their sd.

    The scores of very many topics are divided between points of a grid, so that their mean stays.
    """
    topics = deviations.shape[1]
    values = deviations / np.sqrt((deviations**2).mean(axis=1, keepdims=True))
    if topics <= _MOST_VALUES:
        return Standardized(values, np.full((1, 1), 1 / topics), topics)
    low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    places = (values - low) * ((_MOST_VALUES - 1) / (high - low))
    whole = places.astype(np.intp).clip(0, _MOST_VALUES - 2)
    beyond = places - whole
    shares = np.array(
        [
            np.bincount(at, 1 - over, _MOST_VALUES) + np.bincount(at + 1, over, _MOST_VALUES)
            for at, over in zip(whole, beyond, strict=True)
        ]
    )
    grid = low + (high - low) * np.linspace(0, 1, _MOST_VALUES)
    return Standardized(grid, shares / topics, topics)


def quantiles(columns: Standardized, p: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the quantiles of z* at p [level], [level, column], and which of them are found.

    p of ½ and around it cannot be found.
    """
    number = len(columns.values)
    wanted = np.tile(ndtri(p)[:, None], (1, number)).ravel()
    of_column = np.tile(np.arange(number), len(p))
    z, found = np.empty(len(wanted)), np.empty(len(wanted), dtype=bool)
    skewness = columns.skewness
    step = _CELLS // columns.values.shape[1]  # of no more than `_MOST_VALUES`
    for start in range(0, len(wanted), step):
        block = slice(start, start + step)
        rows = of_column[block]
        z[block], found[block] = _quantiles(columns.rows(rows), wanted[block], skewness[rows])
    return z.reshape(len(p), number), found.reshape(len(p), number)


def _quantiles(
    rows: Standardized, wanted: FloatArray, skewness: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return z at which r* is as wanted [row], by the secant method in log|z|, and whether it is.

    A row is done when it comes close: others do not change how many steps it takes.
    """
    sign, aim = np.sign(wanted), np.abs(wanted)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = cornish_fisher(wanted, skewness, rows.draws) / wanted
    size = ratio.clip(0.45, 3.0) * aim
    slope = aim.copy()  # of |r*| in log|z|: exact for a normal distribution at its start
    found = np.zeros(len(wanted), dtype=bool)
    left = np.flatnonzero(aim > _LEAST)
    before: tuple[FloatArray, FloatArray] | None = None
    for attempt in range(_TRIES):
        at, aims = size[left], aim[left]
        root, solved = _root(_chosen(rows, left), sign[left] * at)
        reached, log_size = sign[left] * root, np.log(at)
        with np.errstate(divide="ignore", invalid="ignore"):
            if before is not None:
                secant = (reached - before[0]) / (log_size - before[1])
                usable = (secant > 0.05 * aims) & (secant < 3 * aims)
                slope[left] = np.where(usable, secant, slope[left])
            further = np.where(np.isfinite(reached), (aims - reached) / slope[left], -0.5)
        size[left] = at * np.exp(further.clip(-0.7, 0.7))
        miss = np.abs(reached - aims)
        found[left] = solved & (miss < (_CLOSE_ENOUGH if attempt else _CLOSE))
        going_on = ~found[left] | (miss > _CLOSE * (1 + attempt))
        before = reached[going_on], log_size[going_on]
        left = left[going_on]
        if not len(left):
            break
    return sign * size, found


def _chosen(rows: Standardized, left: Positions) -> Standardized:
    """Return the rows that are left, without a copy if all are."""
    return rows if len(left) == len(rows.values) else rows.rows(left)


def _root(rows: Standardized, z: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return r* with P(z* ≤ z) = Φ(r*) for each z [row], and which of them are to be trusted."""
    root, solved = tail_root(TiltedRows(rows), z, _STEPS)
    again = np.flatnonzero(~solved)
    if len(again):
        root[again], solved[again] = tail_root(TiltedRows(rows.rows(again)), z[again], _MORE_STEPS)
    return root, solved


Moments = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]


class Tilted(Protocol):
    """What gives moments of u under draws tilted by exp(-λ(u-c)²)."""

    @property
    def draws(self) -> int:
        """The number n of draws."""

    def __call__(self, tilt: FloatArray, centre: FloatArray) -> Moments:
        """Return log E exp(-λ(u-c)²) and the tilted means of u, u², u³, u⁴, [row] each."""


@dataclass(frozen=True)
class TiltedRows:
    """The moments of rows that have values of their own."""

    rows: Standardized

    @property
    def draws(self) -> int:
        """The number n of draws."""
        return self.rows.draws

    def __call__(self, tilt: FloatArray, centre: FloatArray) -> Moments:
        """Return log E exp(-λ(u-c)²) and the tilted means of u, u², u³, u⁴, [row] each."""
        u = self.rows.values
        weights = u - centre[:, None]
        weights *= weights
        weights *= -tilt[:, None]
        np.exp(weights, out=weights)
        weights *= self.rows.shares
        total = _sum(weights)
        means = []
        for _ in range(4):
            weights *= u
            means.append(_sum(weights) / total)
        return np.log(total), means[0], means[1], means[2], means[3]


def tail_root(tilted: Tilted, z: FloatArray, steps: int) -> tuple[FloatArray, BoolArray]:
    """Return r* [row] with P(z* ≤ z) = Φ(r*), and in which rows Newton's method found it.

    It begins with a = ±β^-½ and λ = 1/(2(β-1)), the solution for normal scores, and neither changes
    by more than a factor at a time, so that both keep their signs. With K = log E exp(-λ(u-βa)²),
    Λ = -λβ(β-1)a² - K, and κ the covariances of u and u² under the tilted draws,

        r = √(2nΛ),  U = λ√(nD),  D = κ₂₂ - 4βaκ₁₂ + 4β²a²κ₁₁ - 2βλ(κ₁₁κ₂₂-κ₁₂²),
        r* = r + log(U/r)/r.
    """
    n, sign = tilted.draws, np.sign(z)
    beta = 1 + (n - 1) / z**2
    a, tilt = sign / np.sqrt(beta), 1 / (2 * (beta - 1))
    with np.errstate(all="ignore"):
        for step in range(steps):
            log_total, mean, square, cube, fourth = tilted(tilt, beta * a)
            k11, k12, k22 = square - mean * mean, cube - mean * square, fourth - square * square
            off_mean, off_square = mean - a, square - beta * a * a
            twice_a, twice_tilt = 2 * beta * a, 2 * beta * tilt
            if step == steps - 1:
                break
            # The derivatives of both conditions by a and by the tilt.
            by_a = k11 * twice_tilt - 1, k12 * twice_tilt - twice_a
            by_tilt = k11 * twice_a - k12, k12 * twice_a - k22
            determinant = by_a[0] * by_tilt[1] - by_tilt[0] * by_a[1]
            change_a = (off_mean * by_tilt[1] - off_square * by_tilt[0]) / (determinant * a)
            change_tilt = (by_a[0] * off_square - by_a[1] * off_mean) / (determinant * tilt)
            for change in (change_a, change_tilt):
                np.copyto(change, 0.0, where=np.isnan(change))
            a = a * (1 - change_a).clip(0.5, 1.6)
            tilt = tilt * (1 - change_tilt).clip(0.4, 2.5)
        rate = -tilt * beta * (beta - 1) * a * a - log_total
        curvature = k22 - 2 * twice_a * k12 + twice_a**2 * k11 - twice_tilt * (k11 * k22 - k12**2)
        r, u = np.sqrt(2 * n * rate), tilt * np.sqrt(n * curvature)
        root = sign * (r + np.log(u / r) / r)
        on_mean = np.abs(off_mean) < 1e-3 * np.abs(a) + 1e-9
        solved = on_mean & (np.abs(off_square) < 2e-3 * beta * a * a) & np.isfinite(root)
    return root, solved  # a rate or a curvature that is not positive has no finite root


def cornish_fisher(z: FloatArray, skewness: FloatArray, topics: int) -> FloatArray:
    """Return about the quantile of z* where the normal distribution has z; both are broadcast.

    It is the inverse of Hall's Edgeworth expansion of the studentised mean (The Bootstrap and
    Edgeworth Expansion, 1992, section 2.6) with the terms of the kurtosis as for normal scores.
    """
    squared = z * z
    by_skewness = skewness * (2 * squared + 1) / (6 * np.sqrt(topics))
    by_its_square = z * skewness * skewness * 5 * (4 * squared - 1) / (72 * topics)
    quantile: FloatArray = z * (1 + (squared + 1) / (4 * topics)) - by_skewness + by_its_square
    return quantile


def _sum(rows: FloatArray) -> FloatArray:
    """Return the sum of each row, which does not depend on other rows to the last bit."""
    total: FloatArray = rows.sum(axis=1)
    return total
