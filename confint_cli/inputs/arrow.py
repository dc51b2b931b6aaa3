"""Tables of Parquet and Arrow files, through pyarrow: a frame whose columns are read when needed.

First comes what a file says about itself: how many rows and columns it has, how large they are, and
which of them hold lists. Only useful columns are read, and no code in a file is run: pyarrow before
14.0.1 would unpickle types. pyarrow may use no threads of its own: with them, the program sometimes
ended in an abort after its work was done.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.errors import DataError
from confint_cli.common.text import count, quoted
from confint_cli.inputs.columns import is_name_of_topics
from confint_cli.inputs.frames import Frame, FrameColumn, Numbers, check_names_differ, text_of
from confint_cli.inputs.lists import NumberColumn
from confint_cli.inputs.source import ALWAYS_UNPACKED, MOST_BYTES, MOST_TIMES, Source

MOST_CELLS = 400_000_000
"""The most rows times columns of a table: a file of some kilobytes may claim to have more."""

MOST_COLUMNS = 100_000
_FIRST_ROWS = 64  # that show what is in a column
_SAFE = (14, 0, 1)  # the first version of pyarrow that runs no code of a file
_UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__")
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"
_MOST_BLANKS = 1_000_000  # cells without a name in a column of names
_FAULTS = (  # pyarrow's own errors are of these types too
    MemoryError, OSError, ValueError, LookupError, TypeError, NotImplementedError, ArithmeticError,
)  # fmt: skip
_NEW_ENOUGH = "pip install 'confint-cli[parquet]'"


def _pyarrow(source: Source) -> Any:
    """Return the library; raise DataError if it is not there, or too old to be safe."""
    pyarrow: Any
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        raise DataError(
            source.name, "is a Parquet or Arrow file, and pyarrow is not installed", _NEW_ENOUGH
        ) from None
    version = tuple(int(part) for part in pyarrow.__version__.split(".")[:3] if part.isdecimal())
    if version < _SAFE:
        problem = (
            f"pyarrow {pyarrow.__version__} may run code from a file, so confint does not use it"
        )
        raise DataError(source.name, problem, _NEW_ENOUGH)
    return pyarrow


@contextmanager
def _faults_of(source: Source) -> Iterator[None]:
    """Raise a DataError for what pyarrow finds wrong with a file."""
    try:
        yield
    except DataError:
        raise
    except _FAULTS as error:
        reason = str(error).partition("\n")[0]
        raise DataError(source.name, f"cannot be read by pyarrow: {quoted(reason, 200)}") from None


def frame_in(source: Source) -> Frame:
    """Return the table in a Parquet or Arrow file as a frame; raise DataError beyond the limits."""
    pyarrow = _pyarrow(source)
    with _faults_of(source):
        content: _Content
        if source.data.startswith(b"PAR1"):
            content = _Parquet.open(pyarrow, source)
        else:
            content = _Arrow.open(pyarrow, source)
        columns = _columns_of(source, pyarrow, content)
    if not columns or not content.length:
        raise DataError(source.name, f"has no {'rows' if columns else 'columns'}")
    frame = Frame(columns, content.length, "")
    check_names_differ(frame, source.name)
    return frame


def _columns_of(source: Source, pyarrow: Any, content: "_Content") -> list[FrameColumn]:
    """Return the columns, those first that pandas says are the index, as it gives them back."""
    names = [one.name for one in content.schema]
    index: list[FrameColumn] = []
    places: list[int] = []
    for one in _index_of_pandas(content.schema):
        if isinstance(one, str) and names.count(one) == 1:
            place = names.index(one)
            places.append(place)
            name = "" if _UNNAMED_INDEX.fullmatch(one) else one.strip()
            kind = content.schema[place].type
            index.append(_ArrowColumn(source, pyarrow, place, name, kind, content, is_index=True))
        elif isinstance(one, dict) and (one.get("start"), one.get("step")) != (0, 1):
            numbers = range(one["start"], one["stop"], one["step"])
            if len(numbers) == content.length:
                name = str(one["name"] or "")
                index.append(NumberColumn(name, np.array(numbers), is_index=True))
    return index + [
        _ArrowColumn(source, pyarrow, place, one.name.strip(), one.type, content)
        for place, one in enumerate(content.schema)
        if place not in places
    ]


def _index_of_pandas(schema: Any) -> list[Any]:
    """Return what the metadata of pandas say of the index: names of columns, or ranges."""
    metadata = schema.pandas_metadata
    found = metadata.get("index_columns") if isinstance(metadata, dict) else None
    return found if isinstance(found, list) else []


def _check_size(source: Source, rows: int, columns: int) -> None:
    if columns > MOST_COLUMNS or rows * columns > MOST_CELLS:
        raise DataError(
            source.name,
            f"has {count(rows, 'row')} and {count(columns, 'column')}; confint reads up to "
            f"{MOST_COLUMNS} columns and {MOST_CELLS // 10**6} million cells",
            "save only the columns that you need, or save several files",
        )


class _Content(Protocol):
    """A file that is open, and whose columns can be read."""

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""

    @property
    def length(self) -> int:
        """How many rows there are."""

    @property
    def first(self) -> Any:
        """The first rows, a table."""

    def column(self, place: int) -> Any:
        """Return a column, in chunks."""


@dataclass(frozen=True)
class _Parquet:
    """A Parquet file, which is read a column at a time; texts as codes of a dictionary."""

    file: Any  # pyarrow.parquet.ParquetFile
    schema: Any
    length: int

    @staticmethod
    def open(pyarrow: Any, source: Source) -> "_Parquet":
        """Return the file; look at its metadata first."""
        parquet: Any = import_module("pyarrow.parquet")
        buffer = pyarrow.BufferReader(source.data)
        metadata = parquet.read_metadata(buffer)
        _check_size(source, metadata.num_rows, metadata.num_columns)
        groups = range(metadata.num_row_groups)
        unpacked = sum(metadata.row_group(group).total_byte_size for group in groups)
        if unpacked > MOST_BYTES or unpacked > max(ALWAYS_UNPACKED, MOST_TIMES * source.size):
            problem = f"unpacks to {unpacked} bytes, more than {MOST_TIMES} times its size"
            raise DataError(source.name, problem if unpacked <= MOST_BYTES else
                            f"unpacks to more than {MOST_BYTES >> 30} GiB")  # fmt: skip
        schema = parquet.read_schema(pyarrow.BufferReader(source.data))
        texts = [one.name for one in schema if _is_text(pyarrow, one.type)]
        file = parquet.ParquetFile(
            pyarrow.BufferReader(source.data),
            read_dictionary=texts,
            metadata=metadata,
            pre_buffer=False,
        )
        return _Parquet(file, schema, metadata.num_rows)

    @cached_property
    def first(self) -> Any:
        flat = [one.name for one in self.schema if not _is_nested(one.type)]
        batches = self.file.iter_batches(_FIRST_ROWS, columns=flat, use_threads=False)
        batch = next(batches, None)
        if batch is None:
            raise ValueError("there are fewer rows than it says")
        batch.validate(full=True)
        return batch

    def column(self, place: int) -> Any:
        name = self.schema[place].name
        column = self.file.read(columns=[name], use_threads=False).column(name)
        column.validate(full=True)
        return column


@dataclass(frozen=True)
class _Arrow:
    """An Arrow file or stream, which is read batch by batch."""

    table: Any  # without columns of lists and the like
    schema: Any  # of all columns
    length: int

    @staticmethod
    def open(pyarrow: Any, source: Source) -> "_Arrow":
        """Return the content, up to the limits."""
        ipc: Any = import_module("pyarrow.ipc")
        is_file = source.data.startswith(b"ARROW1")
        if not is_file and not source.data.endswith(_END_OF_STREAM):
            raise DataError(source.name, "the Arrow stream has no end: was it cut short?")
        opened = ipc.open_file if is_file else ipc.open_stream
        schema = opened(pyarrow.BufferReader(source.data)).schema
        flat = [place for place, one in enumerate(schema) if not _is_nested(one.type)]
        if not flat:
            raise DataError(source.name, "has no columns of texts or numbers")
        options = ipc.IpcReadOptions(included_fields=flat, use_threads=False)
        reader = opened(pyarrow.BufferReader(source.data), options=options)
        batches, rows, size = [], 0, 0
        for batch in _batches(reader, is_file):
            batch.validate(full=True)  # else a damaged one ends the process
            rows += batch.num_rows
            size += batch.get_total_buffer_size()
            _check_size(source, rows, len(flat))
            if size > MOST_BYTES:
                raise DataError(source.name, f"unpacks to more than {MOST_BYTES >> 30} GiB")
            batches.append(batch)
        return _Arrow(pyarrow.Table.from_batches(batches, reader.schema), schema, rows)

    @property
    def first(self) -> Any:
        return self.table.slice(0, _FIRST_ROWS)

    def column(self, place: int) -> Any:
        return self.table.column(self.schema[place].name)


def _batches(reader: Any, is_file: bool) -> Iterator[Any]:
    if is_file:
        return (reader.get_batch(number) for number in range(reader.num_record_batches))
    return iter(reader)


def _is_text(pyarrow: Any, kind: Any) -> bool:
    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def _is_nested(kind: Any) -> bool:
    """Say whether cells of a type hold further values: lists, structs, maps, unions."""
    return bool(kind.num_fields > 0)


@dataclass(frozen=True)
class _ArrowColumn:
    """A column, which is read when it is asked for more than the first rows."""

    source: Source
    pyarrow: Any
    place: int
    name: str
    type: Any
    content: _Content
    is_index: bool = False
    holds_texts: bool = False  # numbers may have been saved as texts

    @property
    def no_scores(self) -> str:
        """What the column holds by its type, if these are not scores."""
        types = self.pyarrow.types
        if _is_nested(self.type):
            return "lists" if "list" in str(self.type) else "objects"
        if types.is_temporal(self.type):
            return "durations" if types.is_duration(self.type) else "dates"
        is_bytes = types.is_binary(self.type) or types.is_large_binary(self.type)
        return "bytes" if is_bytes or types.is_fixed_size_binary(self.type) else ""

    @cached_property
    def _whole(self) -> Any:
        with _faults_of(self.source):
            column = self.content.column(self.place)
            if len(column) != self.content.length:
                raise ValueError("there are fewer rows than it says")
            return column

    @cached_property
    def _first(self) -> list[str]:
        with _faults_of(self.source):
            texts = self._as_texts(self.content.first.column(self.name_in_file))
            if len(texts) < min(_FIRST_ROWS, self.content.length):
                return self._as_texts(self._whole.slice(0, _FIRST_ROWS))  # a short row group
            return texts

    @property
    def name_in_file(self) -> str:
        """The name with blanks around it, if it has any."""
        return str(self.content.schema[self.place].name)

    def _as_texts(self, cells: Any) -> list[str]:
        is_id = is_name_of_topics(self.name)
        return [text_of(value, is_id=is_id) for value in cells.to_pylist()]

    def texts(self, start: int, stop: int) -> list[str]:
        """Return the cells of some rows as texts; what lists hold is not looked at."""
        if _is_nested(self.type):
            return [self.no_scores] * (stop - start)
        if stop <= _FIRST_ROWS:
            return self._first[start:stop]
        with _faults_of(self.source):
            return self._as_texts(self._whole.slice(start, stop - start))

    def numbers(self) -> Numbers | None:
        """Return all cells as numbers, NaN for none; None if they are of another type."""
        types = self.pyarrow.types
        kind = self.type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
                or types.is_decimal(kind) or types.is_null(kind)):  # fmt: skip
            return None
        with _faults_of(self.source):
            cells = self._whole
            is_plain = types.is_floating(kind) or (types.is_integer(kind) and not cells.null_count)
            if not is_plain:
                cells = cells.cast(self.pyarrow.float64())
            return np.asarray(cells.to_numpy())

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        """Return a code for each cell, -1 for none, and the values that codes stand for."""
        if _is_nested(self.type):
            raise TypeError(self.no_scores)
        with _faults_of(self.source):
            cells = self._whole
            if cells.null_count > max(_MOST_BLANKS, len(cells) // 2):
                raise ValueError(f"most cells of column {self.name!r} are empty")
            if not self.pyarrow.types.is_dictionary(cells.type):
                cells = cells.dictionary_encode()
            cells = cells.unify_dictionaries().combine_chunks()
            chunks = cells.chunks if hasattr(cells, "chunks") else [cells]
            int64 = self.pyarrow.int64()
            codes = [np.asarray(chunk.indices.cast(int64).fill_null(-1)) for chunk in chunks]
            values = chunks[0].dictionary.to_pylist() if chunks else []
            return np.concatenate(codes) if codes else np.zeros(0, np.int32), values
