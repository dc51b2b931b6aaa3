"""What commands that explain share: a table of all there is, or the whole of one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from confint_cli.app.options import WritingOptions
from confint_cli.common.errors import CallError
from confint_cli.common.table import Cell, Column, Table


class Listed(Protocol):
    """A record with a line about it, and more."""

    @property
    def summary(self) -> str:
        """The line."""

    def full_text(self, name: str) -> str:
        """Return all there is to say."""


def show_records(
    name: str | None,
    records: Mapping[str, Listed],
    find: Callable[[str], Listed],
    options: WritingOptions,
) -> None:
    """Write a table of all records or, with a name, the explanation of one."""
    if name is not None:
        show_text(find(name).full_text(name), options)
        return
    show_listing({"name": [*records], "what": [one.summary for one in records.values()]}, options)


def show_listing(columns: Mapping[str, Sequence[Cell]], options: WritingOptions) -> None:
    """Write a table of what there is."""
    from confint_cli.app.conduct import Answer, table_output

    with table_output(options) as write:
        write(Answer(Table("", [Column(name, values) for name, values in columns.items()])), ())


def show_text(text: str, options: WritingOptions) -> None:
    """Write an explanation, which has no format but its own."""
    from confint_cli.app.files import destination

    if options.output_format:
        raise CallError("--format is for the list of all; an explanation is plain text")
    with destination(options.output) as put:
        put(text)
