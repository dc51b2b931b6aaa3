"""What commands that can standardise scores do about it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from confint_cli.errors import CallError, note
from confint_cli.options import WritingOptions
from confint_cli.text import listed, quoted

if TYPE_CHECKING:
    from confint_cli.scores import Scores
    from confint_cli.table import Table

_ALL = "all"
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Yardstick:
    """What scores are standardised by: all runs, so many drawn at random, or saved factors."""

    number: int | None = None  # of runs that are drawn
    path: str | None = None  # of the factors

    def __str__(self) -> str:
        """What the signature says."""
        return os.path.basename(self.path) if self.path else str(self.number or _ALL)


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
            f"--standardize {quoted(text)} is neither 'all', nor a whole number, nor a file"
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
    scores: "Scores", by: Yardstick | None, seed: int, writing: WritingOptions
) -> "Scores":
    """Return the scores, standardised if that was asked for, and show the notices."""
    if by is None:
        return scores
    from confint_cli import standardization
    from confint_cli.commands import _run
    from confint_cli.inputs import read_factors

    if by.path is not None:
        _run.check_inputs_stay([by.path], writing)
        factors = read_factors(by.path)
    else:
        runs = scores.runs if by.number is None else drawn(scores, by.number, seed, writing)
        factors = standardization.factors_by(runs, scores)
    result, notices = standardization.standardized(scores, factors)
    _run.tell(notices, writing)
    return result.sorted_runs(writing.sort)


def drawn(scores: "Scores", number: int, seed: int, writing: WritingOptions) -> tuple[str, ...]:
    """Return runs at random to standardise by, and say which they are."""
    from confint_cli.commands import _run
    from confint_cli.standardization import draw_runs

    runs = draw_runs(scores, number, seed)
    names = listed(runs, len(runs))
    _run.tell([note(f"standardised by {number} of {len(scores.runs)} runs: {names}")], writing)
    return runs


def explained(table: "Table", by: Yardstick | None, runs: int) -> "Table":
    """Return the table, which says what its scores are."""
    if by is None:
        return table
    whose = f"all {runs} runs" if by.number is None else f"{by.number} runs"
    if by.path is not None:
        whose = f"the reference runs in {os.path.basename(by.path)}"
    return table.explained(
        f"Standardised scores: standard deviations above the mean of {whose} on a topic."
    )
