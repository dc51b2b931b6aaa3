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

_HEIGHT = 14
_MIDDLE = _HEIGHT // 2
_BEST_IS_HIGH = ("mean", "difference", "first", "Glass's Δ", "Hedges' gz", "W/T/L", "best")
_IN_WORDS = ("run", "note", "topic", "best run")  # columns that are sorted as words
_NAMES = ("run", "topic")  # columns of names, which stay in sight


@dataclass(frozen=True)
class _Shown:
    """A column as it is shown: its values and, in the same cells, their pictures."""

    column: Column
    spans: Sequence[Cell] = ()
    scale: Scale | None = None
    keys: Sequence[float] = ()  # to sort by; none: the values

    @property
    def is_words(self) -> bool:
        return self.column.name in _IN_WORDS


def run_table(view: Table, digits: int, *, marked: Sequence[bool], caption: str) -> str:
    """Return the table of a view in which a picture belongs to the column before it.

    Rows that are `marked` are drawn in colour; those between breaks form a group.
    """
    columns = list(_shown(without_empty_columns(view)))
    groups = [sum(line <= row for line in view.breaks) for row in range(len(marked))]
    rows = []
    for row, is_marked in enumerate(marked):
        classes = ["on"] if is_marked else []
        if any(shown.spans and shown.spans[row] is None for shown in columns):
            classes.append("base")  # the baseline, which differs from nothing
        if view.breaks:
            classes += ["odd"] if groups[row] % 2 else []
            classes += ["first"] if row in view.breaks else []
        rows.append((" ".join(classes), [_cell(shown, row, digits) for shown in columns]))
    return table_of([_header(shown) for shown in columns], rows, caption=caption, kind="runs")


def table_of(
    headers: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    *,
    caption: str,
    kind: str,
) -> str:
    """Return a table in a box of its own, in which it can be scrolled; rows have a class."""
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


def _shown(view: Table) -> Iterator[_Shown]:
    """Yield the columns, those of pictures with the ones that they belong to."""
    columns = list(view.columns)
    for column, following in zip(columns, [*columns[1:], None], strict=True):
        if _is_drawn(column):
            continue
        if following is None or not _is_drawn(following):
            yield _Shown(column)
            continue
        spans = following.values
        own = [span for span in spans if isinstance(span, Span)]
        if column.name == "rank set":
            keys = [span.low + span.high / (len(own) + 1) for span in own]
            yield _Shown(column, spans, scale_of_ranks(len(own)), keys=keys)
            continue
        ends = [end for span in own for end in (span.low, span.value, span.high, span.mark)]
        yield _Shown(column, spans, scale_of(end for end in ends if end is not None))


def _is_drawn(column: Column) -> bool:
    return any(isinstance(cell, Span) for cell in column.values)


def _header(shown: _Shown) -> str:
    picture = "" if shown.scale is None else axis(shown.scale)
    title = shown.column.name
    if any(isinstance(value, Interval) for value in shown.column.values):
        title += " interval"
    return header(title, picture, is_words=shown.is_words, is_wide=bool(picture))


def header(title: str, picture: str = "", *, is_words: bool, is_wide: bool = False) -> str:
    """Return the header of a column, and what a script needs to know to sort by it."""
    by = "words" if is_words else "number"
    how = f' data-sort="{by}"' + (' data-first="desc"' if title in _BEST_IS_HIGH else "")
    kind = "wide" if is_wide else by
    if title in _NAMES:
        kind += " name"
    return f'<th scope="col" class="{kind}"{how}><span>{text(title)}</span>{picture}</th>'


def _cell(shown: _Shown, row: int, digits: int) -> str:
    value = shown.column.values[row]
    if shown.column.name == "run":
        return f'<th scope="row">{name(str(value))}</th>'
    if shown.is_words:
        return f'<td class="w">{prose(cell_text(value, digits))}</td>'
    key = shown.keys[row] if shown.keys else _key(value)
    data = "" if key is None else f' data-v="{key:.10g}"'
    words = _words(value, digits)
    if shown.scale is None:
        kind = ' class="n"' if is_number_column(shown.column) else ' class="c"'
        return f"<td{kind}{data}>{words}</td>"
    span = shown.spans[row]
    picture = _picture(span, shown.scale) if isinstance(span, Span) else ""
    return f'<td class="p"{data}>{picture}<span>{words}</span></td>'


def _words(value: Cell, digits: int) -> str:
    """Return a number as text; marks have a place of their own, so that digits stand in line."""
    if isinstance(value, Marked):
        return f"{text(cell_text(value.value, digits))}<i>{text(value.mark)}</i>"
    return text(cell_text(value, digits))


def _key(value: Cell) -> float | None:
    """Return what a value is sorted by, if its text does not say it or is rounded."""
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
    """Return an interval about its value; what has no end has an arrow there."""
    marks = ""
    if span.mark is not None:
        marks = f'<path class="d" d="M{scale.place(span.mark):g} 0v{_HEIGHT}"/>'
    if not math.isnan(span.low):
        low, high = scale.place(span.low), scale.place(span.high)
        ends = _end(low, 1, closed=math.isfinite(span.low))
        ends += _end(high, -1, closed=math.isfinite(span.high))
        marks += f'<path class="i" d="M{low:g} {_MIDDLE}H{high:g}{ends}"/>'
    marks += f'<circle cx="{scale.place(span.value):g}" cy="{_MIDDLE}" r="3"/>'
    return f'<svg class="plot" viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden="true">{marks}</svg>'


def _end(place: float, inwards: int, *, closed: bool) -> str:
    """Return the end of an interval: a small bar, or an arrow where it goes on for ever."""
    if closed:
        return f"M{place:g} {_MIDDLE - 3}v6"
    return f"M{place + 4 * inwards:g} {_MIDDLE - 4}L{place:g} {_MIDDLE}l{4 * inwards} 4"
