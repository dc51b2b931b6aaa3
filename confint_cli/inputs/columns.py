"""The columns of a table by its first rows: what is in each, and which of them holds the topics."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Protocol

from confint_cli.common.errors import DataError
from confint_cli.common.text import looks_numeric, quoted
from confint_cli.inputs.header import (
    COLLECTION,
    GROUP,
    MEASURE,
    REPEAT,
    RUN,
    SCORE,
    TOPIC,
    Header,
    folded_name,
    header_of,
    names_documents,
    open_table,
)
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import Head
from confint_cli.inputs.rows import Numerals, Rules, is_gap, is_number, is_whole
from confint_cli.inputs.source import Source

SUMMARY = frozenset(
    {"all", "amean", "mean", "average", "avg", "avg.", "overall", "mean:", "average:", "avg:",
     "all topics", "mittelwert", "durchschnitt", "moyenne", "media", "promedio"}
)  # fmt: skip
"""What people call a row of means, without regard to case; a topic has none of these names."""

OTHER_STATISTICS = frozenset(
    {"total", "total:", "grand total", "sum", "std", "sd", "stdev", "std dev", "var", "median",
     "min", "max", "count", "n", "se", "25%", "50%", "75%", "gesamt", "gesamtergebnis", "summe"}
)  # fmt: skip
"""What people call rows of other figures: no topics where all other topics have a digit."""

NO_TOPICS = SUMMARY | OTHER_STATISTICS

TABLE_RULES = Rules(summary=SUMMARY, statistics=OTHER_STATISTICS, any_case=True, is_table=True)
"""What the rows of a table mean."""

_FEWEST_ROWS, _MOST_ROWS, _CELLS = 10, 50, 5000  # to look at, of a large table
_MAY_BE_ANYTHING = frozenset({"name", "model", "method", "tag", "sys"})
"""Names of a column of runs that a run itself may have."""

_TEXTS = frozenset(
    {"answer", "response", "output", "actual_output", "expected_output", "reference",
     "ground_truth", "ground_truths", "context", "contexts", "retrieval_context",
     "retrieved_contexts", "reference_contexts", "text", "title", "description", "narrative",
     "target", "gold", "doc_hash", "prompt_hash", "target_hash"}
)  # fmt: skip
"""Columns that hold texts whatever is in them: an answer may be a number."""

_ROW_NUMBERS = re.compile(
    r"unnamed:_?[0-9.]+|(row_?)?index|__index_level_[0-9]__|level_[0-9]|\.\.\.[0-9]|row_?(names?|nr)"
)
_MAY_BE_ROW_NUMBERS = frozenset({"x", "x.1", "v1", "row", "rank", "no", "no.", "nr", "#"})
"""Names that pandas, R and people give to a column of row numbers, in small letters.

A column of the second kind is one only if it counts: 1, 2, 3 …
"""

_LONGEST_ROW_NUMBER = 20  # digits
_SURELY_COLLECTIONS = frozenset({"collection", "dataset"})
_LOOKED_AT_TOGETHER = 4096  # columns whose cells are kept to see whether they differ
_ENOUGH = 3  # rows, which show whether each has a text of its own
_SAVED_TWICE = re.compile(r"\.[0-9]+$")  # pandas' `qid.1` for a second column of one name


# What is in a column, and in the first rows of a table


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name and its cells in the first rows.

    A stranger's table may have a hundred thousand columns, so each is to be small.
    """

    place: int  # in a row, from 0
    name: str
    cells: Sequence[str]  # without blanks around them
    is_index: bool = False  # it is the index of a DataFrame, or a level of it
    holds_texts: bool = False  # by its type, even if these look like numbers
    holds_lists: bool = False  # or objects, as JSON and Parquet may have them
    numbers: int = field(init=False, compare=False)  # how many cells are numbers
    filled: Sequence[str] = field(init=False, compare=False)  # the cells that are not blank

    def __post_init__(self) -> None:
        """Look at the cells once."""
        numbers, filled = sum(map(is_number, self.cells)), self.cells
        if numbers < len(filled):
            filled = tuple(cell for cell in filled if not is_gap(cell))
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "filled", filled)

    @property
    def folded(self) -> str:
        """The name without regard to case."""
        return folded_name(self.name)

    @property
    def is_text(self) -> bool:
        """Whether most cells are not numbers (a few would be faults), or the name says so."""
        if self.holds_texts:
            return True
        return len(self.filled) > 2 * self.numbers or self.folded in _TEXTS

    @property
    def is_whole(self) -> bool:
        """Whether all cells are whole numbers without a sign."""
        return bool(self.filled) and all(map(is_whole, self.filled))

    @property
    def is_fractional(self) -> bool:
        """Whether all cells are numbers, and some of them are not whole; 301.0 is whole."""
        if self.numbers < len(self.filled):
            return False
        values = [Numerals().plain(cell) for cell in self.filled]
        return any(value is not None and not float(value).is_integer() for value in values)

    @property
    def is_binary(self) -> bool:
        """Whether all cells are 0 or 1, as scores may be."""
        return {*self.filled} <= {"0", "1"}

    @property
    def in_words(self) -> str:
        """What messages call a first column that has no name."""
        return "the index" if self.is_index else "column 1, which has no name,"

    @property
    def is_empty(self) -> bool:
        """Whether the column has neither a name nor any text in its cells."""
        return not self.name and not any(self.cells)

    @property
    def may_be_a_name(self) -> bool:
        """Whether a column of runs may have this name, but a run as well: `model`."""
        return self.folded in _MAY_BE_ANYTHING

    @property
    def may_be_runs(self) -> bool:
        """Whether a column that is called `run` or the like holds names, not scores."""
        if self.numbers < len(self.filled):
            return True
        return self.is_whole and not (self.may_be_a_name and self.is_binary)

    @property
    def may_hold_names(self) -> bool:
        """Whether the cells may be names: most are texts, or all numbers among them are whole."""
        return self.is_text or not any(map(_is_fraction, self.filled))

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


def counts_rows(table: "Table", column: Column, collection: Column | None = None) -> bool:
    """Say whether a column has the numbers of all rows, from 0 or 1, in any order.

    Rows may have been sorted since they were numbered, and numbered in each collection anew. With
    zeros before them they are ids. Rows of means and the like are among them, without a number.
    """
    filled = [cell for cell in column.filled if cell.casefold() not in NO_TOPICS]
    if not filled or not all(is_whole(cell) and cell == str(int(cell[:18])) for cell in filled):
        return False
    places = [column.place] if collection is None else [column.place, collection.place]
    rows = [
        row
        for row in table.content.cells(places)
        if row is not None and row[0].casefold() not in NO_TOPICS
    ]
    if not all(is_whole(row[0]) and len(row[0]) < _LONGEST_ROW_NUMBER for row in rows):
        return counts_plainly(filled)
    by_collection: dict[str, list[int]] = {}
    for row in rows:
        by_collection.setdefault(row[-1] if collection else "", []).append(int(row[0]))
    groups = [*by_collection.values()]
    return all(map(_are_counted, groups)) or _are_counted([*chain.from_iterable(groups)])


def _are_counted(numbers: Sequence[int]) -> bool:
    """Say whether numbers are 0, 1, 2 … or 1, 2, 3 …, in any order."""
    size = len(numbers)
    return sorted(numbers) in ([*range(size)], [*range(1, size + 1)])


TableRow = tuple[int, list[str]]
"""The number of a row, as messages give it, and its cells."""


class Content(Protocol):
    """All rows of a table, of a file or in memory, as often as they are asked for."""

    def rows(self) -> Iterator[TableRow]:
        """Yield the number and the cells of each row that is not blank."""

    def cells(self, places: Sequence[int]) -> Iterator[list[str] | None]:
        """Yield the cells at these places of each row, without the blanks around them.

        None stands for a row that is longer or shorter than the header.
        """


@dataclass(frozen=True)
class Table:
    """A table as far as its first rows show it."""

    origin: Origin
    header: Header
    columns: Sequence[Column]
    content: Content
    unnamed_corner: bool = False  # rows have a cell more than the header, as R writes them

    def find(
        self, names: Sequence[str], holds: Callable[["Column"], bool] = lambda _: True
    ) -> "Column | None":
        """Return the column with the first of `names` that any column has, or None.

        Only columns for which `holds` is true count.
        """
        by_name: dict[str, Column] = {}
        for column in self.columns:
            if holds(column):
                by_name.setdefault(column.folded, column)
        return next((by_name[name] for name in names if name in by_name), None)

    def error(self, problem: str, hint: str = "") -> DataError:
        """Return an error about the table's columns."""
        return DataError(self.origin.name, problem, hint)


@dataclass(frozen=True)
class _FileContent:
    """The rows of a file."""

    source: Source
    width: int  # of the header

    def rows(self) -> Iterator[TableRow]:
        """Yield the line number and the cells of each row, however many these are."""
        return open_table(self.source)[1]

    def cells(self, places: Sequence[int]) -> Iterator[list[str] | None]:
        """Yield the cells at these places of each row, None for a row of another width."""
        for _, row in self.rows():
            yield [row[place].strip() for place in places] if len(row) == self.width else None


def rows_to_look_at(width: int) -> int:
    """Return how many rows show what is in the columns of a table of this `width`."""
    return min(max(_CELLS // width, _FEWEST_ROWS), _MOST_ROWS)


def sampled(head: Head) -> Table | None:
    """Return the table that a file's first rows show, or None if it is none or has no header."""
    header = header_of(head)
    if header is None:
        return None
    cells = [*header.cells]
    first_rows = islice(open_table(head.source)[1], rows_to_look_at(len(cells)))
    rows = [[cell.strip() for cell in row] for _, row in first_rows]
    header_is_short = bool(rows) and all(len(row) == len(cells) + 1 for row in rows)
    unnamed_corner = False
    if header_is_short and not any(row[-1] for row in rows):
        cells.append("")  # a separator at the end of each row
    elif header_is_short and _has_names_of_rows(header, rows):
        cells.insert(0, "")
        unnamed_corner = True
    header = replace(header, cells=cells)
    columns = [
        Column(place, name, cells_below)
        for place, name in enumerate(cells)
        if any(cells_below := [row[place] for row in rows if place < len(row)]) or name or not place
    ]  # not those of nothing, of which a line of commas has a hundred thousand
    content = _FileContent(head.source, len(cells))
    table = Table(head.source, header, columns, content, unnamed_corner)
    return None if is_prose(table) or not _has_header(table) else table


def _has_names_of_rows(header: Header, rows: Sequence[Sequence[str]]) -> bool:
    """Say whether rows have a name more than the header, as R writes them, and not a cell too many.

    Then what the header calls topics is behind it, and has no decimals. Where runs come first, row
    names have to be numbers, all of them different: gdeval's runs may hold a separator themselves.
    """
    place = header.find(TOPIC)
    if place is not None and any(_is_fraction(row[place + 1]) for row in rows):
        return False
    names = [row[0] for row in rows]
    may_be_numbers = len(names) > 1 and len({*names}) == len(names) and all(map(is_whole, names))
    return may_be_numbers or _counts(names) or header.folded[0] not in RUN


def _is_fraction(cell: str) -> bool:
    plain = Numerals().plain(cell) if is_number(cell) and not is_whole(cell) else None
    return plain is not None and not float(plain).is_integer()


def is_prose(table: Table) -> bool:
    """Say whether a table neither names topics nor has any numbers."""
    has_numbers = any(column.numbers for column in table.columns)
    return not has_numbers and not header_names_topics(table.header)


def _has_header(table: Table) -> bool:
    """Say whether the first line has names, not scores; raise an error if it may be either."""
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
            "the first line of a table names its columns; a matrix of numbers only has blanks or "
            "tabs between them",
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
        "if it is a header, call the first column 'topic'; if it is not, add a header",
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


# What is not scores


def check_are_scores(source: Origin, columns: Iterable[str]) -> None:
    """Raise an error for tables that might pass for scores: means that confint writes, documents.

    `columns` are the names of a table's columns, in small letters.
    """
    names = {*columns}
    if names_documents(names):
        raise DataError(
            source.name,
            "has a column of documents: it holds a run or judgements, not per-topic scores",
            "to score runs, give the judgements as --qrels FILE and the runs as FILES",
        )
    if {"topic", "mean", "sd", "runs"} <= names:
        raise DataError(
            source.name,
            "holds factors to standardise by, not per-topic scores",
            "use them with --standardize FILE, or with 'confint standardize --factors FILE'",
        )
    if {"run", "mean", "sd"} <= names and not names & {"topic", "query"}:
        raise DataError(
            source.name,
            "holds means of runs, not per-topic scores",
            "'confint summary' reads such a table",
        )


# Which column holds the topics


def is_called_topics(column: Column) -> bool:
    """Say whether a column is called `topic` or the like, or is pandas' second one, `topic.1`."""
    return is_name_of_topics(column.name)


def is_name_of_topics(name: str) -> bool:
    """Say whether the name of a column says that it holds topics."""
    return _SAVED_TWICE.sub("", folded_name(name)) in TOPIC


def topics_by_content(table: Table) -> Column | None:
    """Return the column whose cells show that it holds the topics, or None if there is none.

    Raise DataError if several columns may hold them.
    """
    first, *others = table.columns
    places_of_numbers = {column.place for column in row_numbers(table)}
    others = [column for column in others if column.place not in places_of_numbers]
    candidates = _all_different(table, [column for column in others if column.may_be_topics])
    if first.place in places_of_numbers and first.counts:
        if len(candidates) < 2:
            return candidates[0] if candidates else first
        raise _several_topics(table, candidates)
    if not first.name:
        if first.is_fractional:
            raise no_name(table, first)
        return first
    first_has_ids = first.is_whole and len({*first.cells}) == len(first.cells)
    if first.may_be_topics or first_has_ids:
        candidates = [*_all_different(table, [first]), *candidates]
    if len(candidates) > 1:
        raise _several_topics(table, candidates)
    if candidates:
        return candidates[0]
    return first if first.is_text else None


def no_name(table: Table, column: Column) -> DataError:
    """Return the error for a column of scores that has no name."""
    shown = f"column {column.place + 1}"
    if column.is_index:
        shown = f"level {column.place} of the index"
    return table.error(f"{shown} has scores, but no name", "give it a name")


def _several_topics(table: Table, candidates: Sequence[Column]) -> DataError:
    names = [quoted(column.name) for column in candidates]
    return table.error(
        f"topics may be in column {' or '.join(names[:3])}",
        "call the column that holds the topics 'topic'",
    )


def _all_different(table: Table, columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose cells differ from each other in the whole table.

    A column of whole numbers must hold nothing else, except for the name of a row of means.
    """
    return [
        column
        for start in range(0, len(columns), _LOOKED_AT_TOGETHER)
        for column in _different_in(table, columns[start : start + _LOOKED_AT_TOGETHER])
    ]


def _different_in(table: Table, columns: Sequence[Column]) -> list[Column]:
    seen: dict[int, set[str]] = {number: set() for number in range(len(columns))}
    whole = {number for number, column in enumerate(columns) if column.is_whole}
    blanks = [""] * len(columns)
    for row in table.content.cells([column.place for column in columns]):
        cells = row or blanks
        for number in [*seen]:
            cell = cells[number]
            if cell in seen[number] or (
                number in whole and not is_whole(cell) and _is_no_mean(cell)
            ):
                del seen[number]
            else:
                seen[number].add(cell)
    return [column for number, column in enumerate(columns) if number in seen]


def _is_no_mean(cell: str) -> bool:
    return cell.casefold() not in SUMMARY


def topics_of_runs(table: Table, used: Collection[Column]) -> Column:
    """Return the column of topics in a table that names runs, where none is called `topic`.

    That is a first column without a name, unless it counts rows. Raise DataError otherwise.
    """
    first = table.columns[0]
    if first not in used and not first.name and not first.counts:
        return first
    names = [column for column in used if column.folded in RUN]
    raise table.error(
        f"column {quoted(names[0].name)} holds runs, but no column holds topics"
        if names
        else "no column holds topics",
        "if a column holds topics, call it 'topic'; means of runs are not per-topic scores; if the "
        "columns are topics, transpose the table",
    )


# Which columns hold collections, repeats and groups


def collections_by_name(table: Table, *, are_scores_known: bool) -> Column | None:
    """Return the column that says of which collection a row is, by its name, or None.

    It holds names. Whole numbers are names too; in a `task` or a `corpus` they are names only in a
    long table, whose scores are known. Fractions are names only there, and only in a `collection`
    or a `dataset`. Otherwise the column is a run, or a measure. Texts that are all different say
    what the task of each topic is.
    """

    def holds_names(column: Column) -> bool:
        if column.folded not in COLLECTION or column.holds_lists or is_blank(table, column):
            return False
        if column.folded in _SURELY_COLLECTIONS:
            return are_scores_known or column.may_hold_names
        has_names = column.is_text or (are_scores_known and column.may_hold_names)
        is_large = len(column.cells) >= _ENOUGH
        return has_names and (not is_large or comes_again(table, column))

    return table.find(COLLECTION, holds_names)


def repeats_by_name(table: Table, *, may_be_runs: bool) -> Column | None:
    """Return the column that tells repeats of a run apart, by its name, or None."""
    return _names_in(table, REPEAT, may_be_runs=may_be_runs)


def groups_by_name(table: Table, *, may_be_runs: bool) -> Column | None:
    """Return the column that says which topics belong together, by its name, or None."""
    return _names_in(table, GROUP, may_be_runs=may_be_runs)


def _names_in(table: Table, called: Sequence[str], *, may_be_runs: bool) -> Column | None:
    """Return the column with one of these names that holds names which come again, or None.

    Numbers are names where they are whole. Nothing but 0 and 1 is rather the scores of a run with
    such a name, where columns `may_be_runs`.
    """

    def holds_names(column: Column) -> bool:
        if column.folded not in called or column.holds_lists or is_blank(table, column):
            return False
        are_names = column.is_text or (
            column.may_hold_names and not (may_be_runs and _is_binary(table, column))
        )
        return are_names and (len(column.cells) == 1 or comes_again(table, column))

    return table.find(called, holds_names)


def _is_binary(table: Table, column: Column) -> bool:
    """Say whether a column has nothing but 0 and 1 in it, in the whole table."""
    if not column.is_binary:
        return False
    rows = table.content.cells([column.place])
    return all(row is None or row[0] in ("0", "1") or is_gap(row[0]) for row in rows)


def is_blank(table: Table, column: Column) -> bool:
    """Say whether a column has nothing in it, in the whole table."""
    if column.filled:
        return False
    rows = table.content.cells([column.place])
    return all(row is None or is_gap(row[0]) for row in rows)


def comes_again(table: Table, column: Column) -> bool:
    """Say whether some cell of a column comes again, in the whole table."""
    if len({*column.cells}) < len(column.cells):
        return True
    seen: set[str] = set()
    for row in table.content.cells([column.place]):
        if row is not None and row[0] in seen:
            return True
        seen.update(row or ())
    return False


def may_number_rows(table: Table, column: Column) -> bool:
    """Say whether a column is where programs write the numbers of rows, by its name or place."""
    return column in row_numbers(table) or _ROW_NUMBERS.fullmatch(column.folded) is not None


def row_numbers(table: Table) -> list[Column]:
    """Return the columns of row numbers, by their names, and a first one without a name.

    They need not count: rows may have been sorted since. A table that was read and saved again may
    have several.
    """
    numbers: list[Column] = []
    for place, column in enumerate(table.columns):
        is_among_first = place == len(numbers)
        if (
            (not place and not column.name)
            or (_ROW_NUMBERS.fullmatch(column.folded) and column.is_whole)
            or (is_among_first and column.folded in _MAY_BE_ROW_NUMBERS and column.counts)
        ):
            numbers.append(column)
    return numbers


def check_say_the_same(table: Table, topic: Column, others: Sequence[Column]) -> None:
    """Raise an error for columns of the same topics in different orders: two tables in one.

    The whole table is compared, since the second may lack a topic far down. An `id` that counts
    rows says nothing.
    """
    others = [one for one in others if not (one.folded == "id" and one.counts)]
    if not others:
        return
    places = [topic.place, *(other.place for other in others)]
    rows = [row for row in table.content.cells(places) if row is not None]
    topics = {row[0] for row in rows}
    for number, other in enumerate(others, start=1):
        differ = any(row[0] != row[number] for row in rows if not is_gap(row[number]))
        if differ and not topics.isdisjoint(row[number] for row in rows):
            raise table.error(
                f"columns {topic.place + 1} ({quoted(topic.name)}) and {other.place + 1} "
                f"({quoted(other.name)}) both hold topics, but not the same",
                "are these two tables side by side? save them as two files",
            )
