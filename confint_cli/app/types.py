"""Types of options: whole numbers, numbers, choices and levels, with messages in our words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from confint_cli.common.errors import CallError
from confint_cli.common.guesses import guess
from confint_cli.common.text import (
    exactly,
    nearest,
    number,
    quoted,
    share,
    shortened,
    split_at_commas,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

IDEAL = "ideal"
_LEVEL_HINT = "0.95 and 95 both stand for 95%"


class BadValue(click.BadParameter):
    """The error for a value that an option does not take, with a hint at what to use instead."""

    def __init__(
        self, message: str, hint: str, ctx: click.Context | None, param: click.Parameter | None
    ) -> None:
        super().__init__(message, ctx, param)
        self.hint = hint


class Choice(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """One of some words; the error for any other word suggests the most similar of these."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value if it is one of the words, else raise BadValue."""
        if value in self.choices:
            return value
        words = [str(choice) for choice in self.choices]
        raise BadValue(
            f"{quoted(str(value))} is none of {', '.join(words)}",
            self._hint(str(value), words, param),
            ctx,
            param,
        )

    def _hint(self, value: str, words: Sequence[str], param: click.Parameter | None) -> str:
        option = max(param.opts, key=len) if isinstance(param, click.Option) else ""
        guessed = guess(option, value, words)
        if guessed is not None:
            return guessed.said
        close = nearest(value, words)
        return f"did you mean {close}?" if close else ""


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"

    def _describe_range(self) -> str:
        """Return `1 to 9` for the help, not click's `1<=x<=9`; nothing if there is no maximum."""
        return "" if self.max is None else f"{self.min} to {self.max}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number in a text; fail if it is none, or out of bounds."""
        try:
            parsed = int(value)
        except ValueError:
            self.fail(f"{quoted(str(value))} is not a whole number", param, ctx)
        if self.min is not None and parsed < self.min:
            self.fail(f"{parsed} is below {self.min:.0f}", param, ctx)
        if self.max is not None and parsed > self.max:
            self.fail(f"{parsed} is above {self.max:.0f}", param, ctx)
        return parsed


class NumberOrIdeal(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A whole number up to a bound, or `ideal`, which stands for infinitely many: None."""

    name = "ideal or a whole number"

    def __init__(self, most: int) -> None:
        self.number = WholeNumber(1, most)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Return `ideal` for a word that begins so: the shell knows no numbers."""
        from click.shell_completion import CompletionItem  # late: only completion needs it

        del ctx, param
        return [CompletionItem(IDEAL)] if IDEAL.startswith(incomplete) else []

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | None:
        """Return the number in a text, None for `ideal`; fail if it is neither."""
        if str(value).strip().lower() == IDEAL:
            return None
        try:
            int(value)
        except ValueError:
            self.fail(f"{quoted(str(value))} is neither '{IDEAL}' nor a whole number", param, ctx)
        return self.number.convert(value, param, ctx)


class FiniteNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number that is not infinite, and not below a bound if there is one."""

    name = "number"

    def __init__(self, min: float | None = None) -> None:  # noqa: A002
        self.min = min

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number in a text; fail if it is none, or out of bounds."""
        try:
            parsed = number(str(value))
        except ValueError:
            self.fail(f"{quoted(str(value))} is not a number", param, ctx)
        if self.min is not None and parsed < self.min:
            self.fail(f"{parsed:g} is below {self.min:g}", param, ctx)
        return parsed


def some_levels(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the levels of confidence in `texts` as shares below 1, each once."""
    return tuple(dict.fromkeys(map(_level, split_at_commas(texts))))


def one_level(
    context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the one level in `texts`, for commands that take one; raise CallError for several."""
    levels = some_levels(context, option, texts)
    if len(levels) > 1:
        raise CallError(f"{context.info_name} takes one --level at a time, not {len(levels)}")
    return levels


def _level(text: str) -> float:
    """Return the level in a text, a share or a percentage, as a share between 0 and 1.

    A number above 50 and below 100 is a percentage even without its sign. One from 1 to 50 without
    a sign raises CallError, as its meaning is unclear: 1 may be 1%, 99% or a certainty.
    """
    plain = text.removesuffix("%")
    try:
        level, exact = share(text), exactly(plain)  # in which 0.99999999999999999 is not 1
    except ValueError:
        raise CallError(f"--level {quoted(text)} is not a number", _LEVEL_HINT) from None
    is_percentage, shown = plain != text, shortened(text)
    if not is_percentage and 1 <= exact <= 50:
        raise CallError(
            f"--level {shown} is not a share, which is below 1",
            f"did you mean {shown}%? {_LEVEL_HINT}",
        )
    if not is_percentage and exact > 1:
        level, is_percentage = share(f"{text}%"), True
    if not 0 < exact < (100 if is_percentage else 1):
        bounds = "0% and 100%" if is_percentage else "0 and 1"
        raise CallError(f"--level {shown} is not between {bounds}", _LEVEL_HINT)
    if (1 + level) / 2 == 1:
        raise CallError(
            f"--level {shown} is too close to 1 for a computer", "did you mean 0.999999?"
        )
    if 1 - level == 1:
        raise CallError(f"--level {shown} is too close to 0 for a computer", _LEVEL_HINT)
    return level
