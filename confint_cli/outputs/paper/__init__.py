"""The table of a paper in the formats that have one: each is a file here, named as users type it.

Each has `render(tables, options, about)`. The best value of a column, or of a row of a
transposed table, is found by what is printed: values that look alike are equally good.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from confint_cli.common.errors import CallError
from confint_cli.common.paper import PaperColumn, PaperRequest, PaperTable
from confint_cli.common.records import modules_in
from confint_cli.common.table import Cell, Table
from confint_cli.common.words import series
from confint_cli.outputs.cells import OutputOptions, cell_text

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer

BEST, SECOND = 1, 2


@dataclass(frozen=True)
class About:
    """What stands beside the tables of a paper."""

    signature: str
    label: str  # by which LaTeX refers to them
    results: Sequence[Table]  # the tables of rows, which have the result in words


@cache
def paper_formats() -> list[str]:
    """Return the names of the formats that have the table of a paper, without importing any."""
    return modules_in(__path__)


def check_has_paper(output_format: str) -> None:
    """Raise CallError for a format in which there is no table of a paper."""
    if output_format not in paper_formats():
        raise CallError(
            f"--layout paper is for {series(paper_formats())}, not for {output_format}",
            "leave out --layout: programs read the layout of rows",
        )


def render_paper(
    answer: "Answer[Any]",
    output_format: str,
    options: OutputOptions,
    request: PaperRequest,
    name: str = "",
) -> str:
    """Return the answer as the table of a paper, as a text that ends with a newline.

    `name` is the path of the file, after which LaTeX labels the table.
    """
    if answer.paper is None:
        raise CallError("--layout paper is for interval and compare")
    tables = [placed(table, options.digits) for table in answer.paper(answer, request)]
    stem = os.path.splitext(os.path.basename(name))[0] or answer.facts.get("command", "")
    label = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-") or "confint"
    module = import_module(f"{__name__}.{output_format}")
    about = About(answer.signature, label, answer.for_people().tables)
    return str(module.render(tables, options, about))


def placed(table: PaperTable, digits: int) -> PaperTable:
    """Return the table in which values are BEST, SECOND or neither, 0, by what is printed."""
    printed = [
        [_printed(value, digits) if column.ranked else None for value in column.values]
        for column in table.columns
    ]
    if table.best_of_row:
        in_rows = [_standings(row) for row in zip(*printed, strict=True)]
        standings = [list(column) for column in zip(*in_rows, strict=True)]
    else:
        standings = [_standings(column) for column in printed]
    columns = [
        replace(column, standings=own) for column, own in zip(table.columns, standings, strict=True)
    ]
    return replace(table, columns=columns)


def _standings(values: Sequence[float | None]) -> list[int]:
    """Return which of the values are BEST or SECOND; 0: neither."""
    in_order = sorted({number for number in values if number is not None}, reverse=True)
    places = dict(zip(in_order[:2], (BEST, SECOND), strict=False))
    return [0 if number is None else places.get(number, 0) for number in values]


def _printed(value: Cell, digits: int) -> float | None:
    text = cell_text(value, digits)
    return float(text) if text else None


def about_standings(table: PaperTable, best: str = "in bold", second: str = "underlined") -> str:
    """Return how the best values are shown, and the second best; empty, if none is."""
    shown = {place for column in table.columns for place in column.standings}
    if BEST not in shown:
        return ""
    also = f", the second best {second}" if table.second_best and SECOND in shown else ""
    return f"The best of each {'row' if table.best_of_row else 'column'} is {best}{also}."


def heading_in_one(column: PaperColumn) -> str:
    """Return the heading of a column where headings have one line: `map`, `map 95%`, `a bm25`."""
    return f"{column.letter} {column.heading} {column.name}".strip()
