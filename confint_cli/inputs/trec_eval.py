"""`measure topic value`: what trec_eval 7 to 10 print with -q, and its many imitators."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confint_cli.arrays import Positions
from confint_cli.inputs._format import Format, Head, Reader, Reading, Series
from confint_cli.inputs._rows import SUMMARY_TOPICS, Row, collect
from confint_cli.inputs._source import Source
from confint_cli.inputs._three_columns import measure_column
from confint_cli.measures import is_mean_of_topics
from confint_cli.text import quoted

EXAMPLE = """\
map                   \t301\t0.0324
P_10                  \t301\t0.2000
map                   \t302\t0.4175
P_10                  \t302\t0.7000
runid                 \tall\tSTANDARD
map                   \tall\t0.2250
P_10                  \tall\t0.4500
"""


def sniff(head: Head) -> bool:
    """The measure comes first."""
    return measure_column(head) == 0


def read(source: Source, reader: Reader) -> Reading:
    """Read a regular file in a few array operations, any other line by line."""
    lines = _regular_lines(source.data)
    reading = None if lines is None else _read_regular(source, lines, reader)
    return reading or _read_line_by_line(source, reader)


def _read_line_by_line(source: Source, reader: Reader) -> Reading:
    tags: list[str] = []
    return _with_tag(collect(source, _rows(source, tags), reader, expects_summary=True), tags)


def _rows(source: Source, tags: list[str]) -> Iterator[Row]:
    for number, line in source.lines():
        fields = line.split()
        if len(fields) != 3:
            raise source.error(
                number,
                f"3 fields are needed (measure, topic, value), not {len(fields)}: {quoted(line)}",
            )
        measure, topic, value = fields
        if measure == "runid":
            tags.append(value)
        yield number, None, measure, topic, value


def _with_tag(reading: Reading, tags: list[str]) -> Reading:
    tag = tags[0] if tags else None
    return Reading(reading.path, reading.series, reading.measures, tag, reading.lacks_summary)


# The fast way. Evaluation files of a whole track have millions of lines, of which a handful of
# measures is wanted. Splitting each line costs more than all the rest of the program, so the
# lines are found with array operations, their measures compared as 64-bit words, and only the
# wanted lines become Python objects.

_NEWLINE = ord("\n")
_LONGEST_FIELD = 64
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit of a word is lost in the product
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


def _at_every_position(data: bytes, dtype: str) -> NDArray[Any]:
    """Return what an item of some type would be at each position of the data."""
    return np.ndarray(len(data) - np.dtype(dtype).itemsize + 1, dtype, data, strides=(1,))


@dataclass(frozen=True)
class _Fields:
    """Where a column's texts are: from `starts` up to, not including, `ends`."""

    data: bytes  # followed by at least _LONGEST_FIELD bytes of padding
    starts: Positions
    ends: Positions

    def texts(self, lines: Positions) -> NDArray[np.bytes_]:
        """Return the texts of some lines as an array of fixed width."""
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

        Two of the hundred measures of a file share one with a probability below 1e-15.
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
        keys: NDArray[np.uint64] = words[:, 0]
        for word in words.T[1:]:
            keys = keys * _MIX + word
        return keys


@dataclass(frozen=True)
class _Lines:
    """A file whose every line is `measure TAB topic TAB value`."""

    measures: _Fields
    topics: _Fields
    values: _Fields


def _regular_lines(data: bytes) -> _Lines | None:
    """Return where the fields are, or None if any line has not three fields and two tabs."""
    data = b"".join((data.rstrip(), b"\n", bytes(_LONGEST_FIELD)))
    buffer = np.frombuffer(data, dtype=np.uint8)
    # Tabs and newlines have the highest codes of those that a text should not have otherwise.
    breaks = np.flatnonzero(buffer[:-_LONGEST_FIELD] <= _NEWLINE)
    if buffer[breaks].tobytes() != b"\t\t\n" * (breaks.size // 3):
        return None
    gaps = np.diff(breaks, prepend=-1)
    if gaps.min() < 2 or gaps.max() > _LONGEST_FIELD:
        return None
    first_tabs, second_tabs, ends = breaks[0::3], breaks[1::3], breaks[2::3]
    return _Lines(
        measures=_Fields(data, first_tabs - gaps[0::3] + 1, first_tabs),
        topics=_Fields(data, first_tabs + 1, second_tabs),
        values=_Fields(data, second_tabs + 1, ends),
    )


def _read_regular(source: Source, lines: _Lines, reader: Reader) -> Reading | None:
    """Read the wanted lines, or return None where something is odd: then the slow way tells."""
    groups = _lines_of_each_measure(lines.measures)
    tags = []
    if "runid" in groups:
        tags = [_decode(value) for value in lines.values.texts(groups["runid"]).tolist()]
    measures = [name for name in groups if is_mean_of_topics(name)]
    if not measures:
        return None
    wanted = list(reader.choose(measures))
    series = _series(lines, {name: groups[name] for name in wanted}) if wanted else []
    if series is None:
        return None
    lacks_summary = not any(one.summary for one in series)
    return _with_tag(Reading(source.path, series, measures, None, lacks_summary), tags)


@cache
def _decode(field: bytes) -> str:
    return field.decode("utf-8", "backslashreplace").strip()


def _lines_of_each_measure(measures: _Fields) -> dict[str, Positions]:
    """Return each measure's lines in their order, the measures in the order of the file."""
    groups = _equal_items(measures.keys().tobytes())
    first_lines = np.array([group[0] for group in groups])
    names = map(_decode, measures.texts(first_lines).tolist())
    return dict(zip(names, groups, strict=True))


@lru_cache(maxsize=8)  # the files of one track mostly have the same measures in the same lines
def _equal_items(keys: bytes) -> list[Positions]:
    """Return the positions of each different key, in the order of their first ones."""
    items = np.frombuffer(keys, dtype=np.uint64)
    order = np.argsort(items, kind="stable")
    ordered = items[order]
    groups = np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    return sorted(groups, key=lambda group: int(group[0]))


def _series(lines: _Lines, groups: dict[str, Positions]) -> list[Series] | None:
    """Return the scores by some measures; None if a topic comes twice or a value is no number."""
    every_line = np.concatenate(list(groups.values()))
    topics = lines.topics.texts(every_line).tolist()
    values = lines.values.texts(every_line)
    try:
        numbers = values.astype(np.float64)
    except ValueError:
        return None
    if not np.isfinite(numbers).all() or b"_" in values.tobytes():
        return None
    series: list[Series] = []
    names: list[str] = []
    raw_names: list[bytes] = []
    end = 0
    for measure, group in groups.items():
        start, end = end, end + len(group)
        if topics[start:end] != raw_names:  # else all measures share one list
            raw_names = topics[start:end]
            names = [_decode(topic) for topic in raw_names]
            summarised = names[-1] in SUMMARY_TOPICS
            names = names[:-1] if summarised else names
            if not names or len({*names, *SUMMARY_TOPICS}) < len(names) + len(SUMMARY_TOPICS):
                return None
        summary = _decode(values[end - 1]) if summarised else None
        series.append(Series(None, measure, names, numbers[start : start + len(names)], summary))
    return series


FORMAT = Format(
    summary="trec_eval -q: measure, topic, value",
    explanation="""\
What trec_eval prints with -q, in versions 7 to 10, with its older names (P10, R-prec) or its
newer ones (P_10, Rprec), padded or not, separated by tabs or blanks. The row of topic 'all' is
the file's own mean and is checked against its topics. Counts (num_*), geometric means (gm_*),
runid and relstring are no means of topics and are left out. The run is named by the file, or
with --name-from tag by the runid row.

trec_eval 9 -c leaves missing topics out but divides by all of them, so the mean of its lines is
not its 'all'; trec_eval 10 without -c stops at the first missing topic. Both are reported.""",
    example=EXAMPLE,
    sniff=sniff,
    read=read,
)
