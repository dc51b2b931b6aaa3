"""The table of a paper: systems by measures or collections, or the other way round."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.table import Cell

BELOW, BESIDE, NONE = "below", "beside", "none"
PLACES = (BELOW, BESIDE, NONE)
"""Where intervals stand: in a line below each mean, in a column beside it, or nowhere."""


@dataclass(frozen=True)
class PaperRequest:
    """What a user wants of the table of a paper."""

    columns: tuple[str, ...] = ()  # what stands for each measure; empty: means and intervals
    intervals: str = ""  # one of PLACES; empty: below
    second_best: bool = False  # whether the second best of a column is underlined
    transposed: bool = False  # whether systems are the columns


@dataclass(frozen=True)
class PaperColumn:
    """One value in every row; columns of one measure, collection or system share its name."""

    heading: str  # the measure or the collection; the system, in a transposed table
    values: Sequence[Cell]  # None: there is none
    name: str = ""  # what the values are, where the heading alone does not say it
    marks: Sequence[str] = ()  # of each value: daggers, or letters of systems; empty: no marks
    below: Sequence[Cell] = ()  # of each value, in a line of its own; empty: nothing is below
    ranked: bool = False  # whether the largest is the best
    letter: str = ""  # by which marks name the system that is the heading
    standings: Sequence[int] = ()  # of each value, what `outputs` finds it to be


@dataclass(frozen=True)
class PaperTable:
    """Systems, and a column or several for each measure or collection; or transposed."""

    title: str  # what it shows, in a few words: for a list of tables
    caption: Sequence[str]  # sentences
    rows: Sequence[str]  # names of systems; transposed, of measures or collections
    letters: Sequence[str]  # by which marks name the systems in rows; empty: they do not
    columns: Sequence[PaperColumn]
    second_best: bool = False  # whether the second best is underlined
    rule: int = 0  # how many rows stand above a rule; 0: there is none
    head: str = "system"  # what the names of rows are
    best_of_row: bool = False  # whether values of one row are ranked, not those of a column


def by_heading(columns: Sequence[PaperColumn]) -> Iterator[tuple[str, list[PaperColumn]]]:
    """Yield each heading with its columns."""
    found: dict[str, list[PaperColumn]] = {}
    for column in columns:
        found.setdefault(column.heading, []).append(column)
    yield from found.items()


def transposed(table: PaperTable, head: str, rule: int) -> PaperTable:
    """Return the table of systems in rows with these in columns; `head` is what its rows are.

    Every heading has the same columns. Those that are empty for one system only, such as the
    difference of a baseline from itself, it does not have. The `rule` is below that many rows.
    """
    groups = [columns for _, columns in by_heading(table.columns)]
    kinds = [list(kind) for kind in zip(*groups, strict=True)]
    filled = [
        [any(_has_anything(column, place) for column in own) for place in range(len(table.rows))]
        for own in kinds
    ]  # [kind][system]
    columns = []
    for place, system in enumerate(table.rows):
        there = [own for own, has in zip(kinds, filled, strict=True) if has[place] or not any(has)]
        for own in there or kinds[:1]:
            first = own[0]
            has_below = any(column.below for column in own)
            columns.append(
                replace(
                    first,
                    heading=system,
                    values=[column.values[place] for column in own],
                    marks=[column.marks[place] if column.marks else "" for column in own],
                    below=[column.below[place] if column.below else None for column in own]
                    if has_below else (),
                    letter=table.letters[place] if table.letters else "",
                )
            )  # fmt: skip
    rows = [group[0].heading for group in groups]
    return replace(
        table, rows=rows, letters=(), columns=columns, rule=rule, head=head, best_of_row=True
    )


def _has_anything(column: PaperColumn, place: int) -> bool:
    """Say whether a row of a column has a value, or anything below it."""
    below = column.below[place] if column.below else None
    return column.values[place] is not None or below is not None
