"""Texts of strangers as HTML: nothing in them is markup, and none of them turns what is beside it.

Every text of a page goes through `text`, `name` or `prose`.
"""

import html
import re

from confint_cli.text import visible

_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_WORD = rf"\S*{_LETTER}\S*?"
_FROM_RIGHT_TO_LEFT = re.compile(rf"({_WORD}(?:\s+{_WORD})*)(?=[.,:;)]*(?:\s|$))")
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
    parts = _FROM_RIGHT_TO_LEFT.split(visible(words))  # every second one is in this direction
    return "".join(
        f"<bdi>{text(part)}</bdi>" if place % 2 else text(part) for place, part in enumerate(parts)
    )
