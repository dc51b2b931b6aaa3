"""Corners of estimates: what they have beside limits, few topics or draws, rounding, progress."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from confint_cli.common.parallel import Local
from confint_cli.scores.design import Design
from confint_cli.stats.bootstrap import MOST_TOPICS
from confint_cli.stats.estimate import (
    Estimate,
    Estimation,
    ends,
    estimate,
    fewest_draws,
    resampled,
    resampled_roughly,
)
from confint_cli.stats.flags import Doubt
from confint_cli.stats.methods import method_named
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample

EPS = np.finfo(float).eps


def some_scores(topics: int, columns: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).beta(0.5, 1.5, (topics, columns))


# How many random numbers there have to be


@pytest.mark.parametrize("level", [0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 0.9999999])
@pytest.mark.parametrize("tails", [1, 2])
def test_the_fewest_draws_have_one_beyond_each_limit_and_one_fewer_have_not(
    level: float, tails: int
) -> None:
    """Of B draws, the p quantile is the (B+1)p-th."""
    p = (1 - Fraction(str(level))) / tails
    fewest = fewest_draws(level, tails)
    assert fewest * p < 1 <= (fewest + 1) * p


@pytest.mark.parametrize("number", [2, 5, 10, 40])
def test_logit_limits_come_from_any_number_of_resamples(number: int) -> None:
    """They are no quantiles, so no number is too small for them."""
    scores = np.array([0.1, 0.3, 0.35, 0.6, 0.8])
    logits = logit(np.vstack(list(Resamples(5, number, 3).counts())) @ scores / 5)
    half = stats.t.ppf(0.975, 4) * logits.std()
    how = Estimation(("logit",), (0.95,), number, 3)
    limits = estimate(Sample(scores[:, None]), how).limits["logit"]
    assert limits.low[0, 0] == pytest.approx(expit(logits.mean() - half))
    assert limits.high[0, 0] == pytest.approx(expit(logits.mean() + half))


# What an estimate has of each column

DIFFERENT = np.column_stack(
    [np.full(40, 0.3), some_scores(40, 2), np.random.default_rng(2).exponential(size=40) ** 2]
)  # each with doubts of its own: no variance, none, none, skewed


@pytest.mark.parametrize("method", ["t", "percentile"])
@pytest.mark.parametrize("resamples", [99, None])
def test_an_estimate_has_the_moments_of_each_column(method: str, resamples: int | None) -> None:
    scores = some_scores(15, 3)
    found = estimate(Sample(scores), Estimation((method,), (0.9,), resamples))
    assert found.topics == 15
    np.testing.assert_allclose(found.mean, scores.mean(axis=0))
    np.testing.assert_allclose(found.sd, scores.std(axis=0, ddof=1))
    np.testing.assert_allclose(found.se, stats.sem(scores))
    np.testing.assert_array_equal(found.df, [14, 14, 14])


def assert_same(ours: Estimate, theirs: Estimate) -> None:
    assert ours.topics == theirs.topics
    for name in ("mean", "sd", "se", "df"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert list(ours.limits) == list(theirs.limits)
    assert list(ours.doubts) == list(theirs.doubts)
    for name in ours.limits:
        np.testing.assert_array_equal(ours.limits[name].parts, theirs.limits[name].parts)
        np.testing.assert_array_equal(ours.doubts[name], theirs.doubts[name])


@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 3), (2, 4)])
def test_some_columns_of_an_estimate_are_those_estimated_alone(start: int, end: int) -> None:
    how = Estimation(("t", "bca"), (0.8, 0.95), 199)
    together = estimate(Sample(DIFFERENT), how)
    assert len({*together.doubts["t"][0].tolist()}) > 2  # columns can be told apart
    alone = estimate(Sample(DIFFERENT[:, start:end]), how)
    assert_same(together.columns(start, end), alone)


@pytest.mark.parametrize("immunity", [True, False])
def test_a_method_immune_to_skewed_scores_has_no_doubt_about_them_unless_asked_for(
    immunity: bool,
) -> None:
    how = Estimation(("t", "bootstrap-t"), (0.95,), 199, immunity=immunity)
    doubts = estimate(Sample(DIFFERENT), how).doubts
    skewed = {name: [bool(one & Doubt.SKEWED) for one in doubts[name][0]] for name in doubts}
    of_t = [False, False, False, True]
    assert skewed == {"t": of_t, "bootstrap-t": [False] * 4 if immunity else of_t}


# Monte Carlo errors


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "logit"])
def test_limits_of_scores_that_differ_in_their_last_bits_have_no_error(method: str) -> None:
    scores = np.full((7, 1), 0.3)
    scores[::2] = 0.1 + 0.2
    assert np.ptp(scores) > 0
    limits = estimate(Sample(scores), Estimation((method,), (0.5,), 99)).limits[method]
    np.testing.assert_array_equal(limits.low_error, 0)
    np.testing.assert_array_equal(limits.high_error, 0)


def test_limits_of_two_topics_are_as_far_off_as_their_error_says() -> None:
    sample, low, high = Sample(np.array([[0.2], [0.7]])), [], []
    for seed in range(300):
        how = Estimation(("logit",), (0.5,), 99, seed, workers=Local(1))
        limits = estimate(sample, how).limits["logit"]
        low.append((limits.low[0, 0], limits.low_error[0, 0]))
        high.append((limits.high[0, 0], limits.high_error[0, 0]))
    for side in (low, high):
        limit, error = np.array(side).T
        assert np.sqrt((error**2).mean()) == pytest.approx(limit.std(), rel=0.15)


# Limits of differences that are 0 but for rounding


def test_a_bootstrap_limit_of_differences_that_is_0_on_paper_is_0() -> None:
    """Resampled means of many decimals are farther off than the decimals themselves are."""
    ours, theirs = np.random.default_rng(0).integers(0, 11, (2, 200, 20))
    how, topics = Estimation(("percentile",), (0.9,), 99), len(ours)
    counts = np.vstack(list(Resamples(topics, 99, how.seed).counts()))
    fifth = np.sort(counts @ (ours - theirs), axis=0)[4]  # of 99 sums: the limit of 90%, in whole
    a, b = ours / 10, theirs / 10 + fifth / 10 / topics
    sample = Sample(a - b, sizes=np.maximum(np.abs(a), np.abs(b)).max(axis=0))
    limits = estimate(sample, how).limits["percentile"]
    np.testing.assert_array_equal(limits.low, 0)
    assert (limits.high > 0.01).all()


def test_a_limit_of_differences_as_large_as_rounding_may_be_is_0() -> None:
    sample = Sample(some_scores(9, 3) - 0.3, sizes=np.array([1.0, 0.25, 3.0]))
    least = sample.rounding[None]
    for low, high in ((-least, least), (-least * 1.001, least * 1.001), (-least, least + 1)):
        given = replace(method_named("t"), interval=lambda *_, both=(low, high): both)
        found = ends(sample, given, np.array([0.95]))
        for ours, asked in zip(found, (low, high), strict=True):
            np.testing.assert_array_equal(ours, np.where(np.abs(asked) > least, asked, 0))


def test_equal_differences_as_large_as_rounding_may_be_are_0() -> None:
    values = 4 * EPS * np.array([1, -1, 1.001, -1.001])
    sample = Sample(np.tile(values, (5, 1)), sizes=np.ones(4))
    limits = estimate(sample, Estimation(("t",), (0.95,))).limits["t"]
    for side in (limits.low, limits.high):
        np.testing.assert_array_equal(side[0], [0, 0, *values[2:]])


# Columns whose z* has to be resampled, a few at a time


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_of_many_columns_of_collections_has_the_limits_that_it_has_alone(jobs: int) -> None:
    scores, design = some_scores(7, 9), Design((3, 4))
    how = Estimation(("bootstrap-t",), (0.5,), workers=Local(jobs))
    together = estimate(Sample(scores, design=design), how)
    assert (together.doubts["bootstrap-t"] & Doubt.RESAMPLED).all()
    for column in (0, 5, 8):
        alone = estimate(Sample(scores[:, [column]], design=design), how)
        assert_same(together.columns(column, column + 1), alone)


# Progress of work without resamples


@pytest.mark.parametrize("methods", [("percentile",), ("percentile", "bootstrap-t")])
def test_progress_of_the_ideal_bootstrap_never_goes_back_and_ends_when_all_is_done(
    methods: tuple[str, ...],
) -> None:
    seen: list[float] = []
    sample = Sample(np.random.default_rng(0).integers(0, 9, (3, 130)) / 8)  # more than a block
    estimate(sample, Estimation(methods, (0.9,)), lambda done, total: seen.append(done / total))
    assert 0 < seen[0] < seen[-1] == 1
    assert seen == sorted(seen)


# Samples with their bootstrap, block by block


def test_without_a_bootstrap_method_the_sample_comes_as_it_is() -> None:
    sample = Sample(some_scores(9, 3))
    how = Estimation(("t",), (0.9,), 99)
    assert list(resampled(sample, how)) == list(resampled_roughly(sample, how)) == [sample]


def test_topics_are_resampled_within_their_collections() -> None:
    scores = some_scores(7, 3) + 5 * np.array([[0], [0], [0], [1], [1], [1], [1]])
    how, design = Estimation(("percentile",), (0.9,), 99), Design((3, 4))
    counts = np.vstack(list(Resamples(7, 99, how.seed, design.strata).counts()))
    means = np.sort(counts @ scores / 7, axis=0)
    (block,) = resampled(Sample(scores, design=design), how)
    low, high = ends(block, method_named("percentile"), np.array([0.9]))
    np.testing.assert_allclose([low[0], high[0]], means[[4, 94]], rtol=1e-12)


def test_rough_resamples_too_are_drawn_within_collections() -> None:
    scores = some_scores(10, 3) + 5 * np.repeat([[0], [1]], 5, axis=0)
    sample, how = Sample(scores, design=Design((5, 5))), Estimation(("percentile",), (0.9,), 99)
    method, level = method_named("percentile"), np.array([0.9])
    (exact,), (rough,) = resampled(sample, how), resampled_roughly(sample, how)
    limits = [ends(block, method, level) for block in (exact, rough)]
    np.testing.assert_allclose(limits[0], limits[1], rtol=1e-5)


@pytest.mark.parametrize(
    ("topics", "kept", "single"),
    [
        (MOST_TOPICS, 1 << 22, True),
        (MOST_TOPICS + 1, 1 << 22, False),
        (20, 20 * 99, True),
        (20, 20 * 99 - 1, False),
    ],
)
def test_samples_are_resampled_in_single_precision_unless_they_are_large(
    topics: int, kept: int, single: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Patched: as many resamples as this is about would take long.
    monkeypatch.setattr("confint_cli.stats.estimate._ROUGH_COUNTS", kept)
    how = Estimation(("percentile",), (0.9,), 99)
    (block,) = resampled_roughly(Sample(some_scores(topics, 2)), how)
    assert block.resampled.deviations.values.dtype == (np.float32 if single else np.float64)
