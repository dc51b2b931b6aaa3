"""What is in a file: its bytes, however it is packed, up to limits; its name; its lines and fields.

First comes the record of a file that was read, and what messages call files; then how a file is
read, from disk, a pipe or gzip, with the messages for files that are not text; last the functions
by which readers divide the content.
"""

import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, TextIO

from confint_cli.common.errors import DataError
from confint_cli.common.text import without_endings

STDIN = "-"

MOST_BYTES = 1 << 31
"""The most bytes to read of what has no size of its own: a pipe, a device, the content of a gzip
file. The largest collections of runs have files of some hundred megabytes."""

MOST_TIMES = 200
"""How many times its own size a gzip file may unpack to: for real runs and scores it is 3 to 10."""

ALWAYS_UNPACKED = 1 << 26
"""Bytes up to which `MOST_TIMES` does not count: a small content does no harm."""

_PIECE = 1 << 20  # bytes that are read or unpacked at a time
_CHUNK = 1 << 20  # bytes that are split into fields at a time, which bounds the memory

_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"
_PACKED_OTHERWISE = {
    b"\xfd7zXZ": "xz -dc",
    b"BZh": "bzip2 -dc",
    b"PK\x03\x04": "unzip -p",
    b"\x28\xb5\x2f\xfd": "zstd -dc",
}
_SPREADSHEET = b"xl/"  # the folder in an xlsx file
_ARROW_STREAM = b"\xff\xff\xff\xff"
_BEGINNINGS = (b"PA", b"AR", b"\xff\xff")  # of tables, as far as `_pieces` looks at them
_TABLES = (b"PAR1", b"ARROW1\0\0", _ARROW_STREAM)  # how files of Parquet and Arrow begin


@dataclass(frozen=True)
class Source:
    """A file that was read: its path as the user gave it (`-` is standard input), and content."""

    path: str
    data: bytes
    lines_before: int = 0  # how many lines of the file precede, if this is a part of it

    @property
    def name(self) -> str:
        """What messages call it."""
        return name_of(self.path)

    @property
    def stem(self) -> str:
        """The file's name without folder and without endings such as `.eval.gz`."""
        return stem(self.path)

    @property
    def digest(self) -> str:
        """The SHA-256 of the content, in hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def binary(self) -> str:
        """The name of the format if it is not a text format; else empty."""
        return "parquet" if self.data.startswith(_TABLES) else ""

    @cached_property
    def text(self) -> str:
        """The content as text; what is not UTF-8 stays visible, as an escape."""
        return decode(self.data)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of every line that is not blank."""
        for number, line in enumerate(self.open_text(newline="\n"), start=self.lines_before + 1):
            if not line.isspace():
                yield number, line.removesuffix("\n")

    def open_text(self, newline: str, start: int = 0) -> TextIO:
        """Return the content from byte `start` on as a file of text, decoded as it is read."""
        content = io.BytesIO(self.data)  # no copy of it
        content.seek(start)
        return io.TextIOWrapper(content, "utf-8", "backslashreplace", newline=newline)

    @property
    def size(self) -> int:
        """How many bytes the content has."""
        return len(self.data)

    def place(self, number: int) -> str:
        """Return what messages call a line."""
        return f"line {number}"

    def error(self, number: int, problem: str, hint: str = "") -> DataError:
        """Return an error that points at a line of this file."""
        return DataError(f"{self.name}:{number}", problem, hint)

    def header_error(self, problem: str, hint: str = "") -> DataError:
        """Return an error that points at the header of a table."""
        return self.error(1, problem, hint)


def name_of(path: str) -> str:
    """Return what messages call a file: its path, or `standard input`."""
    return "standard input" if path == STDIN else path


def stem(path: str) -> str:
    """Return the name that a file gives to its run: no folder, no endings such as `.eval.gz`."""
    if path == STDIN:
        return "stdin"
    return without_endings(path)


def is_same_file(path: str, other: str) -> bool:
    """Say whether two paths lead to one file."""
    if path == other:
        return True
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def total_size(paths: Iterable[str]) -> int:
    """Return the sizes of all files together, in bytes; 0 if standard input is among them.

    Callers start processes for large files only, and standard input cannot be read in another one.
    """
    if STDIN in paths:
        return 0
    return sum(os.stat(path).st_size for path in paths if os.path.isfile(path))


def read_text_source(path: str) -> Source:
    """Return the content of a file that has to be text; raise DataError for other ones."""
    source = read_source(path)
    if source.binary:
        raise DataError(source.name, f"is {source.binary}, but has to be a text file")
    return source


def read_source(path: str, folder: str = "") -> Source:
    """Return the content of a plain or gzip file, or of standard input.

    Lines end with a line feed only, and there is no byte order mark. A relative path starts at
    `folder`, or at the current one if that is empty. Raise DataError for what cannot be read or is
    no text.
    """
    name = name_of(path)
    data = _read_stdin() if path == STDIN else _read_file(path, folder)
    if data.startswith(_GZIP):
        data = _unzipped(name, data)
    if data.startswith(_TABLES):
        return Source(path, data)
    _check_is_text(name, data)
    return Source(path, _with_plain_line_ends(data.removeprefix(_BOM)))


def _read_stdin() -> bytes:
    name = name_of(STDIN)
    if sys.stdin is None:
        raise DataError(name, "is closed")
    try:
        return _whole(name, sys.stdin.buffer)
    except OSError as error:
        raise DataError(name, f"cannot be read ({error.strerror})") from None


def _read_file(path: str, folder: str) -> bytes:
    try:
        with open(os.path.join(folder, path), "rb", buffering=0) as file:
            return _whole(path, file)
    except FileNotFoundError:
        raise DataError(path or "''", "no such file", _hint_for_missing(path)) from None
    except IsADirectoryError:
        hint = f"give the files in it: {path.rstrip('/')}/*"
        raise DataError(path, "is a directory, not a file", hint) from None
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror})") from None


def _hint_for_missing(path: str) -> str:
    """Return a hint at a file of nearly that name in the same folder, or an empty text."""
    from confint_cli.common.text import nearest, visible

    folder, name = os.path.split(path)
    try:
        close = nearest(name, os.listdir(folder or "."))
    except OSError:
        return ""
    return f"did you mean {visible(os.path.join(folder, close))}?" if close else ""


def _whole(name: str, file: BinaryIO) -> bytes:
    """Return the content of a file; raise an error if it changes meanwhile and may be incomplete.

    What has no size of its own is read up to the limit.
    """
    before = _state(file)
    size = before[0] if before else 0
    data = _collected(_pieces(name, file, size))
    if before and (_state(file) != before or len(data) > size > 0):
        hint = "is it still being written? try again when it is complete"
        raise DataError(name, "changed while it was read", hint)
    return data


def _state(file: BinaryIO) -> tuple[int, int] | None:
    """Return a file's size in bytes and time of change in nanoseconds; None for a pipe."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # no file at all
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


def _pieces(name: str, file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the content of a file of this `size`; 0 stands for pipes, devices, files of the kernel.

    Reading ends early at a NUL, since `/dev/zero` is never text and never ends, and when
    the file has grown beyond its size.
    """
    total, start = 0, b""
    while piece := file.read(_PIECE):
        start += piece[: len(_GZIP) - len(start)]  # a pipe may give a byte at a time
        packed = start == _GZIP or start in _BEGINNINGS
        total += len(piece)
        yield piece
        if not packed and b"\0" in piece:
            return  # the check of the content says that it is binary
        if total > size > 0:
            return
        if not size and total > MOST_BYTES:
            problem = f"does not end after {_shown(MOST_BYTES)}"
            raise DataError(name, problem, "save it as a file on disk, which may have any size")


def _unzipped(name: str, data: bytes) -> bytes:
    """Return what gzip packed, in one member or several; raise an error beyond the limits.

    Zeros may follow the last member, as tapes and some tools leave them.
    """
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data), mode="rb") as file:
            return _collected(_unpacked(name, file, len(data)))
    except EOFError:
        hint = "copy or download it again"
        raise DataError(name, "the gzip file is cut short", hint) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        reason = str(error).rpartition(": ")[2]  # zlib has the number of its error before it
        raise DataError(name, f"the gzip file is damaged ({reason})") from None


def _unpacked(name: str, file: io.BufferedIOBase, packed: int) -> Iterator[bytes]:
    """Yield the content of a gzip file of `packed` bytes; raise an error beyond the limits."""
    total = 0
    while piece := file.read(_PIECE):
        total += len(piece)
        if total > MOST_BYTES:
            problem = f"unpacks to more than {_shown(MOST_BYTES)}"
            raise DataError(name, problem, "to read it anyway, unpack it first: gzip -d FILE")
        if total > max(ALWAYS_UNPACKED, MOST_TIMES * packed):
            raise DataError(
                name,
                f"unpacks to more than {MOST_TIMES} times its size",
                "to read it anyway: gzip -dc FILE | confint … -",
            )
        yield piece


def _shown(size: int) -> str:
    return f"{size / (1 << 30):g} GiB"


def _collected(pieces: Iterable[bytes]) -> bytes:
    """Return all pieces as one: the buffer itself, so that there are never two copies of it."""
    buffer = io.BytesIO()
    for piece in pieces:
        buffer.write(piece)
    return buffer.getvalue()


def _check_is_text(name: str, data: bytes) -> None:
    if not data or data.isspace():
        raise DataError(name, "is empty", "did the command that should have written it fail?")
    if data.startswith(_UTF16_BOMS):
        raise DataError(name, "is UTF-16 text", "save it as UTF-8")
    if b"\0" in data:
        raise DataError(name, "is a binary file, not text", _hint_for_binary(data))


def _hint_for_binary(data: bytes) -> str:
    if data.startswith(b"PK") and _SPREADSHEET in data:
        return "a spreadsheet: save it as CSV (in Excel: File, Save As, CSV UTF-8)"
    if data.startswith(b"\x04\x22\x4d\x18"):
        return "packed by lz4, as ranx does; save it as JSON: Run.from_file(FILE).save('run.json')"
    if data.startswith(b"FEA1"):
        return "Feather of version 1; convert it: pandas.read_feather(FILE).to_parquet(NEW)"
    for beginning, command in _PACKED_OTHERWISE.items():
        if data.startswith(beginning):
            return f"confint unpacks gzip only; unpack this file: {command} FILE | confint … -"
    return ""


def _with_plain_line_ends(data: bytes) -> bytes:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\n" not in data:  # as old Macintoshes ended their lines
            data = data.replace(b"\r", b"\n")
    return data


def chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first line of each chunk, and the chunk, which has whole lines."""
    start, first_line = 0, 1
    while start < len(data):
        end = data.rfind(b"\n", start, start + _CHUNK) + 1
        if end <= start:  # one line longer than a chunk
            end = data.find(b"\n", start) + 1 or len(data)
        elif start + _CHUNK >= len(data):
            end = len(data)
        chunk = data[start:end]
        yield first_line, chunk
        start, first_line = end, first_line + chunk.count(b"\n")


def comments(data: bytes) -> Iterator[list[bytes]]:
    """Yield the words of each line that begins with #."""
    start = 0 if data.startswith(b"#") else data.find(b"\n#") + 1
    while data.startswith(b"#", start):
        end = data.find(b"\n", start) % (len(data) + 1)  # that of the last line is not found
        yield data[start:end].split()
        start = end + 1 if data.startswith(b"#", end + 1) else data.find(b"\n#", end) + 1
        if start <= end:
            return


def decode(text: bytes) -> str:
    """Return bytes as text; what is not UTF-8 stays visible, as an escape."""
    return text.decode("utf-8", "backslashreplace")


def decode_all(texts: Sequence[bytes]) -> list[str]:
    """Return many fields as text, as `decode` does; faster if all are UTF-8."""
    try:
        return list(map(bytes.decode, texts))
    except UnicodeDecodeError:
        return list(map(decode, texts))
