"""JSON lines, or a JSON table: what ir_measures writes as jsonl and confint as json and jsonl."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.header import MEASURE, RUN, SCORE, TOPIC
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, Rules, collect
from confint_cli.inputs.source import Source


def sniff(head: Head) -> bool:
    """The first line begins an object that has a score, or confint's own table."""
    if not head.lines or not head.lines[0].lstrip().startswith("{"):
        return False
    try:
        first = _loads(head.lines[0])
    except RecursionError:
        return False
    except ValueError:
        return any('"rows"' in line for line in head.lines)
    return isinstance(first, dict) and (_is_row(first) or "rows" in first)


def read(source: Source, reader: Reader) -> Reading:
    """Read one object a line, or the rows of one object."""
    return collect(source, _rows(source, reader), reader, Rules(exact=True))


def _loads(text: str) -> Any:
    """Return what JSON stands for."""
    return json.loads(text, parse_int=whole_number)


def _is_row(item: Mapping[str, Any]) -> bool:
    keys = {key.casefold() for key in item}
    return not keys.isdisjoint(TOPIC) and not keys.isdisjoint(SCORE)


def _rows(source: Source, reader: Reader) -> Iterator[Row]:
    for number, item in _objects(source):
        if not isinstance(item, dict) or not _is_row(item):
            raise source.error(number, f"no topic and score in {_shown(item)}")
        cells = {key.casefold(): value for key, value in item.items()}
        run, measure = _cell(cells, RUN), _cell(cells, MEASURE)
        topic, score = _cell(cells, TOPIC), _cell(cells, SCORE)
        if topic is None or score is None:
            raise source.error(number, f"no topic and score in {_shown(item)}")
        yield number, run, measure or reader.measure_for(source), topic, score


def _cell(cells: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the text or number of the first of these names; None for what is neither."""
    value = next((cells[name] for name in names if name in cells), None)
    if value is None or isinstance(value, list | dict):
        return None
    return repr(value) if isinstance(value, float) else str(value).strip()


def _shown(item: Any) -> str:
    try:
        return quoted(json.dumps(item))
    except RecursionError:  # deeper than can be written, though it could be read
        return "'…'"


def _objects(source: Source) -> Iterator[tuple[int, Any]]:
    if is_table(source.text):
        try:
            for item in rows_of_table(source.text):
                yield 1, item
        except ValueError as error:
            raise DataError(source.name, f"is no proper JSON table: {error}") from None
        return
    for number, line in source.lines():
        if len(line) > LONGEST_VALUE:
            raise source.error(number, f"a line of {len(line)} characters is no score: too long")
        try:
            yield number, _loads(line)
        except (ValueError, RecursionError):
            raise source.error(number, f"not a JSON object: {quoted(line)}") from None


FORMAT = Format(
    summary="JSON lines of ir_measures, json and jsonl of confint score",
    explanation="""\
One JSON object a line with query_id (or topic), measure and value (or score), as ir_measures -q
writes with -o jsonl, and optionally run; or one object whose "rows" are such objects, as
confint writes with --format json. The rows of topic 'all' are the file's own means.""",
    example='{"query_id": "301", "measure": "AP", "value": 0.0324}\n'
    '{"query_id": "302", "measure": "AP", "value": 0.4175}\n'
    '{"query_id": "all", "measure": "AP", "value": 0.22495}\n',
    sniff=sniff,
    read=read,
)


LONGEST_VALUE = 1 << 20
"""Characters of a row: nested nonsense takes twenty times the memory of its text."""

_SIGN = re.compile(r"[^ \t\n\r]")
_LONGEST_NUMBER = 4000  # digits; Python refuses to read longer ones


def whole_number(text: str) -> int | str:
    """Return a whole number; one that may be an id of any length, as its text."""
    return int(text) if len(text) <= _LONGEST_NUMBER else text


_decode = json.JSONDecoder(parse_int=whole_number).raw_decode


def is_table(text: str) -> bool:
    """Say whether the text is an object with "rows", as far as can be seen before these."""
    scanner = _Scanner(text)
    try:
        return any(name == "rows" for name in scanner.names())
    except ValueError:
        return False


def rows_of_table(text: str) -> Iterator[Any]:
    """Yield what is in the list of "rows"; ValueError says what is wrong with the table."""
    scanner = _Scanner(text)
    tables = 0
    for name in scanner.names():
        if name == "rows":
            tables += 1
            if tables > 1:
                raise ValueError('it has "rows" twice')
            yield from scanner.items()
    if scanner.next_sign():
        raise ValueError("something follows its end")


class _Scanner:
    """Goes through a text from value to value, none of them longer than is allowed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = 0  # of the window, which is cut out of the text
        self._window = text[:LONGEST_VALUE]
        self._place = 0  # in the window

    def names(self) -> Iterator[str]:
        """Yield the names in an object; whoever does not take what belongs to one, skips it."""
        self._take("{")
        if self.next_sign() == "}":
            self._take("}")
            return
        while True:
            name = self._value()
            if not isinstance(name, str):
                raise ValueError("a name is no text")
            self._take(":")
            before = self._start + self._place
            yield name
            if self._start + self._place == before:
                self._value()
            if self._take(",}") == "}":
                return

    def items(self) -> Iterator[Any]:
        """Yield what is in a list."""
        if self.next_sign() != "[":
            raise ValueError('its "rows" are no list')
        self._take("[")
        if self.next_sign() == "]":
            self._take("]")
            return
        while True:
            yield self._value()
            if self._take(",]") == "]":
                return

    def next_sign(self) -> str:
        """Return the next character that is no blank, or nothing at the end."""
        while True:
            found = _SIGN.search(self._window, self._place)
            self._place = found.start() if found else len(self._window)
            if found:
                return found[0]
            if not self._move():
                return ""

    def _take(self, expected: str) -> str:
        sign = self.next_sign()
        if not sign or sign not in expected:
            raise ValueError(f"{' or '.join(expected)} is missing after {self._where()}")
        self._place += 1
        return sign

    def _value(self) -> Any:
        self.next_sign()
        try:
            value, end = _decode(self._window, self._place)
            is_cut = end == len(self._window)  # a number may go on
        except (ValueError, RecursionError):
            value, end, is_cut = None, self._place, True
        if not is_cut:
            self._place = end
            return value
        self._move()
        try:
            value, self._place = _decode(self._window, self._place)
        except (ValueError, RecursionError):
            raise ValueError(f"no value, or too large a one, after {self._where()}") from None
        return value

    def _move(self) -> bool:
        """Cut the window out anew from the place on; False at the end of the text."""
        self._start += self._place
        self._place = 0
        self._window = self._text[self._start : self._start + LONGEST_VALUE]
        return bool(self._window)

    def _where(self) -> str:
        return f"{self._start + self._place} characters"
