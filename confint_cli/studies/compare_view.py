"""Comparisons, and how people read them: a row for each run, and the result in words."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.table import Cell, Column, Interval, Marked, Probability, Table
from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.stats.comparison import Comparison, Testing
from confint_cli.stats.flags import Doubt
from confint_cli.stats.pairs import pairs_among
from confint_cli.stats.significance import named_test
from confint_cli.stats.simultaneous import NAME as MAX_T
from confint_cli.studies.doubts import note_by_methods
from confint_cli.studies.pairing import PairedRuns, PairRows

CORRECTION_NAMES = {  # in a sentence; max-t is no correction of p-values, but has its own
    "max-t": "max-t",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "bonferroni": "Bonferroni",
}
_SIGNIFICANT = "*"


@dataclass(frozen=True)
class Compared:
    """Pairs of runs by one measure, and the intervals and p-values of each."""

    pairs: PairedRuns
    comparison: Comparison
    levels: tuple[float, ...]
    testing: Testing

    @property
    def family(self) -> int:
        """How many comparisons p-values hold for.

        For a test of all runs at once, these are all pairs of runs, also with one baseline.
        """
        if named_test(self.testing.tests[0]).simultaneous:
            return pairs_among(len(self.pairs.runs))
        return self.pairs.family

    @property
    def alpha(self) -> float:
        """The p-value below which a difference is called significant, by the first level."""
        return float(1 - Decimal(repr(self.levels[0])))  # 1 - 0.9 is no 0.1 in floats

    @property
    def p_values(self) -> FloatArray:
        """The p-values that decide, [pair]: those of the first test, after correction."""
        adjusted = self.comparison.adjusted
        return self.comparison.p[self.testing.tests[0]] if adjusted is None else adjusted

    @property
    def significant(self) -> BoolArray:
        """Which differences are more than chance, after correction (bool, [pair]).

        By max-T, a p of α itself is significant too: then the interval leaves 0 out.
        """
        p = self.p_values
        significant: BoolArray = p <= self.alpha if self.by_max_t else p < self.alpha
        return significant

    @property
    def by_max_t(self) -> bool:
        """Whether max-T decides which differences are significant."""
        return self.testing.correction == MAX_T


def views(compared: Compared, *, alone: bool) -> Iterator[Table]:
    """Yield a table for each baseline, or one of all pairs.

    `alone` is whether there is only one pair by each measure, which needs no correction.
    """
    legend = _legend(compared)
    for rows in compared.pairs.by_baseline():
        sentence = (
            _of_baseline(compared, rows.places) if rows.with_baseline else _of_all_pairs(compared)
        )
        columns = _columns(compared, rows, alone=alone)
        yield Table(
            f"{compared.pairs.title}, {rows.which}", columns, legend=legend, sentence=sentence
        )


def _columns(compared: Compared, rows: PairRows, *, alone: bool) -> list[Column]:
    """Return the columns of a table with a row for each of some pairs."""
    figures, comparison = compared.pairs.differences, compared.comparison
    significant, testing = compared.significant, compared.testing
    pairs, column = rows.places, rows.column
    columns = rows.beginning()
    marks = (_SIGNIFICANT if significant[pair] else "" for pair in pairs)
    differences = figures.difference[pairs].tolist()
    columns.append(
        column("difference", [Marked(d, mark) for d, mark in zip(differences, marks, strict=True)])
    )
    for method, limits in comparison.limits.items():
        for place, level in enumerate(compared.levels):
            ends = zip(limits.low[place, pairs], limits.high[place, pairs], strict=True)
            columns.append(column(f"{method} {percent(level)}", [Interval(*end) for end in ends]))
    for name in testing.tests:
        header = "p" if len(testing.tests) == 1 else f"p {name}"
        p_values = [Probability(p) for p in comparison.p[name][pairs].tolist()]
        columns.append(column(header, p_values, optional=True))
    is_corrected = not (alone or named_test(testing.tests[0]).simultaneous) or compared.by_max_t
    if comparison.adjusted is not None and is_corrected:
        adjusted = [Probability(p) for p in comparison.adjusted[pairs].tolist()]
        columns.append(column(f"p {CORRECTION_NAMES[testing.correction]}", adjusted))
    header, hedges = (
        ("Hedges' gz", figures.hedges_gz)
        if compared.pairs.paired
        else ("Hedges' g", figures.hedges_g)
    )
    columns += [
        column("Glass's Δ", figures.glass_delta[pairs].tolist(), optional=True),
        column(header, hedges[pairs].tolist(), optional=True),
    ]
    if figures.outcomes is not None:
        results = ["/".join(map(str, figures.outcomes[:, pair])) for pair in pairs]
        columns.append(column("W/T/L", results, own="", optional=True))
    notes = [
        note_by_methods(
            [
                (method, doubts)
                for method, by_level in comparison.doubts.items()
                for doubts in by_level[:, pair].tolist()
            ]
        )
        for pair in pairs
    ]
    columns.append(column("note", notes, own=""))
    return columns


def _legend(compared: Compared) -> str:
    """Explain the mark of significance, with its family, and what speaks against it."""
    family = compared.pairs.family
    mark = f"{_SIGNIFICANT} p" if compared.significant.any() else "No p"
    legend = f"{mark} {judged_by(compared)}"
    if MAX_T in compared.comparison.limits and family > 1:
        every = "both" if family == 2 else f"all {family}"
        strict = " (strict)" if compared.testing.strict else ""
        legend += f". {MAX_T} intervals{strict} hold for {every} at once, approximately"
    if MAX_T in compared.comparison.limits and not compared.by_max_t:
        legend += "; p is not by them, and may say otherwise"
    caution = named_test(compared.testing.tests[0]).caution if len(compared.pairs.runs) > 2 else ""
    if caution:
        legend += f". {caution}"
    return " ".join(filter(None, [f"{legend}.", compared.pairs.missing_among(compared.pairs.runs)]))


def judged_by(compared: Compared) -> str:
    """Return when p is significant: `< 0.05 by the paired t test, Holm over 7 comparisons`."""
    testing = compared.testing
    test = named_test(testing.tests[0])
    number = compared.pairs.family
    if compared.by_max_t:
        return (
            f"≤ {compared.alpha:g} by {MAX_T}{f' over {number} comparisons' if number > 1 else ''}"
        )
    words = test.words if compared.pairs.paired else "Welch t test"
    if number == 1:
        family = ""
    elif test.simultaneous:
        family = f", of all {count(len(compared.pairs.runs), 'run')} at once"
    elif testing.correction == "none":
        family = f", not corrected for {number} comparisons"
    else:
        family = f", {CORRECTION_NAMES[testing.correction]} over {number} comparisons"
    return f"< {compared.alpha:g} by the {words}{family}"


def _of_baseline(compared: Compared, pairs: Positions) -> list[Cell]:
    """Return the cells of a sentence on how many runs are better or worse than their baseline.

    Of one run, how it compares.
    """
    if len(pairs) == 1:
        return _of_pair(compared, int(pairs[0]))
    significant = compared.significant
    better = int((significant & (compared.pairs.differences.difference > 0))[pairs].sum())
    worse = int((significant & (compared.pairs.differences.difference < 0))[pairs].sum())
    _, name = compared.pairs.names(int(pairs[0]))
    if not better + worse or not _is_about_means(compared):
        apart = int(significant[pairs].sum()) or "None"
        return [f"{apart} of {count(len(pairs), 'run')} can be told apart from {name}."]
    are = f"{'is' if better <= 1 else 'are'} significantly"
    lead = f"{better or 'None'} of {count(len(pairs), 'run')} {are} better than {name}"
    if not worse:
        return [f"{lead}, none is worse."]
    return [f"{lead}, {worse} {'is' if worse == 1 else 'are'} worse."]


def _is_about_means(compared: Compared) -> bool:
    """Say whether a significant difference means that the run with the better mean is better."""
    return named_test(compared.testing.tests[0]).of_means


def _of_all_pairs(compared: Compared) -> list[Cell]:
    """Return the cells of a sentence on how many pairs can be told apart.

    Of one pair, how the runs compare.
    """
    if len(compared.pairs) == 1:
        return _of_pair(compared, 0)
    apart, pairs = int(compared.significant.sum()), len(compared.pairs)
    which = f"All {pairs}" if apart == pairs else f"{apart or 'None'} of the {pairs}"
    return [f"{which} pairs of runs can be told apart."]


def _of_pair(compared: Compared, pair: int) -> list[Cell]:
    """Return the cells of a sentence on one run and another, by the first method and level."""
    comparison = compared.comparison
    run, baseline = compared.pairs.names(pair)
    difference = float(compared.pairs.differences.difference[pair])
    if all(doubts[0, pair] & Doubt.IDENTICAL for doubts in comparison.doubts.values()):
        return [f"{run} and {baseline} have the same scores on all topics."]
    method = (
        MAX_T if compared.by_max_t and MAX_T in comparison.limits else next(iter(comparison.limits))
    )
    limits = comparison.limits[method]
    low, high = float(limits.low[0, pair]), float(limits.high[0, pair])
    within: list[Cell] = [
        f"with {percent(compared.levels[0])} confidence ({method}) between ", low, " and ", high
    ]  # fmt: skip
    if not (math.isfinite(low) and math.isfinite(high)):
        within = [
            f"{_too_little(compared, pair)} for limits of {percent(compared.levels[0])} ({method})"
        ]
    if not compared.significant[pair]:
        verdict = f"{run} and {baseline} cannot be told apart"
    elif not _is_about_means(compared):
        verdict = f"{run} and {baseline} can be told apart"
    else:
        verdict = (
            f"{run} is significantly {'better' if difference > 0 else 'worse'} than {baseline}"
        )
    p = Probability(float(compared.p_values[pair]), named=True)
    by = f" by {MAX_T}" if compared.by_max_t else ""
    return [f"{verdict}: the difference is ", difference, ", ", *within, "; ", p, f"{by}."]


def _too_little(compared: Compared, pair: int) -> str:
    """Return a sentence that says why a pair has no limits at the first level."""
    at_once = compared.comparison.at_once
    max_t = at_once.by_level[0] if at_once is not None else None
    if max_t is None or not max_t.enough_topics:
        return "too few topics"
    if max_t.few_differences[pair]:
        return "the runs differ on too few topics"
    return "the differences vary too little"


def in_general(by_measure: Sequence[Compared]) -> list[Cell]:
    """Return the cells of a sentence on the confidence of several comparisons together.

    It is empty for one pair.
    """
    limits = by_measure[0].comparison.limits
    one_by_one = [name for name in limits if name != MAX_T]
    measures = " Nothing is corrected for several measures." if len(by_measure) > 1 else ""
    if max(len(compared.pairs) for compared in by_measure) == 1 or not one_by_one:
        return [measures.strip()] if measures else []
    levels = by_measure[0].levels
    level = f"{percent(levels[0])} confidence" if len(levels) == 1 else "its confidence"
    *others, last = one_by_one
    names = f"{', '.join(others)} or {last}" if others else last
    alone = f"Each {names} interval is meant to have {level} by itself"
    if MAX_T in limits or not by_measure[0].pairs.paired:
        return [f"{alone}; all of them together have less.{measures}"]
    return [
        f"{alone}; --simultaneous gives intervals that hold for all comparisons at once, "
        f"approximately.{measures}"
    ]
