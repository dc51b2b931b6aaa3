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

_MOST_CELLS = 400  # of a row; of more topics, some share a cell
_MOST_TOPICS = 300  # in the table
_CELL_WIDTHS = ((60, 9), (100, 6), (200, 4), (_MOST_CELLS, 2))  # up to so many cells
_SHARES = (0.0, 0.1, 0.25, 0.5, 0.75)  # above each of these begins a colour
_COLOURS = len(_SHARES) + 1
_NAMED = 3  # runs that are the best on a topic
_MISSING = "x"
_HEIGHT = 14


@dataclass(frozen=True)
class Colours:
    """Which scores have which colour: those up to the first edge the lightest, and so on."""

    edges: tuple[float, ...]
    lowest: float
    highest: float

    def of(self, values: FloatArray) -> Positions:
        """Return the colour of each score, from 0 on."""
        colours: Positions = np.searchsorted(self.edges, values, side="left")
        return colours

    def legend(self, *, missing: bool) -> str:
        """Return the colours and the scores that they stand for."""
        bounds = [self.lowest, *self.edges, self.highest]
        words = [
            f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
            for low, high in pairwise(bounds)
        ]
        items = [f"<li>{_swatch(f'c{place}')}{text(said)}</li>" for place, said in enumerate(words)]
        if missing:
            items.append(f"<li>{_swatch(_MISSING)}missing, counted as 0</li>")
        return f'<ul class="key" aria-label="Colours of scores">{"".join(items)}</ul>'


def _swatch(kind: str) -> str:
    return (
        '<svg viewBox="0 0 2 1" preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="{kind}" d="M0 .5h2"/></svg>'
    )


def colours_of(scores: TopicScores) -> Colours:
    """Return colours by fixed edges for scores from 0 to 1, and of others by their quantiles."""
    low, high = float(scores.values.min()), float(scores.values.max())
    if scores.shares:
        return Colours(_SHARES, 0.0, 1.0)
    inner = np.quantile(scores.values, np.arange(1, _COLOURS) / _COLOURS)
    edges = tuple(float(f"{edge:.3g}") for edge in inner)
    return Colours(tuple(sorted({edge for edge in edges if low < edge < high})), low, high)


def strips(scores: TopicScores, digits: int, *, caption: str) -> str:
    """Return a table with a row for each run: its scores as colours, the hardest topic first."""
    values, filled = _pooled(scores)
    colours = colours_of(scores)
    cells = len(values)
    width = cells * next(own for most, own in _CELL_WIDTHS if cells <= most)
    means = scores.values.mean(axis=0)
    rows = []
    for run, called in enumerate(scores.runs):
        here = colours.of(values[:, run])
        missing = int(scores.filled[:, run].sum())
        picture = _strip(here, filled[:, run], width, _in_words(scores, run, missing))
        mean = number_text(float(means[run]), digits)
        row = [
            f'<th scope="row">{name(called)}</th>',
            f'<td class="n" data-v="{means[run]:.10g}">{mean}</td>',
            f'<td class="strip"{_scores(scores, run)}>{picture}</td>',
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
    """Return how many topics share a cell of the strips, so that they stay narrow enough."""
    return -(-len(scores.topics) // _MOST_CELLS)


def _pooled(scores: TopicScores) -> tuple[FloatArray, BoolArray]:
    """Return the scores of cells, and which of them are missing; topics may have to share one."""
    together = topics_in_a_cell(scores)
    if together == 1:
        return scores.values, scores.filled
    starts = np.arange(0, len(scores.topics), together)
    sizes = np.diff([*starts, len(scores.topics)])[:, None]
    values: FloatArray = np.add.reduceat(scores.values, starts) / sizes
    filled: BoolArray = np.logical_and.reduceat(scores.filled, starts)
    return values, filled


def _scores(scores: TopicScores, run: int) -> str:
    """Return the scores of a run for a script to show, where each has a cell of its own."""
    if len(scores.topics) > _MOST_TOPICS:
        return ""
    own = zip(scores.values[:, run].tolist(), scores.filled[:, run].tolist(), strict=True)
    numbers = [_MISSING if missing else f"{value:.3g}" for value, missing in own]
    return f' data-scores="{" ".join(_without_zero(number) for number in numbers)}"'


def _without_zero(number: str) -> str:
    """Return `.12` of `0.12`: there are thousands of them."""
    return number[1:] if number.startswith("0.") else number


def _in_words(scores: TopicScores, run: int, missing: int) -> str:
    """Return what the picture of a run shows, for those who do not see it."""
    own = scores.values[:, run]
    q1, median, q3 = np.quantile(own, [0.25, 0.5, 0.75])
    said = f"quartiles {q1:.2g}, {median:.2g}, {q3:.2g}"
    zeros = int((own == 0).sum()) - missing
    said += f"; {count(zeros, 'zero')}" if zeros else ""
    return said + (f"; {missing} missing" if missing else "")


def _strip(colours: Positions, missing: BoolArray, width: int, label: str) -> str:
    """Return a row of cells: a path for each colour, along all cells that have it."""
    kinds = np.where(missing, -1, colours)
    paths = []
    for kind in sorted(set(kinds.tolist())):
        called = _MISSING if kind < 0 else f"c{kind}"
        paths.append(f'<path class="{called}" d="{_along(kinds == kind)}"/>')
    return (
        f'<svg width="{width}" height="{_HEIGHT}" viewBox="0 0 {len(kinds)} 1" '
        f'preserveAspectRatio="none" role="img" aria-label="{text(label)}">{"".join(paths)}</svg>'
    )


def _along(here: BoolArray) -> str:
    """Return the path through the cells, neighbours in one stroke: `M2 .5h3m4 0h1`."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], here, [False]])))
    at, path = 0, ""
    for start, end in steps.reshape(-1, 2).tolist():
        path += f"m{start - at} 0" if path else f"M{start} .5"
        path += f"h{end - start}"
        at = end
    return path


def topic_table(scores: TopicScores, digits: int, *, caption: str) -> str:
    """Return a row for each topic: how hard it is, how runs differ on it, and who is best."""
    means, spread = scores.means, scores.values.std(axis=1)
    scale = scale_of([0.0, 1.0] if scores.shares else scores.values.ravel().tolist())
    rows = []
    for topic in range(min(len(scores.topics), _MOST_TOPICS)):
        own = scores.values[topic]
        row = [
            f'<th scope="row">{name(scores.topics[topic])}</th>',
            _number(float(means[topic]), digits),
            f'<td class="p" data-v="{spread[topic]:.10g}">{_ticks(own, means[topic], scale)}</td>',
            _number(float(own.max()), digits),
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
    """Return a tick for each run, and a longer one for their mean."""
    places = sorted({round(scale.place(value)) for value in values.tolist()})
    label = f"from {values.min():.2g} to {values.max():.2g}"
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f'<path class="t" d="{"".join(_tick_path(places))}"/>'
        f'<path class="a" d="M{scale.place(mean):g} 0v{_HEIGHT}"/></svg>'
    )


def _tick_path(places: Sequence[int]) -> Iterator[str]:
    """Yield short strokes at these places, each from where the last one ended."""
    for last, place in zip([None, *places], places, strict=False):
        yield f"M{place} 3v8" if last is None else f"m{place - last}-8v8"


def _best(scores: TopicScores, topic: int) -> str:
    """Return the best runs of a topic, or how many they are."""
    best = scores.best_runs(topic)
    if len(best) == len(scores.runs):
        return "all runs alike"
    shown = ", ".join(map(name, best[:_NAMED]))
    return shown if len(best) <= _NAMED else f"{shown} and {len(best) - _NAMED} more"
