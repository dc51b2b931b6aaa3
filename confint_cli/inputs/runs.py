"""Runs: TREC's `topic Q0 document rank score tag`, MS MARCO's without Q0 and tag, tables, JSON."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import DataError, Notice, note, warning
from confint_cli.common.measures import looks_like_a_measure
from confint_cli.common.text import looks_numeric, number, quoted, why_no_number
from confint_cli.inputs.documents import A_RUN, SWAPPED, read_documents
from confint_cli.inputs.orders import contradict, in_single_precision
from confint_cli.inputs.reading import Head, head_of
from confint_cli.inputs.regular import numbers_in, regular_words
from confint_cli.inputs.rows import is_whole
from confint_cli.inputs.source import Source, chunks, comments, decode, decode_all

Ranking = dict[str, float]
"""The score of each document."""

_JUDGEMENTS = f"{SWAPPED} or did the shell expand a pattern after -q? put it in quotes"
_SCORES_ALREADY = "does it hold scores already? then leave --qrels out"

_COMMENTS = (b"#", b"<SYSDESC>")
"""How trec_eval's comments begin, and the description that NTCIR puts in front."""

_DIGITS = 15  # of a whole number that a double always holds exactly

MOST_TAGS = 1000
"""How many different tags of a run are kept; it should have one."""


@dataclass(frozen=True)
class Run:
    """A run: its tags, of which there should be one, and each topic's documents with scores.

    A topic is contradicted if two neighbouring lines of it are in one order by rank, and in the
    opposite order by score: then the ranks show another run than the one that is scored.
    """

    tags: tuple[str, ...]  # empty: it has none
    rankings: dict[str, Ranking]  # by topic
    contradicted: frozenset[str]  # topics
    notices: tuple[Notice, ...] = ()  # on how it was read


@dataclass(frozen=True)
class _Layout:
    """Which word of a line is what; None: there is none."""

    width: int
    fields: str  # in words
    document: int
    rank: int | None
    score: int | None  # None: ranks decide
    tag: int | None = None


_TREC = _Layout(6, "topic, Q0, document, rank, score, tag", 2, 3, 4, 5)
_MS_MARCO = _Layout(4, "topic, document, rank, score", 1, 2, 3)
_RANKS_ONLY = _Layout(3, "topic, document, rank", 1, 2, None)
_SCORES_ONLY = _Layout(3, "topic, document, score", 1, None, 2)


def sniff(head: Head) -> bool:
    """Say whether the lines are those of a run, of TREC or MS MARCO."""
    rows = _words(head)
    if bool(rows) and all(
        len(row) >= 6 and looks_numeric(row[3]) and looks_numeric(row[4]) for row in rows
    ):
        return True
    layout = _short_layout(rows)
    return layout is not None and not _are_judgements(rows)


def _words(head: Head) -> list[list[str]]:
    return [line.split() for line in head.lines if not line.encode().startswith(_COMMENTS)]


def _short_layout(rows: Sequence[Sequence[str]]) -> _Layout | None:
    """Return MS MARCO's layout of four words, or of three, if all lines have it; else None."""
    if {len(row) for row in rows} == {4}:
        has_ranks = all(is_whole(row[2]) and looks_numeric(row[3]) for row in rows)
        return _MS_MARCO if has_ranks else None
    if {len(row) for row in rows} != {3} or not all(looks_numeric(row[2]) for row in rows):
        return None
    if any(all(map(_is_measure, names)) for names in [*zip(*rows, strict=True)][:2]):
        return None  # trec_eval's lines, ir_measures' or NTCIREVAL's
    return _RANKS_ONLY if all(is_whole(row[2]) for row in rows) else _SCORES_ONLY


def _is_measure(name: str) -> bool:
    return looks_like_a_measure(name.removesuffix("="))


def _are_judgements(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether lines of four words are judgements.

    Then the second word, or as ir_datasets exports them the last one, is always the same.
    """
    if len(rows[0]) != 4 or len(rows) < 2:
        return False
    is_last_the_same = len({row[3] for row in rows}) == 1 and all(len(row[2]) < 2 for row in rows)
    return len({row[1] for row in rows}) == 1 or is_last_the_same


def read_run(source: Source) -> Run:
    """Return the run in a file. Scores count, not ranks, unless there are no scores."""
    found = read_documents(source, A_RUN)
    if found is not None:
        return Run(found.tags, found.numbers, found.contradicted)
    rows = _words(head_of(source))
    if {len(row) for row in rows} == {4} and all(
        _is_fraction(row[2]) and is_whole(row[3]) for row in rows
    ):
        raise _score_before_rank(source, "the third field has decimals, and the last one has none")
    layout = _short_layout(rows)
    if layout is None or _are_judgements(rows):
        layout = _TREC
    run = _read_lines(source, layout)
    return _with_doubts(source, run) if layout is _TREC else _checked(source, run, layout)


def _read_lines(source: Source, layout: _Layout) -> Run:
    """Return the run in lines of this layout; words after the last one are ignored in TREC's."""
    rankings: dict[str, Ranking] = {}
    tags: dict[bytes, None] = {}
    last: _LastLines = {}
    contradicted: set[str] = set()
    for first_line, chunk in chunks(source.data):
        rows = _regular_rows(chunk, layout) or _rows_line_by_line(
            source, first_line, chunk, layout
        )  # fmt: skip
        if len(tags) < MOST_TAGS:
            tags |= dict.fromkeys(rows.tags)
        _add(source, rows, rankings, layout)
        if layout.score is not None and layout.rank is not None:
            contradicted |= _contradicted_topics(rows, last)
    if not rankings:
        raise DataError(source.name, "holds no documents")
    names = tuple(map(decode, islice(tags, MOST_TAGS)))
    return Run(names, rankings, frozenset(contradicted))


def _with_doubts(source: Source, run: Run) -> Run:
    """Return a run of TREC's layout, with a warning if its scores look like ranks."""
    several = [ranking for ranking in run.rankings.values() if len(ranking) > 1]
    if run.contradicted or not several or not all(map(_counts, several)):
        return run
    text = "scores count 1, 2, 3 … from line to line, as ranks do: are rank and score swapped?"
    return replace(run, notices=(warning(text, source.name),))


def _is_fraction(text: str) -> bool:
    return looks_numeric(text) and not is_whole(text)


def _score_before_rank(source: Source, why: str) -> DataError:
    return DataError(
        source.name,
        f"lines may be 'topic document rank score' or 'topic document score rank': {why}",
        "put the rank before the score; negate scores that are distances",
    )


def _checked(source: Source, run: Run, layout: _Layout) -> Run:
    """Return a run without names for its columns; raise an error if they may be others."""
    several = {topic for topic, ranking in run.rankings.items() if len(ranking) > 1}
    if layout is _MS_MARCO and several:
        if several <= run.contradicted:
            raise _score_before_rank(
                source,
                "in all topics, the documents with the better rank have the lower score",
            )
        if all(_counts(run.rankings[topic]) for topic in several):
            raise _score_before_rank(source, "in all topics, the last field counts 1, 2, 3 …")
    if layout is _RANKS_ONLY:
        _check_ranks_differ(source, run)
        falling = [topic for topic in several if _falls(run.rankings[topic])]
        first_ranks = [-max(ranking.values()) for ranking in run.rankings.values()]
        why = ""
        if several and 2 * len(falling) > len(several):
            why = "falls from line to line, as scores do"
        elif 2 * sum(rank in (0, 1) for rank in first_ranks) < len(first_ranks):
            why = "does not begin with 0 or 1 in most topics"
        elif not all(score.is_integer() for one in run.rankings.values() for score in one.values()):
            why = "has decimals in some lines"
        if why:
            raise DataError(
                source.name,
                "lines may be 'topic document rank' or 'topic document score': the third field "
                f"{why}",
                "give both, as 'topic document rank score', or a header that names the columns",
            )
    if layout is _SCORES_ONLY:
        text = "three columns are read as topic, document and score"
        return replace(run, notices=(note(text, source.name),))
    return run


def _counts(ranking: Ranking) -> bool:
    """Say whether scores are 0, 1, 2 … or 1, 2, 3 … in the order of the lines, as ranks are."""
    scores = [*ranking.values()]
    return scores[0] in (0, 1) and all(other == one + 1 for one, other in pairwise(scores))


def _check_ranks_differ(source: Source, run: Run) -> None:
    """Raise an error if two documents of a topic have one rank, so that nothing orders them."""
    for topic, ranking in run.rankings.items():
        if len({*ranking.values()}) < len(ranking):
            problem = (
                f"two documents of topic {quoted(topic)} have the same rank, and there is no score"
            )
            raise DataError(source.name, problem, f"are these judgements? {_JUDGEMENTS}")


def _falls(ranking: Ranking) -> bool:
    """Say whether ranks, which are minus the scores, fall in the order of the lines."""
    scores = [*ranking.values()]
    return all(one < other for one, other in pairwise(scores))


@dataclass(frozen=True)
class _Rows:
    """Lines of a run as columns. Neighbouring lines of one topic make up a stretch."""

    topics: list[str]  # of each stretch
    borders: list[int]  # the first line of each stretch, and the number of lines
    documents: list[bytes]  # of each line
    ranks: FloatArray  # [line]; nan for what is no number
    scores: FloatArray  # [line]
    tags: list[bytes]  # every tag of the lines, at least once


def _regular_rows(chunk: bytes, layout: _Layout) -> _Rows | None:
    """Return the rows of lines that are all alike, or None where something is odd."""
    columns = regular_words(chunk, layout.width)
    if columns is None:
        return None
    places = (0, layout.document, layout.rank, layout.score, layout.tag)
    used = [columns[place] for place in places if place is not None]
    if not all(column.are_even() for column in used):
        return None
    topics, names = columns[0].texts(), columns[layout.document].texts()
    ranks = np.full(topics.size, np.nan)
    if layout.rank is not None:
        texts = columns[layout.rank].texts()
        ranks = _whole_numbers(texts) if _are_whole_numbers(texts) else _ranks(texts.tolist())
    numbers: FloatArray | None = -ranks
    if layout.score is not None:
        numbers = numbers_in(columns[layout.score].texts())
    if numbers is None or (layout.score is None and np.isnan(ranks).any()):
        return None
    starts = _starts(topics)
    tags: list[bytes] = []
    if layout.tag is not None:
        all_tags = columns[layout.tag].texts()
        tags = all_tags[_starts(all_tags)].tolist()
    return _Rows(
        decode_all(topics[starts].tolist()),
        [*starts.tolist(), topics.size],
        names.tolist(),
        ranks,
        numbers,
        tags,
    )


def _starts(texts: NDArray[np.bytes_]) -> Positions:
    """Return the lines whose text differs from that of the line before, and the first line."""
    return np.flatnonzero(np.concatenate([[True], texts[1:] != texts[:-1]]))


def _rows_line_by_line(source: Source, first_line: int, chunk: bytes, layout: _Layout) -> _Rows:
    """Return the rows of any lines; raise DataError for the first one that is faulty."""
    topics: list[bytes] = []
    starts: list[int] = []
    names: list[bytes] = []
    ranks: list[bytes] = []
    scores: list[float] = []
    tags: list[bytes] = []
    topic = tag = None
    for line, row in _lines_of_words(source, first_line, chunk, layout):
        if row[0] != topic:
            topic = row[0]
            topics.append(topic)
            starts.append(len(names))
        names.append(row[layout.document])
        ranks.append(b"" if layout.rank is None else row[layout.rank])
        if layout.score is None:
            assert layout.rank is not None
            scores.append(-_number(source, line, row[layout.rank], "rank"))
        else:
            scores.append(_number(source, line, row[layout.score], "score"))
        if layout.tag is not None and row[layout.tag] != tag:
            tag = row[layout.tag]
            tags.append(tag)
    borders = [*starts, len(names)]
    return _Rows(decode_all(topics), borders, names, _ranks(ranks), np.array(scores), tags)


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
    """Return a rank, or nan for what is not a finite number: ranks matter only for a warning."""
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
    source: Source, first_line: int, chunk: bytes, layout: _Layout
) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number and the fields of each line, but not of comments and blank lines."""
    for line_number, line in enumerate(chunk.split(b"\n"), start=first_line):
        row = line.split()
        if not row or line.startswith(_COMMENTS):
            continue
        if len(row) < layout.width or (layout is not _TREC and len(row) > layout.width):
            raise source.error(
                line_number,
                f"{layout.width} fields are needed ({layout.fields}), "
                f"not {len(row)}: {quoted(decode(line))}",
                _hint(source, line_number, row),
            )
        yield line_number, row


def _hint(source: Source, line: int, row: Sequence[bytes]) -> str:
    """Return a hint at why a line has too few fields, or an empty text."""
    if line > 1 and not source.data.endswith(b"\n") and line == source.data.count(b"\n") + 1:
        return "the last line has no line end: was the file cut short?"
    if line > 1:
        return ""
    if len(row) == 4:
        return _JUDGEMENTS
    if len(row) == 3:
        return _JUDGEMENTS if row[2].startswith(b"L") else _SCORES_ALREADY
    return ""


def _number(source: Source, line: int, text: bytes, noun: str) -> float:
    try:
        return number(text.decode())
    except ValueError:  # what is no UTF-8 is no number either
        shown = decode(text)
        problem = f"the {noun} is {why_no_number(shown)}: {quoted(shown)}"
        raise source.error(line, problem) from None


def _add(source: Source, rows: _Rows, rankings: dict[str, Ranking], layout: _Layout) -> None:
    """Add rows to the rankings, a stretch at a time; raise an error if a document comes twice."""
    names = decode_all(rows.documents)
    scores = rows.scores.tolist()
    for topic, (start, end) in zip(rows.topics, pairwise(rows.borders), strict=True):
        ranking = rankings.setdefault(topic, {})
        expected = len(ranking) + end - start
        ranking.update(zip(names[start:end], scores[start:end], strict=True))
        if len(ranking) != expected:
            raise _document_twice(source, layout)


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
    ranks, scores = rows.ranks[order], in_single_precision(rows.scores[order])
    before = np.array([last.get(topic, _NO_LINE) for topic in topics])
    contradicts = np.empty(ranks.size, dtype=np.bool_)
    contradicts[1:] = contradict(ranks[:-1], scores[:-1], ranks[1:], scores[1:])
    contradicts[starts] = contradict(before[:, 0], before[:, 1], ranks[starts], scores[starts])
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


def _document_twice(source: Source, layout: _Layout) -> DataError:
    """Return the error for the first document that comes a second time for its topic."""
    seen: set[tuple[bytes, bytes]] = set()
    for line, row in _lines_of_words(source, 1, source.data, layout):
        key = row[0], row[layout.document]
        if key in seen:
            topic, document = map(decode, key)
            return source.error(
                line, f"document {quoted(document)} comes twice for topic {quoted(topic)}"
            )
        seen.add(key)
    raise AssertionError("some document came twice")
