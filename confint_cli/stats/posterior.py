"""What is believed of two runs after seeing their scores: draws from the exact posterior.

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

NAME = "credible"  # of the interval, among the methods
FEWEST_TOPICS = 5  # for which the posterior has a standard deviation
_PILOT = 4096  # draws that show how far in the tail reaches
_SPARE = 1.5  # times as much as it should take is put in order
_POINTS = 161
_DRAWS = 4000  # are as smooth as all of them: each is a normal distribution, not a point
_KERNEL = 0.2  # standard deviations, of draws that are points: no bumps, and hardly wider
_REACH = 0.9995  # of the probability is under the curve
_NEXT_TO_ONE = 1 - 1e-12
EXPLAINED = Explained(
    summary="Bayesian interval of a difference or an effect size, for bayes",
    formula="the quantiles at (1-C)/2 and (1+C)/2 of the posterior at level C; Σ ~ inverse "
    "Wishart(n-2, S), weighted by 1-ρ²; with --unpaired, σ² = S/χ²(n-2) of each run",
    explanation="""\
The posterior says how probable each difference of two runs is, given their scores, if these are
bivariate normal (with --unpaired, normal and independent) and nothing was known before: priors are
flat on means, standard deviations and correlation. Of that, Glass's Δ and the correlation have a
posterior too. A 95% confidence interval covers the truth in 95% of repeated experiments; a 95%
credible interval has it with a probability of 95%, if the model holds. It has equal tails. As
priors are flat on standard deviations and the correlation, it is wider than the t interval: for
runs that are much alike by up to 14% for 20 topics, 4% for 50 and 2% for 100, for others less; for
10 topics by up to 40%, and for 5 several times. So P(run is better) is nearer to one half than 1 -
p, one-sided, is. Scores of retrieval are not normal. For the difference of 50 topics that matters
little as a rule, as for the t interval; posteriors of Glass's Δ and of the correlation lean on it
at any number of topics.

Draws are independent and weighted, so there is no Markov chain that might not have converged; 'ess'
says what the weights cost. Of 5 or 6 topics the posterior has such long tails that its sd is
uncertain; a message says by how much.""",
    reference="Sakai, SIGIR (2017); inverse Wishart: Gelman et al., Bayesian Data Analysis (2013)",
)


@dataclass(frozen=True)
class Known:
    """All of two runs' scores that their posterior depends on."""

    topics: int
    baseline_topics: int
    difference: float  # of the means, run less baseline
    sd: float  # with n-1
    baseline_sd: float
    r: float | None = None  # the correlation, of scores on the same topics
    unexplained: float = 1.0  # 1 - r², to all its digits where r is nearly 1

    @property
    def reversed(self) -> "Known":
        """The same with run and baseline exchanged."""
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
        """What it is that leaves no posterior; `Doubt.NONE` if nothing does."""
        if self.sd == 0 or self.baseline_sd == 0:
            return Doubt.NO_VARIANCE
        if self.r is None or self.unexplained > 0:
            return Doubt.NONE
        if self.r < 0:
            return Doubt.MIRRORED
        same = self.difference == 0 and math.isclose(self.sd, self.baseline_sd)
        return Doubt.IDENTICAL if same else Doubt.SAME_BUT_SCALED


def known_of_pairs(values: FloatArray, pairs: Pairs, found: Differences) -> list[Known]:
    """Return what is known of pairs of runs on the same topics, values[topic, run]."""
    sample = Sample(values)
    topics = sample.topics
    norm = np.where(sample.constant, 1.0, sample.sd * np.sqrt(topics - 1))
    directions = sample.deviations / norm[:, None]  # of length 1
    own, other = directions[pairs.run], directions[pairs.baseline]
    r = (own * other).sum(axis=1)
    unexplained = ((other - r[:, None] * own) ** 2).sum(axis=1)
    # What rounding of the scores may leave of a copy of a run, shifted and stretched as it may be:
    rounding = LAST_BITS * np.sqrt(topics) * sample.largest / norm
    copies = np.sqrt(unexplained) <= rounding[pairs.run] + rounding[pairs.baseline]
    unexplained[copies & (np.abs(r) > 0.5)] = 0.0
    r[sample.constant[pairs.run] | sample.constant[pairs.baseline]] = np.nan
    return [
        replace(known, r=float(own_r), unexplained=float(rest))
        for known, own_r, rest in zip(known_of_moments(found), r, unexplained, strict=True)
    ]


def known_of_moments(found: Differences) -> list[Known]:
    """Return what is known of pairs of runs on topics of their own."""
    columns = (
        found.run.topics,
        found.baseline.topics,
        found.difference,
        found.run.sd,
        found.baseline.sd,
    )
    return [Known(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


@dataclass(frozen=True)
class Quantity:
    """Weighted draws of something unknown, each normal about a centre: certain without a spread."""

    centre: FloatArray
    spread: FloatArray | None
    normal: FloatArray  # draws of how many spreads it is off its centre
    weight: FloatArray  # 1 in all

    @cached_property
    def eap(self) -> float:
        """The mean of the posterior: the expected value a posteriori."""
        return float(np.sum(self.weight * self.centre))

    def sd_and_error(self) -> tuple[float, float]:
        """Return the standard deviation of the posterior, and its Monte Carlo error."""
        off = self.centre - self.eap
        parts = [off] if self.spread is None else [off, self.spread]
        unit = max(float(np.abs(part).max()) for part in parts)  # squares of shares of it are safe
        squares = sum((part / unit) ** 2 for part in parts)
        variance = np.sum(self.weight * squares)
        error = np.sqrt(np.sum((self.weight * (squares - variance)) ** 2)) / (2 * variance)
        sd = unit * float(np.sqrt(variance))
        return sd, sd * float(error)

    def above(self, threshold: float) -> float:
        """Return the probability that it is above a threshold."""
        return self._share(ndtr(self._deviations(threshold)))

    def below(self, threshold: float) -> float:
        """Return the probability that it is below a threshold, however small that is."""
        return self._share(ndtr(-self._deviations(threshold)))

    def _deviations(self, threshold: float) -> FloatArray:
        """Return by how many spreads each centre is above a threshold."""
        if self.spread is None:
            return np.where(self.centre > threshold, np.inf, -np.inf)
        with np.errstate(over="ignore"):  # thresholds may be as far off as they like
            deviations: FloatArray = (self.centre - threshold) / self.spread
        return deviations

    def _share(self, probabilities: FloatArray) -> float:
        return min(
            1.0, float(np.sum(self.weight * probabilities))
        )  # weights are 1 but for rounding

    def limits(self, level: float) -> tuple[float, float, float]:
        """Return the credible interval, and the larger Monte Carlo error of its two limits."""
        values = self.centre
        if self.spread is not None:
            values = values + self.spread * self.normal
        low, low_error = _lower_limit(values, self.weight, (1 - level) / 2)
        high, high_error = _lower_limit(-values, self.weight, (1 - level) / 2)
        return low, -high, max(low_error, high_error)


def _lower_limit(values: FloatArray, weight: FloatArray, p: float) -> tuple[float, float]:
    """Return the value below which a share p of the weight lies, and its Monte Carlo error.

    Half of a value's own weight counts as below it; between two values it is interpolated. The
    error is half the way between the quantiles that p may be mistaken for.
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
    # Draws of the tail may have more weight than others, and make p so much more uncertain.
    own = np.sum(weight[values <= limit] ** 2)
    off = np.sqrt((1 - p) ** 2 * own + p**2 * (squares - own))
    below, above = np.interp([p - off, p + off], middle, values)
    return float(limit), float(above - below) / 2


@dataclass(frozen=True)
class Posterior:
    """Weighted draws from the posterior of two runs."""

    difference: float  # of the sample's means, about which that of the true ones is normal
    spread: FloatArray  # the standard deviation of that
    sd: FloatArray
    baseline_sd: FloatArray
    correlation: FloatArray | None  # of runs on the same topics
    normal: FloatArray
    weight: FloatArray  # 1 in all

    @property
    def effective_draws(self) -> float:
        """How many draws of equal weight would say as much."""
        return float(1 / np.sum(self.weight**2))

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """All that is reported."""
        parts: dict[str, tuple[FloatArray, FloatArray | None]] = {
            "difference": (np.array([self.difference]), self.spread),
            "glass_baseline": (self.difference / self.baseline_sd, self.spread / self.baseline_sd),
            "glass_run": (self.difference / self.sd, self.spread / self.sd),
        }
        if self.correlation is not None:
            parts["correlation"] = (self.correlation, None)
        return {name: Quantity(*part, self.normal, self.weight) for name, part in parts.items()}

    @property
    def reversed(self) -> "Posterior":
        """The same with run and baseline exchanged."""
        return replace(
            self,
            difference=-self.difference,
            sd=self.baseline_sd,
            baseline_sd=self.sd,
            normal=-self.normal,
        )


def posterior_of(known: Known, drawing: Drawing) -> Posterior:
    """Return the posterior; with run and baseline exchanged, it is the same to the last draw.

    (Unless both mean and standard deviation are equal, when nothing tells one from the other.) The
    same random numbers serve all pairs: a pair's result depends on nothing else.
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
    """Return the exponent s that makes the weights even; for few topics too, 1 is too much soon."""
    return 0.0 if r**2 < 1 / 3 else 0.5 if r**2 < 0.9 else 1.0


@dataclass(frozen=True)
class Density:
    """A curve of a density: its height at some values."""

    at: FloatArray
    height: FloatArray

    @property
    def finite(self) -> bool:
        """Whether it can be drawn."""
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
    """Return the density of a weighted mixture of normal distributions."""
    heights = np.empty(len(at))
    with np.errstate(over="ignore", invalid="ignore"):  # of scores so tiny that nobody has them
        for place, x in enumerate(at):
            off = (x - centre) / spread
            heights[place] = np.sum(np.exp(-(off**2) / 2) * weight / spread)
    return heights / math.sqrt(2 * math.pi)
