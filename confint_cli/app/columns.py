"""The columns of the table that a call writes, by name, known before anything is computed.

So an error about a misspelt name in `--columns` comes at once, and Tab can offer names without
importing anything slow. Each command declares its columns; what they are called stands in
`studies/columns.py`, for it and for the study.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from confint_cli.common.errors import CallError, note
from confint_cli.common.guesses import hint_for, unknown_name
from confint_cli.common.text import quoted, split_at_commas
from confint_cli.scores.treatments import BOUNDS
from confint_cli.stats import significance
from confint_cli.studies import scope
from confint_cli.studies.columns import Part

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer, Row


_ASKING = {
    scope.OF_COLLECTIONS: {"labels": "{collection}"},
    scope.OF_GROUPS: {"groups": ""},
    scope.OF_REPEATS: {"labels": "{repeat}"},
    scope.OF_JUDGE: {"judge_qrels": "", "judge_scores": ""},
    scope.OF_BOUNDS: {"unjudged": BOUNDS},
}
"""The parameters of a call that ask for a design, and what is in the value of each then."""


class Named(NamedTuple):
    """The name of a column that all calls of a command have, or those with some parameter."""

    name: str
    added_by: str = ""  # the parameter without which the column is missing; "": it never is
    designs: tuple[str, ...] = ()  # those that have the column; none: it is not of a design

    def is_in(self, given: "Given") -> bool:
        """Say whether the table of a call has the column."""
        if self.designs:
            return any(_asks_for(design, given) for design in self.designs)
        return not self.added_by or has_value(given.get(self.added_by))


Given = Mapping[str, Any]  # the parameters of a call, by name


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of the tables that a command writes."""

    usual: tuple[Named, ...]
    instead: Mapping[str, tuple[Named, ...]] = field(default_factory=dict)
    """The columns of other tables, each by the parameter that asks for that table."""
    empty: Callable[[Given], Iterable[tuple[str, str]]] = lambda _given: ()
    """Takes a call; returns the columns that will be empty in all rows, each with the reason."""


def named(names: str, added_by: str = "") -> tuple[Named, ...]:
    """Return the columns in a text of names separated by blanks.

    If they are `added_by` a parameter, they exist only in calls that have it.
    """
    return tuple(Named(name, added_by) for name in names.split())


def of_parts(parts: Iterable[Part]) -> tuple[Named, ...]:
    """Return the columns of a table of which some are only in calls that ask for them."""
    return tuple(column for part in parts for column in named(part.names, part.asked_by))


def of_designs(columns: tuple[Named, ...]) -> tuple[Named, ...]:
    """Return the columns with those that a call has by its design, such as groups or a judge."""
    by_name = {column.name: column for column in columns}
    return tuple(
        by_name.get(name) or _further(name) for name in scope.with_further([*by_name], [*_ASKING])
    )


def _further(name: str) -> Named:
    """Return the column of a design."""
    designs = scope.designs_with(name)
    return Named(name, next(iter(_ASKING[designs[0]])), designs)


def _asks_for(design: str, given: "Given") -> bool:
    """Say whether a call asks for a design; tables may have one without being asked."""
    return any(
        has_value(value := given.get(parameter)) and (not field or field in "".join(value or ()))
        for parameter, field in _ASKING[design].items()
    )


def empty_of_comparisons(given: Given, *, paired: bool) -> Iterator[tuple[str, str]]:
    """Yield the columns of compared runs that will be empty, each with the reason."""
    from confint_cli.app.names import tests_asked_for

    tests = tests_asked_for(given["test"]) if paired else ("t",)
    for name in set(significance.names()) - {*tests}:
        why = f"--test {name} computes it" if paired else "the test is Welch's t test, p_t"
        yield f"p_{name}", why
    if given["correct"] == "none":
        yield "p_adjusted", "--correct none asks for no correction"
    if paired:
        for name in ("hedges_g", "hedges_g_low", "hedges_g_high"):
            yield name, "paired differences have hedges_gz instead"
        return
    for name in ("hedges_gz", "hedges_gz_low", "hedges_gz_high"):
        yield name, "runs that are not paired have hedges_g instead"
    for name in ("wins", "ties", "losses"):
        yield name, "runs that are not paired have no wins, ties and losses"


def names_of(columns: Columns, given: Given) -> list[str]:
    """Return the names of the columns that the table of a call has, in order."""
    possible = columns.instead.get(table_of(columns, given), columns.usual)
    return [column.name for column in possible if column.is_in(given)]


def table_of(columns: Columns, given: Given) -> str:
    """Return the parameter that asks for the table of a call; "": it is the usual table."""
    return next((name for name in columns.instead if has_value(given.get(name))), "")


def added_by(columns: Columns, name: str, given: Given) -> str:
    """Return the parameter with which a call would have the column `name`; "": there is none."""
    table = table_of(columns, given)
    for column in columns.instead.get(table, columns.usual):
        if column.name == name:
            return column.added_by
    others = {} if table else columns.instead
    tables = {other: {column.name for column in possible} for other, possible in others.items()}
    return next((other for other, names in tables.items() if name in names), "")


def has_value(value: object) -> bool:
    """Say whether a parameter has a value; texts of nothing but blanks and commas are none."""
    if isinstance(value, tuple) and value and all(isinstance(text, str) for text in value):
        return any(text.strip(" ,") for text in value)
    return bool(value)


def answer_shown(answer: "Answer[Row]", names: Sequence[str]) -> "Answer[Row]":
    """Return the answer with the columns of these `names`; without names, as it is.

    Raise CallError for a name that no column has.
    """
    check_columns(answer, names)
    return answer.only(names) if names else answer


def check_columns(answer: "Answer[Row]", names: Sequence[str]) -> None:
    """Raise CallError for a name that no column has."""
    for name in names:
        if name not in answer.names:
            if designs := scope.designs_with(name):
                without = " or ".join(scope.NOUNS[design] for design in designs)
                raise CallError(f"there is no column {quoted(name)} without {without}")
            raise unknown_name("column", name, answer.names)


def columns_asked_for(context: click.Context, columns: Columns) -> tuple[str, ...]:
    """Return the names in --columns; raise CallError for one that the table will not have.

    A notice is shown for each column that will be empty.
    """
    from confint_cli.app.messages import show_notices

    given = context.params
    known = names_of(columns, given)
    names = [name for name in split_at_commas(given["columns"]) if name]
    if not names:
        raise CallError("--columns names no column", f"there are: {', '.join(known)}")
    possible = columns.instead.get(table_of(columns, given), columns.usual)
    of_tables = {column.name for column in possible if column.designs}
    for place, name in enumerate(names):
        if name not in known and name not in of_tables:  # tables may tell a design themselves
            raise _unknown(columns, name, given, known)
        if name in names[:place]:
            raise CallError(f"--columns names {quoted(name)} twice")
    empty = dict(columns.empty(given))
    notices = [note(f"{name} is empty: {empty[name]}") for name in names if name in empty]
    show_notices(notices, verbose=given["verbose"], quiet=given["quiet"])
    return tuple(names)


def _unknown(columns: Columns, name: str, given: Given, known: Sequence[str]) -> CallError:
    """Return the error for a column that this call does not have, though another call may."""
    if parameter := added_by(columns, name, given):
        option = _option(parameter)
        problem = f"there is no column {quoted(name)} without {option}"
        return CallError(problem, f"use {option} to get it")
    if table := table_of(columns, given):
        problem = f"with {_option(table)}, no column is called {quoted(name)}"
        return CallError(problem, hint_for("column", name, known))
    return unknown_name("column", name, known)


def _option(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"
