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


_LISTED = 3  # methods in a title; keys name them all


def records(table: Table) -> list[Record]:
    """Return a record of each row, with what only figures show of it.

    Measures of standardised scores are called that.
    """
    columns = {column.name: column.values for column in table.columns} | dict(table.for_figure)
    if "measure" in columns:
        kinds = _standardized(table.signature)
        columns["measure"] = [
            f"{kinds.get(str(measure), kinds.get('', ''))}{measure}"
            for measure in columns["measure"]
        ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _standardized(signature: Mapping[str, str]) -> dict[str, str]:
    """Return what comes before the names of measures; that of all, without a name."""
    if "standardize" in signature:
        return {"": _STANDARDIZED}
    measures, scales = (signature.get(name, "").split(",") for name in ("measures", "scale"))
    return {measure: _STANDARDIZED for measure, scale in zip(measures, scales) if scale}  # noqa: B905


def grouped(rows: Sequence[Record], *names: str) -> Iterator[list[Record]]:
    """Yield rows that follow one another and are the same in what has these names."""
    for _, group in groupby(rows, lambda row: [row[name] for name in names]):
        yield list(group)


def values_of(rows: Sequence[Record], name: str) -> list[Any]:
    """Return the different values there are, in the order in which they come."""
    return list(dict.fromkeys(row[name] for row in rows))


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


@dataclass(frozen=True)
class PairsSheet:
    """The rows of some pairs by one measure."""

    rows: Sequence[Record]
    all_pairs: bool

    @property
    def measure(self) -> str:
        """The measure they are compared by."""
        return short(self.rows[0]["measure"])

    @property
    def names(self) -> list[tuple[str, str]]:
        """The pairs, run and baseline, each once."""
        return list(dict.fromkeys((row["run"], row["baseline"]) for row in self.rows))

    @property
    def labels(self) -> list[str]:
        """What the pairs are called: by their runs, if the baseline is in the title."""
        if not self.all_pairs:
            return [short(run) for run, _ in self.names]
        return [f"{short(run, 21)} − {short(other, 21)}" for run, other in self.names]

    @property
    def title(self) -> str:
        """Which pairs these are."""
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
        """What a row is."""
        return "pair" if self.all_pairs else "run"


def pairs_sheets(table: Table, rows: Sequence[Record]) -> Iterator[PairsSheet]:
    """Yield the pairs by each measure: with each baseline, or all of them."""
    all_pairs = table.signature.get("pairs") == "all"
    names = ("measure",) if all_pairs else ("measure", "baseline")
    for group in grouped(rows, *names):
        yield PairsSheet(group, all_pairs)
