"""Which scores a call wants, and how: a record that costs nothing to import."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confint_cli.common.parallel import Workers


@dataclass(frozen=True)
class Request:
    """Which scores to read or to compute."""

    files: tuple[str, ...]
    qrels: str | None  # judgements: then the files are runs, to be scored against these
    measure: tuple[str, ...]
    missing: str  # what becomes of a topic that some run lacks: zero, drop or error …
    gaps: bool  # … and whether blanks in tables are such topics too, as that was said
    topics: str | None
    every: int
    rel_level: int | None
    input_format: str | None
    run_names: str | None
    name_from: str
    measure_name: str | None
    keep_going: bool  # whether files that cannot be used are left out
    workers: "Workers"

    @property
    def paths(self) -> list[str]:
        """All files that it names."""
        return [*self.files, *filter(None, [self.qrels, self.topics, self.run_names])]
