"""Limits of intervals as fields of records, and what to say of uncertain or missing ones.

Other random numbers may put limits elsewhere; for some pairs, max-T has no limits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from confint_cli.common.errors import Notice, note, warning
from confint_cli.common.text import count, visible
from confint_cli.common.words import percent, rounded_up
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt, DoubtArray
from confint_cli.stats.ideal.bootstrap import resamples_for
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.simultaneous import LeftOut
from confint_cli.studies.draws import RESAMPLES, RandomDraws
from confint_cli.studies.rows import IntervalFields

LARGEST_ERROR = 0.05  # the Monte Carlo error of a limit, as a share of the half-width, at most


def intervals_of(
    column: int,
    limits: Mapping[str, Limits],
    doubts: Mapping[str, DoubtArray],
    levels: Sequence[float],
) -> list[dict[str, Any]]:
    """Return the fields of records for the intervals of one column, by each method at each level.

    The fields are method, level, low, high, error and doubts. `limits` and `doubts` are by method,
    [level, column]. It is a list: to end a generator takes memory, of which many records may have
    left none.
    """
    return [
        {
            "method": method,
            "level": level,
            "low": float(ends.low[row, column]),
            "high": float(ends.high[row, column]),
            "error": float(max(ends.low_error[row, column], ends.high_error[row, column])),
            "doubts": int(doubts[method][row, column]),
        }
        for method, ends in limits.items()
        for row, level in enumerate(levels)
    ]


def largest_error(rows: Sequence[IntervalFields]) -> float:
    """Return the largest Monte Carlo error of any limit."""
    return max(row.error for row in rows)


def are_drawn(rows: Sequence[IntervalFields], estimation: Estimation) -> bool:
    """Say whether any limit comes from random numbers."""
    if estimation.ideal:
        return any(row.doubts & Doubt.RESAMPLED for row in rows)
    return estimation.resampling


def too_uncertain(
    rows: Sequence[IntervalFields], number: int | None, draws: RandomDraws = RESAMPLES
) -> list[Notice]:
    """Warn of limits that other random numbers would put elsewhere, and say how many are enough.

    `number` is how many there are, and `draws` their kind; None: as many as the ideal bootstrap
    resamples where it has to.
    """
    uncertain = [row for row in rows if row.error_share > LARGEST_ERROR]
    if not uncertain:
        return []
    worst = max(uncertain, key=lambda row: row.error_share)
    if number is None:
        number = resamples_for(worst.topics)
    # The error is an estimate too: thrice as many make sure that it is not too large once more.
    needed = 3 * number * (worst.error_share / LARGEST_ERROR) ** 2
    share = percent(round(worst.error_share, 2)) if worst.error_share < 1 else "100% or more"
    otherwise = draws.otherwise if worst.level >= 0.5 else "choose a higher level"
    advice = (
        f"--{draws.name} {rounded_up(needed)} would be enough"
        if needed <= draws.most
        else f"no practical number of them would be enough, so {otherwise}"
    )
    return [
        warning(
            f"{number} {draws.name} are few for {len(uncertain)} of {count(len(rows), 'interval')}:"
            f" the Monte Carlo error of a limit is up to {share} of the half-width ({worst.method} "
            f"{percent(worst.level)}, {visible(worst.measure)} of {visible(worst.run)}); {advice}"
        )
    ]


def never_told_apart(left_out: LeftOut, measure: str, unit: str = "topic") -> list[Notice]:
    """Return notices on how many pairs max-T leaves out and why; rows are of this `unit`.

    Nothing, if topics are too few for any pair.
    """
    if not left_out.enough_topics:
        return []
    notices = []
    if left_out.few_differences:
        verb = "differs" if left_out.few_differences == 1 else "differ"
        most = count(left_out.at_most, unit)
        topics = f"{'only' if left_out.at_most == 1 else 'at most'} {most}"
        notices.append(
            note(
                f"on {visible(measure)}, {count(left_out.few_differences, 'pair')} of runs {verb} "
                f"on {topics}: too few to distinguish them"
            )
        )
    if left_out.unbounded:
        verb = "differs" if left_out.unbounded == 1 else "differ"
        notices.append(
            note(
                f"on {visible(measure)}, {count(left_out.unbounded, 'pair')} of runs {verb} by the "
                f"same amount on nearly all {unit}s: how the difference varies cannot be seen, so "
                "max-t does not distinguish them"
            )
        )
    return notices


def too_few_topics(measure: str, topics: int, level: float, unit: str = "topic") -> Notice:
    """Return a note that max-T has no limits for any pair; rows are of this `unit`."""
    return note(
        f"on {visible(measure)}, {count(topics, unit)} are too few for max-t at {percent(level)}"
    )


def too_few_draws(measure: str, share: float, draws: int) -> list[Notice]:
    """Warn if max-T decides by limits that no row shows, and that other draws would put elsewhere.

    `share` is their Monte Carlo error as a share of the half-width.
    """
    if share <= LARGEST_ERROR:
        return []
    needed = rounded_up(3 * draws * (share / LARGEST_ERROR) ** 2)
    return [
        warning(
            f"{draws} draws are few to distinguish runs on {visible(measure)}: the Monte Carlo "
            f"error of simultaneous limits is about {percent(round(min(share, 1.0), 2))} of the "
            "half-width",
            what_to_do=f"--draws {needed} would be enough",
        )
    ]
