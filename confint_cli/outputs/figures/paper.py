"""What figures are drawn on: letters that fit, colours, sheets of paper, and grids of panels."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import FT2Font
from matplotlib.lines import Line2D

from confint_cli.stats.methods import intervals

TITLE, LABEL, SMALL = 10.0, 8.0, 7.5  # points
GREY, PALE, PALER = "#555555", "#eaeaea", "#f4f4f4"
FIRST, SECOND = "#0072b2", "#d55e00"
_COLORS = (FIRST, SECOND, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
Dashes = Literal["-", "--", "-.", ":"]
_DASHES: tuple[Dashes, ...] = ("-", "--", "-.", ":")
FONT = "DejaVu Sans"
_NO_LETTER = "□"  # stands for what the font lacks
_LONGEST = 32  # letters of a name
MARGIN = 0.25
_LINE = 0.17  # of small letters
_TITLE_LINE = 0.22
_GAP = 0.12
BOLD = 1.15  # times as wide as other letters
_WIDEST = 12.4
_LEFT, _ABOVE, _BELOW = 0.5, 0.28, 0.5


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
    """Return the style of an interval method, the same in every figure."""
    numbers = _numbers_of_styles()
    return style(numbers[name] if name in numbers else len(numbers))


@cache
def _numbers_of_styles() -> dict[str, int]:
    """Return the number of each method's style: its own, or the next that no other has."""
    own = {name: method.style for name, method in intervals().items()}
    numbers = {name: number for name, number in own.items() if number is not None}
    free = (number for number in range(len(own)) if number not in numbers.values())
    return numbers | dict(zip([name for name in own if name not in numbers], free, strict=False))


def style(place: int) -> Style:
    """Return the style of the first, second … of several."""
    return Style(
        _COLORS[place % len(_COLORS)],
        _MARKERS[place % len(_MARKERS)],
        _DASHES[place % len(_DASHES)],
    )


@cache
def _font() -> FT2Font:
    return get_font(findfont(FontProperties(family=FONT)))


def width_of(text: str, size: float) -> float:
    """Return how wide a text is, in inches, in letters of so many points."""
    font = _font()
    font.set_size(size, 72)
    font.set_text(shown(text), 0.0)
    width, _ = font.get_width_height()
    return float(width / 64 / 72)


def shown(text: str) -> str:
    """Return the text as the font can show it."""
    font = _font()
    return "".join(
        letter if letter == "\n" or font.get_char_index(ord(letter)) else _NO_LETTER
        for letter in text
    )


def lacks_letters(text: str) -> bool:
    """Say whether the font lacks some letter of a text."""
    return shown(text) != text


def fitting(text: str, size: float, width: float) -> str:
    """Return a text, the middle left out if it is wider than so many inches."""
    if width_of(text, size) <= width:
        return text
    fits, too_long = 3, len(text)
    while too_long - fits > 1:
        half = (fits + too_long) // 2
        if width_of(short(text, half), size) > width:
            too_long = half
        else:
            fits = half
    return short(text, fits)


def short(name: str, longest: int = _LONGEST) -> str:
    """Return a name, the middle left out of a long one: what tells it from others is at an end."""
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


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


@dataclass(frozen=True)
class Panel:
    """One small figure; of several axes, they stand side by side."""

    title: str
    draw: Callable[..., None]  # takes the axes


def grid_of(
    panels: Sequence[Panel],
    title: str,
    explanation: str,
    keys: Sequence[Line2D] = (),
    *,
    size: tuple[float, float],
    axes: int = 1,
    left: float = _LEFT,
    most_across: int = 99,
    left_out: str = "",
) -> Sheet:
    """Return a sheet of panels; `size` is that of each one's axes, of which it has so many."""
    wide, tall = size
    cell = axes * (left + wide) + MARGIN
    across = max(1, min(len(panels), most_across, int(_WIDEST / cell)))
    down = -(-len(panels) // across)
    full = _ABOVE + tall + _BELOW

    def draw(paper: Paper) -> None:
        for place, panel in enumerate(panels):
            corner = MARGIN + (place % across) * cell + left
            top = _ABOVE + (place // across) * full
            own: list[Axes] = [
                paper.axes(corner + one * (left + wide), top, wide, tall) for one in range(axes)
            ]
            title = fitting(panel.title, LABEL * BOLD, cell - left - 0.1)
            own[0].set_title(shown(title), size=LABEL, loc="left", weight="bold")
            panel.draw(*own)

    width = max(MARGIN + across * cell, 5.0)
    return Sheet(
        title, explanation, width, down * full + MARGIN / 2, draw, keys,
        names=[panel.title for panel in panels], left_out=left_out,
    )  # fmt: skip
