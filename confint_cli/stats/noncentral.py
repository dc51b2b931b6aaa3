"""The noncentral t distribution: its tails, and the shifts that a t statistic speaks for.

T = (Z + δ)/S, where Z is standard normal and νS² is χ² with ν degrees of freedom. A tail is an
integral over Z or over S, whichever varies more, so that nothing in it is steep: scipy's own fails
far out.
"""

from functools import cache

import numpy as np
from scipy.special import (
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    ndtr,
    ndtri,
    roots_legendre,
)

from confint_cli.common.arrays import FloatArray

_NEGLIGIBLE = 9.5  # standard deviations: what lies beyond them has no probability
_NO_CHANCE = 1e-20  # a probability of that size is none
_NODES, _ENOUGH = 160, 80  # places at which an integral is evaluated; enough if it is smooth
_SOME = 20  # degrees of freedom from which on it is, if one of Z and tS varies far more
_STEEP = 3.0  # the standard deviation of tS above which it varies more than Z
_FEW = 5  # degrees of freedom: with fewer, S comes so near 0 that Z is the better choice sooner
_AT_ONCE = 1024  # columns that are worked on at a time: arrays [node, column] stay small
_STEPS = 60  # of a search, which ends after a few


def below(t: FloatArray, df: FloatArray, shift: FloatArray) -> FloatArray:
    """Return P(T ≤ t) of T with these degrees of freedom and shifts, [column].

    It is a sum of what is never negative, so that a small one keeps its digits. P(T > t) is that
    of -t and -shift.
    """
    spread = np.abs(t) / np.sqrt(2 * df)  # about the standard deviation of tS
    by_mean = spread > np.where(df < _FEW, _STEEP / 10, _STEEP)
    is_smooth = (df >= _SOME) & (by_mean | (spread < _STEEP / 3))
    p = np.empty(len(t))
    for is_kind, integral in ((by_mean, _over_means), (~by_mean, _over_deviations)):
        for is_enough, nodes in ((is_smooth, _ENOUGH), (~is_smooth, _NODES)):
            where = is_kind & is_enough
            if where.any():
                p[where] = integral(t[where], df[where], shift[where], nodes)
    return p


def _over_means(t: FloatArray, df: FloatArray, shift: FloatArray, nodes: int) -> FloatArray:
    """Return P(Z + δ ≤ tS) as an integral over Z: only where Z + δ has the sign of t, S decides."""
    side = np.where(t < 0, -1.0, 1.0)
    low = np.clip(-side * shift, -_NEGLIGIBLE, _NEGLIGIBLE - 1)
    z, weights = _nodes(low, np.full_like(low, _NEGLIGIBLE), nodes)  # z is side·Z
    weights = weights * np.exp(-(z**2) / 2)
    weights *= ndtr(-low) / weights.sum(axis=0)
    with np.errstate(over="ignore"):
        limit = df / 2 * (np.maximum(z + side * shift, 0.0) / t) ** 2
    is_below = t < 0
    p = np.where(is_below, 0.0, ndtr(-shift))
    for of_s, where in ((gammainc, is_below), (gammaincc, ~is_below)):
        p[where] += (weights[:, where] * of_s(df[where] / 2, limit[:, where])).sum(axis=0)
    return np.minimum(p, 1.0)


def _over_deviations(t: FloatArray, df: FloatArray, shift: FloatArray, nodes: int) -> FloatArray:
    """Return P(Z ≤ tS - δ) as an integral over log S."""
    half = df / 2
    low = np.log(np.maximum(gammaincinv(half, _NO_CHANCE), _NO_CHANCE**2) / half) / 2
    high = np.log(gammainccinv(half, _NO_CHANCE) / half) / 2
    log_s, weights = _nodes(low, high, nodes)
    weights = weights * np.exp(df * (log_s - np.expm1(2 * log_s) / 2))
    weights /= weights.sum(axis=0)
    p: FloatArray = (weights * ndtr(t * np.exp(log_s) - shift)).sum(axis=0)
    return p


def _nodes(low: FloatArray, high: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Return the places [node, column] at which to evaluate integrals, and their weights.

    These are Gauss's and Legendre's, from `low` to `high` [column].
    """
    places, weights = _gauss(number)
    half = (high - low) / 2
    return low + half * (1 + places[:, None]), half * weights[:, None]


@cache
def _gauss(number: int) -> tuple[FloatArray, FloatArray]:
    """Return the places and weights of an integral from -1 to 1."""
    places, weights = roots_legendre(number)
    return places, weights


def shifts(t: FloatArray, df: FloatArray, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the shift δ that a t statistic speaks for, [level, column] each.

    By δ_low, t is exceeded with probability α/2, and by δ_high not reached with the same: the
    interval covers δ as often as the level says (Steiger 2004). NaN where t is no finite number.

    Reference: Steiger, Beyond the F test, Psychological Methods 9 (2004).
    """
    low, high = np.full((2, len(levels), len(t)), np.nan)
    known = np.flatnonzero(np.isfinite(t) & (df > 0))
    for start in range(0, len(known), _AT_ONCE):
        own = known[start : start + _AT_ONCE]
        for row, level in enumerate(levels.tolist()):
            tail = (1 - level) / 2
            high[row, own] = _shift_with(t[own], df[own], tail)
            low[row, own] = -_shift_with(-t[own], df[own], tail)
    return low, high


def _shift_with(t: FloatArray, df: FloatArray, tail: float) -> FloatArray:
    """Return the shift by which P(T ≤ t) is `tail`, [column].

    On the scale of normal quantiles that probability is nearly a straight line in the shift, so
    secants find it; they stay within bounds that close in.
    """
    wanted = float(ndtri(tail))

    def excess(shift: FloatArray) -> FloatArray:
        value: FloatArray = ndtri(below(t, df, shift)) - wanted
        return value

    spread = np.sqrt(1 + t * t / (2 * df))
    middle = t * (1 - 1 / (4 * df)) - wanted * spread
    width = spread / 4
    low, high = middle - width, middle + width
    at_low, at_high = excess(low), excess(high)
    for _ in range(_STEPS):  # of doubling
        too_high, too_low = at_low < 0, at_high > 0
        if not (too_high.any() or too_low.any()):
            break
        width *= 2
        low, high = np.where(too_high, low - width, low), np.where(too_low, high + width, high)
        at_low, at_high = excess(low), excess(high)
    shift = low
    for step in range(_STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            secant = low + at_low * (high - low) / (at_low - at_high)
        usable = np.isfinite(secant) & (secant > low) & (secant < high) & (step % 4 != 3)
        moved = np.where(usable, secant, (low + high) / 2)
        at_moved = excess(moved)
        is_done = np.abs(moved - shift) <= 1e-11 * (spread + np.abs(moved))
        shift = moved
        if is_done.all() or not at_moved.any():
            break
        is_low = at_moved > 0
        # The end that stays pulls half as strong, or it would stay for ever (Illinois).
        at_high = np.where(is_low, at_high / 2, at_moved)
        at_low = np.where(is_low, at_moved, at_low / 2)
        low, high = np.where(is_low, moved, low), np.where(is_low, high, moved)
    return shift
