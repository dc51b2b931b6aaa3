"""What messages say about options of the command line, in the words of Python.

`--missing drop` is `missing="drop"`, `--all-pairs` is `all_pairs=True`, and 'confint compare' is
`compare(…)`. Only options that functions have are put so; others belong to the command line.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import click

import confint_cli
from confint_cli.app.cli import cli
from confint_cli.common.errors import Notice
from confint_cli.common.table import Cell, Table, View
from confint_cli.studies.answer import Answer, column_of

_NOT_KEYWORDS = frozenset(
    [
        "columns",
        "digits",
        "help",
        "output",
        "output_format",
        "plot",
        "quiet",
        "signature",
        "verbose",
    ]
)
_QUOTED = r"'[^']*'"
# The option, and the word behind it, which may be its value; not inside of a longer word.
_OPTION = re.compile(
    rf"(?<![\w'-])--([a-z][a-z-]*[a-z])(?:([ =])({_QUOTED}|[A-Z]+\b|-?\d[\w.%]*|[a-z][\w,-]*))?"
)
_SHORT = re.compile(r"(?<![\w'-])-([mq])(?= )")
_LONG = {"m": "measure", "q": "qrels"}
_COMMAND = re.compile(r"'confint ([a-z]+)( [^']*)?'")


def _is_function(command: str) -> bool:
    return command in confint_cli.__all__


@cache
def _options() -> dict[str, click.Option]:
    """Return the options of the commands that are functions, by their long names."""
    context = click.Context(cli)
    found: dict[str, click.Option] = {}
    for name in cli.list_commands(context):
        command = cli.get_command(context, name) if _is_function(name) else None
        for option in command.params if command else ():
            if isinstance(option, click.Option) and option.name not in _NOT_KEYWORDS:
                found |= {word.removeprefix("--"): option for word in option.opts}
    for of_results in ("format", "plot"):  # a keyword, and a method
        found[of_results] = click.Option([f"--{of_results}"])
    return found


@cache
def _words_of(option: str) -> frozenset[str]:
    """Return the words that can be values of an option."""
    from confint_cli.inputs.formats import formats
    from confint_cli.stats import methods, significance
    from confint_cli.studies.compare_view import CORRECTION_NAMES

    kind = _options()[option].type
    choices = kind.choices if isinstance(kind, click.Choice) else ()
    of_names = {
        "method": [*methods.intervals(), "all"],
        "test": [*significance.names(), "all"],
        "correct": [*CORRECTION_NAMES, "none"],
        "resamples": ["ideal"],
        "labels": ["none"],
        "standardize": ["all"],
        "measure": ["all"],
        "input-format": formats(),
    }
    return frozenset([*map(str, choices), *of_names.get(option, [])])


def in_python(text: str) -> str:
    """Return a message with keyword arguments in the place of options."""
    if "-" not in text and "'confint " not in text:
        return text
    in_full = _SHORT.sub(lambda found: f"--{_LONG[found[1]]}", text)
    return _OPTION.sub(_keyword, _COMMAND.sub(_function, in_full))


def _function(found: re.Match[str]) -> str:
    """Return `'confint plan --margin 0.01'` as `plan(…, margin=0.01)`."""
    name, rest = found[1], (found[2] or "").strip()
    if not _is_function(name):
        return found[0]
    keywords = [_OPTION.sub(_keyword, word) for word in re.findall(r"--[^-]\S*(?: [^-]\S*)?", rest)]
    return f"{name}({', '.join(['…', *keywords])})"


def _keyword(found: re.Match[str]) -> str:
    name, between, value = found[1], found[2] or "", found[3] or ""
    option = _options().get(name)
    if option is None:
        return found[0]
    keyword = str(option.name)
    if option.is_flag:
        return f"{keyword}=True{between}{value}"
    word = value.rstrip(",-")
    after = value[len(word) :]
    if not word[:1].islower() and word:
        return f"{keyword}={word}{after}"
    if word and {*word.split(",")} <= _words_of(name):
        return f'{keyword}="{word}"{after}'
    return f"{keyword}{between}{value}"


def has_options_in_names(answer: Answer[Any]) -> bool:
    """Say whether a run, say, has a name such as `x --strict`, which is not to be put otherwise."""
    fields = {"run", "baseline", "collection", "measure"} & {*answer.names}
    names = {str(name) for field in fields for name in column_of(answer.rows, field)}
    return any(in_python(name) != name for name in names)


def notice_in_python(notice: Notice) -> Notice:
    """Return a notice in the words of Python."""
    return replace(notice, text=in_python(notice.text))


def answer_in_python(answer: Answer[Any]) -> Answer[Any]:
    """Return an answer whose legends and sentences for people are in the words of Python."""
    if answer.gate is not None:
        answer = replace(answer, gate=replace(answer.gate, about=in_python(answer.gate.about)))
    view = answer.view
    if view is None:
        return answer

    def said(own: Answer[Any]) -> View:
        shown = view(own)
        tables = [_table(table) for table in shown.tables]
        return replace(shown, tables=tables, sentence=_cells(shown.sentence))

    return replace(answer, view=said)


def _table(table: Table) -> Table:
    columns = [replace(column, legend=in_python(column.legend)) for column in table.columns]
    return replace(
        table, columns=columns, legend=in_python(table.legend), sentence=_cells(table.sentence)
    )


def _cells(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a sentence, of which some are words."""
    return [in_python(cell) if isinstance(cell, str) else cell for cell in cells]
