"""The distribution of z*: against what is known of normal scores, and resamples."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm, t

from confint_cli.stats.ideal.studentized import (
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
