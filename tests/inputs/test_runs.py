"""Runs and judgements: the fast way and the way line by line give the same, or the same error."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs.judgements import read_judgements
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import Source

words = st.sampled_from(["a", "b", "301", "DEMO-1", "été", "d" * 80, "x#1", "#c", "<t>"])
scores = st.sampled_from(["0.5", "0.25", "1.5", "-3", "1e3", "12.3456", "nan", "1_0", "oops"])
ranks = st.sampled_from(["0", "1", "2", "10", "007", "-1", "1.5", "1e1", "nan", "inf", "1_0", "x"])
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


RUN = [words, st.just("Q0"), words, ranks, scores, words]
JUDGEMENT = [words, st.just("0"), words, st.sampled_from(["0", "1", "-1", "2", "x"])]


@pytest.mark.parametrize(
    ("module", "read", "fields"),
    [("runs", read_run, RUN), ("judgements", read_judgements, JUDGEMENT)],
)
def test_the_fast_way_reads_what_the_slow_way_reads(module: str, read, fields) -> None:
    @given(files(fields))
    def check(data: bytes) -> None:
        fast = outcome(read, data)
        with pytest.MonkeyPatch.context() as patch:
            # Patched: what the fast way can read goes no other way by itself.
            patch.setattr(f"confint_cli.inputs.{module}.regular_words", lambda *_: None)
            assert outcome(read, data) == fast

    check()


@pytest.mark.parametrize("delimiter", [b" ", b"\t"])
def test_regular_lines_go_the_fast_way(delimiter: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    # Patched: which way was taken cannot be seen.
    monkeypatch.setattr("confint_cli.inputs.runs._rows_line_by_line", None)  # would be an error
    lines = [[b"1", b"Q0", b"d%d" % n, b"0", b"%.3f" % (n / 7), b"t"] for n in range(50)]
    run = read_run(Source("x", b"\n".join(map(delimiter.join, lines)) + b"\n"))
    assert len(run.rankings["1"]) == 50
    assert run.rankings["1"]["d3"] == 0.429


# Ranks that contradict scores


@dataclass(frozen=True)
class Line:
    topic: str
    rank: str
    score: str


def run_of(lines: Sequence[Line]) -> Source:
    text = "".join(f"{one.topic} Q0 d{n} {one.rank} {one.score} t\n" for n, one in enumerate(lines))
    return Source("x", text.encode())


@contextmanager
def cut_into_chunks(size: int, *, quickly: bool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # Patched: random runs of many megabytes would take long.
        patch.setattr("confint_cli.inputs.source._CHUNK", size)
        if not quickly:
            patch.setattr("confint_cli.inputs.runs.regular_words", lambda *_: None)
        yield


def contradicted(lines: Sequence[Line]) -> set[str]:
    """Return what both ways through a file find, however it is cut into chunks."""
    found = set()
    for quickly in (True, False):
        for size in (1, 40, 100, 1 << 20):  # bytes; a line is about 15
            with cut_into_chunks(size, quickly=quickly):
                found.add(read_run(run_of(lines)).contradicted)
    assert len(found) == 1
    return set(found.pop())


def lines_of(topic: str, *pairs: tuple[object, object]) -> list[Line]:
    return [Line(topic, str(rank), str(score)) for rank, score in pairs]


GOOD = lines_of("1", (1, 0.9), (2, 0.5), (3, 0.1))
DISTANCES = lines_of("2", (1, 0.1), (2, 0.5), (3, 0.9))


def test_a_topic_is_contradicted_where_scores_rise_with_ranks() -> None:
    assert contradicted(GOOD) == set()
    assert contradicted(DISTANCES) == {"2"}
    assert contradicted(GOOD + DISTANCES) == {"2"}
    assert contradicted(DISTANCES[::-1] + GOOD[::-1]) == {"2"}
    assert contradicted(lines_of("1", (1, 9), (2, 8), (9, 7), (10, 7.5), (11, 6))) == {"1"}


def test_a_topic_is_contradicted_though_its_lines_are_apart() -> None:
    mixed = [line for pair in zip(GOOD, DISTANCES, strict=True) for line in pair]
    assert contradicted(mixed) == {"2"}
    assert contradicted([DISTANCES[0], *GOOD, DISTANCES[2]]) == {"2"}
    assert contradicted([GOOD[0], *DISTANCES[:1], *GOOD[1:]]) == set()


@pytest.mark.parametrize(
    "pairs",
    [
        [(1, 1), (1, 2), (1, 3)],
        [(0, 3), (0, 1), (0, 2)],
        [("Q0", 1), ("Q1", 2)],
        [("nan", 1), (2, 2), ("inf", 3)],
        [(1, 1), ("-", 2), (3, 3)],
        [("1_0", 1), ("2_0", 2)],
        [("é", 1), (1, 2)],
        [(1, 5), (2, 5), (3, 5)],
        [(2, 5), (1, 5)],
        [("1" * 400, 2), (1, 1)],
        [("9", 2), ("10", 1)],
        [("1.0", 2), ("2.0", 1)],
        [(-3, 2), (-2, 1)],
    ],
)
def test_equal_ranks_odd_ranks_and_tied_scores_contradict_nothing(
    pairs: list[tuple[object, object]],
) -> None:
    assert contradicted(lines_of("1", *pairs)) == set()


@pytest.mark.parametrize(
    "pairs",
    [
        [("1.0", 1), ("2.0", 2)],
        [(-3, 1), (-2, 2)],
        [("9" * 20, 2), (1, 1)],
        [("01", 1), (2, 2)],
        [("9", 1), ("10", 2)],
    ],
)
def test_ranks_may_be_any_numbers(pairs: list[tuple[object, object]]) -> None:
    assert contradicted(lines_of("1", *pairs)) == {"1"}


@pytest.mark.parametrize(
    ("low", "high"), [("1", "1.00000001"), ("1e299", "1e300"), ("0", "1e-50"), ("-1e300", "-1e299")]
)
def test_scores_that_are_one_in_single_precision_are_tied(low: str, high: str) -> None:
    """So they are to trec_eval: what decides is the document's id, and no score contradicts."""
    assert contradicted(lines_of("1", (1, low), (2, high))) == set()


def test_topics_that_look_alike_are_one_topic() -> None:
    r"""A byte that is no UTF-8 is shown as \xe9, and that may be the name of another one."""
    data = b"\xe9 Q0 a 1 1 t\n\\xe9 Q0 b 2 2 t\n"
    assert read_run(Source("x", data)).contradicted == {"\\xe9"}


rankings = st.lists(  # the scores of a topic each, in order; written with one digit, some are tied
    st.lists(st.integers(-30, 30).map(lambda n: n / 8), min_size=1, max_size=12)
    .map(lambda scores: sorted(scores, reverse=True)),
    min_size=1, max_size=4,
)  # fmt: skip


def sorted_run(topics: Sequence[Sequence[float]]) -> list[Line]:
    return [
        Line(str(topic), str(rank), f"{score:.1f}")
        for topic, scores in enumerate(topics)
        for rank, score in enumerate(scores)
    ]


@given(rankings, st.randoms(use_true_random=False))
def test_a_consistent_run_contradicts_nothing_in_any_order_of_lines(topics, random) -> None:
    lines = sorted_run(topics)
    random.shuffle(lines)
    assert contradicted(lines) == set()


@given(rankings, st.data())
def test_two_neighbours_swapped_are_found(topics, data: st.DataObject) -> None:
    lines = sorted_run(topics)
    places = [
        place
        for place, (one, other) in enumerate(pairwise(lines))
        if one.topic == other.topic and one.score != other.score
    ]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    one, other = lines[place : place + 2]
    lines[place : place + 2] = [
        Line(one.topic, one.rank, other.score), Line(one.topic, other.rank, one.score)
    ]  # fmt: skip
    assert contradicted(lines) == {one.topic}


numbers = st.integers(-3, 12).map(str)


@given(st.lists(st.builds(Line, st.sampled_from("abc"), numbers | ranks, numbers), min_size=1))
def test_each_line_is_compared_with_the_one_before_it_of_its_topic(lines: list[Line]) -> None:
    expected = set()
    before: dict[str, Line] = {}
    for line in lines:
        other = before.get(line.topic, line)
        odd = {"nan", "inf", "1_0", "x"} & {line.rank, other.rank}
        moves = 0 if odd else np.sign(float(line.rank) - float(other.rank))
        if moves * (float(line.score) - float(other.score)) > 0:
            expected.add(line.topic)
        before[line.topic] = line
    assert contradicted(lines) == expected


@pytest.mark.parametrize("blank", [b"\x0b", b"\x0c"])
def test_odd_blanks_separate_words_in_both_ways(blank: bytes) -> None:
    run = b"301\tQ0\td1" + blank + b"1\t0.5\tt\n"
    assert read_run(Source("x", run)).rankings == {"301": {"d1": 0.5}}
    qrels = b"301\t0\td1" + blank + b"x\t1\n"
    with pytest.raises(DataError, match="a judgement has to be"):
        read_judgements(Source("x", qrels))
