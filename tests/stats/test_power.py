"""Numbers of topics, against statsmodels, R, and a search through all of them."""

import csv
import math
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.stats import power
from confint_cli.stats.power import PlainSpread
from tests.conftest import ROOT
from tests.versions import T_ERROR

with (ROOT / "tests" / "reference" / "power.tsv").open(encoding="utf-8") as file:
    STATSMODELS = list(csv.DictReader(file, delimiter="\t"))


def power_of(topics: int, effect: float, level: float) -> float:
    return PlainSpread(1, 50).power(topics, effect, level)


def test_the_power_is_that_of_statsmodels() -> None:
    rows = [row for row in STATSMODELS if row["power"]]
    assert len(rows) > 100
    for row in rows:
        found = power_of(int(row["topics"]), float(row["effect"]), float(row["level"]))
        assert found == pytest.approx(float(row["power"]), abs=max(1e-9, T_ERROR)), row


def detectable(topics: int, sd: float, level: float, target: float) -> float:
    return PlainSpread(sd, 50).detectable(topics, level, target)


def topics_for_half_width(
    target: float, sd: float, level: float, assurance: float | None = None
) -> int | None:
    return PlainSpread(sd, 50).topics_for_half_width(target, level, assurance)


def topics_for_power(difference: float, sd: float, level: float, target: float) -> int | None:
    return PlainSpread(sd, 50).topics_for_power(difference, level, target)


def test_topics_for_a_power_are_those_of_statsmodels() -> None:
    rows = [row for row in STATSMODELS if row["target"]]
    assert len(rows) > 60
    for row in rows:
        found = topics_for_power(
            0.3 * float(row["effect"]), 0.3, float(row["level"]), float(row["target"])
        )
        assert found == int(row["topics"]), row


def test_r_says_the_same() -> None:
    """power.t.test(type = "one.sample", strict = TRUE), of R 4.2."""
    assert power_of(20, 0.5, 0.95) == pytest.approx(0.564504418439, abs=1e-10)
    assert power_of(5, 0.1, 0.95) == pytest.approx(0.0535554378735, abs=1e-10)
    assert topics_for_power(0.02, 0.11, 0.99, 0.9) == math.ceil(453.423986694)


@pytest.mark.parametrize(
    ("topics", "effect", "level", "exact"),
    [
        (2, 0.5, 0.95, 0.061948606687133645),
        (2, 1e4, 0.999999, 0.017723080834566),
        (2, 3.0, 0.999999, 5.3173675000619e-06),
        (3, 1.0, 0.99, 0.039114799816367428),
        (5, 2.0, 0.999, 0.11769500890967217),
        (5, 10 / 5**0.5, 0.999, 0.73979658949348),
        (50, 0.4, 0.95, 0.79178718926781247),
        (200, 0.2, 0.999999, 0.015889764580140599),
        (201, 0.2, 0.95, 0.8056253837735278),
        (202, 0.2, 0.95, 0.8075672949863118),
        (1001, 0.1, 0.99, 0.7199792871185101),
    ],
)
def test_the_power_by_arithmetic_of_many_digits(
    topics: int, effect: float, level: float, exact: float
) -> None:
    """mpmath.quad of φ(z)·P(χ² < ν((z + δ)/t)²) with 25 digits, also where scipy fails."""
    assert power_of(topics, effect, level) == pytest.approx(exact, rel=T_ERROR)


def test_power_goes_from_alpha_to_1_and_to_that_of_z() -> None:
    assert power_of(5, 1e3, 0.95) == pytest.approx(1, abs=1e-15)
    for topics in (2, 5, 50, 201, 202, 5000):
        assert power_of(topics, 0, 0.95) == pytest.approx(0.05, abs=T_ERROR / 100)
    for topics in (10**7, 10**12, 10**15):
        normal = stats.norm.cdf([2.8 - 1.9599639845400545, -2.8 - 1.9599639845400545]).sum()
        found = power_of(topics, 2.8 / math.sqrt(topics), 0.95)
        assert found == pytest.approx(normal, abs=10 / topics + 1e-9)


def test_two_topics_detect_what_mpmath_says() -> None:
    """Far out, where steps that are too coarse would show; the roots are mpmath's."""
    assert detectable(2, 1, 0.999, 0.8) == pytest.approx(576.90112946933, rel=max(1e-9, T_ERROR))
    assert detectable(2, 1, 0.999, 0.9) == pytest.approx(740.44458351296, rel=max(1e-9, T_ERROR))


SDS = st.floats(0.02, 0.5)
LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.99, 0.999])


@settings(deadline=None, max_examples=60)
@given(st.floats(0.2, 3), SDS, LEVELS)
def test_the_smallest_number_for_a_half_width(share: float, sd: float, level: float) -> None:
    target = share * sd
    searched = next(
        n for n in count(2) if stats.t.ppf((1 + level) / 2, n - 1) * sd / math.sqrt(n) <= target
    )
    assert topics_for_half_width(target, sd, level) == searched


@settings(deadline=None, max_examples=40)
@given(st.floats(0.15, 3), SDS, LEVELS, st.floats(0.55, 0.99))
def test_the_smallest_number_for_a_power(
    effect: float, sd: float, level: float, target: float
) -> None:
    difference = effect * sd
    searched = next(n for n in count(2) if power_of(n, difference / sd, level) >= target)
    assert topics_for_power(difference, sd, level, target) == searched


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 300), SDS, LEVELS, st.floats(0.55, 0.99))
def test_what_can_be_detected_is_detected(
    topics: int, sd: float, level: float, target: float
) -> None:
    found = detectable(topics, sd, level, target)
    assert power_of(topics, found / sd, level) == pytest.approx(target, rel=1e-9)
    assert topics_for_power(found * 1.000001, sd, level, target) <= topics
    assert topics_for_power(found * 0.999999, sd, level, target) > topics


def test_more_topics_never_give_less() -> None:
    for level in (0.5, 0.95, 0.999):
        widths = [PlainSpread(1, 50).half_width(n, level) for n in range(2, 400)]
        assert all(more < less for less, more in pairwise(widths))
        for effect in (0.01, 0.2, 1, 4):
            powers = [power_of(n, effect, level) for n in range(2, 200)]
            assert all(more >= less - 1e-12 for less, more in pairwise(powers))


def test_the_assurance_of_a_width_is_that_of_samples() -> None:
    """Of 186 topics, 53% have an interval within ±0.03; of 201, 81%: by χ² and by drawing them."""
    for topics, share in ((186, 0.5318), (201, 0.8098)):
        found = 1 - PlainSpread(0.2069, 50).chance_of_more(topics, 0.03, 0.95)
        assert found == pytest.approx(share, abs=1e-4)
        scores = np.random.default_rng(0).normal(0.3, 0.2069, (4000, topics))
        widths = stats.t.ppf(0.975, topics - 1) * scores.std(axis=1, ddof=1) / math.sqrt(topics)
        assert np.mean(widths <= 0.03) == pytest.approx(share, abs=0.025)  # 3 standard errors
    assert topics_for_half_width(0.03, 0.2069, 0.95) == 186
    assert topics_for_half_width(0.03, 0.2069, 0.95, 0.8) == 201


ASSURANCES = st.sampled_from([0.5, 0.6, 0.8, 0.95, 0.999])


@settings(deadline=None, max_examples=60)
@given(st.floats(0.2, 3), SDS, LEVELS, ASSURANCES)
def test_the_smallest_number_with_an_assurance(
    share: float, sd: float, level: float, assurance: float
) -> None:
    """No smaller number is enough, of all that there are, and every larger one is."""

    def reached(topics: int) -> float:
        t = stats.t.ppf((1 + level) / 2, topics - 1)
        most = (share * sd * math.sqrt(topics) / (t * sd)) ** 2  # of the sample's variance by σ²
        return float(stats.chi2.cdf((topics - 1) * most, topics - 1))

    found = topics_for_half_width(share * sd, sd, level, assurance)
    assert found is not None
    assert all(reached(topics) < assurance for topics in range(2, found))
    assert all(reached(topics) >= assurance for topics in range(found, 2 * found + 50))


@pytest.mark.parametrize("level", [1e-6, 0.1, 0.5, 0.8, 0.95, 0.999, 0.999999])
def test_with_an_assurance_of_one_half_more_topics_never_give_less(level: float) -> None:
    """The width that a share of samples is within falls with topics; of small shares, it rises.

    So the search would be wrong for these, and the command refuses them.
    """
    topics = np.arange(2, 3000)

    def widths(share: float) -> list[float]:
        s = np.sqrt(stats.chi2.ppf(share, topics - 1) / (topics - 1))
        return (stats.t.ppf((1 + level) / 2, topics - 1) * s / np.sqrt(topics)).tolist()

    for assurance in (0.5, 0.55, 0.8, 0.99, 0.999999):
        assert all(more < less for less, more in pairwise(widths(assurance)))
    rising = [more > less for less, more in pairwise(widths(1e-6))]
    assert rising[0]
    assert not any(rising[40:])


def test_widths_beyond_all_numbers_are_out_of_reach_or_met_by_two() -> None:
    assert topics_for_half_width(1e-9, 1, 0.95, 0.8) is None
    assert topics_for_half_width(1e200, 1, 0.95, 0.8) == 2
    assert topics_for_half_width(0.1, 5e-324, 0.1, 0.8) == 2
    many = topics_for_half_width(1e-5, 1, 0.95, 0.8)
    plain = topics_for_half_width(1e-5, 1, 0.95)
    assert many is not None
    assert plain is not None
    assert 1 - 1e-5 < plain / many < 1  # s hardly varies
    assert PlainSpread(1, 50).chance_of_more(many, 1e-5, 0.95) <= 0.2
    assert PlainSpread(1, 50).chance_of_more(many - 1000, 1e-5, 0.95) > 0.2


@pytest.mark.parametrize("topics", [2, 3, 10, 50, 249, 10_000])
def test_the_upper_limit_of_sd_is_by_chi_square(topics: int) -> None:
    expected = math.sqrt((topics - 1) / stats.chi2.ppf(0.2, topics - 1))
    assert power.sd_limit(1, topics) == pytest.approx(expected, rel=1e-9)
    assert power.sd_limit(0.3, topics) == pytest.approx(0.3 * expected, rel=1e-9)
    assert power.sd_limit(0, topics) == 0


def test_what_nobody_can_judge_is_out_of_reach() -> None:
    assert topics_for_half_width(1e-9, 1, 0.95) is None
    assert topics_for_power(1e-9, 1, 0.95, 0.8) is None
    sd = math.sqrt(power.MOST) / stats.norm.ppf(0.975)
    assert topics_for_half_width(1.0001, sd, 0.95) is not None
    assert topics_for_half_width(0.9999, sd, 0.95) is None
    many = topics_for_half_width(1e-5, 1, 0.95)
    assert many == pytest.approx((stats.norm.ppf(0.975) * 1e5) ** 2, rel=1e-9)


# Standard deviations


def test_of_two_runs_it_is_that_of_their_differences() -> None:
    values = np.random.default_rng(0).random((30, 2))
    expected = (values[:, 0] - values[:, 1]).std(ddof=1)
    assert power.sd_of_differences(values) == pytest.approx(expected, rel=1e-12)
    assert power.sd_of_runs(values[:, :1]) == pytest.approx(values[:, 0].std(ddof=1))


def test_of_several_runs_it_is_the_mean_variance_over_all_pairs() -> None:
    """Which is twice the residual mean square of the two-way analysis, computed longhand."""
    values = np.random.default_rng(1).random((25, 6)) + np.arange(6)
    topics, runs = values.shape
    pairs = [(a, b) for a in range(runs) for b in range(a)]
    variances = [(values[:, a] - values[:, b]).var(ddof=1) for a, b in pairs]
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    mean_square = (residuals**2).sum() / ((topics - 1) * (runs - 1))
    found = power.sd_of_differences(values) ** 2
    assert found == pytest.approx(np.mean(variances), rel=1e-12)
    assert found == pytest.approx(2 * mean_square, rel=1e-12)
    assert power.sd_of_runs(values) ** 2 == pytest.approx(values.var(axis=0, ddof=1).mean())


def test_tiny_scores_keep_their_digits() -> None:
    values = np.random.default_rng(1).random((25, 4))
    for scale in (1e-200, 1e90):
        for sd in (power.sd_of_runs, power.sd_of_differences):
            assert sd(values * scale) == pytest.approx(sd(values) * scale, rel=1e-12)
    equal = np.full((5, 3), 0.1)
    assert power.sd_of_runs(equal) == power.sd_of_differences(equal) == 0
    mixed = np.stack([values[:, 0] * 1e-200, values[:, 1] * 1e-200], axis=1)
    assert power.sd_of_runs(mixed) > 0
    small = np.stack([np.full(9, 1e9), np.linspace(0, 1e-8, 9)], axis=1)
    assert power.sd_of_differences(small) == 0  # lost beside so large a score
    shifted = np.linspace(0.1, 0.7, 9)[:, None] + np.array([0, 0.1, 0.2])
    assert power.sd_of_differences(shifted) == 0  # but for last bits
