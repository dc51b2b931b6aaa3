"""`--columns`: only these columns of the result, in this order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confint_cli.errors import CallError, unknown_name
from confint_cli.guesses import hint_for
from confint_cli.text import quoted, split_at_commas

if TYPE_CHECKING:
    from confint_cli.table import Table

Command = TypeVar("Command", bound=Callable[..., Any])
Given = Mapping[str, Any]  # the parameters of a call


def columns_option(command: Command) -> Command:
    """Add --columns, whose names are checked before the command begins: its work may be long."""

    @wraps(command)
    def checked(**values: Any) -> Any:
        if values["columns"]:
            values["columns"] = _checked(values["columns"])
        return command(**values)

    option = click.option(
        "--columns", multiple=True, metavar="NAME",
        help="Only these columns, in this order, by their names in tsv; repeat, or separate by "
        "commas.",
    )  # fmt: skip
    decorated: Any = option(checked)
    result: Command = decorated
    return result


def table_shown(table: "Table", names: Sequence[str]) -> "Table":
    """Return the columns asked for; all, with the views that people read, if none are named."""
    if not names:
        return table
    for name in names:
        if name not in table.names:
            raise unknown_name("column", name, table.names)
    return table.only(names)


def _checked(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names in the call, if its table will have columns that are called so."""
    from confint_cli.columns import names_of
    from confint_cli.errors import note
    from confint_cli.messages import show_notices

    context = click.get_current_context()
    command, given = str(context.info_name), context.params
    known = names_of(command, given)
    names = [name for name in split_at_commas(texts) if name]
    if not names:
        raise CallError("--columns names no column", f"there are: {', '.join(known)}")
    for place, name in enumerate(names):
        if name not in known:
            raise _unknown(command, name, given, known)
        if name in names[:place]:
            raise CallError(f"--columns names {quoted(name)} twice")
    empty = dict(_empty(command, given))
    notices = [note(f"{name} is empty: {empty[name]}") for name in names if name in empty]
    show_notices(notices, verbose=given["verbose"], quiet=given["quiet"])
    return tuple(names)


def _unknown(command: str, name: str, given: Given, known: Sequence[str]) -> CallError:
    from confint_cli.columns import added_by, table_of

    if parameter := added_by(command, name, given):
        option = _option(parameter)
        problem = f"there is no column {quoted(name)} without {option}"
        return CallError(problem, f"{option} asks for it")
    if table := table_of(command, given):
        problem = f"with {_option(table)}, no column is called {quoted(name)}"
        return CallError(problem, hint_for("column", name, known))
    return unknown_name("column", name, known)


def _option(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"


def _empty(command: str, given: Given) -> Iterator[tuple[str, str]]:
    """Yield columns that are there and will have no value in any row, each with the reason."""
    if command == "plan" and not (given["half_width"] or given["difference"]):
        for name in ("target", "topics_needed", "topics_needed_high"):
            yield name, "--half-width or --difference asks for it"
    if command == "plan" and given["assurance"] is None:
        yield "assurance", "--assurance asks for it"
    if command not in ("compare", "summary"):
        return
    from confint_cli.significance import asked_for, names

    paired = command == "compare" and not given["unpaired"]
    tests = asked_for(given["test"]) if paired else ("t",)
    for name in set(names()) - {*tests}:
        why = f"--test {name} computes it" if paired else "the test is Welch's t test, p_t"
        yield f"p_{name}", why
    if given["correct"] == "none":
        yield "p_adjusted", "--correct none asks for no correction"
    if paired:
        yield "hedges_g", "it is hedges_gz for paired differences"
        return
    yield "hedges_gz", "it is hedges_g for runs that are not paired"
    for name in ("wins", "ties", "losses"):
        yield name, "runs that are not paired have none"
