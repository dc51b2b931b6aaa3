"""Make effects.tsv: R's effect sizes with intervals, and tests about margins; pingouin's `tost`.

Needs R with effectsize, and pingouin:

    python -m tests.reference.effects

A row is case, kind, level, margin and numbers: of `gz` (paired), `g` (pooled) and `glass` the
estimate, low and high; of `tost` (paired) and `tost-welch` p of not being inferior and p of being
equivalent; of `pingouin` and `pingouin-welch` the latter; of `topics` the sd and how many topics
show non-inferiority with a power, which stands in the place of the level. Limits of `gz` and `g`
are those of effectsize's cohens_d: noncentral t, to which hedges_g applies its factor as well.
"""

import csv
import subprocess
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
MARGINS = (0.02, 0.05, 0.2)


def scores() -> dict[str, np.ndarray]:
    """Return made-up scores [topic, run and baseline]: alike, far apart, few, tied, very uneven."""
    rng = np.random.default_rng(34)
    easy = rng.beta(0.6, 1.4, 50)
    tied = rng.integers(0, 11, (30, 2)) / 10
    return {
        "alike": np.c_[easy * 0.9 + 0.1 * rng.random(50), easy],
        "apart": np.c_[easy / 4 + 0.5 + 0.2 * rng.random(50), easy / 4],
        "few": rng.random((4, 2)),
        "two": np.array([[0.5, 0.2], [0.9, 0.4]]),
        "tied": tied,
        "uneven": np.c_[rng.beta(5, 5, 20), rng.beta(0.2, 3, 20)],
        "many": np.c_[rng.normal(0.5, 0.2, 400), rng.normal(0.52, 0.1, 400)],
    }


def rows(kind: str) -> list[dict[str, str]]:
    """Return the rows of a kind, as texts by column."""
    with (HERE / "effects.tsv").open(encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file, delimiter="\t") if row["kind"] == kind]
    assert found, kind
    return found


def main() -> None:
    import pingouin

    lines = ["case\tkind\tlevel\tmargin\tfirst\tsecond\tthird"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.tsv")
        rows = [
            f"{case}\t{x!r}\t{y!r}" for case, both in scores().items() for x, y in both.tolist()
        ]
        path.write_text("\n".join(["case\trun\tbaseline", *rows, ""]))
        called = ["Rscript", str(HERE / "effects.R"), str(path)]
        lines += subprocess.run(called, check=True, capture_output=True, text=True).stdout.split(
            "\n"
        )
    for case, both in scores().items():
        for margin in MARGINS:
            for kind, paired in (("pingouin", True), ("pingouin-welch", False)):
                found = pingouin.tost(both[:, 0], both[:, 1], bound=margin, paired=paired,
                                      correction=True)  # fmt: skip
                p = float(found.iloc[0]["pval"] if "pval" in found else found.iloc[0]["p_val"])
                lines.append(f"{case}\t{kind}\t\t{margin}\t{p:.15g}\t\t")
    kept = [line for line in lines if line]
    (HERE / "effects.tsv").write_text("\n".join([*kept, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
