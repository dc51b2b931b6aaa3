"""Pictures in characters: intervals on a scale, strips of rows that are alike, histograms."""

import math
from collections.abc import Sequence
from dataclasses import replace

from confint_cli.common.table import Cell, Column, Histogram, Span, Strip
from confint_cli.outputs.cells import cell_text

_NARROWEST, _WIDEST = 20, 48  # characters of a picture of an interval
_HEIGHTS = "▁▂▃▄▅▆▇█"


def draw(column: Column, width: int, digits: int) -> tuple[str, list[str]] | None:
    """Return a header and a picture for each cell of a column of strips or of spans.

    None, if they do not fit in `width` characters. Above spans, the header has the scale's ends.
    """
    if any(isinstance(cell, Strip) for cell in column.values):
        strips = [_strip(cell) if isinstance(cell, Strip) else "" for cell in column.values]
        return (column.name, strips) if max(map(len, strips)) <= width else None
    if width < _NARROWEST:
        return None
    header, pictures = _spans(column.values, min(width, _WIDEST), digits)
    return (header, pictures) if len(header) <= width else None


def with_histograms(column: Column) -> Column:
    """Return the column with its histograms as text: as narrow as numbers, they always fit."""
    if not any(isinstance(cell, Histogram) for cell in column.values):
        return column
    drawn = [_histogram(cell) if isinstance(cell, Histogram) else cell for cell in column.values]
    return replace(column, values=drawn)


def _histogram(histogram: Histogram) -> str:
    """Return ` ▁▃█▂ `: bins as high as their share of the fullest one, an empty one blank."""
    fullest = max(histogram.counts)
    return "".join(
        _HEIGHTS[math.ceil(topics / fullest * len(_HEIGHTS)) - 1] if topics else " "
        for topics in histogram.counts
    )


def _strip(strip: Strip) -> str:
    """Return `■●■■··`: ● for the row itself, ■ for rows that are like it, · for others."""
    characters = ["■" if alike else "·" for alike in strip.alike]
    characters[strip.own] = "●"
    return "".join(characters)


def _spans(cells: Sequence[Cell], width: int, digits: int) -> tuple[str, list[str]]:
    """Return a header with the scale's ends, and a picture for each cell, empty without a span."""
    spans = [cell for cell in cells if isinstance(cell, Span)]
    values = [value for span in spans for value in (span.low, span.value, span.high)]
    finite = [value for value in values if math.isfinite(value)]
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
