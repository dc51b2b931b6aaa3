"""What is to survive any input: each reader, and the program itself.

A target reads a file and ends in nothing, or in a DataError or CallError. Where there are two ways
through a file, the fast one and the one line by line, both are gone and have to agree.
"""

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from confint_cli.app.cli import run
from confint_cli.common.errors import CallError, DataError
from confint_cli.common.text import visible
from confint_cli.inputs import read_scores
from confint_cli.inputs.factors import read_factors
from confint_cli.inputs.formats import formats
from confint_cli.inputs.judgements import read_judgements
from confint_cli.inputs.published import read_published
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import read_source
from confint_cli.scores.gather import names_listed
from confint_cli.scores.join import Joining, join
from tests.conftest import Result

Target = Callable[[Path], object]

EVERYTHING = Reader(lambda names: names)
READERS = {
    "everything": EVERYTHING,
    "one measure": Reader(lambda names: names[:1]),
    "another measure, with gaps": Reader(lambda names: names[1:2], gaps=True),
}
"""Who wants what: the fast way must not pass what the slow way refuses because nobody wants it."""

REFUSED = (DataError, CallError)
_TWO_WAYS = {
    "trec_eval": "confint_cli.inputs.formats.trec_eval.regular_columns",
    "long": "confint_cli.inputs.formats.long.regular_columns",
    "run": "confint_cli.inputs.runs.regular_words",
    "judgements": "confint_cli.inputs.judgements.regular_words",
}
"""Where the fast way of a reader begins: without it, the file is read line by line."""


def outcome(read: Callable[[], object]) -> object:
    """Return what a reader finds, in a form that can be compared, or the words of its refusal."""
    try:
        return _comparable(read())
    except REFUSED as error:
        return type(error).__name__, str(error), error.hint


def _comparable(found: object) -> object:
    if not isinstance(found, Reading):
        return found
    series = [
        (one.run, one.measure, [*one.topics], one.values.tolist(), one.summary, one.rounding,
         [*one.gaps])
        for one in found.series
    ]  # fmt: skip
    rest = (found.tag, found.lacks_summary, [*found.notices], found.scales, found.counted)
    return series, [*found.measures], *rest


def both_ways(name: str, read: Callable[[], object]) -> object:
    """Read by whichever way the file allows and, if there are two, line by line; compare."""
    found = outcome(read)
    if name in _TWO_WAYS:
        # Patched: what the fast way can read goes no other way by itself.
        with mock.patch(_TWO_WAYS[name], return_value=None):
            slowly = outcome(read)
        assert found == slowly, f"the fast way finds {found!r:.500}, the slow one {slowly!r:.500}"
    return found


def _scores_in(name: str) -> Target:
    def read(path: Path) -> object:
        return [
            both_ways(name, lambda: read_scores(str(path), reader, name)[1])  # noqa: B023
            for reader in READERS.values()
        ]

    return read


def _scores(path: Path) -> object:
    """Find the format, read the file and join what it holds."""
    try:
        name, reading = read_scores(str(path), EVERYTHING)
        join([reading], Joining())
    except REFUSED:
        return None
    return _scores_in(name)(path)


def called(args: Sequence[object], stdin: bytes = b"") -> Result:
    """Run the program in this process, and check what it promises of every call."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    source = mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    with source, redirect_stdout(out), redirect_stderr(err):
        status = run([str(arg) for arg in args])
    result = Result(status, _text(out), _text(err))
    check_answer(result)
    return result


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def check_answer(result: Result) -> None:
    """Check that a call either answers, or says in one line (and a hint) why it does not."""
    assert result.status in (0, 1, 2), result
    lines, hints = check_messages(result.err)
    if result.status:
        assert result.out == ""
        assert lines, "no word about what is wrong"
        assert len(hints) <= 1
        assert not hints or lines[-1] == hints[0]
    else:
        assert not hints
        assert result.out


LONGEST_LINE = 4000  # characters of a message, whatever names strangers give


def check_messages(err: str) -> tuple[list[str], list[str]]:
    """Check that there is nothing but messages and hints; return all lines, and the hints."""
    assert "Traceback" not in err, err
    lines = err.split("\n")
    assert lines.pop() == "", f"a line without its end: {err[-500:]}"
    for before, line in zip(["", *lines], lines, strict=False):
        assert line.startswith(("confint: ", HINT)), f"no message of ours: {line}"
        assert not line.startswith(HINT) or before.startswith("confint: "), (
            f"a hint without an error: {line}"
        )
        assert visible(line) == line, f"what a terminal might obey: {line!r}"
        assert len(line) < LONGEST_LINE, f"a line of {LONGEST_LINE} characters or more: {line}"
    return lines, [line for line in lines if line.startswith(HINT)]


HINT = "  hint: "


def _program(*args: object) -> Target:
    def call(path: Path) -> object:
        return called([arg if arg is not ... else path for arg in args])

    return call


@contextmanager
def judged(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield judgements and a run that belong to each other."""
    qrels, ranking = folder / "good.qrels", folder / "good.run"
    if not qrels.exists():
        topics = range(301, 304)
        qrels.write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in topics for d in range(4)))
        ranking.write_text(
            "".join(f"{t} Q0 d{d} {d} {4 - d} x\n" for t in topics for d in range(4))
        )
    yield qrels, ranking


def _score_run(path: Path) -> object:
    with judged(path.parent) as (qrels, _):
        return called(["score", "-q", qrels, "-m", "all", path])


def _score_by(path: Path) -> object:
    with judged(path.parent) as (_, ranking):
        return called(["score", "-q", path, "-m", "AP,nDCG@5,RR@3", ranking])


def _with_list(option: str) -> Target:
    def call(path: Path) -> object:
        matrix = path.parent / "good.tsmatrix"
        if not matrix.exists():
            matrix.write_text("0.5 0.25\n0.75 0.5\n0.125 1\n")
        return called(["score", option, path, matrix])

    return call


def _from_stdin(path: Path) -> object:
    return called(["score", "-"], path.read_bytes())


TARGETS: dict[str, Target] = {
    "scores": _scores,
    **{name: _scores_in(name) for name in formats()},
    "run": lambda path: both_ways("run", lambda: read_run(read_source(str(path)))),
    "judgements": lambda path: both_ways(
        "judgements", lambda: read_judgements(read_source(str(path)))
    ),
    "factors": lambda path: outcome(lambda: [one.scale for one in read_factors(str(path))]),
    "published": lambda path: outcome(lambda: read_published(str(path))),
    "names": lambda path: outcome(lambda: names_listed(str(path), "--topics")),
    "confint score": _program("score", ...),
    "confint score -m all": _program("score", "-m", "all", "--format", "json", ...),
    "confint score -": _from_stdin,
    "confint interval": _program("interval", ...),
    "confint interval --missing drop": _program(
        "interval", "--missing", "drop", "-f", "table", ...
    ),
    "confint summary": _program("summary", ...),
    "confint score -q": _score_run,
    "confint score by": _score_by,
    "confint score --topics": _with_list("--topics"),
    "confint score --run-names": _with_list("--run-names"),
}


def check(target: str, path: Path) -> None:
    """Let a target read a file; any exception but a refusal is a finding."""
    TARGETS[target](path)
    sys.stdout.flush()
