"""What do the scores look like? A histogram and a normal Q-Q plot of the scores of each run.

Or of the differences of each pair of runs.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtri

from confint_cli.common.errors import DataError
from confint_cli.common.text import count
from confint_cli.outputs.figures.paper import (
    FIRST,
    GREY,
    SECOND,
    SMALL,
    Panel,
    Sheet,
    grid_of,
    short,
)
from confint_cli.outputs.figures.records import grouped, of_topics, rows_of
from confint_cli.studies.answer import Answer
from confint_cli.studies.rows import DescribeRow

_ON_A_SHEET = 15  # panels
_SIZE = (1.35, 1.2)  # inches
_EXPLANATION = (  # the noun is `score` or `difference`
    "Left: the number of topics by {noun}; dashed: the mean. Right: ordered {noun}s against "
    "those of a normal distribution; the closer to the line, the more normal. W: Shapiro-Wilk; 1 "
    "means normal."
)


def sheets(answer: Answer[DescribeRow], *, paged: bool) -> list[Sheet]:
    """Return sheets for each measure, with a panel for each run.

    If there is one run only, or one pair, its panels are the measures, on the same sheets.
    """
    rows = [row for row in rows_of(answer) if row.histogram]  # a mean of means has none
    if not rows:
        raise DataError("", "no collection has enough topics for a figure of differences")
    if len({_name(row) for row in rows}) == 1:
        return _sheets(rows, "measure", _name(rows[0]), paged=paged)
    return [
        sheet
        for group in grouped(rows, "measure")
        for sheet in _sheets(group, "run", group[0].measure, paged=paged)
    ]


def _name(row: DescribeRow) -> str:
    """Return the name of a row's run, or of its pair of runs, and of its collection."""
    name = f"{row.run} - {row.baseline}" if row.baseline else row.run
    return f"{name} · {row.collection}" if row.collection else name


def _sheets(rows: Sequence[DescribeRow], key: str, whose: str, *, paged: bool) -> list[Sheet]:
    """Return sheets with a panel for each row, called by its `key`: `run` or `measure`.

    Titles begin with `whose` scores they are: those by a measure, or of a run.
    """
    total = len(rows)
    noun = "difference" if rows[0].baseline else "score"
    panel_noun = "pair" if key == "run" and noun == "difference" else key
    how_many = "" if total == 1 and noun == "difference" else f" of {count(total, panel_noun)}"
    blocks = [rows[start : start + _ON_A_SHEET] for start in range(0, total, _ON_A_SHEET)]
    about_others, left_out = "", ""
    if total > _ON_A_SHEET and not paged:
        blocks = [_spread_by_skew(rows)]
        left_out = f"{len(blocks[0])} of {total} {panel_noun}s"
        about_others = (
            f"{left_out}, evenly spread from the least skew to the greatest; a PDF shows all. "
        )
    return [
        grid_of(
            [
                Panel(
                    _name(row) if key == "run" else row.measure, partial(_panel, row=row, noun=noun)
                )
                for row in block
            ],
            f"{short(whose)}: what the {noun}s{how_many} look like, {of_topics(rows)}",
            f"{about_others}{_EXPLANATION.format(noun=noun)}{_about_ends(block, noun)}",
            size=_SIZE,
            axes=2,
            left=0.55,
            left_out=left_out,
        )
        for block in blocks
    ]


def _about_ends(rows: Sequence[DescribeRow], noun: str) -> str:
    """Return sentences on scores beyond the histograms, and on the direction of differences."""
    is_cut = any(row.min < row.ends[0] or row.max > row.ends[1] for row in rows)
    words = " The outermost bins include all values beyond them." if is_cut else ""
    return f"{words} Differences are the first run minus the second." if noun != "score" else words


def _spread_by_skew(rows: Sequence[DescribeRow]) -> list[DescribeRow]:
    """Return as many rows as one sheet has, evenly spread from the least skew to the greatest."""
    with_skew = [row for row in rows if not np.isnan(row.skew)]
    with_skew.sort(key=lambda row: row.skew)
    if len(with_skew) < _ON_A_SHEET:
        return [*with_skew, *(row for row in rows if np.isnan(row.skew))][:_ON_A_SHEET]
    places = np.linspace(0, len(with_skew) - 1, _ON_A_SHEET)
    return [with_skew[round(float(place))] for place in places]


def _panel(left: Axes, right: Axes, row: DescribeRow, noun: str) -> None:
    """Draw the histogram of a row's scores at the left, and their Q-Q plot at the right."""
    low, high = row.ends
    counts = row.histogram
    width = (high - low) / len(counts)
    starts = low + width * np.arange(len(counts))
    if width <= 0:  # all scores are equal
        width = 0.1 * abs(low) or 0.1
        starts, counts = np.array([low - width / 2]), counts[:1]
    left.bar(starts, counts, width, align="edge", color=FIRST, edgecolor="white", linewidth=0.5,
             gid="histogram")  # fmt: skip
    left.axvline(row.mean, color="black", linewidth=0.8, linestyle=(0, (4, 3)), gid="mean")
    left.locator_params(axis="x", nbins=4)
    left.locator_params(axis="y", nbins=4, integer=True)
    left.set_ylabel("topics", size=SMALL, labelpad=2)
    left.set_xlabel(noun, size=SMALL, labelpad=1)
    left.tick_params(labelsize=SMALL - 0.5)
    scores = row.values
    expected = ndtri((np.arange(len(scores)) + 0.5) / len(scores))
    ends = np.array([expected[0], expected[-1]])
    if not np.isnan(row.sd):
        right.plot(ends, row.mean + row.sd * ends, color=SECOND, linewidth=1, gid="normal")
    right.plot(expected, scores, "o", color=FIRST, markersize=2, markeredgewidth=0, gid="scores")
    right.locator_params(axis="both", nbins=4)
    right.set_xlabel("normal quantile", size=SMALL, labelpad=1)
    right.set_ylabel(noun, size=SMALL, labelpad=2)
    right.tick_params(labelsize=SMALL - 0.5)
    if not np.isnan(row.skew):
        right.annotate(
            f"skew {row.skew:.2f}\nW {row.shapiro_w:.3f}", (0.04, 0.97),
            xycoords="axes fraction", va="top", size=SMALL - 1, color=GREY,
        )  # fmt: skip
