"""A cheaper judge beside people, through the command line and from Python: what is computed."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import confint_cli as confint
from confint_cli.common.errors import CallError, DataError
from tests.conftest import Confint, records
from tests.judged import COLLECTIONS, RUNS, some, written
from tests.stats import longhand_ppi as longhand
from tests.stats.longhand_ppi import Part

Row = dict[str, Any]

# The numbers of topics with both judges, of the judge alone, of people alone; and sizes of groups.
SHAPES: dict[str, tuple[tuple[tuple[int, int, int], ...], int]] = {
    "plain": (((12, 30, 0),), 0),
    "people's own topics": (((12, 30, 5),), 0),
    "collections": (((9, 30, 0), (14, 25, 4), (11, 40, 0)), 0),
    "groups": (((24, 50, 0),), 2),
    "groups, people's own": (((26, 40, 10),), 2),
    "groups in collections": (((18, 30, 0), (22, 25, 5)), 2),
}


def parts_of(shape: str, seed: int = 3) -> list[Part]:
    topics, groups = SHAPES[shape]
    return some(seed, *topics, groups=groups)


def asked(command: str, folder: Path, parts: Sequence[Part], **options: Any) -> list[Any]:
    """Return the records of all collections together, or of the only one, from Python."""
    people, judge = written(folder, parts, groups=any(map(in_groups, parts)))
    result = getattr(confint, command)(str(people), judge_scores=str(judge), **options)
    return [row for row in result.rows if getattr(row, "collection", "") in ("", "macro")]


def in_groups(part: Part) -> bool:
    return len(set(part.labelled)) < len(part.labelled)


def mean_of(arrays: Sequence[np.ndarray], run: int) -> float:
    """The mean over collections of a run's means."""
    return float(np.mean([array[:, run].mean() for array in arrays]))


# What is computed


@pytest.mark.parametrize("shape", SHAPES)
def test_means_are_those_of_the_formula_longhand(shape: str, tmp_path: Path) -> None:
    parts = parts_of(shape)
    rows = asked("interval", tmp_path, parts, level=[0.8, 0.95])
    assert [(row.run, row.level) for row in rows] == [
        (run, level) for run in dict.fromkeys(row.run for row in rows) for level in (0.8, 0.95)
    ]
    assert len(rows) == 6
    for row in rows:
        run = RUNS.index(row.run)
        mean, se, df = longhand.mean_of_run(parts, run)
        half = stats.t.ppf((1 + row.level) / 2, df) * se
        assert (row.mean, row.se, row.df) == pytest.approx((mean, se, df), rel=1e-9)
        assert (row.low, row.high) == pytest.approx((mean - half, mean + half), rel=1e-9)
        h, f = [part.h for part in parts], [part.f for part in parts]
        everything = [np.concatenate([part.f, part.u]) for part in parts]
        assert row.judge_mean == pytest.approx(mean_of(everything, run))
        assert row.bias == pytest.approx(mean_of(f, run) - mean_of(h, run))
        own = [part.columns([run]) for part in parts]
        assert row.slope == pytest.approx(longhand.slope(own, of_differences=False))
        centred = [np.concatenate([one[:, run] - one[:, run].mean() for one in of])
                   for of in (h, f)]  # fmt: skip
        assert row.correlation == pytest.approx(stats.pearsonr(*centred).statistic)
        assert row.topics == sum(len(part.h) + len(part.u) + len(part.alone) for part in parts)
        assert row.human_topics == sum(len(part.h) + len(part.alone) for part in parts)


@pytest.mark.parametrize("shape", SHAPES)
def test_differences_are_those_of_the_formula_longhand(shape: str, tmp_path: Path) -> None:
    parts = parts_of(shape)
    rows = asked("compare", tmp_path, parts, all_pairs=True, correct="none")
    assert len(rows) == 3
    slope = longhand.slope(parts, of_differences=True)
    for row in rows:
        run, baseline = RUNS.index(row.run), RUNS.index(row.baseline)
        mean, se, df = longhand.difference_of_runs(parts, run, baseline)
        half = stats.t.ppf(0.975, df) * se
        assert row.difference == pytest.approx(mean, rel=1e-9, abs=1e-12)
        assert (row.low, row.high) == pytest.approx((mean - half, mean + half), abs=1e-11)
        assert (row.t, row.df) == pytest.approx((mean / se, df), rel=1e-9)
        assert row.p_t == pytest.approx(2 * stats.t.sf(abs(mean) / se, df), rel=1e-8)
        assert row.slope == pytest.approx(slope)
        assert row.mean - row.baseline_mean == pytest.approx(row.difference)
        everything = [np.concatenate([part.f, part.u]) for part in parts]
        by_judge = mean_of(everything, run) - mean_of(everything, baseline)
        assert row.judge_difference == pytest.approx(by_judge)


@pytest.mark.parametrize("shape", SHAPES)
def test_ranks_are_by_means_with_one_slope_for_all_runs(shape: str, tmp_path: Path) -> None:
    parts = parts_of(shape)
    rows = asked("rank", tmp_path, parts, draws=200)
    weights = longhand.weights(parts, of_differences=True)
    mean, se, df = longhand.jackknife(parts, parts, weights, of_differences=True)
    assert [row.run for row in rows] == [RUNS[run] for run in np.argsort(-mean)]
    assert [row.rank for row in rows] == [1, 2, 3]
    half = stats.t.ppf(0.975, df) * se
    for row in rows:
        run = RUNS.index(row.run)
        assert row.mean == pytest.approx(mean[run])
        assert (row.low, row.high) == pytest.approx((mean[run] - half[run], mean[run] + half[run]))
        assert row.topics == sum(len(part.h) + len(part.u) + len(part.alone) for part in parts)
        assert row.human_topics == sum(len(part.h) + len(part.alone) for part in parts)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_people_say_alone_is_what_the_same_call_says_without_the_judge(
    shape: str, tmp_path: Path
) -> None:
    parts = parts_of(shape)
    people, judge = (str(path) for path in written(
        tmp_path, parts, groups=any(map(in_groups, parts))))  # fmt: skip
    alone = {(row.run, row.collection): row for row in confint.interval(people).rows}
    for row in [*confint.interval(people, judge_scores=judge).rows,
                *confint.rank(people, judge_scores=judge, draws=200).rows]:  # fmt: skip
        own = alone[row.run, row.collection]
        assert (row.human_mean, row.human_low, row.human_high) == pytest.approx(
            (own.mean, own.low, own.high))  # fmt: skip
        assert row.human_topics == own.topics
    rows = confint.compare(people, judge_scores=judge, baseline="bm25").rows
    others = {(row.run, row.collection): row for row in confint.compare(people, baseline="bm25")}
    for row in rows:
        own = others[row.run, row.collection]
        assert (row.human_difference, row.human_low, row.human_high) == pytest.approx(
            (own.difference, own.low, own.high))  # fmt: skip


@pytest.mark.parametrize("shape", ["plain", "people's own topics"])
def test_effective_topics_are_people_times_the_ratio_of_variances(
    shape: str, tmp_path: Path
) -> None:
    (part,) = parts_of(shape)
    people = np.concatenate([part.h, part.alone])
    for row in asked("interval", tmp_path, [part]):
        scores = people[:, RUNS.index(row.run)]
        low, high = stats.t.interval(0.95, len(scores) - 1, scores.mean(), stats.sem(scores))
        assert (row.human_low, row.human_high) == pytest.approx((low, high))
        effective = len(scores) * (stats.sem(scores) / row.se) ** 2
        assert row.effective_topics == pytest.approx(effective)


def test_each_collection_is_as_if_it_stood_alone(tmp_path: Path) -> None:
    parts = parts_of("collections")
    people, judge = map(str, written(tmp_path, parts))
    for command, options in (("interval", {}), ("compare", {"all_pairs": True}), ("rank", {})):
        result = getattr(confint, command)(people, judge_scores=judge, **options)
        for name, part in zip(COLLECTIONS, parts, strict=False):
            found = {(row.run, getattr(row, "baseline", "")): row for row in result.rows
                     if row.collection == name}  # fmt: skip
            (tmp_path / name).mkdir(exist_ok=True)
            for own in asked(command, tmp_path / name, [part], **options):
                key = (own.run, getattr(own, "baseline", ""))
                if key not in found:  # a pair, the other way round
                    assert found[key[::-1]].difference == pytest.approx(-own.difference)
                    continue
                for field in ("mean", "low", "high", "human_low", "judge_mean", "bias", "slope",
                              "judge_difference", "effective_topics", "human_topics"):  # fmt: skip
                    if hasattr(own, field):
                        assert getattr(found[key], field) == pytest.approx(
                            getattr(own, field), nan_ok=True, abs=1e-12), field  # fmt: skip


def test_runs_stand_in_the_order_of_their_means_by_both_judges(tmp_path: Path) -> None:
    """People alone, or the judge alone, would put others first."""
    # On other topics, the judge finds the first run better than the third.
    parts = [replace(part, u=part.u + np.array([0.3, 0, -0.3]))
             for part in some(3, (12, 60, 0), (20, 25, 0))]  # fmt: skip
    for kept in (parts[:1], parts):
        people, judge = map(str, written(tmp_path, kept))
        for command, options in (("interval", {}), ("rank", {"draws": 200})):
            rows = getattr(confint, command)(people, judge_scores=judge, **options).rows
            first = rows[:3] if len(kept) == 1 else [row for row in rows
                                                     if row.collection == "macro"]  # fmt: skip
            order = [row.run for row in first]
            assert [row.mean for row in first] == sorted((r.mean for r in first), reverse=True)
            by_people = confint.rank(people, draws=200).rows
            assert order != [row.run for row in by_people][-3:]
        by_name = confint.interval(people, judge_scores=judge, sort="name").rows
        assert [row.run for row in by_name if row.collection in ("", "macro")] == sorted(RUNS)
        pairs = confint.compare(people, judge_scores=judge, all_pairs=True).rows
        assert {(r.run, r.baseline) for r in pairs if r.collection in ("", "macro")} == {
            (order[0], order[1]), (order[0], order[2]), (order[1], order[2])}  # fmt: skip


def test_several_measures_are_as_each_alone(tmp_path: Path) -> None:
    people, judge = written(tmp_path, some(1, (12, 30, 0)))
    other = [tmp_path / "other"]
    other[0].mkdir()
    further = written(other[0], some(2, (12, 30, 0)))
    for path, more in zip((people, judge), further, strict=True):
        lines = more.read_text().replace("\tm\t", "\tk\t").splitlines()[1:]
        path.write_text(path.read_text() + "\n".join([*lines, ""]))
    together = confint.interval(str(people), judge_scores=str(judge)).rows
    assert [row.measure for row in together] == ["m"] * 3 + ["k"] * 3
    for measure in ("m", "k"):
        alone = confint.interval(str(people), judge_scores=str(judge), measure=measure).rows
        assert alone == [row for row in together if row.measure == measure]
    compared = confint.compare(str(people), judge_scores=str(judge), baseline="bm25").rows
    assert [row.measure for row in compared] == ["m"] * 2 + ["k"] * 2


# Families of comparisons


def test_p_values_are_corrected_by_holm(tmp_path: Path) -> None:
    rows = asked("compare", tmp_path, some(4, (15, 60, 0)), all_pairs=True)
    p = sorted(row.p_t for row in rows)
    holm = np.minimum(np.maximum.accumulate(np.array(p) * [3, 2, 1]), 1)
    assert sorted(row.p_adjusted for row in rows) == pytest.approx(holm.tolist())


def test_max_t_intervals_hold_at_once_and_agree_with_its_p_values(tmp_path: Path) -> None:
    parts = some(4, (15, 60, 0))
    single = {(r.run, r.baseline): r for r in asked("compare", tmp_path, parts, all_pairs=True)}
    options: Row = {"all_pairs": True, "simultaneous": True, "draws": 4000}
    rows = asked("compare", tmp_path, parts, **options)
    assert {row.method for row in rows} == {"max-t"}
    for row in rows:
        own = single[row.run, row.baseline]
        assert row.difference == own.difference
        assert row.low < own.low < own.high < row.high
        assert (row.p_adjusted <= 0.05) == (row.low > 0 or row.high < 0)
        assert row.p_adjusted >= row.p_t
    strict = asked("compare", tmp_path, parts, strict=True, **options)
    halves = [(row.high - row.low) / 2 * row.t / row.difference for row in strict]
    assert halves == pytest.approx([halves[0]] * 3)  # one critical value for all pairs
    again = asked("compare", tmp_path, parts, all_pairs=True, correct="max-t", draws=4000)
    assert [row.p_adjusted for row in again] == [row.p_adjusted for row in rows]


def test_rank_sets_are_those_of_the_pairs_that_max_t_tells_apart(tmp_path: Path) -> None:
    parts = some(6, (20, 80, 0))
    pairs = asked("compare", tmp_path, parts, all_pairs=True, simultaneous=True)
    better = {(row.run, row.baseline) for row in pairs if row.low > 0}
    better |= {(row.baseline, row.run) for row in pairs if row.high < 0}
    assert 0 < len(better) < 3
    for row in asked("rank", tmp_path, parts):
        assert row.rank_low == 1 + sum(worse == row.run for _, worse in better)
        assert row.rank_high == 3 - sum(ahead == row.run for ahead, _ in better)


# Edges


def test_two_runs_have_the_slope_of_their_difference(tmp_path: Path) -> None:
    (part,) = some(5, (12, 40, 0))
    two = part.columns([0, 1])
    (row,) = asked("compare", tmp_path, [two], baseline="bm25")
    h, f = two.h[:, 0] - two.h[:, 1], two.f[:, 0] - two.f[:, 1]
    everything = np.concatenate([f, two.u[:, 0] - two.u[:, 1]])
    fit = stats.linregress(f, h)
    assert row.slope == pytest.approx(fit.slope)
    assert row.correlation == pytest.approx(fit.rvalue)
    assert row.difference == pytest.approx(h.mean() + fit.slope * (everything.mean() - f.mean()))


def test_one_run_alone(tmp_path: Path) -> None:
    (part,) = some(5, (12, 40, 0))
    (row,) = asked("interval", tmp_path, [part.columns([1])])
    mean, se, df, _ = longhand.one_run(*(array[:, 1].tolist() for array in
                                         (part.h, part.f, part.u)))  # fmt: skip
    assert (row.mean, row.se, row.df) == pytest.approx((mean, se, df))


def test_runs_with_the_same_scores_are_identical(tmp_path: Path) -> None:
    (part,) = some(5, (12, 40, 0))
    same = part.columns([0, 0, 1])
    rows = asked("compare", tmp_path, [same], baseline="dense", simultaneous=True, draws=500)
    by_run = {row.run: row for row in rows}
    twin = by_run["bm25"]
    assert (twin.difference, twin.low, twin.high, twin.p_t) == (0, 0, 0, 1)
    assert "identical" in twin.note
    assert "identical" not in by_run["hybrid"].note
    ranks = {row.run: row for row in asked("rank", tmp_path, [same], draws=500)}
    assert ranks["dense"].rank == ranks["bm25"].rank
    assert (ranks["dense"].copy_of, ranks["bm25"].copy_of) in (("", "dense"), ("bm25", ""))


@pytest.mark.parametrize("shape", ["plain", "groups", "collections"])
def test_a_judge_that_does_not_vary_changes_nothing(shape: str, tmp_path: Path) -> None:
    parts = [replace(part, f=np.full_like(part.f, 0.1), u=np.full_like(part.u, 0.1))
             for part in parts_of(shape)]  # fmt: skip
    for command, options in (("interval", {}), ("compare", {"baseline": "bm25"})):
        for row in asked(command, tmp_path, parts, **options):
            kind = "mean" if command == "interval" else "difference"
            assert (getattr(row, kind), row.low, row.high) == pytest.approx(
                (getattr(row, f"human_{kind}"), row.human_low, row.human_high))  # fmt: skip
            assert row.effective_topics == pytest.approx(row.human_topics)
            assert math.isnan(row.correlation)
            assert row.slope == 0
            assert "judge constant" in row.note


def test_the_effect_of_groups_on_people_is_not_that_on_both(tmp_path: Path) -> None:
    for command, options in (("interval", {}), ("rank", {}), ("compare", {"baseline": "bm25"})):
        rows = asked(command, tmp_path, parts_of("groups"), **options)
        assert rows
        assert all(row.groups and math.isnan(row.design_effect) for row in rows)


ALONE = (
    "confint: note: the judge has judged no topic that people have not: the result is that of "
    "people's scores only"
)


@pytest.mark.parametrize("shape", [((12, 0, 0),), ((12, 0, 0), (9, 0, 0))])
def test_a_judge_without_further_topics_changes_nothing(
    shape: tuple[tuple[int, int, int], ...], tmp_path: Path, confint: Confint
) -> None:
    people, judge = written(tmp_path, some(5, *shape))
    for command in (["interval"], ["compare", "--baseline", "bm25"], ["rank", "--draws", 200],
                    ["plan"], ["coverage", "--replicates", 20, "--method", "t"],
                    ["compare", "--all-pairs", "--test", "wilcoxon"]):  # fmt: skip
        by_judge = command[:-2] if "coverage" in command else command
        result = confint(*by_judge, people, "--judge-scores", judge)
        alone = confint(*command, people)
        assert result.out == alone.out
        assert ALONE in result.err.splitlines()
        assert ALONE not in alone.err
    once = confint("interval", people, "--judge-scores", people)
    assert once.err.splitlines()[-2:] == [
        ALONE, "confint: warning: both judges give the same scores on all topics: is it the same "
        "file twice?",
    ]  # fmt: skip


def test_people_and_judge_may_have_been_swapped(tmp_path: Path, confint: Confint) -> None:
    people, judge = written(tmp_path, some(5, (12, 20, 0)))
    for command in (["interval"], ["compare", "--all-pairs"], ["rank"], ["plan"], ["coverage"]):
        result = confint(*command, judge, "--judge-scores", people)
        assert (result.status, result.out) == (1, "")
        assert result.err.splitlines() == [
            "confint: people have judged 32 topics, and the judge 12 of these and no others: are "
            "the two swapped?",
            "  hint: the judge has to judge people's topics and more; -q takes people's judgements",
        ]


def test_a_collection_without_further_topics_is_of_people_alone(tmp_path: Path) -> None:
    parts = some(5, (12, 0, 0), (10, 30, 0))
    for row in asked("interval", tmp_path, parts):
        mean, se, df = longhand.mean_of_run(parts, RUNS.index(row.run))
        assert (row.mean, row.se, row.df) == pytest.approx((mean, se, df))
    people, judge = map(str, written(tmp_path, parts))
    rows = {(row.run, row.collection): row for row in confint.interval(people, judge_scores=judge)}
    alone = {(row.run, row.collection): row for row in confint.interval(people)}
    for run in RUNS:
        row, own = rows[run, "news"], alone[run, "news"]
        assert (row.low, row.high) == pytest.approx((own.low, own.high))
        assert "no further topics" in row.note


def test_no_gain_where_the_judge_hardly_agrees_with_people(tmp_path: Path) -> None:
    """The correlation has to exceed 1/√(n-2)."""
    (part,) = some(5, (12, 40, 0))
    noise = np.random.default_rng(3).random((52, 3)).round(4)
    f = noise[:12] + np.array([0, 0.1, 1]) * part.h
    rows = asked(
        "interval", tmp_path, [replace(part, f=f, u=noise[12:] + np.array([0, 0.05, 0.5]))]
    )
    assert {abs(row.correlation) > 1 / math.sqrt(10) for row in rows} == {True, False}
    for row in rows:
        assert ("no gain" in row.note) == (abs(row.correlation) <= 1 / math.sqrt(10))


# Are the topics of people like the others?


def shifted(part: Part, amount: float) -> Part:
    return replace(part, u=part.u - amount)


def welch(part: Part) -> tuple[float, float]:
    """The distance of topics in standard deviations, and p."""
    f, u = part.f.mean(axis=1), part.u.mean(axis=1)
    pooled = ((len(f) - 1) * f.var(ddof=1) + (len(u) - 1) * u.var(ddof=1)) / (len(f) + len(u) - 2)
    p = stats.ttest_ind(f, u, equal_var=False).pvalue
    return float((f.mean() - u.mean()) / math.sqrt(pooled)), float(p)


def test_topics_of_people_that_are_unlike_the_others_are_warned_of(
    tmp_path: Path, confint: Confint
) -> None:
    (part,) = some(9, (40, 60, 0))
    sd = float(part.u.mean(axis=1).std(ddof=1))
    for amount, where in ((0.75 * sd, "above"), (-0.75 * sd, "below")):
        moved = shifted(part, round(amount, 4))
        sds, p = welch(moved)
        assert p < 0.01
        assert abs(sds) < 1
        people, judge = written(tmp_path, [moved])
        for command in (["interval"], ["compare", "--all-pairs"], ["rank", "--draws", 200],
                        ["plan"], ["coverage", "--replicates", 5]):  # fmt: skip
            result = confint(*command, people, "--judge-scores", judge)
            assert result.status == 0
            assert (
                "confint: warning: on m, the judge scores the topics that people judged "
                f"{abs(sds):.2f} standard deviations {where} the others (p = {p:.1g} by Welch's t "
                "test over the means of topics): they are not a random sample of all, and "
                "intervals from both judges cover too rarely"
            ) in result.err.splitlines()


def test_topics_of_people_that_are_far_from_the_others_are_refused(
    tmp_path: Path, confint: Confint
) -> None:
    (part,) = some(9, (40, 60, 0))
    moved = shifted(part, 0.6)
    sds, p = welch(moved)
    assert sds > 1
    people, judge = written(tmp_path, [moved])
    for command in (["interval"], ["compare", "--all-pairs"], ["rank"], ["plan"], ["coverage"]):
        result = confint(*command, people, "--judge-scores", judge)
        assert (result.status, result.out) == (1, "")
        assert result.err.splitlines()[-2:] == [
            "confint: on m, the judge scores the topics that people judged "
            f"{sds:.2f} standard deviations above the others (p = {p:.1g} by Welch's t test over "
            "the means of topics): they are not a random sample of all",
            "  hint: without the judge, people's scores have their usual interval; --topics can "
            "leave out topics of another kind",
        ]


def test_the_limit_is_a_p_value_of_one_percent(tmp_path: Path) -> None:
    (part,) = some(9, (40, 60, 0))

    def p(amount: float) -> float:
        return welch(shifted(part, amount))[1]

    low, high = 0.0, 0.3
    while high - low > 0.00005:
        middle = (low + high) / 2
        low, high = (middle, high) if p(middle) >= 0.01 else (low, middle)
    last = math.floor(high * 10_000) / 10_000
    assert p(last) >= 0.01 > p(last + 0.0001)
    for amount, warned in ((last, False), (last + 0.0001, True)):
        people, judge = written(tmp_path, [shifted(part, round(amount, 4))])
        notices = confint.interval(str(people), judge_scores=str(judge)).notices
        assert any("Welch" in notice.text for notice in notices) == warned


def test_a_random_sample_is_not_warned_of(tmp_path: Path) -> None:
    """At 1%, more than three of forty come up in one of two thousand sets of samples."""
    warned = 0
    for seed in range(40):
        part = some(seed, (12, 40, 0))[0].columns([0, 1])
        people, judge = written(tmp_path, [part])
        notices = confint.interval(str(people), judge_scores=str(judge)).notices
        warned += any("Welch" in notice.text for notice in notices)
    assert warned <= 3


def test_a_run_that_lacks_more_of_the_judges_topics_is_refused(
    tmp_path: Path, confint: Confint
) -> None:
    people, judge = written(tmp_path, some(5, (50, 100, 0)))
    lines = judge.read_text().splitlines()
    for lacking, refused in ((2, False), (3, True)):
        lacked = {f"bm25\t{topic}\t" for topic in range(300, 300 + lacking)}
        kept = [line for line in lines if not any(line.startswith(own) for own in lacked)]
        judge.write_text("\n".join([*kept, ""]))
        result = confint("interval", people, "--judge-scores", judge)
        assert result.status == refused
        if refused:
            assert result.out == ""
            assert result.err.splitlines()[-2:] == [
                "confint: on m, 1 run lacks more of the topics that only the judge judged than of "
                "those that people judged: bm25 (bm25 lacks 3%, and 0% of people's)",
                "  hint: missing topics count as 0, which would lower the judge's mean; use "
                "--missing drop to leave out topics that some run lacks, or leave out these runs",
            ]
    both = [line for line in people.read_text().splitlines() if not line.startswith("bm25\t100\t")]
    people.write_text("\n".join([*both, ""]))  # now it lacks 2% of these, too
    assert confint("interval", people, "--judge-scores", judge).status == 0
    dropped = confint("interval", people, "--judge-scores", judge, "--missing", "drop")
    assert {row["topics"] for row in records(dropped)} == {"147"}


# What there is not with two judges

PATTERN = "--judge-scores"
REFUSED = {
    ("interval", "--method", "t"): (
        "with a cheaper judge, the only --method is ppi, not t",
        "leave out --method; 'confint methods ppi' explains ppi",
    ),
    ("rank", "--method", "bca"): (
        "with a cheaper judge, the only --method is ppi, not bca",
        "leave out --method; 'confint methods ppi' explains ppi",
    ),
    ("coverage", "--method", "ppi,t"): (
        "with a cheaper judge, the only --method is ppi, not ppi, t",
        "leave out --method; 'confint methods ppi' explains ppi",
    ),
    **{
        ("compare", "--all-pairs", "--test", test): (
            f"--test {test} is not for a cheaper judge: {why}", "use --test t")
        for test, why in {
            "randomization": "it flips people's topics, and ignores the judge's other topics",
            "wilcoxon": "it ranks people's topics, and ignores the judge's other topics",
            "tukey": "it permutes runs on people's topics, and ignores the other topics",
        }.items()
    },
    ("compare", "--all-pairs", "--unpaired"): (
        "--unpaired is for runs on different topics, but a cheaper judge is for runs on the "
        "same topics",
        "leave out --unpaired",
    ),
    **{
        (*command, "--standardize", "all"): (
            "--standardize is not for a cheaper judge, whose scores have other means and variances",
            "leave out --standardize",
        )
        for command in (("interval",), ("compare", "--all-pairs"), ("rank",), ("coverage",))
    },
    ("coverage", "--without-replacement"): (
        "--without-replacement is for plain topics, not for a cheaper judge", ""),
    ("coverage", "--sample-size", "4"): (
        "--sample-size 4 is too small: a slope needs 5 topics", ""),
    ("interval", "--every", "2"): (
        "--every would use different topics for people and for the judge",
        "--topics FILE lists the topics to use",
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_is_refused_is_said(words: tuple[str, ...], tmp_path: Path, confint: Confint) -> None:
    people, judge = written(tmp_path, some(5, (12, 40, 0)))
    result = confint(*words, people, "--judge-scores", judge)
    said, hint = REFUSED[words]
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines() == [f"confint: {said}", *([f"  hint: {hint}"] if hint else [])]


@pytest.mark.parametrize("command", ["interval", "compare", "rank"])
def test_there_is_nothing_for_new_collections(
    command: str, tmp_path: Path, confint: Confint
) -> None:
    people, judge = written(tmp_path, parts_of("collections"))
    pairs = ["--all-pairs"] if command == "compare" else []
    result = confint(
        command, *pairs, people, "--judge-scores", judge, "--for-new", "collections"
    )  # fmt: skip
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[-2:] == [
        "confint: --for-new collections treats a collection as one number, and a cheaper judge "
        "says nothing about other collections",
        "  hint: use --for-new topics, or leave out the judge",
    ]


def test_there_is_no_meta_analysis(tmp_path: Path, confint: Confint) -> None:
    people, judge = written(tmp_path, parts_of("collections"))
    result = confint("compare", "--baseline", "bm25", "--meta", people, "--judge-scores", judge)
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[-2:] == [
        "confint: --meta is not for a cheaper judge: it uses only the variances of people's scores",
        "  hint: leave out --meta",
    ]


@pytest.mark.parametrize("command", ["plan", "coverage"])
@pytest.mark.parametrize(
    ("shape", "kind"), [("collections", "several collections"), ("groups", "groups of topics")]
)
def test_plans_and_simulations_are_for_plain_topics(
    command: str, shape: str, kind: str, tmp_path: Path, confint: Confint
) -> None:
    people, judge = written(tmp_path, parts_of(shape), groups=shape == "groups")
    result = confint(command, people, "--judge-scores", judge)
    assert (result.status, result.out) == (2, "")
    kinds = f"{'of ' if command == 'coverage' else ''}{kind}"
    assert f"kind of design, not {kinds} and a cheaper judge together" in result.err


def test_repeats_and_a_judge_are_not_for_each_other(tmp_path: Path, confint: Confint) -> None:
    people, judge = written(tmp_path, some(5, (12, 40, 0)))
    for path, other in ((people, judge), (judge, people)):
        lines = [line.split("\t", 1) for line in path.read_text().splitlines()]
        repeated = tmp_path / "repeated.tsv"
        repeated.write_text("".join(
            "\t".join([run, repeat if run != "run" else "seed", rest]) + "\n"
            for repeat in "12" for run, rest in lines if run != "run" or repeat == "1"
        ))  # fmt: skip
        files = [repeated, other] if path is people else [other, repeated]
        result = confint("interval", files[0], "--judge-scores", files[1])
        assert (result.status, result.out) == (2, "")
        assert result.err.splitlines()[-2:] == [
            "confint: repeats of runs cannot be combined with a cheaper judge",
            "  hint: give one file per run, or leave out the judge",
        ]


# Plans


def spread(part: Part, *, differences: bool) -> tuple[float, float, int]:
    """Return the variance that the judge does not know, that it knows, and what it costs of df."""
    h, f, n = part.h, part.f, len(part.h)
    factor = 1.0
    if differences:
        h, f = h - h.mean(axis=1, keepdims=True), f - f.mean(axis=1, keepdims=True)
        factor = 2 * part.runs / (part.runs - 1)
    h, f = h - h.mean(axis=0), f - f.mean(axis=0)
    slope = (h * f).sum() / (f * f).sum() if differences else (h * f).sum(axis=0) / (
        f * f).sum(axis=0)  # fmt: skip
    lost = 1 if differences and part.runs > 2 else 2
    own = factor * (h**2).sum(axis=0).mean() / (n - 1)
    left = factor * ((h - slope * f) ** 2).sum(axis=0).mean() / (n - lost)
    return left, max(own - left, 0), lost


def half_width(part: Part, topics: int, *, differences: bool) -> float:
    left, gained, lost = spread(part, differences=differences)
    everything = len(part.f) + len(part.u)
    variance = left / topics + gained / max(topics, everything)
    return float(stats.t.ppf(0.975, topics - lost) * math.sqrt(variance))


def test_a_plan_counts_peoples_topics_beside_those_of_the_judge(tmp_path: Path) -> None:
    (part,) = some(7, (20, 80, 0))
    rows = asked("plan", tmp_path, [part], half_width=[0.05, 0.02])
    assert [(row.design, row.target) for row in rows] == [
        (f"half-width of {what}", target) for what in ("mean", "difference")
        for target in (0.05, 0.02)
    ]  # fmt: skip
    for row in rows:
        differences = row.design == "half-width of difference"
        left, gained, _ = spread(part, differences=differences)
        assert row.attained == pytest.approx(half_width(part, 20, differences=differences))
        assert row.sd == pytest.approx(math.sqrt(left + gained))
        alone = stats.t.ppf(0.975, 19) * math.sqrt((left + gained) / 20)
        assert row.human_attained == pytest.approx(alone)
        for found, target in ((row.topics_needed, row.target), (row.topics_for_same, alone)):
            assert half_width(part, found, differences=differences) <= target
            assert half_width(part, found - 1, differences=differences) > target
        assert (row.topics_now, row.judge_topics) == (20, 100)
        assert row.topics_for_same < 20


def test_a_plan_is_close_to_the_interval_that_there_is(tmp_path: Path) -> None:
    (part,) = some(7, (40, 160, 0))
    by_design = {row.design: row for row in asked("plan", tmp_path, [part])}
    means = [(row.high - row.low) / 2 for row in asked("interval", tmp_path, [part])]
    pairs = [(row.high - row.low) / 2
             for row in asked("compare", tmp_path, [part], all_pairs=True)]  # fmt: skip
    assert by_design["half-width of mean"].attained == pytest.approx(np.mean(means), rel=0.07)
    of_differences = by_design["half-width of difference"].attained
    assert of_differences == pytest.approx(np.mean(pairs), rel=0.07)
    assert by_design["half-width of mean"].human_attained > 1.15 * np.mean(means)


def test_plans_are_monotone(tmp_path: Path) -> None:
    (part,) = some(7, (20, 80, 0))
    targets = [0.08, 0.05, 0.04, 0.03, 0.02, 0.01]
    rows = asked("plan", tmp_path, [part], half_width=targets, difference=targets)
    for design in dict.fromkeys(row.design for row in rows):
        own = [row.topics_needed for row in rows if row.design == design]
        assert own == sorted(own)
        assert len(own) == 6
    certain, sure = (
        asked("plan", tmp_path, [part], half_width=0.04, assurance=assurance)
        for assurance in (None, 0.9)
    )
    for plain, assured in zip(certain, sure, strict=True):
        assert assured.topics_needed >= plain.topics_needed
        assert plain.topics_needed_high >= plain.topics_needed
    # Fewer topics of the judge are of less use.
    fewer = asked("plan", tmp_path, [replace(part, u=part.u[:20], other=part.other[:20])],
                  half_width=targets)  # fmt: skip
    more = asked("plan", tmp_path, [part], half_width=targets)
    assert all(one.attained > other.attained for one, other in zip(fewer, more, strict=True))


# Coverage


def test_coverage_is_that_of_a_simulation_longhand(tmp_path: Path) -> None:
    (part,) = some(7, (15, 45, 0))
    replicates, n, further = 400, 8, 24
    (row,) = [
        row for row in asked("coverage", tmp_path, [part], replicates=4000, sample_size=n)
        if (row.run, row.method) == ("dense", "ppi")
    ]  # fmt: skip
    assert (row.sample_size, row.judge_topics) == (n, n + further)
    h, f, random = part.h[:, 0], part.f[:, 0], np.random.default_rng(0)
    covered = 0
    for _ in range(replicates):
        both, others = random.integers(0, 15, n), random.integers(0, 15, further)
        mean, se, df, _ = longhand.one_run(h[both].tolist(), f[both].tolist(), f[others].tolist())
        covered += abs(mean - h.mean()) <= stats.t.ppf(0.975, df) * se
    error = math.sqrt(row.coverage * (1 - row.coverage) / replicates)
    assert covered / replicates == pytest.approx(row.coverage, abs=4 * error)


def test_coverage_of_one_judge_alone(tmp_path: Path) -> None:
    """By people it is what it is without the judge; the judge covers its own mean, not theirs."""
    (part,) = some(7, (15, 45, 0))
    options: Row = {"replicates": 2000, "sample_size": 8}
    rows = {(row.run, row.method): row for row in asked("coverage", tmp_path, [part], **options)}
    assert {method for _, method in rows} == {"ppi", "human-t", "judge-t"}
    people, _ = written(tmp_path, [part])
    for row in confint.coverage(str(people), method="t", **options).rows:
        own = rows[row.run, "human-t"]
        assert own.coverage == pytest.approx(row.coverage, abs=4 * math.hypot(own.error, row.error))
    u = part.f[:, 0]  # further topics are drawn from those of both
    random = np.random.default_rng(0)
    drawn = u[random.integers(0, 15, (400, 32))]
    truth = part.h[:, 0].mean()
    covered = np.abs(drawn.mean(axis=1) - truth) <= stats.t.ppf(0.975, 31) * stats.sem(
        drawn, axis=1
    )
    found = rows["dense", "judge-t"].coverage
    error = math.sqrt(max(found * (1 - found), 0.01) / 400)
    assert covered.mean() == pytest.approx(found, abs=4 * error)


def test_a_summary_of_coverage_counts_topics_of_both(tmp_path: Path) -> None:
    rows = asked("coverage", tmp_path, some(7, (15, 45, 0)), replicates=50, sample_size=[6, 15],
                 summary=True)  # fmt: skip
    assert [(row.method, row.sample_size, row.judge_topics) for row in rows] == [
        (method, size, 4 * size) for method in ("ppi", "human-t", "judge-t") for size in (6, 15)
    ]


# Outputs

MEAN = ("measure run method level topics human_topics mean sd se df low high human_mean human_low "
        "human_high judge_mean bias slope correlation effective_topics shape note")  # fmt: skip
CALLS = {"interval": [], "compare": ["--baseline", "bm25"], "rank": ["--draws", "500"],
         "plan": ["--half-width", "0.05"], "coverage": ["--replicates", "20"]}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    people, judge = written(tmp_path, some(3, (12, 40, 0)))
    return [people, "--judge-scores", judge]


@pytest.mark.parametrize("command", CALLS)
def test_tables_and_json_have_the_same(command: str, files: list[object], confint: Confint) -> None:
    call = [command, *CALLS[command], *files, "--quiet"]
    document = json.loads(confint(*call, "-f", "json").out)
    table = records(confint(*call, "--digits", 12))
    assert [*table[0]] == [*document["rows"][0]]
    if command == "interval":
        assert " ".join(table[0]) == MEAN
    for shown, row in zip(table, document["rows"], strict=True):
        for name, value in row.items():
            if isinstance(value, float):
                assert float(shown[name]) == pytest.approx(value, rel=1e-6, abs=1e-11), name
            else:
                assert shown[name] == ("" if value is None else str(value).lower().replace(
                    "true", "yes").replace("false", "no") if isinstance(value, bool) else
                    "" if value is None else str(value)), name  # fmt: skip
    signature = document["signature"]
    assert (signature["judge"], signature["judge-topics"]) == ("llm.tsv", "52")
    assert signature["topics"] == "12"


REMARK = (
    "Results from both judges hold if the topics that people judged are a random sample of all "
    "topics, and if the judge judged all topics in the same way and to the same depth."
)


@pytest.mark.parametrize("command", ["interval", "compare", "rank", "plan"])
@pytest.mark.parametrize("output", ["table", "markdown", "latex"])
def test_what_has_to_hold_is_said_below_every_table(
    command: str, output: str, files: list[object], confint: Confint
) -> None:
    text = confint(command, *CALLS[command], *files, "-f", output, "--quiet").out
    assert REMARK in " ".join(text.split())


def test_one_run_is_told_in_a_sentence(tmp_path: Path, confint: Confint) -> None:
    (part,) = some(3, (25, 80, 0))
    people, judge = written(tmp_path, [part.columns([0])])
    result = confint("interval", people, "--judge-scores", judge, "-f", "table", "--quiet")
    (row,) = records(confint("interval", people, "--judge-scores", judge, "--digits", 9))
    r = f"{float(row['correlation']):.2f}".replace("0.", ".")
    effective = round(float(row["effective_topics"]))
    assert 25 < effective < 105
    text = " ".join(result.out.split())
    assert (
        f"With this judge (r {r}), 25 topics judged by people are worth as much as {effective}."
    ) in text
    assert "105 topics, 25 of them judged by people" in text or "105" in text


@pytest.mark.parametrize("command", ["interval", "compare", "rank"])
def test_a_title_says_how_many_topics_people_have_judged(
    command: str, files: list[object], confint: Confint
) -> None:
    text = confint(command, *CALLS[command], *files, "-f", "table", "--quiet").out
    assert text.startswith("m, 52 topics, 12 of them judged by people")
    assert "12 topics judged by people are worth as much as" in " ".join(text.split())


def test_a_title_counts_topics_where_groups_count_alike(tmp_path: Path, confint: Confint) -> None:
    (part,) = parts_of("groups")
    people, judge = written(tmp_path, [part], groups=True)
    call = ["interval", people, "--judge-scores", judge, "--group-weight", "equal", "--quiet"]
    rows = records(confint(*call))
    groups = str(len(set(part.labelled)))
    assert {(row["topics"], row["human_topics"], row["groups"]) for row in rows} == {
        ("74", "24", groups)}  # fmt: skip
    for row in rows:  # each group is one score
        run = RUNS.index(row["run"])
        arrays = [
            [values[[own == group for own in groups_of], run].mean() for group in
             longhand.distinct(groups_of)]
            for values, groups_of in ((part.h, part.labelled), (part.f, part.labelled),
                                      (part.u, part.other))
        ]  # fmt: skip
        mean, _, df, _ = longhand.one_run(*arrays)
        assert float(row["mean"]) == pytest.approx(mean, abs=1e-4)
        assert float(row["df"]) == pytest.approx(df)


# Properties


@pytest.mark.parametrize("command", ["interval", "compare"])
@settings(max_examples=10)
@given(
    shift=st.floats(-50, 50), scale=st.floats(0.01, 100),
    judge_shift=st.floats(-50, 50), judge_scale=st.one_of(st.floats(0.01, 100),
                                                          st.floats(-100, -0.01)),
)  # fmt: skip
def test_scores_that_are_shifted_and_scaled(
    command: str, shift: float, scale: float, judge_shift: float, judge_scale: float
) -> None:
    """By people, results follow; the judge may have any scale, even turned round."""
    (part,) = some(2, (8, 20, 3))

    def frames(change: Callable[[Any], Any], change_judge: Callable[[Any], Any]) -> list[Any]:
        own = replace(part, h=change(part.h), alone=change(part.alone), f=change_judge(part.f),
                      u=change_judge(part.u))  # fmt: skip
        people = np.concatenate([own.h, own.alone])
        judge = np.concatenate([own.f, own.u])
        names = ([*range(8), *range(50, 53)], range(28))
        data = [
            {run: {str(topic): {"m": float(score)} for topic, score in zip(of, column, strict=True)}
             for run, column in zip(RUNS, scores.T, strict=True)}
            for of, scores in zip(names, (people, judge), strict=True)
        ]  # fmt: skip
        options = {"baseline": "bm25"} if command == "compare" else {}
        rows = getattr(confint, command)(data[0], judge_scores=data[1], sort="name", **options)
        return [*rows]

    kind = "mean" if command == "interval" else "difference"
    by = shift if command == "interval" else 0.0
    before = frames(lambda own: own, lambda own: own)
    after = frames(
        lambda own: own * scale + shift, lambda own: own * judge_scale + judge_shift
    )  # fmt: skip
    size = 1e-8 * (scale + abs(shift))
    for old, new in zip(before, after, strict=True):
        assert new.run == old.run
        for name in (kind, "low", "high", f"human_{kind}", "human_low"):
            expected = getattr(old, name) * scale + by
            assert getattr(new, name) == pytest.approx(expected, abs=size, rel=1e-7)
        sign = math.copysign(1, judge_scale)
        assert new.correlation == pytest.approx(sign * old.correlation, rel=1e-6)
        assert new.slope == pytest.approx(old.slope * scale / judge_scale, rel=1e-6)
        assert new.effective_topics == pytest.approx(old.effective_topics, rel=1e-6)


# From Python


def test_python_takes_the_judge_in_every_form(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    people, judge = written(tmp_path, some(3, (12, 40, 0)))
    expected = confint.interval(str(people), judge_scores=str(judge)).rows
    frames = [pandas.read_csv(path, sep="\t") for path in (people, judge)]
    scores = confint.read(str(people))
    for data, own in ((people, judge), frames, (scores, judge), (scores, frames[1]),
                      (frames[0], str(judge))):  # fmt: skip
        result = confint.interval(data, judge_scores=own)
        assert result.rows == expected
        assert result.facts["judge"] == ("data" if own is frames[1] else "llm.tsv")
    # The same scores again, for another question, with and without the judge.
    assert confint.rank(scores, judge_scores=judge, draws=200).rows[0].human_topics == 12
    result = confint.interval(scores, judge_scores=confint.read(str(judge)))
    assert result.rows == expected
    assert confint.interval(scores).rows[0].human_topics is None


def test_scores_that_are_read_take_no_judgements_and_no_every_kth_topic(tmp_path: Path) -> None:
    people, judge = written(tmp_path, some(3, (12, 40, 0)))
    scores = confint.read(str(people))
    with pytest.raises(CallError, match=r"^judge_qrels says how to read, but these scores "):
        confint.interval(scores, judge_qrels="llm.qrels")
    every = r"^every would use different topics for people and for the judge\b"
    with pytest.raises(CallError, match=every):
        confint.interval(scores, judge_scores=judge, every=2)
    with pytest.raises(CallError, match=every):
        confint.interval(confint.read(str(people), every=2), judge_scores=judge)


@pytest.mark.parametrize("judge", [5, [], {}, ["llm.eval"]])
def test_what_is_no_judge_is_said(judge: object, tmp_path: Path) -> None:
    people, _ = written(tmp_path, some(3, (12, 40, 0)))
    with pytest.raises(DataError, match=r"^judge_scores: "):
        confint.interval(str(people), judge_scores=judge)


def test_only_ppi_is_a_method_of_two_judges(tmp_path: Path) -> None:
    people, judge = map(str, written(tmp_path, some(3, (12, 40, 0))))
    named = confint.interval(people, judge_scores=judge, method="ppi")
    assert named.rows == confint.interval(people, judge_scores=judge).rows
    only = r"^with a cheaper judge, the only method is ppi, not t\b"
    with pytest.raises(CallError, match=only):
        confint.interval(people, judge_scores=judge, method="t")
    with pytest.raises(CallError) as caught:
        confint.interval(people, method="ppi")
    assert "judge_qrels or judge_scores gives it" in str(caught.value) + str(
        getattr(caught.value, "hint", ""))  # fmt: skip
