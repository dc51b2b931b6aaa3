"""The posterior of two runs' means, given their scores: draws from the exact distribution.

The model is that of Sakai (SIGIR 2017): the scores of two runs on the same topics are bivariate
normal, on topics of their own independent normal; priors are flat on the means, on the standard
deviations σ > 0 and on the correlation ρ in (-1, 1).

No Markov chain is needed. With the means integrated out, the posterior density of the covariance
matrix Σ is |Σ|^(-(n-1)/2)·exp(-tr(SΣ⁻¹)/2) times the prior, S being the sums of squares and
products. A prior that is flat in σ₁, σ₂ and ρ has the density 1/(σ₁²σ₂²) = (1-ρ²)/|Σ| in Σ. So the
posterior is an inverse Wishart distribution with n-2 degrees of freedom and scale S, weighted by
1-ρ². Its draws are simple: the variance σ₁² of the first run, the slope β of the second on it and
the variance τ² that the slope leaves unexplained are

    σ₁² = S₁₁/χ²(n-3),   τ² = S₂₂(1-r²)/χ²(n-2),   β ~ N(S₁₂/S₁₁, τ²/S₁₁),

and σ₂² = τ² + β²σ₁². The weight 1-ρ² = τ²/σ₂² hardly varies for 50 topics; but for few topics of
runs that are much alike, a few draws of a low ρ have most of the weight. So we draw from χ²(n-3+2s)
and χ²(n-2-2s) instead and multiply the weight by (σ₁²/τ²)^s, which gives the same posterior. With
s = r², what varies in σ₁² and τ² cancels out of the weight; a step near it, 0, ½ or 1, does nearly
as well, and lets many pairs share random numbers. At any correlation, 93 of 100 draws or more count
for 20 topics, 97 for 50. (With independent runs, σ² = S/χ²(n-2), all weights alike.)

Given Σ, the difference of the means is normal, and so is Glass's Δ. Their means, variances and
probabilities are those of these normal distributions, averaged over Σ: that leaves less to chance
than counting draws would, and gives small probabilities too. Only limits need draws of the
difference itself. The curve of a density is the mean of these normal ones, too.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from confint_cli.common.arrays import FloatArray
from confint_cli.common.records import Explained
from confint_cli.common.ties import LAST_BITS
from confint_cli.stats.comparison import Differences
from confint_cli.stats.flags import Doubt
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.random import Drawing, chi_squares, normals
from confint_cli.stats.sample import Sample

FEWEST_TOPICS = 5  # of fewer topics the posterior has no standard deviation
_PILOT = 4096  # draws that show how far in the tail reaches
_SPARE = 1.5  # times as many draws are put in order as the tail is expected to have
_POINTS = 161  # values at which the height of a density is computed
_DRAWS = 4000  # draws of a density, as smooth as all: each is a normal distribution, not a point
_KERNEL = 0.2  # standard deviations that draws of a correlation are smoothed by: no bumps are left
_REACH = 0.9995  # the share of the probability that is under the curve of a density
_NEXT_TO_ONE = 1 - 1e-12  # the largest correlation whose Fisher's z is taken
EXPLAINED = Explained(
    summary="Bayesian interval of a difference or an effect size, for bayes",
    formula="the quantiles at (1-C)/2 and (1+C)/2 of the posterior at level C; Σ ~ inverse "
    "Wishart(n-2, S), weighted by 1-ρ²; with --unpaired, σ² = S/χ²(n-2) of each run",
    explanation="""\
The interval in which a difference of two runs lies with a given probability, if the model holds. A
95% credible interval contains the truth with a probability of 95%, given these scores; a 95%
confidence interval contains it in 95% of repeated experiments. Its tails are equal: the difference
is as likely to be below the interval as above it.

The interval comes from the posterior, which says how probable each difference is, given the scores.
The model: the scores of the two runs are bivariate normal (with --unpaired, normal and
independent), and nothing was known before, so priors are flat on means, standard deviations and
correlation. Glass's Δ and the correlation have posteriors under the same model.

In the formula, C is the level, n the number of topics, Σ the covariance matrix of the two runs'
scores, S their sums of squares and products about the means, and ρ the correlation.

As priors are flat on standard deviations and the correlation, the interval is wider than the t
interval. For runs that are much alike, it is wider by about 40% for 10 topics, 14% for 20, 4% for
50 and 2% for 100, and several times as wide for 5 topics; for other runs, by less. For the same
reason, P(run is better) is nearer to one half than 1 - p of the one-sided test.

Retrieval scores are not normal. For a difference over 50 topics that usually matters little, as for
the t interval. The posteriors of Glass's Δ and of the correlation depend on normality with any
number of topics.

The draws from the posterior are independent and weighted, so there is no Markov chain that might
not have converged. 'ess', the effective sample size, says what the weights cost. With 5 or 6
topics, the posterior has such long tails that its standard deviation is uncertain; a message says
by how much.""",
    reference="Sakai, SIGIR (2017); inverse Wishart: Gelman et al., Bayesian Data Analysis (2013)",
    style=10,
)


@dataclass(frozen=True)
class Known:
    """The figures about two runs' scores that their posterior depends on."""

    topics: int  # of the run
    baseline_topics: int
    difference: float  # of the means, run less baseline
    sd: float  # of the run, with n-1
    baseline_sd: float
    r: float | None = None  # the correlation of scores on the same topics; None: on their own
    unexplained: float = 1.0  # 1 - r², to all its digits where r is nearly 1

    @property
    def reversed(self) -> "Known":
        """These figures with run and baseline exchanged."""
        return replace(
            self,
            topics=self.baseline_topics,
            baseline_topics=self.topics,
            difference=-self.difference,
            sd=self.baseline_sd,
            baseline_sd=self.sd,
        )

    @property
    def why_no_posterior(self) -> Doubt:
        """Why there is no posterior; `Doubt.NONE` if there is one."""
        if self.sd == 0 or self.baseline_sd == 0:
            return Doubt.NO_VARIANCE
        if self.r is None or self.unexplained > 0:
            return Doubt.NONE
        if self.r < 0:
            return Doubt.MIRRORED
        same = self.difference == 0 and math.isclose(self.sd, self.baseline_sd)
        return Doubt.IDENTICAL if same else Doubt.SAME_BUT_SCALED


def known_of_pairs(values: FloatArray, pairs: Pairs, differences: Differences) -> list[Known]:
    """Return the figures about each pair of runs on the same topics, values[topic, run]."""
    sample = Sample(values)
    topics = sample.topics
    norm = np.where(sample.constant, 1.0, sample.sd * np.sqrt(topics - 1))
    directions = sample.deviations / norm[:, None]  # of length 1
    own, other = directions[pairs.run], directions[pairs.baseline]
    r = (own * other).sum(axis=1)
    unexplained = ((other - r[:, None] * own) ** 2).sum(axis=1)
    # Of a copy of a run, shifted or stretched, only what rounding of the scores leaves is
    # unexplained.
    rounding = LAST_BITS * np.sqrt(topics) * sample.largest / norm
    copies = np.sqrt(unexplained) <= rounding[pairs.run] + rounding[pairs.baseline]
    unexplained[copies & (np.abs(r) > 0.5)] = 0.0
    r[sample.constant[pairs.run] | sample.constant[pairs.baseline]] = np.nan
    return [
        replace(known, r=float(own_r), unexplained=float(rest))
        for known, own_r, rest in zip(known_of_moments(differences), r, unexplained, strict=True)
    ]


def known_of_moments(differences: Differences) -> list[Known]:
    """Return the figures about each pair of runs on topics of their own."""
    columns = (
        differences.run.topics,
        differences.baseline.topics,
        differences.difference,
        differences.run.sd,
        differences.baseline.sd,
    )
    return [Known(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


@dataclass(frozen=True)
class Quantity:
    """Weighted draws of an unknown quantity; each draw is a normal distribution, or a point."""

    centre: FloatArray  # [draw], or [1] for all draws: the mean of the normal distribution
    spread: FloatArray | None  # [draw]: its standard deviation; None: draws are points
    normal: FloatArray  # [draw]: by how many spreads a value drawn from it is off its centre
    weight: FloatArray  # [draw]; they sum up to 1

    @cached_property
    def eap(self) -> float:
        """The mean of the posterior: the expected value a posteriori."""
        return float(np.sum(self.weight * self.centre))

    def sd_and_error(self) -> tuple[float, float]:
        """Return the standard deviation of the posterior, and its Monte Carlo error."""
        off = self.centre - self.eap
        terms = [off] if self.spread is None else [off, self.spread]
        unit = max(float(np.abs(term).max()) for term in terms)  # squares of shares of it are safe
        squares = sum((term / unit) ** 2 for term in terms)
        variance = np.sum(self.weight * squares)
        error = np.sqrt(np.sum((self.weight * (squares - variance)) ** 2)) / (2 * variance)
        sd = unit * float(np.sqrt(variance))
        return sd, sd * float(error)

    def above(self, threshold: float) -> float:
        """Return the probability that the quantity is above a threshold."""
        return self._share(ndtr(self._deviations(threshold)))

    def below(self, threshold: float) -> float:
        """Return the probability that the quantity is below a threshold, exact if it is tiny."""
        return self._share(ndtr(-self._deviations(threshold)))

    def _deviations(self, threshold: float) -> FloatArray:
        """Return (centre - threshold)/spread, [draw].

        Without a spread (None) draws are points: +∞ for those above the threshold, else -∞.
        """
        if self.spread is None:
            return np.where(self.centre > threshold, np.inf, -np.inf)
        with np.errstate(over="ignore"):  # a threshold may be very far off
            deviations: FloatArray = (self.centre - threshold) / self.spread
        return deviations

    def _share(self, probabilities: FloatArray) -> float:
        """Return the weighted mean of probabilities [draw]."""
        mean = float(np.sum(self.weight * probabilities))
        return min(1.0, mean)  # weights sum up to 1 but for rounding

    def limits(self, level: float) -> tuple[float, float, float]:
        """Return low, high, and the larger Monte Carlo error of these two limits.

        They are those of the credible interval with equal tails.
        """
        values = self.centre
        if self.spread is not None:
            values = values + self.spread * self.normal
        low, low_error = _lower_limit(values, self.weight, (1 - level) / 2)
        high, high_error = _lower_limit(-values, self.weight, (1 - level) / 2)
        return low, -high, max(low_error, high_error)


def _lower_limit(values: FloatArray, weight: FloatArray, p: float) -> tuple[float, float]:
    """Return the value below which a share p of the weight lies, and its Monte Carlo error.

    Half of a value's own weight counts as below it; between two values it is interpolated. The
    share below the true limit is p, give or take its standard error; the limit's error is half the
    way between the quantiles at either end of that.
    """
    squares = np.sum(weight**2)
    pilot = values[:_PILOT]
    place = min(math.ceil(_SPARE * p * len(pilot)), len(pilot) - 1)
    tail = np.flatnonzero(values <= np.partition(pilot, place)[place])  # all would take longer
    if np.sum(weight[tail]) < p + 3 * np.sqrt(p * squares):
        tail = np.arange(len(values))
    tail = tail[np.argsort(values[tail])]
    values, weight = values[tail], weight[tail]
    middle = np.cumsum(weight) - weight / 2
    limit = np.interp(p, middle, values)
    # Draws of the tail may have more weight than others, which makes p more uncertain.
    own = np.sum(weight[values <= limit] ** 2)
    off = np.sqrt((1 - p) ** 2 * own + p**2 * (squares - own))
    below, above = np.interp([p - off, p + off], middle, values)
    return float(limit), float(above - below) / 2


@dataclass(frozen=True)
class Posterior:
    """Weighted draws from the posterior of two runs; arrays are [draw]."""

    difference: float  # of the sample's means; given a draw, the true one is normal about it
    spread: FloatArray  # the standard deviation of the true difference, given a draw
    sd: FloatArray  # of the run
    baseline_sd: FloatArray
    correlation: FloatArray | None  # of runs on the same topics
    normal: FloatArray  # by how many spreads a difference is off that of the sample
    weight: FloatArray  # sums up to 1

    @property
    def effective_draws(self) -> float:
        """How many draws of equal weight would say as much."""
        return float(1 / np.sum(self.weight**2))

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The difference, Glass's Δ by either run's sd and, if there is one, the correlation."""
        draws: dict[str, tuple[FloatArray, FloatArray | None]] = {
            "difference": (np.array([self.difference]), self.spread),
            "glass_baseline": (self.difference / self.baseline_sd, self.spread / self.baseline_sd),
            "glass_run": (self.difference / self.sd, self.spread / self.sd),
        }
        if self.correlation is not None:
            draws["correlation"] = (self.correlation, None)
        return {
            name: Quantity(centre, spread, self.normal, self.weight)
            for name, (centre, spread) in draws.items()
        }

    @property
    def reversed(self) -> "Posterior":
        """The posterior with run and baseline exchanged."""
        return replace(
            self,
            difference=-self.difference,
            sd=self.baseline_sd,
            baseline_sd=self.sd,
            normal=-self.normal,
        )


def posterior_of(known: Known, drawing: Drawing) -> Posterior:
    """Return the posterior of a pair for which `why_no_posterior` is `Doubt.NONE`.

    With run and baseline exchanged, it is the same to the last draw, unless both mean and standard
    deviation are equal, when nothing tells one from the other. All pairs share the same random
    numbers, so that a pair's result does not depend on other pairs.
    """
    if (known.difference, known.sd) < (0.0, known.baseline_sd):
        return _drawn(known.reversed, drawing).reversed
    return _drawn(known, drawing)


def _drawn(known: Known, drawing: Drawing) -> Posterior:
    if known.r is None:
        return _independent(known, drawing.number, drawing.seed)
    return _bivariate(known, known.r, drawing.number, drawing.seed)


def _independent(known: Known, number: int, seed: int) -> Posterior:
    """Return the posterior of runs on topics of their own."""
    own, other = known.topics, known.baseline_topics
    sd = known.sd * np.sqrt((own - 1) / chi_squares("run", own - 2, number, seed))
    chi_square = chi_squares("baseline", other - 2, number, seed)
    baseline_sd = known.baseline_sd * np.sqrt((other - 1) / chi_square)
    return Posterior(
        known.difference,
        np.hypot(sd / math.sqrt(own), baseline_sd / math.sqrt(other)),
        sd,
        baseline_sd,
        None,
        normals("difference", number, seed),
        np.full(number, 1 / number),
    )


def _bivariate(known: Known, r: float, number: int, seed: int) -> Posterior:
    """Return the posterior of runs on the same topics."""
    topics, tilt = known.topics, _tilt(r)
    unit = max(known.sd, known.baseline_sd)  # squares of shares of it are safe
    own, other = known.sd / unit, known.baseline_sd / unit
    chi_square = chi_squares("run", topics - 3 + 2 * tilt, number, seed)
    variance = (topics - 1) * own**2 / chi_square
    chi_square = chi_squares("baseline", topics - 2 - 2 * tilt, number, seed)
    unexplained = (topics - 1) * other**2 * known.unexplained / chi_square
    spread = np.sqrt(unexplained / (topics - 1)) / own
    slope = r * other / own + spread * normals("slope", number, seed)
    baseline_variance = unexplained + slope**2 * variance
    weight = variance**tilt * unexplained ** (1 - tilt) / baseline_variance
    return Posterior(
        known.difference,
        unit * np.sqrt((unexplained + (slope - 1) ** 2 * variance) / topics),
        unit * np.sqrt(variance),
        unit * np.sqrt(baseline_variance),
        slope * np.sqrt(variance / baseline_variance),
        normals("difference", number, seed),
        weight / np.sum(weight),
    )


def _tilt(r: float) -> float:
    """Return the exponent s, near r², that makes weights even: 1 only for a large r.

    For few topics, a larger exponent than r² makes them less even than a smaller one.
    """
    return 0.0 if r**2 < 1 / 3 else 0.5 if r**2 < 0.9 else 1.0


@dataclass(frozen=True)
class Density:
    """The curve of a density."""

    at: FloatArray  # [point]: values, in ascending order
    height: FloatArray  # [point]

    @property
    def finite(self) -> bool:
        """Whether the curve can be drawn."""
        return bool(np.isfinite(self.height).all() and self.height.max() > 0)


def density_of(quantity: Quantity) -> Density:
    """Return the density of a quantity of the posterior.

    A difference is normal about its centre, given the variances: the density is the mean of these
    normal ones over draws. Draws of a correlation are points; their density is a kernel estimate of
    Fisher's z, so that nothing spills beyond -1 and 1.
    """
    low, high, _ = quantity.limits(_REACH)
    at = np.linspace(low, high, _POINTS)
    weight = quantity.weight
    if quantity.spread is not None:
        centre = np.broadcast_to(quantity.centre, quantity.spread.shape)[:_DRAWS]
        share = weight[:_DRAWS] / weight[:_DRAWS].sum()
        return Density(at, _mixed(at, centre, quantity.spread[:_DRAWS], share))
    z = np.arctanh(quantity.centre.clip(-_NEXT_TO_ONE, _NEXT_TO_ONE))
    mean = float((weight * z).sum())
    sd = math.sqrt(float((weight * (z - mean) ** 2).sum()))
    width = np.full(len(z), _KERNEL * sd)
    inside = at.clip(-_NEXT_TO_ONE, _NEXT_TO_ONE)
    return Density(at, _mixed(np.arctanh(inside), z, width, weight) / (1 - inside**2))


def _mixed(
    at: FloatArray, centre: FloatArray, spread: FloatArray, weight: FloatArray
) -> FloatArray:
    """Return the density [point] of a weighted mixture of normal distributions [draw]."""
    heights = np.empty(len(at))
    with np.errstate(over="ignore", invalid="ignore"):  # for scores so tiny that nobody has them
        for place, x in enumerate(at):
            off = (x - centre) / spread
            heights[place] = np.sum(np.exp(-(off**2) / 2) * weight / spread)
    return heights / math.sqrt(2 * math.pi)
