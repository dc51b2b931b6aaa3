"""Numbers in rows and columns: a row is a topic, a column a run."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.errors import DataError
from confint_cli.inputs._format import Reader, Reading, Series
from confint_cli.inputs._rows import bad_value, check_number_of_series, check_topics_differ
from confint_cli.inputs._source import Source
from confint_cli.text import number, quoted, rounding_of

_TOGETHER = 1 << 16  # numbers that become part of the matrix at a time


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
        found = self._numbers[place]
        return str(found) if isinstance(found, int) else [*map(str, found)]

    def __iter__(self) -> Iterator[str]:
        return map(str, self._numbers)


def read_matrix(
    source: Source,
    reader: Reader,
    rows: Iterable[tuple[int, Sequence[str]]],
    names: Sequence[str],
    runs: Sequence[str],
    summary: frozenset[str] = frozenset(),
) -> Reading:
    """Read the lines' numbers and cells, of which there are as many as runs in each.

    `names` are those of the rows: of topics, all of them different, or of a `summary`.
    """
    check_number_of_series(source, len(runs))
    measure = reader.measure_for(source)
    topics = names if summary.isdisjoint(names) else [one for one in names if one not in summary]
    if not topics or not runs:
        problem = "has only means over all topics" if names and runs else "has no per-topic scores"
        raise DataError(source.name, problem)
    if measure not in reader.choose([measure]):
        return Reading(source.path, [], [measure])
    values, first, last = np.empty((len(runs), len(topics))), [""] * len(runs), None
    block, done, lines = array("d"), 0, array("I")
    for name, (line, row) in zip(names, rows, strict=True):
        cells = [cell.strip() for cell in row]
        numbers = _numbers(source, line, measure, cells)
        if name in summary:
            if last is not None:
                raise source.error(line, f"a second row for {quoted(name)} and {quoted(measure)}")
            last = cells
            continue
        if not name:
            raise source.error(line, "the topic is empty")
        first = first if lines else cells
        lines.append(line)
        block.extend(numbers)
        if len(block) >= _TOGETHER or len(lines) == len(topics):
            values[:, done : len(lines)] = _as_rows(block, len(runs)).T
            block, done = array("d"), len(lines)
    if not isinstance(topics, NumberedTopics):
        check_topics_differ(source, runs[0], measure, topics, lines)
    series = [
        Series(
            run, measure, topics, column, last[place] if last else None, rounding_of(first[place])
        )
        for place, (run, column) in enumerate(zip(runs, values, strict=True))
    ]
    return Reading(source.path, series, [measure])


def _numbers(source: Source, line: int, measure: str, cells: Sequence[str]) -> list[float]:
    numbers = []
    for cell in cells:
        try:
            numbers.append(number(cell))
        except ValueError:
            raise bad_value(source, line, measure, cell) from None
    return numbers


def _as_rows(numbers: "array[float]", width: int) -> FloatArray:
    return np.frombuffer(numbers, dtype=np.float64).reshape(-1, width)
