"""What a reader is and what it returns: the records that every format file shares."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from confint_cli.arrays import FloatArray
from confint_cli.errors import Notice
from confint_cli.inputs._source import Source

Choose = Callable[[Sequence[str]], Collection[str]]
"""Given the measures that a file has, returns those to read."""


@dataclass(frozen=True)
class Series:
    """The scores of one run by one measure, as a file gives them."""

    run: str | None  # None: the file does not say
    measure: str
    topics: Sequence[str]
    values: FloatArray
    summary: str | None = None  # the file's own mean, as printed
    rounding: float = 0.0  # how far printing may have moved a value


@dataclass(frozen=True)
class Reading:
    """All that was read from one file."""

    path: str
    series: Sequence[Series]
    measures: Sequence[str]  # all that the file has, read or not, in its order
    tag: str | None = None  # the run's name by the file's own word
    lacks_summary: bool = False  # its format has a summary row, but it has none: cut short?
    notices: Sequence[Notice] = field(default=())
    scales: Mapping[str, str] | None = None  # of standardised measures; None: the file is silent


@dataclass(frozen=True)
class Reader:
    """What to read, and how to name what the file leaves without a name."""

    choose: Choose
    requested: Sequence[str] = ()  # the measures as the user wrote them; none: the default ones
    run_names: Sequence[str] | None = None  # --run-names, for matrices
    measure_name: str | None = None  # --measure-name, for formats without measures

    def measure_for(self, source: Source) -> str:
        """Return the name of the measure in a file that does not tell it."""
        return self.measure_name or source.stem


@dataclass(frozen=True)
class Format:
    """One input format: how to know it, how to read it, and what `confint formats` says of it."""

    summary: str
    explanation: str
    example: str
    sniff: Callable[["Head"], bool]
    read: Callable[[Source, Reader], Reading]
    fallback: bool = False  # so general that any other format goes before it
    names_measures: bool = True
    names_runs: bool = True  # a column, or the file; False: --run-names may name them

    def full_text(self, name: str) -> str:
        """Return all there is to say, for people."""
        example = "".join(f"  {line}\n" for line in self.example.splitlines())
        return f"{name}: {self.summary}\n\n{self.explanation}\n\nExample:\n{example}"


@dataclass(frozen=True)
class Head:
    """The first lines of a file, for finding its format."""

    lines: tuple[str, ...]

    def share(self, condition: Callable[[str], bool]) -> float:
        """Return the share of lines for which the condition holds."""
        return sum(map(condition, self.lines)) / len(self.lines) if self.lines else 0.0


_HEAD_LINES = 20  # enough to know any format by; all formats look at them for every file
_HEAD_BYTES = 1 << 16
LONGEST_HEADER = 1 << 21  # bytes; a table of a hundred thousand runs has as many


def head_of(source: Source) -> Head:
    """Return the first lines that are not blank."""
    size = _HEAD_BYTES
    first_end = source.data.find(b"\n", 0, size)
    if source.data.find(b"\n", first_end + 1, size) < 0:  # the header and a row of a wide table
        size = LONGEST_HEADER
    lines = source.data[:size].split(b"\n", _HEAD_LINES)
    if len(lines) > _HEAD_LINES or (len(lines) > 1 and len(source.data) > size):
        lines.pop()  # the rest, or a line that is cut
    texts = [line.decode("utf-8", "backslashreplace") for line in lines]
    return Head(tuple(text for text in texts if text and not text.isspace()))
