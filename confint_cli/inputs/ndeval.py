"""`runid,topic,measure,measure`: the CSV of ndeval and gdeval."""

from collections.abc import Iterator

from confint_cli.inputs._columns import RUN, SCORE, TOPIC, check_width, header_of, open_table
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._rows import Row, Rules, collect
from confint_cli.inputs._source import Source

_RULES = Rules(summary=frozenset({"amean"}), expects_summary=True)


def sniff(head: Head) -> bool:
    """The header begins with a run and a topic, and what follows are measures."""
    header = header_of(head)
    return (
        header is not None
        and len(header.cells) > 2
        and header.folded[0] in RUN
        and header.folded[1] in TOPIC
        and header.find(SCORE) is None
    )


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; the row of topic `amean` is the file's own mean."""
    return collect(source, _rows(source), reader, _RULES)


def _rows(source: Source) -> Iterator[Row]:
    header, rows = open_table(source)
    width = len(header.cells)
    if width < 3:
        raise source.error(1, "the header needs columns for run, topic and at least one measure")
    for line, cells in rows:
        if len(cells) < width:
            check_width(source, line, cells, width)
        # gdeval's risk mode puts blanks, commas and brackets into the run, without quotes.
        extra = len(cells) - width + 1
        run = header.delimiter.join(cells[:extra]).strip()
        topic, *values = (cell.strip() for cell in cells[extra:])
        for measure, value in zip(header.cells[2:], values, strict=True):
            yield line, run, measure, topic, value


FORMAT = Format(
    summary="ndeval and gdeval CSV: runid, topic, a column for each measure",
    explanation="""\
What ndeval and gdeval.pl print: a header runid,topic and the measures, then a row for each run
and topic. The row of topic amean is the file's own mean and is checked against its topics. The
run is the first column; commas and brackets in it, as gdeval's risk mode has, do no harm.""",
    example="runid,topic,ndcg@20,err@20\nindri,151,0.21742,0.36437\nindri,152,0.00000,0.00000\n"
    "indri,amean,0.10871,0.18219\n",
    sniff=sniff,
    read=read,
)
