"""Rows of tables as figures take them: by name, in groups."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from confint_cli.table import Table

Record = dict[str, Any]
_STANDARDIZED = "standardised "


def records(table: Table) -> list[Record]:
    """Return a record of each row, with what only figures show of it.

    Measures of standardised scores are called that.
    """
    columns = {column.name: column.values for column in table.columns} | dict(table.for_figure)
    if "measure" in columns:
        kinds = _standardized(table.signature)
        columns["measure"] = [
            f"{kinds.get(str(measure), kinds.get('', ''))}{measure}"
            for measure in columns["measure"]
        ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _standardized(signature: Mapping[str, str]) -> dict[str, str]:
    """Return what comes before the names of measures; that of all, without a name."""
    if "standardize" in signature:
        return {"": _STANDARDIZED}
    measures, scales = (signature.get(name, "").split(",") for name in ("measures", "scale"))
    return {measure: _STANDARDIZED for measure, scale in zip(measures, scales) if scale}  # noqa: B905


def grouped(rows: Sequence[Record], *names: str) -> Iterator[list[Record]]:
    """Yield rows that follow one another and are the same in what has these names."""
    for _, group in groupby(rows, lambda row: [row[name] for name in names]):
        yield list(group)


def values_of(rows: Sequence[Record], name: str) -> list[Any]:
    """Return the different values there are, in the order in which they come."""
    return list(dict.fromkeys(row[name] for row in rows))
