"""How sure is this mean?"""

from collections.abc import Iterator, Sequence

import numpy as np

from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.sample import Sample
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.checks import (
    Judged,
    about_means,
    affected,
    is_binary,
    suited_methods,
    unusual_levels,
)
from confint_cli.studies.facts import Facts, facts_of_estimation
from confint_cli.studies.interval_view import view
from confint_cli.studies.limits import intervals_of, largest_error, too_uncertain
from confint_cli.studies.pairing import missing_topics
from confint_cli.studies.rows import IntervalRow

FIELDS = fields("measure run method level topics mean sd se low high shape note", exact="level")


def interval(
    scores: Scores,
    estimation: Estimation,
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[IntervalRow]:
    """Return a record for each measure, run, method and level.

    Without `best_first`, runs stay in the order in which they come.
    """
    matrices = [scores.matrix(measure) for measure in scores.measures]
    suited, notices = suited_methods(matrices, estimation)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    estimates = list(_estimates(matrices, suited, estimation, progress))
    rows = [
        row
        for matrix, intervals in estimates
        for row in _rows(matrix, intervals, estimation.levels)
    ]
    used = tuple(dict.fromkeys(name for names in suited for name in names))
    facts: Facts = {**facts_of_estimation(estimation, scores), "methods": used}
    notices += about_means(list(_judged(estimates)), used)
    notices += unusual_levels(estimation.levels)
    if estimation.resampling:
        facts["error"] = largest_error(rows)
        notices += too_uncertain(rows, estimation.resamples)
    return Answer(rows, FIELDS, facts, tuple(notices), view)


def _estimates(
    matrices: Sequence[Matrix],
    suited: Sequence[tuple[str, ...]],
    estimation: Estimation,
    progress: Progress,
) -> Iterator[tuple[Matrix, Estimate]]:
    """Yield the scores by each measure and their estimate, by the methods that suit them.

    Measures with the same topics and methods are estimated together, as columns of one array.
    """
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Matrix]] = {}
    for matrix, names in zip(matrices, suited, strict=True):
        groups.setdefault((matrix.topics, names), []).append(matrix)
    by_measure: dict[str, Estimate] = {}
    steps = parts_of(progress, len(groups))
    for its_progress, ((_, names), group) in zip(steps, groups.items(), strict=True):
        values = np.hstack([matrix.values for matrix in group])
        together = estimate(Sample(values), estimation.by(names), its_progress)
        start = 0
        for matrix in group:
            by_measure[matrix.measure] = together.columns(start, start := start + len(matrix.runs))
    for matrix in matrices:
        yield matrix, by_measure[matrix.measure]


def _rows(matrix: Matrix, estimates: Estimate, levels: Sequence[float]) -> Iterator[IntervalRow]:
    missing = missing_topics(matrix)
    for column, run in enumerate(matrix.runs):
        for interval in intervals_of(column, estimates.limits, estimates.doubts, levels):
            yield IntervalRow(
                **interval,
                measure=matrix.measure,
                run=run,
                topics=estimates.topics,
                mean=float(estimates.mean[column]),
                sd=float(estimates.sd[column]),
                se=float(estimates.se[column]),
                missing=missing.get(run, 0),
            )


def _judged(estimates: Sequence[tuple[Matrix, Estimate]]) -> Iterator[Judged]:
    """Yield the doubts about the runs by each measure, by a method that skewness matters to.

    Without such a method there are none.
    """
    for matrix, intervals in estimates:
        methods = affected([*intervals.doubts])
        doubts = intervals.doubts[methods[0]][0] if methods else np.zeros(0, np.intp)
        yield Judged(matrix.measure, len(matrix.runs), doubts, is_binary(matrix.values))
