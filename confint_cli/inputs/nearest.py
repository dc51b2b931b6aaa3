"""What a file in an unknown format is most like, and what is wrong with it: for its error."""

import re
from collections.abc import Sequence

from confint_cli.common.errors import DataError
from confint_cli.common.measures import looks_like_a_measure
from confint_cli.common.text import count, listed, looks_numeric, quoted
from confint_cli.inputs.header import header_of
from confint_cli.inputs.reading import Head

_SHOWN = 60  # characters of a line
_FORMATS = "'confint formats' lists the formats that confint reads"
_MARKUP = re.compile(r"\s*<[!?a-zA-Z]")
_LETOR = re.compile(r"\S+ qid:\S+ ")
_PER_TOPIC = "confint needs the scores of every topic: use trec_eval -q or ir_measures -q"


def nearest_miss(head: Head) -> DataError:
    """Return the error for a file in no known format."""
    name = head.source.name
    rows = [line.split() for line in head.lines if not line.startswith("#")]
    if not rows:
        return DataError(name, "is not in a known format: it has only comments", _FORMATS)
    like, but, hint = _likeness(head, rows)
    if like:
        return DataError(name, f"is not in a known format: it looks like {like}, but {but}", hint)
    shown = quoted(head.lines[0], _SHOWN)
    return DataError(name, f"is not in a known format: it begins with {shown}", _FORMATS)


def _likeness(head: Head, rows: Sequence[Sequence[str]]) -> tuple[str, str, str]:
    """Return what a file is like, what is different in it, and a hint; empty texts for nothing."""
    if _MARKUP.match(head.lines[0]):
        return "HTML or XML", "confint reads scores from text, JSON and Parquet", _FORMATS
    if all(map(_LETOR.match, head.lines)):
        return "features for learning to rank", "it has no scores of runs", _FORMATS
    first = [row for row in rows if looks_like_a_measure(row[0])]
    second = [row for row in rows if len(row) > 1 and looks_like_a_measure(row[1])]
    if 2 * len(first) > len(rows):
        return _like_lines_of_words("trec_eval's output (measure, topic, value)", rows)
    if 2 * len(second) > len(rows):
        return _like_lines_of_words("ir_measures' output (topic, measure, value)", rows)
    header = header_of(head)
    if header is not None:
        columns = listed([quoted(cell, 40) for cell in header.cells], 5)
        no_numbers = "no column holds numbers", "the first line of a table names its columns"
        return f"a table with columns {columns}", *no_numbers
    return "", "", ""


def _like_lines_of_words(tool: str, rows: Sequence[Sequence[str]]) -> tuple[str, str, str]:
    """Return in what lines of words differ from those of a tool."""
    widths = {len(row) for row in rows}
    if widths == {2} and all(looks_numeric(row[1]) for row in rows):
        return tool, "it has no topics: these are means", _PER_TOPIC
    row = next((row for row in rows if len(row) != 3 or not looks_numeric(row[2])), rows[0])
    if len(row) != 3:
        shown = quoted(" ".join(row), _SHOWN)
        return tool, f"{shown} has {count(len(row), 'word')}, not 3", _FORMATS
    return tool, f"{quoted(row[2], _SHOWN)} is not a number", _FORMATS
