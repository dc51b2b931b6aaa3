"""What commands that can standardise scores do about it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confint_cli.app.options import ReadingOptions, WritingOptions
from confint_cli.common.errors import CallError, note
from confint_cli.common.measures import canonical
from confint_cli.common.text import listed, quoted

if TYPE_CHECKING:
    from confint_cli.common.table import Table
    from confint_cli.inputs.factors import Factors
    from confint_cli.scores.scores import Scores

_ALL = "all"
_NAMED = 5  # runs that a legend names
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Yardstick:
    """What scores are standardised by: all runs, unless it says otherwise."""

    number: int | None = None  # of runs that are drawn at random
    path: str | None = None  # of saved factors
    names: tuple[str, ...] = ()  # of runs, or of their files; by commas until they are looked up

    @cached_property
    def saved(self) -> "list[Factors]":
        """The factors in the file."""
        from confint_cli.inputs.factors import read_factors

        assert self.path is not None
        return read_factors(self.path)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of saved factors, by their one name."""
        return tuple(canonical(one.measure) for one in self.saved) if self.path is not None else ()

    def __str__(self) -> str:
        """What the signature says."""
        if self.path is not None:
            return os.path.basename(self.path)
        return ",".join(self.names) or str(self.number or _ALL)


def _yardstick(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Yardstick | None:
    """Return what an option says: `all`, a number of runs, or a file."""
    if text is None:
        return None
    text = text.strip()
    if text.lower() == _ALL:
        return Yardstick()
    if text.isascii() and text.isdecimal() and len(text) < 20:
        if int(text) < 2:
            raise CallError(
                f"--standardize {text} is too few: scores are standardised by the spread of two "
                "runs or more",
                "'all' takes all there are",
            )
        return Yardstick(number=int(text))
    if not os.path.exists(text):
        raise CallError(
            f"--standardize {quoted(text)} is neither 'all', nor a whole number, nor a file",
            "'confint standardize --reference' takes names of runs",
        )
    return Yardstick(path=text)


def standardize_option(drawn: str = "K drawn at random") -> Callable[[Command], Command]:
    """Return a decorator that adds --standardize, where a number of runs is `drawn` so."""
    return click.option(
        "--standardize",
        metavar="all|K|FILE",
        callback=_yardstick,
        help=f"Standardise scores per topic: by all runs, by {drawn}, or by factors that 'confint "
        "standardize' saved.",
    )


def standardized(
    scores: "Scores",
    by: Yardstick | None,
    seed: int,
    reading: ReadingOptions,
    writing: WritingOptions,
) -> "tuple[Scores, Yardstick | None]":
    """Return the scores, standardised if that was asked for, and by what; show the notices."""
    if by is None:
        return scores, None
    from confint_cli.app import conduct
    from confint_cli.stats import standardize

    factors, by = resolved(by, scores, seed, writing)
    result, notices = standardize.standardized(scores, factors, drop=reading.missing == "drop")
    conduct.tell(notices, writing)
    return result, by


def resolved(
    by: Yardstick, scores: "Scores", seed: int, writing: WritingOptions
) -> "tuple[list[Factors], Yardstick]":
    """Return the factors to standardise scores by, and the yardstick with the names of its runs."""
    from confint_cli.app import conduct
    from confint_cli.stats import standardize

    if by.path is not None:
        conduct.check_inputs_stay([by.path], writing)
        factors = by.saved
    else:
        names = conduct.runs_named(by.names, scores, all_in_a_file=True)
        if by.number is not None:
            names = standardize.draw_runs(scores, by.number, seed)
            said = f"standardised by {by.number} of {len(scores.runs)} runs: "
            conduct.tell([note(said + listed(names, len(names)))], writing)
        by = replace(by, names=names)
        factors, notices = standardize.factors_of(names or scores.runs, scores)
        conduct.tell(notices, writing)
    conduct.tell(standardize.few_runs(factors, scores, by.names), writing)
    return factors, by


def explained(table: "Table", by: Yardstick | None, scores: "Scores") -> "Table":
    """Return the table, which says what its scores are."""
    if by is None:
        scales = listed([*dict.fromkeys(scores.scales.values())], _NAMED)
        return table.explained(f"Standardised scores (scale {scales}).") if scales else table
    whose = f"all {len(scores.runs)} runs"
    if by.path is not None:
        whose = f"the reference runs in {os.path.basename(by.path)}"
    elif by.names:
        whose = f"{len(by.names)} runs ({listed(by.names, _NAMED)})"
    elif by.number is not None:
        whose = f"{by.number} other runs, drawn anew for each sample,"
    return table.explained(
        f"Standardised scores: standard deviations above the mean of {whose} on a topic."
    )
