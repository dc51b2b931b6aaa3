"""The scores of all runs on all topics: a row of colours for each run, and a table of topics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.text import count
from confint_cli.outputs.cells import number_text
from confint_cli.outputs.page.markup import WIDTH, Scale, axis, name, scale_of, text
from confint_cli.outputs.page.tables import header, table_of
from confint_cli.studies.report import TopicScores

_MOST_CELLS = 400  # of a row; if there are more topics, several share a cell
_MOST_TOPICS = 300  # in the table
# The most cells of a row for which a cell has this width, in pixels.
_CELL_WIDTHS = ((60, 9), (100, 6), (200, 4), (_MOST_CELLS, 2))
_SHARES = (0.0, 0.1, 0.25, 0.5, 0.75)  # edges of colours for scores from 0 to 1
_COLOURS = len(_SHARES) + 1
_NAMED = 3  # of the runs that are best on a topic, at most
_MISSING = "x"  # the class of a missing score's cell, and what the page's script has for it
_HEIGHT = 14  # of a picture


@dataclass(frozen=True)
class Colours:
    """Which scores have which colour: those up to the first edge the lightest, and so on."""

    edges: tuple[float, ...]  # in ascending order; one less than there are colours
    lowest: float  # where the lightest colour begins
    highest: float  # where the darkest one ends

    def of(self, values: FloatArray) -> Positions:
        """Return the number of each score's colour, of which 0 is the lightest."""
        colours: Positions = np.searchsorted(self.edges, values, side="left")
        return colours

    def legend(self, *, missing: bool) -> str:
        """Return a list of the colours with the scores that they stand for, as HTML."""
        bounds = [self.lowest, *self.edges, self.highest]
        ranges = [
            f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
            for low, high in pairwise(bounds)
        ]
        items = [
            f"<li>{_swatch(f'c{colour}')}{text(scores)}</li>"
            for colour, scores in enumerate(ranges)
        ]
        if missing:
            items.append(f"<li>{_swatch(_MISSING)}missing, counted as 0</li>")
        return f'<ul class="key" aria-label="Colours of scores">{"".join(items)}</ul>'


def _swatch(kind: str) -> str:
    return (
        '<svg viewBox="0 0 2 1" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="{kind}" d="M0 .5h2"/></svg>'
    )


def colours_of(scores: TopicScores) -> Colours:
    """Return colours with fixed edges if all scores are from 0 to 1, else at their quantiles."""
    low, high = float(scores.values.min()), float(scores.values.max())
    if scores.shares:
        return Colours(_SHARES, 0.0, 1.0)
    inner = np.quantile(scores.values, np.arange(1, _COLOURS) / _COLOURS)
    edges = tuple(float(f"{edge:.3g}") for edge in inner)
    return Colours(tuple(sorted({edge for edge in edges if low < edge < high})), low, high)


def strips(scores: TopicScores, digits: int, *, caption: str) -> str:
    """Return a legend of colours, and a table with a row for each run: its scores as colours.

    The hardest topic is at the left.
    """
    values, filled = _pooled(scores)
    colours = colours_of(scores)
    cells = len(values)
    width = cells * next(cell_width for most, cell_width in _CELL_WIDTHS if cells <= most)
    means = scores.values.mean(axis=0)
    rows = []
    for run, run_name in enumerate(scores.runs):
        missing = int(scores.filled[:, run].sum())
        label = _in_words(scores, run, missing)
        picture = _strip(colours.of(values[:, run]), filled[:, run], width, label)
        mean = number_text(float(means[run]), digits)
        row = [
            f'<th scope="row">{name(run_name)}</th>',
            f'<td class="n" data-v="{means[run]:.10g}">{mean}</td>',
            f'<td class="strip"{_scores_for_script(scores, run)}>{picture}</td>',
        ]
        rows.append(("", row))
    ends = '<span class="ends"><span>hardest topic</span> <span>easiest</span></span>'
    headers = [
        header("run", is_words=True),
        header("mean", is_words=False),
        f'<th scope="col" class="wide">{ends}</th>',
    ]
    return colours.legend(missing=bool(scores.filled.any())) + table_of(
        headers, rows, caption=caption, kind="runs"
    )


def topics_in_a_cell(scores: TopicScores) -> int:
    """Return how many topics share a cell of a strip, so that strips are not too wide."""
    return -(-len(scores.topics) // _MOST_CELLS)


def _pooled(scores: TopicScores) -> tuple[FloatArray, BoolArray]:
    """Return the scores of cells and whether they are missing, both [cell, run].

    Where topics share a cell, it has their mean, and is missing if all of them are.
    """
    in_a_cell = topics_in_a_cell(scores)
    if in_a_cell == 1:
        return scores.values, scores.filled
    starts = np.arange(0, len(scores.topics), in_a_cell)
    sizes = np.diff([*starts, len(scores.topics)])[:, None]
    values: FloatArray = np.add.reduceat(scores.values, starts) / sizes
    filled: BoolArray = np.logical_and.reduceat(scores.filled, starts)
    return values, filled


def _scores_for_script(scores: TopicScores, run: int) -> str:
    """Return the attribute with a run's scores, which the page's script shows at the pointer.

    Empty, if the table of topics, in which the script finds their names, does not have them all.
    """
    if len(scores.topics) > _MOST_TOPICS:
        return ""
    of_run = zip(scores.values[:, run].tolist(), scores.filled[:, run].tolist(), strict=True)
    numbers = [_MISSING if missing else f"{value:.3g}" for value, missing in of_run]
    return f' data-scores="{" ".join(_without_zero(number) for number in numbers)}"'


def _without_zero(number: str) -> str:
    """Return `.12` for `0.12`: a page has thousands of these numbers."""
    return number[1:] if number.startswith("0.") else number


def _in_words(scores: TopicScores, run: int, missing: int) -> str:
    """Return the quartiles and the zeros of a run in words, for those who see no picture.

    `missing` is the number of scores that are zeros because they are missing.
    """
    values = scores.values[:, run]
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    words = f"quartiles {q1:.2g}, {median:.2g}, {q3:.2g}"
    zeros = int((values == 0).sum()) - missing
    words += f"; {count(zeros, 'zero')}" if zeros else ""
    return words + (f"; {missing} missing" if missing else "")


def _strip(colours: Positions, missing: BoolArray, width: int, label: str) -> str:
    """Return a row of cells as SVG: a path for each colour, through all cells that have it."""
    colours = np.where(missing, -1, colours)
    paths = []
    for colour in sorted(set(colours.tolist())):
        class_name = _MISSING if colour < 0 else f"c{colour}"
        paths.append(f'<path class="{class_name}" d="{_path_through(colours == colour)}"/>')
    return (
        f'<svg width="{width}" height="{_HEIGHT}" viewBox="0 0 {len(colours)} 1" '
        f'preserveAspectRatio="none" role="img" aria-label="{text(label)}">{"".join(paths)}</svg>'
    )


def _path_through(cells: BoolArray) -> str:
    """Return the path through cells that are True, neighbours in one stroke: `M2 .5h3m4 0h1`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], cells, [False]])))
    last_end, path = 0, ""
    for start, end in edges.reshape(-1, 2).tolist():
        path += f"m{start - last_end} 0" if path else f"M{start} .5"
        path += f"h{end - start}"
        last_end = end
    return path


def topic_table(scores: TopicScores, digits: int, *, caption: str) -> str:
    """Return a table of topics, the hardest first: the mean, the scores of runs, the best run."""
    means, spread = scores.means, scores.values.std(axis=1)
    scale = scale_of([0.0, 1.0] if scores.shares else scores.values.ravel().tolist())
    rows = []
    for topic in range(min(len(scores.topics), _MOST_TOPICS)):
        values = scores.values[topic]
        picture = _ticks(values, means[topic], scale)
        row = [
            f'<th scope="row">{name(scores.topics[topic])}</th>',
            _number(float(means[topic]), digits),
            f'<td class="p" data-v="{spread[topic]:.10g}">{picture}</td>',
            _number(float(values.max()), digits),
            f'<td class="w">{_best(scores, topic)}</td>',
        ]
        rows.append(("", row))
    headers = [
        header("topic", is_words=True),
        header("mean", is_words=False),
        header("scores of runs", axis(scale), is_words=False, is_wide=True),
        header("best", is_words=False),
        header("best run", is_words=True),
    ]
    return table_of(headers, rows, caption=caption, kind="topics")


def topics_left_out(scores: TopicScores) -> int:
    """Return how many of the easiest topics are not in the table."""
    return max(0, len(scores.topics) - _MOST_TOPICS)


def _number(value: float, digits: int) -> str:
    return f'<td class="n" data-v="{value:.10g}">{number_text(value, digits)}</td>'


def _ticks(values: FloatArray, mean: float, scale: Scale) -> str:
    """Return a tick for the score of each run, and a longer one for their mean, as SVG."""
    places = sorted({round(scale.place(value)) for value in values.tolist()})
    label = f"from {values.min():.2g} to {values.max():.2g}"
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f'<path class="t" d="{"".join(_tick_path(places))}"/>'
        f'<path class="a" d="M{scale.place(mean):g} 0v{_HEIGHT}"/></svg>'
    )


def _tick_path(places: Sequence[int]) -> Iterator[str]:
    """Yield the path of a short stroke at each place, relative to where the last one ended."""
    for last, place in zip([None, *places], places, strict=False):
        yield f"M{place} 3v8" if last is None else f"m{place - last}-8v8"


def _best(scores: TopicScores, topic: int) -> str:
    """Return the names of the best runs of a topic, some and the number of the others if many."""
    best = scores.best_runs(topic)
    if len(best) == len(scores.runs):
        return "all runs alike"
    names = ", ".join(map(name, best[:_NAMED]))
    return names if len(best) <= _NAMED else f"{names} and {len(best) - _NAMED} more"
