"""What the program promises of strangers' input and of faults: rows of docs/robustness.md.

A promise stands at the test that keeps it, so no row of the page is without a test:

    @promise("a full disk", "exit status 1, one line that says so, no file")
    def test_a_full_disk(…): …
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class Promise:
    """What comes in or goes wrong, what it gets, and the test that makes it happen."""

    what: str
    gets: str
    module: str  # whose promises make a table of the page
    test: str


PROMISES: list[Promise] = []


def promise(what: str, gets: str, case: str = "") -> Callable[[Test], Test]:
    """Return a decorator that puts a row into the page; `case` is one of a parametrised test."""

    def decorate(test: Test) -> Test:
        name = f"{test.__name__}[{case}]" if case else test.__name__
        PROMISES.append(Promise(what, gets, test.__module__.rpartition(".")[2], name))
        return test

    return decorate
