"""Numbers of groups, topics and repeats: against `Sample`, lme4, search, simulation; promises."""

import itertools
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import stdtrit

from confint_cli.stats import power
from confint_cli.stats.matrices import paired_of, sample_of
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.power import (
    GroupSpread,
    PlainSpread,
    RepeatSpread,
    Spread,
    spread_of_groups,
    spread_of_repeats,
)
from confint_cli.stats.sample import Sample
from tests.stats.test_groups import (
    UNEVEN,
    cr2,
    groups_of,
    matrix_of,
    reference_rows,
    some_scores,
    split,
)
from tests.stats.test_repeats import (
    BY_OPTIMISATION,
    matrix_in_repeats,
    mean_squares,
    reference_repeats,
    some_table,
    two_way,
)
from tests.versions import T_ERROR

EVEN = (6,) * 9
GROUPS = GroupSpread(0.002, 20, 15.5, 0.0008)
REPEATS = RepeatSpread(0.04, 0.002, 0.01, 5, 50)
PLAIN = PlainSpread(0.25, 50)


# Groups


@pytest.mark.parametrize("sizes", [UNEVEN, EVEN, (30, 2, 1, 4, 3)])
@pytest.mark.parametrize("equal", [False, True], ids=["size", "equal"])
def test_as_many_groups_as_the_pilot_has_have_the_se_and_df_of_its_sample(
    sizes: tuple[int, ...], equal: bool
) -> None:
    values = np.stack([some_scores(seed, sizes) for seed in (0, 1)], axis=1)
    one = matrix_of(values[:, :1], groups_of(sizes, equal=equal))
    sample = Sample(one.values, design=one.design)
    found = spread_of_groups(one, differences=False)
    assert found.groups == len(sizes)
    assert found.se_and_df(len(sizes)) == pytest.approx((sample.se[0], sample.df[0]), rel=1e-9)
    both = matrix_of(values, groups_of(sizes, equal=equal))
    difference = paired_of(both, Pairs.all(2)).sample
    found = spread_of_groups(both, differences=True)
    wanted = (difference.se[0], difference.df[0])
    assert found.se_and_df(len(sizes)) == pytest.approx(wanted, rel=1e-9)


def test_of_several_runs_the_variances_of_all_or_of_all_pairs_are_averaged() -> None:
    values = np.stack([some_scores(seed, UNEVEN) * (1 + seed) for seed in range(4)], axis=1)
    matrix = matrix_of(values, groups_of(UNEVEN))
    each = [cr2(own, UNEVEN)[1] ** 2 for own in values.T]
    assert spread_of_groups(matrix, differences=False).variance == pytest.approx(np.mean(each))
    pairs = [cr2(values[:, a] - values[:, b], UNEVEN)[1] ** 2
             for a, b in itertools.combinations(range(4), 2)]  # fmt: skip
    assert spread_of_groups(matrix, differences=True).variance == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("equal", [False, True], ids=["size", "equal"])
def test_what_groups_have_within_is_that_of_a_one_way_analysis(equal: bool) -> None:
    values = np.stack([some_scores(seed, UNEVEN) for seed in (0, 1)], axis=1)
    for differences, own in ((False, values[:, 0]), (True, values[:, 0] - values[:, 1])):
        columns = values if differences else values[:, :1]
        found = spread_of_groups(
            matrix_of(columns, groups_of(UNEVEN, equal=equal)), differences=differences
        )
        parts = split(own, UNEVEN)
        square = sum(((part - part.mean()) ** 2).sum() for part in parts) / (len(own) - len(parts))
        weights = [1 / (len(parts) * size) if equal else 1 / len(own)
                   for size in UNEVEN for _ in range(size)]  # fmt: skip
        variance = square * sum(weight**2 for weight in weights)
        assert variance < found.variance
        assert found.within == pytest.approx(variance)
        assert found.group_share == pytest.approx(1 - variance / found.variance)


def test_topics_that_are_independent_have_no_share_of_groups_and_copies_have_all() -> None:
    random, shares = np.random.default_rng(0), []
    for _ in range(200):
        values = random.normal(0, 1, (80, 1))
        shares.append(spread_of_groups(matrix_of(values, groups_of((4,) * 20)),
                                       differences=False).group_share)  # fmt: skip
    assert 0 <= min(shares) <= max(shares) < 0.8
    assert np.mean(shares) < 0.2
    copies = np.repeat(random.normal(0, 1, (20, 1)), 4, axis=0)
    found = spread_of_groups(matrix_of(copies, groups_of((4,) * 20)), differences=False)
    assert found.group_share == pytest.approx(1)


def test_n_times_the_groups_have_the_se_over_the_root_of_n() -> None:
    """As a sample with every group so many times has it, but for what n/(n-1) does."""
    values = some_scores(1, UNEVEN)
    found = spread_of_groups(matrix_of(values[:, None], groups_of(UNEVEN)), differences=False)
    for times in (2, 5):
        sample = matrix_of(np.tile(values, times)[:, None], groups_of(UNEVEN * times))
        wanted = Sample(sample.values, design=sample.design)
        se, df = found.se_and_df(times * len(UNEVEN))
        assert se == pytest.approx(found.se_and_df(len(UNEVEN))[0] / math.sqrt(times))
        assert se == pytest.approx(wanted.se[0], rel=0.1)
        assert df == pytest.approx(wanted.df[0], rel=0.2)


# Repeats


@pytest.mark.parametrize("case", ["seeds", "two", "ten", "talks", "models"])
def test_variances_of_topics_repeats_and_both_are_those_of_lme4(case: str) -> None:
    matrix = reference_repeats(case)
    only = matrix.ordered([0])
    (row, _) = (r for r in reference_rows("mixed") if (r["case"], r["of"]) == (case, "a"))
    found = spread_of_repeats(only, differences=False)
    ours = (found.of_topics, found.of_repeats, found.of_both)
    wanted = [float(row[name]) for name in ("topics", "repeats", "residuals")]
    assert ours == pytest.approx(wanted, rel=10 * BY_OPTIMISATION)
    assert found.se_and_df(len(only.values)) == pytest.approx(
        (float(row["se"]), float(row["df"])), rel=10 * BY_OPTIMISATION
    )


@pytest.mark.parametrize("repeats", [2, 3, 5, 10])
@pytest.mark.parametrize("of_repeats", [0.1, 0.3])
def test_as_many_topics_as_the_pilot_has_have_the_se_and_df_of_its_sample(
    repeats: int, of_repeats: float
) -> None:
    values = some_table(20 + repeats, 30, repeats, of_repeats)
    of_topics, of_seeds, left = mean_squares(values)
    assert of_topics > left
    assert of_seeds > left
    matrix = matrix_in_repeats([values])
    sample = sample_of(matrix)
    found = spread_of_repeats(matrix, differences=False)
    assert (found.repeats, found.topics) == (repeats, 30)
    assert found.se_and_df(30) == pytest.approx((sample.se[0], sample.df[0]), rel=1e-9)
    assert found.repeat_share == pytest.approx(sample.repeat_share[0], rel=1e-9)


def test_a_difference_has_the_se_of_its_sample_and_the_share_of_repeats() -> None:
    tables = [some_table(seed, 30, 4, 0.15) for seed in (0, 1)]
    matrix = matrix_in_repeats(tables)
    sample = paired_of(matrix, Pairs.all(2)).sample
    found = spread_of_repeats(matrix, differences=True)
    assert found.se_and_df(30)[0] == pytest.approx(sample.se[0], rel=1e-9)
    assert found.repeat_share == pytest.approx(sample.repeat_share[0], rel=1e-9)
    assert two_way(*tables)[1] == pytest.approx(sample.se[0], rel=1e-9)


def test_repeats_that_differ_less_than_chance_have_no_variance() -> None:
    rolled = np.stack([np.roll([0.0, 0.1, 0.4], topic) for topic in range(21)])
    values = np.random.default_rng(0).random((21, 1)) + rolled
    found = spread_of_repeats(matrix_in_repeats([values]), differences=False)
    assert found.of_repeats == 0
    assert found.repeat_share == 0
    assert found.se_and_df(21) == pytest.approx(
        (stats.sem(values.mean(axis=1)), 20), rel=1e-9
    )  # fmt: skip


def test_more_repeats_have_the_variance_that_the_components_say() -> None:
    for topics, repeats in itertools.product((10, 50, 400), (2, 5, 40)):
        se, _ = REPEATS.with_repeats(repeats).se_and_df(topics)
        wanted = 0.04 / topics + 0.002 / repeats + 0.01 / (topics * repeats)
        assert se**2 == pytest.approx(wanted)


# All


ALL_SPREADS = [GROUPS, REPEATS, RepeatSpread(0.04, 0.0, 0.01, 3, 50), PLAIN]


@pytest.mark.parametrize("spread", ALL_SPREADS, ids=["groups", "repeats", "no seeds", "plain"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_half_widths_and_power_are_those_of_scipys_t(spread: Spread, level: float) -> None:
    for topics, difference in itertools.product((5, 20, 200), (0.0, 0.05, 0.15)):
        se, df = spread.se_and_df(topics)
        critical = stats.t.ppf((1 + level) / 2, df)
        assert spread.half_width(topics, level) == pytest.approx(critical * se, rel=1e-7)
        shift = difference / se
        expected = stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift)
        found = spread.power(topics, difference, level)
        if math.isnan(expected):  # scipy fails far out
            assert found > 0.999
        else:
            assert found == pytest.approx(expected, abs=max(1e-7, T_ERROR))
        assert spread.power(topics, spread.detectable(topics, level, 0.8), level) == pytest.approx(
            0.8, rel=1e-6
        )


@pytest.mark.parametrize(
    "spread", [GROUPS, ALL_SPREADS[2], PLAIN], ids=["groups", "no seeds", "plain"]
)
def test_the_smallest_number_is_that_of_a_search(spread: Spread) -> None:
    for target in (0.3, 0.1, 0.05):
        first = next(n for n in range(2, 10**5) if spread.half_width(n, 0.95) <= target)
        assert spread.topics_for_half_width(target, 0.95) == first
    for difference in (0.4, 0.1, 0.06):
        first = next(n for n in range(2, 10**5) if spread.power(n, difference, 0.95) >= 0.8)
        assert spread.topics_for_power(difference, 0.95, 0.8) == first


@pytest.mark.parametrize("spread", ALL_SPREADS, ids=["groups", "repeats", "no seeds", "plain"])
def test_a_power_and_its_sides_say_what_is_attained_and_needed(spread: Spread) -> None:
    half_width = spread.attained(50, 0.95)
    assert half_width == spread.half_width(50, 0.95)
    found = spread.attained(50, 0.95, 0.8)
    assert found == spread.detectable(50, 0.95, 0.8)
    margin = spread.attained(50, 0.95, 0.8, one_sided=True)
    assert margin == spread.margin_of(50, 0.95, 0.8)
    assert half_width < margin < found
    assert spread.needed(1.001 * half_width, 0.95) == 50
    assert spread.needed(half_width, 0.95, assurance=0.9) == spread.topics_for_half_width(
        half_width, 0.95, 0.9
    )
    assert spread.needed(1.001 * found, 0.95, 0.8) == 50
    assert spread.needed(1.001 * margin, 0.95, 0.8, one_sided=True) == 50


def test_plain_topics_have_the_half_width_of_the_textbook_to_the_last_digit() -> None:
    sd = PLAIN.sd
    for topics, level in itertools.product((2, 5, 50, 3000), (0.8, 0.95, 0.99)):
        quantile = float(stdtrit(topics - 1, (1 + level) / 2))
        assert PLAIN.half_width(topics, level) == quantile * sd / math.sqrt(topics)
        for target in (0.5, 0.9):
            enough = PLAIN.topics_for_power(0.1, level, target)
            assert enough is not None
            assert PLAIN.power(enough, 0.1, level) >= target
            assert enough == 2 or PLAIN.power(enough - 1, 0.1, level) < target
    assert PLAIN.upper() == PlainSpread(power.sd_limit(sd, 50), 50)


@pytest.mark.parametrize("repeats", [2, 3])
def test_topics_that_are_enough_are_found_though_many_more_are_not(repeats: int) -> None:
    """Of very many topics the repeats alone decide, with few degrees of freedom: that is wider."""
    spread = RepeatSpread(1.0, 0.001 if repeats == 2 else 0.01, 0.0, repeats, 50)
    enough = [n for n in range(2, 5000) if spread.half_width(n, 0.95) <= 0.2]
    assert enough
    assert spread.half_width(10**6, 0.95) > 0.2
    assert spread.topics_for_half_width(0.2, 0.95) == enough[0]
    first = next(n for n in range(2, 5000) if spread.power(n, 0.3, 0.95) >= 0.8)
    assert spread.topics_for_power(0.3, 0.95, 0.8) == first


def test_no_number_of_topics_is_enough_where_repeats_alone_are_too_much() -> None:
    alone = math.sqrt(REPEATS.of_repeats / REPEATS.repeats)
    assert REPEATS.topics_for_half_width(alone, 0.95) is None
    assert REPEATS.topics_for_power(alone, 0.95, 0.8) is None
    assert GROUPS.topics_for_half_width(1e-12, 0.95) is None


def test_the_smallest_number_of_repeats_is_that_of_a_search() -> None:
    for target in (0.12, 0.08, 0.07):
        first = next(n for n in range(2, 10**4)
                     if REPEATS.with_repeats(n).half_width(50, 0.95) <= target)  # fmt: skip

        def is_enough(spread: RepeatSpread, target: float = target) -> bool:
            return spread.half_width(50, 0.95) <= target

        assert REPEATS.repeats_for(is_enough) == first
    assert REPEATS.repeats_for(lambda spread: spread.half_width(50, 0.95) <= 0.05) is None


def test_repeats_that_are_enough_for_two_topics_are_found_though_many_more_are_not() -> None:
    spread = RepeatSpread(0.04, 0.002, 0.01, 2, 2)
    widths = {n: spread.with_repeats(n).half_width(2, 0.95) for n in (2, 3, 4, 1000)}
    assert widths[3] < 1.69 < min(widths[2], widths[4], widths[1000])
    assert spread.repeats_for(lambda own: own.half_width(2, 0.95) <= 1.69) == 3


def test_more_repeats_are_never_wider_from_ten_topics_on() -> None:
    for of_repeats, topics in itertools.product((1e-4, 0.002, 0.1), (10, 50, 1000)):
        spread = RepeatSpread(0.04, of_repeats, 0.01, 2, topics)
        widths = [spread.with_repeats(n).half_width(topics, 0.95) for n in range(2, 60)]
        assert all(after <= before for before, after in pairwise(widths))


@settings(max_examples=60)
@given(
    st.floats(1e-6, 1), st.floats(0, 1), st.floats(0, 1), st.integers(2, 20), st.integers(2, 500)
)
def test_upper_limits_are_wider_and_shares_are_shares(
    of_topics: float, of_repeats: float, of_both: float, repeats: int, topics: int
) -> None:
    spread = RepeatSpread(of_topics, of_repeats, of_both, repeats, topics)
    upper = spread.upper()
    assert upper.se_and_df(topics)[0] > spread.se_and_df(topics)[0]
    assert 0 <= spread.repeat_share <= 1
    assert 0 <= upper.repeat_share <= 1
    groups = GroupSpread(of_topics, topics, (topics - 1) * 0.7, min(of_both, of_topics))
    assert groups.upper().half_width(topics, 0.9) > groups.half_width(topics, 0.9)
    assert 0 <= groups.group_share <= 1
    assert groups.upper().group_share == pytest.approx(groups.group_share)


@settings(max_examples=40)
@given(st.integers(2, 200), st.floats(0.5, 1), st.sampled_from([0.8, 0.95]))
def test_more_groups_are_narrower_and_smaller_targets_need_more(
    groups: int, share: float, level: float
) -> None:
    spread = GroupSpread(0.01, groups, share * (groups - 1), 0.002)
    few, many = spread.half_width(groups, level), spread.half_width(groups + 7, level)
    assert many < few
    need = [spread.topics_for_half_width(target, level) for target in (0.3, 0.1, 0.03)]
    assert None not in need
    assert need == sorted(need)
    found = spread.topics_for_half_width(0.1, level)
    assert found is not None
    assert spread.half_width(found, level) <= 0.1
    assert found == 2 or spread.half_width(found - 1, level) > 0.1


def test_with_an_assurance_most_samples_are_no_wider() -> None:
    """Even groups of normal means: their s is that of plain topics, and so is their number."""
    spread = GroupSpread(0.04 / 20, 20, 19, 0.0)
    for assurance in (0.5, 0.8, 0.95):
        plain = PlainSpread(0.2, 20).topics_for_half_width(0.05, 0.95, assurance)
        assert spread.topics_for_half_width(0.05, 0.95, assurance) == plain


def test_the_upper_limit_is_exceeded_by_one_pilot_in_five() -> None:
    """Normal pilots of uneven groups whose topics are independent, for which CR2 is made."""
    random, pilots = np.random.default_rng(2), 1500
    true, beyond = 1 / math.sqrt(sum(UNEVEN)), 0
    values = random.normal(0, 1, (sum(UNEVEN), pilots))
    for pilot in values.T:
        found = spread_of_groups(matrix_of(pilot[:, None], groups_of(UNEVEN)), differences=False)
        beyond += true > found.upper().se_and_df(len(UNEVEN))[0]
    assert beyond / pilots == pytest.approx(0.2, abs=0.04)


def test_what_does_not_vary_says_so() -> None:
    constant = np.full((sum(UNEVEN), 1), 0.3)
    groups = spread_of_groups(matrix_of(constant, groups_of(UNEVEN)), differences=False)
    assert not groups.varies
    assert math.isnan(groups.group_share)
    repeats = spread_of_repeats(matrix_in_repeats([np.full((9, 3), 0.3)]), differences=False)
    assert not repeats.varies
    assert math.isnan(repeats.repeat_share)
    assert GROUPS.varies
    assert REPEATS.varies
