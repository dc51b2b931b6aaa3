"""Words and numbers in words, as all studies write them, and the α of a level."""

import math
from collections.abc import Sequence

from confint_cli.common.table import Cell


def percent(level: float) -> str:
    """Return `95%`, `99.9%`: all digits of the level, however near to 1 it is."""
    from decimal import Decimal  # a command that computes nothing does without

    text = f"{Decimal(repr(level)) * 100:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def alpha_of(level: float) -> float:
    """Return α, which is 1 - level: a difference is significant if its p-value is below."""
    from decimal import Decimal

    return float(1 - Decimal(repr(level)))  # 1 - 0.9 is no 0.1 in floats


def a_percent(level: float) -> str:
    """Return `a 95%` or `an 80%`: a level after its article."""
    text = percent(level)
    whole = text.rstrip("%").partition(".")[0]
    return f"{'an' if text.startswith('8') or whole in ('11', '18') else 'a'} {text}"


def series(words: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return "".join(map(str, series_of_cells([[word] for word in words])))


def series_of_cells(parts: Sequence[Sequence[Cell]], last: str = " and ") -> list[Cell]:
    """Return the cells of all `parts` of a sentence, joined by commas and `last`."""
    sentence: list[Cell] = []
    for place, cells in enumerate(parts):
        if place:
            sentence.append(last if place == len(parts) - 1 else ", ")
        sentence += cells
    return sentence


def rounded_up(number: float) -> int:
    """Return the next whole number of two significant digits that is no smaller."""
    unit: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit


def whole_if_it_is(number: float) -> float:
    """Return a whole number as an int, to be shown as `2`, not `2.0`; any other as it is."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
