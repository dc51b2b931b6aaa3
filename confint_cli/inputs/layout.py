"""What the columns of a table hold: topics, runs, measures, labels, scores, or nothing useful.

People save tables with row numbers in front, with questions and answers between the scores, with
runs in columns or measures in columns. The name of a column says what it holds or, where that says
nothing, its cells do. Wherever this leaves two readings open, an error shows both of them: scores
that are joined by row number, or a column of ids that is read as a run, would look right. A note of
one line says how a column was read whose name does not say it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from confint_cli.common.errors import DataError, Level, Notice, detail, note
from confint_cli.common.measures import (
    canonical,
    is_certainly_a_measure,
    looks_like_a_measure,
    measures_among,
    split_request,
)
from confint_cli.common.text import listed, quoted, visible, without_guard
from confint_cli.inputs.columns import (
    NO_TOPICS,
    TABLE_RULES,
    Column,
    Table,
    TableRow,
    check_say_the_same,
    collections_by_name,
    comes_again,
    counts_rows,
    groups_by_name,
    header_names_topics,
    is_blank,
    is_called_topics,
    may_number_rows,
    no_name,
    repeats_by_name,
    row_numbers,
    sampled,
    topics_by_content,
    topics_of_runs,
)
from confint_cli.inputs.header import (
    COLLECTION,
    FOLD,
    GROUP,
    MEASURE,
    REPEAT,
    RUN,
    SCORE,
    TOPIC,
    Header,
    check_width,
)
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import (
    UNLABELLED,
    Fit,
    Head,
    Reader,
    Reading,
    RowLabels,
    TopicGroups,
    head_of,
    once,
)
from confint_cli.inputs.rows import Rules, is_whole, labels_taken
from confint_cli.inputs.source import Source

LONG, SYSTEMS, PER_QUERY, BY_RUN = "long", "ndeval", "per_query", "topic_by_run"
"""The kinds of tables, by the names of their formats."""

_TURN = "turn"
_NEEDS = {
    LONG: "with columns for topic, score, and run or measure",
    SYSTEMS: "with columns for run and topic, and one column for each measure",
}


@dataclass(frozen=True)
class LabelColumns:
    """The columns that name collections, repeats and groups of topics; None: no column does."""

    collection: Column | None = None
    repeat: Column | None = None
    group: Column | None = None
    other_group: Column | None = None  # not used: the call says what belongs together

    @property
    def used(self) -> list[Column]:
        """Those columns that there are."""
        every = (self.collection, self.repeat, self.group, self.other_group)
        return [column for column in every if column is not None]


NO_LABELS = LabelColumns()


@dataclass(frozen=True)
class Layout:
    """Which columns of a table hold what, as positions in a row; None: no column does."""

    kind: str  # LONG, SYSTEMS, PER_QUERY or BY_RUN
    table: Table
    topic: int | None  # None: rows are numbered
    run: int | None = None
    measure: int | None = None
    score: int | None = None
    labels: LabelColumns = NO_LABELS
    values: tuple[int, ...] = ()  # the columns of scores, whose names are runs or measures
    counted: bool = False  # topics are 0, 1, 2 … and may be no more than row numbers
    telling: tuple[str, ...] = ()  # columns that are left out and may tell rows of a topic apart
    is_nested: bool = False  # it was made of nested objects, whose places name run and measure
    notices: tuple[Notice, ...] = ()

    @property
    def header(self) -> Header:
        """The header, with a name for every cell of a row."""
        return self.table.header

    @property
    def names(self) -> list[str]:
        """The names of the columns of scores."""
        return [self.header.cells[place] for place in self.values]

    @property
    def rules(self) -> Rules:
        """What the rows of the table mean."""
        hint = "several runs in one table need a column that names them, such as 'run'"
        if _TURN in self.header.folded:
            hint = "if each conversation numbers its turns anew, give topics ids such as 31_4"
        if self.telling:
            columns = _columns_in_words(self.telling)
            hint = f"do rows of one topic differ in {columns}? keep only those that you want"
            lacking = [name for name, place in ((RUN[0], self.run), (MEASURE[0], self.measure))
                       if place is None]  # fmt: skip
            if self.kind == LONG and lacking:
                nouns = " or ".join(f"{name}s" for name in lacking)
                names = " or ".join(map(quoted, lacking))
                hint = f"does {columns} name {nouns}? then call it {names}"
        return replace(TABLE_RULES, hint=hint)

    def rows(self) -> Iterator[TableRow]:
        """Yield the number and the cells of each row, each of which is as wide as the header."""
        width = len(self.header.cells)
        for line, cells in self.table.content.rows():
            if len(cells) != width:
                check_width(self.table.origin, line, cells, width)
            yield line, cells

    @property
    def collection(self) -> int | None:
        """The column that names collections."""
        return _place(self.labels.collection)

    @property
    def repeat(self) -> int | None:
        """The column that names repeats."""
        return _place(self.labels.repeat)

    @property
    def group(self) -> int | None:
        """The column that names groups of topics."""
        return _place(self.labels.group)

    @property
    def has_labels(self) -> bool:
        """Whether a column names collections or repeats."""
        return self.collection is not None or self.repeat is not None

    def labels_of(self, cells: Sequence[str]) -> RowLabels:
        """Return the collection and the repeat of a row."""
        if not self.has_labels:
            return UNLABELLED
        return RowLabels(
            None if self.collection is None else cells[self.collection].strip(),
            None if self.repeat is None else cells[self.repeat].strip(),
        )

    def told_of(self, reading: Reading) -> Reading:
        """Return the reading of the table with its groups of topics.

        What is to be said about its columns comes first.
        """
        origin, cells = self.table.origin, self.header.cells
        taken: list[Notice] = []
        for place, noun in ((self.collection, "collection"), (self.repeat, "repeat")):
            names = {getattr(each.labels, noun) for each in reading.series}
            if place is not None and len(names) > 1:
                taken.append(labels_taken(origin, cells[place], f"{noun}s"))
        groups = reading.groups
        if self.group is not None:
            groups = groups or self.groups_of(self._rows_of_groups())
            if len({*groups.by_topic.values()}) < 2:
                groups = None
            elif groups.torn:
                taken.append(_no_groups(groups, self.table))
                groups = None
            else:
                taken.append(labels_taken(origin, cells[self.group], "groups of topics"))
        return replace(reading, groups=groups, notices=[*self.notices, *taken, *reading.notices])

    def groups_of(self, rows: Iterable[Sequence[str]]) -> TopicGroups:
        """Return the groups in `rows` of topic and group, with the collection before them, if any.

        A topic for which there are several is in the first.
        """
        assert self.group is not None
        by_topic: dict[tuple[str, str], str] = {}
        torn: dict[tuple[str, str], tuple[str, str]] = {}
        for row in rows:
            cells = [without_guard(cell) for cell in row] if self.header.guarded else row
            collection, topic, group = cells if len(cells) > 2 else ("", *cells)
            if topic.casefold() in NO_TOPICS:
                continue
            if not group:
                raise self.table.error(
                    f"topic {quoted(topic)} has no group", "--labels none ignores the column"
                )
            first = by_topic.setdefault((collection, topic), group)
            if first != group:
                torn.setdefault((collection, topic), (first, group))
        return TopicGroups(self.header.cells[self.group], by_topic, torn)

    def _rows_of_groups(self) -> Iterator[list[str]]:
        """Yield the collection, if there is one, the topic and the group of each row."""
        assert self.group is not None
        places = [place for place in (self.collection, self.topic, self.group) if place is not None]
        for number, cells in enumerate(self.table.content.cells(places), start=1):
            if cells is not None:
                yield cells if self.topic is not None else [*cells[:-1], str(number), cells[-1]]


def layout_of(source: Source, reader: Reader, kind: str) -> Layout:
    """Return what the columns of a table hold if it is a table of this `kind`.

    Raise DataError if it is none. Unless the user names the format, the layout is the one by which
    the format was found: its notices say what was unclear.
    """
    table = sampled(head_of(source, reader))
    if table is None:
        problem = (
            "a table needs a header of two or more columns, separated by commas, semicolons or tabs"
        )
        raise source.error(1, problem)
    layout = None if reader.is_told else find_layout(table, reader)
    return (
        layout if layout is not None and layout.kind == kind else find_layout(table, reader, kind)
    )


def fit_of(kind: str) -> Callable[[Head], Fit]:
    """Return the function that says how well the beginning of a file fits this `kind` of table."""

    def sniff(head: Head) -> Fit:
        verdict = _verdict_on(head)
        return verdict.fit if verdict.kind == kind else Fit.NONE

    return sniff


def is_table(head: Head) -> bool:
    """Say whether a file is a table with a header."""
    return _verdict_on(head).kind is not None


def problem_with(head: Head) -> DataError | None:
    """Return the error about a file that looks like a table but cannot be read as one, or None."""
    return _verdict_on(head).problem


@dataclass(frozen=True)
class _Verdict:
    """Which kind of table a file begins as, and how sure that is; or why it is none."""

    kind: str | None = None
    fit: Fit = Fit.NONE
    problem: DataError | None = None


@once
def _verdict_on(head: Head) -> _Verdict:
    """Return the verdict by the first rows."""
    try:
        table = sampled(head)
        if table is None:
            return _Verdict()
        kind = find_layout(table, head.reader).kind
    except DataError as problem:
        return _Verdict(problem=problem)
    return _Verdict(kind, Fit.NAMED if header_names_topics(table.header) else Fit.POSSIBLE)


# Which column holds what


def find_layout(table: Table, reader: Reader, kind: str | None = None) -> Layout:
    """Return the layout of a table as the `kind` that was asked for; None: as the one that fits."""
    is_wide = kind in (PER_QUERY, BY_RUN)
    is_long = not is_wide and kind != SYSTEMS
    measure = table.find(MEASURE, lambda column: not column.holds_lists) if is_long else None
    score = table.find(SCORE) if is_long else None
    by_name = table.find(TOPIC)
    run = None if is_wide else _column_of_runs(table, by_name, score)
    if measure is None and score is not None and run is not None and _are_measures(run.filled):
        run, measure = None, run  # as R's pivot_longer calls them: name, value
    used = [column for column in (run, measure, score) if column is not None]
    if measure is not None and score is None:
        raise table.error(
            f"has a column {quoted(measure.name)}, but no column 'score' or 'value'",
            "call the column of scores 'score', or use one column for each measure instead",
        )
    if score is not None and (run is not None or measure is not None):
        topic = by_name or topics_of_runs(table, used)
        labels = _labels(table, reader, are_scores_known=True)
        used += [topic, *row_numbers(table), *labels.used]
        others = _unused_columns(table, used, are_all_named=run is not None and measure is not None)
        layout = Layout(
            LONG,
            table,
            topic.place,
            run.place if run else None,
            measure.place if measure else None,
            score.place,
            labels=labels,
            notices=_in_one_line(
                _about_topics(table, topic),
                _about_names(table, measure),
                _about_others(table, others),
            ),
            telling=tuple(column.name for column in others if _may_tell_apart(column)),
        )
        return _checked_layout(layout, kind, table)
    if run is not None:
        topic = by_name or topics_of_runs(table, used)
        values, others, labels = _columns_of_scores(
            table,
            topic,
            [run, *row_numbers(table)],
            _labels(table, reader, names_runs=True),
            names_runs=True,
        )
        names = [column.name for column in values]
        is_clear = table.header.folded[:2] == ["runid", "topic"] or bool(measures_among(names))
        layout = Layout(
            SYSTEMS,
            table,
            topic.place,
            run.place,
            labels=labels,
            values=_places(values),
            notices=_in_one_line(
                _about_topics(table, topic),
                _about_others(table, others),
                [] if is_clear or not names else [_about_systems(table, run, names)],
            ),
        )
        return _checked_layout(layout, kind, table)
    if kind in (LONG, SYSTEMS):
        raise table.error(f"is not a table {_NEEDS[kind]}")
    return _wide_layout(table, by_name, reader, kind)


def _checked_layout(layout: Layout, kind: str | None, table: Table) -> Layout:
    """Return the layout; raise an error if it is not of the `kind` that was asked for."""
    if kind not in (None, layout.kind):
        raise table.error(f"is not a table {_NEEDS[kind]}")
    if layout.kind == SYSTEMS and not layout.values:
        problem = "the header needs columns for run, topic and at least one measure"
        raise table.origin.header_error(problem)
    return layout


def _column_of_runs(table: Table, topic: Column | None, score: Column | None) -> Column | None:
    """Return the column that names runs, or None; one with scores in it is itself a run."""
    if topic is not None and score is not None:
        return table.find(RUN, lambda column: column.may_be_runs or not column.may_be_a_name)
    is_of_ndeval = topic is not None and topic.place == 1 and table.header.folded[0] in RUN[:4]
    return table.columns[0] if is_of_ndeval else table.find(RUN, lambda column: column.may_be_runs)


def _labels(
    table: Table, reader: Reader, *, are_scores_known: bool = False, names_runs: bool = False
) -> LabelColumns:
    """Return the columns that name collections, repeats and groups, unless the user wants none.

    In a table that `names_runs` in a column, no other column is a run.
    """
    if not reader.labels:
        return NO_LABELS
    may_be_runs = not (are_scores_known or names_runs)
    groups = groups_by_name(table, may_be_runs=may_be_runs)
    return LabelColumns(
        collections_by_name(table, are_scores_known=are_scores_known),
        repeats_by_name(table, may_be_runs=may_be_runs),
        None if reader.grouped else groups,
        groups if reader.grouped else None,
    )


def _columns_of_scores(
    table: Table,
    topic: Column | None,
    used: Sequence[Column],
    labels: LabelColumns,
    *,
    names_runs: bool = False,
) -> tuple[list[Column], list[Column], LabelColumns]:
    """Return the columns of scores, those that are of no use (texts, totals), and the `labels`.

    If no column of scores is left besides the labels, these hold the scores, and there are none.
    """
    find = partial(_scores_and_others, table, topic, names_runs=names_runs)
    if labels.used:
        values, others = find([*used, *labels.used])
        if values:
            return values, others, labels
    values, others = find(used)
    if values:
        return values, others, NO_LABELS
    return *find(used, may_be_called_so=True), NO_LABELS


def _scores_and_others(
    table: Table,
    topic: Column | None,
    used: Sequence[Column],
    *,
    names_runs: bool,
    may_be_called_so: bool = False,
) -> tuple[list[Column], list[Column]]:
    """Return the columns of scores, and those that are neither scores nor `used`: texts, totals.

    Whole numbers that are called seed, session or the like are scores only if they `may_be`; 0 and
    1 may be those of a run, unless a column `names_runs`.
    """
    values: list[Column] = []
    others: list[Column] = []
    left = [
        column
        for column in table.columns
        if column is not topic and not column.is_empty and column not in used
    ]
    if topic is not None:
        check_say_the_same(table, topic, [column for column in left if is_called_topics(column)])
    for column in left:
        is_other_topic = is_called_topics(column)
        is_total = column.name.casefold() in NO_TOPICS  # of a row, as pivot tables have it
        is_label = column.folded in (*COLLECTION, *REPEAT, *GROUP)
        is_nothing = is_label and is_blank(table, column)
        is_no_score = (
            column.folded in (*FOLD, *REPEAT, *GROUP)
            and column.may_hold_names
            and (names_runs or not column.is_binary)
            and not may_be_called_so
        )
        is_other = column.is_text or is_other_topic or is_total or is_nothing or is_no_score
        (others if is_other else values).append(column)
    for column in values:
        if not column.name:
            raise no_name(table, column)
    return values, others


def _topics_or_collections(table: Table, column: Column) -> tuple[Column | None, Column | None]:
    """Return a column as that of topics, or of collections, which come again; None for the other.

    Its name is one for collections, and no other column looks like one of topics.
    """
    return (None, column) if comes_again(table, column) else (column, None)


def _no_groups(groups: TopicGroups, table: Table) -> Notice:
    """Return a note on a column that has several values for most topics, so that it groups none.

    Raise DataError if it is so for few topics: then it contradicts itself.
    """
    (_, topic), (one, other) = next(iter(groups.torn.items()))
    column = f"column {quoted(groups.column, 40)}"
    if 2 * len(groups.torn) < len(groups.by_topic):
        raise table.error(
            f"{column} puts topic {quoted(topic)} into {quoted(one)} and into {quoted(other)}",
            "a topic belongs to one group; --labels none ignores the column",
        )
    several = f"has several values for topic {quoted(topic)} and others"
    return note(f"{column} {several}, so it does not group topics: left out", table.origin.name)


def _place(column: Column | None) -> int | None:
    return None if column is None else column.place


def _places(columns: Sequence[Column]) -> tuple[int, ...]:
    return tuple(column.place for column in columns)


def _unused_columns(table: Table, used: Sequence[Column], *, are_all_named: bool) -> list[Column]:
    """Return the columns of a long table that are not `used` but might tell scores apart.

    These are columns of different texts, and those whose names say that they are useful. Unless
    `are_all_named`, runs and measures, a column with one text may name the only one of them.
    """
    fewest = 2 if are_all_named else 1
    known = (*TOPIC, *RUN, *MEASURE, *SCORE)
    return [
        column
        for column in table.columns
        if column not in used
        and (
            (column.is_text and len({*column.filled}) >= fewest) or column.folded in (*known, *FOLD)
        )
    ]


def _are_measures(names: Sequence[str]) -> bool:
    return bool(names) and len(measures_among([*{*names}])) == len({*names})


def _wide_layout(table: Table, by_name: Column | None, reader: Reader, kind: str | None) -> Layout:
    """Return the layout of a table with a row for each topic: its columns are runs, or measures."""
    labels = _labels(table, reader)
    topic = by_name or topics_by_content(table)
    if topic is not None and topic is labels.collection:
        topic, collection = _topics_or_collections(table, topic)
        labels = replace(labels, collection=collection)
    elif topic is not None and topic in labels.used:
        topic = None  # its names come again, so that they are no topics
    values, others, labels = _columns_of_scores(table, topic, row_numbers(table), labels)
    if not values:
        others_named = [column.name for column in others if column.name]
        hint = f"{_columns_in_words(others_named)} {_holds(others_named)} no numbers"
        raise table.error("has no per-topic scores", hint if others_named else "")
    if topic is not None and _are_statistics(topic.filled):
        raise table.error(
            "has only means over all topics",
            "confint needs the scores of every topic: use trec_eval -q or ir_measures -q; if the "
            "columns are topics, transpose the table",
        )
    names = [column.name for column in values]
    _check_all_differ(table, names)
    if topic is not None and by_name is None:
        _check_is_not_turned(table, topic, names)
    found_kind, is_settled = (
        (kind, True) if kind else _runs_or_measures(names, table.origin, reader)
    )
    doubts = [] if is_settled else [_about_columns(table, names, found_kind)]
    if topic is None:
        counted = found_kind == PER_QUERY
    else:
        counted = may_number_rows(table, topic) and counts_rows(table, topic, labels.collection)
    return Layout(
        found_kind,
        table,
        None if topic is None else topic.place,
        labels=labels,
        values=_places(values),
        counted=counted,
        notices=_in_one_line(_about_topics(table, topic), _about_others(table, others), doubts),
        telling=tuple(column.name for column in others if _may_tell_apart(column)),
    )


def _may_tell_apart(column: Column) -> bool:
    """Say whether a column that is left out has a few texts, each of them in several rows."""
    texts = {*column.filled}
    return bool(column.name) and 1 < len(texts) <= len(column.filled) / 2 and column.is_text


def _are_statistics(topics: Sequence[str]) -> bool:
    """Say whether the rows are measures, or mean, sd and the like, as in tables of results."""
    names = {topic.casefold() for topic in topics}
    return len(names) > 1 and (names <= NO_TOPICS or _are_measures(topics))


def _check_all_differ(table: Table, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise table.origin.header_error(f"two columns are named {quoted(name)}")
        seen.add(name)


def _check_is_not_turned(table: Table, topic: Column, names: Sequence[str]) -> None:
    """Raise an error for a table that may have runs in its rows and topics in its columns."""
    if all(map(is_whole, names)) and not topic.is_whole and topic.filled:
        raise table.error(
            f"may have topics in its rows ({quoted(topic.filled[0])}) and runs in its columns "
            f"({quoted(names[0])}), or the other way round",
            "call the first column 'topic' if it holds topics, or transpose the table",
        )


def _runs_or_measures(names: Sequence[str], origin: Origin, reader: Reader) -> tuple[str, bool]:
    """Return BY_RUN or PER_QUERY, by the `names` of columns, and whether that is settled.

    Options that name a run or a measure settle it. Otherwise columns are measures if some is known
    to be one and the file is not called by a measure itself.
    """
    runs = {visible(name) for name in reader.named_runs}
    if runs & set(map(visible, names)):
        return BY_RUN, True
    if runs & {visible(origin.stem), visible(origin.path)}:
        return PER_QUERY, True
    requested = set(map(canonical, split_request(reader.requested, names)))
    if requested and not requested.isdisjoint(map(canonical, names)):
        return PER_QUERY, canonical(origin.stem) not in requested
    known = measures_among(names)
    if reader.prefers is not None:
        return reader.prefers, bool(known)
    file_is_measure = bool(reader.measure_name) or looks_like_a_measure(origin.stem)
    if len(known) == len(names):
        return PER_QUERY, not file_is_measure and all(map(is_certainly_a_measure, names))
    if known and not file_is_measure:
        return PER_QUERY, False
    return BY_RUN, not known and file_is_measure


# What is said about it


def _in_one_line(*notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return all notices, with those of level NOTE joined into one, which comes first."""
    every = [notice for group in notices for notice in group]
    notes = [notice for notice in every if notice.level is Level.NOTE]
    details = [notice for notice in every if notice.level is not Level.NOTE]
    if notes:
        details.insert(0, replace(notes[0], text="; ".join(notice.text for notice in notes)))
    return tuple(details)


def _about_topics(table: Table, topic: Column | None) -> Iterator[Notice]:
    """Yield notices on the column of topics, if its name does not say so, and on row numbers."""
    about = table.origin.name
    if topic is None:
        yield note("there is no topic column: topics are numbered by row", about)
    elif not topic.name:
        yield note(f"{topic.in_words} is read as topics", about)
    elif topic.folded not in TOPIC:
        yield note(f"column {quoted(topic.name)} is read as topics", about)
    numbers = [
        column for column in row_numbers(table) if column is not topic and not column.is_empty
    ]
    if numbers:
        # Others may be ids; but every DataFrame has an index, of rows that were kept, for one.
        is_usual = all(column.counts or (column.is_index and not column.name) for column in numbers)
        say = detail if is_usual else note
        yield say(f"row numbers are left out: {_row_numbers_in_words(numbers)}", about)


def _about_names(table: Table, measure: Column | None) -> Iterator[Notice]:
    """Yield notices that say which column names measures, if its name is one for runs."""
    if measure is not None and measure.folded not in MEASURE:
        yield note(f"column {quoted(measure.name)} is read as measures", table.origin.name)


def _about_systems(table: Table, run: Column, names: Sequence[str]) -> Notice:
    """Return a notice on how columns are read where none of them has the name of a measure."""
    text = f"column {quoted(run.name)} is read as runs, {_columns_in_words(names)} as measures"
    return note(text, table.origin.name)


def _about_columns(table: Table, names: Sequence[str], kind: str) -> Notice:
    """Return a notice on whether columns are read as runs or measures, and how to change it."""
    single = len(names) == 1
    columns = f"{_columns_in_words(names)} {'is' if single else 'are'}"
    taken, other, turn = "run", "measure", "per_query"
    if kind == turn:
        taken, other, turn = "measure", "run", "topic_by_run"
    text = f"{columns} read as {_in_number(taken, single)}; if {'it is' if single else 'they are'} "
    return note(f"{text}{_in_number(other, single)}, use --input-format {turn}", table.origin.name)


def _about_others(table: Table, others: Sequence[Column]) -> Iterator[Notice]:
    """Yield notices that say which columns are left out though they have a name."""
    named = [column.name for column in others if column.name]
    if named:
        text = f"{_columns_in_words(named)} {'is' if len(named) == 1 else 'are'} left out"
        yield note(text, table.origin.name)


def _columns_in_words(names: Sequence[str]) -> str:
    """Return `column 'a'` or `columns 'a', 'b' and 3 more`."""
    shown = [quoted(name, 40) for name in names]
    return f"{'column' if len(names) == 1 else 'columns'} {listed(shown, 5)}"


def _holds(names: Sequence[str]) -> str:
    return "holds" if len(names) == 1 else "hold"


def _row_numbers_in_words(columns: Sequence[Column]) -> str:
    """Return `column 'Unnamed: 0'`, or `the index` for one of a DataFrame that has no name."""
    if len(columns) == 1 and columns[0].is_index and not columns[0].name:
        return columns[0].in_words
    unnamed = "the index" if columns[0].is_index else "1, which has no name"
    return _columns_in_words([column.name or unnamed for column in columns])


def _in_number(noun: str, single: bool) -> str:
    """Return `a run` or `runs`."""
    return f"a {noun}" if single else f"{noun}s"
