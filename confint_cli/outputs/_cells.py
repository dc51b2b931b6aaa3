"""From values to text: rounding happens here and nowhere else."""

import math
from collections.abc import Callable, Sequence

from confint_cli.table import Cell, Column
from confint_cli.text import visible

FULL_PRECISION = -1
"""Four decimals, or as many as it takes to read the same number back."""

Render = Callable[[Cell], str]


def number_text(value: float, digits: int) -> str:
    """Return a number with so many decimals; never `-0.0000`."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if digits == FULL_PRECISION:
        text = f"{value:.4f}"
        text = text if float(text) == value else repr(float(value))
    else:
        text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cell_text(value: Cell, digits: int, escape: Callable[[str], str] = visible) -> str:
    """Return a value as text; a missing one is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else number_text(value, digits)
    return escape(value)


def text_rows(
    columns: Sequence[Column], digits: int, escape: Callable[[str], str] = visible
) -> Sequence[tuple[str, ...]]:
    """Return all rows as texts, a column at a time and every name escaped only once."""
    texts = []
    for column in columns:
        known: dict[Cell, str] = {}
        out = []
        for value in column.values:
            if isinstance(value, str):
                text = known.get(value)
                if text is None:
                    text = known[value] = escape(value)
                out.append(text)
            else:
                out.append(cell_text(value, digits, escape))
        texts.append(out)
    return list(zip(*texts, strict=True))


def is_number_column(column: Column) -> bool:
    """Say whether a column is set flush right."""
    return all(
        value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
        for value in column.values
    )
