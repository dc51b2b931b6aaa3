"""Workers on other machines, for --executor: known by the interface of concurrent.futures alone.

Which cluster it is, and how it is reached, only `_connect` knows.
"""

import hashlib
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
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
_LOOK = 1.0  # seconds from one look whether it is still there to the next
_SHARES = 16  # parts of the work for each worker: some work faster, some die and lose one …
_FEWEST = 512  # … and more workers may yet come

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Reached:
    """A cluster that has answered."""

    executor: "Executor"
    workers: int
    is_there: Callable[[], bool]
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
        """Who does what has to stay on this machine: nobody else needs its cores."""
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
        large: bool = True,  # noqa: ARG002 (all work is sent, …)
        together: int = 8,  # noqa: ARG002 (… in as many parts as there are shares)
    ) -> Iterator[Result]:
        """Yield `worker(item)` for each item, in their order, however small the work is.

        What is lost with a worker is done again by another. The first item in order that fails ends
        all; so does Ctrl-C.
        """
        work = _Work.of(make_worker, settings)
        size = max(1, -(-len(items) // self.shares))
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        futures: list[Future[list[Result]]] = []
        try:
            futures += [self._reached.executor.submit(work.done, part) for part in parts]
            for future in futures:
                yield from self._result(future)
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
        threads: int = 1,  # noqa: ARG002 (none is here)
    ) -> list[Result]:
        """Return what becomes of each item, in their order; progress is told item by item."""
        found = []
        for one in self.map(_untold, (make_worker, settings), items):
            found.append(one)
            progress(len(found), len(items))
        return found

    def _result(self, future: "Future[list[Result]]") -> list[Result]:
        """Return what a future gives, if it does; nobody else may tell that the cluster is gone."""
        from concurrent.futures import wait

        while not wait([future], _LOOK).done:
            if not self._reached.is_there():
                raise _given_up()
        return _result(future)

    @property
    def unused(self) -> bool:
        """Whether there was nothing to do for it; then it was not even reached."""
        return "_reached" not in vars(self)

    def close(self) -> None:
        """Leave the cluster as it was."""
        if not self.unused:
            self._reached.close()


def _untold(
    make_worker: Callable[..., Callable[[Item, Progress], Result]], settings: tuple[Any, ...]
) -> Callable[[Item], Result]:
    """Return a worker that tells nobody how far it is."""
    worker = make_worker(*settings)
    return lambda item: worker(item, no_progress)


@dataclass(frozen=True)
class _Work:
    """What a worker needs to know to do its parts, in few bytes, as every part brings it along."""

    packed: bytes
    version: str

    @classmethod
    def of(cls, make_worker: Callable[..., Any], settings: tuple[Any, ...]) -> "_Work":
        return cls(pickle.dumps((make_worker, settings)), __version__)

    def done(self, items: Sequence[Any]) -> list[Any]:
        """Return what becomes of items; called on the worker."""
        if self.version != __version__:
            raise DataError(
                "", f"a worker of the cluster has confint {__version__}, this is {self.version}",
                "install the same version on all machines",
            )  # fmt: skip
        return list(map(self._worker, items))

    @property
    def _worker(self) -> Callable[[Any], Any]:
        """What does the work: made once for all parts, by each of the threads a worker may have."""
        key = hashlib.sha256(self.packed).digest()
        if getattr(_made, "key", None) != key:
            make_worker, settings = pickle.loads(self.packed)
            _made.worker, _made.key = make_worker(*settings), key
        worker: Callable[[Any], Any] = _made.worker
        return worker


_made = threading.local()


def _result(future: "Future[list[Result]]") -> list[Result]:
    from concurrent.futures import CancelledError

    try:
        return future.result()
    except CancelledError:
        raise _given_up() from None
    except ImportError as error:
        problem = f"a worker of the cluster lacks a package ({visible(str(error))})"
        hint = "install the same packages on all machines"
        raise DataError("", problem, hint) from None
    except Exception as error:
        if type(error).__name__ != "KilledWorker":
            raise
        problem = "the workers of the cluster died, one after the other, of the same work"
        raise DataError("", problem, "have they enough memory?") from None


def _given_up() -> DataError:
    return DataError("", "the cluster has given up the work", "is its scheduler still running?")


def cluster_at(
    address: str, connecting: Callable[[str], None], waiting: Callable[[str], None]
) -> Cluster:
    """Return the cluster at an address that the user typed.

    What goes on is told to `connecting`; to `waiting`, what may take as long as a queue is.
    """
    where = address.removeprefix(DASK)
    host, _, port = where.rpartition(":")
    if where == address or not host or "/" in host or not (port.isascii() and port.isdecimal()):
        raise CallError(
            f"--executor {quoted(address)} is no address of a cluster",
            f"it is {DASK}HOST:PORT, of the scheduler of dask",
        )
    return Cluster(lambda: _connect(where, connecting, waiting))


def _connect(
    where: str, connecting: Callable[[str], None], waiting: Callable[[str], None]
) -> Reached:
    """Return the workers that a scheduler of dask has; where it has none yet, wait for them."""
    import logging
    from importlib.metadata import PackageNotFoundError, version

    try:
        from distributed import Client
    except ImportError:
        raise CallError(
            "--executor needs dask, which is not installed", "pip install 'confint-cli[dask]'"
        ) from None
    logging.disable(logging.CRITICAL)  # what is wrong we say in our own words
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
        problem = "a machine of the cluster has no confint"
        raise DataError("", problem, "install the same packages on all of them") from None
    except (OSError, ValueError) as error:
        raise CallError(
            f"there is no scheduler of dask at {visible(where)}",
            visible(str(error)).partition("\n")[0][:200],
        ) from None
    connecting(f"{count(workers, 'worker')} at {visible(where)}")

    def close() -> None:
        with suppress(Exception):  # whatever became of the cluster, we have what we wanted
            client.close(timeout=1)

    def is_there() -> bool:
        return client.status not in ("closing", "closed")

    return Reached(client.get_executor(pure=False), workers, is_there, close)


def _soon(connect: Callable[[], Any]) -> Any:
    """Return what connects, or raise an error: who listens at a port may be silent, and no dask."""
    found: list[Any] = []

    def try_it() -> None:
        try:
            found.append(connect())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=try_it, daemon=True)
    thread.start()
    thread.join(1.5 * _PATIENCE)
    if not found:
        raise TimeoutError("what listens there does not answer as dask does")
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]
