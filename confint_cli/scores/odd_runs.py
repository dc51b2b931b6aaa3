"""What is odd about a run that can be scored all the same."""

from collections.abc import Collection, Sequence

import numpy as np

from confint_cli.common.errors import Notice, detail, note, warning
from confint_cli.common.text import count, listed, quoted
from confint_cli.inputs.judgements import Judgements
from confint_cli.inputs.runs import MOST_TAGS, Run, documents_in_comments
from confint_cli.inputs.source import Source
from confint_cli.scores.judgements import taken_for_comments
from confint_cli.scores.plan import Wanted
from confint_cli.scores.treatments import BOUNDS

_MANY_TIED = 10  # one tied topic in ten is worth a warning; a query that finds little may tie

_CONTRADICTED = (
    "ranks contradict scores; the scores decide, as in trec_eval (if the scores are distances, "
    "negate them; if the ranks are right, use minus the rank as the score)"
)
_TIED_RBP = (
    "documents of a topic are tied: RBP takes them in the order of lines, its bounds in "
    "trec_eval's order, so the bounds may be off"
)
_TIED = (
    "all documents of a topic have the same score: they are ordered by id, as in trec_eval, which "
    "means nothing (give scores that differ, such as minus the rank)"
)


def about_run(
    source: Source, run: Run, judgements: Judgements, plan: Sequence[Wanted], treatment: str
) -> list[Notice]:
    """Return notices of what is odd about a run, whoever judges it."""
    judged = [topic for topic in run.rankings if topic in judgements]
    return [
        *run.notices,
        *taken_for_comments(source, documents_in_comments(source), "a document"),
        *_about_tags(source.name, run),
        *_about_order(source.name, run, judged),
        *(_about_tied_rbp(source.name, run, judged, plan) if treatment == BOUNDS else ()),
    ]


def about_what_is_judged(name: str, run: Run, judgements: Judgements, by: str) -> list[Notice]:
    """Return notices of what the judgements lack of a run; `by` says whose they are."""
    notices = []
    unjudged = sum(topic not in judgements for topic in run.rankings)
    if unjudged:
        topics = f"{count(unjudged, 'topic')} {'is' if unjudged == 1 else 'are'}"
        notices.append(detail(f"{topics} not judged{by}, and ignored", name))
    if all(
        ranking.keys().isdisjoint(judgements.get(topic, ()))
        for topic, ranking in run.rankings.items()
    ):
        document = next(iter(next(iter(run.rankings.values()))))
        notices.append(
            warning(
                f"none of its documents, such as {quoted(document)}, is judged{by}: is it "
                "from another collection?",
                name,
            )
        )
    return notices


def _about_tags(name: str, run: Run) -> list[Notice]:
    """Return a note of a run with several tags, of which only the first is used."""
    if len(run.tags) <= 1:
        return []
    number = f"{len(run.tags)}{' or more' if len(run.tags) == MOST_TAGS else ''}"
    return [note(f"has {number} tags: {listed(run.tags, 3)}", name)]


def _about_order(name: str, run: Run, judged: Sequence[str]) -> list[Notice]:
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


def _about_tied_rbp(
    name: str, run: Run, judged: Sequence[str], plan: Sequence[Wanted]
) -> list[Notice]:
    """Return a warning of ties where RBP has bounds: it has another order of documents."""
    if not any(wanted.name.casefold().startswith("rbp") for wanted in plan):
        return []
    rankings = (run.rankings[topic] for topic in judged)
    tied = sum(len({*ranking.values()}) < len(ranking) for ranking in rankings)
    if not tied:
        return []
    return [warning(_TIED_RBP, name, f"{tied} of {count(len(judged), 'topic')}")]


def _are_tied(scores: Collection[float]) -> bool:
    """Say whether scores are all the same to trec_eval, which has them in single precision."""
    first = next(iter(scores))
    with np.errstate(over="ignore"):
        single = np.float32(first)
        return all(score == first or np.float32(score) == single for score in scores)
