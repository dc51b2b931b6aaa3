"""How long work tells that it goes on."""

from collections.abc import Callable

Progress = Callable[[int, int], None]  # what is done, of how much


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""
