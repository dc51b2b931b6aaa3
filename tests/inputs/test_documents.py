"""Runs and judgements in every layout that tools save: the scores of the TREC files, or one line.

PyTerrier needs Java and ir_datasets a download, so that frames and records are as theirs.
"""

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import polars as pl
import pytest

from confint_cli.inputs.judgements import read_judgements
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import Source
from confint_cli.scores.scoring import Scored, score_runs
from tests.conftest import SAMPLES, Confint, records

Numbers = dict[str, dict[str, float]]
Write = Callable[[Path, Numbers], object]
Scores = dict[str, dict[str, float]]
MEASURES = ["AP", "nDCG@10", "RR", "P(rel=2)@5", "bpref"]


def some_of_the_samples() -> tuple[Numbers, dict[str, dict[str, int]]]:
    """Four topics of the sample collection, 30 documents of a run each, and all judgements."""
    run = read_run(Source("x", (SAMPLES / "runs/bm25.run").read_bytes())).rankings
    judgements = read_judgements(Source("x", (SAMPLES / "qrels.txt").read_bytes()))
    topics = [*run][:4]
    return {one: dict([*run[one].items()][:30]) for one in topics}, {
        one: judgements[one] for one in topics
    }


RUN, QRELS = some_of_the_samples()


def rows(numbers: Numbers) -> list[tuple[str, str, int, float]]:
    """Topic, document, rank and number, the highest first."""
    return [
        (topic, document, rank, number)
        for topic, found in numbers.items()
        for rank, (document, number) in enumerate(
            sorted(found.items(), key=lambda pair: -pair[1]), start=1
        )
    ]


def lines(path: Path, layout: str, numbers: Numbers) -> None:
    names = ("topic", "document", "rank", "number")
    texts = [layout.format(**dict(zip(names, row, strict=True))) for row in rows(numbers)]
    path.write_text("\n".join([*texts, ""]))


def pyterrier(numbers: Numbers) -> pd.DataFrame:
    """What a retriever returns: ranks from 0, and docid, which is a number of its own."""
    frame = pd.DataFrame(rows(numbers), columns=["qid", "docno", "rank", "score"])
    frame["rank"] -= 1
    frame.insert(1, "docid", range(7, len(frame) + 7))
    queries = {topic: f'why "{topic}", and\tnot\nelse?' for topic in numbers}
    return frame.assign(query=frame["qid"].map(queries))


def qrels_of_pyterrier(numbers: Numbers) -> pd.DataFrame:
    frame = pd.DataFrame(rows(numbers), columns=["qid", "docno", "rank", "label"])
    return frame.drop(columns="rank")


class ScoredDoc(NamedTuple):
    """What ir_datasets calls GenericScoredDoc."""

    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    """What ir_datasets calls TrecQrel."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


def exported(path: Path, form: str, found: Iterable[tuple[object, ...]], kind: type) -> None:
    """Write records as `ir_datasets export … --format FORM` does."""
    export = pytest.importorskip("ir_datasets.commands.export")
    exporters = export.QRELS_EXPORTERS if kind is Qrel else export.SCOREDDOCS_EXPORTERS
    with path.open("w") as file:
        exporter = exporters[form](kind, file, None)
        for one in found:
            exporter.next(one)
        exporter.flush()


def scored_docs(path: Path, form: str, numbers: Numbers) -> None:
    found = (ScoredDoc(topic, name, number) for topic, name, _, number in rows(numbers))
    exported(path, form, found, ScoredDoc)


def trec_qrels(path: Path, form: str, numbers: Numbers) -> None:
    found = (Qrel(topic, name, int(number), "0") for topic, name, _, number in rows(numbers))
    exported(path, form, found, Qrel)


def ranx(path: Path, kind: str, numbers: Numbers) -> None:
    """Save as ranx does; its constructors are left out, as they compile for half a minute."""
    library = pytest.importorskip("ranx")
    if kind == "Run":
        saved = object.__new__(library.Run)
        saved.run, saved.name, saved.sorted = numbers, "bm25", True
    else:
        saved = object.__new__(library.Qrels)
        saved.qrels, saved.name, saved.sorted = numbers, None, True
    saved.save(str(path))


RUNS: dict[str, Write] = {
    "msmarco.tsv": lambda path, run: lines(path, "{topic}\t{document}\t{rank}\t{number}", run),
    "msmarco.txt": lambda path, run: lines(path, "{topic} {document} {rank} {number:.4f}", run),
    "ranks.tsv": lambda path, run: lines(path, "{topic}\t{document}\t{rank}", run),
    "scores.tsv": lambda path, run: lines(path, "{topic}\t{document}\t{number}", run),
    "minimal.tsv": lambda path, run: (  # PyTerrier's write_results(…, format="minimal")
        pyterrier(run)[["qid", "docno", "rank"]].to_csv(path, sep="\t", header=False, index=False)
    ),
    "pyterrier.csv": lambda path, run: pyterrier(run).to_csv(path, index=False),
    "index.csv": lambda path, run: pyterrier(run).to_csv(path),
    "pyterrier.csv.gz": lambda path, run: pyterrier(run).to_csv(path, index=False),
    "pyterrier.tsv": lambda path, run: pyterrier(run).to_csv(path, sep="\t", index=False),
    "shuffled.csv": lambda path, run: (
        pyterrier(run).sample(frac=1, random_state=1).to_csv(path, index=False)
    ),
    "by-rank.csv": lambda path, run: pyterrier(run).drop(columns="score").to_csv(path, index=False),
    "pyterrier.jsonl": lambda path, run: pyterrier(run).to_json(path, orient="records", lines=True),
    "records.json": lambda path, run: pyterrier(run).to_json(path, orient="records"),
    "columns.json": lambda path, run: pyterrier(run).to_json(path),
    "pyterrier.parquet": lambda path, run: pyterrier(run).to_parquet(path),
    "categories.parquet": lambda path, run: (
        pyterrier(run).astype({"qid": "category", "docno": "category"}).to_parquet(path)
    ),
    "numbers.parquet": lambda path, run: pyterrier(run).astype({"qid": "int64"}).to_parquet(path),
    "polars.csv": lambda path, run: pl.from_pandas(pyterrier(run)).write_csv(path),
    "polars.ndjson": lambda path, run: pl.from_pandas(pyterrier(run)).write_ndjson(path),
    "polars.parquet": lambda path, run: pl.from_pandas(pyterrier(run)).write_parquet(path),
    "polars.arrow": lambda path, run: pl.from_pandas(pyterrier(run)).write_ipc(path),
    "ir_datasets.tsv": lambda path, run: scored_docs(path, "tsv", run),
    "ir_datasets.jsonl": lambda path, run: scored_docs(path, "jsonl", run),
    "beir.tsv": lambda path, run: (
        lines(path, "{topic}\t{document}\t{number}", run),
        path.write_text("query-id\tcorpus-id\tscore\n" + path.read_text()),
    ),
    "nested.json": lambda path, run: path.write_text(json.dumps(run)),
    "indented.json": lambda path, run: path.write_text(json.dumps(run, indent=4)),
    "ranx.json": lambda path, run: ranx(path, "Run", run),
    "ranx.trec": lambda path, run: ranx(path, "Run", run),
    "ranx.parquet": lambda path, run: ranx(path, "Run", run),
}
JUDGEMENTS: dict[str, Write] = {
    "pyterrier.csv": lambda path, qrels: qrels_of_pyterrier(qrels).to_csv(path, index=False),
    "index.csv": lambda path, qrels: qrels_of_pyterrier(qrels).to_csv(path),
    "pyterrier.tsv": lambda path, qrels: qrels_of_pyterrier(qrels).to_csv(
        path, sep="\t", index=False
    ),
    "pyterrier.jsonl": lambda path, qrels: qrels_of_pyterrier(qrels).to_json(
        path, orient="records", lines=True
    ),
    "records.json": lambda path, qrels: qrels_of_pyterrier(qrels).to_json(path, orient="records"),
    "pyterrier.parquet": lambda path, qrels: qrels_of_pyterrier(qrels).to_parquet(path),
    "floats.parquet": lambda path, qrels: (
        qrels_of_pyterrier(qrels).astype({"label": "float64"}).to_parquet(path)
    ),
    "floats.csv": lambda path, qrels: (
        qrels_of_pyterrier(qrels).astype({"label": "float64"}).to_csv(path, index=False)
    ),
    "polars.parquet": lambda path, qrels: pl.from_pandas(qrels_of_pyterrier(qrels)).write_parquet(
        path
    ),
    "ir_datasets.tsv": lambda path, qrels: trec_qrels(path, "tsv", qrels),
    "ir_datasets.jsonl": lambda path, qrels: trec_qrels(path, "jsonl", qrels),
    "ir_datasets.trec": lambda path, qrels: trec_qrels(path, "trec", qrels),
    "beir.tsv": lambda path, qrels: (
        lines(path, "{topic}\t{document}\t{number}", qrels),
        path.write_text("query-id\tcorpus-id\tscore\n" + path.read_text()),
    ),
    "nested.json": lambda path, qrels: path.write_text(json.dumps(qrels)),
    "ranx.json": lambda path, qrels: ranx(path, "Qrels", qrels),
    "ranx.trec": lambda path, qrels: ranx(path, "Qrels", qrels),
    "ranx.parquet": lambda path, qrels: ranx(path, "Qrels", qrels),
}


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the TREC files, so that messages have short paths."""
    monkeypatch.chdir(tmp_path)
    lines(Path("qrels"), "{topic} 0 {document} {number}", QRELS)
    lines(Path("x.run"), "{topic} Q0 {document} {rank} {number} t", RUN)


def values(scored: Scored) -> Scores:
    return {
        series.measure: dict(zip(series.topics, series.values.tolist(), strict=True))
        for series in scored.readings[0].series
    }


def scores(qrels: str, run: str) -> Scores:
    return values(score_runs(qrels, [run], MEASURES))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_in_any_layout_scores_as_in_trecs(name: str) -> None:
    RUNS[name](Path(name), RUN)
    assert scores("qrels", name) == scores("qrels", "x.run")


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_judgements_in_any_layout_are_those_of_trecs(name: str) -> None:
    JUDGEMENTS[name](Path(name), QRELS)
    assert scores(name, "x.run") == scores("qrels", "x.run")


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "windows": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "blank lines": lambda data: b"\n" + data + b"\n\n",
    "no end": lambda data: data.rstrip(b"\n"),
}


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize(
    "name", ["msmarco.tsv", "ranks.tsv", "beir.tsv", "ir_datasets.jsonl", "nested.json"]
)
def test_a_run_may_be_packed(name: str, packed: str) -> None:
    RUNS[name](Path(name), RUN)
    Path(name).write_bytes(PACKED[packed](Path(name).read_bytes()))
    assert scores("qrels", name) == scores("qrels", "x.run")


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("name", ["ir_datasets.tsv", "beir.tsv", "ir_datasets.jsonl"])
def test_judgements_may_be_packed(name: str, packed: str) -> None:
    JUDGEMENTS[name](Path(name), QRELS)
    Path(name).write_bytes(PACKED[packed](Path(name).read_bytes()))
    assert scores(name, "x.run") == scores("qrels", "x.run")


@pytest.mark.parametrize("name", ["msmarco.tsv", "pyterrier.csv", "pyterrier.parquet"])
def test_a_run_may_come_through_a_pipe(name: str, confint: Confint) -> None:
    RUNS[name](Path(name), RUN)
    piped = confint("score", "-q", "qrels", "-m", "AP", "-", stdin=Path(name).read_bytes())
    assert [row["score"] for row in records(piped)] == [
        row["score"] for row in records(confint("score", "-q", "qrels", "-m", "AP", "x.run"))
    ]


def run_in(text: str) -> Numbers:
    return read_run(Source("x", text.encode())).rankings


def grades_in(text: str) -> dict[str, dict[str, int]]:
    return read_judgements(Source("x", text.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "1 Q0 17 1\n1 Q0 9 0\n2 Q0 17 2\n",
        "1 0 17 1\n1 1 9 0\n2 0 17 2\n",
        "1 0 17 1\n1 1 9 0\n2 2 17 2\n",
        "1\t17\t1\t0\n1\t9\t0\t0\n2\t17\t2\t0\n",
        "1\t17\t1\tQ0\n1\t9\t0\tQ0\n2\t17\t2\tQ0\n",
        "# by hand\n1 17 L1\n1 9 L0\n2 17 L2\n",
        "qid,docno,label\n1,17,1\n1,9,0\n2,17,2\n",
        "query-id\tcorpus-id\tscore\n1\t17\t1\n1\t9\t0\n2\t17\t2\n",
        "\tqid\tquery\tdocno\tlabel\n0\t1\twhat\t17\t1.0\n1\t1\twhat\t9\t0\n2\t2\twho\t17\t2\n",
        '{"1": {"17": 1, "9": 0}, "2": {"17": 2}, "3": {}}',
        '[{"qid": 1, "docno": 17, "label": 1}, {"qid": 1, "docno": 9, "label": 0},'
        ' {"qid": 2, "docno": 17, "label": 2}]',
    ],
)
def test_documents_of_judgements_may_be_whole_numbers(text: str) -> None:
    assert grades_in(text) == {"1": {"17": 1, "9": 0}, "2": {"17": 2}}


def test_the_documents_of_small_judgements_may_be_small_numbers() -> None:
    assert grades_in("1 0 1 1\n1 0 2 0\n2 0 1 1\n") == {"1": {"1": 1, "2": 0}, "2": {"1": 1}}


@pytest.mark.parametrize(
    "text",
    [
        "1\ta\t0\n1\tb\t1\n2\ta\t0\n",
        "1\ta\t1\n2\ta\t1\n1\tb\t2\n",
        "qid,docno,rank\n1,a,1\n1,b,2\n2,a,1\n",
        "1\ta\t1\t7\n1\tb\t2\t6\n2\ta\t1\t5\n",
        "qid,docno,score\n1,a,7\n1,b,6\n2,a,5\n",
        "QID;DocNo;Score\n1;a;2.5\n1;b;1\n2;a;3\n",
        '{"1": {"a": 2.0, "b": 1.0}, "2": {"a": 3.0}}',
        '{"1": {"a": 2, "b": 1.5}, "2": {"a": 3}, "3": {}}',
        "query-id\tcorpus-id\tscore\n1\ta\t0.9\n1\tb\t0.8\n2\ta\t0.1\n",
    ],
)
def test_small_runs_are_read(text: str) -> None:
    orders = {
        topic: sorted(found, key=found.__getitem__, reverse=True)
        for topic, found in run_in(text).items()
    }
    assert orders == {"1": ["a", "b"], "2": ["a"]}


def test_documents_of_a_run_may_be_whole_numbers_of_any_length() -> None:
    text = '{"qid": 1, "docno": 9007199254740993, "score": 0.5}\n{"qid": 1, "docno": 7, "score": 2}'
    assert run_in(text) == {"1": {"9007199254740993": 0.5, "7": 2.0}}


def test_a_table_may_name_its_run(confint: Confint) -> None:
    pyterrier(RUN).assign(run="mine").to_csv("x.csv", index=False)
    result = confint("score", "-q", "qrels", "-m", "AP", "--name-from", "tag", "x.csv")
    assert {row["run"] for row in records(result)} == {"mine"}


@pytest.mark.parametrize(
    "name", ["polars.csv", "polars.ndjson", "polars.parquet", "polars.arrow", "nested.json"]
)
def test_the_file_names_the_run_without_its_ending(name: str, confint: Confint) -> None:
    RUNS[name](Path(name), RUN)
    result = confint("score", "-q", "qrels", "-m", "AP", name)
    assert {row["run"] for row in records(result)} == {name.partition(".")[0]}


def test_a_quote_in_a_query_swallows_no_rows(confint: Confint) -> None:
    """Tools that separate by tabs often quote nothing, and some queries begin with a quote."""
    frame = pyterrier(RUN).assign(query='"no end')[["qid", "query", "docno", "score"]]
    Path("x.tsv").write_text(
        "".join("\t".join(map(str, row)) + "\n" for row in [frame.columns, *frame.to_numpy()])
    )
    result = confint("score", "-q", "qrels", "-m", "AP", "x.tsv")
    right = confint("score", "-q", "qrels", "-m", "AP", "x.run")
    assert result.status == 1 or result.rows == right.rows, result.err


def test_three_columns_that_are_taken_for_scores_are_told_of(confint: Confint) -> None:
    RUNS["scores.tsv"](Path("scores.tsv"), RUN)
    result = confint("score", "-q", "qrels", "-m", "AP", "scores.tsv")
    assert result.err == (
        "confint: note: scores.tsv: three columns are read as topic, document and score\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "1\ta\t1\t0.1\n1\tb\t2\t0.9\n2\ta\t1\t0.9\n2\tb\t2\t0.1\n",
        "qid,docno,rank,score\n1,a,1,0.1\n1,b,2,0.9\n2,a,1,0.9\n2,b,2,0.1\n",
        '[{"qid": "1", "docno": "a", "rank": 1, "score": 0.1},'
        ' {"qid": "1", "docno": "b", "rank": 2, "score": 0.9}]',
    ],
)
def test_ranks_that_contradict_scores_are_found(text: str) -> None:
    assert read_run(Source("x", text.encode())).contradicted == {"1"}


# What is given for something else


def refused(confint: Confint, qrels: str, run: str) -> str:
    result = confint("score", "-q", qrels, "-m", "AP", run)
    assert (result.status, result.out) == (1, ""), result.err
    assert result.err.startswith("confint: ")
    return result.err


@pytest.mark.parametrize("name", [name for name in RUNS if not name.endswith("trec")])
def test_a_run_that_is_given_for_judgements(name: str, confint: Confint) -> None:
    RUNS[name](Path(name), RUN)
    assert "are --qrels and the run swapped?\n" in refused(confint, name, "x.run")


@pytest.mark.parametrize("name", JUDGEMENTS)
def test_judgements_that_are_given_for_a_run(name: str, confint: Confint) -> None:
    JUDGEMENTS[name](Path(name), QRELS)
    assert "are --qrels and the run swapped?" in refused(confint, "qrels", name)


SCORES = {
    "trec_eval": "map\t301\t0.5\nmap\t302\t0.25\n",
    "ir_measures": "301\tAP\t0.5\n302\tAP\t0.25\n",
    "ir_measures, beyond trec_eval": "301\tERR@20\t0.5\n301\tAP\t0.3\n302\tERR@20\t0.25\n",
    "ir_measures, parameters": "301\tRBP(p=0.8,rel=1)\t0.5\n302\tRBP(p=0.8,rel=1)\t0.25\n",
    "NTCIREVAL": "301 MSnDCG@0010=  0.2900\n301 Q-measure=  0.1\n302 MSnDCG@0010=  0.2900\n",
    "long": "run\ttopic\tmeasure\tscore\nx\t301\tmap\t0.5\nx\t302\tmap\t0.25\n",
    "long, commas": "name,qid,measure,value\nx,301,map,0.5\nx,302,map,0.25\n",
    "measures": "qid,AP,P@10\n301,0.5,0.2\n302,0.4,0.1\n",
    "runs": "qid\tbm25\tdense\n301\t0.5\t0.2\n302\t0.4\t0.1\n",
    "JSON by topic": '{"301": {"map": 0.5, "ndcg": 0.4}, "302": {"map": 0.5, "ndcg": 0.4}}',
    "JSON by measure": '{"map": {"301": 0.5, "302": 0.4}}',
    "JSON by run": '{"bm25": {"301": {"map": 0.5}, "302": {"map": 0.4}}}',
    "JSON of one level": '{"301": 0.5, "302": 0.4}',
    "JSON lines": '{"qid": "301", "ndcg_at_10": 0.5}\n{"qid": "302", "ndcg_at_10": 0.4}\n',
}


@pytest.mark.parametrize("case", SCORES)
def test_scores_that_are_given_for_a_run(case: str, confint: Confint) -> None:
    Path("b").write_text(SCORES[case])
    message = refused(confint, "qrels", "b")
    assert "leave --qrels out" in message or "no column of a run names the documents" in message
    assert "swapped" not in message


@pytest.mark.parametrize("case", SCORES)
def test_scores_that_are_given_for_judgements(case: str, confint: Confint) -> None:
    Path("b").write_text(SCORES[case])
    assert "swapped" not in refused(confint, "b", "x.run")


# What is wrong with a run or with judgements

HEAD = "qid,docno,score\n301,a,0.9\n"
JSONL = '{"qid": "301", "docno": "a", "score": 0.5}\n'
MSMARCO = "".join(f"301\td{rank}\t{rank}\t{9 - rank / 7:.3f}\n" for rank in range(1, 25))
NEEDS_BOTH = "  hint: give both, as 'topic document rank score', or a header that names the columns"
RANK_FIRST = "  hint: put the rank before the score; negate scores that are distances"
SHAPE = "{topic: {document: score}}"
SWAPPED = "  hint: are --qrels and the run swapped?"

BAD_RUNS: dict[str, tuple[str, list[str]]] = {
    "several runs": ("run,qid,docno,score\nx,301,a,0.9\ny,301,b,0.8\n", [
        "confint: b: has 2 runs in column 'run': x, y",
        "  hint: save each run in a separate file"]),
    "several runs of one document": ("run,qid,docno,score\nx,301,a,0.9\ny,301,a,0.8\n", [
        "confint: b: has 2 runs in column 'run': x, y",
        "  hint: save each run in a separate file"]),
    "several runs in JSON": ('{"x": {"301": {"a": 0.9}}, "y": {"301": {"a": 0.9}}}', [
        f"confint: b: looks like JSON with topics at the second level, but {SHAPE} is needed",
        "  hint: save each run in a separate file"]),
    "a document twice": (HEAD + "302,a,0.5\n301,a,0.4\n", [
        "confint: b:4: document 'a' comes twice for topic '301'"]),
    "a document twice in JSON lines": (JSONL + JSONL, [
        "confint: b:2: document 'a' comes twice for topic '301'"]),
    "a document twice in JSON": ('{"301": {"a": 0.5, "b": 0.4, "a": 0.3}}', [
        "confint: b: is not valid JSON: an object has the key 'a' twice"]),
    "a document twice in MS MARCO's lines": (MSMARCO + "301\td7\t25\t0.1\n", [
        "confint: b:25: document 'd7' comes twice for topic '301'"]),
    "an empty topic": (HEAD + ",b,0.5\n", ["confint: b:3: the topic is empty"]),
    "an empty document": (HEAD + "301, ,0.5\n", ["confint: b:3: the document is empty"]),
    "no score": (HEAD + "301,b,\n", ["confint: b:3: there is no score"]),
    "a row that is short": (HEAD + "301,b\n", [
        "confint: b:3: 3 columns are needed, not 2: '301, b'"]),
    "no rows": ("qid,docno,score\n", ["confint: b: holds no documents"]),
    "null for a topic": (JSONL + '{"qid": null, "docno": "a", "score": 1.5}\n', [
        "confint: b:2: the topic is empty"]),
    "no document in a line of JSON": (JSONL + '{"qid": "302", "score": 1.5}\n', [
        "confint: b:2: the document is empty"]),
    "nan": (HEAD + "301,b,nan\n", ["confint: b:3: the score is not finite: 'nan'"]),
    "a text": (HEAD + "301,b,high\n", ["confint: b:3: the score is not a number: 'high'"]),
    "a text in MS MARCO's lines": (MSMARCO + "301\td25\t25\thigh\n", [
        "confint: b:25: the score is not a number: 'high'"]),
    "a text for a rank": (
        "".join(f"301\td{rank}\t{rank}\n" for rank in range(1, 25)) + "301\td25\tlast\n",
        ["confint: b:25: the rank is not a number: 'last'"]),
    "too many words": (MSMARCO + "301\td25\t25\t0.1\tx\n", [
        "confint: b:25: 4 fields are needed (topic, document, rank, score), not 5: "
        "'301\\td25\\t25\\t0.1\\tx'"]),
    "null for a score": ('{"301": {"a": 0.5, "b": null}}', [
        "confint: b, topic '301', document 'b': there is no score"]),
    "a list for a score": (JSONL + '{"qid": "301", "docno": "b", "score": [1]}\n', [
        "confint: b:2: the score is not a number: '[]'"]),
    "infinity in JSON": ('{"301": {"a": 0.5, "b": Infinity}}', [
        "confint: b, topic '301', document 'b': the score is not finite: 'inf'"]),
    "unequal depth": ('{"301": {"a": 0.5}, "302": 0.5}', [
        "confint: b: there is a value at ['302'], but an object at other such places"]),
    "deeper at one place": ('{"301": {"a": 0.5}, "302": {"a": {"x": 1}}}', [
        "confint: b: there is an object at ['302']['a'], but a value at other such places"]),
    "an empty object": ("{}", [
        f"confint: b: is JSON without documents: it has to be {SHAPE}"]),
    "no documents at all": ('{"301": {}}', [
        f"confint: b: is JSON without documents: it has to be {SHAPE}"]),
    "JSON that is cut": ('{"301": {"a": 0.5, "b"', [
        "confint: b:1: is not valid JSON: expecting ':' delimiter",
        "  hint: the last bracket is missing: was the file cut short?"]),
    "whole numbers as of grades": ("qid,docno,score\n301,a,2\n301,b,0\n", [
        "confint: b: looks like judgements, not like a run: all scores are whole numbers "
        "from 0 to 2",
        "  hint: are --qrels and the run swapped? if these are scores of documents, "
        "write them with decimals: 2.0"]),
    "whole numbers in JSON": ('{"301": {"a": 1, "b": -2}}', [
        "confint: b: looks like judgements, not like a run: all scores are whole numbers "
        "from -2 to 1",
        "  hint: are --qrels and the run swapped? if these are scores of documents, "
        "write them with decimals: 1.0"]),
    "one rank twice": ("301\ta\t1\n301\tb\t1\n", [
        "confint: b: two documents of topic '301' have the same rank, and there is no score",
        "  hint: are these judgements? are --qrels and the run swapped? or did the shell expand a "
        "pattern after -q? put it in quotes"]),
    "one rank twice in a table": ("qid,docno,rank\n301,a,7\n301,b,7\n", [
        "confint: b: two documents of topic '301' have the same rank, and there is no score"]),
    "three columns that fall": ("301\ta\t30\n301\tb\t20\n302\ta\t30\n302\tb\t10\n", [
        "confint: b: lines may be 'topic document rank' or 'topic document score': the third "
        "field falls from line to line, as scores do", NEEDS_BOTH]),
    "distances": ("301\ta\t1\t0.1\n301\tb\t2\t0.5\n302\ta\t1\t0.2\n302\tb\t2\t0.4\n", [
        "confint: b: lines may be 'topic document rank score' or 'topic document score rank': "
        "in all topics, the documents with the better rank have the lower score", RANK_FIRST]),
    "two columns of one name": ("qid,docno,docno,score\n301,a,b,0.5\n", [
        "confint: b: two columns are named 'docno'"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_RUNS)
def test_a_bad_run(case: str, confint: Confint) -> None:
    content, message = BAD_RUNS[case]
    Path("b").write_text(content)
    assert refused(confint, "qrels", "b").splitlines() == message


@pytest.mark.parametrize(
    "content",
    [
        "301\ta\t30\t1\n301\tb\t20\t2\n302\ta\t30\t1\n302\tb\t10\t2\n",
        "301\ta\t30.5\t1\n301\tb\t20.5\t2\n302\ta\t30.5\t1\n302\tb\t10.5\t2\n",
    ],
)
def test_the_score_before_the_rank(content: str, confint: Confint) -> None:
    """Taken for the rank, it would turn the order round."""
    Path("b").write_text(content)
    message = refused(confint, "qrels", "b")
    assert "'topic document score rank'" in message
    assert RANK_FIRST.partition(";")[0] in message


@pytest.mark.parametrize(
    "thirds", [(20, 30, 10), (57, 93, 12), (*range(1, 25), 0.5)], ids=["few", "other", "decimals"]
)
def test_a_third_column_that_does_not_count_is_no_rank(thirds, confint: Confint) -> None:
    """Scores of documents in any order, such as counts, look so: as ranks, all would be wrong."""
    rows_of = [f"{topic}\td{place}\t{third}\n" for topic in (301, 302)
               for place, third in enumerate(thirds)]  # fmt: skip
    Path("b").write_text("".join(rows_of))
    result = confint("score", "-q", "qrels", "-m", "AP", "b")
    assert result.status == 1 or "three columns are read as" in result.err


@pytest.mark.parametrize(
    ("content", "column"),
    [("qid,docno,bm25\n301,a,0.5\n302,a,0.4\n", "bm25"), ("qid,did,score\n301,a,0.5\n", "did")],
)
def test_a_table_without_a_column_that_is_needed_shows_those_it_has(
    content: str, column: str, confint: Confint
) -> None:
    Path("b").write_text(content)
    assert f"'{column}'" in refused(confint, "qrels", "b")


BAD_JUDGEMENTS: dict[str, tuple[str, list[str]]] = {
    "a fraction": ("qid,docno,label\n301,a,1\n301,b,0.5\n", [
        "confint: b:3: the grade is not a whole number from -9999 to 9999: 0.5", SWAPPED]),
    "a fraction in JSON": ('{"301": {"a": 1, "b": 0.5}}', [
        "confint: b, topic '301', document 'b': the grade is not a whole number from -9999 to "
        "9999: 0.5", SWAPPED]),
    "a fraction in BEIR's": ("query-id\tcorpus-id\tscore\n301\ta\t1.5\n", [
        "confint: b:2: the grade is not a whole number from -9999 to 9999: 1.5", SWAPPED]),
    "a large grade": ("qid,docno,label\n301,a,20000\n", [
        "confint: b:2: the grade is not a whole number from -9999 to 9999: 20000", SWAPPED]),
    "a text": ("qid,docno,label\n301,a,relevant\n", [
        "confint: b:2: the grade is not a number: 'relevant'"]),
    "no grade": ("qid,docno,label\n301,a,\n", ["confint: b:2: there is no grade"]),
    "null": ('{"301": {"a": null}}', [
        "confint: b, topic '301', document 'a': there is no grade"]),
    "twice": ("qid,docno,label\n301,a,1\n302,a,1\n301,a,0\n", [
        "confint: b:4: document 'a' is judged twice for topic '301'"]),
    "twice, as of ir_datasets": ("301\ta\t1\t0\n301\tb\t1\t0\n301\ta\t0\t0\n", [
        "confint: b:3: document 'a' is judged twice for topic '301'"]),
    "twice in JSON": ('{"301": {"a": 1, "a": 0}}', [
        "confint: b: is not valid JSON: an object has the key 'a' twice"]),
    "an empty document": ("qid,docno,label\n301,,1\n", ["confint: b:2: the document is empty"]),
    "a level too many": ('{"x": {"301": {"a": 1}}}', [
        "confint: b: looks like JSON with topics at the second level, but "
        "{topic: {document: grade}} is needed"]),
    "unequal depth": ('{"301": {"a": 1}, "302": 0}', [
        "confint: b: there is a value at ['302'], but an object at other such places"]),
    "the mean of topics": ('{"all": {"a": 1}}', [
        "confint: b: has a topic that is called 'all'",
        "  hint: tools use this name for the mean of all topics: rename the topic, in the runs "
        "too"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_JUDGEMENTS)
def test_bad_judgements(case: str, confint: Confint) -> None:
    content, message = BAD_JUDGEMENTS[case]
    Path("b").write_text(content)
    assert refused(confint, "b", "x.run").splitlines() == message


def test_judgements_without_a_column_of_grades_are_no_run(confint: Confint) -> None:
    Path("b").write_text("qid,docno,usefulness\n301,a,1\n")
    message = refused(confint, "b", "x.run")
    assert "'usefulness'" in message
    assert "swapped" not in message


# Real files


def test_files_of_ranx_score_the_same_in_all_forms(data: Path) -> None:
    found = [
        values(score_runs(str(data / f"formats/ranx.qrels.{judged}"),
                          [str(data / f"formats/ranx.run.{run}")], MEASURES))
        for judged in ("trec", "json") for run in ("trec", "json")
    ]  # fmt: skip
    assert found[0]["AP"] == {"q1": 1.0, "q2": 1.0}
    assert all(one == found[0] for one in found)


def test_a_real_run_in_json_is_that_of_the_samples(data: Path) -> None:
    qrels = str(SAMPLES / "qrels.txt")
    found, expected = (
        values(score_runs(qrels, [str(path)], MEASURES))
        for path in (data / "formats-today/run_bm25.json", SAMPLES / "runs/bm25.run")
    )
    assert found == expected


def test_real_runs_of_ms_marcos_layout_differ_as_published(data: Path) -> None:
    folder = data / "collections-ranger"
    published = pd.read_csv(folder / "published.tsv", sep="\t", index_col="collection")["effect"]
    collections = [path.name.removesuffix(".txt.gz") for path in (folder / "qrels").iterdir()]
    assert len(collections) == 6
    for name in collections:
        runs = [str(folder / system / f"{name}.txt") for system in ("colberter", "tasb")]
        scored = score_runs(str(folder / "qrels" / f"{name}.txt.gz"), runs, ["nDCG@10"])
        one, other = (reading.series[0].values.mean() for reading in scored.readings)
        assert one - other == pytest.approx(published[name], abs=1e-6)


def test_a_rank_and_a_score_that_may_be_swapped_in_trecs_layout(confint: Confint) -> None:
    """Both columns agree, so nothing else tells: the order would be turned round."""
    Path("b").write_text("301 Q0 a 9.5 1 t\n301 Q0 b 8.5 2 t\n302 Q0 a 7.5 1 t\n302 Q0 b 6 2 t\n")
    result = confint("score", "-q", "qrels", "-m", "AP", "b")
    assert "b: scores count 1, 2, 3 … from line to line, as ranks do" in result.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "qid,docno,relevance,label\n301,a,0,1\n",
            "grades may be in column 'relevance' or 'label'",
        ),
        ("query_id,qid,docno,label\n301,2,a,1\n", "topics may be in column 'qid' or 'query_id'"),
        ("qid,docno,doc_id,label\n301,a,b,1\n", "documents may be in column 'docno' or 'doc_id'"),
    ],
)
def test_two_columns_for_one_thing(content: str, words: str, confint: Confint) -> None:
    Path("b").write_text(content)
    assert words in refused(confint, "b", "x.run")
