"""What runs risk, as people read it: a row for each run or, of one run, for each r."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from confint_cli.common.table import Cell, Column, Interval, Marked, Table, View, explained_once
from confint_cli.common.text import all_of, count
from confint_cli.common.words import percent, series, series_of_cells
from confint_cli.stats.flags import Doubt
from confint_cli.stats.risk import RISKY, SAFE, UNDECIDED
from confint_cli.studies.answer import Answer
from confint_cli.studies.doubts import note_by_methods
from confint_cli.studies.pairing_view import MeasurePairs, PairTable, pairs_by_measure
from confint_cli.studies.rows import LossRow, RiskRow

_MARKS = {SAFE: "*", RISKY: "!", UNDECIDED: ""}
_WORDS = {SAFE: "risk-free", RISKY: "risky", UNDECIDED: "undecided"}
_URISK = (
    "URisk⁻: the mean of all differences, with losses counted r times (r = 1 + α) and the sign "
    "reversed, so above 0 is risky."
)
_GEORISK = "GeoRisk: the mean and how evenly it is earned, against {runs}; higher is better."
SHAPIRO = "W: Shapiro-Wilk of topics and of the bootstrap of their mean; 1 means normal."
_NOTES = {
    Doubt.NO_LOSSES: "no losses: URisk⁻, its limits and TRisk are the same at all r.",
    Doubt.NO_WINS: "no wins: TRisk is the same at all r.",
    Doubt.FEW_LOSSES: "few losses: so few topics decide that 1 in 100 resamples has none of them.",
}
_ALONE = (
    "Each TRisk and interval is for one comparison by itself: among many, some look risk-free, or "
    "risky, by chance."
)
_LEVEL_OF_TRISK = 0.95  # the confidence that the bound of TRisk stands for


AtR = Sequence[RiskRow]  # the records of one pair at one r, by method and level


def view(answer: Answer[RiskRow]) -> View:
    """Return a table for each measure, baseline and r, with a row for each run.

    If there is one run only, all r are rows of one table.
    """
    groups = [rows for risked in pairs_by_measure(answer) for rows in risked.tables()]
    if all(len(rows.pairs) == 1 for rows in groups):
        losses = {key: list(topics) for key, topics in groupby(answer.details, _pair_of)}
        tables = [_of_one_run(rows, losses.get(_pair_of(rows.firsts[0]), [])) for rows in groups]
    else:
        tables = [
            _at_one_r(rows, at_r)
            for rows in groups
            for at_r in zip(*map(_by_r, rows.pairs), strict=True)
        ]
    return View(explained_once(tables))


def _pair_of(row: RiskRow | LossRow) -> tuple[str, str, str]:
    return row.measure, row.run, row.baseline


def _by_r(pair: Sequence[RiskRow]) -> list[AtR]:
    """Return the records of a pair at each r."""
    return [list(at_r) for _, at_r in groupby(pair, lambda row: row.r)]


def _of_one_run(rows: PairTable[RiskRow], losses: Sequence[LossRow]) -> Table:
    """Return the table of one pair, with a row for each r; `losses` are its largest."""
    risked, pair, first = rows.of_measure, rows.pairs[0], rows.firsts[0]
    outcome = (
        f"{count(first.wins, 'win')}, {count(first.ties, 'tie')}, "
        f"{first.losses} loss{'es' * (first.losses != 1)}"
    )
    by_r = _by_r(pair)
    columns = [
        Column("r", [at_r[0].r for at_r in by_r], exact=True),
        *_columns(risked, by_r),
    ]
    return Table(
        f"{risked.title}, {first.run} {rows.which}: {outcome}",
        _with_missing(columns, risked, {first.run, first.baseline}),
        legend=_about_doubts(by_r),
        sentence=[*_reading_of_pair(by_r), *_largest_losses(losses)],
    )


def _at_one_r(rows: PairTable[RiskRow], pairs: Sequence[AtR]) -> Table:
    """Return the table of several pairs at one r, with a row for each, the baseline's first."""
    risked, first = rows.of_measure, pairs[0][0]
    columns = [
        *rows.beginning(),
        rows.figures(
            "W/T/L", lambda row: f"{row.wins}/{row.ties}/{row.losses}", own="", optional=True
        ),
    ]
    of_baseline: dict[str, Cell] = {"GeoRisk": _known(first.baseline_georisk), "note": ""}
    for column in _columns(risked, pairs):
        legend = f"{column.legend} {_ALONE}" if column.name == "TRisk" else column.legend
        values = [of_baseline.get(column.name), *column.values]
        columns.append(replace(column, values=values, legend=legend))
    return Table(
        f"{rows.title}, {_name_of(first)} (α = {first.r - 1:.15g})",
        _with_missing(columns, risked, risked.runs),
        legend=_about_doubts(pairs),
        sentence=_reading_of_runs(pairs),
    )


def _columns(risked: MeasurePairs[RiskRow], rows: Sequence[AtR]) -> list[Column]:
    """Return the columns on risk; each row of the table is of one pair at one r."""
    cells = [*map(_cells, rows)]
    legends = {
        "URisk⁻": _URISK,
        "TRisk": _about_trisk(risked.first),
        "GeoRisk": _GEORISK.format(runs=all_of(len(risked.runs), "run")),
        "W topics": SHAPIRO,
    }
    return [
        Column(
            name,
            [of_row[name] for of_row in cells],
            optional=name in {"GeoRisk", "W topics", "W bootstrap"},
            legend=legends.get(name, ""),
        )
        for name in cells[0]
    ]


def _cells(at_r: AtR) -> dict[str, Cell]:
    """Return the cells of one pair at one r, by the names of their columns."""
    first = at_r[0]
    return {
        "URisk⁻": first.urisk_minus,
        "TRisk": Marked(first.trisk, _MARKS[first.by_trisk]),
        "GeoRisk": _known(first.georisk),
        **{f"{row.method} {percent(row.level)}": Interval(row.low, row.high) for row in at_r},
        "W topics": _known(first.shapiro_topics),
        "W bootstrap": _known(first.shapiro_bootstrap),
        "note": note_by_methods([(row.method, row.doubts) for row in at_r]),
    }


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _about_trisk(row: RiskRow) -> str:
    """Explain TRisk and its bound, which is higher where topics are few."""
    bound = _bound(row)
    legend = (
        f"TRisk: URisk divided by its standard error, sign not reversed; * above {bound}, called a "
        f"risk-free improvement; ! below -{bound}, called statistically risky."
    )
    if bound == "2":
        return legend
    why = f"2 is the bound for many topics; with {row.topics}, 95% confidence takes {bound}."
    return f"{legend} ({why})"


def _bound(row: RiskRow) -> str:
    """Return the bound of TRisk as text: `2`, or `2.78`."""
    return f"{row.trisk_bound:.2f}".removesuffix(".00")


def _about_doubts(rows: Sequence[AtR]) -> str:
    """Explain those notes on r that any of the rows of a table has; empty without any."""
    noted = 0
    for at_r in rows:
        for row in at_r:
            noted |= row.doubts
    return " ".join(text for doubt, text in _NOTES.items() if noted & doubt)


def _name_of(row: RiskRow) -> str:
    """Return `r = 5`."""
    return f"r = {row.r:.15g}"


def _with_missing(
    columns: Sequence[Column], risked: MeasurePairs[RiskRow], runs: Collection[str]
) -> list[Column]:
    """Return the columns with a legend that says which of `runs` lack topics.

    The legend of a column is shown once, below all tables.
    """
    first, *others = columns
    return [replace(first, legend=risked.missing_among(runs)), *others]


def _reading_of_pair(by_r: Sequence[AtR]) -> list[Cell]:
    """Return the cells of a sentence on TRisk of a pair at each r, and intervals that disagree."""
    first = by_r[0][0]
    run, baseline = first.run, first.baseline
    if not first.wins + first.losses:
        return [f"{run} and {baseline} have the same scores on all topics."]
    verdicts = {
        SAFE: f"called a risk-free improvement on {baseline}",
        RISKY: f"called statistically risky against {baseline}",
        UNDECIDED: "called neither risky nor risk-free",
    }
    by_verdict: dict[int, list[RiskRow]] = {}
    for row, *_ in by_r:
        by_verdict.setdefault(row.by_trisk, []).append(row)
    clauses: list[list[Cell]] = []
    for verdict, rows in by_verdict.items():
        values: list[list[Cell]] = [[f"{_name_of(row)} (", row.trisk, ")"] for row in rows]
        clauses.append([f"{verdicts[verdict]} at ", *series_of_cells(values)])
    otherwise = "; ".join(_otherwise_by_intervals(by_r))
    return [
        f"By TRisk, {run} is ",
        *series_of_cells(clauses, last=", and "),
        f". The 95% intervals disagree: {otherwise}." if otherwise else ".",
    ]


def _by_comparable_method(rows: Sequence[AtR]) -> dict[str, list[RiskRow]]:
    """Return the records of intervals that may be compared with TRisk, by method.

    The bound of TRisk is for 95%, so intervals of other levels are not comparable.
    """
    by_method: dict[str, list[RiskRow]] = {}
    for at_r in rows:
        for row in at_r:
            if row.level == _LEVEL_OF_TRISK:
                by_method.setdefault(row.method, []).append(row)
    return by_method


def _otherwise_by_intervals(by_r: Sequence[AtR]) -> Iterator[str]:
    """Yield the verdicts by intervals that are not those by TRisk: `risky by bca at r = 5`."""
    by_method = _by_comparable_method(by_r)
    for verdict, word in _WORDS.items():
        methods_by_rs: dict[tuple[str, ...], list[str]] = {}
        for method, rows in by_method.items():
            rs = tuple(_name_of(row) for row in rows if row.by_interval == verdict != row.by_trisk)
            methods_by_rs.setdefault(rs, []).append(method)
        for rs, methods in methods_by_rs.items():
            if rs:
                yield f"{word} with {series(methods)} at {series(rs)}"


def _largest_losses(losses: Sequence[LossRow]) -> list[Cell]:
    """Return the cells of a sentence on the topics on which the run of a pair loses most.

    Empty, if it loses on none.
    """
    if not losses:
        return []
    topics = "topic" if len(losses) == 1 else "topics"
    changes: list[list[Cell]] = [
        [f"{loss.topic} (from ", loss.baseline_score, " to ", loss.score, ")"] for loss in losses
    ]
    return [f" {losses[0].run} loses most on {topics} ", *series_of_cells(changes), "."]


def _reading_of_runs(pairs: Sequence[AtR]) -> list[Cell]:
    """Return the cells of a sentence: how many runs TRisk finds risky and risk-free.

    It says how many intervals judge otherwise.
    """
    first = pairs[0][0]
    verdicts = [of_pair[0].by_trisk for of_pair in pairs]
    safe, risky = verdicts.count(SAFE), verdicts.count(RISKY)
    bound, runs = _bound(first), count(len(pairs), "run")
    by_trisk = (
        f"At {_name_of(first)}, {safe or 'none'} of {runs} {'is' if safe == 1 else 'are'} called a "
        f"risk-free improvement on {first.baseline} (TRisk above {bound}); {risky or 'none'} "
        f"{'is' if risky == 1 else 'are'} called statistically risky (below -{bound})."
    )
    otherwise = "; ".join(_others_by_intervals(pairs))
    return [f"{by_trisk} The 95% intervals disagree: {otherwise}." if otherwise else by_trisk]


def _others_by_intervals(pairs: Sequence[AtR]) -> Iterator[str]:
    """Yield how many runs intervals judge otherwise than TRisk: `4 runs are risky by bca`."""
    by_method = _by_comparable_method(pairs)
    for verdict, word in _WORDS.items():
        for method, rows in by_method.items():
            number = sum(row.by_interval == verdict != row.by_trisk for row in rows)
            if number:
                are = "is" if number == 1 else "are"
                yield f"{count(number, 'run')} {are} {word} with {method}"
