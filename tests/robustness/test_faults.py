"""What becomes of results when something fails: made to happen for real, in the real program."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Confint
from tests.robustness.calling import (
    BM25,
    EVALS,
    PATIENCE,
    Done,
    Waiting,
    as_an_ordinary_user,
    call,
    command,
    environment,
    files_in,
    limit,
    linux_only,
    waiting,
)
from tests.robustness.promises import promise

pytestmark = linux_only

OLD = b"precious\n"
MAP = ["-m", "map", "--quiet"]

# Each way to write: the words of the call, and the file that is to be written.
OUTPUTS = {
    "-o FILE": (["score", "-m", "all", "--quiet", *EVALS, "-o", "out.tsv"], "out.tsv"),
    "-o DIR/": (["score", "-m", "all", "--quiet", *EVALS, "-o", "./"], "hybrid.tsv"),
    "--plot": (["interval", *MAP, BM25, "-o", "/dev/null", "--plot", "out.png"], "out.png"),
    "report -o": (["report", *MAP, *EVALS[:3], "-o", "out.html"], "out.html"),
}


# A full disk


@promise(
    "a file that would get too large for the disk or the quota",
    "exit status 1, one line that names it; the file of that name stays as it was, nothing else "
    "is left",
)
@pytest.mark.parametrize("kind", OUTPUTS)
def test_no_room_for_a_file(kind: str, tmp_path: Path) -> None:
    words, name = OUTPUTS[kind]
    (tmp_path / name).write_bytes(OLD)
    done = call(*words, before=limit("FSIZE", 4096), cwd=tmp_path)
    where = f"./{name}" if kind == "-o DIR/" else name
    assert done == Done(1, "", f"confint: {where}: cannot be written (File too large)\n")
    assert files_in(tmp_path) == {name: OLD}


@promise("a folder that `score -o DIR/` makes, on a full disk", "is not there afterwards")
def test_no_room_for_a_new_folder(tmp_path: Path) -> None:
    done = call("score", "-m", "all", "--quiet", *EVALS, "-o", "new/folder/",
                before=limit("FSIZE", 4096), cwd=tmp_path)  # fmt: skip
    assert done.status == 1
    assert list(tmp_path.iterdir()) == []


@promise(
    "a full disk",
    "exit status 1, one line that says so; the file of that name stays as it was, nothing else is "
    "left",
)
@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_full_disk(kind: str, tmp_path: Path) -> None:
    words, name = OUTPUTS[kind]
    script = (
        f'mount -t tmpfs -o size=16k none "{tmp_path}" && cd "{tmp_path}" && '
        f'echo precious > {name} && {{ "$@"; echo "status $?"; ls -A; cat {name}; }}'
    )
    apart = [*own_mounts(tmp_path), "sh", "-c", script, "sh", *command(*words)]
    done = subprocess.run(apart, capture_output=True, text=True, check=False, env=environment(),
                          timeout=PATIENCE)  # fmt: skip
    where = f"./{name}" if kind == "-o DIR/" else name
    assert done.stderr == f"confint: {where}: cannot be written (No space left on device)\n"
    assert done.stdout == f"status 1\n{name}\nprecious\n"


def own_mounts(folder: Path) -> list[str]:
    """Return the beginning of a command line that may mount something which no other sees."""
    mount = ["mount", "-t", "tmpfs", "none", str(folder)]
    for apart in (["unshare", "--mount"], ["unshare", "--mount", "--user", "--map-root-user"]):
        if (
            shutil.which("unshare")
            and not subprocess.run([*apart, *mount], check=False, capture_output=True).returncode
        ):
            return apart
    pytest.skip("nothing can be mounted here")


@promise(
    "standard output on a full disk",
    "exit status 1 and one line, because the output is not complete, buffered or not",
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_no_room_for_standard_output(unbuffered: str, tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb") as out:
        done = call("score", *MAP, *EVALS, before=limit("FSIZE", 4096), stdout=out,
                    env={"PYTHONUNBUFFERED": unbuffered})  # fmt: skip
    assert done == Done(1, "", "confint: cannot write the result: File too large\n")


@promise("a table that cannot be written, and a figure that can", "the figure is complete")
def test_the_figure_is_whole_where_the_table_is_not(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = call("interval", *MAP, BM25, "--plot", "out.svg", stdout=full, cwd=tmp_path)
    assert done == Done(1, "", "confint: cannot write the result: No space left on device\n")
    (content,) = files_in(tmp_path).values()
    assert content.rstrip().endswith(b"</svg>")


# Closed pipes and streams


ENOUGH = {
    "a table": ["score", "-m", "all", "--quiet", *EVALS],
    "a page": ["report", *MAP, *EVALS],
    "help": ["score", "--help"],
}


@promise("a reader that stops early (`| head -1`)", "exit status 0, no message")
@pytest.mark.parametrize("what", ENOUGH)
@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_has_seen_enough(what: str, lines: int) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        command(*ENOUGH[what]), stdout=writing, stderr=subprocess.PIPE, env=environment()
    )
    os.close(writing)
    with open(reading, "rb") as reader:
        for _ in range(lines):
            assert reader.readline()
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")


def test_a_figure_is_written_though_nobody_reads_the_table(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = call("interval", *MAP, BM25, "--plot", tmp_path / "out.svg", stdout=writing)
    os.close(writing)
    assert done == Done(0, "", "")
    assert (tmp_path / "out.svg").read_bytes().rstrip().endswith(b"</svg>")


def test_a_reader_of_a_named_pipe_that_has_seen_enough(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    words = command("score", "-m", "all", "--quiet", *EVALS, "-f", "tsv", "-o", pipe)
    process = subprocess.Popen(words, stderr=subprocess.PIPE, env=environment())
    with open(pipe, "rb") as reader:
        assert reader.readline()
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")


@promise("a pipe that does not block, as some programs leave it", "all of the result")
def test_a_pipe_that_does_not_block(confint: Confint) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    words = command("score", "-m", "all", "--quiet", *EVALS)
    process = subprocess.Popen(words, stdout=writing, stderr=subprocess.PIPE, env=environment())
    assert select.select([reading], [], [], PATIENCE)[0]  # the pipe is full before we read
    os.close(writing)
    with open(reading, "rb") as reader:
        out = reader.read()
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert out.decode() == confint("score", "-m", "all", "--quiet", *EVALS).out
    assert len(out) > 65536, "fits into a pipe"


def closing(*streams: int) -> Callable[[], None]:
    def close() -> None:
        for stream in streams:
            os.close(stream)

    return close


@promise("closed standard output (`>&-`)", "exit status 1 and one line, unless `-o` names a file")
def test_closed_standard_output(tmp_path: Path, confint: Confint) -> None:
    closed = Done(1, "", "confint: standard output is closed\n")
    assert call("score", *MAP, *EVALS, before=closing(1)) == closed
    assert call("score", "--help", before=closing(1)) == closed
    assert call("completion", "bash", before=closing(1)) == closed
    out = tmp_path / "out.tsv"
    assert call("score", *MAP, BM25, "-o", out, before=closing(0, 1, 2)) == Done(0, "", "")
    assert out.read_text() == confint("score", *MAP, BM25).out


@promise("closed standard input", "exit status 1 and one line, if it has to be read")
def test_closed_standard_input() -> None:
    done = call("score", "-", before=closing(0))
    assert done == Done(1, "", "confint: standard input: is closed\n")
    assert call("score", *MAP, BM25, before=closing(0)).status == 0


@promise(
    "standard error that is closed, full, or a pipe that nobody reads",
    "messages are lost, but nothing else: result and exit status are the same",
)
@pytest.mark.parametrize("how", ["closed", "full", "a pipe"])
def test_messages_that_nobody_can_read(how: str, confint: Confint) -> None:
    reading, pipe = os.pipe()
    os.close(reading)
    full = os.open("/dev/full", os.O_WRONLY)
    stderr = {"closed": None, "full": full, "a pipe": pipe}[how]
    before = closing(2) if how == "closed" else None
    told = confint("score", *EVALS)
    assert len(told.err.splitlines()) > 1
    assert call("score", *EVALS, stderr=stderr, before=before) == Done(0, told.out, "")
    for words, status in ((["nowhere"], 1), (["--nonsense"], 2)):
        assert call("score", *words, stderr=stderr, before=before) == Done(status, "", "")
    os.close(pipe)
    os.close(full)


# Signals


@promise(
    "Ctrl-C, `kill`, or a terminal that is closed, in the middle of the work",
    "exit status 130, 143 or 129; the old file stays, nothing else is left, no process stays alive",
)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_in_the_middle(name: str, jobs: int, tmp_path: Path) -> None:
    out = tmp_path / "results" / "out.tsv"
    out.parent.mkdir()
    out.write_bytes(OLD)
    number = getattr(signal, name)
    with waiting(tmp_path, "-o", out, jobs=jobs) as program:
        assert len(files_in(out.parent)) == 2  # the temporary file is there
        os.killpg(program.process.pid, number)  # as a terminal does: to its workers too
        assert program.ended() == (128 + number, "")
    assert files_in(out.parent) == {"out.tsv": OLD}


@promise(
    "`kill -9` in the middle of the work",
    "the old file stays; a hidden `.confint-…` may be left beside it; no process stays alive",
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_kill_in_the_middle(jobs: int, tmp_path: Path) -> None:
    out = tmp_path / "results" / "out.tsv"
    out.parent.mkdir()
    out.write_bytes(OLD)
    with waiting(tmp_path, "-o", out, jobs=jobs) as program:
        program.process.kill()
        assert program.ended() == (-signal.SIGKILL, "")
    left = files_in(out.parent)
    assert left.pop("out.tsv") == OLD
    assert all(name.startswith(".confint-") for name in left)


@promise("`nohup` and a terminal that is closed", "the work goes on")
def test_a_hangup_that_is_ignored(tmp_path: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    out = tmp_path / "results.tsv"
    with waiting(tmp_path, "-o", out, jobs=2, before=ignore) as program:
        program.process.send_signal(signal.SIGHUP)
        program.send(b"301 Q0 a 1 0.9 x\n")
        status, err = program.ended()
    assert (status, "Traceback" in err) == (0, False)
    assert out.read_bytes().startswith(b"run\ttopic")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_workers_leave_signals_to_their_parent(name: str, tmp_path: Path) -> None:
    out = tmp_path / "results.tsv"
    with waiting(tmp_path, "-o", out, "--quiet", jobs=2) as program:
        for worker in program.workers():
            os.kill(worker, getattr(signal, name))
        program.send(b"301 Q0 a 1 0.9 x\n")
        assert program.ended() == (0, "")
    assert out.read_bytes().startswith(b"run\ttopic")


# A signal exactly when all bytes are written and the file has yet to get its name.
AT_FSYNC = "os.fsync = lambda _: os.kill(os.getpid(), signal.{})"


@pytest.mark.parametrize("kind", ["-o FILE", "-o DIR/", "report -o"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_signal_while_a_file_is_written(kind: str, name: str, tmp_path: Path) -> None:
    words, target = OUTPUTS[kind]
    (tmp_path / target).write_bytes(OLD)
    done = call(*words, code=AT_FSYNC.format(name), cwd=tmp_path)
    killed = name == "SIGKILL"
    assert done == Done(-signal.SIGKILL if killed else 143, "", "")
    left = files_in(tmp_path)
    assert left.pop(target) == OLD
    assert [file.startswith(".confint-") for file in left] == ([True] if killed else [])


AT_SECOND_RENAME = """
rename, names = os.replace, []
def replace(source, target):
    names.append(target)
    if len(names) == 2:
        os.kill(os.getpid(), signal.{})
    rename(source, target)
os.replace = replace
"""


@promise(
    "Ctrl-C, `kill` or a closed terminal while the files of `score -o DIR/` get their names",
    "all of them get theirs, and then confint ends",
)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_folder_is_all_or_none(name: str, tmp_path: Path) -> None:
    done = call("score", *MAP, *EVALS, "-o", "./", code=AT_SECOND_RENAME.format(name), cwd=tmp_path)
    assert done == Done(128 + getattr(signal, name), "", "")
    assert set(files_in(tmp_path)) == {f"{Path(path).stem}.tsv" for path in EVALS}


@promise(
    "`kill -9` between two renames of `score -o DIR/`",
    "every file is complete, the new one or the old one; some may be old",
)
def test_a_folder_has_whole_files_whatever_comes(tmp_path: Path, confint: Confint) -> None:
    for path in EVALS:
        (tmp_path / f"{Path(path).stem}.tsv").write_bytes(OLD)
    done = call("score", *MAP, *EVALS, "-o", "./", code=AT_SECOND_RENAME.format("SIGKILL"),
                cwd=tmp_path)  # fmt: skip
    assert done.status == -signal.SIGKILL
    visible = {name: data for name, data in files_in(tmp_path).items() if name[0] != "."}
    new = {name: data for name, data in visible.items() if data != OLD}
    assert (len(visible), len(new)) == (len(EVALS), 1)
    ((name, data),) = new.items()
    whole = confint("score", *MAP, *EVALS).out.splitlines(keepends=True)
    run = name.removesuffix(".tsv")
    assert data.decode() == "".join(
        line for line in whole if line.startswith(("run\t", f"{run}\t"))
    )


# Workers that die


LONG = {
    "coverage": ["coverage", *MAP, *EVALS, "--replicates", "1000000"],
    "bayes": ["bayes", *MAP, *EVALS, "--all-pairs", "--draws", "1000000"],
}
DIED = (
    "confint: one of confint's processes died\n"
    "  hint: is there enough memory? --jobs 1 needs the least\n"
)  # fmt: skip


@promise(
    "a worker process that dies, for example because the kernel kills it when memory runs out",
    "exit status 1, one line and what to try, no file; no other process stays alive",
)
def test_a_worker_that_dies_in_scoring(tmp_path: Path) -> None:
    out = tmp_path / "results"
    with waiting(tmp_path, "-o", f"{out}/", jobs=2) as program:
        os.kill(program.workers()[0], signal.SIGKILL)
        assert program.ended() == (1, DIED)
    assert not out.exists()


@pytest.mark.parametrize("name", LONG)
def test_a_worker_that_dies(name: str, tmp_path: Path) -> None:
    family, held = os.pipe()
    words = command(*LONG[name], "--jobs", "2", "-o", tmp_path / "out.tsv")
    process = subprocess.Popen(words, stderr=subprocess.PIPE, pass_fds=[held], env=environment())
    os.close(held)
    program = Waiting(process, -1, family)
    try:
        while not (workers := program.workers()):
            assert process.poll() is None
            time.sleep(0.01)  # nothing tells from outside when a process starts another
        os.kill(workers[-1], signal.SIGKILL)
        assert program.ended() == (1, DIED)
    finally:
        process.kill()
        os.close(family)
    assert list(tmp_path.iterdir()) == []


# Files that cannot be read


@promise(
    "a read error half-way through a file",
    "exit status 1, one line; no result from the first half",
)
def test_a_read_error_halfway() -> None:
    ours, theirs = pty.openpty()  # a terminal that goes away: data first, and then an error
    tty.setraw(theirs)
    os.write(theirs, b"map\t1\t0.5\nmap\t2\t0.3\n")
    os.close(theirs)
    done = call("score", "-", stdin=ours)
    os.close(ours)
    assert done == Done(1, "", "confint: standard input: cannot be read (Input/output error)\n")


def test_a_read_error_at_once() -> None:
    done = call("score", BM25, "/proc/self/mem")
    assert done == Done(1, "", "confint: /proc/self/mem: cannot be read (Input/output error)\n")


@promise("a file that you are not allowed to read", "exit status 1, one line that names it")
@pytest.mark.parametrize("option", [[], ["--qrels"], ["--topics"]])
def test_a_file_that_one_may_not_read(option: list[str], tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("map\t1\t0.5\n")
    secret.chmod(0)
    done = call("score", "-m", "map", BM25, *option, "secret", cwd=tmp_path,
                before=as_an_ordinary_user)  # fmt: skip
    assert done == Done(1, "", "confint: secret: cannot be read (Permission denied)\n")


CHANGED = (
    "confint: {}: changed while it was read\n"
    "  hint: is it still being written? try again when it is complete\n"
)


# Once the state of a file is known, and nothing of it is read, someone writes to it.
WHILE_READ = """
import confint_cli.inputs.source as source
state, seen = source._state, []
def state_before_the_change(stream):
    found, path = state(stream), {path!r}
    if not seen:
        {write}
    seen.append(found)
    return found
source._state = state_before_the_change
"""


@promise(
    "a file that grows, shrinks or is rewritten while it is read",
    "exit status 1, one line and what to do, because half a file may look like a complete one",
)
@pytest.mark.parametrize("change", ["grows", "shrinks", "is written anew"])
@pytest.mark.parametrize("as_stdin", [False, True])
def test_a_file_that_changes_while_it_is_read(change: str, as_stdin: bool, tmp_path: Path) -> None:
    run = tmp_path / "x.eval"
    run.write_bytes(b"map\t1\t0.5\nmap\t2\t0.3\n")
    os.utime(run, (0, 0))
    write = {
        "grows": "open(path, 'a').write('map\\t3\\t0.1\\n')",
        "shrinks": "os.truncate(path, 10)",
        "is written anew": "open(path, 'r+').write('map\\t1\\t0.6\\n')",
    }[change]
    code = WHILE_READ.format(path=str(run), write=write)
    with open(run, "rb") as stdin:
        path = "-" if as_stdin else "x.eval"
        done = call("score", path, code=code, cwd=tmp_path, stdin=stdin)
    name = "standard input" if as_stdin else "x.eval"
    assert done == Done(1, "", CHANGED.format(name))


def test_a_file_that_another_program_is_writing(tmp_path: Path, confint: Confint) -> None:
    run = tmp_path / "x.eval"
    run.write_bytes(b"map\t1\t0.5\nmap\t2\t0.3\n" + b" " * 20_000_000 + b"\n")
    whole = confint("score", run).out
    forever = "import sys\nout = open(sys.argv[1], 'ab', 0)\nprint(flush=True)\n"
    forever += "while True: out.write(b'\\n')"
    writer = subprocess.Popen([sys.executable, "-c", forever, run], stdout=subprocess.PIPE)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"\n"
        results = []
        for _ in range(20):  # at any other moment it is as good as whole
            results.append(confint("score", run))
            if results[-1].status:
                break
    finally:
        writer.kill()
        writer.communicate()
    *before, last = results
    assert (last.status, last.out, last.err) == (1, "", CHANGED.format(run))
    assert all(result.out == whole for result in before)


# Places that cannot be written to


UNWRITABLE = {
    "a folder that is not there": ("none/out.tsv", "No such file or directory"),
    "a file in place of the folder": ("file/out.tsv", "Not a directory"),
    "a link to a folder that is not there": ("broken.tsv", "No such file or directory"),
    "a link to itself": ("loop.tsv", "Too many levels of symbolic links"),
    "a name that is too long": (f"{'x' * 300}.tsv", "File name too long"),
    "a folder without leave to write": ("closed/out.tsv", "Permission denied"),
    "a file without leave to write": ("readonly.tsv", "Permission denied"),
}


@promise(
    "a place that cannot be written to: a missing or closed folder, a read-only file, a broken "
    "link",
    "exit status 2 and one line, before the work begins",
)
@pytest.mark.parametrize("case", UNWRITABLE)
def test_a_place_that_cannot_be_written_to(case: str, tmp_path: Path) -> None:
    path, reason = UNWRITABLE[case]
    for name in ("file", "readonly.tsv"):
        (tmp_path / name).write_bytes(OLD)
    (tmp_path / "readonly.tsv").chmod(0o444)
    (tmp_path / "closed").mkdir(mode=0o555)
    (tmp_path / "broken.tsv").symlink_to("none/out.tsv")
    (tmp_path / "loop.tsv").symlink_to("loop.tsv")
    listing = sorted(os.listdir(tmp_path))
    shown = path if len(path) < 60 else f"{path[:59]}…"
    done = call("score", "nowhere.eval", "-o", path, cwd=tmp_path, before=as_an_ordinary_user)
    assert done == Done(2, "", f"confint: cannot write '{shown}': {reason}\n")
    assert sorted(os.listdir(tmp_path)) == listing
    assert (tmp_path / "readonly.tsv").read_bytes() == OLD


@promise("a working folder that is deleted", "exit status 2 and one line; without `-o`, the result")
def test_a_working_folder_that_is_deleted(tmp_path: Path, confint: Confint) -> None:
    def deleted() -> None:
        folder = tmp_path / "gone"
        folder.mkdir()
        os.chdir(folder)
        folder.rmdir()

    words = ["interval", *MAP, "--method", "t", BM25]
    hint = "  hint: has the working folder been deleted?\n"
    for option in ("-o", "--plot"):
        done = call(*words, option, "x.png" if option == "--plot" else "x.tsv", before=deleted)
        assert (done.status, done.out) == (2, "")
        assert done.err.endswith(f": No such file or directory\n{hint}")
    done = call("standardize", *MAP, *EVALS, "--save-factors", "x.tsv", "-o", "y.tsv",
                before=deleted)  # fmt: skip
    assert (done.status, done.out) == (2, "")
    done = call(*words, before=deleted)
    assert (done.status, done.err) == (0, "")
    assert done.out == confint(*words).out


@promise("a folder that vanishes during the work", "exit status 1, one line")
def test_a_folder_that_vanishes(tmp_path: Path) -> None:
    out = tmp_path / "results" / "out.tsv"
    out.parent.mkdir()
    with waiting(tmp_path, "-o", out, "--quiet", jobs=1) as program:
        shutil.rmtree(out.parent)
        program.send(b"301 Q0 a 1 0.9 x\n")
        assert program.ended() == (
            1, f"confint: {out}: cannot be written (No such file or directory)\n",
        )  # fmt: skip


@promise("a name that becomes a folder during the work", "exit status 2, one line, nothing left")
def test_a_name_that_becomes_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "results" / "out.tsv"
    out.parent.mkdir()
    with waiting(tmp_path, "-o", "results/out.tsv", "--quiet", jobs=1) as program:
        out.mkdir()
        program.send(b"301 Q0 a 1 0.9 x\n")
        assert program.ended() == (2, "confint: cannot write 'results/out.tsv': Is a directory\n")
    assert os.listdir(out.parent) == ["out.tsv"]


# Limits of the system


@promise("many output files, with few open files allowed (`ulimit -n`)", "works")
def test_few_open_files(tmp_path: Path) -> None:
    rows = [f"run{number},1,map,0.5" for number in range(150)]
    (tmp_path / "scores.csv").write_text("\n".join(["run,topic,measure,score", *rows, ""]))
    done = call("score", "scores.csv", "-o", "out/", before=limit("NOFILE", 12), cwd=tmp_path)
    assert done == Done(0, "", "")
    assert len(os.listdir(tmp_path / "out")) == 150


@promise(
    "no more processes allowed, or no more pipes to them",
    "exit status 1, one line and what to try (`--jobs 1`)",
)
def test_no_process_can_be_started(tmp_path: Path) -> None:
    few = [*EVALS[:2], "--replicates", "2000", "--sample-size", "5,10", "--jobs", "2"]
    done = call("coverage", *MAP, *few, "-o", "out.tsv", before=limit("NOFILE", 9), cwd=tmp_path)
    assert done == Done(
        1, "",
        "confint: cannot start another process (Too many open files)\n"
        "  hint: --jobs 1 needs no other process\n",
    )  # fmt: skip
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may start as many processes as it likes")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["coverage", "--replicates", "2000", "--sample-size", "5,10"],
         "cannot start another process (Resource temporarily unavailable)"),
        (["interval", "--method", "bca", "--resamples", "30000", "-m", "all"],
         "no more threads can be started"),
    ],
)  # fmt: skip
def test_a_user_with_too_many_processes(words: list[str], problem: str, tmp_path: Path) -> None:
    done = call(*words, "--quiet", *EVALS, "--jobs", "2", "-o", "out.tsv", cwd=tmp_path,
                before=limit("NPROC", 0))  # fmt: skip
    assert done == Done(1, "", f"confint: {problem}\n  hint: --jobs 1 needs no other process\n")
    assert list(tmp_path.iterdir()) == []


@promise(
    "too little memory",
    "exit status 1, one line and what to try; with a limit (`ulimit -v`) below 256 MB at once",
)
@pytest.mark.parametrize(
    ("megabytes", "message"),
    [
        (100, "confint: there is not enough memory: a limit of 100 MB is set\n"
              "  hint: at least 256 MB are needed; 'ulimit -v' shows the limit in KB\n"),
        (300, "confint: there is not enough memory: a limit of 300 MB is set\n"
              "  hint: fewer --resamples need less memory; 'ulimit -v' shows the limit in KB\n"),
    ],
)  # fmt: skip
def test_too_little_memory(megabytes: int, message: str, tmp_path: Path) -> None:
    words = ["interval", *MAP, *EVALS, "--method", "bca", "--resamples", "10000000", "--jobs", "1"]
    done = call(*words, "-o", "out.tsv", before=limit("AS", megabytes << 20), cwd=tmp_path)
    assert done == Done(1, "", message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("can't start new thread"), "no more threads can be started"),
        (ImportError("libopenblas.so: failed to map segment from shared object"),
         "there is not enough memory to load a library"),
    ],
)  # fmt: skip
def test_what_the_machine_lacks_is_said(
    error: Exception, message: str, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    # Patched: root may start any number of threads, and libraries are loaded already.
    monkeypatch.setattr("confint_cli.app.conduct.gather", fail)
    result = confint("score", BM25)
    first, hint = result.err.splitlines()
    assert (result.status, result.out, first) == (1, "", f"confint: {message}")
    assert hint.startswith("  hint: ")


# Odd surroundings


@promise(
    "no home, no folder for temporary files or caches, settings of matplotlib for other programs",
    "the same figure, no message",
)
def test_a_figure_needs_no_home(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    (tmp_path / "nowhere").write_bytes(OLD)  # in the way of whoever wants to make a folder
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\ntext.usetex: True\n")
    words = ["interval", *MAP, BM25, "-o", "/dev/null", "--plot"]
    odd = {"HOME": nowhere, "MPLCONFIGDIR": nowhere, "TMPDIR": nowhere, "MPLBACKEND": "nonsense",
           "XDG_CACHE_HOME": nowhere, "XDG_CONFIG_HOME": nowhere, "MATPLOTLIBRC": str(tmp_path),
           "SOURCE_DATE_EPOCH": "1"}  # fmt: skip
    assert call(*words, tmp_path / "usual.svg") == Done(0, "", "")
    assert call(*words, tmp_path / "odd.svg", env=odd) == Done(0, "", "")
    assert (tmp_path / "odd.svg").read_bytes() == (tmp_path / "usual.svg").read_bytes()


@promise(
    "a locale with few characters, such as Latin-1",
    "help texts have a `?` for each character that it lacks",
)
def test_help_in_a_poor_encoding() -> None:
    done = call("interval", "--help", env={"PYTHONIOENCODING": "latin-1"})
    assert (done.status, done.err) == (0, "")
    assert "?" in done.out
    usual = call("interval", "--help", env={"PYTHONIOENCODING": "utf-8"})
    assert done.out == usual.out.replace("…", "?")


def test_matrix_products_keep_to_one_thread(tmp_path: Path) -> None:
    """Otherwise numpy starts threads, and where it may not it interrupts the program."""
    done = call("score", *MAP, BM25, "-o", tmp_path / "out.tsv", code=(
        "import atexit, sys\n"
        "[os.environ.pop(name, None) for name in list(os.environ) if '_NUM_THREADS' in name]\n"
        "atexit.register(lambda: print(len(os.listdir('/proc/self/task')), file=sys.stderr))"
    ))  # fmt: skip
    assert done == Done(0, "", "1\n")
