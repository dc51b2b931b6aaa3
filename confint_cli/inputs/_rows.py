"""From rows of (run, measure, topic, value) to series: the checks that all formats share."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from confint_cli.errors import DataError, Notice, warning
from confint_cli.inputs._format import Reader, Reading, Series
from confint_cli.inputs._source import Source
from confint_cli.measures import is_mean_of_topics
from confint_cli.text import (
    count,
    listed,
    natural_key,
    number,
    quoted,
    rounding_of,
    why_no_number,
)

SUMMARY = frozenset({"all"})
"""The topic of rows that hold the mean of the others; some formats have another name for it."""

Row = tuple[int, str | None, str, str, str]
"""Line, run (None: the file does not say), measure, topic, value as text."""


def bad_value(source: Source, line: int, measure: str, text: str) -> DataError:
    """Return the error for a value that is not a finite number."""
    problem = f"the value of {quoted(measure)} is {why_no_number(text)}: {quoted(text)}"
    return source.error(line, problem)


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
    first_error: DataError | None = None  # matters only if the measure is wanted

    @property
    def has_topics(self) -> bool:
        return bool(self.topics) or self.first_error is not None


@dataclass(frozen=True)
class Rules:
    """How a format differs from others in what its rows mean."""

    summary: frozenset[str] = SUMMARY
    expects_summary: bool = False  # a file without such a row may have been cut short
    exact: bool = False  # values are not rounded in print
    named_measures: bool = True  # else the file's name stands for the measure, whatever it is


_NO_SPECIAL_RULES = Rules()


def collect(
    source: Source, rows: Iterable[Row], reader: Reader, rules: Rules = _NO_SPECIAL_RULES
) -> Reading:
    """Gather rows into series; a value that is no number or a second row for a topic is an error.

    Measures that are no mean of topics (counts, geometric means, texts) are left out.
    """
    columns: dict[tuple[str | None, str], _Column] = {}
    names: list[str] = []  # the topics of the first series, whose texts the others share
    for line, run, measure, topic, text in rows:
        column = columns.get((run, measure))
        if column is None:
            if rules.named_measures and not is_mean_of_topics(measure):
                continue
            column = columns[run, measure] = _Column()
            names = names or column.topics
            check_number_of_series(source, len(columns))
        try:
            value = number(text)
        except ValueError:
            if column.first_error is None:
                column.first_error = bad_value(source, line, measure, text)
            continue
        if topic in rules.summary:
            if column.summary is not None and column.first_error is None:
                problem = f"a second row for {quoted(topic)} and {quoted(measure)}"
                column.first_error = source.error(line, problem)
            column.summary = text
            continue
        if not topic:
            raise source.error(line, "the topic is empty")
        if not column.topics and not rules.exact:
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
    series = [
        _series(source, run, measure, column)
        for (run, measure), column in per_topic.items()
        if measure in chosen
    ]
    summaries = [column.summary for column in columns.values()]
    lacks_summary = rules.expects_summary and not any(summaries)
    notices = runs_left_out(source, [run for run, _ in per_topic], series)
    return Reading(source.path, series, measures, lacks_summary=lacks_summary, notices=notices)


def _series(source: Source, run: str | None, measure: str, column: _Column) -> Series:
    if column.first_error is not None:
        raise column.first_error
    check_topics_differ(source, run, measure, column.topics, column.lines)
    values = np.frombuffer(column.values, dtype=np.float64)
    return Series(run, measure, column.topics, values, column.summary, column.rounding)


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
    source: Source, run: str | None, measure: str, topics: Sequence[str], lines: Sequence[int]
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
