"""Tables with a column that says of which collection a row is: a series for each collection."""

import io
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs import read_content
from confint_cli.inputs.formats import long
from confint_cli.inputs.header import COLLECTION
from confint_cli.inputs.layout import layout_of
from confint_cli.inputs.memory import read_object
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.rows import collect
from confint_cli.inputs.source import Source
from tests.inputs.test_all_formats import EVERYTHING
from tests.inputs.test_memory_tables import csv_of, frames, in_words, outcome, readers
from tests.inputs.test_saved_tables import STEM

Scores = dict[tuple[str | None, str, str | None, str], float]
"""By run (None: the data do not name it), measure, collection and topic."""

UNLABELLED = replace(EVERYTHING, labels=False)
WITH_GAPS = replace(EVERYTHING, gaps=True)


def read(
    data: object, reader: Reader = EVERYTHING, name: str = "AP", input_format: str | None = None
) -> tuple[str, Reading]:
    """Read a text as a CSV, bytes as any file, or a frame."""
    if isinstance(data, str | bytes):
        content = data.encode() if isinstance(data, str) else data
        return read_content(Source(f"{name}.csv", content), reader, input_format)
    return read_object(data, reader, name, input_format)


def scores_of(reading: Reading) -> Scores:
    return {
        (one.run, one.measure, one.labels.collection, topic): value
        for one in reading.series
        for topic, value in zip(one.topics, one.values.tolist(), strict=True)
    }


def scores(data: object, reader: Reader = EVERYTHING) -> Scores:
    return scores_of(read(data, reader)[1])


def collections(data: object, reader: Reader = EVERYTHING) -> list[str | None]:
    return [*dict.fromkeys(one.labels.collection for one in read(data, reader)[1].series)]


def told(data: object, reader: Reader = EVERYTHING) -> list[str]:
    return [notice.text for notice in read(data, reader)[1].notices]


def refused(data: object, reader: Reader = EVERYTHING) -> tuple[str, str]:
    """Return the problem and the hint."""
    with pytest.raises(DataError) as caught:
        read(data, reader)
    return str(caught.value), caught.value.hint


def taken(name: str) -> str:
    return f"column '{name}' is read as collections; --labels none ignores it"


# All kinds of tables, from all sources. Topics 1 and 2 come in both collections.

TABLES = {
    "long": (
        "run,collection,topic,measure,score\n"
        "a,nq,1,AP,0.5\na,nq,2,AP,0.25\na,fiqa,1,AP,0.75\na,fiqa,2,AP,1.0\n"
        "b,nq,1,AP,0.1\nb,nq,2,AP,0.2\nb,fiqa,1,AP,0.3\nb,fiqa,2,AP,0.4\n"
    ),
    "ndeval": (
        "runid,topic,dataset,AP\n"
        "a,1,nq,0.5\na,2,nq,0.25\na,1,fiqa,0.75\na,2,fiqa,1.0\n"
        "b,1,nq,0.1\nb,2,nq,0.2\nb,1,fiqa,0.3\nb,2,fiqa,0.4\n"
    ),
    "topic_by_run": (
        "topic,corpus,a,b\n1,nq,0.5,0.1\n2,nq,0.25,0.2\n1,fiqa,0.75,0.3\n2,fiqa,1.0,0.4\n"
    ),
    "per_query": "task,qid,AP\nnq,1,0.5\nnq,2,0.25\nfiqa,1,0.75\nfiqa,2,1.0\n",
}  # fmt: skip
COLUMN = {"long": "collection", "ndeval": "dataset", "topic_by_run": "corpus", "per_query": "task"}
A: Scores = {("a", "AP", "nq", "1"): 0.5, ("a", "AP", "nq", "2"): 0.25,
             ("a", "AP", "fiqa", "1"): 0.75, ("a", "AP", "fiqa", "2"): 1.0}  # fmt: skip
B: Scores = {("b", "AP", "nq", "1"): 0.1, ("b", "AP", "nq", "2"): 0.2,
             ("b", "AP", "fiqa", "1"): 0.3, ("b", "AP", "fiqa", "2"): 0.4}  # fmt: skip


def frame_of(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


def parquet_of(frame: pd.DataFrame) -> bytes:
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def categories(frame: pd.DataFrame) -> pd.DataFrame:
    texts = [name for name in frame if frame[name].dtype.kind == "O"]
    return frame.astype(dict.fromkeys(texts, "category"))


SAVED: dict[str, Callable[[pd.DataFrame], Any]] = {
    "CSV": lambda frame: frame.to_csv(index=False),
    "TSV": lambda frame: frame.to_csv(index=False, sep="\t"),
    "quoted": lambda frame: frame.to_csv(index=False, quoting=1),
    "pandas": lambda frame: frame,
    "pandas, scores as texts": lambda frame: frame.map(str),
    "pandas, categories": categories,
    "pandas, an index of names": lambda frame: frame.set_index([*frame.columns[:2]]),
    "polars": lambda frame: pl.DataFrame(frame.to_dict("list")),
    "Parquet": parquet_of,
    "JSON": lambda frame: frame.to_json(orient="records"),
    "JSON lines": lambda frame: frame.to_json(orient="records", lines=True),
}


@pytest.mark.parametrize("saved", SAVED)
@pytest.mark.parametrize("kind", TABLES)
def test_scores_are_by_collection(kind: str, saved: str) -> None:
    data = SAVED[saved](frame_of(TABLES[kind]))
    told_kind = kind if saved == "JSON lines" else None  # where columns are rather measures
    found, reading = read(data, input_format=told_kind)
    assert found in (kind, "json", "parquet")
    expected = A if kind == "per_query" else A | B
    if kind == "per_query":
        run = None if isinstance(data, str | bytes) else "AP"
        expected = {(run, *key[1:]): value for key, value in A.items()}
    assert scores_of(reading) == expected
    assert len(reading.series) == len({key[:3] for key in expected})
    assert taken(COLUMN[kind]) in [notice.text for notice in reading.notices]


@pytest.mark.parametrize("saved", SAVED)
def test_topics_of_a_collection_are_in_the_order_of_its_rows(saved: str) -> None:
    text = "topic,dataset,a,b\n2,y,0.1,0.2\n1,x,0.3,0.4\n1,y,0.5,0.6\n3,x,0.7,0.8\n"
    series = read(SAVED[saved](frame_of(text)), input_format="topic_by_run")[1].series
    found = [(one.run, one.labels.collection, [*one.topics], [*one.values]) for one in series]
    assert found == [
        ("a", "y", ["2", "1"], [0.1, 0.5]), ("b", "y", ["2", "1"], [0.2, 0.6]),
        ("a", "x", ["1", "3"], [0.3, 0.7]), ("b", "x", ["1", "3"], [0.4, 0.8]),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
def test_the_user_may_name_the_kind(kind: str) -> None:
    for data in (TABLES[kind], frame_of(TABLES[kind])):
        series = read(data, input_format=kind)[1].series
        assert {one.labels.collection for one in series} == {"nq", "fiqa"}


@pytest.mark.parametrize("saved", ["CSV", "pandas", "JSON lines"])
@pytest.mark.parametrize("kind", TABLES)
def test_without_labels_the_column_is_left_out(kind: str, saved: str) -> None:
    text = TABLES[kind].replace("fiqa,1", "fiqa,3").replace("fiqa,2", "fiqa,4")
    text = text.replace("1,fiqa", "3,fiqa").replace("2,fiqa", "4,fiqa")
    reading = read(SAVED[saved](frame_of(text)), UNLABELLED)[1]
    assert {one.labels.collection for one in reading.series} == {None}
    assert {len(one.topics) for one in reading.series} == {4}
    said = "; ".join(notice.text for notice in reading.notices)
    assert f"column '{COLUMN[kind]}' is left out" in said
    assert "collections" not in said
    problem, _ = refused(SAVED[saved](frame_of(TABLES[kind])), UNLABELLED)
    assert "a second row for topic '1'" in problem


# Which column it is


def test_the_first_of_the_names_wins() -> None:
    for place, name in enumerate(COLLECTION[:-1]):
        for other in COLLECTION[place + 1 :]:
            text = f"qid,{other},{name},AP\n1,u,x,0.5\n2,u,x,0.1\n1,v,y,0.25\n3,v,y,0.5\n"
            assert collections(text) == ["x", "y"]
            assert f"column '{other}' is left out" in told(text)[0]
            assert taken(name) in told(text)


def test_the_other_column_is_named_where_topics_come_twice() -> None:
    rows = "".join(f"{topic},x,{task},0.5\n" for topic in (1, 2) for task in ("u", "v"))
    problem, hint = refused(f"qid,dataset,task,AP\n{rows}")
    assert problem == (
        "AP.csv:3: a second row for topic '1' and 'AP' in collection 'x'; the first is line 2"
    )
    assert hint == "do rows of one topic differ in column 'task'? keep only those that you want"


def test_names_are_known_in_any_case() -> None:
    assert collections("QID,Dataset,AP\n1,x,0.5\n1,y,0.1\n") == ["x", "y"]


def test_a_run_or_a_measure_may_be_called_task() -> None:
    for name in COLLECTION:
        text = f"topic,{name},a\n1,0.5,0.1\n2,0.25,1\n3,1,0\n"
        assert {one.run for one in read(text)[1].series} == {name, "a"}
        assert collections(text) == [None]
        assert collections(frame_of(text)) == [None]
        text = f"run,topic,{name},AP\na,1,0.5,0.1\na,2,0.25,1\n"
        assert read(text)[1].measures == [name, "AP"]
    solved = "topic,task,corpus\n1,1,0\n2,0,0\n3,1,1\n"  # 0 and 1 are scores
    assert [one.run for one in read(solved)[1].series] == ["task", "corpus"]
    blanks = "topic,task,a\n1,0.5,0.1\n2,,1\n3,NA,0\n"
    assert [one.run for one in read(blanks, WITH_GAPS)[1].series] == ["task", "a"]


def test_whole_numbers_are_names_of_collections_where_they_cannot_be_scores() -> None:
    for name in COLLECTION:
        text = f"run,{name},topic,score\na,1,1,0.5\na,1,2,0.5\na,2,1,0.25\n"
        assert collections(text) == ["1", "2"]
    for name in COLLECTION[:2]:
        text = f"topic,{name},a\n1,1,0.5\n2,1,0.5\n1,2,0.25\n"
        assert collections(text) == ["1", "2"]


def test_a_collection_may_be_called_by_a_version() -> None:
    text = "run,collection,topic,measure,score\na,1.1,1,AP,0.5\na,2.1,1,AP,0.25\n"
    assert collections(text) == ["1.1", "2.1"]


def test_a_table_with_no_other_column_of_scores_has_its_scores_there() -> None:
    (series,) = read("topic,dataset\n1,0\n2,1\n3,1\n")[1].series
    assert (series.run, series.labels.collection, series.values.tolist()) == (
        "dataset",
        None,
        [0, 1, 1],
    )


def test_texts_of_which_each_row_has_its_own_are_no_collections() -> None:
    text = "qid,task,AP\n1,add two numbers,0.5\n2,sort a list,0.1\n3,parse a date,1\n"
    assert collections(text) == [None]
    assert "column 'task' is left out" in told(text)[0]
    rows = "".join(f"{topic},task {topic},0.5\n" for topic in range(200))
    assert collections(f"qid,task,AP\n{rows}") == [None]
    again = "".join(f"{topic},task {topic},0.25\n" for topic in range(1000, 1200))
    again = again.replace("task 1", "task ")
    assert len(collections(f"qid,task,AP\n{rows}{again}")) == 300


def test_a_column_of_lists_or_objects_is_none() -> None:
    for value in ({"name": "x"}, ["x"], ("x",), np.array(["x"])):
        frame = pd.DataFrame(
            {"qid": ["1", "2"], "task": [value, value], "AP": [0.5, 0.25]}, dtype=object
        )
        assert collections(frame) == [None]
        assert "column 'task' is left out" in told(frame)[0]
    lines = '{"qid": "1", "task": {"a": 1}, "AP": 0.5}\n{"qid": "2", "task": {"a": 1}, "AP": 0.1}\n'
    assert collections(lines) == [None]
    mixed = pd.DataFrame({"qid": ["1", "2"], "task": ["x", ["x"]], "AP": [0.5, 0.25]})
    problem, hint = refused(mixed)
    assert "column 'task' has lists or other objects, not names" in problem
    assert hint == "--labels none ignores the column"


def test_folds_are_no_collections() -> None:
    assert collections("run,fold,topic,score\na,f1,1,0.5\na,f2,2,0.5\n") == [None]


def test_collections_that_each_come_once_are_topics_where_nothing_else_is() -> None:
    text = "dataset,bm25,splade\nnq,0.5,0.25\nfiqa,0.1,0.2\n"
    assert scores(text) == {
        ("bm25", "AP", None, "nq"): 0.5, ("bm25", "AP", None, "fiqa"): 0.1,
        ("splade", "AP", None, "nq"): 0.25, ("splade", "AP", None, "fiqa"): 0.2,
    }  # fmt: skip


@pytest.mark.parametrize("saved", ["CSV", "pandas", "pandas, scores as texts", "Parquet"])
@pytest.mark.parametrize("columns", [["dataset", "a", "b"], ["a", "b", "dataset"]])
def test_rows_without_topics_are_numbered_through_all_collections(
    columns: list[str], saved: str
) -> None:
    frame = pd.DataFrame({"dataset": ["x", "y", "x"], "a": [0.5, 0.25, 0.75], "b": [0.1, 0.2, 0.3]})
    data = SAVED[saved](frame[columns])
    assert scores(data) == {
        ("a", "AP", "x", "1"): 0.5, ("a", "AP", "y", "2"): 0.25, ("a", "AP", "x", "3"): 0.75,
        ("b", "AP", "x", "1"): 0.1, ("b", "AP", "y", "2"): 0.2, ("b", "AP", "x", "3"): 0.3,
    }  # fmt: skip
    assert "there is no topic column: topics are numbered by row" in told(data)[0]


def test_blank_rows_of_a_frame_are_not_numbered() -> None:
    frame = pd.DataFrame({"dataset": ["x", None, "y", "x"], "AP": [0.5, np.nan, 0.25, 1]})
    assert [(one.labels.collection, [*one.topics]) for one in read(frame)[1].series] == [
        ("x", ["1", "3"]), ("y", ["2"]),
    ]  # fmt: skip


def test_numbers_that_count_the_rows_of_each_collection_may_be_no_topics() -> None:
    text = ",dataset,AP,P_10\n0,x,0.5,0.1\n1,x,0.25,0.2\n0,y,0.5,0.3\n1,y,0.125,0.4\n"
    assert read(text)[1].counted
    assert read(text.replace("\n1,y", "\n2,y"))[1].counted is False
    assert read(text.replace("\n0,y", "\n2,y").replace("\n1,y", "\n3,y"))[1].counted


# One collection


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_single_collection_is_known_and_not_told(kind: str, saved: str) -> None:
    lines = [line for line in TABLES[kind].splitlines(keepends=True) if "fiqa" not in line]
    reading = read(SAVED[saved](frame_of("".join(lines))))[1]
    assert {one.labels.collection for one in reading.series} == {"nq"}
    said = "; ".join(notice.text for notice in reading.notices)
    assert COLUMN[kind] not in said


@pytest.mark.filterwarnings("ignore")  # of pandas, about the frames that are made here
@settings(max_examples=100)
@given(frames(), readers(), st.sampled_from(COLLECTION[:2]), st.data())
def test_a_single_collection_changes_nothing(
    frame: pd.DataFrame, reader: Reader, name: str, data: st.DataObject
) -> None:
    """Same series, measures and checks as without the column; so for the CSV."""
    is_blank = frame.isna().all(axis=1).tolist()
    is_plain = isinstance(frame.index, pd.RangeIndex)
    cells = ["x" if not blank or not is_plain else None for blank in is_blank]
    place = data.draw(st.integers(0, len(frame.columns)))
    labelled = frame.copy()
    labelled.insert(place, name, pd.Series(cells, index=frame.index, dtype=object))

    def plain(result: tuple[object, ...]) -> object:
        if len(result) == 2:  # an error
            problem, hint = result
            return str(problem).replace(" in collection 'x'", ""), hint
        kind, series, measures, _, flags = result
        return kind, series, measures, flags

    def of(table: object, reader: Reader) -> tuple[object, ...]:
        try:
            kind, reading = read(table, reader, STEM)
        except DataError as error:
            return in_words(str(error)), error.hint
        assert {one.labels.collection for one in reading.series} <= {"x" if reader.labels else None}
        assert taken(name) not in [notice.text for notice in reading.notices]
        return outcome(kind, reading)

    without = replace(reader, labels=False)
    assert plain(of(labelled, reader)) == plain(of(labelled, without))
    text = csv_of(labelled)
    assert plain(of(text, reader)) == plain(of(text, without))


# Names that are empty


@pytest.mark.parametrize("saved", [one for one in SAVED if one != "pandas, scores as texts"])
@pytest.mark.parametrize("kind", TABLES)
def test_an_empty_collection_is_an_error(kind: str, saved: str) -> None:
    frame = frame_of(TABLES[kind])
    frame[COLUMN[kind]] = frame[COLUMN[kind]].astype(object).where(frame.index != 2, None)
    problem, hint = refused(SAVED[saved](frame))
    assert problem.endswith("the collection is empty")
    assert hint == "--labels none ignores the column of collections"
    if saved == "CSV":
        assert problem == "AP.csv:4: the collection is empty"
    if saved == "pandas":
        assert problem == "AP, row 2 (df.iloc[2]): the collection is empty"


def test_an_empty_collection_far_down_is_an_error() -> None:
    rows = "".join(f"{topic},x,0.5\n" for topic in range(100))
    assert refused(f"qid,task,AP\n{rows}100,,0.5\n")[0] == "AP.csv:102: the collection is empty"
    blank = "".join(f"{topic},,0.5\n" for topic in range(100))
    assert refused(f"qid,dataset,AP\n{blank}100,x,0.5\n")[0] == "AP.csv:2: the collection is empty"


def test_a_topic_that_is_empty_too_is_told_first() -> None:
    assert refused("qid,dataset,AP\n1,x,0.5\n,,0.5\n")[0] == "AP.csv:3: the topic is empty"
    frame = pd.DataFrame({"qid": ["1", None], "dataset": ["x", None], "AP": [0.5, 0.25]})
    assert refused(frame)[0].endswith("the topic is empty")
    text = "topic,dataset,a,b\n1,x,0.5,0.1\n,,0.5,0.1\n"
    assert refused(text)[0] == "AP.csv:3: the topic is empty"


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_column_with_nothing_in_it_is_left_out(kind: str, saved: str) -> None:
    frame = frame_of(TABLES[kind])
    frame = frame[frame[COLUMN[kind]] == "nq"].reset_index(drop=True)
    frame[COLUMN[kind]] = pd.Series([None] * len(frame), dtype=object)
    data = SAVED[saved](frame)
    assert collections(data) == [None]
    kept = A if kind == "per_query" else A | B
    assert sorted(scores(data).values()) == sorted(
        value for (_, _, collection, _), value in kept.items() if collection == "nq"
    )


def test_the_next_name_counts_if_the_first_has_nothing_in_it() -> None:
    text = "qid,collection,task,AP\n1,,x,0.5\n1,,y,0.5\n2,,y,0.5\n"
    assert collections(text) == ["x", "y"]


# Means, and topics that come twice


@pytest.mark.parametrize("saved", SAVED)
@pytest.mark.parametrize("kind", ["topic_by_run", "per_query"])
def test_each_collection_has_its_mean(kind: str, saved: str) -> None:
    text = (
        "topic,dataset,a,b\n1,nq,0.5,0.1\n2,nq,0.25,0.2\nmean,nq,0.375,0.15\n"
        "1,fiqa,0.75,0.3\n2,fiqa,1.0,0.4\nall,fiqa,0.875,0.35\n3,scifact,0.5,0.5\n"
    )
    series = read(SAVED[saved](frame_of(text)), input_format=kind)[1].series
    names = [one.run if kind == "topic_by_run" else one.measure for one in series]
    found = {
        (name, one.labels.collection): (one.summary, [*one.topics])
        for name, one in zip(names, series, strict=True)
    }
    assert found == {
        ("a", "nq"): ("0.375", ["1", "2"]), ("b", "nq"): ("0.15", ["1", "2"]),
        ("a", "fiqa"): ("0.875", ["1", "2"]), ("b", "fiqa"): ("0.35", ["1", "2"]),
        ("a", "scifact"): (None, ["3"]), ("b", "scifact"): (None, ["3"]),
    }  # fmt: skip


LONG_MEANS = (
    "run,collection,topic,measure,score\n"
    "a,nq,1,AP,0.5\na,nq,all,AP,0.5\na,fiqa,1,AP,0.75\na,fiqa,all,AP,0.25\n"
)


@pytest.mark.parametrize("saved", ["CSV", "quoted", "pandas", "pandas, scores as texts"])
def test_means_of_long_tables_are_by_collection(saved: str) -> None:
    series = read(SAVED[saved](frame_of(LONG_MEANS)))[1].series
    assert [(one.labels.collection, one.summary, [*one.topics]) for one in series] == [
        ("nq", "0.5", ["1"]), ("fiqa", "0.25", ["1"]),
    ]  # fmt: skip


@pytest.mark.parametrize("saved", ["CSV", "pandas", "pandas, scores as texts"])
def test_a_second_mean_in_a_collection_is_an_error(saved: str) -> None:
    frame = pd.concat([frame_of(LONG_MEANS), frame_of(LONG_MEANS).iloc[[3]]], ignore_index=True)
    problem, _ = refused(SAVED[saved](frame))
    assert problem.endswith("a second row for 'all' and 'AP' in collection 'fiqa'")
    wide = frame_of("topic,dataset,a,b\n1,x,0.5,0.1\nall,x,0.5,0.1\n1,y,1,1\nall,x,0.5,0.1\n")
    problem, _ = refused(SAVED[saved](wide))
    assert problem.endswith("a second row for 'all' and 'AP' in collection 'x'")


def test_a_collection_of_nothing_but_means_is_left_out() -> None:
    text = "run,dataset,topic,score\na,x,1,0.5\na,y,1,0.25\na,macro,all,0.375\n"
    assert collections(text) == ["x", "y"]
    assert collections(frame_of(text)) == ["x", "y"]
    text = "topic,dataset,a,b\n1,x,0.5,0.1\n1,y,0.25,0.5\nall,macro,0.375,0.3\n"
    assert collections(text) == ["x", "y"]
    assert collections(frame_of(text)) == ["x", "y"]


@pytest.mark.parametrize("saved", ["CSV", "pandas", "pandas, scores as texts", "Parquet"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_topic_that_comes_twice_in_a_collection_is_an_error(kind: str, saved: str) -> None:
    frame = frame_of(TABLES[kind])
    twice = pd.concat([frame, frame.iloc[[3]]], ignore_index=True)
    problem, _ = refused(SAVED[saved](twice))
    of_run = "" if kind == "per_query" else " of run 'a'"
    assert f"a second row for topic '2' and 'AP'{of_run} in collection 'fiqa'; the first" in problem


def test_rows_of_other_statistics_are_known_in_each_collection() -> None:
    text = "topic,dataset,a,b\n1,x,0.5,0.1\nsd,x,0.5,0.1\nsd,y,1,1\nmax,y,0.5,0.1\nwho,y,1,1\n"
    for data in (text, frame_of(text)):
        topics = {one.labels.collection: [*one.topics] for one in read(data)[1].series}
        assert topics == {"x": ["1"], "y": ["sd", "max", "who"]}


# Blanks, and what is said of them


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet"])
def test_blanks_are_gaps_of_their_collection(saved: str) -> None:
    text = "topic,dataset,a,b\n1,x,0.5,\n2,x,0.25,0.5\n1,y,0.5,0.25\n2,y,,0.5\n"
    series = read(SAVED[saved](frame_of(text)), WITH_GAPS)[1].series
    gaps = {(one.run, one.labels.collection): [*one.gaps] for one in series}
    assert gaps == {("a", "x"): [], ("b", "x"): ["1"], ("a", "y"): ["2"], ("b", "y"): []}


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet"])
def test_a_run_without_scores_in_a_collection_is_told(saved: str) -> None:
    data = SAVED[saved](frame_of("topic,dataset,a,b\n1,x,0.5,\n2,x,0.25,\n1,y,0.5,0.25\n"))
    assert "left out, as there is no score at all: b in collection 'x'" in told(data, WITH_GAPS)
    assert len(read(data, WITH_GAPS)[1].series) == 3


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet"])
def test_values_beyond_one_are_asked_about_once_a_run(saved: str) -> None:
    text = "topic,dataset,a,ms\n1,x,0.5,120\n2,x,0.25,80\n1,y,0.5,95\n"
    said = [one for one in told(SAVED[saved](frame_of(text))) if "above 1" in one]
    assert said == [
        "all values of column ms are above 1, those of others are from 0 to 1: are these scores "
        "of runs?"
    ]
    mixed = text.replace("95", "0.5")
    assert not [one for one in told(SAVED[saved](frame_of(mixed))) if "above 1" in one]


# The fast way, row by row, and by whole columns


names = st.sampled_from(["a", "b", "bm25 k=0.9", "été", "num_ret", "n" * 60])
labels = st.sampled_from(["nq", "fiqa", "trec-covid", "1", "2.5", "a", "b"])
topics = st.sampled_from(["1", "2", "301", "q-7", "all"])
values = st.sampled_from(["0.0000", "0.1234", "1", "7e-04", "-0.5"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """Long tables; the row of the mean of a series is the last one, as tools write it."""
    delimiter = draw(st.sampled_from(["\t", ",", ";"]))
    columns = draw(st.permutations(["run", "collection", "topic", "measure", "score"]))
    keys = st.tuples(names, labels, topics, names)
    rows = draw(st.dictionaries(keys, values, min_size=1, max_size=40))
    lines = [delimiter.join(columns)]
    for run, collection, topic, measure in sorted(rows, key=lambda key: key[2] == "all"):
        cells = {"run": run, "collection": collection, "topic": topic, "measure": measure,
                 "score": rows[run, collection, topic, measure]}  # fmt: skip
        lines.append(delimiter.join(cells[column] for column in columns))
    return ("\n".join(lines) + "\n").encode()


def in_full(reading: Reading) -> object:
    return reading.measures, [
        (one.run, one.labels, one.measure, [*one.topics], one.values.tolist(), one.summary,
         one.rounding)
        for one in reading.series
    ]  # fmt: skip


@given(tables())
def test_the_fast_way_reads_what_the_slow_way_reads(data: bytes) -> None:
    source = Source("x.tsv", data)
    layout = layout_of(source, EVERYTHING, "long")
    assert layout.header.cells[layout.collection or 0] == "collection"
    fast = long._read_regular(source, layout, "x", EVERYTHING)
    slow = list(long._rows(layout, "x"))
    if all(measure == "num_ret" or topic == "all" for _, _, measure, topic, _ in slow):
        assert fast is None
        return
    assert fast is not None
    assert in_full(fast) == in_full(collect(source, slow, EVERYTHING, long.rules_of(layout)))
    header, *rows = data.decode().splitlines()
    delimiter = next(one for one in "\t,;" if one in header)
    columns = header.split(delimiter)
    cells = [dict(zip(columns, row.split(delimiter), strict=True)) for row in rows]
    assert scores_of(fast) == {
        (one["run"], one["measure"], one["collection"], one["topic"]): float(one["score"])
        for one in cells
        if one["topic"] != "all" and one["measure"] != "num_ret"
    }


def test_what_confint_writes_is_read_by_the_fast_way() -> None:
    source = Source("x.tsv", TABLES["long"].replace(",", "\t").encode())
    fast = long._read_regular(source, layout_of(source, EVERYTHING, "long"), "x", EVERYTHING)
    assert fast is not None
    assert scores_of(fast) == A | B


def test_runs_share_the_topics_of_a_collection() -> None:
    """So that joining them is fast, and takes little memory."""
    for data in (TABLES["long"], frame_of(TABLES["long"])):
        first: dict[str | None, int] = {}
        for one in read(data)[1].series:
            assert first.setdefault(one.labels.collection, id(one.topics)) == id(one.topics)


def test_names_with_blanks_around_them_and_quoted_names() -> None:
    text = "run,collection,topic,score\na, x ,1,0.5\na,x,2,0.5\n"
    (series,) = read(text)[1].series
    assert (series.labels.collection, [*series.topics]) == ("x", ["1", "2"])
    quoted = 'run,collection,topic,score\na,"x, y",1,0.5\na,"say ""z""",1,0.5\n'
    assert collections(quoted) == ["x, y", 'say "z"']
    guarded = "run,collection,topic,score\na,'=x,1,0.5\na,'-y,1,0.5\na,'ok,1,0.5\n"
    assert collections(guarded) == ["=x", "-y", "'ok"]
    assert refused("run,collection,topic,score\na,x,1,0.5\na, ,1,0.5\n")[0] == (
        "AP.csv:3: the collection is empty"
    )


def test_a_run_of_ndeval_may_have_commas_in_it() -> None:
    plain = "".join(f"b,{topic},{one},0.5\n" for topic in (1, 2) for one in ("x", "y"))
    text = f"runid,topic,dataset,AP\n{plain}a(1, 2),1,x,0.5\na(1, 2),1,y,0.25\n"
    found = {key: value for key, value in scores(text).items() if key[0] != "b"}
    assert found == {("a(1, 2)", "AP", "x", "1"): 0.5, ("a(1, 2)", "AP", "y", "1"): 0.25}


@st.composite
def labelled_frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables of any kind, once for each of some collections, maybe with a name that is empty."""
    frame = draw(frames())
    label = st.sampled_from(["nq", "fiqa", "trec covid", "all"])
    chosen = draw(st.lists(label, min_size=1, max_size=3, unique=draw(st.integers(0, 5)) > 0))
    parts = []
    for one in chosen:
        part = frame.copy()
        part.insert(0, "label", one)
        parts.append(part)
    table = pd.concat(parts, ignore_index=isinstance(frame.index, pd.RangeIndex))
    if draw(st.booleans()):
        table = table.iloc[draw(st.permutations(range(len(table))))]
    cells = table["label"].tolist()
    if draw(st.integers(0, 3)) == 0:
        row = draw(st.integers(0, len(cells) - 1))
        cells[row] = draw(st.sampled_from(["nq", "other", None, ""]))
    table = table.drop(columns="label")
    name = draw(st.sampled_from([*COLLECTION, "Dataset"]))
    place = draw(st.integers(0, len(table.columns)))
    column = pd.Series(cells, index=table.index, dtype=object)
    table.insert(place, name, column)
    if draw(st.integers(0, 3)) == 0:
        table[name] = table[name].astype("category")
    return table


def by_collection(kind: str, reading: Reading) -> tuple[object, ...]:
    return outcome(kind, reading), [one.labels.collection for one in reading.series]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=250)
@given(labelled_frames(), st.one_of(st.just(EVERYTHING), st.just(WITH_GAPS), readers()))
def test_a_frame_with_collections_is_read_as_its_csv(frame: pd.DataFrame, reader: Reader) -> None:
    def of(data: object) -> object:
        try:
            return by_collection(*read(data, reader, STEM))
        except DataError as error:
            is_without = str(error).endswith("has no per-topic scores")
            return in_words(str(error)), "" if is_without else error.hint

    assert of(frame) == of(csv_of(frame))


def test_whole_columns_are_read_without_a_loop_over_rows() -> None:
    """Half a million rows of twenty collections: some tenths of a second, not many seconds."""
    runs, parts, size = 5, 20, 5_000
    topics = np.tile(np.arange(size), runs * parts)
    frame = pd.DataFrame({
        "run": np.repeat([f"run{one}" for one in range(runs)], parts * size),
        "collection": np.tile(np.repeat([f"part{one}" for one in range(parts)], size), runs),
        "topic": topics,
        "score": np.random.default_rng(1).random(topics.size),
    })  # fmt: skip
    start = time.perf_counter()
    _, reading = read(frame)
    assert time.perf_counter() - start < 5
    assert len(reading.series) == runs * parts
    assert {len(one.topics) for one in reading.series} == {size}
