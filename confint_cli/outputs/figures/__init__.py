"""Figures: each figure is a file here, named after the command whose table it draws.

Each has `sheets(table, paged)`, which returns the sheets to draw; only this package imports
matplotlib. A PDF is `paged` and has everything; a picture in one piece may leave something out, and
a notice says so.
"""

import os
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from confint_cli.common.errors import CallError, Notice
from confint_cli.common.records import modules_in
from confint_cli.common.system import nothing_ignored
from confint_cli.common.table import Table
from confint_cli.common.text import quoted, visible

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
            f"--plot {quoted(path)}: no kind of figure belongs to this ending",
            f"let the name end in {ENDINGS}",
        )
    if find_spec("matplotlib") is None:
        raise CallError(
            "--plot needs matplotlib, which is not installed",
            "pip install matplotlib, or with pipx: pipx inject confint-cli matplotlib",
        )
    return kind


def draw(
    figure: str, table: Table, kind: str, *, titled: bool = True
) -> tuple[bytes, list[Notice]]:
    """Return the figure of a table as the bytes of a file of this `kind`, and notices about it.

    `figure` is the command whose figure it is. A figure that is not `titled` has no explanation
    either: both are for the caption of a paper then.
    """
    _leave_the_users_matplotlib_alone()
    with nothing_ignored(_ROOM):
        from confint_cli.outputs.figures.paper import empty_sheet
        from confint_cli.outputs.figures.saving import saved

        module = import_module(f"{__name__}.{figure}")
        sheets = module.sheets(table, paged=kind == "pdf")
        if not titled:
            sheets = [replace(sheet, title="", explanation="") for sheet in sheets]
        return saved(sheets or [empty_sheet()], kind, visible(table.signature_text))


def _leave_the_users_matplotlib_alone() -> None:
    """Ignore the backend that the environment asks for, and silence the log of matplotlib.

    A window is never opened, so no backend is needed. If the cache cannot be written, matplotlib
    logs that and makes one elsewhere, which is no concern of the user.
    """
    import logging

    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
