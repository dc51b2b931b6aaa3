"""`topic measure value`: what ir_measures prints with -q. The topic comes first."""

from collections.abc import Iterator

from confint_cli.common.text import quoted
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, Rules, collect
from confint_cli.inputs.source import Source
from confint_cli.inputs.three_columns import measure_column, with_doubts


def sniff(head: Head) -> bool:
    """Say whether lines have three fields, of which the second is the measure."""
    return measure_column(head) == 1


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; the order of rows does not matter."""
    reading = collect(source, _rows(source), reader, Rules(expects_summary=True))
    return with_doubts(source, reading)


def _rows(source: Source) -> Iterator[Row]:
    for number, line in source.lines():
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 3:
            raise source.error(
                number,
                f"3 fields are needed (topic, measure, value), not {len(fields)}: {quoted(line)}",
            )
        topic, measure, value = (field.strip() for field in fields)
        yield number, None, measure, topic, value


FORMAT = Format(
    summary="topic, measure, value: what ir_measures prints with -q",
    explanation="""\
What the ir_measures command prints with -q: the topic first, then the measure and its value,
separated by tabs. Rows may come in any order. The rows of topic 'all' are the file's own means, and
confint checks them against the topics. The run gets the name of the file.""",
    example="301\tAP\t0.0324\n301\tP@10\t0.2000\n302\tAP\t0.4175\n302\tP@10\t0.7000\n"
    "all\tAP\t0.2250\nall\tP@10\t0.4500\n",
    sniff=sniff,
    read=read,
)
