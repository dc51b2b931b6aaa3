"""Make exact_tests.tsv: Wilcoxon's and the randomisation test by R, exact, with ties and zeros.

Needs R with its package exactRankTests (Debian: r-base-core, r-cran-exactranktests) and
CONFINT_DATA:

    .venv/bin/python -m tests.reference.exact_tests

A row has the differences of a pair of runs, in whole numbers: the package takes no others as they
are. It counts signs by the shift algorithm of Streitberg and Roehmel, whatever the ties.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tests.reference.boot_ci import scores_of

HERE = Path(__file__).parent
REAL = "soboroff2014/trec8.adhoc"
# of each measure what makes whole numbers of its scores; as R sums up in memory, no more
REAL_PAIRS = (
    ("orcl99man", "iit99ma1", "P10", 10),  # two good runs
    ("ok8amxc", "ok8alx", "P10", 10),
    ("ok8amxc", "weaver1", "P10", 10),
    ("isa25", "isa50", "P10", 10),
    ("ok8amxc", "ok8alx", "map", 10_000),
    ("orcl99man", "iit99ma1", "map", 10_000),
    ("isa25", "isa50", "map", 10_000),
)


def made_up() -> dict[str, list[int]]:
    """Return differences by a name that says how many topics there are, and how many differ."""
    random = np.random.default_rng(0)
    found = {"five of fifty": [1, 2, 2, 3, 5, *[0] * 45], "one": [3], "one of two": [0, 3]}
    for topics, differing, largest in (
        (10, 10, 3), (10, 10, 1000), (13, 9, 4), (20, 20, 5), (50, 8, 2), (50, 13, 4),
        (50, 20, 6), (50, 20, 1000), (50, 30, 4), (49, 49, 10), (50, 50, 3), (50, 50, 5000),
        (120, 50, 20),
    ):  # fmt: skip
        for lean in (0, 1):  # as large on either side, or in favour of one run
            sizes = random.integers(1, largest + 1, differing)
            signs = np.where(random.random(differing) < 0.5 + 0.25 * lean, 1, -1)
            differences = np.zeros(topics, dtype=int)
            differences[random.choice(topics, differing, replace=False)] = sizes * signs
            name = f"{differing} of {topics}, up to {largest}{', one better' if lean else ''}"
            found[name] = differences.tolist()
    return found


def real() -> dict[str, list[int]]:
    found = {}
    for run, baseline, measure, factor in REAL_PAIRS:
        own, other = (scores_of(f"{REAL}/{name}.eval", measure) for name in (run, baseline))
        found[f"{measure} of {run} and {baseline}"] = (
            (np.rint(own * factor) - np.rint(other * factor)).astype(int).tolist()
        )
    return found


def main() -> None:
    cases = {**made_up(), **real()}
    written = [" ".join(map(str, differences)) for differences in cases.values()]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join([*written, ""]))
        file.flush()
        printed = subprocess.run(
            ["Rscript", str(HERE / "exact_tests.R"), file.name],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    lines = ["pair\tdifferences\twilcoxon\trandomization"]
    for name, differences, said in zip(cases, written, printed.splitlines(), strict=True):
        lines.append("\t".join([name, differences, *said.split()]))
    (HERE / "exact_tests.tsv").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
