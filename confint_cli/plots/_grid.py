"""Panels of one size in a grid, as many beside one another as a sheet is wide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from confint_cli.plots._letters import fitting, shown
from confint_cli.plots._paper import BOLD, MARGIN, Paper, Sheet
from confint_cli.plots._styles import LABEL

_WIDEST = 12.4
_LEFT, _ABOVE, _BELOW = 0.5, 0.28, 0.5


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
