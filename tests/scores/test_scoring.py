"""The same numbers as trec_eval 9, whatever the number of processes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from confint_cli.common.errors import DataError
from confint_cli.common.parallel import ALL_CORES, ALONE, Local
from confint_cli.inputs import read_scores
from confint_cli.scores.odd_runs import _are_tied
from confint_cli.scores.scoring import score_runs
from tests.conftest import SAMPLES, Confint, worth_a_process
from tests.inputs.test_all_formats import EVERYTHING


def scores_of(tmp_path: Path, qrels: str, run: str, measures: list[str], **options):
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    scored = score_runs(str(tmp_path / "qrels"), [str(tmp_path / "run")], measures, **options)
    return {
        series.measure: dict(zip(series.topics, series.values.tolist(), strict=True))
        for series in scored.readings[0].series
    }


QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n1 0 d -1\n"


def test_a_small_case_by_hand(tmp_path: Path) -> None:
    run = "1 Q0 b 1 9 t\n1 Q0 a 2 8 t\n1 Q0 x 3 7 t\n1 Q0 c 4 6 t\n"
    found = scores_of(tmp_path, QRELS, run, ["AP", "P@2", "RR", "R@2", "nDCG@2", "RR@1", "RR@2"])
    assert found["AP"]["1"] == pytest.approx((1 / 2 + 2 / 4) / 2, abs=1e-12)
    assert found["P@2"]["1"] == 0.5
    assert found["RR"]["1"] == found["RR@2"]["1"] == 0.5
    assert found["RR@1"]["1"] == 0.0
    assert found["R@2"]["1"] == 0.5
    ideal = 2 / np.log2(2) + 1 / np.log2(3)
    assert found["nDCG@2"]["1"] == pytest.approx(2 / np.log2(3) / ideal, abs=1e-12)


def test_the_reciprocal_rank_is_cut_at_its_rank_for_every_cutoff(tmp_path: Path) -> None:
    for rank in (1, 2, 3, 7, 10, 49):
        run = "".join(f"1 Q0 x{n} 0 {1000 - n} t\n" for n in range(1, rank)) + "1 Q0 a 0 1 t\n"
        found = scores_of(tmp_path, QRELS, run, [f"RR@{cut}" for cut in range(1, 60)])
        for cut in range(1, 60):
            expected = 1 / rank if rank <= cut else 0.0
            assert found[f"RR@{cut}"]["1"] == pytest.approx(expected), (rank, cut)


def test_scores_decide_not_ranks_and_ties_go_by_document_backwards(tmp_path: Path) -> None:
    found = scores_of(tmp_path, QRELS, "1 Q0 b 1 5 t\n1 Q0 c 2 9 t\n", ["RR"])
    assert found["RR"]["1"] == 1.0
    tie = scores_of(tmp_path, "1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n", ["RR"])
    assert tie["RR"]["1"] == 0.5  # trec_eval puts b before a


def test_the_relevance_level_counts_for_binary_measures(tmp_path: Path) -> None:
    run = "1 Q0 c 1 9 t\n1 Q0 a 2 8 t\n"
    assert scores_of(tmp_path, QRELS, run, ["RR"])["RR"]["1"] == 1.0
    assert scores_of(tmp_path, QRELS, run, ["RR"], rel_level=2)["RR"]["1"] == 0.5


def test_judgements_of_ntcir_comments_and_blanks_of_any_kind(tmp_path: Path) -> None:
    ntcir = "# comment\n1 a L2\n1  b\tL0\n\n1 c L1\n"
    run = "# comment\n<SYSDESC>a toy</SYSDESC>\n 1\tQ0   b#1 1 9 t junk\n1 0 a 2 8 t\n\n"
    found = scores_of(tmp_path, ntcir, run, ["AP", "ndcg"])
    assert found["AP"]["1"] == 0.25
    assert found["ndcg"]["1"] > 0


def test_documents_that_are_no_utf8_still_match(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"1 0 d\xe9 1\n")
    (tmp_path / "run").write_bytes(b"1 Q0 d\xe9 1 9 t\xe9\n1 Q0 \xe3\x80\x80x 2 8 t\n")
    scored = score_runs(str(tmp_path / "qrels"), [str(tmp_path / "run")], ["RR"])
    assert scored.readings[0].series[0].values.tolist() == [1.0]
    assert scored.readings[0].tag == "t\\xe9"


def test_a_topic_whose_lines_are_scattered_is_one_topic(tmp_path: Path) -> None:
    qrels = "1 0 a 1\n2 0 a 1\n"
    together = "1 Q0 b 1 9 t\n1 Q0 a 2 8 t\n2 Q0 a 1 9 t\n"
    apart = "1 Q0 b 1 9 t\n2 Q0 a 1 9 t\n1 Q0 a 2 8 t\n"
    assert scores_of(tmp_path, qrels, apart, ["AP"]) == scores_of(tmp_path, qrels, together, ["AP"])


def test_a_long_run_is_read_in_pieces(tmp_path: Path) -> None:
    """Of a megabyte each, and there is more than one of them."""
    lines = [f"1 Q0 x{n} 0 {100_000 - n} t\n" for n in range(1, 80_000)]
    run = "".join(lines) + "1 Q0 a 0 1 t\n# end\n"
    assert len(run) > 1 << 20
    assert scores_of(tmp_path, QRELS, run, ["RR"])["RR"]["1"] == pytest.approx(1 / 80_000)


def test_topics_are_those_judged_and_what_a_run_lacks_scores_zero(confint: Confint) -> None:
    result = confint(
        "score", "-q", SAMPLES / "qrels.txt", "-m", "map", SAMPLES / "runs/early-stop.run"
    )
    assert len(result.rows) == 50
    assert [row[3] for row in result.rows[-4:]] == ["0.0000"] * 4
    assert result.err == (
        "confint: warning: 1 run lacks some of the 50 topics: early-stop lacks 4; scored 0 there\n"
    )


def test_a_topic_without_relevant_documents_is_mentioned(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 9 t\n2 Q0 a 1 9 t\n")
    result = confint("score", "-q", tmp_path / "qrels", "-m", "map", tmp_path / "run")
    assert [row[3] for row in result.rows] == ["1.0000", "0.0000"]
    assert result.err == (
        "confint: note: 1 judged topic has no document of grade 1 or more: "
        "every run scores 0 there in binary measures, as in trec_eval\n"
    )


def test_the_sample_collection_scores_as_its_trec_eval_files_say() -> None:
    names = ["map", "Rprec", "bpref", "recip_rank", "P_10", "ndcg", "ndcg_cut_10"]
    for path in sorted((SAMPLES / "trec_eval").glob("*.eval")):
        _, expected = read_scores(str(path), EVERYTHING)
        run = SAMPLES / "runs" / f"{path.stem}.run"
        scored = score_runs(str(SAMPLES / "qrels.txt"), [str(run)], names)
        for series in scored.readings[0].series:
            printed = next(one for one in expected.series if one.measure == series.measure)
            assert dict(zip(printed.topics, printed.values, strict=True)) == {
                topic: round(value, 4)
                for topic, value in zip(series.topics, series.values.tolist(), strict=True)
            }


@pytest.mark.parametrize("workers", [ALONE, Local(2)])
def test_what_is_wrong_with_a_run_is_a_part_of_the_result(workers: Local, tmp_path: Path) -> None:
    broken = tmp_path / "broken.run"
    broken.write_text("301 Q0\n")
    large = worth_a_process(SAMPLES / "runs/bm25.run", tmp_path)
    good = [str(large), str(SAMPLES / "runs/hybrid.run")]
    paths = [good[0], str(broken), good[1]]
    qrels = str(SAMPLES / "qrels.txt")
    scored = score_runs(qrels, paths, ["map"], workers=workers, forgiving=True)
    assert [reading.path for reading in scored.readings] == good
    ((path, error),) = scored.left_out.items()
    assert path == str(broken)
    with pytest.raises(DataError) as raised:
        score_runs(qrels, paths, ["map"], workers=workers)
    assert (str(raised.value), raised.value.hint) == (str(error), error.hint)


def test_standard_input_may_be_one_of_many_runs(tmp_path: Path, confint: Confint) -> None:
    piped = (SAMPLES / "runs/hybrid.run").read_bytes()
    large = worth_a_process(SAMPLES / "runs/bm25.run", tmp_path)
    result = confint("score", "-q", SAMPLES / "qrels.txt", "-m", "map", large, "-", "--jobs", 2,
                     stdin=piped)  # fmt: skip
    assert result.status == 0, result.err
    assert {row[0] for row in result.rows} == {"bm25", "hybrid"}


def test_a_fault_in_a_worker_process_is_told_as_any_other(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "b.eval").write_text("map\t301\t0.5\nmap\t302\n")
    first, *others = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    paths = [worth_a_process(first, tmp_path), *others, tmp_path / "b.eval"]
    result = confint("score", "--jobs", 2, *paths)
    assert result.status == 1
    assert result.err.startswith(f"confint: {tmp_path}/b.eval:2: 3 fields are needed")


def test_all_measures_are_those_of_trec_eval(confint: Confint) -> None:
    result = confint("score", "-q", SAMPLES / "qrels.txt", "-m", "all", "--every", 50,
                     SAMPLES / "runs/bm25.run")  # fmt: skip
    assert result.status == 0, result.err
    names = [row[2] for row in result.rows]
    assert len(names) == len(set(names)) > 90
    assert {"map", "P_1000", "success_1", "iprec_at_recall_0.00", "Rprec_mult_2.00"} <= set(names)


def test_a_run_of_another_collection_is_warned_of(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "x.run").write_text("301 Q0 elsewhere-1 1 9 t\n")
    result = confint("score", "-q", SAMPLES / "qrels.txt", "-m", "map", tmp_path / "x.run")
    assert result.err.splitlines()[0] == (
        f"confint: warning: {tmp_path}/x.run: none of its documents, such as 'elsewhere-1', is "
        "judged: is it from another collection?"
    )


def test_a_run_with_several_tags_is_mentioned(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 9 one\n1 Q0 b 2 8 two\n")
    result = confint("score", "-q", tmp_path / "qrels", "-m", "map", "--name-from", "tag",
                     tmp_path / "x.run")  # fmt: skip
    assert result.err == f"confint: note: {tmp_path}/x.run: has 2 tags: one, two\n"
    assert result.rows == [["one", "1", "map", "1.0000"]]


def test_a_topic_with_negative_grades_only_has_no_relevant_document(tmp_path: Path) -> None:
    """pytrec_eval alone ends the process on such a topic."""
    qrels = "1 0 a -1\n1 0 b -2\n2 0 a 1\n"
    run = "1 Q0 a 1 9 t\n1 Q0 x 2 8 t\n1 Q0 y 3 7 t\n2 Q0 a 1 9 t\n"
    found = scores_of(tmp_path, qrels, run, ["map", "bpref", "P@5", "ndcg", "infAP", "utility"])
    assert {
        name: values["1"] for name, values in found.items() if name != "utility"
    } == dict.fromkeys(["map", "bpref", "P@5", "ndcg", "infAP"], 0.0)
    assert found["utility"]["1"] == -3.0


def test_comments_in_the_middle_are_comments(tmp_path: Path) -> None:
    qrels = "1 0 a 1\n#2 0 a 1\n3 0 a 1\n"
    run = "1 Q0 a 1 9 t\n#1 Q0 a 2 8 t\n#1 Q0 a 2 8 t\n3 Q0 a 1 9 t\n"
    assert scores_of(tmp_path, qrels, run, ["map"])["map"] == {"1": 1.0, "3": 1.0}


def test_all_measures_may_have_one_more(confint: Confint) -> None:
    result = confint("score", "-q", SAMPLES / "qrels.txt", "-m", "all,P@7", "--every", 50,
                     SAMPLES / "runs/bm25.run")  # fmt: skip
    assert [row[2] for row in result.rows][-1] == "P@7"


# Runs whose scores do not give the order that was meant


CONTRADICTED = (
    "ranks contradict scores; the scores decide, as in trec_eval (if the scores are "
    "distances, negate them; if the ranks are right, use minus the rank as the score)"
)
TIED = (
    "all documents of a topic have the same score: they are ordered by id, as in trec_eval, which "
    "means nothing (give scores that differ, such as minus the rank)"
)


@pytest.fixture
def told(tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return what is said of runs, on 20 judged topics: a letter for the scores of each topic.

    Their scores fall (`f`), rise (`r`), are tied (`t`), or there is one document only (`1`).
    """
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{n} 0 d1 1\n{n} 0 other 0\n" for n in range(1, 21)))
    scores = {"f": "321", "r": "123", "t": "000", "1": "1"}

    def call(*options: object, **runs: str) -> str:
        for name, topics in runs.items():
            Path(name).write_text(
                "".join(
                    f"{topic} Q0 d{rank} {rank} {score} t\n"
                    for topic, letter in enumerate(topics, start=1)
                    for rank, score in enumerate(scores[letter], start=1)
                )
            )
        result = confint("score", "-q", "qrels", "-m", "RR", *options, *runs)
        assert result.status == 0
        lines = result.err.splitlines(keepends=True)
        others = ("lacks some", "unjudged documents")
        return "".join(line for line in lines if not any(words in line for words in others))

    return call


def test_ranks_that_contradict_scores_are_told_of(told: Callable[..., str]) -> None:
    assert told(a="f" * 20) == ""
    assert told(a="r" * 20) == f"confint: warning: a (20 of 20 topics): {CONTRADICTED}\n"
    assert told(a="f" * 19 + "r") == f"confint: warning: a (1 of 20 topics): {CONTRADICTED}\n"
    assert told(a="r") == f"confint: warning: a (1 of 1 topic): {CONTRADICTED}\n"
    assert told("--quiet", a="r" * 20) == ""


def test_ties_are_told_of_from_a_tenth_of_the_topics_on(told: Callable[..., str]) -> None:
    assert told(a="f" * 18 + "tt") == f"confint: warning: a (2 of 20 topics): {TIED}\n"
    assert told(a="f" * 19 + "t") == ""
    assert told(a="f" * 9 + "t" + "1" * 10) == f"confint: warning: a (1 of 10 topics): {TIED}\n"
    assert told(a="1" * 20) == ""
    assert told("--quiet", a="t" * 20) == ""


def test_several_runs_make_one_line(told: Callable[..., str]) -> None:
    assert told(a="r" * 20, b="f" * 20, c="f" * 17 + "rrr", d="t" * 20) == (
        f"confint: warning: 2 files: {CONTRADICTED}: a (20 of 20 topics), c (3 of 20 topics)\n"
        f"confint: warning: d (20 of 20 topics): {TIED}\n"
    )


def test_the_lines_are_the_same_from_several_processes(
    told: Callable[..., str], tmp_path: Path
) -> None:
    runs = {"a": "r" * 20, "b": "t" * 20, "c": "r" * 5}
    (tmp_path / "large").write_text("1 Q0 d1 1 1 t\n")
    large = worth_a_process(tmp_path / "large", tmp_path)
    alone, several = (told("--jobs", jobs, large, **runs) for jobs in (1, 2))
    assert several == alone
    assert CONTRADICTED in alone
    assert TIED in alone


def test_topics_that_nobody_judged_are_nobodys_worry(told: Callable[..., str]) -> None:
    assert told(a="f" * 20 + "r" * 20 + "t" * 20) == ""
    assert told(a="r" + "f" * 19 + "r" * 9).startswith("confint: warning: a (1 of 20 topics): ")


@pytest.mark.parametrize(
    ("scores", "tied"),
    [
        ([1.0, 1.0], True),
        ([1.0, 1.00000001], True),  # one number in single precision, which trec_eval has
        ([1e300, 1e299], True),
        ([1e-50, 0.0, -0.0], True),
        ([1.0, 1.000001], False),
        ([1.0, 1.0, 2.0], False),
        ([1e300, -1e300], False),
    ],
)
def test_scores_are_tied_if_they_are_to_trec_eval(scores: list[float], tied: bool) -> None:
    """Two orders of the documents' ids then make a difference to its result, and else none."""
    found = []
    for ids in (range(9), reversed(range(9))):
        ranking = {str(document): score for document, score in zip(ids, scores, strict=False)}
        relevant = list(ranking)[-1]
        evaluator = pytrec_eval.RelevanceEvaluator({"1": {relevant: 1}}, {"recip_rank"})
        found.append(evaluator.evaluate({"1": ranking})["1"]["recip_rank"])
    assert (found[0] != found[1]) == tied
    assert _are_tied(scores) == tied


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [
        ("robust2003-runs/robust03_qrels.txt", "robust2003-runs/runs/*.gz"),
        ("trec_eval-test/qrels.test", "trec_eval-test/results.t*"),
        ("conversations-cast21/qrels.txt", "conversations-cast21/runs/*.gz"),
        ("judges-dl21/human.qrels", "judges-dl21/runs/*.gz"),
    ],
)
def test_no_real_run_raises_an_alarm(data: Path, qrels: str, runs: str) -> None:
    paths = sorted(map(str, data.glob(runs)))
    assert paths
    scored = score_runs(str(data / qrels), paths, ["RR"], workers=ALL_CORES)
    assert not {CONTRADICTED, TIED} & {
        notice.text for reading in scored.readings for notice in reading.notices
    }
