"""What goes to standard error: notices, errors, and progress on a terminal."""

import math
import os
import sys
import time
from collections.abc import Iterable

from confint_cli.common.errors import Level, Notice
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import visible

FINE, PLAIN = "━╸─", "#>-"  # what is done, its end, what is to do; PLAIN is for any terminal
_LONGEST_BAR, _SHORTEST_BAR = 30, 6
_MOST_COUNTED = 9999  # above, a percentage says more than a count
_ROOM_FOR_TIME = len(", 9 min 59 s left")


def line(
    what: str, done: int, total: int, seconds: float | None, *, width: int, signs: str = FINE
) -> str:
    """Return the line, no longer than a width; without the bar, or the time, if there is no room.

    `seconds` is the time left, or None if it is not known yet.
    """
    counted = f"{done}/{total}" if total <= _MOST_COUNTED else f"{100 * done // total}%"
    left = "" if seconds is None else f", {time_left(seconds)}"
    # As if the numbers were as long as they get, or the bar would change its length all the time.
    longest = 2 * len(str(total)) + 1 if total <= _MOST_COUNTED else len("100%")
    room = min(_LONGEST_BAR, width - len(what) - longest - _ROOM_FOR_TIME - 2)
    if room >= _SHORTEST_BAR:
        return f"{what} {_bar(done / total, room, signs)} {counted}{left}"
    plain = f"{what} {counted}{left}"
    return plain if len(plain) <= width else f"{what} {counted}"[:width]


def _bar(share: float, length: int, signs: str) -> str:
    full, end, empty = list(signs)
    reached = int(share * length)
    return (full * reached + end + empty * length)[:length]


def time_left(seconds: float) -> str:
    """Return `12 s left`, `1 min 20 s left`, `2 h 5 min left`; never less than a second."""
    whole = max(1, math.ceil(seconds))
    if whole < 60:
        return f"{whole} s left"
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return f"{minutes} min {rest} s left" if rest else f"{minutes} min left"
    if minutes < 60:
        return f"{minutes} min left"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min left" if minutes else f"{hours} h left"


_PATIENCE = 0.5  # seconds before there is a line of progress: what is quick needs none
_PAUSE = 0.1  # seconds from one change of the line to the next
_TRUSTED = 1.0  # seconds from which on the time spent tells how much is left
_LONGEST = 2000  # characters of a message

_line_is_there = False  # a line of progress, which has to go before anything else is shown


def _say(text: str) -> None:
    """Write to standard error; where nobody can read that, work and result go on without it."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:  # a full disk, or a pipe that its reader has closed
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def show_notices(notices: Iterable[Notice], *, verbose: bool, quiet: bool) -> None:
    """Print each notice on a line of its own."""
    for notice in notices:
        if quiet or (notice.level is Level.DETAIL and not verbose):
            continue
        kind = "warning" if notice.level is Level.WARNING else "note"
        clear_progress()
        text = visible(notice.text)
        if notice.level is not Level.DETAIL:  # which is for those who ask for everything
            text = _without_middle(text)
        _say(f"confint: {kind}: {text}\n")


def show_error(problem: str, hint: str) -> None:
    """Print what is wrong and, on one more line, what to do about it."""
    clear_progress()
    _say(f"confint: {_without_middle(visible(problem))}\n")
    if hint:
        _say(f"  hint: {_without_middle(visible(hint))}\n")


def _without_middle(text: str) -> str:
    """Return both ends of a message that nobody would read: about a path of a hundred KB, say."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def end_line() -> None:
    """Leave the line that Ctrl-C was typed into, so that the shell's prompt gets one of its own."""
    if _line_is_there:
        clear_progress()
    elif sys.stderr.isatty():
        _say("\n")


def clear_progress() -> None:
    """Take away the line of progress, if there is one."""
    global _line_is_there
    if _line_is_there:
        _line_is_there = False
        _say("\r\033[K")


def progress_line(what: str, *, quiet: bool) -> Progress:
    """Return what shows how far work is in one line of a terminal, and nothing elsewhere."""
    return no_progress if quiet or not _is_live() else _Line(what).tell


def busy_line(what: str, *, quiet: bool) -> None:
    """Say in the line of progress what goes on, if that cannot be told to be so far."""
    global _line_is_there
    if not quiet and _is_live():
        dots = "…" if _signs() == FINE else "..."
        _say(f"\r{what} {dots}"[: _width()] + "\033[K")
        _line_is_there = True


def _is_live() -> bool:
    """Say whether standard error is a terminal on which a line can be changed."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class _Line:
    """The line of progress of some work, which may begin anew with another part of it."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.began = self.part_began = time.monotonic()
        self.changed = 0.0
        self.share = 0.0

    def tell(self, done: int, total: int) -> None:
        """Show how much is done.

        When all is, the line stays as a sign of life until something else is shown: what was found
        has yet to become a table.
        """
        now = time.monotonic()
        share = done / total if total else 1.0
        if share < self.share:
            self.part_began = now
        self.share = share
        if share >= 1:
            if _line_is_there:
                self._show(done, total, None)
        elif now - self.began >= _PATIENCE and now - self.changed >= _PAUSE:
            spent = now - self.part_began
            known = share > 0 and spent >= _TRUSTED
            self._show(done, total, spent / share * (1 - share) if known else None)
            self.changed = now

    def _show(self, done: int, total: int, seconds: float | None) -> None:
        global _line_is_there
        width = _width() - 1  # a full line would go on in the next one
        shown = line(self.what, done, total, seconds, width=width, signs=_signs())
        _say(f"\r{shown}\033[K")
        _line_is_there = True


def _width() -> int:
    """Return the width of the terminal behind standard error, which may not be that of results."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _signs() -> str:
    """Return the signs of a bar that standard error can show."""
    try:
        FINE.encode(sys.stderr.encoding or "ascii")
    except UnicodeEncodeError:
        return PLAIN
    return FINE
