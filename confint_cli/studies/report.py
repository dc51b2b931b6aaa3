"""What does one page say about a shared task? Standings, comparisons, topics, judges, caveats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray
from confint_cli.common.errors import prefixed
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import natural_key
from confint_cli.scores.labels import MACRO
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.comparison import Testing
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.random import Drawing
from confint_cli.studies.agreement import agreement
from confint_cli.studies.answer import Answer
from confint_cli.studies.caveats import Caveat, caveats_of
from confint_cli.studies.collections import collections_of
from confint_cli.studies.compare import compare, deciding
from confint_cli.studies.facts import Facts, merged
from confint_cli.studies.judged import of_use
from confint_cli.studies.rank import rank
from confint_cli.studies.rows import AgreementRow, CompareRow, RankRow
from confint_cli.studies.scope import TOPICS
from confint_cli.studies.unjudged import decided_otherwise, decisions_of_pairs, standings

_SAME = 1e-12  # scores this near to the best of a topic, as a share of the largest, are as good
_ABOUT = {
    "rank": "",
    "compare": "in comparisons with baselines: ",
    "agreement": "in the comparison of both judges: ",
}
"""How a notice begins, by the name of the command that would show it."""

View = tuple[str, str]
"""A measure, and a collection: `macro` is all of them together; empty: there is only one."""


@dataclass(frozen=True)
class Question:
    """What a report asks of the scores, besides who is ahead."""

    ranking: Estimation  # of the standings; it has one level
    comparing: Estimation  # of the comparisons with baselines
    testing: Testing
    strict: bool = False  # the max-T of the standings
    for_new: str = TOPICS
    paired_repeats: bool = False


@dataclass(frozen=True)
class TopicScores:
    """The scores by one measure, the hardest topic and the best run first.

    For several collections together, the means of collections take the place of topics.
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray  # [topic, run]
    filled: BoolArray  # [topic, run]: which values stand for topics that the run lacks
    unit: str = "topic"  # what a row is: a topic, or a collection
    groups: tuple[str, ...] = ()  # of each topic, if topics come in groups
    group_noun: str = ""  # what a group is called

    @property
    def means(self) -> FloatArray:
        """The mean of each topic over the runs, [topic]: how hard it is."""
        means: FloatArray = self.values.mean(axis=1)
        return means

    @property
    def shares(self) -> bool:
        """Whether all scores are from 0 to 1."""
        return bool(self.values.min() >= 0 and self.values.max() <= 1)

    def best_runs(self, topic: int) -> list[str]:
        """Return the names of the runs with the best score on the topic in the place `topic`."""
        scores = self.values[topic]
        least = scores.max() - _SAME * np.abs(self.values).max()
        return [run for run, score in zip(self.runs, scores, strict=True) if score >= least]


@dataclass(frozen=True)
class Report:
    """The content of the page."""

    ranked: Answer[RankRow]  # the standings, with all facts that `confint rank` would sign
    compared: Answer[CompareRow] | None  # with each baseline; None without baselines
    agreed: Answer[AgreementRow] | None  # of a cheaper judge; None without one
    topics: Mapping[View, TopicScores]  # by each view of the standings
    caveats: tuple[Caveat, ...]
    scale: str  # a sentence on what scores are; empty: those of the measure itself

    @property
    def views(self) -> list[View]:
        """The measures and collections that have standings: all collections together come first."""
        views = [*dict.fromkeys((row.measure, row.collection) for row in self.ranked.rows)]
        measures = [*dict.fromkeys(measure for measure, _ in views)]
        return sorted(views, key=lambda view: (measures.index(view[0]), view[1] != MACRO))


def report(
    scores: Scores,
    baselines: tuple[str, ...],
    question: Question,
    *,
    facts: Facts,
    scale: str = "",
    progress: Progress = no_progress,
) -> Answer[Report]:
    """Return one record: the answers of `rank`, `compare` and `agreement`, and the scores.

    It has comparisons only if there are baselines, and agreement only with a cheaper judge. `facts`
    are about the call, and `scale` says what the scores are if they are standardised.
    """
    agreed = _agreed(scores, question, progress)
    scores, notices = of_use(scores)
    answers: dict[str, Answer[Any]] = {"rank": _ranked(scores, question, progress)}
    if baselines:
        answers["compare"] = _compared(scores, baselines, question, progress)
    if agreed is not None:
        answers["agreement"] = agreed
    for command, answer in answers.items():
        told = {notice.text for notice in notices}
        new = [notice for notice in answer.notices if notice.text not in told]
        notices += [prefixed(_ABOUT[command], notice) for notice in new]
    used = facts if scores.judge is not None else _by_people(facts)
    signed = {
        command: replace(
            answer,
            facts=merged(
                facts if command == "agreement" else used, {"command": command}, answer.facts
            ),
        )
        for command, answer in answers.items()
    }
    ranked = signed["rank"]
    content = Report(
        ranked=ranked,
        compared=signed.get("compare"),
        agreed=signed.get("agreement"),
        topics=dict(_topics(scores, ranked.rows)),
        caveats=tuple(_caveats(scores, ranked.rows, question.for_new)),
        scale=scale,
    )
    return Answer([content], (), merged(ranked.facts, facts), tuple(notices))


def _by_people(facts: Facts) -> Facts:
    """Return the facts about a call without those of a judge that is of no use."""
    by_people = facts.copy()
    by_people.pop("judge", None)
    by_people.pop("judge_topics", None)
    return by_people


def _ranked(scores: Scores, question: Question, progress: Progress) -> Answer[RankRow]:
    def ask(asked: Scores) -> Answer[RankRow]:
        return rank(
            asked, question.ranking,
            strict=question.strict, for_new=question.for_new, progress=progress,
        )  # fmt: skip

    return decided_otherwise(scores, ask(scores), ask, standings)


def _compared(
    scores: Scores, baselines: tuple[str, ...], question: Question, progress: Progress
) -> Answer[CompareRow]:
    def ask(asked: Scores, comparing: Estimation, testing: Testing) -> Answer[CompareRow]:
        return compare(
            asked, baselines, comparing, testing,
            paired_repeats=question.paired_repeats, for_new=question.for_new, progress=progress,
        )  # fmt: skip

    return decided_otherwise(
        scores,
        ask(scores, question.comparing, question.testing),
        lambda condensed: ask(condensed, *deciding(question.comparing, question.testing)),
        decisions_of_pairs,
    )


def _agreed(scores: Scores, question: Question, progress: Progress) -> Answer[AgreementRow] | None:
    """Return how far a cheaper judge agrees with people; None without one."""
    if scores.judge is None:
        return None
    (level,) = question.ranking.levels
    drawing = Drawing(question.ranking.draws, question.ranking.seed)
    return agreement(scores, level, drawing, progress=progress)


# Topics


def _topics(scores: Scores, rows: Sequence[RankRow]) -> Iterator[tuple[View, TopicScores]]:
    """Yield the scores of each view of the standings."""
    for view, of_view in _by_view(rows):
        yield view, _hardest_first(_scores_of(scores, view), [row.run for row in of_view])


def _by_view(rows: Sequence[RankRow]) -> Iterator[tuple[View, list[RankRow]]]:
    for view, of_view in groupby(rows, lambda row: (row.measure, row.collection)):
        yield view, list(of_view)


def _scores_of(scores: Scores, view: View) -> Matrix:
    """Return the scores of a view; of all collections together, the mean of each of them."""
    measure, collection = view
    if collection == MACRO:
        return scores.collection_means().matrix(measure)
    return (scores.part_named(collection) if collection else scores).matrix(measure)


def _hardest_first(matrix: Matrix, runs: Sequence[str]) -> TopicScores:
    """Return the scores with the hardest topics first, and with the runs in the order of `runs`."""
    matrix = matrix.ordered([matrix.runs.index(run) for run in runs])
    groups, matrix = matrix.groups, matrix.on_topics
    means = matrix.values.mean(axis=1).tolist()
    order = sorted(
        range(len(matrix.topics)),
        key=lambda topic: (means[topic], natural_key(matrix.topics[topic])),
    )
    return TopicScores(
        tuple(matrix.topics[topic] for topic in order),
        matrix.runs,
        matrix.values[order],
        matrix.filled[order],
        matrix.unit,
        tuple(groups.names[groups.codes[topic]] for topic in order) if groups is not None else (),
        groups.noun if groups is not None else "",
    )


# Caveats


def _caveats(scores: Scores, rows: Sequence[RankRow], for_new: str) -> Iterator[Caveat]:
    """Yield the caveats about each collection, and about all of them together."""
    by_collection: dict[str, list[tuple[list[RankRow], Matrix]]] = {}
    for (measure, collection), of_view in _by_view(rows):
        if collection == MACRO:  # what its intervals were made of
            matrix = collections_of(scores, measure, for_new)[-1].scores.matrix(measure)
        else:
            matrix = _scores_of(scores, (measure, collection))
        by_collection.setdefault(collection, []).append((of_view, matrix))
    for collection, of_measures in by_collection.items():
        yield from caveats_of(of_measures, "" if collection == MACRO else collection)
