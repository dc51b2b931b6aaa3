"""Standings as people read them: a row for each run, pictures, and who is ahead in words."""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

import numpy as np

from confint_cli.common.table import (
    Cell,
    Column,
    Interval,
    Marked,
    Span,
    Strip,
    Table,
    View,
    explained_once,
)
from confint_cli.common.text import count, listed
from confint_cli.common.words import percent
from confint_cli.stats.names import BONFERRONI_T
from confint_cli.stats.pairs import pairs_among
from confint_cli.studies.answer import Answer
from confint_cli.studies.design_view import gain_of, of_design
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import RankRow
from confint_cli.studies.scope import (
    ABOUT_MACRO,
    has_collections,
    title_of_part,
    where,
)

_TIED = "*"  # marks the means of runs that are tied with the best
_LISTED = 5  # runs that a sentence names, at most
_MOST_STRIPS = 200  # runs that a wide terminal has room for, one character each
_ABOUT_RANKS = "├●┤ the rank and the rank set."

Standings = Sequence[RankRow]  # the records by one measure


def view(answer: Answer[RankRow]) -> View:
    """Return a table for each measure, with a row for each run."""
    by_measure = standings_by_measure(answer)
    tables = [standings_table(standings, answer.facts) for standings in by_measure]
    several = len({row.measure for row in answer.rows}) > 1
    sentence = "There is no correction for several measures." if several else ""
    if has_collections(answer.facts):
        corrected = "collections or measures" if several else "collections"
        sentence = f"{ABOUT_MACRO.capitalize()} There is no correction for several {corrected}."
        tables = explained_once(tables)
    return View(tables, [sentence] if sentence else [])


def standings_by_measure(answer: Answer[RankRow]) -> list[Standings]:
    """Return the records by each measure; of several collections, those of each."""
    return [
        list(rows) for _, rows in groupby(answer.rows, lambda row: (row.measure, row.collection))
    ]


def standings_table(rows: Standings, facts: Facts, *, pictures: bool = False) -> Table:
    """Return the standings by one measure, with a verdict.

    A terminal draws one of the last columns, if it has room. With `pictures`, a column of them
    stands behind intervals and another one behind rank sets instead, as on a page.
    """
    first = rows[0]
    has_ties = sum(row.tied_with_best for row in rows) > 1
    return Table(
        f"{title_of_part(first, facts)}, {count(len(rows), 'run')}",
        _columns(rows, facts, has_ties=has_ties, pictures=pictures),
        legend=" ".join(
            filter(
                None,
                [
                    f"{_TIED} cannot be told apart from the best run." if has_ties else "",
                    _about_judged(rows),
                ],
            )
        ),
        sentence=_sentence(rows, facts),
        breaks=[place for place, (above, row) in enumerate(pairwise(rows), 1)
                if above.group != row.group],
        breaks_mean="every run above it is shown to be better than every run below",
    )  # fmt: skip


def _sentence(rows: Standings, facts: Facts) -> list[Cell]:
    """Return who is ahead in words and, with a cheaper judge, what that gains."""
    first = rows[0]
    verdict = _verdict(rows, _number_of_rows(first, facts), where(first, facts))
    return [" ".join(filter(None, [verdict, gain_of(rows, facts)]))]


def _number_of_rows(row: RankRow, facts: Facts) -> str:
    """Return how many topics, or groups of them, there are: `4 conversations`."""
    if row.groups is None:
        return count(row.human_topics or row.topics, "topic")
    return count(row.groups, facts["group_noun"])


def _columns(rows: Standings, facts: Facts, *, has_ties: bool, pictures: bool) -> list[Column]:
    marks = [_TIED if row.tied_with_best and has_ties else "" for row in rows]
    level = percent(rows[0].level)
    interval = f"{rows[0].method} {level}"
    at_once = "both" if len(rows) == 2 else f"all {len(rows)}"
    strictly = ", strict" if "max_t" in facts else ""
    pairs = count(pairs_among(len(rows)), "difference")
    by_t = math.isnan(rows[0].first_share)
    by = f"{BONFERRONI_T}" if by_t else f"max-t{strictly}"
    at_once += " runs at once" + ("" if by_t else ", approximately")
    ranks = [Span(row.rank_low, row.rank, row.rank_high) for row in rows]
    means = [Span(row.low, row.mean, row.high) for row in rows]
    return [
        Column("rank", [row.rank for row in rows]),
        Column("run", [row.run for row in rows]),
        Column("mean", [Marked(row.mean, mark) for row, mark in zip(rows, marks, strict=True)]),
        Column(
            interval,
            [Interval(row.low, row.high) for row in rows],
            optional=True,
            legend=f"{interval}: for each mean by itself; the best of many means is usually too "
            "high.",
        ),
        *([Column("", means)] if pictures else []),
        Column(
            "rank set",
            _ranges((row.rank_low, row.rank_high) for row in rows),
            legend=f"Rank set: {level} confidence for {at_once} ({pairs}, {by}).",
        ),
        *([Column("", ranks)] if pictures else []),
        Column(
            "own set",
            _ranges((row.own_rank_low, row.own_rank_high) for row in rows),
            optional=True,
            legend="Own set: the same for a single run, chosen beforehand.",
        ),
        *(
            []
            if by_t
            else [
                Column(
                    "first",
                    [row.first_share for row in rows],
                    optional=True,
                    legend="First: the share of resamples in which the run comes first.",
                )
            ]
        ),
        *of_design(rows, facts),
        *(_judged(rows) if pictures else []),
        Column("note", [row.note for row in rows]),
        *([] if pictures else [*_strips(rows), Column("", ranks, legend=_ABOUT_RANKS)]),
    ]


def _judged(rows: Standings) -> list[Column]:
    """Return the column of judged shares, for which a page has room; none, if all is judged."""
    if not any(row.judged_share < 1 for row in rows):
        return []
    shares = [
        "" if math.isnan(row.judged_share) else percent(round(row.judged_share, 2)) for row in rows
    ]
    return [Column("judged", shares)]


def _about_judged(rows: Standings) -> str:
    """Return how many of the first documents of runs are judged; empty if all are, or unknown."""
    known = sorted((row.judged_share, row.run) for row in rows if not math.isnan(row.judged_share))
    if not known or known[0][0] >= 1:
        return ""
    (low, least), (high, most) = known[0], known[-1]
    shares = [percent(round(share, 2)) for share in (low, high)]
    between = f"{shares[0]} ({least}) to {shares[1]} ({most})"
    if shares[0] == shares[1]:
        between = shares[0]
    return f"Of each run's top documents (ten at most), {between} are judged."


def _strips(rows: Standings) -> list[Column]:
    """Return a column of pictures of which runs are alike; none, if there is no room for them."""
    if len(rows) > _MOST_STRIPS:
        return []
    strips = [Strip(place, tuple((~row.apart).tolist())) for place, row in enumerate(rows)]
    return [Column("alike", strips, legend="■ cannot be told apart from the run at that position.")]


def _ranges(sets: Iterable[tuple[int, int]]) -> list[Cell]:
    """Return each rank set as text: `2–5`, or `3` where there is one rank only."""
    return [str(first) if first == last else f"{first}–{last}" for first, last in sets]


def _verdict(rows: Standings, few: str, whom: str = "") -> str:
    """Return a sentence on which runs cannot be told apart, or who is ahead of all others.

    It says at its level for `whom` that holds, if that is not clear; `few` is how many topics, or
    groups, there are.
    """
    order = sorted(range(len(rows)), key=lambda place: rows[place].rank)  # of equals, as they come
    best, second = rows[order[0]], rows[order[1]]
    number, level = len(rows), f"{percent(best.level)}{whom}"
    if not best.enough_topics:
        return f"{few} are too few to distinguish any two runs at {level}."
    no_two = "The two runs cannot" if number == 2 else f"No two of the {number} runs can"
    if best.pairs_left_out == pairs_among(number):
        return (
            f"{no_two} be told apart at {level}: they differ on too few topics, or by the same "
            "amount on all."
        )
    tied = [place for place in order[1:] if rows[place].tied_with_best]
    if not tied:
        others = {2: second.run, 3: "both other runs"}
        behind = others.get(number, f"all {number - 1} other runs")
        return f"{best.run} is ahead of {behind} at {level}."
    # The first runs are alike, down to the first one that is told apart from any before it.
    apart = np.stack([row.apart for row in rows])[np.ix_(order, order)]
    apart_from_earlier = np.tril(apart, -1).any(axis=1)
    alike = int(np.argmax(apart_from_earlier)) if apart_from_earlier.any() else number
    if alike == number:
        return f"{no_two} be told apart at {level}."
    first_runs = set(order[:alike])
    further = [rows[place].run for place in tied if place not in first_runs]
    if alike == 1:
        return (
            f"{best.run} is ahead of {second.run} at {level}, but not of "
            f"{count(len(further), 'other run')}: {listed(further, _LISTED)}."
        )
    verdict = f"The first {alike} of {number} runs cannot be told apart at {level}"
    if not further:
        return f"{verdict}."
    verb = "is" if len(further) == 1 else "are"
    return (
        f"{verdict}, and {len(further)} more {verb} tied with the best, {best.run}: "
        f"{listed(further, _LISTED)}."
    )
