"""The tables of docs/robustness.md, from the promises of the tests: `make docs` runs this.

A table stands between `<!-- promises of test_faults -->` and `<!-- end -->`. With --check nothing
is written, and the exit status says whether the page is current.
"""

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.robustness.promises import PROMISES

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "robustness.md"
_BLOCK = re.compile(r"(<!-- promises of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def modules() -> list[str]:
    """Return the modules of tests here, imported, so that their promises are known."""
    names = sorted(path.stem for path in HERE.glob("test_*.py"))
    for name in names:
        import_module(f"{__package__}.{name}")
    return names


def current(text: str) -> str:
    """Return the text of the page with its tables made anew."""
    modules()
    return _BLOCK.sub(lambda block: f"{block[1]}\n{_table(block[2])}\n\n{block[3]}", text)


def _table(module: str) -> str:
    rows = ["| input or event | result | test |", "| --- | --- | --- |"]
    for one in PROMISES:
        if one.module == module:
            cells = (one.what, one.gets, f"`{one.test}`")
            rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows)


def main(args: Sequence[str]) -> int:
    """Write the page anew or, with --check, say whether it is current."""
    text = PAGE.read_text(encoding="utf-8")
    if text == current(text):
        return 0
    if "--check" in args:
        print(f"docs/{PAGE.name} is not current: run make docs", file=sys.stderr)
        return 1
    PAGE.write_text(current(text), encoding="utf-8")
    print(f"docs/{PAGE.name} is made anew")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
