"""Pairs of runs by one measure: which can be compared, and what is known of each pair.

What cannot be compared is left out or, if there is nothing else, an error.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from confint_cli.common.arrays import FloatArray, Positions
from confint_cli.common.errors import DataError, Notice, note, warning
from confint_cli.common.exact import power_of_two_above
from confint_cli.common.table import Cell, Column
from confint_cli.common.text import count, have, listed, quoted, visible
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.scores.scores import best_first as best_first_of
from confint_cli.stats.comparison import (
    Differences,
    Moments,
    paired_differences,
    unpaired_differences,
)
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.sample import Sample

Part = TypeVar("Part")
_MOST_APART = 1e9  # of the largest scores of two runs
_LISTED = 5
_DIGITS = 2.0**40  # of the largest score that make a difference


@dataclass(frozen=True)
class PairedRuns:
    """Runs by one measure, which of them are compared, and what is known of each pair."""

    measure: str
    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # none: all pairs
    pairs: Pairs
    known: Differences
    matrix: Matrix | None = None  # the scores, of runs on the same topics
    missing: Mapping[str, str] = field(default_factory=dict)  # what to note on topics runs lack

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def paired(self) -> bool:
        """Whether the runs are on the same topics."""
        return self.matrix is not None

    @property
    def scores(self) -> Matrix:
        """The scores, for a study that has asked for runs on the same topics."""
        assert self.matrix is not None, "who asks for pairs says of which topics"
        return self.matrix

    @property
    def on_same_topics(self) -> Paired:
        """The scores in pairs, made anew: of many pairs, their differences take much memory."""
        return Paired(self.scores.values, self.pairs)

    @property
    def title(self) -> str:
        """`map, 50 topics`; runs on topics of their own have no common number."""
        if not self.paired:
            return self.measure
        return f"{self.measure}, {count(len(self.scores.topics), 'topic')}"

    def names(self, pair: int) -> tuple[str, str]:
        """Return the run and the baseline of a pair."""
        return self.pairs.names(pair, self.runs)

    def missing_of(self, pair: int) -> list[str]:
        """Return what to note about topics that a run or its baseline lacks."""
        run, baseline = self.names(pair)
        said = [self.missing[run]] if run in self.missing else []
        return [*said, f"baseline: {self.missing[baseline]}"] if baseline in self.missing else said

    def missing_among(self, runs: Collection[str]) -> str:
        """Return the same of some of the runs in a sentence below a table, or nothing."""
        return missing_in_words({run: said for run, said in self.missing.items() if run in runs})

    def by_baseline(self) -> "Iterator[PairRows]":
        """Yield the pairs with each baseline or, if there is none, all pairs."""
        if not self.baselines:
            yield PairRows(self, np.arange(len(self.pairs)), "every two runs", False)
        for baseline in self.baselines:
            places = np.flatnonzero(self.pairs.baseline == self.runs.index(baseline))
            yield PairRows(self, places, f"compared with {baseline}", True)


@dataclass(frozen=True)
class PairRows:
    """Some of the pairs of runs, a row each; with a baseline, its own row comes first."""

    of: PairedRuns
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
        names = [self.of.names(pair) for pair in self.places.tolist()]
        baseline, first = names[0][1], self.places[0]
        columns = [self.column("run", [run for run, _ in names], own=baseline)]
        if not self.with_baseline:
            return [*columns, self.column("baseline", [baseline for _, baseline in names])]
        run, own = self.of.known.run, self.of.known.baseline
        if not self.of.paired:
            topics = run.topics[self.places].tolist()
            columns.append(self.column("topics", topics, own=int(own.topics[first])))
        means, own_mean = run.mean[self.places].tolist(), float(own.mean[first])
        return [*columns, self.column("mean", means, own=own_mean, optional=True)]


@dataclass(frozen=True)
class Group:
    """Runs by one measure that need not have the same topics, and what is known of them."""

    measure: str
    runs: tuple[str, ...]
    moments: Moments


def paired_runs(
    scores: Scores,
    baselines: tuple[str, ...],
    *,
    paired: bool = True,
    best_first: bool = True,
    fewest: int = 2,
) -> tuple[list[PairedRuns], list[Notice]]:
    """Return the pairs by each measure by which the runs can be compared, and what to say of it.

    Runs are `paired` by their topics, or have topics of their own; `fewest` is how many it takes.
    They are compared with each baseline or, if there is none, every two with each other.
    """
    if not paired:
        groups = _on_own_topics(scores, best_first=best_first)
        return pairs_of_groups(groups, baselines, fewest=fewest)
    matrices, notices = comparable_matrices(scores, baselines, fewest=fewest, best_first=best_first)
    return [_pairs_of(matrix, baselines) for matrix in matrices], notices


def _pairs_of(matrix: Matrix, baselines: tuple[str, ...]) -> PairedRuns:
    pairs = Pairs.among(matrix.runs, baselines)
    known = paired_differences(Paired(matrix.values, pairs))
    missing = about_missing(matrix)
    return PairedRuns(matrix.measure, matrix.runs, baselines, pairs, known, matrix, missing)


def pairs_of_groups(
    groups: Sequence[Group], baselines: tuple[str, ...], *, fewest: int = 2
) -> tuple[list[PairedRuns], list[Notice]]:
    """Return the same of groups of runs of which only so much is known."""
    parts = []
    kept, notices = _comparable_groups(groups, baselines, fewest=fewest)
    for group in kept:
        pairs = Pairs.among(group.runs, baselines)
        known = unpaired_differences(group.moments, pairs)
        parts.append(PairedRuns(group.measure, group.runs, baselines, pairs, known))
    return parts, notices


def _on_own_topics(scores: Scores, *, best_first: bool) -> list[Group]:
    """Return what is known of each run on the topics it has."""
    groups = []
    for measure in scores.measures:
        samples = scores.samples(measure)
        runs, moments = tuple(samples), _moments([*samples.values()])
        if best_first:
            sizes = np.array([np.abs(own).max() for own in samples.values()])
            order = best_first_of(moments.mean, sizes)
            runs, moments = tuple(runs[place] for place in order), moments.of(np.array(order))
        groups.append(Group(measure, runs, moments))
    return groups


def _moments(columns: Sequence[FloatArray]) -> Moments:
    samples = [Sample(column[:, None]) for column in columns]
    return Moments(
        np.array([sample.topics for sample in samples]),
        np.concatenate([sample.mean for sample in samples]),
        np.concatenate([sample.sd for sample in samples]),
    )


def could_be_paired(scores: Scores) -> list[Notice]:
    """Say of runs that are taken to have topics of their own if these are the same for all."""
    for measure in scores.measures:
        if any(len(own) < len(scores.topics) for own in scores.samples(measure).values()):
            return []
    about = f"all runs have the same {count(len(scores.topics), 'topic')}: without --unpaired "
    return [note(f"{about}they are compared topic by topic, which tells more apart")]


def comparable_matrices(
    scores: Scores, baselines: Sequence[str] = (), *, fewest: int = 2, best_first: bool = False
) -> tuple[list[Matrix], list[Notice]]:
    """Return the scores by measures by which runs on the same topics can be compared.

    `fewest` is the number of topics that it takes; runs stay in their order or come best first.
    """

    def check(matrix: Matrix) -> None:
        topics = [len(matrix.topics)] * len(matrix.runs)
        _check_runs(matrix.measure, matrix.runs, topics, baselines, fewest)
        _check_sizes(matrix)
        if not scores.judged:  # a run that retrieves nothing for a judged topic scores 0 indeed
            _check_topics_are_shared(matrix, Pairs.among(matrix.runs, baselines), fewest)

    matrices = [scores.matrix(measure) for measure in scores.measures]
    kept, notices = usable(matrices, check, [matrix.measure for matrix in matrices])
    ordered = [matrix.best_first() for matrix in kept] if best_first else kept
    return ordered, notices + _lacking_half(kept)


def _comparable_groups(
    groups: Sequence[Group], baselines: Sequence[str], *, fewest: int
) -> tuple[list[Group], list[Notice]]:
    """Return the groups of runs on topics of their own that can be compared."""

    def check(group: Group) -> None:
        topics = group.moments.topics.tolist()
        _check_runs(group.measure, group.runs, topics, baselines, fewest)

    return usable(groups, check, [group.measure for group in groups])


def usable(
    parts: Sequence[Part], check: Callable[[Part], None], measures: Sequence[str]
) -> tuple[list[Part], list[Notice]]:
    """Return the parts, one for each measure, that pass the check, and warnings of the others.

    If none does, the first one's error is raised.
    """
    kept: list[Part] = []
    errors: dict[str, DataError] = {}
    for part, measure in zip(parts, measures, strict=True):
        try:
            check(part)
            kept.append(part)
        except DataError as error:
            errors[measure] = error
    if not kept:
        raise next(iter(errors.values()))
    return kept, [
        warning(f"{error}, so there is nothing by {visible(name)}")
        for name, error in errors.items()
    ]


def _check_runs(
    measure: str,
    runs: Sequence[str],
    topics: Sequence[int],
    baselines: Sequence[str],
    fewest: int,
) -> None:
    """Refuse a single run, a baseline that is not there, and a run with too few topics."""
    if len(runs) < 2:
        raise DataError(
            "",
            f"by {visible(measure)} there is nothing to compare {quoted(runs[0])} with: it is the "
            "only run",
            "give the files of two runs or more",
        )
    for baseline in baselines:
        if baseline not in runs:
            raise DataError("", f"the baseline {quoted(baseline)} has no {visible(measure)}")
    for run, number in zip(runs, topics, strict=True):
        if number < fewest:
            raise DataError(
                "",
                f"by {visible(measure)} {quoted(run)} has {count(number, 'topic')}, and a "
                f"comparison needs {fewest}",
            )


def _check_topics_are_shared(matrix: Matrix, pairs: Pairs, fewest: int) -> None:
    """Refuse pairs whose differences would be those to zeros of topics that one run lacks."""
    if not matrix.filled.any():
        return
    has = (~matrix.filled).astype(float)
    shared = (has.T @ has)[pairs.run, pairs.baseline]
    for pair in np.flatnonzero(shared < fewest)[:1]:
        run, baseline = pairs.names(pair, matrix.runs)
        raise DataError(
            "",
            f"{quoted(run)} and {quoted(baseline)} have {count(int(shared[pair]), 'topic')} in "
            f"common by {visible(matrix.measure)}",
            f"a paired comparison needs {fewest}; compare and bayes take --unpaired, for runs on "
            "topics of their own",
        )


def _check_sizes(matrix: Matrix) -> None:
    """Refuse scores of one measure so different in size that the small ones would be lost."""
    sizes = np.abs(matrix.values).max(axis=0)
    large = int(sizes.argmax())
    for small in np.flatnonzero((sizes > 0) & (sizes < sizes[large] / _MOST_APART))[:1]:
        raise DataError(
            "",
            f"the {visible(matrix.measure)} of {quoted(matrix.runs[large])} goes up to "
            f"{sizes[large]:.2g}, that of {quoted(matrix.runs[small])} to {sizes[small]:.2g}: "
            "these cannot be compared",
        )


def _lacking_half(matrices: Sequence[Matrix]) -> list[Notice]:
    """Warn of runs that lack half of the topics or more: zeros may say more than the scores."""
    runs = dict.fromkeys(
        run
        for matrix in matrices
        for run, share in zip(matrix.runs, matrix.filled.mean(axis=0), strict=True)
        if share >= 0.5
    )
    if not runs:
        return []
    return [
        warning(
            f"{have(len(runs), 'run')} a 0 for missing topics on half of the topics or more: "
            f"{listed([*runs], 5)}; --missing drop leaves such topics out; compare and bayes take "
            "--unpaired, for runs of different collections"
        )
    ]


def about_runs(matrix: Matrix) -> list[list[str]]:
    """Return what there is to know about each run: topics it lacks, another run it is a copy of."""
    copies, missing = identical_runs(matrix), about_missing(matrix)
    copied = {run: f"same scores as {first}" for run, first in copies.items()}
    return [[about[run] for about in (missing, copied) if run in about] for run in matrix.runs]


def about_missing(matrix: Matrix) -> dict[str, str]:
    """Return what to note about runs that lack topics, which are scored 0.

    A message says so too, but a table may be read by others than see the message.
    """
    missing = zip(matrix.runs, matrix.filled.sum(axis=0).tolist(), strict=True)
    return {run: f"{count(number, 'topic')} missing" for run, number in missing if number}


def missing_in_words(about: Mapping[str, str]) -> str:
    """Return the same in a sentence below a table, or nothing."""
    said = [f"{run} ({words})" for run, words in about.items()]
    return f"Missing topics count as 0: {listed(said, _LISTED)}." if said else ""


def identical_runs(matrix: Matrix) -> dict[str, str]:
    """Return the first run with the same scores, but for last bits, of each run that is a copy."""
    seen: dict[bytes, str] = {}
    largest = power_of_two_above(np.abs(matrix.values).max(keepdims=True))
    rounded = np.rint(matrix.values / largest * _DIGITS) + 0.0  # -0.0 is 0.0
    columns = zip(matrix.runs, np.ascontiguousarray(rounded.T), strict=True)
    firsts = {run: seen.setdefault(values.tobytes(), run) for run, values in columns}
    return {run: first for run, first in firsts.items() if run != first}
