"""A made shared task on disk: judgements, and as many runs as a measurement needs."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import confint
from benchmarks.made import Task


@dataclass(frozen=True)
class Collected:
    """Judgements and runs on disk."""

    qrels: Path
    runs: list[Path]

    def call(self, *words: object, runs: int | None = None) -> list[str]:
        """Return the call of a command on the first runs, or all."""
        return confint(*words, "--qrels", self.qrels, *self.runs[:runs])


def collect(folder: Path, task: Task, runs: int) -> Collected:
    """Make the judgements and so many runs of a task, but for those that are there."""
    found = Collected(
        task.write_judgements(folder / "qrels.txt"),
        [folder / f"run{run:04}.txt" for run in range(runs)],
    )
    for run, path in enumerate(found.runs):
        if not path.exists():
            begun = path.with_suffix(".part")  # what was interrupted is not taken for a whole run
            task.write_run(begun, run).replace(path)
    return found
