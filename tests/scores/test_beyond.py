"""Measures beyond pytrec_eval's, and at levels of relevance: the numbers of ir_measures."""

import json
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from confint_cli.common.catalogue import BEYOND
from confint_cli.common.errors import CallError, DataError
from confint_cli.common.parallel import Local
from confint_cli.scores.beyond import EXTRA
from confint_cli.scores.scoring import Scored, score_runs
from tests.conftest import SAMPLES, Confint, records, worth_a_process

ir_measures = pytest.importorskip("ir_measures", reason="needs the extra 'measures'")

QRELS, RUN = SAMPLES / "qrels.txt", SAMPLES / "runs/bm25.run"
Scores = dict[str, dict[str, float]]
has_perl = shutil.which("perl") is not None
needs_perl = pytest.mark.skipif(not has_perl, reason="needs Perl")


def by_perl(name: str) -> bool:
    return name.startswith(("ERR@", "nDCG(dcg='exp"))


def spelled(measure) -> str:
    return measure.spelled("ir_measures").replace("@k", "@10")


OF_SUBTOPICS = [spelled(one) for one in BEYOND if "pyndeval" in one.needs] + [
    "alpha_DCG@5", "alpha_nDCG(alpha=0.3)@10", "alpha_nDCG(rel=2)@20", "ERR_IA@20", "nNRBP",
    "NRBP(alpha=0.2,beta=0.3)", "AP_IA", "P_IA@5", "StRecall(rel=2)@5",
]  # fmt: skip
OF_DOCUMENTS = [spelled(one) for one in BEYOND if "pyndeval" not in one.needs] + [
    "ERR@20", "nDCG(dcg='exp-log2')@5", "RBP(rel=2,p=0.5)", "RBP(rel=1)", "Compat",
    "Compat(p=0.8,normalize=False)", "BPM(T=2.0,max_rel=3)@20", "INST(T=2.0,max_rel=3)",
    "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10", "NERR10(max_rel=3,p=0.5)", "NERR11(max_rel=3)",
    "SDCG(min_rel=1,max_rel=3)@5", "Judged@10", "Judged", "SetF(beta=0.5)", "SetF(beta=2.0)",
    "SetP(relative=True)", "AP(judged_only=True)", "AP(rel=2,judged_only=True)@20",
    "P(judged_only=True)@10", "P(rel=2,judged_only=True)@10", "R(judged_only=True)@20",
    "RR(judged_only=True)", "Rprec(rel=3,judged_only=True)", "nDCG(judged_only=True)@10",
    "nDCG(gains={0:0,1:1,2:5,3:20})@10", "nDCG(gains={1:0,2:1})", "Success(judged_only=True)@5",
    "IPrec(judged_only=True)@0.1", "nDCG(dcg='log2')@10",
]  # fmt: skip
OF_LEVELS = [
    "AP(rel=1)", "AP(rel=2)", "AP(rel=3)@20", "P(rel=2)@10", "P(rel=3)@10", "R(rel=2)@20",
    "RR(rel=2)", "RR(rel=3)@10", "Rprec(rel=2)", "Bpref(rel=2)", "Success(rel=2)@5",
    "IPrec(rel=2)@0.1", "infAP(rel=2)", "SetP(rel=2)", "SetR(rel=2)", "SetF(rel=2)", "SetAP(rel=2)",
    "AP", "P@10", "nDCG@10",
]  # fmt: skip


def values(scored: Scored) -> list[Scores]:
    """Return the scores of each run by measure and topic."""
    return [
        {
            series.measure: dict(zip(series.topics, series.values.tolist(), strict=True))
            for series in reading.series
        }
        for reading in scored.readings
    ]


def scores(names: Iterable[str], qrels: Path = QRELS, run: Path = RUN, **options) -> Scores:
    return values(score_runs(str(qrels), [str(run)], [*names], **options))[0]


@cache
def judged_documents(qrels: Path, run: Path) -> tuple[list, list]:
    """Return the judgements, and the documents of judged topics, as ir_measures reads them."""
    judgements = [*ir_measures.read_trec_qrels(str(qrels))]
    judged = {one.query_id for one in judgements}
    documents = [*ir_measures.read_trec_run(str(run))]
    return judgements, [one for one in documents if one.query_id in judged]


def reference(name: str, qrels: Path, run: Path) -> dict[str, float]:
    """Return what ir_measures computes for a measure alone, on the topics that the run has."""
    judgements, documents = judged_documents(qrels.resolve(), run.resolve())
    topics = {one.query_id for one in documents}
    found = ir_measures.iter_calc([ir_measures.parse_measure(name)], judgements, documents)
    return {one.query_id: one.value for one in found if one.query_id in topics}


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own: cwl_eval likes to write a log where it is called."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but what tests ask for write to standard error."""
    monkeypatch.setattr(logging.getLogger("ir_measures"), "handlers", [])


@pytest.fixture(scope="module")
def diverse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements of four subtopics, a document of a topic for one of them each."""
    path = tmp_path_factory.mktemp("diverse") / "qrels"
    rows = [line.split() for line in QRELS.read_text().splitlines()]
    path.write_text("".join(f"{topic} {sum(map(ord, name)) % 4} {name} {grade}\n"
                            for topic, _, name, grade in rows))  # fmt: skip
    return path


# The same numbers


@pytest.fixture(scope="module")
def at_once() -> Scores:
    names = [name for name in (*OF_DOCUMENTS, *OF_LEVELS) if has_perl or not by_perl(name)]
    found = scores(names)
    assert [*found] == names
    return found


@pytest.fixture(scope="module")
def subtopics_at_once(diverse: Path) -> Scores:
    return scores(OF_SUBTOPICS, diverse)


@pytest.mark.parametrize("name", [*OF_DOCUMENTS, *OF_LEVELS])
def test_numbers_are_those_of_ir_measures(name: str, at_once: Scores) -> None:
    if by_perl(name) and not has_perl:
        pytest.skip("needs Perl")
    assert at_once[name] == reference(name, QRELS, RUN)
    assert len({*at_once[name].values()}) > 1


@pytest.mark.parametrize("name", OF_SUBTOPICS)
def test_numbers_of_subtopics_are_those_of_ir_measures(
    name: str, diverse: Path, subtopics_at_once: Scores
) -> None:
    assert subtopics_at_once[name] == reference(name, diverse, RUN)
    assert len({*subtopics_at_once[name].values()}) > 1


@pytest.mark.parametrize("name", ["AP(rel=2)", "P(rel=3)@10", "RBP(rel=1,p=0.8)", "Compat"])
def test_a_measure_alone_has_the_numbers_that_it_has_among_others(
    name: str, at_once: Scores
) -> None:
    assert scores([name]) == {name: at_once[name]}
    assert os.listdir() == []  # cwl_eval would leave a log


def test_subtopics_with_other_parameters_in_one_call(diverse: Path) -> None:
    """ir_measures itself has zeros for all but the first of them."""
    names = ["alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@10", "alpha_nDCG(rel=2)@10"]
    found = scores(names, diverse)
    for name in names:
        assert found[name] == reference(name, diverse, RUN)
    assert len({tuple(one.values()) for one in found.values()}) == 3


@needs_perl
def test_the_command_of_ir_measures_prints_the_same() -> None:
    names = ["ERR@20", "AP(rel=2)", "P(rel=2)@10", "RBP(rel=1,p=0.5)", "Compat(p=0.8)"]
    command = [sys.executable, "-m", "ir_measures", QRELS, RUN, *names, "-q", "-n", "-p", "-1"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    expected: Scores = {name: {} for name in names}
    for line in printed.splitlines():
        topic, measure, value = line.split("\t")
        expected[measure][topic] = float(value)
    assert scores(names) == expected


@needs_perl
def test_real_runs_score_as_by_ir_measures(data: Path) -> None:
    qrels, run = data / "judges-dl21/human.qrels", data / "judges-dl21/runs/p_bm25.gz"
    names = ["ERR@20", "nDCG(dcg='exp-log2')@10", "RBP(rel=2,p=0.8)", "Compat(p=0.95)",
             "SDCG(max_rel=3)@10", "AP(rel=2)", "P(rel=2,judged_only=True)@10"]  # fmt: skip
    found = scores(names, qrels, run)
    for name in names:
        assert len(found[name]) == 53
        assert found[name] == reference(name, qrels, run), name


def test_real_subtopics_score_as_by_ndeval(data: Path, tmp_path: Path) -> None:
    """ndeval, in C, numbers topics and subtopics; subtopic 0 is what NTCIR calls all of them."""
    expected = pd.read_csv(data / "ntcireval/generated/TRECRUN.ndeval.csv")
    expected = expected[expected["topic"] != "amean"].set_index("topic")
    rows = [line.split() for line in (data / "ntcireval/Dtest.Dqrels").read_text().splitlines()]
    (tmp_path / "qrels").write_text(
        "".join(f"{topic} {subtopic} {name} {grade[1:]}\n"
                for topic, subtopic, name, grade in rows if subtopic != "0")
    )  # fmt: skip
    columns = {"AP_IA": "MAP-IA", "StRecall@5": "strec@5", "NRBP": "NRBP", "nNRBP": "nNRBP"}
    columns |= {f"{name}@{k}": f"{name.replace('_', '-')}@{k}" for k in (5, 10, 20)
                for name in ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "P_IA")}  # fmt: skip
    found = scores(columns, tmp_path / "qrels", data / "ntcireval/TRECRUN")
    for name, column in columns.items():
        printed = {f"{int(topic):04}": value for topic, value in expected[column].items()}
        assert {topic: round(value, 6) for topic, value in found[name].items()} == printed


# Topics, ties and odd judgements


def renamed(path: Path, names: Mapping[str, str], target: str) -> Path:
    lines = [line.split(maxsplit=1) for line in path.read_text().splitlines()]
    kept = [f"{names[topic]} {rest}\n" for topic, rest in lines if topic in names]
    Path(target).write_text("".join(kept))
    return Path(target)


@needs_perl
def test_topics_that_gdeval_would_mangle() -> None:
    """It takes the digits in a topic for its number, so that here all would be one or two."""
    names = {"301": "PLAIN-2", "302": "q1", "303": "2", "304": "002", "305": "PLAIN-12",
             "306": "1_2", "307": "caf\u00e9", "308": "-1", "309": "x"}  # fmt: skip
    qrels, run = renamed(QRELS, names, "qrels"), renamed(RUN, names, "x.run")
    measures = ["ERR@20", "nDCG(dcg='exp-log2')@10"]
    found, expected = scores(measures, qrels, run), scores(measures)
    for measure in measures:
        assert found[measure] == {names[topic]: expected[measure][topic] for topic in names}


TIES = ["AP(rel=1)", "ERR@10", "nDCG(dcg='exp-log2')@5", "RBP(rel=1,p=0.8)", "Compat(p=0.95)",
        "SDCG(max_rel=3)@10", "P(judged_only=True)@5"]  # fmt: skip


def run_of(rows: Iterable[Iterable[str]], name: str) -> Path:
    Path(name).write_text("".join(" ".join(row) + "\n" for row in rows))
    return Path(name)


@needs_perl
def test_ties_are_broken_as_in_ir_measures() -> None:
    """By the order of lines in cwl_eval, by document in others, and not in all the same way."""
    rows = [line.split() for line in RUN.read_text().splitlines()]
    tied = [[*row[:4], str(round(float(row[4]) / 2)), row[5]] for row in rows]
    path = run_of(sorted(tied, key=lambda row: (row[0], row[2])), "tied.run")
    found = scores(TIES, run=path)
    for name in TIES:
        assert found[name] == reference(name, QRELS, path), name
        assert found[name] != reference(name, QRELS, RUN), name


@needs_perl
def test_lines_may_be_in_any_order() -> None:
    """Where topics are apart, ir_measures itself takes each part for a ranking by RBP."""
    rows = [line.split() for line in RUN.read_text().splitlines()]
    path = run_of(sorted(rows, key=lambda row: row[2]), "shuffled.run")
    assert scores(TIES, run=path) == scores(TIES)


@needs_perl
def test_topics_without_a_relevant_document_and_negative_grades() -> None:
    Path("qrels").write_text("1 0 a -1\n1 0 b -2\n2 0 a 0\n3 0 a 1\n3 0 b -1\n4 0 a 2\n")
    Path("run").write_text("".join(f"{t} Q0 {d} 1 {s} x\n" for t in "123" for s, d in
                                   enumerate("axb")) + "4 Q0 x 1 1 x\n")  # fmt: skip
    names = ["ERR@10", "nDCG(dcg='exp-log2')@10", "RBP(rel=1,p=0.5)", "Compat(p=0.8)",
             "SDCG(max_rel=2)@2", "AP(judged_only=True)", "AP(rel=2)"]  # fmt: skip
    found = scores(names, Path("qrels"), Path("run"))
    for name in names:
        assert [*found[name]] == ["1", "2", "3", "4"]
        assert [found[name][topic] for topic in "124"] == [0.0, 0.0, 0.0], name
    assert found["RBP(rel=1,p=0.5)"]["3"] == 0.125
    assert found["AP(judged_only=True)"]["3"] == 1.0
    assert found["AP(rel=2)"]["3"] == 0.0


def test_documents_may_be_judged_for_several_subtopics() -> None:
    Path("qrels").write_text("1 1 a 1\n1 2 a 1\n1 2 b 1\n1 3 c 1\n2 1 a 0\n2 2 b 1\n")
    Path("run").write_text("1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n1 Q0 c 3 7 x\n2 Q0 b 1 9 x\n")
    found = scores(["StRecall@1", "StRecall@3"], Path("qrels"), Path("run"))
    assert found["StRecall@1"] == {"1": pytest.approx(2 / 3), "2": 1.0}
    assert found["StRecall@3"] == {"1": 1.0, "2": 1.0}
    with pytest.raises(DataError, match="document 'a' is judged twice for topic '1'"):
        scores(["StRecall@1", "AP"], Path("qrels"), Path("run"))


def test_subtopics_and_documents_may_be_scored_in_one_call(diverse: Path) -> None:
    found = scores(["AP", "alpha_nDCG@10", "RBP(rel=1)"], diverse)
    plain = scores(["AP", "RBP(rel=1)"])
    assert {name: found[name] for name in plain} == plain
    assert found["alpha_nDCG@10"] == reference("alpha_nDCG@10", diverse, RUN)


# Levels of relevance


def test_the_level_of_the_option_is_for_names_without_one() -> None:
    found = scores(["AP", "AP(rel=1)", "AP(rel=2)", "AP(rel=3)", "RBP(p=0.8)"], rel_level=2)
    assert found["AP"] == found["AP(rel=2)"] == reference("AP(rel=2)", QRELS, RUN)
    assert found["AP(rel=1)"] == reference("AP", QRELS, RUN)
    assert found["AP(rel=3)"] == reference("AP(rel=3)", QRELS, RUN)
    assert found["RBP(p=0.8)"] == reference("RBP(p=0.8,rel=2)", QRELS, RUN)


@pytest.mark.parametrize(
    ("name", "with_level"),
    [
        ("P(judged_only=True)@10", "P(judged_only=True,rel=2)@10"),
        ("AP(judged_only=True)", "AP(judged_only=True,rel=2)"),
        ("SetF(beta=2.0)", "SetF(beta=2.0,rel=2)"),
        ("SetP(relative=True)", "SetP(relative=True,rel=2)"),
        ("IPrec(judged_only=True)@0.1", "IPrec(judged_only=True,rel=2)@0.1"),
    ],
)
def test_the_level_of_the_option_is_for_all_binary_measures(name: str, with_level: str) -> None:
    assert scores([name], rel_level=2)[name] == reference(with_level, QRELS, RUN)


@pytest.mark.parametrize("name", ["alpha_nDCG@10", "AP_IA"])
def test_the_level_of_the_option_is_for_subtopics_too(name: str, diverse: Path) -> None:
    base, at, cutoff = name.partition("@")
    expected = reference(f"{base}(rel=2){at}{cutoff}", diverse, RUN)
    assert scores([name], diverse, rel_level=2)[name] == expected


def test_a_level_that_was_filled_in_is_told_of(confint: Confint) -> None:
    options = ["-q", QRELS, "--every", 25, "--rel-level", 2, RUN]
    result = confint("score", "-m", "RBP(p=0.8)", *options)
    assert result.err == (
        "confint: note: RBP(p=0.8) counts grades of 2 or more as relevant: RBP(rel=2,…)\n"
    )
    assert confint("score", "-m", "RBP(rel=2,p=0.8)", *options).err == ""


def test_topics_without_a_document_of_a_level_are_told_of_for_each(confint: Confint) -> None:
    result = confint("score", "-q", QRELS, "-m", "AP,AP(rel=2),AP(rel=3),nDCG@10", RUN)
    assert result.status == 0
    assert result.err == (
        "confint: note: 8 judged topics have no document of grade 3 or more: every run scores 0 "
        "there in binary measures, as in trec_eval\n"
    )


# The command line


@needs_perl
def test_names_are_shown_as_the_user_wrote_them_and_read_again(confint: Confint) -> None:
    asked = "RBP(p=0.8, rel=1),nDCG(dcg='exp-log2')@10,AP(rel=2),P( rel = 2 )@10,ERR@20"
    names = ["RBP(p=0.8,rel=1)", "nDCG(dcg='exp-log2')@10", "AP(rel=2)", "P( rel = 2 )@10",
             "ERR@20"]  # fmt: skip
    for ending in ("tsv", "json"):
        path = Path(f"scores.{ending}")
        written = confint("score", "-q", QRELS, "-m", asked, "--every", 10, "-o", path, RUN)
        assert (written.status, written.err) == (0, "")
        for name in names:
            rows = records(confint("score", "-m", name, "-f", "tsv", path))
            assert {row["measure"].replace(" ", "") for row in rows} == {name.replace(" ", "")}
            assert len(rows) == 5


def test_several_processes_score_the_same(tmp_path: Path) -> None:
    runs = [str(worth_a_process(RUN, tmp_path)), str(SAMPLES / "runs/dense.run")]
    names = ["AP(rel=2)", "RBP(rel=1)", "Compat"]
    one, two = (
        values(score_runs(str(QRELS), runs, names, workers=Local(number))) for number in (1, 2)
    )
    assert one == two


@needs_perl
def test_what_computes_is_in_the_signature_and_values_of_perl_are_rounded() -> None:
    scored = score_runs(str(QRELS), [str(RUN)], ["AP", "ERR@20", "RBP(rel=1)", "ERR@10"])
    version = ir_measures.__version__
    assert scored.scorer.endswith(f", ir_measures-{version} (gdeval, cwl_eval)")
    roundings = [series.rounding for series in scored.readings[0].series]
    assert roundings == [0.0, 0.5e-5, 0.0, 0.5e-5]
    for series in scored.readings[0].series[1::2]:
        assert np.array_equal(series.values, np.round(series.values, 5))


def test_what_a_tool_says_of_judgements_is_one_line(confint: Confint) -> None:
    result = confint("score", "-q", QRELS, "-m", "SDCG(max_rel=2)@10", "--every", 25, RUN)
    assert result.status == 0
    assert "SDCG(max_rel=2)@10: max_rel=2 but" in result.err
    assert result.err.startswith("confint: warning: ")
    assert result.err.count("\n") == 1


# What cannot be computed


def refusal(name: str, qrels: Path = QRELS) -> tuple[str, str]:
    with pytest.raises((CallError, DataError)) as raised:
        scores([name], qrels)
    return str(raised.value), raised.value.hint


@pytest.mark.parametrize(
    ("name", "tool", "needed", "hint"),
    [
        ("ERR@20", "gdeval", "Perl", "install perl, which gdeval is written in"),
        ("nDCG(dcg='exp-log2')@10", "gdeval", "Perl", "install perl, which gdeval is written in"),
        ("RBP(rel=1)", "cwl_eval", "cwl-eval", EXTRA),
        ("alpha_nDCG@10", "pyndeval", "pyndeval", EXTRA),
    ],
)
def test_a_tool_that_is_missing_is_named(
    name: str, tool: str, needed: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = ir_measures.providers.registry[tool]
    monkeypatch.setattr(provider, "is_available", lambda: False)
    monkeypatch.setattr(ir_measures.providers.registry["ranx"], "is_available", lambda: False)
    found = refusal(name)
    assert found == (f"'{name}' needs {needed}, which is not installed", hint)


@pytest.mark.parametrize(
    "name",
    ["ERR@20", "RBP(p=0.5)", "Compat", "alpha_nDCG(alpha=0.3)@5", "nDCG(dcg='exp-log2')@10",
     "AP(judged_only=True)", "P(rel=2,judged_only=True)@10", "SetF(beta=2.0)",
     "nDCG(gains={1:2})@10", "NERR8(max_rel=3)@10", "AP_IA"],
)  # fmt: skip
def test_the_extra_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    assert refusal(name)[1] == EXTRA


def test_what_is_no_measure_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    assert "did you mean ndcg?" in refusal("ndgc")[1]
    assert scores(["AP(rel=2)", "P(rel=3)@5"]).keys() == {"AP(rel=2)", "P(rel=3)@5"}


REFUSED = [
    # A cutoff that is none, a level below those there are.
    "Judged@0", "RR@0", "ERR@0", "ERR@-1", "ERR@1e1",
    "SDCG(max_rel=3)@0", "BPM(max_rel=3)@0", "nDCG(dcg='exp-log2')@0", "alpha_nDCG@0",
    "AP(rel=0)", "P(rel=0)@10", "AP(rel=0,judged_only=True)", "AP(rel=-1)", "AP(rel=x)",
    # Parameters that no user of the measure can mean.
    "Compat(p=1.5)", "RBP(rel=1,p=1.0)", "SDCG(max_rel=0)@10", "INSQ(max_rel=0)",
    "SDCG(min_rel=3,max_rel=3)@10", "NERR10(max_rel=3,p=5.0)", "alpha_nDCG(alpha=5.0)@10",
    "nDCG(gains={1:1.5})@10", "nDCG(gains={1:-1})@10", "nDCG(gains={1:'x'})@10",
    "nDCG(gains={1:None})@10", "nDCG(gains=3)@10", "ERR(x=1)@10", "nDCG(rel=2)@10",
    # What is needed and not given, and what the tool cannot do.
    "ERR", "SDCG@10", "BPM(max_rel=3)", "alpha_nDCG", "StRecall", "ERR_IA", "RBP(rel=1)@10",
    "alpha_nDCG@50", "alpha_nDCG(judged_only=True)@10", "AP_IA(judged_only=True)",
    "IPrec@0.125", "IPrec(judged_only=True)@0.125", "SetF(beta=1e-9)",
    # No measures, or no means of topics.
    "Accuracy", "NumRet", "NumRel(rel=2)", "__import__('os')", "P@10+P@5", "AP(rel=2", "AP)rel=2(",
    "lambda: 0", "x" * 300, "AP(rel=2)\0", "ERR@\uff11\uff10",
]  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_measure_that_cannot_be_computed_is_refused(name: str, diverse: Path) -> None:
    problem, _ = refusal(name, diverse)
    assert problem
    assert "\n" not in problem


def test_a_cutoff_on_which_pytrec_eval_ends_the_process_is_refused() -> None:
    for name in ("AP(rel=2)@0", "P(judged_only=True)@0"):
        call = [sys.executable, "-m", "confint_cli", "score", "-q", QRELS, "-m", name, RUN]
        done = subprocess.run(call, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr[-300:]
        assert done.stderr.startswith("confint: ")


@pytest.mark.parametrize(
    ("name", "words"),
    [("ERR", "@k"), ("alpha_nDCG", "@k"), ("SDCG@10", "max_rel"), ("SetF(beta=2)", "2.0"),
     ("RBP(p=2)", "0.8")],
)  # fmt: skip
def test_what_a_measure_needs_is_named(name: str, words: str, diverse: Path) -> None:
    """By an example that can be typed: FLOAT does not say that 2 is none."""
    problem, hint = refusal(name, diverse)
    assert words in hint, (problem, hint)


@pytest.mark.parametrize("name", ["ERR@20", "RBP(rel=1,p=0.8)", "Compat"])
def test_names_may_be_in_small_letters_as_those_of_trec_eval(name: str) -> None:
    small = name.casefold()
    assert scores([small])[small] == scores([name])[name]


def test_judgements_that_a_tool_cannot_use() -> None:
    Path("qrels").write_text("1 0 a 5\n1 0 b 0\n")
    Path("x.run").write_text("1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n")
    with pytest.raises(DataError, match="has grade 5, but ERR@20 takes grades up to 4"):
        scores(["ERR@20"], Path("qrels"), Path("x.run"))
    Path("blank.json").write_text(json.dumps({"1": {"a b": 2.5, "c": 1.5}}))
    Path("qrels").write_text("1 0 a 3\n1 0 c 1\n")
    with pytest.raises(DataError, match=re.escape("blank.json: document 'a b' has a blank")):
        scores(["ERR@20"], Path("qrels"), Path("blank.json"))
    assert scores(["RBP(rel=1,p=0.5)"], Path("qrels"), Path("blank.json")) == {
        "RBP(rel=1,p=0.5)": {"1": 0.25}
    }


def test_judgements_without_subtopics() -> None:
    problem, hint = refusal("alpha_nDCG@10")
    assert problem.endswith("has no topic with several subtopics, but alpha_nDCG@10 needs them")
    assert "'topic subtopic document grade'" in hint
    Path("b.json").write_text(json.dumps({"301": {"a": 1}}))
    assert "has no subtopics" in refusal("alpha_nDCG@10", Path("b.json"))[0]
    Path("b.qrels").write_text("1 1 a 1\n1 2 a 1\n1 1 a 0\n")
    problem, _ = refusal("alpha_nDCG@10", Path("b.qrels"))
    assert "b.qrels:3: document 'a' is judged twice for a subtopic of '1'" in problem
