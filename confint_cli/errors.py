"""What goes wrong, and what is worth saying: in words for the user."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from confint_cli.text import did_you_mean, quoted, visible


class DataError(Exception):
    """The data are at fault (exit status 1): where, what, and what to do about it."""

    def __init__(self, where: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{visible(where)}: {problem}" if where else problem)
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:  # survives the way back from a worker process
        return _rebuild, (type(self), str(self), self.hint)


def _rebuild(kind: type["DataError"], message: str, hint: str) -> "DataError":
    return kind("", message, hint)


class CallError(Exception):
    """The call is at fault (exit status 2)."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint


def unknown_name(kind: str, name: str, known: Iterable[str]) -> CallError:
    """Return the error for a name that the user typed and nothing has; it names the nearest."""
    return CallError(f"no {kind} is called {quoted(name)}", did_you_mean(name, known))


class Level(Enum):
    """How much a notice matters."""

    WARNING = "warning"
    NOTE = "note"
    DETAIL = "detail"  # shown with --verbose only


@dataclass(frozen=True)
class Notice:
    """A line for standard error: never part of a result, always about one."""

    level: Level
    text: str


def warning(text: str) -> Notice:
    """Something that may make the result wrong."""
    return Notice(Level.WARNING, text)


def note(text: str) -> Notice:
    """Something that the program decided and the user may want to decide otherwise."""
    return Notice(Level.NOTE, text)


def detail(text: str) -> Notice:
    """Something for those who ask."""
    return Notice(Level.DETAIL, text)
