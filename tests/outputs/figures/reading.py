"""Reading figures back: what is drawn, by the names that its parts have."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.transforms import Bbox

from tests.conftest import SAMPLES

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
TWO = [SAMPLES / "trec_eval" / f"{name}.eval" for name in ("bm25", "hybrid")]
COMMANDS: dict[str, list[object]] = {
    "interval": ["-m", "map"],
    "coverage": ["-m", "map", "--replicates", 20, "--resamples", 200],
    "compare": ["-m", "map", "--baseline", "bm25"],
    "rank": ["-m", "map", "--resamples", 500],
    "bayes": ["-m", "map", "--baseline", "bm25", "--draws", 5000],
    "risk": ["-m", "map", "--baseline", "bm25", "--resamples", 1000],
    "describe": ["-m", "map"],
    "plan": ["-m", "map", "--half-width", 0.03, "--difference", 0.02],
    "agreement": ["-m", "map", "--judge-scores", SAMPLES / "trec_eval/{run}.eval", "--draws", 200],
}

Row = dict[str, Any]
Drawn = Callable[..., tuple[list[Figure], list[Row]]]


def named(figures: Sequence[Figure], name: str) -> list[Any]:
    """Return what has that name in figures, in the order in which it was drawn."""
    return [
        artist
        for figure in figures
        for axes in figure.axes
        for artist in axes.get_children()
        if artist.get_gid() == name
    ]


def extent(patch: Patch) -> Bbox:
    """Return from where to where a patch reaches, whatever its class is."""
    return patch.get_patch_transform().transform_path(patch.get_path()).get_extents()


def limits(figures: Sequence[Figure], name: str) -> list[tuple[float, float]]:
    found = []
    for collection in named(figures, f"limits {name}"):
        assert isinstance(collection, LineCollection)
        found += [(low, high) for (low, _), (high, _) in collection.get_segments()]
    return found


def marked(figures: Sequence[Figure], name: str) -> list[tuple[float, float]]:
    """Return the marks of a name, from the first row down."""
    found = []
    for place, figure in enumerate(figures):
        for column, axes in enumerate(figure.axes):
            for line in axes.lines:
                if line.get_gid() == name:
                    xs, ys = (np.asarray(part, float) for part in line.get_data())
                    found += [((place, column, y), (x, y)) for x, y in zip(xs, ys, strict=True)]
    return [mark for _, mark in sorted(found)]


def labels(figures: Sequence[Figure]) -> list[str]:
    return [
        text.get_text()
        for figure in figures
        for axes in figure.axes
        for text in axes.get_yticklabels()
    ]


def words(figure: Figure) -> str:
    """Return all that stands in the heading."""
    return " ".join(text.get_text() for text in figure.texts)


def no_two_overlap(figure: Figure) -> None:
    """Check that no axes lie on others, names and numbers included, or leave the figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    whole = figure.bbox.padded(1)
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    boxes += [text.get_window_extent(renderer) for text in figure.texts if text.get_text()]
    for place, box in enumerate(boxes):
        assert box is not None
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, box
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1, box
        assert not [other for other in boxes[:place] if other and box.padded(-1).overlaps(other)]
