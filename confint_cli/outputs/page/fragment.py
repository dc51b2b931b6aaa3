"""An answer as HTML for a notebook: tables, legends and sentences, without style or script."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from confint_cli.common.table import Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import (
    is_number_column,
    sentence_text,
    tables_in_text,
    text_rows,
    without_empty_columns,
)
from confint_cli.outputs.page.markup import prose, text
from confint_cli.studies.answer import Answer

_MOST_ROWS = 200  # of a table; a notebook with more is slow, and nobody reads them


def fragment(answer: Answer[Any], notices: Iterable[str] = ()) -> str:
    """Return the tables for people, the result in words, notices and the signature as HTML."""
    parts: list[str] = []
    digits = answer.decimals.for_people
    for table in map(without_empty_columns, tables_in_text(answer)):
        parts += _table(table, digits)
    parts += _paragraph(sentence_text(answer.for_people().sentence, digits))
    for notice in notices:
        parts += _paragraph(notice)
    parts.append(
        f"<details><summary><small>signature</small></summary>"
        f"<small><code>{text(answer.signature)}</code></small></details>"
    )
    return f"<div>{''.join(parts)}</div>"


def _table(table: Table, digits: int) -> Iterator[str]:
    """Yield a table with its title above it, its legends and its sentence below it."""
    if table.title:
        yield f"<p><strong>{prose(table.title)}</strong></p>"
    align = ["right" if is_number_column(column) else "left" for column in table.columns]
    rows = list(text_rows(table.columns, digits))
    yield "<table><thead>"
    yield _row("th", [visible(name) for name in table.names], align)
    yield "</thead><tbody>"
    for row in rows[:_MOST_ROWS]:
        yield _row("td", row, align)
    yield "</tbody></table>"
    if len(rows) > _MOST_ROWS:
        more = len(rows) - _MOST_ROWS
        yield from _paragraph(f"{more} more rows: .rows and .to_pandas() have all of them.")
    yield from _paragraph(sentence_text(table.sentence, digits), "strong")
    yield from _paragraph(" ".join(table.legends), "small")


def _row(tag: str, cells: Iterable[str], align: Iterable[str]) -> str:
    """Return a row of cells, which are texts, each aligned as its column."""
    columns = zip(map(escape, cells), align, strict=True)
    inside = (f'<{tag} style="text-align: {side}">{cell}</{tag}>' for cell, side in columns)
    return f"<tr>{''.join(inside)}</tr>"


def _paragraph(words: str, element: str = "") -> Iterator[str]:
    """Yield a paragraph, inside of an element, if there is one; nothing without words."""
    if words:
        yield (
            f"<p><{element}>{prose(words)}</{element}></p>" if element else f"<p>{prose(words)}</p>"
        )
