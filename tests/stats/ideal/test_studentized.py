"""The distribution of z*: against what is known of normal scores, and resamples."""

import numpy as np
import pytest
from scipy import optimize
from scipy.special import ndtr, ndtri
from scipy.stats import norm, t

from confint_cli.stats.ideal.studentized import (
    Standardized,
    TiltedRows,
    cornish_fisher,
    quantiles,
    standardized,
    tail_root,
)
from tests.stats.ideal.longhand import resamples


class NormalScores:
    """Moments of normal u under draws tilted by exp(-λ(u-c)²): these are normal again."""

    def __init__(self, draws: int) -> None:
        self.draws = draws

    def __call__(self, tilt: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, ...]:
        widen = 1 + 2 * tilt
        mean, variance = 2 * tilt * centre / widen, 1 / widen
        total = -np.log(widen) / 2 - tilt * centre**2 / widen
        square = mean**2 + variance
        cube = mean**3 + 3 * mean * variance
        fourth = mean**4 + 6 * mean**2 * variance + 3 * variance**2
        return total, mean, square, cube, fourth


@pytest.mark.parametrize("draws", [15, 30, 50, 250])
def test_the_studentised_mean_of_normal_scores_has_students_distribution(draws: int) -> None:
    """Nearly: Daniels and Young (1991) found the same."""
    z = np.array([-9.0, -4.0, -3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0, 9.0])
    root, solved = tail_root(NormalScores(draws), z, 6)
    assert solved.all()
    np.testing.assert_allclose(root, -root[::-1], atol=1e-9)
    tail, expected = ndtr(-np.abs(root)), t.sf(np.abs(z), draws - 1)
    np.testing.assert_allclose(tail, expected, rtol=0.4 / draws)


@pytest.mark.parametrize("topics", [50, 200])
def test_quantiles_of_scores_as_even_as_normal_ones_are_near_students(topics: int) -> None:
    scores = norm.ppf((np.arange(topics) + 0.5) / topics)
    p = np.array([0.0005, 0.005, 0.025, 0.05, 0.25, 0.75, 0.95, 0.975, 0.995, 0.9995])
    found, solved = quantiles(standardized(scores[None]), p)
    assert solved.all()
    np.testing.assert_allclose(found[:, 0], -found[::-1, 0], atol=2e-3)
    np.testing.assert_allclose(found[:, 0], t.ppf(p, topics - 1), rtol=1.5 / topics)


def test_a_quantile_is_where_the_root_is_as_wanted() -> None:
    random = np.random.default_rng(5)
    columns = standardized(np.sort(random.beta(0.6, 2, (4, 60))) - 0.2)
    columns = standardized(columns.values - columns.values.mean(axis=1, keepdims=True))
    p = np.array([0.001, 0.025, 0.95, 0.995])
    found, solved = quantiles(columns, p)
    assert solved.all()
    nearer, farther = (quantiles(columns, ndtr(ndtri(p) * by))[0] for by in (0.98, 1.02))
    assert (np.abs(nearer) < np.abs(found)).all()
    assert (np.abs(farther) > np.abs(found)).all()


@pytest.mark.parametrize("shape", ["even", "skewed", "tenths", "a third zeros"])
def test_quantiles_are_those_of_two_million_resamples(shape: str) -> None:
    random, number = np.random.default_rng(19), 2_000_000
    scores = {
        "even": random.random(50),
        "skewed": random.beta(0.8, 3, 50),
        "tenths": random.binomial(10, random.beta(1, 2, 50)) / 10,
        "a third zeros": np.where(random.random(50) < 0.35, 0.0, random.beta(1, 2, 50)),
    }[shape]
    whole = np.rint(10_000 * scores).astype(int)
    _, ratios = resamples(whole, number, 6)
    p = np.array([0.0005, 0.005, 0.025, 0.05, 0.95, 0.975, 0.995, 0.9995])
    found, solved = quantiles(standardized((whole - whole.mean())[None]), p)
    assert solved.all()
    sd = np.sqrt(p * (1 - p) / number)
    low, middle, high = np.quantile(ratios, [p - sd, p, p + sd], method="inverted_cdf")
    allowed = 4 * (high - low) / 2 + np.array([0.03, 0.015, 0.01, 0.01, 0.01, 0.01, 0.015, 0.03])
    assert (np.abs(found[:, 0] - middle) < allowed).all()
    assert np.abs(middle - ndtri(p)).max() > 0.2  # a normal distribution would not do


def test_columns_beyond_the_number_of_points_are_nearly_as_they_are() -> None:
    scores = np.random.default_rng(3).beta(0.5, 2, (1, 6000))
    deviations = scores - scores.mean()
    gridded, all_scores = standardized(deviations), deviations / deviations.std()
    assert gridded.values.shape[1] < 6000
    assert (gridded.shares * gridded.values).sum() == pytest.approx(0, abs=1e-12)
    assert gridded.skewness == pytest.approx((all_scores**3).mean(), rel=1e-5)
    p = np.array([0.025, 0.975])
    found, solved = quantiles(gridded, p)
    assert solved.all()
    expected = cornish_fisher(ndtri(p)[:, None], gridded.skewness, 6000)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_the_middle_of_the_distribution_is_not_found() -> None:
    found = quantiles(standardized(np.linspace(-1, 1, 30)[None]), np.array([0.45, 0.5, 0.025]))
    assert found[1][:, 0].tolist() == [False, False, True]


def skewed_columns(kind: str) -> Standardized:
    """Return 30 columns, of which some are hard."""
    random = np.random.default_rng(41)
    scores = {
        "even": lambda: random.random((30, 60)),
        "skewed": lambda: random.beta(0.3, 2, (30, 50)),
        "15 topics": lambda: random.beta(1, 2, (30, 15)),
        "long tails": lambda: random.lognormal(0, 1, (30, 40)),
        "one outlier": lambda: np.hstack([0.02 * random.random((30, 49)), random.random((30, 1))]),
    }[kind]()
    return standardized(scores - scores.mean(axis=1, keepdims=True))


KINDS = ("even", "skewed", "15 topics", "long tails", "one outlier")


def exact_root(u: np.ndarray, z: float, start: tuple[float, float]) -> float:
    """Return r* of the scores u [topic] at z, by the formulas of docs/ideal.md as they stand."""
    n = len(u)
    beta = 1 + (n - 1) / z**2

    def tilted(a: float, tilt: float) -> np.ndarray:
        weights = np.exp(-tilt * (u - beta * a) ** 2)
        return weights / weights.sum()

    def conditions(at: np.ndarray) -> list[float]:
        p = tilted(*at)
        return [p @ u - at[0], p @ u**2 - beta * at[0] ** 2]

    found = optimize.root(conditions, start, tol=1e-13)
    assert np.abs(conditions(found.x)).max() < 1e-9
    a, tilt = found.x
    p = tilted(a, tilt)
    (k11, k12), (_, k22) = np.cov(u, u**2, aweights=p, ddof=0)
    total = np.log(np.exp(-tilt * (u - beta * a) ** 2).mean())
    r = np.sqrt(2 * n * (-tilt * beta * (beta - 1) * a**2 - total))
    d = k22 - 4 * beta * a * k12 + 4 * (beta * a) ** 2 * k11
    d -= 2 * beta * tilt * (k11 * k22 - k12**2)
    return float(np.sign(z) * (r + np.log(tilt * np.sqrt(n * d) / r) / r))


@pytest.mark.parametrize("kind", ["even", "skewed", "15 topics"])
def test_the_root_is_that_of_the_formulas(kind: str) -> None:
    columns = skewed_columns(kind)
    for z in (-3.5, -1.5, -0.7, 0.7, 1.5, 2.5):
        root, solved = tail_root(TiltedRows(columns), np.full(30, z), 40)
        assert solved.all()
        beta = 1 + (columns.draws - 1) / z**2
        start = np.sign(z) / np.sqrt(beta), 1 / (2 * (beta - 1))
        for u, own in zip(columns.values[:8], root, strict=False):
            assert own == pytest.approx(exact_root(u, z, start), abs=1e-7)


@pytest.mark.parametrize("kind", ["even", "skewed"])
def test_newtons_method_comes_close_in_six_steps_and_closer_at_each(kind: str) -> None:
    """Its derivatives are right, or it would not come as close."""
    rows, checked = TiltedRows(skewed_columns(kind)), 0
    for z in (-4.0, -2.0, -0.7, 0.7, 2.0, 3.0):
        exact, _ = tail_root(rows, np.full(30, z), 40)
        before = np.inf
        for steps in (3, 4, 5, 6):
            off = np.abs(tail_root(rows, np.full(30, z), steps)[0] - exact)
            worst = off[np.isfinite(off)].max()
            assert worst < max(before / 4, 1e-8), (z, steps)
            before = worst
            checked += 1
        assert before < 1e-8
    assert checked == 24


@pytest.mark.parametrize("kind", KINDS)
def test_a_root_that_is_trusted_is_near_the_one_that_more_steps_find(kind: str) -> None:
    rows = TiltedRows(skewed_columns(kind))
    trusted = {}
    for steps in (1, 2, 3, 4, 6):
        for z in (-6.0, -4.0, -2.0, -0.7, 0.7, 2.0, 4.0, 6.0):
            root, solved = tail_root(rows, np.full(30, z), steps)
            exact, possible = tail_root(rows, np.full(30, z), 100)
            assert possible[solved].all()
            assert np.isfinite(root[solved]).all()
            np.testing.assert_allclose(root[solved], exact[solved], atol=3e-3)
            trusted[steps, z] = solved.mean()
    assert not any(share for (steps, z), share in trusted.items() if steps == 1 and abs(z) > 1)
    assert all(trusted[6, z] == 1 for z in (-0.7, 0.7))


@pytest.mark.parametrize("kind", KINDS)
def test_the_root_at_a_quantile_is_as_wanted(kind: str) -> None:
    """As close as ten million resamples would tell: see `found` of all levels and columns."""
    columns = skewed_columns(kind)
    p = np.array([1e-5, 5e-4, 0.005, 0.025, 0.1, 0.25, 0.75, 0.9, 0.975, 0.995, 0.9995, 1 - 1e-5])
    z, found = quantiles(columns, p)
    allowed = 6e-3 if kind == "one outlier" else 1.5e-3
    for at, own, is_found in zip(ndtri(p), z, found, strict=True):
        root, solved = tail_root(TiltedRows(columns), own, 100)
        assert solved[is_found].all()
        np.testing.assert_allclose(root[is_found], at, atol=allowed)
    least = {"even": 1, "skewed": 1, "15 topics": 0.98, "long tails": 0.95, "one outlier": 0.6}
    assert found.mean() >= least[kind]


def test_a_row_has_the_quantiles_that_it_has_alone() -> None:
    columns = skewed_columns("long tails")
    p = np.array([0.0005, 0.025, 0.5, 0.975, 0.9995])
    z, found = quantiles(columns, p)
    for row in range(30):
        own, own_found = quantiles(columns.rows(np.array([row])), p)
        np.testing.assert_array_equal(own[:, 0], z[:, row])
        np.testing.assert_array_equal(own_found[:, 0], found[:, row])


def test_the_middle_of_a_symmetric_distribution_is_no_division_by_zero() -> None:
    columns = standardized(np.tile([-2.0, -1.0, 1.0, 2.0], 10)[None])
    assert columns.skewness[0] == 0
    _, found = quantiles(columns, np.array([0.5, 0.025]))
    assert found[:, 0].tolist() == [False, True]


def test_each_of_many_columns_has_points_between_its_own_least_and_largest_score() -> None:
    random = np.random.default_rng(17)
    scores = np.stack([random.beta(0.5, 2, 5000), random.random(5000), random.normal(size=5000)])
    scores -= scores.mean(axis=1, keepdims=True)
    gridded, exact = standardized(scores), scores / scores.std(axis=1, keepdims=True)
    assert gridded.draws == 5000
    assert (gridded.shares > -1e-15).all()  # but for rounding
    np.testing.assert_allclose(gridded.shares.sum(axis=1), 1)
    np.testing.assert_allclose(gridded.values[:, 0], exact.min(axis=1))
    np.testing.assert_allclose(gridded.values[:, -1], exact.max(axis=1))
    assert (gridded.shares[:, [0, -1]] > 0).all()  # the least and the largest score are there
    for power, off in ((1, 1e-12), (2, 1e-5), (3, 1e-4)):
        found = (gridded.shares * gridded.values**power).sum(axis=1)
        np.testing.assert_allclose(found, (exact**power).mean(axis=1), atol=off)
    p = np.array([0.005, 0.975])
    together = quantiles(gridded, p)[0]
    for row in range(3):
        alone = quantiles(standardized(scores[[row]]), p)[0]
        np.testing.assert_allclose(together[:, [row]], alone, rtol=1e-12)


def test_4096_topics_are_as_they_are() -> None:
    scores = np.arange(4096.0) - 2047.5
    columns = standardized(scores[None])
    assert columns.shares.shape == (1, 1)
    np.testing.assert_allclose(columns.values[0], scores / scores.std())


@pytest.mark.parametrize("skewness", [-1.5, 0.0, 0.8, 2.0])
def test_cornish_and_fishers_quantiles_invert_halls_expansion(skewness: float) -> None:
    """Φ + n^-½·q₁φ + q₂φ/n (1992, section 2.6), but for what is of a smaller order than 1/n.

    Hall's sd divides by n in se, too: his ratio is √(n/(n-1)) times as large.
    """
    n, z = 10**10, np.array([-3.0, -1.96, -0.8, 0.3, 1.0, 2.576])
    x = cornish_fisher(z, np.full(6, skewness), n) * np.sqrt(n / (n - 1))
    first = skewness * (2 * x**2 + 1) / 6
    second = x * (-(skewness**2) / 18 * (x**4 + 2 * x**2 - 3) - (x**2 + 3) / 4)
    probability = ndtr(x) + (first / np.sqrt(n) + second / n) * norm.pdf(x)
    np.testing.assert_allclose(n * (probability - ndtr(z)) / norm.pdf(z), 0, atol=0.005)
