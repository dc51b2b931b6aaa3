"""Judgements by people and by a cheaper judge: do they go together? Before any run is scored."""

from collections.abc import Sequence

from confint_cli.common.errors import DataError, Notice, note, warning
from confint_cli.common.text import count, natural_key, quoted, visible
from confint_cli.common.words import percent
from confint_cli.inputs.judgements import Judgements
from confint_cli.inputs.source import name_of

_MOST_SHARED = 0.9  # of the documents that people judged; if the judge has more, nothing is said
_DEPTHS_APART = 2.0  # as a factor: pools that differ by less count as equally deep


def compared(people: Judgements, judge: Judgements, paths: Sequence[str]) -> list[Notice]:
    """Return notices of how the judgements differ; raise DataError if they have nothing in common.

    `paths` are their files.
    """
    of_people, of_judge = map(name_of, paths)
    topics = [topic for topic in people if topic in judge]
    if not topics:
        raise DataError(
            of_judge,
            f"has none of the topics of {visible(of_people)}",
            "the judge has to judge the topics that people judged, and more: people judged topics "
            f"such as {quoted(min(people, key=natural_key))}, the judge "
            f"{quoted(min(judge, key=natural_key))}",
        )
    judged = sum(len(people[topic]) for topic in topics)
    shared = sum(len(people[topic].keys() & judge[topic].keys()) for topic in topics)
    if not shared:
        topic = topics[0]
        raise DataError(
            of_judge,
            f"has none of the documents of {visible(of_people)} on {count(len(topics), 'topic')} "
            "in common",
            f"on topic {quoted(topic)}, people judged documents such as "
            f"{quoted(min(people[topic]))}, the judge {quoted(min(judge[topic]))}",
        )
    notices = []
    if shared < _MOST_SHARED * judged:
        share = percent(round(shared / judged, 2))
        notices.append(
            warning(
                f"the judge has judged {share} of the documents that people judged: unjudged "
                "documents count as not relevant, so its scores come from a different pool",
                of_judge,
            )
        )
    return [*notices, *_depths(people, judge, of_judge), *_scales(people, judge, topics, of_judge)]


def _depths(people: Judgements, judge: Judgements, name: str) -> list[Notice]:
    """Return a warning if the judge judged far more, or fewer, documents where people did."""
    with_people, without = (
        [len(grades) for topic, grades in judge.items() if (topic in people) is both]
        for both in (True, False)
    )
    if not without:
        return []
    own, others = sum(with_people) / len(with_people), sum(without) / len(without)
    if max(own, others) <= _DEPTHS_APART * min(own, others):
        return []
    return [
        warning(
            f"the judge has judged {own:.0f} documents per topic where people judged, and "
            f"{others:.0f} on other topics: scores from pools of different depths differ, and "
            "intervals cover too rarely",
            name,
        )
    ]


def _scales(
    people: Judgements, judge: Judgements, topics: Sequence[str], name: str
) -> list[Notice]:
    """Return a note if the highest grades differ."""
    highest, of_judge = (
        max(max(judgements[topic].values()) for topic in topics) for judgements in (people, judge)
    )
    if highest == of_judge:
        return []
    return [
        note(
            f"people give grades up to {highest}, the judge up to {of_judge}: each is scored on "
            "its own scale",
            name,
            what_to_do="--rel-level is the same for both",
        )
    ]
