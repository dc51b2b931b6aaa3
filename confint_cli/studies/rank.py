"""Who is really ahead? Ranks by the mean, and the rank sets that the choice of topics leaves."""

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

_TIED = "*"  # marks the means of runs that are tied with the best
_LISTED = 5  # runs that a sentence names, at most
_MOST_STRIPS = 200  # runs that a wide terminal has room for, one character each


@dataclass(frozen=True)
class _Standings:
    """The runs by one measure, in the order in which they are shown."""

    matrix: Matrix
    intervals: Sequence[Bounded]  # of the mean of each run
    means: Sequence[float]  # of each run
    ranking: Ranking
    level: float
    strict: bool  # whether max-T is

    @cached_property
    def best(self) -> int:
        """The place of the run with the best mean."""
        return self.matrix.by_mean[0]

    @cached_property
    def tied_with_best(self) -> list[bool]:
        """Which runs cannot be told apart from the one with the best mean (bool, [run])."""
        return [not apart for apart in self.ranking.apart[self.best]]

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return pairs_among(len(self.matrix.runs))


def rank(
    scores: Scores,
    estimation: Estimation,
    *,
    strict: bool = False,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure and run, and what to tell the user about it.

    Rank sets are at the one level of `estimation`, by max-T, which may be `strict`. Without
    `best_first`, runs stay in the order in which they come.
    """
    check_simultaneous(estimation)
    matrices, notices = comparable_matrices(scores)
    suited_methods(matrices, estimation, hint="'confint methods' lists others")
    notices += _copies(matrices)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    by_measure = [
        _standings(matrix, estimation, its_progress, strict=strict)
        for its_progress, matrix in zip(parts_of(progress, len(matrices)), matrices, strict=True)
    ]
    intervals = [row for standings in by_measure for row in standings.intervals]
    error = max(largest_error(intervals), *(standings.ranking.error for standings in by_measure))
    notices += too_uncertain(intervals, estimation.resamples) + unusual_levels(estimation.levels)
    notices += _doubts(by_measure, estimation.draws) + _on_the_edge(by_measure)
    table = Table(
        title="",
        columns=stacked([_columns(standings) for standings in by_measure]),
        signature={
            "measures": ",".join(standings.matrix.measure for standings in by_measure),
            "family": ",".join(dict.fromkeys(str(standings.pairs) for standings in by_measure)),
            **({"max-t": "strict"} if strict else {}),
            "error": f"{error:.2g}",
        },
        sentence=["Nothing is corrected for several measures."] if len(by_measure) > 1 else [],
        view=[_view(standings) for standings in by_measure],
        for_figure={"group": [group for standings in by_measure for group in _groups(standings)]},
    )
    return table, notices


def _doubts(by_measure: Sequence[_Standings], draws: int) -> list[Notice]:
    """Return notices on pairs that cannot be told apart in any case, and on too few draws."""
    notices = []
    for standings in by_measure:
        notices += never_told_apart(standings.ranking.left_out, standings.matrix.measure)
        notices += too_few_draws(standings.matrix.measure, standings.ranking.error_share, draws)
    return notices


def _on_the_edge(by_measure: Sequence[_Standings]) -> list[Notice]:
    """Return notices on how many pairs might be told apart, or not, by other random numbers."""
    close = sum(standings.ranking.close for standings in by_measure)
    if not close:
        return []
    pairs = sum(standings.pairs for standings in by_measure)
    verb = "is" if close == 1 else "are"
    return [
        note(
            f"{close} of {count(pairs, 'difference')} {verb} so close to the limit that another "
            "--seed might tell others apart; more --draws make it less likely"
        )
    ]


def _copies(matrices: Sequence[Matrix]) -> list[Notice]:
    """Warn of runs that may have been submitted twice: those alike by all measures."""
    first, *others = [identical_runs(matrix) for matrix in matrices]
    pairs = [
        f"{run} is {original}"
        for run, original in first.items()
        if all(copies.get(run) == original for copies in others)
    ]
    if not pairs:
        return []
    return [warning(f"the scores of some runs are the same on all topics: {listed(pairs, 5)}")]


def _standings(
    matrix: Matrix, estimation: Estimation, progress: Progress, *, strict: bool
) -> _Standings:
    (level,) = estimation.levels
    steps = parts_of(progress, 1 + estimation.resampling)
    estimates = estimate(
        Sample(matrix.values), estimation, next(steps) if estimation.resampling else no_progress
    )
    intervals = _intervals(matrix, estimates, estimation)
    ranking = rank_runs(
        matrix.values, level, estimation.drawing, strict=strict, progress=next(steps)
    )
    return _Standings(matrix, intervals, estimates.mean.tolist(), ranking, level, strict)


def _intervals(matrix: Matrix, estimates: Estimate, estimation: Estimation) -> list[Bounded]:
    """Return the interval of each run, by the one method and level there are, with its notes."""
    intervals = []
    for column, (run, remarks) in enumerate(zip(matrix.runs, about_runs(matrix), strict=True)):
        (interval,) = intervals_of(column, estimates.limits, estimates.doubts, estimation.levels)
        note = ", ".join(filter(None, [note_of(interval.pop("doubts")), *remarks]))
        intervals.append(Bounded(**interval, measure=matrix.measure, run=run, note=note))
    return intervals


def _columns(standings: _Standings) -> list[Column]:
    ranking, runs = standings.ranking, len(standings.matrix.runs)
    return [
        Column("measure", [standings.matrix.measure] * runs),
        Column("rank", ranking.rank.tolist()),
        Column("run", standings.matrix.runs),
        Column("topics", [len(standings.matrix.topics)] * runs),
        Column("mean", standings.means),
        Column("low", [row.low for row in standings.intervals]),
        Column("high", [row.high for row in standings.intervals]),
        Column("rank_low", ranking.low.tolist()),
        Column("rank_high", ranking.high.tolist()),
        Column("own_rank_low", ranking.own_low.tolist()),
        Column("own_rank_high", ranking.own_high.tolist()),
        Column("first_share", ranking.first_share.tolist()),
        Column("tied_with_best", standings.tied_with_best),
        Column("note", [row.note for row in standings.intervals]),
    ]


def _view(standings: _Standings) -> Table:
    """Return the standings by one measure as people read them, with pictures and a verdict."""
    ranking, matrix, level = standings.ranking, standings.matrix, percent(standings.level)
    runs = range(len(matrix.runs))
    has_ties = sum(standings.tied_with_best) > 1
    marks = [_TIED if tied and has_ties else "" for tied in standings.tied_with_best]
    means = [Marked(mean, mark) for mean, mark in zip(standings.means, marks, strict=True)]
    spans: list[Cell] = [
        Span(int(ranking.low[run]), int(ranking.rank[run]), int(ranking.high[run])) for run in runs
    ]
    at_once = "both" if len(runs) == 2 else f"all {len(runs)}"
    strictly = ", strict" if standings.strict else ""
    interval_name = f"{standings.intervals[0].method} {level}"
    columns = [
        Column("rank", ranking.rank.tolist()),
        Column("run", matrix.runs),
        Column("mean", means),
        Column(
            interval_name,
            [Interval(row.low, row.high) for row in standings.intervals],
            optional=True,
            legend=f"{interval_name}: of each mean by itself; the best of many means is too high, "
            "as a rule.",
        ),
        Column(
            "rank set",
            _ranges(ranking.low, ranking.high),
            legend=f"Rank set: {level} confidence for {at_once} runs at once, approximately "
            f"({count(standings.pairs, 'difference')}, max-t{strictly}).",
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
        Column("note", [row.note for row in standings.intervals], optional=True),
        *_strips(standings),
        Column("", spans, legend="├●┤ the rank and the rank set."),
    ]
    return Table(
        f"{matrix.measure}, {count(len(matrix.topics), 'topic')}, {count(len(runs), 'run')}",
        columns,
        legend=f"{_TIED} cannot be told apart from the best run." if has_ties else "",
        sentence=[_verdict(standings)],
        breaks=_breaks(standings),
        breaks_mean="all runs above it are told to be better than all below",
    )


def _strips(standings: _Standings) -> list[Column]:
    """Return a column of pictures of which runs are alike; none, if there is no room for them."""
    runs = len(standings.matrix.runs)
    if runs > _MOST_STRIPS:
        return []
    alike = ~standings.ranking.apart
    strips = [Strip(run, tuple(alike[run].tolist())) for run in range(runs)]
    return [Column("alike", strips, legend="■ cannot be told apart from the run in that place.")]


def _ranges(low: Positions, high: Positions) -> list[Cell]:
    """Return each rank set as text: `2–5`, or `3` where there is one rank only."""
    sets = zip(low.tolist(), high.tolist(), strict=True)
    return [str(first) if first == last else f"{first}–{last}" for first, last in sets]


def _breaks(standings: _Standings) -> list[int]:
    """Return the rows with a line above them: all runs above it are better than all below it."""
    better = standings.ranking.better
    last = len(better) - 1
    # The last row that each run is not better than: at least its own.
    last_not_worse = last - np.argmax(~better[:, ::-1], axis=1)
    # The last row that some run of a row or of those above it is not better than.
    reach = np.maximum.accumulate(np.maximum(last_not_worse, np.arange(last + 1)))
    return [row for row in range(1, last + 1) if reach[row - 1] < row]


def _groups(standings: _Standings) -> list[int]:
    """Return the number of each run's group, from 0: a group is the rows between two breaks."""
    begins_group = np.isin(np.arange(len(standings.matrix.runs)), _breaks(standings))
    return [int(group) for group in np.cumsum(begins_group)]


def _verdict(standings: _Standings) -> str:
    """Return a sentence on which runs cannot be told apart, or who is ahead of all others."""
    runs, order, apart = standings.matrix.runs, standings.matrix.by_mean, standings.ranking.apart
    best, level = runs[standings.best], percent(standings.level)
    left_out = standings.ranking.left_out
    if not left_out.enough_topics:
        topics = count(len(standings.matrix.topics), "topic")
        return f"{topics} are too few to tell any two runs apart at {level}."
    if left_out.pairs == standings.pairs:
        which = "The two runs cannot" if len(order) == 2 else f"No two of the {len(order)} runs can"
        return f"{which} be told apart at {level}: they differ on too few topics, or all alike."
    tied = [place for place in order[1:] if not apart[standings.best, place]]
    if not tied:
        others = {2: runs[order[1]], 3: "both other runs"}
        behind = others.get(len(order), f"all {len(order) - 1} other runs")
        return f"{best} is ahead of {behind} at {level}."
    # The first runs are alike, down to the first one that is told apart from any before it.
    apart_from_earlier = np.tril(apart[np.ix_(order, order)], -1).any(axis=1)
    alike = int(np.argmax(apart_from_earlier)) if apart_from_earlier.any() else len(order)
    if alike == len(order):
        which = "The two runs cannot" if alike == 2 else f"No two of the {alike} runs can"
        return f"{which} be told apart at {level}."
    further = [runs[place] for place in tied if place not in order[:alike]]
    if alike == 1:
        return (
            f"{best} is ahead of {runs[order[1]]} at {level}, but not of "
            f"{count(len(further), 'other run')}: {listed(further, _LISTED)}."
        )
    verdict = f"The first {alike} of {len(order)} runs cannot be told apart at {level}"
    if not further:
        return f"{verdict}."
    verb = "is" if len(further) == 1 else "are"
    return (
        f"{verdict}, and {len(further)} more {verb} tied with the best, {best}: "
        f"{listed(further, _LISTED)}."
    )
