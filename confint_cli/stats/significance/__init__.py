"""Tests of the difference of two runs: one file per test, named as results name it.

Each has `TEST`, a record of its explanation and of the function that computes its p-values.
"""

from functools import cache
from typing import TYPE_CHECKING

from confint_cli.common.records import modules_in, records_in

if TYPE_CHECKING:
    from confint_cli.stats.significance.test import SignificanceTest

ORDER = ("t", "randomization", "wilcoxon", "tukey")  # in which results have them; others follow


@cache
def tests() -> dict[str, "SignificanceTest"]:
    """Return all tests by name."""
    by_name = records_in(__name__, __path__, "TEST", besides=["test"])
    return {name: by_name[name] for name in names()}


def names() -> list[str]:
    """Return the names of all tests, without importing any."""
    modules = modules_in(__path__, besides=["test"])
    return [*dict.fromkeys([*(name for name in ORDER if name in modules), *modules])]


def named_test(name: str) -> "SignificanceTest":
    """Return the test of that name; KeyError: there is none."""
    return tests()[name]
