"""Table: what every study returns and every output format renders."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Column:
    """A named column; None in it is a missing value, never 0."""

    name: str
    values: Sequence[Cell]


@dataclass(frozen=True)
class Table:
    """Named columns of one length, and the signature that it takes to repeat the result."""

    title: str
    columns: Sequence[Column]
    signature: Mapping[str, str] = field(default_factory=dict)
    sentence: str = ""  # the result in words, for a person at a terminal

    def __post_init__(self) -> None:
        lengths = {len(column.values) for column in self.columns}
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
    def signature_text(self) -> str:
        """The signature in one line: `confint:0.1.0|command:score|topics:50`."""
        return "|".join(f"{key}:{value}" for key, value in self.signature.items())
