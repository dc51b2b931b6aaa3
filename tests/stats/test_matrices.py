"""Samples and pairs of a matrix, as its design has them: groups of topics, collections, repeats."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.matrices import (
    design_effects,
    design_effects_of_pairs,
    paired_of,
    rows_can_be_resampled,
    sd_of_topics,
)
from confint_cli.stats.pairs import Pairs
from tests.stats.longhand_collections import mean_se_df
from tests.stats.test_groups import groups_of, in_collections, macro_of, matrix_of
from tests.stats.test_repeats import matrix_in_repeats, some_table


def test_no_resamples_of_repeats_of_groups_in_collections_or_of_a_few_collections() -> None:
    values = np.random.default_rng(1).random((12, 3))
    groups, strata = groups_of((3, 2, 4, 3)), (5, 7)
    plain = matrix_of(values)
    assert rows_can_be_resampled(plain)
    assert rows_can_be_resampled(matrix_of(values, groups))
    assert rows_can_be_resampled(matrix_of(values, strata=strata))
    assert not rows_can_be_resampled(matrix_of(values, groups, strata))
    assert not rows_can_be_resampled(matrix_in_repeats([some_table(1, 12, 3)]))
    assert not rows_can_be_resampled(replace(plain, unit="collection"))


def test_the_design_effect_over_collections_is_the_ratio_of_both_variances() -> None:
    random = np.random.default_rng(3)
    sizes = ((3, 1, 4, 2, 5), (2, 6, 1, 3))
    parts = [np.repeat(random.random((len(own), 3)), own, axis=0) for own in sizes]
    parts = [own + random.normal(0, 0.2, own.shape) for own in parts]
    matrix = macro_of([*zip(parts, sizes, strict=True)])

    def effect(columns: list[np.ndarray]) -> float:
        grouped = in_collections([*zip(columns, sizes, strict=True)])[1]
        return (grouped / mean_se_df(columns)[1]) ** 2

    wanted = [effect([own[:, run] for own in parts]) for run in range(3)]
    assert design_effects(matrix) == pytest.approx(wanted)
    wanted = [
        effect([own[:, a] - own[:, b] for own in parts])
        for a, b in itertools.combinations(range(3), 2)
    ]
    assert design_effects_of_pairs(matrix, Pairs.all(3)) == pytest.approx(wanted)


def test_without_groups_or_variance_there_is_no_design_effect() -> None:
    values = np.random.default_rng(2).random((9, 4))
    assert np.isnan(design_effects_of_pairs(matrix_of(values), Pairs.all(4))).tolist() == [True] * 6
    grouped = matrix_of(np.column_stack([values, np.full(9, 0.1)]), groups_of((2, 3, 4)))
    assert np.isnan(design_effects(grouped)).tolist() == [False] * 4 + [True]


def test_the_sd_is_that_of_topics_and_collections_have_none_in_common() -> None:
    values = np.random.default_rng(4).random((9, 2))
    for groups in (None, groups_of((2, 3, 4))):
        assert sd_of_topics(matrix_of(values, groups)) == pytest.approx(values.std(axis=0, ddof=1))
        assert np.isnan(sd_of_topics(matrix_of(values, groups, (5, 4)))).all()


def test_runs_with_equal_sums_of_each_group_are_not_identical() -> None:
    one = np.array([0.25, 0.5, 0.75, 0.5, 0.0, 1.0])
    values = np.column_stack([one, one[[2, 1, 0, 3, 5, 4]], one])
    paired = paired_of(matrix_of(values, groups_of((3, 1, 2))), Pairs.all(3))
    assert not paired.differences.any()
    assert paired.identical.tolist() == [False, True, False]


def test_a_run_without_repeats_is_the_fewest_of_a_pair_whose_repeats_are_paired() -> None:
    tables = [some_table(seed, 20, number) for seed, number in enumerate((1, 4, 4))]
    paired = paired_of(matrix_in_repeats(tables), Pairs.all(3), paired_repeats=True)
    assert paired.repeats is not None
    assert paired.repeats.fewest.tolist() == [1, 1, 4]
    difference = tables[1] - tables[0]
    by_repeat = stats.sem(difference.mean(axis=0)) ** 2
    assert 0 < paired.repeats.added[0] < by_repeat
