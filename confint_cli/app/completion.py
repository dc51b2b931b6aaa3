"""What Tab offers as the value of an option or argument, whichever command has it.

All of it follows from names: of parameters, of what stands for their values in the help (FILE), of
the files of a folder. So completion imports nothing slow, and it works for a new command, option or
method without a change here.
"""

import ast
import copy
import glob
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

import confint_cli
from confint_cli.app.columns import names_of
from confint_cli.app.command import Command
from confint_cli.app.files import files_of
from confint_cli.app.names import ASKED_OTHERWISE
from confint_cli.common import measures
from confint_cli.common.catalogue import BEYOND, CATALOGUE
from confint_cli.common.errors import DataError
from confint_cli.common.records import modules_in
from confint_cli.common.text import visible, without_endings
from confint_cli.stats import methods, significance

Names = Callable[[click.Context, str], Iterable[str]]  # takes call and word so far, returns names
Items = list[CompletionItem]  # type: ignore[type-arg, unused-ignore]

_ALL = "all"


class Completed(click.types.StringParamType):
    """A text for which Tab offers names or, with `files`, files if no name begins so."""

    def __init__(self, names: Names, *, several: bool = False, files: bool = False) -> None:
        self.names = names
        self.several = several  # separated by commas
        self.files = files

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str  # noqa: ARG002
    ) -> Items:  # fmt: skip
        """Return the names that begin with what is typed, each behind the names before it."""
        before, comma, begun = incomplete.rpartition(",") if self.several else ("", "", incomplete)
        names_before = set(before.split(","))
        values = [f"{before}{comma}{name}" for name in self.names(ctx, begun)
                  if name.startswith(begun) and name not in names_before]  # fmt: skip
        if not values and self.files:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(value) for value in dict.fromkeys(values)]


def add_completion(name: str, command: click.Command) -> None:
    """Give the parameters of a command that take texts the types that complete them."""
    parameters = [copy.copy(parameter) for parameter in command.params]  # commands share theirs
    for parameter in parameters:
        if isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _completed(name, parameter) or parameter.type
    command.params = parameters


def _completed(command: str, parameter: click.Parameter) -> Completed | None:
    """Return the type that completes a parameter, or None if its values are not known."""
    name = parameter.name or ""
    if isinstance(parameter, click.Argument) and command in _EXPLAINED:
        return Completed(_EXPLAINED[command])
    if name == "input_format":
        return Completed(_formats)
    if name in _LISTS:
        return Completed(_LISTS[name], several=True)
    if name == "labels":
        return Completed(_patterns)
    if name in _RUNS:
        return Completed(_runs, several=True, files=True)
    metavar = parameter.metavar or ""
    if "FILE" in metavar or "DIR" in metavar:
        return Completed(_all if f"{_ALL}|" in metavar else _nothing, files=True)
    return None


def _nothing(_context: click.Context, _begun: str) -> list[str]:
    return []


def _all(_context: click.Context, begun: str) -> list[str]:
    """Return `all` if a word is begun; for an empty word, Tab offers files instead."""
    return [_ALL] if begun else []


def _modules_of(package: str, *, besides: Sequence[str] = ()) -> list[str]:
    """Return the names of a package's modules, without importing it."""
    return modules_in(_folders_of(package), besides=besides)


def _folders_of(package: str) -> list[str]:
    return [os.path.join(root, *package.split(".")) for root in confint_cli.__path__]


def _methods(context: click.Context, _begun: str) -> list[str]:
    """Return the methods that --method of the command takes."""
    groups = context.command.groups if isinstance(context.command, Command) else ()
    facts = next(group.facts for group in groups if group.name == "estimating")
    return [
        methods.plain(name)
        for name, method in _declared("stats.methods", "METHOD", besides=["method"]).items()
        if (facts["population"] or not method.get("population"))
        and not (facts["differences"] and method.get("domain"))
    ]


def _declared(
    package: str, record: str, *, besides: Sequence[str] = ()
) -> dict[str, dict[str, object]]:
    """Return the plain values in the `record` of each module of a package, by module.

    They are read from the sources: to import the modules would import numpy, which takes long.
    """
    declared = {}
    for folder in _folders_of(package):
        for module in modules_in([folder], besides=besides):
            with open(os.path.join(folder, f"{module}.py"), encoding="utf-8") as source:
                declared[module] = _values_in(ast.parse(source.read()), record)
    return declared


def _values_in(source: ast.Module, record: str) -> dict[str, object]:
    """Return the keyword arguments of `record = Class(…)` that are constants, by keyword."""
    for statement in source.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            (target,) = statement.targets
            if isinstance(target, ast.Name) and target.id == record:
                return {
                    str(argument.arg): argument.value.value
                    for argument in statement.value.keywords
                    if isinstance(argument.value, ast.Constant)
                }
    return {}


def _every_method() -> list[str]:
    return [methods.plain(name) for name in _modules_of("stats.methods", besides=["method"])]


def _measures(_context: click.Context, begun: str) -> list[str]:
    """Return all names of measures that Tab may offer; who asks keeps those that begin so.

    They are trec_eval's if one of these begins with `begun`, else ir_measures' and old ones.
    """
    usual = [*dict.fromkeys([*measures.DEFAULTS, *measures.everything_scorable()])]
    if any(name.startswith(begun) for name in usual):
        return usual
    return [
        base + (sign + number if number else "")
        for measure in (*CATALOGUE, *BEYOND)
        for base, sign in ((measure.ir_measures, "@"), (measure.older, ""))
        for number in (measure.numbers if base else ())
    ]


def _formats(_context: click.Context, _begun: str) -> list[str]:
    return _modules_of("inputs.formats")


def _tests(_context: click.Context, _begun: str) -> list[str]:
    return significance.names()


def _columns(context: click.Context, _begun: str) -> list[str]:
    """Return the columns of the table that the call, as far as it is typed, asks for."""
    columns = context.command.columns if isinstance(context.command, Command) else None
    return names_of(columns, context.params) if columns else []


def _patterns(context: click.Context, _begun: str) -> list[str]:
    """Return patterns of paths, with the endings of the files that stand in the call already."""
    paths = [path for pattern in context.args for path in _files(pattern)]
    paths += context.params.get("files") or ()
    names = [os.path.basename(path) for path in paths] or ["bm25.run"]
    endings = dict.fromkeys(name.removeprefix(without_endings(name)) for name in names)
    return [
        *(f"{folder}{{run}}{ending}" for folder in ("{collection}/", "") for ending in endings),
        "none",
    ]


def _and_all(names: Names) -> Names:
    return lambda context, begun: [*names(context, begun), _ALL]


def _runs(context: click.Context, _begun: str) -> list[str]:
    """Return the names of the runs in the files that stand in the call already."""
    # An option without its value ends click's reading: files before it are left in args.
    patterns = [*(context.params.get("files") or ()), *context.args]
    paths = [path for pattern in patterns for path in _files(pattern)]
    return [visible(without_endings(path)) for path in paths]  # as the runs will be called


def _files(pattern: str) -> list[str]:
    """Return the files that a word of the call stands for: a path, or a pattern of paths."""
    paths = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern))
    return [file for path in paths for file in _files_of(path)]


def _files_of(path: str) -> list[str]:
    """Return the path of a file, or of the files in a folder; none if it cannot be listed."""
    with suppress(DataError):
        return files_of(path)
    return []


_RUNS = ("baseline", "reference")  # options that take runs
# By option that takes several names, separated by commas: what the names are.
_LISTS: dict[str, Names] = {
    "method": _and_all(_methods),
    "measure": _and_all(_measures),
    "test": _and_all(_tests),
    "columns": _columns,
}
# By command: what its argument takes.
_EXPLAINED: dict[str, Names] = {
    "methods": lambda *_: [*_every_method(), *ASKED_OTHERWISE],
    "measures": _measures,
    "formats": _formats,
    "tests": _tests,
}
