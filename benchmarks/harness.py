"""Timing of contestants: each in processes of its own, in turns, the fastest time of each."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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

READ = """
import sys, time
import numpy as np
from confint_cli.inputs import Reader, read_all
from confint_cli.joining import Joining, join
from confint_cli.selection import Chooser
measures = sys.argv[1].split(",")
found = read_all(sys.argv[2:], Reader(Chooser(measures)))
scores, _ = join([reading for _, reading in found], Joining(measures=measures))
"""
"""What the code of a contestant begins with that gets measures and files, to be timed after it."""


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
