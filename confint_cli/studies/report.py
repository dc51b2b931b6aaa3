"""What does one page say about a shared task? Standings, comparisons, topics, caveats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, any_along
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import count, have, listed, natural_key
from confint_cli.common.words import series
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.comparison import Testing
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import FEW_TOPICS, Doubt, doubts_about
from confint_cli.stats.methods import method_named
from confint_cli.stats.sample import Sample
from confint_cli.studies.answer import Answer
from confint_cli.studies.checks import FOR_BINARY, is_binary
from confint_cli.studies.compare import compare
from confint_cli.studies.facts import Facts, merged
from confint_cli.studies.pairing import identical_runs
from confint_cli.studies.rank import rank
from confint_cli.studies.rank_view import standings_by_measure
from confint_cli.studies.rows import CompareRow, RankRow

_LISTED = 10  # runs that a caveat names, at most
_SAME = 1e-12  # scores this near to the best of a topic, as a share of the largest, are as good


@dataclass(frozen=True)
class TopicScores:
    """The scores by one measure, the hardest topic and the best run first."""

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray  # [topic, run]
    filled: BoolArray  # [topic, run]: which values stand for topics that the run lacks

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
    topics: Mapping[str, TopicScores]  # by each measure of the standings
    caveats: tuple[str, ...]  # sentences about the scores that no notice says
    scale: str  # a sentence on what scores are; empty: those of the measure itself


def report(
    scores: Scores,
    baselines: tuple[str, ...],
    estimation: Estimation,
    estimation_of_differences: Estimation,
    testing: Testing,
    *,
    facts: Facts,
    strict: bool = False,
    scale: str = "",
    progress: Progress = no_progress,
) -> Answer[Report]:
    """Return one record: the answers of `rank` and, with baselines, of `compare`, and the scores.

    Standings are by `estimation`, which has one level, and comparisons by
    `estimation_of_differences` and `testing`; with `strict`, the max-T of the standings is. `facts`
    are those about the call, and `scale` says what the scores are if they are standardised.
    """
    ranked = rank(scores, estimation, strict=strict, progress=progress)
    notices = list(ranked.notices)
    compared = None
    if baselines:
        compared = compare(scores, baselines, estimation_of_differences, testing, progress=progress)
        notices += [
            replace(notice, text=f"of comparisons: {notice.text}")
            for notice in compared.notices
            if notice not in ranked.notices
        ]
        compared = replace(compared, facts=merged(facts, {"command": "compare"}, compared.facts))
    content = Report(
        ranked=replace(ranked, facts=merged(facts, {"command": "rank"}, ranked.facts)),
        compared=compared,
        topics={
            rows[0].measure: _topics(scores.matrix(rows[0].measure), [row.run for row in rows])
            for rows in standings_by_measure(ranked)
        },
        caveats=_caveats(scores, ranked.facts["measures"], estimation.methods[0]),
        scale=scale,
    )
    return Answer([content], (), facts, tuple(notices))


def _topics(matrix: Matrix, runs: Sequence[str]) -> TopicScores:
    """Return the scores with the hardest topics first, and with the runs in the order of `runs`."""
    matrix = matrix.ordered([matrix.runs.index(run) for run in runs])
    means = matrix.values.mean(axis=1).tolist()
    order = sorted(
        range(len(matrix.topics)),
        key=lambda topic: (means[topic], natural_key(matrix.topics[topic])),
    )
    topics = tuple(matrix.topics[topic] for topic in order)
    return TopicScores(topics, matrix.runs, matrix.values[order], matrix.filled[order])


def _caveats(scores: Scores, measures: Sequence[str], method: str) -> tuple[str, ...]:
    """Return sentences on runs whose figures are to be taken with care, and by which measures.

    Notices speak of topics that runs lack, and of runs that are the same by all measures.
    """
    matrices = [scores.matrix(measure) for measure in measures]
    copies = [identical_runs(matrix).items() for matrix in matrices]
    everywhere = set.intersection(*map(set, copies))
    measures_by_caveat: dict[str, list[str]] = {}
    for matrix, same in zip(matrices, copies, strict=True):
        for caveat in [*_about(matrix, method), *_about_copies(dict(same - everywhere))]:
            measures_by_caveat.setdefault(caveat, []).append(matrix.measure)
    return tuple(
        caveat if len(names) == len(measures) else f"By {series(names)}, {caveat}"
        for caveat, names in measures_by_caveat.items()
    )


def _about(matrix: Matrix, method: str) -> list[str]:
    """Return the caveats about the scores by one measure, and about their intervals by `method`."""
    topics, runs = len(matrix.topics), matrix.runs
    caveats = []
    if topics < FEW_TOPICS:
        caveats.append(f"{topics} topics are few, and intervals of so few may be far off.")
    has_scores = any_along(matrix.values != 0, 0).tolist()
    doubts = (doubts_about(Sample(matrix.values)) & ~int(method_named(method).immune)).tolist()
    one_value = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_ONE_VALUE
    one_score = [run for run, of_run in zip(runs, doubts, strict=True) if of_run & one_value]
    if one_score:
        but = f" but {FOR_BINARY}" if is_binary(matrix.values) else ""
        caveats.append(
            f"{have(len(one_score), 'run')} one score on so many topics that no interval{but} "
            f"covers as it says: {listed(sorted(one_score, key=natural_key), _LISTED)}."
        )
    skewed = [run for run, of_run in zip(runs, doubts, strict=True) if of_run & Doubt.SKEWED]
    if skewed:
        is_ = "is" if len(skewed) == 1 else "are"
        caveats.append(
            f"{count(len(skewed), 'run')} {is_} so skewed that as a rule {method} intervals of "
            f"{topics} topics cover less than they say: "
            f"{listed(sorted(skewed, key=natural_key), _LISTED)}."
        )
    empty = [run for run, has_any in zip(runs, has_scores, strict=True) if not has_any]
    if empty:
        caveats.append(
            f"{have(len(empty), 'run')} nothing but zeros: "
            f"{listed(sorted(empty, key=natural_key), _LISTED)}."
        )
    return caveats


def _about_copies(copies: Mapping[str, str]) -> list[str]:
    """Return a caveat about runs that have the scores of others; empty without `copies`."""
    if not copies:
        return []
    pairs = [f"{run} is {copies[run]}" for run in sorted(copies, key=natural_key)]
    return [f"runs have the same scores on all topics: {listed(pairs, _LISTED)}."]
