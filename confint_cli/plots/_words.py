"""Words of headings that figures share."""

from collections.abc import Sequence

from confint_cli.plots._records import Record, values_of
from confint_cli.studies._words import percent, series
from confint_cli.text import count

_LISTED = 3  # methods in a title; keys name them all


def by_methods(rows: Sequence[Record]) -> str:
    """Return `95% t and percentile`, the levels and methods of some rows."""
    methods = values_of(rows, "method")
    levels = series([percent(level) for level in sorted(values_of(rows, "level"))])
    return f"{levels} {series(methods)}" if len(methods) <= _LISTED else levels


def sentences(*said: str) -> str:
    """Return those of the sentences that there are."""
    return " ".join(filter(None, said))


def of_topics(rows: Sequence[Record]) -> str:
    """Return `50 topics`, or `25 to 50 topics` where runs have topics of their own."""
    names = [name for name in ("topics", "baseline_topics") if name in rows[0]]
    numbers = [row[name] for row in rows for name in names]
    low, high = min(numbers), max(numbers)
    return count(high, "topic") if low == high else f"{low} to {high} topics"
