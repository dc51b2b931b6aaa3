"""Scores and levels at the edge of all reason: no NaN, no warning, and an end."""

import numpy as np
import pytest
from scipy.special import ndtri

from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.sample import Sample
from tests.stats.ideal.longhand import METHODS, estimated

LEVELS = (0.05, 0.5, 0.95, 0.99999, 0.999999)
RANDOM = np.random.default_rng(2)
FINE, MILLION = RANDOM.random(30), 10**6
COLUMNS = {
    "constant": np.full(30, 0.3),
    "all zero": np.zeros(30),
    "constant but for the last bits": np.full(30, 0.1) + 1e-17 * np.arange(30),
    "two topics": np.array([0.2, 0.7]),
    "two equal topics": np.array([0.2, 0.2]),
    "three topics": np.array([0.0, 0.0, 0.4]),
    "one outlier": np.append(np.zeros(29), 1.0),
    "one outlier by far": np.append(FINE * 1e-12, 1.0),
    "one topic off": np.append(np.full(29, 0.5), 0.5001),
    "tiny": FINE * 1e-300,
    "tiny tenths": np.rint(FINE * 10) * 1e-300,
    "least": np.append(np.zeros(29), 5e-324),
    "huge": FINE * 1e300,
    "huge tenths": np.rint(FINE * 10) * 1e299,
    "huge, both signs": (FINE - 0.5) * 1e300,
    "negative": -FINE,
    "with an offset": 1e9 + FINE,
    "from tiny to huge": 10.0 ** np.arange(-150, 150, 10),
    "two clusters": np.concatenate([FINE * 1e-9, 1 + FINE * 1e-9]),
    "golden": (np.arange(40) * 0.6180339887) % 1,
}
LARGE = {
    "uniform": lambda: np.random.default_rng(1).random(MILLION),
    "0 and 1": lambda: (np.arange(MILLION) % 7 == 0).astype(float),
    "all zero but one": lambda: (np.arange(MILLION) == 5).astype(float),
    "tenths": lambda: np.random.default_rng(2).binomial(10, 0.3, MILLION) / 10,
    "heavy tail": lambda: np.random.default_rng(3).pareto(1.5, MILLION),
}


def check(scores: np.ndarray, levels: tuple[float, ...]) -> None:
    found = estimated(scores, levels)
    low_score, high_score = scores.min(), scores.max()
    for method in METHODS:
        low, high, *errors = found.limits[method].parts
        for part in (low, high, *errors):
            assert not np.isnan(part).any(), method
        assert (low <= high).all(), method
        assert (low[1:] <= low[:-1]).all(), method
        assert (high[1:] >= high[:-1]).all(), method
        if method in ("percentile", "bca"):
            assert low.min() >= low_score, method
            assert high.max() <= high_score, method
        if method != "bootstrap-t":
            assert np.isfinite([low, high]).all(), method
        if low_score == high_score:
            assert (low == low_score).all()
            assert (high == high_score).all()


@pytest.mark.parametrize("name", COLUMNS)
def test_hardly_reasonable_scores(name: str) -> None:
    check(COLUMNS[name], LEVELS)


@pytest.mark.parametrize("name", LARGE)
def test_a_million_topics(name: str) -> None:
    check(LARGE[name](), (0.95, 0.999))


@pytest.mark.parametrize("topics", [3_000, 30_000, 300_000, MILLION])
def test_means_of_very_many_topics_are_normal(topics: int) -> None:
    levels = np.array([0.95, 0.999])
    found = estimated(np.random.default_rng(topics).random(topics), tuple(levels))
    expected, most = ndtri((1 + levels) / 2)[:, None], 0.003 + 15 / topics
    for method in METHODS:
        limits = found.limits[method]
        np.testing.assert_allclose((limits.high - found.mean) / found.se, expected, atol=most)
        np.testing.assert_allclose((found.mean - limits.low) / found.se, expected, atol=most)


@pytest.mark.parametrize("level", LEVELS)
def test_extreme_levels_of_usual_scores(level: float) -> None:
    for scores in (FINE, np.rint(FINE * 10) / 10, (FINE > 0.8).astype(float), FINE[:6]):
        check(scores, (level,))


def test_logit_of_scores_at_the_bounds() -> None:
    for scores in (
        np.array([0.0, 1.0]),
        np.append(np.zeros(29), 1.0),
        np.append(np.ones(29), 0.0),
        np.zeros(5),
        np.ones(5),
        FINE,
        np.append(np.zeros(40), 1e-300),
    ):
        (limits,) = estimated(scores, LEVELS, ("logit",)).limits.values()
        assert not np.isnan(limits.parts).any()
        assert (np.array(limits.parts[:2]) >= 0).all()
        assert (np.array(limits.parts[:2]) <= 1).all()


def test_an_outlier_among_very_many_topics_does_not_swallow_the_others() -> None:
    """Without the outlier, in e⁻¹ of resamples, m* is that of the others, and little beside it."""
    scores = np.random.default_rng(0).random(100_000) * 1e-3
    scores[5] = 100.0
    found = estimate(Sample(scores[:, None]), Estimation(("percentile",), (0.95,)))
    low = float(found.limits["percentile"].low[0, 0])
    others = float(scores.mean() - 100 / len(scores))
    assert abs(low - others) < 0.02 * float(found.se[0])
