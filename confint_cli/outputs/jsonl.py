"""JSON lines: one object a row, at full precision."""

from confint_cli.common.table import Table
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.format import OutputFormat
from confint_cli.outputs.json import json_rows


def render(table: Table, options: OutputOptions) -> str:  # noqa: ARG001
    """Return the rows; there is no place for a signature in a stream of equal objects."""
    return "\n".join([*json_rows(table), ""])


FORMAT = OutputFormat(render, endings=(".jsonl",), place=4, exact=True)
