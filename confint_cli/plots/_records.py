"""Rows of tables as figures take them: by name, in groups."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from confint_cli.table import Table

Record = dict[str, Any]


def records(table: Table) -> list[Record]:
    """Return a record of each row, with what only figures show of it."""
    columns = {column.name: column.values for column in table.columns} | dict(table.for_figure)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def grouped(rows: Sequence[Record], *names: str) -> Iterator[list[Record]]:
    """Yield rows that follow one another and are the same in what has these names."""
    for _, group in groupby(rows, lambda row: [row[name] for name in names]):
        yield list(group)


def values_of(rows: Sequence[Record], name: str) -> list[Any]:
    """Return the different values there are, in the order in which they come."""
    return list(dict.fromkeys(row[name] for row in rows))
