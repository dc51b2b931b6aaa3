"""Levels of confidence as --level takes them."""

import click

from confint_cli.errors import CallError
from confint_cli.text import exactly, quoted, share, shortened, split_at_commas

_HINT = "0.95 and 95 both stand for 95%"


def some_levels(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the levels as shares, each once."""
    return tuple(dict.fromkeys(map(_level, split_at_commas(texts))))


def one_level(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the level, for commands that have one; refuse several."""
    levels = some_levels(context, option, texts)
    if len(levels) > 1:
        raise CallError(f"{context.info_name} has one --level at a time, not {len(levels)}")
    return levels


def _level(text: str) -> float:
    """Return the level that a text shows: a share below 1, or a percentage.

    A number above 50 and below 100 is a percentage without its sign too. Below, as with 1 or 5, it
    may be anything that is meant: 1%, 99% or a certainty. So it is refused.
    """
    plain = text.removesuffix("%")
    try:
        level, exact = share(text), exactly(plain)  # in which 0.99999999999999999 is not 1
    except ValueError:
        raise CallError(f"--level {quoted(text)} is not a number", _HINT) from None
    is_percentage, shown = plain != text, shortened(text)
    if not is_percentage and 1 <= exact <= 50:
        raise CallError(
            f"--level {shown} is no share, which is below 1", f"is {shown}% meant? {_HINT}"
        )
    if not is_percentage and exact > 1:
        level, is_percentage = share(f"{text}%"), True
    if not 0 < exact < (100 if is_percentage else 1):
        bounds = "0% and 100%" if is_percentage else "0 and 1"
        raise CallError(f"--level {shown} is not between {bounds}", _HINT)
    if (1 + level) / 2 == 1:
        raise CallError(f"--level {shown} is too near to 1 for a computer", "is 0.999999 meant?")
    if 1 - level == 1:
        raise CallError(f"--level {shown} is too near to 0 for a computer", _HINT)
    return level
