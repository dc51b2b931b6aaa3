"""Two systems on several collections, as in Sertkan, Althammer and Hofstätter (2023).

Their toolkit Ranger has a table of the differences of ColBERTer and TAS-B in nDCG@10, and of what a
random-effects meta-analysis makes of these. Its program divides by n for the standard deviation of
differences (numpy's default), not n-1, and takes means as normal.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtri

import confint_cli
from confint_cli import CompareRow, Scores
from confint_cli.common.arrays import FloatArray
from confint_cli.stats.coverage import Simulation
from confint_cli.stats.coverage_strata import Population, naive_methods, tallies_over_collections
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.meta import Meta, meta_analysis
from tests.reproduction.load import DATA

FOLDER = DATA / "collections-ranger"
RUN, BASELINE = "colberter", "tasb"
MEASURE = "nDCG@10"
LABELS, QRELS = "{run}/{collection}.txt", "qrels/{collection}.txt.gz"
COMBINED = "combined_effect"
LEVEL = 0.95
REPLICATES = 2000
HALF_UNIT = 5.0001e-7  # of the last digit that is published


@dataclass(frozen=True)
class Effect:
    """A difference with its interval."""

    difference: float
    low: float
    high: float
    p: float

    @property
    def se(self) -> float:
        """The standard error behind an interval that takes the mean as normal."""
        return float((self.high - self.low) / (2 * ndtri((1 + LEVEL) / 2)))

    def has_difference_of(self, other: "Effect") -> bool:
        """Whether the differences are the same but for rounding."""
        return abs(self.difference - other.difference) <= HALF_UNIT

    def has_limits_of(self, other: "Effect") -> bool:
        """Whether the limits are the same but for rounding."""
        return max(abs(self.low - other.low), abs(self.high - other.high)) <= HALF_UNIT


@cache
def published() -> dict[str, Effect]:
    """The published rows, by collection; the last is of all collections."""
    with (FOLDER / "published.tsv").open(encoding="utf-8") as file:
        return {
            row["collection"]: Effect(*(float(row[name]) for name in
                                        ("effect", "ci_low", "ci_upp", "p")))
            for row in csv.DictReader(file, delimiter="\t")
        }  # fmt: skip


@cache
def scores() -> Scores:
    """The scores of both systems, on the six collections whose judgements are here."""
    paths = [path for run in (RUN, BASELINE) for path in sorted((FOLDER / run).glob("*.txt"))]
    return confint_cli.read(paths, labels=LABELS, qrels=FOLDER / QRELS, measure=MEASURE)


@cache
def compared(for_new: str = "topics") -> dict[tuple[str, str], CompareRow]:
    """What `confint compare --meta` says, by collection and method."""
    found = confint_cli.compare(scores(), baseline=BASELINE, meta=True, for_new=for_new)
    return {(row.collection, row.method): row for row in found}


def as_published(row: CompareRow) -> Effect:
    """Return the interval with a standard deviation by n, of a mean that is taken as normal."""
    se = row.difference / row.t * np.sqrt((row.topics - 1) / row.topics)
    half = ndtri((1 + LEVEL) / 2) * se
    return Effect(row.difference, row.difference - half, row.difference + half, np.nan)


def meta_of_published() -> Meta:
    """Return the meta-analysis of the seven published rows."""
    rows = [row for name, row in published().items() if name != COMBINED]
    differences, se = (np.array([[getattr(row, name)] for row in rows])
                       for name in ("difference", "se"))  # fmt: skip
    return meta_analysis(differences, se**2)


def effect_of(found: Meta, method: str) -> Effect:
    """Return what a meta-analysis says by a method."""
    low, high = (float(limits[0, 0]) for limits in found.limits(method, np.array([LEVEL])))
    return Effect(float(found.difference[0]), low, high, float(found.p(method)[0]))


def coverage(replicates: int = REPLICATES) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield whom intervals are for, whose mean they are of, and how often they cover, by method.

    They are of the macro-average of both systems, as `confint coverage` has it, and of the
    difference, whose scores are those of the topics' differences.
    """
    parts = _parts()
    difference = tuple(one - other for one, other in zip(*parts.values(), strict=True))
    by_run = {**parts, f"{RUN} - {BASELINE}": difference}
    how = Estimation(("t",), (LEVEL,))
    for for_new in ("topics", "collections"):
        is_new = for_new == "collections"
        populations = [Population(run, MEASURE, own, is_new) for run, own in by_run.items()]
        tally = tallies_over_collections(populations, how, Simulation(replicates), None)
        covered = np.einsum("rmml->rm", tally.covered) / replicates
        methods = ("t", *naive_methods(new_collections=is_new))
        for population, shares in zip(populations, covered.tolist(), strict=True):
            yield for_new, population.run, dict(zip(methods, shares, strict=True))


def _parts() -> dict[str, tuple[FloatArray, ...]]:
    """Return the scores of each system in each collection, on the same topics in one order."""
    by_run: dict[str, dict[str, list[float]]] = {RUN: {}, BASELINE: {}}
    for row in scores().rows:
        by_run[row.run].setdefault(row.collection, []).append(row.score)
    return {run: tuple(map(np.array, own.values())) for run, own in by_run.items()}
