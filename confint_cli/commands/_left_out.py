"""What --keep-going leaves out: files that cannot be used, told of when all others are done."""

from collections.abc import Callable, Mapping
from typing import Any

from confint_cli.errors import Notice, warning
from confint_cli.messages import show_error
from confint_cli.options import ReadingOptions
from confint_cli.text import listed


def telling(command: Callable[..., Any], values: Mapping[str, Any]) -> int | None:
    """Run a command, then say what is wrong with the files left out; return the exit status."""
    reading: ReadingOptions = values["reading"]
    try:
        command(**values)
    except Exception:
        _tell(reading)  # that may be the reason
        raise
    if not reading.left_out:
        return None
    _tell(reading)
    show_error(f"{_in_words(reading)}; the result is of the others", "")
    return 1


def notice(reading: ReadingOptions) -> Notice:
    """Return what a page that is read later says about it."""
    return warning(f"{_in_words(reading)}: {listed([*reading.left_out], 10)}")


def _tell(reading: ReadingOptions) -> None:
    for error in reading.left_out.values():
        show_error(str(error), error.hint)


def _in_words(reading: ReadingOptions) -> str:
    number = len(reading.left_out)
    verb = "is" if number == 1 else "are"
    return f"{number} of {len(reading.files)} files {verb} left out"
