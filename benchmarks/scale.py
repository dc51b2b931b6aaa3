"""Shared tasks at the largest sizes that are promised.

One has 500 runs, 200 topics and 1,000 documents per topic: 100 million lines. It is made in a
temporary folder and removed afterwards; CONFINT_SCALE_FOLDER is one to make it in, and to keep it
in. A twenty-fifth and a fifth of it show how time and memory grow. The other has 18 collections,
which the workers of a dask cluster score; one of them is killed meanwhile.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from benchmarks.data import scratch
from benchmarks.growth import Growth
from benchmarks.harness import Remark, confint, measure, say
from benchmarks.made import Task
from benchmarks.task import Collected, collect
from tests.robustness.local_dask import LocalDask

TITLE = "A large shared task"
TASK = Task(topics=200, depth=1000)
SIZES, SMALLER = (20, 100, 500), (4, 20, 100)  # runs
_BYTES_A_RUN = 11_000_000
COLLECTIONS, OF_COLLECTION = 18, 10  # runs of each


def rows() -> list[Growth | Remark]:
    """Return time and memory of `interval --qrels` on ever more runs; and one of them broken."""
    with _folder() as folder:
        sizes = SIZES if _has_room(folder, max(SIZES)) else SMALLER
        say(f"making {max(sizes)} runs of {TASK.topics * TASK.depth:,} lines")
        task = collect(folder, TASK, max(sizes))
        timings = []
        for runs in sizes:
            say(f"intervals of {runs} runs")
            timings.append(measure([task.call("interval", runs=runs)]))
        (smallest := folder / "smallest").mkdir(exist_ok=True)
        start = measure([collect(smallest, Task(2, 5), 2).call("interval")]).seconds
        growth = Growth(
            "`interval --qrels`, six measures, two methods; 200 topics, 1,000 documents per topic",
            "runs", sizes, timings, start, "1 at most",
        )  # fmt: skip
        found: list[Growth | Remark] = [growth, _in_words(growth)]
        others = {
            "standings.tsv": ("rank", "-m", "AP"),
            "page.html": ("report", "-m", "AP,nDCG@10"),
        }
        found += [_of_all(task, words, max(sizes), folder / out) for out, words in others.items()]
        if sizes is SMALLER:
            found.append("There was no room on the disk for all 500 runs.")
        if "--keep-going" in subprocess.check_output(confint("interval", "--help"), text=True):
            found.append(with_a_broken_run(task, sizes[1]))
    return [*found, on_a_cluster()]


def _of_all(task: Collected, words: Sequence[str], runs: int, out: Path) -> Remark:
    """Say what a command takes on all runs."""
    call = " ".join(words)
    say(f"{call} of {runs} runs")
    took = measure([[*task.call(*words, "--quiet", runs=runs), "-o", str(out)]])
    size = out.stat().st_size / 1e6
    out.unlink()
    return (
        f"`confint {call}` of all {runs} runs takes {took.seconds:.0f} s and {took.megabytes:,.0f} "
        f"MB, and writes {size:.1f} MB."
    )


def on_a_cluster() -> Remark:
    """Score 18 collections on a cluster, one of whose workers is killed: the same bytes."""
    if find_spec("distributed") is None:
        return "dask's distributed is not installed, so nothing was scored on a cluster."
    say(f"scoring {COLLECTIONS} collections on a cluster")
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        for place in range(COLLECTIONS):
            (folder := Path(name, f"collection{place:02d}")).mkdir()
            collect(folder, Task(topics=50, depth=1000, seed=place), OF_COLLECTION)
        call = [
            *confint("interval", "--qrels", f"{name}/{{collection}}/qrels.txt", "--labels",
                     "{collection}/{run}.txt", "-m", "AP,nDCG@10", "-f", "json"),
            *map(str, sorted(Path(name).glob("*/run*.txt"))),
        ]  # fmt: skip
        here = subprocess.run(call, check=True, capture_output=True).stdout
        cluster = LocalDask()
        try:
            killed = cluster.ask("kill")
            there = subprocess.run([*call, "--executor", cluster.executor], check=False,
                                   capture_output=True)  # fmt: skip
            at_work = killed() != "nobody was at work"
        finally:
            cluster.end()
    if there.stdout != here or there.returncode or not at_work:
        sys.exit(f"the cluster did not do what it should: {there.stderr.decode()}")
    runs = f"{COLLECTIONS} collections of {OF_COLLECTION} runs"
    return (
        f"The intervals of {runs}, scored by a dask cluster of two workers of which one was killed "
        f"at work, are the same {len(here):,} bytes as without a cluster."
    )


def _in_words(growth: Growth) -> Remark:
    """Say what the largest size took, and whether memory grew."""
    largest, lines = growth.timings[-1], growth.sizes[-1] * TASK.topics * TASK.depth
    return (
        f"{lines:,} lines of runs take {largest.seconds:.0f} s, "
        f"{lines / largest.seconds / 1e6:.2f} million lines per second. Each process reads one run "
        f"after the other. All processes together use {largest.megabytes:,.0f} MB (goal: under "
        f"1,500 MB); with the runs, this grows by an exponent of {growth.exponent_of_memory:.2f}."
    )


def with_a_broken_run(task: Collected, runs: int) -> Remark:
    """Check that --keep-going does all good runs, names the broken one, and ends with 1."""
    broken = task.qrels.parent / "broken.txt"
    whole = task.runs[0].read_bytes()
    broken.write_bytes(whole[: len(whole) // 2].rpartition(b" ")[0])  # without the last line's tag
    good = task.runs[:runs]
    files = [*good[: runs // 2], broken, *good[runs // 2 :]]
    done = subprocess.run(
        confint("interval", "--keep-going", "-m", "AP", "--method", "t", "--qrels", task.qrels,
                *files), capture_output=True, text=True, check=False,
    )  # fmt: skip
    broken.unlink()
    named = {line.split("\t")[1] for line in done.stdout.splitlines()[1:]}
    if (
        done.returncode != 1
        or named != {path.stem for path in good}
        or broken.name not in done.stderr
    ):
        sys.exit(f"--keep-going did not do what it should: {done.stderr}")
    return (
        f"With `--keep-going` and one broken file among {runs + 1}, confint computes the intervals "
        f"of all {runs} good runs, names the broken file at the end, and exits with status 1."
    )


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield where the collection is to be: a folder of the user's, or one that goes again."""
    kept = os.environ.get("CONFINT_SCALE_FOLDER")
    folder = Path(kept) if kept else scratch() / "scale"
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    if not kept:
        shutil.rmtree(folder)


def _has_room(folder: Path, runs: int) -> bool:
    needed = sum(not (folder / f"run{run:04}.txt").exists() for run in range(runs)) * _BYTES_A_RUN
    return shutil.disk_usage(folder).free > 2 * needed
