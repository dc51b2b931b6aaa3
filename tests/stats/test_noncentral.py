"""The noncentral t distribution: arithmetic of many digits, scipy, and its own promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import nctdtrinc

from confint_cli.stats.noncentral import below, shifts

# P(T ≤ t) with 30 digits: mpmath.quad of Φ(ts - δ) over the density of S.
EXACT = [
    (5.7, 49, 3.4, 0.9758928004291293),
    (5.7, 49, 7.9, 0.026976018814835138),
    (80.0, 49, 64.0, 0.9755453232406098),
    (0.1, 199, -1.8, 0.9712736368894874),
    (0.1, 1, 1.5, 0.07815344709625108),
    (3.0, 1, 7.0, 0.0268566955074777),
    (20.0, 1, 7.0, 0.7266664436384201),
    (4.2, 1, 3.0, 0.48706972593733905),
    (2.0, 1, 6.0, 0.007290358029518775),
    (60.0, 2999, 58.0, 0.9426996617602006),
    (1e4, 49, 9e3, 0.8261597008831482),
    (-2.0, 9, -3.0, 0.8306638952572656),
    (2.0, 9, -1.5, 0.9991911817106702),
    (29.0, 49, 40.0, 0.00026649055045541403),
    (1.3, 3, 2.7, 0.09094454079899061),
    (0.3, 300, 3.0, 0.0034664789469638466),
]


def of_one(t: float, df: float, shift: float) -> float:
    return float(below(np.array([t]), np.array([df]), np.array([shift]))[0])


@pytest.mark.parametrize(("t", "df", "shift", "exact"), EXACT)
def test_the_tail_by_arithmetic_of_many_digits(
    t: float, df: float, shift: float, exact: float
) -> None:
    assert of_one(t, df, shift) == pytest.approx(exact, rel=1e-13)
    assert of_one(-t, df, -shift) == pytest.approx(1 - exact, rel=1e-10)


@given(st.floats(-300, 300), st.sampled_from([1.0, 2.0, 7.0, 49.0, 500.0]), st.floats(-300, 300))
def test_both_tails_together_are_everything(t: float, df: float, shift: float) -> None:
    assert of_one(t, df, shift) + of_one(-t, df, -shift) == pytest.approx(1, abs=1e-12)


def test_without_a_shift_it_is_students_t() -> None:
    t = np.array([-30.0, -2.0, 0.0, 0.5, 3.0, 1e3])
    for df in (1.0, 4.0, 49.0, 1e4):
        found = below(t, np.full(6, df), np.zeros(6))
        assert found == pytest.approx(stats.t.cdf(t, df), rel=1e-11)


@given(
    st.floats(-1e4, 1e4),
    st.sampled_from([1.0, 2.0, 9.0, 49.0, 249.0, 1e5]),
    st.sampled_from([0.5, 0.8, 0.95, 0.999, 0.999999]),
)
def test_limits_leave_the_same_probability_at_either_end(t: float, df: float, level: float) -> None:
    low, high = (ends[0, 0] for ends in shifts(np.array([t]), np.array([df]), np.array([level])))
    tail = (1 - level) / 2
    assert low < high
    assert of_one(t, df, high) == pytest.approx(tail, rel=1e-7)
    assert of_one(-t, df, -low) == pytest.approx(tail, rel=1e-7)


def test_limits_are_those_of_scipy_where_it_has_them() -> None:
    for t, df in ((5.7, 49.0), (0.1, 199.0), (-1.2, 9.0), (12.0, 30.0)):
        low, high = shifts(np.array([t]), np.array([df]), np.array([0.95]))
        expected = nctdtrinc(df, 0.975, t), nctdtrinc(df, 0.025, t)
        assert (low[0, 0], high[0, 0]) == pytest.approx(expected, rel=1e-5)


def test_a_column_has_the_same_limits_alone_and_among_others() -> None:
    t = np.array([0.0, 3.0, -80.0, np.inf, np.nan, 1e6])
    df = np.array([9.0, 1.0, 49.0, 9.0, 9.0, 49.0])
    levels = np.array([0.8, 0.95])
    together = shifts(t, df, levels)
    for column in range(len(t)):
        alone = shifts(t[[column]], df[[column]], levels)
        for ends, own in zip(together, alone, strict=True):
            assert ends[:, column] == pytest.approx(own[:, 0], rel=1e-9, nan_ok=True)
    assert np.isnan(together[0][:, 3:5]).all()
