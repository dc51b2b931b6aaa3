"""How normal columns of numbers look: the W of Shapiro and Wilk.

W is the square of the correlation between the numbers in order and what a normal sample of the same
size would have in their place: 1 is as normal as can be. It is computed by Royston's approximation
(Remark AS R94, Applied Statistics 44, 1995), as R and scipy do, but for all columns at once and
without importing scipy.stats, which would take longer than most calls of the program.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from confint_cli.common.arrays import FloatArray

FEWEST = 3  # numbers that W can be computed of
_OUTERMOST = (-2.706056, 4.434685, -2.07119, -0.147981, 0.221157, 0.0)  # polynomials in 1/√n
_SECOND = (-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0)
MOST = 5000  # numbers that the p-value of W is known for
_FEW = 11  # up to this many numbers n, -log(bound - log(1-W)) is taken as normal; then log(1-W)
_FEW_BOUND = (0.459, -2.273)  # a polynomial in n: the bound that log(1-W) cannot reach
_FEW_MEAN = (-0.0006714, 0.025054, -0.39978, 0.544)  # a polynomial in n: the mean for few numbers
_FEW_SD = (-0.0020322, 0.062767, -0.77857, 1.3822)  # a polynomial in n: log(sd) for few numbers
_MEAN = (0.0038915, -0.083751, -0.31082, -1.5861)  # a polynomial in log(n): the mean of log(1-W)
_SD = (0.0030302, -0.082676, -0.4803)  # a polynomial in log(n): log(sd) of log(1-W)


def shapiro_p(w: FloatArray, number: int) -> FloatArray:
    """Return how probable a W no larger than `w` is for a normal sample of `number` numbers.

    It is NaN where it is not known: where `w` is NaN, and for more numbers than Royston looked at.
    """
    if not FEWEST <= number <= MOST:
        return np.full(w.shape, np.nan)
    if number == FEWEST:
        exact: FloatArray = 6 / np.pi * (np.arcsin(np.sqrt(w)) - np.arcsin(np.sqrt(0.75)))
        return exact.clip(0.0, 1.0)
    with np.errstate(divide="ignore"):  # W of 1
        mapped = np.log1p(-w)
    if number <= _FEW:
        reach = np.polyval(_FEW_BOUND, number) - mapped
        with np.errstate(divide="ignore", invalid="ignore"):
            mapped = np.where(reach > 0, -np.log(reach), np.where(np.isnan(w), np.nan, np.inf))
        mean, log_sd = np.polyval(_FEW_MEAN, number), np.polyval(_FEW_SD, number)
    else:
        mean, log_sd = np.polyval(_MEAN, np.log(number)), np.polyval(_SD, np.log(number))
    p: FloatArray = ndtr((mean - mapped) / np.exp(log_sd))
    return p


def shapiro_wilk(columns: FloatArray) -> FloatArray:
    """Return W of each column of columns[place, column]; NaN without variance or for too few."""
    number = len(columns)
    if number < FEWEST:
        return np.full(columns.shape[1], np.nan)
    ordered = np.sort(np.ascontiguousarray(columns.T), axis=1)
    ordered -= ordered[:, [number // 2]]  # digits that all have in common are of no use
    spread = ordered[:, -1] - ordered[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = ordered / spread[:, None]  # squares of tiny numbers would be lost
        deviations = shares - shares.mean(axis=1, keepdims=True)
        # A matrix product would give other last bits beside other columns.
        w = (shares * _weights(number)).sum(axis=1) ** 2 / (deviations**2).sum(axis=1)
    return np.where(spread > 0, np.minimum(w, 1), np.nan)


def _weights(number: int) -> FloatArray:
    """Return the weights of `number` numbers in order; their squares sum up to 1."""
    if number == FEWEST:
        return np.array([-np.sqrt(0.5), 0.0, np.sqrt(0.5)])
    scores = ndtri((np.arange(1, number + 1) - 0.375) / (number + 0.25))
    length = np.linalg.norm(scores)
    approximated = [_OUTERMOST, _SECOND] if number > 5 else [_OUTERMOST]
    ends = [
        np.polyval(polynomial, number**-0.5) + scores[-1 - place] / length
        for place, polynomial in enumerate(approximated)
    ]
    inner = slice(len(ends), number - len(ends))
    weights = np.empty(number)
    left = 1 - 2 * np.square(ends).sum()
    weights[inner] = scores[inner] * np.sqrt(left / np.square(scores[inner]).sum())
    weights[: len(ends)] = np.negative(ends)
    weights[number - len(ends) :] = ends[::-1]
    return weights
