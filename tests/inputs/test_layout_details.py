"""What the columns of small tables hold, and what is said of it, word for word."""

from dataclasses import replace

import pandas as pd
import pytest

from confint_cli.common.errors import DataError, Level
from confint_cli.inputs import read_content
from confint_cli.inputs.columns import NO_TOPICS
from confint_cli.inputs.layout import BY_RUN, LONG, PER_QUERY, SYSTEMS, fit_of
from confint_cli.inputs.memory import read_object
from confint_cli.inputs.reading import Fit, Reader, Reading, head_of
from confint_cli.inputs.source import Source
from tests.inputs.test_all_formats import EVERYTHING

NOTE, DETAIL = Level.NOTE, Level.DETAIL
GROUPED = replace(EVERYTHING, grouped=True)
NAMED_IN_THE_CALL = replace(EVERYTHING, requested=("x,y",))


def read(
    data: str | pd.DataFrame, reader: Reader = EVERYTHING, input_format: str | None = None
) -> tuple[str, Reading]:
    """Read a text as the file `x.csv`, or a frame that is called so."""
    if isinstance(data, str):
        return read_content(Source("x.csv", data.encode()), reader, input_format)
    return read_object(data, reader, "x.csv", input_format)


def scores(
    data: str | pd.DataFrame, reader: Reader = EVERYTHING
) -> dict[tuple[str | None, str, str], float]:
    """Return every score by run, measure and topic."""
    return {
        (series.run, series.measure, topic): value
        for series in read(data, reader)[1].series
        for topic, value in zip(series.topics, series.values.tolist(), strict=True)
    }


def notices(
    data: str | pd.DataFrame, reader: Reader = EVERYTHING, input_format: str | None = None
) -> list[tuple[Level, str]]:
    """Return what is said, each of which is about the file."""
    said = read(data, reader, input_format)[1].notices
    assert {notice.about for notice in said} <= {"x.csv"}
    return [(notice.level, notice.text) for notice in said]


def refused(data: str, input_format: str | None = None) -> tuple[str, str]:
    """Return the problem and the hint."""
    with pytest.raises(DataError) as caught:
        read(data, input_format=input_format)
    return str(caught.value), caught.value.hint


def groups(data: str | pd.DataFrame) -> dict[tuple[str, str], str] | None:
    """Return the group of each topic, by its collection (empty: there is none) and name."""
    found = read(data)[1].groups
    return None if found is None else {**found.by_topic}


# Which kind of table it is

KINDS = {
    LONG: "run,topic,score\na,1,0.5\na,2,0.25\n",
    SYSTEMS: "runid,topic,AP\na,1,0.5\na,2,0.25\n",
    PER_QUERY: "qid,AP,P_10\n1,0.5,0.1\n2,0.25,0.2\n",
    BY_RUN: "qid,a,b\n1,0.5,0.1\n2,0.25,0.2\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_fits_its_own_kind_only(kind: str) -> None:
    head = head_of(Source("x.csv", KINDS[kind].encode()))
    fits = {other: fit_of(other)(head) for other in KINDS}
    assert fits == {other: Fit.NAMED if other == kind else Fit.NONE for other in KINDS}
    unnamed = head_of(Source("x.csv", b"who,a,b\nx,0.5,0.1\ny,0.25,0.2\n"))
    assert fit_of(BY_RUN)(unnamed) is Fit.POSSIBLE
    assert fit_of(LONG)(unnamed) is Fit.NONE


# Which column holds runs


@pytest.mark.parametrize(
    "text",
    [
        "run,topic,score\n0.5,1,0.25\n0.75,1,0.125\n",
        "topic,run,score\n1,0.5,0.25\n1,0.75,0.125\n",
        "score,run,topic\n0.25,0.5,1\n0.125,0.75,1\n",
    ],
)
def test_runs_of_a_long_table_may_be_called_by_fractions(text: str) -> None:
    assert scores(text) == {("0.5", "x", "1"): 0.25, ("0.75", "x", "1"): 0.125}


@pytest.mark.parametrize("name", ["run", "runid", "run_id", "system"])
def test_runs_in_front_of_topics_may_be_called_by_fractions(name: str) -> None:
    text = f"{name},topic,AP\n0.5,1,0.25\n0.75,1,0.125\n"
    assert scores(text) == {("0.5", "AP", "1"): 0.25, ("0.75", "AP", "1"): 0.125}


def test_a_column_of_fractions_is_scores_if_a_run_may_be_called_so_or_topics_are_elsewhere() -> (
    None
):
    for text in ("sys,topic,AP\n0.5,1,0.25\n0.75,2,0.125\n",
                 "topic,sys,AP\n1,0.5,0.25\n2,0.75,0.125\n"):  # fmt: skip
        assert scores(text) == {
            (None, "sys", "1"): 0.5, (None, "sys", "2"): 0.75,
            (None, "AP", "1"): 0.25, (None, "AP", "2"): 0.125,
        }  # fmt: skip
    for name in ("run", "system"):
        found = scores(f"AP,other,topic,{name}\n0.5,u,1,0.25\n0.75,v,2,0.125\n")
        assert found[None, name, "1"] == 0.25


def test_a_model_with_scores_beside_a_score_is_not_the_name_of_a_run() -> None:
    for first, second in ((0.5, 0.75), (0, 1)):
        assert scores(f"topic,model,score\n1,{first},0.25\n2,{second},0.125\n") == {
            (None, "model", "1"): first, (None, "model", "2"): second,
            (None, "score", "1"): 0.25, (None, "score", "2"): 0.125,
        }  # fmt: skip


def test_folds_of_0_and_1_are_no_measure_beside_runs() -> None:
    text = "run,topic,fold,AP\na,1,0,0.5\na,2,1,0.25\n"
    assert scores(text) == {("a", "AP", "1"): 0.5, ("a", "AP", "2"): 0.25}
    assert notices(text) == [(NOTE, "column 'fold' is left out")]
    assert scores("qid,fold,AP\n1,0,0.5\n2,1,0.25\n")[None, "fold", "2"] == 1


# Which columns are runs or measures


def test_a_name_with_a_comma_that_the_call_asks_for_is_a_measure() -> None:
    text = 'topic,"x,y",z\n1,0.5,0.25\n2,0.25,0.5\n'
    assert {measure for _, measure, _ in scores(text, NAMED_IN_THE_CALL)} == {"x,y", "z"}
    assert notices(text, NAMED_IN_THE_CALL) == []
    assert {run for run, _, _ in scores(text)} == {"x,y", "z"}


# What is said of the columns

L39 = "l" * 39
FOO = "column 'run' is read as runs, columns 'foo', 'bar' as measures"
UNNAMED = "column 1, which has no name, is read as topics"
ROWS = "there is no topic column: topics are numbered by row"
ARE_RUNS = "are read as runs; if they are measures, use --input-format per_query"

SAID = {
    "topics of runs": (",run,score\nq1,a,0.5\nq2,a,0.25\n", [(NOTE, UNNAMED)]),
    "topics of systems": (",run,AP\nq1,a,0.5\nq2,a,0.25\n", [(NOTE, UNNAMED)]),
    "systems": ("run,topic,foo,bar\na,1,0.5,1\na,2,0.25,1\n", [(NOTE, FOO)]),
    "a system": (
        "runid,qid,foo\na,1,0.5\na,2,0.25\n",
        [(NOTE, "column 'runid' is read as runs, column 'foo' as measures")],
    ),
    "ndeval's names": ("runid,topic,foo\na,1,0.5\na,2,0.25\n", []),
    "ndeval's names, other case": ("RunID,Topic,foo\na,1,0.5\na,2,0.25\n", []),
    "names of measures": (
        "topic,name,value\n1,AP,0.5\n2,AP,0.5\n1,P_10,0.25\n2,P_10,0.1\n",
        [(NOTE, "column 'name' is read as measures")],
    ),
    "one run": (
        "topic,bm25\n1,0.5\n2,0.25\n",
        [(NOTE, "column 'bm25' is read as a run; if it is a measure, use --input-format "
          "per_query")],
    ),
    "one column": (
        "topic,G\n1,0.5\n2,0.25\n",
        [(NOTE, "column 'G' is read as a run; if it is a measure, use --input-format per_query")],
    ),
    "two columns": ("topic,a,b\n1,0.5,0.5\n2,1,1\n", [(NOTE, f"columns 'a', 'b' {ARE_RUNS}")]),
    "long names": (
        f"topic,{L39}l,{L39}mm,{'n' * 100}\n1,0.5,0.5,0.5\n2,1,1,1\n",
        [(NOTE, f"columns '{L39}l', '{L39}…', '{'n' * 39}…' {ARE_RUNS}")],
    ),
    "many names": (
        "topic,a,b,c,d,e,f\n1,0.5,0.5,0.5,1,1,1\n2,1,1,1,1,1,1\n",
        [(NOTE, f"columns 'a', 'b', 'c', 'd', 'e' and 1 more {ARE_RUNS}")],
    ),
    "no topics": ("a,b\n0.5,0.25\n0.25,1\n", [(NOTE, f"{ROWS}; columns 'a', 'b' {ARE_RUNS}")]),
    "texts as topics": (
        "nr,what,a,b\n1,who?,0.5,0.125\n2,why?,0.25,1\n",
        [(NOTE, f"column 'what' is read as topics; columns 'a', 'b' {ARE_RUNS}"),
         (DETAIL, "row numbers are left out: column 'nr'")],
    ),
    "an unnamed column as topics": (
        ",a,b\nq1,0.5,0.125\nq2,0.25,1\n", [(NOTE, f"{UNNAMED}; columns 'a', 'b' {ARE_RUNS}")],
    ),
    "texts left out": (
        "qid,question,answer,AP,P_10\n1,who?,me,0.5,0.1\n2,why?,so,0.25,0.2\n",
        [(NOTE, "columns 'question', 'answer' are left out")],
    ),
    "row numbers saved twice": (
        ",Unnamed: 0,qid,AP,P_10\n17,5,q1,0.5,0.1\n3,6,q2,0.25,0.2\n",
        [(NOTE, "row numbers are left out: columns '1, which has no name', 'Unnamed: 0'")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_is_said_of_a_table_is_about_its_file(case: str) -> None:
    text, expected = SAID[case]
    assert notices(text) == expected


def test_one_measure_may_be_a_run() -> None:
    as_measures = replace(EVERYTHING, prefers=PER_QUERY)
    assert notices("topic,foo\n1,0.5\n2,0.25\n", as_measures) == [
        (NOTE, "column 'foo' is read as a measure; if it is a run, use --input-format topic_by_run")
    ]
    assert notices("topic,foo,bar\n1,0.5,1\n2,0.25,1\n", as_measures) == [
        (NOTE, "columns 'foo', 'bar' are read as measures; if they are runs, use --input-format "
         "topic_by_run")
    ]  # fmt: skip


def test_an_index_without_a_name_is_left_out_as_every_frame_has_one() -> None:
    frame = pd.DataFrame({"qid": ["q1", "q2"], "AP": [0.5, 0.25], "P_10": [0.1, 0.2]}, [17, 3])
    assert notices(frame) == [(DETAIL, "row numbers are left out: the index")]
    frame.insert(0, "Unnamed: 0", [5, 6])
    told = "row numbers are left out: columns 'the index', 'Unnamed: 0'"
    assert notices(frame) == [(NOTE, told)]


# Groups of topics


@pytest.mark.parametrize(
    "text",
    [
        "qid,session,AP,P_10\n1,31,0.5,1\n2,31,0.25,1\n3,32,0.25,0.5\n",
        "run,topic,session,score\na,1,x,0.5\na,2,x,0.25\na,3,y,0.25\n",
        "run,topic,session,AP\na,1,x,0.5\na,2,x,0.25\na,3,y,0.25\n",
    ],
)
def test_a_call_that_groups_topics_needs_no_column_of_groups(text: str) -> None:
    assert notices(text, GROUPED) == []
    assert read(text, GROUPED)[1].groups is None
    assert scores(text, GROUPED) == scores(text)
    said = "column 'session' is read as groups of topics; --labels none ignores it"
    assert notices(text) == [(NOTE, said)]


def test_only_tables_with_commas_have_guarded_names_of_groups() -> None:
    rows = ["run,group,topic,score", "a,'=x,1,0.5", "a,'=x,'-2,0.5", "a,'-y,3,0.25", ""]
    text = "\n".join(rows)
    assert groups(text) == {("", "1"): "=x", ("", "-2"): "=x", ("", "3"): "-y"}
    assert groups(text.replace(",", "\t")) == {
        ("", "1"): "'=x", ("", "'-2"): "'=x", ("", "3"): "'-y",
    }  # fmt: skip


def test_rows_behind_a_row_of_means_have_groups_too() -> None:
    text = (
        "run,group,topic,score\na,x,1,0.5\na,x,2,0.25\na,,all,0.375\n"
        "b,y,3,0.5\nb,y,4,0.25\nb,,all,0.375\n"
    )
    assert groups(text) == {("", "1"): "x", ("", "2"): "x", ("", "3"): "y", ("", "4"): "y"}


@pytest.mark.parametrize("collections", [None, ["nq", "nq", "fiqa", "fiqa"]])
def test_groups_of_topics_that_are_numbered_by_row(collections: list[str] | None) -> None:
    frame = pd.DataFrame({"session": ["x", "x", "y", "z"], "AP": [0.5, 0.25, 1, 0.1]})
    frame["P_10"] = [0.1, 0.2, 0.3, 0.4]
    names = collections or [""] * 4
    if collections:
        frame["collection"] = collections
    expected = dict(zip(zip(names, "1234", strict=True), "xxyz", strict=True))
    for data in (frame, frame.to_csv(index=False)):
        assert groups(data) == expected
        found = {
            (series.labels.collection or "", topic)
            for series in read(data)[1].series
            for topic in series.topics
        }
        assert found == {*expected}


def test_groups_in_json_that_are_the_same_number_are_one() -> None:
    rows = [("a", "31.0"), ("b", "31"), ("c", "32"), ("d", "32.0")]
    lines = [f'{{"qid": "{topic}", "session": {group}, "AP": 0.5}}' for topic, group in rows]
    expected = {("", "a"): "31", ("", "b"): "31", ("", "c"): "32", ("", "d"): "32"}
    for text in ("\n".join([*lines, ""]), f"[{', '.join(lines)}]"):
        assert groups(text) == expected


def in_groups(*of_runs: str) -> str:
    """Return a long table; each run has its own groups of topics 1, 2 …, a letter for each."""
    return "run,group,topic,score\n" + "".join(
        f"{run},{group},{topic},0.5\n"
        for run, of_topics in zip("ab", of_runs, strict=True)
        for topic, group in enumerate(of_topics, start=1)
    )


@pytest.mark.parametrize("of_runs", [("xy", "yy"), ("xxyy", "yyyy"), ("xxxyy", "yyyyy")])
def test_a_column_with_several_values_for_half_of_the_topics_groups_none(
    of_runs: tuple[str, str],
) -> None:
    told = (
        "column 'group' has several values for topic '1' and others, so it does not group topics: "
        "left out"
    )
    assert notices(in_groups(*of_runs)) == [(NOTE, told)]
    assert groups(in_groups(*of_runs)) is None


@pytest.mark.parametrize("of_runs", [("xyy", "yyy"), ("xxyyy", "yyyyy")])
def test_a_column_with_several_values_for_fewer_topics_contradicts_itself(
    of_runs: tuple[str, str],
) -> None:
    assert refused(in_groups(*of_runs)) == (
        "x.csv: column 'group' puts topic '1' into 'x' and into 'y'",
        "a topic belongs to one group; --labels none ignores the column",
    )


# Tables that are refused

NO_TABLE = (
    "x.csv:1: a table needs a header of two or more columns, separated by commas, semicolons or "
    "tabs"
)
NO_MEASURES = "x.csv:1: the header needs columns for run, topic and at least one measure"
ONLY_MEANS = (
    "x.csv: has only means over all topics",
    "confint needs the scores of every topic: use trec_eval -q or ir_measures -q; if the columns "
    "are topics, transpose the table",
)
TURNED = "call the first column 'topic' if it holds topics, or transpose the table"
MEANS = [name for name in sorted(NO_TOPICS) if "\t" not in name]

REFUSED = {
    "measures without scores": ("topic,metric,x\n1,AP,0.5\n", (
        "x.csv: has a column 'metric', but no column 'score' or 'value'",
        "call the column of scores 'score', or use one column for each measure instead")),
    "runs without scores": ("runid,topic\na,1\n", (NO_MEASURES, "")),
    "runs with texts": ("run,topic,note\na,1,x\na,2,y\n", (NO_MEASURES, "")),
    "a text": ("topic,x\n1,foo\n2,bar\n", (
        "x.csv: has no per-topic scores", "column 'x' holds no numbers")),
    "texts": ("topic,x,y\n1,foo,u\n2,bar,v\n", (
        "x.csv: has no per-topic scores", "columns 'x', 'y' hold no numbers")),
    "means": ("topic,a,b\nall,0.5,0.5\nsd,0.5,0.25\n", ONLY_MEANS),
    "all means": ("topic,a\n" + "".join(f"{name},0.5\n" for name in MEANS), ONLY_MEANS),
    "means of measures": ("of,a,b\nmap,0.5,0.5\nP_10,0.5,0.25\n", ONLY_MEANS),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_table_that_is_refused(case: str) -> None:
    text, expected = REFUSED[case]
    assert refused(text) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["a b\n1 2\n", "a,b\nx,y\n"])
def test_what_is_no_table_is_none_of_any_kind(kind: str, text: str) -> None:
    assert refused(text, kind) == (NO_TABLE, "")


def test_a_table_without_named_columns_holds_nothing_that_is_named() -> None:
    assert refused("topic,\n1,\n2,\n", PER_QUERY) == ("x.csv: has no per-topic scores", "")


def test_a_table_that_may_be_turned() -> None:
    assert refused(",301,302\nbm25,0.5,0.25\nsplade,0.25,0.125\n") == (
        "x.csv: may have topics in its rows ('bm25') and runs in its columns ('301'), or the other "
        "way round",
        TURNED,
    )


def test_a_single_topic_may_have_the_name_of_a_measure() -> None:
    assert scores("topic,a,b\nmap,0.5,0.25\n") == {("a", "x", "map"): 0.5, ("b", "x", "map"): 0.25}


# Topics that come twice

SEVERAL_RUNS = "several runs in one table need a column that names them, such as 'run'"
TWICE = {
    "two texts, each for two topics": (
        "qid,lang,AP\n1,de,0.5\n1,en,0.4\n2,de,0.3\n2,en,0.2\n",
        "do rows of one topic differ in column 'lang'? keep only those that you want"),
    "another text in every row": (
        "qid,note,AP\n1,s,0.5\n1,t,0.4\n2,u,0.3\n2,v,0.2\n", SEVERAL_RUNS),
    "one text": ("qid,note,AP\n1,s,0.5\n1,s,0.4\n2,s,0.3\n2,s,0.2\n", SEVERAL_RUNS),
    "texts without a name": (
        "qid,AP,\n1,0.5,de\n1,0.4,en\n2,0.3,de\n2,0.2,en\n", SEVERAL_RUNS),
    "nothing": ("qid,AP\n1,0.5\n1,0.4\n", SEVERAL_RUNS),
}  # fmt: skip


@pytest.mark.parametrize("case", TWICE)
def test_a_column_of_few_texts_may_tell_rows_of_a_topic_apart(case: str) -> None:
    text, hint = TWICE[case]
    problem = "x.csv:3: a second row for topic '1' and 'AP'; the first is line 2"
    assert refused(text, PER_QUERY) == (problem, hint)


# Lines of three words: are these measures?


def of_trec_eval(*measures: str) -> str:
    return "".join(f"{one}\t{topic}\t0.5\n" for one in measures for topic in (301, 302))


def unknown(measures: str) -> list[tuple[Level, str]]:
    told = f"{measures}; if these are runs, give the table a header: run, topic, score"
    return [(NOTE, told)]


def test_unknown_measures_may_be_runs() -> None:
    for names, told in {
        ("foo",): "'foo' is an unknown measure",
        ("foo", "bar", "baz"): "'foo', 'bar', 'baz' are unknown measures",
        ("foo", "bar", "baz", "qux"): "'foo', 'bar', 'baz' and 1 more are unknown measures",
        (f"{L39}l", f"{L39}mm"): f"'{L39}l', '{L39}…' are unknown measures",
        ("n" * 100,): f"'{'n' * 39}…' is an unknown measure",
    }.items():
        assert notices(of_trec_eval(*names)) == unknown(told)


@pytest.mark.parametrize("file", ["bm25.eval", "runs:bm25.eval", "C:runs:bm25.eval"])
def test_lines_of_grep_have_the_names_of_files_before_measures(file: str) -> None:
    assert refused(of_trec_eval(f"{file}:map", f"{file}:P_10")) == (
        f"x.csv: measures such as '{file}:map' have the name of a file before them",
        "grep -h leaves out the name, but each run needs a file of its own",
    )
