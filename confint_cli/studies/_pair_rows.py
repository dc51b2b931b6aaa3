"""Pairs of runs in tables for people: which of them, and how each table begins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import Positions
from confint_cli.comparison import Comparison
from confint_cli.pairs import Pairs
from confint_cli.table import Cell, Column
from confint_cli.text import count


@dataclass(frozen=True)
class PairRows:
    """Some of the pairs of runs, a row each; with a baseline, its own row comes first."""

    runs: Sequence[str]
    pairs: Pairs
    found: Comparison
    places: Positions  # of these pairs among all
    which: str  # in words
    with_baseline: bool

    def column(
        self,
        name: str,
        values: Sequence[Cell],
        *,
        own: Cell = None,
        optional: bool = False,
        legend: str = "",
    ) -> Column:
        """Return a column of the pairs; `own` is what the baseline's row has in it."""
        shown = [own, *values] if self.with_baseline else values
        return Column(name, shown, optional=optional, legend=legend)

    def beginning(self) -> list[Column]:
        """Return the columns that say which runs these are, and with a baseline their means."""
        names = [self.pairs.names(pair, self.runs) for pair in self.places.tolist()]
        baseline, first = names[0][1], self.places[0]
        columns = [self.column("run", [run for run, _ in names], own=baseline)]
        if not self.with_baseline:
            return [*columns, self.column("baseline", [baseline for _, baseline in names])]
        run, own = self.found.run, self.found.baseline
        if not self.found.paired:
            topics = run.topics[self.places].tolist()
            columns.append(self.column("topics", topics, own=int(own.topics[first])))
        means, own_mean = run.mean[self.places].tolist(), float(own.mean[first])
        return [*columns, self.column("mean", means, own=own_mean, optional=True)]


def rows_by_baseline(
    runs: Sequence[str], pairs: Pairs, found: Comparison, baselines: Sequence[str]
) -> Iterator[PairRows]:
    """Yield the pairs with each baseline or, if there is none, all pairs."""
    if not baselines:
        yield PairRows(runs, pairs, found, np.arange(len(pairs)), "every two runs", False)
    for baseline in baselines:
        places = np.flatnonzero(pairs.baseline == runs.index(baseline))
        yield PairRows(runs, pairs, found, places, f"compared with {baseline}", True)


def title_of(measure: str, found: Comparison) -> str:
    """Return `map, 50 topics`; runs on topics of their own have no common number."""
    return f"{measure}, {count(int(found.run.topics[0]), 'topic')}" if found.paired else measure
