"""The fast way through large files whose every line has the same fields.

Evaluation files of a whole track have millions of lines, of which a handful of measures is
wanted. Splitting each line would cost more than all the rest of the program. So the fields are
found with array operations, names compared as 64-bit words, and only the wanted fields become
Python objects. Whatever is irregular or faulty is left to the way line by line, which says what is
wrong and where.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.text import rounding_of
from confint_cli.inputs.reading import Series
from confint_cli.inputs.rows import SUMMARY, place_of_repeated

_NEWLINE, _TAB, _BLANK, _ZERO, _NINE = b"\n\t 09"
_ODD_BLANKS = [bytes([code]) for code in (0x0B, 0x0C, *range(0x1C, 0x20))]
_WIDE_BLANKS = [
    chr(code).encode()
    for code in (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
]
_LONGEST_FIELD = 255
_WASTE = 4  # times the texts themselves
_LITTLE = 1 << 22  # bytes that do not matter
_LARGE = 1 << 23  # bytes; in such a file of …
_SHORT_LINE = 16  # … bytes a line, the positions of fields take more memory than is to be had
_STRETCH = 1 << 16  # of what is done a part at a time
_SMALL = 1 << 31  # bytes, up to which a position fits into 32 bits
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit is lost in the product
_WEIGHT = np.uint64(31)
_HALF = np.uint64(32)
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


# From lines to columns


@dataclass(frozen=True)
class Fields:
    """Where a column's texts are: from `starts` up to, not including, `ends`."""

    data: bytes  # followed by at least _LONGEST_FIELD bytes of padding
    starts: Positions
    ends: Positions

    def are_even(self, lines: Positions | slice = slice(None)) -> bool:
        """Say whether the texts are about as long: others waste the memory of a fixed width."""
        ends = self.ends[lines]
        if ends.size * _LONGEST_FIELD <= _LITTLE:
            return True
        lengths = ends - self.starts[lines]
        return int(lengths.max()) * lengths.size <= _WASTE * int(lengths.sum()) + _LITTLE

    def texts(self, lines: Positions | slice = slice(None)) -> NDArray[np.bytes_]:
        """Return the texts of some lines, or of all, as an array of fixed width."""
        starts = self.starts[lines]
        lengths = self.ends[lines] - starts
        width = int(lengths.max())
        texts = _at_every_position(self.data, f"S{width}")[starts]
        if lengths.min() < width:
            characters = texts.view(np.uint8).reshape(-1, width)
            characters[np.arange(width) >= lengths[:, None]] = 0
        return texts

    def keys(self) -> NDArray[np.uint64]:
        """Return a number for each text, the same for the same text.

        Two of the hundred names of a file share one with a probability below 1e-15.
        """
        lengths = self.ends - self.starts
        longest = int(lengths.max())
        offsets = np.arange(0, longest, 8)
        windows = _at_every_position(self.data, f"V{8 * offsets.size}")[self.starts]
        words = windows.view("<u8").reshape(-1, offsets.size)
        if int(lengths.min()) == longest:  # as trec_eval pads them
            words[:, -1] &= _FIRST_BYTES[longest - offsets[-1]]
        else:
            words &= _FIRST_BYTES[np.clip(lengths[:, None] - offsets, 0, 8)]
        return combined_keys(*words.T)


def _at_every_position(data: bytes, dtype: str) -> NDArray[Any]:
    """Return what an item of some type would be at each position of the data."""
    return np.ndarray(len(data) - np.dtype(dtype).itemsize + 1, dtype, data, strides=(1,))


def combined_keys(*parts: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each combination of numbers, the same for the same ones.

    Each part is stirred and what came before it weighted, so that (a, b) and (b, a) do not meet.
    """
    keys = np.zeros_like(parts[0])
    for place, part in enumerate(parts):
        if place:
            keys *= _WEIGHT
        keys += part
        keys *= _FACTOR
        keys ^= keys >> _HALF
    return keys


def equal_keys(keys: NDArray[np.uint64], most: int) -> list[Positions] | None:
    """Return the positions of each different key, in the order of their first ones.

    None if there are more than so many.
    """
    if keys.size > 100_000:
        return _equal_keys.__wrapped__(keys.tobytes(), most)
    return _equal_keys(keys.tobytes(), most)


@lru_cache(maxsize=8)  # the files of one track mostly have the same measures in the same lines
def _equal_keys(keys: bytes, most: int) -> list[Positions] | None:
    items = np.frombuffer(keys, dtype=np.uint64)
    order = np.argsort(items, kind="stable")
    ordered = items[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if changes.size >= most:
        return None
    return sorted(np.split(order, changes), key=lambda group: int(group[0]))


def regular_columns(data: bytes, delimiter: str, width: int, start: int = 0) -> list[Fields] | None:
    """Return the columns from a line's `start` on.

    None if any line has not just `width` fields, or one of them is empty.
    """
    if b"\r" in data:
        return None
    size = len(data)
    while data.endswith(b"\n\n", 0, size):
        size -= 1
    if size <= start or (size > _LARGE and data.count(b"\n", start, size) * _SHORT_LINE > size):
        return None
    ending = b"" if data.endswith(b"\n", 0, size) else b"\n"
    data = b"".join((memoryview(data)[start:size], ending, bytes(_LONGEST_FIELD)))
    buffer = np.frombuffer(data, dtype=np.uint8)[:-_LONGEST_FIELD]
    if delimiter in "\t ":  # whatever else has a code as low as these would be a fault
        is_break = buffer <= max(ord(delimiter), _NEWLINE)
    else:
        is_break = (buffer == ord(delimiter)) | (buffer == _NEWLINE)
    breaks = _positions(is_break)
    pattern = delimiter.encode() * (width - 1) + b"\n"
    if buffer[breaks].tobytes() != pattern * (breaks.size // width):
        return None
    del is_break
    starts = np.empty_like(breaks)
    starts[0] = 0
    np.add(breaks[:-1], 1, out=starts[1:])
    if not _lengths_fit(starts, breaks):
        return None
    return [Fields(data, starts[column::width], breaks[column::width]) for column in range(width)]


def _lengths_fit(starts: Positions, ends: Positions) -> bool:
    """Say whether no field is empty or too long."""
    for start in range(0, starts.size, _STRETCH):
        lengths = ends[start : start + _STRETCH] - starts[start : start + _STRETCH]
        if lengths.min() < 1 or lengths.max() >= _LONGEST_FIELD:
            return False
    return True


def _positions(there: NDArray[np.bool_]) -> Positions:
    """Return where something is: np.flatnonzero with less memory than it takes."""
    if there.size <= _LARGE or there.size >= _SMALL:
        return np.flatnonzero(there)
    positions: Positions = np.empty(np.count_nonzero(there), np.int32)
    done = 0
    for start in range(0, there.size, _STRETCH):
        found = np.flatnonzero(there[start : start + _STRETCH])
        positions[done : done + found.size] = found + start
        done += found.size
    return positions


def regular_words(data: bytes, width: int) -> list[Fields] | None:
    """Return the columns of lines of words with one tab or one blank between them, or None.

    None also where a line may be a comment.
    """
    if data.startswith((b"#", b"<")) or b"\n#" in data:
        return None
    if b"\x0b" in data or b"\x0c" in data:  # which separate words too
        return None
    delimiter = "\t" if b"\t" in data else " "
    if delimiter == "\t" and b" " in data:
        return None
    return regular_columns(data, delimiter, width)


# What the fast way leaves to the other


def has_odd_blanks(data: bytes) -> bool:
    """Say whether there are blanks that are neither spaces, nor tabs, nor line ends."""
    wide = [] if data.isascii() else _WIDE_BLANKS
    return any(blank in data for blank in (*_ODD_BLANKS, *wide))


def has_blanks_at_ends(fields: Fields) -> bool:
    """Say whether some text begins or ends with a blank, or is nothing else."""
    characters = np.frombuffer(fields.data, dtype=np.uint8)
    ends = (fields.starts, fields.ends - 1)
    return any(bool((characters[places] == _BLANK).any()) for places in ends)


def has_blanks_within(data: bytes) -> bool:
    """Say whether there is a blank that does not fill a field up to the tab behind it."""
    if b" " not in data:
        return False
    characters = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(data) - 1, _LARGE):
        here = characters[start : start + _LARGE]
        behind = characters[start + 1 : start + 1 + here.size]
        is_filling = (behind == _BLANK) | (behind == _TAB)
        if bool(((here[: behind.size] == _BLANK) & ~is_filling).any()):
            return True
    return data.endswith(b" ")


def has_any_of(fields: Fields, names: frozenset[str]) -> bool:
    """Say whether some text is one of these names in any case, but for `all` in small letters.

    None of them ends in a digit, as most ids do, and none is long.
    """
    ends = np.frombuffer(fields.data, dtype=np.uint8)[fields.ends - 1]
    longest = max(len(name.encode()) for name in names)
    may_be = (ends < _ZERO) | (ends > _NINE)
    may_be &= fields.ends - fields.starts <= longest
    lines = np.flatnonzero(may_be & ~are_summaries(fields))
    if not lines.size:
        return False
    texts = {decoded(text) for text in np.unique(fields.texts(lines)).tolist()}
    return not names.isdisjoint(text.casefold() for text in texts)


def are_summaries(topics: Fields) -> BoolArray:
    """Say of each line whether it is of the topic that stands for all, without blanks around it."""
    (name,) = SUMMARY
    found: BoolArray = topics.ends - topics.starts == len(name)
    lines = np.flatnonzero(found)
    if lines.size:
        found[lines] = topics.texts(lines) == name.encode()
    return found


# From columns to series


def series_of(
    groups: Mapping[tuple[str | None, str], Positions],
    topics: Fields,
    values: Fields,
) -> list[Series] | None:
    """Return the scores of each run and measure, whose lines are given.

    None if a topic is empty or comes twice, a summary row is not the last, or a value is no finite
    number.
    """
    if not groups:
        return []
    every_line = _together([*groups.values()])
    if not (topics.are_even(every_line) and values.are_even(every_line)):
        return None
    raw_topics = topics.texts(every_line)
    texts = values.texts(every_line)
    numbers = numbers_in(texts)
    if numbers is None:
        return None
    series: list[Series] = []
    names: list[str] = []
    raw_names = raw_topics[:0]
    summarised = False
    end = 0
    for (run, measure), group in groups.items():
        start, end = end, end + len(group)
        if not np.array_equal(raw_topics[start:end], raw_names):  # else measures share one list
            raw_names = raw_topics[start:end]
            names = _decoded_all(raw_names)
            summarised = names[-1] in SUMMARY
            if summarised:
                names.pop()
            if not names or not SUMMARY.isdisjoint(names) or place_of_repeated(names) is not None:
                return None
            if not all(names):
                return None
        summary = decoded(texts[end - 1]) if summarised else None
        rounding = rounding_of(decoded(texts[start]))
        scores = numbers[start : start + len(names)]
        series.append(Series(run, measure, names, scores, summary, rounding))
    return series


def _together(groups: Sequence[Positions]) -> Positions:
    return groups[0] if len(groups) == 1 else np.concatenate(groups)


@lru_cache(maxsize=1 << 14)  # the files of one track have the same topics and measures
def decoded(field: bytes) -> str:
    """Return a field as text, without the blanks around it."""
    return field.decode("utf-8", "backslashreplace").strip()


def _decoded_all(fields: NDArray[np.bytes_]) -> list[str]:
    """Return many fields as text, a stretch at a time: each is an object of its own until then."""
    names: list[str] = []
    for start in range(0, len(fields), _STRETCH):
        names += map(decoded, fields[start : start + _STRETCH].tolist())
    return names


def numbers_in(texts: NDArray[np.bytes_]) -> FloatArray | None:
    """Return the numbers that the texts show, or None if one of them shows no finite number."""
    width = texts.dtype.itemsize
    characters = texts.view(np.uint8).reshape(-1, width)
    if 3 <= width <= 16 and (characters[:, 1] == ord(".")).all():
        digits = np.delete(characters, 1, axis=1) - np.uint8(ord("0"))
        if (digits <= 9).all():  # as trec_eval prints them: 0.1234
            # A whole number below 2**53 over a power of ten: the same double as float() finds.
            powers = 10.0 ** np.arange(width - 2, -1, -1)
            numbers: FloatArray = (digits @ powers) / powers[0]
            return numbers
    try:
        numbers = texts.astype(np.float64)
    except ValueError:
        return None
    return None if not np.isfinite(numbers).all() or b"_" in texts.tobytes() else numbers
