"""How a command is made of a function and options in groups, and what becomes of its call.

Each group has a heading in the help, and may reach the function as one record.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import click
from click.core import ParameterSource

from confint_cli.app.columns import Columns, columns_asked_for
from confint_cli.app.task import DirectTask, Task
from confint_cli.common.system import let_go, shortage, what_needs_less
from confint_cli.outputs import figures

OWN, READING, STATISTICS, OUTPUT = "Options", "Reading", "Statistics", "Output"
"""The headings of a help text, in their order."""
_NAMES = 24  # columns of a help text for names of options: the rest has room on narrow terminals


@dataclass(frozen=True)
class Group:
    """Options that stand together in the help, and may reach a command as one record."""

    title: str  # the heading; "": they stand among the command's own
    options: tuple[click.Parameter, ...]
    name: str = ""  # of the command's parameter that gets the record
    record: Callable[..., Any] | None = None  # takes values of options, and facts, as keywords
    facts: Mapping[str, Any] = field(default_factory=dict)  # fields that the command itself sets
    with_figure: "Group | None" = None  # what stands for it in a command that can draw a figure


class Command(click.Command):
    """A command whose options are in groups."""

    def __init__(
        self,
        *,
        groups: tuple[Group, ...],
        columns: Columns | None,
        long_work: bool,
        needs_less: str,
        **settings: Any,
    ) -> None:
        super().__init__(None, **settings)
        self.groups = groups
        self.columns = columns  # of the tables it writes; None: it writes none of its own
        self.long_work = long_work  # whether to get the machine ready for long work on arrays
        self.needs_less = needs_less  # what to try if memory is short

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command with a record for each group, and return its exit status."""
        if self.long_work:  # before anything imports numpy
            from confint_cli.common.parallel import prepare_for_arrays

            prepare_for_arrays()
        values = self.records(ctx)
        try:
            return self._carried_out(self.asked(values), values)
        except MemoryError as error:
            if "reading" not in {group.name for group in self.groups}:  # nothing to make smaller
                raise
            let_go(error)
            raise shortage("", what_needs_less(self.needs_less, ctx.params)) from None

    def records(self, ctx: click.Context) -> dict[str, Any]:
        """Return the values of a call as the command takes them: a record for each group."""
        values = dict(ctx.params)
        if self.columns and values.get("columns"):  # before the work, which may be long
            values["columns"] = columns_asked_for(ctx, self.columns)
        for group in self.groups:
            if group.record is not None:
                names = [str(option.name) for option in group.options]
                fields = {name: values.pop(name) for name in names}
                values[group.name] = group.record(**fields, **group.facts)
        return values

    def asked(self, values: Mapping[str, Any]) -> Any:
        """Call the command with those of the values that it names, and return what it returns."""
        assert self.callback is not None, "every command has one"
        code = self.callback.__code__
        return self.callback(
            **{name: values[name] for name in code.co_varnames[: code.co_argcount]}
        )

    def _carried_out(self, result: Any, values: Mapping[str, Any]) -> Any:
        """Return the exit status of a task that the command returned; of anything else, itself."""
        if isinstance(result, Task):
            from confint_cli.app.conduct import conduct

            return conduct(result, values["reading"], values["writing"])
        if isinstance(result, DirectTask):
            from confint_cli.app.conduct import present

            return present(result, values["writing"])
        return result

    def sections(self, parameters: Iterable[click.Parameter]) -> dict[str, list[click.Parameter]]:
        """Return parameters by the heading that they stand under: the command's own come first."""
        titles = {option.name: group.title for group in self.groups for option in group.options}
        by_title: dict[str, list[click.Parameter]] = {
            title: [] for title in (OWN, READING, STATISTICS, OUTPUT)
        }
        for parameter in parameters:
            is_own = parameter in self.params or not self.groups  # --help is no command's own
            by_title[titles.get(parameter.name) or (OWN if is_own else OUTPUT)].append(parameter)
        return by_title

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options first, then those of each group under its heading."""
        for title, parameters in self.sections(self.get_params(ctx)).items():
            options = [option for option in parameters if isinstance(option, click.Option)]
            lines = [line for option in options if (line := option.get_help_record(ctx))]
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines, col_max=_NAMES)


def command_of(
    *groups: Group,
    short_help: str,
    examples: str,
    columns: Columns | None = None,
    long_work: bool = False,
    needs_less: str = "",
) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a command of a function, its own options and these groups.

    `columns` are those of its tables, if it writes any. `long_work` is for a command that gets the
    machine ready for long work on arrays; `needs_less` says what to try if memory is short. A group
    may be another one if there is a figure of the command's name.
    """

    def decorate(function: Callable[..., Any]) -> Command:
        has_figure = function.__module__.rpartition(".")[2] in figures.names()
        own_groups = [
            group.with_figure if group.with_figure is not None and has_figure else group
            for group in groups
        ]
        last_first: list[click.Parameter] = getattr(function, "__click_params__", [])
        untitled = [option for group in own_groups if not group.title for option in group.options]
        titled = [option for group in own_groups if group.title for option in group.options]
        return Command(
            callback=function,
            params=[*untitled, *reversed(last_first), *titled],
            help=function.__doc__,
            short_help=short_help,
            epilog=f"\b\nExamples:\n{examples}",
            groups=tuple(own_groups),
            columns=columns,
            long_work=long_work,
            needs_less=needs_less,
        )

    return decorate


def has_option(name: str) -> bool:
    """Say whether the command of the call has the option of this name."""
    return name in {option.name for option in click.get_current_context().command.params}


def is_given(name: str) -> bool:
    """Say whether the call itself has the option of this name, so that it is not the default."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)
