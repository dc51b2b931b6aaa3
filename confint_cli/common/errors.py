"""Errors and notices: what goes wrong, and what is worth saying, in words for the user."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from confint_cli.common.text import listed, visible


class ConfintError(Exception):
    """An error whose message says all there is to say; a notebook shows no more than that."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the line of the call, the message and notes such as hints.

        IPython calls it.
        """
        from itertools import takewhile
        from traceback import extract_tb

        ours = os.path.dirname(os.path.dirname(__file__))
        calls = extract_tb(self.__traceback__)
        outside = [*takewhile(lambda call: not call.filename.startswith(ours), calls)]
        line = outside[-1].line if outside else ""
        where = [f"line {outside[-1].lineno}: {line}"] if line else []
        notes = getattr(self, "__notes__", [])
        return [*where, f"{type(self).__name__}: {self}", *notes]


class DataError(ConfintError):
    """The data are at fault (exit status 1): where, what is wrong, and a hint at what to do."""

    def __init__(self, where: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{visible(where)}: {problem}" if where else problem)
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:  # survives the way back from a worker process
        return _rebuild, (type(self), str(self), self.hint)


def _rebuild(kind: type["DataError"], message: str, hint: str) -> "DataError":
    return kind("", message, hint)


class CallError(ConfintError):
    """The call is at fault (exit status 2)."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint


class GateError(ConfintError):
    """A comparison does not pass its gate (exit status 3); raised where Python asks for it."""


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
    is_advice: bool = False  # on options: only the person who made the call can follow it
    for_readers: str = ""  # the text without such advice, for people who only read the result


Tell = Callable[[Iterable[Notice]], None]
"""Shows or keeps notices as they come up: an error may follow."""


def warning(text: str, about: str = "", remark: str = "", *, what_to_do: str = "") -> Notice:
    """Return a notice of something that may make the result wrong, and what to do about it.

    Only the person who made the call can follow the advice.
    """
    return _with_advice(Level.WARNING, text, about, remark, what_to_do)


def note(text: str, about: str = "", remark: str = "", *, what_to_do: str = "") -> Notice:
    """Return a notice of what the program decided and the user may want to decide otherwise."""
    return _with_advice(Level.NOTE, text, about, remark, what_to_do)


def _with_advice(level: Level, text: str, about: str, remark: str, what_to_do: str) -> Notice:
    if not what_to_do:
        return Notice(level, text, about, remark)
    return Notice(level, f"{text}; {what_to_do}", about, remark, for_readers=text)


def advice(text: str) -> Notice:
    """Return a note that is advice on options: of no use to those who read the result only."""
    return Notice(Level.NOTE, text, is_advice=True)


def detail(text: str, about: str = "", remark: str = "") -> Notice:
    """Return a notice for those who ask for more, by --verbose."""
    return Notice(Level.DETAIL, text, about, remark)


def prefixed(words: str, notice: Notice) -> Notice:
    """Return a notice whose text begins with these words, which say what it is about."""
    for_readers = f"{words}{notice.for_readers}" if notice.for_readers else ""
    return replace(notice, text=f"{words}{notice.text}", for_readers=for_readers)


def told_once(notices: Iterable[Notice], noun: str = "file") -> list[Notice]:
    """Return one notice for all files of which the same is said, with their names in its text.

    `a.csv: is odd` or, of several, `2 files: is odd: a.csv, b.csv`. `noun` is what they are.
    """
    files: dict[Notice, list[str]] = {}
    for notice in notices:
        names = files.setdefault(replace(notice, about="", remark=""), [])
        if notice.about:
            names.append(f"{notice.about} ({notice.remark})" if notice.remark else notice.about)
    return [
        replace(
            said,
            text=_of_files(names, said.text, noun),
            for_readers=said.for_readers and _of_files(names, said.for_readers, noun),
        )
        for said, names in files.items()
    ]


def _of_files(names: Sequence[str], text: str, noun: str) -> str:
    if not names:
        return text
    if len(names) == 1:
        return f"{visible(names[0])}: {text}"
    return f"{len(names)} {noun}s: {text}: {listed(names, 5)}"
