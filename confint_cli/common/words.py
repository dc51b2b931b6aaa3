"""Words and numbers in words, as all studies write them."""

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
    """Return the cells of all `parts` of a sentence, joined by commas and `last`."""
    sentence: list[Cell] = []
    for place, cells in enumerate(parts):
        if place:
            sentence.append(last if place == len(parts) - 1 else ", ")
        sentence += cells
    return sentence


def together(notes: Sequence[tuple[str, str]]) -> str:
    """Return the words of all notes, pairs of (method, note), each once and separated by commas.

    Commas separate the words of a note. A word that is true of some methods only is followed by
    their names or, if that is shorter, by `all but` and the names of the others.
    """
    methods_by_word: dict[str, list[str]] = {}
    for method, text in notes:
        for word in filter(None, text.split(", ")):
            methods_by_word.setdefault(word, []).append(method)
    texts = []
    for word, methods_of_word in methods_by_word.items():
        others = dict.fromkeys(method for method, _ in notes if method not in methods_of_word)
        those = dict.fromkeys(methods_of_word)
        if len(methods_of_word) == len(notes):
            texts.append(word)
        elif others and len(others) < len(those) - 1:
            texts.append(f"{word} (all but {', '.join(others)})")
        else:
            texts.append(f"{word} ({', '.join(those)})")
    return ", ".join(texts)


def rounded_up(number: float) -> int:
    """Return the next whole number of two significant digits that is no smaller."""
    unit: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit) * unit


def whole_if_it_is(number: float) -> float:
    """Return a whole number as an int, to be shown as `2`, not `2.0`; any other as it is."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
