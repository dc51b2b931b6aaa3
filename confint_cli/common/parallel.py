"""Workers that do large work: the same function on many items, with results in their order.

`Local` workers are processes and threads of this machine; a `Cluster` has others. Results never
depend on who the workers are.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from confint_cli.common import system
from confint_cli.common.errors import DataError
from confint_cli.common.progress import Progress

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # of <malloc.h>
_KEPT = 1 << 28  # bytes of freed memory to keep
_MOST_AT_A_TIME = 256  # more processes or threads only take memory, whatever --jobs says

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def keep_to_one_thread() -> None:
    """Let matrix products keep to one thread in each process, or these fight for the cores.

    To be called before numpy is imported, which starts such threads, and ends the program where it
    may not start them. What the user has set stays.
    """
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def prepare_for_arrays() -> None:
    """Make the most of the machine for long work on arrays; to be called before numpy is imported.

    Freed memory is kept: there are thousands of arrays of a megabyte, one after the other, and to
    ask the system for each of them may take longer than the arithmetic.
    """
    keep_to_one_thread()
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):  # only the GNU C library has it
            set_option = ctypes.CDLL(None).mallopt
            for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
                set_option(option, _KEPT)


class Workers(Protocol):
    """The workers for large work, on this machine or on others.

    A worker is made where it works, by `make_worker(*settings)`. Settings, items and results may be
    sent to other processes and machines, and so hold no workers themselves.
    """

    @property
    def here(self) -> "Local":
        """The workers for what has to stay on this machine."""

    @property
    def distant(self) -> bool:
        """Whether they are on other machines, and have to read files themselves."""

    @property
    def shares(self) -> int:
        """Into how many parts arrays are best divided; 1: they stay whole."""

    def map(
        self,
        make_worker: Callable[..., Callable[[Item], Result]],
        settings: tuple[Any, ...],
        items: Sequence[Item],
        *,
        large: bool = True,
        together: int = 8,
    ) -> Iterator[Result]:
        """Yield `worker(item)` for each item, in their order.

        Work that is not `large` is not worth a process. Each process gets up to `together` items
        at a time. The error of the first item in order that fails is raised, and ends all work; so
        does Ctrl-C, at once.
        """

    def compute(
        self,
        make_worker: Callable[..., Callable[[Item, Progress], Result]],
        settings: tuple[Any, ...],
        items: Sequence[Item],
        progress: Progress,
        *,
        threads: int = 1,
    ) -> list[Result]:
        """Return `worker(item, its progress)` for each item, in their order.

        That is for long work on parts of arrays, which all take about as long. This machine has
        memory for as many as `threads`, which share a worker.
        """

    @property
    def unused(self) -> bool:
        """Whether the user asked for them in vain: there was nothing for them to do."""

    def close(self) -> None:
        """Let them go when all is done."""


@dataclass(frozen=True)
class Local(Workers):
    """Up to `jobs` processes or threads of this machine; None: as many as there are cores."""

    jobs: int | None = None

    @property
    def here(self) -> "Local":
        """These workers themselves."""
        return self

    @property
    def distant(self) -> bool:
        """Whether they are on other machines: never."""
        return False

    @property
    def shares(self) -> int:
        """Into how many parts arrays are best divided: one, as threads share them."""
        return 1

    @property
    def threads(self) -> int:
        """How many threads may work at a time."""
        return cores() if self.jobs is None else min(self.jobs, _MOST_AT_A_TIME)

    def map(
        self,
        make_worker: Callable[..., Callable[[Item], Result]],
        settings: tuple[Any, ...],
        items: Sequence[Item],
        *,
        large: bool = True,
        together: int = 8,
    ) -> Iterator[Result]:
        """Yield `worker(item)` for each item, in their order; large work is done in processes."""
        processes = min(self.threads, len(items)) if large else 1
        if processes <= 1:
            yield from map(make_worker(*settings), items)
            return
        # Sixteen chunks or more for each process, so that none waits long for the others.
        chunksize = max(1, min(together, len(items) // (16 * processes)))
        yield from _in_processes(make_worker, settings, items, processes, chunksize)

    def compute(
        self,
        make_worker: Callable[..., Callable[[Item, Progress], Result]],
        settings: tuple[Any, ...],
        items: Sequence[Item],
        progress: Progress,
        *,
        threads: int = 1,
    ) -> list[Result]:
        """Return `worker(item, its progress)` for each item, in their order, by threads."""
        worker = make_worker(*settings)
        if len(items) == 1:
            return [worker(items[0], progress)]
        all_items = Together(progress)
        return in_threads(
            lambda item: worker(item, all_items.part(len(items))),
            items,
            threads=min(threads, self.threads),
            stop=all_items.stop,
        )

    @property
    def unused(self) -> bool:
        """Whether the user asked for them in vain: never, as they are always of use."""
        return False

    def close(self) -> None:
        """Do nothing: processes and threads end with their work."""


ALL_CORES = Local()
ALONE = Local(1)
"""The one worker for a part of the work, which is not shared out any further."""


def map_files(
    make_worker: Callable[..., Callable[[str], Result]],
    settings: tuple[Any, ...],
    paths: Sequence[str],
    *,
    workers: Workers,
    large: bool = True,
    forgiving: bool,
    progress: Progress,
) -> Iterator[tuple[str, Result | DataError]]:
    """Yield each path, in their order, with `worker(path)` or with the DataError that it raises.

    Errors are yielded only if work is `forgiving`; otherwise the first one is raised.
    """
    progress(0, len(paths))
    results = workers.map(_forgiving_worker, (make_worker, settings, forgiving), paths, large=large)
    for done, (path, result) in enumerate(zip(paths, results, strict=True), start=1):
        progress(done, len(paths))
        yield path, result


def _forgiving_worker(
    make_worker: Callable[..., Callable[[Item], Result]], settings: tuple[Any, ...], forgives: bool
) -> Callable[[Item], Result | DataError]:
    """Return a worker that returns a DataError as its result if it `forgives`, else raises it."""
    worker = make_worker(*settings)

    def work(item: Item) -> Result | DataError:
        try:
            return worker(item)
        except DataError as error:
            if not forgives:
                raise
            return error

    return work


def _in_processes(
    make_worker: Callable[..., Callable[[Item], Result]],
    settings: tuple[Any, ...],
    items: Sequence[Item],
    processes: int,
    chunksize: int,
) -> Iterator[Result]:
    """Yield `worker(item)` for each item; each process makes its own worker."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A forked worker has the judgements without copying or importing anything again.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    with _no_process_is_an_error():
        pool = ProcessPoolExecutor(
            processes, context, initializer=_begin, initargs=(make_worker, settings)
        )
    show = threading.excepthook
    try:
        with _no_process_is_an_error(), system.held_back():  # until workers ignore them
            results = pool.map(_work, items, chunksize=chunksize)
        yield from results
    except BaseException as error:
        _say_nothing_of_cancelled_work()
        for process in list(pool._processes.values()):
            process.kill()
        if isinstance(error, BrokenProcessPool):
            hint = "is there enough memory? --jobs 1 needs the least"
            raise DataError("", "one of confint's processes died", hint) from None
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        threading.excepthook = show


def _say_nothing_of_cancelled_work() -> None:
    """Keep a thread of the pool from showing a traceback while the pool is ended.

    It marks all work as failed when processes die, also what was cancelled a moment before, which
    concurrent.futures takes for an error of its own.
    """
    from concurrent.futures import InvalidStateError

    show = threading.excepthook

    def show_others(thrown: threading.ExceptHookArgs) -> None:
        if thrown.exc_type is not InvalidStateError:
            show(thrown)

    threading.excepthook = show_others


@contextmanager
def _no_process_is_an_error() -> Iterator[None]:
    """Raise a DataError if the system has no process, pipe or semaphore left to start a pool."""
    try:
        yield
    except OSError as error:
        problem = f"cannot start another process ({error.strerror})"
        raise DataError("", problem, "--jobs 1 needs no other process") from None


class Together:
    """The common progress of several threads that do the same work, until they are to stop."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._done = progress, 0
        self._lock, self._stopped = threading.Lock(), False

    def tell(self, more: int, total: int) -> None:
        """Tell that `more` of the `total` is done; raise InterruptedError if all is to stop."""
        if self._stopped:
            raise InterruptedError
        with self._lock:
            self._done += more
            self._progress(self._done, total)

    def part(self, number: int) -> Progress:
        """Return a progress for one of `number` parts of equal length."""
        before = 0

        def tell(done: int, total: int) -> None:
            nonlocal before
            self.tell(done - before, number * total)
            before = done

        return tell

    def stop(self) -> None:
        """Make all threads end soon, at the next time they tell of progress."""
        self._stopped = True


def in_threads(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    threads: int,
    stop: Callable[[], None],
) -> list[Result]:
    """Return `function(item)` for each item, in their order, whatever the number of threads.

    That is for work on large arrays, in which threads hardly wait for one another. If a thread
    fails, and at Ctrl-C, `stop` is called, which is to make all others end soon.
    """
    threads = min(threads, len(items))
    if threads <= 1:
        return list(map(function, items))
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    pool = ThreadPoolExecutor(threads)
    try:
        futures = [pool.submit(function, item) for item in items]
        for future in wait(futures, return_when=FIRST_EXCEPTION).done:
            future.result()  # raises the error, if there was one
        return [future.result() for future in futures]
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_worker: Callable[[Any], Any] | None = None  # in a process of the pool: what does its work


def _begin(make_worker: Callable[..., Callable[[Any], Any]], settings: tuple[Any, ...]) -> None:
    """Make the worker of this process, which ignores signals and ends with its parent."""
    global _worker
    system.ignore()
    with suppress(RuntimeError):  # no thread is available: then the process ends with its work
        threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _worker = make_worker(*settings)
    except MemoryError:
        os._exit(1)  # for the parent to say it in one line; Python would show a traceback


def _end_with_parent() -> None:
    """End this process when its parent is gone: nobody wants its results any more."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None, "only workers have one"
    parent.join()
    os._exit(1)


def _work(item: Any) -> Any:
    assert _worker is not None, "_begin comes first"
    return _worker(item)
