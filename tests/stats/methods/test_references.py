"""The intervals against what nobody here wrote: R's boot, scipy; and against longhand."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.methods import methods, usual_methods
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample
from tests.conftest import data_folder
from tests.reference import boot_ci
from tests.stats.methods import longhand

REFERENCE = Path(boot_ci.__file__).parent / "boot_ci.tsv"
BOOTSTRAP = tuple(name for name, method in methods().items() if method.resamples)


def ours(x: np.ndarray, names: tuple[str, ...], levels: tuple[float, ...], b: int, seed: int):
    return estimate(Sample(x[:, None]), Estimation(names, levels, b, seed)).limits


# Of four methods at three levels, how many R defines as we do, where these are not all: nine
# without BCa (ties), six without bootstrap-t too (resamples of equal scores).
EXPECTED = {
    ("soboroff2014/trec8.adhoc/weaver1.eval", "P10"): 9,
    ("soboroff2014/trec8.adhoc/isa25.eval", "map"): 9,
    ("soboroff2014/trec13.robust/apl04rsTDNfw.eval", "P30"): 9,
    ("sample_runs/trec_eval/hybrid.eval", "P_10"): 9,
    ("sample_runs/trec_eval/keyword.eval", "map"): 6,
    ("sample_runs/trec_eval/keyword.eval", "recip_rank"): 6,
}


def is_defined_alike(row: dict[str, str]) -> bool:
    if row["method"] == "bca":
        return row["ties"] == "0"
    return row["method"] != "bootstrap-t" or row["equal"] == "0"


@pytest.mark.parametrize(("path", "measure"), boot_ci.COLUMNS)
def test_boot_ci_of_r_with_the_same_resamples(path: str, measure: str) -> None:
    """Equal to 1e-9 (R's print has 12 decimals) wherever the definition is the same."""
    if not path.startswith("sample_runs") and not data_folder().is_dir():
        pytest.skip("needs real evaluation data: set CONFINT_DATA to their folder")
    with REFERENCE.open(encoding="utf-8") as file:
        rows = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if (row["file"], row["measure"]) == (path, measure)
        ]
    names = ("basic", "bca", "bootstrap-t", "percentile")
    limits = ours(
        boot_ci.scores_of(path, measure), names, boot_ci.LEVELS, boot_ci.RESAMPLES, boot_ci.SEED
    )
    same = [row for row in rows if is_defined_alike(row)]
    assert len(same) == EXPECTED.get((path, measure), 12)
    for row in same:
        name, level = row["method"], boot_ci.LEVELS.index(float(row["level"]))
        assert limits[name].low[level, 0] == pytest.approx(float(row["low"]), abs=1e-9)
        assert limits[name].high[level, 0] == pytest.approx(float(row["high"]), abs=1e-9)


@pytest.mark.parametrize("name", usual_methods())
def test_something_else_than_the_method_itself_knows_its_limits(name: str) -> None:
    own = Path(__file__).parent / f"test_{name.replace('-', '_')}.py"
    assert name in longhand.KNOWN or own.exists(), f"write {own.name} beside this file"


@pytest.mark.parametrize("name", longhand.KNOWN)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("kind", ["skewed", "coarse", "zeros"])
def test_limits_are_those_of_the_textbook_longhand(name: str, level: float, kind: str) -> None:
    random = np.random.default_rng(1)
    x = {
        "skewed": random.beta(0.5, 1.5, 37),
        "coarse": random.integers(0, 11, 37) / 10,
        "zeros": random.beta(0.5, 1.5, 37) * (random.random(37) < 0.4),
    }[kind]
    if methods()[name].refuses(x) is not None:
        x = (x > 0.2).astype(float)
    counts = np.vstack(list(Resamples(37, 599, 3).counts())).astype(int)
    drawn = np.array([np.repeat(np.arange(37), row) for row in counts])
    assert drawn.shape == (599, 37)
    low, high = longhand.interval(name, x, drawn, level)
    limits = ours(x, (name,), (level,), 599, 3)[name]
    assert limits.low[0, 0] == pytest.approx(low, abs=1e-9)
    assert limits.high[0, 0] == pytest.approx(high, abs=1e-9)


def test_the_t_interval_is_that_of_scipy() -> None:
    x = np.random.default_rng(2).beta(0.5, 1.5, (50, 40))
    found = estimate(Sample(x), Estimation(("t",), (0.9, 0.999)))
    for place, level in enumerate((0.9, 0.999)):
        low, high = stats.t.interval(level, 49, x.mean(axis=0), stats.sem(x))
        np.testing.assert_allclose(found.limits["t"].low[place], low, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.limits["t"].high[place], high, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.se, stats.sem(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "theirs"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_scipys_bootstrap_within_monte_carlo_error(name: str, theirs: str, level: float) -> None:
    """Scipy draws its own resamples, as many: five standard errors of the difference."""
    x = np.random.default_rng(4).beta(0.5, 1.5, 60)
    number = 20_000
    result = stats.bootstrap(
        (x,), np.mean, confidence_level=level, n_resamples=number, method=theirs,
        random_state=np.random.default_rng(5), vectorized=True,
    ).confidence_interval  # fmt: skip
    limits = ours(x, (name,), (level,), number, 6)[name]
    allowed = 5 * np.sqrt(2)
    assert abs(limits.low[0, 0] - result.low) < allowed * limits.low_error[0, 0]
    assert abs(limits.high[0, 0] - result.high) < allowed * limits.high_error[0, 0]
    assert limits.low_error[0, 0] < 0.02 * (result.high - result.low)


def test_resamples_draw_topics_evenly() -> None:
    """Each is drawn as often as any other, independently: chi-square over a million draws."""
    counts = np.vstack(list(Resamples(50, 20_000, 0).counts()))
    assert (counts.sum(axis=1) == 50).all()
    drawn = counts.sum(axis=0)
    assert stats.chisquare(drawn).pvalue > 0.001
    variance = counts.var(axis=0, ddof=1)  # of a binomial
    np.testing.assert_allclose(variance, 50 * (1 / 50) * (49 / 50), rtol=0.06)
    assert np.corrcoef(counts[:, 0], counts[:, 1])[0, 1] == pytest.approx(-1 / 49, abs=0.03)
