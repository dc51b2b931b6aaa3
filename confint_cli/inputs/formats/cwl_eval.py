"""`topic measure EU ETU EC ETC ED`: what cwl_eval prints. Scores are the expected utility, EU."""

from collections.abc import Iterator, Sequence

from confint_cli.common.measures import residual_named
from confint_cli.common.text import looks_numeric, quoted
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, collect
from confint_cli.inputs.source import Source

_VALUES = ("EU", "ETU", "EC", "ETC", "ED")
_RESIDUALS = tuple(f"Res{name}" for name in _VALUES)
_WIDTHS = (7, 12)  # fields of a line, without residuals and with these


def sniff(head: Head) -> bool:
    """Say whether half the lines are topic, measure, and five or ten numbers, or their names."""
    return head.share(_is_row) >= 0.5


def _is_row(line: str) -> bool:
    if line.count("\t") < 6:
        return False
    fields = line.rstrip().split("\t")
    if len(fields) not in _WIDTHS:
        return False
    return _are_names(fields[2:]) or all(map(looks_numeric, fields[2:]))


def _are_names(fields: Sequence[str]) -> bool:
    """Say whether these are the last names of a header."""
    return tuple(fields) in (_VALUES, _VALUES + _RESIDUALS)


def read(source: Source, reader: Reader) -> Reading:
    """Read the expected utility of each line, and the other values that are asked for."""
    return collect(source, _rows(source, _kinds_asked_for(reader)), reader)


def _kinds_asked_for(reader: Reader) -> list[str]:
    """Return those of `_VALUES` that some requested measure ends with, as `AP:ETU` does."""
    requests = [name.strip() for request in reader.requested for name in request.split(",")]
    return [kind for kind in _VALUES if any(name.endswith(f":{kind}") for name in requests)]


def _rows(source: Source, kinds: list[str]) -> Iterator[Row]:
    """Yield a row for the expected utility of a line, and one for each of the other `kinds`.

    Residuals go with their measures.
    """
    for number, line in source.lines():
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) not in _WIDTHS:
            raise source.error(
                number,
                "7 fields are needed (topic, measure, EU, ETU, EC, ETC, ED), or 12 with residuals, "
                f"not {len(fields)}: {quoted(line)}",
            )
        topic, measure, *values = fields
        if _are_names(values):
            continue
        named = {measure: 0} | {f"{measure}:{kind}": _VALUES.index(kind) for kind in kinds}
        for name, place in named.items():
            yield number, None, name, topic, values[place]
            if len(values) > len(_VALUES):
                residual = values[len(_VALUES) + place]
                yield number, None, residual_named(name), topic, residual


FORMAT = Format(
    summary="topic, measure and five values: EU, ETU, EC, ETC, ED",
    explanation="""\
What cwl-eval prints, with its header (-n) or without. confint uses the expected utility (EU) as the
score of a measure. To use one of the other four values, name it: -m AP:ETU.

With -r, cwl-eval prints five residuals as well. They say how much larger each value could be, and
confint uses them for --unjudged bounds. The run gets the name of the file.""",
    example="Topic\tMetric\tEU\tETU\tEC\tETC\tED\n"
    "51\tP@1\t1.0000\t1.0000\t1.0000\t1.0000\t1.0000\n"
    "51\tAP\t0.6806\t5.9578\t1.0000\t8.7543\t8.7543\n"
    "52\tP@1\t0.0000\t0.0000\t1.0000\t1.0000\t1.0000\n"
    "52\tAP\t0.8589\t34.9540\t1.0000\t40.6969\t40.6969\n",
    sniff=sniff,
    read=read,
)
