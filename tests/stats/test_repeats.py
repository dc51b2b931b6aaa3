"""Repeats of runs: against lme4, statsmodels and the formulas longhand; and their promises."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.common.progress import no_progress
from confint_cli.scores.design import Groups, Repeats
from confint_cli.scores.scores import Collections, Matrix, Scores
from confint_cli.stats import comparison
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt
from confint_cli.stats.matrices import paired_of, rows_can_be_resampled, sample_of
from confint_cli.stats.names import BONFERRONI_T
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.random import Drawing
from confint_cli.stats.ranking import rank_by_t
from confint_cli.stats.repeats import variances_of_repeats
from confint_cli.stats.sample import RepeatVariance, Sample
from confint_cli.stats.significance import tests as all_tests
from tests.stats.longhand_collections import weights as weights_of_collections
from tests.stats.test_groups import (
    UNEVEN,
    cr2,
    estimated,
    groups_of,
    matrix_of,
    reference_rows,
    reference_scores,
    some_scores,
    split,
    t_ends,
    table,
)
from tests.versions import T_ERROR

PRECISION = max(1e-9, T_ERROR)
BY_OPTIMISATION = 1e-5  # as far as lme4 is off: it looks for the maximum of a likelihood

Tables = Sequence[np.ndarray]  # [topic, repeat] of each run


# Repeats, in the few lines that anybody would write


def repeats_of(tables: Tables) -> Repeats:
    places = split(np.arange(sum(own.shape[1] for own in tables)), [t.shape[1] for t in tables])
    return Repeats(
        np.concatenate(tables, axis=1),
        tuple(tuple(own.tolist()) for own in places),
        tuple(tuple(str(label) for label in range(own.shape[1])) for own in tables),
    )


def matrix_in_repeats(
    tables: Tables, groups: Groups | None = None, strata: tuple[int, ...] = ()
) -> Matrix:
    """Of the tables of each run; `strata` are topics of each collection, whose means are meant."""
    if strata:
        own = weights_of_collections(strata)[:, None]
        tables = [values * own for values in tables]
    repeats = repeats_of(tables)
    return matrix_of(repeats.means(), groups, strata, repeats)


def mean_squares(values: np.ndarray) -> tuple[float, float, float]:
    """Of topics, of repeats, and of what is left, of values[topic, repeat]."""
    topics, repeats = values.shape
    grand, rows, columns = values.mean(), values.mean(axis=1), values.mean(axis=0)
    of_topics = repeats * sum((row - grand) ** 2 for row in rows) / (topics - 1)
    of_repeats = topics * sum((column - grand) ** 2 for column in columns) / (repeats - 1)
    left = sum(
        (values[i, s] - rows[i] - columns[s] + grand) ** 2
        for i in range(topics)
        for s in range(repeats)
    )
    return of_topics, of_repeats, left / ((topics - 1) * (repeats - 1))


def two_way(*tables: np.ndarray) -> tuple[float, float, float]:
    """Mean, se and df of a run, or of the difference of two whose repeats are not paired."""
    means = [values.mean(axis=1) for values in tables]
    d = means[0] if len(tables) == 1 else means[0] - means[1]
    topics = len(d)
    parts = [(d.var(ddof=1) / topics, topics - 1)]
    variance = parts[0][0]
    for values in tables:
        number = values.shape[1]
        if number == 1:
            continue
        _, of_repeats, left = mean_squares(values)
        if of_repeats > left:
            cells = topics * number
            variance += (of_repeats - left) / cells
            parts += [(of_repeats / cells, number - 1)]
            parts += [(left / cells, (topics - 1) * (number - 1))]
    below = sum(part**2 / free for part, free in parts)
    return float(d.mean()), math.sqrt(variance), max(1.0, variance**2 / below)


def some_table(
    seed: int, topics: int, repeats: int, of_repeats: float = 0.1, left: float = 0.1
) -> np.ndarray:
    """Skewed topics, seeds that are good or bad on all of them, and noise: [topic, repeat]."""
    random = np.random.default_rng(seed)
    return (
        random.beta(0.6, 1.5, (topics, 1))
        + random.normal(0, of_repeats, repeats)
        + random.normal(0, left, (topics, repeats))
    )


def mean_se_df(sample: Sample, column: int = 0) -> tuple[float, float, float]:
    return sample.mean[column], sample.se[column], sample.df[column]


# References


def reference_repeats(case: str) -> Matrix:
    """Runs a and b in their repeats; rows are what rows of lme4 are."""
    scores, group, collection = reference_scores(case)
    tables = [scores[:, 0], scores[:, 1]]
    if case == "models":
        repeats = repeats_of(tables)
        values = repeats.means()[:, :, None]
        sizes = tuple(np.bincount(collection).tolist())
        names = tuple(f"c{place}" for place in range(len(sizes)))
        return (
            Scores(
                values,
                tuple(map(str, range(len(values)))),
                ("a", "b"),
                ("map",),
                np.zeros(values.shape, dtype=bool),
                collections=Collections(names, sizes),
                repeats=Repeats(repeats.values[:, :, None], repeats.columns, repeats.labels),
            )
            .collection_means()
            .matrix("map")
        )
    groups = groups_of(np.bincount(group).tolist()) if case == "talks" else None
    return matrix_in_repeats(tables, groups)


REPEAT_CASES = ("seeds", "two", "ten", "talks", "models")


@pytest.mark.parametrize("case", REPEAT_CASES)
def test_mean_se_df_limits_and_p_are_those_of_lme4_with_lmertest(case: str) -> None:
    """Topics and repeats as crossed random effects; of differences, those of paired repeats."""
    matrix, rows = (
        reference_repeats(case),
        [r for r in reference_rows("mixed") if r["case"] == case],
    )
    assert len(rows) == 4
    assert matrix.unit == ("collection" if case == "models" else "topic" if case != "talks"
                           else "group")  # fmt: skip
    for row in rows:
        if row["of"] == "a":
            sample = sample_of(matrix)
        else:
            paired = paired_of(matrix, Pairs.all(2), paired_repeats=True)
            sample = paired.sample
            p = all_tests()["t"].p(paired, Drawing(1, 0), no_progress)
            assert p[0] == pytest.approx(float(row["p"]), rel=30 * BY_OPTIMISATION)
        wanted = [float(row[name]) for name in ("estimate", "se", "df")]
        assert mean_se_df(sample) == pytest.approx(wanted, rel=BY_OPTIMISATION)
        ends = t_ends(estimated(sample, levels=[float(row["level"])]))
        half = (float(row["high"]) - float(row["low"])) / 2
        assert ends == pytest.approx((float(row["low"]), float(row["high"])), abs=1e-4 * half)
        share = float(row["repeats"]) / matrix.repeats.numbers[0] / float(row["se"]) ** 2
        assert sample.repeat_share[0] == pytest.approx(share, rel=1e-4)


@pytest.mark.parametrize("case", REPEAT_CASES)
def test_mean_squares_are_those_of_statsmodels(case: str) -> None:
    matrix = reference_repeats(case)
    between, within, numbers = variances_of_repeats(matrix.repeats, matrix.design)
    rows = {row["of"]: row for row in table("designs_statsmodels.tsv") if row["case"] == case}
    assert len(rows) == 2
    cells = len(matrix.values) * numbers[0]
    ours = [sample_of(matrix).se_of_topics[0] ** 2, between[0], within[0]]
    squares = {of: [float(row[name]) for name in ("topics", "repeats", "residuals")]
               for of, row in rows.items()}  # fmt: skip
    assert ours == pytest.approx([square / cells for square in squares["a"]], rel=1e-9)
    of_topics, of_repeats, left = (square / cells for square in squares["difference"])
    sample = paired_of(matrix, Pairs.all(2), paired_repeats=True).sample
    assert sample.se[0] ** 2 == pytest.approx(of_topics + of_repeats - left, rel=1e-9)


# Longhand


@pytest.mark.parametrize("repeats", [2, 3, 5, 10])
@pytest.mark.parametrize("topics", [2, 7, 50])
@pytest.mark.parametrize("of_repeats", [0.0, 0.02, 0.3])
def test_mean_se_and_df_are_those_of_the_formula(
    repeats: int, topics: int, of_repeats: float
) -> None:
    one = some_table(topics, topics, repeats, of_repeats)
    other = some_table(topics + 1, topics, repeats + 1, of_repeats / 2)
    matrix = matrix_in_repeats([one, other])
    sample = sample_of(matrix)
    assert mean_se_df(sample) == pytest.approx(two_way(one), rel=1e-9)
    assert mean_se_df(sample, 1) == pytest.approx(two_way(other), rel=1e-9)
    difference = paired_of(matrix, Pairs.all(2)).sample
    mean, se, df = two_way(one, other)
    assert mean_se_df(difference) == pytest.approx((mean, se, df), rel=1e-9)
    half = stats.t.ppf(0.95, df) * se
    ends = t_ends(estimated(difference, levels=[0.9]))
    assert ends == pytest.approx((mean - half, mean + half), rel=PRECISION, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_paired_repeats_are_one_system_of_differences(seed: int) -> None:
    """Seeds that both runs share, as one noise added to both of them, then cancel."""
    shared = np.random.default_rng(seed).normal(0, 0.5, 4)
    one, other = (some_table(2 * seed + run, 20, 4, 0.05) + shared for run in (0, 1))
    matrix = matrix_in_repeats([one, other])
    paired = paired_of(matrix, Pairs.all(2), paired_repeats=True).sample
    assert mean_se_df(paired) == pytest.approx(two_way(one - other), rel=1e-9)
    turned = paired_of(
        matrix, Pairs(np.array([1]), np.array([0])), paired_repeats=True
    ).sample  # fmt: skip
    assert mean_se_df(turned) == pytest.approx((-paired.mean[0], paired.se[0], paired.df[0]))
    unpaired = paired_of(matrix, Pairs.all(2)).sample
    assert unpaired.se[0] > 1.5 * paired.se[0]


def over_collections(
    sizes: Sequence[int], *tables: np.ndarray, paired: bool = False
) -> tuple[float, float, float]:
    """Mean, se and df for new topics of collections and new repeats, of a run or of a difference.

    A repeat is one model in all collections: what counts is how its mean over these varies.
    """
    number = len(sizes)
    if paired:
        tables = (tables[0] - tables[1],)
    means = [values.mean(axis=1) for values in tables]
    d = means[0] if len(tables) == 1 else means[0] - means[1]
    parts = [(own.var(ddof=1) / len(own) / number**2, len(own) - 1) for own in split(d, sizes)]
    variance = sum(part for part, _ in parts)
    for values in tables:
        repeats = values.shape[1]
        if repeats == 1:
            continue
        macro = np.mean([own.mean(axis=0) for own in split(values, sizes)], axis=0)
        of_repeats = macro.var(ddof=1) / repeats
        left = [
            (
                mean_squares(own)[2] / (len(own) * repeats * number**2),
                (len(own) - 1) * (repeats - 1),
            )
            for own in split(values, sizes)
        ]
        added = of_repeats - sum(part for part, _ in left)
        if added > 0:
            variance += added
            parts += [(of_repeats, repeats - 1), *left]
    mean = np.mean([own.mean() for own in split(d, sizes)])
    return float(mean), math.sqrt(variance), variance**2 / sum(v**2 / free for v, free in parts)


@pytest.mark.parametrize("of_repeats", [0.0, 0.03, 0.3])
@pytest.mark.parametrize("sizes", [(4, 9), (3, 20, 7, 5), (12,) * 6])
def test_repeats_over_collections_are_those_of_the_formula(
    sizes: tuple[int, ...], of_repeats: float
) -> None:
    one, other = (some_table(seed, sum(sizes), 3 + seed, of_repeats) for seed in (0, 1))
    third = some_table(2, sum(sizes), 4, of_repeats)
    matrix = matrix_in_repeats([one, other, third], strata=sizes)
    assert mean_se_df(sample_of(matrix)) == pytest.approx(over_collections(sizes, one), rel=1e-9)
    pairs = Pairs(np.array([0, 1]), np.array([1, 2]))
    difference = paired_of(matrix, pairs).sample
    wanted = over_collections(sizes, one, other)
    assert mean_se_df(difference) == pytest.approx(wanted, rel=1e-9)
    alike = matrix_in_repeats([other, third], strata=sizes)
    paired = paired_of(alike, Pairs.all(2), paired_repeats=True).sample
    wanted = over_collections(sizes, other, third, paired=True)
    assert mean_se_df(paired) == pytest.approx(wanted, rel=1e-9)


def over_groups(sizes: Sequence[int], values: np.ndarray) -> tuple[float, float, float]:
    """Mean, se and df of topics [topic, repeat] in groups: CR2 in the place of variances."""
    topics, repeats = values.shape
    mean, se, df = cr2(values.mean(axis=1), sizes)
    parts = [(se**2, df)]
    by_repeat = values - values.mean(axis=0)
    residuals = by_repeat - by_repeat.mean(axis=1, keepdims=True)
    within = sum(
        (own.sum(axis=0) ** 2).sum() / (1 - size / topics)
        for own, size in zip(split(residuals, sizes), sizes, strict=True)
    ) / (topics**2 * (repeats - 1) * repeats)  # fmt: skip
    between = values.mean(axis=0).var(ddof=1) / repeats
    variance = se**2
    if between > within:
        variance += between - within
        parts += [(between, repeats - 1), (within, df * (repeats - 1))]
    return mean, math.sqrt(variance), variance**2 / sum(v**2 / free for v, free in parts)


@pytest.mark.parametrize("of_repeats", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("sizes", [UNEVEN, (3,) * 12, (30, 2, 1, 4, 3)])
def test_repeats_in_groups_have_groups_in_the_place_of_topics(
    sizes: tuple[int, ...], of_repeats: float
) -> None:
    values = some_table(4, sum(sizes), 4, of_repeats, 0.3)
    values += np.repeat(np.random.default_rng(0).normal(0, 0.2, len(sizes)), sizes)[:, None]
    matrix = matrix_in_repeats([values], groups_of(sizes))
    assert mean_se_df(sample_of(matrix)) == pytest.approx(over_groups(sizes, values), rel=1e-9)
    alike = matrix_in_repeats([values], groups_of(sizes, equal=True))
    means = np.array([own.mean(axis=0) for own in split(values, sizes)])
    assert mean_se_df(sample_of(alike)) == pytest.approx(two_way(means), rel=1e-9)


def test_singletons_in_repeats_are_topics_in_repeats() -> None:
    values = some_table(0, 15, 4)
    one, two = (
        sample_of(matrix_in_repeats([values], groups)) for groups in (None, groups_of((1,) * 15))
    )
    assert mean_se_df(one) == pytest.approx(mean_se_df(two), rel=1e-12)


# Promises


def test_one_repeat_gives_the_plain_t_and_the_plain_paired_t() -> None:
    one, other = (some_scores(seed, (1,) * 25)[:, None] for seed in (0, 1))
    matrix = matrix_in_repeats([one, other])
    found = estimated(sample_of(matrix), levels=[0.9])
    wanted = stats.ttest_1samp(one[:, 0], 0).confidence_interval(0.9)
    assert t_ends(found) == pytest.approx((wanted.low, wanted.high), rel=PRECISION)
    test = stats.ttest_rel(one[:, 0], other[:, 0])
    wanted = test.confidence_interval(0.9)
    for paired_repeats in (False, True):
        paired = paired_of(matrix, Pairs.all(2), paired_repeats=paired_repeats)
        ends = t_ends(estimated(paired.sample, levels=[0.9]))
        assert ends == pytest.approx((wanted.low, wanted.high), rel=PRECISION)
        p = all_tests()["t"].p(paired, Drawing(1, 0), no_progress)
        assert p[0] == pytest.approx(test.pvalue, rel=PRECISION)
        assert paired.sample.repeat_share.tolist() == [0]


def test_repeats_that_differ_less_than_chance_add_nothing() -> None:
    """Each topic has its scores in another order, so that all repeats have nearly one mean."""
    random = np.random.default_rng(0)
    rolled = np.stack([np.roll([0.0, 0.1, 0.4], topic) for topic in range(21)])
    values = random.random((21, 1)) + rolled
    _, of_repeats, left = mean_squares(values)
    assert of_repeats < 1e-6 * left
    sample = sample_of(matrix_in_repeats([values]))
    plain = Sample(values.mean(axis=1)[:, None])
    assert mean_se_df(sample) == pytest.approx(mean_se_df(plain), rel=1e-12)
    assert sample.repeat_share.tolist() == [0]
    beside = some_table(1, 21, 3, 0.3)  # the other run adds its own nevertheless
    difference = paired_of(matrix_in_repeats([values, beside]), Pairs.all(2)).sample
    assert mean_se_df(difference) == pytest.approx(two_way(values, beside), rel=1e-9)
    assert difference.repeat_share[0] > 0.1


def test_repeats_that_are_all_the_same_add_nothing() -> None:
    values = np.repeat(some_scores(0, (1,) * 12)[:, None], 5, axis=1)
    sample = sample_of(matrix_in_repeats([values]))
    assert mean_se_df(sample) == pytest.approx(mean_se_df(Sample(values[:, :1])), rel=1e-12)


def test_many_topics_leave_the_variance_of_repeats() -> None:
    """Of very many topics, it is the t interval of the repeats' means; of few, that of topics."""
    values = some_table(1, 20_000, 4, 0.1)
    sample = sample_of(matrix_in_repeats([values]))
    assert sample.df[0] == pytest.approx(3, rel=0.01)
    assert sample.se[0] == pytest.approx(stats.sem(values.mean(axis=0)), rel=0.01)
    assert sample.repeat_share[0] == pytest.approx(1, abs=0.01)
    few = sample_of(matrix_in_repeats([some_table(1, 10, 4, 0.001, 0.001)]))
    assert few.df[0] == pytest.approx(9, rel=0.01)
    assert few.repeat_share[0] < 0.01


@pytest.mark.parametrize("strata", [(), (7, 13)])
def test_the_order_of_topics_and_repeats_does_not_matter(strata: tuple[int, ...]) -> None:
    one, other = some_table(0, 20, 4), some_table(1, 20, 3)
    usual = paired_of(matrix_in_repeats([one, other], strata=strata), Pairs.all(2)).sample
    random = np.random.default_rng(0)
    order = np.concatenate([random.permutation(7), 7 + random.permutation(13)])
    moved = [own[order][:, random.permutation(own.shape[1])] for own in (one, other)]
    found = paired_of(matrix_in_repeats(moved, strata=strata), Pairs.all(2)).sample
    assert mean_se_df(found) == pytest.approx(mean_se_df(usual), rel=1e-12)


@settings(max_examples=60)
@given(
    st.integers(2, 9), st.integers(1, 5), st.integers(0, 10_000),
    st.integers(-40, 40).map(lambda n: n / 4), st.integers(1, 400).map(lambda n: n / 16),
    st.sampled_from([-1.0, 1.0]),
)  # fmt: skip
def test_intervals_are_shifted_and_scaled_with_the_scores(
    topics: int, repeats: int, seed: int, shift: float, factor: float, sign: float
) -> None:
    values = some_table(seed, topics, repeats)
    usual, moved = (
        sample_of(matrix_in_repeats([own])) for own in (values, shift + sign * factor * values)
    )
    mean, se, df = mean_se_df(usual)
    wanted = (shift + sign * factor * mean, factor * se, df)
    assert mean_se_df(moved) == pytest.approx(wanted, rel=1e-7, abs=1e-9)
    assert moved.repeat_share == pytest.approx(usual.repeat_share, rel=1e-6, abs=1e-9)
    assert 0 <= moved.repeat_share[0] <= 1
    assert moved.df[0] <= (topics - 1) * max(1, repeats) + 1e-9


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_very_small_and_large_scores_have_the_same_df(factor: float) -> None:
    values = some_table(0, 20, 4)
    usual, moved = (sample_of(matrix_in_repeats([own])) for own in (values, factor * values))
    assert moved.df == pytest.approx(usual.df, rel=1e-9)
    assert moved.se == pytest.approx(factor * usual.se, rel=1e-9)


def test_what_stands_beside_a_run_does_not_change_a_bit_of_it() -> None:
    tables = [some_table(seed, 20, 2 + seed % 4) for seed in range(9)]
    together = sample_of(matrix_in_repeats(tables))
    for place in (0, 3, 8):
        alone = sample_of(matrix_in_repeats([tables[place]]))
        assert mean_se_df(alone) == mean_se_df(together, place)
    pairs = paired_of(matrix_in_repeats(tables), Pairs.all(9)).sample
    alone = paired_of(matrix_in_repeats([tables[2], tables[5]]), Pairs.all(2)).sample
    of = list(itertools.combinations(range(9), 2)).index((2, 5))
    assert mean_se_df(alone) == mean_se_df(pairs, of)


def test_runs_and_their_repeats_are_put_in_order_together() -> None:
    tables = [some_table(seed, 20, 2 + seed) - seed / 4 for seed in range(4)]
    matrix = matrix_in_repeats(tables)
    order = [2, 0, 3, 1]
    found = sample_of(matrix.ordered(order))
    for place, run in enumerate(order):
        assert mean_se_df(found, place) == pytest.approx(two_way(tables[run]), rel=1e-9)
    assert matrix.ordered(order).repeats.numbers == (4, 2, 5, 3)


def test_columns_of_a_sample_keep_what_repeats_add() -> None:
    sample = sample_of(matrix_in_repeats([some_table(seed, 20, 3) for seed in range(5)]))
    assert sample.repeats is not None
    some = sample.columns(np.array([3, 1]))
    assert mean_se_df(some) == mean_se_df(sample, 3)
    assert mean_se_df(some, 1) == mean_se_df(sample, 1)
    parts = [sample.repeats.columns(slice(0, 2)), sample.repeats.columns(slice(2, 5))]
    joined = RepeatVariance.beside(parts)
    for name in ("added", "root", "fewest"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(sample.repeats, name))


@pytest.mark.parametrize(("numbers", "doubt"), [((1, 3), Doubt.ONE_REPEAT), ((2, 5),
                         Doubt.FEW_REPEATS), ((3, 5), Doubt.NONE)])  # fmt: skip
def test_few_repeats_are_a_doubt(numbers: tuple[int, int], doubt: Doubt) -> None:
    random = np.random.default_rng(0)
    tables = [random.normal(0, 1, (40, number)) for number in numbers]
    matrix = matrix_in_repeats(tables)
    found = estimated(sample_of(matrix))
    assert found.doubts["t"].tolist() == [[doubt, Doubt.NONE]]
    assert estimated(paired_of(matrix, Pairs.all(2)).sample).doubts["t"].tolist() == [[doubt]]
    wanted = two_way(*tables)
    assert mean_se_df(paired_of(matrix, Pairs.all(2)).sample) == pytest.approx(wanted, rel=1e-9)


def test_repeats_that_differ_on_topics_that_do_not_have_an_interval() -> None:
    """Every topic has the same mean over repeats, but a repeat is good or bad on all of them."""
    values = np.tile([0.0, 1.0, 1.0, 0.0, 1.0], (20, 1))
    sample = sample_of(matrix_in_repeats([values]))
    mean, se = 0.6, stats.sem([0, 1, 1, 0, 1])
    assert mean_se_df(sample) == pytest.approx((mean, se, 4))
    half = stats.t.ppf(0.975, 4) * se
    found = estimated(sample)
    assert t_ends(found) == pytest.approx((mean - half, mean + half))
    assert not found.doubts["t"][0, 0] & Doubt.NO_VARIANCE


# Many pairs at once


def test_simultaneous_intervals_are_bonferronis_with_the_df_of_each_pair() -> None:
    tables = [some_table(seed, 25, 2 + seed, 0.05) + seed / 5 for seed in range(4)]
    matrix = matrix_in_repeats(tables)
    assert not rows_can_be_resampled(matrix)
    paired = paired_of(matrix, Pairs.all(4))
    found = comparison.compare_paired(
        paired,
        Estimation(("t",), (0.9, 0.99), workers=ALONE),
        comparison.Testing(correction="bonferroni", simultaneous=True, by_bonferroni=True),
    )
    limits = found.limits[BONFERRONI_T]
    assert found.adjusted is not None
    for place, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        mean, se, df = two_way(tables[a], tables[b])
        for row, level in enumerate((0.9, 0.99)):
            half = stats.t.ppf(1 - (1 - level) / 12, df) * se
            ends = (limits.low[row, place], limits.high[row, place])
            assert ends == pytest.approx((mean - half, mean + half), rel=PRECISION)
        p = 2 * stats.t.sf(abs(mean) / se, df)
        assert found.p["t"][place] == pytest.approx(p, rel=10 * PRECISION)
        assert found.adjusted[place] == pytest.approx(min(1, 6 * p), rel=10 * PRECISION)


def test_rank_sets_are_those_of_bonferronis_t() -> None:
    """Of all pairs for all sets at once, of a run's own for its own."""
    runs, told = 5, np.zeros(2, int)
    for seed, level in itertools.product(range(15), (0.8, 0.95)):
        tables = [some_table(100 * seed + run, 30, 3, 0.05, 0.2) * 0.5 + run / 15
                  for run in range(runs)]  # fmt: skip
        ranking = rank_by_t(paired_of(matrix_in_repeats(tables), Pairs.all(runs)), level)
        joint, own = np.zeros((2, runs, runs), dtype=bool)
        for a, b in itertools.permutations(range(runs), 2):
            mean, se, df = two_way(tables[a], tables[b])
            p = 2 * stats.t.sf(mean / se, df)
            joint[a, b], own[a, b] = 10 * p <= 1 - level, 4 * p <= 1 - level
        told += [joint.sum(), own.sum()]
        np.testing.assert_array_equal(ranking.better, joint)
        assert ranking.low.tolist() == (1 + joint.sum(axis=0)).tolist()
        assert ranking.high.tolist() == (runs - joint.sum(axis=1)).tolist()
        assert ranking.own_low.tolist() == (1 + own.sum(axis=0)).tolist()
        assert ranking.own_high.tolist() == (runs - own.sum(axis=1)).tolist()
    assert 0 < told[0] < told[1] < 15 * 2 * 10
