"""Every interval of one column of scores, recomputed the slow and obvious way."""

import math
from statistics import NormalDist

import numpy as np
from scipy import stats

NORMAL = NormalDist()


def quantile(values: np.ndarray, p: float) -> float:
    """The (B+1)p-th of B ordered values, between two of them on the scale of the normal."""
    ordered = sorted(values.tolist())
    number = len(ordered)
    place = int((number + 1) * p + 1e-9)
    if place < 1:
        return ordered[0]
    if place >= number:
        return ordered[-1]
    start, end = (NORMAL.inv_cdf(k / (number + 1)) for k in (place, place + 1))
    share = (NORMAL.inv_cdf(p) - start) / (end - start)
    below, above = ordered[place - 1], ordered[place]
    return below if abs(share) < 1e-9 else below + share * (above - below)


KNOWN = ("t", "percentile", "basic", "bootstrap-t", "bca", "logit", "wilson")


def interval(name: str, x: np.ndarray, drawn: np.ndarray, level: float) -> tuple[float, float]:
    """The interval from resamples of topics, each a row of their places."""
    n, alpha = len(x), 1 - level
    mean, se = x.mean(), x.std(ddof=1) / math.sqrt(n)
    t = stats.t.ppf(1 - alpha / 2, n - 1)
    samples = x[drawn]
    means = samples.mean(axis=1)
    low, high = quantile(means, alpha / 2), quantile(means, 1 - alpha / 2)
    match name:
        case "t":
            return mean - t * se, mean + t * se
        case "percentile":
            return low, high
        case "basic":
            return 2 * mean - high, 2 * mean - low
        case "bootstrap-t":
            ratios = (means - mean) / (samples.std(axis=1, ddof=1) / math.sqrt(n))
            return (
                mean - quantile(ratios, 1 - alpha / 2) * se,
                mean - quantile(ratios, alpha / 2) * se,
            )
        case "bca":
            ties = np.isclose(means, mean, rtol=0, atol=1e-12)
            share = ((means < mean) & ~ties).mean() + ties.mean() / 2
            return bca(x, means, float(share), level)
        case "logit":
            inside = means[(means > 1e-12) & (means < 1 - 1e-12)]
            logits = np.log(inside / (1 - inside))
            ends = (logits.mean() + sign * t * logits.std() for sign in (-1, 1))
            first, second = (1 / (1 + math.exp(-end)) for end in ends)
            return first, second
        case "wilson":
            proportion = stats.binomtest(int(x.sum()), n).proportion_ci(level, "wilson")
            return proportion.low, proportion.high
    raise KeyError(name)


def bca(x: np.ndarray, means: np.ndarray, share: float, level: float) -> tuple[float, float]:
    jackknife = np.array([np.delete(x, place).mean() for place in range(len(x))])
    leaning = jackknife.mean() - jackknife
    a = (leaning**3).sum() / (6 * (leaning**2).sum() ** 1.5)
    z0 = NORMAL.inv_cdf(share)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = NORMAL.inv_cdf(tail)
        ends.append(quantile(means, NORMAL.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))))
    return ends[0], ends[1]
