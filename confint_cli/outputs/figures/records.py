"""The records of an answer as figures need them: grouped, paired, in the words of their titles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Generic, TypeVar

from confint_cli.common.text import count
from confint_cli.common.words import percent, series
from confint_cli.outputs.figures.paper import short
from confint_cli.studies.answer import Answer, Row
from confint_cli.studies.facts import Facts, is_standardized
from confint_cli.studies.rows import PairRow
from confint_cli.studies.scope import for_whom, has_collections

Pair = TypeVar("Pair", bound=PairRow)
_STANDARDIZED = "standardised "
_LISTED = 3  # methods that a title names at most; keys name them all


def rows_of(answer: Answer[Row]) -> list[Row]:
    """Return the records of an answer; measures of standardised scores are called so."""
    measures = {row.measure for row in answer.rows}  # type: ignore[attr-defined]
    names = {
        measure: f"{_STANDARDIZED}{measure}"
        for measure in measures
        if is_standardized(answer.facts, measure)
    }
    rows: list[Any] = list(answer.rows)
    if names:
        rows = [replace(row, measure=names.get(row.measure, row.measure)) for row in rows]
    return rows


ABOUT_DIAMONDS = "Diamonds: macro, the mean of the collections' means."


def of_collections(rows: Sequence[Any], names: Sequence[str]) -> tuple[list[str], list[bool]]:
    """Return the label of each row of a chart over collections, and which have a grey background.

    `names` are the fields that identify runs, or pairs of runs. A label names the collection and,
    if there are several, the run or pair; the rows of every second one of these are grey.
    """
    keys = list(dict.fromkeys(attrgetter(*names, "collection")(row) for row in rows))
    owners = list(dict.fromkeys(key[:-1] for key in keys))
    labels = [
        short(key[-1])
        if len(owners) == 1
        else f"{' − '.join(short(name, 21) for name in key[:-1])} · {short(key[-1], 21)}"
        for key in keys
    ]
    shaded = [owners.index(key[:-1]) % 2 == 0 and len(owners) > 1 for key in keys]
    return labels, shaded


def grouped(rows: Sequence[Row], *names: str) -> Iterator[list[Row]]:
    """Yield groups of records that follow one another and are equal in the fields `names`."""
    for _, group in groupby(rows, attrgetter(*names)):
        yield list(group)


def values_of(rows: Sequence[Any], name: str) -> list[Any]:
    """Return the values of the field `name`, each once, in the order of the records."""
    return list(dict.fromkeys(getattr(row, name) for row in rows))


def by_methods(rows: Sequence[Any]) -> str:
    """Return `95% t and percentile`: the levels of some rows, and the methods if they are few."""
    methods = values_of(rows, "method")
    levels = series([percent(level) for level in sorted(values_of(rows, "level"))])
    return f"{levels} {series(methods)}" if len(methods) <= _LISTED else levels


def sentences(*texts: str) -> str:
    """Return the sentences as one text; some of them may be empty."""
    return " ".join(filter(None, texts))


def of_whom(rows: Sequence[Any], facts: Facts) -> str:
    """Return for whom the result of a design is, or else `of_topics`."""
    whom = for_whom(facts)
    if not whom:
        return of_topics(rows)
    of_all = [row for row in rows if row.collections] if has_collections(facts) else rows
    return f"{whom}{_by_people(of_all, 'topics ')}"


def of_topics(rows: Sequence[Any]) -> str:
    """Return `50 topics`, or `25 to 50 topics` where runs are on different topics.

    It also says how many of them people judged, if a cheaper judge has judged them all.
    """
    names = [name for name in ("topics", "baseline_topics") if hasattr(rows[0], name)]
    topics = _between([getattr(row, name) for row in rows for name in names])
    return f"{topics} topic{'' if topics == '1' else 's'}{_by_people(rows)}"


def _by_people(rows: Sequence[Any], noun: str = "") -> str:
    """Return ` (25 judged by people)` for results from two judges; else nothing."""
    numbers = [getattr(row, "human_topics", None) for row in rows]
    known = [number for number in numbers if number is not None]
    return f" ({_between(known)} {noun}judged by people)" if known else ""


def _between(numbers: Sequence[int]) -> str:
    """Return `50` or `25 to 50`."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


@dataclass(frozen=True)
class PairsSheet(Generic[Pair]):
    """The records of some pairs in one measure."""

    rows: Sequence[Pair]
    all_pairs: bool

    @property
    def measure(self) -> str:
        """The measure in which the pairs are compared, short enough for a title."""
        return short(self.rows[0].measure)

    @property
    def names(self) -> list[tuple[str, str]]:
        """The pairs as (run, baseline), each once."""
        return list(dict.fromkeys((row.run, row.baseline) for row in self.rows))

    @property
    def labels(self) -> list[str]:
        """The labels of the pairs: only their runs if the title has the baseline."""
        if not self.all_pairs:
            return [short(run) for run, _ in self.names]
        return [f"{short(run, 21)} − {short(other, 21)}" for run, other in self.names]

    @property
    def title(self) -> str:
        """The title, which says which pairs these are."""
        number = len(self.names)
        runs = {name for pair in self.names for name in pair}
        if number == 1:
            run, baseline = self.names[0]
            return f"{short(run)} minus {short(baseline)}"
        if self.all_pairs:
            return f"{count(number, 'difference')} of {count(len(runs), 'run')}"
        return f"{count(number, 'run')} compared with {short(self.rows[0].baseline)}"

    @property
    def noun(self) -> str:
        """The noun for a row in texts."""
        return "pair" if self.all_pairs else "run"


def pairs_sheets(answer: Answer[Pair]) -> Iterator[PairsSheet[Pair]]:
    """Yield a sheet for each measure and baseline; for all pairs, one for each measure."""
    all_pairs = not answer.facts["pairs"]
    names = ("measure",) if all_pairs else ("measure", "baseline")
    for group in grouped(rows_of(answer), *names):
        yield PairsSheet(group, all_pairs)
