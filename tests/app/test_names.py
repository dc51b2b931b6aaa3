"""Names of methods and tests in a call."""

import pytest

from confint_cli.app import names as names_in_a_call
from confint_cli.app.names import methods_asked_for
from confint_cli.common.errors import CallError
from confint_cli.stats.methods import methods, usual_methods
from confint_cli.stats.significance import tests as all_tests
from tests.conftest import Confint


def test_a_test_by_another_spelling_and_an_unknown_one(confint: Confint) -> None:
    for name, other in (("randomisation", "randomization"), ("permutation", "randomization"),
                        ("t-test", "t"), ("Student", "t"), ("Tukey_HSD", "tukey")):  # fmt: skip
        assert confint("tests", name).out == confint("tests", other).out
    result = confint("tests", "tuckey")
    assert result.status == 2
    assert result.err.splitlines() == [
        "confint: no test is called 'tuckey'",
        f"  hint: did you mean tukey? there are: {', '.join(all_tests())}",
    ]


def test_an_empty_name_is_one_that_nothing_has(confint: Confint) -> None:
    for command, kind in (("methods", "method"), ("tests", "test")):
        result = confint(command, "")
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith(f"confint: no {kind} is called ''\n  hint: there are: ")


def test_methods_that_are_named_come_once_in_their_order() -> None:
    assert methods_asked_for(["bca,t", "Bootstrap_T", " t "]) == (
        ("bca", "t", "bootstrap-t"), frozenset(),
    )  # fmt: skip


def test_what_all_stands_for() -> None:
    every = tuple(usual_methods())
    assert methods_asked_for(["all"]) == (every, frozenset(every))
    assert methods_asked_for(["all,t"]) == (every, frozenset(every) - {"t"})
    names, optional = methods_asked_for(["z,all"], population=True)
    assert names == (*every, "z")
    assert optional == frozenset(every)
    names, _ = methods_asked_for(["all"], differences=True)
    assert names == tuple(name for name in every if not methods()[name].domain)
    assert names_in_a_call.tests_asked_for(["wilcoxon,all"]) == (
        "wilcoxon", *(name for name in all_tests() if name != "wilcoxon"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "settings", "problem"),
    [
        ([" , "], {}, "--method names no method"),
        (["max-t"], {}, "max-t is not for --method: 'confint compare --simultaneous' gives"),
        (["z"], {}, "z needs the whole population, which only 'confint coverage' has"),
        (["t,wilson"], {"differences": True}, "wilson is only for scores of 0 or 1, not for"),
        (["t,bootstrap"], {}, "no method is called 'bootstrap'"),
    ],
)
def test_methods_that_a_call_cannot_have(
    request_: list[str], settings: dict[str, bool], problem: str
) -> None:
    with pytest.raises(CallError, match=f"^{problem}"):
        methods_asked_for(request_, **settings)
