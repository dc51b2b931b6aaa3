"""Data that are in memory already: DataFrames, dicts, arrays, Runs of ranx; and what is refused."""

import subprocess
import sys
import tracemalloc
from collections import defaultdict
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from confint_cli.common.errors import CallError, DataError, detail
from confint_cli.inputs.memory import TAKEN, read_object
from confint_cli.inputs.reading import Reader

Scores = dict[tuple[str | None, str, str], float]

EVERYTHING = Reader(lambda names: names)
GAPS = Reader(lambda names: names, gaps=True)
QIDS = [301, 302]


def scores(data: object, reader: Reader = EVERYTHING, *more: Any) -> Scores:
    """Return every score by run, measure and topic."""
    return {
        (series.run, series.measure, topic): value
        for series in read_object(data, reader, *more)[1].series
        for topic, value in zip(series.topics, series.values.tolist(), strict=True)
    }


def told(data: object, reader: Reader = EVERYTHING, *more: Any) -> list[str]:
    return [notice.text for notice in read_object(data, reader, *more)[1].notices]


def refused(data: object, reader: Reader = EVERYTHING, *more: Any) -> str:
    """Return the problem and the hint."""
    with pytest.raises(DataError) as caught:
        read_object(data, reader, *more)
    return f"{caught.value} | {caught.value.hint}".removesuffix(" | ")


def one(*values: object, **columns: Any) -> pd.DataFrame:
    """Return a per-query table of one measure."""
    return pd.DataFrame({"qid": QIDS, "AP": [*values]} | columns)


AP = {("run", "AP", "301"): 0.5, ("run", "AP", "302"): 0.25}


# DataFrames


@pytest.mark.parametrize(
    "frame",
    [
        one(0.5, 0.25),
        one("0.5", "0.25"),
        one(Decimal("0.5"), Decimal("0.25")),
        one(0.5, "0.25"),
        one(0.5, 0.25).astype({"AP": "Float64", "qid": "Int64"}),
        one(0.5, 0.25).astype({"AP": "float32", "qid": "float64"}),
        one(0.5, 0.25).astype({"AP": "float16", "qid": "category"}),
        one(0.5, 0.25).astype({"AP": "category", "qid": "string"}),
        one(0.5, 0.25).astype({"AP": "Sparse[float64]"}),
        one(0.5, 0.25).astype(object),
        one(0.5, 0.25, qid=["301", "302 "]).rename(columns={"AP": " AP "}),
        one(0.5, 0.25).set_index("qid"),
        one(0.5, 0.25).set_index("qid").rename_axis(None),
        one(0.5, 0.25, qid=[301.0, 302.0]).set_index("qid").rename_axis(None),
        one(0.5, 0.25)[["AP", "qid"]],
        one(0.5, 0.25).iloc[::-1],
        pl.DataFrame({"qid": QIDS, "AP": [0.5, 0.25]}),
        pl.DataFrame({"qid": ["301", "302"], "AP": [Decimal("0.5"), Decimal("0.25")]}),
        pl.DataFrame({"qid": [301.0, 302.0], "AP": pl.Series([0.5, 0.25], dtype=pl.Float32)}),
        # Casts would start threads here, and a process forked later for a test would wait for them.
        pl.DataFrame(
            {"qid": pl.Series(["301", "302"], dtype=pl.Categorical), "AP": ["0.5", "0.25"]}
        ),
        pl.DataFrame(
            {
                "qid": pl.Series(["301", "302"], dtype=pl.Enum(["302", "x", "301"])),
                "AP": [0.5, 0.25],
            }
        ),
        pl.DataFrame({"qid": QIDS, "AP": pl.Series([0.5, 0.25], dtype=pl.Object)}),
    ],
)
def test_scores_and_topics_may_be_of_many_types(frame: Any) -> None:
    assert scores(frame) == AP


def test_a_subclass_is_a_frame_too() -> None:
    class Mine(pd.DataFrame):
        pass

    assert scores(Mine(one(0.5, 0.25))) == AP


def test_a_value_of_single_precision_is_what_float_makes_of_it() -> None:
    values = np.array([0.1, 0.7], dtype=np.float32)
    (series,) = read_object(one(*values).astype({"AP": "float32"}), EVERYTHING)[1].series
    assert series.values.tolist() == [float(value) for value in values]
    assert series.rounding == 0.05  # as for 0.1 in print
    values = np.array([1 / 3, 2 / 3], dtype=np.float32)
    (series,) = read_object(one(*values).astype({"AP": "float32"}), EVERYTHING)[1].series
    assert abs(series.values - [1 / 3, 2 / 3]).max() < series.rounding < 1e-6


def test_true_and_false_are_scores() -> None:
    frame = pd.DataFrame({"qid": QIDS, "success_1": [True, False]})
    expected = {("run", "success_1", "301"): 1.0, ("run", "success_1", "302"): 0.0}
    for data in (
        frame,
        frame.astype({"success_1": "boolean"}),
        pl.from_dict(frame.to_dict("list")),
    ):
        assert scores(data) == expected


def test_dates_are_topics_in_the_form_of_iso() -> None:
    days = pd.to_datetime(["2024-01-01", "2024-01-02"])
    assert {topic for _, _, topic in scores(one(0.5, 0.25, qid=days))} == {
        "2024-01-01T00:00:00",
        "2024-01-02T00:00:00",
    }
    there = scores(one(0.5, 0.25, qid=days.tz_localize("UTC")))
    assert ("run", "AP", "2024-01-01T00:00:00+00:00") in there
    frame = pl.DataFrame({"qid": [date(2024, 1, 1), date(2024, 1, 2)], "AP": [0.5, 0.25]})
    assert ("run", "AP", "2024-01-02") in scores(frame)


def test_names_are_those_of_the_caller_where_the_data_have_none() -> None:
    frame = pd.DataFrame({"qid": QIDS, "a": [0.5, 0.25], "b": [0.125, 1.0]})
    assert {key[:2] for key in scores(frame)} == {("a", "score"), ("b", "score")}
    assert {key[:2] for key in scores(frame, EVERYTHING, "nDCG@10")} == {
        ("a", "nDCG@10"), ("b", "nDCG@10")
    }  # fmt: skip
    named = Reader(lambda names: names, measure_name="AP")
    assert {key[1] for key in scores(frame, named)} == {"AP"}
    assert {key[0] for key in scores(one(0.5, 0.25), EVERYTHING, "bm25/k1=0.9.run")} == {
        "bm25/k1=0.9.run"
    }
    kind, reading = read_object(one(0.5, 0.25), EVERYTHING, "-")
    assert (kind, reading.path) == ("per_query", "the DataFrame")


def test_a_plain_index_is_dropped_and_another_is_a_column() -> None:
    frame = pd.DataFrame({"a": [0.5, 0.25], "b": [0.125, 1.0]})
    assert told(frame)[0].startswith("there is no topic column: topics are numbered by row; ")
    kind, reading = read_object(frame.set_axis(["q1", "q2"]), EVERYTHING)
    assert (kind, reading.notices[0].text) == (
        "topic_by_run",
        "the index is read as topics; columns 'a', 'b' are read as runs; if they are "
        "measures, use --input-format per_query",
    )
    _, reading = read_object(one(0.5, 0.25).iloc[[1]], EVERYTHING)
    assert reading.notices == [detail("row numbers are left out: the index", "the DataFrame")]
    frame = one(0.5, 0.25, run=["a", "a"]).set_index(["run", "qid"])
    assert scores(frame) == {("a", "AP", "301"): 0.5, ("a", "AP", "302"): 0.25}
    assert read_object(frame, EVERYTHING)[0] == "ndeval"
    assert [key[0] for key in scores(pd.DataFrame(np.array([[0.5, 0.25]])))] == ["0", "1"]


def test_the_mean_in_a_frame_is_checked_and_is_no_topic() -> None:
    frame = pd.DataFrame({"run": "a", "qid": ["1", "2", "Mean"], "AP": [0.5, 0.25, 0.375]})
    (series,) = read_object(frame, EVERYTHING)[1].series
    assert (series.summary, [*series.topics]) == ("0.375", ["1", "2"])


def test_blanks_are_missing_topics_for_those_who_ask() -> None:
    for frame in (one(0.5, None), one(0.5, None).astype(object), one(0.5, pd.NA).astype("Float64")):
        (series,) = read_object(frame, GAPS)[1].series
        assert (*series.topics, *series.gaps) == ("301", "302")
        assert "column 'AP' has no score for topic '302'" in refused(frame)


def test_frames_and_errors_name_rows_as_python_does() -> None:
    assert refused(one(0.5, None)) == (
        "the DataFrame, row 1 (df.iloc[1]): column 'AP' has no score for topic "
        "'302' | --missing zero scores such topics 0, --missing drop leaves them out "
        "for all runs"
    )
    frame = pl.DataFrame({"run": ["a", "a"], "qid": [7, 7], "AP": [0.5, 0.25]})
    assert refused(frame) == (
        "the DataFrame, row 1 (df[1]): a second row for topic '7' and 'AP' of run 'a'; the first "
        "is row 0 (df[0])"
    )
    assert refused(one(0.5, np.inf)) == (
        "the DataFrame, row 1 (df.iloc[1]): the value of 'AP' is not finite: 'inf'"
    )
    assert refused(one(0.5, 0.25, qid=["301", None]), EVERYTHING, "mine") == (
        "mine, row 1 (df.iloc[1]): the topic is empty"
    )
    assert refused(one(0.5, [0.25])) == (
        "the DataFrame, row 1 (df.iloc[1]): the value of 'AP' is not a number: '[0.25]'"
    )


LONG = pd.DataFrame({"run": ["a", "a"], "qid": QIDS, "measure": "AP", "score": [0.5, 0.25]})


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "the DataFrame: has no columns"),
        (pl.DataFrame(), "the DataFrame: has no columns"),
        (LONG[:0], "the DataFrame: has no rows"),
        (LONG.assign(score=pd.to_datetime("2024-01-01")), "column 'score' has dates, not scores"),
        (LONG.assign(score=[date(2024, 1, 1)] * 2), "column 'score' has dates, not scores"),
        (LONG.assign(score=[b"1", b"2"]), "column 'score' has bytes, not scores"),
        (LONG.assign(score=[[1], [2]]), "column 'score' has lists, not scores"),
        (pl.DataFrame(LONG.to_dict("list") | {"score": [[1], [2]]}),
         "column 'score' has lists, not scores"),
        (one(1j, 0),
         "column 'AP' has complex numbers, not scores | use the real part: df['AP'].real"),
        (one([1], [2]), "has no per-topic scores | column 'AP' holds lists"),
        (one(b"1", b"2"), "has no per-topic scores | column 'AP' holds bytes"),
        (one(*pd.to_datetime(["2024", "2025"])), "per-topic scores | column 'AP' holds dates"),
        (one("a", "b"), "has no per-topic scores | column 'AP' holds no numbers"),
        (one(0.5, 0.25, qid=[[1], [2]]), "column 'qid' has lists or other objects, not names"),
        (one(0.5, 0.25, qid=[b"1", b"2"]), "column 'qid' has bytes, not names"),
        (pl.DataFrame({"qid": [[1], [2]], "AP": [0.5, 0.25]}),
         "column 'qid' has lists or other objects, not names"),
        (one(0.5, 0.25).set_axis(["qid", "qid"], axis=1), "two columns are named 'qid'"),
        (one(0.5, 0.25).set_index("qid", drop=False),
         "two columns are named 'qid' | the index is one of them: df.reset_index(drop=True) drops "
         "it"),
        (one(0.5, 0.25).set_axis(pd.MultiIndex.from_product([["a"], ["b", "c"]]), axis=1),
         "the DataFrame: its columns have names of 2 levels | give each column one name: "),
        (pd.concat({"a": one(0.5, 0.25), "b": one(0.5, 0.25)}),
         "level 1 of the index has scores, but no name | give it a name"),
        (pd.DataFrame({"run": ["a"], "mean": [0.5], "sd": [0.1]}),
         "the DataFrame: holds means of runs, not per-topic scores"),
        (pd.DataFrame({"bm25": [0.5, 0.25], "what": ["a", "b"], "who": ["c", "d"]}),
         "topics may be in column 'what' or 'who' | call the column that holds the topics 'topic'"),
        (pl.LazyFrame({"a": [1]}), "the LazyFrame: has no data yet | give it as df.collect()"),
        (pd.Series([0.5]), "the Series: has no columns for topics and scores | give a DataFrame: "),
        (3, f"there are no scores in data of type 'int' | {TAKEN}"),
        (None, f"there are no scores in data of type 'NoneType' | {TAKEN}"),
        ("x.csv", f"there are no scores in data of type 'str' | {TAKEN}"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_scores_is_refused(frame: object, message: str) -> None:
    assert message in refused(frame)


def test_the_caller_may_name_the_format() -> None:
    frame = pd.DataFrame({"qid": QIDS, "a": [0.5, 0.25]})
    assert {key[:2] for key in scores(frame, EVERYTHING, "x", "per_query")} == {("x", "a")}
    assert told(frame, EVERYTHING, "x", "topic_by_run") == []
    assert refused(frame, EVERYTHING, "", "trec_eval") == (
        "the DataFrame: a DataFrame cannot be read as trec_eval | choose one of: long, ndeval, "
        "per_query, topic_by_run"
    )
    with pytest.raises(CallError, match="no format is called 'lnog'"):
        read_object(frame, EVERYTHING, "", "lnog")


def test_neither_library_is_imported_for_other_data() -> None:
    program = (
        "import sys; from confint_cli.inputs.memory import read_object; "
        "from confint_cli.inputs.reading import NOBODY; read_object([0.5, 0.25], NOBODY); "
        "read_object({'301': {'map': 0.5}}, NOBODY); "
        "assert not {'pandas', 'polars', 'ranx'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("kind", ["object", "category"])
@pytest.mark.parametrize("order", ["by run", "shuffled"])
def test_a_long_frame_takes_at_most_twice_its_memory(kind: str, order: str) -> None:
    runs, topics, measures = 20, 25_000, ("AP", "P_10")
    index = pd.MultiIndex.from_product([
        [f"run-{run}" for run in range(runs)], [str(100_000 + t) for t in range(topics)], measures
    ])  # fmt: skip
    frame = index.to_frame(index=False, name=["run", "qid", "measure"]).astype(kind)
    frame["score"] = np.linspace(0, 1, len(frame))
    del index
    if order == "shuffled":
        frame = frame.sample(frac=1, random_state=1, ignore_index=True)
    size = int(frame.memory_usage(deep=True).sum())
    tracemalloc.start()
    try:
        _, reading = read_object(frame, EVERYTHING)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(reading.series) == runs * len(measures)
    assert peak < 2 * size


# Dicts


def test_a_dict_by_run_topic_and_measure_may_be_ragged() -> None:
    data = {
        "bm25": {"301": {"map": 0.5, "P_10": np.float64(0.1)}, 302: {"map": np.int64(1)}},
        "dense": {"301": {"map": True}},
    }
    kind, reading = read_object(data, EVERYTHING)
    assert (kind, reading.path, [*reading.measures]) == ("ndeval", "the dict", ["map", "P_10"])
    assert scores(data) == {
        ("bm25", "map", "301"): 0.5, ("bm25", "map", "302"): 1.0, ("bm25", "P_10", "301"): 0.1,
        ("dense", "map", "301"): 1.0,
    }  # fmt: skip


def test_a_run_may_be_called_as_a_measure() -> None:
    """The documented order holds, unless all names speak against it: then it is an error."""
    topics = {f"q{n}": {"quality": n / 10} for n in range(5)}
    _, reading = read_object({"rr": topics, "bm25": topics}, EVERYTHING)
    assert {(one.run, one.measure) for one in reading.series} == {
        ("rr", "quality"), ("bm25", "quality"),
    }  # fmt: skip
    said = refused({"map": {"q1": {"bm25": 0.1}, "q2": {"bm25": 0.2}}})
    assert "may be {run: {topic: {measure: score}}}" in said
    assert "or {measure: {topic: {run: score}}}" in said
    named = replace(EVERYTHING, named_runs=frozenset({"bm25"}))
    _, reading = read_object({"map": {"q1": {"bm25": 0.1}, "q2": {"bm25": 0.2}}}, named)
    assert [(one.run, one.measure) for one in reading.series] == [("bm25", "map")]


def test_the_level_of_topics_is_found() -> None:
    by_topic = {"q1": {"map": 0.5, "P_10": 0.1}, "q2": {"map": 0.25, "P_10": 0.2}}
    by_measure = {"map": {"q1": 0.5, "q2": 0.25}, "P_10": {"q1": 0.1, "q2": 0.2}}
    expected = {
        ("bm25", "map", "q1"): 0.5, ("bm25", "map", "q2"): 0.25,
        ("bm25", "P_10", "q1"): 0.1, ("bm25", "P_10", "q2"): 0.2,
    }  # fmt: skip
    assert scores(by_topic, EVERYTHING, "bm25") == expected
    assert scores(by_measure, EVERYTHING, "bm25") == expected
    assert scores({"bm25": by_topic}) == expected
    assert scores({"bm25": by_measure}) == expected
    assert scores({q: {"bm25": by} for q, by in by_topic.items()}) == expected
    assert {key[0] for key in scores(by_topic)} == {"run"}
    assert read_object(by_topic, EVERYTHING)[0] == "per_query"
    requested = Reader(lambda names: names, requested=("mine",))
    unknown = {"b-x": {"mine": 0.5}, "a-y": {"mine": 0.25}}
    assert {key[1:] for key in scores(unknown, requested)} == {("mine", "b-x"), ("mine", "a-y")}


def test_runs_of_topics_have_a_measure_without_a_name() -> None:
    data = {"bm25": {"q1": 0.5, "q2": 0.25}, "dense": {"q1": 1}}
    expected = {("bm25", "q1"), ("bm25", "q2"), ("dense", "q1")}
    assert {key[::2] for key in scores(data)} == expected
    assert {key[1] for key in scores(data)} == {"score"}
    assert told(data) == [
        "'bm25', 'dense' are read as runs; if they are measures, use --input-format per_query"
    ]
    named = Reader(lambda names: names, named_runs=["bm25"], measure_name="AP")
    words = {"bm25": {"who": 0.5, "why": 0.25}, "dense": {"who": 1}}
    assert scores(words, named)["dense", "AP", "who"] == 1.0
    assert told(words, named) == []
    assert scores(words, EVERYTHING, "", "topic_by_run")["dense", "score", "who"] == 1.0
    measures = scores(data, EVERYTHING, "x", "per_query")
    assert {key[:2] for key in measures} == {("x", "bm25"), ("x", "dense")}


def test_where_a_dict_may_be_read_in_two_ways_both_are_shown() -> None:
    assert refused({"bm25": {"who": 0.5}, "dense": {"who": 1}}) == (
        "the dict: may be {run: {topic: score}} (run 'bm25', topic 'who'), or {topic: {run: "
        "score}} (topic 'bm25', run 'who') | nest it by run, as {run: {topic: {measure: value}}}, "
        "or give a DataFrame with columns 'run', 'topic', 'measure' and 'score'; "
        "input_format='topic_by_run' reads the outer keys as runs"
    )
    assert "may be {run: {topic: {measure: score}}}" in refused({"a": {"b": {"c": 1}}})
    assert "may be" in refused({"map": {"P_10": 0.5}})


def test_a_dict_of_topics_is_one_run() -> None:
    assert scores({"301": 0.5, "302": 0.25}, EVERYTHING, "bm25") == {
        ("bm25", "score", "301"): 0.5, ("bm25", "score", "302"): 0.25,
    }  # fmt: skip
    assert "has only means over all topics" in refused({"map": 0.5, "P_10": 0.25})


def test_missing_values_in_dicts_are_gaps() -> None:
    for nothing in (float("nan"), None, pd.NA, np.nan):
        data = {"bm25": {"q1": {"map": nothing}, "q2": {"map": 0.5}}}
        (series,) = read_object(data, GAPS)[1].series
        assert (*series.topics, *series.gaps) == ("q2", "q1")
        said = "the dict, run 'bm25', topic 'q1', measure 'map': column 'map' has no score for"
        assert refused(data).startswith(said)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "the dict: is empty"),
        ({"a": {}}, "the dict: ['a'] is empty"),
        ({"a": {"q1": {"map": 1}}, "b": {}}, "the dict: ['b'] is empty"),
        ({"a": {"q1": {"map": "0.5"}}},
         "the dict, run 'a', topic 'q1', measure 'map': the value of 'map' is not a number: "),
        ({"a": {"q1": {"map": float("inf")}}}, "the value of 'map' is not finite: 'inf'"),
        ({"a": {"q1": {"map": 1j}}}, "the value of 'map' is not a number: '1j'"),
        ({"a": {1.5: {"map": 1}}}, "the dict: the key 1.5 in ['a'] is not a name"),
        ({"a": {None: {"map": 1}}}, "the dict: the key None in ['a'] is not a name"),
        ({("a", "b"): {"q1": {"map": 1}}}, "the dict: the key ('a', 'b') is not a name"),
        ({True: {"q1": {"map": 1}}}, "the dict: the key True is not a name"),
        ({"a": {"q1": {"map": 1}}, "b": {"q1": 2}},
         "the dict: there is a value at ['b']['q1'], but a dict at other such places"),
        ({"a": 1, "b": {"q1": 2}},
         "the dict: there is a dict at ['b'], but a value at other such places"),
        ({"a": {"b": {"c": {"d": 1}}}}, "the dict: has more than 3 levels"),
        ({"a": [0.5, 0.25]}, "the dict: there is a list at ['a'], instead of a dict or a number"),
        ({"a": {"q1": {"map": 1}, " q1": {"map": 2}}},
         "a second row for topic 'q1' and 'map' of run 'a'; the first is run 'a', topic 'q1', "),
        ({"a": {"": {"map": 1}}}, "the topic is empty"),
    ],
)  # fmt: skip
def test_faulty_dicts_are_refused_with_the_place(data: object, message: str) -> None:
    assert message in refused(data)


def test_a_dict_of_frames_has_a_run_each() -> None:
    data = {"a": one(0.5, 0.25), "b": pl.DataFrame({"qid": QIDS, "mine": [1.0, 0.0]})}
    assert scores(data) == {
        ("a", "AP", "301"): 0.5, ("a", "AP", "302"): 0.25,
        ("b", "mine", "301"): 1.0, ("b", "mine", "302"): 0.0,
    }  # fmt: skip
    assert refused({"a": LONG.assign(run="x")}) == (
        "the dict: the data under 'a' name runs themselves | give one DataFrame of all runs: "
        "pandas.concat([one, other])"
    )
    rows = {name: pd.DataFrame({"AP": [0.5, 0.25]}) for name in "ab"}
    assert "topics cannot be joined by row number, and 'a' has no other" in refused(rows)
    assert "the key 1 is not the name of a run" in refused({1: one(0.5, 0.25)})


class Run:
    """As ranx has it: see ranx/data_structures/run.py."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)


Run.__module__ = "ranx.data_structures.run"


def test_a_run_of_ranx_has_its_scores_by_measure() -> None:
    run = Run("bm25")
    assert refused(run) == (
        "bm25: has no scores per query | ranx.evaluate(qrels, run, metrics, "
        "save_results_in_run=True) stores them in the run"
    )
    run.scores["ndcg@10"] |= {"x": np.float64(0.5), "y": np.float64(0.25)}
    expected = {("bm25", "ndcg@10", "x"): 0.5, ("bm25", "ndcg@10", "y"): 0.25}
    assert scores(run) == expected
    assert {key[0] for key in scores(run, EVERYTHING, "mine")} == {"mine"}
    assert {key[0] for key in scores({"one": run, "two": run})} == {"one", "two"}
    nameless = Run()
    nameless.scores = run.scores
    assert {key[0] for key in scores(nameless)} == {"run"}


# Arrays


@pytest.mark.parametrize(
    "data", [np.array([[0.5, 0], [0.25, 1]]), [[0.5, 0], [0.25, 1]], ((0.5, False), (0.25, True))]
)
def test_an_array_has_topics_in_rows_and_runs_in_columns(data: Any) -> None:
    expected = {
        ("1", "score", "1"): 0.5, ("1", "score", "2"): 0.25,
        ("2", "score", "1"): 0.0, ("2", "score", "2"): 1.0,
    }  # fmt: skip
    assert scores(data) == expected
    named = Reader(lambda names: names, run_names=["a", "b"], measure_name="AP")
    assert {key[:2] for key in scores(data, named)} == {("a", "AP"), ("b", "AP")}
    assert read_object(data, EVERYTHING)[0] == "tsmatrix"
    few = Reader(lambda names: names, run_names=["a"])
    assert refused(data, few) == "the array: has 2 columns, but --run-names gives 1 name"


def test_a_row_of_numbers_is_one_run() -> None:
    assert scores([0.5, 0.25]) == {("1", "score", "1"): 0.5, ("1", "score", "2"): 0.25}
    assert {key[0] for key in scores(np.array([0.5, 0.25]), EVERYTHING, "bm25")} == {"bm25"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.array(0.5), "the array: has 0 dimensions: [topic, run] or [topic] is needed"),
        (np.zeros((2, 2, 2)), "the array: has 3 dimensions"),
        (np.zeros((0, 2)), "the array: is empty"),
        ([], "the array: is empty"),
        (np.array([0.5, None], dtype=object), "the array: has objects, not scores"),
        (np.array([1j]), "the array: has complex numbers, not scores"),
        (["a"], "the array: has texts, not scores"),
        ([[0.5, np.nan]], "the array, row 0: the value of '2' is not finite: 'nan' | for topics "),
        ([[0.5], [-np.inf]], "the array, row 1: the value of '1' is not finite: '-inf'"),
        (np.ma.array([0.5, 0.25], mask=[False, True]), "the array, row 1: the value of '1' is not"),
        ([[0.5], [0.5, 0.25]], "the array: its rows differ in length"),
        ([{"qid": 1, "AP": 0.5}], "the array: is a list of objects of type 'dict'"),
        ([[301, 0.5], [302, 0.25]], "the array: column 0 may be topics (301 is one) or the scores"),
        ([[0, 1, 2], [0.5, 0.5, 0.1]], "the array: row 0 may be the numbers of the columns"),
    ],
)
def test_faulty_arrays_are_refused(data: object, message: str) -> None:
    assert message in refused(data)


def test_a_column_that_may_be_topics_is_scores_if_told_so() -> None:
    told_so = scores([[301, 0.5], [302, 0.25]], EVERYTHING, "", "tsmatrix")
    assert told_so["1", "score", "1"] == 301.0
