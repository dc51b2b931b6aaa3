"""`--margin`, `--effect-intervals` and `--fail-if` of `confint compare`, and two runs alone."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import confint_cli
from tests.conftest import SAMPLES, Confint, records, write

EVALS = SAMPLES / "trec_eval"
BM25, DENSE, HYBRID, TFIDF, COPY = (
    EVALS / f"{name}.eval" for name in ("bm25", "dense", "hybrid", "tfidf", "dense-v2")
)
SUITE = ["--labels", "{collection}/{run}.run", "-q", SAMPLES / "suite/{collection}/qrels.txt",
         *(SAMPLES / f"suite/{collection}/{run}.run" for collection in ("news", "science", "forum")
           for run in ("bm25", "dense"))]  # fmt: skip
RANDOM = np.random.default_rng(34)
X, Y = RANDOM.random((2, 20)).round(3)


def two(tmp_path: Path, x: np.ndarray = X, y: np.ndarray = Y) -> Path:
    return write(tmp_path / "x.tsv", {"a": {"map": x.tolist()}, "b": {"map": y.tolist()}})


# Margins


def test_p_and_verdict_of_a_pair(tmp_path: Path, confint: Confint) -> None:
    result = confint("compare", two(tmp_path), "--baseline", "b", "--margin", "0.2", "-f", "json",
                     "--level", "0.9,0.95")  # fmt: skip
    rows = json.loads(result.out)["rows"]
    above = stats.ttest_1samp(X - Y, -0.2, alternative="greater").pvalue
    below = stats.ttest_1samp(X - Y, 0.2, alternative="less").pvalue
    for row in rows:
        assert row["p_noninferior"] == pytest.approx(above)
        assert row["p_equivalent"] == pytest.approx(max(above, below))
        alpha = 1 - row["level"]
        shown = "equivalent" if max(above, below) < alpha else "not inferior"
        assert row["verdict"] == (shown if above < alpha else "undecided")
    names = [*rows[0]]
    assert names.index("p_noninferior") == names.index("hedges_g") + 1
    assert names[names.index("verdict") + 1] == "wins"
    assert json.loads(result.out)["signature"]["margin"] == "0.2"


@pytest.mark.parametrize(
    ("run", "margin", "sentence"),
    [
        (DENSE, "0.05", "dense and bm25 are equivalent within ±0.05: p = 0.0452."),
        (DENSE, "0.03", "dense is not worse than bm25 by more than 0.03: p = 0.0121."),
        (HYBRID, "0.02",
         "hybrid is not worse than bm25 by more than 0.02, and it is better by more than that: p "
         "< 0.0001."),
        (TFIDF, "0.03", "Whether tfidf is worse than bm25 by more than 0.03 is open: p = 0.8752."),
        (TFIDF, "0.01", "tfidf is worse than bm25 by more than 0.01."),
    ],
)  # fmt: skip
def test_the_sentence(run: Path, margin: str, sentence: str, confint: Confint) -> None:
    result = confint("compare", BM25, run, "-m", "map", "--baseline", "bm25", "--margin", margin,
                     "-f", "table")  # fmt: skip
    assert sentence in " ".join(result.out.split())
    assert "the verdict says where the 90% t interval lies" in " ".join(result.out.split())


def test_the_limits_say_the_same_in_every_design(confint: Confint) -> None:
    """p < .05 where the lower limit of 90% exceeds the margin: by t, Welch, groups, seeds, …"""
    seeds = ["--labels={run}.seed{repeat}.eval", *sorted((SAMPLES / "seeds").glob("*.seed*"))]
    runs = [f"{run}.run" for run in ("bm25", "dense", "hybrid")]
    of_talk, of_judges = SAMPLES / "conversations", SAMPLES / "judges"
    talk = ["--groups={group}_{}", "-q", of_talk / "qrels.txt", *(of_talk / run for run in runs)]
    judges = ["-q", of_judges / "human.qrels", "--judge-qrels", of_judges / "llm.qrels",
              *(of_judges / "runs" / run for run in runs)]  # fmt: skip
    designs: dict[str, list[object]] = {
        "welch": [BM25, DENSE, HYBRID, TFIDF, "--unpaired", "-m", "map"],
        "groups": [*talk, "-m", "nDCG@10"],
        "seeds": [*seeds, "-m", "map"],
        "judges": [*judges, "-m", "nDCG@10"],
        "collections": [*SUITE, "-m", "P@10"],
        "new collections": [*SUITE, "-m", "P@10", "--for-new", "collections"],
    }
    for name, files in designs.items():
        seen = set()
        for margin in (0.01, 0.05, 0.1):
            rows = records(confint("compare", *files, "--all-pairs", "--margin", margin, "--level",
                                   "0.9,0.95", "--digits", "9", "--quiet"))  # fmt: skip
            for at_90, at_95 in zip(rows[::2], rows[1::2], strict=True):
                assert (at_90["level"], at_95["level"]) == ("0.9", "0.95")
                low, high = float(at_90["low"]), float(at_90["high"])
                assert (float(at_95["p_noninferior"]) < 0.05) == (low > -margin), name
                inside = low > -margin and high < margin
                assert (float(at_95["p_equivalent"]) < 0.05) == inside, name
                assert (at_95["verdict"] == "equivalent") == inside
                seen.add(at_95["verdict"])
        assert len(seen) > 1, name


def test_bounds_are_taken_by_the_worse_end(confint: Confint) -> None:
    runs = [SAMPLES / f"unjudged/runs/{run}.run" for run in ("bm25", "dense", "tfidf")]
    files = ["-q", SAMPLES / "unjudged/qrels.txt", "-m", "nDCG@10", "--baseline", "dense", *runs]
    plain, bounded = (
        {row["run"]: row for row in records(confint("compare", *files, "--margin", "0.1",
                                                    "--quiet", *more))}
        for more in ([], ["--unjudged", "bounds"])
    )  # fmt: skip
    # Documents of the baseline that nobody judged may all be relevant.
    assert (plain["bm25"]["verdict"], bounded["bm25"]["verdict"]) == ("not inferior", "undecided")
    assert float(bounded["bm25"]["p_noninferior"]) > 0.9


def test_a_note_says_where_a_rare_loss_could_be_absent(confint: Confint, tmp_path: Path) -> None:
    x = np.where(np.arange(20) == 3, Y + 0.01, Y)
    result = confint("compare", two(tmp_path, x), "--baseline", "b", "--margin", "0.1")
    said = (
        "a and b differ on few topics or none, or always by the same amount: as far as these show, "
        "they are within the margin, but a rare large loss may just not be among them"
    )
    assert said in result.err
    assert records(result)[0]["verdict"] == "equivalent"
    rarely = np.where(np.arange(60) % 20 < 2, 0.02, 0.0)
    further = np.tile(Y, 3) / 2
    judge = write(tmp_path / "judge.tsv", {"a": {"map": (further + rarely).round(4).tolist()},
                                           "b": {"map": further.round(4).tolist()}})  # fmt: skip
    of_both = confint("compare", two(tmp_path, Y + rarely[:20]), "--baseline", "b",
                      "--margin", "0.1", "--judge-scores", judge)  # fmt: skip
    assert records(of_both)[0]["verdict"] == "equivalent"
    assert records(of_both)[0]["slope"] not in ("", "0")
    assert said in of_both.err
    usual = confint("compare", two(tmp_path), "--baseline", "b", "--margin", "0.4")
    assert "a rare large loss" not in usual.err


@pytest.mark.parametrize("command", ["compare", "plan"])
def test_a_level_that_proves_nothing(command: str, confint: Confint) -> None:
    result = confint(command, BM25, DENSE, "-m", "map", "--margin", "0.03", "--level", "0.4")
    assert (result.status, result.out) == (2, "")
    assert "--level 0.4 with --margin: one-sided tests at 0.6 prove nothing" in result.err


def test_a_margin_beyond_what_is_seen_is_no_mistake(tmp_path: Path, confint: Confint) -> None:
    """Scores that are alike could have been others."""
    path = two(tmp_path, 0.9 + X / 50, 0.9 + Y / 50)
    assert records(confint("compare", path, "--margin", "0.1"))[0]["verdict"] == "equivalent"
    counts = two(tmp_path, 100 * X, 100 * Y)
    assert confint("compare", counts, "--margin", "20").status == 0
    assert confint("compare", counts, "--margin", "200").status == 2


@pytest.mark.parametrize(
    ("margin", "problem"),
    [
        ("0", "--margin 0 is not above 0"),
        ("-0.01", "--margin -0.01 is not above 0"),
        ("nan", "--margin 'nan' is not a number"),
        ("1%", "--margin '1%' is not a number"),
        ("1", "--margin 1 is as large as any difference could be: scores of map range from 0 to 1"),
    ],
)
def test_a_margin_that_cannot_be_meant(margin: str, problem: str, confint: Confint) -> None:
    result = confint("compare", BM25, DENSE, "-m", "map", "--margin", margin)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"confint: {problem}\n  hint: ")
    planned = confint("plan", BM25, DENSE, "-m", "map", "--margin", margin)
    assert (planned.status, planned.out) == (2, "")


def test_a_figure_shows_the_margin(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "x.svg"
    result = confint("compare", BM25, DENSE, "-m", "map", "--margin", "0.05", "--plot", path)
    assert result.status == 0
    assert path.read_text().count('id="line') >= 3
    assert "Outer lines: the margin, ±0.05." in path.read_text()


def test_several_runs_are_counted(confint: Confint) -> None:
    result = confint("compare", *sorted(EVALS.glob("*.eval")), "-m", "map", "--baseline", "bm25",
                     "--margin", "0.05", "-f", "table", "--quiet")  # fmt: skip
    text = " ".join(result.out.split())
    assert (
        "5 of 7 are shown not to be worse by more than 0.05 (3 equivalent and 1 better by more), "
        "1 is shown to be worse by more than that and 1 is undecided."
    ) in text
    assert "not corrected for 7 comparisons" in text


# Planning


def test_topics_for_non_inferiority_are_those_of_r() -> None:
    from confint_cli.stats.power import PlainSpread
    from tests.reference.effects import rows

    for row in rows("topics"):
        margin, sd, target = float(row["margin"]), float(row["first"]), float(row["level"])
        spread = PlainSpread(sd, 50)
        needed = spread.topics_for_margin(margin, 0.95, target)
        assert needed == math.ceil(float(row["second"])), row
        attained = spread.margin_of(needed, 0.95, target)
        assert attained <= margin < spread.margin_of(needed - 1, 0.95, target)


def test_plan_for_a_margin(confint: Confint) -> None:
    result = confint("plan", BM25, DENSE, "-m", "map", "--margin", "0.03,0.05", "--digits", "6")
    small, large = records(result)
    assert (small["design"], small["power"]) == ("non-inferiority margin", "0.8")
    assert int(small["topics_needed"]) > int(large["topics_needed"]) > 40
    alone = confint("plan", BM25, "-m", "map", "--margin", "0.05")
    assert (alone.status, alone.err.startswith("confint: a margin is between two runs")) == (
        1,
        True,
    )
    words = confint("plan", BM25, DENSE, "-m", "map", "--margin", "0.03", "-f", "table").out
    assert "you can show that a run as good as another is not worse by" in " ".join(words.split())
    rows = records(confint("plan", *SUITE, "-m", "P@10", "--margin", "0.05"))
    assert {row["design"] for row in rows} == {"non-inferiority margin"}


# Intervals of effect sizes


def test_effect_intervals_have_columns_of_their_own(confint: Confint) -> None:
    args = ["compare", BM25, DENSE, HYBRID, "-m", "map", "--baseline", "bm25"]
    plain, full = (records(confint(*args, *more)) for more in ([], ["--effect-intervals"]))
    added = [name for name in full[0] if name not in plain[0]]
    assert added == ["glass_low", "glass_high", "hedges_gz_low", "hedges_gz_high", "hedges_g_low",
                     "hedges_g_high"]  # fmt: skip
    for before, row in zip(plain, full, strict=True):
        assert all(row[name] == value for name, value in before.items())
        for name, limits in (("glass_delta", "glass"), ("hedges_gz", "hedges_gz")):
            assert float(row[f"{limits}_low"]) < float(row[name]) < float(row[f"{limits}_high"])
        assert row["hedges_g_low"] == row["hedges_g_high"] == ""
    (apart,) = records(confint(*args[:3], "-m", "map", "--unpaired", "--effect-intervals"))
    assert float(apart["hedges_g_low"]) < float(apart["hedges_g"]) < float(apart["hedges_g_high"])
    assert apart["hedges_gz_low"] == ""
    assert float(apart["glass_low"]) < float(apart["glass_delta"]) < float(apart["glass_high"])


def test_designs_without_intervals_of_effect_sizes(confint: Confint) -> None:
    talk = ["--groups={group}_{}", "-q", SAMPLES / "conversations/qrels.txt",
            *(SAMPLES / f"conversations/{run}.run" for run in ("bm25", "dense"))]  # fmt: skip
    result = confint("compare", *talk, "-m", "nDCG@10", "--effect-intervals")
    assert (result.status, result.out) == (2, "")
    assert "--effect-intervals are not for groups of topics" in result.err
    rows = records(confint("compare", *SUITE, "-m", "P@10", "--effect-intervals", "--quiet"))
    assert [bool(row["hedges_gz_low"]) for row in rows] == [True, True, True, False]
    assert rows[-1]["collection"] == "macro"


# Two runs


@pytest.mark.parametrize("order", [(BM25, HYBRID), (HYBRID, BM25)])
def test_the_lower_of_two_runs_is_the_baseline(order: tuple[Path, Path], confint: Confint) -> None:
    told = confint("compare", *order, "-m", "map,P_10")
    asked = confint("compare", *order, "-m", "map,P_10", "--baseline", "bm25")
    assert told.out == asked.out
    assert told.err == (
        "confint: note: 'hybrid' is compared with 'bm25', whose mean map is lower or equal; "
        "--baseline chooses another\n"
    )


def test_the_first_measure_decides_for_all(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": [0.1, 0.2], "P_10": [0.9, 0.8]},
                                      "b": {"map": [0.3, 0.5], "P_10": [0.1, 0.3]}})  # fmt: skip
    for measures, baseline in (("map,P_10", "a"), ("P_10,map", "b")):
        rows = records(confint("compare", path, "-m", measures))
        assert {row["baseline"] for row in rows} == {baseline}


def test_two_runs_of_other_designs(tmp_path: Path, confint: Confint) -> None:
    rows = records(confint("compare", *SUITE, "-m", "P@10", "--quiet"))
    macro = rows[-1]
    assert float(macro["difference"]) > 0
    unpaired = write(tmp_path / "x.tsv", {"a": {"map": [0.9, 0.8, 0.7]}, "b": {"map": [0.1, 0.2]}})
    (row,) = records(confint("compare", unpaired, "--unpaired"))
    assert (row["run"], row["baseline"]) == ("a", "b")
    equal = {"a": {"map": [0.1, 0.2]}, "b": {"map": [0.2, 0.1]}}
    turned = dict(reversed(equal.items()))
    for scores in (equal, turned):  # the order of files or rows makes no difference
        path = write(tmp_path / "y.tsv", scores)
        for more in ([], ["--unpaired"]):
            (row,) = records(confint("compare", path, *more))
            assert (row["run"], row["baseline"]) == ("a", "b")


def test_of_two_judges_both_decide(tmp_path: Path, confint: Confint) -> None:
    """People find a better by a little, on their topics; on many others it is far worse."""
    rng = np.random.default_rng(6)
    a, b = rng.random((2, 120)) / 2 + 0.25
    a[:20] = b[:20] + 0.01 + rng.random(20) / 50
    a[20:] -= 0.1
    b[20:] += 0.1
    people = write(tmp_path / "people.tsv", {"a": {"map": a[:20].round(4).tolist()},
                                             "b": {"map": b[:20].round(4).tolist()}})  # fmt: skip
    judge = write(tmp_path / "judge.tsv", {"a": {"map": a.round(4).tolist()},
                                           "b": {"map": b.round(4).tolist()}})  # fmt: skip
    alone, both = (
        records(confint("compare", people, "-m", "map", "--quiet", *more))[0]
        for more in ([], ["--judge-scores", judge])
    )
    assert (alone["run"], alone["baseline"]) == ("a", "b")
    assert (both["run"], both["baseline"]) == ("b", "a")
    assert float(both["difference"]) > 0


def test_a_measure_that_one_run_lacks_does_not_decide(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": [0.1, 0.2], "P_10": [0.9, 0.8]},
                                      "b": {"P_10": [0.1, 0.3]}})  # fmt: skip
    result = confint("compare", path, "-m", "map,P_10")
    assert "'a' is compared with 'b', whose mean P_10 is lower or equal" in result.err
    assert {row["baseline"] for row in records(result)} == {"b"}


def test_one_run_and_three_need_to_be_told(confint: Confint) -> None:
    three = confint("compare", BM25, DENSE, HYBRID, "-m", "map")
    assert (three.status, three.out) == (2, "")
    said = "confint: compare with what? There are 3 runs\n  hint: use --baseline RUN for one run"
    assert three.err.startswith(said)
    one = confint("compare", BM25, "-m", "map")
    assert (one.status, one.out) == (2, "")
    assert one.err.startswith("confint: there is nothing to compare 'bm25' with: it is the only")
    unset = confint("compare", BM25, DENSE, "-m", "map", "--baseline", "")
    assert (unset.status, unset.out) == (2, "")
    assert unset.err.startswith("confint: --baseline names no run\n")
    runs = [SAMPLES / f"runs/{name}.run" for name in ("bm25", "dense", "hybrid")]
    before = confint("compare", *runs, "-q", "no/such/qrels")  # before anything is read
    assert before.err.startswith("confint: compare with what? There are 3 runs\n")


# The gate


@pytest.mark.parametrize(
    ("run", "fail_if", "status"),
    [
        (TFIDF, "worse", 3), (DENSE, "worse", 0), (HYBRID, "worse", 0),
        (TFIDF, "not-better", 3), (DENSE, "not-better", 3), (HYBRID, "not-better", 0),
        (TFIDF, "inferior", 3), (DENSE, "inferior", 0), (HYBRID, "inferior", 0),
    ],
)  # fmt: skip
def test_the_gate(run: Path, fail_if: str, status: int, confint: Confint) -> None:
    args = ["compare", BM25, run, "-m", "map", "--baseline", "bm25", "--margin", "0.03"]
    result = confint(*args, "--fail-if", fail_if)
    assert result.status == status
    assert result.out == confint(*args).out  # the result is written in any case
    said = result.err.splitlines()
    if status:
        assert said[0] == f"confint: --fail-if {fail_if}: it fails"
        assert said[1].startswith(f"confint: on map, {run.stem} ")
    else:
        assert said == [f"confint: note: --fail-if {fail_if}: it passes"]


def test_one_run_that_fails_is_enough_and_all_are_told(confint: Confint) -> None:
    files = [BM25, DENSE, HYBRID, TFIDF, "-m", "map,P_10", "--baseline", "bm25"]
    result = confint("compare", *files, "--fail-if", "worse", "--quiet")
    assert result.status == 3
    assert result.err.splitlines() == [
        "confint: --fail-if worse: 1 of 6 comparisons fails, each judged by its own 95% interval",
        "confint: on map, tfidf is worse than bm25: the difference is -0.0515, 95% (t) between "
        "-0.0887 and -0.0144",
    ]
    table = confint("compare", *files, "--fail-if", "worse", "--quiet", "-f", "table").out
    assert "--fail-if worse: 1 of 6 comparisons fails, each judged by its" in (
        " ".join(table.split())
    )


def test_the_first_interval_decides(confint: Confint) -> None:
    """At 99% tfidf is not worse; of all at once, neither."""
    args = ["compare", BM25, TFIDF, "-m", "map", "--baseline", "bm25", "--fail-if", "worse"]
    assert confint(*args, "--level", "0.999,0.95").status == 0
    assert confint(*args, "--level", "0.95,0.999").status == 3


def test_of_collections_the_mean_decides(confint: Confint) -> None:
    args = ["compare", *SUITE, "-m", "P@10", "--baseline", "bm25", "--quiet"]
    rows = records(confint(*args))
    worse = [row["collection"] for row in rows if float(row["high"]) < 0]
    assert worse == ["science"]
    assert confint(*args, "--fail-if", "worse").status == 0
    assert confint(*args, "--fail-if", "not-better").status == 3


def test_what_cannot_be_compared_does_not_pass(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": [0.1, 0.2, 0.4], "P_10": [0.1, 0.2, 0.3]},
                                      "b": {"map": [0.3, 0.5, 0.1]}})  # fmt: skip
    result = confint("compare", path, "--baseline", "b", "--fail-if", "worse")
    assert (result.status, result.out) == (1, "")
    assert "--fail-if worse: there is no comparison of a on P_10" in result.err
    third = write(tmp_path / "y.tsv", {"c": {"P_10": [0.2, 0.3, 0.1]}})
    more = confint("compare", path, third, "--baseline", "a", "--fail-if", "worse")
    assert (more.status, more.out) == (1, "")
    assert "there is no comparison of c on map, b on P_10" in more.err
    none = confint("compare", path, third, "-m", "map", "--baseline", "b", "--fail-if", "worse")
    assert (none.status, none.out) == (1, "")
    assert f"there is no comparison of {third}" in none.err


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["--fail-if", "worse"], "--fail-if worse needs to know which run is the one to beat"),
        (["--fail-if", "worse", "--all-pairs"], "--fail-if worse needs to know which run"),
        (["--fail-if", "inferior", "--baseline", "bm25"], "--fail-if inferior: by how much may"),
        (["--fail-if", "better", "--baseline", "bm25"], "--fail-if 'better' is none of worse"),
    ],
)
def test_a_gate_that_cannot_be_meant(args: list[str], problem: str, confint: Confint) -> None:
    result = confint("compare", BM25, DENSE, "-m", "map", *args)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"confint: {problem}")


def test_baselines_are_not_judged(confint: Confint) -> None:
    """With two of them, one is always worse than the other."""
    args = ["compare", BM25, TFIDF, HYBRID, "-m", "map", "--baseline", "bm25,tfidf"]
    assert confint(*args, "--fail-if", "not-better").status == 0
    assert confint(*args, DENSE, "--fail-if", "not-better").status == 3
    every = confint("compare", BM25, TFIDF, "-m", "map", "--baseline", "bm25,tfidf", "--fail-if",
                    "worse")  # fmt: skip
    assert (every.status, every.out) == (2, "")
    assert "every run is a baseline" in every.err


def test_a_loss_that_is_always_the_same_is_seen(tmp_path: Path, confint: Confint) -> None:
    """max-t has no limits of it."""
    path = two(tmp_path, np.round(Y - 0.25, 3), Y)
    args = ["compare", path, "--baseline", "b", "--fail-if", "worse", "--simultaneous"]
    result = confint(*args)
    assert records(confint(*args[:4]))[0]["note"] == "no variance"
    assert result.status == 3
    assert "the difference is -0.2500, without limits" in result.err
    gain = ["compare", two(tmp_path, np.round(Y + 0.25, 3), Y), *args[2:]]
    assert confint(*gain).status == 0


def test_a_run_that_did_not_change(tmp_path: Path, confint: Confint) -> None:
    args = ["compare", two(tmp_path, Y, Y), "--baseline", "b", "--margin", "0.1", "--fail-if"]
    statuses = {gate: confint(*args, gate).status for gate in ("worse", "not-better", "inferior")}
    assert statuses == {"worse": 0, "not-better": 3, "inferior": 0}


def test_errors_go_before_the_gate(tmp_path: Path, confint: Confint) -> None:
    broken = tmp_path / "x.eval"
    broken.write_text("map all\n")
    args = ["compare", BM25, TFIDF, broken, "-m", "map", "--baseline", "bm25", "--fail-if", "worse"]
    assert confint(*args).status == 1
    going = confint(*args, "--keep-going")
    assert going.status == 1
    assert "tfidf is worse than bm25" in going.err  # what the others say is told all the same


def test_a_reader_that_closes_the_pipe_does_not_let_it_pass() -> None:
    call = f"'{sys.executable}' -m confint_cli compare {BM25} {TFIDF} -m map --baseline bm25"
    shell = f"set -o pipefail; {call} --fail-if worse --quiet | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr


def test_a_makefile_stops(tmp_path: Path) -> None:
    """The recipe of docs/recipes.md: no target is left of a model that got worse."""
    (tmp_path / "Makefile").write_text(
        ".DELETE_ON_ERROR:\n"
        "%.tsv: %.eval\n"
        f"\t'{sys.executable}' -m confint_cli compare {BM25} $< -m map --baseline bm25 "
        "--fail-if worse > $@\n"
    )
    for run, stops in ((TFIDF, True), (HYBRID, False)):
        (tmp_path / run.name).write_bytes(run.read_bytes())
        target = tmp_path / f"{run.stem}.tsv"
        done = subprocess.run(["make", "-C", tmp_path, target.name], capture_output=True, text=True,
                              check=False)  # fmt: skip
        assert (done.returncode != 0, target.exists()) == (stops, not stops), done.stderr


def test_from_python() -> None:
    files = [str(BM25), str(TFIDF)]
    failed = confint_cli.compare(files, measure="map", baseline="bm25", fail_if="worse")
    assert not failed.passed
    with pytest.raises(confint_cli.GateError, match="tfidf is worse than bm25"):
        failed.raise_if_failed()
    passed = confint_cli.compare(files, measure="map", baseline="bm25", fail_if="inferior",
                                 margin=0.2, effect_intervals=True)  # fmt: skip
    assert passed.passed
    passed.raise_if_failed()
    (row,) = passed.rows
    assert (row.verdict, row.p_noninferior < 0.05, row.glass_low < row.glass_high) == (
        "equivalent", True, True)  # fmt: skip
    assert "tfidf and bm25 are equivalent within ±0.2" in passed.sentence
    without = confint_cli.compare(files, measure="map")
    with pytest.raises(confint_cli.CallError, match="this result has no check to pass"):
        without.raise_if_failed()
    assert confint_cli.plan(files, measure="map", margin=0.05).rows[0].topics_needed > 2
