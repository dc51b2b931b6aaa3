"""Who is really ahead? Rank sets as bars, and shading of groups that are told apart."""

from collections.abc import Sequence

import numpy as np
from matplotlib.lines import Line2D

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.outputs.figures.paper import Sheet, Style, short
from confint_cli.outputs.figures.records import grouped, of_topics, of_whom, rows_of
from confint_cli.outputs.figures.rows import Heading, Intervals, Rows, sheets_of
from confint_cli.studies.answer import Answer
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import RankRow

_BAR = 4.5  # points
_BEYOND = 0.35  # ranks by which a bar reaches beyond its first and its last rank
_TIED, _OTHER, _ALONE = "#3a9bd9", "#bdbdbd", "#111111"


def sheets(answer: Answer[RankRow], *, paged: bool) -> list[Sheet]:
    """Return sheets for each measure, with a row for each run."""
    return [
        sheet
        for rows in grouped(rows_of(answer), "measure", "collection")
        for sheet in _standings(rows, answer.facts, paged=paged)
    ]


def _standings(rows: Sequence[RankRow], facts: Facts, *, paged: bool) -> list[Sheet]:
    """Return sheets with the rank sets of all runs by one measure."""

    def column(name: str) -> FloatArray:
        return np.array([getattr(row, name) for row in rows], dtype=float)

    level = percent(rows[0].level)
    tied = np.array([row.tied_with_best for row in rows])
    no_marks = np.full(len(rows), np.nan)

    def bars(name: str, color: str, has_bar: BoolArray) -> Intervals:
        low, high = (np.where(has_bar, column(end), np.nan) for end in ("rank_low", "rank_high"))
        # A set of one rank would have no length otherwise.
        low, high = low - _BEYOND, high + _BEYOND
        return Intervals(name, low, no_marks, high, Style(color, "o", "-"), width=_BAR)

    intervals = [
        bars("rank set, tied with the best", _TIED, tied),
        bars("rank set", _OTHER, ~tied),
        Intervals(
            "own rank set", column("own_rank_low"), column("rank"), column("own_rank_high"),
            Style(_ALONE, "o", "-"), width=0.9, filled=tied.tolist(),
        ),
    ]  # fmt: skip
    groups = [row.group for row in rows]
    edge = 0.01 * len(rows)
    chart = Rows(
        [short(row.run) for row in rows],
        intervals,
        "rank",
        shaded=[group % 2 == 0 for group in groups] if groups[-1] else [],
        within=(1 - _BEYOND - edge, len(rows) + _BEYOND + edge),
        ticks=_ticks(len(rows)),
    )
    measure = short(rows[0].measure)
    topics = of_whom(rows, facts)
    if rows[0].collection and not rows[0].collections:
        topics = of_topics(rows)
        measure = f"{measure}, {short(rows[0].collection)}"
    heading = Heading(
        f"{measure}: which ranks {count(len(rows), 'run')} may truly have, {level}, {topics}",
        f"Bars: rank sets; all of them hold at once with {level} confidence. Marks: the rank by "
        f"the mean. Lines: the rank set of a run by itself, with {level} confidence for this run "
        "only."
        + _about_groups(groups),
        [
            _key(_TIED, _ALONE, "rank sets of runs that cannot be told apart from the best"),
            _key(_OTHER, "white", "rank sets of other runs"),
            Line2D([], [], color=_ALONE, linewidth=0.9, label="rank set of a run by itself"),
        ],
    )  # fmt: skip
    return sheets_of(chart, heading, paged=paged)


def _key(color: str, face: str, label: str) -> Line2D:
    """Return the key of a bar in `color` with a mark in `face` on it."""
    return Line2D([], [], color=color, linewidth=_BAR, marker="o", markersize=4,
                  markerfacecolor=face, markeredgecolor=_ALONE, label=label)  # fmt: skip


def _ticks(runs: int) -> list[float]:
    """Return ranks with a tick: 1 and multiples of a round step, 10 in all at most."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, runs) if runs <= 9 * step)
    return [1.0, *(float(rank) for rank in range(step, runs + 1, step) if rank > 1)]


def _about_groups(groups: Sequence[int]) -> str:
    if not groups[-1]:
        return ""
    return (
        " Shading: every run of a group is shown to be better than every run of the groups below."
    )
