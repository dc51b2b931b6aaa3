"""Are files what they seem? Their own means, the scale of their scores and their topics show it."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from confint_cli.common.arrays import BoolArray, any_along
from confint_cli.common.errors import DataError, Notice, warning
from confint_cli.common.measures import is_share
from confint_cli.common.text import count, have, listed, natural_key, quoted, rounding_of, visible
from confint_cli.inputs.reading import Reading, Series
from confint_cli.inputs.source import name_of
from confint_cli.scores.naming import NamedSeries
from confint_cli.scores.scores import Scores


def check_means(named: Sequence[NamedSeries], topics_in_all: int) -> list[Notice]:
    """Return a warning of each file whose summary row is not the mean of its topics.

    trec_eval 9 -c divides by the judged topics but prints only those retrieved; where that many
    topics are known from other files (`topics_in_all`), the mean over all of them is right too.
    """
    differing: dict[str, list[str]] = defaultdict(list)
    for each in named:
        series = each.series
        if series.summary is None:
            continue
        summary = float(series.summary)
        tolerance = 1e-9 * max(1.0, abs(summary))
        if series.rounding:
            tolerance += 1.0001 * (series.rounding + rounding_of(series.summary))
        topics = len(series.topics)
        with np.errstate(over="ignore"):  # infinite where scores are beyond all measure
            total = float(series.values.sum())
        if any(abs(total / n - summary) <= tolerance for n in {topics, max(topics_in_all, topics)}):
            continue
        text = (
            f"{visible(name_of(each.path))}: the mean of {quoted(series.measure)}{_of_run(series)} "
            f"over its {count(topics, 'topic')} is "
            f"{total / topics:.4f}, but its own summary row says {series.summary}"
        )
        differing[each.path].append(text + _as_if_over(total, topics, summary))
    return [warning(_first_and_more(texts)) for _, texts in sorted(differing.items())]


def _of_run(series: Series) -> str:
    return "" if series.run is None else f" of run {quoted(series.run)}"


def _as_if_over(total: float, topics: int, summary: float) -> str:
    """Return the end of a warning: over how many topics, if any, `summary` is the mean."""
    if summary <= 0 or not abs(total / summary) < 1e9:
        return ""
    implied = round(total / summary)
    if implied > topics and abs(total / implied - summary) < 0.0001:
        return f", the mean over {implied} topics (trec_eval -c, or a file cut short?)"
    return " (was the file cut short?)"


def _first_and_more(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{texts[0]}; the same holds for {count(len(texts) - 1, 'more measure')} of the file"


def check_presence(readings: Sequence[Reading]) -> list[Notice]:
    """Return a warning of files without the summary row that their format ends with."""
    without = sorted(name_of(reading.path) for reading in readings if reading.lacks_summary)
    if not without:
        return []
    return [
        warning(
            f"{have(len(without), 'file')} no summary row to check against "
            f"(written without one, or cut short?): {listed(without, 3)}"
        )
    ]


def mixed_scales(
    measure: str, runs: Sequence[str], scales: Sequence[str | None], beyond: BoolArray
) -> list[Notice]:
    """Return a warning if runs are not on one scale, so that their scores cannot be compared.

    `scales` are those of the runs' standardised scores (empty: not standardised; None: unknown).
    Runs go `beyond` (bool, [run]) if they have scores below 0 or above 1; where some do so by a
    measure from 0 to 1, and others do not, these are standardised.
    """
    by_scale: dict[str, list[str]] = {}
    for run, scale in zip(runs, scales, strict=True):
        if scale is not None:
            by_scale.setdefault(f"standardised ({scale})" if scale else "not", []).append(run)
    if len(by_scale) > 1:
        kinds = [
            f"{listed(sorted(names, key=natural_key), 3)} {'is' if len(names) == 1 else 'are'} "
            f"{scale}"
            for scale, names in sorted(by_scale.items(), reverse=True)
        ]
        return [
            warning(
                f"on {visible(measure)}, runs are on different scales and cannot be compared: "
                f"{'; '.join(kinds)}"
            )
        ]
    if not is_share(measure):
        return []
    names = [run for run, is_beyond in zip(runs, beyond.tolist(), strict=True) if is_beyond]
    if not 0 < len(names) < len(runs):
        return []
    return [
        warning(
            f"{visible(measure)} goes beyond 0 to 1 for {count(len(names), 'run')}, but not for "
            f"{len(runs) - len(names)}: standardised scores, percentages and ids cannot be "
            f"compared with other scores: {listed(sorted(names, key=natural_key), 3)}"
        )
    ]


def check_topics_are_shared(scores: Scores) -> list[Notice]:
    """Return a warning of each measure by which groups of runs share topics only among themselves.

    Raise DataError for a single run that has no topic in common with any other: it would be wrong
    to score it 0 on all of theirs. Ids that differ by leading zeros are the commonest reason.
    """
    notices = []
    for column, measure in enumerate(scores.measures):
        present = ~np.isnan(scores.values[:, :, column])
        groups = groups_that_share_topics(present)
        if len(groups) < 2:
            continue
        first_topics = [scores.topics[_first_topic(present, group)] for group in groups]
        alone = next((group for group in groups if len(group) == 1), None)
        if alone is not None:
            own = first_topics[groups.index(alone)]
            other = next(topic for topic in first_topics if topic != own)
            raise DataError(
                "",
                f"on {visible(measure)}, run {quoted(scores.runs[alone[0]])} shares no topic with "
                "the other runs",
                f"it has topics such as {quoted(own)}, the others {quoted(other)}; ids are "
                "compared as written, so 01 is not 1; --labels sets the collection of each file, "
                "and 'confint compare --unpaired' is for runs of different collections",
            )
        notices.append(
            warning(
                f"on {visible(measure)}, the runs fall into {len(groups)} groups that share no "
                f"topic, with topics such as {listed(first_topics, 3)}: give one group at a time, "
                "or name their collections with --labels"
            )
        )
    return notices


def groups_that_share_topics(present: BoolArray) -> list[list[int]]:
    """Return the runs of present[topic, run], as positions, in groups that share no topic.

    Runs that have a topic in common are in one group, and runs without topics in none. Groups are
    in the order of their first topics, whichever run comes first.
    """
    runs = np.flatnonzero(any_along(present, 0))
    if not runs.size:
        return []
    if (present.sum(axis=1) == runs.size).any():  # all runs have one topic, as nearly always
        return [runs.tolist()]
    from scipy.sparse import coo_array  # not before: takes longer than to read some files
    from scipy.sparse.csgraph import connected_components

    topics_present, runs_present = np.nonzero(present)
    first_run, nodes = len(present), sum(present.shape)  # topics are nodes too, before the runs
    # Older versions of scipy print an error, and go on, for positions of any other type.
    ends = (topics_present.astype(np.int32), (first_run + runs_present).astype(np.int32))
    links = coo_array((np.ones(runs_present.size, np.int8), ends), shape=(nodes, nodes))
    _, labels = connected_components(links, directed=False)
    label_of_run = labels[first_run + runs]
    groups: list[list[int]] = [
        runs[label_of_run == label].tolist() for label in np.unique(label_of_run)
    ]
    return sorted(groups, key=lambda group: _first_topic(present, group))


def say_how_many_topics(scores: Scores) -> list[Notice]:
    """Return warnings that say how many topics runs have, if these share some but not all."""
    notices = []
    for column, measure in enumerate(scores.measures):
        present = ~np.isnan(scores.values[:, :, column])
        for group in groups_that_share_topics(present):
            numbers = {scores.runs[run]: int(present[:, run].sum()) for run in group}
            if any_along(present[:, group], 1).sum() > min(numbers.values()):
                counts = [f"{run} has {number}" for run, number in numbers.items()]
                notices.append(
                    warning(
                        f"on {visible(measure)}, each run counts on the topics that it has: "
                        f"{listed(sorted(counts, key=natural_key), 10)}"
                    )
                )
    return notices


def _first_topic(present: BoolArray, group: Sequence[int]) -> int:
    """Return the first row of present[topic, run] that some run of the `group` has."""
    return int(np.flatnonzero(any_along(present[:, group], 1))[0])
