"""Tests of the difference of two runs: one file here a test, named as the user types it.

Each has `TEST`, a record of its explanation and of the function that computes its p-values.
"""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from confint_cli.common.errors import CallError, unknown_name
from confint_cli.common.records import modules_in, records_in

if TYPE_CHECKING:
    from confint_cli.stats.significance.test import SignificanceTest

ORDER = ("t", "randomization", "wilcoxon", "tukey")  # of columns; others follow by name

_OTHER_NAMES = {
    **dict.fromkeys(("t-test", "ttest", "student", "paired-t"), "t"),
    **dict.fromkeys(("randomisation", "permutation", "sign-flip", "signflip"), "randomization"),
    **dict.fromkeys(("tukey-hsd", "hsd"), "tukey"),
    "signed-rank": "wilcoxon",
}


@cache
def tests() -> dict[str, "SignificanceTest"]:
    """Return all tests by name."""
    found = records_in(__name__, __path__, "TEST", besides=["test"])
    return {name: found[name] for name in names()}


def names() -> list[str]:
    """Return the names of all tests, without importing any."""
    found = modules_in(__path__, besides=["test"])
    return [*dict.fromkeys([*(name for name in ORDER if name in found), *found])]


def named_test(name: str) -> "SignificanceTest":
    """Return the test of that name; for an unknown one, an error that names the nearest."""
    if plain(name) not in tests():
        raise unknown_name("test", name, tests())
    return tests()[plain(name)]


def plain(name: str) -> str:
    """Return the name as we write it, whatever others call the test."""
    folded = name.strip().lower().replace("_", "-")
    return _OTHER_NAMES.get(folded, folded)


def asked_for(request: Iterable[str]) -> tuple[str, ...]:
    """Return the names in a request such as `("t,tukey", "wilcoxon")`, each once; `all` is all."""
    names = [plain(name) for part in request for name in part.split(",") if name.strip()]
    if not names:
        raise CallError("--test names no test", f"there are: {', '.join(tests())}, or all")
    if "all" in names:
        names = [*(name for name in names if name != "all"), *tests()]
    for name in names:
        named_test(name)
    return tuple(dict.fromkeys(names))
