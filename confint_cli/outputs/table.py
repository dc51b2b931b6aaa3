"""A table for people, on a terminal.

The layout is our own: rich's table takes seconds for the thousands of rows that `score` has. What
a character takes on the screen, and how bold and dim are asked for, rich knows best.
"""

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells
from rich.color import ColorSystem
from rich.style import Style

from confint_cli.outputs._cells import is_number_column, text_rows
from confint_cli.outputs._options import OutputOptions
from confint_cli.table import Table
from confint_cli.text import visible

_WHEN_NOT_A_TERMINAL = 100
_GAP = "  "
_NARROWEST = 12  # to which a column of names may shrink


def render(table: Table, options: OutputOptions) -> str:
    """Return the table; numbers are never cut, names that are too long go on in the next line."""
    right = [is_number_column(column) for column in table.columns]
    rows = list(text_rows(table.columns, options.digits))
    widths = [max(map(_width, column)) for column in zip(table.names, *rows, strict=True)]
    _shrink(widths, right, options.width or _WHEN_NOT_A_TERMINAL)
    lines = [_styled(line, options, bold=True) for line in _lines(table.names, widths, right)]
    lines.append("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for row in rows:
        lines += _lines(row, widths, right)
    if table.title:
        lines = [_styled(visible(table.title), options, bold=True), "", *lines]
    if table.sentence:
        lines += ["", visible(table.sentence)]
    if table.signature:
        lines += ["", _styled(visible(table.signature_text), options, dim=True)]
    return "\n".join([*lines, ""])


def _width(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _shrink(widths: list[int], right: Sequence[bool], available: int) -> None:
    """Take from the widest column of names until the table fits or nothing is left to take."""
    while sum(widths) + len(_GAP) * (len(widths) - 1) > available:
        names = [place for place, number in enumerate(right) if not number]
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
    return Style(bold=bold, dim=dim).render(text, color_system=ColorSystem.STANDARD)
