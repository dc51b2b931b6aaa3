"""Who is really ahead?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import Positions
from confint_cli.common.errors import Notice, note, warning
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.table import Cell, Column, Interval, Marked, Span, Strip, Table, stacked
from confint_cli.common.text import count, listed
from confint_cli.common.words import percent
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.pairs import pairs_among
from confint_cli.stats.ranking import Ranking, rank_runs
from confint_cli.stats.sample import Sample
from confint_cli.studies.checks import suited_methods, unusual_levels
from confint_cli.studies.doubts import note_of
from confint_cli.studies.draws import check_simultaneous
from confint_cli.studies.pairing import about_runs, comparable_matrices, identical_runs
from confint_cli.studies.rows import (
    Bounded,
    intervals_of,
    largest_error,
    never_told_apart,
    too_few_draws,
    too_uncertain,
)

_TIED = "*"
_LISTED = 5
_MOST_STRIPS = 200  # runs that a wide terminal has room for, one character each


@dataclass(frozen=True)
class _Standings:
    """The runs by one measure, in the order in which they are shown."""

    matrix: Matrix
    intervals: Sequence[Bounded]  # of the means
    means: Sequence[float]
    ranking: Ranking
    level: float
    strict: bool

    @cached_property
    def best(self) -> int:
        return self.matrix.by_mean[0]

    @cached_property
    def tied_with_best(self) -> list[bool]:
        """Which runs cannot be told apart from the one with the best mean."""
        return [not apart for apart in self.ranking.apart[self.best]]

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return pairs_among(len(self.matrix.runs))


def rank(
    scores: Scores,
    how: Estimation,
    *,
    strict: bool = False,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure and run."""
    check_simultaneous(how)
    matrices, notices = comparable_matrices(scores)
    suited_methods(matrices, how, hint="'confint methods' lists others")
    notices += _copies(matrices)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    parts = [
        _standings(matrix, how, part, strict=strict)
        for part, matrix in zip(parts_of(progress, len(matrices)), matrices, strict=True)
    ]
    intervals = [row for part in parts for row in part.intervals]
    error = max(largest_error(intervals), *(part.ranking.error for part in parts))
    notices += too_uncertain(intervals, how.resamples) + unusual_levels(how.levels)
    notices += _doubts(parts, how.draws) + _on_the_edge(parts)
    table = Table(
        title="",
        columns=stacked([_columns(part) for part in parts]),
        signature={
            "measures": ",".join(part.matrix.measure for part in parts),
            "family": ",".join(dict.fromkeys(str(part.pairs) for part in parts)),
            **({"max-t": "strict"} if strict else {}),
            "error": f"{error:.2g}",
        },
        sentence=["Nothing is corrected for several measures."] if len(parts) > 1 else [],
        view=[_view(part) for part in parts],
        for_figure={"group": [group for part in parts for group in _groups(part)]},
    )
    return table, notices


def _doubts(parts: Sequence[_Standings], draws: int) -> list[Notice]:
    """Say which pairs cannot be told apart whatever their difference, and if draws are few."""
    notices = []
    for part in parts:
        notices += never_told_apart(part.ranking.left_out, part.matrix.measure)
        notices += too_few_draws(part.matrix.measure, part.ranking.error_share, draws)
    return notices


def _on_the_edge(parts: Sequence[_Standings]) -> list[Notice]:
    """Say if other random numbers might tell others apart."""
    close = sum(part.ranking.close for part in parts)
    if not close:
        return []
    pairs = sum(part.pairs for part in parts)
    verb = "is" if close == 1 else "are"
    return [
        note(
            f"{close} of {count(pairs, 'difference')} {verb} so close to the limit that another "
            "--seed might tell others apart; more --draws make it less likely"
        )
    ]


def _copies(matrices: Sequence[Matrix]) -> list[Notice]:
    """Warn of runs that may have been submitted twice: those alike by all measures."""
    copies = [identical_runs(matrix) for matrix in matrices]
    same = [run for run, first in copies[0].items() if all(one.get(run) == first for one in copies)]
    if not same:
        return []
    said = [f"{run} is {copies[0][run]}" for run in same]
    return [warning(f"the scores of some runs are the same on all topics: {listed(said, 5)}")]


def _standings(matrix: Matrix, how: Estimation, progress: Progress, *, strict: bool) -> _Standings:
    (level,) = how.levels
    parts = parts_of(progress, 1 + how.resampling)
    found = estimate(Sample(matrix.values), how, next(parts) if how.resampling else no_progress)
    ranking = rank_runs(matrix.values, level, how.drawing, strict=strict, progress=next(parts))
    return _Standings(
        matrix, _intervals(matrix, found, how), found.mean.tolist(), ranking, level, strict
    )


def _intervals(matrix: Matrix, found: Estimate, how: Estimation) -> list[Bounded]:
    intervals = []
    for place, (run, about) in enumerate(zip(matrix.runs, about_runs(matrix), strict=True)):
        (interval,) = intervals_of(place, found.limits, found.doubts, how.levels)
        note = ", ".join(filter(None, [note_of(interval.pop("doubts")), *about]))
        intervals.append(Bounded(**interval, measure=matrix.measure, run=run, note=note))
    return intervals


def _columns(part: _Standings) -> list[Column]:
    ranking, runs = part.ranking, len(part.matrix.runs)
    return [
        Column("measure", [part.matrix.measure] * runs),
        Column("rank", ranking.rank.tolist()),
        Column("run", part.matrix.runs),
        Column("topics", [len(part.matrix.topics)] * runs),
        Column("mean", part.means),
        Column("low", [row.low for row in part.intervals]),
        Column("high", [row.high for row in part.intervals]),
        Column("rank_low", ranking.low.tolist()),
        Column("rank_high", ranking.high.tolist()),
        Column("own_rank_low", ranking.own_low.tolist()),
        Column("own_rank_high", ranking.own_high.tolist()),
        Column("first_share", ranking.first_share.tolist()),
        Column("tied_with_best", part.tied_with_best),
        Column("note", [row.note for row in part.intervals]),
    ]


def _view(part: _Standings) -> Table:
    """Return the standings by one measure, with a picture of who can be told apart from whom."""
    ranking, matrix, level = part.ranking, part.matrix, percent(part.level)
    runs = range(len(matrix.runs))
    several = sum(part.tied_with_best) > 1
    marks = [_TIED if tied and several else "" for tied in part.tied_with_best]
    spans: list[Cell] = [
        Span(int(ranking.low[run]), int(ranking.rank[run]), int(ranking.high[run])) for run in runs
    ]
    at_once = "both" if len(runs) == 2 else f"all {len(runs)}"
    columns = [
        Column("rank", ranking.rank.tolist()),
        Column("run", matrix.runs),
        Column("mean", [Marked(mean, mark) for mean, mark in zip(part.means, marks, strict=True)]),
        Column(
            f"{part.intervals[0].method} {level}",
            [Interval(row.low, row.high) for row in part.intervals],
            optional=True,
            legend=f"{part.intervals[0].method} {level}: of each mean by itself; the best of many "
            "means is too high, as a rule.",
        ),
        Column(
            "rank set",
            _ranges(ranking.low, ranking.high),
            legend=f"Rank set: {level} confidence for {at_once} runs at once, approximately "
            f"({count(part.pairs, 'difference')}, max-t{', strict' if part.strict else ''}).",
        ),
        Column(
            "own set",
            _ranges(ranking.own_low, ranking.own_high),
            optional=True,
            legend="Own set: the same for one run, chosen beforehand.",
        ),
        Column(
            "first",
            ranking.first_share.tolist(),
            optional=True,
            legend="First: the share of resamples in which it comes first.",
        ),
        Column("note", [row.note for row in part.intervals], optional=True),
        *_strips(part),
        Column("", spans, legend="├●┤ the rank and the rank set."),
    ]
    return Table(
        f"{matrix.measure}, {count(len(matrix.topics), 'topic')}, {count(len(runs), 'run')}",
        columns,
        legend=f"{_TIED} cannot be told apart from the best run." if several else "",
        sentence=[_verdict(part)],
        breaks=_breaks(part),
        breaks_mean="all runs above it are told to be better than all below",
    )


def _strips(part: _Standings) -> list[Column]:
    """Return a picture of which runs are alike; of many runs, there would be no room for it."""
    runs = len(part.matrix.runs)
    if runs > _MOST_STRIPS:
        return []
    alike = ~part.ranking.apart
    strips = [Strip(run, tuple(alike[run].tolist())) for run in range(runs)]
    return [Column("alike", strips, legend="■ cannot be told apart from the run in that place.")]


def _ranges(low: Positions, high: Positions) -> list[Cell]:
    """Return `2–5`, or `3` where there is one rank only."""
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    return [str(first) if first == last else f"{first}–{last}" for first, last in pairs]


def _breaks(part: _Standings) -> list[int]:
    """Return the rows above which all runs are better than all that follow, if best come first."""
    better = part.ranking.better
    last = len(better) - 1
    # The last run that each one is not better than, at least itself; of it and all above it.
    not_behind = last - np.argmax(~better[:, ::-1], axis=1)
    reach = np.maximum.accumulate(np.maximum(not_behind, np.arange(last + 1)))
    return [row for row in range(1, last + 1) if reach[row - 1] < row]


def _groups(part: _Standings) -> list[int]:
    """Return which group each run is in, of those that the breaks part."""
    begins = np.isin(np.arange(len(part.matrix.runs)), _breaks(part))
    return [int(group) for group in np.cumsum(begins)]


def _verdict(part: _Standings) -> str:
    """Say in words who cannot be told apart."""
    runs, order, apart = part.matrix.runs, part.matrix.by_mean, part.ranking.apart
    best, level = runs[part.best], percent(part.level)
    left_out = part.ranking.left_out
    if not left_out.enough_topics:
        topics = count(len(part.matrix.topics), "topic")
        return f"{topics} are too few to tell any two runs apart at {level}."
    if left_out.pairs == part.pairs:
        which = "The two runs cannot" if len(order) == 2 else f"No two of the {len(order)} runs can"
        return f"{which} be told apart at {level}: they differ on too few topics, or all alike."
    tied = [place for place in order[1:] if not apart[part.best, place]]
    if not tied:
        others = {2: runs[order[1]], 3: "both other runs"}
        behind = others.get(len(order), f"all {len(order) - 1} other runs")
        return f"{best} is ahead of {behind} at {level}."
    # The run at each place, is it apart from any before it? The first such ends those alike.
    earlier = np.tril(apart[np.ix_(order, order)], -1).any(axis=1)
    first = int(np.argmax(earlier)) if earlier.any() else len(order)
    if first == len(order):
        which = "The two runs cannot" if first == 2 else f"No two of the {first} runs can"
        return f"{which} be told apart at {level}."
    further = [runs[place] for place in tied if place not in order[:first]]
    if first == 1:
        return (
            f"{best} is ahead of {runs[order[1]]} at {level}, but not of "
            f"{count(len(further), 'other run')}: {listed(further, _LISTED)}."
        )
    said = f"The first {first} of {len(order)} runs cannot be told apart at {level}"
    if not further:
        return f"{said}."
    verb = "is" if len(further) == 1 else "are"
    return (
        f"{said}, and {len(further)} more {verb} tied with the best, {best}: "
        f"{listed(further, _LISTED)}."
    )
