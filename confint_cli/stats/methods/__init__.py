"""Interval methods: one file here a method, named as results name it (`bootstrap_t` with `-`).

Each has `METHOD`, a record of its explanation and of the function that computes it.
"""

from functools import cache
from typing import TYPE_CHECKING

from confint_cli.common.records import records_in
from confint_cli.stats.names import BONFERRONI_T, CREDIBLE, IMBENS_MANSKI, MAX_T, PPI, WELCH

if TYPE_CHECKING:
    from confint_cli.common.records import Explained
    from confint_cli.stats.methods.method import Method


MOST_RESAMPLES = 10_000_000  # more would take hours
USUAL_DRAWS = 10_000  # of tests, simultaneous intervals and ranks
MOST_DRAWS = 1_000_000  # from a posterior: limits then have more digits than anybody needs


@cache
def methods() -> dict[str, "Method"]:
    """Return all methods by name, those that need no resamples first.

    Among these, methods with a style of their own come first: `t` is the first of all.
    """
    by_module = records_in(__name__, __path__, "METHOD", besides=["method"])

    def place(module: str) -> tuple[bool, bool, str]:
        method = by_module[module]
        return method.resamples, method.style is None, module

    order = sorted(by_module, key=place)
    return {plain(module): by_module[module] for module in order}


def method_named(name: str) -> "Method":
    """Return the method of that name; KeyError: there is none."""
    return methods()[plain(name)]


def intervals() -> dict[str, "Explained"]:
    """Return the explanations of all intervals by name: methods, and those of other studies."""
    from confint_cli.stats import (
        bonferroni,
        comparison,
        identified,
        meta,
        posterior,
        ppi,
        simultaneous,
    )

    others = {
        MAX_T: simultaneous.EXPLAINED,
        BONFERRONI_T: bonferroni.EXPLAINED,
        WELCH: comparison.EXPLAINED,
        **meta.EXPLAINED,
        PPI: ppi.EXPLAINED,
        IMBENS_MANSKI: identified.EXPLAINED,
        CREDIBLE: posterior.EXPLAINED,
    }
    return {**methods(), **others}


def usual_methods() -> dict[str, "Method"]:
    """Return the methods, by name, that need nothing but scores."""
    return {name: method for name, method in methods().items() if not method.population}


def plain(name: str) -> str:
    """Return a name in the one spelling that methods go by: lower case, with hyphens."""
    return name.strip().lower().replace("_", "-")
