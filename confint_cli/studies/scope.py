"""For whom a result holds, in words: new topics like these, groups of them, repeats, collections.

Besides, the columns that results of a design have and plain ones have not. A cheaper judge and
bounds of scores are such designs too, but say nothing about whom a result is for.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from confint_cli.common.text import count
from confint_cli.common.words import series
from confint_cli.studies.facts import Facts

if TYPE_CHECKING:
    from confint_cli.scores.scores import Scores

TOPICS, COLLECTIONS = "topics", "collections"
FOR_NEW = (TOPICS, COLLECTIONS)
"""What a result over several collections may be for: new topics of these, or new collections."""

OF_COLLECTIONS, OF_GROUPS, OF_REPEATS, OF_JUDGE = "collections", "groups", "repeats", "judge"
OF_BOUNDS = "bounds"
"""What a design may have: several collections, groups of topics, repeats of runs, a cheaper judge.

Besides, scores may be known between bounds only.
"""

NOUNS = {
    OF_COLLECTIONS: "several collections",
    OF_GROUPS: "groups of topics",
    OF_REPEATS: "repeats of runs",
    OF_JUDGE: "a cheaper judge",
    OF_BOUNDS: "bounds",
}
_SIZES = ("topics", "sample_size", "topics_now")
_ERRORS = ("df", "se", "mean")
_FURTHER = {
    OF_COLLECTIONS: {
        "collection": ("run", "measure"),
        "collections": _SIZES,
        "df": ("se",),
        "collections_needed": ("topics_needed_high",),
        "collections_needed_high": ("topics_needed_high",),
    },
    OF_GROUPS: {
        "group": ("topic",),
        "groups": _SIZES,
        "df": ("se",),
        "design_effect": _ERRORS,
        "groups_needed": ("topics_needed_high",),
        "groups_needed_high": ("topics_needed_high",),
        "group_share": ("attained",),
    },
    OF_REPEATS: {
        "repeat": ("run",),
        "repeats": _SIZES,
        "baseline_repeats": ("baseline",),
        "df": ("se",),
        "repeat_share": (*_ERRORS, "attained"),
        "repeats_needed": ("topics_needed_high",),
    },
    OF_JUDGE: {
        "human_topics": ("topics",),
        "judge_topics": ("topics_now", "sample_size"),
        "df": ("se",),
        "human_mean": ("high",),
        "human_difference": ("high",),
        "human_low": ("high",),
        "human_high": ("high",),
        "judge_mean": ("high",),
        "judge_difference": ("high",),
        "bias": ("high",),
        "slope": ("high",),
        "correlation": ("high", "attained"),
        "effective_topics": ("high",),
        "human_attained": ("attained",),
        "topics_for_same": ("topics_needed_high",),
    },
    OF_BOUNDS: {
        "least_difference": ("difference",),
        "largest_difference": ("difference",),
        "least": ("mean", "score"),
        "largest": ("mean", "score"),
    },
}
"""The columns of results by what their design has, and those behind which they stand.

Of several places, the first that there is counts; a column without any is not there.
"""

_ONLY_WITH = {
    "repeat": "topic",
    "baseline_repeats": "difference",
    "human_difference": "difference",
    "judge_difference": "difference",
}
_NEVER_WITH = {
    "design_effect": "sample_size",
    "repeat_share": "sample_size",
    "least": "difference",
    "largest": "difference",
    "human_mean": "difference",
    "judge_mean": "difference",
}
"""Columns that a table has only if it has another one, or only if it has not."""

FEW_COLLECTIONS = 5  # fewer hardly show how much collections differ


def with_further(names: Sequence[str], designs: Collection[str]) -> list[str]:
    """Return the names of the columns of a result of a design, which has more than `names`."""
    behind: dict[str, list[str]] = {}
    known = {*names}
    for design, columns in _FURTHER.items():
        for name, places in columns.items() if design in designs else ():
            there = [place for place in places if place in known]
            if name in known or not there or not _has_place(name, names):
                continue
            known.add(name)
            behind.setdefault(there[0], []).append(name)

    def with_those_behind(name: str) -> list[str]:
        return [name, *(each for own in behind.get(name, ()) for each in with_those_behind(own))]

    return [column for name in names for column in with_those_behind(name)]


def _has_place(name: str, names: Sequence[str]) -> bool:
    """Say whether a table with these columns has a use for a further one."""
    return _ONLY_WITH.get(name, names[0]) in names and _NEVER_WITH.get(name) not in names


def designs_with(name: str) -> tuple[str, ...]:
    """Return the designs whose results have a further column of this name."""
    return tuple(design for design, columns in _FURTHER.items() if name in columns)


def designs_in(facts: Facts) -> list[str]:
    """Return what the design of a result has: collections, groups, repeats, a judge, bounds."""
    return [design for design in _FURTHER if design in facts]


def designs_of(scores: "Scores") -> list[str]:
    """Return what the design of scores has: collections, groups, repeats, a judge, bounds."""
    has = {
        OF_COLLECTIONS: scores.collections is not None,
        OF_GROUPS: scores.groups is not None,
        OF_REPEATS: scores.repeats is not None,
        OF_JUDGE: scores.judge is not None,
        OF_BOUNDS: scores.bounded,
    }
    return [name for name, is_there in has.items() if is_there]


def in_words(designs: Sequence[str]) -> str:
    """Return `groups of topics`, or `several collections and repeats of runs`."""
    return series([NOUNS[name] for name in designs])


def how_to_have_one(designs: Sequence[str]) -> str:
    """Return what to do so that scores have one of these designs only, as a hint."""
    ways = {
        OF_COLLECTIONS: "give the files or rows of one collection",
        OF_GROUPS: "use topics without groups (no --groups, or --labels none)",
        OF_REPEATS: "give one repeat of each run",
        OF_JUDGE: "leave out the judge",
        OF_BOUNDS: "leave out --unjudged bounds",
    }
    return ", or ".join(ways[name] for name in designs)


def facts_of_design(scores: "Scores") -> Facts:
    """Return the facts about groups of topics, repeats of runs, a judge and bounds, if any."""
    facts: Facts = {}
    if scores.groups is not None:
        facts["groups"] = len(scores.groups.names)
        facts["group_noun"] = scores.groups.noun
        facts["grouped_by"] = scores.groups.by
        facts["group_weight"] = "equal" if scores.groups.equal else "size"
    if scores.repeats is not None:
        facts["repeats"] = tuple(sorted({*scores.repeats.numbers}))
    if scores.judge is not None:
        facts["judge"] = scores.judge.judged_by
        facts["judge_topics"] = len(scores.judge.topics)
    if scores.bounded:
        facts["bounds"] = True
    return facts


def has_collections(facts: Facts) -> bool:
    """Say whether a result is over several collections."""
    return OF_COLLECTIONS in facts


def has_groups(facts: Facts) -> bool:
    """Say whether the topics of a result come in groups."""
    return OF_GROUPS in facts


def has_repeats(facts: Facts) -> bool:
    """Say whether runs of a result have repeats."""
    return OF_REPEATS in facts


def has_bounds(facts: Facts) -> bool:
    """Say whether scores of a result are known between bounds only."""
    return OF_BOUNDS in facts


def has_judge(facts: Facts) -> bool:
    """Say whether a result is by people and a cheaper judge."""
    return OF_JUDGE in facts


def for_whom(facts: Facts) -> str:
    """Return for whom a result holds: `for new topics of these 3 collections`, …; empty if plain.

    `for new conversations like these 19`, `for new repeats and new topics`.
    """
    rows = "topics"
    if has_groups(facts):
        rows = f"{facts['group_noun']}s"
    like = ""
    if has_collections(facts):
        number = facts["collections"]
        rows, like = (
            ("collections", f" like these {number}")
            if facts["for_new"] == COLLECTIONS
            else (rows, f" of these {number} collections")
        )
    elif has_groups(facts):
        like = f" like these {facts['groups']}"
    repeats = "new repeats and " if has_repeats(facts) else ""
    designs = [each for each in designs_in(facts) if each not in (OF_JUDGE, OF_BOUNDS)]
    return f"for {repeats}new {rows}{like}" if designs else ""


def topics_of(facts: Facts, topics: int, groups: int | None = None) -> str:
    """Return `50 topics`, or `158 topics in 19 conversations`."""
    return f"{count(topics, 'topic')}{_in_groups(facts, groups)}"


def _in_groups(facts: Facts, groups: int | None = None) -> str:
    """Return ` in 19 conversations`; empty, if topics do not come in groups."""
    if not has_groups(facts):
        return ""
    number = facts["groups"] if groups is None else groups
    alike = ", each weighted equally" if facts.get("group_weight") == "equal" else ""
    return f" in {count(number, facts['group_noun'])}{alike}"


def title_of(measure: str, facts: Facts, topics: int, human_topics: int | None = None) -> str:
    """Return how the title of a table begins: the measure, what there is, and for whom it holds.

    If a cheaper judge stands beside people, these have judged `human_topics` of the topics.

    `nDCG@10, 3 collections, 100 topics, for new topics of these 3 collections`; `map, 50 topics`.
    """
    parts = [measure]
    if has_collections(facts):
        parts.append(count(facts["collections"], "collection"))
    if human_topics is None:
        parts.append(topics_of(facts, topics))
    else:  # people's topics are those that come in as many groups
        by_people = f"{human_topics} of them judged by people{_in_groups(facts)}"
        parts += [count(topics, "topic"), by_people]
    whom = for_whom(facts)
    return ", ".join([*parts, whom] if whom else parts)


def facts_of_part(row: Any, facts: Facts) -> Facts:
    """Return the facts as they are for a row; those of one collection know of no others."""
    if not row.collection or row.collections:
        return facts
    own: Facts = {**facts}
    own.pop("collections", None)
    own.pop("for_new", None)
    if has_groups(facts) and row.groups is not None:
        own["groups"] = row.groups
    return own


def title_of_part(row: Any, facts: Facts) -> str:
    """Return how the title of a table of one collection begins, or of one over all of them.

    `map, news, 50 topics`; `map, macro, 3 collections, 150 topics, for new topics of …`.
    """
    name = f"{row.measure}, {row.collection}" if row.collection else row.measure
    return title_of(name, facts_of_part(row, facts), row.topics, row.human_topics)


def where(row: Any, facts: Facts) -> str:
    """Return in which collection, or for whom, a result holds; empty, if that is clear."""
    if row.collection and not row.collections:
        return f" in {row.collection}"
    return f", {for_whom(facts)}" if for_whom(facts) else ""


def of_single(facts: Facts) -> str:
    """Return for whom rows of single collections are, in a result for new collections."""
    repeats = "new repeats and " if has_repeats(facts) else ""
    rows = f"{facts['group_noun']}s" if has_groups(facts) else "topics"
    return f"Rows of single collections are for {repeats}new {rows} of that collection"


ABOUT_MACRO = "macro: the mean of the collections' means, each weighted equally."
