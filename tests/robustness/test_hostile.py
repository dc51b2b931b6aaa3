"""Hostile content: whatever strangers put into names, every output shows it as harmless text."""

import csv
import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pypdf
import pytest
from PIL import Image

from confint_cli.cli import run
from tests.conftest import Confint, Result
from tests.robustness.hostile import KINDS, PLAIN, SCORES, Kind, as_csv, write_scores
from tests.robustness.promises import Test, promise
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

    @property
    def scores(self) -> Path:
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
        result = self.confint(*args, self.scores)
        assert result.status == 0, result.err
        assert_messages_are_harmless(result)
        return result.out

    def on_terminal(self, *args: object, width: int) -> Screen:
        return on_terminal([*args, self.scores, "--quiet"], width, self.monkeypatch)


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
        assert commands_to_terminal(screen.sent) == set()
    assert names_in(case.on_terminal("score", width=120)) == {
        tuple(map(without_blanks, row)) for row in rows_of(case.kind.seen)
    }


def names_in(screen: Screen) -> set[tuple[str, ...]]:
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


def skeleton(page: Page) -> list[tuple[str, tuple[str, ...]]]:
    """Return the elements but for those that keep directions of writing apart."""
    return [element for element in page.elements if element[0] != "bdi"]


OUTPUTS: Mapping[str, tuple[str, str, Callable[[Case], None]]] = {
    "terminal": (
        "a table on a terminal",
        "no control sequence but colours; every cell in its column, names of several lines too",
        check_table,
    ),
    "narrow": (
        "a table on a narrow terminal",
        "no line is wider than the terminal, no name is cut",
        check_narrow_table,
    ),
    "table": ("a table in a file", "no control character at all", check_piped_table),
    "tsv": (
        "TSV, which is for programs",
        "as many fields in every line as names of columns; names that begin with = stay as they are",
        check_tsv,
    ),
    "csv": (
        "CSV, which is for spreadsheets",
        "no cell is a formula: a quote stands before it, and goes when confint reads the file",
        check_csv,
    ),
    "json": ("JSON", "strings, in ASCII", check_json),
    "jsonl": ("JSON lines", "strings, in ASCII; one object a line", check_jsonl),
    "markdown": (
        "Markdown",
        "on GitHub no link, picture, HTML or emphasis, and no cell more",
        check_markdown,
    ),
    "latex": ("LaTeX", "every character is printed, none is obeyed", check_latex),
    "trec_eval": ("trec_eval's layout", "three fields in every line", check_trec_eval),
    "report": (
        "the page of `confint report`",
        "the elements and attributes that harmless names have, no others",
        check_report,
    ),
}


def promises_of_the_table(test: Test) -> Test:
    """Put a row into the page for each kind of content and for each output."""
    for name, kind in KINDS.items():
        gets = "is shown as it is" if kind.seen == kind.text else "is written out in every output"
        promise(f"a name with {kind.what}", gets, f"…-{name}")(test)
    for name, (what, gets, _) in OUTPUTS.items():
        promise(f"any of these names in {what}", gets, f"{name}-…")(test)
    return test


@promises_of_the_table
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_names_are_text(
    output: str, kind: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, check = OUTPUTS[output]
    check(Case(KINDS[kind], tmp_path, confint, monkeypatch))


@promise("a number below 0 in CSV", "stays a number, without a quote before it")
def test_numbers_of_csv_stay_numbers(tmp_path: Path, confint: Confint) -> None:
    scores = write_scores(tmp_path, KINDS["formula"])
    text = confint("compare", scores, "--all-pairs", "-f", "csv").out
    (row,) = csv.DictReader(text.splitlines())
    assert float(row["low"]) < 0


# What can be read again

READ_AGAIN = {
    "tsv": ["-f", "tsv", "--signature"],
    "csv": ["-f", "csv", "--signature"],
    "json": ["-f", "json"],
    "jsonl": ["-f", "jsonl"],
}


@promise("scores with such names that confint wrote", "are read again as the same")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", READ_AGAIN)
def test_what_is_written_can_be_read_again(
    output: str, kind: str, tmp_path: Path, confint: Confint
) -> None:
    scores = write_scores(tmp_path, KINDS[kind])
    written = tmp_path / f"written.{output}"
    assert confint("score", scores, *READ_AGAIN[output], "-o", written).status == 0
    first, again = (confint("score", path, "--sort", "name") for path in (scores, written))
    assert (again.status, again.err) == (0, "")
    assert again.out == first.out
    assert len(first.rows) == 8
    # No name makes a signature say that scores are standardised.
    assert "standardised" not in confint("interval", written, "-f", "table", "--method", "t").out


@promise("such names in trec_eval's layout", "as many runs and topics are read again, and the scores")
@pytest.mark.parametrize("kind", KINDS)
def test_the_layout_of_trec_eval_can_be_read_again(
    kind: str, tmp_path: Path, confint: Confint
) -> None:
    scores = write_scores(tmp_path, KINDS[kind])
    folder = tmp_path / "evals"
    assert confint("score", scores, "--layout", "trec_eval", "-o", folder).status == 0
    again = confint("score", *sorted(folder.iterdir()), "--input-format", "trec_eval")
    assert (again.status, again.err) == (0, "")
    assert [len({row[place] for row in again.rows}) for place in range(3)] == [2, 4, 1]
    assert sorted(row[3] for row in again.rows) == sorted(2 * [f"{one:.4f}" for one in SCORES])


ALIKE = ["a\tb", "a\\tb", "a\tb (2)", "a_b", "a b"]  # as strangers write them


@promise(
    "names that differ only in what is written out, or in blanks",
    "stay different runs and topics, by a number if need be, and can be read again",
)
@pytest.mark.parametrize("layout", [*READ_AGAIN, "trec_eval"])
def test_names_that_look_alike_stay_apart(layout: str, tmp_path: Path, confint: Confint) -> None:
    scores = tmp_path / "scores.jsonl"
    scores.write_text("".join(
        json.dumps({"run": run, "topic": topic, "measure": "m", "score": (4 * i + j) / 32}) + "\n"
        for i, run in enumerate(ALIKE) for j, topic in enumerate(ALIKE)))  # fmt: skip
    folder = tmp_path / "written"
    how = ["--layout", layout] if layout == "trec_eval" else ["-f", layout]
    result = confint("score", scores, *how, "-o", f"{folder}/")
    assert result.status == 0
    assert result.err == (
        f"confint: {scores}: 2 different runs look like 'a\\tb'; told apart by number\n"
    )
    again = confint("score", *folder.iterdir())
    assert again.status == 0, again.err
    assert len({row[0] for row in again.rows}) == len({row[1] for row in again.rows}) == len(ALIKE)
    assert Counter(row[3] for row in again.rows) == Counter(
        row[3] for row in confint("score", scores).rows
    )


# Figures


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Figures in which all kinds of names are runs, and others in which they are measures."""
    folder = tmp_path_factory.mktemp("figures")
    names = [kind.text for kind in KINDS.values()]
    made = {}
    for what, runs, measures in (("runs", names, ["m"]), ("measures", ["r"], names)):
        rows = [("run", "topic", "measure", "score")]
        rows += [(run, topic, measure, score) for run in runs for measure in measures
                 for topic, score in zip("1234", SCORES, strict=True)]  # fmt: skip
        scores = folder / f"{what}.jsonl"
        scores.write_text("".join(json.dumps(dict(zip(rows[0], row, strict=True))) + "\n"
                                  for row in rows[1:]))  # fmt: skip
        for ending in ("svg", "png", "pdf"):
            path = made[f"{what}.{ending}"] = folder / f"{what}.{ending}"
            command = ["interval", "--method", "t", "-m", "all", "--plot", str(path), "--quiet"]
            assert run([*command, str(scores), "-o", str(folder / "table.tsv")]) == 0
    return made


def in_signature(kind: Kind) -> str:
    return kind.seen.replace("|", "\\x7c")


@promise("any of these names in a figure in SVG", "well-formed XML, and no element but of drawings")
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_in_svg(kind: str, figures: dict[str, Path]) -> None:
    for what in ("runs", "measures"):
        drawing = ET.parse(figures[f"{what}.svg"]).getroot()
        elements = {element.tag.rpartition("}")[2] for element in drawing.iter()}
        assert elements <= {
            "svg", "metadata", "RDF", "Work", "type", "format", "creator", "Agent", "title",
            "description", "defs", "style", "g", "path", "use", "clipPath", "rect",
        }  # fmt: skip
    assert in_signature(KINDS[kind]) in "".join(drawing.itertext())


@promise("any of these names in a figure in PNG", "a picture that describes itself by the names")
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_in_png(kind: str, figures: dict[str, Path]) -> None:
    with Image.open(figures["measures.png"]) as picture:
        picture.verify()
        assert in_signature(KINDS[kind]) in picture.info["Description"]


@promise("any of these names in a figure in PDF", "its text, without mathematics, links or scripts")
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_in_pdf(kind: str, figures: dict[str, Path]) -> None:
    document = pypdf.PdfReader(figures["runs.pdf"], strict=True)
    assert set(document.trailer["/Root"]) == {"/Type", "/Pages"}  # nothing to be opened or run
    assert not any(page.annotations for page in document.pages)
    words = without_blanks("".join(page.extract_text() for page in document.pages))
    name = KINDS[kind].seen
    if name.isascii() and len(name) <= 32:  # others are shortened, or have letters that no font has
        assert without_blanks(name) in words
    about = pypdf.PdfReader(figures["measures.pdf"], strict=True).metadata
    assert about is not None
    assert in_signature(KINDS[kind]) in str(about.subject)


# Messages


@promise(
    "any of these names in a message",
    "one line for the problem and one for the hint; nothing that a terminal would obey",
)
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_in_messages(
    kind: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scores = write_scores(tmp_path, KINDS[kind])
    calls: list[list[object]] = [
        ["compare", scores, "--baseline", "nothing"],
        ["score", scores, "-m", "nothing"],
    ]
    if not KINDS[kind].only_in_json:
        calls += bad_calls(KINDS[kind].text, scores) + calls_about_bad_files(KINDS[kind])
    for call in calls:
        result = confint(*call)
        assert (result.status in (1, 2), result.out) == (True, ""), call
        assert_messages_are_harmless(result)
        assert 1 <= len(result.err.splitlines()) <= 2, call


def bad_calls(text: str, scores: Path) -> list[list[object]]:
    """Return calls in which a text stands where it means nothing."""
    return [
        [text], [f"--{text}"], ["score", f"--{text}"], ["score", "--", text], ["methods", text],
        ["score", scores, "-m", f"{text}?"], ["compare", scores, "--baseline", f"{text}?"],
        ["interval", scores, "--method", text], ["interval", scores, "--level", text],
        ["score", scores, "--every", text], ["score", scores, "--input-format", text],
        ["score", scores, "--missing", text], ["score", scores, "-o", f"no folder/{text}.tsv"],
        ["interval", scores, "--plot", text], ["score", "-q", text, "--", text],
    ]  # fmt: skip


def calls_about_bad_files(kind: Kind) -> list[list[object]]:
    """Return calls about files in which a text stands where nothing can be made of it."""
    header, row = ("run", "topic", "measure", "score"), (kind.text, kind.text, kind.text)
    word = b"_".join(kind.raw.split())
    contents = {
        "twice.csv": as_csv([header, (*row, 1), (*row, 1)]),
        "value.csv": as_csv([header, (*row, kind.text)]),
        "grade.qrels": b"1 0 " + word + b" " + word + b"\n",
        "good.qrels": b"1 0 d 1\n",
        "twice.run": b"1 Q0 " + word + b" 1 1 x\n1 Q0 " + word + b" 2 1 x\n",
        "other.run": word + b" Q0 d 1 1 x\n",
        "score.run": b"1 Q0 d 1 " + word + b"? x\n",
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)
    return [
        ["score", "twice.csv"], ["score", "value.csv"], ["score", "-q", "grade.qrels", "other.run"],
        *(["score", "-q", "good.qrels", f"{name}.run"] for name in ("twice", "other", "score")),
    ]  # fmt: skip


@promise(
    "any of these names in a warning or a note",
    "one line, of which nothing is obeyed, and the result as always",
)
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.only_in_json])
def test_names_are_text_in_notices(
    kind: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    word = b"_".join(KINDS[kind].raw.split())
    Path("qrels").write_bytes(b"1 0 d 1\n2 0 d 1\n")
    Path("x.run").write_bytes(b"1 Q0 " + word + b" 1 1 " + word + b"\n2 Q0 e 1 1 " + word + b"2\n")
    result = confint("score", "-q", "qrels", "x.run", "-v", "-m", "map")
    assert result.status == 0
    assert_messages_are_harmless(result)
    about_documents, about_tags = result.err.splitlines()
    seen = "_".join(KINDS[kind].seen.split()).replace("\\t", "_").replace("\\n", "_")
    assert seen[:5] in about_documents
    assert f"has 2 tags: {seen[:5]}" in about_tags
