"""From values to text: rounding happens here and nowhere else."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from confint_cli.common.table import (
    FULL_PRECISION,
    Cell,
    Column,
    Framed,
    Histogram,
    Interval,
    Marked,
    Probability,
    Signed,
    Span,
    Strip,
    Table,
    Together,
)
from confint_cli.common.text import visible

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer

_SHORTEST = -2  # as few decimals as it takes to read the same number back


@dataclass(frozen=True)
class OutputOptions:
    """How to render a table."""

    digits: int = 4
    signature: bool = False
    width: int | None = None  # of the terminal, in columns; None: find out
    color: bool = False
    elsewhere: str = "-f markdown has all"  # where the columns are that have no room


def number_text(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, which may be FULL_PRECISION; never `-0.0000`."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if digits == _SHORTEST:
        return repr(float(value))
    if digits == FULL_PRECISION:
        text = f"{value:.4f}"
        text = text if float(text) == value else repr(float(value))
    else:
        text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cell_text(
    value: Cell,
    digits: int,
    escape: Callable[[str], str] = visible,
    mark: Callable[[str], str] | None = None,
) -> str:
    """Return a value as text; that of a missing value is empty.

    `escape` makes text safe for a format, and marks too unless `mark` does. Raise TypeError for a
    picture.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "" if math.isnan(value) else number_text(value, digits)
    if isinstance(value, Interval):
        if math.isnan(value.low):
            return ""
        return f"[{number_text(value.low, digits)}, {number_text(value.high, digits)}]"
    if isinstance(value, Marked):
        return f"{number_text(value.value, digits)}{(mark or escape)(value.mark)}"
    if isinstance(value, Probability):
        text = _probability_text(value.value, digits)
        if value.named:
            return f"p {text[0]} {text[1:]}" if text.startswith(("<", ">")) else f"p = {text}"
        return text
    if isinstance(value, Signed):
        text = number_text(value.value, digits)
        return text if text.startswith("-") or math.isnan(value.value) else f"+{text}"
    if isinstance(value, Together):
        texts = (cell_text(part, digits, escape, mark) for part in value.parts)
        return " ".join(filter(None, texts))
    if isinstance(value, Framed):
        text = cell_text(value.value, digits, escape, mark)
        return f"{value.before}{text}{value.after}" if text else ""
    if isinstance(value, (Span, Strip, Histogram)):
        raise TypeError("a picture has no text: only a table can draw it")
    return escape(value)


def _probability_text(p: float, digits: int) -> str:
    """Return `0.0481`, `<0.0001`, `>0.9999`, or an empty text for a missing probability."""
    if math.isnan(p):
        return ""
    text = number_text(p, digits)
    if float(text) == 0 and digits > 0:
        return f"<{number_text(10.0**-digits, digits)}"
    if float(text) == 1 > p and digits > 0:
        return f">{number_text(1 - 10.0**-digits, digits)}"
    return text


def _significant(value: Cell, digits: int, **options: Any) -> str:
    """Return a finite float with `digits` significant digits, but one at least.

    Any other value, and any with negative `digits`, is a text as by `cell_text`.
    """
    if isinstance(value, float) and math.isfinite(value) and digits >= 0:
        return f"{value:.{max(digits, 1)}g}"
    return cell_text(value, digits, **options)


def sentences_of(tables: Sequence[Table], digits: int) -> list[str]:
    """Return the result in words, a text for each table; of several, each begins with its title."""
    telling = [table for table in tables if table.sentence]
    titles = [f"{visible(table.title)}: " if len(telling) > 1 else "" for table in telling]
    return [
        f"{title}{sentence_text(table.sentence, digits)}"
        for title, table in zip(titles, telling, strict=True)
    ]


def sentence_text(
    sentence: Sequence[Cell], digits: int, escape: Callable[[str], str] = visible
) -> str:
    """Return the sentence that these cells are, a result in words; empty if there are none."""
    return "".join(cell_text(cell, digits, escape) for cell in sentence)


class _Texts(dict[Cell, str]):
    """The texts of a column's values, by value; each is made once, as values recur in a column."""

    def __init__(self, text_of: Callable[[Cell], str]) -> None:
        super().__init__()
        self.text_of = text_of

    def __missing__(self, value: Cell) -> str:
        text = self[value] = self.text_of(value)
        return text


def text_rows(
    columns: Sequence[Column],
    decimals: int,
    escape: Callable[[str], str] = visible,
    mark: Callable[[str], str] | None = None,
) -> Iterator[tuple[str, ...]]:
    """Return the rows of `columns`, each as a tuple with a text for each column.

    Numbers have `decimals` decimals, unless a column is exact or has significant digits.
    """
    texts: list[list[str]] = []
    for column in columns:
        digits = _SHORTEST if column.exact else decimals
        to_text = _significant if column.significant else cell_text
        text_of = partial(to_text, digits=digits, escape=escape, mark=mark)
        if len(set(map(type, column.values))) > 1:  # 1, 1.0 and True are one key of a dict
            texts.append([*map(text_of, column.values)])
        else:
            text_by_value = _Texts(text_of)
            texts.append([text_by_value[value] for value in column.values])
    return zip(*texts, strict=True)


def is_number_column(column: Column) -> bool:
    """Say whether a column has nothing but numbers, or no values, and so is set flush right."""
    return all(value is None or _is_number(value) for value in column.values)


def _is_number(value: Cell) -> bool:
    if isinstance(value, Framed):
        return _is_number(value.value)
    kinds = (int, float, Interval, Marked, Probability, Signed, Together)
    return isinstance(value, kinds) and not isinstance(value, bool)


def is_picture(column: Column) -> bool:
    """Say whether a column has pictures, which some formats draw and others leave out."""
    return any(isinstance(value, (Span, Strip, Histogram)) for value in column.values)


def without_empty_columns(table: Table) -> Table:
    """Return the table without columns in which no row has a value, unless they were chosen."""
    if table.chosen:
        return table
    columns = [
        column
        for column in table.columns
        if not column.values or any(value not in (None, "") for value in column.values)
    ]
    return replace(table, columns=columns)


def tables_in_text(answer: "Answer[Any]") -> list[Table]:
    """Return the tables for people without columns of pictures."""
    return [
        replace(table, columns=[column for column in table.columns if not is_picture(column)])
        for table in answer.for_people().tables
    ]
