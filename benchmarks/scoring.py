"""Scoring runs against what else scores runs."""

from benchmarks.harness import BIN, DATA, Row, compete, confint, measure, python

PYTREC_EVAL_LOOP = """
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


def rows() -> list[Row]:
    """17 real runs, 1.5 million lines."""
    folder = DATA / "robust2003-runs"
    qrels, runs = folder / "robust03_qrels.txt", sorted((folder / "runs").glob("*.gz"))
    call = confint("score", "-q", qrels, "-m", "AP,nDCG@10,P@10,RR", *runs)
    names = ("AP", "nDCG@10", "P@10", "RR")
    each = [[str(BIN / "ir_measures"), str(qrels), str(run), *names, "-q"] for run in runs]
    ours, one_core, loop, peers = compete(
        lambda: measure([call]),
        lambda: measure([[*call, "--jobs", "1"]], cores=1),
        lambda: measure([python(PYTREC_EVAL_LOOP, qrels, *runs)], cores=1),
        lambda: measure(each),
    )
    return [
        Row("score 17 runs, four measures", ours, "ir_measures, a call a run", peers, "5 times"),
        Row("the same", ours, "a pytrec_eval loop", loop, "faster"),
        Row("the same on one core", one_core, "a pytrec_eval loop", loop, "0.67 times or more"),
    ]
