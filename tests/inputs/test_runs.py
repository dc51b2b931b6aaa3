"""Runs and judgements: the fast way and the way line by line give the same, or the same error."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confint_cli.errors import DataError
from confint_cli.inputs import Source, read_judgements, read_run

words = st.sampled_from(["a", "b", "301", "DEMO-1", "été", "d" * 80, "x#1", "#c", "<t>"])
scores = st.sampled_from(["0.5", "0.25", "1.5", "-3", "1e3", "12.3456", "nan", "1_0", "oops"])
delimiters = st.sampled_from([" ", " ", "\t", "\t", "  ", " \t"])


@st.composite
def files(draw: st.DrawFn, fields: list[st.SearchStrategy[str]]) -> bytes:
    """Mostly regular lines, some with another delimiter, a field too few, or junk at the end."""
    delimiter = draw(delimiters)
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        row = [draw(field) for field in fields]
        change = draw(st.sampled_from(["", "", "", "", "", "short", "long", "blank", "other"]))
        row = {"short": row[:-1], "long": [*row, "junk"], "blank": []}.get(change, row)
        lines.append((draw(delimiters) if change == "other" else delimiter).join(row))
    return ("\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))).encode()


def outcome(read: Callable[[Source], object], data: bytes) -> object:
    try:
        return read(Source("x", data))
    except DataError as error:
        return str(error)


RUN = [words, st.just("Q0"), words, st.just("1"), scores, words]
JUDGEMENT = [words, st.just("0"), words, st.sampled_from(["0", "1", "-1", "2", "x"])]


@pytest.mark.parametrize(
    ("module", "read", "fields"),
    [("_runs", read_run, RUN), ("_judgements", read_judgements, JUDGEMENT)],
)
def test_the_fast_way_reads_what_the_slow_way_reads(module: str, read, fields) -> None:
    @given(files(fields))
    def check(data: bytes) -> None:
        fast = outcome(read, data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(f"confint_cli.inputs.{module}.regular_words", lambda *_: None)
            assert outcome(read, data) == fast

    check()


@pytest.mark.parametrize("delimiter", [b" ", b"\t"])
def test_regular_lines_go_the_fast_way(delimiter: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confint_cli.inputs._runs._rows_line_by_line", None)  # would be an error
    lines = [[b"1", b"Q0", b"d%d" % n, b"0", b"%.3f" % (n / 7), b"t"] for n in range(50)]
    run = read_run(Source("x", b"\n".join(map(delimiter.join, lines)) + b"\n"))
    assert len(run.rankings["1"]) == 50
    assert run.rankings["1"]["d3"] == 0.429
