"""How far can I trust a cheaper judge? Means of runs by people against those by the judge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from confint_cli.common.arrays import FloatArray
from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.outputs.figures.paper import (
    FIRST,
    GREY,
    SMALL,
    Panel,
    Sheet,
    fitting,
    grid_of,
    short,
    shown,
    width_of,
)
from confint_cli.outputs.figures.records import grouped, rows_of, sentences
from confint_cli.studies.answer import Answer
from confint_cli.studies.rows import AgreementRow, JudgedRunRow
from confint_cli.studies.scope import for_whom

_SIDE = 3.6  # inches of a panel's axes, which are square
_ON_A_SHEET = 6  # panels
_NAME = SMALL - 1.0  # size of the letters of a run's name
_TALL = 0.11  # inches of a name
_WIDEST = 1.3  # inches of a name
_MARK = 0.035  # inches from the middle of a mark to its edge
_APART = 0.03  # inches from a mark to its name
_LOOSE = 1.08  # times its width: where letters are drawn differs from one kind of file to another
_FINELY = 10  # times as large as it is, a name is measured: small letters have whole pixels
_PAD = 0.04  # of the range of the axes, at either end

Side = Literal["left", "center", "right"]


def sheets(answer: Answer[AgreementRow], *, paged: bool) -> list[Sheet]:  # noqa: ARG001
    """Return sheets with a panel for each measure and collection; a PDF has the same."""
    runs: list[JudgedRunRow] = rows_of(Answer(answer.details, (), answer.facts))
    panels = [_Runs(own) for own in grouped(runs, "measure", "collection")]
    level = percent(answer.facts["levels"][0])
    several = len({own.rows[0].measure for own in panels}) > 1
    numbers = [*{len(own.rows) for own in panels}]
    titled = [
        "Means by people and by the judge" if several else f"{short(panels[0].rows[0].measure)}: "
        "means by people and by the judge",
        count(numbers[0], "run") if len(numbers) == 1 else "",
        _topics(answer.rows),
        for_whom(answer.facts),
    ]  # fmt: skip
    about = sentences(
        f"Lines: {level} t intervals by people and by the judge, each by itself. Dashed: both "
        "agree; above it, the judge scores higher.",
        "Runs have names where there is room." if any(own.has_nameless for own in panels) else "",
        "Axes differ." if len(panels) > 1 else "",
    )
    return [
        _sheet(panels[start : start + _ON_A_SHEET], ", ".join(filter(None, titled)), about)
        for start in range(0, len(panels), _ON_A_SHEET)
    ]


def _sheet(panels: "Sequence[_Runs]", title: str, about: str) -> Sheet:
    sheet = grid_of(
        [Panel(own.title, partial(_draw, runs=own)) for own in panels],
        title,
        about,
        size=(_SIDE, _SIDE),
        left=0.6,
        most_across=3,
    )
    names = [name.text for own in panels for name in own.names]
    return replace(sheet, names=[*sheet.names, *names])


def _topics(rows: Sequence[AgreementRow]) -> str:
    """Return on how many topics the means are; empty, if these differ."""
    numbers = [*{row.human_topics for row in rows}]
    return f"{count(numbers[0], 'topic')} judged by both" if len(numbers) == 1 else ""


@dataclass(frozen=True)
class _Runs:
    """The runs of a panel, and where they are on it."""

    rows: Sequence[JudgedRunRow]

    @property
    def title(self) -> str:
        """The measure and, of several collections, which."""
        first = self.rows[0]
        return f"{first.measure} · {first.collection}" if first.collection else first.measure

    @property
    def points(self) -> FloatArray:
        """The means by people and by the judge, [run, judge]."""
        return np.array([(row.mean, row.judge_mean) for row in self.rows])

    @property
    def ends(self) -> tuple[float, float]:
        """Where both axes begin and end."""
        values = [
            value
            for row in self.rows
            for value in (row.mean, row.low, row.high, row.judge_mean, row.judge_low,
                          row.judge_high)
            if np.isfinite(value)
        ]  # fmt: skip
        low, high = min(values), max(values)
        pad = _PAD * (high - low) or 0.1 * abs(high) or 0.1
        return low - pad, high + pad

    @cached_property
    def names(self) -> list["_Name"]:
        """The names of runs that there is room for.

        The runs come in their order: a name is near its own mark, and is left out where it would
        cover another mark or name.
        """
        low, high = self.ends
        marks = (self.points - low) / (high - low) * _SIDE
        taken = np.empty((2 * len(marks), 4))  # left, bottom, right and top of each box
        around = _MARK + _APART  # a name is nearest to its own mark
        taken[: len(marks)] = np.hstack([marks - around, marks + around])
        placed: list[_Name] = []
        for place, row in enumerate(self.rows):
            text = fitting(short(row.run), _NAME, _WIDEST)
            others = taken[: len(marks) + len(placed)]
            for name in _possible(text, *marks[place].tolist()):
                box = np.array(name.box)
                is_inside = box.min() >= 0 and box.max() <= _SIDE
                over = (box[:2] < others[:, 2:]) & (others[:, :2] < box[2:])
                over[place] = False
                if is_inside and not over.all(axis=1).any():
                    taken[len(others)] = box
                    placed.append(name)
                    break
        return placed

    @property
    def has_nameless(self) -> bool:
        """Whether there is no room for the names of some runs."""
        return len(self.names) < len(self.rows)


@dataclass(frozen=True)
class _Name:
    """A name and where it stands on a panel, in inches."""

    text: str
    x: float  # of its end towards the mark, or of its middle
    y: float  # of its middle
    side: Side  # which part of it is at x

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Its left, bottom, right and top end."""
        width = width_of(self.text, _FINELY * _NAME) / _FINELY * _LOOSE
        left = self.x - {"left": 0.0, "center": 0.5, "right": 1.0}[self.side] * width
        return left, self.y - _TALL / 2, left + width, self.y + _TALL / 2


def _possible(text: str, x: float, y: float) -> Iterator[_Name]:
    """Yield where a name may stand about a mark, the best place first."""
    out, half = _MARK + _APART, _TALL / 2
    corner = 0.7 * out
    places: tuple[tuple[float, float, Side], ...] = (
        (corner, -corner - half, "left"),
        (-corner, corner + half, "right"),
        (corner, corner + half, "left"),
        (-corner, -corner - half, "right"),
        (out, 0.0, "left"),  # on its own interval
        (-out, 0.0, "right"),
        (0.0, out + half, "center"),
        (0.0, -out - half, "center"),
    )
    for beside, above, side in places:
        yield _Name(text, x + beside, y + above, side)


def _draw(axes: Axes, runs: _Runs) -> None:
    """Draw the runs of a panel: marks, intervals by either judge, the diagonal, and names."""
    low, high = runs.ends
    x, y = runs.points.T
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1,
              gid="diagonal")  # fmt: skip
    faint = 0.55 if len(x) <= 20 else 0.3
    axes.hlines(y, [row.low for row in runs.rows], [row.high for row in runs.rows], color=FIRST,
                linewidth=0.7, alpha=faint, zorder=2, gid="limits human")  # fmt: skip
    axes.vlines(x, [row.judge_low for row in runs.rows], [row.judge_high for row in runs.rows],
                color=FIRST, linewidth=0.7, alpha=faint, zorder=2, gid="limits judge")  # fmt: skip
    axes.plot(x, y, "o", color=FIRST, markersize=2 * _MARK * 72, markeredgewidth=0, zorder=3,
              gid="runs")  # fmt: skip
    for name in runs.names:
        axes.annotate(
            shown(name.text), (name.x * 72, name.y * 72), xycoords="axes points", size=_NAME,
            ha=name.side, va="center", zorder=4,
            path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )  # fmt: skip
    axes.locator_params(axis="both", nbins=6)
    axes.set_xlabel("mean by people", size=SMALL, labelpad=2)
    axes.set_ylabel("mean by the judge", size=SMALL, labelpad=2)
    axes.tick_params(labelsize=SMALL - 0.5)
