"""TREC run files: `topic Q0 document rank score tag`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from confint_cli.errors import DataError
from confint_cli.inputs._fields import chunks, columns, decode, decode_all
from confint_cli.inputs._format import Head
from confint_cli.inputs._source import Source
from confint_cli.text import looks_numeric, number, quoted, why_no_number

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
    """Six fields or more, the rank and the score numbers."""
    rows = [line.split() for line in head.lines if not _is_comment(line.encode())]
    return bool(rows) and all(
        len(row) >= 6 and looks_numeric(row[3]) and looks_numeric(row[4]) for row in rows
    )


def read_run(source: Source) -> Run:
    """Read a run. Ranks are ignored, scores decide; fields after the tag are ignored too."""
    rankings: dict[str, Ranking] = {}
    every_tag: dict[bytes, None] = {}
    for first_line, chunk in chunks(source.data):
        fields = columns(chunk, 6, last_is_constant=True)
        if fields is not None:
            lines: Sequence[int] = range(first_line, first_line + len(fields[0]))
            every_tag |= {fields[5][0]: None}
        else:
            lines, rows = _rows(source, first_line, chunk)
            fields = [list(column) for column in zip(*rows, strict=True)]
            every_tag |= dict.fromkeys(fields[5]) if fields else {}
        if fields:
            topics, _, documents, _, scores, _ = fields
            _add(source, topics, documents, _scores(source, lines, scores), rankings)
    if not rankings:
        raise DataError(source.name, "holds no documents")
    return Run(tuple(map(decode, every_tag)), rankings)


def _is_comment(line: bytes) -> bool:
    """Comments as trec_eval has them, and the description that NTCIR puts in front."""
    return line.startswith((b"#", b"<SYSDESC>"))


def _rows(source: Source, first_line: int, chunk: bytes) -> tuple[list[int], list[list[bytes]]]:
    """Return each line's number and first six fields, without comments and blank lines."""
    lines, rows = [], []
    for place, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or _is_comment(line):
            continue
        if len(row) < 6:
            raise source.error(
                place,
                "6 fields are needed (topic, Q0, document, rank, score, tag), "
                f"not {len(row)}: {quoted(decode(line))}",
                _HINTS.get(len(row), ""),
            )
        lines.append(place)
        rows.append(row[:6])
    return lines, rows


def _add(
    source: Source,
    topics: list[bytes],
    raw_documents: list[bytes],
    scores: list[float],
    rankings: dict[str, Ranking],
) -> None:
    """Add rows to the rankings; a whole topic at a time, as files come sorted by topic."""
    documents = decode_all(raw_documents)
    end = 0
    for topic, group in groupby(topics):
        start, end = end, end + sum(1 for _ in group)
        ranking = rankings.setdefault(decode(topic), {})
        expected = len(ranking) + end - start
        ranking.update(zip(documents[start:end], scores[start:end], strict=True))
        if len(ranking) != expected:
            raise _document_twice(source)


def _document_twice(source: Source) -> DataError:
    """Return the error for the first document that comes a second time for its topic."""
    seen: set[tuple[bytes, bytes]] = set()
    for line, row in zip(*_rows(source, 1, source.data), strict=True):
        key = row[0], row[2]
        if key in seen:
            topic, document = map(decode, key)
            return source.error(
                line, f"document {quoted(document)} comes twice for topic {quoted(topic)}"
            )
        seen.add(key)
    raise AssertionError("some document came twice")


def _scores(source: Source, lines: Sequence[int], texts: Sequence[bytes]) -> list[float]:
    try:
        scores = list(map(float, texts))
    except ValueError:
        scores = [math.nan]
    if all(map(math.isfinite, scores)) and b"_" not in b"".join(texts):
        return scores
    for line, text in zip(lines, texts, strict=True):
        try:
            number(decode(text))
        except ValueError:
            shown = decode(text)
            raise source.error(
                line, f"the score is {why_no_number(shown)}: {quoted(shown)}"
            ) from None
    raise AssertionError("some score was no finite number")
