"""`measure topic value`: what trec_eval 7 to 10 print with -q, and its many imitators."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from confint_cli.common.arrays import Positions
from confint_cli.common.measures import is_mean_of_topics
from confint_cli.common.text import quoted
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.regular import (
    are_summaries,
    decoded,
    equal_keys,
    has_blanks_at_ends,
    has_blanks_within,
    has_odd_blanks,
    regular_columns,
    series_of,
)
from confint_cli.inputs.rows import Owner, Row, Rules, collect, most_series
from confint_cli.inputs.source import Source, decode
from confint_cli.inputs.three_columns import measure_column, with_doubts

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
    """Say whether lines have three fields, of which the first is the measure."""
    return measure_column(head) == 0


def read(source: Source, reader: Reader) -> Reading:
    """Read one run, or several outputs in one stream, each with a `runid` line of its own."""
    outputs = _outputs(source)
    if len(outputs) == 1:
        return with_doubts(source, _read_one(source, reader))
    readings = {tag: _read_one(output, reader) for tag, output in outputs.items()}
    return Reading(
        source.path,
        [
            replace(series, run=tag)
            for tag, reading in readings.items()
            for series in reading.series
        ],
        list(dict.fromkeys(name for reading in readings.values() for name in reading.measures)),
        lacks_summary=any(reading.lacks_summary for reading in readings.values()),
        notices=[notice for reading in readings.values() for notice in reading.notices],
    )


def _outputs(source: Source) -> dict[str, Source]:
    """Return the part of the file that holds each run, by its tag; a single run has the tag ''.

    trec_eval prints the topics first, then `runid` and the means of topic `all`. The next output
    begins with the next topic.
    """
    if source.data.count(b"\nrunid") + source.data.startswith(b"runid") < 2:
        return {"": source}
    tags = [*_TAG.finditer(source.data)]
    if len(tags) < 2:
        return {"": source}
    outputs: dict[str, Source] = {}
    start, lines_before = 0, source.lines_before
    for match in tags:
        name, end = decode(match[1]), _end_of_means(source.data, match.start())
        if match.start() < start or name in outputs:
            line = source.lines_before + source.data.count(b"\n", 0, match.start()) + 1
            problem = "a second runid" if match.start() < start else "a second run is called"
            raise source.error(line, f"{problem} {quoted(name)}", _AS_FILES)
        outputs[name] = Source(source.path, source.data[start:end], lines_before)
        start, lines_before = end, lines_before + source.data.count(b"\n", start, end)
    if source.data[start:].strip():
        raise source.error(
            lines_before + 1,
            f"the last output has no runid line, unlike the {len(tags)} above",
            _CUT_SHORT,
        )
    return outputs


_TAG = re.compile(rb"^runid[ \t]+all[ \t]+(\S+)[ \t]*$", re.MULTILINE)
_MEAN = re.compile(rb"[ \t]*(?:\S+[ \t]+all[ \t]+\S+[ \t]*)?(?:\n|\Z)")  # or a blank line
_CUT_SHORT = "was the last output cut short?"
_AS_FILES = (
    "are these several outputs in one stream? then each needs a runid line, which trec_eval prints "
    "unless -m chooses measures (-m runid adds it); or give each output as a file"
)


def _end_of_means(data: bytes, start: int) -> int:
    """Return where the lines of topic `all` end that begin at `start`."""
    end = start
    while end < len(data) and (match := _MEAN.match(data, end)) and match.end() > end:
        end = match.end()
    return end


def _read_one(source: Source, reader: Reader) -> Reading:
    """Read a regular file in a few array operations, any other line by line."""
    return _read_regular(source, reader) or _read_line_by_line(source, reader)


def _read_line_by_line(source: Source, reader: Reader) -> Reading:
    tags: list[str] = []
    rules = Rules(expects_summary=True, hint=_AS_FILES)
    reading = collect(source, _rows(source, tags), reader, rules)
    return replace(reading, tag=tags[0] if tags else None)


def _rows(source: Source, tags: list[str]) -> Iterator[Row]:
    """Yield all rows, that of `runid` too, whose value is added to `tags`."""
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
    """Read by array operations, or return None where something is odd: the slow way says what.

    Every line is looked at, whether its measure is wanted or not: three words, and which topics
    are means. Only values of measures that are not wanted may be anything.
    """
    if has_odd_blanks(source.data) or has_blanks_within(source.data):
        return None
    columns = regular_columns(source.data, "\t", 3)
    if columns is None:
        return None
    measures, topics, values = columns
    if has_blanks_at_ends(topics):
        return None
    groups = equal_keys(measures.keys(), most_series(source)) if measures.are_even() else None
    if groups is None:
        return None
    names = measures.texts(np.array([group[0] for group in groups])).tolist()
    lines = dict(zip(map(decoded, names), groups, strict=True))
    if len(lines) != len(groups) or not all(lines):
        return None  # a name with other blanks around it, or only blanks
    tags = (
        [decoded(tag) for tag in values.texts(lines["runid"]).tolist()] if "runid" in lines else []
    )
    is_mean = are_summaries(topics)
    of_topics = {name: group for name, group in lines.items() if is_mean_of_topics(name)}
    is_summarised = any(bool(is_mean[group].any()) for group in of_topics.values())
    of_topics = {
        name: group
        for name, group in of_topics.items()
        if not (is_mean[group[0]] and is_mean[group].all())
    }
    if not of_topics:
        return None
    means = [*of_topics]
    wanted: dict[tuple[Owner, str], Positions] = {
        (None, name): of_topics[name] for name in reader.choose(means)
    }
    series = series_of(wanted, topics, values)
    if series is None:
        return None
    return Reading(
        source.path, series, means, tags[0] if tags else None, lacks_summary=not is_summarised
    )


FORMAT = Format(
    summary="measure, topic, value: what trec_eval 7 to 10 print with -q",
    explanation="""\
What trec_eval prints with -q, in versions 7 to 10, with its older names (P10, R-prec) or its newer
ones (P_10, Rprec), padded or not, separated by tabs or blanks. The row of topic 'all' is the file's
own mean, and confint checks it against the topics. Counts (num_*), geometric means (gm_*), runid
and relstring are not means over topics, and are left out.

The run gets the name of the file or, with --name-from tag, the name in the runid row. Several
outputs in one stream or file, each with its runid row, are several runs, and get the names in these
rows: cat *.eval | confint interval -

confint reports two special cases. trec_eval 9 -c leaves out missing topics but divides by the
number of all topics, so the mean of its lines is not its 'all'. trec_eval 10 without -c stops at
the first missing topic.""",
    example=EXAMPLE,
    sniff=sniff,
    read=read,
)
