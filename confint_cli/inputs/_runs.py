"""TREC run files: `topic Q0 document rank score tag`."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from confint_cli.errors import DataError
from confint_cli.inputs._fields import chunks, comments, decode, decode_all
from confint_cli.inputs._format import Head
from confint_cli.inputs._regular import numbers_in, regular_words
from confint_cli.inputs._source import Source
from confint_cli.text import looks_numeric, number, quoted, why_no_number

Ranking = dict[str, float]

_HINTS = {
    3: "does it hold scores already? then leave --qrels out",
    4: "are --qrels and the run swapped?",
}


MOST_TAGS = 1000
"""A run should have one; whoever has more than these gets no others counted."""


@dataclass(frozen=True)
class Run:
    """A run: its tags, of which there should be one, and each topic's documents with scores."""

    tags: tuple[str, ...]
    rankings: dict[str, Ranking]


def sniff(head: Head) -> bool:
    """Six fields or more, the rank and the score numbers."""
    rows = [line.split() for line in head.lines if not _is_comment(line.encode())]
    return bool(rows) and all(
        len(row) >= 6 and looks_numeric(row[3]) and looks_numeric(row[4]) for row in rows
    )


def read_run(source: Source) -> Run:
    """Read a run. Ranks are ignored, scores decide; fields after the tag are ignored too."""
    rankings: dict[str, Ranking] = {}
    tags: dict[bytes, None] = {}
    for first_line, chunk in chunks(source.data):
        rows = _regular_rows(chunk) or _rows_line_by_line(source, first_line, chunk)
        if len(tags) < MOST_TAGS:
            tags |= dict.fromkeys(rows.tags)
        _add(source, rows, rankings)
    if not rankings:
        raise DataError(source.name, "holds no documents")
    return Run(tuple(map(decode, islice(tags, MOST_TAGS))), rankings)


@dataclass(frozen=True)
class _Rows:
    """Some lines of a run, a column a list."""

    topics: list[bytes]
    documents: list[bytes]
    scores: list[float]
    tags: list[bytes]


def _regular_rows(chunk: bytes) -> _Rows | None:
    """Return the rows of lines that are all alike, or None where something is odd."""
    columns = regular_words(chunk, 6)
    if columns is None:
        return None
    columns = [columns[place] for place in (0, 2, 4, 5)]
    if not all(column.are_even() for column in columns):
        return None
    topics, documents, scores, tags = (column.texts() for column in columns)
    numbers = numbers_in(scores)
    if numbers is None:
        return None
    return _Rows(topics.tolist(), documents.tolist(), numbers.tolist(), tags.tolist())


def _rows_line_by_line(source: Source, first_line: int, chunk: bytes) -> _Rows:
    topics, documents, scores, tags = [], [], [], []
    for line, row in _lines_of_words(source, first_line, chunk):
        topics.append(row[0])
        documents.append(row[2])
        scores.append(_score(source, line, decode(row[4])))
        tags.append(row[5])
    return _Rows(topics, documents, scores, tags)


def documents_in_comments(source: Source) -> int:
    """Return how many comments might as well be documents, of topics that begin with #."""
    return sum(
        len(row) == 6 and looks_numeric(decode(row[3])) and looks_numeric(decode(row[4]))
        for row in comments(source.data)
    )


def _is_comment(line: bytes) -> bool:
    """Comments as trec_eval has them, and the description that NTCIR puts in front."""
    return line.startswith((b"#", b"<SYSDESC>"))


def _lines_of_words(
    source: Source, first_line: int, chunk: bytes
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield each line's number and fields, without comments and blank lines."""
    for place, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or _is_comment(line):
            continue
        if len(row) < 6:
            raise source.error(
                place,
                "6 fields are needed (topic, Q0, document, rank, score, tag), "
                f"not {len(row)}: {quoted(decode(line))}",
                _hint(source, place, len(row)),
            )
        yield place, row


def _hint(source: Source, line: int, fields: int) -> str:
    """Say what may be the reason of too few fields."""
    if line > 1 and not source.data.endswith(b"\n") and line == source.data.count(b"\n") + 1:
        return "the last line has no end: was the file cut short?"
    return _HINTS.get(fields, "") if line == 1 else ""


def _score(source: Source, line: int, text: str) -> float:
    try:
        return number(text)
    except ValueError:
        problem = f"the score is {why_no_number(text)}: {quoted(text)}"
        raise source.error(line, problem) from None


def _add(source: Source, rows: _Rows, rankings: dict[str, Ranking]) -> None:
    """Add rows to the rankings; a whole topic at a time, as files come sorted by topic."""
    documents = decode_all(rows.documents)
    end = 0
    for topic, group in groupby(rows.topics):
        start, end = end, end + sum(1 for _ in group)
        ranking = rankings.setdefault(decode(topic), {})
        expected = len(ranking) + end - start
        ranking.update(zip(documents[start:end], rows.scores[start:end], strict=True))
        if len(ranking) != expected:
            raise _document_twice(source)


def _document_twice(source: Source) -> DataError:
    """Return the error for the first document that comes a second time for its topic."""
    seen: set[tuple[bytes, bytes]] = set()
    for line, row in _lines_of_words(source, 1, source.data):
        key = row[0], row[2]
        if key in seen:
            topic, document = map(decode, key)
            return source.error(
                line, f"document {quoted(document)} comes twice for topic {quoted(topic)}"
            )
        seen.add(key)
    raise AssertionError("some document came twice")
