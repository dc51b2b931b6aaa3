"""Sheets as files: the same bytes for the same input, whatever the user's settings."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from confint_cli import __version__
from confint_cli.common.errors import CallError, Notice, note
from confint_cli.outputs.figures import one_at_a_time
from confint_cli.outputs.figures.paper import FONT, GREY, LABEL, Paper, Sheet, lacks_letters

_DOTS = 150  # per inch
_SHOWN_DOTS = 100  # per inch, in a notebook
_TALLEST = 400.0  # inches, of a picture in one piece
_SETTINGS: dict[str, Any] = {
    "font.family": FONT,
    "text.parse_math": False,  # a run may be named $1$
    "axes.linewidth": 0.6,
    "axes.edgecolor": GREY,
    "axes.labelsize": LABEL,
    "xtick.labelsize": LABEL,
    "ytick.labelsize": LABEL,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "pdf.fonttype": 42,  # whole letters, not Type 3, which publishers refuse
    "svg.fonttype": "path",  # needs no font wherever it is shown
    "svg.hashsalt": "confint",  # ids would be random
}

_MAKER = f"confint {__version__}"
_METADATA: dict[str, dict[str, str | None]] = {  # without dates and versions of matplotlib
    "png": {"Software": _MAKER},
    "svg": {"Creator": _MAKER, "Date": None},
    "pdf": {"Creator": _MAKER, "Producer": None, "CreationDate": None},
}


class ShownFigure(Figure):
    """A figure that a notebook shows as a picture, whether pyplot is in use or not."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        with one_at_a_time:
            self.savefig(out, format="png", dpi=_SHOWN_DOTS)
        return out.getvalue()


def shown_in_a_notebook(sheets: Sequence[Sheet]) -> ShownFigure:
    """Return the sheets below one another in one figure, whatever the user's settings."""
    with _own_settings():
        return drawn(sheets)


@contextmanager
def _own_settings() -> Iterator[None]:
    """Draw with our settings, and give the user's back."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_SETTINGS)
        yield


def saved(sheets: Sequence[Sheet], kind: str, signature: str) -> tuple[bytes, list[Notice]]:
    """Return the bytes of a file of this `kind` with the sheets, and notices about what it lacks.

    A PDF has a page for each sheet; in other kinds, sheets are below one another in one picture.
    The metadata have the `signature`.
    """
    with _own_settings():
        out = io.BytesIO()
        if kind == "pdf":
            with PdfPages(out, metadata={"Subject": signature, **_METADATA[kind]}) as pages:
                for sheet in sheets:
                    pages.savefig(drawn([sheet]))
        else:
            drawn(sheets).savefig(
                out, format=kind, dpi=_DOTS, metadata={"Description": signature, **_METADATA[kind]}
            )
    left_out = {sheet.left_out: None for sheet in sheets if sheet.left_out}
    notices = [note(f"the figure shows {rows}; a PDF shows all") for rows in left_out]
    return out.getvalue(), notices + _about_letters(sheets)


def drawn(sheets: Sequence[Sheet]) -> ShownFigure:
    """Return the sheets below one another in one figure; raise CallError if it gets too tall."""
    height = sum(sheet.full_height for sheet in sheets)
    if height > _TALLEST:
        raise CallError(
            f"--plot: {len(sheets)} parts are too many for one picture",
            "use a PDF, which has pages, or choose fewer measures with -m",
        )
    figure = ShownFigure(figsize=(max(sheet.width for sheet in sheets), height))
    top = 0.0
    for sheet in sheets:
        sheet.draw(Paper(figure, sheet, top))
        top += sheet.full_height
    return figure


def _about_letters(sheets: Sequence[Sheet]) -> list[Notice]:
    """Return a note if titles or names have letters that the font lacks, else nothing."""
    if not any(lacks_letters(text) for sheet in sheets for text in (sheet.title, *sheet.names)):
        return []
    return [note("the figure's font lacks some letters of the names; □ stands for them")]
