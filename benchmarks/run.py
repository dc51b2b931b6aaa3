"""Speed, as ratios to peers measured in the same run: `make bench`.

Each file beside this one is a workload with its `rows()`. Needs the real data: CONFINT_DATA. With
names of workloads, only those are measured, and printed.
"""

import os
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from benchmarks.harness import DATA, ROOT, ROUNDS, Row

WORKLOADS = ("reading", "scoring", "interval", "compare", "bayes", "risk", "coverage", "starting")


def report(rows: Sequence[Row]) -> str:
    """Return the figures as a page."""
    peers = ("numpy", "scipy", "pytrec-eval-terrier", "ir_measures", "scikits.bootstrap", "numpyro")
    packages = ", ".join(f"{name} {_version(name)}" for name in peers if _version(name))
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Each contestant runs in a process of its own, in turns with its",
        f"peer; the fastest of {ROUNDS} times or more counts. A ratio above 1: confint is faster.",
        "The first two rows leave out the start of Python and its imports, the others have all",
        "that a user waits for.",
        "",
        f"Python {platform.python_version()}, {packages}; {os.cpu_count()} cores, "
        f"{platform.machine()}.",
        "",
        "| workload | confint | memory | peer | its time | ratio | goal |",
        "| --- | ---: | ---: | --- | ---: | ---: | --- |",
    ]
    lines += [
        f"| {row.workload} | {row.ours.seconds:.2f} s | {row.ours.megabytes:.0f} MB | {row.peer} "
        f"| {row.theirs.seconds:.2f} s | {row.ratio:.2f} | {row.goal} |"
        for row in rows
    ]
    return "\n".join([*lines, ""])


def _version(name: str) -> str:
    """Return the version of a package; nothing if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def main() -> None:
    """Measure everything and write docs/benchmarks.md."""
    if not DATA.is_dir():
        sys.exit("make bench needs real evaluation data: set CONFINT_DATA to their folder")
    chosen = sys.argv[1:] or WORKLOADS
    text = report([row for name in chosen for row in import_module(f"benchmarks.{name}").rows()])
    print(text)
    if chosen is not WORKLOADS:
        return
    (ROOT / "docs").mkdir(exist_ok=True)
    (ROOT / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
