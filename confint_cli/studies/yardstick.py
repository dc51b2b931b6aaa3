"""What a call standardises scores by: its yardstick, how it is applied to scores, and it in words.

The start of the program needs the record, so that what computes is imported late.
"""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from confint_cli.common.errors import CallError, Tell, note, prefixed
from confint_cli.common.measures import canonical
from confint_cli.common.text import digest, listed

if TYPE_CHECKING:
    from confint_cli.inputs.factors import Factors
    from confint_cli.scores.scores import Scores

ALL = "all"
_NAMED = 5  # runs that a legend names at most


@dataclass(frozen=True)
class Yardstick:
    """What scores are standardised by: all runs, unless one of the first three fields is set."""

    number: int | None = None  # how many runs are drawn at random
    path: str | None = None  # the file of saved factors
    names: tuple[str, ...] = ()  # runs, as the call names them; from `resolved`, their names
    anew: bool = False  # whether a study draws the runs by itself, for each of its samples

    @cached_property
    def saved(self) -> "list[Factors]":
        """The factors in the file at `path`, one record for each measure."""
        from confint_cli.inputs.factors import read_factors

        assert self.path is not None
        return read_factors(self.path)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of saved factors, by their canonical names; none without a file."""
        if self.path is None:
            return ()
        return tuple(canonical(factors.measure) for factors in self.saved)

    def __str__(self) -> str:
        """Return the text for the signature: the file's name, the runs, their number, or `all`."""
        if self.path is not None:
            return os.path.basename(self.path)
        return ",".join(self.names) or str(self.number or ALL)


def standardized(
    scores: "Scores", by: Yardstick, seed: int, tell: Tell, *, drop: bool
) -> "tuple[Scores, Yardstick]":
    """Return the standardised scores, and the yardstick with the names of its runs.

    Topics without factors are dropped with `drop`, else an error. Scores that a study is to
    standardise by itself are returned as they are.
    """
    from confint_cli.studies import standardize

    if by.anew:
        return scores, by
    if scores.several:
        return _in_each_collection(scores, by, seed, tell, drop=drop)
    factors, by = resolved(by, scores, seed, tell)
    result, notices = standardize.standardized(scores, factors, drop=drop)
    tell(notices)
    return replace(result, by_drawn_runs=by.number is not None), by


def _in_each_collection(
    scores: "Scores", by: Yardstick, seed: int, tell: Tell, *, drop: bool
) -> "tuple[Scores, Yardstick]":
    """Return scores that are standardised topic by topic in each collection, by the same runs."""
    from confint_cli.scores.collections import stacked
    from confint_cli.studies import standardize

    if by.path is not None:
        raise CallError(
            "factors in a file are for one collection only: the file names no collections",
            "use --standardize all or --standardize K for several collections",
        )
    names = _drawn_names(by, scores, seed, tell)
    assert scores.collections is not None
    parts, scales = {}, dict[str, str]()
    for place, name in enumerate(scores.collections.names):
        part = scores.part(place)
        factors, notices = standardize.factors_of(names or part.runs, part)
        result, more = standardize.standardized(part, factors, drop=drop)
        tell([prefixed(f"{name}: ", one) for one in [*notices, *more]])
        scales = {measure: digest(scales.get(measure, "") + scale)[:8]
                  for measure, scale in result.scales.items()}  # fmt: skip
        parts[name] = replace(result, scales={})
    joined = replace(
        stacked(parts), scales=scales, by_drawn_runs=by.number is not None, besides=scores.besides
    )
    return joined, replace(by, names=names)


def resolved(
    by: Yardstick, scores: "Scores", seed: int, tell: Tell
) -> "tuple[list[Factors], Yardstick]":
    """Return the factors to standardise scores by, and the yardstick with the names of its runs."""
    from confint_cli.studies import standardize

    if by.path is not None:
        factors = by.saved
    else:
        names = _drawn_names(by, scores, seed, tell)
        by = replace(by, names=names)
        factors, notices = standardize.factors_of(names or scores.runs, scores)
        tell(notices)
    tell(standardize.few_runs(factors, scores, by.names))
    return factors, by


def _drawn_names(by: Yardstick, scores: "Scores", seed: int, tell: Tell) -> tuple[str, ...]:
    """Return the names of the runs to standardise by, and tell which are drawn; empty: all runs."""
    from confint_cli.scores.naming import runs_named
    from confint_cli.studies.standardize import draw_runs

    names = runs_named(by.names, scores, all_in_a_file=True)
    if by.number is not None:
        names = draw_runs(scores, by.number, seed)
        beginning = f"standardised by {by.number} of {len(scores.runs)} runs: "
        tell([note(beginning + listed(names, len(names)))])
    return names


def scale_in_words(by: Yardstick | None, scores: "Scores") -> str:
    """Return a sentence that says what scores are standardised by; empty, if they are not.

    Without a yardstick, they may have been standardised before: `scores` know their scales.
    """
    if by is None:
        scales = listed([*dict.fromkeys(scores.scales.values())], _NAMED)
        return f"Standardised scores (scale {scales})." if scales else ""
    reference = f"all {len(scores.runs)} runs"
    if by.path is not None:
        reference = f"the reference runs in {os.path.basename(by.path)}"
    elif by.names:
        reference = f"{len(by.names)} runs ({listed(by.names, _NAMED)})"
    elif by.number is not None:
        reference = f"{by.number} other runs, drawn anew for each sample,"
    return f"Standardised scores: standard deviations above the mean of {reference} on a topic."
