"""Scores: the values of all runs on all topics by all measures, joined by topic id."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.common.errors import DataError
from confint_cli.common.text import natural_key, quoted, visible
from confint_cli.common.ties import LAST_BITS

LARGEST = 1e100  # of scores whose powers are finite


def best_first(means: FloatArray, sizes: FloatArray) -> list[int]:
    """Return the places of runs in the order of their means, best first; equal ones stay in order.

    `sizes` are for `ranks`. Runs come to every study in the order of the first measure, and before
    that of their names: so these decide between equal means, in all studies alike.
    """
    ranked = ranks(means, sizes).tolist()
    return sorted(range(len(ranked)), key=ranked.__getitem__)


def ranks(means: FloatArray, sizes: FloatArray) -> Positions:
    """Return the rank of each run by its mean, from 1; runs of equal means share the better one.

    Means are equal if they differ in their last bits only: sums of decimals that are equal on paper
    may do so. `sizes` is how large the numbers are that each is the mean of.
    """
    order = np.lexsort((sizes, -means))  # sizes, so that it does not depend on the order before
    in_order, of_scores = means[order], sizes[order]
    with np.errstate(invalid="ignore"):  # runs without a mean have -inf, and are equal
        gaps = in_order[:-1] - in_order[1:]
    new = gaps > LAST_BITS * np.maximum(of_scores[:-1], of_scores[1:])
    first = np.where(new, np.arange(2, len(order) + 1), 1)
    found = np.empty(len(order), np.intp)
    found[order] = np.maximum.accumulate(np.concatenate([[1], first]))
    return found


def means_and_sizes(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each run of values[topic, run], and its largest score of either sign.

    Each run is summed by itself: whatever stands beside it does not change a bit.
    """
    by_run = np.ascontiguousarray(values.T)
    return by_run.mean(axis=1), np.abs(by_run).max(axis=1)


@dataclass(frozen=True)
class Matrix:
    """The scores by one measure: values[topic, run], every one of them a number."""

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray
    filled: BoolArray  # which of them stand for topics that the run lacks
    standardized: bool = False

    def best_first(self) -> "Matrix":
        """Return the same with the runs in the order of their means."""
        return self.ordered(self.by_mean)

    @property
    def by_mean(self) -> list[int]:
        """The places of the runs in the order of their means, best first."""
        return best_first(*means_and_sizes(self.values))

    def ordered(self, order: Sequence[int]) -> "Matrix":
        """Return the same with the runs in another order."""
        runs = tuple(self.runs[place] for place in order)
        return replace(self, runs=runs, values=self.values[:, order], filled=self.filled[:, order])


@dataclass(frozen=True)
class Scores:
    """values[topic, run, measure]; NaN where a run lacks a measure or a measure lacks a topic."""

    values: FloatArray
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    filled: BoolArray  # of the same shape: which values stand for topics that the run lacks
    judged: bool = False  # whether such a topic is known to be judged: then 0 is the run's score
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the runs of each file
    scales: Mapping[str, str] = field(default_factory=dict)  # of measures that are standardised
    called: Mapping[str, str] = field(
        default_factory=dict
    )  # runs by names that are shown otherwise

    def matrix(self, measure: str) -> Matrix:
        """Return the topics and runs that have the measure, and their scores, to compute with."""
        place = self.measures.index(measure)
        values = self._usable(measure)
        present = ~np.isnan(values)
        rows, columns = any_along(present, 1), any_along(present, 0)
        return Matrix(
            measure,
            tuple(topic for topic, here in zip(self.topics, rows, strict=True) if here),
            tuple(run for run, here in zip(self.runs, columns, strict=True) if here),
            values[np.ix_(rows, columns)],
            self.filled[:, :, place][np.ix_(rows, columns)],
            measure in self.scales,
        )

    def samples(self, measure: str) -> dict[str, FloatArray]:
        """Return the scores of each run that has the measure, on whichever topics it has."""
        columns = zip(self.runs, self._usable(measure).T, strict=True)
        found = {run: values[~np.isnan(values)] for run, values in columns}
        return {run: values for run, values in found.items() if len(values)}

    def _usable(self, measure: str) -> FloatArray:
        values = self.values[:, :, self.measures.index(measure)]
        for topic, run in np.argwhere(np.abs(values) > LARGEST)[:1]:
            raise DataError(
                "",
                f"the {visible(measure)} of {quoted(self.runs[run])} on topic "
                f"{quoted(self.topics[topic])} is {values[topic, run]:g}, "
                "too large to compute with",
            )
        return values

    def only(self, *runs: str) -> "Scores":
        """Return the scores of some runs."""
        return self._with_runs([self.runs.index(run) for run in runs])

    def from_files(self, paths: Collection[str]) -> "Scores":
        """Return the scores of the runs that these files hold."""
        there = {run for path in paths for run in self.origins.get(path, ())}
        return self.only(*(run for run in self.runs if run in there))

    def _with_runs(self, places: Sequence[int]) -> "Scores":
        return replace(
            self,
            values=self.values[:, places],
            filled=self.filled[:, places],
            runs=tuple(self.runs[place] for place in places),
        )

    def sorted_runs(self, order: str) -> "Scores":
        """Return the same with the runs by mean (of the first measure, best first) or by name."""
        if order == "input":
            return self
        in_order = sorted(range(len(self.runs)), key=lambda run: natural_key(self.runs[run]))
        by_name = self._with_runs(in_order)
        if order == "name":
            return by_name
        first = by_name.values[:, :, 0]
        missing = np.isnan(first)
        topics = (~missing).sum(axis=0)
        with np.errstate(over="ignore"):  # of scores that are refused later
            means, sizes = means_and_sizes(np.where(missing, 0.0, first))
            means *= len(missing) / np.maximum(topics, 1)
        means[topics == 0] = -np.inf
        return by_name._with_runs(best_first(means, sizes))
