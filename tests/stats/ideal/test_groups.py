"""The distribution of means over groups that are drawn: against R, enumeration and resamples."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.flags import Doubt
from confint_cli.stats.ideal.bootstrap import columns_of
from confint_cli.stats.ideal.enumeration import Atoms
from confint_cli.stats.ideal.groups import (
    ColumnOfGroups,
    RatioDistribution,
    distribution_over_groups,
)
from confint_cli.stats.sample import Sample
from tests.stats.ideal.longhand import exact_sums
from tests.stats.test_groups import (
    UNEVEN,
    cr2,
    reference_matrix,
    reference_rows,
    sample_of,
    some_scores,
    split,
)

IDEAL = ("percentile", "basic", "bca")
KINDS = ("skewed", "zeros", "tenths", "0 and 1", "normal")
TALKS = (8, 12, 5, 9, 7, 11, 6, 10, 8, 9, 7, 13, 8, 6, 9, 10, 7, 8, 5)  # as of conversations
SHAPES = {"uneven": UNEVEN, "talks": TALKS, "huge": (60, *(1, 2, 3) * 4), "ones": (2, *(1,) * 20)}
LEVELS = (0.001, 0.01, 0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975, 0.99, 0.999)


def ideally(
    sample: Sample, methods: Sequence[str] = IDEAL, levels: Sequence[float] = (0.95,)
) -> Estimate:
    return estimate(sample, Estimation(tuple(methods), tuple(levels), workers=ALONE))


def distribution_of(values: np.ndarray, sizes: Sequence[int]) -> Atoms | RatioDistribution:
    (column,) = columns_of(sample_of(values, sizes))
    assert isinstance(column, ColumnOfGroups)
    return distribution_over_groups(column)


def many(values: np.ndarray, sizes: Sequence[int]) -> RatioDistribution:
    found = distribution_of(values, sizes)
    assert isinstance(found, RatioDistribution)
    return found


def drawn_means(
    values: np.ndarray, sizes: Sequence[int], number: int, seed: int = 1
) -> np.ndarray:  # fmt: skip
    """m* - m of resamples of groups, in ascending order."""
    random, groups = np.random.default_rng(seed), len(sizes)
    sums, own_sizes = np.array([own.sum() for own in split(values, sizes)]), np.array(sizes)
    means = []
    for start in range(0, number, 50_000):
        places = random.integers(groups, size=(min(50_000, number - start), groups))
        means.append(sums[places].sum(axis=1) / own_sizes[places].sum(axis=1))
    return np.sort(np.concatenate(means)) - values.mean()


# R


@pytest.mark.parametrize(
    ("case", "name"), [("uneven", name) for name in IDEAL] + [("huge", name) for name in IDEAL[:2]]
)
def test_limits_are_those_of_boot_ci_within_its_error(case: str, name: str) -> None:
    matrix = reference_matrix(case, "difference")
    sample = Sample(matrix.values, design=matrix.design)
    rows = [row for row in reference_rows(name) if row["case"] == case]
    assert len(rows) == 2
    for row in rows:
        limits = ideally(sample, [name], [float(row["level"])]).limits[name]
        for end, own in (("low", limits.low), ("high", limits.high)):
            off = abs(own[0, 0] - float(row[end])) / float(row[f"{end}_error"])
            assert off < 4, (row["level"], end)
        assert limits.low_error[0, 0] == limits.high_error[0, 0] == 0


@pytest.mark.parametrize("case", ["uneven", "huge"])
def test_bias_and_acceleration_are_those_of_r(case: str) -> None:
    matrix = reference_matrix(case, "difference")
    sample = Sample(matrix.values, design=matrix.design)
    (acceleration,) = [row for row in reference_rows("acceleration") if row["case"] == case]
    (bias,) = [row for row in reference_rows("bias") if row["case"] == case]
    a = sample.skewness[0] / (6 * np.sqrt(sample.topics))
    assert a == pytest.approx(float(acceleration["estimate"]), abs=1e-4)
    (column,) = columns_of(sample)
    assert isinstance(column, ColumnOfGroups)
    z0 = stats.norm.ppf(distribution_over_groups(column).share_below)
    assert abs(z0 - float(bias["estimate"])) < 4 * float(bias["low_error"])


@pytest.mark.parametrize("case", ["uneven", "huge"])
def test_bootstrap_t_has_the_quantiles_of_r_within_both_errors(case: str) -> None:
    """It has resamples of its own, many, and says so; z* times CR2's se."""
    matrix = reference_matrix(case, "difference")
    sample = Sample(matrix.values, design=matrix.design)
    rows = [row for row in reference_rows("z*") if row["case"] == case]
    found = ideally(sample, ["bootstrap-t"], [float(row["level"]) for row in rows])
    limits = found.limits["bootstrap-t"]
    assert ((found.doubts["bootstrap-t"] & Doubt.RESAMPLED) > 0).all()
    for place, row in enumerate(rows):
        for end, other in (("low", "high"), ("high", "low")):
            z = (sample.mean[0] - getattr(limits, other)[place, 0]) / sample.se[0]
            error = getattr(limits, f"{other}_error")[place, 0] / sample.se[0]
            allowed = 4 * np.hypot(error, float(row[f"{end}_error"]))
            assert abs(z - float(row[end])) < allowed, (row["level"], end)
            assert case == "huge" or 1 < error / float(row[f"{end}_error"]) < 9  # √10 on average


# Enumeration


def enumerated(values: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """m* - m of all ways to draw as many groups as there are, in ascending order."""
    parts = split(values, sizes)
    means = [
        np.concatenate([parts[place] for place in places]).mean()
        for places in itertools.product(range(len(sizes)), repeat=len(sizes))
    ]
    return np.sort(means) - values.mean()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(1, 4), (2, 9, 5), (3, 1, 4, 2), (1, 2, 3, 4, 15)],
                         ids=["2", "3", "4", "5"])  # fmt: skip
def test_few_groups_have_the_distribution_of_all_ways_to_draw_them(
    kind: str, sizes: tuple[int, ...]
) -> None:
    values = some_scores(len(sizes), sizes, kind)
    values[0] += 0.0613  # two groups may be equal
    found, every = distribution_of(values, sizes), enumerated(values, sizes)
    assert isinstance(found, Atoms)
    for point in found.points:
        probability = found.probabilities[np.abs(found.points - point) < 1e-10].sum()
        assert probability == pytest.approx(np.mean(np.abs(every - point) < 1e-10), abs=1e-12)
    assert found.probabilities.sum() == pytest.approx(1)
    below = np.mean((every < -1e-10) + 0.5 * (np.abs(every) <= 1e-10))
    assert found.share_below == pytest.approx(below, abs=1e-12)
    for p in (0.013, 0.1234, 0.5123, 0.871, 0.991):  # where no sum of probabilities lies
        wanted = every[int(np.ceil(p * len(every))) - 1]
        assert found.quantile(np.array([p]))[0] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_way_for_many_groups_is_right_for_few_too(kind: str) -> None:
    """The same quantiles as by enumeration of six groups, but for the blur of the grid."""
    sizes = (3, 1, 4, 2, 6, 5)
    values = some_scores(5, sizes, kind)
    (column,) = columns_of(sample_of(values, sizes))
    assert isinstance(column, ColumnOfGroups)
    found, every = RatioDistribution(column), enumerated(values, sizes)
    blur = 0.03 * every.std()
    for p in LEVELS:
        (own,) = found.quantile(np.array([p]))
        before, after = np.searchsorted(every, [own - blur, own + blur]) / len(every)
        assert before - 1e-6 <= p <= after + 1e-6, p
    below = np.mean((every < -1e-10) + 0.5 * (np.abs(every) <= 1e-10))
    assert found.share_below == pytest.approx(below, abs=5e-3)


def test_nine_groups_are_enumerated_and_ten_are_not() -> None:
    for groups, kind in ((9, Atoms), (10, RatioDistribution)):
        sizes = tuple(1 + place % 3 for place in range(groups))
        assert isinstance(distribution_of(some_scores(1, sizes, "normal"), sizes), kind)


@pytest.mark.parametrize("sizes", [(1, 2, 3) * 4, (1, 2, 3) * 12, (1, 3) * 6, (1, 2, 3, 1, 3) * 8],
                         ids=["12", "36", "odd", "40"])  # fmt: skip
def test_a_mean_that_many_resamples_have_is_not_above_itself(sizes: tuple[int, ...]) -> None:
    """Of whole numbers: at ½, where e - y·w lies on a lattice, F has all of the ties with ½."""
    sums = [place // 3 % (size + 1) for place, size in enumerate(sizes)]
    values = np.concatenate(
        [np.arange(size) < ones for ones, size in zip(sums, sizes, strict=True)]
    ).astype(float)
    found, m = many(values, sizes), sum(sums) / sum(sizes)
    for twice in (-1, 0, 1, 2, 3):  # the mean, of which ½ is the only one that many have
        whole = [2 * own - twice * size for own, size in zip(sums, sizes, strict=True)]
        exact = exact_sums(whole)
        wanted = sum(chance for total, chance in exact.items() if total <= 0)
        assert found.below(twice / 2 - m) == pytest.approx(float(wanted), abs=1e-8)
        assert twice != 1 or exact[0] > 0.02


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_beyond_the_means_of_groups(kind: str) -> None:
    values = some_scores(12, TALKS, kind)
    found = many(values, TALKS)
    for far in (3.0, 30.0, 1e6):
        assert found.below(-far) == pytest.approx(0, abs=1e-9)
        assert found.below(far) == pytest.approx(1, abs=1e-9)


def test_two_values_of_e_less_y_times_w_are_enumerated_exactly() -> None:
    """One of 12 groups is not like the others: as often as it is drawn, the mean moves."""
    sizes = (3, *(1,) * 11)
    values = np.array([1.0, 1.0, 1.0, *(0.0,) * 11])
    found = many(values, sizes)
    cumulative = 0.0
    for times in range(5):
        cumulative += float(stats.binom.pmf(times, 12, 1 / 12))
        mean = 3 * times / (12 + 2 * times) - 3 / 14
        assert found.below(mean) == pytest.approx(cumulative, abs=1e-12)
        assert found.below(mean - 1e-9) == pytest.approx(
            cumulative - float(stats.binom.pmf(times, 12, 1 / 12)), abs=1e-12
        )
        for p in (cumulative - 1e-5, cumulative - 0.6 * stats.binom.pmf(times, 12, 1 / 12)):
            assert found.quantile(np.array([p]))[0] == pytest.approx(mean, abs=2e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_quantile_is_where_the_probability_reaches_p_and_soon_found(
    kind: str, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = some_scores(12, SHAPES[shape], kind)
    found = many(values, SHAPES[shape])
    means = [own.mean() - values.mean() for own in split(values, SHAPES[shape])]
    p = np.array([0.0005, 0.005, 0.025, 0.5, 0.975, 0.995, 0.9995])
    asked, below = [], RatioDistribution.below

    def counted(self: RatioDistribution, value: float) -> float:
        asked.append(value)
        return below(self, value)

    monkeypatch.setattr(RatioDistribution, "below", counted)
    at = found.quantile(p)
    assert len(asked) <= 33 * len(p)
    assert found.resolution == pytest.approx(1e-7 * np.ptp(means), rel=1e-9)
    for level, own in zip(p, at, strict=True):
        if own - found.resolution > min(means):  # beside the least of all it may be blurred
            assert below(found, own - found.resolution) <= level + 1e-8
        assert below(found, own + found.resolution) >= level - 1e-8


@pytest.mark.parametrize("power", [-60, 40])
@pytest.mark.parametrize("sizes", [(2, 9, 5, 1), TALKS], ids=["few", "many"])
def test_scaling_by_a_power_of_two_changes_no_bits(sizes: tuple[int, ...], power: int) -> None:
    values = some_scores(12, sizes, "normal")
    usual = ideally(sample_of(values, sizes), IDEAL, [0.5, 0.95]).limits
    scaled = ideally(sample_of(values * 2.0**power, sizes), IDEAL, [0.5, 0.95]).limits
    for name in IDEAL:
        for end in ("low", "high"):
            wanted = getattr(usual[name], end) * 2.0**power
            np.testing.assert_array_equal(getattr(scaled[name], end), wanted)


# Resamples


def check_against(found: RatioDistribution, drawn: np.ndarray, blur: float) -> None:
    """The share of resamples up to a quantile is its p, but for five standard errors."""
    number, at = len(drawn), found.quantile(np.array(LEVELS))
    for p, own in zip(LEVELS, at, strict=True):
        before, after = np.searchsorted(drawn, [own - blur, own + blur]) / number
        allowed = 5 * np.sqrt(p * (1 - p) / number)
        assert before - allowed < p < after + allowed, p
        assert found.below(own + blur) >= p - 1e-6
        assert found.below(own - blur) <= p + 1e-6
    below = np.mean((drawn < -1e-12) + 0.5 * (np.abs(drawn) <= 1e-12))
    assert found.share_below == pytest.approx(below, abs=5 * 0.5 / np.sqrt(number) + 2e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_are_those_of_many_resamples(kind: str, shape: str) -> None:
    sizes = SHAPES[shape]
    values = some_scores(12, sizes, kind)
    # Means with a probability of their own are blurred; p has to lie between what is beside them.
    blur = 0.03 * cr2(values, sizes)[1]
    check_against(many(values, sizes), drawn_means(values, sizes, 50_000), blur)


@pytest.mark.parametrize("shape", ["uneven", "talks", "huge"])
def test_quantiles_of_fine_scores_are_those_of_a_million_resamples(shape: str) -> None:
    """Where no mean has a probability worth a name: within a thousandth of a standard error."""
    sizes = SHAPES[shape]
    values = some_scores(13, sizes, "normal")
    blur = 1e-3 * cr2(values, sizes)[1]
    check_against(many(values, sizes), drawn_means(values, sizes, 1_000_000), blur)


@pytest.mark.parametrize("kind", ["skewed", "zeros", "tenths"])
@pytest.mark.parametrize("shape", ["uneven", "talks"])
def test_limits_are_those_of_200_000_resamples_of_the_program(kind: str, shape: str) -> None:
    """By the same methods, within five of the errors that these say they have, and the blur."""
    sizes = SHAPES[shape]
    sample, levels = sample_of(some_scores(14, sizes, kind), sizes), (0.8, 0.95, 0.99)
    ideal = ideally(sample, IDEAL, levels)
    drawn = estimate(sample, Estimation(IDEAL, levels, 200_000, 3, workers=ALONE))
    for name in IDEAL:
        own, other = ideal.limits[name], drawn.limits[name]
        for end in ("low", "high"):
            off = np.abs(getattr(own, end) - getattr(other, end))
            assert (off < 5 * getattr(other, f"{end}_error") + 0.02 * sample.se).all(), (name, end)


# Promises


def test_groups_of_nearly_one_size_have_nearly_the_distribution_of_their_means() -> None:
    """30 groups of 1000 topics, one of which has one more: the usual bootstrap of 30 means."""
    random = np.random.default_rng(0)
    means = random.beta(0.6, 1.5, 30)
    sizes = (1001, *(1000,) * 29)
    found = ideally(sample_of(np.repeat(means, sizes), sizes), IDEAL, [0.9, 0.99])
    usual = ideally(Sample(means[:, None]), IDEAL, [0.9, 0.99])
    for name in IDEAL:
        for end in ("low", "high"):
            ours, wanted = (getattr(each.limits[name], end)[:, 0] for each in (found, usual))
            assert ours == pytest.approx(wanted, abs=0.005 * usual.se[0]), name


@settings(max_examples=15)
@given(
    st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=6), min_size=2, max_size=12),
    st.lists(st.floats(0.001, 0.999), min_size=2, max_size=6),
)
def test_quantiles_ascend_within_the_means_of_groups(
    whole: list[list[int]], p: list[float]
) -> None:
    sizes = [len(own) for own in whole]
    means = [np.mean(own) / 50 for own in whole]
    assume(np.ptp(means) > 1e-9)
    assume(len(set(sizes)) > 1)
    values = np.array([score for own in whole for score in own]) / 50
    found = distribution_of(values, sizes)
    at = found.quantile(np.sort(p))
    assert (np.diff(at) >= -1e-9).all()
    lowest, highest = min(means), max(means)
    assert lowest - 1e-6 <= values.mean() + at[0]
    assert values.mean() + at[-1] <= highest + 1e-6
    assert 0 < found.share_below < 1
    limits = ideally(sample_of(values, sizes), IDEAL, [0.8, 0.99]).limits
    for name in ("percentile", "bca"):
        assert (limits[name].low >= lowest - 1e-12).all()
        assert (limits[name].high <= highest + 1e-12).all()
    for name in IDEAL:
        low, high = limits[name].low[:, 0], limits[name].high[:, 0]
        assert (low <= high).all()
        assert low[1] <= low[0] + 1e-7
        assert high[1] >= high[0] - 1e-7


def test_the_probability_ascends_from_0_to_1() -> None:
    values = some_scores(3, TALKS)
    found = many(values, TALKS)
    means = [own.mean() - values.mean() for own in split(values, TALKS)]
    places = np.linspace(min(means) - 1e-9, max(means) + 1e-9, 60)
    below = np.array([found.below(place) for place in places])
    assert (np.diff(below) >= -1e-7).all()
    assert below[0] == pytest.approx(0, abs=1e-7)
    assert below[-1] == pytest.approx(1, abs=1e-7)


def test_it_draws_no_random_numbers() -> None:
    sample = sample_of(some_scores(1, UNEVEN), UNEVEN)
    first, second = (
        estimate(sample, Estimation(IDEAL, (0.95,), seed=seed, workers=ALONE)) for seed in (0, 1)
    )
    for name in IDEAL:
        assert first.limits[name].low.tobytes() == second.limits[name].low.tobytes()
        assert not first.doubts[name][0, 0] & Doubt.RESAMPLED
