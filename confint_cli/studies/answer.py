"""What a study returns: typed records, the facts behind them, and notices.

An answer has five readers: the records formats (tsv, csv, json, jsonl), the tables for people, the
figures, the page, and Python. Each of them reads records and facts; none takes apart what another
one made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, overload

from confint_cli.common.errors import Notice
from confint_cli.common.paper import PaperRequest, PaperTable
from confint_cli.common.table import Cell, Column, Decimals, Table, View
from confint_cli.studies.facts import Facts, in_one_line, signature_of

Row = TypeVar("Row")
_SHOWN = 3  # records that a representation of many has


@dataclass(frozen=True)
class Field:
    """A field of records that the records formats have as a column."""

    name: str
    exact: bool = False  # numbers are shown as they are, such as a level that the user gave
    significant: bool = False  # rounded to significant digits, not decimals: numbers may be tiny


def fields(names: str, *, exact: str = "", significant: str = "") -> tuple[Field, ...]:
    """Return the fields in a text of names separated by blanks, and how their numbers are shown."""
    return tuple(
        Field(name, name in exact.split(), name in significant.split()) for name in names.split()
    )


@dataclass(frozen=True)
class Gate:
    """What a call said must not be, and what there is of it."""

    about: str  # the option, and how many comparisons fail
    failures: tuple[Sequence[Cell], ...] = ()  # a sentence on each; none: all pass


@dataclass(frozen=True)
class Answer(Generic[Row]):
    """The result of a study."""

    rows: Sequence[Row]  # records of one class, which has all `fields` as attributes
    fields: tuple[Field, ...]  # the columns of the records formats, in order
    facts: Facts  # what was asked and what was used
    notices: tuple[Notice, ...] = ()
    view: "Callable[[Answer[Row]], View] | None" = None  # how people read it; None: as records
    details: Sequence[Any] = ()  # records of another class that views and figures need besides
    factors: "Answer[Any] | None" = None  # of standardised scores, for a file of their own
    remarks: tuple[str, ...] = ()  # sentences about the scores, shown wherever people see results
    chosen: bool = False  # whether the user chose the fields
    decimals: Decimals = field(default_factory=Decimals)
    gate: Gate | None = None  # if the call is to fail where something is found
    paper: "Callable[[Answer[Row], PaperRequest], list[PaperTable]] | None" = None
    """How papers print it; None: they do not."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [field.name for field in self.fields]

    @property
    def columns(self) -> list[Column]:
        """The records as columns, in the order of the fields."""
        return [
            Column(field.name, column_of(self.rows, field.name), field.exact, field.significant)
            for field in self.fields
        ]

    @property
    def signature(self) -> str:
        """The label by which the result can be repeated: `confint:0.1.0|command:score|topics:50`.

        Empty, if no facts are known, as of a list of methods.
        """
        return in_one_line(signature_of(self.facts))

    def only(self, names: Sequence[str]) -> "Answer[Row]":
        """Return the answer with only the fields of these `names`, in this order.

        People see these columns then, without views.
        """
        by_name = {field.name: field for field in self.fields}
        chosen = tuple(by_name[name] for name in names)
        return replace(self, fields=chosen, view=None, chosen=True)

    def for_people(self) -> View:
        """Return the tables that people read, with the remarks below the last one."""
        if self.view is None:
            view = View([Table("", self.columns, chosen=self.chosen)])
        else:
            view = self.view(self)
        for remark in self.remarks:
            view = view.explained(remark)
        return view if self.gate is None else view.explained(f"{self.gate.about}.")


def column_of(rows: Sequence[Any], name: str) -> Sequence[Any]:
    """Return the values that records have under this `name`, one of each record."""
    if isinstance(rows, Columnar):
        return rows.column(name)
    return [getattr(row, name) for row in rows]


class Columnar(Sequence[Row]):
    """Records that are kept as columns: a record is made when it is looked at.

    Millions of scores take the memory of their numbers and names, and no more.
    """

    def __init__(self, kind: Callable[..., Row], columns: Mapping[str, Sequence[Any]]) -> None:
        """Keep the `columns`, by the names of the fields of the class `kind`."""
        self._kind = kind
        self._columns = columns

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a field."""
        return self._columns[name]

    def __repr__(self) -> str:
        first = ", ".join(map(repr, self[:_SHOWN]))
        return f"[{first}{', …' * (len(self) > _SHOWN)}]"

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> "Columnar[Row]": ...
    def __getitem__(self, place: int | slice) -> "Row | Columnar[Row]":
        if isinstance(place, slice):
            cut = {name: values[place] for name, values in self._columns.items()}
            return Columnar(self._kind, cut)
        return self._kind(**{name: values[place] for name, values in self._columns.items()})
