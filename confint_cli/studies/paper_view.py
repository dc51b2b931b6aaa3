"""Answers as the tables of a paper: a row for each system, a column for each measure or collection.

The caption has what a reader needs: topics, method, level, test, correction; outputs add the
signature. Where marks and intervals are not made by the same rule, so that they may disagree, it
says so.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from confint_cli.common.errors import CallError
from confint_cli.common.paper import BELOW, BESIDE, NONE, PaperColumn, PaperRequest, PaperTable
from confint_cli.common.table import Cell, Interval, Probability, Signed, Together
from confint_cli.common.text import count
from confint_cli.common.words import percent, series
from confint_cli.scores.labels import MACRO, META
from confint_cli.stats.bonferroni import NAME as BONFERRONI_T
from confint_cli.stats.significance import named_test
from confint_cli.stats.simultaneous import NAME as MAX_T
from confint_cli.studies.answer import Answer
from confint_cli.studies.compare_view import judged_by
from confint_cli.studies.doubts import missing_in_words
from confint_cli.studies.facts import Facts
from confint_cli.studies.pairing_view import MeasurePairs, pairs_by_measure
from confint_cli.studies.rows import CompareRow, IntervalRow
from confint_cli.studies.scope import (
    COLLECTIONS,
    for_whom,
    has_collections,
    has_judge,
    of_single,
    topics_of,
)

_BETTER, _WORSE = "†", "‡"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TEXTS = ("measure", "run", "baseline", "collection", "method", "level", "note", "verdict")
_HEADINGS = {
    "p_adjusted": "p adj.", "glass_delta": "Δ", "hedges_gz": "gz", "hedges_g": "g",
}  # fmt: skip
"""Columns that are called otherwise than their fields, without underscores."""

_AT_ONCE = (MAX_T, BONFERRONI_T)  # methods whose intervals hold for all comparisons at once


def interval_paper(answer: Answer[IntervalRow], request: PaperRequest) -> list[PaperTable]:
    """Return the means of all runs, with their intervals."""
    facts = answer.facts
    _check_one_interval(facts)
    names = _fields_asked_for(request)
    tables = []
    for rows in _of_tables(answer.rows, facts):
        systems = list(dict.fromkeys(row.run for row in rows))
        columns: list[PaperColumn] = []
        for heading, group in _by_heading(rows, facts):
            row_of_run = {row.run: row for row in group}
            own = [row_of_run.get(run) for run in systems]
            limits = [_limits(row) for row in own]
            below = limits if _place(request) == BELOW else []
            is_beside = _place(request) == BESIDE
            columns += _columns(heading, own, names, below=below, named=is_beside)
            if is_beside:
                columns.append(PaperColumn(heading, limits, percent(facts["levels"][0])))
        caption = [
            f"{_title(rows, systems)}{_over(rows[0], facts)}.",
            _about_intervals(facts, names, request, f"{_confidence(facts)} interval of the mean"),
            *_ending(answer, columns, request, {row.run: row.missing for row in rows}),
        ]
        tables.append(_table(rows, systems, columns, caption, request))
    return tables


def compare_paper(answer: Answer[CompareRow], request: PaperRequest) -> list[PaperTable]:
    """Return the means of all runs, marked by what is significantly better than what.

    With one baseline, daggers say which runs are better or worse than it, and there is its
    difference to each; else, letters say which runs a run is better than.
    """
    facts = answer.facts
    _check_one_interval(facts)
    has_baseline = len(facts["pairs"]) == 1
    if not has_baseline:
        _check_only_means(request, facts)
    names = _fields_asked_for(request)
    of_measure = {pairs.first.measure: pairs for pairs in pairs_by_measure(answer)}
    tables = []
    for rows in _of_tables([row for row in answer.rows if row.collection != META], facts):
        systems = _systems(rows, facts["pairs"])
        letters = {} if has_baseline else _letters_of(systems)
        columns: list[PaperColumn] = []
        for heading, group in _by_heading(rows, facts):
            marks = _beaten(group, systems, letters) if letters else _daggers(group, systems)
            columns += _compared(heading, group, systems, marks, names, request, facts)
        compared = [of_measure[name] for name in dict.fromkeys(row.measure for row in rows)]
        missing = {run: topics for pairs in compared for run, topics in pairs.missing.items()}
        caption = [
            f"{_title(rows, systems)}{_over(rows[0], facts)}.",
            *_about_marks(compared, columns, letters, facts),
            *(_about_differences(compared, names, request, facts) if has_baseline else []),
            *_ending(answer, columns, request, missing),
        ]
        baselines = 1 if has_baseline else 0
        tables.append(
            _table(rows, systems, columns, caption, request, letters=letters, baselines=baselines)
        )
    return tables


# What is asked for


def _check_one_interval(facts: Facts) -> None:
    """Raise CallError if there are several intervals of each value, for which there is no room."""
    for name, values in (("method", facts["methods"]), ("level", facts["levels"])):
        if len(values) > 1:
            raise CallError(
                "--layout paper has room for one interval of each value, and there are several: "
                f"--{name} {','.join(map(str, values))}",
                f"choose one {name}, or leave --layout out",
            )


def _check_only_means(request: PaperRequest, facts: Facts) -> None:
    """Raise CallError for columns of a difference, of which each system has several."""
    others = [name for name in request.columns if name not in ("mean", "topics")]
    if not others and request.intervals not in (BELOW, BESIDE):
        return
    which = "several baselines" if facts["pairs"] else "every two systems compared"
    what = f"--columns {','.join(others)}" if others else f"--intervals {request.intervals}"
    raise CallError(
        f"{what}: with {which}, a system has several differences",
        "with one --baseline, each has one",
    )


def _fields_asked_for(request: PaperRequest) -> tuple[str, ...]:
    """Return the names of the fields that stand for each measure; `low` stands for both limits.

    Raise CallError for names of texts, and for one limit without the other.
    """
    names = request.columns or ("mean",)
    if request.columns and request.intervals:
        raise CallError(
            "--columns and --intervals: both say what stands for each measure",
            "low,high among the columns are the interval, beside the others",
        )
    if texts := [name for name in names if name in _TEXTS]:
        raise CallError(
            f"--columns {','.join(texts)}: in --layout paper, columns are numbers that each system "
            "has by each measure",
            "such as mean,low,high",
        )
    if ("low" in names) != ("high" in names):
        raise CallError("--columns has one limit of the interval", "low,high are both of them")
    return tuple(name for name in names if name != "high")


def _place(request: PaperRequest) -> str:
    """Return where intervals stand; nowhere of their own, if columns are chosen."""
    return NONE if request.columns else request.intervals or BELOW


# Rows and columns


def _of_tables(rows: Sequence[Any], facts: Facts) -> list[list[Any]]:
    """Return the records of each table: all of them or, of several collections, by measure."""
    if not has_collections(facts):
        return [list(rows)]
    return [list(group) for _, group in groupby(rows, lambda row: row.measure)]


def _by_heading(rows: Sequence[Any], facts: Facts) -> list[tuple[str, list[Any]]]:
    """Return the records of each measure or, of several collections, of each and of all."""
    name = "collection" if has_collections(facts) else "measure"
    by_name: dict[str, list[Any]] = {}
    for row in rows:
        by_name.setdefault(getattr(row, name), []).append(row)
    return sorted(by_name.items(), key=lambda item: has_collections(facts) and item[0] == MACRO)


def _columns(
    heading: str,
    rows: Sequence[Any],
    names: Sequence[str],
    *,
    below: Sequence[Cell] = (),
    marks: Sequence[str] = (),
    named: bool = False,
) -> list[PaperColumn]:
    """Return the columns of one measure or collection; the mean has marks, and what is below it.

    A single column needs no name of its own, unless it is to be `named` beside others.
    """
    known = next(row for row in rows if row is not None)
    columns = []
    for name in names:
        values = [None if row is None else _value(row, name) for row in rows]
        header = _name_of(name, known) if named or len(names) > 1 else ""
        if name == "mean":
            ranked = len(rows) > 1
            columns.append(PaperColumn(heading, values, header, marks, below, ranked=ranked))
        else:
            columns.append(PaperColumn(heading, values, header))
    return columns


def _value(row: Any, name: str) -> Cell:
    """Return the value of a field of a record."""
    if name == "low":
        return _limits(row)
    value: Cell = getattr(row, name)
    if isinstance(value, float) and math.isnan(value):
        return None
    return Probability(value) if name.startswith("p_") and isinstance(value, float) else value


def _limits(row: Any) -> Cell:
    """Return the interval of a record; None, if it has none."""
    return None if row is None or math.isnan(row.low) else Interval(row.low, row.high)


def _name_of(name: str, row: Any) -> str:
    """Return how a column of a field is called."""
    return percent(row.level) if name == "low" else _HEADINGS.get(name, name.replace("_", " "))


def _systems(rows: Sequence[CompareRow], baselines: tuple[str, ...]) -> list[str]:
    """Return the names of the runs in the order of the first measure; a single baseline is first.

    A run that lacks the first measure comes behind the others.
    """
    places: dict[str, int] = {}
    for row in rows:
        if row.measure == rows[0].measure:
            places |= {row.run: row.place, row.baseline: row.baseline_place}
    systems = sorted(places, key=places.__getitem__)
    systems += [run for run in dict.fromkeys(row.run for row in rows) if run not in places]
    alone = baselines[0] if len(baselines) == 1 else None
    return sorted(systems, key=lambda run: run != alone)


def _letters_of(systems: Sequence[str]) -> dict[str, str]:
    """Return the letter of each system; of more systems than letters, its number."""
    if len(systems) <= len(_LETTERS):
        return dict(zip(systems, _LETTERS, strict=False))
    return {system: str(number) for number, system in enumerate(systems, 1)}


def _daggers(rows: Sequence[CompareRow], systems: Sequence[str]) -> list[str]:
    """Return the mark of each system that is significantly better or worse than the baseline."""
    marks = {row.run: _BETTER if row.difference > 0 else _WORSE for row in rows if row.is_marked}
    return [marks.get(run, "") for run in systems]


def _beaten(
    rows: Sequence[CompareRow], systems: Sequence[str], letters: Mapping[str, str]
) -> list[str]:
    """Return the letters of the systems that each is significantly better than."""
    pairs = {
        (row.run, row.baseline) if row.difference > 0 else (row.baseline, row.run)
        for row in rows
        if row.is_marked
    }
    between = "," if any(letter.isdigit() for letter in letters.values()) else ""
    return [
        between.join(letters[other] for other in systems if (run, other) in pairs)
        for run in systems
    ]


def _compared(
    heading: str,
    rows: Sequence[CompareRow],
    systems: Sequence[str],
    marks: Sequence[str],
    names: Sequence[str],
    request: PaperRequest,
    facts: Facts,
) -> list[PaperColumn]:
    """Return the columns of one measure or collection, with the difference to a single baseline."""
    of_system: dict[str, Any] = {row.baseline: _Baseline(row) for row in reversed(rows)}
    of_system |= {row.run: row for row in rows if row.run not in of_system}
    own = [of_system.get(run) for run in systems]
    place = _place(request) if len(facts["pairs"]) == 1 else NONE
    changes: list[Cell] = [
        Together((Signed(row.difference), _limits(row))) if isinstance(row, CompareRow) else None
        for row in own
    ]
    columns = _columns(
        heading, own, names, marks=marks, below=changes if place == BELOW else [],
        named=place == BESIDE,
    )  # fmt: skip
    if place == BESIDE:
        level = percent(facts["levels"][0])
        columns.append(PaperColumn(heading, changes, f"difference, {level}"))
    return columns


class _Baseline:
    """What is known of a baseline from a comparison with it: its mean and topics, and no more."""

    def __init__(self, row: CompareRow) -> None:
        self.mean, self.topics, self.level = row.baseline_mean, row.baseline_topics, row.level
        self.low = math.nan  # the limits are those of a difference

    def __getattr__(self, name: str) -> None:
        return None


def _table(
    rows: Sequence[Any],
    systems: Sequence[str],
    columns: Sequence[PaperColumn],
    caption: Sequence[str],
    request: PaperRequest,
    *,
    letters: Mapping[str, str] | None = None,
    baselines: int = 0,
) -> PaperTable:
    sentences = [sentence for sentence in caption if sentence]
    named = [*(letters or {}).values()]
    return PaperTable(
        _title(rows, systems), sentences, systems, named, columns, request.second_best, baselines
    )


# The caption


def _title(rows: Sequence[Any], systems: Sequence[str]) -> str:
    """Return what the table is of: `Mean map and P@10 of 3 systems`."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    return f"Mean {series(measures)} of {count(len(systems), 'system')}"


def _over(row: Any, facts: Facts) -> str:
    """Return over which topics: ` over 50 topics`; ` on 3 collections of 100 topics, …`."""
    whom = f", {for_whom(facts)}" if for_whom(facts) else ""
    if has_collections(facts):
        number = count(facts["collections"], "collection")
        return (
            f" on {number} of {facts['topics']} topics{whom}; {MACRO} is the mean of the "
            "collections' means"
        )
    if not facts.get("paired", True):
        return ", each on topics of its own"
    if has_judge(facts):
        by_people = f"{row.human_topics} of them judged by people"
        return f" over {count(row.topics, 'topic')}, {by_people}{whom}"
    return f" over {topics_of(facts, row.topics)}{whom}"


def _confidence(facts: Facts) -> str:
    return f"{percent(facts['levels'][0])} confidence"


def _where(request: PaperRequest) -> str:
    return "Below each mean" if _place(request) == BELOW else "Beside each mean"


def _shows_limits(names: Sequence[str], request: PaperRequest) -> bool:
    return _place(request) != NONE or "low" in names


def _about_intervals(facts: Facts, names: Sequence[str], request: PaperRequest, what: str) -> str:
    """Return what the intervals are; empty, if there are none."""
    if not _shows_limits(names, request):
        return ""
    method = facts["methods"][0]
    at_once = "all by a measure at once" if method in _AT_ONCE else "each by itself"
    return f"{_where(request)}: the {what} ({method}), {at_once}."


def _about_marks(
    compared: Sequence[MeasurePairs[CompareRow]],
    columns: Sequence[PaperColumn],
    letters: Mapping[str, str],
    facts: Facts,
) -> list[str]:
    """Return what marks mean, by which test and after which correction."""
    texts = {pairs.first.measure: judged_by(pairs) for pairs in compared}
    judged = f"p {next(iter(texts.values()))}"
    if len({*texts.values()}) > 1:
        judged = "; ".join(f"by {measure}, p {text}" for measure, text in texts.items())
    marks = {mark for column in columns for mark in column.marks if mark}
    baseline = "" if letters else facts["pairs"][0]
    if not marks:
        sentences = [f"No difference is significant, {judged}."]
    elif letters:
        sentences = [f"Superscripts: the systems that a mean is significantly above, {judged}."]
    else:
        words = {_BETTER: "above", _WORSE: "below"}
        shown = [f"{mark} significantly {word}" for mark, word in words.items() if mark in marks]
        sentences = [f"{series(shown)} the mean of {baseline}, {judged}."]
    if not named_test(facts["tests"][0]).of_means:
        sentences.append("The test is not about means: marks go by which of them is larger.")
    if len(compared) > 1:
        sentences.append("Nothing is corrected for the number of measures.")
    if has_collections(facts):
        sentences.append("Nothing is corrected for the number of collections.")
        if facts["for_new"] == COLLECTIONS:
            sentences.append(f"{of_single(facts).replace('Rows', 'Columns', 1)}.")
    return sentences


def _about_differences(
    compared: Sequence[MeasurePairs[CompareRow]],
    names: Sequence[str],
    request: PaperRequest,
    facts: Facts,
) -> list[str]:
    """Return what differences and their intervals are, and whether these may contradict marks."""
    (baseline,) = facts["pairs"]
    if not _shows_limits(names, request):
        return (
            [f"{_where(request)}: the difference to {baseline}."] if "difference" in names else []
        )
    what = f"{_confidence(facts)} interval of the difference to {baseline}"
    if _place(request) != NONE or "difference" in names:
        what = f"difference to {baseline}, and its {_confidence(facts)} interval"
    sentences = [_about_intervals(facts, names, request, what)]
    method, correction = facts["methods"][0], facts["correct"]
    firsts = [first for pairs in compared for first, *_ in pairs.pairs]
    apart = sum(
        first.is_marked != (first.low > 0 or first.high < 0)
        for first in firsts
        if not math.isnan(first.low)
    )
    is_corrected = correction != "none" or named_test(facts["tests"][0]).simultaneous
    if is_corrected and method not in _AT_ONCE and max(pairs.family for pairs in compared) > 1:
        why = "Marks are corrected for several comparisons, intervals are not"
    else:
        why = f"Marks and intervals ({method}) are not by one rule" if apart else ""
    if why:
        leave = "leaves" if apart == 1 else "leave"
        so = f": {apart} of {len(firsts)} {leave} 0 out without a mark, or not with one"
        sentences.append(f"{why}{so if apart else ''}.")
    return sentences


def _ending(
    answer: Answer[Any],
    columns: Sequence[PaperColumn],
    request: PaperRequest,
    missing: Mapping[str, int],
) -> list[str]:
    """Return the last sentences: what is in bold, what is missing, remarks."""
    second = ", the second best underlined" if request.second_best else ""
    ranked = any(column.ranked for column in columns)
    return [
        f"The best of each column is in bold{second}." if ranked else "",
        missing_in_words(missing),
        *answer.remarks,
    ]
