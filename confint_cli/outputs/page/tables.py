"""Tables of a page: a row for each run, with the intervals drawn in the rows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from confint_cli.common.table import Cell, Column, Interval, Marked, Probability, Span, Table
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
_BEST_IS_HIGH = ("mean", "difference", "first", "Glass's Δ", "Hedges' gz", "W/T/L", "best")
_IN_WORDS = ("run", "note", "topic", "best run")  # columns that are sorted as words
_NAMES = ("run", "topic")  # columns of names, which stay in sight


@dataclass(frozen=True)
class _PageColumn:
    """A column as it is shown: its values and, in the same cells, their pictures."""

    column: Column
    spans: Sequence[Cell] = ()  # what is drawn in each row; empty: the column has no pictures
    scale: Scale | None = None  # of the pictures; None: the column has none
    keys: Sequence[float] = ()  # to sort rows by; empty: these are the values

    @property
    def is_words(self) -> bool:
        """Whether the column is sorted as words, by its name."""
        return self.column.name in _IN_WORDS


def run_table(
    table: Table,
    digits: int,
    *,
    marked: Sequence[bool],
    caption: str,
    below_baseline: bool = False,
) -> str:
    """Return a table, in which a column of pictures belongs to the column before it, as HTML.

    Rows that are `marked` are drawn in colour; those between breaks form a group. With
    `below_baseline`, the first row is of the baseline of the others.
    """
    columns = list(_page_columns(without_empty_columns(table)))
    groups = [sum(line <= row for line in table.breaks) for row in range(len(marked))]
    rows = []
    for row, is_marked in enumerate(marked):
        classes = ["on"] if is_marked else []
        classes += ["base"] if below_baseline and not row else []
        if table.breaks:
            classes += ["odd"] if groups[row] % 2 else []
            classes += ["first"] if row in table.breaks else []
        rows.append((" ".join(classes), [_cell(column, row, digits) for column in columns]))
    return table_of([_header(column) for column in columns], rows, caption=caption, kind="runs")


def table_of(
    headers: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    *,
    caption: str,
    kind: str,
) -> str:
    """Return a table of class `kind` in a box of its own, in which it can be scrolled.

    `headers` and the cells of `rows` are HTML; each row comes with its classes, or none.
    """
    lines = [
        f'<div class="box" role="region" tabindex="0" aria-label="{text(caption)}">'
        f'<table class="{kind}"><caption>{prose(caption)}</caption>',
        f"<thead><tr>{''.join(headers)}</tr></thead><tbody>",
        *(f"<tr{_class(classes)}>{''.join(cells)}</tr>" for classes, cells in rows),
        "</tbody></table></div>",
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
            yield _PageColumn(column)
            continue
        cells = following.values
        spans = [cell for cell in cells if isinstance(cell, Span)]
        if column.name == "rank set":
            keys = [span.low + span.high / (len(spans) + 1) for span in spans]
            yield _PageColumn(column, cells, scale_of_ranks(len(spans)), keys=keys)
            continue
        ends = [end for span in spans for end in (span.low, span.value, span.high, span.mark)]
        yield _PageColumn(column, cells, scale_of(end for end in ends if end is not None))


def _has_spans(column: Column) -> bool:
    return any(isinstance(cell, Span) for cell in column.values)


def _header(shown: _PageColumn) -> str:
    picture = "" if shown.scale is None else axis(shown.scale)
    title = shown.column.name
    if any(isinstance(value, Interval) for value in shown.column.values):
        title += " interval"
    return header(title, picture, is_words=shown.is_words, is_wide=bool(picture))


def header(title: str, picture: str = "", *, is_words: bool, is_wide: bool = False) -> str:
    """Return the header of a column, with what the page's script needs to sort by the column.

    `picture` is the axis of the pictures in the column, as HTML.
    """
    key_type = "words" if is_words else "number"
    data = f' data-sort="{key_type}"' + (' data-first="desc"' if title in _BEST_IS_HIGH else "")
    classes = "wide" if is_wide else key_type
    if title in _NAMES:
        classes += " name"
    return f'<th scope="col" class="{classes}"{data}><span>{text(title)}</span>{picture}</th>'


def _cell(shown: _PageColumn, row: int, digits: int) -> str:
    value = shown.column.values[row]
    if shown.column.name == "run":
        return f'<th scope="row">{name(str(value))}</th>'
    if shown.is_words:
        return f'<td class="w">{prose(cell_text(value, digits))}</td>'
    key = shown.keys[row] if shown.keys else _key(value)
    data = "" if key is None else f' data-v="{key:.10g}"'
    number = _number(value, digits)
    if shown.scale is None:
        kind = ' class="n"' if is_number_column(shown.column) else ' class="c"'
        return f"<td{kind}{data}>{number}</td>"
    span = shown.spans[row]
    picture = _picture(span, shown.scale) if isinstance(span, Span) else ""
    return f'<td class="p"{data}>{picture}<span>{number}</span></td>'


def _number(value: Cell, digits: int) -> str:
    """Return a number as HTML; its mark has a place of its own, so that digits stand in line."""
    if isinstance(value, Marked):
        return f"{text(cell_text(value.value, digits))}<i>{text(value.mark)}</i>"
    return text(cell_text(value, digits))


def _key(value: Cell) -> float | None:
    """Return the number that a value is sorted by; None, if that is its text, or it is missing."""
    if isinstance(value, Interval):
        key = value.low
    elif isinstance(value, (Marked, Probability)):
        key = value.value
    elif isinstance(value, float):
        key = value
    else:
        return None
    return None if math.isnan(key) else key


def _picture(span: Span, scale: Scale) -> str:
    """Return an interval and its value as SVG; a limit that is infinite is an arrow."""
    shapes = ""
    if span.mark is not None:
        shapes = f'<path class="d" d="M{scale.place(span.mark):g} 0v{_HEIGHT}"/>'
    if not math.isnan(span.low):
        low, high = scale.place(span.low), scale.place(span.high)
        ends = _end(low, 1, closed=math.isfinite(span.low))
        ends += _end(high, -1, closed=math.isfinite(span.high))
        shapes += f'<path class="i" d="M{low:g} {_MIDDLE}H{high:g}{ends}"/>'
    shapes += f'<circle cx="{scale.place(span.value):g}" cy="{_MIDDLE}" r="3"/>'
    return f'<svg class="plot" viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden="true">{shapes}</svg>'


def _end(place: float, inwards: int, *, closed: bool) -> str:
    """Return the path of an interval's end: a small bar, or an arrow where the limit is infinite.

    `inwards` is 1 where the interval goes on to the right of `place`, -1 to the left.
    """
    if closed:
        return f"M{place:g} {_MIDDLE - 3}v6"
    return f"M{place + 4 * inwards:g} {_MIDDLE - 4}L{place:g} {_MIDDLE}l{4 * inwards} 4"
