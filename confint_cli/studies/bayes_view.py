"""What is believed of runs, and how people read it: figures of a pair, or a row for each run."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.table import Cell, Column, Interval, Probability, Table
from confint_cli.common.text import count
from confint_cli.common.words import percent, whole_if_it_is
from confint_cli.stats.posterior import Density
from confint_cli.stats.random import Drawing
from confint_cli.studies.pairing import PairedRuns, PairRows
from confint_cli.studies.rows import Bounded

_GLASS = "Glass's Δ: the difference in standard deviations of the baseline's scores."
_EAPS = "Difference, Glass's Δ and correlation are means of the posterior (EAP)."
_ALONE = (
    "Each probability and interval is of one comparison by itself; of many comparisons, some look "
    "good by chance."
)
_GLASS_BY = "Glass's Δ (run): the difference in standard deviations of that run's scores."
_EAP = "EAP: the mean of the posterior."
_ONE_SIDED = "p: one-sided, against a difference no larger than the threshold."

"""Each quantity that there is a posterior of, and what the probability is of being above."""


@dataclass(frozen=True)
class Question:
    """What is asked of each pair of runs."""

    level: float
    drawing: Drawing
    thresholds: Mapping[str, float]  # of each quantity
    rope: tuple[float, float] | None = None  # the region of practical equivalence
    classical: bool = False  # whether what a t test says is to stand beside it
    densities: bool = False  # whether there is a figure to be drawn


@dataclass(frozen=True)
class Rope:
    """How probable it is that a difference lies below, within and above a region."""

    below: float
    within: float
    above: float


@dataclass(frozen=True)
class Classical:
    """What there is without a posterior; of some quantities only the sample's value."""

    sample: float  # NaN if it has none
    low: float | None = None
    high: float | None = None
    p: float | None = None  # one-sided, against a quantity no larger than the threshold


@dataclass(frozen=True)
class Belief(Bounded):
    """What is believed of one quantity of a pair of runs; NaN where there is no posterior."""

    baseline: str
    topics: int
    baseline_topics: int
    quantity: str
    eap: float
    sd: float
    sd_error: float  # by the draws
    threshold: float
    probability: float
    ess: float
    rope: Rope | None
    classical: Classical
    density: Density | None  # if it is asked for, and there is a posterior


Pair = Mapping[str, Belief]  # by quantity


@dataclass(frozen=True)
class Believed:
    """Pairs of runs, and what is believed of each."""

    of: PairedRuns
    beliefs: Sequence[Pair]
    question: Question


def views(parts: Sequence[Believed]) -> list[Table]:
    """Return tables for each measure and baseline, or of all pairs; all in the same way."""
    tables = [(part, rows) for part in parts for rows in part.of.by_baseline()]
    alone = all(len(rows.places) == 1 for _, rows in tables)
    return [(_of_one if alone else _of_several)(part, rows) for part, rows in tables]


def _of_one(part: Believed, rows: PairRows) -> Table:
    """Return all that there is to say about one pair."""
    pair = part.beliefs[rows.places[0]]
    first = pair["difference"]
    title = f"{part.of.title}, {first.run} compared with {first.baseline}"
    if not part.of.paired:
        own, other = count(first.topics, "topic"), count(first.baseline_topics, "topic")
        title = f"{part.of.title}, {first.run} ({own}) compared with {first.baseline} ({other})"
    columns = _of_quantities(part, pair)
    legend = _legend(part, {first.run, first.baseline})
    return Table(title, columns, legend=legend, sentence=_sentence_of_pair(part, pair))


def _of_several(part: Believed, rows: PairRows) -> Table:
    """Return a row for each pair."""
    pairs = [part.beliefs[place] for place in rows.places]
    return Table(
        f"{part.of.title}, {rows.which}",
        _of_runs(part, rows, pairs),
        legend=_legend(part, part.of.runs, _EAPS, _ALONE),
        sentence=_sentence_of_several(part, pairs),
    )


def _legend(part: Believed, runs: Collection[str], *further: str) -> str:
    """Name the model, and those of the runs that lack topics."""
    model = f"Model: {'bivariate' if part.of.paired else 'independent'} normal scores, flat priors."
    return " ".join(filter(None, [model, *further, part.of.missing_among(runs)]))


def _of_quantities(part: Believed, pair: Pair) -> list[Column]:
    """Return a row for each quantity: all that there is to say about one pair."""
    rows = [*pair.values()]
    first, level = rows[0], percent(part.question.level)
    names: dict[str, Cell] = {
        "difference": "difference",
        "glass_baseline": f"Glass's Δ ({first.baseline})",
        "glass_run": f"Glass's Δ ({first.run})",
        "correlation": "correlation",
    }
    columns = [
        Column("quantity", [names[row.quantity] for row in rows], legend=_GLASS_BY),
        Column("EAP", [row.eap for row in rows], legend=_EAP),
        Column(f"credible {level}", [*map(_credible, rows)]),
        Column("above", [whole_if_it_is(row.threshold) for row in rows], exact=True),
        Column("P(above)", [_chance(row.probability) for row in rows]),
    ]
    sd = Column("SD", [row.sd for row in rows], optional=True)
    if part.question.classical:
        known = [row.classical for row in rows]
        columns += [
            Column("sample", [one.sample for one in known], optional=True),
            Column(_classical_interval(part), [*map(_confidence, known)]),
            Column("p", [*map(_p, known)], legend=_ONE_SIDED),
            sd,  # the first to go where there is no room
        ]
    else:
        columns.insert(2, sd)
    return [*columns, Column("note", [row.note for row in rows])]


def _of_runs(part: Believed, rows_of_pairs: PairRows, pairs: Sequence[Pair]) -> list[Column]:
    """Return what there is to say about some pairs."""
    question, level, column = part.question, percent(part.question.level), rows_of_pairs.column
    rows = [pair["difference"] for pair in pairs]

    def figures(quantity: str, name: str, symbol: str, interval: str) -> list[Column]:
        own = [pair[quantity] for pair in pairs]
        return [
            column(name, [row.eap for row in own]),
            column(f"{interval} {level}", [*map(_credible, own)]),
            column(
                f"P({symbol}>{own[0].threshold:.15g})", [_chance(row.probability) for row in own]
            ),
        ]

    columns = rows_of_pairs.beginning()
    columns += figures("difference", "difference", "", "credible")
    if question.rope is not None:
        low, high = question.rope
        names = {"within": "P(within)", "below": f"P(<{low:.15g})", "above": f"P(>{high:.15g})"}
        columns += [
            column(
                name,
                [_chance(getattr(row.rope, key)) if row.rope else None for row in rows],
                optional=True,
            )
            for key, name in names.items()
        ]
    if question.classical:
        known = [row.classical for row in rows]
        columns += [
            column(_classical_interval(part), [*map(_confidence, known)]),
            column("p", [*map(_p, known)], legend=_ONE_SIDED),
        ]
    glass = figures("glass_baseline", "Glass's Δ", "Δ", "Δ")
    if question.classical:
        samples = [pair["glass_baseline"].classical.sample for pair in pairs]
        glass.append(column("sample Δ", samples))
    further = [replace(glass[0], legend=_GLASS), *glass[1:]]
    if part.of.paired:
        further += figures("correlation", "correlation", "ρ", "ρ")
    columns += [replace(one, optional=True) for one in further]
    return [*columns, column("note", [row.note for row in rows], own="")]


def _credible(row: Belief) -> Interval | None:
    return None if math.isnan(row.low) else Interval(row.low, row.high)


def _classical_interval(part: Believed) -> str:
    return f"{'t' if part.of.paired else 'welch'} {percent(part.question.level)}"


def _confidence(known: Classical) -> Interval | None:
    return None if known.low is None or known.high is None else Interval(known.low, known.high)


def _p(known: Classical) -> Probability | None:
    return None if known.p is None else Probability(known.p)


def _chance(probability: float) -> Probability:
    """Return a probability that is never shown as certainty: no posterior is certain."""
    return Probability(min(probability, math.nextafter(1, 0)))


def _sentence_of_pair(part: Believed, pair: Pair) -> list[Cell]:
    """Say it as in a paper."""
    difference, glass = pair["difference"], pair["glass_baseline"]
    run, baseline, level = difference.run, difference.baseline, percent(part.question.level)
    if math.isnan(difference.eap):
        return [f"{run} and {baseline} have no posterior ({difference.note})."]
    topics = f" on {count(difference.topics, 'topic')}" if part.of.paired else ""
    sentence: list[Cell] = [
        f"With normal scores and flat priors, the probability that {run} "
        f"{_beats(baseline, difference.threshold)} is {_in_percent(difference.probability)}; the "
        "difference is ",
        difference.eap,
        f", {level} credible interval ",
        Interval(difference.low, difference.high),
        "; Glass's Δ ",
        glass.eap,
        " ",
        Interval(glass.low, glass.high),
        f", above {glass.threshold:.15g} with a probability {_of(glass.probability)} "
        f"({part.of.measure}{topics}; EAPs, Δ by the standard deviation of {baseline}).",
    ]
    if difference.rope is not None and part.question.rope is not None:
        low, high = (f"{limit:.15g}" for limit in part.question.rope)
        rope = difference.rope
        sentence.append(
            f" The probability that the difference is below {low} is {_in_percent(rope.below)}; "
            f"within [{low}, {high}] it is {_in_percent(rope.within)}, above {high} it is "
            f"{_in_percent(rope.above)}."
        )
    return sentence


def _beats(baseline: str, threshold: float) -> str:
    if threshold < 0:
        return f"is worse than {baseline} by less than {-threshold:.15g}, or better,"
    return f"is better than {baseline}" + (f" by more than {threshold:.15g}" if threshold else "")


def _in_percent(probability: float) -> str:
    """Return `99.4%`; nothing is certain."""
    if probability < 0.0005:
        return "below 0.1%"
    if probability > 0.9995:
        return "above 99.9%"
    return f"{100 * probability:.1f}%"


def _of(probability: float) -> str:
    """Return `of 43.3%`, `above 99.9%`."""
    said = _in_percent(probability)
    return f"of {said}" if said[0].isdigit() else said


def _sentence_of_several(part: Believed, pairs: Sequence[Pair]) -> list[Cell]:
    differences = [pair["difference"] for pair in pairs]
    known = [one for one in differences if not math.isnan(one.eap)]
    better = sum(one.low > 0 for one in known)
    worse = sum(one.high < 0 for one in known)
    said = f"The {percent(part.question.level)} credible interval of the difference"
    lacking = f"; {len(differences) - len(known)} more have none" if known != differences else ""
    if not part.of.baselines:
        pairs_of_runs = f"for {better + worse or 'none'} of {count(len(known), 'pair')}"
        return [f"{said} leaves 0 out {pairs_of_runs}{lacking}."]
    of_runs = f"for {better or 'none'} of {count(len(known), 'run')}"
    return [f"{said} lies above 0 {of_runs}, below 0 for {worse or 'none'}{lacking}."]
