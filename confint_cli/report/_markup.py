"""Texts of strangers as HTML: nothing in them is markup, and none of them turns what is beside it.

Every text of a page goes through `text`, `name` or `prose`.
"""

import html
import re

from confint_cli.text import visible

_FROM_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_STOPS = ".,:;)"  # behind a word, these are the sentence's
_LONG = 30  # characters of a name that may be cut where there is no room


def text(words: str) -> str:
    """Return a text as it may stand between tags or in an attribute."""
    return html.escape(visible(words), quote=True)


def name(words: str) -> str:
    """Return a name in its own direction."""
    title = f' title="{text(words)}"' if len(words) > _LONG else ""
    return f"<bdi{title}>{text(words)}</bdi>"


def prose(words: str) -> str:
    """Return a sentence; words in it that are written from right to left keep to themselves."""
    shown = visible(words)
    pieces, done = [], 0
    for start, end in _turned(shown):
        pieces += [text(shown[done:start]), f"<bdi>{text(shown[start:end])}</bdi>"]
        done = end
    return "".join([*pieces, text(shown[done:])])


def _turned(sentence: str) -> list[tuple[int, int]]:
    """Return where words from right to left begin and end, those in a row together."""
    found: list[tuple[int, int]] = []
    for word in re.finditer(r"\S+", sentence):
        if _FROM_RIGHT_TO_LEFT.search(word[0]):
            start, end = word.start(), word.start() + len(word[0].rstrip(_STOPS))
            if found and sentence[found[-1][1] : start].isspace():
                start = found.pop()[0]
            found.append((start, end))
    return found
