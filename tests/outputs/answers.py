"""Answers for tests of output formats: of records, or with tables for people."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from confint_cli.common.table import Cell, Column, Table, View
from confint_cli.studies.answer import Answer, Columnar, Field


def recorded(
    columns: Sequence[Column], facts: Mapping[str, Any] | None = None, *, chosen: bool = False
) -> Answer[Any]:
    """An answer whose records have these columns, which people see as well."""
    rows = Columnar(SimpleNamespace, {column.name: column.values for column in columns})
    fields = tuple(Field(one.name, one.exact, one.significant) for one in columns)
    return Answer(rows, fields, dict(facts or {}), chosen=chosen)


def viewed_as(
    *tables: Table,
    columns: Sequence[Column] = (Column("run", ["a"]),),
    facts: Mapping[str, Any] | None = None,
    sentence: Sequence[Cell] = (),
) -> Answer[Any]:
    """An answer that people see as these tables."""
    answer = recorded(columns, facts)
    view = View(tables, sentence)
    return Answer(answer.rows, answer.fields, answer.facts, view=lambda _: view)
