"""What tables for people have of groups of topics, repeats of runs, a cheaper judge and bounds."""

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from confint_cli.common.table import Column, Interval
from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.stats.flags import Doubt
from confint_cli.studies.facts import Facts
from confint_cli.studies.scope import has_bounds, has_groups, has_judge, has_repeats

_ABOUT_EFFECT = "Design effect: the variance, as a multiple of that of independent topics."
ABOUT_SHARE = "Repeat share: the part of the variance that more topics would not remove."


_NOTES = {
    Doubt.NO_GAIN: "No gain: r is too small for so few topics.",
    Doubt.JUDGE_CONSTANT: "Judge constant: the judge's scores do not vary, or on one topic only, "
    "so only people's scores decide.",
    Doubt.NO_OTHER_TOPICS: "No further topics: only people's scores decide.",
}
_ONE_SLOPE = (
    " All runs share one slope of people's scores on the judge's, so the mean of a run may differ "
    "slightly from that of the run by itself."
)


def of_design(rows: Sequence[Any], facts: Facts) -> list[Column]:
    """Return the columns of a table for people that the design of its rows has; plain ones: none.

    What groups do to the variance, and which part of it is that of repeats; what people alone say,
    and the judge alone; what a score could be, however documents are judged.
    """
    columns = _of_judge(rows) if has_judge(facts) else []
    columns += _of_bounds(rows) if has_bounds(facts) else []
    if has_repeats(facts):
        columns.append(Column("repeats", [row.repeats for row in rows], optional=True))
    if has_groups(facts) and not has_judge(facts):
        effects = [row.design_effect for row in rows]
        columns.append(Column("design effect", effects, legend=_ABOUT_EFFECT, optional=True))
    if has_repeats(facts):
        shares = [row.repeat_share for row in rows]
        columns.append(Column("repeat share", shares, legend=ABOUT_SHARE, optional=True))
    return columns


def _of_judge(rows: Sequence[Any]) -> list[Column]:
    """Return the columns about a cheaper judge: what people alone say, and the judge alone."""
    alone, what = "judge_mean", "the mean"
    if rows[0].is_of_pair:
        alone, what = "judge_difference", "the difference"
    has_shared_slope = rows[0].has_shared_slope
    columns = [
        Column(
            "counts as",
            [None if math.isnan(row.effective_topics) else f"{row.effective_topics:.0f}"
             for row in rows],
            legend="Counts as: how many topics judged only by people would give an interval as "
            f"short.{_ONE_SLOPE if has_shared_slope else ''}{_about_notes(rows)}",
            optional=True,
        ),
        Column(
            f"people {percent(rows[0].level)}",
            [Interval(row.human_low, row.human_high) for row in rows],
            legend=f"People: the t interval of people's scores only, on {rows[0].human_topics} "
            "topics.",
            optional=True,
        ),
        Column(
            "judge",
            [getattr(row, alone) for row in rows],
            legend=f"Judge: {what} of the judge's scores only, on all its topics.",
            optional=True,
        ),
        Column(
            "r",
            [row.correlation for row in rows],
            legend="r: correlation of people's scores and the judge's, topic by topic"
            f"{', for all differences of runs' if has_shared_slope else ''}.",
            optional=True,
        ),
    ]  # fmt: skip
    is_told_below = len(rows) > 1 and len({row.correlation for row in rows}) == 1  # `gain_of`
    return columns[:-1] if is_told_below else columns


def _about_notes(rows: Sequence[Any]) -> str:
    """Return what notes about a judge mean, those that there are."""
    doubts = 0
    for row in rows:
        doubts |= row.doubts
    return "".join(f" {text}" for doubt, text in _NOTES.items() if doubts & doubt)


def _of_bounds(rows: Sequence[Any]) -> list[Column]:
    """Return the column of what means or differences could be, however documents are judged."""
    names = ("least", "largest")
    if rows[0].is_of_pair:
        names = ("least_difference", "largest_difference")
    return [
        Column(
            "could be",
            [Interval(*(getattr(row, name) for name in names)) for row in rows],
            legend="Could be: on these topics, however unjudged documents would be judged.",
        )
    ]


def gain_of(rows: Sequence[Any], facts: Facts, noun: str = "run") -> str:
    """Return in words what a cheaper judge gains; empty without one, or without further topics.

    `With this judge (r .65), 25 topics judged by people are worth as much as 37.` Of several rows,
    each of them a `noun`, it is that of the median.
    """
    known = [row for row in rows if not math.isnan(row.effective_topics) and row.slope]
    if not has_judge(facts) or not known:
        return ""
    effective = round(median(row.effective_topics for row in known))
    people = known[0].human_topics
    r = median(row.correlation for row in known)
    of_r = "" if math.isnan(r) else f" (r {r:.2f})".replace("0.", ".", 1)
    middle = f", for the median {noun}" if len(known) > 1 else ""
    no_more = ": the judge does not help" if effective <= people else ""
    topics = f"{count(people, 'topic')} judged by people are worth as much as {effective}"
    return f"With this judge{of_r}, {topics}{middle}{no_more}."
