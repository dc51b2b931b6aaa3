"""`confint rank`, through the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import SAMPLES, Confint, records, write

COLUMNS = (
    "measure rank run topics mean low high rank_low rank_high own_rank_low own_rank_high "
    "first_share tied_with_best judged_share note"
)
EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
BM25 = SAMPLES / "trec_eval/bm25.eval"


def task(tmp_path: Path, quality: list[float], topics: int = 40, spread: float = 0.05) -> Path:
    """Write a shared task of runs so good, that differ by chance as well."""
    random = np.random.default_rng(7)
    common = random.beta(1, 2, topics) / 2
    runs = {
        f"run{place}": {"m": (common + level + random.normal(0, spread, topics)).tolist()}
        for place, level in enumerate(quality)
    }
    return write(tmp_path / "task.tsv", runs)


def sentence(result_out: str) -> str:
    return " ".join(result_out.split())


def test_the_columns_hold_ranks_within_their_sets(confint: Confint) -> None:
    result = confint("rank", *EVALS, "-m", "map,P_10", "--quiet")
    assert result.out.splitlines()[0].split("\t") == COLUMNS.split()
    rows = records(result)
    assert [row["rank"] for row in rows] == [*map(str, range(1, 9))] * 2
    for row in rows:
        low, rank, high = int(row["rank_low"]), int(row["rank"]), int(row["rank_high"])
        assert 1 <= low <= rank <= high <= 8
        own_low, own_high = int(row["own_rank_low"]), int(row["own_rank_high"])
        assert low <= own_low <= rank <= own_high <= high
        assert float(row["low"]) < float(row["mean"]) < float(row["high"])
        assert row["topics"] == "50"
    assert rows[0]["tied_with_best"] == "yes"


def test_rank_sets_come_from_the_simultaneous_intervals_of_compare(confint: Confint) -> None:
    args = ("-m", "map", "--resamples", 2000, "--level", 0.9, "--quiet")
    pairs = records(confint("compare", *EVALS, "--all-pairs", "--simultaneous", *args))
    above = {(row["run"], row["baseline"]) for row in pairs if float(row["low"]) > 0}
    below = {(row["baseline"], row["run"]) for row in pairs if float(row["high"]) < 0}
    better = above | below
    rows = records(confint("rank", *EVALS, *args))
    best = rows[0]["run"]
    for row in rows:
        run = row["run"]
        assert int(row["rank_low"]) == 1 + sum(one[1] == run for one in better)
        assert int(row["rank_high"]) == 8 - sum(one[0] == run for one in better)
        assert (row["tied_with_best"] == "yes") == ((best, run) not in better)


def test_the_interval_of_the_mean_is_that_of_interval(confint: Confint) -> None:
    for method in ("t", "bca"):
        args = (*EVALS, "-m", "map", "--method", method, "--level", 0.99, "--quiet")
        limits = {
            row["run"]: (row["low"], row["high"]) for row in records(confint("interval", *args))
        }
        rows = records(confint("rank", *args))
        assert {row["run"]: (row["low"], row["high"]) for row in rows} == limits


@pytest.mark.parametrize("order", ["name", "input"])
def test_another_order_of_the_rows_has_the_same_ranks(order: str, confint: Confint) -> None:
    def by_run(*args: str) -> dict[str, dict[str, str]]:
        return {row["run"]: row for row in records(confint("rank", *EVALS, "-m", "map", *args))}

    best_first, other = by_run(), by_run("--sort", order)
    assert best_first == other
    assert list(best_first) != list(other)
    table = confint("rank", *EVALS, "-m", "map", "--sort", order, "-f", "table").out
    assert "hybrid is ahead of all 7 other runs at 95%." in sentence(table)


# In words


def test_runs_of_which_nobody_can_be_told_apart_are_told_so(
    tmp_path: Path, confint: Confint
) -> None:
    path = task(tmp_path, [0.1, 0.1, 0.1, 0.1])
    out = confint("rank", path, "-f", "table").out
    assert "No two of the 4 runs can be told apart at 95%." in sentence(out)
    assert out.count("*  [") == 4
    assert "┄" not in out
    two = confint("rank", task(tmp_path, [0.1, 0.1]), "-f", "table").out
    assert "The two runs cannot be told apart at 95%." in sentence(two)


def test_the_first_runs_cannot_be_told_apart(tmp_path: Path, confint: Confint) -> None:
    out = confint("rank", task(tmp_path, [0.3, 0.3, 0.3, 0.1, 0.1]), "-f", "table").out
    assert "The first 3 of 5 runs cannot be told apart at 95%." in sentence(out)
    assert "A line: every run above it is shown to be better than every run below." in (
        sentence(out)
    )
    lines = out.splitlines()
    assert [line.startswith("┄") for line in lines[4:10]] == [False] * 3 + [True] + [False] * 2
    assert [line.split()[-1] for line in lines[4:7]] == ["●■■··", "■●■··", "■■●··"]


def test_a_best_run_that_is_ahead_is_told_so(tmp_path: Path, confint: Confint) -> None:
    out = confint("rank", task(tmp_path, [0.5, 0.1, 0.1]), "-f", "table").out
    assert "run0 is ahead of both other runs at 95%." in sentence(out)
    assert "*" not in out
    out = confint("rank", task(tmp_path, [0.5, 0.1]), "-f", "table").out
    assert "run0 is ahead of run1 at 95%." in sentence(out)


def test_a_run_behind_others_may_still_be_tied_with_the_best(
    tmp_path: Path, confint: Confint
) -> None:
    """The second best is surely behind; a third one varies so much that nobody knows."""
    random = np.random.default_rng(3)
    common = random.beta(1, 2, 40)
    runs = {
        "best": common + 0.2,
        "close": common + 0.19 + random.normal(0, 0.001, 40),
        "wild": common + 0.15 + np.resize([0.5, -0.5], 40),
    }
    path = write(tmp_path / "x.tsv", {run: {"m": row.tolist()} for run, row in runs.items()})
    out = sentence(confint("rank", path, "-f", "table").out)
    assert "best is ahead of close at 95%, but not of 1 other run: wild." in out
    rows = {row["run"]: row for row in records(confint("rank", path))}
    assert [rows[run]["tied_with_best"] for run in runs] == ["yes", "no", "yes"]
    runs["twin"] = runs["best"]
    path = write(tmp_path / "x.tsv", {run: {"m": row.tolist()} for run, row in runs.items()})
    out = sentence(confint("rank", path, "-f", "table").out)
    assert "The first 2 of 4 runs cannot be told apart at 95%, and 1 more is tied with the" in out
    assert "best: wild." in out


def test_many_runs_have_a_picture_of_their_rank_sets(tmp_path: Path, confint: Confint) -> None:
    out = confint("rank", task(tmp_path, [0.5 - 0.01 * k for k in range(60)]), "-f", "table").out
    assert "■" not in out
    assert "├●┤ the rank and the rank set." in sentence(out)
    assert any("─●─" in line for line in out.splitlines())
    assert max(map(len, out.splitlines()[:-1])) <= 100


def test_markdown_and_latex_of_standings(confint: Confint) -> None:
    args = ("rank", *EVALS, "-m", "P_10", "--quiet")
    markdown = confint(*args, "-f", "markdown").out
    assert markdown.endswith("\nThe first 4 of 8 runs cannot be told apart at 95%.\n")
    assert "|    1 | hybrid     | 0.4200\\* |" in markdown
    assert (
        "\\* cannot be told apart from the best run. t 95%: for each mean by itself; the best of "
        "many means is usually too high. Rank set: 95% confidence for all 8" in markdown
    )
    latex = confint(*args, "-f", "latex").out
    assert r"1 & hybrid & 0.4200\rlap{{*}} & [0.3322, 0.5078] & 1--{}4 & 1--{}4 & " in latex
    assert r"\addlinespace" in latex
    assert "A gap: every run above it is shown to be better than every run below." in latex
    assert "for all 8 runs at once, approximately (28 differences, max-t)" in latex


def test_json_has_the_signature_and_a_truth_value(confint: Confint) -> None:
    found = json.loads(confint("rank", *EVALS, "-m", "P_10", "-f", "json").out)
    assert [row["tied_with_best"] for row in found["rows"]] == [True] * 4 + [False] * 4
    signature = found["signature"]
    assert (signature["family"], signature["draws"], signature["seed"]) == ("28", "10000", "0")


# Bad input


@pytest.mark.parametrize(
    ("args", "status", "problem"),
    [
        (["--method", "t,bca"], 2, "rank takes one --method at a time, not 2"),
        (["--level", "0.9,0.95"], 2, "rank takes one --level at a time, not 2"),
        (["--method", "z"], 2, "z needs the whole population"),
        (["--method", "wilson"], 1, "wilson is only for scores of 0 or 1, and the map of"),
        (["--method", "wilson"], 1, "hint: 'confint methods' lists other methods"),
        (["--resamples", "10"], 2, "10 draws are too few for simultaneous intervals"),
        (["--every", "50"], 1, "has 1 topic, and a comparison needs 2"),
        (["--method", "all"], 2, "rank takes one --method at a time"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    args: list[str], status: int, problem: str, confint: Confint
) -> None:
    result = confint("rank", *EVALS, "-m", "map", "--quiet", *args)
    assert (result.status, result.out) == (status, "")
    assert problem in result.err


def test_a_single_run_has_no_rank(confint: Confint) -> None:
    result = confint("rank", EVALS[0], "-m", "map")
    assert (result.status, result.out) == (1, "")
    assert "it is the only run" in result.err


def test_ties_in_decimals_share_a_rank_in_the_order_of_names(
    tmp_path: Path, confint: Confint
) -> None:
    """The same scores of one decimal in another order: equal means, whatever the last bits."""
    random = np.random.default_rng(0)
    for _ in range(30):
        scores = (random.integers(0, 11, 50) / 10).tolist()
        other = random.permutation(scores).tolist()
        path = write(tmp_path / "x.tsv", {"b": {"m": scores}, "a": {"m": other}})
        rows = records(confint("rank", path, "--resamples", 99))
        assert [(row["rank"], row["run"]) for row in rows] == [("1", "a"), ("1", "b")]


def test_notes_and_the_monte_carlo_error_are_told(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5, *[0] * 49]}, "b": {"m": [0.4] * 50}})
    assert [row["note"] for row in records(confint("rank", path))] == [
        "no variance",
        "mostly zeros",
    ]
    args = ("rank", *EVALS, "-m", "map", "--method", "percentile", "--resamples", 40, "-f", "json")
    result = confint(*args)
    assert "40 resamples are few for" in result.err
    assert float(json.loads(result.out)["signature"]["error"]) > 0.005


def test_topics_that_a_run_lacks_are_noted_on_the_page(confint: Confint) -> None:
    runs = sorted((SAMPLES / "runs").glob("*.run"))
    for files in ((*EVALS, "-m", "map"), (*runs, "-q", SAMPLES / "qrels.txt", "-m", "AP")):
        notes = {row["run"]: row["note"] for row in records(confint("rank", *files))}
        assert {run: note for run, note in notes.items() if note} == {
            "early-stop": "4 topics missing",
            "keyword": "skewed",
        }
    assert "| 4 topics missing |" in confint("rank", *EVALS, "-m", "map", "-f", "markdown").out


def test_a_run_that_lacks_most_topics_gets_a_warning(tmp_path: Path, confint: Confint) -> None:
    lines = BM25.read_text().splitlines()
    few = tmp_path / "few.eval"
    few.write_text("\n".join(line for line in lines if line.split()[1] < "320") + "\n")
    for command in (["rank"], ["compare", "--all-pairs"]):
        err = confint(*command, few, *EVALS, "-m", "map").err
        said = "1 run has no scores on half of the topics or more, which count as 0: few"
        assert said in err


def test_a_run_that_is_there_twice_is_noticed(tmp_path: Path, confint: Confint) -> None:
    copy = tmp_path / "again.eval"
    copy.write_bytes(BM25.read_bytes())
    result = confint("rank", copy, *EVALS, "-m", "map,P_10")
    said = "warning: some runs have the same scores on all topics: bm25 and again\n"
    assert said in result.err
    notes = {row["note"] for row in records(result) if row["run"] == "bm25"}
    assert notes == {"same scores as again"}


def test_a_copy_but_for_its_last_bits_is_noticed(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.3, 0.5, 0.0] * 3},
                                      "b": {"m": [0.1 + 0.2, 0.5, -0.0] * 3}})  # fmt: skip
    assert "same scores on all topics: b and a\n" in confint("rank", path).err


def test_of_several_best_runs_the_first_by_name_is_the_best(
    tmp_path: Path, confint: Confint
) -> None:
    """Whatever the order of rows: `near` is tied with `a`, which it hardly differs from."""
    random = np.random.default_rng(1)
    a, b = random.normal(0.5, 0.1, 40), random.normal(0.5, 0.1, 40)
    b += a.mean() - b.mean()
    runs = {"b": b.round(12), "a": a.round(12), "near": a - 0.02 + random.normal(0, 0.001, 40)}
    path = write(tmp_path / "x.tsv", {run: {"m": row.tolist()} for run, row in runs.items()})
    answers = {
        tuple(sorted((row["run"], row["tied_with_best"]) for row in
                     records(confint("rank", path, "--sort", order))))
        for order in ("mean", "name", "input")
    }  # fmt: skip
    assert len(answers) == 1


def test_too_few_topics_are_told_so(confint: Confint) -> None:
    """Of four topics, 1.6% of resamples have but one; no seed or number of draws may hide that."""
    said = "4 topics are too few to distinguish any two runs at 95%."
    for draws in (19, 25, 40, 10_000):
        args = ("rank", *EVALS, "-m", "map", "--every", 13, "--draws", draws)
        result = confint(*args, "-f", "table")
        assert said in sentence(result.out)
        assert "differ by the same" not in result.err
        assert "inf" not in confint(*args, "-f", "json").out.splitlines()[1]
    assert said not in confint("rank", *EVALS, "-m", "map", "--every", 10, "-f", "table").out


def test_runs_that_differ_on_few_topics_are_told_so(tmp_path: Path, confint: Confint) -> None:
    base = np.linspace(0.1, 0.9, 50)
    runs = {"base": {"m": base.tolist()}}
    for place in range(3):
        other = base.copy()
        other[[place, place + 10]] += [0.1, 0.05]
        runs[f"r{place}"] = {"m": other.tolist()}
    result = confint("rank", write(tmp_path / "x.tsv", runs), "-f", "table")
    assert "note: on m, 6 pairs of runs differ on at most 4 topics: too few to" in result.err
    said = "No two of the 4 runs can be told apart at 95%: they differ on too few topics, or by"
    assert said in sentence(result.out)
    runs["moved"] = {"m": (base - 0.1).tolist()}
    runs["far"] = {"m": (base + 0.3 + 0.1 * np.random.default_rng(0).normal(size=50)).tolist()}
    result = confint("rank", write(tmp_path / "x.tsv", runs), "-f", "table")
    assert "note: on m, 6 pairs of runs differ on at most 4 topics: too few to" in result.err
    assert (
        "note: on m, 4 pairs of runs differ by the same amount on nearly all topics" in result.err
    )
    assert "far is ahead of all 5 other runs at 95%." in sentence(result.out)


def test_strict_rank_sets_are_larger_on_the_whole(confint: Confint) -> None:
    args = ("rank", *EVALS, "-m", "map,P_10", "--quiet")
    usual, strict = ({(row["measure"], row["run"]): row for row in records(confint(*args, *more))}
                     for more in ((), ("--strict",)))  # fmt: skip
    ranks = [
        sum(int(row["rank_high"]) - int(row["rank_low"]) for row in found.values())
        for found in (usual, strict)
    ]
    assert ranks[0] < ranks[1]
    shown = confint(*args, "--strict", "-f", "table").out
    assert "|max-t:strict|" in shown
    assert "(28 differences, max-t, strict)" in sentence(shown)


def test_runs_that_differ_all_alike_are_told_so(tmp_path: Path, confint: Confint) -> None:
    base = np.linspace(0.1, 0.5, 40)
    path = write(tmp_path / "x.tsv", {run: {"m": (base + shift).tolist()} for run, shift in
                                      (("a", 0.0), ("b", 0.125), ("c", 0.25))})  # fmt: skip
    result = confint("rank", path, "-f", "table")
    said = "No two of the 3 runs can be told apart at 95%: they differ on too few topics, or by"
    assert f"{said} the same amount on all." in sentence(result.out)
    assert "3 pairs of runs differ by the same amount on nearly all topics" in result.err


def test_differences_on_the_edge_are_told(tmp_path: Path, confint: Confint) -> None:
    path = task(tmp_path, [0.3 - 0.001 * k for k in range(40)])
    err = confint("rank", path, "--resamples", 200).err
    assert "so close to the limit that another seed might change the decision" in err
    assert confint("rank", task(tmp_path, [0.5, 0.1])).err == ""


def test_runs_without_the_measure_are_left_out(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [1, 2, 3], "k": [1, 2, 3]}, "b": {"m": [2, 2, 4]},
                                      "c": {"m": [1, 1, 1], "k": [2, 1, 5]}})  # fmt: skip
    result = confint("rank", path)
    assert "1 run has no scores on k, left out there: b" in result.err
    assert [row["run"] for row in records(result)] == ["b", "a", "c", "c", "a"]
    assert confint("rank", path, "-f", "latex").status == 0
    path = write(tmp_path / "y.tsv", {"a": {"m": [1, 2, 3], "k": [1, 2, 3]}, "b": {"m": [2, 2, 4]}})
    result = confint("rank", path)
    assert (
        "on k, there is nothing to compare 'a' with: it is the only run, so there is" in result.err
    )
    assert {row["measure"] for row in records(result)} == {"m"}
