"""Plans as people read them: a table for each measure, and in words what targets need."""

import math
from collections.abc import Sequence
from itertools import groupby, pairwise

from confint_cli.common.table import Cell, Column, Table, View, explained_once
from confint_cli.common.text import count
from confint_cli.common.words import percent, series_of_cells, whole_if_it_is
from confint_cli.stats import power
from confint_cli.studies.answer import Answer
from confint_cli.studies.design_view import ABOUT_SHARE
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import (
    DETECTABLE_DIFFERENCE,
    HALF_WIDTH_OF_DIFFERENCE,
    HALF_WIDTH_OF_MEAN,
    NON_INFERIORITY,
    PlanRow,
)
from confint_cli.studies.scope import (
    ABOUT_MACRO,
    TOPICS,
    for_whom,
    has_collections,
    title_of,
    topics_of,
)

_ABOUT_PROPORTION = (
    "Its topics are those of all collections, and grow in proportion to their present numbers."
)

_NEGLIGIBLE = 0.005  # a share of the variance
_AIMS = {DETECTABLE_DIFFERENCE: "to detect ", NON_INFERIORITY: "for a margin of "}


def view(answer: Answer[PlanRow]) -> View:
    """Return a table for each measure, with the result in words."""
    rows = answer.rows
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    numbers = {row.now for row in rows}
    attained = count(rows[0].now, rows[0].noun) if len(numbers) == 1 else "attained"
    if rows[0].in_collections:
        attained = "attained"
    return View(
        explained_once([_table(of_measure, attained, answer.facts) for of_measure in by_measure])
    )


def _table(rows: Sequence[PlanRow], attained: str, facts: Facts) -> Table:
    """Return the plans by one measure; `attained` heads the column of what today's topics give."""
    first = rows[0]
    title = [first.measure, count(first.runs, "run"), topics_of(facts, first.topics_now)]
    if first.repeats is not None:
        title.append(count(first.repeats, "repeat"))
    if first.judge_topics is not None:
        title[-1] += " judged by people"
        title.append(f"{first.judge_topics} by the judge")
    title += filter(None, [for_whom(facts)])
    of_collections: list[Column] = []
    breaks: list[int] = []
    if has_collections(facts):
        of_all = next(row for row in rows if row.collections)
        title = [title_of(first.measure, facts, of_all.topics_now), count(first.runs, "run")]
        names = [row.collection for row in rows]
        legend = f"{ABOUT_MACRO} {_ABOUT_PROPORTION if facts['for_new'] == TOPICS else ''}".strip()
        of_collections = [
            Column("collection", names, legend=legend),
            Column("topics now", [row.topics_now for row in rows], optional=True),
        ]
        breaks = [place for place, (above, name) in enumerate(pairwise(names), 1) if above != name]
    columns = [
        *of_collections,
        Column("design", [row.design for row in rows]),
        Column("level", [percent(row.level) for row in rows]),
        *_sds(rows),
        Column(attained, [row.attained for row in rows]),
        Column("target", [row.target for row in rows], exact=True),
        Column(
            f"{first.group_noun or 'topic'}s needed",
            [row.groups_needed if first.group_noun else row.topics_needed for row in rows],
            legend=_about_needed(rows),
        ),
        Column("collections needed", [row.collections_needed for row in rows]),
        Column("up to", [row.needed_high for row in rows], legend=_about_bound(rows)),
        *_of_design(rows),
        Column("note", [row.note for row in rows]),
    ]
    levels = dict.fromkeys(percent(row.level) for row in rows)
    if len(levels) == 1:
        title += levels
        columns = [column for column in columns if column.name != "level"]
    said = [row for row in rows if row.collections] if of_collections else rows
    return Table(", ".join(title), columns, sentence=_sentence(said), breaks=breaks)


def _sds(rows: Sequence[PlanRow]) -> list[Column]:
    """Return the column of standard deviations, which groups and repeats have none of."""
    legend = _about_sd(rows)
    if rows[0].group_noun or rows[0].repeats is not None:
        return []
    return [Column("sd", [row.sd for row in rows], legend=legend)]


def _of_design(rows: Sequence[PlanRow]) -> list[Column]:
    """Return the columns of groups of topics, or of repeats: what longer, or more, could do.

    Beside a cheaper judge, they say what there is without it.
    """
    if rows[0].judge_topics is not None:
        return [
            Column(
                "people only",
                [row.human_attained for row in rows],
                legend="People only: what people's present topics give without the judge.",
            ),
            Column(
                "with judge",
                [row.topics_for_same for row in rows],
                legend="With judge: how many topics judged by people would give the same with the "
                f"judge, which has {rows[0].judge_topics}.",
            ),
            Column("r", [row.correlation for row in rows], optional=True),
        ]
    noun = rows[0].group_noun
    if noun:
        longer = f"the part of the variance that longer {noun}s would not remove"
        legend = " ".join(
            filter(None, [f"{noun.capitalize()} share: {longer}.", _about_power(rows)])
        )
        return [Column(f"{noun} share", [row.group_share for row in rows], legend=legend)]
    if rows[0].repeats is None:
        return []
    legend = " ".join(filter(None, [ABOUT_SHARE, _about_power(rows)]))
    shares = Column("repeat share", [row.repeat_share for row in rows], legend=legend)
    needed = [row.repeats_needed for row in rows]
    if not any(needed):
        return [shares]
    legend = "Or repeats: the repeats needed instead, with the present topics."
    return [Column("or repeats", needed, legend=legend), shares]


def _about_sd(rows: Sequence[PlanRow]) -> str:
    """Explain which standard deviations there are, and by which test differences are found."""
    runs = rows[0].runs
    if runs == 1:
        return "sd: of the run's scores over topics."
    root = "the square root of"
    of_pairs = "" if runs == 2 else f" ({root} twice the residual variance of runs and topics)"
    of_differences = f"of the differences of two runs{of_pairs}"
    sds = {
        HALF_WIDTH_OF_MEAN: f"of a run's scores over topics ({root} the mean variance of {runs} "
        "runs)",
        HALF_WIDTH_OF_DIFFERENCE: of_differences,
        DETECTABLE_DIFFERENCE: of_differences,
        NON_INFERIORITY: of_differences,
    }
    distinct_sds = dict.fromkeys(sds[row.design] for row in rows)
    legend = f"sd: {', or '.join(distinct_sds)}."
    if any(row.in_collections for row in rows):
        legend += " For macro, means of collections take the place of topics."
    return " ".join(filter(None, [legend, _about_power(rows)]))


def _about_power(rows: Sequence[PlanRow]) -> str:
    """Explain by which test differences are found; empty, if none are to be."""
    powers = {row.design: percent(row.power) for row in rows if row.power is not None}
    texts = {
        DETECTABLE_DIFFERENCE: "Detectable: by a paired t test, two-sided, with a power of ",
        NON_INFERIORITY: "Non-inferiority: if two runs are equally good, a one-sided t test at 1 - "
        "level shows that one is not worse by more than the margin, with a power of ",
    }
    return " ".join(
        f"{text}{powers[design]}." for design, text in texts.items() if design in powers
    )


def _about_needed(rows: Sequence[PlanRow]) -> str:
    """Explain the assurance, with which more topics are needed; empty, if there is none."""
    assured = [percent(row.assurance) for row in rows if row.assurance is not None]
    if not assured:
        return ""
    return f"Topics needed for a half-width: enough for {assured[0]} of samples to reach it."


def _about_bound(rows: Sequence[PlanRow]) -> str:
    """Explain when the upper bound of topics holds; empty, if no row has one."""
    if all(row.needed_high is None for row in rows):
        return ""
    confidence = percent(power.CONFIDENCE)
    noun = f"{rows[0].group_noun or 'topic'}s"
    if any(row.in_collections for row in rows):
        noun = "topics, or collections,"
    return (
        f"Up to: the pilot's sd is an estimate; with {confidence} confidence, no more {noun} than "
        "these are needed, if scores (or differences) are about normal."
    )


def _sentence(rows: Sequence[PlanRow]) -> list[Cell]:
    """Return in words what today's topics give, and what targets need, both at the first level."""
    like = "like these"
    if rows[0].collections and not rows[0].in_collections:
        like = f"of these {rows[0].collections} collections"
    at_first_level = [row for row in rows if row.level == rows[0].level]
    at = f" at {percent(rows[0].level)}" if len(at_first_level) < len(rows) else ""
    sentence: list[Cell] = []
    is_bound_explained = False  # whether it is said already what an upper bound allows for
    for _, group in groupby(at_first_level, lambda row: row.design):
        of_design = list(group)
        first = of_design[0]
        if first.no_variance:
            continue
        clauses = []
        for row in of_design:
            if row.target is not None:
                clauses.append(_needed(row, first=not is_bound_explained))
                is_bound_explained = is_bound_explained or row.needed is not None
        needed: list[Cell] = ["; ", *series_of_cells(clauses)] if clauses else []
        repeats = "" if first.repeats is None else f" and {count(first.repeats, 'repeat')}"
        if first.judge_topics is not None:
            repeats = f" judged by people and {first.judge_topics} by the judge"
        begin = f"With {count(first.now, first.noun)}{repeats} {like}, " if not sentence else " "
        sentence += [begin, *_attained(first, at, first=not sentence), *_alone(first)]
        sentence += [*needed, "."]
        sentence += _instead(first) if first.power is None else []
    without_variance = [row.design for row in rows if row.no_variance]
    if without_variance:
        values = (
            "scores of a run" if HALF_WIDTH_OF_MEAN in without_variance else "differences of runs"
        )
        space = " " if sentence else ""
        sentence.append(f"{space}All {values} are equal, so there is no variance.")
    return sentence


def _alone(row: PlanRow) -> list[Cell]:
    """Return in words what people's topics give without the judge, if there is one."""
    if row.topics_for_same is None:
        return []
    sign = "" if row.power is not None else "±"
    same = f"{count(row.topics_for_same, 'topic')} judged by people"
    enough = f"; with the judge, {same} would give the same"
    return [f" (people only: {sign}", row.human_attained, f"{enough})"]


def _instead(row: PlanRow) -> list[Cell]:
    """Return in words what longer groups, or more of topics or repeats alone, could do at best."""
    if row.group_noun and row.group_share > 0:
        least = row.attained * math.sqrt(row.group_share)
        longer = f"Longer {row.group_noun}s by themselves would bring it to no less than ±"
        return [f" {longer}", least, "."]
    if row.group_noun:
        return [f" Longer {row.group_noun}s would help as much as more of them."]
    if row.repeats is None:
        return []
    if row.repeat_share <= _NEGLIGIBLE:
        return [" Repeats hardly differ, so more topics are what helps."]
    share = percent(round(row.repeat_share, 2))
    return [f" More topics by themselves leave the {share} of variance that comes from repeats."]


def _attained(row: PlanRow, at: str, *, first: bool) -> list[Cell]:
    """Return in words what today's topics give, as the `first` sentence or as a further one.

    `at` names the level for sentences that would not name it, if there are several.
    """
    if row.design == DETECTABLE_DIFFERENCE:
        begin = f"{'you' if first else 'You'} can detect a difference of "
        typical = " between typical runs" if row.runs > 2 else ""
        with_power = f"with a power of {percent(row.power or 0)}{at}"
        return [begin, row.attained, f" in {row.measure}{typical} {with_power}"]
    if row.design == NON_INFERIORITY:
        begin = f"{'you' if first else 'You'} can show that a run as good as another is not worse "
        with_power = f"with a power of {percent(row.power or 0)}{at}"
        return [f"{begin}by more than ", row.attained, f" in {row.measure} {with_power}"]
    if row.design == HALF_WIDTH_OF_MEAN:
        whose = "the run's" if row.runs == 1 else "a typical run's"
        return [f"the {percent(row.level)} interval of {whose} {row.measure} is ±", row.attained]
    begin = f"{'the' if first else 'The'} {percent(row.level)} interval of"
    whose = "two typical runs" if row.runs > 2 else "two runs"
    return [f"{begin} the difference of {whose} is ±", row.attained]


def _needed(row: PlanRow, *, first: bool) -> list[Cell]:
    """Return `to reach ±0.03 you would need 203 topics (up to 251)`, the `first` time with why."""
    target = whole_if_it_is(row.target or 0.0)
    aim = f"{_AIMS.get(row.design, 'to reach ±')}{target!r}"
    if row.assurance is not None:
        aim += f" in {percent(row.assurance)} of samples"
    needed, high, now = row.needed, row.needed_high, row.now
    if needed is None:
        if row.repeats_needed is not None:
            enough = f"{count(row.repeats_needed, 'repeat')} of these topics would"
            return [f"{aim} no practical number of topics would be enough, but {enough}"]
        alone = f" of {row.noun}s"
        if row.repeats is not None:
            alone = " of topics by themselves, or of repeats by themselves,"
        return [f"{aim} no practical number{alone} would be enough"]
    known = count(needed, row.noun)
    if needed == high and high <= now:
        return [f"{aim} you have enough already ({known} needed)"]
    bound = "more than is practical" if high is None else f"up to {high}"
    if row.judge_topics is not None and needed > row.judge_topics:
        bound += f"; beyond the {row.judge_topics} topics of the judge, which does not help there"
    if row.repeats_needed is not None and needed > now:
        bound += f"; or, with these topics, {row.repeats_needed} repeats"
    why = "allowing for the pilot's own uncertainty, " if first else ""
    if needed > now:
        return [f"{aim} you would need {known} ({why}{'perhaps ' * (high is None)}{bound})"]
    if high is not None and high <= now:
        return [f"{aim} you have enough already ({known} needed; {why}{bound})"]
    why = "allowing for its uncertainty, " if first else ""
    enough = f"the pilot says that you have enough ({known} needed)"
    return [f"{aim} {enough}, but {why}it may take {bound}"]
