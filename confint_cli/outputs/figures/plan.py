"""How many topics do I need? Curves of what a number of topics gives, with targets marked.

With groups of topics, it is the number of groups. Runs with repeats have a sheet on the two parts
of the variance: what more topics give with the same number of repeats, with twice as many, and with
any number.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from confint_cli.common.errors import CallError, DataError
from confint_cli.common.text import count
from confint_cli.common.words import percent, series
from confint_cli.outputs.figures.paper import (
    GREY,
    SMALL,
    Panel,
    Sheet,
    Style,
    grid_of,
    short,
    shown,
    style,
)
from confint_cli.outputs.figures.records import grouped, rows_of, sentences, values_of
from confint_cli.stats import power
from confint_cli.studies.answer import Answer
from confint_cli.studies.rows import DETECTABLE_DIFFERENCE, NON_INFERIORITY, PlanRow
from confint_cli.studies.scope import has_collections, has_repeats

_POINTS = 40  # of a curve
_LEAST = 5  # topics at the left end of the axis, if none fewer are asked about
_BEYOND = 4  # times the most topics that are asked about, at the right end
_LEFT_BELOW, _ABOVE, _RIGHT_ABOVE = (-6, -11), (0, 8), (6, 4)  # points from a mark to its number
_NEAR = 4  # times as many topics as at another mark, at most, is near to it
_NEAR_TARGET = 1.5  # times as large a target as another, at most, is near to it
_LONG = 10**7  # topics: so large a number has no room beside its mark, or below the axis
_OUT_OF_REACH = "no practical number of {noun}s would be enough"
_FAR = 10  # times the topics at hand, at the right end of a figure of two parts
_ANY = 10**6  # repeats, or topics: as many as one likes
_DECADES = 3000  # an axis whose ends have a larger ratio has no room for 2 and 5


def sheets(answer: Answer[PlanRow], *, paged: bool) -> list[Sheet]:  # noqa: ARG001
    """Return one sheet with a panel for each measure and level."""
    if has_collections(answer.facts):
        raise CallError(
            "the figure of a plan is for one collection only",
            "leave out --plot, or plan for each collection by itself",
        )
    rows = rows_of(answer)
    if has_repeats(answer.facts):
        return [_two_parts(rows)]
    designs, levels = values_of(rows, "design"), values_of(rows, "level")
    looks = {design: style(place) for place, design in enumerate(designs)}
    groups = [
        [row for row in of_measure if row.level == level]
        for of_measure in grouped(rows, "measure")
        for level in levels
    ]
    panels = [
        Panel(
            f"{group[0].measure}, {count(group[0].runs, 'run')}, {percent(group[0].level)}",
            partial(_panel, rows=group, looks=looks),
        )
        for group in groups
    ]
    wanted_power = next((row.power for row in rows if row.power is not None), None)
    has_targets = any(row.needed is not None for row in rows)
    noun = f"{rows[0].noun}s"
    return [
        grid_of(
            panels,
            f"What different numbers of {noun} give: {series(designs)}, "
            f"{series(list(map(percent, levels)))}",
            sentences(
                f"Filled marks on the dotted line: the {noun} at hand.",
                f"Open marks with a number: how many {noun} a target needs." if has_targets else "",
                _about_bounds(rows),
                _about_assurance(rows),
                "" if wanted_power is None else f"Tests have a power of {percent(wanted_power)}.",
                _about_judge(rows[0]),
                "Axes differ." if len(panels) > 1 else "",
            ),
            [look.key(design, width=1.2, dashed=True) for design, look in looks.items()],
            size=(4.6, 3.0),
            left=0.6,
        )
    ]


def _about_bounds(rows: Sequence[PlanRow]) -> str:
    """Return a sentence on what thin lines mean.

    Empty, if no target has an upper bound of topics.
    """
    if all(row.needed_high is None for row in rows):
        return ""
    confidence = percent(power.CONFIDENCE)
    return (
        f"Short lines end at the number of {rows[0].noun}s that is enough with {confidence} "
        "confidence, as the standard deviation is an estimate."
    )


def _about_judge(row: PlanRow) -> str:
    """Return a sentence on the thin curves that come with a cheaper judge; empty without one."""
    if row.judge_topics is None:
        return ""
    return (
        f"Topics are those that people judge; the judge judges {row.judge_topics}, or as many as "
        "people if these are more. Thin curves: people only."
    )


def _about_assurance(rows: Sequence[PlanRow]) -> str:
    """Return a sentence on why marks of half-widths are not on their curves; empty, if they are."""
    assured = [row.assurance for row in rows if row.assurance is not None]
    if not assured:
        return ""
    return (
        f"Half-widths have to be reached in {percent(assured[0])} of samples, so their open marks "
        "are not on the curves."
    )


def _panel(axes: Axes, rows: Sequence[PlanRow], looks: dict[str, Style]) -> None:
    """Draw the curves and marks of one measure and level; `looks` has the style of each design."""
    now = rows[0].now
    needed = [row.needed for row in rows if row.needed is not None]
    bounds = [row.needed_high for row in rows if row.needed_high is not None]
    last = max([_BEYOND * max([now, *needed]), *bounds])
    first = max(power.FEWEST, min([_LEAST, now, *needed]))
    numbers = np.unique(np.geomspace(first, last, _POINTS).round().astype(np.int64)).tolist()
    for row, *_ in grouped(rows, "design"):
        design, look = row.design, looks[row.design]
        if not row.no_variance:
            axes.plot(
                numbers, [row.attained_by(topics) for topics in numbers], color=look.color,
                linestyle=look.dashes, linewidth=1.2, gid=f"curve {design}",
            )  # fmt: skip
            if isinstance(row.spread, power.JudgeSpread):
                alone = row.spread.of_people
                axes.plot(
                    numbers, [row.attained_by(topics, alone) for topics in numbers],
                    color=look.color, linestyle=look.dashes, linewidth=0.5, gid=f"alone {design}",
                )  # fmt: skip
            axes.plot([now], [row.attained], look.marker, color=look.color, markersize=5,
                      gid=f"now {design}")  # fmt: skip
    targets = [
        _Target(row, row.needed, row.target)
        for row in rows
        if row.needed is not None and row.target is not None
    ]
    for target in targets:
        _mark_target(axes, target, looks[target.row.design], targets)
    _draw_scales(axes, rows, first, last)
    _name_what_is_not_drawn(axes, rows)


def _draw_scales(axes: Axes, rows: Sequence[PlanRow], first: int, last: int) -> None:
    """Draw the axes from the `first` to the `last` number, and a line at what there is now."""
    now = rows[0].now
    axes.axvline(now, color=GREY, linewidth=0.8, linestyle=":", gid="now")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(first / 1.2, last * 1.2)
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _DECADES * low else (1,)))
        axis.set_minor_formatter("")
    axes.xaxis.set_major_formatter("{x:,.0f}" if last < _LONG else "{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel(f"{rows[0].noun}s")
    axes.set_ylabel(shown(f"{_quantity(rows)} {short(rows[0].measure)}"))
    axes.annotate(
        f"{now} now", (now, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -2),
        textcoords="offset points", va="top", size=SMALL, color=GREY,
    )  # fmt: skip


# Topics and repeats


def _two_parts(rows: Sequence[PlanRow]) -> Sheet:
    """Return a sheet with a panel for each measure, level and design of runs with repeats."""
    groups = [group for group in grouped(rows, "measure", "level", "design")
              if not group[0].no_variance]  # fmt: skip
    if not groups:
        raise DataError("", "all scores are equal: there is nothing to draw")
    panels = [
        Panel(
            f"{group[0].measure}: {group[0].design}, {percent(group[0].level)}",
            partial(_parts_panel, rows=group),
        )
        for group in groups
    ]
    today = count(rows[0].repeats or 0, "repeat")
    return grid_of(
        panels,
        "More repeats or more topics? What different numbers of topics give, "
        f"with {today} and with more",
        sentences(
            "Dot: the topics and repeats at hand.",
            "Dashed line: the least that more topics by themselves can reach, as repeats differ.",
            "Axes differ." if len(panels) > 1 else "",
        ),
        [style(place).key(label, width=1.2, dashed=True)
         for place, label in enumerate(_labels_of_curves(rows[0]))],
        size=(4.6, 3.0),
        left=0.6,
    )  # fmt: skip


def _labels_of_curves(row: PlanRow) -> list[str]:
    """Return what the three curves are of: today's repeats, twice as many, and any number."""
    now = row.repeats or 0
    return [count(now, "repeat"), f"{2 * now} repeats", "any number of repeats"]


def _parts_panel(axes: Axes, rows: Sequence[PlanRow]) -> None:
    """Draw what numbers of topics give with several numbers of repeats."""
    row = rows[0]
    spread = row.spread
    assert isinstance(spread, power.RepeatSpread)
    now = row.now
    first, last = min(_LEAST, now), _FAR * now
    numbers = np.unique(np.geomspace(first, last, _POINTS).round().astype(np.int64)).tolist()
    repeats = (spread.repeats, 2 * spread.repeats, _ANY)
    for place, number in enumerate(repeats):
        look, own = style(place), spread.with_repeats(number)
        heights = [row.attained_by(topics, own) for topics in numbers]
        axes.plot(numbers, heights, color=look.color, linestyle=look.dashes, linewidth=1.2,
                  gid=f"curve {place}")  # fmt: skip
    axes.plot([now], [row.attained], style(0).marker, color=style(0).color, markersize=5,
              gid="now and here")  # fmt: skip
    if spread.of_repeats > 0:
        least = row.attained_by(_ANY)
        axes.axhline(least, color=style(0).color, linewidth=0.8, linestyle="--", gid="floor")
    for each in rows:
        if each.target is not None:
            axes.axhline(each.target, color=GREY, linewidth=0.6, gid="target")
            axes.annotate(f"{each.target:g}", (1.0, each.target), xytext=(-2, 2), ha="right",
                          xycoords=("axes fraction", "data"), textcoords="offset points",
                          size=SMALL, color=GREY)  # fmt: skip
    _draw_scales(axes, rows, first, last)


def _quantity(rows: Sequence[PlanRow]) -> str:
    """Return what the vertical axis shows: `half-width in`, or `half-width, or margin, in`."""
    names = {DETECTABLE_DIFFERENCE: "difference", NON_INFERIORITY: "margin"}
    kinds = [*dict.fromkeys(names.get(row.design, "half-width") for row in rows)]
    return f"{', or '.join(kinds)}{',' if len(kinds) > 1 else ''} in"


def _name_what_is_not_drawn(axes: Axes, rows: Sequence[PlanRow]) -> None:
    """Write the targets that are out of reach, and the designs without variance, into a corner."""
    lines = [
        f"{row.design} of {row.target:g}: "
        f"{'perhaps out of reach' if row.needed else _OUT_OF_REACH.format(noun=row.noun)}"
        for row in rows
        if row.target is not None and row.needed_high is None and not row.no_variance
    ]
    lines += [f"{row.design}: no variance" for row in rows if row.no_variance]
    if lines:
        axes.annotate(
            "\n".join(dict.fromkeys(lines)), (0.03, 0.04), xycoords="axes fraction", size=SMALL,
            va="bottom", color=GREY, gid="not there",
        )  # fmt: skip


class _Target(NamedTuple):
    """A target that a number of topics is enough for."""

    row: PlanRow
    topics: int  # that are needed
    value: float


def _mark_target(axes: Axes, target: _Target, look: Style, targets: Sequence[_Target]) -> None:
    """Mark one of the targets, and write its number of topics where it hides no other's."""
    row, needed, value = target
    if row.needed_high is not None:
        axes.plot(
            [needed, row.needed_high], [value, value], color=look.color, linewidth=0.8,
            marker="|", markersize=5, markevery=[1], zorder=2, gid=f"bound {row.design}",
        )  # fmt: skip
    axes.plot(
        [needed], [value], look.marker, color=look.color, markersize=6, markerfacecolor="white",
        zorder=3, gid=f"target {row.design}",
    )  # fmt: skip
    near = [
        other.topics
        for other in targets
        if needed / _NEAR < other.topics < _NEAR * needed
        and value / _NEAR_TARGET < other.value < _NEAR_TARGET * value
    ]
    place, side = _RIGHT_ABOVE, "left"
    if needed >= _LONG:
        place, side = _LEFT_BELOW, "right"
    elif needed < max(near):
        place, side = (_LEFT_BELOW, "right") if needed == min(near) else (_ABOVE, "center")
    axes.annotate(
        f"{needed:,}", (needed, value), size=SMALL, textcoords="offset points", xytext=place,
        ha=side,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
    )  # fmt: skip
