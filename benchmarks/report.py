"""docs/benchmarks.md from what was measured."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.growth import Growth
from benchmarks.harness import ROUNDS, Remark, Row

Rows = Sequence[Row | Growth | Remark]

_INTRODUCTION = f"""# Benchmarks

This page shows how fast confint is beside its peers, and how its time and memory grow with the
work. `make bench` measures everything and writes the page.

How to read the tables:

- **Time** is all that a user waits for, with the start of Python and reading, unless a row says
  otherwise. Each contestant runs in a process of its own, in turns with its peer. The fastest of
  {ROUNDS} times counts; the slowest contestants run only once.
- **Ratio** is the time of the peer, divided by that of confint. Above 1, confint is faster.
- **Memory** is that of all processes together.
- **Goal** is what confint should reach. '20 times' and '0.71 times or more' are about the ratio. A
  goal that is missed stays in the table.

Before a peer that does the same job is timed, its scores, limits and p-values are checked: they
have to be those of confint, within chance."""


def page(sections: Mapping[str, Rows], *, machine: str, versions: str, data: str, day: str) -> str:
    """Return the whole page."""
    parts = [_INTRODUCTION, f"Measured on {day}: {machine}.\n\n{versions}."]
    if data:
        parts.append(data)
    parts += [section(title, rows) for title, rows in sections.items()]
    return "\n\n".join(parts) + "\n"


def section(title: str, rows: Rows) -> str:
    """Return what was measured of one thing: a table, and remarks below it."""
    contests = [row for row in rows if isinstance(row, Row)]
    growths = [row for row in rows if isinstance(row, Growth)]
    remarks = [row for row in rows if isinstance(row, Remark)]
    parts = [f"## {title}"]
    if contests:
        parts.append(_contests(contests))
    if growths:
        parts.append(_growths(growths))
    return "\n\n".join([*parts, *remarks])


def _contests(rows: Sequence[Row]) -> str:
    return _table(
        {"workload": "---", "confint": "---:", "memory": "---:", "peer": "---", "its time": "---:",
         "ratio": "---:", "goal": "---"},
        [
            (row.workload, f"{seconds(row.ours.seconds)} s", f"{row.ours.megabytes:,.0f} MB",
             row.peer, f"{seconds(row.theirs.seconds)} s", seconds(row.ratio), row.goal)
            for row in rows
        ],
    )  # fmt: skip


def _growths(rows: Sequence[Growth]) -> str:
    return _table(
        {"job": "---", "grows with": "---", "sizes": "---", "seconds": "---", "MB": "---",
         "exponent": "---:", "expected": "---"},
        [
            (row.job, row.by, _in_order(f"{size:,}" for size in row.sizes),
             _in_order(seconds(timing.seconds) for timing in row.timings),
             _in_order(f"{timing.megabytes:,.0f}" for timing in row.timings),
             f"{row.exponent:.2f}", row.expected)
            for row in rows
        ],
    )  # fmt: skip


def _in_order(figures: Iterable[str]) -> str:
    return " · ".join(figures)


def _table(columns: Mapping[str, str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(columns), list(columns.values()), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def seconds(value: float) -> str:
    """Return a time or a ratio with about three digits, which is more than repeats."""
    if value < 10:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"
