"""What commands that list and explain records share: a table of all, or the text about one."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Protocol

from confint_cli.app.options import WritingOptions
from confint_cli.common.errors import CallError
from confint_cli.common.table import Cell


class Listed(Protocol):
    """A record that a command lists and explains."""

    @property
    def summary(self) -> str:
        """The line about the record in the list."""

    def full_text(self, name: str) -> str:
        """Return the whole explanation, under this `name`."""


def show_records(
    name: str | None,
    records: Mapping[str, Listed],
    find: Callable[[str], Listed],
    options: WritingOptions,
) -> None:
    """Write a table of all `records` or, with a name, the explanation of the one that it finds."""
    if name is not None:
        show_text(find(name).full_text(name), options)
        return
    summaries = [record.summary for record in records.values()]
    show_listing({"name": [*records], "what": summaries}, options)


def show_listing(columns: Mapping[str, Sequence[Cell]], options: WritingOptions) -> None:
    """Write a table of these columns, given by name."""
    from confint_cli.app.writing import table_output
    from confint_cli.studies.answer import Answer, Columnar, fields

    with table_output(options) as write:
        write(Answer(Columnar(SimpleNamespace, columns), fields(" ".join(columns)), {}))


def show_text(text: str, options: WritingOptions) -> None:
    """Write an explanation; raise CallError for --format, as it is plain text."""
    from confint_cli.app.files import destination

    if options.output_format:
        raise CallError("--format is only for the list; an explanation is plain text")
    with destination(options.output) as put:
        put(text)
