"""One check for each output: a reader of the output finds that a hostile name is text in it."""

import csv
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Confint, Result
from tests.robustness.hostile import PLAIN, SCORES, Kind, write_by_two_judges, write_scores
from tests.robustness.readers import (
    Page,
    Screen,
    acting,
    commands_to_terminal,
    formulas,
    on_github,
    on_terminal,
    typeset,
)

HEADER = ["run", "topic", "measure", "score"]


@dataclass(frozen=True)
class Case:
    """Scores whose run, topic and measure have the same hostile name, and the program."""

    kind: Kind
    folder: Path
    confint: Confint
    monkeypatch: pytest.MonkeyPatch

    def scores(self) -> Path:
        """Write the scores."""
        return write_scores(self.folder, self.kind)

    @property
    def harmless(self) -> "Case":
        """The same with a name that nobody minds."""
        folder = self.folder / "harmless"
        folder.mkdir(exist_ok=True)
        kind = Kind("nothing of the kind", "harmless")
        return Case(kind, folder, self.confint, self.monkeypatch)

    def printed(self, *args: object) -> str:
        """Return what a call about the scores prints; no name may disturb it."""
        result = self.confint(*args, self.scores())
        assert result.status == 0, result.err
        assert_messages_are_harmless(result)
        return result.out

    def on_terminal(self, *args: object, width: int) -> Screen:
        return on_terminal([*args, self.scores(), "--quiet"], width, self.monkeypatch)


def assert_messages_are_harmless(result: Result) -> None:
    assert not acting(result.err)
    assert all(line.startswith(("confint: ", "  hint: ")) for line in result.err.splitlines())


def rows_of(name: str) -> set[tuple[str, ...]]:
    """Return the rows of `confint score`, in which the name is seen so."""
    scores = iter([*SCORES, *reversed(SCORES)])
    return {
        (run, topic, name, f"{next(scores):.4f}")
        for run in (name, PLAIN)
        for topic in (name, "2", "3", "4")
    }


def without_blanks(text: str) -> str:
    """Return a text that may be broken into lines anywhere."""
    return re.sub(r"\s", "", unicodedata.normalize("NFC", text))


# One check for each output

CALLS = (["score"], ["compare", "--all-pairs"], ["interval", "--method", "t"])


def check_tsv(case: Case) -> None:
    comment, header, *lines = case.printed("score", "--signature").splitlines()
    assert comment.startswith("# confint:")
    assert header.split("\t") == HEADER
    assert all(line.count("\t") == 3 for line in lines)  # as awk and cut see it
    assert {tuple(row) for row in csv.reader(lines, delimiter="\t")} == rows_of(case.kind.seen)


def check_csv(case: Case) -> None:
    for call in CALLS:
        assert formulas(case.printed(*call, "-f", "csv", "--signature")) == []
    text = case.printed("score", "-f", "csv", "--signature")
    comment, *lines = text.splitlines(keepends=True)
    assert comment.startswith("# confint:")
    header, *rows = csv.reader(lines, strict=True)
    assert header == HEADER
    assert {tuple(row) for row in rows} == rows_of(case.kind.in_a_spreadsheet)


def check_json(case: Case) -> None:
    found = json.loads(case.printed("score", "-f", "json"))
    check_objects(found["rows"], case.kind)
    assert set(found["signature"]) == {
        "confint", "command", "topics", "runs", "measures", "missing",
    }  # fmt: skip


def check_jsonl(case: Case) -> None:
    *lines, end = case.printed("score", "-f", "jsonl").split("\n")
    assert end == ""
    check_objects([json.loads(line) for line in lines], case.kind)


def check_objects(rows: list[dict[str, object]], kind: Kind) -> None:
    """Check names of runs as everybody sees them; topics and measures are as they were read."""
    assert len(rows) == 8
    assert all(list(row) == HEADER for row in rows)
    assert {row["run"] for row in rows} == {kind.seen, PLAIN}
    assert {row["topic"] for row in rows} == {kind.seen, "2", "3", "4"}
    assert {row["measure"] for row in rows} == {kind.seen}
    assert sorted(str(row["score"]) for row in rows) == sorted(map(str, 2 * SCORES))


def check_markdown(case: Case) -> None:
    for call in CALLS:
        page = on_github(case.printed(*call, "-f", "markdown", "--signature"))
        assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "code"}
        assert len(page.comments) == 1
        assert without_blanks(case.kind.seen) in without_blanks(page.words)
        if call == ["score"]:
            assert {tuple(row) for row in page.rows} == {(*HEADER,), *rows_of(case.kind.seen)}


def check_latex(case: Case) -> None:
    for call in CALLS:
        made = typeset(case.printed(*call, "-f", "latex", "--signature"))
        assert made.commands == typeset(case.harmless.printed(*call, "-f", "latex")).commands
        if call == ["score"]:
            rows = {tuple(row) for row in made.rows if len(row) == len(HEADER)}
            assert rows == {(*HEADER,), *rows_of(case.kind.seen)}


def check_trec_eval(case: Case) -> None:
    case.printed("score", "--layout", "trec_eval", "-o", case.folder / "evals")
    written = list((case.folder / "evals").iterdir())
    assert len(written) == 2
    for path in written:
        lines = path.read_text().split("\n")
        assert lines.pop() == ""
        assert [len(line.split()) for line in lines] == [3] * 7
        assert not acting("".join(lines).replace("\t", ""))
        assert [line.split()[1] for line in lines[4:]] == ["all"] * 3
        assert len({line.split()[1] for line in lines[:4]}) == 4


def check_table(case: Case) -> None:
    """Check that every row has its cells where the header has its names, in places of a screen."""
    for call in CALLS:
        screen = case.on_terminal(*call, width=120)
        assert "\x1b[1m" in screen.sent  # there are colours
        assert commands_to_terminal(screen.sent) == set()
        if call == ["score"]:
            rows = {tuple(map(without_blanks, row)) for row in rows_of(case.kind.seen)}
            assert rows_on(screen) == rows


def rows_on(screen: Screen) -> set[tuple[str, ...]]:
    """Return the rows of a table, of which each cell may go on in the lines below it."""
    starts = [screen.text(0).index(name) for name in HEADER[:3]]
    width = len(screen.text(1))  # of the line below the header
    edges = [*starts, width - len("0.0000"), width]
    rows: list[list[str]] = []
    for line in range(2, len(screen.cells)):
        if not screen.text(line):
            break  # a blank line ends the table
        cells = [screen.text(line, *edges[place : place + 2]) for place in range(len(HEADER))]
        if cells[-1]:
            rows.append([""] * len(cells))
        rows[-1] = [above + below for above, below in zip(rows[-1], cells, strict=True)]
    return {tuple(map(without_blanks, row)) for row in rows}


def check_narrow_table(case: Case) -> None:
    for call in CALLS:
        screen = case.on_terminal(*call, width=40)
        assert commands_to_terminal(screen.sent) == set()
        assert without_blanks(case.kind.seen) in screen.whole_text


def check_piped_table(case: Case) -> None:
    for call in CALLS:
        text = case.printed(*call, "-f", "table")
        assert not acting(text)
        title = text.partition("\n\n")[0]  # tables have the measure in it
        assert call == ["score"] or without_blanks(case.kind.seen) in without_blanks(title)


def check_report(case: Case) -> None:
    """Check that a page has the elements that it has with harmless names, and no others."""
    args = ("report", "--baseline", PLAIN, "--resamples", 100)
    text = case.printed(*args)
    page, plain = Page(text), Page(case.harmless.printed(*args))
    assert not acting(text)
    assert skeleton(page) == skeleton(plain)
    assert page.comments == plain.comments
    assert case.kind.seen in page.words


def check_report_of_designs(case: Case) -> None:
    """Check the same of a page of collections, groups and a cheaper judge, called so, too."""
    options = ("report", "--baseline", PLAIN, "--draws", 100, "--margin", 0.1)
    pages = []
    for own in (case, case.harmless):
        result = case.confint(*options, *write_by_two_judges(own.folder, own.kind))
        assert result.status == 0, result.err
        assert_messages_are_harmless(result)
        assert not acting(result.out)
        pages.append(Page(result.out))
    page, plain = pages
    # As many of each: collections stand in the order of their names.
    assert Counter(skeleton(page)) == Counter(skeleton(plain))
    assert page.comments == plain.comments
    assert case.kind.seen in page.words


def skeleton(page: Page) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements but for those that keep directions of writing apart."""
    return [element for element in page.elements if element[0] != "bdi"]


@dataclass(frozen=True)
class Output:
    """A format, what names become in it, and the check that they do."""

    what: str
    gets: str
    check: Callable[[Case], None]


OUTPUTS = {
    "terminal": Output(
        "a table on a terminal",
        "no control sequences except colours; every cell in its column, names of several lines too",
        check_table,
    ),
    "narrow": Output(
        "a table on a narrow terminal",
        "no line is wider than the terminal, no name is cut",
        check_narrow_table,
    ),
    "table": Output("a table in a file", "no control character at all", check_piped_table),
    "tsv": Output(
        "TSV, which is for programs",
        "as many fields in every line as there are columns; `=1` stays as it is",
        check_tsv,
    ),
    "csv": Output(
        "CSV, which is for spreadsheets",
        "no cell is a formula: it has a quote in front, which goes when confint reads the file",
        check_csv,
    ),
    "json": Output("JSON", "strings, in ASCII", check_json),
    "jsonl": Output("JSON lines", "strings, in ASCII; one object per line", check_jsonl),
    "markdown": Output(
        "Markdown",
        "on GitHub no link, picture, HTML or emphasis, and no additional cell",
        check_markdown,
    ),
    "latex": Output("LaTeX", "every character is printed, none is a command", check_latex),
    "trec_eval": Output("trec_eval's layout", "three fields in every line", check_trec_eval),
    "report": Output(
        "the page of `confint report`",
        "the same elements and attributes as with harmless names",
        check_report,
    ),
    "report-designs": Output(
        "the page of collections, groups and a cheaper judge, whose file has such a name, too",
        "the same elements and attributes as with harmless names",
        check_report_of_designs,
    ),
}
