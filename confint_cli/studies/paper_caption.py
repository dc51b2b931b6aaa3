"""The caption of a paper's table: topics, method, level, test, correction, in words.

Outputs add what is in bold, and the signature. Where marks and intervals are not made by the same
rule, so that they may disagree, the caption says so; and where they do, for which systems.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from confint_cli.common.paper import BELOW, NONE
from confint_cli.common.text import count, listed
from confint_cli.common.words import alpha_of, percent, series
from confint_cli.scores.labels import MACRO
from confint_cli.stats.flags import Doubt
from confint_cli.stats.names import BONFERRONI_T, MAX_T
from confint_cli.stats.significance import named_test, tests
from confint_cli.studies.answer import Answer
from confint_cli.studies.compare_view import CORRECTION_NAMES, judged_by
from confint_cli.studies.doubts import missing_in_words, serious, words_of
from confint_cli.studies.facts import Facts
from confint_cli.studies.pairing_view import MeasurePairs
from confint_cli.studies.rows import CompareRow, IntervalRow
from confint_cli.studies.scope import (
    COLLECTIONS,
    for_whom,
    has_bounds,
    has_collections,
    has_judge,
    has_repeats,
    of_single,
    topics_of,
)

BETTER, WORSE = "†", "‡"
_AT_ONCE = (MAX_T, BONFERRONI_T)  # methods whose intervals hold for all comparisons at once
_LISTED = 4  # systems that a sentence names, at most
_SHORT = {
    "p_adjusted": "p adj.", "p_noninferior": "p not worse", "p_equivalent": "p equiv.",
    "glass_delta": "Δ", "hedges_gz": "gz", "hedges_g": "g", "difference": "diff.",
    "glass_low": "Δ", "hedges_gz_low": "gz", "hedges_g_low": "g", "human_low": "people",
}  # fmt: skip
"""Columns that are called otherwise than their fields, without underscores."""


@dataclass(frozen=True)
class Shown:
    """What stands for each measure, and where intervals do."""

    names: tuple[str, ...]  # of fields; a `low` stands for both limits
    place: str  # of intervals that have no column of their own: BELOW, BESIDE or NONE
    transposed: bool = False  # whether systems are the columns

    @property
    def marked(self) -> str:
        """The field whose values have marks; empty: there are no marks."""
        return next((name for name in ("mean", "difference") if name in self.names), "")

    @property
    def has_limits(self) -> bool:
        """Whether there are intervals of means or differences."""
        return self.place != NONE or "low" in self.names


def is_apart(row: CompareRow) -> bool:
    """Say whether a pair is marked: the runs differ significantly, and one mean is larger."""
    return row.is_marked and row.difference != 0


@dataclass(frozen=True)
class _Pairs:
    """The comparisons that a table shows."""

    compared: Sequence[MeasurePairs[CompareRow]]  # all by each measure of the table
    rows: Sequence[CompareRow]
    facts: Facts
    shown: Shown


def name_of_column(name: str, level: float) -> str:
    """Return how a column of a field is called."""
    if name == "low":
        return percent(level)
    named = _SHORT.get(name, name.replace("_", " "))
    return f"{named} {percent(level)}" if name.endswith("_low") else named


def title_of_paper(rows: Sequence[Any], systems: Sequence[str]) -> str:
    """Return what the table is of: `map and P@10 of 3 systems`."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    return f"{series(measures)} of {count(len(systems), 'system')}"


def caption_of_means(
    answer: Answer[IntervalRow], rows: Sequence[IntervalRow], systems: Sequence[str], shown: Shown
) -> list[str]:
    """Return the sentences about a table of means with their intervals."""
    facts = answer.facts
    what = f"{_confidence(facts)} interval of the mean ({facts['methods'][0]})"
    return _without_empty([
        _about_means(rows, systems, facts, shown),
        f"{_where(shown)}: the {what}, each by itself." if shown.has_limits else "",
        *_ending(answer, rows, [(row.run, row.measure, row.missing) for row in rows]),
    ])  # fmt: skip


def caption_of_pairs(
    answer: Answer[CompareRow],
    rows: Sequence[CompareRow],
    systems: Sequence[str],
    compared: Sequence[MeasurePairs[CompareRow]],
    shown: Shown,
) -> list[str]:
    """Return the sentences about a table of runs that are compared.

    `compared` are all comparisons by each measure of the table.
    """
    facts = answer.facts
    table = _Pairs(compared, rows, facts, shown)
    missing = [
        (run, pairs.first.measure, topics)
        for pairs in compared
        for run, topics in pairs.missing.items()
    ]
    return _without_empty([
        _about_means(rows, systems, facts, shown),
        *_about_marks(table),
        *(_about_differences(table) if len(facts["pairs"]) == 1 else []),
        *_about_columns(facts, shown),
        *_ending(answer, rows, missing),
    ])  # fmt: skip


def _without_empty(sentences: Sequence[str]) -> list[str]:
    return [sentence for sentence in sentences if sentence]


# What it is of


def _about_means(rows: Sequence[Any], systems: Sequence[str], facts: Facts, shown: Shown) -> str:
    """Return what stands in the table: `Mean map of 3 systems over 50 topics`."""
    mean = "Mean " if "mean" in shown.names else ""
    return f"{mean}{title_of_paper(rows, systems)}{_over(rows, facts, shown)}."


def _over(rows: Sequence[Any], facts: Facts, shown: Shown) -> str:
    """Return over which topics: ` over 50 topics`; ` on 3 collections of 20 to 50 topics, …`."""
    whom = f", {for_whom(facts)}" if for_whom(facts) else ""
    if has_repeats(facts):
        whom += f" ({_repeats_of(rows)})"
    if has_collections(facts):
        sizes = [row.topics for row in rows if not row.collections]
        number = count(facts["collections"], "collection")
        without = facts["collections"] - len({row.collection for row in rows}) + 1
        if without:  # an error of its own, which a warning told
            own = "row" if shown.transposed else "column"
            whom += f"; {count(without, 'collection')} too small for a {own}"
        return (
            f" on {number} of {_from_to(sizes)} topics{whom}; {MACRO} is the mean of the "
            "collections' means"
        )
    if not facts.get("paired", True):
        sizes = [number for row in rows for number in (row.topics, row.baseline_topics)]
        return f", each on its own topics ({_from_to(sizes)})"
    if has_judge(facts):
        by_people = f"{rows[0].human_topics} of them judged by people"
        return f" over {count(rows[0].topics, 'topic')}, {by_people}{whom}"
    by_measure = {row.measure: topics_of(facts, row.topics) for row in reversed(rows)}
    if len({*by_measure.values()}) == 1:
        return f" over {topics_of(facts, rows[0].topics)}{whom}"
    texts = [f"{text} ({measure})" for measure, text in reversed(by_measure.items())]
    return f" over {series(texts)}{whom}"


def _repeats_of(rows: Sequence[Any]) -> str:
    """Return `5 repeats of each system`; or `5 repeats of dense and hybrid; 1 of bm25`."""
    repeats = {row.run: row.repeats for row in rows}
    for row in rows:
        if row.is_of_pair:
            repeats.setdefault(row.baseline, row.baseline_repeats)
    by_number: dict[int, list[str]] = {}
    for run, number in repeats.items():
        by_number.setdefault(number, []).append(run)
    most, *fewer = sorted(by_number, reverse=True)
    of = [
        "each system" if len(by_number) == 1
        else series(runs) if len(runs) <= _LISTED else listed(runs, _LISTED)
        for runs in (by_number[number] for number in (most, *fewer))
    ]  # fmt: skip
    rest = [f"{number} of {runs}" for number, runs in zip(fewer, of[1:], strict=True)]
    return "; ".join([f"{count(most, 'repeat')} of {of[0]}", *rest])


def _from_to(numbers: Sequence[int]) -> str:
    """Return `50`, or `20 to 50`."""
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def _confidence(facts: Facts) -> str:
    return f"{percent(facts['levels'][0])} confidence"


def _where(shown: Shown) -> str:
    """Return where intervals and differences stand."""
    if shown.place == BELOW:
        return "Below each mean"
    return "Beside each mean" if "mean" in shown.names else "For each system"


# What marks mean


def _about_marks(table: _Pairs) -> list[str]:
    """Return what marks mean, by which test and after which correction."""
    compared, facts = table.compared, table.facts
    if not table.shown.marked:
        return []
    texts = {pairs.first.measure: judged_by(pairs) for pairs in compared}
    judged = f"p {next(iter(texts.values()))}"
    if len({*texts.values()}) > 1:
        judged = "; ".join(f"on {measure}, p {text}" for measure, text in texts.items())
    marked = [*filter(is_apart, table.rows)]
    baselines = facts["pairs"]
    if not marked:
        sentences = [f"No difference is significant, {judged}."]
    elif len(baselines) != 1:
        sentences = [f"Superscripts name the systems that a mean is significantly above, {judged}."]
    else:
        better, worse = (any(sign * row.difference > 0 for row in marked) for sign in (1, -1))
        words = [f"{BETTER} significantly above"] * better + [
            f"{WORSE} significantly below"
        ] * worse
        sentences = [f"{series(words)} the mean of {baselines[0]}, {judged}."]
    if len(baselines) > 1:
        sentences.append(f"Systems are compared with {series(baselines)} only.")
    if not named_test(facts["tests"][0]).of_means:
        sentences.append("The test is not about means: marks show which of the means is larger.")
    if len(compared) > 1:
        sentences.append("There is no correction for the number of measures.")
    if has_collections(facts):
        sentences.append("There is no correction for the number of collections.")
        if facts["for_new"] == COLLECTIONS:
            about = of_single(facts)
            sentences.append(
                f"{about if table.shown.transposed else about.replace('Rows', 'Columns', 1)}."
            )
    return sentences


def _about_differences(table: _Pairs) -> list[str]:
    """Return what differences and their intervals are, and whether these contradict marks."""
    facts, shown = table.facts, table.shown
    (baseline,) = facts["pairs"]
    has_difference = "difference" in shown.names or shown.place != NONE
    if not shown.has_limits:
        return [f"{_where(shown)}: the difference from {baseline}."] if has_difference else []
    method = facts["methods"][0]
    what = f"{_confidence(facts)} interval"
    what = (
        f"difference from {baseline}, and its {what}" if has_difference
        else f"{what} of the difference from {baseline}"
    )  # fmt: skip
    at_once = "all on one measure at once" if method in _AT_ONCE else "each by itself"
    sentences = [f"{_where(shown)}: the {what} ({method}), {at_once}."]
    return [*sentences, *_disagreement(table)]


def _disagreement(table: _Pairs) -> list[str]:
    """Return that marks and intervals follow different rules, and where they disagree."""
    rows, facts = table.rows, table.facts
    if not table.shown.marked:
        return []
    method, correction = facts["methods"][0], facts["correct"]
    apart = [
        row for row in rows
        if not math.isnan(row.low) and row.is_marked != (row.low > 0 or row.high < 0)
    ]  # fmt: skip
    is_corrected = correction != "none" or named_test(facts["tests"][0]).simultaneous
    several = max(pairs.family for pairs in table.compared) > 1
    if is_corrected and method not in _AT_ONCE and several:
        what = "Marks are" if any(row.is_marked for row in rows) else "p is"
        why = f"{what} corrected for several comparisons, intervals are not"
    elif apart:
        why = f"Marks and intervals ({method}) follow different rules"
    else:
        return []
    if not apart:
        return [f"{why}."]
    names = [_name_among(row, rows, facts) for row in apart]
    return [f"{why}: they disagree on {listed(names, _LISTED)}."]


def _name_among(row: CompareRow, rows: Sequence[CompareRow], facts: Facts) -> str:
    """Return the name of a system, with the measure or collection if there are several."""
    if has_collections(facts):
        return f"{row.run} ({row.collection})"
    return f"{row.run} ({row.measure})" if len({each.measure for each in rows}) > 1 else row.run


def _about_adjusted(facts: Facts) -> str:
    """Return what adjusted p-values are; empty, if there are none."""
    first, correction = facts["tests"][0], facts["correct"]
    if correction == MAX_T:
        return f"p adj.: p by {MAX_T}"
    if correction in CORRECTION_NAMES:
        return f"p adj.: p of the first test ({first}), {CORRECTION_NAMES[correction]} correction"
    return f"p adj.: p of the first test ({first})" if named_test(first).simultaneous else ""


def _about_columns(facts: Facts, shown: Shown) -> list[str]:
    """Return what columns are that their names do not explain."""
    level = percent(facts["levels"][0])
    meanings = {
        **{f"p_{name}": f"p {name}: by the {test.words}" for name, test in tests().items()},
        "p_adjusted": _about_adjusted(facts),
        "glass_delta": "Δ: the difference divided by the sd of the baseline's scores (Glass)",
        "hedges_gz": "gz: the difference divided by the sd of the differences, corrected for bias "
        "(Hedges)",
        "hedges_g": "g: the difference divided by the pooled sd, corrected for bias (Hedges)",
        "glass_low": f"Δ {level}: its interval by the jackknife",
        "hedges_gz_low": f"gz {level}: its interval by noncentral t",
        "hedges_g_low": f"g {level}: its interval by noncentral t",
        "wins": "wins, ties, losses: numbers of topics",
    }
    sentences = [f"{meanings[name]}." for name in shown.names if meanings.get(name)]
    about_margin = {
        "p_noninferior": "p not worse",
        "p_equivalent": "p equiv.",
        "verdict": "Verdict",
    }
    used = [text for name, text in about_margin.items() if name in shown.names]
    if used:
        alpha = f"{alpha_of(facts['levels'][0]):g}"
        sentences.append(
            f"{series(used)}: about a margin of {facts['margin']:.15g}, by one-sided t tests at "
            f"{alpha}, each by itself."
        )
    return sentences


# What else there is to know


def _ending(
    answer: Answer[Any], rows: Sequence[Any], missing: Sequence[tuple[str, str, int]]
) -> list[str]:
    """Return doubts about systems, topics that are missing of run and measure, and remarks."""
    return [
        _about_doubts(rows),
        _about_missing(missing),
        "Means count unjudged documents as not relevant." if has_bounds(answer.facts) else "",
        *answer.remarks,
    ]


def _about_missing(missing: Sequence[tuple[str, str, int]]) -> str:
    """Return a sentence on the topics that runs lack, by measure where it matters."""
    by_run: dict[str, dict[str, int]] = {}
    for run, measure, topics in missing:
        by_run.setdefault(run, {})[measure] = topics
    numbers: dict[str, int] = {}
    for run, by_measure in by_run.items():
        if len({*by_measure.values()}) == 1:
            numbers[run] = next(iter(by_measure.values()))
        else:
            numbers |= {f"{run} on {measure}": topics for measure, topics in by_measure.items()}
    return missing_in_words(numbers)


def _about_doubts(rows: Sequence[Any]) -> str:
    """Return the notes that rows have, with the systems or pairs: `Note: skewed (dense-v2)`.

    Those of one of several collections have its name: `Note: skewed (dense-v2 on news)`.
    """
    has_pairs = len({getattr(row, "baseline", "") for row in rows}) > 1
    names = [
        (f"{row.run} and {row.baseline}" if has_pairs else row.run)
        + (f" on {row.collection}" if row.collection and not row.collections else "")
        for row in rows
    ]
    by_word: dict[str, dict[str, None]] = {}
    for name, row in zip(names, rows, strict=True):
        for word in words_of(serious(row.doubts) & ~int(Doubt.ONE_REPEAT)):  # told already
            by_word.setdefault(word, {})[name] = None
    notes = [
        f"{word} ({'all' if len(named) == len({*names}) > 1 else listed([*named], _LISTED)})"
        for word, named in by_word.items()
    ]
    return f"Note: {', '.join(notes)}." if notes else ""
