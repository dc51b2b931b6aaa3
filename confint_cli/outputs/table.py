"""A table for people, on a terminal.

The layout is our own: rich's table takes seconds for the thousands of rows that `score` has. How
wide a character is on the screen, and how a terminal makes it bold or dim, rich knows best; it is
imported late, as every call looks at all formats.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer

WIDTH_OF_A_FILE = 100  # characters, where there is no terminal
_GAP = "  "
_NARROWEST = 12  # characters that a column of names keeps when it shrinks


def render(answer: "Answer[Any]", options: OutputOptions) -> str:
    """Return the tables for people below one another, then the last sentence and the signature.

    Numbers are never cut; names that are too long go on in the next line.
    """
    available = options.width or WIDTH_OF_A_FILE
    lines: list[str] = []
    view = answer.for_people()
    for table in map(without_empty_columns, view.tables):
        lines += table_lines(table, options, available)
    lines += _sentence(view.sentence, options, available)
    if answer.facts:
        lines += [_styled(visible(answer.signature), options, dim=True)]
    else:
        lines.pop()  # nothing follows the blank line
    return "\n".join([*lines, ""])


def table_lines(table: Table, options: OutputOptions, available: int) -> list[str]:
    """Return a table's title, rows, legend and sentence as lines, a blank one after each."""
    drawn = [with_histograms(_aligned(column)) for column in table.columns]
    columns, breakable = _fitted(drawn, options, available)
    # A folded table has other rows than those that the breaks are between.
    is_folded = len(columns[0].values) != len(table.columns[0].values)
    breaks = set() if is_folded else set(table.breaks)
    flush_right = [is_number_column(column) for column in columns]
    rows = list(text_rows(columns, options.digits))
    names = [column.name for column in columns]
    widths = [max(map(_width, texts)) for texts in zip(names, *rows, strict=True)]
    _shrink(widths, breakable, available)
    full_width = sum(widths) + len(_GAP) * (len(widths) - 1)
    if options.width and full_width > available:  # a file has no width that lines would break at
        lines = _cards(names, rows, breaks, options, available, named=not table.chosen)
    else:
        header = _lines(names, widths, flush_right)
        lines = [_styled(line, options, bold=True) for line in header]
        lines.append("─" * full_width)
        for place, row in enumerate(rows):
            if place in breaks:
                lines.append("┄" * full_width)
            lines += _lines(row, widths, flush_right)
    if table.title:
        title = wrapped(visible(table.title), available)
        lines = [*(_styled(line, options, bold=True) for line in title), "", *lines]
    shown = replace(table, columns=columns)
    about_breaks = f"A line: {table.breaks_mean}." if table.breaks and table.breaks_mean else ""
    left_out = _left_out(table, columns, options)
    legend = " ".join(filter(None, [*shown.legends, about_breaks, left_out]))
    legend_lines = [*wrapped(visible(legend), available), ""] if legend else []
    return [*lines, "", *legend_lines, *_sentence(table.sentence, options, available)]


def _cards(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    breaks: Collection[int],
    options: OutputOptions,
    available: int,
    *,
    named: bool,
) -> list[str]:
    """Return the lines of a terminal that is too narrow: one for each cell, below its row's name.

    Where rows are `named` by their first cell, one without a name goes on with the one above it.
    Empty cells have no line.
    """
    label_width = max(map(_width, names[1:]), default=0)
    cell_width = max(_NARROWEST, available - label_width - 2 * len(_GAP))
    lines: list[str] = []
    for place, (first_cell, *cells) in enumerate(rows):
        if place in breaks:
            lines.append("┄" * available)
        if first_cell.strip() or not (place and named):
            heading = wrapped(f"{names[0]} {first_cell}".strip(), available)
            lines += [_styled(line, options, bold=True) for line in heading]
        for name, cell in zip(names[1:], cells, strict=True):
            texts = wrapped(cell.strip(), cell_width) if cell.strip() else []
            for number, text in enumerate(texts):
                label = "" if number else name  # beside the first line of a cell
                lines.append(f"{_GAP}{label}{' ' * (label_width - _width(label))}{_GAP}{text}")
    return lines


def _left_out(table: Table, fitted: Sequence[Column], options: OutputOptions) -> str:
    """Return a sentence on the columns that only a wider terminal would show.

    It is empty if `fitted` has all columns.
    """
    fitted_names = {column.name for column in fitted}
    missing = [column.name for column in table.columns
               if column.optional and column.name not in fitted_names]  # fmt: skip
    pictures = [column for column in table.columns if is_picture(column)]
    # A picture that is drawn has another name, but the legend of its column.
    drawn_legends = {column.legend for column in fitted} & {column.legend for column in pictures}
    elsewhere = f" ({options.elsewhere})"
    if pictures and pictures[0].name and not drawn_legends:
        missing.append(pictures[0].name)
        elsewhere = ""  # Markdown has no pictures
    return f"Not shown for lack of room: {', '.join(missing)}{elsewhere}." if missing else ""


def _aligned(column: Column) -> Column:
    """Return a column in which numbers without a mark have a blank in its place."""
    if not any(isinstance(value, Marked) and value.mark for value in column.values):
        return column
    values = [
        replace(value, mark=value.mark or " ") if isinstance(value, Marked) else value
        for value in column.values
    ]
    return replace(column, values=values)


def _sentence(sentence: Sequence[Cell], options: OutputOptions, available: int) -> list[str]:
    text = sentence_text(sentence, options.digits)
    return [*wrapped(text, available), ""] if text else []


def _fitted(
    columns: Sequence[Column], options: OutputOptions, available: int
) -> tuple[list[Column], list[bool]]:
    """Return columns that fit, and which of them may be broken into lines (bool, [column]).

    Only names may be broken, no numbers. A picture is drawn in the space that is left. Where the
    columns of several methods do not fit side by side, they are folded into one; see `_folded`.
    """
    all_texts = [column for column in columns if not is_picture(column)]
    texts = all_texts
    if any(column.optional for column in all_texts):
        texts = _without_optional(all_texts, options.digits, available)
        columns = [column for column in columns if column in texts or is_picture(column)]
    foldable = len(_foldable(texts))
    if foldable > 1 or len(texts) < len(columns):
        space = available - _table_width(texts, options.digits)
        if space < 0 and foldable > 1:
            texts = _without_optional(_folded(all_texts), options.digits, available)
        elif len(texts) < len(columns):
            fitted = _with_a_picture(columns, space - len(_GAP), options.digits)
            breakable = [not is_number_column(column) and column in texts for column in fitted]
            return fitted, breakable
    return texts, [not is_number_column(column) for column in texts]


def _with_a_picture(columns: Sequence[Column], width: int, digits: int) -> list[Column]:
    """Return the columns, of those with pictures only the first that can be drawn in `width`."""
    fitted, header_and_pictures = [], None
    for column in columns:
        if not is_picture(column):
            fitted.append(column)
        elif header_and_pictures is None:
            header_and_pictures = draw(column, width, digits)
            if header_and_pictures is not None:
                fitted.append(Column(*header_and_pictures, legend=column.legend))
    return fitted


def _without_optional(columns: Sequence[Column], digits: int, available: int) -> list[Column]:
    """Return the columns without optional ones, from the right, until the others fit."""
    widths = dict(zip(range(len(columns)), _widths(columns, digits), strict=True))
    for place in reversed(range(len(columns))):
        if columns[place].optional and sum(widths.values()) - len(_GAP) > available:
            del widths[place]
    return [columns[place] for place in widths]


def table_width(table: Table, digits: int) -> int:
    """Return how wide a table is, names that are too long being broken."""
    return _table_width(table.columns, digits)


def _table_width(columns: Sequence[Column], digits: int) -> int:
    return sum(_widths(columns, digits)) - len(_GAP)


def _widths(columns: Sequence[Column], digits: int) -> list[int]:
    """Return the width of each column with the gap to the next, long names being broken."""
    rows = zip([column.name for column in columns], *text_rows(columns, digits), strict=True)
    widths = []
    for column, texts in zip(columns, rows, strict=True):
        width = max(map(_width, texts))
        width = width if is_number_column(column) else min(width, 2 * _NARROWEST)
        widths.append(width + len(_GAP))
    return widths


def _foldable(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of methods: those with intervals or, if none has, with marked numbers."""
    for kind in (Interval, Marked):
        of_kind = [column for column in columns if any(isinstance(v, kind) for v in column.values)]
        if of_kind:
            return of_kind
    return []


def _folded(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with those of different methods below one another, not side by side.

    A column names the method and the next has its value. A row becomes as many rows as methods
    have a value in it; the other columns have theirs in the first of these.
    """
    of_methods = _foldable(columns)
    folded: list[Column] = []
    methods_of_rows = [
        [method for method in of_methods if method.values[row] is not None]
        for row in range(len(columns[0].values))
    ]
    for column in columns:
        if column is of_methods[0]:
            has_intervals = any(isinstance(value, Interval) for value in column.values)
            names: list[Cell] = []
            values: list[Cell] = []
            for row, methods in enumerate(methods_of_rows):
                names += [method.name for method in methods] or [None]
                values += [method.values[row] for method in methods] or [None]
            folded.append(Column("interval" if has_intervals else "method", names))
            folded.append(_aligned(Column("limits" if has_intervals else "value", values)))
        elif column not in of_methods:
            values = []
            for value, methods in zip(column.values, methods_of_rows, strict=True):
                values += [value, *[None] * (len(methods) - 1)]
            folded.append(replace(column, values=values))
    return folded


def _width(text: str) -> int:
    """Return how many places a text takes on the screen: some characters take two, some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _shrink(widths: list[int], breakable: Sequence[bool], available: int) -> None:
    """Make the widest breakable column narrower until the table fits or none can be; in place."""
    places = [place for place, is_breakable in enumerate(breakable) if is_breakable]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > available:
        widest = max(places, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            return
        widths[widest] -= 1


def _lines(row: Sequence[str], widths: Sequence[int], flush_right: Sequence[bool]) -> list[str]:
    """Return the lines that a row takes: several, if some text is wider than its column."""
    if any(_width(text) > width for text, width in zip(row, widths, strict=True)):
        cells = [wrapped(text, width) for text, width in zip(row, widths, strict=True)]
        height = max(map(len, cells))
        filled = [[*lines, *[""] * (height - len(lines))] for lines in cells]
        return [_line(texts, widths, flush_right) for texts in zip(*filled, strict=True)]
    return [_line(row, widths, flush_right)]


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, broken at blanks, and anywhere in a word that is too long."""
    from rich.cells import chop_cells

    lines: list[str] = []
    for word in text.split(" "):
        if lines and _width(lines[-1]) + 1 + _width(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += chop_cells(word, width) or [""]
    return lines


def _line(cells: Sequence[str], widths: Sequence[int], flush_right: Sequence[bool]) -> str:
    padded = []
    for text, width, is_right in zip(cells, widths, flush_right, strict=True):
        space = " " * (width - _width(text))
        padded.append(space + text if is_right else text + space)
    return _GAP.join(padded).rstrip()


def _styled(text: str, options: OutputOptions, *, bold: bool = False, dim: bool = False) -> str:
    if not options.color:
        return text
    from rich.color import ColorSystem
    from rich.style import Style

    return Style(bold=bold, dim=dim).render(text, color_system=ColorSystem.STANDARD)


FORMAT = OutputFormat(
    render,
    summary="people: as wide as the terminal, with the result in words below the table",
    endings=(".txt",),
    place=0,
    for_people=True,
)
