"""The door for Python: what the commands print, as objects, with nothing on any stream."""

import inspect
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import polars as pl
import pytest

import confint_cli as confint
import confint_cli as door  # the same, where the fixture of the program is called confint too
from confint_cli.app.cli import cli
from confint_cli.app.keywords import in_python
from confint_cli.app.python import STILL_OPEN, TOO_LATE, WITHOUT_EFFECT
from tests.conftest import ROOT, SAMPLES, Confint, write

EVALS = sorted(str(path) for path in (SAMPLES / "trec_eval").glob("*.eval"))
TWO = [path for path in EVALS if Path(path).stem in ("bm25", "hybrid")]
FEW = {"resamples": 300, "method": ["t", "bca"]}

# Of each function, calls as keywords; the same as words of a command line is made from them.
CALLS: dict[str, list[dict[str, Any]]] = {
    "score": [{"measure": "map"}, {"every": 20, "sort": "name"}],
    "interval": [
        {"measure": "map"},
        {"measure": ["map", "P_10"], "level": [0.9, 0.99], **FEW},
        {"measure": "map", "standardize": 3, "seed": 7, "missing": "drop"},
        {"measure": "recip_rank", "method": "all", "resamples": 300, "sort": "input"},
    ],
    "compare": [
        {"measure": "map", "baseline": "bm25"},
        {"measure": "map,P_10", "all_pairs": True, "test": "all", "draws": 200},
        {"measure": "map", "baseline": ["bm25", "hybrid"], "simultaneous": True, "draws": 500},
        {"measure": "map", "baseline": "bm25", "unpaired": True, "level": "90%"},
        {"measure": "map", "baseline": "bm25", "correct": "bh", "standardize": "all"},
    ],
    "rank": [{"measure": "map", "draws": 500}, {"measure": "P_10", "draws": 500, "strict": True}],
    "coverage": [
        {"measure": "map", "replicates": 20, "resamples": 100, "method": "t,bca"},
        {"measure": "map", "replicates": 20, "method": "t", "summary": True, "sample_size": [5, 9]},
    ],
    "bayes": [
        {"measure": "map", "baseline": "bm25", "draws": 1000},
        {"measure": "map", "baseline": "bm25", "draws": 1000, "rope": (-0.01, 0.01),
         "threshold": {"difference": 0.02, "glass": 0.5}, "classical": True},
    ],
    "risk": [
        {"measure": "map", "baseline": "bm25", "r": [1, 5], **FEW},
        {"measure": "map", "baseline": "bm25", "summary": True, "top": 0.5, **FEW},
    ],
    "plan": [{"measure": "map"}, {"measure": "map", "half_width": 0.03, "assurance": 0.8}],
    "agreement": [
        {"measure": "map", "judge_scores": str(SAMPLES / "trec_eval/{run}.eval"), "draws": 500},
    ],
    "describe": [{"measure": "map"}, {"measure": "map", "differences": True, "baseline": "bm25"}],
    "standardize": [{"measure": "map"}, {"measure": "map", "reference": "bm25,hybrid"}],
}  # fmt: skip
EACH_CALL = [(name, call) for name, calls in CALLS.items() for call in calls]

# The same of scores with a design, whose files are others.
SEEDS = sorted(str(path) for path in (SAMPLES / "seeds").glob("*.eval"))
TURNS = sorted(str(path) for path in (SAMPLES / "conversations").glob("*.run"))
OF_SEEDS = {"measure": "map", "labels": ["{run}.seed{repeat}.eval", "{run}.eval"]}
OF_TURNS = {"measure": "AP", "groups": "{group}_{}",
            "qrels": str(SAMPLES / "conversations/qrels.txt")}  # fmt: skip
JUDGED = sorted(str(path) for path in (SAMPLES / "judges/runs").glob("*.run"))
BY_TWO = {"measure": "nDCG@10", "qrels": str(SAMPLES / "judges/human.qrels"),
          "judge_qrels": str(SAMPLES / "judges/llm.qrels")}  # fmt: skip
DESIGNS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("score", SEEDS, OF_SEEDS),
    ("interval", SEEDS, OF_SEEDS),
    ("compare", SEEDS, {**OF_SEEDS, "all_pairs": True, "simultaneous": True}),
    ("compare", [path for path in SEEDS if ".seed" in path],
     {**OF_SEEDS, "baseline": "dense", "paired_repeats": True}),
    ("rank", SEEDS, OF_SEEDS),
    ("plan", SEEDS, {**OF_SEEDS, "half_width": 0.05}),
    ("coverage", SEEDS, {**OF_SEEDS, "replicates": 10}),
    ("describe", TURNS, OF_TURNS),
    ("score", TURNS, OF_TURNS),
    ("interval", TURNS, {**OF_TURNS, "group_weight": "equal", **FEW}),
    ("compare", TURNS, {**OF_TURNS, "baseline": "bm25", "test": "all"}),
    ("rank", TURNS, {**OF_TURNS, "draws": 500}),
    ("plan", TURNS, {**OF_TURNS, "difference": 0.05}),
    ("coverage", TURNS, {**OF_TURNS, "replicates": 10, "method": "t", "summary": True}),
    ("interval", JUDGED, {**BY_TWO, "method": "ppi"}),
    ("compare", JUDGED, {**BY_TWO, "all_pairs": True, "simultaneous": True, "draws": 300}),
    ("rank", JUDGED, {**BY_TWO, "draws": 300}),
    ("plan", JUDGED, {**BY_TWO, "half_width": 0.05}),
    ("coverage", JUDGED, {**BY_TWO, "replicates": 10}),
    ("agreement", JUDGED, {**BY_TWO, "draws": 300}),
]  # fmt: skip


def words(options: dict[str, Any]) -> list[str]:
    """The options as somebody would type them."""
    typed = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            typed.append(option)
        elif isinstance(value, dict):
            typed += [option, ",".join(f"{key}={number}" for key, number in value.items())]
        elif isinstance(value, tuple):
            typed += [option, *map(str, value)]
        else:
            several = value if isinstance(value, list) else [value]
            typed += [option, ",".join(map(str, several))]
    return typed


def as_in_json(value: object) -> object:
    """Infinite values are null in JSON."""
    return None if isinstance(value, float) and math.isinf(value) else value


def test_the_program_in_the_same_process_is_as_ever() -> None:
    """What click keeps of the first call of a command, such as the ways to ask for help."""
    code = (
        "import confint_cli; from confint_cli.app.cli import main;"
        "confint_cli.describe({'a': {'1': {'m': 0.5}, '2': {'m': 0.7}}});"
        "import sys; sys.argv = ['confint', 'describe', '-h']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: confint describe ")


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


# The same results


@pytest.mark.parametrize(("name", "call"), EACH_CALL, ids=[f"{n} {words(c)}" for n, c in EACH_CALL])
def test_results_are_those_of_the_command_to_the_last_digit(
    name: str, call: dict[str, Any], confint: Confint, capfd: pytest.CaptureFixture[str]
) -> None:
    printed = confint(name, *EVALS, *words(call), "-f", "json")
    assert printed.status == 0, printed.err
    document = json.loads(printed.out)
    result = getattr(door, name)(EVALS, **call)
    rows = [{key: as_in_json(value) for key, value in row.items()} for row in result.to_dicts()]
    assert rows == document["rows"]
    assert [*rows[0]] == result.columns == [*document["rows"][0]]
    signature = dict(entry.split(":", 1) for entry in result.signature.split("|"))
    assert signature == document["signature"]
    said = "".join(f"confint: {one.level.value}: {one.text}\n" for one in result.notices)
    assert said == in_python(printed.err)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "files", "call"), DESIGNS, ids=[f"{name} {[*call]}" for name, _, call in DESIGNS]
)
def test_results_of_designs_are_those_of_the_command_too(
    name: str, files: list[str], call: dict[str, Any], confint: Confint
) -> None:
    typed = [word for option, value in call.items() for word in (
        [part for one in value for part in (f"--{option}", one)] if option == "labels"
        else words({option: value}))]  # fmt: skip
    printed = confint(name, *files, *typed, "-f", "json")
    assert printed.status == 0, printed.err
    document = json.loads(printed.out)
    result = getattr(door, name)(files, **call)
    rows = [{key: as_in_json(value) for key, value in row.items()} for row in result.to_dicts()]
    assert rows == document["rows"]
    named = {"repeats", "repeat", "groups", "group", "human_topics", "judge_topics"}
    assert named & {*result.columns}
    signature = dict(entry.split(":", 1) for entry in result.signature.split("|"))
    assert signature == document["signature"]


def test_sentences_and_tables_are_those_of_the_command(confint: Confint) -> None:
    result = door.compare(TWO, measure="map", baseline="bm25")
    table = confint("compare", *TWO, "-m", "map", "--baseline", "bm25", "-f", "table").out
    assert repr(result) + "\n" == table
    assert result[0] is result.rows[0]
    assert result.sentence.replace("\n", " ") in " ".join(table.split())
    assert result.sentence.startswith("hybrid is significantly better than bm25: the difference is")


def test_sentences_on_several_measures_say_which_each_is_about() -> None:
    result = door.compare(EVALS, measure="map,P_10", baseline="bm25")
    first, second, *_ = result.sentence.splitlines()
    assert first.startswith("map, 50 topics, compared with bm25: ")
    assert second.startswith("P_10, 50 topics, compared with bm25: ")


@pytest.mark.parametrize("ending", ["tsv", "csv", "json", "jsonl", "md", "tex", "txt"])
def test_files_are_those_of_the_command(ending: str, tmp_path: Path, confint: Confint) -> None:
    ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
    door.interval(EVALS, measure="map").write(ours)
    assert confint("interval", *EVALS, "-m", "map", "-o", theirs).status == 0
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("ending", ["tsv", "csv", "md", "tex", "txt"])
@pytest.mark.parametrize(
    ("name", "options"),
    [("score", {}), ("standardize", {}), ("standardize", {"reference": "a,b", "transform": "cdf"}),
     ("score", {"qrels": SAMPLES / "qrels.txt"})],
)  # fmt: skip
def test_files_have_as_many_decimals_as_those_of_the_command(
    name: str, options: dict[str, Any], ending: str, tmp_path: Path, confint: Confint
) -> None:
    """Scores that were read keep all their digits; people see four of standardised ones."""
    data = [str(SAMPLES / "runs/bm25.run")]
    if "qrels" not in options:
        data = [str(write(tmp_path / "x.tsv", {"a": {"m": [0.1, 1 / 3, 0.2]},
                                               "b": {"m": [0.123456, 0.4, 0.5]}}))]  # fmt: skip
    ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
    result = getattr(door, name)(data, **options)
    result.write(ours)
    assert confint(name, *data, *words(options), "-o", theirs).status == 0
    assert ours.read_bytes() == theirs.read_bytes()
    table = confint(name, *data, *words(options), "-f", "table").out
    assert repr(result).splitlines()[:5] == table.splitlines()[:5]
    if name == "standardize":
        assert ("0.7071067811865" in ours.read_text()) == (
            ending in ("tsv", "csv") and not options
        )  # fmt: skip


def test_a_file_may_have_some_columns_other_digits_and_the_signature(
    tmp_path: Path, confint: Confint
) -> None:
    result = door.interval(EVALS, measure="map")
    result.write(tmp_path / "a.txt", format="tsv", columns="run,low", digits=2, signature=True)
    typed = ["--columns", "run,low", "--digits", 2, "--signature", "-f", "tsv"]
    assert (tmp_path / "a.txt").read_text() == confint("interval", *EVALS, "-m", "map", *typed).out
    for wrong, message in [
        ({"columns": ["run", "lo"]}, "no column is called 'lo'"),
        ({"format": "latexx"}, "no format is called 'latexx'"),
        ({"columns": "run,run"}, "columns names a column twice"),
        ({"columns": ["run", None]}, "columns takes no NoneType"),
        ({"digits": 1.5}, "digits has to be a whole number from 0 to 17"),
        ({"digits": True}, "digits has to be a whole number from 0 to 17"),
    ]:
        with pytest.raises(door.CallError, match=message) as raised:
            result.write(tmp_path / "b.tsv", **wrong)
        hint = raised.value.hint
        assert getattr(raised.value, "__notes__", []) == ([f"hint: {hint}"] if hint else [])
    with pytest.raises(door.CallError, match="is not a path"):
        result.write(5)  # type: ignore[arg-type]
    assert not (tmp_path / "b.tsv").exists()


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_figures_are_those_of_the_command(ending: str, tmp_path: Path, confint: Confint) -> None:
    ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
    assert door.rank(EVALS, measure="map", draws=500).plot(ours) is None
    assert confint("rank", *EVALS, "-m", "map", "--draws", 500, "--plot", theirs).status == 0
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_figure_without_a_file_is_one_of_matplotlib_that_notebooks_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import matplotlib as mpl

    monkeypatch.setenv("MPLBACKEND", "svg")
    before = dict(mpl.rcParams)
    figure = door.interval(EVALS, measure="map").plot()
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert len(figure.axes) == 1
    assert dict(mpl.rcParams) == before  # the user's settings stay
    assert os.environ["MPLBACKEND"] == "svg"


@pytest.mark.parametrize(
    "name", ["agreement", "bayes", "coverage", "compare", "describe", "plan", "risk"]
)
def test_every_result_with_a_figure_can_be_drawn(name: str, tmp_path: Path) -> None:
    result = getattr(door, name)(TWO, **CALLS[name][0])
    result.plot(tmp_path / "figure.svg", title=False)
    assert (tmp_path / "figure.svg").stat().st_size > 2000


def test_levels_are_each_significant_by_themselves_and_marked_by_the_first() -> None:
    frame = {"a": {str(n): {"m": n % 5 / 10 + n % 2 / 20} for n in range(12)},
             "b": {str(n): {"m": n % 5 / 10 + n % 3 / 30 - 0.02} for n in range(12)}}  # fmt: skip
    for levels in ([0.5, 0.999], [0.999, 0.5]):
        for options in ({}, {"simultaneous": True, "draws": 2000}):
            rows = confint.compare(frame, baseline="b", level=levels, **options).rows
            by_level = {row.level: row for row in rows}
            for row in rows:
                assert row.significant == (not row.low <= 0 <= row.high)
            assert by_level[0.5].significant
            assert not by_level[0.999].significant
            assert {row.is_marked for row in rows} == {levels[0] == 0.5}


def test_a_sentence_ends_with_what_may_make_it_wrong() -> None:
    ragged = {"a": {"1": {"m": 0.5}, "2": {"m": 0.4}, "3": {"m": 0.9}},
              "b": {"1": {"m": 0.25}, "2": {"m": 0.5}}}  # fmt: skip
    result = confint.compare(ragged, baseline="b")
    (warned,) = result.warnings
    last = result.sentence.splitlines()[-1]
    assert last == f"Warning: {warned.text}."
    assert last == "Warning: 1 run lacks some of the 3 topics: b lacks 1; scored 0 there."


def test_scores_are_shown_in_part() -> None:
    result = confint.score(EVALS, measure="map")
    lines = repr(result).splitlines()
    assert len(lines) < 60
    assert "… 360 more rows" in lines
    assert repr(result.rows).startswith("[ScoreRow(run='hybrid', topic='301', measure='map', sco")
    assert repr(result.rows).endswith(", …]")


def test_what_has_no_figure_says_so() -> None:
    with pytest.raises(door.CallError, match="score has no figure"):
        door.score(TWO, measure="map").plot()


# Records, dictionaries, frames


def test_records_have_types_and_columns_as_attributes() -> None:
    result = confint.compare(TWO, measure="map", baseline="bm25", test="t,wilcoxon")
    (row,) = result.rows
    assert isinstance(row, confint.CompareRow)
    assert (row.run, row.baseline, row.topics, row.significant) == ("hybrid", "bm25", 50, True)
    assert row.p_t == row.p["t"] < 0.001
    assert math.isnan(row.p_tukey)
    assert [getattr(row, name) for name in ("run", "note")] == ["hybrid", ""]
    for name in ("nonsense", "p_tt", "p_", "p_significance", "pt", "t_p"):
        with pytest.raises(AttributeError, match=f"a comparison has no {name}"):
            getattr(row, name)
    with pytest.raises(AttributeError):
        row.difference = 0.0  # type: ignore[misc]
    assert repr(pickle.loads(pickle.dumps(row))) == repr(row)
    assert len(result) == 1
    assert [*result] == [row]


def test_frames_of_results_are_as_wide_as_the_table() -> None:
    result = confint.interval(EVALS, measure="map")
    frame = result.to_pandas()
    assert [*frame.columns] == result.columns
    assert frame["mean"].tolist() == [row.mean for row in result.rows]
    assert frame.dtypes["topics"] == np.int64


def test_facts_are_typed_and_the_signature_is_made_from_them() -> None:
    result = confint.interval(EVALS, measure="map", level=0.9)
    assert result.facts["levels"] == (0.9,)
    assert result.facts["measures"] == ("map",)
    assert "|levels:0.9|" in result.signature
    result.facts["levels"] = ()  # a copy
    assert result.facts["levels"] == (0.9,)


def test_a_notebook_sees_tables_notices_and_nothing_that_acts(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>&amp;"
    path = write(tmp_path / "x.tsv", {hostile: {"m": [0.1, 0.5, 0.3]}, "b": {"m": [0.2, 0.4]}})
    page = confint.interval(path)._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;0.0001" in confint.compare(TWO, measure="map", baseline="bm25")._repr_html_()
    assert "scored 0 there" in page
    assert page.count("<table>") == 1
    assert "<code>confint:" in page


def test_a_notebook_sees_the_first_rows_of_many() -> None:
    frame = pd.DataFrame(np.full((3, 500), 0.5), index=pd.Index(["a", "b", "c"], name="topic"))
    frame.columns = [f"run{n}" for n in range(500)]
    page = confint.interval(frame, measure_name="m")._repr_html_()
    assert page.count("<tr>") == 201
    assert "300 more rows" in page


# Data in memory


def frame(runs: list[str] | None = None) -> pd.DataFrame:
    """The sample's scores by map, with a row for each run and topic."""
    scores = confint.score(EVALS, measure="map", missing="drop").to_pandas()
    return scores if runs is None else scores[scores["run"].isin(runs)]


def test_frames_dicts_and_arrays_give_what_files_give() -> None:
    long = frame()
    expected = confint.compare(EVALS, measure="map", missing="drop", baseline="bm25").to_dicts()
    wide = long.pivot(index="topic", columns="run", values="score")
    nested = {
        run: {row.topic: {"map": row.score} for row in of_run.itertuples()}
        for run, of_run in long.groupby("run")
    }
    options = {"baseline": "bm25"}
    assert confint.compare(long, **options).to_dicts() == expected
    assert confint.compare(pl.DataFrame(long.to_dict("list")), **options).to_dicts() == expected
    assert confint.compare(nested, **options).to_dicts() == expected
    assert confint.compare(wide, measure_name="map", **options).to_dicts() == expected
    array = confint.compare(
        wide.to_numpy(), measure_name="map", run_names=[*wide.columns], **options
    )
    assert array.to_dicts() == expected


def test_scores_are_read_once_for_many_questions(tmp_path: Path) -> None:
    of_a = {"m": [0.1, 0.5, 0.3, 0.2], "n": [0.3] * 4}
    path = write(tmp_path / "x.tsv", {"a": of_a, "b": {"m": [0.2, 0.4, 0.6], "n": [0.1] * 3}})
    expected = confint.interval(path, measure="m")
    scores = confint.read(path)
    path.unlink()
    assert (scores.runs, scores.measures, len(scores)) == (("b", "a"), ("m", "n"), 16)
    assert scores.topics == ("1", "2", "3", "4")
    assert confint.interval(scores, measure="m").to_dicts() == expected.to_dicts()
    assert confint.interval(scores, measure="m").notices == expected.notices
    assert confint.interval(scores, measure="m", missing="drop").rows[0].topics == 3
    with pytest.raises(confint.CallError, match="qrels says how to read"):
        confint.interval(scores, qrels="qrels.txt")


def test_what_read_is_asked_for_holds_for_questions_that_ask_for_nothing_else() -> None:
    scores = confint.read(EVALS, measure="map", missing="drop", every=2)
    assert confint.interval(scores).rows[0].topics == 23
    assert confint.interval(scores).facts["measures"] == ("map",)
    assert "every:2" in confint.interval(scores).signature
    assert confint.interval(scores, every=1).rows[0].topics == 46
    assert confint.interval(scores, missing="zero", every=1).rows[0].topics == 50


# Scores that are read, and options of reading: what is too late, and what is not

BY_TENS = {str(topic): str(topic)[1] for topic in range(301, 351)}  # of 9, 10 and 1
TOO_LATE_VALUES: dict[str, Any] = {
    "qrels": "q.txt", "judge_qrels": "q.txt", "unjudged": "skip", "rel_level": 2,
    "input_format": "csv", "run_names": ["a", "b"], "labels": "none", "measure_name": "m",
}  # fmt: skip
STILL_OPEN_VALUES: dict[str, Any] = {
    "measure": "map", "missing": "drop", "topics": ["301", "302", "304"], "every": 2,
    "groups": BY_TENS, "group_weight": "equal", "name_from": "tag",
}  # fmt: skip


def test_each_option_of_reading_has_one_fate_where_scores_are_read() -> None:
    options = {
        option.name
        for name in CALLS
        for group in command(name).groups  # type: ignore[attr-defined]
        for option in group.options
        if group.name == "reading" and isinstance(option, click.Option)
    }
    assert sorted([*TOO_LATE, *STILL_OPEN, *WITHOUT_EFFECT]) == sorted(options)
    assert {*TOO_LATE_VALUES} == {*TOO_LATE}
    assert {*STILL_OPEN_VALUES, "judge_scores"} == {*STILL_OPEN}  # that one: in test_judges.py


@pytest.mark.parametrize("option", TOO_LATE)
def test_what_says_how_to_read_is_refused_where_scores_are_read(option: str) -> None:
    with pytest.raises(confint.CallError, match=f"^{option} says how to read"):
        confint.interval(confint.read(TWO, measure="map"), **{option: TOO_LATE_VALUES[option]})


@pytest.mark.parametrize("option", STILL_OPEN_VALUES)
def test_what_is_still_open_is_as_if_the_files_were_read_anew(option: str, tmp_path: Path) -> None:
    """The files are not called as the tags inside them, and one lacks some topics."""
    files = [tmp_path / "x.eval", tmp_path / "y.eval"]
    for path, run in zip(files, ("bm25", "early-stop"), strict=True):
        shutil.copy(SAMPLES / "trec_eval" / f"{run}.eval", path)
    asked = {option: STILL_OPEN_VALUES[option]}
    told: dict[str, Any] = {} if option == "measure" else {"measure": "map"}
    told |= {"groups": BY_TENS} if option == "group_weight" else {}
    scores = confint.read(files, **told)
    result, expected = confint.interval(scores, **asked), confint.interval(files, **told, **asked)
    assert result.to_dicts() == expected.to_dicts()
    assert result.signature == expected.signature
    assert result.to_dicts() != confint.interval(scores).to_dicts()


def test_tags_and_labels_cannot_both_name_runs_that_are_read() -> None:
    scores = confint.read(TWO, measure="map", labels="{run}.eval")
    with pytest.raises(confint.CallError, match='labels and name_from="tag": only one of them'):
        confint.interval(scores, name_from="tag")


# Groups of topics, and repeats of runs


def turns(groups: int = 6, size: int = 4) -> pd.DataFrame:
    """Scores of two runs on turns of conversations, 31_1 and so on."""
    random = np.random.default_rng(1)
    rows = [
        {"run": run, "topic": f"{31 + group}_{turn}", "score": round(random.uniform(), 4)}
        for run in ("a", "b") for group in range(groups) for turn in range(1, size + 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_groups_may_be_asked_for_of_scores_that_are_read(tmp_path: Path) -> None:
    frame = turns()
    kept = confint.read(frame)
    assert "if so, use groups='{group}_{}'" in kept.notices[0].text
    plain = confint.interval(kept)
    assert "groups" not in plain.columns
    assert plain.facts.get("groups") is None
    grouped = confint.interval(kept, groups="{group}_{}")
    assert (grouped[0].groups, grouped.facts["groups"]) == (6, 6)
    assert grouped.facts["grouped_by"] == "{group}_{}"
    assert grouped.to_dicts() == confint.interval(frame, groups="{group}_{}").to_dicts()
    assert not grouped.notices
    listed = tmp_path / "turns.txt"
    listed.write_text("".join(f"{topic} {topic[-1]}\n" for topic in {*frame["topic"]}))
    assert confint.interval(kept, groups=listed)[0].groups == 4  # a Path, too
    told = confint.read(frame, groups="{group}_{}", group_weight="equal")
    assert confint.rank(told, draws=200)[0].groups == 6
    assert confint.rank(told, draws=200).facts["group_weight"] == "equal"
    by_size = confint.interval(told, group_weight="size")
    assert by_size.to_dicts() == grouped.to_dicts()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_frames_tell_groups_and_repeats(library: str) -> None:
    frame = turns()
    seeds = pd.concat(
        [frame.assign(seed=seed, score=frame["score"] / seed) for seed in (1, 2, 3)]
    ).assign(session=lambda table: table["topic"].str[:2].astype(int))
    data = seeds if library == "pandas" else pl.DataFrame(seeds.to_dict("list"))
    result = confint.compare(data, baseline="a")
    assert (result[0].groups, result[0].repeats, result[0].baseline_repeats) == (6, 3, 3)
    told = [notice.text for notice in result.notices if "is read as" in notice.text]
    assert told == [
        "the DataFrame: column 'seed' is read as repeats; labels=\"none\" ignores it",
        "the DataFrame: column 'session' is read as groups of topics; labels=\"none\" ignores it",
    ]
    assert "for new repeats and new sessions like these 6" in result.sentence.casefold()
    paired = confint.compare(data, baseline="a", paired_repeats=True)
    assert paired[0].difference == result[0].difference
    assert paired[0].df != result[0].df
    with pytest.raises(confint.DataError, match="a second row for topic '31_1'"):
        confint.interval(data, labels="none")


def test_scores_go_on_with_their_groups_and_repeats() -> None:
    frame = turns()
    seeds = pd.concat([frame.assign(seed=seed, score=frame["score"] / seed) for seed in (1, 2)])
    scores = confint.score(seeds, groups="{group}_{}")
    assert scores.columns == ["run", "repeat", "topic", "group", "measure", "score"]
    expected = confint.interval(seeds, groups="{group}_{}").to_dicts()
    for data in (scores, scores.to_pandas(), confint.read(seeds, groups="{group}_{}")):
        assert confint.interval(data).to_dicts() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "{grp}_{}"}, "has {grp}, which is unknown"),
        ({"groups": ["{group}_{}", "{group}"]}, "groups takes one value, not 2"),
        ({"groups": True}, "groups takes no bool"),
        ({"groups": []}, "groups is an empty list"),
        ({"group_weight": "equal"}, "group_weight is for topics in groups"),
        ({"group_weight": "evenly"}, "'evenly' is none of size, equal"),
        ({"group_weight": 2}, "'2' is none of size, equal"),
    ],
)
def test_groups_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(confint.CallError) as raised:
        confint.interval(turns(), **options)
    assert message in str(raised.value)


def test_paired_repeats_without_any_are_refused() -> None:
    with pytest.raises(confint.CallError, match="is for runs with repeats, and these runs have"):
        confint.compare(turns(), baseline="a", paired_repeats=True)
    with pytest.raises(confint.CallError, match="paired_repeats has to be True or False"):
        confint.compare(turns(), baseline="a", paired_repeats="yes")


def test_runs_are_scored_once_for_many_questions() -> None:
    qrels, runs = SAMPLES / "qrels.txt", SAMPLES / "runs"
    scores = confint.read(runs, qrels=qrels, measure="AP,P@10")
    at_once = confint.rank(runs, qrels=qrels, measure="AP", draws=500)
    assert confint.rank(scores, measure="AP", draws=500).to_dicts() == at_once.to_dicts()
    assert confint.rank(scores, measure="AP", draws=500).signature == at_once.signature
    with pytest.raises(confint.DataError, match="there is no measure 'nDCG@10' in the scores"):
        confint.rank(scores, measure="nDCG@10")


def test_standardised_scores_go_on_as_through_a_pipe(confint: Confint) -> None:
    standardised = door.standardize(EVALS, measure="map", reference="bm25,hybrid,dense")
    result = door.interval(standardised)
    piped = confint("standardize", *EVALS, "-m", "map", "--reference", "bm25,hybrid,dense",
                    "--signature").out  # fmt: skip
    printed = json.loads(confint("interval", "-", "-f", "json", stdin=piped.encode()).out)
    assert result.to_dicts() == printed["rows"]
    assert result.facts["scale"] == standardised.facts["scale"]
    few = door.interval(standardised, topics=["301", "302", "303"])
    assert "Standardised scores (scale " in repr(few)


def test_factors_can_be_saved_and_used_again(tmp_path: Path) -> None:
    references = [path for path in EVALS if "bm25" in path or "dense" in path]
    by_runs = confint.standardize(EVALS, measure="map", reference=references)
    assert by_runs.factors is not None
    by_runs.factors.write(tmp_path / "factors.tsv", signature=True)
    by_file = confint.standardize(EVALS, measure="map", factors=tmp_path / "factors.tsv")
    assert by_file.to_dicts() == by_runs.to_dicts()
    as_they_are = confint.standardize(EVALS, measure="map", factors=by_runs.factors)
    assert as_they_are.to_dicts() == by_runs.to_dicts()
    assert confint.interval(EVALS, measure="map", standardize=by_runs.factors).to_dicts() == (
        confint.interval(EVALS, measure="map", standardize=tmp_path / "factors.tsv").to_dicts()
    )


def test_published_results_are_numbers_files_frames_or_intervals(tmp_path: Path) -> None:
    one = confint.summary(mean=0.2175, sd=0.2408, n=50)
    assert one.rows[0].low == pytest.approx(0.2175 - 2.0096 * 0.2408 / 50**0.5, abs=1e-5)
    published = pd.DataFrame({"run": ["a", "b"], "measure": ["map"] * 2, "mean": [0.3, 0.2],
                              "sd": [0.1, 0.2], "n": [50, 40]})  # fmt: skip
    published.to_csv(tmp_path / "p.csv", index=False)
    from_file = confint.summary(tmp_path / "p.csv", baseline="b").to_dicts()
    assert confint.summary(published, baseline="b").to_dicts() == from_file
    assert (
        confint.summary(pl.DataFrame(published.to_dict("list")), baseline="b").to_dicts()
        == from_file
    )
    intervals = confint.interval(EVALS, measure="map")
    assert len(confint.summary(intervals, baseline="bm25").rows) == 7
    with pytest.raises(confint.DataError, match="a file or a DataFrame"):
        confint.summary([0.5])


def test_topics_and_names_may_be_lists() -> None:
    assert confint.interval(EVALS, measure="map", topics=["301", "302", "303"]).rows[0].topics == 3
    assert "|only:3 given|" in confint.interval(EVALS, measure="map", topics=("301", "302", "303")
                                                ).signature  # fmt: skip
    result = confint.interval([[0.1, 0.2], [0.3, 0.5], [0.2, 0.1]], run_names=["a", "b"])
    assert [row.run for row in result.rows] == ["b", "a"]
    with pytest.raises(confint.CallError, match="topics takes a list or a file: there is no file"):
        confint.interval(EVALS, measure="map", topics="301,302")
    with pytest.raises(confint.DataError, match="two runs are named 'a'"):
        confint.interval([[0.1, 0.2], [0.3, 0.5]], run_names=["a", "a"])
    with pytest.raises(confint.CallError, match="topics lists nothing"):
        confint.interval(EVALS, measure="map", topics=[])
    with pytest.raises(confint.CallError, match="run_names says how to read"):
        confint.interval(confint.read(EVALS), run_names=["a"])


# Wrong calls and wrong data


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 5}, "level=5 is not a share"),
        ({"level": "x"}, "level='x' is not a number"),
        ({"level": [0.9, None]}, "level takes no NoneType"),
        ({"resamples": 2.5}, "'2.5' is neither 'ideal' nor a whole number"),
        ({"resamples": True}, "resamples takes no bool"),
        ({"method": "bootsrap"}, "no method is called 'bootsrap'"),
        ({"missing": "zeros"}, "'zeros' is none of zero, drop, error"),
        ({"keep_going": "yes"}, "keep_going has to be True or False"),
        ({"seed": [1, 2]}, "seed takes one value, not 2"),
        ({"measure": ""}, "measure names no measure"),
        ({"sort": "best"}, "'best' is none of mean, name, input"),
        ({"input_format": "xml"}, "no format is called 'xml'"),
        ({"jobs": 0}, "0 is below 1"),
        ({"qrels": "q.txt"}, "qrels is for runs in files"),
        ({"measure": []}, "measure is an empty list"),
        ({"method": {"t", "bca"}}, "method takes a list, not a set"),
        ({"level": 10**5000}, "level is too large a number"),
        ({"run_names": {"a", "b"}}, "run_names takes a list of names, not a set"),
        ({"run_names": b"ab"}, "run_names takes a list of names, not a bytes"),
        ({"topics": [None]}, "topics takes no NoneType"),
        ({"topics": "a\0b"}, "is not a path"),
    ],
)
def test_a_wrong_argument_is_a_call_error_with_a_hint(
    options: dict[str, Any], message: str
) -> None:
    data = {"a": {"1": {"m": 0.5}, "2": {"m": 0.25}}}
    with pytest.raises(confint.CallError, match=message) as raised:
        confint.interval(data, **options)
    assert raised.value.__suppress_context__
    hint = raised.value.hint
    assert (f"hint: {hint}" in getattr(raised.value, "__notes__", [])) == bool(hint)


def test_a_rope_has_two_ends() -> None:
    with pytest.raises(confint.CallError, match="rope takes 2 numbers, not 1"):
        confint.bayes(TWO, baseline="bm25", measure="map", rope=[0.1])


def test_wrong_data_are_data_errors(tmp_path: Path) -> None:
    for data, message in [
        (tmp_path / "nothing.eval", "no such file"),
        ([], "empty"),
        ({}, "empty"),
        (7, "no scores in data of type 'int'"),
        (pd.DataFrame({"AP": ["x", "y"], "qid": ["1", "2"]}), "AP"),
        (pd.DataFrame({"qid": ["1", "1"], "AP": [0.1, 0.2]}), "1"),
    ]:
        with pytest.raises(confint.DataError, match=f"(?i){message}"):
            confint.interval(data)


def test_files_that_cannot_be_used_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "odd.eval").write_text("nonsense\n")
    files = [*TWO, str(tmp_path / "odd.eval")]
    with pytest.raises(confint.DataError):
        confint.interval(files, measure="map")
    result = confint.interval(files, measure="map", keep_going=True)
    assert len(result.rows) == 2
    assert any("1 of 3 files is left out" in notice.text for notice in result.notices)
    scores = confint.read(files, measure="map", keep_going=True)
    assert scores.runs == ("hybrid", "bm25")
    assert any("1 of 3 files is left out" in notice.text for notice in scores.notices)
    with pytest.raises(confint.DataError, match="none of the FILES can be used"):
        confint.read([tmp_path / "odd.eval"], keep_going=True)


def test_files_left_out_are_told_of_by_every_question(tmp_path: Path) -> None:
    (tmp_path / "odd.eval").write_text("nonsense\n")
    files = [*TWO, str(tmp_path / "odd.eval")]
    direct = confint.compare(files, measure="map", keep_going=True)
    scores = confint.read(files, keep_going=True)
    for read in (scores, confint.read(scores)):
        for _ in range(2):
            result = confint.compare(read, measure="map")
            assert result.notices == direct.notices
            assert [one.text for one in result.warnings] == [
                f"1 of 3 files is left out: {tmp_path / 'odd.eval'}"
            ]
            assert "|left-out:1|" in result.signature
            assert (result.signature, result.sentence, repr(result)) == (
                direct.signature, direct.sentence, repr(direct)
            )  # fmt: skip
    with pytest.raises(confint.DataError, match=r"odd\.eval"):  # why it is not among the runs
        confint.compare(scores, measure="map", baseline=files[-1])


def test_runs_left_out_as_they_lack_a_collection_are_counted(tmp_path: Path) -> None:
    files = [tmp_path / f"{of}.eval" for of in ("one.a", "one.b", "one.c", "two.a", "two.b")]
    for place, path in enumerate(files):
        path.write_text(f"m\t1\t0.1{place}\nm\t2\t0.3\n")
    options: dict[str, Any] = {"labels": "{collection}.{run}.eval", "keep_going": True}
    *_, warned = confint.interval(files, **options).warnings
    assert warned.text == f"1 of 5 files is left out: {files[2]}"
    scores = confint.read(files, **options)
    assert warned in scores.notices
    assert confint.interval(scores).warnings[-1] == warned


def test_what_is_said_of_judgements_is_said_by_every_question(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q.txt", tmp_path / "a.run"
    qrels.write_text("1 0 d1 1\n2 0 d1 1\n")
    run.write_text("1 Q0 d1 1 2 a\n2 Q0 d2 1 2 a\n")
    expected = confint.interval(run, qrels=qrels, measure="AP").notices
    assert any("only relevant documents are listed" in one.text for one in expected)
    scores = confint.read(run, qrels=qrels)
    assert confint.interval(scores, measure="AP").notices == expected
    assert [one.text for one in scores.notices if one.is_advice] == [
        "using map, Rprec, recip_rank, P_10, ndcg_cut_10, ndcg; choose others with -m"
    ]


def test_a_check_knows_of_files_that_are_read_but_lack_the_measure(tmp_path: Path) -> None:
    of_m = {"m": [0.1, 0.5, 0.3]}
    files = [write(tmp_path / "a.tsv", {"a": of_m | {"n": [0.1, 0.2, 0.3]}, "b": of_m}),
             write(tmp_path / "c.tsv", {"c": {"n": [0.1, 0.2, 0.4]}})]  # fmt: skip
    asked: dict[str, Any] = {"measure": "m", "baseline": "b", "fail_if": "worse"}
    for scores in (files, confint.read(files)):
        with pytest.raises(confint.DataError, match=r"there is no comparison of .*c\.tsv"):
            confint.compare(scores, **asked)


# The door itself

PUBLIC = [
    "AgreementRow", "BayesRow", "CallError", "CompareRow", "CoverageRow", "CoverageSummaryRow",
    "DataError", "DescribeRow", "FactorRow", "GateError", "IntervalRow", "Notice", "PlanRow",
    "RankRow", "Result", "RiskRow", "RiskSummaryRow", "ScoreRow", "Scores", "__version__",
    "agreement", "bayes", "compare", "coverage", "describe", "interval", "plan", "rank", "read",
    "risk", "score", "standardize", "summary",
]  # fmt: skip
OF_RESULTS = [
    "columns", "factors", "facts", "notices", "passed", "plot", "raise_if_failed", "rows",
    "sentence", "signature", "to_dicts", "to_pandas", "warnings", "write",
]  # fmt: skip


def test_the_names_are_these_and_stay() -> None:
    assert [*confint.__all__] == PUBLIC == dir(confint)
    assert all(hasattr(confint, name) for name in PUBLIC)
    result = confint.interval(TWO, measure="map")
    assert [name for name in dir(result) if not name.startswith("_")] == OF_RESULTS
    with pytest.raises(AttributeError, match="no attribute 'intervals'"):
        confint.intervals  # noqa: B018


NOT_IN_PYTHON = {  # what writes, which `.write` and `.plot` do
    "output_format", "output", "columns", "digits", "signature", "plot", "no_title", "verbose",
    "quiet", "layout", "intervals", "second_best", "transpose", "save_factors",
}  # fmt: skip


@pytest.mark.parametrize("name", [*CALLS, "summary"])
def test_every_option_is_an_argument_of_its_name(name: str) -> None:
    options = {one.name for one in command(name).params if isinstance(one, click.Option)}
    arguments = inspect.signature(getattr(confint, name)).parameters
    own = {"scores"} if name == "summary" else {"scores", "progress"}  # it takes no time
    assert {*arguments} == (options - NOT_IN_PYTHON) | own
    kinds = {one.kind for argument, one in arguments.items() if argument != "scores"}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    flags = {one.name for one in command(name).params if getattr(one, "is_flag", False)}
    for argument, one in arguments.items():
        if argument not in ("scores", "progress"):
            assert one.default is (False if argument in flags else None), argument


def test_read_takes_what_score_takes() -> None:
    read, score = (inspect.signature(one).parameters for one in (confint.read, confint.score))
    assert [*read] == [*score]


def test_importing_costs_neither_numpy_nor_click() -> None:
    code = (
        "import sys; before = set(sys.modules); import confint_cli; "
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            check=True, cwd=ROOT).stdout.split()  # fmt: skip
    assert "confint_cli" in loaded
    assert not {"numpy", "scipy", "click", "rich", "matplotlib", "pandas"} & {*loaded}


def test_results_do_not_depend_on_threads_of_matrix_products_nor_on_jobs(confint: Confint) -> None:
    """A program that imported numpy before may have as many as there are cores."""
    printed = confint("compare", *EVALS, "-m", "map", "--all-pairs", "--simultaneous", "--method",
                      "t,bca", "-f", "json").out  # fmt: skip
    code = (
        "import numpy as np, json, confint_cli as confint; a = np.ones((900, 900)); a @ a; "
        f"rows = confint.compare({EVALS!r}, measure='map', all_pairs=True, simultaneous=True, "
        "method='t,bca', jobs=3).to_dicts(); print(json.dumps(rows))"
    )
    free = {key: value for key, value in os.environ.items() if "_NUM_THREADS" not in key}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          cwd=ROOT, env=free)  # fmt: skip
    assert done.stderr == ""
    assert json.loads(done.stdout) == json.loads(printed)["rows"]


def test_questions_may_be_asked_in_threads(tmp_path: Path) -> None:
    results: dict[int, Any] = {}
    asked = {"measure": "map", "method": "bca", "resamples": 2000}

    def work(number: int) -> None:
        results[number] = confint.interval(TWO, seed=number, **asked)
        results[number].write(tmp_path / f"{number}.tsv")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in results.items():
        alone = confint.interval(TWO, seed=number, **asked)
        assert result.to_dicts() == alone.to_dicts()
    assert len({str(result.to_dicts()) for result in results.values()}) == 4
    assert len([*tmp_path.iterdir()]) == 4


class _Kernel:
    """What IPython shows, kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def display(self, line: Any, **_: Any) -> "_Kernel":
        self.lines.append(line.data)
        return self

    def update(self, line: Any) -> None:
        self.lines.append(line.data)


def test_figures_may_be_drawn_in_threads() -> None:
    """Fonts are no more for two threads at a time than settings, which have to be given back."""
    import matplotlib as mpl

    result = confint.interval(TWO, measure="map")
    pictures = [result.plot()._repr_png_()]
    before = dict(mpl.rcParams)

    def draw() -> None:
        pictures.extend(result.plot()._repr_png_() for _ in range(4))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pictures) == 17
    assert len({*pictures}) == 1
    assert dict(mpl.rcParams) == before


def test_records_and_facts_cannot_be_changed_through_what_is_returned() -> None:
    result = confint.bayes(TWO, measure="map", baseline="bm25", draws=1000)
    result.facts["thresholds"]["difference"] = 5.0  # type: ignore[index]
    assert result.facts["thresholds"]["difference"] == 0.0
    row = confint.compare(TWO, measure="map", baseline="bm25").rows[0]
    assert len({row, row}) == 1


def test_progress_is_a_bar_in_notebooks_and_silent_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    display = pytest.importorskip("IPython.display")
    from confint_cli.app import notebook

    slow = {"measure": "map", "method": "bca", "resamples": 10_000, "progress": True}
    quiet = confint.interval(EVALS, **slow)
    assert capfd.readouterr() == ("", "")
    kernel = _Kernel()
    monkeypatch.setattr(notebook, "is_notebook", lambda: True)
    monkeypatch.setattr("confint_cli.app.python.is_notebook", lambda: True)
    monkeypatch.setattr(notebook, "_PATIENCE", 0.0)
    monkeypatch.setattr(notebook, "_PAUSE", 0.0)
    monkeypatch.setattr(display, "display", kernel.display)
    shown = confint.interval(EVALS, **slow)
    assert shown.to_dicts() == quiet.to_dicts()
    assert any("resampling <progress value=" in line for line in kernel.lines)
    assert kernel.lines[-1] == ""  # cleared when all is done


def test_groups_may_be_a_dict_of_them_by_topic() -> None:
    topics = [f"{talk}_{turn}" for talk in "123456" for turn in "12"]
    frame = pd.DataFrame({"topic": topics, "a": np.linspace(0, 1, 12) ** 2, "b": 0.5})
    by_dict = confint.interval(frame, groups={topic: topic[0] for topic in topics})
    by_pattern = confint.interval(frame, groups="{group}_{}")
    assert [row.low for row in by_dict] == [row.low for row in by_pattern]
    assert by_dict.rows[0].groups == 6
    assert "|grouped-by:12 given|" in by_dict.signature
    with pytest.raises(confint.DataError, match="1 topic has no group"):
        confint.interval(frame, groups={topic: topic[0] for topic in topics[1:]})
