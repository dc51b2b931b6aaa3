"""Soboroff (2014), Figures 2 and 3: coverage of 95% intervals on four collections.

His program differs from the paper in two ways that show: its bootstrap-t cuts α instead of α/2 from
each tail, so that its intervals are those of level 0.90; and its t interval divides by n, not n-1,
for the standard deviation, so that it is that of a slightly lower level. All levels come from the
same samples. He resampled each sample 5,000 times; here its bootstrap is the ideal one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtr, stdtrit

from confint_cli.common.measures import canonical
from confint_cli.scores.scores import Matrix
from confint_cli.stats.coverage import Simulation, tallies
from confint_cli.stats.estimate import Estimation
from tests.reproduction.load import collection, published_coverage

REPLICATES = 1000
LEVEL = 0.95
CUT_TWICE = 0.90  # what cutting α from each tail makes of it
ALLOWED = 3  # standard errors of a difference of quartiles
SLIPS = {"t": 2, "percentile": 0, "bootstrap-t": 1, "bca": 0}  # which of the levels is published


def shrunk_level(topics: int) -> float:
    """Return the level that the t interval has when its s divides by n."""
    shrunk = stdtrit(topics - 1, (1 + LEVEL) / 2) * np.sqrt((topics - 1) / topics)
    return float(2 * stdtr(topics - 1, shrunk) - 1)


@dataclass(frozen=True)
class Box:
    """The coverage of the runs of a collection by one measure and method: a box of the figures."""

    collection: str
    measure: str
    method: str
    runs: tuple[str, ...]
    published: np.ndarray  # [run]
    slipped: np.ndarray  # ours, with the slip of this method put back
    ours: np.ndarray
    width: np.ndarray  # the mean width of ours

    @staticmethod
    def quartiles(coverage: np.ndarray) -> np.ndarray:
        return np.quantile(coverage, [0.25, 0.5, 0.75])

    @cached_property
    def error(self) -> np.ndarray:
        """The standard error of the difference between two such boxes' quartiles.

        Found by drawing both anew: each run's coverage is that of so many samples.
        """
        random = np.random.default_rng(0)
        drawn = random.binomial(REPLICATES, self.slipped, (2, 400, len(self.slipped))) / REPLICATES
        first, second = np.quantile(drawn, [0.25, 0.5, 0.75], axis=2).transpose(1, 0, 2)
        error: np.ndarray = (first - second).std(axis=1)
        return error

    @property
    def agrees(self) -> bool:
        """Whether all quartiles are within Monte Carlo error and rounding to three decimals."""
        difference = np.abs(self.quartiles(self.published) - self.quartiles(self.slipped))
        return bool((difference <= ALLOWED * self.error + 0.0005).all())


def boxes(name: str, replicates: int = REPLICATES, resamples: int | None = None) -> Iterator[Box]:
    """Yield all boxes of a collection."""
    matrices = collection(name)
    (topics,) = {len(matrix.topics) for matrix in matrices}
    levels = (LEVEL, CUT_TWICE, shrunk_level(topics))
    methods = tuple(SLIPS)
    how = Estimation(methods, levels, resamples)
    found = tallies(matrices, [methods] * len(matrices), how, Simulation(replicates))
    for (place, _), tally in found.items():
        coverage = np.einsum("rmml->rml", tally.covered) / replicates
        width = tally.width[:, :, 0] / replicates
        for here, (method, slip) in enumerate(SLIPS.items()):
            yield _box(name, matrices[place], method, coverage[:, here], width[:, here], slip)


def _box(
    name: str, matrix: Matrix, method: str, coverage: np.ndarray, width: np.ndarray, slip: int
) -> Box:
    """Return a box of the runs that have a published row."""
    measure = canonical(matrix.measure)
    rows = {
        run: value
        for (of, by, method_, run), value in published_coverage().items()
        if (of, by, method_) == (name, measure, method)
    }
    there = [place for place, run in enumerate(matrix.runs) if run in rows]
    assert len(there) == len(rows)
    runs = tuple(matrix.runs[place] for place in there)
    return Box(
        name,
        matrix.measure,
        method,
        runs,
        np.array([rows[run] for run in runs]),
        coverage[there, slip],
        coverage[there, 0],
        width[there],
    )
