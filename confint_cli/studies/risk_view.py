"""What runs risk, and how people read it: a row for each run or, of one run, for each r."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from confint_cli.common.table import Cell, Column, Interval, Marked, Table, explained_once
from confint_cli.common.text import all_of, count
from confint_cli.common.words import percent, series, series_of_cells, whole_if_it_is
from confint_cli.stats.flags import Doubt
from confint_cli.stats.risk import RISKY, SAFE, UNDECIDED, Risk
from confint_cli.studies.doubts import note_by_methods
from confint_cli.studies.pairing import PairedRuns, PairRows

_MARKS = {SAFE: "*", RISKY: "!", UNDECIDED: ""}
_WORDS = {SAFE: "risk-free", RISKY: "risky", UNDECIDED: "undecided"}
_URISK = (
    "URisk⁻: the mean of all differences, a loss counted r times (r = 1 + α); its sign is turned, "
    "so above 0 is risky."
)
_GEORISK = "GeoRisk: the mean, and how evenly it is earned, against {runs}; more is better."
SHAPIRO = "W: Shapiro-Wilk of topics and of resamples; 1 is normal."
_NOTES = {
    Doubt.NO_LOSSES: "no losses: URisk⁻, its limits and TRisk are the same at all r.",
    Doubt.NO_WINS: "no wins: TRisk is the same at all r.",
    Doubt.FEW_LOSSES: "few losses: so few topics decide that one of 100 resamples has none of "
    "them.",
}
_ALONE = (
    "Each TRisk and interval is of one comparison by itself: of many, some look risk-free, or "
    "risky, by chance."
)
_LOSSES_SHOWN = 3  # topics that a sentence names, at most
_LEVEL_OF_TRISK = 0.95  # the confidence that the bound of TRisk stands for
_EQUAL = 1e-12  # losses that differ by less, as a share of the largest score, are equally large


@dataclass(frozen=True)
class Risked:
    """Pairs of runs on the same topics by one measure, and what each of them risks."""

    pairs: PairedRuns
    risks: tuple[Risk, ...]  # at each r
    methods: tuple[str, ...]  # to show; `risks` may have limits of more
    levels: tuple[float, ...]

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.pairs.scores.topics)

    def outcomes(self, pair: int) -> tuple[int, int, int]:
        """Return how many topics the run of a pair wins, ties and loses."""
        assert self.pairs.differences.outcomes is not None, "risk is of runs on the same topics"
        wins, ties, losses = self.pairs.differences.outcomes[:, pair].tolist()
        return wins, ties, losses

    def largest_losses(self, pair: int, most: int) -> list[tuple[str, float, float]]:
        """Return the topics that the run of a pair loses most on, the largest loss first.

        There are `most` topics or fewer, each with the scores of the baseline and of the run.
        """
        _, _, losses = self.outcomes(pair)
        matrix, pairs = self.pairs.scores, self.pairs.pairs
        both = matrix.values[:, [pairs.baseline[pair], pairs.run[pair]]]
        steps = np.rint((both[:, 1] - both[:, 0]) / (_EQUAL * np.abs(both).max() or 1.0))
        order = np.argsort(steps, kind="stable")[: min(most, losses)]
        return [(matrix.topics[topic], *both[topic].tolist()) for topic in order]


def views(by_measure: Sequence[Risked]) -> list[Table]:
    """Return a table for each measure, baseline and r, with a row for each run.

    If there is one run only, all r are rows of one table.
    """
    groups = [(risked, rows) for risked in by_measure for rows in risked.pairs.by_baseline()]
    if all(len(rows.places) == 1 for _, rows in groups):
        tables = [_of_one_run(risked, rows) for risked, rows in groups]
    else:
        tables = [_at_one_r(risked, rows, at_r) for risked, rows in groups for at_r in risked.risks]
    return explained_once(tables)


def _of_one_run(risked: Risked, rows: PairRows) -> Table:
    """Return the table of one pair, with a row for each r."""
    pair = int(rows.places[0])
    run, baseline = risked.pairs.names(pair)
    wins, ties, losses = risked.outcomes(pair)
    outcome = f"{count(wins, 'win')}, {count(ties, 'tie')}, {losses} loss{'es' * (losses != 1)}"
    cells = [_cells(risked, at_r, pair) for at_r in risked.risks]
    columns = [
        Column("r", [whole_if_it_is(at_r.r) for at_r in risked.risks], exact=True),
        *(_column(name, [at_r[name] for at_r in cells], risked) for name in cells[0]),
    ]
    return Table(
        f"{risked.pairs.title}, {run} compared with {baseline}: {outcome}",
        _with_missing(columns, risked, {run, baseline}),
        legend=_about_doubts(risked, risked.risks, [pair]),
        sentence=[*_reading_of_pair(risked, pair), *_largest_losses(risked, pair)],
    )


def _at_one_r(risked: Risked, rows: PairRows, at_r: Risk) -> Table:
    """Return the table of several pairs at one r, with a row for each, the baseline's first."""
    pairs = rows.places.tolist()
    cells = [_cells(risked, at_r, pair) for pair in pairs]
    outcomes: list[Cell] = ["/".join(map(str, risked.outcomes(pair))) for pair in pairs]
    columns = [*rows.beginning(), rows.column("W/T/L", outcomes, own="", optional=True)]
    of_baseline = {"GeoRisk": _known(float(at_r.baseline_georisk[pairs[0]])), "note": ""}
    for name in cells[0]:
        column = _column(name, [of_run[name] for of_run in cells], risked)
        legend = f"{column.legend} {_ALONE}" if name == "TRisk" else column.legend
        columns.append(
            replace(column, values=[of_baseline.get(name), *column.values], legend=legend)
        )
    return Table(
        f"{risked.pairs.title}, {rows.which}, {_name_of(at_r)} (α = {at_r.r - 1:.15g})",
        _with_missing(columns, risked, risked.pairs.runs),
        legend=_about_doubts(risked, [at_r], pairs),
        sentence=_reading_of_runs(risked, at_r, pairs),
    )


def _cells(risked: Risked, at_r: Risk, pair: int) -> dict[str, Cell]:
    """Return the cells of one pair at one r, by the names of their columns."""
    mark = _MARKS[int(at_r.judged_by_trisk[pair])]
    cells: dict[str, Cell] = {
        "URisk⁻": float(at_r.urisk_minus[pair]),
        "TRisk": Marked(float(at_r.trisk[pair]), mark),
        "GeoRisk": _known(float(at_r.georisk[pair])),
    }
    for method in risked.methods:
        limits = at_r.limits[method]
        for place, level in enumerate(risked.levels):
            ends = float(limits.low[place, pair]), float(limits.high[place, pair])
            cells[f"{method} {percent(level)}"] = Interval(*ends)
    cells["W topics"] = _known(float(at_r.shapiro_topics[pair]))
    cells["W resamples"] = _known(float(at_r.shapiro_bootstrap[pair]))
    cells["note"] = note_by_methods(
        [
            (method, doubts)
            for method in risked.methods
            for doubts in at_r.doubts[method][:, pair].tolist()
        ]
    )
    return cells


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _column(name: str, values: Sequence[Cell], risked: Risked) -> Column:
    legend = {
        "URisk⁻": _URISK,
        "TRisk": _about_trisk(risked.risks[0]),
        "GeoRisk": _GEORISK.format(runs=all_of(len(risked.pairs.runs), "run")),
        "W topics": SHAPIRO,
    }.get(name, "")
    optional = name in {"GeoRisk", "W topics", "W resamples"}
    return Column(name, values, optional=optional, legend=legend)


def _about_trisk(at_r: Risk) -> str:
    """Explain TRisk and its bound, which is higher where topics are few."""
    bound = _bound(at_r)
    legend = (
        f"TRisk: URisk over its standard error, its sign not turned: * above {bound}, called a "
        f"risk-free improvement; ! below -{bound}, called statistically risky."
    )
    if bound == "2":
        return legend
    why = f"2 is the bound for many topics; {at_r.topics} take {bound} for 95% confidence."
    return f"{legend} ({why})"


def _bound(at_r: Risk) -> str:
    """Return the bound of TRisk as text: `2`, or `2.78`."""
    return f"{at_r.trisk_bound:.2f}".removesuffix(".00")


def _about_doubts(risked: Risked, risks: Sequence[Risk], pairs: Sequence[int]) -> str:
    """Explain those notes on r that any of `pairs` has at any of `risks`; empty without any."""
    noted = 0
    for at_r in risks:
        for method in risked.methods:
            noted |= int(np.bitwise_or.reduce(at_r.doubts[method][:, pairs], axis=None))
    return " ".join(text for doubt, text in _NOTES.items() if noted & doubt)


def _name_of(at_r: Risk) -> str:
    """Return `r = 5`."""
    return f"r = {at_r.r:.15g}"


def _with_missing(columns: Sequence[Column], risked: Risked, runs: Collection[str]) -> list[Column]:
    """Return the columns with a legend that says which of `runs` lack topics.

    The legend of a column is shown once, below all tables.
    """
    first, *others = columns
    return [replace(first, legend=risked.pairs.missing_among(runs)), *others]


def _reading_of_pair(risked: Risked, pair: int) -> list[Cell]:
    """Return the cells of a sentence on TRisk of a pair at each r, and intervals that disagree."""
    run, baseline = risked.pairs.names(pair)
    wins, _, losses = risked.outcomes(pair)
    if not wins + losses:
        return [f"{run} and {baseline} have the same scores on all topics."]
    verdicts = {
        SAFE: f"called a risk-free improvement on {baseline}",
        RISKY: f"called statistically risky against {baseline}",
        UNDECIDED: "called neither risky nor free of risk",
    }
    by_verdict: dict[int, list[Risk]] = {}
    for at_r in risked.risks:
        by_verdict.setdefault(int(at_r.judged_by_trisk[pair]), []).append(at_r)
    clauses: list[list[Cell]] = []
    for verdict, risks in by_verdict.items():
        values: list[list[Cell]] = [
            [f"{_name_of(at_r)} (", float(at_r.trisk[pair]), ")"] for at_r in risks
        ]
        clauses.append([f"{verdicts[verdict]} at ", *series_of_cells(values)])
    otherwise = "; ".join(_otherwise_by_intervals(risked, pair))
    return [
        f"By TRisk, {run} is ",
        *series_of_cells(clauses, last=", and "),
        f". Not so by 95% intervals: {otherwise}." if otherwise else ".",
    ]


def _otherwise_by_intervals(risked: Risked, pair: int) -> Iterator[str]:
    """Yield the verdicts by intervals that are not those by TRisk: `risky by bca at r = 5`.

    The bound of TRisk is for 95%, so intervals of other levels are not comparable: none is read.
    """
    if _LEVEL_OF_TRISK not in risked.levels:
        return
    level = risked.levels.index(_LEVEL_OF_TRISK)
    for verdict, word in _WORDS.items():
        methods_by_rs: dict[tuple[str, ...], list[str]] = {}
        for method in risked.methods:
            rs = tuple(
                _name_of(at_r)
                for at_r in risked.risks
                if at_r.judged_by(method, level)[pair] == verdict != at_r.judged_by_trisk[pair]
            )
            methods_by_rs.setdefault(rs, []).append(method)
        for rs, methods in methods_by_rs.items():
            if rs:
                yield f"{word} by {series(methods)} at {series(rs)}"


def _largest_losses(risked: Risked, pair: int) -> list[Cell]:
    """Return the cells of a sentence on the topics on which the run of a pair loses most.

    Empty, if it loses on none.
    """
    losses = risked.largest_losses(pair, _LOSSES_SHOWN)
    if not losses:
        return []
    run, _ = risked.pairs.names(pair)
    topics = "topic" if len(losses) == 1 else "topics"
    changes: list[list[Cell]] = [
        [f"{topic} (from ", before, " to ", after, ")"] for topic, before, after in losses
    ]
    return [f" {run} loses most on {topics} ", *series_of_cells(changes), "."]


def _reading_of_runs(risked: Risked, at_r: Risk, pairs: Sequence[int]) -> list[Cell]:
    """Return the cells of a sentence: how many runs TRisk finds risky and risk-free.

    It says how many intervals judge otherwise.
    """
    _, baseline = risked.pairs.names(pairs[0])
    judged = at_r.judged_by_trisk[pairs]
    safe, risky = int((judged == SAFE).sum()), int((judged == RISKY).sum())
    bound, runs = _bound(at_r), count(len(pairs), "run")
    by_trisk = (
        f"At {_name_of(at_r)}, {safe or 'none'} of {runs} {'is' if safe == 1 else 'are'} called a "
        f"risk-free improvement on {baseline} (TRisk above {bound}); {risky or 'none'} "
        f"{'is' if risky == 1 else 'are'} called statistically risky (below -{bound})."
    )
    otherwise = "; ".join(_others_by_intervals(risked, at_r, pairs))
    return [f"{by_trisk} Not so by 95% intervals: {otherwise}." if otherwise else by_trisk]


def _others_by_intervals(risked: Risked, at_r: Risk, pairs: Sequence[int]) -> Iterator[str]:
    """Yield how many runs intervals judge otherwise than TRisk: `4 runs are risky by bca`."""
    if _LEVEL_OF_TRISK not in risked.levels:
        return
    level, by_trisk = risked.levels.index(_LEVEL_OF_TRISK), at_r.judged_by_trisk[pairs]
    for verdict, word in _WORDS.items():
        for method in risked.methods:
            judged = at_r.judged_by(method, level)[pairs]
            number = int(((judged == verdict) & (by_trisk != verdict)).sum())
            if number:
                yield f"{count(number, 'run')} {'is' if number == 1 else 'are'} {word} by {method}"
