"""Do intervals of samples cover the truth? Verdicts and widths against longhand."""

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.scores.scores import Matrix
from confint_cli.stats.coverage import Simulation, Tally, tallies
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.ideal.covering import study_of
from confint_cli.stats.ideal.logits import logit_moments
from confint_cli.stats.ideal.samples import OwnSamples, SharedSamples
from confint_cli.stats.sample import Sample
from tests.ideal.truth import sums
from tests.stats.ideal.longhand import exact_sums
from tests.stats.ideal.longhand_covering import (
    MEANS,
    Resampled,
    binomial_bound,
    judged,
    places_of,
    study,
)

RANDOM = np.random.default_rng(2024)
FREE = (*MEANS, "bootstrap-t")
LEVELS = (0.5, 0.9, 0.95, 0.99, 0.999)
FINE = RANDOM.beta(0.6, 1.5, 50)
TENTHS = RANDOM.binomial(10, FINE)  # P_10
SUCCESS = (np.arange(50) < 17).astype(float)
ZEROS = np.where(np.arange(50) < 38, 0.0, FINE)
POPULATIONS = {
    "fine": FINE,
    "P_10": TENTHS / 10,
    "0 and 1": SUCCESS,
    "mostly zeros": ZEROS,
    "negative": FINE - FINE[::-1],
    "reciprocal ranks": 1 / RANDOM.integers(1, 6, 50),
    "five topics": np.array([0.1, 0.25, 0.3, 0.7, 0.95]),
    "two scores": np.where(np.arange(50) < 20, 0.2, 0.7),
    "an outlier": np.where(np.arange(50) == 0, 9.0, FINE / 10),
}


def matrix(values: np.ndarray, runs: Sequence[str] = ()) -> Matrix:
    runs = tuple(runs) or tuple(f"run{place}" for place in range(values.shape[1]))
    filled = np.zeros(values.shape, dtype=bool)
    return Matrix("map", tuple(map(str, range(len(values)))), runs, values, filled)


def tally(
    scores: Matrix,
    simulation: Simulation,
    levels: Sequence[float] = (0.95,),
    resamples: int | None = None,
    methods: Sequence[str] = FREE,
) -> Tally:
    """Return the tally by the ideal bootstrap, or by one of a number of resamples."""
    how = Estimation(tuple(methods), tuple(levels), resamples, 5, workers=ALONE)
    (found,) = tallies([scores], [tuple(methods)], how, simulation).values()
    return found


# Few topics: all resamples of each sample, one after the other


@pytest.mark.parametrize("size", [2, 3, 5, 6])
@pytest.mark.parametrize("name", POPULATIONS)
def test_verdicts_and_widths_of_few_topics_are_those_of_all_resamples(name: str, size: int) -> None:
    scores, random = POPULATIONS[name], np.random.default_rng(size)
    places = places_of(random, len(scores), 25 if size < 6 else 4, size)
    methods = (*FREE, "logit") if scores.min() >= 0 and scores.max() <= 1 else FREE
    if name == "an outlier":  # beside it, others are nearly equal: see the next test
        methods = MEANS
    everything = [Resampled.in_full(scores[own]) for own in places]
    for method in methods:
        found = judged(scores, places, method, LEVELS)
        for place, level in enumerate(LEVELS):
            # Of adjusted levels below 1e-7, see the test far out.
            if method == "bca" and level > 0.99:
                continue
            truth = float(scores.mean())
            expected = [one.verdict(method, level, truth) for one in everything]
            too_high, too_low, widths = map(list, zip(*expected, strict=True))
            assert found.too_high[place].tolist() == too_high, (method, level)
            assert found.too_low[place].tolist() == too_low, (method, level)
            assert found.width[place] == pytest.approx(sum(widths), rel=1e-6), (method, level)


def test_scores_that_nearly_agree_still_vary() -> None:
    """Resamples of .0301 and .0303 alone have a large z*, but no infinite one."""
    scores, places = np.array([0.0301, 0.0303, 2.0]), np.array([[0, 1, 2]])
    found = judged(scores, places, "bootstrap-t", (0.5,)).width[0]
    assert np.isfinite(found)
    expected = Resampled.in_full(scores).verdict("bootstrap-t", 0.5, float(scores.mean()))[2]
    assert found == pytest.approx(expected, rel=1e-6)


def test_bca_far_out_has_the_verdicts_of_all_resamples() -> None:
    """Adjusted levels fall below 1e-7; the limit is the least score, and the truth may be below."""
    scores, truth = TENTHS / 10, float(TENTHS.mean()) / 10
    places = places_of(np.random.default_rng(3), 50, 200, 3)
    found = judged(scores, places, "bca", (0.99999,))
    everything = [Resampled.in_full(scores[own]) for own in places]
    expected = [one.verdict("bca", 0.99999, truth)[:2] for one in everything]
    assert [*zip(found.too_high[0], found.too_low[0], strict=True)] == expected


@pytest.mark.parametrize("mirrored", [False, True])
def test_bca_beyond_its_pole_has_the_verdict_of_its_limits(mirrored: bool) -> None:
    """One outlier of 20, and 1 - a(z0+z) is negative: the outermost quantile is the limit."""
    scores, level = np.array([0.3, 0.5, 0.1, 0.1]), 1 - 1e-11
    scores, places = 1 - scores if mirrored else scores, np.array([[0] + [1] * 19])
    found, truth = judged(scores, places, "bca", (level,)), float(scores.mean())
    how = Estimation(("bca",), (level,), None, workers=ALONE)
    limits = estimate(Sample(scores[places].T), how).limits["bca"]
    assert found.too_high.tolist() == (truth < limits.low).tolist() == [[not mirrored]]
    assert found.too_low.tolist() == (truth > limits.high).tolist() == [[mirrored]]


# More topics: exact sums on lattices, draws elsewhere


def at_truth_exactly(whole: np.ndarray, own: np.ndarray) -> list[float]:
    """F(θ), F(θ⁻), F(m) with ties half, F(2m-θ), F((2m-θ)⁻) of a sample of whole numbers."""
    exact, n, topics = exact_sums(own), len(own), len(whole)
    theta = int(whole.sum()) * n  # of sums, times the number of topics
    mean = int(own.sum()) * topics
    points = [theta, mean, 2 * mean - theta]
    up_to = [float(sum(p for s, p in exact.items() if s * topics <= at)) for at in points]
    below = [float(sum(p for s, p in exact.items() if s * topics < at)) for at in points]
    return [up_to[0], below[0], (up_to[1] + below[1]) / 2, up_to[2], below[2]]


IDS = ["P_10", "0 and 1", "negative"]


@pytest.mark.parametrize("size", [8, 10, 25])
@pytest.mark.parametrize("whole", [TENTHS, SUCCESS.astype(int), TENTHS - 5], ids=IDS)
def test_lattices_have_their_exact_distribution_at_the_truth(whole: np.ndarray, size: int) -> None:
    places = places_of(np.random.default_rng(size), 50, 12, size)
    step = 1 if whole.max() == 1 else 10
    for levels, close in (((0.95,), 2e-5), ((0.95, 0.99999), 1e-9)):
        found = study(whole / step, places, levels).at_truth
        for sample, own in enumerate(whole[places]):
            if np.ptp(own) > 0:
                expected = at_truth_exactly(whole, own)
                np.testing.assert_allclose(found[:, sample], expected, rtol=0, atol=close)


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_a_tie_with_the_truth_counts_in_f_but_not_before_it(size: int) -> None:
    """Of half successes, θ is a point of the lattice for even n: P(m* = θ) is binomial."""
    scores = np.array([0.0, 0.0, 1.0, 1.0])
    places = np.array([[0, 2] * (size // 2), [0] * (size - 1) + [2]])
    truth, before, *_ = study(scores, places, (0.95,)).at_truth
    for sample, share in enumerate([0.5, 1 / size]):
        atom = stats.binom.pmf(size // 2, size, share)
        assert truth[sample] - before[sample] == pytest.approx(atom, abs=2e-6)


@pytest.mark.parametrize("size", [9, 11])
def test_a_truth_between_points_of_the_lattice_is_no_tie(size: int) -> None:
    scores = np.array([0.0, 0.0, 1.0, 1.0])
    truth, before, *_ = study(scores, np.array([[0, 2] * (size // 2) + [0]]), (0.95,)).at_truth
    assert truth == before
    assert truth[0] == pytest.approx(stats.binom.cdf(size // 2, size, (size // 2) / size), abs=2e-6)


@pytest.mark.parametrize("size", [8, 15, 50])
@pytest.mark.parametrize("name", ["fine", "negative", "five topics"])
def test_the_distribution_at_the_truth_is_that_of_draws(name: str, size: int) -> None:
    """Within five standard errors of 50,000 resamples, and .003 for atoms of few topics."""
    scores, random = POPULATIONS[name], np.random.default_rng(size)
    places = places_of(random, len(scores), 12, size)
    found, truth = study(scores, places, (0.95,)).at_truth, float(scores.mean())
    drawn = random.integers(0, size, (50_000, size), dtype=np.uint8)
    for sample, own in enumerate(scores[places]):
        means, m = own[drawn].mean(axis=1), float(own.mean())
        for point, at in ((0, truth), (2, m), (3, 2 * m - truth)):
            share = np.array((means <= at - 1e-9).mean() + (np.abs(means - at) < 1e-9).mean() / 2)
            exact = found[point, sample]
            assert abs(exact - share) <= binomial_bound(share, 50_000) + 0.003, (sample, point)


WITHIN = np.sqrt(np.arange(150) * 37 % 150 / 150)  # where scores lie in their clusters
PLACE = np.arange(150)
CLUSTERED = {  # in units of 1/10,000
    "two": np.where(PLACE % 2, 1000, 9000) + np.rint(100 * WITHIN),
    "two, with three digits": np.where(PLACE % 2, 1000, 9000) + 10 * np.rint(10 * WITHIN),
    "two, close together": np.where(PLACE % 3, 1000, 9000) + np.rint(20 * WITHIN),
    "one in ten": np.where(PLACE % 10, 9000, 1000) + np.rint(100 * WITHIN),
    "three": np.array([1000, 4300, 9000])[PLACE % 3] + np.rint(100 * WITHIN),
}


@pytest.mark.parametrize("size", [8, 20, 50])
@pytest.mark.parametrize("name", CLUSTERED)
def test_scores_in_clusters_have_the_distribution_of_exact_sums(name: str, size: int) -> None:
    """Sums lie in clusters, too: F hardly grows in between, where many truths lie."""
    whole = CLUSTERED[name].astype(int)
    places = places_of(np.random.default_rng(size), 150, 30, size)
    shared = SharedSamples.of(whole / 10_000, places)
    truth, scale = (np.full(30, one) for one in (shared.truth, shared.scale))
    levels = np.array([0.9, 0.95])
    for samples in (shared, OwnSamples.of_shared(shared, places)):
        one = study_of(samples, truth, scale, levels, 1)
        at_truth, width = one.at_truth, np.zeros(2)
        for sample, own in enumerate(whole[places]):
            exact, theta = sums(own), size * float(whole.mean())
            for point, at in ((0, theta), (2, own.sum()), (3, 2 * own.sum() - theta)):
                last = np.clip(np.floor(at + 1e-6) - exact.first, -1, len(exact.cumulative) - 1)
                share = exact.cumulative[int(last)] if last >= 0 else 0.0
                share = exact.share_below(own.sum()) if point == 2 else share
                assert at_truth[point, sample] == pytest.approx(share, abs=0.012)
            low, high = (exact.quantile(p) for p in ((1 - levels) / 2, (1 + levels) / 2))
            width += (high - low) / size / 10_000
        np.testing.assert_allclose(one.percentile_width, width, rtol=0.005)


@pytest.mark.parametrize(
    ("name", "size"),
    [("fine", 10), ("fine", 50), ("P_10", 10), ("P_10", 20), ("mostly zeros", 20)],
)
def test_verdicts_of_bootstrap_t_differ_from_draws_only_where_these_hardly_decide(
    name: str, size: int
) -> None:
    """20,000 resamples; 4,000 stand behind some verdicts: P(z* ≤ z) of α/2 give or take .0111."""
    scores, random = POPULATIONS[name], np.random.default_rng(size)
    places = places_of(random, len(scores), 40, size)
    found, truth = judged(scores, places, "bootstrap-t", (0.95,)), float(scores.mean())
    drawn, sure = random.integers(0, size, (20_000, size), dtype=np.uint8), 0
    for sample, own in enumerate(scores[places]):
        if np.ptp(own) == 0:
            continue
        ratios = Resampled(own, own[drawn]).ratios
        z = (own.mean() - truth) / (own.std(ddof=1) / np.sqrt(size))
        up_to, before = (ratios <= z + 1e-6).mean(), (ratios < z - 1e-6).mean()
        margin = 5 * np.sqrt(0.025 * 0.975 * (1 / 20_000 + 1 / 4_000)) - 0.0025
        for verdict, inside in (
            (found.too_high[0, sample], before - 0.975),
            (found.too_low[0, sample], 0.025 - up_to),
        ):
            if abs(inside) > margin:
                sure += 1
                assert verdict == (inside > 0), (sample, up_to, before)
    assert sure > 40


def test_ties_of_z_are_found_among_draws() -> None:
    """8 of 15 successes have the se of 7 of 15: with θ = 9/15, z* of 7 is z of 8 on paper."""
    scores = np.where(np.arange(5) < 2, 0.2, 0.7)
    places = np.array([[4] * 8 + [0] * 7])
    up_to, before = study(scores, places, (0.5,)).ratio_at_truth
    assert up_to[0] - before[0] == pytest.approx(stats.binom.pmf(7, 15, 8 / 15), abs=0.04)


def test_two_scores_of_any_kind_are_a_lattice() -> None:
    scores = np.where(np.arange(5) < 2, 0.2, 0.7123456)
    places = np.array([[0] * 8 + [4] * 12])
    truth, before, *_ = study(scores, places, (0.95,)).at_truth
    assert truth[0] - before[0] == pytest.approx(stats.binom.pmf(12, 20, 12 / 20), abs=0.01)


# Widths


def mean_width(scores: np.ndarray, places: np.ndarray, method: str, level: float) -> float:
    """Return the mean width from 20,000 resamples of each sample."""
    random, size = np.random.default_rng(9), places.shape[1]
    drawn = random.integers(0, size, (20_000, size), dtype=np.uint8)
    widths = [Resampled(own, own[drawn]).verdict(method, level, 0.0)[2] for own in scores[places]]
    return float(np.mean(widths))


@pytest.mark.parametrize(("size", "close"), [(8, 0.03), (20, 0.02), (50, 0.01)])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_widths_of_means_are_those_of_draws(method: str, size: int, close: float) -> None:
    places = places_of(np.random.default_rng(size), 50, 40, size)
    found = judged(FINE, places, method, (0.95,)).width[0] / 40
    assert found == pytest.approx(mean_width(FINE, places, method, 0.95), rel=close)


@pytest.mark.parametrize(("size", "close"), [(20, 0.05), (50, 0.02)])
def test_widths_of_ratios_are_those_of_draws(size: int, close: float) -> None:
    places = places_of(np.random.default_rng(size), 50, 40, size)
    found = judged(FINE, places, "bootstrap-t", (0.95,)).width[0] / 40
    assert found == pytest.approx(mean_width(FINE, places, "bootstrap-t", 0.95), rel=close)


def test_widths_of_all_samples_follow_from_those_of_the_first_ones() -> None:
    """Of 2,000 samples, 48 are measured; in pieces of 40 samples, all are."""
    places = places_of(np.random.default_rng(1), 50, 2000, 20)
    for method in FREE:
        at_once = judged(FINE, places, method, (0.95,)).width[0]
        pieces = [judged(FINE, part, method, (0.95,)).width[0] for part in np.split(places, 50)]
        assert at_once == pytest.approx(sum(pieces), rel=0.02), method


@pytest.mark.parametrize("level", [0.99, 0.999])
@pytest.mark.parametrize("size", [8, 10])
def test_no_interval_of_successes_is_wider_than_their_range(size: int, level: float) -> None:
    """With few successes, q*(α/2) is 0: the width is the upper quantile of a binomial."""
    places = np.array([[0] * 2 + [49] * (size - 2)] * 10)
    found = judged(SUCCESS, places, "percentile", (level,)).width[0] / 10
    low, high = (stats.binom.ppf(p, size, 2 / size) for p in ((1 - level) / 2, (1 + level) / 2))
    assert found == pytest.approx((high - low) / size, rel=1e-6)


def test_a_sample_of_zeros_but_one_has_an_infinite_bootstrap_t_interval() -> None:
    """(14/15)¹⁵ = .36 of its resamples are all zeros, in a population of which 44% are zeros."""
    scores = np.where(np.arange(50) < 22, 0.0, FINE)
    places = np.vstack([np.arange(30, 45)] * 60 + [[*range(14), 40]])
    assert judged(scores, places, "bootstrap-t", (0.95,)).width[0] == np.inf


# One sample, run or level gives the same whatever else there is


@pytest.mark.parametrize(
    ("name", "size"), [("fine", 5), ("fine", 20), ("P_10", 50), ("mostly zeros", 20)]
)
def test_means_have_the_same_verdicts_at_all_levels_as_at_each(name: str, size: int) -> None:
    scores, levels = POPULATIONS[name], (0.5, 0.9, 0.95, 0.99)
    places = places_of(np.random.default_rng(size), 50, 100, size)
    for method in (*MEANS, "logit"):
        together = judged(scores, places, method, levels)
        for place, level in enumerate(levels):
            alone = judged(scores, places, method, (level,))
            assert (together.too_high[place] == alone.too_high[0]).all()
            assert (together.too_low[place] == alone.too_low[0]).all()


def test_bootstrap_t_has_the_same_verdicts_at_all_levels_as_at_each() -> None:
    places = places_of(np.random.default_rng(1), 50, 2000, 10)
    together = judged(FINE, places, "bootstrap-t", LEVELS)
    for place, level in enumerate(LEVELS):
        alone = judged(FINE, places, "bootstrap-t", (level,))
        assert (together.too_high[place] == alone.too_high[0]).all()
        assert (together.too_low[place] == alone.too_low[0]).all()


@pytest.mark.parametrize("standardizing", [None, 2])
def test_a_run_alone_has_the_tally_that_it_has_among_others(standardizing: int | None) -> None:
    values = np.column_stack([FINE, TENTHS / 10, ZEROS, FINE[::-1]])
    names = ("a", "b", "c", "d")
    simulation = Simulation(120, (12,), standardizing=standardizing)
    among = tally(matrix(values, names), simulation, (0.9, 0.95))
    if standardizing:
        order = [2, 0, 3, 1]
        again = tally(
            matrix(values[:, order], [names[at] for at in order]), simulation, (0.9, 0.95)
        )
        alone = [(place, again, order.index(place)) for place in range(4)]
    else:
        singles = [matrix(values[:, [place]], [names[place]]) for place in range(4)]
        alone = [
            (place, tally(one, simulation, (0.9, 0.95)), 0) for place, one in enumerate(singles)
        ]
    for place, own, at in alone:
        for part in ("covered", "too_high", "too_low", "width"):
            np.testing.assert_array_equal(getattr(among, part)[place], getattr(own, part)[at])


# Scores without variance, sides, units


@pytest.mark.parametrize("size", [2, 7, 8, 50])
def test_a_constant_population_is_covered_by_points(size: int) -> None:
    found = tally(matrix(np.full((50, 1), 0.3)), Simulation(60, (size,)), (0.5, 0.95))
    assert (found.covered == 60).all()
    assert not found.width.any()


@pytest.mark.parametrize("size", [2, 5, 8, 20])
@pytest.mark.parametrize("method", [*FREE, "logit"])
def test_a_constant_sample_is_a_point_beside_the_truth(method: str, size: int) -> None:
    scores = np.array([0.0] * 9 + [1.0])
    some = np.array([[0] * size, [9] * size, [9] * (size // 2) + [0] * (size - size // 2)])
    found = judged(scores, some, method, (0.5, 0.95))
    assert found.too_low[:, :2].tolist() == [[True, False]] * 2
    assert found.too_high[:, :2].tolist() == [[False, True]] * 2
    assert found.width == pytest.approx(judged(scores, some[2:], method, (0.5, 0.95)).width)


@pytest.mark.parametrize("size", [8, 20])
@pytest.mark.parametrize("method", [*MEANS, "logit"])
def test_all_samples_may_be_constant(method: str, size: int) -> None:
    found = judged(np.array([0.0] * 9 + [1.0]), np.zeros((3, size), dtype=int), method, (0.95,))
    assert found.too_low.all()
    assert found.width.tolist() == [0.0]


@pytest.mark.parametrize("size", [5, 20, 50])
def test_intervals_of_skewed_scores_miss_on_the_side_of_the_long_tail(size: int) -> None:
    """Without the long tail a sample is too low; logit and bootstrap-t make up for some of it."""
    skewed = stats.lognorm.ppf((np.arange(200) + 0.5) / 200, 1.2) / 100
    found = tally(matrix(skewed[:, None]), Simulation(1000, (size,)), methods=FREE)
    low, high = found.too_low[0, :, 0], found.too_high[0, :, 0]
    assert (low > 2 * high).all()
    assert low[FREE.index("bootstrap-t")] < low[FREE.index("percentile")]
    assert low[FREE.index("percentile")] < low[FREE.index("basic")]


@pytest.mark.parametrize("size", [5, 20])
@pytest.mark.parametrize("method", FREE)
def test_mirrored_scores_exchange_the_sides(method: str, size: int) -> None:
    places = places_of(np.random.default_rng(size), 50, 200, size)
    usual, mirrored = (judged(sign * FINE, places, method, (0.9, 0.95)) for sign in (1, -1))
    differ = (usual.too_high != mirrored.too_low) | (usual.too_low != mirrored.too_high)
    assert differ.sum() <= 1
    np.testing.assert_allclose(usual.width, mirrored.width, rtol=1e-3)


@pytest.mark.parametrize("size", [5, 20])
@pytest.mark.parametrize(("factor", "shift"), [(1000.0, 0.0), (0.01, 3.0), (1e-12, 0.0)])
def test_units_of_scores_do_not_matter(factor: float, shift: float, size: int) -> None:
    places = places_of(np.random.default_rng(size), 50, 200, size)
    for method in FREE:
        usual = judged(FINE, places, method, (0.95,))
        other = judged(factor * FINE + shift, places, method, (0.95,))
        assert ((usual.too_high != other.too_high) | (usual.too_low != other.too_low)).sum() <= 1
        np.testing.assert_allclose(factor * usual.width, other.width, rtol=1e-3)


@pytest.mark.parametrize("factor", [1e-300, 1e300])
@pytest.mark.parametrize(
    "size",
    [5, 20],
)
def test_tiny_and_huge_scores_have_the_verdicts_of_others(factor: float, size: int) -> None:
    simulation = Simulation(100, (size,))
    usual, other = (tally(matrix(one * FINE[:, None]), simulation) for one in (1.0, factor))
    assert (np.abs(usual.too_low - other.too_low) <= 1).all()
    np.testing.assert_allclose(factor * usual.width, other.width, rtol=1e-3)


@pytest.mark.parametrize("size", [5, 20])
def test_logit_has_the_verdicts_of_others_for_tiny_scores(size: int) -> None:
    """Its logit is about their logarithm, and factors do not matter to that."""
    places = places_of(np.random.default_rng(size), 50, 100, size)
    usual, other = (judged(one * FINE, places, "logit", (0.5, 0.9)) for one in (1e-5, 1e-11))
    np.testing.assert_array_equal(usual.too_high, other.too_high)
    np.testing.assert_array_equal(usual.too_low, other.too_low)
    assert usual.too_high.any(axis=1).all()
    assert usual.too_low.any(axis=1).all()


@pytest.mark.parametrize("size", [2, 7, 8, 15, 50])
@pytest.mark.parametrize("name", POPULATIONS)
def test_whatever_the_scores_verdicts_are_one_sided_and_wider_for_higher_levels(
    name: str, size: int
) -> None:
    scores, levels = POPULATIONS[name], (0.5, 0.9, 0.95, 0.99, 0.999, 0.99999)
    found = tally(matrix(scores[:, None]), Simulation(60, (size,)), levels)
    own = np.einsum("rmml->rml", found.covered)
    assert (own + found.too_high + found.too_low == 60).all()
    assert not np.isnan(found.width).any()
    assert (found.width >= 0).all()
    for place, method in enumerate(FREE):
        if method != "bca":  # at adjusted levels, with ripples
            assert (np.diff(own[0, place]) >= 0).all(), method


# Logits


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("name", ["fine", "P_10", "0 and 1", "mostly zeros", "five topics"])
def test_moments_of_logits_are_those_of_all_resamples(name: str, size: int) -> None:
    """By Laplace transforms, which serve samples of eight topics and more, and by enumeration."""
    scores = POPULATIONS[name]
    places = places_of(np.random.default_rng(size), len(scores), 15, size)
    samples = SharedSamples.of(scores, places)
    by_transform = logit_moments(samples)
    by_enumeration = study(scores, places, (0.95,)).logit_moments()
    checked = 0
    for sample, own in enumerate(scores[places]):
        if np.ptp(own) == 0:
            assert by_transform[1][sample] == by_enumeration[1][sample] == 0
            continue
        mean, sd = Resampled.in_full(own).logit_moments()
        checked += 1
        assert by_enumeration[0][sample] == pytest.approx(mean, abs=1e-6)
        assert by_enumeration[1][sample] == pytest.approx(sd, abs=1e-6)
        assert by_transform[0][sample] == pytest.approx(mean, abs=0.01 * sd + 1e-6)
        assert by_transform[1][sample] == pytest.approx(sd, rel=0.03, abs=1e-4)
    assert checked >= 3


def test_logits_of_scores_that_are_all_tiny() -> None:
    places = places_of(np.random.default_rng(1), 50, 20, 10)
    usual, tiny = (judged(one * FINE, places, "logit", (0.95,)) for one in (1e-6, 1e-13))
    assert (usual.too_low == tiny.too_low).all()


# The same samples, resampled


def agree(ideal: Tally, drawn: Tally, samples: int, share: float) -> None:
    """Assert that the misses on either side differ by a share of the samples at most."""
    for one, other in ((ideal.too_high, drawn.too_high), (ideal.too_low, drawn.too_low)):
        assert np.abs(one - other).max() <= share * samples


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize(("size", "width"), [(5, 0.02), (20, 0.03), (45, 0.015)])
def test_5000_resamples_of_the_same_samples_have_nearly_the_same_tally(
    size: int, width: float, replacement: bool
) -> None:
    """They decide 1.5% of verdicts differently at the most, in both directions."""
    scores = matrix(np.column_stack([FINE, TENTHS / 10]))
    simulation = Simulation(200, (size,), replacement)
    ideal, drawn = (tally(scores, simulation, (0.9, 0.95), number) for number in (None, 5000))
    agree(ideal, drawn, 200, 0.015)
    finite = np.isfinite(ideal.width) & np.isfinite(drawn.width)
    assert finite[:, : len(MEANS)].all()
    np.testing.assert_allclose(ideal.width[:, :-1], drawn.width[:, :-1], rtol=width)
    bounded = finite[:, -1]
    of_ratios, of_drawn = (one.width[:, -1][bounded] for one in (ideal, drawn))
    np.testing.assert_allclose(of_ratios, of_drawn, rtol=0.12)


@pytest.mark.parametrize("size", [6, 20])
def test_standardized_samples_have_nearly_the_tally_of_2000_resamples(size: int) -> None:
    """Each has a population of its own; 2,000 resamples decide 2.5% differently at the most."""
    values = np.random.default_rng(8).beta(1, 2, (50, 12)) + FINE[:, None]
    simulation = Simulation(200, (size,), standardizing=8)
    some = matrix(values)
    ideal, drawn = (tally(some, simulation, (0.95,), number) for number in (None, 2000))
    assert ideal.left_out == drawn.left_out
    agree(ideal, drawn, 200, 0.025)
    np.testing.assert_allclose(ideal.width[:, :-1], drawn.width[:, :-1], rtol=0.04)


def test_samples_with_populations_of_their_own_take_little_memory() -> None:
    """50 samples of 249 topics are .1 MB."""
    samples = OwnSamples(np.random.default_rng(1).normal(size=(50, 249)))
    tracemalloc.start()
    try:
        samples.chance_of_one_value(np.arange(50))
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("scores", [FINE, TENTHS / 10], ids=["fine", "tenths"])
def test_a_large_population_need_not_be_counted(scores: np.ndarray) -> None:
    """Samples by their own scores, as of a large population, have the same probabilities."""
    places = places_of(np.random.default_rng(4), len(scores), 200, 20)
    shared = SharedSamples.of(scores, places)
    own = OwnSamples.of_shared(SharedSamples.of(scores, places[:0]), places)
    truth, scale = np.full(200, shared.truth), np.full(200, shared.scale)
    counted, by_score = (
        study_of(each, truth, scale, np.array([0.9, 0.95]), 0) for each in (shared, own)
    )
    np.testing.assert_allclose(by_score.at_truth, counted.at_truth, atol=3e-5)
    np.testing.assert_allclose(by_score.ratio_at_truth, counted.ratio_at_truth, atol=0.02)
