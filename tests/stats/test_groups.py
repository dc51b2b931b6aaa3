"""Samples of groups of topics: against R, statsmodels, scipy and longhand; and their promises."""

import csv
import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import ALONE, Local
from confint_cli.common.progress import no_progress
from confint_cli.scores.design import PLAIN, Design, Groups, Repeats
from confint_cli.scores.scores import Collections, Matrix, Scores
from confint_cli.stats import bootstrap
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.matrices import design_effects, design_effects_of_pairs, paired_of
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.ranking import rank_by_t, rank_runs
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance import tests as all_tests
from confint_cli.stats.simultaneous import MaxT, max_t
from tests.conftest import ROOT
from tests.stats.longhand_collections import weights as weights_of_collections
from tests.stats.test_simultaneous import at
from tests.versions import T_ERROR

REFERENCE = ROOT / "tests" / "reference"
ALL = ("t", "percentile", "basic", "bca", "bootstrap-t")
PRECISION = max(1e-9, T_ERROR)
UNEVEN = (3, 1, 12, 2, 7, 4, 1, 9, 5, 2, 6, 3)


# Scores in groups, in the few lines that anybody would write


def groups_of(sizes: Sequence[int], *, equal: bool = False) -> Groups:
    """Groups of these sizes, whose topics follow one another."""
    names = tuple(f"g{place}" for place in range(len(sizes)))
    return Groups(names, np.repeat(np.arange(len(sizes)), sizes), equal=equal)


def matrix_of(
    values: np.ndarray,
    groups: Groups | None = None,
    strata: tuple[int, ...] = (),
    repeats: Repeats | None = None,
) -> Matrix:
    """Of [topic, run], in groups if there are any; `strata` are topics of each collection."""
    matrix = Matrix(
        "map",
        tuple(map(str, range(len(values)))),
        tuple(f"r{run}" for run in range(values.shape[1])),
        values,
        np.zeros(values.shape, dtype=bool),
        design=Design(strata) if strata else PLAIN,
        repeats=repeats,
    )
    return matrix if groups is None else matrix.in_groups(groups)


def sample_of(values: np.ndarray, sizes: Sequence[int], *, equal: bool = False) -> Sample:
    """Of [topic] or [topic, column], in groups of these sizes."""
    columns = values[:, None] if values.ndim == 1 else values
    matrix = matrix_of(columns, groups_of(sizes, equal=equal))
    return Sample(matrix.values, design=matrix.design)


def estimated(
    sample: Sample,
    methods: Sequence[str] = ("t",),
    levels: Sequence[float] = (0.95,),
    resamples: int | None = None,
    seed: int = 0,
) -> Estimate:
    return estimate(
        sample, Estimation(tuple(methods), tuple(levels), resamples, seed, workers=ALONE)
    )


def t_ends(found: Estimate, column: int = 0, level: int = 0) -> tuple[float, float]:
    limits = found.limits["t"]
    return limits.low[level, column], limits.high[level, column]


def split(values: np.ndarray, sizes: Sequence[int]) -> list[np.ndarray]:
    return np.split(values, np.cumsum(sizes)[:-1])


def cr2(values: np.ndarray, sizes: Sequence[int]) -> tuple[float, float, float]:
    """Mean, se and df after Bell and McCaffrey for any linear model, here that of a mean.

    Residuals of a group are multiplied by the inverse root of its block of I - H. The variance is
    then a quadratic form in the scores, and its df are those of its eigenvalues if scores are
    independent with one variance.
    """
    number = len(values)
    off = np.eye(number) - np.full((number, number), 1 / number)  # I - H
    forms = []
    for rows in np.split(np.arange(number), np.cumsum(sizes)[:-1]):
        eigenvalues, vectors = np.linalg.eigh(off[np.ix_(rows, rows)])
        root = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        forms.append(root.sum(axis=0) @ off[rows] / number)  # one number of all scores
    form = np.array(forms)  # [group, topic]
    eigenvalues = np.linalg.eigvalsh(form @ form.T)
    df = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    return float(values.mean()), float(np.sqrt(((form @ values) ** 2).sum())), float(df)


def in_collections(
    parts: Sequence[tuple[np.ndarray, Sequence[int]]],
) -> tuple[float, float, float]:
    """Mean of the collections' means, its se and df: CR2 of each, then Satterthwaite."""
    each = [cr2(values, sizes) for values, sizes in parts]
    v = [(se / len(parts)) ** 2 for _, se, _ in each]
    below = sum(own**2 / df for own, (_, _, df) in zip(v, each, strict=True))
    return float(np.mean([mean for mean, _, _ in each])), math.sqrt(sum(v)), sum(v) ** 2 / below


def macro_of(parts: Sequence[tuple[np.ndarray, Sequence[int]]], *, equal: bool = False) -> Matrix:
    """Groups [topic, run] with their sizes in each collection, as one matrix."""
    topics = tuple(len(values) for values, _ in parts)
    values = np.concatenate([values for values, _ in parts])
    sizes = [size for _, sizes in parts for size in sizes]
    own = weights_of_collections(topics)[:, None]
    return matrix_of(values * own, groups_of(sizes, equal=equal), topics)


def some_scores(seed: int, sizes: Sequence[int], kind: str = "skewed") -> np.ndarray:
    """Made-up scores of topics that are alike within their groups, [topic]."""
    random = np.random.default_rng(seed)
    number, topics = len(sizes), sum(sizes)
    if kind == "normal":
        return np.repeat(random.normal(0.4, 0.2, number), sizes) + random.normal(0, 0.2, topics)
    centre = np.repeat(random.beta(1, 2, number).clip(0.02, 0.98), sizes)
    if kind == "skewed":
        return random.beta(0.5, 0.5 * (1 - centre) / centre)
    if kind == "zeros":
        return random.beta(2, 2, topics) * (random.random(topics) < centre)
    if kind == "tenths":
        return random.binomial(10, centre) / 10
    assert kind == "0 and 1"
    return (random.random(topics) < centre).astype(float)


# References


def table(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def reference_rows(*quantities: str) -> list[dict[str, str]]:
    """The rows of designs.tsv of these quantities."""
    return [row for row in table("designs.tsv") if row["quantity"] in quantities]


def reference_scores(case: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scores [topic, run, repeat] of runs a and b; group and collection of each topic."""
    rows = [row for row in table("designs_scores.tsv") if row["case"] == case]
    topics = list(dict.fromkeys(row["topic"] for row in rows))
    repeats = list(dict.fromkeys(row["repeat"] for row in rows))
    scores = np.full((len(topics), 2, len(repeats)), np.nan)
    group, collection = np.empty((2, len(topics)), int)
    for row in rows:
        topic = topics.index(row["topic"])
        scores[topic, "ab".index(row["run"]), repeats.index(row["repeat"])] = float(row["score"])
        group[topic], collection[topic] = int(row["group"]) - 1, int(row["collection"]) - 1
    assert not np.isnan(scores).any()
    return scores, group, collection


def reference_matrix(case: str, of: str, *, equal: bool = False) -> Matrix:
    """The differences a - b, or the scores of a, of a case without repeats, in groups."""
    scores, group, collection = reference_scores(case)
    values = scores[:, [0], 0] - (scores[:, [1], 0] if of == "difference" else 0)
    strata = tuple(np.bincount(collection).tolist())
    groups = Groups(tuple(map(str, range(group.max() + 1))), group, equal=equal)
    if len(strata) == 1:
        return matrix_of(values, groups)
    return matrix_of(values * weights_of_collections(strata)[:, None], groups, strata)


GROUP_CASES = ("even", "uneven", "huge", "three", "collections")


@pytest.mark.parametrize("case", GROUP_CASES)
@pytest.mark.parametrize("quantity", ["cr2", "equal"])
def test_mean_se_df_limits_and_p_are_what_r_says(case: str, quantity: str) -> None:
    """By clubSandwich and, if groups count alike, t.test."""
    rows = [row for row in reference_rows(quantity) if row["case"] == case]
    assert len(rows) == (0 if (case, quantity) == ("collections", "equal") else 4)
    for row in rows:
        matrix = reference_matrix(case, row["of"], equal=quantity == "equal")
        found = estimated(Sample(matrix.values, design=matrix.design), levels=[float(row["level"])])
        ours = [found.mean[0], found.se[0], found.df[0], *t_ends(found)]
        wanted = [float(row[name]) for name in ("estimate", "se", "df", "low", "high")]
        assert ours == pytest.approx(wanted, rel=PRECISION)
        beside_nothing = np.hstack([matrix.values, np.zeros_like(matrix.values)])
        paired = Paired(beside_nothing, Pairs.all(2), matrix.design)
        p = all_tests()["t"].p(paired, Drawing(1, 0), no_progress)
        assert p[0] == pytest.approx(float(row["p"]), rel=PRECISION)


@pytest.mark.parametrize("case", GROUP_CASES)
def test_pairs_of_runs_by_way_of_scores_have_the_numbers_of_r(case: str) -> None:
    """Scores of both runs, weighted for the mean of the collections' means where there are any."""
    rows = {row["of"]: row for row in reference_rows("cr2") if row["case"] == case}
    values, group, collection = reference_scores(case)
    sizes = tuple(np.bincount(collection).tolist())
    scores = Scores(
        values,
        tuple(map(str, range(len(values)))),
        ("a", "b"),
        ("map",),
        np.zeros(values.shape, dtype=bool),
        groups=Groups(tuple(map(str, range(group.max() + 1))), group),
    )
    if len(sizes) > 1:
        names = tuple(f"c{place}" for place in range(len(sizes)))
        scores = Scores(**{**vars(scores), "collections": Collections(names, sizes)}).macro()
    matrix = scores.matrix("map")
    difference = paired_of(matrix, Pairs.all(2)).sample
    run = Sample(matrix.values[:, :1], design=matrix.design)
    for of, sample in (("difference", difference), ("a", run)):
        wanted = [float(rows[of][name]) for name in ("estimate", "se", "df")]
        assert [sample.mean[0], sample.se[0], sample.df[0]] == pytest.approx(wanted, rel=1e-9)


def test_standard_errors_are_those_of_statsmodels() -> None:
    """Ours of groups of one size; of others, that of the bootstrap, which is CR1's as theirs is."""
    rows = [row for row in table("designs_statsmodels.tsv") if row["se"]]
    assert len(rows) == 8
    for row in rows:
        matrix = reference_matrix(row["case"], row["of"])
        sample = Sample(matrix.values, design=matrix.design)
        if row["case"] == "even":
            assert matrix.design.sizes is None
            assert sample.se[0] == pytest.approx(float(row["se"]), rel=1e-9)
            continue
        assert matrix.design.sizes is not None
        groups = bootstrap.Groups(sample.shares, matrix.design.sizes)
        number = len(matrix.values)
        total, weight, squares = groups.sums(np.ones((number, 1)))
        assert total[0, 0] == pytest.approx(0, abs=1e-9)
        se = np.sqrt(number / (number - 1) * squares[0, 0]) / weight[0] * sample.unit[0]
        assert se == pytest.approx(float(row["se"]), rel=1e-9)
        assert sample.se[0] > se * 1.01


# Longhand


SHAPES = [UNEVEN, (4,) * 8, (2, 9, 5), (40, 3, 2, 4, 1, 5, 3), (1, 1), (1, 30), (7,) * 2 + (1,) * 9]


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths", "0 and 1", "normal"])
@pytest.mark.parametrize("sizes", SHAPES, ids=map(str, range(len(SHAPES))))
def test_mean_se_and_df_are_those_of_bell_and_mccaffrey(kind: str, sizes: tuple[int, ...]) -> None:
    values = some_scores(len(sizes), sizes, kind)
    values[0] += 0.05  # two topics may be equal
    found = estimated(sample_of(values, sizes), levels=[0.8, 0.999])
    mean, se, df = cr2(values, sizes)
    assert (found.mean[0], found.se[0], found.df[0]) == pytest.approx((mean, se, df), rel=1e-9)
    for place, level in enumerate((0.8, 0.999)):
        half = stats.t.ppf((1 + level) / 2, df) * se
        assert t_ends(found, level=place) == pytest.approx((mean - half, mean + half), rel=1e-8)


@settings(max_examples=100)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=9), st.integers(0, 10_000))
def test_se_and_df_are_those_of_bell_and_mccaffrey_whatever_the_sizes(
    sizes: list[int], seed: int
) -> None:
    values = np.random.default_rng(seed).random(sum(sizes))
    sample = sample_of(values, sizes)
    ours = (sample.mean[0], sample.se[0], sample.df[0])
    assert ours == pytest.approx(cr2(values, sizes), rel=1e-7)
    assert sample.df[0] <= len(sizes) - 1 + 1e-9  # the most there is, of groups of one size


def test_the_variance_is_unbiased_if_topics_are_independent() -> None:
    """What CR2 is made for: of independent normal scores, se² is σ²/M on average."""
    random, sizes, number = np.random.default_rng(0), (1, 2, 3, 5, 20), 20_000
    values = random.normal(0.3, 0.2, (sum(sizes), number))
    squares = sample_of(values, sizes).se ** 2
    error = squares.std() / math.sqrt(number)
    assert squares.mean() == pytest.approx(0.04 / sum(sizes), abs=4 * error)
    # Satterthwaite: as variable as χ² of so many degrees of freedom, over them.
    _, _, df = cr2(values[:, 0], sizes)
    assert squares.var() / squares.mean() ** 2 == pytest.approx(2 / df, rel=0.06)


@pytest.mark.parametrize("kind", ["skewed", "tenths", "normal"])
@pytest.mark.parametrize("equal", [False, True], ids=["size", "equal"])
def test_singletons_give_the_plain_t_interval(kind: str, equal: bool) -> None:
    values = some_scores(3, (1,) * 23, kind)
    found, plain = (
        estimated(each, ALL, [0.8, 0.95], 399, 2)
        for each in (sample_of(values, (1,) * 23, equal=equal), Sample(values[:, None]))
    )
    for name in ALL:
        for end in ("low", "high", "low_error", "high_error"):
            ours, wanted = (getattr(each.limits[name], end) for each in (found, plain))
            np.testing.assert_allclose(ours, wanted, rtol=1e-12, atol=1e-15)
    test = stats.ttest_1samp(values, 0).confidence_interval(0.8)
    assert t_ends(found) == pytest.approx((test.low, test.high), rel=PRECISION)
    assert (found.df[0], found.se[0]) == (22, pytest.approx(stats.sem(values)))


@pytest.mark.parametrize("kind", ["skewed", "tenths", "normal"])
@pytest.mark.parametrize(("number", "size"), [(8, 4), (2, 9), (30, 2)])
def test_groups_of_one_size_give_the_t_interval_of_their_means(
    kind: str, number: int, size: int
) -> None:
    values = some_scores(1, (size,) * number, kind)
    means = values.reshape(number, size).mean(axis=1)
    for equal in (False, True):
        found = estimated(sample_of(values, (size,) * number, equal=equal), levels=[0.9])
        wanted = stats.ttest_1samp(means, 0).confidence_interval(0.9)
        assert t_ends(found) == pytest.approx((wanted.low, wanted.high), rel=PRECISION, abs=1e-12)
        assert found.df[0] == number - 1


@pytest.mark.parametrize("sizes", SHAPES[:4] + SHAPES[6:], ids=map(str, range(5)))
def test_groups_that_count_alike_give_the_t_interval_of_their_means(sizes: tuple[int, ...]) -> None:
    values = some_scores(2, sizes)
    means = np.array([own.mean() for own in split(values, sizes)])
    found = estimated(sample_of(values, sizes, equal=True), ALL, [0.9], 199)
    plain = estimated(Sample(means[:, None]), ALL, [0.9], 199)
    wanted = stats.ttest_1samp(means, 0).confidence_interval(0.9)
    assert t_ends(found) == pytest.approx((wanted.low, wanted.high), rel=PRECISION)
    for name in ALL:
        for end in ("low", "high"):
            ours, others = (getattr(each.limits[name], end)[0, 0] for each in (found, plain))
            assert ours == pytest.approx(others, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("equal", [False, True], ids=["size", "equal"])
def test_groups_in_collections_add_up_after_satterthwaite(equal: bool) -> None:
    """se² is the sum of the collections' variances over K²: CR2's, or those of groups' means."""
    random = np.random.default_rng(4)
    sizes = [(4, 1, 2, 9, 3), (2,) * 6, (6, 1, 3, 8, 2, 4, 1), (1,) * 11]
    parts = [(random.beta(0.7, 2, (sum(own), 3)) + np.repeat(random.normal(0, 0.2, len(own)), own)
              [:, None], own) for own in sizes]  # fmt: skip
    matrix = macro_of(parts, equal=equal)
    assert matrix.design.strata == (5, 6, 7, 11)
    sample = Sample(matrix.values, design=matrix.design)
    for run in range(3):
        one = [(values[:, run], own) for values, own in parts]
        if equal:
            one = [
                (np.array([g.mean() for g in split(values, own)]), (1,) * len(own))
                for values, own in one
            ]
        wanted = in_collections(one)
        assert (sample.mean[run], sample.se[run], sample.df[run]) == pytest.approx(wanted, rel=1e-9)


def test_groups_may_have_one_size_in_each_collection_and_others_in_others() -> None:
    """Then each collection has the t variance of its groups' means."""
    random = np.random.default_rng(5)
    parts = [(random.random(4 * 6), (4,) * 6), (random.random(9 * 2), (2,) * 9)]
    matrix = macro_of([(values[:, None], sizes) for values, sizes in parts])
    sample = Sample(matrix.values, design=matrix.design)
    v = [np.var([g.mean() for g in split(*part)], ddof=1) / len(part[1]) / 4 for part in parts]
    df = sum(v) ** 2 / (v[0] ** 2 / 5 + v[1] ** 2 / 8)
    assert (sample.se[0] ** 2, sample.df[0]) == pytest.approx((sum(v), df), rel=1e-9)


# Promises


@pytest.mark.parametrize("equal", [False, True], ids=["size", "equal"])
def test_the_order_of_topics_and_groups_does_not_matter(equal: bool) -> None:
    """Topics of a group need not follow one another, and are found wherever they stand."""
    values = np.stack([some_scores(seed, UNEVEN) for seed in range(3)], axis=1)
    usual = groups_of(UNEVEN, equal=equal)
    first = matrix_of(values, usual)
    expected = estimated(Sample(first.values, design=first.design), ALL[:4], [0.9])
    for seed in range(3):
        random = np.random.default_rng(seed)
        order, names = random.permutation(len(values)), random.permutation(len(UNEVEN))
        other = Groups(usual.names, names[usual.codes][order], equal=equal)
        matrix = matrix_of(values[order], other)
        found = estimated(Sample(matrix.values, design=matrix.design), ALL[:4], [0.9])
        np.testing.assert_allclose(found.se, expected.se, rtol=1e-12)
        np.testing.assert_allclose(found.df, expected.df, rtol=1e-12)
        for name in ALL[:4]:
            for end in ("low", "high"):
                ours, wanted = (getattr(each.limits[name], end) for each in (found, expected))
                np.testing.assert_allclose(ours, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("resamples", [None, 199])
def test_what_stands_beside_a_column_does_not_change_a_bit_of_it(resamples: int | None) -> None:
    number = 8 if resamples is None else 40
    columns = np.stack([some_scores(seed, UNEVEN, "tenths") for seed in range(number)], axis=1)
    names = ALL if resamples else ALL[:4]
    together = estimated(sample_of(columns, UNEVEN), names, [0.95], resamples)
    for place in (0, 1, number - 1):
        alone = estimated(sample_of(columns[:, [place]], UNEVEN), names, [0.95], resamples)
        assert (alone.se[0], alone.df[0]) == (together.se[place], together.df[place])
        for name in names:
            assert alone.limits[name].low[0, 0] == together.limits[name].low[0, place]
            assert alone.limits[name].high[0, 0] == together.limits[name].high[0, place]


SIZED = st.lists(
    st.lists(st.integers(0, 1000), min_size=1, max_size=6), min_size=2, max_size=7
).map(lambda whole: ([n / 1000 for own in whole for n in own], [len(own) for own in whole]))


@settings(max_examples=100)
@given(
    SIZED, st.integers(-40, 40).map(lambda n: n / 4), st.integers(1, 400).map(lambda n: n / 16),
    st.booleans(), st.sampled_from([None, 39]),
)  # fmt: skip
def test_intervals_are_shifted_and_scaled_with_the_scores(
    scores: tuple[list[float], list[int]],
    shift: float,
    factor: float,
    turned: bool,
    resamples: int | None,
) -> None:
    values, sizes = np.array(scores[0]), scores[1]
    assume(np.ptp([own.mean() for own in split(values, sizes)]) > 1e-6)
    factor = -factor if turned else factor
    names = ("t", "percentile", "bca")
    usual, moved = (
        estimated(sample_of(own, sizes), names, [0.9], resamples)
        for own in (values, shift + factor * values)
    )
    assert moved.mean[0] == pytest.approx(shift + factor * usual.mean[0], abs=1e-9)
    assert moved.se[0] == pytest.approx(abs(factor) * usual.se[0], rel=1e-7)
    assert moved.df[0] == pytest.approx(usual.df[0], rel=1e-9)
    own = usual.limits["t"]
    ends = sorted(shift + factor * end[0, 0] for end in (own.low, own.high))
    assert t_ends(moved) == pytest.approx(ends, abs=1e-6 * moved.se[0] + 1e-9)
    # Turned round, a quantile that lies between two sums may fall on the other one.
    for name in () if turned else names[1:]:
        own = usual.limits[name]
        ends = [shift + factor * end[0, 0] for end in (own.low, own.high)]
        found = [moved.limits[name].low[0, 0], moved.limits[name].high[0, 0]]
        assert found == pytest.approx(ends, abs=1e-3 * moved.se[0] + 1e-9), name


@pytest.mark.parametrize("resamples", [None, 199])
def test_groups_with_equal_means_give_a_point(resamples: int | None) -> None:
    sizes = (3, 1, 5, 2)
    values = np.concatenate([0.3 + 0.05 * (np.arange(own) - (own - 1) / 2) for own in sizes])
    found = estimated(sample_of(values, sizes), ALL, [0.9, 0.99], resamples)
    assert found.se.tolist() == [0]
    for name in ALL:
        assert found.limits[name].low == pytest.approx(0.3)
        assert (found.limits[name].low == found.limits[name].high).all()
        assert ((found.doubts[name] & Doubt.NO_VARIANCE) > 0).all()


def test_one_group_leaves_no_interval() -> None:
    found = estimated(sample_of(np.array([0.1, 0.5, 0.4]), (3,)), ALL)
    assert found.mean[0] == pytest.approx(1 / 3)
    assert np.isnan(found.se[0])
    for name in ALL:
        assert np.isnan(found.limits[name].low).all()
        assert found.doubts[name].tolist() == [[Doubt.ONE_TOPIC]]


def test_groups_are_few_where_degrees_of_freedom_are() -> None:
    """Nine groups, one of which has nearly all topics, have no more to say than two or three."""
    for sizes, few in (((4,) * 5, True), ((4,) * 6, False), ((80, *(2,) * 8), True),
                       ((8, *(2,) * 11), False), (UNEVEN, False)):  # fmt: skip
        found = estimated(sample_of(some_scores(1, sizes, "normal"), sizes))
        assert bool(found.doubts["t"][0, 0] & Doubt.FEW_GROUPS) == few == (found.df[0] < 5)
        assert not found.doubts["t"][0, 0] & Doubt.FEW_TOPICS


def test_the_design_effect_is_the_ratio_of_both_variances() -> None:
    values = np.stack([some_scores(seed, UNEVEN) for seed in range(3)], axis=1)
    matrix = matrix_of(values, groups_of(UNEVEN))
    topics = len(values)
    wanted = [cr2(own, UNEVEN)[1] ** 2 / (own.var(ddof=1) / topics) for own in values.T]
    assert design_effects(matrix) == pytest.approx(wanted)
    pairs = [values[:, a] - values[:, b] for a, b in itertools.combinations(range(3), 2)]
    wanted = [cr2(own, UNEVEN)[1] ** 2 / (own.var(ddof=1) / topics) for own in pairs]
    assert design_effects_of_pairs(matrix, Pairs.all(3)) == pytest.approx(wanted)
    assert np.isnan(design_effects(matrix_of(values))).all()


def test_topics_that_are_copies_of_one_another_count_once() -> None:
    """Each topic written m times: the interval is that of the topics, the effect nearly m."""
    once = some_scores(2, (1,) * 25)
    copies = np.repeat(once, 4)
    found, plain = estimated(sample_of(copies, (4,) * 25)), estimated(Sample(once[:, None]))
    assert t_ends(found) == pytest.approx(t_ends(plain), rel=1e-9)
    matrix = matrix_of(copies[:, None], groups_of((4,) * 25))
    assert design_effects(matrix)[0] == pytest.approx(4 * 99 / 96)


# Resamples


def ratio(sums: np.ndarray, sizes: np.ndarray, truth: float) -> tuple[float, float]:
    """Mean of drawn groups, and z* = (m* - m)/se* by CR1."""
    mean, number = sums.sum() / sizes.sum(), len(sums)
    residuals = sums - sizes * mean
    off = mean - truth
    if np.abs(residuals).max() < 1e-12:
        return mean, 0.0 if abs(off) < 1e-12 else math.copysign(math.inf, off)
    se = math.sqrt(number / (number - 1) * (residuals**2).sum()) / sizes.sum()
    return mean, off / se


def intervals_longhand(
    values: np.ndarray, sizes: Sequence[int], level: float, number: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Bootstrap intervals, each resample of groups written out."""
    parts = split(values, sizes)
    mean, se, _ = cr2(values, sizes)
    sums, own_sizes = np.array([own.sum() for own in parts]), np.array(sizes)
    means, ratios = [], []
    for chunk in Resamples(len(sizes), number, seed).counts():
        for counts in chunk:
            drawn = np.repeat(np.arange(len(sizes)), counts.astype(int))
            assert len(drawn) == len(sizes)
            topics = np.concatenate([parts[place] for place in drawn])
            of_groups, z = ratio(sums[drawn], own_sizes[drawn], mean)
            assert of_groups == pytest.approx(topics.mean())
            means.append(topics.mean())
            ratios.append(z)
    alpha = 1 - level
    tail = round((number + 1) * alpha / 2)
    assert tail == pytest.approx((number + 1) * alpha / 2)  # so that nothing is between two values
    m, z = np.sort(means), np.sort(ratios)
    found = {
        "percentile": (m[tail - 1], m[-tail]),
        "basic": (2 * mean - m[-tail], 2 * mean - m[tail - 1]),
        "bootstrap-t": (mean - z[-tail] * se, mean - z[tail - 1] * se),
    }
    below = np.mean((m < mean - 1e-12) + 0.5 * (np.abs(m - mean) <= 1e-12))
    influence = sums - own_sizes * mean
    a = (influence**3).sum() / (influence**2).sum() ** 1.5 / 6
    z0 = stats.norm.ppf(below)
    ends = []
    for normal in stats.norm.ppf([alpha / 2, 1 - alpha / 2]):
        place = (number + 1) * stats.norm.cdf(z0 + (z0 + normal) / (1 - a * (z0 + normal)))
        k = int(place)
        first, second, wanted = stats.norm.ppf(np.array([k, k + 1, place]) / (number + 1))
        share = (wanted - first) / (second - first)
        ends.append(m[k - 1] + share * (m[k] - m[k - 1]))
    return {**found, "bca": (ends[0], ends[1])}


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths", "normal"])
@pytest.mark.parametrize("sizes", [UNEVEN, (4,) * 9, (1, 2, 3, 4, 5, 6, 20, 1, 1, 2)],
                         ids=["uneven", "even", "huge"])  # fmt: skip
def test_bootstrap_intervals_longhand(kind: str, sizes: tuple[int, ...]) -> None:
    values = some_scores(7, sizes, kind)
    expected = intervals_longhand(values, sizes, 0.9, 399, 3)
    found = estimated(sample_of(values, sizes), ALL[1:], [0.9], 399, 3)
    for name, ends in expected.items():
        ours = (found.limits[name].low[0, 0], found.limits[name].high[0, 0])
        assert ours == pytest.approx(ends, rel=1e-9, abs=1e-9), name


# Tests of paired runs


@pytest.mark.parametrize("sizes", [(3, 1, 4, 2, 2, 7), (5,) * 8, (1, 12, 2)])
@pytest.mark.parametrize("digits", [None, 1])
def test_the_randomisation_test_flips_whole_groups_in_all_ways(
    sizes: tuple[int, ...], digits: int | None
) -> None:
    random = np.random.default_rng(sum(sizes))
    values = random.random((sum(sizes), 4)) + np.linspace(0, 0.3, 4)
    values = values if digits is None else np.round(values, digits)
    paired = paired_of(matrix_of(values, groups_of(sizes)), Pairs.all(4))
    found = all_tests()["randomization"].p(paired, Drawing(9999, 0), no_progress)
    for place, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        sums = [own.sum() for own in split(values[:, a] - values[:, b], sizes)]
        observed = abs(sum(sums)) - 1e-12
        ways = [abs(sum(sign * own for sign, own in zip(signs, sums, strict=True))) >= observed
                for signs in itertools.product((1, -1), repeat=len(sizes))]  # fmt: skip
        assert found[place] == np.mean(ways)


def test_many_groups_have_the_randomisation_p_of_own_flips_and_not_that_of_topics() -> None:
    random, number = np.random.default_rng(1), 40_000
    sizes = random.integers(1, 9, 30)
    own = np.repeat(random.normal(0.13, 0.25, 30), sizes) + random.normal(0, 0.1, sizes.sum())
    values = np.stack([own, np.zeros(len(own))], axis=1)
    paired = paired_of(matrix_of(values, groups_of(sizes.tolist())), Pairs.all(2))
    (found,) = all_tests()["randomization"].p(paired, Drawing(number, 0), no_progress)
    sums = np.array([part.sum() for part in split(own, sizes.tolist())])
    signs = np.random.default_rng(2).choice([-1.0, 1.0], (number, 30))
    p = np.mean(np.abs(signs @ sums) >= abs(sums.sum()))
    assert found == pytest.approx(p, abs=5 * np.sqrt(2 * p * (1 - p) / number))
    (alone,) = all_tests()["randomization"].p(
        Paired(values, Pairs.all(2)), Drawing(number, 0), no_progress
    )
    assert alone < found / 3


# Max-T and ranks


def some_runs(
    seed: int, sizes: Sequence[int], runs: int, digits: int | None = None, apart: float = 0.15
) -> np.ndarray:
    """Skewed scores [topic, run]; groups differ in their means, and runs do a little."""
    random = np.random.default_rng(seed)
    common = random.beta(0.6, 1.5, (sum(sizes), 1)) * 0.5
    of_groups = np.repeat(random.exponential(0.1, (len(sizes), runs)), sizes, axis=0)
    scores = common + of_groups + random.beta(0.4, 2, (sum(sizes), runs)) * 0.4
    scores += np.linspace(0, apart, runs)
    return scores if digits is None else np.round(scores, digits)


def sparse_runs(sizes: Sequence[int]) -> np.ndarray:
    """Copies of a run, each changed on the topics of some groups only."""
    random = np.random.default_rng(3)
    values = np.repeat(random.beta(1, 3, (sum(sizes), 1)), 6, axis=1)
    of = np.repeat(np.arange(len(sizes)), sizes)
    for run, changed in enumerate((1, 2, 4, 8, len(sizes))):
        values[:, run] += (of < changed) * random.exponential(0.1, len(of))
    return values


RUNS = {
    "uneven": (some_runs(0, UNEVEN, 4), UNEVEN),
    "even": (some_runs(1, (4,) * 10, 4), (4,) * 10),
    "tenths": (some_runs(2, UNEVEN, 4, digits=1), UNEVEN),
    "huge": (some_runs(3, (30, 1, 2, 3, 1, 2, 4, 2), 4), (30, 1, 2, 3, 1, 2, 4, 2)),
    "sparse": (sparse_runs((2, 3, 4, 1, 5, 2, 2, 3, 1, 6, 2, 2, 4, 3)),
               (2, 3, 4, 1, 5, 2, 2, 3, 1, 6, 2, 2, 4, 3)),
    "large": (1e6 * some_runs(5, UNEVEN, 3), UNEVEN),
}  # fmt: skip


def found_of(
    values: np.ndarray, sizes: Sequence[int], level: float, number: int, seed: int, *,
    strict: bool = False, jobs: int = 1,
) -> MaxT:  # fmt: skip
    matrix = matrix_of(values, groups_of(sizes))
    return max_t(
        matrix.values, Pairs.all(values.shape[1]), level, Drawing(number, seed, Local(jobs)),
        strict=strict, own=True, design=matrix.design,
    )  # fmt: skip


Pair = tuple[int, int]


def slowly(
    values: np.ndarray, sizes: Sequence[int], level: float, number: int, seed: int, *, strict: bool
) -> tuple[dict[Pair, tuple[float, float, float]], dict[Pair, float], float, list[float]]:
    """Return limits and p of each pair, scales, λ, and λ of each run.

    Every resample of groups is written out, with CR1's se* in each. Which pairs are kept is found
    by the same rule as of topics, but on the means of groups.
    """
    groups, runs, unit = len(sizes), values.shape[1], np.abs(values).max()
    own_sizes = np.array(sizes)
    resamples = [
        np.repeat(np.arange(groups), counts.astype(int))
        for chunk in Resamples(groups, number, seed).counts()
        for counts in chunk
    ]
    pairs = list(itertools.combinations(range(runs), 2))
    d = {(a, b): np.round((values[:, a] - values[:, b]) / unit, 12) for a, b in pairs}
    varying = {}
    for pair in pairs:
        means = [own.mean() for own in split(d[pair], sizes)]
        most = max(sum(abs(one - other) < 1e-11 for one in means) for other in means)
        varying[pair] = groups - (most if most > 1 else 0)
    least = next(
        n for n in range(1, groups + 1)
        if sum((1 - own / groups) ** groups for own in varying.values() if own >= n)
        <= (1 - level) / 10 + 1e-12
    )  # fmt: skip
    t, scale = {}, {}
    for pair in pairs:
        if varying[pair] < least:
            continue
        sums = np.array([own.sum() for own in split(d[pair], sizes)])
        mean, _, df = cr2(d[pair], sizes)
        t[pair] = np.abs([ratio(sums[drawn], own_sizes[drawn], mean)[1] for drawn in resamples])
        if math.isfinite(s := max(at(0.99, t[pair]), stats.t.ppf(0.995, df))):
            scale[pair] = 1.0 if strict else s
    on_scale = {pair: t[pair] / s for pair, s in scale.items()}
    nothing = np.zeros(number)
    largest = np.max([nothing, *on_scale.values()], axis=0)
    found = {}
    for pair in pairs:
        found[pair] = (math.nan, math.nan, 1.0)
        if pair in scale:
            mean, se, _ = cr2(d[pair], sizes)
            half = at(level, largest) * scale[pair] * se
            reached = np.count_nonzero(largest >= (1 - 1e-9) * abs(mean) / se / scale[pair])
            found[pair] = ((mean - half) * unit, (mean + half) * unit, (1 + reached) / (1 + number))
    own = [
        at(level, np.max([nothing, *(on_scale[pair] for pair in scale if run in pair)], axis=0))
        for run in range(runs)
    ]
    return found, scale, at(level, largest), own


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
def test_simultaneous_limits_and_p_are_those_of_a_slow_program(kind: str, strict: bool) -> None:
    values, sizes = RUNS[kind]
    level, number = 0.9, 199
    found = found_of(values, sizes, level, number, 4, strict=strict)
    expected, scale, critical, own = slowly(values, sizes, level, number, 4, strict=strict)
    assert found.critical == pytest.approx(critical, rel=1e-6)
    assert found.own == pytest.approx(own, rel=1e-6)
    limits, size = found.limits(), np.abs(values).max()
    for place, (pair, (low, high, p)) in enumerate(expected.items()):
        ends = (limits.low[0, place], limits.high[0, place])
        assert ends == pytest.approx((low, high), abs=1e-9 * size, rel=1e-6, nan_ok=True)
        assert found.p[place] == p
        assert found.scale[place] == pytest.approx(scale.get(pair, np.inf), rel=1e-6)
    assert 0 < len(scale) <= len(expected)
    if kind == "sparse":
        assert len(scale) < len(expected)
        assert found.few_differences.any()


@pytest.mark.parametrize("kind", RUNS)
def test_neither_threads_nor_the_order_of_runs_change_a_bit(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, sizes = RUNS[kind]
    names = ("scale", "scale_error", "se", "p", "largest", "own")

    def bits(found: MaxT) -> list[bytes]:
        return [getattr(found, name).tobytes() for name in names]

    usual = found_of(values, sizes, 0.9, 300, 1)
    assert bits(found_of(values, sizes, 0.9, 300, 1, jobs=3)) == bits(usual)
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.simultaneous._MANY_CELLS", 700)  # two pairs at a time
    monkeypatch.setattr("confint_cli.stats.simultaneous._KEPT_COUNTS", 0)
    assert bits(found_of(values, sizes, 0.9, 300, 1, jobs=2)) == bits(usual)
    backwards = found_of(values[:, ::-1], sizes, 0.9, 300, 1)
    np.testing.assert_allclose(backwards.largest, usual.largest, rtol=1e-9)
    assert sorted(backwards.p) == sorted(usual.p)


def test_groups_vary_whose_means_differ_from_most_and_not_their_sums() -> None:
    """Ten of 14 groups are moved by one amount; (10/14)^14 = .9% of resamples have no others."""
    sizes = (2, 3, 4, 1, 5, 7, 6, 8, 9, 10, 11, 12, 13, 14)
    values = np.repeat(some_scores(0, sizes)[:, None], 2, axis=1)
    values[:, 0] += 0.1 + 0.2 * (np.arange(len(values)) < 10) * some_scores(1, sizes)
    for level, kept in ((0.95, False), (0.9, True)):  # a tenth of α is left for that
        found = found_of(values, sizes, level, 199, 0)
        assert found.unbounded.tolist() == [not kept]
        assert found.differing.tolist() == [14]


def test_singletons_have_the_simultaneous_intervals_of_topics() -> None:
    values = some_runs(6, (1,) * 20, 4)
    usual = max_t(values, Pairs.all(4), 0.9, Drawing(299, 2), own=True)
    found = found_of(values, (1,) * 20, 0.9, 299, 2)
    for name in ("difference", "se", "scale", "largest", "own", "half", "p"):
        np.testing.assert_allclose(getattr(found, name), getattr(usual, name), rtol=1e-9)


def test_of_one_pair_of_normal_differences_max_t_is_about_the_cr2_interval() -> None:
    random = np.random.default_rng(0)
    sizes = random.integers(1, 7, 150).tolist()
    values = np.repeat(random.normal(0, 1, (150, 2)), sizes, axis=0)
    values += random.normal(0, 1, values.shape)
    found = found_of(values, sizes, 0.95, 20_000, 0).limits()
    mean, se, df = cr2(values[:, 0] - values[:, 1], sizes)
    half = stats.t.ppf(0.975, df) * se
    assert found.low[0, 0] == pytest.approx(mean - half, abs=0.05 * half)
    assert found.high[0, 0] == pytest.approx(mean + half, abs=0.05 * half)


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 6), min_size=3, max_size=9), st.integers(2, 5), st.integers(0, 10_000),
    st.sampled_from([1, 2, None]), st.sampled_from([0.5, 0.8, 0.9]), st.booleans(),
)  # fmt: skip
def test_p_and_intervals_agree_whatever_the_scores(
    sizes: list[int], runs: int, seed: int, digits: int | None, level: float, strict: bool
) -> None:
    found = found_of(some_runs(seed, sizes, runs, digits), sizes, level, 99, seed, strict=strict)
    limits = found.limits()
    apart = (limits.low[0] > 0) | (limits.high[0] < 0)
    assert apart.tolist() == (found.p <= round(1 - level, 9)).tolist() == found.told.tolist()
    assert (np.isnan(limits.low[0]) == found.left_out).all()
    assert (found.p[found.left_out] == 1).all()
    assert found.own is not None
    assert (found.own <= found.critical).all()


@pytest.mark.parametrize("kind", ["uneven", "even", "tenths", "huge", "sparse"])
@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
def test_rank_sets_follow_from_the_simultaneous_intervals(kind: str, strict: bool) -> None:
    values, sizes = RUNS[kind]
    level, number, seed, runs = 0.5, 199, 3, values.shape[1]
    matrix = matrix_of(values, groups_of(sizes))
    ranking = rank_runs(
        matrix.values, level, Drawing(number, seed), strict=strict, design=matrix.design
    )
    expected, _, _, _ = slowly(values, sizes, level, number, seed, strict=strict)
    better = np.zeros((runs, runs), dtype=bool)
    for (a, b), (low, high, _) in expected.items():
        better[a, b], better[b, a] = low > 1e-12, high < -1e-12
    np.testing.assert_array_equal(ranking.better, better)
    assert ranking.low.tolist() == (1 + better.sum(axis=0)).tolist()
    assert ranking.high.tolist() == (runs - better.sum(axis=1)).tolist()
    means = np.round(values.mean(axis=0), 12)
    assert ranking.rank.tolist() == [1 + np.count_nonzero(means > mean) for mean in means]
    parts, firsts = split(values, sizes), np.zeros(runs)
    for chunk in Resamples(len(sizes), number, seed).counts():
        for counts in chunk:
            places = np.repeat(np.arange(len(sizes)), counts.astype(int))
            drawn = np.concatenate([parts[place] for place in places]).mean(axis=0)
            first = drawn >= drawn.max() - 1e-12
            firsts += first / first.sum()
    np.testing.assert_allclose(ranking.first_share, firsts / number, atol=1e-9)
    assert better.any()


def test_groups_in_collections_are_ranked_by_bonferronis_t() -> None:
    told = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        sizes = [random.integers(1, 6, 8).tolist() for _ in range(3)]
        parts = [(some_runs(seed + 7 * place, own, 4, apart=0.4), own)
                 for place, own in enumerate(sizes)]  # fmt: skip
        ranking = rank_by_t(paired_of(macro_of(parts), Pairs.all(4)), 0.9)
        for a, b in itertools.combinations(range(4), 2):
            mean, se, df = in_collections(
                [(values[:, a] - values[:, b], own) for values, own in parts]
            )
            apart = 6 * 2 * stats.t.sf(abs(mean) / se, df) <= 0.1
            told += apart
            assert ranking.better[a, b] == (apart and mean > 0)
            assert ranking.better[b, a] == (apart and mean < 0)
    assert 5 < told < 115
