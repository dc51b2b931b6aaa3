"""Names of methods and tests in a call: what `--method` and `--test` take, and what they do not."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from confint_cli.app.options import is_given
from confint_cli.common.errors import BOOTSTRAP, CallError, guess, unknown_name
from confint_cli.common.text import quoted
from confint_cli.stats.methods import method_named, methods, plain, usual_methods
from confint_cli.stats.significance import tests

if TYPE_CHECKING:
    from confint_cli.app.options import EstimatingOptions
    from confint_cli.common.parallel import Workers
    from confint_cli.stats.estimate import Estimation

ALL = "all"
ASKED_OTHERWISE = {  # intervals that are no methods of `--method`
    "max-t": "--simultaneous of 'confint compare' asks for it",
    "bonferroni-t": "--simultaneous of 'confint compare' asks for it where nothing is resampled",
    "welch": "--unpaired of 'confint compare' asks for it",
    "dersimonian-laird": "--meta of 'confint compare' asks for it",
    "hartung-knapp": "--meta of 'confint compare' asks for it",
    "credible": "'confint bayes' has it",
    "imbens-manski": "--unjudged bounds asks for it",
    "ppi": "--judge-qrels, or --judge-scores, asks for it",
}
_BY_TWO_JUDGES = "ppi"


def estimation_asked_for(
    options: "EstimatingOptions", workers: "Workers", *, only: str = ""
) -> "Estimation":
    """Return which intervals the options ask for, and who computes them.

    There may be `only` one kind of interval of such scores, which is made from t.
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
    return estimation


def _check_only(request: Iterable[str], only: str) -> None:
    """Raise CallError for a method of --method that is not the one that there is."""
    names = [plain(name) for words in request for name in words.split(",") if name.strip()]
    if is_given("method") and {*names} != {only}:
        why = "--unjudged bounds" if only != _BY_TWO_JUDGES else "a cheaper judge"
        raise CallError(
            f"with {why}, the one --method is {only}, not {', '.join(names)}",
            f"leave --method out; 'confint methods {only}' explains it",
        )


def methods_asked_for(
    request: Iterable[str], *, population: bool = False, differences: bool = False
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the methods in a request such as `("t,bca", "logit")`, each once.

    `all` stands for every method that needs scores alone; the second part of the answer are those
    named only by it, which are to be left out where scores are unfit for them. `population` says
    whether those that need more may be named, `differences` that those for certain scores may not.
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
    """Refuse a name that no method has, or one that has no meaning in this call."""
    if name in ASKED_OTHERWISE:
        raise CallError(f"{name} is not for --method: {ASKED_OTHERWISE[name]}")
    if name not in methods():
        raise unknown_method(name, methods())
    method = method_named(name)
    if method.population and not population:
        raise CallError(
            f"{name} needs the whole population, which only 'confint coverage' has",
            "t estimates the standard deviation from the scores",
        )
    if differences and method.domain:
        raise CallError(f"{name} is for {method.domain} only, not for differences of scores")


def unknown_method(name: str, known: Iterable[str]) -> CallError:
    """Return the error for a name that no method has; `bootstrap` is that of several."""
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
