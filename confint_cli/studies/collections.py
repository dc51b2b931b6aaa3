"""A question about several collections: asked of each, and of all of them together.

For new topics of these collections, all of them together are the weighted scores of all topics,
which vary within their collections. For new collections, they are the means of the collections, as
if these were topics.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from confint_cli.common.errors import DataError, Level, Notice, note, prefixed, warning
from confint_cli.common.text import count
from confint_cli.scores.labels import MACRO
from confint_cli.scores.scores import TOPIC, Scores
from confint_cli.stats.flags import Doubt
from confint_cli.studies.answer import Answer, Field
from confint_cli.studies.facts import Facts, merged
from confint_cli.studies.pairing import missing_topics
from confint_cli.studies.scope import (
    COLLECTIONS,
    FEW_COLLECTIONS,
    designs_in,
    facts_of_design,
    with_further,
)

Row = TypeVar("Row")
_BY_MEANS = "--for-new collections uses each collection's mean, however few topics it has"


@dataclass(frozen=True)
class Part:
    """The scores of one collection, or of all together, by one measure."""

    name: str  # of the collection, or `macro`
    scores: Scores
    number: int | None = None  # of collections, of all together; None: it is one of them
    topics: int = 0  # of all together
    groups: int | None = None  # of all together, if topics come in groups
    missing: Mapping[str, int] = field(default_factory=dict)  # topics that runs lack, of all

    @property
    def is_macro(self) -> bool:
        """Whether it is all collections together."""
        return self.number is not None


def collections_of(scores: Scores, measure: str, for_new: str) -> list[Part]:
    """Return the parts of scores by one measure: each collection, and all of them together."""
    assert scores.collections is not None
    own = scores.by(measure)
    names = scores.collections.names
    together = own.collection_means() if for_new == COLLECTIONS else own.macro()
    pooled = own.matrix(measure)
    return [
        *(Part(name, own.part(place)) for place, name in enumerate(names)),
        Part(
            MACRO,
            together,
            len(names),
            len(pooled.on_topics.topics),
            len(pooled.topics) if own.groups is not None else None,
            missing_topics(pooled),
        ),
    ]


def in_order_of(scores: Scores, measure: str, for_new: str, *, best_first: bool) -> Scores:
    """Return the scores with the runs in the order of their means over all collections."""
    if not best_first:
        return scores
    together = collections_of(scores, measure, for_new)[-1].scores.matrix(measure)
    ordered = [together.runs[place] for place in together.by_mean]
    return scores.only(*ordered, *(run for run in scores.runs if run not in ordered))


def over_collections(
    scores: Scores,
    for_new: str,
    ask: Callable[[Part], Answer[Row]],
    *,
    best_first: bool,
    together: Callable[[Any], Hashable] | None = None,
    ordered: "Callable[[Scores], Scores] | None" = None,
) -> Answer[Row]:
    """Return the records of each collection and of all together, by every measure.

    `ask` answers the question about a part, whose runs are in the order to keep. Records for which
    `together` returns the same follow one another, collection by collection; without it, each
    collection has all of its records in one place. `ordered` takes scores by one measure and
    returns them with the best run first; without it, the means of people's scores decide.
    """
    rows: list[Row] = []
    answers: list[tuple[Part, Answer[Row]]] = []
    about_parts: list[Notice] = []
    for measure in scores.measures:
        if ordered is not None and best_first:
            in_order = ordered(scores.by(measure))
        else:
            in_order = in_order_of(scores, measure, for_new, best_first=best_first)
        of_measure: list[Row] = []
        for part in collections_of(in_order, measure, for_new):
            try:
                answer = ask(part)
            except DataError as error:
                if part.is_macro:
                    raise
                named = f"{part.name}: {error}"
                if for_new != COLLECTIONS:
                    hint = error.hint or _BY_MEANS
                    raise DataError("", named, hint) from None
                about_parts.append(warning(f"{named}, so it has no rows of its own"))
                continue
            answers.append((part, answer))
            of_measure += [_labelled(row, part) for row in answer.rows]
        rows += _regrouped(of_measure, together) if together else of_measure
    of_all = [answer for part, answer in answers if part.is_macro]
    assert scores.collections is not None
    design: Facts = {"collections": len(scores.collections.names), "for_new": for_new}
    facts = merged(design, *(answer.facts for answer in of_all[::-1]))
    about_parts += _notices(answers)
    return replace(
        of_all[0],
        rows=rows,
        # Means of collections have no groups, but the records of single collections may.
        fields=with_fields(of_all[0].fields, merged(facts_of_design(scores), facts)),
        facts=_joined_facts(facts, [answer.facts for _, answer in answers], scores.measures),
        notices=(*about_parts, *few_collections(scores, for_new)),
    )


def _labelled(row: Any, part: Part) -> Any:
    """Return a record with the name of its collection."""
    if part.number is None:
        return replace(row, collection=part.name)
    row = replace(row, collection=part.name, collections=part.number)
    if part.scores.unit == TOPIC or row.of_means is None:
        return row
    # What is of the means of collections, not of topics, has no place among figures of topics.
    missing = {"missing": part.missing.get(row.run, 0)}
    if row.is_of_pair:
        missing["baseline_missing"] = part.missing.get(row.baseline, 0)
    doubts = row.doubts & ~int(Doubt.FEW_TOPICS)
    few = int(Doubt.FEW_COLLECTIONS) if part.number < FEW_COLLECTIONS else 0
    return replace(
        row,
        topics=part.topics,
        groups=part.groups,
        doubts=doubts | few,
        **row.of_means,
        **missing,
    )


def _regrouped(rows: Iterable[Row], key: Callable[[Any], Hashable]) -> Iterator[Row]:
    """Yield the records so that those of one key follow one another, else in their order."""
    by_key: dict[Hashable, list[Row]] = {}
    for row in rows:
        by_key.setdefault(key(row), []).append(row)
    for group in by_key.values():
        yield from group


def with_fields(fields: Sequence[Field], facts: Facts) -> tuple[Field, ...]:
    """Return the fields of records of a design: each further one stands behind another."""
    by_name = {field.name: field for field in fields}
    names = with_further([*by_name], designs_in(facts))
    return tuple(by_name.get(name, Field(name)) for name in names)


def _joined_facts(facts: Facts, of_parts: Sequence[Facts], measures: tuple[str, ...]) -> Facts:
    """Return the facts of all parts: the largest error of any, and whatever some part drew."""
    errors = [own["error"] for own in of_parts if "error" in own]
    joined: Facts = {**facts, "measures": measures}
    if "methods" in facts:
        names = dict.fromkeys(name for own in of_parts for name in own.get("methods", ()))
        joined["methods"] = tuple(names)
    for own in of_parts:
        if "seed" in own:
            joined["seed"], joined["random"] = own["seed"], own["random"]
    if errors:
        joined.pop("error", None)
        joined["error"] = max(errors)
    return joined


def _notices(answers: Sequence[tuple[Part, Answer[Any]]]) -> list[Notice]:
    """Return the notices of all parts, each once.

    Warnings about one collection name it; notes about it are details, as those about all
    collections together say enough.
    """
    of_all = dict.fromkeys(
        notice for part, answer in answers if part.is_macro for notice in answer.notices
    )
    texts = {notice.text for notice in of_all}
    of_parts: dict[Notice, None] = {}
    for part, answer in answers:
        for notice in answer.notices if not part.is_macro else ():
            if notice.text not in texts:
                level = notice.level if notice.level is Level.WARNING else Level.DETAIL
                of_parts[replace(prefixed(f"{part.name}: ", notice), level=level)] = None
    return [*of_parts, *of_all]


def few_collections(scores: Scores, for_new: str) -> list[Notice]:
    """Return a note if collections are too few to show how much new ones differ."""
    assert scores.collections is not None
    number = len(scores.collections.names)
    if for_new != COLLECTIONS or number >= FEW_COLLECTIONS:
        return []
    text = f"{count(number, 'collection')} say little about how much collections differ"
    return [note(f"{text}: intervals for new collections are wide and only a rough guess")]
