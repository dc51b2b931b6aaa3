"""One score a row, with a header: run, topic, measure, score. What `confint score` writes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from confint_cli.arrays import Positions
from confint_cli.inputs._columns import (
    MEASURE,
    RUN,
    SCORE,
    TOPIC,
    Header,
    after_header,
    check_width,
    header_of,
    open_table,
)
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._regular import (
    combined_keys,
    decoded,
    equal_keys,
    regular_columns,
    series_of,
)
from confint_cli.inputs._rows import Row, Rules, collect, most_series, runs_left_out
from confint_cli.inputs._scales import scales_in
from confint_cli.inputs._source import Source
from confint_cli.measures import is_mean_of_topics
from confint_cli.text import without_guard


def sniff(head: Head) -> bool:
    """The header has a topic and a score, and a run or a measure."""
    header = header_of(head)
    return header is not None and _places(header) is not None


@dataclass(frozen=True)
class _Places:
    """Which columns hold what."""

    topic: int
    score: int
    run: int | None
    measure: int | None


def _places(header: Header) -> _Places | None:
    topic, score = header.find(TOPIC), header.find(SCORE)
    run, measure = header.find(RUN), header.find(MEASURE)
    if topic is None or score is None or (run is None and measure is None):
        return None
    return _Places(topic, score, run, measure)


def read(source: Source, reader: Reader) -> Reading:
    """Read row by row; further columns are left alone."""
    header, rows = open_table(source)
    places = _places(header)
    if places is None:
        raise source.error(1, "the header needs columns for topic, score, and run or measure")
    measure = reader.measure_for(source)
    regular = _read_regular(source, header, places, measure, reader)
    rules = Rules(named_measures=places.measure is not None)
    reading = regular or collect(
        source, _rows(source, header, rows, places, measure), reader, rules
    )
    return replace(reading, scales=scales_in(source, reading.measures))


def _read_regular(
    source: Source, header: Header, at: _Places, unnamed_measure: str, reader: Reader
) -> Reading | None:
    """Read a table without quoting in array operations, or return None: a query log is large."""
    start = after_header(source)
    if start is None:
        return None
    columns = regular_columns(source.data, header.delimiter, len(header.cells), start)
    if columns is None:
        return None
    named = [place for place in (at.run, at.measure) if place is not None]
    if not all(columns[place].are_even() for place in named):
        return None
    keys = combined_keys(*(columns[place].keys() for place in named))
    found = equal_keys(keys, most_series(source))
    if found is None:
        return None
    groups: dict[tuple[str | None, str], Positions] = {}
    for lines in found:
        first = {place: decoded(columns[place].texts(lines[:1])[0]) for place in named}
        run = None if at.run is None else first[at.run]
        measure = unnamed_measure if at.measure is None else first[at.measure]
        if (run, measure) in groups:  # written with other blanks around it
            return None
        if at.measure is None or is_mean_of_topics(measure):
            groups[run, measure] = lines
    measures = list(dict.fromkeys(measure for _, measure in groups))
    chosen = set(reader.choose(measures)) if measures else set()
    wanted = {key: lines for key, lines in groups.items() if key[1] in chosen}
    series = series_of(wanted, columns[at.topic], columns[at.score])
    if series is None or not measures:
        return None
    notices = runs_left_out(source, [run for run, _ in groups], series)
    return Reading(source.path, series, measures, notices=notices)


def _rows(
    source: Source,
    header: Header,
    rows: Iterator[tuple[int, list[str]]],
    at: _Places,
    unnamed_measure: str,
) -> Iterator[Row]:
    topic_at, score_at, run_at, measure_at = at.topic, at.score, at.run, at.measure
    width = len(header.cells)
    may_have_quotes = header.guarded and b"'" in source.data
    for line, cells in rows:
        if len(cells) != width:
            check_width(source, line, cells, width)
        cells = [cell.strip() for cell in cells]
        if may_have_quotes:
            cells = [without_guard(cell) for cell in cells]
        run = None if run_at is None else cells[run_at]
        measure = unnamed_measure if measure_at is None else cells[measure_at]
        yield line, run, measure, cells[topic_at], cells[score_at]


FORMAT = Format(
    summary="long table (CSV or TSV): run, topic, measure, score",
    explanation="""\
A header and one score a row, separated by tabs, commas or semicolons: what confint score writes.
The columns, in any order and among others, are the run (run, system, runid), the topic (topic,
query, qid, query_id), the measure (measure, metric) and the score (score, value). Without a
measure column the measure is the file's name or --measure-name; without a run column the file
names the run. Lines before the header that begin with # are comments.""",
    example="run\ttopic\tmeasure\tscore\nbm25\t301\tmap\t0.0324\nbm25\t302\tmap\t0.4175\n",
    sniff=sniff,
    read=read,
    names_measures=False,
)
