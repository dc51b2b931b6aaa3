"""A gate: does a comparison find what must not be, as that a model got worse?

It looks at every comparison by its first interval, at the first level. Of several collections, the
mean over all of them decides. No correction is needed: to pass, every comparison has to.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from confint_cli.common.errors import DataError, Notice, note
from confint_cli.common.table import Cell
from confint_cli.common.text import count, listed, visible
from confint_cli.common.words import percent
from confint_cli.scores.labels import META
from confint_cli.stats.equivalence import Verdict
from confint_cli.studies.answer import Answer, Gate
from confint_cli.studies.facts import merged
from confint_cli.studies.rows import CompareRow
from confint_cli.studies.scope import has_collections

WORSE, NOT_BETTER, INFERIOR = "worse", "not-better", "inferior"
GATES = (WORSE, NOT_BETTER, INFERIOR)
_WORDS = {
    WORSE: "worse than",
    NOT_BETTER: "not shown to be better than",
    INFERIOR: "not shown to be within the margin of",
}
_WITHIN = (Verdict.EQUIVALENT, Verdict.SUPERIOR, Verdict.NOT_INFERIOR)


def with_gate(
    answer: Answer[CompareRow], fail_if: str, measures: Sequence[str]
) -> Answer[CompareRow]:
    """Return the answer with what a gate says of it, in words too.

    Raise DataError if there is no comparison by one of the `measures`: nobody knows if it passes.
    """
    decisive = [*_decisive(answer)]
    unknown = [name for name in measures if name not in {row.measure for row in decisive}]
    if unknown:
        raise DataError(
            "",
            f"--fail-if {fail_if}: there is no comparison by {listed([*map(visible, unknown)], 5)}",
            "choose measures with -m that all runs have",
        )
    failures = [row for row in decisive if _fails(row, fail_if)]
    number = count(len(decisive), "comparison")
    verdict = f"{len(failures)} of {number} fail{'s' if len(failures) == 1 else ''}"
    if not failures:
        verdict = f"no comparison of {len(decisive)} fails" if len(decisive) > 1 else "it passes"
    elif len(decisive) == 1:
        verdict = "it fails"
    about = f"--fail-if {fail_if}: {verdict}"
    gate = Gate(about, tuple(_sentence(row, fail_if) for row in failures))
    notices: tuple[Notice, ...] = () if failures else (note(about),)
    return replace(
        answer,
        facts=merged(answer.facts, {"fail_if": fail_if}),
        gate=gate,
        notices=(*answer.notices, *notices),
    )


def _decisive(answer: Answer[CompareRow]) -> Iterator[CompareRow]:
    """Yield the record that decides on each comparison."""
    over_all = has_collections(answer.facts)
    rows = [row for row in answer.rows if row.collection != META]
    rows = [row for row in rows if row.collections or not over_all]
    for _, group in groupby(rows, lambda row: (row.measure, row.run, row.baseline)):
        yield next(group)


def _fails(row: CompareRow, fail_if: str) -> bool:
    """Say whether a comparison fails; one without limits is not shown to be anything."""
    if fail_if == WORSE:
        return row.high < 0
    if fail_if == NOT_BETTER:
        return not row.low > 0
    return row.shown not in _WITHIN


def _sentence(row: CompareRow, fail_if: str) -> tuple[Cell, ...]:
    """Return the cells of a sentence on a comparison that fails."""
    begin = f"by {row.measure}, {row.run} is {_WORDS[fail_if]} {row.baseline}: the difference is "
    cells: tuple[Cell, ...] = (begin, row.difference)
    if fail_if == INFERIOR:
        return (*cells, f"; p of not being inferior is {row.p_noninferior:.4g}")
    if math.isnan(row.low):
        return (*cells, ", without limits")
    return (*cells, f", {percent(row.level)} ({row.method}) between ", row.low, " and ", row.high)
