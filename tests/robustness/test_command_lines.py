"""Calls that nobody would make on purpose, of every command: `make fuzz` makes many more."""

import os
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from confint_cli.app import cli
from tests.conftest import Confint
from tests.fuzzing.call_inputs import inputs
from tests.fuzzing.call_words import any_command, commands, random_call
from tests.fuzzing.command_lines import fault_of, fuzz, kind, main
from tests.fuzzing.forked import Call
from tests.fuzzing.targets import check_messages
from tests.robustness.calling import BM25, EVALS, linux_only
from tests.robustness.promises import promise

pytestmark = linux_only


@pytest.fixture(autouse=True)
def _inputs_are_made() -> None:
    """Let the program make its part of the inputs before a fault is planted into it."""
    inputs()


@promise(
    "any command with any options: numbers at the edge and far beyond, words of 100,000 letters, "
    "control characters, options twice or without a value, files that are broken, missing, folders "
    "or devices, terminals of any width",
    "a complete result in its format and exit status 0, or one line, perhaps a hint, and 1 or 2; "
    "no file that was not asked for, no file that is changed or half written; the same result when "
    "called again",
)
def test_any_call_is_answered_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = fuzz(calls=70, seconds=600, seed=1, folder=tmp_path / "findings")
    told = capsys.readouterr()
    assert findings == 0, told.err
    assert f"70 calls of {len(commands())} commands" in told.out
    succeeding = int(told.out.partition("% end with 0")[0].rpartition(" ")[2])
    assert succeeding >= 30, "the calls are of use"


def test_the_same_seed_makes_the_same_calls() -> None:
    known = commands()
    first, second = ([random_call(rng, known, any_command(rng, known)) for _ in range(200)]
                     for rng in (random.Random(7), random.Random(7)))  # fmt: skip
    assert first == second


@promise(
    "`--level 1`, `--level 5`, `--level 0.99999999999999999`",
    "exit status 2, and the question what was meant; once, they were taken as 1%, 5% and 1%",
)
@pytest.mark.parametrize("level", ["1", "5", "50", "0.99999999999999999", "99.99999999999999999%"])
def test_levels_that_may_mean_anything(level: str, confint: Confint) -> None:
    for command in ("interval", "rank", "plan"):
        result = confint(command, *EVALS, "-m", "map", "--level", level)
        assert (result.status, result.out) == (2, "")
        problem, hint = result.err.splitlines()
        assert problem.startswith(f"confint: --level {level} is ")
        assert hint.startswith("  hint: did you mean ")


@pytest.mark.parametrize("text", ["1e-99999999999999999999%", "1e-99999999999999999999", "1e-320"])
def test_numbers_beyond_all_exponents(text: str, confint: Confint) -> None:
    for words in (
        ["interval", "--level", text], ["plan", "--difference", ".1", "--power", text],
        ["interval", "--alpha", text],
    ):  # fmt: skip
        result = confint(*words, *EVALS, "-m", "map")
        assert (result.status, result.out) == (2, "")
        check_messages(result.err)


def test_levels_as_near_to_1_as_can_be(confint: Confint) -> None:
    for level in ("0.999999999999", "0.9999999999999", "0.999999999999999"):
        for command in ("interval", "compare", "rank", "plan"):
            words = ["--baseline", "bm25"] if command == "compare" else []
            words += ["--method", "t"] if command in ("interval", "compare") else []
            result = confint(command, *EVALS, *words, "-m", "map", "--level", level)
            assert result.status in (0, 2), (command, level, result.err)
            check_messages(result.err)


@promise(
    "whole numbers of 309 or of 4,300 digits in the call, paths of 100,000 letters",
    "exit status 1 or 2, and a line that shows both ends of a long message",
)
@pytest.mark.parametrize("words", [
    ["summary", "--mean", ".2", "--sd", ".1", "--n", "9" * 309],
    ["score", BM25, "--digits", "1" * 4300],
    ["standardize", *EVALS, "--reference-sample", "1" * 4300],
    ["score", "a" * 100_000],
    ["score", BM25, "--" + "a" * 100_000],
])  # fmt: skip
def test_long_words_in_a_call(words: list[str], confint: Confint) -> None:
    result = confint(*words)
    assert (result.status in (1, 2), result.out) == (True, "")
    assert max(map(len, result.err.splitlines())) < 2100
    check_messages(result.err)


@promise(
    "what the program decides, what may make a result wrong, and what ends it",
    "`confint: note: …`, `confint: warning: …`, and `confint: …` with the file and the line",
)
def test_messages_can_be_told_apart(tmp_path: Path, confint: Confint) -> None:
    broken = tmp_path / "x.eval"
    broken.write_text("map\t1\t0.5\nmap\t2\thigh\n")
    assert confint("score", broken).err.startswith(f"confint: {broken}:2: ")
    noted = confint("score", *EVALS).err
    assert noted.startswith("confint: note: using map, ")
    warned = confint("interval", BM25, "-m", "map", "--level", "1%").err
    assert warned.startswith("confint: warning: ")


@promise("a warning that holds for several measures", "is given once")
def test_a_warning_for_all_measures_is_given_once(confint: Confint) -> None:
    result = confint("coverage", BM25, "-m", "map,P_10,ndcg", "--without-replacement",
                     "--replicates", 10, "--method", "t")  # fmt: skip
    (line,) = result.err.splitlines()
    assert line.startswith("confint: warning: samples of 50 of 50 topics without replacement ")


# The checks can fail


def _print_junk(_args: list[str]) -> None:
    print("name\twhat\njunk")


def _print_a_number_that_is_none(_args: list[str]) -> None:
    print('{"rows": [{"score": NaN}]}')


def _hang(_args: list[str]) -> None:
    time.sleep(60)


def _leave_a_process(_args: list[str]) -> None:
    print("name\twhat")
    sys.stdout.flush()
    if not os.fork():
        time.sleep(60)


def _leave_a_file(_args: list[str]) -> None:
    print("name\twhat")
    Path(".confint-0123").touch()


def _change_an_input(_args: list[str]) -> None:
    print("name\twhat")
    Path("bm25.eval").write_text("")


def _remove_an_input(_args: list[str]) -> None:
    print("name\twhat")
    Path("bm25.eval").unlink()


def _write_and_refuse(_args: list[str]) -> None:
    Path("x.tsv").write_text("name\twhat\n")
    print("confint: no", file=sys.stderr)
    sys.exit(2)


def _exit_with_seven(_args: list[str]) -> None:
    sys.exit(7)


def _die(_args: list[str]) -> None:
    os.abort()


def _raise(_args: list[str]) -> None:
    raise ZeroDivisionError


def _warn(_args: list[str]) -> None:
    print("name\twhat")
    warnings.warn("overflow", RuntimeWarning, stacklevel=1)


def _deprecate(_args: list[str]) -> None:
    print("name\twhat")
    warnings.warn("soon gone", DeprecationWarning, stacklevel=1)


def _say_something_else(_args: list[str]) -> None:
    print("name\twhat")
    print("hello", file=sys.stderr)


def _send_colours(_args: list[str]) -> None:
    print("name\twhat")
    print("confint: \x1b[31mred", file=sys.stderr)


def _give_two_hints(_args: list[str]) -> None:
    print("confint: no\n  hint: yes\n  hint: no", file=sys.stderr)
    sys.exit(2)


def _say_nothing(_args: list[str]) -> None:
    sys.exit(1)


def _print_and_refuse(_args: list[str]) -> None:
    print("name\twhat")
    print("confint: no", file=sys.stderr)
    sys.exit(1)


def _print_nothing(_args: list[str]) -> None:
    pass


PLANTED: dict[str, tuple[Callable[[list[str]], None], list[str], str]] = {
    "junk": (_print_junk, [], "no proper tsv"),
    "junk in JSON lines": (_print_junk, ["-f", "jsonl"], "no proper jsonl"),
    "nan": (_print_a_number_that_is_none, ["-f", "json"], "no proper json"),
    "a process": (_leave_a_process, [], "no end, or a process that lives on"),
    "a hang": (_hang, [], "no end, or a process that lives on"),
    "a file": (_leave_a_file, [], "a file that nobody asked for"),
    "an input": (_change_an_input, [], "a file that nobody asked for"),
    "no input": (_remove_an_input, [], "a file is gone"),
    "a file with an error": (_write_and_refuse, ["-o", "x.tsv"], "a file in spite of an error"),
    "a status": (_exit_with_seven, [], "exit status 7"),
    "a signal": (_die, [], "exit status -6"),
    "a traceback": (_raise, [], "a traceback"),
    "a warning": (_warn, [], "no message of ours"),
    "a hidden warning": (_deprecate, [], "no message of ours"),
    "another line": (_say_something_else, [], "no message of ours"),
    "colours": (_send_colours, [], "what a terminal might obey"),
    "two hints": (_give_two_hints, [], "a hint without an error"),
    "no word": (_say_nothing, [], "no word about what is wrong"),
    "a result with an error": (_print_and_refuse, [], "a result in spite of an error"),
    "nothing": (_print_nothing, [], "an empty result"),
    "no file": (_print_nothing, ["-o", "x.tsv"], "no result"),
    "the wrong place": (_print_junk, ["-o", "x.tsv"], "a result on standard output too"),
}


@pytest.mark.parametrize("case", PLANTED)
def test_faults_are_found(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, args, what = PLANTED[case]
    # Patched: the faults that are looked for are not in the program.
    monkeypatch.setattr(cli, "main", lambda words: (plant(words), sys.exit(0)))
    call = Call(["formats", *args])
    fault = fault_of(call, tmp_path, limit=0.3 if "no end" in what else 20)
    assert fault is not None
    assert fault.args[0] == what
    assert kind(call, fault)


def test_a_finding_is_told_once_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Patched: the fault that is looked for is not in the program.
    monkeypatch.setattr(cli, "main", lambda words: len(words) // 0)
    assert fuzz(calls=30, seconds=600, seed=0, folder=tmp_path) == 1
    told = capsys.readouterr()
    assert "ZeroDivisionError" in told.err
    assert told.out.endswith("1 finding\n")
    (path,) = tmp_path.glob("*.json")
    monkeypatch.setattr(sys, "argv", ["command_lines", str(path)])
    assert main() == 1
    assert "ZeroDivisionError" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setattr(sys, "argv", ["command_lines", str(path)])
    assert main() == 0
    assert capsys.readouterr().out.endswith("nothing wrong\n")
