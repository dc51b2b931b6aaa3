"""The engine of coverage studies, against exact answers and against slow, obvious ones."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import ALONE, Local
from confint_cli.scores.scores import Matrix
from confint_cli.stats.coverage import Simulation, Tally, TooFewTopicsError, tallies
from confint_cli.stats.estimate import Estimation, ends, resampled, resampled_roughly
from confint_cli.stats.flags import mostly_one_value
from confint_cli.stats.methods import method_named, usual_methods
from confint_cli.stats.quantiles import Ordered
from confint_cli.stats.random import choose, derived, draw_topics, generator
from confint_cli.stats.sample import Sample

FREE = tuple(name for name, one in usual_methods().items() if one.accepts is None)


def matrix(values: np.ndarray, runs: Sequence[str] = (), measure: str = "map") -> Matrix:
    runs = tuple(runs) or tuple(f"run{place}" for place in range(values.shape[1]))
    filled = np.zeros(values.shape, dtype=bool)
    return Matrix(measure, tuple(map(str, range(len(values)))), runs, values, filled)


def tally(scores: Matrix, methods: Sequence[str], simulation: Simulation, **how: object) -> Tally:
    settings = {"resamples": 199, "workers": ALONE, **how}
    estimation = Estimation(tuple(methods), (0.95,), **settings)
    (found,) = tallies([scores], [tuple(methods)], estimation, simulation).values()
    return found


def coverage(found: Tally, simulation: Simulation) -> np.ndarray:
    """[run, method] at the first level."""
    shares: np.ndarray = np.einsum("rmml->rml", found.covered)[..., 0] / simulation.replicates
    return shares


def standard_errors(share: float, expected: float, trials: int) -> float:
    return float(abs(share - expected) / np.sqrt(expected * (1 - expected) / trials))


# Exact answers: all samples of a small population, one by one


def exact(values: np.ndarray, size: int, method: str, *, replacement: bool) -> list[float]:
    """Return the probability to cover, to lie above the truth, to lie below it; the mean width."""
    every = product(values, repeat=size) if replacement else permutations(values, size)
    samples = np.array(list(every))
    mean, truth = samples.mean(axis=1), values.mean()
    if method == "t":
        half = stats.t.ppf(0.975, size - 1) * samples.std(axis=1, ddof=1) / np.sqrt(size)
    else:
        half = np.full(len(mean), stats.norm.ppf(0.975) * values.std() / np.sqrt(size))
    high, low = truth < mean - half - 1e-9, truth > mean + half + 1e-9
    return [float((~high & ~low).mean()), float(high.mean()), float(low.mean()),
            float(2 * half.mean())]  # fmt: skip


@pytest.mark.parametrize("method", ["t", "z"])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("values", [[0.0, 0.1, 0.2, 0.9, 1.0], [0.0, 0.0, 0.0, 0.0, 0.5]])
def test_all_samples_of_a_small_population(
    method: str, replacement: bool, values: list[float]
) -> None:
    scores = np.array(values)
    covers, above, below, width = exact(scores, 3, method, replacement=replacement)
    assert covers < 1 or not replacement
    simulation = Simulation(20_000, (3,), replacement)
    found = tally(matrix(scores[:, None]), [method], simulation)
    for share, expected in (
        (coverage(found, simulation)[0, 0], covers),
        (found.too_high[0, 0, 0] / 20_000, above),
        (found.too_low[0, 0, 0] / 20_000, below),
    ):
        if expected in (0, 1):
            assert share == expected
        else:
            assert standard_errors(share, expected, 20_000) < 4
    assert found.width[0, 0, 0] / 20_000 == pytest.approx(width, rel=0.02)


# A truth that is known because the population is a distribution


@pytest.mark.parametrize("size", [5, 30])
def test_t_covers_as_often_as_it_says_for_normal_scores(size: int) -> None:
    """5,000 normal scores stand for the distribution; binomial bounds for 8 runs of them."""
    scores = np.random.default_rng(1).normal(0.3, 0.1, (5000, 8))
    simulation = Simulation(2000, (size,))
    share = coverage(tally(matrix(scores), ["t"], simulation), simulation).mean()
    assert standard_errors(share, 0.95, 16_000) < 4


@pytest.mark.parametrize(("method", "size"), [("t", 5), ("t", 30), ("percentile", 10)])
def test_skewed_scores_are_covered_as_often_as_samples_from_the_distribution_say(
    method: str, size: int
) -> None:
    """Longhand: samples from the beta distribution itself, whose mean is a/(a+b)."""
    a, b = 0.4, 1.6
    random = np.random.default_rng(2)
    samples = random.beta(a, b, (4000, size))
    if method == "t":
        half = stats.t.ppf(0.975, size - 1) * stats.sem(samples, axis=1)
        low, high = samples.mean(axis=1) - half, samples.mean(axis=1) + half
    else:
        means = [random.choice(one, (199, size)).mean(axis=1) for one in samples]
        ordered = np.sort(means, axis=1)
        low, high = ordered[:, 4], ordered[:, 194]  # the 5th and the 195th of 199
    expected = ((low <= a / (a + b)) & (a / (a + b) <= high)).mean()
    assert expected < 0.94  # too seldom, as the papers say
    population = stats.beta.ppf((np.arange(20_000) + 0.5) / 20_000, a, b)
    simulation = Simulation(4000, (size,))
    share = coverage(tally(matrix(population[:, None]), [method], simulation), simulation)[0, 0]
    assert standard_errors(share, expected, 2000) < 4  # of a difference: half the trials


# Single precision and a rough order give the same limits


def nasty_samples(seed: int) -> np.ndarray:
    """Samples of 30 topics: skewed, coarse, with outliers, tiny, huge, mostly zero, constant."""
    random = np.random.default_rng(seed)
    skewed = random.beta(0.5, 1.5, 30)
    return np.column_stack([
        skewed,
        random.integers(0, 11, 30) / 10,
        np.where(np.arange(30) == 3, 0.9, random.random(30) * 1e-3),
        skewed * 1e-35,
        skewed * 1e40 - 5e39,
        np.where(np.arange(30) < 27, 0.0, skewed),
        np.where(np.arange(30) < 29, 0.1, 0.1001),
        np.full(30, 0.25),
        1000 + skewed,
    ])  # fmt: skip


@pytest.mark.parametrize("level", [0.95, 0.5])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rough_limits_are_the_precise_ones(level: float, seed: int) -> None:
    scores = nasty_samples(seed)
    how = Estimation(FREE, (level,), 999, seed)
    (precise,) = resampled(Sample(scores), how)
    (rough,) = resampled_roughly(Sample(scores), how)
    for name in FREE:
        method = method_named(name)
        low, high = ends(precise, method, np.array([level]))
        rough_low, rough_high = ends(rough, method, np.array([level]))
        bounded = np.isfinite(low) & np.isfinite(high)
        width = (high - low)[bounded]
        for ours, theirs in ((rough_low, low), (rough_high, high)):
            np.testing.assert_array_equal(ours[~bounded], theirs[~bounded])
            difference = np.abs(ours[bounded] - theirs[bounded])
            assert (difference <= 2e-3 * width).all(), (name, difference / width)


def test_rough_logit_limits_are_the_precise_ones() -> None:
    scores = nasty_samples(0)[:, [0, 1, 2, 5]]
    how = Estimation(("logit",), (0.95,), 999)
    logit = method_named("logit")
    (precise,), (rough,) = (
        resampled(Sample(scores), how),
        resampled_roughly(Sample(scores), how),
    )
    for ours, theirs in zip(
        ends(rough, logit, np.array([0.95])), ends(precise, logit, np.array([0.95])), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_more_counts_than_memory_is_meant_for_give_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = matrix(np.random.default_rng(0).beta(0.5, 1.5, (30, 3)))
    simulation = Simulation(60)
    at_once = tally(scores, FREE, simulation)
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.estimate._ROUGH_COUNTS", 100)
    np.testing.assert_array_equal(tally(scores, FREE, simulation).covered, at_once.covered)
    monkeypatch.undo()
    monkeypatch.setattr(
        "confint_cli.stats.estimate._ROUGH_REPLICATES", 400
    )  # two columns at a time
    again = tally(scores, FREE, simulation)
    np.testing.assert_array_equal(again.covered, at_once.covered)
    np.testing.assert_array_equal(again.width, at_once.width)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 60), st.integers(1, 60))
def test_tails_are_those_of_a_whole_sort(seed: int, number: int, depth: int) -> None:
    values = np.random.default_rng(seed).integers(0, 20, (3, number)).astype(np.float32)
    expected = np.sort(values, axis=1)
    ordered = Ordered.sort(values.copy(), depth)
    for place in range(1, number + 1):
        found = ordered.at(np.array([[place]]))
        np.testing.assert_array_equal(found[0], expected[:, place - 1])
    ordered = Ordered.sort(values.copy(), depth)
    places = np.random.default_rng(seed).integers(1, number + 1, (2, 3))
    np.testing.assert_array_equal(ordered.at(places), expected[[0, 1, 2], places - 1])


# What a run's figure depends on


SKEWED = matrix(np.random.default_rng(3).beta(0.5, 1.5, (20, 40)))


def test_it_does_not_depend_on_other_runs_or_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(520, (8,))
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.coverage._VALUES", 30_000)  # tasks of 1 to 3 batches
    everyone = tally(SKEWED, FREE, simulation)
    for place in (0, 17, 39):
        alone = replace(SKEWED, runs=(SKEWED.runs[place],), values=SKEWED.values[:, [place]])
        found = tally(alone, FREE, simulation)
        np.testing.assert_array_equal(found.covered[0], everyone.covered[place])
        np.testing.assert_array_equal(found.width[0], everyone.width[place])
    turned = replace(SKEWED, runs=SKEWED.runs[::-1], values=SKEWED.values[:, ::-1])
    np.testing.assert_array_equal(tally(turned, FREE, simulation).covered, everyone.covered[::-1])


def test_it_does_not_depend_on_processes_methods_levels_or_other_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.coverage._VALUES", 1)  # a batch a task
    names = ("t", "bca", "bootstrap-t")
    simulation = Simulation(120, (8, 12))
    one, two = (
        tallies([SKEWED], [names], Estimation(names, (0.95, 0.8), 199, workers=workers), simulation)
        for workers in (ALONE, Local(2))
    )
    one, two = one[0, 8], two[0, 8]
    np.testing.assert_array_equal(one.covered, two.covered)
    np.testing.assert_array_equal(one.width, two.width)
    only = tally(SKEWED, ["bca"], Simulation(120, (8,)))
    np.testing.assert_array_equal(only.covered[:, 0, 0, 0], one.covered[:, 1, 1, 0])
    np.testing.assert_array_equal(only.width[:, 0, 0], one.width[:, 1, 0])


def test_it_depends_on_names_and_on_the_seed() -> None:
    simulation = Simulation(400, (8,))
    same = matrix(np.repeat(SKEWED.values[:, :1], 3, axis=1), ["a", "b", "b"])
    found = tally(same, ["t"], simulation)
    assert found.width[0, 0, 0] != found.width[1, 0, 0] == found.width[2, 0, 0]
    other = tally(replace(same, measure="P_10"), ["t"], simulation)
    assert other.width[0, 0, 0] != found.width[0, 0, 0]
    seeded = tally(same, ["t"], simulation, seed=1)
    assert seeded.width[0, 0, 0] != found.width[0, 0, 0]


def test_a_batch_has_weights_of_its_own() -> None:
    """The same sample in two batches has percentile limits of two bootstraps."""
    constant_draw = np.tile([[0.0], [1.0]], (10, 1))  # without replacement: always all 20
    simulation = Simulation(100, (20,), replacement=False)
    found = tally(matrix(constant_draw), ["percentile"], simulation)
    first = tally(matrix(constant_draw), ["percentile"], Simulation(50, (20,), replacement=False))
    assert found.width[0, 0, 0] != 2 * first.width[0, 0, 0]


def test_both_methods_covering_is_counted() -> None:
    simulation = Simulation(500, (8,))
    found = tally(SKEWED, ["t", "percentile"], simulation)
    t, both, other = (found.covered[:, i, j, 0] for i, j in ((0, 0), (0, 1), (1, 1)))
    assert (both <= np.minimum(t, other)).all()
    assert (both >= t + other - 500).all()
    missed = found.too_high[:, :, 0] + found.too_low[:, :, 0]
    np.testing.assert_array_equal(missed, 500 - np.column_stack([t, other]))


RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize(
    "scores",
    [
        (RANDOM.random((50, 4)) < 0.3).astype(float),
        (RANDOM.random((249, 2)) < 0.3).astype(float),
        RANDOM.integers(0, 11, (200, 2)) / 10,
        1e6 + RANDOM.integers(0, 11, (50, 2)),
        1 / RANDOM.integers(1, 11, (50, 3)),
        np.where(np.arange(250)[:, None] == 3, 0.9, RANDOM.random((250, 2)) * 1e-3),
        1e-170 * RANDOM.random((50, 2)),
        RANDOM.random((300, 2)),
    ],
    ids=["0/1", "0/1, 249", "tenths", "offset", "reciprocal", "outlier", "tiny", "300"],
)
def test_as_many_cover_in_single_as_in_double_precision(
    scores: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits that are the truth, as those of coarse scores often are, cover it in both."""
    simulation = Simulation(100)
    rough = tally(matrix(scores), FREE, simulation, resamples=999)
    # Patched: nothing but the size of the work decides which precision is taken.
    monkeypatch.setattr("confint_cli.stats.estimate._ROUGH_COUNTS", 0)
    precise = tally(matrix(scores), FREE, simulation, resamples=999)
    assert np.abs(rough.covered - precise.covered).max() <= 1
    finite = np.isfinite(precise.width)
    np.testing.assert_array_equal(np.isfinite(rough.width), finite)
    np.testing.assert_allclose(rough.width[finite], precise.width[finite], rtol=3e-4)


@pytest.mark.parametrize("offset", [1e4, 1e6])
def test_coverage_does_not_depend_on_where_zero_is(offset: float) -> None:
    scores = np.random.default_rng(7).normal(size=(50, 3)).round(3)
    simulation = Simulation(300)
    expected = tally(matrix(scores), ["t", "z", "percentile"], simulation).covered
    found = tally(matrix(scores + offset), ["t", "z", "percentile"], simulation).covered
    assert np.abs(found - expected).max() <= 1


def test_z_of_tiny_scores_covers_as_that_of_others() -> None:
    simulation = Simulation(300)
    expected = tally(SKEWED, ["z"], simulation)
    tiny = replace(SKEWED, values=SKEWED.values * 2.0**-600)
    np.testing.assert_array_equal(tally(tiny, ["z"], simulation).covered, expected.covered)


def test_large_samples_are_drawn_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(120, (30,))
    expected = tally(SKEWED, ["t", "bca"], simulation)
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.coverage._CELLS", 7 * 30)  # seven samples, a run a task
    found = tally(SKEWED, ["t", "bca"], simulation)
    np.testing.assert_array_equal(found.covered, expected.covered)
    np.testing.assert_allclose(found.width, expected.width, rtol=1e-12)


# Standardising


def test_standardising_by_all_others_is_one_population() -> None:
    """Of 4 runs, 3 others are the same each time: z of a known population, longhand."""
    values = np.random.default_rng(5).random((30, 4))
    simulation = Simulation(4000, (6,), standardizing=3)
    found = tally(matrix(values), ["z"], simulation)
    others = values[:, 1:]
    z = (values[:, 0] - others.mean(axis=1)) / others.std(axis=1, ddof=1)
    width = 2 * stats.norm.ppf(0.975) * z.std() / np.sqrt(6)
    assert found.width[0, 0, 0] / 4000 == pytest.approx(width, rel=1e-12)
    assert found.left_out == 0


def test_a_run_is_never_among_those_that_standardise_it() -> None:
    """It would make them differ where all others are alike: such topics are always left out."""
    values = np.random.default_rng(5).random((10, 6))
    values[0, 1:] = 0.5  # the first run alone differs here
    alone = tally(matrix(values), ["t"], Simulation(200, (4,), standardizing=5))
    assert alone.left_out == 200  # once for each sample of the first run, and of no other


def test_too_few_topics_to_standardise_are_an_error() -> None:
    values = np.full((10, 6), 0.5)
    values[0] = np.arange(6)
    for workers in (ALONE, Local(2)):
        with pytest.raises(TooFewTopicsError) as error:
            tally(matrix(values), ["t"], Simulation(10, (4,), standardizing=2), workers=workers)
        assert (error.value.measure, error.value.topics) == ("map", 1)


# Drawing


def test_topics_are_drawn_evenly_and_only_usable_ones() -> None:
    usable = np.ones((20_000, 6), dtype=bool)
    usable[:, 4] = False
    for replacement in (True, False):
        drawn = draw_topics(generator(0), usable, 3, replacement=replacement)
        counts = np.bincount(drawn.ravel(), minlength=6)
        assert counts[4] == 0
        assert stats.chisquare(counts[[0, 1, 2, 3, 5]]).pvalue > 0.001
        distinct = np.array([len(set(row)) for row in drawn.tolist()])
        assert (distinct == 3).all() != replacement
    everything = draw_topics(generator(0), np.ones((5, 4), dtype=bool), 4, replacement=False)
    assert everything.tolist() == [[0, 1, 2, 3]] * 5


def test_runs_are_chosen_evenly_and_once() -> None:
    chosen = choose(generator(0), 20_000, 7, 3)
    assert stats.chisquare(np.bincount(chosen.ravel())).pvalue > 0.001
    assert (np.diff(chosen, axis=1) > 0).all()


def test_derived_seeds_are_those_of_the_names() -> None:
    seeds = {derived(0, "a", "bc"), derived(0, "ab", "c"), derived(1, "a", "bc"), derived(0, "a")}
    assert len(seeds) == 4
    assert derived(0, "\udcff") != derived(0, "?")  # a name that was no UTF-8


@pytest.mark.parametrize("replacement", [True, False])
def test_mostly_one_value_is_the_chance_of_a_sample_of_that_value(replacement: bool) -> None:
    zeros, topics, size = np.array([9, 8, 6, 0, 10]), 10, 6
    rest = 0.1 + np.arange(topics)[:, None] / 100
    scores = np.where(np.arange(topics)[:, None] < zeros, 0.0, rest)
    chance = (zeros / topics) ** size
    if not replacement:
        chance = stats.hypergeom.pmf(size, topics, zeros, size)
    for value in (0.0, 0.25):
        sample = Sample(np.where(scores == 0, value, scores))
        found = mostly_one_value(sample, size, replacement=replacement)
        expected = (chance > 0.01) & (zeros < topics)  # or there is no variance at all
        np.testing.assert_array_equal(found[0 if value == 0 else 1], expected)
        assert not found[1 if value == 0 else 0].any()
        larger, _ = mostly_one_value(Sample(scores), 25, replacement=True)
        assert larger.tolist() == [True, False, False, False, False]
