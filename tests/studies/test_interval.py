"""`confint interval` and `confint methods`, through the command line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from confint_cli.inputs.formats import formats
from confint_cli.stats.methods import methods, usual_methods
from tests.conftest import SAMPLES, Confint, Result, records, write

HEADER = "measure run method level topics mean sd se low high shape note"


def notes(result: Result) -> dict[str, str]:
    return {row["method"]: row["note"] for row in records(result)}


TWELVE = [0.1, 0.2, 0.4, 0.05, 0.3, 0.9, 0.6, 0.25, 0.33, 0.0, 0.75, 0.5]


def test_the_columns_and_a_t_interval_worked_by_hand(tmp_path: Path, confint: Confint) -> None:
    """Five scores of mean 3 and variance 2.5; t(4, 0.975) = 2.776445 from a printed table."""
    path = write(tmp_path / "x.tsv", {"a": {"m": [1, 2, 3, 4, 5]}})
    result = confint("interval", path, "--method", "t", "--digits", 6)
    assert result.out.splitlines()[0].split("\t") == HEADER.split()
    half = 2.776445 * math.sqrt(2.5 / 5)
    assert result.rows == [
        ["m", "a", "t", "0.95", "5", "3.000000", "1.581139", "0.707107", f"{3 - half:.6f}",
         f"{3 + half:.6f}", "1.000000", "few topics"],
    ]  # fmt: skip


def test_the_defaults_are_t_and_95_percent(confint: Confint) -> None:
    rows = records(confint("interval", "-m", "map", SAMPLES / "trec_eval/bm25.eval"))
    assert [(row["method"], row["level"]) for row in rows] == [("t", "0.95")]
    assert {row["topics"] for row in rows} == {"50"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--level", "0.95,0.999"], ["0.95", "0.999"]),
        (["--level", "0.9", "--level", "99.9"], ["0.9", "0.999"]),
        (["--level", "95", "--level", "95%,.95"], ["0.95"]),
        (["--level", "1%,50.5,50%"], ["0.01", "0.505", "0.5"]),
        (["--level", " 99 , 90 "], ["0.99", "0.9"]),
    ],
)
def test_levels_as_shares_or_percentages(
    given: list[str], expected: list[str], confint: Confint
) -> None:
    args = ("interval", "-m", "map", "--method", "t", SAMPLES / "trec_eval/bm25.eval")
    assert [row["level"] for row in records(confint(*args, *given))] == expected


# Degenerate input: a defined answer and a word


DEGENERATE = {
    "no variance": ([0.25] * 12, "0.2500", "0.2500"),
    "one topic": ([0.5], "", ""),
}


@pytest.mark.parametrize("note", DEGENERATE)
def test_there_is_no_proper_interval(note: str, tmp_path: Path, confint: Confint) -> None:
    values, low, high = DEGENERATE[note]
    path = write(tmp_path / "x.tsv", {"a": {"m": values}})
    result = confint("interval", path, "--method", "all")
    rows = records(result)
    assert {row["method"] for row in rows} == set(usual_methods()) - {"wilson"}
    assert {(row["low"], row["high"], row["shape"], row["note"]) for row in rows} == {
        (low, high, "", note)
    }
    assert {row["sd"] for row in rows} == ({"0.0000"} if low else {""})
    assert "nan" not in result.out


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (TWELVE, ""),
        (TWELVE[:9], "few topics"),
        (TWELVE[:10], ""),
        ([0.5, *[0] * 49], "mostly zeros"),  # (49/50)^50 is 0.36
        ([0.5] * 5 + [0] * 45, "skewed"),  # (45/50)^50 is 0.005
        ([0.5] * 4 + [0.0] * 46, "mostly zeros"),  # (46/50)^50 is 0.015
        ([0.5] * 4 + [0.1 + 0.2] * 23 + [0.3] * 23, "mostly one value"),  # but for last bits
        ([1.0] * 49 + [0.0], "mostly one value"),
        ([0.5] * 10 + [0.0] * 40, "skewed"),  # a skewness of 1.5, and 25·1.5² is 56
        ([0.5] * 13 + [0.0] * 37, ""),  # 1.09
        ([0.2, 0.4, 0.4], "few topics, mostly one value"),  # (2/3)^3 is 0.30
        ([0.2, 0.3, 0.4], "few topics"),  # a single one is not most
        ([0.5, 0, 0, 0, 0], "few topics, mostly zeros"),
        ([0, 0, 0, 0, 0], "few topics, no variance"),
    ],
)
def test_unfit_scores_are_noted(
    values: list[float], expected: str, tmp_path: Path, confint: Confint
) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": values}})
    result = confint("interval", path, "--method", "t,bca", "--resamples", 999)
    assert set(notes(result).values()) == {expected}


def test_an_infinite_limit_is_reported_as_such(tmp_path: Path, confint: Confint) -> None:
    """Of three topics, a resample is all the same with 3/27: more than 5% on either side."""
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.4, 0.6]}})
    args = ("interval", path, "--method", "bootstrap-t,t")
    result = confint(*args)
    row, other = records(result)
    assert (row["low"], row["high"]) == ("-inf", "inf")
    assert row["note"] == "few topics, unbounded"
    assert other["note"] == "few topics"
    first = json.loads(confint(*args, "-f", "json").out)["rows"][0]
    assert (first["low"], first["high"], first["note"]) == (None, None, "few topics, unbounded")
    assert r"[$-$$\infty$, $\infty$]" in confint(*args, "-f", "latex").out
    picture = confint("interval", path, "--method", "bootstrap-t", "-f", "table").out
    assert "[-inf, inf]" in picture


def test_wilson_of_all_successes_is_no_point(tmp_path: Path, confint: Confint) -> None:
    """50 of 50: [n/(n+z²), 1], with z = 1.959964."""
    path = write(tmp_path / "x.tsv", {"a": {"success_1": [1] * 50}})
    (row,) = records(confint("interval", path, "--method", "wilson"))
    assert row["low"] == f"{50 / (50 + 1.959964**2):.4f}"
    assert (row["high"], row["note"]) == ("1.0000", "no variance")


# Which methods, for which scores


def test_all_leaves_out_what_the_scores_are_unfit_for(tmp_path: Path, confint: Confint) -> None:
    scores = {"dcg": [4.0, *TWELVE], "s": [1, 0] * 6 + [1], "map": [0.5, *TWELVE]}
    path = write(tmp_path / "x.tsv", {"a": scores, "b": scores})
    result = confint("interval", path, "--method", "all", "--resamples", 999)
    used = {
        measure: [row["method"] for row in records(result) if row["measure"] == measure]
        for measure in scores
    }
    everything = list(usual_methods())
    assert set(used["s"]) == set(everything)
    assert set(everything) - set(used["map"]) == {"wilson"}
    assert set(everything) - set(used["dcg"]) == {"wilson", "logit"}
    assert [line for line in result.err.splitlines() if "warning" not in line] == [
        "confint: note: wilson is only for scores of 0 or 1: left out for dcg, map",
        "confint: note: logit is only for scores from 0 to 1: left out for dcg",
    ]
    shown = confint("interval", path, "--method", "all", "--resamples", 999, "-f", "markdown")
    assert shown.out.count("| run |") == 3


def test_a_method_that_was_named_is_not_left_out(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": TWELVE}})
    result = confint("interval", path, "--method", "all,wilson")
    assert (result.status, result.out) == (1, "")


@pytest.mark.parametrize("spelled", ["bootstrap-t", "Bootstrap_T", "BOOTSTRAP-T"])
def test_a_method_may_be_spelled_in_several_ways(spelled: str, confint: Confint) -> None:
    args = ("interval", "-m", "map", SAMPLES / "trec_eval/bm25.eval", "--method")
    assert {row["method"] for row in records(confint(*args, spelled))} == {"bootstrap-t"}


def test_an_explanation_of_every_method(confint: Confint) -> None:
    listed = [row[0] for row in confint("methods").rows]
    others = "max-t bonferroni-t welch dersimonian-laird hartung-knapp ppi imbens-manski credible"
    assert listed == [*methods(), *others.split()]
    for name in listed:
        text = confint("methods", name).out
        assert text.startswith(f"{name}: ")
        assert "formula" in text
        assert "reference" in text
        assert all(len(line) <= 100 for line in text.splitlines()), name


def test_a_run_has_the_same_interval_alone_and_among_others(confint: Confint) -> None:
    names = ["bm25", "hybrid", "keyword", "dense"]
    paths = [SAMPLES / f"trec_eval/{name}.eval" for name in names]
    args = ("interval", "-m", "map,P_10", "--method", "all", "--digits", 12, "--quiet")
    first = confint(*args, *paths)
    fit = [name for name in usual_methods() if name != "wilson"]
    assert len(first.rows) == 4 * 2 * len(fit)
    alone = confint(*args, paths[2]).rows
    assert alone == [row for row in first.rows if row[1] == "keyword"]
    as_json = (*args, "-f", "jsonl")  # at full precision
    lines = confint(*as_json, *paths).out.splitlines()
    assert set(confint(*as_json, paths[1]).out.splitlines()) < set(lines)


def test_logit_takes_no_quantiles_and_needs_fewer_resamples(confint: Confint) -> None:
    args = ("interval", "-m", "map", SAMPLES / "trec_eval/bm25.eval", "--resamples", 30)
    assert confint(*args, "--method", "logit").status == 0
    assert confint(*args, "--method", "logit,bca").status == 2


def test_logit_of_one_success_and_one_failure_knows_nothing(
    tmp_path: Path, confint: Confint
) -> None:
    """All resamples' means but 0 and 1, which are left out, are 0.5."""
    path = write(tmp_path / "x.tsv", {"a": {"m": [0, 1]}})
    (row,) = records(confint("interval", path, "--method", "logit"))
    assert (row["low"], row["high"]) == ("0.0000", "1.0000")


def test_identical_runs_have_identical_intervals(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": TWELVE}, "b": {"m": TWELVE}})
    rows = confint("interval", path, "--method", "all", "--digits", 12, "--quiet").rows
    half = len(rows) // 2
    assert [row[2:] for row in rows[:half]] == [row[2:] for row in rows[half:]]


def test_measures_with_topics_of_their_own(tmp_path: Path, confint: Confint) -> None:
    """A measure that lacks topics is resampled on those that it has, as if it were alone."""
    path = write(tmp_path / "x.tsv", {"a": {"m": TWELVE, "n": TWELVE[:11]}})
    alone = write(tmp_path / "y.tsv", {"a": {"n": TWELVE[:11]}})
    args = ("--method", "percentile", "--quiet")
    rows = records(confint("interval", path, *args))
    assert [(row["measure"], row["topics"]) for row in rows] == [("m", "12"), ("n", "11")]
    assert rows[1] == records(confint("interval", alone, *args))[0]


def test_best_first_in_each_measure(tmp_path: Path, confint: Confint) -> None:
    scores = {
        "a": {"m": TWELVE, "n": [1 - x for x in TWELVE]},
        "b": {"m": [x / 2 for x in TWELVE], "n": TWELVE},
        "c": {"m": [x / 3 for x in TWELVE], "n": [1 - x / 2 for x in TWELVE]},
    }
    path = write(tmp_path / "x.tsv", scores)
    order = {
        sort: [row["run"] for row in records(confint("interval", path, "--method", "t",
                                                      "--sort", sort))]
        for sort in ("mean", "name", "input")
    }  # fmt: skip
    assert order["mean"] == ["a", "b", "c", "c", "a", "b"]
    assert order["name"] == order["input"] == ["a", "b", "c"] * 2


# Monte Carlo error


def test_the_signature_says_what_it_takes_to_repeat(confint: Confint) -> None:
    args = ("interval", "-m", "map", SAMPLES / "trec_eval/bm25.eval", "-f", "json")
    options = ("--method", "bca,percentile", "--seed", 3, "--level", "0.9,0.95")
    ideal = json.loads(confint(*args, *options).out)["signature"]
    assert ideal["resamples"] == "ideal"
    assert not {"seed", "error", "random"} & ideal.keys()  # nothing is drawn
    signed = json.loads(confint(*args, *options, "--resamples", 10_000).out)["signature"]
    assert signed["command"] == "interval"
    assert signed["methods"] == "bca,percentile"
    assert signed["levels"] == "0.9,0.95"
    assert (signed["resamples"], signed["seed"]) == ("10000", "3")
    assert 0 < float(signed["error"]) < 0.002
    plain = json.loads(confint(*args).out)["signature"]
    assert not {"resamples", "seed", "error"} & plain.keys()


def test_too_few_resamples_are_warned_of_and_the_number_given_will_do(confint: Confint) -> None:
    args = ("interval", "-m", "map", "--method", "percentile", SAMPLES / "trec_eval/bm25.eval",
            "--level", 0.99, "--resamples")  # fmt: skip
    result = confint(*args, 400)
    assert "warning: 400 resamples are few for 1 of 1 interval: the Monte Carlo" in result.err
    assert "(percentile 99%, map of bm25)" in result.err
    assert result.status == 0
    for seed in range(12):
        warned = confint(*args, 400, "--seed", seed).err
        needed = int(warned.split("--resamples ")[1].split()[0]) if warned else 2000
        assert 1_000 <= needed < 30_000
        assert confint(*args, needed, "--seed", seed).err == ""


def test_where_no_number_of_resamples_would_do_it_says_so(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0] * 49 + [1]}})
    for level in (0.999, 0.999999):
        args = ("--method", "bca", "--level", level, "--resamples", 2_000_000)
        result = confint("interval", path, *args)
        assert result.status == 0
        assert result.err.endswith(
            "confint: warning: 2000000 resamples are few for 1 of 1 interval: the Monte Carlo "
            "error of a limit is up to 100% or more of the half-width (bca "
            f"{level * 100:g}%, m of a); no practical number of them would be enough, so choose a "
            "lower level or another method\n"
        )
        assert 0.1 < float(records(result)[0]["high"]) < 1


# Bad calls and scores that a method is not for


BAD = {
    "--level 0": ["--level 0 is not between 0 and 1", "0.95 and 95 both stand for 95%"],
    "--level -0.5": ["--level -0.5 is not between 0 and 1", "0.95 and 95 both stand for 95%"],
    "--level 100": ["--level 100 is not between 0% and 100%", "0.95 and 95 both stand for 95%"],
    "--level 100%": ["--level 100% is not between 0% and 100%", "0.95 and 95 both stand for 95%"],
    "--level 1": [
        "--level 1 is not a share, which is below 1",
        "did you mean 1%? 0.95 and 95 both stand for 95%",
    ],
    "--level 5": [
        "--level 5 is not a share, which is below 1",
        "did you mean 5%? 0.95 and 95 both stand for 95%",
    ],
    "--level 50": [
        "--level 50 is not a share, which is below 1",
        "did you mean 50%? 0.95 and 95 both stand for 95%",
    ],
    "--level 0.99999999999999999": [
        "--level 0.99999999999999999 is too close to 1 for a computer",
        "did you mean 0.999999?",
    ],
    "--level 99.99999999999999999": [
        "--level 99.99999999999999999 is too close to 1 for a computer",
        "did you mean 0.999999?",
    ],
    "--level 1e-400": [
        "--level 1e-400 is too close to 0 for a computer",
        "0.95 and 95 both stand for 95%",
    ],
    "--level nan": ["--level 'nan' is not a number", "0.95 and 95 both stand for 95%"],
    "--level high": ["--level 'high' is not a number", "0.95 and 95 both stand for 95%"],
    "--level 1_0": ["--level '1_0' is not a number", "0.95 and 95 both stand for 95%"],
    "--level sNaN%": ["--level 'sNaN%' is not a number", "0.95 and 95 both stand for 95%"],
    "--level 1e999999999": [
        "--level '1e999999999' is not a number",
        "0.95 and 95 both stand for 95%",
    ],
    "--resamples 1000000000000": [
        "--resamples 1000000000000 is above 10000000",
        "'confint interval --help' explains the options",
    ],
    "--method bca --resamples 19998 --level 0.9999": [
        "19998 resamples are too few for level 0.9999",
        "--resamples 19999 is the minimum, and ten times as many are better",
    ],
    "--level 0.9,": ["--level '' is not a number", "0.95 and 95 both stand for 95%"],
    "--method bcaa": [
        "no method is called 'bcaa'",
        f"did you mean bca? there are: {', '.join(methods())}",
    ],
    "--method ,": [
        "--method names no method",
        f"there are: {', '.join(methods())}, or all",
    ],
    "--method bca --resamples 1998 --level 0.999": [
        "1998 resamples are too few for level 0.999",
        "--resamples 1999 is the minimum, and ten times as many are better",
    ],
    "--method bca --resamples 38": [
        "38 resamples are too few for level 0.95",
        "--resamples 39 is the minimum, and ten times as many are better",
    ],
    "--seed -1": [
        "--seed -1 is below 0",
        "'confint interval --help' explains the options",
    ],
}


@pytest.mark.parametrize("options", BAD)
def test_a_bad_call_is_refused_with_a_hint(options: str, tmp_path: Path, confint: Confint) -> None:
    out = tmp_path / "out.tsv"
    path = SAMPLES / "trec_eval/bm25.eval"
    result = confint("interval", "-m", "map", path, *options.split(), "-o", out)
    problem, hint = BAD[options]
    assert result.err == f"confint: {problem}\n  hint: {hint}\n"
    assert (result.status, result.out) == (2, "")
    assert not out.exists()


@pytest.mark.parametrize("options", [["--resamples", 1999], ["--resamples", 39]])
def test_the_least_number_of_resamples_is_enough(options: list[str], confint: Confint) -> None:
    level = "0.999" if options[1] == 1999 else "0.95"
    path = SAMPLES / "trec_eval/bm25.eval"
    assert confint("interval", "-m", "map", path, "--level", level, *options).status == 0


@pytest.mark.parametrize(
    ("method", "value", "problem"),
    [
        ("logit", 1.5,
         "logit is only for scores from 0 to 1, and the m of 'a' on topic '3' is 1.5"),
        ("logit", -0.1,
         "logit is only for scores from 0 to 1, and the m of 'a' on topic '3' is -0.1"),
        ("wilson", 0.5,
         "wilson is only for scores of 0 or 1, and the m of 'a' on topic '3' is 0.5"),
    ],
)  # fmt: skip
def test_scores_that_a_method_is_not_for(
    method: str, value: float, problem: str, tmp_path: Path, confint: Confint
) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0, 1, value, 1, 0]}})
    out = tmp_path / "out.json"
    result = confint("interval", path, "--method", f"t,{method}", "-o", out)
    hint = "choose measures with -m; --method all leaves out a method where it does not fit"
    assert result.err == f"confint: {problem}\n  hint: {hint}\n"
    assert (result.status, result.out) == (1, "")
    assert not out.exists()


# Every input format, standard input, every output format


@pytest.mark.parametrize("name", [name for name, one in formats().items() if one.is_text])
def test_every_input_format_and_standard_input(name: str, tmp_path: Path, confint: Confint) -> None:
    """The mean printed is that of the scores that `score` prints."""
    path = tmp_path / "example"
    path.write_text(formats()[name].example, encoding="utf-8")
    scores: dict[tuple[str, str], list[float]] = {}
    for run, _, measure, score in confint("score", path, "-m", "all", "--quiet").rows:
        scores.setdefault((measure, run), []).append(float(score))
    args = ("interval", "-m", "all", "--method", "t", "--quiet")
    rows = records(confint(*args, path))
    assert {(row["measure"], row["run"]): row["mean"] for row in rows} == {
        key: f"{np.mean(values):.4f}" for key, values in scores.items()
    }
    piped = confint(*args, "-", stdin=path.read_bytes())
    assert piped.rows == [
        [field.replace("example", "stdin") for field in row]
        for row in confint(*args, path, "--name-from", "tag").rows
    ]


def test_the_picture_is_on_one_scale(tmp_path: Path, confint: Confint) -> None:
    scores = {"best": [0.5, 0.7] * 8, "worst": [0.0, 0.2] * 8, "same": [0.3] * 16}
    path = write(tmp_path / "x.tsv", {run: {"m": values} for run, values in scores.items()})
    lines = confint("interval", path, "--method", "t", "-f", "table").out.splitlines()
    axis, pictures = lines[2], {line.split()[0]: line for line in lines[4:7]}
    start = axis.index("0.0450")
    picture = {run: line[start:] for run, line in pictures.items()}
    width = axis.index("0.6550") + len("0.6550") - start
    assert picture["best"].rstrip().endswith("┤")
    assert len(picture["best"].rstrip()) == width
    assert picture["worst"].startswith("├")
    assert picture["same"].split() == ["●", "no", "variance"]
    share = (0.3 - 0.045) / (0.655 - 0.045)
    assert picture["same"].index("●") == int(share * width)


def test_a_note_of_some_methods_only_names_them(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.4, 0.6]}, "b": {"m": [0.3] * 3}})
    text = confint("interval", path, "--method", "t,bootstrap-t", "-f", "markdown").out
    assert "few topics, unbounded (bootstrap-t)" in text
    assert "| few topics, no variance" in text


def test_a_column_of_notes_only_where_there_are_any(tmp_path: Path, confint: Confint) -> None:
    scores = {"m": TWELVE, "zero": [0.0] * 12}
    path = write(tmp_path / "x.tsv", {"a": scores, "b": scores})
    text = confint("interval", path, "--method", "t,percentile", "-f", "markdown").out
    first, second = text.split("**zero, 12 topics**")
    assert "note" not in first
    assert "note" in second


def test_a_low_level_is_asked_about(confint: Confint) -> None:
    args = ("interval", "-m", "map", "--method", "t", SAMPLES / "trec_eval/bm25.eval")
    result = confint(*args, "--level", "1%,50%")
    assert result.err == (
        "confint: warning: a 1% interval misses more often than not: did you mean that?\n"
    )


def test_a_score_too_large_to_compute_with(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5, 1e200]}})
    result = confint("interval", path)
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "confint: the m of 'a' on topic '2' is 1e+200, too large to compute with\n"
    )


def test_a_folder_is_no_place_for_one_file(tmp_path: Path, confint: Confint) -> None:
    result = confint("interval", SAMPLES / "trec_eval/bm25.eval", "-o", f"{tmp_path}/new/")
    assert result.status == 2
    assert "is a folder, but the result is one file" in result.err
    assert list(tmp_path.iterdir()) == []


def sentence(result: Result) -> str:
    blocks = result.out.split("\n\n")
    return " ".join(blocks[2].split())


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"a": TWELVE},
         "With 95% confidence (t), the mean m of a over topics like these 12 lies between 0.1876 "
         "and 0.5424."),
        ({"a": TWELVE, "b": [x * 0.9 for x in TWELVE], "c": [x / 100 for x in TWELVE]},
         "Each interval is meant to have 95% confidence on its own; all of them together have "
         "less. To see whether two runs differ, look at their differences topic by topic, not at "
         "whether these intervals overlap: 'confint compare' does so, and 'confint rank' shows "
         "which run is ahead."),
        ({"a": [0.5, 0.25, 0.125]},
         "With 95% confidence (t, but: few topics), the mean m of a over topics like these 3 lies "
         "between -0.1827 and 0.7660."),
        ({"a": [0.5], "b": [0.3]},
         "One topic says nothing about others: there is no interval."),
    ],
)  # fmt: skip
def test_the_result_in_words(
    scores: dict[str, list[float]], expected: str, tmp_path: Path, confint: Confint
) -> None:
    path = write(tmp_path / "x.tsv", {run: {"m": values} for run, values in scores.items()})
    for order in ("mean", "name"):
        result = confint("interval", path, "-f", "table", "--sort", order)
        assert sentence(result) == expected
        several = len(scores) > 1 and min(map(len, scores.values())) > 1
        assert ("'confint compare'" in result.out) == several


def test_missing_topics_are_noted(confint: Confint) -> None:
    evals = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    args = ("interval", *evals, "-m", "map,P_10", "--method", "t", "--quiet")
    notes = {(row["run"], row["note"]) for row in records(confint(*args)) if row["note"]}
    assert notes == {("early-stop", "4 topics missing"), ("keyword", "skewed")}
    for format_ in ("table", "markdown", "latex"):
        out = confint(*args, "-f", format_).out.replace("{}", "")
        assert out.count("Missing topics count as 0: early-stop (4 topics missing).") == 1
    assert "4 topics missing" not in confint(*args, "--missing", "drop").out
