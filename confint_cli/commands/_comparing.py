"""The options of commands that compare runs."""

from collections.abc import Callable
from dataclasses import dataclass

import click

from confint_cli.commands._numbers import WholeNumber
from confint_cli.methods import MOST_RESAMPLES
from confint_cli.options import Command, group


@dataclass(frozen=True)
class PairingOptions:
    """Which runs to compare with which."""

    baseline: tuple[str, ...]
    all_pairs: bool
    unpaired: bool


def baseline_option(named_by: str) -> Callable[[Command], Command]:
    """Return a decorator that adds --baseline, of runs that are given so."""
    return click.option(
        "--baseline", multiple=True, metavar="RUN",
        help=f"Compare all runs with this one, given by {named_by}; repeat, or separate by "
        "commas.",
    )  # fmt: skip


def correct_option(*, max_t: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds --correct; `max_t` says when that is the default, if it can be.

    It needs scores on the same topics, which published means have not.
    """
    names = ["holm", "bh", "by", "bonferroni", *(["max-t"] if max_t else []), "none"]
    more = "by max-t, which agrees with simultaneous intervals, " if max_t else ""
    return click.option(
        "--correct", type=click.Choice(names), default="holm", show_default=not max_t,
        help="Correct p for the number of comparisons by a measure: Holm, Benjamini-Hochberg, "
        f"Benjamini-Yekutieli, Bonferroni (Holm promises the same and is never worse), {more}or "
        f"not.{max_t}",
    )  # fmt: skip


DRAWING = (
    click.option(
        "--draws", type=WholeNumber(1, MOST_RESAMPLES), metavar="N",
        help="Random draws of tests, simultaneous intervals and ranks: flips, permutations, "
        "resamples. [default: as many as --resamples; of 2000 runs and more, every two of them, "
        "2000]",
    ),
    click.option(
        "--strict", is_flag=True,
        help="Simultaneous intervals and ranks by one critical value for all pairs of runs: wider "
        "where differences are skewed, and fewer families err where rare large ones decide.",
    ),
)  # fmt: skip


def pairing_options(unpaired: str) -> Callable[[Command], Command]:
    """Return a decorator that adds these options; `unpaired` is what a command does then."""
    options = (
        baseline_option("its name or its file, which need not be among FILES"),
        click.option("--all-pairs", is_flag=True, help="Compare every two runs."),
        click.option(
            "--unpaired", is_flag=True, help=f"Runs on topics of their own: {unpaired}."
        ),
    )  # fmt: skip
    return group(options, PairingOptions, "pairing")
