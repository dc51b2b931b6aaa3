"""The intervals that Soboroff (2014) published for four collections, from the same scores.

His program, also published, differs from what the paper says in three ways, put back here: its t
interval divides by n for the standard deviation; its bootstrap-t cuts α, not α/2, from each tail,
so that the rows are those of level 0.90; and its BCa (of the library scikits.bootstrap) does not
count ties between m* and m, where we count them half.

Bootstrap rows carry the Monte Carlo error of 5,000 resamples, those of BCa of 2,000: with these
numbers the published limits spread about ours by 1.0 to 1.1 standard errors. So we allow five: a
limit has to lie between our quantiles at p - 5·sd(p) and p + 5·sd(p), with sd(p) = √(p(1-p)/5000),
and the half unit of its last digit. Of some 10,500 limits a right program would break that with
one in hundreds of such tests. Allowing it in p, not in the limit, holds for coarse scores too.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from confint_cli.common.measures import canonical
from confint_cli.inputs import read_scores
from confint_cli.scores.join import Joining, join
from confint_cli.stats.bootstrap import Resampled, resample
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.methods import bca, percentile
from confint_cli.stats.quantiles import quantile, tails
from confint_cli.stats.random import Resamples
from confint_cli.stats.sample import Sample
from tests.inputs.test_all_formats import EVERYTHING

ROWS = {"trec8.adhoc": 3078, "trec13.robust": 1992, "trec15.terabyte-adhoc": 1464,
        "ntcir7.ir4qa": 480}  # fmt: skip
HALF_UNIT = 5.0001e-5
ALLOWED = 5
RESAMPLES = 20_000


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
def resampled(loaded: Collection) -> tuple[Sample, Resampled]:
    sample = Sample(loaded.scores)
    counts = Resamples(sample.topics, RESAMPLES, 0).counts()
    sample = resample(sample, counts, RESAMPLES, studentize=True)
    return sample, sample.resampled


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


def test_every_percentile_row_within_monte_carlo_error(
    loaded: Collection, resampled: tuple[Sample, Resampled]
) -> None:
    sample, drawn = resampled
    levels = np.array([0.95])
    ends = []
    for p in tails(levels):
        sd = np.sqrt(p * (1 - p) / 5000)
        around = [quantile(drawn.deviations, p + side * ALLOWED * sd)[0] for side in (-1, 1)]
        ends.append([sample.mean + one for one in around])
    assert outside(loaded.published["bootstrap_pct"], *ends) == []
    # The limits of the product are those in the middle.
    low, high = percentile.interval(sample, levels)
    for (least, greatest), ours in zip(ends, (low, high), strict=True):
        assert ((least <= ours[0]) & (ours[0] <= greatest)).all()


def test_every_bootstrap_t_row_is_of_level_90_not_95(
    loaded: Collection, resampled: tuple[Sample, Resampled]
) -> None:
    sample, drawn = resampled
    assert drawn.studentized is not None
    rows = loaded.published["bootstrap_t"]
    wrong = {}
    for level in (0.90, 0.95):
        ends = []
        for p in reversed(tails(np.array([level]))):
            sd = np.sqrt(p * (1 - p) / 5000)
            with np.errstate(invalid="ignore"):  # scores without variance have no published row
                around = [
                    sample.mean - quantile(drawn.studentized, p + side * sd)[0] * sample.se
                    for side in (ALLOWED, -ALLOWED)
                ]
            ends.append(around)
        wrong[level] = outside(rows, *ends)
    assert wrong[0.90] == []
    assert len(wrong[0.95]) > 0.9 * 2 * len(rows)


def test_every_bca_row_within_monte_carlo_error(
    loaded: Collection, resampled: tuple[Sample, Resampled]
) -> None:
    sample, drawn = resampled
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
    low, high = bca.interval(sample, np.array([0.95]))
    untied = (np.abs(drawn.deviations.values) > drawn.rounding[:, None]).all(axis=1)
    assert untied.sum() > 50
    for (least, greatest), ours in zip(ends, (low[0], high[0]), strict=True):
        middle = (least <= ours) & (ours <= greatest)
        assert middle[untied].all()
