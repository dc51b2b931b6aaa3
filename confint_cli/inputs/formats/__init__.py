"""The formats of per-topic scores: a module for each, with the name that the user types.

Each has a `FORMAT`: how to know it, how to read it, and what `confint formats` says of it. To add
one, add a file; nothing else needs to change.
"""

from functools import cache
from typing import TYPE_CHECKING

from confint_cli.common.guesses import unknown_name
from confint_cli.common.records import records_in

if TYPE_CHECKING:
    from confint_cli.inputs.reading import Format


@cache
def formats() -> "dict[str, Format]":
    """Return every format by its name."""
    return records_in(__name__, __path__, "FORMAT")


def format_named(name: str) -> "Format":
    """Return the format of the `name` that the user typed; raise an error if there is none."""
    if name not in formats():
        raise unknown_name("format", name, formats())
    return formats()[name]
