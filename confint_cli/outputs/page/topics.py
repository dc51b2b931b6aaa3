"""The scores of all runs on all topics: one row of colours per run, and a table of topics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.text import count
from confint_cli.outputs.cells import number_text
from confint_cli.outputs.page.markup import WIDTH, Scale, axis, name, scale_of, text
from confint_cli.outputs.page.tables import header, run_cell, table_of
from confint_cli.studies.report import TopicScores

_MOST_CELLS = 400  # of a row; if there are more topics, several share a cell
_MOST_TOPICS = _MOST_CELLS  # in the table: as many as have a cell each, whose names these are
_MOST_TICKS = 40  # runs that have a tick each: more would lie on one another
# The most cells of a row for which a cell has this width, in pixels.
_CELL_WIDTHS = ((60, 9), (100, 6), (200, 4), (_MOST_CELLS, 2))
_SHARES = (0.0, 0.1, 0.25, 0.5, 0.75)  # edges of colours for scores from 0 to 1
_COLOURS = len(_SHARES) + 1
_NAMED = 3  # of the runs that are best on a topic, at most
_MISSING = "-"  # a missing score, for the page's script
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
            items.append(f"<li>{_swatch('x')}missing, counted as 0</li>")
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


def strips(scores: TopicScores, digits: int, *, caption: str, mean: str) -> str:
    """Return a legend of colours, and a table with a row for each run: its scores as colours.

    `mean` is what the column of means is called.

    The hardest topic is at the left. The page's script draws the colours, from the scores of a row;
    without it, the row says in words what the scores are like.
    """
    values, filled = _pooled(scores)
    colours = colours_of(scores)
    cells = len(values)
    width = cells * next(cell_width for most, cell_width in _CELL_WIDTHS if cells <= most)
    means = scores.values.mean(axis=0)
    rows = []
    for run, run_name in enumerate(scores.runs):
        label = _in_words(scores, run, int(scores.filled[:, run].sum()))
        row = [
            run_cell(run_name),
            f"<td>{number_text(float(means[run]), digits)}",
            f'<td class=s data-s="{_for_script(values[:, run], filled[:, run], scores, digits)}">'
            f"{label}",
        ]
        rows.append(("", row))
    ends = (
        f'<span class="ends"><span>hardest {scores.unit}</span> '
        '<span class="words">quartiles of scores</span> <span>easiest</span></span>'
    )
    headers = [
        header("run", is_words=True, is_name=True),
        header(mean, is_words=False, best_is_high=True),
        f'<th scope="col" class="wide">{ends}',
    ]
    data = f' data-edges="{" ".join(f"{edge:g}" for edge in colours.edges)}" data-width="{width}"'
    data += f' data-unit="{text(scores.unit)}"'
    data += f' data-shares data-digits="{digits}"' if scores.shares else ""
    data += " data-pooled" if topics_in_a_cell(scores) > 1 else ""
    return colours.legend(missing=bool(scores.filled.any())) + table_of(
        headers, rows, caption=caption, kind="strips", data=data
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


def _for_script(values: FloatArray, missing: BoolArray, scores: TopicScores, digits: int) -> str:
    """Return scores as a text for the page's script, which draws them and shows them on demand.

    Scores from 0 to 1 have three characters each: ten thousandths, with 36 digits. Others are
    numbers with blanks between them, which have as many decimals as they need, `digits` at most.
    """
    pairs = zip(values.tolist(), missing.tolist(), strict=True)
    if not scores.shares:
        return " ".join(
            _MISSING if is_missing else f"{round(value, digits):.12g}"
            for value, is_missing in pairs
        )
    return "".join(
        3 * _MISSING if is_missing else _BY_TEN_THOUSANDTHS[round(value * 10_000)]
        for value, is_missing in pairs
    )


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_BY_TEN_THOUSANDTHS = [
    _DIGITS[number // 1296] + _DIGITS[number // 36 % 36] + _DIGITS[number % 36]
    for number in range(10_001)
]


def _in_words(scores: TopicScores, run: int, missing: int) -> str:
    """Return the quartiles and the number of zeros of a run, for those who see no picture.

    `missing` is the number of scores that are zeros because they are missing.
    """
    values = scores.values[:, run]
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    words = f"{q1:.2g}, {median:.2g}, {q3:.2g}"
    zeros = int((values == 0).sum()) - missing
    words += f"; {count(zeros, 'zero')}" if zeros else ""
    return words + (f"; {missing} missing" if missing else "")


def topic_table(scores: TopicScores, digits: int, *, caption: str) -> str:
    """Return a table of topics, the hardest first: the mean, the scores of runs, the best run."""
    means = scores.means
    scale = scale_of([0.0, 1.0] if scores.shares else scores.values.ravel().tolist())
    rows = []
    for topic in range(min(len(scores.topics), _MOST_TOPICS)):
        values = scores.values[topic]
        of_group = [f"<td class=w>{name(scores.groups[topic])}"] if scores.groups else []
        row = [
            f"<th scope=row>{name(scores.topics[topic])}",
            *of_group,
            f"<td>{number_text(float(means[topic]), digits)}",
            spread_cell(values, scale),
            f"<td>{number_text(float(values.max()), digits)}",
            f"<td class=w>{_best(scores, topic)}",
        ]
        rows.append(("", row))
    headers = [
        header(scores.unit, is_words=True, is_name=True),
        *([header(scores.group_noun, is_words=True)] if scores.groups else []),
        header("mean", is_words=False),
        header("scores of runs", axis(scale), is_words=False, is_wide=True, has_text=False),
        header("best", is_words=False, best_is_high=True),
        header("best run", is_words=True),
    ]
    return table_of(headers, rows, caption=caption, kind=f"{scores.unit}s", of_runs=False)


def spread_cell(values: FloatArray, scale: Scale) -> str:
    """Return a cell with a picture of the scores of all runs, sorted by how they spread."""
    picture = _ticks if len(values) <= _MOST_TICKS else _box
    drawn = picture(values, float(values.mean()), scale)
    return f'<td class=p data-v="{values.std():.6g}">{drawn}'


def how_drawn(scores: TopicScores) -> str:
    """Return what the pictures in the table of topics show."""
    if len(scores.runs) <= _MOST_TICKS:
        return "Each tick is a run, and the tall tick is the mean of all runs."
    return (
        "The line goes from the lowest-scoring run to the highest, the bar covers the middle half "
        "of the runs, and the tall tick is the mean of all runs."
    )


def topics_left_out(scores: TopicScores) -> int:
    """Return how many of the easiest topics are not in the table."""
    return max(0, len(scores.topics) - _MOST_TOPICS)


def _ticks(values: FloatArray, mean: float, scale: Scale) -> str:
    """Return a tick for the score of each run, and a longer one for their mean, as SVG."""
    places = sorted({round(scale.place(value)) for value in values.tolist()})
    return _picture(f'<path class=t d="{"".join(_tick_path(places))}"/>', values, mean, scale)


def _box(values: FloatArray, mean: float, scale: Scale) -> str:
    """Return a line through all scores, a bar through the middle half, and a tick for the mean."""
    quartiles = np.quantile(values, [0.0, 0.25, 0.75, 1.0]).tolist()
    low, first, third, high = (f"{scale.place(value):g}" for value in quartiles)
    middle = _HEIGHT // 2
    shapes = f'<path class=l d="M{low} {middle}H{high}"/>'
    shapes += f'<path class=b d="M{first} {middle}H{third}"/>'
    return _picture(shapes, values, mean, scale)


def _picture(shapes: str, values: FloatArray, mean: float, scale: Scale) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {_HEIGHT}" role=img '
        f'aria-label="from {values.min():.2g} to {values.max():.2g}">{shapes}'
        f'<path class=a d="M{scale.place(mean):g} 0v{_HEIGHT}"/></svg>'
    )


def _tick_path(places: Sequence[int]) -> Iterator[str]:
    """Yield the path of a short stroke at each place, relative to where the last one ended."""
    for last, place in zip([None, *places], places, strict=False):
        yield f"M{place} 3v8" if last is None else f"m{place - last}-8v8"


def _best(scores: TopicScores, topic: int) -> str:
    """Return the names of the best runs of a topic, some and the number of the others if many."""
    best = scores.best_runs(topic)
    if len(best) == len(scores.runs):
        return "all runs equal"
    names = ", ".join(map(name, best[:_NAMED]))
    return names if len(best) <= _NAMED else f"{names} and {len(best) - _NAMED} more"
