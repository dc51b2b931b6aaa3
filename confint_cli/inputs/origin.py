"""Where scores come from, a file or an object in memory, as far as messages need to know it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from confint_cli.common.errors import DataError

RUN, MEASURE = "run", "score"
"""What a run and a measure are called if neither the data nor the caller names them."""


class Origin(Protocol):
    """A file or an object in memory; `Source` and `Memory` are of this kind."""

    @property
    def path(self) -> str:
        """What the user gave: a path, or what stands for it."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def stem(self) -> str:
        """The name that it gives to its run or its measure; empty: it has none to give."""

    @property
    def size(self) -> int:
        """Roughly how many bytes it has, or would have as text."""

    def place(self, number: int) -> str:
        """Return what messages call a row: `line 3`."""

    def error(self, number: int, problem: str, hint: str = "") -> DataError:
        """Return an error that points at a row."""

    def header_error(self, problem: str, hint: str = "") -> DataError:
        """Return an error that points at the names of the columns."""


@dataclass(frozen=True)
class Memory:
    """An object in memory: the name that the caller gives to it, if any, and what it is."""

    stem: str  # empty: it has no name
    kind: str  # such as `the DataFrame`
    size: int
    row_in_words: Callable[[int], str] = "row {}".format  # for a position from 0

    @property
    def path(self) -> str:
        """What stands for the path of a file; `-` would be standard input."""
        return self.stem if self.stem not in ("", "-") else self.kind

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.path

    def place(self, number: int) -> str:
        """Return what messages call a row: `row 3`."""
        return self.row_in_words(number)

    def error(self, number: int, problem: str, hint: str = "") -> DataError:
        """Return an error that points at a row."""
        return DataError(f"{self.name}, {self.row_in_words(number)}", problem, hint)

    def header_error(self, problem: str, hint: str = "") -> DataError:
        """Return an error about the names of columns."""
        return DataError(self.name, problem, hint)


@dataclass(frozen=True)
class FileRows:
    """A file whose rows are known by a position from 0, not by the line they are in."""

    file: Origin
    row_in_words: Callable[[int], str] = "row {}".format
    lines: Sequence[int] | None = None  # the line of each row, if each has one of its own

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.file.path

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.file.name

    @property
    def stem(self) -> str:
        """The name of the file without folder and endings."""
        return self.file.stem

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        return self.file.size

    def place(self, number: int) -> str:
        """Return what messages call a row."""
        return self.file.place(self.lines[number]) if self.lines else self.row_in_words(number)

    def error(self, number: int, problem: str, hint: str = "") -> DataError:
        """Return an error that points at a row."""
        if self.lines:
            return self.file.error(self.lines[number], problem, hint)
        return DataError(f"{self.name}, {self.row_in_words(number)}", problem, hint)

    def header_error(self, problem: str, hint: str = "") -> DataError:
        """Return an error about the names of columns."""
        return DataError(self.name, problem, hint)
