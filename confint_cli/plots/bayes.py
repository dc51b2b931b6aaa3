"""How probable is it that A beats B? Densities of the posterior."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from confint_cli.outputs._cells import cell_text
from confint_cli.plots._letters import shown
from confint_cli.plots._pairs import PairsSheet, pairs_sheets
from confint_cli.plots._paper import MARGIN, Paper, Sheet
from confint_cli.plots._records import Record, records
from confint_cli.plots._rows import Heading, Intervals, Rows, sheets_of
from confint_cli.plots._styles import FIRST, GREY, LABEL, Style
from confint_cli.plots._words import of_topics
from confint_cli.studies._words import percent
from confint_cli.table import Probability, Table

_NAMES = {
    "difference": "difference of the means",
    "glass_baseline": "Glass's Δ, by the baseline's sd",
    "glass_run": "Glass's Δ, by the run's sd",
    "correlation": "correlation of the scores",
}
_WIDE, _TALL = 3.3, 1.7  # of a panel
_BELOW, _ABOVE = 0.55, 0.3
_UNDER = "#9ecae1"


def sheets(table: Table, *, paged: bool) -> list[Sheet]:
    """Return a sheet for each measure and baseline; of one pair, a panel for each quantity."""
    level = percent(float(table.signature["level"]))
    found = []
    for pairs in pairs_sheets(table, records(table)):
        if len(pairs.names) == 1 and pairs.rows[0]["density"] is not None:
            found.append(_quantities(pairs, level))
        else:
            found += _differences(pairs, level, paged=paged)
    return found


def _probability(row: Record) -> str:
    """Return `P(difference > 0) = 0.9934`, as tables have it."""
    name = row["quantity"] if row["quantity"] in ("difference", "correlation") else "Δ"
    text = cell_text(Probability(row["probability"]), 4)
    sign = "" if text.startswith(("<", ">")) else "="
    return f"P({name} > {row['threshold']:g}) {sign or text[0]} {text.lstrip('<>')}"


def _quantities(pairs: PairsSheet, level: str) -> Sheet:
    rows = pairs.rows
    across = 2
    down = -(-len(rows) // across)

    def draw(paper: Paper) -> None:
        for place, row in enumerate(rows):
            left = MARGIN + (place % across) * (_WIDE + MARGIN)
            top = _ABOVE + (place // across) * (_ABOVE + _TALL + _BELOW)
            _panel(paper.axes(left, top, _WIDE, _TALL), row)

    return Sheet(
        f"{pairs.measure}: what is believed of {pairs.title}, {of_topics(rows)}",
        f"Posterior densities. Shaded, and ├─●─┤: the {level} credible interval and the mean. "
        "Dashed: the threshold of the probability.",
        MARGIN + across * (_WIDE + MARGIN),
        down * (_ABOVE + _TALL + _BELOW) + MARGIN / 2,
        draw,
        names=[name for pair in pairs.names for name in pair],
    )


def _panel(axes: Axes, row: Record) -> None:
    at, height = row["density"].at, row["density"].height
    peak = float(height.max())
    axes.plot(at, height, color=FIRST, linewidth=1.3, gid=f"density {row['quantity']}")
    inside = (at >= row["low"]) & (at <= row["high"])
    axes.fill_between(at, 0, height, where=inside.tolist(), color=_UNDER, linewidth=0)
    axes.errorbar(
        row["eap"], -0.09 * peak,
        xerr=[[row["eap"] - row["low"]], [row["high"] - row["eap"]]],
        fmt="o", color="black", markersize=4, linewidth=1, capsize=3,
    )[0].set_gid(f"eap {row['quantity']}")  # fmt: skip
    axes.axvline(
        row["threshold"], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)),
        gid=f"threshold {row['quantity']}",
    )  # fmt: skip
    reach = [*at[[0, -1]], row["threshold"], row["low"], row["high"]]
    pad = 0.03 * (max(reach) - min(reach))
    axes.set_xlim(min(reach) - pad, max(reach) + pad)
    axes.set_ylim(-0.2 * peak, 1.08 * peak)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(_NAMES[row["quantity"]])
    axes.set_title(shown(_probability(row)), size=LABEL, loc="left")


def _differences(pairs: PairsSheet, level: str, *, paged: bool) -> list[Sheet]:
    """Return a row for each pair with the density of the difference."""
    rows = [row for row in pairs.rows if row["quantity"] == "difference"]
    low, eap, high = (
        np.array([row[name] for row in rows], dtype=float) for name in ("low", "eap", "high")
    )
    threshold = rows[0]["threshold"]
    curves = [row["density"].at[[0, -1]] for row in rows if row["density"] is not None]
    reach = np.concatenate([*curves, [threshold]])
    pad = 0.02 * float(reach.max() - reach.min())
    remarks = [cell_text(Probability(row["probability"]), 4) or f"({row['note']})" for row in rows]
    chart = Rows(
        pairs.labels,
        [Intervals("credible", low, eap, high, Style("black", "o", "-"), width=1.0)],
        f"difference in {pairs.measure}",
        lines=[threshold],
        remarks=remarks,
        within=(float(reach.min()) - pad, float(reach.max()) + pad),
        height=0.28,
        more=lambda axes, part: _curves(axes, rows[part]),
    )
    heading = Heading(
        f"{pairs.measure}: what is believed of {pairs.title}, {of_topics(rows)}",
        f"Posterior densities of the difference, all drawn to one height, with the {level} "
        f"credible interval and the mean. Behind each: the probability that the difference is "
        f"above {threshold:g} (dashed).",
    )
    return sheets_of(chart, heading, paged=paged, noun=pairs.noun)


def _curves(axes: Axes, rows: Sequence[Record]) -> None:
    for place, row in enumerate(rows):
        if row["density"] is None:
            continue
        at, height = row["density"].at, row["density"].height
        ground = place + 0.02
        axes.fill_between(
            at, ground, ground - 0.46 * height / height.max(), color=_UNDER, linewidth=0,
            zorder=1.5, gid="density",
        )  # fmt: skip
