"""Hostile content: whatever strangers put into names, every output shows it as harmless text."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pypdf
import pytest
from PIL import Image

from confint_cli.app.cli import run
from confint_cli.app.messages import show_error, show_notices
from confint_cli.common.errors import note, warning
from tests.conftest import Confint, records, write
from tests.robustness.checking import (
    OUTPUTS,
    Case,
    assert_messages_are_harmless,
    without_blanks,
)
from tests.robustness.hostile import KINDS, PLAIN, SCORES, Kind, as_csv, write_scores
from tests.robustness.origins import ORIGINS
from tests.robustness.promises import Test, promise
from tests.robustness.readers import (
    acting,
    commands_to_terminal,
    formulas,
    on_github,
    on_terminal,
    typeset,
)


def promises_of_the_table(test: Test) -> Test:
    """Put a row into the page for each kind of content and for each output."""
    for name, kind in KINDS.items():
        promise(f"in a name: {kind.what}", kind.gets, f"…-{name}")(test)
    for name, output in OUTPUTS.items():
        promise(f"any of these names in {output.what}", output.gets, f"{name}-…")(test)
    return test


@promises_of_the_table
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_names_are_text(
    output: str, kind: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    OUTPUTS[output].check(Case(KINDS[kind], tmp_path, confint, monkeypatch))


COMMANDS: dict[str, list[object]] = {
    "bayes": ["--baseline", PLAIN, "--draws", 500],
    "compare": ["--baseline", PLAIN],
    "coverage": ["--replicates", 5, "--resamples", 100],
    "describe": [],
    "interval": ["--method", "t,percentile", "--resamples", 100],
    "plan": ["--half-width", 0.1],
    "rank": ["--resamples", 100],
    "risk": ["--baseline", PLAIN, "--resamples", 100],
    "standardize": [],
}


# Names are seeds of samples, so that marks in a table may differ, and whether a legend tells them.
OF_MARKS = {r"\rlap", r"\addlinespace", r"\par", r"\smallskip", r"\footnotesize"}


def write_all_kinds(folder: Path, name: Callable[[str, Kind], str]) -> Path:
    """Write scores in which all kinds are runs, and some of them topics and a measure."""
    names = {key: name(key, kind) for key, kind in KINDS.items() if key != "digits"}
    random = np.random.default_rng(0)
    path = folder / "scores.jsonl"
    path.write_text("".join(
        json.dumps({"run": run, "topic": topic, "measure": names["latex"], "score": score}) + "\n"
        for run in [*names.values(), PLAIN]
        for topic, score in zip([*names.values()][:10], random.random(10).round(3), strict=True)
    ))  # fmt: skip
    return path


@promise("runs of all these names at once", "do no harm to the tables and sentences of any command")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("output", ["terminal", "csv", "markdown", "latex"])
def test_tables_of_every_command(
    output: str, command: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = write_all_kinds(tmp_path, lambda _, kind: kind.text)
    call = [command, *COMMANDS[command], "--quiet"]
    if output == "terminal":
        screen = on_terminal([*call, scores], 100, monkeypatch)
        assert commands_to_terminal(screen.sent) == set()
        return
    text = printed(confint, *call, scores, "-f", output)
    harmless = write_all_kinds(tmp_path, lambda key, _: key)
    plain = printed(confint, *call, harmless, "-f", output)
    if output == "csv":
        assert formulas(text) == []
        assert text.count("\n") == plain.count("\n")
    elif output == "markdown":
        page = on_github(text)
        assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "code"}
        assert list(map(len, page.rows)) == list(map(len, on_github(plain).rows))
    else:
        assert {*typeset(text).commands} <= {*typeset(plain).commands} | OF_MARKS


BY_TWO: dict[str, list[object]] = {
    "compare": ["--baseline", PLAIN, "--simultaneous", "--draws", 200],
    "coverage": ["--replicates", 5],
    "interval": [],
    "plan": ["--half-width", 0.1],
    "rank": ["--draws", 200],
}


@promise(
    "the same names of runs and topics, from people and from a cheaper judge, whose file has such "
    "a name, too",
    "do no harm to the tables and sentences of any command",
)
@pytest.mark.parametrize("command", BY_TWO)
@pytest.mark.parametrize("output", ["terminal", "csv", "markdown", "latex"])
def test_tables_of_two_judges(
    output: str, command: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def words(name: Callable[[str, Kind], str], judge: str) -> list[object]:
        people = write_all_kinds(tmp_path, name)
        path = tmp_path / f"{judge}.jsonl"
        random = np.random.default_rng(1)
        by_people = [json.loads(line) for line in people.read_text().splitlines()]
        others = [{**one, "topic": f"{one['topic']}{number}", "score": random.random()}
                  for one in by_people for number in range(2)]  # fmt: skip
        noisy = [{**one, "score": one["score"] / 2 + random.random() / 2} for one in by_people]
        path.write_text("".join(json.dumps(one) + "\n" for one in [*noisy, *others]))
        return [command, *BY_TWO[command], "--quiet", people, "--judge-scores", path]

    hostile = words(lambda _, kind: kind.text, KINDS["escapes"].text + KINDS["templates"].text)
    if output == "terminal":
        screen = on_terminal(hostile, 100, monkeypatch)
        assert commands_to_terminal(screen.sent) == set()
        return
    text = printed(confint, *hostile, "-f", output, "--signature")
    plain = printed(confint, *words(lambda key, _: key, "x"), "-f", output, "--signature")
    if output == "csv":
        assert formulas(text) == []
        assert text.count("\n") == plain.count("\n")
    elif output == "markdown":
        page = on_github(text)
        assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "code"}
        assert list(map(len, page.rows)) == list(map(len, on_github(plain).rows))
    else:
        assert {*typeset(text).commands} <= {*typeset(plain).commands} | OF_MARKS


UNJUDGED: dict[str, list[object]] = {
    "compare": ["--all-pairs", "--simultaneous"],
    "interval": [],
    "rank": [],
    "score": [],
}


def write_rankings(folder: Path, name: Callable[[str, Kind], str]) -> list[object]:
    """Write runs whose tags, topics and documents have such names; some documents are judged."""
    words = {key: "".join(name(key, kind).split()) for key, kind in KINDS.items()
             if not (kind.only_in_json or key in ("comment", "digits", "line-ends"))}  # fmt: skip
    random = np.random.default_rng(0)
    topics, documents = [*words.values()][:10], [*words.values()]
    lines = [f"{topic} 0 {document} {random.integers(-1, 3)}\n" for topic in topics
             for document in documents if random.random() < 0.6]  # fmt: skip
    (folder / "qrels").write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
    files: list[object] = []
    for number, tag in enumerate([*words.values(), PLAIN.replace(" ", "")]):
        lines = [f"{topic} Q0 {document} 0 {random.random()} {tag}\n" for topic in topics
                 for document in random.permutation(documents)[:8].tolist()]  # fmt: skip
        files.append(folder / f"{number}.run")
        (folder / f"{number}.run").write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
    return ["-q", folder / "qrels", "--name-from", "tag", "-m", "P@5,nDCG@5", *files]


@promise(
    "runs, topics and documents of all these names, some of them documents that nobody judged",
    "do no harm to bounds, or to the messages about such documents",
)
@pytest.mark.parametrize("command", UNJUDGED)
@pytest.mark.parametrize("output", ["terminal", "csv", "markdown", "latex"])
def test_tables_of_documents_that_nobody_judged(
    output: str, command: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = write_rankings(tmp_path, lambda _, kind: kind.text)
    told = confint(command, *UNJUDGED[command], *hostile)
    assert told.status == 0
    assert "unjudged documents count as not relevant" in told.err
    assert_messages_are_harmless(told)
    call = [command, *UNJUDGED[command], "--unjudged", "bounds", "--quiet"]
    if output == "terminal":
        screen = on_terminal([*call, *hostile], 100, monkeypatch)
        assert commands_to_terminal(screen.sent) == set()
        return
    text = printed(confint, *call, *hostile, "-f", output, "--signature")
    harmless = write_rankings(tmp_path, lambda key, _: key)
    plain = printed(confint, *call, *harmless, "-f", output, "--signature")
    if output == "csv":
        assert formulas(text) == []
        assert text.count("\n") == plain.count("\n")
    elif output == "markdown":
        page = on_github(text)
        assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "code"}
        assert list(map(len, page.rows)) == list(map(len, on_github(plain).rows))
    else:
        assert {*typeset(text).commands} <= {*typeset(plain).commands} | OF_MARKS


def printed(confint: Confint, *args: object) -> str:
    result = confint(*args)
    assert (result.status, result.err) == (0, "")
    assert not acting(result.out.replace("\t", ""))
    return result.out


@promise(
    "a name that looks like the beginning of a list in Markdown",
    "does not begin a list in a sentence",
)
@pytest.mark.parametrize("runs", [("- x", "+ y"), ("1. x", "2) y")])
def test_no_name_begins_a_list(runs: tuple[str, str], tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {run: {"m": [0.1, 0.2, 0.4]} for run in runs})
    text = confint("compare", path, "--all-pairs", "-f", "markdown").out
    assert on_github(text).tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong"}


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


@promise(
    "such names in trec_eval's layout",
    "are read again as the same number of runs and topics, with the same scores",
)
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


@promise("factors and intervals with such names", "are read by `standardize` and `summary`")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", ["tsv", "csv"])
def test_other_tables_can_be_read_again(
    output: str, kind: str, tmp_path: Path, confint: Confint
) -> None:
    scores, table = write_scores(tmp_path, KINDS[kind]), tmp_path / f"table.{output}"
    first = confint("standardize", scores, "--save-factors", table, "--quiet")
    assert first.status == 0, first.err
    again = confint("standardize", scores, "--factors", table, "--quiet")
    assert (again.status, again.out) == (0, first.out)
    result = confint("interval", scores, "--method", "t", "--quiet", "-o", table)
    assert result.status == 0, result.err
    found = confint("summary", table, "-f", "json")
    assert found.status == 0, found.err
    rows = json.loads(found.out)["rows"]
    assert {(row["measure"], row["run"]) for row in rows} == {
        (KINDS[kind].seen, KINDS[kind].seen),
        (KINDS[kind].seen, PLAIN),
    }


@promise("standardised scores by a measure with such a name", "are known to be standardised")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("output", ["tsv", "csv"])
def test_standardised_scores_are_known_to_be(
    output: str, kind: str, tmp_path: Path, confint: Confint
) -> None:
    scores, written = write_scores(tmp_path, KINDS[kind]), tmp_path / f"written.{output}"
    result = confint("standardize", scores, "--signature", "--quiet", "-o", written)
    assert result.status == 0, result.err
    found = confint("interval", written, "--method", "t", "-f", "json", "--quiet")
    assert len(json.loads(found.out)["signature"]["scale"]) == 8


@promise(
    "a measure that has the name of an entry of a signature",
    "does not make other scores look standardised",
)
@pytest.mark.parametrize("output", ["tsv", "csv"])
def test_no_name_is_an_entry_of_a_signature(output: str, tmp_path: Path, confint: Confint) -> None:
    scores, written = tmp_path / "scores.tsv", tmp_path / f"written.{output}"
    lines = [f"r\t{topic}\t{measure}\t0.{topic}" for topic in (1, 2, 3)
             for measure in ("x", "y|scale:00000000,00000000|z:")]  # fmt: skip
    scores.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    assert confint("score", scores, "--signature", "-o", written).status == 0
    result = confint("interval", written, "--method", "t", "-f", "json")
    assert result.status == 0, result.err
    assert "scale" not in json.loads(result.out)["signature"]


ALIKE = ["a\tb", "a\\tb", "a\tb (2)", "a_b", "a b"]  # as strangers write them


@promise(
    "names that differ only in what is written out, or in blanks",
    "stay different runs and topics, with a number where necessary, and can be read again",
)
@pytest.mark.parametrize("layout", [*READ_AGAIN, "trec_eval"])
def test_names_that_look_alike_stay_apart(layout: str, tmp_path: Path, confint: Confint) -> None:
    scores = tmp_path / "scores.jsonl"
    scores.write_text("".join(
        json.dumps({"run": run, "topic": topic, "measure": "m", "score": (5 * i + j) / 32}) + "\n"
        for i, run in enumerate(ALIKE) for j, topic in enumerate(ALIKE)))  # fmt: skip
    folder = tmp_path / "written"
    how = ["--layout", layout] if layout == "trec_eval" else ["-f", layout]
    result = confint("score", scores, *how, "-o", f"{folder}/")
    assert result.status == 0
    assert result.err == (
        f"confint: note: {scores}: 2 different runs look like 'a\\tb', and are told apart by "
        "number\n"
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


@promise(
    "any of these names in a figure in SVG",
    "well-formed XML, and only the elements of drawings",
)
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


@promise("any of these names in a figure in PNG", "a picture that has the names in its description")
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
    "one line for the problem and one for the hint; nothing that controls a terminal",
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
        [text], [f"--{text}"], ["score", f"--{text}"], ["score", "--", text],
        ["methods", text], ["methods", "t", text],
        ["score", scores, "-m", f"{text}?"], ["compare", scores, "--baseline", f"{text}?"],
        ["interval", scores, "--method", text], ["interval", scores, "--level", text],
        ["score", scores, "--every", f"{text}?"], ["score", scores, "--input-format", text],
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
    folder = os.fsdecode(kind.raw) if kind.is_a_file_name else "folder"
    Path(folder).mkdir()
    return [
        ["score", "--", folder],
        ["score", "twice.csv"], ["score", "value.csv"], ["score", "-q", "grade.qrels", "other.run"],
        *(["score", "-q", "good.qrels", f"{name}.run"] for name in ("twice", "other", "score")),
    ]  # fmt: skip


@promise(
    "any of these names in a warning or a note",
    "one line that controls nothing, and the usual result",
)
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.only_in_json])
def test_names_are_text_in_notices(
    kind: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    word = b"_".join(KINDS[kind].raw.split())
    Path("qrels").write_bytes(b"1 0 d 1\n2 0 d 1\n2 0 f 0\n")
    Path("x.run").write_bytes(b"1 Q0 " + word + b" 1 1 " + word + b"\n2 Q0 e 1 1 " + word + b"2\n")
    result = confint("score", "-q", "qrels", "x.run", "-v", "-m", "map")
    assert result.status == 0
    assert_messages_are_harmless(result)
    about_documents, about_tags, about_shares = result.err.splitlines()
    assert "few of the first 10 are judged: x 0%" in about_shares
    seen = "_".join(KINDS[kind].seen.split()).replace("\\t", "_").replace("\\n", "_")
    assert seen[:5] in about_documents
    assert f"has 2 tags: {seen[:5]}" in about_tags


@promise(
    "a message of a library, whatever it quotes",
    "is made harmless in the same place as all others",
)
def test_every_message_goes_through_one_gate(capsys: pytest.CaptureFixture[str]) -> None:
    show_error("a\x1b[2J\nb", "c\u202ed")
    show_notices([note("e\x07f"), warning("g\rh")], verbose=False, quiet=False)
    assert capsys.readouterr().err == (
        "confint: a\\e[2J\\nb\n  hint: c\\u202ed\nconfint: note: e\\x07f\nconfint: warning: g\\rh\n"
    )


# Where names come from


@promise(
    "any of these names as a file's name, a tag, a topic, a measure, a column, in a list",
    "is shown as the same text, wherever it comes from",
)
@pytest.mark.parametrize(
    ("origin", "kind"),
    [
        (origin, kind)
        for origin in ORIGINS
        for kind in KINDS
        if ORIGINS[origin].can_have(KINDS[kind])
    ],
)
def test_names_from_everywhere(
    origin: str, kind: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = confint(*ORIGINS[origin].call(KINDS[kind]))
    assert_messages_are_harmless(result)
    assert result.status == 0, result.err
    rows = csv.DictReader(result.out.splitlines(), delimiter="\t")
    name = next(row[ORIGINS[origin].column] for row in rows)
    if origin == "folder":
        assert name == f"{KINDS[kind].seen}/x"
    else:
        assert name == KINDS[kind].seen


@promise(
    "a file called `-rf.eval`, `-`, `~`, `$(x)` or with blanks at its ends",
    "is a file like any other",
)
@pytest.mark.parametrize(
    ("path", "name"),
    [("-rf.eval", "-rf"), ("./-", "-"), ("~", "~"), ("$(x)", "$(x)"), ("*", "*"), ("a\nb", r"a\nb"),
     (".eval", ".eval"), (" x ", r"\x20x\x20"), ("\u00a0x", r"\xa0x"), ("%s.eval.gz.eval", "%s")],
)  # fmt: skip
def test_odd_names_of_files(
    path: str, name: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(path).write_bytes(b"map\t1\t0.5\nmap\t2\t0.5\nmap\tall\t0.5\n")
    result = confint("score", "--", path)
    assert (result.status, result.err) == (0, "")
    assert [row[0] for row in result.rows] == [name, name]


WORDS = [
    "all",
    "run",
    "mean",
    "topic",
    "score",
    "5",
    "1e5",
    "nan",
    "true",
    "null",
    "CON",
    "con",
    ".",
]


@promise(
    "runs with the name of a column, a number, a value of an option or a device",
    "are runs like any others",
)
def test_runs_with_names_that_mean_something_elsewhere(tmp_path: Path, confint: Confint) -> None:
    scores = tmp_path / "scores.tsv"
    lines = [f"{run}\t{topic}\tm\t{place / 100 + topic / 10}" for place, run in enumerate(WORDS)
             for topic in range(5)]  # fmt: skip
    scores.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    for run_name in WORDS:
        compared = confint("compare", scores, "--baseline", run_name, "--quiet")
        assert {row["run"] for row in records(compared)} == set(WORDS) - {run_name}
        assert {row["baseline"] for row in records(compared)} == {run_name}
    folder = tmp_path / "evals"
    assert confint("score", scores, "--layout", "trec_eval", "-o", folder).status == 0
    again = confint("score", *folder.iterdir(), "--name-from", "tag")
    assert {row[0] for row in again.rows} == set(WORDS)
    assert len({path.name.casefold() for path in folder.iterdir()}) == len(WORDS)


@promise("any of these names as `--baseline`, in quotes for the shell", "chooses the run")
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.only_in_json])
def test_every_run_can_be_chosen(kind: str, tmp_path: Path, confint: Confint) -> None:
    scores = write_scores(tmp_path, KINDS[kind])
    for name in {KINDS[kind].text, KINDS[kind].seen}:
        compared = confint("compare", scores, "--baseline", name, "--quiet")
        assert compared.status == 0, compared.err
        (row,) = csv.DictReader(compared.out.splitlines(), delimiter="\t")
        assert (row["run"], row["baseline"]) == (PLAIN, KINDS[kind].seen)


def test_names_with_commas_among_others(tmp_path: Path, confint: Confint) -> None:
    runs = ["a", "b", "a,b", "b, c"]
    scores = tmp_path / "scores.tsv"
    lines = [f"{run}\t{topic}\tm\t{topic / 10}" for run in runs for topic in range(5)]
    scores.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    for asked, baselines in {"a": ["a"], "b,a": ["b", "a"], "a,b": ["a,b"], "a,b, c": ["a,b", "c"],
                             "b,b, c": ["b", "b, c"]}.items():  # fmt: skip
        result = confint("compare", scores, "--baseline", asked, "--quiet")
        if "c" in baselines:
            assert result.err.startswith("confint: no run is called 'c'")
        else:
            assert list(dict.fromkeys(row["baseline"] for row in records(result))) == baselines


@promise(
    "runs whose names differ only in blanks, or in empty parts between commas: `a,b`, `a, b`, "
    "`a,,b`",
    "are each chosen by `--baseline` as they are written; in a list they are refused",
)
def test_commas_that_make_names_look_like_lists(tmp_path: Path, confint: Confint) -> None:
    means = {"a,b": 0.125, "a, b": 0.25, "a,,b": 0.5, "c": 0.75, ",".join("many" * 10): 0.375}
    scores = tmp_path / "x.tsv"
    lines = [f"{name}\t{topic}\tmap\t{mean}" for name, mean in means.items() for topic in (1, 2, 3)]
    scores.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    for name, mean in means.items():
        rows = records(confint("compare", scores, "--baseline", name, "--quiet"))
        assert {(row["baseline"], float(row["baseline_mean"])) for row in rows} == {(name, mean)}
    assert confint("compare", scores, "--baseline", "c,a,b").status == 2
    written = confint("interval", scores, "--method", "t", "-o", tmp_path / "means.tsv", "--quiet")
    assert written.status == 0
    summed = confint("summary", tmp_path / "means.tsv", "--baseline", "a, b", "--quiet")
    assert {row["baseline"] for row in records(summed)} == {"a, b"}


def test_published_runs_that_look_alike_stay_apart(tmp_path: Path, confint: Confint) -> None:
    table = tmp_path / "x.tsv"
    table.write_text("run\tmeasure\tmean\tsd\tn\na\x01\tmap\t.1\t.1\t50\n"
                     "a\\x01\tmap\t.1\t.1\t50\nb\tmap\t.3\t.1\t50\n")  # fmt: skip
    runs = {row["run"] for row in records(confint("summary", table))}
    assert runs == {"a\\x01", "a\\x01 (2)", "b"}


@promise(
    "measures called `all` or `P_99999999999999`, or with the name of a property",
    "are measures like any others",
)
def test_measures_with_names_that_mean_something_elsewhere(
    tmp_path: Path, confint: Confint
) -> None:
    measures = ["all", "P_99999999999999", "__proto__", "constructor", "P_" + "9" * 900, "P_²"]
    scores = tmp_path / "scores.tsv"
    lines = [f"x\t{topic}\t{measure}\t0.5" for measure in measures for topic in (1, 2)]
    scores.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    result = confint("score", scores, "-m", "all")
    assert (result.status, result.err) == (0, "")
    assert list(dict.fromkeys(row[2] for row in result.rows)) == measures
    assert {row[2] for row in confint("score", scores, "-m", "P@99999999999999").rows} == {
        "P@99999999999999"
    }


MANY = "9" * 5000


@promise(
    "numbers of thousands of digits, and digits that are not ASCII",
    "are read, or refused in one line",
)
@pytest.mark.parametrize(
    ("content", "status", "shown"),
    [
        (f"map\t{MANY}\t0.5\nmap\t1\t0.25\nmap\tall\t0.375\n", 0, MANY),
        (f"map\t1\t5e-{'0' * 5000}1\nmap\tall\t0.5\n", 0, "0.5000"),
        (f"map\t1\t0e{MANY}\nmap\tall\t0\n", 0, "0.0000"),
        (f"map\t1\t0.5\nmap\tall\t0e{MANY}\n", 0, "0.5000"),
        (f"map\t1\t{MANY}\n", 1, "the value of 'map' is not finite"),
        (f'{{"topic": {MANY}, "measure": "map", "score": 0.5}}\n', 0, MANY),
        (f'{{"topic": 1, "measure": "map", "score": {MANY}}}\n', 1, "is not finite"),
        (f"1 0 1 1\n1 0 {MANY} 1\n", 1, "holds relevance judgements"),
        ("1 0 1 1\n² 0 ² 1\n", 1, "holds relevance judgements"),
        ("1 0 1 1\n١٢ 0 ١٢ 1\n", 1, "holds relevance judgements"),
        ("topic,a\n²,0.5\n³,0.25\n", 0, "²"),
        ("map\t1\t١٢\n", 1, "the value of 'map' is not a number"),
    ],
    ids=lambda value: re.sub(r"\s+", "_", value)[:30] if isinstance(value, str) else str(value),
)
def test_numbers_of_any_kind(
    content: str, status: int, shown: str, tmp_path: Path, confint: Confint
) -> None:
    path = tmp_path / "x"
    path.write_text(content)
    result = confint("score", path, "--quiet")
    assert result.status == status
    assert shown in result.out + result.err


@promise(
    "judgements of a topic called `all`",
    "are refused, because its scores would be read as means",
)
def test_a_topic_that_is_called_like_the_mean(
    tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 d 1\nall 0 d 1\n")
    Path("x.run").write_text("1 Q0 d 1 1 x\nall Q0 d 1 1 x\n")
    result = confint("score", "-q", "qrels", "x.run")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: qrels: has a topic that is called 'all'",
        "  hint: tools use this name for the mean of all topics: rename the topic, in the runs too",
    ]


# Folders


def tree(folder: Path) -> dict[str, str]:
    """Return all that is in a folder and below it, with what it holds or where it leads."""
    return {
        str(path.relative_to(folder)): f"-> {os.readlink(path)}" if path.is_symlink()
        else "folder" if path.is_dir() else path.read_text()
        for path in sorted(folder.rglob("*"))
    }  # fmt: skip


TAGS = [
    "../../x", "/etc/passwd", "..", ".", "\0", "\\0", "a/../../b", "x" * 300, "C:\\x", "a\nb",
    "é", "~root", "%2E%2E", "..%2fx", "a\u2044x", "a\ud83d",
]  # fmt: skip


@promise(
    "`score -o DIR/` with names such as `../../x`, `/etc/passwd`, `.`, or of 300 characters",
    "one file per run in that folder, and nothing anywhere else",
)
@pytest.mark.parametrize("layout", ["long", "trec_eval"])
def test_nothing_is_written_outside_of_a_folder(
    layout: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    rows = [{"run": tag, "topic": "1", "measure": "m", "score": place / 32}
            for place, tag in enumerate(TAGS)]  # fmt: skip
    Path("scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = tree(tmp_path)
    result = confint("score", "scores.jsonl", "--layout", layout, "-o", "deep/out/")
    assert result.status == 0, result.err
    after = tree(tmp_path)
    new = {path: after[path] for path in after.keys() - before.keys()}
    assert {path: after[path] for path in before} == before
    assert new.pop("here/deep/out") == "folder"
    assert {os.path.dirname(path) for path in new} == {"here/deep/out"}
    assert len(new) == len(TAGS)
    names = [os.path.basename(path) for path in new]
    assert all(len(name) < 150 and not name.startswith((".", "-")) for name in names)
    again = confint("score", *Path("deep/out").iterdir(), "--quiet")
    assert sorted(float(row[3]) for row in again.rows) == [n / 32 for n in range(len(TAGS))]


@promise(
    "a link, a pipe or a device under the name of such a file",
    "is replaced by the file; what it pointed to stays as it was",
)
@pytest.mark.parametrize("what", ["link to a file", "link to a folder", "link to nothing", "pipe"])
def test_no_link_leads_out_of_a_folder(what: str, tmp_path: Path, confint: Confint) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    folder.mkdir()
    (outside / "file").write_text("mine")
    there = folder / "plain.tsv"
    if what == "pipe":
        os.mkfifo(there)
    else:
        there.symlink_to({"link to a file": outside / "file", "link to a folder": outside,
                          "link to nothing": outside / "new"}[what])  # fmt: skip
    before = tree(outside)
    scores = write_scores(tmp_path, KINDS["paths"])
    result = confint("score", scores, "-o", f"{folder}/")
    assert result.status == 0, result.err
    assert tree(outside) == before
    assert there.is_file()
    assert not there.is_symlink()
    assert {row[0] for row in confint("score", there).rows} == {PLAIN}


@promise("a folder under the name of such a file", "exit status 2, and no file at all")
def test_a_folder_is_not_replaced(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "out" / "plain.tsv").mkdir(parents=True)
    scores = write_scores(tmp_path, KINDS["paths"])
    before = tree(tmp_path)
    result = confint("score", scores, "-o", tmp_path / "out/")
    assert result.status == 2
    assert result.err.endswith("': it is a folder\n")
    assert tree(tmp_path) == before


@promise("a link that is named as `-o FILE` itself", "is followed, because it is the user's own")
def test_a_link_that_the_user_names_is_followed(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "link.tsv").symlink_to(tmp_path / "there.tsv")
    scores = write_scores(tmp_path, KINDS["paths"])
    assert confint("score", scores, "-o", tmp_path / "link.tsv").status == 0
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "there.tsv").read_text().startswith("run\t")


# Completion


@pytest.fixture(scope="module")
def folder_of_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    for kind in KINDS.values():
        if kind.is_a_file_name:
            Path(os.fsdecode(os.fsencode(folder) + b"/" + kind.raw + b".eval")).touch()
    return folder


SHELL_SCRIPTS = {
    "bash": """\
eval "$(confint completion bash)"
compopt() { :; }
COMP_LINE='confint compare *.eval --baseline '; COMP_POINT=${#COMP_LINE}
_confint_completion confint
for answer in "${COMPREPLY[@]}"; do eval "set -- $answer"; printf '%s\\n' "$#" "$1"; done
""",
    "fish": """\
confint completion fish | source
for answer in (complete -C "confint compare *.eval --baseline ")
    eval set words (string escape -- (string split -f 1 \\t -- $answer))
    printf '%s\\n' (count $words) $words
end
""",
}


@pytest.fixture(scope="module")
def offered(folder_of_files: Path) -> Callable[[str], set[str]]:
    """The words that a shell makes of what Tab offers as names of runs."""

    @cache
    def ask(shell: str) -> set[str]:
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed here")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        settings = {"PATH": path, "HOME": str(folder_of_files), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [shell, "-c", SHELL_SCRIPTS[shell]], cwd=folder_of_files, env=settings,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        numbers, words = done.stdout.splitlines()[::2], done.stdout.splitlines()[1::2]
        assert set(numbers) == {"1"}  # each is one word
        return set(words)

    return ask


@promise(
    "any of these names when the shell completes it (Tab)",
    "is offered as one word, and the shell runs no part of it",
)
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.is_a_file_name])
@pytest.mark.parametrize("shell", SHELL_SCRIPTS)
def test_names_are_words_of_a_shell(
    shell: str, kind: str, offered: Callable[[str], set[str]], folder_of_files: Path
) -> None:
    assert KINDS[kind].seen in offered(shell)
    assert {path.suffix for path in folder_of_files.iterdir()} <= {".eval", ""}
    assert not (folder_of_files / "x").exists()
