"""Dicts in dicts: {run: {topic: {measure: value}}}, or fewer levels, and what each level has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, permutations
from typing import Any

import numpy as np

from confint_cli.common.errors import DataError, Notice, note
from confint_cli.common.measures import (
    canonical,
    looks_like_a_measure,
    measures_among,
    split_request,
)
from confint_cli.common.text import count, listed, quoted, shortened, visible
from confint_cli.inputs.columns import NO_TOPICS, Table, counts_plainly
from confint_cli.inputs.frame_tables import BY_ROWS
from confint_cli.inputs.frames import Frame, coded, text_of, texts_of
from confint_cli.inputs.header import Header
from confint_cli.inputs.layout import BY_RUN, LONG, PER_QUERY, SYSTEMS, Layout
from confint_cli.inputs.lists import CodedColumn, ListColumn
from confint_cli.inputs.origin import MEASURE, FileRows, Memory, Origin
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.rows import is_whole, no_topics
from confint_cli.inputs.whole_columns import read_columns

_RUN, _TOPIC, _MEASURE = "run", "topic", "measure"
Roles = tuple[str, ...]
"""What the levels hold, the outermost first: runs, topics, measures."""

TOPIC_SCORE = "topic_score"
_DOCUMENTED = (_RUN, _TOPIC, _MEASURE)
_READINGS: dict[int, list[Roles]] = {
    1: [(_TOPIC,)],
    2: [(_RUN, _TOPIC), (_TOPIC, _RUN), (_MEASURE, _TOPIC), (_TOPIC, _MEASURE)],
    3: [*permutations(_DOCUMENTED)],
}
_FORMATS = {1: (TOPIC_SCORE,), 2: (PER_QUERY, BY_RUN), 3: (SYSTEMS, LONG)}
_LOOKED_AT = 2000  # names of a level
_ID = re.compile(r"(?:q|qid|query|topic|question)[-_. ]?[0-9]+", re.IGNORECASE | re.ASCII)
_NUMBERED = re.compile(r"(\D*[a-zA-Z]\D*[-_:])[0-9]+", re.ASCII)  # MED-10, conv_3
_DOCUMENT = re.compile(r"(?:d|doc|docid|docno|document|passage)[-_. ]?[0-9]+", re.I | re.ASCII)
_SPARSE = 1.5  # with this many times as many cells as values, a table is probably of documents
_HAS_DIGIT = re.compile(r"[0-9]").search
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_ORDINALS = {2: "second", 3: "third"}


def read_nested(
    data: Mapping[Any, Any],
    reader: Reader,
    origin: Memory | FileRows,
    input_format: str | None = None,
    roles: Roles | None = None,
) -> tuple[str, Reading]:
    """Return the name of the format that nested dicts amount to, and the scores in them.

    The `roles` of the levels may be known. Otherwise names of measures, runs that the reader has
    named, and ids show them, or the `input_format`; raise DataError where they do not.
    """
    levels, values = flattened(data, origin, len(roles) if roles else None)
    notices: Sequence[Notice] = ()
    if roles is None:
        if isinstance(origin, FileRows) and input_format is None:
            check_are_no_documents(levels, reader, origin)
        roles, notices = _roles([level.names for level in levels], reader, origin, input_format)
    if len(roles) == 1 and isinstance(origin, Memory):
        reader = replace(reader, measure_name=reader.measure_name or MEASURE)
    layout, frame = _as_long_table(levels, values, roles, reader, origin)
    reading = read_columns(frame, layout.table.origin, layout, reader)
    if reading is None:  # some value is no number
        reading = BY_ROWS[layout.kind](layout, reader)
    if isinstance(origin, FileRows):  # JSON has all digits
        topics = levels[roles.index(_TOPIC)].names
        counted = topics[0] == "0" and counts_plainly(topics)
        exact = [replace(each, rounding=0.0) for each in reading.series]
        reading = replace(reading, series=exact, counted=counted)
    return _format_of(roles), replace(reading, notices=[*notices, *reading.notices])


def _format_of(roles: Roles) -> str:
    if _MEASURE in roles:
        return SYSTEMS if _RUN in roles else PER_QUERY
    return BY_RUN if _RUN in roles else TOPIC_SCORE


def _as_long_table(
    levels: Sequence[CodedColumn],
    values: Sequence[object],
    roles: Roles,
    reader: Reader,
    origin: Memory | FileRows,
) -> tuple[Layout, Frame]:
    """Return a table with a row for each value, a column for each level, and one of scores."""

    def place(row: int) -> str:
        keys = (level.names[level.codes[row]] for level in levels)
        return ", ".join(f"{role} {quoted(key)}" for role, key in zip(roles, keys, strict=True))

    if isinstance(origin, Memory):
        origin = replace(origin, size=8 * len(values))
    origin = replace(origin, row_in_words=place)
    names = [*roles, reader.measure_for(origin) if len(roles) == 1 else "score"]
    columns = [replace(level, name=role) for role, level in zip(roles, levels, strict=True)]
    scores = ListColumn(names[-1], values, quotes_texts=True)
    frame = Frame([*columns, scores], len(values), "")
    table = Table(origin, Header(names, ""), (), frame)
    places = {role: level for level, role in enumerate(roles)}
    if len(roles) == 1:
        return Layout(PER_QUERY, table, 0, values=(1,)), frame
    layout = Layout(
        LONG,
        table,
        places[_TOPIC],
        places.get(_RUN),
        places.get(_MEASURE),
        len(roles),
        is_nested=True,
    )
    return layout, frame


# The content


def flattened(
    data: Mapping[Any, Any], origin: Memory | FileRows, depth: int | None = None
) -> tuple[list[CodedColumn], list[object]]:
    """Return the keys of each level that lead to a value, and all values, in their order.

    The `depth` may be known. Raise DataError where levels are missing or too many.
    """
    depth = depth or _depth(data, origin)
    levels: list[CodedColumn] = []
    inner: Sequence[Any] = [data]
    for number in range(depth):
        if not all(issubclass(kind, Mapping) for kind in {*map(type, inner)}):
            raise _irregular(data, depth, origin)
        sizes = [*map(len, inner)]
        if not all(sizes):
            raise _irregular(data, depth, origin)
        levels = [replace(level, codes=np.repeat(level.codes, sizes)) for level in levels]
        levels.append(_coded_keys(inner, number, data, origin))
        inner = [*chain.from_iterable(one.values() for one in inner)]
    if any(issubclass(kind, Mapping | list | tuple | np.ndarray) or hasattr(kind, "columns")
           for kind in {*map(type, inner)}):  # fmt: skip
        raise _irregular(data, depth, origin)
    return levels, [*inner]


def _coded_keys(
    dicts: Sequence[Mapping[Any, Any]], level: int, data: Mapping[Any, Any], origin: Origin
) -> CodedColumn:
    """Return the keys of all dicts of a level, one after the other, as texts."""
    keys = [*chain.from_iterable(dicts)]
    first = [*dicts[0]]
    if len(keys) == len(dicts) * len(first) and keys == first * len(dicts):
        different, codes = first, np.tile(np.arange(len(first), dtype=np.int32), len(dicts))
    else:
        place_of = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        different = [*place_of]
        codes = np.fromiter(map(place_of.__getitem__, keys), np.int32, len(keys))
    if {*map(type, different)} != {str}:
        for path in _paths(data, level + 1):
            _check_key(path, origin)
    names = coded(codes, texts_of(different))
    return CodedColumn("", names.codes, names.texts)


def _depth(data: Mapping[Any, Any], origin: Origin) -> int:
    """Return how many levels there are, by the first value that is no dict."""
    depth, inner, where = 0, data, ""
    while isinstance(inner, Mapping):
        depth += 1
        if not inner:
            raise DataError(origin.name, f"{where} is empty" if where else "is empty")
        if depth > max(_READINGS):
            problem = f"has more than {max(_READINGS)} levels"
            raise DataError(origin.name, problem, _further_in(data, origin) or _hint(origin))
        key = next(iter(inner))
        where = f"{where}[{shortened(repr(key))}]"
        inner = inner[key]
    return depth


def _paths(data: Mapping[Any, Any], depth: int) -> Iterator[tuple[Any, ...]]:
    """Yield all keys of the level `depth`, with those that lead to them."""
    for key, value in data.items():
        if depth == 1:
            yield (key,)
        else:
            yield from ((key, *path) for path in _paths(value, depth - 1))


def _irregular(data: Mapping[Any, Any], depth: int, origin: Memory | FileRows) -> DataError:
    """Return the error about the first place where levels are missing or too many."""
    noun = _noun(origin)

    def walk(inner: Mapping[Any, Any], keys: tuple[str, ...]) -> DataError | None:
        for key, value in inner.items():
            path = (*keys, text_of(key))
            is_last = len(path) == depth
            if isinstance(value, Mapping):
                if is_last:
                    problem = f"there is {noun} at {_at(path)}, but a value at other such places"
                    return DataError(origin.name, problem, _further_in(data, origin))
                if not value:
                    return DataError(origin.name, f"{_at(path)} is empty")
                if (error := walk(value, path)) is not None:
                    return error
            elif isinstance(value, list | tuple | np.ndarray) or hasattr(value, "columns"):
                kind = type(value).__name__
                problem = f"there is a {kind} at {_at(path)}, instead of {noun} or a number"
                return DataError(origin.name, problem, _hint_for_lists(origin))
            elif not is_last:
                problem = f"there is a value at {_at(path)}, but {noun} at other such places"
                return DataError(origin.name, problem, _further_in(data, origin))
        return None

    error = walk(data, ())
    assert error is not None, "some level is not regular"
    return error


def _further_in(data: Mapping[Any, Any], origin: Origin) -> str:
    """Return how to take scores out of a file that has other things around them, if it has."""
    if isinstance(origin, Memory):
        return ""
    level: list[tuple[str, Any]] = [("", data)]
    while level:
        deeper = []
        for path, inner in level:
            parts = [*islice(inner.values(), _LOOKED_AT)]
            if path and all(isinstance(part, Mapping) for part in parts) and all(
                isinstance(value, int | float) for part in parts for value in part.values()
            ):  # fmt: skip
                return f"the scores may be deeper in the file: jq {path} FILE | confint … -"
            deeper += [(f"{path}.{key}", part) for key, part in islice(inner.items(), _LOOKED_AT)
                       if isinstance(part, Mapping) and part and _WORD(key)]  # fmt: skip
        level = deeper[:_LOOKED_AT]
    return _hint_for_lists(origin)


def _noun(origin: Origin) -> str:
    """Return what a level is called in messages."""
    return "a dict" if isinstance(origin, Memory) else "an object"


def _hint(origin: Origin) -> str:
    """Return how scores should be nested."""
    if isinstance(origin, Memory):
        return (
            "nest it by run, as {run: {topic: {measure: value}}}, or give a DataFrame with columns "
            "'run', 'topic', 'measure' and 'score'"
        )
    return "nest it by run, as {run: {topic: {measure: value}}}"


def _hint_for_lists(origin: Origin) -> str:
    if isinstance(origin, Memory):
        return "turn lists into a table: pandas.DataFrame(data); or give an array [topic, run]"
    return "confint reads {topic: {measure: value}}, and lists of objects, one for each topic"


def _at(path: Sequence[str]) -> str:
    return "".join(f"[{quoted(key)}]" for key in path)


def _check_key(path: Sequence[object], origin: Origin) -> None:
    """Raise DataError for a key that is neither text nor a whole number."""
    *keys, key = path
    if isinstance(key, str | int | np.integer) and not isinstance(key, bool):
        return
    inside = f" in {_at([text_of(one) for one in keys])}" if keys else ""
    raise DataError(
        origin.name,
        f"the key {shortened(repr(key))}{inside} is not a name",
        "names of runs, topics and measures are texts or whole numbers",
    )


# Documents, which are for scoring


def check_are_no_documents(levels: Sequence[CodedColumn], reader: Reader, origin: FileRows) -> None:
    """Raise an error for {topic: {document: number}}: a run, or judgements, not scores.

    Measures, runs and topics come again and again. Topics have different documents, so most cells
    of a table of all documents would be empty.
    """
    first_names = [level.names[:_LOOKED_AT] for level in levels]
    if len(levels) == 2 and all(len(measures_among(one)) == len(one) for one in first_names):
        raise no_topics(origin, has_means=True)
    if len(levels) < 2 or _level_of_measures(first_names, reader) is not None:
        return
    *outer, inner = levels
    if any(not {*reader.named_runs}.isdisjoint(level.names) for level in levels):
        return
    rows = len({*zip(*(level.codes.tolist() for level in outer), strict=True)})
    is_sparse = rows > 1 and rows * len(inner.names) > _SPARSE * len(inner.codes)
    if is_sparse or all(map(_DOCUMENT.fullmatch, first_names[-1])):
        raise DataError(
            origin.name,
            f"looks like a run or judgements, with documents such as {quoted(inner.names[0])} at "
            f"the {_ORDINALS[len(levels)]} level, not like per-topic scores",
            "to score runs, give the judgements as --qrels FILE and the runs as FILES; if these "
            f"are scores, use --input-format {BY_RUN} or {PER_QUERY}",
        )


# Which level holds what


def _roles(
    levels: Sequence[Sequence[str]],
    reader: Reader,
    origin: Memory | FileRows,
    input_format: str | None,
) -> tuple[Roles, list[Notice]]:
    """Return what each level holds, by the names in `levels`, and notices on what was unclear."""
    depth = len(levels)
    if input_format is not None and input_format not in _FORMATS[depth]:
        problem = f"{_noun(origin)} of {count(depth, 'level')} cannot be read as {input_format}"
        raise DataError(origin.name, problem, f"choose one of: {', '.join(_FORMATS[depth])}")
    if depth == 1:
        names = levels[0][:_LOOKED_AT]
        if 2 * sum(map(looks_like_a_measure, names)) > len(names):
            raise no_topics(origin, has_means=True)
        return (_TOPIC,), []
    readings = _READINGS[depth]
    if depth == 2 and input_format is not None:
        wanted = _MEASURE if input_format == PER_QUERY else _RUN
        readings = [roles for roles in readings if wanted in roles]
    first_names = [names[:_LOOKED_AT] for names in levels]
    measures = _level_of_measures(first_names, reader)
    named_runs = _level_of_named_runs(levels, reader)
    ids = _level_of_ids(first_names)
    if depth == 3 and measures == 0 and named_runs is None and ids != 2:
        # A run may be called `rr`; that all of them are, while no measure is known, is in doubt.
        if len(measures_among(first_names[0])) == len(first_names[0]):
            raise _two_readings([_DOCUMENTED, (_MEASURE, _TOPIC, _RUN)], levels, origin)
        measures = None
    readings = _with(readings, _RUN, named_runs)
    readings = _with(readings, _MEASURE, measures)
    readings = _with(readings, _TOPIC, ids)
    if len(readings) == 1:
        return readings[0], _about_topics(readings[0], first_names, origin)
    is_told = input_format == BY_RUN or (depth == 3 and measures is not None)
    if is_told and readings[0] in (_DOCUMENTED, _DOCUMENTED[:depth]):
        has_more_outside = len(levels[0]) > len(levels[1])
        if depth == 3 and has_more_outside and isinstance(origin, FileRows):
            raise _two_readings(readings, levels, origin)  # usually, runs are fewer than topics
        return readings[0], []
    topics = {roles.index(_TOPIC) for roles in readings}
    if len(topics) > 1:
        raise _two_readings(readings, levels, origin)
    if depth == 3:
        if isinstance(origin, FileRows):
            raise _two_readings(readings, levels, origin)
        return readings[0], []
    roles = next(roles for roles in readings if _RUN in roles)
    return roles, [_about_runs(levels[roles.index(_RUN)], origin)]


def _about_topics(
    roles: Roles, levels: Sequence[Sequence[str]], origin: Memory | FileRows
) -> list[Notice]:
    """Return a notice of which keys of a file are read as topics, if they may be runs as well."""
    names = [one for one in levels[roles.index(_TOPIC)] if one.casefold() not in NO_TOPICS]
    if not names or _RUN in roles or isinstance(origin, Memory) or all(map(_HAS_DIGIT, names)):
        return []
    shown = listed([quoted(name, 40) for name in islice(names, 6)], 5)
    return [note(f"{shown} {'is' if len(names) == 1 else 'are'} read as topics", origin.name)]


def _with(readings: list[Roles], role: str, level: int | None) -> list[Roles]:
    """Return the readings that have this role at this level, or all if there are none."""
    if level is None:
        return readings
    return [roles for roles in readings if roles[level] == role] or readings


def _level_of_named_runs(levels: Sequence[Sequence[str]], reader: Reader) -> int | None:
    """Return the one level that has a run which the reader has named, or None."""
    named = {visible(name) for name in reader.named_runs}
    found = [level for level, names in enumerate(levels) if not named.isdisjoint(names)]
    return found[0] if len(found) == 1 else None


def _level_of_measures(levels: Sequence[Sequence[str]], reader: Reader) -> int | None:
    """Return the one level that has names of measures, or the one where most names are; or None."""
    shares = []
    for names in levels:
        requested = {canonical(name) for name in split_request(reader.requested, names)} - {"all"}
        known = {*measures_among(names)} | {
            name for name in names if canonical(name) in requested
        }  # fmt: skip
        shares.append(len(known) / len(names))
    found = [level for level, share in enumerate(shares) if share]
    if len(found) > 1:
        found = [level for level, share in enumerate(shares) if share >= 0.5]
    return found[0] if len(found) == 1 else None


def _level_of_ids(levels: Sequence[Sequence[str]]) -> int | None:
    """Return the one level whose names are all whole numbers, or `q1`, `q2` …; or None."""
    found = [level for level, names in enumerate(levels) if _are_ids(names)]
    return found[0] if len(found) == 1 else None


def _are_ids(names: Sequence[str]) -> bool:
    """Say whether all names are whole numbers, or `q1`, `q2` …, or end in numbers as `MED-10`."""
    if all(map(is_whole, names)) or all(map(_ID.fullmatch, names)):
        return True
    matches = [*map(_NUMBERED.fullmatch, names)]
    prefixes = {match[1] for match in matches if match is not None}
    return None not in matches and len(names) > 1 and len(prefixes) == 1


def _two_readings(
    readings: Sequence[Roles], levels: Sequence[Sequence[str]], origin: Origin
) -> DataError:
    """Return the error that shows two readings, which differ in where topics are, if any do."""
    first, *others = readings
    differing = [one for one in others if one.index(_TOPIC) != first.index(_TOPIC)]
    second = (differing or others)[0]
    settle = ""
    if first == (_RUN, _TOPIC):
        settle = f"; --input-format {BY_RUN} reads the outer keys as runs"
        if isinstance(origin, Memory):
            settle = f"; input_format={BY_RUN!r} reads the outer keys as runs"
    problem = f"may be {_in_words(first, levels)}, or {_in_words(second, levels)}"
    return DataError(origin.name, problem, _hint(origin) + settle)


def _in_words(roles: Roles, levels: Sequence[Sequence[str]]) -> str:
    """Return `{run: {topic: score}} (run 'a', topic 'x')`."""
    shape = "score"
    for role in reversed(roles):
        shape = f"{{{role}: {shape}}}"
    shown = [f"{role} {quoted(names[0])}" for role, names in zip(roles, levels, strict=True)]
    return f"{shape} ({', '.join(shown)})"


def _about_runs(names: Sequence[str], origin: Origin) -> Notice:
    """Return a notice that names are read as runs, and how to change it."""
    shown = listed([quoted(name, 40) for name in islice(names, 6)], 5)
    taken = f"{shown} is read as a run; if it is a measure"
    if len(names) > 1:
        taken = f"{shown} are read as runs; if they are measures"
    return note(f"{taken}, use --input-format {PER_QUERY}", origin.name)
