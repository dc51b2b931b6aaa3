"""Speed, as ratios to peers measured in the same run: `make bench`.

Every contestant runs in a process of its own, several times, in turns; the fastest time of each
counts, as it has the least of the machine's other work in it. Needs the real data: CONFINT_DATA.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("CONFINT_DATA", ROOT.parent / "shared" / "data"))
BIN = Path(sys.executable).parent
ROUNDS = 3


@dataclass(frozen=True)
class Timing:
    """The fastest of some runs of a command, and the most memory that any of them took."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Row:
    """A line of the report."""

    workload: str
    ours: Timing
    peer: str
    theirs: Timing
    goal: str

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.theirs.seconds / self.ours.seconds


_MEASURED = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
for command in json.loads(sys.argv[1]):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
seconds = time.perf_counter() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]))
"""


def pin(cores: int | None) -> None:
    """Let this process use only so many cores."""
    if cores is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def measure(commands: Sequence[Sequence[str]], cores: int | None = None) -> Timing:
    """Run commands one after the other in fresh processes, on so many cores."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, json.dumps([list(command) for command in commands])],
        check=True, capture_output=True, text=True, preexec_fn=lambda: pin(cores),
    )  # fmt: skip
    return Timing(*json.loads(done.stdout))


def self_timed(code: str, *args: object, cores: int | None = None) -> Timing:
    """Run Python code that prints its own time, for what is to be compared without start-up."""
    commands = json.dumps([python(code, *args)])
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED.replace("stdout=subprocess.DEVNULL, ", ""), commands],
        check=True, capture_output=True, text=True, preexec_fn=lambda: pin(cores),
    )  # fmt: skip
    own, outer = done.stdout.splitlines()
    return Timing(float(own), json.loads(outer)[1])


def compete(*contestants: Callable[[], Timing], rounds: int = ROUNDS) -> list[Timing]:
    """Measure all in turns, so that a slow minute of the machine hits each of them."""
    results: list[list[Timing]] = [[] for _ in contestants]
    for _ in range(rounds):
        for result, contestant in zip(results, contestants, strict=True):
            result.append(contestant())
    return [
        Timing(min(one.seconds for one in result), max(one.megabytes for one in result))
        for result in results
    ]


def confint(*args: object) -> list[str]:
    return [str(BIN / "confint"), *map(str, args)]


def python(code: str, *args: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, args)]


BARE_LOOP = """
import sys, time
began = time.perf_counter()
for path in sys.argv[1:]:
    with open(path) as lines:
        for line in lines:
            line.split()
print(time.perf_counter() - began)
"""

PYTREC_EVAL_LOOP = """
import gzip, sys
import pytrec_eval
with open(sys.argv[1]) as lines:
    qrels = pytrec_eval.parse_qrel(lines)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_10", "recip_rank"})
for path in sys.argv[2:]:
    with gzip.open(path, "rt") as lines:
        run = pytrec_eval.parse_run(lines)
    for topic, scores in evaluator.evaluate(run).items():
        for measure, score in scores.items():
            print(path, topic, measure, score)
"""


def reading() -> list[Row]:
    """The trec_eval files of three TREC collections: 273 files, 1.6 million lines, 53 MB.

    Reading alone without the start of Python and its imports; then a whole call, which also
    joins and writes 408,000 rows.
    """
    paths = sorted((DATA / "soboroff2014").glob("trec*/*.eval"))
    measures = "map,R-prec,recip_rank,P10,P30,P1000"
    ours, one_core, loop = compete(
        lambda: self_timed(OURS_READING, measures, *paths),
        lambda: self_timed(OURS_READING, measures, *paths, cores=1),
        lambda: self_timed(BARE_LOOP, *paths, cores=1),
        rounds=7,
    )
    whole, loop_whole = compete(
        lambda: measure([confint("score", "-m", measures, *paths)]),
        lambda: measure([python(BARE_LOOP, *paths)]),
    )
    goal = "faster, under 300 MB"
    return [
        Row("read 273 trec_eval files, six measures", ours, "splitting every line", loop, goal),
        Row("the same on one core", one_core, "splitting every line", loop, goal),
        Row("a whole `confint score` of them", whole, "splitting every line", loop_whole, ""),
    ]


OURS_READING = """
import sys, time
from confint_cli.inputs import Reader, formats, read_all
from confint_cli.selection import Chooser
formats()
began = time.perf_counter()
reader = Reader(Chooser([sys.argv[1]]))
readings = list(read_all(sys.argv[2:], reader))
print(time.perf_counter() - began)
assert all(len(reading.series) == 6 for _, reading in readings)
"""


def scoring() -> list[Row]:
    """17 real runs, 1.5 million lines."""
    folder = DATA / "robust2003-runs"
    qrels, runs = folder / "robust03_qrels.txt", sorted((folder / "runs").glob("*.gz"))
    call = confint("score", "-q", qrels, "-m", "AP,nDCG@10,P@10,RR", *runs)
    names = ("AP", "nDCG@10", "P@10", "RR")
    each = [[str(BIN / "ir_measures"), str(qrels), str(run), *names, "-q"] for run in runs]
    ours, one_core, loop, peers = compete(
        lambda: measure([call]),
        lambda: measure([[*call, "--jobs", "1"]], cores=1),
        lambda: measure([python(PYTREC_EVAL_LOOP, qrels, *runs)], cores=1),
        lambda: measure(each),
    )
    return [
        Row("score 17 runs, four measures", ours, "ir_measures, a call a run", peers, "5 times"),
        Row("the same", ours, "a pytrec_eval loop", loop, "faster"),
        Row("the same on one core", one_core, "a pytrec_eval loop", loop, "0.67 times or more"),
    ]


def starting() -> list[Row]:
    """What a user waits for at the least."""
    ours, bare = compete(
        lambda: measure([confint("--help")]), lambda: measure([python("import click")]), rounds=9
    )
    return [Row("`confint --help`", ours, '`python -c "import click"`', bare, "")]


def report(rows: Sequence[Row]) -> str:
    """Return the figures as a page."""
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("numpy", "pytrec-eval-terrier", "ir_measures")
    )
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


def main() -> None:
    """Measure everything and write docs/benchmarks.md."""
    if not DATA.is_dir():
        sys.exit("make bench needs real evaluation data: set CONFINT_DATA to their folder")
    rows = [*reading(), *scoring(), *starting()]
    text = report(rows)
    (ROOT / "docs").mkdir(exist_ok=True)
    (ROOT / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
