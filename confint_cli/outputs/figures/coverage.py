"""Which interval can I trust on data like mine? Boxplots of coverage, or Type I error by alpha."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from confint_cli.common.arrays import FloatArray
from confint_cli.common.text import count
from confint_cli.common.words import alpha_of, percent
from confint_cli.outputs.figures.paper import (
    GREY,
    LABEL,
    MARGIN,
    SMALL,
    Panel,
    Paper,
    Sheet,
    Style,
    grid_of,
    method_style,
    short,
    shown,
    width_of,
)
from confint_cli.outputs.figures.records import by_methods, rows_of, sentences, values_of
from confint_cli.outputs.figures.rows import method_keys
from confint_cli.studies.answer import Answer
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import CoverageRow
from confint_cli.studies.scope import for_whom, has_collections

_BOX = 0.17  # inches
_BETWEEN = 0.3  # inches between the boxes of two measures
_TALL = 3.2  # inches
_NARROWEST, _WIDEST = 5.4, 10.0  # inches
_WHISKER = 1.5  # interquartile ranges, as Tukey's
_LEFT, _BELOW = 0.55, 0.5  # inches for the numbers and names of the axes
_NAME = 20  # letters of a measure
_FLAT = 1.0  # times the height of boxes and whiskers: runs that are farther below are cut off
_FEW = 5  # fewer runs are shown as points, which a box would hide


@dataclass(frozen=True)
class _Coverages:
    """The coverages of all runs whose scores vary, by one measure, method, level and size."""

    measure: str
    method: str
    level: float
    sample: str  # what a sample has: `50 topics`
    values: FloatArray  # [run]


def sheets(answer: Answer[Any], *, paged: bool) -> list[Sheet]:  # noqa: ARG001
    """Return a sheet for each size of samples: boxplots or, if there are several levels, errors.

    The answer has `CoverageRow`s, or they are the `details` of a summary; the sheets are the same.
    """
    of_runs: Sequence[CoverageRow] = answer.details or answer.rows
    rows = rows_of(Answer(_over_runs(of_runs, answer.facts), (), answer.facts))
    kind = "with" if answer.facts["replacement"] else "without"
    about = f"{answer.facts['replicates']} samples of each run, {kind} replacement."
    if whom := for_whom(answer.facts):
        about += f" {'macro' if has_collections(answer.facts) else 'Intervals'}: {whom}."
    if not answer.details and not all(row.varies for row in of_runs):
        about += " Runs without variance are left out."
    size_sheets = []
    for sample in values_of(rows, "sample"):
        of_size = [row for row in rows if row.sample == sample]
        several_levels = len(values_of(of_size, "level")) > 1
        size_sheets.append((_errors if several_levels else _boxes)(of_size, sample, about))
    return size_sheets


def _over_runs(rows: Sequence[CoverageRow], facts: Facts) -> list[_Coverages]:
    """Return the coverages by each measure, method, level and size.

    Runs without variance are left out, as in the summary: their coverage is 1 by every method.
    """
    by_kind: dict[tuple[str, str, float, str], list[float]] = {}
    for row in rows:
        if row.varies:
            measure = f"{row.measure}, {row.collection}" if row.collection else row.measure
            kind = (measure, row.method, row.level, _sample(row, facts))
            by_kind.setdefault(kind, []).append(row.coverage)
    return [_Coverages(*kind, np.array(coverages)) for kind, coverages in by_kind.items()]


def _sample(row: CoverageRow, facts: Facts) -> str:
    """Return what a sample has: `50 topics`, `19 conversations`, or `collections`."""
    if row.groups is not None:
        return count(row.groups, facts["group_noun"])
    if row.judge_topics is not None and row.sample_size is not None:
        return f"{count(row.sample_size, 'topic')} by people, {row.judge_topics} by the judge"
    return "collections" if row.sample_size is None else count(row.sample_size, "topic")


def _samples_of(rows: Sequence[_Coverages], sample: str) -> str:
    """Return `10 runs, samples of 25 topics`, for a title."""
    numbers = [len(row.values) for row in rows]
    least, most = min(numbers), max(numbers)
    runs = count(most, "run") if least == most else f"{least} to {most} runs"
    return f"{runs}, samples of {sample}"


def _boxes(rows: Sequence[_Coverages], sample: str, about: str) -> Sheet:
    """Return a sheet with a box for each measure and method, all at the one level of `rows`.

    The methods of a measure are side by side, and so are measures, in as many lines as they take.
    """
    measures, methods = values_of(rows, "measure"), values_of(rows, "method")
    level = rows[0].level
    measure_width = len(methods) * _BOX + _BETWEEN
    in_a_line = max(1, int(_WIDEST / measure_width))
    lines = [measures[start : start + in_a_line] for start in range(0, len(measures), in_a_line)]
    width = max(_NARROWEST, min(len(measures), in_a_line) * measure_width)
    longest = max(width_of(short(name, _NAME), LABEL) for name in measures)
    is_slanted = longest > width / min(len(measures), in_a_line)
    below = _BELOW + (longest / 2 if is_slanted else 0.0)  # sin 30° = 1/2
    scale = _scale([row.values for row in rows], level)

    def draw(paper: Paper) -> None:
        for place, line in enumerate(lines):
            axes = paper.axes(
                MARGIN + _LEFT, 0.1 + place * (_TALL + below), width * len(line) / len(lines[0]),
                _TALL - 0.1,
            )  # fmt: skip
            _draw_scale(axes, scale, level)
            _draw_boxes(axes, rows, line, methods, scale.floor)
            if is_slanted:
                axes.tick_params(axis="x", labelrotation=30)
                for label in axes.get_xticklabels():
                    label.set(ha="right", rotation_mode="anchor")

    return Sheet(
        f"Coverage of {by_methods(rows)} intervals: {_samples_of(rows, sample)}",
        sentences(f"Dashed: {percent(level)}, the coverage that they should have.",
                  _about_boxes(rows, scale), about),
        2 * MARGIN + _LEFT + width,
        len(lines) * (_TALL + below),
        draw,
        method_keys(rows),
        names=measures,
    )  # fmt: skip


def _about_boxes(rows: Sequence[_Coverages], scale: "_Scale") -> str:
    """Return a sentence that says what boxes, whiskers and marks mean, as far as there are any."""
    few = [len(row.values) < _FEW for row in rows]
    return sentences(
        "" if all(few) else "Boxes: the median and the quartiles over runs; whiskers reach 1.5 "
        "interquartile ranges at most; circles are runs beyond the whiskers; marks on boxes are "
        "means.",
        "Marks: one for each run." if all(few) else "",
        f"Where there are fewer than {_FEW} runs, marks without boxes are the runs."
        if any(few) and not all(few) else "",
        "▾ at the foot: the number of runs below the axis, and the lowest coverage."
        if scale.cut else "",
    )  # fmt: skip


@dataclass(frozen=True)
class _Scale:
    """The axis of coverage; runs below its floor are not drawn, but counted in a foot below it."""

    floor: float
    top: float
    cut: bool  # whether some run is below the floor

    @property
    def bottom(self) -> float:
        """The lower end of the axis: below the foot, if there is one, or else the floor."""
        return self.floor - 0.2 * (self.top - self.floor) if self.cut else self.floor


def _scale(coverages: Sequence[FloatArray], level: float) -> _Scale:
    """Return an axis for boxes of `coverages`, an array [run] for each box.

    It reaches down to the lowest run, unless that makes boxes less than half as high as they
    could be: then it reaches down to the lowest whisker or mean.
    """
    drawn = [end for values in coverages for end in (*_whiskers(values), float(values.mean()))]
    highest = max(level, *(float(values.max()) for values in coverages))
    lowest_drawn = min([level, *drawn])
    lowest_run = min(float(values.min()) for values in coverages)
    cut = lowest_drawn - lowest_run > _FLAT * (highest - lowest_drawn)
    pad = 0.06 * (highest - lowest_drawn) or 0.02
    floor = lowest_drawn if cut else min(lowest_run, lowest_drawn)
    return _Scale(floor - pad, highest + pad, cut)


def _draw_scale(axes: Axes, scale: _Scale, level: float) -> None:
    axes.set_ylim(scale.bottom, scale.top)
    axes.set_yticks([tick for tick in axes.get_yticks() if scale.floor <= tick <= scale.top])
    axes.set_ylabel("coverage")
    axes.axhline(level, color="black", linewidth=0.8, linestyle=(0, (4, 3)), gid="level")
    if scale.cut:
        axes.axhline(scale.floor, color=GREY, linewidth=0.6, linestyle=":", gid="floor")


def _whiskers(values: FloatArray) -> tuple[float, float]:
    """Return the lowest and the highest value within `_WHISKER` of the quartiles."""
    q1, q3 = np.quantile(values, [0.25, 0.75])
    reach = _WHISKER * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    return float(inside.min()), float(inside.max())


def _draw_boxes(
    axes: Axes,
    rows: Sequence[_Coverages],
    measures: Sequence[str],
    methods: Sequence[str],
    floor: float,
) -> None:
    """Draw the boxes of some measures side by side, and their names below them."""
    coverages_of = {(row.measure, row.method): row.values for row in rows}
    step = len(methods) + _BETWEEN / _BOX  # from measure to measure; methods are 1 apart
    for group, measure in enumerate(measures):
        for place, method in enumerate(methods):
            if (measure, method) in coverages_of:
                x, values = group * step + place, coverages_of[measure, method]
                _box(axes, x, values, floor, method_style(method), f"{measure} {method}")
    middles = [group * step + (len(methods) - 1) / 2 for group in range(len(measures))]
    axes.set_xticks(middles, [shown(short(measure, _NAME)) for measure in measures])
    axes.tick_params(axis="x", length=0)
    half = _BETWEEN / _BOX / 2 + 0.5
    axes.set_xlim(-half, (len(measures) - 1) * step + len(methods) - 1 + half)


def _box(axes: Axes, x: float, values: FloatArray, floor: float, look: Style, name: str) -> None:
    """Draw a box of the values [run] at `x`, or the values themselves if they are few."""
    bottom, _ = axes.get_ylim()
    if len(values) < _FEW:
        axes.plot(np.full(len(values), x), values, look.marker, color=look.color, markersize=4,
                  gid=f"runs {name}")  # fmt: skip
        return
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    low, high = _whiskers(values)
    axes.add_patch(
        Rectangle((x - 0.36, q1), 0.72, q3 - q1, facecolor=look.color, alpha=0.35,
                  edgecolor=look.color, gid=f"box {name}")
    )  # fmt: skip
    axes.plot([x - 0.36, x + 0.36], [median, median], color="black", linewidth=1.2,
              solid_capstyle="butt", gid=f"median {name}")  # fmt: skip
    axes.plot([x], [values.mean()], look.marker, color=look.color, markersize=4,
              markeredgecolor="black", markeredgewidth=0.5, gid=f"mean {name}")  # fmt: skip
    for start, end in ((q1, low), (q3, high)):
        axes.plot([x, x], [start, end], color=look.color, linewidth=1, gid=f"whisker {name}")
    beyond = values[(values < low) | (values > high)]
    on_axis = beyond[beyond >= floor]
    axes.plot(np.full(len(on_axis), x), on_axis, "o", color=look.color, markersize=2.5,
              markerfacecolor="none", markeredgewidth=0.7, gid=f"beyond {name}")  # fmt: skip
    below_axis = beyond[beyond < floor]
    if len(below_axis):
        axes.plot([x], [bottom], "v", color=look.color, markersize=4, clip_on=False)
        axes.annotate(
            f"{len(below_axis)}: {below_axis.min():.2f}", (x, bottom), xytext=(0, 4), rotation=90,
            textcoords="offset points", ha="center", va="bottom", size=SMALL - 1.5, color=GREY,
        ).set_gid(f"below {name}")  # fmt: skip


def _errors(rows: Sequence[_Coverages], sample: str, about: str) -> Sheet:
    """Return a sheet with a panel for each measure: the mean Type I error by method and alpha."""
    alphas = sorted({alpha_of(row.level) for row in rows})
    errors = [1 - row.values for row in rows]
    means = [float(of_runs.mean()) for of_runs in errors]
    quartiles = [float(end) for of_runs in errors for end in np.quantile(of_runs, [0.25, 0.75])]
    logarithmic = min(means) > 0 and alphas[-1] > 4 * alphas[0]
    least, most = min([*alphas, *means]), max([*alphas, *means, *quartiles])
    ends = (least / 1.5, most * 1.3) if logarithmic else (0.0, most * 1.08)
    measures = values_of(rows, "measure")
    panels = [
        Panel(
            measure,
            partial(
                _error_lines,
                rows=[row for row in rows if row.measure == measure],
                alphas=alphas,
                ends=ends,
                logarithmic=logarithmic,
            ),
        )
        for measure in measures
    ]
    return grid_of(
        panels,
        f"Type I error of {by_methods(rows)} intervals: {_samples_of(rows, sample)}",
        sentences(
            "The share of intervals that miss, averaged over runs, against alpha (1 - level). "
            "Bars: the quartiles over runs; the mean may be outside them where some runs are far "
            "from the others. Dashed: as it should be.",
            about,
        ),
        method_keys(rows),
        size=(3.0, 2.8),
        left=0.6,
    )


def _error_lines(
    axes: Axes,
    rows: Sequence[_Coverages],
    alphas: Sequence[float],
    ends: tuple[float, float],
    *,
    logarithmic: bool,
) -> None:
    """Draw a line for each method by one measure; `ends` are those of the vertical axis."""
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_locator(NullLocator())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(_apart(alphas, logarithmic=logarithmic))
        axis.set_major_formatter("{x:g}")
    axes.set_ylim(*ends)
    axes.plot(alphas, alphas, color="black", linewidth=0.8, linestyle=(0, (4, 3)), gid="alpha")
    methods = values_of(rows, "method")
    for place, method in enumerate(methods):
        of_method = sorted(
            (row for row in rows if row.method == method), key=lambda row: alpha_of(row.level)
        )
        errors = [1 - row.values for row in of_method]
        look = method_style(method)
        shift = 1 + 0.02 * (place - (len(methods) - 1) / 2)  # or marks would hide one another
        shifted = np.array([alpha_of(row.level) * shift for row in of_method])
        means = np.array([float(of_runs.mean()) for of_runs in errors])
        axes.plot(shifted, means, linestyle=look.dashes, marker=look.marker, color=look.color,
                  markersize=4, linewidth=1.1, gid=f"error {method}")  # fmt: skip
        for x, of_runs in zip(shifted, errors, strict=True):
            low, high = np.quantile(of_runs, [0.25, 0.75])
            axes.plot([x, x], [max(low, ends[0]), high], color=look.color, linewidth=0.8,
                      gid=f"quartiles {method}")  # fmt: skip
    axes.set_xlabel("alpha")
    axes.set_ylabel("Type I error", size=LABEL)


def _apart(alphas: Sequence[float], *, logarithmic: bool) -> list[float]:
    """Return alphas that have room for a number on an axis; the largest always has it.

    `alphas` are in ascending order, and so is what is returned.
    """
    ticks = [alphas[-1]]
    for alpha in reversed(alphas[:-1]):
        is_far = ticks[-1] / alpha > 1.6 if logarithmic else ticks[-1] - alpha > 0.12 * alphas[-1]
        if is_far:
            ticks.append(alpha)
    return ticks[::-1]
