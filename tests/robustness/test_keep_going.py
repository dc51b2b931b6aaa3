"""One broken file among many: it ends the work, or is left out and told of at the end."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from confint_cli.common.errors import DataError
from confint_cli.common.parallel import ALONE, map_files
from confint_cli.common.progress import no_progress
from tests.conftest import SAMPLES, Confint, Result, worth_a_process
from tests.judged import judgements, rankings
from tests.robustness.promises import promise

EVAL = b"map\t1\t0.5\nmap\t2\t0.3\n"
RUN = b"1 Q0 a 1 0.9 x\n1 Q0 b 2 0.8 x\n2 Q0 b 1 0.5 x\n"
BROKEN = {
    "a line that is cut short": (b"1 Q0 a 1 0.9\n", "b.run:1: 6 fields are needed (topic, Q0, "
                                 "document, rank, score, tag), not 5: '1 Q0 a 1 0.9'"),
    "a score that is no number": (b"1 Q0 a 1 high x\n", "b.run:1: the score is not a number: "
                                  "'high'"),
    "no judged topic": (b"7 Q0 a 1 0.9 x\n", "b.run: shares no topic with qrels"),
    "nothing": (b"", "b.run: is empty"),
    "half of a gzip file": (gzip.compress(RUN * 100)[:-20], "b.run: the gzip file is cut short"),
    "binary": (b"\x00\x01", "b.run: is a binary file, not text"),
    "no file": (None, "b.run: no such file"),
}  # fmt: skip
LAST = "confint: 1 of 3 files is left out; the result is from the other files"


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_bytes(b"1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    for name in ("a", "c"):
        Path(f"{name}.run").write_bytes(RUN)
        Path(f"{name}.eval").write_bytes(EVAL)


def score(confint: Confint, *args: object) -> Result:
    return confint("score", "-q", "qrels", "-m", "map", *args)


@promise(
    "a broken run among many, with `--keep-going`",
    "the result of all others, then one line for each file left out, and exit status 1",
)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_run(case: str, jobs: int, confint: Confint) -> None:
    worth_a_process(Path("a.run"), Path(), 2_000_000)
    content, problem = BROKEN[case]
    if content is not None:
        Path("b.run").write_bytes(content)
    result = score(confint, "a.run", "b.run", "c.run", "--keep-going", "--jobs", jobs)
    alone = score(confint, "a.run", "c.run")
    assert (result.status, alone.status, alone.err) == (1, 0, "")
    assert result.out == alone.out
    problems = [line for line in result.err.splitlines() if not line.startswith("  hint: ")]
    assert problems == [f"confint: {problem}", LAST]


@promise("the same without `--keep-going`", "the same message, exit status 1 and no output")
def test_without_it_the_first_broken_file_ends_all(confint: Confint) -> None:
    Path("b.run").write_bytes(b"")
    result = score(confint, "a.run", "b.run", "c.run")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines()[0] == "confint: b.run: is empty"


COMMANDS = {
    "interval": [], "compare": ["--all-pairs"], "rank": [], "bayes": ["--all-pairs"],
    "risk": ["--baseline", "bm25"], "coverage": ["--replicates", "9"], "describe": [],
    "plan": ["--half-width", "0.1"], "standardize": [], "score": [],
    "agreement": ["--judge-scores", SAMPLES / "trec_eval/{run}.eval"],
}  # fmt: skip


@promise(
    "a broken file of scores among many, with `--keep-going`, for any command",
    "the same bytes as without that file, except for `left-out:1` in the signature; exit status 1",
)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_keep_going(command: str, confint: Confint) -> None:
    good = sorted((SAMPLES / "trec_eval").glob("*.eval"))[:4]
    Path("b.eval").write_bytes(b"map\t1\tx\nmap\t2\t0.5\n")
    options = [*COMMANDS[command], "-m", "map", "-f", "json", "--quiet"]
    result = confint(command, good[0], "b.eval", *good[1:], *options, "--keep-going")
    alone = confint(command, *good, *options)
    assert (result.status, alone.status) == (1, 0), result.err
    found, expected = json.loads(result.out), json.loads(alone.out)
    assert found["signature"].pop("left-out") == "1"
    assert found == expected
    assert result.err.splitlines() == [
        "confint: b.eval:1: the value of 'map' is not a number: 'x'",
        "confint: 1 of 5 files is left out; the result is from the other files",
    ]


@promise(
    "a run that one of two judges cannot score, or that lacks a collection, with `--keep-going` "
    "and `--judge-qrels`",
    "the result of all others by both judges, and exit status 1",
)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("case", ["people", "judge", "nothing", "collection"])
def test_a_run_that_one_judge_cannot_use(case: str, jobs: int, confint: Confint) -> None:
    for place, name in enumerate(("news", "forum")):
        rankings(Path(name), 20, seed=place)
        judgements(Path(name, "people"), range(3, 13))
        judgements(Path(name, "llm"), range(5, 21), wrong=0.3)
    one = {"people": 20, "judge": 3, "nothing": 99}.get(case, 0)  # its only topic
    if case == "collection":
        labels = ["--labels", "{collection}/{run}.run"]
        names = ("news", "forum")
        shutil.copy("news/bm25.run", "news/odd.run")
        said = "news/odd.run: run 'odd' lacks collection forum"
    else:
        labels, names = [], ("news",)
        Path("news/odd.run").write_text(f"{one} Q0 d{one}-1 1 1 x\n")
        of = "llm" if case == "judge" else "people"
        said = f"news/odd.run: shares no topic with news/{of}"
    folder = "{collection}" if labels else "news"
    good = [f"{name}/{run}.run" for name in names for run in ("bm25", "dense", "hybrid")]
    worth_a_process(Path(good[0]), Path(), 2_000_000).replace(good[0])
    options = ["-q", f"{folder}/people", "--judge-qrels", f"{folder}/llm", *labels, "-f", "json",
               "-m", "AP", "--quiet", "--jobs", jobs]  # fmt: skip
    for command in (["interval"], ["compare", "--all-pairs"], ["rank", "--draws", 200]):
        call = [*command, *options, *good]
        alone = confint(*call)
        result = confint(*call, "news/odd.run", "--keep-going")
        assert (result.status, alone.status) == (1, 0), alone.err
        found, expected = json.loads(result.out), json.loads(alone.out)
        assert found["signature"].pop("left-out") == "1"
        assert found == expected
        lines = [line for line in result.err.splitlines() if not line.startswith("  hint: ")]
        assert lines[0] == f"confint: {said}"
        assert confint(*call, "news/odd.run").status == 1


def test_a_page_says_what_was_left_out(confint: Confint) -> None:
    good = sorted((SAMPLES / "trec_eval").glob("*.eval"))[:4]
    Path("sub").mkdir()
    Path("sub/b.eval").write_bytes(b"")
    result = confint("report", *good, "sub/b.eval", "-m", "map", "--keep-going", "-o", "page.html")
    assert result.status == 1
    page = Path("page.html").read_text()
    assert "1 of 5 files is left out: b.eval" in page
    assert "left-out:1" in page
    assert "confint rank -m map --keep-going FILES" in page


@promise("only broken files, with `--keep-going`", "one line for each, exit status 1")
def test_none_is_left(confint: Confint) -> None:
    Path("b.run").write_bytes(b"")
    result = score(confint, "b.run", "d.run", "--keep-going", "-o", "out.tsv")
    assert (result.status, result.out) == (1, "")
    assert [line for line in result.err.splitlines() if not line.startswith("  hint: ")] == [
        "confint: b.run: is empty",
        "confint: d.run: no such file",
        "confint: none of the FILES can be used",
    ]
    assert not os.path.exists("out.tsv")


@promise(
    "a broken baseline, or broken judgements, with `--keep-going`",
    "what is wrong with it, exit status 1 and no output, because nothing can be computed without "
    "it",
)
@pytest.mark.parametrize("baseline", ["b.eval", "other/b.eval"])
def test_a_broken_baseline_ends_it(baseline: str, confint: Confint) -> None:
    Path(baseline).parent.mkdir(exist_ok=True)
    Path(baseline).write_bytes(b"")
    files = ["a.eval", "c.eval", *(["b.eval"] if baseline == "b.eval" else [])]
    result = confint("compare", *files, "--baseline", baseline, "--keep-going")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines()[0] == f"confint: {baseline}: is empty"
    shutil.copy("a.run", "qrels")
    result = score(confint, "a.run", "--keep-going")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("confint: qrels:1: a judgement has to be ")


@promise(
    "a broken run among many, with `score -o DIR` and `--keep-going`",
    "one file for each of the others, exit status 1",
)
def test_a_folder_has_all_others(confint: Confint) -> None:
    Path("b.run").write_bytes(b"")
    result = score(confint, "a.run", "b.run", "c.run", "--keep-going", "-o", "out/")
    assert result.status == 1
    assert sorted(os.listdir("out")) == ["a.tsv", "c.tsv"]


def test_a_call_that_is_wrong_too_tells_of_both(confint: Confint) -> None:
    Path("b.eval").write_bytes(b"")
    result = confint("compare", "a.eval", "b.eval", "c.eval", "--baseline", "b", "--keep-going")
    assert (result.status, result.out) == (2, "")
    lines = result.err.splitlines()
    assert lines.index("confint: b.eval: is empty") < lines.index("confint: no run is called 'b'")


def test_a_table_says_what_was_left_out(confint: Confint) -> None:
    good = sorted((SAMPLES / "trec_eval").glob("*.eval"))[:4]
    Path("b.eval").write_bytes(b"")
    result = confint("rank", *good, "b.eval", "-m", "map", "--keep-going", "-f", "markdown")
    assert "1 of 5 files is left out: b.eval. " in result.out


@promise(
    "a reader that stops early (`| head -1`), of a result without some files",
    "what is wrong with these files, and exit status 1",
)
def test_who_has_seen_enough_has_not_seen_what_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "b.eval").write_bytes(b"")
    good = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    call = [sys.executable, "-m", "confint_cli", "score", *good, "b.eval", "--keep-going",
            "-m", "all", "--quiet"]  # fmt: skip
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        lines = process.stderr.read().decode().splitlines()
    assert process.returncode == 1
    assert lines[0] == "confint: b.eval: is empty"
    assert lines[-1] == "confint: 1 of 9 files is left out; the result is from the other files"


def _no_worker() -> Callable[[str], str]:
    raise DataError("qrels", "is empty")


def test_what_no_file_is_to_blame_for_is_not_forgiven() -> None:
    found = map_files(_no_worker, (), ["a", "b"], workers=ALONE, large=True, forgiving=True,
                      progress=no_progress)  # fmt: skip
    with pytest.raises(DataError, match="qrels: is empty"):
        next(found)


def test_none_is_left_to_be_named(confint: Confint) -> None:
    Path("b.eval").write_bytes(b"")
    result = confint("score", "b.eval", "--keep-going", "--measure-name", "x")
    assert result.status == 1
    assert result.err.splitlines()[-1] == "confint: none of the FILES can be used"


def test_all_is_well(confint: Confint) -> None:
    kept, plain = (score(confint, "a.run", "c.run", *extra) for extra in (["--keep-going"], []))
    assert kept == plain
    assert kept.status == 0


def test_files_left_out_are_told_of_whatever_fails_after_them(
    tmp_path: Path, confint: Confint
) -> None:
    """Where the list of topics, the naming of runs or the output is at fault, they may be why."""
    bad, twice = tmp_path / "bad.eval", tmp_path / "twice.csv"
    bad.write_text("map 301\n")
    twice.write_text("topic,map,AP\n301,0.1,0.2\n302,0.2,0.3\n")
    good = SAMPLES / "trec_eval/bm25.eval"
    for arguments in (
        ("interval", good, "--topics", tmp_path / "nowhere"),
        ("compare", good, twice, "--baseline", "bm25"),
        ("compare", good, "--baseline", bad),
    ):
        result = confint(*arguments, bad, "--keep-going", "-m", "map")
        assert result.status in (1, 2)
        assert result.err.count(f"confint: {bad}") == 1
