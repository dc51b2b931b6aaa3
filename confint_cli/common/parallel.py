"""The same function on many items in several processes or threads, results in their order."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any, TypeVar

from confint_cli.common import system
from confint_cli.common.cluster import Cluster
from confint_cli.common.errors import DataError
from confint_cli.common.progress import Progress

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # of <malloc.h>
_KEPT = 1 << 28  # bytes

Jobs = int | Cluster | None
"""Who does large work: so many processes or threads, as many as there are cores, or a cluster."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def jobs_here(jobs: Jobs) -> int:
    """Return how many jobs there are on this machine, for what is not done on a cluster."""
    return jobs if isinstance(jobs, int) else cores()


def jobs_for(jobs: Jobs, *, large: bool) -> Jobs:
    """Return who does some work: one process if it is not large, a cluster in any case."""
    return jobs if large or isinstance(jobs, Cluster) else 1


def keep_to_one_thread() -> None:
    """Let matrix products keep to one thread in each process, or these fight for the cores.

    To be called before numpy is imported, which starts such threads, and interrupts the program
    where it may not. What the user has set stays.
    """
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def prepare_for_arrays() -> None:
    """Make the most of the machine for long work on arrays; to be called before numpy is imported.

    Freed memory is kept: arrays of a megabyte come and go by the thousand, and to ask the system
    for each anew may take longer than the arithmetic.
    """
    keep_to_one_thread()
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):  # only the GNU C library has it
            set_option = ctypes.CDLL(None).mallopt
            for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
                set_option(option, _KEPT)


def map_in_order(
    make_worker: Callable[..., Callable[[Item], Result]],
    settings: tuple[Any, ...],
    items: Sequence[Item],
    *,
    jobs: Jobs,
    together: int = 8,
) -> Iterator[Result]:
    """Yield `worker(item)` for each item, in their order, whoever does it.

    Each process makes its own `worker = make_worker(*settings)`, and gets up to so many items
    `together`. The first item in order that fails ends all; so does Ctrl-C, at once.
    """
    if isinstance(jobs, Cluster):
        yield from jobs.map(make_worker, settings, items)
        return
    jobs = min(jobs_here(jobs), len(items))
    if jobs <= 1:
        yield from map(make_worker(*settings), items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A forked worker has the judgements without copying or importing anything again.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    with _no_process_is_an_error():
        pool = ProcessPoolExecutor(
            jobs, context, initializer=_begin, initargs=(make_worker, settings)
        )
    try:
        chunksize = max(1, min(together, len(items) // (16 * jobs)))  # small, or one process waits
        with _no_process_is_an_error(), system.held_back():  # until workers ignore them
            found = pool.map(_work, items, chunksize=chunksize)
        yield from found
    except BaseException as error:
        _say_nothing_of_cancelled_work()
        for process in list(pool._processes.values()):
            process.kill()
        if isinstance(error, BrokenProcessPool):
            hint = "is there enough memory? --jobs 1 needs the least"
            raise DataError("", "one of our processes died", hint) from None
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def map_files(
    make_worker: Callable[..., Callable[[str], Result]],
    settings: tuple[Any, ...],
    paths: Sequence[str],
    *,
    jobs: Jobs,
    left_out: dict[str, DataError] | None,
    progress: Progress,
) -> Iterator[Result]:
    """Yield `worker(path)` for each file, in their order.

    The first file that is at fault ends all. If there is a place for what is `left_out`, what is
    wrong with it goes there, by its path, and work goes on.
    """
    forgiving = (make_worker, settings, left_out is not None)
    progress(0, len(paths))
    for done, found in enumerate(map_in_order(_forgiving, forgiving, paths, jobs=jobs), start=1):
        progress(done, len(paths))
        if not isinstance(found, DataError):
            yield found
        elif left_out is not None:
            left_out[paths[done - 1]] = found


def _forgiving(
    make_worker: Callable[..., Callable[[Item], Result]], settings: tuple[Any, ...], forgives: bool
) -> Callable[[Item], Result | DataError]:
    """Return a worker that returns what is wrong with data, if it forgives, and else raises it."""
    worker = make_worker(*settings)

    def work(item: Item) -> Result | DataError:
        try:
            return worker(item)
        except DataError as error:
            if not forgives:
                raise
            return error

    return work


def _say_nothing_of_cancelled_work() -> None:
    """Keep a thread of the pool from showing a traceback while the pool is ended.

    It marks all work as failed when processes die, also what was cancelled a moment before, which
    concurrent.futures takes for an error of its own.
    """
    import threading
    from concurrent.futures import InvalidStateError

    show = threading.excepthook

    def show_others(thrown: threading.ExceptHookArgs) -> None:
        if thrown.exc_type is not InvalidStateError:
            show(thrown)

    threading.excepthook = show_others


@contextmanager
def _no_process_is_an_error() -> Iterator[None]:
    """Say so where the system has no process, pipe or semaphore left to start a pool with."""
    try:
        yield
    except OSError as error:
        problem = f"cannot start another process ({error.strerror})"
        raise DataError("", problem, "--jobs 1 needs none") from None


def in_threads(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int | None,
    stop: Callable[[], None],
) -> list[Result]:
    """Return `function(item)` for each item, in their order, whatever the number of threads.

    That is for work on large arrays, for which threads wait for one another no longer than for a
    moment; `jobs` is their number, None stands for the cores there are. Where one fails, and at
    Ctrl-C, `stop` is called, which is to make all others end soon.
    """
    jobs = min(cores() if jobs is None else jobs, len(items))
    if jobs <= 1:
        return list(map(function, items))
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    pool = ThreadPoolExecutor(jobs)
    try:
        futures = [pool.submit(function, item) for item in items]
        for future in wait(futures, return_when=FIRST_EXCEPTION).done:
            future.result()  # raises what it has raised
        return [future.result() for future in futures]
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_worker: Callable[[Any], Any] | None = None  # of this process, if it is one of the pool


def _begin(make_worker: Callable[..., Callable[[Any], Any]], settings: tuple[Any, ...]) -> None:
    global _worker
    system.ignore()
    with suppress(RuntimeError):  # no thread is left: then it ends with its work
        Thread(target=_end_with_parent, daemon=True).start()
    try:
        _worker = make_worker(*settings)
    except MemoryError:
        os._exit(1)  # for the parent to say it in one line; Python would show a traceback


def _end_with_parent() -> None:
    """Wait until the parent is gone, however it was ended: nobody wants what we do any more."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None, "only workers have one"
    parent.join()
    os._exit(1)


def _work(item: Any) -> Any:
    assert _worker is not None, "_begin comes first"
    return _worker(item)
