"""What do the scores look like, or the differences of runs?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from confint_cli.errors import Notice
from confint_cli.progress import Progress, no_progress
from confint_cli.scores import Scores
from confint_cli.studies._comparable import comparable_matrices
from confint_cli.studies._described import BINS, SHARES, Description, of_differences, of_runs
from confint_cli.studies._words import series
from confint_cli.table import Column, Histogram, Probability, Table, columns_of, explained_once
from confint_cli.text import count, listed

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
_LISTED = 5


def describe(
    scores: Scores,
    signature: Mapping[str, str],
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
        matrices, notices = comparable_matrices(scores, baselines, best_first=best_first)
    else:
        matrices = [scores.matrix(measure) for measure in scores.measures]
        if best_first:
            matrices = [matrix.best_first() for matrix in matrices]
    rows: list[Description] = []
    for done, matrix in enumerate(matrices):
        progress(done, len(matrices))
        rows += of_differences(matrix, baselines) if differences else of_runs(matrix)
    progress(len(matrices), len(matrices))
    names = ("measure", "run", *(["baseline"] if differences else []), *_SHAPE)
    columns = [
        Column(column.name, column.values, significant=column.name == "shapiro_p")
        for column in columns_of(rows, names)
    ]
    table = Table(
        title="",
        columns=columns,
        signature=signature,
        view=_view(rows, baselines),
        for_figure={
            "scores": [row.values for row in rows],
            "histogram": [row.histogram for row in rows],
            "ends": [row.ends for row in rows],
        },
    )
    return table, notices


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
    beyond = "" if (low, high) == SHARES and not others else ", what is beyond in the outermost"
    return f"Histogram: topics in {BINS} bins{scale}{beyond if scale else ''}."


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
