"""What goes to standard error: notices, errors, and progress on a terminal."""

import math
import os
import sys
import time
from collections.abc import Iterable

from confint_cli.common.errors import Level, Notice
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import visible

_PATIENCE = 0.5  # seconds before a line of progress appears: quick work needs none
_PAUSE = 0.1  # seconds from one change of the line to the next
_TRUSTED = 1.0  # seconds after which the time spent tells how much is left
_LONGEST_BAR, _SHORTEST_BAR = 30, 4
_ROOM_FOR_TIME = len(" 0:00:00 left")
_MOST_COUNTED = 9999  # above, a percentage says more than a count
_LONGEST = 2000  # characters of a message

_line_is_there = False  # whether a line of progress is shown, to be cleared before anything else


def _say(text: str) -> None:
    """Write to standard error; if that fails, nothing more is written there, and work goes on."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:  # a full disk, or a pipe that its reader has closed
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def show_notices(notices: Iterable[Notice], *, verbose: bool, quiet: bool) -> None:
    """Print each notice on a line of its own: details if `verbose`, none at all if `quiet`."""
    for notice in notices:
        if quiet or (notice.level is Level.DETAIL and not verbose):
            continue
        kind = "warning" if notice.level is Level.WARNING else "note"
        clear_progress()
        text = visible(notice.text)
        if notice.level is not Level.DETAIL:  # details are for those who ask for everything
            text = _without_middle(text)
        _say(f"confint: {kind}: {text}\n")


def show_error(problem: str, hint: str) -> None:
    """Print what is wrong and, on one more line, what to do about it."""
    clear_progress()
    _say(f"confint: {_without_middle(visible(problem))}\n")
    if hint:
        _say(f"  hint: {_without_middle(visible(hint))}\n")


def _without_middle(text: str) -> str:
    """Return a message, the middle left out if it is too long to read, as with a path of 100 KB."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def end_line() -> None:
    """End the line that Ctrl-C was typed into, so that the shell's prompt gets its own line."""
    if _line_is_there:
        clear_progress()
    elif sys.stderr.isatty():
        _say("\n")


def clear_progress() -> None:
    """Clear the line of progress, if one is shown."""
    global _line_is_there
    if _line_is_there:
        _line_is_there = False
        _say("\r\033[K")


def progress_line(work: str, *, quiet: bool) -> Progress:
    """Return a function that shows in one line of the terminal how far `work` is.

    It shows nothing if `quiet`, or if standard error is no terminal.
    """
    return no_progress if quiet or not _is_live() else _Line(work).tell


def busy_line(work: str, *, quiet: bool) -> None:
    """Show in the line of progress that `work` goes on, for work that cannot tell how far it is."""
    global _line_is_there
    if not quiet and _is_live():
        text = f"{work} {_dots()}"[: _room()]
        _say(f"\r{text}\033[K")
        _line_is_there = True


def _is_live() -> bool:
    """Say whether standard error is a terminal on which a line can be changed."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class _Line:
    """The line of progress of some work; for each part of it, the line begins anew."""

    def __init__(self, work: str) -> None:
        self.work = work
        self.began = self.part_began = time.monotonic()
        self.changed = 0.0
        self.share = 0.0
        self.drawing: _Drawing | None = None

    def tell(self, done: int, total: int) -> None:
        """Show that `done` of `total` steps are done.

        When all are, the line stays as a sign of life until something else is shown: the result
        has yet to become a table.
        """
        now = time.monotonic()
        share = done / total if total else 1.0
        if share < self.share:
            self.part_began, self.drawing = now, None
        self.share = share
        if share >= 1:
            if _line_is_there:
                self._show(done, total, timed=False)
        elif now - self.began >= _PATIENCE and now - self.changed >= _PAUSE:
            self._show(done, total, timed=share > 0 and now - self.part_began >= _TRUSTED)
            self.changed = now

    def _show(self, done: int, total: int, *, timed: bool) -> None:
        global _line_is_there
        if self.drawing is None:
            self.drawing = _Drawing(self.work, self.part_began)
        text = self.drawing.line(self.share, counted(done, total), timed=timed, width=_room())
        _say(f"\r{text}\033[K")
        _line_is_there = True


def counted(done: int, total: int) -> str:
    """Return ` 7/20`, or ` 12%` of a large total; padded, so that the bar keeps its length."""
    if total > _MOST_COUNTED:
        return f"{100 * done // total:>3}%"
    return f"{done:>{len(str(total))}}/{total}"


class _Drawing:
    """Makes the text of a line with rich, which is imported here: it is slow, and rarely needed.

    It makes no more than the text: rich's own display hides the cursor, which a program that is
    killed never gives back, it ends with a line feed, and a terminal that has gone away ends the
    work with an error.
    """

    def __init__(self, work: str, began: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TimeRemainingColumn
        from rich.theme import Theme

        self.work = work
        self.now = began  # work began before there was a line, and rich has to know for how long
        self.bar = BarColumn(style="dim", complete_style="none", finished_style="none")
        self.time_left = (TimeRemainingColumn(compact=True), "left")
        plain = Theme({"progress.remaining": "none"})  # no colours, as in tables
        self.progress = Progress(
            console=Console(file=sys.stderr, theme=plain), auto_refresh=False,
            get_time=lambda: self.now, speed_estimate_period=math.inf,  # steps may be minutes apart
        )  # fmt: skip
        self.task = self.progress.add_task(work, total=1.0)
        self.progress.advance(self.task, 0)

    def line(self, share: float, steps: str, *, timed: bool, width: int) -> str:
        """Return the line, no longer than `width`; without bar, or time, if there is no room.

        `steps` is how many are done, as text. The time left is in it if it is `timed`.
        """
        room = width - len(f"{self.work} {steps}") - _ROOM_FOR_TIME
        if room < 0:  # rich would cut a bit of each column, and a number that is cut is wrong
            steps = steps.strip()
            if len(steps) > width:
                return self.work[:width]
            return f"{self.work[: max(0, width - len(steps) - 1)]} {steps}".strip()
        self.bar.bar_width = min(_LONGEST_BAR, room - 1)
        bar = (self.bar,) if self.bar.bar_width >= _SHORTEST_BAR else ()
        self.progress.columns = (self.work, *bar, steps, *(self.time_left if timed else ()))
        self.now = time.monotonic()
        self.progress.update(self.task, completed=share)
        with self.progress.console.capture() as captured:
            self.progress.console.print(self.progress.get_renderable(), width=width, end="")
        return captured.get().rstrip()


def _room() -> int:
    """Return how long a line of progress may be, with room for the ^C that a terminal shows."""
    try:  # standard error and standard output may be terminals of different widths
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        width = 80
    return max(1, width - len("^C"))


def _dots() -> str:
    """Return `…`, or three dots if the encoding of standard error lacks it."""
    try:
        "…".encode(sys.stderr.encoding or "ascii")
    except UnicodeEncodeError:
        return "..."
    return "…"
