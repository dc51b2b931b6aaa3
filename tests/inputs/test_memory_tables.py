"""Random DataFrames: they are read as the CSV is that pandas writes of them."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs import find_format
from confint_cli.inputs.formats import formats
from confint_cli.inputs.memory import read_object
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.source import Source
from tests.inputs.test_saved_tables import STEM, TOPIC_NAMES, long, shuffled, wide

Outcome = tuple[object, ...]

KINDS = ("long", "ndeval", "per_query", "topic_by_run")


@st.composite
def readers(draw: st.DrawFn) -> Reader:
    chosen = draw(st.sampled_from([(), ("AP",), ("saved",), ("P_10", "AP")]))
    return Reader(
        lambda names: [name for name in names if not chosen or name in chosen],
        requested=chosen,
        measure_name=draw(st.sampled_from([None, "mine"])),
        named_runs=draw(st.sampled_from([(), ("bm25",), ("saved",)])),
        gaps=draw(st.booleans()),
    )


def in_words(text: str) -> str:
    """Return a message without what frames and files call by different words."""
    text = re.sub(r"^saved(\.csv(:\d+)?|, row \d+ \(df[^)]*\))?: ", "", text)
    text = re.sub(r"the first is (line|row) [^;]*", "the first is there", text)
    text = text.replace("column '1, which has no name'", "the index")
    text = text.replace("'1, which has no name'", "'the index'")
    text = text.replace("column 1, which has no name,", "the index")
    # Every frame has an index: of one without a name, it is a detail that a file's would not be.
    return re.sub(r"(; )?row numbers are left out: [^;]*(?(1)|(; )?)", "", text)


def outcome(kind: str, reading: Reading) -> Outcome:
    series = [
        (each.run or STEM, each.measure, [*each.topics], each.values.tolist(), each.summary,
         each.rounding, [*each.gaps])
        for each in reading.series
    ]  # fmt: skip
    said = [(notice.level, in_words(notice.text)) for notice in reading.notices]
    notices = [(level, text) for level, text in said if text]
    flags = (reading.counted, reading.lacks_summary)
    return kind, series, [*reading.measures], notices, flags


def of_frame(frame: Any, reader: Reader, input_format: str | None = None) -> Outcome:
    try:
        return outcome(*read_object(frame, reader, STEM, input_format))
    except DataError as error:
        is_without = str(error).endswith("has no per-topic scores")  # a frame says what it has
        return in_words(str(error)), "" if is_without else error.hint


def of_text(text: str, reader: Reader) -> Outcome:
    source = Source(f"{STEM}.csv", text.encode())
    try:
        kind = find_format(source, reader)
        return outcome(kind, formats()[kind].read(source, reader))
    except DataError as error:
        return in_words(str(error)), error.hint


def csv_of(frame: pd.DataFrame) -> str:
    """Return what pandas writes; with ids as whole numbers, of which a blank made floats."""
    plain = frame.index
    if isinstance(plain, pd.RangeIndex) and plain.name is None and plain.start == 0:
        text: str = with_ids(frame).to_csv(index=False)
        return text
    names = [name or "" for name in plain.names]
    levels = plain.to_frame(name=range(len(names)))
    table = pd.concat([levels, frame], axis=1)
    table.columns = pd.Index([*names, *frame.columns], dtype=object)
    written: str = with_ids(table).to_csv(index=False)
    return written


def with_ids(frame: pd.DataFrame) -> pd.DataFrame:
    columns = []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place].reset_index(drop=True)
        if name in (*TOPIC_NAMES, "") and column.dtype.kind == "f":
            column = column.astype("Int64")
        columns.append(column)
    return pd.concat(columns, axis=1, keys=frame.columns)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """A table of scores, maybe with rows of means, gaps, repeated topics, texts, an index."""
    frame = draw(draw(st.sampled_from([wide, long]))()).frame
    names = [*frame.columns]
    topic = next(name for name in names if name in TOPIC_NAMES)
    if draw(st.booleans()) and all(value.isdecimal() for value in frame[topic]):
        frame[topic] = frame[topic].astype(draw(st.sampled_from(["int64", "Int64"])))
    else:
        for row in draw(st.sets(st.integers(0, len(frame) - 1), max_size=2)):
            frame.loc[row, topic] = draw(
                st.sampled_from(["all", "mean", "AMEAN", "total", "sd", None, " 7 ", "2"])
            )
    for name in names:
        if frame[name].dtype.kind == "f" and draw(st.integers(0, 5)) == 0:
            row = draw(st.integers(0, len(frame) - 1))
            frame.loc[row, name] = draw(st.sampled_from([np.nan, np.inf, -np.inf, 5.0]))
        if frame[name].dtype.kind == "f" and draw(st.integers(0, 5)) == 0:
            kind = draw(st.sampled_from(["Float64", "object", "texts"]))
            frame[name] = frame[name].map(repr) if kind == "texts" else frame[name].astype(kind)
        elif frame[name].dtype.kind == "O" and draw(st.integers(0, 3)) == 0:
            frame[name] = frame[name].astype(
                draw(st.sampled_from(["category", "string", "object"]))
            )
    if draw(st.integers(0, 4)) == 0:
        frame.loc[len(frame)] = [None] * len(names)
    if draw(st.integers(0, 4)) == 0:
        frame.insert(0, "x", range(len(frame)))
    if draw(st.booleans()):
        frame = shuffled(draw, frame)
    if draw(st.integers(0, 3)) == 0:
        frame = frame.set_index(topic)
        frame = frame.rename_axis(None) if draw(st.booleans()) else frame
    elif draw(st.integers(0, 5)) == 0:
        frame = frame.set_index(draw(st.lists(st.sampled_from(names), min_size=2, max_size=2,
                                              unique=True)))  # fmt: skip
    return frame


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of pandas, about the frames that are made here
@settings(max_examples=250)
@given(frames(), readers())
def test_a_frame_is_read_as_its_csv(frame: pd.DataFrame, reader: Reader) -> None:
    assert of_frame(frame, reader) == of_text(csv_of(frame), reader)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=100)
@given(frames(), readers())
def test_a_frame_is_read_as_told(frame: pd.DataFrame, reader: Reader) -> None:
    """Each of the formats that a table may be told to be gives what the file gives."""
    for kind in KINDS:
        source = Source(f"{STEM}.csv", csv_of(frame).encode())
        try:
            told = replace(reader, is_told=True)
            expected = outcome(kind, formats()[kind].read(source, told))
        except DataError as error:
            expected = (in_words(str(error)), error.hint)
        assert of_frame(frame, reader, kind) == expected


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=100)
@given(frames(), readers(), st.booleans())
def test_a_frame_of_polars_is_read_as_one_of_pandas(
    frame: pd.DataFrame, reader: Reader, categories: bool
) -> None:
    if not isinstance(frame.index, pd.RangeIndex) or frame.index.start:
        frame = frame.reset_index(drop=frame.index.names == [None])
    columns = {}
    for name in frame.columns:
        values = [None if value is None or value is pd.NA or value != value else value
                  for value in frame[name].tolist()]  # fmt: skip
        columns[name] = pl.Series(values, strict=False)
        if categories and columns[name].dtype == pl.String:
            columns[name] = columns[name].cast(pl.Categorical)
    table = pl.DataFrame(columns)
    expected = of_frame(pd.DataFrame({n: c.to_list() for n, c in columns.items()}), reader)
    assert of_frame(table, reader) == expected
