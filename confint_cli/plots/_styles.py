"""Colours and marks that people tell apart whatever they see of colours, and in grey print too.

The colours are those of Okabe and Ito (2008) that show on white; each has a mark of its own.
"""

from dataclasses import dataclass
from typing import Literal

from matplotlib.lines import Line2D

TITLE, LABEL, SMALL = 10.0, 8.0, 7.5  # points
GREY, PALE, PALER = "#555555", "#eaeaea", "#f4f4f4"
FIRST, SECOND = "#0072b2", "#d55e00"
_COLORS = (FIRST, SECOND, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
Dashes = Literal["-", "--", "-.", ":"]
_DASHES: tuple[Dashes, ...] = ("-", "--", "-.", ":")
_METHODS = (
    "t", "percentile", "bootstrap-t", "bca", "basic", "logit", "wilson", "z", "max-t", "welch",
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How a method, or whatever else has a colour, is drawn."""

    color: str
    marker: str
    dashes: Dashes

    def key(self, label: str, *, width: float = 1.4, dashed: bool = False) -> Line2D:
        """Return what explains it."""
        return Line2D(
            [], [], color=self.color, marker=self.marker, markersize=4, linewidth=width,
            linestyle=self.dashes if dashed else "-", label=label,
        )  # fmt: skip


def method_style(name: str) -> Style:
    """Return the style of a method, the same in every figure."""
    return style(_METHODS.index(name) if name in _METHODS else len(_METHODS))


def style(place: int) -> Style:
    """Return the style of the first, second … of several."""
    return Style(
        _COLORS[place % len(_COLORS)],
        _MARKERS[place % len(_MARKERS)],
        _DASHES[place % len(_DASHES)],
    )
