"""A row a topic and a column a measure: `query_id,ap,ndcg@3`."""

from collections.abc import Iterator

from confint_cli.inputs._columns import (
    RUN,
    SCORE,
    TABLE_RULES,
    TOPIC,
    check_width,
    header_of,
    open_table,
)
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._rows import Row, collect
from confint_cli.inputs._source import Source
from confint_cli.measures import is_known


def sniff(head: Head) -> bool:
    """The first column is the topic, and among the others is a known measure."""
    header = header_of(head)
    return (
        header is not None
        and len(header.cells) > 1
        and header.folded[0] in TOPIC
        and header.find(RUN) is None
        and any(is_known(cell) or cell in SCORE for cell in header.cells[1:])
        and (len(header.cells) == 2 or header.find(SCORE) is None)
    )


def read(source: Source, reader: Reader) -> Reading:
    """Read row by row."""
    return collect(source, _rows(source), reader, TABLE_RULES)


def _rows(source: Source) -> Iterator[Row]:
    header, rows = open_table(source)
    for line, cells in rows:
        check_width(source, line, cells, len(header.cells))
        for measure, value in zip(header.cells[1:], cells[1:], strict=True):
            yield line, None, measure, cells[0].strip(), value.strip()


FORMAT = Format(
    summary="per-query CSV: a row for each topic, a column for each measure",
    explanation="""\
A header whose first cell is query_id (or topic, query, qid) and whose others are measures; then
a row for each topic. The run is named by the file. A table whose columns are runs is
topic_by_run: where the header has no known measure, it is taken for that.""",
    example="query_id,precision@3,ap\nq_1,0.6667,0.5833\nq_2,0.3333,1.0\n",
    sniff=sniff,
    read=read,
)
