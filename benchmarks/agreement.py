"""That a peer does the same job as confint, before its time counts: else a ratio would be a lie."""

import math
from collections.abc import Mapping

from benchmarks.peers import Limits
from confint_cli.common.measures import canonical

RESAMPLES = 100_000  # for the check, so that chance moves a limit by little
TOLERANCE = 0.15
"""Standard errors by which limits may differ.

At so many resamples chance moves a percentile limit by 0.0085 standard errors, and the far limit of
a bootstrap-t by some 0.03; limits of different methods are 0.2 to 1 apart on the skewed scores that
the check is made with.
"""
_ROUNDING = 1.01e-4  # of scores with four decimals, which may be cut or rounded
_SHARE = 0.95  # of our scores that a peer has too; topics without documents may be left out

Scores = Mapping[tuple[str, str], float]  # of a run, by topic and measure


class DisagreementError(Exception):
    """A peer does another job."""


def check_limits(peer: str, ours: Limits, theirs: Limits, error: float) -> None:
    """Raise a DisagreementError unless the limits of each method that a peer has are ours."""
    if not theirs:
        raise DisagreementError(f"{peer} gave no limits")
    for method, limits in theirs.items():
        for own, other in zip(ours[method], limits, strict=True):
            if not abs(own - other) <= TOLERANCE * error:  # nan is no agreement either
                raise DisagreementError(
                    f"{peer}: a limit of {method} is {other:.5f}, ours {own:.5f}; they are "
                    f"{abs(own - other) / error:.2f} standard errors apart"
                )


def check_p(peer: str, ours: float, theirs: float, draws: int) -> None:
    """Raise a DisagreementError unless two p-values from so many random draws each may be one.

    Five standard errors of their difference; that of a two-sided one, found as twice the smaller
    tail, is the larger one.
    """
    error = math.sqrt(3 * ours / draws)
    if not abs(ours - theirs) <= 5 * error + 2 / draws:
        raise DisagreementError(f"{peer}: p is {theirs:.4f}, ours {ours:.4f}, of {draws} draws")


def check_scores(peer: str, ours: Scores, theirs: Scores) -> None:
    """Raise a DisagreementError unless a peer gave about every score that we gave, and the same."""
    if not theirs.keys() <= ours.keys() or len(theirs) < _SHARE * len(ours):
        strange = sorted(theirs.keys() - ours.keys())[:1]
        raise DisagreementError(
            f"{peer} has {len(theirs)} scores, we {len(ours)}; not ours: {strange}"
        )
    for key, score in theirs.items():
        if not abs(score - ours[key]) <= _ROUNDING:
            raise DisagreementError(f"{peer}: {' '.join(key)} is {score}, ours {ours[key]}")


def scores_in(text: str, places: tuple[int, int, int]) -> dict[tuple[str, str], float]:
    """Return the scores of a run that a tool printed, by topic and measure.

    `places` are the columns of topic, measure and score. Means over topics are left out, and so is
    a header.
    """
    topic, measure, score = places
    return {
        (row[topic], canonical(row[measure])): float(row[score])
        for row in (line.split() for line in text.splitlines())
        if row[topic] not in ("all", "topic")
    }
