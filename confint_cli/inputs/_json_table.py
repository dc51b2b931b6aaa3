"""A JSON object whose "rows" are objects, read a row at a time: a whole one may be of any size."""

import json
import re
from collections.abc import Iterator
from typing import Any

LONGEST_VALUE = 1 << 20
"""Characters of a row: nested nonsense takes twenty times the memory of its text."""

_SIGN = re.compile(r"[^ \t\n\r]")
_LONGEST_NUMBER = 4000  # digits; Python refuses to read longer ones


def whole_number(text: str) -> int | str:
    """Return a whole number; one that may be an id of any length, as its text."""
    return int(text) if len(text) <= _LONGEST_NUMBER else text


_decode = json.JSONDecoder(parse_int=whole_number).raw_decode


def is_table(text: str) -> bool:
    """Say whether the text is an object with "rows", as far as can be seen before these."""
    scanner = _Scanner(text)
    try:
        return any(name == "rows" for name in scanner.names())
    except ValueError:
        return False


def rows_of_table(text: str) -> Iterator[Any]:
    """Yield what is in the list of "rows"; ValueError says what is wrong with the table."""
    scanner = _Scanner(text)
    tables = 0
    for name in scanner.names():
        if name == "rows":
            tables += 1
            if tables > 1:
                raise ValueError('it has "rows" twice')
            yield from scanner.items()
    if scanner.next_sign():
        raise ValueError("something follows its end")


class _Scanner:
    """Goes through a text from value to value, none of them longer than is allowed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = 0  # of the window, which is cut out of the text
        self._window = text[:LONGEST_VALUE]
        self._place = 0  # in the window

    def names(self) -> Iterator[str]:
        """Yield the names in an object; whoever does not take what belongs to one, skips it."""
        self._take("{")
        if self.next_sign() == "}":
            self._take("}")
            return
        while True:
            name = self._value()
            if not isinstance(name, str):
                raise ValueError("a name is no text")
            self._take(":")
            before = self._start + self._place
            yield name
            if self._start + self._place == before:
                self._value()
            if self._take(",}") == "}":
                return

    def items(self) -> Iterator[Any]:
        """Yield what is in a list."""
        if self.next_sign() != "[":
            raise ValueError('its "rows" are no list')
        self._take("[")
        if self.next_sign() == "]":
            self._take("]")
            return
        while True:
            yield self._value()
            if self._take(",]") == "]":
                return

    def next_sign(self) -> str:
        """Return the next character that is no blank, or nothing at the end."""
        while True:
            found = _SIGN.search(self._window, self._place)
            self._place = found.start() if found else len(self._window)
            if found:
                return found[0]
            if not self._move():
                return ""

    def _take(self, expected: str) -> str:
        sign = self.next_sign()
        if not sign or sign not in expected:
            raise ValueError(f"{' or '.join(expected)} is missing after {self._where()}")
        self._place += 1
        return sign

    def _value(self) -> Any:
        self.next_sign()
        try:
            value, end = _decode(self._window, self._place)
            is_cut = end == len(self._window)  # a number may go on
        except (ValueError, RecursionError):
            value, end, is_cut = None, self._place, True
        if not is_cut:
            self._place = end
            return value
        self._move()
        try:
            value, self._place = _decode(self._window, self._place)
        except (ValueError, RecursionError):
            raise ValueError(f"no value, or too large a one, after {self._where()}") from None
        return value

    def _move(self) -> bool:
        """Cut the window out anew from the place on; False at the end of the text."""
        self._start += self._place
        self._place = 0
        self._window = self._text[self._start : self._start + LONGEST_VALUE]
        return bool(self._window)

    def _where(self) -> str:
        return f"{self._start + self._place} characters"
