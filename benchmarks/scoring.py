"""Scoring runs against what else scores runs."""

import gzip
import shutil
from importlib.util import find_spec
from pathlib import Path

from benchmarks.agreement import check_scores, scores_in
from benchmarks.data import robust2003, scratch
from benchmarks.harness import BIN, Row, Rows, compete, confint, measure, output_of, python

TITLE = "Scoring runs"

_PYTREC_EVAL_LOOP = """
import gzip, sys
import pytrec_eval
with open(sys.argv[1]) as lines:
    qrels = pytrec_eval.parse_qrel(lines)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_10", "recip_rank"})
for path in sys.argv[2:]:
    with gzip.open(path, "rt") as lines:
        run = pytrec_eval.parse_run(lines)
    for topic, scores in evaluator.evaluate(run).items():
        for measure, score in scores.items():
            print(path, topic, measure, score)
"""

_RANX = """
import sys, warnings
warnings.simplefilter("ignore")
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
names = {"map": "AP", "ndcg@10": "nDCG@10", "precision@10": "P@10", "mrr": "RR"}
for path in sys.argv[2:]:
    run = Run.from_file(path, kind="trec")
    found = evaluate(qrels, run, [*names], return_mean=False, make_comparable=True)
    for name, values in found.items():
        for topic, score in zip(sorted(qrels.qrels), values):
            print(path, topic, names[name], score)
"""


def rows() -> Rows:
    """17 runs, 1.5 million lines: gzip files, unpacked only for trec_eval, which reads no others.

    First of all every contestant has to print the scores that we print for a run.
    """
    qrels, runs = robust2003()
    ours, loop = _confint(qrels, *runs), python(_PYTREC_EVAL_LOOP, qrels, *runs)
    own = scores_in(output_of(_confint(qrels, runs[0])), (1, 2, 3))
    printed = output_of(python(_PYTREC_EVAL_LOOP, qrels, runs[0]))
    check_scores("pytrec_eval", own, scores_in(printed, (1, 2, 3)))
    check_scores("ir_measures", own, scores_in(output_of(_ir_measures(qrels, runs[0])), (0, 1, 2)))
    all_cores, one_core, of_loop, of_ir_measures = compete(
        lambda: measure([ours]),
        lambda: measure([[*ours, "--jobs", "1"]], cores=1),
        lambda: measure([loop], cores=1),
        lambda: measure([_ir_measures(qrels, run) for run in runs]),
    )
    found: Rows = [
        Row("score 17 runs, four measures", all_cores, "ir_measures, one call per run",
            of_ir_measures, "5 times"),
        Row("the same", all_cores, "a pytrec_eval loop", of_loop, "faster"),
        Row("the same on one core", one_core, "a pytrec_eval loop", of_loop, "0.67 times or more"),
    ]  # fmt: skip
    plain = [_unpacked(run) for run in runs]
    if find_spec("ranx") is None:
        found.append("ranx is not installed, so its row is left out.")
    else:
        printed = output_of(python(_RANX, qrels, plain[0]))
        check_scores("ranx", own, scores_in(printed, (1, 2, 3)))
        unpacked, ranx = compete(
            lambda: measure([_confint(qrels, *plain)]),
            lambda: measure([python(_RANX, qrels, *plain)]),
            rounds=1,
        )
        peer = "ranx, one process for all runs, which compiles first"
        found.append(Row("the same runs, unpacked", unpacked, peer, ranx, "faster"))
    if shutil.which("trec_eval") is None:
        return [*found, "trec_eval is not on the PATH, so its rows are left out."]
    check_scores(
        "trec_eval", own, scores_in(output_of(_trec_eval(qrels, plain[0])), (1, 0, 2))
    )  # fmt: skip
    ours = _confint(qrels, *plain)
    all_cores, one_core, trec_eval = compete(
        lambda: measure([ours]),
        lambda: measure([[*ours, "--jobs", "1"]], cores=1),
        lambda: measure([_trec_eval(qrels, run) for run in plain], cores=1),
    )
    peer = "trec_eval (in C), one call per run"
    return [
        *found,
        Row("the same runs, unpacked", all_cores, peer, trec_eval),
        Row("the same on one core", one_core, peer, trec_eval),
    ]


def _confint(qrels: Path, *runs: Path) -> list[str]:
    return confint("score", "-q", qrels, "-m", "AP,nDCG@10,P@10,RR", *runs)


def _ir_measures(qrels: Path, run: Path) -> list[str]:
    return [*map(str, (BIN / "ir_measures", qrels, run)), "AP", "nDCG@10", "P@10", "RR", "-q"]


def _trec_eval(qrels: Path, run: Path) -> list[str]:
    names = ("map", "ndcg_cut.10", "P.10", "recip_rank")
    return ["trec_eval", "-q", *(word for name in names for word in ("-m", name)), str(qrels),
            str(run)]  # fmt: skip


def _unpacked(run: Path) -> Path:
    plain = scratch() / run.stem
    with gzip.open(run) as packed, open(plain, "wb") as out:
        shutil.copyfileobj(packed, out)
    return plain
