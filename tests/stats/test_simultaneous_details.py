"""Corners of max-T that few scores come to: no variance, rounding, many pairs at a time."""

import math

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.parallel import Local
from confint_cli.scores.design import PLAIN, Design
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.simultaneous import LeftOut, MaxT, at_once, max_t
from tests.stats.significance.test_references import some_scores
from tests.stats.test_simultaneous import at, statistic

# Resamples without variance


def in_two(topics: int, collections: bool) -> Design:
    return Design((3 * topics // 8, topics - 3 * topics // 8)) if collections else PLAIN


@pytest.mark.parametrize("collections", [False, True], ids=["topics", "collections"])
@pytest.mark.parametrize("off", [0.05, 3e-6], ids=["far off", "hardly off"])
def test_resamples_without_variance_are_infinite(off: float, collections: bool) -> None:
    """Differences are one number on 99 of 104 topics, which is not their mean."""
    random, topics, runs, number = np.random.default_rng(0), 104, 9, 3000
    design = in_two(topics, collections)
    values, varies = np.zeros((topics, runs)), np.zeros((topics, runs), dtype=bool)
    for run in range(1, runs):
        where = random.choice(topics, 5, replace=False)
        varies[where, run] = True
        own = random.uniform(-1, 1, 5)
        values[where, run] = own - own.mean() + topics / 5 * off * random.uniform(0.7, 1.3)
        values[:, run] += random.random()
    found = max_t(values, Pairs.against([0], runs), 0.5, Drawing(number, 1), design=design)
    assert np.isfinite(found.scale).all()
    counts = np.vstack(list(Resamples(topics, number, 1, design.strata).counts()))
    lacking = (counts @ varies[:, 1:] == 0).any(axis=1)
    assert 50 < lacking.sum() < number / 2
    assert np.count_nonzero(np.isinf(found.largest)) == lacking.sum()
    assert not np.isnan(found.largest).any()


@pytest.mark.parametrize("collections", [False, True], ids=["topics", "collections"])
@pytest.mark.parametrize(("noise", "off"), [(1e-6, 0.0), (1e-8, 0.0), (1e-9, 1.5e-7)])
def test_where_all_topics_vary_no_resample_is_infinite_for_rounding(
    noise: float, off: float, collections: bool
) -> None:
    """4% of resamples lack the three large differences, beside which others are next to 0."""
    random, topics = np.random.default_rng(2), 40
    differences = random.normal(0, noise, topics)
    differences -= differences.mean() - off
    differences[[3, 17, 30]] = 0.4 - topics * off / 2, 0.4 - topics * off / 2, -0.8
    values = np.stack([differences, np.zeros(topics)], axis=1)
    found = max_t(values, Pairs.all(2), 0.5, Drawing(2000, 3), design=in_two(topics, collections))
    assert np.isfinite(found.largest).all()
    assert np.isfinite(found.half).all()
    if noise == 1e-6:  # more than rounding
        assert (found.largest > 0).all()


@pytest.mark.parametrize("design", [PLAIN, Design((12, 8))], ids=["topics", "collections"])
def test_pairs_are_kept_while_resamples_without_variance_are_at_most_so_probable(
    design: Design,
) -> None:
    """Six of 12 topics are lacking in 1/4096, a tenth of α at the level of 1 - 10/4096."""
    topics = sum(design.strata) or 12
    values = np.zeros((topics, 2))
    values[:6, 0] = np.linspace(0.1, 0.3, 6)
    for alpha, kept in ((10 / 4096, True), (10 / 4096 * (1 - 1e-6), False)):
        found = max_t(values, Pairs.all(2), 1 - alpha, Drawing(99, 0), design=design)
        assert found.few_differences.tolist() == [not kept]
        assert found.counted(Pairs.all(2)) == LeftOut(int(not kept), 0 if kept else 6, 0, True)


# Errors of scales, and limits at 0


@pytest.mark.parametrize("number", [99, 199, 625, 999])
def test_the_error_of_a_scale_is_half_the_way_between_its_neighbours(number: int) -> None:
    """Those a standard deviation of their number away; where that is infinite, s itself."""
    values = some_scores(12, 6, seed=4) ** 4
    values[4:, 5] = values[4:, 0]  # 0.8% of resamples have no variance
    pairs, seed = Pairs.all(6), 7
    found = max_t(values, pairs, 0.5, Drawing(number, seed))
    drawn = [
        np.repeat(np.arange(12), counts.astype(int))
        for chunk in Resamples(12, number, seed).counts()
        for counts in chunk
    ]
    place = math.ceil(round(0.99 * (number + 1), 9)) - 1
    off = max(1, round(math.sqrt(0.99 * 0.01 * number)))
    beyond, infinite, least = 0, 0, stats.t.ppf(0.995, 11)
    for pair, (run, baseline) in enumerate(zip(pairs.run, pairs.baseline, strict=True)):
        d = np.round(values[:, run] - values[:, baseline], 12)
        t = np.array([statistic(d[own], d.mean()) for own in drawn])
        assert found.scale[pair] == pytest.approx(max(at(0.99, t), least), rel=1e-6)
        if np.isinf(found.scale[pair]):
            assert found.scale_error[pair] == 0
            continue
        in_order = np.sort(np.maximum(t, least))
        farther, nearer = in_order[min(place + off, number - 1)], in_order[place - off]
        if np.isinf(farther):
            farther, infinite = 2 * in_order[place], infinite + 1
        beyond += farther > nearer
        assert found.scale_error[pair] == pytest.approx((farther - nearer) / 2, rel=1e-5, abs=1e-9)
    assert beyond > 5
    assert infinite == (number == 199)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("nearer", "end"), [(1e-12, 0.0), (0.01, 0.003), (-0.01, -0.003)])
def test_a_limit_that_only_rounding_puts_beyond_0_is_0(
    nearer: float, end: float, sign: int
) -> None:
    """λ, reached by two of nine resamples, is nearer to 0 than t by this share of it."""
    critical = (1 - nearer) * 0.3 / 0.1 / 3
    found = MaxT(
        level=0.8, difference=np.array([sign * 0.3]), se=np.array([0.1]), scale=np.array([3.0]),
        differing=np.array([10]), few_differences=np.array([False]),
        scale_error=np.zeros(1), largest=np.array([0.1] * 7 + [critical] * 2), own=None,
        enough_topics=True,
    )  # fmt: skip
    limits = found.limits()
    beside_0, other = (sign * float(array[0, 0]) for array in (limits.low, limits.high)[::sign])
    assert beside_0 == pytest.approx(end, abs=1e-9 if end else 0)
    assert other == pytest.approx(0.6 - 0.3 * nearer)
    assert found.told.tolist() == (found.p <= 0.2).tolist() == [end > 0]


def test_runs_have_critical_values_of_their_own_only_where_these_are_asked_for() -> None:
    """They take memory for all resamples of all runs."""
    values = some_scores(20, 3, seed=1)
    assert max_t(values, Pairs.all(3), 0.9, Drawing(99, 0)).own is None


# Work in blocks and threads


def some_pairs() -> Paired:
    return Paired(some_scores(20, 7, seed=3), Pairs.all(7))


@pytest.mark.parametrize(("cells", "steps"), [(1 << 18, 6), (2 * 99, 12), (50, 21)])
@pytest.mark.parametrize("jobs", [1, 3])
def test_progress_begins_at_0_never_goes_back_and_ends_when_all_is_done(
    jobs: int, cells: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is the pairs of one of six baselines, 1 to 6 of them, or two of these, or one."""
    # Patched: so much work that it is cut by itself would take minutes.
    monkeypatch.setattr("confint_cli.stats.simultaneous._CELLS", cells)
    seen: list[float] = []
    at_once(some_pairs(), (0.8, 0.95), Drawing(99, 0, Local(jobs)),
            progress=lambda done, total: seen.append(done / total))  # fmt: skip
    assert (seen[0], seen[-1]) == (0, 1)
    assert seen == sorted(seen)
    assert len(set(seen)) == 1 + 2 * steps


def test_an_error_of_one_thread_ends_all_of_them_and_is_raised() -> None:
    def fail(done: int, _total: int) -> None:
        if done:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        at_once(some_pairs(), (0.9,), Drawing(99, 0, Local(3)), progress=fail)
