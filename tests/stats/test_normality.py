"""Shapiro and Wilk's W and skewness against scipy's, which computes them column by column."""

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.normality import shapiro_p, shapiro_wilk
from confint_cli.stats.sample import Sample
from tests.versions import IN_DOUBLE, W_ERROR


def scipys(columns: np.ndarray) -> list[float]:
    return [float(stats.shapiro(column).statistic) for column in columns.T]


@pytest.mark.parametrize("number", [*range(3, 30), 50, 97, 249, 1000, 4999, 5000])
def test_w_is_that_of_scipy(number: int) -> None:
    """To nine digits: scipy's quantiles of the normal distribution have no more."""
    random = np.random.default_rng(number)
    columns = np.stack(
        [
            random.normal(size=number),
            random.exponential(size=number),
            random.beta(0.5, 1.5, number) * (random.random(number) < 0.6),
            np.arange(number) % 3 + 7.0,
        ],
        axis=1,
    )
    np.testing.assert_allclose(shapiro_wilk(columns), scipys(columns), rtol=0, atol=W_ERROR)


def test_neither_scale_nor_offset_nor_order_matters() -> None:
    columns = np.random.default_rng(0).exponential(size=(40, 3))
    expected = shapiro_wilk(columns)
    for other in (1e-200 * columns, 1e200 * columns, -columns, columns[::-1], columns - 5):
        np.testing.assert_allclose(shapiro_wilk(other), expected, rtol=1e-9)
    np.testing.assert_allclose(shapiro_wilk(columns + 1e6), expected, rtol=1e-6)


@pytest.mark.parametrize("number", [50, 5000])
def test_a_column_has_the_same_whatever_stands_beside_it(number: int) -> None:
    columns = np.random.default_rng(number).exponential(size=(number, 37))
    together = shapiro_wilk(columns)
    for place in range(37):
        assert shapiro_wilk(columns[:, [place]])[0] == together[place]  # to the last bit
    np.testing.assert_array_equal(shapiro_wilk(columns[:, ::-1]), together[::-1])


def test_w_is_nan_for_two_topics_or_one_value() -> None:
    assert np.isnan(shapiro_wilk(np.array([[1.0, 2.0], [2.0, 2.0]]))).all()
    found = shapiro_wilk(np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]))
    assert found[0] == pytest.approx(1.0)
    assert found[0] <= 1
    assert np.isnan(found[1])


# The p-value of W, and skewness


@pytest.mark.parametrize("number", [*range(3, 30), 50, 97, 249, 1000, 4999, 5000])
def test_the_p_value_is_that_of_scipy(number: int) -> None:
    random = np.random.default_rng(number)
    columns = np.stack(
        [
            random.normal(size=number),
            random.exponential(size=number),
            random.beta(0.5, 1.5, number) * (random.random(number) < 0.6),
            np.arange(number) % 3 + 7.0,
            np.arange(number, dtype=float),
            np.eye(number)[0],  # as far from normal as can be
        ],
        axis=1,
    )
    found = shapiro_p(shapiro_wilk(columns), number)
    expected = [float(stats.shapiro(column).pvalue) for column in columns.T]
    # Of three numbers p is a difference of two angles.
    least = 1e-14 if number == 3 else 1e-98
    relative, least = (2e-6, least) if IN_DOUBLE else (0.02, 1e-3)
    np.testing.assert_allclose(found, expected, rtol=relative, atol=least)
    assert np.ptp(found) > 0.1


def test_p_is_nan_beyond_its_range() -> None:
    w = np.array([0.9, np.nan])
    assert np.isnan(shapiro_p(w, 2)).all()
    assert np.isnan(shapiro_p(w, 5001)).all()
    for number in (3, 8, 50):
        assert np.isnan(shapiro_p(w, number)).tolist() == [False, True]
        assert shapiro_p(np.array([1.0]), number)[0] == pytest.approx(1)


def skewness(columns: np.ndarray) -> np.ndarray:
    return Sample(columns).skewness


@pytest.mark.parametrize("number", [2, 3, 5, 50, 1000])
def test_skewness_is_that_of_scipy(number: int) -> None:
    random = np.random.default_rng(number)
    columns = np.stack(
        [random.normal(size=number), random.exponential(size=number), np.eye(number)[0]], axis=1
    )
    expected = stats.skew(columns, axis=0)
    np.testing.assert_allclose(skewness(columns), expected, rtol=1e-9, atol=1e-12)
    for scale in (1e-200, 1e100, 1.0):
        np.testing.assert_allclose(skewness(columns * scale), expected, rtol=1e-9, atol=1e-12)
    together = skewness(columns)
    for place in range(3):
        assert skewness(columns[:, [place]])[0] == together[place]  # to the last bit
    assert np.isnan(skewness(np.full((number, 1), 0.3))).all()
