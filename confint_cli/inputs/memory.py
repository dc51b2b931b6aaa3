"""Scores that are in memory already: a DataFrame, a dict, an array, a Run of ranx.

A DataFrame is read as a CSV of it would be, an array as a matrix without names.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError, note
from confint_cli.common.text import count, quoted, rounding_of
from confint_cli.inputs.formats import format_named
from confint_cli.inputs.formats.tsmatrix import column_of_ids, counts_columns
from confint_cli.inputs.frame_tables import BY_ROWS, read_frame
from confint_cli.inputs.frames import frame_of, library_of, text_of
from confint_cli.inputs.layout import BY_RUN, PER_QUERY
from confint_cli.inputs.matrix import NumberedTopics
from confint_cli.inputs.nested import read_nested
from confint_cli.inputs.origin import MEASURE, RUN, Memory
from confint_cli.inputs.reading import Reader, Reading, Series
from confint_cli.inputs.rows import bad_value, check_number_of_series

MATRIX = "tsmatrix"
"""The format that an array is read as."""

TAKEN = (
    "confint takes a DataFrame of pandas or polars, a dict {run: {topic: {measure: value}}}, an "
    "array [topic, run], or a Run of ranx"
)
"""What `read_object` takes, in words."""

_HEAD = 20  # rows of an array that show whether a column may be topics
_ARRAYS_OF = {"O": "objects", "c": "complex numbers", "U": "texts", "S": "bytes", "M": "dates",
              "T": "texts", "m": "durations", "V": "records"}  # fmt: skip


def read_object(
    data: object, reader: Reader, name: str = "", input_format: str | None = None
) -> tuple[str, Reading]:
    """Return the name of the format that data in memory are read as, and the scores they hold.

    `name` is what messages call the data, and the name of a run or a measure that has none in the
    data; without it these are called `run` and `score`. All series have a run. `input_format` is
    `long`, `ndeval`, `per_query`, `topic_by_run` or `tsmatrix`, as for a file; None: the content
    shows it.
    """
    if input_format is not None:
        format_named(input_format)
        reader = replace(reader, is_told=True)
    kind, reading = _read(data, reader, name, input_format)
    series = [each if each.run is not None else replace(each, run=name or RUN)
              for each in reading.series]  # fmt: skip
    return kind, replace(reading, series=series)


def _read(
    data: object, reader: Reader, name: str, input_format: str | None
) -> tuple[str, Reading]:  # fmt: skip
    if library_of(data):
        _check_format(name or "the DataFrame", "a DataFrame", input_format, BY_ROWS)
        with _what_its_library_cannot_do(name or "the DataFrame"):
            frame = frame_of(data, name)
            return read_frame(frame, frame.origin(name), reader, input_format)
    if library_of(data, "LazyFrame"):
        raise DataError(name or "the LazyFrame", "has no data yet", "give it as df.collect()")
    if library := library_of(data, "Series"):
        hint = "give a DataFrame: series.reset_index()" if library == "pandas" else ""
        hint = hint or "give a DataFrame: series.to_frame()"
        raise DataError(name or "the Series", "has no columns for topics and scores", hint)
    if _is_ranx_run(data):
        return PER_QUERY, _read_ranx_run(data, reader, name)
    if isinstance(data, Mapping):
        _check_format(name or "the dict", "a dict", input_format, BY_ROWS)
        if data and all(library_of(value, "Series") == "pandas" for value in data.values()):
            data = {run: dict(series.items()) for run, series in data.items()}
        if data and all(_holds_one_run(value) for value in data.values()):
            return _read_each(data, reader, name, input_format)
        return read_nested(data, reader, Memory(name, "the dict", 0), input_format)
    if isinstance(data, np.ndarray | list | tuple):
        _check_format(name or "the array", "an array", input_format, (MATRIX,))
        return MATRIX, _read_array(data, reader, name)
    kind = type(data).__name__
    raise DataError(name, f"there are no scores in data of type {quoted(kind)}", TAKEN)


def _check_format(name: str, data: str, input_format: str | None, formats: Any) -> None:
    """Raise an error for the name of a format that these data cannot have."""
    if input_format is not None and input_format not in formats:
        problem = f"{data} cannot be read as {input_format}"
        raise DataError(name, problem, f"choose one of: {', '.join(formats)}")


# DataFrames


@contextmanager
def _what_its_library_cannot_do(name: str) -> Iterator[None]:
    """Raise a DataError for an error of pandas, polars or pyarrow, such as of a rare type."""
    try:
        yield
    except Exception as error:
        library = type(error).__module__.partition(".")[0]
        if library not in ("pandas", "polars", "pyarrow"):
            raise
        first_line = str(error).partition("\n")[0]
        hint = "use texts and numbers of the usual types"
        raise DataError(
            name, f"{library} cannot read it: {quoted(first_line, 200)}", hint
        ) from None


# A dict of DataFrames or Runs


def _holds_one_run(value: object) -> bool:
    return bool(library_of(value)) or _is_ranx_run(value)


def _read_each(
    data: Mapping[Any, object], reader: Reader, name: str, input_format: str | None
) -> tuple[str, Reading]:
    """Return the scores of several runs, each in a DataFrame or Run of its own, by its key."""
    readings: list[Reading] = []
    where = name or "the dict"
    for key, value in data.items():
        if not isinstance(key, str) or not key:
            raise DataError(
                where, f"the key {key!r} is not the name of a run", "it has to be a text"
            )
        of_one_run = replace(reader, named_runs=(key,))  # so columns are measures
        kind, reading = read_object(value, of_one_run, key, input_format)
        if kind == BY_RUN or any(series.run != key for series in reading.series):
            raise DataError(
                where,
                f"the data under {quoted(key)} name runs themselves",
                "give one DataFrame of all runs: pandas.concat([one, other])",
            )
        readings.append(reading)
    counted = [key for key, one in zip(data, readings, strict=True) if one.counted]
    if counted and len(readings) > 1:
        raise DataError(
            where,
            f"topics cannot be joined by row number, and {quoted(counted[0])} has no other topics",
            "give it a column 'topic'",
        )
    measures = dict.fromkeys(measure for one in readings for measure in one.measures)
    return PER_QUERY, Reading(
        where,
        [series for one in readings for series in one.series],
        [*measures],
        notices=[notice for one in readings for notice in one.notices],
        counted=bool(counted),
    )


# Runs of ranx


def _is_ranx_run(data: object) -> bool:
    return any(
        one.__name__ == "Run" and one.__module__.partition(".")[0] == "ranx"
        for one in type(data).__mro__
    )


def _read_ranx_run(run: Any, reader: Reader, name: str) -> Reading:
    """Return the scores that ranx saved in a run: {measure: {topic: value}}."""
    called = name or run.name or ""
    if not run.scores:
        raise DataError(
            called or "the Run",
            "has no scores per query",
            "ranx.evaluate(qrels, run, metrics, save_results_in_run=True) stores them in the run",
        )
    _, reading = read_nested(
        run.scores, reader, Memory(called, "the dict", 0), roles=("measure", "topic")
    )
    series = [replace(each, run=called or RUN) for each in reading.series]
    return replace(reading, series=series)


# Arrays


def _read_array(data: Any, reader: Reader, name: str) -> Reading:
    """Return the scores of an array [topic, run] or [topic], whose topics are numbered."""
    origin = Memory(name, "the array", 8 * np.size(data) if isinstance(data, np.ndarray) else 0)
    values = _matrix(data, origin)
    topics, runs = values.shape
    origin = replace(origin, size=8 * values.size)
    check_number_of_series(origin, runs)
    measure = reader.measure_name or MEASURE
    names = reader.run_names
    if names is not None and len(names) != runs:
        problem = f"has {count(runs, 'column')}, but --run-names gives {count(len(names), 'name')}"
        raise DataError(origin.name, problem)
    if names is None:
        names = [str(number) for number in range(1, runs + 1)]
        if np.ndim(data) == 1 and name:
            names = [name]
    if measure not in reader.choose([measure]):
        return Reading(origin.path, [], [measure])
    is_bad = ~np.isfinite(values)
    if is_bad.any():
        row, place = divmod(int(is_bad.argmax()), runs)
        shown = str(values[row, place])
        hint = "for topics without a score, use a DataFrame or a dict" if shown == "nan" else ""
        error = bad_value(origin, row, names[place], shown, "is not finite")
        raise DataError("", str(error), hint)
    if not reader.is_told:
        _check_are_scores(values, origin)
    columns: FloatArray = np.ascontiguousarray(values.T, dtype=np.float64)
    numbered = NumberedTopics(topics)
    series = [
        Series(run, measure, numbered, column, rounding=rounding_of(text_of(first)))
        for run, column, first in zip(names, columns, values[0], strict=True)
    ]
    turned = [] if runs <= topics or reader.run_names is not None else [
        note(f"{runs} columns are read as runs, and {count(topics, 'row')} as topics", origin.name)
    ]  # fmt: skip
    return Reading(origin.path, series, [measure], notices=turned)


def _matrix(data: Any, origin: Memory) -> Any:
    """Return an array or lists as numbers [topic, run], in their own type."""
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(np.float64), np.nan)
    try:
        values = np.asarray(data)
    except ValueError:
        problem = "its rows differ in length" if _are_rows(data) else "is not an array of numbers"
        raise DataError(origin.name, problem, TAKEN) from None
    if isinstance(data, list | tuple) and values.dtype.kind == "O":
        held = {type(one).__name__ for one in data}
        if held & {"dict", "DataFrame", "Series", "Run"}:
            problem = f"is a list of objects of type {quoted(sorted(held)[0])}"
            hint = (
                "turn dicts into a table: pandas.DataFrame(data); give several runs as {run: data}"
            )
            raise DataError(origin.name, problem, hint)
    if values.dtype.kind in _ARRAYS_OF:
        raise DataError(origin.name, f"has {_ARRAYS_OF[values.dtype.kind]}, not scores")
    if values.ndim not in (1, 2):
        problem = f"has {count(values.ndim, 'dimension')}: [topic, run] or [topic] is needed"
        raise DataError(origin.name, problem)
    if not values.size:
        raise DataError(origin.name, "is empty")
    return values[:, None] if values.ndim == 1 else values


def _are_rows(data: Sequence[object]) -> bool:
    return all(isinstance(row, list | tuple | np.ndarray) for row in data)


def _check_are_scores(values: Any, origin: Memory) -> None:
    """Raise an error for a column that may be topics, or a first row of numbers of columns."""
    head = values[:_HEAD].astype(np.float64)
    columns = head.T.tolist()
    place = column_of_ids(columns)
    settle = "input_format='tsmatrix' reads it as scores"
    if place is not None:
        raise DataError(
            origin.name,
            f"column {place} may be topics ({text_of(values[0, place], is_id=True)} is one) or the "
            "scores of a run",
            f"for topics, use a DataFrame with a column 'topic'; {settle}",
        )
    if len(head) > 1 and counts_columns(columns):
        raise DataError(
            origin.name,
            "row 0 may be the numbers of the columns, or the scores of a topic",
            f"remove it if it does not hold scores; {settle}",
        )
