"""What figures are drawn on: letters that fit, colours, sheets of paper, and grids of panels.

All lengths are in inches, sizes of letters in points.
"""

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
from confint_cli.studies.covered import NAIVE

TITLE, LABEL, SMALL = 10.0, 8.0, 7.5  # sizes of letters
GREY, PALE, PALER = "#555555", "#eaeaea", "#f4f4f4"
FIRST, SECOND = "#0072b2", "#d55e00"
_COLORS = (FIRST, SECOND, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
Dashes = Literal["-", "--", "-.", ":"]
_DASHES: tuple[Dashes, ...] = ("-", "--", "-.", ":")
FONT = "DejaVu Sans"
_NO_LETTER = "□"  # stands for a letter that the font lacks
_LONGEST = 32  # letters of a name
MARGIN = 0.25
_LINE = 0.17  # height of a line of small letters
_TITLE_LINE = 0.22
_GAP = 0.12
BOLD = 1.15  # how many times as wide as others bold letters are
_WIDEST = 12.4  # sheet of panels
_LEFT, _ABOVE, _BELOW = 0.5, 0.28, 0.5  # room around the axes of a panel


@dataclass(frozen=True)
class Style:
    """How a method, or whatever else has a colour, is drawn."""

    color: str
    marker: str
    dashes: Dashes

    def key(self, label: str, *, width: float = 1.4, dashed: bool = False) -> Line2D:
        """Return the key that explains this style in a legend; `width` is in points."""
        return Line2D(
            [], [], color=self.color, marker=self.marker, markersize=4, linewidth=width,
            linestyle=self.dashes if dashed else "-", label=label,
        )  # fmt: skip


def method_style(name: str) -> Style:
    """Return the style of an interval method, the same in every figure."""
    numbers = _numbers_of_styles()
    others = [*NAIVE]
    beyond = others.index(name) if name in others else len(others)
    return style(numbers[name] if name in numbers else len(numbers) + beyond)


@cache
def _numbers_of_styles() -> dict[str, int]:
    """Return the number of each method's style: its own, or the next that no other has."""
    own = {name: method.style for name, method in intervals().items()}
    numbers = {name: number for name, number in own.items() if number is not None}
    free = (number for number in range(len(own)) if number not in numbers.values())
    return numbers | dict(zip([name for name in own if name not in numbers], free, strict=False))


def style(place: int) -> Style:
    """Return the style for the thing at this place, from 0; colour, marker and dashes recur."""
    return Style(
        _COLORS[place % len(_COLORS)],
        _MARKERS[place % len(_MARKERS)],
        _DASHES[place % len(_DASHES)],
    )


@cache
def _font() -> FT2Font:
    return get_font(findfont(FontProperties(family=FONT)))


def width_of(text: str, size: float) -> float:
    """Return how wide a text is, in inches, in letters of `size` points."""
    font = _font()
    font.set_size(size, 72)
    font.set_text(shown(text), 0.0)
    width, _ = font.get_width_height()
    return float(width / 64 / 72)


def shown(text: str) -> str:
    """Return the text with □ for each letter that the font lacks."""
    font = _font()
    return "".join(
        letter if letter == "\n" or font.get_char_index(ord(letter)) else _NO_LETTER
        for letter in text
    )


def lacks_letters(text: str) -> bool:
    """Say whether the font lacks some letter of a text."""
    return shown(text) != text


def fitting(text: str, size: float, width: float) -> str:
    """Return a text, the middle left out if it is wider than `width` in letters of `size`."""
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
    """Return a name, the middle left out if it has more than `longest` letters.

    What tells a name from others is mostly at one of its ends.
    """
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


@dataclass(frozen=True)
class Sheet:
    """One page of a PDF, or one part of a picture."""

    title: str  # says what is shown
    explanation: str  # says how to read it
    width: float
    height: float  # of what is below the heading
    draw: Callable[["Paper"], None]  # draws what is below the heading
    keys: Sequence[Line2D] = ()  # explain colours and marks
    names: Sequence[str] = ()  # those it shows that users chose: the font may lack their letters
    left_out: str = ""  # says how much of all it shows, such as "9 of 20 runs"; "": everything

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
        """The keys in rows, each with as many keys as there is room for."""
        rows: list[list[Line2D]] = []
        used_width = self.width
        for key in self.keys:
            key_width = width_of(str(key.get_label()), SMALL) + 0.6
            if used_width + key_width > self.width - 2 * MARGIN:
                rows.append([])
                used_width = 0.0
            rows[-1].append(key)
            used_width += key_width
        return rows

    @property
    def heading(self) -> float:
        """The height of the heading: title, explanation and keys."""
        lines = len(self.explanation_lines) + len(self.key_rows)
        return MARGIN + _TITLE_LINE * len(self.title_lines) + _LINE * lines + _GAP

    @property
    def full_height(self) -> float:
        """The height of the heading and of what is below it."""
        return self.heading + self.height


def empty_sheet() -> Sheet:
    """Return the sheet for a table without rows."""
    return Sheet("Nothing to draw", "The scores of no run vary.", 5.0, MARGIN, lambda _: None)


def _broken(text: str, width: float, size: float) -> list[str]:
    """Return the lines of a text, broken so that each fits into a sheet of this width."""
    text_width = width_of(text, size)
    if not text or text_width <= width - 2 * MARGIN:
        return [text] if text else []
    letters = int(len(text) * (width - 2 * MARGIN) / text_width * 0.96)
    return textwrap.wrap(text, letters, break_on_hyphens=False)


class Paper:
    """The part of a figure that one sheet takes, `top` inches below the top of the figure."""

    def __init__(self, figure: Figure, sheet: Sheet, top: float = 0.0) -> None:
        self.figure = figure
        self._full_width, self._full_height = (float(size) for size in figure.get_size_inches())
        self._top = top + sheet.heading
        self._write_heading(sheet, top + MARGIN)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return new axes of this size, `left` from the left edge, `top` below the heading."""
        full_width, full_height = self._full_width, self._full_height
        bottom = full_height - self._top - top - height
        axes = self.figure.add_axes(
            (left / full_width, bottom / full_height, width / full_width, height / full_height)
        )
        axes.spines[["top", "right"]].set_visible(False)
        return axes

    def _write_heading(self, sheet: Sheet, top: float) -> None:
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
    """One small figure, of one axes or several side by side."""

    title: str
    draw: Callable[..., None]  # takes the axes one by one


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
    """Return a sheet with a grid of panels, each with `axes` axes of this `size`: width, height.

    `left` is the room beside each axes, and `most_across` the most panels that stand in a row.
    """
    wide, tall = size
    panel_width = axes * (left + wide) + MARGIN
    across = max(1, min(len(panels), most_across, int(_WIDEST / panel_width)))
    down = -(-len(panels) // across)
    panel_height = _ABOVE + tall + _BELOW

    def draw(paper: Paper) -> None:
        for place, panel in enumerate(panels):
            corner = MARGIN + (place % across) * panel_width + left
            top = _ABOVE + (place // across) * panel_height
            panel_axes: list[Axes] = [
                paper.axes(corner + number * (left + wide), top, wide, tall)
                for number in range(axes)
            ]
            panel_title = fitting(panel.title, LABEL * BOLD, panel_width - left - 0.1)
            panel_axes[0].set_title(shown(panel_title), size=LABEL, loc="left", weight="bold")
            panel.draw(*panel_axes)

    width = max(MARGIN + across * panel_width, 5.0)
    return Sheet(
        title, explanation, width, down * panel_height + MARGIN / 2, draw, keys,
        names=[panel.title for panel in panels], left_out=left_out,
    )  # fmt: skip
