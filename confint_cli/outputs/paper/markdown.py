"""A paper's table in Markdown: marks as superscripts, the best in bold."""

import re
from collections.abc import Sequence

from confint_cli.common.paper import PaperColumn, PaperTable
from confint_cli.common.table import Cell, Column, Framed, Table
from confint_cli.outputs.cells import OutputOptions, cell_text
from confint_cli.outputs.markdown import comment, escape, lines, paragraph
from confint_cli.outputs.paper import BEST, SECOND, About, about_standings, heading_in_one

_DAGGERS = ("", "†", "‡")


def render(
    tables: Sequence[PaperTable],
    options: OutputOptions,
    about: About,
) -> str:
    """Return each table below its caption, as papers have it above the table."""
    text: list[str] = [] if options.signature else [comment(about.signature), ""]
    for table in tables:
        columns = [Column(table.head.capitalize(), _names(table))]
        columns += [
            Column(heading_in_one(column), _cells(column, table, options.digits))
            for column in table.columns
        ]
        sentences = [*table.caption, about_standings(table)]
        if options.signature:
            sentences.append(f"Signature: {about.signature}")
        caption = paragraph(escape(" ".join(filter(None, sentences))))
        text += [caption, "", *lines(Table("", columns), options.digits), ""]
    return "\n".join(text)


def _names(table: PaperTable) -> list[Cell]:
    """Return the names of the rows with their letters."""
    if not table.letters:
        return list(table.rows)
    pairs = zip(table.rows, table.letters, strict=True)
    return [Framed(name, after=f"<sup>{letter}</sup>") for name, letter in pairs]


def _cells(column: PaperColumn, table: PaperTable, digits: int) -> list[Cell]:
    """Return the values with what Markdown says of them; what is below comes in the same cell."""
    cells: list[Cell] = []
    for place, standing in enumerate(column.standings):
        before, after = "", ""
        if standing == BEST:
            before, after = "**", "**"
        elif standing == SECOND and table.second_best:
            before, after = "<ins>", "</ins>"
        mark = column.marks[place] if column.marks else ""
        after += mark if mark in _DAGGERS else f"<sup>{mark}</sup>"
        if column.below and column.below[place] is not None:
            after += f"<br>{re.sub(' ', '&nbsp;', cell_text(column.below[place], digits))}"
        value = column.values[place]
        cells.append(value if value is None else Framed(value, before, after))
    return cells
