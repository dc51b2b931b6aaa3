"""Rows as JSON objects."""

import json
import math
from collections.abc import Iterator

from confint_cli.table import Cell, Table


def json_rows(table: Table) -> Iterator[str]:
    """Yield each row as an object, at full precision; missing and infinite values are null."""
    names = [json.dumps(name) for name in table.names]
    for row in table.rows():
        cells = (f"{name}: {_value(cell)}" for name, cell in zip(names, row, strict=True))
        yield "{" + ", ".join(cells) + "}"


def _value(cell: Cell) -> str:
    if isinstance(cell, float) and not math.isfinite(cell):
        return "null"
    return json.dumps(cell, ensure_ascii=True)
