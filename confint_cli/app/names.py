"""Names of methods and tests in a call: what `--method` and `--test` take, and what they do not."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from confint_cli.app.command import is_given
from confint_cli.common.errors import CallError
from confint_cli.common.guesses import BOOTSTRAP, guess, unknown_name
from confint_cli.common.text import quoted
from confint_cli.scores.treatments import BOUNDS
from confint_cli.stats.methods import method_named, methods, plain, usual_methods
from confint_cli.stats.names import (
    BONFERRONI_T,
    CREDIBLE,
    DERSIMONIAN_LAIRD,
    HARTUNG_KNAPP,
    IMBENS_MANSKI,
    MAX_T,
    PPI,
    WELCH,
)
from confint_cli.stats.significance import tests

if TYPE_CHECKING:
    from confint_cli.app.options import EstimatingOptions
    from confint_cli.common.parallel import Workers
    from confint_cli.scores.request import Request
    from confint_cli.stats.estimate import Estimation

ALL = "all"
ASKED_OTHERWISE = {  # intervals that are no methods of `--method`
    MAX_T: "'confint compare --simultaneous' gives it",
    BONFERRONI_T: "'confint compare --simultaneous' gives it where nothing is resampled",
    WELCH: "'confint compare --unpaired' gives it",
    DERSIMONIAN_LAIRD: "'confint compare --meta' gives it",
    HARTUNG_KNAPP: "'confint compare --meta' gives it",
    CREDIBLE: "'confint bayes' gives it",
    IMBENS_MANSKI: "--unjudged bounds gives it",
    PPI: "--judge-qrels or --judge-scores gives it",
}


def estimation_asked_for(
    options: "EstimatingOptions", workers: "Workers", *, only: str = "", single: str = ""
) -> "Estimation":
    """Return which intervals the options ask for, and who computes them.

    For some scores there is `only` one kind of interval, which is made from t. `single` is the name
    of a command that takes one method at a time; empty: it takes several.
    """
    from confint_cli.stats.estimate import Estimation  # late: completion has no time for it
    from confint_cli.studies.draws import check_resamples

    if only:
        _check_only(options.method, only)
        options = replace(options, method=("t",))
    methods, optional = methods_asked_for(
        options.method, population=options.population, differences=options.differences
    )
    estimation = Estimation(
        methods, options.level, options.resamples, options.seed, optional, workers
    )
    check_resamples(estimation)
    if single and (len(methods) > 1 or optional):
        raise CallError(f"{single} takes one --method at a time, not {len(methods)}")
    return estimation


def only_method(request: "Request") -> str:
    """Return the one kind of interval that there is of scores so asked for; empty: any."""
    if request.has_judge:
        return PPI
    return IMBENS_MANSKI if request.unjudged == BOUNDS else ""


def _check_only(request: Iterable[str], only: str) -> None:
    """Raise CallError for a method of --method that is not the only one available."""
    names = [plain(name) for words in request for name in words.split(",") if name.strip()]
    if is_given("method") and {*names} != {only}:
        why = "--unjudged bounds" if only != PPI else "a cheaper judge"
        raise CallError(
            f"with {why}, the only --method is {only}, not {', '.join(names)}",
            f"leave out --method; 'confint methods {only}' explains {only}",
        )


def methods_asked_for(
    request: Iterable[str], *, population: bool = False, differences: bool = False
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the methods in a request such as `("t,bca", "logit")`, each once.

    `all` stands for every method that needs only scores. The second part of the answer are the
    methods that only `all` names: they are left out where the scores do not suit them. `population`
    says whether methods that need more may be named, `differences` that methods for certain scores
    may not.
    """
    names = [plain(name) for words in request for name in words.split(",") if name.strip()]
    if not names:
        raise CallError("--method names no method", f"there are: {', '.join(methods())}, or all")
    for name in names:
        if name != ALL:
            _check_method(name, population=population, differences=differences)
    if ALL not in names:
        return tuple(dict.fromkeys(names)), frozenset()
    usual = [
        name for name, method in usual_methods().items() if not (differences and method.domain)
    ]
    every = tuple(dict.fromkeys([*usual, *(name for name in names if name != ALL)]))
    return every, frozenset(usual) - set(names)


def _check_method(name: str, *, population: bool, differences: bool) -> None:
    """Refuse a name that no method has, or that has no meaning in this call."""
    if name in ASKED_OTHERWISE:
        raise CallError(f"{name} is not for --method: {ASKED_OTHERWISE[name]}")
    if name not in methods():
        raise unknown_method(name, methods())
    method = method_named(name)
    if method.population and not population:
        raise CallError(
            f"{name} needs the whole population, which only 'confint coverage' has",
            "use t, which estimates the standard deviation from the scores",
        )
    if differences and method.domain:
        raise CallError(f"{name} is only for {method.domain}, not for differences of scores")


def unknown_method(name: str, known: Iterable[str]) -> CallError:
    """Return the error for a name that no method has; `bootstrap` may mean several."""
    meant = guess("method", name, [BOOTSTRAP])
    if meant is None or meant.meant != BOOTSTRAP:
        return unknown_name("method", name, known)
    for_any_scores = {name: method for name, method in methods().items() if not method.domain}
    *most, last = (name for name, method in for_any_scores.items() if method.resamples)
    return CallError(
        f"no method is called {quoted(name)}",
        f"the bootstrap methods are {', '.join(most)} and {last}; 'confint methods' explains them",
    )


def tests_asked_for(request: Iterable[str]) -> tuple[str, ...]:
    """Return the tests in a request such as `("t,tukey", "wilcoxon")`, each once; `all` is all."""
    names = [plain_test(name) for words in request for name in words.split(",") if name.strip()]
    if not names:
        raise CallError("--test names no test", f"there are: {', '.join(tests())}, or all")
    if ALL in names:
        names = [*(name for name in names if name != ALL), *tests()]
    for name in names:
        check_test(name)
    return tuple(dict.fromkeys(names))


def check_test(name: str) -> None:
    """Refuse a name that no test has."""
    if name not in tests():
        raise unknown_name("test", name, tests())


def plain_test(name: str) -> str:
    """Return the name as we write it, whatever others call the test."""
    folded = plain(name)
    return next((known for known, test in tests().items() if folded in test.also), folded)
