"""Charts with one row per run, and intervals on an axis that all rows share.

Many rows are in several columns. In a row, each method has its own lane.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from confint_cli.common.arrays import BoolArray, FloatArray
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
from confint_cli.outputs.figures.records import sentences, values_of

_TALLEST = 9.4  # inches of a column
_COLUMNS = 4  # on a sheet, at most
_COLUMNS_OF_A_PAGE = 2  # so that it can be printed
_AXIS = 3.4  # inches
_ONLY_AXIS = 5.2  # inches, on a sheet with one column
_BELOW = 0.5  # inches for the axis's numbers and name
_TICKS = 1.6  # on an inch, at most
_PAD = 0.05  # of the axis's range, on either side
_ROW = 0.2  # inches
_ONE_LEVEL, _THICKEST, _THINNEST = 1.4, 2.4, 0.7  # points: widths of lines, by the level


@dataclass(frozen=True)
class Intervals:
    """Intervals and values, one for each row of a chart, NaN where there is none."""

    name: str  # by which tests find it
    low: FloatArray  # [row]
    value: FloatArray  # [row]
    high: FloatArray  # [row]
    style: Style
    lane: int = 0  # in which lane of each row they are drawn
    width: float = 1.4  # of lines, in points
    filled: Sequence[bool] | None = None  # which rows have a filled mark; None: all
    capped: bool = False  # whether lines have caps, needed where thin ones lie upon thick ones
    diamonds: Sequence[bool] | None = None  # which rows have a diamond, not a line; None: none
    face: str | None = None  # colour within filled marks; None: that of the style


@dataclass(frozen=True)
class Rows:
    """A chart of rows: what is drawn in them, and on which axis."""

    labels: Sequence[str]  # one for each row
    intervals: Sequence[Intervals]
    axis: str  # its name
    lanes: int = 1
    lines: Sequence[float] = ()  # values at which a line goes through all rows
    shaded: Sequence[bool] = ()  # rows on a grey ground; empty: every other one, faintly
    remarks: Sequence[str] = ()  # at the right of each row; empty: none
    within: tuple[float, float] | None = None  # the ends of the axis; None: by what is drawn
    ticks: Sequence[float] | None = None  # of the axis; None: wherever round numbers are
    height: float = _ROW  # of a row of one lane, in inches
    more: Callable[[Axes, slice], None] | None = None  # draws something else into a block of rows

    @property
    def row_height(self) -> float:
        """How high a row is, in inches."""
        return max(self.height, 0.09 * self.lanes + 0.08)

    @property
    def in_a_column(self) -> int:
        """How many rows a column has at most."""
        return max(1, int(_TALLEST / self.row_height))

    def place_of(self, row: int, lane: int) -> float:
        """Return where a lane of a row is on the vertical axis, on which rows are 1 apart."""
        return row + ((lane + 0.5) / self.lanes - 0.5) * 0.7

    @property
    def range(self) -> tuple[float, float]:
        """The ends of the axis: those given, or room for all finite limits, values and lines."""
        if self.within is not None:
            return self.within
        arrays = [
            array
            for intervals in self.intervals
            for array in (intervals.low, intervals.value, intervals.high)
        ]
        values = np.concatenate([*arrays, np.array(self.lines, dtype=float)])
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        # Beside large numbers, 0.5 alone would be lost in rounding.
        pad = _PAD * (high - low) or max(0.5, _PAD * abs(low))
        return low - pad, high + pad


@dataclass(frozen=True)
class Heading:
    """What stands above a chart of rows."""

    title: str
    explanation: str  # how to read the chart
    keys: Sequence[Line2D] = ()  # what colours and marks mean


def sheets_of(rows: Rows, heading: Heading, *, paged: bool, noun: str = "run") -> list[Sheet]:
    """Return sheets with all rows if `paged`, else one, which says how many rows it leaves out.

    `noun` says what a row is of, in the singular.
    """
    total = len(rows.labels)
    most = rows.in_a_column * (_COLUMNS_OF_A_PAGE if paged else _COLUMNS)
    if paged:
        most = math.ceil(total / math.ceil(total / most))  # pages are about equally full
    sheets = []
    for start in range(0, total if paged else 1, most):
        block = slice(start, min(start + most, total))
        explanation = heading.explanation
        if total > most:
            where = f"{noun.capitalize()}s {start + 1} to {block.stop} of {total}"
            others = "" if paged else "; a PDF shows the others on further pages"
            explanation = sentences(f"{where}{others}.", explanation)
        left_out = f"{block.stop} of {total} {noun}s" if block.stop < total and not paged else ""
        sheets.append(replace(_sheet(rows, block, heading, explanation), left_out=left_out))
    return sheets


def _sheet(rows: Rows, block: slice, heading: Heading, explanation: str) -> Sheet:
    """Return a sheet with a block of rows in as many columns as it takes."""
    number = block.stop - block.start
    columns = math.ceil(number / rows.in_a_column)
    label_width = max(width_of(label, LABEL) for label in rows.labels[block]) + 0.1
    remark_width = max((width_of(remark, SMALL) for remark in rows.remarks[block]), default=0.0)
    remark_width += 0.1 if remark_width else 0.0
    axis_width = _ONLY_AXIS if columns == 1 else _AXIS
    in_a_column = math.ceil(number / columns)
    column_width = label_width + axis_width + remark_width + MARGIN
    width = MARGIN + columns * column_width

    def draw(paper: Paper) -> None:
        for column in range(columns):
            first = block.start + column * in_a_column
            in_column = slice(first, min(first + in_a_column, block.stop))
            left = MARGIN + column * column_width + label_width
            axis_height = (in_column.stop - in_column.start) * rows.row_height
            draw_rows(paper.axes(left, 0.0, axis_width, axis_height), rows, in_column)

    height = in_a_column * rows.row_height + _BELOW + MARGIN / 2
    return Sheet(
        heading.title, explanation, width, height, draw, heading.keys, names=rows.labels[block]
    )


def draw_rows(axes: Axes, rows: Rows, block: slice) -> None:
    """Draw a block of the rows into axes, from the top."""
    number = block.stop - block.start
    axes.set_ylim(number - 0.5, -0.5)
    axes.set_xlim(*rows.range)
    axes.set_yticks(range(number), [shown(label) for label in rows.labels[block]])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(shown(rows.axis))
    if rows.ticks is not None:
        axes.set_xticks(rows.ticks)
    else:
        inches = axes.bbox.width / axes.figure.dpi
        axes.locator_params(axis="x", nbins=int(_TICKS * inches))
    for row in range(number):
        if rows.shaded and rows.shaded[block.start + row]:
            axes.axhspan(row - 0.5, row + 0.5, color=PALE, linewidth=0, zorder=0)
        elif not rows.shaded and row % 2 == 0:
            axes.axhspan(row - 0.5, row + 0.5, color=PALER, linewidth=0, zorder=0)
    for line in rows.lines:
        axes.axvline(line, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1, gid="line")
    for intervals in rows.intervals:
        _draw_intervals(axes, rows, intervals, block)
    if rows.more is not None:
        rows.more(axes, block)
    for row, remark in enumerate(rows.remarks[block]):
        axes.annotate(
            shown(remark), (1.0, row), xytext=(4, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", size=SMALL, annotation_clip=False,
        )  # fmt: skip


def _draw_intervals(axes: Axes, rows: Rows, intervals: Intervals, block: slice) -> None:
    """Draw lines between limits, arrows for infinite ones, and marks at the values."""
    start, end = rows.range
    color = intervals.style.color
    number = block.stop - block.start
    places = np.arange(number) + rows.place_of(0, intervals.lane)
    low, value, high = intervals.low[block], intervals.value[block], intervals.high[block]
    is_diamond = np.zeros(number, dtype=bool)
    if intervals.diamonds is not None:
        is_diamond = np.array(intervals.diamonds[block])
        _draw_diamonds(axes, rows, intervals, block, is_diamond)
    has_limits = ~(np.isnan(low) | np.isnan(high) | is_diamond)
    # [row, end, coordinate]: the two ends of each line.
    ends = np.stack([low, places, high, places], axis=1).reshape(-1, 2, 2)[has_limits]
    axes.add_collection(
        LineCollection(
            list(ends.clip([start, -np.inf], [end, np.inf])), colors=color,
            linewidths=intervals.width, gid=f"limits {intervals.name}",
        ),
        autolim=False,
    )  # fmt: skip
    if intervals.capped:
        for side, limit in ((0, low), (1, high)):
            caps = ends[np.isfinite(limit[has_limits]), side]
            axes.plot(caps[:, 0], caps[:, 1], "|", color=color, markersize=4, markeredgewidth=0.9)
    for is_infinite, edge, marker in ((low == -np.inf, start, "<"), (high == np.inf, end, ">")):
        if is_infinite.any():  # an arrow stands for the limit
            axes.plot(
                np.full(is_infinite.sum(), edge), places[is_infinite], marker, color=color,
                markersize=4, clip_on=False, gid=f"unbounded {intervals.name}",
            )  # fmt: skip
    filled = np.full(number, True)
    if intervals.filled is not None:
        filled = np.array(intervals.filled[block])
    filled, hollow = filled & ~is_diamond, ~filled & ~is_diamond
    for with_face, face in ((filled, intervals.face or color), (hollow, "white")):
        if with_face.any():
            axes.plot(
                value[with_face], places[with_face], intervals.style.marker, markerfacecolor=face,
                markeredgecolor="black" if intervals.face else color, linestyle="none",
                markersize=4 if rows.lanes < 4 else 3, markeredgewidth=0.9, zorder=4,
                gid=f"values {intervals.name}",
            )  # fmt: skip


def _draw_diamonds(
    axes: Axes, rows: Rows, intervals: Intervals, block: slice, is_diamond: BoolArray
) -> None:
    """Draw a diamond from limit to limit in some rows, as forest plots have it for the whole.

    Those that are not significant have a white face.
    """
    start, end = rows.range
    filled = intervals.filled[block] if intervals.filled is not None else [True] * len(is_diamond)
    for row in np.flatnonzero(is_diamond).tolist():
        place = block.start + row
        middle, value = rows.place_of(row, intervals.lane), intervals.value[place]
        low, high = np.clip([intervals.low[place], intervals.high[place]], start, end)
        half = 0.3 / rows.lanes
        corners = [(low, middle), (value, middle - half), (high, middle), (value, middle + half)]
        if np.isfinite(corners).all():
            axes.add_patch(
                Polygon(
                    corners, closed=True, edgecolor=intervals.style.color, linewidth=0.9,
                    facecolor=intervals.style.color if filled[row] else "white",
                    alpha=0.6 if intervals.capped else 1.0, zorder=4,
                    gid=f"whole {intervals.name}",
                )
            )  # fmt: skip


def in_lanes(
    rows: Sequence[Any], row_of: Callable[[Any], Hashable], value: str, filled: str = ""
) -> list[Intervals]:
    """Return the intervals of records by each method and level, a lane for each method.

    Records for which `row_of` returns the same are in one row of the chart. `value` names the
    field with the values; `filled`, if it is given, the field that says which marks are filled.
    What is said of several collections together has a diamond.
    """
    wholes = {row_of(row) for row in rows if getattr(row, "collections", None)}
    chart_rows = list(dict.fromkeys(map(row_of, rows)))
    levels = sorted(values_of(rows, "level"))
    record_of = {(row_of(row), row.method, row.level): row for row in rows}
    widths = np.linspace(_THICKEST, _THINNEST, len(levels)) if len(levels) > 1 else [_ONE_LEVEL]
    intervals = []
    for lane, method in enumerate(values_of(rows, "method")):
        for width, level in zip(widths, levels, strict=True):
            of_rows = [record_of.get((chart_row, method, level)) for chart_row in chart_rows]
            low, middle, high = (
                np.array([getattr(row, name) if row else np.nan for row in of_rows], dtype=float)
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
                    [bool(row and getattr(row, filled)) for row in of_rows] if filled else None,
                    capped=len(levels) > 1,
                    diamonds=[chart_row in wholes for chart_row in chart_rows] if wholes else None,
                )
            )
    return intervals


def method_keys(rows: Sequence[Any]) -> list[Line2D]:
    """Return the keys of the methods, which explain the lanes; none for a single method."""
    methods = values_of(rows, "method")
    keys = [method_style(method).key(method) for method in methods]
    return keys if len(keys) > 1 else []


def about_levels(rows: Sequence[Any]) -> str:
    """Return a sentence on which levels thick and thin lines have.

    Empty, if there is only one level.
    """
    levels = sorted(values_of(rows, "level"))
    if len(levels) == 1:
        return ""
    return f"From thick to thin: {series([percent(level) for level in levels])}."


def about_infinity(rows: Sequence[Any]) -> str:
    """Return a sentence on what arrows and marks without a line mean.

    Empty, if no limit is infinite or missing.
    """
    infinite = any(math.isinf(end) for row in rows for end in (row.low, row.high))
    missing = any(math.isnan(row.low) for row in rows)
    return sentences(
        "Arrow: no limit on that side." if infinite else "",
        "Mark without a line: no limits." if missing else "",
    )
