"""Names of a hundred kilobytes: shown in short, told apart, and no work for minutes."""

import json
from pathlib import Path

import pytest

from confint_cli.common.text import nearest, visible_measure, visible_name, without_endings
from tests.conftest import Confint, records
from tests.robustness.calling import call
from tests.robustness.promises import promise

LONG = 150_000
NASTY = {
    "blanks inside": "a" + LONG * " " + "b",
    "nothing but blanks": LONG * " ",
    "tabs": "a" + LONG * "\t" + "b",
    "brackets": LONG * "(",
    "commas": LONG // 2 * "a,",
    "quotes": LONG * '"',
    "single quotes": LONG // 2 * ";'",
    "endings": LONG // 3 * ".gz" + "x",
    "digits": LONG * "1",
    "control characters": LONG // 4 * "\x1b",
    "words from right to left": LONG // 2 * "\u05d0 ",
    "marks on a letter": "a" + LONG * "\u0301",
    "Markdown": LONG // 4 * "`*_[",
    "addresses": LONG // 5 * "a@b.c",
    "LaTeX": LONG // 2 * "\\$",
}


def write_scores(path: Path, topics: int = 6, **named: str) -> Path:
    """Write the scores of two runs, whose names (or those of topics) end in a text."""
    rows = [
        {
            "run": run + named.get("run", ""),
            "topic": f"{topic}{named.get('topic', '')}",
            "measure": "map" + named.get("measure", ""),
            "score": (topic * step % 5) / 5,
        }
        for run, step in (("A", 2), ("B", 3))
        for topic in range(1, topics + 1)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


@promise(
    "a name of a run or a measure of up to 150,000 characters: blanks, brackets, commas, quotes, "
    "digits, control characters and so on",
    "is read and written in a moment, in every format",
)
@pytest.mark.parametrize("kind", NASTY)
def test_long_names_take_no_time(kind: str, confint: Confint, tmp_path: Path) -> None:
    """What takes time by the square of the length would take minutes, or hours."""
    text = NASTY[kind]
    scores = write_scores(tmp_path / "x.jsonl", 3, run=text, measure=text)
    for output in ("tsv", "csv", "json", "markdown", "latex", "table"):
        result = confint("compare", scores, "--all-pairs", "-f", output)
        letters = "confint: note: the table has letters at which pdflatex stops"
        assert result.status == 0, output
        assert result.err == "" or (output == "latex" and result.err.startswith(letters)), output
        assert len(result.out) < 50_000
    topics = write_scores(tmp_path / "topics.jsonl", 3, topic=text)
    assert confint("score", topics).status == 0
    for bad in (["compare", scores, "--baseline", text], ["score", scores, "-m", f"{text}?"]):
        result = confint(*bad)
        expected = (0, 1, 2) if "--baseline" in bad else (1, 2)  # blanks name no baseline of two
        assert result.status in expected
        assert max(map(len, result.err.splitlines())) < 4000


@promise(
    "a run's name with 400,000 blanks inside, which once took more than three minutes",
    "is read and written in a moment",
)
def test_blanks_inside_a_name(tmp_path: Path) -> None:
    scores = write_scores(tmp_path / "x.jsonl", run=400_000 * " " + "b")
    done = call("interval", "--method", "t", scores)  # which has three minutes
    assert (done.status, done.err) == (0, "")


@promise(
    "names of runs and measures of more than 1,000 characters",
    "are shown by their beginning and a digest; different ones stay different",
)
def test_long_names_are_shortened_and_stay_apart(confint: Confint, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [
        json.dumps({"run": run, "topic": topic, "measure": measure, "score": 0.5})
        for run in (1000 * "r", 1001 * "r", 1002 * "r")
        for measure in (1000 * "m", 5000 * "m", 5001 * "m")
        for topic in "123"
    ]
    path.write_text("\n".join(lines))
    result = confint("score", path)
    runs = {row["run"] for row in records(result)}
    measures = {row["measure"] for row in records(result)}
    assert {len(name) for name in runs | measures} == {1000}
    assert len(runs) == len(measures) == 3
    for names, letter in ((runs, "r"), (measures, "m")):
        assert 1000 * letter in names
        assert all(name.startswith(967 * letter) for name in names)
        assert sum(name[967] == "…" for name in names) == 2


@promise(
    "topics and documents of more than 1,000 characters",
    "are never shortened, because files are joined by them",
)
def test_long_topics_are_never_shortened(confint: Confint, tmp_path: Path) -> None:
    topic, document = 4400 * "9", 100_000 * "d"
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(f"{topic} 0 {document} 1\n{topic}8 0 {document}e 1\n")
    run.write_text(
        f"{topic} Q0 {document} 1 2 x\n"
        f"{topic}8 Q0 {document} 1 2 x\n{topic}8 Q0 {document}e 2 1 x\n"
    )
    rows = records(confint("score", "-q", qrels, run, "-m", "RR"))
    assert [(row["topic"], row["score"]) for row in rows] == [
        (topic, "1.0000"), (f"{topic}8", "0.5000")]  # fmt: skip


@promise(
    "a name that is shortened, in `--baseline` or `-m`, in full or as it is shown",
    "chooses the run or the measure",
)
@pytest.mark.parametrize("kind", ["blanks inside", "digits", "quotes", "commas"])
def test_long_names_can_be_chosen(kind: str, confint: Confint, tmp_path: Path) -> None:
    text = NASTY[kind]
    scores = write_scores(tmp_path / "x.jsonl", run=text, measure=text)
    shown = [visible_name(f"A{text}"), visible_measure(f"map{text}")]
    for run, measure in ((f"A{text}", f"map{text}"), shown):
        (row,) = records(confint("compare", scores, "--baseline", run, "-m", measure))
        assert [row["baseline"], row["measure"]] == shown


@promise(
    "a run whose name is how another run is shown, by its beginning and a digest",
    "is a different run, and each is chosen by its own name",
)
def test_a_name_that_is_the_short_form_of_another(confint: Confint, tmp_path: Path) -> None:
    path, long = tmp_path / "x.jsonl", 2000 * "r"
    means = {long: 0.25, visible_name(long): 0.75, "a\tb": 0.125, "a\\tb": 0.5, "z": 0.375}
    lines = [
        json.dumps({"run": run, "topic": topic, "measure": "map", "score": mean})
        for run, mean in means.items()
        for topic in "123"
    ]
    path.write_text("\n".join(lines))
    for run, mean in means.items():
        rows = records(confint("compare", path, "--baseline", run, "--quiet"))
        assert {float(row["baseline_mean"]) for row in rows} == {mean}


def test_figures_with_long_names(confint: Confint, tmp_path: Path) -> None:
    text = NASTY["brackets"]
    scores = write_scores(tmp_path / "x.jsonl", run=text, measure=text)
    for command in (
        ["describe"],
        ["plan", "--half-width", "0.1"],
        ["risk", "--baseline", "B" + text],
    ):
        figure = tmp_path / f"{command[0]}.svg"
        assert confint(*command, scores, "--plot", figure, "--quiet").status == 0
        assert len(figure.read_bytes()) < 1_000_000


def test_a_result_with_shortened_names_is_read_again(confint: Confint, tmp_path: Path) -> None:
    text = NASTY["blanks inside"]
    scores = write_scores(tmp_path / "x.jsonl", run=text, measure=text)
    written = tmp_path / "again.tsv"
    assert confint("score", scores, "-o", written).status == 0
    assert confint("score", written).out == confint("score", scores).out
    factors = tmp_path / "factors.tsv"
    by_all = confint("standardize", scores, "--save-factors", factors)
    assert by_all.status == 0
    assert confint("standardize", written, "--factors", factors).out == by_all.out


def test_names_of_odd_lengths_are_shown_whole_or_with_a_digest() -> None:
    for show in (visible_name, visible_measure):
        assert show(1000 * "a") == 1000 * "a"
        assert show(998 * "a" + "\t") == 998 * "a" + "\\t"
        assert len(show(999 * "a" + "\t")) == 1000
        assert show(999 * "a" + "\t") != show(999 * "a" + "\r")
        assert show(show(2000 * "a")) == show(2000 * "a")
        assert show(2000 * "a" + "\udcff") != show(2000 * "a" + "\\udcff")
    assert visible_name(" a ") == "\\x20a\\x20"
    assert visible_name("  ") == "\\x20\\x20"
    assert visible_name("") == "(no name)"


def test_a_guess_is_by_the_beginnings_of_names() -> None:
    """To compare thousands of long names as wholes would take minutes."""
    long = "the-run-of-somebody-" * 200
    assert nearest("the-run-of-sombody-" * 10, [long, "another"]) == long
    assert nearest("another-" * 100, [long]) is None


def test_endings_of_files() -> None:
    for name, stem in {
        "a.eval.gz": "a", "x/a.EVAL": "a", "bm25.k1-0.9": "bm25.k1-0.9", ".gz": ".gz",
        ".eval.gz": ".eval", "a.gz.b": "a.gz.b", "İ.TXT": "İ", "a.dnev": "a", "": "",
    }.items():  # fmt: skip
        assert without_endings(name) == stem
