"""What the columns of a table hold: topics, runs, measures, scores, or nothing that is of use.

People save tables with row numbers in front, with questions and answers between the scores, with
runs in columns or measures in columns. A column is known by its name or, where that says nothing,
by what is in it. Wherever this leaves two readings open, it is an error that shows both: scores
that are joined by row number, or a column of ids that is taken for a run, would look right. What
is taken for something without being called so is said, in one line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.errors import DataError, Level, Notice, detail, note
from confint_cli.common.measures import (
    canonical,
    is_certainly_a_measure,
    looks_like_a_measure,
    measures_among,
    split_request,
)
from confint_cli.common.text import listed, quoted, visible
from confint_cli.inputs.columns import (
    NO_TOPICS,
    TABLE_RULES,
    Column,
    Table,
    check_says_the_same,
    counts_plainly,
    header_names_topics,
    is_called_topics,
    row_numbers,
    sampled,
    topics_by_content,
    topics_of_runs,
)
from confint_cli.inputs.header import MEASURE, RUN, SCORE, TOPIC, Header, check_width, open_table
from confint_cli.inputs.reading import Fit, Head, Reader, head_of, once
from confint_cli.inputs.rows import Rules, is_whole
from confint_cli.inputs.source import Source

LONG, SYSTEMS, PER_QUERY, BY_RUN = "long", "ndeval", "per_query", "topic_by_run"
"""The kinds of tables, by the names of their formats."""

TableRow = tuple[int, list[str]]
"""Line and cells."""

_NEEDS = {
    LONG: "has columns for topic, score, and run or measure",
    SYSTEMS: "has columns for run and topic, and one for each measure",
}


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
        return replace(TABLE_RULES, hint=hint)

    def rows(self, source: Source) -> Iterator[TableRow]:
        """Yield the number and the cells of each row, all of which are as wide as the header."""
        width = len(self.header.cells)
        for line, cells in open_table(source)[1]:
            if len(cells) != width:
                check_width(source, line, cells, width)
            yield line, cells


def layout_of(source: Source, reader: Reader, kind: str) -> Layout:
    """Return what the columns of a table hold that is of this kind, as found or as asked for."""
    table = sampled(head_of(source, reader))
    if table is None:
        raise source.error(1, "a header with at least two columns, by commas or tabs, is needed")
    layout = None if reader.is_told else _arranged(table, reader)
    return layout if layout is not None and layout.kind == kind else _arranged(table, reader, kind)


def fit_of(kind: str) -> Callable[[Head], Fit]:
    """Return what tells how well the beginning of a file fits a kind of table."""

    def sniff(head: Head) -> Fit:
        verdict = _judged(head)
        return verdict.fit if verdict.kind == kind else Fit.NONE

    return sniff


def is_table(head: Head) -> bool:
    """Say whether a file is a table with a header."""
    return _judged(head).kind is not None


def problem_with(head: Head) -> DataError | None:
    """Return why a file that looks like a table could not be read as any, if it does."""
    return _judged(head).problem


@dataclass(frozen=True)
class _Verdict:
    """Which kind of table a file begins as, and how sure that is; or why it is none."""

    kind: str | None = None
    fit: Fit = Fit.NONE
    problem: DataError | None = None


@once
def _judged(head: Head) -> _Verdict:
    """Return what the first rows show."""
    try:
        table = sampled(head)
        if table is None:
            return _Verdict()
        kind = _arranged(table, head.reader).kind
    except DataError as problem:
        return _Verdict(problem=problem)
    return _Verdict(kind, Fit.NAMED if header_names_topics(table.header) else Fit.POSSIBLE)


# Which column holds what


def _arranged(table: Table, reader: Reader, kind: str | None = None) -> Layout:
    """Return what the columns hold; a kind that was asked for, or else the one that fits."""
    is_wide = kind in (PER_QUERY, BY_RUN)
    measure = None if is_wide or kind == SYSTEMS else table.find(MEASURE)
    score = None if is_wide or kind == SYSTEMS else table.find(SCORE)
    by_name = table.find(TOPIC)
    run = None if is_wide else _runs(table, by_name, score)
    if measure is None and score is not None and run is not None and _are_measures(run.filled):
        run, measure = None, run  # as R's pivot_longer calls them: name, value
    used = [one for one in (run, measure, score) if one is not None]
    if measure is not None and score is None:
        raise table.error(
            f"has a column {quoted(measure.name)}, but none that is called 'score'",
            "call the column of scores so, or have a column for each measure and no such column",
        )
    if score is not None and (run is not None or measure is not None):
        topic = by_name or topics_of_runs(table, used)
        layout = Layout(
            LONG,
            table.header,
            topic.place,
            run.place if run else None,
            measure.place if measure else None,
            score.place,
            notices=_in_one_line(
                _about_topics(table, topic),
                _about_names(table, measure),
                _about_others(table, _unused(table, [topic, *used, *row_numbers(table)])),
            ),
        )
        return _checked(layout, kind, table)
    if run is not None:
        topic = by_name or topics_of_runs(table, used)
        values, others = _values(table, topic, [run, *row_numbers(table)])
        names = [column.name for column in values]
        is_clear = table.header.folded[:2] == ["runid", "topic"] or bool(measures_among(names))
        layout = Layout(
            SYSTEMS,
            table.header,
            topic.place,
            run.place,
            values=_places(values),
            notices=_in_one_line(
                _about_topics(table, topic),
                _about_others(table, others),
                [] if is_clear or not names else [_about_systems(table, run, names)],
            ),
        )
        return _checked(layout, kind, table)
    if kind in (LONG, SYSTEMS):
        raise table.error(f"is no table that {_NEEDS[kind]}")
    return _wide(table, by_name, reader, kind)


def _checked(layout: Layout, kind: str | None, table: Table) -> Layout:
    """Return the layout if it is of the kind that was asked for."""
    if kind not in (None, layout.kind):
        raise table.error(f"is no table that {_NEEDS[kind]}")
    if layout.kind == SYSTEMS and not layout.values:
        raise table.source.error(
            1, "the header needs columns for run, topic and at least one measure"
        )
    return layout


def _runs(table: Table, topic: Column | None, score: Column | None) -> Column | None:
    """Return the column that names runs: one with scores in it is rather a run called so."""
    if topic is not None and score is not None:
        return table.find(RUN, lambda one: one.may_be_runs or not one.may_be_a_name)
    is_of_ndeval = topic is not None and topic.place == 1 and table.header.folded[0] in RUN[:4]
    return table.columns[0] if is_of_ndeval else table.find(RUN, lambda one: one.may_be_runs)


def _values(
    table: Table, topic: Column | None, used: Sequence[Column]
) -> tuple[list[Column], list[Column]]:
    """Return the columns of scores, and those that are named or filled otherwise."""
    values: list[Column] = []
    others: list[Column] = []
    for column in table.columns:
        if column is topic or column in used or column.is_empty:
            continue
        is_other_topic = is_called_topics(column)
        if is_other_topic and topic is not None:
            check_says_the_same(table, topic, column)
        is_total = column.name.casefold() in NO_TOPICS  # of a row, as pivot tables have it
        (others if column.is_text or is_other_topic or is_total else values).append(column)
    for column in values:
        if not column.name:
            raise table.error(
                f"column {column.place + 1} has scores, but no name", "give it one in the header"
            )
    return values, others


def _places(columns: Sequence[Column]) -> tuple[int, ...]:
    return tuple(column.place for column in columns)


def _unused(table: Table, used: Sequence[Column]) -> list[Column]:
    """Return columns of a long table that may tell more scores apart than are: of many texts."""
    known = (*TOPIC, *RUN, *MEASURE, *SCORE)
    return [
        column
        for column in table.columns
        if column not in used
        and ((column.is_text and len({*column.filled}) > 1) or column.folded in known)
    ]


def _are_measures(names: Sequence[str]) -> bool:
    return bool(names) and len(measures_among([*{*names}])) == len({*names})


def _wide(table: Table, by_name: Column | None, reader: Reader, kind: str | None) -> Layout:
    """Return what is in a table with a row a topic: its columns are runs, or measures."""
    topic = by_name or topics_by_content(table)
    values, others = _values(table, topic, row_numbers(table) if topic else [])
    if not values:
        raise table.error("has no per-topic scores")
    if topic is not None and _are_statistics(topic.filled):
        raise table.error(
            "has only means over all topics",
            "scores of every topic are needed: trec_eval -q, ir_measures -q",
        )
    names = [column.name for column in values]
    _check_all_differ(table, names)
    if topic is not None and by_name is None:
        _check_is_not_turned(table, topic, names)
    found, is_settled = (kind, True) if kind else _runs_or_measures(names, table.source, reader)
    doubts = [] if is_settled else [_about_columns(table, names, found)]
    if topic is None:
        counted = found == PER_QUERY
    else:
        counted = topic in row_numbers(table) and counts_plainly(topic.cells)
    return Layout(
        found,
        table.header,
        None if topic is None else topic.place,
        values=_places(values),
        counted=counted,
        notices=_in_one_line(_about_topics(table, topic), _about_others(table, others), doubts),
    )


def _are_statistics(topics: Sequence[str]) -> bool:
    """Say whether rows are measures, or mean, sd and the like: tables of results have such."""
    names = {topic.casefold() for topic in topics}
    return len(names) > 1 and (names <= NO_TOPICS or _are_measures(topics))


def _check_all_differ(table: Table, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise table.source.error(1, f"two columns are named {quoted(name)}")
        seen.add(name)


def _check_is_not_turned(table: Table, topic: Column, names: Sequence[str]) -> None:
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


# What is said about it


def _in_one_line(*notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return what is to be said about a table with one line for all that everybody should know."""
    every = [one for some in notices for one in some]
    notes = [one for one in every if one.level is Level.NOTE]
    details = [one for one in every if one.level is not Level.NOTE]
    if notes:
        details.insert(0, replace(notes[0], text="; ".join(one.text for one in notes)))
    return tuple(details)


def _about_topics(table: Table, topic: Column | None) -> Iterator[Notice]:
    """Say which column holds the topics, where its name does not, and which row numbers do not."""
    about = table.source.name
    if topic is None:
        yield note("no topic column; topics are numbered by their rows", about)
        return
    if not topic.name:
        yield note("column 1, which has no name, is taken for the topics", about)
    elif topic.folded not in TOPIC:
        yield note(f"column {quoted(topic.name)} is taken for the topics", about)
    numbers = [one for one in row_numbers(table) if one is not topic and not one.is_empty]
    if numbers:
        names = [one.name or "1, which has no name" for one in numbers]
        say = detail if all(one.counts for one in numbers) else note  # else maybe ids
        yield say(f"row numbers are left out: {_columns(names)}", about)


def _about_names(table: Table, measure: Column | None) -> Iterator[Notice]:
    """Say which column names measures, if it is called as if it named runs."""
    if measure is not None and measure.folded not in MEASURE:
        yield note(f"column {quoted(measure.name)} is taken for measures", table.source.name)


def _about_systems(table: Table, run: Column, names: Sequence[str]) -> Notice:
    """Say how columns are taken where none of them has the name of a measure."""
    text = f"column {quoted(run.name)} is taken for runs, {_columns(names)} for measures"
    return note(text, table.source.name)


def _about_columns(table: Table, names: Sequence[str], kind: str) -> Notice:
    """Say how columns are taken, and what turns it."""
    one = len(names) == 1
    columns = f"{_columns(names)} {'is' if one else 'are'}"
    taken, other, turn = "run", "measure", "per_query"
    if kind == turn:
        taken, other, turn = "measure", "run", "topic_by_run"
    text = f"{columns} taken for {_a(taken, one)}; if {'it is' if one else 'they are'} "
    return note(f"{text}{_a(other, one)}, say --input-format {turn}", table.source.name)


def _about_others(table: Table, others: Sequence[Column]) -> Iterator[Notice]:
    """Say which columns are left out though they have a name."""
    named = [column.name for column in others if column.name]
    if named:
        text = f"{_columns(named)} {'is' if len(named) == 1 else 'are'} left out"
        yield note(text, table.source.name)


def _columns(names: Sequence[str]) -> str:
    """Return `column 'a'` or `columns 'a', 'b' and 3 more`."""
    shown = [quoted(name, 40) for name in names]
    return f"{'column' if len(names) == 1 else 'columns'} {listed(shown, 5)}"


def _a(noun: str, one: bool) -> str:
    return f"a {noun}" if one else f"{noun}s"
