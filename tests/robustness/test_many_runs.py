"""Many runs: read and scored one by one, so that memory does not grow with their number."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.robustness.promises import promise

TOPICS, DOCUMENTS = 40, 1000
MEASURED = """
import resource, runpy, sys
sys.argv[0] = "confint"
try:
    runpy.run_module("confint_cli", run_name="__main__")
except SystemExit as end:
    assert end.code in (0, None), end.code
print(max(resource.getrusage(who).ru_maxrss for who in
          (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)), file=sys.stderr)
"""


def lines(seed: int) -> str:
    """Return a run with documents of its own."""
    random = np.random.default_rng(seed)
    return "".join(
        f"{topic} Q0 collection-en{rank:04d}-{some:04d} {rank} {DOCUMENTS - rank}.5 tag\n"
        for topic in range(TOPICS)
        for rank, some in enumerate(random.integers(10**4, size=DOCUMENTS).tolist(), start=1)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs under many names, of which each is read by itself, and judgements of the first one."""
    folder = tmp_path_factory.mktemp("runs")
    contents = [lines(seed) for seed in range(3)]
    for number in range(30):
        (folder / f"{number}.run").write_text(contents[number % 3])
    judged = [line.split() for line in contents[0].splitlines()[::50]]
    (folder / "qrels").write_text("".join(f"{row[0]} 0 {row[2]} 1\n" for row in judged))
    return folder


def kilobytes(folder: Path, runs: int, jobs: int) -> int:
    """Return the most memory that any process of a call took."""
    names = [str(folder / f"{number}.run") for number in range(runs)]
    call = ["interval", "-q", str(folder / "qrels"), "-m", "map", "--method", "t", *names]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *call, "--jobs", str(jobs), "--quiet"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.count("\n") == runs + 1
    return int(done.stderr)


@promise(
    "hundreds of runs (`benchmarks/scale.py` makes 500 of them, 100 million lines)",
    "they are read and scored one by one: memory does not grow with their number",
)
@pytest.mark.skipif(sys.platform != "linux", reason="others count memory in other units")
@pytest.mark.parametrize("jobs", [1, 2])
def test_memory_does_not_grow_with_the_number_of_runs(jobs: int, folder: Path) -> None:
    a_run = os.path.getsize(folder / "0.run") / 1024
    few, many = kilobytes(folder, 3, jobs), kilobytes(folder, 30, jobs)
    assert many - few < 5 * a_run  # all there are would take a hundred times that
