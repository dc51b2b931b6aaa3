"""docs/robustness.md has a row for every promise, and no row without a test."""

import re

from tests.robustness import page
from tests.robustness.promises import PROMISES


def test_the_page_is_current() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert text == page.current(text), "run make docs"


def test_all_promises_are_on_the_page() -> None:
    names = page.modules()
    shown = re.findall(r"<!-- promises of (\w+) -->", page.PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted({one.module for one in PROMISES})
    assert set(shown) == set(names) - {"test_page"}
    assert len({(one.what, one.module) for one in PROMISES}) == len(PROMISES)
