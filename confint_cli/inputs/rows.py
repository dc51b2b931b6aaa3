"""From rows of (run, measure, topic, value) to series: the checks that all formats share.

First come numbers as tables of all kinds write them; then the rows of a file, which `collect`
gathers into series; last the checks and notices, which readers of whole columns use as well.
"""

import math
import re
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from confint_cli.common.errors import DataError, Notice, detail, note, warning
from confint_cli.common.measures import is_mean_of_topics
from confint_cli.common.text import (
    have,
    listed,
    natural_key,
    number,
    quoted,
    rounding_of,
    why_no_number,
)
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import UNLABELLED, Reader, Reading, RowLabels, Series

GAPS = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "-", "--", "\u2013"}
)
"""What pandas, R, spreadsheets and people write where there is no score, in small letters."""

SUMMARY = frozenset({"all"})
"""The topic of rows that hold the mean of the others; some formats have another name for it."""


class Labelled(NamedTuple):
    """A run, and what else the columns of a table say of its rows."""

    run: str | None
    labels: RowLabels


Owner = str | None | Labelled
"""Whose scores they are: those of a run (None: the file does not say), or of it with labels."""

Row = tuple[int, Owner, str, str, str]
"""Line, run, measure, topic, value as text."""

_TRUTHS = {"True": "1", "False": "0", "TRUE": "1", "FALSE": "0", "true": "1", "false": "0"}
_WITH_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?", re.ASCII)
_LIKE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", re.ASCII)  # 1,234
_LONGEST = 400  # characters that a number may have
_SHORT = 16  # digits; a whole number with fewer is surely finite
_SERIES_OF_ANY_FILE = 50_000  # that a file of any size may have
_BYTES_A_SERIES = 200  # that a file needs for each further series
_MANY = 10_000  # texts from which on a set of them takes too much memory


# Numbers in cells


def is_gap(cell: str) -> bool:
    """Say whether a cell stands for no score."""
    return len(cell) < _LONGEST and cell.strip().casefold() in GAPS


def is_number(cell: str) -> bool:
    """Say whether a cell of a table shows a number, whichever way it is written."""
    try:
        number(cell)
    except ValueError:
        try:
            return Numerals().plain(cell) is not None
        except ValueError:
            return False
    return True


def is_whole(cell: str) -> bool:
    """Say whether a cell is a whole number without a sign, as ids and row numbers are."""
    return cell.isascii() and cell.isdecimal()


class Numerals:
    """Reads the numbers of one column, or of one table, which are all written in the same way."""

    __slots__ = ("_is_certain", "decimal", "example", "is_settled", "percent")

    def __init__(self) -> None:
        self.decimal = ""  # `.` or `,` once one was seen
        self.percent: bool | None = None  # whether numbers have percent signs; None: unknown yet
        self.example = ""  # the first number that has a comma or a percent sign
        self._is_certain = True  # False: all commas so far could separate thousands
        self.is_settled = False  # numbers have decimal points and no percent signs, as nearly all

    def plain(self, cell: str) -> str | None:
        """Return the number in a cell as Python writes it, None for a blank.

        Raise ValueError, with a predicate such as `is not a number`, for anything else and for a
        number that is written in another way than those before.
        """
        if self.percent is False and is_whole(cell) and len(cell) < _SHORT:
            return cell  # as in tables of nothing but 0 and 1, which settle nothing else
        text = cell.strip()
        if is_gap(text):
            return None
        if text in _TRUTHS:
            return _TRUTHS[text]
        has_percent = text.endswith("%")
        shown = text[:-1].rstrip() if has_percent else text
        decimal = ""
        if len(shown) < _LONGEST and _WITH_COMMA.fullmatch(shown):
            decimal, plain = ",", shown.replace(",", ".")
        else:
            plain = shown
            if "." in shown:
                decimal = "."
        try:
            value = number(plain)
        except ValueError:
            raise ValueError(f"is {why_no_number(text)}") from None
        self._check_decimal(decimal, shown)
        if value:  # 0 is the same with a percent sign and without
            self._check_percent(has_percent)
        if (has_percent or decimal == ",") and not self.example:
            self.example = text
        self.is_settled = self.decimal == "." and self.percent is False
        return _over_hundred(plain) if has_percent else plain

    def _check_decimal(self, decimal: str, shown: str) -> None:
        """Raise ValueError if the sign before decimals is another than above; remember it."""
        if decimal and self.decimal not in ("", decimal):
            this, others = ("comma", "points") if decimal == "," else ("point", "commas")
            raise ValueError(f"has a decimal {this}, but there are decimal {others} above")
        if decimal == ",":
            is_certain = not _LIKE_THOUSANDS.fullmatch(shown)
            self._is_certain = is_certain if not self.decimal else self._is_certain or is_certain
        self.decimal = self.decimal or decimal

    def _check_percent(self, has_percent: bool) -> None:
        """Raise ValueError if numbers above differ in having a percent sign; remember it."""
        if self.percent is None:
            self.percent = has_percent
        elif self.percent is not has_percent:
            raise ValueError(
                "has a percent sign, but there are numbers without one above"
                if has_percent
                else "has no percent sign, but there are numbers with one above"
            )

    def check(self, source: Origin) -> None:
        """Raise an error if there are commas, all of which may separate thousands."""
        if not self._is_certain:
            raise DataError(
                source.name,
                f"{quoted(self.example)} may be {self.example.replace(',', '.')} or "
                f"{self.example.replace(',', '')}, and so may all other numbers with a comma",
                "write the numbers with decimal points, and without commas",
            )


def _over_hundred(plain: str) -> str:
    """Return a hundredth of a number, with as many digits: 33.3/100 in binary is not 0.333."""
    try:
        return str(Decimal(plain).scaleb(-2))
    except ArithmeticError:
        return repr(float(plain) / 100)


def score_in(numerals: Numerals | None, cell: str) -> tuple[float, str | None]:
    """Return the number in a cell and how Python writes it; NaN and None for a blank of a table.

    Without `numerals` a cell is a plain number. Raise ValueError, with a predicate such as `is not
    a number`, for anything else.
    """
    if numerals is None:
        try:
            return number(cell), cell
        except ValueError:
            raise ValueError(f"is {why_no_number(cell)}") from None
    if numerals.is_settled:
        try:
            return number(cell), cell
        except ValueError:
            pass  # a blank, or a fault
    plain = numerals.plain(cell)
    return (math.nan, None) if plain is None else (number(plain), plain)


# Rows


def owner_of(run: str | None, labels: RowLabels) -> Owner:
    """Return whose scores they are; None: the file does not say."""
    return run if labels is UNLABELLED or labels == UNLABELLED else Labelled(run, labels)


def run_of(owner: Owner) -> str | None:
    """Return the run, None if the file does not say."""
    return owner.run if isinstance(owner, Labelled) else owner


def labels_of(owner: Owner) -> RowLabels:
    """Return what the file says of the rows besides their run."""
    return owner.labels if isinstance(owner, Labelled) else UNLABELLED


@dataclass(frozen=True)
class Rules:
    """How a format differs from others in what its rows mean."""

    summary: frozenset[str] = SUMMARY  # names of the row of means
    statistics: frozenset[str] = frozenset()  # other rows that are not topics, if topics are ids
    any_case: bool = False  # a summary is known in capitals and small letters
    expects_summary: bool = False  # a file without such a row may have been cut short
    exact: bool = False  # values are not rounded in print
    named_measures: bool = True  # False: the file's name is that of the measure, whatever it is
    is_table: bool = False  # there may be blanks, decimal commas and percent signs
    hint: str = ""  # what to do about a topic that comes twice
    score: str = ""  # the name of the column of scores, if it has those of all runs and measures

    def about_score(self, run: str | None, measure: str) -> tuple[str, str]:
        """Return the name of the column of a score, and of what it is there, in words."""
        if not self.score:
            return (measure if self.named_measures else "score"), ""
        of_measure = f", measure {quoted(measure)}" if self.named_measures else ""
        return self.score, of_measure + (f", run {quoted(run)}" if run is not None else "")


_NO_SPECIAL_RULES = Rules()


@dataclass(slots=True)
class _Column:
    """The scores of a run by a measure, with the same labels, while rows are collected."""

    topics: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)  # the topics of the first such column
    values: "array[float]" = field(default_factory=lambda: array("d"))  # of each topic
    lines: "array[int]" = field(default_factory=lambda: array("I"))  # of each topic
    summary: str | None = None  # the mean, as printed
    rounding: float = 0.0
    numerals: Numerals | None = None  # for a table, where numbers may be written in many ways
    no_topics: set[str] = field(default_factory=set)  # names of rows of totals and the like
    has_topics: bool = False  # some row, right or wrong, is of a topic, not of the mean
    has_gaps: bool = False  # some values are NaN, for blanks
    first_error: DataError | None = None  # matters only if the measure is wanted

    def fail(self, error: DataError) -> None:
        """Remember the error if it is the first."""
        self.first_error = self.first_error or error


def collect(
    source: Origin, rows: Iterable[Row], reader: Reader, rules: Rules = _NO_SPECIAL_RULES
) -> Reading:
    """Return the reading that has a series for each run, its labels and each measure in `rows`.

    Measures that are not means over topics (counts, geometric means, texts) are left out. Raise
    DataError for a value that is not a number, and for a second row for a topic, unless the reader
    does not choose its measure.
    """
    columns: dict[tuple[Owner, str], _Column] = {}
    first_topics: dict[str | None, list[str]] = {}  # by collection; series share these texts
    has_summary = False
    for line, owner, measure, topic, shown in rows:
        column = columns.get((owner, measure))
        if column is None:
            if rules.named_measures and not is_mean_of_topics(measure):
                continue
            numerals = Numerals() if rules.is_table else None
            column = columns[owner, measure] = _Column(numerals=numerals)
            column.shared = first_topics.setdefault(labels_of(owner).collection, column.topics)
            check_number_of_series(source, len(columns))
            if rules.is_table and topic and (noun := _without_a_name(owner, measure)):
                raise empty_name(source, line, noun)
        if not topic:
            raise empty_name(source, line, "topic")
        is_summary = (topic.casefold() if rules.any_case else topic) in rules.summary
        has_summary = has_summary or is_summary
        column.has_topics = column.has_topics or not is_summary
        try:
            value, plain = score_in(column.numerals, shown)
        except ValueError as error:
            column.fail(bad_value(source, line, measure, shown, str(error)))
            continue
        if is_summary:
            if column.summary is not None:
                problem = second_mean(topic, measure, labels_of(owner))
                column.fail(source.error(line, problem, rules.hint))
            column.summary = plain
            continue
        if plain is None:
            column.has_gaps = True
            if not reader.gaps:
                name, further = rules.about_score(run_of(owner), measure)
                column.fail(no_score(source, line, name, topic, shown, further))
        elif not column.rounding and not rules.exact:
            column.rounding = rounding_of(plain)
        place = len(column.topics)
        is_shared = place < len(column.shared) and column.shared[place] == topic
        column.topics.append(column.shared[place] if is_shared else topic)
        column.values.append(value)
        column.lines.append(line)
    per_topic = {key: column for key, column in columns.items() if column.has_topics}
    if not per_topic:
        raise no_topics(source, has_means=bool(columns))
    measures = list(dict.fromkeys(measure for _, measure in per_topic))
    chosen = frozenset(reader.choose(measures))
    wanted = {key: column for key, column in per_topic.items() if key[1] in chosen}
    series = [
        _series(source, owner, measure, column, rules)
        for (owner, measure), column in wanted.items()
    ]
    return reading_of(
        source,
        series,
        measures,
        chosen,
        [run_of(owner) for owner, _ in per_topic],
        {topic for column in wanted.values() for topic in column.no_topics},
        written_alike(source, [column.numerals for column in wanted.values() if column.numerals]),
        lacks_summary=rules.expects_summary and not has_summary,
    )


def reading_of(
    source: Origin,
    series: Sequence[Series],
    measures: Sequence[str],
    chosen: frozenset[str],
    runs: Iterable[str | None],
    rows_without_topics: Collection[str],
    notices: Sequence[Notice] = (),
    *,
    lacks_summary: bool = False,
) -> Reading:
    """Return the reading of `series` by the `chosen` ones of all `measures`.

    `runs` are all that have scores of topics. There may be `notices` on how numbers are written,
    and `rows_without_topics`, which are named there. Measures and runs without any score are left
    out, with a warning.
    """
    about_runs = runs_left_out(source, runs, series)
    filled, about_blanks = without_blanks(source, series)
    blank_measures = chosen.difference(each.measure for each in filled)
    about_rows = rows_left_out(source, rows_without_topics)
    return Reading(
        source.path,
        filled,
        [measure for measure in measures if measure not in blank_measures],
        lacks_summary=lacks_summary,
        notices=[*about_runs, *notices, *about_blanks, *about_rows],
    )


def _without_a_name(owner: Owner, measure: str) -> str:
    """Return `run`, `measure` or `collection` if it has an empty name; else nothing."""
    if run_of(owner) == "":
        return "run"
    if not measure:
        return "measure"
    return labels_of(owner).empty


def _series(source: Origin, owner: Owner, measure: str, column: _Column, rules: Rules) -> Series:
    """Return a column as a series, without rows that are not topics; raise its first error."""
    if column.first_error is not None:
        raise column.first_error
    run, labels = run_of(owner), labels_of(owner)
    check_topics_differ(source, run, measure, column.topics, column.lines, rules.hint, labels)
    values = np.frombuffer(column.values, dtype=np.float64)
    series = Series(
        run, measure, column.topics, values, column.summary, column.rounding, labels=labels
    )
    column.no_topics = no_topics_among(column.topics, rules.statistics)
    if column.no_topics:
        is_topic = [topic not in column.no_topics for topic in column.topics]
        topics = [topic for topic in column.topics if topic not in column.no_topics]
        series = replace(series, topics=topics, values=values[is_topic])
    return without_gaps(series) if column.has_gaps else series


# What is wrong with values, series and topics, and what is left out


def no_topics(source: Origin, *, has_means: bool) -> DataError:
    """Return the error for data without scores of topics, which may have means."""
    if not has_means:
        return DataError(source.name, "has no per-topic scores")
    return DataError(
        source.name,
        "has only means over all topics",
        "confint needs the scores of every topic: use trec_eval -q or ir_measures -q",
    )


def empty_name(source: Origin, line: int, noun: str) -> DataError:
    """Return the error for a row without a topic, a run, a measure or a label."""
    hint = "--labels none ignores the column of collections" if noun == "collection" else ""
    return source.error(line, f"the {noun} is empty", hint)


def second_mean(topic: str, measure: str, labels: RowLabels) -> str:
    """Return the problem with a second row of means, which is called `topic`."""
    return f"a second row for {quoted(topic)} and {quoted(measure)}{labels.in_words}"


def bad_value(source: Origin, line: int, measure: str, text: str, problem: str) -> DataError:
    """Return the error for a value; the `problem` is a predicate such as `is not a number`."""
    return source.error(line, f"the value of {quoted(measure)} {problem}: {quoted(text)}")


def no_score(
    source: Origin, line: int, column: str, topic: str, cell: str, further: str = ""
) -> DataError:
    """Return the error for a blank where a score should be; `further` follows the topic."""
    shown = f"{quoted(cell.strip())} instead of a score" if cell.strip() else "no score"
    return source.error(
        line,
        f"column {quoted(column)} has {shown} for topic {quoted(topic)}{further}",
        "--missing zero scores such topics 0, --missing drop leaves them out for all runs",
    )


def most_series(source: Origin) -> int:
    """Return how many series a file of this size may hold.

    A series of twenty topics has more bytes in the file than are asked for here. A series that is
    made by a handful of bytes would take a hundred times their memory.
    """
    return _SERIES_OF_ANY_FILE + source.size // _BYTES_A_SERIES


def check_number_of_series(source: Origin, number: int) -> None:
    """Raise an error if a file has more series than its size allows for."""
    if number > most_series(source):
        raise DataError(
            source.name,
            f"has more than {most_series(source)} runs and measures, with only a few topics each",
            "topics belong in rows, runs or measures in columns: transpose the table if needed",
        )


def check_topics_differ(
    source: Origin,
    run: str | None,
    measure: str,
    topics: Sequence[str],
    lines: Sequence[int],
    hint: str = "",
    labels: RowLabels = UNLABELLED,
) -> None:
    """Raise an error at the second row for one topic, with the same labels if there are some."""
    second = place_of_repeated(topics)
    if second is None:
        return
    of_run = f" of run {quoted(run)}" if run is not None else ""
    raise source.error(
        lines[second],
        f"a second row for topic {quoted(topics[second])} and {quoted(measure)}{of_run}"
        f"{labels.in_words}; the first is {source.place(lines[topics.index(topics[second])])}",
        hint,
    )


def place_of_repeated(texts: Sequence[str]) -> int | None:
    """Return the position of the first text that repeats an earlier one, or None if all differ.

    Of many texts, only those with equal hashes are compared: a set of millions would take more
    memory than the file.
    """
    if len(texts) < _MANY:
        if len(set(texts)) == len(texts):
            return None
        suspects: Sequence[int] = range(len(texts))
    else:
        hashes = np.fromiter(map(hash, texts), np.int64, len(texts))
        ordered = np.sort(hashes)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        suspects = np.flatnonzero(np.isin(hashes, repeated)).tolist() if repeated.size else ()
    seen: set[str] = set()
    for place in suspects:
        if texts[place] in seen:
            return place
        seen.add(texts[place])
    return None


def no_topics_among(topics: Sequence[str], names: frozenset[str]) -> set[str]:
    """Return those `topics` that are rows of totals and the like, by their `names`.

    The set is empty unless every other topic has a digit, as ids have: among topics that are words,
    such a name may be that of a topic.
    """
    named_so = {topic for topic in topics if topic.casefold() in names} if names else set()
    if not named_so:
        return named_so
    ids = [topic for topic in topics if topic not in named_so]
    return named_so if ids and all(any(map(str.isdigit, topic)) for topic in ids) else set()


def rows_left_out(source: Origin, names: Collection[str]) -> list[Notice]:
    """Return a note that rows with these `names` are left out; an empty list without names."""
    if not names:
        return []
    shown = listed([quoted(name) for name in sorted(names, key=natural_key)], 5)
    rows = f"row {shown} is" if len(names) == 1 else f"rows {shown} are"
    return [note(f"{rows} left out: all other topics have digits in their ids", source.name)]


def runs_left_out(
    source: Origin, runs: Iterable[str | None], series: Sequence[Series]
) -> list[Notice]:
    """Return a warning of those `runs` of a file that have no series, or an empty list."""
    missing = {run for run in runs if run is not None} - {each.run for each in series}
    if not missing or not series:
        return []
    names = sorted(missing, key=natural_key)
    return [
        warning(
            f"{have(len(names), 'run')} none of the measures that are used, left out: "
            f"{listed(names, 5)}",
            source.name,
        )
    ]


def labels_taken(source: Origin, column: str, noun: str) -> Notice:
    """Return a note that this `column` is read as what the `noun` says."""
    text = f"column {quoted(column, 40)} is read as {noun}"
    return note(text, source.name, what_to_do="--labels none ignores it")


def without_gaps(series: Series) -> Series:
    """Return the series without the topics whose value is NaN, which become its gaps."""
    has_score = ~np.isnan(series.values)
    rows = zip(series.topics, has_score.tolist(), strict=True)
    blank_and_scored: tuple[list[str], list[str]] = ([], [])
    for topic, is_scored in rows:
        blank_and_scored[is_scored].append(topic)
    return replace(
        series,
        topics=blank_and_scored[1],
        values=series.values[has_score],
        gaps=blank_and_scored[0],
    )


def without_blanks(source: Origin, series: Sequence[Series]) -> tuple[list[Series], list[Notice]]:
    """Return the series that have scores, and a warning of those that have none at all, if any.

    Raise DataError if no series has scores.
    """
    filled = [each for each in series if len(each.topics)]
    blank = [each for each in series if not len(each.topics)]
    measures = {each.measure for each in series}
    has_labels = len({each.labels for each in series}) > 1
    columns = [
        (f"{each.measure} of {each.run}"
         if each.run and len(measures) > 1
         else each.run or each.measure)
        + (each.labels.in_words if has_labels else "")
        for each in blank
    ]  # fmt: skip
    if not columns:
        return filled, []
    if not filled:
        raise DataError(source.name, "has no per-topic scores, only blanks")
    return filled, [
        warning(f"left out, as there is no score at all: {listed(columns, 5)}", source.name)
    ]


def written_alike(source: Origin, numerals: Sequence[Numerals]) -> list[Notice]:
    """Return a notice if the numbers of a table have percent signs or decimal commas.

    Raise DataError if columns write their numbers in different ways.
    """
    for column in numerals:
        column.check(source)
    if len({column.decimal for column in numerals} - {""}) > 1:
        raise DataError(source.name, "some columns have decimal commas, and others decimal points")
    percent = {column.percent for column in numerals} - {None}
    if len(percent) > 1:
        raise DataError(source.name, "some columns have percent signs, and others have none")
    example = next((column.example for column in numerals if column.example), "")
    if percent == {True}:
        return [note(f"percentages are read as fractions of 1: {quoted(example)}", source.name)]
    return (
        [detail(f"numbers have decimal commas: {quoted(example)}", source.name)] if example else []
    )
