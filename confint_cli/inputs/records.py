"""Tables that JSON holds: objects as rows, lists as columns, columns by an index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

from confint_cli.common.errors import DataError
from confint_cli.common.text import listed, quoted
from confint_cli.inputs.columns import is_name_of_topics
from confint_cli.inputs.frame_tables import read_frame
from confint_cli.inputs.frames import Frame, FrameColumn, check_names_differ
from confint_cli.inputs.lists import CodedColumn, ListColumn, NumberColumn
from confint_cli.inputs.origin import FileRows
from confint_cli.inputs.reading import Reader, Reading

_MOST_COLUMNS = 1000  # of which one should be called as topics are
_LARGEST_EXACT = 1 << 53  # a whole number that a float may not hold
_A_LIST: list[object] = []  # stands for every list, and
_AN_OBJECT: dict[str, object] = {}  # this one for every object: nothing in them is looked at


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of objects that are rows; None where a row lacks a column."""
    names = dict.fromkeys(rows[0])
    if {*map(len, rows)} == {len(names)}:
        try:
            return {name: [*map(itemgetter(name), rows)] for name in names}
        except KeyError:
            pass  # rows are as long, but have other names
    for row in rows:
        names |= dict.fromkeys(row)
    return {name: [row.get(name) for row in rows] for name in names}


def frame_of_records(pieces: Iterable[Sequence[Mapping[str, Any]]]) -> Frame:
    """Return the table of objects that are rows, of which some are given at a time."""
    columns: dict[str, _Growing] = {}
    length = 0
    for rows in pieces:
        cells_of = columns_of(rows)
        for name, cells in cells_of.items():
            if name not in columns:
                before = [(_BLANKS, length)] if length else []
                columns[name] = _Growing(name.strip(), before)
            columns[name].add(cells)
        for name in columns.keys() - cells_of.keys():
            columns[name].pieces.append((_BLANKS, len(rows)))
        length += len(rows)
    return Frame([column.whole() for column in columns.values()], length, "")


def frame_of_columns(columns: Mapping[str, Sequence[Any]]) -> Frame:
    """Return the table of columns of one length."""
    lists = [ListColumn(name.strip(), _flat(cells)) for name, cells in columns.items()]
    return Frame(lists, len(lists[0].values), "")


def read_records(frame: Frame, origin: FileRows, reader: Reader) -> Reading:
    """Return the scores in a table of rows that were objects, whose values are exact."""
    if not frame.columns:
        raise DataError(origin.name, "has no per-topic scores: its objects are empty")
    check_names_differ(frame, origin.name)
    if not any(is_name_of_topics(name) for name in frame.names):
        names = listed([quoted(name) for name in frame.names], 6)
        raise DataError(
            origin.name,
            "has no field for the topic, such as 'qid' or 'query_id': are these means?",
            f"its fields are {names}",
        )
    _, reading = read_frame(frame, origin, reader, reader.kind)
    return replace(reading, series=[replace(each, rounding=0.0) for each in reading.series])


_BLANKS, _CODES, _NUMBERS, _VALUES = "blanks", "codes", "numbers", "values"


@dataclass(frozen=True)
class _Growing:
    """A column to which rows are added: numbers as such, texts by their codes, to save memory."""

    name: str
    pieces: list[tuple[str, Any]]  # blanks: how many; codes, numbers: an array; values: a list
    place_of: dict[str, int] = field(default_factory=dict)  # codes of the texts

    def add(self, cells: Sequence[Any]) -> None:
        """Add cells, None for those without a value."""
        types = {*map(type, cells)}
        has_gaps = type(None) in types
        types -= {type(None)}
        if not types:
            self.pieces.append((_BLANKS, len(cells)))
        elif types == {str}:
            for text in dict.fromkeys(cells):
                if text is not None:
                    self.place_of.setdefault(text, len(self.place_of))
            codes = (self.place_of.get(text, -1) for text in cells) if has_gaps else map(
                self.place_of.__getitem__, cells
            )  # fmt: skip
            self.pieces.append((_CODES, np.fromiter(codes, np.int32, len(cells))))
        elif types <= {int, bool, float}:
            is_kept = float not in types or all(
                -_LARGEST_EXACT < cell < _LARGEST_EXACT for cell in cells if type(cell) is int
            )
            if is_kept and float not in types:
                present = [cell for cell in cells if cell is not None]
                is_kept = min(present) > -_LARGEST_EXACT and max(present) < _LARGEST_EXACT
            filled = [np.nan if cell is None else cell for cell in cells] if has_gaps else cells
            self.pieces.append(
                (_NUMBERS, np.array(filled)) if is_kept else (_VALUES, _flat(cells))
            )  # ids of any length stay what they are
        else:
            self.pieces.append((_VALUES, _flat(cells)))

    def whole(self) -> FrameColumn:
        """Return the column."""
        kinds = {kind for kind, _ in self.pieces} - {_BLANKS}
        if kinds == {_CODES}:
            codes = [np.full(one, -1, np.int32) if kind == _BLANKS else one
                     for kind, one in self.pieces]  # fmt: skip
            return CodedColumn(self.name, np.concatenate(codes), [*self.place_of])
        if kinds == {_NUMBERS}:
            numbers = [np.full(one, np.nan) if kind == _BLANKS else one
                       for kind, one in self.pieces]  # fmt: skip
            return NumberColumn(self.name, np.concatenate(numbers))
        values = [*self._values()]
        has_numbers = any(type(one) is float for one in values)
        return ListColumn(self.name, values, quotes_texts=has_numbers)

    def _values(self) -> Iterator[Any]:
        texts = [*self.place_of, None]
        for kind, piece in self.pieces:
            if kind == _BLANKS:
                yield from (None for _ in range(piece))
            elif kind == _CODES:
                yield from (texts[code] for code in piece.tolist())
            else:
                yield from piece if kind == _VALUES else piece.tolist()


def _flat(cells: Sequence[Any]) -> list[Any]:
    """Return cells with an empty list for every list, and an empty object for every object."""
    stand_ins: dict[type, Any] = {list: _A_LIST, dict: _AN_OBJECT}
    return [stand_ins.get(type(cell), cell) for cell in cells]


def table_of(value: Mapping[str, Any]) -> Mapping[str, Sequence[Any]] | None:
    """Return the columns of a table that is saved by columns, or None for other objects."""
    return value if _has_lists(value) else _table_by_index(value)


def rows_of_pandas(value: Mapping[str, Any]) -> Sequence[Any]:
    """Return the rows of a table as pandas writes it with orient="table" or "split"."""
    rows: Sequence[Any] = value["data"]
    names = value.get("columns")
    if not isinstance(names, list):
        return rows
    return [dict(zip(map(str, names), row, strict=False)) if isinstance(row, list) else row
            for row in rows]  # fmt: skip


def _has_lists(value: Mapping[str, Any]) -> bool:
    """Say whether an object has a list for each column, all of one length."""
    columns = [*value.values()]
    return (
        bool(columns)
        and all(isinstance(one, list) for one in columns)
        and len({*map(len, columns)}) == 1
        and len(columns[0]) > 0
    )


def _table_by_index(value: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """Return the columns of a table as pandas writes it by default: {column: {index: cell}}.

    None for other objects: a column is to be called as topics are, and all are to have one index.
    """
    if not any(is_name_of_topics(name) for name in islice(value, _MOST_COLUMNS)):
        return None
    columns = [*value.values()]
    if not all(isinstance(one, dict) and one for one in columns):
        return None
    if any(one.keys() != columns[0].keys() for one in columns):
        return None
    topics = next(column for name, column in value.items() if is_name_of_topics(name))
    if any(isinstance(topic, float) and not topic.is_integer() for topic in topics.values()):
        return None  # a run that is called `query`
    return {name: [column[row] for row in columns[0]] for name, column in value.items()}


def rows_by_index(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of a table as pandas writes it with orient="index": {index: {column: cell}}.

    None for other objects: each row is to have a field that is called as topics are.
    """
    rows = [*value.values()]
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None
    names = [name for name in islice(rows[0], _MOST_COLUMNS) if is_name_of_topics(name)]
    is_table = any(all(isinstance(row.get(name), str | int) for row in rows) for name in names)
    return rows if is_table else None
