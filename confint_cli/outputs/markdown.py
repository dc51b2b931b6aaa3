"""A Markdown table, as GitHub and pandoc read it."""

import re
from typing import TYPE_CHECKING, Any

from confint_cli.common.table import Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import (
    OutputOptions,
    is_number_column,
    sentence_text,
    tables_in_text,
    text_rows,
    without_empty_columns,
)
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer

_SPECIAL = re.compile(r"([\\`*_{}\[\]#!|~<>$&^])")
# GitHub makes links of https://…, www.… and addresses by itself.
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=[\w.+-])@(?=[\w\\-]*\.[\w.\\-]*[a-z])", re.IGNORECASE | re.ASCII)
_LIST_ITEM = re.compile(r"(\d{0,9})([-+.)])(?=\s)")  # what a paragraph must not begin with


def comment(words: str) -> str:
    """Return a comment. Two hyphens in a row might end it early."""
    return f"<!-- {re.sub('-(?=-)', '- ', visible(words))} -->"


def render(answer: "Answer[Any]", options: OutputOptions) -> str:
    """Return the tables for people, each with its title, its legends and its sentence.

    Numbers are flush right. A name shows as it is, whatever is in it.
    """
    text: list[str] = []
    if options.signature:
        text += [comment(answer.signature), ""]
    for table in map(without_empty_columns, tables_in_text(answer)):
        if table.title:
            text += [f"**{escape(table.title)}**", ""]
        text += [*lines(table, options.digits), ""]
        if table.legends:
            text += [paragraph(escape(" ".join(table.legends))), ""]
        if table.sentence:
            text += [paragraph(sentence_text(table.sentence, options.digits, escape)), ""]
    return "\n".join(text)


def lines(table: Table, digits: int) -> list[str]:
    """Return the header, the rule below it, and a line for each row."""
    rows = [tuple(map(escape, table.names)), *text_rows(table.columns, digits, escape)]
    widths = [max(3, *map(len, texts)) for texts in zip(*rows, strict=True)]
    flush_right = [is_number_column(column) for column in table.columns]
    texts = [_line(row, widths, flush_right) for row in rows]
    rule = [
        "-" * (width - 1) + ":" if is_right else "-" * width
        for width, is_right in zip(widths, flush_right, strict=True)
    ]
    return [texts[0], f"| {' | '.join(rule)} |", *texts[1:]]


def _line(cells: tuple[str, ...], widths: list[int], flush_right: list[bool]) -> str:
    padded = (
        cell.rjust(width) if is_right else cell.ljust(width)
        for cell, width, is_right in zip(cells, widths, flush_right, strict=True)
    )
    return f"| {' | '.join(padded)} |"


def escape(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    escaped = _SPECIAL.sub(r"\\\1", visible(text))
    escaped = _LINK.sub(lambda match: f"\\{match[0]}", escaped)
    return _ADDRESS.sub("`@`", escaped)  # no backslash keeps an address from being a link


def paragraph(text: str) -> str:
    """Return a paragraph's text, its first word escaped if Markdown would begin a list with it."""
    match = _LIST_ITEM.match(text)
    return f"{match[1]}\\{text[match.start(2) :]}" if match else text


FORMAT = OutputFormat(
    render,
    summary="web pages and issues",
    endings=(".md", ".markdown"),
    place=5,
    for_people=True,
    signed=True,
)
