"""Runs and judgements in tables and in JSON, not in lines of words: documents of topics.

PyTerrier, ir_datasets, BEIR, ranx and MTEB save them with names for their columns, in CSV, TSV,
Parquet or JSON lines, or as {topic: {document: number}}. Columns and numbers show which of the two
a file is, so that a run in the place of judgements, or the other way round, is an error.
"""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError
from confint_cli.common.measures import measures_among
from confint_cli.common.text import listed, looks_numeric, number, quoted, why_no_number
from confint_cli.inputs.arrow import frame_in
from confint_cli.inputs.frames import Coded, Frame, FrameColumn, check_names_differ
from confint_cli.inputs.header import (
    DOCUMENT,
    RUN,
    TOPIC,
    check_width,
    folded_name,
    header_of,
    names_documents,
    open_table,
)
from confint_cli.inputs.json_text import LINES, decoded_whole, json_kind_of, objects_in_lines
from confint_cli.inputs.lists import CodedColumn, ListColumn
from confint_cli.inputs.nested import flattened
from confint_cli.inputs.orders import contradicted
from confint_cli.inputs.origin import FileRows, Origin
from confint_cli.inputs.reading import head_of
from confint_cli.inputs.records import frame_of_columns, frame_of_records, table_of
from confint_cli.inputs.rows import is_whole, place_of_repeated
from confint_cli.inputs.source import Source

A_RUN, JUDGEMENTS = "a run", "judgements"
"""What a file is given as."""

SWAPPED = "are --qrels and the run swapped?"

_SCORE = ("score", "sim", "similarity")
_GRADE = ("relevance", "label", "grade", "rel", "judgment", "judgement", "relevance_grade")
_RANK = ("rank",)
_LOWEST_GRADE, _HIGHEST_GRADE = -2, 4  # whole numbers that all are between them look like grades
_SHAPE = {
    A_RUN: "{topic: {document: score}}",
    JUDGEMENTS: "{topic: {document: grade}}",
}
_BESIDE = frozenset({"query", "id", "docid"})  # columns that PyTerrier has beside qid and docno
_LOOKED_AT = 100  # names that show whether they are measures
_LARGEST_GRADE = 9999  # trec_eval makes tables as large as the highest grade

Numbers = dict[str, dict[str, float]]
"""The number of each document, by topic and document."""


@dataclass(frozen=True)
class Documents:
    """Documents with their numbers, which are scores or grades, and names of runs."""

    numbers: Numbers
    tags: tuple[str, ...] = ()
    contradicted: frozenset[str] = frozenset()  # topics whose ranks contradict their scores


def read_documents(source: Source, role: str) -> Documents | None:
    """Return the documents in a table or in JSON, as A_RUN or JUDGEMENTS; None for other files."""
    if source.binary:
        return _from_frame(frame_in(source), FileRows(source), role)
    kind = json_kind_of(source)
    if kind:
        return _from_json(source, kind, role)
    header = header_of(head_of(source))
    is_table = header is not None and (
        names_documents(header.folded)
        or (header.find(TOPIC) is not None and not any(map(looks_numeric, header.cells)))
    )
    return _from_texts(source, role) if is_table else None


def _from_json(source: Source, kind: str, role: str) -> Documents:
    """Return the documents in JSON: rows that are objects, or {topic: {document: number}}."""
    if kind == LINES:
        lines = array("q")
        frame = frame_of_records(objects_in_lines(source, lines))
        return _from_frame(frame, FileRows(source, lines=lines), role)
    value = decoded_whole(source)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _from_frame(frame_of_records([value]), FileRows(source), role)
    if isinstance(value, dict):
        columns = table_of(value)
        if columns is not None and names_documents(map(folded_name, columns)):
            return _from_frame(frame_of_columns(columns), FileRows(source), role)
        value = {topic: found for topic, found in value.items() if found != {}}
    if not isinstance(value, dict) or not value:
        raise DataError(source.name, f"is JSON without documents: it has to be {_SHAPE[role]}")
    return _from_objects(value, source, role)


# Objects in objects


def _from_objects(value: dict[str, Any], source: Source, role: str) -> Documents:
    """Return the documents in {topic: {document: number}}; raise DataError for other objects."""
    has_two_levels = {*map(type, value.values())} == {dict}
    leaves = [*chain.from_iterable(map(dict.values, value.values()))] if has_two_levels else []
    if not leaves or not {dict, list}.isdisjoint(map(type, leaves)):
        try:
            levels, _ = flattened(value, FileRows(source))
        except DataError as error:  # of unequal depths
            raise DataError("", str(error)) from None
        raise _other_levels(levels, source, role)
    for names in (value, next(iter(value.values()))):
        first_names = [*islice(names, _LOOKED_AT)]
        if len(measures_among(first_names)) == len(first_names):
            raise _rather_scores(source, role)
    for name in chain(value, chain.from_iterable(value.values())):
        if not name or name[0].isspace() or name[-1].isspace():
            problem = f"the name {quoted(name)} is empty, or has blanks around it"
            raise DataError(source.name, problem)

    def place(row: int) -> str:
        for topic, found in value.items():
            if row < len(found):
                document = next(islice(found, row, None))
                return f"topic {quoted(topic)}, document {quoted(document)}"
            row -= len(found)
        raise AssertionError("there are as many rows as documents")

    column = ListColumn("score", leaves, quotes_texts=True)
    _checked(_Numbers(column, len(leaves), FileRows(source, place)), role)
    if role == A_RUN and {*map(type, leaves)} != {float}:
        value = {topic: dict(zip(found, map(float, found.values()), strict=True))
                 for topic, found in value.items()}  # fmt: skip
    return Documents(value)


def _other_levels(levels: Sequence[CodedColumn], source: Source, role: str) -> DataError:
    """Return the error for objects that are not nested as topics and documents."""
    names = levels[-1].names[:_LOOKED_AT]
    if len(levels) == 1 or len(measures_among(names)) == len(names):
        return _rather_scores(source, role)
    return DataError(
        source.name,
        f"looks like JSON with topics at the second level, but {_SHAPE[role]} is needed",
        "save each run in a separate file" if role == A_RUN else "",
    )


def _rather_scores(source: Source, role: str) -> DataError:
    problem = f"looks like per-topic scores, not like {role}"
    return DataError(source.name, problem, "leave --qrels out to read scores")


# Tables with names for their columns


@dataclass(frozen=True)
class _Columns:
    """Which columns hold what."""

    topic: int
    document: int
    number: int  # scores or grades, or ranks where there are no scores
    rank: int | None  # beside scores
    run: int | None
    are_ranks: bool
    may_be_grades: bool  # scores and nothing else, as BEIR's judgements have them


def _columns(names: Sequence[str], source: Origin, role: str) -> _Columns:
    """Return which columns hold what, by their names; raise DataError for other tables."""
    place_of: dict[str, int] = {}
    for place, name in enumerate(names):
        place_of.setdefault(folded_name(name), place)
    document = _first(DOCUMENT, place_of)
    topic = _first([one for one in TOPIC if place_of.get(one) != document], place_of)
    if document is None or topic is None:
        what, wanted = ("topics", TOPIC) if topic is None else ("documents", DOCUMENT)
        example = " or ".join(map(quoted, wanted[:2]))
        problem = f"is given as {role}, but has no column of {what}, such as {example}"
        hint = f"its columns are {_shown(names)}; to read per-topic scores, leave --qrels out"
        raise DataError(source.name, problem, hint)
    rank, score, grade = (_first(one, place_of) for one in (_RANK, _SCORE, _GRADE))
    if role == JUDGEMENTS:
        used = grade if grade is not None else score
        is_other = grade is None and rank is not None
        problem, noun = "holds a run, not judgements", "grades, such as 'relevance' or 'label'"
    else:
        used = score if score is not None else rank
        is_other = used is None and grade is not None
        problem, noun = "holds judgements, not a run", "scores, such as 'score'"
    if is_other:
        raise DataError(source.name, problem, SWAPPED)
    if used is None:
        problem = f"is given as {role}, but has no column of {noun}"
        raise DataError(source.name, problem, f"its columns are {_shown(names)}")
    _check_has_no_rivals(place_of, (topic, document, used), names, source)
    for place in (topic, document, used):
        if [*map(folded_name, names)].count(folded_name(names[place])) > 1:
            raise DataError(source.name, f"two columns are named {quoted(names[place])}")
    run = _first(RUN, place_of)
    return _Columns(
        topic,
        document,
        used,
        None if used == rank else rank,
        None if run in (topic, document, used) else run,
        are_ranks=role == A_RUN and score is None,
        may_be_grades=grade is None and rank is None and "corpus_id" in place_of,
    )


def _check_has_no_rivals(
    place_of: Mapping[str, int], used: Sequence[int], names: Sequence[str], source: Origin
) -> None:
    """Raise an error if further columns are called as if they held topics, documents or grades."""
    only_topics = [name for name in TOPIC if name not in DOCUMENT]
    nouns = {"topics": only_topics, "documents": DOCUMENT, "grades": _GRADE}
    for place, (noun, spellings) in zip(used, nouns.items(), strict=True):
        others = [place_of[one] for one in spellings if one in place_of and one not in _BESIDE]
        rivals = [other for other in others if other not in used]
        if rivals and folded_name(names[place]) in spellings:
            columns = f"{quoted(names[place])} or {quoted(names[rivals[0]])}"
            problem = f"the {noun} may be in column {columns}"
            raise DataError(source.name, problem, "keep only one of these columns")


def _shown(names: Sequence[str]) -> str:
    return listed([quoted(name) for name in names], 6)


def _from_texts(source: Source, role: str) -> Documents:
    """Return the documents in a table of CSV or TSV."""
    header, rows = open_table(source)
    columns = _columns(header.cells, source, role)
    found: Numbers = {}
    runs: dict[str, None] = {}
    values, ranks, topics = array("d"), array("d"), array("i")
    place_of: dict[str, int] = {}
    are_whole = True
    noun = "grade" if role == JUDGEMENTS else "rank" if columns.are_ranks else "score"
    for line, cells in rows:
        check_width(source, line, cells, len(header.cells))
        topic, document = cells[columns.topic].strip(), cells[columns.document].strip()
        text = cells[columns.number].strip()
        if not topic or not document:
            raise source.error(line, f"the {'document' if topic else 'topic'} is empty")
        try:
            value = number(text)
        except ValueError:
            problem = f"the {noun} is {why_no_number(text)}: {quoted(text)}"
            raise source.error(line, problem if text else f"there is no {noun}") from None
        if role == JUDGEMENTS and not (value.is_integer() and abs(value) <= _LARGEST_GRADE):
            raise source.error(line, _no_grade(value), SWAPPED)
        are_whole = are_whole and is_whole(text.lstrip("+-"))
        if columns.run is not None:
            runs.setdefault(cells[columns.run].strip())
        of_topic = found.setdefault(topic, {})
        if document in of_topic:
            _tags([*filter(None, runs)], columns, header.cells, source)  # of several runs?
            raise source.error(line, _twice(document, topic, role))
        of_topic[document] = value
        values.append(value)
        topics.append(place_of.setdefault(topic, len(place_of)))
        ranks.append(math.nan if columns.rank is None else _rank(cells[columns.rank]))
    if not found:
        raise DataError(source.name, "holds no documents")
    if role == JUDGEMENTS:
        return Documents(found)
    if (are_whole or columns.may_be_grades) and not columns.are_ranks:
        _check_are_no_grades(np.frombuffer(values), source)
    tags = _tags([*filter(None, runs)], columns, header.cells, source)
    if columns.are_ranks:
        return Documents(_by_rank(found, source), tags)
    faults = contradicted(
        np.frombuffer(topics, np.intc), np.frombuffer(ranks), np.frombuffer(values)
    )
    names = [*place_of]
    return Documents(found, tags, frozenset(names[topic] for topic in faults.tolist()))


def _rank(text: str) -> float:
    """Return a rank, or NaN for what is not a number: ranks matter only for a warning."""
    try:
        return number(text.strip())
    except ValueError:
        return math.nan


def _from_frame(frame: Frame, origin: FileRows, role: str) -> Documents:
    """Return the documents in a table whose columns are those of a frame."""
    check_names_differ(frame, origin.name)
    columns = _columns(frame.names, origin, role)
    runs = [] if columns.run is None else frame.coded(columns.run, origin).texts
    tags: tuple[str, ...] = ()
    if role == A_RUN:
        tags = _tags([*filter(None, runs)], columns, frame.names, origin)
    topics = frame.coded(columns.topic, origin)
    found = _in_rows(
        topics,
        frame.coded(columns.document, origin),
        _Numbers(frame.columns[columns.number], frame.length, origin),
        columns,
        role,
    )
    if role == JUDGEMENTS:
        return Documents(found)
    if columns.are_ranks:
        return Documents(_by_rank(found, origin), tags)
    ranks = None if columns.rank is None else frame.columns[columns.rank].numbers()
    scores = frame.columns[columns.number].numbers()
    if ranks is None or scores is None:
        return Documents(found, tags)
    faults = contradicted(topics.codes, ranks.astype(np.float64), scores.astype(np.float64))
    return Documents(found, tags, frozenset(topics.texts[topic] for topic in faults.tolist()))


def _first(names: Iterable[str], place_of: Mapping[str, int]) -> int | None:
    return next((place_of[name] for name in names if name in place_of), None)


def _tags(
    runs: Sequence[str], columns: _Columns, names: Sequence[str], source: Origin
) -> tuple[str, ...]:
    """Return the name of the run, if a column has it; raise an error for several runs."""
    if len(runs) > 1 and columns.run is not None:
        raise DataError(
            source.name,
            f"has {len(runs)} runs in column {quoted(names[columns.run])}: {listed(runs, 3)}",
            "save each run in a separate file",
        )
    return tuple(runs)


def _in_rows(
    topics: Coded, documents: Coded, numbers: "_Numbers", columns: _Columns, role: str
) -> Numbers:
    """Return the documents of a frame; raise DataError for the first row that is wrong."""
    origin = numbers.origin
    for noun, names in (("topic", topics), ("document", documents)):
        if "" in names.texts:
            row = int(np.argmax(names.codes == names.texts.index("")))
            raise origin.error(row, f"the {noun} is empty")
    values = _checked(
        numbers, role, are_ranks=columns.are_ranks, may_be_grades=columns.may_be_grades
    )
    order = np.argsort(topics.codes, kind="stable")
    sizes = np.bincount(topics.codes, minlength=len(topics.texts))
    names_in_order = documents.array[documents.codes[order]].tolist()
    values_in_order = values[order].tolist()
    found: Numbers = {}
    end = 0
    for topic, size in zip(topics.texts, sizes.tolist(), strict=True):
        start, end = end, end + size
        if not size:
            continue
        these = names_in_order[start:end]
        found[topic] = dict(zip(these, values_in_order[start:end], strict=True))
        if len(found[topic]) < size:
            second = place_of_repeated(these)
            assert second is not None
            row = int(order[start + second])
            raise origin.error(row, _twice(these[second], topic, role))
    return found


def _twice(document: str, topic: str, role: str) -> str:
    """Return what is wrong with a document that comes a second time for its topic."""
    verb = "is judged" if role == JUDGEMENTS else "comes"
    return f"document {quoted(document)} {verb} twice for topic {quoted(topic)}"


def _by_rank(numbers: Numbers, source: Origin) -> Numbers:
    """Return minus the rank for a score; raise an error where two documents share a rank."""
    for topic, found in numbers.items():
        if len({*found.values()}) < len(found):
            problem = (
                f"two documents of topic {quoted(topic)} have the same rank, and there is no score"
            )
            raise DataError(source.name, problem)
    return {topic: {name: -rank for name, rank in found.items()}
            for topic, found in numbers.items()}  # fmt: skip


# The numbers of documents: scores or grades


@dataclass(frozen=True)
class _Numbers:
    """Numbers of documents, before it is known whether they are all right."""

    column: FrameColumn
    length: int
    origin: FileRows


def _checked(
    numbers: _Numbers, role: str, *, are_ranks: bool = False, may_be_grades: bool = False
) -> FloatArray:
    """Return the numbers, scores or grades; raise DataError if they look like the other kind."""
    values, are_whole = _values(numbers, role)
    if role == JUDGEMENTS:
        is_bad = (values != np.round(values)) | (np.abs(values) > _LARGEST_GRADE)
        if is_bad.any():
            row = int(is_bad.argmax())
            raise numbers.origin.error(row, _no_grade(values[row]), SWAPPED)
    elif (are_whole or may_be_grades) and not are_ranks:
        _check_are_no_grades(values, numbers.origin)
    return values


def _values(numbers: _Numbers, role: str) -> tuple[FloatArray, bool]:
    """Return the numbers, and whether they are written as whole ones."""
    column, origin = numbers.column, numbers.origin
    noun = "grade" if role == JUDGEMENTS else "score"
    found = column.numbers()
    if found is not None:
        is_bad = ~np.isfinite(found)
        if is_bad.any():
            row = int(is_bad.argmax())
            shown = column.texts(row, row + 1)[0]
            problem = f"the {noun} is not finite: {quoted(shown)}"
            raise origin.error(row, problem if shown else f"there is no {noun}")
        are_whole = found.dtype.kind in "iu"
        if isinstance(column, ListColumn):
            are_whole = {*map(type, column.values)} == {int}
        return found.astype(np.float64), are_whole
    texts = column.texts(0, numbers.length)
    values = np.empty(len(texts))
    for row, text in enumerate(texts):
        try:
            values[row] = number(text)
        except ValueError:
            problem = f"the {noun} is {why_no_number(text)}: {quoted(text)}"
            raise origin.error(row, problem if text else f"there is no {noun}") from None
    return values, all(is_whole(text.lstrip("+-")) for text in texts)


def _no_grade(value: float) -> str:
    return f"the grade is not a whole number from -9999 to 9999: {value:g}"


def _check_are_no_grades(values: FloatArray, source: Origin) -> None:
    """Raise an error if all numbers of a run are such as judgements have."""
    are_in_range = values.min() >= _LOWEST_GRADE and values.max() <= _HIGHEST_GRADE
    if are_in_range and (values == np.round(values)).all():
        raise DataError(
            source.name,
            "looks like judgements, not like a run: all scores are whole numbers from "
            f"{values.min():g} to {values.max():g}",
            f"{SWAPPED} if these are scores of documents, write them with decimals: "
            f"{values[0]:.1f}",
        )
