"""One row per topic and one column per measure: `query_id,ap,ndcg@3`."""

from collections.abc import Iterator
from dataclasses import replace

from confint_cli.inputs.layout import PER_QUERY, Layout, fit_of, layout_of, problem_with
from confint_cli.inputs.reading import Format, Reader, Reading
from confint_cli.inputs.rows import Row, collect, owner_of
from confint_cli.inputs.source import Source


def read(source: Source, reader: Reader) -> Reading:
    """Read row by row."""
    return read_rows(layout_of(source, reader, PER_QUERY), reader)


def read_rows(layout: Layout, reader: Reader) -> Reading:
    """Read a table whose layout is known, row by row."""
    reading = collect(layout.table.origin, _rows(layout), reader, layout.rules)
    return replace(layout.told_of(reading), counted=layout.counted)


def _rows(layout: Layout) -> Iterator[Row]:
    columns = [*zip(layout.names, layout.values, strict=True)]
    for number, (line, cells) in enumerate(layout.rows(), start=1):
        topic = str(number) if layout.topic is None else cells[layout.topic].strip()
        owner = owner_of(None, layout.labels_of(cells))
        for measure, place in columns:
            yield line, owner, measure, topic, cells[place].strip()


FORMAT = Format(
    summary="per-query table: a row for each topic, a column for each measure",
    explanation="""\
A header that names the column of topics (qid, query_id, topic, question_id, id, …) and the
measures, then one row for each topic, separated by commas, tabs or semicolons. The run gets the
name of the file. Columns that name collections, repeats or groups are read as in long tables.

Two kinds of columns are left out:

- row numbers in a first column without a name, as pandas and R write them
- texts, such as the questions and answers in tables of RAG tools

confint reads columns as measures if one of them has the name of a measure, and as runs otherwise
(topic_by_run). Where the names leave it open, a message says so. To settle it, use --input-format,
or an option that names a column: -m for a measure, --baseline for a run.""",
    example="query_id,precision@3,ap\nq_1,0.6667,0.5833\nq_2,0.3333,1.0\n",
    sniff=fit_of(PER_QUERY),
    read=read,
    doubt=problem_with,
    is_table=True,
)
