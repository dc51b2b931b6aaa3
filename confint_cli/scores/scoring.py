"""From judgements and runs to scores, by pytrec_eval: the same numbers as trec_eval -c."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytrec_eval

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import CallError, DataError, Notice, detail, note, told_once, warning
from confint_cli.common.measures import (
    DEFAULTS,
    canonical,
    is_mean_of_topics,
    is_scorable,
    scorable_names,
    why_not_a_mean,
    wrong_parameter,
)
from confint_cli.common.parallel import ALONE, Workers, map_files
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import count, did_you_mean, listed, natural_key, quoted, visible
from confint_cli.inputs.judgements import Judgements, judgements_in_comments, read_judgements
from confint_cli.inputs.reading import Reading, Series
from confint_cli.inputs.runs import MOST_TAGS, Run, documents_in_comments, read_run
from confint_cli.inputs.source import STDIN, Source, name_of, read_source, total_size

SCORER = f"pytrec_eval-terrier-{pytrec_eval.__version__}"
"""The library that computes the scores, as signatures name it."""

_WORTH_A_PROCESS = 2_000_000  # bytes of runs; below, starting processes takes longer than scoring
_CUT_RECIPROCAL_RANK = "recip_rank_cut_"
_MANY_TIED = 10  # one tied topic in ten is worth a warning; a query that finds little may tie

_CONTRADICTED = (
    "ranks contradict scores, and scores decide, as in trec_eval "
    "(negate scores that are distances; where the ranks are right, let the score be minus the rank)"
)
_TIED = (
    "all documents of a topic are tied, and scores decide: as in trec_eval, their order is by id, "
    "which means nothing (give scores that differ, such as minus the rank)"
)


@dataclass(frozen=True)
class Scored:
    """A reading for each run that could be scored, and the topics that were judged."""

    topics: tuple[str, ...]
    readings: list[Reading]
    left_out: Mapping[str, DataError]  # the errors about runs that cannot be used, by path
    notices: list[Notice]


def score_runs(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    *,
    rel_level: int = 1,
    workers: Workers = ALONE,
    forgiving: bool = False,
    progress: Progress = no_progress,
) -> Scored:
    """Return the scores of run files against the judgements in `qrels`.

    An error about a run is raised, unless scoring is `forgiving`: then the run is left out.
    """
    names = [*measures] or [*DEFAULTS]
    for name in names:
        if not is_mean_of_topics(name):
            raise CallError(*why_not_a_mean(name))
        if not is_scorable(name):
            raise CallError(
                f"no measure {quoted(name)} can be computed from judgements and runs",
                wrong_parameter(name) or did_you_mean(name, scorable_names()),
            )
    source = read_source(qrels)
    judgements = read_judgements(source)
    make_worker: Callable[..., Callable[[str], Reading]] = _make_scorer
    settings: tuple[Any, ...] = (judgements, names, rel_level, qrels)
    if workers.distant:
        if STDIN in (qrels, *runs):
            raise CallError("workers of a cluster cannot read standard input (-)", "give files")
        make_worker = _make_distant_scorer
        settings = (qrels, source.digest, names, rel_level, os.getcwd())
    large = total_size(runs) >= _WORTH_A_PROCESS
    readings: list[Reading] = []
    left_out: dict[str, DataError] = {}
    for path, outcome in map_files(
        make_worker,
        settings,
        runs,
        workers=workers,
        large=large,
        forgiving=forgiving,
        progress=progress,
    ):
        if isinstance(outcome, DataError):
            left_out[path] = outcome
        else:
            readings.append(outcome)
    topics = tuple(sorted(judgements, key=natural_key))
    notices = told_once(_taken_for_comments(source, judgements_in_comments(source), "a judgement"))
    return Scored(topics, readings, left_out, notices + _notices(judgements, rel_level))


def _taken_for_comments(source: Source, number: int, noun: str) -> list[Notice]:
    """Return a warning of `number` comments that would be `noun` otherwise; none for 0."""
    if not number:
        return []
    lines = f"{count(number, 'line')} that {'begins' if number == 1 else 'begin'} with #"
    return [warning(f"{lines} would be {noun} otherwise, taken for comments", source.name)]


def _notices(judgements: Judgements, rel_level: int) -> list[Notice]:
    """Return a note of topics without a relevant document, if there are any."""
    hopeless = [
        topic
        for topic, grades in judgements.items()
        if not any(grade >= rel_level for grade in grades.values())
    ]
    if not hopeless:
        return []
    return [
        note(
            f"{count(len(hopeless), 'judged topic')} without a document of grade {rel_level} or "
            "more: every run scores 0 there by binary measures, as in trec_eval"
        )
    ]


@dataclass(frozen=True)
class _Scorer:
    """Scores runs, in one process or thread."""

    evaluator: pytrec_eval.RelevanceEvaluator
    judgements: Judgements
    names: Sequence[str]
    qrels: str
    folder: str  # that paths are relative to; empty: the current one

    def score(self, path: str) -> Reading:
        """Return the scores of a run file on the judged topics that it has."""
        source = read_source(path, self.folder)
        run = read_run(source)
        judged = [topic for topic in run.rankings if topic in self.judgements]
        if not judged:
            raise DataError(
                name_of(path),
                f"shares no topic with {visible(self.qrels)}",
                f"the run has topics such as {quoted(next(iter(run.rankings)))}, "
                f"the judgements {quoted(min(self.judgements, key=natural_key))}",
            )
        results = self.evaluator.evaluate({topic: run.rankings[topic] for topic in judged})
        series = [
            Series(None, name, judged, _values([results[topic] for topic in judged], name))
            for name in self.names
        ]
        notices = self._notices(source, run) + _order_notices(source.name, run, judged)
        tag = run.tags[0] if run.tags else None
        return Reading(path, series, self.names, tag, notices=[*run.notices, *notices])

    def _notices(self, source: Source, run: Run) -> list[Notice]:
        """Return notices of what is odd about a run, though it can be scored."""
        name = source.name
        notices = _taken_for_comments(source, documents_in_comments(source), "a document")
        unjudged = sum(topic not in self.judgements for topic in run.rankings)
        if unjudged:
            notices.append(detail(f"{count(unjudged, 'topic')} not judged, ignored", name))
        if all(
            ranking.keys().isdisjoint(self.judgements.get(topic, ()))
            for topic, ranking in run.rankings.items()
        ):
            document = next(iter(next(iter(run.rankings.values()))))
            notices.append(
                warning(
                    f"none of its documents is judged (they are called such as "
                    f"{quoted(document)}); is it of another collection?",
                    name,
                )
            )
        if len(run.tags) > 1:
            number = f"{len(run.tags)}{' or more' if len(run.tags) == MOST_TAGS else ''}"
            notices.append(note(f"has {number} tags: {listed(run.tags, 3)}", name))
        return notices


def _order_notices(name: str, run: Run, judged: Sequence[str]) -> list[Notice]:
    """Return warnings if the scores, which decide, may not give the order that was meant.

    Only judged topics count, as no others are scored, and only those of two documents or more.
    """
    topics = [topic for topic in judged if len(run.rankings[topic]) > 1]
    contradicted = sum(topic in run.contradicted for topic in topics)
    tied = sum(_are_tied(run.rankings[topic].values()) for topic in topics)
    of_topics = f"of {count(len(topics), 'topic')}"
    notices = []
    if contradicted:
        notices.append(warning(_CONTRADICTED, name, f"{contradicted} {of_topics}"))
    if tied and tied * _MANY_TIED >= len(topics):
        notices.append(warning(_TIED, name, f"{tied} {of_topics}"))
    return notices


def _are_tied(scores: Collection[float]) -> bool:
    """Say whether scores are all the same to trec_eval, which has them in single precision."""
    first = next(iter(scores))
    with np.errstate(over="ignore"):
        single = np.float32(first)
        return all(score == first or np.float32(score) == single for score in scores)


def _values(results: list[dict[str, float]], name: str) -> FloatArray:
    """Return the scores by a measure, [topic], from pytrec_eval's results for each topic."""
    measure = canonical(name)
    if not measure.startswith(_CUT_RECIPROCAL_RANK):
        return np.array([result[measure] for result in results])
    ranks = np.array([result["recip_rank"] for result in results])
    # 1/rank is at least 1/k just when the rank is at most k; half a rank leaves room for rounding.
    return np.where(ranks > 1 / (int(measure.removeprefix(_CUT_RECIPROCAL_RANK)) + 0.5), ranks, 0.0)


def _make_distant_scorer(
    qrels: str, digest: str, names: Sequence[str], rel_level: int, folder: str
) -> Callable[[str], Reading]:
    """Return the function that scores a run file on a machine which reads the judgements itself.

    Raise DataError if these are missing there, or differ from those with the `digest`.
    """

    def check_seen(path: str) -> None:
        if not os.path.exists(os.path.join(folder, path)):
            raise DataError(
                path, "no such file on a worker of the cluster",
                "all machines must see the files under the same paths",
            )  # fmt: skip

    check_seen(qrels)
    source = read_source(qrels, folder)
    if source.digest != digest:
        raise DataError(qrels, "is another file on a worker of the cluster")
    score = _make_scorer(read_judgements(source), names, rel_level, qrels, folder)

    def score_if_seen(path: str) -> Reading:
        check_seen(path)
        return score(path)

    return score_if_seen


def _make_scorer(
    judgements: Judgements, names: Sequence[str], rel_level: int, qrels: str, folder: str = ""
) -> Callable[[str], Reading]:
    """Return the function that scores a run file."""
    names_to_compute = {
        "recip_rank" if name.startswith(_CUT_RECIPROCAL_RANK) else name
        for name in map(canonical, names)
    }
    safe_judgements = {
        topic: _with_a_judged_document(grades) for topic, grades in judgements.items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(
        safe_judgements, names_to_compute, relevance_level=rel_level
    )
    return _Scorer(evaluator, judgements, names, qrels, folder).score


def _with_a_judged_document(grades: dict[str, int]) -> dict[str, int]:
    """Return the grades of a topic in a form that pytrec_eval survives.

    It ends the process on a topic whose every grade is negative, that is unjudged. One document
    that no run retrieves, judged not relevant, changes no score of such a topic.
    """
    if all(grade < 0 for grade in grades.values()):
        return {**grades, "\x7f": 0}
    return grades
