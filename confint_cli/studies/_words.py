"""Words that studies share."""

import math
from decimal import Decimal


def percent(level: float) -> str:
    """Return `95%`, `99.9%`: all digits of the level, however near to 1 it is."""
    text = f"{Decimal(repr(level)) * 100:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def rounded_up(number: float) -> int:
    """Return a number of two significant digits that is no smaller."""
    unit: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit
