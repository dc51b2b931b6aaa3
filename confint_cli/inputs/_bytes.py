"""Bytes from wherever they come, never more than a stated limit of what may have no end."""

import io
import os
import stat
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from confint_cli.errors import DataError

MOST_BYTES = 1 << 31
"""Of what has no size of its own: a pipe, a device, the content of a gzip file. The largest
collections of runs have files of some hundred megabytes."""

MOST_TIMES = 200
"""What a gzip file may grow to, by its own size: real runs and scores pack 3 to 10 times."""

ALWAYS_UNPACKED = 1 << 26
"""Bytes up to which the last does not count: a small file may be dull, and can do no harm."""

GZIP = b"\x1f\x8b"
_PIECE = 1 << 20  # bytes at a time
_PACKED_PIECE = 1 << 16  # what is left of one is copied for each piece that comes out of it


def read_all_of(name: str, file: BinaryIO) -> bytes:
    """Return the content of a file, which must not change meanwhile: a part may pass for the whole.

    What has no size of its own is read up to the limit.
    """
    before = _state(file)
    size = before[0] if before else 0
    data = _collected(_pieces(name, file, size))
    if before and (_state(file) != before or len(data) > size > 0):
        hint = "is it still being written? try again when it is complete"
        raise DataError(name, "changed while it was read", hint)
    return data


def _pieces(name: str, file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the content of a file of this size; 0 is that of pipes, devices, files of the kernel.

    A NUL ends the reading at once: `/dev/zero` is no text, however much of it is read. So does a
    file that grows.
    """
    total, start = 0, b""
    while piece := file.read(_PIECE):
        start += piece[: len(GZIP) - len(start)]  # a pipe may give a byte at a time
        packed = start == GZIP
        total += len(piece)
        yield piece
        if not packed and b"\0" in piece:
            return  # told to be binary by whoever looks at the content
        if total > size > 0:
            return
        if not size and total > MOST_BYTES:
            problem = f"does not end after {_shown(MOST_BYTES)}"
            raise DataError(name, problem, "a file on disk may be of any size")


def _state(file: BinaryIO) -> tuple[int, int] | None:
    """Return what differs once a file has been written to; None for pipes and the like."""
    try:
        found = os.fstat(file.fileno())
    except OSError:  # no file at all
        return None
    return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def unzip(name: str, data: bytes) -> bytes:
    """Return what gzip packed, in one member or several; an error for what unpacks beyond reason.

    Zeros may follow the last member, as tapes and some tools leave them.
    """
    return _collected(_unpacked(name, data))


def _unpacked(name: str, data: bytes) -> Iterator[bytes]:
    import zlib

    total = 0
    try:
        for piece in _members(name, data):
            total += len(piece)
            _check_size(name, total, len(data))
            yield piece
    except zlib.error as error:
        reason = str(error).rpartition(": ")[2]
        raise DataError(name, f"the gzip file is damaged ({reason})") from None


def _members(name: str, data: bytes) -> Iterator[bytes]:
    """Yield what is in each member, a piece at a time."""
    import zlib

    member = zlib.decompressobj(wbits=31)  # gzip's head and check sums
    for start in range(0, len(data), _PACKED_PIECE):
        left = data[start : start + _PACKED_PIECE]
        while left:
            if member.eof:
                left = left.lstrip(b"\0")
                if not left:
                    break
                member = zlib.decompressobj(wbits=31)
            yield member.decompress(left, _PIECE)
            left = member.unused_data if member.eof else member.unconsumed_tail
    while not member.eof and (piece := member.decompress(b"", _PIECE)):
        yield piece
    if not member.eof:
        raise DataError(name, "the gzip file is cut short", "copy or download it again")


def _check_size(name: str, unpacked: int, packed: int) -> None:
    if unpacked > MOST_BYTES:
        problem = f"unpacks to more than {_shown(MOST_BYTES)}"
        raise DataError(name, problem, "to read it nevertheless, unpack it: gzip -d FILE")
    if unpacked > max(ALWAYS_UNPACKED, MOST_TIMES * packed):
        raise DataError(
            name,
            f"unpacks to more than {MOST_TIMES} times its size",
            "to read it nevertheless: gzip -dc FILE | confint … -",
        )


def _shown(size: int) -> str:
    return f"{size / (1 << 30):g} GiB"


def _collected(pieces: Iterable[bytes]) -> bytes:
    """Return all pieces as one; the buffer itself, so that there are never two copies of it."""
    buffer = io.BytesIO()
    for piece in pieces:
        buffer.write(piece)
    return buffer.getvalue()
