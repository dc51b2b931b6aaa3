"""The posterior of two runs against NUTS, scipy's inverse Wishart and closed forms."""

import csv
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from confint_cli.stats import random
from confint_cli.stats.posterior import Known, Posterior, Quantity, posterior_of
from confint_cli.stats.random import Drawing
from tests.conftest import ROOT

MANY = Drawing(1_000_000, 0)
USUAL = Drawing(100_000, 0)


def paired(topics: int, difference: float, sd: float, other: float, r: float) -> Known:
    return Known(topics, topics, difference, sd, other, r, (1 - r) * (1 + r))


def figures(quantity: Quantity, threshold: float, level: float = 0.95) -> list[float]:
    low, high, _ = quantity.limits(level)
    return [quantity.eap, quantity.sd_and_error()[0], low, high, quantity.above(threshold)]


# Against NUTS on the same model: tests/reference/posterior.py

with (ROOT / "tests/reference/posterior.tsv").open(encoding="utf-8") as file:
    NUTS = list(csv.DictReader(file, delimiter="\t"))


def pairs_of_nuts() -> dict[str, list[dict[str, str]]]:
    pairs: dict[str, list[dict[str, str]]] = {}
    for row in NUTS:
        r = f"r = {float(row['r']):.4f}" if row["paired"] == "1" else "unpaired"
        name = f"{row['run']} and {row['baseline']}, {float(row['topics']):.0f} topics, {r}"
        pairs.setdefault(name, []).append(row)
    return pairs


def known_of(row: dict[str, str]) -> Known:
    names = ("topics", "baseline_topics", "mean", "baseline_mean", "run_sd", "baseline_sd", "r")
    topics, baseline_topics, mean, baseline_mean, sd, baseline_sd, r = (
        float(row[name]) for name in names
    )
    known = Known(int(topics), int(baseline_topics), mean - baseline_mean, sd, baseline_sd)
    if row["paired"] == "0":
        return known
    return replace(known, r=r, unexplained=(1 - r) * (1 + r))


def off_by(row: dict[str, str], quantity: Quantity, draws: float) -> list[float]:
    """How many standard errors, those of both, each figure is away from that of NUTS."""
    found = figures(quantity, float(row["threshold"]))
    error = quantity.limits(0.95)[2]
    sd, sd_error = quantity.sd_and_error()
    own_errors = (sd / math.sqrt(draws), sd_error, error, error)
    off = []
    for name, ours, own in zip(("eap", "sd", "low", "high"), found, own_errors, strict=False):
        off.append((ours - float(row[name])) / math.hypot(own, float(row[f"{name}_error"])))
    # Counts of rare draws, which the spread over chains says nothing about where there are none.
    p = found[4]
    rare = math.hypot(math.sqrt(p * (1 - p) / 50_000), 1e-5)
    return [*off, (p - float(row["probability"])) / max(rare, float(row["probability_error"]))]


@pytest.mark.parametrize("name", pairs_of_nuts())
def test_eaps_limits_and_probabilities_are_those_of_nuts(name: str) -> None:
    rows = pairs_of_nuts()[name]
    posterior = posterior_of(known_of(rows[0]), USUAL)
    assert [row["quantity"] for row in rows] == [*posterior.quantities]
    for row in rows:
        off = off_by(row, posterior.quantities[row["quantity"]], posterior.effective_draws)
        assert max(map(abs, off)) < 5, (row["quantity"], off)


def test_nuts_was_asked_for_all_kinds_of_pairs() -> None:
    """Six pairs or more, of 20, 50 and 97 topics, of low, middling and very high correlation."""
    kinds = {(int(float(row["topics"])), float(row["r"])) for row in NUTS if row["paired"] == "1"}
    assert len(kinds) >= 9
    for topics in (20, 50, 97):
        own = [r for number, r in kinds if number == topics]
        assert min(own) < 0.1
        assert max(own) > 0.99
        assert any(0.4 < r < 0.8 for r in own)


@pytest.mark.long
def test_on_the_whole_the_differences_to_nuts_are_chance() -> None:
    off = []
    for rows in pairs_of_nuts().values():
        posterior = posterior_of(known_of(rows[0]), MANY)
        for row in rows:
            off += off_by(row, posterior.quantities[row["quantity"]], posterior.effective_draws)
    assert np.sqrt(np.mean(np.square(off))) < 1.3
    assert abs(np.mean(off)) < 0.3


# Against scipy's inverse Wishart, weighted in the obvious way


@pytest.mark.parametrize(("topics", "r"), [(6, 0.3), (20, -0.6), (20, 0.97), (50, 0.8)])
def test_the_posterior_is_the_weighted_inverse_wishart_of_scipy(topics: int, r: float) -> None:
    sd, other, difference = 0.21, 0.13, 0.04
    scale = (topics - 1) * np.array([[sd**2, r * sd * other], [r * sd * other, other**2]])
    number = 200_000
    drawn = stats.invwishart(topics - 2, scale).rvs(number, random_state=1)
    one, two, both = drawn[:, 0, 0], drawn[:, 1, 1], drawn[:, 0, 1]
    rho = both / np.sqrt(one * two)
    weight = (1 - rho**2) / np.sum(1 - rho**2)
    spread = np.sqrt((one + two - 2 * both) / topics)
    delta = difference + spread * np.random.default_rng(2).standard_normal(number)
    posterior = posterior_of(paired(topics, difference, sd, other, r), USUAL)
    ess = 1 / np.sum(weight**2)
    longhand = {
        "difference": delta,
        "glass_baseline": delta / np.sqrt(two),
        "glass_run": delta / np.sqrt(one),
        "correlation": rho,
    }
    for name, values in longhand.items():
        quantity = posterior.quantities[name]
        eap = np.sum(weight * values)
        error_of_eap = math.sqrt(np.sum(weight**2 * (values - eap) ** 2))
        low, high, error = quantity.limits(0.95)
        assert quantity.eap == pytest.approx(eap, abs=6 * error_of_eap)
        order = np.argsort(values)
        expected = np.interp([0.025, 0.975], np.cumsum(weight[order]), values[order])
        assert [low, high] == pytest.approx(expected, abs=7 * error)
        for threshold in (0.0, 0.2, 0.9):
            p = np.sum(weight[values > threshold])
            allowed = 6 * math.sqrt(p * (1 - p) / ess) + 1e-4
            assert quantity.above(threshold) == pytest.approx(p, abs=allowed)


# Against closed forms


@pytest.mark.parametrize("topics", [5, 8, 20, 97])
def test_the_mean_of_an_unpaired_run_has_a_t_posterior(topics: int) -> None:
    """Flat in σ, the mean has n-2 degrees of freedom; the baseline's is known all but exactly."""
    known = Known(topics, 10**9, 0.05, 0.3, 0.3)
    quantity = posterior_of(known, MANY).quantities["difference"]
    scale = 0.3 * math.sqrt((topics - 1) / (topics * (topics - 2)))
    t = stats.t(topics - 2, 0.05, scale)
    for level in (0.5, 0.95, 0.99):
        low, high, error = quantity.limits(level)
        assert [low, high] == pytest.approx(t.interval(level), abs=5 * error)
    for threshold in (-0.3, 0.0, 0.05, 0.2):
        assert quantity.above(threshold) == pytest.approx(t.sf(threshold), rel=0.01)
    assert quantity.eap == pytest.approx(0.05, rel=1e-12)


def test_of_two_unpaired_runs_the_difference_is_that_of_two_t_distributions() -> None:
    known = Known(12, 30, 0.1, 0.25, 0.15)
    quantities = posterior_of(known, MANY).quantities
    one, two = (
        stats.t(n - 2, mean, sd * math.sqrt((n - 1) / (n * (n - 2))))
        for n, mean, sd in ((12, 0.1, 0.25), (30, 0.0, 0.15))
    )
    better, _ = integrate.quad(lambda x: one.pdf(x) * two.cdf(x), -3, 3)
    assert quantities["difference"].above(0) == pytest.approx(better, abs=2e-4)
    variance = 11 * 0.25**2 / (12 * 8) + 29 * 0.15**2 / (30 * 26)
    sd, error = quantities["difference"].sd_and_error()
    assert sd == pytest.approx(math.sqrt(variance), abs=5 * error)
    assert 0 < error < 0.002 * sd


@pytest.mark.parametrize("topics", [8, 20, 50])
def test_glass_of_unpaired_runs_has_the_mean_of_a_closed_form(topics: int) -> None:
    """σ⁻¹ is √χ²(n-2) over √S."""
    quantities = posterior_of(Known(topics, topics, 0.1, 0.2, 0.3), MANY).quantities
    root = stats.chi(topics - 2).mean() / math.sqrt(topics - 1)
    assert quantities["glass_baseline"].eap == pytest.approx(0.1 / 0.3 * root, rel=0.002)
    assert quantities["glass_run"].eap == pytest.approx(0.1 / 0.2 * root, rel=0.002)
    assert "correlation" not in quantities


# Promises


@pytest.mark.parametrize("r", [-0.999, -0.5, 0, 0.5, 0.57, 0.9, 0.948, 0.95, 0.99, 1 - 1e-9])
def test_the_weights_hardly_vary(r: float) -> None:
    for topics, share in ((5, 0.35), (10, 0.8), (20, 0.93), (50, 0.97)):
        posterior = posterior_of(paired(topics, 0.01, 0.2, 0.21, r), USUAL)
        assert share * USUAL.number < posterior.effective_draws <= USUAL.number * (1 + 1e-9)


def test_the_effective_draws_are_those_of_kish() -> None:
    posterior = posterior_of(paired(20, 0.03, 0.2, 0.25, 0.57), USUAL)
    weight = posterior.weight
    expected = np.sum(weight) ** 2 / np.sum(weight**2)
    assert posterior.effective_draws == pytest.approx(expected)
    assert posterior.effective_draws < 0.97 * USUAL.number
    alike = posterior_of(Known(20, 20, 0.03, 0.2, 0.25), USUAL)
    assert alike.effective_draws == pytest.approx(USUAL.number)


def test_small_probabilities_are_not_lost() -> None:
    """Far out, those of an unpaired run are of Student's t."""
    quantity = posterior_of(Known(97, 10**9, 0.5, 0.1, 0.1), MANY).quantities["difference"]
    t = stats.t(95, 0.5, 0.1 * math.sqrt(96 / (97 * 95)))
    assert quantity.below(0.42) == pytest.approx(t.cdf(0.42), rel=0.2)
    assert 1e-13 < quantity.below(0.42) < 1e-10
    assert quantity.above(0.0) == pytest.approx(1.0, abs=1e-14)  # to the last bits


@pytest.mark.parametrize("known", [
    paired(20, 0.03, 0.2, 0.25, 0.8), paired(20, 0.0, 0.2, 0.25, 0.8), Known(9, 30, -0.1, 0.3, 0.2),
])  # fmt: skip
def test_exchanged_runs_have_the_same_posterior_mirrored(known: Known) -> None:
    one, other = posterior_of(known, USUAL), posterior_of(known.reversed, USUAL)
    mirrored = {
        "difference": "difference",
        "glass_run": "glass_baseline",
        "glass_baseline": "glass_run",
    }
    for name, same in mirrored.items():
        low, high, error = one.quantities[name].limits(0.9)
        found = other.quantities[same].limits(0.9)
        assert (-high, -low, error) == pytest.approx(found, rel=1e-9)
        assert one.quantities[name].eap == pytest.approx(-other.quantities[same].eap, rel=1e-9)
        assert one.quantities[name].above(0.1) + other.quantities[same].above(
            -0.1
        ) == pytest.approx(1)
    if known.r is not None:
        assert figures(one.quantities["correlation"], 0.5) == pytest.approx(
            figures(other.quantities["correlation"], 0.5), rel=1e-9
        )


@settings(deadline=None, max_examples=30)
@given(
    st.integers(5, 200), st.integers(-3000, 3000).map(lambda d: d / 1000), st.floats(0.1, 10),
    st.floats(-0.999, 0.999), st.sampled_from([1e-200, 1e-6, 0.01, 7.0, 1e200]),
)  # fmt: skip
def test_the_unit_of_the_scores_makes_no_difference(
    topics: int, d: float, ratio: float, r: float, unit: float
) -> None:
    few = Drawing(500, 3)
    plain = posterior_of(paired(topics, d, 1.0, ratio, r), few).quantities
    scaled = posterior_of(paired(topics, d * unit, unit, ratio * unit, r), few).quantities
    for name, quantity in plain.items():
        factor = unit if name == "difference" else 1.0
        low, high, error = quantity.limits(0.9)
        assert scaled[name].limits(0.9) == pytest.approx(
            (low * factor, high * factor, error * factor), rel=1e-6, abs=1e-9 * factor
        )
        sd, sd_error = quantity.sd_and_error()
        assert scaled[name].sd_and_error() == pytest.approx(
            (sd * factor, sd_error * factor), rel=1e-6, abs=0
        )
        assert scaled[name].above(0.5 * factor) == pytest.approx(quantity.above(0.5), abs=1e-6)
        assert low <= high


@settings(deadline=None, max_examples=30)
@given(st.integers(5, 60), st.floats(-2, 2), st.floats(-0.99, 0.99), st.floats(0.05, 0.995))
def test_limits_and_probabilities_agree(topics: int, d: float, r: float, level: float) -> None:
    """The probability of being above the lower limit is what the level says, but for the draws."""
    posterior = posterior_of(paired(topics, d, 1.0, 1.3, r), Drawing(20_000, 1))
    for quantity in posterior.quantities.values():
        low, high, _ = quantity.limits(level)
        tail = (1 - level) / 2
        allowed = 6 * math.sqrt(tail * (1 - tail) / posterior.effective_draws) + 1e-4
        assert quantity.above(low) == pytest.approx(1 - tail, abs=allowed)
        assert quantity.above(high) == pytest.approx(tail, abs=allowed)
        assert 0 <= quantity.above(0.3) <= quantity.above(0.1) <= 1
        assert quantity.above(0.3) + quantity.below(0.3) == pytest.approx(1)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_reported_error_is_the_spread_over_seeds(level: float) -> None:
    known = paired(20, 0.03, 0.2, 0.25, 0.9)
    for name in ("difference", "glass_baseline", "correlation"):
        found = np.array([
            posterior_of(known, Drawing(4_000, seed)).quantities[name].limits(level)
            for seed in range(150)
        ])  # fmt: skip
        spread = found[:, :2].std(axis=0, ddof=1).max()
        assert found[:, 2].mean() == pytest.approx(spread, rel=0.3)


@pytest.mark.parametrize("name", ["difference", "glass_run", "correlation"])
def test_the_error_of_the_sd_is_its_spread_over_seeds(name: str) -> None:
    known = paired(12, 0.03, 0.2, 0.25, 0.8)
    found = np.array([posterior_of(known, Drawing(4_000, seed)).quantities[name].sd_and_error()
                      for seed in range(150)])  # fmt: skip
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(ddof=1), rel=0.3)


def test_random_numbers_do_not_depend_on_what_came_before() -> None:
    """Of 20 topics, both ways draw χ² with 18 degrees of freedom."""
    pair, apart = paired(20, 0.03, 0.2, 0.25, 0.8), Known(20, 20, 0.03, 0.2, 0.25)
    found = []
    for order in ((pair, apart), (apart, pair)):
        random.chi_squares.cache_clear()
        limits = {known: posterior_of(known, USUAL).quantities["difference"].limits(0.95)
                  for known in order}  # fmt: skip
        found.append(limits)
    assert found[0] == found[1]


def test_limits_from_the_tails_are_those_of_all_draws_in_order() -> None:
    """However the weights lie, also where the tail that was looked at holds too little of them."""
    random = np.random.default_rng(5)
    values = np.sort(random.standard_normal(30_000))  # so that the first ones are no fair sample
    for order in (values, values[::-1]):
        weight = random.random(30_000) ** 3
        weight /= weight.sum()
        low, high, _ = Quantity(order, None, order, weight).limits(0.9)
        ranked = np.argsort(order)
        own = weight[ranked]
        expected = np.interp([0.05, 0.95], np.cumsum(own) - own / 2, order[ranked])
        assert [low, high] == pytest.approx(expected, rel=1e-9)


def test_the_eap_of_the_difference_is_that_of_the_sample() -> None:
    posterior: Posterior = posterior_of(paired(20, 0.0375, 0.2, 0.25, 0.8), Drawing(1000, 0))
    assert posterior.quantities["difference"].eap == pytest.approx(0.0375, rel=1e-12)
