"""The scale that all pictures of a column share, and its axis."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH = 180
_PAD = 8  # room for half of a number at either end
_HEIGHT = 15  # of the axis
_STEPS = (1, 2, 5, 10)
_FEWEST_STEPS = 3


@dataclass(frozen=True)
class Scale:
    """From where to where, with numbers at some places."""

    start: float
    end: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return how far from the left a value is drawn, one beyond the ends at an end."""
        share = min(1.0, max(0.0, (value - self.start) / (self.end - self.start)))
        return round(_PAD + share * (WIDTH - 2 * _PAD), 1)


def scale_of(values: Iterable[float]) -> Scale:
    """Return a scale of round numbers that has room for all finite values."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if not high > low:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    step = _step((high - low) / _FEWEST_STEPS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(place * step for place in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def _step(largest: float) -> float:
    """Return the largest of 1, 2, 5, 10, … (or tenths of these …) that is not larger."""
    unit = 10.0 ** math.floor(math.log10(largest))
    return max(step * unit for step in _STEPS if step * unit <= largest * (1 + 1e-9))


def scale_of_ranks(runs: int) -> Scale:
    """Return the scale from the first rank to the last."""
    middle = [(1 + runs) // 2] if runs > 8 else []
    return Scale(1, max(runs, 2), tuple(map(float, [1, *middle, max(runs, 2)])))


def axis(scale: Scale) -> str:
    """Return the numbers of a scale, to stand above the pictures."""
    digits = _digits(scale)
    marks = "".join(
        f'<text x="{scale.place(tick):g}" y="9">{tick:.{digits}f}</text>'
        if abs(tick) < 1e6
        else f'<text x="{scale.place(tick):g}" y="9">{tick:.0e}</text>'
        for tick in _that_fit(scale, digits)
    )
    lines = "".join(f"M{scale.place(tick):g} 11v4" for tick in scale.ticks)
    return (
        f'<svg class="axis" viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden="true">{marks}'
        f'<path d="{lines}"/></svg>'
    )


def _digits(scale: Scale) -> int:
    """Return the decimals that tell all ticks apart."""
    step = min(b - a for a, b in zip(scale.ticks, scale.ticks[1:], strict=False))
    return max(0, min(9, -math.floor(math.log10(step) + 1e-9)))


def _that_fit(scale: Scale, digits: int) -> list[float]:
    """Return ticks that are so far from one another that their numbers do not touch."""
    widest = max(len(f"{tick:.{digits}f}") for tick in scale.ticks) * 6 + 6
    shown: list[float] = []
    for tick in scale.ticks:
        if not shown or scale.place(tick) - scale.place(shown[-1]) >= widest:
            shown.append(tick)
    return shown
