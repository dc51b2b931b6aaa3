"""Run commands, and print what they took: seconds, and memory of all their processes together.

    python -m benchmarks.watch [--show] '[["confint", "--help"]]'

A process of its own, and a small one: the system counts the memory that a process begins with, a
copy of whoever started it, as its own. With --show what the commands print is printed first.
"""

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

_PAUSE = 0.1  # seconds between two looks at the memory
_PROC = "/proc"


def watch(commands: Sequence[Sequence[str]], *, show: bool) -> tuple[float, float]:
    """Run commands one after the other; return the seconds and the most megabytes in use."""
    out = None if show else subprocess.DEVNULL
    largest = 0.0
    began = time.perf_counter()
    for command in commands:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE)
        looking = _Looking(process.pid)
        looking.start()
        _, said = process.communicate()
        looking.ended.set()
        if process.returncode:
            sys.stderr.buffer.write(said)
            sys.exit(f"exit status {process.returncode}: {' '.join(command)[:200]}")
        looking.join()
        largest = max(largest, looking.largest)
    seconds = time.perf_counter() - began
    # What lives too short for a look is known at least for the largest process.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    of_one = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
    return seconds, max(largest, of_one)


class _Looking(threading.Thread):
    """Looks at the memory of a process and its descendants, until they have ended."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.ended = threading.Event()
        self.largest = 0.0

    def run(self) -> None:
        while not self.ended.wait(_PAUSE):
            self.largest = max(self.largest, sum(map(megabytes, family(self.pid))))


def family(pid: int) -> list[int]:
    """Return a process and its descendants; it alone where there is no /proc."""
    found = [pid]
    for parent in found:  # which grows
        tasks = f"{_PROC}/{parent}/task"
        try:
            for task in os.listdir(tasks):
                with open(f"{tasks}/{task}/children") as children:
                    found += map(int, children.read().split())
        except OSError:  # it has ended
            continue
    return found


def megabytes(pid: int) -> float:
    """Return the memory of a process, what it shares with others divided among them; or 0."""
    try:
        with open(f"{_PROC}/{pid}/smaps_rollup") as lines:
            return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    except OSError:  # it has ended, or this is another system
        return 0.0


if __name__ == "__main__":
    *options, listed = sys.argv[1:]
    took = watch(json.loads(listed), show="--show" in options)
    print(json.dumps(took), flush=True)
