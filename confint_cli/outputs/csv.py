"""Comma-separated values, quoted where needed."""

import csv
import io
import re

from confint_cli.outputs._cells import text_rows
from confint_cli.outputs._options import OutputOptions
from confint_cli.table import Table
from confint_cli.text import visible, with_guard


def render(table: Table, options: OutputOptions) -> str:
    """Return the table; a name that a spreadsheet would run as a formula gets a quote before it."""
    out = io.StringIO()
    if options.signature:
        out.write(f"# {_comment(table.signature_text)}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(text_rows(table.columns, options.digits, _escape))
    return out.getvalue()


def _escape(name: str) -> str:
    return with_guard(visible(name))


def _comment(text: str) -> str:
    """Return a line that a spreadsheet, which knows no comments, may break into cells.

    None of them is a formula, and none begins a quotation that would go on in the next line.
    """
    return "".join(
        part if part in ",;" else f"'{part}" if part.startswith('"') else with_guard(part)
        for part in re.split("([,;])", visible(text))
    )
