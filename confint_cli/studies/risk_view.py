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
_LOSSES_SHOWN = 3
_LEVEL_OF_TRISK = 0.95
_EQUAL = 1e-12  # of the largest score: losses that differ by less are equally large


@dataclass(frozen=True)
class Risked:
    """Pairs of runs on the same topics, and what each of them risks."""

    of: PairedRuns
    risks: tuple[Risk, ...]  # at each r
    methods: tuple[str, ...]  # that were asked for
    levels: tuple[float, ...]

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.of.scores.topics)

    def outcomes(self, pair: int) -> tuple[int, int, int]:
        """Return how many topics a run wins, ties and loses."""
        assert self.of.known.outcomes is not None, "risk is of runs on the same topics"
        wins, ties, losses = self.of.known.outcomes[:, pair].tolist()
        return wins, ties, losses

    def largest_losses(self, pair: int, most: int) -> list[tuple[str, float, float]]:
        """Return some topics that a run loses, with the scores of the baseline and of the run."""
        _, _, losses = self.outcomes(pair)
        matrix, pairs = self.of.scores, self.of.pairs
        both = matrix.values[:, [pairs.baseline[pair], pairs.run[pair]]]
        steps = np.rint((both[:, 1] - both[:, 0]) / (_EQUAL * np.abs(both).max() or 1.0))
        order = np.argsort(steps, kind="stable")[: min(most, losses)]
        return [(matrix.topics[topic], *both[topic].tolist()) for topic in order]


def views(parts: Sequence[Risked]) -> list[Table]:
    """Return tables for each measure, baseline and r; of one run by itself, of all r in one."""
    pairs = [(part, rows) for part in parts for rows in part.of.by_baseline()]
    if all(len(rows.places) == 1 for _, rows in pairs):
        tables = [_of_one_run(part, rows) for part, rows in pairs]
    else:
        tables = [_at_one_r(part, rows, at_r) for part, rows in pairs for at_r in part.risks]
    return explained_once(tables)


def _of_one_run(part: Risked, rows: PairRows) -> Table:
    pair = int(rows.places[0])
    run, baseline = part.of.names(pair)
    wins, ties, losses = part.outcomes(pair)
    outcome = f"{count(wins, 'win')}, {count(ties, 'tie')}, {losses} loss{'es' * (losses != 1)}"
    cells = [_cells(part, at_r, pair) for at_r in part.risks]
    columns = [
        Column("r", [whole_if_it_is(at_r.r) for at_r in part.risks], exact=True),
        *(_column(name, [own[name] for own in cells], part) for name in cells[0]),
    ]
    return Table(
        f"{part.of.title}, {run} compared with {baseline}: {outcome}",
        _with_missing(columns, part, {run, baseline}),
        legend=_about_doubts(part, part.risks, [pair]),
        sentence=[*_reading_of_pair(part, pair), *_largest_losses(part, pair)],
    )


def _at_one_r(part: Risked, rows: PairRows, at_r: Risk) -> Table:
    """Return a row for each run, below that of the baseline."""
    pairs = rows.places.tolist()
    cells = [_cells(part, at_r, pair) for pair in pairs]
    outcomes: list[Cell] = ["/".join(map(str, part.outcomes(pair))) for pair in pairs]
    columns = [*rows.beginning(), rows.column("W/T/L", outcomes, own="", optional=True)]
    own = {"GeoRisk": _known(float(at_r.baseline_georisk[pairs[0]])), "note": ""}
    for name in cells[0]:
        column = _column(name, [of_run[name] for of_run in cells], part)
        legend = f"{column.legend} {_ALONE}" if name == "TRisk" else column.legend
        columns.append(replace(column, values=[own.get(name), *column.values], legend=legend))
    return Table(
        f"{part.of.title}, {rows.which}, {_name_of(at_r)} (α = {at_r.r - 1:.15g})",
        _with_missing(columns, part, part.of.runs),
        legend=_about_doubts(part, [at_r], pairs),
        sentence=_reading_of_runs(part, at_r, pairs),
    )


def _cells(part: Risked, at_r: Risk, pair: int) -> dict[str, Cell]:
    """Return what there is to say about one pair at one r, by the names of the columns."""
    mark = _MARKS[int(at_r.judged_by_trisk[pair])]
    cells: dict[str, Cell] = {
        "URisk⁻": float(at_r.urisk_minus[pair]),
        "TRisk": Marked(float(at_r.trisk[pair]), mark),
        "GeoRisk": _known(float(at_r.georisk[pair])),
    }
    for method in part.methods:
        limits = at_r.limits[method]
        for place, level in enumerate(part.levels):
            ends = float(limits.low[place, pair]), float(limits.high[place, pair])
            cells[f"{method} {percent(level)}"] = Interval(*ends)
    cells["W topics"] = _known(float(at_r.shapiro_topics[pair]))
    cells["W resamples"] = _known(float(at_r.shapiro_bootstrap[pair]))
    cells["note"] = note_by_methods(
        [(method, own) for method in part.methods for own in at_r.doubts[method][:, pair].tolist()]
    )
    return cells


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _column(name: str, values: Sequence[Cell], part: Risked) -> Column:
    legend = {
        "URisk⁻": _URISK,
        "TRisk": _about_trisk(part.risks[0]),
        "GeoRisk": _GEORISK.format(runs=all_of(len(part.of.runs), "run")),
        "W topics": SHAPIRO,
    }.get(name, "")
    optional = name in {"GeoRisk", "W topics", "W resamples"}
    return Column(name, values, optional=optional, legend=legend)


def _about_trisk(at_r: Risk) -> str:
    """Say how to read TRisk, and what it takes where topics are few."""
    bound = _bound(at_r)
    said = (
        f"TRisk: URisk over its standard error, its sign not turned: * above {bound}, called a "
        f"risk-free improvement; ! below -{bound}, called statistically risky."
    )
    if bound == "2":
        return said
    many = f"2 is the bound for many topics; {at_r.topics} take {bound} for 95% confidence."
    return f"{said} ({many})"


def _bound(at_r: Risk) -> str:
    """Return `2`, or `2.78`."""
    return f"{at_r.trisk_bound:.2f}".removesuffix(".00")


def _about_doubts(part: Risked, risks: Sequence[Risk], pairs: Sequence[int]) -> str:
    """Explain notes about r that some of these pairs have, if there are any."""
    noted = 0
    for at_r in risks:
        for method in part.methods:
            noted |= int(np.bitwise_or.reduce(at_r.doubts[method][:, pairs], axis=None))
    return " ".join(text for doubt, text in _NOTES.items() if noted & doubt)


def _name_of(at_r: Risk) -> str:
    """Return `r = 5`."""
    return f"r = {at_r.r:.15g}"


def _with_missing(columns: Sequence[Column], part: Risked, runs: Collection[str]) -> list[Column]:
    """Return columns that say which of the runs lack topics; once, below all tables."""
    first, *others = columns
    return [replace(first, legend=part.of.missing_among(runs)), *others]


def _reading_of_pair(part: Risked, pair: int) -> list[Cell]:
    """Read TRisk at each r."""
    run, baseline = part.of.names(pair)
    wins, _, losses = part.outcomes(pair)
    if not wins + losses:
        return [f"{run} and {baseline} have the same scores on all topics."]
    verdicts = {
        SAFE: f"called a risk-free improvement on {baseline}",
        RISKY: f"called statistically risky against {baseline}",
        UNDECIDED: "called neither risky nor free of risk",
    }
    found: dict[int, list[Risk]] = {}
    for at_r in part.risks:
        found.setdefault(int(at_r.judged_by_trisk[pair]), []).append(at_r)
    said: list[list[Cell]] = []
    for verdict, here in found.items():
        values: list[list[Cell]] = [
            [f"{_name_of(at_r)} (", float(at_r.trisk[pair]), ")"] for at_r in here
        ]
        said.append([f"{verdicts[verdict]} at ", *series_of_cells(values)])
    otherwise = "; ".join(_otherwise_by_intervals(part, pair))
    return [
        f"By TRisk, {run} is ",
        *series_of_cells(said, last=", and "),
        f". Not so by 95% intervals: {otherwise}." if otherwise else ".",
    ]


def _otherwise_by_intervals(part: Risked, pair: int) -> Iterator[str]:
    """Yield what intervals say where TRisk says otherwise: `risky by bca at r = 5 and r = 10`.

    The bound of TRisk is for 95%: intervals of other levels would not be comparable.
    """
    if _LEVEL_OF_TRISK not in part.levels:
        return
    level = part.levels.index(_LEVEL_OF_TRISK)
    for verdict, word in _WORDS.items():
        methods_at: dict[tuple[str, ...], list[str]] = {}
        for method in part.methods:
            places = tuple(
                _name_of(at_r)
                for at_r in part.risks
                if at_r.judged_by(method, level)[pair] == verdict != at_r.judged_by_trisk[pair]
            )
            methods_at.setdefault(places, []).append(method)
        for places, methods in methods_at.items():
            if places:
                yield f"{word} by {series(methods)} at {series(places)}"


def _largest_losses(part: Risked, pair: int) -> list[Cell]:
    """Name the topics that suffer most."""
    losses = part.largest_losses(pair, _LOSSES_SHOWN)
    if not losses:
        return []
    run, _ = part.of.names(pair)
    topics = "topic" if len(losses) == 1 else "topics"
    changes: list[list[Cell]] = [
        [f"{topic} (from ", before, " to ", after, ")"] for topic, before, after in losses
    ]
    return [f" {run} loses most on {topics} ", *series_of_cells(changes), "."]


def _reading_of_runs(part: Risked, at_r: Risk, pairs: Sequence[int]) -> list[Cell]:
    """Say how many runs TRisk finds risky, and of how many intervals say otherwise."""
    _, baseline = part.of.names(pairs[0])
    judged = at_r.judged_by_trisk[pairs]
    safe, risky = int((judged == SAFE).sum()), int((judged == RISKY).sum())
    bound, runs = _bound(at_r), count(len(pairs), "run")
    said = (
        f"At {_name_of(at_r)}, {safe or 'none'} of {runs} {'is' if safe == 1 else 'are'} called a "
        f"risk-free improvement on {baseline} (TRisk above {bound}); {risky or 'none'} "
        f"{'is' if risky == 1 else 'are'} called statistically risky (below -{bound})."
    )
    otherwise = "; ".join(_others_by_intervals(part, at_r, pairs))
    return [f"{said} Not so by 95% intervals: {otherwise}." if otherwise else said]


def _others_by_intervals(part: Risked, at_r: Risk, pairs: Sequence[int]) -> Iterator[str]:
    """Yield how many runs intervals judge otherwise: `4 runs are risky by bca`."""
    if _LEVEL_OF_TRISK not in part.levels:
        return
    level, by_trisk = part.levels.index(_LEVEL_OF_TRISK), at_r.judged_by_trisk[pairs]
    for verdict, word in _WORDS.items():
        for method in part.methods:
            judged = at_r.judged_by(method, level)[pairs]
            number = int(((judged == verdict) & (by_trisk != verdict)).sum())
            if number:
                yield f"{count(number, 'run')} {'is' if number == 1 else 'are'} {word} by {method}"
