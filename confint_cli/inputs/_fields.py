"""Splitting large files of blank-separated fields without an object for every line."""

from collections.abc import Iterator, Sequence

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


def columns(chunk: bytes, width: int, constant: Sequence[int]) -> list[list[bytes]] | None:
    """Return the columns of a chunk whose every line has `width` fields, or None.

    Splitting a chunk at once is far faster than line by line, but loses sight of the lines. That
    the fields are `width` times the lines, and some columns the same word throughout (`Q0`, the
    tag), shows that no line is short or long. Where that cannot be seen, go line by line.
    """
    fields = chunk.split()
    lines = chunk.count(b"\n") + (not chunk.endswith(b"\n"))
    if len(fields) != lines * width:
        return None
    result = [fields[column::width] for column in range(width)]
    if any(result[column].count(fields[column]) != lines for column in constant):
        return None
    return result


def decode(text: bytes) -> str:
    """Return a field as text; what is no UTF-8 is kept visible."""
    return text.decode("utf-8", "backslashreplace")


def decode_all(texts: Sequence[bytes]) -> list[str]:
    """Return many fields as text."""
    try:
        return list(map(bytes.decode, texts))
    except UnicodeDecodeError:
        return list(map(decode, texts))
