"""Verdicts and widths of samples: what comes from resamples, what is infinite, against limits."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from confint_cli.stats.ideal.covering import Study, study_of
from confint_cli.stats.ideal.logits import logit_moments
from confint_cli.stats.ideal.samples import OwnSamples, SharedSamples
from tests.ideal.truth import sums
from tests.stats.ideal.longhand import estimated
from tests.stats.ideal.longhand_covering import Resampled, judged, places_of, study


def fine(seed: int, topics: int = 60) -> np.ndarray:
    """Return scores of four digits."""
    return np.round(np.random.default_rng(seed).beta(0.8, 2, topics), 4)


def even(seed: int, topics: int = 60) -> np.ndarray:
    """Return scores of which none stands out."""
    return np.round(0.2 + 0.6 * np.random.default_rng(seed).random(topics), 4)


def with_seed(scores: np.ndarray, places: np.ndarray, levels: Sequence[float], seed: int) -> Study:
    samples = SharedSamples.of(scores, places)
    truth, scale = (np.full(len(places), one) for one in (samples.truth, samples.scale))
    return study_of(samples, truth, scale, np.array(levels), seed)


# Up to seven topics


def test_seven_topics_are_enumerated() -> None:
    """F is exact, also on no lattice."""
    scores = fine(1)
    places = places_of(np.random.default_rng(1), 60, 15, 7)
    found = study(scores, places, (0.95,)).at_truth
    whole = np.rint(1e4 * scores).astype(int)
    for sample, own in enumerate(whole[places]):
        exact = sums(own)
        at = int(np.floor(whole.sum() * 7 / 60)) - exact.first  # of θ: no whole number
        expected = exact.cumulative[at] if at >= 0 else 0.0
        assert found[0, sample] == pytest.approx(expected, abs=1e-9)
        assert found[2, sample] == pytest.approx(exact.share_below(int(own.sum())), abs=1e-9)


@pytest.mark.parametrize("size", [2, 7, 8, 20])
@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "bootstrap-t", "logit"])
def test_a_constant_sample_at_the_truth_covers_it(method: str, size: int) -> None:
    scores = np.array([0.1, 0.4, 0.7])
    found = judged(scores, np.full((2, size), 1), method, (0.5, 0.95))
    assert not found.too_high.any()
    assert not found.too_low.any()


# What is resampled


def test_verdicts_of_bootstrap_t_are_resampled_where_docs_say_so() -> None:
    """Shares of 4,000 are whole 4,000ths."""
    scores, levels, seen = fine(2), (0.5, 0.95), 0
    for size, band in ((10, 1.15), (14, 1.15), (15, 1.4), (20, 1.4)):
        places = places_of(np.random.default_rng(size), 60, 600, size)
        one = study(scores, places, levels)
        z = np.abs(np.sqrt(size - 1) * one.moments.mean / one.moments.sd)
        share = one.ratio_at_truth[0]
        resampled = np.abs(4000 * share - np.rint(4000 * share)) < 1e-6
        resampled &= z > 0.5 * ndtri(0.75)  # nearer to 0, it is ½
        few = one.samples.few_clusters(np.arange(600))
        for place, level in enumerate(levels):
            tail, own = (1 - level) / 2, np.minimum(share[place], 1 - share[place])
            far = z > band * ndtri(1 - tail)
            assert not resampled[place, ~far & ~few].any()
            near = (own < 3 * tail + 0.02) & (own > tail / 4 - 0.003 + 0.002)
            assert resampled[place, far & near].all()
            if size > 10:  # where resamples have nearly the tail that the saddlepoint has
                far_off = (own > 3 * tail + 0.06) | (own < tail / 10)
                assert not resampled[place, far_off & ~few].any()
            seen += int((far & near).sum())
    assert seen > 50


@pytest.mark.parametrize(
    ("name", "size", "resampled"),
    [
        ("even", 14, True),
        ("even", 15, False),
        ("even", 20, False),
        ("two scores", 20, True),
        ("outlier", 30, True),
    ],
)
def test_widths_of_bootstrap_t_depend_on_a_seed_where_they_are_resampled(
    name: str, size: int, *, resampled: bool
) -> None:
    scores = {
        "even": np.sort(even(3)),
        "two scores": (np.arange(60) < 25).astype(float),
        "outlier": np.append(even(3)[:59] / 20, 0.9),
    }[name]
    apart = 60 // size  # a topic of each part of the population, and the outlier
    offsets = np.random.default_rng(size).integers(0, apart, (20, size))
    places, levels = np.arange(size) * apart + offsets, (0.9, 0.95)
    places[:, -1] = 59
    widths = [with_seed(scores, places, levels, seed).width_of_ratios() for seed in (1, 1, 2)]
    np.testing.assert_array_equal(widths[0], widths[1])
    assert (widths[0] != widths[2]).any() == resampled


def test_samples_with_an_outlier_are_resampled_and_no_others() -> None:
    """Its z* are found without them, but at .025 and .975 one is too far out to be trusted."""
    scores = np.append(np.sort(even(3))[:59], 1.6)
    places = np.arange(20) * 2 + np.random.default_rng(1).integers(0, 2, (12, 20))
    places[0, 0] = 59
    every, one, others = (
        np.array([with_seed(scores, own, (0.95,), seed).width_of_ratios() for seed in (1, 2)])
        for own in (places, places[:1], places[1:])
    )
    assert others[0] == others[1]
    assert one[0] != one[1]
    np.testing.assert_allclose(every, one + others, rtol=1e-9)


def test_two_scores_are_resampled_only_where_a_level_may_be_decided() -> None:
    scores = (np.arange(60) < 25).astype(float)
    places = places_of(np.random.default_rng(4), 60, 200, 40)
    one = study(scores, places, (0.95,))
    z = np.abs(np.sqrt(39) * one.moments.mean / one.moments.sd)
    share = one.ratio_at_truth[0, 0]
    smooth = np.abs(4000 * share - np.rint(4000 * share)) > 1e-6
    assert smooth[(z > 0.99) & (z < 1.15)].all()
    assert not smooth[(z > 1.6) & (z < 2.5)].any()
    assert ((z > 0.99) & (z < 1.15)).any()


def test_shares_of_resamples_depend_on_the_seed() -> None:
    scores = (np.arange(60) < 25).astype(float)
    places = places_of(np.random.default_rng(1), 60, 20, 20)
    shares = [with_seed(scores, places, (0.95,), seed).ratio_at_truth for seed in (1, 1, 2)]
    np.testing.assert_array_equal(shares[0], shares[1])
    assert (shares[0] != shares[2]).any()


# Widths


@pytest.mark.parametrize("size", [20, 50])
@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "bootstrap-t"])
def test_widths_are_those_of_intervals(method: str, size: int) -> None:
    """Of up to 24 samples, all are measured."""
    scores, levels = even(4), (0.5, 0.95, 0.99)
    places = places_of(np.random.default_rng(size), 60, 24, size)
    found = estimated(scores[places].T, levels, (method,)).limits[method]
    widths = np.broadcast_to(found.high - found.low, (3, 24)).sum(axis=1)
    np.testing.assert_allclose(judged(scores, places, method, levels).width, widths, rtol=0.002)


@pytest.mark.parametrize(("method", "close"), [("percentile", 0.006), ("bootstrap-t", 0.013)])
def test_a_mean_width_is_near_that_of_all_samples(method: str, close: float) -> None:
    """As docs/ideal.md has it for real scores; in pieces of 40, all are measured."""
    scores = fine(5)
    places = places_of(np.random.default_rng(5), 60, 800, 50)
    at_once = judged(scores, places, method, (0.95,)).width[0]
    pieces = [judged(scores, part, method, (0.95,)).width[0] for part in np.split(places, 20)]
    assert at_once == pytest.approx(sum(pieces), rel=close)


@pytest.mark.parametrize("method", ["percentile", "bootstrap-t"])
def test_widths_in_proportion_to_the_standard_deviation_are_known_of_all_samples(
    method: str,
) -> None:
    """The first 48 samples are nearly constant, and the others are not."""
    scores = np.append(np.sort(even(10)), np.linspace(0.49, 0.51, 60))
    random = np.random.default_rng(10)
    apart = np.arange(20) * 3 + random.integers(0, 3, (48, 20))
    places = np.vstack([np.where(np.arange(48)[:, None] % 4 > 0, 60 + apart, apart), apart])
    at_once = judged(scores, places, method, (0.95,)).width[0]
    pieces = [judged(scores, part, method, (0.95,)).width[0] for part in np.split(places, 4)]
    assert at_once == pytest.approx(sum(pieces), rel=0.01)


def test_infinite_widths_of_one_level_leave_the_others_finite() -> None:
    """A fifth of the scores are 0: of nine topics, (5/9)⁹ = .005 of the resamples are zeros."""
    scores = np.append(np.zeros(12), even(6)[:48])
    places = np.array([[0] * 5 + [*range(20 + own, 24 + own)] for own in range(30)] * 3)
    for number in (3, 90):
        width = judged(scores, places[:number], "bootstrap-t", (0.5, 0.95, 0.999)).width
        assert np.isfinite(width[:2]).all()
        assert width[2] == np.inf


def test_a_limit_is_infinite_if_one_score_alone_is_as_probable_as_the_tail() -> None:
    """Half of eight topics are 0: 1/256 of the resamples have a z* of -∞, and α/2 is 1/256."""
    scores = np.append(np.zeros(12), even(6)[:48])
    places = np.array([[0] * 4 + [20, 25, 30, 35]])
    for seed in range(6):
        assert with_seed(scores, places, (1 - 2 / 256,), seed).width_of_ratios()[0] == np.inf


def test_limits_far_out_are_those_at_a_billionth() -> None:
    places = places_of(np.random.default_rng(9), 60, 20, 50)
    far, further = (
        judged(even(9), places, "percentile", (level,)).width[0] for level in (1 - 2e-9, 1 - 1e-13)
    )
    assert further == pytest.approx(far, rel=1e-3)


def test_no_sample_that_varies_has_no_width() -> None:
    scores = np.array([0.1, 0.4, 0.9])
    for size in (7, 8, 20):
        for method in ("percentile", "bootstrap-t"):
            width = judged(scores, np.zeros((3, size), dtype=int), method, (0.5, 0.95)).width
            assert width.tolist() == [0, 0]


# Logits


@pytest.mark.parametrize("factor", [1e-3, 1e-5])
def test_logits_of_small_scores_are_those_of_all_resamples(factor: float) -> None:
    scores = factor * np.append(fine(7), [0.0, 1.0])
    places = places_of(np.random.default_rng(7), 62, 10, 5)
    mean, sd = study(scores, places, (0.95,)).logit_moments()
    for sample, own in enumerate(scores[places]):
        expected = Resampled(own / factor, Resampled.in_full(own).resamples / factor)
        inside = expected.means[expected.means > 1e-9] * factor
        logits = np.log(inside / (1 - inside))
        assert mean[sample] == pytest.approx(logits.mean(), abs=1e-6)
        assert sd[sample] == pytest.approx(logits.std(), abs=1e-6)


@pytest.mark.parametrize("off", [-1e-15, 0.0, 1e-15])
def test_zeros_and_ones_count_as_such_whatever_the_rounding(off: float) -> None:
    """A score of 1 that comes out as .9999999999999999 is no m* inside, nor one beyond 1."""
    random = np.random.default_rng(1)
    scores = np.append(random.choice([0.0, 1.0], 30, p=[0.3, 0.7]), random.random(10))
    places = random.integers(0, 30, (12, 5))
    places[:, 0] = random.integers(0, 40, 12)
    samples = SharedSamples.of(scores, places)
    mean, sd = logit_moments(replace(samples, scale=samples.scale * (1 + off)))
    for sample, own in enumerate(scores[places]):
        if np.ptp(own) > 0:
            expected, spread = Resampled.in_full(own).logit_moments()
            assert mean[sample] == pytest.approx(expected, abs=0.01 * spread + 1e-6)
            assert sd[sample] == pytest.approx(spread, rel=0.03, abs=1e-4)


@pytest.mark.parametrize(
    "scores", [fine(8), np.where(fine(8) < 0.2, 0.0, 1.0)], ids=["fine", "0/1"]
)
def test_logits_of_samples_with_scores_of_their_own_are_those_of_intervals(
    scores: np.ndarray,
) -> None:
    places = places_of(np.random.default_rng(8), 60, 20, 12)
    shared = SharedSamples.of(scores, places)
    truth, scale = np.full(20, shared.truth), np.full(20, shared.scale)
    own = OwnSamples((scores[places] - shared.truth) / shared.scale)
    mean, sd = study_of(own, truth, scale, np.array([0.95]), 0).logit_moments()
    found = estimated(scores[places].T, (0.95,), ("logit",)).limits["logit"]
    width = stats.t.ppf(0.975, 11) * sd
    for end, sign in ((found.low, -1), (found.high, 1)):
        logits = mean + sign * width
        varies = np.ptp(scores[places], axis=1) > 0
        np.testing.assert_allclose(
            (1 / (1 + np.exp(-logits)))[varies], np.ravel(end)[varies], atol=1e-6
        )
