"""What a reader is and what it returns: the records that every format file shares."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError, Notice
from confint_cli.common.text import quoted
from confint_cli.inputs.origin import MEASURE, Origin
from confint_cli.inputs.source import Source

Choose = Callable[[Sequence[str]], Collection[str]]
"""A function that returns, of the measures that a file has, those to read."""


class RowLabels(NamedTuple):
    """What the columns of a table say of a row, besides its run; None: no column does."""

    collection: str | None = None  # that the topic is of
    repeat: str | None = None  # of the run: the seed of its training, say; empty: it has none

    @property
    def in_words(self) -> str:
        """` in collection 'news', repeat '3'`, for the end of a message; empty without any."""
        named = [f"{noun} {quoted(text)}" for noun, text in zip(self._fields, self, strict=True)
                 if text]  # fmt: skip
        return f" in {', '.join(named)}" if named else ""

    @property
    def empty(self) -> str:
        """What has an empty name though it needs one, `collection`; empty: nothing has."""
        return "collection" if self.collection == "" else ""


UNLABELLED = RowLabels()


@dataclass(frozen=True, slots=True)  # a table may have fifty thousand of them
class Series:
    """The scores of one run by one measure, as a file gives them."""

    run: str | None  # None: the file does not say
    measure: str
    topics: Sequence[str]
    values: FloatArray  # [topic]
    summary: str | None = None  # the file's own mean, as printed
    rounding: float = 0.0  # how far printing may have moved a value from the exact one
    gaps: Sequence[str] = ()  # further topics, whose rows have a blank for a score
    labels: RowLabels = UNLABELLED  # its collection and repeat, as far as the data say


@dataclass(frozen=True)
class TopicGroups:
    """Which topics belong together, by a column of a table."""

    column: str  # its name
    by_topic: Mapping[tuple[str, str], str]  # by collection (empty: none is named) and topic
    torn: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Two values of each topic, by collection and topic too, for which the column has several."""


@dataclass(frozen=True)
class Reading:
    """The series that were read from one file, and what else is known of the file."""

    path: str
    series: Sequence[Series]
    measures: Sequence[str]  # of the whole file, read or not, in its order
    tag: str | None = None  # the name that the file itself gives to its run
    lacks_summary: bool = False  # a summary row is missing: was the file cut short?
    notices: Sequence[Notice] = field(default=())
    scales: Mapping[str, str] | None = None  # by standardised measure; None: the file does not say
    counted: bool = False  # topics are 0, 1, 2 … and may be no more than row numbers
    groups: TopicGroups | None = None  # of topics, if a column has them


@dataclass(frozen=True)
class Reader:
    """What to read, and how to name what the file leaves without a name."""

    choose: Choose
    requested: Sequence[str] = ()  # measures as the user wrote them; empty: the default ones
    run_names: Sequence[str] | None = None  # --run-names, for matrices
    measure_name: str | None = None  # --measure-name, for formats without measures
    named_runs: Collection[str] = ()  # runs that options such as --baseline name
    gaps: bool = False  # blanks for scores are missing topics; otherwise they are errors
    is_told: bool = False  # the user names the format, so no notice is needed
    kind: str | None = None  # of the table in a file of JSON or Parquet, if the user names it
    prefers: str | None = None  # the kind of a table whose columns may be runs or measures
    labels: bool = True  # columns may name collections, repeats and groups; False: none does
    grouped: bool = False  # the call itself says which topics belong together

    def measure_for(self, origin: Origin) -> str:
        """Return the name of the measure for data that do not name it."""
        return self.measure_name or origin.stem or MEASURE


class Fit(IntEnum):
    """How well a file's beginning fits a format; the best fit wins."""

    NONE = 0
    POSSIBLE = 1  # it fits if no other format does
    SHAPE = 2  # its lines have the shape of the format
    NAMED = 3  # its header names what the format has


@dataclass(frozen=True)
class Format:
    """One input format: how to know it, how to read it, and what `confint formats` says of it."""

    summary: str
    explanation: str
    example: str
    sniff: Callable[["Head"], bool | Fit]  # True: Fit.SHAPE
    read: Callable[[Source, Reader], Reading]
    doubt: Callable[["Head"], DataError | None] = lambda _: None
    """Returns what speaks against a format that fits, or is wrong with a file that nearly does."""
    is_table: bool = False  # it has a header, by which or by its rows the format is known
    names_measures: bool = True
    names_runs: bool = True  # by a column or the file's name; False: --run-names may do so
    holds_tables: bool = False  # it has tables in it, whose kind the user may name
    is_text: bool = True

    def fit(self, head: "Head") -> Fit:
        """Return how well the beginning of a file fits this format."""
        verdict = self.sniff(head)
        return verdict if isinstance(verdict, Fit) else Fit.SHAPE if verdict else Fit.NONE

    def full_text(self, name: str) -> str:
        """Return summary, explanation and example as one text for people."""
        example = "".join(f"  {line}".rstrip() + "\n" for line in self.example.splitlines())
        return f"{name}: {self.summary}\n\n{self.explanation}\n\nExample:\n{example}"


NOBODY = Reader(lambda names: names)
"""A reader that wants everything and knows nothing."""


@dataclass(frozen=True, eq=False)
class Head:
    """The first lines of a file, for finding its format, and what is known of it besides."""

    lines: tuple[str, ...]
    source: Source
    reader: Reader = NOBODY
    known: dict[Any, Any] = field(default_factory=dict)  # results of `once`, by function

    def share(self, condition: Callable[[str], bool]) -> float:
        """Return the share of lines for which the condition holds."""
        return sum(map(condition, self.lines)) / len(self.lines) if self.lines else 0.0


_HEAD_LINES = 20  # enough to know any format by; all formats look at them for every file
_HEAD_BYTES = 1 << 16
LONGEST_HEADER = 1 << 21  # bytes; a table of a hundred thousand runs has as many


Result = TypeVar("Result")


def once(find: Callable[[Head], Result]) -> Callable[[Head], Result]:
    """Return `find` with a memory in the head: several formats ask the same of a file."""

    @wraps(find)
    def remembered(head: Head) -> Result:
        if find not in head.known:
            head.known[find] = find(head)
        result: Result = head.known[find]
        return result

    return remembered


def head_of(source: Source, reader: Reader = NOBODY) -> Head:
    """Return the first lines of a file that are not blank, with its source and reader."""
    size = _HEAD_BYTES
    first_end = source.data.find(b"\n", 0, size)
    if source.data.find(b"\n", first_end + 1, size) < 0:  # the header and a row of a wide table
        size = LONGEST_HEADER
    lines = source.data[:size].split(b"\n", _HEAD_LINES)
    if len(lines) > _HEAD_LINES or (len(lines) > 1 and len(source.data) > size):
        lines.pop()  # the rest, or a line that is cut
    texts = [line.decode("utf-8", "backslashreplace") for line in lines]
    return Head(tuple(text for text in texts if text and not text.isspace()), source, reader)
