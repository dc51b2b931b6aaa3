"""How the call of one command reads as the call of another, for people who repeat a result."""

import os
import shlex
from collections.abc import Iterator

import click
from click.core import ParameterSource

from confint_cli.text import visible

_NO_RESULT = ("files", "title", "output", "verbose", "quiet", "jobs", "executor")  # needs these
_PATHS = ("qrels", "topics", "run_names", "standardize", "baseline")  # options that may be some


def equivalent(name: str, context: click.Context, *, without: tuple[str, ...] = ()) -> str:
    """Return the call of another command with the options that this one was given.

    FILES are not named, and others without their folders: these are nobody's business.
    """
    words = ["confint", name]
    for option in context.command.params:
        key = str(option.name)
        given = context.get_parameter_source(key) is ParameterSource.COMMANDLINE
        if given and key not in (*_NO_RESULT, *without):
            if isinstance(option, click.Option) and option.is_flag:
                words.append(option.opts[0])
                continue
            for value in _values(key, context.params[key]):
                words += [option.opts[0], value]
    return visible(" ".join([*map(shlex.quote, words), "FILES"]))


def _values(key: str, value: object) -> Iterator[str]:
    for one in value if isinstance(value, tuple) else [value]:
        yield os.path.basename(str(one)) if key in _PATHS else str(one)
