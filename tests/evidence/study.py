"""How often intervals cover, and tests err, in samples of real scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.parallel import ALL_CORES
from confint_cli.common.progress import no_progress
from confint_cli.scores.scores import Matrix
from confint_cli.stats.coverage import Simulation, tallies
from confint_cli.stats.estimate import Estimation, estimate
from confint_cli.stats.flags import skewed
from confint_cli.stats.methods import method_named
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Drawing, derived, generator
from confint_cli.stats.sample import Sample
from confint_cli.stats.significance import named_test
from tests.evidence.populations import Population

LEVEL = 0.95
SIZES = (5, 10, 20, 50, 100)
REPLICATES, RESAMPLES = 1000, 1999
OF_MEANS = ("t", "percentile", "basic", "bca", "bootstrap-t", "logit", "wilson")
OF_DIFFERENCES = OF_MEANS[:5]
STANDARDIZED = "t, standardised"
JUDGED_SIZES = (30, 50, 100)  # of samples whose own skewness is looked at
JUDGED_SAMPLES = 40  # of each column
JUDGED = {
    "scores": ("t", "bootstrap-t", "logit", "bca"),
    "differences": ("t", "bootstrap-t", "bca"),
}
TESTS = ("t", "randomization", "wilcoxon")
TESTED_SIZES = (10, 20, 50, 100)
TESTED_SAMPLES, TESTED_DRAWS = 20, 999
LAST_BITS = 1e-12  # by which numbers that are meant to be equal may differ


@dataclass(frozen=True)
class Covered:
    """What samples of one size gave by one method, a figure for each column of a population."""

    method: str
    size: int
    coverage: FloatArray
    miss_low: FloatArray  # the truth lies below the interval
    miss_high: FloatArray
    width: FloatArray  # the mean

    @property
    def error(self) -> float:
        """The mean share of intervals that miss."""
        return 1 - float(self.coverage.mean())

    @property
    def distance(self) -> float:
        """How far the coverage of a column is from the level, on average."""
        return float(np.abs(self.coverage - LEVEL).mean())


@dataclass(frozen=True)
class Outcome:
    """What was found of one population: of its scores, or of differences of its runs."""

    collection: str
    measure: str
    topics: int
    binary: bool
    skew: FloatArray  # of each column
    covered: tuple[Covered, ...]


def of_means(population: Population, replicates: int = REPLICATES) -> Outcome:
    """Return how often intervals of a run's mean cover it."""
    fit = tuple(name for name in OF_MEANS if method_named(name).refuses(population.matrix.values) is
                None)  # fmt: skip
    found = list(_covered(population.matrix, fit, replicates))
    if population.standardized is not None:
        by_all = _covered(population.standardized, ("t",), replicates)
        found += [replace(one, method=STANDARDIZED) for one in by_all]
    return _outcome(population, population.matrix, found)


def of_differences(population: Population, replicates: int = REPLICATES) -> Outcome:
    """Return how often intervals of the difference of two runs' means cover it."""
    differences = population.differences
    found = list(_covered(differences, OF_DIFFERENCES, replicates))
    return _outcome(population, differences, found)


def _outcome(population: Population, matrix: Matrix, found: Sequence[Covered]) -> Outcome:
    return Outcome(population.collection, population.measure, len(matrix.topics), population.binary,
                   Sample(matrix.values).skewness, tuple(found))  # fmt: skip


def _covered(matrix: Matrix, methods: tuple[str, ...], replicates: int) -> Iterator[Covered]:
    """Yield what `confint coverage` finds, by size and method."""
    how, simulation = Estimation(methods, (LEVEL,), RESAMPLES), Simulation(replicates, SIZES)
    for (_, size), tally in tallies([matrix], [methods], how, simulation).items():
        for place, method in enumerate(methods):
            yield Covered(
                method,
                size,
                tally.covered[:, place, place, 0] / replicates,
                tally.too_high[:, place, 0] / replicates,
                tally.too_low[:, place, 0] / replicates,
                tally.width[:, place, 0] / replicates,
            )


@dataclass(frozen=True)
class Widths:
    """How wide intervals of samples of one size are: the median as a share of t's."""

    size: int
    of_t: dict[str, float]  # by method
    unbounded: dict[str, float]  # the share of samples


def widths(
    matrices: Sequence[Matrix], methods: tuple[str, ...], size: int, samples: int = JUDGED_SAMPLES
) -> Widths:
    """Return how wide the intervals of samples are, those without variance left out."""
    parts: dict[str, list[np.ndarray]] = {method: [] for method in methods}
    for place, matrix in enumerate(matrices):
        drawn, _ = _drawn(matrix, size, samples, "widths", place)
        how = Estimation(methods, (LEVEL,), RESAMPLES, derived(0, "widths", place, size))
        limits = estimate(Sample(drawn), how).limits
        for method in methods:
            parts[method].append((limits[method].high - limits[method].low)[0])
    every = {method: np.hstack(own) for method, own in parts.items()}
    return Widths(
        size,
        {method: float(np.median(own / every["t"])) for method, own in every.items()},
        {method: float(np.isinf(own).mean()) for method, own in every.items()},
    )


def _drawn(
    matrix: Matrix, size: int, samples: int, purpose: str, place: int
) -> tuple[FloatArray, Positions]:
    """Return samples of each column, [topic, sample], and of which column each sample is."""
    random = generator(derived(0, purpose, matrix.measure, place, size))
    drawn = np.hstack([
        column[random.integers(len(column), size=(size, samples))] for column in matrix.values.T
    ])  # fmt: skip
    columns = np.repeat(np.arange(matrix.values.shape[1]), samples)
    there = ~Sample(drawn).constant
    return drawn[:, there], columns[there]


@dataclass(frozen=True)
class Judged:
    """Samples of one size that Cochran's rule flags by their own skewness, and the others."""

    size: int
    flagged: np.ndarray  # [sample]
    beyond: dict[str, np.ndarray]  # by method, [sample]: the truth lies farther in the long tail …
    short: dict[str, np.ndarray]  # … or on the other side of the interval

    def shares(self, method: str, *, flagged: bool) -> tuple[float, float, float]:
        """Return how often intervals miss, towards the long tail, and on the other side."""
        here = self.flagged if flagged else ~self.flagged
        beyond, short = (
            float(self.beyond[method][here].mean()),
            float(self.short[method][here].mean()),
        )
        return beyond + short, beyond, short


def judged(
    matrices: Sequence[Matrix], methods: tuple[str, ...], size: int, samples: int = JUDGED_SAMPLES
) -> Judged:
    """Return what becomes of samples that are judged as `interval` and `compare` judge theirs."""
    flags: list[np.ndarray] = []
    beyond: dict[str, list[np.ndarray]] = {method: [] for method in methods}
    short: dict[str, list[np.ndarray]] = {method: [] for method in methods}
    for place, matrix in enumerate(matrices):
        drawn, columns = _drawn(matrix, size, samples, "judged", place)
        truth = matrix.values.mean(axis=0)[columns]
        upwards = (Sample(matrix.values).skewness > 0)[columns]
        how = Estimation(methods, (LEVEL,), RESAMPLES, derived(0, "weights", place, size))
        found = estimate(Sample(drawn), how)
        flags.append(skewed(Sample(drawn).skewness, size))
        for method in methods:
            low, high = found.limits[method].low[0], found.limits[method].high[0]
            above, below = truth > high + LAST_BITS, truth < low - LAST_BITS
            beyond[method].append(np.where(upwards, above, below))
            short[method].append(np.where(upwards, below, above))
    return Judged(
        size,
        np.hstack(flags),
        {method: np.hstack(own) for method, own in beyond.items()},
        {method: np.hstack(own) for method, own in short.items()},
    )


def rejected(differences: Matrix, size: int, samples: int = TESTED_SAMPLES) -> dict[str, float]:
    """Return how often each test finds a difference at 5% although the means are equal.

    Differences of real runs, less their mean: what is left of them is as skewed as it was.
    """
    centred = replace(differences, values=differences.values - differences.values.mean(axis=0))
    drawn, _ = _drawn(centred, size, samples, "tested", 0)
    values = np.hstack([np.zeros((size, 1)), drawn])
    paired = Paired(values, Pairs.against([0], values.shape[1]))
    drawing = Drawing(TESTED_DRAWS, 0, ALL_CORES)
    return {
        name: float(
            (named_test(name).p(paired, drawing, no_progress) < 1 - LEVEL + LAST_BITS).mean()
        )
        for name in TESTS
    }
