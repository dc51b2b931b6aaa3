"""The same function on many items in several processes, results in the order of the items."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from confint_cli.errors import DataError

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_in_order(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int | None,
    prepare: Callable[..., None],
    prepare_with: tuple[Any, ...],
) -> Iterator[Result]:
    """Yield `function(item)` for each item, in their order, whatever the number of processes.

    `jobs` is that number; None stands for the cores there are.
    `prepare(*prepare_with)` is called once in each process before its first item. The first
    item in order that fails ends all; so does Ctrl-C, at once.
    """
    jobs = min(cores() if jobs is None else jobs, len(items))
    if jobs <= 1:
        prepare(*prepare_with)
        yield from map(function, items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A forked worker has the judgements without copying or importing anything again.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(prepare, prepare_with))
    try:
        chunksize = max(1, min(8, len(items) // (4 * jobs)))
        yield from pool.map(function, items, chunksize=chunksize)
    except BrokenProcessPool:
        problem = "a process that read or scored files died"
        raise DataError("", problem, "is there enough memory? --jobs 1 needs the least") from None
    except BaseException:
        for process in list(pool._processes.values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(prepare: Callable[..., None], prepare_with: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent sees to it
    prepare(*prepare_with)
