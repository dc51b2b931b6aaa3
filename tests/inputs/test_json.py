"""JSON and JSON lines: each layout as its tool writes it, read to the last bit; what is refused."""

import gzip
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs import json_text, read_content, read_scores
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.source import Source
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING
from tests.inputs.test_saved_tables import SHAPES, STEM, WITH_GAPS, shuffled

Scores = dict[tuple[str | None, str, str], float]
"""By run (None: the file names it), measure and topic."""


def read(
    content: object, kind: str | None = None, reader: Reader = EVERYTHING, name: str = "x.json"
) -> tuple[str, Reading]:
    """Read a text as it is, anything else as JSON on one line."""
    text = content if isinstance(content, str) else json.dumps(content)
    return read_content(Source(name, text.encode()), reader, kind)


def scores_of(reading: Reading) -> Scores:
    keys = [(one.run, one.measure, topic) for one in reading.series for topic in one.topics]
    assert len({*keys}) == len(keys)
    return dict(zip(keys, (x for one in reading.series for x in one.values.tolist()), strict=True))


def scores(content: object, kind: str | None = None, reader: Reader = EVERYTHING) -> Scores:
    """Return every score by run, measure and topic."""
    return scores_of(read(content, kind, reader)[1])


def told(content: object, reader: Reader = EVERYTHING) -> list[str]:
    return [notice.text for notice in read(content, None, reader)[1].notices]


def refused(content: object, kind: str | None = None) -> str:
    """Return the problem and the hint, one line each."""
    with pytest.raises(DataError) as caught:
        read(content, kind)
    assert "\n" not in f"{caught.value}{caught.value.hint}"
    return f"{caught.value} | {caught.value.hint}".removesuffix(" | ")


def right_or_refused(content: object, expected: Scores) -> str:
    """Return what is said if it is refused; if it is read, it is read as expected."""
    try:
        found = scores(content)
    except DataError as error:
        return f"{error} | {error.hint}"
    assert found == expected
    return ""


def lines(*rows: Mapping[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def both_widths(value: object) -> list[str]:
    """Return JSON on one line, and on many."""
    return [json.dumps(value), json.dumps(value, indent=1)]


QRELS = {"301": {"a": 1, "b": 2, "c": 0}, "302": {"a": 1, "d": 1}, "303": {"e": 3}}
RUNS = {
    "bm25": {"301": {"a": 3.0, "x": 2.0, "b": 1.0}, "302": {"x": 2.0, "d": 1.0},
             "303": {"e": 1.0}},
    "dense": {"301": {"b": 3.0, "a": 2.0, "y": 1.0}, "302": {"a": 2.0, "d": 1.0},
              "303": {"y": 1.0}},
}  # fmt: skip
EVALUATED = {
    run: pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg_cut_10", "num_ret"}).evaluate(ranking)
    for run, ranking in RUNS.items()
}
MEANS_OF_TOPICS = ("map", "ndcg_cut_10")


def evaluated(run: str, name: str | None) -> Scores:
    """Return what pytrec_eval gave to a run, under another name."""
    return {
        (name, measure, topic): values[measure]
        for topic, values in EVALUATED[run].items()
        for measure in MEANS_OF_TOPICS
    }


# Objects in objects


def test_what_pytrec_eval_returns_is_read_to_the_last_bit() -> None:
    for text in both_widths(EVALUATED["bm25"]):
        assert scores(text) == evaluated("bm25", None)
        assert [*read(text)[1].measures] == [*MEANS_OF_TOPICS]
        assert told(text) == []
    value = {"301": {"map": 0.1 + 0.2}, "302": {"map": 5e-324}, "303": {"map": 1e22}}
    assert scores(value) == {(None, "map", topic): one["map"] for topic, one in value.items()}


def test_levels_may_be_in_any_order_if_names_of_measures_and_ids_show_it() -> None:
    by_measure = {
        run: {
            measure: {topic: values[measure] for topic, values in topics.items()}
            for measure in MEANS_OF_TOPICS
        }
        for run, topics in EVALUATED.items()
    }
    by_topic = {
        topic: {run: {"map": EVALUATED[run][topic]["map"]} for run in EVALUATED} for topic in QRELS
    }
    both = evaluated("bm25", "bm25") | evaluated("dense", "dense")
    assert scores(EVALUATED) == both
    assert scores(by_measure) == both
    assert scores(by_measure["dense"]) == evaluated("dense", None)
    assert scores(by_topic) == {key: value for key, value in both.items() if key[1] == "map"}


def test_runs_of_topics_are_named_and_may_be_measures() -> None:
    data = {"bm25": {"301": 0.5, "302": 0.25}, "dense": {"301": 0.125, "302": 1}}
    expected: Scores = {(run, "x", topic): value for run, topics in data.items()
                        for topic, value in topics.items()}  # fmt: skip
    turned = {topic: {run: data[run][topic] for run in data} for topic in data["bm25"]}
    for value in (data, turned):
        assert scores(value) == scores(value, "topic_by_run") == expected
        assert told(value) == [
            "'bm25', 'dense' are read as runs; if they are measures, use --input-format per_query"
        ]
        named = Reader(lambda names: names, named_runs=["dense"])
        assert scores(value, None, named) == expected
        assert told(value, named) == []
        assert scores(value, "per_query") == {
            (None, run, topic): one for (run, _, topic), one in expected.items()
        }
    assert scores(data["bm25"]) == {(None, "x", "301"): 0.5, (None, "x", "302"): 0.25}


def test_topics_of_any_text_are_known_by_the_measures_beside_them() -> None:
    data = {"who: a?": {"faithfulness": 0.5}, "why\tb {": {"faithfulness": 1}, "ü": {"mine": 0}}
    assert scores(data) == {
        (None, "faithfulness", "who: a?"): 0.5, (None, "faithfulness", "why\tb {"): 1.0,
        (None, "mine", "ü"): 0.0,
    }  # fmt: skip


def test_true_and_false_are_one_and_zero() -> None:
    assert scores({"301": {"success": True}, "302": {"success": False}}) == {
        ("success", "x", "301"): 1.0, ("success", "x", "302"): 0.0,
    }  # fmt: skip
    assert scores(lines({"qid": 1, "ok": True}, {"qid": 2, "ok": False})) == {
        (None, "ok", "1"): 1.0, (None, "ok", "2"): 0.0,
    }  # fmt: skip


def test_the_mean_of_a_file_is_no_topic_and_is_compared(tmp_path: Path, confint: Confint) -> None:
    topics = {"301": {"map": 0.5}, "302": {"map": 0.25}}
    path = tmp_path / "x.json"
    for mean, is_told in ((0.375, False), (0.36, True)):
        path.write_text(json.dumps({**topics, "all": {"map": mean}}))
        result = confint("score", path)
        assert [row[1] for row in result.rows] == ["301", "302"]
        assert ("its own summary row says 0.36" in result.err) is is_told
        assert is_told or result.err == ""


RANX = """
import json, sys
from importlib.util import find_spec
from ranx import Qrels, Run, evaluate
qrels, runs = json.load(sys.stdin)
for name, ranking in runs.items():
    run = Run(ranking, name=name)
    evaluate(Qrels(qrels), run, ["ndcg@10", "mrr"], save_results_in_run=True, threads=1)
    json.dump(run.scores, open(f"{name}.scores.json", "w"))
    if find_spec("pyarrow"):
        run.save(f"{name}.parquet")
"""


@pytest.fixture(scope="module")
def ranx_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ranx saves: in a process of its own, without the compilation that takes it long."""
    if importlib.util.find_spec("ranx") is None:
        pytest.skip("needs ranx")
    folder = tmp_path_factory.mktemp("ranx")
    subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps([QRELS, RUNS]),
        text=True,
        cwd=folder,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
        capture_output=True,
    )
    return folder


def test_scores_of_ranx_are_read_and_its_runs_are_not_taken_for_scores(
    ranx_files: Path, confint: Confint
) -> None:
    paths = [ranx_files / f"{name}.scores.json" for name in RUNS]
    for path in paths:
        _, reading = read_scores(str(path), EVERYTHING)
        saved = json.loads(path.read_text())
        assert saved["mrr"] == {"301": 1.0, "302": 0.5 if "bm25" in path.name else 1.0,
                                "303": 1.0 if "bm25" in path.name else 0.0}  # fmt: skip
        assert scores_of(reading) == {
            (None, measure, topic): value
            for measure, topics in saved.items()
            for topic, value in topics.items()
        }
    compared = confint("compare", *paths, "-m", "mrr", "--baseline", "bm25.scores")
    assert (compared.status, compared.err) == (0, "")
    assert compared.rows[0][:3] == ["mrr", "dense.scores", "bm25.scores"]
    saved_run = ranx_files / "bm25.parquet"
    if saved_run.exists():
        result = confint("score", saved_run)
        assert result.status == 1
        assert "has a column of documents: it holds a run or judgements" in result.err


# Tables


WIDE = pd.DataFrame({"qid": [302, 301, 303], "AP": [0.5, 0.25, 1.0], "P@10": [0.1, 0.0, 0.7]})
WIDE_SCORES: Scores = {
    (None, "AP", "302"): 0.5, (None, "AP", "301"): 0.25, (None, "AP", "303"): 1.0,
    (None, "P@10", "302"): 0.1, (None, "P@10", "301"): 0.0, (None, "P@10", "303"): 0.7,
}  # fmt: skip
LONG = pd.DataFrame(
    [("bm25", "q2", "AP", 0.5), ("bm25", "q1", "AP", 0.25), ("dense", "q1", "AP", 1.0),
     ("dense", "q2", "AP", 0.125)],
    columns=["name", "qid", "measure", "value"],
)  # fmt: skip
LONG_SCORES: Scores = {
    ("bm25", "AP", "q2"): 0.5, ("bm25", "AP", "q1"): 0.25,
    ("dense", "AP", "q1"): 1.0, ("dense", "AP", "q2"): 0.125,
}  # fmt: skip
SYSTEMS = LONG.drop(columns="measure").rename(columns={"value": "AP"})

TABLES: dict[str, tuple[pd.DataFrame, Scores]] = {
    "a column a measure": (WIDE, WIDE_SCORES),
    "topics as texts": (WIDE.astype({"qid": str}), WIDE_SCORES),
    "rows that were sorted": (WIDE.sort_values("AP"), WIDE_SCORES),
    "a row a score": (LONG, LONG_SCORES),
    "a row a run and topic": (SYSTEMS, LONG_SCORES),
}
WRITTEN: dict[str, Callable[[pd.DataFrame], str]] = {
    "records": lambda frame: frame.to_json(orient="records"),
    "records, indented": lambda frame: frame.to_json(orient="records", indent=2),
    "lines": lambda frame: frame.to_json(orient="records", lines=True),
    "columns": lambda frame: frame.to_json(),
    "columns, indented": lambda frame: frame.to_json(indent=1),
    "lists": lambda frame: json.dumps(frame.to_dict("list")),
    "lists, indented": lambda frame: json.dumps(frame.to_dict("list"), indent=1),
    "polars": lambda frame: pl.DataFrame(frame.to_dict("list")).write_json(),
    "polars, lines": lambda frame: pl.DataFrame(frame.to_dict("list")).write_ndjson(),
}


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize("table", TABLES)
def test_tables_of_pandas_and_polars_are_read_by_their_columns(table: str, way: str) -> None:
    frame, expected = TABLES[table]
    text = WRITTEN[way](frame)
    kind, reading = read(text)
    assert scores_of(reading) == expected
    assert kind == ("jsonl" if "lines" in way else "json")


def test_topics_may_be_the_index_of_a_frame() -> None:
    for frame in (WIDE.set_index("qid"), WIDE.set_index("qid").rename_axis(None)):
        assert scores(frame.to_json()) == WIDE_SCORES
        assert scores(frame.to_json(orient="index")) == WIDE_SCORES


@pytest.mark.parametrize("topics", [[302, 301, 303], ["302", "301", "303"]])
def test_row_numbers_of_a_frame_by_rows_are_no_topics(topics: list[object]) -> None:
    """With orient="index", {"0": {"qid": 301, "AP": 0.5}}."""
    assert scores(WIDE.assign(qid=topics).to_json(orient="index")) == WIDE_SCORES


@pytest.mark.parametrize("orient", ["split", "table", "values"])
@pytest.mark.parametrize("rows", [2, 3])  # as many as columns, or not
def test_other_ways_of_pandas_are_refused_with_one_that_is_read(orient: Any, rows: int) -> None:
    frame = WIDE[["qid", "AP"]].iloc[:rows]
    expected = {key: value for key, value in WIDE_SCORES.items()
                if key[1] == "AP" and (rows == 3 or key[2] != "303")}  # fmt: skip
    said = right_or_refused(frame.to_json(orient=orient), expected)
    is_told = "each row of a JSON list has to be an object" in said
    assert not said or is_told or "lists of objects, one for each" in said


def test_cells_of_columns_belong_to_their_index_in_whatever_order() -> None:
    text = '{"qid": {"0": "301", "1": "302"},\n "AP": {"1": 0.25, "0": 0.5}}'
    assert scores(text) == {(None, "AP", "301"): 0.5, (None, "AP", "302"): 0.25}


def test_rows_without_a_topic_are_not_joined_by_their_number(
    tmp_path: Path, confint: Confint
) -> None:
    frame = WIDE.drop(columns="qid")
    for way in ("records", "lines", "lists", "columns", "columns, indented"):
        paths = [tmp_path / f"{name}.json" for name in ("one", "two")]
        for path in paths:
            path.write_text(WRITTEN[way](frame))
        result = confint("score", *paths)
        assert (result.status, result.out) == (1, ""), way


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", ["records", "lines", "columns, indented"])
def test_random_tables_come_back_by_topic(way: str, shape: str) -> None:
    @settings(max_examples=25)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        table = data.draw(SHAPES[shape]())
        frame = data.draw(st.composite(lambda draw: shuffled(draw, table.frame))())
        expected = table.scores
        if way == "lines":  # columns of JSON lines are measures
            expected = {
                (None, run, topic) if measure == STEM and run else (run, measure, topic): value
                for (run, measure, topic), value in expected.items()
            }
        text = WRITTEN[way](frame)
        found = scores_of(read(text, None, WITH_GAPS, f"{STEM}.json")[1])
        assert found.keys() == expected.keys()
        assert found == pytest.approx(expected, abs=1e-9)  # pandas writes ten decimals

    check()


# JSON lines


def test_what_ir_measures_writes(tmp_path: Path) -> None:
    if importlib.util.find_spec("ir_measures") is None:
        pytest.skip("needs ir_measures")
    (tmp_path / "qrels").write_text("".join(
        f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))  # fmt: skip
    (tmp_path / "run").write_text("".join(
        f"{q} Q0 {d} 1 {s} x\n" for q, docs in RUNS["bm25"].items() for d, s in docs.items()
    ))  # fmt: skip
    call = [sys.executable, "-m", "ir_measures", "qrels", "run", "AP", "nDCG@10", "-q", "-o"]
    done = subprocess.run([*call, "jsonl"], cwd=tmp_path, check=True, capture_output=True)
    kind, reading = read(done.stdout.decode())
    expected = {
        (run, {"map": "AP", "ndcg_cut_10": "nDCG@10"}[measure], topic): value
        for (run, measure, topic), value in evaluated("bm25", None).items()
    }
    assert (kind, scores_of(reading)) == ("jsonl", expected)
    assert all(one.summary is not None for one in reading.series)


def sample(number: int, **more: object) -> dict[str, object]:
    """Return a row of `samples_*.jsonl` of lm-evaluation-harness 0.4."""
    return {
        "doc_id": number,
        "doc": {"question": f"What is {number}?", "choices": ["a", "b"], "answer": number % 2},
        "target": str(number % 2),
        "arguments": {"gen_args_0": {"arg_0": f"Q: {number}\nA:", "arg_1": " a"}},
        "resps": [[["-1.5", "False"]], [["-0.5", "True"]]],
        "filtered_resps": [["-1.5", "False"], ["-0.5", "True"]],
        "doc_hash": f"{number:x}" * 8,
        **more,
        "acc": float(number % 3 == 0),
        "acc_norm": 1,
    }


@pytest.mark.parametrize("more", [{}, {"filter": "none", "metrics": ["acc", "acc_norm"]}])
def test_samples_of_a_harness_for_language_models(more: dict[str, object]) -> None:
    """The second has what later versions write as well."""
    text = lines(*(sample(number, **more) for number in range(5)))
    assert scores(text) == {
        (None, measure, str(number)): value
        for number in range(5)
        for measure, value in (("acc", float(number % 3 == 0)), ("acc_norm", 1.0))
    }
    (said,) = told(text)
    assert "are left out" in said
    assert "'resps'" in said


def test_a_harness_that_scores_an_item_twice_is_told_so() -> None:
    rows = [{"doc_id": n, "filter": way, "exact_match": n % 2}
            for way in ("strict", "flexible") for n in (0, 1)]  # fmt: skip
    assert refused(lines(*rows)).startswith(
        "x.json:3: a second row for topic '0' and 'exact_match'; the first is line 1"
    )


def test_fields_that_are_numbers_are_measures_and_others_are_left_out() -> None:
    text = lines(
        {"qid": "q1", "mine": 0.5, "text": "a: b", "ids": [1], "own": {"x": 1}, "ok": True},
        {"qid": "q2", "mine": 0, "text": "7", "ids": [], "own": {}, "ok": False},
    )
    assert scores(text) == {
        (None, "mine", "q1"): 0.5, (None, "mine", "q2"): 0.0,
        (None, "ok", "q1"): 1.0, (None, "ok", "q2"): 0.0,
    }  # fmt: skip
    assert told(text) == [
        "columns 'text', 'ids', 'own' are left out; columns 'mine', 'ok' are read as measures; "
        "if they are runs, use --input-format topic_by_run"
    ]
    assert {run for run, _, _ in scores(text, "topic_by_run")} == {"mine", "ok"}


def test_a_field_of_runs_and_blank_lines() -> None:
    text = '\n{"model": "a", "qid": 1, "AP": 0.5}\n\n \n{"AP": 1, "qid": 1, "model": "b"}\n\n'
    assert scores(text) == {("a", "AP", "1"): 0.5, ("b", "AP", "1"): 1.0}
    assert scores('{"qid": 1, "AP": 0.5}') == {(None, "AP", "1"): 0.5}


def test_ids_of_any_size_stay_what_they_are() -> None:
    for ids in (
        [2**53 + 1, 2**53], [2**63 + 1, 5], [2**63 + 3, 2**63 + 1, 7], [2**70 + 1, -3],
        ["0301", "301"], [301.0, 302.0],
    ):  # fmt: skip
        rows = [{"qid": one, "AP": 0.5} for one in ids]
        expected = {str(int(one)) if isinstance(one, float) else str(one) for one in ids}
        for text in (lines(*rows), json.dumps(rows)):
            assert {topic for _, _, topic in scores(text)} == expected


def test_a_chunk_of_numbers_after_one_of_texts_and_fields_that_come_late() -> None:
    """Lines are decoded a megabyte at a time."""
    note = "x" * 1000
    rows: list[dict[str, object]] = [{"qid": n, "AP": n / 4000, "note": note} for n in range(2500)]
    rows += [{"qid": f"q{n}", "AP": 1, "late": 0.5} for n in range(3)]
    found = scores(lines(*rows), None, WITH_GAPS)
    assert len(found) == 2503 + 3
    assert found[None, "AP", "2499"] == 2499 / 4000
    assert found[None, "AP", "q2"] == 1.0
    assert found[None, "late", "q0"] == 0.5
    rows.append({"qid": "last", "AP": "oops"})
    assert refused(lines(*rows)).startswith("x.json:2504: the value of 'AP' is not a number: 'oops")


# How files are called, packed and given


def test_the_file_names_the_run_without_its_ending(tmp_path: Path, confint: Confint) -> None:
    text = lines({"qid": 1, "AP": 0.5}, {"qid": 2, "AP": 0.25})
    for name in ("bm25.json", "bm25.jsonl", "bm25.json.gz", "bm25.ndjson"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
        result = confint("score", path)
        assert [row[:2] for row in result.rows] == [["bm25", "1"], ["bm25", "2"]]


def test_standard_input_and_gzip(confint: Confint) -> None:
    plain = json.dumps(EVALUATED, indent=1).encode()
    expected = confint("score", "-", "-m", "map", stdin=plain)
    assert len(expected.rows) == 6
    assert confint("score", "-", "-m", "map", stdin=gzip.compress(plain)).out == expected.out


def test_the_json_of_today(data: Path) -> None:
    folder = data / "formats-today"
    means = {}
    for name in ("all_systems.json", "measfirst_bm25.json", "mteb_bm25.jsonl", "pytrec_dense.json"):
        _, reading = read_scores(str(folder / name), EVERYTHING)
        assert {len(one.topics) for one in reading.series} == {50}
        assert {topic[0] for one in reading.series for topic in one.topics} == {"3"}
        assert not reading.notices
        means[name] = {
            (one.run, one.measure): round(float(one.values.mean()), 4) for one in reading.series
        }
    assert means.pop("all_systems.json") == {
        ("bm25", "map"): 0.2507, ("bm25", "ndcg_cut_10"): 0.3371,
        ("dense", "map"): 0.2666, ("dense", "ndcg_cut_10"): 0.3362,
        ("hybrid", "map"): 0.3531, ("hybrid", "ndcg_cut_10"): 0.4437,
    }  # fmt: skip
    assert means == {
        "measfirst_bm25.json": {(None, "map"): 0.2507, (None, "ndcg_cut_10"): 0.3371},
        "mteb_bm25.jsonl": {(None, "ndcg_at_10"): 0.3371},
        "pytrec_dense.json": {(None, "map"): 0.2666, (None, "ndcg_cut_10"): 0.3362},
    }


def test_two_files_of_pytrec_eval_are_compared(data: Path, confint: Confint) -> None:
    paths = [data / "formats-today" / f"pytrec_{name}.json" for name in ("bm25", "dense")]
    result = confint("compare", *paths, "-m", "map", "--baseline", "pytrec_bm25")
    assert (result.status, result.err) == (0, "")
    assert result.rows[0][:3] == ["map", "pytrec_dense", "pytrec_bm25"]


# The kind of table that the user names


NESTED = {"301": {"AP": 0.5}, "302": {"AP": 0.25}}
FORCED: dict[tuple[str, str], object] = {
    ("nested", "per_query"): {(None, "AP", "301"), (None, "AP", "302")},
    ("nested", "topic_by_run"): {("AP", "x", "301"), ("AP", "x", "302")},
    ("nested", "long"): "x.json: an object of 2 levels cannot be read as long | choose one "
                        "of: per_query, topic_by_run",
    ("nested", "ndeval"): "x.json: an object of 2 levels cannot be read as ndeval | choose one "
                          "of: per_query, topic_by_run",
    ("nested", "trec_eval"): "x.json:1: 3 fields are needed (measure, topic, value), not 6: ",
    ("nested", "parquet"): "x.json: is neither a Parquet nor an Arrow file",
    ("nested", "jsonl"): {(None, "AP", "301"), (None, "AP", "302")},
    ("by run", "ndeval"): {("a", "AP", "301"), ("a", "AP", "302")},
    ("by run", "long"): {("a", "AP", "301"), ("a", "AP", "302")},
    ("by run", "per_query"): "x.json: an object of 3 levels cannot be read as per_query | choose "
                             "one of: ndeval, long",
    ("systems", "ndeval"): {("a", "AP", "301"), ("a", "AP", "302")},
    ("systems", "long"): "x.json: is not a table with columns for topic, score, and run or",
    ("systems", "per_query"): {(None, "AP", "301"), (None, "AP", "302")},
    ("systems", "topic_by_run"): {("AP", "x", "301"), ("AP", "x", "302")},
    ("long", "long"): {("a", "AP", "301"), ("a", "AP", "302")},
    ("long", "ndeval"): {("a", "value", "301"), ("a", "value", "302")},
    ("lines", "topic_by_run"): {("AP", "x", "301"), ("AP", "x", "302")},
    ("lines", "per_query"): {(None, "AP", "301"), (None, "AP", "302")},
    ("lines", "long"): "x.json: is not a table with columns for topic, score, and run or",
    ("lines", "json"): "x.json:2: is not valid JSON: extra data",
}  # fmt: skip
GIVEN: dict[str, object] = {
    "nested": NESTED,
    "by run": {"a": NESTED},
    "systems": [{"run": "a", "qid": topic, **one} for topic, one in NESTED.items()],
    "long": [{"run": "a", "qid": topic, "measure": "AP", "value": one["AP"]}
             for topic, one in NESTED.items()],
    "lines": lines(*({"qid": topic, **one} for topic, one in NESTED.items())),
}  # fmt: skip


@pytest.mark.parametrize(("given_", "kind"), FORCED)
def test_the_user_may_name_the_kind(given_: str, kind: str) -> None:
    expected = FORCED[given_, kind]
    if isinstance(expected, str):
        assert refused(GIVEN[given_], kind).startswith(expected)
        return
    found = scores(GIVEN[given_], kind)
    assert found.keys() == expected
    assert {topic: value for (_, _, topic), value in found.items()} == {"301": 0.5, "302": 0.25}


def test_a_format_that_a_hint_offers_is_read() -> None:
    data = {"301": 0.5, "302": 0.25}
    hint = refused(data, "per_query").partition("choose one of: ")[2]
    assert scores(data, hint) == {(None, "x", "301"): 0.5, (None, "x", "302"): 0.25}


# What leaves two readings open


@pytest.mark.parametrize(
    "data",
    [
        {"bm25": {"who": 0.5, "why": 1}, "dense": {"who": 1, "why": 0}},
        {"1": {"301": 0.5, "302": 1}, "2": {"301": 1, "302": 0}},
        {"a": {"b": {"c": 1}}},
        {"map": {"q1": {"bm25": 0.1}, "q2": {"bm25": 0.2}}},
    ],
)
def test_where_keys_may_be_read_in_two_ways_both_are_shown(data: object) -> None:
    said = refused(data)
    assert said.startswith("x.json: may be {run: {topic: ")
    assert said.count("(") >= 2
    assert "nest it by run, as {run: {topic: {measure: value}}}" in said


@pytest.mark.parametrize("outer", [["map", "mine"], ["quality", "mine"]])
def test_measures_of_runs_are_not_turned_round_in_silence(outer: list[str]) -> None:
    """{measure: {run: {topic: value}}} may be {run: {measure: …}} by its names."""
    data = {measure: {run: {"301": 0.5, "302": 1} for run in ("bm25", "dense")}
            for measure in outer}  # fmt: skip
    expected: Scores = {
        (run, measure, topic): value
        for measure, runs in data.items()
        for run, topics in runs.items()
        for topic, value in topics.items()
    }
    try:
        found, notices = scores(data), told(data)
    except DataError:
        return
    assert found == expected or notices, "runs and measures are swapped, and nothing is said"


def test_means_of_runs_are_not_taken_for_topics_in_silence() -> None:
    """{run: {measure: mean}}, the tables of papers; CSV of it is refused, or told."""
    data = {"bm25": {"map": 0.25, "P_10": 0.5}, "dense": {"map": 0.5, "P_10": 0.25}}
    try:
        said = " ".join(told(data))
    except DataError as error:
        said = str(error)
    assert "bm25" in said or "topics" in said


# What is refused


IS_READ = "confint reads {topic: {measure: value}}, and lists of objects, one for each topic"
MISSING = " | --missing zero scores such topics 0, --missing drop leaves them out for all runs"
FOR_SCORING = " | to score runs, give the judgements as --qrels FILE and the runs as FILES"
LISTS = (
    " | confint reads {topic: {measure: value}}, and lists of objects, one for each topic"
)  # fmt: skip
REFUSED: dict[str, tuple[object, str]] = {
    "a value among objects": (
        {"301": {"map": 0.1}, "302": 0.3},
        f"x.json: there is a value at ['302'], but an object at other such places | {IS_READ}"),
    "an object among values": (
        {"301": 0.1, "302": {"map": 0.3}},
        f"x.json: there is an object at ['302'], but a value at other such places | {IS_READ}"),
    "an object too deep": (
        {"301": {"map": 0.1}, "302": {"map": {"x": 0.3}}},
        "x.json: there is an object at ['302']['map'], but a value at other such places"
        f" | {IS_READ}"),
    "a topic of nothing": (
        {"301": {"map": 0.1}, "302": {}}, "x.json: ['302'] is empty"),
    "a list among objects": (
        {"301": {"map": 0.1}, "302": {"map": [0.3]}},
        "x.json: there is a list at ['302']['map'], instead of an object or a number" + LISTS),
    "null": (
        {"301": {"map": 0.1}, "302": {"map": None}},
        "x.json, topic '302', measure 'map': column 'map' has no score for topic "
        "'302'" + MISSING),
    "NaN": (
        '{"301": {"map": NaN}, "302": {"map": 0.1}}',
        "x.json, topic '301', measure 'map': column 'map' has no score for topic "
        "'301'" + MISSING),
    "Infinity": (
        '{"a": {"301": {"map": 0.1}, "302": {"map": -Infinity}}}',
        "x.json, run 'a', topic '302', measure 'map': the value of 'map' is not finite: '-inf'"),
    "a number beyond all": (
        '{"301": {"map": 0.1}, "302": {"map": 1e999}}',
        "x.json, topic '302', measure 'map': the value of 'map' is not finite: 'inf'"),
    "a key twice": (
        '{"301": {"map": 0.1}, "301": {"map": 0.3}}',
        "x.json: is not valid JSON: an object has the key '301' twice"),
    "an inner key twice": (
        '{"301": {"map": 0.1, "map": 0.1}}',
        "x.json: is not valid JSON: an object has the key 'map' twice"),
    "a key twice, written in two ways": (
        r'{"301": {"map": 0.1, "m\u0061p": 0.3}}',
        "x.json: is not valid JSON: an object has the key 'map' twice"),
    "a key with a colon twice": (
        '{"a:b": {"map": 0.1}, "a:b": {"map": 0.3}}',
        "x.json: is not valid JSON: an object has the key 'a:b' twice"),
    "an escaped colon makes up for a lost one": (
        r'{"a\u003ab": {"map": 0.1}, "301": {"map": 0.1, "map": 0.2}}',
        "x.json: is not valid JSON: an object has the key 'map' twice"),
    "a key twice but for blanks": (
        {"301": {"map": 0.1}, " 301": {"map": 0.2}},
        "x.json, topic '301', measure 'map': a second row for topic '301' and 'map'; the first is "
        "topic '301', measure 'map'"),
    "an empty topic": (
        {"": {"map": 0.1}, "302": {"map": 0.2}},
        "x.json, topic '', measure 'map': the topic is empty"),
    "an empty object": ({}, "x.json: is empty"),
    "an empty list": ([], "x.json: has no per-topic scores: it is an empty list"),
    "no rows": ({"rows": []}, "x.json: has no per-topic scores: it is an empty list"),
    "a list of numbers": (
        [0.5, 0.25],
        "x.json, row 0: is '0.5', but each row of a JSON list has to be an object"),
    "a list of lists": (
        [["301", 0.5]],
        "x.json, row 0: is a list, but each row of a JSON list has to be an object"),
    "means": (
        {"map": 0.5, "P_10": 0.25},
        "x.json: has only means over all topics | confint needs the scores of every topic: use "
        "trec_eval -q or ir_measures -q"),
    "a comma too many": (
        '{"301": {"map": 0.1,}}',
        "x.json:1: is not valid JSON: expecting property name enclosed in double quotes"),
    "quotes of Python": (
        "{'301': {'map': 0.1}}",
        "x.json:1: is not valid JSON: expecting property name enclosed in double quotes"),
    "a row that lacks a score": (
        [{"qid": "301", "AP": 0.1}, {"qid": "302"}],
        "x.json, row 1: column 'AP' has no score for topic '302'"
        + MISSING),
    "a row that is infinite": (
        '[{"qid": "301", "AP": 0.1}, {"qid": "302", "AP": Infinity}]',
        "x.json, row 1: the value of 'AP' is not finite: 'inf'"),
    "rows of texts": (
        [{"qid": "301", "AP": "0.1"}, {"qid": "302", "AP": "0.2"}],
        "x.json: has no per-topic scores | column 'AP' holds texts"),
    "two columns of a name": (
        [{"qid": "301", "AP": 0.1, " AP": 0.5}, {"qid": "302", "AP": 0.1, " AP": 0.5}],
        "x.json: two columns are named 'AP'"),
    "two columns of a name, of runs": (
        [{"run": "a", "qid": "301", "AP": 0.1, " AP": 0.5}],
        "x.json: two columns are named 'AP'"),
    "columns of different lengths": (
        {"qid": ["301", "302"], "AP": [0.5]},
        "x.json: there is a list at ['qid'], instead of an object or a number" + LISTS),
    "documents by rows": (
        [{"qid": "301", "docno": "a", "score": 0.1}],
        "x.json: has a column of documents: it holds a run or judgements, not per-topic scores"
        + FOR_SCORING),
    "a line without a topic": (
        lines({"qid": "301", "AP": 0.1}, {"AP": 0.2}), "x.json:2: the topic is empty"),
    "a line without a score": (
        lines({"qid": "301", "AP": 0.1}, {"qid": "302", "AP": None}),
        "x.json:2: column 'AP' has no score for topic '302'"
        + MISSING),
    "a line that is infinite": (
        '{"qid": "301", "AP": 0.1}\n\n{"qid": "302", "AP": Infinity}\n',
        "x.json:3: the value of 'AP' is not finite: 'inf'"),
    "a line with a text": (
        lines({"qid": "301", "AP": 0.1}, {"qid": "302", "AP": "oops"}),
        "x.json:2: the value of 'AP' is not a number: 'oops'"),
    "lines of texts": (
        lines({"qid": "301", "measure": "AP", "value": "0.1"},
              {"qid": "302", "measure": "AP", "value": "0.2"}),
        "x.json: column 'value' has texts, not scores"),
    "lines of lists": (
        lines({"qid": "301", "AP": [0.1]}, {"qid": "302", "AP": [0.2]}),
        "x.json: has no per-topic scores | column 'AP' holds lists"),
    "topics that are lists": (
        lines({"qid": ["301"], "AP": 0.1}, {"qid": ["302"], "AP": 0.2}),
        "x.json: column 'qid' has lists or other objects, not names"),
    "a key twice in a line": (
        '{"qid": "301", "AP": 0.1}\n{"qid": "302", "AP": 0.2, "AP": 0.2}\n',
        "x.json:2: an object has the key 'AP' twice"),
    "a key twice in what is left out": (
        '{"qid": "301", "AP": 0.1}\n{"qid": "302", "AP": 0.2, "x": [{"a": 1, "a": 2}]}\n',
        "x.json:2: an object has the key 'a' twice"),
    "a key with a colon twice in a line": (
        '{"qid": "301", "A:P": 0.1}\n' r'{"qid": "302", "A:P": 0.2, "A\u003AP": 0.3}' "\n",
        "x.json:2: an object has the key 'A:P' twice"),
    "a topic twice": (
        lines({"qid": "301", "AP": 0.1}, {"qid": 301, "AP": 0.2}),
        "x.json:2: a second row for topic '301' and 'AP'; the first is line 1 | several runs in "
        "one table need a column that names them, such as 'run'"),
    "a line that is a list": (
        '{"qid": "301", "AP": 0.1}\n["302", 0.2]\n',
        "x.json:2: not a JSON object: '['302', 0.2]'"),
    "a line that is cut": (
        '{"qid": "301", "AP": 0.1}\n{"qid": "302", "AP',
        "x.json:2: not a JSON object: '{\"qid\": \"302\", \"AP'"),
    "a first line that is cut": (
        '{"qid": "301", "AP\n{"qid": "302", "AP": 0.2}\n',
        "x.json:1: not a JSON object: '{\"qid\": \"301\", \"AP'"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_json_of_scores_is_refused(case: str) -> None:
    content, message = REFUSED[case]
    assert refused(content) == message


def test_more_levels_than_there_are_names_for_are_refused() -> None:
    assert refused({"a": {"b": {"c": {"d": 1}}}}).startswith("x.json: has more than 3 levels | ")


@pytest.mark.parametrize("text", ["[{}]", "[{}, {}]", "{}\n{}\n", '{"rows": [{}]}'])
def test_rows_of_nothing_are_refused(text: str) -> None:
    said = refused(text)
    assert said.startswith("x.json: ")
    assert not said.endswith("are "), "what is listed is nothing"


@pytest.mark.parametrize(
    "text", ['{"301": {"map": ".1"}}', '{"301": {"map": 1}, "2": {"map": "1"}}']
)
def test_numbers_in_quotes_are_texts(text: str) -> None:
    assert "measure 'map': the value of 'map' is not a number: " in refused(text)


def test_numbers_in_quotes_are_texts_among_numbers_too() -> None:
    rows: list[dict[str, object]] = [{"qid": "301", "AP": 0.1}, {"qid": "302", "AP": "0.2"}]
    assert "the value of 'AP' is not a number: " in refused(lines(*rows))
    assert "the value of 'AP' is not a number: " in refused(rows)


@pytest.mark.parametrize(
    "data",
    [
        {"301": {"d1": 3.5, "d2": 2.25}, "302": {"d1": 1.5, "d2": 0.5}},
        {"301": {"FT-1": 3.5, "LA-2": 2.25}, "302": {"FT-9": 1.5, "LA-1": 0.5}},
        {"q1": {"17": 1, "18": 0}, "q2": {"19": 2}},
        {"who": {"a": 1}, "why": {"b": 2}, "what": {"c": 1}},
    ],
)
def test_runs_and_judgements_are_told_where_they_belong(data: dict[str, Any]) -> None:
    first = next(iter(next(iter(data.values()))))
    said = (
        f"x.json: looks like a run or judgements, with documents such as '{first}' at the second "
        f"level, not like per-topic scores{FOR_SCORING}; if these are scores, use --input-format "
        "topic_by_run or per_query"
    )
    assert refused(data) == said


@pytest.mark.parametrize("text", both_widths(EVALUATED))
def test_json_that_is_cut_anywhere_is_told_so(text: str) -> None:
    for end in range(1, len(text) - 1, 7):
        said = refused(text[:end].rstrip())
        assert "is not valid JSON: " in said
        assert "was the file cut short?" in said or text[:end].rstrip().endswith(("}", "]"))


def test_a_text_that_is_cut_is_told_in_a_whole_sentence() -> None:
    assert not refused('{"301": {"ma').partition(" | ")[0].endswith(" at")


DEEP = {
    "brackets": lambda depth: "[" * depth + "]" * depth,
    "braces": lambda depth: '{"a":' * depth + "1" + "}" * depth,
    "a cell of a list": lambda depth: (
        '{"qid": ["1", "2"],\n"x": ["a", ' + "[" * depth + "]" * depth + '],\n"AP": [0.1, 0.2]}'
    ),
    "a cell of a line": lambda depth: (
        '{"qid": 1, "AP": 0.5, "x": ' + "[" * depth + "]" * depth + '}\n{"qid": 2, "AP": 0.5}\n'
    ),
    "a line": lambda depth: '{"qid": 1, "AP": 0.5}\n' + "[" * depth + "]" * depth + "\n",
}


@pytest.mark.parametrize("case", DEEP)
def test_any_depth_is_read_or_refused(case: str) -> None:
    """Python's own limit is reached by decoding at one depth, by printing at a little less."""
    for depth in (*range(sys.getrecursionlimit() - 250, sys.getrecursionlimit()), 100_000):
        with suppress(DataError):
            read(DEEP[case](depth))
    assert "too deep" in refused(DEEP["brackets"](100_000))


def test_large_json_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MOST_MEMORY", 1_000_000)
    monkeypatch.setattr(json, "loads", None)
    said = (
        "is JSON that would need more than 1 MB of memory | other formats, such as JSON lines and "
        "Parquet, do not have this limit"
    )
    assert said in refused("[" + " " * 200_000 + "]")
    assert said in refused("[" + "[]," * 10_000 + "[]]")
    text = json.dumps([{"qid": n, "AP": 0.5} for n in range(1000)])
    assert len(scores(text)) == 1000
