"""What the system gives and takes: signals that end the program, and memory.

Signals end it with their usual exit status, and never between two renames. Some libraries end the
program when memory runs out, or report it in their own way; so confint asks the system for memory
before they need it. If there is too little, a message says how much there is, and what would need
less.
"""

import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from confint_cli.common.errors import DataError

_ENDING = [
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
]  # SIGINT is Python's KeyboardInterrupt already; Windows has no SIGHUP
_ALL = [signal.SIGINT, *_ENDING]
_PRODUCTS = 40 << 20  # bytes that OpenBLAS maps at the first matrix product; numpy's asks for 32 MB
_SIDE = 128  # rows and columns of a matrix whose product needs them; a small one does not
_THREAD = 192 << 20  # bytes of address space for a thread: stack, heap, and its matrix products
_MANY = {"resamples": 1 << 21, "draws": 100_000}  # up to these, memory is not short for them


def end_orderly() -> None:
    """Make signals that end the program raise SystemExit, so that nothing half-written stays.

    One that the caller ignores, as nohup does, stays ignored.
    """
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


@contextmanager
def deferred() -> Iterator[None]:
    """Let signals wait until a few quick steps that belong together are done.

    Only the main thread gets signals, and may say what becomes of them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals_held: list[int] = []
    handlers = {}
    try:
        for number in _ALL:
            handlers[number] = signal.signal(number, lambda number, _: signals_held.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in signals_held[:1]:
            signal.raise_signal(number)


@contextmanager
def held_back() -> Iterator[None]:
    """Let the system hold signals back, also from processes that are forked meanwhile.

    Such a process has to call `ignore`.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ALL)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore() -> None:
    """Leave signals to the parent of this process: they may come to all processes of a call."""
    for number in _ALL:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ALL)


def can_be_had(size: int) -> bool:
    """Say whether the system would give us `size` more bytes.

    They are mapped and given back untouched, which takes some microseconds whatever the size.
    """
    if sys.platform == "win32":
        return True
    import mmap

    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        return False
    return True


def get_ready_for_products() -> None:
    """Let the matrix library take its memory now; raise MemoryError if there is too little.

    OpenBLAS takes it at the first product, keeps it, and hands it down to forked processes. If
    there is too little then, it prints a message of its own and ends the program, which leaves
    files behind. So this is to be called before memory is filled with data.
    """
    if not can_be_had(_PRODUCTS):
        raise MemoryError
    import numpy as np

    zeros = np.zeros((_SIDE, _SIDE))
    np.matmul(zeros, zeros)


def threads_that_fit(most: int, size: int) -> int:
    """Return for how many threads there is memory, from 1 to `most`, if each fills `size` bytes.

    OpenBLAS has a memory for each thread that multiplies at a time. A single thread needs no more
    than is there already; so too little memory makes work take longer, but never fail.
    """
    threads = most
    while threads > 1 and not can_be_had(threads * (_THREAD + size)):
        threads -= 1
    return threads


@contextmanager
def nothing_ignored(room: int) -> Iterator[None]:
    """Raise MemoryError if a library has too little memory, whatever it makes of that.

    Before the library is loaded there must be `room`, in bytes. Later, C code that calls back, as
    for reading a font, cannot raise the error: Python shows it and goes on, and the result is
    another error, or letters that are missing. Other C code fails without saying why.
    """
    if not can_be_had(room):
        raise MemoryError
    ignored = []
    usual_hook = sys.unraisablehook

    def remember(thrown: "sys.UnraisableHookArgs") -> None:
        if issubclass(thrown.exc_type, MemoryError):
            ignored.append(thrown.exc_type)
        else:
            usual_hook(thrown)

    sys.unraisablehook = remember
    try:
        yield
    except Exception as error:
        if ignored or isinstance(error, SystemError):
            raise MemoryError from error
        raise
    finally:
        sys.unraisablehook = usual_hook
    if ignored:
        raise MemoryError


def let_go(error: BaseException | None) -> None:
    """Forget where a MemoryError, and those before it, came from, so that a message can be made.

    The frames of a traceback keep all that has filled the memory, down to the last bytes where
    that was many small records.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


def limit() -> int | None:
    """Return how many bytes of address space this process may have; None: there is no limit."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most


def shortage(purpose: str, hint: str) -> DataError:
    """Return the error of too little memory; it names the `purpose`, and a limit if one is set."""
    most = limit()
    problem = f"there is not enough memory{purpose}"
    if most is None:
        return DataError("", problem, hint)
    problem += f": a limit of {most >> 20} MB is set"
    return DataError("", problem, f"{hint}; 'ulimit -v' shows the limit in KB".removeprefix("; "))


def what_needs_less(advice: str, options: Mapping[str, Any]) -> str:
    """Return a hint at what needs less memory than a command with these options.

    `advice` is the command's own, such as 'fewer runs', or "". The number of jobs is never named:
    there are as many threads as there is memory for, and each
    process may have as much as the one of --jobs 1.
    """
    fewer = [f"fewer --{name}" for name, many in _MANY.items() if (options.get(name) or 0) > many]
    if advice:
        fewer.append(advice)
    return " and ".join(fewer or ["fewer runs or topics at a time"]) + " need less memory"
