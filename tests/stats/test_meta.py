"""The random-effects meta-analysis, against R's metafor, longhand, and what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from confint_cli.stats.meta import Meta, meta_analysis
from confint_cli.stats.names import DERSIMONIAN_LAIRD, HARTUNG_KNAPP
from tests.stats.longhand_collections import CASES, reference_parts, reference_rows
from tests.versions import T_ERROR

PRECISION = max(1e-9, T_ERROR)
METHODS = {"dl": DERSIMONIAN_LAIRD, "hk": HARTUNG_KNAPP}


def of_parts(*pairs: list[np.ndarray]) -> Meta:
    """Of differences [topic] in each collection, for each pair."""
    differences = [[part.mean() for part in parts] for parts in pairs]
    variances = [[part.var(ddof=1) / len(part) for part in parts] for parts in pairs]
    return meta_analysis(np.array(differences).T, np.array(variances).T)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", METHODS)
def test_it_is_what_metafor_says(case: str, quantity: str) -> None:
    found, method = of_parts(reference_parts(case, "difference")), METHODS[quantity]
    rows = [row for row in reference_rows(quantity) if row["case"] == case]
    assert len(rows) == 2
    for row in rows:
        low, high = found.limits(method, np.array([float(row["level"])]))
        ours = {
            "estimate": found.difference, "se": found.se[method], "low": low[0], "high": high[0],
            "p": found.p(method), "tau2": found.tau2, "i2": 100 * found.i2,
        }  # fmt: skip
        for name, (value,) in ours.items():
            assert value == pytest.approx(float(row[name]), rel=PRECISION, abs=1e-15), name
        df = found.df(method)
        assert np.isnan(df) if row["df"] == "" else df == float(row["df"])


def test_the_cases_have_variance_between_collections_and_none() -> None:
    """So that nothing above is about one branch alone."""
    tau2 = {row["case"]: float(row["tau2"]) for row in reference_rows("dl")}
    assert tau2["two"] == 0
    assert tau2["three"] > 0
    assert tau2["six"] > 0


def test_pairs_do_not_change_one_another() -> None:
    random = np.random.default_rng(0)
    pairs = [[random.normal(mean, 0.3, size) for size in (5, 9, 40, 12)] for mean in (0, 0.1, 0.5)]
    together = of_parts(*pairs)
    for place, parts in enumerate(pairs):
        alone = of_parts(parts)
        for name in ("difference", "tau2", "i2"):
            assert getattr(alone, name)[0] == getattr(together, name)[place]
        for method in (DERSIMONIAN_LAIRD, HARTUNG_KNAPP):
            assert alone.se[method][0] == together.se[method][place]
            assert alone.p(method)[0] == together.p(method)[place]


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(1e-4, 1)), min_size=2, max_size=12
    ),
    st.sampled_from([0.5, 0.9, 0.99]),
)  # fmt: skip
def test_longhand(collections: list[tuple[float, float]], level: float) -> None:
    d, v = np.array(collections).T
    number = len(d)
    found = meta_analysis(d[:, None], v[:, None])
    w = 1 / v
    q = (w * (d - np.average(d, weights=w)) ** 2).sum()
    tau2 = max(0.0, (q - number + 1) / (w.sum() - (w**2).sum() / w.sum()))
    w = 1 / (v + tau2)
    mean = np.average(d, weights=w)
    assert found.tau2[0] == pytest.approx(tau2, rel=1e-9, abs=1e-12)
    assert found.difference[0] == pytest.approx(mean, rel=1e-9, abs=1e-12)
    assert 0 <= found.i2[0] < 1
    spread = (w * (d - mean) ** 2).sum() / (number - 1) / w.sum()
    for method, se, table in ((DERSIMONIAN_LAIRD, np.sqrt(1 / w.sum()), stats.norm),
                              (HARTUNG_KNAPP, np.sqrt(spread), stats.t(number - 1))):  # fmt: skip
        assert found.se[method][0] == pytest.approx(se, rel=1e-6, abs=1e-9)
        low, high = found.limits(method, np.array([level]))
        half = table.ppf((1 + level) / 2) * se
        assert (low[0, 0], high[0, 0]) == pytest.approx((mean - half, mean + half), abs=1e-6)
        leaves_0_out = low[0, 0] > 0 or high[0, 0] < 0
        if abs(abs(mean) - half) > 1e-9:
            assert leaves_0_out == (found.p(method)[0] < 1 - level)


def test_equal_precision_makes_hartung_and_knapp_the_t_test_of_the_means() -> None:
    d = np.random.default_rng(1).normal(0.1, 0.2, 8)
    found = meta_analysis(d[:, None], np.full((8, 1), 0.003))
    test = stats.ttest_1samp(d, 0)
    assert found.difference[0] == pytest.approx(d.mean())
    assert found.p(HARTUNG_KNAPP)[0] == pytest.approx(test.pvalue, rel=PRECISION)
    low, high = found.limits(HARTUNG_KNAPP, np.array([0.95]))
    ends = test.confidence_interval(0.95)
    assert (low[0, 0], high[0, 0]) == pytest.approx((ends.low, ends.high), rel=PRECISION)


def test_a_collection_without_variance_leaves_no_answer_of_its_pair() -> None:
    d = np.array([[0.1, 0.2], [0.3, 0.1], [0.2, 0.0]])
    v = np.array([[0.01, 0.01], [0.0, 0.02], [0.02, 0.01]])
    found = meta_analysis(d, v)
    for method in (DERSIMONIAN_LAIRD, HARTUNG_KNAPP):
        low, high = found.limits(method, np.array([0.9, 0.95]))
        assert np.isnan([*low[:, 0], *high[:, 0], found.p(method)[0]]).all()
        assert np.isfinite([*low[:, 1], *high[:, 1], found.p(method)[1]]).all()
    assert np.isnan([found.difference[0], found.tau2[0], found.i2[0]]).all()


@pytest.mark.parametrize("power", [-330, -200, 200, 330])
def test_very_small_and_very_large_scores_have_the_same_analysis_on_their_scale(power: int) -> None:
    """Beside pairs with usual scores."""
    random, scale = np.random.default_rng(3), 2.0 ** np.tile([power, 0], 10)
    d, v = random.normal(0.1, 0.2, (6, 20)), random.uniform(0.001, 0.03, (6, 20))
    usual, scaled = meta_analysis(d, v), meta_analysis(scale * d, scale**2 * v)
    assert (usual.tau2 > 0).any()
    assert scaled.i2.tolist() == usual.i2.tolist()
    assert (scaled.tau2 / scale**2).tolist() == usual.tau2.tolist()
    assert (scaled.difference / scale).tolist() == usual.difference.tolist()
    for method in (DERSIMONIAN_LAIRD, HARTUNG_KNAPP):
        assert (scaled.se[method] / scale).tolist() == usual.se[method].tolist()


def test_equal_runs_have_a_p_of_1() -> None:
    found = meta_analysis(np.zeros((4, 1)), np.full((4, 1), 0.01))
    assert (found.difference[0], found.tau2[0], found.i2[0]) == (0, 0, 0)
    assert found.p(DERSIMONIAN_LAIRD)[0] == 1
    assert found.p(HARTUNG_KNAPP)[0] == 1
