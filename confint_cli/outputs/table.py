"""A table for people, on a terminal."""

import io

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from confint_cli.outputs._cells import is_number_column, text_rows
from confint_cli.outputs._options import OutputOptions
from confint_cli.table import Table
from confint_cli.text import visible

_WHEN_NOT_A_TERMINAL = 100


def render(table: Table, options: OutputOptions) -> str:
    """Return the table; numbers are never cut, long names go on in the next line."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=options.width or _WHEN_NOT_A_TERMINAL,
        force_terminal=options.color,
        color_system="standard" if options.color else None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in table.columns:
        number = is_number_column(column)
        grid.add_column(
            Text(column.name),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
        )
    for row in text_rows(table.columns, options.digits):
        grid.add_row(*map(Text, row))
    if table.title:
        console.print(Text(visible(table.title), style="bold"))
        console.print()
    console.print(grid)
    for text, style in ((table.sentence, ""), (visible(table.signature_text), "dim")):
        if text:
            console.print()
            console.print(Text(text, style=style))
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
