"""Levels of confidence as --level takes them."""

import click

from confint_cli.errors import CallError
from confint_cli.text import quoted, share, split_at_commas

_HINT = "0.95 and 95 both stand for 95%"


def some_levels(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the levels as shares, each once; a number of 1 or more is a percentage."""
    levels = []
    for text in split_at_commas(texts):
        try:
            level = share(text)
        except ValueError:
            raise CallError(f"--level {quoted(text)} is not a number", _HINT) from None
        percentage = text.endswith("%")
        if level >= 1 and not percentage:
            level, percentage = share(f"{text}%"), True
        if not 0 < level < 1:
            bounds = "0% and 100%" if percentage else "0 and 1"
            raise CallError(f"--level {text} is not between {bounds}", _HINT)
        levels.append(level)
    return tuple(dict.fromkeys(levels))


def one_level(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the level, for commands that have one; refuse several."""
    levels = some_levels(context, option, texts)
    if len(levels) > 1:
        raise CallError(f"{context.info_name} has one --level at a time, not {len(levels)}")
    return levels
