"""Does A hurt topics that the baseline did well?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.errors import Notice, note
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.table import Table, columns_of
from confint_cli.common.text import listed
from confint_cli.common.words import whole_if_it_is
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.comparison import T_TEST, Testing, compare_paired
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.risk import risks
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.pairing import Risked, comparable_matrices
from confint_cli.studies.risk_view import summary_of, views
from confint_cli.studies.rows import Bounded, intervals_of, largest_error, too_uncertain

_COLUMNS = (
    "measure", "run", "baseline", "topics", "r", "method", "level", "urisk_minus", "trisk",
    "georisk", "low", "high", "wins", "losses", "shapiro_topics", "shapiro_bootstrap", "note",
)  # fmt: skip
_TESTING = Testing(correction="none")


@dataclass(frozen=True)
class _Row(Bounded):
    """One interval of URisk⁻."""

    baseline: str
    topics: int
    r: float
    urisk_minus: float
    trisk: float
    georisk: float
    wins: int
    losses: int
    shapiro_topics: float
    shapiro_bootstrap: float


def risk(
    scores: Scores,
    baselines: tuple[str, ...],
    rs: tuple[float, ...],
    how: Estimation,
    *,
    top: float | None = None,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, run, r, method and level.

    With `top`, what limits the best runs have, that share of all by the mean, in the median: a row
    for each measure, r, method and level.
    """
    matrices, notices = comparable_matrices(scores, baselines, best_first=best_first)
    # How far limits are from those of t is part of the summary.
    needed = how.by(tuple(dict.fromkeys([*how.methods, T_TEST])))
    parts = [
        _risked(matrix, baselines, rs, how if top is None else needed, how.methods, part)
        for part, matrix in zip(parts_of(progress, len(matrices)), matrices, strict=True)
    ]
    notices += unusual_levels(how.levels)
    signature = {"measures": ",".join(part.measure for part in parts)}
    if top is not None:
        table, about_limits = summary_of(parts, top, signature, how.resamples)
        return table, notices + about_limits
    rows = [row for part in parts for row in _rows(part)]
    table = Table(
        title="",
        columns=columns_of(rows, _COLUMNS, exact=("r", "level")),
        signature={**signature, "error": f"{largest_error(rows):.2g}"},
        view=views(parts),
    )
    return table, [*notices, *_without_georisk(matrices), *too_uncertain(rows, how.resamples)]


def _risked(
    matrix: Matrix,
    baselines: tuple[str, ...],
    rs: tuple[float, ...],
    how: Estimation,
    methods: tuple[str, ...],
    progress: Progress,
) -> Risked:
    pairs = Pairs.among(matrix.runs, baselines)
    found = compare_paired(matrix.values, pairs, how.by((T_TEST,)), _TESTING)
    at_each_r = tuple(risks(Paired(matrix.values, pairs), rs, how, progress))
    return Risked(matrix, pairs, baselines, found, at_each_r, methods, how.levels)


def _rows(part: Risked) -> Iterator[_Row]:
    for pair in range(len(part.pairs)):
        run, baseline = part.names(pair)
        wins, _, losses = part.outcomes(pair)
        missing = part.missing_of(pair)
        for at_r in part.risks:
            for interval in intervals_of(pair, at_r.limits, at_r.notes, part.levels):
                noted = ", ".join(filter(None, [interval.pop("note"), *missing]))
                yield _Row(
                    **interval,
                    note=noted,
                    measure=part.measure,
                    run=run,
                    baseline=baseline,
                    topics=part.topics,
                    r=whole_if_it_is(at_r.r),
                    urisk_minus=float(at_r.urisk_minus[pair]),
                    trisk=float(at_r.trisk[pair]),
                    georisk=float(at_r.georisk[pair]),
                    wins=wins,
                    losses=losses,
                    shapiro_topics=float(at_r.shapiro_topics[pair]),
                    shapiro_bootstrap=float(at_r.shapiro_bootstrap[pair]),
                )


def _without_georisk(matrices: Sequence[Matrix]) -> list[Notice]:
    """Say by which measures there is no GeoRisk, whose square roots want scores of 0 or more."""
    negative = [matrix.measure for matrix in matrices if np.min(matrix.values) < 0]
    if not negative:
        return []
    by = listed(negative, 6)
    return [note(f"some scores by {by} are below 0, so there is no GeoRisk, which is made of sums")]
