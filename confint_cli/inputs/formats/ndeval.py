"""`runid,topic,measure,measure`: a row for each run and topic, as ndeval and gdeval write them."""

from collections.abc import Iterator
from dataclasses import replace

from confint_cli.inputs.header import check_width
from confint_cli.inputs.layout import SYSTEMS, Layout, fit_of, layout_of, problem_with
from confint_cli.inputs.reading import Format, Reader, Reading
from confint_cli.inputs.rows import Row, Rules, collect, owner_of
from confint_cli.inputs.source import Source


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; the row of topic `amean` is the file's own mean."""
    return read_rows(layout_of(source, reader, SYSTEMS), reader)


def read_rows(layout: Layout, reader: Reader) -> Reading:
    """Read a table whose layout is known, row by row."""
    return layout.told_of(collect(layout.table.origin, _rows(layout), reader, rules_of(layout)))


def rules_of(layout: Layout) -> Rules:
    """Return what the rows of the table mean; those of the tools themselves end with a mean."""
    rules = replace(layout.rules, hint="")
    return replace(rules, expects_summary=True) if _is_of_the_tools(layout) else rules


def _is_of_the_tools(layout: Layout) -> bool:
    return layout.header.folded[:2] == ["runid", "topic"]


def _rows(layout: Layout) -> Iterator[Row]:
    """Yield a row for each measure of a line; the run in its first column may hold separators."""
    width = len(layout.header.cells)
    columns = [*zip(layout.names, layout.values, strict=True)]
    run_at, topic_at = layout.run, layout.topic
    assert run_at is not None
    assert topic_at is not None
    for line, cells in layout.table.content.rows():
        if len(cells) < width or not _is_of_the_tools(layout):
            check_width(layout.table.origin, line, cells, width)
        # gdeval's risk mode puts blanks, commas and brackets into the run, without quotes.
        extra = len(cells) - width + 1
        cells = [layout.header.delimiter.join(cells[:extra]), *cells[extra:]]
        run, topic = cells[run_at].strip(), cells[topic_at].strip()
        owner = owner_of(run, layout.labels_of(cells))
        for measure, place in columns:
            yield line, owner, measure, topic, cells[place].strip()


FORMAT = Format(
    summary="systems by measures: run, topic, a column for each measure (ndeval, gdeval)",
    explanation="""\
What ndeval and gdeval.pl print: a header with runid, topic and the measures, then one row for each
run and topic. The row of topic amean is the file's own mean, and confint checks it against the
topics. The run is in the first column; commas and brackets in its name, as gdeval's risk mode
writes them, do no harm.

confint reads any other table in the same way, if it has these columns, in any order:

- a column of runs: run, runid, system, name or model
- a column of topics: qid, query_id, topic, …
- columns of measures

Columns that name collections, repeats or groups are read as in long tables. Row numbers in a first
column without a name, and columns of texts, are left out.""",
    example="runid,topic,ndcg@20,err@20\nindri,151,0.21742,0.36437\nindri,152,0.00000,0.00000\n"
    "indri,amean,0.10871,0.18219\n",
    sniff=fit_of(SYSTEMS),
    read=read,
    doubt=problem_with,
    is_table=True,
)
