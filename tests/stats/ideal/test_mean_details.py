"""The distribution of m*: grids and lattices as docs/ideal.md has them, and quantiles at jumps."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq

from confint_cli.stats.ideal.mean import (
    last_wave,
    lattice_step,
    mean_distribution,
    reach_of,
)
from tests.ideal.truth import sums
from tests.stats.ideal.longhand import column_of, exact_sums


def even(topics: int) -> np.ndarray:
    """Return scores on no lattice, all different, none of which stands out."""
    scores: np.ndarray = np.sqrt(np.arange(1.0, topics + 1) / topics)
    return scores


def points(scores: np.ndarray) -> int:
    return len(mean_distribution(column_of(scores)).cumulative)


# Grids


@pytest.mark.parametrize(("largest", "topics"), [(0.2, 50), (0.9, 4), (0.7071, 2), (0.01, 10**5)])
def test_a_grid_reaches_as_far_as_bernsteins_inequality_leaves_1e_10(
    largest: float, topics: int
) -> None:
    log = np.log(1e10)
    bernstein = brentq(lambda w: w * w / 2 - log * (1 + w * largest / 3), 0.1, 1e4, xtol=1e-13)
    expected = min(bernstein, 1.001 * topics * largest)
    assert reach_of(largest, topics) == pytest.approx(expected, rel=1e-9)


CLUSTERED = {
    "two": lambda place: np.where(place % 2, 1000, 9000),
    "one in ten": lambda place: np.where(place % 10, 9000, 1000),
    "three, evenly": lambda place: np.array([1000, 5000, 9000])[place % 3],
    "three": lambda place: np.array([1000, 4300, 9000])[place % 3],
}


def in_clusters(kind: str, topics: int, width: int) -> np.ndarray:
    """Return scores in units of 1/10,000 that lie in a few clusters of a width."""
    random = np.random.default_rng([topics, width])
    scores: np.ndarray = CLUSTERED[kind](np.arange(topics)) + random.integers(0, width, topics)
    return scores


@pytest.mark.parametrize("width", [20, 100, 500])
@pytest.mark.parametrize("topics", [20, 50, 200, 1000])
@pytest.mark.parametrize("kind", CLUSTERED)
def test_scores_in_clusters_have_the_limits_of_exact_sums(
    kind: str, topics: int, width: int
) -> None:
    """Their sums lie in clusters, too, with hardly any between these."""
    whole = in_clusters(kind, topics, width)
    exact, found = sums(whole), mean_distribution(column_of(whole / 10_000))
    p = np.array([0.0005, 0.005, 0.025, 0.05, 0.16, 0.84, 0.95, 0.975, 0.995, 0.9995])
    se = np.sqrt(topics) * whole.std(ddof=1)
    limits = found.quantile(p) * 10_000 * topics
    np.testing.assert_allclose(limits / se, (exact.quantile(p) - whole.sum()) / se, atol=0.012)
    assert found.share_below == pytest.approx(exact.share_below(whole.sum()), abs=0.0025)


def test_smooth_scores_have_few_points_and_those_in_clusters_many() -> None:
    for topics in (50, 200, 1000):
        assert points(even(topics)) == 1 << 11
        assert points(in_clusters("two", topics, 20) / 10_000) >= 1 << 14
    assert points(np.repeat([0.1, 0.31, 0.32, 0.9, 0.97], 10)) >= 1 << 13
    assert points(np.append(even(40), 40.0)) >= 1 << 13  # sums with and without the last one
    assert points(np.append(even(40), 2.0)) == 1 << 11


def test_a_grid_is_as_fine_as_its_blur_asks_for() -> None:
    """Dividing scores between points adds less than .008 standard deviations of the sum."""
    for topics in (100, 5000, 60_000):
        scores = even(topics)
        exact = np.sqrt(((scores - scores.mean()) ** 2).sum())  # of the sum
        found = mean_distribution(column_of(scores))
        mean = float(found.probabilities @ found.points)
        sd = np.sqrt(found.probabilities @ (found.points - mean) ** 2) * topics
        assert mean * topics == pytest.approx(0, abs=1e-6 * exact)
        assert sd == pytest.approx(exact, rel=1e-5)


def test_a_lattice_has_as_many_points_as_its_sums_need() -> None:
    """The next power of two, where sums go 2·reach/step from end to end, and 3 more."""
    for topics in (20, 30, 40, 55, 80):
        whole = np.random.default_rng(topics).integers(0, 11, topics)
        deviations = whole - whole.mean()
        root = np.sqrt((deviations**2).sum())
        ends = 2 * reach_of(np.abs(deviations).max() / root, topics) * root + 3
        assert ends <= points(whole / 10) < 2 * ends


def test_steps_of_a_lattice_too_fine_to_see_are_none() -> None:
    """A thousandth has to be .004 standard deviations of the sum, .25, or more."""
    for topics, lattice in ((100, True), (300, False)):
        whole = np.random.default_rng(topics).integers(0, 60, topics)
        sd_of_sum = whole.std() * np.sqrt(topics)
        assert lattice == (0.004 * sd_of_sum < 1)
        assert mean_distribution(column_of(whole / 1000)).lattice == lattice


def test_a_resolution_is_that_of_a_grid_on_which_one_score_alone_may_be_seen() -> None:
    """With 40 of 50 topics alike, (4/5)⁵⁰ is more than a millionth; on a lattice, it is exact."""
    others = even(10)
    seen, unseen, lattice = (
        mean_distribution(column_of(scores))
        for scores in (
            np.append(np.zeros(40), others),
            np.append(np.zeros(35), even(15)),
            np.append(np.zeros(40), np.arange(1, 11) / 10),
        )
    )
    assert not seen.lattice
    assert not unseen.lattice
    assert lattice.lattice
    assert seen.resolution == seen.step > 0
    assert unseen.resolution == lattice.resolution == 0


@pytest.mark.parametrize("share", [0.8, 0.9])
def test_a_resample_of_the_most_frequent_score_alone_is_on_a_point(share: float) -> None:
    scores = np.append(np.zeros(round(50 * share)), even(50 - round(50 * share)))
    found = mean_distribution(column_of(scores))
    place = round((-scores.mean() - found.first) / found.step)
    assert found.points[place] == pytest.approx(-scores.mean(), abs=found.resolution)
    assert found.probabilities[place] == pytest.approx(share**50, rel=0.001)
    assert found.probabilities[place - 5 : place].max() < 1e-12


def test_the_mean_is_on_a_point_and_the_grid_no_wider_than_it_has_to_be() -> None:
    for scores in (even(40), np.repeat(even(12), 5)):
        found, n = mean_distribution(column_of(scores)), len(scores)
        assert -found.first / found.step == pytest.approx(round(-found.first / found.step))
        deviations = scores - scores.mean()
        root = np.sqrt((deviations**2).sum())
        ends = 2 * reach_of(np.abs(deviations).max() / root, n) * root
        assert found.step * n * len(found.points) == pytest.approx(ends, rel=0.002)


# Scores that dwarf others


@pytest.mark.parametrize("topics", [20, 50, 200])
@pytest.mark.parametrize("unit", [1e-200, 1.0, 3e200])
def test_an_outlier_among_fine_scores_has_the_limits_of_exact_sums(
    unit: float, topics: int
) -> None:
    whole = np.append(np.random.default_rng(topics).integers(0, 300, topics - 1), 9000)
    exact, p = sums(whole), np.array([0.0005, 0.005, 0.025, 0.05, 0.95, 0.975, 0.995, 0.9995])
    found = mean_distribution(column_of(unit * whole)).quantile(p) / unit * topics
    se = np.sqrt(topics) * whole.std(ddof=1)
    np.testing.assert_allclose(found / se, (exact.quantile(p) - whole.sum()) / se, atol=0.01)


# Lattices


def test_quantiles_of_a_lattice_at_its_own_shares_are_its_points() -> None:
    """A share of F itself, which is rounded, belongs to the point where F reaches it."""
    for topics in (10, 20, 40):
        whole = np.arange(topics) % 2
        found, total = mean_distribution(column_of(whole)), Fraction(0)
        assert found.lattice
        for value, probability in exact_sums(whole.tolist()).items():
            total += probability
            if Fraction(1, 1000) < total < Fraction(999, 1000):
                reached = found.quantile(np.array([float(total)]))
                assert reached[0] == pytest.approx((value - topics / 2) / topics, abs=1e-9)


@pytest.mark.parametrize("total", [0, 5, 10, 15])
@pytest.mark.parametrize("top", [3, 10])
def test_any_mean_keeps_scores_on_their_lattice(total: int, top: int) -> None:
    """Forty rounded thirds or tenths: none is moved by rounding, wherever the mean lies."""
    whole = np.random.default_rng(total).integers(0, top + 1, 40)
    while whole.sum() % 20 != total:
        whole[whole.argmin()] += 1
    scores = np.round(whole / top, 4)
    exact, found = exact_sums(whole.tolist()), mean_distribution(column_of(scores))
    assert found.lattice
    below = sum((p for value, p in exact.items() if value < whole.sum()), start=Fraction(0))
    assert found.share_below == pytest.approx(float(below + exact[int(whole.sum())] / 2), abs=1e-9)
    np.testing.assert_allclose(
        found.probabilities[found.probabilities > 1e-5],
        [float(p) for p in exact.values() if p > Fraction(1, 100_000)],
        atol=1e-9,
    )


@pytest.mark.parametrize(
    ("scores", "step"),
    [
        ([0.0, 0.0, 0.7123456], 0.7123456),
        ([0.0, 0.7123456, 0.7123456], 0.7123456),
        ([0.2, 0.2, 0.7, 0.95], 0.25),
        ([0.0, 0.0501, 0.1], 0),  # .0001 would be noticed
        ([0.0, 0.00005, 0.1], 0.1),  # but not that
        ([0.0, 0.0002, 1.0], 0),
        ([0.0, 1e307, 1e308], 1),
    ],
)
def test_steps_between_scores_that_are_nearly_on_a_lattice(
    scores: list[float], step: float
) -> None:
    with np.errstate(all="raise", under="ignore"):
        assert lattice_step(np.array(scores)) == pytest.approx(step)


# How far the waves of a population reach


def last_wave_longhand(e: np.ndarray, draws: int, until: float) -> float:
    """Return the last frequency up to one at which |φ(ω/√n)|ⁿ is more than .0003."""
    frequencies = np.linspace(0, until, 40_001)
    means = [np.abs(np.exp(1j * t * e).mean()) for t in frequencies / np.sqrt(draws)]
    return float(frequencies[np.flatnonzero(np.array(means) ** draws > 3e-4)[-1]])


@pytest.mark.parametrize("draws", [10, 50])
@pytest.mark.parametrize("width", [200, 500, 1500])
def test_the_last_wave_is_where_the_transform_of_the_population_fades(
    width: int, draws: int
) -> None:
    scores = in_clusters("two", 150, width) / 10_000
    e = (scores - scores.mean()) / scores.std()
    found = last_wave(e, draws, 0.0)
    assert found == pytest.approx(last_wave_longhand(e, draws, 1.5 * found), rel=0.03, abs=0.45)
    assert found > 10


def test_smooth_scores_have_no_wave_far_out() -> None:
    e = (even(150) - even(150).mean()) / even(150).std()
    assert last_wave(e, 50, 0.0) == pytest.approx(last_wave_longhand(e, 50, 20), abs=0.45)


@pytest.mark.parametrize("draws", [20, 50])
def test_waves_of_a_lattice_are_looked_for_up_to_two_steps_only(draws: int) -> None:
    """Beyond, they come again. Those of tenths have faded by then, those of ones have not."""
    tenths = np.random.default_rng(3).integers(0, 11, 200) / 10
    for scores, step, fades in ((tenths, 0.1, True), (np.arange(200) % 50 == 0, 1.0, False)):
        e = (scores - scores.mean()) / scores.std()
        own_step = step / scores.std()
        end = np.pi * np.sqrt(draws) / own_step
        found = last_wave(e, draws, own_step)
        assert last_wave(e, draws, 0.0) > 1.5 * end
        if fades:
            assert found == pytest.approx(last_wave_longhand(e, draws, end), abs=0.45)
        else:
            assert found == pytest.approx(end, abs=0.45)
