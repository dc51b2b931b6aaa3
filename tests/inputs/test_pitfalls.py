"""The pitfalls of each format that its example does not show."""

from pathlib import Path

import pytest

from confint_cli.inputs import find_format
from confint_cli.inputs.formats import formats
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.source import Source
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING


def read(text: str, reader: Reader = EVERYTHING, path: str = "x.txt"):
    source = Source(path, text.encode())
    name = find_format(source)
    return name, formats()[name].read(source, reader)


def flat(text: str, reader: Reader = EVERYTHING) -> tuple[str, list[tuple]]:
    """Return the format and every (run, measure, topic, value)."""
    name, reading = read(text, reader)
    return name, [
        (series.run, series.measure, topic, value)
        for series in reading.series
        for topic, value in zip(series.topics, series.values.tolist(), strict=True)
    ]


# Topic-by-run tables


def test_an_empty_corner_is_the_topics() -> None:
    assert flat(",a,b\n0001,0.5,7e-04\n0002,1,0\n") == (
        "topic_by_run",
        [("a", "x", "0001", 0.5), ("a", "x", "0002", 1.0),
         ("b", "x", "0001", 0.0007), ("b", "x", "0002", 0.0)],
    )  # fmt: skip


def test_a_header_one_cell_short_is_that_of_r() -> None:
    assert flat('"a","b"\n"301",0.5,0.25\n"302",1,0\n')[1][0] == ("a", "x", "301", 0.5)


def test_a_table_without_a_topic_column_numbers_its_rows() -> None:
    name, reading = read("a\tb\n0.5\t0.25\n0.5\t0.75\n")
    assert name == "topic_by_run"
    assert [series.run for series in reading.series] == ["a", "b"]
    assert list(reading.series[0].topics) == ["1", "2"]
    assert [notice.text for notice in reading.notices] == [
        "there is no topic column: topics are numbered by row; columns 'a', 'b' are read as "
        "runs; if they are measures, use --input-format per_query"
    ]


def test_a_column_of_different_whole_numbers_is_the_topics_and_said_to_be() -> None:
    _, reading = read("i\ta\tb\n1\t0.5\t0.25\n2\t0.5\t0.75\n")
    assert list(reading.series[0].topics) == ["1", "2"]
    assert [notice.text for notice in reading.notices] == [
        "column 'i' is read as topics; columns 'a', 'b' are read as runs; if they are "
        "measures, use --input-format per_query"
    ]


def test_columns_that_may_be_measures_are_said_to_be_taken_for_runs() -> None:
    _, reading = read("query_id,gain,loss\n1,0.5,0.25\n")
    assert [notice.text for notice in reading.notices] == [
        "columns 'gain', 'loss' are read as runs; if they are measures, "
        "use --input-format per_query"
    ]


def test_a_last_row_of_means_is_no_topic() -> None:
    _, reading = read("topic,a\n1,0.5\n2,0.7\nmean,0.6\n")
    assert list(reading.series[0].topics) == ["1", "2"]
    assert reading.series[0].summary == "0.6"


# Measures in columns


def test_a_topic_and_known_measures_are_a_per_query_table() -> None:
    assert flat("topic\tap\tmy_gain\n1\t0.5\t0.25\n")[0] == "per_query"
    assert flat("qid;nDCG@10\n1;0.5\n2;0.25\n")[0] == "per_query"


def test_commas_in_the_run_of_gdeval_do_no_harm() -> None:
    name, rows = flat("runid,topic,ndcg@20,err@20\nindri (rel, a=1),151,0.5,0.25\n")
    assert name == "ndeval"
    assert rows[0] == ("indri (rel, a=1)", "ndcg@20", "151", 0.5)


# NTCIREVAL


def test_an_empty_topic_is_one_topic_and_comments_are_none() -> None:
    name, rows = flat(" # syslen=4 jrel=10\n RR=                  0.5000\n D#-nDCG@0010=  0.25\n")
    assert name == "ntcireval"
    assert rows == [(None, "RR", "1", 0.5), (None, "D#-nDCG@0010", "1", 0.25)]


def test_names_with_commas_and_signs() -> None:
    _, rows = flat("0001 #intent_num=3\n0001 NCUrb,P@0010=       0.1350\n0001 AP=0.5\n")
    assert [row[1] for row in rows] == ["NCUrb,P@0010", "AP"]


# cwl_eval, rbp_eval, JSON


CWL = "51\tAP\t0.68\t5.95\t1.0\t8.75\t8.76\n52\tAP\t0.85\t34.95\t1.0\t40.69\t40.7\n"


def test_the_expected_utility_is_the_score_unless_another_value_is_asked_for(
    tmp_path: Path, confint: Confint
) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(CWL)
    assert [row[2:] for row in confint("score", path).rows] == [["AP", "0.6800"], ["AP", "0.8500"]]
    asked = confint("score", "-m", "AP:ETU,AP", path, "--every", 2)
    assert [row[2:] for row in asked.rows] == [["AP:ETU", "5.9500"], ["AP", "0.6800"]]


def test_rbp_eval_without_blanks() -> None:
    name, rows = flat("p= 0.80 q=301:abc d=full rbp= 0.5 +0.1\n")
    measure = "RBP(p=0.80)"
    residual = (None, f"{measure} residual", "301:abc", 0.1)
    assert (name, rows) == ("rbp_eval", [(None, measure, "301:abc", 0.5), residual])


def test_json_of_other_names_and_numbers() -> None:
    name, rows = flat('{"system": "a", "qid": 7, "Metric": "AP", "score": 1}\n')
    assert (name, rows) == ("jsonl", [("a", "AP", "7", 1.0)])


# Telling formats apart


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AP_1000 1 0.5\nMSnDCG_1000 1 0.8\n", "trec_eval"),
        ("my_gain\tq1\t0.5\nmy_gain\tall\t0.5\n", "trec_eval"),
        ("my_gain               \tq1\t0.5\nmy_gain               \tq2\t0.5\n", "trec_eval"),
        ("q1\tmy_gain\t0.5\nall\tmy_gain\t0.5\n", "ir_measures"),
        ("map\tP_10\t0.5\nmap\tall\t0.5\n", "trec_eval"),
        ("7\tAP\t0.5\n8\tAP\t0.5\n", "ir_measures"),
        ("0.5\n0.25\n0.75\n", "tsmatrix"),
        ("0 0 0 1\n1 0 1 1\n", "tsmatrix"),
    ],
)
def test_what_a_few_lines_are(text: str, name: str) -> None:
    assert find_format(Source("x", text.encode())) == name


def test_quoted_tables_of_ndeval_and_comments_before_the_header() -> None:
    name, rows = flat('# made by hand\nrunid,topic,ndcg@20\n"a, b","151",0.5\n"a, b",amean,0.5\n')
    assert (name, rows) == ("ndeval", [("a, b", "ndcg@20", "151", 0.5)])


def test_a_file_named_like_a_count_is_no_count() -> None:
    source = Source("gm_baselines.csv", b"topic,a\n1,0.5\n2,0.25\n")
    assert formats()["topic_by_run"].read(source, EVERYTHING).measures == ["gm_baselines"]


def test_a_topic_called_mean_is_a_topic_where_tools_write_all() -> None:
    assert [row[2] for row in flat("map\tmean\t0.5\nmap\t1\t0.4\nmap\tall\t0.45\n")[1]] == [
        "mean", "1",
    ]  # fmt: skip


def test_an_id_goes_before_a_text() -> None:
    name, rows = flat("run,query,query_id,score\na,what is love,7,0.5\na,who,8,0.25\n")
    assert (name, [row[2] for row in rows]) == ("long", ["7", "8"])


def test_runs_without_the_measure_in_a_table_are_told() -> None:
    table = "run,topic,measure,score\na,1,map,0.5\nb,1,P_10,0.5\n"
    wanted = Reader(lambda names: [name for name in names if name == "map"])
    for text in (table, table.replace("a,1", '"a",1')):  # the fast way and the slow one
        _, reading = read(text, wanted)
        assert [notice.text for notice in reading.notices] == [
            "1 run has none of the measures that are used, left out: b"
        ]


def test_names_with_quotes_before_formulas_come_back_from_csv(
    tmp_path: Path, confint: Confint
) -> None:
    rows = [f'{{"run": "{run}", "topic": "1", "measure": "map", "score": 0.5}}'
            for run in ("-x", "'-x", "''-x", "'x", "=1+1", '\\"q\\"')]  # fmt: skip
    first = confint("score", "-", stdin="\n".join(rows).encode())
    assert len(first.rows) == 6
    for ending in ("csv", "tsv", "json", "jsonl"):
        copy = tmp_path / f"copy.{ending}"
        assert confint("score", "-", "-o", copy, stdin="\n".join(rows).encode()).status == 0
        assert confint("score", copy).out == first.out, ending
