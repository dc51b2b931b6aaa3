"""Intervals of several methods and levels: a lane and a colour a method, levels by thickness."""

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from matplotlib.lines import Line2D

from confint_cli.plots._records import Record, values_of
from confint_cli.plots._rows import Intervals
from confint_cli.plots._styles import method_style
from confint_cli.plots._words import sentences
from confint_cli.studies._words import percent, series

_ONE_LEVEL, _THICKEST, _THINNEST = 1.4, 2.4, 0.7  # points


def in_lanes(
    rows: Sequence[Record], row_of: Callable[[Record], Hashable], value: str, filled: str = ""
) -> list[Intervals]:
    """Return the intervals of all rows, those of one figure's row told by what `row_of` returns.

    `value` and `filled` name what is marked, and whether the mark is a filled one.
    """
    places = list(dict.fromkeys(map(row_of, rows)))
    levels = sorted(values_of(rows, "level"))
    found = {(row_of(row), row["method"], row["level"]): row for row in rows}
    widths = np.linspace(_THICKEST, _THINNEST, len(levels)) if len(levels) > 1 else [_ONE_LEVEL]
    intervals = []
    for lane, method in enumerate(values_of(rows, "method")):
        for width, level in zip(widths, levels, strict=True):
            own = [found.get((place, method, level)) for place in places]
            low, middle, high = (
                np.array([row[name] if row else np.nan for row in own], dtype=float)
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
                    [bool(row and row[filled]) for row in own] if filled else None,
                    capped=len(levels) > 1,
                )
            )
    return intervals


def method_keys(rows: Sequence[Record]) -> list[Line2D]:
    """Return what explains the lanes, if there are several."""
    methods = values_of(rows, "method")
    keys = [method_style(method).key(method) for method in methods]
    return keys if len(keys) > 1 else []


def about_levels(rows: Sequence[Record]) -> str:
    """Return what explains the thickness of lines, if there are several levels."""
    levels = sorted(values_of(rows, "level"))
    if len(levels) == 1:
        return ""
    return f"From thick to thin: {series([percent(level) for level in levels])}."


def about_infinity(rows: Sequence[Record]) -> str:
    """Return what explains arrows, and marks without a line, if there are some."""
    infinite = any(math.isinf(row[end]) for row in rows for end in ("low", "high"))
    missing = any(math.isnan(row["low"]) for row in rows)
    return sentences(
        "An arrow has no limit." if infinite else "",
        "A mark without a line has no limits." if missing else "",
    )
