"""A gate: does a comparison find what must not be, as that a model got worse?

It looks at every comparison by its first interval, at the first level. Of several collections, the
mean over all of them decides. Each interval is by itself, unless simultaneous ones are asked for.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.table import Cell, Probability
from confint_cli.common.text import count, listed, shortened, visible
from confint_cli.common.words import alpha_of, percent
from confint_cli.scores.labels import META
from confint_cli.scores.scores import Scores
from confint_cli.stats.equivalence import Verdict
from confint_cli.stats.names import BONFERRONI_T, MAX_T
from confint_cli.stats.significance.t import two_sided
from confint_cli.studies.answer import Answer, Gate
from confint_cli.studies.asked import INFERIOR, NOT_BETTER, WORSE
from confint_cli.studies.facts import Facts, merged
from confint_cli.studies.rows import CompareRow
from confint_cli.studies.scope import has_collections

_NOT_WORSE = (Verdict.EQUIVALENT, Verdict.SUPERIOR, Verdict.NOT_INFERIOR)


def with_gate(
    answer: Answer[CompareRow], fail_if: str, scores: Scores, left_out: Sequence[str]
) -> Answer[CompareRow]:
    """Return the answer with what a gate says of it, in words too.

    Raise DataError if some run of the `scores` is not compared by some measure, or if files are
    `left_out`, as they have none of the measures: nobody knows if these pass. Raise CallError if
    all runs are baselines.
    """
    if not {*scores.runs} - {*answer.facts["pairs"]}:
        raise CallError(f"--fail-if {fail_if}: every run is a baseline, so no run is left to judge")
    decisive = [*_decisive(answer)]
    _check_all_are_there(decisive, answer.facts["pairs"], fail_if, scores, left_out)
    failures = [row for row in decisive if _fails(row, fail_if)]
    number = count(len(decisive), "comparison")
    verdict = f"{len(failures)} of {number} fail{'s' if len(failures) == 1 else ''}"
    if not failures:
        verdict = f"none of {number} fails" if len(decisive) > 1 else "it passes"
    elif len(decisive) == 1:
        verdict = "it fails"
    method = decisive[0].method
    if len(decisive) > 1 and fail_if != INFERIOR and method not in (MAX_T, BONFERRONI_T):
        verdict += f", each judged by its own {percent(decisive[0].level)} interval"
    about = f"--fail-if {fail_if}: {verdict}"
    gate = Gate(about, tuple(_sentence(row, fail_if, answer.facts) for row in failures))
    notices: tuple[Notice, ...] = () if failures else (note(about),)
    return replace(
        answer,
        facts=merged(answer.facts, {"fail_if": fail_if}),
        gate=gate,
        notices=(*answer.notices, *notices),
    )


def _check_all_are_there(
    decisive: Sequence[CompareRow],
    baselines: tuple[str, ...],
    fail_if: str,
    scores: Scores,
    left_out: Sequence[str],
) -> None:
    """Raise DataError if some run, or file, is not compared with a baseline by some measure."""
    compared = {(row.measure, row.run) for row in decisive}
    runs = [run for run in scores.runs if run not in baselines]
    lacking = [
        f"{shortened(run)} on {visible(measure)}"
        for measure in scores.measures
        for run in runs
        if (measure, run) not in compared
    ]
    if lacking or left_out:
        names = listed([*lacking, *map(visible, left_out)], 5)
        raise DataError(
            "",
            f"--fail-if {fail_if}: there is no comparison of {names}",
            "a run that cannot be compared does not pass; -m chooses measures that all runs have",
        )


def _decisive(answer: Answer[CompareRow]) -> Iterator[CompareRow]:
    """Yield the record that decides on each comparison; baselines are not judged themselves."""
    over_all = has_collections(answer.facts)
    rows = [row for row in answer.rows if row.collection != META]
    rows = [row for row in rows if row.collections or not over_all]
    rows = [row for row in rows if row.run not in answer.facts["pairs"]]
    for _, group in groupby(rows, lambda row: (row.measure, row.run, row.baseline)):
        yield next(group)


def _fails(row: CompareRow, fail_if: str) -> bool:
    """Say whether a comparison fails; one without limits is not shown to be anything.

    Where max-T has no limits, as of a difference that is always the same, the t test says whether
    a run is worse.
    """
    if fail_if == INFERIOR:
        return row.shown not in _NOT_WORSE
    if fail_if == NOT_BETTER:
        return not row.low > 0
    if math.isnan(row.high):
        p = float(two_sided(np.array([row.t]), row.df)[0])
        return row.difference < 0 and p < alpha_of(row.level)
    return row.high < 0


def _sentence(row: CompareRow, fail_if: str, facts: Facts) -> tuple[Cell, ...]:
    """Return the cells of a sentence on a comparison that fails."""
    is_what = {
        WORSE: f"is worse than {row.baseline}",
        NOT_BETTER: f"is not shown to be better than {row.baseline}",
        INFERIOR: f"may be worse than {row.baseline} by more than {facts.get('margin', 0):.15g}",
    }[fail_if]
    about = f"on {row.measure}, {row.run} {is_what}: the difference is "
    if fail_if == INFERIOR:
        return (about, row.difference, "; ", Probability(row.p_noninferior, named=True))
    if math.isnan(row.low):
        return (about, row.difference, ", without limits")
    limits = (row.low, " and ", row.high)
    return (about, row.difference, f", {percent(row.level)} ({row.method}) between ", *limits)
