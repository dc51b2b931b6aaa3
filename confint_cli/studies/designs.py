"""What can be asked of a design: several collections, groups, repeats, a cheaper judge, bounds.

A method or test of which nobody has shown that it holds its level there is refused with the reason.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from confint_cli.common.errors import CallError
from confint_cli.stats.methods import method_named
from confint_cli.stats.names import MAX_T
from confint_cli.stats.significance import tests as significance_tests
from confint_cli.studies.scope import (
    COLLECTIONS,
    OF_BOUNDS,
    OF_COLLECTIONS,
    OF_GROUPS,
    OF_JUDGE,
    OF_REPEATS,
    designs_of,
    in_words,
)

if TYPE_CHECKING:  # every command that reads scores imports this: statistics take long to import
    from confint_cli.scores.request import Request
    from confint_cli.scores.scores import Scores
    from confint_cli.stats.comparison import Testing
    from confint_cli.stats.estimate import Estimation

_BONFERRONI = "bonferroni"
_UNPROVEN = "nobody has shown that it holds its level there"


def check_design(
    scores: "Scores",
    reading: "Request",
    command: str,
    for_new: str,
    *,
    takes_designs: bool,
    why_plain: str,
) -> None:
    """Raise CallError if a command cannot be asked of the design of the scores.

    `takes_designs` says whether it takes any but plain ones, and `why_plain` why it does not.
    """
    designs = designs_of(scores)
    if designs and not takes_designs:
        hint = "--labels none ignores columns of tables that name them"
        if scores.several:
            hint = "give the files, or the rows of a table, of one collection"
        elif reading.groups is not None:
            hint = "'confint compare' takes them; without --groups, topics count as independent"
        elif reading.labels:
            hint = "'confint compare' takes them; one file per run says nothing about other repeats"
        raise CallError(f"confint {command} is not for {in_words(designs)}: {why_plain}", hint)
    if for_new == COLLECTIONS and not scores.several:
        hint = (
            "--labels '{collection}/{run}.run' takes names of collections from the paths of FILES; "
            "tables may have a column 'collection'"
        )
        raise CallError(
            "--for-new collections needs several collections, but there is only one",
            "give the files of several collections"
            if "{collection}" in "".join(reading.labels)
            else hint,
        )


def check_can_be_standardized(scores: "Scores") -> None:
    """Raise CallError for scores of groups or repeats, by two judges, or with bounds."""
    if scores.bounded:
        raise CallError(
            "--standardize is not for bounds: the runs to standardise by would have bounds, too",
            "leave out --standardize, or use --unjudged skip",
        )
    if scores.judge is not None:
        raise CallError(
            "--standardize is not for a cheaper judge, whose scores have other means and variances",
            "leave out --standardize",
        )
    if scores.groups is not None:
        raise CallError(
            "--standardize is not for groups of topics",
            "'confint standardize' writes a table of standardised scores, which may have --groups",
        )
    if scores.repeats is not None:
        raise CallError("--standardize is not for repeats of runs: each repeat is a run of its own")


def check_can_be_bounded(scores: "Scores", command: str, *, takes_bounds: bool) -> None:
    """Raise CallError for bounds of repeats of runs, or if a command has no use for bounds."""
    if not scores.bounded:
        return
    if not takes_bounds:
        raise CallError(
            f"confint {command} does not take bounds",
            "read the scores without unjudged='bounds'",
        )
    if scores.repeats is not None:
        raise CallError(
            "--unjudged bounds is not for repeats of runs: each is a ranking of its own",
            "give one file per run, or use --labels with each repeat as a {run} of its own",
        )


def question_can_be_resampled(scores: "Scores", for_new: str) -> bool:
    """Say whether topics, or groups of them, can be resampled to tell pairs of runs apart.

    That is for all rows of an answer, which share one correction; `rows_can_be_resampled` is about
    the rows of one collection, which `rank` treats by themselves.
    """
    if scores.judge is not None:  # max-T of both judges resamples groups within collections, too
        return for_new != COLLECTIONS
    if scores.bounded:
        return False
    designs = designs_of(scores)
    several = len(designs) > 1
    return not several and OF_REPEATS not in designs and for_new != COLLECTIONS


def suited_to(scores: "Scores", estimation: "Estimation", for_new: str) -> "Estimation":
    """Return the estimation without methods that `all` stands for and that the design rules out.

    Raise CallError for a method that was named and cannot be had.
    """
    designs = designs_of(scores)
    if not designs or scores.judge is not None:
        return estimation
    fit = []
    for name in estimation.methods:
        why = _why_not(name, designs, for_new)
        if not why:
            fit.append(name)
        elif name not in estimation.optional:
            resampled = question_can_be_resampled(scores, for_new)
            others = "--method t or bootstrap-t" if resampled else "--method t"
            raise CallError(f"{name} is not for {in_words(designs)}: {why}", f"use {others}")
    return estimation.by(tuple(fit))


def _why_not(name: str, designs: Sequence[str], for_new: str) -> str:
    """Return why there are no intervals by a method of a design; empty: there are."""
    method = method_named(name)
    if method.domain:
        mean = "a mean of means" if OF_COLLECTIONS in designs else "a mean over such a design"
        return f"it is for {method.domain}, and {mean} is not such a score"
    if method.population:
        return "it needs the standard deviation of one population"
    if OF_BOUNDS in designs and name != "t":
        return "the interval of a mean between bounds is Imbens and Manski's, with t"
    if method.resamples and for_new == COLLECTIONS:
        return "a few collections cannot be resampled to stand for new ones"
    if method.resamples and OF_REPEATS in designs:
        return "a few repeats cannot be resampled to stand for new ones"
    if method.resamples and len(designs) > 1:
        return "there is no bootstrap here for groups within collections"
    return "" if method.designs.issuperset(designs) else _UNPROVEN


def refused_tests(designs: Sequence[str]) -> dict[str, str]:
    """Return the tests that there are not of a design, and why."""
    if not designs:
        return {}
    why = {
        OF_COLLECTIONS: {
            "wilcoxon": "ranks of differences from several collections have no common scale",
            "tukey": "it treats all topics as one sample",
        },
        OF_GROUPS: {
            "wilcoxon": "it treats all topics as independent",
            "tukey": "it treats all topics as independent",
        },
        OF_REPEATS: {
            "randomization": "it flips topics, and does not account for other repeats",
            "wilcoxon": "it ranks topics, and does not account for other repeats",
            "tukey": "it permutes runs, and does not account for other repeats",
        },
        OF_BOUNDS: {
            "randomization": "it flips differences, which are known only between bounds",
            "wilcoxon": "it ranks differences, which are known only between bounds",
            "tukey": "it permutes scores, which are known only between bounds",
        },
        OF_JUDGE: {
            "randomization": "it flips people's topics, and ignores the judge's other topics",
            "wilcoxon": "it ranks people's topics, and ignores the judge's other topics",
            "tukey": "it permutes runs on people's topics, and ignores the other topics",
        },
    }
    return {
        name: why[design].get(name, _UNPROVEN)
        for design in designs
        for name, test in significance_tests().items()
        if design not in test.designs
    }


def check_tests(tests: Sequence[str], designs: Sequence[str]) -> None:
    """Raise CallError for a test that there is not of a design."""
    refused = refused_tests(designs)
    for name in tests:
        if name in refused:
            fit = [each for each in significance_tests() if each not in refused]
            raise CallError(
                f"--test {name} is not for {in_words(designs)}: {refused[name]}",
                f"use --test {' or '.join(fit)}",
            )


def check_effects(designs: Sequence[str]) -> None:
    """Raise CallError for a design whose effect sizes have no intervals, or that has none."""
    why = {
        OF_GROUPS: "they would treat all topics as independent",
        OF_REPEATS: "effect sizes would depend on how many repeats there are",
        OF_JUDGE: "effect sizes would be about people's topics only",
        OF_BOUNDS: "effect sizes would be about one way to judge only",
    }
    for design in designs:
        if design in why:
            raise CallError(
                f"--effect-intervals are not for {in_words(designs)}: {why[design]}",
                "leave out --effect-intervals",
            )


def check_has_repeats(scores: "Scores") -> None:
    """Raise CallError for --paired-repeats where runs have no repeats."""
    if scores.repeats is None:
        raise CallError(
            "--paired-repeats is for runs with repeats, and these runs have none",
            "--labels '{run}.seed{repeat}.eval' takes the names of repeats from the paths of FILES",
        )


def tests_suited_to(
    scores: "Scores", testing: "Testing", for_new: str, *, all_tests: bool, chosen: bool
) -> "Testing":
    """Return the tests of a design; raise CallError for what there is not of it.

    Where nothing can be resampled, Bonferroni's t takes the place of max-t. With `all_tests`, those
    that cannot be had are left out; `chosen` says whether the user chose the correction.
    """
    designs = designs_of(scores)
    if not designs:
        return testing
    if all_tests:
        refused = refused_tests(designs)
        testing = replace(
            testing, tests=tuple(name for name in testing.tests if name not in refused)
        )
    check_tests(testing.tests, designs)
    if question_can_be_resampled(scores, for_new):
        return testing
    of = "new collections" if for_new == COLLECTIONS else in_words(designs)
    if testing.strict:
        raise CallError(f"--strict is for max-t, which is not available for {of}")
    if testing.correction == MAX_T and chosen:
        what = "a few collections" if for_new == COLLECTIONS else "such a design"
        raise CallError(
            f"--correct max-t resamples topics, and {what} cannot be resampled",
            f"--correct bonferroni agrees with the simultaneous intervals for {of}",
        )
    correction = _BONFERRONI if testing.correction == MAX_T else testing.correction
    return replace(testing, correction=correction, by_bonferroni=True)
