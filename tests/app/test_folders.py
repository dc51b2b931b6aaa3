"""A folder among FILES: it stands for the files in it, for every command and every check."""

import os
import shutil
from pathlib import Path

import click
import pytest

from confint_cli.app import completion
from confint_cli.app.cli import cli
from tests.conftest import SAMPLES, Confint
from tests.robustness.calling import Done, as_an_ordinary_user, call

RUNS = ("bm25", "dense", "hybrid")
NEEDED = {
    "agreement": ["--judge-scores", str(SAMPLES / "trec_eval/{run}.eval")],
    "bayes": ["--baseline", "bm25", "--draws", "1000"],
    "compare": ["--baseline", "bm25"],
    "coverage": ["--replicates", "5", "--method", "t"],
    "rank": ["--resamples", "1000"],
    "report": ["--resamples", "1000"],
    "risk": ["--baseline", "bm25", "--resamples", "1000"],
}


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a folder of files, so that messages have short paths."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for run in RUNS:
        shutil.copy(SAMPLES / f"trec_eval/{run}.eval", "runs")


def commands_with_files() -> list[str]:
    context = click.Context(cli)
    every = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return [
        name for name, one in every.items() if one and any(p.name == "files" for p in one.params)
    ]


def test_the_commands_are_found() -> None:
    assert {"score", "interval", "compare", "rank", "report", "summary"} <= {*commands_with_files()}


@pytest.mark.parametrize("name", commands_with_files())
@pytest.mark.parametrize("folder", ["runs", "runs/"])
def test_a_folder_is_the_files_in_it(name: str, folder: str, confint: Confint) -> None:
    options = ["-m", "map", *NEEDED.get(name, [])]
    if name == "summary":
        shutil.rmtree("runs")
        Path("runs").mkdir()
        for place, run in enumerate(RUNS):
            Path(f"runs/{run}.csv").write_text(f"run,measure,mean,sd,n\n{run},map,0.{place},0.1,9")
    files = sorted(str(path) for path in Path("runs").iterdir())
    one_by_one = confint(name, *options, *files)
    assert one_by_one.status == 0
    assert confint(name, *options, folder) == one_by_one
    assert confint(name, folder, *options) == one_by_one


def names_in(out: str) -> list[str]:
    return list(dict.fromkeys(line.split("\t")[0] for line in out.splitlines()[1:]))


def test_files_come_in_the_order_of_their_names(confint: Confint) -> None:
    for number in (10, 9, 1):
        shutil.copy("runs/bm25.eval", f"runs/r{number}.eval")
    out = confint("score", "-m", "map", "runs", "--sort", "input", "--quiet").out
    assert names_in(out) == ["bm25", "dense", "hybrid", "r1", "r9", "r10"]


def test_a_folder_stands_beside_files_and_standard_input(confint: Confint) -> None:
    shutil.copy("runs/bm25.eval", "zero.eval")
    out = confint("score", "-m", "map", "zero.eval", "runs", "-", "--sort", "input", "--quiet",
                  stdin=b"map\t301\t0.5\n").out  # fmt: skip
    assert names_in(out) == ["zero", "bm25", "dense", "hybrid", "stdin"]


def test_what_is_no_file_or_hidden_is_left_out(confint: Confint) -> None:
    expected = confint("score", "-m", "map", "runs")
    assert expected.status == 0
    Path("runs/.hidden.eval").write_text("nonsense")
    Path("runs/older").mkdir()
    shutil.copy("runs/bm25.eval", "runs/older/old.eval")
    os.mkfifo("runs/pipe")
    assert confint("score", "-m", "map", "runs") == expected


def test_links_are_followed(confint: Confint) -> None:
    Path("elsewhere").mkdir()
    Path("runs").rename("elsewhere/real")
    Path("runs").symlink_to("elsewhere/real")
    Path("runs/other.eval").symlink_to(Path("runs/bm25.eval").resolve())
    out = confint("score", "-m", "map", "runs", "--quiet", "--sort", "name").out
    assert names_in(out) == ["bm25", "dense", "hybrid", "other"]


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("nothing", "no such file"),
        ("lost.eval", "cannot be read (Too many levels of symbolic links)"),
    ],
)
def test_a_link_that_leads_nowhere_is_told_of(target: str, problem: str, confint: Confint) -> None:
    """The run behind it would else be missed by nobody."""
    Path("runs/lost.eval").symlink_to(target)
    result = confint("score", "-m", "map", "runs")
    assert result.status == 1
    assert result.err.splitlines()[0] == f"confint: runs/lost.eval: {problem}"
    result = confint("score", "-m", "map", "runs", "--keep-going", "--quiet")
    assert (result.status, names_in(result.out)) == (1, ["hybrid", "dense", "bm25"])


@pytest.mark.parametrize("name", commands_with_files())
def test_a_folder_without_files(name: str, confint: Confint) -> None:
    os.mkdir("empty")
    result = confint(name, "empty/")
    assert (result.status, result.out, result.err) == (1, "", "confint: empty/: holds no files\n")


def test_a_folder_of_folders(confint: Confint) -> None:
    for name in ("top/10", "top/9\n"):
        Path(name).mkdir(parents=True)
    result = confint("score", "top")
    assert (result.status, result.err.splitlines()) == (1, [
        "confint: top: holds no files",
        "  hint: it holds 2 folders: give the files in them, such as top/9\\n/* or top/*/*",
    ])  # fmt: skip


def test_a_folder_that_one_may_not_read(tmp_path: Path) -> None:
    (tmp_path / "runs").chmod(0)
    try:
        done = call("score", "runs", cwd=tmp_path, before=as_an_ordinary_user)
    finally:
        (tmp_path / "runs").chmod(0o755)
    assert done == Done(1, "", "confint: runs: cannot be read (Permission denied)\n")


def test_a_file_that_is_given_beside_its_folder(confint: Confint) -> None:
    for files in (["runs/", "runs/bm25.eval"], ["runs/bm25.eval", "runs"], ["runs", "runs/"]):
        result = confint("score", "-m", "map", *files)
        assert (result.status, result.out) == (2, "")
        assert result.err == "confint: 'runs/bm25.eval' is given twice\n"


def test_a_file_of_a_folder_is_not_overwritten(confint: Confint) -> None:
    before = Path("runs/bm25.eval").read_bytes()
    for options in (["-o", "runs/bm25.eval", "-f", "tsv"],
                    ["-o", "runs/", "--layout", "trec_eval"]):  # fmt: skip
        result = confint("score", "-m", "map", "runs", "--sort", "name", *options)
        assert result.status == 2
        assert result.err == "confint: -o would overwrite an input: 'runs/bm25.eval'\n"
    shutil.copytree("runs", "tables")
    Path("tables/old.tsv").write_text("run\tmeasure\tmean\tsd\tn\nx\tmap\t0.5\t0.1\t9\n")
    for name in RUNS:
        Path(f"tables/{name}.eval").unlink()
    result = confint("summary", "tables", "-o", "tables/old.tsv")
    assert (result.status, result.err) == (
        2, "confint: -o would overwrite an input: 'tables/old.tsv'\n"
    )  # fmt: skip
    assert Path("runs/bm25.eval").read_bytes() == before


def test_files_of_a_folder_are_counted(confint: Confint) -> None:
    Path("runs/bad.eval").write_text("nonsense")
    result = confint("score", "-m", "map", "runs", "--keep-going", "--quiet")
    assert result.status == 1
    assert result.err.splitlines()[-1] == (
        "confint: 1 of 4 files is left out; the result is from the other files"
    )


def test_a_baseline_may_be_a_file_of_the_folder(confint: Confint) -> None:
    by_name = confint("compare", "-m", "map", "runs", "--baseline", "bm25")
    assert by_name.status == 0
    for path in ("runs/bm25.eval", "./runs/bm25.eval"):
        assert confint("compare", "-m", "map", "runs", "--baseline", path) == by_name


def test_runs_of_a_folder_are_scored(confint: Confint) -> None:
    folder = SAMPLES / "runs"
    files = sorted(folder.iterdir())
    options = ["-q", SAMPLES / "qrels.txt", "-m", "AP"]
    assert confint("score", *options, folder).out == confint("score", *options, *files).out != ""


@pytest.mark.parametrize("name", ["a\nb.eval", "\x1b[31mred.eval", "-q", "-", "a,b.eval", "\udcff"])
def test_names_of_strangers_do_no_harm(name: str, confint: Confint) -> None:
    shutil.copy("runs/bm25.eval", os.path.join("runs", name))
    result = confint("score", "-m", "map", "runs", "--quiet")
    assert (result.status, result.err) == (0, "")
    assert len(names_in(result.out)) == 4
    assert "\x1b" not in result.out
    Path("runs", name).write_text("nonsense")
    result = confint("score", "-m", "map", "runs")
    assert result.status == 1
    assert result.err.count("\n") == 2
    assert "\x1b" not in result.err


def test_standard_input_is_no_folder(confint: Confint) -> None:
    Path("runs").rename("-")
    assert confint("score", "-", stdin=b"map\t1\t0.5\n").out.count("stdin\t") == 1


def test_an_option_takes_no_folder(confint: Confint) -> None:
    result = confint("score", "-q", "runs", "runs/bm25.eval")
    assert result.status == 1
    assert result.err.startswith("confint: runs: is a directory, not a file\n")


def test_tab_offers_the_runs_of_a_folder() -> None:
    os.mkdir("empty")
    context = click.Context(cli)
    context.params["files"] = ("runs/", "empty")
    assert list(completion._runs(context, "")) == ["bm25", "dense", "hybrid"]
