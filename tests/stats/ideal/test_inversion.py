"""Characteristic functions of many samples: windows, frequencies, quantiles, what is certain."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

from confint_cli.stats.ideal.inversion import Inversion, inversions
from confint_cli.stats.ideal.mean import power
from confint_cli.stats.ideal.samples import SharedSamples
from tests.ideal.truth import sums
from tests.stats.ideal.longhand_covering import judged, places_of, study


def fine(seed: int, topics: int = 60) -> np.ndarray:
    """Return scores of four digits."""
    return np.round(np.random.default_rng(seed).beta(0.8, 2, topics), 4)


def shared(scores: np.ndarray, size: int, number: int = 40) -> SharedSamples:
    return SharedSamples.of(
        scores, places_of(np.random.default_rng(size), len(scores), number, size)
    )


def inverted(samples: SharedSamples, tail: float = 0.025) -> list[Inversion]:
    return list(inversions(samples, np.flatnonzero(samples.moments.varies), tail))


# What needs no series: beyond all scores


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("size", [8, 15, 20])
def test_no_interval_reaches_beyond_the_scores_of_its_sample(size: int, sign: int) -> None:
    """Percentile limits are among them, and basic limits are their mirror images.

    Most scores are 1, on no lattice with the others: what a taper blurs reached beyond 1.
    """
    random = np.random.default_rng(7)
    scores = sign * np.where(np.arange(60) < 51, 1.0, random.random(60))
    places = places_of(random, 60, 1000, size)
    own, truth, levels = scores[places], float(scores.mean()), (0.5, 0.95, 0.9999)
    lowest, highest = own.min(axis=1), own.max(axis=1)
    mirrored = 2 * own.mean(axis=1) - truth
    for method, at, sides in (
        ("percentile", np.full(1000, truth), ("too_high", "too_low")),
        ("basic", mirrored, ("too_low", "too_high")),
    ):
        found = judged(scores, places, method, levels)
        assert getattr(found, sides[0])[:, at < lowest - 1e-6].all(), method
        assert getattr(found, sides[1])[:, at > highest + 1e-6].all(), method
    assert ((mirrored < lowest - 1e-6) | (mirrored > highest + 1e-6)).sum() > 5


def test_f_is_0_or_1_beyond_all_scores_and_not_at_the_last_one() -> None:
    """Of two topics with .2 and six with .9, in a population whose mean is .9 or beyond."""
    places = np.array([[0] * 2 + [1] * 6])
    beside = study(np.array([0.2, 0.9, 1.6, 1.7345]), places, (0.95,)).at_truth[:, 0]
    assert beside[0] == beside[1] == 1
    of = stats.binom(8, 0.75)
    assert beside[2] == pytest.approx(of.cdf(5) + of.pmf(6) / 2, abs=0.01)
    at = study(np.array([0.2, 0.9, 1.6]), places, (0.95,)).at_truth[:, 0]
    assert at[0] == pytest.approx(1, abs=1e-6)
    assert at[1] == pytest.approx(1 - 0.75**8, abs=1e-6)
    at = study(-np.array([0.2, 0.9, 1.6]), places, (0.95,)).at_truth[:, 0]
    assert at[0] == pytest.approx(0.75**8, abs=1e-6)
    assert at[1] == pytest.approx(0, abs=1e-6)


def test_some_samples_have_what_they_have_among_others() -> None:
    random = np.random.default_rng(7)
    samples = shared(np.where(np.arange(60) < 51, 1.0, random.random(60)), 8)
    for found in inverted(samples):
        chosen = np.arange(0, len(found.rows), 2)
        np.testing.assert_array_equal(found.only(chosen).at_truth(), found.at_truth()[:, chosen])


# Ties


@pytest.mark.parametrize("size", [8, 10, 12])
@pytest.mark.parametrize("parts", [2, 3, 7, 10, 30])
def test_the_mirrored_truth_may_tie_too(parts: int, size: int) -> None:
    """Scores of 1/parts and its multiples, as many above ½ as below: θ is ½."""
    low, high = 1 / parts, 1 - 1 / parts
    scores = np.array([0.0, 0.0, 1.0, 1.0]) if parts == 2 else np.array([low, low, high, high])
    above = size // 2 + 1
    truth, before, _, mirrored, before_it = study(
        scores, np.array([[0] * (size - above) + [2] * above]), (0.95,)
    ).at_truth[:, 0]
    of = stats.binom(size, above / size)
    assert truth == pytest.approx(of.cdf(size // 2), abs=2e-6)
    assert before == pytest.approx(of.cdf(size // 2 - 1), abs=2e-6)
    assert mirrored == pytest.approx(of.cdf(size // 2 + 2), abs=2e-6)
    assert before_it == pytest.approx(of.cdf(size // 2 + 1), abs=2e-6)


# Windows and frequencies, as docs/ideal.md has them


def bernstein(bound: float, sd: float, log: float, topics: int) -> float:
    """Return the w with exp(-w²/2/(sd² + w·b/3)) = exp(-log), or n·b, if that is less."""
    found = brentq(lambda w: w * w / 2 - log * (sd * sd + w * bound / 3), 1e-9, 1e6, xtol=1e-14)
    return float(min(found, 1.001 * bound * topics))


@pytest.mark.parametrize("size", [8, 20, 50])
@pytest.mark.parametrize(
    ("tail", "log"), [(0.25, 12.0), (0.0005, np.log(2e5)), (1e-6, np.log(1e8))]
)
@pytest.mark.parametrize("kind", ["fine", "outlier", "tenths"])
def test_a_period_is_twice_what_bernsteins_inequality_leaves(
    kind: str, tail: float, log: float, size: int
) -> None:
    scores = {
        "fine": fine(1),
        "outlier": np.append(fine(1)[:49], 5.0),
        "tenths": np.random.default_rng(1).integers(0, 11, 50) / 10,
    }[kind]
    samples, root = shared(scores, size), np.sqrt(size)
    sd = samples.scores(np.arange(samples.number)).std(axis=1)
    octave = np.floor(np.log2(sd / sd.max()) + 1e-9)
    for found in inverted(samples, tail):
        period, rows = found.period, found.rows
        if len(found.frequencies) < 256:  # others, which need more, were among them at first
            rows = np.flatnonzero(octave == octave[rows[0]])
        own = samples.scores(rows)
        off = np.abs(own - own.mean(axis=1, keepdims=True)).max() / root
        width = bernstein(float(off), float(own.std(axis=1).max()), log, size)
        half = width + min(float(np.abs(root * own.mean(axis=1)).max()), width)
        if kind == "tenths":
            step = found.step
            assert period / step % 2 == pytest.approx(1, abs=1e-6)
            assert period / 2 - 1.5 * step - 1e-9 < half < period / 2 - step / 2 + 1e-9
        else:
            assert period / 2 == pytest.approx(half, rel=1e-9)


def test_frequencies_are_as_many_as_a_normal_distribution_needs_or_256_or_768() -> None:
    random = np.random.default_rng(2)
    of_fine = inverted(shared(random.random(60), 50))
    for found in of_fine:
        cut, number = 5 / found.sd.min(), len(found.frequencies)
        assert number % 4 == 0
        assert found.frequencies[-1] >= cut > found.frequencies[-5]
        assert np.abs(found.transform[:, -1]).max() <= 3e-4
    mostly = np.where(np.arange(60) < 30, 0.3, random.random(60))
    partly = np.where(np.arange(60) < 29, 0.3, random.random(60))
    for scores, number in ((mostly, 768), (partly, 256)):
        assert max(len(found.frequencies) for found in inverted(shared(scores, 10))) == number


def test_what_is_cut_off_is_tapered_by_a_gaussian() -> None:
    samples = shared(np.where(np.arange(60) < 40, 0.3, np.random.default_rng(2).random(60)), 10)
    for found in inverted(samples, 1e-6):
        own = samples.scores(found.rows) / np.sqrt(10)
        phi = np.exp(1j * own[:, :, None] * found.frequencies).mean(axis=1)
        taper = stats.norm.pdf(3.7 * found.frequencies / found.frequencies[-1]) * np.sqrt(2 * np.pi)
        assert len(found.frequencies) == 768
        np.testing.assert_allclose(found.transform, power(phi, 10) * taper, atol=1e-9)


@pytest.mark.parametrize(
    ("size", "tail", "kind"),
    [(256, 2e-4, "c8"), (257, 2e-4, "c16"), (256, 1e-4, "c16"), (20, 1e-5, "c16")],
)
def test_precision_is_single_up_to_256_topics_and_tails_of_1e_4(
    size: int, tail: float, kind: str
) -> None:
    (found, *_) = inverted(shared(fine(3), size, 5), tail)
    assert found.transform.dtype == np.dtype(kind)
    assert found.at_truth().dtype == float


def test_tapers_leave_the_precision_as_it_is() -> None:
    for found in inverted(shared(np.where(np.arange(60) < 40, 0.3, fine(1)), 10)):
        assert found.transform.dtype == np.complex64


def test_samples_of_one_window_have_a_similar_standard_deviation() -> None:
    samples = shared(np.append(fine(1)[:58] / 10, [5.0, 5.0]), 20)
    found = inverted(samples)
    assert len(found) > 1
    assert all(own.sd.max() <= 2.001 * own.sd.min() for own in found)
    assert sorted(np.concatenate([own.rows for own in found])) == [*range(40)]


# Quantiles


@pytest.mark.parametrize("off", [-0.2, 0.0, 0.2])
def test_quantiles_are_those_of_sums_of_whole_numbers(off: float) -> None:
    """Also from a start that is .2 standard deviations off."""
    scores, size = fine(4), 30
    samples, z = shared(scores, size, 6), np.array([-3.0, -1.96, 0.0, 0.6, 1.96, 3.0])
    for found in inverted(samples, 1e-4):
        whole = np.rint(1e4 * (samples.truth + samples.scale * samples.scores(found.rows)))
        exact = np.stack([sums(row.astype(int)).quantile(ndtr(z)) for row in whole], axis=1)
        expected = (exact / size / 1e4 - samples.truth) / samples.scale * np.sqrt(size)
        levels = np.broadcast_to(z[:, None], expected.shape)
        reached = found.quantiles(levels, expected + off * found.sd)
        np.testing.assert_allclose((reached - expected) / found.sd, 0, atol=0.003)


def test_a_quantile_from_a_start_far_out_moves_by_a_standard_deviation_at_most() -> None:
    """F is 0 or 1 there, but for ripples, and its slope 0 or less: a step might lead anywhere."""
    samples = shared(fine(4), 30, 20)
    for found in inverted(samples):
        for z in (-2.0, 0.0, 2.0):
            for start in (-0.98, -0.6, 0.6, 0.98):
                begin = found.mean + start * (found.period / 2)
                (reached,) = found.quantiles(np.full((1, len(begin)), z), begin[None])
                assert (np.abs(reached - begin) <= 1.0001 * found.sd).all()


# Expectations


@pytest.mark.parametrize("lattice", [True, False])
def test_expectations_of_powers_are_moments(lattice: bool) -> None:
    scores = (np.arange(60) < 6).astype(float) if lattice else fine(5)
    samples = shared(scores, 20)
    for found in inverted(samples, 1e-6):
        assert bool(found.step) == lattice
        close = 1e-6 if lattice else 1e-4
        mean = found.expectation(lambda y: y, 4096)
        square = found.expectation(lambda y: y * y, 4096)
        np.testing.assert_allclose(mean, found.mean, atol=close)
        np.testing.assert_allclose(square - mean**2, found.sd**2, atol=close)
