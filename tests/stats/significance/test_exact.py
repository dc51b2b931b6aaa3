"""Exact p-values with ties and zeros: against R's exactRankTests, scipy, and all signs longhand."""

import csv
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import no_progress
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing
from confint_cli.stats.significance import tests as all_tests
from tests.conftest import ROOT
from tests.stats.significance.test_references import SHAPES, p_values, some_scores
from tests.versions import SCIPY

REFERENCE = ROOT / "tests" / "reference"
NORMAL = "asymptotic" if SCIPY >= (1, 13) else "approx"  # as scipy calls it
EXACT_TESTS = ["wilcoxon", "randomization"]

whole_differences = st.lists(st.integers(-4, 4), min_size=2, max_size=10)


def with_differences(differences: list[int], scale: float = 0.1) -> FloatArray:
    """Return scores of two runs in tenths, whose differences are not equal to the last bit."""
    other = 0.1 * (1 + np.arange(len(differences)) % 7)
    return np.column_stack([other + scale * np.array(differences), other])


def by_all_signs(sizes: list[int], observed: int) -> Fraction:
    """Return the share of all ways to sign the sizes whose sum is as far from 0: one by one."""
    ways = list(itertools.product((-1, 1), repeat=len(sizes)))
    hits = sum(abs(sum(map(int.__mul__, signs, sizes))) >= abs(observed) for signs in ways)
    return Fraction(hits, len(ways))


def ranks_and_sum(differences: list[int]) -> tuple[list[int], int]:
    """Return twice the ranks of |d|, by scipy, and the sum of those with the signs of d."""
    left = [d for d in differences if d]
    ranks = [round(2 * rank) for rank in stats.rankdata(np.abs(left))] if left else []
    return ranks, sum(rank if d > 0 else -rank for rank, d in zip(ranks, left, strict=True))


def by_counting_sums(differences: list[int]) -> float:
    """Return Wilcoxon's p: how many ways each sum has, in a dictionary of whole numbers."""
    ranks, observed = ranks_and_sum(differences)
    ways = {0: 1}
    for rank in ranks:
        grown: dict[int, int] = {}
        for total, number in ways.items():
            for new in (total - rank, total + rank):
                grown[new] = grown.get(new, 0) + number
        ways = grown
    hits = sum(number for total, number in ways.items() if abs(total) >= abs(observed))
    return float(Fraction(hits, sum(ways.values())))


# Against what nobody here wrote


def of_r() -> list[dict[str, str]]:
    with (REFERENCE / "exact_tests.tsv").open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("row", of_r(), ids=lambda row: row["pair"])
def test_p_values_are_those_of_r(row: dict[str, str]) -> None:
    """Of the randomisation test exactly where draws allow, otherwise within Monte Carlo error."""
    differences = [int(one) for one in row["differences"].split()]
    values = with_differences(differences, scale=1e-4)
    assert p_values("wilcoxon", values) == pytest.approx([float(row["wilcoxon"])], rel=1e-11)
    expected = float(row["randomization"])
    if np.count_nonzero(differences) <= 20:
        (found,) = p_values("randomization", values, number=2**20 - 1)
        assert found == pytest.approx(expected, rel=1e-11)
    else:
        (found,) = p_values("randomization", values, number=20_000)
        assert abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-4


def test_the_reference_has_what_it_should() -> None:
    given = [[int(one) for one in row["differences"].split()] for row in of_r()]
    assert len(given) == 36
    tied = [len(set(map(abs, filter(None, one)))) < np.count_nonzero(one) for one in given]
    assert sum(tied) > 20
    assert sum(0 in one for one in given) > 15
    assert sum(np.count_nonzero(one) > 20 for one in given) > 10


@pytest.mark.parametrize(("topics", "runs"), SHAPES)
@pytest.mark.parametrize("digits", [None, 4, 1])
def test_wilcoxon_is_that_of_scipy(topics: int, runs: int, digits: int | None) -> None:
    """Of topics that differ: exact where no two are tied, the approximation beyond 50 of them."""
    values = some_scores(topics, runs, seed=topics, digits=digits)
    pairs = Pairs.all(runs)
    found = p_values("wilcoxon", values)
    for p, run, baseline in zip(found, pairs.run, pairs.baseline, strict=True):
        # scipy would take the last bit of 0.3 - 0.1 for a difference
        difference = np.round(values[:, run] - values[:, baseline], 12)
        left = difference[difference != 0]
        if len(left) > 50:
            expected = stats.wilcoxon(left, method=NORMAL).pvalue
        elif len(np.unique(np.abs(left))) == len(left):
            expected = stats.wilcoxon(left, method="exact").pvalue
        else:
            assert digits is not None
            expected = by_counting_sums(np.rint(difference * 10**digits).astype(int).tolist())
        assert p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("topics", "digits"), [(4, 1), (9, 1), (13, 2), (13, None)])
def test_the_randomization_p_of_few_topics_is_that_of_scipy(
    topics: int, digits: int | None
) -> None:
    values = some_scores(topics, 2, seed=3, digits=digits)
    found = p_values("randomization", values)
    difference = np.round(values[:, 0] - values[:, 1], 12)
    exact = stats.permutation_test(
        (difference,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert found == pytest.approx([exact.pvalue], rel=1e-12)


# Against all signs, one by one


@settings(deadline=None, max_examples=60)
@given(whole_differences)
def test_any_differences_have_the_p_of_all_signs(differences: list[int]) -> None:
    values = with_differences(differences)
    assert p_values("wilcoxon", values) == [float(by_all_signs(*ranks_and_sum(differences)))]
    left = [abs(d) for d in differences if d]
    expected = float(by_all_signs(left, sum(differences)))
    assert p_values("randomization", values) == [expected]
    # with the topics that do not differ among those flipped, the share is the same
    assert expected == float(by_all_signs(list(map(abs, differences)), sum(differences)))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-6, 6), min_size=2, max_size=50))
def test_wilcoxon_of_any_ties_is_exact(differences: list[int]) -> None:
    found = p_values("wilcoxon", with_differences(differences))
    assert found == pytest.approx([by_counting_sums(differences)], rel=1e-12)


@pytest.mark.parametrize("name", EXACT_TESTS)
@settings(deadline=None, max_examples=40)
@given(whole_differences, st.integers(0, 60))
def test_topics_that_do_not_differ_and_the_side_do_not_matter(
    name: str, differences: list[int], equal: int
) -> None:
    alone = p_values(name, with_differences(differences))
    more = with_differences([*differences[1:], *[0] * equal, differences[0]])
    assert p_values(name, more) == alone
    assert p_values(name, more[:, ::-1]) == alone


@pytest.mark.parametrize("name", EXACT_TESTS)
def test_five_of_fifty_topics_all_one_way(name: str) -> None:
    """By the normal approximation Wilcoxon's p would be 0.0431."""
    differences = [1, 2, 2, 3, 5, *[0] * 45]
    assert p_values(name, with_differences(differences)) == [1 / 16]


# Where the one rule ends and the other begins


@pytest.mark.parametrize("equal", [0, 40])
def test_wilcoxon_is_exact_up_to_50_topics_that_differ(equal: int) -> None:
    random = np.random.default_rng(5)
    for differing, exact in ((50, True), (51, False)):
        sizes = random.integers(1, 9, differing) * np.where(random.random(differing) < 0.7, 1, -1)
        (found,) = p_values("wilcoxon", with_differences([*sizes.tolist(), *[0] * equal]))
        counted = by_counting_sums(sizes.tolist())
        normal = stats.wilcoxon(sizes, method=NORMAL).pvalue
        assert counted != pytest.approx(normal, rel=1e-3)
        assert found == pytest.approx(counted if exact else normal, rel=1e-9)


def test_wilcoxon_keeps_the_smallest_p_of_fifty_topics() -> None:
    """Counts are whole numbers: shares of 1 would be as exact, differences of them would not."""
    assert p_values("wilcoxon", with_differences([*range(1, 51)])) == [2.0**-49]
    assert p_values("wilcoxon", with_differences([-1, *range(2, 51)])) == [2.0**-48]


@pytest.mark.parametrize(("number", "exact"), [(1022, False), (1023, True), (1024, True)])
def test_all_ways_are_taken_where_there_are_no_more_than_draws(number: int, exact: bool) -> None:
    """Ten topics that differ have 1,024 ways, one of which was observed."""
    differences = [3, 1, 4, -1, 5, -2, 6, 5, 3, -5, *[0] * 20]
    expected = by_all_signs([abs(d) for d in differences if d], sum(differences))
    found = {p_values("randomization", with_differences(differences), number=number, seed=seed)[0]
             for seed in range(5)}  # fmt: skip
    if exact:
        assert found == {float(expected)}
    else:
        assert len(found) > 1  # drawn
        assert all(
            (one * (1 + number)) == pytest.approx(round(one * (1 + number))) for one in found
        )
        assert all(abs(one - float(expected)) < 0.06 for one in found)


def test_pairs_with_few_and_with_many_topics_that_differ_stand_side_by_side() -> None:
    """Each has the p that it has alone, whether its signs are drawn or all taken."""
    base = some_scores(30, 4, seed=6, digits=1)
    near = base[:, :1].copy()
    near[[3, 9, 20], 0] += [0.2, 0.1, 0.1]
    values = np.hstack([base, near, base[:, 1:2]])
    pairs = Pairs.all(6)
    together = p_values("randomization", values)
    differing = np.count_nonzero(Paired(values, pairs).differences, axis=0)
    assert {0, 3} < {*differing.tolist()}
    assert differing.max() > 20
    for place in range(len(pairs)):
        one = Pairs(pairs.run[[place]], pairs.baseline[[place]])
        assert p_values("randomization", values, one) == together[[place]]
    assert together[differing == 3] == [0.25]
    assert together[differing == 0] == [1.0]


@pytest.mark.parametrize("differing", [16, 17, 18, 19, 20])
def test_more_ways_than_are_held_at_a_time(differing: int) -> None:
    """Of equal differences p is that of the sign test, by scipy."""
    better = differing // 3
    differences = [1] * better + [-1] * (differing - better)
    found = p_values("randomization", with_differences(differences), number=2**differing - 1)
    assert found == pytest.approx([stats.binomtest(better, differing).pvalue], rel=1e-12)


@pytest.mark.parametrize("name", EXACT_TESTS)
def test_progress_goes_from_nothing_to_all(name: str) -> None:
    values = some_scores(30, 5, seed=6, digits=1)
    values[:, 4] = values[:, 3]
    values[:2, 4] += 0.3
    told: list[float] = []
    test = all_tests()[name]
    paired, drawing = Paired(values, Pairs.all(5)), Drawing(9999, 0)
    found = test.p(paired, drawing, lambda done, total: told.append(done / total))
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] == 1
    assert len(set(told)) > 3
    assert np.array_equal(found, test.p(paired, drawing, no_progress))
