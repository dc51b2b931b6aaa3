"""The distribution of means over several collections: against R, resamples, and exact sums."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.ideal.bootstrap import columns_of
from confint_cli.stats.ideal.mean import MeanDistribution
from confint_cli.stats.ideal.strata import ColumnOfCollections, distribution_over_collections
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample
from tests.stats.ideal.longhand import exact_sums
from tests.stats.longhand_collections import (
    CASES,
    mean_se_df,
    reference_parts,
    reference_rows,
    sample_of,
    sizes_of,
    some_parts,
)

IDEAL = ("percentile", "basic", "bca")
KINDS = ("skewed", "zeros", "tenths", "0 and 1", "normal")
SHAPES = [(5, 24), (8, 3, 12, 30), (5, 300), tuple(np.linspace(5, 300, 10).astype(int).tolist())]


def ideally(
    sample: Sample, methods: Sequence[str] = IDEAL, levels: Sequence[float] = (0.95,)
) -> Estimate:
    return estimate(sample, Estimation(tuple(methods), tuple(levels), workers=ALONE))


def distribution_of(parts: Sequence[np.ndarray]) -> MeanDistribution:
    (column,) = columns_of(sample_of(parts))
    assert isinstance(column, ColumnOfCollections)
    return distribution_over_collections(column)


def drawn_means(parts: Sequence[np.ndarray], number: int, seed: int) -> np.ndarray:
    """m* - m of the mean of the collections' means, in ascending order."""
    random, total = np.random.default_rng(seed), np.zeros(number)
    for part in parts:
        for start in range(0, number, 10_000):
            block = total[start : start + 10_000]
            block += part[random.integers(len(part), size=(len(block), len(part)))].mean(axis=1)
    return np.sort(total / len(parts)) - np.mean([part.mean() for part in parts])


# R


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", IDEAL)
def test_limits_are_those_of_boot_ci_within_its_error(case: str, name: str) -> None:
    sample = sample_of(reference_parts(case, "difference"))
    rows = [row for row in reference_rows(name) if row["case"] == case]
    assert len(rows) == 2
    for row in rows:
        limits = ideally(sample, [name], [float(row["level"])]).limits[name]
        for end, own in (("low", limits.low), ("high", limits.high)):
            off = abs(own[0, 0] - float(row[end])) / float(row[f"{end}_error"])
            assert off < 4, (row["level"], end)
        assert limits.low_error[0, 0] == limits.high_error[0, 0] == 0


@pytest.mark.parametrize("case", CASES)
def test_bias_and_acceleration_are_those_of_r(case: str) -> None:
    parts = reference_parts(case, "difference")
    (acceleration,) = [row for row in reference_rows("acceleration") if row["case"] == case]
    (bias,) = [row for row in reference_rows("bias") if row["case"] == case]
    sample = sample_of(parts)
    a = sample.skewness[0] / (6 * np.sqrt(sample.topics))
    assert a == pytest.approx(float(acceleration["estimate"]), rel=1e-9)
    z0 = stats.norm.ppf(distribution_of(parts).share_below)
    assert abs(z0 - float(bias["estimate"])) < 4 * float(bias["low_error"])


@pytest.mark.parametrize("case", CASES)
def test_bootstrap_t_is_that_of_r_within_both_errors(case: str) -> None:
    """It has resamples of its own, many, and says so."""
    sample = sample_of(reference_parts(case, "difference"))
    rows = [row for row in reference_rows("bootstrap-t") if row["case"] == case]
    found = ideally(sample, ["bootstrap-t"], [float(row["level"]) for row in rows])
    limits = found.limits["bootstrap-t"]
    assert ((found.doubts["bootstrap-t"] & Doubt.RESAMPLED) > 0).all()
    for place, row in enumerate(rows):
        for end in ("low", "high"):
            own, error = (getattr(limits, each)[place, 0] for each in (end, f"{end}_error"))
            allowed = 4 * np.hypot(error, float(row[f"{end}_error"]))
            assert abs(own - float(row[end])) < allowed, (row["level"], end)
            assert 0.3 < error / float(row[f"{end}_error"]) < 3


# Resamples


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", SHAPES, ids=["2", "4", "unequal", "10"])
def test_moments_are_exact(kind: str, sizes: tuple[int, ...]) -> None:
    """Mean 0, and Σ σ²/n over K², with n."""
    parts = some_parts(11, sizes, kind)
    found = distribution_of(parts)
    variance = sum(part.var() / len(part) for part in parts) / len(parts) ** 2
    mean = (found.probabilities * found.points).sum()
    second = (found.probabilities * found.points**2).sum()
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert found.probabilities.min() > -1e-12
    assert abs(mean) < 1e-6 * np.sqrt(variance)
    assert second == pytest.approx(variance, rel=1e-6)
    third = sum(((part - part.mean()) ** 3).mean() / len(part) ** 2 for part in parts)
    third /= len(parts) ** 3  # cumulants of independent sums add up
    found_third = (found.probabilities * found.points**3).sum()
    assert found_third == pytest.approx(third, abs=1e-3 * variance**1.5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", SHAPES[:3], ids=["2", "4", "unequal"])
def test_limits_are_those_of_many_resamples(kind: str, sizes: tuple[int, ...]) -> None:
    """The share of 50,000 resamples up to a quantile is its p, but for five standard errors."""
    parts, number = some_parts(12, sizes, kind), 50_000
    found, drawn = distribution_of(parts), drawn_means(parts, number, seed=1)
    # Sums with a probability of their own are blurred; p has to lie between what is beside them.
    blur = 0.03 * float(np.sqrt((found.probabilities * found.points**2).sum()))
    for p in (0.0005, 0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.995, 0.9995):
        (at,) = found.quantile(np.array([p]))
        before, after = np.searchsorted(drawn, [at - blur, at + blur]) / number
        allowed = 5 * np.sqrt(p * (1 - p) / number)
        assert before - allowed < p < after + allowed
    below = np.mean((drawn < -1e-12) + 0.5 * (np.abs(drawn) <= 1e-12))
    assert found.share_below == pytest.approx(below, abs=5 * 0.5 / np.sqrt(number))


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths"])
@pytest.mark.parametrize("sizes", [(5, 24), (8, 3, 12, 30)], ids=["2", "4"])
def test_limits_are_those_of_200_000_resamples_of_the_program(
    kind: str, sizes: tuple[int, ...]
) -> None:
    """By the same methods, within five of the errors that these say they have, and the blur."""
    sample, levels = sample_of(some_parts(13, sizes, kind)), (0.8, 0.95, 0.99)
    ideal = ideally(sample, IDEAL, levels)
    drawn = estimate(sample, Estimation(IDEAL, levels, 200_000, 3, workers=ALONE))
    for name in IDEAL:
        own, other = ideal.limits[name], drawn.limits[name]
        for end in ("low", "high"):
            off = np.abs(getattr(own, end) - getattr(other, end))
            assert (off < 5 * getattr(other, f"{end}_error") + 0.02 * sample.se).all(), (name, end)


@pytest.mark.parametrize("numbers", [(3, 2), (1, 4), (2, 2, 1)])
def test_0_and_1_in_collections_of_one_size_have_exact_probabilities(
    numbers: tuple[int, ...],
) -> None:
    """Sums of whole numbers of all collections, each by its own exact distribution."""
    size = 6
    parts = [np.repeat([1.0, 0.0], [ones, size - ones]) for ones in numbers]
    exact = {0: Fraction(1)}
    for part in parts:
        own, joined = exact_sums(part.astype(int).tolist()), {}
        for total, chance in exact.items():
            for more, other in own.items():
                joined[total + more] = joined.get(total + more, Fraction(0)) + chance * other
        exact = joined
    found, all_ones = distribution_of(parts), sum(numbers)
    cumulative = Fraction(0)
    for total in sorted(exact):
        cumulative += exact[total]
        between = (total + 0.5 - all_ones) / (size * len(parts))  # no sum is near
        upto = found.cumulative[int((between - found.first) / found.step)]
        assert upto == pytest.approx(float(cumulative), abs=1e-7)
    below = sum(chance for total, chance in exact.items() if total < all_ones)
    # Half of a tie's probability, but that it is blurred, and not evenly: z0 is good to .01.
    assert found.share_below == pytest.approx(float(below + exact[all_ones] / 2), abs=4e-3)


def test_a_collection_that_does_not_vary_adds_nothing() -> None:
    parts = some_parts(5, (12, 20))
    usual = distribution_of(parts)
    other = distribution_of([*parts, np.full(7, 0.3)])
    p = np.array([0.005, 0.025, 0.5, 0.975, 0.995])
    np.testing.assert_allclose(other.quantile(p) * 3, usual.quantile(p) * 2, atol=1e-3)
    assert other.share_below == pytest.approx(usual.share_below, abs=1e-4)


def test_a_collection_may_be_so_small_that_it_lies_between_two_points() -> None:
    """One of 5 topics that vary a thousand times as much as the 300 of the other."""
    random = np.random.default_rng(2)
    parts = [random.beta(0.3, 1, 5), 0.5 + 1e-3 * random.random(300)]
    found, drawn = distribution_of(parts), drawn_means(parts, 50_000, 3)
    _, se, _ = mean_se_df(parts)
    for p in (0.025, 0.5, 0.975):
        (at,) = found.quantile(np.array([p]))
        before, after = np.searchsorted(drawn, [at - 0.03 * se, at + 0.03 * se]) / len(drawn)
        assert before - 0.004 < p < after + 0.004


def test_quantiles_are_between_points() -> None:
    """Scores of several collections are on no lattice; no mean stands for those around it."""
    found = distribution_of(some_parts(5, (12, 20)))
    p = np.linspace(0.4, 0.4001, 50)
    assert (np.diff(found.quantile(p)) > 0).all()
    between = np.interp(p, found.cumulative, found.first + found.step * (np.arange(1 << 14) + 0.5))
    np.testing.assert_allclose(found.quantile(p), between, rtol=0, atol=1e-9 * found.step)
    assert found.resolution == 0


# Promises


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 50), min_size=2, max_size=9), min_size=2, max_size=5),
    st.lists(st.floats(0.001, 0.999), min_size=2, max_size=6),
)
def test_quantiles_ascend_within_what_means_can_be(whole: list[list[int]], p: list[float]) -> None:
    parts = [np.array(part) / 50 for part in whole]
    assume(any(np.ptp(part) > 0 for part in parts))
    found = distribution_of(parts)
    at = found.quantile(np.sort(p))
    assert (np.diff(at) >= 0).all()
    mean = np.mean([part.mean() for part in parts])
    lowest = np.mean([part.min() for part in parts]) - mean
    highest = np.mean([part.max() for part in parts]) - mean
    blur = 0.05 * (highest - lowest)
    assert lowest - blur <= at[0]
    assert at[-1] <= highest + blur
    assert 0 < found.share_below < 1
    limits = ideally(sample_of(parts), IDEAL, [0.8, 0.99]).limits
    for name in ("percentile", "bca"):
        assert (limits[name].low >= mean + lowest - 1e-12).all()
        assert (limits[name].high <= mean + highest + 1e-12).all()
    for name in IDEAL:
        low, high = limits[name].low[:, 0], limits[name].high[:, 0]
        assert (low <= high).all()
        assert low[1] <= low[0] + 1e-12
        assert high[1] >= high[0] - 1e-12


def test_it_draws_no_random_numbers() -> None:
    sample = sample_of(some_parts(1, (5, 24, 11)))
    first, second = (
        estimate(sample, Estimation(IDEAL, (0.95,), seed=seed, workers=ALONE)) for seed in (0, 1)
    )
    for name in IDEAL:
        assert first.limits[name].low.tobytes() == second.limits[name].low.tobytes()
        assert not first.doubts[name][0, 0] & Doubt.RESAMPLED


def test_resamples_of_the_program_are_those_of_the_collections() -> None:
    """To resample all topics together would add what collections differ by."""
    parts = [np.full(10, 0.1), np.full(30, 0.9)]
    parts[0][0] += 0.01
    sizes = sizes_of(parts)
    counts = np.vstack(list(Resamples(40, 500, 0, sizes).counts()))
    means = counts @ sample_of(parts).scores[:, 0] / 40
    assert np.ptp(means) < 0.01
