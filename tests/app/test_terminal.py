"""The program on a terminal: colours, width, progress, Ctrl-C."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from rich.cells import cell_len

from confint_cli.app import messages
from confint_cli.common.errors import note
from confint_cli.common.progress import parts_of
from tests.conftest import SAMPLES

PROGRAM = [sys.executable, "-m", "confint_cli"]
EVALS = [str(path) for path in sorted((SAMPLES / "trec_eval").glob("*.eval"))]
CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\r(?!\n)")
BAR = r"━+[╸╺]?━*"  # what is to do has the signs of what is done, but dim


@dataclass(frozen=True)
class OnTerminal:
    status: int
    out: str
    err: str


def on_terminal(
    *command: str, width: int = 80, alike: bool = False, err_too: bool = True,
    settings: dict[str, str] | None = None, on_output: Callable[[str], str | int] | None = None,
) -> OnTerminal:  # fmt: skip
    """Run a command whose streams are terminals, two of them, or one if they are `alike`.

    `on_output` is told all that standard error has shown, and returns a key to press, a signal to
    send, or "".
    """
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ends = [pty.openpty() for _ in range(1 if alike else 2)]
    for _, inside in ends:
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    out, err = ends[0][1], ends[-1][1]
    process = subprocess.Popen(
        command, stdin=err, stdout=out, stderr=err if err_too else subprocess.PIPE,
        env={**environment, "LC_ALL": "C.UTF-8", "TERM": "xterm", **(settings or {})},
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    for _, inside in ends:
        os.close(inside)
    shown = {outside: "" for outside, _ in ends}
    open_ones = set(shown)
    deadline = time.monotonic() + 120
    while open_ones and time.monotonic() < deadline:
        for outside in select.select(open_ones, [], [], 0.1)[0]:
            try:
                more = os.read(outside, 65536)
            except OSError:  # the program has ended
                more = b""
            if not more:
                open_ones.remove(outside)
            shown[outside] += more.decode(errors="replace")
            key = on_output(shown[outside]) if on_output and outside == ends[-1][0] else None
            if isinstance(key, str) and key:
                os.write(outside, key.encode())
            elif key:
                process.send_signal(key)
            on_output = None if key else on_output
    _, piped = process.communicate(timeout=30)
    for outside in shown:
        os.close(outside)
    return OnTerminal(process.returncode, shown[ends[0][0]], (piped or b"").decode() if not err_too
                      else shown[ends[-1][0]])  # fmt: skip


def confint(*args: str, **how: object) -> OnTerminal:
    return on_terminal(*PROGRAM, *args, **how)  # type: ignore[arg-type]


# Colours and width


@pytest.mark.parametrize(
    ("settings", "colours"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": "0"}, False),
     ({"TERM": "dumb"}, False)],
)  # fmt: skip
def test_a_table_has_colours_where_they_are_wanted(
    settings: dict[str, str], colours: bool, quick_confint: Path
) -> None:
    program = str(quick_confint)
    shown = on_terminal(program, "interval", "-m", "map", "--method", "t", *EVALS,
                        settings=settings)  # fmt: skip
    assert shown.status == 0
    assert shown.out.startswith(("\x1b[1mmap, 50 topics", "map, 50 topics"))
    assert ("\x1b" in shown.out) == colours
    assert "\x1b" not in shown.err


CALLS = [
    ["interval", "--method", "all"], ["compare", "--baseline", "bm25"], ["compare", "--all-pairs"],
    ["rank"], ["describe"], ["plan"], ["risk", "--baseline", "bm25", "--r", "1,5"],
    ["coverage", "--replicates", "5", "--resamples", "100"],
    ["coverage", "--replicates", "5", "--resamples", "100", "--summary"],
    ["bayes", "--baseline", "bm25", "--draws", "1000"], ["score"], ["standardize"],
    ["agreement", "--judge-scores", str(SAMPLES / "trec_eval/{run}.eval"), "--draws", "200"],
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
@pytest.mark.parametrize("width", [40, 60, 120])
def test_tables_fit_the_terminal(call: list[str], width: int, quick_confint: Path) -> None:
    shown = on_terminal(str(quick_confint), *call, "-m", "map", "--quiet", *EVALS, width=width)
    assert (shown.status, shown.err) == (0, "")
    *lines, signature = CODES.sub("", shown.out).splitlines()
    assert signature.startswith("confint:")  # one line to copy, however long
    assert len(lines) > 8
    assert max(map(cell_len, lines)) <= width


BY_TWO = [
    ["interval"], ["compare", "--all-pairs"], ["rank", "--draws", "200"],
    ["plan", "--half-width", "0.05"], ["coverage", "--replicates", "5"],
]  # fmt: skip


@pytest.mark.parametrize("call", BY_TWO, ids=" ".join)
@pytest.mark.parametrize("width", [50, 120])
def test_tables_of_two_judges_fit_the_terminal(
    call: list[str], width: int, quick_confint: Path
) -> None:
    folder = SAMPLES / "judges"
    judges = ["-q", folder / "human.qrels", "--judge-qrels", folder / "llm.qrels", "--quiet"]
    runs = sorted(map(str, (folder / "runs").glob("*.run")))
    words = [*call, *map(str, judges), "-m", "nDCG@10", *runs]
    shown = on_terminal(str(quick_confint), *words, width=width)
    assert (shown.status, shown.err) == (0, "")
    *lines, signature = CODES.sub("", shown.out).splitlines()
    assert "|judge:llm.qrels|judge-topics:300|" in signature
    assert len(lines) > 8
    assert max(map(cell_len, lines)) <= width


def test_help_is_as_wide_as_the_terminal_up_to_a_hundred(quick_confint: Path) -> None:
    widths = {}
    for width in (60, 80, 200):
        text = on_terminal(str(quick_confint), "interval", "--help", width=width).out
        before = text.split("Examples:")[0].replace("\r", "").splitlines()
        widths[width] = max(map(len, before))
    assert widths[60] <= 60 < widths[80] <= 80 < widths[200] <= 100


def test_no_pager_is_started(tmp_path: Path, quick_confint: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\ncat\n")
    pager.chmod(0o755)
    settings = {"PAGER": str(pager), "MANPAGER": str(pager)}
    for call in (["score", "-m", "map", *EVALS], ["bayes", "--help"]):
        assert on_terminal(str(quick_confint), *call, settings=settings).status == 0
    assert not (tmp_path / "started").exists()


# Progress

SLOW = [
    sys.executable, "-c",
    "import sys, time\n"
    "from confint_cli.app import messages\n"
    "from confint_cli.common.errors import note\n"
    "show = messages.progress_line('scoring runs', quiet='--quiet' in sys.argv)\n"
    "try:\n"
    "    for done in range(20): show(done, 20); time.sleep(0.1)\n"
    "    messages.show_notices([note('noted')], verbose=False, quiet=False)\n"
    "except KeyboardInterrupt: messages.end_line()\n",
]  # fmt: skip

# The same work by a clock that is four times as fast: it shows the same, in half a second.
FAST_CLOCK = "import time\nslowly, time.monotonic = time.monotonic, lambda: 4 * slowly()\n"
WORK = [*SLOW[:2], FAST_CLOCK + SLOW[2].replace("sleep(0.1)", "sleep(0.025)")]


def test_a_line_of_progress_and_how_it_goes_away() -> None:
    shown = on_terminal(*WORK).err
    *bars, rest = shown.split("\x1b[K")
    assert len(bars) > 5
    for line in bars[:-1]:
        assert line.startswith("\r")
        said = re.fullmatch(
            rf"scoring runs ({BAR}) [ \d]\d/20( 00:0[1-9] left)?", CODES.sub("", line)
        )
        assert said, line
        assert len(said[1]) == 30
    assert bars[-1] == "\r"  # the line is empty again …
    assert rest == "confint: note: noted\r\n"  # … before anything else is shown
    assert "left" not in bars[0]
    assert any("left" in line for line in bars)
    assert set(re.findall(r"\x1b\[[0-9;]*m", shown)) == {"\x1b[2m", "\x1b[0m"}  # dim, no colour
    assert "\x1b[?" not in shown  # a cursor that is hidden stays so if the program is killed
    assert shown.count("\n") == 1  # nothing scrolls


def test_no_color_leaves_the_line_without_colours() -> None:
    *bars, _ = on_terminal(*WORK, settings={"NO_COLOR": "1"}).err.split("\x1b[K")
    assert len(bars) > 5
    for line in bars[:-1]:
        assert re.fullmatch(r"\rscoring runs ━+╸? +\d+/20( 00:0[1-9] left)?", line), line


@pytest.mark.parametrize("width", [20, 30, 50, 200])
def test_the_line_fits_the_terminal(width: int) -> None:
    *bars, _ = on_terminal(*WORK, width=width).err.split("\x1b[K")
    assert len(bars) > 5
    assert all(cell_len(CODES.sub("", line)) + len("^C") <= width for line in bars)


@pytest.mark.parametrize(
    "how", [{"settings": {"TERM": "dumb"}}, {"err_too": False}], ids=["dumb", "into a pipe"]
)
def test_no_line_where_none_can_be_shown(how: dict[str, object]) -> None:
    shown = on_terminal(*WORK, **how)  # type: ignore[arg-type]
    assert shown.err.replace("\r", "") == "confint: note: noted\n"


def test_quiet_work_shows_no_line() -> None:
    assert on_terminal(*WORK, "--quiet").err == "confint: note: noted\r\n"


def test_a_poor_encoding_has_signs_that_any_terminal_has() -> None:
    shown = on_terminal(*WORK, settings={"PYTHONIOENCODING": "ascii"}).err
    assert "runs" in shown
    assert "--" in shown
    assert shown.isascii()


@pytest.mark.parametrize(
    ("how", "drawn"),
    [({}, True), ({"err_too": False}, False), ({"settings": {"TERM": "dumb"}}, False)],
    ids=["a line", "into a pipe", "dumb"],
)
def test_what_draws_is_loaded_only_for_a_line(how: dict[str, object], drawn: bool) -> None:
    code = f"{WORK[2]}print('rich.progress' in sys.modules)\n"
    shown = on_terminal(sys.executable, "-c", code, **how)  # type: ignore[arg-type]
    assert shown.out == f"{drawn}\r\n"


def test_what_draws_is_not_loaded_for_what_is_quick() -> None:
    code = (
        "import sys\nfrom confint_cli.app.cli import run\n"
        f"run({['interval', '-m', 'map', '--method', 't', '--format', 'tsv', *EVALS]!r})\n"
        "print('rich' in sys.modules)\n"
    )
    shown = on_terminal(sys.executable, "-c", code)
    assert shown.out.endswith("False\r\n")


def test_many_rows_are_announced_and_the_line_is_gone_before_them() -> None:
    few = "from confint_cli.app import writing; writing._MANY_ROWS = 300; "
    call = (
        f"from confint_cli.app.cli import run; run({['score', '-m', 'map', *EVALS, '--quiet']!r})"
    )
    assert "writing" not in on_terminal(sys.executable, "-c", few + call, alike=True).out
    told = call.replace(", '--quiet'", "")
    shown = on_terminal(sys.executable, "-c", few + told, alike=True).out
    assert re.search(r"\rwriting 400 rows …\x1b\[K\r\x1b\[K(\x1b\[1m)?run ", shown), shown[:300]


def test_a_figure_is_announced_too(tmp_path: Path, quick_confint: Path) -> None:
    pytest.importorskip("matplotlib")
    call = ["rank", "-m", "map", *EVALS, "--plot", str(tmp_path / "x.svg")]
    plain = confint(*call, alike=True, settings={"PYTHONIOENCODING": "ascii"}).out
    _, after = plain.split("\rdrawing the figure ...\x1b[K")
    assert after.startswith("\r\x1b[K")
    call = [str(quick_confint), *call]
    assert "drawing" not in on_terminal(*call, "--quiet", alike=True).out
    assert "drawing" not in on_terminal(*call, alike=True, settings={"TERM": "dumb"}).out


class Clock:
    """Standard error that is a terminal, and a time that stands still."""

    encoding = "utf-8"

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.shown = 100.0, ""
        # Patched: a line that takes minutes cannot be waited for, and times are to be exact.
        monkeypatch.setattr(messages.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(messages.sys, "stderr", self)
        monkeypatch.setattr(messages, "_room", lambda: 78)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("NO_COLOR", "1")

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, text: str) -> None:
        self.shown += text

    def after(self, seconds: float) -> str:
        """Return what was shown since the last call, and let time pass."""
        self.now += seconds
        shown, self.shown = self.shown, ""
        return shown


def test_when_a_line_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    threads = threading.active_count()
    show = messages.progress_line("reading", quiet=False)
    show(0, 100)
    clock.after(0.4)
    show(1, 100)
    assert clock.after(0.2) == ""  # it might soon be over
    show(2, 100)
    assert clock.after(0.05).endswith("  2/100\x1b[K")
    assert threading.active_count() == threads  # none that a fork would lose
    show(3, 100)
    assert clock.after(1.35) == ""  # too soon for another change
    show(5, 100)
    assert "  5/100 00:38 left\x1b" in clock.after(0)  # 2 s for 5, 95 to do
    show(100, 100)
    assert clock.after(0) == f"\rreading {'━' * 30} 100/100\x1b[K"  # a table is to follow
    messages.clear_progress()
    assert clock.after(0) == "\r\x1b[K"
    show(100, 100)
    messages.clear_progress()
    assert clock.after(0) == ""


def test_another_part_of_the_work_has_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    show = messages.progress_line("comparing", quiet=False)
    clock.after(50)
    show(9, 10)
    show(0, 10)
    clock.after(2)
    show(5, 10)
    assert " 5/10 00:02 left" in clock.after(1)
    messages.clear_progress()


def test_steps_that_take_minutes_have_an_estimate_from_the_first_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    show = messages.progress_line("scoring runs", quiet=False)
    for done, left in ((1, "06:00"), (2, "04:00"), (3, "02:00")):
        clock.after(120)
        show(done, 4)
        assert f" {done}/4 {left} left" in clock.after(0)
    messages.clear_progress()


def test_a_total_that_is_told_finer_does_not_forget_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    show = messages.progress_line("computing", quiet=False)
    said = ""
    for part in parts_of(show, 2):
        said += clock.after(10)
        part(1, 2)  # of 4 in all, and then of millions
        said += clock.after(10)
    said += clock.after(0)
    assert re.findall(r"(\S+) (\S+) left", said) == [
        ("1/4", "00:30"), ("50%", "00:20"), ("3/4", "00:10"),
    ]  # fmt: skip
    messages.clear_progress()


def test_ctrl_c_takes_the_line_away() -> None:
    pressed = on_terminal(*SLOW, on_output=lambda shown: "\x03" if "3/20" in shown else "")
    assert pressed.err.endswith("\r\x1b[K")
    assert "noted" not in pressed.err


LONG = ["interval", "-m", "map", "--method", "bca", "--resamples", "3000000", *EVALS]


def test_the_program_shows_its_progress_and_clears_it_before_the_table() -> None:
    enough = ["2000000" if word == "3000000" else word for word in LONG]
    shown = confint(*enough, alike=True)
    assert shown.status == 0
    before, table = shown.out.split("map, 50 topics")
    assert re.search(rf"resampling {BAR} ", CODES.sub("", before))
    assert re.search(r"\r\x1b\[K(confint: note: too skewed [^\r]*\r\n)?(\x1b\[1m)?$", before)
    assert "resampling" not in table.split("confint:")[0]


def test_ctrl_c_in_the_midst_of_work() -> None:
    shown = confint(*LONG, on_output=lambda shown: "\x03" if "resampling" in shown else "")
    assert shown.status == 130
    assert shown.err.endswith("\r\x1b[K")
    assert shown.out == ""


def test_a_program_that_is_told_to_end_takes_its_line_away() -> None:
    shown = confint(*LONG, on_output=lambda shown: signal.SIGTERM if "resampling" in shown else "")
    assert shown.status == 143
    assert shown.err.endswith("\r\x1b[K")


# What the line says


def drawn(what: str, done: int, total: int, left: float | None = None, *, width: int = 79) -> str:
    """Return a line of which so many seconds are left to come, if that is known."""
    share = done / total
    began = time.monotonic() - (left or 0) * share / (1 - share)
    drawing = messages._Drawing(what, began)
    number = messages.counted(done, total)
    return CODES.sub("", drawing.line(share, number, timed=left is not None, width=width))


def test_the_time_left_is_rounded_up_to_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    said = {0.2: "00:01", 11.2: "00:12", 59.5: "01:00", 80.5: "01:21", 119.5: "02:00",
            598.5: "09:59", 754: "12:34", 3599.5: "1:00:00", 7530: "2:05:30"}  # fmt: skip
    assert {left: drawn("x", 1, 2, left).split(" ", 2)[-1].strip() for left in said} == {
        left: f"1/2 {text} left" for left, text in said.items()
    }


def test_the_bar_grows_and_keeps_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    lines = [drawn("reading", done, 50, 10.0) for done in range(50)]
    assert {len(line.rpartition("/")[0]) for line in lines} == {len("reading  49") + 30}
    assert [line.count("━") for line in lines] == [done * 30 // 50 for done in range(50)]


def test_large_numbers_are_told_as_a_percentage() -> None:
    assert drawn("x", 123_456, 1_000_000).endswith("  12%")
    assert drawn("x", 12, 9999).endswith("   12/9999")


def test_words_are_cut_before_a_number_is() -> None:
    assert drawn("drawing samples", 8, 100, 8.5, width=39).endswith("   8/100 00:09 left")
    assert drawn("drawing samples", 8, 100, 8.5, width=23) == "drawing samples 8/100"
    assert drawn("drawing samples", 8, 100, 8.5, width=19) == "drawing sampl 8/100"
    assert drawn("drawing samples", 8, 100, 8.5, width=5) == "8/100"
    assert drawn("drawing samples", 8, 100, 8.5, width=4) == "draw"  # 8/10 would be another number


def test_a_line_is_never_too_long() -> None:
    progress = ((7, None), (9999, 599.0), (10**7, 35_999.0))
    for width, (total, left) in product(range(1, 100), progress):
        line = drawn("drawing samples", total - 1, total, left, width=width)
        assert 0 < cell_len(line) <= width
        assert "\n" not in line


def test_parts_are_told_as_one() -> None:
    told: list[float] = []
    for part in parts_of(lambda done, total: told.append(done / total), 2):
        for inner in parts_of(part, 2):
            inner(1, 4)
    assert told == [0.0625, 0.25, 0.3125, 0.5, 0.5, 0.5625, 0.75, 0.8125, 1.0, 1.0]


def test_nothing_is_cleared_where_no_line_is(capsys: pytest.CaptureFixture[str]) -> None:
    messages.clear_progress()
    messages.show_notices([note("said")], verbose=False, quiet=False)
    messages.show_error("wrong", "right")
    assert capsys.readouterr().err == "confint: note: said\nconfint: wrong\n  hint: right\n"
