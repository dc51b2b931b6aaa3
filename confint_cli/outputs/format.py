"""The record that each output format has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confint_cli.outputs.cells import OutputOptions

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer


@dataclass(frozen=True, eq=False)
class OutputFormat:
    """An output format, and what options and help texts need to know about it."""

    render: "Callable[[Answer[Any], OutputOptions], str]"  # returns a text that ends with a newline
    summary: str  # what it is for, in one line
    endings: tuple[str, ...]  # of file names in this format; the first is the usual one
    place: int = 99  # in lists of formats, from 0; formats of equal place are sorted by name
    for_people: bool = False  # whether it shows tables for people, not records
    signed: bool = False  # whether --signature puts the signature into it as a comment
    exact: bool = False  # whether it has all digits, whatever --digits says
    by_layout: bool = False  # whether users choose it by `confint score --layout`, not by --format
