"""How often intervals and tests err on real scores: writes the tables of docs/choosing.md."""

import sys
from collections.abc import Iterator

from confint_cli.parallel import prepare_for_arrays

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

    judged = {
        "scores": [study.judged([one.matrix for one in graded], size)
                   for size in study.JUDGED_SIZES],
        "differences": [study.judged([one.differences for one in graded], size)
                        for size in study.JUDGED_SIZES],
    }  # fmt: skip
    tested = mean_by_kind(
        (KINDS.get(one.measure, one.measure), size, study.rejected(one.differences, size))
        for one in graded
        if len(one.differences.runs) >= FEWEST_PAIRS
        for size in study.TESTED_SIZES
    )
    widths = {
        "scores": [study.widths([one.matrix for one in graded], FOR_ANY, size)
                   for size in study.SIZES],
        "differences": [study.widths([one.differences for one in graded], study.OF_DIFFERENCES,
                                     size) for size in study.SIZES],
    }  # fmt: skip
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
