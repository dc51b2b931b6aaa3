"""Documents that nobody judged: who is told of them, and what they may change.

Two things are told whenever runs are scored: that far fewer documents of a run are judged than of
the best one, and that runs would be told apart otherwise if such documents were left out. Bounds
say how small and how large a mean may be over all judgements that there could be.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import CallError, Notice, warning
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import listed, visible
from confint_cli.common.words import percent, series
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
from confint_cli.scores.treatments import CONDENSED, LARGEST, LEAST, SHARES
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
from confint_cli.studies.answer import Answer
from confint_cli.studies.pairing import PairedRuns

_GAP = 0.10  # by which a run's judged share may be below that of the best run
_HALF = 0.5  # a judged share below which a run is always told of
_LAST_BITS = 1e-9  # shares that differ by less are alike
_LISTED = 3  # runs or pairs that a message names, at most
_WIDE = 0.3  # bounds that are farther apart say little
_FEW = 25  # topics: with fewer, intervals of bounds err more
_HOW_FAR = "--unjudged bounds shows how far they may decide, --unjudged skip leaves them out"
ABOUT_BOUNDS = (
    "Bounds: over all possible judgements of the unjudged documents that the measure looks at. "
    "Relevant documents that no run retrieved are not covered."
)


# Who is told


def shares_of(scores: Scores) -> dict[str, float]:
    """Return the mean judged share of each run, over the topics that it has; empty: not known.

    Shares over several collections are known if those of each are.
    """
    shares = scores.besides.get(SHARES)
    if shares is None:
        return {}
    values = shares.values[:, :, 0]
    are_known = ~np.isnan(values)
    if shares.is_macro and shares.collections is not None:
        parts = [are_known[own] for own in shares.collections.slices]
    else:
        parts = [*are_known] if shares.unit == COLLECTION else []
    if not all(part.any() for part in parts):
        return {}
    there = ~shares.filled[:, :, 0] & are_known
    numbers = there.sum(axis=0)
    means = np.where(there, values, 0.0).sum(axis=0) / np.maximum(numbers, 1)
    return {run: float(mean) for run, mean, number in
            zip(shares.runs, means, numbers, strict=True) if number}  # fmt: skip


def about_shares(scores: Scores, *, treats_unjudged: bool) -> list[Notice]:
    """Return a warning of runs of which far fewer documents are judged than of the best.

    Each of several collections has a pool of its own. What to do about it depends on whether the
    command has --unjudged.
    """
    if not scores.besides.get(SHARES):
        return []
    names = scores.collections.names if scores.collections and scores.several else ()
    parts = [(f" in {visible(name)}", scores.part(place)) for place, name in enumerate(names)]
    low: dict[str, float] = {}
    best_of_others = ""
    for where, part in parts or [("", scores)]:
        shares = shares_of(part)
        best = max(shares, key=shares.__getitem__, default="")
        for run, share in shares.items():
            if share < shares[best] - _GAP - _LAST_BITS or share < _HALF - _LAST_BITS:
                low[f"{visible(run)}{where}"] = share
        if not where and shares and visible(best) not in low:
            best_of_others = f" (highest: {visible(best)} {percent(round(shares[best], 2))})"
    if not low:
        return []
    (measure,) = scores.besides[SHARES].measures
    depth = measure.partition("@")[2]
    few = f"few of the first {depth} are judged"
    if parts or best_of_others:
        few = f"some runs have fewer judged documents in their first {depth}"
    by_share = sorted(low.items(), key=lambda item: item[1])
    named = [f"{run} {percent(round(share, 2))}" for run, share in by_share]
    what_to_do = "'confint compare --unjudged bounds' shows what that may change"
    if treats_unjudged:
        what_to_do = "--unjudged bounds shows what that may change, --unjudged skip leaves them out"
    return [
        warning(
            f"unjudged documents count as not relevant, and {few}: "
            f"{listed(named, _LISTED)}{best_of_others}",
            what_to_do=what_to_do,
        )
    ]


Decisions = Mapping[tuple[str, ...], int]
"""Which of two runs is told to be better, by measure, collection and the two: 1, -1, or 0."""


def decided_otherwise(
    scores: Scores,
    answer: Answer[Any],
    ask: Callable[[Scores], Answer[Any]],
    decisions: Callable[[Answer[Any]], Decisions],
) -> Answer[Any]:
    """Return the answer with a warning if condensed lists tell runs apart otherwise.

    `ask` asks the same question of other scores, or only what decides it.
    """
    condensed = scores.besides.get(CONDENSED)
    if condensed is None or scores.scales or scores.judge is not None:
        return answer
    if np.array_equal(condensed.values, scores.values, equal_nan=True):
        return answer
    others = dict(decisions(ask(condensed)))
    for (*part, run, other), decision in [*others.items()]:  # where means are in another order
        others.setdefault((*part, other, run), -decision)
    own = decisions(answer)
    changed = [key for key, decision in own.items() if others.get(key, decision) != decision]
    if not changed:
        return answer
    pairs = [f"{key[-2]} and {key[-1]}" for key in dict.fromkeys(key[-2:] for key in changed)]
    of = f"{len(changed)} of {len(own)} comparisons" if len(own) > 1 else "the comparison"
    measures = [visible(measure) for measure in dict.fromkeys(key[0] for key in changed)]
    by = f", on {series(measures)}" if len(scores.measures) > 1 else ""
    text = (
        f"{of} would change without the unjudged documents (condensed lists): "
        f"{listed(pairs, _LISTED)}{by}"
    )
    notice = warning(text, what_to_do=_HOW_FAR)
    return replace(answer, notices=(notice, *answer.notices))


def decisions_of_pairs(answer: Answer[Any]) -> Decisions:
    """Return the decisions of a comparison, by its first method and level."""
    return {
        (row.measure, row.collection, row.run, row.baseline): int(np.sign(row.difference))
        if row.is_marked else 0
        for row in reversed(answer.rows)
    }  # fmt: skip


def standings(answer: Answer[Any]) -> Decisions:
    """Return the decisions of standings, of every two runs."""
    by_part: dict[tuple[str, str], list[Any]] = {}
    for row in answer.rows:
        by_part.setdefault((row.measure, row.collection), []).append(row)
    decisions: dict[tuple[str, ...], int] = {}
    for part, rows in by_part.items():
        for place, row in enumerate(rows):
            for other, is_apart in zip(rows[:place], row.apart.tolist(), strict=False):
                first, second = sorted((row, other), key=lambda each: each.run)
                sign = int(np.sign(first.mean - second.mean))
                decisions[(*part, first.run, second.run)] = sign if is_apart else 0
    return decisions


# Bounds


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


def are_bounded(scores: Scores) -> bool:
    """Say whether scores come with bounds."""
    return LEAST in scores.besides


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


def check_can_be_bounded(scores: Scores, command: str, *, takes_bounds: bool) -> None:
    """Raise CallError for bounds of repeats of runs, or if a command has no use for bounds."""
    if not are_bounded(scores):
        return
    if not takes_bounds:
        raise CallError(
            f"confint {command} does not take bounds",
            "read the scores without unjudged='bounds'",
        )
    if scores.repeats is not None:
        raise CallError(
            "--unjudged bounds is not for repeats of runs: each is a ranking of its own",
            "give one file per run, or use --labels with each repeat as a {run} of its own",
        )
