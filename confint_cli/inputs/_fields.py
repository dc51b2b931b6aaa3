"""Splitting large files of blank-separated fields without an object for every line."""

from collections.abc import Iterator, Sequence

import numpy as np

_CHUNK = 1 << 22  # bytes; bounds the memory for split fields


def chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield stretches of whole lines, each with the number of its first line."""
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


def columns(chunk: bytes, width: int, *, last_is_constant: bool) -> list[list[bytes]] | None:
    """Return the columns of a chunk whose every line has `width` fields, or None.

    Splitting a chunk at once is far faster than line by line. None where that might go wrong: a
    comment, a blank, short or long line. Go line by line then.
    """
    if chunk.startswith(b"#") or b"\n#" in chunk:
        return None
    fields = chunk.split()
    lines = chunk.count(b"\n") + (not chunk.endswith(b"\n"))
    if len(fields) != lines * width:
        return None
    ends_right = _end_in_one_word if last_is_constant else _fields_per_line_are
    if not ends_right(chunk, fields[width - 1 :: width], width):
        return None
    return [fields[column::width] for column in range(width)]


def _end_in_one_word(chunk: bytes, last_fields: list[bytes], _width: int) -> bool:
    """Say whether all last fields are the same and every line ends in that word."""
    word = last_fields[0]
    ends = chunk.count(word + b"\n") + chunk.endswith(word)
    return last_fields.count(word) == len(last_fields) == ends


def _fields_per_line_are(chunk: bytes, last_fields: list[bytes], width: int) -> bool:
    """Say whether every line has `width` fields."""
    characters = np.frombuffer(chunk, dtype=np.uint8)
    is_blank = (characters == 32) | ((characters >= 9) & (characters <= 13))  # as bytes.split()
    begins = np.flatnonzero(~is_blank & np.concatenate(([True], is_blank[:-1])))
    line_of_field = np.searchsorted(np.flatnonzero(characters == ord("\n")), begins)
    return bool((line_of_field == np.repeat(np.arange(len(last_fields)), width)).all())


def decode(text: bytes) -> str:
    """Return a field as text; what is no UTF-8 is kept visible."""
    return text.decode("utf-8", "backslashreplace")


def decode_all(texts: Sequence[bytes]) -> list[str]:
    """Return many fields as text."""
    try:
        return list(map(bytes.decode, texts))
    except UnicodeDecodeError:
        return list(map(decode, texts))
