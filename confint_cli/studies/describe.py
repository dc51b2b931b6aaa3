"""What do the scores look like?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from confint_cli.methods._sample import Sample
from confint_cli.normality import shapiro_p, shapiro_wilk, skewness
from confint_cli.notes import FEW_TOPICS, mostly_zeros, note_on, skewed
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
_KINDS = {  # of runs, and what to say about them
    "fit": "",
    "skewed": "{names} {is_} too skewed for {topics}: bootstrap-t comes closer.",
    "zeros": "{names} {is_} zero on so many topics that no interval covers as it says.",
    "constant": "{names} {is_} without variance, so there is no interval.",
    "binary": "Where all scores are 0 or 1, wilson is the interval to take.",
}
_BINS = 10
_TAIL = 0.01  # of scores without bounds that histograms have in their outermost bins
_FEW_FOR_T = 20  # topics, of scores from 0 to 1: Park (2011)
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
    kind: str  # what it is to intervals: a key of _KINDS
    histogram: tuple[int, ...]
    ends: tuple[float, float]  # of the histogram


def describe(scores: Scores, signature: Mapping[str, str], *, best_first: bool = True) -> Table:
    """Return a row for each measure and run."""
    matrices = [scores.matrix(measure) for measure in scores.measures]
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    rows = [row for matrix in matrices for row in _descriptions(matrix)]
    columns = [
        Column(column.name, column.values, significant=column.name == "shapiro_p")
        for column in columns_of(rows, _COLUMNS)
    ]
    return Table(title="", columns=columns, signature=signature, view=_view(rows))


def _descriptions(matrix: Matrix) -> Iterator[Description]:
    sample = Sample(matrix.values)
    topics = sample.topics
    quartiles = np.quantile(matrix.values, [0, 0.25, 0.5, 0.75, 1], axis=0)
    skew = np.where(sample.constant, np.nan, skewness(matrix.values))
    w = np.where(sample.constant, np.nan, shapiro_wilk(matrix.values))
    p = shapiro_p(w, topics)
    zeros = mostly_zeros(matrix.values, topics) & (topics > 1)
    too_skewed = skewed(skew, topics)
    ends = _ends(matrix)
    binary = bool(np.isin(matrix.values, (0, 1)).all())
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
            kind=_kind(binary=binary, varies=varies, zeros=own_zeros, skewed=own_skewed),
            histogram=tuple(
                np.histogram(matrix.values[:, run].clip(*ends), _BINS, ends)[0].tolist()
            ),
            ends=ends,
        )


def _ends(matrix: Matrix) -> tuple[float, float]:
    """Return the ends of the histograms: 0 and 1, or where nearly all scores are."""
    if matrix.values.min() >= 0 and matrix.values.max() <= 1:
        return _SHARES
    low, high = np.quantile(matrix.values, [_TAIL, 1 - _TAIL]).tolist()
    return low, high


def _kind(*, binary: bool, varies: bool, zeros: bool, skewed: bool) -> str:
    """Return what a run is to intervals."""
    if binary:
        return "binary"
    if not varies:
        return "constant"
    if zeros:
        return "zeros"
    return "skewed" if skewed else "fit"


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
        Column("sd", [row.sd for row in rows]),
        Column("histogram", [Histogram(row.histogram) for row in rows], legend=_scale(rows)),
        Column("zeros", [row.zeros for row in rows], legend="Zeros: their share."),
        Column("skew", [row.skew for row in rows]),
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
    ends = {row.ends for row in rows}
    low, high = rows[0].ends
    scale = f"from {low:.3g} to {high:.3g}" if len(ends) == 1 else "from the lowest scores up"
    beyond = "" if ends == {_SHARES} else ", what is beyond in the outermost"
    return f"Histogram: topics in {_BINS} bins {scale}{beyond}."


def _advice(rows: Sequence[Description], key: str) -> list[str]:
    """Say which interval can be trusted, of how many runs (or by how many measures)."""
    topics = min(row.topics for row in rows)
    if topics == 1:
        return ["One topic says nothing about others: there is no interval."]
    shares = all(row.ends == _SHARES for row in rows)
    few = topics < (_FEW_FOR_T if shares else FEW_TOPICS)
    if few and "binary" not in {row.kind for row in rows}:
        said = [f"{topics} topics hardly show what scores are like."]
        return (
            [*said, "Of scores from 0 to 1, logit is the interval for so few."] if shares else said
        )
    by_kind = {kind: [getattr(row, key) for row in rows if row.kind == kind] for kind in _KINDS}
    number = len(rows)
    fit = len(by_kind["fit"])
    said = []
    if number > len(by_kind["binary"]):
        whom = all_of(number, key) if fit == number else f"{fit or 'none'} of {count(number, key)}"
        whom = getattr(rows[0], key) if fit == number == 1 else whom
        said = [f"t intervals can be trusted for {whom}."]
    return said + [
        _KINDS[kind].format(
            names=series(names) if len(names) <= _LISTED else listed(names, _LISTED),
            is_="is" if len(names) == 1 else "are",
            topics=count(topics, "topic"),
        )
        for kind, names in by_kind.items()
        if names and _KINDS[kind]
    ]
