"""Many samples of topics whose true mean is known, as `covering` asks about them.

Scores are e = (x-θ)/σ, θ and σ the mean and standard deviation of the population. Samples come from
one population, of which each has some topics several times (`SharedSamples`), or have populations
of their own (`OwnSamples`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from confint_cli.common.arrays import AnyFloatArray, BoolArray, ComplexArray, FloatArray, Positions
from confint_cli.common.exact import steps_of_one
from confint_cli.stats.ideal.column import clusters
from confint_cli.stats.ideal.mean import last_wave, lattice_step
from confint_cli.stats.ideal.studentized import Moments, Standardized, Tilted, TiltedRows
from confint_cli.stats.sample import Sample

ComplexKind = type[np.complex64] | type[np.complex128]

_NO_VARIANCE = 1e-12  # in units of the population's: less is rounding
_COARSE = 0.6  # distinct scores of a population as a share of all: coarse ones have fewer
_SMOOTH = 10.0  # the highest frequency of scores that do not lie in clusters
_LARGEST_SHARE = 4  # a score of one topic in this many, or of fewer, is never alone in a sample
_MANY_TOPICS = 15  # samples of this many topics never have such a score alone
_FEW_CLUSTERS, _FEW_OTHERS = 4, 5  # of scores; topics that are not in the largest


@dataclass(frozen=True)
class SampleMoments:
    """Moments of the scores e of each sample, [sample] each."""

    mean: FloatArray
    sd: FloatArray  # it divides by n; 1 without variance
    skewness: FloatArray
    kurtosis: FloatArray  # 0 of a normal distribution
    varies: BoolArray

    @classmethod
    def of_powers(cls, raw: FloatArray) -> "SampleMoments":
        """Return the moments from the means of e, e², e³ and e⁴, [power, sample]."""
        mean, square, cube, fourth = raw
        variance = square - mean * mean
        varies = variance > _NO_VARIANCE
        sd = np.sqrt(np.where(varies, variance, 1.0))
        third = cube - 3 * mean * square + 2 * mean * mean * mean
        squared = mean * mean
        last = fourth - 4 * mean * cube + 6 * squared * square - 3 * squared * squared
        return cls(mean, sd, third / (sd * sd * sd), last / (sd * sd * sd * sd) - 3, varies)


class Samples(Protocol):
    """Samples of n topics each."""

    @property
    def topics(self) -> int:
        """The number n of topics in a sample."""

    @property
    def number(self) -> int:
        """How many samples there are."""

    @property
    def lattice(self) -> float:
        """The step of the lattice that all scores e lie on; 0: there is none."""

    @property
    def first_score(self) -> float:
        """One of the scores e, as a point of the lattice."""

    @property
    def coarse(self) -> bool:
        """Whether many scores of the population are the same."""

    @property
    def mostly_one_value(self) -> bool:
        """Whether half of the scores of the population or more are the same."""

    @property
    def last_wave(self) -> float:
        """The highest frequency of the transform of S that is worth a look; 0: nothing unusual."""

    @property
    def moments(self) -> SampleMoments:
        """The moments of each sample."""

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest e of each sample, [sample] each."""

    def characteristic(
        self, rows: Positions, frequency: float, number: int, kind: ComplexKind
    ) -> ComplexArray:
        """Return the mean of exp(i·k·frequency·e) for k = 1 … `number`, [row, k], of a kind."""

    def tilted(self, rows: Positions) -> Tilted:
        """Return what gives the moments of some samples under tilted draws."""

    def scores(self, rows: Positions) -> FloatArray:
        """Return the scores e of some samples, [row, topic]."""

    def few_clusters(self, rows: Positions) -> BoolArray:
        """Return which samples have scores in few clusters, or nearly all in one."""

    def chance_of_one_value(self, rows: Positions) -> FloatArray:
        """Return how probable a resample of one score alone is that is not the mean, [row].

        Those of scores below the mean count together, and those above; it is the larger chance.
        """


@dataclass(frozen=True)
class SharedSamples:
    """Samples from one population: how often each has each of its topics."""

    population: FloatArray  # [topic]: e
    counts: FloatArray  # [sample, topic]
    topics: int
    step: float  # of the lattice of e; 0: none
    truth: float  # the mean of the population in scores
    scale: float  # its standard deviation

    @classmethod
    def of(cls, scores: FloatArray, places: Positions) -> "SharedSamples":
        """Return samples of the topics at places[sample, topic] of scores[topic] that differ.

        Of a large population they are not counted: `places` are none, [0, topic].
        """
        step = lattice_step(np.sort(scores))
        if step:
            least = scores.min()
            scores = least + step * np.rint((scores - least) / step)
        sample = Sample(scores[:, None])  # whose moments of tiny and huge scores are safe
        truth = float(sample.mean[0])
        sd = float(sample.sd[0] * np.sqrt((sample.topics - 1) / sample.topics))
        flat = places + np.arange(len(places))[:, None] * len(scores)
        counts = np.bincount(flat.ravel(), minlength=len(places) * len(scores))
        by_sample = counts.reshape(len(places), len(scores)).astype(float)
        e = sample.deviations[0] / sd
        return cls(e, by_sample, places.shape[1], step / sd, truth, sd)

    @property
    def number(self) -> int:
        """How many samples there are."""
        return len(self.counts)

    @property
    def lattice(self) -> float:
        """The step of the lattice that all scores e lie on; 0: there is none."""
        return self.step

    @property
    def first_score(self) -> float:
        """One of the scores e, as a point of the lattice."""
        return float(self.population[0])

    @cached_property
    def _values(self) -> tuple[FloatArray, Positions, Positions]:
        """The distinct scores, the place of each topic's among them, and how many have each."""
        values, places, numbers = np.unique(
            np.round(self.population, 9), return_inverse=True, return_counts=True
        )
        return values, places, numbers

    @property
    def coarse(self) -> bool:
        """Whether many scores of the population are the same."""
        return len(self._values[0]) < _COARSE * len(self.population)

    @property
    def mostly_one_value(self) -> bool:
        """Whether half of the scores of the population or more are the same."""
        return bool(2 * self._values[2].max() >= len(self.population))

    @cached_property
    def last_wave(self) -> float:
        """The highest frequency of the transform of S that is worth a look; 0: nothing unusual."""
        if self.coarse and len(self._clusters[1]) > _FEW_CLUSTERS:
            return 0.0  # sums of many values have no gaps that a taper would fill
        last = last_wave(self.population, self.topics, self.step)
        return last if last > _SMOOTH else 0.0

    @cached_property
    def _clusters(self) -> tuple[Positions, Positions]:
        """The cluster of each topic's score, [topic], and how many topics each has, [cluster]."""
        order = np.argsort(self.population, kind="stable")
        numbers = np.diff(clusters(self.population[order]), append=len(order))
        places = np.empty_like(order)
        places[order] = np.repeat(np.arange(len(numbers)), numbers)
        return places, numbers

    @cached_property
    def moments(self) -> SampleMoments:
        """The moments of each sample."""
        return SampleMoments.of_powers((self.counts @ self._powers[:, 1:]).T / self.topics)

    @cached_property
    def _powers(self) -> FloatArray:
        """1, e, e², e³ and e⁴ of the population, [topic, power]."""
        e = self.population
        return np.stack([np.ones_like(e), e, e * e, e * e * e, e * e * e * e], axis=1)

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest e of each sample, [sample] each."""
        order = np.argsort(self.population, kind="stable")
        in_order, has = self.population[order], self.counts[:, order] > 0
        last = len(order) - 1 - has[:, ::-1].argmax(axis=1)
        return in_order[has.argmax(axis=1)], in_order[last]

    def characteristic(
        self, rows: Positions, frequency: float, number: int, kind: ComplexKind
    ) -> ComplexArray:
        """Return the mean of exp(i·k·frequency·e) for k = 1 … `number`, [row, k], of a kind.

        It is one matrix product, of whole numbers: sums are exact, in whatever order.
        """
        angles = np.multiply.outer(self.population, frequency * np.arange(1.0, number + 1))
        parts = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(len(angles), -1)
        real = np.zeros(0, kind).real.dtype
        steps = steps_of_one(self.topics, real)
        sums = self._counts_as(real)[rows] @ np.rint(parts * steps).astype(real)
        sums *= 1 / (self.topics * steps)  # a float of Python leaves the precision as it is
        return sums.view(kind)

    def _counts_as(self, kind: Any) -> AnyFloatArray:
        """Return the counts in a precision."""
        return self.counts if kind == np.float64 else self._rough_counts

    @cached_property
    def _rough_counts(self) -> AnyFloatArray:
        return self.counts.astype(np.float32)

    def tilted(self, rows: Positions) -> Tilted:
        """Return what gives the moments of some samples under tilted draws."""
        moments = self.moments
        return _TiltedCounts(
            self.counts[rows], self._powers, self.topics, moments.mean[rows], moments.sd[rows]
        )

    def scores(self, rows: Positions) -> FloatArray:
        """Return the scores e of some samples, [row, topic]."""
        counts = self.counts[rows].astype(np.intp)
        e = np.repeat(np.tile(self.population, len(rows)), counts.ravel())
        return e.reshape(len(rows), self.topics)

    def few_clusters(self, rows: Positions) -> BoolArray:
        """Return which samples have scores in few clusters, or nearly all in one."""
        if self.has_many_clusters:
            return np.zeros(len(rows), dtype=bool)
        drawn = self._numbers(rows, *self._clusters)
        few = (drawn > 0).sum(axis=1) <= _FEW_CLUSTERS
        few_others = self.topics - drawn.max(axis=1) <= _FEW_OTHERS
        return np.asarray(few | few_others)

    @property
    def has_many_values(self) -> bool:
        """Whether samples have so many distinct scores that one alone is out of the question."""
        return self._never_alone(self._values[2])

    @property
    def has_many_clusters(self) -> bool:
        """Whether samples have scores in so many clusters that few are out of the question."""
        return self._never_alone(self._clusters[1])

    def _never_alone(self, numbers: Positions) -> bool:
        """Return whether no sample has one value of the population only; `numbers` have each."""
        many_topics = self.topics >= _MANY_TOPICS
        return many_topics and _LARGEST_SHARE * int(numbers.max()) < len(self.population)

    def _numbers(self, rows: Positions, places: Positions, numbers: Positions) -> FloatArray:
        """Return how many topics of some samples have each value, [row, value].

        The value of each topic is at `places`, and `numbers` in the population have each.
        """
        belongs = (places[:, None] == np.arange(len(numbers))).astype(float)
        drawn: FloatArray = self.counts[rows] @ belongs
        return drawn

    def chance_of_one_value(self, rows: Positions) -> FloatArray:
        """Return how probable a resample of one score alone is that is not the mean, [row]."""
        if self.has_many_values:
            return np.zeros(len(rows))
        values, places, numbers = self._values
        chances = (self._numbers(rows, places, numbers) / self.topics) ** self.topics
        off = values - self.moments.mean[rows, None]
        above, below = (np.where(sign * off > 1e-9, chances, 0.0).sum(axis=1) for sign in (1, -1))
        larger: FloatArray = np.maximum(above, below)
        return larger


@dataclass(frozen=True)
class _TiltedCounts:
    """Moments of u = (e-δ)/sd under tilted draws from samples that share a population."""

    counts: FloatArray  # [row, topic]
    powers: FloatArray  # [topic, power]
    topics: int
    mean: FloatArray  # [row]: δ
    sd: FloatArray  # [row]

    @property
    def draws(self) -> int:
        """The number n of draws."""
        return self.topics

    def __call__(self, tilt: FloatArray, centre: FloatArray) -> Moments:
        """Return log E exp(-λ(u-c)²) and the tilted means of u, u², u³, u⁴, [row] each."""
        delta, sd = self.mean, self.sd
        weights = self.powers[:, 1] - (delta + centre * sd)[:, None]
        weights *= weights
        weights *= (-tilt / (sd * sd))[:, None]
        np.exp(weights, out=weights)
        weights *= self.counts
        sums = weights @ self.powers
        total = sums[:, 0]
        e1, e2, e3, e4 = sums[:, 1:].T / total
        squared, inverse = delta * delta, 1 / sd
        u1 = (e1 - delta) * inverse
        u2 = (e2 - 2 * delta * e1 + squared) * inverse**2
        u3 = (e3 - 3 * delta * e2 + 3 * squared * e1 - squared * delta) * inverse**2 * inverse
        u4 = e4 - 4 * delta * e3 + 6 * squared * e2 - 4 * squared * delta * e1 + squared * squared
        return np.log(total / self.topics), u1, u2, u3, u4 * (inverse * inverse) ** 2


@dataclass(frozen=True)
class OwnSamples:
    """Samples whose topics have scores of their own, as those of many populations have."""

    e: FloatArray  # [sample, topic]
    step: float = 0.0  # of the lattice of e; 0: none
    point: float = 0.0  # of the lattice
    coarse: bool = False  # whether many scores of the population are the same
    mostly_one_value: bool = False  # whether half of them are
    last_wave: float = 0.0  # the highest frequency that is worth a look; 0: nothing unusual
    has_many_values: bool = True  # whether no sample has few distinct scores
    has_many_clusters: bool = True  # whether no sample has scores in few clusters

    @classmethod
    def of_shared(cls, shared: SharedSamples, places: Positions) -> "OwnSamples":
        """Return samples of the topics at places[sample, topic] of a population.

        That is for one so large that it would take long to count all of its topics in each sample.
        """
        return cls(
            shared.population[places],
            shared.step,
            shared.first_score,
            shared.coarse,
            shared.mostly_one_value,
            shared.last_wave,
            shared.has_many_values,
            shared.has_many_clusters,
        )

    @property
    def topics(self) -> int:
        """The number n of topics in a sample."""
        return int(self.e.shape[1])

    @property
    def number(self) -> int:
        """How many samples there are."""
        return len(self.e)

    @property
    def lattice(self) -> float:
        """The step of the lattice that all scores e lie on; 0: there is none."""
        return self.step

    @property
    def first_score(self) -> float:
        """One of the scores e, as a point of the lattice."""
        return self.point

    @cached_property
    def moments(self) -> SampleMoments:
        """The moments of each sample."""
        squares = self.e * self.e
        powers = self.e, squares, squares * self.e, squares * squares
        return SampleMoments.of_powers(np.stack([power.mean(axis=1) for power in powers]))

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest e of each sample, [sample] each."""
        return self.e.min(axis=1), self.e.max(axis=1)

    def characteristic(
        self, rows: Positions, frequency: float, number: int, kind: ComplexKind
    ) -> ComplexArray:
        """Return the mean of exp(i·k·frequency·e) for k = 1 … `number`, [row, k], of a kind."""
        first = np.exp(1j * frequency * self.e[rows])
        turned = first.copy()
        means = np.empty((len(rows), number), dtype=kind)
        for place in range(number):
            means[:, place] = turned.mean(axis=1)
            turned *= first
        return means

    def tilted(self, rows: Positions) -> Tilted:
        """Return what gives the moments of some samples under tilted draws."""
        u = (self.e[rows] - self.moments.mean[rows, None]) / self.moments.sd[rows, None]
        return TiltedRows(Standardized(u, np.full((1, 1), 1 / self.topics), self.topics))

    def scores(self, rows: Positions) -> FloatArray:
        """Return the scores e of some samples, [row, topic]."""
        return self.e[rows]

    def _numbers(self, row: int) -> tuple[FloatArray, Positions]:
        """Return the distinct scores of a sample, and how many topics have each."""
        values, numbers = np.unique(np.round(self.e[row], 9), return_counts=True)
        return values, numbers

    def few_clusters(self, rows: Positions) -> BoolArray:
        """Return which samples have scores in few clusters, or nearly all in one."""
        few = np.zeros(len(rows), dtype=bool)
        if not self.has_many_clusters:
            for place, row in enumerate(rows):
                numbers = np.diff(clusters(np.sort(self.e[row])), append=self.topics)
                few_others = self.topics - numbers.max() <= _FEW_OTHERS
                few[place] = len(numbers) <= _FEW_CLUSTERS or few_others
        return few

    def chance_of_one_value(self, rows: Positions) -> FloatArray:
        """Return how probable a resample of one score alone is that is not the mean, [row]."""
        larger = np.zeros(len(rows))
        if self.has_many_values and self.topics >= _MANY_TOPICS:
            return larger
        for place, row in enumerate(rows):
            values, numbers = self._numbers(row)
            chances = (numbers / self.topics) ** self.topics
            off = values - self.moments.mean[row]
            larger[place] = max(chances[off > 1e-9].sum(), chances[off < -1e-9].sum())
        return larger
