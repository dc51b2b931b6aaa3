"""Is A better than B, and by how much?"""

from collections.abc import Mapping, Sequence

import numpy as np

from confint_cli.comparison import Moments, Testing, compare_paired, compare_unpaired
from confint_cli.errors import CallError, DataError, Notice, note
from confint_cli.estimation import Estimation
from confint_cli.methods._sample import Sample
from confint_cli.pairs import Pairs
from confint_cli.progress import Progress, no_progress
from confint_cli.scores import Matrix, Scores
from confint_cli.simultaneous import fewest_draws
from confint_cli.studies._asked import unusual_levels
from confint_cli.studies._compared import Compared
from confint_cli.studies._comparison_rows import table_of
from confint_cli.table import Table
from confint_cli.text import quoted, visible

Baselines = tuple[str, ...]  # none of them: all pairs


def compare(
    scores: Scores,
    baselines: Baselines,
    how: Estimation,
    testing: Testing,
    signature: Mapping[str, str],
    *,
    paired: bool = True,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, pair of runs, method and level.

    Runs are compared with each baseline or, if there is none, every two with each other.
    """
    if testing.simultaneous:
        check_draws(how)
    notices = unusual_levels(how.levels)
    parts = []
    for measure in scores.measures:
        if paired:
            matrix = scores.matrix(measure)
            matrix = matrix.best_first() if best_first else matrix
            parts.append(_paired(matrix, baselines, how, testing, progress))
        else:
            moments, runs = _moments(scores, measure, best_first=best_first)
            parts.append(unpaired(measure, moments, runs, baselines, how, testing))
    if "tukey" in testing.tests and len(scores.runs) == 2:
        notices.append(note("of two runs, tukey is the randomisation test"))
    table, about_limits = table_of(parts, how, signature)
    return table, notices + about_limits


def check_draws(how: Estimation) -> None:
    """Refuse levels that so few draws say nothing about."""
    if how.resamples < fewest_draws(how.levels):
        raise CallError(
            f"{how.resamples} resamples are too few for simultaneous intervals of level "
            f"{max(how.levels)}",
            f"--resamples {fewest_draws(how.levels)} is the least for it, and a hundred times as "
            "many are better",
        )


def _paired(
    matrix: Matrix,
    baselines: Baselines,
    how: Estimation,
    testing: Testing,
    progress: Progress,
) -> Compared:
    check_comparable(matrix.measure, matrix.runs, [len(matrix.topics)] * len(matrix.runs))
    pairs = pairs_of(matrix.measure, matrix.runs, baselines)
    check_topics_are_shared(matrix, pairs)
    found = compare_paired(matrix.values, pairs, how, testing, progress)
    return Compared(matrix.measure, matrix.runs, pairs, baselines, found, how.levels, testing)


def unpaired(
    measure: str,
    moments: Moments,
    runs: tuple[str, ...],
    baselines: Baselines,
    how: Estimation,
    testing: Testing,
) -> Compared:
    """Return the comparison of runs of which only the moments are known."""
    check_comparable(measure, runs, moments.topics.tolist())
    pairs = pairs_of(measure, runs, baselines)
    found = compare_unpaired(moments, pairs, how.levels, testing)
    return Compared(measure, runs, pairs, baselines, found, how.levels, testing)


def _moments(scores: Scores, measure: str, *, best_first: bool) -> tuple[Moments, tuple[str, ...]]:
    """Return number, mean and standard deviation of each run's scores."""
    samples = scores.samples(measure)
    columns = [Sample(values[:, None]) for values in samples.values()]
    moments = Moments(
        np.array([column.topics for column in columns]),
        np.concatenate([column.mean for column in columns]),
        np.concatenate([column.sd for column in columns]),
    )
    runs = tuple(samples)
    if not best_first:
        return moments, runs
    order = np.argsort(-moments.mean, kind="stable")
    return moments.of(order), tuple(runs[place] for place in order)


def check_comparable(measure: str, runs: Sequence[str], topics: Sequence[int]) -> None:
    """Refuse a single run, and a run with a single topic."""
    if len(runs) < 2:
        raise DataError(
            "",
            f"there is nothing to compare {quoted(runs[0])} with by {visible(measure)}: it is the "
            "only run",
            "give the files of two runs or more",
        )
    for run, number in zip(runs, topics, strict=True):
        if number < 2:
            raise DataError(
                "",
                f"one topic is not enough to compare {quoted(run)} by {visible(measure)}: two are "
                "the least",
            )


def pairs_of(measure: str, runs: Sequence[str], baselines: Baselines) -> Pairs:
    """Return which runs to compare."""
    if not baselines:
        return Pairs.all(len(runs))
    for baseline in baselines:
        if baseline not in runs:
            raise DataError("", f"the baseline {quoted(baseline)} has no {visible(measure)}")
    return Pairs.against([runs.index(baseline) for baseline in baselines], len(runs))


def check_topics_are_shared(matrix: Matrix, pairs: Pairs) -> None:
    """Refuse pairs whose differences would be those to zeros of topics that one run lacks."""
    if not matrix.filled.any():
        return
    has = (~matrix.filled).astype(float)
    shared = (has.T @ has)[pairs.run, pairs.baseline]
    for pair in np.flatnonzero(shared < 2)[:1]:
        run, baseline = matrix.runs[pairs.run[pair]], matrix.runs[pairs.baseline[pair]]
        raise DataError(
            "",
            f"{quoted(run)} and {quoted(baseline)} have {'one' if shared[pair] else 'no'} topic in "
            f"common by {visible(matrix.measure)}",
            "a paired comparison needs two; --unpaired compares runs on topics of their own",
        )
