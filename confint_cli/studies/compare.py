"""Is A better than B, and by how much?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.errors import Notice, advice, note, warning
from confint_cli.common.progress import Progress, no_progress, with_progress
from confint_cli.common.text import count, listed, visible
from confint_cli.common.words import alpha_of, rounded_up, whole_if_it_is
from confint_cli.scores.scores import Scores
from confint_cli.stats.comparison import Comparison, Testing, compare_paired, compare_unpaired
from confint_cli.stats.corrections import least_factor
from confint_cli.stats.effects import Effects, of_paired, of_unpaired
from confint_cli.stats.equivalence import Verdict, WithinMargin, of_bounds, of_differences
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt
from confint_cli.stats.methods import MOST_RESAMPLES
from confint_cli.stats.names import MAX_T
from confint_cli.stats.pairs import pairs_among
from confint_cli.stats.ppi_comparison import compare_powered
from confint_cli.stats.significance import named_test, tests
from confint_cli.studies.answer import Answer, Field, fields
from confint_cli.studies.bounds import ABOUT_BOUNDS, bounded_pairs, compare_bounded
from confint_cli.studies.checks import MeasureDoubts, about_differences, unusual_levels
from confint_cli.studies.collections import Part, over_collections, with_fields
from confint_cli.studies.columns import comparisons, joined, p_values
from confint_cli.studies.compare_meta import with_meta
from confint_cli.studies.compare_view import view
from confint_cli.studies.designs import (
    check_effects,
    check_tests,
    question_can_be_resampled,
    suited_to,
)
from confint_cli.studies.draws import DRAWS, RESAMPLES, check_simultaneous
from confint_cli.studies.facts import Facts, facts_of_estimation, facts_of_pairs, merged
from confint_cli.studies.judged import (
    best_by_both,
    check_whom,
    powered_runs,
)
from confint_cli.studies.limits import (
    are_drawn,
    intervals_of,
    largest_error,
    never_told_apart,
    too_few_draws,
    too_few_topics,
    too_uncertain,
)
from confint_cli.studies.pairing import (
    PairedRuns,
    RunMoments,
    could_be_paired,
    paired_runs,
    pairs_of_moments,
)
from confint_cli.studies.paper_view import compare_paper
from confint_cli.studies.rows import CompareRow
from confint_cli.studies.scope import TOPICS, designs_of, facts_of_design

Baselines = tuple[str, ...]  # empty: every two runs are compared
_BETTER_THAN_BONFERRONI = (
    "Holm's correction gives the same guarantee as Bonferroni's, with p-values that are never "
    "larger; use --correct holm"
)


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
        return alpha_of(self.levels[0])

    @property
    def adjusted(self) -> FloatArray | None:
        """The corrected p-values, [level, pair]; None, if none is corrected.

        Those of max-T agree with the intervals of the level; of others, all levels have the same.
        """
        comparison = self.comparison
        if comparison.adjusted is None:
            return None
        if self.by_max_t and comparison.at_once is not None:
            return comparison.at_once.p
        return np.broadcast_to(comparison.adjusted, (len(self.levels), len(self.pairs)))

    @property
    def significant(self) -> BoolArray:
        """Which differences are more than chance at each level, after correction, [level, pair].

        By max-T, a p of α itself is significant too: then the interval leaves 0 out.
        """
        p = self.comparison.p[self.testing.tests[0]] if self.adjusted is None else self.adjusted
        alphas = np.array([[alpha_of(level)] for level in self.levels])
        significant: BoolArray = p <= alphas if self.by_max_t else p < alphas
        return significant

    @property
    def by_max_t(self) -> bool:
        """Whether max-T decides which differences are significant."""
        return self.testing.correction == MAX_T

    @cached_property
    def within(self) -> WithinMargin | None:
        """What there is to say of the margin, if one was given."""
        if self.testing.margin is None:
            return None
        if self.pairs.between is not None:
            return of_bounds(self.pairs.between, self.testing.margin)
        return of_differences(self.pairs.differences, self.testing.margin)

    @cached_property
    def effects(self) -> Effects:
        """The limits of effect sizes, [level, pair] each, if they were asked for."""
        if not self.testing.effect_intervals:
            return {}
        levels = np.array(self.levels)
        if self.pairs.paired:
            return of_paired(self.pairs.on_same_topics, self.pairs.differences, levels)
        return of_unpaired(self.pairs.differences, levels)


def deciding(estimation: Estimation, testing: Testing) -> tuple[Estimation, Testing]:
    """Return the least that says which differences are significant: the first test and level."""
    return (
        replace(estimation, methods=("t",), levels=estimation.levels[:1]),
        replace(
            testing, tests=testing.tests[:1],
            simultaneous=False, margin=None, effect_intervals=False,
        ),
    )  # fmt: skip


def compare(
    scores: Scores,
    baselines: Baselines,
    estimation: Estimation,
    testing: Testing,
    *,
    paired: bool = True,
    paired_repeats: bool = False,
    for_new: str = TOPICS,
    meta: bool = False,
    best_first: bool = True,
    progress: Progress = no_progress,
) -> Answer[CompareRow]:
    """Return a record for each measure, pair of runs, method and level; of collections, for each.

    Runs are compared with each of `baselines`; if there is none, every two with each other. They
    are `paired` by their topics, or have topics of their own: then Welch's t test is the only one.
    With `paired_repeats`, repeats of one name are paired, too.
    `for_new` says whom a result over several collections is for; with `meta`, there is what a
    meta-analysis of them says. Without `best_first`, runs stay in the order in which they come.
    """
    check_tests(testing.tests, designs_of(scores))
    if testing.effect_intervals:
        check_effects(designs_of(scores))
    check_whom(scores, for_new)
    estimation = suited_to(scores, estimation, for_new)
    if scores.several:
        return _over_collections(
            scores, baselines, estimation, testing, paired_repeats=paired_repeats,
            for_new=for_new, meta=meta, best_first=best_first, progress=progress,
        )  # fmt: skip
    if paired and testing.at_once:
        check_simultaneous(estimation)
    if scores.judge is not None:
        pairs_by_measure, notices, remarks = powered_runs(
            scores, baselines, estimation.levels[0], best_first=best_first
        )
    else:
        remarks = ()
        pairs_by_measure, notices = paired_runs(
            scores, baselines, paired=paired, best_first=best_first,
            paired_repeats=paired_repeats, effects=testing.effect_intervals,
        )  # fmt: skip
    sampling: Facts = {"draws": estimation.draws} if testing.draws else {}

    def facts_if(*, drawn: bool) -> Facts:
        return {
            **facts_of_design(scores),
            **facts_of_estimation(estimation, scores, sampling, drawn=drawn),
            **facts_of_pairs(scores, baselines, paired=paired),
            **({"paired_repeats": True} if paired_repeats else {}),
        }

    if not paired:
        facts = facts_if(drawn=not estimation.ideal)
        answer = _by_welch(pairs_by_measure, estimation, testing, facts, progress)
        return replace(answer, notices=(*notices, *answer.notices, *could_be_paired(scores)))
    by_measure = []
    for pairs, its_progress in with_progress(pairs_by_measure, progress):
        if scores.bounded:
            pairs = bounded_pairs(scores, pairs, its_progress)
        comparison = _compared(pairs, estimation, testing, its_progress)
        by_measure.append(Compared(pairs, comparison, estimation.levels, testing))
    if len(scores.runs) == 2:
        for name in testing.tests:
            if other := tests()[name].of_two_runs:
                notices.append(note(f"with two runs, {name} is the {other}"))
    notices += (
        _out_of_reach(by_measure, estimation)
        + _could_be_better(by_measure)
        + _never_told_apart(by_measure, estimation)
        + _about_margin(by_measure)
    )
    has_judge = scores.judge is not None
    if scores.bounded:
        remarks = (ABOUT_BOUNDS,)
    advised = question_can_be_resampled(scores, for_new) and not has_judge
    if advised:  # else what is advised is not to be had
        notices += about_differences(
            list(_doubts_by_measure(by_measure, estimation)), estimation.methods
        )
    notices += unusual_levels(estimation.levels)
    facts = facts_if(drawn=_are_resampled(by_measure, estimation))
    answer = _answer(by_measure, estimation, facts, progress)
    return replace(answer, notices=(*notices, *answer.notices), remarks=remarks)


def _compared(
    pairs: PairedRuns, estimation: Estimation, testing: Testing, progress: Progress
) -> Comparison:
    """Return intervals and p-values of pairs of runs on the same topics, by one judge or by two."""
    if pairs.by_two is not None:
        family, differences = pairs.by_two.family, pairs.by_two.differences
        return compare_powered(family, differences, pairs.pairs, estimation, testing, progress)
    if pairs.between is not None:
        return compare_bounded(pairs, pairs.between, estimation, testing)
    return compare_paired(pairs.on_same_topics, estimation, testing, progress)


def _over_collections(
    scores: Scores,
    baselines: Baselines,
    estimation: Estimation,
    testing: Testing,
    *,
    paired_repeats: bool,
    for_new: str,
    meta: bool,
    best_first: bool,
    progress: Progress,
) -> Answer[CompareRow]:
    """Return the records of each collection, and of all of them together."""

    def ask(part: Part) -> Answer[CompareRow]:
        return compare(
            part.scores, baselines, estimation, testing,
            paired_repeats=paired_repeats, best_first=False, progress=progress,
        )  # fmt: skip

    together = attrgetter("place", "baseline_place")
    answer = over_collections(
        scores, for_new, ask, best_first=best_first, together=together,
        ordered=best_by_both if scores.judge is not None else None,
    )  # fmt: skip
    if not meta:
        return answer
    answer = with_meta(answer, scores, baselines, for_new, best_first=best_first)
    places = {measure: place for place, measure in enumerate(scores.measures)}
    rows = sorted(answer.rows, key=lambda row: (places[row.measure], *_order(row, baselines)))
    return replace(answer, rows=rows)


def _order(row: CompareRow, baselines: Baselines) -> tuple[int, int]:
    """Return where the pair of a record comes among all: by baseline, or else by run."""
    if baselines:
        return baselines.index(row.baseline), row.place
    return row.place, row.baseline_place


def _are_resampled(by_measure: Sequence[Compared], estimation: Estimation) -> bool:
    """Say whether any bootstrap limit comes from resamples."""
    if not estimation.ideal:
        return estimation.resampling
    doubts = [of_method for each in by_measure for of_method in each.comparison.doubts.values()]
    return any(bool((of_method & Doubt.RESAMPLED).any()) for of_method in doubts)


def compare_moments(
    groups: Sequence[RunMoments],
    baselines: Baselines,
    estimation: Estimation,
    testing: Testing,
    facts: Facts,
) -> Answer[CompareRow]:
    """Return the answer of `compare` for runs of which only moments are known.

    There is a group of runs for each measure; they are compared unpaired. `facts` are those known
    already.
    """
    pairs_by_measure, notices = pairs_of_moments(groups, baselines)
    about_pairs: Facts = {**facts, "pairs": baselines, "paired": False}
    answer = _by_welch(pairs_by_measure, estimation, testing, about_pairs, no_progress)
    return replace(answer, notices=(*notices, *answer.notices))


_TOO_FEW_DIFFER = Doubt.MOSTLY_TIES | Doubt.MOSTLY_ONE_VALUE | Doubt.NO_VARIANCE | Doubt.IDENTICAL
_WITHIN_MARGIN = (Verdict.EQUIVALENT, Verdict.NOT_INFERIOR)


def _about_margin(by_measure: Sequence[Compared]) -> list[Notice]:
    """Return notes on verdicts about a margin that a rare loss, which topics lack, could change."""
    notices = []
    for compared in by_measure:
        within = compared.within
        if within is None:
            continue
        doubts = compared.pairs.differences.doubts & int(_TOO_FEW_DIFFER)
        verdicts = within.verdicts(compared.alpha)
        named = [
            " and ".join(compared.pairs.names(pair))
            for pair, verdict in enumerate(verdicts)
            if doubts[pair] and verdict in _WITHIN_MARGIN
        ]
        if named:
            notices.append(
                note(
                    f"on {visible(compared.pairs.measure)}, {listed(named, 3)} differ on few "
                    f"{compared.pairs.scores.unit}s or none, or always by the same amount: as far "
                    "as these show, they are within the margin, but a rare large loss may just not "
                    "be among them"
                )
            )
    return notices


def _by_welch(
    pairs_by_measure: Sequence[PairedRuns],
    estimation: Estimation,
    testing: Testing,
    facts: Facts,
    progress: Progress,
) -> Answer[CompareRow]:
    """Return the answer about runs on topics of their own, by Welch's t test."""
    by_measure = [
        Compared(
            pairs,
            compare_unpaired(pairs.differences, pairs.pairs, estimation.levels, testing),
            estimation.levels,
            testing,
        )
        for pairs in pairs_by_measure
    ]
    answer = _answer(by_measure, estimation, facts, progress)
    notices = _could_be_better(by_measure) + unusual_levels(estimation.levels)
    return replace(answer, notices=(*notices, *answer.notices))


def _doubts_by_measure(
    by_measure: Sequence[Compared], estimation: Estimation
) -> Iterator[MeasureDoubts]:
    """Yield the doubts about the differences by each measure, by the first method."""
    for method in estimation.methods[:1]:
        for compared in by_measure:
            yield MeasureDoubts(
                compared.pairs.measure, len(compared.pairs), compared.comparison.doubts[method][0]
            )


def _could_be_better(by_measure: Sequence[Compared]) -> list[Notice]:
    """Return a notice that Holm's correction is better, if Bonferroni's is used.

    There is none for a single comparison, nor for a test that is not corrected.
    """
    is_used = any(
        compared.testing.correction == "bonferroni"
        and compared.pairs.family > 1
        and not (compared.testing.by_bonferroni and compared.testing.simultaneous)
        for compared in by_measure
    )
    if not is_used or named_test(by_measure[0].testing.tests[0]).simultaneous:
        return []
    return [advice(_BETTER_THAN_BONFERRONI)]


def _never_told_apart(by_measure: Sequence[Compared], estimation: Estimation) -> list[Notice]:
    """Return notices on pairs that max-T cannot tell apart, whatever their difference."""
    notices: dict[Notice, None] = {}  # in order, each once
    for compared in by_measure:
        if compared.comparison.at_once is None:
            continue
        for max_t in compared.comparison.at_once.by_level:
            if not max_t.enough_topics:
                rows = compared.pairs.scores
                notices[too_few_topics(rows.measure, len(rows.topics), max_t.level, rows.unit)] = (
                    None
                )
            left_out = max_t.counted(compared.pairs.pairs)
            notices |= dict.fromkeys(
                never_told_apart(left_out, compared.pairs.measure, compared.pairs.scores.unit)
            )
            if not compared.testing.simultaneous:  # else `too_uncertain` warns of the intervals
                notices |= dict.fromkeys(
                    too_few_draws(compared.pairs.measure, max_t.error_share, estimation.draws)
                )
    return list(notices)


def _out_of_reach(by_measure: Sequence[Compared], estimation: Estimation) -> list[Notice]:
    """Warn if even the smallest p-value that the first test can have is not significant."""
    compared = max(by_measure, key=lambda compared: compared.pairs.family)
    name = compared.testing.tests[0]
    test, topics, family = (
        named_test(name),
        len(compared.pairs.scores.topics),
        compared.pairs.family,
    )
    factor = 1.0 if test.simultaneous else least_factor(compared.testing.correction, family)
    if compared.by_max_t or test.least(topics, estimation.draws) * factor < compared.alpha:
        return []
    needed = rounded_up(factor / compared.alpha)
    enough = test.least(topics, needed) * factor < compared.alpha
    if estimation.draws < needed <= MOST_RESAMPLES and enough:
        why, advice = f"{estimation.draws} draws", f"--draws {needed} would be enough"
    else:
        unit = compared.pairs.scores.unit
        why, advice = count(topics, unit), "--test t has no such limit"
    corrected = f" after correction for {family} comparisons" if factor > 1 else ""
    return [
        warning(
            f"with {why}, {name} cannot give a p-value below {compared.alpha:g}{corrected}, "
            f"however large the difference; {advice}"
        )
    ]


def _answer(
    by_measure: Sequence[Compared], estimation: Estimation, facts: Facts, progress: Progress
) -> Answer[CompareRow]:
    """Return a record for each measure, pair, method and level, and what to warn of in them."""
    testing = by_measure[0].testing
    rows: list[CompareRow] = []
    try:
        for done, compared in enumerate(by_measure):
            progress(done, len(by_measure))
            rows += _rows(compared)
    except MemoryError:
        rows.clear()  # small as they are, they leave no memory to say so
        raise
    progress(len(by_measure), len(by_measure))
    own: Facts = {
        "measures": tuple(compared.pairs.measure for compared in by_measure),
        "methods": tuple(by_measure[0].comparison.limits),
        "tests": testing.tests,
        "correct": "none" if named_test(testing.tests[0]).simultaneous else testing.correction,
        "family": tuple(dict.fromkeys(compared.family for compared in by_measure)),
    }
    if testing.strict:
        own["max_t"] = "strict"
    if testing.margin is not None:
        own["margin"] = testing.margin
    if testing.effect_intervals:
        own["effect_intervals"] = True
    notices: list[Notice] = []
    if are_drawn(rows, estimation) or testing.simultaneous:
        own["error"] = largest_error(rows)
        for names, number, kind in ((estimation.methods, estimation.resamples, RESAMPLES),
                                    ((MAX_T,), estimation.draws, DRAWS)):  # fmt: skip
            notices += too_uncertain([row for row in rows if row.method in names], number, kind)
    every_fact = merged(facts, own)
    columns = with_fields(_fields(testing, paired=by_measure[0].pairs.paired), every_fact)
    return Answer(rows, columns, every_fact, tuple(notices), view, paper=compare_paper)


def _fields(testing: Testing, *, paired: bool) -> tuple[Field, ...]:
    is_asked = {
        "unpaired": not paired,
        "effect_intervals": testing.effect_intervals,
        "margin": testing.margin is not None,
    }
    return fields(
        joined(comparisons(), is_asked),
        exact="level",
        significant=f"{p_values()} p_adjusted p_noninferior p_equivalent",
    )


def _rows(compared: Compared) -> Iterator[CompareRow]:
    """Yield the records by one measure: of each pair, by each method at each level."""
    pairs, comparison, differences = compared.pairs, compared.comparison, compared.pairs.differences
    max_t = comparison.at_once
    no_p = np.full((len(compared.levels), len(pairs)), np.nan)
    adjusted = (no_p if compared.adjusted is None else compared.adjusted).tolist()
    place_of = {level: place for place, level in enumerate(compared.levels)}
    wins, ties, losses = _outcomes(differences.outcomes, len(pairs))
    of_pairs = {
        "difference": differences.difference.tolist(),
        "t": differences.t.tolist(),
        "df": [whole_if_it_is(df) for df in differences.df.tolist()]
        if pairs.paired
        else differences.df.tolist(),
        "glass_delta": differences.glass_delta.tolist(),
        "hedges_gz": differences.hedges_gz.tolist(),
        "hedges_g": differences.hedges_g.tolist(),
        "wins": wins,
        "ties": ties,
        "losses": losses,
    }
    if compared.within is not None:
        of_pairs["p_noninferior"] = compared.within.noninferior.tolist()
        of_pairs["p_equivalent"] = compared.within.equivalent.tolist()
    of_levels = [*_of_levels(compared)]
    significant: list[list[bool]] = compared.significant.tolist()
    p_values = {name: p.tolist() for name, p in comparison.p.items()}
    for pair in range(len(pairs)):
        of_pair = pairs.fields_of(pair) | {name: every[pair] for name, every in of_pairs.items()}
        p = {name: every[pair] for name, every in p_values.items()}
        for interval in intervals_of(pair, comparison.limits, comparison.doubts, compared.levels):
            at_level = place_of[interval["level"]]
            yield CompareRow(
                **interval,
                **of_pair,
                **{name: values[pair] for name, values in of_levels[at_level].items()},
                p=p,
                p_adjusted=adjusted[at_level][pair],
                significant=significant[at_level][pair],
                is_marked=significant[0][pair],
                enough_topics=max_t is not None and max_t.by_level[0].enough_topics,
            )


def _of_levels(compared: Compared) -> Iterator[dict[str, Sequence[Any]]]:
    """Yield the fields [pair] of records at each level: limits of effect sizes, and verdicts."""
    effects, within = compared.effects, compared.within
    for place, level in enumerate(compared.levels):
        of_level: dict[str, Sequence[Any]] = {}
        for name, (low, high) in effects.items():
            of_level[f"{name}_low"] = low[place].tolist()
            of_level[f"{name}_high"] = high[place].tolist()
        if within is not None:
            of_level["shown"] = within.verdicts(alpha_of(level))
        yield of_level


def _outcomes(outcomes: Positions | None, pairs: int) -> Sequence[Sequence[int | None]]:
    """Return wins, ties and losses, each of all pairs; runs on topics of their own have none."""
    if outcomes is None:
        return [[None] * pairs] * 3
    by_outcome: list[list[int | None]] = outcomes.tolist()
    return by_outcome
