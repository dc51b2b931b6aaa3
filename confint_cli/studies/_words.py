"""Words that studies share."""

import math


def percent(level: float) -> str:
    """Return `95%`, `99.9%`."""
    return f"{level * 100:.10g}%"


def rounded_up(number: float) -> int:
    """Return a number of two significant digits that is no smaller."""
    unit: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit
