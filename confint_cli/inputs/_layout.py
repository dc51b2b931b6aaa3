"""What the columns of a table hold: topics, runs, measures, scores, or nothing that is of use.

People save tables with row numbers in front, with questions and answers between the scores, with
runs in columns or measures in columns. A column is known by its name or, where that says nothing,
by what is in it. Wherever this leaves two readings open, it is an error that shows both: scores
that are joined by row number, or a column of ids that is taken for a run, would look right.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from confint_cli.errors import DataError, Level, Notice, detail, note
from confint_cli.inputs._columns import (
    MEASURE,
    RUN,
    SCORE,
    TOPIC,
    Header,
    check_width,
    header_of,
    open_table,
)
from confint_cli.inputs._format import Fit, Head, Reader, head_of, once
from confint_cli.inputs._numerals import is_gap, is_number, is_whole
from confint_cli.inputs._rows import Rules
from confint_cli.inputs._source import Source
from confint_cli.measures import (
    canonical,
    is_certainly_a_measure,
    looks_like_a_measure,
    measures_among,
    split_request,
)
from confint_cli.text import listed, looks_numeric, quoted, visible

LONG, SYSTEMS, PER_QUERY, BY_RUN = "long", "ndeval", "per_query", "topic_by_run"
"""The kinds of tables, by the names of their formats."""

SUMMARY = frozenset({"all", "amean", "mean", "average", "avg", "avg.", "overall"})
"""What people call a row of means, without regard to case; a topic has none of these names."""

_FEWEST_ROWS, _MOST_ROWS, _CELLS = 10, 50, 5000  # that show what is in a table's columns
_MAY_BE_ANYTHING = frozenset({"name", "model", "method", "tag", "sys"})  # and so a run's own name
_TEXTS = frozenset(
    {"answer", "response", "reference", "ground_truth", "context", "contexts", "text", "title",
     "description", "narrative", "retrieved_contexts", "reference_contexts"}
)  # fmt: skip
"""Columns that hold texts whatever is in them: an answer may be a number."""

_ROW_NUMBERS = re.compile(r"unnamed: ?[0-9]+|index|level_0|\.\.\.1|row_?names?")
_MAY_BE_ROW_NUMBERS = frozenset({"x", "v1", "row", "rank", "no", "no.", "nr", "#"})
"""Names that pandas, R and people give to a column of row numbers, in small letters."""

TableRow = tuple[int, list[str]]


@dataclass(frozen=True)
class Layout:
    """A table and which of its columns hold what; None: no column does."""

    kind: str
    header: Header  # with a name for every cell of a row
    topic: int | None  # None: rows are numbered
    run: int | None = None
    measure: int | None = None
    score: int | None = None
    values: tuple[int, ...] = ()  # the columns of scores, whose names are runs or measures
    counted: bool = False  # topics are 0, 1, 2 … of a column without a name
    notices: tuple[Notice, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns of scores."""
        return [self.header.cells[place] for place in self.values]

    @property
    def rules(self) -> Rules:
        """What rows of such a table mean."""
        hint = "several runs in one table need a column that names them, such as 'run'"
        return Rules(summary=SUMMARY, any_case=True, delimiter=self.header.delimiter, hint=hint)

    def rows(self, source: Source) -> Iterator[TableRow]:
        """Yield the number and the cells of each row, all of which are as wide as the header."""
        width = len(self.header.cells)
        for line, cells in open_table(source)[1]:
            if len(cells) != width:
                check_width(source, line, cells, width)
            yield line, cells


@dataclass(frozen=True)
class _Column:
    """A column of a table: its name and its cells in the first rows."""

    place: int
    name: str
    cells: Sequence[str]
    delimiter: str

    @cached_property
    def numbers(self) -> int:
        """How many cells are numbers."""
        return sum(is_number(cell, self.delimiter) for cell in self.cells)

    @cached_property
    def filled(self) -> list[str]:
        """The cells that are not blank."""
        if self.numbers == len(self.cells):
            return [*self.cells]
        return [cell for cell in self.cells if not is_gap(cell)]

    @cached_property
    def is_text(self) -> bool:
        """Whether most cells are no numbers; a few of them would be faults."""
        return len(self.filled) > 2 * self.numbers or self.name.casefold() in _TEXTS

    @property
    def is_whole(self) -> bool:
        """Whether all cells are whole numbers without a sign."""
        return bool(self.filled) and all(map(is_whole, self.filled))

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
        return self.name.casefold() in _MAY_BE_ANYTHING

    @property
    def may_be_runs(self) -> bool:
        """Whether a column with the name of runs holds their names, not their scores."""
        if self.numbers < len(self.filled):
            return True
        return self.is_whole and not (self.may_be_a_name and self.is_binary)

    @property
    def may_be_topics(self) -> bool:
        """Whether the cells are different texts, or different whole numbers beyond 0 and 1."""
        if self.name.casefold() in _TEXTS or len(set(self.cells)) < len(self.cells):
            return False
        are_ids = all(is_whole(cell) or not is_number(cell, ";") for cell in self.filled)
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


def fit_of(kind: str) -> Callable[[Head], Fit]:
    """Return what tells how well the beginning of a file fits a kind of table."""

    def sniff(head: Head) -> Fit:
        found = _kind_of(head)
        return found[1] if found is not None and found[0] == kind else Fit.NONE

    return sniff


def is_table(head: Head) -> bool:
    """Say whether a file is a table with a header."""
    return _kind_of(head) is not None


@once
def _kind_of(head: Head) -> tuple[str, Fit] | None:
    """Return the kind of table that the first rows show, and how sure that is; None: no table."""
    try:
        table = _sampled(head)
        layout = None if table is None else _arranged(table, head.reader)
    except DataError as problem:
        head.known[problem_with] = problem
        return None
    if table is None or layout is None:
        return None
    return layout.kind, Fit.NAMED if _names_topics(table.header) else Fit.POSSIBLE


def names_topics(head: Head) -> bool:
    """Say whether a file begins with a header that names the topics."""
    header = header_of(head)
    return header is not None and _names_topics(header)


def _names_topics(header: Header) -> bool:
    """Say whether a header names the topics, or has an empty corner, and has no score in it."""
    has_corner = not header.cells[0] and len(header.cells) > 1 and all(header.cells[1:])
    return (has_corner or header.find(TOPIC) is not None) and all(
        is_whole(cell) or not is_number(cell, header.delimiter) for cell in header.cells
    )


def problem_with(head: Head) -> DataError | None:
    """Return why a file that looks like a table could not be read as any, if it does."""
    _kind_of(head)
    problem: DataError | None = head.known.get(problem_with)
    return problem


def layout_of(source: Source, reader: Reader, kind: str) -> Layout:
    """Return what the columns of a table hold that is of this kind, as found or as asked for."""
    table = _sampled(head_of(source, reader))
    if table is None:
        raise source.error(1, "a header with at least two columns, by commas or tabs, is needed")
    layout = None if reader.is_told else _arranged(table, reader)
    return layout if layout is not None and layout.kind == kind else _arranged(table, reader, kind)


@dataclass(frozen=True)
class _Table:
    """A table as far as its first rows show it."""

    source: Source
    header: Header
    columns: Sequence[_Column]
    unnamed_corner: bool = False  # rows have a cell more than the header, as R writes them

    def find(
        self, names: Sequence[str], holds: Callable[["_Column"], bool] = lambda _: True
    ) -> "_Column | None":
        """Return the column with the first of these names that holds such a thing, or None."""
        by_name: dict[str, _Column] = {}
        for column in self.columns:
            if holds(column):
                by_name.setdefault(column.name.casefold(), column)
        return next((by_name[name] for name in names if name in by_name), None)

    def error(self, problem: str, hint: str = "") -> DataError:
        """Return an error about the table's columns."""
        return DataError(self.source.name, problem, hint)


def _sampled(head: Head) -> _Table | None:
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
    header = Header(cells, header.delimiter)
    columns = [
        _Column(place, name, [row[place] for row in rows if place < len(row)], header.delimiter)
        for place, name in enumerate(cells)
    ]
    table = _Table(head.source, header, columns, unnamed_corner)
    is_prose = not _names_topics(header) and not any(column.numbers for column in columns)
    return None if is_prose or not _has_header(table) else table


def _has_header(table: _Table) -> bool:
    """Say whether the first line has names, not scores; an error where it may be either."""
    first, *others = table.header.cells
    named = [name for name in others if name]
    if table.unnamed_corner or not first or first.casefold() in (*TOPIC, *RUN, *MEASURE, *SCORE):
        return True
    numbers = [name for name in named if is_number(name, table.header.delimiter)]
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


def _arranged(table: _Table, reader: Reader, kind: str | None = None) -> Layout:
    """Return what the columns hold; a kind that was asked for, or else the one that fits."""
    is_wide = kind in (PER_QUERY, BY_RUN)
    measure = None if is_wide or kind == SYSTEMS else table.find(MEASURE)
    score = None if is_wide or kind == SYSTEMS else table.find(SCORE)
    by_name = table.find(TOPIC)
    run = None if is_wide else _runs(table, by_name, score)
    used = [one for one in (run, measure, score) if one is not None]
    if measure is not None and score is None:
        raise table.error(
            f"has a column {quoted(measure.name)}, but none that is called 'score'",
            "call the column of scores so, or have a column for each measure and no such column",
        )
    if score is not None and (run is not None or measure is not None):
        topic = by_name or _topics_of_runs(table, used)
        layout = Layout(
            LONG,
            table.header,
            topic.place,
            run.place if run else None,
            measure.place if measure else None,
            score.place,
            notices=_in_one_line(_about_topics(table, topic)),
        )
        return _checked(layout, kind, table)
    if run is not None:
        topic = by_name or _topics_of_runs(table, used)
        values, others = _values(table, [topic, run, *_row_numbers(table)])
        layout = Layout(
            SYSTEMS,
            table.header,
            topic.place,
            run.place,
            values=_places(values),
            notices=_in_one_line(_about_topics(table, topic), _about_others(table, others)),
        )
        return _checked(layout, kind, table)
    if kind in (LONG, SYSTEMS):
        raise table.error(f"is no table that {_NEEDS[kind]}")
    return _wide(table, by_name, reader, kind)


_NEEDS = {
    LONG: "has columns for topic, score, and run or measure",
    SYSTEMS: "has columns for run and topic, and one for each measure",
}


def _checked(layout: Layout, kind: str | None, table: _Table) -> Layout:
    """Return the layout if it is of the kind that was asked for."""
    if kind not in (None, layout.kind):
        raise table.error(f"is no table that {_NEEDS[kind]}")
    if layout.kind == SYSTEMS and not layout.values:
        raise table.source.error(
            1, "the header needs columns for run, topic and at least one measure"
        )
    return layout


def _runs(table: _Table, topic: _Column | None, score: _Column | None) -> _Column | None:
    """Return the column that names runs: one with scores in it is rather a run called so."""
    if topic is not None and score is not None:
        return table.find(RUN, lambda one: one.may_be_runs or not one.may_be_a_name)
    is_of_ndeval = topic is not None and topic.place == 1 and table.header.folded[0] in RUN[:4]
    return table.columns[0] if is_of_ndeval else table.find(RUN, lambda one: one.may_be_runs)


def _places(columns: Sequence[_Column]) -> tuple[int, ...]:
    return tuple(column.place for column in columns)


def _topics_of_runs(table: _Table, used: Collection[_Column]) -> _Column:
    """Return the topics of a table with a column of runs, where none is called so."""
    first = table.columns[0]
    if first not in used and not first.name and not first.counts:
        return first
    names = [column for column in used if column.name.casefold() in RUN]
    raise table.error(
        f"column {quoted(names[0].name)} names runs, but no column names topics"
        if names
        else "no column names topics",
        "means of runs are no per-topic scores; if the columns are topics, turn the table round; "
        "if a column holds topics, call it 'topic'",
    )


def _values(table: _Table, used: Sequence[_Column | None]) -> tuple[list[_Column], list[_Column]]:
    """Return the columns of scores, and those that are named or filled otherwise."""
    values: list[_Column] = []
    others: list[_Column] = []
    for column in table.columns:
        if column in used or column.is_empty:
            continue
        is_other_topic = column.name.casefold() in TOPIC
        (others if column.is_text or is_other_topic else values).append(column)
    for column in values:
        if not column.name:
            raise table.error(
                f"column {column.place + 1} has scores, but no name", "give it one in the header"
            )
    return values, others


def _about_others(table: _Table, others: Sequence[_Column]) -> Iterator[Notice]:
    """Say which columns are left out though they have a name."""
    named = [column.name for column in others if column.name]
    if named:
        hold = "holds no scores" if len(named) == 1 else "hold no scores"
        text = f"{_columns(named)} {hold}, left out"
        yield note(text, table.source.name)


def _columns(names: Sequence[str]) -> str:
    """Return `column 'a'` or `columns 'a', 'b' and 3 more`."""
    shown = [quoted(name, 40) for name in names]
    return f"{'column' if len(names) == 1 else 'columns'} {listed(shown, 5)}"


def _about_topics(table: _Table, topic: _Column | None) -> Iterator[Notice]:
    """Say which column holds the topics, where its name does not, and which row numbers do not."""
    about = table.source.name
    if topic is None:
        yield note("no topic column; topics are numbered by their rows", about)
        return
    if not topic.name:
        yield note("column 1, which has no name, is taken for the topics", about)
    elif topic.name.casefold() not in TOPIC:
        yield note(f"column {quoted(topic.name)} is taken for the topics", about)
    numbers = [one for one in _row_numbers(table) if one is not topic and not one.is_empty]
    if numbers:
        names = [one.name or "1, which has no name" for one in numbers]
        yield detail(f"row numbers are left out: {_columns(names)}", about)


def _wide(table: _Table, by_name: _Column | None, reader: Reader, kind: str | None) -> Layout:
    """Return what is in a table with a row a topic: its columns are runs, or measures."""
    topic = by_name or _topics_by_content(table)
    values, others = _values(table, [topic, *(_row_numbers(table) if topic else [])])
    if not values:
        raise table.error("has no per-topic scores")
    names = [column.name for column in values]
    _check_all_differ(table, names)
    if topic is not None and by_name is None:
        _check_is_not_turned(table, topic, names)
    found, is_settled = (kind, True) if kind else _runs_or_measures(names, table.source, reader)
    about_columns = [] if is_settled else [_about_columns(table, names, found)]
    if topic is None:
        counted = found == PER_QUERY
    else:
        counted = not topic.name and counts_plainly(topic.cells)
    return Layout(
        found,
        table.header,
        None if topic is None else topic.place,
        values=_places(values),
        counted=counted,
        notices=_in_one_line(
            _about_topics(table, topic), _about_others(table, others), about_columns
        ),
    )


def _row_numbers(table: _Table) -> list[_Column]:
    """Return the columns of row numbers, by their names or, of the first one, for want of one.

    They need not count: rows may have been sorted since. A table that was read and saved again may
    have several.
    """
    return [
        column
        for place, column in enumerate(table.columns)
        if (not place and not column.name)
        or (_ROW_NUMBERS.fullmatch(column.name.casefold()) and column.is_whole)
        or (not place and column.name.casefold() in _MAY_BE_ROW_NUMBERS and column.counts)
    ]


def _topics_by_content(table: _Table) -> _Column | None:
    """Return the column that holds the topics by what is in it; None: there is none."""
    first, *others = table.columns
    others = [one for one in others if one not in _row_numbers(table)]
    candidates = _all_different(table, [one for one in others if one.may_be_topics])
    if first in _row_numbers(table) and first.counts:
        if len(candidates) < 2:
            return candidates[0] if candidates else first
        raise _several_topics(table, candidates)
    if not first.name:
        return first
    is_first = first.is_whole and len({*first.cells}) == len(first.cells)
    if first.may_be_topics or is_first:
        candidates = [*_all_different(table, [first]), *candidates]
    if len(candidates) > 1:
        raise _several_topics(table, candidates)
    if candidates:
        return candidates[0]
    return first if first.is_text else None


def _several_topics(table: _Table, candidates: Sequence[_Column]) -> DataError:
    names = [quoted(column.name) for column in candidates]
    return table.error(
        f"topics may be in column {' or '.join(names[:3])}",
        "call the one that holds them 'topic'",
    )


def _all_different(table: _Table, columns: Sequence[_Column]) -> list[_Column]:
    """Return the columns whose cells are all different, and all of a kind, in the whole table."""
    seen: dict[int, set[str]] = {column.place: set() for column in columns}
    whole = {column.place for column in columns if column.is_whole}
    width = len(table.header.cells)
    for _, row in open_table(table.source)[1] if seen else ():
        for place in [*seen]:
            cell = row[place].strip() if len(row) == width else ""
            if cell in seen[place] or (place in whole and not is_whole(cell) and _is_no_mean(cell)):
                del seen[place]
            else:
                seen[place].add(cell)
    return [column for column in columns if column.place in seen]


def _is_no_mean(cell: str) -> bool:
    return cell.casefold() not in SUMMARY


def _check_all_differ(table: _Table, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise table.source.error(1, f"two columns are named {quoted(name)}")
        seen.add(name)


def _check_is_not_turned(table: _Table, topic: _Column, names: Sequence[str]) -> None:
    """Refuse a table that may as well have runs in its rows and topics in its columns."""
    if all(map(is_whole, names)) and not topic.is_whole and topic.filled:
        raise table.error(
            f"may have topics in its rows ({quoted(topic.filled[0])}) and runs in its columns "
            f"({quoted(names[0])}), or the other way round",
            "call the first column 'topic' if it holds topics, or turn the table round",
        )


def _runs_or_measures(names: Sequence[str], source: Source, reader: Reader) -> tuple[str, bool]:
    """Return whether columns are runs or measures, and whether that is settled.

    Options that name a run or a measure settle it. Otherwise columns are measures if some is known
    to be one and the file is not called by a measure itself.
    """
    runs = {visible(name) for name in reader.named_runs}
    if runs & set(map(visible, names)):
        return BY_RUN, True
    if runs & {visible(source.stem), visible(source.path)}:
        return PER_QUERY, True
    asked = set(map(canonical, split_request(reader.requested, names)))
    if asked and not asked.isdisjoint(map(canonical, names)):
        return PER_QUERY, canonical(source.stem) not in asked
    known = measures_among(names)
    file_is_measure = bool(reader.measure_name) or looks_like_a_measure(source.stem)
    if len(known) == len(names):
        return PER_QUERY, not file_is_measure and all(map(is_certainly_a_measure, names))
    if known and not file_is_measure:
        return PER_QUERY, False
    return BY_RUN, not known and file_is_measure


def _about_columns(table: _Table, names: Sequence[str], kind: str) -> Notice:
    """Say how columns are taken, and what turns it."""
    one = len(names) == 1
    columns = f"column {quoted(names[0])} is" if one else f"columns such as {quoted(names[0])} are"
    taken, other, turn = "run", "measure", PER_QUERY
    if kind == PER_QUERY:
        taken, other, turn = "measure", "run", BY_RUN
    text = f"{columns} taken for {_a(taken, one)}; if {'it is' if one else 'they are'} "
    return note(f"{text}{_a(other, one)}, say --input-format {turn}", table.source.name)


def _in_one_line(*notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return what is to be said about a table with one line for all that everybody should know."""
    every = [one for some in notices for one in some]
    notes = [one for one in every if one.level is Level.NOTE]
    details = [one for one in every if one.level is not Level.NOTE]
    if notes:
        details.insert(0, replace(notes[0], text="; ".join(one.text for one in notes)))
    return tuple(details)


def _a(noun: str, one: bool) -> str:
    return f"a {noun}" if one else f"{noun}s"
