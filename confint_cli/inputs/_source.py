"""The bytes of a file, however it is packed, with the messages for those that are no text."""

import hashlib
import io
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TextIO

from confint_cli.errors import DataError
from confint_cli.inputs._bytes import GZIP, read_all_of, unzip
from confint_cli.text import without_endings

STDIN = "-"
_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Source:
    """A file as read: its path as the user gave it (`-` is standard input) and its content."""

    path: str
    data: bytes
    lines_before: int = 0  # in the file, of which this may be a part

    @property
    def name(self) -> str:
        """How messages call it."""
        return name_of(self.path)

    @property
    def stem(self) -> str:
        """The file's name without folder and without endings such as `.eval.gz`."""
        return stem(self.path)

    @property
    def digest(self) -> str:
        """What tells this content from any other."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def text(self) -> str:
        """The content as text; what is no UTF-8 is kept visible, as an escape."""
        return self.data.decode("utf-8", "backslashreplace")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of every line that is not blank."""
        for number, line in enumerate(self.open_text(newline="\n"), start=self.lines_before + 1):
            if not line.isspace():
                yield number, line.removesuffix("\n")

    def open_text(self, newline: str, start: int = 0) -> TextIO:
        """Return the content as a file of text, of which no more than a line is held at a time."""
        content = io.BytesIO(self.data)  # no copy of it
        content.seek(start)
        return io.TextIOWrapper(content, "utf-8", "backslashreplace", newline=newline)

    def error(self, line: int, problem: str, hint: str = "") -> DataError:
        """Return an error that points at a line of this file."""
        return DataError(f"{self.name}:{line}", problem, hint)


def name_of(path: str) -> str:
    """Return how messages call a file."""
    return "standard input" if path == STDIN else path


def is_same_file(path: str, other: str) -> bool:
    """Say whether two paths lead to one file."""
    if path == other:
        return True
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def total_size(paths: Iterable[str]) -> int:
    """Return the bytes that some files have together; 0 if standard input is among them.

    What is 0 is not worth a process of its own, and standard input cannot be read in one.
    """
    if STDIN in paths:
        return 0
    return sum(os.stat(path).st_size for path in paths if os.path.isfile(path))


def stem(path: str) -> str:
    """Return the name that a file gives to its run: no folder, no endings such as `.eval.gz`."""
    if path == STDIN:
        return "stdin"
    return without_endings(path)


def read_source(path: str, folder: str = "") -> Source:
    """Read a plain or gzip file, or standard input: one kind of line end, no byte order mark.

    A relative path is one from the `folder`, or from where we are.
    """
    name = name_of(path)
    data = _read_stdin() if path == STDIN else _read_file(path, folder)
    if data.startswith(GZIP):
        data = unzip(name, data)
    _check_is_text(name, data)
    return Source(path, _with_plain_line_ends(data.removeprefix(_BOM)))


def _read_stdin() -> bytes:
    name = name_of(STDIN)
    if sys.stdin is None:
        raise DataError(name, "is closed")
    try:
        return read_all_of(name, sys.stdin.buffer)
    except OSError as error:
        raise DataError(name, f"cannot be read ({error.strerror})") from None


def _read_file(path: str, folder: str) -> bytes:
    try:
        with open(os.path.join(folder, path), "rb", buffering=0) as file:
            return read_all_of(path, file)
    except FileNotFoundError:
        raise DataError(path or "''", "no such file", _hint_for_missing(path)) from None
    except IsADirectoryError:
        hint = f"give the files in it: {path.rstrip('/')}/*"
        raise DataError(path, "is a directory, not a file", hint) from None
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror})") from None


def _check_is_text(name: str, data: bytes) -> None:
    if not data or data.isspace():
        raise DataError(name, "is empty", "did the command that should have written it fail?")
    if data.startswith(_UTF16_BOMS):
        raise DataError(name, "is UTF-16 text", "save it as UTF-8")
    if b"\0" in data:
        raise DataError(name, "is a binary file, not text", _hint_for_binary(data))


def _with_plain_line_ends(data: bytes) -> bytes:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\n" not in data:  # as old Macintoshes ended their lines
            data = data.replace(b"\r", b"\n")
    return data


_PACKED = {
    b"\xfd7zXZ": "xz -dc",
    b"BZh": "bzip2 -dc",
    b"PK\x03\x04": "unzip -p",
    b"\x28\xb5\x2f\xfd": "zstd -dc",
}


def _hint_for_binary(data: bytes) -> str:
    for beginning, command in _PACKED.items():
        if data.startswith(beginning):
            return f"gzip is read as it is, this is not: {command} FILE | confint … -"
    return ""


def _hint_for_missing(path: str) -> str:
    """Name a file of nearly that name in the same folder, if there is one."""
    from confint_cli.text import nearest, visible

    folder, name = os.path.split(path)
    try:
        close = nearest(name, os.listdir(folder or "."))
    except OSError:
        return ""
    return f"did you mean {visible(os.path.join(folder, close))}?" if close else ""
