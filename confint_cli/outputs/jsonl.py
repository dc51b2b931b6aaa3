"""JSON lines: one object a row, at full precision."""

from confint_cli.outputs._options import OutputOptions
from confint_cli.outputs._records import json_rows
from confint_cli.table import Table


def render(table: Table, options: OutputOptions) -> str:  # noqa: ARG001
    """Return the rows; there is no place for a signature in a stream of equal objects."""
    return "\n".join([*json_rows(table), ""])
