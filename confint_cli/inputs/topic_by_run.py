"""A row a topic and a column a run, with a header that names the runs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from confint_cli.errors import Notice, note
from confint_cli.inputs._columns import (
    TABLE_RULES,
    TOPIC,
    Header,
    check_width,
    header_of,
    open_table,
)
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._matrix import NumberedTopics, read_matrix
from confint_cli.inputs._rows import check_number_of_series
from confint_cli.inputs._source import Source
from confint_cli.text import looks_numeric, quoted

_QUERY_NAMES = TOPIC - {"topic"}
TableRow = tuple[int, list[str]]


def sniff(head: Head) -> bool:
    """The first line has a name in it, and the rows below have numbers in all but one column."""
    header = header_of(head)
    if header is None or all(map(looks_numeric, filter(None, header.cells))):
        return False
    lines = [line for line in head.lines if not line.startswith("#")][1:]
    cells = [line.split(header.delimiter) for line in lines]
    numeric = [all(looks_numeric(cell.strip('" ')) for cell in row[1:]) for row in cells]
    return sum(numeric) > 0 and sum(numeric) >= len(lines) / 2


def read(source: Source, reader: Reader) -> Reading:
    """Read row by row, after finding out whether the first column holds topics or scores."""
    header, rows = open_table(source)
    cells, first_column = _checked(source, header, rows)
    with_topics = _first_column_is_topics(cells[0], first_column)
    runs = cells[1:] if with_topics else cells
    _check_all_differ(source, runs)
    _, rows = open_table(source)
    if with_topics:
        scores = ((line, row[1:]) for line, row in rows)
        reading = read_matrix(source, reader, scores, first_column, runs, TABLE_RULES.summary)
    else:
        topics = NumberedTopics(len(first_column))
        reading = read_matrix(source, reader, rows, topics, runs)
    notices = _say_what_was_guessed(source, Header(cells, header.delimiter), with_topics)
    return replace(reading, notices=notices)


def _checked(
    source: Source, header: Header, rows: Iterator[TableRow]
) -> tuple[list[str], list[str]]:
    """Return the cells of the header and the first column, of a table whose rows are all alike."""
    cells = list(header.cells)
    first_column: list[str] = []
    for line, row in rows:
        if not first_column and len(row) == len(cells) + 1:
            cells.insert(0, "")  # as R writes row names: the corner is left out
        check_width(source, line, row, len(cells))
        first_column.append(row[0].strip())
    return cells, first_column


def _check_all_differ(source: Source, runs: Sequence[str]) -> None:
    check_number_of_series(source, len(runs))
    seen: set[str] = set()
    for run in runs:
        if run in seen:
            raise source.error(1, f"two columns are named {quoted(run)}")
        seen.add(run)


def _first_column_is_topics(name: str, values: Sequence[str]) -> bool:
    """Topics by their column's name, or by being texts, or different whole numbers."""
    if not name or name.casefold() in TOPIC:
        return True
    values = [value for value in values if value not in TABLE_RULES.summary]
    if not all(map(looks_numeric, values)):
        return True
    return len(set(values)) == len(values) and all(value.isdigit() for value in values)


def _say_what_was_guessed(source: Source, header: Header, with_topics: bool) -> list[Notice]:
    first, *others = header.cells
    if not with_topics:
        return [note("no topic column; topics are numbered by their rows", source.name)]
    if first and first.casefold() not in TOPIC:
        return [note(f"column {quoted(first)} is taken for the topics", source.name)]
    if first.casefold() in _QUERY_NAMES:
        return [
            note(
                f"columns such as {quoted(others[0])} are taken for runs; if they are measures, "
                "say --input-format per_query",
                source.name,
            )
        ]
    return []


FORMAT = Format(
    summary="topic-by-run CSV: a row for each topic, a column for each run",
    explanation="""\
A header that names the runs, then a row for each topic, separated by commas, tabs or semicolons.
The first column holds the topics if its name is empty or topic (query, qid, …), or if it holds
texts or different whole numbers; otherwise there is no topic column and rows are numbered. The
measure is the file's name without its ending, or --measure-name.""",
    example="topic,bm25,rm3\n301,0.0372,0.3471\n302,0.3806,0.6155\n303,7e-04,1\n",
    sniff=sniff,
    read=read,
    fallback=True,
    names_measures=False,
)
