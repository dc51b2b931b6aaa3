"""JSON lines: one object per row, at full precision."""

from typing import TYPE_CHECKING, Any

from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.format import OutputFormat
from confint_cli.outputs.json import json_rows

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer


def render(answer: "Answer[Any]", options: OutputOptions) -> str:  # noqa: ARG001
    """Return each row as an object; a stream of equal objects has no place for a signature."""
    return "\n".join([*json_rows(answer), ""])


FORMAT = OutputFormat(
    render,
    summary="programs that read line by line: one object per row, as in json, but no signature",
    endings=(".jsonl",),
    place=4,
    exact=True,
)
