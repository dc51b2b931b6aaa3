"""Documents of topics in tables and in JSON: runs and judgements that are no lines of words.

PyTerrier, ir_datasets, BEIR, ranx and MTEB save them with names for their columns, in CSV, TSV,
Parquet or JSON lines, or as {topic: {document: number}}. Which of the two a file is shows in its
columns and its numbers, so that one which is given for the other is told so.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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
    levels, values = flattened(value, FileRows(source))
    _check_levels(levels, source, role)
    topics, names = levels

    def place(row: int) -> str:
        keys = (level.names[level.codes[row]] for level in levels)
        return "topic {}, document {}".format(*map(quoted, keys))

    numbers = ListColumn("grade" if role == JUDGEMENTS else "score", values)
    table = _Table(
        Coded(topics.codes, topics.names), [names.names[code] for code in names.codes.tolist()],
        numbers, FileRows(source, place),
    )  # fmt: skip
    return _documents(table, role, is_beir=False)


def _check_levels(levels: Sequence[CodedColumn], source: Source, role: str) -> None:
    """Raise an error for objects that are not nested as topics and documents."""
    names = levels[-1].names
    if len(measures_among(names)) == len(names) or len(levels) == 1:
        problem = f"looks like per-topic scores, not like {role}"
        raise DataError(source.name, problem, "leave --qrels out to read scores")
    if len(levels) > 2:
        raise DataError(
            source.name,
            f"looks like JSON with topics at the second level, but {_SHAPE[role]} is needed",
            "save each run in a file of its own" if role == A_RUN else "",
        )


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
    table = _Table(coded, names.array[names.codes].tolist(), frame.columns[used], origin)
    found = _documents(table, role, is_beir=is_beir and "corpus_id" in place_of)
    if role == JUDGEMENTS:
        return found
    tags = _tags(frame, place_of, origin, used={topic, document, used})
    if score is None:
        return replace(found, numbers=_by_rank(found.numbers, origin), tags=tags)
    return replace(found, tags=tags)


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


@dataclass(frozen=True)
class _Table:
    """Rows of topic, document and number."""

    topics: Coded
    documents: Sequence[str]  # [row]
    numbers: FrameColumn
    origin: FileRows


def _documents(table: _Table, role: str, *, is_beir: bool) -> Documents:
    """Return the documents of a table; raise DataError for the first row that is at fault."""
    for noun, texts in (("topic", table.topics.texts), ("document", table.documents)):
        if "" in texts:
            row = [*table.documents].index("")
            if noun == "topic":
                row = int(np.argmax(table.topics.codes == table.topics.texts.index("")))
            raise table.origin.error(row, f"the {noun} is empty")
    values, are_whole = _values(table, role)
    if role == JUDGEMENTS:
        _check_are_grades(table, values)
    elif values.size and (are_whole or is_beir):
        _check_are_no_grades(table, values)
    order = np.argsort(table.topics.codes, kind="stable")
    sizes = np.bincount(table.topics.codes, minlength=len(table.topics.texts))
    rows = order.tolist()
    names = [table.documents[row] for row in rows]
    in_order = values[order]
    numbers: Numbers = {}
    end = 0
    for topic, size in zip(table.topics.texts, sizes.tolist(), strict=True):
        start, end = end, end + size
        if not size:
            continue
        numbers[topic] = dict(zip(names[start:end], in_order[start:end].tolist(), strict=True))
        if len(numbers[topic]) < size:
            raise _twice(table, topic, rows[start:end], role)
    return Documents(numbers)


def _values(table: _Table, role: str) -> tuple[FloatArray, bool]:
    """Return the numbers of all rows, and whether they are written as whole ones."""
    noun = "grade" if role == JUDGEMENTS else table.numbers.name
    found = table.numbers.numbers()
    if found is not None:
        is_bad = ~np.isfinite(found)
        if is_bad.any():
            row = int(is_bad.argmax())
            shown = table.numbers.texts(row, row + 1)[0]
            problem = (
                f"the {noun} is not finite: {quoted(shown)}" if shown else f"there is no {noun}"
            )
            raise table.origin.error(row, problem)
        are_whole = found.dtype.kind in "iu"
        if isinstance(table.numbers, ListColumn):
            are_whole = {*map(type, table.numbers.values)} == {int}
        return found.astype(np.float64), are_whole
    texts = table.numbers.texts(0, len(table.documents))
    values = np.empty(len(texts))
    for row, text in enumerate(texts):
        try:
            values[row] = number(text)
        except ValueError:
            problem = f"the {noun} is {why_no_number(text)}: {quoted(text)}"
            hint = SWAPPED if role == JUDGEMENTS else ""
            raise table.origin.error(row, problem, hint if not text[:1].isalpha() else "") from None
    return values, all(is_whole(text.lstrip("+-")) for text in texts)


def _check_are_grades(table: _Table, values: FloatArray) -> None:
    """Raise an error if some number is no grade."""
    is_bad = (values != np.round(values)) | (np.abs(values) > _LARGEST_GRADE)
    if is_bad.any():
        row = int(is_bad.argmax())
        problem = f"the grade is no whole number from -9999 to 9999: {values[row]:g}"
        raise table.origin.error(row, problem, SWAPPED)


def _check_are_no_grades(table: _Table, values: FloatArray) -> None:
    """Raise an error if all numbers of a run are such as judgements have."""
    if values.min() >= _LOWEST_GRADE and values.max() <= _HIGHEST_GRADE:
        raise DataError(
            table.origin.name,
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


def _twice(table: _Table, topic: str, rows: Sequence[int], role: str) -> DataError:
    """Return the error for the first document that comes a second time for its topic."""
    seen: set[str] = set()
    for row in rows:
        document = table.documents[row]
        if document in seen:
            verb = "is judged" if role == JUDGEMENTS else "comes"
            problem = f"document {quoted(document)} {verb} twice for topic {quoted(topic)}"
            return table.origin.error(row, problem)
        seen.add(document)
    raise AssertionError("some document came twice")
