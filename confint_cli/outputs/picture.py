"""Pictures in characters: intervals on one scale for all rows, likeness to rows, histograms."""

import math
from collections.abc import Sequence
from dataclasses import replace

from confint_cli.common.table import Cell, Column, Histogram, Span, Strip
from confint_cli.outputs.cells import cell_text

_NARROWEST, _WIDEST = 20, 48  # of pictures of intervals


def draw(column: Column, width: int, digits: int) -> tuple[str, list[str]] | None:
    """Return what stands above the pictures and one for each cell; None where they do not fit."""
    if any(isinstance(cell, Strip) for cell in column.values):
        strips = [_strip(cell) if isinstance(cell, Strip) else "" for cell in column.values]
        return (column.name, strips) if max(map(len, strips)) <= width else None
    if width < _NARROWEST:
        return None
    header, pictures = _spans(column.values, min(width, _WIDEST), digits)
    return (header, pictures) if len(header) <= width else None


_HEIGHTS = "▁▂▃▄▅▆▇█"


def with_histograms(column: Column) -> Column:
    """Return the column, histograms drawn: they are as narrow as numbers, and there is room."""
    if not any(isinstance(cell, Histogram) for cell in column.values):
        return column
    drawn = [_histogram(cell) if isinstance(cell, Histogram) else cell for cell in column.values]
    return replace(column, values=drawn)


def _histogram(histogram: Histogram) -> str:
    """Return ` ▁▃█▂ `: bins by their share of the fullest one, and a blank for an empty one."""
    most = max(histogram.counts)
    top = len(_HEIGHTS)
    return "".join(
        _HEIGHTS[math.ceil(number / most * top) - 1] if number else " "
        for number in histogram.counts
    )


def _strip(strip: Strip) -> str:
    """Return `■●■■··`: itself, rows it is like, and rows it is not like."""
    characters = ["■" if alike else "·" for alike in strip.alike]
    characters[strip.own] = "●"
    return "".join(characters)


def _spans(cells: Sequence[Cell], width: int, digits: int) -> tuple[str, list[str]]:
    """Return the scale's ends, to stand above it, and a picture for each cell."""
    spans = [cell for cell in cells if isinstance(cell, Span)]
    ends = [end for span in spans for end in (span.low, span.value, span.high)]
    finite = [end for end in ends if math.isfinite(end)]
    start, end = min(finite), max(finite)
    left, right = cell_text(start, digits), cell_text(end, digits)
    header = f"{left} {right.rjust(width - len(left) - 1)}" if end > start else left
    return header, [
        _picture(cell, start, end, width) if isinstance(cell, Span) else "" for cell in cells
    ]


def _picture(span: Span, start: float, end: float, width: int) -> str:
    """Return `  ├──●───┤  ┊`: the interval, its value, and the mark where nothing else is."""

    def place(value: float) -> int:
        share = (value - start) / (end - start) if end > start else 0.0
        return min(width - 1, max(0, int(share * width)))

    characters = [" "] * width
    if span.mark is not None:
        characters[place(span.mark)] = "┊"
    if not math.isnan(span.low):
        low = place(span.low) if math.isfinite(span.low) else 0
        high = place(span.high) if math.isfinite(span.high) else width - 1
        characters[low : high + 1] = "─" * (high + 1 - low)
        characters[low] = "├" if math.isfinite(span.low) else "◂"
        characters[high] = "┤" if math.isfinite(span.high) else "▸"
    characters[place(span.value)] = "●"
    return "".join(characters)
