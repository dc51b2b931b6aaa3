"""Tab-separated values: a header and rows, one fact per row, numbers as numbers."""

from typing import TYPE_CHECKING, Any

from confint_cli.common.text import visible
from confint_cli.outputs.cells import OutputOptions, text_rows
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer


def render(answer: "Answer[Any]", options: OutputOptions) -> str:
    """Return the header and the rows, below a comment with the signature if `options` ask for it.

    Tabs and line ends inside a name are written as escapes, so that every tab parts two cells.
    """
    comment = [f"# {visible(answer.signature)}"] if options.signature else []
    rows = text_rows(answer.columns, options.digits, _escape)
    return "\n".join([*comment, "\t".join(answer.names), *map("\t".join, rows), ""])


def _escape(name: str) -> str:
    """Return a name, quoted if it begins with a quotation mark: readers take that for quoting."""
    shown = visible(name)
    return '"' + shown.replace('"', '""') + '"' if shown.startswith('"') else shown


FORMAT = OutputFormat(
    render,
    summary="the next program in the pipe: a header, one fact per row, numbers as numbers",
    endings=(".tsv",),
    place=1,
    signed=True,
)
