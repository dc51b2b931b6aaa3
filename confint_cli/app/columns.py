"""The columns of the table that a call writes, by name, known before anything is computed.

So a name that `--columns` misspells is told of at once, and Tab can offer names without importing
anything slow. A test keeps them the same as those of the tables that are written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from confint_cli.common.errors import CallError, hint_for, note, unknown_name
from confint_cli.common.text import quoted, split_at_commas
from confint_cli.stats import significance

if TYPE_CHECKING:
    from confint_cli.common.table import Table


@dataclass(frozen=True)
class _Named:
    """A column, and the parameter of a call without which there is none; "": there always is."""

    name: str
    added_by: str = ""


_Columns = tuple[_Named, ...]


def _columns(names: str, added_by: str = "") -> _Columns:
    return tuple(_Named(name, added_by) for name in names.split())


_SCORES = _columns("run topic measure score")
_MEANS = _columns("measure run method level topics mean sd se low high shape note")
_BEFORE_TESTS = "mean baseline_mean difference method level low high t df"
_BEHIND_TESTS = "p_adjusted glass_delta hedges_gz hedges_g wins ties losses note"


def _comparisons(baseline_topics: _Columns) -> _Columns:
    p = " ".join(f"p_{name}" for name in significance.names())
    return (
        *_columns("measure run baseline topics"),
        *baseline_topics,
        *_columns(f"{_BEFORE_TESTS} {p} {_BEHIND_TESTS}"),
    )


_SHAPE = "topics mean sd min q1 median q3 max zeros skew shapiro_w shapiro_p note"
_OWN_TOPICS = "baseline_topics"  # where a run and its baseline need not be on the same ones

# By command; where an option asks for another table, by the name of its parameter.
_TABLES: dict[str, dict[str, _Columns]] = {
    "score": {"": _SCORES},
    "standardize": {"": _SCORES},
    "interval": {"": _MEANS},
    "summary": {"": _MEANS, "baseline": _comparisons(_columns(_OWN_TOPICS))},
    "compare": {"": _comparisons(_columns(_OWN_TOPICS, "unpaired"))},
    "bayes": {
        "": (
            *_columns("measure run baseline topics"),
            *_columns(_OWN_TOPICS, "unpaired"),
            *_columns("quantity eap sd low high threshold probability ess"),
            *_columns("p_below p_within p_above", "rope"),
            *_columns("sample confidence_low confidence_high p_one_sided", "classical"),
            *_columns("note"),
        )
    },
    "rank": {
        "": _columns(
            "measure rank run topics mean low high rank_low rank_high own_rank_low own_rank_high "
            "first_share tied_with_best note"
        )
    },
    "risk": {
        "": _columns(
            "measure run baseline topics r method level urisk_minus trisk georisk low high wins "
            "losses shapiro_topics shapiro_bootstrap note"
        ),
        "summary": _columns(
            "measure baseline topics runs r method level urisk_minus low low_notch_low "
            "low_notch_high high high_notch_low high_notch_high low_from_t high_from_t disagree "
            "shapiro_topics shapiro_bootstrap note"
        ),
    },
    "coverage": {
        "": _columns(
            "measure run method level sample_size replicates coverage coverage_low coverage_high "
            "miss_low miss_high width note"
        ),
        "summary": _columns(
            "measure method level sample_size runs mean sd min q1 median q3 max error_mean "
            "error_sd error_max width distance miss_low miss_high"
        ),
    },
    "plan": {
        "": _columns(
            "measure design sd target level power assurance topics_now topics_needed "
            "topics_needed_high attained runs note"
        )
    },
    "describe": {
        "": _columns(f"measure run {_SHAPE}"),
        "differences": _columns(f"measure run baseline {_SHAPE}"),
    },
}


def names_of(command: str, given: Mapping[str, object]) -> list[str]:
    """Return the columns of the table that a command writes if these parameters are given."""
    columns = _TABLES[command][table_of(command, given)]
    return [one.name for one in columns if not one.added_by or is_said(given.get(one.added_by))]


def table_of(command: str, given: Mapping[str, object]) -> str:
    """Return the parameter that asks for the table of this call; of the usual one it is empty."""
    return next((name for name in _TABLES[command] if name and is_said(given.get(name))), "")


def added_by(command: str, name: str, given: Mapping[str, object]) -> str:
    """Return the parameter with which there would be a column of that name; "": there is none."""
    here = table_of(command, given)
    for one in _TABLES[command][here]:
        if one.name == name:
            return one.added_by
    others = {} if here else _TABLES[command]
    return next((table for table, own in others.items() if name in {one.name for one in own}), "")


def is_said(value: object) -> bool:
    """Say whether a parameter has a value; names that are blank are none."""
    if isinstance(value, tuple) and value and all(isinstance(one, str) for one in value):
        return any(one.strip(" ,") for one in value)
    return bool(value)


Given = Mapping[str, Any]  # the parameters of a call


def table_shown(table: "Table", names: Sequence[str]) -> "Table":
    """Return the columns asked for; all, with the views that people read, if none are named."""
    if not names:
        return table
    for name in names:
        if name not in table.names:
            raise unknown_name("column", name, table.names)
    return table.only(names)


def columns_asked_for(context: click.Context) -> tuple[str, ...]:
    """Return the names of --columns, if the table of the call will have columns called so."""
    from confint_cli.app.messages import show_notices

    command, given = str(context.info_name), context.params
    known = names_of(command, given)
    names = [name for name in split_at_commas(given["columns"]) if name]
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
    from confint_cli.app.names import tests_asked_for

    paired = command == "compare" and not given["unpaired"]
    tests = tests_asked_for(given["test"]) if paired else ("t",)
    for name in set(significance.names()) - {*tests}:
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
