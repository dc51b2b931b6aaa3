"""Figures: one file here a figure, named after the command whose table it draws.

Each has `sheets(table, paged)`, which returns what to draw; only here is matplotlib known. A PDF is
`paged` and has everything; a picture in one piece may leave something out, and says so.
"""

import os
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

from confint_cli.common.errors import CallError, Notice
from confint_cli.common.records import modules_in
from confint_cli.common.system import nothing_ignored
from confint_cli.common.table import Table
from confint_cli.common.text import quoted, visible

KINDS = ("png", "svg", "pdf")
ENDINGS = ".png, .svg or .pdf"
_NO_FIGURES = ("paper", "records", "rows", "saving")  # what figures share
_ROOM = 80 << 20  # bytes of address space: matplotlib takes 50 MB of it, a small figure 20 MB


def names() -> list[str]:
    """Return the names of the commands that have a figure, without importing any."""
    return modules_in(__path__, besides=_NO_FIGURES)


def kind_of(path: str) -> str:
    """Return which kind of figure a file's ending stands for; refuse what cannot be drawn."""
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
    """Return a table's figure as the content of a file of that kind.

    Without a title it has no explanation either: these are for the caption of a paper.
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
    """Let what is set for other programs do no harm, and folders that it cannot write to.

    A window is never opened, so it does not matter which kind; a cache is made elsewhere.
    """
    import logging

    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)
