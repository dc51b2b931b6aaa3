"""Parquet and Arrow as pandas, polars and pyarrow write them: any table, to the last bit."""

import datetime
import gzip
import io
import subprocess
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs import arrow, read_content, read_scores
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.source import Source
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING
from tests.inputs.test_saved_tables import SHAPES, STEM, WITH_GAPS, Scores, shuffled

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")


def read(
    content: bytes, kind: str | None = None, reader: Reader = EVERYTHING, name: str = "x"
) -> tuple[str, Reading]:
    return read_content(Source(name, content), reader, kind)


def scores(content: bytes, kind: str | None = None, reader: Reader = EVERYTHING) -> Scores:
    """Return every score by run, measure and topic."""
    return {
        (series.run, series.measure, topic): value
        for series in read(content, kind, reader)[1].series
        for topic, value in zip(series.topics, series.values.tolist(), strict=True)
    }


def told(content: bytes) -> list[str]:
    return [notice.text for notice in read(content)[1].notices]


def refused(content: bytes, kind: str | None = None) -> str:
    """Return the problem and the hint, one line each."""
    with pytest.raises(DataError) as caught:
        read(content, kind)
    assert "\n" not in f"{caught.value}{caught.value.hint}"
    return f"{caught.value} | {caught.value.hint}".removesuffix(" | ")


def bytes_of(write: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def in_batches(table: Any, new: Callable[..., Any], rows: int = 2) -> bytes:
    """Return an Arrow file or stream of batches of a few rows."""

    def write(buffer: io.BytesIO) -> None:
        with new(buffer, table.schema) as writer:
            writer.write_table(table, rows)

    return bytes_of(write)


def as_polars(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(frame.to_dict("list"))


def as_arrow(frame: pd.DataFrame) -> Any:
    return pa.table(frame.to_dict("list"))


WRITTEN: dict[str, Callable[[pd.DataFrame], bytes]] = {
    "pandas, Parquet": lambda frame: bytes_of(frame.to_parquet),
    "pandas, Parquet with index": lambda frame: bytes_of(lambda to: frame.to_parquet(to, index=1)),
    "pandas, Parquet of gzip": lambda frame: bytes_of(
        lambda to: frame.to_parquet(to, compression="gzip")
    ),
    "pandas, Feather": lambda frame: bytes_of(frame.reset_index(drop=True).to_feather),
    "polars, Parquet": lambda frame: bytes_of(as_polars(frame).write_parquet),
    "polars, Arrow": lambda frame: bytes_of(as_polars(frame).write_ipc),
    "polars, Arrow stream": lambda frame: bytes_of(as_polars(frame).write_ipc_stream),
    "pyarrow, row groups": lambda frame: bytes_of(
        lambda to: pq.write_table(as_arrow(frame), to, row_group_size=2)
    ),
    "pyarrow, Arrow batches": lambda frame: in_batches(as_arrow(frame), pa.ipc.new_file),
    "pyarrow, stream of batches": lambda frame: in_batches(as_arrow(frame), pa.ipc.new_stream),
}
THREE = ("polars, Parquet", "pyarrow, Arrow batches", "pyarrow, stream of batches")


def stored(columns: Any) -> list[bytes]:
    """Return a table of pyarrow's types as Parquet, as an Arrow file, and as a stream."""
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    return [
        bytes_of(lambda to: pq.write_table(table, to)),
        in_batches(table, pa.ipc.new_file),
        in_batches(table, pa.ipc.new_stream),
    ]


# What is read


WIDE = pd.DataFrame(
    {"qid": [302, 301, 303], "AP": [0.1 + 0.2, 0.25, 1.0], "P@10": [0.1, 0, 5e-324]}
)
WIDE_SCORES: Scores = {
    (None, "AP", "302"): 0.1 + 0.2, (None, "AP", "301"): 0.25, (None, "AP", "303"): 1.0,
    (None, "P@10", "302"): 0.1, (None, "P@10", "301"): 0.0, (None, "P@10", "303"): 5e-324,
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
BY_RUN = LONG.pivot_table(index="qid", columns="name", values="value").reset_index()
TABLES: dict[str, tuple[pd.DataFrame, Scores]] = {
    "a column a measure": (WIDE, WIDE_SCORES),
    "rows that were sorted": (WIDE.sort_values("AP"), WIDE_SCORES),
    "a row a score": (LONG, LONG_SCORES),
    "a row a run and topic": (
        LONG.drop(columns="measure").rename(columns={"value": "AP"}), LONG_SCORES),
    "a column a run": (
        BY_RUN, {(run, "x", topic): value for (run, _, topic), value in LONG_SCORES.items()}),
}  # fmt: skip


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_read_however_it_is_stored(table: str, way: str) -> None:
    frame, expected = TABLES[table]
    content = WRITTEN[way](frame)
    assert read(content)[0] == "parquet"
    assert scores(content) == expected


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", ["pandas, Parquet", *THREE])
def test_random_tables_come_back_by_topic(way: str, shape: str) -> None:
    @settings(max_examples=25)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        table = data.draw(SHAPES[shape]())
        frame = data.draw(st.composite(lambda draw: shuffled(draw, table.frame))())
        found = read(WRITTEN[way](frame), None, WITH_GAPS, STEM)[1]
        assert {
            (one.run, one.measure, topic): value
            for one in found.series
            for topic, value in zip(one.topics, one.values.tolist(), strict=True)
        } == table.scores

    check()


INDEXED = WIDE.set_index("qid")


@pytest.mark.parametrize(
    "frame",
    [
        INDEXED,
        INDEXED.rename_axis(None),  # as pandas.DataFrame(run.scores) has it
        INDEXED.rename_axis(None).set_axis(["302", "301", "303"]),
        INDEXED.rename_axis(None).set_axis([302.0, 301.0, 303.0]),
        INDEXED.sort_index().set_axis(pd.RangeIndex(301, 304, name="qid")),
        INDEXED.sort_index().set_axis(pd.RangeIndex(301, 304)),
    ],
    ids=["named", "whole", "text", "float", "range", "unnamed range"],
)
def test_topics_may_be_the_index_of_a_frame(frame: pd.DataFrame) -> None:
    assert scores(bytes_of(frame.to_parquet)) == WIDE_SCORES


def test_topics_of_an_index_are_no_row_numbers_where_columns_are_runs() -> None:
    """The same runs, of other topics: joined by row number they would be compared."""
    for topics in (["q2", "q1"], ["302", "301"], [302, 301]):
        frame = pd.DataFrame({"bm25": [0.5, 0.25], "dense": [0.125, 1.0]}, index=topics)
        assert scores(bytes_of(frame.to_parquet)) == {
            ("bm25", "x", str(topics[0])): 0.5, ("bm25", "x", str(topics[1])): 0.25,
            ("dense", "x", str(topics[0])): 0.125, ("dense", "x", str(topics[1])): 1.0,
        }  # fmt: skip


def test_an_index_of_runs_and_topics() -> None:
    frame = LONG.rename(columns={"value": "AP"}).set_index(["name", "qid"])[["AP"]]
    assert scores(bytes_of(frame.to_parquet)) == LONG_SCORES


def test_row_numbers_are_left_out_and_never_joined(tmp_path: Path, confint: Confint) -> None:
    frame = WIDE.drop(columns="qid")
    for index in (frame.index, [2, 0, 1]):
        paths = [tmp_path / f"{name}.parquet" for name in ("one", "two")]
        for path in paths:
            frame.set_axis(index).to_parquet(path)
        result = confint("score", *paths)
        assert (result.status, result.out) == (1, "")
        assert "topics cannot be joined by row number" in result.err


def test_frames_in_different_orders_are_compared_by_topic(tmp_path: Path, confint: Confint) -> None:
    """The fault of a false p-value: tables sorted by score, with row numbers."""
    one = pd.DataFrame({"qid": range(301, 331), "AP": np.linspace(0.1, 0.9, 30) % 0.37})
    other = one.assign(AP=one["AP"] + 0.01)
    for name, frame in (("a", one), ("b", other)):
        frame.sample(frac=1, random_state=len(frame) + ord(name)).to_parquet(tmp_path / name)
    result = confint("compare", tmp_path / "a", tmp_path / "b", "--baseline", "a", "-f", "json")
    assert result.status == 0, result.err
    assert '"wins": 30' in result.out
    assert '"topics": 30' in result.out


TOPICS = ["301", "302"]
DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]
SAME: dict[str, dict[str, Any]] = {
    "whole topics": {"qid": [301, 302], "AP": [0.5, 0.25]},
    "topics in floats": {"qid": [301.0, 302.0], "AP": [0.5, 0.25]},
    "large strings": {"qid": pa.array(TOPICS, pa.large_string()), "AP": [0.5, 0.25]},
    "a dictionary": {"qid": pa.array(TOPICS).dictionary_encode(), "AP": [0.5, 0.25]},
    "a dictionary of scores": {"qid": TOPICS, "AP": pa.array([0.5, 0.25]).dictionary_encode()},
    "single precision": {"qid": TOPICS, "AP": pa.array([0.5, 0.25], pa.float32())},
    "half precision": {"qid": TOPICS, "AP": pa.array(np.array([0.5, 0.25], np.float16))},
    "decimals": {"qid": TOPICS, "AP": [Decimal("0.50"), Decimal("0.25")]},
    "texts": {"qid": TOPICS, "AP": ["0.5", "0.25"]},
    "blanks around names": {" qid ": ["301 ", " 302"], "AP ": [0.5, 0.25]},
    "lists": {"qid": TOPICS, "AP": [0.5, 0.25], "contexts": [["a"], []]},
    "objects": {"qid": TOPICS, "AP": [0.5, 0.25], "more": [{"x": 1}, {"x": 2}]},
    "dates": {"qid": TOPICS, "AP": [0.5, 0.25], "day": DAYS},
    "times": {"qid": TOPICS, "AP": [0.5, 0.25], "at": pa.array([1, 2], pa.timestamp("ns"))},
    "bytes": {"qid": TOPICS, "AP": [0.5, 0.25], "raw": [b"\0", b"\xff"]},
    "questions": {"qid": TOPICS, "AP": [0.5, 0.25], "question": ["who?", "why?"]},
    "a mean": {"qid": [*TOPICS, "all"], "AP": [0.5, 0.25, 0.375]},
}  # fmt: skip


@pytest.mark.parametrize("case", SAME)
def test_scores_and_topics_may_be_of_many_types(case: str) -> None:
    for content in stored(SAME[case]):
        assert scores(content) == {(None, "AP", "301"): 0.5, (None, "AP", "302"): 0.25}


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["302", "x", "301"])])
def test_categories_of_polars_and_pandas(kind: Any) -> None:
    frame = pl.DataFrame({"name": ["a", "b"] * 2, "qid": ["301", "301", "302", "302"],
                          "AP": [0.5, 0.25, 1.0, 0.0]})  # fmt: skip
    expected = {("a", "AP", "301"): 0.5, ("b", "AP", "301"): 0.25,
                ("a", "AP", "302"): 1.0, ("b", "AP", "302"): 0.0}  # fmt: skip
    typed = frame.cast({"qid": kind, "name": pl.Categorical})
    for write in (typed.write_parquet, typed.write_ipc, typed.write_ipc_stream):
        assert scores(bytes_of(write)) == expected
    categories = pd.DataFrame(frame.to_dict(as_series=False)).astype(
        {"qid": "category", "name": "category"}
    )
    assert scores(bytes_of(categories.to_parquet)) == expected


def test_true_and_false_are_one_and_zero() -> None:
    for content in stored({"qid": TOPICS, "success_1": [True, False]}):
        assert [*scores(content).values()] == [1.0, 0.0]


def test_ids_of_any_size_stay_what_they_are() -> None:
    for kind, ids in ((pa.int64(), [2**53 + 1, 2**53]), (pa.uint64(), [2**63 + 1, 5])):
        for content in stored({"qid": pa.array(ids, kind), "AP": [0.5, 0.25]}):
            assert [topic for _, _, topic in scores(content)] == [*map(str, ids)]


def test_what_is_left_out_is_told() -> None:
    for content in stored({"qid": TOPICS, "AP": [0.5, 0.25], "contexts": [["a"], []]}):
        assert told(content) == ["column 'contexts' is left out"]


def test_a_table_of_thousands_of_runs_takes_no_minutes() -> None:
    """Each column is looked at once; when each was looked at for all others, it took two."""
    frame = pd.DataFrame({"qid": TOPICS} | {f"run{number}": [0.5, 0.25] for number in range(2000)})
    content = bytes_of(frame.to_parquet)
    start = time.process_time()
    assert len(scores(content)) == 4000
    assert time.process_time() - start < 10


# How files are called, packed and given


def test_the_file_names_run_or_measure_without_its_ending(tmp_path: Path, confint: Confint) -> None:
    for ending in ("parquet", "feather", "arrow", "ipc"):
        path = tmp_path / f"bm25.{ending}"
        path.write_bytes(WRITTEN["pandas, Feather"](WIDE))
        result = confint("score", path)
        assert {row[0] for row in result.rows} == {"bm25"}
        assert result.err == ""
        path = tmp_path / f"nDCG@10.{ending}"
        path.write_bytes(WRITTEN["pandas, Feather"](BY_RUN))
        result = confint("score", path)
        assert {row[2] for row in result.rows} == {"nDCG@10"}
        assert result.err == ""  # a file that is called by a measure has runs in its columns


@pytest.mark.parametrize("way", THREE)
def test_standard_input_and_gzip(way: str, tmp_path: Path, confint: Confint) -> None:
    content = WRITTEN[way](LONG)
    path = tmp_path / "x"
    path.write_bytes(content)
    expected = confint("score", path)
    assert len(expected.rows) == 4
    assert confint("score", "-", stdin=content).out == expected.out
    assert confint("score", "-", stdin=gzip.compress(content)).out == expected.out
    path.write_bytes(gzip.compress(content))
    assert confint("score", path).out == expected.out
    copy = tmp_path / "copy.json"
    assert confint("score", path, "-o", copy).status == 0
    assert confint("score", copy).out == expected.out


def test_the_parquet_of_today(data: Path) -> None:
    kind, reading = read_scores(str(data / "formats-today" / "long.parquet"), EVERYTHING)
    assert kind == "parquet"
    means = {(one.run, one.measure): round(float(one.values.mean()), 4) for one in reading.series}
    assert len(means) == 9
    assert means["hybrid", "AP"] == 0.3531
    assert means["bm25", "nDCG@10"] == 0.3371
    assert {len(one.topics) for one in reading.series} == {50}


FORCED: dict[tuple[str, str], set[tuple[str | None, str]] | str] = {
    ("a column a run", "per_query"): {(None, "bm25"), (None, "dense")},
    ("a column a run", "topic_by_run"): {("bm25", "x"), ("dense", "x")},
    ("a column a run", "long"): "x: is not a table with columns for topic, score, and run or",
    ("a column a run", "ndeval"): "x: is not a table with columns for run and topic, and one",
    ("a column a measure", "topic_by_run"): {("AP", "x"), ("P@10", "x")},
    ("a row a score", "long"): {("bm25", "AP"), ("dense", "AP")},
    ("a row a run and topic", "ndeval"): {("bm25", "AP"), ("dense", "AP")},
    ("a row a run and topic", "long"): "x: is not a table with columns for topic, score, and run",
    ("a row a score", "parquet"): {("bm25", "AP"), ("dense", "AP")},
    ("a row a score", "trec_eval"): "x: is parquet, and cannot be read as trec_eval",
    ("a row a score", "json"): "x: is parquet, and cannot be read as json",
    ("a row a score", "tsmatrix"): "x: is parquet, and cannot be read as tsmatrix",
}


@pytest.mark.parametrize(("table", "kind"), FORCED)
def test_the_user_may_name_the_kind(table: str, kind: str) -> None:
    expected = FORCED[table, kind]
    for way in THREE:
        content = WRITTEN[way](TABLES[table][0])
        if isinstance(expected, str):
            assert refused(content, kind).startswith(expected)
        else:
            assert {key[:2] for key in scores(content, kind)} == expected


def test_a_text_is_no_parquet() -> None:
    said = "x: is neither a Parquet nor an Arrow file"
    assert refused(b"qid,AP\n301,0.5\n", "parquet") == said


# What is refused


MISSING = " | --missing zero scores such topics 0, --missing drop leaves them out for all runs"
REFUSED: dict[str, tuple[Any, str]] = {
    "null": (
        {"qid": TOPICS, "AP": [0.5, None]},
        "x, row 1: column 'AP' has no score for topic '302'"
        + MISSING),
    "null among whole numbers": (
        {"qid": TOPICS, "AP": [None, 1]},
        "x, row 0: column 'AP' has no score for topic '301'"
        + MISSING),
    "NaN": (
        {"qid": TOPICS, "AP": [0.5, float("nan")]},
        "x, row 1: column 'AP' has no score for topic '302'"
        + MISSING),
    "infinite": (
        {"qid": TOPICS, "AP": [0.5, float("-inf")]},
        "x, row 1: the value of 'AP' is not finite: '-inf'"),
    "a text": (
        {"qid": TOPICS, "AP": ["0.5", "oops"]},
        "x, row 1: the value of 'AP' is not a number: 'oops'"),
    "no topic": ({"qid": ["301", None], "AP": [0.5, 0.25]}, "x, row 1: the topic is empty"),
    "a topic twice": (
        {"qid": ["301", "301"], "AP": [0.5, 0.25]},
        "x, row 1: a second row for topic '301' and 'AP'; the first is row 0 | several runs in one "
        "table need a column that names them, such as 'run'"),
    "lists": (
        {"qid": TOPICS, "AP": [[0.5], [0.25]]},
        "x: has no per-topic scores | column 'AP' holds lists"),
    "lists for values": (
        {"qid": TOPICS, "measure": ["AP", "AP"], "value": [[0.5], [0.25]]},
        "x: column 'value' has lists, not scores"),
    "objects": (
        {"qid": TOPICS, "AP": [{"x": 0.5}, {"x": 0.25}]},
        "x: has no per-topic scores | column 'AP' holds objects"),
    "dates": (
        {"qid": TOPICS, "AP": DAYS}, "x: has no per-topic scores | column 'AP' holds dates"),
    "dates for values": (
        {"qid": TOPICS, "measure": ["AP", "AP"], "value": DAYS},
        "x: column 'value' has dates, not scores"),
    "durations": (
        {"qid": TOPICS, "AP": pa.array([1, 2], pa.duration("s"))},
        "x: has no per-topic scores | column 'AP' holds durations"),
    "bytes": (
        {"qid": TOPICS, "AP": [b"0.5", b"0.25"]},
        "x: has no per-topic scores | column 'AP' holds bytes"),
    "topics of lists": (
        {"qid": [["301"], ["302"]], "AP": [0.5, 0.25]},
        "x: column 'qid' has lists or other objects, not names"),
    "topics of bytes": (
        {"qid": [b"301", b"302"], "AP": [0.5, 0.25]}, "x: column 'qid' has bytes, not names"),
    "documents": (
        {"q_id": TOPICS, "doc_id": ["a", "b"], "score": [1.5, 0.5]},
        "x: has a column of documents: it holds a run or judgements, not per-topic scores | to "
        "score runs, give the judgements as --qrels FILE and the runs as FILES"),
    "two columns of a name": (
        pa.table([TOPICS, [0.5, 0.25], [1.0, 0.0]], ["qid", "AP", "AP"]),
        "x: two columns are named 'AP'"),
    "no rows": ({"qid": pa.array([], pa.string()), "AP": pa.array([], pa.float64())},
                "x: has no rows"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_of_scores_is_refused(case: str) -> None:
    columns, message = REFUSED[case]
    for content in stored(columns):
        assert refused(content) == message


def test_a_table_of_nothing_is_refused() -> None:
    for columns in ({}, {"AP": [[0.5], [0.25]]}):
        for content in stored(columns):
            assert refused(content).startswith("x: has no ")


@pytest.mark.parametrize("way", [*THREE, "pandas, Feather"])
def test_a_file_that_is_cut_anywhere_is_told_so(way: str) -> None:
    content = WRITTEN[way](LONG)
    for end in (*range(8, len(content) - 8, 37), len(content) - 9, len(content) - 1):
        if way == "pyarrow, stream of batches" and end == len(content) - 9:
            continue  # its mark of the end alone is missing: see below
        said = refused(content[:end])
        assert said.startswith("x: "), end
        told = ("cannot be read by pyarrow: ", "x: has no rows", "was it cut short?")
        assert any(words in said for words in told)


def test_a_stream_that_is_cut_between_batches_is_not_read_as_if_whole() -> None:
    """Writers put a mark at the end: without it, rows are missing."""
    table = pa.table({"qid": [f"q{number}" for number in range(30)], "AP": [0.5] * 30})
    buffer, ends = io.BytesIO(), []
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=10):
            writer.write_batch(batch)
            ends.append(buffer.tell())
    whole = buffer.getvalue()
    assert len(scores(whole)) == 30
    for end in ends[:-1]:
        assert "cut short" in refused(whole[:end])


def test_a_damaged_file_does_not_end_the_process(tmp_path: Path) -> None:
    """pyarrow believes what a file says of its texts, unless it is told to check."""
    content = bytearray(in_batches(pa.table({"qid": ["q301", "q302"], "AP": [0.5, 0.25]}),
                                   pa.ipc.new_stream))  # fmt: skip
    offsets = np.array([0, 4, 8], np.int32).tobytes()
    assert content.count(offsets) == 1
    place = content.index(offsets)
    content[place : place + 12] = np.array([0, 2**30, 2**31 - 1], np.int32).tobytes()
    path = tmp_path / "x.arrow"
    path.write_bytes(content)
    call = [sys.executable, "-m", "confint_cli", "score", str(path)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"confint: {path}: cannot be read by pyarrow: ")
    assert done.stderr.count("\n") == 1


# Limits


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
def test_a_claim_of_a_billion_rows_in_five_hundred_bytes_is_refused(new: Any) -> None:
    table = pa.table({"qid": pa.nulls(10**9), "AP": pa.nulls(10**9)})
    content = in_batches(table, new, 10**9)
    assert len(content) < 500
    assert refused(content) == (
        "x: has 1000000000 rows and 2 columns; confint reads up to 100000 columns and 400 million "
        "cells | save only the columns that you need, or save several files"
    )


def test_rows_of_parquet_are_counted_before_any_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"qid": pa.nulls(10**6), "AP": pa.nulls(10**6)})
    content = bytes_of(lambda to: pq.write_table(table, to))
    monkeypatch.setattr(arrow, "MOST_CELLS", 10**6)
    monkeypatch.setattr(pq, "ParquetFile", None)
    said = (
        "x: has 1000000 rows and 2 columns; confint reads up to 100000 columns and 1 million cells "
        "| save only the"
    )
    assert refused(content).startswith(said)


def test_columns_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "MOST_COLUMNS", 2)
    for content in stored({"qid": TOPICS, "AP": [0.5, 0.25], "P@10": [0.5, 0.25]}):
        assert "x: has 2 rows and 3 columns; " in refused(content)


def test_a_file_that_unpacks_to_much_more_than_its_size_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrow, "ALWAYS_UNPACKED", 1000)
    table = pa.table({"qid": pa.array(range(300_000)), "AP": pa.repeat(0.5, 300_000)})
    content = bytes_of(lambda to: pq.write_table(
        table, to, compression="zstd", use_dictionary=False, column_encoding={
            "qid": "DELTA_BINARY_PACKED", "AP": "PLAIN"}))  # fmt: skip
    assert "bytes, more than 200 times its size" in refused(content)


# The library


def test_without_pyarrow_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    content = WRITTEN["polars, Parquet"](WIDE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert refused(content) == (
        "x: is a Parquet or Arrow file, and pyarrow is not installed | pip install "
        "'confint-cli[parquet]'"
    )


@pytest.mark.parametrize("version", ["13.0.0", "14.0.0", "9.0", "14.0.0.dev12"])
def test_a_pyarrow_that_may_run_code_is_not_used(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = WRITTEN["polars, Parquet"](WIDE)
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(__version__=version))
    assert refused(content) == (
        f"x: pyarrow {version} may run code from a file, so confint does not use it | pip install "
        "'confint-cli[parquet]'"
    )


def test_pyarrow_is_not_imported_for_other_files(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("qid,AP\n301,0.5\n302,0.25\n")
    script = (
        "import sys; from confint_cli.app.cli import run; status = run(['score', 'x.csv']); "
        "assert 'pyarrow' not in sys.modules; sys.exit(status)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize(
    "words", [("score", "--topics"), ("score", "--run-names"), ("standardize", "--factors")]
)
def test_a_table_where_text_is_needed_is_told_so(
    words: tuple[str, str], tmp_path: Path, confint: Confint
) -> None:
    path, matrix = tmp_path / "x.parquet", tmp_path / "m.tsmatrix"
    WIDE.to_parquet(path)
    matrix.write_text("0.5 0.25\n0.75 0.5\n")
    result = confint(*words, path, matrix)
    assert (result.status, result.out) == (1, "")
    assert f"{path}: is parquet, but has to be a text file" in result.err
