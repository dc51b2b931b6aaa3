"""Medians of what the best runs risk, as people read them: a row for each r and method."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from confint_cli.common.table import Cell, Column, Table, View, explained_once
from confint_cli.common.text import all_of, count
from confint_cli.common.words import percent, series
from confint_cli.stats.comparison import T_TEST
from confint_cli.studies.answer import Answer
from confint_cli.studies.risk_view import SHAPIRO
from confint_cli.studies.rows import RiskSummaryRow

_MEDIANS = "URisk⁻, low, high, W: medians over the runs."
_NOTCHES = "±: McGill's notch of a median, 1.57 interquartile ranges divided by √runs."
_FROM_T = "To t: how far a limit is above that of t, in half-widths of t; the median over runs."
_DISAGREE = "disagree: runs whose verdict (risky, risk-free, undecided) differs from that of t."


def view(answer: Answer[RiskSummaryRow]) -> View:
    """Return a table for each measure, baseline and level."""
    by_baseline = groupby(answer.rows, attrgetter("measure", "baseline"))
    tables = [table for _, rows in by_baseline for table in _tables(list(rows))]
    return View(explained_once(tables))


def _tables(rows: Sequence[RiskSummaryRow]) -> Iterator[Table]:
    """Yield a table for each level, with a row for each r and method."""
    first = rows[0]
    which = all_of(first.all_runs, "run")
    if first.runs < first.all_runs:
        which = f"the best {first.runs} of {first.all_runs} runs"
    title = f"{first.measure}, {count(first.topics, 'topic')}, {which} compared with "
    for level in dict.fromkeys(row.level for row in rows):
        at_level = [row for row in rows if row.level == level]
        yield Table(
            f"{title}{first.baseline}, {percent(level)}",
            _columns(at_level),
            sentence=_how_far_from_t(at_level),
            breaks=[
                place
                for place in range(1, len(at_level))
                if at_level[place].r != at_level[place - 1].r
            ],
        )


def _columns(rows: Sequence[RiskSummaryRow]) -> list[Column]:
    def but_of_t(values: Sequence[Cell]) -> list[Cell]:
        cells = zip(rows, values, strict=True)
        return [None if row.method == T_TEST else value for row, value in cells]

    return [
        Column("r", [row.r for row in rows], exact=True),
        Column("method", [row.method for row in rows]),
        Column("URisk⁻", [row.urisk_minus for row in rows], legend=_MEDIANS),
        Column("low", [row.low for row in rows]),
        Column("high", [row.high for row in rows]),
        Column("disagree", but_of_t([row.disagree for row in rows]), legend=_DISAGREE),
        Column(
            "low to t", but_of_t([row.low_from_t for row in rows]), legend=_FROM_T, optional=True
        ),
        Column("high to t", but_of_t([row.high_from_t for row in rows]), optional=True),
        Column(
            "low ±", [row.low_notch_high - row.low for row in rows], legend=_NOTCHES, optional=True
        ),
        Column("high ±", [row.high_notch_high - row.high for row in rows], optional=True),
        Column("W topics", [row.shapiro_topics for row in rows], legend=SHAPIRO, optional=True),
        Column("W bootstrap", [row.shapiro_bootstrap for row in rows], optional=True),
        Column("note", [row.note for row in rows]),
    ]


def _how_far_from_t(rows: Sequence[RiskSummaryRow]) -> list[Cell]:
    """Return the cells of a sentence: how far bootstrap limits are from those of t.

    Empty, if there are none but those of t.
    """
    known = [row for row in rows if row.method != T_TEST and not math.isnan(row.farthest)]
    others = sorted(known, key=lambda row: row.r)
    by_r = [list(group) for _, group in groupby(others, lambda row: row.r)]
    if not by_r:
        return []
    distances = []
    for group in by_r if len(by_r) == 1 else (by_r[0], by_r[-1]):
        worst = max(group, key=lambda row: row.farthest)
        distance = f"by up to {percent(round(worst.farthest, 2))} of its half-width"
        if math.isinf(worst.farthest):
            distance = "infinitely"
        distances.append(f"{distance} at r = {worst.r} ({worst.method})")
    most = max(others, key=lambda row: row.disagree)
    judged = "all methods judge all runs as t does"
    if most.disagree:
        methods = [row.method for row in others if (row.r, row.disagree) == (most.r, most.disagree)]
        runs = f"{most.disagree} of {count(most.runs, 'run')}"
        verb = "judges" if len(methods) == 1 else "each judge"
        judged = f"at r = {most.r}, {series(methods)} {verb} {runs} differently from t"
    where = "For the median run, bootstrap" if most.runs > 1 else "Bootstrap"
    return [f"{where} limits differ from those of t {' and '.join(distances)}; {judged}."]
