"""How many topics do I need? By a pilot's variance, for an interval or to tell runs apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.text import quoted, visible
from confint_cli.common.words import alpha_of, percent
from confint_cli.scores.scores import TOPIC, Matrix, Scores
from confint_cli.scores.two_judges import TwoJudges
from confint_cli.stats import power
from confint_cli.stats.flags import SHAPE_TOPICS
from confint_cli.stats.representative import Apart
from confint_cli.studies.answer import Answer, fields
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.collections import Part, over_collections, with_fields
from confint_cli.studies.columns import PLANS
from confint_cli.studies.facts import Facts, facts_of_computing
from confint_cli.studies.judged import checked_judges, remarks_of
from confint_cli.studies.pairing import comparable_matrices, usable
from confint_cli.studies.plan_view import view
from confint_cli.studies.rows import (
    DETECTABLE_DIFFERENCE,
    HALF_WIDTH_OF_DIFFERENCE,
    HALF_WIDTH_OF_MEAN,
    NON_INFERIORITY,
    PlanRow,
)
from confint_cli.studies.scope import TOPICS, designs_of, facts_of_design, how_to_have_one, in_words


@dataclass(frozen=True)
class Aim:
    """What a number of topics is wanted for; without any target, what today's topics give."""

    half_widths: tuple[float, ...] = ()  # of intervals
    differences: tuple[float, ...] = ()  # to be detected
    margins: tuple[float, ...] = ()  # within which a run is to be shown not worse
    power: float = 0.8  # with which differences are to be detected, or runs shown not worse
    levels: tuple[float, ...] = (0.95,)
    assurance: float | None = None  # the share of samples that are to reach a half-width

    def targets(self, design: str) -> tuple[float | None, ...]:
        """Return the targets of a design.

        Empty, if there are targets of other designs only; None alone, if there are none at all.
        """
        if design == NON_INFERIORITY:
            return self.margins
        targets = self.differences if design == DETECTABLE_DIFFERENCE else self.half_widths
        has_any = self.half_widths or self.differences or self.margins
        return targets or (() if has_any else (None,))


def plan(scores: Scores, aim: Aim, *, for_new: str = TOPICS) -> Answer[PlanRow]:
    """Return a record for each measure, level, design and target; of several collections, for each.

    For new topics of these collections, all of them together have more topics in the proportion in
    which they have them; `for_new` collections, more collections.
    """
    designs = designs_of(scores)
    if len(designs) > 1:
        raise CallError(
            f"plan takes one kind of design, not {in_words(designs)} together",
            how_to_have_one(designs),
        )
    if scores.several:
        by_name = scores.sorted_runs("name")
        return over_collections(
            by_name, for_new, lambda part: _of_part(part, aim), best_first=False
        )
    # Sums depend on the order of runs in their last bits: names make it the same for any input.
    by_name = scores.sorted_runs("name")
    matrices, notices = _pilots(by_name, aim)
    rows: list[PlanRow] = []
    found: list[tuple[str, Apart | None]] = []
    for matrix in matrices:
        two = None
        if scores.judge is not None:
            two, about, apart = checked_judges(by_name, matrix.measure)
            notices += about
            found.append((matrix.measure, apart))
        rows += _plans(matrix, aim, two)
    facts: Facts = {**facts_of_design(scores), "levels": aim.levels, **facts_of_computing()}
    if any(row.power is not None for row in rows):
        facts["power"] = aim.power
    if aim.assurance is not None:
        facts["assurance"] = aim.assurance
    notices += [*_about_pilots(rows), *unusual_levels(aim.levels)]
    remarks = remarks_of(found) if scores.judge is not None else ()
    columns = fields(PLANS, exact="target level power assurance")
    return Answer(rows, with_fields(columns, facts), facts, tuple(notices), view, remarks=remarks)


def _of_part(part: Part, aim: Aim) -> Answer[PlanRow]:
    """Return the plan of one collection, or of all together; those of means count collections."""
    answer = plan(part.scores, aim)
    if part.scores.unit == TOPIC:
        return answer
    rows = [
        replace(
            row,
            topics_now=part.topics,
            topics_needed=None,
            topics_needed_high=None,
            collections_needed=row.topics_needed,
            collections_needed_high=row.topics_needed_high,
            in_collections=True,
        )
        for row in answer.rows
    ]
    return replace(answer, rows=rows, notices=())


def _pilots(scores: Scores, aim: Aim) -> tuple[list[Matrix], list[Notice]]:
    """Return the scores by each measure that one can plan from, and warnings of the others."""
    if len(scores.runs) > 1:
        return comparable_matrices(scores)
    if aim.differences or aim.margins:
        raise DataError(
            "",
            f"a {'difference' if aim.differences else 'margin'} is between two runs, and "
            f"{quoted(scores.runs[0])} is the only one",
            "give the files of two runs or more, like those that you want to compare",
        )
    matrices = [scores.matrix(measure) for measure in scores.measures]
    return usable(matrices, _check_topics, scores.measures)


def _check_topics(matrix: Matrix) -> None:
    if len(matrix.topics) < power.FEWEST:
        raise DataError("", f"one topic does not show how {visible(matrix.measure)} varies")


def _plans(matrix: Matrix, aim: Aim, two: TwoJudges | None) -> Iterator[PlanRow]:
    """Yield the plans by one measure, for each level, design and target that there are.

    There may be the scores of `two` judges.
    """
    spreads = {HALF_WIDTH_OF_MEAN: _spread(matrix, two, differences=False)}
    if len(matrix.runs) > 1:
        of_differences = _spread(matrix, two, differences=True)
        for design in (HALF_WIDTH_OF_DIFFERENCE, DETECTABLE_DIFFERENCE, NON_INFERIORITY):
            spreads[design] = of_differences
    for level in aim.levels:
        for design, spread in spreads.items():
            if aim.targets(design):
                yield from _of_design(matrix, design, spread, level, aim)


def _spread(matrix: Matrix, two: TwoJudges | None, *, differences: bool) -> power.Spread:
    """Return how much scores of a run, or differences of two, vary."""
    if two is not None:
        return power.spread_of_judges(two, differences=differences)
    if matrix.design.strata:
        return power.spread_of_strata(matrix, differences=differences)
    if matrix.groups is not None:
        return power.spread_of_groups(matrix, differences=differences)
    if matrix.repeats is not None:
        return power.spread_of_repeats(matrix, differences=differences)
    return power.spread_of_topics(matrix.values, differences=differences)


def _of_design(
    matrix: Matrix, design: str, spread: power.Spread, level: float, aim: Aim
) -> Iterator[PlanRow]:
    """Yield a plan for each target of a design."""
    now = len(matrix.topics)
    has_power = design in (DETECTABLE_DIFFERENCE, NON_INFERIORITY)
    if has_power:
        _check_power(aim.power, level)
    wanted = aim.power if has_power else None
    one_sided = design == NON_INFERIORITY
    attained = spread.attained(now, level, wanted, one_sided=one_sided) if spread.varies else 0.0
    for target in aim.targets(design):
        needed = high = None
        if target is not None and spread.varies:
            needed, high = (
                each.needed(target, level, wanted, one_sided=one_sided, assurance=aim.assurance)
                for each in (spread, spread.upper())
            )
        row = PlanRow(
            measure=matrix.measure,
            design=design,
            sd=spread.sd_of_scores,
            no_variance=not spread.varies,
            target=target,
            level=level,
            power=wanted,
            assurance=None if has_power else aim.assurance,
            topics_now=now,
            topics_needed=needed,
            topics_needed_high=high,
            attained=attained,
            runs=len(matrix.runs),
            spread=spread,
        )
        if isinstance(spread, power.GroupSpread):
            row = _in_groups(row, matrix, spread)
        elif isinstance(spread, power.RepeatSpread):
            row = _with_repeats(row, spread)
        elif isinstance(spread, power.JudgeSpread):
            row = _with_judge(row, spread)
        yield row


def _with_judge(row: PlanRow, spread: power.JudgeSpread) -> PlanRow:
    """Return a plan of people's topics with what these give without the judge."""
    by_people, same = 0.0, None
    if spread.varies:
        by_people = row.attained_by(row.topics_now, spread.of_people)
        same = spread.search(lambda topics: row.attained_by(topics) <= by_people)
    return replace(
        row,
        judge_topics=spread.judge_topics,
        human_attained=by_people,
        topics_for_same=same,
        correlation=spread.correlation,
    )


def _in_groups(row: PlanRow, matrix: Matrix, spread: power.GroupSpread) -> PlanRow:
    """Return a plan that counts groups, which was made as if these were topics."""
    return replace(
        row,
        topics_now=len(matrix.on_topics.topics),
        topics_needed=None,
        topics_needed_high=None,
        groups=spread.groups,
        groups_needed=row.topics_needed,
        groups_needed_high=row.topics_needed_high,
        group_share=spread.group_share,
        group_noun=matrix.unit,
    )


def _with_repeats(row: PlanRow, spread: power.RepeatSpread) -> PlanRow:
    """Return a plan of topics with what repeats could do instead."""
    needed = None
    target = row.target
    if target is not None and spread.varies:
        needed = spread.repeats_for(lambda own: row.attained_by(spread.topics, own) <= target)
    return replace(
        row,
        repeats=spread.repeats,
        repeat_share=spread.repeat_share,
        repeats_needed=needed,
    )


def _about_pilots(rows: Sequence[PlanRow]) -> list[Notice]:
    """Return a notice that a pilot is small; an upper bound allows for it, where there is one."""
    small = sorted({row.now for row in rows if row.now < SHAPE_TOPICS})
    if not small:
        return []
    noun = f"{rows[0].noun}s"
    pilots = f"a pilot of {small[0]} {noun} says little about"
    if len(small) > 1:
        pilots = f"pilots of {small[0]} to {small[-1]} {noun} say little about"
    therefore = f"what the same number of other {noun} would give is a rough guess"
    if any(row.needed_high is not None for row in rows):
        therefore = (
            f"the number of {noun} needed is a rough guess, and its upper bound is the safer number"
        )
    return [note(f"{pilots} how much scores vary: {therefore}")]


def _check_power(power: float, level: float) -> None:
    """Refuse a power that a test has even if there is no difference."""
    if power <= alpha_of(level):
        raise CallError(
            f"--power {power:g} is no more than the chance of a false alarm at level "
            f"{percent(level)}",
            "any number of topics has that power",
        )
