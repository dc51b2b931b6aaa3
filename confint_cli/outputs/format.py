"""What an output format is."""

from collections.abc import Callable
from dataclasses import dataclass

from confint_cli.common.table import Table
from confint_cli.outputs.cells import OutputOptions


@dataclass(frozen=True)
class OutputFormat:
    """An output format, with all that options and help texts say of it."""

    render: Callable[[Table, OutputOptions], str]  # → a text that ends with a newline
    endings: tuple[str, ...]  # of the names of such files; the first is the usual one
    place: int = 99  # in lists of formats, counted from 0; formats of equal place stand by name
    for_people: bool = False  # whether it shows a table's view, not its records
    signed: bool = False  # whether it has room for the signature as a comment: --signature
    exact: bool = False  # whether it has all digits, whatever --digits says
    by_layout: bool = False  # whether `confint score --layout` asks for it, instead of --format
