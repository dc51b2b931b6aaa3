"""Does A hurt topics that the baseline did well?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.errors import Notice, note
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.table import Table, columns_of
from confint_cli.common.text import listed
from confint_cli.common.words import whole_if_it_is
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import T_TEST
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.risk import risks
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.pairing import PairedRuns, paired_runs
from confint_cli.studies.risk_view import Risked, summary_of, views
from confint_cli.studies.rows import Bounded, intervals_of, largest_error, too_uncertain

_COLUMNS = (
    "measure", "run", "baseline", "topics", "r", "method", "level", "urisk_minus", "trisk",
    "georisk", "low", "high", "wins", "losses", "shapiro_topics", "shapiro_bootstrap", "note",
)  # fmt: skip


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
    signature: Mapping[str, str],
    *,
    top: float | None = None,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, run, r, method and level.

    With `top`, what limits the best runs have, that share of all by the mean, in the median: a row
    for each measure, r, method and level.
    """
    pairs, notices = paired_runs(scores, baselines, best_first=best_first)
    # How far limits are from those of t is part of the summary.
    with_t = how.by(tuple(dict.fromkeys([*how.methods, T_TEST])))
    needed = how if top is None else with_t
    parts = []
    for of, part in zip(pairs, parts_of(progress, len(pairs)), strict=True):
        at_each_r = tuple(risks(of.on_same_topics, rs, needed, part))
        parts.append(Risked(of, at_each_r, how.methods, how.levels))
    notices += unusual_levels(how.levels)
    signature = {**signature, "measures": ",".join(of.measure for of in pairs)}
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
    return table, [*notices, *_without_georisk(pairs), *too_uncertain(rows, how.resamples)]


def _rows(part: Risked) -> Iterator[_Row]:
    for pair in range(len(part.of)):
        run, baseline = part.of.names(pair)
        wins, _, losses = part.outcomes(pair)
        missing = part.of.missing_of(pair)
        for at_r in part.risks:
            for interval in intervals_of(pair, at_r.limits, at_r.notes, part.levels):
                noted = ", ".join(filter(None, [interval.pop("note"), *missing]))
                yield _Row(
                    **interval,
                    note=noted,
                    measure=part.of.measure,
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


def _without_georisk(pairs: Sequence[PairedRuns]) -> list[Notice]:
    """Say by which measures there is no GeoRisk, whose square roots want scores of 0 or more."""
    negative = [of.measure for of in pairs if np.min(of.scores.values) < 0]
    if not negative:
        return []
    by = listed(negative, 6)
    return [note(f"some scores by {by} are below 0, so there is no GeoRisk, which is made of sums")]
