"""`measure topic value`: what trec_eval 7 to 10 print with -q, and its many imitators."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from confint_cli.arrays import Positions
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._regular import (
    decoded,
    equal_keys,
    has_odd_blanks,
    regular_columns,
    series_of,
)
from confint_cli.inputs._rows import Row, Rules, collect, most_series
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
    return _read_regular(source, reader) or _read_line_by_line(source, reader)


def _read_line_by_line(source: Source, reader: Reader) -> Reading:
    tags: list[str] = []
    reading = collect(source, _rows(source, tags), reader, Rules(expects_summary=True))
    return replace(reading, tag=tags[0] if tags else None)


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


def _read_regular(source: Source, reader: Reader) -> Reading | None:
    """Read the wanted lines, or return None where something is odd: then the slow way tells."""
    if has_odd_blanks(source.data):  # some of which separate fields
        return None
    columns = regular_columns(source.data, "\t", 3)
    if columns is None:
        return None
    measures, topics, values = columns
    groups = equal_keys(measures.keys(), most_series(source)) if measures.are_even() else None
    if groups is None:
        return None
    names = measures.texts(np.array([group[0] for group in groups])).tolist()
    lines = dict(zip(map(decoded, names), groups, strict=True))
    tags = (
        [decoded(tag) for tag in values.texts(lines["runid"]).tolist()] if "runid" in lines else []
    )
    means = [name for name in lines if is_mean_of_topics(name)]
    if not means or len(lines) != len(groups) or any(len(name.split()) != 1 for name in lines):
        return None  # a name with other blanks around it, with blanks inside, or only blanks
    wanted: dict[tuple[str | None, str], Positions] = {
        (None, name): lines[name] for name in reader.choose(means)
    }
    series = series_of(wanted, topics, values, one_word=True)
    if series is None:
        return None
    lacks_summary = bool(series) and not any(one.summary for one in series)
    return Reading(source.path, series, means, tags[0] if tags else None, lacks_summary)


FORMAT = Format(
    summary="measure, topic, value: what trec_eval 7 to 10 print with -q",
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
