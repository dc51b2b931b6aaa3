"""Notices before large work: what it takes, and whether there are fewer draws than usual."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from confint_cli.app.options import (
    FEW_DRAWS,
    TOO_MANY_PAIRS_OF,
    EstimatingOptions,
    WritingOptions,
)
from confint_cli.common.errors import Notice, note
from confint_cli.common.text import count
from confint_cli.scores.scores import Scores
from confint_cli.stats.methods import USUAL_DRAWS

if TYPE_CHECKING:
    from confint_cli.stats.estimate import Estimation

_MANY_RUNS = 500  # ranking more than these takes some seconds
_MANY_PAIRS = _MANY_RUNS * (_MANY_RUNS - 1) // 2
_ROW = 3000  # bytes that a comparison takes until it is written
_IN_A_PICTURE = 188  # rows of one interval each that a picture has room for
_ON_A_SHEET = 67  # rows on a sheet of a PDF, about
_MOST_SHEETS = 100  # that anybody looks at
# Bytes of a page of HTML: for a run by a measure in a collection, for its score on a topic, and for
# its comparison with a baseline.
_PAGE_ROW, _PAGE_SCORE, _PAGE_COMPARISON = 600, 3, 300
_LARGE_PAGE = 8_000_000  # bytes of a page that many mail servers refuse


def before_ranking(scores: Scores, options: WritingOptions) -> list[Notice]:
    """Return the notices to show before runs are ranked: about a figure of many runs."""
    runs = len(scores.runs)
    return list(_about_figure(runs, "run", options)) if runs > _MANY_RUNS else []


def before_comparing(scores: Scores, pairs: int, options: WritingOptions) -> list[Notice]:
    """Return the notices to show before `pairs` pairs of runs are compared by each measure."""
    if pairs <= _MANY_PAIRS:
        return []
    rows = pairs * len(scores.measures)
    memory = f"{rows} comparisons take about {rows * _ROW / 1e9:.1f} GB of memory"
    advice = f"{memory}; 'confint rank' needs less to say who is ahead"
    return [note(advice), *_about_figure(pairs, "comparison", options)]


def before_a_page(scores: Scores, baselines: int) -> list[Notice]:
    """Return the notices to show before a page of HTML is made: about its size, if it is large."""
    collections = 1 if scores.collections is None else len(scores.collections.names) + 1
    rows = len(scores.runs) * len(scores.measures)
    size = rows * collections * (_PAGE_ROW + baselines * _PAGE_COMPARISON)
    size += rows * len(scores.topics) * _PAGE_SCORE
    if size < _LARGE_PAGE:
        return []
    return [
        note(
            f"the page will have about {size / 1e6:.1f} MB, which is large for a mail; fewer "
            "measures (-m) make it smaller, and 'confint rank' writes the standings as a table"
        )
    ]


def _about_figure(rows: int, noun: str, options: WritingOptions) -> Iterator[Notice]:
    """Yield a note about --plot, for a caller that has found `rows` to be many.

    A picture cannot show all of them, or a PDF has more sheets than anybody looks at.
    """
    if options.plot is None:
        return
    if not options.plot.lower().endswith(".pdf"):
        most = f"at most {_IN_A_PICTURE} of {count(rows, noun)}"  # fewer with several methods
        yield note(f"a picture has room for {most}; a PDF shows all")
    elif rows > _MOST_SHEETS * _ON_A_SHEET:
        sheets = -(-rows // _ON_A_SHEET)
        yield note(f"a PDF of {count(rows, noun)} has about {sheets} pages")


def with_draws(
    estimation: "Estimation",
    options: EstimatingOptions,
    runs: int,
    *,
    all_pairs: bool,
    used: bool = True,
) -> "tuple[Estimation, list[Notice]]":
    """Return the estimation with its number of draws, and notices about that number.

    It is that of --draws, or else of --resamples if that is a number, or else the usual number,
    which is smaller for `all_pairs` of many runs. `used` says whether anything is drawn.
    """
    if options.draws is not None:
        notices = (
            [] if used else [note("nothing is drawn at random, so --draws makes no difference")]
        )
        return replace(estimation, draws=options.draws), notices
    if options.resamples is not None or not (all_pairs and used) or runs < TOO_MANY_PAIRS_OF:
        return replace(estimation, draws=options.resamples or USUAL_DRAWS), []
    text = f"using {FEW_DRAWS} draws, as there are {runs} runs"
    return replace(estimation, draws=FEW_DRAWS), [note(text, what_to_do="use --draws for more")]
