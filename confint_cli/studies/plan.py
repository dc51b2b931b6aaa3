"""How many topics do I need? By a pilot's variance, for an interval or to tell runs apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.table import Cell, Column, Table, columns_of, explained_once
from confint_cli.common.text import count, quoted, visible
from confint_cli.common.words import percent, series_of_cells, whole_if_it_is
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats import power
from confint_cli.stats.flags import SHAPE_TOPICS
from confint_cli.studies.checks import unusual_levels
from confint_cli.studies.pairing import comparable_matrices, usable

_COLUMNS = (
    "measure", "design", "sd", "target", "level", "power", "assurance", "topics_now",
    "topics_needed", "topics_needed_high", "attained", "runs", "note",
)  # fmt: skip
MEAN = "half-width of mean"
DIFFERENCE = "half-width of difference"
DETECTABLE = "detectable difference"


@dataclass(frozen=True)
class Aim:
    """What a number of topics is wanted for; without any target, what today's topics give."""

    half_widths: tuple[float, ...] = ()  # of intervals
    differences: tuple[float, ...] = ()  # to be detected
    power: float = 0.8  # with which differences are to be detected
    levels: tuple[float, ...] = (0.95,)
    assurance: float | None = None  # the share of samples that are to reach a half-width

    def targets(self, design: str) -> tuple[float | None, ...]:
        """Return the targets of a design.

        Empty, if there are targets of other designs only; None alone, if there are none at all.
        """
        targets = self.differences if design == DETECTABLE else self.half_widths
        return targets or (() if self.half_widths or self.differences else (None,))


@dataclass(frozen=True)
class Plan:
    """How many topics one target needs by one measure and level."""

    measure: str
    design: str
    sd: float
    target: float | None
    level: float
    power: float | None
    assurance: float | None
    topics_now: int
    topics_needed: int | None  # None: no target, no variance, or no practical number is enough
    topics_needed_high: int | None  # the same, if the sd is as large as its upper limit
    attained: float  # the half-width or the difference that today's topics give
    runs: int
    note: str


def plan(scores: Scores, aim: Aim) -> tuple[Table, list[Notice]]:
    """Return a table with a row for each measure, level, design and target, and notices."""
    # Sums depend on the order of runs in their last bits: names make it the same for any input.
    matrices, notices = _pilots(scores.sorted_runs("name"), aim)
    rows = [row for matrix in matrices for row in _plans(matrix, aim)]
    table = Table(
        title="",
        columns=columns_of(rows, _COLUMNS, exact=("target", "level", "power", "assurance")),
        view=_view(rows),
    )
    return table, [*notices, *_about_pilots(rows), *unusual_levels(aim.levels)]


def _pilots(scores: Scores, aim: Aim) -> tuple[list[Matrix], list[Notice]]:
    """Return the scores by each measure that one can plan from, and warnings of the others."""
    if len(scores.runs) > 1:
        return comparable_matrices(scores)
    if aim.differences:
        raise DataError(
            "",
            f"a difference is between two runs, and {quoted(scores.runs[0])} is the only one",
            "give the files of two runs or more, such as you want to tell apart",
        )
    matrices = [scores.matrix(measure) for measure in scores.measures]
    return usable(matrices, _check_topics, scores.measures)


def _check_topics(matrix: Matrix) -> None:
    if len(matrix.topics) < power.FEWEST:
        raise DataError("", f"one topic by {visible(matrix.measure)} does not show how scores vary")


def _plans(matrix: Matrix, aim: Aim) -> Iterator[Plan]:
    """Yield the plans by one measure, for each level, design and target that there are."""
    sds = {MEAN: power.sd_of_runs(matrix.values)}
    if len(matrix.runs) > 1:
        sds[DIFFERENCE] = sds[DETECTABLE] = power.sd_of_differences(matrix.values)
    for level in aim.levels:
        for design, sd in sds.items():
            if aim.targets(design):
                yield from _of_design(matrix, design, sd, level, aim)


def _of_design(matrix: Matrix, design: str, sd: float, level: float, aim: Aim) -> Iterator[Plan]:
    """Yield a plan for each target of a design."""
    now = len(matrix.topics)
    if design == DETECTABLE:
        _check_power(aim.power, level)
        attained = power.detectable(now, sd, level, aim.power)
    else:
        attained = power.half_width(now, sd, level)
    for target in aim.targets(design):
        needed = high = None
        notes = {"small pilot": now < SHAPE_TOPICS, "no variance": sd == 0}
        if target is not None and sd > 0:
            needed = _topics_for(design, target, sd, level, aim)
            high = _topics_for(design, target, power.sd_limit(sd, now), level, aim)
            is_met = needed is not None and needed <= now
            is_surely_met = high is not None and high <= now
            notes |= {
                "met already": is_met and is_surely_met,
                "perhaps met": is_met and not is_surely_met,
                "out of reach": needed is None,
                "perhaps out of reach": needed is not None and high is None,
            }
        yield Plan(
            measure=matrix.measure,
            design=design,
            sd=sd,
            target=target,
            level=level,
            power=aim.power if design == DETECTABLE else None,
            assurance=None if design == DETECTABLE else aim.assurance,
            topics_now=now,
            topics_needed=needed,
            topics_needed_high=high,
            attained=attained,
            runs=len(matrix.runs),
            note=", ".join(text for text, applies in notes.items() if applies),
        )


def _topics_for(design: str, target: float, sd: float, level: float, aim: Aim) -> int | None:
    """Return how many topics a target needs if `sd` is right; None, if too many to be practical."""
    if design == DETECTABLE:
        return power.topics_for_power(target, sd, level, aim.power)
    return power.topics_for_half_width(target, sd, level, aim.assurance)


def _about_pilots(rows: Sequence[Plan]) -> list[Notice]:
    """Return a notice that a pilot is small; an upper bound allows for it, where there is one."""
    small = sorted({row.topics_now for row in rows if row.topics_now < SHAPE_TOPICS})
    if not small:
        return []
    pilots = f"a pilot of {small[0]} topics hardly shows"
    if len(small) > 1:
        pilots = f"pilots of {small[0]} to {small[-1]} topics hardly show"
    therefore = "what as many others would give is a rough guess"
    if any(row.topics_needed_high is not None for row in rows):
        therefore = "the topics needed are a rough guess, and their upper bound is the safer number"
    return [note(f"{pilots} how much scores vary: {therefore}")]


def _check_power(power: float, level: float) -> None:
    """Refuse a power that a test has even if there is no difference."""
    if power <= float(1 - Decimal(repr(level))):  # 1 - 0.9 is no 0.1 in floats
        raise CallError(
            f"--power {power:g} is no more than the chance of a false alarm at level "
            f"{percent(level)}",
            "any number of topics has it",
        )


def _view(rows: Sequence[Plan]) -> list[Table]:
    """Return a table for each measure, with the result in words."""
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    numbers = {row.topics_now for row in rows}
    attained = f"{rows[0].topics_now} topics" if len(numbers) == 1 else "attained"
    return explained_once([_view_of_measure(plans, attained) for plans in by_measure])


def _view_of_measure(rows: Sequence[Plan], attained: str) -> Table:
    """Return the plans by one measure; `attained` heads the column of what today's topics give."""
    first = rows[0]
    title = [first.measure, count(first.runs, "run"), count(first.topics_now, "topic")]
    columns = [
        Column("design", [row.design for row in rows]),
        Column("level", [percent(row.level) for row in rows]),
        Column("sd", [row.sd for row in rows], legend=_about_sd(rows)),
        Column(attained, [row.attained for row in rows]),
        Column("target", [row.target for row in rows], exact=True),
        Column("topics needed", [row.topics_needed for row in rows], legend=_about_needed(rows)),
        Column("up to", [row.topics_needed_high for row in rows], legend=_about_bound(rows)),
        Column("note", [row.note for row in rows]),
    ]
    levels = dict.fromkeys(percent(row.level) for row in rows)
    if len(levels) == 1:
        title += levels
        del columns[1]
    return Table(", ".join(title), columns, sentence=_sentence(rows))


def _about_sd(rows: Sequence[Plan]) -> str:
    """Explain which standard deviations there are, and by which test differences are found."""
    runs = rows[0].runs
    if runs == 1:
        return "sd: of the run's scores over topics."
    of_pairs = "" if runs == 2 else " (twice the residual variance of runs and topics)"
    of_differences = f"of the differences of two runs{of_pairs}"
    sds = {
        MEAN: f"of a run's scores over topics (the mean variance of {runs} runs)",
        DIFFERENCE: of_differences,
        DETECTABLE: of_differences,
    }
    distinct_sds = dict.fromkeys(sds[row.design] for row in rows)
    legend = f"sd: {', or '.join(distinct_sds)}."
    powers = [percent(row.power) for row in rows if row.power is not None]
    if powers:
        legend += f" Detectable: by a paired t test, two-sided, with a power of {powers[0]}."
    return legend


def _about_needed(rows: Sequence[Plan]) -> str:
    """Explain the assurance, with which more topics are needed; empty, if there is none."""
    assured = [percent(row.assurance) for row in rows if row.assurance is not None]
    if not assured:
        return ""
    return f"Topics needed for a half-width: so many that {assured[0]} of samples reach it."


def _about_bound(rows: Sequence[Plan]) -> str:
    """Explain when the upper bound of topics holds; empty, if no row has one."""
    if all(row.topics_needed_high is None for row in rows):
        return ""
    confidence = percent(power.CONFIDENCE)
    return (
        f"Up to: the pilot's sd is an estimate; with {confidence} confidence, if scores, or "
        "differences, are about normal, no more topics than these are needed."
    )


def _sentence(rows: Sequence[Plan]) -> list[Cell]:
    """Return in words what today's topics give, and what targets need, both at the first level."""
    at_first_level = [row for row in rows if row.level == rows[0].level]
    at = f" at {percent(rows[0].level)}" if len(at_first_level) < len(rows) else ""
    sentence: list[Cell] = []
    is_bound_explained = False  # whether it is said already what an upper bound allows for
    for _, group in groupby(at_first_level, lambda row: row.design):
        of_design = list(group)
        first = of_design[0]
        if first.sd == 0:
            continue
        clauses = []
        for row in of_design:
            if row.target is not None:
                clauses.append(_needed(row, first=not is_bound_explained))
                is_bound_explained = is_bound_explained or row.topics_needed is not None
        needed: list[Cell] = ["; ", *series_of_cells(clauses)] if clauses else []
        begin = f"With {count(first.topics_now, 'topic')} like these, " if not sentence else " "
        sentence += [begin, *_attained(first, at, first=not sentence), *needed, "."]
    without_variance = [row.design for row in rows if row.sd == 0]
    if without_variance:
        values = "scores of a run" if MEAN in without_variance else "differences of runs"
        space = " " if sentence else ""
        sentence.append(f"{space}All {values} are equal, so there is no variance.")
    return sentence


def _attained(row: Plan, at: str, *, first: bool) -> list[Cell]:
    """Return in words what today's topics give, as the `first` sentence or as a further one.

    `at` names the level for sentences that would not name it, if there are several.
    """
    if row.design == DETECTABLE:
        begin = f"{'you' if first else 'You'} can detect a difference of "
        typical = " between typical runs" if row.runs > 2 else ""
        with_power = f"with a power of {percent(row.power or 0)}{at}"
        return [begin, row.attained, f" in {row.measure}{typical} {with_power}"]
    if row.design == MEAN:
        whose = "the run's" if row.runs == 1 else "a typical run's"
        return [f"the {percent(row.level)} interval of {whose} {row.measure} is ±", row.attained]
    begin = f"{'the' if first else 'The'} {percent(row.level)} interval of"
    whose = "two typical runs" if row.runs > 2 else "two runs"
    return [f"{begin} the difference of {whose} is ±", row.attained]


def _needed(row: Plan, *, first: bool) -> list[Cell]:
    """Return `for 0.03 you would need 203 (up to 251)`, the `first` time with why there are two."""
    target = whole_if_it_is(row.target or 0.0)
    aim = f"for {'' if row.design == DETECTABLE else '±'}{target!r}"
    if row.assurance is not None:
        aim += f" in {percent(row.assurance)} of samples"
    needed, high, now = row.topics_needed, row.topics_needed_high, row.topics_now
    if needed is None:
        return [f"{aim} no practical number would do"]
    if needed == high and high <= now:
        return [f"{aim} these are enough already ({needed} would do)"]
    bound = "more than is practical" if high is None else f"up to {high}"
    why = "allowing for the pilot's own uncertainty, " if first else ""
    if needed > now:
        return [f"{aim} you would need {needed} ({why}{'perhaps ' * (high is None)}{bound})"]
    if high is not None and high <= now:
        return [f"{aim} these are enough already ({needed} would do; {why}{bound})"]
    why = "allowing for its uncertainty, " if first else ""
    enough = f"these are enough judging by the pilot ({needed} would do)"
    return [f"{aim} {enough}, but {why}it may take {bound}"]
