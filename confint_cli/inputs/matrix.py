"""Numbers in rows and columns: a row is a topic, a column a run."""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError
from confint_cli.common.text import number, quoted, rounding_of
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import Reader, Reading, Series
from confint_cli.inputs.rows import (
    Numerals,
    bad_value,
    check_number_of_series,
    check_topics_differ,
    is_gap,
    no_score,
    no_topics_among,
    rows_left_out,
    score_in,
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
) -> Reading:
    """Return one series for each of `runs` from `rows`: line number, and a cell for each run.

    `names` are those of the rows: a topic, which no other row has, or one of `summary` for the
    means, or one of other `statistics`, which are left out. `numerals` read the cells of a table,
    which may be blank or have commas; without them, cells are plain numbers.
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
    values, first_cells, summary_cells = np.empty((len(runs), len(topics))), [""] * len(runs), None
    block, topics_done, lines = array("d"), 0, array("I")
    for name, (line, row) in zip(names, rows, strict=True):
        cells = [cell.strip() for cell in row]
        if name in means:
            if summary_cells is not None:
                raise source.error(line, f"a second row for {quoted(name)} and {quoted(measure)}")
            summary_cells = cells
            row_reader.numbers(line, cells)
            continue
        if not name:
            raise source.error(line, "the topic is empty")
        first_cells = cells if not lines else row_reader.filled_up(first_cells, cells)
        lines.append(line)
        block.extend(row_reader.scores(line, name, cells))
        if len(block) >= _BLOCK or len(lines) == len(topics):
            values[:, topics_done : len(lines)] = _as_rows(block, len(runs)).T
            block, topics_done = array("d"), len(lines)
    if not isinstance(topics, NumberedTopics):
        check_topics_differ(source, runs[0], measure, topics, lines)
    no_topics = no_topics_among(topics, statistics)
    if no_topics:
        values = values[:, [topic not in no_topics for topic in topics]]
        topics = [topic for topic in topics if topic not in no_topics]
    columns = enumerate(zip(runs, values, strict=True))
    series = [
        Series(run, measure, topics, column,
               row_reader.plain(summary_cells[place]) if summary_cells else None,
               rounding_of(row_reader.plain(first_cells[place]) or ""))
        for place, (run, column) in columns
    ]  # fmt: skip
    if row_reader.has_gaps:
        series = [without_gaps(each) if np.isnan(each.values).any() else each for each in series]
    notices = written_alike(source, [numerals]) if numerals is not None else []
    series, about_blanks = without_blanks(source, series)
    notices += [*about_blanks, *rows_left_out(source, no_topics)]
    return Reading(source.path, series, [measure], notices=notices)


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
