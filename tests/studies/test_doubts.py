"""Doubts in words: what is noted on intervals, and said about it."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.flags import Doubt
from confint_cli.stats.methods import usual_methods
from confint_cli.studies.doubts import WORDS, note_by_methods, note_of, notes_of
from tests.conftest import SAMPLES, Confint, records, write

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
RANDOM = np.random.default_rng(0)
CALM = RANDOM.normal(0.5, 0.1, 50).tolist()
TAIL = (RANDOM.exponential(0.1, 50) ** 1.5).tolist()
RARE = [1.0, 1.0, 1.0, 1.0, 1.0] + [0.0] * 45  # .9 ** 50 is 0.005: not mostly zeros, but skewed


def notes(confint: Confint, path: Path, *options: object) -> dict[tuple[str, str], str]:
    rows = records(confint("interval", path, "--quiet", *options))
    return {(row["run"], row["method"]): row["note"] for row in rows}


def test_skewed_is_noted_on_the_methods_that_it_matters_to(
    tmp_path: Path, confint: Confint
) -> None:
    runs = {"calm": {"m": CALM}, "tail": {"m": TAIL}}
    found = notes(confint, write(tmp_path / "x.tsv", runs), "--method", "all")
    names = {method for _, method in found}
    assert names == {*usual_methods()} - {"wilson"}
    assert {found["calm", name] for name in names} == {""}
    immune = {name for name in names if usual_methods()[name].immune & Doubt.SKEWED}
    assert "bootstrap-t" in immune
    assert {name for name in names if found["tail", name] == "skewed"} == names - immune
    assert {found["tail", name] for name in immune} == {""}


def test_wilson_is_made_for_what_others_fail_at(tmp_path: Path, confint: Confint) -> None:
    runs = {
        "ones": {"m": [1.0] * 49 + [0.0]},
        "zeros": {"m": [0.0] * 49 + [1.0]},
        "rare": {"m": RARE},
    }
    found = notes(confint, write(tmp_path / "x.tsv", runs), "--method", "t,wilson,bootstrap-t")
    assert {run: found[run, "wilson"] for run in runs} == {"ones": "", "zeros": "", "rare": ""}
    assert {run: found[run, "t"] for run in runs} == {
        "ones": "mostly one value", "zeros": "mostly zeros", "rare": "skewed",
    }  # fmt: skip
    assert found["ones", "bootstrap-t"].startswith("mostly one value")
    rows = records(
        confint("coverage", write(tmp_path / "1.tsv", {"ones": runs["ones"]}), "--quiet",
                "--method", "t,wilson", "--replicates", 20000)
    )  # fmt: skip
    by_t, by_wilson = (float(row["coverage"]) for row in rows)
    # A sample without a single 0 has a point for its t interval: (49/50)^50 of them.
    assert by_t == pytest.approx(1 - 0.98**50, abs=0.011)
    assert by_wilson > 0.9
    assert [row["note"] for row in rows] == ["mostly one value", ""]


def test_the_advice_is_said_once_for_all_measures(tmp_path: Path, confint: Confint) -> None:
    runs = {"calm": {"m": CALM, "n": TAIL, "hit": RARE}}
    runs["tail"] = runs["calm"] | {"m": TAIL}
    path = write(tmp_path / "x.tsv", runs)
    args = ("interval", path, "-m", "m,n,hit")
    said = [line for line in confint(*args).err.splitlines() if "skewed" in line]
    assert said == [
        "confint: note: too skewed for t: 1 of 2 runs on m and 2 of 2 on n; try --method "
        "bootstrap-t, which is usually more accurate",
        "confint: note: scores of 0 or 1, too skewed for t: 2 of 2 runs on hit; try -m hit "
        "--method wilson, which is made for such scores",
    ]
    both = confint(*args[:2], "-m", "m,n", "--method", "bca,percentile").err
    assert "too skewed for bca and percentile: 1 of 2 runs on m and 2 of 2 on n" in both
    assert "skewed" not in confint(*args[:2], "-m", "m,n", "--method", "bootstrap-t").err
    one = write(tmp_path / "1.tsv", {"tail": {"m": TAIL, "n": TAIL}})
    assert "too skewed for t: m and n; try" in confint("interval", one).err
    assert "skewed" not in confint(*args[:2], "-m", "m,n", "--method", "t,bootstrap-t").err
    assert "skewed" not in confint(*args, "--quiet").err


def test_scores_of_0_or_1_that_need_wilson_most_are_told_to_take_it(
    tmp_path: Path, confint: Confint
) -> None:
    """Those of mostly one value are counted with those that are skewed."""
    runs = {"two": {"m": [1.0] * 2 + [0.0] * 48}, "five": {"m": RARE}, "half": {"m": [0, 1.0] * 25}}
    path = write(tmp_path / "x.tsv", runs)
    assert confint("interval", path).err == (
        "confint: note: scores of 0 or 1, too skewed for t: 2 of 3 runs on m; try --method wilson, "
        "which is made for such scores\n"
    )
    assert confint("interval", path, "--method", "t,wilson").err == ""


def test_skewed_differences_are_noted_and_told(tmp_path: Path, confint: Confint) -> None:
    """It is the differences that count: both of these runs are as calm as can be."""
    base = np.array(CALM)
    random = np.random.default_rng(1)
    noise = random.normal(0, 0.03, 50)
    wins = (base - 0.03 + noise + 0.5 * (np.arange(50) % 10 == 0)).tolist()
    near = (base + random.normal(0, 0.05, 50)).tolist()
    runs = {"base": {"m": CALM}, "near": {"m": near}, "wins": {"m": wins}}
    path = write(tmp_path / "x.tsv", runs)
    args = ("compare", path, "--baseline", "base")
    result = confint(*args, "--method", "t,bca,bootstrap-t", "--resamples", 10_000)
    assert "skewed" not in result.err
    found = {(row["run"], row["method"]): row["note"] for row in records(result)}
    # Of differences, bootstrap-t is not the better one: docs/choosing.md.
    assert {key for key, note in found.items() if note == "skewed"} == {
        ("wins", "t"), ("wins", "bca"), ("wins", "bootstrap-t"),
    }  # fmt: skip
    assert confint(*args).err == (
        "confint: note: skewed differences, decided by a few topics: 1 of 2 comparisons on m; "
        "where t and bootstrap-t disagree ('confint compare --method t,bootstrap-t'), look at "
        "those topics\n"
    )
    alone = confint(*args, "--method", "bootstrap-t").err
    assert "where t and bootstrap-t disagree" in alone
    both = confint(*args, "--simultaneous")
    assert {row["note"] for row in records(both)} == {""}  # max-t is made for it
    assert "skewed" not in both.err
    (row,) = [one for one in records(confint("bayes", path, "--baseline", "base", "--quiet"))
              if (one["run"], one["quantity"]) == ("wins", "difference")]  # fmt: skip
    assert row["note"] == "skewed"
    skew = stats.skew(np.array(wins) - base)
    assert 25 * skew**2 > 50  # as Cochran's rule has it


def test_a_difference_that_is_mostly_the_same(tmp_path: Path, confint: Confint) -> None:
    shifted = [score + 0.25 for score in CALM[:-1]]
    runs = {
        "base": {"m": CALM},
        "shift": {"m": [*shifted, CALM[-1]]},
        "tie": {"m": [*CALM[:-1], 0]},
    }
    rows = records(confint("compare", write(tmp_path / "x.tsv", runs), "--baseline", "base",
                           "--quiet"))  # fmt: skip
    assert {row["run"]: row["note"] for row in rows} == {
        "shift": "mostly one value", "tie": "mostly ties",
    }  # fmt: skip


def test_the_page_of_a_shared_task_goes_by_its_method(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"ones": {"m": [1.0] * 49 + [0.0]}, "rare": {"m": RARE}})
    by_t = confint("report", path, "--quiet").out
    said = "the same score on so many topics that no interval except wilson has its stated coverage"
    assert f"1 run has {said}: ones." in by_t
    said = "1 run is so skewed that t intervals from 50 topics usually cover less often than stated"
    assert said in by_t
    by_wilson = confint("report", path, "--quiet", "--method", "wilson").out
    assert "stated coverage" not in by_wilson
    assert "so skewed" not in by_wilson


def test_every_doubt_has_a_word_of_its_own() -> None:
    assert [*WORDS] == [doubt for doubt in Doubt if doubt]
    assert len({*WORDS.values()}) == len(WORDS)
    assert not [word for word in WORDS.values() if "," in word]


def test_notes_have_the_shape_of_their_doubts() -> None:
    doubts = np.array([[0, Doubt.SKEWED, Doubt.SKEWED | Doubt.FEW_TOPICS], [Doubt.IDENTICAL, 0, 0]])
    notes = notes_of(doubts)
    assert notes.tolist() == [["", "skewed", "few topics, skewed"], ["identical", "", ""]]
    assert notes.tolist() == [[note_of(own) for own in row] for row in doubts.tolist()]
    assert notes_of(doubts[:, :0]).shape == (2, 0)


def test_notes_of_several_methods_are_one() -> None:
    few, skewed = Doubt.FEW_TOPICS, Doubt.SKEWED
    assert note_by_methods([("t", 0), ("bca", 0)]) == ""
    assert note_by_methods([("t", few), ("bca", few)]) == "few topics"
    assert note_by_methods([("t", few | skewed), ("bca", few)]) == "few topics, skewed (t)"
    by_four = [(name, few if name != "t" else 0) for name in ("t", "bca", "basic", "logit")]
    assert note_by_methods(by_four) == "few topics (all but t)"
    assert note_by_methods([("t", few), ("t", 0)]) == "few topics (t)"  # at two levels
