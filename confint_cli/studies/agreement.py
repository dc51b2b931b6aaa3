"""How far can I trust a cheaper judge? Its scores beside those of people, on the same topics."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.errors import CallError, Notice
from confint_cli.common.progress import Progress, no_progress, with_progress
from confint_cli.common.words import a_percent
from confint_cli.scores.scores import Scores, ranks
from confint_cli.scores.two_judges import TwoJudges, two_judges
from confint_cli.stats.agreement import agreement as agreement_of
from confint_cli.stats.agreement import means_of
from confint_cli.stats.estimate import fewest_draws
from confint_cli.stats.ppi import Units
from confint_cli.stats.random import Drawing
from confint_cli.studies.agreement_view import view
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.collections import Part, over_collections, with_fields
from confint_cli.studies.columns import AGREEMENT
from confint_cli.studies.draws import DRAWS
from confint_cli.studies.facts import Facts, facts_of_chance, facts_of_computing
from confint_cli.studies.judged import about_agreement
from confint_cli.studies.pairing import comparable_matrices
from confint_cli.studies.rows import AgreementRow, JudgedRunRow
from confint_cli.studies.scope import TOPICS, facts_of_design

WHICH_JUDGE = CallError(
    "compare with which judge?", "give --judge-qrels FILE with -q, or --judge-scores PATTERN"
)


@dataclass(frozen=True)
class _Asking:
    """What is asked of each measure."""

    level: float
    drawing: Drawing


def agreement(
    scores: Scores,
    level: float,
    drawing: Drawing,
    *,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[AgreementRow]:
    """Return a record for each measure; of several collections, for each.

    `level` is that of the interval of τ, and of the tests that decide between two runs. The means
    of runs by both judges are the `details` of the answer.
    """
    if scores.judge is None:
        raise WHICH_JUDGE
    if scores.repeats is not None:
        raise CallError(
            "confint agreement takes no repeats of runs: a judge agrees with people on each run",
            "give one file per run, or use --labels with each repeat as a {run} of its own",
        )
    purpose = f"{a_percent(level)} interval of τ"
    DRAWS.check(drawing.number, fewest_draws(level, 2), purpose)
    asking = _Asking(level, drawing)
    if not scores.several:
        return _answer(scores, asking, progress)
    for measure in scores.measures:  # what is wrong with a collection is told with its name
        two_judges(scores, measure)
    details: list[JudgedRunRow] = []

    def ask(part: Part) -> Answer[AgreementRow]:
        # Scores of all collections together are not weighted: two judges need them as they are.
        own = part.scores
        if part.is_macro:
            own = scores.by(*own.measures).only(*own.runs)
        answer = _answer(own, asking, progress)
        details.extend(replace(row, collection=part.name) for row in answer.details)
        return answer

    answer = over_collections(scores, TOPICS, ask, best_first=best_first)
    return replace(answer, details=tuple(details))


def _answer(scores: Scores, asking: _Asking, progress: Progress) -> Answer[AgreementRow]:
    """Return a record for each measure; of several collections, for all of them together."""
    notices = _about_scores(scores)
    rows, details = [], []
    for measure, its_progress in with_progress(scores.measures, progress):
        two = two_judges(scores, measure)
        notices += about_agreement(two)
        rows.append(_row(scores, two, asking, its_progress))
        details += list(_runs(two, asking.level))
    facts: Facts = {
        **facts_of_design(scores),
        "measures": scores.measures,
        "levels": (asking.level,),
        **facts_of_computing(),
    }
    if any(row.runs > 1 for row in rows):
        facts |= {"draws": asking.drawing.number, **facts_of_chance(asking.drawing.seed)}
        facts["error"] = max(row.error for row in rows)
    notices += unusual_levels((asking.level,))
    return Answer(
        rows, with_fields(fields(AGREEMENT), facts), facts, tuple(notices), view, tuple(details)
    )


def _about_scores(scores: Scores) -> list[Notice]:
    """Return warnings of scores that can hardly be compared; raise an error, if they cannot."""
    if len(scores.runs) < 2:  # whose means alone can be compared
        return []
    assert scores.judge is not None
    notices = [
        notice
        for own in (scores, scores.judge)
        for notice in comparable_matrices(own.macro() if own.several else own)[1]
    ]
    return list(dict.fromkeys(notices))


def _row(scores: Scores, two: TwoJudges, asking: _Asking, progress: Progress) -> AgreementRow:
    """Return the record of a measure."""
    found = agreement_of(two, asking.level, asking.drawing, progress)
    people, judge, both = _topics(scores, two.measure)
    return AgreementRow(
        measure=two.measure,
        runs=len(two.runs),
        topics=judge,
        human_topics=both,
        bias=found.bias,
        correlation=found.correlation,
        tau=found.tau.value,
        tau_low=found.tau.low,
        tau_high=found.tau.high,
        pairs=found.decisions.pairs,
        kept=found.decisions.kept,
        lost=found.decisions.lost,
        invented=found.decisions.invented,
        reversed=found.decisions.reversed,
        effective_topics=found.effective_topics,
        error=found.tau.error,
        people_topics=people,
        groups=None if scores.groups is None else len(Units.of(two.human).sizes),
    )


def _topics(scores: Scores, measure: str) -> tuple[int, int, int]:
    """Return how many topics people have judged, how many the judge, and how many both.

    These are topics, even where groups of them count alike.
    """
    assert scores.collections is None or not scores.is_macro
    numbers = [0, 0, 0]
    places = range(len(scores.collections.names)) if scores.collections else [None]
    for place in places:
        part = scores if place is None else scores.part(place)
        assert part.judge is not None
        own, judged = (
            {*each.matrix(measure).on_topics.topics} for each in (part, part.judge)
        )  # fmt: skip
        for kind, topics in enumerate((own, judged, own & judged)):
            numbers[kind] += len(topics)
    return numbers[0], numbers[1], numbers[2]


def _runs(two: TwoJudges, level: float) -> Iterator[JudgedRunRow]:
    """Yield the means of each run by both judges, on the topics with both."""
    people, judge = means_of(two.human, level), means_of(two.judge, level)
    by_people, by_judge = (
        ranks(own.mean, np.abs(scores.values).max(axis=0)).tolist()
        for own, scores in ((people, two.human), (judge, two.judge))
    )
    for place, run in enumerate(two.runs):
        yield JudgedRunRow(
            measure=two.measure,
            run=run,
            mean=float(people.mean[place]),
            low=float(people.low[place]),
            high=float(people.high[place]),
            judge_mean=float(judge.mean[place]),
            judge_low=float(judge.low[place]),
            judge_high=float(judge.high[place]),
            rank=by_people[place],
            judge_rank=by_judge[place],
        )
