"""What to say when memory runs out: how much there is, and what would truly need less of it."""

import sys
from collections.abc import Mapping
from typing import Any

from confint_cli.errors import DataError

_MANY = {"resamples": 1 << 21, "draws": 100_000}  # fewer of them make no difference
_LESS = {  # where more than the scores takes memory: all pairs of runs, all rows of the table
    "rank": "fewer runs",
    "report": "fewer runs",
    "compare": "fewer runs or measures (-m) at a time",
}


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


def what_needs_less(command: str, options: Mapping[str, Any]) -> str:
    """Return what to try when a command called with these options has too little memory.

    The number of jobs is no part of it: threads are as many as there is memory for, and each
    process may have as much as the one of --jobs 1.
    """
    advice = [f"fewer --{name}" for name, many in _MANY.items() if (options.get(name) or 0) > many]
    if command in _LESS:
        advice.append(_LESS[command])
    return " and ".join(advice or ["fewer runs or topics at a time"]) + " need less"
