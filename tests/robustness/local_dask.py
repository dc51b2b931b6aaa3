"""A cluster of dask to test and measure with."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

from tests.conftest import ROOT


class LocalDask:
    """A real cluster of worker processes, in a process of its own."""

    def __init__(self, workers: int = 2) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.robustness.dask_cluster", str(workers)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=ROOT, start_new_session=True,
        )  # fmt: skip
        self.executor = f"dask://{self.answer()}"

    def answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line, "the cluster has ended"
        return line

    def ask(self, what: str) -> Callable[[], str]:
        """Ask for something; what is returned waits for the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return self.answer

    def end(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
