"""From rows of (run, measure, topic, value) to series: the checks that all formats share."""

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from confint_cli.errors import DataError, Notice, detail, note, warning
from confint_cli.inputs._format import Reader, Reading, Series
from confint_cli.inputs._numerals import Numerals, no_score, score_in
from confint_cli.inputs._source import Source
from confint_cli.measures import is_mean_of_topics
from confint_cli.text import (
    count,
    listed,
    natural_key,
    quoted,
    rounding_of,
)

SUMMARY = frozenset({"all"})
"""The topic of rows that hold the mean of the others; some formats have another name for it."""

Row = tuple[int, str | None, str, str, str]
"""Line, run (None: the file does not say), measure, topic, value as text."""


def bad_value(source: Source, line: int, measure: str, text: str, problem: str) -> DataError:
    """Return the error for a value, whose problem is that it `is not a number`, say."""
    return source.error(line, f"the value of {quoted(measure)} {problem}: {quoted(text)}")


_SERIES_OF_ANY_FILE = 50_000
_BYTES_A_SERIES = 200


def most_series(source: Source) -> int:
    """Return how many series a file of its size may hold.

    A series of twenty topics has more bytes; one that a handful of bytes makes would take a
    hundred times the memory that they do.
    """
    return _SERIES_OF_ANY_FILE + len(source.data) // _BYTES_A_SERIES


def check_number_of_series(source: Source, number: int) -> None:
    """Raise an error for a file that has more series than are scores of topics."""
    if number > most_series(source):
        raise DataError(
            source.name,
            f"has more than {most_series(source)} runs and measures, for a few topics each",
            "are topics in its rows, and runs or measures in its columns?",
        )


@dataclass(slots=True)
class _Column:
    """A series in the making."""

    topics: list[str] = field(default_factory=list)
    values: "array[float]" = field(default_factory=lambda: array("d"))
    lines: "array[int]" = field(default_factory=lambda: array("I"))
    summary: str | None = None
    rounding: float = 0.0
    numerals: Numerals | None = None  # of a table, where numbers may be written in many ways
    no_topics: set[str] = field(default_factory=set)  # rows of totals and the like
    has_topics: bool = False  # there are rows of topics, good or bad, not of means alone
    has_gaps: bool = False  # some values are NaN: blanks, where topics may be missing
    first_error: DataError | None = None  # matters only if the measure is wanted

    def fail(self, error: DataError) -> None:
        """Remember the error if it is the first."""
        self.first_error = self.first_error or error


@dataclass(frozen=True)
class Rules:
    """How a format differs from others in what its rows mean."""

    summary: frozenset[str] = SUMMARY
    statistics: frozenset[str] = frozenset()  # further rows that are no topics beside ids
    any_case: bool = False  # capitals make no difference to that
    expects_summary: bool = False  # a file without such a row may have been cut short
    exact: bool = False  # values are not rounded in print
    named_measures: bool = True  # else the file's name stands for the measure, whatever it is
    is_table: bool = False  # blanks, decimal commas and percent signs are read there
    hint: str = ""  # what to do about a topic that comes twice


_NO_SPECIAL_RULES = Rules()


def collect(
    source: Source, rows: Iterable[Row], reader: Reader, rules: Rules = _NO_SPECIAL_RULES
) -> Reading:
    """Gather rows into series; a value that is no number or a second row for a topic is an error.

    Measures that are no mean of topics (counts, geometric means, texts) are left out.
    """
    columns: dict[tuple[str | None, str], _Column] = {}
    names: list[str] = []  # the topics of the first series, whose texts the others share
    is_summarised = False
    for line, run, measure, topic, shown in rows:
        column = columns.get((run, measure))
        if column is None:
            if rules.named_measures and not is_mean_of_topics(measure):
                continue
            numerals = Numerals() if rules.is_table else None
            column = columns[run, measure] = _Column(numerals=numerals)
            names = names or column.topics
            check_number_of_series(source, len(columns))
        if not topic:
            raise source.error(line, "the topic is empty")
        if rules.is_table and (run == "" or not measure):
            raise source.error(line, f"the {'run' if run == '' else 'measure'} is empty")
        is_summary = (topic.casefold() if rules.any_case else topic) in rules.summary
        is_summarised = is_summarised or is_summary
        column.has_topics = column.has_topics or not is_summary
        try:
            value, text = score_in(column.numerals, shown)
        except ValueError as error:
            column.fail(bad_value(source, line, measure, shown, str(error)))
            continue
        if is_summary:
            if column.summary is not None:
                problem = f"a second row for {quoted(topic)} and {quoted(measure)}"
                column.fail(source.error(line, problem, rules.hint))
            column.summary = text
            continue
        if text is None:
            column.has_gaps = True
            if not reader.gaps:
                name = measure if rules.named_measures else "score"
                column.fail(no_score(source, line, name, topic, shown))
        elif not column.rounding and not rules.exact:
            column.rounding = rounding_of(text)
        place = len(column.topics)
        is_shared = place < len(names) and names[place] == topic
        column.topics.append(names[place] if is_shared else topic)
        column.values.append(value)
        column.lines.append(line)
    if not columns:
        raise DataError(source.name, "has no per-topic scores")
    per_topic = {key: column for key, column in columns.items() if column.has_topics}
    if not per_topic:
        raise DataError(
            source.name,
            "has only means over all topics",
            "scores of every topic are needed: trec_eval -q, ir_measures -q",
        )
    measures = list(dict.fromkeys(measure for _, measure in per_topic))
    chosen = frozenset(reader.choose(measures))
    wanted = {key: column for key, column in per_topic.items() if key[1] in chosen}
    series = [
        _series(source, run, measure, column, rules) for (run, measure), column in wanted.items()
    ]
    left_out = {topic for one in wanted.values() for topic in one.no_topics}
    notices = runs_left_out(source, [run for run, _ in per_topic], series)
    notices += written_alike(source, [one.numerals for one in wanted.values() if one.numerals])
    series, about_blanks = without_blanks(source, series)
    blank = chosen.difference(one.measure for one in series)
    return Reading(
        source.path,
        series,
        [measure for measure in measures if measure not in blank],
        lacks_summary=rules.expects_summary and not is_summarised,
        notices=[*notices, *about_blanks, *rows_left_out(source, left_out)],
    )


def _series(source: Source, run: str | None, measure: str, column: _Column, rules: Rules) -> Series:
    if column.first_error is not None:
        raise column.first_error
    check_topics_differ(source, run, measure, column.topics, column.lines, rules.hint)
    values = np.frombuffer(column.values, dtype=np.float64)
    found = Series(run, measure, column.topics, values, column.summary, column.rounding)
    column.no_topics = no_topics_among(column.topics, rules.statistics)
    if column.no_topics:
        there = [topic not in column.no_topics for topic in column.topics]
        topics = [topic for topic in column.topics if topic not in column.no_topics]
        found = replace(found, topics=topics, values=values[there])
    return without_gaps(found) if column.has_gaps else found


def no_topics_among(topics: Sequence[str], names: frozenset[str]) -> set[str]:
    """Return the rows of totals and the like, which have such names and stand below ids.

    Ids have a digit each; among topics that are words, such a name may be one.
    """
    found = {topic for topic in topics if topic.casefold() in names} if names else set()
    if not found:
        return found
    ids = [topic for topic in topics if topic not in found]
    return found if ids and all(any(map(str.isdigit, topic)) for topic in ids) else set()


def rows_left_out(source: Source, names: Collection[str]) -> list[Notice]:
    """Say which rows are no topics by their names."""
    if not names:
        return []
    shown = listed([quoted(name) for name in sorted(names, key=natural_key)], 5)
    rows = f"row {shown} is" if len(names) == 1 else f"rows {shown} are"
    return [note(f"{rows} left out: no topic is called so among numbers", source.name)]


def without_gaps(series: Series) -> Series:
    """Return the series without the topics whose value is NaN; they are its gaps."""
    there = ~np.isnan(series.values)
    rows = zip(series.topics, there.tolist(), strict=True)
    topics: tuple[list[str], list[str]] = ([], [])
    for topic, is_there in rows:
        topics[is_there].append(topic)
    return replace(series, topics=topics[1], values=series.values[there], gaps=topics[0])


def without_blanks(source: Source, series: Sequence[Series]) -> tuple[list[Series], list[Notice]]:
    """Return the series that have scores, and a warning of those that have none at all."""
    filled = [one for one in series if len(one.topics)]
    blank = [one for one in series if not len(one.topics)]
    measures = {one.measure for one in series}
    columns = [
        f"{one.measure} of {one.run}" if one.run and len(measures) > 1 else one.run or one.measure
        for one in blank
    ]
    if not columns:
        return filled, []
    if not filled:
        raise DataError(source.name, "has no per-topic scores, only blanks")
    return filled, [warning(f"no score at all, left out: {listed(columns, 5)}", source.name)]


def written_alike(source: Source, numerals: Sequence[Numerals]) -> list[Notice]:
    """Raise an error if columns of a table write their numbers differently; say how they do."""
    for one in numerals:
        one.check(source)
    if len({one.decimal for one in numerals} - {""}) > 1:
        raise DataError(source.name, "some columns have decimal commas, and others decimal points")
    percent = {one.percent for one in numerals} - {None}
    if len(percent) > 1:
        raise DataError(source.name, "some columns have percent signs, and others have none")
    example = next((one.example for one in numerals if one.example), "")
    if percent == {True}:
        return [note(f"percentages are read as shares of 1: {quoted(example)}", source.name)]
    return [detail(f"decimal commas: {quoted(example)}", source.name)] if example else []


def runs_left_out(
    source: Source, runs: Iterable[str | None], series: Sequence[Series]
) -> list[Notice]:
    """Warn of runs in a file that have none of the measures that were read from it."""
    missing = {run for run in runs if run is not None} - {one.run for one in series}
    if not missing or not series:
        return []
    names = sorted(missing, key=natural_key)
    return [
        warning(
            f"{count(len(names), 'run')} without the measures that are used, left out: "
            f"{listed(names, 5)}",
            source.name,
        )
    ]


def check_topics_differ(
    source: Source,
    run: str | None,
    measure: str,
    topics: Sequence[str],
    lines: Sequence[int],
    hint: str = "",
) -> None:
    """Raise an error at the second row for one topic."""
    second = place_of_repeated(topics)
    if second is None:
        return
    of_run = f" of run {quoted(run)}" if run is not None else ""
    raise source.error(
        lines[second],
        f"a second row for topic {quoted(topics[second])} and {quoted(measure)}{of_run}; "
        f"the first is line {lines[topics.index(topics[second])]}",
        hint,
    )


def place_of_repeated(texts: Sequence[str]) -> int | None:
    """Return where the first text stands that came before, or None if all differ.

    Of many, those are looked at whose hashes meet: a set of millions would take more memory than
    the file.
    """
    if len(texts) < _MANY:
        if len(set(texts)) == len(texts):
            return None
        suspects: Sequence[int] = range(len(texts))
    else:
        hashes = np.fromiter(map(hash, texts), np.int64, len(texts))
        ordered = np.sort(hashes)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        suspects = np.flatnonzero(np.isin(hashes, repeated)).tolist() if repeated.size else ()
    seen: set[str] = set()
    for place in suspects:
        if texts[place] in seen:
            return place
        seen.add(texts[place])
    return None


_MANY = 10_000
