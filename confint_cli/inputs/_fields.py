"""Large files of blank-separated fields, a stretch of lines at a time."""

from collections.abc import Iterator, Sequence

_CHUNK = 1 << 20  # bytes; bounds the memory for fields


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


def decode(text: bytes) -> str:
    """Return a field as text; what is no UTF-8 is kept visible."""
    return text.decode("utf-8", "backslashreplace")


def decode_all(texts: Sequence[bytes]) -> list[str]:
    """Return many fields as text."""
    try:
        return list(map(bytes.decode, texts))
    except UnicodeDecodeError:
        return list(map(decode, texts))
