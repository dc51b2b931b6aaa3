"""Every file in data/formats that holds per-topic scores reads as it should."""

import re
from pathlib import Path

import pytest

from confint_cli.common.errors import DataError
from confint_cli.common.measures import residual_of
from confint_cli.inputs import read_scores
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING

# file: format, series, topics, then (run, measure, topic, value, the file's own mean)
EXPECTED = {
    "cwl_eval.n.tsv": ("cwl_eval", 16, 3, (None, "AP", "52", 0.8589, None)),
    "elinor.per-query.csv": ("per_query", 4, 8, (None, "ap", "q_1", 0.5833333333333333, None)),
    "gdeval.csv": ("ndeval", 2, 50, ("indri", "err@20", "164", 0.96754, "0.17969")),
    "gdeval.risk-a1.csv": ("ndeval", 2, 50, (
        "indri (rel to. indri; rs=1+a; a=1)", "ndcg@20", "153", -0.06558, "-0.05349")),
    "ir_measures.q.jsonl": ("jsonl", 2, 3, (
        None, "nDCG@10", "302", 0.7529694065526482, "0.30157719921022785")),
    "ir_measures.q.tsv": ("ir_measures", 4, 3, (None, "P@10", "302", 0.7, "0.3000")),
    "ndeval.csv": ("ndeval", 21, 3, ("TRECRUN", "strec@20", "2", 1.0, "0.666667")),
    "ntcir-official.topic-by-run.csv": ("topic_by_run", 13, 100, (
        "THUIR-E-PU-Base-2", "ntcir-official.topic-by-run", "0099", 1.0, None)),
    "ntcireval-230128.nev": ("ntcireval", 47, 3, (None, "NCUrb,IE@0010", "0001", 0.2741, None)),
    "ntcireval-older.nev": ("ntcireval", 33, 3, (None, "MSnDCG@0010", "0001", 0.2900, None)),
    "ntcireval.Dnev": ("ntcireval", 37, 3, (None, "D#-MSnDCG@0010", "0003", 0.4022, None)),
    "ntcireval.tsmatrix": ("tsmatrix", 2, 3, ("2", "ntcireval", "3", 0.5474, None)),
    "pyNTCIREVAL.compute.txt": ("ntcireval", 19, 1, (None, "Q-measure", "1", 0.0967, None)),
    "rbp_eval.q.txt": ("rbp_eval", 8, 1, (None, "RBP(p=0.80)", "303", 0.5525, "0.3252")),
    "trec_eval-10.c.q.missing-topic-302.txt": ("trec_eval", 2, 3, (
        None, "map", "302", 0.0, "0.0394")),
    "trec_eval-10.q.missing-topic-302.TRUNCATED-exit4.txt": ("trec_eval", 2, 1, (
        None, "P_10", "301", 0.2, None)),
    "trec_eval-10.q.n.nosummary.txt": ("trec_eval", 1, 3, (None, "map", "302", 0.4175, None)),
    "trec_eval-10rc3.q.txt": ("trec_eval", 24, 3, (
        None, "iprec_at_recall_0.10", "301", 0.2098, "0.3885")),
    "trec_eval-8.q.txt": ("trec_eval", 24, 1, (None, "ircl_prn.0.10", "303", 0.1748, None)),
    "trec_eval-8.trailing-blank.txt": ("trec_eval", 1, 1, (
        None, "P1000", "200", 0.0060, "0.0187")),
    "trec_eval-9.0.4.q.txt": ("trec_eval", 24, 3, (
        None, "iprec_at_recall_0.10", "301", 0.2096, "0.3884")),
    "trec_eval-9.c.q.missing-topic-302.txt": ("trec_eval", 2, 2, (
        None, "map", "303", 0.0858, "0.0394")),
    "trec_eval-9.relstring.txt": ("trec_eval", 1, 3, (None, "map", "302", 0.4175, "0.1785")),
}  # fmt: skip

NOT_SCORES = {
    "elinor.trec_eval-wrapped.json": r"confint reads \{topic: \{measure: value\}\}, and",
    "ntcireval.NEV2mean.txt": "is not in a known format",
    "ranx.qrels.json": "looks like a run or judgements, with documents such as 'd1'",
    "ranx.qrels.trec": "holds relevance judgements, not per-topic scores",
    "ranx.run.json": "looks like a run or judgements, with documents such as 'd3'",
    "ranx.run.trec": "holds a run, not per-topic scores",
}


def test_every_file_is_accounted_for(data: Path) -> None:
    assert {path.name for path in (data / "formats").iterdir()} == {*EXPECTED, *NOT_SCORES}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_file_reads_as_it_should(name: str, data: Path) -> None:
    format_name, series, topics, (run, measure, topic, value, summary) = EXPECTED[name]
    found, reading = read_scores(str(data / "formats" / name), EVERYTHING)
    assert found == format_name
    assert len(reading.series) == series
    assert max(len(one.topics) for one in reading.series) == topics
    chosen = next(one for one in reading.series if (one.run, one.measure) == (run, measure))
    assert chosen.values[list(chosen.topics).index(topic)] == value
    if summary is not None:
        assert chosen.summary == summary


@pytest.mark.parametrize("name", EXPECTED)
def test_what_score_writes_of_a_real_file_reads_back(
    name: str, data: Path, tmp_path: Path, confint: Confint
) -> None:
    path = data / "formats" / name
    first = confint("score", "-m", "all", "--quiet", path)
    assert first.status == 0
    _, reading = read_scores(str(path), EVERYTHING)
    measures = [series for series in reading.series if residual_of(series.measure) is None]
    assert len(first.rows) == sum(len(series.topics) for series in measures)
    again = confint("score", "-m", "all", "-", stdin=first.out.encode())
    assert again.out == first.out
    runs = {row[0] for row in first.rows}
    folder = tmp_path / "evals"
    written = confint("score", "-m", "all", "--quiet", path, "--layout", "trec_eval", "-o", folder)
    assert written.status == 0
    files = sorted(folder.iterdir())
    assert len(files) == len(runs)
    back = confint("score", "-m", "all", "--sort", "input", *files)
    assert back.status == 0
    assert "summary row" not in back.err, "the means that were written are not those of the topics"
    assert sorted(row[3] for row in back.rows) == sorted(row[3] for row in first.rows)


@pytest.mark.parametrize("name", NOT_SCORES)
def test_a_file_that_holds_no_scores_is_told_what_it_is(name: str, data: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_scores(str(data / "formats" / name), EVERYTHING)
    assert re.search(NOT_SCORES[name], f"{caught.value} | {caught.value.hint}")


def test_matrices_of_a_real_collection_join_by_run(data: Path, confint: Confint) -> None:
    folder = data / "soboroff2014" / "ntcir7.ir4qa"
    result = confint("score", *sorted(folder.glob("*.tsmatrix")), "--sort", "name")
    assert result.status == 0
    assert len(result.rows) == 40 * 97 * 4
    assert result.rows[0] == ["1", "1", "ntcir7ir4qa.AP@1000", "0.5417"]
    assert result.err == ""


def test_topic_by_run_tables_of_two_measures_join_by_run(data: Path, confint: Confint) -> None:
    paths = [data / "robust2004" / f"robust2004_{name}.csv" for name in ("ap", "p10")]
    result = confint("score", *paths)
    assert result.status == 0
    assert len(result.rows) == 110 * 249 * 2
    assert result.err == (
        "confint: note: 2 files: columns 'sys1', 'sys2', 'sys3', 'sys4', 'sys5' and 105 more are "
        "read as runs; if they are measures, use "
        f"--input-format per_query: {paths[0]}, {paths[1]}\n"
    )
    assert confint("score", *paths, "--input-format", "topic_by_run").err == ""


def test_files_of_different_formats_in_one_call(data: Path, confint: Confint) -> None:
    folder = data / "formats"
    result = confint(
        "score", "-m", "AP", folder / "trec_eval-9.0.4.q.txt", folder / "ir_measures.q.jsonl"
    )
    assert [row[1:] for row in result.rows if row[0] == "trec_eval-9.0.4.q"] == [
        ["301", "AP", "0.0324"], ["302", "AP", "0.4175"], ["303", "AP", "0.0858"],
    ]  # fmt: skip
    assert [row[3] for row in result.rows if row[0] == "ir_measures.q"] == [
        "0.03242534480374725", "0.4174542400168801", "0.08575559636908103",
    ]  # fmt: skip
    assert result.err == "confint: note: AP, map are read as the same measure\n"
