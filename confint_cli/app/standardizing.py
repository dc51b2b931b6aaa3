"""The yardstick that --standardize names."""

import os

import click

from confint_cli.common.errors import CallError
from confint_cli.common.text import quoted
from confint_cli.studies.yardstick import ALL, Yardstick


def yardstick(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Yardstick | None:
    """Return the yardstick that --standardize names: `all`, a number of runs, or a file.

    It is None without the option. Raise CallError for any other text.
    """
    if text is None:
        return None
    text = text.strip()
    if text.lower() == ALL:
        return Yardstick()
    if text.isascii() and text.isdecimal() and len(text) < 20:
        if int(text) < 2:
            raise CallError(
                f"--standardize {text} is too few: scores are standardised by the spread of two "
                "runs or more",
                "'all' uses all runs",
            )
        return Yardstick(number=int(text))
    if not os.path.exists(text):
        raise CallError(
            f"--standardize {quoted(text)} is not 'all', a whole number or a file",
            "to standardise by runs that you name, use 'confint standardize --reference'",
        )
    return Yardstick(path=text)
