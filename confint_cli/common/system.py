"""What the system gives and takes: signals that end the program, and memory.

Signals end it with their usual exit status, and never between two renames. Memory is asked for
before libraries need it that would end the program, or say it in their way; where there is too
little, a message says how much there is, and what would truly need less of it.
"""

import signal
import sys
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
_SIDE = 128  # of a matrix whose product needs them; that of a small one does without
_THREAD = 192 << 20  # bytes of address space for a thread: stack, heap, and its matrix products
_MANY = {"resamples": 1 << 21, "draws": 100_000}  # fewer of them make no difference


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
    """Let signals wait until a few quick steps are done that belong together."""
    came: list[int] = []
    handlers = {}
    try:
        for number in _ALL:
            handlers[number] = signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


@contextmanager
def held_back() -> Iterator[None]:
    """Let the system keep signals to itself, also those to processes that are forked meanwhile.

    Those have to call `ignore`.
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
    """Leave signals, which may come to all processes of a call, to the parent of this one."""
    for number in _ALL:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ALL)


def can_be_had(size: int) -> bool:
    """Say whether the system would give us so many bytes more.

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
    """Let the matrix library have its memory now, to be called before ours is filled.

    OpenBLAS takes it at the first product, keeps it, and hands it down to forked processes. Where
    there is none it prints a message of its own and ends the program, which leaves files behind.
    """
    if not can_be_had(_PRODUCTS):
        raise MemoryError
    import numpy as np

    some = np.zeros((_SIDE, _SIDE))
    np.matmul(some, some)


def threads_that_fit(most: int, size: int) -> int:
    """Return how many threads there is room for, at least one, if each fills so many bytes.

    Several that multiply at a time have as many of OpenBLAS's memories. One needs no more than is
    there already; so too little memory is no reason to fail, but to take longer.
    """
    threads = most
    while threads > 1 and not can_be_had(threads * (_THREAD + size)):
        threads -= 1
    return threads


@contextmanager
def nothing_ignored(room: int) -> Iterator[None]:
    """Raise MemoryError if a library has too little memory, whatever it makes of that.

    There is to be so much `room` before it is loaded. Beyond, C code that is called back, as for
    reading a font, has no way to raise the error: Python shows it and goes on, and what comes of it
    is another error, or letters that are missing. Other C code fails without saying why.
    """
    if not can_be_had(room):
        raise MemoryError
    ignored = []
    usual = sys.unraisablehook

    def note(thrown: "sys.UnraisableHookArgs") -> None:
        if issubclass(thrown.exc_type, MemoryError):
            ignored.append(thrown.exc_type)
        else:
            usual(thrown)

    sys.unraisablehook = note
    try:
        yield
    except Exception as error:
        if ignored or isinstance(error, SystemError):
            raise MemoryError from error
        raise
    finally:
        sys.unraisablehook = usual
    if ignored:
        raise MemoryError


def limit() -> int | None:
    """Return how many bytes of address space this process may have, if there is a limit."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most


def shortage(purpose: str, hint: str) -> DataError:
    """Return the error of too little memory (`purpose`: for what), with the limit if one is set."""
    most = limit()
    problem = f"there is not enough memory{purpose}"
    if most is None:
        return DataError("", problem, hint)
    problem += f": a limit of {most >> 20} MB is set"
    return DataError("", problem, f"{hint}; 'ulimit -v' shows the limit in KB".removeprefix("; "))


def what_needs_less(advice: str, options: Mapping[str, Any]) -> str:
    """Return what to try when a command called with these options has too little memory.

    `advice` is the command's own, "" if there is none: fewer of what it makes pairs or rows of. The
    number of jobs is no part of it: threads are as many as there is memory for, and each
    process may have as much as the one of --jobs 1.
    """
    fewer = [f"fewer --{name}" for name, many in _MANY.items() if (options.get(name) or 0) > many]
    if advice:
        fewer.append(advice)
    return " and ".join(fewer or ["fewer runs or topics at a time"]) + " need less"
