"""Documents of topics in tables and in JSON: runs and judgements that are no lines of words.

PyTerrier, ir_datasets, BEIR, ranx and MTEB save them with names for their columns, in CSV, TSV,
Parquet or JSON lines, or as {topic: {document: number}}. Which of the two a file is shows in its
columns and its numbers, so that one which is given for the other is told so.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError
from confint_cli.common.measures import measures_among
from confint_cli.common.text import listed, number, quoted, why_no_number
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
from confint_cli.inputs.origin import FileRows
from confint_cli.inputs.reading import head_of
from confint_cli.inputs.records import frame_of_columns, frame_of_records, table_of
from confint_cli.inputs.rows import is_whole
from confint_cli.inputs.source import Source

A_RUN, JUDGEMENTS = "a run", "judgements"
"""What a file is given as."""

SWAPPED = "are --qrels and the run swapped?"

_SCORE = ("score", "sim", "similarity")
_GRADE = ("relevance", "label", "grade", "rel", "judgment", "judgement", "relevance_grade")
_RANK = ("rank",)
_LOWEST_GRADE, _HIGHEST_GRADE = -2, 4  # numbers of a file whose every number is rather a grade
_SHAPE = {
    A_RUN: "{topic: {document: score}}",
    JUDGEMENTS: "{topic: {document: grade}}",
}
_LOOKED_AT = 100  # names that show whether they are measures
_LARGEST_GRADE = 9999  # trec_eval makes tables as large as the highest grade

Numbers = dict[str, dict[str, float]]
"""The number of each document, by topic and document."""


@dataclass(frozen=True)
class Documents:
    """Documents with their numbers, which are scores or grades, and names of runs."""

    numbers: Numbers
    tags: tuple[str, ...] = ()


def read_documents(source: Source, role: str) -> Documents | None:
    """Return the documents in a table or in JSON, as A_RUN or JUDGEMENTS; None for other files."""
    if source.binary:
        return _from_frame(frame_in(source), FileRows(source), role)
    kind = json_kind_of(source)
    if kind:
        return _from_json(source, kind, role)
    header = header_of(head_of(source))
    if header is None or not names_documents(header.folded):
        return None
    frame, lines = _table_of_texts(source)
    return _from_frame(frame, FileRows(source, lines=lines), role)


def _table_of_texts(source: Source) -> tuple[Frame, Sequence[int]]:
    """Return a table of CSV or TSV as a frame of texts, and the line of each row."""
    header, rows = open_table(source)
    lines: list[int] = []
    columns: list[list[str]] = [[] for _ in header.cells]
    for line, cells in rows:
        check_width(source, line, cells, len(columns))
        lines.append(line)
        for column, cell in zip(columns, cells, strict=True):
            column.append(cell.strip())
    if not lines:
        raise DataError(source.name, "holds no documents")
    lists = [ListColumn(name, column) for name, column in zip(header.cells, columns, strict=True)]
    return Frame(lists, len(lines), ""), lines


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
        if columns is not None:
            return _from_frame(frame_of_columns(columns), FileRows(source), role)
        value = {topic: found for topic, found in value.items() if found != {}}
    if not isinstance(value, dict) or not value:
        raise DataError(source.name, f"is JSON, but holds no documents: {_SHAPE[role]} is needed")
    return _from_objects(value, source, role)


# Objects in objects


def _from_objects(value: dict[str, Any], source: Source, role: str) -> Documents:
    """Return the documents in {topic: {document: number}}; raise DataError for other objects."""
    has_two_levels = {*map(type, value.values())} == {dict}
    leaves = [*chain.from_iterable(map(dict.values, value.values()))] if has_two_levels else []
    if not leaves or not {dict, list}.isdisjoint(map(type, leaves)):
        levels, _ = flattened(value, FileRows(source))  # it raises an error for unequal depths
        raise _other_levels(levels, source, role)
    first_names = [*islice(next(iter(value.values())), _LOOKED_AT)]
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
        "save each run in a file of its own" if role == A_RUN else "",
    )


def _rather_scores(source: Source, role: str) -> DataError:
    problem = f"looks like per-topic scores, not like {role}"
    return DataError(source.name, problem, "leave --qrels out to read scores")


# Tables with names for their columns


def _from_frame(frame: Frame, origin: FileRows, role: str) -> Documents:
    """Return the documents in a table whose columns have names."""
    name = origin.name
    check_names_differ(frame, name)
    place_of: dict[str, int] = {}
    for place, column in enumerate(frame.columns):
        place_of.setdefault(folded_name(column.name), place)
    document = _first(DOCUMENT, place_of)
    topic = _first([one for one in TOPIC if place_of.get(one) != document], place_of)
    if document is None or topic is None:
        what = "topics" if topic is None else "documents"
        wanted = TOPIC[:2] if topic is None else DOCUMENT[:2]
        problem = (
            f"no column of {role} names the {what}, such as {' or '.join(map(quoted, wanted))}"
        )
        columns = listed([quoted(one) for one in frame.names], 6)
        raise DataError(name, problem, f"its columns are {columns}")
    rank, score, grade = (_first(one, place_of) for one in (_RANK, _SCORE, _GRADE))
    is_beir = grade is None and rank is None and score is not None
    if role == JUDGEMENTS:
        used = grade if grade is not None else score
        if used is None or (grade is None and rank is not None):
            raise DataError(name, "holds a run, not judgements", SWAPPED)
    else:
        used = score if score is not None else rank
        if used is None:
            problem = "holds judgements, not a run" if grade is not None else "has no scores"
            raise DataError(name, problem, SWAPPED if grade is not None else "")
    coded = frame.coded(topic, origin)
    names = frame.coded(document, origin)
    numbers = _Numbers(frame.columns[used], frame.length, origin, are_ranks=score is None)
    found = _in_rows(
        coded,
        names.array[names.codes].tolist(),
        numbers,
        role,
        is_beir=is_beir and "corpus_id" in place_of,
    )
    if role == JUDGEMENTS:
        return Documents(found)
    tags = _tags(frame, place_of, origin, used={topic, document, used})
    return Documents(_by_rank(found, origin) if score is None else found, tags)


def _first(names: Iterable[str], place_of: Mapping[str, int]) -> int | None:
    return next((place_of[name] for name in names if name in place_of), None)


def _tags(
    frame: Frame, place_of: Mapping[str, int], origin: FileRows, used: set[int]
) -> tuple[str, ...]:
    """Return the name of the run, if a column has it; raise an error for several runs."""
    place = _first(RUN, place_of)
    if place is None or place in used:
        return ()
    names = [name for name in frame.coded(place, origin).texts if name]
    if len(names) > 1:
        column = quoted(frame.columns[place].name)
        raise DataError(
            origin.name,
            f"has {len(names)} runs in column {column}: {listed(names, 3)}",
            "save each run in a file of its own",
        )
    return tuple(names)


def _in_rows(
    topics: Coded, names: Sequence[str], numbers: "_Numbers", role: str, *, is_beir: bool
) -> Numbers:
    """Return the documents of a table; raise DataError for the first row that is at fault."""
    origin = numbers.origin
    if "" in topics.texts:
        row = int(np.argmax(topics.codes == topics.texts.index("")))
        raise origin.error(row, "the topic is empty")
    if "" in names:
        raise origin.error([*names].index(""), "the document is empty")
    values = _checked(numbers, role, is_beir=is_beir)
    order = np.argsort(topics.codes, kind="stable")
    sizes = np.bincount(topics.codes, minlength=len(topics.texts))
    rows = order.tolist()
    in_order = [names[row] for row in rows]
    values_in_order = values[order].tolist()
    found: Numbers = {}
    end = 0
    for topic, size in zip(topics.texts, sizes.tolist(), strict=True):
        start, end = end, end + size
        if not size:
            continue
        pairs = zip(in_order[start:end], values_in_order[start:end], strict=True)
        found[topic] = dict(pairs)
        if len(found[topic]) < size:
            raise _twice(names, topic, rows[start:end], origin, role)
    return found


def _twice(
    names: Sequence[str], topic: str, rows: Sequence[int], origin: FileRows, role: str
) -> DataError:
    """Return the error for the first document that comes a second time for its topic."""
    seen: set[str] = set()
    for row in rows:
        if names[row] in seen:
            verb = "is judged" if role == JUDGEMENTS else "comes"
            problem = f"document {quoted(names[row])} {verb} twice for topic {quoted(topic)}"
            return origin.error(row, problem)
        seen.add(names[row])
    raise AssertionError("some document came twice")


# The numbers of documents: scores or grades


@dataclass(frozen=True)
class _Numbers:
    """Numbers of documents, before it is known whether they are all right."""

    column: FrameColumn
    length: int
    origin: FileRows
    are_ranks: bool = False  # which are whole numbers, as grades are


def _checked(numbers: _Numbers, role: str, *, is_beir: bool = False) -> FloatArray:
    """Return the numbers, which are scores or grades; raise DataError if they are rather others."""
    values, are_whole = _values(numbers, role)
    if role == JUDGEMENTS:
        _check_are_grades(numbers, values)
    elif (are_whole or is_beir) and not numbers.are_ranks:
        _check_are_no_grades(numbers, values)
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


def _check_are_grades(numbers: _Numbers, values: FloatArray) -> None:
    """Raise an error if some number is no grade."""
    is_bad = (values != np.round(values)) | (np.abs(values) > _LARGEST_GRADE)
    if is_bad.any():
        row = int(is_bad.argmax())
        problem = f"the grade is no whole number from -9999 to 9999: {values[row]:g}"
        raise numbers.origin.error(row, problem, SWAPPED)


def _check_are_no_grades(numbers: _Numbers, values: FloatArray) -> None:
    """Raise an error if all numbers of a run are such as judgements have."""
    if values.min() >= _LOWEST_GRADE and values.max() <= _HIGHEST_GRADE:
        raise DataError(
            numbers.origin.name,
            "looks like judgements, not like a run: all scores are whole numbers from "
            f"{values.min():g} to {values.max():g}",
            f"{SWAPPED} if these are scores of documents, write them with decimals: "
            f"{values[0]:.1f}",
        )


def _by_rank(numbers: Numbers, origin: FileRows) -> Numbers:
    """Return minus the rank for a score; raise an error where two documents share a rank."""
    for topic, found in numbers.items():
        if len({*found.values()}) < len(found):
            problem = f"two documents of topic {quoted(topic)} have one rank, and there is no score"
            raise DataError(origin.name, problem)
    return {topic: {name: -rank for name, rank in found.items()}
            for topic, found in numbers.items()}  # fmt: skip
