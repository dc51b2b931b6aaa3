"""What do the scores look like, or the differences of runs?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import Notice
from confint_cli.common.progress import Progress, no_progress
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.flags import SHAPE_TOPICS, Doubt, DoubtArray, doubts_about
from confint_cli.stats.matrices import sample_of
from confint_cli.stats.normality import shapiro_p, shapiro_wilk
from confint_cli.stats.pairs import Paired
from confint_cli.stats.sample import Sample
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.checks import is_binary
from confint_cli.studies.collections import over_collections, with_fields
from confint_cli.studies.columns import DESCRIPTIONS, DESCRIPTIONS_OF_DIFFERENCES
from confint_cli.studies.describe_view import SHARES, view
from confint_cli.studies.facts import Facts, facts_of_computing
from confint_cli.studies.pairing import (
    PairedRuns,
    fields_of_design,
    identical_runs,
    missing_topics,
    paired_runs,
)
from confint_cli.studies.rows import DescribeRow
from confint_cli.studies.scope import TOPICS, facts_of_design

_BINS = 10  # of a histogram
_ONE_VALUE = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_TIES | Doubt.MOSTLY_ONE_VALUE
_TAIL = 0.02  # the share of any run's scores beyond either end of other histograms, at most


def describe(
    scores: Scores,
    *,
    differences: bool = False,
    baselines: Sequence[str] = (),
    for_new: str = TOPICS,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[DescribeRow]:
    """Return a record for each measure and run; of several collections, for each.

    What is said of all collections together is about their mean for new topics or, as `for_new`
    says, about the means of collections. With `differences`, a record is of each pair of runs: of
    each run and each of the `baselines` or, if there are none, of every two runs. Without
    `best_first`, runs stay in the order in which they come.
    """
    if scores.several:
        return over_collections(
            scores,
            for_new,
            lambda part: describe(
                part.scores,
                differences=differences,
                baselines=baselines,
                best_first=False,
                progress=progress,
            ),
            best_first=best_first,
            together=attrgetter("run", "baseline"),
        )
    notices: list[Notice] = []
    facts: Facts = {**facts_of_design(scores), **facts_of_computing()}
    if differences:
        facts["differences"] = tuple(baselines)
        pairs_by_measure, notices = paired_runs(scores, tuple(baselines), best_first=best_first)
        by_measure = [_of_differences(pairs) for pairs in pairs_by_measure]
    else:
        matrices = [scores.matrix(measure) for measure in scores.measures]
        if best_first:
            matrices = [matrix.best_first() for matrix in matrices]
        by_measure = [_of_runs(matrix) for matrix in matrices]
    rows: list[DescribeRow] = []
    for done, descriptions in enumerate(by_measure):
        progress(done, len(by_measure))
        rows += descriptions
    progress(len(by_measure), len(by_measure))
    columns = DESCRIPTIONS_OF_DIFFERENCES if differences else DESCRIPTIONS
    shown = fields(columns, significant="shapiro_p")
    return Answer(rows, with_fields(shown, facts), facts, tuple(notices), view)


def _of_runs(matrix: Matrix) -> Iterator[DescribeRow]:
    """Yield a description of the scores of each run."""
    values = matrix.on_topics.values
    are_shares = values.min() >= 0 and values.max() <= 1
    yield from _descriptions(
        matrix.measure,
        [(run, "") for run in matrix.runs],
        Sample(values, design=matrix.on_topics.design),
        doubts_about(sample_of(matrix)),
        SHARES if are_shares else _ends(values),
        missing=missing_topics(matrix),
        copies=identical_runs(matrix),
        binary=is_binary(values) and bool(values.any()) and matrix.of_topics is None,
        designs=fields_of_design(matrix),
    )


def _of_differences(pairs: PairedRuns) -> Iterator[DescribeRow]:
    """Yield a description of the differences of each pair of runs."""
    topics = pairs.scores.on_topics
    sample = Paired(topics.values, pairs.pairs, topics.design).sample
    yield from _descriptions(
        pairs.measure,
        [pairs.names(pair) for pair in range(len(pairs))],
        sample,
        pairs.differences.doubts,
        _ends(sample.scores),
        missing=pairs.missing,
        copies={},
        designs=[{name: own[name] for name in own if name != "baseline_repeats"}
                 for own in pairs.designs],
    )  # fmt: skip


def _descriptions(
    measure: str,
    names: Sequence[tuple[str, str]],
    sample: Sample,
    doubts: DoubtArray,
    ends: tuple[float, float],
    *,
    missing: Mapping[str, int],
    copies: Mapping[str, str],
    binary: bool = False,
    designs: Sequence[Mapping[str, Any]] = (),
) -> Iterator[DescribeRow]:
    """Yield a description of each column of the sample, on topics.

    `names` are the run and the baseline of each column, `ends` those of histograms; `missing` has
    the topics that runs lack, `copies` the first run with the same scores, both by run. `designs`
    are further fields of each column.
    """
    designs = designs or [{} for _ in names]
    if sample.strata:
        yield from _over_collections(measure, names, sample, doubts, missing, designs)
        return
    quartiles = np.quantile(sample.scores, [0, 0.25, 0.5, 0.75, 1], axis=0)
    w = np.where(sample.constant, np.nan, shapiro_wilk(sample.scores))
    p = shapiro_p(w, sample.topics)
    ascending = np.sort(sample.scores, axis=0).T  # [column, topic]
    for column, ((run, baseline), flags) in enumerate(zip(names, doubts.tolist(), strict=True)):
        lowest, q1, median, q3, highest = quartiles[:, column].tolist()
        yield DescribeRow(
            measure=measure,
            run=run,
            baseline=baseline,
            topics=sample.topics,
            mean=float(sample.mean[column]),
            sd=float(sample.sd[column]),
            min=lowest,
            q1=q1,
            median=median,
            q3=q3,
            max=highest,
            zeros=float((sample.scores[:, column] == 0).mean()),
            skew=float(sample.skewness[column]),
            shapiro_w=float(w[column]),
            shapiro_p=float(p[column]),
            doubts=flags,
            missing=missing.get(run, 0),
            baseline_missing=missing.get(baseline, 0),
            copy_of=copies.get(run, ""),
            kind=_kind(flags, sample.topics, shares=not baseline and ends == SHARES, binary=binary),
            histogram=_histogram(ascending[column], ends),
            ends=ends,
            values=ascending[column],
            **designs[column],
        )


def _over_collections(
    measure: str,
    names: Sequence[tuple[str, str]],
    sample: Sample,
    doubts: DoubtArray,
    missing: Mapping[str, int],
    designs: Sequence[Mapping[str, Any]],
) -> Iterator[DescribeRow]:
    """Yield what is known of the mean over collections; their scores have no one distribution."""
    none = math.nan
    for column, ((run, baseline), flags) in enumerate(zip(names, doubts.tolist(), strict=True)):
        yield DescribeRow(
            measure=measure,
            run=run,
            baseline=baseline,
            topics=sample.topics,
            mean=float(sample.mean[column]),
            sd=none, min=none, q1=none, median=none, q3=none, max=none, zeros=none, skew=none,
            shapiro_w=none, shapiro_p=none,
            doubts=flags,
            missing=missing.get(run, 0),
            baseline_missing=missing.get(baseline, 0),
            copy_of="",
            kind="fit",
            histogram=(),
            ends=(0.0, 0.0),
            values=np.zeros(0),
            **designs[column],
        )  # fmt: skip


def _ends(values: FloatArray) -> tuple[float, float]:
    """Return the ends of the histograms of values [topic, column]: nearly all are between them."""
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL], axis=0)
    return float(low.min()), float(high.max())


def _histogram(values: FloatArray, ends: tuple[float, float]) -> tuple[int, ...]:
    """Return how many values are in each bin; those beyond the ends are in the outermost bins.

    A value on an edge is in the bin above it. If the ends are equal, all are in the first bin.
    """
    low, high = ends
    if not high > low:
        return (len(values), *[0] * (_BINS - 1))
    shares = (values.clip(low, high) - low) / (high - low)
    bins = (shares * _BINS).astype(int)
    return tuple(np.bincount(bins.clip(0, _BINS - 1), minlength=_BINS).tolist())


def _kind(doubts: int, topics: int, *, shares: bool, binary: bool) -> str:
    """Return the first reason why a column is unfit for a t interval, or `fit`.

    `shares` says whether it has scores from 0 to 1, `binary` whether it has 0 and 1 only.
    """
    kinds = {
        "one": topics == 1,
        "binary": binary,
        "constant": doubts & (Doubt.NO_VARIANCE | Doubt.IDENTICAL),
        "one value": doubts & _ONE_VALUE,
        "few": topics < SHAPE_TOPICS and shares,
        "few beyond": topics < SHAPE_TOPICS,
        "skewed": doubts & Doubt.SKEWED,
    }
    return next((kind for kind, applies in kinds.items() if applies), "fit")
