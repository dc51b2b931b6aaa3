"""Relevance judgements: TREC's `topic iteration document grade`, NTCIR's `topic document L2`."""

import re
from collections.abc import Iterator

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.reading import Head
from confint_cli.inputs.regular import regular_words
from confint_cli.inputs.source import Source, chunks, comments, decode, decode_all

Judgements = dict[str, dict[str, int]]
"""The grade of each document, by topic and document."""

_MEAN = "all"  # a topic's scores under this name would be taken for means when they are read
_GRADE = re.compile(rb"[+-]?[0-9]{1,4}")  # trec_eval makes tables as large as the highest grade
_NTCIR_GRADE = re.compile(rb"L(-?[0-9]{1,4})")


def sniff(head: Head) -> bool:
    """Say whether every line is a judgement or a comment."""
    lines = [line for line in head.lines if not line.startswith("#")]
    return bool(lines) and all(_parse(line.encode().split()) is not None for line in lines)


def read_judgements(source: Source) -> Judgements:
    """Return the judgements of a file, in the format of TREC or of NTCIR."""
    judgements: Judgements = {}
    for first_line, chunk in chunks(source.data):
        for line, topic, document, grade in _rows(source, first_line, chunk):
            grades = judgements.get(topic)
            if grades is None:
                grades = judgements[topic] = {}
            if document in grades:
                raise source.error(
                    line, f"document {quoted(document)} is judged twice for topic {quoted(topic)}"
                )
            grades[document] = grade
    if not judgements:
        raise DataError(source.name, "holds no judgements")
    if _MEAN in judgements:
        raise DataError(
            source.name,
            f"has a topic that is called '{_MEAN}'",
            "that is what tools call the mean of all topics: rename it, in the runs too",
        )
    return judgements


def judgements_in_comments(source: Source) -> int:
    """Return how many comments might as well be judgements, of topics that begin with #."""
    return sum(_parse(row) is not None for row in comments(source.data))


def _rows(source: Source, first_line: int, chunk: bytes) -> Iterator[tuple[int, str, str, int]]:
    """Yield the line number, topic, document and grade of each judgement in a chunk of a file."""
    columns = regular_words(chunk, 4)
    if columns is not None and all(column.are_even() for column in columns):
        topics, documents, grades = (columns[place].texts().tolist() for place in (0, 2, 3))
        if all(map(_GRADE.fullmatch, set(grades))):
            lines = range(first_line, first_line + len(topics))
            values = map(int, grades)
            yield from zip(lines, decode_all(topics), decode_all(documents), values, strict=True)
            return
    for number, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or line.startswith(b"#"):
            continue
        parsed = _parse(row)
        if parsed is None:
            raise _malformed(source, number, line, len(row))
        yield number, *parsed


def _parse(row: list[bytes]) -> tuple[str, str, int] | None:
    """Return topic, document and grade, or None if the words of a line are no judgement."""
    if len(row) == 4 and _GRADE.fullmatch(row[3]):
        return decode(row[0]), decode(row[2]), int(row[3])
    if len(row) == 3 and (match := _NTCIR_GRADE.fullmatch(row[2])):
        return decode(row[0]), decode(row[1]), int(match[1])
    return None


def _malformed(source: Source, number: int, line: bytes, fields: int) -> DataError:
    """Return the error for a line that is no judgement and has `fields` words."""
    shown = quoted(decode(line))
    if fields == 4:
        return source.error(number, f"the grade is no whole number from -9999 to 9999: {shown}")
    return source.error(
        number,
        "a judgement is 'topic iteration document grade' or NTCIR's 'topic document L2', "
        f"not {shown}",
        "are --qrels and the run swapped?" if fields >= 6 else "",
    )
