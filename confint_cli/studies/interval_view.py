"""Intervals of means as people read them: a row for each run, and the result in words."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from confint_cli.common.table import Cell, Column, Interval, Span, Table, View, explained_once
from confint_cli.common.words import a_percent, percent
from confint_cli.studies.answer import Answer
from confint_cli.studies.design_view import gain_of, of_design
from confint_cli.studies.doubts import missing_in_words, note_by_methods, note_of, serious
from confint_cli.studies.facts import Facts, is_standardized
from confint_cli.studies.rows import IntervalRow
from confint_cli.studies.scope import (
    ABOUT_MACRO,
    COLLECTIONS,
    for_whom,
    has_bounds,
    has_collections,
    has_judge,
    of_single,
    title_of,
)

_WHAT_NEXT = (
    "To see whether two runs differ, look at their differences topic by topic, not at whether "
    "these intervals overlap: 'confint compare' does so, and 'confint rank' shows which run is "
    "ahead."
)


def view(answer: Answer[IntervalRow], what_next: str = _WHAT_NEXT) -> View:
    """Return a table for each measure with a row for each run; of one run, all measures in one.

    If there are several runs, it ends with `what_next`, a sentence about other commands.
    """
    tables = _tables(answer.rows, answer.facts)
    return View(tables, _about_several(answer.rows, what_next))


def _tables(rows: Sequence[IntervalRow], facts: Facts) -> list[Table]:
    """Return a table for each measure with a row for each run; of one run, all measures in one."""
    kinds = list(dict.fromkeys((row.method, row.level) for row in rows))
    with_notes = any(row.doubts for row in rows)
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    if has_collections(facts):
        tables = [_of_collections(group, kinds, facts, with_notes) for group in by_measure]
        return explained_once(tables)
    if len(by_measure) > 1 and len({row.run for row in rows}) == 1:
        columns, first = _side_by_side(rows, ["measure"], kinds, with_notes=with_notes)
        topics = [Column("topics", [row.topics for row in first])]
        if has_judge(facts):
            topics.append(Column("by people", [row.human_topics for row in first]))
            columns += of_design(first, facts)
        return [
            Table(
                first[0].run,
                [columns[0], *topics, *columns[1:]],
                legend=_about_missing(first[:1]),
                sentence=_said(first, facts, is_said=True),
            )
        ]
    tables = []
    for group in by_measure:
        columns, first = _side_by_side(group, ["run"], kinds, with_notes=with_notes)
        title = title_of(first[0].measure, facts, first[0].topics, first[0].human_topics)
        columns[-1:-1] = of_design(first, facts) if with_notes else []
        columns += [] if with_notes else of_design(first, facts)
        if len({row.topics for row in rows}) > 1:  # as published results may have
            title = first[0].measure
            columns.insert(1, Column("topics", [row.topics for row in first]))
        columns[0] = replace(columns[0], legend=_about_missing(first))
        # If there is one topic only, no run has an interval: the sentence about one run says so.
        is_said = len(first) == 1 or math.isnan(first[0].low)
        tables.append(Table(title, columns, sentence=_said(first, facts, is_said=is_said)))
    return explained_once(tables)


def _of_collections(
    rows: Sequence[IntervalRow],
    kinds: Sequence[tuple[str, float]],
    facts: Facts,
    with_notes: bool,
) -> Table:
    """Return the table by one measure with a row for each run and collection, and for all."""
    columns, first = _side_by_side(rows, ["run", "collection"], kinds, with_notes=with_notes)
    columns += of_design(first, facts)
    of_all = [row for row in first if row.collections]
    columns.insert(2, Column("topics", [row.topics for row in first], optional=True))
    single = f" {of_single(facts)}." if facts["for_new"] == COLLECTIONS else ""
    columns[1] = replace(columns[1], legend=f"{ABOUT_MACRO}{single}")
    missing = " ".join(
        f"In {collection}: {text}"
        for collection in dict.fromkeys(row.collection for row in first if not row.collections)
        if (text := _about_missing([row for row in first if row.collection == collection]))
    )
    return Table(
        title_of(of_all[0].measure, facts, of_all[0].topics, of_all[0].human_topics),
        columns,
        legend=missing,
        sentence=_said(of_all, facts, is_said=len(of_all) == 1),
        breaks=[place for place, (above, row) in enumerate(pairwise(first), 1)
                if above.run != row.run],
    )  # fmt: skip


def _about_missing(rows: Sequence[IntervalRow]) -> str:
    """Return a sentence that names the runs that lack topics; empty, if none does.

    A column of notes would take the room of a picture.
    """
    return missing_in_words({row.run: row.missing for row in rows})


def _side_by_side(
    rows: Sequence[IntervalRow],
    keys: Sequence[str],
    kinds: Sequence[tuple[str, float]],
    *,
    with_notes: bool,
) -> tuple[list[Column], list[IntervalRow]]:
    """Return the columns of a table with a row for each run, and the first interval of each row.

    The `keys` of a row are its `run`, its `measure`, or its run and `collection`. The intervals of
    a row, one for each method and level in `kinds`, are beside one another.
    """
    by_key: dict[tuple[str, ...], dict[tuple[str, float], IntervalRow]] = {}
    for row in rows:
        own = tuple(getattr(row, key) for key in keys)
        by_key.setdefault(own, {})[row.method, row.level] = row
    first = [next(iter(intervals.values())) for intervals in by_key.values()]
    columns = [
        *(Column(key, [getattr(row, key) for row in first]) for key in keys),
        Column("mean", [row.mean for row in first]),
        Column("sd", [row.sd for row in first], optional=True),
    ]
    for method, level in kinds:
        cells: list[Cell] = []
        for intervals in by_key.values():
            shown = intervals.get((method, level))
            cells.append(Interval(shown.low, shown.high) if shown else None)
        columns.append(Column(f"{method} {percent(level)}", cells))
    if len(kinds) == 1 and len(first) > 1 and "run" in keys:
        columns.append(Column("", [Span(row.low, row.mean, row.high) for row in first]))
    if with_notes:
        doubts = [
            [(row.method, row.doubts) for row in intervals.values()]
            for intervals in by_key.values()
        ]
        columns.append(Column("note", list(map(note_by_methods, doubts))))
    return columns, first


def _said(rows: Sequence[IntervalRow], facts: Facts, *, is_said: bool) -> list[Cell]:
    """Return the cells of what is said of a table: of one run its interval, what a judge gains."""
    one = len({row.run for row in rows}) == 1
    sentence = _of_one_run(rows if one else rows[:1], facts) if is_said else []
    gain = gain_of(rows, facts, "measure" if one else "run")
    return [*sentence, *([f" {gain}" if sentence else gain] if gain else [])]


def _of_one_run(rows: Sequence[IntervalRow], facts: Facts) -> list[Cell]:
    """Return the cells of a sentence about one run.

    It has the interval by the first method and level, or why there is none; several rows get
    the sentence of `_by_itself` too.
    """
    first = rows[0]
    if math.isnan(first.low):
        return ["One topic says nothing about others: there is no interval."]
    if len(rows) > 1:
        return [_by_itself(rows)]
    if math.isinf(first.low) or math.isinf(first.high):
        return [
            f"These {first.topics} topics are too few for {a_percent(first.level)} "
            f"{first.method} interval."
        ]
    but = f", but: {note_of(serious(first.doubts))}" if serious(first.doubts) else ""
    kind = "standardised " if is_standardized(facts, first.measure) else ""
    if has_bounds(facts):
        return [
            f"On these topics, the mean {first.measure} of {first.run} could be between ",
            first.least, " and ", first.largest, ", however unjudged documents would be "
            f"judged; with {percent(first.level)} confidence{but}, it lies between ", first.low,
            " and ", first.high, f" {for_whom(facts) or 'over topics like these'}.",
        ]  # fmt: skip
    if whom := for_whom(facts):
        over = " over collections" if has_collections(facts) else ""
        return [
            f"With {percent(first.level)} confidence ({first.method}{but}), the mean {kind}"
            f"{first.measure} of {first.run}{over} lies between ", first.low, " and ",
            first.high, f", {whom}.",
        ]  # fmt: skip
    return [
        f"With {percent(first.level)} confidence ({first.method}{but}), the mean {kind}"
        f"{first.measure} of "
        f"{first.run} over topics like these {first.topics} lies between ", first.low, " and ",
        first.high, ".",
    ]  # fmt: skip


def _about_several(rows: Sequence[IntervalRow], what_next: str) -> list[Cell]:
    """Return the cells of a sentence on what intervals of several runs do not tell.

    It names the command that does. For one run it is empty.
    """
    if len({row.run for row in rows}) == 1 or all(math.isnan(row.low) for row in rows):
        return []
    return [f"{_by_itself(rows)} {what_next}"]


def _by_itself(rows: Sequence[IntervalRow]) -> str:
    """Return the sentence that each interval has its confidence by itself; it is never empty."""
    levels = dict.fromkeys(percent(row.level) for row in rows)
    confidence = f"{next(iter(levels))} confidence" if len(levels) == 1 else "its confidence"
    noted = ", or less where a note says so" if any(serious(row.doubts) for row in rows) else ""
    return (
        f"Each interval is meant to have {confidence} on its own{noted}; all of them together have "
        "less."
    )
