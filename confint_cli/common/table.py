"""Tables as people read them, and what can be in their cells."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

FULL_PRECISION = -1
"""Four decimals, or as many as it takes to read the same number back."""


@dataclass(frozen=True)
class Decimals:
    """How many decimals the numbers of a result have, where the user does not say how many."""

    in_records: int = 4
    for_people: int = 4


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


@dataclass(frozen=True)
class Signed:
    """A number with its sign, `+` too, as for a difference among other numbers."""

    value: float


@dataclass(frozen=True)
class Together:
    """Several values in one cell, a blank between them."""

    parts: tuple["Cell", ...]


@dataclass(frozen=True)
class Framed:
    """A value between two texts that are in the language of the output already."""

    value: "Cell"
    before: str = ""
    after: str = ""


Cell = (
    str | int | float | bool | Interval | Span | Strip | Histogram | Marked | Probability | Signed
    | Together | Framed | None
)  # fmt: skip


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
    """Named columns of one length, as people read them."""

    title: str
    columns: Sequence[Column]
    legend: str = ""  # what marks in the cells mean
    sentence: Sequence[Cell] = ()  # the result in words and numbers
    breaks: Sequence[int] = ()  # positions of rows above which there is a line
    breaks_mean: str = ""  # what such a line says of the rows; empty: that is clear
    chosen: bool = False  # the user chose the columns: those without a value are shown too

    def __post_init__(self) -> None:
        lengths = {len(column.values) for column in self.columns}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    @property
    def legends(self) -> list[str]:
        """The legends of the table and of its columns, without empty ones."""
        return [text for text in (self.legend, *(column.legend for column in self.columns)) if text]

    def explained(self, text: str) -> "Table":
        """Return the table with one more sentence in its legend; with no text, as it is."""
        return replace(self, legend=" ".join(filter(None, [self.legend, text])))


@dataclass(frozen=True)
class View:
    """A result as people read it: tables, and a sentence about all of them."""

    tables: Sequence[Table]
    sentence: Sequence[Cell] = ()

    def explained(self, text: str) -> "View":
        """Return the view with one more sentence in the legend of its last table."""
        return replace(self, tables=[*self.tables[:-1], self.tables[-1].explained(text)])
