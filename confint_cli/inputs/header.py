"""Tables with a header, in CSV or TSV: what separates their cells, their names, their rows.

This module also reads what confint writes above the header, and the numbers in tables of means.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile

from confint_cli.common.errors import DataError
from confint_cli.common.measures import canonical
from confint_cli.common.text import (
    BAR,
    count,
    number,
    put_together,
    quoted,
    split_at_commas,
    visible_measure,
    why_no_number,
    without_guard,
    without_guarded_cells,
)
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import LONGEST_HEADER, Head, head_of, once
from confint_cli.inputs.source import Source, decode

# What columns are called, without regard to case. Of several in a table the first name here wins.
RUN = ("run", "runid", "run_id", "system", "sys", "name", "model", "tag", "method")
TOPIC = (
    "qid", "query_id", "queryid", "topic", "topic_id", "topicid", "topic_no", "topicno",
    "topic_number", "query_no", "queryno", "query_number", "query", "question_id", "record_id",
    "id", "q_id", "item_id", "sample_id", "example_id", "instance_id", "task_id", "doc_id",
)  # fmt: skip
MEASURE = ("measure", "metric", "measures", "metrics")
SCORE = ("score", "value")
COLLECTION = ("collection", "dataset", "corpus", "task")
REPEAT = ("repeat", "seed", "trial", "random_seed")
GROUP = (
    "group", "conversation", "session", "cluster",
    "group_id", "conversation_id", "session_id", "cluster_id",
)  # fmt: skip
FOLD = ("fold",)  # no repeat: folds part the topics
DOCUMENT = ("docno", "doc_id", "docid", "corpus_id", "document_id", "passage_id")

_QUOTED = re.compile(r'(?:^|(?<=[\t,;]))"(?:[^"]|"")*"', re.MULTILINE)
_BLANK_QUOTE = ', "'  # some write a blank after each comma, and quotes behind it
_SAYS_SEPARATOR = re.compile(r'"?sep=(.)', re.IGNORECASE)  # Excel's first line, for itself
_BEGINNING = 10  # bytes of a line that show whether it is a comment, or for Excel
_SIGNATURE = "# confint:"
_SCALE = re.compile(r"([0-9a-f]{8}(-cdf)?)?", re.ASCII)  # empty: not standardised


@dataclass(frozen=True)
class Header:
    """The first line of a table: its cells and what separates them."""

    cells: Sequence[str]
    delimiter: str
    has_blanks: bool = False  # before quotes: `"a", "b"`

    @property
    def guarded(self) -> bool:
        """Whether cells that a spreadsheet might take for formulas have a quote before them."""
        return self.delimiter == ","

    @cached_property
    def folded(self) -> list[str]:
        """The cells without regard to case; `Query ID` and `query-id` are `query_id`."""
        return [*map(folded_name, self.cells)]

    def find(self, names: Iterable[str]) -> int | None:
        """Return the position of the first of `names` that the header has, or None."""
        return next((self.folded.index(name) for name in names if name in self.folded), None)


def names_documents(folded: Iterable[str]) -> bool:
    """Say whether a table is one of documents for topics, by the names of its columns.

    `doc_id` by itself is what harnesses for language models call an item, that is a topic.
    """
    names = {*folded}
    return any(name in names - {topic} for topic in names & {*TOPIC} for name in DOCUMENT)


def folded_name(name: str) -> str:
    """Return the name of a column in the spelling of `RUN`, `TOPIC` and the others."""
    return name.casefold().replace(" ", "_").replace("-", "_")


@once
def header_of(head: Head) -> Header | None:
    """Return the header of a delimited file, or None if its first line does not look like one.

    Quoted names may have line ends and separators in them.
    """
    text = "\n".join(dropwhile(_is_no_header, head.lines))
    if not text:
        return None
    separator_line = _SAYS_SEPARATOR.match(head.lines[0])
    if separator_line is not None and separator_line[1] in "\t,;":
        delimiter: str | None = separator_line[1]
    else:
        lines = _QUOTED.sub('""', text).split("\n")
        # A comment behind the header is an error of its own; it does not tell what separates cells.
        rows = [line for line in lines if not _is_no_header(line) or re.search("[\t,;]", line)]
        delimiter = _delimiter(rows)
    if delimiter is None:
        return None
    try:
        cells = next(
            csv.reader(
                io.StringIO(text, newline=""),
                delimiter=delimiter,
                skipinitialspace=_BLANK_QUOTE in text,
            )
        )
    except csv.Error:
        return None
    if not cells:  # nothing but odd blanks
        return None
    return Header([cell.strip() for cell in cells], delimiter, _BLANK_QUOTE in text)


def _is_no_header(line: str) -> bool:
    """Say whether a line in front of a table is a comment, or Excel's `sep=;`."""
    return line.startswith("#") or _SAYS_SEPARATOR.match(line) is not None


def _delimiter(lines: Sequence[str]) -> str | None:
    """Return the separator that the first two lines share, or None.

    If they share commas and semicolons, the one that is as frequent in both lines wins, then the
    more frequent one: in `301;0,5` the commas are decimal ones, in `a;b,301,0.5` the semicolon is
    part of a name.
    """
    shared = [delimiter for delimiter in "\t,;" if all(delimiter in line for line in lines[:2])]
    if shared == [",", ";"]:
        is_even = {sign: len({line.count(sign) for line in lines[:2]}) == 1 for sign in shared}
        shared.sort(key=lambda sign: (is_even[sign], lines[0].count(sign), sign), reverse=True)
    if shared:
        return shared[0]
    return "," if len(lines[0].split()) == 1 and '"' in lines[0] else None


def open_table(source: Source) -> tuple[Header, Iterator[tuple[int, list[str]]]]:
    """Return the header of a table, and an iterator over the line number and cells of each row.

    Blank lines are left out, and so are lines in front of the header that begin with #, such as
    confint's own signature, and the header where it comes again: people append tables.
    """
    header = header_of(head_of(source))
    if header is None:
        problem = (
            "a table needs a header of two or more columns, separated by commas, semicolons or tabs"
        )
        raise source.error(1, problem)
    start, end = _place_of_header(source.data)
    for _ in range(_lines_of(source, start, header.delimiter) - 1):
        end = _end_of_line(source.data, end + 1)
    return header, _rows_from(source, header, end + 1)


def _place_of_header(data: bytes) -> tuple[int, int]:
    """Return where the first line that is neither blank nor a comment begins and ends."""
    start = end = 0
    while start < len(data):
        end = _end_of_line(data, start)
        line = data[start:end]
        if not _is_no_header(decode(line[:_BEGINNING])) and decode(line).strip():
            break
        start = end + 1
    return start, end


def _end_of_line(data: bytes, start: int) -> int:
    return data.find(b"\n", start) % (len(data) + 1)  # that of the last line is not found


def _lines_of(source: Source, start: int, delimiter: str) -> int:
    """Return how many lines the header has: there may be line ends in its quoted names."""
    text = decode(source.data[start : start + LONGEST_HEADER])
    reader = csv.reader(
        io.StringIO(text, newline="\n"), delimiter=delimiter, skipinitialspace=_BLANK_QUOTE in text
    )
    try:
        next(reader)
    except csv.Error as error:
        raise source.error(1, f"is not a valid table: {error}") from None
    if reader.line_num > text.count("\n") and start + LONGEST_HEADER < len(source.data):
        raise source.error(1, f"the header is longer than {LONGEST_HEADER >> 20} MiB")
    return reader.line_num


def _rows_from(source: Source, header: Header, start: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and cells of each row from byte `start` on."""
    skipped = source.data.count(b"\n", 0, start)
    content = source.open_text(newline="", start=start)
    reader = csv.reader(content, delimiter=header.delimiter, skipinitialspace=header.has_blanks)
    last_name, names = header.cells[-1], [*header.cells]
    last_line = 0
    try:
        for cells in reader:
            if reader.line_num > last_line + 1:
                _check_no_row_is_swallowed(source, skipped + last_line + 1, cells, header)
            last_line = reader.line_num
            if not any(cells) or (len(cells) == 1 and cells[0].isspace()):
                continue
            if cells[-1].strip() == last_name and _stripped(cells) == names:
                continue
            yield skipped + reader.line_num, cells
    except csv.Error as error:
        raise source.error(skipped + reader.line_num, f"is not a valid table: {error}") from None


def _check_no_row_is_swallowed(
    source: Source, line: int, cells: Sequence[str], header: Header
) -> None:
    """Raise an error for a cell with as many tabs as rows have: a quote was not doubled.

    Tools that separate by commas double quotes; those that separate by tabs often have none.
    """
    for cell in cells if header.delimiter == "\t" else ():
        if cell.count("\t") >= (len(header.cells) - 1) * max(cell.count("\n"), 1):
            problem = "a cell that begins with a quote goes on over several rows"
            raise source.error(line, problem, "double the quotes in texts, or leave them all out")


def _stripped(cells: Sequence[str]) -> list[str]:
    """Return cells without blanks around them, and without a byte order mark."""
    return [cell.strip("\ufeff \t\r\n") for cell in cells]


def after_header(source: Source) -> int | None:
    """Return the byte where the rows begin; None if there are quotes in the table, or no rows."""
    start, end = _place_of_header(source.data)
    is_plain = source.data.find(b'"', start) < 0 and source.data.find(b"'", end) < 0
    return end + 1 if is_plain and end + 1 < len(source.data) else None


def check_width(source: Origin, line: int, cells: Sequence[str], width: int) -> None:
    """Raise an error at a row that is longer or shorter than the header."""
    if len(cells) != width:
        raise source.error(
            line,
            f"{count(width, 'column')} {'is' if width == 1 else 'are'} needed, not {len(cells)}: "
            f"{quoted(', '.join(cells))}",
        )


def named_rows(
    source: Source,
    columns: Mapping[str, Iterable[str]],
    what: str,
    hint: str,
    check: Callable[[Header], None] = lambda _: None,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line number of each row, and its cells by the keys of `columns`.

    The values of `columns` are the spellings of each name. An error about another kind of table
    says that it is not one of `what`, and gives the `hint`; `check` may raise one about a header.
    """
    header, rows = open_table(source)
    check(header)
    places = {name: header.find(spellings) for name, spellings in columns.items()}
    known = {name: place for name, place in places.items() if place is not None}
    missing = [name for name in columns if name not in known]
    if {"mean", "sd"} <= set(missing):
        raise DataError(source.name, f"is not a table of {what}", hint)
    if missing:
        raise source.error(
            1, f"the table has no column {' and no column '.join(map(quoted, missing))}"
        )
    for line, cells in rows:
        check_width(source, line, cells, len(header.cells))
        row = {name: cells[place].strip() for name, place in known.items()}
        if header.guarded:
            row = {name: without_guard(cell) for name, cell in row.items()}
        yield line, row


def number_in(source: Source, line: int, name: str, text: str) -> float:
    """Return the number that a cell shows; an error calls it by its `name`."""
    try:
        return number(text)
    except ValueError:
        problem = f"the {name} is {why_no_number(text)}: {quoted(text)}"
        raise source.error(line, problem) from None


def sd_in(source: Source, line: int, text: str) -> float:
    """Return the standard deviation that a cell shows; raise an error if it is below 0."""
    sd = number_in(source, line, "sd", text)
    if sd < 0:
        raise source.error(line, f"the sd is {sd:g}, but it cannot be below 0")
    return sd


def whole_number_in(source: Source, line: int, name: str, text: str) -> int:
    """Return the whole number that a cell shows; raise an error if it is below 2."""
    value = number_in(source, line, f"value of '{name}'", text)
    if value != int(value) or value < 2:
        raise source.error(
            line, f"{name} is {quoted(text)}, but has to be a whole number of 2 or more"
        )
    return int(value)


def scales_in(source: Source, names: Iterable[str]) -> Mapping[str, str] | None:
    """Return the scale of each standardised measure, by canonical name, from confint's signature.

    None if there is no signature, or one with scales that confint would not write: anybody may
    have written the line. `names` are the file's measures, which may have commas in them.
    """
    line = source.data.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    if not line.startswith(_SIGNATURE):
        return None
    fields = without_guarded_cells(line).split("|")
    entries = dict(field.partition(":")[::2] for field in fields)
    if "scale" not in entries:
        return {}
    shown = split_at_commas([entries.get("measures", "").replace(BAR, "|")])
    measures = put_together([*filter(None, shown)], map(visible_measure, names))
    scales = entries["scale"].split(",")
    if len(measures) != len(scales) or not all(map(_SCALE.fullmatch, scales)):
        return None
    pairs = zip(map(canonical, measures), scales, strict=True)
    return {measure: scale for measure, scale in pairs if scale}
