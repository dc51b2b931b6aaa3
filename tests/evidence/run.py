"""How often intervals and tests err on real scores: writes the tables of docs/choosing.md."""

import sys
from collections.abc import Iterator

from confint_cli.common.parallel import prepare_for_arrays

FEWEST_PAIRS = 20  # of a set whose tests are looked at
KINDS = {"AP": "AP, nDCG, Q", "nDCG": "AP, nDCG, Q", "nDCG@10": "AP, nDCG, Q", "Q": "AP, nDCG, Q",
         "compat.": "AP, nDCG, Q"}  # fmt: skip


def main() -> None:
    """Compute everything and write the section."""
    prepare_for_arrays()
    from tests.evidence import study
    from tests.evidence.page import FOR_ANY, evidence, mean_by_kind, put_into
    from tests.evidence.populations import Population, populations
    from tests.reproduction.load import DATA, ROOT

    if not DATA.is_dir():
        sys.exit("make reproduce needs real evaluation data: set CONFINT_DATA to their folder")
    every = list(populations())
    graded = [one for one in every if not one.binary]

    def told() -> Iterator[Population]:
        for place, one in enumerate(every, start=1):
            print(f"evidence {place}/{len(every)}: {one.collection}, {one.measure}", flush=True)
            yield one

    columns = {
        "scores": [one.matrix for one in graded],
        "differences": [one.differences for one in graded],
    }
    judged = {
        kind: [study.judged(columns[kind], methods, size) for size in study.JUDGED_SIZES]
        for kind, methods in study.JUDGED.items()
    }
    tested = mean_by_kind(
        (KINDS.get(one.measure, one.measure), size, study.rejected(one.differences, size))
        for one in graded
        if len(one.differences.runs) >= FEWEST_PAIRS
        for size in study.TESTED_SIZES
    )
    widths = {
        kind: [study.widths(columns[kind], methods, size) for size in study.SIZES]
        for kind, methods in (("scores", FOR_ANY), ("differences", study.OF_DIFFERENCES))
    }
    means, differences = [], []
    for one in told():
        means.append(study.of_means(one))
        differences.append(study.of_differences(one))
    page = ROOT / "docs" / "choosing.md"
    section = evidence(means, differences, judged, tested, widths)
    page.write_text(put_into(page.read_text(encoding="utf-8"), section), encoding="utf-8")
    print(f"{page.relative_to(ROOT)} is written")


if __name__ == "__main__":
    main()
