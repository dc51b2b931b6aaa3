"""Memory: asked for before libraries need it that would end the program, or say it in their way."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PRODUCTS = 40 << 20  # bytes that OpenBLAS maps at the first matrix product; numpy's asks for 32 MB
_SIDE = 128  # of a matrix whose product needs them; that of a small one does without
_THREAD = 192 << 20  # bytes of address space for a thread: stack, heap, and its matrix products


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
