"""Sheets of paper to draw on: a heading, what the colours mean, and room for axes below it.

All lengths are inches, so that letters keep their size however many runs there are.
"""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from confint_cli.plots._letters import shown, width_of
from confint_cli.plots._styles import GREY, SMALL, TITLE

MARGIN = 0.25
_LINE = 0.17  # of small letters
_TITLE_LINE = 0.22
_GAP = 0.12
BOLD = 1.15  # times as wide as other letters


@dataclass(frozen=True)
class Sheet:
    """One page, or one part of a picture."""

    title: str  # what is shown
    explanation: str  # how to read it
    width: float
    height: float  # of what is below the heading
    draw: Callable[["Paper"], None]
    keys: Sequence[Line2D] = ()  # what colours and marks mean
    names: Sequence[str] = ()  # of strangers, in whatever letters
    left_out: str = ""  # which part of all it shows, if it does not show all

    @property
    def title_lines(self) -> list[str]:
        """The title, broken where the sheet ends."""
        return _broken(self.title, self.width, TITLE * BOLD)

    @property
    def explanation_lines(self) -> list[str]:
        """The explanation, broken where the sheet ends."""
        return _broken(self.explanation, self.width, SMALL)

    @property
    def key_rows(self) -> list[list[Line2D]]:
        """The keys, as many beside one another as there is room for."""
        rows: list[list[Line2D]] = []
        used = self.width
        for key in self.keys:
            wide = width_of(str(key.get_label()), SMALL) + 0.6
            if used + wide > self.width - 2 * MARGIN:
                rows.append([])
                used = 0.0
            rows[-1].append(key)
            used += wide
        return rows

    @property
    def heading(self) -> float:
        """How high all of the heading is."""
        lines = len(self.explanation_lines) + len(self.key_rows)
        return MARGIN + _TITLE_LINE * len(self.title_lines) + _LINE * lines + _GAP

    @property
    def full_height(self) -> float:
        """How high the sheet is."""
        return self.heading + self.height


def empty_sheet() -> Sheet:
    """Return what is drawn of a table without rows."""
    return Sheet("Nothing to draw", "The scores of no run vary.", 5.0, MARGIN, lambda _: None)


def _broken(text: str, width: float, size: float) -> list[str]:
    """Return the lines of a text that is to be no wider than a sheet."""
    wide = width_of(text, size)
    if not text or wide <= width - 2 * MARGIN:
        return [text] if text else []
    letters = int(len(text) * (width - 2 * MARGIN) / wide * 0.96)
    return textwrap.wrap(text, letters, break_on_hyphens=False)


class Paper:
    """A place on a figure for one sheet; axes are placed from its upper left corner."""

    def __init__(self, figure: Figure, sheet: Sheet, top: float = 0.0) -> None:
        self.figure = figure
        self._full_width, self._full_height = (float(size) for size in figure.get_size_inches())
        self._top = top + sheet.heading
        self._head(sheet, top + MARGIN)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return axes of this size, so far from the left and from the heading."""
        across, down = self._full_width, self._full_height
        bottom = down - self._top - top - height
        axes = self.figure.add_axes((left / across, bottom / down, width / across, height / down))
        axes.spines[["top", "right"]].set_visible(False)
        return axes

    def _head(self, sheet: Sheet, top: float) -> None:
        for line in sheet.title_lines:
            self._write(MARGIN, top, line, TITLE, "black", weight="bold")
            top += _TITLE_LINE
        for line in sheet.explanation_lines:
            self._write(MARGIN, top, line, SMALL, GREY)
            top += _LINE
        for row in sheet.key_rows:
            legend = self.figure.legend(
                handles=row,
                loc="upper left",
                ncols=len(row),
                bbox_to_anchor=(MARGIN / self._full_width, 1 - top / self._full_height),
                fontsize=SMALL,
                frameon=False,
                borderpad=0,
                borderaxespad=0,
                handlelength=2,
                handletextpad=0.5,
                columnspacing=1.5,
            )
            self.figure.add_artist(legend)
            top += _LINE

    def _write(
        self, left: float, top: float, text: str, size: float, color: str, weight: str = "normal"
    ) -> None:
        self.figure.text(
            left / self._full_width,
            1 - top / self._full_height,
            shown(text),
            size=size,
            color=color,
            weight=weight,
            va="top",
        )
