"""What the first rows of a table show: its header, and what is in each column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from confint_cli.errors import DataError
from confint_cli.inputs._columns import (
    MEASURE,
    RUN,
    SCORE,
    TOPIC,
    Header,
    folded_name,
    header_of,
    open_table,
)
from confint_cli.inputs._format import Head
from confint_cli.inputs._numerals import Numerals, is_gap, is_number, is_whole
from confint_cli.inputs._source import Source
from confint_cli.text import looks_numeric, quoted

_FEWEST_ROWS, _MOST_ROWS, _CELLS = 10, 50, 5000  # that show what is in a table's columns
_MAY_BE_ANYTHING = frozenset({"name", "model", "method", "tag", "sys"})  # and so a run's own name
_TEXTS = frozenset(
    {"answer", "response", "output", "actual_output", "expected_output", "reference",
     "ground_truth", "ground_truths", "context", "contexts", "retrieval_context",
     "retrieved_contexts", "reference_contexts", "text", "title", "description", "narrative"}
)  # fmt: skip
"""Columns that hold texts whatever is in them: an answer may be a number."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its name and its cells in the first rows."""

    place: int
    name: str
    cells: Sequence[str]

    @cached_property
    def folded(self) -> str:
        """The name without regard to case."""
        return folded_name(self.name)

    @cached_property
    def numbers(self) -> int:
        """How many cells are numbers."""
        return sum(is_number(cell) for cell in self.cells)

    @cached_property
    def filled(self) -> list[str]:
        """The cells that are not blank."""
        if self.numbers == len(self.cells):
            return [*self.cells]
        return [cell for cell in self.cells if not is_gap(cell)]

    @cached_property
    def is_text(self) -> bool:
        """Whether most cells are no numbers; a few of them would be faults."""
        return len(self.filled) > 2 * self.numbers or self.folded in _TEXTS

    @property
    def is_whole(self) -> bool:
        """Whether all cells are whole numbers without a sign."""
        return bool(self.filled) and all(map(is_whole, self.filled))

    @property
    def has_fractions(self) -> bool:
        """Whether all cells are numbers, and some of them are no whole ones; 301.0 is one."""
        if self.numbers < len(self.filled):
            return False
        values = [Numerals().plain(cell) for cell in self.filled]
        return any(value is not None and not float(value).is_integer() for value in values)

    @property
    def is_binary(self) -> bool:
        """Whether all cells are 0 or 1, as scores may be."""
        return {*self.filled} <= {"0", "1"}

    @property
    def is_empty(self) -> bool:
        """Whether there is neither a name nor anything else."""
        return not self.name and not any(self.cells)

    @property
    def may_be_a_name(self) -> bool:
        """Whether a run may be called so, or anything else: `model`."""
        return self.folded in _MAY_BE_ANYTHING

    @property
    def may_be_runs(self) -> bool:
        """Whether a column with the name of runs holds their names, not their scores."""
        if self.numbers < len(self.filled):
            return True
        return self.is_whole and not (self.may_be_a_name and self.is_binary)

    @property
    def may_be_topics(self) -> bool:
        """Whether the cells are different texts, or different whole numbers beyond 0 and 1."""
        if self.folded in _TEXTS or len(set(self.cells)) < len(self.cells):
            return False
        are_ids = all(is_whole(cell) or not is_number(cell) for cell in self.filled)
        return are_ids and bool(self.filled) and not self.is_binary

    @property
    def counts(self) -> bool:
        """Whether the cells are 0, 1, 2 … or 1, 2, 3 …, with zeros before them or without."""
        return self.is_whole and len(self.filled) == len(self.cells) and _counts(self.cells)


def counts_plainly(cells: Sequence[str]) -> bool:
    """Say whether cells are 0, 1, 2 … or 1, 2, 3 …; with zeros before them they are ids."""
    return _counts(cells) and all(cell == str(int(cell)) for cell in cells)


def _counts(cells: Sequence[str]) -> bool:
    if not cells or not all(is_whole(cell) and len(cell) < _LONGEST_ROW_NUMBER for cell in cells):
        return False
    first = int(cells[0])
    numbers = enumerate(cells, start=first)
    return first in (0, 1) and all(int(cell) == number for number, cell in numbers)


_LONGEST_ROW_NUMBER = 20  # digits


@dataclass(frozen=True)
class Table:
    """A table as far as its first rows show it."""

    source: Source
    header: Header
    columns: Sequence[Column]
    unnamed_corner: bool = False  # rows have a cell more than the header, as R writes them

    def find(
        self, names: Sequence[str], holds: Callable[["Column"], bool] = lambda _: True
    ) -> "Column | None":
        """Return the column with the first of these names that holds such a thing, or None."""
        by_name: dict[str, Column] = {}
        for column in self.columns:
            if holds(column):
                by_name.setdefault(column.folded, column)
        return next((by_name[name] for name in names if name in by_name), None)

    def error(self, problem: str, hint: str = "") -> DataError:
        """Return an error about the table's columns."""
        return DataError(self.source.name, problem, hint)


def sampled(head: Head) -> Table | None:
    """Return the table that a file begins with, or None if it is none or has no header."""
    header = header_of(head)
    if header is None:
        return None
    cells = [*header.cells]
    number = min(max(_CELLS // len(cells), _FEWEST_ROWS), _MOST_ROWS)
    rows = [[cell.strip() for cell in row] for _, row in islice(open_table(head.source)[1], number)]
    is_short = bool(rows) and all(len(row) == len(cells) + 1 for row in rows)
    unnamed_corner = False
    if is_short and not any(row[-1] for row in rows):
        cells.append("")  # a separator at the end of each row
    elif is_short and (_counts([row[0] for row in rows]) or header.folded[0] not in RUN):
        cells.insert(0, "")
        unnamed_corner = True
    header = replace(header, cells=cells)
    columns = [
        Column(place, name, [row[place] for row in rows if place < len(row)])
        for place, name in enumerate(cells)
    ]
    table = Table(head.source, header, columns, unnamed_corner)
    is_prose = not header_names_topics(header) and not any(column.numbers for column in columns)
    return None if is_prose or not _has_header(table) else table


def _has_header(table: Table) -> bool:
    """Say whether the first line has names, not scores; an error where it may be either."""
    first, *others = table.header.cells
    named = [name for name in others if name]
    if table.unnamed_corner or not first or folded_name(first) in (*TOPIC, *RUN, *MEASURE, *SCORE):
        return True
    numbers = [name for name in named if is_number(name)]
    if not numbers or (len(numbers) < len(named) and all(map(is_whole, numbers))):
        return True
    if len(table.columns) > 2 and looks_numeric(first) and len(numbers) == len(named):
        raise table.error(
            "has no header",
            "the first line of a table names its columns; numbers alone are a matrix, with blanks "
            "or tabs between them",
        )
    is_unlike = not looks_numeric(first) and (
        table.columns[0].is_whole
        or (not _has_digit(first) and all(map(_has_digit, table.columns[0].filled)))
    )
    if is_unlike and all(map(is_whole, numbers)):
        return True
    if len(table.columns) == 2:
        return False
    raise table.error(
        f"the first line may be a header, or the scores of topic {quoted(first)}",
        "call the first column 'topic' if it is a header; give the table one if it is not",
    )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def names_topics(head: Head) -> bool:
    """Say whether a file begins with a header that names the topics."""
    header = header_of(head)
    return header is not None and header_names_topics(header)


def header_names_topics(header: Header) -> bool:
    """Say whether a header names the topics, or has an empty corner, and has no score in it."""
    has_corner = not header.cells[0] and len(header.cells) > 1 and all(header.cells[1:])
    return (has_corner or header.find(TOPIC) is not None) and all(
        is_whole(cell) or not is_number(cell) for cell in header.cells
    )
