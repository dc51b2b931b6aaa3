"""The table of a paper: systems by measures, or by collections, as outputs set it in type."""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class PaperColumn:
    """One value of every system; columns of one measure or collection share its name."""

    heading: str  # the measure or the collection
    values: Sequence[Cell]  # None: there is none
    name: str = ""  # what the values are, where the heading alone does not say it
    marks: Sequence[str] = ()  # of each value: daggers, or letters of systems; empty: no marks
    below: Sequence[Cell] = ()  # of each value, in a line of its own; empty: nothing is below
    ranked: bool = False  # whether the largest is the best


@dataclass(frozen=True)
class PaperTable:
    """Systems, and a column or several for each measure or collection."""

    title: str  # what it shows, in a few words: for a list of tables
    caption: Sequence[str]  # sentences
    systems: Sequence[str]  # names
    letters: Sequence[str]  # by which marks name the systems; empty: they do not
    columns: Sequence[PaperColumn]
    second_best: bool = False  # whether the second best of a column is underlined
    baselines: int = 0  # how many systems come first because others are compared with them
