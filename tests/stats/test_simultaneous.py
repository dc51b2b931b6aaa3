"""Max-T and what follows from it: against a slow, obvious program, and its promises.

Whether levels hold is what tests/levels/test_levels.py is about.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.arrays import FloatArray
from confint_cli.common.parallel import Local
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.ranking import rank_runs
from confint_cli.stats.simultaneous import MaxT, max_t
from tests.stats.significance.test_references import some_scores

# A slow, obvious program


def slowly(
    values: FloatArray, level: float, number: int, seed: int, *, strict: bool
) -> tuple[dict[tuple[int, int], tuple[float, float, float]], list[float], int]:
    """Return limits and p of each pair, λ of each run, and on how many topics a pair must differ.

    Every resample is written out, and every statistic is that of the textbook.
    """
    topics, runs = values.shape
    drawn = [
        np.repeat(np.arange(topics), counts.astype(int))
        for chunk in Resamples(topics, number, seed).counts()
        for counts in chunk
    ]
    pairs = list(itertools.combinations(range(runs), 2))
    d = {(a, b): np.round(values[:, a] - values[:, b], 12) for a, b in pairs}
    differ = {pair: np.count_nonzero(d[pair]) for pair in pairs}
    vary = {}
    for pair in pairs:
        most = max(np.count_nonzero(np.abs(d[pair] - one) < 1e-11) for one in d[pair])
        vary[pair] = topics - (most if most > 1 else 0)
    least = next(
        k
        for k in range(1, topics + 1)
        if sum((1 - vary[pair] / topics) ** topics for pair in pairs if vary[pair] >= k)
        <= (1 - level) / 10 + 1e-12
    )
    t = {
        pair: np.array([statistic(d[pair][sample], d[pair].mean()) for sample in drawn])
        for pair in pairs
        if vary[pair] >= least
    }
    at_least = stats.t.ppf(0.995, topics - 1)
    scale = {pair: max(at(0.99, own), at_least) for pair, own in t.items()}
    kept = {pair: 1.0 if strict else s for pair, s in scale.items() if math.isfinite(s)}
    on_scale = {pair: t[pair] / s for pair, s in kept.items()}
    nothing = np.zeros(number)
    largest = np.max([nothing, *on_scale.values()], axis=0)
    found = {}
    for pair in pairs:
        found[pair] = (math.nan, math.nan, 1.0)
        if differ[pair] == 0:
            found[pair] = (0.0, 0.0, 1.0)
        if pair in kept:
            mean, se = d[pair].mean(), stats.sem(d[pair])
            half = at(level, largest) * kept[pair] * se
            # Of tenths, T* and t may be equal but for the last bits.
            reached = np.count_nonzero(largest >= (1 - 1e-9) * abs(mean) / se / kept[pair])
            found[pair] = (mean - half, mean + half, (1 + reached) / (1 + number))
    own = [
        at(level, np.max([nothing, *(on_scale[pair] for pair in kept if run in pair)], axis=0))
        for run in range(runs)
    ]
    return found, own, least


def statistic(sample: FloatArray, mean: float) -> float:
    """|T*|: infinite without variance, unless the mean is the true one."""
    if np.ptp(sample) < 1e-12:
        return 0.0 if abs(sample[0] - mean) < 1e-12 else math.inf
    return float(abs(sample.mean() - mean) / (sample.std(ddof=1) / math.sqrt(len(sample))))


def at(quantile: float, values: FloatArray) -> float:
    """The ⌈(B+1)q⌉-th of the ordered values."""
    return float(
        np.sort(values)[min(len(values), math.ceil(quantile * (len(values) + 1) - 1e-9)) - 1]
    )


def sparse_scores() -> FloatArray:
    """Copies of a run that are changed on few topics and on many, and one that is only moved."""
    random = np.random.default_rng(3)
    values = np.repeat(random.beta(1, 3, (40, 1)), 8, axis=1)
    for run, changed in enumerate((1, 4, 9, 12, 20, 40)):
        where = random.choice(40, changed, replace=False)
        values[where, run] += random.exponential(0.1, changed)
    values[:, 7] += 0.25
    return values


def moved_scores() -> FloatArray:
    """Runs that are mostly .03 worse than the first, and better on some topics."""
    random = np.random.default_rng(4)
    noise = np.where(random.random((40, 7)) < np.linspace(0.02, 0.4, 7), 0.27, -0.03)
    noise[:, 0] = 0
    return random.beta(1, 3, (40, 1)) + noise


def five_topics() -> FloatArray:
    """Differences that vary on all of five topics, and of two pairs by the same on two topics."""
    values = some_scores(5, 8, seed=9)
    values[:2, 6] = values[:2, 0] + 0.5
    values[1:3, 7] = values[1:3, 1] + 0.25
    return values


def scores_with_gaps() -> FloatArray:
    """Runs of which one or two that follow one another hardly differ from the last one."""
    values = some_scores(40, 8, seed=10)
    for run, topic in ((1, 3), (2, 4), (5, 3)):
        values[:, run] = values[:, 7]
        values[topic, run] += 0.1
    return values


SCORES = {
    "continuous": some_scores(24, 5, seed=6),
    "tenths": some_scores(30, 5, seed=7, digits=1),
    "large": 1e9 + 1e7 * some_scores(15, 4, seed=8),
    "sparse": sparse_scores(),
    "moved": moved_scores(),
    "five": five_topics(),
    "gaps": scores_with_gaps(),
}


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
@pytest.mark.parametrize(("level", "number"), [(0.9, 155), (0.9, 199), (0.95, 300)])
def test_limits_and_p_are_those_of_a_slow_program(
    kind: str, strict: bool, level: float, number: int
) -> None:
    values = SCORES[kind]
    pairs = Pairs.all(values.shape[1])
    found = max_t(values, pairs, level, Drawing(number, 4), strict=strict, own=True)
    expected, own, least = slowly(values, level, number, 4, strict=strict)
    limits = found.limits()
    size = np.abs(values).max()
    for place, (low, high, p) in enumerate(expected.values()):
        ends = (limits.low[0, place], limits.high[0, place])
        assert ends == pytest.approx((low, high), abs=1e-9 * size, rel=1e-6, nan_ok=True)
        assert found.p[place] == p
    assert found.own == pytest.approx(own, rel=1e-6)
    differing = np.count_nonzero(np.round(values[:, pairs.run] - values[:, pairs.baseline], 12),
                                 axis=0)  # fmt: skip
    assert found.differing.tolist() == differing.tolist()
    assert found.few_differences.tolist() == ((differing > 0) & (differing < least)).tolist()
    if kind == "sparse":
        assert 0 < found.few_differences.sum() < found.left_out.sum() < len(pairs) - 5
    if kind == "moved":
        of_first = pairs.run == 0
        assert 0 < found.unbounded[of_first].sum() < of_first.sum()
        assert np.isfinite(found.critical)


def test_of_one_pair_of_normal_differences_it_is_about_the_t_interval() -> None:
    values = np.random.default_rng(0).normal(size=(200, 2))
    found = max_t(values, Pairs.all(2), 0.95, Drawing(50_000, 0)).limits()
    t = stats.ttest_rel(values[:, 0], values[:, 1]).confidence_interval()
    width = t.high - t.low
    assert found.low[0, 0] == pytest.approx(t.low, abs=0.02 * width)
    assert found.high[0, 0] == pytest.approx(t.high, abs=0.02 * width)


# Promises


def parts(found: MaxT) -> list[bytes]:
    assert found.own is not None
    return [part.tobytes() for part in (found.scale, found.scale_error, found.se, found.p,
                                        found.largest, found.own)]  # fmt: skip


@pytest.mark.parametrize("kind", SCORES)
def test_neither_threads_nor_the_order_of_runs_change_a_bit(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = SCORES[kind]
    runs = values.shape[1]

    def found(order: list[int], jobs: int) -> MaxT:
        return max_t(values[:, order], Pairs.all(runs), 0.9, Drawing(500, 1, Local(jobs)), own=True)

    usual = found([*range(runs)], 1)
    assert parts(found([*range(runs)], 3)) == parts(usual)
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.simultaneous._MANY_CELLS", 1200)  # two pairs at a time
    monkeypatch.setattr("confint_cli.stats.simultaneous._KEPT_COUNTS", 0)
    monkeypatch.setattr("confint_cli.stats.random._CELLS", 999)  # some resamples at a time
    assert parts(found([*range(runs)], 2)) == parts(usual)
    backwards = found([*range(runs)][::-1], 1)
    assert backwards.largest.tobytes() == usual.largest.tobytes()
    assert backwards.own is not None
    assert usual.own is not None
    assert backwards.own[::-1].tobytes() == usual.own.tobytes()
    assert sorted(backwards.p) == sorted(usual.p)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(5, 12), st.integers(2, 5), st.integers(0, 10_000), st.sampled_from([1, 2, None]),
    st.sampled_from([0.5, 0.8, 0.9]), st.booleans(),
)  # fmt: skip
def test_p_and_intervals_agree_whatever_the_scores(
    topics: int, runs: int, seed: int, digits: int | None, level: float, strict: bool
) -> None:
    values = some_scores(topics, runs, seed=seed, digits=digits)
    found = max_t(values, Pairs.all(runs), level, Drawing(99, seed), strict=strict, own=True)
    limits = found.limits()
    apart = (limits.low[0] > 0) | (limits.high[0] < 0)
    alpha = round(1 - level, 9)
    assert apart.tolist() == (found.p <= alpha).tolist() == found.told.tolist()
    assert (np.isnan(limits.low[0]) == found.left_out).all()
    assert (found.p[found.left_out] == 1).all()
    assert found.own is not None
    assert (found.own <= found.critical).all()


def test_more_comparisons_and_higher_levels_are_wider() -> None:
    values = some_scores(30, 6, seed=1)
    for strict in (False, True):
        few, many, higher = (
            max_t(values[:, :runs], Pairs.against([0], runs), level, Drawing(1999, 0),
                  strict=strict).half
            for runs, level in ((3, 0.8), (6, 0.8), (6, 0.95))
        )  # fmt: skip
        assert (many[:2] > few).all()
        assert (higher > many).all()


def test_a_comparison_in_both_directions_counts_once() -> None:
    values = sparse_scores()
    once = max_t(values, Pairs.against([0], 8), 0.9, Drawing(999, 0))
    both = max_t(values, Pairs.against([0, 1], 8), 0.9, Drawing(999, 0))
    every = max_t(values[:, :2], Pairs.against([0, 1], 2), 0.9, Drawing(999, 0))
    single = max_t(values[:, :2], Pairs.all(2), 0.9, Drawing(999, 0))
    assert every.critical == single.critical
    assert every.few_differences.tolist() == [single.few_differences[0]] * 2
    assert every.p[0] == every.p[1] == single.p[0]
    assert both.critical >= once.critical


def test_the_reported_error_is_what_other_seeds_change() -> None:
    values = some_scores(30, 5, seed=1) ** 3
    for strict in (False, True):
        found = [
            max_t(values, Pairs.all(5), 0.95, Drawing(999, seed), strict=strict)
            for seed in range(150)
        ]
        spread = np.std([one.half for one in found], axis=0)
        reported = np.mean([one.error for one in found], axis=0)
        assert (reported / spread).min() > 0.7
        assert (reported / spread).max() < 1.5


def test_many_pairs_keep_those_that_differ_on_more_topics() -> None:
    """The more pairs, the likelier it is that a resample lacks all the differences of some."""
    random = np.random.default_rng(0)
    base = random.random((50, 1))
    few, many = (
        base + np.where(random.random((50, runs)) < 0.1, random.normal(0, 0.1, (50, runs)), 0.0)
        for runs in (3, 60)
    )
    of_few, of_many = (
        max_t(values, Pairs.all(values.shape[1]), 0.95, Drawing(99, 0)) for values in (few, many)
    )
    assert not of_few.few_differences.any()
    assert of_few.differing.min() < of_many.differing[of_many.few_differences].max()
    # Pairs that differ on k of 50 topics are lacking in (1 - k/50)^50 of resamples.
    differing = np.array(
        [
            np.count_nonzero(many[:, a] != many[:, b])
            for a, b in itertools.combinations(range(60), 2)
        ]
    )
    least = differing[~of_many.few_differences].min()
    kept = (1 - differing[differing >= least] / 50) ** 50
    one_less = (1 - differing[differing >= least - 1] / 50) ** 50
    assert sum(kept) <= 0.005 < sum(one_less)


def test_too_few_topics_tell_nobody_apart() -> None:
    """Of four topics, 4/256 of resamples have one only, and no variance; of five, 5/3125."""
    random = np.random.default_rng(2)
    values = np.array([0.1, 0.5, 0.9]) + random.normal(0, 0.001, (5, 3))
    four = max_t(values[:4], Pairs.all(3), 0.9, Drawing(19, 0))
    assert four.left_out.all()
    assert (four.p == 1).all()
    assert max_t(values, Pairs.all(3), 0.9, Drawing(9999, 0)).told.all()
    # A scale is a quantile at .99 whatever the level.
    assert max_t(values[:4], Pairs.all(3), 0.5, Drawing(19, 0)).left_out.all()


# Ranks


def test_rank_sets_count_who_is_surely_better_and_worse() -> None:
    random = np.random.default_rng(0)
    quality = np.array([0.0, 5.0, 0.01, 5.01, 9.0])
    values = random.normal(size=(30, 1)) + 0.5 * random.normal(size=(30, 5)) + quality
    ranking = rank_runs(values, 0.95, Drawing(999, 0))
    assert ranking.low.tolist() == [4, 2, 4, 2, 1]
    assert ranking.high.tolist() == [5, 3, 5, 3, 1]
    assert (ranking.own_low >= ranking.low).all()
    assert (ranking.own_high <= ranking.high).all()
    assert ranking.better[4].tolist() == [True, True, True, True, False]
    assert ranking.apart[1].tolist() == [True, False, True, False, True]


@pytest.mark.parametrize("kind", SCORES)
def test_rank_sets_longhand(kind: str) -> None:
    """By the slow program: joint sets by its limits, own sets by each run's own critical value."""
    values, level, number, seed = SCORES[kind], 0.5, 199, 3
    runs = values.shape[1]
    ranking = rank_runs(values, level, Drawing(number, seed))
    found, own, _ = slowly(values, level, number, seed, strict=False)
    joint = slowly_critical(values, level, number, seed)
    for run in range(runs):
        better = worse = own_better = own_worse = 0
        for (a, b), (low, high, _) in found.items():
            if run not in (a, b) or math.isnan(low):
                continue
            sign = 1 if run == a else -1
            middle, half = sign * (low + high) / 2, (high - low) / 2
            worse += middle - half > 0
            better += middle + half < 0
            own_worse += middle - half * own[run] / joint > 0
            own_better += middle + half * own[run] / joint < 0
        assert (ranking.low[run], ranking.high[run]) == (1 + better, runs - worse)
        assert (ranking.own_low[run], ranking.own_high[run]) == (1 + own_better, runs - own_worse)


def slowly_critical(values: FloatArray, level: float, number: int, seed: int) -> float:
    """λ of all pairs: that of runs whose every pair is in the family of one of them."""
    return max_t(values, Pairs.all(values.shape[1]), level, Drawing(number, seed)).critical


def test_the_share_of_resamples_in_which_a_run_is_first_longhand() -> None:
    """Several first ones divide a resample between them."""
    values = some_scores(12, 4, seed=2, digits=1)
    ranking = rank_runs(values, 0.9, Drawing(499, 3))
    sums = np.round(np.vstack(list(Resamples(12, 499, 3).counts())) @ values, 6)
    firsts = sums == sums.max(axis=1, keepdims=True)
    assert (firsts.sum(axis=1) > 1).any()
    shares = (firsts / firsts.sum(axis=1, keepdims=True)).mean(axis=0)
    assert ranking.first_share == pytest.approx(shares)
    assert ranking.first_share.sum() == pytest.approx(1)
    observed = np.round(values.sum(axis=0), 6)
    assert ranking.rank.tolist() == stats.rankdata(-observed, method="min").tolist()


def test_identical_runs_share_everything() -> None:
    values = some_scores(20, 3, seed=2)
    values[:, 2] = values[:, 0]
    ranking = rank_runs(values, 0.95, Drawing(499, 3))
    for part in (ranking.rank, ranking.low, ranking.high, ranking.own_low, ranking.own_high,
                 ranking.first_share):  # fmt: skip
        assert part[0] == part[2]
    assert not ranking.apart[0, 2]
    assert ranking.left_out.pairs == 0


def test_ties_in_decimals_are_ties() -> None:
    """0.1 + 0.2 and 0.3 + 0.0 are equal on average, whatever their last bits."""
    values = np.array([[0.1, 0.3], [0.2, 0.0]] * 6)
    ranking = rank_runs(values, 0.95, Drawing(999, 0))
    assert ranking.rank.tolist() == [1, 1]
    assert ranking.first_share.sum() == pytest.approx(1)
