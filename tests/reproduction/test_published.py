"""The intervals that Soboroff (2014) published for four collections, from the same scores.

His program, also published, differs from what the paper says in three ways, put back here: its t
interval divides by n for the standard deviation; its bootstrap-t cuts α, not α/2, from each tail,
so that the rows are those of level 0.90; and its BCa (of the library scikits.bootstrap) does not
count ties between m* and m, where we count them half.

Bootstrap rows carry the Monte Carlo error of 5,000 resamples, those of BCa of 2,000, and ours of
percentile and bootstrap-t none, or next to none. So we allow five standard errors: a limit has to
lie between our quantiles at p - 5·sd(p) and p + 5·sd(p), with sd(p) = √(p(1-p)/5000), and the half
unit of its last digit. Of some 10,500 limits a right program would break that with one in hundreds
of such tests. Allowing it in p, not in the limit, holds for coarse scores too: it is our own limits
at a higher and at a lower level.

BCa is resampled here, 20,000 times. The published program counts the resamples with m* < m in the
printed digits, by which sums that are equal in thirds (P30) differ; the ideal bootstrap takes .3333
for a third, and has ties there.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from confint_cli.common.measures import canonical
from confint_cli.inputs import read_scores
from confint_cli.scores.join import Joining, join
from confint_cli.stats.bootstrap import resample
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.ideal.bootstrap import IdealBootstrap, columns_of
from confint_cli.stats.methods import bca
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.quantiles import quantile
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample
from tests.inputs.test_all_formats import EVERYTHING

ROWS = {"trec8.adhoc": 3078, "trec13.robust": 1992, "trec15.terabyte-adhoc": 1464,
        "ntcir7.ir4qa": 480}  # fmt: skip
HALF_UNIT = 5.0001e-5
ALLOWED = 5
RESAMPLES = 20_000  # of bca


def around(level: float) -> tuple[float, float]:
    """Return the levels whose tails are those of a level less, and more, what is allowed."""
    p = (1 - level) / 2
    allowed = ALLOWED * np.sqrt(p * (1 - p) / 5000)
    return 1 - 2 * (p - allowed), 1 - 2 * (p + allowed)


LEVELS = (0.95, *around(0.95), *around(0.90))


@dataclass(frozen=True)
class Collection:
    scores: np.ndarray  # [topic, column]
    columns: dict[tuple[str, str], int]  # of run and measure
    published: dict[str, dict[int, tuple[float, float, float]]]  # by method, column: mean, ends


def load(folder: Path, name: str) -> Collection:
    rows = [line.split() for line in (folder / "published.txt").read_text().splitlines()]
    rows = [row[1:] for row in rows if row[0] == name]
    measures = tuple(sorted({row[1] for row in rows}))
    paths = sorted((folder / name).glob("*.eval"))
    readings = [read_scores(str(path), EVERYTHING)[1] for path in paths]
    scores, _ = join(readings, Joining(measures=measures))
    columns = {
        (run, canonical(measure)): place * len(scores.measures) + index
        for place, run in enumerate(scores.runs)
        for index, measure in enumerate(scores.measures)
    }
    published: dict[str, dict[int, tuple[float, float, float]]] = {}
    for run, measure, method, mean, low, high, *_ in rows:
        column = columns[run, canonical(measure)]
        published.setdefault(method, {})[column] = (float(mean), float(low), float(high))
    return Collection(scores.values.reshape(len(scores.topics), -1), columns, published)


@pytest.fixture(scope="module", params=ROWS)
def collection(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def loaded(data: Path, collection: str) -> Collection:
    return load(data / "soboroff2014", collection)


@pytest.fixture(scope="module")
def ideal(loaded: Collection) -> Estimate:
    """The product's own limits at 95%, and at the levels around 95% and 90%."""
    methods = ("percentile", "bootstrap-t", "bca")
    return estimate(Sample(loaded.scores), Estimation(methods, LEVELS))


def outside(
    published: dict[int, tuple[float, float, float]], low: list[np.ndarray], high: list[np.ndarray]
) -> list[tuple[int, float]]:
    """Return the published limits beyond the allowed ones: low and high are (least, greatest)."""
    wrong = []
    for column, (_, *ends) in published.items():
        for end, (least, greatest) in zip(ends, (low, high), strict=True):
            if not least[column] - HALF_UNIT <= end <= greatest[column] + HALF_UNIT:
                wrong.append((column, end))
    return wrong


def test_every_row_is_there(loaded: Collection, collection: str) -> None:
    assert sum(map(len, loaded.published.values())) == ROWS[collection]
    assert loaded.published.keys() == {"t", "bootstrap_pct", "bootstrap_t", "sk.bs-bca"}
    means = loaded.scores.mean(axis=0)
    for rows in loaded.published.values():
        for column, (mean, *_) in rows.items():
            assert abs(means[column] - mean) < HALF_UNIT


def test_every_t_row_to_the_printed_digit(loaded: Collection) -> None:
    found = estimate(Sample(loaded.scores), Estimation(("t",), (0.95,)))
    limits, n = found.limits["t"], found.topics
    shrunk = (limits.high - limits.low)[0] / 2 * np.sqrt((n - 1) / n)
    for column, (_, low, high) in loaded.published["t"].items():
        assert abs(found.mean[column] - shrunk[column] - low) < HALF_UNIT
        assert abs(found.mean[column] + shrunk[column] - high) < HALF_UNIT


def beyond(
    published: dict[int, tuple[float, float, float]], limits: Limits, level: float
) -> list[tuple[int, float]]:
    """Return the published limits beyond what is allowed around those of a level."""
    outer, inner = map(LEVELS.index, around(level))
    low, high = ([end[outer], end[inner]] for end in (limits.low, limits.high))
    return outside(published, low, high[::-1])


def test_every_percentile_row_within_monte_carlo_error(loaded: Collection, ideal: Estimate) -> None:
    assert beyond(loaded.published["bootstrap_pct"], ideal.limits["percentile"], 0.95) == []


def test_percentile_rows_spread_about_ours_as_5000_resamples_do(loaded: Collection) -> None:
    """Measures without a lattice: in standard errors of a share, 1.00 in the root mean square."""
    sample = Sample(loaded.scores)
    bootstrap = IdealBootstrap.of(sample, columns_of(sample))
    off = []
    for (_, measure), column in loaded.columns.items():
        distribution, row = bootstrap.distributions[column], loaded.published["bootstrap_pct"]
        if distribution is None or column not in row or measure.startswith("P_"):
            continue
        half_step = np.diff(distribution.points[:2]) / 2  # a point stands for those around it
        points, shares = distribution.points + half_step, np.cumsum(distribution.probabilities)
        for end, p in zip(row[column][1:], (0.025, 0.975), strict=True):
            share = np.interp(end - sample.mean[column], points, shares)
            off.append((share - p) / np.sqrt(p * (1 - p) / 5000))
    assert len(off) >= 240
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1, abs=0.08)


def test_every_bootstrap_t_row_is_of_level_90_not_95(loaded: Collection, ideal: Estimate) -> None:
    rows, limits = loaded.published["bootstrap_t"], ideal.limits["bootstrap-t"]
    assert beyond(rows, limits, 0.90) == []
    assert len(beyond(rows, limits, 0.95)) > 0.9 * 2 * len(rows)


def test_every_bca_row_within_monte_carlo_error(loaded: Collection, ideal: Estimate) -> None:
    sample = Sample(loaded.scores)
    counts = Resamples(sample.topics, RESAMPLES, 0).counts()
    sample = resample(sample, counts, RESAMPLES, studentize=False)
    drawn = sample.resampled
    strictly_below = (drawn.deviations.values < -drawn.rounding[:, None]).mean(axis=1)
    strictly_below = strictly_below.clip(1e-4, 1)  # all scores equal: there is no published row
    ends = []
    acceleration = bca._acceleration(sample)
    for z in bca._normal(np.array([0.95])):
        p = bca._adjusted(z, strictly_below, acceleration)
        sd = bca._adjusted_sd(p, z, strictly_below, acceleration, 2000)
        around = [quantile(drawn.deviations, p + side * ALLOWED * sd)[0] for side in (-1, 1)]
        ends.append([sample.mean + one for one in around])
    assert outside(loaded.published["sk.bs-bca"], *ends) == []
    # The product's own limits lie in the middle, where no ties make its definition another.
    limits, at = ideal.limits["bca"], LEVELS.index(0.95)
    untied = (np.abs(drawn.deviations.values) > drawn.rounding[:, None]).all(axis=1)
    assert untied.sum() > 50
    for (least, greatest), ours in zip(ends, (limits.low[at], limits.high[at]), strict=True):
        middle = (least <= ours) & (ours <= greatest)
        assert middle[untied].all()
