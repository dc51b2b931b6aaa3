"""`topic name= value`: NTCIREVAL's .nev and .Dnev files, and pyNTCIREVAL's output."""

import re
from collections.abc import Iterator

from confint_cli.common.text import quoted
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, collect
from confint_cli.inputs.source import Source

# A comment's `#` stands after the topic (`0001 #intent_num=3`); a name may hold one (`D#-nDCG`).
_COMMENT = re.compile(r"\S*\s+#|#")
_LINE = re.compile(r"(?P<topic>\S*)\s+(?P<measure>[^\s=#][^\s=]*)=\s*(?P<value>\S+)\s*")

ONLY_TOPIC = "1"
"""The name of the topic where a file leaves it empty, as tools do that evaluate one topic."""


def sniff(head: Head) -> bool:
    """Say whether half of the lines or more, without comments, are `topic name= value`."""
    if not any("=" in line for line in head.lines):
        return False
    lines = [line for line in head.lines if not _COMMENT.match(line)]
    matching = sum(_LINE.fullmatch(line) is not None for line in lines)
    return matching > 0 and matching >= len(lines) / 2


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line."""
    return collect(source, _rows(source), reader)


def _rows(source: Source) -> Iterator[Row]:
    for number, line in source.lines():
        if _COMMENT.match(line):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise source.error(number, f"a line has to be 'topic name= value', not {quoted(line)}")
        topic, measure, value = match["topic"], match["measure"], match["value"]
        yield number, None, measure, topic or ONLY_TOPIC, value


FORMAT = Format(
    summary="topic, name= value: .nev and .Dnev of NTCIREVAL, pyNTCIREVAL",
    explanation="""\
What NTCIREVAL writes for a run (.nev, and .Dnev for diversity), and what pyNTCIREVAL prints. Lines
whose second field begins with # are comments; the # in a name such as D#-nDCG@0010 is part of the
name. If the topic is empty, there is only one topic, and it is called 1. You can ask for cutoffs
without their zeros: -m MSnDCG@10. The run gets the name of the file.""",
    example="0001 # syslen=993 jrel=93 jnonrel=360\n"
    "0001 AP=                  0.0919\n0001 MSnDCG@0010=         0.2900\n"
    "0002 AP=                  0.0703\n0002 MSnDCG@0010=         0.1389\n",
    sniff=sniff,
    read=read,
)
