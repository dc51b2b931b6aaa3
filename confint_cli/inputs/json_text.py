"""JSON, as strangers may have written it: up to limits, and never with a key twice.

Of two equal keys, Python's decoder keeps the last one without a word. To look for equal keys takes
as long as to decode the text, so that is done only where the number of colons in the text shows
that a pair was lost.
"""

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.header import TOPIC, folded_name
from confint_cli.inputs.reading import Head, head_of, once
from confint_cli.inputs.source import Source, chunks, decode

LONGEST_LINE = 1 << 20
"""The most characters of a line of JSON lines: nested nonsense takes fifty times its memory."""

MOST_MEMORY = 800_000_000
"""The most bytes for a JSON file that is read as a whole. Scores take 8 times the memory of their
text and more for each object, so that is a million rows. Lists in lists take up to 50 times."""
_BY_TEXT, _BY_LIST, _BY_OBJECT = 8, 130, 180  # bytes for each character, bracket and brace

LINES, WHOLE = "lines", "whole"
"""How a file may hold JSON: one object per line, or one value in all."""

_LONGEST_NUMBER = 4000  # digits; Python refuses to read longer ones
_BLANKS = " \t\n\r"  # of JSON
_BEGINS_JSON = re.compile(  # and is no name in brackets
    r"""\s*(?:\{\s*(?:["'}]|$)|\[\s*(?:[\[\]{]|$|-?[0-9.]+\s*[,\]]))"""
)
_WITH_MORE = frozenset({dict, list, str})  # types of values in which there may be colons


class _TwiceError(ValueError):
    """An object has a key twice: one of the two values would be lost without a word."""


class LongNumber(str):
    """The digits of a whole number that is too long for Python; ids may have any length."""


def _whole_number(text: str) -> int | LongNumber:
    return int(text) if len(text) <= _LONGEST_NUMBER else LongNumber(text)


def _checked_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in values if names.count(name) > 1)
        raise _TwiceError(f"an object has the key {quoted(twice)} twice")
    return values


_PLAIN = json.JSONDecoder()
_LONG_NUMBERS = json.JSONDecoder(parse_int=_whole_number)
_CHECKED = json.JSONDecoder(parse_int=_whole_number, object_pairs_hook=_checked_object)


def decoded(text: str) -> Any:
    """Return the value of a JSON text; raise ValueError, or RecursionError, for other texts.

    A ValueError says what is wrong in words for people.
    """
    text = text.strip(_BLANKS)
    try:
        value = _PLAIN.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a whole number of more digits than Python reads
        value = _LONG_NUMBERS.decode(text)
    if text.count(":") != _colons(value) or "\\u003" in text:  # a colon may be written so
        value = _CHECKED.decode(text)
    return value


def _colons(value: Any) -> int:
    """Return how many colons the JSON of a value has: one a pair, and those within texts.

    It goes level by level, so that Python's own loops do the work.
    """
    total = 0
    level = [value]
    while types := _WITH_MORE & {*map(type, level)}:
        deeper: list[Any] = []
        if str in types:
            total += "".join(one for one in level if type(one) is str).count(":")
        if list in types:
            deeper += chain.from_iterable(one for one in level if type(one) is list)
        if dict in types:
            objects = [one for one in level if type(one) is dict]
            total += sum(map(len, objects)) + "".join(chain.from_iterable(objects)).count(":")
            deeper += chain.from_iterable(map(dict.values, objects))
        level = deeper
    return total


def decoded_whole(source: Source) -> Any:
    """Return the value that is the whole of a file; raise DataError for what is not JSON."""
    data = source.data
    needed = _BY_TEXT * len(data) + _BY_LIST * data.count(b"[") + _BY_OBJECT * data.count(b"{")
    if needed > MOST_MEMORY:
        raise DataError(
            source.name,
            f"is JSON that would need more than {MOST_MEMORY // 10**6} MB of memory",
            "other formats, such as JSON lines and Parquet, do not have this limit",
        )
    try:
        return decoded(source.text)
    except json.JSONDecodeError as error:
        lines = source.text[: len(source.text) - len(source.text.lstrip(_BLANKS))].count("\n")
        problem = f"is not valid JSON: {error.msg.lower()}"
        if problem.endswith(" at"):
            problem += f" character {error.colno}"
        raise source.error(error.lineno + lines, problem, _hint_for_cut(source)) from None
    except RecursionError:
        raise DataError(source.name, "is not valid JSON: it is nested too deeply") from None
    except ValueError as error:
        raise DataError(source.name, f"is not valid JSON: {error}") from None


def _hint_for_cut(source: Source) -> str:
    is_cut = not source.data.rstrip().endswith((b"}", b"]"))
    return "the last bracket is missing: was the file cut short?" if is_cut else ""


def objects_in_lines(source: Source, lines: "array[int]") -> Iterator[Sequence[dict[str, Any]]]:
    """Yield the objects of some lines at a time; add the numbers of these to `lines`."""
    for numbers, values in _decoded_lines(source):
        if {*map(type, values)} != {dict}:
            for number, value in zip(numbers, values, strict=True):
                if not isinstance(value, dict):
                    raise source.error(number, f"not a JSON object: {quoted(str(value))}")
        lines.extend(numbers)
        yield values


def _decoded_lines(source: Source) -> Iterator[tuple[Sequence[int], Sequence[Any]]]:
    """Yield the numbers and the values of some lines of JSON lines at a time, blank ones aside.

    Raise DataError for any other line.
    """
    for first_line, chunk in chunks(source.data):
        lines = [
            (number, line)
            for number, line in enumerate(
                chunk.split(b"\n"), start=source.lines_before + first_line
            )
            if line and not line.isspace()
        ]
        if not lines:
            continue
        numbers = [number for number, _ in lines]
        if all(_may_be_an_object(line) for _, line in lines):
            try:
                values = decoded(f"[{decode(b','.join(line for _, line in lines))}]")
            except (ValueError, RecursionError):
                values = ()
            if len(values) == len(lines):
                yield numbers, values
                continue
        yield numbers, [_decoded_line(source, number, decode(line)) for number, line in lines]


def _may_be_an_object(line: bytes) -> bool:
    stripped = line.strip()
    return len(line) <= LONGEST_LINE and stripped.startswith(b"{") and stripped.endswith(b"}")


def _decoded_line(source: Source, number: int, line: str) -> Any:
    if len(line) > LONGEST_LINE:
        raise source.error(number, f"a line of {len(line)} characters is too long to be scores")
    try:
        return decoded(line)
    except _TwiceError as error:
        raise source.error(number, str(error)) from None
    except (ValueError, RecursionError):
        raise source.error(number, f"not a JSON object: {quoted(line)}") from None


@once
def json_kind(head: Head) -> str:
    """Return whether a file is JSON: LINES, WHOLE or, if it is something else, an empty text."""
    if not head.lines or not _BEGINS_JSON.match(head.lines[0]):
        return ""
    first = head.lines[0].lstrip()
    is_cut = len(head.lines) == 1 and len(first) > LONGEST_LINE
    if first.startswith("[") or is_cut:
        return WHOLE
    try:
        value = _LONG_NUMBERS.decode(first.strip(_BLANKS))
    except RecursionError:
        return WHOLE
    except ValueError:
        # An object over several lines, or a line that is cut; lines that are objects follow lines.
        return LINES if len(head.lines) > 1 and head.lines[1].startswith("{") else WHOLE
    if len(head.lines) > 1:
        return LINES
    topics = [cell for name, cell in value.items() if folded_name(name) in TOPIC]
    is_row = any(not isinstance(cell, list | dict) for cell in topics)  # not a column of topics
    return LINES if is_row and "rows" not in value else WHOLE


def json_kind_of(source: Source) -> str:
    """Return what `json_kind` returns for the beginning of a file."""
    return json_kind(head_of(source))
