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
    """Which rows of the table this one is like, to be drawn with one character for each row."""

    own: int  # the position of the row itself
    alike: tuple[bool, ...]  # of each row


@dataclass(frozen=True)
class Histogram:
    """How many topics there are in each bin, to be drawn with one character for each bin."""

    counts: tuple[int, ...]


@dataclass(frozen=True)
class Probability:
    """A probability, for people: one that would be rounded to 0 or 1 is shown as `<` or `>`."""

    value: float
    named: bool = False  # as in a sentence: p = 0.0481, p < 0.0001


@dataclass(frozen=True)
class Marked:
    """A number with a mark behind it, of one character or none, which the legend explains."""

    value: float
    mark: str = ""


Cell = str | int | float | bool | Interval | Span | Strip | Histogram | Marked | Probability | None


@dataclass(frozen=True)
class Column:
    """A named column; None in it is a missing value, never 0."""

    name: str
    values: Sequence[Cell]
    exact: bool = False  # numbers are shown as they are, such as a level that the user gave
    significant: bool = False  # rounded to significant digits, not decimals: numbers may be tiny
    optional: bool = False  # left out, with a remark, where a terminal is too narrow for it
    legend: str = ""  # what the column means, shown wherever people see it


def columns_of(
    rows: Sequence[object], names: Iterable[str], exact: Collection[str] = ()
) -> list[Column]:
    """Return a column for each of `names`: that field of all `rows`, shown as it is if `exact`."""
    return [
        Column(name, [getattr(row, name) for row in rows], exact=name in exact) for name in names
    ]


def stacked(tables: Sequence[Sequence[Column]]) -> list[Column]:
    """Return the columns of several tables as one; they have the same names in the same order."""
    return [
        replace(
            same_columns[0], values=[value for column in same_columns for value in column.values]
        )
        for same_columns in zip(*tables, strict=True)
    ]


def explained_once(tables: Sequence["Table"]) -> list["Table"]:
    """Return the tables with each legend of a column only in the last table that has it."""
    legends_so_far: set[str] = set()
    explained = []
    for table in reversed(tables):
        columns = [
            replace(column, legend="") if column.legend in legends_so_far else column
            for column in table.columns
        ]
        legends_so_far |= {column.legend for column in table.columns}
        explained.append(replace(table, columns=columns))
    return explained[::-1]


@dataclass(frozen=True)
class Table:
    """Named columns of one length, and the signature by which the result can be repeated."""

    title: str
    columns: Sequence[Column]
    signature: Mapping[str, str] = field(default_factory=dict)
    legend: str = ""  # what marks in the cells mean, shown wherever people see them
    sentence: Sequence[Cell] = ()  # the result in words and numbers
    view: Sequence["Table"] = ()  # the tables that people see instead; empty: they see this one
    breaks: Sequence[int] = ()  # positions of rows above which there is a line
    breaks_mean: str = ""  # what such a line says of the rows; empty: that is clear
    for_figure: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # more values of each row
    remarks: Sequence[str] = ()  # the texts that `explained` put below it, or below its view
    chosen: bool = False  # the user chose the columns: those without a value are shown too

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
        """Yield the cells of each row."""
        return zip(*(column.values for column in self.columns), strict=True)

    @property
    def legends(self) -> list[str]:
        """The legends of the table and of its columns, without empty ones."""
        return [text for text in (self.legend, *(column.legend for column in self.columns)) if text]

    def explained(self, text: str) -> "Table":
        """Return the table with a text below it, which is shown wherever people see it."""
        explained = replace(self, remarks=[*self.remarks, text])
        if not self.view:
            return replace(explained, legend=" ".join(filter(None, [self.legend, text])))
        return replace(explained, view=[*self.view[:-1], self.view[-1].explained(text)])

    def only(self, names: Sequence[str]) -> "Table":
        """Return a table of the columns with these `names`, in this order, without views.

        Of the texts below it only the remarks stay, on the scores or on files that are left out.
        """
        by_name = {column.name: column for column in self.columns}
        columns = [by_name[name] for name in names]
        remarks = " ".join(self.remarks)
        return Table(self.title, columns, self.signature, legend=remarks, chosen=True)

    @property
    def signature_text(self) -> str:
        """The signature in one line: `confint:0.1.0|command:score|topics:50`."""
        return in_one_line(self.signature)


def in_one_line(signature: Mapping[str, str]) -> str:
    """Return a signature as text: entries are separated by bars, and `BAR` is a bar in a value."""
    return "|".join(f"{key}:{value.replace('|', BAR)}" for key, value in signature.items())
