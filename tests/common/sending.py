"""An executor that stands for a cluster in tests: what it gets and gives could be sent."""

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class Sending(ThreadPoolExecutor):
    """Threads that share nothing: work and results go there and back as bytes."""

    def submit(  # type: ignore[override]
        self, function: Callable[..., Any], *args: object
    ) -> "Future[Any]":
        return super().submit(_done, pickle.dumps((function, args)))


def _done(sent: bytes) -> Any:
    function, args = pickle.loads(sent)
    return pickle.loads(pickle.dumps(function(*args)))
