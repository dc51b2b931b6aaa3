"""What may be large or have no end: packed files, pipes, devices; and the memory that it takes."""

import gzip
import io
import os
import pickle
import random
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs.source import ALWAYS_UNPACKED, MOST_TIMES, read_source
from tests.conftest import Confint
from tests.robustness.promises import promise

EVAL = b"map\t1\t0.5\nmap\t2\t0.3\nmap\tall\t0.4\n"
PACKED = gzip.compress(EVAL, mtime=0)


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


# Packed files


def bomb(size: int) -> bytes:
    """Return gzip members of a megabyte each, a thousand times smaller, of so many bytes."""
    lines = b"map\t1\t0.5000\n" * ((1 << 20) // 13)
    return gzip.compress(lines, mtime=0) * (size // len(lines) + 1)


@promise(
    "a gzip bomb: a file that unpacks to more than 200 times its size, and to more than 64 MiB",
    "exit status 1, one line that says so, and how to read it anyway; no more than that is "
    "unpacked",
)
@pytest.mark.parametrize("through", ["file", "standard input"])
def test_a_gzip_bomb_is_not_unpacked(through: str, confint: Confint, tmp_path: Path) -> None:
    data = bomb(2 * ALWAYS_UNPACKED)
    assert len(data) * MOST_TIMES < ALWAYS_UNPACKED
    path = written(tmp_path / "x.gz", data)
    if through == "file":
        result, name = confint("score", path), str(path)
    else:
        result, name = confint("score", "-", stdin=data), "standard input"
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        f"confint: {name}: unpacks to more than 200 times its size",
        "  hint: to read it anyway: gzip -dc FILE | confint … -",
    ]


@promise("a gzip file that unpacks to more than 2 GiB", "exit status 1, one line that says so")
def test_a_gzip_file_beyond_all_measure(
    confint: Confint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Patched: by itself it takes 2 GiB of data.
    monkeypatch.setattr("confint_cli.inputs.source.MOST_BYTES", 1 << 27)
    monkeypatch.setattr("confint_cli.inputs.source.MOST_TIMES", 10**9)
    result = confint("score", written(tmp_path / "x.gz", bomb(1 << 28)))
    assert result.status == 1
    assert result.err.splitlines() == [
        f"confint: {tmp_path}/x.gz: unpacks to more than 0.125 GiB",
        "  hint: to read it anyway, unpack it first: gzip -d FILE",
    ]


def test_what_packs_well_and_is_small_is_read(tmp_path: Path) -> None:
    data = EVAL + b"\n" * (ALWAYS_UNPACKED - len(EVAL))
    packed = gzip.compress(data, mtime=0)
    assert len(packed) * MOST_TIMES < len(data)
    assert read_source(str(written(tmp_path / "x.gz", packed))).data == data


@promise("a gzip file of several members, or with zeros after its end", "is read as a whole")
def test_several_members_and_zeros_behind_them(tmp_path: Path) -> None:
    text = random.Random(0).randbytes(150_000).hex().encode()  # more than a piece of packed bytes
    parts = [EVAL, text, b"", text[:70_000], EVAL]
    for behind in (b"", b"\0", b"\0" * 100_000):
        packed = b"".join(gzip.compress(part, mtime=0) for part in parts) + behind
        assert read_source(str(written(tmp_path / "x.gz", packed))).data == b"".join(parts)


@promise(
    "a gzip file that is cut short at any byte, or followed by something else",
    "exit status 1, one line that says it is cut short or damaged",
)
def test_no_part_of_a_gzip_file_passes_for_the_whole(tmp_path: Path) -> None:
    whole = PACKED * 2
    for end in range(2, len(whole)):
        if end == len(PACKED):
            continue
        # One byte does not show whether a further member begins with it.
        said = r"damaged \(" if end == len(PACKED) + 1 else "cut short$"
        with pytest.raises(DataError, match=f"the gzip file is {said}"):
            read_source(str(written(tmp_path / "x.gz", whole[:end])))
    for behind in (b"\n", b"garbage", EVAL, b"\0\0x"):
        with pytest.raises(DataError, match=r"the gzip file is (damaged \(|cut short)"):
            read_source(str(written(tmp_path / "x.gz", PACKED + behind)))


def test_every_bit_of_a_gzip_file_matters_or_does_no_harm(tmp_path: Path) -> None:
    refused = 0
    for bit in range(16, 8 * len(PACKED)):
        data = bytearray(PACKED)
        data[bit // 8] ^= 1 << bit % 8
        path = written(tmp_path / "x.gz", bytes(data))
        try:
            found = read_source(str(path)).data
        except DataError as error:
            found = str(error)
            refused += 1
        assert found == EVAL or "the gzip file is" in str(found)  # a bit of its date matters not
    assert refused > 4 * len(PACKED)


# Files that are none


@promise(
    "a device such as `/dev/zero`, `/dev/urandom` or `/dev/null` as a file",
    "exit status 1, one line: a binary file, or empty; no more than a megabyte of it is read",
)
@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs devices of Unix")
def test_devices(confint: Confint, monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: by itself it takes 2 GiB of data.
    monkeypatch.setattr("confint_cli.inputs.source.MOST_BYTES", 1 << 22)
    for path, problem in {
        "/dev/null": "is empty",
        "/dev/zero": "is a binary file, not text",
        "/dev/urandom": "is a binary file, not text",
    }.items():
        result = confint("score", path)
        assert (result.status, result.out) == (1, "")
        assert result.err.splitlines()[0] == f"confint: {path}: {problem}"


class Endless(io.RawIOBase):
    """Lines with no end in sight, or this test would have none, and how many bytes were read."""

    def __init__(self) -> None:
        super().__init__()
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        if self.given > 1 << 25:
            return 0
        lines = b"map\t1\t0.5\n" * (len(buffer) // 10 + 1)
        buffer[:] = lines[: len(buffer)]
        self.given += len(buffer)
        return len(buffer)


@promise(
    "standard input, a pipe or a device that does not end",
    "exit status 1 and one line that says so after 2 GiB",
)
def test_standard_input_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: by itself it takes 2 GiB of data.
    monkeypatch.setattr("confint_cli.inputs.source.MOST_BYTES", 1 << 22)
    endless = Endless()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    with pytest.raises(DataError, match=r"^standard input: does not end after 0.00390625 GiB$"):
        read_source("-")
    assert endless.given < 1 << 23


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Callable[[str, bytes, int], Path]]:
    """Makes a named pipe that gets some bytes so many times, as long as somebody reads it."""
    writers = []

    def make(name: str, data: bytes, times: int) -> Path:
        path = tmp_path / name
        os.mkfifo(path)

        def write() -> None:
            with open(path, "wb", buffering=0) as out:
                try:
                    for _ in range(times):
                        out.write(data)
                except BrokenPipeError:
                    pass

        writers.append(threading.Thread(target=write, daemon=True))
        writers[-1].start()
        return path

    yield make
    for writer in writers:
        writer.join(timeout=30)
        assert not writer.is_alive(), "nobody read the pipe to its end"


@needs_pipes
def test_a_pipe_without_end(pipe, confint: Confint, monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: by itself it takes 2 GiB of data.
    monkeypatch.setattr("confint_cli.inputs.source.MOST_BYTES", 1 << 22)
    path = pipe("endless", EVAL * 1000, 1000)
    result = confint("score", path)
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        f"confint: {path}: does not end after 0.00390625 GiB",
        "  hint: save it as a file on disk, which may have any size",
    ]


@needs_pipes
def test_a_packed_pipe_that_begins_with_one_byte(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "slow.gz"
    os.mkfifo(path)
    first_is_read = threading.Event()

    def write() -> None:
        with open(path, "wb", buffering=0) as out:
            out.write(PACKED[:1])
            first_is_read.wait(0.2)  # nobody sets it: it is the reader's turn
            out.write(PACKED[1:])

    writer = threading.Thread(target=write)
    writer.start()
    result = confint("score", path)
    writer.join()
    assert (result.status, len(result.rows)) == (0, 2), result.err


@promise(
    "pipes as files, such as a shell makes for `<(command)`",
    "are read once, from beginning to end, like files",
)
@needs_pipes
def test_pipes_are_read_once(pipe, confint: Confint) -> None:
    scores = confint("score", pipe("x.eval", EVAL, 1))
    assert (scores.status, len(scores.rows)) == (0, 2), scores.err
    packed = confint("score", pipe("x.gz", PACKED, 1))
    assert [row[1:] for row in packed.rows] == [row[1:] for row in scores.rows]
    qrels = pipe("qrels", b"1 0 a 1\n1 0 b 0\n2 0 a 1\n", 1)
    run = pipe("x.run", b"1 Q0 a 1 0.9 x\n2 Q0 b 1 0.5 x\n", 1)
    scored = confint("score", "-m", "RR", "-q", qrels, run)
    assert [row[3] for row in scored.rows] == ["1.0000", "0.0000"], scored.err
    names = pipe("topics", b"2\n", 1)
    chosen = confint("score", "--topics", names, pipe("y.eval", EVAL, 1))
    assert [row[1] for row in chosen.rows] == ["2"], chosen.err


def test_a_socket_as_a_file(
    confint: Confint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("needs sockets in the file system")
    monkeypatch.chdir(tmp_path)  # their paths have to be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("s")
        result = confint("score", "s")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("confint: s: cannot be read (")


@promise("standard input that the caller closed", "exit status 1, one line that says so")
@pytest.mark.skipif(sys.platform == "win32", reason="needs closed descriptors of Unix")
def test_standard_input_that_is_closed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "confint_cli", "score", "-"],
        preexec_fn=lambda: os.close(0), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "confint: standard input: is closed\n"


# Memory and time


@promise(
    "a file whose runs have hardly any topics in common, so that their table would be nearly empty",
    "exit status 1, one line with the size of that table",
)
def test_a_table_of_holes_is_not_made(confint: Confint, tmp_path: Path) -> None:
    rows = "".join(f"r{number}\t{number}\t0.5\n" for number in range(20_000))
    result = confint("score", written(tmp_path / "x.tsv", f"run\ttopic\tscore\n{rows}".encode()))
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines()[0] == (
        "confint: runs, topics and measures make a table of 400000000 cells for only 20000 scores"
    )


def test_runs_of_a_very_wide_table_are_compared_with_one_another_once(
    confint: Confint, tmp_path: Path
) -> None:
    """Twenty thousand runs: what goes through all pairs of them would not end in a minute."""
    header = ",".join(["topic", *(f"r{number}" for number in range(20_000))])
    rows = "".join(f"{topic}{',0.25' * 20_000}\n" for topic in (1, 2))
    result = confint("score", written(tmp_path / "x.csv", f"{header}\n{rows}".encode()))
    assert (result.status, len(result.rows)) == (0, 40_000)


def test_thousands_of_measures_can_be_asked_for(confint: Confint, tmp_path: Path) -> None:
    path = written(tmp_path / "x.eval", EVAL)
    result = confint("score", "-m", ",".join(f"m{number}" for number in range(3000)), path)
    assert result.err.startswith("confint: there is no measure 'm0' in the scores\n")
    assert confint("score", "-m", "map," * 3000, path).status == 0


TIMES = 10
ALLOWANCE = 64  # MB: arrays for a stretch of lines, caches of names
_SIZE = 20_000_000

needs_proc = pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="needs /proc of Linux"
)

# Reads each file in a fork: in a process that has nothing but the imports.
_READER = """
import os, sys
from confint_cli.common.parallel import prepare_for_arrays
prepare_for_arrays()
import csv, json, zlib
import numpy
from confint_cli.common.errors import DataError
from confint_cli.inputs import judgements, read_scores, runs
from confint_cli.inputs.formats import formats
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.source import read_source
formats()

def peak():  # of this program alone, unlike ru_maxrss, which begins with that of who started it
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

def read(kind, path):
    bare = peak()
    try:
        if kind == "run":
            runs.read_run(read_source(path))
        elif kind == "judgements":
            judgements.read_judgements(read_source(path))
        else:
            read_scores(path, Reader(lambda names: names), kind or None)
        print("read")
    except DataError as error:
        print(str(error).removeprefix(f"{path}"))
    print(peak() - bare, flush=True)

for line in sys.stdin:
    if not os.fork():
        read(*line.rstrip("\\n").split("\\t"))
        os._exit(0)
    os.wait()
"""


def large(path: Path, head: str, form: str, tail: str = "", least: int = _SIZE) -> int:
    """Write a file of lines with numbers in them, of at least that size; return its size."""
    size = number = 0
    with path.open("w") as out:
        out.write(head)
        while size < least:
            size += out.write(
                form.format(number, number % 30, number // 30, number % 10_000 / 10_000)
            )
            number += 1
        out.write(tail)
    return path.stat().st_size


LARGE = {
    "trec_eval's output": ("trec_eval", "", "map_{1:<18}\t{2}\t{3:.4f}\n", "", "read"),
    "a million topics": ("trec_eval", "", "map\t{0}\t1\n", "", "read"),
    "one name far longer than the others": (
        "trec_eval", f"map\t{'x' * 250}\t1\n", "map\t{0}\t{3:.4f}\n", "", "read"),
    "a measure a line": (
        "trec_eval", "", "{0}m 1 1\n", "",
        ": has more than 150000 runs and measures, with only a few topics each"),
    "a long table": ("long", "run\ttopic\tmeasure\tscore\n", "a{1}\t{2}\tmap\t{3:.4f}\n", "",
                     "read"),
    "a quoted table": ("long", "run,topic,score\n", '"a",{0},{3:.4f}\n', "", "read"),
    "a table of fifty thousand columns": (
        "topic_by_run", "topic," + ",".join(map(str, range(50_000))) + "\n",
        "{0}" + ",1" * 50_000 + "\n", "", "read"),
    "a matrix": ("tsmatrix", "", "{3:.4f} " * 30 + "\n", "", "read"),
    "a line of ten million numbers": (
        "tsmatrix", "", "1 " * 1000, "\n",
        ": has more than 150000 runs and measures, with only a few topics each"),
    "one enormous line": (
        "", "", "x" * 9000, "", f": is not in a known format: it begins with '{'x' * 59}…'"),
    "JSON lines": ("jsonl", "", '{{"topic": {0}, "measure": "m", "score": {3}}}\n', "", "read"),
    "a JSON table of too many lists": (
        "jsonl", '{"rows": [', "[],", "1]}",
        ": is JSON that would need more than 800 MB of memory"),
    "JSON lines with a field a measure": (
        "jsonl", "", '{{"qid": "{0}", "AP": {3}, "P": {3}, "text": "a b c d"}}\n', "", "read"),
    "a run in a table": (
        "run", "qid,docno,score\n", "{2},FBIS-{0},{3:.4f}\n", "", "read"),
    "a run": ("run", "", "{2} Q0 FBIS-{0} 1 {3:.4f} tag\n", "", "read"),
    "a run of the shortest lines": ("run", "", "1 Q0 {0} 1 1 x\n", "", "read"),
    "judgements": ("judgements", "", "{2} 0 FBIS-{0} 1\n", "", "read"),
}  # fmt: skip


Reading = Callable[[str, Path], tuple[str, float]]


@pytest.fixture(scope="module")
def reader() -> Iterator[Reading]:
    """What a reader says of a file, and the megabytes that it took."""
    call = [sys.executable, "-c", _READER]
    with subprocess.Popen(
        call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def read(kind: str, path: Path) -> tuple[str, float]:
            stdin.write(f"{kind}\t{path}\n")
            return stdout.readline().rstrip("\n"), float(stdout.readline())

        yield read


ONE_A_TOPIC = {
    "run": "{0} Q0 a 1 1 x\n",
    "judgements": "{0} 0 a 1\n",
}

JSON = {
    "scores": (
        "jsonl", '{"rows": [', '{{"topic": {0}, "score": {3}}},', '{"topic": -1, "score": 0}]}',
        TIMES, "read"),
    "scores by topic": (
        "json", "{", '"{0}": {{"map": {3}, "ndcg": {3}}},', '"x": {"map": 1, "ndcg": 1}}', 15,
        "read"),
    "scores by measure": ("json", '{"map": {', '"{0}": {3},', '"x": 1}}', 15, "read"),
    "a run": ("run", '{"301": {', '"FBIS-{0}": {3}5,', '"x": 1.5}}', 15, "read"),
    "lists in lists": (
        "jsonl", '{"rows": [', "[" * 900 + "]" * 900 + ",", "1]}", 50,
        ", row 0: is a list, but each row of a JSON list has to be an object"),
}  # fmt: skip


@promise(
    "a file of any shape, of scores, a run or judgements: the shortest possible lines, one "
    "enormous line, a million topics, fifty thousand columns",
    "reading it takes at most ten times its (unpacked) size in memory, plus 64 MB",
)
@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("case", LARGE)
def test_memory_is_in_proportion_to_the_file(case: str, tmp_path: Path, reader: Reading) -> None:
    """What is read is half as large as what is refused, and has half of the 64 MB."""
    kind, head, form, tail, expected = LARGE[case]
    path = tmp_path / "x"
    size = large(path, head, form, tail, least=_SIZE // 2 if expected == "read" else _SIZE)
    outcome, peak = reader(kind, path)
    assert outcome == expected
    assert peak < TIMES * size / (1 << 20) + ALLOWANCE * min(1, size / _SIZE)


@promise(
    "a run, or judgements, with a single document for each of a million topics",
    "reading it takes at most thirty times its size in memory: each topic has a table of its own",
)
@needs_proc
@pytest.mark.parametrize("kind", ONE_A_TOPIC)
def test_memory_for_one_document_a_topic(kind: str, tmp_path: Path, reader: Reading) -> None:
    path = tmp_path / "x"
    size = large(path, "", ONE_A_TOPIC[kind], least=_SIZE // 2)
    outcome, peak = reader(kind, path)
    assert outcome == "read"
    assert peak < 30 * size / (1 << 20) + ALLOWANCE


@promise(
    "JSON in one piece, which is read as a whole: a table, scores or a run in nested objects, "
    "lists in lists",
    "reading a table takes at most ten times its size in memory, nested objects fifteen times, "
    "plus 64 MB; lists in lists up to fifty times; if that is more than 800 MB, exit status 1, one "
    "line that says so, and which formats may be larger",
)
@needs_proc
@pytest.mark.parametrize("case", JSON)
def test_memory_for_json(case: str, tmp_path: Path, reader: Reading) -> None:
    kind, head, form, tail, times, expected = JSON[case]
    path = tmp_path / "x"
    size = large(path, head, form, tail, least=6_000_000)
    outcome, peak = reader(kind, path)
    assert outcome.startswith(expected)
    assert peak < times * size / (1 << 20) + ALLOWANCE


# JSON and Parquet, which say much with little


@promise(
    "JSON with a key twice in one object, however it is written, in a file or in JSON lines",
    "exit status 1, one line that names the key; Python by itself would keep the last one silently",
)
@pytest.mark.parametrize(
    ("content", "where"),
    [
        ('{"1": {"map": 0.5, "map": 0.25}, "2": {"map": 1}}', ": is not valid JSON: an object"),
        ('{"a:": {"map": 0.5}, "b": {"map": 1}, "a\\u003a": {"map": 0}}', ": is not valid JSON"),
        ('{"qid": "1", "AP": 0.5}\n{"qid": "2", "AP": 1, "AP": 0}\n', ":2: an object"),
    ],
    ids=["nested", "escaped", "lines"],
)
def test_a_key_that_comes_twice(content: str, where: str, tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    result = confint("score", path)
    assert result.status == 1
    assert where in result.err
    assert "twice" in result.err
    assert result.err.count("\n") == 1


@promise(
    "JSON nested a hundred thousand levels deep, in a file or on standard input",
    "exit status 1, one line that says so",
)
@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_json_without_a_bottom(opening: str, confint: Confint) -> None:
    result = confint("score", "-", stdin=(opening * 100_000).encode())
    assert result.status == 1
    assert result.err == "confint: standard input: is not valid JSON: it is nested too deeply\n"


@promise(
    "a Parquet file of some kilobytes with more than 400 million cells in it",
    "exit status 1, one line that says so, from what the file says about itself; no row is read",
)
def test_a_parquet_file_that_unfolds(
    tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    zeros = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(np.zeros(1_000_000, np.int8)), pyarrow.array([0.5])
    )
    path = tmp_path / "x.parquet"
    schema = pyarrow.schema([(f"c{place}", zeros.type) for place in range(5)])
    parquet.write_table(pyarrow.table([zeros] * 5, schema=schema), path)
    assert path.stat().st_size < 100_000
    monkeypatch.setattr("confint_cli.inputs.arrow.MOST_CELLS", 4_000_000)
    monkeypatch.setattr(parquet.ParquetFile, "read", None)
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", None)
    result = confint("score", path)
    assert result.status == 1
    said = "has 1000000 rows and 5 columns; confint reads up to 100000 columns and 4 million cells"
    assert said in result.err


class _Harm:
    """What would write a file if somebody unpickled it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self.path), "w")


@promise(
    "an Arrow file whose types hold pickled code",
    "none of it is run; pyarrow before 14.0.1, which would run it, is refused",
)
def test_pickled_types_are_not_run(
    tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    victim = tmp_path / "victim"
    metadata = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": pickle.dumps(_Harm(victim)),
    }
    fields = [pyarrow.field("qid", pyarrow.string()),
              pyarrow.field("AP", pyarrow.float64(), metadata=metadata)]  # fmt: skip
    table = pyarrow.table([["1", "2"], [0.5, 0.25]], schema=pyarrow.schema(fields))
    path = tmp_path / "x.arrow"
    feather.write_feather(table, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = confint("score", path)
    assert not victim.exists()
    assert result.status in (0, 1)
    monkeypatch.setattr(pyarrow, "__version__", "14.0.0")
    old = confint("score", path)
    assert old.status == 1
    assert "pyarrow 14.0.0 may run code from a file, so confint does not use it" in old.err
