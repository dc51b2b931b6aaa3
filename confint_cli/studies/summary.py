"""How sure are published means, and how do they compare? From mean, sd and n alone."""

from collections.abc import Iterator, Sequence

import numpy as np

from confint_cli.common.errors import DataError, Notice, unknown_name
from confint_cli.common.measures import canonical
from confint_cli.common.table import Table
from confint_cli.common.text import natural_key, quoted, visible
from confint_cli.inputs.published import Published
from confint_cli.scores.checks import mixed_scales
from confint_cli.scores.scores import LARGEST, best_first
from confint_cli.stats.comparison import Moments, Testing
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import doubts_about_columns
from confint_cli.stats.methods.t import of_moments
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.compare import compare_moments
from confint_cli.studies.doubts import note_of
from confint_cli.studies.interval import MeanRow, table_of
from confint_cli.studies.pairing import Group

_MOST_TOPICS = 10**12
_ROUNDING = 1e-3  # of published figures
_WHAT_NEXT = "--baseline RUN compares the others with one of them, by Welch's t test."


def summary(
    published: Sequence[Published],
    baselines: Sequence[str],
    how: Estimation,
    testing: Testing,
    *,
    sort: str = "mean",
) -> tuple[Table, list[Notice]]:
    """Return t intervals of the means; with baselines, unpaired comparisons with these."""
    everything = dict.fromkeys(one.run for one in published)
    for baseline in baselines:
        if baseline not in everything:
            raise unknown_name("run", baseline, everything)
    _check_sizes(published)
    by_measure: dict[str, list[Published]] = {}
    for one in published:
        by_measure.setdefault(canonical(one.measure), []).append(one)
    groups = [_sorted(group, sort) for group in by_measure.values()]
    notices = [notice for group in groups for notice in _check_scales(group)]
    if baselines:
        known = [Group(group[0].measure, tuple(one.run for one in group), _moments(group))
                 for group in groups]  # fmt: skip
        unique = tuple(dict.fromkeys(baselines))
        table, about_pairs = compare_moments(known, unique, how, testing)
        return table, notices + about_pairs
    rows = [row for group in groups for row in _rows(group, how.levels)]
    return table_of(rows, {}, _WHAT_NEXT), notices + unusual_levels(how.levels)


def _check_scales(group: Sequence[Published]) -> list[Notice]:
    """Warn of means of standardised scores among others."""
    moments = _moments(group)
    mean, topics = moments.mean, moments.topics
    # Scores from 0 to 1 have the largest variance if all of them are 0 or 1.
    most = (mean * (1 - mean)).clip(0) * topics / (topics - 1)
    beyond = (mean < 0) | (mean > 1) | (moments.sd**2 > most + _ROUNDING)
    runs, scales = [one.run for one in group], [one.scale for one in group]
    return mixed_scales(group[0].measure, runs, scales, beyond)


def _check_sizes(published: Sequence[Published]) -> None:
    for one in published:
        sizes = {"mean": (abs(one.mean), LARGEST), "sd": (one.sd, LARGEST)}
        for name, (value, most) in {**sizes, "n": (one.topics, _MOST_TOPICS)}.items():
            if value > most:
                raise DataError(
                    "",
                    f"the {name} of {quoted(one.run)} by {visible(one.measure)} is above "
                    f"{most:g}, too large to compute with",
                )


def _sorted(group: Sequence[Published], sort: str) -> list[Published]:
    if sort == "input":
        return list(group)
    by_name = sorted(group, key=lambda one: natural_key(one.run))
    if sort == "name":
        return by_name
    means = np.array([one.mean for one in by_name])
    return [by_name[place] for place in best_first(means, np.abs(means))]


def _moments(group: Sequence[Published]) -> Moments:
    return Moments(
        np.array([one.topics for one in group]),
        np.array([one.mean for one in group]),
        np.array([one.sd for one in group]),
    )


def _rows(group: Sequence[Published], levels: Sequence[float]) -> Iterator[MeanRow]:
    moments = _moments(group)
    se = moments.sd / np.sqrt(moments.topics)
    low, high = of_moments(moments.mean, se, moments.topics - 1, np.array(levels))
    doubts = doubts_about_columns(moments.topics, moments.sd > 0).tolist()
    for place, one in enumerate(group):
        for level, share in enumerate(levels):
            yield MeanRow(
                measure=group[0].measure,
                run=one.run,
                method="t",
                level=share,
                low=float(low[level, place]),
                high=float(high[level, place]),
                note=note_of(doubts[place]),
                doubts=doubts[place],
                error=0.0,
                topics=one.topics,
                mean=one.mean,
                sd=one.sd,
                se=float(se[place]),
            )
