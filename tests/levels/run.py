"""The levels of all that is promised for all pairs at once: writes docs/levels.md."""

import sys
from collections.abc import Iterator

from confint_cli.common.parallel import prepare_for_arrays

DRAWS = 1999
SAMPLES = {10: 1000, 40: 400}
TOPICS = (25, 50, 100)


def main() -> None:
    """Compute everything and write the page."""
    prepare_for_arrays()
    from tests.levels.families import MADE, REAL
    from tests.levels.page import page
    from tests.levels.study import Cell, cells
    from tests.reproduction.load import DATA, ROOT

    if not DATA.is_dir():
        sys.exit("make reproduce needs real evaluation data: set CONFINT_DATA to their folder")
    asked = [
        (family, runs, topics, samples, DRAWS)
        for runs, samples in SAMPLES.items()
        for family in (*MADE, *REAL)
        for topics in TOPICS
    ]

    def told(found: Iterator[Cell]) -> Iterator[Cell]:
        for place, cell in enumerate(found, start=1):
            print(f"levels {place}/{len(asked)}: {cell.family}, {cell.runs} runs, {cell.topics} "
                  "topics", flush=True)  # fmt: skip
            yield cell

    text = page(list(told(cells(asked))), DRAWS)
    target = ROOT / "docs" / "levels.md"
    target.write_text(text, encoding="utf-8")
    print(f"{target.relative_to(ROOT)} is written")


if __name__ == "__main__":
    main()
