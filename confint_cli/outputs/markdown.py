"""A Markdown table, as GitHub and pandoc read it."""

import re

from confint_cli.common.table import Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import (
    OutputOptions,
    is_number_column,
    parts_in_text,
    sentence_text,
    text_rows,
    without_empty_columns,
)
from confint_cli.outputs.format import OutputFormat

_SPECIAL = re.compile(r"([\\`*_{}\[\]#!|~<>$&^])")
# What GitHub makes a link of by itself: https://…, www.… and addresses.
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=[\w.+-])@(?=[\w\\-]*\.[\w.\\-]*[a-z])", re.IGNORECASE | re.ASCII)
_LIST_ITEM = re.compile(r"(\d{0,9})([-+.)])(?=\s)")  # what a paragraph must not begin with


def render(table: Table, options: OutputOptions) -> str:
    """Return the table with numbers flush right; a name shows as it is, whatever is in it."""
    lines: list[str] = []
    if options.signature:
        # Two hyphens in a row might end a comment early.
        comment = re.sub("-(?=-)", "- ", visible(table.signature_text))
        lines += [f"<!-- {comment} -->", ""]
    for part in map(without_empty_columns, parts_in_text(table)):
        if part.title:
            lines += [f"**{_escape(part.title)}**", ""]
        lines += [*_lines(part, options.digits), ""]
        if part.legends:
            lines += [_paragraph(_escape(" ".join(part.legends))), ""]
        if part.sentence:
            lines += [_paragraph(sentence_text(part, options.digits, _escape)), ""]
    return "\n".join(lines)


def _lines(table: Table, digits: int) -> list[str]:
    rows = [tuple(map(_escape, table.names)), *text_rows(table.columns, digits, _escape)]
    widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
    right = [is_number_column(column) for column in table.columns]
    lines = [_line(row, widths, right) for row in rows]
    rule = [
        "-" * (width - 1) + ":" if flush else "-" * width
        for width, flush in zip(widths, right, strict=True)
    ]
    return [lines[0], f"| {' | '.join(rule)} |", *lines[1:]]


def _line(cells: tuple[str, ...], widths: list[int], right: list[bool]) -> str:
    padded = (
        cell.rjust(width) if flush else cell.ljust(width)
        for cell, width, flush in zip(cells, widths, right, strict=True)
    )
    return f"| {' | '.join(padded)} |"


def _escape(name: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", visible(name))
    escaped = _LINK.sub(lambda match: f"\\{match[0]}", escaped)
    return _ADDRESS.sub("`@`", escaped)  # no backslash keeps an address from being a link


def _paragraph(text: str) -> str:
    """Return a text that begins no list, whatever its first word is."""
    match = _LIST_ITEM.match(text)
    return f"{match[1]}\\{text[match.start(2) :]}" if match else text


FORMAT = OutputFormat(render, endings=(".md", ".markdown"), place=5, for_people=True, signed=True)
