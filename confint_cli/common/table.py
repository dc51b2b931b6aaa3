"""Table: what every study returns and every output format renders."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from confint_cli.common.text import BAR


@dataclass(frozen=True)
class Interval:
    """Two limits in one cell, for people: [low, high]."""

    low: float
    high: float


@dataclass(frozen=True)
class Span:
    """An interval about a value, to be drawn on a scale that the cells of a column share."""

    low: float
    value: float
    high: float
    mark: float | None = None  # a value to compare with, shown in every row


@dataclass(frozen=True)
class Strip:
    """One character for each row of the table, to be drawn: which of the rows this one is like."""

    own: int  # the row itself
    alike: tuple[bool, ...]


@dataclass(frozen=True)
class Histogram:
    """How many topics there are in each bin, to be drawn one character a bin."""

    counts: tuple[int, ...]


@dataclass(frozen=True)
class Probability:
    """A probability, for people: what would be rounded to 0 or 1 is shown as less, or more."""

    value: float
    named: bool = False  # as in a sentence: p = 0.0481, p < 0.0001


@dataclass(frozen=True)
class Marked:
    """A number with a mark behind it, one character or none, that the table's legend explains."""

    value: float
    mark: str = ""


Cell = str | int | float | bool | Interval | Span | Strip | Histogram | Marked | Probability | None


@dataclass(frozen=True)
class Column:
    """A named column; None in it is a missing value, never 0."""

    name: str
    values: Sequence[Cell]
    exact: bool = False  # numbers as they are, such as a level that the user gave
    significant: bool = False  # so many digits that count, not decimals: numbers may be tiny
    optional: bool = False  # left out, and said so, where a terminal is too narrow for it
    legend: str = ""  # what it means, wherever people see it


def columns_of(
    rows: Sequence[object], names: Iterable[str], exact: Collection[str] = ()
) -> list[Column]:
    """Return what records have in the fields of these names, of which some are shown exactly."""
    return [
        Column(name, [getattr(row, name) for row in rows], exact=name in exact) for name in names
    ]


def stacked(tables: Sequence[Sequence[Column]]) -> list[Column]:
    """Return the columns of several tables, which have the same names, below one another."""
    return [
        replace(same[0], values=[value for column in same for value in column.values])
        for same in zip(*tables, strict=True)
    ]


def explained_once(tables: Sequence["Table"]) -> list["Table"]:
    """Return the tables, in which a column's legend is only in the last that has the column."""
    said: set[str] = set()
    explained = []
    for table in reversed(tables):
        columns = [
            replace(column, legend="") if column.legend in said else column
            for column in table.columns
        ]
        said |= {column.legend for column in table.columns}
        explained.append(replace(table, columns=columns))
    return explained[::-1]


@dataclass(frozen=True)
class Table:
    """Named columns of one length, and the signature that it takes to repeat the result."""

    title: str
    columns: Sequence[Column]
    signature: Mapping[str, str] = field(default_factory=dict)
    legend: str = ""  # what marks in the cells mean, wherever people see them
    sentence: Sequence[Cell] = ()  # the result in words and numbers
    view: Sequence["Table"] = ()  # the same in parts as people read it; empty: as it is
    breaks: Sequence[int] = ()  # rows that are parted by a line from all above them …
    breaks_mean: str = ""  # … and what that says of the rows, if it needs to be said
    for_figure: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # more of each row
    remarks: Sequence[str] = ()  # what `explained` put below it, in whichever part that is
    chosen: bool = False  # column by column: those without a value are shown to people too

    def __post_init__(self) -> None:
        lengths = {len(column.values) for column in self.columns}
        lengths |= {len(values) for values in self.for_figure.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows."""
        return zip(*(column.values for column in self.columns), strict=True)

    @property
    def legends(self) -> list[str]:
        """All that the table and its columns explain."""
        return [text for text in (self.legend, *(one.legend for one in self.columns)) if text]

    def explained(self, text: str) -> "Table":
        """Return the same with a text below it, wherever people see it."""
        explained = replace(self, remarks=[*self.remarks, text])
        if not self.view:
            return replace(explained, legend=" ".join(filter(None, [self.legend, text])))
        return replace(explained, view=[*self.view[:-1], self.view[-1].explained(text)])

    def only(self, names: Sequence[str]) -> "Table":
        """Return these columns in this order, as they are: no views, and no words about the rest.

        What is said of the scores, or of files that are left out, stays below it.
        """
        by_name = {column.name: column for column in self.columns}
        columns = [by_name[name] for name in names]
        below = " ".join(self.remarks)
        return Table(self.title, columns, self.signature, legend=below, chosen=True)

    @property
    def signature_text(self) -> str:
        """The signature in one line: `confint:0.1.0|command:score|topics:50`."""
        return in_one_line(self.signature)


def in_one_line(signature: Mapping[str, str]) -> str:
    """Return a signature as text; what stands for a bar in a value parts no entries."""
    return "|".join(f"{key}:{value.replace('|', BAR)}" for key, value in signature.items())
