"""Answers as the tables of a paper: a row for each system, a column for each measure or collection.

Transposed, systems are the columns.

`paper_caption.py` says in words what stands in them.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from confint_cli.common.errors import CallError
from confint_cli.common.paper import (
    BELOW,
    BESIDE,
    NONE,
    PaperColumn,
    PaperRequest,
    PaperTable,
    transposed,
)
from confint_cli.common.table import Cell, Interval, Probability, Signed, Together
from confint_cli.common.words import percent
from confint_cli.scores.labels import MACRO, META
from confint_cli.stats.names import BONFERRONI_T, MAX_T
from confint_cli.studies.answer import Answer
from confint_cli.studies.facts import Facts
from confint_cli.studies.pairing_view import pairs_by_measure
from confint_cli.studies.paper_caption import (
    BETTER,
    WORSE,
    Shown,
    caption_of_means,
    caption_of_pairs,
    is_apart,
    name_of_column,
    title_of_paper,
)
from confint_cli.studies.rows import CompareRow, IntervalRow
from confint_cli.studies.scope import has_collections

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAMES = ("measure", "run", "baseline", "collection", "method", "level")  # of what a table is about
_VERDICT = "verdict"


def interval_paper(answer: Answer[IntervalRow], request: PaperRequest) -> list[PaperTable]:
    """Return the means of all runs, with their intervals."""
    facts = answer.facts
    _check_one_interval(facts)
    shown = Shown(_fields_asked_for(request, ("mean",)), _place(request), request.transposed)
    tables = []
    for rows in _of_tables(answer.rows, facts):
        systems = list(dict.fromkeys(row.run for row in rows))
        columns: list[PaperColumn] = []
        for heading, group in _by_heading(rows, facts):
            row_of_run = {row.run: row for row in group}
            own = [row_of_run.get(run) for run in systems]
            limits = [None if row is None else _limits(row, "low") for row in own]
            below = limits if shown.place == BELOW else []
            columns += _columns(heading, own, shown, below=below)
            if shown.place == BESIDE:
                columns.append(PaperColumn(heading, limits, percent(facts["levels"][0])))
        caption = caption_of_means(answer, rows, systems, shown)
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
    _check_has_place(request, facts)
    usual = ("mean", _VERDICT) if "margin" in facts else ("mean",)
    place = _place(request) if has_baseline else NONE
    shown = Shown(_fields_asked_for(request, usual), place, request.transposed)
    of_measure = {pairs.first.measure: pairs for pairs in pairs_by_measure(answer)}
    tables = []
    for rows in _of_tables([row for row in answer.rows if row.collection != META], facts):
        systems = _systems(rows, facts["pairs"])
        letters = {} if has_baseline else _letters_of(systems)
        columns: list[PaperColumn] = []
        for heading, group in _by_heading(rows, facts):
            marks = _beaten(group, systems, letters) if letters else _daggers(group, systems)
            columns += _compared(heading, group, systems, marks, shown, facts)
        compared = [of_measure[name] for name in dict.fromkeys(row.measure for row in rows)]
        caption = caption_of_pairs(answer, rows, systems, compared, shown)
        baselines = 1 if has_baseline else 0
        tables.append(
            _table(rows, systems, columns, caption, request, letters=letters, baselines=baselines)
        )
    return tables


# What is asked for


def _check_one_interval(facts: Facts) -> None:
    """Raise CallError if there are several intervals of each value, for which there is no room."""
    at_once = {MAX_T, BONFERRONI_T}.intersection(facts["methods"])
    of_all = ", or leave out --simultaneous" if at_once else ""
    for name, values in (("method", facts["methods"]), ("level", facts["levels"])):
        if len(values) > 1:
            raise CallError(
                "--layout paper has room for one interval of each value, and there are several: "
                f"--{name} {','.join(map(str, values))}",
                f"choose one {name}{of_all}, or leave out --layout",
            )


def _check_has_place(request: PaperRequest, facts: Facts) -> None:
    """Raise CallError for what has no place: a meta-analysis, or differences if there are many."""
    if "meta" in facts:
        raise CallError("--layout paper has no place for --meta", "leave one of them out")
    if len(facts["pairs"]) == 1:
        return
    which = "several baselines" if facts["pairs"] else "all pairs of systems compared"
    others = [name for name in request.columns if name not in ("mean", "topics")]
    what = f"--columns {','.join(others)}"
    if not others and request.intervals in (BELOW, BESIDE):
        what = f"--intervals {request.intervals}"
    elif not others and "margin" in facts:
        what = "--margin in --layout paper"
    elif not others:
        return
    raise CallError(
        f"{what}: with {which}, a system has several differences",
        "with one --baseline, each system has one difference",
    )


def _fields_asked_for(request: PaperRequest, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the fields that stand for each measure; a `low` stands for both limits.

    Raise CallError for names of what the table is about, and for one limit without the other.
    """
    names = request.columns or usual
    if request.columns and request.intervals:
        raise CallError(
            "--columns and --intervals: both say what stands for each measure",
            "with low,high among the columns, the interval has a column beside the others",
        )
    if others := [name for name in names if name in _NAMES]:
        raise CallError(
            f"--columns {','.join(others)}: in --layout paper, columns are what each system has on "
            "each measure",
            "such as mean,low,high",
        )
    upper = {_upper(name): name for name in names if _is_low(name)}
    alone = [name for name in names if name.endswith("high") and name not in upper]
    alone += [low for high, low in upper.items() if high not in names]
    if alone:
        raise CallError(
            f"--columns {alone[0]}: that is one limit of an interval, without the other",
            "low,high are both of them",
        )
    return tuple(name for name in names if name not in upper)


def _is_low(name: str) -> bool:
    return name == "low" or name.endswith("_low")


def _upper(name: str) -> str:
    """Return the name of the upper limit beside a lower one."""
    return f"{name.removesuffix('low')}high"


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
    return [*by_name.items()]


def _columns(
    heading: str,
    rows: Sequence[Any],
    shown: Shown,
    *,
    below: Sequence[Cell] = (),
    marks: Sequence[str] = (),
) -> list[PaperColumn]:
    """Return the columns of one measure or collection; one of them has marks, and what is below it.

    A single column needs no name of its own, unless the interval stands beside it.
    """
    known = next(row for row in rows if row is not None)
    is_named = shown.names != ("mean",) or shown.place == BESIDE
    columns = []
    for name in shown.names:
        values = [None if row is None else _value(row, name) for row in rows]
        columns.append(
            PaperColumn(
                heading,
                values,
                name_of_column(name, known.level) if is_named else "",
                marks if name == shown.marked else (),
                below if name == "mean" else (),
                ranked=name == "mean" and len(rows) > 1,
            )
        )
    return columns


def _value(row: Any, name: str) -> Cell:
    """Return the value of a field of a record; of a lower limit, the interval."""
    if _is_low(name):
        return _limits(row, name)
    value: Cell = getattr(row, name)
    if not isinstance(value, float):
        return value or None if isinstance(value, str) else value
    if math.isnan(value):
        return None
    if name.startswith("p_"):
        return Probability(value)
    return Signed(value) if name.endswith("difference") else value


def _limits(row: Any, name: str) -> Cell:
    """Return the interval of a record whose lower limit has this name; None, if it has none."""
    low = getattr(row, name)
    return None if low is None or math.isnan(low) else Interval(low, getattr(row, _upper(name)))


def _systems(rows: Sequence[CompareRow], baselines: tuple[str, ...]) -> list[str]:
    """Return the names of the runs in the order of the first measure; a single baseline is first.

    A run that lacks the first measure comes behind the others, in the order of the next.
    """
    by_measure: dict[str, dict[str, int]] = {}
    for row in rows:
        places = {row.run: row.place, row.baseline: row.baseline_place}
        by_measure.setdefault(row.measure, {}).update(places)
    systems = [
        run for places in by_measure.values() for run in sorted(places, key=places.__getitem__)
    ]
    alone = baselines[0] if len(baselines) == 1 else None
    return sorted(dict.fromkeys(systems), key=lambda run: run != alone)


def _letters_of(systems: Sequence[str]) -> dict[str, str]:
    """Return the letter of each system; of more systems than letters, its number."""
    if len(systems) <= len(_LETTERS):
        return dict(zip(systems, _LETTERS, strict=False))
    return {system: str(number) for number, system in enumerate(systems, 1)}


def _daggers(rows: Sequence[CompareRow], systems: Sequence[str]) -> list[str]:
    """Return the mark of each system that is significantly better or worse than the baseline."""
    marks = {row.run: BETTER if row.difference > 0 else WORSE for row in rows if is_apart(row)}
    return [marks.get(run, "") for run in systems]


def _beaten(
    rows: Sequence[CompareRow], systems: Sequence[str], letters: Mapping[str, str]
) -> list[str]:
    """Return the letters, or numbers, of the systems that each is significantly better than."""
    pairs = {
        (row.run, row.baseline) if row.difference > 0 else (row.baseline, row.run)
        for row in rows
        if is_apart(row)
    }
    beaten = [[letters[other] for other in systems if (run, other) in pairs] for run in systems]
    if len(systems) <= len(_LETTERS):
        return ["".join(own) for own in beaten]
    return [_in_ranges([*map(int, own)]) for own in beaten]


def _in_ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as `1,3-7,9`."""
    if not numbers:
        return ""
    breaks = [place for place, (a, b) in enumerate(pairwise(numbers), 1) if b != a + 1]
    ends = zip([0, *breaks], [*breaks, len(numbers)], strict=True)
    ranges = [(numbers[start], numbers[end - 1]) for start, end in ends]
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)


def _compared(
    heading: str,
    rows: Sequence[CompareRow],
    systems: Sequence[str],
    marks: Sequence[str],
    shown: Shown,
    facts: Facts,
) -> list[PaperColumn]:
    """Return the columns of one measure or collection, with the difference to a single baseline."""
    of_system: dict[str, Any] = {row.baseline: _Baseline(row) for row in reversed(rows)}
    of_system |= {row.run: row for row in rows if row.run not in of_system}
    own = [of_system.get(run) for run in systems]
    changes: list[Cell] = [
        Together((Signed(row.difference), _limits(row, "low")))
        if isinstance(row, CompareRow)
        else None
        for row in own
    ]
    below = changes if shown.place == BELOW else []
    columns = _columns(heading, own, shown, marks=marks, below=below)
    if shown.place == BESIDE:
        level = percent(facts["levels"][0])
        columns.append(PaperColumn(heading, changes, f"difference, {level}"))
    return columns


class _Baseline:
    """What is known of a baseline from a comparison with it: its mean and topics, and no more."""

    def __init__(self, row: CompareRow) -> None:
        self.mean, self.topics, self.level = row.baseline_mean, row.baseline_topics, row.level

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
    named = [*(letters or {}).values()]
    title = title_of_paper(rows, systems)
    table = PaperTable(title, caption, systems, named, columns, request.second_best, baselines)
    if not request.transposed:
        return table
    if not any(row.collection for row in rows):
        return transposed(table, "measure", rule=0)
    names = list(dict.fromkeys(column.heading for column in columns))
    return transposed(table, "collection", rule=names.index(MACRO) if MACRO in names else 0)
