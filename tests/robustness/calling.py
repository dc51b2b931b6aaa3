"""The real program in a process of its own, with what can go wrong around it."""

import ctypes
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLES

if sys.platform != "win32":
    import resource

PATIENCE = 180  # seconds, for what takes a fraction of one on a machine that is not busy

EVALS = [str(path) for path in sorted((SAMPLES / "trec_eval").glob("*.eval"))]
BM25 = str(SAMPLES / "trec_eval/bm25.eval")
QRELS = str(SAMPLES / "qrels.txt")

_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2  # of Linux


@dataclass(frozen=True)
class Done:
    """How a call ended."""

    status: int
    out: str
    err: str


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "confint_cli", *map(str, args)]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


def call(
    *args: object,
    before: Callable[[], None] | None = None,
    env: Mapping[str, str] | None = None,
    code: str = "",
    **options: Any,
) -> Done:
    """Run the program to its end, `before` in its process first.

    `code` is Python that runs before it, to bring a fault to where it cannot be brought from
    outside; it has `os` and `signal`.
    """
    words = command(*args)
    if code:
        program = f"import os, signal\n{code}\nfrom confint_cli.app.cli import main\nmain()\n"
        words = [sys.executable, "-c", program, *map(str, args)]
    for stream in ("stdout", "stderr"):
        options.setdefault(stream, subprocess.PIPE)
    done = subprocess.run(
        words,
        preexec_fn=before,
        env=environment(**(env or {})),
        timeout=PATIENCE,
        check=False,
        **options,
    )
    return Done(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())


def limit(kind: str, number: int) -> Callable[[], None]:
    """Return what sets a limit of the system, such as FSIZE, in the process to be."""
    which = getattr(resource, f"RLIMIT_{kind}")
    return lambda: resource.setrlimit(which, (number, number))


def as_an_ordinary_user() -> None:
    """Take from root the power over files whose mode forbids it, which no one else has."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for power in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            assert libc.prctl(_PR_CAPBSET_DROP, power, 0, 0, 0) == 0


@dataclass(frozen=True)
class Waiting:
    """The program, which waits for a run that comes through a named pipe."""

    process: subprocess.Popen[bytes]
    run: int  # the pipe's end to write the run to
    family: int  # is at its end as soon as the program and all its workers are

    def workers(self) -> list[int]:
        """Return the ids of its worker processes."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # ended meanwhile
            if int(fields[1]) == self.process.pid:
                found.append(int(path.parent.name))
        return found

    def send(self, content: bytes) -> None:
        """Let the run come that the program waits for."""
        os.write(self.run, content)
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), self.run)  # which ends the pipe

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return status and messages. No process may be left."""
        err = self.process.communicate(timeout=PATIENCE)[1]
        assert select.select([self.family], [], [], PATIENCE)[0], "a worker lives on"
        assert os.read(self.family, 1) == b""
        return self.process.returncode, err.decode()


@contextmanager
def waiting(
    folder: Path, *args: object, jobs: int, before: Callable[[], None] | None = None
) -> Iterator[Waiting]:
    """Start `confint score` on two runs, of which one has yet to come; yield when it waits."""
    pipe, big = folder / "never.run", folder / "big.run"
    os.mkfifo(pipe)
    big.write_bytes((SAMPLES / "runs/bm25.run").read_bytes() + b"#" * 3_000_000)
    words = command("score", "-q", QRELS, "-m", "map", pipe, big, "--jobs", jobs, *args)
    family, held = os.pipe()
    process = subprocess.Popen(
        words,
        stderr=subprocess.PIPE,
        pass_fds=[held],
        env=environment(),
        preexec_fn=before,
        cwd=folder,
        start_new_session=True,  # a group of its own, to send signals to
    )
    os.close(held)
    run = os.open(pipe, os.O_WRONLY)  # waits for the reader
    _wait_until_it_sleeps(process.pid)
    try:
        yield Waiting(process, run, family)
    finally:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()
        os.close(run)
        os.close(family)
        pipe.unlink(missing_ok=True)
        big.unlink(missing_ok=True)


def _wait_until_it_sleeps(process: int) -> None:
    """Wait until a process does nothing but wait.

    A signal that comes between Python's last look for one and the system call that waits is
    noticed when that call ends, which is never here.
    """
    stat = Path(f"/proc/{process}/stat")
    looks = 0
    deadline = time.monotonic() + PATIENCE
    while looks < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
        is_asleep = not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "S"
        looks = looks + 1 if is_asleep else 0


def files_in(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, hidden files too, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs what only Linux has")
