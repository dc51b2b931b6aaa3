"""What is believed of runs, as people read it: figures of a pair, or a row for each run."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from confint_cli.common.table import Cell, Column, Interval, Probability, Table, View
from confint_cli.common.text import count
from confint_cli.common.words import percent, series, whole_if_it_is
from confint_cli.stats.names import CREDIBLE
from confint_cli.studies.answer import Answer
from confint_cli.studies.pairing_view import (
    TOLD_ONE_BY_ONE,
    MeasurePairs,
    PairTable,
    pairs_by_measure,
)
from confint_cli.studies.rows import BayesRow, Classical

_GLASS = "Glass's Δ: the difference divided by the sd of the baseline's scores."
_EAPS = "Difference, Glass's Δ and correlation are posterior means (EAP)."
_ALONE = (
    "Each probability and interval is for one comparison by itself; among many comparisons, some "
    "look good by chance."
)
_GLASS_BY = "Glass's Δ (run): the difference divided by the sd of that run's scores."
_EAP = "EAP: the mean of the posterior."
_ONE_SIDED = "p: one-sided, against a difference no larger than the threshold."


Believed = MeasurePairs[BayesRow]  # all pairs by one measure
Pair = Mapping[str, BayesRow]  # what is believed of one pair of runs, by quantity


def view(answer: Answer[BayesRow], *, classical: bool = False) -> View:
    """Return a table for each measure and baseline or, without any, for each measure.

    A row is a quantity, if each table is of one pair; otherwise, a row is a pair. With `classical`,
    the results of a t test stand beside those of the posterior.
    """
    tables = [rows for believed in pairs_by_measure(answer) for rows in believed.tables()]
    are_single_pairs = all(len(rows.pairs) == 1 for rows in tables)
    table_of = _of_one if are_single_pairs else _of_several
    return View([table_of(rows, classical=classical) for rows in tables])


def _by_quantity(pair: Sequence[BayesRow]) -> Pair:
    return {row.quantity: row for row in pair}


def _of_one(rows: PairTable[BayesRow], *, classical: bool) -> Table:
    """Return the table of one pair, with a row for each quantity."""
    believed, pair = rows.of_measure, rows.pairs[0]
    first = pair[0]
    run, baseline = first.run, first.baseline
    names = f"{run} compared with {baseline}"
    if not believed.paired:
        own, other = count(first.topics, "topic"), count(first.baseline_topics, "topic")
        names = f"{run} ({own}) compared with {baseline} ({other})"
    return Table(
        f"{believed.title}, {names}",
        _of_quantities(believed, pair, classical=classical),
        legend=_legend(believed, {run, baseline}),
        sentence=_sentence_of_pair(believed, _by_quantity(pair)),
    )


def _of_several(rows: PairTable[BayesRow], *, classical: bool) -> Table:
    """Return the table of several pairs, with a row for each."""
    return Table(
        rows.title,
        _of_runs(rows, classical=classical),
        legend=_legend(rows.of_measure, rows.of_measure.runs, _EAPS, _ALONE),
        sentence=_sentence_of_several(rows),
    )


def _legend(believed: Believed, runs: Collection[str], *further: str) -> str:
    """Return the legend: the model, `further` sentences, and those of `runs` that lack topics."""
    kind = "bivariate" if believed.paired else "independent"
    model = f"Model: {kind} normal scores, flat priors."
    return " ".join(filter(None, [model, *further, believed.missing_among(runs)]))


def _of_quantities(
    believed: Believed, rows: Sequence[BayesRow], *, classical: bool
) -> list[Column]:
    """Return the columns of a table of one pair, with a row for each quantity."""
    first, level = rows[0], percent(believed.facts["level"])
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
    if classical:
        results = [row.classical for row in rows]
        columns += [
            Column("sample", [result.sample for result in results], optional=True),
            Column(_classical_interval(believed), [*map(_confidence, results)]),
            Column("p", [*map(_p, results)], legend=_ONE_SIDED),
            sd,  # far to the right, as it is the first to go where there is no room
        ]
    else:
        columns.insert(2, sd)
    return [*columns, Column("note", [row.caution for row in rows])]


def _of_runs(rows: PairTable[BayesRow], *, classical: bool) -> list[Column]:
    """Return the columns of a table with a row for each pair."""
    believed, column = rows.of_measure, rows.column
    level, rope = percent(believed.facts["level"]), believed.facts.get("rope")
    pairs, differences = [*map(_by_quantity, rows.pairs)], rows.firsts

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

    columns = rows.beginning()
    columns += figures("difference", "difference", "", CREDIBLE)
    if rope is not None:
        low, high = rope
        names = {"within": "P(within)", "below": f"P(<{low:.15g})", "above": f"P(>{high:.15g})"}
        columns += [
            column(
                name,
                [_chance(getattr(row.rope, key)) if row.rope else None for row in differences],
                optional=True,
            )
            for key, name in names.items()
        ]
    if classical:
        results = [row.classical for row in differences]
        columns += [
            column(_classical_interval(believed), [*map(_confidence, results)]),
            column("p", [*map(_p, results)], legend=_ONE_SIDED),
        ]
    glass = figures("glass_baseline", "Glass's Δ", "Δ", "Δ")
    if classical:
        glass.append(column("sample Δ", [pair["glass_baseline"].sample for pair in pairs]))
    further = [replace(glass[0], legend=_GLASS), *glass[1:]]
    if believed.paired:
        further += figures("correlation", "correlation", "ρ", "ρ")
    columns += [replace(figure, optional=True) for figure in further]
    return [*columns, rows.figures("note", lambda row: row.caution, own="")]


def _credible(row: BayesRow) -> Interval | None:
    return None if math.isnan(row.low) else Interval(row.low, row.high)


def _classical_interval(believed: Believed) -> str:
    return f"{'t' if believed.paired else 'welch'} {percent(believed.facts['level'])}"


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
    run, baseline, level = difference.run, difference.baseline, percent(believed.facts["level"])
    if math.isnan(difference.eap):
        return [f"{run} and {baseline} have no posterior ({difference.caution})."]
    topics = f" on {count(difference.topics, 'topic')}" if believed.paired else ""
    sentence: list[Cell] = [
        f"With normal scores and flat priors, the probability that {run} "
        f"{_beats(baseline, difference.threshold)} is {_in_percent(difference.probability)}; the "
        "difference is ",
        difference.eap,
        f", {level} credible interval ",
        Interval(difference.low, difference.high),
        "; Glass's Δ is ",
        glass.eap,
        " ",
        Interval(glass.low, glass.high),
        f", above {glass.threshold:.15g} with a probability {_of(glass.probability)} "
        f"({difference.measure}{topics}; EAPs; Δ uses the standard deviation of {baseline}).",
    ]
    if difference.rope is not None:
        low, high = (f"{limit:.15g}" for limit in believed.facts["rope"])
        rope = difference.rope
        sentence.append(
            f" The difference is below {low} with a probability {_of(rope.below)}, within "
            f"[{low}, {high}] with a probability {_of(rope.within)}, and above {high} with a "
            f"probability {_of(rope.above)}."
        )
    return sentence


def _beats(baseline: str, threshold: float) -> str:
    if threshold < 0:
        return f"is better than {baseline}, or worse by less than {-threshold:.15g},"
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


def _sentence_of_several(rows: PairTable[BayesRow]) -> list[Cell]:
    """Return the cells of a sentence: for how many pairs the credible interval excludes 0.

    Of a few pairs, how probable it is that each run is better.
    """
    differences = rows.firsts
    known = [difference for difference in differences if not math.isnan(difference.eap)]
    if len(differences) <= TOLD_ONE_BY_ONE and len(known) == len(differences):
        told = [
            f"that {one.run} {_beats(one.baseline, one.threshold)} is "
            f"{_in_percent(one.probability)}"
            for one in known
        ]
        return [f"With normal scores and flat priors, the probability {series(told)}."]
    better = sum(difference.low > 0 for difference in known)
    worse = sum(difference.high < 0 for difference in known)
    begin = f"The {percent(rows.of_measure.facts['level'])} credible interval of the difference"
    without = len(differences) - len(known)
    lacking = f"; {without} more {'has' if without == 1 else 'have'} no interval" if without else ""
    if not rows.with_baseline:
        pairs_of_runs = f"for {better + worse or 'none'} of {count(len(known), 'pair')}"
        return [f"{begin} excludes 0 {pairs_of_runs}{lacking}."]
    of_runs = f"for {better or 'none'} of {count(len(known), 'run')}"
    return [f"{begin} is above 0 {of_runs} and below 0 for {worse or 'none'}{lacking}."]
