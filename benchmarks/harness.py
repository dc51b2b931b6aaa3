"""Timing of contestants: each in processes of its own, in turns, the fastest time of each."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
ROUNDS = 3


@dataclass(frozen=True)
class Timing:
    """The fastest of some runs of a command, and the most memory that any of them took.

    The memory is that of all processes together, as far as the system tells (Linux does).
    """

    seconds: float
    megabytes: float

    def times(self, factor: float) -> "Timing":
        """Return what more of the same would take."""
        return Timing(self.seconds * factor, self.megabytes)


@dataclass(frozen=True)
class Row:
    """A line of the report: what we take for a job, and what a peer takes."""

    workload: str
    ours: Timing
    peer: str
    theirs: Timing
    goal: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.theirs.seconds / self.ours.seconds


Remark = str  # stands below the table, for instance about a peer that is not there
Rows = list[Row | Remark]

READ = """
import sys, time
import numpy as np
from confint_cli.inputs.reading import Reader
from confint_cli.inputs import read_all
from confint_cli.scores.join import Joining, join
from confint_cli.scores.selection import Chooser
measures = sys.argv[1].split(",")
found = read_all(sys.argv[2:], Reader(Chooser(measures)))
scores, _ = join([reading for _, (_, reading) in found], Joining(measures=measures))
"""
"""What the code of a contestant begins with that gets measures and files, to be timed after it."""


def pin(cores: int | None) -> None:
    """Let this process use only so many cores."""
    if cores is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def measure(commands: Sequence[Sequence[str]], cores: int | None = None) -> Timing:
    """Run commands one after the other in fresh processes, on so many cores."""
    (took,) = _watch(commands, cores).splitlines()
    return Timing(*json.loads(took))


def self_timed(code: str, *args: object, cores: int | None = None) -> Timing:
    """Run Python code that prints its own time, for what is to be compared without start-up."""
    own, outer = _watch([python(code, *args)], cores, "--show").splitlines()
    return Timing(float(own), json.loads(outer)[1])


def _watch(commands: Sequence[Sequence[str]], cores: int | None, *options: str) -> str:
    listed = json.dumps([list(command) for command in commands])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.watch", *options, listed],
        check=False, stdout=subprocess.PIPE, text=True, cwd=ROOT, preexec_fn=lambda: pin(cores),
    )  # fmt: skip
    if done.returncode:
        sys.exit("a contestant failed")
    return done.stdout


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


def output_of(command: Sequence[str]) -> str:
    """Return what a command prints, to be checked before its time counts."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def confint(*args: object) -> list[str]:
    return [str(BIN / "confint"), *map(str, args)]


def python(code: str, *args: object) -> list[str]:
    return [sys.executable, "-c", code, *map(str, args)]


def say(what: str) -> None:
    """Tell who waits what is being done."""
    print(f"  {what}", file=sys.stderr, flush=True)
