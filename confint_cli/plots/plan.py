"""How many topics do I need? What more topics would give, today's and the targets marked."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from confint_cli import planning
from confint_cli.plots._grid import Panel, grid_of
from confint_cli.plots._paper import Sheet
from confint_cli.plots._records import Record, grouped, records, values_of
from confint_cli.plots._styles import GREY, SMALL, Style, style
from confint_cli.studies._words import percent, series
from confint_cli.studies.plan import DETECTABLE, DIFFERENCE
from confint_cli.table import Table
from confint_cli.text import count

_POINTS = 40
_LEAST, _BEYOND = 5, 4  # topics at the left end; times the most that is asked about at the right
_LEFT_BELOW, _RIGHT_ABOVE = (-6, -11), (5, 4)  # points, where a number does not hide others
_DECADES = 3000  # an axis that reaches so many times as far has no room for 2 and 5


def sheets(table: Table, *, paged: bool) -> list[Sheet]:  # noqa: ARG001
    """Return a panel for each measure in one sheet."""
    rows = records(table)
    designs, levels = values_of(rows, "design"), values_of(rows, "level")
    looks = {
        (design, level): Style(style(place).color, style(place).marker, style(dashes).dashes)
        for place, design in enumerate(designs)
        for dashes, level in enumerate(levels)
    }
    panels = [
        Panel(
            f"{own[0]['measure']}, {count(own[0]['runs'], 'run')}",
            partial(_panel, rows=own, looks=looks),
        )
        for own in grouped(rows, "measure")
    ]
    power = next((row["power"] for row in rows if row["power"] is not None), None)
    found = "" if power is None else f" Detectable: with a power of {percent(power)}."
    return [
        grid_of(
            panels,
            f"What so many topics give: {series(designs)}, {series(list(map(percent, levels)))}",
            "Filled marks, dotted line: the topics at hand. Open marks, with their number: the "
            f"topics that a target needs.{found}",
            [
                Line2D([], [], color=look.color, marker=look.marker, linestyle=look.dashes,
                       markersize=4, linewidth=1.2,
                       label=design if len(levels) == 1 else f"{design}, {percent(level)}")
                for (design, level), look in looks.items()
            ],
            size=(4.6, 3.0),
            left=0.6,
        )
    ]  # fmt: skip


def _panel(axes: Axes, rows: Sequence[Record], looks: dict[tuple[str, float], Style]) -> None:
    now = rows[0]["topics_now"]
    needed = [row["topics_needed"] for row in rows if row["topics_needed"] is not None]
    last = _BEYOND * max([now, *needed])
    first = max(planning.FEWEST, min([_LEAST, now, *needed]))
    topics = np.unique(np.geomspace(first, last, _POINTS).round().astype(np.int64))
    for own in grouped(rows, "design", "level"):
        look = looks[own[0]["design"], own[0]["level"]]
        if own[0]["sd"] > 0:
            axes.plot(
                topics, [_given(int(number), own[0]) for number in topics], color=look.color,
                linestyle=look.dashes, linewidth=1.2,
                gid=f"curve {own[0]['design']} {own[0]['level']}",
            )  # fmt: skip
            axes.plot([now], [own[0]["attained"]], look.marker, color=look.color, markersize=5,
                      gid=f"now {own[0]['design']} {own[0]['level']}")  # fmt: skip
        for row in own:
            _mark_target(axes, row, look)
    axes.axvline(now, color=GREY, linewidth=0.8, linestyle=":", gid="now")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter("")
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _DECADES * low else (1,)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.set_xlabel("topics")
    axes.set_ylabel(f"± or difference in {rows[0]['measure']}", parse_math=False)
    axes.annotate(
        f"{now} now", (now, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -2),
        textcoords="offset points", va="top", size=SMALL, color=GREY,
    )  # fmt: skip


def _given(topics: int, row: Record) -> float:
    """Return the half-width, or the difference, that so many topics give."""
    if row["design"] == DETECTABLE:
        return planning.detectable(topics, row["sd"], row["level"], row["power"])
    return planning.half_width(topics, row["sd"], row["level"])


def _mark_target(axes: Axes, row: Record, look: Style) -> None:
    if row["topics_needed"] is None:
        return
    axes.plot(
        [row["topics_needed"]], [row["target"]], look.marker, color=look.color, markersize=6,
        markerfacecolor="white", gid=f"target {row['design']} {row['level']}",
    )  # fmt: skip
    axes.annotate(
        f"{row['topics_needed']:,}", (row["topics_needed"], row["target"]), size=SMALL,
        xytext=_LEFT_BELOW if row["design"] == DIFFERENCE else _RIGHT_ABOVE,
        ha="right" if row["design"] == DIFFERENCE else "left", textcoords="offset points",
    )  # fmt: skip
