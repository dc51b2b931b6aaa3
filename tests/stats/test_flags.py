"""Doubts about intervals, by their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from confint_cli.stats.flags import (
    Doubt,
    doubts_about,
    doubts_about_columns,
    doubts_about_differences,
    doubts_about_limits,
    mostly_one_value,
)
from confint_cli.stats.sample import Sample


@given(
    topics=st.integers(2, 60),
    common=st.integers(0, 60),
    value=st.sampled_from([0.0, 0.3, 1.0, -2.5]),
    scale=st.sampled_from([1e-9, 1.0, 1e9]),
)
def test_one_value_is_noted_by_its_definition(
    topics: int, common: int, value: float, scale: float
) -> None:
    """If more than half of the topics have it, and a resample of nothing else is likely enough."""
    common = min(common, topics)
    others = 5 + np.arange(topics - common)
    scores = np.concatenate([np.full(common, value), others])[:, None] * scale
    zeros, one_value = (bool(found[0]) for found in mostly_one_value(Sample(scores), topics))
    expected = topics > common > topics / 2 and (common / topics) ** topics > 0.01
    assert (zeros, one_value) == (expected and value == 0, expected and value != 0)


def test_all_pairs_of_many_runs_are_judged_as_each_by_itself() -> None:
    """Columns are looked at in parts; where these end makes no difference."""
    random = np.random.default_rng(1)
    scores = np.round(random.exponential(size=(40, 5000)), 1)
    scores[:38, ::7] = 0.55
    together = doubts_about(Sample(scores))
    for column in (0, 6, 7, 1637, 1638, 1639, 4999):
        own = doubts_about(Sample(scores[:, [column]]))
        assert own[0] == together[column]
    assert {*together.tolist()} == {0, Doubt.SKEWED, Doubt.MOSTLY_ONE_VALUE}


def test_what_says_more_stands_alone() -> None:
    yes, no = np.array([True]), np.array([False])
    assert doubts_about_columns(1, no, zeros=yes, skewed=yes).tolist() == [Doubt.ONE_TOPIC]
    assert doubts_about_columns(9, no).tolist() == [Doubt.FEW_TOPICS | Doubt.NO_VARIANCE]
    assert doubts_about_columns(50, yes, zeros=yes, skewed=yes).tolist() == [Doubt.MOSTLY_ZEROS]
    assert doubts_about_columns(50, yes, one_value=yes, skewed=yes).tolist() == [
        Doubt.MOSTLY_ONE_VALUE
    ]
    assert doubts_about_columns(50, yes, skewed=yes).tolist() == [Doubt.SKEWED]
    assert doubts_about_columns(np.array([9, 10]), np.array([True, True])).tolist() == [
        Doubt.FEW_TOPICS,
        0,
    ]


def test_doubts_about_limits_are_those_that_a_method_is_not_immune_to() -> None:
    doubts = np.array([Doubt.FEW_TOPICS | Doubt.SKEWED, Doubt.NONE])
    low, high = np.array([[0.0, -np.inf], [0.0, 0.0]]), np.array([[1.0, 1.0], [1.0, np.inf]])
    assert doubts_about_limits(doubts, low, high, Doubt.SKEWED).tolist() == [
        [Doubt.FEW_TOPICS, Doubt.UNBOUNDED], [Doubt.FEW_TOPICS, Doubt.UNBOUNDED],
    ]  # fmt: skip
    assert (doubts_about_limits(doubts, low, high)[:, 0] & Doubt.SKEWED).all()


def test_differences_of_zero_are_ties() -> None:
    doubts = np.array([[Doubt.MOSTLY_ZEROS | Doubt.FEW_TOPICS, Doubt.SKEWED, Doubt.NO_VARIANCE]])
    identical = np.array([False, False, True])
    assert doubts_about_differences(doubts, identical).tolist() == [
        [Doubt.MOSTLY_TIES | Doubt.FEW_TOPICS, Doubt.SKEWED, Doubt.IDENTICAL]
    ]
