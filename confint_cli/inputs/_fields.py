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


def comments(data: bytes) -> Iterator[list[bytes]]:
    """Yield the words of each line that begins with #."""
    start = 0 if data.startswith(b"#") else data.find(b"\n#") + 1
    while data.startswith(b"#", start):
        end = data.find(b"\n", start) % (len(data) + 1)  # that of the last line is not found
        yield data[start:end].split()
        start = end + 1 if data.startswith(b"#", end + 1) else data.find(b"\n#", end) + 1
        if start <= end:
            return
