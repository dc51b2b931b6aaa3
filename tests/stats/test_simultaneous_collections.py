"""Max-T and ranks over several collections: against a slow, obvious program, and their promises."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import Local
from confint_cli.scores.design import Design
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.ranking import rank_by_t, rank_runs
from confint_cli.stats.simultaneous import LeftOut, MaxT, at_once, max_t
from tests.stats.longhand_collections import mean_se_df, sizes_of, weighted, z_of
from tests.stats.test_simultaneous import at

Parts = list[np.ndarray]  # [topic, run] of each collection


def found_of(
    parts: Parts, level: float, number: int, seed: int, *, strict: bool = False, jobs: int = 1
) -> MaxT:
    runs = parts[0].shape[1]
    drawing = Drawing(number, seed, Local(jobs))
    return max_t(weighted(parts), Pairs.all(runs), level, drawing, strict=strict, own=True,
                 design=Design(sizes_of(parts)))  # fmt: skip


def some_runs(seed: int, sizes: Sequence[int], runs: int, digits: int | None = None) -> Parts:
    """Skewed scores; collections differ in their means, and runs do a little."""
    random = np.random.default_rng(seed)
    parts = []
    for size in sizes:
        level, effect = random.uniform(0.1, 0.5), random.normal(0, 0.05, runs)
        topics = random.beta(0.6, 1.5, (size, 1)) * 0.5
        scores = level + topics + random.beta(0.4, 2, (size, runs)) * 0.4 + effect
        scores += np.linspace(0, 0.15, runs)
        parts.append(scores if digits is None else np.round(scores, digits))
    return parts


def sparse_runs() -> Parts:
    """Copies of a run, changed on few topics of one collection, of the other, on many of both."""
    random = np.random.default_rng(3)
    parts = [np.repeat(random.beta(1, 3, (size, 1)), 7, axis=1) for size in (12, 40)]
    for run, changed in enumerate(((1, 0), (0, 3), (2, 2), (6, 0), (0, 20), (12, 40))):
        for part, number in zip(parts, changed, strict=True):
            where = random.choice(len(part), number, replace=False)
            part[where, run] += random.exponential(0.1, number)
    return parts


def moved_runs() -> Parts:
    """Runs that are a little worse than the first on most topics, but by how much varies rarely."""
    random = np.random.default_rng(4)
    parts = []
    for size, by in ((10, 0.05), (30, 0.03)):
        noise = np.where(random.random((size, 6)) < np.linspace(0.02, 0.4, 6), 0.25, -by)
        noise[:, 0] = 0
        parts.append(random.beta(1, 3, (size, 1)) + noise)
    return parts


def shifted_runs() -> Parts:
    """Copies of a run, moved on most or all topics of one collection, and changed on few others."""
    random = np.random.default_rng(7)
    parts = [np.repeat(random.beta(1, 3, (size, 1)), 6, axis=1) for size in (12, 40)]
    small, large = parts
    small[:, 1] += 0.1
    large[0, 1] += 0.2
    small[0, 2] += 0.2
    large[:, 2] += 0.1
    small[2:, 3] += 0.1
    for part in parts:
        part[:, 4] += random.normal(0, 0.1, len(part))
    return parts


def runs_as_far_from_one() -> Parts:
    """Copies of a run, each changed on five topics of a collection: not all can have limits."""
    random = np.random.default_rng(8)
    parts = [np.repeat(random.beta(1, 3, (size, 1)), 7, axis=1) for size in (12, 40)]
    for run in range(1, 7):
        parts[1][random.choice(40, 5, replace=False), run] += random.exponential(0.1, 5)
    return parts


PARTS = {
    "two": some_runs(0, (6, 20), 4),
    "unequal": some_runs(1, (3, 40, 8, 5), 4),
    "tenths": some_runs(2, (9, 14, 6), 4, digits=1),
    "sparse": sparse_runs(),
    "moved": moved_runs(),
    "large": [1e6 * part for part in some_runs(5, (7, 12), 3)],
    "shifted": shifted_runs(),
    "as far": runs_as_far_from_one(),
}


# A slow, obvious program


def slowly(
    parts: Parts, level: float, number: int, seed: int, *, strict: bool
) -> tuple[dict[tuple[int, int], tuple[float, float, float]], dict[tuple[int, int], float], float,
           list[float], set[tuple[int, int]]]:  # fmt: skip
    """Return limits and p of each pair, scales, λ, λ of each run, pairs that differ too seldom.

    Every resample of every collection is written out.
    """
    sizes, runs = sizes_of(parts), parts[0].shape[1]
    unit = np.abs(np.concatenate(parts)).max()
    splits = np.cumsum(sizes)[:-1]
    resamples = [
        [np.repeat(np.arange(len(own)), own) for own in np.split(counts.astype(int), splits)]
        for chunk in Resamples(sum(sizes), number, seed, sizes).counts()
        for counts in chunk
    ]
    pairs = list(itertools.combinations(range(runs), 2))
    d = {(a, b): [np.round((part[:, a] - part[:, b]) / unit, 12) for part in parts]
         for a, b in pairs}  # fmt: skip
    # How probable a resample is that lacks all topics that vary, and all that are not 0.
    chance, of_zeros = {}, {}
    for pair in pairs:
        chance[pair] = of_zeros[pair] = 1.0
        for own in d[pair]:
            most = max(np.count_nonzero(np.abs(own - one) < 1e-11) for one in own)
            chance[pair] *= ((most if most > 1 else 0) / len(own)) ** len(own)
            of_zeros[pair] *= np.mean(own == 0) ** len(own)
    kept, total = [], 0.0
    for own, group in itertools.groupby(sorted(pairs, key=chance.__getitem__), chance.__getitem__):
        alike = list(group)
        total += own * len(alike)
        if total > (1 - level) / 10 + 1e-12:
            break
        kept += alike
    t = {}
    for pair in kept:
        mean = np.mean([own.mean() for own in d[pair]])
        drawn = [[own[places] for own, places in zip(d[pair], resample, strict=True)]
                 for resample in resamples]  # fmt: skip
        t[pair] = np.abs([z_of(sample, mean) for sample in drawn])
    scale = {}
    for pair, own in t.items():
        least = stats.t.ppf(0.995, mean_se_df(d[pair])[2])
        if math.isfinite(s := max(at(0.99, own), least)):
            scale[pair] = 1.0 if strict else s
    on_scale = {pair: t[pair] / s for pair, s in scale.items()}
    largest = np.max([np.zeros(number), *on_scale.values()], axis=0)
    found = {}
    for pair in pairs:
        found[pair] = (math.nan, math.nan, 1.0)
        if not any(own.any() for own in d[pair]):
            found[pair] = (0.0, 0.0, 1.0)
        elif pair in scale:
            mean, se, _ = mean_se_df(d[pair])
            half = at(level, largest) * scale[pair] * se
            reached = np.count_nonzero(largest >= (1 - 1e-9) * abs(mean) / se / scale[pair])
            found[pair] = ((mean - half) * unit, (mean + half) * unit, (1 + reached) / (1 + number))
    nothing = np.zeros(number)
    own_critical = [
        at(level, np.max([nothing, *(on_scale[pair] for pair in scale if run in pair)], axis=0))
        for run in range(runs)
    ]
    few = {pair for pair in pairs if pair not in kept and of_zeros[pair] >= chance[pair] - 1e-12
           and any(own.any() for own in d[pair])}  # fmt: skip
    return found, scale, at(level, largest), own_critical, few


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
def test_limits_and_p_are_those_of_a_slow_program(kind: str, strict: bool) -> None:
    parts, level, number = PARTS[kind], 0.9, 199
    runs = parts[0].shape[1]
    pairs = list(itertools.combinations(range(runs), 2))
    found = found_of(parts, level, number, 4, strict=strict)
    expected, scale, critical, own, few = slowly(parts, level, number, 4, strict=strict)
    assert found.critical == pytest.approx(critical, rel=1e-6)
    assert found.own == pytest.approx(own, rel=1e-6)
    limits, size = found.limits(), np.abs(np.concatenate(parts)).max()
    for place, pair in enumerate(pairs):
        low, high, p = expected[pair]
        ends = (limits.low[0, place], limits.high[0, place])
        assert ends == pytest.approx((low, high), abs=1e-9 * size, rel=1e-6, nan_ok=True)
        assert found.p[place] == p
        assert found.scale[place] == pytest.approx(scale.get(pair, np.inf), rel=1e-6)
        assert found.few_differences[place] == (pair in few)
    if kind == "sparse":
        assert 0 < found.few_differences.sum() < len(pairs) - 5
        assert found.differing[pairs.index((0, 6))] == 1
    if kind in ("moved", "shifted"):
        assert 0 < found.unbounded.sum() < len(pairs)
        assert np.isfinite(found.critical)
    if kind == "as far":
        from_first = np.array([pair[0] == 0 for pair in pairs])
        assert found.few_differences.tolist() == from_first.tolist()


def test_differences_are_told_apart_that_pooled_topics_hide() -> None:
    """And the other way round: what counts is the mean of the collections' means."""
    random = np.random.default_rng(1)
    small = np.array([0.8, 0.2]) + 0.05 * random.random((10, 2))
    large = np.array([0.45, 0.5]) + 0.05 * random.random((300, 2))
    found = found_of([small, large], 0.95, 999, 0)
    assert found.difference[0] == pytest.approx(0.275, abs=0.02)
    assert found.limits().low[0, 0] > 0
    pooled = max_t(np.concatenate([small, large]), Pairs.all(2), 0.95, Drawing(999, 0))
    assert pooled.limits().high[0, 0] < 0


def test_of_one_pair_of_normal_differences_it_is_about_the_stratified_t_interval() -> None:
    random = np.random.default_rng(0)
    parts = [random.normal(0.3, scale, (size, 2)) for size, scale in ((60, 1), (150, 2), (90, 0.5))]
    found = found_of(parts, 0.95, 20_000, 0).limits()
    mean, se, df = mean_se_df([part[:, 0] - part[:, 1] for part in parts])
    half = stats.t.ppf(0.975, df) * se
    assert found.low[0, 0] == pytest.approx(mean - half, abs=0.04 * half)
    assert found.high[0, 0] == pytest.approx(mean + half, abs=0.04 * half)


@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
def test_one_collection_is_none(strict: bool) -> None:
    values = some_runs(4, (30,), 5)[0]
    plain = max_t(values, Pairs.all(5), 0.95, Drawing(499, 2), strict=strict, own=True)
    one = found_of([values], 0.95, 499, 2, strict=strict)
    for name in ("difference", "se", "scale", "largest", "own", "half", "scale_error"):
        np.testing.assert_allclose(getattr(one, name), getattr(plain, name), rtol=1e-9, atol=1e-12)
    assert one.p.tolist() == plain.p.tolist()


# Promises


@pytest.mark.parametrize("kind", PARTS)
def test_neither_threads_nor_the_order_of_runs_change_a_bit(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = PARTS[kind]
    names = ("scale", "scale_error", "se", "p", "largest", "own")

    def bits(found: MaxT) -> list[bytes]:
        return [getattr(found, name).tobytes() for name in names]

    usual = found_of(parts, 0.9, 300, 1)
    assert bits(found_of(parts, 0.9, 300, 1, jobs=3)) == bits(usual)
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.simultaneous._MANY_CELLS", 700)  # two pairs at a time
    monkeypatch.setattr("confint_cli.stats.simultaneous._KEPT_COUNTS", 0)
    assert bits(found_of(parts, 0.9, 300, 1, jobs=2)) == bits(usual)
    backwards = found_of([part[:, ::-1] for part in parts], 0.9, 300, 1)
    assert backwards.largest.tobytes() == usual.largest.tobytes()
    assert sorted(backwards.p) == sorted(usual.p)


@settings(max_examples=60)
@given(
    st.lists(st.integers(2, 8), min_size=2, max_size=4), st.integers(2, 5), st.integers(0, 10_000),
    st.sampled_from([1, 2, None]), st.sampled_from([0.5, 0.8, 0.9]), st.booleans(),
)  # fmt: skip
def test_p_and_intervals_agree_whatever_the_scores(
    sizes: list[int], runs: int, seed: int, digits: int | None, level: float, strict: bool
) -> None:
    found = found_of(some_runs(seed, sizes, runs, digits), level, 99, seed, strict=strict)
    limits = found.limits()
    apart = (limits.low[0] > 0) | (limits.high[0] < 0)
    assert apart.tolist() == (found.p <= round(1 - level, 9)).tolist() == found.told.tolist()
    assert (np.isnan(limits.low[0]) == found.left_out).all()
    assert (found.p[found.left_out] == 1).all()
    assert not (found.few_differences & found.unbounded).any()
    assert found.own is not None
    assert (found.own <= found.critical).all()


@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
def test_levels_at_once_are_those_one_by_one(strict: bool) -> None:
    parts = PARTS["unequal"]
    paired = Paired(weighted(parts), Pairs.all(4), Design(sizes_of(parts)))
    both = at_once(paired, (0.8, 0.95), Drawing(199, 3), strict=strict)
    for place, level in enumerate((0.8, 0.95)):
        alone = found_of(parts, level, 199, 3, strict=strict)
        np.testing.assert_array_equal(both.limits.low[place], alone.limits().low[0])
        np.testing.assert_array_equal(both.p[place], alone.p)


def test_a_pair_that_varies_in_no_collection_has_no_limits_and_others_have() -> None:
    """It differs by one amount in one collection and by another in the next."""
    parts = some_runs(6, (8, 12), 3, digits=3)
    parts = [np.column_stack([part, part[:, 0] + by]) for part, by in zip(parts, (0.25, 0.5),
                                                                         strict=True)]  # fmt: skip
    found, usual = (
        found_of(parts, 0.9, 199, 0),
        found_of([part[:, :3] for part in parts], 0.9, 199, 0),
    )
    of = list(itertools.combinations(range(4), 2)).index((0, 3))
    assert found.se[of] == 0
    assert found.difference[of] == pytest.approx(-0.375)
    assert found.unbounded.tolist() == [place == of for place in range(6)]
    assert not found.few_differences.any()
    assert np.isnan(found.limits().low[0, of])
    assert found.p[of] == 1
    assert np.isfinite(np.delete(found.half, of)).all()
    assert found.critical >= usual.critical


def test_equal_runs_have_limits_of_0() -> None:
    parts = [np.column_stack([part, part[:, 0]]) for part in some_runs(6, (8, 12), 2)]
    found = found_of(parts, 0.9, 199, 0)
    of = list(itertools.combinations(range(3), 2)).index((0, 2))
    assert (found.limits().low[0, of], found.limits().high[0, of], found.p[of]) == (0, 0, 1)
    assert not found.left_out[of]
    assert not found.few_differences[of]
    assert np.isfinite(np.delete(found.half, of)).all()


def test_of_pairs_that_are_as_improbable_all_have_limits_or_none() -> None:
    """Five of 40 topics are lacking in (7/8)^40 = .48% of resamples, so .5% has room for one."""
    base = [np.random.default_rng(0).random((size, 1)) for size in (12, 40)]

    def kept(pairs: Pairs, *changed: int) -> list[bool]:
        """Copies of the first run, changed on this many topics each."""
        parts = [np.repeat(part, 1 + len(changed), axis=1) for part in base]
        for run, number in enumerate(changed, start=1):
            parts[1][:number, run] += np.linspace(0.1, 0.3, number)
        found = max_t(weighted(parts), pairs, 0.95, Drawing(499, 0),
                      design=Design(sizes_of(parts)))  # fmt: skip
        return (~found.few_differences).tolist()

    assert kept(Pairs.against([0], 2), 5) == [True]
    assert kept(Pairs.against([0], 3), 5, 5) == [False, False]
    assert kept(Pairs.against([0], 6), 5, 14, 9, 5, 11) == [False, True, True, False, True]
    # Two runs are one pair, whichever is the baseline.
    assert kept(Pairs.against([0, 1], 2), 5) == [True, True]


def test_pairs_are_as_improbable_in_whatever_order_collections_are() -> None:
    """Of 20 topics each, 1, 2 and 3 differ: in floats, (ab)c is not (bc)a."""
    base = np.random.default_rng(0).random((60, 1))
    chance = (19 / 20 * 18 / 20 * 17 / 20) ** 20
    for orders in itertools.permutations([(0, 0, 0), (1, 2, 3), (2, 3, 1)]):
        values = np.repeat(base, 3, axis=1)
        for run, numbers in enumerate(orders):
            for place, number in enumerate(numbers):
                values[20 * place : 20 * place + number, run] += np.linspace(0.1, 0.3, number)
        same = [run for run in range(3) if orders[run] == (0, 0, 0)]
        for room, few in ((1.5, True), (2.5, False)):
            found = max_t(values, Pairs.against(same, 3), 1 - 10 * room * chance, Drawing(99, 0),
                          design=Design((20, 20, 20)))  # fmt: skip
            assert found.few_differences.tolist() == [few, few]


def test_a_pair_needs_topics_that_vary_in_some_collection() -> None:
    """Six of twelve are lacking in (1/2)^12 of resamples, 2 of 12 and 3 of 40 in 11% times 4%."""
    base = [np.random.default_rng(0).random((size, 1)) for size in (12, 40)]
    for changed, chance in (((6, 0), 0.5**12), ((2, 3), (10 / 12) ** 12 * (37 / 40) ** 40),
                            ((1, 0), (11 / 12) ** 12), ((0, 5), (35 / 40) ** 40),
                            ((0, 4), (36 / 40) ** 40)):  # fmt: skip
        parts = []
        for own, number in zip(base, changed, strict=True):
            other = own.copy()
            other[:number, 0] += np.linspace(0.1, 0.3, number)
            parts.append(np.hstack([own, other]))
        found = found_of(parts, 0.95, 499, 0)
        assert found.few_differences.tolist() == [chance > 0.005], changed
        assert found.differing.tolist() == [sum(changed)]
        assert np.isnan(found.half[0]) == (chance > 0.005)


@pytest.mark.parametrize(("sizes", "enough"), [((2, 2), False), ((3, 3), False), ((2, 5), True),
                                               ((2,) * 8, True), ((2,) * 7, False)])  # fmt: skip
def test_topics_are_enough_where_few_resamples_have_one_of_each_collection(
    sizes: tuple[int, ...], enough: bool
) -> None:
    """Of 2 topics, half of resamples have one only; of 3 a ninth; of 5 one in 625."""
    found = found_of(some_runs(1, sizes, 3), 0.95, 999, 0)
    chance = math.prod(size ** (1 - size) for size in sizes)
    assert found.enough_topics == (chance <= 0.005) == enough
    assert found.left_out.all() != enough
    assert found.counted(Pairs.all(3)) == LeftOut(0, 0, 0 if enough else 3, enough)


def test_a_collection_of_one_topic_has_no_variance_to_resample() -> None:
    found = found_of(some_runs(1, (1, 20), 3), 0.95, 99, 0)
    assert not found.enough_topics
    assert found.left_out.all()


# Ranks


@pytest.mark.parametrize("kind", ["two", "unequal", "tenths", "sparse", "moved"])
@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
def test_rank_sets_longhand(kind: str, strict: bool) -> None:
    """Joint sets by the slow program's limits, own sets by each run's own critical value."""
    parts, level, number, seed = PARTS[kind], 0.5, 199, 3
    sizes, runs = sizes_of(parts), parts[0].shape[1]
    ranking = rank_runs(
        weighted(parts), level, Drawing(number, seed), strict=strict, design=Design(sizes)
    )
    expected, scale, _, own, _ = slowly(parts, level, number, seed, strict=strict)
    means = np.mean([part.mean(axis=0) for part in parts], axis=0)
    better = np.zeros((runs, runs), dtype=bool)
    own_low, own_high = np.ones(runs, int), np.full(runs, runs)
    for (a, b), (low, high, _) in expected.items():
        better[a, b], better[b, a] = low > 1e-12, high < -1e-12
        if (a, b) not in scale:
            continue
        mean, se, _ = mean_se_df([part[:, a] - part[:, b] for part in parts])
        first, second = (a, b) if mean > 0 else (b, a)
        statistic = (1 - 1e-9) * abs(mean) / se / scale[a, b]
        own_high[first] -= statistic > own[first]
        own_low[second] += statistic > own[second]
    np.testing.assert_array_equal(ranking.better, better)
    assert ranking.low.tolist() == (1 + better.sum(axis=0)).tolist()
    assert ranking.high.tolist() == (runs - better.sum(axis=1)).tolist()
    assert ranking.own_low.tolist() == own_low.tolist()
    assert ranking.own_high.tolist() == own_high.tolist()
    rounded = np.round(means, 12)
    assert ranking.rank.tolist() == [1 + np.count_nonzero(rounded > mean) for mean in rounded]
    firsts = np.zeros(runs)
    for chunk in Resamples(sum(sizes), number, seed, sizes).counts():
        for counts in chunk:
            split = np.split(counts, np.cumsum(sizes)[:-1])
            means_of_parts = [
                own @ part / len(part) for own, part in zip(split, parts, strict=True)
            ]
            drawn = np.mean(means_of_parts, axis=0)
            first = drawn >= drawn.max() - 1e-12
            firsts += first / first.sum()
    np.testing.assert_allclose(ranking.first_share, firsts / number, atol=1e-9)
    assert better.any()


def test_ranks_for_new_collections_longhand() -> None:
    """By scipy's t tests and Bonferroni: of all pairs for all sets at once, of its own for one."""
    runs, collections, told = 5, 6, np.zeros(3, int)
    for seed, level in itertools.product(range(40), (0.8, 0.95)):
        random = np.random.default_rng(seed)
        means = random.normal(0.5, 0.2, (collections, 1)) + np.linspace(0, 0.4, runs)
        means = means + random.normal(0, 0.1, (collections, runs))
        ranking = rank_by_t(Paired(means, Pairs.all(means.shape[1])), level)
        p = {(a, b): stats.ttest_rel(means[:, a], means[:, b], alternative="greater").pvalue * 2
             for a, b in itertools.permutations(range(runs), 2)}  # fmt: skip
        joint, own, neighbour = (
            np.array([[a != b and number * p[a, b] <= 1 - level for b in range(runs)]
                      for a in range(runs)])
            for number in (runs * (runs - 1) // 2, runs - 1, runs)
        )  # fmt: skip
        told += [joint.sum(), neighbour.sum(), own.sum()]
        np.testing.assert_array_equal(ranking.better, joint)
        assert ranking.low.tolist() == (1 + joint.sum(axis=0)).tolist()
        assert ranking.high.tolist() == (runs - joint.sum(axis=1)).tolist()
        assert ranking.own_low.tolist() == (1 + own.sum(axis=0)).tolist()
        assert ranking.own_high.tolist() == (runs - own.sum(axis=1)).tolist()
        assert ranking.rank.tolist() == (1 + np.argsort(np.argsort(-means.mean(axis=0)))).tolist()
        assert np.isnan(ranking.first_share).all()
    assert 0 < told[0] < told[1] < told[2]  # so that another number of pairs would be seen


def test_ranks_for_new_collections_do_not_depend_on_the_order_of_runs() -> None:
    random = np.random.default_rng(2)
    means = random.normal(0.5, 0.05, (6, 5)) + np.array([0.0, 0.02, 0.1, 0.2, 0.5])
    order = np.array([3, 0, 4, 1, 2])
    usual, other = (
        rank_by_t(Paired(own, Pairs.all(own.shape[1])), 0.9) for own in (means, means[:, order])
    )
    for name in ("rank", "low", "high", "own_low", "own_high"):
        assert getattr(other, name).tolist() == getattr(usual, name)[order].tolist()
