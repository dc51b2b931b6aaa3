"""The distribution of m*: exact on lattices, and as near as it has to be elsewhere."""

from fractions import Fraction

import numpy as np
import pytest

from confint_cli.stats.ideal.bootstrap import IdealBootstrap, columns_of
from confint_cli.stats.ideal.mean import MeanDistribution, lattice_step, mean_distribution, power
from confint_cli.stats.sample import Sample
from tests.ideal.truth import sums_by_steps
from tests.stats.ideal.longhand import column_of, exact_sums, quantile, resamples

RANDOM = np.random.default_rng(31)
TENTHS = RANDOM.binomial(10, RANDOM.beta(0.6, 1.2, 25))  # P_10-like
LATTICES = {
    "P_10": (TENTHS, 10),
    "0 and 1": (np.array([1] * 7 + [0] * 30), 1),
    "hardly any success": (np.array([1] + [0] * 59), 1),
    "quarters, few topics": (np.array([0, 1, 1, 4, 3]), 4),
    "negative": (TENTHS - 5, 10),
    "hundredths": (np.array([0, 40, 41, 7, 0, 99, 55, 0, 3, 20]), 100),
}
PLACES = [Fraction(p, 10_000) for p in (5, 50, 250, 500, 5000, 9500, 9750, 9950, 9995)]


def shares_up_to(distribution: MeanDistribution, values: np.ndarray) -> np.ndarray:
    """Return P(m* - m ≤ value) of values that are on points of a lattice, or between two."""
    places = np.floor((values - distribution.first) / distribution.step + 1e-6).astype(int)
    return distribution.cumulative[places.clip(0, len(distribution.cumulative) - 1)]


@pytest.mark.parametrize(("whole", "steps"), LATTICES.values(), ids=[*LATTICES])
def test_scores_on_a_lattice_have_their_exact_distribution(whole: np.ndarray, steps: int) -> None:
    exact, found = exact_sums(whole), mean_distribution(column_of(whole / steps))
    assert found.lattice
    deviations = (np.array([*exact]) - whole.sum()) / (steps * len(whole))
    expected = np.cumsum([float(p) for p in exact.values()])
    np.testing.assert_allclose(shares_up_to(found, deviations), expected, rtol=0, atol=1e-9)
    below = sum(p for total, p in exact.items() if total < whole.sum())
    tie = exact.get(int(whole.sum()), Fraction(0))
    assert found.share_below == pytest.approx(float(below + tie / 2), abs=1e-9)
    for p in PLACES:
        wanted = (quantile(exact, p) - whole.sum()) / (steps * len(whole))
        assert found.quantile(np.array([float(p) * (1 - 1e-11)])) == pytest.approx(
            wanted, abs=1e-12
        )


def test_rounded_thirds_are_on_the_lattice_of_thirds() -> None:
    """Sums of .3333 and .6667 lie in clusters around whole thirds, and have their probability."""
    thirds = np.random.default_rng(3).integers(0, 4, 40)
    rounded = np.rint(thirds / 3 * 10_000).astype(int)
    exact, found = exact_sums(rounded), mean_distribution(column_of(rounded / 10_000))
    assert found.lattice
    assert found.step * len(thirds) == pytest.approx(1 / 3, rel=1e-12)
    between = np.arange(3 * len(thirds)) / 3 + 1 / 6  # no sum is near
    expected = np.array([
        sum((p for total, p in exact.items() if total / 10_000 < end), start=Fraction(0))
        for end in between
    ], dtype=float)  # fmt: skip
    deviations = (between - rounded.sum() / 10_000) / len(thirds)
    inside = np.abs(deviations) < 4 * rounded.std() / 10_000 / np.sqrt(len(thirds))
    assert inside.sum() > 20
    np.testing.assert_allclose(
        shares_up_to(found, deviations[inside]), expected[inside], rtol=0, atol=1e-9
    )


def fine(name: str) -> np.ndarray:
    """Return scores of four digits, as whole numbers."""
    random = np.random.default_rng(8)
    scores = {
        "even": lambda: random.random(30),
        "skewed": lambda: random.beta(0.3, 2, 30),
        "mostly zero": lambda: np.where(random.random(40) < 0.8, 0, random.random(40)),
        "one outlier": lambda: np.append(0.02 * random.random(24), 0.97),
        "few topics": lambda: random.random(12),
    }[name]()
    return np.rint(10_000 * scores).astype(int)


@pytest.mark.parametrize("name", ["even", "skewed", "mostly zero", "one outlier", "few topics"])
def test_other_scores_have_quantiles_to_a_hundredth_of_a_standard_error(name: str) -> None:
    whole = fine(name)
    n, exact = len(whole), sums_by_steps(whole)
    found = mean_distribution(column_of(whole / 10_000))
    assert not found.lattice
    se = whole.std(ddof=1) / np.sqrt(n)
    p = np.array([0.0005, 0.005, 0.025, 0.05, 0.3, 0.7, 0.95, 0.975, 0.995, 0.9995])
    expected = (exact.quantile(p) - whole.sum()) / n
    np.testing.assert_allclose(found.quantile(p) * 10_000 / se, expected / se, rtol=0, atol=0.005)
    assert found.share_below == pytest.approx(exact.share_below(int(whole.sum())), abs=5e-4)


@pytest.mark.parametrize("name", ["even", "skewed", "mostly zero", "one outlier", "few topics"])
def test_dividing_scores_between_points_changes_neither_mean_nor_variance(name: str) -> None:
    whole = fine(name)
    found = mean_distribution(column_of(whole / 10_000))
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert found.probabilities.min() > -1e-12
    sd = whole.std() / 10_000 / np.sqrt(len(whole))
    mean = (found.probabilities * found.points).sum()
    assert mean / sd == pytest.approx(0, abs=1e-6)
    variance = (found.probabilities * found.points**2).sum() - mean**2
    assert variance / sd**2 == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", ["even", "skewed", "mostly zero", "few topics"])
def test_moments_of_the_logit_are_those_of_resamples(name: str) -> None:
    whole, number = fine(name), 400_000
    sample = Sample(whole[:, None] / 10_000)
    ideal = IdealBootstrap.of(sample, columns_of(sample))
    means, _ = resamples(whole, number, 4)
    drawn = sample.mean + means * sample.se
    drawn = drawn[(drawn > 1e-9) & (drawn < 1 - 1e-9)]
    logits = np.log(drawn / (1 - drawn))
    centre, spread = ideal.logit_moments(sample.mean)
    kurtosis = ((logits - logits.mean()) ** 4).mean() / logits.var() ** 2
    assert centre == pytest.approx(logits.mean(), abs=4 * logits.std() / np.sqrt(number))
    assert spread == pytest.approx(logits.std(), rel=4 * np.sqrt((kurtosis - 1) / number) / 2)


@pytest.mark.parametrize(
    ("scores", "step"),
    [
        ([0, 0, 1], 1),
        ([0.1, 0.3, 0.4], 0.1),
        ([0.0, 0.3333, 0.6667, 1.0], 1 / 3),
        ([-0.0333, 0.0, 0.0667], 1 / 30),
        ([0.001, 0.0135, 0.5], 0),
        ([0.12345, 0.6789, 0.7001], 0),
        ([0.0, np.pi, 7.0], 0),
        ([0.0, 1e-7, 2e-7], 0),
    ],
)
def test_the_step_of_a_lattice(scores: list[float], step: float) -> None:
    assert lattice_step(np.array(scores)) == pytest.approx(step)


def test_powers() -> None:
    values = np.exp(1j * np.linspace(0, 3, 7)) * 0.97
    for exponent in (1, 2, 3, 50, 97, 249):
        np.testing.assert_allclose(power(values, exponent), values**exponent, rtol=1e-11)
