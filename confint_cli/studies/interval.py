"""How sure is this mean?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from confint_cli.common.errors import Notice
from confint_cli.common.progress import Progress, no_progress, with_progress
from confint_cli.common.words import whole_if_it_is
from confint_cli.scores.scores import Matrix, Scores, order_by_mean
from confint_cli.scores.two_judges import two_judges
from confint_cli.stats import ppi
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.matrices import on_topics, sample_of
from confint_cli.stats.names import IMBENS_MANSKI, PPI
from confint_cli.stats.sample import RepeatVariance, Sample
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.bounds import ABOUT_BOUNDS, bounded_means, estimate_of_bounds
from confint_cli.studies.checks import (
    MeasureDoubts,
    about_means,
    affected,
    is_binary,
    suited_methods,
    unusual_levels,
)
from confint_cli.studies.collections import over_collections, with_fields
from confint_cli.studies.columns import MEANS
from confint_cli.studies.designs import question_can_be_resampled, suited_to
from confint_cli.studies.facts import Facts, facts_of_computing, facts_of_estimation
from confint_cli.studies.interval_view import view
from confint_cli.studies.judged import (
    check_whom,
    checked_judges,
    estimate_of_both,
    fields_of_judge,
    remarks_of,
)
from confint_cli.studies.limits import are_drawn, intervals_of, largest_error, too_uncertain
from confint_cli.studies.pairing import fields_of_design, missing_topics
from confint_cli.studies.paper_view import interval_paper
from confint_cli.studies.rows import IntervalRow
from confint_cli.studies.scope import TOPICS, facts_of_design

FIELDS = fields(MEANS, exact="level")


def interval(
    scores: Scores,
    estimation: Estimation,
    *,
    for_new: str = TOPICS,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[IntervalRow]:
    """Return a record for each measure, run, method and level, and for each of several collections.

    `for_new` says what a result over several collections is for. Without `best_first`, runs stay in
    the order in which they come.
    """
    check_whom(scores, for_new)
    estimation = suited_to(scores, estimation, for_new)
    if scores.several:
        return over_collections(
            scores,
            for_new,
            lambda part: interval(part.scores, estimation, best_first=False, progress=progress),
            best_first=best_first,
            together=attrgetter("run"),
            ordered=_by_both if scores.judge is not None else None,
        )
    if scores.judge is not None:
        return _by_two_judges(scores, estimation.levels, best_first=best_first)
    if scores.bounded:
        return _between_bounds(scores, estimation.levels, best_first=best_first)
    matrices = [scores.matrix(measure) for measure in scores.measures]
    suited, notices = suited_methods(matrices, estimation)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    groups = _groups(matrices, suited)
    del matrices  # the groups have the scores, and memory may be short
    by_measure = dict(_estimates(groups, estimation, progress))
    estimates = [by_measure[measure] for measure in scores.measures]
    rows = [
        row
        for matrix, intervals in estimates
        for row in _rows(matrix, intervals, estimation.levels)
    ]
    used = tuple(dict.fromkeys(name for names in suited for name in names))
    drawn = are_drawn(rows, estimation)
    facts: Facts = {
        **facts_of_design(scores),
        **facts_of_estimation(estimation, scores, drawn=drawn),
        "methods": used,
    }
    if question_can_be_resampled(scores, for_new):  # else what it advises is not available
        notices += about_means(list(_doubts_by_measure(estimates)), used)
    notices += unusual_levels(estimation.levels)
    if drawn:
        facts["error"] = largest_error(rows)
        notices += too_uncertain(rows, estimation.resamples)
    return Answer(
        rows, with_fields(FIELDS, facts), facts, tuple(notices), view, paper=interval_paper
    )


def _by_two_judges(
    scores: Scores, levels: tuple[float, ...], *, best_first: bool
) -> Answer[IntervalRow]:
    """Return the records of the means by people and a cheaper judge together."""
    rows: list[IntervalRow] = []
    notices: list[Notice] = []
    found = []
    for measure in scores.measures:
        two, about, apart = checked_judges(scores, measure)
        notices += about
        found.append((measure, apart))
        powered = ppi.means(two)
        if best_first:
            order = order_by_mean(powered.mean, np.abs(two.human.values).max(axis=0))
            two = two.ordered(order)
            powered = ppi.means(two)
        further = {level: fields_of_judge(two, powered, level) for level in levels}
        rows += _rows(two.matrix, estimate_of_both(two, powered, levels), levels, further)
    notices += unusual_levels(levels)
    facts: Facts = {
        **facts_of_design(scores),
        "methods": (PPI,),
        "levels": levels,
        **facts_of_computing(),
    }
    columns = with_fields(FIELDS, facts)
    return Answer(
        rows, columns, facts, tuple(notices), view, remarks=remarks_of(found), paper=interval_paper
    )


def _between_bounds(
    scores: Scores, levels: tuple[float, ...], *, best_first: bool
) -> Answer[IntervalRow]:
    """Return the records of means that are known only between bounds."""
    rows: list[IntervalRow] = []
    for measure in scores.measures:
        means = bounded_means(scores, measure, best_first=best_first)
        further = dict.fromkeys(levels, means.fields)
        rows += _rows(means.matrix, estimate_of_bounds(means, levels), levels, further)
    facts: Facts = {
        **facts_of_design(scores),
        "methods": (IMBENS_MANSKI,),
        "levels": levels,
        **facts_of_computing(),
    }
    notices = tuple(unusual_levels(levels))
    return Answer(
        rows,
        with_fields(FIELDS, facts),
        facts,
        notices,
        view,
        remarks=(ABOUT_BOUNDS,),
        paper=interval_paper,
    )


def _by_both(scores: Scores) -> Scores:
    """Return scores of several collections by one measure, in the order of their macro-means."""
    (measure,) = scores.measures
    two = two_judges(scores, measure)
    order = order_by_mean(ppi.means(two).mean, np.abs(two.human.values).max(axis=0))
    ordered = [two.runs[place] for place in order]
    return scores.only(*ordered, *(run for run in scores.runs if run not in ordered))


@dataclass(frozen=True)
class _Group:
    """Measures with the same topics and methods, which are estimated together."""

    methods: tuple[str, ...]
    sample: Sample  # whose columns are the runs of all measures side by side
    matrices: Sequence[Matrix]  # of each measure; their scores are parts of the sample's


def _groups(matrices: Sequence[Matrix], suited: Sequence[tuple[str, ...]]) -> list[_Group]:
    """Return the scores in groups, by the methods that suit them."""
    by_key: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Matrix]] = {}
    for matrix, names in zip(matrices, suited, strict=True):
        by_key.setdefault((matrix.on_topics.topics, names), []).append(matrix)
    groups = []
    for (_, names), members in by_key.items():
        of_repeats = [sample_of(matrix).repeats for matrix in members if matrix.repeats is not None]
        values = np.hstack([matrix.values for matrix in members])
        ends = np.cumsum([len(matrix.runs) for matrix in members])
        parts = zip(members, np.split(values, ends[:-1], axis=1), strict=True)
        sample = Sample(
            values,
            design=members[0].design,
            repeats=RepeatVariance.beside([own for own in of_repeats if own is not None])
            if of_repeats
            else None,
        )
        groups.append(_Group(names, sample, [replace(one, values=part) for one, part in parts]))
    return groups


def _estimates(
    groups: Sequence[_Group], estimation: Estimation, progress: Progress
) -> Iterator[tuple[str, tuple[Matrix, Estimate]]]:
    """Yield each measure with its scores and their estimate."""
    for group, its_progress in with_progress(groups, progress):
        together = estimate(group.sample, estimation.by(group.methods), its_progress)
        start = 0
        for matrix in group.matrices:
            own = together.columns(start, start := start + len(matrix.runs))
            yield matrix.measure, (matrix, on_topics(own, matrix))


def _rows(
    matrix: Matrix,
    estimates: Estimate,
    levels: Sequence[float],
    further: Mapping[float, Sequence[Mapping[str, Any]]] | None = None,
) -> Iterator[IntervalRow]:
    """Yield the records of the means of runs.

    `further` has, by level, fields of each run that a judge or bounds add.
    """
    missing, designs = missing_topics(matrix), fields_of_design(matrix)
    for column, run in enumerate(matrix.runs):
        for interval in intervals_of(column, estimates.limits, estimates.doubts, levels):
            added = further[interval["level"]][column] if further else {}
            yield IntervalRow(
                **interval,
                measure=matrix.measure,
                run=run,
                topics=estimates.topics,
                mean=float(estimates.mean[column]),
                sd=float(estimates.sd[column]),
                se=float(estimates.se[column]),
                df=whole_if_it_is(float(estimates.df[column])),
                missing=missing.get(run, 0),
                **{**designs[column], **added},
            )


def _doubts_by_measure(estimates: Sequence[tuple[Matrix, Estimate]]) -> Iterator[MeasureDoubts]:
    """Yield the doubts about the runs in each measure, for a method that skewness affects.

    Without such a method there are none.
    """
    for matrix, intervals in estimates:
        methods = affected([*intervals.doubts])
        doubts = intervals.doubts[methods[0]][0] if methods else np.zeros(0, np.intp)
        yield MeasureDoubts(matrix.measure, len(matrix.runs), doubts, is_binary(matrix.values))
