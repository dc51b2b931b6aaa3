"""What holds for every test of significance, whoever adds one."""

import numpy as np
import pytest

from confint_cli.common.arrays import FloatArray
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.significance import tests as all_tests
from tests.conftest import Confint
from tests.stats.significance.test_references import p_values, some_scores

every_test = pytest.mark.parametrize("name", all_tests())


@every_test
def test_identical_runs_have_p_1(name: str) -> None:
    values = some_scores(30, 3, seed=1)
    values[:, 2] = values[:, 0]
    p = dict(zip(["01", "02", "12"], p_values(name, values, number=999), strict=True))
    assert p["02"] == 1.0
    assert p["01"] == p["12"] < 1


@every_test
def test_scores_that_differ_in_their_last_bits_are_identical(name: str) -> None:
    values = some_scores(30, 1, seed=1)
    other = (values * 3) / 3 + values * np.finfo(float).eps
    assert not np.array_equal(values, other)
    assert p_values(name, np.hstack([values, other]), number=99) == [1.0]


@every_test
def test_who_is_the_baseline_does_not_matter(name: str) -> None:
    values = some_scores(25, 4, seed=2)
    there, back = Pairs.against([0], 4), Pairs(np.zeros(3, dtype=int), np.arange(1, 4))
    assert np.array_equal(p_values(name, values, there), p_values(name, values, back))


@every_test
def test_the_order_of_runs_and_the_other_pairs_do_not_matter(name: str) -> None:
    values = some_scores(25, 5, seed=3, digits=3)
    order = [3, 0, 4, 2, 1]
    everything = p_values(name, values)
    pairs = Pairs.all(5)
    shuffled = p_values(
        name, values[:, order], Pairs(*(np.argsort(order)[x] for x in (pairs.run, pairs.baseline)))
    )
    assert np.array_equal(everything, shuffled)
    some = Pairs(pairs.run[2:4], pairs.baseline[2:4])
    assert np.array_equal(everything[2:4], p_values(name, values, some))


@every_test
@pytest.mark.parametrize(("factor", "shift"), [(1000.0, 0.0), (2.0**-40, 0.0), (1.0, 4096.0)])
def test_the_unit_of_the_scores_does_not_matter(name: str, factor: float, shift: float) -> None:
    values = np.round(some_scores(25, 4, seed=3) * 1024) / 1024
    assert p_values(name, values * factor + shift) == pytest.approx(p_values(name, values))


@every_test
@pytest.mark.parametrize("shift", [1e4, 1e6])
def test_ties_of_decimals_stay_ties_far_from_zero(name: str, shift: float) -> None:
    values = some_scores(30, 3, seed=3, digits=1)
    assert p_values(name, values + shift) == pytest.approx(p_values(name, values))


@every_test
def test_what_all_runs_have_in_common_on_a_topic_does_not_matter(name: str) -> None:
    values = np.round(some_scores(25, 4, seed=3) * 1024) / 1024
    common = np.arange(25)[:, None] * 8.0
    assert p_values(name, values + common) == pytest.approx(p_values(name, values))


@every_test
def test_the_same_seed_gives_the_same_and_zero_is_a_seed(name: str) -> None:
    values = some_scores(25, 4, seed=3)
    zero, one = p_values(name, values, seed=0), p_values(name, values, seed=1)
    assert np.array_equal(zero, p_values(name, values, seed=0))
    assert np.array_equal(zero, one) == (not all_tests()[name].draws)


@every_test
def test_a_difference_on_all_topics_is_significant(name: str) -> None:
    values = some_scores(40, 3, seed=3)
    values[:, 2] += 0.5
    p = p_values(name, values)
    assert (p[1:] < 0.001).all()
    assert (p > 0).all() or name == "t"


@every_test
def test_of_equal_runs_about_as_many_are_significant_as_should_be(name: str) -> None:
    """Two runs that differ by chance: p < 0.1 in 10% of 2,000 collections, by a binomial bound."""
    random = np.random.default_rng(11)
    hits = 0
    for _ in range(2000):
        values = random.beta(0.8, 2, (20, 1)) + random.normal(0, 0.1, (20, 2))
        hits += int(p_values(name, values, number=199)[0] < 0.1)
    assert 150 < hits < 255  # 200 ± 3.9 standard errors of 13.4, and p in steps


def families_with_a_p_below_5_percent(sd: list[float]) -> float:
    """Return the share of 400 collections in which tukey tells any two of equal means apart."""
    random = np.random.default_rng(12)
    hits = 0
    for seed in range(400):
        values = random.random((25, 1)) + random.normal(0, sd, (25, len(sd)))
        hits += int(p_values("tukey", values, number=199, seed=seed).min() < 0.05)
    return hits / 400


def test_tukey_errs_where_some_runs_vary_more_than_others() -> None:
    """As it says of itself: 19% with 50 topics, 18% with 25; its standard error here is 2%."""
    assert 0.12 < families_with_a_p_below_5_percent([0.2] * 2 + [0.02] * 8) < 0.25
    assert 0.02 < families_with_a_p_below_5_percent([0.1] * 10) < 0.08
    said = " ".join(all_tests()["tukey"].explanation.split())
    assert "19% of families have a pair with p < 0.05, not 5%" in said
    assert "exchangeable" in said
    assert "--correct max-t" in said


def test_randomization_and_tukey_are_never_zero() -> None:
    values = np.array([[0.0, 1.0]] * 40)
    for name in ("randomization", "tukey"):
        assert p_values(name, values, number=99) == [0.01]


@every_test
def test_each_explains_itself(name: str, confint: Confint) -> None:
    one = all_tests()[name]
    assert one.words
    assert one.reference
    assert one.formula
    assert len(one.explanation) > 200, "say more in the explanation"
    text = confint("tests", name.upper()).out
    assert one.summary in text
    assert one.explanation in text
    assert name in confint("tests").out


def constant(values: FloatArray) -> FloatArray:
    return np.hstack([values, values + 0.25])


def test_equal_differences_have_an_infinite_t() -> None:
    values = np.round(some_scores(12, 1, seed=1) * 64) / 64
    assert p_values("t", constant(values)) == [0.0]
    assert p_values("randomization", constant(values)) == [2 / 4096]
    assert p_values("wilcoxon", constant(values)) == [2 / 4096]
