"""Prediction-powered means and their max-T: against longhand, ppi_py and statsmodels; promises."""

import csv
import itertools
import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.errors import DataError
from confint_cli.common.parallel import Local
from confint_cli.scores.design import Groups
from confint_cli.scores.scores import Collections, Scores
from confint_cli.scores.two_judges import two_judges
from confint_cli.stats.flags import Doubt
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ppi import Family, Powered, means
from confint_cli.stats.ppi_max_t import Standing, _Kind, _Resampled, at_once, standing
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.ranking import rank_runs, ranked
from confint_cli.stats.simultaneous import MaxT, max_t
from tests.conftest import ROOT
from tests.stats import longhand_ppi as longhand
from tests.stats.longhand_ppi import (
    Part,
    at_fixed_mean,
    difference_of_runs,
    distinct,
    mean_of_run,
    one_run,
    part_of,
    some_parts,
    two_of,
)
from tests.stats.test_simultaneous import at

# Topics with both judges, others of the judge, and those of people alone, of each collection.
PLAIN = {
    "usual": [(12, 40, 0)],
    "five": [(5, 3, 0)],
    "fewer others": [(30, 4, 0)],
    "alone": [(12, 40, 6)],
    "mostly alone": [(6, 20, 30)],
    "one of each": [(9, 1, 1)],
}
COLLECTIONS = {
    "collections": [(6, 20, 0), (9, 5, 0), (5, 12, 0)],
    "no others in one": [(7, 0, 0), (9, 30, 0)],
    "alone in collections": [(6, 20, 2), (9, 5, 0), (5, 12, 9)],
    "one of each in collections": [(6, 1, 1), (9, 5, 0)],
}
GROUPS = {"groups": [(30, 50, 0)], "groups and alone": [(24, 50, 12)]}
BOTH = {"groups in collections": [(22, 40, 0), (18, 9, 0)],
        "all of it": [(22, 40, 8), (18, 9, 0), (15, 12, 5)]}  # fmt: skip
TOPICS = PLAIN | COLLECTIONS | GROUPS | BOTH


def parts_of(kind: str, seed: int = 0, runs: int = 3) -> tuple[list[Part], bool]:
    """The scores of a kind, and whether topics come in groups."""
    grouped = kind in GROUPS or kind in BOTH
    return some_parts(seed, TOPICS[kind], runs, groups=3 if grouped else 0), grouped


def rows_of(found: Powered) -> np.ndarray:
    """Estimate, se and df of each column."""
    return np.column_stack([found.mean, found.se, found.df])


# Longhand


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", TOPICS)
def test_means_and_differences_longhand(kind: str, seed: int) -> None:
    """By a jackknife that really leaves topics or groups out, and computes all anew."""
    parts, grouped = parts_of(kind, seed)
    two, pairs = two_of(parts, grouped=grouped), Pairs.all(3)
    expected = [mean_of_run(parts, run) for run in range(3)]
    np.testing.assert_allclose(rows_of(means(two)), expected, rtol=1e-10)
    expected = [difference_of_runs(parts, a, b) for a, b in zip(*_both(pairs), strict=True)]
    family = Family(two)
    differences = family.differences(pairs)
    np.testing.assert_allclose(rows_of(differences), expected, rtol=1e-10)
    own = family.means()
    np.testing.assert_allclose(own.mean[pairs.run] - own.mean[pairs.baseline], differences.mean)
    assert means(two).used.all()
    assert differences.used.all()


def _both(pairs: Pairs) -> tuple[list[int], list[int]]:
    return pairs.run.tolist(), pairs.baseline.tolist()


@pytest.mark.parametrize("kind", ["usual", "five", "fewer others"])
def test_mean_of_one_run_by_its_formula(kind: str) -> None:
    """Σ(w·e/(1-l))² + b²·s²/(n+N), which is what leaving topics out gives with F as it is."""
    parts, _ = parts_of(kind)
    found = means(two_of(parts))
    for run in range(3):
        h, f, u = (array[:, run].tolist() for array in (parts[0].h, parts[0].f, parts[0].u))
        mean, se, df, _ = one_run(h, f, u)
        assert rows_of(found)[run] == pytest.approx((mean, se, df), rel=1e-12)
        by_people = stats.sem(h)
        assert found.human_mean[run] == pytest.approx(np.mean(h))
        assert found.human_se[run] == pytest.approx(by_people)
        assert found.human_df[run] == len(h) - 1
        assert found.effective_topics[run] == pytest.approx(np.var(h, ddof=1) / se**2)
        assert found.judge_mean[run] == pytest.approx(np.mean([*f, *u]))
        assert found.bias[run] == pytest.approx(np.mean(f) - np.mean(h))
        fit = stats.linregress(f, h)
        assert found.slope[run] == pytest.approx(fit.slope)
        assert found.correlation[run] == pytest.approx(fit.rvalue)
        assert found.gains[run] == (abs(fit.rvalue) > 1 / math.sqrt(len(h) - 2))
    assert (found.human_topics, found.topics) == (len(h), len(h) + len(u))


def reference() -> list[tuple[str, list[float], list[float], list[float], dict[str, float]]]:
    with (ROOT / "tests" / "reference" / "ppi.tsv").open(encoding="utf-8") as file:
        return [
            (
                row["kind"],
                *([float(one) for one in row[name].split()] for name in ("human", "judge",
                                                                         "others")),
                {name: float(row[name]) for name in ("mean", "prediction", "se", "low", "high")},
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]  # fmt: skip


def test_means_are_those_of_ppi_py_and_se_has_that_of_statsmodels_in_it() -> None:
    rows = reference()
    assert len(rows) == 18
    for kind, h, f, u, known in rows:
        found = means(two_of([part_of(np.array(h), np.array(f), np.array(u))]))
        assert found.used.all(), kind
        assert found.mean[0] == pytest.approx(known["mean"], rel=1e-12), kind
        assert found.mean[0] == pytest.approx(known["prediction"], rel=1e-12), kind
        judge = found.slope[0] ** 2 * np.var([*f, *u], ddof=1) / len([*f, *u])
        assert found.se[0] ** 2 - judge == pytest.approx(known["se"] ** 2, rel=1e-9), kind
        assert one_run(h, f, u)[3] == pytest.approx(known["se"] ** 2, rel=1e-9), kind


def test_two_runs_have_the_slope_of_their_difference() -> None:
    parts, _ = parts_of("usual", runs=2)
    family = Family(two_of(parts))
    h, f = (array[:, 0] - array[:, 1] for array in (parts[0].h, parts[0].f))
    assert family.slopes.slope[0] == pytest.approx(stats.linregress(f, h).slope, rel=1e-12)
    difference = family.differences(Pairs.all(2))
    assert difference.correlation[0] == pytest.approx(np.corrcoef(h, f)[0, 1], rel=1e-12)


def test_orders_are_never_cyclic_as_all_differences_have_one_slope() -> None:
    for seed in range(20):
        parts, _ = parts_of("five", seed, runs=6)
        family, pairs = Family(two_of(parts)), Pairs.all(6)
        found = family.differences(pairs)
        apart = np.zeros((6, 6))
        apart[pairs.run, pairs.baseline] = found.mean
        apart -= apart.T
        for a, b, c in itertools.combinations(range(6), 3):
            assert apart[a, b] + apart[b, c] == pytest.approx(apart[a, c], abs=1e-12)


def test_topics_of_people_alone_are_weighted_by_what_both_judges_count_for() -> None:
    """With n_eff = n·(se of people on these)²/(se of both)², or n, w = n_eff/(n_eff + n₀)."""
    parts, _ = parts_of("alone")
    bare, _ = [replace(parts[0], alone=parts[0].alone[:0], lone=())], None
    both, found = means(two_of(bare)), means(two_of(parts))
    effective = np.maximum(both.effective_topics, len(parts[0].h))
    w = effective / (effective + 6)
    np.testing.assert_allclose(
        found.mean, w * both.mean + (1 - w) * parts[0].alone.mean(axis=0), rtol=1e-12
    )
    everything = np.concatenate([parts[0].h, parts[0].alone])
    variance = w**2 * both.se**2 + (1 - w) ** 2 * everything.var(axis=0, ddof=1) / 6
    np.testing.assert_allclose(found.se, np.sqrt(variance), rtol=1e-12)
    assert found.human_topics == 18
    np.testing.assert_allclose(found.human_mean, everything.mean(axis=0))


# From scores, joined by the names of topics


def scores_of(parts: Sequence[Part], seed: int, *, grouped: bool) -> Scores:
    """Scores by people with those of the judge, topics of each collection in any order."""
    random = np.random.default_rng(seed)
    names = [
        {kind: [f"{kind}{place}-{row}" for row in range(len(getattr(part, kind)))]
         for kind in longhand.KINDS}
        for place, part in enumerate(parts)
    ]  # fmt: skip

    def of(kinds: Sequence[str], arrays: Sequence[str]) -> Scores:
        topics: list[str] = []
        groups: list[str] = []
        rows, sizes = [], []
        for place, part in enumerate(parts):
            own = [name for kind in kinds for name in names[place][kind]]
            of_groups = [
                f"{kind}{place}-{group}" for kind in kinds for group in getattr(part, kind)
            ]
            values = np.concatenate([getattr(part, array) for array in arrays])
            order = random.permutation(len(own))
            topics += [own[row] for row in order]
            groups += [of_groups[row] for row in order]
            rows.append(values[order])
            sizes.append(len(own))
        names_of_groups = distinct(groups)
        codes = np.array([names_of_groups.index(group) for group in groups])
        in_groups = Groups(tuple(names_of_groups), codes)
        values = np.concatenate(rows)[:, :, None]
        collections = Collections(tuple(f"c{place}" for place in range(len(parts))), tuple(sizes))
        return Scores(values, tuple(topics), tuple(f"r{run}" for run in range(parts[0].runs)),
                      ("map",), np.zeros(values.shape, dtype=bool),
                      collections=collections if len(parts) > 1 else None,
                      groups=in_groups if grouped else None)  # fmt: skip

    people = of(("labelled", "lone"), ("h", "alone"))
    return replace(people, judge=of(("labelled", "other"), ("f", "u")))


@pytest.mark.parametrize("kind", TOPICS)
def test_topics_are_joined_by_their_names(kind: str) -> None:
    parts, grouped = parts_of(kind)
    joined = two_judges(scores_of(parts, 5, grouped=grouped), "map")
    expected, pairs = two_of(parts, grouped=grouped), Pairs.all(3)
    for ask in (means, lambda two: Family(two).differences(pairs)):
        found, usual = ask(joined), ask(expected)
        np.testing.assert_allclose(rows_of(found), rows_of(usual), rtol=1e-9)
        np.testing.assert_allclose(found.human_se, usual.human_se, rtol=1e-9)
        assert (found.human_topics, found.topics) == (usual.human_topics, usual.topics)


@pytest.mark.parametrize(("kind", "who"), [("other", "people"), ("lone", "the judge")])
def test_a_group_of_which_one_judge_has_a_part_is_an_error(kind: str, who: str) -> None:
    """Topics of a group are alike: what is estimated from both kinds would not be independent."""
    [part], _ = parts_of("groups and alone")
    scores = scores_of([part], 0, grouped=True)
    own = scores.judge if kind == "other" else scores
    assert own is not None
    assert own.groups is not None
    codes = own.groups.codes.copy()
    codes[own.topics.index(f"{kind}0-0")] = codes[own.topics.index("labelled0-0")]
    changed = replace(own, groups=replace(own.groups, codes=codes))
    scores = replace(scores, judge=changed) if kind == "other" else changed
    with pytest.raises(DataError, match=f"{who} judged some topics of 1 group and not others"):
        two_judges(scores, "map")


# Where the judge is of no use


def of_people_alone(found: Powered) -> bool:
    return (
        not found.used.any()
        and found.mean.tolist() == found.human_mean.tolist()
        and found.se.tolist() == found.human_se.tolist()
        and found.df.tolist() == found.human_df.tolist()
        and not found.slope.any()
    )


@pytest.mark.parametrize("kind", ["usual", "alone", "collections", "groups", "all of it"])
@pytest.mark.parametrize("value", [0.0, 0.1, 0.7, 1e6])
def test_a_constant_judge_leaves_the_interval_of_people(kind: str, value: float) -> None:
    parts, grouped = parts_of(kind)
    parts = [replace(part, f=np.full_like(part.f, value), u=part.u) for part in parts]
    two = two_of(parts, grouped=grouped)
    for found in (means(two), Family(two).differences(Pairs.all(3)), Family(two).means()):
        assert of_people_alone(found)
        assert (found.doubts == int(Doubt.JUDGE_CONSTANT)).all()
        assert np.isnan(found.correlation).all()


@pytest.mark.parametrize("kind", ["alone", "groups and alone", "all of it"])
def test_where_the_judge_is_of_no_use_all_topics_of_people_count_alike(kind: str) -> None:
    """So that max-T resamples what is estimated, which is then the mean of all of them."""
    parts, grouped = parts_of(kind)
    for changed in ([replace(part, f=np.ones_like(part.f)) for part in parts],
                    [replace(part, u=part.u[:0], other=()) for part in parts]):  # fmt: skip
        family = Family(two_of(changed, grouped=grouped))
        expected = [len(part.h) / (len(part.h) + len(part.alone)) for part in parts]
        assert family.weights[:, 0].tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("judge", ["constant", "without others"])
def test_a_large_group_of_middling_scores_does_not_make_a_useless_judge_count(judge: str) -> None:
    """The jackknife's variance is then below that of the mean, as if the judge knew something."""
    random = np.random.default_rng(9)
    h, f, u, alone = (random.random((number, 2)) for number in (20, 20, 12, 4))
    h[:10] = h[10:].mean(axis=0)
    part = part_of(h, f, u, alone, [[10, 2, 2, 2, 2, 2], [1] * 12, [1] * 4])
    left_out = [part.without(group).h for group in range(6)]
    apart = [own[:, 0].mean() - own[:, 1].mean() for own in left_out]
    jackknife = 5 / 6 * ((np.array(apart) - np.mean(apart)) ** 2).sum()
    difference = part.difference(0, 1)
    assert jackknife < 0.9 * longhand.variance_of_mean(difference.h, part.labelled)[0]
    useless = (replace(part, f=np.ones_like(f)) if judge == "constant"
               else replace(part, u=u[:0], other=()))  # fmt: skip
    family = Family(two_of([useless], grouped=True))
    assert family.weights[0, 0] == pytest.approx(20 / 24, rel=1e-12)


def test_a_judge_that_sees_no_difference_of_runs_is_of_no_use_for_them_but_for_means() -> None:
    """Their mean over runs is not to the last bit what all of them have."""
    parts, _ = parts_of("usual")
    same = [replace(part, f=part.f[:, [0] * 3], u=part.u[:, [0] * 3]) for part in parts]
    two = two_of(same)
    assert means(two).used.all()
    assert of_people_alone(Family(two).differences(Pairs.all(3)))


def test_one_topic_that_alone_makes_the_slope_leaves_the_interval_of_people() -> None:
    """Its leverage is 1/n + (f - f̄)²/S_ff; .999 is the most."""
    random = np.random.default_rng(0)
    h, u = random.random(10), random.random(30)
    off = np.array([1.0, -1, 1, -1, 1, -1, 1, -1, 0])
    for size, used in ((0.1, True), (0.035, True), (0.034, True), (0.031, False), (0.0, False)):
        f = np.append(size * off, 3.0)
        leverage = 0.1 + (3 - f.mean()) ** 2 / ((f - f.mean()) ** 2).sum()
        found = means(two_of([part_of(h, f, u)]))
        assert found.used[0] == used == (leverage <= 0.999)
        if not used:
            assert of_people_alone(found)
            assert found.doubts[0] == int(Doubt.JUDGE_CONSTANT)


@pytest.mark.parametrize("kind", ["usual", "alone", "collections", "groups"])
def test_without_other_topics_the_interval_is_that_of_people(kind: str) -> None:
    parts, grouped = parts_of(kind)
    two = two_of([replace(part, u=part.u[:0], other=()) for part in parts], grouped=grouped)
    for found in (means(two), Family(two).differences(Pairs.all(3)), Family(two).means()):
        assert of_people_alone(found)
        assert (found.doubts == int(Doubt.NO_OTHER_TOPICS)).all()


def test_no_gain_is_told_where_the_correlation_is_too_small() -> None:
    random, told = np.random.default_rng(3), []
    for _ in range(60):
        h, f, u = random.random(20), random.random(20), random.random(50)
        found = means(two_of([part_of(h, f, u)]))
        told.append(bool(found.doubts[0] & Doubt.NO_GAIN))
        assert told[-1] == (abs(np.corrcoef(h, f)[0, 1]) <= 1 / math.sqrt(18))
    assert 0 < sum(told) < 60
    strong = means(two_of([part_of(h, h + 0.01 * f, u)]))
    assert strong.doubts[0] == 0


def test_a_correlation_of_just_the_least_that_gains_gains_nothing() -> None:
    """Of six topics, it is 1/√4, here with whole numbers, without any rounding."""
    h, f = np.array([1.0, 1, -1, -1, 0, 0]), np.array([1.0, 0, -1, 0, 1, -1])
    found = means(two_of([part_of(h, f, np.arange(9.0))]))
    assert found.correlation[0] == 0.5
    assert found.doubts[0] == int(Doubt.NO_GAIN)


@pytest.mark.parametrize("who", ["human", "judge"])
def test_scores_that_differ_in_last_bits_have_no_correlation(who: str) -> None:
    """As .1 + .2 and .3 do, which are meant to be the same."""
    random = np.random.default_rng(8)
    names = ("h", "alone") if who == "human" else ("f", "u")
    [part], _ = parts_of("usual")
    noise = {name: random.choice([0.3, 0.1 + 0.2], getattr(part, name).shape) for name in names}
    assert np.ptp(noise[names[0]], axis=0).all()
    two = two_of([replace(part, **noise)])
    family = Family(two)
    for found in (means(two), family.differences(Pairs.all(3))):
        assert np.isnan(found.correlation).all()
        assert not found.gains.any()
        assert found.used.all() == (who == "human")
        assert of_people_alone(found) == (who == "judge")
    assert (family.slopes.slope[0] == 0) == (who == "judge")


def test_equal_human_scores_have_no_variance_whatever_the_judge_says() -> None:
    random = np.random.default_rng(4)
    found = means(two_of([part_of(np.full(7, 0.1), random.random(7), random.random(20))]))
    assert (found.mean[0], found.se[0]) == (0.1, 0.0)
    assert np.isnan(found.correlation[0])
    assert np.isnan(found.effective_topics[0])


def test_topics_of_people_alone_count_as_others_do_where_people_score_those_all_alike() -> None:
    """Neither judge's variance is above 0 on topics with both: there is no ratio of them."""
    random = np.random.default_rng(4)
    h = np.tile([0.1, 0.4, 0.2], (7, 1))
    part = part_of(h, random.random((7, 3)), random.random((20, 3)), random.random((3, 3)))
    family = Family(two_of([part]))
    for found in (means(family.two), family.means(), family.differences(Pairs.all(3))):
        assert found.used.all()
        np.testing.assert_allclose(found.mean, found.human_mean, rtol=1e-12)


# Promises


SEEDS = st.integers(0, 10**6)
KINDS = st.sampled_from(["usual", "five", "alone", "collections", "alone in collections",
                         "groups and alone", "all of it"])  # fmt: skip


def shifted(part: Part, of: str, scale: float, shift: float | np.ndarray) -> Part:
    names = ("h", "alone") if of == "human" else ("f", "u")
    return replace(part, **{name: scale * getattr(part, name) + shift for name in names})


@settings(max_examples=25)
@given(KINDS, SEEDS, st.floats(0.01, 100), st.floats(-100, 100))
def test_human_scores_scale_and_shift_the_estimate(
    kind: str, seed: int, scale: float, shift: float
) -> None:
    parts, grouped = parts_of(kind, seed)
    usual = two_of(parts, grouped=grouped)
    other = two_of([shifted(part, "human", scale, shift) for part in parts], grouped=grouped)
    size, pairs = scale + abs(shift), Pairs.all(3)
    found, moved = means(usual), means(other)
    np.testing.assert_allclose(moved.mean, scale * found.mean + shift, atol=1e-9 * size)
    np.testing.assert_allclose(moved.se, scale * found.se, rtol=1e-6, atol=1e-9 * size)
    found, moved = Family(usual).differences(pairs), Family(other).differences(pairs)
    np.testing.assert_allclose(moved.mean, scale * found.mean, atol=1e-9 * size)
    np.testing.assert_allclose(moved.se, scale * found.se, rtol=1e-6, atol=1e-9 * size)


@settings(max_examples=25)
@given(KINDS, SEEDS, st.floats(0.01, 100) | st.floats(-100, -0.01), st.floats(-100, 100))
def test_the_scale_and_the_bias_of_the_judge_do_not_matter(
    kind: str, seed: int, scale: float, shift: float
) -> None:
    parts, grouped = parts_of(kind, seed)
    usual = two_of(parts, grouped=grouped)
    other = two_of([shifted(part, "judge", scale, shift) for part in parts], grouped=grouped)
    for ask in (means, lambda two: Family(two).differences(Pairs.all(3))):
        found, moved = ask(usual), ask(other)
        np.testing.assert_allclose(rows_of(moved), rows_of(found), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(moved.slope * scale, found.slope, rtol=1e-6)
        np.testing.assert_allclose(np.abs(moved.correlation), np.abs(found.correlation), rtol=1e-6)


@settings(max_examples=25)
@given(st.sampled_from(["usual", "alone", "collections", "alone in collections"]), SEEDS)
def test_the_order_of_topics_and_of_runs_does_not_matter(kind: str, seed: int) -> None:
    parts, _ = parts_of(kind, seed, runs=4)
    random = np.random.default_rng(seed)
    order = random.permutation(4)
    mixed = []
    for part in parts:
        both, others, alone = (random.permutation(len(rows))
                               for rows in (part.h, part.u, part.alone))  # fmt: skip
        mixed.append(replace(part, h=part.h[both], f=part.f[both], u=part.u[others],
                             alone=part.alone[alone]).columns(order))  # fmt: skip
    usual, other = two_of(parts), two_of(mixed)
    np.testing.assert_allclose(rows_of(means(other)), rows_of(means(usual))[order], rtol=1e-9)
    pairs = Pairs.all(4)
    back = Pairs(order[pairs.run], order[pairs.baseline])
    expected = Family(usual).differences(back)
    np.testing.assert_allclose(
        rows_of(Family(other).differences(pairs)), rows_of(expected), rtol=1e-8, atol=1e-13
    )
    turned = Family(usual).differences(Pairs(back.baseline, back.run))
    np.testing.assert_allclose(-turned.mean, expected.mean)
    np.testing.assert_allclose(turned.se, expected.se)


@settings(max_examples=25)
@given(KINDS, SEEDS)
def test_the_mean_of_a_run_is_the_same_alone_and_among_others(kind: str, seed: int) -> None:
    parts, grouped = parts_of(kind, seed, runs=4)
    together = means(two_of(parts, grouped=grouped))
    for run in range(4):
        alone = means(two_of([part.columns([run]) for part in parts], grouped=grouped))
        np.testing.assert_allclose(rows_of(alone)[0], rows_of(together)[run], rtol=1e-12)


def test_a_run_beside_one_of_far_larger_scores_keeps_its_judge() -> None:
    parts, _ = parts_of("usual")
    large = [replace(part, f=part.f * [1, 1, 1e18]) for part in parts]
    assert means(two_of(large)).used.all()


@pytest.mark.parametrize(("human", "judge"), [(1e100, 1e100), (1e-100, 1), (1, 1e-100), (1e50, 1)])
def test_very_large_and_very_small_scores_lose_nothing(human: float, judge: float) -> None:
    """The largest scores that are read are 1e100."""
    [part], _ = parts_of("alone")
    other = shifted(shifted(part, "human", human, 0.0), "judge", judge, 0.0)
    pairs = Pairs.all(3)
    for ask in (means, lambda two: Family(two).differences(pairs)):
        usual, found = ask(two_of([part])), ask(two_of([other]))
        np.testing.assert_allclose(found.mean / human, usual.mean, rtol=1e-9)
        np.testing.assert_allclose(found.se / human, usual.se, rtol=1e-9)
    one, changed = (max_t_of([own], 99, 0) for own in (part, other))
    np.testing.assert_allclose(changed.at_once.largest, one.at_once.largest, rtol=1e-6)
    np.testing.assert_array_equal(changed.first_share, one.first_share)


def test_scores_of_a_judge_too_small_to_square_are_of_no_use() -> None:
    [part], _ = parts_of("usual")
    assert of_people_alone(means(two_of([shifted(part, "judge", 1e-160, 0.0)])))


def test_differences_that_are_equal_on_paper_have_no_variance() -> None:
    """Though .3 - .2 is not .1 to the last bit."""
    random = np.random.default_rng(6)
    h, f, u = (np.round(random.random((number, 3)), 2) for number in (9, 9, 20))
    for array in (h, f, u):
        array[:, 1] = np.round(array[:, 0] + 0.1, 2)
    assert np.ptp(h[:, 1] - h[:, 0]) > 0
    found = Family(two_of([part_of(h, f, u)])).differences(Pairs.all(3))
    assert found.used.all()
    assert found.se[0] == 0
    assert found.mean[0] == pytest.approx(-0.1)
    assert (found.se[1:] > 0.01).all()


def test_a_difference_that_is_zero_on_paper_is_zero() -> None:
    """A run with the topics' scores of another in another order, by both judges, has its mean."""
    random, rounded = np.random.default_rng(6), 0
    for _ in range(20):
        h, f, u = (np.round(random.random(number), 2) for number in (9, 9, 20))
        both, others = random.permutation(9), random.permutation(20)
        part = part_of(*(np.column_stack(own) for own in
                         ((h, h[both]), (f, f[both]), (u, u[others]))))  # fmt: skip
        [difference] = longhand.estimate(
            [part.difference(0, 1)], longhand.slope([part], of_differences=True), [1.0]
        )
        rounded += difference != 0
        found = Family(two_of([part])).differences(Pairs.all(2))
        assert found.used.all()
        assert found.mean[0] == 0
        assert found.se[0] > 0.01
    assert rounded > 0


@pytest.mark.parametrize("blocks", [2, 4])
def test_many_pairs_are_computed_in_blocks(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, _ = parts_of("usual", runs=5)
    family, pairs = Family(two_of(parts)), Pairs.all(5)
    usual = family.differences(pairs)
    together = math.ceil(len(pairs) / blocks) * family.two.topics
    monkeypatch.setattr("confint_cli.stats.ppi._TOGETHER", together)
    found = family.differences(pairs)
    for name in (*(own.name for own in fields(Powered)), "effective_topics", "doubts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(usual, name), err_msg=name)


# Max-T: a slow, obvious program, in which every resample is written out


def resampled(parts: Sequence[Part], number: int, seed: int) -> list[list[Part]]:
    """Resamples of all collections, from the counts that the program draws."""
    kinds = [
        [len(distinct(getattr(part, kind))) for part in parts] for kind in longhand.KINDS
    ]  # of units
    sizes = list(itertools.chain(*kinds))
    strata = tuple(size for size in sizes if size)
    found = []
    for chunk in Resamples(sum(strata), number, seed, strata).counts():
        for counts in chunk:
            split = np.split(counts, np.cumsum(sizes)[:-1])
            of_part = [split[place :: len(parts)] for place in range(len(parts))]
            found.append([part.drawn(own) for part, own in zip(parts, of_part, strict=True)])
    return found


def slowly(
    parts: Sequence[Part], number: int, seed: int
) -> tuple[dict[tuple[int, int], np.ndarray], dict[tuple[int, int], tuple[float, float, float]],
           np.ndarray]:  # fmt: skip
    """Return |T*| of each pair in all resamples, estimates of pairs, and shares of first places.

    Weights of topics of people alone are kept as they are.
    """
    runs = parts[0].runs
    pairs = list(itertools.combinations(range(runs), 2))
    w = longhand.weights(parts, of_differences=True)
    truth = {pair: difference_of_runs(parts, *pair) for pair in pairs}
    t: dict[tuple[int, int], list[float]] = {pair: [] for pair in pairs}
    firsts = np.zeros(runs)
    for drawn in resampled(parts, number, seed):
        means_of_runs = longhand.estimate(drawn, longhand.slope(drawn, of_differences=True), w)
        first = means_of_runs >= means_of_runs.max() - 1e-12
        firsts += first / first.sum()
        for pair in pairs:
            columns = [part.difference(*pair) for part in drawn]
            found, se, _ = longhand.jackknife(drawn, columns, w, of_differences=True)
            away = abs(found[0] - truth[pair][0])
            if se[0] < 3e-5 * truth[pair][1]:  # rounding
                t[pair].append(0.0 if away < 3e-5 * truth[pair][1] else math.inf)
            else:
                t[pair].append(away / se[0])
    return {pair: np.array(own) for pair, own in t.items()}, truth, firsts / number


MAX_T = {
    "plain": some_parts(1, [(8, 15, 0)], 4),
    "apart": some_parts(2, [(25, 60, 0)], 3, noise=0.05),
    "tenths": some_parts(3, [(9, 12, 0)], 3, digits=1),
    "alone": some_parts(4, [(8, 15, 7)], 3),
    "one of each": some_parts(10, [(8, 1, 1)], 3),
    "collections": some_parts(5, [(5, 9, 0), (7, 12, 0)], 3),
    "alone in collections": some_parts(6, [(5, 9, 4), (7, 0, 0)], 3),
    "groups": some_parts(7, [(22, 30, 0)], 3, groups=3),
    "groups and alone": some_parts(8, [(20, 25, 11)], 3, groups=3),
    "groups in collections": some_parts(9, [(15, 12, 6), (14, 20, 0)], 3, groups=2),
}
GROUPED = [kind for kind in MAX_T if "groups" in kind]


def max_t_of(
    parts: Sequence[Part],
    number: int,
    seed: int,
    *,
    level: float = 0.9,
    strict: bool = False,
    grouped: bool = False,
    jobs: int = 1,
) -> Standing:
    family = Family(two_of(parts, grouped=grouped))
    found = family.differences(Pairs.all(parts[0].runs))
    return standing(family, found, level, Drawing(number, seed, Local(jobs)), strict=strict)


@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
@pytest.mark.parametrize("kind", MAX_T)
def test_max_t_longhand(kind: str, strict: bool) -> None:
    """Slopes, estimates and jackknifes of resamples whose rows are literally repeated."""
    parts, level, number, seed = MAX_T[kind], 0.9, 59, 3
    found = max_t_of(parts, number, seed, strict=strict, grouped=kind in GROUPED)
    t, truth, firsts = slowly(parts, number, seed)
    once = found.at_once
    scale = {}
    for pair, own in t.items():
        least = stats.t.ppf(0.995, truth[pair][2])
        scale[pair] = 1.0 if strict else max(at(0.99, own), least)
    assert once.scale == pytest.approx(list(scale.values()), rel=1e-7)
    on_scale = {pair: own / scale[pair] for pair, own in t.items()}
    largest = np.max(list(on_scale.values()), axis=0)
    np.testing.assert_allclose(once.largest, np.sort(largest), rtol=1e-7)
    limits = once.limits()
    for place, (pair, (mean, se, _)) in enumerate(truth.items()):
        half = at(level, largest) * scale[pair] * se
        ends = (limits.low[0, place], limits.high[0, place])
        assert ends == pytest.approx((mean - half, mean + half), rel=1e-7, abs=1e-9)
        reached = np.count_nonzero(largest >= abs(mean) / se / scale[pair])
        assert once.p[place] == (1 + reached) / (1 + number)
    own = [at(level, np.max([on_scale[pair] for pair in t if run in pair], axis=0))
           for run in range(parts[0].runs)]  # fmt: skip
    assert once.own == pytest.approx(own, rel=1e-7)
    np.testing.assert_allclose(found.first_share, firsts, atol=1e-12)


def test_a_resample_in_which_the_judge_does_not_vary_has_no_slope() -> None:
    """Of six topics, two alone differ for the judge: (4/6)^6 of resamples lack both."""
    random = np.random.default_rng(5)
    base, off = random.random((6, 1)), np.zeros((6, 2))
    off[:, 0] = [0.3, 0.0, 0.3, 0.5, 0.3, 0.3]
    h = base + random.random((6, 2)) * 0.2
    parts = [part_of(h, base + off, random.random((9, 2)))]
    found = max_t_of(parts, 99, 1)
    t, _, _ = slowly(parts, 99, 1)
    lacking = sum(longhand.slope(drawn, of_differences=True) == 0
                  for drawn in resampled(parts, 99, 1))  # fmt: skip
    assert lacking > 0
    np.testing.assert_allclose(found.at_once.scale[0], max(at(0.99, t[0, 1]),
                                                           stats.t.ppf(0.995, 5)))  # fmt: skip
    on_scale = t[0, 1] / found.at_once.scale[0]
    np.testing.assert_allclose(found.at_once.largest, np.sort(on_scale), rtol=1e-6)


def test_resamples_of_one_topic_only_have_no_variance() -> None:
    """Of five topics, one in 625; T* is infinite, whatever the judge says of others."""
    parts, number = some_parts(1, [(5, 9, 0)], 3), 3000
    found = max_t_of(parts, number, 0).at_once
    once = sum(int((counts[:, :5] == 5).any(axis=1).sum())
               for counts in Resamples(14, number, 0, (5, 9)).counts())  # fmt: skip
    assert once > 0
    assert np.count_nonzero(np.isinf(found.largest)) == once


# What max-T promises


@pytest.mark.parametrize("kind", MAX_T)
def test_p_limits_and_runs_told_apart_agree(kind: str) -> None:
    for level in (0.6, 0.9):
        found = max_t_of(MAX_T[kind], 199, 0, level=level, grouped=kind in GROUPED)
        once, pairs = found.at_once, Pairs.all(MAX_T[kind][0].runs)
        limits = once.limits()
        apart = (limits.low[0] > 0) | (limits.high[0] < 0)
        np.testing.assert_array_equal(apart, once.told)
        np.testing.assert_array_equal(apart, once.p <= 1 - level + 1e-12)
        mean = Family(two_of(MAX_T[kind], grouped=kind in GROUPED)).means().mean
        rank = stats.rankdata(-mean, method="min").astype(int)
        ranking = ranked(once, pairs, rank, found.first_share)
        better = np.zeros((pairs.every, pairs.every), dtype=bool)
        better[pairs.run, pairs.baseline] = limits.low[0] > 0
        better[pairs.baseline, pairs.run] = limits.high[0] < 0
        np.testing.assert_array_equal(ranking.better, better)
        assert ranking.low.tolist() == (1 + better.sum(axis=0)).tolist()
        assert ranking.high.tolist() == (pairs.every - better.sum(axis=1)).tolist()
        assert (ranking.own_low >= ranking.low).all()
        assert (ranking.own_high <= ranking.high).all()
        assert (once.own <= once.critical).all()
        assert found.first_share.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("levels", [(0.9,), (0.8, 0.95)])
def test_pairs_with_a_baseline_and_levels_are_those_of_their_own_family(
    levels: tuple[float, ...],
) -> None:
    parts, drawing = MAX_T["plain"], Drawing(199, 2)
    family = Family(two_of(parts))
    told: list[tuple[int, int]] = []
    everything = Pairs.all(4)
    found = at_once(family, everything, family.differences(everything), levels, drawing)
    for place, level in enumerate(levels):
        one = max_t_of(parts, 199, 2, level=level).at_once
        np.testing.assert_array_equal(found.limits.low[place], one.limits().low[0])
        np.testing.assert_array_equal(found.p[place], one.p)
    pairs = Pairs.against([1], 4)
    with_baseline = at_once(family, pairs, family.differences(pairs), levels, drawing,
                            progress=lambda done, total: told.append((done, total)))  # fmt: skip
    t, truth, _ = slowly(parts, 199, 2)
    scale = {pair: max(at(0.99, own), stats.t.ppf(0.995, 7)) for pair, own in t.items()}
    largest = np.max([own / scale[pair] for pair, own in t.items() if 1 in pair], axis=0)
    for place, level in enumerate(levels):
        for pair, run in enumerate((0, 2, 3)):
            mean, se, _ = truth[min(run, 1), max(run, 1)]
            half = at(level, largest) * scale[min(run, 1), max(run, 1)] * se
            middle = mean if run < 1 else -mean
            assert with_baseline.limits.low[place, pair] == pytest.approx(middle - half)
    done = [one / total for one, total in told]
    assert done == sorted(done)
    assert done[-1] == 1


def same(one: MaxT, other: MaxT) -> None:
    np.testing.assert_array_equal(one.largest, other.largest)
    np.testing.assert_array_equal(one.scale, other.scale)
    np.testing.assert_array_equal(one.own, other.own)


@pytest.mark.parametrize("kind", ["plain", "groups and alone"])
def test_the_number_of_threads_does_not_matter(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confint_cli.stats.ppi_max_t._CHUNK", 1000)
    parts, grouped = MAX_T[kind], kind in GROUPED
    usual, other = (max_t_of(parts, 400, 0, grouped=grouped, jobs=jobs) for jobs in (1, 3))
    same(usual.at_once, other.at_once)
    np.testing.assert_array_equal(usual.first_share, other.first_share)


def test_an_error_in_a_thread_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise MemoryError("too many resamples")

    monkeypatch.setattr("confint_cli.stats.ppi_max_t._CHUNK", 1000)
    monkeypatch.setattr("confint_cli.stats.ppi_max_t._Drawn.add_others", failing)
    for jobs in (1, 3):
        with pytest.raises(MemoryError, match="too many resamples"):
            max_t_of(MAX_T["plain"], 400, 0, jobs=jobs)


def test_pairs_in_blocks_and_few_pairs_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = some_parts(0, [(12, 20, 4)], 9)
    usual = max_t_of(parts, 150, 0)
    monkeypatch.setattr("confint_cli.stats.ppi_max_t._KEPT", 150 * 7)
    blocks = max_t_of(parts, 150, 0)
    for name in ("largest", "scale", "own"):
        np.testing.assert_allclose(getattr(usual.at_once, name), getattr(blocks.at_once, name),
                                   rtol=1e-9)  # fmt: skip
    np.testing.assert_array_equal(usual.first_share, blocks.first_share)


@pytest.mark.parametrize("kind", ["plain", "collections"])
@pytest.mark.parametrize("judge", ["constant", "without others"])
def test_without_the_judge_it_is_max_t_of_people(kind: str, judge: str) -> None:
    parts = MAX_T[kind]
    if judge == "constant":
        parts = [replace(part, f=np.ones_like(part.f)) for part in parts]
    else:
        parts = [replace(part, u=part.u[:0], other=()) for part in parts]
    two = two_of(parts)
    found = max_t_of(parts, 300, 1)
    usual = max_t(two.matrix.values, Pairs.all(len(two.runs)), 0.9, Drawing(300, 1), own=True,
                  design=two.matrix.design)  # fmt: skip
    if judge == "without others":  # the same resamples
        np.testing.assert_allclose(found.at_once.largest, usual.largest, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found.at_once.own, usual.own, rtol=1e-6)
        np.testing.assert_allclose(found.at_once.half, usual.half, rtol=1e-6)
        ranking = rank_runs(two.matrix.values, 0.9, Drawing(300, 1), design=two.matrix.design)
        np.testing.assert_allclose(found.first_share, ranking.first_share)
    np.testing.assert_allclose(found.at_once.se, usual.se, rtol=1e-12)
    np.testing.assert_allclose(found.at_once.difference, usual.difference, rtol=1e-9)


@pytest.mark.parametrize("strict", [False, True], ids=["balanced", "strict"])
@pytest.mark.parametrize("topics", [(9,), (6, 8)], ids=["plain", "collections"])
@pytest.mark.parametrize("rare", [(0.1, 0.1, -0.2), (0.1, 0.2, 0.3)], ids=["zero", "not zero"])
def test_rare_differences_without_the_judge_are_those_of_max_t_of_people(
    rare: tuple[float, ...], topics: tuple[int, ...], strict: bool
) -> None:
    """Resamples that lack them are without variance: T* is infinite, or 0 for a difference of 0.

    At a level of .6, pairs are kept that lack them in as many resamples as have no finite scale.
    """
    random, parts = np.random.default_rng(3), []
    for number in topics:
        h = random.random((number, 3))
        h[:, 1] = h[:, 0]
        h[:3, 1] += rare
        parts.append(part_of(h, random.random((number, 3)), h[:0]))
    for runs in (2, 3):
        own = [part.columns(range(runs)) for part in parts]
        two, pairs = two_of(own), Pairs.all(runs)
        found = max_t_of(own, 300, 1, level=0.6, strict=strict).at_once
        usual = max_t(two.matrix.values, pairs, 0.6, Drawing(300, 1), own=True, strict=strict,
                      design=two.matrix.design)  # fmt: skip
        for name in ("largest", "own", "scale", "scale_error", "half", "error"):
            np.testing.assert_allclose(
                getattr(found, name), getattr(usual, name), rtol=1e-6, atol=1e-12, err_msg=name
            )
        for name in ("differing", "few_differences", "left_out", "unbounded"):
            np.testing.assert_array_equal(getattr(found, name), getattr(usual, name), err_msg=name)
        assert found.enough_topics
        assert usual.enough_topics
        if len(topics) == 1:
            assert found.left_out.tolist() == [sum(rare) > 0, False, False][: len(pairs)]


@pytest.mark.parametrize("kind", ["plain", "collections", "alone in collections", "groups"])
def test_a_pair_is_resampled_alike_alone_and_among_all(kind: str) -> None:
    """Few pairs of many runs are computed in another way than all of them."""
    topics, grouped = TOPICS["usual" if kind == "plain" else kind], kind in GROUPED
    parts = some_parts(5, topics, 4, groups=3 if grouped else 0)
    family, pairs = Family(two_of(parts, grouped=grouped)), Pairs.all(4)
    drawing = Drawing(99, 3)
    together = standing(family, family.differences(pairs), 0.9, drawing).at_once
    assert len({*together.scale.tolist()}) > 3
    for place in range(len(pairs)):
        one = Pairs(pairs.run[[place]], pairs.baseline[[place]])
        [alone] = at_once(family, one, family.differences(one), (0.9,), drawing).by_level
        assert alone.scale[0] == pytest.approx(together.scale[place], rel=1e-9)
        assert alone.own is None  # it takes time, and is for ranks


def test_one_scale_for_all_pairs_has_to_be_asked_for() -> None:
    parts, drawing, pairs = MAX_T["plain"], Drawing(99, 2), Pairs.all(4)
    family = Family(two_of(parts))
    differences = family.differences(pairs)
    [usual], [strict] = (
        found.by_level
        for found in (at_once(family, pairs, differences, (0.9,), drawing),
                      at_once(family, pairs, differences, (0.9,), drawing, strict=True))
    )  # fmt: skip
    assert (strict.scale == 1).all()
    assert not strict.scale_error.any()
    assert (usual.scale > 1).all()
    of_ranks = standing(family, differences, 0.9, drawing).at_once
    np.testing.assert_array_equal(of_ranks.scale, usual.scale)


def test_runs_that_are_equal_share_the_first_place() -> None:
    [part] = MAX_T["plain"]
    first = int(Family(two_of([part])).means().mean.argmax())
    worst = int(Family(two_of([part])).means().mean.argmin())
    usual = max_t_of([part.columns([first, worst])], 199, 1).first_share
    assert usual[0] > usual[1] > 0
    copies = max_t_of([part.columns([first, worst, first])], 199, 1).first_share
    assert copies[0] == copies[2]
    assert copies.sum() == pytest.approx(1.0)
    nothing = replace(part, h=np.zeros_like(part.h))
    assert max_t_of([nothing], 99, 1).first_share.tolist() == [0.25] * 4


def test_runs_that_people_hardly_tell_apart_have_no_limits() -> None:
    """Copies have a difference of 0; what differs for the judge alone is left out, not guessed."""
    parts, _ = parts_of("usual", runs=2)
    [part] = parts
    h, f, u = (array[:, [0, 1, 0, 0, 0]] for array in (part.h, part.f, part.u))
    f[:, 3], u[:, 3] = part.f[:, 1], part.u[:, 1]  # another run for the judge
    h[0, 4] += 0.3
    alike = [part_of(h, f, u)]
    once, pairs = max_t_of(alike, 199, 0).at_once, Pairs.all(5)
    places = {pair: place for place, pair in enumerate(zip(*_both(pairs), strict=True))}
    copies, judged, rarely = places[0, 2], places[0, 3], places[0, 4]
    limits = once.limits()
    assert (limits.low[0, copies], limits.high[0, copies]) == (0.0, 0.0)
    assert not once.left_out[copies]
    for place in (judged, rarely):
        assert once.left_out[place]
        assert once.few_differences[place]
        assert math.isnan(limits.low[0, place])
        assert once.p[place] == 1.0
    assert np.isfinite(limits.low[0, places[0, 1]])
    assert np.isfinite(once.error).all()
    assert once.counted(pairs).at_most == 1


def test_very_many_other_topics_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Critical values are nearly the same, but for random numbers."""
    parts = some_parts(2, [(20, 900, 0)], 4)
    usual = max_t_of(parts, 4000, 0)
    monkeypatch.setattr("confint_cli.stats.ppi_max_t._MOST_OTHERS", 200)
    other = max_t_of(parts, 4000, 0)
    np.testing.assert_allclose(other.at_once.scale, usual.at_once.scale, rtol=0.08)
    assert other.at_once.critical == pytest.approx(usual.at_once.critical, rel=0.04)
    assert other.at_once.critical != usual.at_once.critical
    np.testing.assert_allclose(other.first_share, usual.first_share, atol=0.03)


def test_units_that_are_put_together_keep_their_sizes_and_have_any_order() -> None:
    """Of sorted scores, neighbours would be alike, and the sum of many vary too much."""
    [part] = some_parts(2, [(20, 900, 0)], 3, groups=3)
    scores = np.column_stack([np.ones(900), np.sort(part.u[:, 0]), part.u[:, 1]])
    [kind] = [_Kind(two_of([replace(part, u=scores)], grouped=True).others, 0, np.zeros(3))]
    before, sizes = variance(kind), kind.sizes.sum()
    kind.put_together(100, 0)
    np.testing.assert_array_equal(kind.sums[:, 0], kind.sizes)
    assert (kind.number, kind.sizes.sum()) == (100, sizes)
    np.testing.assert_allclose(variance(kind)[1:], before[1:], rtol=0.5)


def test_no_more_other_topics_than_the_most_are_left_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [part] = MAX_T["plain"]
    usual = max_t_of([part], 99, 0)
    for most in (len(part.u), len(part.u) - 1):
        monkeypatch.setattr("confint_cli.stats.ppi_max_t._MOST_OTHERS", most)
        found = max_t_of([part], 99, 0).at_once.largest
        assert np.array_equal(found, usual.at_once.largest) == (most == len(part.u))


def test_the_seed_says_which_other_topics_are_put_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("confint_cli.stats.ppi_max_t._MOST_OTHERS", 5)
    family = Family(two_of(MAX_T["plain"]))
    one, again, other = (_Resampled(family, Drawing(9, seed)).others[0].sums for seed in (1, 1, 2))
    np.testing.assert_array_equal(again, one)
    assert (other != one).all()
    np.testing.assert_allclose(other.sum(axis=0), one.sum(axis=0))


def variance(kind: _Kind) -> np.ndarray:
    """Of the mean of all topics."""
    off = kind.sums - kind.sizes[:, None] * kind.sums.sum(axis=0) / kind.sizes.sum()
    return (off**2).sum(axis=0)


@settings(max_examples=25)
@given(st.sampled_from([kind for kind in MAX_T if kind != "tenths"]),
       st.floats(0.01, 100), st.floats(0.01, 100) | st.floats(-100, -0.01),
       st.floats(-100, 100))  # fmt: skip
def test_the_scales_of_both_judges_do_not_matter_to_max_t(
    kind: str, human: float, judge: float, bias: float
) -> None:
    parts, grouped = MAX_T[kind], kind in GROUPED
    moved = [shifted(shifted(part, "human", human, 0.0), "judge", judge, bias) for part in parts]
    assume(abs(bias) < 1000 * abs(judge))
    one, other = (max_t_of(own, 99, 1, grouped=grouped).at_once for own in (parts, moved))
    np.testing.assert_allclose(other.largest, one.largest, rtol=1e-4)
    np.testing.assert_allclose(other.half, human * one.half, rtol=1e-4)


def test_one_run_has_nothing_to_be_compared_with() -> None:
    parts = some_parts(0, [(9, 12, 0)], 1)
    family = Family(two_of(parts))
    found = family.differences(Pairs.all(1))
    assert rows_of(found).shape == (0, 3)
    assert standing(family, found, 0.95, Drawing(99, 0)).first_share.tolist() == [1.0]
    assert of_people_alone(family.means())
    assert at_fixed_mean(parts[0])[0] == pytest.approx(means(family.two).mean[0])
