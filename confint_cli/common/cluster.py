"""Workers on other machines, for --executor, used through concurrent.futures only.

Only `_connect` knows which kind of cluster it is, and how to reach it.
"""

import hashlib
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, TypeVar

from confint_cli import __version__
from confint_cli.common.errors import CallError, DataError
from confint_cli.common.parallel import Local, Workers
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import count, quoted, visible

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

DASK = "dask://"
_PACKAGE = "confint-cli"
_PATIENCE = 10  # seconds for a scheduler to answer
_LOOK = 1.0  # seconds between two checks that the cluster is still there
_SHARES = 16  # parts of the work for each worker: some are faster, and one that dies loses a part
_OFTEN = 10  # times that a part of the work is done, if its result is lost on the way
_FUTURES_OF_DASK = "cfexecutor.py"  # where dask makes futures of concurrent.futures
_FEWEST = 512  # parts of the work in any case: more workers may yet come

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Reached:
    """A cluster that has answered."""

    executor: "Executor"
    workers: int  # threads of all its machines
    is_there: Callable[[], bool]  # says whether it can still be reached
    close: Callable[[], None]


class Cluster(Workers):
    """The workers of a cluster, which is reached when there is work for them."""

    def __init__(self, reach: Callable[[], Reached]) -> None:
        self._reach = reach

    @cached_property
    def _reached(self) -> Reached:
        return self._reach()

    @property
    def here(self) -> Local:
        """The workers for what has to stay on this machine: all of its cores."""
        return Local()

    @property
    def distant(self) -> bool:
        """Whether they are on other machines: always."""
        return True

    @property
    def shares(self) -> int:
        """Into how many parts work is best divided."""
        return max(_FEWEST, _SHARES * self._reached.workers)

    def map(
        self,
        make_worker: Callable[..., Callable[[Item], Result]],
        settings: tuple[Any, ...],
        items: Sequence[Item],
        *,
        large: bool = True,  # noqa: ARG002 (all work is sent)
        together: int = 8,  # noqa: ARG002 (there are as many parts as shares)
    ) -> Iterator[Result]:
        """Yield `worker(item)` for each item, in their order, however small the work is.

        What is lost with a worker is done again by another. The error of the first item in order
        that fails is raised, and ends all work; so does Ctrl-C.
        """
        work = _Work.of(make_worker, settings)
        size = max(1, -(-len(items) // self.shares))
        chunks = [items[start : start + size] for start in range(0, len(items), size)]
        futures: list[Future[list[Result]]] = []
        try:
            futures += [self._reached.executor.submit(work.done, chunk) for chunk in chunks]
            for place, chunk in enumerate(chunks):
                yield from self._part(futures, place, partial(work.done, chunk))
        finally:
            for future in futures:
                future.cancel()

    def compute(
        self,
        make_worker: Callable[..., Callable[[Item, Progress], Result]],
        settings: tuple[Any, ...],
        items: Sequence[Item],
        progress: Progress,
        *,
        threads: int = 1,  # noqa: ARG002 (no thread of this machine works)
    ) -> list[Result]:
        """Return the result for each item, in their order; progress is reported item by item."""
        results = []
        for result in self.map(_without_progress, (make_worker, settings), items):
            results.append(result)
            progress(len(results), len(items))
        return results

    def _part(
        self,
        futures: "list[Future[list[Result]]]",
        place: int,
        do_again: Callable[[], list[Result]],
    ) -> list[Result]:
        """Return the result of the future at a place, which is another one if it is lost."""
        for _ in range(_OFTEN):
            try:
                return self._wait_for(futures[place])
            except _Lost:
                futures[place] = self._reached.executor.submit(do_again)
        raise _given_up()

    def _wait_for(self, future: "Future[list[Result]]") -> list[Result]:
        """Return the result of a future; raise an error if the cluster is gone meanwhile."""
        from concurrent.futures import wait

        while not wait([future], _LOOK).done:
            if not self._reached.is_there():
                raise _given_up()
        return _result(future)

    @property
    def unused(self) -> bool:
        """Whether there was nothing for it to do; then it was not even reached."""
        return "_reached" not in vars(self)

    def close(self) -> None:
        """Close the connection, if there is one; the cluster itself stays as it was."""
        if not self.unused:
            self._reached.close()


def _without_progress(
    make_worker: Callable[..., Callable[[Item, Progress], Result]], settings: tuple[Any, ...]
) -> Callable[[Item], Result]:
    """Return a worker that takes only an item, and reports no progress."""
    worker = make_worker(*settings)
    return lambda item: worker(item, no_progress)


@dataclass(frozen=True)
class _Work:
    """What a machine needs to do its parts, in few bytes, as every part brings it along."""

    packed: bytes  # how to make the worker, pickled: `make_worker` and its settings
    version: str  # of confint, on the machine that sends the work

    @classmethod
    def of(cls, make_worker: Callable[..., Any], settings: tuple[Any, ...]) -> "_Work":
        return cls(pickle.dumps((make_worker, settings)), __version__)

    def done(self, items: Sequence[Any]) -> list[Any]:
        """Return the worker's result for each item; called on a machine of the cluster."""
        if self.version != __version__:
            raise DataError(
                "", f"a worker of the cluster has confint {__version__}, not {self.version}",
                "install the same version on all machines",
            )  # fmt: skip
        return list(map(self._worker, items))

    @property
    def _worker(self) -> Callable[[Any], Any]:
        """The function that turns one item into its result; each thread makes it once."""
        key = hashlib.sha256(self.packed).digest()
        if getattr(_made, "key", None) != key:
            make_worker, settings = pickle.loads(self.packed)
            _made.worker, _made.key = make_worker(*settings), key
        worker: Callable[[Any], Any] = _made.worker
        return worker


_made = threading.local()  # the worker that this thread made last, and the key of its work


def _result(future: "Future[list[Result]]") -> list[Result]:
    """Return the result of a future that is done; errors of the cluster become errors of ours.

    Raise _Lost if the work has to be done again.
    """
    from concurrent.futures import CancelledError

    try:
        return future.result()
    except CancelledError:
        raise _given_up() from None
    except (AttributeError, TypeError, ValueError) as error:
        *_, (innermost, _) = walk_tb(error.__traceback__)
        if innermost.f_code.co_filename.endswith(_FUTURES_OF_DASK):
            raise _Lost from None
        raise
    except ImportError as error:
        problem = f"a worker of the cluster lacks a package ({visible(str(error))})"
        hint = "install the same packages on all machines"
        raise DataError("", problem, hint) from None
    except Exception as error:
        if type(error).__name__ != "KilledWorker":
            raise
        problem = (
            "the workers of the cluster died, one after the other, on the same part of the work"
        )
        raise DataError("", problem, "do they have enough memory?") from None


class _Lost(Exception):  # noqa: N818 (it never leaves this module)
    """A result came from a worker that died just then, and the executor of dask lost it.

    It takes the result for that of an error, as the state of the work is neither done nor
    cancelled, and fails to unpack it.
    """


def _given_up() -> DataError:
    return DataError("", "the cluster has stopped working", "is its scheduler still running?")


def cluster_at(
    address: str, connecting: Callable[[str], None], waiting: Callable[[str], None]
) -> Cluster:
    """Return the cluster at an address that the user typed; raise CallError if it is none.

    When the cluster is reached, `connecting` is called with words on each step, and `waiting` with
    words before a wait that may take as long as a queue is.
    """
    where = address.removeprefix(DASK)
    host, _, port = where.rpartition(":")
    if where == address or not host or "/" in host or not (port.isascii() and port.isdecimal()):
        raise CallError(
            f"--executor {quoted(address)} is not the address of a cluster",
            f"give {DASK}HOST:PORT, the address of a scheduler of dask",
        )
    return Cluster(lambda: _connect(where, connecting, waiting))


def _connect(
    where: str, connecting: Callable[[str], None], waiting: Callable[[str], None]
) -> Reached:
    """Return the cluster of a scheduler of dask; wait until it has at least one worker."""
    import logging
    from importlib.metadata import PackageNotFoundError, version

    try:
        from distributed import Client
    except ImportError:
        raise CallError(
            "--executor needs dask, which is not installed", "pip install 'confint-cli[dask]'"
        ) from None
    logging.disable(logging.CRITICAL)  # our own messages say what is wrong
    connecting(f"connecting to {visible(where)}")
    try:
        client = _soon(lambda: Client(f"tcp://{where}", timeout=_PATIENCE, set_as_default=False))
        client.run_on_scheduler(version, _PACKAGE)
        if not client.nthreads():
            waiting(f"waiting for workers at {visible(where)}")
            client.wait_for_workers(1)
        client.run(version, _PACKAGE)
        workers = sum(client.nthreads().values())
    except PackageNotFoundError:  # a worker would die of work that it cannot read
        problem = "a machine of the cluster does not have confint"
        raise DataError("", problem, "install the same packages on all machines") from None
    except (OSError, ValueError) as error:
        raise CallError(
            f"there is no scheduler of dask at {visible(where)}",
            visible(str(error)).partition("\n")[0][:200],
        ) from None
    connecting(f"{count(workers, 'worker')} at {visible(where)}")

    def close() -> None:
        with suppress(Exception):  # whatever became of the cluster, all results are here
            client.close(timeout=1)

    def is_there() -> bool:
        return client.status not in ("closing", "closed")

    return Reached(client.get_executor(pure=False), workers, is_there, close)


def _soon(connect: Callable[[], Any]) -> Any:
    """Return what `connect` returns; raise TimeoutError if it takes too long.

    The program that listens at the port may not be dask, and may never answer.
    """
    outcome: list[Any] = []

    def try_to_connect() -> None:
        try:
            outcome.append(connect())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=try_to_connect, daemon=True)
    thread.start()
    thread.join(1.5 * _PATIENCE)
    if not outcome:
        raise TimeoutError("the program that listens there does not answer as dask does")
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
