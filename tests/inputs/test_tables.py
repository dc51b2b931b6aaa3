"""Tables as people save them: read by what their columns hold, or refused with both readings."""

from pathlib import Path

import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs import find_format, read_scores
from confint_cli.inputs.formats import formats
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.source import Source
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING

Scores = dict[tuple[str | None, str, str], float]
GAPS = Reader(lambda names: names, gaps=True)


def read(text: str, name: str = "x.csv", reader: Reader = EVERYTHING):
    source = Source(name, text.encode())
    found = find_format(source, reader)
    return found, formats()[found].read(source, reader)


def scores(text: str, name: str = "x.csv", reader: Reader = EVERYTHING) -> Scores:
    """Return every score by run, measure and topic."""
    return {
        (series.run, series.measure, topic): value
        for series in read(text, name, reader)[1].series
        for topic, value in zip(series.topics, series.values.tolist(), strict=True)
    }


def told(text: str, name: str = "x.csv", reader: Reader = EVERYTHING) -> list[str]:
    return [notice.text for notice in read(text, name, reader)[1].notices]


def refused(text: str, name: str = "x.csv", reader: Reader = EVERYTHING) -> tuple[str, str]:
    """Return the problem and the hint."""
    with pytest.raises(DataError) as caught:
        read(text, name, reader)
    return str(caught.value), caught.value.hint


TWO_RUNS = {("a", "x", "301"): 0.5, ("a", "x", "302"): 0.25,
            ("b", "x", "301"): 0.125, ("b", "x", "302"): 1.0}  # fmt: skip
RUNS = "columns 'a', 'b' are read as runs; if they are measures, use --input-format per_query"


# Row numbers


@pytest.mark.parametrize(
    "text",
    [
        ",qid,a,b\n0,301,0.5,0.125\n1,302,0.25,1\n",
        ",qid,a,b\n1,301,0.5,0.125\n2,302,0.25,1\n",
        ",qid,a,b\n17,301,0.5,0.125\n3,302,0.25,1\n",  # sorted since
        '"","qid","a","b"\n"1","301",0.5,0.125\n"2","302",0.25,1\n',
        "qid\ta\tb\n1\t301\t0.5\t0.125\n2\t302\t0.25\t1\n",  # R's write.table: no corner
        ",Unnamed: 0,qid,a,b\n0,0,301,0.5,0.125\n1,1,302,0.25,1\n",  # saved twice
        "index,qid,a,b\n1,301,0.5,0.125\n0,302,0.25,1\n",
        "row,a,topic,b\n1,0.5,301,0.125\n2,0.25,302,1\n",
        "qid,a,b\n301,0.5,0.125\n302,0.25,1\n",
    ],
)
def test_row_numbers_are_no_topics_and_no_run(text: str) -> None:
    assert scores(text) == TWO_RUNS
    assert RUNS in " ".join(told(text))


def test_row_numbers_that_may_be_ids_are_told_to_everybody(
    tmp_path: Path, confint: Confint
) -> None:
    path = tmp_path / "AP.csv"
    path.write_text(",query,a\n301,what?,0.5\n302,why?,0.25\n")
    said = f"confint: note: {path}: row numbers are left out: column '1, which has no name'\n"
    assert confint("score", path).err == said


def test_row_numbers_that_are_left_out_are_told_to_those_who_ask(
    tmp_path: Path, confint: Confint
) -> None:
    path = tmp_path / "AP.csv"
    path.write_text(",qid,a,b\n0,301,0.5,0.125\n1,302,0.25,1\n")
    assert confint("score", path).err == ""
    said = f"confint: note: {path}: row numbers are left out: column '1, which has no name'\n"
    assert confint("score", path, "-v").err == said


def test_a_column_of_different_texts_or_numbers_is_topics_beside_row_numbers() -> None:
    assert scores(",nr,a,b\n0,301,0.5,0.125\n1,302,0.25,1\n") == TWO_RUNS
    text = ",what,a,b\n0,who?,0.5,0.125\n1,why?,0.25,1\n"
    assert {topic for _, _, topic in scores(text)} == {"who?", "why?"}
    assert told(text)[0] == f"column 'what' is read as topics; {RUNS}"


def test_a_column_that_counts_and_has_no_name_is_topics_if_there_are_no_others() -> None:
    text = ",a,b\n0001,0.5,0.125\n0002,0.25,1\n"
    assert {topic for _, _, topic in scores(text)} == {"0001", "0002"}
    assert told(text) == [f"column 1, which has no name, is read as topics; {RUNS}"]
    assert not read(text)[1].counted  # as in NTCIR's tables: ids
    assert read(",a,b\n0,0.5,0.125\n1,0.25,1\n")[1].counted


@pytest.mark.parametrize(
    "text",
    [",a\n0,0.5\n1,0.25\n2,0.125\n", ",a\n1,0.5\n2,0.25\n3,0.125\n", "0,0.5\n1,0.25\n2,0.125\n"],
)
def test_files_are_not_joined_by_row_number(text: str, tmp_path: Path, confint: Confint) -> None:
    paths = [tmp_path / f"{name}.csv" for name in ("one", "two")]
    for path in paths:
        path.write_text(text)
    assert confint("score", paths[0]).status == 0
    result = confint("score", *paths)
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "confint: topics cannot be joined by row number, and 2 files have no other topics: "
        f"{paths[0]}, {paths[1]}\n  hint: if the column with 0, 1, 2 or 1, 2, 3 holds "
        "topics, call it 'topic' in a header\n"
    )
    other = tmp_path / "three.csv"
    other.write_text("topic,b\n1,0.5\n2,0.25\n")
    assert "and 1 file has no other topics" in confint("score", paths[0], other).err
    zeros = ",a\n0001,0.5\n0002,0.25\n"
    for path, run in zip(paths, "ab", strict=True):
        path.write_text(zeros.replace("a", run))
    assert confint("score", *paths, "--measure-name", "AP").status == 0


def test_measures_without_topics_are_not_joined_by_row(tmp_path: Path, confint: Confint) -> None:
    for name in ("gpt", "llama"):
        (tmp_path / f"{name}.csv").write_text("faithfulness,answer_relevancy\n0.5,0.25\n0.3,0.9\n")
    assert confint("score", tmp_path / "gpt.csv").status == 0
    result = confint("score", tmp_path / "gpt.csv", tmp_path / "llama.csv")
    assert "topics cannot be joined by row number" in result.err


# Which column names topics, which runs


def test_topics_go_by_the_first_of_their_names() -> None:
    names = ["qid", "query_id", "topic", "topic_id", "query", "question_id", "id"]
    for place, name in enumerate(names):
        others = names[place + 1 :]
        header = ",".join([*reversed(others), "a", name])
        rows = [",".join([*(["9"] * len(others)), "0.5", topic]) for topic in ("301", "302")]
        text = "\n".join([header, *rows, ""])
        assert {topic for _, _, topic in scores(text)} == {"301", "302"}, name
        assert all(run == "a" for run, _, _ in scores(text)), "a column of ids is no run"


def test_runs_go_by_the_first_of_their_names_and_method_last() -> None:
    names = ["run", "runid", "system", "name", "model", "method"]
    for place, name in enumerate(names):
        others = names[place + 1 :]
        header = ",".join([*reversed(others), "qid", "value", name])
        text = f"{header}\n" + "".join(
            ",".join([*(["x"] * len(others)), "301", "0.5", run]) + "\n" for run in ("a", "b")
        )
        assert scores(text) == {("a", "x", "301"): 0.5, ("b", "x", "301"): 0.5}, name


def test_a_run_may_be_called_run_or_model() -> None:
    assert scores("topic,base,run\n301,0.5,0.25\n302,0.1,0.2\n").keys() == {
        (run, "x", topic) for run in ("base", "run") for topic in ("301", "302")
    }
    assert {run for run, _, _ in scores("qid,base,model\n301,0,1\n302,1,0\n")} == {"base", "model"}


def test_systems_by_measures_in_any_order_with_row_numbers_and_texts() -> None:
    text = ",AP,note,qid,name,P@10\n0,0.5,x,301,bm25,0.25\n1,0.125,y,301,dense,1\n"
    assert read(text)[0] == "ndeval"
    assert scores(text) == {
        ("bm25", "AP", "301"): 0.5, ("bm25", "P@10", "301"): 0.25,
        ("dense", "AP", "301"): 0.125, ("dense", "P@10", "301"): 1.0,
    }  # fmt: skip
    assert told(text)[0] == "column 'note' is left out"
    assert not read(text)[1].lacks_summary


# Runs or measures


def test_metrics_of_rag_tools_are_measures_and_texts_are_left_out() -> None:
    text = (
        'question_id,question,answer,faithfulness,my_own\nq0,"What, ""x""?",7,0.5,0.25\n'
        'q1,"two\nlines",8,1,0\n'
    )
    assert scores(text) == {
        (None, "faithfulness", "q0"): 0.5, (None, "faithfulness", "q1"): 1.0,
        (None, "my_own", "q0"): 0.25, (None, "my_own", "q1"): 0.0,
    }  # fmt: skip
    assert told(text) == [
        "columns 'question', 'answer' are left out; columns 'faithfulness', 'my_own' are "
        "read as measures; if they are runs, use --input-format topic_by_run"
    ]


@pytest.mark.parametrize(
    ("header", "name", "kind", "is_told"),
    [
        ("qid,bm25,dense", "x.csv", "topic_by_run", True),
        ("topic,bm25,dense", "x.csv", "topic_by_run", True),
        ("qid,bm25,dense", "AP.csv", "topic_by_run", False),
        ("qid,bm25,dense", "nDCG@10.csv", "topic_by_run", False),
        ("qid,AP,P@10", "x.csv", "per_query", False),
        ("qid,ndcg_at_10,mrr@10", "x.csv", "per_query", False),
        ("qid,AP,my_own", "x.csv", "per_query", True),
        ("qid,AP,dense", "nDCG@10.csv", "topic_by_run", True),
        ("qid,AP,P@10", "map.csv", "per_query", True),
        ("qid,F,G", "x.csv", "topic_by_run", True),
        ("qid,P1,P2", "x.csv", "topic_by_run", True),
        ("qid,P5,P10", "x.csv", "per_query", True),
        ("qid,faithfulness,context_recall", "x.csv", "per_query", True),
        ("qid,faithfulness,context_recall", "faithfulness.csv", "per_query", True),
    ],
)
def test_columns_are_runs_or_measures(header: str, name: str, kind: str, is_told: bool) -> None:
    text = f"{header}\n301,0.5,0.25\n302,0.125,1\n"
    assert read(text, name)[0] == kind
    other = {"topic_by_run": "per_query", "per_query": "topic_by_run"}[kind]
    said = " ".join(told(text, name))
    assert (f"--input-format {other}" in said) is is_told


def test_options_that_name_a_column_or_the_file_settle_it() -> None:
    rag = "qid,faithfulness,my_own\n301,0.5,0.25\n302,0.125,1\n"
    by_run = Reader(lambda names: names, named_runs=["my_own"])
    assert read(rag, reader=by_run)[0] == "topic_by_run"
    assert told(rag, reader=by_run) == []
    plain = "qid,a,b\n301,0.5,0.25\n302,0.125,1\n"
    for reader in (
        Reader(lambda names: names, named_runs=["x"]),
        Reader(lambda names: names, requested=["a"]),
    ):
        assert read(plain, reader=reader)[0] == "per_query"
        assert told(plain, reader=reader) == []
    named = Reader(lambda names: names, measure_name="AP")
    assert read(plain, reader=named)[0] == "topic_by_run"
    assert told(plain, reader=named) == []


def test_baselines_settle_it_on_the_command_line(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "qid,recall,my_own\n" + "".join(f"{t},0.{t},0.{t + 3}\n" for t in range(12, 24))
    )
    result = confint("compare", path, "--baseline", "recall")
    assert (result.status, result.err) == (0, "")
    assert result.rows[0][:3] == ["t", "my_own", "recall"]
    assert confint("interval", path, "-m", "my_own", "--method", "t").rows[0][:2] == ["my_own", "t"]
    asked = confint("score", path, "--input-format", "topic_by_run")
    assert asked.err == ""
    assert {row[0] for row in asked.rows} == {"recall", "my_own"}


def test_what_is_said_of_many_files_is_one_line(tmp_path: Path, confint: Confint) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.csv").write_text(f"qid,{name}-a,b\n301,0.5,0.25\n302,0.125,1\n")
        (tmp_path / f"{name}.csv").write_text("qid,a,b\n301,0.5,0.25\n302,0.125,1\n")
    result = confint("score", tmp_path)
    assert result.status == 0
    assert result.err.splitlines()[0].startswith(
        f"confint: note: 3 files: {RUNS}: {tmp_path}/one.csv, "
    )
    assert len([line for line in result.err.splitlines() if RUNS in line]) == 1


# Without a header


@pytest.mark.parametrize("separator", ["\t", ",", ";", " "])
@pytest.mark.parametrize("topics", [("301", "302"), ("q1", "q2"), ("301", "302a")])
def test_topics_and_scores_without_a_header(separator: str, topics: tuple[str, str]) -> None:
    text = f"{topics[0]}{separator}1\n{topics[1]}{separator}0.25\n"
    assert scores(text) == {(None, "x", topics[0]): 1.0, (None, "x", topics[1]): 0.25}
    said = "there is no header: column 1 is read as topics, column 2 as their scores"
    assert told(text) == [said]


def test_two_columns_of_whole_numbers_may_be_two_runs() -> None:
    problem, hint = refused("301\t5\n302\t7\n303\t1\n")
    assert problem == (
        "x.csv: could be topic_score (topic and score on each line, without a header) or tsmatrix "
        "(numbers only: a line for each topic, a column for each run)"
    )
    assert hint == "choose one with --input-format"
    assert scores("301\t1\n302\t0\n303\t1\n") == {
        (None, "x", "301"): 1.0, (None, "x", "302"): 0.0, (None, "x", "303"): 1.0,
    }  # fmt: skip


def test_a_matrix_whose_first_column_looks_like_topics_is_asked_about(
    tmp_path: Path, confint: Confint
) -> None:
    path = tmp_path / "x.txt"
    path.write_text("301 0.5 0.25\n302 0.125 1\n303 0 0.5\n")
    result = confint("score", path)
    assert result.status == 1
    assert "column 1 may be topics ('301' is one) or the scores of a run" in result.err
    assert "--input-format tsmatrix" in result.err
    assert confint("score", path, "--input-format", "tsmatrix").rows[0][0] == "1"
    path.write_text("1 0.5 0.25\n0 0.125 1\n1 0 0.5\n")  # scores
    assert {row[0] for row in confint("score", path).rows} == {"1", "2", "3"}


def test_means_of_measures_are_no_topics() -> None:
    for text in ("AP\t0.25\nP@10\t0.5\n", "faithfulness,0.5\nanswer_relevancy,0.25\n"):
        assert refused(text)[0] == "x.csv: has only means over all topics"


def test_a_first_line_that_may_be_scores_is_asked_about() -> None:
    problem, hint = refused("q1,0.5,0.25\nq2,0.125,1\n")
    assert problem == "x.csv: the first line may be a header, or the scores of topic 'q1'"
    assert hint == ("if it is a header, call the first column 'topic'; if it is not, add a header")
    assert refused("301,0.5,0.25\n302,0.125,1\n")[0] == "x.csv: has no header"
    assert {run for run, _, _ in scores("i,1,2\n301,0.5,0.25\n302,0.1,1\n")} == {"1", "2"}
    assert {run for run, _, _ in scores("topic,0.1,0.9\nq1,0.5,0.25\nq2,0.1,1\n")} == {"0.1", "0.9"}


# What leaves two readings open


def test_two_columns_of_topics_are_asked_about() -> None:
    problem, hint = refused("a_text,b_text,r\nwho?,x,0.5\nwhy?,y,0.25\n")
    assert problem == "x.csv: topics may be in column 'a_text' or 'b_text'"
    assert hint == "call the column that holds the topics 'topic'"


def test_a_table_that_may_be_turned_round_is_asked_about() -> None:
    problem, hint = refused(",301,302\nbm25,0.5,0.25\ndense,0.125,1\n")
    assert problem == (
        "x.csv: may have topics in its rows ('bm25') and runs in its columns ('301'), or the other "
        "way round"
    )
    assert "call the first column 'topic'" in hint
    text = "topic,301,302\nbm25,0.5,0.25\ndense,0.125,1\n"
    assert {run for run, _, _ in scores(text)} == {"301", "302"}


def test_means_of_runs_are_no_scores_of_topics() -> None:
    for text in ("system,AP,P@10\nbm25,0.5,0.25\ndense,0.1,1\n", "run,score\na,0.5\nb,0.25\n"):
        problem, hint = refused(text)
        assert "holds runs, but no column holds topics" in problem
        assert "transpose the table" in hint


def test_measures_without_scores_and_columns_without_names_are_errors() -> None:
    assert refused("qid,measure,bm25\n301,AP,0.5\n")[0] == (
        "x.csv: has a column 'measure', but no column 'score' or 'value'"
    )
    assert refused("qid,a,,b\n301,0.5,0.25,0.1\n302,0.1,0.2,0.3\n")[0] == (
        "x.csv: column 3 has scores, but no name"
    )
    assert refused(",a\n0.5,0.25\n0.1,0.2\n")[0] == "x.csv: column 1 has scores, but no name"
    assert scores(",a\n301.0,0.5\n") == {("a", "x", "301.0"): 0.5}  # as pandas writes some ids
    assert refused("qid,a,a\n301,0.5,0.25\n")[0] == "x.csv:1: two columns are named 'a'"


def test_columns_that_may_name_runs_or_measures_are_told_of() -> None:
    one = "pipeline,qid,measure,value\nA,1,map,0.2\nA,2,map,0.3\n"
    _, reading = read(one)
    assert [notice.text for notice in reading.notices] == ["column 'pipeline' is left out"]
    two = f"{one}B,1,map,0.5\nB,2,map,0.1\n"
    assert refused(two) == (
        "x.csv:4: a second row for topic '1' and 'map'; the first is line 2",
        "does column 'pipeline' name runs? then call it 'run'",
    )
    _, reading = read("run,qid,what,value\nA,1,map,0.2\nA,2,map,0.3\n")
    assert [notice.text for notice in reading.notices] == ["column 'what' is left out"]
    three = "run,qid,measure,value,text\nA,1,map,0.2,x\nA,2,map,0.3,x\n"  # says nothing
    assert read(three)[1].notices == []


# Blanks, commas, percent signs, means, headers


@pytest.mark.parametrize("gap", ["", "NA", "NaN", "nan", "null", "None", "N/A", "-", " ", "<NA>"])
@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("qid,a,b\n301,0.5,{}\n302,0.25,1\n", "b"),
        ("qid,AP,P@10\n301,0.5,{}\n302,0.25,1\n", "P@10"),
        ("run,qid,AP,P@10\nr,301,0.5,{}\nr,302,0.25,1\n", "P@10"),
        ("run\tqid\tmeasure\tvalue\nr\t301\tAP\t{}\nr\t302\tAP\t0.5\n", "value"),
        ("run\tqid\tscore\nr\t301\t{}\nr\t302\t0.5\n", "score"),
    ],
)
def test_a_blank_is_an_error_that_names_the_column_or_a_missing_topic(
    gap: str, text: str, column: str
) -> None:
    text = text.format(gap)
    problem, hint = refused(text)
    shown = f"'{gap.strip()}' instead of a score" if gap.strip() else "no score"
    of_measure = ", measure 'AP'" if "measure" in text else ""
    of_run = ", run 'r'" if column in ("value", "score") else ""
    assert problem == f"x.csv:2: column '{column}' has {shown} for topic '301'{of_measure}{of_run}"
    assert "--missing zero" in hint
    found = scores(text, reader=GAPS)
    named = "AP" if column == "value" else column
    assert not [key for key in found if key[2] == "301" and named in key]
    assert [series.gaps for series in read(text, reader=GAPS)[1].series if series.gaps] == [["301"]]


def test_missing_says_what_becomes_of_blanks(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "AP.csv"
    path.write_text("qid,a,b\n1,0.5,0.25\n2,,\n3,NA,0.5\n4,1,0.75\n")
    assert confint("score", path).status == 1

    def means(*options: str) -> dict[str, tuple[str, str]]:
        rows = confint("interval", path, "--method", "t", *options).rows
        return {row[1]: (row[4], row[5]) for row in rows}

    assert means("--missing", "zero") == {"a": ("4", "0.3750"), "b": ("4", "0.3750")}
    assert means("--missing", "drop") == {"a": ("2", "0.7500"), "b": ("2", "0.5000")}
    refusal = confint("interval", path, "--missing", "error")
    assert refusal.status == 1
    assert "a lacks 2, b lacks 1" in refusal.err


def test_columns_of_nothing_but_blanks() -> None:
    assert told("qid,a,b\n301,0.5,\n302,0.25,\n", "AP.csv", GAPS) == [
        "left out, as there is no score at all: b"
    ]
    systems = "run,qid,AP,P@10\na,301,0.5,\n"
    assert told(systems, reader=GAPS) == ["left out, as there is no score at all: P@10 of a"]
    assert read(systems, reader=GAPS)[1].measures == ["AP"]
    assert refused("qid,a\n301,\n302,\n", reader=GAPS)[0] == (
        "x.csv: has no per-topic scores, only blanks"
    )
    assert scores("qid,a,b,,\n301,0.5,0.125,,\n302,0.25,1,,\n,,,,\n") == TWO_RUNS


def test_decimal_commas_and_percent_signs() -> None:
    assert scores("qid;a;b\n301;0,5;0,125\n302;0,25;1\n") == TWO_RUNS
    assert scores("qid\ta\tb\n301\t5E-1\t0,125\n302\t,25\t1\n") == TWO_RUNS
    percent = "qid;a;b\n301;50 %;12,5\u00a0%\n302;25%;100 %\n"
    assert scores(percent) == TWO_RUNS
    assert "percentages are read as fractions of 1: '50 %'" in told(percent)
    assert scores("qid,a,b\n301,50%,12.5%\n302,25%,100%\n") == TWO_RUNS
    assert scores("sep=;\nqid;a, c\n301;0,5\n") == {("a, c", "x", "301"): 0.5}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("qid;a;b\n301;0,5;0.25\n",
         "x.csv:2: the value of 'b' has a decimal point, but there are decimal commas above: "
         "'0.25'"),
        ("qid;a;b\n301;0.5;0,25\n",
         "x.csv:2: the value of 'b' has a decimal comma, but there are decimal points above: "
         "'0,25'"),
        ("qid,a,b\n301,50%,0.25\n",
         "x.csv:2: the value of 'b' has no percent sign, but there are numbers with one above: "
         "'0.25'"),
        ("qid;AP;P@10\n301;0,5;0.25\n",
         "x.csv: some columns have decimal commas, and others decimal points"),
        ("qid;AP;P@10\n301;50 %;0,25\n",
         "x.csv: some columns have percent signs, and others have none"),
        ("qid;a;b\n301;1,234;3\n302;2,345;4\n",
         "x.csv: '1,234' may be 1.234 or 1234, and so may all other numbers with a comma"),
        ('qid,a\n301,"0,5"\n302,"0,25"\n303,0.1\n',
         "x.csv:4: the value of 'a' has a decimal point, but there are decimal commas above: "
         "'0.1'"),
    ],
)  # fmt: skip
def test_numbers_that_are_written_in_two_ways_are_refused(text: str, problem: str | None) -> None:
    found = refused(text)[0]
    assert problem is None or found == problem


@pytest.mark.parametrize("name", ["all", "mean", "Mean", "AVERAGE", "Avg", "overall", "amean"])
def test_a_row_of_means_is_no_topic_however_it_is_called(name: str) -> None:
    assert scores(f"qid,a,b\n301,0.5,0.125\n302,0.25,1\n{name},0.375,0.5625\n") == TWO_RUNS
    (series, _) = read(f"qid,AP,P@10\n301,0.5,0.125\n{name},0.5,0.125\n")[1].series
    assert (list(series.topics), series.summary) == (["301"], "0.5")


def test_a_header_that_comes_again_is_skipped_and_another_is_an_error() -> None:
    text = "runid,topic,AP\na,301,0.5\na,302,0.25\nrunid,topic,AP\nb,301,0.125\nb,302,1\n"
    expected = {(run, "AP", topic): value for (run, _, topic), value in TWO_RUNS.items()}
    assert scores(text) == expected
    long = text.replace("AP", "score")
    assert scores(long) == TWO_RUNS
    with_measure = "run\ttopic\tmeasure\tscore\n"
    rows = [f"{run}\t{topic}\tAP\t{value}\n" for (run, _, topic), value in TWO_RUNS.items()]
    assert scores(with_measure + "".join(rows[:2]) + with_measure + "".join(rows[2:])) == expected
    assert "the value of 'AP' is not a number: 'P@10'" in refused(
        text.replace("runid,topic,AP\nb", "runid,topic,P@10\nb")
    )[0]  # fmt: skip


def test_a_topic_that_comes_twice_is_told_what_is_missing() -> None:
    problem, hint = refused("qid,AP\n301,0.5\n302,0.25\nqid,AP\n301,0.125\n")
    assert problem == "x.csv:5: a second row for topic '301' and 'AP'; the first is line 2"
    assert hint == "several runs in one table need a column that names them, such as 'run'"


def test_rows_with_a_separator_at_their_ends() -> None:
    assert scores("qid,a,b\n301,0.5,0.125,\n302,0.25,1,\n") == TWO_RUNS


# What a hostile trial found


def test_rows_of_totals_are_no_topics_among_numbers_and_are_told() -> None:
    text = "qid,a,b\n301,0.5,0.125\n302,0.25,1\nTotal,0.75,1.125\nstd,0.1,0.2\n"
    assert scores(text) == TWO_RUNS
    said = "rows 'Total', 'std' are left out: all other topics have digits in their ids"
    assert said in told(text)
    words = "qid,a\nmedian,0.5\nmode,0.25\n"
    assert {topic for _, _, topic in scores(words)} == {"median", "mode"}
    assert scores("qid,AP\n301,0.5\nmax,0.5\n") == {(None, "AP", "301"): 0.5}


def test_columns_of_totals_are_no_runs() -> None:
    text = "qid,a,b,Grand Total\n301,0.5,0.125,0.3\n302,0.25,1,0.6\nGrand Total,0.4,0.5,0.45\n"
    assert scores(text) == TWO_RUNS
    assert told(text)[0] == f"column 'Grand Total' is left out; {RUNS}"


@pytest.mark.parametrize("name", ["mean", "Mean", "ALL", "average"])
def test_rows_of_means_are_no_topics_of_long_tables(name: str) -> None:
    rows = f"a\t301\tAP\t0.5\na\t302\tAP\t0.25\na\t{name}\tAP\t0.375\n"
    header = "run\tqid\tmeasure\tscore\n"
    for text in (header + rows, header + rows.replace("a\t301", '"a"\t301')):
        (series,) = read(text)[1].series
        assert (list(series.topics), series.summary) == (["301", "302"], "0.375")


@pytest.mark.parametrize(
    "text",
    [
        "301\t0.5\n301\t0.6\n302\t0.7\n",
        "301 0.1\n302 0.3\n301 0.2\n302 0.5\n",
        "301.0\t0.5\n302.0\t0.6\n303.0\t0.7\n",
        "3.01e+02 5e-01\n3.02e+02 2.5e-01\n",
        "0.5\t301\n0.7\t302\n",
        "301\t1\t0.5\n302\t1\t0.6\n301\t2\t0.7\n",
    ],
)
def test_a_column_of_ids_is_no_run_of_a_matrix(text: str) -> None:
    problem, hint = refused(text)
    assert "may be topics" in problem
    assert "--input-format tsmatrix" in hint


def test_numbers_of_columns_are_no_scores_of_a_matrix() -> None:
    problem, _ = refused("0\t1\t2\n0.1\t0.2\t0.3\n0.4\t0.5\t0.6\n")
    assert "the first line may be the numbers of the columns" in problem
    assert len(read("0\t1\n0.1\t0.2\n")[1].series) == 2


def test_runs_in_place_of_measures_are_told(tmp_path: Path, confint: Confint) -> None:
    for text in ("bm25\t301\t0.5\nbm25\t302\t0.6\nbm24\t301\t0.7\nbm24\t302\t0.1\n",
                 "301\tbm25\t0.5\n302\tbm25\t0.6\n301\tbm24\t0.7\n302\tbm24\t0.1\n"):  # fmt: skip
        path = tmp_path / "x.tsv"
        path.write_text(text)
        result = confint("score", path)
        assert "'bm25', 'bm24' are unknown measures; if these are runs, give the " in (result.err)
    greped = "a.eval:map\t301\t0.1\nb.eval:map\t301\t0.2\na.eval:map\tall\t0.1\n"
    assert refused(greped)[0] == (
        "x.csv: measures such as 'a.eval:map' have the name of a file before them"
    )


@pytest.mark.parametrize(
    "header", ["qid,a,,qid,b", "qid,a,,query_id,b", "qid,a,,qid.1,b", "Query ID,a,,Topic,b"]
)
def test_two_tables_side_by_side_are_not_joined_by_row(header: str) -> None:
    problem, hint = refused(f"{header}\n301,0.1,,302,0.2\n302,0.1,,301,0.3\n")
    assert "both hold topics, but not the same" in problem
    assert "side by side" in hint
    same = scores(f"{header}\n301,0.1,,301,0.2\n302,0.1,,302,0.3\n")
    assert same["b", "x", "302"] == 0.3
    rows = [f"{topic},0.1,,{topic},0.2\n" for topic in range(301, 370)]
    far_down = "".join([*rows, "370,0.1,,371,0.2\n", "371,0.1,,370,0.2\n"])
    assert "both hold topics, but not the same" in refused(f"{header}\n{far_down}")[0]


def test_an_id_that_counts_rows_is_left_out_beside_topics() -> None:
    text = "id,qid,a\n0,1,0.5\n1,2,0.25\n2,3,0.125\n"
    assert scores(text) == {("a", "x", "1"): 0.5, ("a", "x", "2"): 0.25, ("a", "x", "3"): 0.125}


def test_another_header_within_a_long_table_is_an_error_whatever_is_wanted() -> None:
    text = (
        "run,qid,measure,value,se\na,301,AP,0.1,0.01\nrun,qid,measure,se,value\nb,301,AP,0.03,0.5\n"
    )
    only = Reader(lambda names: [name for name in names if name == "AP"])
    for reader in (EVERYTHING, only):
        assert refused(text, reader=reader)[0].startswith(
            "x.csv:3: this header differs from the one above: 'run, qid, measure, se, value'"
        )


@pytest.mark.parametrize(
    "names",
    [("", "Unnamed: 0.1", "Unnamed: 0"), ("X.1", "X"), ("...1", "...2"), ("row_nr",),
     ("__index_level_0__", "level_0"), ("index", "rank")],
)  # fmt: skip
def test_row_numbers_by_many_names(names: tuple[str, ...]) -> None:
    lines = [[*names, "qid", "a", "b"], *(
        [*[str(row)] * len(names), topic, *cells]
        for row, (topic, *cells) in enumerate([("301", "0.5", "0.125"), ("302", "0.25", "1")], 1)
    )]  # fmt: skip
    assert scores("".join(",".join(line) + "\n" for line in lines)) == TWO_RUNS


def test_names_of_columns_with_blanks_and_hyphens() -> None:
    assert scores("Query ID,a,b\n301,0.5,0.125\n302,0.25,1\n") == TWO_RUNS
    text = "Run-ID,Topic No,AP\nr,301,0.5\n"
    assert scores(text) == {("r", "AP", "301"): 0.5}


def test_measures_in_a_column_called_name_are_measures() -> None:
    text = '"qid","name","value"\n301,"AP",0.1\n301,"nDCG@10",0.2\n302,"AP",0.3\n'
    assert scores(text) == {
        (None, "AP", "301"): 0.1, (None, "nDCG@10", "301"): 0.2, (None, "AP", "302"): 0.3,
    }  # fmt: skip
    assert told(text) == ["column 'name' is read as measures"]


def test_systems_without_a_known_measure_are_told() -> None:
    text = "qid,model,bm25,dense\n301,gpt,0.1,0.2\n302,gpt,0.3,0.4\n"
    assert told(text) == ["column 'model' is read as runs, columns 'bm25', 'dense' as measures"]


def test_texts_that_a_long_table_has_besides_are_told() -> None:
    text = "run,source,qid,value\na,x,301,0.5\na,y,302,0.25\n"
    assert told(text) == ["column 'source' is left out"]


def test_empty_names_are_errors() -> None:
    assert refused("run,qid,AP\na,301,0.5\n,302,0.3\n")[0] == "x.csv:3: the run is empty"
    assert refused("run,qid,measure,value\na,301,AP,0.5\na,302,,0.3\n")[0] == (
        "x.csv:3: the measure is empty"
    )
    assert refused("run\tqid\tmeasure\tvalue\na\t301\tAP\t0.5\na\t302\t \t0.3\n")[0] == (
        "x.csv:3: the measure is empty"
    )


def test_counts_do_not_make_measures_of_runs() -> None:
    assert read("qid,num_rel,a,b\n301,7,0.5,0.25\n302,9,0.1,0.2\n")[0] == "topic_by_run"


def test_columns_that_are_no_scores_are_asked_about() -> None:
    text = "qid,a,latency_ms\n301,0.5,120\n302,0.25,80.5\n"
    reader = Reader(lambda names: names, named_runs=["a"])
    assert told(text, reader=reader) == [
        "all values of column latency_ms are above 1, those of others are from 0 to 1: are "
        "these scores of runs?"
    ]


def test_tables_of_means_are_no_topics() -> None:
    for text in ("Metric name,a,b\nAP,0.5,0.1\nnDCG@10,0.25,0.2\n",
                 ",a,b\ncount,2,2\nmean,0.5,0.25\nstd,0.1,0.2\n"):  # fmt: skip
        assert refused(text)[0] == "x.csv: has only means over all topics"


def test_decimal_commas_in_quotes_and_blanks_before_quotes() -> None:
    assert scores('qid,a,b\n301,"0,5","0,125"\n302,"0,25",1\n') == TWO_RUNS
    assert scores('"qid", "a", "b"\n"301", "0.5", "0.125"\n"302", "0.25", "1"\n') == TWO_RUNS


def test_topics_are_all_different_in_the_whole_table_not_only_at_its_beginning() -> None:
    codes = [*range(500, 560), 500]  # one comes again, far down
    text = ",code,a\n" + "".join(f"{row},{code},0.{row + 1}\n" for row, code in enumerate(codes))
    _, reading = read(text, "AP.csv")
    assert [series.run for series in reading.series] == ["code", "a"]
    assert list(reading.series[0].topics) == [*map(str, range(61))]


def test_topics_that_count_are_joined_where_their_column_is_called_so(
    tmp_path: Path, confint: Confint
) -> None:
    for name in ("AP", "P@10"):
        (tmp_path / f"{name}.csv").write_text("topic,a,b\n1,0.5,0.25\n2,0.1,0.2\n3,0.3,0.4\n")
    result = confint("score", tmp_path)
    assert (result.status, result.err) == (0, "")
    assert len(result.rows) == 12


def test_nothing_is_the_same_in_percent_and_no_more_than_that() -> None:
    assert scores("qid;a\n1;0\n2;50 %\n3;0,0\n") == {
        ("a", "x", "1"): 0.0, ("a", "x", "2"): 0.5, ("a", "x", "3"): 0.0,
    }  # fmt: skip
    assert "has no percent sign" in refused("qid,a\n1,0.0\n2,50%\n3,0.25\n")[0]


def test_one_decimal_comma_that_is_certain_settles_all() -> None:
    for rows in (("1;0,5", "2;1,234"), ("1;1,234", "2;0,5")):
        found = scores("qid;a\n" + "\n".join(rows) + "\n")
        assert sorted(found.values()) == [0.5, 1.234]


def test_semicolons_in_names_do_not_separate() -> None:
    assert scores("runid,topic,AP;x\na;b,301,0.5\nc;d,302,0.25\n") == {
        ("a;b", "AP;x", "301"): 0.5, ("c;d", "AP;x", "302"): 0.25,
    }  # fmt: skip


def test_zeros_and_ones_are_scores_by_blanks_and_topics_by_commas() -> None:
    assert read("0 0.5\n1 0.25\n")[0] == "tsmatrix"
    assert read("0,0.5\n1,0.25\n")[0] == "topic_score"


def test_unknown_measures_with_their_own_means_are_measures() -> None:
    assert told("my_gain\t301\t0.5\nmy_gain\t302\t0.25\nmy_gain\tall\t0.375\n") == []


# The tables of data/formats-today


AP = {"bm25": 0.2507, "dense": 0.2666, "hybrid": 0.3531}
NDCG = {"bm25": 0.3371, "dense": 0.3362, "hybrid": 0.4437}
LONG = {(run, "AP"): mean for run, mean in AP.items()} | {
    (run, "nDCG@10"): mean for run, mean in NDCG.items()
}


@pytest.mark.parametrize(
    ("name", "kind", "means"),
    [
        ("R_long.csv", "long", LONG),
        ("R_wide.csv", "topic_by_run", {(run, "R_wide"): mean for run, mean in NDCG.items()}),
        ("excel_de.csv", "topic_by_run", {(run, "excel_de"): mean for run, mean in NDCG.items()}),
        ("nohead_bm25.tsv", "topic_score", {(None, "nohead_bm25"): 0.3371}),
        ("pqs_bm25.csv", "per_query", {(None, "ndcg_cut_10"): 0.3371}),
        ("pqs_hybrid.csv", "per_query", {(None, "ndcg_cut_10"): 0.4437}),
        ("pt_index.csv", "long", LONG),
        ("pt_noindex.csv", "long", LONG),
        ("rag_gpt.csv", "per_query", {(None, "faithfulness"): 0.6747,
                                      (None, "context_precision"): 0.5404}),
        ("ragp_gpt.csv", "per_query", {(None, "faithfulness"): 0.6458}),
        ("ragp_llama.csv", "per_query", {(None, "answer_relevancy"): 0.7197}),
        ("sysqid.csv", "ndeval", LONG),
        ("wide_index.csv", "topic_by_run", {(run, "wide_index"): mean for run, mean in
                                            NDCG.items()}),
    ],
)  # fmt: skip
def test_a_table_of_today_reads_as_it_should(
    name: str, kind: str, means: dict[tuple[str | None, str], float], data: Path
) -> None:
    found, reading = read_scores(str(data / "formats-today" / name), EVERYTHING)
    assert found == kind
    topics = 60 if "rag" in name else 50
    series = {(one.run, one.measure): one for one in reading.series}
    assert all(len(one.topics) == topics for one in series.values())
    assert all(topic.startswith(("3", "q")) for one in series.values() for topic in one.topics)
    assert {key: round(float(series[key].values.mean()), 4) for key in means} == means


def test_blanks_of_today_name_the_column(data: Path, confint: Confint) -> None:
    path = data / "formats-today" / "na.csv"
    result = confint("interval", path)
    assert result.status == 1
    assert ":3: column 'bm25' has no score for topic '2'" in result.err


def test_the_false_p_value_is_gone(data: Path, confint: Confint) -> None:
    folder = data / "formats-today"
    result = confint(
        "compare", "--input-format", "per_query", "--baseline", "pqs_bm25",
        folder / "pqs_bm25.csv", folder / "pqs_hybrid.csv",
    )  # fmt: skip
    header = result.out.splitlines()[0].split("\t")
    (row,) = (dict(zip(header, row, strict=True)) for row in result.rows)
    assert (row["wins"], row["ties"], row["losses"]) == ("36", "3", "11")
    assert float(row["p_t"]) == pytest.approx(0.00036, abs=5e-6)


def test_appended_tables_of_a_real_experiment(data: Path) -> None:
    name, reading = read_scores(
        str(data / "judges-dl21" / "dl19.original.compatibility.csv"), EVERYTHING
    )
    assert name == "ndeval"
    assert len(reading.series) == 37
    assert {len(one.topics) for one in reading.series} == {43}


def test_a_cell_too_many_is_no_name_of_a_row(tmp_path: Path, confint: Confint) -> None:
    """R has names of rows without a header, but a topic 0.5 is none."""
    path = tmp_path / "x.csv"
    path.write_text("qid,map\n1,0.5,0.9\n2,0.4,0.3\n")
    result = confint("score", path)
    assert (result.status, result.out) == (1, "")
    assert "2 columns are needed, not 3" in result.err


def test_a_cell_too_many_beside_percentages_is_an_error() -> None:
    problem, _ = refused("qid,a\n1,50%,0.5\n2,30%,0.4\n")
    assert problem == "x.csv:2: 2 columns are needed, not 3: '1, 50%, 0.5'"
