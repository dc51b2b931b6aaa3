"""A row for each run, with intervals on an axis that all rows share; many runs in columns.

Several methods and levels have lanes in a row.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from confint_cli.common.arrays import FloatArray
from confint_cli.common.words import percent, series
from confint_cli.outputs.figures.paper import (
    GREY,
    LABEL,
    MARGIN,
    PALE,
    PALER,
    SMALL,
    Paper,
    Sheet,
    Style,
    method_style,
    shown,
    width_of,
)
from confint_cli.outputs.figures.records import Record, sentences, values_of

_TALLEST = 9.4  # inches of a column
_COLUMNS = 4  # on a sheet, at most
_COLUMNS_OF_A_PAGE = 2  # so that it can be printed
_AXIS = 3.4  # inches
_ONLY_AXIS = 5.2  # of a sheet with one column
_BELOW = 0.5  # for the axis's numbers and name
_TICKS = 1.6  # on an inch, at most
_PAD = 0.05  # of the axis's range, on either side
_ROW = 0.2


_ONE_LEVEL, _THICKEST, _THINNEST = 1.4, 2.4, 0.7  # points


@dataclass(frozen=True)
class Intervals:
    """An interval and a value in each row, NaN where there is none."""

    name: str  # by which tests find it
    low: FloatArray
    value: FloatArray
    high: FloatArray
    style: Style
    lane: int = 0  # which of the lanes of a row it is in
    width: float = 1.4
    filled: Sequence[bool] | None = None  # which marks are; None: all
    capped: bool = False  # whether ends are marked, as thin lines lie upon thick ones
    face: str | None = None  # another colour of filled marks


@dataclass(frozen=True)
class Rows:
    """All that a chart of rows shows."""

    labels: Sequence[str]
    intervals: Sequence[Intervals]
    axis: str  # its name
    lanes: int = 1
    lines: Sequence[float] = ()  # values that are marked in all rows
    shaded: Sequence[bool] = ()  # rows on a grey ground; empty: every other one, faintly
    remarks: Sequence[str] = ()  # at the right of the rows
    within: tuple[float, float] | None = None  # the ends of the axis, if not where limits end
    ticks: Sequence[float] | None = None  # of the axis; None: wherever round numbers are
    height: float = _ROW  # of a row of one lane
    more: Callable[[Axes, slice], None] | None = None  # draws what else there is in some rows

    @property
    def row_height(self) -> float:
        """How high a row is."""
        return max(self.height, 0.09 * self.lanes + 0.08)

    @property
    def in_a_column(self) -> int:
        """How many rows a column has at most."""
        return max(1, int(_TALLEST / self.row_height))

    def place_of(self, row: int, lane: int) -> float:
        """Return where a lane of a row is: rows are 1 apart, lanes less."""
        return row + ((lane + 0.5) / self.lanes - 0.5) * 0.7

    @property
    def range(self) -> tuple[float, float]:
        """The ends of the axis: all limits that are finite, and the lines."""
        if self.within is not None:
            return self.within
        parts = [part for one in self.intervals for part in (one.low, one.value, one.high)]
        values = np.concatenate([*parts, np.array(self.lines, dtype=float)])
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        pad = _PAD * (high - low) or max(0.5, _PAD * abs(low))  # 0.5 is lost beside large numbers
        return low - pad, high + pad


@dataclass(frozen=True)
class Heading:
    """What stands above a chart of rows."""

    title: str
    explanation: str
    keys: Sequence[Line2D] = ()


def sheets_of(rows: Rows, heading: Heading, *, paged: bool, noun: str = "run") -> list[Sheet]:
    """Return as many sheets as the rows take, or the first of them, which says what it leaves out.

    `noun` is what the rows are.
    """
    total = len(rows.labels)
    most = rows.in_a_column * (_COLUMNS_OF_A_PAGE if paged else _COLUMNS)
    if paged:
        most = math.ceil(total / math.ceil(total / most))  # pages are about equally full
    sheets = []
    for start in range(0, total if paged else 1, most):
        here = slice(start, min(start + most, total))
        explanation = heading.explanation
        if total > most:
            where = f"{noun.capitalize()}s {start + 1} to {here.stop} of {total}"
            others = "" if paged else "; a PDF has the others on further pages"
            explanation = sentences(f"{where}{others}.", explanation)
        left_out = f"{here.stop} of {total} {noun}s" if here.stop < total and not paged else ""
        sheets.append(replace(_sheet(rows, here, heading, explanation), left_out=left_out))
    return sheets


def _sheet(rows: Rows, here: slice, heading: Heading, explanation: str) -> Sheet:
    number = here.stop - here.start
    columns = math.ceil(number / rows.in_a_column)
    names = max(width_of(label, LABEL) for label in rows.labels[here]) + 0.1
    remarks = max((width_of(one, SMALL) for one in rows.remarks[here]), default=0.0)
    remarks += 0.1 if remarks else 0.0
    axis = _ONLY_AXIS if columns == 1 else _AXIS
    in_a_column = math.ceil(number / columns)
    width = MARGIN + columns * (names + axis + remarks + MARGIN)

    def draw(paper: Paper) -> None:
        for column in range(columns):
            first = here.start + column * in_a_column
            part = slice(first, min(first + in_a_column, here.stop))
            left = MARGIN + column * (names + axis + remarks + MARGIN) + names
            tall = (part.stop - part.start) * rows.row_height
            draw_rows(paper.axes(left, 0.0, axis, tall), rows, part)

    height = in_a_column * rows.row_height + _BELOW + MARGIN / 2
    return Sheet(
        heading.title, explanation, width, height, draw, heading.keys, names=rows.labels[here]
    )


def draw_rows(axes: Axes, rows: Rows, part: slice) -> None:
    """Draw some of the rows into axes."""
    number = part.stop - part.start
    axes.set_ylim(number - 0.5, -0.5)
    axes.set_xlim(*rows.range)
    axes.set_yticks(range(number), [shown(label) for label in rows.labels[part]])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(shown(rows.axis))
    if rows.ticks is not None:
        axes.set_xticks(rows.ticks)
    else:
        inches = axes.bbox.width / axes.figure.dpi
        axes.locator_params(axis="x", nbins=int(_TICKS * inches))
    for row in range(number):
        if rows.shaded and rows.shaded[part.start + row]:
            axes.axhspan(row - 0.5, row + 0.5, color=PALE, linewidth=0, zorder=0)
        elif not rows.shaded and row % 2 == 0:
            axes.axhspan(row - 0.5, row + 0.5, color=PALER, linewidth=0, zorder=0)
    for line in rows.lines:
        axes.axvline(line, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1, gid="line")
    for one in rows.intervals:
        _draw_intervals(axes, rows, one, part)
    if rows.more is not None:
        rows.more(axes, part)
    for row, remark in enumerate(rows.remarks[part]):
        axes.annotate(
            shown(remark), (1.0, row), xytext=(4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", size=SMALL, annotation_clip=False,
        )  # fmt: skip


def _draw_intervals(axes: Axes, rows: Rows, one: Intervals, part: slice) -> None:
    start, end = rows.range
    number = part.stop - part.start
    places = np.arange(number) + rows.place_of(0, one.lane)
    low, value, high = one.low[part], one.value[part], one.high[part]
    there = ~(np.isnan(low) | np.isnan(high))
    ends = np.stack([low, places, high, places], axis=1).reshape(-1, 2, 2)[there]
    axes.add_collection(
        LineCollection(
            list(ends.clip([start, -np.inf], [end, np.inf])), colors=one.style.color,
            linewidths=one.width, gid=f"limits {one.name}",
        ),
        autolim=False,
    )  # fmt: skip
    if one.capped:
        for side, limit in ((0, low), (1, high)):
            axes.plot(
                ends[np.isfinite(limit[there]), side, 0], ends[np.isfinite(limit[there]), side, 1],
                "|", color=one.style.color, markersize=4, markeredgewidth=0.9,
            )  # fmt: skip
    for infinite, edge, marker in ((low == -np.inf, start, "<"), (high == np.inf, end, ">")):
        if infinite.any():  # an arrow where a limit is beyond all bounds
            axes.plot(
                np.full(infinite.sum(), edge), places[infinite], marker, color=one.style.color,
                markersize=4, clip_on=False, gid=f"unbounded {one.name}",
            )  # fmt: skip
    filled = np.full(number, True) if one.filled is None else np.array(one.filled[part])
    for which, face in ((filled, one.face or one.style.color), (~filled, "white")):
        if which.any():
            axes.plot(
                value[which], places[which], one.style.marker, markerfacecolor=face,
                markeredgecolor="black" if one.face else one.style.color, linestyle="none",
                markersize=4 if rows.lanes < 4 else 3, markeredgewidth=0.9, zorder=4,
                gid=f"values {one.name}",
            )  # fmt: skip


def in_lanes(
    rows: Sequence[Record], row_of: Callable[[Record], Hashable], value: str, filled: str = ""
) -> list[Intervals]:
    """Return the intervals of all rows, those of one figure's row told by what `row_of` returns.

    `value` and `filled` name what is marked, and whether the mark is a filled one.
    """
    places = list(dict.fromkeys(map(row_of, rows)))
    levels = sorted(values_of(rows, "level"))
    found = {(row_of(row), row["method"], row["level"]): row for row in rows}
    widths = np.linspace(_THICKEST, _THINNEST, len(levels)) if len(levels) > 1 else [_ONE_LEVEL]
    intervals = []
    for lane, method in enumerate(values_of(rows, "method")):
        for width, level in zip(widths, levels, strict=True):
            own = [found.get((place, method, level)) for place in places]
            low, middle, high = (
                np.array([row[name] if row else np.nan for row in own], dtype=float)
                for name in ("low", value, "high")
            )
            intervals.append(
                Intervals(
                    f"{method} {level}",
                    low,
                    middle,
                    high,
                    method_style(method),
                    lane,
                    float(width),
                    [bool(row and row[filled]) for row in own] if filled else None,
                    capped=len(levels) > 1,
                )
            )
    return intervals


def method_keys(rows: Sequence[Record]) -> list[Line2D]:
    """Return what explains the lanes, if there are several."""
    methods = values_of(rows, "method")
    keys = [method_style(method).key(method) for method in methods]
    return keys if len(keys) > 1 else []


def about_levels(rows: Sequence[Record]) -> str:
    """Return what explains the thickness of lines, if there are several levels."""
    levels = sorted(values_of(rows, "level"))
    if len(levels) == 1:
        return ""
    return f"From thick to thin: {series([percent(level) for level in levels])}."


def about_infinity(rows: Sequence[Record]) -> str:
    """Return what explains arrows, and marks without a line, if there are some."""
    infinite = any(math.isinf(row[end]) for row in rows for end in ("low", "high"))
    missing = any(math.isnan(row["low"]) for row in rows)
    return sentences(
        "An arrow has no limit." if infinite else "",
        "A mark without a line has no limits." if missing else "",
    )
