"""Intervals of a mean between two bounds: longhand, at their ends, and by simulation."""

import statistics
import warnings

import numpy as np
import pytest
from scipy import optimize, stats

from confint_cli.scores.design import Design
from confint_cli.stats.identified import Identified, identified
from confint_cli.stats.methods.t import interval
from confint_cli.stats.sample import Sample
from tests.stats.test_collections_simulated import is_within

LEVELS = np.array([0.5, 0.9, 0.95, 0.999])
TOPICS, COLUMNS = 20, 8


def two_bounds(seed: int = 1, topics: int = TOPICS) -> tuple[np.ndarray, np.ndarray]:
    """Scores [topic, column]; the bounds of the first column are one, the last are far apart."""
    random = np.random.default_rng(seed)
    least = random.beta(0.5, 1.5, (topics, COLUMNS))
    apart = np.array([0, 1e-6, 0.01, 0.05, 0.1, 0.3, 1, 100])
    return least, least + apart * random.beta(0.5, 1, (topics, COLUMNS))


def limits(
    least: np.ndarray, largest: np.ndarray, levels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The limits [level, column] of scores [topic, column]."""
    return identified(Sample(least), Sample(largest)).limits(levels)


# Longhand


def test_limits_are_those_of_the_formula_longhand() -> None:
    least, largest = two_bounds()
    low, high = limits(least, largest, LEVELS)
    t = stats.t(TOPICS - 1)
    for column in range(COLUMNS):
        below, above = least[:, column].tolist(), largest[:, column].tolist()
        means = [statistics.mean(values) for values in (below, above)]
        ses = [statistics.stdev(values) / TOPICS**0.5 for values in (below, above)]
        apart = (means[1] - means[0]) / max(ses)
        for row, level in enumerate(LEVELS):
            c = optimize.brentq(
                lambda c, apart=apart, level=level: t.cdf(c + apart) - t.cdf(-c) - level,
                0,
                100,
                xtol=1e-13,
            ) if t.cdf(apart) - 0.5 < level else 0  # fmt: skip
            assert low[row, column] == pytest.approx(means[0] - c * ses[0], abs=1e-9)
            assert high[row, column] == pytest.approx(means[1] + c * ses[1], abs=1e-9)


def test_a_published_value_of_the_critical_factor() -> None:
    # With normal quantiles and a width of 0, 1 and infinitely many standard errors.
    one = np.ones(3)
    width = np.array([0.0, 1.0, 1e9])
    found = Identified(0 * one, width, one, one, 1e9 * one).factors(np.array([0.95]))[0]
    between = optimize.brentq(lambda c: stats.norm.cdf(c + 1) - stats.norm.cdf(-c) - 0.95, 0, 5)
    assert found == pytest.approx([1.959964, between, 1.644854], abs=1e-6)


def test_one_bound_has_the_plain_t_interval_to_the_last_bit() -> None:
    scores, _ = two_bounds()
    for found, plain in zip(
        limits(scores, scores, LEVELS), interval(Sample(scores), LEVELS), strict=True
    ):
        assert found.tolist() == plain.tolist()


def test_bounds_far_apart_have_one_sided_limits() -> None:
    least, _ = two_bounds()
    largest = least[::-1] + 1e4
    low, high = limits(least, largest, LEVELS)
    quantile = stats.t.ppf(LEVELS, TOPICS - 1)[:, None]
    np.testing.assert_allclose(low, least.mean(0) - quantile * stats.sem(least), atol=1e-9)
    np.testing.assert_allclose(high, largest.mean(0) + quantile * stats.sem(largest), atol=1e-9)


# What is promised


def test_factors_fall_from_the_two_sided_quantile_to_the_one_sided_one() -> None:
    width = np.concatenate([[0], np.geomspace(1e-12, 1e6, 200), [np.inf]])
    for df in (1.0, 2.0, 9.0, 1000.0):
        one = np.ones(len(width))
        factors = Identified(0 * one, width, one, one, df * one).factors(LEVELS)
        assert (np.diff(factors, axis=1) <= 1e-9).all()
        two_sided, one_sided = (stats.t.ppf(q, df) for q in ((1 + LEVELS) / 2, LEVELS))
        assert factors[:, 0] == pytest.approx(two_sided)
        assert factors[:, -1] == pytest.approx(one_sided)
        reached = stats.t.cdf(factors + width, df) - stats.t.cdf(-factors, df)
        np.testing.assert_allclose(reached, np.tile(LEVELS[:, None], len(width)), atol=1e-12)


def test_both_means_are_inside_and_higher_levels_contain_lower_ones() -> None:
    least, largest = two_bounds()
    low, high = limits(least, largest, np.array([0.01, *LEVELS]))
    assert (low <= least.mean(axis=0) + 1e-12).all()
    assert (high >= largest.mean(axis=0) - 1e-12).all()
    assert (np.diff(low, axis=0) <= 0).all()
    assert (np.diff(high, axis=0) >= 0).all()


def test_a_column_is_alone_what_it_is_among_others() -> None:
    least, largest = two_bounds()
    together = limits(least, largest, LEVELS)
    for column in range(COLUMNS):
        alone = limits(least[:, [column]], largest[:, [column]], LEVELS)
        for one, all_columns in zip(alone, together, strict=True):
            np.testing.assert_allclose(one[:, 0], all_columns[:, column], rtol=1e-14)


def test_bounds_that_do_not_vary_are_the_limits() -> None:
    least, largest = np.full((5, 3), 0.25), np.full((5, 3), 0.25)
    largest[:, 1] += 0.5
    largest[:, 2] = [0.3, 0.4, 0.5, 0.6, 0.7]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = identified(Sample(least), Sample(largest))
        low, high = found.limits(LEVELS)
        p = found.p()
        p_where_least_is_0 = identified(Sample(least - 0.25), Sample(largest - 0.25)).p()
    assert (low == 0.25).all()
    assert (high[:, 0] == 0.25).all()
    assert (high[:, 1] == 0.75).all()
    assert (high[:, 2] > 0.5).all()
    assert p.tolist() == [0, 0, 0]
    assert p_where_least_is_0.tolist() == [1, 1, 1]


def test_p_is_below_the_error_just_where_the_interval_leaves_0_out() -> None:
    levels = np.linspace(0.005, 0.9995, 300)
    sides = set()
    for seed in range(12):
        least, largest = two_bounds(seed)
        offset = np.random.default_rng(seed).normal(0.3, 0.3, COLUMNS)
        found = identified(Sample(least - offset), Sample(largest - offset))
        p, (low, high) = found.p(), found.limits(levels)
        side = np.where(low > 0, 1, np.where(high < 0, -1, 0))
        clear = np.abs(p - (1 - levels[:, None])) > 1e-9
        assert ((side != 0) == (p < 1 - levels[:, None]))[clear].all()
        sides |= {*side.ravel().tolist()}
    assert sides == {-1, 0, 1}


def test_where_both_bounds_are_0_p_is_1() -> None:
    zero = np.zeros(1)
    assert Identified(zero, zero, zero, zero, np.full(1, 5.0)).p().tolist() == [1.0]


def test_a_mean_that_is_nearly_certain_has_a_p_of_0() -> None:
    """It is more standard errors away than there are floats for."""
    one, tiny = np.ones(1), np.full(1, 1e-310)
    assert Identified(one, one, tiny, tiny, 9 * one).p().tolist() == [0.0]


def test_one_topic_has_no_limits() -> None:
    low, high = limits(np.array([[0.2, 0.3]]), np.array([[0.2, 0.6]]), LEVELS)
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_p_of_one_bound_is_that_of_the_t_test() -> None:
    scores, _ = two_bounds()
    found = identified(Sample(scores - 0.3), Sample(scores - 0.3)).p()
    assert found == pytest.approx(stats.ttest_1samp(scores, 0.3).pvalue)


def test_turned_scores_have_turned_limits() -> None:
    least, largest = two_bounds()
    low, high = limits(least, largest, LEVELS)
    turned_low, turned_high = limits(-largest, -least, LEVELS)
    np.testing.assert_allclose(turned_low, -high, atol=1e-12)
    np.testing.assert_allclose(turned_high, -low, atol=1e-12)


def test_topics_of_several_collections_have_the_degrees_of_freedom_of_their_design() -> None:
    least, largest = two_bounds()
    design = Design(strata=(8, 12))
    samples = [Sample(scores, design=design) for scores in (least, largest)]
    found = identified(*samples)
    assert found.df.tolist() == np.minimum(samples[0].df, samples[1].df).tolist()
    low, high = found.limits(LEVELS)
    assert (low[:, 0], high[:, 0]) == (
        pytest.approx(interval(samples[0], LEVELS)[0][:, 0]),
        pytest.approx(interval(samples[0], LEVELS)[1][:, 0]),
    )


# Coverage

SAMPLES = 4000


@pytest.mark.parametrize("topics", [10, 25, 50, 100])
@pytest.mark.parametrize("apart", [0.0, 0.02, 0.1, 0.4], ids="apart {}".format)
@pytest.mark.parametrize("shape", [(2, 2), (0.5, 0.8)], ids=["middle", "ends"])
def test_the_mean_is_covered_wherever_it_is(
    shape: tuple[float, float], apart: float, topics: int
) -> None:
    """Unjudged documents could bring a share of what is missing to 1, `apart` on average."""
    random = np.random.default_rng([topics, int(100 * apart)])
    least = random.beta(*shape, (topics, SAMPLES))
    share = random.beta(2 * apart, 2 - 2 * apart, least.shape) if apart else np.zeros(least.shape)
    largest = least + (1 - least) * share
    low, high = limits(least, largest, np.array([0.95]))
    mean = shape[0] / sum(shape)
    width = (1 - mean) * apart

    def covered(truth: float) -> float:
        return float(np.mean((low[0] <= truth) & (truth <= high[0])))

    for end in (mean, mean + width):
        assert is_within(covered(end), 0.935, 0.965 if apart < 0.1 else 0.975, SAMPLES)
    assert covered(mean + width / 2) >= min(covered(mean), covered(mean + width)) - 0.005


@pytest.mark.parametrize("topics", [10, 25, 50])
def test_few_topics_with_very_wide_bounds_cost_coverage(topics: int) -> None:
    """One topic in ten is unjudged altogether: as skewed as it can be. A note is due below 25."""
    random = np.random.default_rng(topics)
    least = random.beta(2, 2, (topics, SAMPLES)) * (random.random((topics, SAMPLES)) > 0.1)
    largest = np.where(least == 0, 1.0, least)
    low, high = limits(least, largest, np.array([0.95]))
    for end in (0.45, 0.55):
        covered = float(np.mean((low[0] <= end) & (end <= high[0])))
        assert is_within(covered, 0.91, 0.97, SAMPLES)
