"""Comparisons by two judges: figures, intervals, p-values and doubts of pairs, against longhand."""

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats import comparison, ppi_max_t
from confint_cli.stats.comparison import Comparison, paired_differences
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt
from confint_cli.stats.matrices import paired_of
from confint_cli.stats.names import MAX_T, PPI
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ppi import Family
from confint_cli.stats.ppi_comparison import (
    compare_powered,
    differences_of,
    human_limits,
    limits_of,
)
from tests.stats.longhand_ppi import (
    Part,
    difference_of_runs,
    part_of,
    some_parts,
    two_of,
)

LEVELS = (0.9, 0.99)
OF_JUDGE = int(Doubt.JUDGE_CONSTANT | Doubt.NO_OTHER_TOPICS | Doubt.NO_GAIN)


def compared(family: Family, testing: comparison.Testing) -> Comparison:
    pairs = Pairs.all(len(family.two.runs))
    estimation = Estimation((PPI,), LEVELS, draws=199, seed=4)
    return compare_powered(family, family.differences(pairs), pairs, estimation, testing)


def skewed() -> list[Part]:
    """Four runs, some of whose differences have scales of their own."""
    return some_parts(2, [(9, 30, 4)], 4)


def alike() -> Part:
    """Seven runs: the first and what is nearly the first, and another."""
    random = np.random.default_rng(2)
    h, f, u = (random.random((number, 2)) for number in (12, 12, 30))
    h, f, u = (own[:, [0, 0, 0, 0, 0, 0, 1]] for own in (h, 0.8 * h + 0.1 * f, u))
    for own in (h, f, u):
        own[:, 2] += 0.1
        own[2:, 4] += 0.1
        own[:2, 5] += 0.1
    f[:, 3], u[:, 3] = random.random(12), random.random(30)
    return part_of(h, f, u)


RUNS = ("first", "copy", "more", "same to people", "mostly more", "mostly same", "other")


# Intervals and p-values


def test_t_intervals_and_p_values_longhand() -> None:
    parts, pairs = skewed(), Pairs.all(4)
    found = compared(Family(two_of(parts)), comparison.Testing())
    assert [*found.limits] == [*found.doubts] == [PPI]
    expected = [difference_of_runs(parts, *pair) for pair in zip(*ends(pairs), strict=True)]
    for place, (difference, se, df) in enumerate(expected):
        for row, level in enumerate(LEVELS):
            half = stats.t.ppf((1 + level) / 2, df) * se
            limits = (found.limits[PPI].low[row, place], found.limits[PPI].high[row, place])
            assert limits == pytest.approx((difference - half, difference + half), rel=1e-9)
        p = 2 * stats.t.sf(abs(difference) / se, df)
        assert found.p["t"][place] == pytest.approx(p, rel=1e-8)
    assert not found.limits[PPI].low_error.any()
    assert not found.limits[PPI].high_error.any()
    assert found.adjusted is not None
    order = np.argsort(found.p["t"])
    holm = np.minimum(np.maximum.accumulate(found.p["t"][order] * np.arange(6, 0, -1)), 1)
    np.testing.assert_allclose(found.adjusted[order], holm, rtol=1e-12)
    assert found.at_once is None


def ends(pairs: Pairs) -> tuple[list[int], list[int]]:
    return pairs.run.tolist(), pairs.baseline.tolist()


def test_limits_of_means_by_both_judges_and_by_people_alone() -> None:
    [part] = skewed()
    means = Family(two_of([part.columns([0])])).means()
    low, high = human_limits(means, 0.8)
    scores = np.append(part.h[:, 0], part.alone[:, 0])
    expected = stats.t.interval(0.8, len(scores) - 1, scores.mean(), stats.sem(scores))
    assert (low[0], high[0]) == pytest.approx(expected)
    limits = limits_of(means, (0.8, 0.5))
    for row, level in enumerate((0.8, 0.5)):
        mean, se, df = means.mean[0], means.se[0], means.df[0]
        expected = stats.t.interval(level, df, mean, se)
        assert (limits.low[row, 0], limits.high[row, 0]) == pytest.approx(expected)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("simultaneous", [False, True])
def test_max_t_is_that_of_the_runs_and_as_strict_as_is_asked(
    simultaneous: bool, strict: bool
) -> None:
    family, pairs = Family(two_of(skewed())), Pairs.all(4)
    differences = family.differences(pairs)
    testing = comparison.Testing(correction="max-t", simultaneous=simultaneous, strict=strict)
    estimation = Estimation((), LEVELS, draws=199, seed=4)
    told: list[tuple[int, int]] = []
    found = compare_powered(family, differences, pairs, estimation, testing,
                            lambda done, total: told.append((done, total)))  # fmt: skip
    expected, other = (
        ppi_max_t.at_once(family, pairs, differences, LEVELS, estimation.drawing, strict=own)
        for own in (strict, not strict)
    )
    assert found.at_once is not None
    np.testing.assert_array_equal(found.at_once.p, expected.p)
    np.testing.assert_array_equal(found.at_once.limits.low, expected.limits.low)
    assert (found.at_once.limits.low != other.limits.low).all()
    assert found.adjusted is not None
    np.testing.assert_array_equal(found.adjusted, expected.p[0])
    assert [*found.limits] == [*found.doubts] == ([MAX_T] if simultaneous else [])
    if simultaneous:
        np.testing.assert_array_equal(found.limits[MAX_T].high, expected.limits.high)
    assert told[-1][0] == told[-1][1] > 0


# Runs that are hardly different


def test_runs_that_are_hardly_different_are_told_of() -> None:
    """Only those with the same scores by both judges are identical."""
    family = Family(two_of([alike()]))
    assert family.used
    found = compared(family, comparison.Testing(simultaneous=True))
    of_first = {name: place for place, name in enumerate(RUNS[1:])}
    asked = int(Doubt.IDENTICAL | Doubt.NO_VARIANCE | Doubt.MOSTLY_TIES | Doubt.FEW_DIFFERENCES
                | Doubt.UNBOUNDED)  # fmt: skip
    expected = {
        "copy": Doubt.IDENTICAL,
        "more": Doubt.NO_VARIANCE,
        "same to people": Doubt.NO_VARIANCE | Doubt.FEW_DIFFERENCES,
        "mostly more": Doubt.UNBOUNDED,
        "mostly same": Doubt.MOSTLY_TIES | Doubt.FEW_DIFFERENCES,
        "other": Doubt.NONE,
    }
    for name, place in of_first.items():
        own = int(expected[name])
        assert (found.doubts[MAX_T][:, place] & asked == own).all(), name
        assert (found.doubts[PPI][:, place] & asked == own & ~int(Doubt.UNBOUNDED)).all(), name
    assert found.p["t"][of_first["copy"]] == 1
    assert found.p["t"][of_first["more"]] == 0
    assert 0 < found.p["t"][of_first["same to people"]] < 1


# Figures


@pytest.mark.parametrize("judge", ["used", "constant"])
def test_figures_of_pairs(judge: str) -> None:
    """Means of both judges with one slope; effect sizes and outcomes would be of people alone."""
    parts = some_parts(2, [(9, 30, 4), (7, 12, 0)], 3)
    if judge == "constant":
        parts = [part_of(part.h, np.ones_like(part.f), part.u, part.alone) for part in parts]
    family, pairs = Family(two_of(parts)), Pairs.all(3)
    powered, means = family.differences(pairs), family.means().mean
    found = differences_of(family, powered, pairs)
    for place, (run, baseline) in enumerate(zip(*ends(pairs), strict=True)):
        assert (found.run.mean[place], found.baseline.mean[place]) == (means[run], means[baseline])
        assert found.difference[place] == pytest.approx(means[run] - means[baseline])
        assert found.t[place] == pytest.approx(found.difference[place] / found.se[place])
    np.testing.assert_array_equal(found.se, powered.se)
    np.testing.assert_array_equal(found.df, powered.df)
    for moments in (found.run, found.baseline):
        assert moments.topics.tolist() == [9 + 30 + 4 + 7 + 12] * 3
    missing = (found.run.sd, found.baseline.sd, found.glass_delta, found.hedges_gz, found.hedges_g)
    for array in missing:
        assert (array.shape, array.dtype) == ((3,), np.float64)
        assert np.isnan(array).all()
    assert found.outcomes is None
    np.testing.assert_allclose(found.p_above(0.02), stats.t.sf((found.difference - 0.02) / found.se,
                                                              found.df))  # fmt: skip


@pytest.mark.parametrize("judge", ["used", "constant"])
def test_doubts_about_pairs_are_those_of_people_and_of_the_judge(judge: str) -> None:
    part = alike()
    if judge == "constant":
        part = part_of(part.h, np.ones_like(part.f), part.u)
    family, pairs = Family(two_of([part])), Pairs.all(7)
    powered = family.differences(pairs)
    found = differences_of(family, powered, pairs).doubts
    of_people = paired_differences(paired_of(family.two.matrix, pairs)).doubts
    alike_to_judge = {"first", "copy"} | ({"same to people"} if judge == "constant" else set())
    identical = np.array([{RUNS[one], RUNS[other]} <= alike_to_judge
                          for one, other in zip(*ends(pairs), strict=True)])  # fmt: skip
    assert (found[identical] == int(Doubt.IDENTICAL)).all()
    for place in np.flatnonzero(~identical).tolist():
        own = found[place] & ~OF_JUDGE
        if of_people[place] == int(Doubt.IDENTICAL):  # but not to the judge
            assert own & int(Doubt.NO_VARIANCE)
        else:
            assert own == of_people[place]
        assert found[place] & OF_JUDGE == powered.doubts[place]
    assert (found & int(Doubt.MOSTLY_TIES)).any()
    assert powered.doubts.any() == (judge == "constant")
