"""Corners of the mathematics that no ordinary scores come to."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit, ndtri

from confint_cli.common.words import percent, rounded_up
from confint_cli.stats.bootstrap import Resampled, resample, resample_roughly
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.methods import bca, method_named, methods, usual_methods
from confint_cli.stats.quantiles import Ordered, quantile, quantile_error
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample

INFINITE = np.inf


def test_z_of_resamples_of_equal_scores_is_infinite_or_zero() -> None:
    """Scores 0, ½, 1: resamples of one topic alone have se* = 0, and m* - m of -½, 0, ½."""
    sample = Sample(np.array([[0.0], [0.5], [1.0]]))
    counts = [np.array([[3.0, 0, 0], [0, 3, 0], [0, 0, 3], [2, 1, 0]])]
    found = resample(sample, counts, 4, studentize=True).resampled
    assert isinstance(found, Resampled)
    assert found.studentized is not None
    np.testing.assert_allclose(
        found.studentized.values[0], [-INFINITE, -2, 0, INFINITE]
    )  # z* of 0, 0, ½: (1/6 - ½)/√(1/12/3)
    np.testing.assert_allclose(found.deviations.values[0], [-1 / 2, -1 / 3, 0, 1 / 2], atol=1e-15)


def test_basic_has_the_errors_of_percentile_the_other_way_round() -> None:
    scores = np.random.default_rng(0).beta(0.5, 1.5, (30, 3))
    limits = estimate(Sample(scores), Estimation(("basic", "percentile"), (0.95,), 10_000)).limits
    basic, percentile = limits["basic"], limits["percentile"]
    np.testing.assert_array_equal(basic.low_error, percentile.high_error)
    np.testing.assert_array_equal(basic.high_error, percentile.low_error)
    assert (basic.low_error != basic.high_error).all()


def bootstrap(deviations: np.ndarray) -> Resampled:
    return Resampled(Ordered.sort(deviations), None, np.full(len(deviations), 1e-12))


def test_all_resamples_on_one_side_of_the_mean_still_have_a_bias() -> None:
    drawn = bootstrap(np.array([[0.1, 0.2, 0.3], [-0.3, -0.2, -0.1]]))
    np.testing.assert_allclose(drawn.share_below, [0.5 / 3, 1 - 0.5 / 3])


def test_ties_with_the_mean_count_half() -> None:
    drawn = bootstrap(np.array([[-0.1, 1e-14, 0.0, 0.3]]))
    np.testing.assert_allclose(drawn.share_below, [(1 + 2 / 2) / 4])


def test_bca_beyond_the_pole_of_its_formula_is_the_last_quantile() -> None:
    """1 - a(z0+z) is negative for a = 0.5 and z = 3.3, where the formula would turn round."""
    z = ndtri(np.array([[0.9], [0.9995]]))
    share, acceleration = np.array([0.5]), np.array([0.5])
    p = bca._adjusted(z, share, acceleration)
    assert p[0, 0] < p[1, 0] == 1.0
    assert np.isfinite(bca._adjusted_sd(p, z, share, acceleration, 1000)).all()


@pytest.mark.parametrize(("share", "acceleration"), [(0.5, 0.0), (0.44, 0.08), (0.57, -0.12)])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_error_of_bcas_adjusted_share_longhand(
    share: float, acceleration: float, level: float
) -> None:
    """A resample counts where m* is below the limit, less by how much it moves p if below m."""
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z, a = ndtri(np.array([[tail]])), np.array([acceleration])
        p, above, below = (
            float(bca._adjusted(z, np.array([share + step]), a)[0, 0]) for step in (0, 1e-6, -1e-6)
        )
        slope = (above - below) / 2e-6
        chances = np.array([min(p, share), abs(p - share), 1 - max(p, share)])
        counts = np.array([1 - slope, 1 if share < p else -slope, 0])
        variance = chances @ counts**2 - (chances @ counts) ** 2
        found = bca._adjusted_sd(np.array([[p]]), z, np.array([share]), a, 1000)
        assert found[0, 0] == pytest.approx(np.sqrt(variance / 1000), rel=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("zeros", [0, 7])
def test_the_errors_of_logit_limits_longhand(level: float, zeros: int) -> None:
    """By how much each resample moves μ ± tσ: the standard error is that of a mean of as many."""
    x = np.random.default_rng(5).beta(0.5, 1.5, 9)
    x[:zeros] = 0
    means = np.vstack(list(Resamples(9, 999, 3).counts())) @ x / 9
    logits = logit(means[means > 0])
    assert (len(logits) < 999) == (zeros > 0)
    mean, sd, t = logits.mean(), logits.std(), stats.t.ppf((1 + level) / 2, 8)
    found = estimate(Sample(x[:, None]), Estimation(("logit",), (level,), 999, 3)).limits["logit"]
    for sign, error in ((-1, found.low_error), (1, found.high_error)):
        moved = logits - mean + sign * t * ((logits - mean) ** 2 - sd**2) / (2 * sd)
        end = expit(mean + sign * t * sd)
        expected = moved.std() / np.sqrt(len(logits)) * end * (1 - end)
        assert error[0, 0] == pytest.approx(expected, rel=1e-6)


def test_logit_is_for_scores_from_0_to_1() -> None:
    logits = method_named("logit")
    assert logits.refuses(np.array([0.0, 0.5, 1.0])) is None
    refused = logits.refuses(np.array([-1e-9, 0.0, 1.0, 1 + 1e-9, -5, 5]))
    assert refused is not None
    assert refused.tolist() == [True, False, False, True, True, True]


def test_only_a_coverage_study_has_a_method_that_needs_the_population() -> None:
    assert set(methods()) - set(usual_methods()) == {"z"}


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_a_place_that_is_whole_but_for_rounding_is_whole(level: float) -> None:
    """(1-0.9)/2·10000 comes out as 499.99999999999994, and 1-0.8 likewise."""
    number = 9999
    place = round((1 - level) / 2 * (number + 1))
    values = np.full(number, -INFINITE)
    values[place - 1 :] = np.arange(number - place + 1)
    found = quantile(Ordered.sort(values[None, :]), np.array([[(1 - level) / 2]]))
    assert found[0, 0] == 0


def test_quantiles_at_and_beyond_the_ends() -> None:
    ordered = np.arange(1.0, 100.0)[None, :]  # 99 values: the quantile at p is 100p
    p = np.array([[0.0], [0.001], [0.01], [0.25], [0.99], [0.9999], [1.0]])
    np.testing.assert_allclose(quantile(Ordered.sort(ordered), p)[:, 0], [1, 1, 1, 25, 99, 99, 99])
    assert 25 < quantile(Ordered.sort(ordered), np.array([[0.255]]))[0, 0] < 26


def test_the_error_beside_infinite_values_is_that_of_a_normal_tail() -> None:
    ordered = np.sort(np.random.default_rng(0).standard_normal((1, 9999)), axis=1)
    ordered[0, :240] = -INFINITE
    p = np.array([[0.025]])
    error = quantile_error(Ordered.sort(ordered), p)
    expected = np.sqrt(0.025 * 0.975 / 9999) / 0.058445  # the normal density at its quantile
    assert error[0, 0] == pytest.approx(expected, rel=0.35)
    ordered[0, :260] = -INFINITE
    assert quantile_error(Ordered.sort(ordered), p)[0, 0] == 0  # the quantile itself is infinite


def test_scores_equal_but_for_the_last_bit_have_no_variance() -> None:
    sample = Sample(np.array([[0.1 + 0.2, 1.0], [0.3, 1.0], [0.3, 1.0 + 1e-12]]))
    assert sample.constant.tolist() == [True, False]
    assert sample.sd[0] == 0 < sample.sd[1]


def test_a_resample_has_the_same_mean_however_it_is_added_up() -> None:
    """Sums on the grid are exact, so the order of topics makes no difference to the last bit."""
    scores = np.random.default_rng(0).random((5000, 2))
    counts = list(Resamples(5000, 30, 0).counts())
    first = resample(Sample(scores), counts, 30, studentize=True).resampled
    order = np.random.default_rng(1).permutation(5000)
    sample = Sample(scores)
    shuffled = Sample(scores[order])
    object.__setattr__(shuffled, "centre", (sample.mean, sample.deviations[:, order]))
    again = resample(shuffled, [chunk[:, order] for chunk in counts], 30, studentize=True).resampled
    np.testing.assert_array_equal(first.deviations.values, again.deviations.values)
    np.testing.assert_array_equal(first.studentized.values, again.studentized.values)


@pytest.mark.parametrize(
    ("level", "text"),
    [(0.95, "95%"), (0.999, "99.9%"), (0.5, "50%"), (0.99999999999, "99.999999999%"),
     (1e-6, "0.0001%"), (0.1, "10%")],
)  # fmt: skip
def test_percent_loses_no_digit(level: float, text: str) -> None:
    assert percent(level) == text


@pytest.mark.parametrize(
    ("number", "rounded"), [(1234.5, 1300), (1200, 1200), (7.2, 8), (99_001, 100_000)]
)
def test_rounded_up_to_two_digits(number: float, rounded: int) -> None:
    assert rounded_up(number) == rounded


def test_errors_of_quantiles_are_no_larger_than_the_range_of_the_scores() -> None:
    """One outlier takes bca's upper limit so far out that there are no resamples to judge it by."""
    random = np.random.default_rng(0)
    scores = -0.1 * random.random((50, 1))
    scores[7] = 1.5
    for name in ("bca", "percentile", "basic"):
        limits = estimate(Sample(scores), Estimation((name,), (0.999,))).limits[name]
        assert limits.high_error.max() <= np.ptp(scores)
        assert limits.low_error.max() <= np.ptp(scores)


@pytest.mark.parametrize("name", ["t", "percentile", "basic", "bca", "bootstrap-t"])
def test_limits_of_differences_are_0_only_if_all_but_the_last_bits_are(name: str) -> None:
    random = np.random.default_rng(1)
    differences = random.normal(size=(30, 1))
    how = Estimation((name,), (0.9,), 1999)
    low = float(estimate(Sample(differences), how).limits[name].low[0, 0])
    for off, expected in ((0.0, 0.0), (1e-11, 1e-11)):
        moved = Sample(differences - low + off, sizes=np.abs(differences).max(axis=0))
        found = float(estimate(moved, how).limits[name].low[0, 0])
        assert found == pytest.approx(expected, abs=1e-13)
        assert (found == 0) == (expected == 0)


def test_a_standard_error_tiny_beside_the_largest_score_is_computed_in_double_precision() -> None:
    """Of resamples without the one outlier, single precision knows no standard error."""
    random = np.random.default_rng(3)
    values = np.column_stack([random.random(20), 0.5 + 0.02 * random.random(20)])
    values[0, 1] = 1.0
    chunks = [chunk.astype(np.float32) for chunk in Resamples(20, 2000, 0).counts()]
    rough, precise = (
        resample_roughly(Sample(values), chunks, np.empty((4, 2000), np.float32),
                         studentize=True, depth=2000),
        resample(Sample(values), chunks, 2000, studentize=True),
    )  # fmt: skip
    ours, theirs = rough.resampled.studentized.values, precise.resampled.studentized.values
    assert np.isfinite(theirs).all()
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=0.01)  # in single precision
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6)
