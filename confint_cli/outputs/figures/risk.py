"""Does A hurt topics that the baseline did well? Limits of URisk⁻ by method as r grows.

Panels of runs are as Figure 1 of Benham et al. (2019), those of a summary as their Figure 2.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
from matplotlib.axes import Axes

from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.outputs.figures.paper import Panel, Sheet, grid_of, short
from confint_cli.outputs.figures.records import (
    by_methods,
    grouped,
    of_topics,
    rows_of,
    sentences,
    values_of,
)
from confint_cli.outputs.figures.rows import (
    Rows,
    about_infinity,
    about_levels,
    draw_rows,
    in_lanes,
    method_keys,
)
from confint_cli.studies.answer import Answer
from confint_cli.studies.rows import RiskRow, RiskSummaryRow

_ON_A_SHEET = 12  # runs
_RUN_WIDTH, _SUMMARY_WIDTH = 3.0, 4.2  # inches of a panel
_BAR = 3.0  # points


def sheets(answer: Answer[RiskRow] | Answer[RiskSummaryRow], *, paged: bool) -> list[Sheet]:
    """Return sheets for each measure and baseline, with a panel for each run.

    A summary has one sheet for each measure and baseline instead.
    """
    all_sheets: list[Sheet] = []
    for rows in grouped(rows_of(answer), "measure", "baseline"):
        summed_up = [row for row in rows if isinstance(row, RiskSummaryRow)]
        if summed_up:
            all_sheets.append(_summary(summed_up))
        else:
            all_sheets += _runs(rows, paged=paged)
    return all_sheets


def _title(rows: Sequence[RiskRow] | Sequence[RiskSummaryRow], whose: str) -> str:
    first = rows[0]
    return (
        f"{short(first.measure)}: {by_methods(rows)} limits of URisk⁻ of {whose} against "
        f"{short(first.baseline)}, {of_topics(rows)}"
    )


def _runs(rows: Sequence[RiskRow], *, paged: bool) -> list[Sheet]:
    """Return sheets with a panel for each run; one that leaves out some, if not `paged`."""
    by_run = list(grouped(rows, "run"))
    total = len(by_run)
    run_sheets = []
    for start in range(0, total if paged else 1, _ON_A_SHEET):
        block = by_run[start : start + _ON_A_SHEET]
        which_runs = f"Runs {start + 1} to {start + len(block)} of {total}"
        others = "." if paged else "; a PDF shows the others, --summary sums them up."
        charts = [_chart(of_run) for of_run in block]
        panels = [
            Panel(of_run[0].run, partial(_draw, chart=chart))
            for of_run, chart in zip(block, charts, strict=True)
        ]
        left_out = f"{len(block)} of {total} runs" if total > len(block) and not paged else ""
        sheet = grid_of(
            panels,
            _title(rows, count(total, "run") if total > 1 else short(by_run[0][0].run)),
            sentences(
                which_runs + others if total > _ON_A_SHEET else "",
                "Above 0, losses counted r times outweigh wins.",
                about_levels(rows),
                about_infinity(rows),
                "Axes differ." if total > 1 else "",
            ),
            method_keys(rows),
            size=(_RUN_WIDTH, charts[0].row_height * len(charts[0].labels)),
            left_out=left_out,
        )
        run_sheets.append(sheet)
    return run_sheets


def _chart(rows: Sequence[RiskRow] | Sequence[RiskSummaryRow]) -> Rows:
    """Return a chart with a row for each r and a lane for each method."""
    return Rows(
        [f"r = {r:g}" for r in values_of(rows, "r")],
        in_lanes(rows, attrgetter("r"), "urisk_minus"),
        "URisk⁻",
        lanes=len(values_of(rows, "method")),
        lines=[0.0],
        height=0.3,
    )


def _draw(axes: Axes, chart: Rows) -> None:
    draw_rows(axes, chart, slice(0, len(chart.labels)))


def _summary(rows: Sequence[RiskSummaryRow]) -> Sheet:
    """Return a sheet with a panel for each level: medians of the limits, and their notches."""
    by_level = [[row for row in rows if row.level == level] for level in values_of(rows, "level")]
    charts = [_with_room_for_notches(_chart(of_level), of_level) for of_level in by_level]
    panels = [
        Panel(
            f"{percent(of_level[0].level)} intervals",
            partial(_draw_summary, rows=of_level, chart=chart),
        )
        for of_level, chart in zip(by_level, charts, strict=True)
    ]
    runs = rows[0].runs
    return grid_of(
        panels,
        _title(rows, f"the best {count(runs, 'run')}" if runs > 1 else "the best run"),
        sentences(
            "Bars reach from the median lower limit over runs to the median upper limit; marks are "
            "the median URisk⁻. Thin lines with ends: McGill's notches of the medians.",
            about_infinity(rows),
            "Axes differ." if len(panels) > 1 else "",
        ),
        method_keys(rows),
        size=(_SUMMARY_WIDTH, charts[0].row_height * len(charts[0].labels)),
    )


def _with_room_for_notches(chart: Rows, rows: Sequence[RiskSummaryRow]) -> Rows:
    """Return the chart with thick bars, and an axis that reaches to the ends of all notches."""
    notches = [end for row in rows for ends in _notches(row).values() for end in ends]
    start, end = chart.range
    finite = [value for value in notches if np.isfinite(value)]
    start, end = min([start, *finite]), max([end, *finite])
    pad = 0.02 * (end - start)
    thick = [replace(bars, width=_BAR, face="white") for bars in chart.intervals]
    return replace(chart, intervals=thick, within=(start - pad, end + pad))


def _notches(row: RiskSummaryRow) -> dict[str, tuple[float, float]]:
    """Return the ends of the notches of the medians of both limits, by limit."""
    return {
        "low": (row.low_notch_low, row.low_notch_high),
        "high": (row.high_notch_low, row.high_notch_high),
    }


def _draw_summary(axes: Axes, rows: Sequence[RiskSummaryRow], chart: Rows) -> None:
    """Draw the chart of one level, and the notches of both limits that are finite."""
    _draw(axes, chart)
    methods, rs = values_of(rows, "method"), values_of(rows, "r")
    for row in rows:
        place = chart.place_of(rs.index(row.r), methods.index(row.method))
        for limit, ends in _notches(row).items():
            if np.isfinite(ends).all():
                axes.plot(
                    ends, [place, place], color="black", linewidth=0.7, marker="|", markersize=3.5,
                    zorder=3,
                    gid=f"notch {limit} {row.method}",
                )  # fmt: skip
