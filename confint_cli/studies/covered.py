"""How often intervals cover, as arrays over runs and methods."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.stats.coverage_groups import INDEPENDENT
from confint_cli.stats.coverage_judges import HUMAN, JUDGE
from confint_cli.stats.coverage_repeats import AVERAGED, ONE_REPEAT
from confint_cli.stats.coverage_strata import OF_TOPICS, POOLED
from confint_cli.stats.flags import DoubtArray
from confint_cli.studies.rows import CoverageRow

OWN_LEVEL = 0.95  # of the interval of a coverage itself
NAIVE = {
    POOLED: "the t interval of all topics as if they came from one collection",
    OF_TOPICS: "the t interval for new topics of the same collections",
    INDEPENDENT: "the t interval of all scores as if they were independent",
    AVERAGED: "the t interval of the means over repeats",
    ONE_REPEAT: "the t interval of one repeat",
    HUMAN: "the t interval of people's scores only",
    JUDGE: "the t interval of the judge's scores only",
}
"""Intervals that ignore the design of scores, or one of two judges, and what they are."""


@dataclass(frozen=True)
class Covered:
    """How often intervals cover, by one measure with samples of one size, at one level.

    Arrays are [run, method], unless they say otherwise; shares are shares of the samples.
    """

    measure: str
    size: int | None  # topics of a sample; None: samples differ in it
    level: float
    replicates: int  # samples of each run
    runs: tuple[str, ...]
    methods: tuple[str, ...]
    coverage: FloatArray  # the share of intervals that cover the true mean
    low: FloatArray  # the lower limit of the coverage itself
    high: FloatArray  # the upper limit of the coverage itself
    both: FloatArray  # [run, method, method]: the share that the intervals of both methods cover
    miss_low: FloatArray  # the share in which the truth lies below the interval
    miss_high: FloatArray  # the share in which the truth lies above the interval
    width: FloatArray  # the mean over all samples; infinite, if an interval has no limit
    varies: BoolArray  # [run]: whether not all scores are equal
    one_value: BoolArray  # [run]: whether a sample may well have one value only
    doubts: DoubtArray  # why not to trust the intervals
    collection: str = ""  # empty: there is one only
    collections: int | None = None  # how many `macro` is over
    groups: int | None = None  # of a sample, if topics come in groups
    repeats: int | None = None  # of a sample, if runs have any; None: or differ in it
    judge_topics: int | None = None  # of a sample, if a cheaper judge stands beside people

    @property
    def distance(self) -> FloatArray:
        """How far the coverage of a run is from the level, on average over the runs, [method].

        The average of the coverage itself hides errors that cancel. Runs without variance do not
        count.
        """
        distance: FloatArray = np.abs(self.coverage[self.varies] - self.level).mean(axis=0)
        return distance


def covered_of(rows: Sequence[CoverageRow]) -> list[Covered]:
    """Return the records as arrays, by measure, size of samples and level, in their order.

    Those of several collections are by collection, too.
    """
    by_key: dict[tuple[object, ...], list[CoverageRow]] = {}
    for row in rows:
        key = (row.measure, row.collection, row.sample_size, row.groups, row.level)
        by_key.setdefault(key, []).append(row)
    return [_covered(group) for group in by_key.values()]


def _covered(rows: Sequence[CoverageRow]) -> Covered:
    """Return the records by one measure, size and level as arrays; they are run by run."""
    first = rows[0]
    runs = tuple(dict.fromkeys(row.run for row in rows))
    methods = tuple(dict.fromkeys(row.method for row in rows))
    shape = (len(runs), len(methods))
    of_runs = rows[:: len(methods)]
    return Covered(
        measure=first.measure,
        collection=first.collection,
        collections=first.collections,
        groups=first.groups,
        repeats=first.repeats if len({row.repeats for row in rows}) == 1 else None,
        judge_topics=first.judge_topics,
        size=first.sample_size,
        level=first.level,
        replicates=first.replicates,
        runs=runs,
        methods=methods,
        coverage=np.array([row.coverage for row in rows]).reshape(shape),
        low=np.array([row.coverage_low for row in rows]).reshape(shape),
        high=np.array([row.coverage_high for row in rows]).reshape(shape),
        both=np.array([row.both for row in rows]).reshape((*shape, len(methods))),
        miss_low=np.array([row.miss_low for row in rows]).reshape(shape),
        miss_high=np.array([row.miss_high for row in rows]).reshape(shape),
        width=np.array([row.width for row in rows]).reshape(shape),
        varies=np.array([row.varies for row in of_runs]),
        one_value=np.array([row.one_value for row in of_runs]),
        doubts=np.array([row.doubts for row in rows], dtype=np.intp).reshape(shape),
    )
