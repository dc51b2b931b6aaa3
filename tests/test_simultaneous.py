"""Intervals and rank sets that hold for all pairs at once: longhand, and in simulations."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from confint_cli.arrays import FloatArray
from confint_cli.pairs import Paired, Pairs
from confint_cli.ranking import rank_runs
from confint_cli.resampling import Drawing, Flips, Resamples
from confint_cli.simultaneous import limits
from tests.significance.test_references import some_scores


def longhand_critical_value(values: FloatArray, level: float, number: int, seed: int) -> float:
    """The quantile of the largest |T*|, each with the standard error of its own flipped values."""
    topics, runs = values.shape
    largest = []
    for flip in np.vstack(list(Flips(topics, number, seed).signs())):
        found = []
        for one, other in itertools.combinations(range(runs), 2):
            difference = values[:, one] - values[:, other]
            flipped = flip * (difference - difference.mean())
            if np.ptp(difference) > 1e-12:
                found.append(abs(stats.ttest_1samp(flipped, 0).statistic))
        largest.append(max(found))
    return float(np.sort(largest)[round((number + 1) * level) - 1])


@pytest.mark.parametrize(("topics", "runs", "digits"), [(10, 3, None), (24, 4, 1)])
def test_the_intervals_longhand(topics: int, runs: int, digits: int | None) -> None:
    values = some_scores(topics, runs, seed=6, digits=digits)
    values[:, 2] = values[:, 1]  # identical runs have no T*
    paired = Paired(values, Pairs.all(runs))
    found = limits(paired, (0.9,), Drawing(199, 4))
    critical = longhand_critical_value(values, 0.9, 199, 4)
    for place, (one, other) in enumerate(itertools.combinations(range(runs), 2)):
        difference = values[:, one] - values[:, other]
        half = critical * difference.std(ddof=1) / np.sqrt(topics)
        assert found.low[0, place] == pytest.approx(difference.mean() - half, abs=1e-10)
        assert found.high[0, place] == pytest.approx(difference.mean() + half, abs=1e-10)


def test_of_one_pair_they_are_about_the_t_interval() -> None:
    values = np.random.default_rng(0).normal(size=(40, 2))
    paired = Paired(values, Pairs.all(2))
    found = limits(paired, (0.95,), Drawing(50_000, 0))
    t = stats.ttest_rel(values[:, 0], values[:, 1]).confidence_interval()
    width = t.high - t.low
    assert found.low[0, 0] == pytest.approx(t.low, abs=0.02 * width)
    assert found.high[0, 0] == pytest.approx(t.high, abs=0.02 * width)


def test_more_comparisons_and_higher_levels_are_wider() -> None:
    values = some_scores(30, 6, seed=1)
    few = limits(Paired(values[:, :3], Pairs.against([0], 3)), (0.8, 0.95), Drawing(1999, 0))
    many = limits(Paired(values, Pairs.against([0], 6)), (0.8, 0.95), Drawing(1999, 0))
    assert (many.high[:, :2] > few.high).all()
    assert (many.high[1] > many.high[0]).all()
    assert (many.low_error > 0).all()


def test_the_reported_error_is_what_other_seeds_change() -> None:
    values = some_scores(30, 5, seed=1)
    paired = Paired(values, Pairs.all(5))
    found = [limits(paired, (0.95,), Drawing(999, seed)) for seed in range(150)]
    spread = np.std([one.high[0, 0] for one in found])
    reported = np.mean([one.high_error[0, 0] for one in found])
    assert 0.7 < reported / spread < 1.4


# With all runs equal, no interval may leave out 0 and no rank set any rank, but for 5% of families.


def normal(random: np.random.Generator, runs: int) -> FloatArray:
    return random.normal(size=(50, 1)) + random.normal(size=(50, runs))


def precision_at_10(random: np.random.Generator, runs: int) -> FloatArray:
    share = random.beta(0.6, 1.2, size=(50, 1))
    return random.binomial(10, np.broadcast_to(share, (50, runs))) / 10


def skewed(random: np.random.Generator, runs: int) -> FloatArray:
    share = random.beta(0.4, 1.6, size=(50, 1)) * 5
    return random.beta(share + 0.05, 5.1 - share, size=(50, runs))


@pytest.mark.parametrize("kind", [normal, precision_at_10, skewed])
@pytest.mark.parametrize(("runs", "families"), [(5, 1500), (40, 400)])
def test_equal_runs_are_told_apart_as_seldom_as_the_level_says(
    kind: Callable[[np.random.Generator, int], FloatArray], runs: int, families: int
) -> None:
    random = np.random.default_rng(20)
    wrong = 0
    for _ in range(families):
        values = kind(random, runs)
        paired = Paired(values, Pairs.all(runs))
        found = limits(paired, (0.95,), Drawing(499, 0))
        wrong += bool(((found.low > 0) | (found.high < 0)).any())
    assert wrong <= stats.binom.ppf(0.999, families, 0.05)
    assert wrong >= stats.binom.ppf(0.001, families, 0.02)  # nor by being far too wide


def test_rank_sets_of_equal_runs_have_all_ranks_but_for_5_percent() -> None:
    random = np.random.default_rng(21)
    wrong = 0
    for _ in range(600):
        ranking = rank_runs(precision_at_10(random, 5), 0.95, Drawing(499, 0))
        wrong += not (np.all(ranking.low == 1) and np.all(ranking.high == 5))
    assert wrong <= stats.binom.ppf(0.999, 600, 0.05)


def test_rank_sets_hold_the_true_ranks_of_runs_that_differ() -> None:
    """Four runs of known order, the middle two equal: all sets at once in 95% or more."""
    random = np.random.default_rng(22)
    quality = np.array([0.6, 0.3, 0.3, 0.0])
    wrong = 0
    for _ in range(600):
        values = random.normal(size=(50, 1)) + random.normal(size=(50, 4)) + quality
        ranking = rank_runs(values, 0.95, Drawing(499, 0))
        best, worst = np.array([1, 2, 2, 4]), np.array([1, 3, 3, 4])
        wrong += not (np.all(ranking.low <= best) and np.all(ranking.high >= worst))
    assert wrong <= stats.binom.ppf(0.999, 600, 0.05)


# Ranks


def test_rank_sets_count_who_is_surely_better_and_worse() -> None:
    random = np.random.default_rng(0)
    quality = np.array([0.0, 5.0, 0.01, 5.01, 9.0])
    values = random.normal(size=(30, 1)) + 0.5 * random.normal(size=(30, 5)) + quality
    ranking = rank_runs(values, 0.95, Drawing(999, 0))
    assert ranking.low.tolist() == [4, 2, 4, 2, 1]
    assert ranking.high.tolist() == [5, 3, 5, 3, 1]
    assert ranking.better[4].tolist() == [True, True, True, True, False]
    assert ranking.apart[1].tolist() == [True, False, True, False, True]


def test_ranks_over_resamples_longhand() -> None:
    """Ties count for the best of their ranks below, the worst above, and share the first place."""
    values = some_scores(12, 4, seed=2, digits=1)
    number, level = 499, 0.9
    ranking = rank_runs(values, level, Drawing(number, 3))
    counts = np.vstack(list(Resamples(12, number, 3).counts()))
    sums = np.round(counts @ values, 6)
    best = np.array([stats.rankdata(-row, method="min") for row in sums])
    worst = np.array([stats.rankdata(-row, method="max") for row in sums])
    assert (best != worst).any()
    firsts = best == 1
    assert ranking.p_best == pytest.approx(
        (firsts / firsts.sum(axis=1, keepdims=True)).mean(axis=0)
    )
    assert ranking.p_best.sum() == pytest.approx(1)
    assert ranking.marginal_low.tolist() == np.sort(best, axis=0)[25 - 1].tolist()
    assert ranking.marginal_high.tolist() == np.sort(worst, axis=0)[475 - 1].tolist()
    observed = np.round(values.sum(axis=0), 6)
    assert ranking.rank.tolist() == stats.rankdata(-observed, method="min").tolist()


def test_identical_runs_share_everything() -> None:
    values = some_scores(20, 3, seed=2)
    values[:, 2] = values[:, 0]
    ranking = rank_runs(values, 0.95, Drawing(499, 3))
    for part in (ranking.rank, ranking.low, ranking.high, ranking.marginal_low,
                 ranking.marginal_high, ranking.p_best):  # fmt: skip
        assert part[0] == part[2]
    assert not ranking.apart[0, 2]


def test_ties_in_decimals_are_ties() -> None:
    """0.1 + 0.2 and 0.3 + 0.0 are equal on average, whatever their last bits."""
    values = np.array([[0.1, 0.3], [0.2, 0.0]] * 6)
    ranking = rank_runs(values, 0.95, Drawing(999, 0))
    assert ranking.rank.tolist() == [1, 1]
    assert ranking.p_best.sum() == pytest.approx(1)


def test_too_few_topics_tell_nobody_apart() -> None:
    """Five topics have 32 ways to flip signs: 2 of them are 6%, and a level of 95% leaves 5%."""
    values = np.array([[0.1, 0.9, 0.1], [0.2, 1.0, 0.2], [0.3, 1.1, 0.3], [0.4, 1.2, 0.9],
                       [0.0, 0.8, 0.1]])  # fmt: skip
    paired = Paired(values, Pairs.all(3))
    found = limits(paired, (0.9, 0.95), Drawing(999, 0))
    assert np.isfinite(found.low[0]).all()
    assert np.isinf(found.low[1]).all()
    assert np.isinf(found.high[1]).all()
    assert (found.low_error == 0).all()  # of all flips there are, no others are to be drawn
    assert not rank_runs(values, 0.95, Drawing(999, 0)).apart.any()
    assert rank_runs(values, 0.9, Drawing(999, 0)).apart.any()
    same = limits(Paired(values[:, [0, 0]], Pairs.all(2)), (0.95,), Drawing(999, 0))
    assert (same.low, same.high) == (0, 0)
