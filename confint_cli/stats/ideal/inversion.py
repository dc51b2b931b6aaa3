"""The distribution of m* of many samples at a few points, by inverting characteristic functions.

With S = √n(m*-θ)/σ and φ(ω) the mean of exp(iωe/√n) over the scores e = (x-θ)/σ of a sample, S has
the characteristic function φⁿ. On a window of P, twice what Bernstein's inequality leaves nearly
nothing beyond, its distribution function is a Fourier series (Davies, Numerical inversion of a
characteristic function, Biometrika 60, 1973):

    F(y) = ½ - (μ-y)/P - (2/P)·Σ_k Im(φⁿ(ω_k)·exp(-iω_k·y))/ω_k,  ω_k = 2πk/P,  μ = E S.

On a lattice of step h, (h/2)/sin(ωh/2) stands for 1/ω, and y half a step beside a point; the series
is then finite and exact if P is an odd number of steps. Scores that come close to a lattice, or
have few values, need more terms than is worth it; a Gaussian taper smooths what is cut off.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from confint_cli.common.arrays import BoolArray, ComplexArray, FloatArray, Positions
from confint_cli.stats.ideal.mean import VISIBLE_WAVE, power
from confint_cli.stats.ideal.samples import Samples
from confint_cli.stats.quantiles import density

_CUT = 5.0  # standard deviations: the last frequency, at which a normal φⁿ is exp(-_CUT²/2)
_MORE, _MOST = 256, 768  # frequencies
_OF_CLUSTERS = 4096  # frequencies, at the most, where scores lie in clusters
_BEYOND = 1.2  # the last wave of a population: its samples may have others
_TAPER = 3.7  # standard deviations of the taper's Gaussian at the last frequency
_FEW_TOPICS = 40  # coarse scores of fewer topics have more frequencies from the start
_ROUGH_TOPICS, _ROUGH_TAIL = 256, 1e-4  # up to, and from which on, single precision is enough
_ROWS = 1000  # samples that are worked on at a time: their arrays stay near the processor
_BESIDE = 1e-9  # what lies beyond a score by less is that score on paper
_REFINED = 2  # steps of Newton's method for a quantile


@dataclass(frozen=True)
class Inversion:
    """F of some samples, from their characteristic functions at frequencies that they share."""

    rows: Positions  # which samples
    mean: FloatArray  # [row]: μ
    sd: FloatArray  # [row]: of S
    bounds: tuple[FloatArray, FloatArray]  # [row]: no S is below the one or above the other
    transform: ComplexArray  # [row, frequency]: φⁿ, tapered
    frequencies: FloatArray  # [frequency]
    period: float
    reach: float  # F is known as far as this from μ
    step: float  # of the lattice of S; 0: none
    point: float  # a point of the lattice

    def only(self, chosen: BoolArray | Positions) -> "Inversion":
        """Return the inversion of some of its rows."""
        return replace(
            self,
            rows=self.rows[chosen],
            mean=self.mean[chosen],
            sd=self.sd[chosen],
            bounds=(self.bounds[0][chosen], self.bounds[1][chosen]),
            transform=self.transform[chosen],
        )

    @property
    def _kernel(self) -> FloatArray:
        if not self.step:
            return 1 / self.frequencies
        kernel: FloatArray = self.step / 2 / np.sin(self.step * self.frequencies / 2)
        return kernel

    def _turns(self, y: FloatArray) -> ComplexArray:
        """Return exp(-iωy) for y [row], [row, frequency]."""
        turns = np.empty_like(self.transform)
        turns[:] = np.exp(-1j * self.frequencies[0] * y)[:, None]
        return np.cumprod(turns, axis=1, out=turns)

    def _value(
        self, turned: ComplexArray, y: FloatArray | float, beside: float, kernel: FloatArray
    ) -> FloatArray:
        """Return F at y + beside, y [row], from φⁿ·exp(-iωy); `kernel` stands for 1/ω."""
        weights, kind = kernel * (2 / self.period), turned.real.dtype
        angles = self.frequencies * beside
        terms = (turned.imag * (weights * np.cos(angles)).astype(kind)).sum(axis=1)
        if beside:
            terms -= (turned.real * (weights * np.sin(angles)).astype(kind)).sum(axis=1)
        return np.asarray(0.5 - (self.mean - (y + beside)) / self.period - terms)

    def at_truth(self) -> FloatArray:
        """Return F(θ), F(θ⁻), F(m) with ties half, F(2m-θ) and F((2m-θ)⁻), [point, row].

        On a lattice, F is that of half a step beside a point.
        """
        above, below = self._beside_truth()
        kernel = self._kernel
        halved = kernel * np.cos(self.step * self.frequencies / 2)
        turns = self._turns(self.mean)
        found = np.empty((5, len(self.rows)))
        turned = self.transform
        found[:2] = [self._value(turned, 0.0, beside, kernel) for beside in (above, below)]
        turned = turned * turns
        found[2] = self._value(turned, self.mean, 0.0, halved)
        turned *= turns
        mirrored = 2 * self.mean
        found[3:] = [self._value(turned, mirrored, -beside, kernel) for beside in (below, above)]
        for part, y in ((found[:2], np.zeros(len(self.mean))), (found[3:], mirrored)):
            outside = self._has_no_sums_near(y)
            part[:, outside] = (y > self.mean)[outside]
        return found

    def _has_no_sums_near(self, y: FloatArray) -> BoolArray:
        """Return where F is 0 or 1 at y [row]: beyond all scores, where a taper would blur it, too.

        F is not known further from μ than its reach, but for that.
        """
        lowest, highest = self.bounds
        far: BoolArray = np.abs(y - self.mean) > self.reach
        return far | (y < lowest - _BESIDE) | (y > highest + _BESIDE)

    def _beside_truth(self) -> tuple[float, float]:
        """Return where F(θ) and F(θ⁻) are to be taken: half a step beside points of a lattice."""
        if not self.step:
            return 0.0, 0.0
        place = -self.point / self.step
        tie = abs(place - round(place)) < 1e-6
        above = self.point + self.step * ((round(place) if tie else np.floor(place)) + 0.5)
        return float(above), float(above - self.step if tie else above)

    def quantiles(self, z: FloatArray, start: FloatArray) -> FloatArray:
        """Return the quantiles of S at Φ(z), [quantile, row], from a `start` near them."""
        number, rows = z.shape
        every = self.only(np.tile(np.arange(rows), number))
        return every._quantile(z.ravel(), start.ravel()).reshape(number, rows)

    def _quantile(self, z: FloatArray, y: FloatArray) -> FloatArray:
        """Return the quantiles of S at Φ(z) [row] by Newton's method from y."""
        for _ in range(_REFINED):
            turned = self.transform * self._turns(y)
            reached = self._value(turned, y, 0.0, self._kernel).clip(1e-12, 1 - 1e-12)
            slope = (1 + 2 * turned.real.sum(axis=1)) / self.period
            own = ndtri(reached)
            with np.errstate(divide="ignore", invalid="ignore"):
                change = (z - own) * density(own) / slope
            change = np.where(np.isfinite(change) & (slope > 0), change, 0.0)
            y = y + change.clip(-self.sd / 2, self.sd / 2)
        if self.step:
            y = self.point + self.step * np.ceil((y - self.point) / self.step - 0.5 - 1e-6)
        return y

    def expectation(self, function: Callable[[FloatArray], FloatArray], points: int) -> FloatArray:
        """Return E function(S) of a bounded function, [row].

        It is an integral over the window around the mean of all rows, by the series of the density;
        on a lattice, a sum over its points.
        """
        middle = float(np.median(self.mean))
        if self.step:
            first = np.ceil((middle - self.period / 2 - self.point) / self.step)
            points = round(self.period / self.step)
            y = self.point + self.step * (first + np.arange(points))
        else:
            y = middle + self.period * (np.arange(points) / points - 0.5)
        values = function(y) / points
        known = slice((points - 1) // 2)  # frequencies that so many points can tell apart
        angles, transform = np.multiply.outer(self.frequencies[known], y), self.transform[:, known]
        real, imaginary = np.cos(angles) @ values, np.sin(angles) @ values
        terms = transform.real * real + transform.imag * imaginary
        total: FloatArray = values.sum() + 2 * terms.sum(axis=1)
        return total


def inversions(samples: Samples, rows: Positions, tail: float) -> Iterator[Inversion]:
    """Yield the inversions of some samples that vary, in groups of a similar standard deviation.

    `tail` is the smallest probability that matters.
    """
    if not len(rows):
        return
    sd = samples.moments.sd[rows]
    octave = np.floor(np.log2(sd / samples.moments.sd[samples.moments.varies].max()) + 1e-9)
    for one in np.unique(octave):
        members = rows[octave == one]
        together = _ROWS * _MOST // _OF_CLUSTERS if samples.last_wave else _ROWS
        for start in range(0, len(members), together):
            yield from _inversions(samples, members[start : start + together], tail, 0)


def _inversions(samples: Samples, rows: Positions, tail: float, number: int) -> Iterator[Inversion]:
    """Yield the inversions of samples on one window; `number` is that of frequencies, 0: choose."""
    n, moments = samples.topics, samples.moments
    root = np.sqrt(n)
    mean, sd = root * moments.mean[rows], moments.sd[rows]
    log = max(12.0, float(np.log(100 / tail)))
    lowest, highest = (bound[rows] for bound in samples.bounds)
    largest = np.maximum(highest - moments.mean[rows], moments.mean[rows] - lowest)
    bound = float(largest.max()) / root
    bernstein = bound * log / 3 + np.sqrt((bound * log / 3) ** 2 + 2 * log * float(sd.max()) ** 2)
    width = min(float(bernstein), 1.001 * bound * n)
    reach = min(float(np.abs(mean).max()), width)
    step, half = samples.lattice / root, width + reach
    if step:
        half = step * (np.ceil(half / step) + 0.5)
    period, all_of_them = 2 * half, int(round(2 * half / step) - 1) // 2 if step else 1 << 30
    more = _MOST if samples.mostly_one_value and not step else _MORE
    if not number:
        enough = -(-int(np.ceil(_CUT * period / (2 * np.pi * float(sd.min())))) // 4) * 4
        number = more if samples.coarse and n < _FEW_TOPICS else min(enough, more)
        if samples.last_wave:
            waves = int(np.ceil(_BEYOND * samples.last_wave * period / (2 * np.pi)))
            more = _OF_CLUSTERS
            number = max(number, min(waves, more, all_of_them))
    if all_of_them <= (more if n < _FEW_TOPICS else 2 * number):
        number = all_of_them
    frequencies = 2 * np.pi / period * np.arange(1.0, number + 1)
    kind = np.complex64 if n <= _ROUGH_TOPICS and tail > _ROUGH_TAIL else np.complex128
    transform = power(samples.characteristic(rows, frequencies[0] / root, number, kind), n)
    if number < more and number != all_of_them:
        left = np.abs(transform[:, -1 - number // 10 :]).max(axis=1) > VISIBLE_WAVE
        if left.any():
            yield from _inversions(samples, rows[left], tail, more)
            rows, transform, mean, sd = (part[~left] for part in (rows, transform, mean, sd))
    elif number != all_of_them:
        taper = np.exp(-((_TAPER * frequencies / frequencies[-1]) ** 2) / 2)
        transform *= taper.astype(transform.real.dtype)
    if len(rows):
        lowest, highest = (root * bound[rows] for bound in samples.bounds)
        yield Inversion(
            rows,
            mean,
            sd,
            (lowest, highest),
            transform,
            frequencies,
            float(period),
            reach + 1e-9,
            step,
            point=root * samples.first_score,
        )
