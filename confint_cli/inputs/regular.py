"""The fast way through large files whose every line has the same fields.

Evaluation files of a whole track have millions of lines, but people want only a few measures. To
split each line would take longer than all the rest of the program. So the fields are found with
array operations, names are compared as 64-bit words, and only the wanted fields become Python
objects. Irregular or faulty files are read line by line, which says what is wrong and where.
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
from confint_cli.inputs.rows import SUMMARY, Owner, labels_of, place_of_repeated, run_of

_NEWLINE, _TAB, _BLANK, _ZERO, _NINE = b"\n\t 09"
_ODD_BLANKS = [bytes([code]) for code in (0x0B, 0x0C, *range(0x1C, 0x20))]
_WIDE_BLANKS = [
    chr(code).encode()
    for code in (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
]
_LONGEST_FIELD = 255  # bytes
_WASTE = 4  # how many times its texts' bytes an array of fixed width may take
_LITTLE = 1 << 22  # bytes that may be wasted in any case
_LARGE = 1 << 23  # bytes from which on memory matters
_SHORT_LINE = 16  # bytes; positions of the fields of many shorter lines take too much memory
_STRETCH = 1 << 16  # items that are worked on at a time
_SMALL = 1 << 31  # bytes up to which a position fits into 32 bits
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit is lost in the product
_WEIGHT = np.uint64(31)
_HALF = np.uint64(32)
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


# From lines to columns


@dataclass(frozen=True)
class Fields:
    """The texts of a column, one per line: in `data` from `starts` up to, not including, `ends`."""

    data: bytes  # followed by at least _LONGEST_FIELD bytes of padding
    starts: Positions  # [line]
    ends: Positions  # [line]

    def are_even(self, lines: Positions | slice = slice(None)) -> bool:
        """Say whether the texts are of similar length: others waste memory at a fixed width."""
        ends = self.ends[lines]
        if ends.size * _LONGEST_FIELD <= _LITTLE:
            return True
        lengths = ends - self.starts[lines]
        return int(lengths.max()) * lengths.size <= _WASTE * int(lengths.sum()) + _LITTLE

    def texts(self, lines: Positions | slice = slice(None)) -> NDArray[np.bytes_]:
        """Return the texts of `lines` as an array of fixed width, [line]."""
        starts = self.starts[lines]
        lengths = self.ends[lines] - starts
        width = int(lengths.max())
        texts = _at_every_position(self.data, f"S{width}")[starts]
        if lengths.min() < width:
            characters = texts.view(np.uint8).reshape(-1, width)
            characters[np.arange(width) >= lengths[:, None]] = 0
        return texts

    def keys(self) -> NDArray[np.uint64]:
        """Return a number for each text, [line]; equal texts have equal numbers.

        The probability that two of a hundred names in a file share a number is below 1e-15.
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
    """Return a view of the data with an item of type `dtype` at each position; items overlap."""
    return np.ndarray(len(data) - np.dtype(dtype).itemsize + 1, dtype, data, strides=(1,))


def combined_keys(*columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each line, [line]; lines with the same numbers in all columns share it.

    Numbers so far are weighted before the next column is mixed in, so that (a, b) differs from
    (b, a).
    """
    keys = np.zeros_like(columns[0])
    for place, column in enumerate(columns):
        if place:
            keys *= _WEIGHT
        keys += column
        keys *= _FACTOR
        keys ^= keys >> _HALF
    return keys


def equal_keys(keys: NDArray[np.uint64], most: int) -> list[Positions] | None:
    """Return the positions of each different key, in the order in which keys come first.

    None if there are more than `most` different keys.
    """
    if keys.size > 100_000:
        return _equal_keys.__wrapped__(keys.tobytes(), most)
    return _equal_keys(keys.tobytes(), most)


@lru_cache(maxsize=8)  # the files of one track mostly have the same measures in the same lines
def _equal_keys(keys: bytes, most: int) -> list[Positions] | None:
    """Do the work of `equal_keys`, on bytes, which can be remembered."""
    numbers = np.frombuffer(keys, dtype=np.uint64)
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if changes.size >= most:
        return None
    return sorted(np.split(order, changes), key=lambda group: int(group[0]))


def distinct_rows(columns: Sequence[Fields]) -> list[list[str]] | None:
    """Return the different rows of some columns as texts, in the order in which they come first.

    None if texts differ so much in length that an array of them takes too much memory.
    """
    if not all(column.are_even() for column in columns):
        return None
    keys = combined_keys(*(column.keys() for column in columns))
    lines = np.sort(np.unique(keys, return_index=True)[1])
    texts = [_decoded_all(column.texts(lines)) for column in columns]
    return [[*row] for row in zip(*texts, strict=True)]


def regular_columns(data: bytes, delimiter: str, width: int, start: int = 0) -> list[Fields] | None:
    """Return the `width` columns of the lines from byte `start` on.

    None if a line has more or fewer fields, a field is empty or very long, or the lines are so
    short and many that this takes too much memory.
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


def _positions(is_there: NDArray[np.bool_]) -> Positions:
    """Return the positions of True, as np.flatnonzero does, in less memory."""
    if is_there.size <= _LARGE or is_there.size >= _SMALL:
        return np.flatnonzero(is_there)
    positions: Positions = np.empty(np.count_nonzero(is_there), np.int32)
    done = 0
    for start in range(0, is_there.size, _STRETCH):
        places = np.flatnonzero(is_there[start : start + _STRETCH])
        positions[done : done + places.size] = places + start
        done += places.size
    return positions


def regular_words(data: bytes, width: int) -> list[Fields] | None:
    """Return the `width` columns of lines of words, with one tab or one blank between words.

    None for other lines, and where one may be a comment.
    """
    if data.startswith((b"#", b"<")) or b"\n#" in data or b"\n<" in data:
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
        block = characters[start : start + _LARGE]
        following = characters[start + 1 : start + 1 + block.size]
        is_filling = (following == _BLANK) | (following == _TAB)
        if bool(((block[: following.size] == _BLANK) & ~is_filling).any()):
            return True
    return data.endswith(b" ")


def has_any_of(fields: Fields, names: frozenset[str]) -> bool:
    """Say whether some text is one of `names` in any case; `all` in small letters does not count.

    Few texts become Python objects: the names are short, and do not end in a digit as most ids do.
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
    """Return which lines are of topic `all`, without blanks around it (bool, [line])."""
    (name,) = SUMMARY
    is_summary: BoolArray = topics.ends - topics.starts == len(name)
    lines = np.flatnonzero(is_summary)
    if lines.size:
        is_summary[lines] = topics.texts(lines) == name.encode()
    return is_summary


# From columns to series


def series_of(
    groups: Mapping[tuple[Owner, str], Positions],
    topics: Fields,
    values: Fields,
) -> list[Series] | None:
    """Return a series for each run, or run with labels, and measure; `groups` has its lines.

    None if a topic is empty or comes twice, a summary row is not the last, or a value is not a
    finite number.
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
    known: dict[str | None, _NamedTopics] = {}  # by collection, those of the group before
    end = 0
    for (owner, measure), group in groups.items():
        start, end = end, end + len(group)
        run, labels = run_of(owner), labels_of(owner)
        of_group = known.get(labels.collection)
        if of_group is None or not np.array_equal(raw_topics[start:end], of_group.raw):
            of_group = _named_topics(raw_topics[start:end])
            if of_group is None:
                return None
            known[labels.collection] = of_group  # so that runs and measures share one list
        names = of_group.names
        summary = decoded(texts[end - 1]) if of_group.summarised else None
        rounding = rounding_of(decoded(texts[start]))
        scores = numbers[start : start + len(names)]
        series.append(Series(run, measure, names, scores, summary, rounding, labels=labels))
    return series


@dataclass(frozen=True)
class _NamedTopics:
    """The topics of some lines, of which the last may be that of the mean."""

    raw: NDArray[np.bytes_]  # [line]
    names: list[str]  # without the mean
    summarised: bool


def _named_topics(raw: NDArray[np.bytes_]) -> _NamedTopics | None:
    """Return the topics; None if one is empty or comes twice, or a mean is not the last."""
    names = _decoded_all(raw)
    summarised = names[-1] in SUMMARY
    if summarised:
        names.pop()
    if not names or not SUMMARY.isdisjoint(names) or place_of_repeated(names) is not None:
        return None
    return _NamedTopics(raw, names, summarised) if all(names) else None


def _together(groups: Sequence[Positions]) -> Positions:
    return groups[0] if len(groups) == 1 else np.concatenate(groups)


@lru_cache(maxsize=1 << 14)  # the files of one track have the same topics and measures
def decoded(field: bytes) -> str:
    """Return a field as text, without the blanks around it."""
    return field.decode("utf-8", "backslashreplace").strip()


def _decoded_all(fields: NDArray[np.bytes_]) -> list[str]:
    """Return many fields as text; a stretch at a time, since each is first an object of its own."""
    names: list[str] = []
    for start in range(0, len(fields), _STRETCH):
        names += map(decoded, fields[start : start + _STRETCH].tolist())
    return names


def numbers_in(texts: NDArray[np.bytes_]) -> FloatArray | None:
    """Return the numbers that the texts show, [text]; None if one shows no finite number."""
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
