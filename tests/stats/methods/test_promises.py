"""What every interval method promises, by name: a new file in methods/ is held to it as it is."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confint_cli.common.parallel import Local
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.methods import usual_methods
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample

METHODS = usual_methods()

each = pytest.mark.parametrize("name", METHODS)
each_free = pytest.mark.parametrize("name", [m for m, one in METHODS.items() if not one.accepts])
each_bootstrap = pytest.mark.parametrize("name", [m for m, one in METHODS.items() if one.resamples])


def scores_for(name: str, topics: int, columns: int) -> np.ndarray:
    """Skewed scores that the method is fit for."""
    values = np.random.default_rng(2014).beta(0.5, 1.5, (topics, columns))
    if METHODS[name].refuses(values) is not None:
        values = (values > np.median(values)).astype(float)
        assert METHODS[name].refuses(values) is None, "teach this test what scores it is for"
    return values


def intervals(
    values: np.ndarray, name: str, levels: Sequence[float] = (0.95,), b: int = 999, seed: int = 0
) -> Limits:
    return found(values, name, levels, b, seed).limits[name]


def found(
    values: np.ndarray, name: str, levels: Sequence[float] = (0.95,), b: int = 999, seed: int = 0
) -> Estimate:
    return estimate(Sample(values), Estimation((name,), tuple(levels), b, seed))


@each
def test_a_matrix_gives_what_a_loop_over_its_columns_gives(name: str) -> None:
    values = scores_for(name, 30, 7)
    together = intervals(values, name, (0.9, 0.99))
    for column in range(7):
        alone = intervals(values[:, [column]], name, (0.9, 0.99))
        for ours, theirs in zip(together.parts, alone.parts, strict=True):
            np.testing.assert_array_equal(ours[:, [column]], theirs)  # to the last bit


@each
def test_columns_beyond_the_memory_for_one_pass_get_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = scores_for(name, 20, 9)
    at_once = intervals(values, name)
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.estimate._REPLICATES", 2000)  # two columns of 999
    monkeypatch.setattr("confint_cli.stats.estimate._KEPT_COUNTS", 0)
    monkeypatch.setattr("confint_cli.stats.random._CELLS", 700)  # 35 resamples
    in_parts = intervals(values, name)
    for ours, theirs in zip(at_once.parts, in_parts.parts, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_progress_counts_every_resample_once_and_ends_when_all_are_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.estimate._REPLICATES", 2000)
    monkeypatch.setattr("confint_cli.stats.random._CELLS", 4000)  # 200 resamples
    seen: list[tuple[int, int]] = []
    estimate(
        Sample(scores_for("bca", 20, 9)),
        Estimation(("bca",), (0.95,), 999, workers=Local(3)),
        lambda done, total: seen.append((done, total)),
    )
    assert seen[0] == (0, 5 * 999)
    assert seen[-1] == (5 * 999, 5 * 999)
    assert len(seen) == 1 + 5 * 5
    assert seen == sorted(seen)


def test_counts_that_are_kept_are_those_drawn_however_many_topics_there_are() -> None:
    for topics in (3, 255, 256, 700):
        resamples = Resamples(topics, 40, 1)
        kept, drawn = np.vstack(resamples.in_few_bytes()), np.vstack(list(resamples.counts()))
        np.testing.assert_array_equal(kept, drawn)
        assert kept.itemsize == (1 if topics < 256 else 2)


@each
def test_identical_columns_get_identical_intervals_wherever_they_stand(name: str) -> None:
    values = scores_for(name, 50, 774)
    values[:, [0, 387, 773]] = values[:, [5]]
    for part in intervals(values, name).parts:
        assert len({*part[0, [0, 5, 387, 773]].tolist()}) == 1


@each_free
@pytest.mark.parametrize(
    ("shift", "scale"),
    [
        (0.3, 1.0),
        (-2.0, 7.0),
        (0.0, 1e-6),
        (1.0, -1.0),
        (1e3, 1.0),
        (1e6, 1.0),
        (0.0, 1e-90),
        (0.0, 1e90),
    ],
)
def test_shifting_and_scaling_does_the_same_to_the_interval(
    name: str, shift: float, scale: float
) -> None:
    values = scores_for(name, 25, 4)
    values[:, :2] = np.floor(values[:, :2] * 4) / 4  # coarse: many resamples have the same mean
    before, after = intervals(values, name), intervals(shift + scale * values, name)
    ends = [shift + scale * before.low, shift + scale * before.high]
    errors = [abs(scale) * before.low_error, abs(scale) * before.high_error]
    low, high = ends if scale > 0 else ends[::-1]
    allowed = 1e-9 * abs(scale) + 1e-15 * abs(shift)
    np.testing.assert_allclose(after.low, low, rtol=0, atol=allowed)
    np.testing.assert_allclose(after.high, high, rtol=0, atol=allowed)
    low_error, high_error = errors if scale > 0 else errors[::-1]
    np.testing.assert_allclose(after.low_error, low_error, rtol=0, atol=allowed)
    np.testing.assert_allclose(after.high_error, high_error, rtol=0, atol=allowed)


@each
def test_a_higher_level_contains_a_lower_one(name: str) -> None:
    limits = intervals(scores_for(name, 15, 20), name, (0.5, 0.8, 0.9, 0.95, 0.99), b=1999)
    assert (np.diff(limits.low, axis=0) < 0).all()
    assert (np.diff(limits.high, axis=0) > 0).all()


@each_bootstrap
@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_gives_the_same_interval(name: str, seed: int) -> None:
    values = scores_for(name, 30, 3)
    first, again = (intervals(values, name, seed=seed) for _ in range(2))
    np.testing.assert_array_equal(first.low, again.low)
    np.testing.assert_array_equal(first.high, again.high)
    other = intervals(values, name, seed=seed + 1)
    assert (first.low != other.low).all()


@each
def test_it_covers_a_normal_mean_as_often_as_it_says(name: str) -> None:
    """Within four standard errors of the share; for proportions, it is theirs."""
    topics, samples, level = 200, 2000, 0.95
    values = np.random.default_rng(2010).normal(0.5, 0.1, (topics, samples))
    if METHODS[name].refuses(values) is not None:
        values = (values > 0.5).astype(float)
    limits = intervals(values, name, (level,), b=4999)
    share = ((limits.low <= 0.5) & (limits.high >= 0.5)).mean()
    assert share == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / samples))


@each
@pytest.mark.parametrize("value", [0.0, 1.0, 0.3])
def test_constant_scores_give_the_documented_answer(name: str, value: float) -> None:
    method = METHODS[name]
    values = np.full((12, 2), value)
    if method.refuses(values) is not None:
        pytest.skip(f"{name} is for {method.domain} only")
    result = found(values, name, (0.9, 0.95))
    assert result.doubts[name].tolist() == [[Doubt.NO_VARIANCE] * 2] * 2
    limits = result.limits[name]
    if method.constant_is_point:
        assert (limits.low == value).all()
        assert (limits.high == value).all()
    else:
        assert (limits.low <= value).all()
        assert (limits.high >= value).all()
        assert (limits.low < limits.high).all()


@each
def test_one_topic_gives_no_interval(name: str) -> None:
    result = found(np.ones((1, 2)), name)
    assert np.isnan(result.limits[name].low).all()
    assert np.isnan(result.limits[name].high).all()
    assert np.isnan(result.sd).all()
    assert result.doubts[name].tolist() == [[Doubt.ONE_TOPIC] * 2]


@each
def test_it_explains_itself(name: str) -> None:
    method = METHODS[name]
    assert method.interval.__doc__
    assert any(sign in method.interval.__doc__ for sign in "±αΦ√")
    assert any(sign in method.formula for sign in "±αΦ√")
    assert any(digit in method.reference for digit in "0123456789"), "the year"
    assert len(method.explanation) > 100, "say more in the explanation"
    assert method.summary[0].isalnum()
    assert len(method.summary) < 90


@each_bootstrap
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("zeros", [0, 25])
def test_the_monte_carlo_error_is_that_of_other_seeds(name: str, level: float, zeros: int) -> None:
    """The standard deviation of a limit over 150 seeds against what one call says of itself."""
    values = scores_for(name, 40, 6)
    values[:zeros] = 0
    calls = [intervals(values, name, (level,), b=1000, seed=seed) for seed in range(150)]
    for end, error in (("low", "low_error"), ("high", "high_error")):
        spread = np.std([getattr(call, end) for call in calls], axis=0, ddof=1)
        said = np.mean([getattr(call, error) for call in calls], axis=0)
        np.testing.assert_allclose(said / spread, 1, atol=0.3)


SCORES = arrays(
    np.float64,
    st.tuples(st.integers(2, 30), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 0.1, 0.25, 0.3333, 0.5, 1.0]) | st.floats(0, 1, width=32),
)


@each
@settings(max_examples=40, deadline=None)
@given(values=SCORES)
def test_any_scores_give_limits_in_order_or_a_doubt(name: str, values: np.ndarray) -> None:
    if METHODS[name].refuses(values) is not None:
        values = np.round(values)
    result = found(values, name, (0.8, 0.95), b=199)
    limits = result.limits[name]
    assert not np.isnan(limits.parts).any()
    assert (limits.low <= limits.high).all()
    if name in ("percentile", "bca", "logit", "wilson"):
        assert (limits.low >= 0).all()
        assert (limits.high <= 1).all()
    infinite = np.isinf(limits.low) | np.isinf(limits.high)
    np.testing.assert_array_equal(infinite, (result.doubts[name] & Doubt.UNBOUNDED) > 0)
    assert np.isfinite(limits.low_error).all()
    assert np.isfinite(limits.high_error).all()
