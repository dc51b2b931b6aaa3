"""Who is really ahead? Ranks by the mean, and the rank sets that the choice of topics leaves."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from confint_cli.common.arrays import BoolArray
from confint_cli.common.errors import CallError, Notice, note, warning
from confint_cli.common.progress import Progress, no_progress, parts_of, with_progress
from confint_cli.common.text import count, listed, visible
from confint_cli.scores.scores import Matrix, Scores, order_by_mean, ranks
from confint_cli.stats import ppi_max_t
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.matrices import on_topics, paired_of, rows_can_be_resampled, sample_of
from confint_cli.stats.names import IMBENS_MANSKI, PPI
from confint_cli.stats.pairs import Pairs, pairs_among
from confint_cli.stats.ppi import Family
from confint_cli.stats.ranking import Ranking, rank_by_t, rank_runs, ranked
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.bounds import (
    ABOUT_BOUNDS,
    bounded_means,
    bounded_ranking,
    estimate_of_bounds,
)
from confint_cli.studies.checks import suited_methods, unusual_levels
from confint_cli.studies.collections import over_collections, with_fields
from confint_cli.studies.columns import STANDINGS
from confint_cli.studies.designs import suited_to
from confint_cli.studies.draws import check_simultaneous
from confint_cli.studies.facts import Facts, facts_of_estimation
from confint_cli.studies.judged import (
    best_by_both,
    check_whom,
    estimate_of_both,
    family_of,
    fields_of_judge,
    remarks_of,
)
from confint_cli.studies.limits import (
    intervals_of,
    largest_error,
    never_told_apart,
    too_few_draws,
    too_uncertain,
)
from confint_cli.studies.pairing import (
    comparable_matrices,
    fields_of_design,
    identical_runs,
    missing_topics,
)
from confint_cli.studies.rank_view import view
from confint_cli.studies.rows import RankRow
from confint_cli.studies.scope import TOPICS, facts_of_design
from confint_cli.studies.unjudged import shares_of

_LISTED = 5  # measures or pairs of runs that a message names, at most


@dataclass(frozen=True)
class _Standings:
    """The runs by one measure, in the order of their records."""

    matrix: Matrix
    estimates: Estimate  # of the means
    ranking: Ranking
    by_t: bool = False  # whether Bonferroni's t tells runs apart, not max-T
    further: Sequence[Mapping[str, Any]] = ()  # fields of each run that a judge or bounds add
    is_bounded: bool = False  # whether means are known between bounds only

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return pairs_among(len(self.matrix.runs))


def rank(
    scores: Scores,
    estimation: Estimation,
    *,
    strict: bool = False,
    for_new: str = TOPICS,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[RankRow]:
    """Return a record for each measure and run; of several collections, for each.

    Rank sets are at the one level of `estimation`, by max-T, which may be `strict`; where nothing
    can be resampled, by Bonferroni's t. `for_new` says whom a result over several collections is
    for. Without `best_first`, runs stay in the order in which they come.
    """
    check_whom(scores, for_new)
    estimation = suited_to(scores, estimation, for_new)
    if strict and scores.repeats is not None:
        raise CallError("--strict is for max-t, which is not available for repeats of runs")
    if strict and scores.bounded:
        raise CallError("--strict is for max-t, which is not available for bounds")
    if scores.several:
        return over_collections(
            scores,
            for_new,
            lambda part: rank(
                part.scores, estimation, strict=strict, best_first=best_first, progress=progress
            ),
            best_first=best_first,
            ordered=best_by_both if scores.judge is not None else None,
        )
    check_simultaneous(estimation)
    matrices, notices = comparable_matrices(scores)
    notices += _copies(matrices)
    if scores.judge is not None:
        by_measure, found = [], []
        for matrix, its_progress in with_progress(matrices, progress):
            family, about, apart = family_of(scores, matrix.measure, best_first=best_first)
            notices += about
            found.append((matrix.measure, apart))
            by_measure.append(_by_two_judges(family, estimation, its_progress, strict=strict))
        remarks = remarks_of(found)
    elif scores.bounded:
        remarks = (ABOUT_BOUNDS,)
        by_measure = [
            _between_bounds(scores, matrix.measure, estimation, its_progress, best_first=best_first)
            for matrix, its_progress in with_progress(matrices, progress)
        ]
    else:
        remarks = ()
        suited_methods(matrices, estimation, hint="'confint methods' lists other methods")
        if best_first:
            matrices = [matrix.best_first() for matrix in matrices]
        by_measure = [
            _standings(matrix, estimation, its_progress, strict=strict)
            for matrix, its_progress in with_progress(matrices, progress)
        ]
    rows = [row for standings in by_measure for row in _rows(standings, estimation.levels)]
    if shares := shares_of(scores):
        rows = [replace(row, judged_share=shares.get(row.run, math.nan)) for row in rows]
    notices += too_uncertain(rows, estimation.resamples) + unusual_levels(estimation.levels)
    notices += _about_max_t(by_measure, estimation.draws) + _on_the_edge(by_measure)
    is_drawn = any(not standings.by_t for standings in by_measure)
    sampling: Facts = {"draws": estimation.draws} if is_drawn else {}
    facts: Facts = {
        **facts_of_design(scores),
        **facts_of_estimation(estimation, scores, sampling, drawn=is_drawn),
        "measures": tuple(standings.matrix.measure for standings in by_measure),
        "family": tuple(dict.fromkeys(standings.pairs for standings in by_measure)),
    }
    if strict:
        facts["max_t"] = "strict"
    if scores.judge is not None:
        facts["methods"] = (PPI,)
    if scores.bounded:
        facts["methods"] = (IMBENS_MANSKI,)
    if is_drawn or estimation.resampling:
        errors = [standings.ranking.error for standings in by_measure]
        facts["error"] = max(largest_error(rows), *errors)
    return Answer(
        rows, with_fields(fields(STANDINGS), facts), facts, tuple(notices), view, remarks=remarks
    )


def _copies(matrices: Sequence[Matrix]) -> list[Notice]:
    """Warn of runs that may have been submitted twice: those alike by all measures."""
    first, *others = [identical_runs(matrix) for matrix in matrices]
    pairs = [
        f"{run} and {original}"
        for run, original in first.items()
        if all(copies.get(run) == original for copies in others)
    ]
    if not pairs:
        return []
    return [warning(f"some runs have the same scores on all topics: {listed(pairs, _LISTED)}")]


def _standings(
    matrix: Matrix, estimation: Estimation, progress: Progress, *, strict: bool
) -> _Standings:
    (level,) = estimation.levels
    steps = parts_of(progress, 1 + estimation.resampling)
    its_progress = next(steps) if estimation.resampling else no_progress
    estimates = on_topics(estimate(sample_of(matrix), estimation, its_progress), matrix)
    if not rows_can_be_resampled(matrix):
        every_two = paired_of(matrix, Pairs.all(len(matrix.runs)))
        return _Standings(matrix, estimates, rank_by_t(every_two, level), by_t=True)
    ranking = rank_runs(
        matrix.values,
        level,
        estimation.drawing,
        strict=strict,
        design=matrix.design,
        progress=next(steps),
    )
    return _Standings(matrix, estimates, ranking)


def _between_bounds(
    scores: Scores, measure: str, estimation: Estimation, progress: Progress, *, best_first: bool
) -> _Standings:
    """Return the standings of runs whose means are known between bounds only."""
    means = bounded_means(scores, measure, best_first=best_first)
    estimates = estimate_of_bounds(means, estimation.levels)
    (level,) = estimation.levels
    ranking = bounded_ranking(scores, means.matrix, level, progress)
    return _Standings(
        means.matrix, estimates, ranking, by_t=True, further=means.fields, is_bounded=True
    )


def _by_two_judges(
    family: Family, estimation: Estimation, progress: Progress, *, strict: bool
) -> _Standings:
    """Return the standings of runs by people and a cheaper judge together."""
    two = family.two
    pairs = Pairs.all(len(two.runs))
    means = family.means()
    (level,) = estimation.levels
    estimates = estimate_of_both(two, means, estimation.levels)
    standing = ppi_max_t.standing(
        family, family.differences(pairs), level, estimation.drawing,
        strict=strict, progress=progress,
    )  # fmt: skip
    order = ranks(means.mean, np.abs(two.human.values).max(axis=0))
    ranking = ranked(standing.at_once, pairs, order, standing.first_share)
    return _Standings(two.matrix, estimates, ranking, further=fields_of_judge(two, means, level))


def _rows(standings: _Standings, levels: Sequence[float]) -> Iterator[RankRow]:
    """Yield the record of each run by one measure; there is one method, and one level."""
    matrix, estimates, ranking = standings.matrix, standings.estimates, standings.ranking
    # Runs with the same scores may differ by documents that nobody judged.
    copies = {} if standings.is_bounded else identical_runs(matrix)
    missing = missing_topics(matrix)
    apart = ranking.apart
    designs = fields_of_design(matrix)
    further = standings.further or [{} for _ in matrix.runs]
    best = order_by_mean(estimates.mean, np.abs(matrix.values).max(axis=0))[0]
    of_runs = {
        "rank": ranking.rank.tolist(),
        "mean": estimates.mean.tolist(),
        "rank_low": ranking.low.tolist(),
        "rank_high": ranking.high.tolist(),
        "own_rank_low": ranking.own_low.tolist(),
        "own_rank_high": ranking.own_high.tolist(),
        "first_share": ranking.first_share.tolist(),
        "tied_with_best": (~apart[best]).tolist(),
        "group": _groups(ranking.better),
    }
    for column, run in enumerate(matrix.runs):
        (interval,) = intervals_of(column, estimates.limits, estimates.doubts, levels)
        yield RankRow(
            **interval,
            **{name: every[column] for name, every in of_runs.items()},
            measure=matrix.measure,
            run=run,
            topics=estimates.topics,
            missing=missing.get(run, 0),
            copy_of=copies.get(run, ""),
            apart=apart[column],
            enough_topics=ranking.left_out.enough_topics,
            pairs_left_out=ranking.left_out.pairs,
            **{**designs[column], **further[column]},
        )


def _groups(better: BoolArray) -> list[int]:
    """Return the number of the group of each run, from 0, in the order of the runs.

    A new group begins where all runs so far are better than all that follow. `better` is
    [run, other].
    """
    last = len(better) - 1
    # The last run that each run is not better than: at least itself.
    last_not_worse = last - np.argmax(~better[:, ::-1], axis=1)
    # The last run that a run or some run before it is not better than.
    reach = np.maximum.accumulate(np.maximum(last_not_worse, np.arange(last + 1)))
    begins_group = reach[:-1] < np.arange(1, last + 1)
    groups: list[int] = np.cumsum([False, *begins_group]).tolist()
    return groups


def _about_max_t(by_measure: Sequence[_Standings], draws: int) -> list[Notice]:
    """Return notices on pairs that cannot be told apart in any case, and on too few draws."""
    notices = []
    for standings in by_measure:
        matrix = standings.matrix
        notices += never_told_apart(standings.ranking.left_out, matrix.measure, matrix.unit)
        notices += too_few_draws(standings.matrix.measure, standings.ranking.error_share, draws)
    return notices


def _on_the_edge(by_measure: Sequence[_Standings]) -> list[Notice]:
    """Return notices on how many pairs might be told apart, or not, by other random numbers."""
    close = sum(standings.ranking.close for standings in by_measure)
    if not close:
        return []
    pairs = sum(standings.pairs for standings in by_measure)
    verb = "is" if close == 1 else "are"
    measures = listed([visible(one.matrix.measure) for one in by_measure], _LISTED)
    return [
        note(
            f"{close} of {count(pairs, 'difference')} on {measures} {verb} so close to the "
            "limit that another seed might change the decision",
            what_to_do="more --draws make that less likely",
        )
    ]
