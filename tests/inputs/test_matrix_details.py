"""Numbers in rows and columns, and the fast way through regular lines: details, one by one."""

import random

import numpy as np
import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs import read_content
from confint_cli.inputs.matrix import NumberedTopics
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.regular import (
    Fields,
    combined_keys,
    equal_keys,
    has_any_of,
    has_blanks_at_ends,
    has_blanks_within,
    numbers_in,
    regular_columns,
)
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import Source
from tests.inputs.test_all_formats import EVERYTHING
from tests.inputs.test_tables import GAPS, read, refused, scores, told


def columns_of(data: bytes, delimiter: str = "\t", width: int = 2) -> list[Fields]:
    columns = regular_columns(data, delimiter, width)
    assert columns is not None
    return columns


def column_of(*texts: str) -> Fields:
    """Return the texts as the first of two columns."""
    return columns_of("".join(f"{text}\t1\n" for text in texts).encode())[0]


def texts_of(fields: Fields) -> list[bytes]:
    return [*fields.texts()]


# Numbers in rows and columns


def test_numbered_topics_are_a_sequence_of_texts() -> None:
    topics = NumberedTopics(5)
    assert (topics[0], topics[-1], len(topics), [*topics]) == ("1", "5", 5, [*"12345"])
    assert (topics[1:3], topics[::-2], topics[5:]) == (["2", "3"], ["5", "3", "1"], [])


COLLECTIONS = "dataset,topic,bm25,rm3\n"


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("topic,bm25,rm3\n", "AP.csv", "AP.csv: has no per-topic scores"),
        ("topic,bm25,rm3\nall,0.5,0.25\n", "AP.csv", "AP.csv: has only means over all topics"),
        (
            f"{COLLECTIONS}news,301,0.5,0.25\nnews,all,0.5,0.25\nweb,7,1,0\nnews,mean,0.5,0.25\n",
            "AP.csv",
            "AP.csv:5: a second row for 'mean' and 'AP' in collection 'news'",
        ),
        (
            "topic,bm25,rm3\n301,0.5,0.25\nall,0.5,O.25\n",
            "AP.csv",
            "AP.csv:3: the value of 'rm3' is not a number: 'O.25'",
        ),
        (
            "0.5 0.25\n0.125 O.25\n",
            "AP.tsmatrix",
            "AP.tsmatrix:2: the value of 'AP' is not a number: 'O.25'",
        ),
        (
            "topic,bm25,rm3\n301,0.5,0.25\n302,0.25,\n",
            "AP.csv",
            "AP.csv:3: column 'rm3' has no score for topic '302'",
        ),
        (
            "topic,bm25,rm3\n301,0.5,0.25\n302,0.25,0.5\n301,1,1\n",
            "AP.csv",
            "AP.csv:4: a second row for topic '301' and 'AP' of run 'bm25'; the first is line 2",
        ),
    ],
)
def test_what_is_wrong_with_a_table_of_runs(text: str, name: str, problem: str) -> None:
    assert refused(text, name)[0] == problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [("topic,bm25,rm3\n", "has no per-topic scores"),
     ("topic,bm25,rm3\nall,1,0\n", "has only means over all topics")],
)  # fmt: skip
def test_no_topics_whoever_names_the_format(text: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        read_content(Source("AP.csv", text.encode()), EVERYTHING, "topic_by_run")
    assert str(caught.value) == f"AP.csv: {problem}"


def test_a_table_of_runs_whose_measure_nobody_wants_has_no_series() -> None:
    nothing = Reader(lambda _: [])
    for name, text in (("AP.csv", "topic,bm25\n301,0.5\n302,0.25\n"), ("AP.tsmatrix", "0.5 1\n")):
        _, reading = read(text, name, nothing)
        assert reading.path == name
        assert [*reading.series] == []
        assert [*reading.measures] == ["AP"]


def test_the_first_score_of_a_run_says_how_far_it_is_rounded() -> None:
    text = "topic,a,b\n301,0.5,0.125\n302,0.25,0.5\n303,0.125,0.25\n"
    assert [series.rounding for series in read(text)[1].series] == [0.05, 0.0005]
    blank = "topic,a,b\n301,NA,0.125\n302,,0.5\n303,0.25,0.25\n304,0.5,\n"
    assert [series.rounding for series in read(blank, reader=GAPS)[1].series] == [0.005, 0.0005]


@pytest.mark.parametrize(
    ("text", "values", "summary", "rounding"),
    [
        ("topic;a\n301;0,5\n302;0,25\nall;0,375\n", [0.5, 0.25], "0.375", 0.05),
        ("topic,a\n301,51%\n302,25%\nall,38%\n", [0.51, 0.25], "0.38", 0.005),
        ("topic,a\n301,0.5\n302,0.25\nall,0.375\n", [0.5, 0.25], "0.375", 0.05),
    ],
)
def test_the_mean_is_read_as_the_scores_are(
    text: str, values: list[float], summary: str, rounding: float
) -> None:
    (series,) = read(text)[1].series
    assert series.values.tolist() == values
    assert series.summary == summary
    assert series.rounding == pytest.approx(rounding)


def test_a_collection_of_means_only_does_not_hide_those_behind_it() -> None:
    text = f"{COLLECTIONS}web,all,1,0\nnews,301,0.5,0.25\nnews,302,0.25,1\n"
    assert scores(text) == {
        ("bm25", "x", "301"): 0.5, ("bm25", "x", "302"): 0.25,
        ("rm3", "x", "301"): 0.25, ("rm3", "x", "302"): 1.0,
    }  # fmt: skip


def test_rows_without_topics_are_told_of_all_collections() -> None:
    text = (f"{COLLECTIONS}news,301,0.5,0.25\nnews,302,0.25,1\nnews,median,0.5,0.5\n"
            "web,7,0.5,0.25\nweb,8,1,0.5\nweb,total,1,1\n")  # fmt: skip
    said = "rows 'median', 'total' are left out: all other topics have digits in their ids"
    assert said in told(text)
    assert {topic for _, _, topic in scores(text)} == {"301", "302", "7", "8"}


def test_many_runs_in_each_of_many_collections_are_too_many() -> None:
    runs = [f"r{number}" for number in range(400)]
    cells = ",0" * len(runs)
    rows = "".join(f"c{number},1{cells}\nc{number},2{cells}\n" for number in range(150))
    text = f"dataset,topic,{','.join(runs)}\n{rows}"
    problem, hint = refused(text)
    most = 50_000 + len(text) // 200  # as many as a file of this size may have
    assert problem == (
        f"x.csv: has more than {most} runs and measures, with only a few topics each"
    )
    assert hint.startswith("topics belong in rows")


# Regular lines


def test_columns_of_regular_lines() -> None:
    first, second = columns_of(b"a\tb c\nde\tf\n\n\n")
    assert (texts_of(first), texts_of(second)) == ([b"a", b"de"], [b"b c", b"f"])
    first, second = columns_of(b"a #1!,x\nb\t&,+1", ",")  # signs with lower codes than a comma
    assert (texts_of(first), texts_of(second)) == ([b"a #1!", b"b\t&"], [b"x", b"+1"])


@pytest.mark.parametrize(
    "data",
    [b"a\tb\r\n", b"a\rb\tc\n", b"\tb\n", b"a\t\n", b"a\tb\n\nc\td\n", b"a\tb\tc\n", b"a\n",
     b"a\tb\n" + b"c" * 300 + b"\td\n", b"c" * 300 + b"\td\n", b"", b"\n\n"],
)  # fmt: skip
def test_lines_that_are_not_regular(data: bytes) -> None:
    assert regular_columns(data, "\t", 2) is None


def test_no_lines_behind_a_header() -> None:
    for data in (b"head\n", b"head\n\n", b"head\n\n\n"):
        assert regular_columns(data, "\t", 2, start=5) is None


def test_columns_of_megabytes() -> None:
    lines = [b"%d%s\t0.%04d%s\n" % (n, b"x" * 200, n, b"0" * 200) for n in range(21_000)]
    data = b"head\n" + b"".join(lines)
    assert len(data) > 1 << 23
    found = regular_columns(data, "\t", 2, start=5)
    assert found is not None
    some = np.arange(0, len(lines), 1000)
    rows = zip(*(column.texts(some).tolist() for column in found), strict=True)
    assert [b"%s\t%s\n" % row for row in rows] == [lines[place] for place in some]
    assert found[0].ends.size == len(lines)
    assert regular_columns(b"a\tb\n" * (len(data) // 4 + 1), "\t", 2) is None  # too many lines


def test_texts_of_similar_length_are_even() -> None:
    assert column_of("a", "b" * 200).are_even()  # few: whatever they are
    assert column_of(*["a" * 5] * 20_000).are_even()
    assert column_of(*["a" * 250] * 20_000).are_even()
    assert not column_of(*["a"] * 20_000, "b" * 250).are_even()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b" a\tb\n", True), (b" a", True), (b"a b", True), (b"a\tb ", True), (b"a b\tc\n", True),
        (b"a\tb \n", True), (b"a  \tb\n", False), (b"a \tb\n", False), (b"a\tb\n", False),
    ],
)  # fmt: skip
def test_blanks_within_lines(data: bytes, found: bool) -> None:
    assert has_blanks_within(data) is found


def test_blanks_within_megabytes() -> None:
    much = b"a" * (1 << 23)
    assert has_blanks_within(much + b"\tb c\n")
    assert has_blanks_within(b"b c\t" + much)
    assert not has_blanks_within(much + b" \tc\n")


def test_blanks_at_the_ends_of_texts() -> None:
    assert [has_blanks_at_ends(column_of("ab", text)) for text in ("c ", " c", "c d", "cd")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert not has_blanks_at_ends(columns_of(b"a\t b\n")[0])


def test_names_among_texts() -> None:
    names = frozenset({"total", "all", "a1b"})
    found = {
        text: has_any_of(column_of("301", text), names)
        for text in ("total", "Total", "a1b", "ALL", "all", "totals", "x", "301")
    }
    assert {text for text, is_there in found.items() if is_there} == {
        "total",
        "Total",
        "a1b",
        "ALL",
    }


def test_the_lines_of_each_key() -> None:
    for repeats in (10, 40_000):
        keys = np.tile(np.array([5, 3, 9], dtype=np.uint64), repeats)
        groups = equal_keys(keys, 3)
        assert groups is not None
        assert [group.tolist() for group in groups] == [
            [*range(first, 3 * repeats, 3)] for first in range(3)
        ]
        assert equal_keys(keys, 2) is None


def test_different_columns_have_different_keys() -> None:
    numbers = np.random.default_rng(0).permutation(200_000).astype(np.uint64)
    assert np.unique(combined_keys(numbers)).size == numbers.size
    words = np.random.default_rng(1).integers(0, 1 << 63, 200_000).astype(np.uint64)
    assert np.unique(combined_keys(words)).size == words.size
    assert np.unique(combined_keys(numbers % np.uint64(600), numbers // np.uint64(600))).size == (
        numbers.size
    )


def test_names_that_differ_in_single_letters_are_different_names() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"ndcg_c_{a}ndcg_c_{b}" for a in letters for b in letters]
    text = "".join(f"{name}\t{topic}\t0.5\n" for topic, name in enumerate(["map", *names]))
    assert scores(text, "x.eval") == {
        (None, name, str(topic)): 0.5 for topic, name in enumerate(["map", *names])
    }


def test_numbers_are_read_to_the_last_bit_however_many_digits() -> None:
    draw = random.Random(0)
    for width in range(3, 20):
        texts = [f"{draw.choice('0189')}.{draw.randrange(10 ** (width - 2)):0{width - 2}}"
                 for _ in range(300)]  # fmt: skip
        numbers = numbers_in(np.array(texts, dtype=f"S{width}"))
        assert numbers is not None
        assert numbers.tolist() == [*map(float, texts)], width


@pytest.mark.parametrize("text", ["0.5:1", "0.1/2", "1_0.5", "nan", "inf", "0.5.1", "x"])
def test_no_numbers(text: str) -> None:
    assert numbers_in(np.array(["0.125"[: len(text)], text], dtype="S")) is None
    problem = refused(f"map\t1\t0.5\nmap\t2\t{text}\n", "x.eval")[0]
    assert problem.startswith("x.eval:2: the value of 'map' is not ")
    assert problem.endswith(f": '{text}'")


# What only the slow way reads or refuses


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u3000", "\u2028", "\x85"])
def test_a_wide_blank_separates_words(blank: str) -> None:
    problem = refused(f"map\t1\t0.5\nmap\t2{blank}0\t0.5\n", "x.eval")[0]
    assert problem.startswith("x.eval:2: 3 fields are needed (measure, topic, value), not 4")


LONG = "run,topic,measure,score\n"


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        (f"{LONG}a,1,map,0.5\na,\t,map,0.5\n", "x.csv", "x.csv:3: the topic is empty"),
        ("map\t1 \t0.5\nmap\t1\t0.5\n", "x.eval",
         "x.eval:2: a second row for topic '1' and 'map'; the first is line 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_regular_lines(text: str, name: str, problem: str) -> None:
    assert refused(text, name)[0] == problem


@pytest.mark.parametrize("padded", ["all", "all ", "all   "])
def test_a_padded_topic_of_means_is_known(padded: str) -> None:
    _, reading = read(f"map\t1\t0.5\nmap\t2\t0.25\nmap\t{padded}\t0.375\n", "x.eval")
    (series,) = reading.series
    assert not reading.lacks_summary
    assert (series.summary, [*series.topics]) == ("0.375", ["1", "2"])


def test_a_description_of_six_words_is_no_line_of_a_run() -> None:
    text = b"<SYSDESC>BM25 with k1 = 0.9 </SYSDESC>\n1 Q0 d1 1 0.5 x\n1 Q0 d2 2 0.25 x\n"
    run = read_run(Source("x.run", text))
    assert run.rankings == {"1": {"d1": 0.5, "d2": 0.25}}
    assert [*run.tags] == ["x"]
