"""Non-inferiority and equivalence: R, pingouin, the interval rule, and how often they err."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confint_cli.stats.comparison import (
    Differences,
    Moments,
    paired_differences,
    unpaired_differences,
)
from confint_cli.stats.equivalence import Verdict, of_bounds, of_differences
from confint_cli.stats.identified import identified
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample
from tests.reference.effects import rows, scores

ONE = Pairs(np.array([0]), np.array([1]))


def known(values: np.ndarray, *, paired: bool = True) -> Differences:
    if paired:
        return paired_differences(Paired(values, ONE))
    moments = Moments(np.full(2, len(values)), values.mean(axis=0), values.std(axis=0, ddof=1))
    return unpaired_differences(moments, ONE)


@pytest.mark.parametrize("kind", ["tost", "tost-welch"])
def test_p_is_that_of_r(kind: str) -> None:
    for row in rows(kind):
        within = of_differences(
            known(scores()[row["case"]], paired=kind == "tost"), float(row["margin"])
        )
        expected = float(row["first"]), float(row["second"])
        found = within.noninferior[0], within.equivalent[0]
        assert found == pytest.approx(expected, rel=1e-7), row


@pytest.mark.parametrize("kind", ["pingouin", "pingouin-welch"])
def test_p_is_that_of_pingouin(kind: str) -> None:
    for row in rows(kind):
        within = of_differences(
            known(scores()[row["case"]], paired=kind == "pingouin"), float(row["margin"])
        )
        assert within.equivalent[0] == pytest.approx(float(row["first"]), rel=1e-7), row


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.05, 0.1, 0.4]), st.booleans())
def test_verdicts_follow_from_the_interval(seed: int, margin: float, paired: bool) -> None:
    """At 1 - 2α: within, above, below, above -δ alone, or nothing of all this."""
    values = np.random.default_rng(seed).beta(1, 2, (12, 2))
    each = known(values, paired=paired)
    (verdict,) = of_differences(each, margin).verdicts(0.05)
    half = stats.t.ppf(0.95, each.df[0]) * each.se[0]
    low, high = each.difference[0] - half, each.difference[0] + half
    expected = Verdict.UNDECIDED
    if -margin < low and high < margin:
        expected = Verdict.EQUIVALENT
    elif low > margin:
        expected = Verdict.SUPERIOR
    elif high < -margin:
        expected = Verdict.INFERIOR
    elif low > -margin:
        expected = Verdict.NOT_INFERIOR
    assert verdict is expected


def test_differences_without_variance_are_decided_by_themselves() -> None:
    values = np.array([[0.5, 0.4], [0.7, 0.6], [0.3, 0.2]])
    within = of_differences(known(values), 0.2)
    assert (within.noninferior[0], within.equivalent[0]) == (0, 0)
    assert of_differences(known(values), 0.05).verdicts(0.05) == [Verdict.SUPERIOR]
    at_the_margin = of_differences(known(values[:, ::-1]), 0.1)  # -0.1 but for last bits
    assert at_the_margin.noninferior[0] == 0.5
    assert at_the_margin.verdicts(0.05) == [Verdict.UNDECIDED]


def test_of_bounds_the_worse_end_counts() -> None:
    rng = np.random.default_rng(3)
    least = rng.normal(-0.02, 0.1, (30, 1))
    largest = least + rng.random((30, 1)) / 5
    within = of_bounds(identified(Sample(least), Sample(largest)), 0.1)
    above = stats.ttest_1samp(least[:, 0], -0.1, alternative="greater").pvalue
    below = stats.ttest_1samp(largest[:, 0], 0.1, alternative="less").pvalue
    assert within.noninferior[0] == pytest.approx(above)
    assert within.equivalent[0] == pytest.approx(max(above, below))
    alike = of_bounds(identified(Sample(least), Sample(least)), 0.1)
    assert alike.noninferior[0] == pytest.approx(above)


# The figures of docs/compare.md: how often a run at the margin is called not inferior, at 5%.


def differences(kind: str) -> np.ndarray:
    rng, many = np.random.default_rng(3), 100_000
    return {
        "normal": rng.normal(-0.02, 0.1, many),
        "steps": rng.choice([-0.2, -0.1, 0, 0, 0, 0, 0.1], many),
        "exponential losses": -rng.exponential(0.02, many),
        "rare losses": np.where(rng.random(many) < 0.02, -0.5, 0.0),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "error"),
    [("normal", 0.05), ("steps", 0.062), ("exponential losses", 0.087), ("rare losses", 0.365)],
)
def test_a_run_at_the_margin_is_called_not_inferior_as_often_as_is_said(
    kind: str, error: float
) -> None:
    """With 50 topics; rare losses that topics lack cannot be seen, which a note tells of."""
    of_all, samples = differences(kind), 4000
    drawn = of_all[np.random.default_rng(50).integers(0, len(of_all), (50, samples))]
    values = np.hstack([drawn, np.zeros((50, 1))])
    pairs = Pairs(np.arange(samples), np.full(samples, samples))
    within = of_differences(paired_differences(Paired(values, pairs)), -float(of_all.mean()))
    assert np.mean(within.noninferior < 0.05) == pytest.approx(error, abs=0.015)
