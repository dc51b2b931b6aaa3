"""A paper's table on a terminal: marks behind numbers, the best between stars."""

from collections.abc import Sequence

from confint_cli.common.paper import PaperColumn, PaperTable
from confint_cli.common.table import Cell, Column, Framed, Table
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.paper import BEST, SECOND, heading_in_one, standings
from confint_cli.outputs.table import table_lines

_FRAMES = {BEST: "**", SECOND: "__"}
_WIDTH_OF_A_FILE = 100


def render(tables: Sequence[PaperTable], options: OutputOptions, label: str) -> str:  # noqa: ARG001
    """Return each table with its caption below."""
    available = options.width or _WIDTH_OF_A_FILE
    lines: list[str] = []
    for table in tables:
        lines += table_lines(_as_rows(table, options.digits), options, available)
    return "\n".join([*lines[:-1], ""])


def _as_rows(table: PaperTable, digits: int) -> Table:
    """Return the table with what is below a value in a row of its own."""
    below_of_columns = [list(column.below) for column in table.columns if column.below]
    has_below = [
        any(cell is not None for cell in row) for row in zip(*below_of_columns, strict=True)
    ]
    names: list[Cell] = list(table.systems)
    if table.letters:
        pairs = zip(table.letters, table.systems, strict=True)
        names = [f"{letter} {name}" for letter, name in pairs]
    columns = [Column("system", _spread(names, [""] * len(names), has_below))]
    for column in table.columns:
        cells = _framed(column, table, digits)
        below = list(column.below) or [None] * len(cells)
        heading = heading_in_one(column, table.columns)
        columns.append(Column(heading, _spread(cells, below, has_below)))
    caption = " ".join(table.caption).replace("in bold", "**so**").replace("underlined", "__so__")
    first = table.baselines + sum(has_below[: table.baselines])  # row below the baseline
    breaks = [first] if 0 < table.baselines < len(table.systems) else []
    return Table("", columns, legend=caption, breaks=breaks)


def _spread(values: Sequence[Cell], below: Sequence[Cell], has_below: Sequence[bool]) -> list[Cell]:
    """Return the values, each followed by what is below it where any column has something there."""
    if not has_below:
        return list(values)
    cells: list[Cell] = []
    for value, under, is_there in zip(values, below, has_below, strict=True):
        cells += [value, under] if is_there else [value]
    return cells


def _framed(column: PaperColumn, table: PaperTable, digits: int) -> list[Cell]:
    """Return the values with frames and marks, padded so that digits stay in line."""
    frames = [
        _FRAMES.get(standing, "") if standing == BEST or table.second_best else ""
        for standing in standings(column, digits)
    ]
    marks = [*column.marks] or [""] * len(frames)
    behind = [f"{frame}{mark}" for frame, mark in zip(frames, marks, strict=True)]
    width = max(map(len, behind), default=0)
    return [
        None if value is None else Framed(value, frame, after.ljust(width))
        for value, frame, after in zip(column.values, frames, behind, strict=True)
    ]
