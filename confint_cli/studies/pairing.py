"""Pairs of runs by one measure: which can be compared, and what is known of each pair.

What cannot be compared is left out or, if there is nothing else, an error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.exact import power_of_two_above
from confint_cli.common.text import count, have, listed, quoted, visible
from confint_cli.scores.scores import Matrix, Scores, order_by_mean
from confint_cli.stats.comparison import (
    Differences,
    Moments,
    paired_differences,
    unpaired_differences,
)
from confint_cli.stats.effects import deletions
from confint_cli.stats.identified import Identified
from confint_cli.stats.matrices import (
    design_effects,
    design_effects_of_pairs,
    paired_of,
    sample_of,
)
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.ppi import Family, Powered
from confint_cli.stats.sample import Sample

Item = TypeVar("Item")
_MOST_APART = 1e9  # the most that the largest scores of two runs may be apart, as a factor
_DIGITS = 2.0**40  # scores that differ by less than the largest one over this are the same


@dataclass(frozen=True, eq=False)
class ByTwo:
    """Pairs of runs by people and a cheaper judge together."""

    family: Family  # the runs, which are compared with one another
    differences: Powered


@dataclass(frozen=True)
class PairedRuns:
    """Runs by one measure, which of them are compared, and figures about each pair.

    Its length is the number of pairs.
    """

    measure: str
    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # empty: every two runs are compared
    pairs: Pairs  # places among `runs`
    differences: Differences
    matrix: Matrix | None = None  # the scores of runs on the same topics; None: on their own
    missing: Mapping[str, int] = field(default_factory=dict)  # topics that runs lack, by run
    paired_repeats: bool = False  # whether repeats of two runs are paired by their names
    designs: Sequence[Mapping[str, Any]] = ()  # fields of each pair by its design
    by_two: ByTwo | None = None  # if a cheaper judge stands beside people
    between: Identified | None = None  # if differences are known between bounds only

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def paired(self) -> bool:
        """Whether the runs are on the same topics."""
        return self.matrix is not None

    @property
    def family(self) -> int:
        """How many comparisons there are, each counted once whichever run is the baseline."""
        return self.pairs.family

    @property
    def scores(self) -> Matrix:
        """The scores of runs on the same topics; may be asked for only if `paired`."""
        assert self.matrix is not None, "who asks for pairs says of which topics"
        return self.matrix

    @property
    def on_same_topics(self) -> Paired:
        """The scores in pairs, made anew each time: many pairs of differences take much memory."""
        return paired_of(self.scores, self.pairs, paired_repeats=self.paired_repeats)

    def names(self, pair: int) -> tuple[str, str]:
        """Return the names of the run and of the baseline of a pair."""
        return self.pairs.names(pair, self.runs)

    def fields_of(self, pair: int) -> dict[str, Any]:
        """Return the fields that every record of a pair has, as `PairRow` names them."""
        run, baseline = self.names(pair)
        of_run, of_baseline = self.differences.run, self.differences.baseline
        return {
            "measure": self.measure,
            "run": run,
            "baseline": baseline,
            "topics": int(of_run.topics[pair]),
            "baseline_topics": int(of_baseline.topics[pair]),
            "mean": float(of_run.mean[pair]),
            "baseline_mean": float(of_baseline.mean[pair]),
            "missing": self.missing.get(run, 0),
            "baseline_missing": self.missing.get(baseline, 0),
            "place": int(self.pairs.run[pair]),
            "baseline_place": int(self.pairs.baseline[pair]),
            **(self.designs[pair] if self.designs else {}),
        }


@dataclass(frozen=True)
class RunMoments:
    """Runs by one measure that need not have the same topics, by their moments alone."""

    measure: str
    runs: tuple[str, ...]
    moments: Moments  # [run]


def paired_runs(
    scores: Scores,
    baselines: tuple[str, ...],
    *,
    paired: bool = True,
    best_first: bool = True,
    fewest: int = 2,
    paired_repeats: bool = False,
    effects: bool = False,
) -> tuple[list[PairedRuns], list[Notice]]:
    """Return the pairs of runs by each measure that allows a comparison, and what to tell the user.

    Runs are compared with each of `baselines`; if there is none, every two with each other. They
    are `paired` by their topics, or have topics of their own. A run needs `fewest` topics. With
    `best_first`, runs are in the order of their means. With `effects`, unpaired runs have what
    intervals of effect sizes need. Raises an error if no measure is left.
    """
    if not paired:
        groups = _on_own_topics(scores, best_first=best_first, effects=effects)
        return pairs_of_moments(groups, baselines, fewest=fewest)
    matrices, notices = comparable_matrices(scores, baselines, fewest=fewest, best_first=best_first)
    by_measure = [
        _pairs_of(matrix, baselines, paired_repeats=paired_repeats) for matrix in matrices
    ]
    return by_measure, notices


def _pairs_of(
    matrix: Matrix, baselines: tuple[str, ...], *, paired_repeats: bool
) -> PairedRuns:  # fmt: skip
    pairs = Pairs.among(matrix.runs, baselines)
    if paired_repeats:
        _check_repeats_are_paired(matrix, pairs)
    in_pairs = paired_of(matrix, pairs, paired_repeats=paired_repeats)
    topics = matrix.of_topics
    on_topics = None if topics is None else Paired(topics.values, pairs, topics.design)
    return PairedRuns(
        matrix.measure,
        matrix.runs,
        baselines,
        pairs,
        paired_differences(in_pairs, on_topics),
        matrix,
        missing_topics(matrix),
        paired_repeats,
        _fields_of_pairs(matrix, in_pairs),
    )


def _check_repeats_are_paired(matrix: Matrix, pairs: Pairs) -> None:
    """Raise CallError if two runs that are compared have other repeats."""
    labels = matrix.repeats.labels if matrix.repeats is not None else ()
    for pair in range(len(pairs) if labels else 0):
        run, baseline = int(pairs.run[pair]), int(pairs.baseline[pair])
        if labels[run] != labels[baseline] and ("",) not in (labels[run], labels[baseline]):
            both = " and ".join(
                f"{quoted(matrix.runs[place])} has {listed([*labels[place]], 5)}"
                for place in (run, baseline)
            )
            raise CallError(
                f"--paired-repeats needs the same repeats of both runs: {both}",
                "without it, repeats of two runs are treated as independent",
            )


def _fields_of_pairs(matrix: Matrix, paired: Paired) -> list[dict[str, Any]]:
    """Return the fields of records of each pair that its design has; none without any."""
    if matrix.of_topics is None and matrix.repeats is None:
        return []
    pairs = paired.pairs
    of_runs = fields_of_design(matrix)
    effects = design_effects_of_pairs(matrix, pairs).tolist()
    shares = paired.sample.repeat_share.tolist()
    fields = []
    for pair in range(len(pairs)):
        own = {**of_runs[int(pairs.run[pair])], "design_effect": effects[pair]}
        if matrix.repeats is not None:
            numbers = matrix.repeats.numbers
            own["baseline_repeats"] = numbers[int(pairs.baseline[pair])]
            own["repeat_share"] = shares[pair]
        fields.append(own)
    return fields


def fields_of_design(matrix: Matrix) -> list[dict[str, Any]]:
    """Return the fields of records of each run that its design has."""
    fields: list[dict[str, Any]] = [{} for _ in matrix.runs]
    if matrix.of_topics is not None:
        for own, effect in zip(fields, design_effects(matrix).tolist(), strict=True):
            own |= {"groups": len(matrix.topics), "design_effect": effect}
    if matrix.repeats is not None:
        shares = sample_of(matrix).repeat_share.tolist()
        for own, number, share in zip(fields, matrix.repeats.numbers, shares, strict=True):
            own |= {"repeats": number, "repeat_share": share}
    return fields


def pairs_of_moments(
    groups: Sequence[RunMoments], baselines: tuple[str, ...], *, fewest: int = 2
) -> tuple[list[PairedRuns], list[Notice]]:
    """Return the pairs of the runs of each group that allows an unpaired comparison, and notices.

    There is a group for each measure. `baselines` and `fewest` are those of `paired_runs`.
    """
    by_measure = []
    comparable, notices = _comparable_groups(groups, baselines, fewest=fewest)
    for group in comparable:
        pairs = Pairs.among(group.runs, baselines)
        differences = unpaired_differences(group.moments, pairs)
        by_measure.append(PairedRuns(group.measure, group.runs, baselines, pairs, differences))
    return by_measure, notices


def _on_own_topics(scores: Scores, *, best_first: bool, effects: bool) -> list[RunMoments]:
    """Return the runs by each measure, with the moments of each on the topics that it has."""
    groups = []
    for measure in scores.measures:
        samples = scores.samples(measure)
        runs, moments = tuple(samples), _moments([*samples.values()])
        if effects:
            of_runs = [deletions(values) for values in samples.values()]
            moments = replace(moments, deletions=np.stack(of_runs, axis=1))
        if best_first:
            sizes = np.array([np.abs(values).max() for values in samples.values()])
            order = order_by_mean(moments.mean, sizes)
            runs, moments = tuple(runs[place] for place in order), moments.of(np.array(order))
        groups.append(RunMoments(measure, runs, moments))
    return groups


def _moments(columns: Sequence[FloatArray]) -> Moments:
    samples = [Sample(column[:, None]) for column in columns]
    return Moments(
        np.array([sample.topics for sample in samples]),
        np.concatenate([sample.mean for sample in samples]),
        np.concatenate([sample.sd for sample in samples]),
    )


def could_be_paired(scores: Scores) -> list[Notice]:
    """Return a notice that the comparison could be paired, if all runs have all topics."""
    for measure in scores.measures:
        if any(len(values) < len(scores.topics) for values in scores.samples(measure).values()):
            return []
    about = f"all runs have the same {count(len(scores.topics), 'topic')}: without --unpaired "
    return [note(f"{about}they are compared topic by topic, which distinguishes more runs")]


def comparable_matrices(
    scores: Scores, baselines: Sequence[str] = (), *, fewest: int = 2, best_first: bool = False
) -> tuple[list[Matrix], list[Notice]]:
    """Return the scores by each measure that allows a paired comparison, and warnings.

    A comparison needs `fewest` topics. Runs stay in their order, or come `best_first`. Raises an
    error if no measure is left.
    """

    def check(matrix: Matrix) -> None:
        topics = [min(matrix.design.strata, default=len(matrix.topics))] * len(matrix.runs)
        _check_runs(matrix.measure, matrix.runs, topics, baselines, fewest)
        _check_sizes(matrix)
        if not scores.judged:  # a run that retrieves nothing for a judged topic scores 0 indeed
            _check_topics_are_shared(matrix, Pairs.among(matrix.runs, baselines), fewest)

    matrices = [scores.matrix(measure) for measure in scores.measures]
    comparable, notices = usable(matrices, check, [matrix.measure for matrix in matrices])
    ordered = [matrix.best_first() for matrix in comparable] if best_first else comparable
    return ordered, notices + _lacking_half(comparable)


def _comparable_groups(
    groups: Sequence[RunMoments], baselines: Sequence[str], *, fewest: int
) -> tuple[list[RunMoments], list[Notice]]:
    """Return the groups whose runs can be compared, and warnings of the others."""

    def check(group: RunMoments) -> None:
        topics = group.moments.topics.tolist()
        _check_runs(group.measure, group.runs, topics, baselines, fewest)

    return usable(groups, check, [group.measure for group in groups])


def usable(
    items: Sequence[Item], check: Callable[[Item], None], measures: Sequence[str]
) -> tuple[list[Item], list[Notice]]:
    """Return the items, one for each measure, that pass the check, and warnings of the others.

    `check` raises a DataError for an item that does not pass. If none passes, the error of the
    first one is raised.
    """
    passed: list[Item] = []
    errors: dict[str, DataError] = {}
    for item, measure in zip(items, measures, strict=True):
        try:
            check(item)
            passed.append(item)
        except DataError as error:
            errors[measure] = error
    if not passed:
        raise next(iter(errors.values()))
    return passed, [
        warning(f"{error}, so there is no result for {visible(name)}")
        for name, error in errors.items()
    ]


def _check_runs(
    measure: str,
    runs: Sequence[str],
    topics: Sequence[int],
    baselines: Sequence[str],
    fewest: int,
) -> None:
    """Refuse a single run, a baseline that is no run, and a run with fewer topics than `fewest`.

    `topics` are the numbers of topics of the runs.
    """
    if len(runs) < 2:
        raise DataError(
            "",
            f"on {visible(measure)}, there is nothing to compare {quoted(runs[0])} with: it is the "
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
                f"on {visible(measure)}, {quoted(run)} has {count(number, 'topic')}, and a "
                f"comparison needs {fewest}",
            )


def _check_topics_are_shared(matrix: Matrix, pairs: Pairs, fewest: int) -> None:
    """Refuse pairs of runs with fewer topics in common than `fewest`.

    Their differences would be those to the zeros that stand for topics that a run lacks.
    """
    if not matrix.filled.any():
        return
    has_topic = (~matrix.filled).astype(float)  # [topic, run], whatever the rows are
    shared = (has_topic.T @ has_topic)[pairs.run, pairs.baseline]  # topics of each pair
    for pair in np.flatnonzero(shared < fewest)[:1]:
        run, baseline = pairs.names(pair, matrix.runs)
        raise DataError(
            "",
            f"{quoted(run)} and {quoted(baseline)} have {count(int(shared[pair]), 'topic')} in "
            f"common on {visible(matrix.measure)}",
            f"a paired comparison needs {fewest}; compare and bayes take --unpaired, for runs on "
            "different topics",
        )


def _check_sizes(matrix: Matrix) -> None:
    """Refuse scores of one measure so different in size that the small ones would be lost."""
    sizes = np.abs(matrix.values).max(axis=0)  # [run]
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
            f"{have(len(runs), 'run')} no scores on half of the topics or more, which count as 0: "
            f"{listed([*runs], 5)}",
            what_to_do="--missing drop leaves such topics out; compare and bayes take --unpaired, "
            "for runs of different collections",
        )
    ]


def missing_topics(matrix: Matrix) -> dict[str, int]:
    """Return how many topics each run lacks that lacks any; these are scored 0."""
    missing = zip(matrix.runs, matrix.filled.sum(axis=0).tolist(), strict=True)
    return {run: number for run, number in missing if number}


def identical_runs(matrix: Matrix) -> dict[str, str]:
    """Return each run that is a copy, with the first run that has its scores but for last bits."""
    first_with: dict[bytes, str] = {}
    matrix = matrix.on_topics
    largest = power_of_two_above(np.abs(matrix.values).max(keepdims=True))
    rounded = np.rint(matrix.values / largest * _DIGITS) + 0.0  # -0.0 is 0.0
    columns = zip(matrix.runs, np.ascontiguousarray(rounded.T), strict=True)
    firsts = {run: first_with.setdefault(values.tobytes(), run) for run, values in columns}
    return {run: first for run, first in firsts.items() if run != first}
