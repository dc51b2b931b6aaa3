"""Agreement of two judges: τ_b and decisions beside scipy, resamples one by one."""

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.ties import places
from confint_cli.scores.scores import Matrix
from confint_cli.scores.two_judges import Rows
from confint_cli.stats import agreement
from confint_cli.stats.quantiles import Ordered, quantile
from confint_cli.stats.random import Drawing, Resamples

LEVEL = 0.95


def judged(
    topics: int, runs: int, seed: int = 0, *, digits: int = 4
) -> tuple[np.ndarray, np.ndarray]:
    """Scores [topic, run] by people and by a judge that is biased, and not always right."""
    random = np.random.default_rng(seed)
    better = np.linspace(0, 0.2, runs)
    people = (
        better + random.beta(0.8, 1.2, (topics, 1)) * 0.6 + random.uniform(0, 0.2, (topics, runs))
    )
    judge = 0.2 + 0.7 * people + random.normal(0, 0.08, people.shape)
    return people.round(digits), judge.round(digits)


def rows(
    values: np.ndarray, strata: tuple[int, ...] = (), groups: np.ndarray | None = None
) -> Rows:
    return Rows(values, strata or (len(values),), groups)


# τ


@pytest.mark.parametrize("kinds", [2, 4, 30])
def test_tau_is_scipys_with_any_ties(kinds: int) -> None:
    random = np.random.default_rng(kinds)
    for runs in (2, 3, 7, 40):
        first, second = random.integers(kinds, size=(2, 60, runs))
        found = agreement.tau_b(first, second)
        expected = [stats.kendalltau(*both).statistic for both in zip(first, second, strict=True)]
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_ranks_of_scores_may_be_any_numbers_that_order_them() -> None:
    random = np.random.default_rng(1)
    first, second = random.random((2, 20, 9)).round(1)
    found = agreement.tau_b(places(first, 1e-9)[0], places(second, 1e-9)[0])
    expected = [stats.kendalltau(*both).statistic for both in zip(first, second, strict=True)]
    assert found == pytest.approx(expected, abs=1e-12)


def test_last_bits_are_ties() -> None:
    """0.1 + 0.2 is no 0.3 in floats, and these runs have equal means on paper."""
    people = np.array(
        [[0.1, 0.3, 0.5], [0.2, 0.0, 0.5], [0.3, 0.3, 0.5], [0.6, 0.6, 0.5], [0, 0, 0.5]]
    )
    assert people[:, 0].sum() != people[:, 1].sum()
    judge = np.array([[0.1, 0.2, 0.3]] * 5) + np.arange(5)[:, None] / 10
    found = agreement.tau_of(rows(people), rows(judge), LEVEL, Drawing(200, 0))
    assert found.value == pytest.approx(stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic)


@pytest.mark.parametrize("design", ["topics", "groups", "collections", "groups in collections"])
def test_the_interval_is_that_of_resamples_one_by_one(design: str) -> None:
    people, judge = judged(24, 6, digits=2)
    strata = (10, 14) if "collections" in design else ()
    groups = None
    if "groups" in design:
        sizes = [1, 2, 3, 1, 3, 2, 2, 4, 1, 5]  # 10 topics in the first five
        groups = np.repeat(np.arange(len(sizes)), sizes)
    units = groups if groups is not None else np.arange(24)
    of_units = np.repeat([0, 1], strata or (24, 0))[np.unique(units, return_index=True)[1]]
    numbers = tuple(np.bincount(of_units).tolist())
    drawn = Resamples(len(of_units), 300, 7, numbers if strata else ())
    taus = []
    for counts in np.vstack([*drawn.counts()]):
        means = []
        for scores in (people, judge):
            parts = []
            for place in range(len(strata) or 1):
                own = of_units[units] == place
                weights = counts[units][own]
                parts.append((weights[:, None] * scores[own]).sum(axis=0) / weights.sum())
            means.append(np.mean(parts, axis=0).round(12))
        taus.append(stats.kendalltau(*means).statistic)
    ordered = Ordered.sort(np.array([taus]))
    low, high = (float(quantile(ordered, np.array([[p]]))[0, 0]) for p in (0.025, 0.975))
    found = agreement.tau_of(
        rows(people, strata, groups), rows(judge, strata, groups), LEVEL, Drawing(300, 7)
    )
    farther = max(found.value - low, high - found.value)
    limits = (max(found.value - farther, -1), min(found.value + farther, 1))
    assert (found.low, found.high) == pytest.approx(limits, abs=1e-12)
    assert 0 < found.high - found.low < 2
    assert found.low <= found.value <= found.high


def test_memory_is_taken_in_parts_and_the_result_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people, judge = (rows(scores) for scores in judged(20, 5))
    told: list[tuple[int, int]] = []
    whole = agreement.tau_of(people, judge, LEVEL, Drawing(500, 0))
    verdicts = agreement.decisions(people, judge, LEVEL)
    monkeypatch.setattr(agreement, "_CELLS", 999)
    monkeypatch.setattr(agreement, "_TOGETHER", 50)
    in_parts = agreement.tau_of(
        people, judge, LEVEL, Drawing(500, 0), lambda done, of: told.append((done, of))
    )
    assert in_parts == whole
    assert agreement.decisions(people, judge, LEVEL) == verdicts
    assert (len(told), told[-1]) == (11, (500, 500))


def test_without_an_order_there_is_no_tau() -> None:
    people, judge = judged(12, 1)
    nothing = pytest.approx((np.nan, np.nan, np.nan, 0), nan_ok=True)
    one = agreement.tau_of(rows(people), rows(judge), LEVEL, Drawing(100, 0))
    assert (one.value, one.low, one.high, one.error) == nothing
    people, judge = judged(12, 4)
    flat = np.repeat(judge[:, :1], 4, axis=1)
    tied = agreement.tau_of(rows(people), rows(flat), LEVEL, Drawing(100, 0))
    assert (tied.value, tied.low, tied.high, tied.error) == nothing


def test_samples_without_an_order_are_left_out() -> None:
    """By people, runs differ on one topic: a third of the resamples lack it, and have no τ."""
    people = np.full((5, 3), 0.5)
    people[0] = [0.1, 0.2, 0.3]
    judge = people + np.arange(5)[:, None] / 10
    found = agreement.tau_of(rows(people), rows(judge), LEVEL, Drawing(400, 0))
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


# Decisions


@pytest.mark.parametrize(("topics", "runs", "level"), [(8, 12, 0.95), (25, 30, 0.9), (53, 9, 0.99)])
def test_decisions_are_scipys(topics: int, runs: int, level: float) -> None:
    people, judge = judged(topics, runs, seed=topics)
    judge[:, 0] = people[:, -1]  # which turns some round
    people[:, 1] = people[:, 2]  # equal runs
    kinds = {"kept": 0, "lost": 0, "invented": 0, "reversed": 0}
    for run in range(runs):
        for other in range(run + 1, runs):
            signs = []
            for scores in (people, judge):
                if (scores[:, run] == scores[:, other]).all():
                    signs.append(0)
                    continue
                test = stats.ttest_rel(scores[:, run], scores[:, other])
                signs.append(int(np.sign(test.statistic)) if test.pvalue < 1 - level else 0)
            kind = {(True, True): "kept" if signs[0] == signs[1] else "reversed",
                    (True, False): "lost", (False, True): "invented"}  # fmt: skip
            if any(signs):
                kinds[kind[signs[0] != 0, signs[1] != 0]] += 1
    found = agreement.decisions(rows(people), rows(judge), level)
    assert {name: getattr(found, name) for name in kinds} == kinds
    assert found.pairs == runs * (runs - 1) // 2
    assert found.kept
    assert found.reversed or topics == 8


def test_tests_of_collections_and_groups_are_those_of_the_project() -> None:
    """Weighted scores and groups are as a matrix has them, whose tests are tested elsewhere."""
    from confint_cli.scores.design import Design, Groups

    people, _ = judged(24, 5)
    groups = np.repeat(np.arange(10), [1, 2, 3, 1, 3, 2, 2, 4, 1, 5])
    names = tuple(map(str, range(24)))
    of = Groups(tuple(map(str, range(10))), groups)
    runs = tuple("abcde")
    plain = Matrix("m", names, runs, people, np.zeros(people.shape, dtype=bool))
    weights = np.repeat([24 / 2 / 10, 24 / 2 / 14], (10, 14))
    macro = Matrix(
        "m", names, runs, people * weights[:, None], plain.filled, design=Design((10, 14))
    )
    for matrix, own in (
        (plain, rows(people)),
        (plain.in_groups(of), rows(people, (), groups)),
        (macro, rows(people, (10, 14))),
        (macro.in_groups(of), rows(people, (10, 14), groups)),
    ):
        values, design = agreement.weighted(own)
        assert values == pytest.approx(matrix.values, abs=1e-12)
        assert design.strata == matrix.design.strata
        assert design.grouped == matrix.design.grouped
        assert (design.sizes is None) == (matrix.design.sizes is None)
        if design.sizes is not None:
            assert design.sizes.tolist() == matrix.design.sizes.tolist()


def test_means_have_t_intervals() -> None:
    people, _ = judged(15, 4)
    found = agreement.means_of(rows(people), 0.9)
    low, high = stats.t.interval(0.9, 14, people.mean(axis=0), stats.sem(people))
    assert found.mean == pytest.approx(people.mean(axis=0))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_a_median_of_nothing_is_nothing() -> None:
    assert agreement.median(np.array([np.nan, 3.0, 1.0])) == 2.0
    assert np.isnan(agreement.median(np.array([np.nan])))
