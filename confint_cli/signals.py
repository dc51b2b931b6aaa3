"""Signals that end the program: with their usual exit status, and never between two renames."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = [
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
]  # SIGINT is Python's KeyboardInterrupt already; Windows has no SIGHUP
_ALL = [signal.SIGINT, *_ENDING]


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
