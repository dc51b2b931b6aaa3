"""Agreement of two judges: τ_b and decisions beside scipy, resamples one by one."""

from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.ties import places
from confint_cli.common.words import alpha_of
from confint_cli.scores.scores import Matrix
from confint_cli.scores.two_judges import Rows
from confint_cli.stats import agreement
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.quantiles import Ordered, quantile, quantile_error
from confint_cli.stats.random import Drawing, Resamples
from confint_cli.stats.significance.t import statistic, two_sided
from tests.stats.longhand_collections import t_interval
from tests.stats.longhand_ppi import mean_of_run, some_parts, two_of
from tests.stats.test_groups import groups_of
from tests.stats.test_groups import in_collections as mean_se_df

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
    errors = [quantile_error(ordered, np.array([[p]]))[0, 0] for p in (0.025, 0.975)]
    assert found.error == pytest.approx(max(errors), rel=1e-9)


def test_means_that_are_ordered_are_those_of_collections() -> None:
    """The larger collection has the opposite order, and larger scores."""
    random = np.random.default_rng(1)
    order = np.arange(8) / 10
    people = np.concatenate([order + random.uniform(0, 0.1, (5, 8)),
                             9 - 0.9 * order + random.uniform(0, 0.1, (40, 8))])  # fmt: skip
    judge = np.tile(order, (45, 1)) + random.uniform(0, 0.1, (45, 1))
    found = agreement.tau_of(rows(people, (5, 40)), rows(judge, (5, 40)), LEVEL, Drawing(50, 0))
    means = (people[:5].mean(axis=0) + people[5:].mean(axis=0)) / 2
    expected = stats.kendalltau(means, order).statistic
    assert 0 < expected < 1
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize("first", [True, False])
def test_last_bits_of_any_collection_are_ties(first: bool) -> None:
    """Those of large scores, beside which other collections have hardly any."""
    random = np.random.default_rng(2)
    tied = 1000 * random.random((30, 6))
    tied[:, 1], tied[:, 2] = random.permutation(tied[:, 0]), random.permutation(tied[:, 0])
    same, judge = np.zeros((4, 6)), np.tile(np.arange(6.0), (34, 1))
    people, strata = np.concatenate([tied, same]), (30, 4)
    if not first:
        people, strata = people[::-1], (4, 30)
    found = agreement.tau_of(rows(people, strata), rows(judge, strata), LEVEL, Drawing(20, 0))
    expected = stats.kendalltau(tied.mean(axis=0).round(9), np.arange(6)).statistic
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_a_judge_who_turns_all_scores_round_has_the_interval_turned_round() -> None:
    people, judge = judged(30, 7)
    usual, turned = (
        agreement.tau_of(rows(people), rows(own), LEVEL, Drawing(999, 3))
        for own in (judge, 1 - judge)
    )
    assert usual.high == 1.0
    assert usual.low < usual.value
    expected = (-usual.value, -usual.high, -usual.low, usual.error)
    assert (turned.value, turned.low, turned.high, turned.error) == pytest.approx(expected)


@pytest.mark.parametrize(("cells", "parts"), [(999, 11), (1, 500)])
def test_memory_is_taken_in_parts_and_the_result_is_the_same(
    monkeypatch: pytest.MonkeyPatch, cells: int, parts: int
) -> None:
    people, judge = (rows(scores) for scores in judged(20, 5))
    told: list[tuple[int, int]] = []
    whole = agreement.tau_of(people, judge, LEVEL, Drawing(500, 0))
    monkeypatch.setattr(agreement, "_CELLS", cells)
    in_parts = agreement.tau_of(
        people, judge, LEVEL, Drawing(500, 0), lambda done, of: told.append((done, of))
    )
    assert in_parts == whole
    assert (len(told), told[-1]) == (parts, (500, 500))


@pytest.mark.parametrize(("together", "parts"), [(1, [1] * 10), (80, [4, 4, 2])])
def test_few_pairs_are_tested_at_a_time_and_the_result_is_the_same(
    monkeypatch: pytest.MonkeyPatch, together: int, parts: list[int]
) -> None:
    people, judge = (rows(scores) for scores in judged(20, 5))
    whole = agreement.decisions(people, judge, LEVEL)
    numbers: list[int] = []

    def paired(values: np.ndarray, pairs: Pairs, *further: object) -> Paired:
        numbers.append(len(pairs))
        return Paired(values, pairs, *further)  # type: ignore[arg-type]

    monkeypatch.setattr(agreement, "_TOGETHER", together)
    monkeypatch.setattr(agreement, "Paired", paired)
    assert agreement.decisions(people, judge, LEVEL) == whole
    assert numbers == [*parts, *parts]  # by people and by the judge


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


def test_without_a_sample_that_has_an_order_there_is_no_interval() -> None:
    """Of three resamples, none has the only topic on which runs differ by people."""
    people = np.full((4, 3), 0.5)
    people[0] = [0.1, 0.2, 0.3]
    judge = people + np.arange(4)[:, None] / 10
    seed = next(seed for seed in range(1000)
                if not np.vstack([*Resamples(4, 3, seed).counts()])[:, 0].any())  # fmt: skip
    found = agreement.tau_of(rows(people), rows(judge), LEVEL, Drawing(3, seed))
    expected = pytest.approx((1.0, np.nan, np.nan, 0.0), nan_ok=True)
    assert (found.value, found.low, found.high, found.error) == expected


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


def test_p_has_to_be_below_alpha() -> None:
    """A p that is α to the last bit, which not every p can be, is not significant."""
    tried = 0
    for high in range(2, 60):
        people = rows(np.array([[1.0, 0.0], [float(high), 0.0]]))
        sample = Paired(people.values, Pairs.all(2)).sample
        p = float(two_sided(statistic(sample), sample.df)[0])
        level = float(1 - Decimal(repr(p)))
        if alpha_of(level) == p:
            tried += 1
            assert agreement.decisions(people, people, level).kept == 0
            assert agreement.decisions(people, people, level - 1e-9).kept == 1
    assert tried > 3


@pytest.mark.parametrize("design", ["collections", "groups", "groups in collections"])
def test_decisions_are_those_of_the_design(design: str) -> None:
    """By Welch, by CR2, or by both; topics as if independent would decide otherwise."""
    random = np.random.default_rng(5)
    strata = (9, 15) if "collections" in design else (24,)
    sizes = [1, 4, 2, 2, 1, 3, 5, 6] if "groups" in design else [1] * 24
    people = np.repeat(random.normal(0, 0.2, (len(sizes), 10)), sizes, axis=0)
    people += random.normal(0, 0.05, (24, 10)) + np.linspace(0, 0.5, 10)
    people[: strata[0]] *= 3
    groups = groups_of(sizes).codes if "groups" in design else None
    numbers = np.bincount(np.repeat(np.arange(len(strata)), strata)[np.cumsum(sizes) - 1])
    own_sizes = np.split(np.array(sizes), np.cumsum(numbers)[:-1])
    told = plainly = 0
    for run in range(10):
        for other in range(run + 1, 10):
            difference = people[:, run] - people[:, other]
            parts = np.split(difference, np.cumsum(strata)[:-1])
            mean, se, df = mean_se_df([*zip(parts, own_sizes, strict=True)])
            told += 2 * stats.t.sf(abs(mean) / se, df) < 0.05
            plainly += stats.ttest_1samp(difference, 0).pvalue < 0.05
    own = rows(people, strata if len(strata) > 1 else (), groups)
    found = agreement.decisions(own, own, 0.95)
    assert found == agreement.Decisions(45, told, 0, 0, 0)
    assert 0 < told < 45
    assert told != plainly


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


def test_means_over_collections_have_the_t_intervals_of_welch() -> None:
    people, _ = judged(24, 3)
    found = agreement.means_of(rows(people, (6, 18)), 0.9)
    expected = [t_interval([own[:6], own[6:]], 0.9) for own in people.T]
    assert np.column_stack([found.low, found.high]) == pytest.approx(np.array(expected))


def test_a_median_of_nothing_is_nothing() -> None:
    assert agreement.median(np.array([np.nan, 3.0, 1.0])) == 2.0
    assert np.isnan(agreement.median(np.array([np.nan])))


# All of it


def test_agreement_is_of_topics_with_both_judges_and_worth_is_of_all() -> None:
    """Bias, correlation, τ and decisions of the former; effective topics longhand."""
    parts = some_parts(3, [(14, 50, 0)], runs=9)
    (part,), drawing = parts, Drawing(300, 5)
    told: list[tuple[int, int]] = []
    found = agreement.agreement(
        two_of(parts), 0.9, drawing, lambda done, of: told.append((done, of))
    )
    people, judge = rows(part.h), rows(part.f)
    assert found.bias == pytest.approx(part.f.mean() - part.h.mean())
    of_runs = [stats.pearsonr(*both).statistic for both in zip(part.h.T, part.f.T, strict=True)]
    assert found.correlation == pytest.approx(np.median(of_runs))
    assert found.tau == agreement.tau_of(people, judge, 0.9, drawing)
    assert found.tau != agreement.tau_of(people, judge, 0.8, drawing)
    assert found.decisions == agreement.decisions(people, judge, 0.9)
    worth = [part.h[:, run].var(ddof=1) / mean_of_run(parts, run)[1] ** 2 for run in range(9)]
    assert found.effective_topics == pytest.approx(np.median(worth))
    assert told[-1] == (300, 300)
