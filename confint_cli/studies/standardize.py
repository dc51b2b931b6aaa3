"""What would runs score if all topics counted alike?

Scores are standardised by factors, which are made from the scores of reference runs or read from a
file. Topics and measures without factors are left out with a notice, or are an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from confint_cli.common.arrays import FloatArray, any_along
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.measures import canonical, is_share
from confint_cli.common.table import FULL_PRECISION, Decimals
from confint_cli.common.text import count, listed, natural_key, quoted, visible
from confint_cli.inputs.factors import Factors
from confint_cli.scores.scores import LARGEST_SCORE, Matrix, Scores
from confint_cli.stats.standardize import (
    drawn_references,
    have_all_measures,
    have_lost_all,
    means_and_sds_in_any_order,
    z_scores,
)
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.facts import Facts
from confint_cli.studies.score import ScoreRow, score

_LISTED = 5  # topics that a message names, at most
_FEW_RUNS = 10  # fewer reference runs make outliers: see docs/reproduction.md


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRow:
    """What scores on a topic by a measure are standardised by: mean and sd of reference runs."""

    measure: str
    topic: str
    mean: float
    sd: float
    runs: int


def standardize(
    scores: Scores,
    by: Sequence[Factors],
    transform: str,
    sort: str = "mean",
    *,
    drop: bool = False,
) -> Answer[ScoreRow]:
    """Return a record for each run, topic and measure with a standardised score.

    `transform` and `drop` are those of `standardized`, `sort` is the order of runs: `mean`, `name`
    or `input`.
    """
    result, notices = standardized(scores, by, transform, drop=drop)
    facts: Facts = {
        "topics": len(result.topics),
        "runs": len(result.runs),
        "measures": result.measures,
        "scale": tuple(result.scales.values()),
    }
    return replace(
        score(result.sorted_runs(sort)),
        facts=facts,
        notices=tuple(notices),
        decimals=Decimals(in_records=FULL_PRECISION),  # which are to be read by the next command
    )


def factors_answer(by_measure: Sequence[Factors]) -> Answer[FactorRow]:
    """Return a record for each measure and topic of some factors; its facts have the scales."""
    rows = [
        FactorRow(measure=factors.measure, topic=topic, mean=mean, sd=sd, runs=factors.runs)
        for factors in by_measure
        for topic, mean, sd in zip(
            factors.topics, factors.mean.tolist(), factors.sd.tolist(), strict=True
        )
    ]
    facts: Facts = {
        "measures": tuple(factors.measure for factors in by_measure),
        "scale": tuple(factors.scale for factors in by_measure),
    }
    return Answer(rows, fields("measure topic mean sd runs", exact="mean sd"), facts)


def factors_of(runs: Sequence[str], scores: Scores) -> tuple[list[Factors], list[Notice]]:
    """Return the factors by each measure, made from the scores of `runs`, and warnings.

    A measure that fewer than two of them have is left out. Raises an error if none is left.
    """
    names = set(runs)
    by_measure, problems = [], []
    for measure in scores.measures:
        matrix = scores.matrix(measure)
        columns = [place for place, run in enumerate(matrix.runs) if run in names]
        if len(columns) > 1:
            by_measure.append(_factors_of(matrix, columns))
            continue
        only = f"{quoted(matrix.runs[columns[0]])} is the only run" if columns else "there is none"
        problems.append(
            f"{visible(measure)} is standardised by the spread of two runs or more, but {only}"
        )
    if not by_measure:
        raise CallError(
            problems[0],
            "give more runs, or use factors from other runs: see 'confint standardize --help'",
        )
    return by_measure, [warning(f"{problem}; left out") for problem in problems]


def _factors_of(matrix: Matrix, columns: Sequence[int]) -> Factors:
    mean, sd = means_and_sds_in_any_order(matrix.values[:, columns])
    return Factors(matrix.measure, matrix.topics, mean, sd, len(columns))


def draw_runs(scores: Scores, number: int, seed: int) -> tuple[str, ...]:
    """Return the names of `number` runs that are drawn at random from those with all measures.

    The order of the runs in `scores` makes no difference. Raises an error if there are too few.
    """
    complete = have_all_measures(scores.values)
    names = [run for run, has_all in zip(scores.runs, complete, strict=True) if has_all]
    if number > len(names):
        are, have = ("are", "have") if len(names) > 1 else ("is", "has")
        there = f"{are} only {len(names)}" if names else "is none"
        which = "" if len(names) == len(scores.runs) else f" that {have} all measures"
        raise CallError(f"{number} runs cannot be drawn to standardise by: there {there}{which}")
    names.sort(key=natural_key)
    return tuple(names[place] for place in drawn_references(len(names), number, seed))


def few_runs(by: Sequence[Factors], scores: Scores, names: Sequence[str]) -> list[Notice]:
    """Warn if runs are standardised by few others, or two by each other.

    `names` are the runs that factors are made from; empty: all runs.
    """
    number = min(factors.runs for factors in _matched(scores, by).values())
    if not by[0].source and set(names or scores.runs) >= set(scores.runs):
        text = "with two runs standardised by each other, scores only say which is better"
        return [warning(text)] if number == 2 else []
    if number >= _FEW_RUNS:
        return []
    return [
        warning(
            f"{number} runs are few to standardise by: where they hardly differ on a topic, scores "
            "of other runs become outliers; 20 or more are better"
        )
    ]


def standardized(
    scores: Scores, by: Sequence[Factors], transform: str = "z", *, drop: bool = False
) -> tuple[Scores, list[Notice]]:
    """Return the standardised scores, and notices of the topics that they leave out.

    `by` has the factors of each measure; measures without any are left out. `transform` is `z`, or
    `cdf` for Φ(z), which is between 0 and 1. With `drop`, topics without factors are left out;
    otherwise, they are an error.
    """
    matched = _matched(scores, by)
    values = np.full((*scores.values.shape[:2], len(matched)), np.nan)
    notices = []
    for column, (measure, factors) in enumerate(matched.items()):
        raw = scores.values[:, :, scores.measures.index(measure)]
        rows = np.flatnonzero(any_along(~np.isnan(raw), 1))
        topics = [scores.topics[row] for row in rows]
        known, about_topics = _known(topics, factors, drop=drop)
        rows, topics = rows[known], [topics[place] for place in known]
        z, alike = _standardized(raw[rows], topics, factors)
        values[rows, :, column] = ndtr(z) if transform == "cdf" else z
        notices += _standardised_before(measure, raw, scores) + about_topics
        notices += _left_out(alike, measure, len(topics)) + _not_used(factors, topics)
        _check_something_is_left(measure, raw, values[:, :, column], scores.runs)
    is_left = any_along(any_along(~np.isnan(values), 2), 1)
    columns = [scores.measures.index(measure) for measure in matched]
    suffix = "" if transform == "z" else f"-{transform}"
    result = replace(
        scores,
        topics=tuple(topic for topic, left in zip(scores.topics, is_left, strict=True) if left),
        measures=tuple(matched),
        values=values[is_left],
        filled=scores.filled[is_left][:, :, columns],
        scales={measure: factors.scale + suffix for measure, factors in matched.items()},
    )
    return result, notices


def _matched(scores: Scores, by: Sequence[Factors]) -> dict[str, Factors]:
    """Return the factors of each measure of the scores that has any, whatever its spelling.

    Raises an error if a file lacks factors for a measure; others were made for what they could be.
    """
    by_name = {canonical(visible(factors.measure)): factors for factors in by}
    matched = {
        measure: by_name[canonical(visible(measure))]
        for measure in scores.measures
        if canonical(visible(measure)) in by_name
    }
    lacking = [measure for measure in scores.measures if measure not in matched]
    if lacking and by[0].source:
        names = ", ".join(visible(factors.measure) for factors in by)
        raise DataError(
            by[0].source,
            f"has no factors for {visible(lacking[0])}",
            f"it has: {names}; choose with -m; for a file that does not name its measure, use "
            "--measure-name",
        )
    return matched


def _known(
    topics: Sequence[str], factors: Factors, *, drop: bool
) -> tuple[list[int], list[Notice]]:
    """Return the places of those topics that have factors, and a warning of others.

    Raises an error if no topic has factors or, without `drop`, if any has none.
    """
    with_factors = set(map(visible, factors.topics))
    known = [place for place, topic in enumerate(topics) if visible(topic) in with_factors]
    if len(known) == len(topics):
        return known, []
    measure = visible(factors.measure)
    lacking = [topic for topic in topics if visible(topic) not in with_factors]
    if not known:
        raise DataError(
            factors.source,
            f"has no {measure} factors for any of the {count(len(topics), 'topic')}",
            f"it has topics such as {quoted(factors.topics[0])}, the scores {quoted(topics[0])}; "
            "ids are compared as written, so 01 is not 1",
        )
    problem = (
        f"has no {measure} factors for {len(lacking)} of {count(len(topics), 'topic')}: "
        f"{listed(lacking, _LISTED)}"
    )
    if not drop:
        raise DataError(
            factors.source,
            problem,
            "factors are for the topics that the reference runs were scored on; --missing drop "
            "leaves out other topics",
        )
    return known, [warning(f"{visible(factors.source)} {problem}; dropped for all runs")]


def _standardized(
    values: FloatArray, topics: Sequence[str], factors: Factors
) -> tuple[FloatArray, list[str]]:
    """Return z of values[topic, run], and the topics without any, on which the sd is 0.

    Raises an error for z that are too large to compute with.
    """
    place_of = {visible(topic): place for place, topic in enumerate(factors.topics)}
    places = [place_of[visible(topic)] for topic in topics]
    sd = factors.sd[places]
    z = z_scores(values, factors.mean[places], sd)
    if (np.abs(z) > LARGEST_SCORE).any():
        problem = f"standardised {visible(factors.measure)} is too large to compute with"
        raise DataError(factors.source, problem)
    alike = [topic for topic, spread in zip(topics, sd, strict=True) if spread == 0]
    return z, alike


def _standardised_before(measure: str, values: FloatArray, scores: Scores) -> list[Notice]:
    """Warn of scores by one measure that are standardised already, or that look so."""
    if measure in scores.scales:
        text = f"{visible(measure)} is already standardised, and is now standardised once more"
        return [warning(text)]
    if not is_share(measure) or not ((values < 0) | (values > 1)).any():
        return []
    return [
        warning(f"{visible(measure)} goes beyond 0 to 1: are these scores already standardised?")
    ]


def _left_out(topics: Sequence[str], measure: str, total: int) -> list[Notice]:
    """Return notices on which of `total` topics are left out; raise an error if all of them are."""
    if not topics:
        return []
    if len(topics) == total:
        raise DataError("", f"on {visible(measure)}, the runs to standardise by differ on no topic")
    return [
        note(
            f"on {visible(measure)}, the runs to standardise by score alike on "
            f"{len(topics)} of {count(total, 'topic')}, left out: {listed(topics, _LISTED)}"
        )
    ]


def _not_used(factors: Factors, topics: Sequence[str]) -> list[Notice]:
    """Warn of topics that saved factors are for and the scores lack: did runs fail on them?"""
    with_scores = set(map(visible, topics))
    missing = [topic for topic in factors.topics if visible(topic) not in with_scores]
    if not factors.source or not missing:
        return []
    return [
        warning(
            f"{visible(factors.source)} has {visible(factors.measure)} factors for "
            f"{len(factors.topics)} topics, of which the scores lack {len(missing)}: "
            f"{listed(missing, _LISTED)}; these do not count"
        )
    ]


def _check_something_is_left(
    measure: str, raw: FloatArray, z: FloatArray, runs: Sequence[str]
) -> None:
    """Refuse a run with scores none of which can be standardised."""
    for run in np.flatnonzero(have_lost_all(raw, z))[:1]:
        raise DataError(
            "",
            f"on {visible(measure)}, {quoted(runs[run])} has no topic on which the runs to "
            "standardise by differ",
        )
