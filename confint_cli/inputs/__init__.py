"""Per-topic scores from files: one file here a format, named as the user types it.

A format is found by a file's content. To add one, add a file with a `FORMAT`; nothing else
needs to change.
"""

import pkgutil
from functools import cache
from importlib import import_module

from confint_cli.errors import CallError, DataError
from confint_cli.inputs import _judgements as judgements
from confint_cli.inputs import _runs as runs
from confint_cli.inputs._format import Format, Head, Reader, Reading, Series, head_of
from confint_cli.inputs._source import STDIN, Source, name_of, read_source, stem
from confint_cli.text import nearest

__all__ = [
    "STDIN",
    "Format",
    "Reader",
    "Reading",
    "Series",
    "Source",
    "format_named",
    "formats",
    "name_of",
    "read_scores",
    "read_source",
    "stem",
]


@cache
def formats() -> dict[str, Format]:
    """Return every format by its name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {
        name: import_module(f"{__name__}.{name}").FORMAT
        for name in names
        if not name.startswith("_")
    }


def format_named(name: str) -> Format:
    """Return the format of that name, which the user typed."""
    if name not in formats():
        close = nearest(name, formats())
        hint = f"did you mean {close}? " if close else ""
        raise CallError(f"no format is called '{name}'", f"{hint}there are: {', '.join(formats())}")
    return formats()[name]


def read_scores(
    path: str, reader: Reader, input_format: str | None = None
) -> tuple[Format, Reading]:
    """Read a file of per-topic scores in whichever format it is."""
    source = read_source(path)
    found = format_named(input_format) if input_format else find_format(source)
    return found, found.read(source, reader)


def find_format(source: Source) -> Format:
    """Return the format that the beginning of the file shows."""
    head = head_of(source)
    matching = [name for name, one in formats().items() if not one.fallback and one.sniff(head)]
    if not matching:
        matching = [name for name, one in formats().items() if one.fallback and one.sniff(head)]
    if len(matching) == 1:
        return formats()[matching[0]]
    if matching:
        raise DataError(
            source.name,
            f"could be {' or '.join(matching)}",
            "say which with --input-format",
        )
    what = _a_file_for_scoring(head)
    if what:
        raise DataError(
            source.name,
            f"holds {what}, not per-topic scores",
            "to score runs, give the judgements as --qrels FILE and the runs as FILES",
        )
    raise DataError(
        source.name,
        "is in no known format",
        f"tried: {', '.join(formats())}; 'confint formats' shows them",
    )


def _a_file_for_scoring(head: Head) -> str:
    """Say what a file is that belongs to --qrels."""
    for reader, what in ((runs, "a run"), (judgements, "relevance judgements")):
        if reader.sniff(head):
            return what
    return ""
