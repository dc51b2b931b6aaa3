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


@dataclass(frozen=True)
class Question:
    """What a user wants to know of each pair of runs."""

    level: float  # of credible intervals
    drawing: Drawing
    thresholds: Mapping[str, float]  # by quantity: the probability is that of being above it
    rope: tuple[float, float] | None = None  # the region of practical equivalence, if there is one
    classical: bool = False  # whether the results of a t test stand beside those of the posterior
    densities: bool = False  # whether a figure needs the curves of posteriors


@dataclass(frozen=True)
class Rope:
    """The probabilities that a difference lies below, within and above a region."""

    below: float
    within: float
    above: float


@dataclass(frozen=True)
class Classical:
    """What there is to say of a quantity without a posterior.

    Only the difference has limits and a p-value, by the t test or by Welch's.
    """

    sample: float  # the value of the quantity in the sample; NaN if it has none
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
    eap: float  # the mean of the posterior
    sd: float  # of the posterior
    sd_error: float  # the Monte Carlo error of `sd`
    threshold: float
    probability: float  # that the quantity is above the threshold
    ess: float  # how many draws of equal weights would be worth as much
    rope: Rope | None  # of a difference, if the question has a region
    classical: Classical
    density: Density | None  # None: no figure needs it, or there is no posterior


Pair = Mapping[str, Belief]  # what is believed of one pair of runs, by quantity


@dataclass(frozen=True)
class Believed:
    """Pairs of runs by one measure, and what is believed of each."""

    pairs: PairedRuns
    beliefs: Sequence[Pair]
    question: Question


def views(by_measure: Sequence[Believed]) -> list[Table]:
    """Return a table for each measure and baseline or, without any, for each measure.

    A row is a quantity, if each table is of one pair; otherwise, a row is a pair.
    """
    tables = [(believed, rows) for believed in by_measure for rows in believed.pairs.by_baseline()]
    are_single_pairs = all(len(rows.places) == 1 for _, rows in tables)
    return [
        (_of_one if are_single_pairs else _of_several)(believed, rows) for believed, rows in tables
    ]


def _of_one(believed: Believed, rows: PairRows) -> Table:
    """Return the table of one pair, with a row for each quantity."""
    pair = believed.beliefs[rows.places[0]]
    first = pair["difference"]
    title = f"{believed.pairs.title}, {first.run} compared with {first.baseline}"
    if not believed.pairs.paired:
        own, other = count(first.topics, "topic"), count(first.baseline_topics, "topic")
        title = (
            f"{believed.pairs.title}, {first.run} ({own}) compared with {first.baseline} ({other})"
        )
    columns = _of_quantities(believed, pair)
    legend = _legend(believed, {first.run, first.baseline})
    return Table(title, columns, legend=legend, sentence=_sentence_of_pair(believed, pair))


def _of_several(believed: Believed, rows: PairRows) -> Table:
    """Return the table of several pairs, with a row for each."""
    pairs = [believed.beliefs[place] for place in rows.places]
    return Table(
        f"{believed.pairs.title}, {rows.which}",
        _of_runs(believed, rows, pairs),
        legend=_legend(believed, believed.pairs.runs, _EAPS, _ALONE),
        sentence=_sentence_of_several(believed, pairs),
    )


def _legend(believed: Believed, runs: Collection[str], *further: str) -> str:
    """Return the legend: the model, `further` sentences, and those of `runs` that lack topics."""
    kind = "bivariate" if believed.pairs.paired else "independent"
    model = f"Model: {kind} normal scores, flat priors."
    return " ".join(filter(None, [model, *further, believed.pairs.missing_among(runs)]))


def _of_quantities(believed: Believed, pair: Pair) -> list[Column]:
    """Return the columns of a table of one pair, with a row for each quantity."""
    rows = [*pair.values()]
    first, level = rows[0], percent(believed.question.level)
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
    if believed.question.classical:
        results = [row.classical for row in rows]
        columns += [
            Column("sample", [result.sample for result in results], optional=True),
            Column(_classical_interval(believed), [*map(_confidence, results)]),
            Column("p", [*map(_p, results)], legend=_ONE_SIDED),
            sd,  # far to the right, as it is the first to go where there is no room
        ]
    else:
        columns.insert(2, sd)
    return [*columns, Column("note", [row.note for row in rows])]


def _of_runs(believed: Believed, rows_of_pairs: PairRows, pairs: Sequence[Pair]) -> list[Column]:
    """Return the columns of a table with a row for each pair."""
    question, level, column = (
        believed.question,
        percent(believed.question.level),
        rows_of_pairs.column,
    )
    rows = [pair["difference"] for pair in pairs]

    def figures(quantity: str, name: str, symbol: str, interval: str) -> list[Column]:
        beliefs = [pair[quantity] for pair in pairs]
        return [
            column(name, [row.eap for row in beliefs]),
            column(f"{interval} {level}", [*map(_credible, beliefs)]),
            column(
                f"P({symbol}>{beliefs[0].threshold:.15g})",
                [_chance(row.probability) for row in beliefs],
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
        results = [row.classical for row in rows]
        columns += [
            column(_classical_interval(believed), [*map(_confidence, results)]),
            column("p", [*map(_p, results)], legend=_ONE_SIDED),
        ]
    glass = figures("glass_baseline", "Glass's Δ", "Δ", "Δ")
    if question.classical:
        samples = [pair["glass_baseline"].classical.sample for pair in pairs]
        glass.append(column("sample Δ", samples))
    further = [replace(glass[0], legend=_GLASS), *glass[1:]]
    if believed.pairs.paired:
        further += figures("correlation", "correlation", "ρ", "ρ")
    columns += [replace(figure, optional=True) for figure in further]
    return [*columns, column("note", [row.note for row in rows], own="")]


def _credible(row: Belief) -> Interval | None:
    return None if math.isnan(row.low) else Interval(row.low, row.high)


def _classical_interval(believed: Believed) -> str:
    return f"{'t' if believed.pairs.paired else 'welch'} {percent(believed.question.level)}"


def _confidence(result: Classical) -> Interval | None:
    return None if result.low is None or result.high is None else Interval(result.low, result.high)


def _p(result: Classical) -> Probability | None:
    return None if result.p is None else Probability(result.p)


def _chance(probability: float) -> Probability:
    """Return the probability, just below 1 at most: no posterior is certain."""
    return Probability(min(probability, math.nextafter(1, 0)))


def _sentence_of_pair(believed: Believed, pair: Pair) -> list[Cell]:
    """Return the cells of a sentence on what is believed of one pair."""
    difference, glass = pair["difference"], pair["glass_baseline"]
    run, baseline, level = difference.run, difference.baseline, percent(believed.question.level)
    if math.isnan(difference.eap):
        return [f"{run} and {baseline} have no posterior ({difference.note})."]
    topics = f" on {count(difference.topics, 'topic')}" if believed.pairs.paired else ""
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
        f"({believed.pairs.measure}{topics}; EAPs, Δ by the standard deviation of {baseline}).",
    ]
    if difference.rope is not None and believed.question.rope is not None:
        low, high = (f"{limit:.15g}" for limit in believed.question.rope)
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
    """Return `99.4%`, but `below 0.1%` and `above 99.9%`, as nothing is certain."""
    if probability < 0.0005:
        return "below 0.1%"
    if probability > 0.9995:
        return "above 99.9%"
    return f"{100 * probability:.1f}%"


def _of(probability: float) -> str:
    """Return `of 43.3%`, or `above 99.9%`."""
    text = _in_percent(probability)
    return f"of {text}" if text[0].isdigit() else text


def _sentence_of_several(believed: Believed, pairs: Sequence[Pair]) -> list[Cell]:
    """Return the cells of a sentence: for how many pairs the credible interval leaves 0 out."""
    differences = [pair["difference"] for pair in pairs]
    known = [difference for difference in differences if not math.isnan(difference.eap)]
    better = sum(difference.low > 0 for difference in known)
    worse = sum(difference.high < 0 for difference in known)
    begin = f"The {percent(believed.question.level)} credible interval of the difference"
    lacking = f"; {len(differences) - len(known)} more have none" if known != differences else ""
    if not believed.pairs.baselines:
        pairs_of_runs = f"for {better + worse or 'none'} of {count(len(known), 'pair')}"
        return [f"{begin} leaves 0 out {pairs_of_runs}{lacking}."]
    of_runs = f"for {better or 'none'} of {count(len(known), 'run')}"
    return [f"{begin} lies above 0 {of_runs}, below 0 for {worse or 'none'}{lacking}."]
