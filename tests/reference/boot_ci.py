"""Make boot_ci.tsv: R's boot.ci on real and made-up columns, with our resamples.

Needs R with its package boot (Debian: r-base-core, r-cran-boot) and CONFINT_DATA:

    .venv/bin/python -m tests.reference.boot_ci

The file has a row for each column, method and level. Two numbers say where definitions differ:
`ties` of the resamples have the mean of the scores, which R's BCa does not count where we count
them half; in `equal` of them all scores are equal, so that z* is infinite: R's studentised interval
leaves them out, ours keeps them.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from confint_cli.common.measures import canonical
from confint_cli.inputs import read_scores
from confint_cli.stats.random import Resamples
from tests.conftest import ROOT, data_folder
from tests.inputs.test_all_formats import EVERYTHING

RESAMPLES, SEED = 1999, 7
LEVELS = (0.9, 0.95, 0.99)
HERE = Path(__file__).parent
NAMES = {"student": "bootstrap-t", "percent": "percentile"}  # what R calls otherwise
COLUMNS = (
    # skewed, nearly normal, many zeros, coarse; 50, 100, 149 and 97 topics
    ("soboroff2014/trec8.adhoc/weaver1.eval", "map"),
    ("soboroff2014/trec8.adhoc/weaver1.eval", "P10"),
    ("soboroff2014/trec8.adhoc/READWARE2.eval", "map"),
    ("soboroff2014/trec8.adhoc/isa25.eval", "map"),
    ("soboroff2014/trec8.adhoc/isa25.eval", "recip_rank"),
    ("soboroff2014/trec8.adhoc/uwmt8a2.eval", "R-prec"),
    ("soboroff2014/trec13.robust/apl04rsTDNfw.eval", "map"),
    ("soboroff2014/trec13.robust/apl04rsTDNfw.eval", "P30"),
    ("soboroff2014/trec13.robust/apl04rsTDNfw.eval", "recip_rank"),
    ("soboroff2014/trec15.terabyte-adhoc/indri06AlceB.eval", "map"),
    ("soboroff2014/ntcir7.ir4qa/run1.eval", "Q_1000"),
    ("soboroff2014/ntcir7.ir4qa/run1.eval", "nERR_1000"),
    ("sample_runs/trec_eval/bm25.eval", "map"),
    ("sample_runs/trec_eval/hybrid.eval", "P_10"),
    ("sample_runs/trec_eval/keyword.eval", "map"),
    ("sample_runs/trec_eval/keyword.eval", "recip_rank"),
)


def scores_of(path: str, measure: str) -> np.ndarray:
    """Return one column of scores; paths are relative to the project or to the real data."""
    folder = ROOT if path.startswith("sample_runs") else data_folder()
    _, reading = read_scores(str(folder / path), EVERYTHING)
    (series,) = (one for one in reading.series if canonical(one.measure) == canonical(measure))
    return series.values


def resampled_topics(topics: int) -> np.ndarray:
    """Return the topics of each resample, counted from 1 as in R."""
    counts = np.vstack(list(Resamples(topics, RESAMPLES, SEED).counts())).astype(int)
    return np.array([np.repeat(np.arange(1, topics + 1), row) for row in counts])


def what_r_says(scores: np.ndarray, levels: Sequence[float]) -> list[list[str]]:
    """Return method, level, low, high, ties, equal of each interval, and W as such an interval."""
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(f"{folder}/scores", scores, fmt="%.17g")
        np.savetxt(f"{folder}/indices", resampled_topics(len(scores)), fmt="%d")
        printed = subprocess.run(
            ["Rscript", str(HERE / "boot_ci.R"), f"{folder}/scores", f"{folder}/indices",
             ",".join(map(str, levels))],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    *rows, (*_, ties, equal) = [line.split() for line in printed.splitlines()]
    return [[NAMES.get(kind, kind), *row, ties, equal] for kind, *row in rows]


def main() -> None:
    lines = ["file\tmeasure\tmethod\tlevel\tlow\thigh\tties\tequal"]
    for path, measure in COLUMNS:
        rows = what_r_says(scores_of(path, measure), LEVELS)
        lines += ["\t".join([path, measure, *row]) for row in rows if row[0] != "shapiro"]
    (HERE / "boot_ci.tsv").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
