"""Numbers as options take them, with messages in our words."""

from typing import Any

import click

from confint_cli.text import number, quoted


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"

    def _describe_range(self) -> str:
        """Say in words what click's help would say as `1<=x<=9`."""
        return f"{self.min} or more" if self.max is None else f"{self.min} to {self.max}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a text shows."""
        try:
            shown = int(value)
        except ValueError:
            self.fail(f"{quoted(str(value))} is not a whole number", param, ctx)
        if self.min is not None and shown < self.min:
            self.fail(f"{shown} is below {self.min:.0f}", param, ctx)
        if self.max is not None and shown > self.max:
            self.fail(f"{shown} is above {self.max:.0f}", param, ctx)
        return shown


class FiniteNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number that is not infinite, and not below a bound if there is one."""

    name = "number"

    def __init__(self, min: float | None = None) -> None:  # noqa: A002
        self.min = min

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number that a text shows."""
        try:
            shown = number(str(value))
        except ValueError:
            self.fail(f"{quoted(str(value))} is not a number", param, ctx)
        if self.min is not None and shown < self.min:
            self.fail(f"{shown:g} is below {self.min:g}", param, ctx)
        return shown
