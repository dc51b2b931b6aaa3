"""What do the scores look like, or the differences of runs? Figures, pictures, and advice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import Notice
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.table import (
    Column,
    Histogram,
    Probability,
    Table,
    columns_of,
    explained_once,
)
from confint_cli.common.text import count, listed
from confint_cli.common.words import series
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.flags import SHAPE_TOPICS, Doubt, DoubtArray, doubts_about
from confint_cli.stats.normality import shapiro_p, shapiro_wilk
from confint_cli.stats.sample import Sample
from confint_cli.studies.checks import is_binary
from confint_cli.studies.doubts import note_of
from confint_cli.studies.pairing import PairedRuns, about_runs, paired_runs

_SHARES = (0.0, 1.0)  # the ends of histograms of scores from 0 to 1
_BINS = 10  # of a histogram
_ONE_VALUE = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_TIES | Doubt.MOSTLY_ONE_VALUE
_TAIL = 0.02  # the share of any run's scores beyond either end of other histograms, at most
_LISTED = 5  # runs that a sentence names, at most
_SHAPE = (
    "topics", "mean", "sd", "min", "q1", "median", "q3", "max", "zeros", "skew", "shapiro_w",
    "shapiro_p", "note",
)  # fmt: skip
_ABOUT = {  # what to say of runs whose `kind` makes them unfit for a t interval
    "skewed": "{names} {is_} too skewed for {topics}: as a rule, bootstrap-t comes closer.",
    "one value": "{names} {has} one score on so many topics that no interval covers as it says.",
    "few": "{topics}{of} hardly show what scores are like: of scores from 0 to 1, logit comes "
    "closer than t, as a rule.",
    "few beyond": "{topics}{of} hardly show what scores are like.",
    "constant": "{names} {is_} without variance, and the interval a point.",
    "binary": "Where scores are 0 or 1{of}, wilson is the interval to take.",
    "one": "One topic{of} says nothing about others: there is no interval.",
}
_ABOUT_DIFFERENCES = _ABOUT | {
    "skewed": "{names}: so skewed that a few topics decide; where t and bootstrap-t disagree "
    "('confint compare --method t,bootstrap-t'), look at these topics.",
    "one value": "{names}: the same difference on so many topics that no interval covers as it "
    "says.",
    "few beyond": "{topics}{of} hardly show what differences are like.",
    "constant": "{names}: the same difference on all topics.",
}


@dataclass(frozen=True)
class Description:
    """The shape of the scores of a run, or of its differences to a baseline, by one measure."""

    measure: str
    run: str
    baseline: str  # empty: these are scores, not differences
    topics: int
    mean: float
    sd: float
    min: float
    q1: float
    median: float
    q3: float
    max: float
    zeros: float  # the share of values that are 0
    skew: float
    shapiro_w: float
    shapiro_p: float
    note: str
    kind: str  # why it is unfit for a t interval, a key of `_ABOUT`; or `fit`
    histogram: tuple[int, ...]  # topics in each bin
    ends: tuple[float, float]  # of the histogram
    values: FloatArray  # [topic], in ascending order

    @property
    def name(self) -> str:
        """The run or the pair of runs, as a sentence names it."""
        return f"{self.run} and {self.baseline}" if self.baseline else self.run


def describe(
    scores: Scores,
    *,
    differences: bool = False,
    baselines: Sequence[str] = (),
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure and run, and what to tell the user about it.

    With `differences`, a row is for each pair of runs: of each run and each of the `baselines` or,
    if there are none, of every two runs.
    """
    notices: list[Notice] = []
    if differences:
        pairs_by_measure, notices = paired_runs(scores, tuple(baselines), best_first=best_first)
        by_measure = [_of_differences(pairs) for pairs in pairs_by_measure]
    else:
        matrices = [scores.matrix(measure) for measure in scores.measures]
        if best_first:
            matrices = [matrix.best_first() for matrix in matrices]
        by_measure = [_of_runs(matrix) for matrix in matrices]
    rows: list[Description] = []
    for done, descriptions in enumerate(by_measure):
        progress(done, len(by_measure))
        rows += descriptions
    progress(len(by_measure), len(by_measure))
    names = ("measure", "run", *(["baseline"] if differences else []), *_SHAPE)
    columns = [
        Column(column.name, column.values, significant=column.name == "shapiro_p")
        for column in columns_of(rows, names)
    ]
    table = Table(
        title="",
        columns=columns,
        view=_view(rows, baselines),
        for_figure={
            "scores": [row.values for row in rows],
            "histogram": [row.histogram for row in rows],
            "ends": [row.ends for row in rows],
        },
    )
    return table, notices


def _of_runs(matrix: Matrix) -> Iterator[Description]:
    """Yield a description of the scores of each run."""
    sample = Sample(matrix.values)
    names = [(run, "") for run in matrix.runs]
    binary = is_binary(matrix.values) and bool(matrix.values.any())
    are_shares = matrix.values.min() >= 0 and matrix.values.max() <= 1
    ends = _SHARES if are_shares else _ends(matrix.values)
    remarks, doubts = about_runs(matrix), doubts_about(sample)
    yield from _descriptions(matrix.measure, names, sample, doubts, remarks, ends, binary=binary)


def _of_differences(pairs: PairedRuns) -> Iterator[Description]:
    """Yield a description of the differences of each pair of runs."""
    sample = pairs.on_same_topics.sample
    names = [pairs.names(pair) for pair in range(len(pairs))]
    remarks = [pairs.missing_of(pair) for pair in range(len(pairs))]
    doubts, ends = pairs.differences.doubts, _ends(sample.scores)
    yield from _descriptions(pairs.measure, names, sample, doubts, remarks, ends)


def _descriptions(
    measure: str,
    names: Sequence[tuple[str, str]],
    sample: Sample,
    doubts: DoubtArray,
    remarks: Sequence[Sequence[str]],
    ends: tuple[float, float],
    *,
    binary: bool = False,
) -> Iterator[Description]:
    """Yield a description of each column of the sample.

    `names` are the run and the baseline of each column, `remarks` are added to its note.
    """
    quartiles = np.quantile(sample.scores, [0, 0.25, 0.5, 0.75, 1], axis=0)
    w = np.where(sample.constant, np.nan, shapiro_wilk(sample.scores))
    p = shapiro_p(w, sample.topics)
    ascending = np.sort(sample.scores, axis=0).T  # [column, topic]
    for column, ((run, baseline), flags) in enumerate(zip(names, doubts.tolist(), strict=True)):
        lowest, q1, median, q3, highest = quartiles[:, column].tolist()
        yield Description(
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
            note=", ".join(filter(None, [note_of(flags), *remarks[column]])),
            kind=_kind(
                flags, sample.topics, shares=not baseline and ends == _SHARES, binary=binary
            ),
            histogram=_histogram(ascending[column], ends),
            ends=ends,
            values=ascending[column],
        )


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


def _view(rows: Sequence[Description], baselines: Sequence[str]) -> list[Table]:
    """Return a table for each measure with a row for each run; of one run, all measures in one."""
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    if len(by_measure) > 1 and len({row.name for row in rows}) == 1:
        first = rows[0]
        title = f"differences {first.run} - {first.baseline}" if first.baseline else first.run
        return [_view_by(rows, "measure", title)]
    pairs = ""
    if rows[0].baseline:
        pairs = ", differences " + (f"to {series(baselines)}" if baselines else "of every two")
    return explained_once(
        [
            _view_by(group, "run", f"{group[0].measure}, {count(group[0].topics, 'topic')}{pairs}")
            for group in by_measure
        ]
    )


def _view_by(rows: Sequence[Description], key: str, title: str) -> Table:
    """Return a table of the rows, told apart by the column `key`: `run` or `measure`."""
    differences = bool(rows[0].baseline)
    noun, zeros = ("differences", "ties") if differences else ("scores", "zeros")
    columns = [
        Column(key, [getattr(row, key) for row in rows]),
        Column("mean", [row.mean for row in rows]),
        Column("sd", [row.sd for row in rows], optional=True),
        Column("histogram", [Histogram(row.histogram) for row in rows],
               legend=_about_histograms(rows, noun)),
        Column(zeros, [row.zeros for row in rows], legend=f"{zeros.title()}: their share.",
               optional=True),
        Column("skew", [row.skew for row in rows], optional=True),
        Column("W", [row.shapiro_w for row in rows], optional=True),
        Column(
            "normal p",
            [Probability(row.shapiro_p) for row in rows],
            legend=f"W, normal p: Shapiro and Wilk's test of whether {noun} are normal.",
        ),
        *(
            replace(column, optional=True)
            for column in columns_of(rows, ("min", "q1", "median", "q3", "max"))
        ),
        Column("note", [row.note for row in rows]),
    ]  # fmt: skip
    if key == "measure":
        columns.insert(1, Column("topics", [row.topics for row in rows]))
    elif differences:
        columns.insert(1, Column("baseline", [row.baseline for row in rows]))
    return Table(title, columns, sentence=[" ".join(_advice(rows, key))])


def _about_histograms(rows: Sequence[Description], noun: str) -> str:
    """Explain the bins of histograms of `noun`: `scores` or `differences`."""
    (low, high), *others = dict.fromkeys(row.ends for row in rows)
    scale = f" from {low:.3g} to {high:.3g}" if high > low else ""
    if others:
        mixed = "from 0 to 1, or " if noun == "scores" else ""
        scale = f" {mixed}where nearly all {noun} are"
    beyond = "" if (low, high) == _SHARES and not others else ", what is beyond in the outermost"
    return f"Histogram: topics in {_BINS} bins{scale}{beyond if scale else ''}."


def _advice(rows: Sequence[Description], key: str) -> list[str]:
    """Return sentences on which interval to take for which runs or pairs, or by which measures."""
    differences = bool(rows[0].baseline)
    templates = _ABOUT_DIFFERENCES if differences else _ABOUT
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("fit", *templates)}
    sentences = []
    if fit := by_kind.pop("fit"):
        sentences.append(f"By Cochran's rule, {_fit(fit, rows, key)} too skewed for t.")
    for kind, of_kind in by_kind.items():
        if not of_kind:
            continue
        names = [_name(row, key) for row in of_kind]
        listing = (
            series(names) if len(names) <= _LISTED and not differences else listed(names, _LISTED)
        )
        sentences.append(
            templates[kind].format(
                names=listing,
                of="" if len(of_kind) == len(rows) else f" ({listing})",
                is_="is" if len(of_kind) == 1 else "are",
                has="has" if len(of_kind) == 1 else "have",
                topics=_topics([row.topics for row in of_kind]),
            )
        )
    return sentences


def _fit(fit: Sequence[Description], rows: Sequence[Description], key: str) -> str:
    """Return `7 of 8 runs are not`, for how many of `rows` are `fit`."""
    of_pairs = bool(rows[0].baseline) and key == "run"
    if len(rows) == 1:
        return (
            f"differences of {fit[0].name} are not" if of_pairs else f"{_name(fit[0], key)} is not"
        )
    among = count(len(rows), "pair" if of_pairs else key)
    if len(fit) == len(rows):
        return f"none of {among} is"
    return f"{len(fit)} of {among} {'is' if len(fit) == 1 else 'are'} not"


def _name(row: Description, key: str) -> str:
    """Return the name of a row's run, or pair of runs, or of its measure, as `key` says."""
    return row.name if key == "run" else row.measure


def _topics(numbers: Sequence[int]) -> str:
    """Return `50 topics`, or `5 to 50 topics` if the numbers differ."""
    least, most = min(numbers), max(numbers)
    return count(most, "topic") if least == most else f"{least} to {most} topics"
