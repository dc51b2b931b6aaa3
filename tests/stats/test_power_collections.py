"""Numbers of topics of several collections: the plain ones, scipy, simulation, and promises."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.scores.design import Design
from confint_cli.scores.scores import Matrix
from confint_cli.stats import power
from confint_cli.stats.power import PlainSpread, Spread, StrataSpread, spread_of_strata
from tests.stats.longhand_collections import mean_se_df, some_parts, weighted
from tests.versions import T_ERROR

SPREAD = StrataSpread((0.9, 0.25, 0.1), (8, 20, 52))  # weights of 80/(3·8), 80/60, 80/156


def matrix_of(values: np.ndarray, strata: tuple[int, ...]) -> Matrix:
    topics = tuple(map(str, range(len(values))))
    runs = tuple(map(str, range(values.shape[1])))
    none = np.zeros(values.shape, dtype=bool)
    return Matrix("map", topics, runs, values, none, design=Design(strata))


# One collection


@pytest.mark.parametrize("sd", [0.05, 0.3])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_of_one_collection_they_are_the_plain_numbers(sd: float, level: float) -> None:
    one, plain = StrataSpread((sd,), (37,)), PlainSpread(sd, 37)
    assert one.fewest == 2
    for topics in (2, 3, 10, 37, 1000):
        assert one.se_and_df(topics) == pytest.approx((sd / math.sqrt(topics), topics - 1))
        assert one.half_width(topics, level) == pytest.approx(plain.half_width(topics, level))
        assert one.power(topics, 0.1, level) == pytest.approx(
            plain.power(topics, 0.1, level), rel=1e-9
        )
        assert one.detectable(topics, level, 0.8) == pytest.approx(
            plain.detectable(topics, level, 0.8), rel=1e-9
        )
    for target in (0.3, 0.1, 0.03, 0.004):
        for assurance in (None, 0.5, 0.9):
            assert one.topics_for_half_width(
                target, level, assurance
            ) == plain.topics_for_half_width(target, level, assurance)
        assert one.topics_for_power(target, level, 0.8) == plain.topics_for_power(
            target, level, 0.8
        )
    assert one.upper().half_width(37, level) == pytest.approx(plain.upper().half_width(37, level))
    assert one.upper().factor * sd == pytest.approx(power.sd_limit(sd, 37))


def test_the_spread_of_scores_gives_the_se_and_df_of_their_sample() -> None:
    parts = some_parts(3, (8, 20, 52))
    values = weighted([part[:, None] for part in parts])
    found = spread_of_strata(matrix_of(values, (8, 20, 52)), differences=False)
    _, se, df = mean_se_df(parts)
    assert found.topics == 80
    assert found.se_and_df(80) == pytest.approx((se, df), rel=1e-9)
    other = some_parts(4, (8, 20, 52))
    both = weighted([np.stack(pair, axis=1) for pair in zip(parts, other, strict=True)])
    differences = [one - two for one, two in zip(parts, other, strict=True)]
    _, se, df = mean_se_df(differences)
    assert spread_of_strata(matrix_of(both, (8, 20, 52)), differences=True).se_and_df(
        80
    ) == pytest.approx((se, df))


def test_of_several_runs_variances_are_averaged_in_each_collection() -> None:
    random = np.random.default_rng(0)
    parts = [random.normal(0, sd, (size, 4)) for sd, size in ((1, 9), (0.2, 30))]
    values = weighted(parts)
    found = spread_of_strata(matrix_of(values, (9, 30)), differences=False)
    weights = (39 / 18, 39 / 60)
    for sd, part, weight in zip(found.sds, parts, weights, strict=True):
        assert sd == pytest.approx(weight * math.sqrt(part.var(axis=0, ddof=1).mean()))
    found = spread_of_strata(matrix_of(values, (9, 30)), differences=True)
    for sd, part, weight in zip(found.sds, parts, weights, strict=True):
        every = [(part[:, a] - part[:, b]).var(ddof=1) for a in range(4) for b in range(a)]
        assert sd == pytest.approx(weight * math.sqrt(np.mean(every)))


# Several collections


@pytest.mark.parametrize("times", [1, 2, 10])
def test_a_multiple_of_the_pilot_has_as_many_times_the_topics_of_each(times: int) -> None:
    v = [(sd * size / 80) ** 2 / (times * size)
         for sd, size in zip(SPREAD.sds, SPREAD.sizes, strict=True)]  # fmt: skip
    df = sum(v) ** 2 / sum(own**2 / (times * size - 1)
                           for own, size in zip(v, SPREAD.sizes, strict=True))  # fmt: skip
    assert SPREAD.se_and_df(80 * times) == pytest.approx((math.sqrt(sum(v)), df))
    half = stats.t.ppf(0.975, df) * math.sqrt(sum(v))
    assert SPREAD.half_width(80 * times, 0.95) == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize("topics", [20, 80, 333])
@pytest.mark.parametrize("difference", [0.0, 0.05, 0.12])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_power_is_that_of_scipys_noncentral_t(
    topics: int, difference: float, level: float
) -> None:
    se, df = SPREAD.se_and_df(topics)
    critical, shift = stats.t.ppf((1 + level) / 2, df), difference / se
    expected = stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift)
    found = SPREAD.power(topics, difference, level)
    assert found == pytest.approx(expected, abs=max(1e-7, T_ERROR))


def test_the_power_is_that_of_a_simulation() -> None:
    """Normal differences, judged by the test with Satterthwaite's degrees of freedom."""
    random, number, difference = np.random.default_rng(0), 20_000, 0.1
    sds = [sd * 3 * size / 80 for sd, size in zip(SPREAD.sds, SPREAD.sizes, strict=True)]
    means, v = np.zeros(number), []
    for sd, size in zip(sds, SPREAD.sizes, strict=True):
        scores = random.normal(difference, sd, (size, number))
        means += scores.mean(axis=0) / 3
        v.append(scores.var(axis=0, ddof=1) / size / 9)
    free = np.array(SPREAD.sizes)[:, None] - 1
    df = np.sum(v, axis=0) ** 2 / (np.array(v) ** 2 / free).sum(axis=0)
    told = 2 * stats.t.sf(np.abs(means) / np.sqrt(np.sum(v, axis=0)), df) < 0.05
    expected = SPREAD.power(80, difference, 0.95)
    assert 0.2 < expected < 0.9
    # The df themselves vary from sample to sample, which no formula here knows.
    assert told.mean() == pytest.approx(expected, abs=0.015)


def test_the_smallest_number_of_topics_is_that_of_a_search() -> None:
    assert SPREAD.fewest == 20  # of which the smallest collection has two
    for target in (0.4, 0.1, 0.05):
        first = next(n for n in range(20, 10**5) if SPREAD.half_width(n, 0.95) <= target)
        assert SPREAD.topics_for_half_width(target, 0.95) == first
    for difference in (0.5, 0.2, 0.1):
        first = next(n for n in range(20, 10**5) if SPREAD.power(n, difference, 0.95) >= 0.8)
        assert SPREAD.topics_for_power(difference, 0.95, 0.8) == first
        assert SPREAD.detectable(first, 0.95, 0.8) <= difference
        if first > 20:
            assert SPREAD.detectable(first - 1, 0.95, 0.8) > difference


def test_so_many_topics_that_nobody_has_them_are_none() -> None:
    assert SPREAD.topics_for_half_width(1e-12, 0.95) is None
    assert SPREAD.topics_for_power(1e-12, 0.95, 0.8) is None


def test_with_an_assurance_most_samples_are_no_wider() -> None:
    """Simulated: of normal scores, the share of samples whose interval is as narrow as asked."""
    random, target = np.random.default_rng(1), 0.1
    plain = SPREAD.topics_for_half_width(target, 0.95)
    assert plain is not None
    for assurance in (0.5, 0.8, 0.95):
        topics = SPREAD.topics_for_half_width(target, 0.95, assurance)
        assert topics is not None
        assert topics > plain or assurance == 0.5  # variances are below their mean more often
        sizes = np.rint(np.array(SPREAD.sizes) * topics / 80).astype(int)
        # The se of each collection, in the mean of means, from its χ².
        v = np.array([
            (sd * size / 80) ** 2 / own * random.chisquare(own - 1, 20_000) / (own - 1)
            for sd, size, own in zip(SPREAD.sds, SPREAD.sizes, sizes, strict=True)
        ])  # fmt: skip
        df = v.sum(axis=0) ** 2 / (v**2 / (sizes[:, None] - 1)).sum(axis=0)
        narrow = stats.t.ppf(0.975, df) * np.sqrt(v.sum(axis=0)) <= target
        assert narrow.mean() == pytest.approx(assurance, abs=0.06)


SPREADS = st.lists(st.tuples(st.floats(0.01, 1), st.integers(2, 100)), min_size=1, max_size=6).map(
    lambda own: StrataSpread(*zip(*own, strict=True))
)


@settings(max_examples=40)
@given(SPREADS, st.sampled_from([0.8, 0.95, 0.99]), st.sampled_from([None, 0.5, 0.9]))
def test_smaller_targets_need_more_topics(
    spread: Spread, level: float, assurance: float | None
) -> None:
    targets = [0.5, 0.2, 0.1, 0.05, 0.01]
    for need in (
        [spread.topics_for_half_width(target, level, assurance) for target in targets],
        [spread.topics_for_power(target, level, 0.8) for target in targets],
    ):
        assert None not in need
        assert need[0] >= spread.fewest
        assert all(fewer <= more for fewer, more in pairwise(need))
    found = spread.topics_for_half_width(0.1, level)
    assert found is not None
    assert spread.half_width(found, level) <= 0.1
    assert found == spread.fewest or spread.half_width(found - 1, level) > 0.1


@settings(max_examples=40)
@given(SPREADS, st.integers(1, 300))
def test_more_topics_are_narrower_and_find_more(spread: Spread, more: int) -> None:
    few, many = spread.fewest, spread.fewest + more
    assert spread.half_width(many, 0.95) < spread.half_width(few, 0.95)
    assert spread.power(many, 0.1, 0.95) >= spread.power(few, 0.1, 0.95) - 1e-9
    assert spread.detectable(many, 0.95, 0.8) < spread.detectable(few, 0.95, 0.8)
    assert spread.power(many, spread.detectable(many, 0.95, 0.8), 0.95) == pytest.approx(0.8)
    upper = spread.upper()
    assert upper.factor > 1
    assert upper.half_width(many, 0.95) == pytest.approx(
        upper.factor * spread.half_width(many, 0.95)
    )


def test_the_upper_limit_of_the_spread_is_exceeded_by_one_pilot_in_five() -> None:
    """Normal pilots: the true se is above the upper limit of the pilot's in about 20% of them."""
    random, sizes, sds, beyond = np.random.default_rng(2), (8, 20, 52), (0.4, 0.2, 0.3), 0
    true = math.sqrt(sum(sd**2 / size for sd, size in zip(sds, sizes, strict=True))) / 3
    pilots = 1000
    for _ in range(pilots):
        parts = [random.normal(0, sd, (size, 1)) for sd, size in zip(sds, sizes, strict=True)]
        se, _ = (
            spread_of_strata(matrix_of(weighted(parts), sizes), differences=False)
            .upper()
            .se_and_df(80)
        )
        beyond += true > se
    assert beyond / pilots == pytest.approx(0.2, abs=0.05)


def test_what_does_not_vary_says_so() -> None:
    assert not StrataSpread((0.0, 0.0), (5, 9)).varies
    one = StrataSpread((0.0, 0.2), (5, 9))
    assert one.varies
    se, df = one.se_and_df(14)
    assert df == pytest.approx(8)
    assert se == pytest.approx(0.2 * 3 / 14)
