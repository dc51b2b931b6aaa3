"""Judgements that runs are scored against: what is read of them, and what they lack."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from confint_cli.common.arrays import Positions
from confint_cli.common.errors import DataError, Notice, note, told_once, warning
from confint_cli.common.text import count, have, quoted, visible
from confint_cli.common.words import series
from confint_cli.inputs.judgements import (
    Judgements,
    judgements_in_comments,
    read_judgements,
    read_subtopics,
)
from confint_cli.inputs.source import STDIN, Source, read_source
from confint_cli.scores.beyond import calculator
from confint_cli.scores.bounds import grade_counts
from confint_cli.scores.plan import Wanted
from confint_cli.scores.treatments import BOUNDS, SKIP

_OF_JUDGED_ONLY = ("bpref", "infAP")  # their formulas need documents judged not relevant


def judgements_in(path: str, collection: str) -> Source:
    """Return the file of the judgements of a collection, if it is one of several."""
    if collection and path != STDIN and not os.path.exists(path):
        raise DataError(path, f"no such file: there are no judgements for {quoted(collection)}")
    return read_source(path)


@dataclass(frozen=True)
class Judged:
    """Judgements, and those of subtopics where a measure needs them."""

    judgements: Judgements
    subtopics: Sequence[tuple[str, str, str, int]] = ()


def read_judged(source: Source, plan: Sequence[Wanted]) -> Judged:
    """Return the judgements of a file; those of subtopics if a measure is about these.

    A document may be judged once for each subtopic, and by other measures only once.
    """
    by_subtopics = [bool(wanted.beyond and wanted.beyond.needs_subtopics) for wanted in plan]
    if not any(by_subtopics):
        return Judged(read_judgements(source))
    subtopics = read_subtopics(source)
    if not all(by_subtopics):
        return Judged(read_judgements(source), subtopics)
    judgements: Judgements = {}
    for topic, _, document, grade in subtopics:
        grades = judgements.setdefault(topic, {})
        grades[document] = max(grade, grades.get(document, grade))
    return Judged(judgements, subtopics)


def counts_of(judgements: Judgements) -> dict[str, Positions]:
    """Return how many documents of each topic have each grade, [grade]."""
    highest = max(max(grades.values()) for grades in judgements.values())
    counts = grade_counts([grades.values() for grades in judgements.values()], max(highest, 0))
    return dict(zip(judgements, counts, strict=True))


def are_all_relevant(judgements: Judgements) -> bool:
    """Say whether no judged document has the grade 0.

    Then nothing says which others were judged: BEIR, for one, lists relevant documents only.
    """
    if any(0 in grades.values() for grades in judgements.values()):  # as nearly always, at once
        return False
    return any(grade > 0 for grades in judgements.values() for grade in grades.values())


def about_judgements(
    source: Source, judged: Judged, plan: Sequence[Wanted], qrels: str
) -> list[Notice]:
    """Return notices of what is odd about judgements; raise DataError if measures cannot use them.

    `qrels` is how the caller named their file.
    """
    return [
        *_about_beyond(judged, plan, qrels),
        *told_once(taken_for_comments(source, judgements_in_comments(source), "a judgement")),
        *_about_hopeless(judged.judgements, plan),
    ]


def _about_beyond(judged: Judged, plan: Sequence[Wanted], qrels: str) -> Iterator[Notice]:
    """Yield what tools have to say of the judgements; raise DataError before any run is read."""
    for wanted in plan:
        if wanted.beyond is not None:
            yield from calculator(wanted.beyond, judged.judgements, judged.subtopics, qrels)[1]


def _about_hopeless(judgements: Judgements, plan: Sequence[Wanted]) -> list[Notice]:
    """Return a note of topics without a relevant document, for each level that has some."""
    highest = [max(grades.values()) for grades in judgements.values()]
    notices = []
    for level in sorted({wanted.level for wanted in plan if wanted.beyond is None}):
        hopeless = sum(grade < level for grade in highest)
        if hopeless:
            notices.append(
                note(
                    f"{have(hopeless, 'judged topic')} no document of grade {level} or more: every "
                    "run scores 0 there in binary measures, as in trec_eval"
                )
            )
    return notices


def taken_for_comments(source: Source, number: int, noun: str) -> list[Notice]:
    """Return a warning of `number` comments that look like a `noun`; none for 0."""
    if not number:
        return []
    lines = f"{count(number, 'line')} that {'looks' if number == 1 else 'look'} like {noun}"
    begin = "begins with # and is a comment" if number == 1 else "begin with # and are comments"
    return [warning(f"{lines} {begin}", source.name)]


def about_relevant_only(name: str, plan: Sequence[Wanted], treatment: str) -> list[Notice]:
    """Return notices on judgements that list relevant documents only.

    Raise DataError if documents that nobody judged are to be skipped: nothing else would be left.
    """
    if treatment == SKIP:
        raise DataError(
            name,
            "lists only relevant documents: --unjudged skip would remove all others",
            "leave out --unjudged: documents that are not in the list count as not relevant",
        )
    if treatment == BOUNDS:
        return [
            note(
                "only relevant documents are listed: which of the others were judged is unknown, "
                "so bounds treat all others as unjudged",
                name,
            )
        ]
    notices = [
        note(
            "only relevant documents are listed: all others count as not relevant, and which of "
            "them were judged is unknown",
            name,
        )
    ]
    needing = [wanted.name for wanted in plan if wanted.trec_eval in _OF_JUDGED_ONLY]
    if needing:
        need = "needs" if len(needing) == 1 else "need"
        text = (
            f"{series([*map(visible, needing)])} {need} documents that were judged not relevant, "
            "and none are listed: the scores say little"
        )
        notices.append(warning(text, name))
    return notices


def about_treatment(judgements: Judgements, plan: Sequence[Wanted], treatment: str) -> list[Notice]:
    """Return notices of grades that are not judgements, and of bounds that nothing can move."""
    grades = [grade for of_topic in judgements.values() for grade in of_topic.values()]
    negative = sum(grade < 0 for grade in grades)
    notices = []
    if negative:
        verb = "is" if negative == 1 else "are"
        text = f"{verb} below 0: such documents count as unjudged, as in trec_eval"
        notices.append(note(f"{count(negative, 'grade')} {text}"))
    levels = {wanted.level for wanted in plan if wanted.judged_in is None}
    if treatment == BOUNDS and levels and max(grades) < max(levels):
        notices.append(
            warning(
                f"no document has a grade of {max(levels)} or more, so none can become relevant: "
                "bounds say nothing on binary measures of that level"
            )
        )
    return notices
