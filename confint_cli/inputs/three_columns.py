"""Lines of three words: `measure topic value` (trec_eval) or `topic measure value` (ir_measures).

This module finds out which of the two a file is, and whether its measures may be runs instead.
"""

from dataclasses import replace

from confint_cli.common.errors import DataError, note
from confint_cli.common.measures import is_known, is_mean_of_topics, looks_like_a_measure
from confint_cli.common.text import listed, looks_numeric, quoted
from confint_cli.inputs.header import TOPIC, header_of
from confint_cli.inputs.reading import Head, Reading, once
from confint_cli.inputs.rows import SUMMARY
from confint_cli.inputs.source import Source

_LOOKED_AT = 100  # measures of a file that are checked for doubts


@once
def measure_column(head: Head) -> int | None:
    """Return the column that holds the measure, 0 or 1, or None for other lines.

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


def with_doubts(source: Source, reading: Reading) -> Reading:
    """Return the `reading`, with a note if its measures may be runs.

    Raise DataError if each measure has the name of a file before it, as `grep map *.eval` prints.
    """
    names = reading.measures[:_LOOKED_AT]
    names_in_parts = [name.rpartition(":") for name in names]
    if all(file and is_known(measure) for file, _, measure in names_in_parts):
        raise DataError(
            source.name,
            f"measures such as {quoted(names[0])} have the name of a file before them",
            "grep -h leaves out the name, but each run needs a file of its own",
        )
    if not reading.lacks_summary or any(map(looks_like_a_measure, names)):
        return reading
    shown = listed([quoted(name, 40) for name in names], 3)
    doubt = note(
        f"{shown} {'is an unknown measure' if len(names) == 1 else 'are unknown measures'}; if "
        "these are runs, give the table a header: run, topic, score",
        source.name,
    )
    return replace(reading, notices=[*reading.notices, doubt])
