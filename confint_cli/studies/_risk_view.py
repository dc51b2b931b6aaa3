"""What runs risk, as people read it: a row for each run or, of one run, for each r."""

from collections.abc import Sequence
from dataclasses import replace

from scipy.special import stdtrit

from confint_cli.risk import TRISK_BOUND, Risk
from confint_cli.studies._pair_rows import PairRows, title_of
from confint_cli.studies._risked import Risked
from confint_cli.studies._words import percent, together, whole_if_it_is
from confint_cli.table import Cell, Column, Interval, Marked, Table, explained_once
from confint_cli.text import all_of, count

_SAFE, _RISKY = "*", "!"
_NEARLY_TWO = 2.1  # a quantile of t that 2 is near enough to: of 19 topics or more
_URISK = (
    "URisk⁻: the mean of all differences, a loss counted r times (r = 1 + α); its sign is turned, "
    "so above 0 is risky."
)
_TRISK = (
    "TRisk: URisk over its standard error, its sign not turned: * above 2, a risk-free "
    "improvement; ! below -2, statistically risky."
)
_GEORISK = "GeoRisk: the mean, and how evenly it is earned, against {runs}; more is better."
SHAPIRO = "W: Shapiro-Wilk of topics and of resamples; 1 is normal."
_NO_LOSSES = "no losses: r has nothing to weigh, all r give the same."
_NO_WINS = "no wins: r is a scale, TRisk is the same at all r."


def views(parts: Sequence[Risked]) -> list[Table]:
    """Return tables for each measure, baseline and r; of one run by itself, of all r in one."""
    pairs = [(part, rows) for part in parts for rows in part.by_baseline()]
    if all(len(rows.places) == 1 for _, rows in pairs):
        tables = [_of_one_run(part, rows) for part, rows in pairs]
    else:
        tables = [_at_one_r(part, rows, at_r) for part, rows in pairs for at_r in part.risks]
    return explained_once(tables)


def _of_one_run(part: Risked, rows: PairRows) -> Table:
    pair = int(rows.places[0])
    run, baseline = part.names(pair)
    wins, ties, losses = part.outcomes(pair)
    outcome = f"{count(wins, 'win')}, {count(ties, 'tie')}, {losses} loss{'es' * (losses != 1)}"
    title = f"{title_of(part.measure, part.found)}, {run} compared with {baseline}: {outcome}"
    cells = [_cells(part, at_r, pair) for at_r in part.risks]
    columns = [
        Column("r", [whole_if_it_is(at_r.r) for at_r in part.risks], exact=True),
        *(_column(name, [own[name] for own in cells], part) for name in cells[0]),
    ]
    return Table(title, columns, legend=_legend(cells), sentence=_reading_of_pair(part, pair))


def _at_one_r(part: Risked, rows: PairRows, at_r: Risk) -> Table:
    """Return a row for each run, below that of the baseline."""
    pairs = rows.places.tolist()
    cells = [_cells(part, at_r, pair) for pair in pairs]
    own: dict[str, Cell] = {"GeoRisk": float(at_r.baseline_georisk[pairs[0]]), "note": ""}
    columns = rows.beginning()
    columns.append(rows.column("W/T/L", ["/".join(map(str, part.outcomes(p))) for p in pairs],
                               own=""))  # fmt: skip
    for name in cells[0]:
        column = _column(name, [of_run[name] for of_run in cells], part)
        columns.append(replace(column, values=[own.get(name), *column.values]))
    return Table(
        f"{title_of(part.measure, part.found)}, {rows.which}, r = {whole_if_it_is(at_r.r)}",
        columns,
        legend=_legend(cells),
        sentence=_reading_of_runs(part, at_r, pairs),
    )


def _cells(part: Risked, at_r: Risk, pair: int) -> dict[str, Cell]:
    """Return what there is to say about one pair at one r, by the names of the columns."""
    trisk = float(at_r.trisk[pair])
    mark = _SAFE if trisk > TRISK_BOUND else _RISKY if trisk < -TRISK_BOUND else ""
    cells: dict[str, Cell] = {
        "URisk⁻": float(at_r.urisk_minus[pair]),
        "TRisk": Marked(trisk, mark),
        "GeoRisk": float(at_r.georisk[pair]),
    }
    for method in part.methods:
        limits = at_r.limits[method]
        for place, level in enumerate(part.levels):
            ends = float(limits.low[place, pair]), float(limits.high[place, pair])
            cells[f"{method} {percent(level)}"] = Interval(*ends)
    cells["W topics"] = float(at_r.shapiro_topics[pair])
    cells["W resamples"] = float(at_r.shapiro_bootstrap[pair])
    cells["note"] = together(
        [(method, note) for method in part.methods for note in at_r.notes[method][:, pair]]
    )
    return cells


def _column(name: str, values: Sequence[Cell], part: Risked) -> Column:
    legend = {
        "URisk⁻": _URISK,
        "TRisk": _TRISK + _of_few_topics(int(part.found.run.topics[0])),
        "GeoRisk": _GEORISK.format(runs=all_of(len(part.runs), "run")),
        "W topics": SHAPIRO,
    }.get(name, "")
    return Column(name, values, optional=name.startswith("W "), legend=legend)


def _of_few_topics(topics: int) -> str:
    """Say what TRisk it takes where 2 is too low."""
    needed = float(stdtrit(topics - 1, 0.975))
    if needed < _NEARLY_TWO:
        return ""
    return f" That bound is for many topics: of {topics}, 95% confidence takes {needed:.2f}."


def _legend(cells: Sequence[dict[str, Cell]]) -> str:
    """Explain notes about r, if there are any."""
    notes = " ".join(str(own["note"]) for own in cells)
    explained = {"no losses": _NO_LOSSES, "no wins": _NO_WINS}
    return " ".join(text for word, text in explained.items() if word in notes)


def _reading_of_pair(part: Risked, pair: int) -> list[Cell]:
    """Read TRisk at each r."""
    run, baseline = part.names(pair)
    wins, _, losses = part.outcomes(pair)
    if not wins + losses:
        return [f"{run} and {baseline} have the same scores on all topics."]
    said: dict[str, list[Risk]] = {}
    for at_r in part.risks:
        said.setdefault(_verdict(float(at_r.trisk[pair]), baseline), []).append(at_r)
    sentence: list[Cell] = [f"By TRisk, {run} is "]
    for place, (verdict, here) in enumerate(said.items()):
        if place:
            sentence.append(", and " if place == len(said) - 1 else ", ")
        sentence.append(f"{verdict} at ")
        for nth, at_r in enumerate(here):
            joint = "" if not nth else " and " if nth == len(here) - 1 else ", "
            sentence += [f"{joint}r = {whole_if_it_is(at_r.r)} (", float(at_r.trisk[pair]), ")"]
    return [*sentence, "."]


def _verdict(trisk: float, baseline: str) -> str:
    if trisk > TRISK_BOUND:
        return f"a risk-free improvement on {baseline}"
    if trisk < -TRISK_BOUND:
        return f"statistically risky against {baseline}"
    return "neither surely risky nor surely better"


def _reading_of_runs(part: Risked, at_r: Risk, pairs: Sequence[int]) -> list[Cell]:
    """Say how many runs TRisk finds risky."""
    _, baseline = part.names(pairs[0])
    trisk = at_r.trisk[pairs]
    safe, risky = int((trisk > TRISK_BOUND).sum()), int((trisk < -TRISK_BOUND).sum())
    r, runs = whole_if_it_is(at_r.r), count(len(pairs), "run")
    improve = "improves" if safe == 1 else "improve"
    are = "is" if risky == 1 else "are"
    return [
        f"At r = {r}, {safe or 'none'} of {runs} {improve} on {baseline} free of risk (TRisk above "
        f"2); {risky or 'none'} {are} statistically risky (below -2)."
    ]
