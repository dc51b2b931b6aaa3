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
    "assurance",
    "topics_now",
    "topics_needed",
    "topics_needed_high",
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
    empty = ("target", "topics_needed", "topics_needed_high", "assurance")
    assert {row[name] for row in rows for name in empty} == {""}
    assert {row["note"] for row in rows} == {"small pilot"}
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
            notes = "small pilot, perhaps met" if expected == 20 else "small pilot"
            assert same["note"] == notes


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
    (more, most), (less, least) = (
        (row["topics_needed"], row["topics_needed_high"]) for row in rows
    )
    text = " ".join(result.out.split())
    assert (
        f"With 50 topics like these, you can detect a difference of {rows[0]['attained']} in map "
        f"with a power of 80%; to detect 0.03 you would need {more} topics (allowing for the "
        f"pilot's own uncertainty, up to {most}) and to detect 0.1 you have enough already ({less} "
        f"topics needed; up to {least})."
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
        (row["sd"], row["topics_needed"], row["topics_needed_high"], row["attained"], row["note"])
        for row in rows[1:]
    ] == [("0.0000", "", "", "0.0000", "small pilot, no variance")] * 2
    shown = confint("plan", same, "--half-width", 0.1, "-f", "table").out
    assert "All differences of runs are equal, so there is no variance." in " ".join(shown.split())
    assert shown.count("equal") == 1
    flat = write(tmp_path / "c.tsv", {"a": {"m": [0.3] * 5}, "b": {"m": [0.5] * 5}})
    shown = confint("plan", flat, "-f", "table").out
    assert "All scores of a run are equal, so there is no variance." in " ".join(shown.split())
    few = write(tmp_path / "f.tsv", {"a": {"m": [0.1, 0.5]}})
    (row,) = records(confint("plan", few, "--half-width", 0.1))
    assert row["note"] == "small pilot"
    (row,) = records(confint("plan", few, "--half-width", "1e-12"))
    assert (row["topics_needed"], row["topics_needed_high"]) == ("", "")
    assert row["note"] == "small pilot, out of reach"
    shown = confint("plan", few, "--half-width", "1e-12", "-f", "table").out
    assert "to reach ±1e-12 no practical number of topics would be enough." in (
        " ".join(shown.split())
    )


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
        ("--assurance 0.49 --half-width 0.1", "--assurance 0.49 is less than one half\n"
         "  hint: without --assurance, about every other sample reaches the width\n"),
        ("--assurance 80 --half-width 0.1", "--assurance 80 is not below 1\n"
         "  hint: 0.8 and 80% both stand for 80%\n"),
        ("--assurance 100% --half-width 0.1", "--assurance 100% is not below 1\n"
         "  hint: 0.8 and 80% both stand for 80%\n"),
        ("--assurance much --half-width 0.1", "--assurance 'much' is not a number\n"),
        ("--assurance 0.8", "--assurance is for --half-width, but none is given\n"),
        ("--assurance 0.8 --difference 0.1",
         "--assurance is for --half-width, but --difference has --power instead\n"),
        ("--power 0.9 --half-width 0.1",
         "--power is for --difference and --margin; an interval has no power\n"),
        ("--power 0.1 --level 0.9", "--power 0.1 is no more than the chance of a false alarm at "
         "level 90%\n  hint: any number of topics has that power\n"),
        ("--power 0.15 --level 0.9,0.8", "--power 0.15 is no more than the chance of a false alarm "
         "at level 80%\n  hint: any number of topics has that power\n"),
        ("--level 0.9999999999999999",
         "--level 0.9999999999999999 is too close to 1 for a computer\n"
         "  hint: did you mean 0.999999?\n"),
        ("--power 0.05", "--power 0.05 is no more than the chance of a false alarm at level 95%\n"
         "  hint: any number of topics has that power\n"),
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
        2, "", "confint: --power is for differences, but there is only one run\n")  # fmt: skip
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
        "  hint: give the files of two runs or more, like those that you want to compare\n",
    )
    one = write(tmp_path / "one.tsv", {"a": {"n": [0.5, 0.7], "m": [0.5]}})
    result = confint("plan", one, "--half-width", 0.1)
    assert [row["measure"] for row in records(result)] == ["n"]
    assert result.err == (
        "confint: warning: one topic does not show how m varies, so there is no result for m\n"
        "confint: note: a pilot of 2 topics says little about how much scores vary: the number of "
        "topics needed is a rough guess, and its upper bound is the safer number\n"
    )
    result = confint("plan", one, "-m", "m", "--half-width", 0.1)
    assert (result.status, result.err) == (
        1, "confint: one topic does not show how m varies\n")  # fmt: skip


def test_targets_beyond_all_scores(tmp_path: Path, confint: Confint) -> None:
    """Any two topics find such a difference, and nothing is said about numbers too large."""
    tiny = write(tmp_path / "t.tsv", {"a": {"m": [1e-300, 3e-300, 2e-300]}, "b": {"m": [0, 0, 0]}})
    for path, target in ((SAMPLES / "trec_eval", "1e200"), (tiny, "0.1")):
        files = sorted(path.glob("d*.eval")) if path.is_dir() else [path]
        result = confint(
            "plan", *files, "--difference", target, "-m", "map" if path.is_dir() else "m"
        )
        assert [row["topics_needed"] for row in records(result)] == ["2"]
        assert [row["topics_needed_high"] for row in records(result)] == ["2"]
        assert [line for line in result.err.splitlines() if "pilot" not in line] == []


def test_the_order_of_files_does_not_show_even_if_it_is_asked_for(confint: Confint) -> None:
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    call = ("plan", "-m", "map", "-f", "json", "--sort", "input")
    assert confint(*call, *files).out == confint(*call, *files[::-1]).out


def test_the_level_is_said_where_there_are_several(confint: Confint) -> None:
    call = ("plan", BM25, HYBRID, "-m", "map", "--difference", "0.1", "-f", "table")
    shown = " ".join(confint(*call, "--level", "0.9,0.99").out.split())
    assert "in map with a power of 80% at 90%; to detect 0.1" in shown
    assert "in map with a power of 80%; to detect 0.1" in " ".join(confint(*call).out.split())


def test_measures_on_different_topics(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": A.tolist(), "n": B[:12].tolist()}})
    text = confint("plan", path, "-f", "table").out
    assert "attained" in text
    assert "With 20 topics like these, the 95% interval of the run's m is" in text
    assert "With 12 topics like these, the 95% interval of the run's n is" in text


def test_targets_are_shown_as_given_and_once(confint: Confint) -> None:
    options = ("--half-width", "0.0123456,0.01234567", "--half-width", "0.0123456")
    rows = records(confint("plan", BM25, "-m", "map", *options))
    assert [row["target"] for row in rows] == ["0.0123456", "0.01234567"]
    text = " ".join(confint("plan", BM25, "-m", "map", *options, "-f", "table").out.split())
    assert "to reach ±0.0123456 you would need" in text
    assert "to reach ±0.01234567 you would need" in text


def test_a_level_that_was_hardly_meant(confint: Confint) -> None:
    result = confint("plan", BM25, "-m", "map", "--level", "5%")
    assert "warning: a 5% interval misses more often than not" in result.err


# What a pilot does not know


def chi2_limit(sd: float, topics: int) -> float:
    return sd * math.sqrt((topics - 1) / stats.chi2.ppf(0.2, topics - 1))


def test_the_upper_bound_is_for_the_upper_limit_of_sd(tmp_path: Path, confint: Confint) -> None:
    """By degrees of freedom of topics alone, of one run and of three."""
    for runs in (1, 3):
        own = {name: {"m": v.tolist()} for name, v in zip("abc"[:runs], (A, B, C), strict=False)}
        path = write(tmp_path / f"{runs}.tsv", own)
        difference = ["--difference", 0.1] if runs > 1 else []
        rows = records(confint("plan", path, "--half-width", 0.05, *difference, "--digits", 12))
        assert len(rows) == (1 if runs == 1 else 3)
        for row in rows:
            sd, target = chi2_limit(float(row["sd"]), 20), float(row["target"])
            high = int(row["topics_needed_high"])
            assert int(row["topics_needed"]) < high
            for topics, enough in ((high, True), (high - 1, False)):
                t = stats.t.ppf(0.975, topics - 1)
                shift = target / sd * math.sqrt(topics)
                found = (
                    stats.nct.sf(t, topics - 1, shift) >= 0.8
                    if row["design"] == DETECTABLE
                    else t * sd / math.sqrt(topics) <= target
                )
                assert found == enough


def test_a_small_pilot_is_told_once(tmp_path: Path, confint: Confint) -> None:
    values = np.random.default_rng(1).random(30)
    said = "confint: note: a pilot of 29 topics says little about how much scores vary: "
    for topics, told in ((29, True), (30, False)):
        one = {"m": values[:topics].tolist(), "n": values[:topics].tolist()}
        path = write(tmp_path / "n.tsv", {"a": one, "b": {"m": one["n"][::-1], "n": one["m"]}})
        for options in ([], ["--half-width", 0.2], ["--level", "0.9,0.95"]):
            result = confint("plan", path, *options)
            assert all(("small pilot" in row["note"]) == told for row in records(result))
            assert result.err.count("a pilot of") == result.err.count(said) == told
            assert ("upper bound is the safer" in result.err) == (
                told and "--half-width" in options
            )
        assert "pilot" not in confint("plan", path, "--quiet").err
    path = write(tmp_path / "o.tsv", {"a": {"m": A.tolist(), "n": B[:12].tolist()}})
    assert "note: pilots of 12 to 20 topics say little about how much" in confint("plan", path).err


def test_what_is_met_for_sure_and_what_perhaps(confint: Confint) -> None:
    """Targets between what today's topics give by sd and what they give by its upper limit."""
    (row,) = records(confint("plan", BM25, "-m", "map", "--digits", 12))
    attained, limit = float(row["attained"]), chi2_limit(1, 50)
    targets = [attained * factor for factor in (0.999, 1.001, limit * 0.999, limit * 1.001)]
    options = ("--half-width", ",".join(map(str, targets)))
    rows = records(confint("plan", BM25, "-m", "map", *options))
    assert [row["note"] for row in rows] == ["", "perhaps met", "perhaps met", "met already"]
    assert [row["topics_needed"] for row in rows][:2] == ["51", "50"]
    assert [row["topics_needed_high"] for row in rows][2:] == ["51", "50"]
    text = " ".join(confint("plan", BM25, "-m", "map", *options, "-f", "table").out.split())
    most, high = (row["topics_needed_high"] for row in rows[:2])
    needed = rows[3]["topics_needed"]
    assert f"need 51 topics (allowing for the pilot's own uncertainty, up to {most})" in text
    enough = "the pilot says that you have enough (50 topics needed), but "
    assert f"{enough}it may take up to {high}" in text
    assert f"you have enough already ({needed} topics needed; up to 50)." in text
    one = confint("plan", BM25, "-m", "map", "--half-width", targets[1], "-f", "table").out
    said = f"{enough}allowing for its uncertainty, it may take up to {high}."
    assert said in " ".join(one.split())


def test_an_upper_bound_that_is_out_of_reach(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "f.tsv", {"a": {"m": [0.1, 0.5]}})
    call = ("plan", path, "--half-width", "2.5e-8")
    (row,) = records(confint(*call))
    assert int(row["topics_needed"]) > 10**14
    assert (row["topics_needed_high"], row["note"]) == ("", "small pilot, perhaps out of reach")
    shown = confint(*call, "-f", "table").out
    assert (
        f"to reach ±2.5e-08 you would need {row['topics_needed']} topics (allowing for the pilot's "
        "own uncertainty, perhaps more than is practical)."
    ) in " ".join(shown.split())
    assert "confidence" not in shown  # there is no bound to explain


def test_the_bound_is_said_to_be_none_that_always_holds(confint: Confint) -> None:
    shown = " ".join(confint("plan", BM25, "-m", "map", "--half-width", 0.03, "-f", "table")
                     .out.split())  # fmt: skip
    assert (
        "Up to: the pilot's sd is an estimate; with 80% confidence, no more topics than these are "
        "needed, if scores (or differences) are about normal."
    ) in shown
    assert "Up to" not in confint("plan", BM25, "-m", "map", "-f", "table").out


# Assurance


def test_with_an_assurance(confint: Confint) -> None:
    call = ("plan", BM25, HYBRID, "-m", "map", "--half-width", 0.03, "--difference", 0.03)
    plain, assured = records(confint(*call)), records(confint(*call, "--assurance", "80%"))
    assert [row["assurance"] for row in plain] == ["", "", ""]
    assert [row["assurance"] for row in assured] == ["0.8", "0.8", ""]
    assert assured[2] == plain[2]
    for before, row in zip(plain[:2], assured[:2], strict=True):
        same = ("sd", "target", "level", "power", "topics_now", "attained", "runs", "note")
        assert [row[name] for name in same] == [before[name] for name in same]
        assert int(row["topics_needed"]) > int(before["topics_needed"])
        assert int(row["topics_needed_high"]) > int(before["topics_needed_high"])
    signature = json.loads(confint(*call, "--assurance", "0.8", "-f", "json").out)["signature"]
    assert signature["assurance"] == "0.8"
    assert "assurance" not in json.loads(confint(*call, "-f", "json").out)["signature"]
    text = " ".join(confint(*call, "--assurance", 0.8, "-f", "table").out.split())
    needed = [row["topics_needed"] for row in assured]
    assert f"; to reach ±0.03 in 80% of samples you would need {needed[0]} topics (" in text
    assert f"; to detect 0.03 you would need {needed[2]} topics (" in text
    assert "Topics needed for a half-width: enough for 80% of samples to reach it." in text
    assert "of samples" not in confint(*call, "-f", "table").out
