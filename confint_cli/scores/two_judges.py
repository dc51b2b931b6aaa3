"""The scores of runs by two judges: people, and a cheaper one for these topics and for more.

Topics are joined by their ids, collection by collection. Each topic is `labelled` by both judges,
one of the `others` that only the cheaper judge has, or one that people have `alone`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.errors import DataError
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.scores.scores import Matrix, Scores

FEWEST = 5  # topics with both judges: a slope needs some


@dataclass(frozen=True, eq=False)
class Rows:
    """Topics of one kind: values[topic, run], those of a collection one behind the other.

    If topics come in groups that count by their sizes, `groups` says which topics belong together.
    """

    values: FloatArray
    strata: tuple[int, ...]  # topics of each collection; of one, their number
    groups: Positions | None = None  # [topic]: the place of its group, counted over all collections

    @property
    def number(self) -> int:
        """How many topics there are."""
        return len(self.values)

    @cached_property
    def collections(self) -> Positions:
        """The collection of each topic, [topic]."""
        return np.repeat(np.arange(len(self.strata)), self.strata)

    def runs(self, places: Sequence[int]) -> "Rows":
        """Return the rows of the runs at these places."""
        return replace(self, values=self.values[:, places])


@dataclass(frozen=True, eq=False)
class TwoJudges:
    """The scores of runs by one measure, by people and by a cheaper judge."""

    measure: str
    runs: tuple[str, ...]
    human: Rows  # by people, on the topics that both have judged
    judge: Rows  # by the cheaper judge, on the same topics
    others: Rows  # by the cheaper judge, on further topics
    alone: Rows  # by people, on topics that the cheaper judge lacks
    matrix: Matrix  # all scores by people, as they would be without another judge
    lacking: FloatArray  # [2, run]: the share of topics that it lacks, of the labelled and others
    unit: str = "topic"  # what a row is, in words: a group, if all of these count alike
    counted: int | None = None  # topics of either judge, if rows may be groups of these

    @property
    def human_topics(self) -> int:
        """How many topics people have judged."""
        return len(self.matrix.on_topics.topics)

    @cached_property
    def topics(self) -> int:
        """How many topics the cheaper judge has judged."""
        return self.human.number + self.others.number

    @property
    def all_topics(self) -> int:
        """How many topics either of them has judged."""
        return self.topics + self.alone.number if self.counted is None else self.counted

    def ordered(self, order: Sequence[int]) -> "TwoJudges":
        """Return the scores with the runs at the positions of `order`, in that order."""
        return replace(
            self,
            runs=tuple(self.runs[place] for place in order),
            human=self.human.runs(order),
            judge=self.judge.runs(order),
            others=self.others.runs(order),
            alone=self.alone.runs(order),
            matrix=self.matrix.ordered(order),
            lacking=self.lacking[:, order],
        )


def two_judges(scores: Scores, measure: str) -> TwoJudges:
    """Return the scores by one measure, by both judges; raise DataError if they share too little.

    Scores of several collections are not weighted.
    """
    scores = scores.unweighted or scores
    assert scores.judge is not None, "who asks has a judge"
    people, judge = _by(scores, measure), _by(scores.judge, measure)
    runs = [run for run in people.runs if run in {*judge.runs}]
    people, judge = people.ordered(_places(people, runs)), judge.ordered(_places(judge, runs))
    in_parts = [_part(people, judge, name) for name in _names(scores)]
    human, judged, others, alone, lacking = (list(kind) for kind in zip(*in_parts, strict=True))
    matrix = scores.by(measure).only(*runs)
    return TwoJudges(
        measure,
        tuple(runs),
        _stacked(human),
        _stacked(judged),
        _stacked(others),
        _stacked(alone),
        (matrix.macro() if matrix.several else matrix).matrix(measure),
        np.mean(lacking, axis=0),
        people.noun,
        sum(len({*own, *judge.places.get(name, ())}) for name, own in people.places.items()),
    )


@dataclass(frozen=True, eq=False)
class _Own:
    """The scores of one judge by one measure, on the topics that have any."""

    measure: str
    runs: tuple[str, ...]
    values: FloatArray  # [topic, run]
    filled: BoolArray  # [topic, run]
    places: dict[str, dict[str, int]]  # of topics, by collection
    groups: Sequence[str] | None  # the group of each topic
    equal: bool  # whether groups count alike
    noun: str  # what a row is, in words

    def ordered(self, order: Sequence[int]) -> "_Own":
        """Return the scores of the runs at the positions of `order`."""
        runs = tuple(self.runs[place] for place in order)
        return replace(
            self, runs=runs, values=self.values[:, order], filled=self.filled[:, order]
        )  # fmt: skip

    def rows(self, places: Sequence[int]) -> Rows:
        """Return the rows at these places; if groups count alike, the mean of each group."""
        values = self.values[places]
        if self.groups is None:
            return Rows(values, (len(values),))
        codes = _codes([self.groups[place] for place in places])
        if not self.equal:
            return Rows(values, (len(values),), codes)
        sizes = np.bincount(codes)
        sums = np.zeros((len(sizes), values.shape[1]))
        np.add.at(sums, codes, values)
        return Rows(sums / sizes[:, None], (len(sizes),))


def _by(scores: Scores, measure: str) -> _Own:
    position = scores.measures.index(measure)
    values = scores.values[:, :, position]
    present = ~np.isnan(values)
    rows, columns = np.flatnonzero(present.any(axis=1)), np.flatnonzero(present.any(axis=0))
    names = _names(scores)
    sizes = scores.collections.sizes if scores.collections else (len(scores.topics),)
    collection_of = np.repeat(np.arange(len(names)), sizes)
    places: dict[str, dict[str, int]] = {name: {} for name in names}
    for place, row in enumerate(rows.tolist()):
        places[names[collection_of[row]]][scores.topics[row]] = place
    groups = scores.groups
    return _Own(
        measure,
        tuple(scores.runs[run] for run in columns.tolist()),
        values[np.ix_(rows, columns)],
        scores.filled[:, :, position][np.ix_(rows, columns)],
        places,
        None if groups is None else [groups.names[groups.codes[row]] for row in rows.tolist()],
        groups is not None and groups.equal,
        groups.noun if groups is not None and groups.equal else "topic",
    )


def _names(scores: Scores) -> tuple[str, ...]:
    """Return the names of the collections; an empty one, if there is one only."""
    return scores.collections.names if scores.collections is not None else ("",)


def _places(own: _Own, runs: Sequence[str]) -> list[int]:
    place_of = {run: place for place, run in enumerate(own.runs)}
    return [place_of[run] for run in runs]


def _codes(names: Sequence[str]) -> Positions:
    """Return the place of each name among the distinct ones, in the order in which they come."""
    place_of = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([place_of[name] for name in names], dtype=np.intp)


def _part(
    people: _Own, judge: _Own, collection: str
) -> tuple[Rows, Rows, Rows, Rows, FloatArray]:  # fmt: skip
    """Return the topics of one collection, of each kind, and the shares that runs lack."""
    own, judged = people.places[collection], judge.places.get(collection, {})
    both = [topic for topic in own if topic in judged]
    others = [place for topic, place in judged.items() if topic not in own]
    alone = [place for topic, place in own.items() if topic not in judged]
    where = f" of {quoted(collection)}" if collection else ""
    _check(people, [*own], [*judged], both, where)
    human_places, judge_places = [own[topic] for topic in both], [judged[topic] for topic in both]
    _check_groups(judge, judge_places, others, "people")
    _check_groups(people, human_places, alone, "the judge")
    lacking = np.array([
        people.filled[human_places].mean(axis=0),
        np.maximum(*(judge.filled[rows].mean(axis=0) if rows else np.zeros(len(people.runs))
                     for rows in (others, judge_places))),
    ])  # fmt: skip
    return (
        people.rows(human_places),
        judge.rows(judge_places),
        judge.rows(others),
        people.rows(alone),
        lacking,
    )


def _check(
    people: _Own, own: Sequence[str], judged: Sequence[str], both: Sequence[str], where: str
) -> None:
    """Raise DataError if too few topics are judged by both."""
    on = f" on {visible(people.measure)}" if people.measure else ""
    if not both:
        names = "the judge has to judge the topics that people judged, and more: people judged "
        names += f"topics such as {quoted(own[0])}"
        names += f", the judge {quoted(judged[0])}" if judged else ""
        raise DataError("", f"the judge has none of the topics{where} that people judged", names)
    groups = people.groups
    number, noun = len(both), "topic"
    if groups is not None:
        place_of = {topic: place for of in people.places.values() for topic, place in of.items()}
        number, noun = len({groups[place_of[topic]] for topic in both}), "group"
    if number < FEWEST:
        raise DataError(
            "",
            f"only {count(number, noun)}{where} {'has' if number == 1 else 'have'} scores{on} from "
            f"both judges: at least {FEWEST} are needed",
            "without the judge, people's scores have their usual interval",
        )


def _check_groups(
    own: _Own, labelled: Sequence[int], further: Sequence[int], other: str
) -> None:  # fmt: skip
    """Raise DataError if a group has topics of both kinds, which would not be independent.

    Further ones are those that the `other` judge lacks.
    """
    if own.groups is None:
        return
    shared = {own.groups[place] for place in labelled} & {own.groups[place] for place in further}
    if shared:
        raise DataError(
            "",
            f"{other} judged some topics of {count(len(shared), 'group')} and not others: "
            f"{listed(sorted(shared), 3)}",
            f"with a judge, {other} {'has' if other == 'the judge' else 'have'} to judge whole "
            "groups, because groups are what was drawn",
        )


def _stacked(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all collections, one below the other."""
    if len(parts) == 1:
        return parts[0]
    groups, start = [], 0
    for part in parts:
        if part.groups is not None:
            groups.append(part.groups + start)
            start += int(part.groups.max(initial=-1)) + 1
    return Rows(
        np.concatenate([part.values for part in parts]),
        tuple(part.number for part in parts),
        np.concatenate(groups) if groups else None,
    )
