"""DataFrames of pandas and polars: their columns as texts, as numbers, and as codes of texts.

Neither library is needed: a DataFrame is known by its type, and used by its own methods. The text
of a cell is what it would be in a CSV, with three exceptions: True is 1, a date is in ISO's form,
and a topic 301.0, which is what pandas makes of 301 if another topic is missing, is 301.
"""

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.columns import TableRow, is_name_of_topics
from confint_cli.inputs.origin import Memory, Origin

Numbers = NDArray[Any]
"""Numbers of any type, of 0 and 1 too, [row]; NaN where there is none."""

Codes = NDArray[np.signedinteger[Any]]

_FIRST_ROWS, _MANY_ROWS = 64, 10_000  # that become texts at a time
_MISSING = frozenset({"NAType", "NaTType", "NoneType"})  # types of values that stand for none
_NUMBERS = (int, float, Decimal, np.integer, np.floating, np.bool_)
_LARGEST_EXACT = 2.0**53  # beyond it, a float may stand for several whole numbers
_NO_NAMES = {"list": "lists", "dict": "dicts", "bytes": "bytes", "ndarray": "arrays",
             "set": "sets", "tuple": "tuples"}  # fmt: skip
_NO_SCORES = {"c": "complex numbers", "M": "dates", "m": "durations"}  # by the kind of their type
_POLARS_NO_SCORES = {"Datetime": "dates", "Date": "dates", "Time": "times", "List": "lists",
                     "Duration": "durations", "Array": "lists", "Struct": "dicts",
                     "Binary": "bytes"}  # fmt: skip


# Cells


def text_of(value: object, *, is_id: bool = False) -> str:
    """Return the text of a cell, without blanks around it; empty for a missing value.

    A whole number in a float is written without its `.0` if it `is_id`.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Decimal):
        return "" if value.is_nan() else str(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if is_id and number.is_integer() and abs(number) < _LARGEST_EXACT:
            return str(int(number))
        return "" if math.isnan(number) else str(value)
    if type(value).__name__ in _MISSING:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, np.datetime64 | np.timedelta64) and np.isnat(value):
        return ""
    try:
        return str(value).strip()
    except ValueError:  # a whole number of more digits than Python writes
        return "inf"
    except RecursionError:  # lists in lists in lists
        return "…"


def texts_of(values: Sequence[object], *, is_id: bool = False) -> list[str]:
    """Return the texts of many cells."""
    if {*map(type, values)} == {str}:
        return [*map(str.strip, values)]  # type: ignore[arg-type]
    return [text_of(value, is_id=is_id) for value in values]


def are_numbers(values: Iterable[object]) -> bool:
    """Say whether values are numbers, or missing; by their types, of which there are few."""
    types = {*map(type, values)}
    return all(issubclass(one, _NUMBERS) or one.__name__ in _MISSING for one in types)


def objects_in(values: Iterable[object]) -> str:
    """Return `lists` or the like for a column that begins with such an object; else nothing."""
    first = next((one for one in values if text_of(one)), None)
    return "dates" if isinstance(first, date) else _NO_NAMES.get(type(first).__name__, "")


@dataclass(frozen=True)
class Coded:
    """A column of few different texts, by their numbers."""

    codes: Codes  # [row], positions in `texts`
    texts: Sequence[str]  # each once

    @cached_property
    def array(self) -> NDArray[np.object_]:
        """The texts as an array, to be indexed by codes."""
        array = np.empty(len(self.texts), dtype=object)
        array[:] = self.texts
        return array


def coded(codes: NDArray[Any], texts: Sequence[str]) -> Coded:
    """Return codes of texts that are not all different; -1 is a missing value, with no text."""
    codes = codes.astype(np.int32, copy=False) if codes.dtype.itemsize > 4 else codes
    has_missing = bool(codes.size) and int(codes.min()) < 0
    if not has_missing and len({*texts}) == len(texts):  # as nearly always
        return Coded(codes, texts)
    place_of: dict[str, int] = {}
    new_codes = [place_of.setdefault(text, len(place_of)) for text in texts]
    if has_missing:
        new_codes.append(place_of.setdefault("", len(place_of)))  # the last one, which is -1
    if has_missing or len(place_of) < len(texts):
        codes = np.array(new_codes, dtype=np.int32)[codes]
    return Coded(codes, [*place_of])


def first_positions(codes: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Return where each of `size` codes comes first, [code]; -1 where it never does."""
    first = np.full(size, -1, dtype=np.int64)
    step = 1 << 20  # a block at a time, as positions take more memory than codes
    for start in reversed(range(0, len(codes), step)):
        block = codes[start : start + step]
        first[block[::-1]] = np.arange(start + len(block) - 1, start - 1, -1)  # the last one stays
    return first


# Columns


class FrameColumn(Protocol):
    """A column of a DataFrame."""

    @property
    def name(self) -> str:
        """The column's name as text; empty if it has none."""

    @property
    def is_index(self) -> bool:
        """Whether it is the index of the DataFrame, or a level of it."""

    @property
    def no_scores(self) -> str:
        """What it holds, such as `dates`, if types say that these are not scores; else empty."""

    @property
    def holds_texts(self) -> bool:
        """Whether its type says that these are texts, even where they look like numbers."""

    def texts(self, start: int, stop: int) -> list[str]:
        """Return the cells of some rows as texts."""

    def numbers(self) -> Numbers | None:
        """Return all cells as numbers; None if some are texts or anything else."""

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        """Return a code for each cell, -1 for a missing one, and the values that codes stand for.

        Raise TypeError for values that cannot be told apart, such as lists.
        """


def _is_id(column: FrameColumn) -> bool:
    """Say whether whole numbers in a column are ids, not scores, by its name."""
    return is_name_of_topics(column.name) or (column.is_index and not column.name)


@dataclass(frozen=True)
class _PandasColumn:
    name: str
    is_index: bool
    series: Any  # pandas.Series
    holds_texts: bool = False  # numbers may have been saved as texts

    @cached_property
    def _plain(self) -> Any:
        """The series; a categorical one with its values."""
        return self.series.astype(object) if self._is_categorical else self.series

    @property
    def _is_categorical(self) -> bool:
        return hasattr(self.series.dtype, "categories")

    @property
    def _kind(self) -> str:
        return str(getattr(self.series.dtype, "kind", "O"))

    @property
    def no_scores(self) -> str:
        if self._is_categorical:
            return objects_in(self.series.array.categories)
        return _NO_SCORES.get(self._kind, "") or (
            objects_in(self.series) if self._kind == "O" else ""
        )

    def texts(self, start: int, stop: int) -> list[str]:
        part = self.series.iloc[start:stop]
        is_plain = isinstance(part.dtype, np.dtype) and part.dtype.kind == "f"
        values = part.to_numpy() if is_plain else part  # single precision has fewer digits
        return [text_of(value, is_id=_is_id(self)) for value in values]

    def numbers(self) -> Numbers | None:
        series = self._plain
        if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
            return np.asarray(series)
        is_numeric = self._kind in "biuf" and not self._is_categorical
        if not is_numeric and (self._kind != "O" or not are_numbers(series)):
            return None
        try:
            return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError, ArithmeticError):
            return None

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        if self._is_categorical:
            return self.series.array.codes, [*self.series.array.categories]
        codes, values = sys.modules["pandas"].factorize(self.series.array)
        return codes, values.tolist()


@dataclass(frozen=True)
class _PolarsColumn:
    name: str
    series: Any  # polars.Series
    is_index: bool = False
    holds_texts: bool = False

    @property
    def no_scores(self) -> str:
        if self._type == "Object":
            return objects_in(self.series)
        return _POLARS_NO_SCORES.get(self._type, "")

    @property
    def _type(self) -> str:
        return str(self.series.dtype.base_type().__name__)

    @property
    def _is_numeric(self) -> bool:
        return bool(self.series.dtype.is_numeric()) or self._type == "Boolean"

    def texts(self, start: int, stop: int) -> list[str]:
        part = self.series.slice(start, stop - start)
        values = part.to_numpy() if self._type == "Float32" else part.to_list()
        return [text_of(value, is_id=_is_id(self)) for value in values]

    def numbers(self) -> Numbers | None:
        if self._type == "Object" and are_numbers(self.series.to_list()):
            values = [
                np.nan if type(one).__name__ in _MISSING else float(one)
                for one in self.series.to_list()
            ]
            return np.array(values, dtype=np.float64)
        if not self._is_numeric:
            return None
        is_float = self.series.dtype.is_float()
        is_plain = is_float or (self.series.dtype.is_integer() and not self.series.null_count())
        series = self.series if is_plain else self.series.cast(sys.modules["polars"].Float64)
        return np.asarray(series.to_numpy())

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        series = self.series
        if self._type in ("Object", "List", "Array", "Struct"):
            raise TypeError(self._type)
        if self._type in ("String", "Binary"):
            series = series.cast(sys.modules["polars"].Categorical)
        elif self._is_numeric:
            series = series.rank("dense")
        physical = series.to_physical()
        missing = physical.is_null().to_numpy() if physical.null_count() else None
        keys = np.asarray((physical if missing is None else physical.fill_null(0)).to_numpy())
        if keys.size and int(keys.max()) - int(keys.min()) > max(1 << 20, 2 * keys.size):
            _, keys = np.unique(keys, return_inverse=True)  # such as microseconds of dates
        elif keys.size:
            keys = keys - keys.min() if keys.min() else keys
        first = first_positions(keys, int(keys.max()) + 1 if keys.size else 0)
        is_there = first >= 0
        places = (np.cumsum(is_there) - 1).astype(np.int32)
        codes = places[keys]
        if missing is not None:
            codes[missing] = -1
        return codes, self.series.gather(first[is_there]).to_list()


# Frames


@dataclass(frozen=True)
class Frame:
    """A DataFrame: its columns, the index among them, and what messages call its rows."""

    columns: Sequence[FrameColumn]
    length: int  # how many rows there are
    row: str  # how a row is had in Python, such as `df.iloc[{}]`

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def origin(self, name: str) -> Memory:
        """Return what messages call the frame; `name` is the caller's, or empty."""
        size = 8 * self.length * len(self.columns)
        return Memory(name, "the DataFrame", size, f"row {{0}} ({self.row})".format)

    def coded(self, place: int, origin: Origin) -> Coded:
        """Return the texts of a column, which are names; raise DataError for anything else."""
        column = self.columns[place]
        try:
            codes, values = column.coded()
        except TypeError:
            problem = f"column {quoted(column.name)} has lists or other objects, not names"
            raise DataError(origin.name, problem) from None
        types = {*map(type, values)}
        for kind in filter(None, (_NO_NAMES.get(one.__name__) for one in types)):
            raise DataError(origin.name, f"column {quoted(column.name)} has {kind}, not names")
        if types == {int}:  # as the ids of query logs are, of which there are millions
            return coded(codes, [*map(text_of, values)])
        is_id = _is_id(column)
        return coded(codes, texts_of(values, is_id=is_id))

    # What a table is asked for

    def rows(self) -> Iterator[TableRow]:
        """Yield the position and the cells of each row that is not blank, as texts."""
        names = self.names
        for number, cells in self._texts(range(len(self.columns))):
            if any(cells) and cells != names:  # the header again, where CSVs were appended
                yield number, cells

    def cells(self, places: Sequence[int]) -> Iterator[list[str] | None]:
        """Yield the cells at these places of each row that is not blank, as texts."""
        for number, cells in self._texts(places):
            if any(cells) or not self.is_blank(number):
                yield cells

    def is_blank(self, row: int) -> bool:
        """Say whether all cells of a row are missing or empty."""
        return not any(column.texts(row, row + 1)[0] for column in self.columns)

    def _texts(self, places: Iterable[int]) -> Iterator[TableRow]:
        columns = [self.columns[place] for place in places]
        start, step = 0, _FIRST_ROWS
        while start < self.length:
            stop = min(start + step, self.length)
            rows = zip(*(column.texts(start, stop) for column in columns), strict=True)
            for number, cells in enumerate(rows, start=start):
                yield number, [*cells]
            start, step = stop, _MANY_ROWS


def library_of(data: object, kind: str = "DataFrame") -> str:
    """Return `pandas` or `polars` if data are of a class of this `kind` there; else empty."""
    for one in type(data).__mro__:
        library = one.__module__.partition(".")[0]
        if one.__name__ == kind and library in ("pandas", "polars"):
            return library
    return ""


def frame_of(data: Any, name: str) -> Frame:
    """Return a DataFrame of pandas or polars as a frame; raise DataError for an empty one."""
    if library_of(data) == "pandas":
        frame = Frame(_pandas_columns(data, name), len(data), "df.iloc[{0}]")
    else:
        columns = [_PolarsColumn(one.name.strip(), one) for one in data.get_columns()]
        frame = Frame(columns, data.height, "df[{0}]")
    origin = frame.origin(name)
    if not frame.columns or not frame.length:
        raise DataError(origin.name, f"has no {'rows' if frame.columns else 'columns'}")
    check_names_differ(frame, origin.name)
    return frame


def check_names_differ(frame: Frame, name: str) -> None:
    """Raise an error if two columns have one name."""
    seen: set[str] = set()
    for column_name in filter(None, frame.names):
        if column_name in seen:
            is_index = any(one.is_index for one in frame.columns if one.name == column_name)
            hint = "the index is one of them: df.reset_index(drop=True) drops it"
            problem = f"two columns are named {quoted(column_name)}"
            raise DataError(name, problem, hint if is_index else "")
        seen.add(column_name)


def _pandas_columns(data: Any, name: str) -> list[_PandasColumn]:
    """Return the columns, after those of an index that is more than row numbers."""
    pandas: Any = sys.modules["pandas"]
    if data.columns.nlevels > 1:
        raise DataError(
            name or "the DataFrame",
            f"its columns have names of {data.columns.nlevels} levels",
            "give each column one name: df.columns = ['_'.join(map(str, name)) for name in "
            "df.columns]; or turn the levels into rows: df.stack()",
        )
    index, levels = data.index, []
    if index.nlevels > 1:
        for place in range(index.nlevels):
            values = pandas.Categorical.from_codes(index.codes[place], index.levels[place])
            levels.append((index.names[place], values))
    elif not _is_plain(index):
        levels.append((index.name, index.array))
    columns = [_PandasColumn(_name(label), True, pandas.Series(one, copy=False))
               for label, one in levels]  # fmt: skip
    places = range(len(data.columns))
    return [
        *columns,
        *(_PandasColumn(_name(data.columns[place]), False, data.iloc[:, place])
          for place in places),
    ]  # fmt: skip


def _is_plain(index: Any) -> bool:
    """Say whether an index is what pandas gives to a frame that has none: 0, 1, 2 … unnamed."""
    is_range = type(index).__name__ == "RangeIndex"
    return is_range and index.name is None and (index.start, index.step) == (0, 1)


def _name(label: object) -> str:
    return text_of(label) if not isinstance(label, tuple) else str(label)
