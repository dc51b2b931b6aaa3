"""How sure is this mean?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from confint_cli.common.errors import Notice
from confint_cli.common.progress import Progress, no_progress, parts_of
from confint_cli.common.table import Cell, Column, Interval, Span, Table, columns_of, explained_once
from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.estimate import Estimate, Estimation, estimate
from confint_cli.stats.sample import Sample
from confint_cli.studies.checks import (
    Judged,
    about_means,
    affected,
    is_binary,
    suited_methods,
    unusual_levels,
)
from confint_cli.studies.doubts import note_by_methods, note_of
from confint_cli.studies.pairing import about_missing, missing_in_words
from confint_cli.studies.rows import Bounded, intervals_of, largest_error, too_uncertain

_COLUMNS = (
    "measure", "run", "method", "level", "topics", "mean", "sd", "se", "low", "high", "shape",
)  # fmt: skip
_WHAT_NEXT = (
    "Whether two runs differ shows in their differences topic by topic, not in whether these "
    "intervals overlap: 'confint compare' looks at differences, 'confint rank' says who is ahead."
)


@dataclass(frozen=True)
class MeanRow(Bounded):
    """One interval of a mean."""

    topics: int
    mean: float
    sd: float
    se: float
    doubts: int
    kind: str = ""  # `standardised `, if the scores are
    missing: str = ""  # the note on topics that the run lacks

    @property
    def shape(self) -> float:
        """The upper limit's distance from the mean over the lower limit's; NaN, if that is 0."""
        below, above = self.mean - self.low, self.high - self.mean
        return above / below if below > 0 else math.nan

    @property
    def full_note(self) -> str:
        """The note, with that on topics that the run lacks."""
        return ", ".join(filter(None, [self.note, self.missing]))


def interval(
    scores: Scores,
    estimation: Estimation,
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure, run, method and level, and notices.

    In the view for people, each run has one row. Without `best_first`, runs stay in the order in
    which they come.
    """
    matrices = [scores.matrix(measure) for measure in scores.measures]
    suited, notices = suited_methods(matrices, estimation)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    estimates = list(_estimates(matrices, suited, estimation, progress))
    rows = [
        row
        for matrix, intervals in estimates
        for row in _rows(matrix, intervals, estimation.levels)
    ]
    used = dict.fromkeys(name for names in suited for name in names)
    notices += about_means(list(_judged(estimates)), [*used])
    signature = {"methods": ",".join(used)}
    notices += unusual_levels(estimation.levels)
    if estimation.resampling:
        signature["error"] = f"{largest_error(rows):.2g}"
        notices += too_uncertain(rows, estimation.resamples)
    return table_of(rows, signature, _WHAT_NEXT), notices


def table_of(rows: Sequence[MeanRow], signature: Mapping[str, str], what_next: str) -> Table:
    """Return a table of the rows, with views for people.

    If there are several runs, it ends with `what_next`, a sentence about other commands.
    """
    return Table(
        title="",
        columns=[
            *columns_of(rows, _COLUMNS, exact=("level",)),
            Column("note", [row.full_note for row in rows]),
        ],
        signature=signature,
        sentence=_about_several(rows, what_next),
        view=_view(rows),
    )


def _estimates(
    matrices: Sequence[Matrix],
    suited: Sequence[tuple[str, ...]],
    estimation: Estimation,
    progress: Progress,
) -> Iterator[tuple[Matrix, Estimate]]:
    """Yield the scores by each measure and their estimate, by the methods that suit them.

    Measures with the same topics and methods are estimated together, as columns of one array.
    """
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Matrix]] = {}
    for matrix, names in zip(matrices, suited, strict=True):
        groups.setdefault((matrix.topics, names), []).append(matrix)
    by_measure: dict[str, Estimate] = {}
    steps = parts_of(progress, len(groups))
    for its_progress, ((_, names), group) in zip(steps, groups.items(), strict=True):
        values = np.hstack([matrix.values for matrix in group])
        together = estimate(Sample(values), estimation.by(names), its_progress)
        start = 0
        for matrix in group:
            by_measure[matrix.measure] = together.columns(start, start := start + len(matrix.runs))
    for matrix in matrices:
        yield matrix, by_measure[matrix.measure]


def _rows(matrix: Matrix, estimates: Estimate, levels: Sequence[float]) -> Iterator[MeanRow]:
    missing = about_missing(matrix)
    for column, run in enumerate(matrix.runs):
        for interval in intervals_of(column, estimates.limits, estimates.doubts, levels):
            yield MeanRow(
                **interval,
                note=note_of(interval["doubts"]),
                measure=matrix.measure,
                run=run,
                topics=estimates.topics,
                mean=float(estimates.mean[column]),
                sd=float(estimates.sd[column]),
                se=float(estimates.se[column]),
                kind="standardised " if matrix.standardized else "",
                missing=missing.get(run, ""),
            )


def _judged(estimates: Sequence[tuple[Matrix, Estimate]]) -> Iterator[Judged]:
    """Yield the doubts about the runs by each measure, by a method that skewness matters to.

    Without such a method there are none.
    """
    for matrix, intervals in estimates:
        methods = affected([*intervals.doubts])
        doubts = intervals.doubts[methods[0]][0] if methods else np.zeros(0, np.intp)
        yield Judged(matrix.measure, len(matrix.runs), doubts, is_binary(matrix.values))


def _view(rows: Sequence[MeanRow]) -> list[Table]:
    """Return a table for each measure with a row for each run; of one run, all measures in one."""
    kinds = list(dict.fromkeys((row.method, row.level) for row in rows))
    with_notes = any(row.note for row in rows)
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    if len(by_measure) > 1 and len({row.run for row in rows}) == 1:
        columns, first = _side_by_side(rows, "measure", kinds, with_notes=with_notes)
        topics = Column("topics", [row.topics for row in first])
        return [
            Table(
                first[0].run,
                [columns[0], topics, *columns[1:]],
                legend=_about_missing(first[:1]),
                sentence=_of_one_run(first),
            )
        ]
    tables = []
    for group in by_measure:
        columns, first = _side_by_side(group, "run", kinds, with_notes=with_notes)
        title = f"{first[0].measure}, {count(first[0].topics, 'topic')}"
        if len({row.topics for row in rows}) > 1:  # as published results may have
            title = first[0].measure
            columns.insert(1, Column("topics", [row.topics for row in first]))
        columns[0] = replace(columns[0], legend=_about_missing(first))
        # If there is one topic only, no run has an interval: the sentence about one run says so.
        is_said = len(first) == 1 or math.isnan(first[0].low)
        tables.append(Table(title, columns, sentence=_of_one_run(first[:1]) if is_said else []))
    return explained_once(tables)


def _about_missing(rows: Sequence[MeanRow]) -> str:
    """Return a sentence that names the runs that lack topics; empty, if none does.

    A column of notes would take the room of a picture.
    """
    return missing_in_words({row.run: row.missing for row in rows if row.missing})


def _side_by_side(
    rows: Sequence[MeanRow], key: str, kinds: Sequence[tuple[str, float]], *, with_notes: bool
) -> tuple[list[Column], list[MeanRow]]:
    """Return the columns of a table with a row for each run, and the first interval of each row.

    `key` is `run`, or `measure` for a table with a row for each measure. The intervals of a row,
    one for each method and level in `kinds`, are beside one another.
    """
    by_key: dict[str, dict[tuple[str, float], MeanRow]] = {}
    for row in rows:
        by_key.setdefault(getattr(row, key), {})[row.method, row.level] = row
    first = [next(iter(intervals.values())) for intervals in by_key.values()]
    columns = [
        Column(key, list(by_key)),
        Column("mean", [row.mean for row in first]),
        Column("sd", [row.sd for row in first], optional=True),
    ]
    for method, level in kinds:
        cells: list[Cell] = []
        for intervals in by_key.values():
            shown = intervals.get((method, level))
            cells.append(Interval(shown.low, shown.high) if shown else None)
        columns.append(Column(f"{method} {percent(level)}", cells))
    if len(kinds) == 1 and len(first) > 1 and key == "run":
        columns.append(Column("", [Span(row.low, row.mean, row.high) for row in first]))
    if with_notes:
        doubts = [
            [(row.method, row.doubts) for row in intervals.values()]
            for intervals in by_key.values()
        ]
        columns.append(Column("note", list(map(note_by_methods, doubts))))
    return columns, first


def _of_one_run(rows: Sequence[MeanRow]) -> list[Cell]:
    """Return the cells of a sentence about one run.

    It has the interval by the first method and level, or why there is none; several rows get
    the sentence of `_by_itself` too.
    """
    first = rows[0]
    if math.isnan(first.low):
        return ["One topic says nothing about others: there is no interval."]
    if len(rows) > 1:
        return [_by_itself(rows)]
    if math.isinf(first.low) or math.isinf(first.high):
        return [
            f"These {first.topics} topics are too few for a {first.method} interval of "
            f"{percent(first.level)}."
        ]
    but = f", but: {first.note}" if first.note else ""
    return [
        f"With {percent(first.level)} confidence ({first.method}{but}), the mean {first.kind}"
        f"{first.measure} of "
        f"{first.run} over topics like these {first.topics} lies between ", first.low, " and ",
        first.high, ".",
    ]  # fmt: skip


def _about_several(rows: Sequence[MeanRow], what_next: str) -> list[Cell]:
    """Return the cells of a sentence on what intervals of several runs do not tell.

    It names the command that does. For one run it is empty.
    """
    if len({row.run for row in rows}) == 1 or all(math.isnan(row.low) for row in rows):
        return []
    return [f"{_by_itself(rows)} {what_next}"]


def _by_itself(rows: Sequence[MeanRow]) -> str:
    """Return the sentence that each interval has its confidence by itself; it is never empty."""
    levels = dict.fromkeys(percent(row.level) for row in rows)
    confidence = f"{next(iter(levels))} confidence" if len(levels) == 1 else "its confidence"
    noted = ", and less where a note says so" if any(row.note for row in rows) else ""
    return (
        f"Each interval is meant to have {confidence} by itself{noted}; all of them together have "
        "less."
    )
