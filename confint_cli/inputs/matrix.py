"""Numbers in rows and columns: a row is a topic, and a column is a run."""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import overload

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError
from confint_cli.common.text import number, rounding_of
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import UNLABELLED, Reader, Reading, RowLabels, Series
from confint_cli.inputs.rows import (
    Numerals,
    bad_value,
    check_number_of_series,
    check_topics_differ,
    empty_name,
    is_gap,
    no_score,
    no_topics_among,
    rows_left_out,
    score_in,
    second_mean,
    without_blanks,
    without_gaps,
    written_alike,
)

_BLOCK = 1 << 16  # numbers that are copied to the matrix at a time


class NumberedTopics(Sequence[str]):
    """The topics 1, 2, … of a file that does not name them: texts only while they are looked at."""

    def __init__(self, size: int) -> None:
        self._numbers = range(1, size + 1)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        chosen = self._numbers[place]
        return str(chosen) if isinstance(chosen, int) else [*map(str, chosen)]

    def __iter__(self) -> Iterator[str]:
        return map(str, self._numbers)


def read_matrix(
    source: Origin,
    reader: Reader,
    rows: Iterable[tuple[int, Sequence[str]]],
    names: Sequence[str],
    runs: Sequence[str],
    *,
    summary: frozenset[str] = frozenset(),
    statistics: frozenset[str] = frozenset(),
    numerals: Numerals | None = None,
    labels: Sequence[RowLabels] | None = None,
) -> Reading:
    """Return one series for each of `runs` from `rows`: line number, and a cell for each run.

    `names` are those of the rows: a topic, which no other row has, or one of `summary` for the
    means, or one of other `statistics`, which are left out. `numerals` read the cells of a table,
    which may be blank or have commas; without them, cells are plain numbers. Rows may have
    `labels`: then there is a series for each run and its labels, and a topic and a mean may come
    once in each.
    """
    check_number_of_series(source, len(runs))
    measure = reader.measure_for(source)
    means = {name for name in names if name.casefold() in summary} if summary else set()
    topics = [name for name in names if name not in means] if means else names
    if not topics or not runs:
        problem = "has only means over all topics" if names and runs else "has no per-topic scores"
        raise DataError(source.name, problem)
    if measure not in reader.choose([measure]):
        return Reading(source.path, [], [measure])
    row_reader = _RowReader(source, measure, runs, numerals, reader.gaps)
    values = np.empty((len(runs), len(topics)))
    block, topics_done, lines = array("d"), 0, array("I")
    parts: dict[RowLabels, _Part] = {}
    of_rows = labels if labels is not None else repeat(UNLABELLED, len(names))
    for name, own_labels, (line, row) in zip(names, of_rows, rows, strict=True):
        cells = [cell.strip() for cell in row]
        if not name or own_labels.empty:
            raise empty_name(source, line, own_labels.empty if name else "topic")
        part = parts.get(own_labels)
        if part is None:
            part = parts[own_labels] = _Part(own_labels)
            check_number_of_series(source, len(runs) * len(parts))
        if name in means:
            if part.summary is not None:
                raise source.error(line, second_mean(name, measure, own_labels))
            part.summary = cells
            row_reader.numbers(line, cells)
            continue
        part.first = row_reader.filled_up(part.first, cells) if part.places else cells
        part.places.append(len(lines))
        lines.append(line)
        block.extend(row_reader.scores(line, name, cells))
        if len(block) >= _BLOCK or len(lines) == len(topics):
            values[:, topics_done : len(lines)] = _as_rows(block, len(runs)).T
            block, topics_done = array("d"), len(lines)
    no_topics: set[str] = set()
    series: list[Series] = []
    for part in parts.values():
        if not part.places:
            continue
        part_topics, part_values, part_lines = _rows_of(part, topics, values, lines)
        if not isinstance(topics, NumberedTopics):
            check_topics_differ(
                source, runs[0], measure, part_topics, part_lines, labels=part.labels
            )
        others = no_topics_among(part_topics, statistics)
        no_topics |= others
        part_topics, part_values = _without(others, part_topics, part_values)
        series += [
            Series(run, measure, part_topics, column,
                   row_reader.plain(part.summary[place]) if part.summary else None,
                   rounding_of(row_reader.plain(part.first[place]) or ""),
                   labels=part.labels)
            for place, (run, column) in enumerate(zip(runs, part_values, strict=True))
        ]  # fmt: skip
    if row_reader.has_gaps:
        series = [without_gaps(each) if np.isnan(each.values).any() else each for each in series]
    notices = written_alike(source, [numerals]) if numerals is not None else []
    series, about_blanks = without_blanks(source, series)
    notices += [*about_blanks, *rows_left_out(source, no_topics)]
    return Reading(source.path, series, [measure], notices=notices)


@dataclass
class _Part:
    """The rows with the same labels, or all rows of a table that has none."""

    labels: RowLabels
    places: "array[int]" = field(default_factory=lambda: array("I"))  # of its topics, among all
    first: list[str] = field(default_factory=list)  # the first cell of each run, blanks filled up
    summary: list[str] | None = None  # the cells of the row of means


def _rows_of(
    part: _Part, topics: Sequence[str], values: FloatArray, lines: "array[int]"
) -> tuple[Sequence[str], FloatArray, "array[int]"]:
    """Return the topics of a part, their values [run, topic], and their lines."""
    if len(part.places) == len(topics):
        return topics, values, lines
    return (
        [topics[place] for place in part.places],
        values[:, np.frombuffer(part.places, np.uintc)],
        array("I", (lines[place] for place in part.places)),
    )


def _without(
    names: set[str], topics: Sequence[str], values: FloatArray
) -> tuple[Sequence[str], FloatArray]:
    """Return topics and values [run, topic] without those that have one of these `names`."""
    if not names:
        return topics, values
    is_topic = [topic not in names for topic in topics]
    return [topic for topic in topics if topic not in names], values[:, is_topic]


class _RowReader:
    """Reads the cells of rows, one for each run, and remembers whether some were blank."""

    def __init__(
        self,
        source: Origin,
        measure: str,
        runs: Sequence[str],
        numerals: Numerals | None,
        gaps_are_allowed: bool,
    ) -> None:
        self._source = source
        self._measure = measure
        self._runs = runs
        self._numerals = numerals
        self._gaps_are_allowed = gaps_are_allowed
        self.has_gaps = False

    def scores(self, line: int, topic: str, cells: Sequence[str]) -> list[float]:
        """Return the scores of all runs on a topic, NaN for a blank if blanks are allowed."""
        numbers = self.numbers(line, cells)
        if self._numerals is None or not math.isnan(sum(numbers)):
            return numbers
        for run, cell, value in zip(self._runs, cells, numbers, strict=True):
            if math.isnan(value) and not self._gaps_are_allowed:
                raise no_score(self._source, line, run, topic, cell)
        self.has_gaps = True
        return numbers

    def numbers(self, line: int, cells: Sequence[str]) -> list[float]:
        """Return the numbers in the cells of a row, NaN for a blank of a table."""
        if self._numerals is None or self._numerals.is_settled:
            try:
                return [*map(number, cells)]
            except ValueError:
                pass  # one of them is a blank, or a fault
        numbers: list[float] = []
        for cell in cells:
            try:
                numbers.append(score_in(self._numerals, cell)[0])
            except ValueError as error:
                name = self._measure if self._numerals is None else self._runs[len(numbers)]
                raise bad_value(self._source, line, name, cell, str(error)) from None
        return numbers

    def filled_up(self, first: list[str], cells: list[str]) -> list[str]:
        """Return the `first` cell of each column, or that of `cells` where it is still blank."""
        if not self.has_gaps:
            return first
        return [new if is_gap(old) else old for old, new in zip(first, cells, strict=True)]

    def plain(self, cell: str) -> str | None:
        """Return the number in a cell as Python writes it, None for a blank."""
        return cell if self._numerals is None else self._numerals.plain(cell)


def _as_rows(numbers: "array[float]", width: int) -> FloatArray:
    return np.frombuffer(numbers, dtype=np.float64).reshape(-1, width)
