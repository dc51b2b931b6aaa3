"""Relevance judgements: TREC's `topic iteration document grade`, NTCIR's `topic document L2`.

ir_datasets exports `topic document grade iteration`; tables and JSON are read by `documents.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from confint_cli.common.errors import DataError
from confint_cli.common.measures import looks_like_a_measure
from confint_cli.common.text import looks_numeric, quoted
from confint_cli.inputs.documents import JUDGEMENTS, SWAPPED, read_documents
from confint_cli.inputs.reading import Head, head_of
from confint_cli.inputs.regular import regular_words
from confint_cli.inputs.rows import is_whole
from confint_cli.inputs.source import Source, chunks, comments, decode, decode_all

Judgements = dict[str, dict[str, int]]
"""The grade of each document, by topic and document."""

_MEAN = "all"  # a topic's scores under this name would be read as means
_GRADE = re.compile(rb"[+-]?[0-9]{1,4}")  # trec_eval makes tables as large as the highest grade
_SMALL_GRADE = re.compile(r"-?[0-9]")
_NTCIR_GRADE = re.compile(rb"L(-?[0-9]{1,4})")


def sniff(head: Head) -> bool:
    """Say whether every line is a judgement or a comment."""
    lines = [line for line in head.lines if not line.startswith("#")]
    return bool(lines) and all(_parse(line.encode().split(), _TREC) is not None for line in lines)


def read_judgements(source: Source) -> Judgements:
    """Return the judgements of a file, in lines of words, a table or JSON."""
    found = read_documents(source, JUDGEMENTS)
    if found is not None:
        judgements: Judgements = {
            topic: {document: int(grade) for document, grade in grades.items()}
            for topic, grades in found.numbers.items()
        }
    else:
        judgements = _read_lines(source)
    if not judgements:
        raise DataError(source.name, "holds no judgements")
    if _MEAN in judgements:
        raise DataError(
            source.name,
            f"has a topic that is called '{_MEAN}'",
            "tools use this name for the mean of all topics: rename the topic, in the runs too",
        )
    return judgements


def _read_lines(source: Source) -> Judgements:
    """Return the judgements in lines of words."""
    places = _places(source)
    judgements: Judgements = {}
    for first_line, chunk in chunks(source.data):
        for line, topic, document, grade in _rows(source, first_line, chunk, places):
            grades = judgements.get(topic)
            if grades is None:
                grades = judgements[topic] = {}
            if document in grades:
                raise source.error(
                    line, f"document {quoted(document)} is judged twice for topic {quoted(topic)}"
                )
            grades[document] = grade
    return judgements


def read_subtopics(source: Source) -> list[tuple[str, str, str, int]]:
    """Return topic, subtopic, document and grade of each judgement, in TREC's layout.

    The subtopic is the second word. Raise an error for a document that comes twice for one.
    """
    if read_documents(source, JUDGEMENTS) is not None or _places(source) != _TREC:
        problem = "has no subtopics: each line has to be 'topic subtopic document grade'"
        raise DataError(source.name, problem)
    rows: dict[tuple[str, str, str], int] = {}
    for number, line in enumerate(source.data.split(b"\n"), start=1):
        words = line.split()
        if not words or line.startswith(b"#"):
            continue
        parsed = _parse(words, _TREC)
        if parsed is None or len(words) != 4:
            raise _malformed(source, number, line, len(words))
        topic, document, grade = parsed
        key = topic, decode(words[1]), document
        if key in rows:
            problem = (
                f"document {quoted(document)} is judged twice for a subtopic of {quoted(topic)}"
            )
            raise source.error(number, problem)
        rows[key] = grade
    return [(*key, grade) for key, grade in rows.items()]


@dataclass(frozen=True)
class _Places:
    """Which word of a judgement is what."""

    document: int
    grade: int


_TREC, _IR_DATASETS = _Places(2, 3), _Places(1, 2)


def _places(source: Source) -> _Places:
    """Return which words are documents and grades: those of TREC, or as ir_datasets exports them.

    Raise an error for a run in MS MARCO's layout, which has four words too. In all three the first
    word is the topic. If the second is always the same, as TREC's iteration is, the third is the
    document. Otherwise, if the third could always be a grade and the fourth is always the same,
    these are grade and iteration; if the third counts 1, 2, 3 … it is a rank.
    """
    rows = [line.split() for line in head_of(source).lines if not line.startswith("#")]
    rows = [row for row in rows if len(row) == 4]
    if len(rows) < 2 or len({row[1] for row in rows}) == 1:
        return _TREC
    thirds = [row[2] for row in rows]
    if all(map(_SMALL_GRADE.fullmatch, thirds)) and len({row[3] for row in rows}) == 1:
        return _IR_DATASETS
    if not all(map(is_whole, thirds)):
        return _TREC
    ranks: dict[str, list[int]] = {}
    for row in rows:
        ranks.setdefault(row[0], []).append(int(row[2][:9]))
    if all(these == [*range(these[0], these[0] + len(these))] and these[0] in (0, 1)
           for these in ranks.values()):  # fmt: skip
        problem = "looks like a run, 'topic document rank score', not like judgements"
        raise DataError(source.name, problem, SWAPPED)
    return _TREC


def judgements_in_comments(source: Source) -> int:
    """Return how many comments might as well be judgements, of topics that begin with #."""
    return sum(_parse(row, _TREC) is not None for row in comments(source.data))


def _rows(
    source: Source, first_line: int, chunk: bytes, places: _Places
) -> Iterator[tuple[int, str, str, int]]:
    """Yield the line number, topic, document and grade of each judgement in a chunk of a file."""
    columns = regular_words(chunk, 4)
    if columns is not None and all(column.are_even() for column in columns):
        topics, documents, grades = (
            columns[place].texts().tolist() for place in (0, places.document, places.grade)
        )
        if all(map(_GRADE.fullmatch, set(grades))):
            lines = range(first_line, first_line + len(topics))
            values = map(int, grades)
            yield from zip(lines, decode_all(topics), decode_all(documents), values, strict=True)
            return
    for number, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or line.startswith(b"#"):
            continue
        parsed = _parse(row, places)
        if parsed is None:
            raise _malformed(source, number, line, len(row))
        yield number, *parsed


def _parse(row: list[bytes], places: _Places) -> tuple[str, str, int] | None:
    """Return topic, document and grade, or None if a line is not a judgement."""
    if len(row) == 4 and _GRADE.fullmatch(row[places.grade]):
        return decode(row[0]), decode(row[places.document]), int(row[places.grade])
    if len(row) == 3 and (match := _NTCIR_GRADE.fullmatch(row[2])):
        return decode(row[0]), decode(row[1]), int(match[1])
    return None


def _may_be_ranked(row: list[bytes]) -> bool:
    """Say whether three words may be topic, document and rank or score, not a measure's value."""
    *names, value = map(decode, row)
    is_measure = any(looks_like_a_measure(name.removesuffix("=")) for name in names)
    return looks_numeric(value) and not is_measure


def _malformed(source: Source, number: int, line: bytes, fields: int) -> DataError:
    """Return the error for a line that is not a judgement and has `fields` words."""
    shown = quoted(decode(line))
    if fields == 4:
        problem = f"the grade is not a whole number from -9999 to 9999: {shown}"
        grade = decode(line.split()[3])
        may_be_a_score = looks_numeric(grade) and not is_whole(grade.lstrip("+-"))
        return source.error(number, problem, SWAPPED if may_be_a_score else "")
    return source.error(
        number,
        "a judgement has to be 'topic iteration document grade' or NTCIR's 'topic document L2', "
        f"not {shown}",
        _what_was_meant(line.split()),
    )


def _what_was_meant(row: list[bytes]) -> str:
    """Return a hint at what a line with too few or too many words may be; empty: who knows."""
    if len(row) == 3 and _GRADE.fullmatch(row[2]) and _may_be_ranked(row):
        return (
            "if these are topic, document and grade, put a 0 before the document; if they are a "
            "run, are --qrels and the run swapped?"
        )
    return SWAPPED if len(row) >= 6 or (len(row) == 3 and _may_be_ranked(row)) else ""
