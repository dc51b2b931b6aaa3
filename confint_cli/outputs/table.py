"""A table for people, on a terminal.

The layout is our own: rich's table takes seconds for the thousands of rows that `score` has. What
a character takes on the screen, and how bold and dim are asked for, rich knows best; it is imported
late, as every call looks at all formats.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from confint_cli.common.table import Cell, Column, Interval, Marked, Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import (
    OutputOptions,
    is_number_column,
    is_picture,
    sentence_text,
    text_rows,
    without_empty_columns,
)
from confint_cli.outputs.format import OutputFormat
from confint_cli.outputs.picture import draw, with_histograms

_WHEN_NOT_A_TERMINAL = 100
_GAP = "  "
_NARROWEST = 12  # to which a column of names may shrink


def render(table: Table, options: OutputOptions) -> str:
    """Return the table; numbers are never cut, names that are too long go on in the next line."""
    available = options.width or _WHEN_NOT_A_TERMINAL
    lines: list[str] = []
    for part in map(without_empty_columns, table.view or [table]):
        lines += _part(part, options, available)
    if table.view:
        lines += _sentence(table, options, available)
    if table.signature:
        lines += [_styled(visible(table.signature_text), options, dim=True)]
    else:
        lines.pop()  # nothing follows the blank line
    return "\n".join([*lines, ""])


def _part(table: Table, options: OutputOptions, available: int) -> list[str]:
    """Return the lines of a table with its title and its sentence, and a blank one."""
    drawn = [with_histograms(_aligned(column)) for column in table.columns]
    columns, breakable = _fitted(drawn, options, available)
    breaks = set(table.breaks) if len(columns[0].values) == len(table.columns[0].values) else set()
    right = [is_number_column(column) for column in columns]
    rows = list(text_rows(columns, options.digits))
    names = [column.name for column in columns]
    widths = [max(map(_width, column)) for column in zip(names, *rows, strict=True)]
    _shrink(widths, breakable, available)
    whole = sum(widths) + len(_GAP) * (len(widths) - 1)
    if options.width and whole > available:  # a file has no width that lines would break at
        lines = _cards(names, rows, breaks, options, available, named=not table.chosen)
    else:
        lines = [_styled(line, options, bold=True) for line in _lines(names, widths, right)]
        lines.append("─" * whole)
        for place, row in enumerate(rows):
            if place in breaks:
                lines.append("┄" * whole)
            lines += _lines(row, widths, right)
    if table.title:
        title = _wrapped(visible(table.title), available)
        lines = [*(_styled(line, options, bold=True) for line in title), "", *lines]
    shown = replace(table, columns=columns)
    line = f"A line: {table.breaks_mean}." if table.breaks and table.breaks_mean else ""
    legend = " ".join(filter(None, [*shown.legends, line, _left_out(table, columns)]))
    about = [*_wrapped(visible(legend), available), ""] if legend else []
    return [*lines, "", *about, *_sentence(table, options, available)]


def _cards(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    breaks: Collection[int],
    options: OutputOptions,
    available: int,
    *,
    named: bool,
) -> list[str]:
    """Return the rows below one another, a line for each cell: for a terminal that is too narrow.

    Where rows are `named` by their first cell, one without a name goes on with the one above it.
    """
    label = max(map(_width, names[1:]), default=0)
    room = max(_NARROWEST, available - label - 2 * len(_GAP))
    lines: list[str] = []
    for place, (name, *cells) in enumerate(rows):
        if place in breaks:
            lines.append("┄" * available)
        if name.strip() or not (place and named):
            heading = _wrapped(f"{names[0]} {name}".strip(), available)
            lines += [_styled(line, options, bold=True) for line in heading]
        for about, cell in zip(names[1:], cells, strict=True):
            for number, text in enumerate(_wrapped(cell.strip(), room) if cell.strip() else []):
                beginning = "" if number else about
                lines.append(f"{_GAP}{beginning}{' ' * (label - _width(beginning))}{_GAP}{text}")
    return lines


def _left_out(table: Table, fitted: Sequence[Column]) -> str:
    """Say which columns a wider terminal would show."""
    there = {column.name for column in fitted}
    missing = [column.name for column in table.columns
               if column.optional and column.name not in there]  # fmt: skip
    pictures = [column for column in table.columns if is_picture(column)]
    drawn = {column.legend for column in fitted} & {column.legend for column in pictures}
    elsewhere = " (-f markdown has all)"
    if pictures and pictures[0].name and not drawn:
        missing.append(pictures[0].name)
        elsewhere = ""  # it has no pictures
    return f"Not shown for lack of room: {', '.join(missing)}{elsewhere}." if missing else ""


def _aligned(column: Column) -> Column:
    """Return a column in which numbers without a mark keep its place free."""
    if not any(isinstance(value, Marked) and value.mark for value in column.values):
        return column
    values = [
        replace(value, mark=value.mark or " ") if isinstance(value, Marked) else value
        for value in column.values
    ]
    return replace(column, values=values)


def _sentence(table: Table, options: OutputOptions, available: int) -> list[str]:
    text = sentence_text(table, options.digits)
    return [*_wrapped(text, available), ""] if text else []


def _fitted(
    columns: Sequence[Column], options: OutputOptions, available: int
) -> tuple[list[Column], list[bool]]:
    """Return columns that fit, and which of them may be broken into lines: those of names.

    Pictures are drawn in the space that is left; where there is none, what several methods found
    is folded.
    """
    every = [column for column in columns if not is_picture(column)]
    plain = every
    if any(column.optional for column in every):
        plain = _without_optional(every, options.digits, available)
        columns = [column for column in columns if column in plain or is_picture(column)]
    foldable = len(_foldable(plain))
    if foldable > 1 or len(plain) < len(columns):
        space = available - _taken(plain, options.digits)
        if space < 0 and foldable > 1:
            plain = _without_optional(_folded(every), options.digits, available)
        elif len(plain) < len(columns):
            fitted = _with_a_picture(columns, space - len(_GAP), options.digits)
            names = [not is_number_column(column) and column in plain for column in fitted]
            return fitted, names
    return plain, [not is_number_column(column) for column in plain]


def _with_a_picture(columns: Sequence[Column], width: int, digits: int) -> list[Column]:
    """Return the columns, those of pictures drawn: the first one that there is space for."""
    fitted, drawn = [], None
    for column in columns:
        if not is_picture(column):
            fitted.append(column)
        elif drawn is None:
            drawn = draw(column, width, digits)
            if drawn is not None:
                fitted.append(Column(*drawn, legend=column.legend))
    return fitted


def _without_optional(columns: Sequence[Column], digits: int, available: int) -> list[Column]:
    """Return the columns without as many of the optional ones, from the right, as do not fit."""
    widths = dict(zip(range(len(columns)), _widths(columns, digits), strict=True))
    for place in reversed(range(len(columns))):
        if columns[place].optional and sum(widths.values()) - len(_GAP) > available:
            del widths[place]
    return [columns[place] for place in widths]


def _taken(columns: Sequence[Column], digits: int) -> int:
    """Return the width of a table, in which long names may be shortened."""
    return sum(_widths(columns, digits)) - len(_GAP)


def _widths(columns: Sequence[Column], digits: int) -> list[int]:
    """Return the width of each column, with the gap to the next."""
    rows = zip([column.name for column in columns], *text_rows(columns, digits), strict=True)
    widths = []
    for column, texts in zip(columns, rows, strict=True):
        width = max(map(_width, texts))
        width = width if is_number_column(column) else min(width, 2 * _NARROWEST)
        widths.append(width + len(_GAP))
    return widths


def _foldable(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of different methods: their intervals or, if there are none, marked."""
    for kind in (Interval, Marked):
        found = [column for column in columns if any(isinstance(v, kind) for v in column.values)]
        if found:
            return found
    return []


def _folded(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of different methods below one another, not side by side."""
    several = _foldable(columns)
    folded: list[Column] = []
    there = [
        [one for one in several if one.values[row] is not None]
        for row in range(len(columns[0].values))
    ]
    for column in columns:
        if column is several[0]:
            intervals = any(isinstance(value, Interval) for value in column.values)
            names: list[Cell] = []
            values: list[Cell] = []
            for row, here in enumerate(there):
                names += [one.name for one in here] or [None]
                values += [one.values[row] for one in here] or [None]
            folded.append(Column("interval" if intervals else "method", names))
            folded.append(_aligned(Column("limits" if intervals else "value", values)))
        elif column not in several:
            values = []
            for value, here in zip(column.values, there, strict=True):
                values += [value, *[None] * (len(here) - 1)]
            folded.append(replace(column, values=values))
    return folded


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _shrink(widths: list[int], breakable: Sequence[bool], available: int) -> None:
    """Take from the widest column of names until the table fits or nothing is left to take."""
    while sum(widths) + len(_GAP) * (len(widths) - 1) > available:
        names = [place for place, is_name in enumerate(breakable) if is_name]
        widest = max(names, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            return
        widths[widest] -= 1


def _lines(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """Return the lines that a row takes."""
    if any(_width(text) > width for text, width in zip(row, widths, strict=True)):
        pieces = [_wrapped(text, width) for text, width in zip(row, widths, strict=True)]
        height = max(map(len, pieces))
        cells = [[*piece, *[""] * (height - len(piece))] for piece in pieces]
        return [_line(line, widths, right) for line in zip(*cells, strict=True)]
    return [_line(row, widths, right)]


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text at its blanks, and a word that is too long anywhere."""
    from rich.cells import chop_cells

    lines: list[str] = []
    for word in text.split(" "):
        if lines and _width(lines[-1]) + 1 + _width(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += chop_cells(word, width) or [""]
    return lines


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, width, flush in zip(cells, widths, right, strict=True):
        space = " " * (width - _width(text))
        padded.append(space + text if flush else text + space)
    return _GAP.join(padded).rstrip()


def _styled(text: str, options: OutputOptions, *, bold: bool = False, dim: bool = False) -> str:
    if not options.color:
        return text
    from rich.color import ColorSystem
    from rich.style import Style

    return Style(bold=bold, dim=dim).render(text, color_system=ColorSystem.STANDARD)


FORMAT = OutputFormat(render, endings=(".txt",), place=0, for_people=True)
