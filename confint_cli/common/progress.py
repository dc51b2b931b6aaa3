"""How long work reports its progress."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Progress = Callable[[int, int], None]
"""A function that is called with how much is done, and of how much."""

_FINELY = 1_000_000  # units that one part counts as, fine enough for a percentage


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


def parts_of(progress: Progress, number: int) -> Iterator[Progress]:
    """Yield a progress for each of `number` parts of about equal length; it is that of the whole.

    When the next one is asked for, a part is done.
    """
    for place in range(number):
        yield _part(progress, place, number)
        progress((place + 1) * _FINELY, number * _FINELY)


def with_progress(items: Sequence[Item], progress: Progress) -> Iterator[tuple[Item, Progress]]:
    """Yield each item with the progress of the work on it: a part of that of the whole."""
    yield from zip(items, parts_of(progress, len(items)), strict=True)


def _part(progress: Progress, place: int, number: int) -> Progress:
    return lambda done, total: progress(place * total + done, number * total)
