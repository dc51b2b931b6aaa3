"""Scores of a topic as so many standard deviations above the mean of reference runs.

So all topics count alike, and scores are less skewed; and whoever has the reference runs' means and
standard deviations can put other runs on the same scale (Webber, Moffat and Zobel 2008; Park 2010).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from confint_cli.arrays import FloatArray, any_along
from confint_cli.errors import CallError, DataError, Notice, note, warning
from confint_cli.inputs import Factors
from confint_cli.measures import canonical, is_share
from confint_cli.methods._sample import equal_but_for_rounding
from confint_cli.resampling import choose, derived, generator
from confint_cli.scores import LARGEST, Matrix, Scores
from confint_cli.text import count, listed, natural_key, quoted, visible

_LISTED = 5
_FEW_RUNS = 10  # fewer make outliers: see docs/reproduction.md


def means_and_sds(reference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the sd (with n-1) of each topic over reference[..., run, topic].

    The sd is 0 where the runs do not differ: such a topic has no standardised score.
    """
    lowest, highest = reference.min(axis=-2), reference.max(axis=-2)
    spread = highest - lowest
    alike = equal_but_for_rounding(lowest, highest)
    unit = np.where(alike, 1.0, spread)  # squares of tiny scores would be 0
    mean = reference.mean(axis=-2)
    shares = reference - mean[..., None, :]
    shares /= unit[..., None, :]
    shares *= shares
    sd = unit * np.sqrt(shares.sum(axis=-2) / (reference.shape[-2] - 1))
    return mean, np.where(alike, 0.0, sd)


def factors_of(runs: Sequence[str], scores: Scores) -> list[Factors]:
    """Return the factors by each measure, made from the scores of some of the runs."""
    return [_factors_of(scores.matrix(measure), runs) for measure in scores.measures]


def _factors_of(matrix: Matrix, runs: Sequence[str]) -> Factors:
    wanted = set(runs)
    here = [place for place, run in enumerate(matrix.runs) if run in wanted]
    if len(here) < 2:
        only = f"{quoted(matrix.runs[here[0]])} is the only one" if here else "there is none"
        raise CallError(
            f"{visible(matrix.measure)} is standardised by the spread of two runs or more, and "
            f"{only}",
            "name more of them, or take factors that other runs gave: 'confint standardize --help'",
        )
    in_order = np.sort(matrix.values[:, here], axis=1)  # that of runs would show in the last bits
    mean, sd = means_and_sds(in_order.T)
    return Factors(matrix.measure, matrix.topics, mean, sd, len(here))


def draw_runs(scores: Scores, number: int, seed: int) -> tuple[str, ...]:
    """Return so many runs at random, of those that have all measures, whatever their order."""
    lacks_some = any_along(~any_along(~np.isnan(scores.values), 0), 1)
    names = [run for run, lacks in zip(scores.runs, lacks_some, strict=True) if not lacks]
    if number > len(names):
        which = "" if len(names) == len(scores.runs) else " that have all measures"
        raise CallError(
            f"{number} runs cannot be drawn to standardise by: there are {len(names)}{which}"
        )
    names.sort(key=natural_key)
    (chosen,) = choose(generator(derived(seed, "reference")), 1, len(names), number)
    return tuple(names[place] for place in chosen)


def few_runs(by: Sequence[Factors], scores: Scores, names: Sequence[str]) -> list[Notice]:
    """Warn if runs are standardised by few others, or two by each other."""
    number = min(_factors_for(measure, by).runs for measure in scores.measures)
    if not by[0].source and set(names or scores.runs) >= set(scores.runs):
        said = "of two runs that are standardised by each other, scores only say which is better"
        return [warning(said)] if number == 2 else []
    if number >= _FEW_RUNS:
        return []
    return [
        warning(
            f"{number} runs are few to standardise by: where they hardly differ on a topic, scores "
            "of others become outliers; 20 or more are better"
        )
    ]


def standardized(
    scores: Scores, by: Sequence[Factors], transform: str = "z"
) -> tuple[Scores, list[Notice]]:
    """Return the standardised scores, and say which topics they leave out.

    `transform` is `z`, or `cdf` for Φ(z), which is between 0 and 1.
    """
    values = np.full(scores.values.shape, np.nan)
    notices = []
    for place, measure in enumerate(scores.measures):
        raw = scores.values[:, :, place]
        rows = np.flatnonzero(any_along(~np.isnan(raw), 1))
        topics = [scores.topics[row] for row in rows]
        own = _factors_for(measure, by)
        z, alike = _standardized(raw[rows], topics, own)
        values[rows, :, place] = ndtr(z) if transform == "cdf" else z
        notices += _beyond(measure, raw) + _left_out(alike, measure, len(topics))
        notices += _not_used(own, topics)
    there = any_along(any_along(~np.isnan(values), 2), 1)
    result = replace(
        scores,
        topics=tuple(topic for topic, here in zip(scores.topics, there, strict=True) if here),
        values=values[there],
        filled=scores.filled[there],
        standardized=True,
    )
    return result, notices


def _factors_for(measure: str, by: Sequence[Factors]) -> Factors:
    """Return the factors of a measure, in whichever spelling."""
    for one in by:
        if canonical(visible(one.measure)) == canonical(visible(measure)):
            return one
    names = ", ".join(visible(one.measure) for one in by)
    raise DataError(
        by[0].source, f"has no factors for {visible(measure)}", f"it has: {names}; choose with -m"
    )


def _standardized(
    values: FloatArray, topics: Sequence[str], factors: Factors
) -> tuple[FloatArray, list[str]]:
    """Return z of values[topic, run], and the topics that have none, because all runs are alike."""
    places = _places_of(topics, factors)
    mean, sd = factors.mean[places, None], factors.sd[places, None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = np.where(sd > 0, (values - mean) / sd, np.nan)
    if (np.abs(z) > LARGEST).any():
        problem = f"standardised {visible(factors.measure)} is too large to compute with"
        raise DataError(factors.source, problem)
    alike = [topic for topic, own in zip(topics, sd[:, 0], strict=True) if own == 0]
    return z, alike


def _beyond(measure: str, values: FloatArray) -> list[Notice]:
    """Warn of scores that a measure cannot have, but standardised ones do."""
    if not is_share(measure) or not ((values < 0) | (values > 1)).any():
        return []
    return [
        warning(f"{visible(measure)} goes beyond 0 to 1: are these scores standardised already?")
    ]


def _places_of(topics: Sequence[str], factors: Factors) -> list[int]:
    """Return where the factors of some topics are."""
    known = {visible(topic): place for place, topic in enumerate(factors.topics)}
    lacking = [topic for topic in topics if visible(topic) not in known]
    if lacking:
        raise DataError(
            factors.source,
            f"has no factors for {count(len(lacking), 'topic')} of {len(topics)} by "
            f"{visible(factors.measure)}: {listed(lacking, _LISTED)}",
            "factors are of the topics that the reference runs were scored on; --topics FILE "
            "chooses those that both have",
        )
    return [known[visible(topic)] for topic in topics]


def _left_out(topics: Sequence[str], measure: str, total: int) -> list[Notice]:
    """Say on which topics there is no standardised score."""
    if not topics:
        return []
    if len(topics) == total:
        raise DataError("", f"by {visible(measure)} the runs to standardise by differ on no topic")
    return [
        note(
            f"by {visible(measure)} the runs to standardise by score alike on "
            f"{count(len(topics), 'topic')} of {total}, left out: {listed(topics, _LISTED)}"
        )
    ]


def _not_used(factors: Factors, topics: Sequence[str]) -> list[Notice]:
    """Say which topics saved factors are for that the scores have not, or no more."""
    there = set(map(visible, topics))
    missing = [topic for topic in factors.topics if visible(topic) not in there]
    if not factors.source or not missing:
        return []
    return [
        note(
            f"{count(len(missing), 'topic')} of {len(factors.topics)} in "
            f"{visible(factors.source)} by {visible(factors.measure)} are not among the scores: "
            f"{listed(missing, _LISTED)}"
        )
    ]
