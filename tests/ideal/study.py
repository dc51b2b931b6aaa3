"""How far limits are from the truth, in standard errors of the mean, by the worse of both ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.parallel import ALONE
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.sample import Sample
from tests.ideal.columns import Scores
from tests.ideal.truth import LEVELS, RESAMPLES, Truth, difference, truths

METHODS = ("percentile", "basic", "bca", "bootstrap-t")


@dataclass(frozen=True)
class Found:
    """What is found of one column; errors are in standard errors of the mean."""

    scores: Scores
    errors: dict[str, np.ndarray]  # by method, [level]
    drawn: dict[str, np.ndarray]  # the same of 10,000 resamples, the median of 100 seeds
    truth_errors: np.ndarray  # [level]: Monte Carlo standard errors of the truth, bootstrap-t's
    resampled: bool  # whether bootstrap-t was
    share_check: np.ndarray  # [end]: how many standard errors resamples are off the convolution


def study(columns: Sequence[Scores], seed: int = 1, number: int = RESAMPLES) -> list[Found]:
    """Return what is found of columns that all have as many topics."""
    ours = estimate(
        Sample(np.stack([one.values for one in columns], axis=1)),
        Estimation(METHODS, LEVELS, workers=ALONE),
    )
    known = truths([one.whole for one in columns], seed, number)
    return [
        _found(scores, truth, ours.columns(place, place + 1))
        for place, (scores, truth) in enumerate(zip(columns, known, strict=True))
    ]


def _found(scores: Scores, truth: Truth, ours: Estimate) -> Found:
    mirrored = -truth.percentile[:, ::-1]
    studentized = -truth.ratios[:, ::-1]  # m - z*·se, in standard errors from m
    expected = dict(zip(METHODS, (truth.percentile, mirrored, truth.bca, studentized), strict=True))
    errors = {}
    for name, ends in expected.items():
        limits = ours.limits[name]
        own = (np.hstack([limits.low, limits.high]) - ours.mean) / ours.se
        errors[name] = np.abs(difference(own, ends)).max(axis=1)
    drawn = (truth.percentile_drawn, truth.percentile_drawn, truth.bca_drawn, truth.ratios_drawn)
    return Found(
        scores,
        errors,
        dict(zip(METHODS, drawn, strict=True)),
        truth.ratio_errors.max(axis=1),
        bool(ours.doubts["bootstrap-t"][0, 0] & Doubt.RESAMPLED),
        truth.share_check,
    )
