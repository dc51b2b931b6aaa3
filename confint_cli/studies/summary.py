"""How sure are published means, and how do they compare? From mean, sd and n alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from confint_cli.common.errors import DataError, Notice
from confint_cli.common.guesses import unknown_name
from confint_cli.common.measures import canonical
from confint_cli.common.text import natural_key, quoted, visible
from confint_cli.inputs.published import Published
from confint_cli.scores.checks import mixed_scales
from confint_cli.scores.scores import LARGEST_SCORE, order_by_mean
from confint_cli.stats.comparison import Moments, Testing
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import doubts_about_columns
from confint_cli.stats.methods.t import of_moments
from confint_cli.stats.names import WELCH
from confint_cli.studies.answer import Answer
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.compare import compare_moments
from confint_cli.studies.facts import Facts, facts_of_computing
from confint_cli.studies.interval import FIELDS
from confint_cli.studies.interval_view import view
from confint_cli.studies.pairing import RunMoments
from confint_cli.studies.rows import CompareRow, IntervalRow

_MOST_TOPICS = 10**12  # to compute with
_ROUNDING = 1e-3  # by which a variance may be too large, as published numbers are rounded
_WHAT_NEXT = "--baseline RUN compares the other runs with RUN, by Welch's t test."


def summary(
    published: Sequence[Published],
    baselines: Sequence[str],
    estimation: Estimation,
    testing: Testing,
    *,
    sort: str = "mean",
) -> Answer[IntervalRow] | Answer[CompareRow]:
    """Return a record for the t interval of each mean at each level.

    If there are `baselines`, other runs are compared with these instead, unpaired. `sort` is the
    order of runs by each measure: `mean`, `name` or `input`. Raises an error for a baseline that
    is no run, and for numbers that are too large.
    """
    runs = dict.fromkeys(result.run for result in published)
    for baseline in baselines:
        if baseline not in runs:
            raise unknown_name("run", baseline, runs)
    _check_sizes(published)
    by_measure: dict[str, list[Published]] = {}
    for result in published:
        by_measure.setdefault(canonical(result.measure), []).append(result)
    by_measure = {measure: _sorted(results, sort) for measure, results in by_measure.items()}
    notices = [notice for results in by_measure.values() for notice in _check_scales(results)]
    facts: Facts = {
        "runs": len(runs),
        "measures": tuple(dict.fromkeys(result.measure for result in published)),
        "methods": (WELCH if baselines else "t",),
        "levels": estimation.levels,
        **facts_of_computing(),
    }
    if baselines:
        groups = [
            RunMoments(
                results[0].measure, tuple(result.run for result in results), _moments(results)
            )
            for results in by_measure.values()
        ]
        distinct_baselines = tuple(dict.fromkeys(baselines))
        answer = compare_moments(groups, distinct_baselines, estimation, testing, facts)
        return replace(answer, notices=(*notices, *answer.notices))
    rows = [row for results in by_measure.values() for row in _rows(results, estimation.levels)]
    notices += unusual_levels(estimation.levels)
    return Answer(rows, FIELDS, facts, tuple(notices), partial(view, what_next=_WHAT_NEXT))


def _check_scales(results: Sequence[Published]) -> list[Notice]:
    """Warn if some results by a measure are of standardised scores and others are not."""
    moments = _moments(results)
    mean, topics = moments.mean, moments.topics
    # Scores from 0 to 1 have the largest variance if all of them are 0 or 1.
    largest_variance = (mean * (1 - mean)).clip(0) * topics / (topics - 1)
    beyond = (mean < 0) | (mean > 1) | (moments.sd**2 > largest_variance + _ROUNDING)
    runs, scales = [result.run for result in results], [result.scale for result in results]
    return mixed_scales(results[0].measure, runs, scales, beyond)


def _check_sizes(published: Sequence[Published]) -> None:
    """Refuse numbers that are too large to compute with."""
    for result in published:
        sizes = {
            "mean": (abs(result.mean), LARGEST_SCORE),
            "sd": (result.sd, LARGEST_SCORE),
            "n": (result.topics, _MOST_TOPICS),
        }
        for name, (value, most) in sizes.items():
            if value > most:
                raise DataError(
                    "",
                    f"the {name} of {quoted(result.run)} on {visible(result.measure)} is above "
                    f"{most:g}, too large to compute with",
                )


def _sorted(results: Sequence[Published], sort: str) -> list[Published]:
    """Return the results by one measure in the order that `sort` names; the best mean first."""
    if sort == "input":
        return list(results)
    by_name = sorted(results, key=lambda result: natural_key(result.run))
    if sort == "name":
        return by_name
    means = np.array([result.mean for result in by_name])
    return [by_name[place] for place in order_by_mean(means, np.abs(means))]


def _moments(results: Sequence[Published]) -> Moments:
    return Moments(
        np.array([result.topics for result in results]),
        np.array([result.mean for result in results]),
        np.array([result.sd for result in results]),
    )


def _rows(results: Sequence[Published], levels: Sequence[float]) -> Iterator[IntervalRow]:
    """Yield the t interval of each result by one measure at each level."""
    moments = _moments(results)
    se = moments.sd / np.sqrt(moments.topics)
    low, high = of_moments(moments.mean, se, moments.topics - 1, np.array(levels))
    doubts = doubts_about_columns(moments.topics, moments.sd > 0).tolist()
    for column, result in enumerate(results):
        for place, level in enumerate(levels):
            yield IntervalRow(
                measure=results[0].measure,
                run=result.run,
                method="t",
                level=level,
                low=float(low[place, column]),
                high=float(high[place, column]),
                doubts=doubts[column],
                error=0.0,
                topics=result.topics,
                mean=result.mean,
                sd=result.sd,
                se=float(se[column]),
            )
