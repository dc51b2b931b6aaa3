"""JSON in one piece: objects in objects, as pytrec_eval and ranx leave them, or a table."""

from collections.abc import Sequence
from typing import Any

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.json_text import WHOLE, decoded_whole, json_kind
from confint_cli.inputs.nested import read_nested
from confint_cli.inputs.origin import FileRows
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.records import (
    frame_of_columns,
    frame_of_records,
    read_records,
    rows_by_index,
    rows_of_pandas,
    table_of,
)
from confint_cli.inputs.source import Source


def sniff(head: Head) -> bool:
    """Say whether the file is JSON, but not one object per line."""
    return json_kind(head) == WHOLE


def read(source: Source, reader: Reader) -> Reading:
    """Read the value that is the whole file."""
    value = decoded_whole(source)
    origin = FileRows(source)
    if isinstance(value, list):
        return _read_list(value, source, reader)
    if not isinstance(value, dict):
        raise DataError(source.name, f"is JSON that holds only {quoted(str(value))}")
    if "rows" in value:
        if not isinstance(value["rows"], list):
            raise DataError(source.name, 'is not a valid JSON table: its "rows" are not a list')
        return _read_list(value["rows"], source, reader)
    if isinstance(value.get("data"), list) and {"schema", "columns"} & value.keys():
        return _read_list(rows_of_pandas(value), source, reader)
    if (rows := rows_by_index(value)) is not None:
        return _read_list(rows, source, reader)
    columns = table_of(value)
    if columns is not None:
        return read_records(frame_of_columns(columns), origin, reader)
    return read_nested(value, reader, origin, reader.kind)[1]


def _read_list(rows: Sequence[Any], source: Source, reader: Reader) -> Reading:
    """Read a list of objects, one per row."""
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            kind = "a list" if isinstance(row, list) else quoted(str(row))
            problem = f"is {kind}, but each row of a JSON list has to be an object"
            raise DataError(f"{source.name}, row {number}", problem)
    if not rows:
        raise DataError(source.name, "has no per-topic scores: it is an empty list")
    return read_records(frame_of_records([rows]), FileRows(source), reader)


FORMAT = Format(
    summary="JSON of pytrec_eval, BEIR, ranx, pandas, and of confint --format json",
    explanation="""\
JSON in one piece may be objects in objects, or a table. These objects are read:

- {topic: {measure: value}}, as pytrec_eval and BEIR's evaluator give it; the run gets the name of
  the file
- {measure: {topic: value}}, as ranx gives it
- {run: {topic: {measure: value}}} and {run: {topic: value}}
- {topic: value}

The names of measures, ids, and runs that options name show which level holds the topics. Where they
do not show it, you get an error with both readings.

A table has one of these forms:

- a list of objects, one per row, as pandas writes with orient="records"
- an object with a list, or with an index, for each column
- an object whose "rows" are the rows, as confint writes with --format json

Its columns are those of a table in CSV. --input-format long, ndeval, per_query or topic_by_run says
which kind of table it is.

Values are numbers: a number in quotes is a text. A key that comes twice in an object is an error. A
run or judgements, {topic: {document: number}}, are for --qrels.""",
    example='{"301": {"map": 0.0324, "P_10": 0.3}, "302": {"map": 0.4175, "P_10": 0.6}}\n',
    sniff=sniff,
    read=read,
    names_measures=False,
    holds_tables=True,
)
