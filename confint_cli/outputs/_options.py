"""What all output formats need to know."""

from dataclasses import dataclass


@dataclass(frozen=True)
class OutputOptions:
    """How to render a table."""

    digits: int = 4
    signature: bool = False
    width: int | None = None  # of the terminal; None: find out
    color: bool = False
