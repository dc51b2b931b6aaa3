"""What would runs score if all topics counted alike?

Scores are standardised by factors, which are made of the scores of reference runs or read from a
file; what lacks factors, or has none to be made of, is told or refused.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from confint_cli.common.arrays import FloatArray, any_along
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.measures import canonical, is_share
from confint_cli.common.table import Column, Table
from confint_cli.common.text import count, listed, natural_key, quoted, visible
from confint_cli.inputs.factors import Factors
from confint_cli.scores.scores import LARGEST, Matrix, Scores
from confint_cli.stats.standardize import (
    drawn_references,
    have_all_measures,
    have_lost_all,
    means_and_sds_in_any_order,
    z_scores,
)
from confint_cli.studies.score import score

_LISTED = 5
_FEW_RUNS = 10  # fewer make outliers: see docs/reproduction.md


def standardize(
    scores: Scores,
    by: Sequence[Factors],
    transform: str,
    sort: str = "mean",
    *,
    drop: bool = False,
) -> tuple[Table, list[Notice]]:
    """Return one row for each run, topic and measure that has a standardised score.

    Topics that there are no factors for are an error, or are dropped.
    """
    result, notices = standardized(scores, by, transform, drop=drop)
    about = {
        "topics": str(len(result.topics)),
        "runs": str(len(result.runs)),
        "measures": ",".join(result.measures),
        "scale": ",".join(result.scales.values()),
    }
    return replace(score(result.sorted_runs(sort)), signature=about), notices


def factors_table(factors: Sequence[Factors]) -> Table:
    """Return what it takes to standardise other runs alike: a row for each measure and topic."""
    rows = [
        (one.measure, topic, mean, sd, one.runs)
        for one in factors
        for topic, mean, sd in zip(one.topics, one.mean.tolist(), one.sd.tolist(), strict=True)
    ]
    names = ("measure", "topic", "mean", "sd", "runs")
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return Table(
        title="",
        columns=[Column(name, values, exact=name in ("mean", "sd")) for name, values in columns],
        signature={
            "measures": ",".join(one.measure for one in factors),
            "scale": ",".join(one.scale for one in factors),
        },
    )


def factors_of(runs: Sequence[str], scores: Scores) -> tuple[list[Factors], list[Notice]]:
    """Return the factors by each measure, made from the scores of some of the runs.

    A measure that fewer than two of them have is left out, unless there is no other.
    """
    wanted = set(runs)
    found, problems = [], []
    for measure in scores.measures:
        matrix = scores.matrix(measure)
        here = [place for place, run in enumerate(matrix.runs) if run in wanted]
        if len(here) > 1:
            found.append(_factors_of(matrix, here))
            continue
        only = f"{quoted(matrix.runs[here[0]])} is the only one" if here else "there is none"
        problems.append(
            f"{visible(measure)} is standardised by the spread of two runs or more, and {only}"
        )
    if not found:
        raise CallError(
            problems[0],
            "give more of them, or take factors that other runs gave: 'confint standardize --help'",
        )
    return found, [warning(f"{problem}: left out") for problem in problems]


def _factors_of(matrix: Matrix, runs: Sequence[int]) -> Factors:
    mean, sd = means_and_sds_in_any_order(matrix.values[:, runs])
    return Factors(matrix.measure, matrix.topics, mean, sd, len(runs))


def draw_runs(scores: Scores, number: int, seed: int) -> tuple[str, ...]:
    """Return so many runs at random, of those that have all measures, whatever their order."""
    complete = have_all_measures(scores.values)
    names = [run for run, has_all in zip(scores.runs, complete, strict=True) if has_all]
    if number > len(names):
        which = "" if len(names) == len(scores.runs) else " that have all measures"
        raise CallError(
            f"{number} runs cannot be drawn to standardise by: there are {len(names)}{which}"
        )
    names.sort(key=natural_key)
    return tuple(names[place] for place in drawn_references(len(names), number, seed))


def few_runs(by: Sequence[Factors], scores: Scores, names: Sequence[str]) -> list[Notice]:
    """Warn if runs are standardised by few others, or two by each other."""
    number = min(own.runs for own in _matched(scores, by).values())
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
    scores: Scores, by: Sequence[Factors], transform: str = "z", *, drop: bool = False
) -> tuple[Scores, list[Notice]]:
    """Return the standardised scores, and say which topics they leave out.

    `transform` is `z`, or `cdf` for Φ(z), which is between 0 and 1. Topics without factors are an
    error, or are dropped.
    """
    matched = _matched(scores, by)
    values = np.full((*scores.values.shape[:2], len(matched)), np.nan)
    notices = []
    for place, (measure, own) in enumerate(matched.items()):
        raw = scores.values[:, :, scores.measures.index(measure)]
        rows = np.flatnonzero(any_along(~np.isnan(raw), 1))
        topics = [scores.topics[row] for row in rows]
        known, about_topics = _known(topics, own, drop=drop)
        rows, topics = rows[known], [topics[place] for place in known]
        z, alike = _standardized(raw[rows], topics, own)
        values[rows, :, place] = ndtr(z) if transform == "cdf" else z
        notices += _standardised_before(measure, raw, scores) + about_topics
        notices += _left_out(alike, measure, len(topics)) + _not_used(own, topics)
        _check_something_is_left(measure, raw, values[:, :, place], scores.runs)
    there = any_along(any_along(~np.isnan(values), 2), 1)
    columns = [scores.measures.index(measure) for measure in matched]
    end = "" if transform == "z" else f"-{transform}"
    result = replace(
        scores,
        topics=tuple(topic for topic, here in zip(scores.topics, there, strict=True) if here),
        measures=tuple(matched),
        values=values[there],
        filled=scores.filled[there][:, :, columns],
        scales={measure: own.scale + end for measure, own in matched.items()},
    )
    return result, notices


def _matched(scores: Scores, by: Sequence[Factors]) -> dict[str, Factors]:
    """Return the factors of each measure, in whichever spelling.

    Those in a file have to be for all measures; others are for those that they could be made for.
    """
    known = {canonical(visible(one.measure)): one for one in by}
    found = {
        measure: known[canonical(visible(measure))]
        for measure in scores.measures
        if canonical(visible(measure)) in known
    }
    lacking = [measure for measure in scores.measures if measure not in found]
    if lacking and by[0].source:
        names = ", ".join(visible(one.measure) for one in by)
        raise DataError(
            by[0].source,
            f"has no factors for {visible(lacking[0])}",
            f"it has: {names}; choose with -m; a file that does not name its measure takes "
            "--measure-name",
        )
    return found


def _known(
    topics: Sequence[str], factors: Factors, *, drop: bool
) -> tuple[list[int], list[Notice]]:
    """Return the places of topics that there are factors for; others are dropped, or an error."""
    there = set(map(visible, factors.topics))
    known = [place for place, topic in enumerate(topics) if visible(topic) in there]
    if len(known) == len(topics):
        return known, []
    measure = visible(factors.measure)
    lacking = [topic for topic in topics if visible(topic) not in there]
    if not known:
        raise DataError(
            factors.source,
            f"has no factors for any of the {count(len(topics), 'topic')} by {measure}",
            f"it has topics such as {quoted(factors.topics[0])}, the scores {quoted(topics[0])}; "
            "ids are compared as they are written, and 01 is not 1",
        )
    problem = (
        f"has no factors for {count(len(lacking), 'topic')} of {len(topics)} by {measure}: "
        f"{listed(lacking, _LISTED)}"
    )
    if not drop:
        raise DataError(
            factors.source,
            problem,
            "factors are of the topics that the reference runs were scored on; --missing drop "
            "leaves other topics out",
        )
    return known, [warning(f"{visible(factors.source)} {problem}; dropped for all runs")]


def _standardized(
    values: FloatArray, topics: Sequence[str], factors: Factors
) -> tuple[FloatArray, list[str]]:
    """Return z of values[topic, run], and the topics that have none, because all runs are alike."""
    place_of = {visible(topic): place for place, topic in enumerate(factors.topics)}
    places = [place_of[visible(topic)] for topic in topics]
    sd = factors.sd[places]
    z = z_scores(values, factors.mean[places], sd)
    if (np.abs(z) > LARGEST).any():
        problem = f"standardised {visible(factors.measure)} is too large to compute with"
        raise DataError(factors.source, problem)
    alike = [topic for topic, own in zip(topics, sd, strict=True) if own == 0]
    return z, alike


def _standardised_before(measure: str, values: FloatArray, scores: Scores) -> list[Notice]:
    """Warn of scores that are standardised, or that a measure can have only then."""
    if measure in scores.scales:
        return [warning(f"{visible(measure)} is standardised already, and now once more")]
    if not is_share(measure) or not ((values < 0) | (values > 1)).any():
        return []
    return [
        warning(f"{visible(measure)} goes beyond 0 to 1: are these scores standardised already?")
    ]


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
    """Warn of topics that saved factors are for and the scores lack: did runs fail on them?"""
    there = set(map(visible, topics))
    missing = [topic for topic in factors.topics if visible(topic) not in there]
    if not factors.source or not missing:
        return []
    return [
        warning(
            f"{visible(factors.source)} has factors for {len(factors.topics)} topics by "
            f"{visible(factors.measure)}, of which the scores lack {len(missing)}: "
            f"{listed(missing, _LISTED)}; they do not count"
        )
    ]


def _check_something_is_left(
    measure: str, raw: FloatArray, z: FloatArray, runs: Sequence[str]
) -> None:
    """Refuse a run with scores none of which can be standardised."""
    for run in np.flatnonzero(have_lost_all(raw, z))[:1]:
        raise DataError(
            "",
            f"by {visible(measure)} {quoted(runs[run])} has no topic on which the runs to "
            "standardise by differ",
        )
