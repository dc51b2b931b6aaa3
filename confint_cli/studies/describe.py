"""What do the scores look like?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.methods._sample import Sample
from confint_cli.normality import shapiro_p, shapiro_wilk, skewness
from confint_cli.notes import SHAPE_TOPICS, mostly_zeros, note_on, skewed
from confint_cli.progress import Progress, no_progress
from confint_cli.scores import Matrix, Scores
from confint_cli.studies._comparable import about_runs
from confint_cli.studies._words import series
from confint_cli.table import Column, Histogram, Probability, Table, columns_of, explained_once
from confint_cli.text import all_of, count, listed

_SHARES = (0.0, 1.0)
_COLUMNS = (
    "measure", "run", "topics", "mean", "sd", "min", "q1", "median", "q3", "max", "zeros", "skew",
    "shapiro_w", "shapiro_p", "note",
)  # fmt: skip
_ABOUT = {  # runs that are no fit for a t interval
    "skewed": "{names} {is_} too skewed for {topics}: as a rule, bootstrap-t comes closer.",
    "zeros": "{names} {is_} zero on so many topics that no interval covers as it says.",
    "few": "{topics}{of} hardly show what scores are like; of scores from 0 to 1, logit is the "
    "interval for so few.",
    "few beyond": "{topics}{of} hardly show what scores are like.",
    "constant": "{names} {is_} without variance, and the interval a point.",
    "binary": "Where scores are 0 or 1{of}, wilson is the interval to take.",
    "one": "One topic{of} says nothing about others: there is no interval.",
}
_BINS = 10
_TAIL = 0.02  # of any run's scores without bounds that are beyond a histogram, on either side
_LISTED = 5


@dataclass(frozen=True)
class Description:
    """What is known of one run by one measure."""

    measure: str
    run: str
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
    kind: str  # what it is to intervals: a key of _ABOUT, or `fit`
    histogram: tuple[int, ...]
    ends: tuple[float, float]  # of the histogram


def describe(
    scores: Scores,
    signature: Mapping[str, str],
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Table:
    """Return a row for each measure and run."""
    matrices = [scores.matrix(measure) for measure in scores.measures]
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    rows: list[Description] = []
    for done, matrix in enumerate(matrices):
        progress(done, len(matrices))
        rows += _descriptions(matrix)
    progress(len(matrices), len(matrices))
    columns = [
        Column(column.name, column.values, significant=column.name == "shapiro_p")
        for column in columns_of(rows, _COLUMNS)
    ]
    return Table(
        title="",
        columns=columns,
        signature=signature,
        view=_view(rows),
        for_figure={
            "scores": [own for matrix in matrices for own in np.sort(matrix.values, axis=0).T],
            "histogram": [row.histogram for row in rows],
            "ends": [row.ends for row in rows],
        },
    )


def _descriptions(matrix: Matrix) -> Iterator[Description]:
    sample = Sample(matrix.values)
    topics = sample.topics
    quartiles = np.quantile(matrix.values, [0, 0.25, 0.5, 0.75, 1], axis=0)
    skew = np.where(sample.constant, np.nan, skewness(matrix.values))
    w = np.where(sample.constant, np.nan, shapiro_wilk(matrix.values))
    p = shapiro_p(w, topics)
    zeros = mostly_zeros(matrix.values, topics)
    too_skewed = skewed(skew, topics)
    ends = _ends(matrix)
    binary = bool(np.isin(matrix.values, (0, 1)).all() and matrix.values.any())
    about = about_runs(matrix)
    for run, name in enumerate(matrix.runs):
        own_zeros, own_skewed = bool(zeros[run]), bool(too_skewed[run])
        varies = not sample.constant[run]
        words = [
            note_on(topics, varies=varies, zeros=own_zeros) if topics > 1 else "one topic",
            "skewed" if own_skewed else "",
            *about[run],
        ]
        lowest, q1, median, q3, highest = quartiles[:, run].tolist()
        yield Description(
            measure=matrix.measure,
            run=name,
            topics=topics,
            mean=float(sample.mean[run]),
            sd=float(sample.sd[run]),
            min=lowest,
            q1=q1,
            median=median,
            q3=q3,
            max=highest,
            zeros=float((matrix.values[:, run] == 0).mean()),
            skew=float(skew[run]),
            shapiro_w=float(w[run]),
            shapiro_p=float(p[run]),
            note=", ".join(filter(None, words)),
            kind=_kind(
                topics, ends, binary=binary, varies=varies, zeros=own_zeros, skewed=own_skewed
            ),
            histogram=_histogram(matrix.values[:, run], ends),
            ends=ends,
        )


def _ends(matrix: Matrix) -> tuple[float, float]:
    """Return the ends of the histograms: 0 and 1, or where nearly all scores are."""
    if matrix.values.min() >= 0 and matrix.values.max() <= 1:
        return _SHARES
    low, high = np.quantile(matrix.values, [_TAIL, 1 - _TAIL], axis=0)
    return float(low.min()), float(high.max())


def _histogram(values: FloatArray, ends: tuple[float, float]) -> tuple[int, ...]:
    """Return how many scores there are in each bin; one on an edge is in the bin above it."""
    low, high = ends
    if not high > low:
        return (len(values), *[0] * (_BINS - 1))
    shares = (values.clip(low, high) - low) / (high - low)
    bins = (shares * _BINS).astype(int)
    return tuple(np.bincount(bins.clip(0, _BINS - 1), minlength=_BINS).tolist())


def _kind(
    topics: int, ends: tuple[float, float], *, binary: bool, varies: bool, zeros: bool, skewed: bool
) -> str:
    """Return what a run is to intervals."""
    kinds = {
        "one": topics == 1,
        "binary": binary,
        "constant": not varies,
        "zeros": zeros,
        "few": topics < SHAPE_TOPICS and ends == _SHARES,
        "few beyond": topics < SHAPE_TOPICS,
        "skewed": skewed,
    }
    return next((kind for kind, is_so in kinds.items() if is_so), "fit")


def _view(rows: Sequence[Description]) -> list[Table]:
    """Return a table for each measure with a row for each run; of one run, all measures in one."""
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    if len(by_measure) > 1 and len({row.run for row in rows}) == 1:
        return [_part(rows, "measure", rows[0].run)]
    titles = [f"{own[0].measure}, {count(own[0].topics, 'topic')}" for own in by_measure]
    return explained_once(
        [_part(own, "run", title) for own, title in zip(by_measure, titles, strict=True)]
    )


def _part(rows: Sequence[Description], key: str, title: str) -> Table:
    columns = [
        Column(key, [getattr(row, key) for row in rows]),
        Column("mean", [row.mean for row in rows]),
        Column("sd", [row.sd for row in rows], optional=True),
        Column("histogram", [Histogram(row.histogram) for row in rows], legend=_scale(rows)),
        Column("zeros", [row.zeros for row in rows], legend="Zeros: their share.", optional=True),
        Column("skew", [row.skew for row in rows], optional=True),
        Column("W", [row.shapiro_w for row in rows], optional=True),
        Column(
            "normal p",
            [Probability(row.shapiro_p) for row in rows],
            legend="W, normal p: Shapiro and Wilk's test of whether scores are normal.",
        ),
        *(
            replace(column, optional=True)
            for column in columns_of(rows, ("min", "q1", "median", "q3", "max"))
        ),
        Column("note", [row.note for row in rows]),
    ]
    if key == "measure":
        columns.insert(1, Column("topics", [row.topics for row in rows]))
    return Table(title, columns, sentence=[" ".join(_advice(rows, key))])


def _scale(rows: Sequence[Description]) -> str:
    """Explain the histograms."""
    (low, high), *others = dict.fromkeys(row.ends for row in rows)
    scale = f" from {low:.3g} to {high:.3g}" if high > low else ""
    if others:
        scale = " from 0 to 1, or where nearly all scores are"
    beyond = "" if (low, high) == _SHARES and not others else ", what is beyond in the outermost"
    return f"Histogram: topics in {_BINS} bins{scale}{beyond if scale else ''}."


def _advice(rows: Sequence[Description], key: str) -> list[str]:
    """Say which interval can be trusted, for which runs (or by which measures)."""
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("fit", *_ABOUT)}
    said = []
    if fit := by_kind.pop("fit"):
        whom = all_of(len(rows), key) if len(rows) > 1 else str(getattr(fit[0], key))
        if len(fit) < len(rows):
            whom = f"{len(fit)} of {count(len(rows), key)}"
        said.append(f"t intervals can be trusted for {whom}.")
    for kind, own in by_kind.items():
        if not own:
            continue
        names = [str(getattr(row, key)) for row in own]
        listing = series(names) if len(names) <= _LISTED else listed(names, _LISTED)
        said.append(
            _ABOUT[kind].format(
                names=listing,
                of="" if len(own) == len(rows) else f" ({listing})",
                is_="is" if len(own) == 1 else "are",
                topics=_topics([row.topics for row in own]),
            )
        )
    return said


def _topics(numbers: Sequence[int]) -> str:
    """Return `50 topics`, or `5 to 50 topics`."""
    least, most = min(numbers), max(numbers)
    return count(most, "topic") if least == most else f"{least} to {most} topics"
