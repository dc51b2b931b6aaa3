"""How long work tells that it goes on."""

from collections.abc import Callable, Iterator

Progress = Callable[[int, int], None]  # what is done, of how much
_FINELY = 1_000_000  # so that parts of parts are told as a percentage, which has no steps


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


def parts_of(progress: Progress, number: int) -> Iterator[Progress]:
    """Yield the progress of each of several parts of about equal length, told as that of all.

    To ask for the next is to say that one is done.
    """
    for place in range(number):
        yield _part(progress, place, number)
        progress((place + 1) * _FINELY, number * _FINELY)


def _part(progress: Progress, place: int, number: int) -> Progress:
    return lambda done, total: progress(place * total + done, number * total)
