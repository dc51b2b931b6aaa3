"""Tables in the formats that users ask for: one file here a format, named as the user types it.

Each has `render(table, options)`, which returns the text; only here are numbers rounded.
"""

import os
from importlib import import_module

from confint_cli.common.errors import CallError
from confint_cli.common.table import Table
from confint_cli.common.text import quoted
from confint_cli.outputs.cells import OutputOptions

FORMATS = ("table", "tsv", "csv", "json", "jsonl", "markdown", "latex")

_SUFFIXES = {
    "tsv": (".tsv",),
    "csv": (".csv",),
    "json": (".json",),
    "jsonl": (".jsonl",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
    "table": (".txt",),
    "trec_eval": (".eval",),  # the layout of `score`
}


def render(table: Table, output_format: str, options: OutputOptions) -> str:
    """Return the table in a format, as text that ends with a newline."""
    text: str = import_module(f"{__name__}.{output_format}").render(table, options)
    return text


def suffixes_of(output_format: str) -> tuple[str, ...]:
    """Return how the names of files in a format may end; the first is the usual one."""
    return _SUFFIXES[output_format]


def format_of_file(path: str) -> str:
    """Return the format that a file's ending stands for."""
    suffix = os.path.splitext(path)[1].lower()
    for output_format in FORMATS:
        if suffix in _SUFFIXES[output_format]:
            return output_format
    endings = ", ".join(_SUFFIXES[output_format][0] for output_format in FORMATS)
    raise CallError(
        f"no format belongs to the ending of {quoted(path)}",
        f"say it with --format, or let the name end in {endings}",
    )
