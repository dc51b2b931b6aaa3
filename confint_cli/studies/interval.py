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
    kind: str = ""  # what has been done to the scores
    missing: str = ""  # what to note about topics that the run lacks

    @property
    def shape(self) -> float:
        """How much farther the upper limit is from the mean than the lower one."""
        below, above = self.mean - self.low, self.high - self.mean
        return above / below if below > 0 else math.nan

    @property
    def full_note(self) -> str:
        """All that there is to note."""
        return ", ".join(filter(None, [self.note, self.missing]))


def interval(
    scores: Scores,
    estimation: Estimation,
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, run, method and level; for people, a row for each run."""
    matrices = [scores.matrix(measure) for measure in scores.measures]
    suited, notices = suited_methods(matrices, estimation)
    if best_first:
        matrices = [matrix.best_first() for matrix in matrices]
    estimates = list(_estimates(matrices, suited, estimation, progress))
    rows = [row for matrix, found in estimates for row in _rows(matrix, found, estimation.levels)]
    used = dict.fromkeys(name for names in suited for name in names)
    notices += about_means(list(_judged(estimates)), [*used])
    signature = {"methods": ",".join(used)}
    notices += unusual_levels(estimation.levels)
    if estimation.resampling:
        signature["error"] = f"{largest_error(rows):.2g}"
        notices += too_uncertain(rows, estimation.resamples)
    return table_of(rows, signature, _WHAT_NEXT), notices


def table_of(rows: Sequence[MeanRow], signature: Mapping[str, str], what_next: str) -> Table:
    """Return the rows as a table, which ends with what to do next if there are several runs."""
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
    """Yield what is found of each measure; those on the same topics are columns of one array."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Matrix]] = {}
    for matrix, names in zip(matrices, suited, strict=True):
        groups.setdefault((matrix.topics, names), []).append(matrix)
    found: dict[str, Estimate] = {}
    parts = parts_of(progress, len(groups))
    for part, ((_, names), group) in zip(parts, groups.items(), strict=True):
        values = np.hstack([matrix.values for matrix in group])
        together = estimate(Sample(values), estimation.by(names), part)
        start = 0
        for matrix in group:
            found[matrix.measure] = together.columns(start, start := start + len(matrix.runs))
    for matrix in matrices:
        yield matrix, found[matrix.measure]


def _rows(matrix: Matrix, found: Estimate, levels: Sequence[float]) -> Iterator[MeanRow]:
    about = about_missing(matrix)
    for place, run in enumerate(matrix.runs):
        for interval in intervals_of(place, found.limits, found.doubts, levels):
            yield MeanRow(
                **interval,
                note=note_of(interval["doubts"]),
                measure=matrix.measure,
                run=run,
                topics=found.topics,
                mean=float(found.mean[place]),
                sd=float(found.sd[place]),
                se=float(found.se[place]),
                kind="standardised " if matrix.standardized else "",
                missing=about.get(run, ""),
            )


def _judged(estimates: Sequence[tuple[Matrix, Estimate]]) -> Iterator[Judged]:
    """Yield by each measure the doubts about the runs, by a method that skewness matters to."""
    for matrix, found in estimates:
        methods = affected([*found.doubts])
        doubts = found.doubts[methods[0]][0] if methods else np.zeros(0, np.intp)
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
    parts = []
    for group in by_measure:
        columns, first = _side_by_side(group, "run", kinds, with_notes=with_notes)
        title = f"{first[0].measure}, {count(first[0].topics, 'topic')}"
        if len({row.topics for row in rows}) > 1:  # of published results
            title = first[0].measure
            columns.insert(1, Column("topics", [row.topics for row in first]))
        columns[0] = replace(columns[0], legend=_about_missing(first))
        one = len(first) == 1 or math.isnan(first[0].low)  # of one topic, no run has an interval
        parts.append(Table(title, columns, sentence=_of_one_run(first[:1]) if one else []))
    return explained_once(parts)


def _about_missing(rows: Sequence[MeanRow]) -> str:
    """Name the runs that lack topics; a column of notes would take the room of a picture."""
    return missing_in_words({row.run: row.missing for row in rows if row.missing})


def _side_by_side(
    rows: Sequence[MeanRow], key: str, kinds: Sequence[tuple[str, float]], *, with_notes: bool
) -> tuple[list[Column], list[MeanRow]]:
    """Return a row for each run (or measure), its intervals beside one another.

    The second part of the answer are the intervals of the first kind.
    """
    by_key: dict[str, dict[tuple[str, float], MeanRow]] = {}
    for row in rows:
        by_key.setdefault(getattr(row, key), {})[row.method, row.level] = row
    first = [next(iter(own.values())) for own in by_key.values()]
    columns = [
        Column(key, list(by_key)),
        Column("mean", [row.mean for row in first]),
        Column("sd", [row.sd for row in first], optional=True),
    ]
    for method, level in kinds:
        shown: list[Cell] = []
        for own in by_key.values():
            here = own.get((method, level))
            shown.append(Interval(here.low, here.high) if here else None)
        columns.append(Column(f"{method} {percent(level)}", shown))
    if len(kinds) == 1 and len(first) > 1 and key == "run":
        columns.append(Column("", [Span(row.low, row.mean, row.high) for row in first]))
    if with_notes:
        doubts = [[(row.method, row.doubts) for row in own.values()] for own in by_key.values()]
        columns.append(Column("note", list(map(note_by_methods, doubts))))
    return columns, first


def _of_one_run(rows: Sequence[MeanRow]) -> list[Cell]:
    """Return what the first method and level say about one run, by one measure or by several."""
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
    """Say what intervals of several runs do not say, and what to do next."""
    if len({row.run for row in rows}) == 1 or all(math.isnan(row.low) for row in rows):
        return []
    return [f"{_by_itself(rows)} {what_next}"]


def _by_itself(rows: Sequence[MeanRow]) -> str:
    """Say what several intervals do not say together."""
    levels = dict.fromkeys(percent(row.level) for row in rows)
    confidence = f"{next(iter(levels))} confidence" if len(levels) == 1 else "its confidence"
    noted = ", and less where a note says so" if any(row.note for row in rows) else ""
    return (
        f"Each interval is meant to have {confidence} by itself{noted}; all of them together have "
        "less."
    )
