"""Intervals of effect sizes: R's effectsize, longhand, and how often they cover."""

import statistics

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.comparison import (
    Differences,
    Moments,
    paired_differences,
    unpaired_differences,
)
from confint_cli.stats.effects import GLASS, GZ, Effects, G, deletions, of_paired, of_unpaired
from confint_cli.stats.pairs import Paired, Pairs
from tests.reference.effects import rows, scores

ONE = Pairs(np.array([0]), np.array([1]))
OF_R = 37.0  # R's pt fails for larger shifts, and effectsize with it


def paired(values: np.ndarray, levels: list[float]) -> tuple[Differences, Effects]:
    both = Paired(values, ONE)
    known = paired_differences(both)
    return known, of_paired(both, known, np.array(levels))


def unpaired(x: np.ndarray, y: np.ndarray, levels: list[float]) -> tuple[Differences, Effects]:
    moments = Moments(
        np.array([len(x), len(y)]),
        np.array([x.mean(), y.mean()]),
        np.array([x.std(ddof=1), y.std(ddof=1)]),
        np.stack([deletions(x), deletions(y)], axis=1),
    )
    known = unpaired_differences(moments, ONE)
    return known, of_unpaired(known, np.array(levels))


@pytest.mark.parametrize("kind", ["gz", "g"])
def test_standardised_differences_are_those_of_effectsize(kind: str) -> None:
    """Its optim has four digits; its hedges_g takes the factor without bias off limits too."""
    compared = 0
    for row in rows(kind):
        if row["case"] == "two" and kind == "gz":
            continue  # it calls gz of two topics 0, and there is none without bias
        values, level = scores()[row["case"]], float(row["level"])
        call = paired if kind == "gz" else lambda both, levels: unpaired(*both.T, levels)
        known, effects = call(values, [level])
        estimate = (known.hedges_gz if kind == "gz" else known.hedges_g)[0]
        assert estimate == pytest.approx(float(row["first"]), rel=1e-9)
        fails = abs(estimate) < 1e-9  # its search does not leave 0
        if (
            not fails
            and float(row["third"]) * np.sqrt(len(values) / (1 if kind == "gz" else 2)) < OF_R
        ):
            (low,), (high,) = effects[GZ if kind == "gz" else G]
            limits = float(row["second"]), float(row["third"])
            assert (low[0], high[0]) == pytest.approx(limits, rel=3e-4, abs=3e-4), row
            compared += 1
    assert compared >= 12


def test_glass_delta_is_that_of_effectsize() -> None:
    for row in rows("glass"):
        known, _ = paired(scores()[row["case"]], [0.95])
        assert known.glass_delta[0] == pytest.approx(float(row["first"]), rel=1e-9)


def delta(x: list[float], y: list[float]) -> float:
    return (statistics.mean(x) - statistics.mean(y)) / statistics.stdev(y)


@pytest.mark.parametrize("case", ["alike", "apart", "few", "tied", "uneven"])
def test_glass_interval_is_the_jackknife_longhand(case: str) -> None:
    x, y = scores()[case].T.tolist()
    n = len(x)
    without = [delta(x[:i] + x[i + 1 :], y[:i] + y[i + 1 :]) for i in range(n)]
    se = ((n - 1) / n * sum((each - statistics.mean(without)) ** 2 for each in without)) ** 0.5
    half = stats.t.ppf(0.975, n - 1) * se
    _, effects = paired(np.array([x, y]).T, [0.95])
    (low,), (high,) = effects[GLASS]
    assert (low[0], high[0]) == pytest.approx((delta(x, y) - half, delta(x, y) + half), rel=1e-9)

    def variance(estimates: list[float]) -> float:
        middle = statistics.mean(estimates)
        return (n - 1) / n * sum((each - middle) ** 2 for each in estimates)

    of_run = variance([delta(x[:i] + x[i + 1 :], y) for i in range(n)])
    of_baseline = variance([delta(x, y[:i] + y[i + 1 :]) for i in range(n)])
    total = of_run + of_baseline
    df = total**2 / ((of_run**2 + of_baseline**2) / (n - 1))
    half = stats.t.ppf(0.975, df) * total**0.5
    _, effects = unpaired(np.array(x), np.array(y), [0.95])
    (low,), (high,) = effects[GLASS]
    assert (low[0], high[0]) == pytest.approx((delta(x, y) - half, delta(x, y) + half), rel=1e-9)


def test_glass_interval_of_runs_with_other_numbers_of_topics() -> None:
    rng = np.random.default_rng(8)
    x, y = rng.random(9).tolist(), rng.beta(0.5, 2, 14).tolist()

    def variance(estimates: list[float]) -> float:
        middle, n = statistics.mean(estimates), len(estimates)
        return (n - 1) / n * sum((each - middle) ** 2 for each in estimates)

    of_run = variance([delta(x[:i] + x[i + 1 :], y) for i in range(9)])
    of_baseline = variance([delta(x, y[:i] + y[i + 1 :]) for i in range(14)])
    df = (of_run + of_baseline) ** 2 / (of_run**2 / 8 + of_baseline**2 / 13)
    half = stats.t.ppf(0.9, df) * (of_run + of_baseline) ** 0.5
    _, effects = unpaired(np.array(x), np.array(y), [0.8])
    (low,), (high,) = effects[GLASS]
    assert (low[0], high[0]) == pytest.approx((delta(x, y) - half, delta(x, y) + half), rel=1e-9)
    root = (1 / 9 + 1 / 14) ** 0.5
    pooled = ((8 * statistics.variance(x) + 13 * statistics.variance(y)) / 21) ** 0.5
    t = (statistics.mean(x) - statistics.mean(y)) / pooled / root
    (low,), (high,) = effects[G]
    for shift, tail in ((low[0] / root, 0.9), (high[0] / root, 0.1)):
        assert stats.nct.cdf(t, 21, shift) == pytest.approx(tail, abs=1e-6)


@pytest.mark.parametrize("size", [1e-140, 1e-3, 1e6, 1e120])
def test_effects_have_no_unit(size: float) -> None:
    values = np.random.default_rng(4).beta(0.5, 1.5, (12, 2))
    for call in (paired, lambda both, levels: unpaired(*both.T, levels)):
        _, plain = call(values, [0.95])
        _, scaled = call(values * size, [0.95])
        for name, ends in plain.items():
            assert np.array(scaled[name]) == pytest.approx(np.array(ends), rel=1e-9), name


def test_a_matrix_gives_what_a_loop_gives_and_levels_contain_one_another() -> None:
    values = np.random.default_rng(1).beta(0.5, 1.5, (20, 5))
    levels = np.array([0.8, 0.99])
    pairs = Pairs.all(5)
    both = Paired(values, pairs)
    every = of_paired(both, paired_differences(both), levels)
    for pair in range(len(pairs)):
        own = values[:, [pairs.run[pair], pairs.baseline[pair]]]
        _, effects = paired(own, levels.tolist())
        for name, (low, high) in effects.items():
            assert every[name][0][:, pair] == pytest.approx(low[:, 0], rel=1e-9)
            assert every[name][1][:, pair] == pytest.approx(high[:, 0], rel=1e-9)
    for low, high in every.values():
        assert (low[1] < low[0]).all()
        assert (high[1] > high[0]).all()


def test_without_variance_there_are_no_limits() -> None:
    constant = np.array([[0.5, 0.2], [0.6, 0.3], [0.7, 0.4], [0.9, 0.6]])
    _, effects = paired(constant, [0.95])
    assert np.isnan(effects[GZ]).all()
    assert not np.isnan(effects[GLASS]).any()  # the baseline's own scores vary
    one_value = np.array([[0.5, 0.0], [0.6, 0.0], [0.7, 0.0], [0.8, 1.0]])
    _, effects = paired(one_value, [0.95])
    assert np.isnan(effects[GLASS]).all()  # without one of them, they do not
    _, effects = paired(np.array([[0.5, 0.2], [0.9, 0.3]]), [0.95])
    assert np.isnan(effects[GLASS]).all()
    assert np.isnan(effects[GZ]).all()  # nor is there an estimate without bias
    _, effects = unpaired(np.array([0.1, 0.2]), np.array([0.4, 0.3]), [0.95])
    assert np.isnan(effects[GLASS]).all()
    assert not np.isnan(effects[G]).any()


# The figures of docs/compare.md: 95% intervals, skewed, uneven and tied scores.


def population(kind: str, topics: int = 100_000) -> np.ndarray:
    """Return scores of a run and a baseline on many topics, with a correlation of .7 or so."""
    z = np.random.default_rng(7).standard_normal((topics, 2))
    z[:, 1] = 0.7 * z[:, 0] + np.sqrt(1 - 0.49) * z[:, 1]
    if kind == "normal":
        return z + np.array([0.5, 0.0])
    u = stats.norm.cdf(z)
    if kind == "tied":
        return np.c_[np.floor(u[:, 0] * 10.999), np.floor(u[:, 1] ** 2 * 10.999)] / 10
    shapes = {"skewed": (0.5, 1.5, 0.5, 2.0), "uneven": (0.5, 1.5, 0.3, 3.0)}[kind]
    return np.c_[stats.beta.ppf(u[:, 0], *shapes[:2]), stats.beta.ppf(u[:, 1], *shapes[2:])]


@pytest.mark.parametrize(
    ("kind", "glass", "gz"),
    [("normal", 0.954, 0.95), ("skewed", 0.956, 0.966), ("uneven", 0.94, 0.992),
     ("tied", 0.957, 0.963)],
)  # fmt: skip
def test_intervals_of_25_topics_cover(kind: str, glass: float, gz: float) -> None:
    of_all, samples = population(kind), 2000
    x, y = of_all.T
    truth = {
        GLASS: (x.mean() - y.mean()) / y.std(),
        GZ: (x - y).mean() / (x - y).std(),
    }
    drawn = np.random.default_rng(25).integers(0, len(of_all), (25, samples))
    places = np.arange(samples)
    both = Paired(np.hstack([x[drawn], y[drawn]]), Pairs(places, places + samples))
    effects = of_paired(both, paired_differences(both), np.array([0.95]))
    for name, expected in ((GLASS, glass), (GZ, gz)):
        (low,), (high,) = effects[name]
        covered = np.mean((low <= truth[name]) & (truth[name] <= high))
        assert covered == pytest.approx(expected, abs=0.015), name
