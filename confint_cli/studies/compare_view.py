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
    """Pairs of runs, and what intervals and tests found of each."""

    of: PairedRuns
    found: Comparison
    levels: tuple[float, ...]
    testing: Testing

    @property
    def family(self) -> int:
        """How many comparisons p-values hold for; all pairs of runs by a test of all of them."""
        if named_test(self.testing.tests[0]).simultaneous:
            return pairs_among(len(self.of.runs))
        return self.of.pairs.family

    @property
    def alpha(self) -> float:
        """The p-value below which a difference is called significant, by the first level."""
        return float(1 - Decimal(repr(self.levels[0])))  # 1 - 0.9 is no 0.1 in floats

    @property
    def p_values(self) -> FloatArray:
        """Those that decide: of the first test, after correction."""
        adjusted = self.found.adjusted
        return self.found.p[self.testing.tests[0]] if adjusted is None else adjusted

    @property
    def significant(self) -> BoolArray:
        """Which differences are more than chance, after correction.

        By max-t also those whose p is α itself: their intervals leave 0 out.
        """
        p = self.p_values
        significant: BoolArray = p <= self.alpha if self.by_max_t else p < self.alpha
        return significant

    @property
    def by_max_t(self) -> bool:
        """Whether max-T decides."""
        return self.testing.correction == MAX_T


def views(part: Compared, *, alone: bool) -> Iterator[Table]:
    """Yield a table for each baseline, or one of all pairs; `alone`: there is only one pair."""
    legend = _legend(part)
    for rows in part.of.by_baseline():
        sentence = _of_baseline(part, rows.places) if rows.with_baseline else _of_all_pairs(part)
        columns = _columns(part, rows, alone=alone)
        yield Table(f"{part.of.title}, {rows.which}", columns, legend=legend, sentence=sentence)


def _columns(part: Compared, rows: PairRows, *, alone: bool) -> list[Column]:
    """Return what there is to say about some pairs."""
    known, found, significant, testing = part.of.known, part.found, part.significant, part.testing
    pairs, column = rows.places, rows.column
    columns = rows.beginning()
    marks = (_SIGNIFICANT if significant[pair] else "" for pair in pairs)
    differences = known.difference[pairs].tolist()
    columns.append(
        column("difference", [Marked(d, mark) for d, mark in zip(differences, marks, strict=True)])
    )
    for method, limits in found.limits.items():
        for place, level in enumerate(part.levels):
            ends = zip(limits.low[place, pairs], limits.high[place, pairs], strict=True)
            columns.append(column(f"{method} {percent(level)}", [Interval(*end) for end in ends]))
    for name in testing.tests:
        header = "p" if len(testing.tests) == 1 else f"p {name}"
        shown = [Probability(p) for p in found.p[name][pairs].tolist()]
        columns.append(column(header, shown, optional=True))
    corrected = not (alone or named_test(testing.tests[0]).simultaneous) or part.by_max_t
    if found.adjusted is not None and corrected:
        adjusted = [Probability(p) for p in found.adjusted[pairs].tolist()]
        columns.append(column(f"p {CORRECTION_NAMES[testing.correction]}", adjusted))
    header, hedges = (
        ("Hedges' gz", known.hedges_gz) if part.of.paired else ("Hedges' g", known.hedges_g)
    )
    columns += [
        column("Glass's Δ", known.glass_delta[pairs].tolist(), optional=True),
        column(header, hedges[pairs].tolist(), optional=True),
    ]
    if known.outcomes is not None:
        results = ["/".join(map(str, known.outcomes[:, pair])) for pair in pairs]
        columns.append(column("W/T/L", results, own="", optional=True))
    notes = [
        note_by_methods(
            [(method, own) for method, by in found.doubts.items() for own in by[:, pair].tolist()]
        )
        for pair in pairs
    ]
    columns.append(column("note", notes, own=""))
    return columns


def _legend(part: Compared) -> str:
    """Explain the mark, name the family that it is corrected for, and say what it may hide."""
    number = part.of.pairs.family
    mark = f"{_SIGNIFICANT} p" if part.significant.any() else "No p"
    said = f"{mark} {judged_by(part)}"
    if MAX_T in part.found.limits and number > 1:
        every = "both" if number == 2 else f"all {number}"
        strict = " (strict)" if part.testing.strict else ""
        said += f". {MAX_T} intervals{strict} hold for {every} at once, approximately"
    if MAX_T in part.found.limits and not part.by_max_t:
        said += "; p is not by them, and may say otherwise"
    caution = named_test(part.testing.tests[0]).caution if len(part.of.runs) > 2 else ""
    if caution:
        said += f". {caution}"
    return " ".join(filter(None, [f"{said}.", part.of.missing_among(part.of.runs)]))


def judged_by(part: Compared) -> str:
    """Return `< 0.05 by the paired t test, Holm over 7 comparisons`: what p is, and of what."""
    testing = part.testing
    test = named_test(testing.tests[0])
    number = part.of.pairs.family
    if part.by_max_t:
        return f"≤ {part.alpha:g} by {MAX_T}{f' over {number} comparisons' if number > 1 else ''}"
    words = test.words if part.of.paired else "Welch t test"
    if number == 1:
        family = ""
    elif test.simultaneous:
        family = f", of all {count(len(part.of.runs), 'run')} at once"
    elif testing.correction == "none":
        family = f", not corrected for {number} comparisons"
    else:
        family = f", {CORRECTION_NAMES[testing.correction]} over {number} comparisons"
    return f"< {part.alpha:g} by the {words}{family}"


def _of_baseline(part: Compared, pairs: Positions) -> list[Cell]:
    if len(pairs) == 1:
        return _of_pair(part, int(pairs[0]))
    significant = part.significant
    better = int((significant & (part.of.known.difference > 0))[pairs].sum())
    worse = int((significant & (part.of.known.difference < 0))[pairs].sum())
    _, name = part.of.names(int(pairs[0]))
    if not better + worse or not _is_about_means(part):
        apart = int(significant[pairs].sum()) or "None"
        return [f"{apart} of {count(len(pairs), 'run')} can be told apart from {name}."]
    are = f"{'is' if better <= 1 else 'are'} significantly"
    lead = f"{better or 'None'} of {count(len(pairs), 'run')} {are} better than {name}"
    if not worse:
        return [f"{lead}, none is worse."]
    return [f"{lead}, {worse} {'is' if worse == 1 else 'are'} worse."]


def _is_about_means(part: Compared) -> bool:
    """Say whether a significant difference means that the run with the better mean is better."""
    return named_test(part.testing.tests[0]).of_means


def _of_all_pairs(part: Compared) -> list[Cell]:
    if len(part.of) == 1:
        return _of_pair(part, 0)
    apart, pairs = int(part.significant.sum()), len(part.of)
    which = f"All {pairs}" if apart == pairs else f"{apart or 'None'} of the {pairs}"
    return [f"{which} pairs of runs can be told apart."]


def _of_pair(part: Compared, pair: int) -> list[Cell]:
    """Say how one run compares with another, by the first method and level."""
    found = part.found
    run, baseline = part.of.names(pair)
    difference = float(part.of.known.difference[pair])
    if all(doubts[0, pair] & Doubt.IDENTICAL for doubts in found.doubts.values()):
        return [f"{run} and {baseline} have the same scores on all topics."]
    method = MAX_T if part.by_max_t and MAX_T in found.limits else next(iter(found.limits))
    limits = found.limits[method]
    low, high = float(limits.low[0, pair]), float(limits.high[0, pair])
    within: list[Cell] = [
        f"with {percent(part.levels[0])} confidence ({method}) between ", low, " and ", high
    ]  # fmt: skip
    if not (math.isfinite(low) and math.isfinite(high)):
        within = [f"{_too_little(part, pair)} for limits of {percent(part.levels[0])} ({method})"]
    if not part.significant[pair]:
        said = f"{run} and {baseline} cannot be told apart"
    elif not _is_about_means(part):
        said = f"{run} and {baseline} can be told apart"
    else:
        said = f"{run} is significantly {'better' if difference > 0 else 'worse'} than {baseline}"
    p = Probability(float(part.p_values[pair]), named=True)
    by = f" by {MAX_T}" if part.by_max_t else ""
    return [f"{said}: the difference is ", difference, ", ", *within, "; ", p, f"{by}."]


def _too_little(part: Compared, pair: int) -> str:
    """Say why a pair has no limits."""
    found = part.found.at_once.by_level[0] if part.found.at_once is not None else None
    if found is None or not found.enough_topics:
        return "too few topics"
    if found.few_differences[pair]:
        return "the runs differ on too few topics"
    return "the differences vary too little"


def in_general(parts: Sequence[Compared]) -> list[Cell]:
    """Say what intervals of several comparisons do not say."""
    limits = parts[0].found.limits
    single = [name for name in limits if name != MAX_T]
    measures = " Nothing is corrected for several measures." if len(parts) > 1 else ""
    if max(len(part.of) for part in parts) == 1 or not single:
        return [measures.strip()] if measures else []
    levels = parts[0].levels
    level = f"{percent(levels[0])} confidence" if len(levels) == 1 else "its confidence"
    *most, last = single
    names = f"{', '.join(most)} or {last}" if most else last
    said = f"Each {names} interval is meant to have {level} by itself"
    if MAX_T in limits or not parts[0].of.paired:
        return [f"{said}; all of them together have less.{measures}"]
    return [
        f"{said}; --simultaneous gives intervals that hold for all comparisons at once, "
        f"approximately.{measures}"
    ]
