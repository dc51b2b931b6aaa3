"""Which runs have topics in common, and what to say where some have none."""

from collections.abc import Sequence

import numpy as np

from confint_cli.arrays import BoolArray, any_along
from confint_cli.errors import DataError, Notice, warning
from confint_cli.scores import Scores
from confint_cli.text import listed, natural_key, quoted, visible


def check_topics_are_shared(scores: Scores) -> list[Notice]:
    """Raise an error for a run that has no topic in common with any other.

    Zeros for everything it lacks would be a lie; ids that differ by leading zeros are the
    commonest reason. Several runs that share topics only among themselves get a warning.
    """
    notices = []
    for place, measure in enumerate(scores.measures):
        present = ~np.isnan(scores.values[:, :, place])
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
                f"run {quoted(scores.runs[alone[0]])} shares no topic with the other runs by "
                f"{visible(measure)}",
                f"it has topics such as {quoted(own)}, the others {quoted(other)}; ids are "
                "compared as they are written, and 01 is not 1; runs of different collections are "
                "for 'confint compare --unpaired'",
            )
        notices.append(
            warning(
                f"by {visible(measure)} the runs fall into {len(groups)} groups that share no "
                f"topic, such as {listed(first_topics, 3)}: look at one group at a time"
            )
        )
    return notices


def groups_that_share_topics(present: BoolArray) -> list[list[int]]:
    """Return the runs (columns) in groups: two that have a topic (row) in common are in one.

    Groups are in the order of their topics, whichever run comes first.
    """
    runs = np.flatnonzero(any_along(present, 0))
    here = present[:, runs]
    groups, known = np.arange(runs.size), None
    while known is None or (groups != known).any():  # each run gets the least of those it meets
        known = groups
        of_topics = np.where(here, groups, runs.size).min(axis=1, initial=runs.size)
        groups = np.where(here, of_topics[:, None], runs.size).min(axis=0)
    found: list[list[int]] = [runs[groups == group].tolist() for group in np.unique(groups)]
    return sorted(found, key=lambda group: _first_topic(present, group))


def say_how_many_topics(scores: Scores) -> list[Notice]:
    """Say how many topics runs have, where they have some in common but not all."""
    notices = []
    for place, measure in enumerate(scores.measures):
        present = ~np.isnan(scores.values[:, :, place])
        for group in groups_that_share_topics(present):
            numbers = {scores.runs[run]: int(present[:, run].sum()) for run in group}
            if any_along(present[:, group], 1).sum() > min(numbers.values()):
                said = [f"{run} has {number}" for run, number in numbers.items()]
                notices.append(
                    warning(
                        f"each run counts on the topics that it has by {visible(measure)}: "
                        f"{listed(sorted(said, key=natural_key), 10)}"
                    )
                )
    return notices


def _first_topic(present: BoolArray, group: Sequence[int]) -> int:
    """Return the place of the first topic (row) that some of these runs (columns) have."""
    return int(np.flatnonzero(any_along(present[:, group], 1))[0])
