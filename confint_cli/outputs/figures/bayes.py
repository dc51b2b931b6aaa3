"""How probable is it that A beats B? Densities of the posterior."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from confint_cli.common.table import Probability
from confint_cli.common.words import percent
from confint_cli.outputs.cells import cell_text
from confint_cli.outputs.figures.paper import (
    FIRST,
    GREY,
    MARGIN,
    SMALL,
    Panel,
    Sheet,
    Style,
    grid_of,
)
from confint_cli.outputs.figures.records import PairsSheet, of_topics, pairs_sheets
from confint_cli.outputs.figures.rows import Heading, Intervals, Rows, sheets_of
from confint_cli.stats.names import CREDIBLE
from confint_cli.stats.posterior import Density
from confint_cli.studies.answer import Answer
from confint_cli.studies.bayes import with_densities
from confint_cli.studies.rows import BayesRow

_NAMES = {
    "difference": "difference of the means",
    "glass_baseline": "Glass's Δ, by the baseline's sd",
    "glass_run": "Glass's Δ, by the run's sd",
    "correlation": "correlation of the scores",
}
_SYMBOLS = {
    "difference": "difference",
    "glass_baseline": "Δ by baseline",
    "glass_run": "Δ by run",
    "correlation": "correlation",
}
_FAR = 1.0  # times the width of a density: a threshold farther off is an arrow
_UNDER, _ROPE = "#9ecae1", "#f8f1a8"  # colours: under a density, and of the rope


def sheets(answer: Answer[BayesRow], *, paged: bool) -> list[Sheet]:
    """Return sheets for each measure and baseline, with a row for each pair.

    If there is a single pair by a measure, it has a panel for each quantity instead.
    """
    facts, all_sheets = answer.facts, []
    level, rope = percent(facts["level"]), facts.get("rope")
    by_baseline = list(pairs_sheets(answer))
    sheets_by_measure = Counter(pairs.rows[0].measure for pairs in by_baseline)
    for pairs in by_baseline:
        is_alone = len(pairs.names) == sheets_by_measure[pairs.rows[0].measure] == 1
        rows = [row for row in pairs.rows if is_alone or row.quantity == "difference"]
        drawn = replace(pairs, rows=with_densities(rows, facts))
        if is_alone and all(row.density is not None for row in drawn.rows):
            all_sheets.append(_quantities(drawn, level, rope))
        else:
            all_sheets += _differences(drawn, level, rope, paged=paged)
    return all_sheets


def _probability(row: BayesRow) -> str:
    """Return `P(difference > 0) = 0.9934`, and the probability of the rope if there is one."""
    words = f"P({_SYMBOLS[row.quantity]} > {row.threshold:g}) {_equals(row.probability)}"
    if row.rope is not None:
        words += f", P(within) {_equals(row.rope.within)}"
    return words


def _equals(probability: float) -> str:
    """Return `= 0.9934` or `> 0.9999`, rounded as in tables."""
    text = cell_text(Probability(probability), 4)
    return f"{text[0]} {text[1:]}" if text.startswith(("<", ">")) else f"= {text}"


def _quantities(pairs: PairsSheet[BayesRow], level: str, rope: tuple[float, float] | None) -> Sheet:
    """Return a sheet of one pair, with a panel for the density of each quantity."""
    return grid_of(
        [
            Panel(_probability(row), partial(_panel, row=row, density=row.density, rope=rope))
            for row in pairs.rows
            if row.density is not None
        ],
        f"{pairs.measure}: posterior for {pairs.title}, {of_topics(pairs.rows)}",
        f"Posterior densities. Shaded, and ├─●─┤: the {level} credible interval and the mean. "
        f"Dashed: the threshold of the probability.{_about_rope(rope)}",
        size=(3.3, 1.7),
        left=MARGIN,
        most_across=2,
    )


def _panel(axes: Axes, row: BayesRow, density: Density, rope: tuple[float, float] | None) -> None:
    """Draw the density of a quantity, and below it the credible interval and the mean."""
    at, height = density.at, density.height
    peak = float(height.max())
    axes.plot(at, height, color=FIRST, linewidth=1.3, gid=f"density {row.quantity}")
    inside = (at >= row.low) & (at <= row.high)
    axes.fill_between(at, 0, height, where=inside.tolist(), color=_UNDER, linewidth=0,
                      gid=f"inside {row.quantity}")  # fmt: skip
    below = -0.09 * peak
    axes.plot([row.low, row.high], [below, below], color="black", linewidth=1, marker="|",
              markersize=6, gid=f"credible {row.quantity}")  # fmt: skip
    axes.plot([row.eap], [below], "o", color="black", markersize=4, gid=f"eap {row.quantity}")
    low, high, near = _reach([row], row.threshold)
    axes.set_xlim(low, high)
    if near:
        axes.axvline(
            row.threshold, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)),
            gid=f"threshold {row.quantity}",
        )  # fmt: skip
    else:
        _point_to(axes, row.threshold, left=row.threshold < low)
    axes.set_ylim(-0.2 * peak, 1.08 * peak)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(_NAMES[row.quantity])
    if rope is not None and row.quantity == "difference":
        _draw_rope(axes, rope)


def _point_to(axes: Axes, threshold: float, *, left: bool) -> None:
    """Write the threshold, which is beyond an end of the axis, at that end with an arrow."""
    axes.annotate(
        f"← {threshold:g}" if left else f"{threshold:g} →", (0.0 if left else 1.0, 0.9),
        xycoords="axes fraction", ha="left" if left else "right", size=SMALL, color=GREY,
    )  # fmt: skip


def _draw_rope(axes: Axes, rope: tuple[float, float]) -> None:
    start, end = axes.get_xlim()
    low, high = max(rope[0], start), min(rope[1], end)
    if low < high:
        axes.axvspan(low, high, color=_ROPE, linewidth=0, zorder=0.5, gid="rope")


def _about_rope(rope: tuple[float, float] | None) -> str:
    return "" if rope is None else f" Yellow band: practically equal, {rope[0]:g} to {rope[1]:g}."


def _differences(
    pairs: PairsSheet[BayesRow], level: str, rope: tuple[float, float] | None, *, paged: bool
) -> list[Sheet]:
    """Return sheets with a row for each pair: the density of the difference and its interval."""
    rows = [row for row in pairs.rows if row.quantity == "difference"]
    low, eap, high = (
        np.array([getattr(row, name) for row in rows], dtype=float)
        for name in ("low", "eap", "high")
    )
    threshold = rows[0].threshold
    remarks = [cell_text(Probability(row.probability), 4) or f"({row.note})" for row in rows]
    if rope is not None:
        remarks = [
            f"{remark}  {cell_text(Probability(row.rope.within), 4) if row.rope else ''}"
            for remark, row in zip(remarks, rows, strict=True)
        ]
    low_end, high_end, near = _reach(rows, threshold)
    about_remarks = f"P(difference > {threshold:g}{', dashed' if near else ''})"
    if rope is not None:
        about_remarks += " and P(within)"
    chart = Rows(
        pairs.labels,
        [Intervals(CREDIBLE, low, eap, high, Style("black", "o", "-"), width=1.0)],
        f"difference in {pairs.measure}",
        lines=[threshold] if near else [],
        remarks=remarks,
        within=(low_end, high_end),
        height=0.28,
        more=lambda axes, block: _draw_densities(axes, rows[block], rope),
    )
    heading = Heading(
        f"{pairs.measure}: posterior for {pairs.title}, {of_topics(rows)}",
        f"Posterior densities of the difference, all drawn at the same height, with the {level} "
        f"credible interval and the mean. At the right: {about_remarks}.{_about_rope(rope)}",
    )
    return sheets_of(chart, heading, paged=paged, noun=pairs.noun)


def _reach(rows: Sequence[BayesRow], threshold: float) -> tuple[float, float, bool]:
    """Return the low and the high end of an axis for all densities, and if the threshold is on it.

    It is, unless it is so far off that densities would be too narrow.
    """
    ends = [
        float(end)
        for row in rows
        if row.density is not None
        for end in (*row.density.at[[0, -1]], row.low, row.high)
    ]
    low, high = (min(ends), max(ends)) if ends else (threshold, threshold)
    far = _FAR * (high - low)
    near = low - far <= threshold <= high + far
    if near:
        low, high = min(low, threshold), max(high, threshold)
    pad = 0.02 * (high - low) or 0.5
    return low - pad, high + pad, near


def _draw_densities(axes: Axes, rows: Sequence[BayesRow], rope: tuple[float, float] | None) -> None:
    """Draw the density of each row above its middle, all to one height, and the rope."""
    if rope is not None:
        _draw_rope(axes, rope)
    for place, row in enumerate(rows):
        if row.density is None:
            continue
        at, height = row.density.at, row.density.height
        ground = place + 0.02
        axes.fill_between(
            at, ground, ground - 0.46 * height / height.max(), color=_UNDER, linewidth=0,
            zorder=1.5, gid="density",
        )  # fmt: skip
