"""One score per row, with a header: run, topic, measure, score. `confint score` writes it."""

from collections.abc import Iterator
from dataclasses import replace

from confint_cli.common.arrays import Positions
from confint_cli.common.measures import is_mean_of_topics
from confint_cli.common.text import quoted, without_guard
from confint_cli.inputs.columns import NO_TOPICS, TABLE_RULES
from confint_cli.inputs.header import after_header, scales_in
from confint_cli.inputs.layout import LONG, Layout, fit_of, layout_of, problem_with
from confint_cli.inputs.reading import Format, Reader, Reading, RowLabels
from confint_cli.inputs.regular import (
    are_summaries,
    combined_keys,
    decoded,
    distinct_rows,
    equal_keys,
    has_any_of,
    has_blanks_at_ends,
    has_odd_blanks,
    regular_columns,
    series_of,
)
from confint_cli.inputs.rows import (
    Owner,
    Row,
    Rules,
    collect,
    most_series,
    owner_of,
    run_of,
    runs_left_out,
)
from confint_cli.inputs.source import Source


def read(source: Source, reader: Reader) -> Reading:
    """Read row by row, or column by column where that is possible; ignore other columns."""
    layout = layout_of(source, reader, LONG)
    measure = reader.measure_for(source)
    reading = _read_regular(source, layout, measure, reader)
    reading = layout.told_of(reading) if reading else read_rows(layout, reader)
    return replace(reading, scales=scales_in(source, reading.measures))


def read_rows(layout: Layout, reader: Reader) -> Reading:
    """Read a table whose layout is known, row by row."""
    origin = layout.table.origin
    rows = _rows(layout, reader.measure_for(origin))
    return layout.told_of(collect(origin, rows, reader, rules_of(layout)))


def rules_of(layout: Layout) -> Rules:
    """Return what the rows of the table mean."""
    assert layout.score is not None
    rules = replace(TABLE_RULES, named_measures=layout.measure is not None)
    if layout.is_nested:
        return rules
    return replace(
        rules,
        hint="" if layout.run is not None and not layout.telling else layout.rules.hint,
        score=layout.header.cells[layout.score],
    )


def _read_regular(
    source: Source, layout: Layout, unnamed_measure: str, reader: Reader
) -> Reading | None:
    """Read a table without quotes by array operations, which is fast; return None for another."""
    start = after_header(source)
    if start is None or has_odd_blanks(source.data):
        return None
    header = layout.header
    columns = regular_columns(source.data, header.delimiter, len(header.cells), start)
    if columns is None:
        return None
    assert layout.topic is not None
    assert layout.score is not None
    topics, scores = columns[layout.topic], columns[layout.score]
    of_names = (layout.run, layout.collection, layout.repeat, layout.measure)
    name_places = [place for place in of_names if place is not None]
    if has_blanks_at_ends(topics) or not all(columns[place].are_even() for place in name_places):
        return None
    keys = combined_keys(*(columns[place].keys() for place in name_places))
    line_groups = equal_keys(keys, most_series(source))
    if line_groups is None:
        return None
    groups: dict[tuple[Owner, str], Positions] = {}
    header_names = {*header.cells}
    for lines in line_groups:
        first = {place: decoded(columns[place].texts(lines[:1])[0]) for place in name_places}
        owner = owner_of(
            None if layout.run is None else first[layout.run],
            RowLabels(
                None if layout.collection is None else first[layout.collection],
                None if layout.repeat is None else first[layout.repeat],
            ),
        )
        measure = unnamed_measure if layout.measure is None else first[layout.measure]
        if (owner, measure) in groups:  # written with other blanks around it
            return None
        if not all(first.values()) or not header_names.isdisjoint(first.values()):
            return None  # an empty name, or maybe a header once more
        if layout.measure is None or is_mean_of_topics(measure):
            groups[owner, measure] = lines
    if has_any_of(topics, NO_TOPICS):
        return None
    if has_any_of(scores, frozenset(name.casefold() for name in header_names if name)):
        return None  # maybe a header once more, of another table
    is_mean = are_summaries(topics)
    groups = {
        key: lines
        for key, lines in groups.items()
        if not (is_mean[lines[0]] and is_mean[lines].all())
    }
    measures = list(dict.fromkeys(measure for _, measure in groups))
    chosen = set(reader.choose(measures)) if measures else set()
    wanted = {key: lines for key, lines in groups.items() if key[1] in chosen}
    series = series_of(wanted, topics, scores)
    if series is None or not measures:
        return None
    notices = runs_left_out(source, [run_of(owner) for owner, _ in groups], series)
    reading = Reading(source.path, series, measures, notices=notices)
    if layout.group is None:
        return reading
    places = [
        place for place in (layout.collection, layout.topic, layout.group) if place is not None
    ]
    rows = distinct_rows([columns[place] for place in places])
    if rows is None:
        return None
    return replace(reading, groups=layout.groups_of(rows))


def _rows(layout: Layout, unnamed_measure: str) -> Iterator[Row]:
    """Yield a row for each line; the measure is `unnamed_measure` if no column names it."""
    topic_at, score_at = layout.topic, layout.score
    run_at, measure_at = layout.run, layout.measure
    assert topic_at is not None
    assert score_at is not None
    origin, header = layout.table.origin, layout.header
    may_have_quotes = header.guarded and isinstance(origin, Source) and b"'" in origin.data
    header_names = {*header.cells} - {""}  # a blank is no header
    for line, row in layout.rows():
        cells = [cell.strip() for cell in row]
        if cells[score_at] in header_names:
            problem = f"this header differs from the one above: {quoted(', '.join(cells))}"
            raise origin.error(line, problem)
        if may_have_quotes:
            cells = [without_guard(cell) for cell in cells]
        owner = owner_of(None if run_at is None else cells[run_at], layout.labels_of(cells))
        measure = unnamed_measure if measure_at is None else cells[measure_at]
        yield line, owner, measure, cells[topic_at], cells[score_at]


FORMAT = Format(
    summary="long table (CSV or TSV): run, topic, measure, score",
    explanation="""\
A header and one score per row, separated by tabs, commas or semicolons, as 'confint score' and
PyTerrier's Experiment (with perquery=True) write it. These columns may be in any order, and there
may be other columns:

- the run: run, runid, system, name or model; without such a column, the run gets the name of the
  file
- the topic: qid, query_id, topic, topic_id, query, question_id or id
- the measure: measure or metric; without such a column, it is the file's name or --measure-name
- the score: score or value
- the collection: collection, dataset, corpus or task; topics of different collections are
  different topics, even if they have the same name
- the repeat of a run: repeat, seed or trial
- the group of topics that belong together: group, conversation, session or cluster

If a table has several of these names for the run, the topic, the measure or the score, the first
one in the list counts. Lines before the header that begin with # are comments.""",
    example="run\ttopic\tmeasure\tscore\nbm25\t301\tmap\t0.0324\nbm25\t302\tmap\t0.4175\n",
    sniff=fit_of(LONG),
    read=read,
    doubt=problem_with,
    is_table=True,
    names_measures=False,
)
