"""JSON lines, or a JSON table: what ir_measures writes as jsonl and confint as json and jsonl."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confint_cli.errors import DataError
from confint_cli.inputs._columns import MEASURE, RUN, SCORE, TOPIC
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._json_table import LONGEST_VALUE, is_table, rows_of_table, whole_number
from confint_cli.inputs._rows import Row, Rules, collect
from confint_cli.inputs._source import Source
from confint_cli.text import quoted


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
