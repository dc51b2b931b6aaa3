"""Tab in bash, zsh and fish: what is offered, in the shells themselves, and at what cost."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from confint_cli.app.cli import cli
from confint_cli.app.names import ASKED_OTHERWISE
from confint_cli.common.measures import is_known, needs_extra
from confint_cli.inputs.formats import formats
from confint_cli.stats import methods
from confint_cli.stats.significance import tests as significance_tests
from tests.conftest import Confint

PROGRAM = Path(sys.executable).parent
BREAKS = " \t\n\"'@><=;|&(:"  # of bash, when it starts

# What is typed, and the word that Tab makes of its last one.
TYPED = [
    ("confint int", "interval"),
    ("confint interval --meth", "--method"),
    ("confint interval --method t,per", "t,percentile"),
    ("confint interval --method=t,per", "--method=t,percentile"),
    ("confint compare --test t,wil", "t,wilcoxon"),
    ("confint rank -m map,ndcg_re", "map,ndcg_rel"),
    ("confint score -m P@3", "P@30"),
    ("confint score -m AP,P@3", "AP,P@30"),
    ("confint score -f mark", "markdown"),
    ("confint score --input-format trec", "trec_eval"),
    ("confint score --missing dr", "drop"),
    ("confint score --sort na", "name"),
    ("confint compare --correct ho", "holm"),
    ("confint rank --columns run,tied", "run,tied_with_best"),
    ("confint summary --correct bo", "bonferroni"),
    ("confint methods boot", "bootstrap-t"),
    ("confint measures bpr", "bpref"),
    ("confint formats tsm", "tsmatrix"),
    ("confint tests tuk", "tukey"),
    ("confint completion fi", "fish"),
    ("confint bayes --threshold glass=0.5,corr", "glass=0.5,correlation="),
    ("confint compare bm25.eval --baseline bm", "bm25"),
    ("confint score -q qre", "qrels.txt"),
    ("confint score --qrels=qre", "--qrels=qrels.txt"),
    ("confint interval --topics my\\ fi", "my files/"),
    ("confint interval my\\ files/on", "my files/one run.eval"),
    ("cat x | confint score qre", "qrels.txt"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion")
    (path / "my files").mkdir()
    for name in ("qrels.txt", "bm25.eval", "my files/one run.eval"):
        (path / name).touch()
    return path


class Shell:
    """A shell on a terminal, to type into."""

    def __init__(self, command: list[str], setup: str, folder: Path) -> None:
        self.shown = ""
        self.terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        path = f"{PROGRAM}:{os.environ['PATH']}"
        self.process = subprocess.Popen(
            command, stdin=inside, stdout=inside, stderr=inside, cwd=folder,
            env={"PATH": path, "TERM": "xterm", "HOME": str(folder), "LC_ALL": "C.UTF-8"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # its terminal
        )  # fmt: skip
        os.close(inside)
        self.type(f"{setup}; PS1='> '; echo rea''dy\n")
        assert self.shows("ready\n> "), self.shown

    def type(self, keys: str) -> None:
        self.shown = ""
        os.write(self.terminal, keys.encode())

    def shows(self, text: str) -> bool:
        """Wait until the screen shows a text, but not for ever."""
        deadline = time.monotonic() + 30
        while text not in self.shown and time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.1)[0]:
                more = os.read(self.terminal, 65536).decode(errors="replace")
                self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\x07\r]", "", more)
                self.shown = re.sub(r".\x08", "", self.shown)
        return text in self.shown

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


def started(command: list[str], setup: str, folder: Path) -> Iterator[Shell]:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed here")
    shell = Shell(command, setup, folder)
    yield shell
    shell.end()


@pytest.fixture(scope="module")
def bash(folder: Path) -> Iterator[Shell]:
    setup = 'bind "set enable-bracketed-paste off"; eval "$(confint completion bash)"'
    yield from started(["bash", "--norc", "--noprofile", "-i"], setup, folder)


@pytest.fixture(scope="module")
def zsh(folder: Path) -> Iterator[Shell]:
    setup = 'unsetopt prompt_cr prompt_sp; eval "$(confint completion zsh)"'
    yield from started(["zsh", "-f", "-i"], setup, folder)


def check_tab(shell: Shell, typed: str, word: str) -> None:
    before = re.sub(r"(\\ |[^ ])*$", "", typed)
    completed = before + word.replace(" ", "\\ ")
    assert completed != typed
    shell.type(f"{typed}\t")
    assert shell.shows(completed), shell.shown
    shell.type("\x15")  # Ctrl-U: an empty line again


@pytest.mark.parametrize(("typed", "word"), TYPED)
def test_tab_in_bash(bash: Shell, typed: str, word: str) -> None:
    check_tab(bash, typed, word)


def test_brackets_are_escaped_in_bash(bash: Shell) -> None:
    check_tab(bash, "confint score -m Compa", "Compat\\(p=0.95\\)")


@pytest.mark.parametrize(("typed", "word"), TYPED)
def test_tab_in_zsh(zsh: Shell, typed: str, word: str) -> None:
    check_tab(zsh, typed, word)


@pytest.mark.parametrize(("typed", "word"), TYPED)
def test_tab_in_fish(folder: Path, typed: str, word: str) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed here")
    done = subprocess.run(
        ["fish", "--no-config", "-c", "confint completion fish | source; complete -C $argv", typed],
        capture_output=True, text=True, check=True, cwd=folder,
        env={**os.environ, "PATH": f"{PROGRAM}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == [word]
    assert done.stderr == ""


# What is offered


def answers(line: str, shell: str = "zsh") -> list[tuple[str, str]]:
    """Return the kind and the value of each answer to a line, in this process."""
    from confint_cli.app.shells import SHELLS

    settings = {"COMP_LINE": line, "COMP_COMMAND": "confint", "COMP_BREAKS": BREAKS}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        text = SHELLS[shell](cli, {}, "confint", "_CONFINT_COMPLETE").complete()
    return [(fields[0], fields[1]) for fields in (line.split("\t") for line in text.splitlines())]


def names(line: str) -> list[str]:
    found = answers(line)
    assert all(kind == "plain" for kind, _ in found)
    return [value for _, value in found]


def options_and_arguments() -> list[tuple[str, click.Parameter]]:
    context = click.Context(cli)
    return [
        (name, parameter)
        for name in cli.list_commands(context)
        for parameter in cli.get_command(context, name).params
    ]


@pytest.mark.parametrize(
    ("command", "parameter"),
    [(name, one) for name, one in options_and_arguments() if "FILE" in (one.metavar or "")],
    ids=lambda one: one if isinstance(one, str) else one.name,
)
def test_whatever_takes_a_file_completes_files(command: str, parameter: click.Parameter) -> None:
    option = f"{parameter.opts[-1]} " if isinstance(parameter, click.Option) else ""
    assert answers(f"confint {command} {option}x/y") == [("file", "x/y")]


def test_only_methods_that_a_command_takes_are_offered() -> None:
    every = set(methods.methods())
    population = {name for name in every if methods.method_named(name).population}
    limited = {name for name in every if methods.method_named(name).domain}
    assert set(names("confint coverage --method ")) == {*every, "all"}
    assert set(names("confint interval --method ")) == {*every - population, "all"}
    assert set(names("confint compare --method ")) == {*every - population - limited, "all"}
    assert set(names("confint risk --method ")) == {*every - population - limited, "all"}


def test_names_are_those_that_there_are() -> None:
    assert set(names("confint methods ")) == {*methods.methods(), *ASKED_OTHERWISE}
    assert set(names("confint formats ")) == set(formats())
    assert set(names("confint score --input-format ")) == set(formats())
    assert names("confint tests ") == [*significance_tests()]
    assert names("confint compare --test ") == [*significance_tests(), "all"]
    measures = names("confint score -m ")
    assert measures[:2] == ["map", "Rprec"]
    assert measures[-1] == "all"
    assert all(map(is_known, measures[:-1]))
    assert "nDCG@10" in names("confint score -m nD")
    assert all(is_known(name) or needs_extra(name) for name in names("confint score -m nD"))
    assert names("confint help inter") == ["interval"]


def test_measures_with_parameters_are_offered() -> None:
    assert names("confint score -m RB") == ["RBP(rel=1,p=0.8)"]
    assert names("confint score -m AP,RB") == ["AP,RBP(rel=1,p=0.8)"]
    assert names("confint measures Comp") == ["Compat(p=0.95)"]
    assert "ERR@20" in names("confint score -m ER")
    assert "nDCG(dcg='exp-log2')@10" in names("confint score -m nDCG(")
    assert "RBP(rel=1,p=0.8),nDCG@10" in names("confint score -m 'RBP(rel=1,p=0.8),nD")


def test_no_cutoff_is_offered_that_cannot_be_computed() -> None:
    """ndeval computes measures of subtopics for the first 20 documents."""
    for begun in ("alpha", "ERR_", "nERR", "StRec"):
        offered = names(f"confint score -m {begun}")
        assert offered
        assert all(int(name.partition("@")[2]) <= 20 for name in offered)


def test_columns_are_those_of_the_table_that_is_asked_for() -> None:
    assert names("confint score --columns ") == ["run", "topic", "measure", "score"]
    assert names("confint coverage --columns error") == []
    assert names("confint coverage --summary --columns error_m") == ["error_mean", "error_max"]
    assert names("confint compare --columns baseline_") == ["baseline_mean"]
    assert names("confint compare --unpaired --columns baseline_t") == ["baseline_topics"]
    assert "p_wilcoxon" in names("confint compare --columns p_")


def test_a_name_that_is_there_already_is_not_offered_again() -> None:
    assert "t,basic" in names("confint interval --method t,")
    assert "t,t" not in names("confint interval --method t,")


def test_runs_of_the_files_are_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert names("confint compare *.eval --baseline ") == ["bm25"]
    assert answers("confint compare *.eval --baseline qre") == [("file", "qre")]
    (folder / "dense.eval").touch()
    assert names("confint compare *.eval --baseline bm25,") == ["bm25,dense"]
    (folder / "dense.eval").unlink()


def test_bash_gets_what_it_takes_for_the_word() -> None:
    assert answers("confint score -m P@3", "bash") == [("plain", "@30")]
    assert answers("confint score -m nDCG\\(d", "bash")[0] == ("plain", "nDCG(dcg='exp-log2')@5")
    assert answers("confint score --missing=z", "bash") == [("plain", "zero")]
    assert answers("confint score --missing z", "bash") == [("plain", "zero")]


@pytest.mark.parametrize("line", ["confint nonsense --me", "confint score --level 7x -m mar"])
def test_a_wrong_call_is_no_error_while_it_is_typed(line: str) -> None:
    assert isinstance(answers(line), list)


@pytest.mark.parametrize(
    "line", ["confint ", "confint interval --method t,p", "confint score -m ", "confint formats ",
             "confint compare --test ", "confint score x", "confint score --",
             "confint compare --columns p_"],
)  # fmt: skip
def test_completing_imports_nothing_heavy(line: str) -> None:
    code = (
        "import sys\nfrom confint_cli.app.cli import run\ntry: run([])\nexcept SystemExit: pass\n"
    )
    code += "print(*sys.modules, file=sys.stderr)\n"
    settings = {"COMP_LINE": line, "COMP_COMMAND": "confint", "COMP_BREAKS": BREAKS,
                "_CONFINT_COMPLETE": "bash_complete"}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, **settings})  # fmt: skip
    assert done.stdout.startswith(("plain\t", "file\t"))
    imported = set(done.stderr.split())
    assert "confint_cli.app.completion" in imported or line == "confint "
    assert not imported & {"numpy", "scipy", "rich", "pytrec_eval", "matplotlib"}


# The command


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_for_the_shell_that_is_named(confint: Confint, shell: str) -> None:
    result = confint("completion", shell)
    assert (result.status, result.err) == (0, "")
    assert f"_CONFINT_COMPLETE={shell}_complete" in result.out


@pytest.mark.parametrize(("login", "example"), [("/bin/zsh", "zsh"), ("/bin/tcsh", "bash")])
def test_the_shell_is_not_guessed(
    confint: Confint, monkeypatch: pytest.MonkeyPatch, login: str, example: str
) -> None:
    monkeypatch.setenv("SHELL", login)
    result = confint("completion")
    assert (result.status, result.out, result.err) == (
        2, "", "confint: which shell?\n"
        f"  hint: such as 'confint completion {example}'; there are: bash, zsh, fish\n",
    )  # fmt: skip
