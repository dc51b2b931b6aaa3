"""How the readers of each output see it: a terminal, a spreadsheet, GitHub, TeX, a browser.

They are programs and libraries that others wrote, but for TeX, whose rules are few.
"""

import csv
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm
import pyte
import pytest
from cmarkgfm.cmark import Options

_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def acting(text: str) -> set[str]:
    """Return the characters that are not shown but obeyed, or that hide; line ends are no harm."""
    return {c for c in text if unicodedata.category(c) in _ACTING} - {"\n"}


# A terminal


@dataclass(frozen=True)
class Screen:
    """What a terminal shows: its lines, each a cell for each place, and what was sent to it."""

    sent: str
    cells: list[list[str]]  # an empty one belongs to the wide character before it

    def text(self, line: int, start: int = 0, end: int | None = None) -> str:
        """Return what stands in some places of a line."""
        return unicodedata.normalize("NFC", "".join(self.cells[line][start:end])).strip()

    @property
    def whole_text(self) -> str:
        """All that is shown, without blanks and line ends: names may be broken at any place."""
        return re.sub(r"\s", "", "".join(self.text(line) for line in range(len(self.cells))))


def on_terminal(args: Sequence[object], width: int, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Run the program with a terminal of some width as its standard output."""
    from confint_cli.app.cli import run

    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    sent: list[bytes] = []
    reader = threading.Thread(target=lambda: sent.extend(_all_from(outside)))
    reader.start()
    with monkeypatch.context() as patch, open(inside, "w", encoding="utf-8") as stream:
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLUMNS", str(width))  # instead of the terminal that the tests run in
        patch.delenv("NO_COLOR", raising=False)
        patch.setattr(sys, "stdout", stream)
        assert run([str(arg) for arg in args]) == 0
    reader.join()
    os.close(outside)
    return _screen(b"".join(sent).decode(), width)


def _all_from(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            yield os.read(terminal, 65536)
        except OSError:  # the program has ended
            return


def _screen(sent: str, width: int) -> Screen:
    """Let a terminal show what was sent, up to the signature: one line to copy, however long.

    It is as high as it takes to see all of it.
    """
    table = sent.rpartition("\x1b[2mconfint:")[0]
    height = table.count("\n") + 1
    screen = pyte.Screen(width, height + 20)
    pyte.Stream(screen).feed(table)
    assert screen.cursor.y == height - 1, "a line was too long for the terminal, or one is lost"
    lines = [[screen.buffer[y][x].data for x in range(width)] for y in range(height)]
    return Screen(sent, lines)


def commands_to_terminal(sent: str) -> set[str]:
    """Return what a terminal would act upon, other than colours and line ends."""
    return acting(_COLOUR.sub("", sent).replace("\r\n", "\n"))


# A spreadsheet


def formulas(text: str) -> list[str]:
    """Return the cells that a spreadsheet would compute, wherever in the world it is opened."""
    cells = [
        cell
        for separator in ",;\t"
        for row in csv.reader(text.splitlines(keepends=True), delimiter=separator)
        for cell in row
    ]
    return [cell for cell in cells if re.match("[=+@＝＋－＠\t\r-]", cell) and not _is_number(cell)]


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", cell) is not None


# A browser


class Page(HTMLParser):
    """The elements of a page with the names of their attributes, its comments and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.comments: list[str] = []
        self.rows: list[list[str]] = []
        self.words = ""
        self._in_cell = False
        self.feed(text)
        self.close()

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        self.words += data
        if self._in_cell:
            self.rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"no part of HTML: {data}")


def on_github(markdown: str) -> Page:
    """Return Markdown as GitHub's own library sets it, with whatever HTML is in it."""
    options = Options.CMARK_OPT_UNSAFE
    return Page(cmarkgfm.github_flavored_markdown_to_html(markdown, options=options))


# TeX

_PRINTED = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<",
    "textgreater": ">", "textbar": "|", "char34": '"', **{sign: sign for sign in "&%$#_{}"},
    "Delta": "Δ", "rho": "ρ", "alpha": "α", "surd": "√", "pm": "±", "infty": "∞",
}  # fmt: skip
_TOKEN = re.compile(
    r"%[^\n]*|\\(?:begin|end)\{tabular\}(?:\{[lr]+\})?|\\multicolumn\{\d+\}\{l\}|\\char34"
    r"|\\[A-Za-z]+ *|\\.|\$\^-\$|--\{\}|.",
    re.DOTALL,
)
_LIGATURE = re.compile("--|''|``|,,|[?!]`")


@dataclass
class Typeset:
    """What TeX makes of a table: the texts of its cells, and what else it was told to do."""

    rows: list[list[str]] = field(default_factory=lambda: [[""]])
    commands: list[str] = field(default_factory=list)


def typeset(source: str) -> Typeset:
    """Read a table as TeX does, token by token; refuse what it would complain of."""
    made = Typeset()
    depth, last = 0, ""  # the character before, with which the next one may be a ligature
    for token in _TOKEN.findall(source):
        printed = ""
        if token in ("\\\\", "&"):
            assert depth == 0, "a row or a cell ends within braces"
            if token == "&":
                made.rows[-1].append("")
            else:
                made.rows.append([""])
        elif token.startswith("\\"):
            printed = _PRINTED.get(token[1:].strip(), "")
            if not printed:
                made.commands.append(token.strip())
        elif token in "{}":
            depth += 1 if token == "{" else -1
            assert depth >= 0, "a brace is closed that is not open"
        elif token == "--{}":
            printed = "–"
        elif not token.startswith(("%", "$")):
            assert token not in "#^_~", f"{token} means something to TeX"
            assert not _LIGATURE.search(last + token), "two characters become another one"
            printed = token
        last = printed if printed == token else ""
        made.rows[-1][-1] += printed
    assert depth == 0, "a brace is not closed"
    made.rows = [[cell.strip() for cell in row] for row in made.rows]
    return made
