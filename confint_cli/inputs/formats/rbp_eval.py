"""`p= 0.80 q= 303 d= 10 rbp= 0.5352 +0.1074`: rbp_eval -q."""

import re
from collections.abc import Iterator

from confint_cli.common.measures import residual_named
from confint_cli.common.text import quoted
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, Rules, collect
from confint_cli.inputs.source import Source

_LINE = re.compile(
    r"\s*p=\s*(?P<p>\S+)\s+q=\s*(?P<topic>\S+)\s+d=\s*(?P<depth>\S+)\s+rbp=\s*(?P<value>\S+)(?:\s*\+(?P<more>\S+))?.*"
)


def sniff(head: Head) -> bool:
    """Say whether some line has all the labels."""
    return any(map(_LINE.fullmatch, head.lines))


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; the residual behind the value goes with its measure."""
    return collect(source, _rows(source), reader, Rules(expects_summary=True))


def _rows(source: Source) -> Iterator[Row]:
    for number, line in source.lines():
        if line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise source.error(number, f"a line needs 'p= q= d= rbp=', not {quoted(line)}")
        depth = "" if match["depth"] == "full" else f"@{match['depth']}"
        measure = f"RBP(p={match['p']}){depth}"
        yield number, None, measure, match["topic"], match["value"]
        if match["more"] is not None:
            yield number, None, residual_named(measure), match["topic"], match["more"]


FORMAT = Format(
    summary="p= q= d= rbp=: what rbp_eval prints with -q",
    explanation="""\
What rbp_eval prints with -q. Each persistence and depth is a measure: RBP(p=0.80)@10, and
RBP(p=0.80) for the full depth. The value is the lower bound that rbp_eval prints. The residual
after it says how much larger the value could be, and confint uses it for --unjudged bounds. The
rows of topic 'all' are the file's own means. The run gets the name of the file.""",
    example="# rbp_eval version: 0.2\n"
    "p= 0.80 q=  303 d=   10 rbp= 0.5352 +0.1074\n"
    "p= 0.80 q=  304 d=   10 rbp= 0.2500 +0.1074\n"
    "p= 0.80 q=  all d=   10 rbp= 0.3926 +0.1074\n",
    sniff=sniff,
    read=read,
)
