"""`confint plan` through the command line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.conftest import SAMPLES, Confint, records, write

BM25, HYBRID = SAMPLES / "trec_eval/bm25.eval", SAMPLES / "trec_eval/hybrid.eval"
COLUMNS = [
    "measure",
    "design",
    "sd",
    "target",
    "level",
    "power",
    "topics_now",
    "topics_needed",
    "attained",
    "runs",
    "note",
]
MEAN, DIFFERENCE = "half-width of mean", "half-width of difference"
DETECTABLE = "detectable difference"
RANDOM = np.random.default_rng(0)
A, B, C = RANDOM.random((3, 20)).round(4)


def three(tmp_path: Path) -> Path:
    runs = {"a": A, "b": B, "c": C}
    return write(
        tmp_path / "x.tsv", {name: {"map": values.tolist()} for name, values in runs.items()}
    )


def test_one_run(confint: Confint) -> None:
    scores = [float(row[3]) for row in confint("score", BM25, "-m", "map").rows]
    result = confint("plan", BM25, "-m", "map", "--half-width", 0.03, "--digits", 9)
    assert result.out.splitlines()[0].split("\t") == COLUMNS
    (row,) = records(result)
    sd = np.std(scores, ddof=1)
    half = stats.t.ppf(0.975, 49) * sd / math.sqrt(50)
    assert (row["measure"], row["design"], row["runs"]) == ("map", "half-width of mean", "1")
    assert (row["target"], row["level"], row["power"]) == ("0.03", "0.95", "")
    assert float(row["sd"]) == pytest.approx(sd, abs=1e-9)
    assert float(row["attained"]) == pytest.approx(half, abs=1e-9)
    (interval,) = records(confint("interval", BM25, "-m", "map", "--method", "t", "--digits", 9))
    width = float(interval["high"]) - float(interval["low"])
    assert 2 * float(row["attained"]) == pytest.approx(width, abs=3e-9)
    needed = int(row["topics_needed"])
    assert row["topics_now"] == "50" and needed > 50  # noqa: PT018
    for topics, enough in ((needed, True), (needed - 1, False)):
        found = stats.t.ppf(0.975, topics - 1) * sd / math.sqrt(topics)
        assert (found <= 0.03) == enough


def test_a_pair(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": A.tolist()}, "b": {"map": B.tolist()}})
    rows = records(confint("plan", path, "--half-width", 0.1, "--difference", "0.1,0.2",
                           "--digits", 9))  # fmt: skip
    assert [(row["design"], row["target"]) for row in rows] == [
        (MEAN, "0.1"), (DIFFERENCE, "0.1"), (DETECTABLE, "0.1"), (DETECTABLE, "0.2"),
    ]  # fmt: skip
    sd = (A - B).std(ddof=1)
    assert [float(row["sd"]) for row in rows[1:]] == pytest.approx([sd] * 3, abs=1e-9)
    assert float(rows[0]["sd"]) == pytest.approx(math.hypot(A.std(ddof=1), B.std(ddof=1)) / 2**0.5)
    assert [row["power"] for row in rows] == ["", "", "0.8", "0.8"]
    half = stats.t.ppf(0.975, 19) * sd / math.sqrt(20)
    assert float(rows[1]["attained"]) == pytest.approx(half, abs=1e-9)
    for row in rows[2:]:
        for topics, enough in ((int(row["topics_needed"]), True),
                               (int(row["topics_needed"]) - 1, False)):  # fmt: skip
            t = stats.t.ppf(0.975, topics - 1)
            shift = float(row["target"]) / sd * math.sqrt(topics)
            power = stats.nct.sf(t, topics - 1, shift) + stats.nct.cdf(-t, topics - 1, shift)
            assert (power >= 0.8) == enough


def test_all_runs(tmp_path: Path, confint: Confint) -> None:
    """The residual variance of topics and runs, doubled: the mean over all pairs."""
    rows = records(confint("plan", three(tmp_path), "--digits", 9))
    assert [row["design"] for row in rows] == [MEAN, DIFFERENCE, DETECTABLE]
    pairs = [(A - B).var(ddof=1), (A - C).var(ddof=1), (B - C).var(ddof=1)]
    for row in rows[1:]:
        assert float(row["sd"]) == pytest.approx(math.sqrt(np.mean(pairs)), abs=1e-9)
    assert {(row["target"], row["topics_needed"], row["note"]) for row in rows} == {("", "", "")}
    assert {row["runs"] for row in rows} == {"3"}


def test_today_and_the_target_agree(tmp_path: Path, confint: Confint) -> None:
    """What today's topics give takes today's topics: each way is the other's inverse."""
    path = three(tmp_path)
    for row in records(confint("plan", path, "--digits", 17, "--power", "90%")):
        option = "--difference" if row["design"] == DETECTABLE else "--half-width"
        for factor, expected in ((1.0001, 20), (0.9999, 21)):
            power = ["--power", "0.9"] if row["design"] == DETECTABLE else []
            target = float(row["attained"]) * factor
            back = records(confint("plan", path, *power, option, target))
            (same,) = (one for one in back if one["design"] == row["design"])
            assert int(same["topics_needed"]) == expected
            assert same["note"] == ("met already" if expected == 20 else "")


def test_levels_and_measures(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": A.tolist(), "P_10": B.tolist()}})
    result = confint("plan", path, "--level", "0.95,99", "--half-width", 0.2, "-f", "table")
    rows = records(confint("plan", path, "--level", "0.95,99", "--half-width", 0.2))
    assert [(row["measure"], row["level"]) for row in rows] == [
        ("map", "0.95"), ("map", "0.99"), ("P_10", "0.95"), ("P_10", "0.99"),
    ]  # fmt: skip
    needed = [int(row["topics_needed"]) for row in rows]
    assert needed[1] > needed[0]
    assert "design              level      sd" in result.out
    assert "design                  sd" in confint("plan", path, "-f", "table").out


def test_the_sentence(confint: Confint) -> None:
    result = confint("plan", BM25, HYBRID, "-m", "map", "--difference", "0.03,0.1", "-f", "table")
    rows = records(confint("plan", BM25, HYBRID, "-m", "map", "--difference", "0.03,0.1"))
    more, less = (row["topics_needed"] for row in rows)
    text = " ".join(result.out.split())
    assert (
        f"With 50 topics, you can detect a difference of {rows[0]['attained']} in map with a power "
        f"of 80%; for 0.03 you would need {more} and for 0.1 these are enough already ({less} "
        "would do)."
    ) in text


def test_json_has_numbers(confint: Confint) -> None:
    result = confint("plan", BM25, "-m", "map", "--half-width", 0.03, "-f", "json")
    (row,) = json.loads(result.out)["rows"]
    assert (row["target"], row["power"], row["topics_now"]) == (0.03, None, 50)
    assert "power" not in json.loads(result.out)["signature"]
    result = confint("plan", BM25, HYBRID, "-m", "map", "--difference", 0.03, "-f", "json")
    assert json.loads(result.out)["signature"]["power"] == "0.8"


def test_what_cannot_be_planned(tmp_path: Path, confint: Confint) -> None:
    same = write(tmp_path / "s.tsv", {"a": {"m": A.tolist()}, "b": {"m": A.tolist()}})
    rows = records(confint("plan", same, "--half-width", 0.1, "--difference", 0.1))
    assert [
        (row["sd"], row["topics_needed"], row["attained"], row["note"]) for row in rows[1:]
    ] == [("0.0000", "", "0.0000", "no variance")] * 2
    shown = confint("plan", same, "--half-width", 0.1, "-f", "table").out
    assert "All differences of runs are equal, so there is no variance." in " ".join(shown.split())
    assert shown.count("equal") == 1
    flat = write(tmp_path / "c.tsv", {"a": {"m": [0.3] * 5}, "b": {"m": [0.5] * 5}})
    shown = confint("plan", flat, "-f", "table").out
    assert "All scores of a run are equal, so there is no variance." in " ".join(shown.split())
    for topics, note in ((9, "few topics"), (10, "")):
        path = write(tmp_path / "n.tsv", {"a": {"m": A[:topics].tolist()}})
        assert records(confint("plan", path))[0]["note"] == note
    few = write(tmp_path / "f.tsv", {"a": {"m": [0.1, 0.5]}})
    (row,) = records(confint("plan", few, "--half-width", 0.1))
    assert row["note"] == "few topics"
    (row,) = records(confint("plan", few, "--half-width", "1e-12"))
    assert (row["topics_needed"], row["note"]) == ("", "few topics, out of reach")
    shown = confint("plan", few, "--half-width", "1e-12", "-f", "table").out
    assert "for ±1e-12 no practical number would do." in " ".join(shown.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--half-width 0", "--half-width 0 is not above 0\n"
         "  hint: no number of topics would be enough\n"),
        ("--half-width -0.1", "--half-width -0.1 is not above 0\n"
         "  hint: no number of topics would be enough\n"),
        ("--difference 0.1,0", "--difference 0 is not above 0\n"
         "  hint: no number of topics would be enough\n"),
        ("--difference x", "--difference 'x' is not a number\n"),
        ("--half-width inf", "--half-width 'inf' is not a number\n"),
        ("--power 1", "--power 1 is not between 0 and 1\n"
         "  hint: 0.8 and 80% both stand for 80%\n"),
        ("--power 0", "--power 0 is not between 0 and 1\n"
         "  hint: 0.8 and 80% both stand for 80%\n"),
        ("--power 80", "--power 80 is not between 0 and 1\n"
         "  hint: 0.8 and 80% both stand for 80%\n"),
        ("--power most", "--power 'most' is not a number\n"),
        ("--power 0.9 --half-width 0.1", "--power is for --difference, and an interval has none\n"),
        ("--power 0.1 --level 0.9", "--power 0.1 is no more than the chance of a false alarm at "
         "level 90%\n  hint: any number of topics has it\n"),
        ("--power 0.15 --level 0.9,0.8", "--power 0.15 is no more than the chance of a false alarm "
         "at level 80%\n  hint: any number of topics has it\n"),
        ("--level 0.9999999999999999",
         "--level 0.9999999999999999 is too near to 1 for a computer\n"
         "  hint: is 0.999999 meant?\n"),
        ("--power 0.05", "--power 0.05 is no more than the chance of a false alarm at level 95%\n"
         "  hint: any number of topics has it\n"),
    ],
)  # fmt: skip
def test_a_bad_call(confint: Confint, options: str, message: str) -> None:
    result = confint("plan", BM25, HYBRID, "-m", "map", *options.split())
    assert (result.status, result.out, result.err) == (2, "", f"confint: {message}")


def test_the_power_is_looked_at_only_where_there_is_a_test(confint: Confint) -> None:
    """At a level of 10%, false alarms are more frequent than the default power."""
    assert confint("plan", BM25, "-m", "map", "--level", 0.1).status == 0
    result = confint("plan", BM25, "-m", "map", "--power", 0.9)
    assert (result.status, result.out, result.err) == (
        2, "", "confint: --power is for differences, and there is one run\n")  # fmt: skip
    assert (
        confint("plan", BM25, HYBRID, "-m", "map", "--level", 0.1, "--half-width", 0.1).status == 0
    )
    result = confint("plan", BM25, HYBRID, "-m", "map", "--level", 0.1)
    assert (result.status, result.err.count("false alarm at level 10%")) == (2, 1)


def test_bad_data(tmp_path: Path, confint: Confint) -> None:
    result = confint("plan", BM25, "-m", "map", "--difference", 0.1)
    assert (result.status, result.err) == (
        1,
        "confint: a difference is between two runs, and 'bm25' is the only one\n"
        "  hint: give the files of two runs or more, such as you want to tell apart\n",
    )
    one = write(tmp_path / "one.tsv", {"a": {"n": [0.5, 0.7], "m": [0.5]}})
    result = confint("plan", one, "--half-width", 0.1)
    assert [row["measure"] for row in records(result)] == ["n"]
    assert result.err == (
        "confint: warning: one topic by m does not show how scores vary, so there is nothing by m\n"
    )
    result = confint("plan", one, "-m", "m", "--half-width", 0.1)
    assert (result.status, result.err) == (
        1, "confint: one topic by m does not show how scores vary\n")  # fmt: skip


def test_targets_beyond_all_scores(tmp_path: Path, confint: Confint) -> None:
    """Any two topics find such a difference, and nothing is said about numbers too large."""
    tiny = write(tmp_path / "t.tsv", {"a": {"m": [1e-300, 3e-300, 2e-300]}, "b": {"m": [0, 0, 0]}})
    for path, target in ((SAMPLES / "trec_eval", "1e200"), (tiny, "0.1")):
        files = sorted(path.glob("d*.eval")) if path.is_dir() else [path]
        result = confint(
            "plan", *files, "--difference", target, "-m", "map" if path.is_dir() else "m"
        )
        assert [row["topics_needed"] for row in records(result)] == ["2"]
        assert result.err == ""


def test_the_order_of_files_does_not_show(confint: Confint) -> None:
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    for options in ((), ("--sort", "input")):
        call = ("plan", "-m", "map", "-f", "json", *options)
        assert confint(*call, *files).out == confint(*call, *files[::-1]).out


def test_the_level_is_said_where_there_are_several(confint: Confint) -> None:
    call = ("plan", BM25, HYBRID, "-m", "map", "--difference", "0.1", "-f", "table")
    shown = " ".join(confint(*call, "--level", "0.9,0.99").out.split())
    assert "in map with a power of 80% at 90%; for 0.1" in shown
    assert "in map with a power of 80%; for 0.1" in " ".join(confint(*call).out.split())


def test_measures_on_different_topics(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": A.tolist(), "n": B[:12].tolist()}})
    text = confint("plan", path, "-f", "table").out
    assert "attained" in text
    assert "With 20 topics, the 95% interval of the run's m is" in text
    assert "With 12 topics, the 95% interval of the run's n is" in text


def test_targets_are_shown_as_given_and_once(confint: Confint) -> None:
    options = ("--half-width", "0.0123456,0.01234567", "--half-width", "0.0123456")
    rows = records(confint("plan", BM25, "-m", "map", *options))
    assert [row["target"] for row in rows] == ["0.0123456", "0.01234567"]
    text = " ".join(confint("plan", BM25, "-m", "map", *options, "-f", "table").out.split())
    assert "for ±0.0123456 you would need" in text
    assert "for ±0.01234567 you would need" in text


def test_a_level_that_was_hardly_meant(confint: Confint) -> None:
    result = confint("plan", BM25, "-m", "map", "--level", "5%")
    assert "warning: an interval of 5% misses more often than not" in result.err
