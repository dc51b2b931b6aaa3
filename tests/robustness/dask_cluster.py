"""A cluster of worker processes on this machine, which can be killed at work.

`python -m tests.robustness.dask_cluster 2` prints the address of the scheduler of two. For each
line `kill` it waits for a worker that is at work, kills it as the system would that runs out of
memory, and prints the work's key. For `left` it prints how many pieces of work are left, once there
are none or after some time. `more` adds a worker. It ends with its standard input.
"""

import os
import signal
import sys
import time

import dask
from distributed import LocalCluster

_PATIENCE = 60.0


def main() -> None:
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with LocalCluster(
        n_workers=int(sys.argv[1]), threads_per_worker=1, processes=True, dashboard_address=None,
        host="127.0.0.1",
    ) as cluster:  # fmt: skip
        answer(cluster.scheduler_address.removeprefix("tcp://"))
        asked = {"kill": kill_one_at_work, "left": left, "more": one_more}
        for line in sys.stdin:
            answer(asked[line.strip()](cluster))


def answer(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def kill_one_at_work(cluster: LocalCluster) -> str:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        for address, state in list(cluster.scheduler.workers.items()):
            for task in list(state.processing):
                for nanny in list(cluster.workers.values()):
                    if nanny.worker_address == address and nanny.process is not None:
                        os.kill(nanny.process.pid, signal.SIGKILL)
                        return str(task.key)
        time.sleep(0.001)
    return "nobody was at work"


def one_more(cluster: LocalCluster) -> str:
    cluster.scale(len(cluster.workers) + 1)
    return "asked for"


def left(cluster: LocalCluster) -> str:
    deadline = time.monotonic() + _PATIENCE
    while cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.01)
    return str(len(cluster.scheduler.tasks))


if __name__ == "__main__":
    main()
