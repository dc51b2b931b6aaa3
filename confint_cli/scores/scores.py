"""Scores: the values of all runs on all topics by all measures, joined by topic id."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along, stretches
from confint_cli.common.errors import DataError
from confint_cli.common.text import natural_key, quoted, visible
from confint_cli.common.ties import LAST_BITS
from confint_cli.scores.design import PLAIN, Design, Groups, Repeats
from confint_cli.scores.pool import Pool
from confint_cli.scores.treatments import LEAST

LARGEST_SCORE = 1e100  # the largest score to compute with: its powers are finite


def order_by_mean(means: FloatArray, sizes: FloatArray) -> list[int]:
    """Return the positions of runs by their means, best first; equal ones stay in their order.

    `means` and `sizes` are [run], as `ranks` takes them. Every study gets the runs in the order of
    the first measure, and where that is equal of their names: these decide between equal means.
    """
    ranked = ranks(means, sizes).tolist()
    return sorted(range(len(ranked)), key=ranked.__getitem__)


def ranks(means: FloatArray, sizes: FloatArray) -> Positions:
    """Return the rank of each run by its mean, from 1, [run]; runs of equal means share the better.

    Means are equal if they differ in their last bits only: sums of decimals that are equal on paper
    may do so. `sizes`, [run], is how large these decimals are: the largest absolute score works.
    """
    order = np.lexsort((sizes, -means))  # by size too, so that the order of runs does not matter
    means_in_order, sizes_in_order = means[order], sizes[order]
    with np.errstate(invalid="ignore"):  # runs without a mean have -inf, and are equal
        gaps = means_in_order[:-1] - means_in_order[1:]
    is_new = gaps > LAST_BITS * np.maximum(sizes_in_order[:-1], sizes_in_order[1:])
    first = np.where(is_new, np.arange(2, len(order) + 1), 1)
    rank_of_run = np.empty(len(order), np.intp)
    rank_of_run[order] = np.maximum.accumulate(np.concatenate([[1], first]))
    return rank_of_run


def means_and_sizes(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each run of values[topic, run], and its largest absolute score: [run].

    Each run is summed by itself, so that no other run changes its last bits.
    """
    by_run = np.ascontiguousarray(values.T)
    return by_run.mean(axis=1), np.abs(by_run).max(axis=1)


TOPIC, COLLECTION = "topic", "collection"  # what a row may be, besides a group of topics


@dataclass(frozen=True)
class Collections:
    """Which topics are of which collection: those of a collection follow one another."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]  # topics of each

    @property
    def slices(self) -> list[slice]:
        """The rows of each collection among those of all topics."""
        return stretches(self.sizes)

    def numbers(self, rows: BoolArray) -> tuple[int, ...]:
        """Return how many of the rows [topic] that are set each collection has."""
        return tuple(int(np.count_nonzero(rows[own])) for own in self.slices)

    def weights(self, rows: BoolArray) -> FloatArray:
        """Return the weight of each row [topic] in the mean of the collections' means.

        With N rows of which a collection has n, and K collections, it is N/(Kn): the mean of
        weighted scores over all rows that are set is the mean of the collections' means. Rows that
        are not set have 0.
        """
        weights = np.zeros(len(rows))
        total = np.count_nonzero(rows)
        for own, number in zip(self.slices, self.numbers(rows), strict=True):
            if number:
                weights[own] = np.where(rows[own], total / (len(self.sizes) * number), 0.0)
        return weights


@dataclass(frozen=True)
class Matrix:
    """The scores by one measure: values[topic, run], every one of them a number.

    Where topics come in groups, a row is a group; `on_topics` has the scores on topics.
    """

    measure: str
    topics: tuple[str, ...]  # the names of the rows
    runs: tuple[str, ...]
    values: FloatArray
    filled: BoolArray  # [topic, run]: which values stand for topics that the run lacks
    standardized: bool = False
    design: Design = PLAIN  # how the rows were drawn
    unit: str = TOPIC  # what a row is, in words: a topic, a collection or a group
    of_topics: "Matrix | None" = None  # the scores on topics, if rows are groups of these
    groups: Groups | None = None  # of the topics, if rows are groups
    repeats: Repeats | None = None  # of the runs, whose mean the values are; None: there are none

    @property
    def on_topics(self) -> "Matrix":
        """The scores on topics, whatever the rows are."""
        return self.of_topics or self

    def in_groups(self, groups: Groups) -> "Matrix":
        """Return the scores in groups of topics, each of them a row.

        The mean over rows is the mean over topics or, if groups count alike, over groups; of
        several collections, the mean of their means.
        """
        strata = groups.numbers(self.design.strata)
        sizes = groups.sizes
        factor = np.full(len(sizes), len(sizes) / len(self.topics))
        if groups.equal:  # as if each group had as many topics as others of its collection
            topics_of = self.design.strata or (len(self.topics),)
            for own, topics in zip(stretches(strata or (len(sizes),)), topics_of, strict=True):
                factor[own] *= topics / (own.stop - own.start) / sizes[own]
        counts_alike = groups.equal or bool((sizes == sizes[0]).all())
        design = Design(strata, grouped=True, sizes=None if counts_alike else sizes)

        def summed(values: FloatArray) -> FloatArray:
            sums: FloatArray = groups.sums(values) * factor[:, None]
            return sums

        return replace(
            self,
            topics=groups.names,
            values=summed(self.values),
            design=design,
            unit=groups.noun,
            of_topics=self,
            groups=groups,
            repeats=self.repeats and replace(self.repeats, values=summed(self.repeats.values)),
        )

    def best_first(self) -> "Matrix":
        """Return the matrix with its runs in the order of their means, best first."""
        order = self.by_mean
        return self if order == sorted(order) else self.ordered(order)  # no copy without need

    @property
    def by_mean(self) -> list[int]:
        """The positions of the runs in the order of their means, best first."""
        return order_by_mean(*means_and_sizes(self.values))

    def ordered(self, order: Sequence[int]) -> "Matrix":
        """Return the matrix with the runs at the positions of `order`, in that order."""
        runs = tuple(self.runs[place] for place in order)
        return replace(
            self,
            runs=runs,
            values=self.values[:, order],
            filled=self.filled[:, order],
            of_topics=self.of_topics and self.of_topics.ordered(order),
            repeats=self.repeats and self.repeats.runs(order),
        )


@dataclass(frozen=True)
class Scores:
    """The values[topic, run, measure]; NaN where a run lacks a measure, or a measure a topic."""

    values: FloatArray
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    filled: BoolArray  # [topic, run, measure]: which values stand for topics that the run lacks
    judged: bool = False  # whether filled topics are known to be judged, so that 0 is their score
    scorer: str = ""  # the libraries that scored the runs, if these were scored
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # runs by file
    scales: Mapping[str, str] = field(default_factory=dict)  # by standardised measure
    called: Mapping[str, str] = field(default_factory=dict)  # runs by names as files give them
    by_drawn_runs: bool = False  # whether they are standardised by runs that were drawn at random
    collections: Collections | None = None  # of the topics, if they are of several
    is_macro: bool = False  # values are weighted: their mean is that of the collections' means
    unit: str = TOPIC  # what a row is, in words: a topic, a collection or a group
    groups: Groups | None = None  # of the topics, if they come in groups
    repeats: Repeats | None = None  # [topic, column, measure]: of the runs, if they have any
    judge: "Scores | None" = None  # by a cheaper judge, of the same runs on these topics and more
    judged_by: str = ""  # of a judge's scores: what it is called, as by its file of judgements
    unweighted: "Scores | None" = None  # what weighted scores were made of
    besides: Mapping[str, "Scores"] = field(default_factory=dict)
    """Judged shares, scores without unjudged documents, or bounds, of the same runs and topics."""
    pool: Pool | None = None  # the rankings of runs, if bounds of differences are wanted

    @property
    def several(self) -> bool:
        """Whether they are of several collections, and not yet weighted for a mean over these."""
        return self.collections is not None and not self.is_macro

    @property
    def bounded(self) -> bool:
        """Whether they are known between bounds only."""
        return LEAST in self.besides

    def matrix(self, measure: str) -> Matrix:
        """Return the scores by a measure, with the topics and the runs that have any of them.

        If topics come in groups, rows are the groups.
        """
        position = self.measures.index(measure)
        values = self._usable(measure)
        present = ~np.isnan(values)
        rows, columns = any_along(present, 1), any_along(present, 0)
        matrix = Matrix(
            measure,
            tuple(topic for topic, has_scores in zip(self.topics, rows, strict=True) if has_scores),
            tuple(run for run, has_scores in zip(self.runs, columns, strict=True) if has_scores),
            values[np.ix_(rows, columns)],
            self.filled[:, :, position][np.ix_(rows, columns)],
            measure in self.scales,
            Design(self.collections.numbers(rows)) if self.is_macro and self.collections else PLAIN,
            self.unit,
            repeats=self.repeats
            and replace(
                self.repeats.runs(np.flatnonzero(columns).tolist()),
                values=self.repeats.values[rows, :, position],
            ),
        )
        return matrix if self.groups is None else matrix.in_groups(self.groups.only(rows))

    def samples(self, measure: str) -> dict[str, FloatArray]:
        """Return the scores [topic] of each run that has the measure, on the topics that it has."""
        columns = zip(self.runs, self._usable(measure).T, strict=True)
        scores_of_run = {run: values[~np.isnan(values)] for run, values in columns}
        return {run: values for run, values in scores_of_run.items() if len(values)}

    def _usable(self, measure: str) -> FloatArray:
        """Return values[topic, run] by a measure; raise an error if one is too large."""
        values = self.values[:, :, self.measures.index(measure)]
        for topic, run in np.argwhere(np.abs(values) > LARGEST_SCORE)[:1]:
            raise DataError(
                "",
                f"the {visible(measure)} of {quoted(self.runs[run])} on topic "
                f"{quoted(self.topics[topic])} is {values[topic, run]:g}, "
                "too large to compute with",
            )
        return values

    def only(self, *runs: str) -> "Scores":
        """Return the scores of these runs, in this order."""
        return self._with_runs([self.runs.index(run) for run in runs])

    def from_files(self, paths: Collection[str]) -> "Scores":
        """Return the scores of the runs that these files hold."""
        runs_of_files = {run for path in paths for run in self.origins.get(path, ())}
        return self.only(*(run for run in self.runs if run in runs_of_files))

    def by(self, measure: str) -> "Scores":
        """Return the scores by only one measure."""
        place = slice(position := self.measures.index(measure), position + 1)
        return replace(
            self,
            values=self.values[:, :, place],
            filled=self.filled[:, :, place],
            measures=(measure,),
            repeats=self._repeated(lambda values: values[:, :, place]),
            judge=self.judge and self.judge.by(measure),
            unweighted=self.unweighted and self.unweighted.by(measure),
            besides=self._besides(
                lambda own: own if measure not in own.measures else own.by(measure)
            ),
        )

    def with_measures(self, measures: Sequence[str]) -> "Scores":
        """Return the scores by these measures, in this order."""
        if tuple(measures) == self.measures:
            return self
        places = [self.measures.index(measure) for measure in measures]
        return replace(
            self,
            values=self.values[:, :, places],
            filled=self.filled[:, :, places],
            measures=tuple(measures),
            repeats=self._repeated(lambda values: values[:, :, places]),
            besides=self._besides(
                lambda own: own if len(own.measures) == 1 else own.with_measures(measures)
            ),
        )

    def part(self, place: int) -> "Scores":
        """Return the scores of the collection at this place, as of one that stands alone."""
        assert self.collections is not None
        rows = self.collections.slices[place]
        return replace(
            self,
            values=self.values[rows],
            filled=self.filled[rows],
            topics=self.topics[rows],
            collections=None,
            groups=self.groups and self.groups.only(rows),
            repeats=self._repeated(lambda values: values[rows]),
            judge=self.judge and self.judge.part_named(self.collections.names[place]),
            besides=self._besides(lambda own: own.part(place)),
            pool=self.pool and self.pool.rows(rows),
        )

    def part_named(self, collection: str) -> "Scores":
        """Return the scores of the collection of this name."""
        assert self.collections is not None
        return self.part(self.collections.names.index(collection))

    def macro(self) -> "Scores":
        """Return weighted scores, whose mean over topics is the mean of the collections' means."""
        assert self.collections is not None
        weights = np.stack(
            [self.collections.weights(self._rows_of(place)) for place in range(len(self.measures))],
            axis=1,
        )  # [topic, measure]
        return replace(
            self,
            values=self.values * weights[:, None],
            is_macro=True,
            repeats=self._repeated(lambda values: values * weights[:, None]),
            unweighted=self,
            besides=self._besides(lambda own: own.macro()),
        )

    def collection_means(self) -> "Scores":
        """Return the mean of each collection as if it were a topic."""
        assert self.collections is not None
        number = len(self.collections.names)
        values = np.full((number, *self.values.shape[1:]), np.nan)
        of_repeats = self._repeated(lambda own: np.full((number, *own.shape[1:]), np.nan))
        for place in range(number):
            part = self.part(place)
            for column, measure in enumerate(part.measures):
                if np.isnan(part.values[:, :, column]).all():  # judged shares that are unknown
                    continue
                matrix = part.matrix(measure)
                runs = [part.runs.index(run) for run in matrix.runs]
                values[place, runs, column] = means_and_sizes(matrix.values)[0]
                if of_repeats is not None and matrix.repeats is not None:
                    of_repeats.values[place, :, column] = matrix.repeats.values.mean(axis=0)
        return replace(
            self,
            values=values,
            filled=np.zeros(values.shape, dtype=bool),
            topics=self.collections.names,
            collections=None,
            groups=None,
            unit=COLLECTION,
            repeats=of_repeats,
            besides=self._besides(lambda own: own.collection_means()),
            unweighted=self,
        )

    def _besides(self, change: "Callable[[Scores], Scores]") -> "Mapping[str, Scores]":
        """Return what stands beside the scores, changed as these are."""
        return {name: change(own) for name, own in self.besides.items()}

    def _repeated(self, change: Callable[[FloatArray], FloatArray]) -> Repeats | None:
        """Return the repeats with other values, which `change` returns of their own."""
        return self.repeats and replace(self.repeats, values=change(self.repeats.values))

    def _weights_in_groups(self, rows: BoolArray) -> FloatArray:
        """Return how much topics count, [topic], if groups count alike; 0 for rows not set."""
        assert self.groups is not None
        weights = np.zeros(len(rows))
        for own in self.collections.slices if self.collections else [slice(None)]:
            if rows[own].any():
                chosen = np.flatnonzero(rows[own]) + (own.start or 0)
                weights[chosen] = self.groups.only(np.isin(np.arange(len(rows)), chosen)).weights
        return weights

    def _rows_of(self, measure: int) -> BoolArray:
        """Return which topics have a score by the measure at this place, [topic]."""
        return any_along(~np.isnan(self.values[:, :, measure]), 1)

    def _with_runs(self, places: Sequence[int]) -> "Scores":
        return replace(
            self,
            values=self.values[:, places],
            filled=self.filled[:, places],
            runs=tuple(self.runs[place] for place in places),
            repeats=self.repeats and self.repeats.runs(places),
            judge=self.judge and self.judge.only(*(self.runs[place] for place in places)),
            unweighted=self.unweighted and self.unweighted._with_runs(places),
            besides=self._besides(lambda own: own._with_runs(places)),
            pool=self.pool and self.pool.runs(places),
        )

    def sorted_runs(self, order: str) -> "Scores":
        """Return the scores with the runs in an order: `mean`, `name` or, as they are, `input`.

        Means are those by the first measure, best first.
        """
        if order == "input":
            return self
        by_name = sorted(range(len(self.runs)), key=lambda run: natural_key(self.runs[run]))
        if order == "name":
            return self._with_runs(by_name)
        return self._with_runs([by_name[place] for place in self._best_first_of(by_name)])

    def _best_first_of(self, places: Sequence[int]) -> list[int]:
        """Return the order of the runs at these places by their means, best first.

        Means are those by the first measure; a run that lacks it comes last.
        """
        first = self.values[:, places, 0]
        missing = np.isnan(first)
        rows = self._rows_of(0)
        if self.collections is not None and self.several:
            first = first * self.collections.weights(rows)[:, None]
        if self.groups is not None and self.groups.equal:
            first = first * self._weights_in_groups(rows)[:, None]
        numbers_of_topics = (~missing).sum(axis=0)
        with np.errstate(over="ignore"):  # such scores are refused later
            means, sizes = means_and_sizes(np.where(missing, 0.0, first))
            means *= len(missing) / np.maximum(numbers_of_topics, 1)
        means[numbers_of_topics == 0] = -np.inf
        return order_by_mean(means, sizes)
