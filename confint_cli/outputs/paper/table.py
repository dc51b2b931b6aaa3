"""A paper's table on a terminal: marks behind numbers, the best between stars."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from confint_cli.common.paper import PaperColumn, PaperTable, by_heading
from confint_cli.common.table import Cell, Column, Framed, Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import OutputOptions, sentences_of
from confint_cli.outputs.paper import (
    BEST,
    SECOND,
    About,
    about_standings,
    heading_in_one,
)
from confint_cli.outputs.table import WIDTH_OF_A_FILE, table_lines, table_width, wrapped

_FRAMES = {BEST: "**", SECOND: "__"}


def render(
    tables: Sequence[PaperTable],
    options: OutputOptions,
    about: About,
) -> str:
    """Return each table with its caption below, then the result in words and the signature.

    A table that is wider than the terminal is parted into several, below one another.
    """
    available = options.width or WIDTH_OF_A_FILE
    lines: list[str] = []
    for table in tables:
        sentences = [
            *table.caption,
            about_standings(table, "between **", "between __"),
        ]
        parts = [_as_rows(part) for part in _parts(table, options, available)]
        parts[-1] = replace(parts[-1], legend=" ".join(filter(None, sentences)))
        for part in parts:
            lines += table_lines(part, options, available)
    for sentence in sentences_of(about.results, options.digits):
        lines += [*wrapped(sentence, available), ""]
    return "\n".join([*lines, visible(about.signature), ""])


def _parts(table: PaperTable, options: OutputOptions, available: int) -> Iterator[PaperTable]:
    """Yield the table with as many headings at a time as there is room for."""
    waiting: list[PaperColumn] = []
    for _, columns in by_heading(table.columns):
        together = replace(table, columns=[*waiting, *columns])
        is_too_wide = table_width(_as_rows(together), options.digits) > available
        if waiting and options.width and is_too_wide:
            yield replace(table, columns=waiting)
            waiting = []
        waiting += columns
    yield replace(table, columns=waiting)


def _as_rows(table: PaperTable) -> Table:
    """Return the table with what is below a value in a row of its own."""
    below_of_columns = [list(column.below) for column in table.columns if column.below]
    rows = zip(*below_of_columns, strict=True)
    has_below = [any(cell is not None for cell in row) for row in rows]
    names: list[Cell] = list(table.rows)
    if table.letters:
        pairs = zip(table.letters, table.rows, strict=True)
        names = [f"{letter} {name}" for letter, name in pairs]
    columns = [Column(table.head, _spread(names, [""] * len(names), has_below))]
    for column in table.columns:
        cells = _framed(column, table)
        below = list(column.below) or [None] * len(cells)
        columns.append(Column(heading_in_one(column), _spread(cells, below, has_below)))
    first = table.rule + sum(has_below[: table.rule])  # row below the rule
    breaks = [first] if 0 < table.rule < len(table.rows) else []
    return Table("", columns, breaks=breaks)


def _spread(values: Sequence[Cell], below: Sequence[Cell], has_below: Sequence[bool]) -> list[Cell]:
    """Return the values, each followed by what is below it where any column has something there."""
    if not has_below:
        return list(values)
    cells: list[Cell] = []
    for value, under, is_there in zip(values, below, has_below, strict=True):
        cells += [value, under] if is_there else [value]
    return cells


def _framed(column: PaperColumn, table: PaperTable) -> list[Cell]:
    """Return the values with frames and marks, padded so that digits stay in line."""
    if any(isinstance(value, str) for value in column.values):
        return list(column.values)
    frames = [
        _FRAMES.get(standing, "") if standing == BEST or table.second_best else ""
        for standing in column.standings
    ]
    marks = [*column.marks] or [""] * len(frames)
    widest = max(map(len, frames), default=0)
    behind = [
        f"{frame.ljust(widest)} {mark}" if mark else frame
        for frame, mark in zip(frames, marks, strict=True)
    ]
    width = max(map(len, behind), default=0)
    return [
        None if value is None else Framed(value, frame, after.ljust(width))
        for value, frame, after in zip(column.values, frames, behind, strict=True)
    ]
