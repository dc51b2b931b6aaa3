"""Comma-separated values, quoted where needed."""

import io
from typing import TYPE_CHECKING, Any

from confint_cli.common.text import visible, with_guard, with_guarded_cells
from confint_cli.outputs.cells import OutputOptions, text_rows
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer


def render(answer: "Answer[Any]", options: OutputOptions) -> str:
    """Return the header and the rows, below a comment with the signature if `options` ask for it.

    A name that a spreadsheet would run as a formula gets a quote before it.
    """
    import csv  # late, as every call looks at all formats

    out = io.StringIO()
    if options.signature:
        out.write(f"# {with_guarded_cells(visible(answer.signature))}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(answer.names)
    writer.writerows(text_rows(answer.columns, options.digits, _escape))
    return out.getvalue()


def _escape(name: str) -> str:
    return with_guard(visible(name))


FORMAT = OutputFormat(
    render,
    summary="spreadsheets",
    endings=(".csv",),
    place=2,
    signed=True,
)
