"""What goes to standard error: notices, errors, and progress on a terminal."""

import sys
import time
from collections.abc import Iterable

from confint_cli.errors import Level, Notice
from confint_cli.progress import Progress, no_progress

_CLEAR = "\r\033[K"


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def show_notices(notices: Iterable[Notice], *, verbose: bool, quiet: bool) -> None:
    """Print each notice on a line of its own."""
    for notice in notices:
        if quiet or (notice.level is Level.DETAIL and not verbose):
            continue
        prefix = "warning: " if notice.level is Level.WARNING else ""
        _say(f"confint: {prefix}{notice.text}\n")


def show_error(problem: str, hint: str) -> None:
    """Print what is wrong and, on one more line, what to do about it."""
    if sys.stderr.isatty():
        _say(_CLEAR)  # of a line of progress
    _say(f"confint: {problem}\n")
    if hint:
        _say(f"  hint: {hint}\n")


def end_line() -> None:
    """Leave the line of progress, so that the shell's prompt gets one of its own."""
    if sys.stderr.isatty():
        _say("\n")


def progress_line(what: str, *, quiet: bool) -> Progress:
    """Return what shows `what 3/17, 12 s left` in one line of a terminal, and nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        return no_progress
    began = time.monotonic()
    shown = began

    def show(done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if done == total:
            _say(_CLEAR)
        elif now - shown > 0.2 or done == 0:
            left = f", {(now - began) / done * (total - done):.0f} s left" if done else ""
            _say(f"{_CLEAR}{what} {done}/{total}{left}")
            shown = now

    return show
