"""JSON lines: one object a row, at full precision."""

from confint_cli.common.table import Table
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.format import OutputFormat
from confint_cli.outputs.json import json_rows


def render(table: Table, options: OutputOptions) -> str:  # noqa: ARG001
    """Return each row as an object; a stream of equal objects has no place for a signature."""
    return "\n".join([*json_rows(table), ""])


FORMAT = OutputFormat(
    render,
    summary="programs that read line by line: an object a row, as in json, without the signature",
    endings=(".jsonl",),
    place=4,
    exact=True,
)
