"""Is A better than B, and by how much? Differences of runs, and a line at no difference."""

from dataclasses import replace
from operator import attrgetter

from confint_cli.outputs.figures.paper import Sheet
from confint_cli.outputs.figures.records import (
    ABOUT_DIAMONDS,
    PairsSheet,
    by_methods,
    of_collections,
    of_whom,
    pairs_sheets,
    rows_of,
    sentences,
    values_of,
)
from confint_cli.outputs.figures.rows import (
    Heading,
    Rows,
    about_infinity,
    about_levels,
    in_lanes,
    method_keys,
    sheets_of,
)
from confint_cli.scores.labels import META
from confint_cli.stats.names import MAX_T
from confint_cli.studies.answer import Answer
from confint_cli.studies.compare_view import judged_by
from confint_cli.studies.facts import Facts
from confint_cli.studies.pairing_view import pairs_by_measure
from confint_cli.studies.rows import CompareRow
from confint_cli.studies.scope import has_collections


def sheets(answer: Answer[CompareRow], *, paged: bool) -> list[Sheet]:
    """Return sheets for each measure and baseline, or for each measure with all pairs."""
    answer = replace(answer, rows=[row for row in answer.rows if row.collection != META])
    by_measure = pairs_by_measure(replace(answer, rows=rows_of(answer)))
    meaning = {compared.first.measure: judged_by(compared) for compared in by_measure}
    return [
        sheet
        for pairs in pairs_sheets(answer)
        for sheet in _differences(pairs, meaning[pairs.rows[0].measure], answer.facts, paged=paged)
    ]


def _differences(
    pairs: PairsSheet[CompareRow], meaning: str, facts: Facts, *, paged: bool
) -> list[Sheet]:
    """Return sheets of some pairs; `meaning` says which of them are significant."""
    rows = pairs.rows
    is_over = has_collections(facts)
    labels, shaded = pairs.labels, list[bool]()
    if is_over:
        names = ["run", "baseline"] if pairs.all_pairs else ["run"]
        labels, shaded = of_collections(rows, names)
    chart = Rows(
        labels,
        in_lanes(rows, attrgetter("run", "baseline", "collection"), "difference", "is_marked"),
        f"difference in {pairs.measure}",
        lanes=len(values_of(rows, "method")),
        lines=[0.0, -facts["margin"], facts["margin"]] if "margin" in facts else [0.0],
        shaded=shaded if any(shaded) else (),
    )
    whom = of_whom(rows, facts)
    heading = Heading(
        f"{pairs.measure}: {pairs.title}, with {by_methods(rows)} intervals, {whom}",
        sentences(
            ABOUT_DIAMONDS if is_over else "",
            f"Filled marks: p {meaning}; open marks: p is not.",
            f"Outer lines: the margin, ±{facts['margin']:.15g}." if "margin" in facts else "",
            _about_family(pairs),
            about_levels(rows),
            about_infinity(rows),
        ),
        method_keys(rows),
    )
    return sheets_of(chart, heading, paged=paged, noun="row" if is_over else pairs.noun)


def _about_family(pairs: PairsSheet[CompareRow]) -> str:
    """Return a sentence on which intervals hold for all comparisons at once.

    Empty, if there is one comparison.
    """
    if len(pairs.names) == 1:
        return ""
    methods = values_of(pairs.rows, "method")
    single = [name for name in methods if name != MAX_T]
    return sentences(
        f"{MAX_T} intervals hold for all comparisons at once." if MAX_T in methods else "",
        f"Each {' or '.join(single)} interval holds by itself." if single else "",
    )
