"""P-values against what nobody here wrote: scipy, enumeration, statsmodels."""

import csv
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import no_progress
from confint_cli.stats.corrections import CORRECTIONS, least_factor
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, Flips
from confint_cli.stats.significance import tests as all_tests
from tests.conftest import ROOT

REFERENCE = ROOT / "tests" / "reference"


def p_values(name: str, values: FloatArray, pairs: Pairs | None = None, number: int = 9999,
             seed: int = 0) -> FloatArray:  # fmt: skip
    pairs = Pairs.all(values.shape[1]) if pairs is None else pairs
    return all_tests()[name].p(Paired(values, pairs), Drawing(number, seed), no_progress)


def some_scores(topics: int, runs: int, seed: int, digits: int | None = None) -> FloatArray:
    random = np.random.default_rng(seed)
    values = random.beta(0.7, 1.6, (topics, 1)) * 0.6 + random.beta(0.8, 2, (topics, runs)) * 0.4
    values += np.linspace(0, 0.08, runs)
    return values if digits is None else np.round(values, digits)


SHAPES = [(5, 3), (12, 4), (13, 3), (14, 3), (50, 6), (51, 4), (120, 3)]


@pytest.mark.parametrize(("topics", "runs"), SHAPES)
@pytest.mark.parametrize("digits", [None, 4, 1])
def test_t_is_that_of_scipy(topics: int, runs: int, digits: int | None) -> None:
    values = some_scores(topics, runs, seed=topics, digits=digits)
    pairs = Pairs.all(runs)
    for found, run, baseline in zip(p_values("t", values), pairs.run, pairs.baseline, strict=True):
        expected = stats.ttest_rel(values[:, run], values[:, baseline]).pvalue
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_many_topics_have_the_randomization_p_of_scipy_within_monte_carlo_error(seed: int) -> None:
    values = some_scores(50, 4, seed=8)
    found = p_values("randomization", values, number=20_000, seed=seed)
    pairs = Pairs.all(4)
    random = np.random.default_rng(2)
    for place, (run, baseline) in enumerate(zip(pairs.run, pairs.baseline, strict=True)):
        expected = stats.permutation_test(
            (values[:, run] - values[:, baseline],), np.mean, permutation_type="samples",
            n_resamples=20_000, vectorized=True, random_state=random,
        ).pvalue  # fmt: skip
        # scipy doubles the p-value of the smaller tail, so its error is larger than ours
        error = np.sqrt(expected * (1 - expected + 2 - expected) / 20_000)
        assert abs(found[place] - expected) < 4 * error + 1e-4


def test_the_randomization_p_longhand() -> None:
    """The same flips, one by one; a hit is also a mean that is as far from 0."""
    values = some_scores(20, 2, seed=5, digits=1)
    difference = np.round(values[:, 0] - values[:, 1], 6)
    flips = np.vstack(list(Flips(20, 500, 7).signs()))
    observed = abs(difference.sum())
    hits = sum(abs(float(flip @ difference)) >= observed - 1e-9 for flip in flips)
    assert p_values("randomization", values, number=500, seed=7) == [(1 + hits) / 501]


def test_tukey_by_enumeration() -> None:
    """Three runs on three topics have 6^3 permutations: every one of them, longhand."""
    values = np.array([[0.9, 0.4, 0.1], [0.8, 0.3, 0.3], [0.6, 0.5, 0.1]])
    rows = [list(itertools.permutations(row)) for row in values.tolist()]
    largest = [
        max(means) - min(means)
        for chosen in itertools.product(*rows)
        for means in [[sum(column) / 3 for column in zip(*chosen, strict=True)]]
    ]
    means = values.mean(axis=0)
    found = p_values("tukey", values, number=40_000)
    for place, (run, baseline) in enumerate([(0, 1), (0, 2), (1, 2)]):
        observed = abs(means[run] - means[baseline])
        exact = np.mean([one >= observed - 1e-9 for one in largest])
        assert abs(found[place] - exact) < 4 * np.sqrt(exact * (1 - exact) / 40_000) + 1e-4


def slow_tukey(values: FloatArray, number: int) -> list[float]:
    """Carterette's (2012) description, word for word."""
    random = np.random.default_rng(99)
    topics, runs = values.shape
    pairs = list(itertools.combinations(range(runs), 2))
    hits = dict.fromkeys(pairs, 0)
    for _ in range(number):
        permuted = np.array([random.permutation(values[topic]) for topic in range(topics)])
        means = permuted.mean(axis=0)
        largest = means.max() - means.min()
        for run, other in pairs:
            if largest >= abs(values[:, run].mean() - values[:, other].mean()) - 1e-12:
                hits[run, other] += 1
    return [(1 + hits[pair]) / (1 + number) for pair in pairs]


def test_tukey_against_a_slow_and_obvious_one() -> None:
    values = some_scores(25, 5, seed=4, digits=2)
    found, slow = p_values("tukey", values, number=8000), slow_tukey(values, 3000)
    assert min(slow) < 0.05 < sorted(slow)[5] < 0.9 < max(slow)  # there is something to compare
    for one, other in zip(found, slow, strict=True):
        assert abs(one - other) < 4 * np.sqrt(other * (1 - other) * (1 / 8000 + 1 / 3000)) + 1e-3


def test_tukey_of_two_runs_is_the_randomization_test() -> None:
    values = some_scores(12, 2, seed=2)
    exact = p_values("randomization", values)[0]
    found = p_values("tukey", values, number=40_000)[0]
    assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 40_000)


# Corrections


@pytest.mark.parametrize("name", CORRECTIONS)
def test_corrections_are_those_of_statsmodels(name: str) -> None:
    with (REFERENCE / "adjusted.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    families = {row["family"] for row in rows}
    assert len(families) == 4
    for family in families:
        own = [row for row in rows if row["family"] == family]
        found = CORRECTIONS[name](np.array([float(row["p"]) for row in own]))
        assert found == pytest.approx([float(row[name]) for row in own], rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.randoms(use_true_random=False))
@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_correction_only_raises_p_and_keeps_the_order(name: str, p: list[float], random) -> None:  # type: ignore[no-untyped-def]
    found = CORRECTIONS[name](np.array(p))
    assert (found >= np.array(p) * (1 - 1e-12)).all()
    assert (found <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    shuffle = list(range(len(p)))
    random.shuffle(shuffle)
    assert CORRECTIONS[name](np.array(p)[shuffle]) == pytest.approx(found[shuffle])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_no_correction_is_stricter_than_bonferronis(p: list[float]) -> None:
    """To the last bit for Holm's, which multiplies by no more."""
    bonferroni = CORRECTIONS["bonferroni"](np.array(p))
    assert (CORRECTIONS["holm"](np.array(p)) <= bonferroni).all()
    assert (CORRECTIONS["bh"](np.array(p)) <= bonferroni * (1 + 1e-12)).all()
    assert (CORRECTIONS["by"](np.array(p)) >= CORRECTIONS["bh"](np.array(p))).all()
    assert bonferroni.tolist() == [min(1.0, one * len(p)) for one in p]


@pytest.mark.parametrize("name", CORRECTIONS)
def test_the_least_that_a_correction_makes_of_p(name: str) -> None:
    """Of p that are as small as draws allow, all of them or only one."""
    least, number = 1 / 1001, 8
    reached = min(
        CORRECTIONS[name](np.array([least] * few + [1.0] * (number - few)))[0]
        for few in range(1, number + 1)
    )
    assert reached == pytest.approx(least * least_factor(name, number))
