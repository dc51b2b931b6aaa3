"""Verdicts on intervals of samples, written out: from all resamples, or from many draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import ceil, inf, sqrt
from statistics import NormalDist

import numpy as np
from scipy import stats
from scipy.special import expit

from confint_cli.stats.ideal.covering import Judged, Study, study_of
from confint_cli.stats.ideal.samples import SharedSamples
from confint_cli.stats.methods import method_named

MEANS = ("percentile", "basic", "bca")
ROUNDING = 1e-9  # means closer than that are equal on paper


def places_of(random: np.random.Generator, topics: int, number: int, size: int) -> np.ndarray:
    """Return topics drawn with replacement, [sample, topic]."""
    return random.integers(0, topics, (number, size))


def study(scores: np.ndarray, places: np.ndarray, levels: Sequence[float]) -> Study:
    """Return the study of the samples at places[sample, topic] of scores[topic]."""
    samples = SharedSamples.of(scores, places)
    truth, scale = (np.full(len(places), one) for one in (samples.truth, samples.scale))
    return study_of(samples, truth, scale, np.array(levels), 1)


def judged(scores: np.ndarray, places: np.ndarray, method: str, levels: Sequence[float]) -> Judged:
    """Return the verdicts on the intervals of samples."""
    covers = method_named(method).covers
    assert covers is not None
    return covers(study(scores, places, levels))


@cache
def _all_choices(size: int) -> np.ndarray:
    return np.array(list(product(range(size), repeat=size)))


@dataclass(frozen=True)
class Resampled:
    """A sample and resamples of it, all of which are equally probable."""

    sample: np.ndarray  # [topic]
    resamples: np.ndarray  # [resample, topic]

    @classmethod
    def in_full(cls, sample: np.ndarray) -> "Resampled":
        """Return a sample of up to six topics with all its resamples."""
        return cls(sample, sample[_all_choices(len(sample))])

    @cached_property
    def means(self) -> np.ndarray:
        """m* of every resample in ascending order, equal where they are on paper."""
        return np.sort(np.round(self.resamples.mean(axis=1), 10))

    @cached_property
    def ratios(self) -> np.ndarray:
        """z* of every resample in ascending order: ±∞ of one score alone, 0 if that is the mean."""
        off = self.resamples.mean(axis=1) - self.sample.mean()
        off[np.abs(off) < ROUNDING] = 0.0
        alone = np.ptp(self.resamples, axis=1) < ROUNDING
        se = self.resamples.std(axis=1, ddof=1) / sqrt(len(self.sample))
        infinite = np.where(off == 0, 0.0, np.copysign(inf, off))
        return np.sort(np.round(np.where(alone, infinite, off / np.where(alone, 1.0, se)), 9))

    def limits(self, method: str, level: float) -> tuple[float, float]:
        """Return the limits of an interval, as the page of the method has them."""
        n, m = len(self.sample), float(self.sample.mean())
        if np.ptp(self.sample) < ROUNDING:
            return m, m
        alpha = 1 - Fraction(str(level))
        low, high = alpha / 2, 1 - alpha / 2
        if method == "percentile":
            return _quantile(self.means, low), _quantile(self.means, high)
        if method == "basic":
            return 2 * m - _quantile(self.means, high), 2 * m - _quantile(self.means, low)
        if method == "bca":
            return _quantile(self.means, self._adjusted(low)), _quantile(
                self.means, self._adjusted(high)
            )
        if method == "bootstrap-t":
            se = float(self.sample.std(ddof=1)) / sqrt(n)
            return m - _quantile(self.ratios, high) * se, m - _quantile(self.ratios, low) * se
        assert method == "logit"
        centre, spread = self.logit_moments()
        width = float(stats.t.ppf(1 - float(alpha) / 2, n - 1)) * spread
        ends = [float(expit(centre + sign * width)) for sign in (-1, 1)]
        return (ends[0], ends[1]) if spread > 0 else (0.0, 1.0)

    def _adjusted(self, p: Fraction) -> Fraction:
        normal, off = NormalDist(), self.means - self.sample.mean()
        tie = np.abs(off) < ROUNDING
        bias = normal.inv_cdf(float(((off < 0) & ~tie).mean() + tie.mean() / 2))
        aside = self.sample - self.sample.mean()
        acceleration = float((aside**3).sum() / (6 * (aside**2).sum() ** 1.5))
        shifted = bias + normal.inv_cdf(float(p))
        return Fraction(normal.cdf(bias + shifted / max(1 - acceleration * shifted, 1e-9)))

    def logit_moments(self) -> tuple[float, float]:
        """Return mean and sd of logit(m*), m* of 0 and 1 left out."""
        inside = self.means[(self.means > ROUNDING) & (self.means < 1 - ROUNDING)]
        logits = np.log(inside / (1 - inside))
        return float(logits.mean()), float(logits.std())

    def verdict(self, method: str, level: float, truth: float) -> tuple[bool, bool, float]:
        """Return whether an interval lies above the truth, whether below, and its width."""
        low, high = self.limits(method, level)
        return truth < low - ROUNDING, truth > high + ROUNDING, high - low


def _quantile(in_order: np.ndarray, p: Fraction) -> float:
    """Return the least value that a share p of all does not exceed, but for rounding of p."""
    place = ceil(p * len(in_order) * (1 - Fraction(1, 10**12)))
    return float(in_order[min(max(place, 1), len(in_order)) - 1])


def binomial_bound(share: np.ndarray, draws: int) -> np.ndarray:
    """Return five standard errors of a share of draws."""
    bound: np.ndarray = 5 * np.sqrt(np.maximum(share * (1 - share), 1 / draws) / draws)
    return bound
