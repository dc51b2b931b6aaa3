"""Shapiro and Wilk's W against scipy's, which computes it column by column."""

import numpy as np
import pytest
from scipy import stats

from confint_cli.normality import shapiro_wilk

RANDOM = np.random.default_rng(0)


def scipys(columns: np.ndarray) -> list[float]:
    return [float(stats.shapiro(column).statistic) for column in columns.T]


@pytest.mark.parametrize("number", [*range(3, 30), 50, 97, 249, 1000, 4999, 5000])
def test_scipy(number: int) -> None:
    """To nine digits: scipy's quantiles of the normal distribution have no more."""
    columns = np.stack(
        [
            RANDOM.normal(size=number),
            RANDOM.exponential(size=number),
            RANDOM.beta(0.5, 1.5, number) * (RANDOM.random(number) < 0.6),
            np.arange(number) % 3 + 7.0,
        ],
        axis=1,
    )
    np.testing.assert_allclose(shapiro_wilk(columns), scipys(columns), rtol=0, atol=1e-9)


def test_neither_scale_nor_offset_nor_order_matters() -> None:
    columns = RANDOM.exponential(size=(40, 3))
    expected = shapiro_wilk(columns)
    for other in (1e-200 * columns, 1e200 * columns, -columns, columns[::-1], columns - 5):
        np.testing.assert_allclose(shapiro_wilk(other), expected, rtol=1e-9)
    np.testing.assert_allclose(shapiro_wilk(columns + 1e6), expected, rtol=1e-6)


@pytest.mark.parametrize("number", [50, 5000])
def test_a_column_has_the_same_whatever_stands_beside_it(number: int) -> None:
    columns = RANDOM.exponential(size=(number, 37))
    together = shapiro_wilk(columns)
    for place in range(37):
        assert shapiro_wilk(columns[:, [place]])[0] == together[place]  # to the last bit
    np.testing.assert_array_equal(shapiro_wilk(columns[:, ::-1]), together[::-1])


def test_where_there_is_none() -> None:
    assert np.isnan(shapiro_wilk(np.array([[1.0, 2.0], [2.0, 2.0]]))).all()
    found = shapiro_wilk(np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]))
    assert found[0] == pytest.approx(1.0)
    assert found[0] <= 1
    assert np.isnan(found[1])
