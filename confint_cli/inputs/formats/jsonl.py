"""JSON lines, or a JSON table: what ir_measures writes as jsonl and confint as json and jsonl."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from confint_cli.common.errors import DataError
from confint_cli.common.text import quoted
from confint_cli.inputs.header import MEASURE, RUN, SCORE, TOPIC
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import Row, Rules, collect
from confint_cli.inputs.source import Source

LONGEST_LINE = 1 << 20
"""The most characters of a row: nested nonsense takes fifty times the memory of its text."""

MOST_MEMORY = 800_000_000
"""The most bytes for a JSON table, which is read as a whole. Scores take 8 times the memory of
their text, so that is a million rows. Lists in lists take up to 50 times, by their number."""
_BY_TEXT, _BY_LIST, _BY_OBJECT = 8, 130, 64  # bytes for each character, bracket and brace

_LONGEST_NUMBER = 4000  # digits; Python refuses to read longer ones
_BLANKS = " \t\n\r"  # of JSON
_ROWS = re.compile(rb'"rows"\s*:')


def _whole_number(text: str) -> int | str:
    """Return a whole number, or its text if it is too long for Python; ids may have any length."""
    return int(text) if len(text) <= _LONGEST_NUMBER else text


class _Ambiguous(dict[str, Any]):
    """An object that has "rows" twice, of which one would be lost without a word."""


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs) and [name for name, _ in pairs].count("rows") > 1:
        return _Ambiguous(values)
    return values


_LINES = json.JSONDecoder(parse_int=_whole_number)  # one for all lines: to make one takes longer
_TABLES = json.JSONDecoder(parse_int=_whole_number, object_pairs_hook=_object)


def sniff(head: Head) -> bool:
    """Say whether the first line begins an object that has a score, or confint's own table."""
    if not head.lines or not head.lines[0].lstrip().startswith("{"):
        return False
    try:
        first = _LINES.decode(head.lines[0])
    except RecursionError:
        return False
    except ValueError:
        return any('"rows"' in line for line in head.lines)
    return isinstance(first, dict) and (_is_row(first) or "rows" in first)


def read(source: Source, reader: Reader) -> Reading:
    """Read one object a line, or the rows of one object."""
    return collect(source, _rows(source, reader), reader, Rules(exact=True))


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
    """Return the first of `names` in `cells` as text; None for nothing, a list or an object."""
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
    """Yield the line number of every object that should be a row, and the object.

    The rows of a table all have line 1.
    """
    if _is_table(source):
        for item in _rows_of_table(source):
            yield 1, item
        return
    for number, line in source.lines():
        if len(line) > LONGEST_LINE:
            raise source.error(number, f"a line of {len(line)} characters is no score: too long")
        try:
            yield number, _LINES.decode(line)
        except (ValueError, RecursionError):
            raise source.error(number, f"not a JSON object: {quoted(line)}") from None


def _is_table(source: Source) -> bool:
    """Say whether the file is one object with "rows", by its first line: lines may be millions."""
    _, first = next(source.lines(), (1, ""))
    if not first.lstrip().startswith("{"):
        return False
    try:
        return "rows" in _LINES.decode(first[:LONGEST_LINE])
    except (ValueError, RecursionError):  # the object goes on in further lines, or is faulty
        return _ROWS.search(source.data) is not None


def _rows_of_table(source: Source) -> Sequence[Any]:
    """Return the list of "rows" of the object that is the whole file."""
    data = source.data
    needed = _BY_TEXT * len(data) + _BY_LIST * data.count(b"[") + _BY_OBJECT * data.count(b"{")
    if needed > MOST_MEMORY:
        raise DataError(
            source.name,
            f"is a JSON table that takes more than {MOST_MEMORY // 10**6} MB of memory",
            "other formats may be of any size: confint writes --format jsonl, tsv and csv",
        )
    try:
        return _decoded_rows(source.text.strip(_BLANKS))
    except ValueError as error:
        problem = str(error)
    except RecursionError:
        problem = "it is nested too deep"
    raise DataError(source.name, f"is no proper JSON table: {problem}")


def _decoded_rows(text: str) -> Sequence[Any]:
    """Return the rows in the text of a table; ValueError says what is wrong with it."""
    table, end = _TABLES.raw_decode(text)
    if end < len(text):
        raise ValueError("something follows its end")
    if isinstance(table, _Ambiguous):
        raise ValueError('it has "rows" twice')
    if "rows" not in table:
        raise ValueError('it has no "rows"')
    if not isinstance(table["rows"], list):
        raise ValueError('its "rows" are no list')
    return table["rows"]


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
