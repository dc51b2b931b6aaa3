"""What tables for people have of groups of topics and repeats of runs."""

from collections.abc import Sequence
from typing import Any

from confint_cli.common.table import Column
from confint_cli.studies.facts import Facts
from confint_cli.studies.scope import has_groups, has_repeats

_ABOUT_EFFECT = (
    "Design effect: how many times as large the variance is as that of independent topics."
)
ABOUT_SHARE = "Repeat share: the part of the variance that more topics would not remove."


def of_design(rows: Sequence[Any], facts: Facts) -> list[Column]:
    """Return the columns of a table for people that the design of its rows has; plain ones: none.

    What groups do to the variance, and which part of it is that of repeats.
    """
    columns = []
    if has_repeats(facts):
        columns.append(Column("repeats", [row.repeats for row in rows], optional=True))
    if has_groups(facts):
        effects = [row.design_effect for row in rows]
        columns.append(Column("design effect", effects, legend=_ABOUT_EFFECT, optional=True))
    if has_repeats(facts):
        shares = [row.repeat_share for row in rows]
        columns.append(Column("repeat share", shares, legend=ABOUT_SHARE, optional=True))
    return columns
