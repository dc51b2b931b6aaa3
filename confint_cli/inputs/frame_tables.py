"""Tables in frames, of memory or of a file: what their columns hold, and the scores in them."""

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.columns import (
    Column,
    Table,
    check_are_scores,
    is_name_of_topics,
    is_prose,
    rows_to_look_at,
)
from confint_cli.inputs.formats import long, ndeval, per_query, topic_by_run
from confint_cli.inputs.frames import Frame
from confint_cli.inputs.header import Header
from confint_cli.inputs.layout import BY_RUN, LONG, PER_QUERY, SYSTEMS, find_layout
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.whole_columns import read_columns

BY_ROWS = {
    LONG: long.read_rows,
    SYSTEMS: ndeval.read_rows,
    PER_QUERY: per_query.read_rows,
    BY_RUN: topic_by_run.read_rows,
}
"""How tables of each kind are read row by row."""

_OBJECTS = frozenset({"lists", "dicts", "objects", "arrays", "sets", "tuples", "bytes"})


def read_frame(
    frame: Frame, origin: Origin, reader: Reader, kind: str | None = None
) -> tuple[str, Reading]:
    """Return the kind of a table, and its scores; of texts row by row, otherwise by columns.

    The user may say which `kind` of table it is; None: its columns show it.
    """
    if kind is not None and kind not in BY_ROWS:
        problem = f"a table cannot be read as {kind}"
        raise DataError(origin.name, problem, f"choose one of: {', '.join(BY_ROWS)}")
    _check_is_real(frame, origin)
    table = _table(frame, origin)
    check_are_scores(origin, table.header.folded)
    try:
        if is_prose(table):
            raise DataError(origin.name, "has no per-topic scores")
        layout = find_layout(table, reader, kind)
    except DataError as error:
        raise _with_reason(error, frame) from None
    reading = read_columns(frame, origin, layout, reader)
    if reading is None:
        return layout.kind, BY_ROWS[layout.kind](layout, reader)
    return layout.kind, layout.told_of(reading)


def _table(frame: Frame, origin: Origin) -> Table:
    """Return the frame as a table by its first rows."""
    size = rows_to_look_at(len(frame.columns))
    first_rows: list[list[str]] = []
    for _, cells in frame.rows():
        first_rows.append(cells)
        if len(first_rows) == size:
            break
    columns = [
        Column(
            place,
            column.name,
            [row[place] for row in first_rows],
            column.is_index,
            column.holds_texts,
            column.no_scores in _OBJECTS,
        )
        for place, column in enumerate(frame.columns)
    ]
    return Table(origin, Header(frame.names, ""), columns, frame)


def _check_is_real(frame: Frame, origin: Origin) -> None:
    """Raise an error for a column of complex numbers, which a computation may leave behind."""
    for column in frame.columns:
        if column.no_scores == "complex numbers":
            problem = f"column {quoted(column.name)} has complex numbers, not scores"
            raise DataError(origin.name, problem, f"use the real part: df[{column.name!r}].real")


def _with_reason(error: DataError, frame: Frame) -> DataError:
    """Return an error about a table without scores, with what is in its columns instead."""
    if not str(error).endswith("has no per-topic scores"):
        return error
    columns = [one for one in frame.columns if one.name and not is_name_of_topics(one.name)]
    held = [
        f"column {quoted(column.name)} holds {column.no_scores or 'no numbers'}"
        for column in columns[:5]
        if column.no_scores or column.numbers() is None
    ]
    return DataError("", str(error), "; ".join(held))
