"""Comparisons as people read them: a row for each pair of runs, and the result in words."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from confint_cli.common.table import (
    Cell,
    Column,
    Interval,
    Marked,
    Probability,
    Span,
    Table,
    View,
    explained_once,
)
from confint_cli.common.text import count, listed
from confint_cli.common.words import alpha_of, percent, series
from confint_cli.scores.labels import META
from confint_cli.stats.equivalence import Verdict
from confint_cli.stats.flags import Doubt
from confint_cli.stats.names import BONFERRONI_T, MAX_T
from confint_cli.stats.significance import named_test
from confint_cli.studies.answer import Answer
from confint_cli.studies.design_view import gain_of, of_design
from confint_cli.studies.doubts import note_by_methods
from confint_cli.studies.facts import Facts
from confint_cli.studies.pairing_view import (
    TOLD_ONE_BY_ONE,
    MeasurePairs,
    PairTable,
    pairs_by_measure,
)
from confint_cli.studies.rows import CompareRow
from confint_cli.studies.scope import (
    COLLECTIONS,
    for_whom,
    has_bounds,
    has_collections,
    has_judge,
    has_repeats,
    of_single,
    where,
)

CORRECTION_NAMES = {  # in a sentence; max-t is no correction of p-values, but has its own
    MAX_T: MAX_T,
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "bonferroni": "Bonferroni",
}
_SIGNIFICANT = "*"
_LISTED = 5  # runs that a sentence names, at most
_T = "t"
_EFFECTS = {  # by field
    "glass_delta": "Glass's Δ: the difference in standard deviations of the baseline's scores.",
    "hedges_gz": "Hedges' gz: the difference in standard deviations of the differences.",
    "hedges_g": "Hedges' g: the difference in standard deviations of both runs' scores.",
}
_ABOUT_META = (
    "Collections are weighted by how precisely each difference is known, so this mean differs "
    "from macro; p is not corrected. τ²: the variance between collections, I²: its share."
)

Compared = MeasurePairs[CompareRow]  # all pairs by one measure
Pair = Sequence[CompareRow]  # the records of one pair, by method and level


def view(answer: Answer[CompareRow]) -> View:
    """Return a table for each measure and baseline, or for each measure one of all pairs."""
    of_meta = [row for row in answer.rows if row.collection == META]
    answer = replace(answer, rows=[row for row in answer.rows if row.collection != META])
    by_measure = pairs_by_measure(answer)
    tables = [table for _, of_measure in tables_by_measure(answer) for table in of_measure]
    if of_meta:
        tables += _tables_of_meta(of_meta, answer.facts)
    return View(explained_once(tables), _in_general(by_measure))


def tables_by_measure(
    answer: Answer[CompareRow], *, pictures: bool = False
) -> list[tuple[str, list[Table]]]:
    """Return the tables by each measure: one for each baseline, or one of all pairs.

    With `pictures`, a column of them stands behind each column of intervals, as on a page.
    """
    by_measure = pairs_by_measure(answer)
    is_alone = all(compared.family == 1 for compared in by_measure)  # needs no correction
    return [
        (
            compared.first.measure,
            [_table(rows, alone=is_alone, pictures=pictures) for rows in compared.tables()],
        )
        for compared in by_measure
    ]


def by_max_t(facts: Facts) -> bool:
    """Say whether max-T decides which differences are significant."""
    return facts["correct"] == MAX_T


def _p(row: CompareRow, facts: Facts) -> float:
    """Return the p-value that decides: that of the first test, after correction."""
    return row.p[facts["tests"][0]] if facts["correct"] == "none" else row.p_adjusted


def _table(rows: PairTable[CompareRow], *, alone: bool, pictures: bool) -> Table:
    """Return a table with a row for each of some pairs."""
    compared = rows.of_measure
    of_all = compared.of_all
    sentence = _of_baseline(rows.of_all) if rows.with_baseline else _of_all_pairs(of_all)
    if "margin" in compared.facts:
        sentence = [*sentence, " ", *within_margin(rows.of_all.firsts, compared.facts)]
    if gain := gain_of(rows.of_all.firsts, compared.facts, "comparison"):
        sentence = [*sentence, f" {gain}"]
    columns = _columns(rows, alone=alone, pictures=pictures)
    return Table(
        rows.title, columns, legend=_legend(compared), sentence=sentence, breaks=rows.breaks
    )


def _columns(rows: PairTable[CompareRow], *, alone: bool, pictures: bool) -> list[Column]:
    compared, facts, column = rows.of_measure, rows.of_measure.facts, rows.column
    differences = [
        Marked(first.difference, _SIGNIFICANT if first.is_marked else "") for first in rows.firsts
    ]
    columns = [*rows.beginning(), column("difference", differences)]
    for place, first in enumerate(rows.pairs[0]):
        intervals = [pair[place] for pair in rows.pairs]
        name = f"{first.method} {percent(first.level)}"
        columns.append(column(name, [Interval(row.low, row.high) for row in intervals]))
        if pictures:
            spans = [Span(row.low, row.difference, row.high, mark=0.0) for row in intervals]
            columns.append(column("", spans))
    for name in facts["tests"]:
        header = "p" if len(facts["tests"]) == 1 else f"p {name}"
        p_values = [Probability(first.p[name]) for first in rows.firsts]
        columns.append(column(header, p_values, optional=True))
    if facts["correct"] != "none" and (by_max_t(facts) or not alone):
        adjusted = [Probability(first.p_adjusted) for first in rows.firsts]
        columns.append(column(f"p {CORRECTION_NAMES[facts['correct']]}", adjusted))
    if "margin" in facts:
        columns += _about_margin(rows, "p ({})" if pictures else "p {}")
    columns += [
        column(own.name, own.values, optional=True, legend=own.legend)
        for own in of_design(rows.firsts, facts)
    ]
    is_plain = not (has_judge(facts) or has_bounds(facts))
    if is_plain and not has_repeats(facts):
        standardized = ("Hedges' gz", "hedges_gz") if compared.paired else ("Hedges' g", "hedges_g")
        for header, field in (("Glass's Δ", "glass_delta"), standardized):
            columns += _effect(rows, header, field, "" if pictures else _EFFECTS[field])
    if compared.paired and is_plain:
        outcomes = "" if pictures else "W/T/L: topics won, tied and lost."
        columns.append(rows.figures("W/T/L", _outcomes, own="", optional=True, legend=outcomes))
    told_below = int(Doubt.ONE_REPEAT)
    notes = [
        note_by_methods([(row.method, row.doubts & ~told_below) for row in pair])
        for pair in rows.pairs
    ]
    return [*columns, column("note", notes, own="")]


def _about_margin(rows: PairTable[CompareRow], header: str) -> list[Column]:
    """Return the columns about the margin; `header` is that of p-values, with a place for words."""
    facts = rows.of_measure.facts
    alpha = f"{alpha_of(facts['levels'][0]):g}"
    inside = percent(round(1 - 2 * alpha_of(facts["levels"][0]), 12))
    alone = f", not corrected for {rows.of_measure.family} comparisons"
    margin = f"{facts['margin']:.15g}"
    legend = (
        f"Margin {margin}: one-sided t tests at {alpha}; the verdict says where the "
        f"{inside} t interval lies{alone if rows.of_measure.family > 1 else ''}."
    )
    not_worse, equivalent = header.format("not worse"), header.format("equivalent")
    return [
        rows.figures(
            not_worse, lambda row: Probability(row.p_noninferior), optional=True,
            legend=f"{not_worse}: below {alpha}, this p-value shows that the run is not worse by "
            f"more than {margin}.",
        ),
        rows.figures(
            equivalent, lambda row: Probability(row.p_equivalent), optional=True,
            legend=f"{equivalent}: below {alpha}, this p-value shows that the runs differ by less "
            f"than {margin}.",
        ),
        rows.figures("verdict", lambda row: row.verdict, own="", legend=legend),
    ]  # fmt: skip


def _effect(rows: PairTable[CompareRow], header: str, name: str, legend: str) -> list[Column]:
    """Return the column of an effect size and, if it was asked for, that of its interval."""
    limits = name.removesuffix("_delta")
    columns = [rows.figures(header, lambda row: getattr(row, name), optional=True, legend=legend)]
    if "effect_intervals" in rows.of_measure.facts:
        level = percent(rows.firsts[0].level)

        def ends(row: CompareRow) -> Interval:
            return Interval(getattr(row, f"{limits}_low"), getattr(row, f"{limits}_high"))

        columns.append(rows.figures(f"{header.split()[-1]} {level}", ends, optional=True))
    return columns


def _outcomes(row: CompareRow) -> str:
    """Return `39/0/11`, the topics that are won, tied and lost; empty, if it is not about these."""
    return "" if row.wins is None else f"{row.wins}/{row.ties}/{row.losses}"


def _legend(compared: Compared) -> str:
    """Explain the mark of significance, with its family, and what speaks against it."""
    facts, family = compared.facts, compared.family
    is_any_significant = any(first.is_marked for first, *_ in compared.pairs)
    mark = f"{_SIGNIFICANT} p" if is_any_significant else "No p"
    legend = f"{mark} {judged_by(compared)}"
    if MAX_T in facts["methods"] and family > 1:
        every = "both" if family == 2 else f"all {family}"
        strict = " (strict)" if "max_t" in facts else ""
        legend += f". {MAX_T} intervals{strict} hold for {every} at once, approximately"
    if MAX_T in facts["methods"] and not by_max_t(facts):
        legend += "; p comes from another test, and may disagree"
    if BONFERRONI_T in facts["methods"] and family > 1:
        every = "both" if family == 2 else f"all {family}"
        legend += f". {BONFERRONI_T} intervals hold for {every} at once"
    if has_collections(facts):
        also = " by itself" if family > 1 else ""
        legend += (
            f". Each collection, and macro, is tested{also}, with no correction for the number of "
            "collections"
        )
        if facts["for_new"] == COLLECTIONS:
            legend += f". {of_single(facts)}"
    if "paired_repeats" in facts:
        legend += ". Repeats with the same name are paired"
    caution = named_test(facts["tests"][0]).caution if len(compared.runs) > 2 else ""
    if caution:
        legend += f". {caution}"
    about_runs = [compared.missing_among(compared.runs), _with_one_repeat(compared)]
    return " ".join(filter(None, [f"{legend}.", *about_runs]))


def _with_one_repeat(compared: Compared) -> str:
    """Return a sentence about the runs without repeats among runs with repeats; empty: none is."""
    names: dict[str, None] = {}
    for first, *_ in compared.of_all.pairs:
        if first.doubts & Doubt.ONE_REPEAT:
            own = ((first.run, first.repeats), (first.baseline, first.baseline_repeats))
            names.update((run, None) for run, repeats in own if repeats == 1)
    if not names:
        return ""
    return f"One repeat only, treated as the same each time: {listed([*names], _LISTED)}."


def judged_by(compared: Compared) -> str:
    """Return when p is significant: `< 0.05 by the paired t test, Holm over 7 comparisons`."""
    facts, number = compared.facts, compared.family
    test = named_test(facts["tests"][0])
    alpha = f"{alpha_of(facts['levels'][0]):g}"
    if by_max_t(facts):
        strict = " (strict)" if "max_t" in facts else ""
        return f"≤ {alpha} by {MAX_T}{strict}{f' over {number} comparisons' if number > 1 else ''}"
    words = test.words if compared.paired else "Welch t test"
    if has_bounds(facts):
        words = "t test, however unjudged documents would be judged"
    if has_judge(facts):
        words = "t test of both judges' differences"
    if number == 1:
        family = ""
    elif test.simultaneous:
        family = f", for all {count(len(compared.runs), 'run')} at once"
    elif facts["correct"] == "none":
        family = f", not corrected for {number} comparisons"
    else:
        family = f", {CORRECTION_NAMES[facts['correct']]} correction for {number} comparisons"
    return f"< {alpha} by the {words}{family}"


def _tables_of_meta(rows: Sequence[CompareRow], facts: Facts) -> list[Table]:
    """Return a table for each measure of what meta-analyses of the collections say."""
    tables = []
    for measure, group in groupby(rows, lambda row: row.measure):
        by_level: dict[tuple[int, int, str], list[CompareRow]] = {}
        for row in group:
            by_level.setdefault((row.place, row.baseline_place, row.method), []).append(row)
        of_levels = [*by_level.values()]
        first = [levels[0] for levels in of_levels]
        intervals = [
            Column(percent(level), [Interval(row[place].low, row[place].high) for row in of_levels])
            for place, level in enumerate(facts["levels"])
        ]
        number = count(facts["collections"], "collection")
        tables.append(
            Table(
                f"{measure}, random-effects meta-analysis of {number}",
                [
                    Column("run", [row.run for row in first]),
                    Column("baseline", [row.baseline for row in first]),
                    Column("method", [row.method for row in first]),
                    Column("difference", [row.difference for row in first]),
                    *intervals,
                    Column("p", [Probability(row.p[_T]) for row in first], legend=_ABOUT_META),
                    Column("τ²", [row.tau2 for row in first], significant=True, optional=True),
                    Column("I²", [row.i2 for row in first], optional=True),
                    Column("note", [row.note for row in first]),
                ],
            )
        )
    return tables


def _of_baseline(rows: PairTable[CompareRow]) -> list[Cell]:
    """Return the cells of a sentence on how many runs are better or worse than their baseline.

    Of a few runs, how each of them compares.
    """
    facts, pairs = rows.of_measure.facts, rows.pairs
    if len(pairs) <= TOLD_ONE_BY_ONE:
        return _one_by_one(pairs, rows.of_measure)
    whom = where(rows.firsts[0], facts)
    before = ""
    if not whom.startswith(","):  # in one of several collections
        before, whom = whom.lstrip(), ""
    significant = [first for first in rows.firsts if first.is_marked]
    better = sum(first.difference > 0 for first in significant)
    worse = sum(first.difference < 0 for first in significant)
    name = pairs[0][0].baseline
    if not better + worse or not _is_about_means(facts):
        apart = len(significant) or "None"
        told = f"{apart} of {count(len(pairs), 'run')} can be told apart from {name}{whom}."
        return [_beginning(before, told)]
    are = f"{'is' if better <= 1 else 'are'} significantly"
    lead = f"{better or 'None'} of {count(len(pairs), 'run')} {are} better than {name}"
    if not worse:
        return [_beginning(before, f"{lead}, and none is worse{whom}.")]
    return [_beginning(before, f"{lead}, and {worse} {'is' if worse == 1 else 'are'} worse{whom}.")]


def _beginning(words: str, sentence: str) -> str:
    """Return a sentence that begins with some words, if there are any: `In news, none of …`."""
    if not words:
        return sentence
    return f"{words[0].upper()}{words[1:]}, {sentence[0].lower()}{sentence[1:]}"


def within_margin(firsts: Sequence[CompareRow], facts: Facts) -> list[Cell]:
    """Return the cells of a sentence on what is shown of a margin.

    Of one pair, `dense is not worse than bm25 by more than 0.01: p = 0.0030.`; of several, how many
    are, and how many are undecided.
    """
    margin = f"{facts['margin']:.15g}"
    if len(firsts) > 1:
        return _counted(firsts, margin)
    (row,) = firsts
    run, baseline, verdict = row.run, row.baseline, row.shown
    p: list[Cell] = [Probability(row.p_noninferior, named=True), "."]
    if verdict is Verdict.EQUIVALENT:
        p = [Probability(row.p_equivalent, named=True), "."]
        return [f"{run} and {baseline} are equivalent within ±{margin}: ", *p]
    if verdict in (Verdict.SUPERIOR, Verdict.NOT_INFERIOR):
        more = "" if verdict is Verdict.NOT_INFERIOR else ", and it is better by more than that"
        return [f"{run} is not worse than {baseline} by more than {margin}{more}: ", *p]
    if verdict is Verdict.INFERIOR:
        return [f"{run} is worse than {baseline} by more than {margin}."]
    return [f"Whether {run} is worse than {baseline} by more than {margin} is open: ", *p]


def _counted(firsts: Sequence[CompareRow], margin: str) -> list[Cell]:
    """Return the cells of a sentence on how many pairs are within a margin, or beyond it."""
    numbers = Counter(row.shown for row in firsts)
    within, beyond = numbers[Verdict.EQUIVALENT], numbers[Verdict.SUPERIOR]
    good = within + beyond + numbers[Verdict.NOT_INFERIOR]
    worse = numbers[Verdict.INFERIOR]
    left = len(firsts) - good - worse
    details = [
        f"{number} {word}" for number, word in ((within, "equivalent"), (beyond, "better by more"))
        if number
    ]  # fmt: skip
    clauses = [
        f"Each by itself, {good} of {len(firsts)} {'is' if good == 1 else 'are'} shown not to be "
        f"worse by more than {margin}{f' ({series(details)})' if details else ''}"
    ]
    are = "are" if worse > 1 else "is"
    clauses += [f"{worse} {are} shown to be worse by more than that"] if worse else []
    clauses += [f"{left} {'are' if left > 1 else 'is'} undecided"] if left else []
    return [f"{series(clauses)}."]


def _is_about_means(facts: Facts) -> bool:
    """Say whether a significant difference means that the run with the better mean is better."""
    return named_test(facts["tests"][0]).of_means


def _of_all_pairs(compared: Compared) -> list[Cell]:
    """Return the cells of a sentence on how many pairs can be told apart.

    Of a few pairs, how the runs of each compare.
    """
    if len(compared.pairs) <= TOLD_ONE_BY_ONE:
        return _one_by_one(compared.pairs, compared)
    apart, pairs = sum(first.is_marked for first, *_ in compared.pairs), len(compared.pairs)
    which = f"All {pairs}" if apart == pairs else f"{apart or 'None'} of the {pairs}"
    whom = f", {for_whom(compared.facts)}" if for_whom(compared.facts) else ""
    return [f"{which} pairs of runs can be told apart{whom}."]


def _one_by_one(pairs: Sequence[Pair], compared: Compared) -> list[Cell]:
    """Return the cells of a sentence on each of a few pairs; where they hold is said once."""
    cells: list[Cell] = []
    for place, pair in enumerate(pairs):
        cells += [" "] if cells else []
        cells += _of_pair(pair, compared, with_place=not place)
    return cells


def _of_pair(pair: Pair, compared: Compared, *, with_place: bool) -> list[Cell]:
    """Return the cells of a sentence on one run and another, by the first method and level.

    It begins with the place where the result holds, such as a collection, if it is `with_place`.
    """
    facts = compared.facts
    level = facts["levels"][0]
    at_first_level = [row for row in pair if row.level == level]
    first = at_first_level[0]
    run, baseline = first.run, first.baseline
    if all(row.doubts & Doubt.IDENTICAL for row in at_first_level):
        return [f"{run} and {baseline} have the same scores on all topics."]
    decisive = [
        row
        for row in at_first_level
        if (row.method == MAX_T and by_max_t(facts)) or row.method == BONFERRONI_T
    ]
    row = (decisive or at_first_level)[0]
    within: list[Cell] = [
        f"with {percent(level)} confidence ({row.method}) between ", row.low, " and ", row.high
    ]  # fmt: skip
    if not (math.isfinite(row.low) and math.isfinite(row.high)):
        within = [f"{_too_little(row)} for {percent(level)} limits ({row.method})"]
    if not row.is_marked:
        verdict = f"{run} and {baseline} cannot be told apart"
    elif not _is_about_means(facts):
        verdict = f"{run} and {baseline} can be told apart"
    else:
        better = "better" if row.difference > 0 else "worse"
        verdict = f"{run} is significantly {better} than {baseline}"
    p = Probability(_p(first, facts), named=True)
    by = f" ({CORRECTION_NAMES[facts['correct']]})" if _is_corrected(compared) else ""
    what = "the difference"
    if with_place and (whom := where(row, facts).lstrip(", ")):
        verdict = f"{whom[0].upper()}{whom[1:]}, {verdict}"
    if row.collections:
        what = "the mean of their differences"
    if has_bounds(facts):
        between: list[Cell] = [row.least_difference, " and ", row.largest_difference]
        on_these = f"{verdict}: on these topics, {what} could be between "
        return [on_these, *between, ", ", *within, "; ", p, f"{by}."]
    return [f"{verdict}: {what} is ", row.difference, ", ", *within, "; ", p, f"{by}."]


def _is_corrected(compared: Compared) -> bool:
    """Say whether p is corrected for several comparisons, or comes from max-t, as intervals do."""
    facts = compared.facts
    if by_max_t(facts):
        return True
    test = named_test(facts["tests"][0])
    return compared.family > 1 and facts["correct"] != "none" and not test.simultaneous


def _too_little(row: CompareRow) -> str:
    """Return a sentence that says why a pair has no limits at the first level."""
    if not row.enough_topics:
        return "too few topics"
    if row.doubts & Doubt.FEW_DIFFERENCES:
        return "the runs differ on too few topics"
    return "the differences vary too little"


def _in_general(by_measure: Sequence[Compared]) -> list[Cell]:
    """Return the cells of a sentence on the confidence of several comparisons together.

    It is empty for one pair.
    """
    facts = by_measure[0].facts
    one_by_one = [name for name in facts["methods"] if name not in (MAX_T, BONFERRONI_T)]
    measures = " There is no correction for several measures." if len(by_measure) > 1 else ""
    if max(compared.family for compared in by_measure) == 1 or not one_by_one:
        return [measures.strip()] if measures else []
    levels = facts["levels"]
    level = f"{percent(levels[0])} confidence" if len(levels) == 1 else "its confidence"
    *others, last = one_by_one
    names = f"{', '.join(others)} or {last}" if others else last
    alone = f"Each {names} interval is meant to have {level} on its own"
    at_once = {MAX_T, BONFERRONI_T} & {*facts["methods"]}
    if at_once or not by_measure[0].paired:
        return [f"{alone}; all of them together have less.{measures}"]
    return [
        f"{alone}; use --simultaneous for intervals that hold for all comparisons at once, "
        f"approximately.{measures}"
    ]
