"""Scores that are known between bounds only: means, differences and standings.

The bounds are those over all judgements that there could be of documents that nobody judged: how
small and how large a mean may be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.bounds import (
    NOTHING,
    BoundedMeasure,
    Ranked,
    bounded,
    bounds_of_difference,
    stacked,
)
from confint_cli.scores.pool import Pool
from confint_cli.scores.scores import COLLECTION, Matrix, Scores, means_and_sizes, ranks
from confint_cli.scores.treatments import LARGEST, LEAST
from confint_cli.stats.comparison import T_TEST, Comparison, Testing
from confint_cli.stats.estimate import Estimate, Estimation
from confint_cli.stats.flags import Doubt, DoubtArray, doubts_about, with_doubt
from confint_cli.stats.identified import Identified, identified
from confint_cli.stats.matrices import on_topics, sample_of
from confint_cli.stats.methods.method import Limits
from confint_cli.stats.names import BONFERRONI_T, IMBENS_MANSKI
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ranking import Ranking, rank_by_p
from confint_cli.stats.sample import Sample
from confint_cli.studies.pairing import PairedRuns

_WIDE = 0.3  # bounds that are farther apart say little
_FEW = 25  # topics: with fewer, intervals of bounds err more
ABOUT_BOUNDS = (
    "Bounds: over all possible judgements of the unjudged documents that the measure looks at. "
    "Relevant documents that no run retrieved are not covered."
)


@dataclass(frozen=True, eq=False)
class BoundedMeans:
    """The scores of runs by one measure, with bounds of their means."""

    matrix: Matrix
    between: Identified

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The fields of records of each run that bounds add."""
        bounds = zip(self.between.least.tolist(), self.between.largest.tolist(), strict=True)
        return [{"least": least, "largest": largest} for least, largest in bounds]


def bounded_means(scores: Scores, measure: str, *, best_first: bool) -> BoundedMeans:
    """Return the scores by a measure, with bounds of their means."""
    matrix = scores.matrix(measure)
    least, largest = (scores.besides[name].matrix(measure) for name in (LEAST, LARGEST))
    if best_first:
        order = matrix.by_mean
        matrix, least, largest = (each.ordered(order) for each in (matrix, least, largest))
    return BoundedMeans(matrix, identified(sample_of(least), sample_of(largest)))


def doubts_of(between: Identified, doubts: DoubtArray, topics: int) -> DoubtArray:
    """Return doubts with those about bounds: too wide to say much, or of few topics."""
    doubts = with_doubt(doubts, Doubt.BOUNDS_WIDE, between.width > _WIDE)
    return with_doubt(doubts, Doubt.FEW_TOPICS, np.full(len(doubts), 1 < topics < _FEW))


def estimate_of_bounds(means: BoundedMeans, levels: tuple[float, ...]) -> Estimate:
    """Return the intervals of means that are known only between bounds."""
    matrix, between = means.matrix, means.between
    sample = sample_of(matrix)
    low, high = between.limits(np.array(levels))
    limits = Limits.exact(low, high)
    doubts = doubts_of(between, doubts_about(sample), len(matrix.topics))
    of_rows = Estimate(
        sample.topics,
        sample.mean,
        sample.sd,
        sample.se,
        between.df,
        {IMBENS_MANSKI: limits},
        {IMBENS_MANSKI: np.broadcast_to(doubts, low.shape)},
    )
    return on_topics(of_rows, matrix)


def bounded_differences(
    scores: Scores, matrix: Matrix, pairs: Pairs, progress: Progress = no_progress
) -> Identified:
    """Return the bounds of the mean difference of each pair of runs of a matrix, [pair].

    Both runs of a pair share their judgements.
    """
    base = scores.unweighted or scores
    pool = base.pool
    if pool is None:
        assert not base.scorer, "rankings of scored runs are kept where differences are asked for"
        return _by_own_bounds(scores, matrix, pairs)
    measure = bounded(matrix.measure, pool.level)
    if measure is None:  # a judged share, which is what it is
        return _by_own_bounds(scores, matrix, pairs)
    places = [base.runs.index(run) for run in matrix.runs]
    least, largest = np.zeros((2, len(base.topics), len(pairs)))
    lengths = np.array([len(counts) for counts in pool.counts])
    for length in np.unique(lengths):  # collections may differ in their highest grade
        rows = np.flatnonzero(lengths == length)
        own = _Stacked(pool.rows(rows), places, measure)
        for pair in range(len(pairs)):
            found = bounds_of_difference(
                measure, own.run(pairs.run[pair]), own.run(pairs.baseline[pair]), own.counts
            )
            least[rows, pair], largest[rows, pair] = found.least, found.largest
            progress(pair, len(pairs))
    return identified(*(sample_of(_as_matrix(scores, matrix, each)) for each in (least, largest)))


def _by_own_bounds(scores: Scores, matrix: Matrix, pairs: Pairs) -> Identified:
    """Return bounds of differences by those of each run, where nobody knows the documents.

    They are those of RBP, of which no judgement counts in another run's score; but for documents
    that both have, which count twice, they hold, and are wider than need be.
    """

    def bound(name: str) -> FloatArray:
        own = scores.besides[name].matrix(matrix.measure)
        return own.values[:, [own.runs.index(run) for run in matrix.runs]]

    least, largest = bound(LEAST), bound(LARGEST)
    low = least[:, pairs.run] - largest[:, pairs.baseline]
    high = largest[:, pairs.run] - least[:, pairs.baseline]
    return identified(*(Sample(each, design=matrix.design) for each in (low, high)))


def bounded_pairs(scores: Scores, pairs: PairedRuns, progress: Progress) -> PairedRuns:
    """Return the pairs of runs with the bounds of their differences.

    There are no effect sizes, nor wins and losses: they would be of one way to judge.
    """
    between = bounded_differences(scores, pairs.scores, pairs.pairs, progress)
    none = np.full(len(pairs), np.nan)
    differences = replace(
        pairs.differences,
        se=none, t=none, df=between.df, glass_delta=none, hedges_gz=none, hedges_g=none,
        outcomes=None,
    )  # fmt: skip
    designs = pairs.designs or [{} for _ in range(len(pairs))]
    bounds = zip(between.least.tolist(), between.largest.tolist(), strict=True)
    return replace(
        pairs,
        differences=differences,
        designs=[
            {**own, "least_difference": least, "largest_difference": largest}
            for own, (least, largest) in zip(designs, bounds, strict=True)
        ],
        between=between,
    )


def compare_bounded(
    pairs: PairedRuns, between: Identified, estimation: Estimation, testing: Testing
) -> Comparison:
    """Return intervals and p-values of differences that are known between bounds only."""
    levels = np.array(estimation.levels)
    named = {IMBENS_MANSKI: levels} if estimation.methods else {}
    if testing.simultaneous:
        named[BONFERRONI_T] = 1 - (1 - levels) / pairs.family
    limits: dict[str, Limits] = {}
    for name, own in named.items():
        low, high = between.limits(own)
        limits[name] = Limits.exact(low, high)
    rows = len(pairs.scores.topics)
    # Runs with the same scores may differ by documents that nobody judged.
    is_point = (between.least == 0) & (between.largest == 0)
    known = np.where(
        is_point, pairs.differences.doubts, pairs.differences.doubts & ~int(Doubt.IDENTICAL)
    )
    own_doubts = doubts_of(between, known, rows)
    shape = (len(levels), len(pairs))
    p = between.p()
    return Comparison(
        limits=limits,
        doubts={name: np.broadcast_to(own_doubts, shape) for name in limits},
        p={T_TEST: p},
        adjusted=testing.adjusted(p, pairs.pairs, None),
    )


def bounded_ranking(scores: Scores, matrix: Matrix, level: float, progress: Progress) -> Ranking:
    """Return the ranking of runs whose means are known between bounds only.

    A run is better than another if Bonferroni's interval of their difference leaves 0 out.
    """
    pairs = Pairs.all(len(matrix.runs))
    between = bounded_differences(scores, matrix, pairs, progress)
    differences = np.where(between.least > 0, between.least, np.minimum(between.largest, 0.0))
    return rank_by_p(between.p(), differences, pairs, ranks(*means_and_sizes(matrix.values)), level)


class _Stacked:
    """The rankings of runs as arrays [topic, rank], made once for each run."""

    def __init__(self, pool: Pool, places: Sequence[int], measure: BoundedMeasure) -> None:
        self._pool, self._places, self._measure = pool, places, measure
        self._made: dict[int, Ranked] = {}
        self.counts = np.array([counts.tolist() for counts in pool.counts])

    def run(self, place: int) -> Ranked:
        """Return the rankings of the run at a place of the matrix."""
        if place not in self._made:
            topics = self._pool.rankings[:, self._places[place]]
            cutoff = self._measure.cutoff
            grades = [[] if own is None else own.grades[:cutoff].tolist() for own in topics]
            documents = [[] if own is None else own.documents[:cutoff].tolist() for own in topics]
            self._made[place] = Ranked(stacked(grades), stacked(documents, NOTHING))
        return self._made[place]


def _as_matrix(scores: Scores, matrix: Matrix, values: FloatArray) -> Matrix:
    """Return values [topic, pair] as a matrix of the same design, a column for each pair."""
    base = scores.unweighted or scores
    runs = tuple(map(str, range(values.shape[1])))
    of_pairs = replace(
        base,
        values=values[:, :, None],
        filled=np.zeros((*values.shape, 1), dtype=bool),
        runs=runs,
        measures=(matrix.measure,),
        besides={}, pool=None, judge=None, repeats=None, scales={}, unweighted=None,
    )  # fmt: skip
    if scores.is_macro:
        of_pairs = of_pairs.macro()
    elif scores.unit == COLLECTION:
        of_pairs = of_pairs.collection_means()
    return of_pairs.matrix(matrix.measure)
