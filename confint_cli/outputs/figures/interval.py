"""How sure is this mean? A forest plot: the mean of each run with its intervals."""

from collections.abc import Sequence
from operator import attrgetter

from confint_cli.common.text import count
from confint_cli.outputs.figures.paper import Sheet, short
from confint_cli.outputs.figures.records import (
    ABOUT_DIAMONDS,
    by_methods,
    grouped,
    of_collections,
    of_whom,
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
from confint_cli.studies.answer import Answer
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import IntervalRow
from confint_cli.studies.scope import has_collections


def sheets(answer: Answer[IntervalRow], *, paged: bool) -> list[Sheet]:
    """Return sheets for each measure, with one row per run.

    If there is only one run, the rows are the measures, on the same sheet.
    """
    rows = rows_of(answer)
    if has_collections(answer.facts):
        return [
            sheet
            for group in grouped(rows, "measure")
            for sheet in _over_collections(group, answer.facts, paged=paged)
        ]
    if len(values_of(rows, "run")) == 1 and len(values_of(rows, "measure")) > 1:
        return _forest(rows, "measure", answer.facts, paged=paged)
    return [
        sheet
        for group in grouped(rows, "measure")
        for sheet in _forest(group, "run", answer.facts, paged=paged)
    ]


def _over_collections(rows: Sequence[IntervalRow], facts: Facts, *, paged: bool) -> list[Sheet]:
    """Return sheets with a row for each run and collection, and a diamond for the whole."""
    labels, shaded = of_collections(rows, ["run"])
    runs, measure = values_of(rows, "run"), short(rows[0].measure)
    means = f"means of {count(len(runs), 'run')}" if len(runs) > 1 else f"mean of {short(runs[0])}"
    heading = Heading(
        f"{measure}: {means} with {by_methods(rows)} intervals, {of_whom(rows, facts)}",
        sentences(
            ABOUT_DIAMONDS,
            about_levels(rows),
            about_infinity(rows),
            "To see whether two runs differ, look at their differences, not at these intervals."
            if len(runs) > 1
            else "",
        ),
        method_keys(rows),
    )
    chart = Rows(
        labels,
        in_lanes(rows, attrgetter("run", "collection"), "mean"),
        f"mean {measure}",
        lanes=len(values_of(rows, "method")),
        shaded=shaded if len(runs) > 1 else (),
    )
    return sheets_of(chart, heading, paged=paged, noun="row")


def _forest(
    rows: Sequence[IntervalRow], key: str, facts: Facts, *, paged: bool
) -> list[Sheet]:  # fmt: skip
    """Return sheets with a row for each value of `key`: for each run, or for each measure."""
    labels = values_of(rows, key)
    several = key == "run" and len(labels) > 1
    whose = short(rows[0].measure if key == "run" else rows[0].run)
    means = (
        f"means of {count(len(labels), key)}" if len(labels) > 1 else f"mean of {short(labels[0])}"
    )
    intervals = "intervals" if len(rows) > 1 else "interval"
    heading = Heading(
        f"{whose}: {means} with {by_methods(rows)} {intervals}, {of_whom(rows, facts)}",
        sentences(
            about_levels(rows),
            about_infinity(rows),
            "To see whether two runs differ, look at their differences, not at these intervals."
            if several
            else "",
        ),
        method_keys(rows),
    )
    chart = Rows(
        [short(label) for label in labels],
        in_lanes(rows, attrgetter(key), "mean"),
        f"mean {whose}" if key == "run" else "mean",
        lanes=len(values_of(rows, "method")),
    )
    return sheets_of(chart, heading, paged=paged, noun=key)
