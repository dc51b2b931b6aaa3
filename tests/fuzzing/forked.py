"""The program called in a forked child of a process that has imported everything already.

A new process for each call would spend half a second on imports; a fork takes a few hundredths.
"""

import faulthandler
import fcntl
import gc
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import traceback
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import confint_cli
from confint_cli.app import cli as program
from confint_cli.common.parallel import prepare_for_arrays
from confint_cli.common.records import modules_in

prepare_for_arrays()  # before numpy is imported, which would start threads

LONGEST = 20  # seconds for a call: none has more work than for two or three
_STREAMS = (("r", "strict"), ("w", "strict"), ("w", "backslashreplace"))  # as Python opens them
_LAST_WORDS = 1  # second, for a call that hangs to say where


@dataclass(frozen=True)
class Call:
    """A command line and what is around it."""

    args: list[str]
    stdin: str = ""  # a file's name; there is nothing to read without one
    environment: dict[str, str] = field(default_factory=dict)
    width: int = 0  # of the terminal that gets the result; 0 is a file instead


@dataclass(frozen=True)
class Ended:
    """How a call ended; a status below 0 is a signal's."""

    status: int
    out: bytes
    err: bytes
    hangs: bool  # or has left a process behind


def import_everything() -> None:
    """Import what any call may need, so that forked children have it."""
    for folder, _, _ in os.walk(confint_cli.__path__[0]):
        package = ".".join(
            ["confint_cli", *Path(folder).relative_to(confint_cli.__path__[0]).parts]
        )
        for name in modules_in([folder], besides=["__main__"]):
            import_module(f"{package}.{name}")
    for name in ("matplotlib.pyplot", "scipy.stats", "rich.table"):
        import_module(name)
    context = click.Context(program.cli)
    for name in program.cli.list_commands(context):
        program.cli.get_command(context, name)
    gc.freeze()  # or each child would copy all of it when it looks for garbage


def run(call: Call, folder: Path, limit: float = LONGEST) -> Ended:
    """Call the program in that folder, and wait for it and all its processes to end."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        ours, theirs = _terminal(call.width) if call.width else (-1, out.fileno())
        over, held = os.pipe()  # is at its end as soon as the call and all its workers are
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which tests may have
            child = os.fork()
        if not child:
            _be_the_program(call, folder, theirs, err.fileno())
        os.close(held)
        if call.width:
            os.close(theirs)
        shown, ended = _watched(ours, over, limit)
        if not ended:
            os.kill(child, signal.SIGUSR1)
            time.sleep(min(_LAST_WORDS, limit))
            _kill_all(child)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(over)
        out.seek(0)
        err.seek(0)
        return Ended(status, shown if call.width else out.read(), err.read(), not ended)


def _kill_all(child: int) -> None:
    """End a call that hangs, and the processes that it has started."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:  # it has not come to have a group of its own
        os.kill(child, signal.SIGKILL)


def _terminal(width: int) -> tuple[int, int]:
    """Return the two ends of a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    return ours, theirs


def _watched(terminal: int, over: int, limit: float) -> tuple[bytes, bool]:
    """Return what a terminal shows, if there is one, and whether the call ended in time."""
    deadline = time.monotonic() + limit
    shown = bytearray()
    open_ends = {over, terminal} - {-1}
    while open_ends and (left := deadline - time.monotonic()) > 0:
        for ready in select.select([*open_ends], [], [], left)[0]:
            try:
                data = os.read(ready, 1 << 16)
            except OSError:  # so ends a terminal that nobody writes to any more
                data = b""
            shown += data
            if not data:
                open_ends.discard(ready)
    if terminal >= 0:
        os.close(terminal)
    return bytes(shown), not open_ends


def _show_warning(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Show a warning where pytest would rather keep it."""
    sys.stderr.write(warnings.formatwarning(message, category, *place[:2]))


def _be_the_program(call: Call, folder: Path, out: int, err: int) -> None:
    """Become a process that has nothing of this one but its modules; do not return."""
    os.setsid()
    source = os.open(call.stdin or os.devnull, os.O_RDONLY, dir_fd=os.open(folder, os.O_RDONLY))
    environment = {"PATH": os.defpath, "HOME": str(folder), **call.environment}
    become(call.args, str(folder), environment, (source, out, err))


def become(
    args: list[str], folder: str, environment: dict[str, str], streams: tuple[int, int, int]
) -> None:
    """Call the program in this process, with these streams, and end it."""
    status = 1
    try:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        for ours, stream in enumerate(streams):
            os.dup2(stream, ours)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(ours, mode, encoding="utf-8", errors=errors, closefd=False)
            for ours, (mode, errors) in enumerate(_STREAMS)
        )
        warnings.showwarning = _show_warning  # all are, whatever hides them from users or tests
        warnings.resetwarnings()
        warnings.simplefilter("always")
        faulthandler.enable(sys.stderr, all_threads=False)
        faulthandler.register(signal.SIGUSR1, file=sys.stderr, all_threads=False)
        program.main(args)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                status = 120  # as Python ends where it cannot flush
        os._exit(status)
