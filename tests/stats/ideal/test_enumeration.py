"""All resamples, one after the other, against the same written out with itertools."""

from fractions import Fraction

import numpy as np
import pytest

from confint_cli.stats.ideal.column import Column
from confint_cli.stats.ideal.enumeration import can_enumerate, enumerated_means, enumerated_ratios
from confint_cli.stats.ideal.mean import mean_distribution
from tests.stats.ideal.longhand import column_of, exact_ratios, exact_sums, quantile

COLUMNS = {
    "two topics": [3, 10],
    "one success": [0, 0, 0, 0, 1],
    "a score is the mean": [0, 5, 10, 5],
    "symmetric": [-2, -1, 0, 0, 1, 2],
    "odd ones": [17, 3250, 9871, 12, 4444, 1],
    "ties": [2, 2, 2, 7, 7, 9],
    "negative": [-9, -9, -8, -1, -3],
}
PLACES = [Fraction(p, 1000) for p in (1, 25, 50, 333, 500, 777, 950, 975, 999)]
each = pytest.mark.parametrize("whole", COLUMNS.values(), ids=[*COLUMNS])


@each
def test_means_are_those_of_all_resamples(whole: list[int]) -> None:
    n, total, exact = len(whole), sum(whole), exact_sums(whole)
    found = enumerated_means(column_of(np.array(whole) / 16))
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert found.resolution == 0
    for p in PLACES:
        wanted = (quantile(exact, p) - total) / (16 * n)
        assert found.quantile(np.array([float(p)])) == pytest.approx(wanted, abs=1e-12)
    below = sum((p for value, p in exact.items() if value < total), start=Fraction(0))
    half_tie = exact.get(total, Fraction(0)) / 2
    assert found.share_below == pytest.approx(float(below + half_tie), abs=1e-12)


@each
def test_ratios_are_those_of_all_resamples_and_infinite_for_one_value_alone(
    whole: list[int],
) -> None:
    exact = exact_ratios(whole)
    found = enumerated_ratios(column_of(np.array(whole) / 16))
    for sign in (-1, 1):
        infinite = found.probabilities[found.points == sign * np.inf].sum()
        assert infinite == pytest.approx(float(exact.get(sign * np.inf, 0)), abs=1e-14)
    for p in PLACES:
        assert found.quantile(np.array([float(p)])) == pytest.approx(quantile(exact, p), abs=1e-9)


def test_a_resample_of_the_mean_alone_has_a_ratio_of_zero() -> None:
    found = enumerated_ratios(column_of([0.0, 0.5, 1.0]))
    assert np.isinf(found.points).sum() == 2
    assert found.probabilities[found.points == 0].sum() == pytest.approx(7 / 27)  # ½½½, and 0 ½ 1


@pytest.mark.parametrize("scores", [[0, 1] * 5, [0, 0, 0, 1, 2], [0.1, 0.2, 0.2, 0.4, 0.9, 1.0]])
def test_enumerated_and_convolved_means_are_the_same(scores: list[float]) -> None:
    column = column_of(scores)
    listed, convolved = enumerated_means(column), mean_distribution(column)
    p = np.array([0.01, 0.025, 0.31, 0.69, 0.975, 0.99])
    np.testing.assert_allclose(listed.quantile(p), convolved.quantile(p), rtol=0, atol=1e-12)
    assert listed.share_below == pytest.approx(convolved.share_below, abs=1e-9)


@pytest.mark.parametrize(
    ("topics", "values", "can"),
    [
        (9, 9, True),  # 24,310 compositions
        (10, 10, False),  # 92,378
        (243, 3, True),  # 29,890
        (244, 3, False),  # 30,135
        (54, 4, True),  # 29,260
        (55, 4, False),  # 30,856
        (13, 13, False),
        (100_000, 2, True),
        (2**20 - 1, 2, True),
        (2**20, 2, False),
    ],
)
def test_what_can_be_enumerated(topics: int, values: int, can: bool) -> None:
    assert can_enumerate(column_of(np.arange(topics) % values)) == can


def test_a_quantile_where_probabilities_add_up_to_p_is_the_least_value() -> None:
    """As that of 0 and 1: m* of 0, ½, 1 with ¼, ½, ¼. In floats, sums may be a bit off."""
    column = column_of([0.0, 1.0])
    found = enumerated_means(column).quantile(np.array([0.0, 0.25, 0.2501, 0.75, 0.7501, 1.0]))
    assert found.tolist() == [-0.5, -0.5, 0, 0, 0.5, 0.5]
    for whole in COLUMNS.values():
        exact, total, cumulative = exact_sums(whole), sum(whole), Fraction(0)
        means = enumerated_means(column_of(np.array(whole) / 16))
        for value, chance in exact.items():
            cumulative += chance
            at = means.quantile(np.array([float(cumulative)]))
            assert at == pytest.approx((value - total) / (16 * len(whole)), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "values"),
    [
        ([0.0, 0.3, 0.1 + 0.2, 0.6], 3),  # around the mean
        ([0.0, 0.0, 0.3, 0.1 + 0.2, 0.6, 0.6], 3),
        ([0.3, 0.1 + 0.2, 0.3, 1.0], 2),  # beside an outlier
        ([-1.0, 0.3, 0.1 + 0.2, 0.3], 2),
        ([0.3, 0.1 + 0.2, 0.3 + 1e-9, 1.0], 3),
        ([1e-12, 2e-12, 4e-12], 3),
    ],
)
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_scores_that_are_equal_on_paper_are_one_value(
    scores: list[float], values: int, scale: float
) -> None:
    column = column_of(np.array(scores) * scale)
    assert len(column.values) == values
    assert column.numbers.sum() == len(scores) == column.topics
    assert column.shares[column.mode] == column.values[column.numbers.argmax()]


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_values_of_a_column_do_not_depend_on_its_unit(scale: float) -> None:
    scores = np.array([0.0, 0.3, 0.1 + 0.2, 0.6, 0.6 + 1e-9]) * scale
    assert len(Column.of(scores, 1.0).values) == 4


def test_a_million_topics_of_two_scores() -> None:
    """m* is binomial, and z* goes up with it."""
    column = column_of(np.repeat([0.0, 1.0], [900_000, 100_000]))
    p = np.array([0.025, 0.975])
    means, ratios = enumerated_means(column).quantile(p), enumerated_ratios(column).quantile(p)
    sd = np.sqrt(0.09 / 1e6)
    np.testing.assert_allclose(means / sd, [-1.96, 1.96], atol=0.005)
    expected = means / np.sqrt((0.1 + means) * (0.9 - means) / (1e6 - 1))
    np.testing.assert_allclose(ratios, expected, rtol=1e-9)
