"""How wide words are in a figure, and names of strangers made short enough for it.

The letters are those of DejaVu Sans, which comes with matplotlib: the same on every machine.
"""

from functools import cache

from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import FT2Font

FONT = "DejaVu Sans"
_NO_LETTER = "□"  # stands for what the font lacks
_LONGEST = 32  # letters of a name


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
