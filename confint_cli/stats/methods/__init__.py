"""Interval methods: one file here a method, named as the user types it (`bootstrap_t` with `-`).

Each has `METHOD`, a record of its explanation and of the function that computes it.
"""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from confint_cli.common.errors import BOOTSTRAP, CallError, guess, unknown_name
from confint_cli.common.records import records_in
from confint_cli.common.text import quoted

if TYPE_CHECKING:
    from confint_cli.stats.methods.method import Method


ASKED_OTHERWISE = {
    "max-t": "--simultaneous of 'confint compare' asks for it",
    "welch": "--unpaired of 'confint compare' asks for it",
    "credible": "'confint bayes' has it",
}
MOST_RESAMPLES = 10_000_000  # that a call may ask for
MOST_DRAWS = 1_000_000  # from a posterior: limits then have more digits than anybody needs


@cache
def methods() -> dict[str, "Method"]:
    """Return all methods by name, those that need no resamples first."""
    found = records_in(__name__, __path__, "METHOD", besides=["method"])
    order = sorted(found, key=lambda module: (found[module].resamples, module))
    return {plain(module): found[module] for module in order}


def method_named(name: str) -> "Method":
    """Return the method of that name; for an unknown one, an error that names the nearest."""
    if plain(name) not in methods():
        raise unknown_method(name, methods())
    return methods()[plain(name)]


def unknown_method(name: str, known: Iterable[str]) -> CallError:
    """Return the error for a name that no method has; `bootstrap` is that of several."""
    meant = guess("method", name, [BOOTSTRAP])
    if meant is None or meant.meant != BOOTSTRAP:
        return unknown_name("method", name, known)
    fit = {one: method for one, method in methods().items() if not method.domain}  # for any scores
    *most, last = (one for one, method in fit.items() if method.resamples)
    return CallError(
        f"no method is called {quoted(name)}",
        f"the bootstrap methods are {', '.join(most)} and {last}; 'confint methods' explains them",
    )


def usual_methods() -> dict[str, "Method"]:
    """Return the methods that need nothing but scores."""
    return {name: method for name, method in methods().items() if not method.population}


def plain(name: str) -> str:
    """Return the name as we write it."""
    return name.strip().lower().replace("_", "-")


def asked_for(
    request: Iterable[str], *, population: bool = False, differences: bool = False
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the names in a request such as `("t,bca", "logit")`, each once.

    `all` stands for every method that needs scores alone; the second part of the answer are those
    named only by it, which are to be left out where scores are unfit for them. `population` says
    whether those that need more may be named, `differences` that those for certain scores may not.
    """
    names = [plain(name) for part in request for name in part.split(",") if name.strip()]
    if not names:
        raise CallError("--method names no method", f"there are: {', '.join(methods())}, or all")
    for name in names:
        if name in ASKED_OTHERWISE:
            raise CallError(f"{name} is not for --method: {ASKED_OTHERWISE[name]}")
        if name != "all" and method_named(name).population and not population:
            raise CallError(
                f"{name} needs the whole population, which only 'confint coverage' has",
                "t estimates the standard deviation from the scores",
            )
        if name != "all" and differences and method_named(name).domain:
            raise CallError(
                f"{name} is for {method_named(name).domain} only, not for differences of scores"
            )
    if "all" not in names:
        return tuple(dict.fromkeys(names)), frozenset()
    usual = [
        name for name, method in usual_methods().items() if not (differences and method.domain)
    ]
    every = tuple(dict.fromkeys([*usual, *(name for name in names if name != "all")]))
    return every, frozenset(usual) - set(names)
