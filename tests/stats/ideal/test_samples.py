"""Many samples as `covering` sees them: each of their numbers, for one sample after the other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.ideal.samples import OwnSamples, SampleMoments, SharedSamples
from tests.stats.ideal.longhand_covering import places_of

# Populations whose samples may have few scores, one on most topics, or one alone.
POPULATIONS = {
    "two": [0.1] * 9 + [0.8],
    "four": [0.0, 0.0, 0.25, 0.5, 1.0],
    "five": [0.0, 0.2, 0.4, 0.6, 0.8],
    "mostly zeros": [0.0] * 12 + [0.31, 0.42, 0.47, 0.63, 0.77, 0.81, 0.93],
    "symmetric": [-0.7, -0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.7],
    "fine": [0.04, 0.11, 0.17, 0.29, 0.35, 0.38, 0.52, 0.66, 0.9],
}
each = pytest.mark.parametrize("name", POPULATIONS)


def samples_of(
    name: str, size: int, number: int = 60
) -> tuple[np.ndarray, SharedSamples, OwnSamples]:
    """Return drawn scores [sample, topic], and both kinds of samples of them."""
    scores = np.array(POPULATIONS[name])
    places = places_of(np.random.default_rng(size), len(scores), number, size)
    shared = SharedSamples.of(scores, places)
    return scores[places], shared, OwnSamples.of_shared(shared, places)


def alone(drawn: Sequence[float], population: Sequence[float]) -> float:
    """Return the chance of a resample of one score beyond the mean, on the likelier side."""
    n, chances = len(drawn), {-1: 0.0, 1: 0.0}
    mean = sum(drawn) / n
    for score, number in Counter(drawn).items():
        if abs(score - mean) > 1e-9 * np.std(population):
            chances[1 if score > mean else -1] += (number / n) ** n
    return max(chances.values())


def cluster_of(scores: Sequence[float]) -> dict[float, int]:
    """Return the cluster of each score: one ends .15 standard deviations above where it begins."""
    found: dict[float, int] = {}
    begins, width = -np.inf, 0.15 * np.std(scores)
    number = 0
    for score in sorted(scores):
        if score > begins + width:
            begins, number = score, number + 1
        found[score] = number
    return found


@each
@pytest.mark.parametrize("size", [4, 8, 14, 15, 40])
def test_few_clusters_and_one_alone_are_those_of_each_sample(name: str, size: int) -> None:
    drawn, shared, own = samples_of(name, size)
    rows = np.arange(len(drawn))[5::2]
    of_all = cluster_of(POPULATIONS[name])
    few = {}
    for samples in (shared, own):
        numbers = []
        for row in rows:
            scores = drawn[row].tolist()
            clusters = of_all if samples is shared else cluster_of(scores)
            numbers.append(Counter(clusters[score] for score in scores))
        few[id(samples)] = [len(each) <= 4 or size - max(each.values()) <= 5 for each in numbers]
    chance = [alone(drawn[row].tolist(), POPULATIONS[name]) for row in rows]
    # No score of "fine" and "five" has a quarter of the topics: they have many values from 15 on.
    many = size >= 15 and name in ("fine", "five")
    assert shared.has_many_values == own.has_many_values == many
    assert shared.has_many_clusters == own.has_many_clusters == many
    for samples in (shared, own):
        if many:
            assert max(chance) < 1e-3
            assert not samples.few_clusters(rows).any()
            assert not samples.chance_of_one_value(rows).any()
        else:
            assert samples.few_clusters(rows).tolist() == few[id(samples)]
            assert samples.chance_of_one_value(rows) == pytest.approx(chance, abs=1e-14)


def test_samples_of_their_own_have_many_values_unless_it_is_said() -> None:
    """Below 15 topics, one score alone is looked for nevertheless."""
    e = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [0.5, 0.5, 0.5, 0.5]])
    own, rows = OwnSamples(e), np.array([0, 1, 2])
    assert own.few_clusters(rows).tolist() == [False] * 3
    assert own.chance_of_one_value(rows) == pytest.approx([(3 / 4) ** 4, 2 / 4**4, 0])


@each
def test_both_kinds_of_samples_are_the_same(name: str) -> None:
    drawn, shared, own = samples_of(name, 12)
    rows = np.array([7, 3, 3, 50])
    scores = POPULATIONS[name]
    assert own.coarse is shared.coarse is (len(set(scores)) < 0.6 * len(scores))
    most = max(Counter(scores).values())
    assert own.mostly_one_value is shared.mostly_one_value is (2 * most >= len(scores))
    assert (own.lattice, own.first_score) == (shared.lattice, shared.first_score)
    assert (own.topics, own.number) == (shared.topics, shared.number) == (12, 60)
    e = (drawn[rows] - shared.truth) / shared.scale
    for samples in (own, shared):
        np.testing.assert_allclose(np.sort(samples.scores(rows)), np.sort(e), atol=1e-12)
        assert samples.bounds[0][rows] == pytest.approx(e.min(axis=1), abs=1e-12)
        assert samples.bounds[1][rows] == pytest.approx(e.max(axis=1), abs=1e-12)
        found = samples.characteristic(rows, 0.31, 9, np.complex128)
        k = 0.31 * np.arange(1, 10)
        wanted = np.exp(1j * k * e[:, :, None]).mean(axis=1)
        np.testing.assert_allclose(found, wanted, atol=1e-13)
        rough = samples.characteristic(rows, 0.31, 9, np.complex64)
        assert rough.dtype == np.complex64
        np.testing.assert_allclose(rough, wanted, atol=2e-6)
        assert np.abs(rough - found).max() > 1e-12  # in single precision, that is


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_sums_of_a_transform_are_exact_in_whatever_order(kind: type[np.complex64]) -> None:
    random = np.random.default_rng(6)
    scores, places = random.beta(0.6, 2, 200), places_of(random, 200, 20, 50)
    usual = SharedSamples.of(scores, places)
    order = random.permutation(200)
    other = replace(usual, population=usual.population[order], counts=usual.counts[:, order])
    rows = np.arange(20)
    found, again = (one.characteristic(rows, 0.2, 30, kind) for one in (usual, other))
    assert found.dtype == kind
    np.testing.assert_array_equal(found, again)


@each
def test_the_population_has_mean_0_and_sd_1(name: str) -> None:
    _, shared, _ = samples_of(name, 5)
    scores = np.array(POPULATIONS[name])
    assert shared.truth == pytest.approx(scores.mean(), abs=1e-15)
    assert shared.scale == pytest.approx(scores.std())
    np.testing.assert_allclose(
        shared.population, (scores - scores.mean()) / scores.std(), atol=1e-12
    )


@each
def test_moments_are_those_of_each_sample(name: str) -> None:
    drawn, shared, own = samples_of(name, 15)
    e = (drawn - shared.truth) / shared.scale
    varies = np.ptp(drawn, axis=1) > 0
    for moments in (shared.moments, own.moments):
        assert moments.varies.tolist() == varies.tolist()
        np.testing.assert_allclose(moments.mean, e.mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(moments.sd, np.where(varies, e.std(axis=1), 1), atol=1e-12)
        for found, wanted in (
            (moments.skewness, stats.skew), (moments.kurtosis, stats.kurtosis),
        ):  # fmt: skip
            np.testing.assert_allclose(found[varies], wanted(e[varies], axis=1), atol=1e-9)


def test_moments_of_a_score_alone_are_finite() -> None:
    moments = SampleMoments.of_powers(
        np.array([[0.5, 0.0], [0.25, 0.0], [0.125, 0.0], [0.0625, 0.0]])
    )
    assert moments.varies.tolist() == [False, False]
    assert moments.sd.tolist() == [1, 1]
    assert moments.skewness.tolist() == [0, 0]


@each
def test_tilted_moments_are_those_of_each_sample(name: str) -> None:
    drawn, shared, own = samples_of(name, 15)
    rows = np.flatnonzero(np.ptp(drawn, axis=1) > 0)[:20]
    random = np.random.default_rng(8)
    tilt, centre = random.uniform(0.01, 0.4, len(rows)), random.uniform(-2, 2, len(rows))
    u = drawn[rows] - drawn[rows].mean(axis=1, keepdims=True)
    u /= u.std(axis=1, keepdims=True)
    weights = np.exp(-tilt[:, None] * (u - centre[:, None]) ** 2)
    total = weights.sum(axis=1)
    wanted = [np.log(total / 15), *((weights * u**k).sum(axis=1) / total for k in (1, 2, 3, 4))]
    for samples in (shared, own):
        tilted = samples.tilted(rows)
        assert tilted.draws == 15
        for found, exact in zip(tilted(tilt, centre), wanted, strict=True):
            np.testing.assert_allclose(found, exact, rtol=1e-8, atol=1e-9)
