"""Dicts in dicts: {run: {topic: {measure: value}}}, or less of it, by which level has topics."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations
from typing import Any

import numpy as np

from confint_cli.common.errors import DataError, Notice, note
from confint_cli.common.measures import (
    canonical,
    looks_like_a_measure,
    measures_among,
    split_request,
)
from confint_cli.common.text import listed, quoted, shortened, visible
from confint_cli.inputs.columns import TABLE_RULES
from confint_cli.inputs.frames import are_numbers, text_of
from confint_cli.inputs.layout import BY_RUN, LONG, PER_QUERY, SYSTEMS
from confint_cli.inputs.origin import MEASURE, Memory
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.rows import Row, collect, is_whole, no_topics

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
_HINT = (
    "nest it by run, as {run: {topic: {measure: value}}}, or give a DataFrame with columns "
    "'run', 'topic', 'measure' and 'score'"
)

Leaf = tuple[tuple[str, ...], object]
"""The keys that lead to a value, as texts, and the value."""


def read_nested(
    data: Mapping[Any, Any],
    reader: Reader,
    name: str = "",
    input_format: str | None = None,
    roles: Roles | None = None,
) -> tuple[str, Reading]:
    """Return the name of the format that a dict amounts to, and the scores in it.

    The `roles` of its levels may be known. Otherwise names of measures, runs that the reader has
    named, and ids show them, or the `input_format`; raise DataError where they do not.
    """
    depth = len(roles) if roles else _depth(data, name or "the dict")
    origin = Memory(name, "the dict", 0)
    leaves = [*_leaves(data, depth, origin)]
    if not leaves:
        raise DataError(origin.name, "is empty")
    notices: Sequence[Notice] = ()
    if roles is None:
        levels = [[*dict.fromkeys(keys[level] for keys, _ in leaves)] for level in range(depth)]
        roles, notices = _roles(levels, reader, origin, input_format)

    def place(number: int) -> str:
        keys, _ = leaves[number]
        return ", ".join(f"{role} {quoted(key)}" for role, key in zip(roles, keys, strict=True))

    origin = replace(origin, size=8 * len(leaves), row_in_words=place)
    unnamed = reader.measure_for(origin) if depth > 1 else reader.measure_name or MEASURE
    rules = replace(TABLE_RULES, named_measures=_MEASURE in roles)
    reading = collect(origin, _rows(leaves, roles, unnamed), reader, rules)
    return _format_of(roles), replace(reading, notices=[*notices, *reading.notices])


def _format_of(roles: Roles) -> str:
    if _MEASURE in roles:
        return SYSTEMS if _RUN in roles else PER_QUERY
    return BY_RUN if _RUN in roles else TOPIC_SCORE


# The content


def _depth(data: Mapping[Any, Any], name: str) -> int:
    """Return how many levels there are, by the first value that is no dict."""
    depth, inner, where = 0, data, ""
    while isinstance(inner, Mapping):
        depth += 1
        if not inner:
            raise DataError(name, f"there is nothing in {where}" if where else "is empty")
        if depth > max(_READINGS):
            raise DataError(name, f"has more than {max(_READINGS)} levels", _HINT)
        key = next(iter(inner))
        where = f"{where}[{shortened(repr(key))}]"
        inner = inner[key]
    return depth


def _leaves(data: Mapping[Any, Any], depth: int, origin: Memory) -> Iterator[Leaf]:
    """Yield all values with their keys; raise DataError where levels are missing or too many."""

    def walk(inner: Mapping[Any, Any], keys: tuple[str, ...]) -> Iterator[Leaf]:
        for key, value in inner.items():
            path = (*keys, _key(key, keys, origin))
            is_last = len(path) == depth
            if isinstance(value, Mapping):
                if is_last:
                    raise DataError(
                        origin.name,
                        f"there is a dict at {_at(path)}, and a value at other places as deep",
                    )
                if not value:
                    raise DataError(origin.name, f"there is nothing in {_at(path)}")
                yield from walk(value, path)
                continue
            if isinstance(value, list | tuple | np.ndarray) or hasattr(value, "columns"):
                raise DataError(
                    origin.name,
                    f"there is a {type(value).__name__} at {_at(path)}, where a dict or a number "
                    "should be",
                    "pandas.DataFrame(data) makes a table of lists; an array [topic, run] is "
                    "taken as it is",
                )
            if not is_last:
                raise DataError(
                    origin.name, f"there is a value at {_at(path)}, and a dict at other such places"
                )
            yield path, value

    return walk(data, ())


def _at(path: Sequence[str]) -> str:
    return "".join(f"[{quoted(key)}]" for key in path)


def _key(key: object, keys: Sequence[str], origin: Memory) -> str:
    """Return a key as text; raise DataError for one that is neither text nor a whole number."""
    if isinstance(key, str):
        return key.strip()
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        return text_of(key)
    inside = f" in {_at(keys)}" if keys else ""
    raise DataError(
        origin.name,
        f"the key {shortened(repr(key))}{inside} is no name",
        "names of runs, topics and measures are texts or whole numbers",
    )


def _rows(leaves: Sequence[Leaf], roles: Roles, unnamed_measure: str) -> Iterator[Row]:
    """Yield a row for each value; None for a run that no key names."""
    places = {role: level for level, role in enumerate(roles)}
    run_at, topic_at, measure_at = (places.get(role) for role in _DOCUMENTED)
    assert topic_at is not None
    for number, (keys, value) in enumerate(leaves):
        yield (
            number,
            None if run_at is None else keys[run_at],
            unnamed_measure if measure_at is None else keys[measure_at],
            keys[topic_at],
            _text(value),
        )


def _text(value: object) -> str:
    """Return a number as text, so that it is read as the same number; a blank for a missing one.

    Texts are no numbers here, whatever is in them: they keep their quotes.
    """
    if not are_numbers([value]):
        return repr(value)
    return text_of(float(value) if isinstance(value, np.floating) else value)


# Which level holds what


def _roles(
    levels: Sequence[Sequence[str]], reader: Reader, origin: Memory, input_format: str | None
) -> tuple[Roles, list[Notice]]:
    """Return what each level holds, by the names in `levels`, and notices on what was unclear."""
    depth = len(levels)
    if input_format is not None and input_format not in _FORMATS[depth]:
        problem = f"a dict of {depth} levels cannot be read as {input_format}"
        raise DataError(origin.name, problem, f"it may be: {', '.join(_FORMATS[depth])}")
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
    if depth == 3 and measures == 0 and named_runs is None:
        # A run may be called `rr`; that all of them are, while no measure is known, is in doubt.
        if len(measures_among(first_names[0])) == len(first_names[0]):
            raise _two_readings([_DOCUMENTED, (_MEASURE, _TOPIC, _RUN)], levels, origin)
        measures = None
    readings = _with(readings, _RUN, named_runs)
    readings = _with(readings, _MEASURE, measures)
    readings = _with(readings, _TOPIC, _level_of_ids(first_names))
    if len(readings) == 1:
        return readings[0], []
    is_told = input_format == BY_RUN or (depth == 3 and measures is not None)
    if is_told and readings[0] in (_DOCUMENTED, _DOCUMENTED[:depth]):
        return readings[0], []
    topics = {roles.index(_TOPIC) for roles in readings}
    if len(topics) > 1:
        raise _two_readings(readings, levels, origin)
    if depth == 3:
        return readings[0], []
    roles = next(roles for roles in readings if _RUN in roles)
    return roles, [_about_runs(levels[roles.index(_RUN)], origin)]


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
    found = [
        level
        for level, names in enumerate(levels)
        if all(map(is_whole, names)) or all(map(_ID.fullmatch, names))
    ]
    return found[0] if len(found) == 1 else None


def _two_readings(
    readings: Sequence[Roles], levels: Sequence[Sequence[str]], origin: Memory
) -> DataError:
    """Return the error that shows two readings, which differ in where topics are, if any do."""
    first, *others = readings
    differing = [one for one in others if one.index(_TOPIC) != first.index(_TOPIC)]
    second = (differing or others)[0]
    settle = ""
    if first == (_RUN, _TOPIC):
        settle = f"; input_format={BY_RUN!r} takes the outer keys for runs"
    problem = f"may be {_in_words(first, levels)}, or {_in_words(second, levels)}"
    return DataError(origin.name, problem, _HINT + settle)


def _in_words(roles: Roles, levels: Sequence[Sequence[str]]) -> str:
    """Return `{run: {topic: score}} (run 'a', topic 'x')`."""
    shape = "score"
    for role in reversed(roles):
        shape = f"{{{role}: {shape}}}"
    shown = [f"{role} {quoted(names[0])}" for role, names in zip(roles, levels, strict=True)]
    return f"{shape} ({', '.join(shown)})"


def _about_runs(names: Sequence[str], origin: Memory) -> Notice:
    """Return a notice that names are taken for runs, and how to turn it."""
    shown = listed([quoted(name, 40) for name in islice(names, 6)], 5)
    taken = f"{shown} is taken for a run; if it is a measure"
    if len(names) > 1:
        taken = f"{shown} are taken for runs; if they are measures"
    return note(f"{taken}, say --input-format {PER_QUERY}", origin.name)
