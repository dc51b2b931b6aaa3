"""Telling `measure topic value` (trec_eval) from `topic measure value` (ir_measures)."""

from confint_cli.inputs._columns import TOPIC, header_of
from confint_cli.inputs._format import Head, once
from confint_cli.inputs._rows import SUMMARY
from confint_cli.measures import is_known, is_mean_of_topics
from confint_cli.text import looks_numeric


@once
def measure_column(head: Head) -> int | None:
    """Return 0 or 1, the column that holds the measure, or None where lines are otherwise made.

    Known names and the place of the summary row decide; where they leave it open, trec_eval's
    padding before the first tab, or the one column that holds numbers.
    """
    if not head.lines or head.lines[0].startswith("\t"):
        return None  # a header, whose corner is empty
    header = header_of(head)
    if (
        header is not None
        and header.find(TOPIC) is not None
        and not looks_numeric(header.cells[-1])
    ):
        return None  # a table that says itself what its columns are
    rows = [fields for line in head.lines if len(fields := line.split()) == 3]
    rows = [row for row in rows if looks_numeric(row[2]) or not is_mean_of_topics(row[0])]
    rows = [row for row in rows if not row[1].endswith("=")]  # NTCIREVAL's `0001 AP= 0.5`
    if not rows or len(rows) < len(head.lines) / 2:
        return None
    first = sum(is_known(row[0]) + (row[1] in SUMMARY) for row in rows)
    second = sum(is_known(row[1]) + (row[0] in SUMMARY) for row in rows)
    if first == second:
        first = sum(" \t" in line for line in head.lines)
    if first == second:
        first = sum(looks_numeric(row[1]) for row in rows)
        second = sum(looks_numeric(row[0]) for row in rows)
        column = int(second > first)
        if len({row[column] for row in rows}) == len(rows):
            return None  # no measure comes twice: rather judgements, `topic document grade`
    return None if first == second else int(second > first)
