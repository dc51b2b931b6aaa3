"""Records of pairs of runs as people read them: by measure, by baseline, a row for each pair."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Generic, TypeVar

from confint_cli.common.table import Cell, Column
from confint_cli.studies.answer import Answer
from confint_cli.studies.doubts import missing_in_words
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import PairRow
from confint_cli.studies.scope import ABOUT_MACRO, has_collections, title_of, title_of_part

TOLD_ONE_BY_ONE = 3  # pairs, at most; of more, a sentence counts

P = TypeVar("P", bound=PairRow)


@dataclass(frozen=True)
class MeasurePairs(Generic[P]):
    """The records of all pairs of runs by one measure."""

    pairs: Sequence[Sequence[P]]  # the records of each pair: by method and level, say
    facts: Facts

    @property
    def first(self) -> P:
        """The first record of all."""
        return self.pairs[0][0]

    @property
    def paired(self) -> bool:
        """Whether the runs are on the same topics."""
        return self.facts.get("paired", True)

    @property
    def title(self) -> str:
        """How titles begin: `map, 50 topics`, or `map` for runs on topics of their own."""
        if not self.paired:
            return self.first.measure
        if self.collection:
            return title_of_part(self.first, self.facts)
        first = self.of_all.first
        return title_of(first.measure, self.facts, first.topics, first.human_topics)

    @cached_property
    def collection(self) -> str:
        """The collection that all pairs are of, or `macro`; empty: of several, or there is one."""
        names = {pair[0].collection for pair in self.pairs}
        return names.pop() if len(names) == 1 else ""

    @property
    def several(self) -> bool:
        """Whether pairs have a row for each of several collections."""
        return has_collections(self.facts) and not self.collection

    @property
    def of_all(self) -> "MeasurePairs[P]":
        """The pairs over all collections; of one collection, all pairs."""
        if not self.several:
            return self
        return MeasurePairs([pair for pair in self.pairs if pair[0].collections], self.facts)

    @cached_property
    def missing(self) -> dict[str, int]:
        """How many topics each run lacks, in the order of the runs: all runs are in it."""
        by_place = {}
        for first, *_ in self.pairs:
            by_place[first.place] = (first.run, first.missing)
            by_place[first.baseline_place] = (first.baseline, first.baseline_missing)
        return dict(by_place[place] for place in sorted(by_place))

    @property
    def runs(self) -> Collection[str]:
        """The names of the runs, baselines too, in their order."""
        return self.missing

    @cached_property
    def family(self) -> int:
        """How many comparisons there are, each counted once whichever run is the baseline."""
        if not self.facts["pairs"] and not self.several:
            return len(self.pairs)
        return len({frozenset((first.place, first.baseline_place)) for first, *_ in self.pairs})

    def missing_among(self, runs: Collection[str]) -> str:
        """Return a sentence about those of `runs` that lack topics; empty, if none does."""
        return missing_in_words({run: self.missing[run] for run in self.runs if run in runs})

    def tables(self) -> "Iterator[PairTable[P]]":
        """Yield the pairs with each baseline; if there is none, all pairs at once."""
        if not self.facts["pairs"]:
            yield PairTable(self, self.pairs, "all pairs of runs", False)
            return
        for baseline, group in groupby(self.pairs, lambda pair: pair[0].baseline):
            yield PairTable(self, list(group), f"compared with {baseline}", True)


def pairs_by_measure(answer: Answer[P]) -> list[MeasurePairs[P]]:
    """Return the records of an answer by measure, and there by pair."""
    return [
        MeasurePairs([list(pair) for _, pair in groupby(rows, _pair_of)], answer.facts)
        for _, rows in groupby(answer.rows, lambda row: row.measure)
    ]


def _pair_of(row: PairRow) -> tuple[int, int, str]:
    return row.place, row.baseline_place, row.collection


@dataclass(frozen=True)
class PairTable(Generic[P]):
    """Some of the pairs by one measure, a row of a table each; a baseline has a row above them."""

    of_measure: MeasurePairs[P]
    pairs: Sequence[Sequence[P]]  # the records of each pair
    which: str  # says in a title which pairs these are
    with_baseline: bool  # whether they have a baseline in common

    @property
    def title(self) -> str:
        """The title of the table."""
        return f"{self.of_measure.title}, {self.which}"

    @property
    def has_collections(self) -> bool:
        """Whether there is a row for each collection; then no row is of a baseline alone."""
        return self.of_measure.several

    @property
    def of_all(self) -> "PairTable[P]":
        """The pairs over all collections; of one collection, all pairs."""
        if not self.has_collections:
            return self
        return replace(self, pairs=[pair for pair in self.pairs if pair[0].collections])

    @property
    def breaks(self) -> list[int]:
        """The places of rows above which another pair begins, if pairs have several rows."""
        if not self.has_collections:
            return []
        pairs = [(first.place, first.baseline_place) for first in self.firsts]
        return [place for place, (above, pair) in enumerate(pairwise(pairs), 1) if above != pair]

    @property
    def firsts(self) -> list[P]:
        """The first record of each pair."""
        return [pair[0] for pair in self.pairs]

    def column(
        self,
        name: str,
        values: Sequence[Cell],
        *,
        own: Cell = None,
        optional: bool = False,
        legend: str = "",
    ) -> Column:
        """Return a column with a value of each pair; `own` is that in the row of the baseline."""
        cells = [own, *values] if self.with_baseline and not self.has_collections else values
        return Column(name, cells, optional=optional, legend=legend)

    def figures(self, name: str, get: Callable[[P], Any], **settings: Any) -> Column:
        """Return a column with what `get` returns of the first record of each pair."""
        return self.column(name, [get(first) for first in self.firsts], **settings)

    def beginning(self) -> list[Column]:
        """Return the first columns: the names of the runs and, with a baseline, their means.

        Runs on topics of their own have a column with the number of these, too.
        """
        first = self.pairs[0][0]
        columns = [self.figures("run", lambda row: row.run, own=first.baseline)]
        if self.has_collections:
            if not self.with_baseline:
                columns.append(self.figures("baseline", lambda row: row.baseline))
            return [
                *columns,
                self.figures("collection", lambda row: row.collection, legend=ABOUT_MACRO),
                self.figures("topics", lambda row: row.topics, optional=True),
                self.figures("mean", lambda row: row.mean, optional=True),
                self.figures("baseline mean", lambda row: row.baseline_mean, optional=True),
            ]
        if not self.with_baseline:
            return [*columns, self.figures("baseline", lambda row: row.baseline)]
        if not self.of_measure.paired:
            topics = self.figures("topics", lambda row: row.topics, own=first.baseline_topics)
            columns.append(topics)
        means = self.figures("mean", lambda row: row.mean, own=first.baseline_mean, optional=True)
        return [*columns, means]
