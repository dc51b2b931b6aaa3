"""Figures: each figure is a file here, named after the command whose answer it draws.

Each has `sheets(answer, paged)`, which returns the sheets to draw; only this package imports
matplotlib. A PDF is `paged` and has everything; a picture in one piece may leave something out, and
a notice says so.
"""

import os
import threading
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from confint_cli.common.errors import CallError, Notice
from confint_cli.common.records import modules_in
from confint_cli.common.system import nothing_ignored
from confint_cli.common.text import quoted, visible

if TYPE_CHECKING:
    from confint_cli.outputs.figures.paper import Sheet
    from confint_cli.outputs.figures.saving import ShownFigure
    from confint_cli.studies.answer import Answer

one_at_a_time = threading.Lock()  # neither fonts nor settings of matplotlib are for two threads
KINDS = ("png", "svg", "pdf")
ENDINGS = ".png, .svg or .pdf"
_NO_FIGURES = ("paper", "records", "rows", "saving")  # modules that the figures share
_ROOM = 80 << 20  # bytes of address space: matplotlib takes 50 MB of it, a small figure 20 MB


@cache
def names() -> list[str]:
    """Return the names of the commands that have a figure, without importing any."""
    return modules_in(__path__, besides=_NO_FIGURES)


def kind_of(path: str) -> str:
    """Return the kind of figure, one of KINDS, that a file's ending stands for.

    Raise CallError for other endings, and if matplotlib is not installed.
    """
    kind = os.path.splitext(path)[1].lower().removeprefix(".")
    if kind not in KINDS:
        raise CallError(
            f"--plot {quoted(path)}: there is no kind of figure with this ending",
            f"use a file name that ends in {ENDINGS}",
        )
    check_can_draw()
    return kind


def check_can_draw() -> None:
    """Raise CallError if matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise CallError(
            "--plot needs matplotlib, which is not installed",
            "pip install matplotlib, or with pipx: pipx inject confint-cli matplotlib",
        )


def draw(
    figure: str, answer: "Answer[Any]", kind: str, *, titled: bool = True
) -> tuple[bytes, list[Notice]]:
    """Return the figure of an answer as the bytes of a file of this `kind`, and notices about it.

    `figure` is the command whose figure it is. A figure that is not `titled` has no explanation
    either: both are for the caption of a paper then.
    """
    with one_at_a_time, nothing_ignored(_ROOM):
        from confint_cli.outputs.figures.saving import saved

        sheets = _sheets(figure, answer, paged=kind == "pdf", titled=titled)
        return saved(sheets, kind, visible(answer.signature))


def drawn(figure: str, answer: "Answer[Any]", *, titled: bool = True) -> "ShownFigure":
    """Return the figure of an answer as one of matplotlib, for a notebook."""
    with one_at_a_time:
        from confint_cli.outputs.figures.saving import shown_in_a_notebook

        return shown_in_a_notebook(_sheets(figure, answer, paged=False, titled=titled))


def _sheets(figure: str, answer: "Answer[Any]", *, paged: bool, titled: bool) -> "list[Sheet]":
    """Return what is to be drawn: at least one sheet."""
    from confint_cli.outputs.figures.paper import empty_sheet

    sheets: list[Sheet] = import_module(f"{__name__}.{figure}").sheets(answer, paged=paged)
    if not titled:
        sheets = [replace(sheet, title="", explanation="") for sheet in sheets]
    return sheets or [empty_sheet()]


def leave_the_users_matplotlib_alone() -> None:
    """Ignore the backend that the environment asks for, and silence the log of matplotlib.

    A window is never opened, so no backend is needed. If the cache cannot be written, matplotlib
    logs that and makes one elsewhere, which users need not know.
    """
    import logging

    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
