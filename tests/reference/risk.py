"""Make risk.tsv: R's boot.ci and shapiro.test on weighted differences, with our resamples.

Needs what boot_ci.py needs:

    .venv/bin/python -m tests.reference.risk

The rows are those of boot_ci.tsv, of differences in which a loss counts r times, the sign turned.
Those of `shapiro` have the W of the topics in place of `low`, that of the resamples in place of
`high`.
"""

import numpy as np

from tests.reference.boot_ci import HERE, scores_of, what_r_says

LEVELS = (0.95, 0.99)
TREC8, ROBUST = "soboroff2014/trec8.adhoc", "soboroff2014/trec13.robust"
PAIRS = (
    # run, baseline, measure, r: better, worse, and much alike; 50 and 100 topics
    (f"{TREC8}/orcl99man.eval", f"{TREC8}/ok8amxc.eval", "map", 10),
    (f"{TREC8}/isa25.eval", f"{TREC8}/ok8amxc.eval", "P10", 2),
    (f"{ROBUST}/pircRB04td2.eval", f"{ROBUST}/NLPR04OKapi.eval", "map", 5),
    ("sample_runs/trec_eval/hybrid.eval", "sample_runs/trec_eval/bm25.eval", "map", 10),
    ("sample_runs/trec_eval/dense.eval", "sample_runs/trec_eval/bm25.eval", "map", 1),
)


def weighted_differences(run: str, baseline: str, measure: str, r: float) -> np.ndarray:
    """Return what a run loses on each topic, r-fold, or wins, below 0."""
    both = zip(scores_of(run, measure), scores_of(baseline, measure), strict=True)
    return np.array([r * (old - new) if new < old else old - new for new, old in both])


def main() -> None:
    lines = ["run\tbaseline\tmeasure\tr\tmethod\tlevel\tlow\thigh\tties\tequal"]
    for run, baseline, measure, r in PAIRS:
        rows = what_r_says(weighted_differences(run, baseline, measure, r), LEVELS)
        lines += ["\t".join([run, baseline, measure, str(r), *row]) for row in rows]
    (HERE / "risk.tsv").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
