"""Words that studies share."""

import math
from collections.abc import Sequence

from confint_cli.common.table import Cell


def percent(level: float) -> str:
    """Return `95%`, `99.9%`: all digits of the level, however near to 1 it is."""
    from decimal import Decimal  # a command that computes nothing does without

    text = f"{Decimal(repr(level)) * 100:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def series(words: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return "".join(map(str, series_of_cells([[word] for word in words])))


def series_of_cells(parts: Sequence[Sequence[Cell]], last: str = " and ") -> list[Cell]:
    """Return the same of parts of a sentence that have words and numbers."""
    sentence: list[Cell] = []
    for place, part in enumerate(parts):
        if place:
            sentence.append(last if place == len(parts) - 1 else ", ")
        sentence += part
    return sentence


def together(notes: Sequence[tuple[str, str]]) -> str:
    """Return the words of all notes (method, note); what is true of some only, with their methods.

    Words of a note are separated by commas. Of many methods, those are named that it is not true
    of, if they are fewer.
    """
    methods: dict[str, list[str]] = {}
    for method, text in notes:
        for word in filter(None, text.split(", ")):
            methods.setdefault(word, []).append(method)
    said = []
    for word, named in methods.items():
        others = dict.fromkeys(method for method, _ in notes if method not in named)
        of = dict.fromkeys(named)
        if len(named) == len(notes):
            said.append(word)
        elif others and len(others) < len(of) - 1:
            said.append(f"{word} (all but {', '.join(others)})")
        else:
            said.append(f"{word} ({', '.join(of)})")
    return ", ".join(said)


def rounded_up(number: float) -> int:
    """Return a number of two significant digits that is no smaller."""
    unit: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit


def whole_if_it_is(number: float) -> float:
    """Return a number that is shown as `2`, not `2.0`, if it is whole."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
