"""Small tables whose columns are easily mistaken: what is read, or said, is compared in full."""

import json
from collections.abc import Callable

import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs import read_content
from confint_cli.inputs.memory import read_object
from confint_cli.inputs.source import Source
from tests.inputs.test_all_formats import EVERYTHING
from tests.inputs.test_tables import read, refused, scores, told

_MANY = 60  # rows, more than those by which columns are known


def lines(row: Callable[[int], str], start: int, stop: int) -> str:
    return "".join(f"{row(number)}\n" for number in range(start, stop))


def topics(text: str, name: str = "x.csv") -> list[str]:
    """Return the topics, which all series share."""
    every = {tuple(series.topics) for series in read(text, name)[1].series}
    assert len(every) == 1
    return [*every.pop()]


# What far rows say


def test_a_mean_far_down_is_no_row_number_and_no_topic() -> None:
    text = ",a,b\n" + lines(lambda n: f"{n},0.{n + 10},0.5", 0, _MANY) + "mean,0.395,0.5\n"
    reading = read(text)[1]
    assert reading.counted
    assert [series.summary for series in reading.series] == ["0.395", "0.5"]
    assert topics(text) == [*map(str, range(_MANY))]


def test_a_mean_far_down_does_not_hide_the_topics() -> None:
    rows = lines(lambda n: f"{n},0.{n},0.5", 301, 301 + _MANY)
    text = f"i,a,b\n{rows}Mean,0.3,0.5\n"
    assert topics(text) == [*map(str, range(301, 301 + _MANY))]
    assert [series.summary for series in read(text)[1].series] == ["0.3", "0.5"]
    assert refused(f"i,a,b\n{rows}q,0.3,0.5\n") == (
        f"x.csv:{_MANY + 2}: the value of 'i' is not a number: 'q'", ""
    )  # fmt: skip


def test_a_column_is_known_by_its_first_rows() -> None:
    text = "qid,a,b\n" + lines(lambda n: f"{n},0.5,0.25", 0, 50)
    text += lines(lambda n: f"{n},what,0.25", 50, 120)
    assert refused(text) == ("x.csv:52: the value of 'a' is not a number: 'what'", "")


def test_numbers_far_down_show_that_a_column_names_groups() -> None:
    beginning = "qid,a,session\n" + lines(lambda n: f"{n},0.5,{n % 2}", 0, 50)
    reading = read(beginning + lines(lambda n: f"{n},0.5,2", 50, _MANY))[1]
    assert [series.run for series in reading.series] == ["a"]
    assert reading.groups is not None
    assert reading.groups.by_topic["", "59"] == "2"
    also_binary = read(beginning + lines(lambda n: f"{n},0.5,1", 50, _MANY))[1]
    assert [series.run for series in also_binary.series] == ["a", "session"]
    assert also_binary.groups is None


def test_a_wide_table_is_known_by_fewer_rows() -> None:
    names = [f"r{number}" for number in range(200)]
    text = ",".join(["qid", *names]) + "\n" + lines(lambda n: f"{n}" + ",0.5" * 200, 0, 30)
    assert [series.run for series in read(text)[1].series] == names


# Rows that are shorter, or blank in front


def test_a_short_row_is_told_whichever_column_holds_the_topics() -> None:
    problem = ("x.csv:4: 3 columns are needed, not 1: '303'", "")
    for topic in ("qid", "i"):
        assert refused(f"{topic},a,b\n301,0.5,0.25\n302,0.1,0.2\n303\n") == problem
    last = "a,b,i\n0.5,0.25,301\n0.1,0.2,302\n0.3\n"
    assert refused(last) == ("x.csv:4: 3 columns are needed, not 1: '0.3'", "")


def test_a_blank_first_column_without_a_name_holds_no_topics() -> None:
    assert refused(",a,b\n,0.5,0.25\n,0.1,0.2\n") == ("x.csv:2: the topic is empty", "")
    assert topics(",qid,a,b\n,301,0.5,0.25\n,302,0.1,0.2\n") == ["301", "302"]


def test_row_numbers_of_r_are_no_part_of_the_run() -> None:
    text = "run\ttopic\tAP\n1\tbm25\t301\t0.5\n2\tbm25\t302\t0.25\n"
    assert scores(text) == {("bm25", "AP", "301"): 0.5, ("bm25", "AP", "302"): 0.25}


# Whether the first line is a header


@pytest.mark.parametrize(
    ("text", "runs", "expected"),
    [
        ("what,bm25,7\nwho,0.5,0.25\nwhy,0.1,0.2\n", ["bm25", "7"], ["who", "why"]),
        ("x1,7,8\n301,0.5,0.25\n302,0.1,0.2\n", ["7", "8"], ["301", "302"]),
        ("what,7,8\n301,0.5,0.25\n302,0.1,0.2\n", ["7", "8"], ["301", "302"]),
    ],
)
def test_whole_numbers_in_a_header_are_runs(
    text: str, runs: list[str], expected: list[str]
) -> None:
    assert [series.run for series in read(text)[1].series] == runs
    assert topics(text) == expected


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        (
            "0.5,0.25,0.1\n0.1,0.2,0.3\n",
            "has no header",
            "the first line of a table names its columns; a matrix of numbers only has blanks or "
            "tabs between them",
        ),
        (
            "what,7,8\nq1,0.5,0.25\nq2,0.1,0.2\n",
            "may have topics in its rows ('q1') and runs in its columns ('7'), or the other way "
            "round",
            "call the first column 'topic' if it holds topics, or transpose the table",
        ),
        (
            "what,7,8\nwho,0.5,0.25\nwhy,0.1,0.2\n",
            "the first line may be a header, or the scores of topic 'what'",
            "if it is a header, call the first column 'topic'; if it is not, add a header",
        ),
        (
            ",a,b\nq1,x,y\nq2,x,z\n",
            "has no per-topic scores",
            "columns 'a', 'b' hold no numbers",
        ),
        (",a\nq1,x\nq2,z\n", "has no per-topic scores", "column 'a' holds no numbers"),
        (
            ",,a\nq1,z,x\nq2,u,v\n",
            "is not in a known format: it looks like a table with columns '', '', 'a', but no "
            "column holds numbers",
            "the first line of a table names its columns",
        ),
    ],
)
def test_a_table_without_scores_or_a_clear_header(text: str, problem: str, hint: str) -> None:
    assert refused(text) == (f"x.csv: {problem}", hint)


# Means, factors


FACTORS = (
    "x.csv: holds factors to standardise by, not per-topic scores",
    "use them with --standardize FILE, or with 'confint standardize --factors FILE'",
)
MEANS = ("x.csv: holds means of runs, not per-topic scores", "'confint summary' reads such a table")
NO_MEASURE = ("x.csv:1: the header needs columns for run, topic and at least one measure", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("topic,mean,sd,runs\n301,0.5,0.1,4\n302,0.3,0.1,4\n", FACTORS),
        ("topic,measure,mean,sd,runs\n301,AP,0.5,0.1,4\n302,AP,0.3,0.1,4\n", FACTORS),
        ("run,mean,sd\na,0.5,0.1\nb,0.3,0.1\n", MEANS),
        ("run,topic,mean,sd\na,301,0.5,0.1\na,302,0.3,0.1\n", NO_MEASURE),
        ("run,query,mean,sd\na,301,0.5,0.1\na,302,0.3,0.1\n", NO_MEASURE),
    ],
)
def test_tables_of_means_and_factors_are_no_scores(text: str, expected: tuple[str, str]) -> None:
    assert refused(text) == expected


@pytest.mark.parametrize("lacking", ["mean", "sd", "runs"])
def test_without_one_of_their_columns_a_table_holds_no_factors(lacking: str) -> None:
    names = [{lacking: "a"}.get(name, name) for name in ("mean", "sd", "runs")]
    text = ",".join(["topic", *names]) + "\n301,0.5,0.1,0.25\n302,0.3,0.2,0.75\n"
    assert {topic for _, _, topic in scores(text)} == {"301", "302"}


# Which column holds the topics


SEVERAL = "call the column that holds the topics 'topic'"
NO_TOPICS = (
    "if a column holds topics, call it 'topic'; means of runs are not per-topic scores; if the "
    "columns are topics, transpose the table"
)
TWO_TABLES = "are these two tables side by side? save them as two files"


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        (
            ",i,j,a\n0,301,9,0.5\n1,302,8,0.25\n",
            "topics may be in column 'i' or 'j'",
            SEVERAL,
        ),
        (
            "i,j,k,l,a\n301,9,5,11,0.5\n302,8,6,12,0.25\n",
            "topics may be in column 'i' or 'j' or 'k'",
            SEVERAL,
        ),
        (
            "what,run,score\n7,a,0.5\n8,b,0.25\n",
            "column 'run' holds runs, but no column holds topics",
            NO_TOPICS,
        ),
        (
            ",run,score\n0,a,0.5\n1,b,0.25\n",
            "column 'run' holds runs, but no column holds topics",
            NO_TOPICS,
        ),
        ("what,measure,score\n7,AP,0.5\n8,AP,0.25\n", "no column holds topics", NO_TOPICS),
        (
            "qid,a,topic,b\n3,0.5,1,0.25\n1,0.1,2,0.2\n2,0.3,3,0.4\n",
            "columns 1 ('qid') and 3 ('topic') both hold topics, but not the same",
            TWO_TABLES,
        ),
        (
            "qid,a,id,b\n3,0.5,3,0.25\n1,0.1,2,0.2\n2,0.3,1,0.4\n",
            "columns 1 ('qid') and 3 ('id') both hold topics, but not the same",
            TWO_TABLES,
        ),
    ],
)
def test_a_table_without_a_clear_column_of_topics(text: str, problem: str, hint: str) -> None:
    assert refused(text) == (f"x.csv: {problem}", hint)


def test_an_id_that_counts_rows_is_left_out() -> None:
    text = "qid,a,id,b\n3,0.5,1,0.25\n1,0.1,2,0.2\n2,0.3,3,0.4\n"
    assert topics(text) == ["3", "1", "2"]
    assert told(text)[0].startswith("column 'id' is left out; ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i,a,b\n0,0.5,0.125\n1,0.25,1\n", ["0", "1"]),
        ("title,a,b\n301,0.5,0.125\n302,0.25,1\n", ["301", "302"]),
    ],
)
def test_different_whole_numbers_in_the_first_column_are_topics(
    text: str, expected: list[str]
) -> None:
    assert topics(text) == expected
    assert {run for run, _, _ in scores(text)} == {"a", "b"}


def test_texts_in_the_first_column_are_topics_even_if_one_comes_again() -> None:
    assert refused("what,a,b\nq1,0.5,0.125\nq1,0.25,1\n", "AP.csv") == (
        "AP.csv:3: a second row for topic 'q1' and 'AP' of run 'a'; the first is line 2", ""
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "needs"),
    [
        ("long", "topic, score, and run or measure"),
        ("ndeval", "run and topic, and one column for each measure"),
    ],
)
def test_a_table_of_another_kind_than_told(kind: str, needs: str) -> None:
    source = Source("x.csv", b"qid,a,b\n301,0.5,0.25\n302,0.1,0.2\n")
    with pytest.raises(DataError) as caught:
        read_content(source, EVERYTHING, kind)
    assert str(caught.value) == f"x.csv: is not a table with columns for {needs}"
    assert caught.value.hint == ""


# Columns that are lists of values, as JSON has them


@pytest.mark.parametrize(
    "table",
    [
        [{"qid": 301.0, "AP": 1}, {"qid": 302.0, "AP": "0.25"}],
        {"qid": [301.0, 302.0], "AP": [1, "0.25"]},
    ],
)
def test_ids_that_are_floats_are_whole_beside_texts_too(table: object) -> None:
    assert scores(json.dumps(table), "x.json") == {
        (None, "AP", "301"): 1.0, (None, "AP", "302"): 0.25
    }  # fmt: skip


def test_runs_that_are_floats_are_whole() -> None:
    columns: dict[str, list[float]] = {
        "qid": [301, 302, 301, 302],
        "run": [1.0, 1.0, 2.0, 2.0],
        "score": [0.5, 0.25, 1, 0.125],
    }
    expected = {("1", "x", "301"): 0.5, ("1", "x", "302"): 0.25,
                ("2", "x", "301"): 1.0, ("2", "x", "302"): 0.125}  # fmt: skip
    assert scores(json.dumps(columns), "x.json") == expected
    places = range(len(columns["qid"]))
    rows = [{name: cells[place] for name, cells in columns.items()} for place in places]
    assert scores(json.dumps(rows), "x.json") == expected


def test_a_null_among_numbers_is_no_topic() -> None:
    rows = [{"qid": qid, "AP": 0.25} for qid in (301, 302, 303, None)]
    assert refused(json.dumps(rows), "x.json") == ("x.json, row 3: the topic is empty", "")


def test_a_null_among_numbers_is_a_repeat_of_its_own() -> None:
    rows = [
        {"qid": qid, "seed": seed, "run": "a", "score": score}
        for qid, seed, score in [
            (301, 7, 0.5), (301, 8, 0.25), (301, None, 0.125),
            (302, 7, 1), (302, 8, 0.75), (302, None, 0),
        ]
    ]  # fmt: skip
    reading = read(json.dumps(rows), "x.json")[1]
    by_repeat = {series.labels.repeat: series.values.tolist() for series in reading.series}
    assert by_repeat == {"7": [0.5, 1], "8": [0.25, 0.75], "": [0.125, 0]}
    assert topics(json.dumps(rows), "x.json") == ["301", "302"]


def test_a_number_beyond_all_floats_is_told() -> None:
    with pytest.raises(DataError) as caught:
        read_object({"a": {"q1": {"AP": 10**400}, "q2": {"AP": 1}}}, EVERYTHING)
    assert str(caught.value) == (
        "the dict, run 'a', topic 'q1', measure 'AP': the value of 'AP' is not finite: "
        f"'1{'0' * 58}…'"
    )
