"""How the rows of scores were drawn: topics or groups of them, of one collection or of several."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, stretches


@dataclass(frozen=True, eq=False)
class Design:
    """How rows were drawn. By default, all rows are independent topics of one collection.

    With `strata`, rows are of several collections, and their scores are weighted so that the mean
    over all rows is the mean of the collections' means. Rows vary within collections only.

    With `grouped`, a row is a group of topics, such as a conversation. If groups count by their
    `sizes`, the score of a row is the sum over its topics, divided by the mean size of a group in
    its collection, so that the mean over all rows is the mean over all topics.
    """

    strata: tuple[int, ...] = ()  # rows of each collection, which follow one another
    grouped: bool = False
    sizes: FloatArray | None = None  # [row]: topics of each group; None: all rows count alike

    @property
    def counts_alike(self) -> bool:
        """Whether rows are of one collection and count alike, so that plain formulas hold."""
        return not self.strata and self.sizes is None

    def slices(self, rows: int) -> list[slice]:
        """Return the rows of each collection, of this many in all; of a single one, all rows."""
        return stretches(self.strata or (rows,))

    def weights(self, rows: slice) -> FloatArray | None:
        """Return how much each row of a collection counts, 1 on average; None: all alike."""
        if self.sizes is None:
            return None
        own = self.sizes[rows]
        weights: FloatArray = own / own.mean()
        return weights


PLAIN = Design()


@dataclass(frozen=True, eq=False)
class Groups:
    """Which topics belong together, such as the turns of a conversation."""

    names: tuple[str, ...]  # of the groups, in the order of their first topics
    codes: Positions  # [topic]: the place of its group among the names
    by: str = ""  # what told them: a pattern, the name of a file, or of a column
    noun: str = "group"  # what a group is called
    equal: bool = False  # whether groups count alike, whatever their sizes

    def only(self, topics: BoolArray | slice) -> "Groups":
        """Return the groups of some of the topics."""
        kept, codes = np.unique(self.codes[topics], return_inverse=True)
        names = tuple(self.names[place] for place in kept.tolist())
        return replace(self, names=names, codes=codes.reshape(-1))

    @property
    def sizes(self) -> FloatArray:
        """How many topics each group has, [group]."""
        return np.bincount(self.codes, minlength=len(self.names)).astype(float)

    @property
    def weights(self) -> FloatArray:
        """How much each topic counts, 1 on average, if groups count alike, [topic]."""
        weights: FloatArray = (len(self.codes) / len(self.names) / self.sizes)[self.codes]
        return weights

    def numbers(self, strata: tuple[int, ...]) -> tuple[int, ...]:
        """Return how many groups each collection has, of these numbers of topics."""
        return tuple(len(np.unique(self.codes[rows])) for rows in stretches(strata))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of values [topic, column] over the topics of each group, [group, column].

        Topics of a group need not follow one another.
        """
        order = np.argsort(self.codes, kind="stable")
        starts = np.searchsorted(self.codes[order], np.arange(len(self.names)))
        sums: FloatArray = np.add.reduceat(values[order], starts, axis=0)
        return sums


@dataclass(frozen=True, eq=False)
class Repeats:
    """The scores of all repeats of runs: values[topic, column, …], a column for each repeat."""

    values: FloatArray
    columns: tuple[tuple[int, ...], ...]  # those of each run
    labels: tuple[tuple[str, ...], ...]  # the names of the repeats of each run, in that order

    def means(self) -> FloatArray:
        """Return the mean over the repeats of each run, [topic, run, …]."""
        return np.stack([self.values[:, own].mean(axis=1) for own in self.columns], axis=1)

    def runs(self, places: Sequence[int]) -> "Repeats":
        """Return the repeats of the runs at these places, in this order."""
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            labels=tuple(self.labels[place] for place in places),
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """How many repeats each run has."""
        return tuple(map(len, self.columns))
