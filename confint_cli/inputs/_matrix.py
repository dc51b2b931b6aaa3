"""Numbers in rows and columns without names of topics: a row is a topic, a column a run."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.errors import DataError
from confint_cli.inputs._format import Reader, Reading, Series
from confint_cli.inputs._rows import bad_value, check_number_of_series
from confint_cli.inputs._source import Source
from confint_cli.text import number, rounding_of

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
    number_of_rows: int,
    runs: Sequence[str],
) -> Reading:
    """Read the lines' numbers and cells, of which there are as many as runs in each."""
    check_number_of_series(source, len(runs))
    if not number_of_rows:
        raise DataError(source.name, "has no per-topic scores")
    measure = reader.measure_for(source)
    if measure not in reader.choose([measure]):
        return Reading(source.path, [], [measure])
    values = np.empty((len(runs), number_of_rows))
    first: Sequence[str] = ()
    block, done = array("d"), 0
    for place, (line, cells) in enumerate(rows, start=1):
        first = first or cells
        block.extend(_numbers(source, line, measure, cells))
        if len(block) >= _TOGETHER or place == number_of_rows:
            values[:, done:place] = _as_rows(block, len(runs)).T
            block, done = array("d"), place
    topics = NumberedTopics(number_of_rows)
    series = [
        Series(run, measure, topics, column, rounding=rounding_of(text.strip()))
        for run, column, text in zip(runs, values, first, strict=True)
    ]
    return Reading(source.path, series, [measure])


def _numbers(source: Source, line: int, measure: str, cells: Sequence[str]) -> Iterator[float]:
    for cell in cells:
        try:
            yield number(cell.strip())
        except ValueError:
            raise bad_value(source, line, measure, cell.strip()) from None


def _as_rows(numbers: "array[float]", width: int) -> FloatArray:
    return np.frombuffer(numbers, dtype=np.float64).reshape(-1, width)
