"""From rows of (run, measure, topic, value) to series: the checks that all formats share."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from confint_cli.errors import DataError
from confint_cli.inputs._format import Reader, Reading, Series
from confint_cli.inputs._source import Source
from confint_cli.measures import is_mean_of_topics
from confint_cli.text import looks_numeric, number, quoted

SUMMARY_TOPICS = frozenset({"all", "amean", "mean", "average", "avg"})
"""Rows of these names hold the mean of the others, in whichever format: never a topic."""

Row = tuple[int, str | None, str, str, str]
"""Line, run (None: the file does not say), measure, topic, value as text."""


def bad_value(source: Source, line: int, measure: str, text: str) -> DataError:
    """Return the error for a value that is not a finite number."""
    kind = "not finite" if looks_numeric(text) and "_" not in text else "not a number"
    return source.error(line, f"the value of {quoted(measure)} is {kind}: {quoted(text)}")


@dataclass
class _Column:
    """A series in the making."""

    topics: list[str] = field(default_factory=list)
    values: "array[float]" = field(default_factory=lambda: array("d"))
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    summary: str | None = None
    first_error: DataError | None = None  # matters only if the measure is wanted

    @property
    def has_topics(self) -> bool:
        return bool(self.topics) or self.first_error is not None


def collect(
    source: Source,
    rows: Iterable[Row],
    reader: Reader,
    *,
    tag: str | None = None,
    expects_summary: bool = False,
) -> Reading:
    """Gather rows into series; a value that is no number or a second row for a topic is an error.

    Measures that are no mean of topics (counts, geometric means, texts) are left out.
    """
    columns: dict[tuple[str | None, str], _Column] = {}
    skipped: dict[str, bool] = {}
    for line, run, measure, topic, text in rows:
        column = columns.get((run, measure))
        if column is None:
            if skipped.setdefault(measure, not is_mean_of_topics(measure)):
                continue
            column = columns[run, measure] = _Column()
        if topic in SUMMARY_TOPICS:
            column.summary = text
            continue
        try:
            value = number(text)
        except ValueError:
            if column.first_error is None:
                column.first_error = bad_value(source, line, measure, text)
            continue
        column.topics.append(topic)
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
    lacks_summary = expects_summary and all(column.summary is None for column in columns.values())
    return Reading(source.path, series, measures, tag, lacks_summary)


def _series(source: Source, run: str | None, measure: str, column: _Column) -> Series:
    if column.first_error is not None:
        raise column.first_error
    check_topics_differ(source, run, measure, column.topics, column.lines)
    values = np.frombuffer(column.values, dtype=np.float64)
    return Series(run, measure, column.topics, values, column.summary)


def check_topics_differ(
    source: Source, run: str | None, measure: str, topics: list[str], lines: Iterable[int]
) -> None:
    """Raise an error at the second row for one topic."""
    if len(set(topics)) == len(topics):
        return
    first: dict[str, int] = {}
    for topic, line in zip(topics, lines, strict=True):
        if topic in first:
            of_run = f" of run {quoted(run)}" if run is not None else ""
            raise source.error(
                line,
                f"a second row for topic {quoted(topic)} and {quoted(measure)}{of_run}; "
                f"the first is line {first[topic]}",
            )
        first[topic] = line
