"""Answers in the formats that users ask for: each format is a file here, named as users type it.

Each has `FORMAT`, a record of how it is written and of how its files are named. Numbers are rounded
in this package only.
"""

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from confint_cli.common.errors import CallError
from confint_cli.common.records import records_in
from confint_cli.common.text import quoted
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer

_NO_FORMATS = ("cells", "format", "picture")  # modules that the formats share
_OF_FIGURES = (".pdf", ".png", ".svg")


@cache
def formats() -> dict[str, OutputFormat]:
    """Return the records of all formats by name, in the order in which lists show them."""
    records: dict[str, OutputFormat] = records_in(__name__, __path__, "FORMAT", besides=_NO_FORMATS)
    return dict(sorted(records.items(), key=lambda record: (record[1].place, record[0])))


def offered() -> list[str]:
    """Return the names of the formats that --format takes."""
    return [name for name, output_format in formats().items() if not output_format.by_layout]


def render(answer: "Answer[Any]", output_format: str, options: OutputOptions) -> str:
    """Return the answer in the format of this name, as a text that ends with a newline."""
    return formats()[output_format].render(answer, options)


def format_of_file(path: str) -> str:
    """Return the name of the format that a file's ending stands for; raise CallError for others."""
    suffix = os.path.splitext(path)[1].lower()
    for name in offered():
        if suffix in formats()[name].endings:
            return name
    endings = ", ".join(formats()[name].endings[0] for name in offered())
    hint = f"choose a format with --format, or use a file name that ends in {endings}"
    if suffix in _OF_FIGURES:
        hint = f"for a figure, use --plot; a table needs a file name that ends in {endings}"
    raise CallError(f"the ending of {quoted(path)} does not stand for a format", hint)
