"""Samples of several collections: against R, the formulas longhand, scipy; and their promises."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.common.progress import no_progress
from confint_cli.scores.design import Design
from confint_cli.stats.bonferroni import limits as bonferroni_limits
from confint_cli.stats.bonferroni import told_apart
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance import tests as all_tests
from tests.stats.longhand_collections import (
    CASES,
    mean_se_df,
    reference_parts,
    reference_rows,
    reference_runs,
    sample_of,
    scores_of,
    sizes_of,
    some_parts,
    t_interval,
    weighted,
    z_of,
)
from tests.versions import T_ERROR

ALL = ("t", "percentile", "basic", "bca", "bootstrap-t")
PRECISION = max(1e-9, T_ERROR)


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


def p_value(name: str, parts: Sequence[np.ndarray], number: int = 9999) -> np.ndarray:
    """Of every two runs, of [topic, run] in each collection."""
    paired = Paired(weighted(parts), Pairs.all(parts[0].shape[1]), Design(sizes_of(parts)))
    return all_tests()[name].p(paired, Drawing(number, 0), no_progress)


# References


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", ["fixed", "welch"])
def test_for_new_topics_it_is_what_r_says(case: str, quantity: str) -> None:
    rows = [row for row in reference_rows(quantity) if row["case"] == case]
    assert len(rows) == (0 if quantity == "welch" and case != "two" else 4)
    for row in rows:
        parts = reference_parts(case, row["of"])
        found = estimated(sample_of(parts), levels=[float(row["level"])])
        limits = found.limits["t"]
        ours = [found.mean[0], found.se[0], found.df[0], limits.low[0, 0], limits.high[0, 0]]
        wanted = [float(row[name]) for name in ("estimate", "se", "df", "low", "high")]
        assert ours == pytest.approx(wanted, rel=PRECISION)
        with_nothing = [np.stack([part, np.zeros_like(part)], axis=1) for part in parts]
        assert p_value("t", with_nothing)[0] == pytest.approx(float(row["p"]), rel=PRECISION)


@pytest.mark.parametrize("case", CASES)
def test_pairs_of_runs_have_the_p_of_r(case: str) -> None:
    (p,) = {row["p"] for row in reference_rows("fixed")
            if (row["case"], row["of"]) == (case, "difference")}  # fmt: skip
    assert p_value("t", reference_runs(case))[0] == pytest.approx(float(p), rel=PRECISION)


@pytest.mark.parametrize("case", CASES)
def test_scores_weigh_and_part_their_topics_as_r_does(case: str) -> None:
    """The same numbers by way of scores: `macro` for new topics, `collection_means` for others."""
    parts = reference_runs(case)
    scores = scores_of(parts, ("a", "b"))
    macro, means = scores.macro(), scores.collection_means()
    assert [part.tolist() for part in parts] == [
        scores.part(place).matrix("map").values.tolist() for place in range(len(parts))
    ]
    assert (macro.several, means.several, scores.several) == (False, False, True)
    assert means.unit == "collection"
    assert means.collections is None
    for row in reference_rows("fixed", "random"):
        if row["case"] != case:
            continue
        matrix = (macro if row["quantity"] == "fixed" else means).matrix("map")
        pairs = Pairs.all(2)
        sample = Paired(matrix.values, pairs, matrix.design).sample
        if row["of"] == "a":
            sample = Sample(matrix.values[:, :1], design=matrix.design)
        found = estimated(sample, levels=[float(row["level"])])
        limits = found.limits["t"]
        ours = [found.mean[0], found.se[0], found.df[0], limits.low[0, 0], limits.high[0, 0]]
        wanted = [float(row[name]) for name in ("estimate", "se", "df", "low", "high")]
        assert ours == pytest.approx(wanted, rel=PRECISION)


def test_for_new_collections_it_is_scipys_t_test_of_the_means() -> None:
    random = np.random.default_rng(5)
    parts = [random.beta(0.5, 2, (size, 3)) for size in (3, 30, 11, 5, 90)]
    matrix = scores_of(parts, "abc").collection_means().matrix("map")
    assert matrix.topics == ("c0", "c1", "c2", "c3", "c4")
    assert matrix.design.strata == ()
    means = np.array([part.mean(axis=0) for part in parts])
    np.testing.assert_allclose(matrix.values, means, rtol=1e-14)
    found = estimated(Sample(matrix.values), levels=[0.9])
    for run in range(3):
        test = stats.ttest_1samp(means[:, run], 0)
        ends = test.confidence_interval(0.9)
        assert found.mean[run] == pytest.approx(means[:, run].mean())
        assert found.se[run] == pytest.approx(stats.sem(means[:, run]))
        assert found.df[run] == 4
        assert found.limits["t"].low[0, run] == pytest.approx(ends.low, rel=PRECISION)
        assert found.limits["t"].high[0, run] == pytest.approx(ends.high, rel=PRECISION)


def test_a_measure_that_some_topics_lack_weighs_those_that_have_it() -> None:
    """A topic without a score by a measure is none of its collection's, by this measure."""
    parts = some_parts(3, (6, 9, 20))
    scores = scores_of([part[:, None] for part in parts], "a", ("map", "P_10"))
    lacking = scores.values.copy()
    lacking[[0, 4, 7, 30], :, 1] = np.nan
    macro = type(scores)(**{**vars(scores), "values": lacking}).macro()
    fewer = [np.delete(parts[0], [0, 4]), np.delete(parts[1], [1]), np.delete(parts[2], [15])]
    for measure, own in (("map", parts), ("P_10", fewer)):
        matrix = macro.matrix(measure)
        assert matrix.design.strata == sizes_of(own)
        found = Sample(matrix.values, design=matrix.design)
        wanted = mean_se_df(own)
        assert (found.mean[0], found.se[0], found.df[0]) == pytest.approx(wanted, rel=1e-12)


# Longhand


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths", "0 and 1", "normal"])
@pytest.mark.parametrize("sizes", [(2, 2), (5, 300), (2, 3, 4, 5), (7,) * 12, (40, 3, 17)])
def test_mean_se_and_df_are_those_of_the_formulas(kind: str, sizes: tuple[int, ...]) -> None:
    parts = some_parts(len(sizes), sizes, kind)
    if all(np.ptp(part) == 0 for part in parts):  # of two topics
        parts[0][0] += 0.1
    found = estimated(sample_of(parts), levels=[0.8, 0.999])
    ours = (found.mean[0], found.se[0], found.df[0])
    assert ours == pytest.approx(mean_se_df(parts), rel=1e-9)
    for place, level in enumerate((0.8, 0.999)):
        ends = (found.limits["t"].low[place, 0], found.limits["t"].high[place, 0])
        assert ends == pytest.approx(t_interval(parts, level), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_of_two_collections_it_is_welchs_t_test_of_scipy(seed: int) -> None:
    one, other = some_parts(seed, (6, 25))
    found = estimated(sample_of([one, other]))
    welch = stats.ttest_ind(one, -other, equal_var=False)
    assert found.df[0] == pytest.approx(welch.df, rel=1e-9)
    assert 2 * found.mean[0] == pytest.approx(one.mean() + other.mean())
    assert found.mean[0] / found.se[0] == pytest.approx(welch.statistic, rel=1e-9)
    p = p_value("t", [np.stack([part, np.zeros_like(part)], axis=1) for part in (one, other)])
    assert p[0] == pytest.approx(welch.pvalue, rel=PRECISION)


def test_collections_of_equal_sizes_and_scores_are_as_if_there_was_one_with_fewer_df() -> None:
    """K copies of a collection: the se is that of one over √K, with K·(n-1) degrees of freedom."""
    own = np.random.default_rng(1).beta(1, 3, 14)
    found = sample_of([own] * 6)
    assert found.mean[0] == pytest.approx(own.mean())
    assert found.se[0] == pytest.approx(stats.sem(own) / np.sqrt(6))
    assert found.df[0] == pytest.approx(6 * 13)


def intervals_longhand(
    parts: Sequence[np.ndarray], level: float, number: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Bootstrap intervals, each resample of each collection written out."""
    sizes, mean = sizes_of(parts), np.mean([part.mean() for part in parts])
    _, se, _ = mean_se_df(parts)
    means, ratios = [], []
    for chunk in Resamples(sum(sizes), number, seed, sizes).counts():
        for counts in chunk:
            own = np.split(counts.astype(int), np.cumsum(sizes)[:-1])
            assert tuple(each.sum() for each in own) == sizes
            drawn = [np.repeat(part, times) for part, times in zip(parts, own, strict=True)]
            means.append(np.mean([each.mean() for each in drawn]))
            ratios.append(z_of(drawn, mean))
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
    influence = np.concatenate([(part - part.mean()) / len(part) for part in parts])
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
@pytest.mark.parametrize("sizes", [(5, 24), (8, 3, 12, 30)])
def test_bootstrap_intervals_longhand(kind: str, sizes: tuple[int, ...]) -> None:
    parts = some_parts(7, sizes, kind)
    expected = intervals_longhand(parts, 0.9, 399, 3)
    found = estimated(sample_of(parts), ALL[1:], [0.9], 399, 3)
    for name, ends in expected.items():
        ours = (found.limits[name].low[0, 0], found.limits[name].high[0, 0])
        assert ours == pytest.approx(ends, rel=1e-9, abs=1e-9), name


def test_resamples_draw_evenly_within_each_collection() -> None:
    """As many topics of each as it has, each topic as often as any other; collections by chance."""
    counts = np.vstack(list(Resamples(60, 20_000, 0, (5, 40, 15)).counts()))
    for rows in (slice(0, 5), slice(5, 45), slice(45, 60)):
        own, size = counts[:, rows], rows.stop - rows.start
        assert (own.sum(axis=1) == size).all()
        assert stats.chisquare(own.sum(axis=0)).pvalue > 0.001
        np.testing.assert_allclose(own.var(axis=0, ddof=1), 1 - 1 / size, rtol=0.06)
    assert abs(np.corrcoef(counts[:, 0], counts[:, 10])[0, 1]) < 0.03
    assert np.corrcoef(counts[:, 0], counts[:, 1])[0, 1] == pytest.approx(-1 / 4, abs=0.03)


# Promises


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths"])
def test_one_collection_is_none(kind: str) -> None:
    """A sample with one collection is the plain sample, by every method, from the same draws."""
    (scores,) = some_parts(2, (37,), kind)
    plain, one = (Sample(scores[:, None], design=Design(strata)) for strata in ((), (37,)))
    both = [estimated(each, ALL, [0.9, 0.95], 999, 4) for each in (plain, one)]
    for name in ALL:
        limits = [[each.limits[name].low, each.limits[name].high] for each in both]
        np.testing.assert_allclose(limits[1], limits[0], rtol=1e-12)
        errors = [[each.limits[name].low_error, each.limits[name].high_error] for each in both]
        np.testing.assert_allclose(errors[1], errors[0], rtol=1e-9)
        assert both[0].doubts[name].tolist() == both[1].doubts[name].tolist()
    for moment in ("mean", "se", "df"):
        np.testing.assert_allclose(getattr(both[1], moment), getattr(both[0], moment), rtol=1e-12)
    ideal = [estimated(each, ALL[1:4]) for each in (plain, one)]
    for name in ALL[1:4]:
        width = (ideal[0].limits[name].high - ideal[0].limits[name].low)[0, 0]
        for end in ("low", "high"):
            first, second = (getattr(each.limits[name], end)[0, 0] for each in ideal)
            assert second == pytest.approx(first, abs=0.005 * width)


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths"])
def test_the_order_of_collections_and_of_their_topics_does_not_matter(kind: str) -> None:
    parts = some_parts(4, (5, 22, 9, 60), kind)
    random = np.random.default_rng(0)
    usual = estimated(sample_of(parts), ALL[:4])
    for order in ((3, 1, 0, 2), (2, 3, 1, 0)):
        other = estimated(sample_of([random.permutation(parts[place]) for place in order]), ALL[:4])
        for moment in ("mean", "se", "df"):
            assert getattr(other, moment) == pytest.approx(getattr(usual, moment), rel=1e-12)
        for name in ALL[:4]:
            ours = [other.limits[name].low[0, 0], other.limits[name].high[0, 0]]
            wanted = [usual.limits[name].low[0, 0], usual.limits[name].high[0, 0]]
            assert ours == pytest.approx(wanted, rel=1e-9, abs=1e-9), name


def test_what_stands_beside_a_column_does_not_change_a_bit_of_it() -> None:
    columns = [np.concatenate(some_parts(seed, (5, 22, 9), "tenths")) for seed in range(90)]
    values = weighted(np.split(np.stack(columns, axis=1), [5, 27]))
    together = estimated(Sample(values, design=Design((5, 22, 9))), ALL, [0.95], 199)
    for place in (0, 1, 44, 89):
        alone = estimated(Sample(values[:, [place]], design=Design((5, 22, 9))), ALL, [0.95], 199)
        assert alone.se[0] == together.se[place]
        assert alone.df[0] == together.df[place]
        for name in ALL:
            assert alone.limits[name].low[0, 0] == together.limits[name].low[0, place]
            assert alone.limits[name].high[0, 0] == together.limits[name].high[0, place]


@pytest.mark.parametrize("resamples", [None, 199])
def test_scores_that_are_equal_within_each_collection_give_a_point(resamples: int | None) -> None:
    parts = [np.full(4, 0.1), np.full(9, 0.7), np.full(30, 0.3)]
    found = estimated(sample_of(parts), ALL, [0.9, 0.99], resamples)
    assert found.mean[0] == pytest.approx(1.1 / 3)
    assert found.se.tolist() == [0]
    for name in ALL:
        limits = found.limits[name]
        assert (limits.low == found.mean[0]).all()
        assert (limits.high == found.mean[0]).all()
        assert (limits.low_error == 0).all()
        assert ((found.doubts[name] & Doubt.NO_VARIANCE) > 0).all()


def test_one_collection_that_varies_is_enough_for_an_interval() -> None:
    """The others are constants, and add neither variance nor degrees of freedom."""
    own = np.random.default_rng(0).random(12)
    found = estimated(sample_of([np.full(4, 0.1), own, np.full(30, 0.3)]), ALL, [0.95], 999)
    assert found.df[0] == pytest.approx(11)
    assert found.se[0] == pytest.approx(stats.sem(own) / 3)
    low, high = stats.t.interval(0.95, 11, 0, stats.sem(own) / 3)
    t = found.limits["t"]
    assert (t.low[0, 0], t.high[0, 0]) == pytest.approx((found.mean[0] + low, found.mean[0] + high))
    for name in ALL:
        assert not found.doubts[name][0, 0] & Doubt.NO_VARIANCE


@pytest.mark.parametrize("resamples", [None, 199])
def test_a_collection_of_one_topic_leaves_no_interval(resamples: int | None) -> None:
    found = estimated(sample_of(some_parts(0, (20, 1, 8))), ALL, [0.9, 0.95], resamples)
    for name in ALL:
        limits = found.limits[name]
        assert np.isnan(limits.low).all()
        assert np.isnan(limits.high).all()
        assert (limits.low_error == 0).all()
        assert found.doubts[name].tolist() == [[Doubt.ONE_TOPIC]] * 2
    assert np.isnan(found.se[0])
    assert np.isfinite(found.mean[0])


def test_topics_are_few_where_degrees_of_freedom_are() -> None:
    """Of 305 topics, five carry all the variance: these are few; of twice as many they are not."""
    random = np.random.default_rng(3)
    many = 0.001 * random.random(300)
    for size in (5, 8, 9, 10, 11, 30):
        found = estimated(sample_of([random.random(size), many]))
        assert found.df[0] == pytest.approx(size - 1, rel=0.01)
        few = bool(found.doubts["t"][0, 0] & Doubt.FEW_TOPICS)
        assert few == (found.df[0] + 1 < 10), size
    for size in (9, 10):  # of a small collection, the df may be large by chance
        spread = estimated(sample_of([random.random(size) for _ in range(5)]))
        assert spread.df[0] > 20
        assert bool(spread.doubts["t"][0, 0] & Doubt.FEW_TOPICS) == (size < 10)


def test_a_collection_without_variance_is_a_doubt_about_the_whole() -> None:
    random = np.random.default_rng(1)
    parts = [random.random(20), np.full(12, 0.25), random.random(30)]
    found = estimated(sample_of(parts))
    assert found.doubts["t"].tolist() == [[Doubt.PARTLY_CONSTANT]]
    assert estimated(sample_of([parts[0], parts[2]])).doubts["t"].tolist() == [[Doubt.NONE]]
    constant = estimated(sample_of([np.full(12, 0.25), np.full(20, 0.5)]))
    assert constant.doubts["t"].tolist() == [[Doubt.NO_VARIANCE]]


PARTS = st.lists(
    st.lists(st.integers(0, 1000), min_size=2, max_size=8), min_size=1, max_size=5
).map(lambda whole: [np.array(part) / 1000 for part in whole])


@settings(max_examples=100)
@given(
    PARTS, st.integers(-40, 40).map(lambda n: n / 4), st.integers(1, 400).map(lambda n: n / 16),
    st.booleans(), st.sampled_from([None, 39]),
)  # fmt: skip
def test_intervals_are_shifted_and_scaled_with_the_scores(
    parts: list[np.ndarray], shift: float, factor: float, turned: bool, resamples: int | None
) -> None:
    assume(any(np.ptp(part) > 0 for part in parts))
    factor = -factor if turned else factor
    names = ("t", "percentile", "bca")
    usual, moved = (
        estimated(sample_of(own), names, [0.9], resamples)
        for own in (parts, [shift + factor * part for part in parts])
    )
    assert moved.mean[0] == pytest.approx(shift + factor * usual.mean[0], abs=1e-9)
    assert moved.se[0] == pytest.approx(abs(factor) * usual.se[0], rel=1e-7)
    assert moved.df[0] == pytest.approx(usual.df[0], rel=1e-7)
    # The ideal bootstrap's grid lies otherwise among scores that were moved, by parts of an se.
    share = {"t": 1e-7, "percentile": 0.01, "bca": 0.05} if resamples is None else {}
    for name in names:
        own = usual.limits[name]
        ends = sorted(shift + factor * end[0, 0] for end in (own.low, own.high))
        found = [moved.limits[name].low[0, 0], moved.limits[name].high[0, 0]]
        allowed = share.get(name, 1e-6) * moved.se[0]
        assert found == pytest.approx(ends, abs=allowed + 1e-9), name


@settings(max_examples=50)
@given(PARTS, st.lists(st.integers(-40, 40), min_size=5, max_size=5))
def test_each_collection_may_be_shifted_by_itself(parts: list[np.ndarray], by: list[int]) -> None:
    """Topics vary within collections only: their widths stay, and the mean moves by the mean."""
    assume(any(np.ptp(part) > 0 for part in parts))
    shifts = [own / 4 for own in by[: len(parts)]]
    usual, moved = (
        estimated(sample_of(own), ("t", "percentile"), [0.9])
        for own in (parts, [part + own for part, own in zip(parts, shifts, strict=True)])
    )
    assert moved.mean[0] == pytest.approx(usual.mean[0] + np.mean(shifts), abs=1e-9)
    assert moved.se[0] == pytest.approx(usual.se[0], rel=1e-7)
    for name, allowed in (("t", 1e-7), ("percentile", 0.01)):
        low, high = (
            (each.limits[name].high - each.limits[name].low)[0, 0] for each in (usual, moved)
        )
        assert low == pytest.approx(high, rel=allowed, abs=1e-9)


# Tests of paired runs


@pytest.mark.parametrize("sizes", [(3, 6), (2, 3, 4), (5, 5), (2, 2, 2, 2)])
@pytest.mark.parametrize("digits", [None, 1])
def test_the_randomisation_test_is_exact_for_few_topics(
    sizes: tuple[int, ...], digits: int | None
) -> None:
    """All ways to flip signs, the mean of the collections' means of each written out."""
    random = np.random.default_rng(sum(sizes))
    values = random.random((sum(sizes), 4)) + np.linspace(0, 0.3, 4)
    values = values if digits is None else np.round(values, digits)
    parts = np.split(values, np.cumsum(sizes)[:-1])
    found = p_value("randomization", parts)
    for place, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        differences = [part[:, a] - part[:, b] for part in parts]
        observed = abs(np.mean([own.mean() for own in differences]))
        hits = ways = 0
        for signs in itertools.product((1, -1), repeat=sum(sizes)):
            flipped = np.split(np.array(signs) * np.concatenate(differences), np.cumsum(sizes)[:-1])
            hits += abs(np.mean([own.mean() for own in flipped])) >= observed - 1e-12
            ways += 1
        assert found[place] == hits / ways


def test_many_topics_have_the_randomisation_p_of_own_flips() -> None:
    """Within five standard errors, and not that of all topics as of one collection."""
    random = np.random.default_rng(1)
    sizes = (60, 8, 15)
    shifts = np.repeat([0.02, -0.2, 0.05], sizes)
    differences = shifts + random.normal(0, 0.2, sum(sizes))
    values = np.stack([differences, np.zeros(sum(sizes))], axis=1)
    parts = np.split(values, np.cumsum(sizes)[:-1])
    number = 40_000
    found = p_value("randomization", parts, number)[0]
    own = weighted([part[:, 0] for part in parts])
    signs = np.random.default_rng(2).choice([-1.0, 1.0], (number, sum(sizes)))
    p = np.mean(np.abs(signs @ own) >= abs(own.sum()))
    assert found == pytest.approx(p, abs=5 * np.sqrt(2 * p * (1 - p) / number))
    pooled = all_tests()["randomization"].p(
        Paired(values, Pairs.all(2)), Drawing(number, 0), no_progress
    )
    assert abs(pooled[0] - found) > 0.1


@pytest.mark.parametrize("name", ["t", "randomization"])
def test_runs_with_equal_scores_have_a_p_of_1(name: str) -> None:
    parts = [np.stack([part, part], axis=1) for part in some_parts(1, (5, 9, 30))]
    assert p_value(name, parts).tolist() == [1]


def test_a_difference_that_is_the_same_on_all_topics_is_certain_by_t() -> None:
    parts = [np.stack([part + 0.25, part], axis=1) for part in some_parts(1, (5, 9, 30), "tenths")]
    assert p_value("t", parts).tolist() == [0]


def test_pairs_that_are_shared_out_keep_their_collections() -> None:
    parts = np.split(np.random.default_rng(0).random((40, 4)), [6, 15])
    paired = Paired(weighted(parts), Pairs.all(4), Design(sizes_of(parts)))
    divided = list(paired.divided(3))
    assert len(divided) == 3
    for places, share in divided:
        assert share.sample.se.tolist() == paired.sample.se[places].tolist()
        assert share.sample.df.tolist() == paired.sample.df[places].tolist()


@pytest.mark.parametrize("sizes", [(2, 3), (2, 5), (7, 3), (5, 5), (3, 11)])
@pytest.mark.parametrize("by", [0.1, 0.3, 0.7])
def test_collections_that_outweigh_one_another_exactly_are_no_difference(
    sizes: tuple[int, int], by: float
) -> None:
    """One run is better by as much in one collection as it is worse in the other: the mean is 0.

    It varies nowhere, so that what is left of it in the last bits would be certain.
    """
    parts = [np.tile([0.5 + sign * by / 2, 0.5 - sign * by / 2], (size, 1))
             for size, sign in zip(sizes, (1, -1), strict=True)]  # fmt: skip
    paired = Paired(weighted(parts), Pairs.all(2), Design(sizes))
    assert paired.mean_difference.tolist() == [0]
    assert p_value("t", parts).tolist() == [1]
    limits = estimated(paired.sample).limits["t"]
    assert (limits.low[0, 0], limits.high[0, 0]) == (0, 0)


# Bonferroni


def test_bonferronis_limits_and_p_agree_and_are_scipys() -> None:
    random = np.random.default_rng(8)
    means = random.normal([0, 0.1, 0.4, 0.9], 0.25, (6, 4))
    paired = Paired(means, Pairs.all(4))
    sample, levels = paired.sample, np.array([0.8, 0.95])
    low, high = bonferroni_limits(sample.mean, sample.se, sample.df, levels, len(paired.pairs))
    p = all_tests()["t"].p(paired, Drawing(1, 0), no_progress)
    for place, level in enumerate(levels.tolist()):
        for pair, (a, b) in enumerate(itertools.combinations(range(4), 2)):
            test = stats.ttest_rel(means[:, a], means[:, b])
            ends = test.confidence_interval(1 - (1 - level) / 6)
            ours = (low[place, pair], high[place, pair])
            assert ours == pytest.approx((ends.low, ends.high), rel=PRECISION)
            told = told_apart(p, level, 6)[pair]
            assert told == (6 * test.pvalue <= 1 - level) == (ends.low > 0 or ends.high < 0)
    assert 0 < told_apart(p, 0.95, 6).sum() < 6
