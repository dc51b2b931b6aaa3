"""Where to be careful with standings: sentences about runs that no notice says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from confint_cli.common.arrays import any_along
from confint_cli.common.text import count, have, listed, natural_key
from confint_cli.common.words import series
from confint_cli.scores.scores import Matrix
from confint_cli.stats.flags import FEW_REPEATS, Doubt
from confint_cli.studies.checks import FOR_BINARY, is_binary
from confint_cli.studies.pairing import identical_runs
from confint_cli.studies.rows import RankRow

_LISTED = 10  # runs that a caveat names, at most
_ONE_SCORE = Doubt.MOSTLY_ZEROS | Doubt.MOSTLY_ONE_VALUE

Standings = Sequence[RankRow]


@dataclass(frozen=True)
class Caveat:
    """A sentence about the scores that no notice says."""

    text: str
    collection: str = ""  # which it is about; empty: there is one, or it is about all together


def caveats_of(of_measures: Sequence[tuple[Standings, Matrix]], collection: str) -> list[Caveat]:
    """Return the caveats about one collection, of its standings and scores by each measure.

    Notices speak of topics that runs lack, and of runs that are the same by all measures.
    """
    copies = [identical_runs(matrix).items() for _, matrix in of_measures]
    everywhere = set.intersection(*map(set, copies))
    measures_by_text: dict[str, list[str]] = {}
    for (rows, matrix), same in zip(of_measures, copies, strict=True):
        for text in [*_about_runs(rows, matrix), *_about_copies(dict(same - everywhere))]:
            measures_by_text.setdefault(text, []).append(matrix.measure)
    return [
        Caveat(
            text if len(names) == len(of_measures) else f"On {series(names)}, {text}", collection
        )
        for text, names in measures_by_text.items()
    ]


def _about_runs(rows: Standings, matrix: Matrix) -> Iterator[str]:
    """Yield the caveats about the standings by one measure, and about their intervals."""
    first, unit = rows[0], matrix.unit
    size = count(len(matrix.topics), unit)
    doubts = 0
    for row in rows:
        doubts |= row.doubts
    least = f"{size} are"
    if matrix.design.strata:
        least = f"{count(min(matrix.design.strata), unit)}, as in the smallest collection, are"
    if doubts & Doubt.FEW_TOPICS:
        yield f"{least} few, and intervals from so few may be far off."
    if doubts & Doubt.FEW_GROUPS:
        yield f"{least} few, or too uneven in size, and intervals from so few may be far off."
    if names := _named(rows, _ONE_SCORE):
        but = f" except {FOR_BINARY}" if is_binary(matrix.values) else ""
        yield (
            f"{have(len(names), 'run')} the same score on so many {unit}s that no interval{but} "
            f"has its stated coverage: {listed(names, _LISTED)}."
        )
    if names := _named(rows, Doubt.SKEWED):
        yield (
            f"{_are(names)} so skewed that {first.method} intervals from {size} usually cover less "
            f"often than stated: {listed(names, _LISTED)}."
        )
    if names := _named(rows, Doubt.BOUNDS_WIDE):
        yield (
            f"{have(len(names), 'run')} bounds so far apart that unjudged documents leave the "
            f"mean open: {listed(names, _LISTED)}."
        )
    if names := _named(rows, Doubt.ONE_REPEAT):
        yield (
            f"{have(len(names), 'run')} no repeats, and {'is' if len(names) == 1 else 'are'} "
            f"treated as the same each time: {listed(names, _LISTED)}."
        )
    if names := _named(rows, Doubt.FEW_REPEATS):
        yield (
            f"{have(len(names), 'run')} fewer than {FEW_REPEATS} repeats, which say little about "
            f"how much new repeats would differ: {listed(names, _LISTED)}."
        )
    has_scores = any_along(matrix.values != 0, 0).tolist()
    empty = [run for run, has_any in zip(matrix.runs, has_scores, strict=True) if not has_any]
    if empty:
        names = sorted(empty, key=natural_key)
        yield f"{have(len(names), 'run')} only zeros: {listed(names, _LISTED)}."


def _named(rows: Standings, doubt: Doubt) -> list[str]:
    """Return the names of the runs to which a doubt applies, in their order as people count."""
    return sorted((row.run for row in rows if row.doubts & doubt), key=natural_key)


def _are(names: Sequence[str]) -> str:
    return f"{count(len(names), 'run')} {'is' if len(names) == 1 else 'are'}"


def _about_copies(copies: Mapping[str, str]) -> list[str]:
    """Return a caveat about runs that have the scores of others; empty without `copies`."""
    if not copies:
        return []
    pairs = [f"{run} and {copies[run]}" for run in sorted(copies, key=natural_key)]
    return [f"some runs have the same scores on all topics: {listed(pairs, _LISTED)}."]
