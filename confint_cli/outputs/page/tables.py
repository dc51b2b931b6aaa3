"""Tables of a page: one row per run, with the intervals drawn in the rows.

A page may have a hundred thousand cells: what HTML does not need, such as the ends of cells and
quotes around our own words, is left out.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from confint_cli.common.table import Cell, Column, Interval, Marked, Span, Table
from confint_cli.outputs.cells import cell_text, is_number_column, without_empty_columns
from confint_cli.outputs.page.markup import (
    WIDTH,
    Scale,
    axis,
    name,
    prose,
    scale_of,
    scale_of_ranks,
    text,
)

_HEIGHT = 14  # of a picture
_MIDDLE = _HEIGHT // 2
# Columns that are sorted from the highest value to the lowest at first.
_BEST_IS_HIGH = (
    "mean", "difference", "first", "Glass's Δ", "Hedges' gz", "W/T/L", "judge", "r",
)  # fmt: skip
_IN_WORDS = ("run", "note", "verdict")  # columns that are sorted as words
_RANGES = ("rank set", "own set")  # columns of texts such as 2–5
_PARTS = {"W/T/L": "wins,ties,losses"}  # columns of several numbers, and what these are


@dataclass(frozen=True)
class _PageColumn:
    """A column as it is shown: its values and, in the same cells, their pictures."""

    column: Column
    spans: Sequence[Cell] = ()  # what is drawn in each row; empty: the column has no pictures
    scale: Scale | None = None  # of the pictures; None: the column has none
    is_words: bool = False  # whether it is sorted as words

    @property
    def has_text(self) -> bool:
        """Whether any row has a value: figures of topics are missing where collections count."""
        return any(cell_text(value, 0) for value in self.column.values)

    @cached_property
    def is_number(self) -> bool:
        """Whether all of its values are numbers, or missing."""
        return is_number_column(self.column)


def run_table(
    table: Table,
    digits: int,
    *,
    marked: Sequence[bool],
    marks_mean: str,
    caption: str,
    kind: str,
    below_baseline: bool = False,
    one_scale: bool = False,
) -> str:
    """Return a table, in which a column of pictures belongs to the column before it, as HTML.

    Rows that are `marked` are drawn in colour; those between breaks form a group. `marks_mean` says
    what a mark behind a number tells. With `below_baseline`, the first row is of the baseline of
    the others. With `one_scale`, all pictures have the same scale.
    """
    columns = [column for column in _page_columns(without_empty_columns(table)) if column.has_text]
    if one_scale:
        scale = _scale_of([span for column in columns for span in column.spans])
        columns = [replace(column, scale=column.scale and scale) for column in columns]
    groups = [sum(line <= row for line in table.breaks) for row in range(len(marked))]
    rows = []
    for row, is_marked in enumerate(marked):
        classes = ["on"] if is_marked else []
        classes += ["base"] if below_baseline and not row else []
        if table.breaks:
            classes += ["odd"] if groups[row] % 2 else []
            classes += ["first"] if row in table.breaks else []
        rows.append((" ".join(classes), [_cell(column, row, digits) for column in columns]))
    headers = [_header(column, marks_mean) for column in columns]
    return table_of(headers, rows, caption=caption, kind=kind)


def table_of(
    headers: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    *,
    caption: str,
    kind: str,
    data: str = "",
    of_runs: bool = True,
) -> str:
    """Return a table in a box of its own, in which it can be scrolled.

    Tables of one `kind` are sorted alike. `headers` and the cells of `rows` are HTML; each row
    comes with its classes, or none. `data` are further attributes, and `of_runs` says whether each
    row is of a run, by whose name it can be found.
    """
    lines = [
        f'<div class="box" role="region" tabindex="0" aria-label="{text(caption)}">'
        f'<table{" class=runs" if of_runs else ""} data-kind="{kind}"{data}>'
        f"<caption>{prose(caption)}</caption>",
        f"<thead><tr>{''.join(headers)}<tbody>",
        *(f"<tr{_class(classes)}>{''.join(cells)}" for classes, cells in rows),
        "</table></div>",
    ]
    return "\n".join(lines)


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


def _page_columns(table: Table) -> Iterator[_PageColumn]:
    """Yield the columns of a table, each with the pictures of the column behind it."""
    columns = list(table.columns)
    for column, following in zip(columns, [*columns[1:], None], strict=True):
        if _has_spans(column):
            continue
        if following is None or not _has_spans(following):
            yield _PageColumn(column, is_words=column.name in _IN_WORDS)
            continue
        cells = following.values
        spans = [cell for cell in cells if isinstance(cell, Span)]
        if column.name == "rank set":
            yield _PageColumn(column, cells, scale_of_ranks(len(spans)))
            continue
        yield _PageColumn(column, cells, _scale_of(cells))


def _scale_of(cells: Sequence[Cell]) -> Scale:
    """Return the scale on which all of the cells are drawn that are pictures."""
    spans = [cell for cell in cells if isinstance(cell, Span)]
    ends = [end for span in spans for end in (span.low, span.value, span.high, span.mark)]
    return scale_of(end for end in ends if end is not None)


def _has_spans(column: Column) -> bool:
    return any(isinstance(cell, Span) for cell in column.values)


def _header(shown: _PageColumn, marks_mean: str) -> str:
    picture = "" if shown.scale is None else axis(shown.scale)
    column = shown.column
    title, parts = column.name, _PARTS.get(column.name, "")
    if any(isinstance(value, Interval) for value in column.values):
        parts = f"{title} low,{title} high"
        title += "" if column.name == "could be" else " interval"
    elif title in _RANGES:
        parts = f"{title} low,{title} high"
    has_marks = any(isinstance(value, Marked) and value.mark for value in column.values)
    return header(
        title,
        picture,
        is_words=shown.is_words,
        is_wide=bool(picture),
        is_name=title == "run",
        best_is_high=title in _BEST_IS_HIGH,
        parts=parts,
        marks_mean=marks_mean if has_marks else "",
    )


def header(
    title: str,
    picture: str = "",
    *,
    is_words: bool,
    is_wide: bool = False,
    is_name: bool = False,
    best_is_high: bool = False,
    parts: str = "",
    marks_mean: str = "",
    has_text: bool = True,
) -> str:
    """Return the header of a column, with what the page's script needs to sort and to save it.

    `picture` is the axis of the pictures in the column, as HTML. Cells of several numbers have
    `parts`, separated by commas, and `marks_mean` says what marks behind numbers tell. A column of
    names stays in sight. One that has no text is not saved.
    """
    data = f' data-sort="{"words" if is_words else "number"}"'
    data += " data-first=desc" if best_is_high else ""
    data += f' data-parts="{text(parts)}"' if parts else ""
    data += f' data-mark="{text(marks_mean)}"' if marks_mean else ""
    data += "" if has_text else " data-picture"
    classes = "wide" if is_wide else "words" if is_words else "number"
    if is_name:
        classes += " name"
    return f'<th scope="col" class="{classes}"{data}><span>{text(title)}</span>{picture}'


def run_cell(run: str) -> str:
    """Return the header of a run's row."""
    return f"<th scope=row>{name(run)}"


def _cell(shown: _PageColumn, row: int, digits: int) -> str:
    value = shown.column.values[row]
    if shown.column.name == "run":
        return run_cell(str(value))
    if shown.is_words:
        if not value:
            return "<td>"
        return f"<td class=w>{prose(cell_text(value, digits))}"
    number = _number(value, digits)
    if shown.scale is None:
        return f"<td{'' if shown.is_number else ' class=c'}>{number}"
    span = shown.spans[row]
    picture = _picture(span, shown.scale) if isinstance(span, Span) else ""
    return f"<td class=p>{picture}{number}"


def _number(value: Cell, digits: int) -> str:
    """Return a number as HTML; its mark has a place of its own, so that digits stand in line."""
    if isinstance(value, Marked):
        mark = f"<i>{text(value.mark)}</i>" if value.mark else ""
        return f"{text(cell_text(value.value, digits))}{mark}"
    return text(cell_text(value, digits))


def marked_number(value: float, mark: str, digits: int, classes: Collection[str] = ()) -> str:
    """Return a cell with a number and its mark, drawn in colour if it has `classes`."""
    return f"<td{_class(' '.join(classes))}>{_number(Marked(value, mark), digits)}"


def _picture(span: Span, scale: Scale) -> str:
    """Return an interval and its value as SVG; a limit that is infinite is an arrow.

    The style says how large the circle is, and how high it stands.
    """
    shapes = ""
    if span.mark is not None:
        shapes = f'<path class=d d="M{scale.place(span.mark):g} 0v{_HEIGHT}"/>'
    if not math.isnan(span.low):
        low, high = scale.place(span.low), scale.place(span.high)
        line = f"M{low:g} {_MIDDLE}H{high:g}"
        if math.isfinite(span.low) and math.isfinite(span.high):
            bar = _MIDDLE - 4
            line = f"M{low:g} {_MIDDLE - bar}v{2 * bar}m0-{bar}H{high:g}m0-{bar}v{2 * bar}"
        else:
            line += _end(low, 1, closed=math.isfinite(span.low))
            line += _end(high, -1, closed=math.isfinite(span.high))
        shapes += f'<path class=i d="{line}"/>'
    shapes += f"<circle cx={scale.place(span.value):g} />"
    return f'<svg viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden=true>{shapes}</svg>'


def _end(place: float, inwards: int, *, closed: bool) -> str:
    """Return the path of an interval's end: a small bar, or an arrow where the limit is infinite.

    `inwards` is 1 where the interval goes on to the right of `place`, -1 to the left.
    """
    if closed:
        return f"M{place:g} {_MIDDLE - 3}v6"
    return f"M{place + 4 * inwards:g} {_MIDDLE - 4}L{place:g} {_MIDDLE}l{4 * inwards} 4"
