"""TREC run files: `topic Q0 document rank score tag`."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import AnyFloatArray, BoolArray, FloatArray, Positions
from confint_cli.common.errors import DataError
from confint_cli.common.text import looks_numeric, number, quoted, why_no_number
from confint_cli.inputs.reading import Head
from confint_cli.inputs.regular import numbers_in, regular_words
from confint_cli.inputs.source import Source, chunks, comments, decode, decode_all

Ranking = dict[str, float]
"""The score of each document."""

_HINTS = {
    3: "does it hold scores already? then leave --qrels out",
    4: "are --qrels and the run swapped?",
}

_COMMENTS = (b"#", b"<SYSDESC>")
"""How trec_eval's comments begin, and the description that NTCIR puts in front."""

_DIGITS = 15  # of a whole number that a double always holds exactly

MOST_TAGS = 1000
"""How many different tags of a run are kept; it should have one."""


@dataclass(frozen=True)
class Run:
    """A run: its tags, of which there should be one, and each topic's documents with scores.

    A topic is contradicted if two neighbouring lines of it are in one order by rank, and in the
    other one by score: whoever looks at the ranks sees another run than the one that is scored.
    """

    tags: tuple[str, ...]
    rankings: dict[str, Ranking]  # by topic
    contradicted: frozenset[str]  # topics


def sniff(head: Head) -> bool:
    """Say whether all lines have six fields or more, and numbers for rank and score."""
    rows = [line.split() for line in head.lines if not line.encode().startswith(_COMMENTS)]
    return bool(rows) and all(
        len(row) >= 6 and looks_numeric(row[3]) and looks_numeric(row[4]) for row in rows
    )


def read_run(source: Source) -> Run:
    """Return the run in a file. Scores count, not ranks; fields after the tag are ignored."""
    rankings: dict[str, Ranking] = {}
    tags: dict[bytes, None] = {}
    last: _LastLines = {}
    contradicted: set[str] = set()
    for first_line, chunk in chunks(source.data):
        rows = _regular_rows(chunk) or _rows_line_by_line(source, first_line, chunk)
        if len(tags) < MOST_TAGS:
            tags |= dict.fromkeys(rows.tags)
        _add(source, rows, rankings)
        contradicted |= _contradicted_topics(rows, last)
    if not rankings:
        raise DataError(source.name, "holds no documents")
    names = tuple(map(decode, islice(tags, MOST_TAGS)))
    return Run(names, rankings, frozenset(contradicted))


@dataclass(frozen=True)
class _Rows:
    """Lines of a run as columns. Neighbouring lines of one topic make up a stretch."""

    topics: list[str]  # of each stretch
    borders: list[int]  # the first line of each stretch, and the number of lines
    documents: list[bytes]  # of each line
    ranks: FloatArray  # [line]; nan for what is no number
    scores: FloatArray  # [line]
    tags: list[bytes]  # every tag of the lines, at least once


def _regular_rows(chunk: bytes) -> _Rows | None:
    """Return the rows of lines that are all alike, or None where something is odd."""
    columns = regular_words(chunk, 6)
    if columns is None:
        return None
    del columns[1]
    if not all(column.are_even() for column in columns):
        return None
    topics, documents, ranks, scores, tags = (column.texts() for column in columns)
    numbers = numbers_in(scores)
    if numbers is None:
        return None
    starts = _starts(topics)
    return _Rows(
        decode_all(topics[starts].tolist()),
        [*starts.tolist(), topics.size],
        documents.tolist(),
        _whole_numbers(ranks) if _are_whole_numbers(ranks) else _ranks(ranks.tolist()),
        numbers,
        tags[_starts(tags)].tolist(),
    )


def _starts(texts: NDArray[np.bytes_]) -> Positions:
    """Return the lines whose text differs from that of the line before, and the first line."""
    return np.flatnonzero(np.concatenate([[True], texts[1:] != texts[:-1]]))


def _rows_line_by_line(source: Source, first_line: int, chunk: bytes) -> _Rows:
    """Return the rows of any lines; raise DataError for the first one that is faulty."""
    topics: list[bytes] = []
    starts: list[int] = []
    documents: list[bytes] = []
    ranks: list[bytes] = []
    scores: list[float] = []
    tags: list[bytes] = []
    topic = tag = None
    for line, row in _lines_of_words(source, first_line, chunk):
        if row[0] != topic:
            topic = row[0]
            topics.append(topic)
            starts.append(len(documents))
        documents.append(row[2])
        ranks.append(row[3])
        scores.append(_score(source, line, row[4]))
        if row[5] != tag:
            tag = row[5]
            tags.append(tag)
    borders = [*starts, len(documents)]
    return _Rows(decode_all(topics), borders, documents, _ranks(ranks), np.array(scores), tags)


def _are_whole_numbers(texts: NDArray[np.bytes_]) -> bool:
    """Say whether all texts are digits only, few enough for an exact double."""
    if texts.dtype.itemsize > _DIGITS:
        return False
    characters = texts.view(np.uint8)
    return bool(((characters - np.uint8(ord("0")) <= 9) | (characters == 0)).all())


def _whole_numbers(texts: NDArray[np.bytes_]) -> FloatArray:
    """Return the numbers that texts of digits show, [text], computed a digit at a time for all."""
    numbers = np.zeros(texts.size)
    for digits in texts.view(np.uint8).reshape(texts.size, -1).T:
        numbers = np.where(digits, numbers * 10 + digits - ord("0"), numbers)
    return numbers


def _ranks(texts: list[bytes]) -> FloatArray:
    """Return the ranks that the texts show, [line]; topics share texts, so each is parsed once."""
    known = {text: _rank(text) for text in set(texts)}
    return np.array([known[text] for text in texts])


def _rank(text: bytes) -> float:
    """Return a rank, or nan for what is no finite number: ranks matter for a warning only."""
    try:
        return number(text.decode())
    except ValueError:
        return math.nan


def documents_in_comments(source: Source) -> int:
    """Return how many comments might as well be documents, of topics that begin with #."""
    return sum(
        len(row) == 6 and looks_numeric(decode(row[3])) and looks_numeric(decode(row[4]))
        for row in comments(source.data)
    )


def _lines_of_words(
    source: Source, first_line: int, chunk: bytes
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number and the fields of each line, but not of comments and blank lines."""
    for line_number, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or line.startswith(_COMMENTS):
            continue
        if len(row) < 6:
            raise source.error(
                line_number,
                "6 fields are needed (topic, Q0, document, rank, score, tag), "
                f"not {len(row)}: {quoted(decode(line))}",
                _hint(source, line_number, len(row)),
            )
        yield line_number, row


def _hint(source: Source, line: int, fields: int) -> str:
    """Return a hint at why a line has too few `fields`, or an empty text."""
    if line > 1 and not source.data.endswith(b"\n") and line == source.data.count(b"\n") + 1:
        return "the last line has no end: was the file cut short?"
    return _HINTS.get(fields, "") if line == 1 else ""


def _score(source: Source, line: int, text: bytes) -> float:
    try:
        return number(text.decode())
    except ValueError:  # what is no UTF-8 is no number either
        shown = decode(text)
        problem = f"the score is {why_no_number(shown)}: {quoted(shown)}"
        raise source.error(line, problem) from None


def _add(source: Source, rows: _Rows, rankings: dict[str, Ranking]) -> None:
    """Add rows to the rankings, a stretch at a time; raise an error if a document comes twice."""
    documents = decode_all(rows.documents)
    scores = rows.scores.tolist()
    for topic, (start, end) in zip(rows.topics, pairwise(rows.borders), strict=True):
        ranking = rankings.setdefault(topic, {})
        expected = len(ranking) + end - start
        ranking.update(zip(documents[start:end], scores[start:end], strict=True))
        if len(ranking) != expected:
            raise _document_twice(source)


_LastLines = dict[str, tuple[float, float]]
"""The rank and the score of each topic's last line so far."""

_NO_LINE = (math.nan, math.nan)  # NaN is neither above nor below any other number


def _contradicted_topics(rows: _Rows, last: _LastLines) -> set[str]:
    """Return the topics whose ranks contradict their scores; remember their lines in `last`.

    Each line is compared with the one before it of its topic, wherever that is in the file, so
    that it makes no difference how the file is cut into chunks. Scores are compared in single
    precision, as by trec_eval: those that differ less are tied, and contradict no rank.
    """
    topics, starts, order = _by_topic(rows)
    if not topics:
        return set()
    ranks, scores = rows.ranks[order], _in_single_precision(rows.scores[order])
    before = np.array([last.get(topic, _NO_LINE) for topic in topics])
    contradicts = np.empty(ranks.size, dtype=np.bool_)
    contradicts[1:] = _contradict(ranks[:-1], scores[:-1], ranks[1:], scores[1:])
    contradicts[starts] = _contradict(before[:, 0], before[:, 1], ranks[starts], scores[starts])
    ends = np.append(starts[1:], ranks.size) - 1
    lines = zip(ranks[ends].tolist(), scores[ends].tolist(), strict=True)
    last.update(zip(topics, lines, strict=True))
    return {topics[place] for place in np.flatnonzero(np.logical_or.reduceat(contradicts, starts))}


def _by_topic(rows: _Rows) -> tuple[list[str], Positions, Positions | slice]:
    """Return the topics, where the lines of each start when sorted by topic, and that order."""
    starts = np.array(rows.borders[:-1], dtype=np.intp)
    places = {topic: place for place, topic in enumerate(dict.fromkeys(rows.topics))}
    if len(places) == len(starts):  # as in most files
        return rows.topics, starts, slice(None)
    topic_of_stretch = np.array([places[topic] for topic in rows.topics])
    topic_of_line = np.repeat(topic_of_stretch, np.diff(rows.borders))
    order = np.argsort(topic_of_line, kind="stable")
    return [*places], np.searchsorted(topic_of_line[order], np.arange(len(places))), order


def _in_single_precision(scores: FloatArray) -> AnyFloatArray:
    """Return scores as trec_eval holds them; those that are too large for it are infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32)


def _contradict(
    ranks: FloatArray, scores: AnyFloatArray, other_ranks: FloatArray, other_scores: AnyFloatArray
) -> BoolArray:
    """Return in which pairs of lines one has the better rank and the lower score (bool, [pair])."""
    better = (ranks < other_ranks) & (scores < other_scores)
    worse = (ranks > other_ranks) & (scores > other_scores)
    result: BoolArray = better | worse
    return result


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
