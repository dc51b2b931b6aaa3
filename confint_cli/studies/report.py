"""All that one page says about a shared task: standings, comparisons, topics, caveats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, any_along
from confint_cli.common.errors import Notice
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.table import Cell, Column, Interval, Marked, Span, Strip, Table
from confint_cli.common.text import count, have, listed, natural_key
from confint_cli.common.words import percent, series
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.comparison import Testing
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import FEW_TOPICS, Doubt, doubts_about
from confint_cli.stats.methods import method_named
from confint_cli.stats.sample import Sample
from confint_cli.studies.checks import FOR_BINARY, is_binary
from confint_cli.studies.compare import compare
from confint_cli.studies.pairing import identical_runs
from confint_cli.studies.rank import rank

_LISTED = 10
_SAME = 1e-12  # scores so near to the best of a topic are as good, as a share of the largest


@dataclass(frozen=True)
class TopicScores:
    """The scores by one measure, the hardest topic and the best run first."""

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray  # [topic, run]
    filled: BoolArray  # which of them stand for topics that the run lacks

    @property
    def means(self) -> FloatArray:
        """The mean of each topic over the runs: how hard it is."""
        means: FloatArray = self.values.mean(axis=1)
        return means

    @property
    def shares(self) -> bool:
        """Whether all scores are from 0 to 1."""
        return bool(self.values.min() >= 0 and self.values.max() <= 1)

    def best_runs(self, topic: int) -> list[str]:
        """Return the runs that no other does better than on a topic."""
        scores = self.values[topic]
        least = scores.max() - _SAME * np.abs(self.values).max()
        return [run for run, score in zip(self.runs, scores, strict=True) if score >= least]


@dataclass(frozen=True)
class Part:
    """All that is said by one measure."""

    measure: str
    standings: Table  # as people read it, with pictures behind the intervals that they show
    tied_with_best: tuple[bool, ...]  # of its rows
    comparisons: tuple[Table, ...]  # one for each baseline
    topics: TopicScores


@dataclass(frozen=True)
class Report:
    """What the page is made of."""

    topics: int
    runs: int
    level: str
    parts: tuple[Part, ...]
    caveats: tuple[str, ...]  # found in the scores, beside what notices say
    ranked: Mapping[str, str]  # what signatures say about the standings …
    compared: Mapping[str, str]  # … and about the comparisons

    @property
    def measures(self) -> list[str]:
        """The measures by which runs are ranked."""
        return [part.measure for part in self.parts]


def report(
    scores: Scores,
    baselines: tuple[str, ...],
    estimation: Estimation,
    estimation_of_differences: Estimation,
    testing: Testing,
    *,
    strict: bool = False,
    progress: Progress = no_progress,
) -> tuple[Report, list[Notice]]:
    """Return what `rank` and, with baselines, `compare` find, and the scores behind it."""
    ranked, notices = rank(scores, estimation, strict=strict, progress=progress)
    facts_of_comparisons: Mapping[str, str] = {}
    by_measure: dict[str, list[Table]] = {}
    if baselines:
        compared, further = compare(
            scores, baselines, estimation_of_differences, testing, progress=progress
        )
        notices += [
            Notice(notice.level, f"of comparisons: {notice.text}")
            for notice in further
            if notice not in notices
        ]
        facts_of_comparisons = compared.signature
        views = iter(compared.view)
        by_measure = {
            measure: [_with_picture(next(views), "difference", 0.0) for _ in baselines]
            for measure in _measures(compared)
        }
    tied = _tied(ranked)
    parts = []
    for measure, view in zip(_measures(ranked), ranked.view, strict=True):
        runs = [str(run) for run in view.columns[view.names.index("run")].values]
        parts.append(
            Part(
                measure,
                _standings(view),
                tied[measure],
                tuple(by_measure.get(measure, ())),
                _topics(scores.matrix(measure), runs),
            )
        )
    (level,) = estimation.levels
    found = Report(
        topics=len(scores.topics),
        runs=len(scores.runs),
        level=percent(level),
        parts=tuple(parts),
        caveats=_caveats(scores, [part.measure for part in parts], estimation.methods[0]),
        ranked=ranked.signature,
        compared=facts_of_comparisons,
    )
    return found, notices


def _values(table: Table, name: str) -> Sequence[Cell]:
    return table.columns[table.names.index(name)].values


def _measures(table: Table) -> list[str]:
    """Return the measures of a table, in the order of its views."""
    return [str(measure) for measure in dict.fromkeys(_values(table, "measure"))]


def _tied(ranked: Table) -> dict[str, tuple[bool, ...]]:
    """Return by each measure which runs cannot be told apart from the best one."""
    rows = list(zip(_values(ranked, "measure"), _values(ranked, "tied_with_best"), strict=True))
    return {
        measure: tuple(bool(tied) for own, tied in rows if own == measure)
        for measure in _measures(ranked)
    }


def _standings(view: Table) -> Table:
    """Return the standings with the pictures of a page: of the means, and of the rank sets."""
    (ranks,) = (column for column in view.columns if isinstance(column.values[0], Span))
    drawn = [column for column in view.columns if not isinstance(column.values[0], (Span, Strip))]
    behind = [column.name for column in drawn].index("rank set") + 1
    drawn.insert(behind, replace(ranks, legend=""))  # that explains characters of a terminal
    return _with_picture(replace(view, columns=drawn), "mean")


def _with_picture(view: Table, of: str, mark: float | None = None) -> Table:
    """Return the table with pictures of its intervals, and of a value to compare them with."""
    (place,) = (
        place
        for place, column in enumerate(view.columns)
        if any(isinstance(cell, Interval) for cell in column.values)
    )
    cells = zip(_values(view, of), view.columns[place].values, strict=True)
    spans: list[Cell] = [
        Span(interval.low, value.value, interval.high, mark)
        if isinstance(value, Marked) and isinstance(interval, Interval)
        else None
        for value, interval in cells
    ]
    columns = [*view.columns[: place + 1], Column("", spans), *view.columns[place + 1 :]]
    return replace(view, columns=columns)


def _topics(matrix: Matrix, runs: Sequence[str]) -> TopicScores:
    """Return the scores with the hardest topics first, and the runs in this order."""
    matrix = matrix.ordered([matrix.runs.index(run) for run in runs])
    means = matrix.values.mean(axis=1).tolist()
    order = sorted(
        range(len(matrix.topics)),
        key=lambda topic: (means[topic], natural_key(matrix.topics[topic])),
    )
    topics = tuple(matrix.topics[topic] for topic in order)
    return TopicScores(topics, matrix.runs, matrix.values[order], matrix.filled[order])


def _caveats(scores: Scores, measures: Sequence[str], method: str) -> tuple[str, ...]:
    """Say which runs the figures are to be taken with care for, and by which measures.

    Topics that runs lack, and runs that are the same by all measures, are what notices say.
    """
    matrices = [scores.matrix(measure) for measure in measures]
    copies = [identical_runs(matrix).items() for matrix in matrices]
    everywhere = set.intersection(*map(set, copies))
    said: dict[str, list[str]] = {}
    for matrix, same in zip(matrices, copies, strict=True):
        for caveat in [*_about(matrix, method), *_same_here(dict(same - everywhere))]:
            said.setdefault(caveat, []).append(matrix.measure)
    return tuple(
        caveat if len(by) == len(measures) else f"By {series(by)}, {caveat}"
        for caveat, by in said.items()
    )


def _about(matrix: Matrix, method: str) -> list[str]:
    """Return the caveats of one measure, and of the method by which there are intervals."""
    topics, runs = len(matrix.topics), matrix.runs
    caveats = []
    if topics < FEW_TOPICS:
        caveats.append(f"{topics} topics are few, and intervals of so few may be far off.")
    scored = any_along(matrix.values != 0, 0).tolist()
    doubts = (doubts_about(Sample(matrix.values)) & ~int(method_named(method).immune)).tolist()
    one_value = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_ONE_VALUE
    poor = [run for run, own in zip(runs, doubts, strict=True) if own & one_value]
    if poor:
        but = f" but {FOR_BINARY}" if is_binary(matrix.values) else ""
        caveats.append(
            f"{have(len(poor), 'run')} one score on so many topics that no interval{but} covers as "
            f"it says: {listed(sorted(poor, key=natural_key), _LISTED)}."
        )
    uneven = [run for run, own in zip(runs, doubts, strict=True) if own & Doubt.SKEWED]
    if uneven:
        is_ = "is" if len(uneven) == 1 else "are"
        caveats.append(
            f"{count(len(uneven), 'run')} {is_} so skewed that as a rule {method} intervals of "
            f"{topics} topics cover less than they say: "
            f"{listed(sorted(uneven, key=natural_key), _LISTED)}."
        )
    empty = [run for run, some in zip(runs, scored, strict=True) if not some]
    if empty:
        caveats.append(
            f"{have(len(empty), 'run')} nothing but zeros: "
            f"{listed(sorted(empty, key=natural_key), _LISTED)}."
        )
    return caveats


def _same_here(copies: Mapping[str, str]) -> list[str]:
    """Say which runs have the same scores by one measure, but not by all."""
    if not copies:
        return []
    said = [f"{run} is {copies[run]}" for run in sorted(copies, key=natural_key)]
    return [f"runs have the same scores on all topics: {listed(said, _LISTED)}."]
