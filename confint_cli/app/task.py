"""What a command returns when its options are understood: a task, for whoever carries it out.

The command line carries it out and writes the answer (`conduct.py`); Python gets the answer itself.
They are named tuples: every call makes these classes, and those of dataclasses take long to make.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from confint_cli.app.options import EstimatingOptions
    from confint_cli.common.errors import Tell
    from confint_cli.common.progress import Progress
    from confint_cli.scores.scores import Scores
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.facts import Facts
    from confint_cli.studies.yardstick import Yardstick

Write = Callable[["Answer[Any]"], None]  # takes an answer, with all notices of the call


class Work(NamedTuple):
    """What a task's `ask` gets, to make an answer of."""

    scores: "Scores"
    baselines: tuple[str, ...]  # the names of runs
    standardize: "Yardstick | None"  # what this call standardises scores by; None: it does not
    facts: "Facts"  # what is known of the call
    tell: "Tell"  # for notices that come before long work; all others are part of the answer
    progress: "Callable[[str], Progress]"  # takes the name of some work, returns its progress


class Task(NamedTuple):
    """A question about scores that are still to be read."""

    name: str  # of the command, and of its figure
    ask: "Callable[[Work], Answer[Any]]"  # runs the study
    baselines: Sequence[str] = ()  # runs, given by name or by a file, which is read too
    references: Sequence[str] = ()  # further runs that options name
    paired: bool = True  # whether all runs are meant to be on the same topics
    usual: Callable[[], Collection[str]] = tuple  # measures that are used if the call names none
    estimating: "EstimatingOptions | None" = None  # scores are standardised if its option says so
    designs: bool = False  # whether it is asked of several collections, groups and repeats too
    why_plain: str = ""  # why it is not
    for_new: str = ""  # whom a result over several collections is for; empty: nobody is named
    both_judges: bool = False  # whether it is about a cheaper judge, whatever topics that has
    output: AbstractContextManager[Write] | None = None  # None: a table, and its figure


class DirectTask(NamedTuple):
    """A question that needs no scores: what it is about is known from the call."""

    name: str  # of the command
    ask: "Callable[[], Answer[Any]]"
    figure: str = ""  # the name of its figure
    inputs: Sequence[str] = ()  # files that were read, and must not be written over
