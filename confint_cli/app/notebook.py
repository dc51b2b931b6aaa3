"""Progress in a notebook: one line that changes, below the cell that is at work."""

import html
import sys
import time
from typing import Any

from confint_cli.common.progress import Progress

_PATIENCE = 0.5  # seconds before the line appears: quick work needs none
_PAUSE = 0.2  # seconds from one change of it to the next


def is_notebook() -> bool:
    """Say whether this is a kernel of Jupyter, which shows what a terminal cannot."""
    ipython = sys.modules.get("IPython")  # a notebook has imported it already
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def notebook_progress(work: str) -> Progress:
    """Return a function that shows in a notebook how far `work` is."""
    return _Line(work).tell


class _Line:
    """The line of some work; it is cleared when all is done."""

    def __init__(self, work: str) -> None:
        self.work = work
        self.changed = time.monotonic() + _PATIENCE - _PAUSE
        self.shown: Any = None  # IPython's handle, by which it can be changed

    def tell(self, done: int, total: int) -> None:
        """Show that `done` of `total` steps are done."""
        is_done = done >= total
        if time.monotonic() - self.changed < _PAUSE and not (is_done and self.shown):
            return
        from IPython.display import HTML, display

        self.changed = time.monotonic()
        bar = f"<progress value={done} max={max(total, 1)}></progress> {done / max(total, 1):.0%}"
        line = HTML("" if is_done else f"{html.escape(self.work)} {bar}")
        if self.shown is None:
            self.shown = display(line, display_id=True)
        else:
            self.shown.update(line)
