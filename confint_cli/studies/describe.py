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

_SHARES = (0.0, 1.0)
_BINS = 10
_ONE_VALUE = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_TIES | Doubt.MOSTLY_ONE_VALUE
_TAIL = 0.02  # of any run's scores without bounds that are beyond a histogram, on either side
_LISTED = 5
_SHAPE = (
    "topics", "mean", "sd", "min", "q1", "median", "q3", "max", "zeros", "skew", "shapiro_w",
    "shapiro_p", "note",
)  # fmt: skip
_ABOUT = {  # runs that are no fit for a t interval
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
    """What is known of one run, or of its differences to a baseline, by one measure."""

    measure: str
    run: str
    baseline: str  # "": these are scores
    topics: int
    mean: float
    sd: float
    min: float
    q1: float
    median: float
    q3: float
    max: float
    zeros: float  # their share
    skew: float
    shapiro_w: float
    shapiro_p: float
    note: str
    kind: str  # what it is to intervals, or `fit`
    histogram: tuple[int, ...]
    ends: tuple[float, float]  # of the histogram
    values: FloatArray  # in order

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return f"{self.run} and {self.baseline}" if self.baseline else self.run


def describe(
    scores: Scores,
    *,
    differences: bool = False,
    baselines: Sequence[str] = (),
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure and run, or for the differences of each pair of runs.

    Differences are to each baseline or, if there is none, of every two runs.
    """
    notices: list[Notice] = []
    if differences:
        pairs, notices = paired_runs(scores, tuple(baselines), best_first=best_first)
        parts = [_of_differences(of) for of in pairs]
    else:
        matrices = [scores.matrix(measure) for measure in scores.measures]
        if best_first:
            matrices = [matrix.best_first() for matrix in matrices]
        parts = [_of_runs(matrix) for matrix in matrices]
    rows: list[Description] = []
    for done, part in enumerate(parts):
        progress(done, len(parts))
        rows += part
    progress(len(parts), len(parts))
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
    """Yield what the scores of each run look like."""
    sample = Sample(matrix.values)
    names = [(run, "") for run in matrix.runs]
    binary = is_binary(matrix.values) and bool(matrix.values.any())
    within = matrix.values.min() >= 0 and matrix.values.max() <= 1
    ends = _SHARES if within else _ends(matrix.values)
    about, doubts = about_runs(matrix), doubts_about(sample)
    yield from _described(matrix.measure, names, sample, doubts, about, ends, binary=binary)


def _of_differences(pairs: PairedRuns) -> Iterator[Description]:
    """Yield what the differences of each pair of runs look like."""
    sample = pairs.on_same_topics.sample
    names = [pairs.names(pair) for pair in range(len(pairs))]
    about = [pairs.missing_of(pair) for pair in range(len(pairs))]
    doubts, ends = pairs.known.doubts, _ends(sample.scores)
    yield from _described(pairs.measure, names, sample, doubts, about, ends)


def _described(
    measure: str,
    names: Sequence[tuple[str, str]],
    sample: Sample,
    doubts: DoubtArray,
    about: Sequence[Sequence[str]],
    ends: tuple[float, float],
    *,
    binary: bool = False,
) -> Iterator[Description]:
    """Yield a description of each column; `about` is what else there is to note on it."""
    quartiles = np.quantile(sample.scores, [0, 0.25, 0.5, 0.75, 1], axis=0)
    w = np.where(sample.constant, np.nan, shapiro_wilk(sample.scores))
    p = shapiro_p(w, sample.topics)
    in_order = np.sort(sample.scores, axis=0).T
    for place, ((run, baseline), own) in enumerate(zip(names, doubts.tolist(), strict=True)):
        lowest, q1, median, q3, highest = quartiles[:, place].tolist()
        yield Description(
            measure=measure,
            run=run,
            baseline=baseline,
            topics=sample.topics,
            mean=float(sample.mean[place]),
            sd=float(sample.sd[place]),
            min=lowest,
            q1=q1,
            median=median,
            q3=q3,
            max=highest,
            zeros=float((sample.scores[:, place] == 0).mean()),
            skew=float(sample.skewness[place]),
            shapiro_w=float(w[place]),
            shapiro_p=float(p[place]),
            note=", ".join(filter(None, [note_of(own), *about[place]])),
            kind=_kind(own, sample.topics, shares=not baseline and ends == _SHARES, binary=binary),
            histogram=_histogram(in_order[place], ends),
            ends=ends,
            values=in_order[place],
        )


def _ends(values: FloatArray) -> tuple[float, float]:
    """Return the ends of histograms: where nearly all values are."""
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL], axis=0)
    return float(low.min()), float(high.max())


def _histogram(values: FloatArray, ends: tuple[float, float]) -> tuple[int, ...]:
    """Return how many values there are in each bin; one on an edge is in the bin above it."""
    low, high = ends
    if not high > low:
        return (len(values), *[0] * (_BINS - 1))
    shares = (values.clip(low, high) - low) / (high - low)
    bins = (shares * _BINS).astype(int)
    return tuple(np.bincount(bins.clip(0, _BINS - 1), minlength=_BINS).tolist())


def _kind(doubts: int, topics: int, *, shares: bool, binary: bool) -> str:
    """Return what a column is to intervals; `shares`: of scores from 0 to 1."""
    kinds = {
        "one": topics == 1,
        "binary": binary,
        "constant": doubts & (Doubt.NO_VARIANCE | Doubt.IDENTICAL),
        "one value": doubts & _ONE_VALUE,
        "few": topics < SHAPE_TOPICS and shares,
        "few beyond": topics < SHAPE_TOPICS,
        "skewed": doubts & Doubt.SKEWED,
    }
    return next((kind for kind, is_so in kinds.items() if is_so), "fit")


def _view(rows: Sequence[Description], baselines: Sequence[str]) -> list[Table]:
    """Return a table for each measure with a row for each run; of one run, all measures in one."""
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    if len(by_measure) > 1 and len({row.name for row in rows}) == 1:
        first = rows[0]
        title = f"differences {first.run} - {first.baseline}" if first.baseline else first.run
        return [_part(rows, "measure", title)]
    of = ""
    if rows[0].baseline:
        of = f", differences to {series(baselines)}" if baselines else ", differences of every two"
    titles = [f"{own[0].measure}, {count(own[0].topics, 'topic')}{of}" for own in by_measure]
    return explained_once(
        [_part(own, "run", title) for own, title in zip(by_measure, titles, strict=True)]
    )


def _part(rows: Sequence[Description], key: str, title: str) -> Table:
    differences = bool(rows[0].baseline)
    what, zeros = ("differences", "ties") if differences else ("scores", "zeros")
    columns = [
        Column(key, [getattr(row, key) for row in rows]),
        Column("mean", [row.mean for row in rows]),
        Column("sd", [row.sd for row in rows], optional=True),
        Column("histogram", [Histogram(row.histogram) for row in rows], legend=_scale(rows, what)),
        Column(zeros, [row.zeros for row in rows], legend=f"{zeros.title()}: their share.",
               optional=True),
        Column("skew", [row.skew for row in rows], optional=True),
        Column("W", [row.shapiro_w for row in rows], optional=True),
        Column(
            "normal p",
            [Probability(row.shapiro_p) for row in rows],
            legend=f"W, normal p: Shapiro and Wilk's test of whether {what} are normal.",
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


def _scale(rows: Sequence[Description], what: str) -> str:
    """Explain the histograms."""
    (low, high), *others = dict.fromkeys(row.ends for row in rows)
    scale = f" from {low:.3g} to {high:.3g}" if high > low else ""
    if others:
        mixed = "from 0 to 1, or " if what == "scores" else ""
        scale = f" {mixed}where nearly all {what} are"
    beyond = "" if (low, high) == _SHARES and not others else ", what is beyond in the outermost"
    return f"Histogram: topics in {_BINS} bins{scale}{beyond if scale else ''}."


def _advice(rows: Sequence[Description], key: str) -> list[str]:
    """Say which interval to take, for which runs or pairs of them (or by which measures)."""
    differences = bool(rows[0].baseline)
    about = _ABOUT_DIFFERENCES if differences else _ABOUT
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("fit", *about)}
    said = []
    if fit := by_kind.pop("fit"):
        said.append(f"By Cochran's rule, {_fit(fit, rows, key)} too skewed for t.")
    for kind, own in by_kind.items():
        if not own:
            continue
        names = [_name(row, key) for row in own]
        listing = (
            series(names) if len(names) <= _LISTED and not differences else listed(names, _LISTED)
        )
        said.append(
            about[kind].format(
                names=listing,
                of="" if len(own) == len(rows) else f" ({listing})",
                is_="is" if len(own) == 1 else "are",
                has="has" if len(own) == 1 else "have",
                topics=_topics([row.topics for row in own]),
            )
        )
    return said


def _fit(fit: Sequence[Description], rows: Sequence[Description], key: str) -> str:
    """Return `7 of 8 runs are not`."""
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
    """Return what a row is about."""
    return row.name if key == "run" else row.measure


def _topics(numbers: Sequence[int]) -> str:
    """Return `50 topics`, or `5 to 50 topics`."""
    least, most = min(numbers), max(numbers)
    return count(most, "topic") if least == most else f"{least} to {most} topics"
