"""Text as it may stand in HTML, and the scale that all pictures of a column share."""

import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from confint_cli.common.text import visible

_FROM_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_STOPS = ".,:;)"  # at the end of a word, these belong to the sentence
_LONG = 30  # characters: a name that has more may be cut where there is no room


WIDTH = 180  # of a picture, in its own units
_PAD = 8  # room for half of a number at either end of the axis
_HEIGHT = 15  # of the axis
_CHARACTER = 5.6  # width of a character in a number of the axis
_STEPS = (1, 2, 5, 10)  # between the numbers of an axis, times a power of ten
_MOST_STEPS = 5  # between the ends of an axis
_TINY = 1e-100  # smaller values are drawn as 0
_SAME = 1e-9  # values that differ by less, as a share of the largest, are drawn as one


def text(words: str) -> str:
    """Return a text as it may stand between tags or in an attribute."""
    return html.escape(visible(words), quote=True)


def name(words: str) -> str:
    """Return a name as it may stand in a cell, with a direction of its own if it needs one.

    A long name may be cut where there is no room: the whole of it is its tooltip.
    """
    if len(words) > _LONG:
        return f'<bdi title="{text(words)}">{text(words)}</bdi>'
    return text(words) if words.isascii() else f"<bdi>{text(words)}</bdi>"


def prose(words: str) -> str:
    """Return a sentence, in which words from right to left do not turn the words around them."""
    shown = visible(words)
    pieces, done = [], 0
    for start, end in _from_right_to_left(shown):
        pieces += [text(shown[done:start]), f"<bdi>{text(shown[start:end])}</bdi>"]
        done = end
    return "".join([*pieces, text(shown[done:])])


def heading(words: str) -> str:
    """Return the heading of a table."""
    return f"<h3>{prose(words)}</h3>"


def legend(seen: Iterable[str], told: Iterable[str]) -> str:
    """Return sentences on what a table shows: on its pictures and colours, and on its numbers.

    Only the latter go with a table that is saved.
    """
    return (
        f'<p class="legend"><span class="seen">{prose(" ".join(seen))}</span> '
        f"<span>{prose(' '.join(told))}</span></p>"
    )


def _from_right_to_left(sentence: str) -> list[tuple[int, int]]:
    """Return the start and the end of words from right to left, of those in a row together."""
    places: list[tuple[int, int]] = []
    for word in re.finditer(r"\S+", sentence):
        if _FROM_RIGHT_TO_LEFT.search(word[0]):
            start, end = word.start(), word.start() + len(word[0].rstrip(_STOPS))
            if places and sentence[places[-1][1] : start].isspace():
                start = places.pop()[0]
            places.append((start, end))
    return places


@dataclass(frozen=True)
class Scale:
    """The values at the left and the right end of pictures, and those that have a tick."""

    start: float
    end: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return how far from the left, of `WIDTH`, a value is drawn; one beyond an end, there."""
        share = min(1.0, max(0.0, (value - self.start) / (self.end - self.start)))
        return round(_PAD + share * (WIDTH - 2 * _PAD), 1)


def scale_of(values: Iterable[float]) -> Scale:
    """Return a scale from the smallest to the largest finite value, with ticks at round numbers.

    Around values that are all the same, there is room on either side.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    largest = max(abs(low), abs(high))
    if not high - low > _SAME * max(largest, _TINY):
        half = largest / 2 if largest > _TINY else 0.5
        low, high = low - half, high + half
    step = _step((high - low) / _MOST_STEPS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return Scale(low, high, tuple(place * step for place in range(first, last + 1)))


def _step(least: float) -> float:
    """Return the smallest of 1, 2 and 5, times any power of ten, that is not below `least`."""
    unit = 10.0 ** math.floor(math.log10(least))
    return min(step * unit for step in _STEPS if step * unit >= least * (1 - 1e-9))


def scale_of_ranks(runs: int) -> Scale:
    """Return the scale of ranks from 1 to `runs`, with ticks there and, of many, in the middle."""
    middle = [(1 + runs) // 2] if runs > 8 else []
    return Scale(1, max(runs, 2), tuple(map(float, [1, *middle, max(runs, 2)])))


def axis(scale: Scale) -> str:
    """Return the ticks of a scale and their numbers as a picture, to stand above the others."""
    numbers = "".join(
        f'<text x="{scale.place(tick):g}" y="9">{number}</text>' for tick, number in _numbers(scale)
    )
    lines = "".join(f"M{scale.place(tick):g} 11v4" for tick in scale.ticks)
    return (
        f'<svg class=axis viewBox="0 0 {WIDTH} {_HEIGHT}" aria-hidden=true>{numbers}'
        f'<path d="{lines}"/></svg>'
    )


def _numbers(scale: Scale) -> list[tuple[float, str]]:
    """Return ticks with the numbers above them, as text.

    Where the numbers of all ticks would touch, every second or third tick has one; 0 always does.
    """
    texts = _tick_texts(scale.ticks)
    room = scale.place(scale.ticks[1]) - scale.place(scale.ticks[0])
    every = math.ceil((max(map(len, texts)) + 1) * _CHARACTER / room)
    first = scale.ticks.index(0.0) % every if 0.0 in scale.ticks else 0
    return list(zip(scale.ticks, texts, strict=True))[first::every]


def _tick_texts(ticks: Sequence[float]) -> list[str]:
    """Return each number with as few decimals as tell it from the others."""
    step = min(after - before for before, after in pairwise(ticks))
    largest = max(map(abs, ticks))
    if not 1e-3 <= largest < 1e6:
        return [f"{tick:.1e}".replace("-", "−") if tick else "0" for tick in ticks]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{tick:.{digits}f}".replace("-", "−") if tick else "0" for tick in ticks]
