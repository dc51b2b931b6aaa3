"""Rows of intervals, and what to say of limits that are uncertain, or that there are not.

Other random numbers may put limits elsewhere; max-T has none for some pairs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confint_cli.common.errors import Notice, note, warning
from confint_cli.common.text import count, visible
from confint_cli.common.words import percent, rounded_up
from confint_cli.stats.flags import DoubtArray
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.simultaneous import LeftOut
from confint_cli.studies.draws import RESAMPLES, RandomDraws

LARGEST_ERROR = 0.05  # of a limit, as a share of the half-width, before we warn


@dataclass(frozen=True)
class Bounded:
    """What every row of an interval has."""

    measure: str
    run: str
    method: str
    level: float
    low: float
    high: float
    note: str
    error: float  # the Monte Carlo error of the less certain limit

    @property
    def error_share(self) -> float:
        """The Monte Carlo error as a share of the half-width."""
        half = (self.high - self.low) / 2
        return self.error / half if half > 0 else 0.0


def intervals_of(
    column: int,
    limits: Mapping[str, Limits],
    doubts: Mapping[str, DoubtArray],
    levels: Sequence[float],
) -> Iterator[dict[str, Any]]:
    """Yield what a row has of each interval of one column, by each method at each level."""
    for method, own in limits.items():
        for place, level in enumerate(levels):
            here = (place, column)
            yield {
                "method": method,
                "level": level,
                "low": float(own.low[here]),
                "high": float(own.high[here]),
                "error": float(max(own.low_error[here], own.high_error[here])),
                "doubts": int(doubts[method][here]),
            }


def largest_error(rows: Sequence[Bounded]) -> float:
    """Return the largest Monte Carlo error."""
    return max(row.error for row in rows)


def too_uncertain(
    rows: Sequence[Bounded], number: int, draws: RandomDraws = RESAMPLES
) -> list[Notice]:
    """Warn of limits that other random numbers, of which there are so many, would put elsewhere."""
    uncertain = [row for row in rows if row.error_share > LARGEST_ERROR]
    if not uncertain:
        return []
    worst = max(uncertain, key=lambda row: row.error_share)
    # The error is an estimate too: thrice as many make sure that it is not found too large again.
    needed = 3 * number * (worst.error_share / LARGEST_ERROR) ** 2
    share = percent(round(worst.error_share, 2)) if worst.error_share < 1 else "100% and more"
    otherwise = draws.otherwise if worst.level >= 0.5 else "choose a higher level"
    advice = (
        f"--{draws.name} {rounded_up(needed)} would do"
        if needed <= draws.most
        else f"no practical number of them would do, so {otherwise}"
    )
    return [
        warning(
            f"{number} {draws.name} are few for {len(uncertain)} of {count(len(rows), 'interval')}:"
            f" the Monte Carlo error of a limit is up to {share} of the half-width ({worst.method} "
            f"{percent(worst.level)}, {visible(worst.measure)} of {visible(worst.run)}); {advice}"
        )
    ]


def never_told_apart(left_out: LeftOut, measure: str) -> list[Notice]:
    """Say how many there are; if topics are too few for all pairs, that is for others to say."""
    if not left_out.enough_topics:
        return []
    notices = []
    if left_out.few_differences:
        verb = "differs" if left_out.few_differences == 1 else "differ"
        topics = "1 topic only" if left_out.at_most == 1 else f"{left_out.at_most} topics at most"
        notices.append(
            note(
                f"by {visible(measure)}, {count(left_out.few_differences, 'pair')} of runs {verb} "
                f"on {topics}: too few to tell apart"
            )
        )
    if left_out.unbounded:
        verb = "differs" if left_out.unbounded == 1 else "differ"
        notices.append(
            note(
                f"by {visible(measure)}, {count(left_out.unbounded, 'pair')} of runs {verb} by the "
                "same on nearly all topics: how the difference varies cannot be seen, so max-t "
                "does not tell them apart"
            )
        )
    return notices


def too_few_topics(measure: str, topics: int, level: float) -> Notice:
    """Say that max-T has no limits at all."""
    return note(
        f"by {visible(measure)}, {count(topics, 'topic')} are too few for max-t at {percent(level)}"
    )


def too_few_draws(measure: str, share: float, draws: int) -> list[Notice]:
    """Warn of limits that other random numbers would put elsewhere, if they are not shown."""
    if share <= LARGEST_ERROR:
        return []
    needed = rounded_up(3 * draws * (share / LARGEST_ERROR) ** 2)
    return [
        warning(
            f"{draws} draws are few to tell runs apart by {visible(measure)}: the Monte Carlo "
            f"error of simultaneous limits is some {percent(round(min(share, 1.0), 2))} of the "
            f"half-width; --draws {needed} would do"
        )
    ]
