"""Published results: a table of run, measure, mean, standard deviation and number of topics."""

from dataclasses import dataclass

from confint_cli.errors import DataError
from confint_cli.inputs._columns import MEASURE, RUN, check_width, open_table
from confint_cli.inputs._source import Source, read_source
from confint_cli.measures import canonical
from confint_cli.text import number, quoted, visible, why_no_number, without_guard

_COLUMNS = {
    "run": RUN,
    "measure": MEASURE,
    "mean": frozenset({"mean"}),
    "sd": frozenset({"sd", "std", "stdev", "stddev"}),
    "n": frozenset({"n", "topics"}),
}


@dataclass(frozen=True)
class Published:
    """What a paper says about a run."""

    run: str
    measure: str
    mean: float
    sd: float  # with n-1
    topics: int


def read_published(path: str) -> list[Published]:
    """Read a table, also one that `confint interval` wrote; further columns are left alone."""
    source = read_source(path)
    header, rows = open_table(source)
    places = {name: header.find(spellings) for name, spellings in _COLUMNS.items()}
    missing = [name for name, place in places.items() if place is None]
    if {"mean", "sd"} <= set(missing):
        raise DataError(
            source.name,
            "is no table of run, measure, mean, sd and n",
            "per-topic scores are for 'confint interval' and 'confint compare'",
        )
    if missing:
        raise source.error(1, f"the table has no column {' and none '.join(map(quoted, missing))}")
    known = {name: place for name, place in places.items() if place is not None}
    found: dict[tuple[str, str], Published] = {}
    for line, cells in rows:
        check_width(source, line, cells, len(header.cells))
        row = {name: cells[place].strip() for name, place in known.items()}
        one = Published(
            visible(without_guard(row["run"])),
            visible(without_guard(row["measure"])),
            _number(source, line, "mean", row["mean"]),
            _number(source, line, "sd", row["sd"]),
            _topics(source, line, row["n"]),
        )
        if not one.run or not one.measure:
            raise source.error(line, f"the {'measure' if one.run else 'run'} has no name")
        if one.sd < 0:
            raise source.error(line, f"the sd is {one.sd:g}, and cannot be below 0")
        # A table of intervals has a row for each method, with the same mean in all of them.
        if found.setdefault((one.run, canonical(one.measure)), one) != one:
            raise source.error(
                line, f"another row for {quoted(one.run)} and {quoted(one.measure)} differs"
            )
    if not found:
        raise DataError(source.name, "has no rows")
    return list(found.values())


def _number(source: Source, line: int, name: str, text: str) -> float:
    try:
        return number(text)
    except ValueError:
        problem = f"the {name} is {why_no_number(text)}: {quoted(text)}"
        raise source.error(line, problem) from None


def _topics(source: Source, line: int, text: str) -> int:
    value = _number(source, line, "number of topics", text)
    if value != int(value) or value < 2:
        raise source.error(line, f"n is {quoted(text)}: it takes a whole number, 2 or more")
    return int(value)
