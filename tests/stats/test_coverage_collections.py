"""Coverage of intervals over several collections: against simulation longhand, and its promises."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.parallel import ALONE, Local, Workers
from confint_cli.stats.coverage import Simulation, Tally
from confint_cli.stats.coverage_strata import (
    OF_TOPICS,
    POOLED,
    Population,
    naive_methods,
    tallies_over_collections,
)
from confint_cli.stats.estimate import Estimation
from tests.stats.longhand_collections import mean_se_df, some_parts, t_interval

SIZES = (12, 40, 90, 25, 300, 15)


def populations(number: int = 1, sizes: Sequence[int] = SIZES) -> list[Population]:
    """Runs whose scores are lower in larger collections."""
    found = []
    for run in range(number):
        parts = some_parts(run, sizes, "tenths")
        moved = [part * 0.5 + 0.5 / np.log2(len(part)) for part in parts]
        found.append(Population(f"run{run}", "map", tuple(moved)))
    return found


def tally(
    runs: Sequence[Population],
    methods: Sequence[str] = ("t",),
    replicates: int = 400,
    size: int | None = None,
    *,
    new_collections: bool = False,
    resamples: int | None = None,
    levels: Sequence[float] = (0.95,),
    seed: int = 0,
    workers: Workers = ALONE,
) -> Tally:
    estimation = Estimation(tuple(methods), tuple(levels), resamples, seed, workers=workers)
    populations = [replace(run, new_collections=new_collections) for run in runs]
    return tallies_over_collections(populations, estimation, Simulation(replicates), size)


def covered(found: Tally, replicates: int) -> np.ndarray:
    """[run, method, level]"""
    return np.einsum("rmml->rml", found.covered) / replicates


def is_within(share: float, least: float, most: float, trials: int) -> bool:
    low, high = stats.binom.ppf(0.001, trials, least), stats.binom.ppf(0.999, trials, most)
    return bool(low <= share * trials <= high)


def test_t_covers_about_as_often_as_it_says_and_pooled_topics_far_too_seldom() -> None:
    replicates = 1000
    runs = populations(3)
    found = covered(tally(runs, replicates=replicates, levels=(0.8, 0.95)), replicates)
    assert found.shape == (3, 2, 2)
    for run in range(3):
        for level, nominal in enumerate((0.8, 0.95)):
            t, pooled = found[run, :, level]
            assert is_within(t, nominal - 0.02, nominal + 0.02, replicates)
            assert pooled < 0.5


@pytest.mark.slow
def test_shares_are_those_of_a_simulation_longhand() -> None:
    """Samples drawn and judged one by one, of t and of pooled topics; three standard errors."""
    (population,) = populations(1, (6, 30, 10))
    replicates, truth = 4000, np.mean([part.mean() for part in population.parts])
    assert population.truth == pytest.approx(truth)
    found = tally([population], replicates=replicates, seed=1)
    random = np.random.default_rng(5)
    ends = {"t": [], POOLED: []}
    for _ in range(replicates):
        drawn = [random.choice(part, len(part)) for part in population.parts]
        together = np.concatenate(drawn)
        ends["t"].append(t_interval(drawn, 0.95))
        half = stats.t.ppf(0.975, len(together) - 1) * stats.sem(together)
        ends[POOLED].append((together.mean() - half, together.mean() + half))
    for place, name in enumerate(("t", POOLED)):
        low, high = np.array(ends[name]).T
        expected = {
            "covered": np.mean((low <= truth) & (truth <= high)),
            "too_high": np.mean(low > truth), "too_low": np.mean(high < truth),
        }  # fmt: skip
        ours = {
            "covered": found.covered[0, place, place, 0], "too_high": found.too_high[0, place, 0],
            "too_low": found.too_low[0, place, 0],
        }  # fmt: skip
        for what, share in expected.items():
            error = np.sqrt(2 * max(share * (1 - share), 1e-3) / replicates)
            assert ours[what] / replicates == pytest.approx(share, abs=4 * error), (name, what)
        width = found.width[0, place, 0] / replicates
        assert width == pytest.approx(np.mean(high - low), rel=0.03)


@pytest.mark.long
def test_shares_for_new_collections_are_those_of_a_simulation_longhand() -> None:
    (population,) = populations(1, (6, 30, 10, 14))
    replicates, number = 4000, len(population.parts)
    truth = population.truth
    found = tally([population], replicates=replicates, new_collections=True, seed=1)
    random = np.random.default_rng(6)
    inside = {"t": 0, OF_TOPICS: 0, POOLED: 0}
    for _ in range(replicates):
        chosen = random.integers(number, size=number)
        drawn = [random.choice(population.parts[k], len(population.parts[k])) for k in chosen]
        means = np.array([part.mean() for part in drawn])
        together = np.concatenate(drawn)
        halves = {
            "t": stats.t.ppf(0.975, number - 1) * stats.sem(means),
            POOLED: stats.t.ppf(0.975, len(together) - 1) * stats.sem(together),
        }
        _, se, df = mean_se_df(drawn)
        halves[OF_TOPICS] = stats.t.ppf(0.975, df) * se
        for name, half in halves.items():
            centre = together.mean() if name == POOLED else means.mean()
            inside[name] += abs(centre - truth) <= half
    shares = covered(found, replicates)[0, :, 0]
    for name, share in zip(("t", OF_TOPICS, POOLED), shares, strict=True):
        expected = inside[name] / replicates
        error = np.sqrt(2 * expected * (1 - expected) / replicates)
        assert share == pytest.approx(expected, abs=4 * error), name


def test_for_new_collections_topics_alone_cover_too_seldom() -> None:
    replicates = 600
    runs = populations(2, (12, 40, 90, 25, 300, 15, 8, 60, 33, 150))
    found = covered(tally(runs, replicates=replicates, new_collections=True), replicates)
    assert found.shape == (2, 3, 1)
    for t, topics, pooled in found[:, :, 0]:
        assert is_within(t, 0.9, 0.98, replicates)
        assert topics < 0.85
        assert pooled < 0.6
        assert pooled < topics < t


@pytest.mark.parametrize("new_collections", [False, True])
def test_any_number_of_workers_counts_the_same(new_collections: bool) -> None:
    runs = populations(2, (6, 15, 9))
    methods = ("t",) if new_collections else ("t", "percentile", "bootstrap-t")
    one, two = (
        tally(runs, methods, 120, resamples=99, new_collections=new_collections,
              workers=Local(jobs))
        for jobs in (1, 2)
    )  # fmt: skip
    for name in ("covered", "too_high", "too_low", "width"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name


def test_runs_do_not_change_one_another_and_seeds_do() -> None:
    runs = populations(3, (6, 15, 9))
    together = tally(runs, replicates=130)
    for place in range(3):
        alone = tally([runs[place]], replicates=130)
        assert alone.width[0].tobytes() == together.width[place].tobytes()
        assert alone.covered[0].tolist() == together.covered[place].tolist()
    assert tally(runs, replicates=130, seed=1).width.tolist() != together.width.tolist()


def test_all_samples_are_counted_once() -> None:
    """Of a number that is no multiple of those drawn together."""
    for new_collections in (False, True):
        found = tally(populations(1), replicates=123, new_collections=new_collections)
        judged = np.einsum("rmml->rml", found.covered) + found.too_high + found.too_low
        assert (judged == 123).all()


def test_samples_of_another_size_have_as_many_topics_of_each_collection() -> None:
    """Four times the topics halve the width; samples with 2 topics of each are wide."""
    runs = populations(1)
    widths = [
        tally(runs, replicates=400, size=size).width[0, 0, 0] / 400 for size in (2, 10, 40, 160)
    ]
    assert widths[0] > 2 * widths[1]
    assert widths[1] / widths[2] == pytest.approx(2, rel=0.15)
    assert widths[2] / widths[3] == pytest.approx(2, rel=0.05)
    replicates = 1000
    found = covered(tally(runs, replicates=replicates, size=10), replicates)[0, :, 0]
    assert is_within(found[0], 0.92, 0.97, replicates)
    # Of equally large collections, pooled topics have the right mean, but too large a variance.
    assert found[1] >= found[0]


@pytest.mark.slow
@pytest.mark.parametrize("resamples", [None, 499])
def test_bootstrap_intervals_cover_about_as_often_as_they_say(resamples: int | None) -> None:
    replicates = 400
    methods = ("t", "percentile", "basic", "bca", "bootstrap-t")
    found = tally(populations(1, (12, 40, 25)), methods, replicates, resamples=resamples)
    shares = covered(found, replicates)[0, :, 0]
    assert len(shares) == 6
    for name, share in zip(methods, shares, strict=False):
        assert is_within(share, 0.9, 0.975, replicates), name
    assert shares[-1] < shares[0]


def test_the_ideal_bootstrap_is_that_of_many_resamples() -> None:
    """Sample by sample nearly the same: the same samples are drawn."""
    runs = populations(1, (12, 40, 25))
    methods = ("percentile", "basic", "bca")
    ideal, drawn = (tally(runs, methods, 100, resamples=resamples) for resamples in (None, 4999))
    np.testing.assert_allclose(ideal.width[0, :3, 0], drawn.width[0, :3, 0], rtol=0.01)
    off = np.abs(covered(ideal, 100) - covered(drawn, 100))[0, :3, 0]
    assert off.max() <= 0.02
    assert ideal.width[0, 3, 0] == drawn.width[0, 3, 0]


def test_scores_without_variance_are_covered() -> None:
    """The mean of means is not exact in the last bits, and is the truth nevertheless."""
    parts = (np.full(7, 0.1), np.full(11, 0.7), np.full(30, 0.3))
    for new_collections in (False, True):
        found = tally([Population("run", "map", parts)], replicates=100,
                      new_collections=new_collections)  # fmt: skip
        if not new_collections:
            assert found.covered[0, 0, 0, 0] == 100
            assert found.width[0, 0, 0] == 0
        assert (found.covered[0, 0, 0] + found.too_high[0, 0] + found.too_low[0, 0] == 100).all()


def test_naive_intervals_have_names() -> None:
    assert naive_methods(new_collections=False) == (POOLED,)
    assert naive_methods(new_collections=True) == (OF_TOPICS, POOLED)
