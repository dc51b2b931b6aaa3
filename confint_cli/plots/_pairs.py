"""Which pairs of runs stand on one sheet, and what their rows are called."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from confint_cli.plots._letters import short
from confint_cli.plots._records import Record, grouped
from confint_cli.table import Table
from confint_cli.text import count


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
