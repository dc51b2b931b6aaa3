"""What --help says: every example works, and every way to ask for help does."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from confint_cli.app.cli import cli
from tests.conftest import ROOT, SAMPLES, Confint

COMMANDS = cli.list_commands(click.Context(cli))
RUNS = ("bm25", "bm25-rm3", "tfidf")


def examples_of(command: click.Command) -> list[str]:
    lines = (command.epilog or "").partition("Examples:\n")[2].splitlines()
    return [line.strip() for line in lines if line.strip()]


def all_examples() -> list[str]:
    context = click.Context(cli)
    every = [cli, *(cli.get_command(context, name) for name in COMMANDS)]
    return list(dict.fromkeys(example for command in every for example in examples_of(command)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, quick_confint: Path) -> Path:
    """A folder such as examples are about."""
    path = tmp_path_factory.mktemp("examples")
    for name in ("evals", "runs", "submissions", "bin", ".config/fish/completions"):
        (path / name).mkdir(parents=True)
    for run in RUNS:
        name = {"tfidf": "ql"}.get(run, run)
        shutil.copy(SAMPLES / f"trec_eval/{run}.eval", path / f"evals/{name}.eval")
        ranking = (SAMPLES / f"runs/{run}.run").read_bytes()
        (path / f"runs/{name}.gz").write_bytes(gzip.compress(ranking))
        (path / f"submissions/{name}").write_bytes(ranking)
    evals = ("run1", "run2", "trec7", "trec8", "old", "new", "ours")
    for name, run in zip(evals, RUNS * 3, strict=False):
        shutil.copy(SAMPLES / f"trec_eval/{run}.eval", path / f"{name}.eval")
    shutil.copy(SAMPLES / "runs/bm25.run", path / "run.txt")
    shutil.copy(SAMPLES / "qrels.txt", path)
    shutil.copy(SAMPLES / "qrels.txt", path / "llm.qrels")
    judged = (SAMPLES / "qrels.txt").read_text().splitlines(keepends=True)
    people = [line for line in judged if int(line.split()[0]) % 2]
    (path / "human.qrels").write_text("".join(people))
    shutil.copytree(path / "evals", path / "llm")
    shutil.copytree(SAMPLES / "suite", path / "beir")
    shutil.copytree(SAMPLES / "seeds", path / "seeds")
    shutil.copytree(SAMPLES / "conversations", path / "cast/runs")
    (path / "cast/runs/qrels.txt").rename(path / "cast/qrels.txt")
    for collection in ("news", "forum"):
        shutil.copytree(SAMPLES / "suite" / collection, path / collection)
        (path / collection / "qrels.txt").rename(path / collection / "qrels")
    header = "run,measure,mean,sd,n\n"
    (path / "published.csv").write_text(f"{header}BM25,map,0.2,0.1,50\nnew,map,0.25,0.1,50\n")
    (path / "theirs.tsv").write_text(f"{header}theirs,map,0.3,0.1,50\n".replace(",", "\t"))
    trec_eval = path / "bin/trec_eval"
    trec_eval.write_text(
        f"#!/bin/sh\ntest \"$*\" = '-q qrels.txt run.txt' && cat {path}/ours.eval\n"
    )
    trec_eval.chmod(0o755)
    (path / "bin/confint").symlink_to(quick_confint)
    run_in(path, "confint standardize evals/*.eval --quiet --save-factors factors.tsv -o x.tsv")
    return path


def run_in(folder: Path, call: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {call}"], cwd=folder, text=True, check=False,
        env={**os.environ, "PATH": path, "HOME": str(folder)}, capture_output=True,
    )  # fmt: skip


@pytest.mark.parametrize("example", all_examples())
def test_an_example_of_a_help_works(example: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, symlinks=True)
    done = run_in(copy, example)
    gated = "--fail-if" in example and done.returncode == 3  # it works, and stops
    assert done.returncode == 0 or gated, done.stderr
    assert not [line for line in done.stderr.splitlines() if "hint:" in line]
    written = {path.name for path in copy.rglob("*")} - {path.name for path in folder.rglob("*")}
    assert done.stdout or written or "-o evals/" in example


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_two_examples_of_its_own(name: str) -> None:
    found = examples_of(cli.get_command(click.Context(cli), name))
    assert len(found) >= 2
    assert all(f"confint {name}" in example for example in found)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_is_no_wider_than_a_hundred_columns(
    name: str, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = confint(name, "--help").out
    assert max(map(len, text.splitlines())) <= 100
    assert "<=x" not in text
    assert "x>=" not in text


@pytest.mark.parametrize("name", COMMANDS)
def test_all_ways_to_ask_for_help_give_the_same(name: str, confint: Confint) -> None:
    asked = confint(name, "--help")
    assert (asked.status, asked.err) == (0, "")
    assert asked.out.startswith(f"Usage: confint {name} ")
    assert confint(name, "-h") == confint("help", name) == asked


def test_all_ways_to_ask_for_the_help_of_the_program_give_the_same(confint: Confint) -> None:
    asked = confint("--help")
    assert (asked.status, asked.err) == (0, "")
    assert confint("-h") == confint("help") == asked
    assert all(f"\n  {name} " in asked.out for name in COMMANDS)
    without = confint()
    assert without.status == 2
    assert without.out + without.err == asked.out


# --quiet, of every command that has something to say

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
SAYING = {
    "score": ["-m", "map"],
    "interval": ["-m", "map", "--method", "t"],
    "describe": ["-m", "map"],
    "plan": ["-m", "map"],
    "standardize": ["-m", "map"],
    "rank": ["-m", "map", "--resamples", "1000"],
    "compare": ["-m", "map", "--baseline", "bm25"],
    "bayes": ["-m", "map", "--baseline", "bm25", "--draws", "1000"],
    "risk": ["-m", "map", "--baseline", "bm25", "--resamples", "1000"],
    "coverage": ["-m", "map", "--replicates", "5", "--resamples", "100"],
    "agreement": ["-m", "map", "--judge-scores", SAMPLES / "trec_eval/{run}.eval"],
    "report": ["-m", "map", "--resamples", "1000"],
    "summary": [],
}
SILENT = {"completion", "formats", "measures", "methods", "tests"}


@pytest.mark.parametrize("name", SAYING)
def test_quiet_silences_a_command(name: str, tmp_path: Path, confint: Confint) -> None:
    files = EVALS
    if name == "summary":
        files = [tmp_path / "a.csv", tmp_path / "b.csv"]
        for mean, path in enumerate(files):
            path.write_text(f"run,measure,mean,sd,n\nx,map,{mean},0.1,50\n")
    told, quiet = (confint(name, *SAYING[name], *files, *more) for more in ([], ["--quiet"]))
    assert (told.status, quiet.status) == (0, 0)
    assert told.err.startswith("confint: ")
    assert quiet.err == ""
    assert quiet.out == told.out != ""
    wrong = confint(name, *SAYING[name], "nothing.eval", "--quiet")
    assert wrong.status == 1
    assert wrong.err.startswith("confint: nothing.eval: no such file")


def test_commands_without_quiet_have_nothing_to_say(confint: Confint) -> None:
    having = {name for name in COMMANDS if "--quiet" in confint(name, "--help").out}
    assert having >= set(SAYING)
    assert {*COMMANDS} - having <= SILENT
    assert all(confint(name).err == "" for name in SILENT - {"completion"})


# docs/terminal.md

TERMINAL = (ROOT / "docs/terminal.md").read_text(encoding="utf-8")


def test_the_page_about_terminals_has_the_lines_that_the_help_has(confint: Confint) -> None:
    text = confint("completion", "--help").out
    for line in ('eval "$(confint completion bash)"', "~/.bashrc", "~/.zshrc",
                 "confint completion fish > ~/.config/fish/completions/confint.fish"):  # fmt: skip
        assert line in text
        assert line in TERMINAL
