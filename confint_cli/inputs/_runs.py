"""TREC run files: `topic Q0 document rank score tag`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from confint_cli.errors import DataError
from confint_cli.inputs._fields import chunks, columns, decode, decode_all
from confint_cli.inputs._format import Head
from confint_cli.inputs._source import Source
from confint_cli.text import looks_numeric, quoted

Ranking = dict[str, float]

_HINTS = {
    3: "does it hold scores already? then leave --qrels out",
    4: "are --qrels and the run swapped?",
}


@dataclass(frozen=True)
class Run:
    """A run: its tags, of which there should be one, and each topic's documents with scores."""

    tags: tuple[str, ...]
    rankings: dict[str, Ranking]


def sniff(head: Head) -> bool:
    """Six fields or more, the fifth a number."""
    rows = [line.split() for line in head.lines if not _is_comment(line.encode())]
    return bool(rows) and all(
        len(row) >= 6 and looks_numeric(row[3]) and looks_numeric(row[4]) for row in rows
    )


def read_run(source: Source) -> Run:
    """Read a run. Ranks are ignored, scores decide; fields after the tag are ignored too."""
    rankings: dict[str, Ranking] = {}
    every_tag: dict[bytes, None] = {}
    for first_line, chunk in chunks(source.data):
        fields = columns(chunk, 6, constant=(1, 5))
        lines: Sequence[int] = range(first_line, first_line + len(fields[0]) if fields else 0)
        by_line = fields is None or fields[0][0].startswith(b"#")
        if by_line:
            lines, rows = _rows(source, first_line, chunk)
            fields = [list(column) for column in zip(*rows, strict=True)]
        if fields:
            topics, _, documents, _, scores, tags = fields
            every_tag |= dict.fromkeys(tags if by_line else tags[:1])
            _add(source, lines, topics, documents, scores, rankings)
    if not rankings:
        raise DataError(source.name, "holds no documents")
    return Run(tuple(map(decode, every_tag)), rankings)


def _is_comment(line: bytes) -> bool:
    """Comments as trec_eval has them, and the description that NTCIR puts in front."""
    return line.startswith((b"#", b"<SYSDESC>"))


def _rows(source: Source, first_line: int, chunk: bytes) -> tuple[list[int], list[list[bytes]]]:
    """Return each line's number and first six fields, without comments and blank lines."""
    numbers, rows = [], []
    for number, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or _is_comment(line):
            continue
        if len(row) < 6:
            raise source.error(
                number,
                "6 fields are needed (topic, Q0, document, rank, score, tag), "
                f"not {len(row)}: {quoted(decode(line))}",
                _HINTS.get(len(row), ""),
            )
        numbers.append(number)
        rows.append(row[:6])
    return numbers, rows


def _add(
    source: Source,
    lines: Sequence[int],
    topics: list[bytes],
    raw_documents: list[bytes],
    raw_scores: list[bytes],
    rankings: dict[str, Ranking],
) -> None:
    """Add rows to the rankings; a whole topic at a time, as files come sorted by topic."""
    scores = _scores(source, lines, raw_scores)
    documents = decode_all(raw_documents)
    end = 0
    for raw_topic, group in groupby(topics):
        start, end = end, end + sum(1 for _ in group)
        topic = decode(raw_topic)
        ranking = rankings.setdefault(topic, {})
        before = set(ranking)
        ranking.update(zip(documents[start:end], scores[start:end], strict=True))
        if len(ranking) != len(before) + end - start:
            _say_which_comes_twice(source, topic, lines[start:end], documents[start:end], before)


def _say_which_comes_twice(
    source: Source, topic: str, lines: Sequence[int], documents: list[str], seen: set[str]
) -> None:
    for line, document in zip(lines, documents, strict=True):
        if document in seen:
            raise source.error(
                line, f"document {quoted(document)} comes twice for topic {quoted(topic)}"
            )
        seen.add(document)


def _scores(source: Source, lines: Sequence[int], texts: Sequence[bytes]) -> list[float]:
    try:
        scores = list(map(float, texts))
    except ValueError:
        scores = [math.nan]
    if all(map(math.isfinite, scores)) and b"_" not in b"".join(texts):
        return scores
    for line, text in zip(lines, texts, strict=True):
        shown = decode(text)
        if not looks_numeric(shown) or "_" in shown:
            raise source.error(line, f"the score is not a number: {quoted(shown)}")
        if not math.isfinite(float(text)):
            raise source.error(line, f"the score is not finite: {quoted(shown)}")
    raise AssertionError("some score was no finite number")
