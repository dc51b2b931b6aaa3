"""Park (2010), Tables 1 to 8, and Park (2011), Tables 1 to 3: Type I errors on TREC 2004 Robust.

All of them but those of scores standardised by five systems (Tables 5 to 7 of 2010, sAP) fit
samples of topics that all systems share: in Table 1 of 2010 the systems' errors spread less (SD
.010 at α = .5) than errors from samples of their own can (√(.5·.5/1000) = .016). So each experiment
is run as `confint coverage` does, where every run draws its own samples and the mean over runs is
several times more certain, and repeated some times over in the way that the paper's figures are one
instance of. Runs that have one name share their samples. Repetitions resample as the paper of 2011
did; ours are the ideal bootstrap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.scores.scores import Matrix
from confint_cli.stats.coverage import Simulation, tallies
from confint_cli.stats.estimate import Estimation
from tests.reproduction.load import (
    COLLECTIONS,
    collection,
    collection_standardized,
    published_errors,
    robust2004,
    robust2004_standardized,
)

ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 11))
SIZES_2010 = (2, 5, 10, 20, 50)
SIZES_2011 = (5, 10, 20)
REPLICATES = 1000
RESAMPLES = 1000  # of Park (2011), where the experiment is repeated; ours has none
SEEDS = 8  # repetitions
ALLOWED = 3  # standard errors
STATISTICS = ("mean", "sd", "max")


@dataclass(frozen=True)
class Errors:
    """Type I errors and mean widths of the intervals, [run, method, α]."""

    error: np.ndarray
    width: np.ndarray

    def of(self, method: int, alpha: int) -> tuple[float, float, float]:
        """Return mean, SD and maximum over the runs."""
        values = self.error[:, method, alpha]
        return values.mean(), values.std(ddof=1), values.max()


@dataclass(frozen=True)
class Figure:
    """A published figure, what `confint coverage` gives, and repetitions of the experiment."""

    published: float
    ours: float
    repeated: float  # the mean …
    spread: float  # … and standard deviation of the repetitions
    rounding: float  # of the published figure

    @property
    def agrees(self) -> bool:
        """Whether the published figure may well be one of the repetitions."""
        allowed = ALLOWED * self.spread * np.sqrt(1 + 1 / SEEDS)  # their mean has an error too
        return bool(abs(self.published - self.repeated) <= allowed + self.rounding)


@dataclass(frozen=True)
class Experiment:
    """One way to draw samples and build intervals from them."""

    matrix: Matrix
    methods: tuple[str, ...]
    sizes: tuple[int, ...]
    standardizing: int | None = None
    shared: bool = True  # whether in the paper all systems have the same samples
    replicates: int = REPLICATES

    def run(self, seed: int, *, shared: bool, resamples: int | None = None) -> dict[int, Errors]:
        """Return what came out, by sample size."""
        matrix = self.matrix
        if shared:
            matrix = replace(matrix, runs=("shared",) * len(matrix.runs))
        levels = tuple(round(1 - alpha, 2) for alpha in ALPHAS)
        how = Estimation(self.methods, levels, resamples, seed)
        number, by = self.replicates, self.standardizing
        simulation = Simulation(number, self.sizes, replacement=False, standardizing=by)
        return {
            size: Errors(1 - np.einsum("rmma->rma", tally.covered) / number, tally.width / number)
            for (_, size), tally in tallies([matrix], [self.methods], how, simulation).items()
        }


@dataclass(frozen=True)
class Outcome:
    """An experiment, by sample size: as `confint coverage` does it, and as the paper did."""

    ours: dict[int, Errors]
    repeated: Sequence[dict[int, Errors]]

    def figure(self, published: float, decimals: int, size: int, method: int, alpha: int,
               statistic: str) -> Figure:  # fmt: skip
        """Return a published figure beside ours."""

        def value(found: dict[int, Errors]) -> float:
            if statistic == "width":
                return float(found[size].width[:, method, alpha].mean())
            return found[size].of(method, alpha)[STATISTICS.index(statistic)]

        repeated = [value(found) for found in self.repeated]
        return Figure(
            published,
            value(self.ours),
            float(np.mean(repeated)),
            float(np.std(repeated, ddof=1)),
            0.5 * 10**-decimals,
        )


def repetitions(experiment: Experiment) -> Outcome:
    """Return an experiment as the paper did it, the first of which stands for ours."""
    found = [
        experiment.run(seed, shared=experiment.shared, resamples=RESAMPLES)
        for seed in range(1, SEEDS + 1)
    ]
    return Outcome(found[0], found)


def outcome(experiment: Experiment) -> Outcome:
    """Return an experiment in both ways."""
    return replace(repetitions(experiment), ours=experiment.run(0, shared=False))


def experiments() -> dict[str, Outcome]:
    """Run all that the two papers need."""
    matrix = robust2004()
    over_all = robust2004_standardized()
    assert len(over_all.topics) == len(matrix.topics)
    return {
        "AP": outcome(Experiment(matrix, ("z", "t"), SIZES_2010)),
        "sAP, all systems": outcome(Experiment(over_all, ("z", "t"), (5,))),
        "sAP, five systems": outcome(Experiment(matrix, ("t",), SIZES_2010, 5, shared=False)),
        "2011": outcome(Experiment(matrix, ("percentile", "bca", "logit"), SIZES_2011)),
    }


TABLES_2010 = {  # table: (experiment, method)
    1: ("AP", 0),
    2: ("AP", 1),
    3: ("sAP, all systems", 0),
    4: ("sAP, all systems", 1),
    5: ("sAP, five systems", 0),
}
TABLE_6 = {  # α = .05
    ("AP", 1): (0.081, 0.083, 0.066, 0.053, 0.029),
    ("sAP, five systems", 0): (0.050, 0.062, 0.068, 0.068, 0.054),
}
TABLE_7 = (20.217, 3.456, 2.172, 1.518, 0.981)


def figures_2010(found: dict[str, Outcome], table: int) -> dict[float, list[Figure]]:
    """Return the figures of Tables 1 to 5, mean, SD and maximum, by α."""
    name, method = TABLES_2010[table]
    published = published_errors("park2010")
    return {
        alpha: [
            found[name].figure(value, 3, 5, method, place, statistic)
            for value, statistic in zip(published[table, alpha], STATISTICS, strict=True)
        ]
        for place, alpha in enumerate(ALPHAS)
    }


def elsewhere(replicates: int = REPLICATES) -> dict[str, dict[str, Errors]]:
    """Return what standardising does for n = 5 on other collections, as Table 8 has it of TREC-3.

    By the measure that comes first, average precision, and of NTCIR-7 MSnDCG; for each collection,
    by how many systems the scores are standardised.
    """
    found = {}
    for name in COLLECTIONS:
        raw, over_all = collection(name)[0], collection_standardized(name)[0]
        ways = {"none": (raw, None), "five": (raw, 5), "20": (raw, 20), "all": (over_all, None)}
        found[name] = {
            way: Experiment(matrix, ("t",), (5,), by, replicates=replicates).run(0, shared=False)[5]
            for way, (matrix, by) in ways.items()
        }
    return found


def figures_6(found: dict[str, Outcome]) -> dict[str, list[Figure]]:
    """Return the figures of Table 6, for each size."""
    return {
        name: [
            found[name].figure(value, 3, size, method, 0, "mean")
            for value, size in zip(published, SIZES_2010, strict=True)
        ]
        for (name, method), published in TABLE_6.items()
    }


def figures_7(found: dict[str, Outcome]) -> list[Figure]:
    """Return the mean widths of Table 7, for each size."""
    return [
        found["sAP, five systems"].figure(value, 3, size, 0, 0, "width")
        for value, size in zip(TABLE_7, SIZES_2010, strict=True)
    ]


def figures_2011(found: dict[str, Outcome], table: int) -> dict[float, list[Figure]]:
    """Return the mean errors of a table, by α, for each size."""
    published = published_errors("park2011")
    return {
        alpha: [
            found["2011"].figure(value, 4, size, table - 1, place, "mean")
            for value, size in zip(published[table, alpha], SIZES_2011, strict=True)
        ]
        for place, alpha in enumerate(ALPHAS)
    }
