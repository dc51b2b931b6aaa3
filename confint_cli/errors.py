"""What goes wrong, and what is worth saying: in words for the user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from confint_cli.guesses import hint_for
from confint_cli.text import listed, quoted, visible


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
    return CallError(f"no {kind} is called {quoted(name)}", hint_for(kind, name, known))


class Level(Enum):
    """How much a notice matters."""

    WARNING = "warning"
    NOTE = "note"
    DETAIL = "detail"  # shown with --verbose only


@dataclass(frozen=True)
class Notice:
    """A line for standard error: never part of a result, always about one.

    A notice may name the file that it is `about`; those that say the same of several files become
    one line, which has the `remark` of each file behind its name.
    """

    level: Level
    text: str
    about: str = ""
    remark: str = ""


def warning(text: str, about: str = "", remark: str = "") -> Notice:
    """Something that may make the result wrong."""
    return Notice(Level.WARNING, text, about, remark)


def note(text: str, about: str = "", remark: str = "") -> Notice:
    """Something that the program decided and the user may want to decide otherwise."""
    return Notice(Level.NOTE, text, about, remark)


def detail(text: str, about: str = "", remark: str = "") -> Notice:
    """Something for those who ask."""
    return Notice(Level.DETAIL, text, about, remark)


def told_once(notices: Iterable[Notice]) -> list[Notice]:
    """Return notices that name no file any more: one line for all files of which the same is said.

    `a.csv: is odd` or, of several, `2 files: is odd: a.csv, b.csv`.
    """
    files: dict[tuple[Level, str], list[str]] = {}
    for one in notices:
        names = files.setdefault((one.level, one.text), [])
        if one.about:
            names.append(f"{one.about} ({one.remark})" if one.remark else one.about)
    return [Notice(level, _of_files(names, text)) for (level, text), names in files.items()]


def _of_files(names: Sequence[str], text: str) -> str:
    if not names:
        return text
    if len(names) == 1:
        return f"{visible(names[0])}: {text}"
    return f"{len(names)} files: {text}: {listed(names, 5)}"
