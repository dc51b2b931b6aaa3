"""Speed, as ratios to peers measured in the same run, and how cost grows: `make bench`.

Each file that `WORKLOADS` names is a section of docs/benchmarks.md, with a `TITLE` and `rows()`.
With names of workloads, only those are measured, and the page is printed, not written. Real data
are used where CONFINT_DATA leads to them, else made ones of the same shape.
"""

import signal
import sys
import time
from importlib import import_module

from benchmarks import data
from benchmarks.harness import ROOT
from benchmarks.machine import machine, today, versions
from benchmarks.report import Rows, page

WORKLOADS = (
    "reading", "tables", "scoring", "interval", "compare", "designs", "judges", "bayes", "risk",
    "coverage", "starting", "growth", "scale", "page",
)  # fmt: skip


def main() -> None:
    """Measure everything and write docs/benchmarks.md."""
    chosen = sys.argv[1:] or WORKLOADS
    unknown = [name for name in chosen if name not in WORKLOADS]
    if unknown:
        sys.exit(f"no workload {unknown[0]}; there are: {', '.join(WORKLOADS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no gigabytes behind
    began = time.monotonic()
    sections: dict[str, Rows] = {}
    for place, name in enumerate(chosen, start=1):
        minutes = (time.monotonic() - began) / 60
        print(f"{place}/{len(chosen)} {name}, after {minutes:.1f} min", file=sys.stderr, flush=True)
        module = import_module(f"benchmarks.{name}")
        sections[module.TITLE] = module.rows()
    text = page(
        sections, machine=machine(), versions=versions(), data=data.pages_line(), day=today()
    )
    if chosen is WORKLOADS:
        (ROOT / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")
    print(text)
    minutes = (time.monotonic() - began) / 60
    print(f"all measured in {minutes:.1f} min", file=sys.stderr)


if __name__ == "__main__":
    main()
