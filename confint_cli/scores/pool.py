"""The rankings of all runs by topic, with what people judged: for bounds of differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import Positions


@dataclass(frozen=True, eq=False)
class RankedTopic:
    """The documents of a run on a topic, in order: their grades, and numbers for unjudged ones."""

    grades: Positions  # [rank]; UNJUDGED: nobody judged it
    documents: Positions  # [rank]: the number of an unjudged document, one in all runs


@dataclass(frozen=True, eq=False)
class Pool:
    """The rankings of runs and what was judged, for bounds of differences."""

    rankings: NDArray[Any]  # [topic, run], of `RankedTopic`; None where a run lacks the topic
    counts: NDArray[Any]  # [topic], of how many documents have each grade [grade]
    level: int = 1  # the lowest grade that is relevant, for measures that do not say

    def rows(self, rows: Sequence[int] | slice | NDArray[Any]) -> "Pool":
        """Return the pool of some of the topics."""
        return replace(self, rankings=self.rankings[rows], counts=self.counts[rows])

    def runs(self, places: Sequence[int]) -> "Pool":
        """Return the pool of the runs at these places."""
        return replace(self, rankings=self.rankings[:, list(places)])


def pool_of(
    topics: Sequence[tuple[str, str]],
    runs: Sequence[str],
    by_run: Mapping[str, Mapping[tuple[str, str], RankedTopic]],
    counts: Mapping[tuple[str, str], Positions],
) -> Pool:
    """Return the pool of topics, each with its collection; rankings are those of each run."""
    rankings = np.full((len(topics), len(runs)), None, dtype=object)
    for place, run in enumerate(runs):
        own = by_run.get(run, {})
        for row, topic in enumerate(topics):
            rankings[row, place] = own.get(topic)
    for of_topic in rankings:
        _number(of_topic)
    of_topics = np.full(len(topics), None, dtype=object)
    for row, topic in enumerate(topics):
        of_topics[row] = counts[topic]
    return Pool(rankings, of_topics)


def _number(of_topic: NDArray[Any]) -> None:
    """Number the documents of a topic, [run], from 0: what is computed with them needs it."""
    there = [own for own in of_topic if own is not None]
    if not there:
        return
    known = np.unique(np.concatenate([own.documents for own in there]))
    for place, own in enumerate(of_topic):
        if own is not None:
            numbers = np.searchsorted(known, own.documents)
            of_topic[place] = replace(own, documents=numbers)
