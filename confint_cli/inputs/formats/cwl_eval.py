"""`topic measure EU ETU EC ETC ED`: cwl_eval, of whose five values the expected utility is read."""

from collections.abc import Iterator

from confint_cli.common.text import looks_numeric, quoted
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, collect
from confint_cli.inputs.source import Source

_VALUES = ("EU", "ETU", "EC", "ETC", "ED")


def sniff(head: Head) -> bool:
    """Say whether half the lines have seven fields by tabs, the last five its header or numbers."""
    return head.share(_is_row) >= 0.5


def _is_row(line: str) -> bool:
    if line.count("\t") < 6:
        return False
    fields = line.rstrip().split("\t")
    if len(fields) != 7:
        return False
    return tuple(fields[2:]) == _VALUES or all(map(looks_numeric, fields[2:]))


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line the expected utility, and those of the other values that are asked for."""
    return collect(source, _rows(source, _kinds_asked_for(reader)), reader)


def _kinds_asked_for(reader: Reader) -> list[str]:
    """Return those of `_VALUES` that some requested measure ends with, as `AP:ETU` does."""
    requests = [name.strip() for request in reader.requested for name in request.split(",")]
    return [kind for kind in _VALUES if any(name.endswith(f":{kind}") for name in requests)]


def _rows(source: Source, kinds: list[str]) -> Iterator[Row]:
    """Yield a row for the expected utility of a line, and one for each of the other `kinds`."""
    for number, line in source.lines():
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 7:
            raise source.error(
                number,
                "7 fields are needed (topic, measure, EU, ETU, EC, ETC, ED), "
                f"not {len(fields)}: {quoted(line)}",
            )
        topic, measure, *values = fields
        if tuple(values) == _VALUES:
            continue
        yield number, None, measure, topic, values[0]
        for kind in kinds:
            yield number, None, f"{measure}:{kind}", topic, values[_VALUES.index(kind)]


FORMAT = Format(
    summary="topic, measure and five values: EU, ETU, EC, ETC, ED",
    explanation="""\
What cwl-eval prints, with its header (-n) or without. Of the five values the expected utility
(EU) is the measure's score; the others are read when asked for by name: -m AP:ETU. The run is
named by the file.""",
    example="Topic\tMetric\tEU\tETU\tEC\tETC\tED\n"
    "51\tP@1\t1.0000\t1.0000\t1.0000\t1.0000\t1.0000\n"
    "51\tAP\t0.6806\t5.9578\t1.0000\t8.7543\t8.7543\n"
    "52\tP@1\t0.0000\t0.0000\t1.0000\t1.0000\t1.0000\n"
    "52\tAP\t0.8589\t34.9540\t1.0000\t40.6969\t40.6969\n",
    sniff=sniff,
    read=read,
)
