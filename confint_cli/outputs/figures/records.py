"""The rows of a table as figures need them: grouped, paired, and in the words of their titles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from confint_cli.common.table import Table
from confint_cli.common.text import count
from confint_cli.common.words import percent, series
from confint_cli.outputs.figures.paper import short

Record = dict[str, Any]
_STANDARDIZED = "standardised "
_LISTED = 3  # methods that a title names at most; keys name them all


def records(table: Table) -> list[Record]:
    """Return a record for each row of a table: its values by column, and those for figures only.

    The names of measures of standardised scores begin with `standardised`.
    """
    columns = {column.name: column.values for column in table.columns} | dict(table.for_figure)
    if "measure" in columns:
        prefixes = _prefixes(table.signature)
        columns["measure"] = [
            f"{prefixes.get(str(measure), prefixes.get('', ''))}{measure}"
            for measure in columns["measure"]
        ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _prefixes(signature: Mapping[str, str]) -> dict[str, str]:
    """Return the prefixes of measures' names, by measure; under "", that of all measures."""
    if "standardize" in signature:
        return {"": _STANDARDIZED}
    measures, scales = (signature.get(name, "").split(",") for name in ("measures", "scale"))
    return {measure: _STANDARDIZED for measure, scale in zip(measures, scales) if scale}  # noqa: B905


def grouped(rows: Sequence[Record], *names: str) -> Iterator[list[Record]]:
    """Yield groups of rows that follow one another and have equal values under these `names`."""
    for _, group in groupby(rows, lambda row: [row[name] for name in names]):
        yield list(group)


def values_of(rows: Sequence[Record], name: str) -> list[Any]:
    """Return the values that rows have under this `name`, each once, in the order of the rows."""
    return list(dict.fromkeys(row[name] for row in rows))


def by_methods(rows: Sequence[Record]) -> str:
    """Return `95% t and percentile`: the levels of some rows, and the methods if they are few."""
    methods = values_of(rows, "method")
    levels = series([percent(level) for level in sorted(values_of(rows, "level"))])
    return f"{levels} {series(methods)}" if len(methods) <= _LISTED else levels


def sentences(*texts: str) -> str:
    """Return the sentences as one text; some of them may be empty."""
    return " ".join(filter(None, texts))


def of_topics(rows: Sequence[Record]) -> str:
    """Return `50 topics`, or `25 to 50 topics` where runs have topics of their own."""
    names = [name for name in ("topics", "baseline_topics") if name in rows[0]]
    numbers = [row[name] for row in rows for name in names]
    low, high = min(numbers), max(numbers)
    return count(high, "topic") if low == high else f"{low} to {high} topics"


@dataclass(frozen=True)
class PairsSheet:
    """The rows of some pairs by one measure."""

    rows: Sequence[Record]
    all_pairs: bool

    @property
    def measure(self) -> str:
        """The measure that the pairs are compared by, short enough for a title."""
        return short(self.rows[0]["measure"])

    @property
    def names(self) -> list[tuple[str, str]]:
        """The pairs as (run, baseline), each once."""
        return list(dict.fromkeys((row["run"], row["baseline"]) for row in self.rows))

    @property
    def labels(self) -> list[str]:
        """The labels of the pairs: their runs alone if the title has the baseline."""
        if not self.all_pairs:
            return [short(run) for run, _ in self.names]
        return [f"{short(run, 21)} − {short(other, 21)}" for run, other in self.names]

    @property
    def title(self) -> str:
        """The title, which says which pairs these are."""
        number = len(self.names)
        runs = {name for pair in self.names for name in pair}
        if number == 1:
            run, baseline = self.names[0]
            return f"{short(run)} less {short(baseline)}"
        if self.all_pairs:
            return f"{count(number, 'difference')} of {count(len(runs), 'run')}"
        return f"{count(number, 'run')} compared with {short(self.rows[0]['baseline'])}"

    @property
    def noun(self) -> str:
        """The noun for a row in texts."""
        return "pair" if self.all_pairs else "run"


def pairs_sheets(table: Table, rows: Sequence[Record]) -> Iterator[PairsSheet]:
    """Yield a sheet for each measure and baseline; for all pairs, one for each measure."""
    all_pairs = table.signature.get("pairs") == "all"
    names = ("measure",) if all_pairs else ("measure", "baseline")
    for group in grouped(rows, *names):
        yield PairsSheet(group, all_pairs)
