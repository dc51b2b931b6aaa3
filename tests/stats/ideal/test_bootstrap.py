"""Intervals without random numbers: against resamples, what they promise, which way they take."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.ideal.bootstrap import IdealBootstrap, columns_of, resamples_for
from confint_cli.stats.ideal.mean import mean_distribution
from confint_cli.stats.sample import Sample
from tests.stats.ideal.longhand import (
    METHODS,
    column_of,
    estimated,
    exact_sums,
    is_drawn,
    resamples,
)

LEVELS = (0.9, 0.95, 0.99, 0.999)
NUMBER = 2_000_000


def scores_of(shape: str) -> np.ndarray:
    random = np.random.default_rng(77)
    scores = {
        "fine": lambda: random.beta(1, 2, 50),
        "skewed": lambda: random.beta(0.3, 2, 50),
        "mostly zero": lambda: np.where(random.random(50) < 0.8, 0.0, random.beta(1, 2, 50)),
        "one outlier": lambda: np.append(0.02 * random.random(49), 0.9),
        "few topics": lambda: random.beta(1, 2, 12),
    }[shape]()
    return np.rint(10_000 * scores) / 10_000


@pytest.mark.parametrize("shape", ["fine", "skewed", "mostly zero", "one outlier", "few topics"])
def test_limits_are_those_of_two_million_resamples(shape: str) -> None:
    """By formulas written out here, within the Monte Carlo error, and the own one if resampled."""
    scores = scores_of(shape)
    found = estimated(scores, LEVELS)
    means, ratios = resamples(np.rint(scores * 10_000).astype(int), NUMBER, 9)
    e = scores - scores.mean()
    acceleration = (e**3).sum() / (6 * (e**2).sum() ** 1.5)
    near_zero = np.abs(means) < 1e-9
    bias = ndtri(((means < 0) & ~near_zero).mean() + near_zero.mean() / 2)
    plain = np.array([[(1 - level) / 2, (1 + level) / 2] for level in LEVELS])
    shifted = bias + ndtri(plain)
    adjusted = ndtr(bias + shifted / (1 - acceleration * shifted))
    expected = {
        "percentile": quantile_and_error(means, plain),
        "bca": quantile_and_error(means, adjusted, more=2.0),  # bias has an error too
        "bootstrap-t": tuple(-1 * each[:, ::-1] for each in quantile_and_error(ratios, plain)),
    }
    for method, (limits, errors) in expected.items():
        own = found.limits[method]
        ours = (np.hstack([own.low, own.high]) - found.mean) / found.se
        own_errors = np.hstack([own.low_error, own.high_error]) / found.se
        allowed = 0.01 + 4.5 * np.sqrt(errors**2 + own_errors**2)
        if method == "bootstrap-t":
            allowed += np.array([[0.0], [0.0], [0.01], [0.03]])
        assert (np.abs(ours - limits) < allowed).all(), (method, ours, limits, allowed)
    percentile, basic = found.limits["percentile"], found.limits["basic"]
    np.testing.assert_allclose(basic.low + percentile.high, 2 * found.mean[None] + 0 * basic.low)


def quantile_and_error(
    values: np.ndarray, p: np.ndarray, more: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    sd = more * np.sqrt(p * (1 - p) / len(values))
    in_order = np.sort(values)
    low, middle, high = (
        in_order[np.ceil(at * len(values)).astype(int).clip(1, len(values)) - 1]
        for at in (p - sd, p, p + sd)
    )
    too_far_out = np.minimum(p, 1 - p) * len(values) < 20
    return middle, np.where(too_far_out, np.inf, (high - low) / 2)


def test_resamples_come_to_the_same_as_none_the_more_there_are() -> None:
    """By the program's own resampling, which knows nothing of distributions."""
    scores = np.stack([scores_of("fine"), scores_of("skewed")], axis=1)
    ideal = estimated(scores)
    off = []
    for number in (1_999, 199_999):
        drawn = estimate(Sample(scores), Estimation(METHODS, (0.95,), number))
        difference = [
            (np.array(drawn.limits[name].parts[:2]) - ideal.limits[name].parts[:2]) / ideal.se
            for name in METHODS
        ]
        off.append(np.abs(difference).max())
    assert off[1] < 0.02 < off[0]


# Promises

COLUMNS = np.random.default_rng(12).beta(0.7, 2, (40, 6))


@pytest.mark.parametrize("method", METHODS)
def test_a_column_alone_or_among_others_gives_the_same_bits(method: str) -> None:
    random = np.random.default_rng(1)
    kinds = np.stack([
        random.random(40), random.beta(0.2, 3, 40), random.binomial(10, 0.3, 40) / 10,
        random.integers(0, 2, 40), np.append(np.zeros(39), 0.9), np.full(40, 0.25),
        np.where(np.arange(40) < 34, 0.1, random.random(40)), np.rint(30 * random.random(40)) / 30,
    ], axis=1)  # fmt: skip
    assert len({*is_drawn(kinds)}) == 2
    together = estimated(kinds, (0.5, 0.95, 0.999), (method,)).limits[method]
    for place in range(kinds.shape[1]):
        alone = estimated(kinds[:, place], (0.5, 0.95, 0.999), (method,)).limits[method]
        for ours, theirs in zip(together.parts, alone.parts, strict=True):
            np.testing.assert_array_equal(ours[:, [place]], theirs)


def test_more_columns_than_are_computed_at_a_time_give_the_same_bits() -> None:
    many = np.tile(COLUMNS, (1, 23))
    found, few = estimated(many), estimated(COLUMNS)
    for method in METHODS:
        for ours, theirs in zip(found.limits[method].parts, few.limits[method].parts, strict=True):
            np.testing.assert_array_equal(ours, np.tile(theirs, (1, 23)))


fine_columns = st.builds(
    lambda seed, topics, shape: np.random.default_rng(seed).beta(shape, 2, topics),
    st.integers(0, 10**6),
    st.integers(15, 80),
    st.sampled_from([0.6, 1.0, 3.0]),
)
any_columns = st.one_of(
    fine_columns,
    st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9]), min_size=2, max_size=25).map(np.array),
    st.lists(st.floats(-1, 1).map(lambda x: round(x, 4)), min_size=2, max_size=25).map(np.array),
).filter(lambda scores: np.ptp(scores) > 1e-3)


@settings(max_examples=60)
@given(any_columns)
def test_shares_never_fall_and_a_quantile_is_where_they_reach_p(scores: np.ndarray) -> None:
    found = mean_distribution(column_of(scores))
    assert np.diff(found.cumulative).min() > -1e-13
    assert found.cumulative[0] == pytest.approx(0, abs=1e-9)
    assert found.cumulative[-1] == pytest.approx(1, abs=1e-9)
    assert 0 < found.share_below < 1
    p = np.array([0.001, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999])
    quantiles = found.quantile(p)
    assert (np.diff(quantiles) >= 0).all()
    place = np.rint((quantiles - found.first) / found.step - (0 if found.lattice else 1e-6))
    place = place.astype(int).clip(1, len(found.cumulative) - 1)
    assert (found.cumulative[place] >= p - 1e-9).all()
    assert (found.cumulative[place - 1] <= p + 1e-9).all()


@settings(max_examples=25)
@given(fine_columns, st.floats(-3, 3), st.sampled_from([0.001, 0.37, 1.0, 12.5]))
def test_shifting_and_scaling_does_the_same_to_limits(
    scores: np.ndarray, shift: float, scale: float
) -> None:
    before, after = estimated(scores, LEVELS), estimated(shift + scale * scores, LEVELS)
    for method in METHODS:
        same_way = before.doubts[method][0] == after.doubts[method][0]
        for ours, theirs in zip(
            after.limits[method].parts[:2], before.limits[method].parts[:2], strict=True
        ):
            off = (ours - shift - scale * theirs) / after.se
            assert same_way.all()
            np.testing.assert_allclose(off, 0, atol=1e-6)


@settings(max_examples=25)
@given(fine_columns, st.integers(-200, 200))
def test_scaling_by_a_power_of_two_changes_no_bits(scores: np.ndarray, power: int) -> None:
    before, after = estimated(scores), estimated(scores * 2.0**power)
    for method in METHODS:
        for ours, theirs in zip(
            after.limits[method].parts, before.limits[method].parts, strict=True
        ):
            np.testing.assert_array_equal(ours, theirs * 2.0**power)


@settings(max_examples=25)
@given(fine_columns)
def test_a_mirror_mirrors(scores: np.ndarray) -> None:
    found, mirrored = estimated(scores, LEVELS), estimated(-scores, LEVELS)
    allowed = dict.fromkeys(METHODS, 0.004)
    if any(is_drawn(scores, LEVELS)):
        del allowed["bootstrap-t"]
    for method, most in allowed.items():
        ours, theirs = found.limits[method], mirrored.limits[method]
        np.testing.assert_allclose((ours.low + theirs.high) / found.se, 0, atol=most)
        np.testing.assert_allclose((ours.high + theirs.low) / found.se, 0, atol=most)


@settings(max_examples=25)
@given(any_columns, st.integers(0, 10**6))
def test_topics_in_any_order_give_nearly_the_same(scores: np.ndarray, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(scores)
    found, again = estimated(scores, LEVELS), estimated(shuffled, LEVELS)
    methods = METHODS[:3] if any(is_drawn(scores, LEVELS)) else METHODS
    for method in methods:
        for ours, theirs in zip(
            found.limits[method].parts[:2], again.limits[method].parts[:2], strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-7 * float(found.se[0]))


@settings(max_examples=40)
@given(any_columns)
def test_a_higher_level_contains_a_lower_one(scores: np.ndarray) -> None:
    found = estimated(scores, (0.5, 0.8, 0.9, 0.95, 0.99, 0.999))
    for method in METHODS:
        low, high = found.limits[method].parts[:2]
        assert (low[1:] <= low[:-1] + 1e-12).all(), method
        assert (high[1:] >= high[:-1] - 1e-12).all(), method
        assert not np.isnan(low).any()
        assert not np.isnan(high).any()


# Which way a column takes


def spread(topics: int, values: int) -> np.ndarray:
    """Return scores of so many topics that have so many values, evenly."""
    return np.sort(np.arange(topics) % values / values)


def off_the_mode(topics: int, others: int) -> np.ndarray:
    """Return scores of which all are equal, but for some around them."""
    beside = (np.arange(others) - (others - 1) / 2 + 0.01) / others
    return np.concatenate([np.zeros(topics - others), beside])


def in_clusters(topics: int, clusters: int, width: float) -> np.ndarray:
    """Return scores that are all different, but close to 0, 1, … in turn."""
    place = np.arange(topics)
    return np.sort(place % clusters + width * np.sqrt(place + 0.5) / np.sqrt(topics))


@pytest.mark.parametrize(
    ("scores", "drawn"),
    [
        (spread(9, 9), False),  # enumerated
        (spread(10, 10), True),  # fewer than 15 topics
        (spread(14, 14), True),
        (spread(15, 15), False),
        (spread(54, 4), False),  # enumerated
        (spread(55, 4), True),  # four values
        (spread(55, 5), False),
        (off_the_mode(20, 5), True),  # five topics off the mode
        (off_the_mode(24, 10), True),  # half of fewer than 25 have the mode
        (off_the_mode(25, 10), False),
        (off_the_mode(24, 14), False),
        (off_the_mode(24, 12), True),  # exactly half
        (off_the_mode(40, 5), True),  # five topics off the mode, of many
        (off_the_mode(40, 6), False),
        (in_clusters(50, 2, 0.1), True),
        (in_clusters(50, 4, 0.1), True),
        (in_clusters(60, 5, 0.1), False),
        (in_clusters(60, 2, 0.6), False),  # so wide that they are none
        (
            np.append(in_clusters(45, 1, 0.1), 10 * off_the_mode(5, 5)),
            True,
        ),  # five topics off a cluster
        (np.append(in_clusters(45, 1, 0.01), 0.2 * off_the_mode(12, 12)), False),
        (np.append(in_clusters(12, 1, 0.1), np.arange(1.0, 13) / 3), True),  # half of few topics
        (np.append(0.1 * spread(49, 49), 1.0), True),  # a long tail
        (np.append(0.1 * spread(49, 49), 0.12), False),
        (np.full(30, 0.5), False),  # no variance
        (spread(2, 2), False),
    ],
)
def test_which_columns_are_resampled(scores: np.ndarray, drawn: bool) -> None:
    assert is_drawn(scores) == [drawn]
    errors = estimated(scores).limits["bootstrap-t"].parts[2:]
    assert (np.array(errors) > 0).any() == drawn  # of an atom there is none


def test_a_level_next_to_zero_is_resampled() -> None:
    """The saddlepoint knows nothing of the middle."""
    assert is_drawn(spread(40, 40), (0.5,)) == [False]
    assert is_drawn(spread(40, 40), (0.5, 0.05)) == [True]
    found = estimated(spread(40, 40), (0.05,))
    limits = found.limits["bootstrap-t"]
    assert (limits.high - limits.low) / found.se == pytest.approx(2 * 0.0627, abs=0.01)


def test_the_long_tail_counts_whatever_the_levels_are() -> None:
    long = np.append(0.1 * spread(49, 49), 1.0)
    assert is_drawn(long, (0.5,)) == is_drawn(long, (0.999,)) == [True]


def test_limits_of_the_mean_have_no_error_of_random_numbers() -> None:
    found = estimated(off_the_mode(20, 5))
    for method in METHODS[:3]:
        assert np.array(found.limits[method].parts[2:]).max() == 0


@pytest.mark.parametrize(
    ("topics", "number"),
    [
        (10, 200_000),
        (250, 200_000),
        (500, 100_000),
        (999, 50_050),
        (5000, 10_000),
        (10**5, 10_000),
        (150_001, 6666),
        (10**6, 1000),
        (10**7, 1000),
    ],
)
def test_how_often_a_column_is_resampled(topics: int, number: int) -> None:
    found = resamples_for(topics)
    assert found == number
    assert isinstance(found, int)


def test_a_resample_of_one_value_alone_makes_limits_infinite_where_it_is_likely() -> None:
    """With 16 of 20 topics of score 0 that is .8²⁰ = .0115: beyond 97.7%, not before."""
    scores = np.append(np.zeros(16), [0.2, 0.31, 0.45, 0.6])
    found = estimated(scores, (0.95, 0.97, 0.98, 0.99)).limits["bootstrap-t"]
    assert np.isinf(found.high[:, 0]).tolist() == [False, False, True, True]
    assert np.isfinite(found.low).all()


def one_alone(sign: int) -> np.ndarray:
    """Return 26 scores, 20 of which are equal and just below the mean, or above it.

    A resample of these alone is as probable as (20/26)²⁶ = .00109. They are not resampled.
    """
    return sign * np.append(np.zeros(20), [-0.91, -0.77, -0.6, 0.7, 0.8, 0.9])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_resample_of_one_value_alone_is_known_without_resamples_too(sign: int) -> None:
    """Where (20/26)²⁶ is no less than p, on the side of the mean where the score lies."""
    scores, chance = one_alone(sign), (20 / 26) ** 26
    levels = (0.9, 0.95, 1 - 2.02 * chance, 1 - 1.98 * chance, 0.999, 0.9999)
    assert is_drawn(scores, levels) == [False]
    found = estimated(scores, levels)
    limits = found.limits["bootstrap-t"]
    infinite, finite = (limits.high, limits.low)[::sign]
    assert np.isinf(infinite[:, 0]).tolist() == [False, False, False, True, True, True]
    assert (sign * infinite[3:] > 0).all()
    assert np.isfinite(finite).all()
    assert (np.abs(finite - found.mean) < 4 * found.se).all()


@pytest.mark.parametrize("topics", [26, 27, 30])
@pytest.mark.parametrize("mean", [0, 10, 30, 33, 61, 70])
def test_a_resample_of_the_mean_alone_is_not_infinitely_far(mean: int, topics: int) -> None:
    """Its z* is 0, whatever the last bits of the mean of decimals are."""
    beside = np.array([9, 7, 4, 3])
    whole = np.concatenate([np.full(topics - 8, mean), mean + beside, mean - beside])
    assert is_drawn(whole / 100, (0.95, 0.9999)) == [False]
    limits = estimated(whole / 100, (0.95, 0.9999)).limits["bootstrap-t"]
    assert np.isfinite(limits.low).all()
    assert limits.low + limits.high == pytest.approx(2 * mean / 100, abs=1e-6)


# The distribution as methods use it


def bootstrap_of(scores: np.ndarray) -> IdealBootstrap:
    sample = Sample(scores if scores.ndim == 2 else scores[:, None])
    return IdealBootstrap.of(sample, columns_of(sample))


@pytest.mark.parametrize("shape", ["fine", "skewed", "few topics"])
def test_a_quantile_beyond_a_billionth_is_the_one_at_a_billionth(shape: str) -> None:
    found = bootstrap_of(scores_of(shape))
    far = found.quantile(np.array([[0.0], [1e-300], [1e-12], [1e-9]]))
    assert (far == far[-1]).all()
    far = found.quantile(np.array([[1.0], [1 - 1e-16], [1 - 1e-12], [1 - 1e-9]]))
    assert (far == far[-1]).all()
    near = found.quantile(np.array([[1e-9], [1e-6], [1 - 1e-6], [1 - 1e-9]]))
    assert (np.diff(near[:, 0]) > 0).all()


def exact_logits(whole: list[int], most: int) -> tuple[float, float]:
    """Return mean and sd of logit(m*) over all resamples but those of m* 0 and 1."""
    sums = {total: float(chance) for total, chance in exact_sums(whole).items()}
    inside = {total: chance for total, chance in sums.items() if 0 < total < most * len(whole)}
    chances = np.array([*inside.values()]) / sum(inside.values())
    means = np.array([*inside]) / (most * len(whole))
    logits = np.log(means / (1 - means))
    centre = chances @ logits
    return centre, np.sqrt(chances @ (logits - centre) ** 2)


@pytest.mark.parametrize(
    "columns",
    [
        [[0, 0, 0, 4], [4, 4, 1, 4], [1, 2, 2, 3]],  # enumerated
        [[0] * 9 + [4] * 7, [0, 1, 2, 3, 4] * 3 + [4], [4] * 12 + [3] * 2 + [2, 1]],
        [[0, 4, 4]],
    ],
)
def test_moments_of_logits_leave_out_means_of_0_and_1(columns: list[list[int]]) -> None:
    scores = np.array(columns).T / 4
    found = bootstrap_of(np.hstack([scores, np.full((len(scores), 1), 0.5)]))
    mean = np.append(scores.mean(axis=0), 0.5)
    centre, spread = found.logit_moments(mean)
    assert centre[-1] == spread[-1] == 0  # of the column that does not vary
    for place, whole in enumerate(columns):
        wanted = exact_logits(whole, 4)
        assert (centre[place], spread[place]) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("mirrored", [False, True])
def test_logits_leave_out_a_mean_of_0_or_1_that_is_blurred(mirrored: bool) -> None:
    """All of 24 ones among 30 scores are drawn with .8³⁰ = .0012; scores are on no lattice."""
    whole = [97] * 24 + [11, 30, 44, 59, 83, 90]
    whole = [97 - each for each in whole] if mirrored else whole
    scores = np.array(whole) / 97
    found = bootstrap_of(scores)
    assert not mean_distribution(column_of(scores)).lattice
    (centre,), (spread,) = found.logit_moments(scores.mean(keepdims=True))
    wanted, wanted_spread = exact_logits(whole, 97)
    assert centre == pytest.approx(wanted, abs=1e-3 * wanted_spread)
    assert spread == pytest.approx(wanted_spread, rel=1e-3)


def test_rounding_is_a_step_where_single_means_are_blurred() -> None:
    """A resample of 22 topics of 30 alone, with one score, has a probability of its own."""
    random = np.random.default_rng(4)
    few, many = (np.append(np.zeros(alike), random.random(30 - alike)) for alike in (8, 22))
    for scores, blurred in ((few, False), (many, True), (np.full(30, 0.3), False)):
        sample = Sample(scores[:, None])
        found, (column,) = bootstrap_of(scores), columns_of(sample)
        least = sample.rounding[0]
        if blurred:
            assert column is not None
            distribution = mean_distribution(column_of(scores))
            assert found.rounding[0] == pytest.approx(distribution.step, rel=1e-6)
            assert found.rounding[0] > distribution.step
            assert 1e-9 < distribution.step < 1e-2 * sample.se[0]
        else:
            assert least < found.rounding[0] < 1e-13
