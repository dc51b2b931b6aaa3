"""Coverage of intervals over groups and repeats: against `Sample`, longhand, and its promises."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.parallel import ALONE, Local, Workers
from confint_cli.stats.coverage import Simulation, Tally
from confint_cli.stats.coverage_designs import Judged, Population, judged, tallies_of_design
from confint_cli.stats.coverage_groups import GroupPopulation
from confint_cli.stats.coverage_repeats import NAIVE_OF_REPEATS, RepeatPopulation, two_way
from confint_cli.stats.coverage_strata import tallies_over_collections
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.matrices import sample_of as sample_of_matrix
from confint_cli.stats.sample import Sample
from tests.stats.test_collections_simulated import is_within
from tests.stats.test_groups import (
    UNEVEN,
    cr2,
    estimated,
    sample_of,
    some_scores,
    split,
    t_ends,
)
from tests.stats.test_repeats import matrix_in_repeats, some_table
from tests.stats.test_repeats import two_way as two_way_longhand

TALKS = (8, 12, 5, 9, 7, 11, 6, 10, 8, 9, 7, 13, 8, 6, 9, 10, 7, 8, 5, 12, 3, 1)


def in_groups(
    seed: int = 0, sizes: Sequence[int] = TALKS, *, equal: bool = False
) -> GroupPopulation:
    values = some_scores(seed, sizes)
    parts = split(values, sizes)
    return GroupPopulation(
        f"run{seed}",
        "map",
        np.array([own.sum() for own in parts]),
        np.array([(own**2).sum() for own in parts]),
        np.array(sizes, dtype=float),
        equal,
    )


def in_repeats(seed: int = 0, topics: int = 40, repeats: int = 6) -> RepeatPopulation:
    return RepeatPopulation(f"run{seed}", "map", some_table(seed, topics, repeats, 0.3))


def tally(
    runs: Sequence[Population],
    methods: Sequence[str] = ("t",),
    replicates: int = 400,
    size: int | None = None,
    *,
    kind: str = "groups",
    resamples: int | None = None,
    levels: Sequence[float] = (0.95,),
    seed: int = 0,
    workers: Workers = ALONE,
) -> Tally:
    estimation = Estimation(tuple(methods), tuple(levels), resamples, seed, workers=workers)
    return tallies_of_design(kind, runs, estimation, Simulation(replicates), size)


def covered(found: Tally, replicates: int) -> np.ndarray:
    """[run, method, level]"""
    return np.einsum("rmml->rml", found.covered) / replicates


class Drawn(np.random.Generator):
    """Random numbers that say which places were drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.drawn: list[np.ndarray] = []

    def random(self, size: tuple[int, ...]) -> np.ndarray:  # type: ignore[override]
        self.drawn.append(super().random(size))
        return self.drawn[-1]


def places(numbers: np.ndarray, among: int) -> np.ndarray:
    """[sample, drawn]"""
    return (numbers * among).astype(int)


# Sample by sample


@pytest.mark.parametrize("equal", [False, True], ids=["size", "equal"])
@pytest.mark.parametrize("size", [None, 6])
def test_samples_of_groups_are_judged_by_the_interval_of_each(
    equal: bool, size: int | None
) -> None:
    """By CR2 or t of groups' means, and by t of all topics; each sample written out."""
    values, sizes = some_scores(3, UNEVEN), UNEVEN
    population, random = in_groups(3, UNEVEN, equal=equal), Drawn(1)
    parts = split(values, sizes)
    truth = np.mean([own.mean() for own in parts]) if equal else values.mean()
    assert population.truth == pytest.approx(truth)
    estimation = Estimation(("t",), (0.6, 0.9), workers=ALONE)
    too_high, too_low, width = population.judge(random, 40, size, estimation)
    assert too_high.shape == (2, 2, 40)
    (numbers,) = random.drawn
    outside = 0
    for sample, drawn in enumerate(places(numbers, len(sizes))):
        assert len(drawn) == (size or len(sizes))
        topics = np.concatenate([parts[place] for place in drawn])
        own_sizes = [sizes[place] for place in drawn]
        for level, nominal in enumerate((0.6, 0.9)):
            ours = t_ends(estimated(sample_of(topics, own_sizes, equal=equal), levels=[nominal]))
            naive = stats.ttest_1samp(topics, 0).confidence_interval(nominal)
            for method, (low, high) in enumerate((ours, (naive.low, naive.high))):
                assert too_high[method, level, sample] == (low > truth)
                assert too_low[method, level, sample] == (high < truth)
                assert width[method, level, sample] == pytest.approx(high - low, rel=1e-6)
                outside += low > truth or high < truth
    assert 20 < outside < 150


def test_a_sample_of_groups_that_is_judged_by_bootstrap_has_its_interval() -> None:
    """The one that `estimate` gives, from as many resamples."""
    values, population, random = some_scores(3, UNEVEN), in_groups(3, UNEVEN), Drawn(1)
    methods = ("percentile", "basic", "bca", "bootstrap-t")
    estimation = Estimation(methods, (0.8,), 199, 5, workers=ALONE)
    _, _, width = population.judge(random, 5, None, estimation)
    assert width.shape == (5, 1, 5)
    parts = split(values, UNEVEN)
    for sample, drawn in enumerate(places(random.drawn[0], len(UNEVEN))):
        topics = np.concatenate([parts[place] for place in drawn])
        found = estimated(
            sample_of(topics, [UNEVEN[place] for place in drawn]), methods, [0.8], 199, 5
        )
        for method, name in enumerate(methods):
            limits = found.limits[name]
            wanted = limits.high[0, 0] - limits.low[0, 0]
            assert width[method, 0, sample] == pytest.approx(wanted, rel=1e-9), name


@pytest.mark.parametrize("size", [None, 7])
def test_samples_of_repeats_are_judged_by_the_interval_of_each(size: int | None) -> None:
    """By ours, averaged repeats, one repeat, and all scores; each sample written out."""
    population, random = in_repeats(2, 15, 4), Drawn(1)
    estimation = Estimation(("t",), (0.6, 0.9), workers=ALONE)
    too_high, too_low, width = population.judge(random, 40, size, estimation)
    assert too_high.shape == (1 + len(NAIVE_OF_REPEATS), 2, 40)
    topics, repeats = (
        places(numbers, among) for numbers, among in zip(random.drawn, (15, 4), strict=True)
    )
    outside, truth = 0, population.values.mean()
    assert population.truth == pytest.approx(truth)
    for sample in range(40):
        values = population.values[np.ix_(topics[sample], repeats[sample])]
        assert values.shape == (size or 15, 4)
        ours = sample_of_matrix(matrix_in_repeats([values]))
        mean, se, df = two_way_longhand(values)
        assert (ours.mean[0], ours.se[0], ours.df[0]) == pytest.approx((mean, se, df), rel=1e-6)
        for level, nominal in enumerate((0.6, 0.9)):
            half = stats.t.ppf((1 + nominal) / 2, df) * se
            naive = [
                stats.ttest_1samp(own, 0).confidence_interval(nominal)
                for own in (values.mean(axis=1), values[:, 0], values.reshape(-1))
            ]
            for method, (low, high) in enumerate([(mean - half, mean + half), *naive]):
                assert too_high[method, level, sample] == (low > truth)
                assert too_low[method, level, sample] == (high < truth)
                assert width[method, level, sample] == pytest.approx(high - low, rel=1e-6)
                outside += low > truth or high < truth
    assert 30 < outside < 250


@pytest.mark.parametrize("repeats", [1, 2, 5])
@pytest.mark.parametrize("of_repeats", [0.0, 0.3])
def test_two_way_intervals_of_many_samples_are_those_of_each(
    repeats: int, of_repeats: float
) -> None:
    tables = [some_table(seed, 12, repeats, of_repeats) for seed in range(30)]
    tables.append(np.full((12, repeats), 0.25))  # nothing varies
    low, high = two_way(np.stack(tables), np.array([0.8, 0.95]))
    for place, table in enumerate(tables):
        found = estimated(sample_of_matrix(matrix_in_repeats([table])), levels=[0.8, 0.95])
        for level in (0, 1):
            ours = (low[level, place], high[level, place])
            assert ours == pytest.approx(t_ends(found, level=level), rel=1e-9)


def test_groups_of_one_size_have_the_ideal_bootstrap_of_their_means() -> None:
    """Without random numbers, which samples with groups of different sizes would need."""
    sizes, levels = (3,) * 11, [0.6, 0.9]
    values, population, random = some_scores(6, sizes), in_groups(6, sizes), Drawn(1)
    estimation = Estimation(("percentile", "bca"), tuple(levels), workers=ALONE)
    _, _, width = population.judge(random, 3, None, estimation)
    for sample, drawn in enumerate(places(random.drawn[0], len(sizes))):
        means = np.array([split(values, sizes)[place].mean() for place in drawn])
        found = estimated(Sample(means[:, None]), ("percentile", "bca"), levels)
        for method, name in enumerate(("percentile", "bca")):
            wanted = found.limits[name].high - found.limits[name].low
            assert width[method, :, sample] == pytest.approx(wanted[:, 0], rel=1e-9), name


def test_more_samples_than_are_resampled_at_a_time_are_judged_alike() -> None:
    population = in_groups(2, UNEVEN, equal=True)
    for resamples, methods in ((None, ("percentile", "t")), (60_000, ("basic",))):
        estimation = Estimation(methods, (0.6, 0.9), resamples, workers=ALONE)
        many, few = (
            population.judge(np.random.default_rng(1), number, 6, estimation) for number in (70, 20)
        )
        for of_many, of_few in zip(many, few, strict=True):
            np.testing.assert_array_equal(of_many[:, :, :20], of_few)


# Random numbers, and what is told


@dataclass(frozen=True)
class Noted:
    """A population that notes the first random number of each batch, and covers nothing."""

    run: str
    measure: str
    numbers: list[float] = field(default_factory=list)
    sizes: list[int | None] = field(default_factory=list)

    def judge(
        self, random: np.random.Generator, number: int, size: int | None, estimation: Estimation
    ) -> Judged:
        self.numbers.append(random.random())
        self.sizes.append(size)
        above = np.ones((len(estimation.methods), len(estimation.levels), number), dtype=bool)
        return above, ~above, np.zeros(above.shape)


def first_numbers(
    run: str = "a", measure: str = "map", kind: str = "groups", size: int | None = None,
    seed: int = 0,
) -> tuple[float, ...]:  # fmt: skip
    population = Noted(run, measure)
    tally([population], ("t",), 120, size, kind=kind, seed=seed)
    assert population.sizes == [size] * 3
    return tuple(population.numbers)


def test_each_batch_of_each_kind_run_measure_size_and_seed_has_random_numbers_of_its_own() -> None:
    usual = first_numbers()
    assert usual == first_numbers()
    assert usual == first_numbers(measure="AP")  # as other programs call it
    others = [
        first_numbers(run="b"),
        first_numbers(measure="ndcg"),
        first_numbers(kind="repeats"),
        first_numbers(size=1),
        first_numbers(size=2),
        first_numbers(seed=1),
    ]
    assert len({*usual, *itertools.chain(*others)}) == 7 * 3


@pytest.mark.parametrize("over", ["groups", "collections"])
def test_progress_is_by_batch_and_no_topic_is_left_out(over: str) -> None:
    runs = [Noted(name, "map") for name in "ab"]
    estimation = Estimation(("t",), (0.9,), workers=ALONE)
    told: list[tuple[int, int]] = []

    def note(done: int, of: int) -> None:
        told.append((done, of))

    if over == "groups":
        found = tallies_of_design(over, runs, estimation, Simulation(101), None, note)
    else:
        found = tallies_over_collections(runs, estimation, Simulation(101), None, note)
    assert told == [(done, 6) for done in range(7)]
    assert found.too_high.tolist() == [[[101]], [[101]]]
    assert found.left_out == 0


@pytest.mark.parametrize("power", [-330, 330])
def test_very_small_and_very_large_scores_have_the_intervals_on_their_scale(power: int) -> None:
    scale, estimation = 2.0**power, Estimation(("t",), (0.6, 0.9), workers=ALONE)
    groups, repeats = in_groups(3, UNEVEN), in_repeats(2, 15, 4)
    for usual, scaled in (
        (groups, replace(groups, sums=scale * groups.sums, squares=scale**2 * groups.squares)),
        (repeats, replace(repeats, values=scale * repeats.values)),
    ):
        (high, low, width), (scaled_high, scaled_low, scaled_width) = (
            population.judge(np.random.default_rng(1), 40, None, estimation)
            for population in (usual, scaled)
        )
        assert (scaled_width / scale).tolist() == width.tolist()
        assert (scaled_high.tolist(), scaled_low.tolist()) == (high.tolist(), low.tolist())


# Shares


def test_groups_cover_about_as_often_as_they_say_and_topics_as_if_independent_do_not() -> None:
    replicates = 2000
    runs = [in_groups(seed) for seed in range(3)]
    found = covered(tally(runs, replicates=replicates, levels=(0.8, 0.95)), replicates)
    assert found.shape == (3, 2, 2)
    for run in range(3):
        for level, nominal in enumerate((0.8, 0.95)):
            t, independent = found[run, :, level]
            assert is_within(t, nominal - 0.04, nominal + 0.02, replicates)
            assert independent < t - 0.1


def test_repeats_cover_more_often_than_what_people_do_instead() -> None:
    """Six seeds that are drawn from six: fewer differ, and so the truth is covered less often."""
    replicates = 1000
    runs = [in_repeats(seed) for seed in range(3)]
    found = covered(tally(runs, replicates=replicates, kind="repeats"), replicates)[:, :, 0]
    assert found.shape == (3, 4)
    for ours, *others in found:
        assert ours > 0.85
        assert max(others) < ours - 0.05


def test_all_samples_are_counted_once() -> None:
    """Of a number that is no multiple of those drawn together."""
    for run, kind in ((in_groups(), "groups"), (in_repeats(), "repeats")):
        found = tally([run], replicates=123, kind=kind)
        inside = np.einsum("rmml->rml", found.covered)
        assert (inside + found.too_high + found.too_low == 123).all()


@pytest.mark.parametrize("kind", ["groups", "repeats"])
def test_any_number_of_workers_counts_the_same(kind: str) -> None:
    runs = [in_groups(seed) if kind == "groups" else in_repeats(seed) for seed in range(2)]
    methods = ("t", "percentile", "bootstrap-t") if kind == "groups" else ("t",)
    one, two = (
        tally(runs, methods, 120, kind=kind, resamples=99, workers=Local(jobs)) for jobs in (1, 2)
    )
    for name in ("covered", "too_high", "too_low", "width"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name


@pytest.mark.parametrize("kind", ["groups", "repeats"])
def test_runs_do_not_change_one_another_and_seeds_do(kind: str) -> None:
    runs = [in_groups(seed) if kind == "groups" else in_repeats(seed) for seed in range(3)]
    together = tally(runs, replicates=130, kind=kind)
    for place in range(3):
        alone = tally([runs[place]], replicates=130, kind=kind)
        assert alone.width[0].tobytes() == together.width[place].tobytes()
        assert alone.covered[0].tolist() == together.covered[place].tolist()
    other = tally(runs, replicates=130, kind=kind, seed=1)
    assert other.width.tolist() != together.width.tolist()


def test_samples_of_another_size_have_as_many_groups_or_topics() -> None:
    """Four times as many halve the width; of repeats, what seeds add stays."""
    widths = [tally([in_groups()], size=size).width[0, 0, 0] for size in (40, 160)]
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.06)
    ours, averaged = np.divide(
        *(tally([in_repeats()], size=size, kind="repeats").width[0, :2, 0] for size in (40, 4000))
    )
    assert ours < 2
    assert averaged == pytest.approx(10, rel=0.1)


@pytest.mark.parametrize("resamples", [None, 499])
def test_bootstrap_intervals_of_groups_cover_about_as_often_as_is_known(
    resamples: int | None,
) -> None:
    """22 groups: percentile a little too seldom, bootstrap-t nearly as often as it says."""
    replicates = 200
    methods = ("t", "percentile", "bootstrap-t")
    found = tally([in_groups(4)], methods, replicates, resamples=resamples)
    shares = covered(found, replicates)[0, :, 0]
    assert len(shares) == 4
    assert is_within(shares[1], 0.87, 0.95, replicates)
    assert is_within(shares[2], 0.91, 0.97, replicates)
    assert shares[3] < min(shares[:3])


def test_scores_without_variance_are_covered() -> None:
    """Sums and means are not exact in the last bits, and are the truth nevertheless."""
    sizes = np.array([3.0, 7.0, 11.0, 1.0])
    groups = GroupPopulation("run", "map", 0.1 * sizes, 0.01 * sizes, sizes, False)
    repeats = RepeatPopulation("run", "map", np.full((9, 3), 0.1))
    for run, kind in ((groups, "groups"), (repeats, "repeats")):
        found = tally([run], replicates=100, kind=kind)
        assert found.covered[0, 0, 0, 0] == 100
        assert found.width[0, 0, 0] == pytest.approx(0, abs=1e-12)


def test_an_interval_that_ends_at_the_truth_covers_it() -> None:
    low, high = np.array([[0.1, 0.3, 0.1]]), np.array([[0.3, 0.5, 0.2]])
    too_high, too_low, width = judged([(low, high)], 0.1 + 0.2, 1.0)  # .30000000000000004
    assert too_high.tolist() == [[[False, False, False]]]
    assert too_low.tolist() == [[[False, False, True]]]
    np.testing.assert_allclose(width, [[[0.2, 0.2, 0.1]]])
    zero = np.zeros((1, 1))
    too_high, too_low, _ = judged([(zero, zero)], 0.0, 0.0)  # nothing is rounded
    assert not (too_high | too_low).any()


def test_shares_of_groups_are_those_of_a_simulation_longhand() -> None:
    """Samples drawn and judged one by one, by other random numbers; four standard errors."""
    sizes, replicates = (4, 1, 7, 3, 5, 2, 9, 1, 2, 6), 2000
    population, values = in_groups(5, sizes), some_scores(5, sizes)
    found = tally([population], replicates=replicates, seed=1)
    parts, random, truth = split(values, sizes), np.random.default_rng(5), values.mean()
    ends = []
    for _ in range(replicates):
        drawn = random.integers(len(sizes), size=len(sizes))
        topics = np.concatenate([parts[place] for place in drawn])
        mean, se, df = cr2(topics, [sizes[place] for place in drawn])
        half = stats.t.ppf(0.975, df) * se
        ends.append((mean - half, mean + half))
    low, high = np.array(ends).T
    wanted = {"too_high": np.mean(low > truth), "too_low": np.mean(high < truth)}
    for what, share in wanted.items():
        error = np.sqrt(2 * max(share * (1 - share), 1e-3) / replicates)
        ours = getattr(found, what)[0, 0, 0] / replicates
        assert ours == pytest.approx(share, abs=4 * error), what
    assert found.width[0, 0, 0] / replicates == pytest.approx(np.mean(high - low), rel=0.04)
