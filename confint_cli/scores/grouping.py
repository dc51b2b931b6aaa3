"""Which topics belong together: by a pattern of their ids, by a file, or by a column of tables."""

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from confint_cli.common.errors import CallError, DataError, Notice, detail, note
from confint_cli.common.text import have, listed, quoted, visible
from confint_cli.inputs.header import GROUP as COLUMNS
from confint_cli.inputs.header import TOPIC
from confint_cli.inputs.reading import Reading, TopicGroups
from confint_cli.inputs.source import read_text_source
from confint_cli.scores.design import Groups
from confint_cli.scores.labels import GROUP, Pattern
from confint_cli.scores.scores import Scores

SIZE, EQUAL = "size", "equal"
"""What groups count by: the number of their topics, or all alike."""

GroupOf = Callable[[str, str], str | None]
"""Takes a collection (empty: there is one) and a topic; returns the group of the topic, or None."""

_FIELD = f"{{{GROUP}}}"
_LISTED = 5  # topics or groups in a message, at most
_LIKE_TURNS = re.compile(r"([0-9]+(?:[_-][0-9]+)*)([_-])[0-9]+")  # 31_4, 9-1_3
_PLAIN_NOUN = "group"


def with_groups(
    scores: Scores, by: str | Mapping[str, str] | None, weight: str, readings: Sequence[Reading]
) -> tuple[Scores, list[Notice]]:
    """Return the scores with the groups of their topics, and notices about these.

    `by` is a pattern, the path of a file, or the groups themselves by topic; None: columns of
    tables may name groups, else there are none. Groups count by their `weight`.
    """
    if by is not None:
        group_of, told_by = _by_option(by)
        return _grouped(scores, group_of, told_by, _PLAIN_NOUN, weight, is_told=True)
    columns = [reading.groups for reading in readings if reading.groups is not None]
    if not columns:
        if weight != SIZE:
            raise CallError(
                "--group-weight is for topics in groups, but there are no groups",
                "--groups '{group}_{}' takes groups from the ids of topics",
            )
        return scores, _perhaps_groups(scores)
    noun = columns[0].column.casefold().removesuffix("_id")
    noun = noun if noun in COLUMNS else _PLAIN_NOUN
    return _grouped(scores, _by_columns(columns, scores), columns[0].column, noun, weight)


def _grouped(
    scores: Scores, group_of: GroupOf, by: str, noun: str, weight: str, *, is_told: bool = False
) -> tuple[Scores, list[Notice]]:
    """Return the scores with the groups of their topics; `is_told`: an option names them.

    A group is of one collection: of the same name in another, it is another group.
    """
    named = [
        (collection, topic, group_of(collection, topic)) for collection, topic in topics_of(scores)
    ]
    without = [topic for _, topic, group in named if not group]
    if is_told and len(without) == len(named):
        example = named[0][1]
        raise DataError(
            "",
            f"no topic has a group by --groups {quoted(by)}",
            f"topics have ids such as {quoted(example)}; '{{group}}_{{}}' fits ids such as 31_4",
        )
    if without:
        raise DataError(
            "",
            f"{have(len(without), 'topic')} no group by {quoted(by)}: {listed(without, _LISTED)}",
            "every topic needs a group; --topics FILE lists the topics to use",
        )
    places: dict[tuple[str, str], int] = {}
    codes = [places.setdefault((of, group or ""), len(places)) for of, _, group in named]
    names = [group for _, group in places]
    per_collection: dict[str, int] = {}
    for collection, _ in places:
        per_collection[collection] = per_collection.get(collection, 0) + 1
    if len(places) == len(codes):
        text = f"every topic is its own {noun} by {quoted(by)}: nothing is grouped"
        return scores, [note(text) if is_told else detail(text)]
    for collection, number in per_collection.items():
        if number < 2:
            of_collection = f" of {quoted(collection)}" if collection else ""
            raise DataError(
                "",
                f"all topics{of_collection} are in one {noun} by {quoted(by)}: nothing shows how "
                f"much {noun}s differ",
                "an interval needs two groups or more"
                if is_told
                else "--labels none ignores the column",
            )
    groups = Groups(tuple(map(visible, names)), np.array(codes), by, noun, weight == EQUAL)
    return replace(scores, groups=groups), _shared_names(names, noun, is_pattern=_FIELD in by)


def topics_of(scores: Scores) -> list[tuple[str, str]]:
    """Return the collection, empty if there is one only, and the name of each topic."""
    if scores.collections is None:
        return [("", topic) for topic in scores.topics]
    return [
        (name, topic)
        for name, rows in zip(scores.collections.names, scores.collections.slices, strict=True)
        for topic in scores.topics[rows]
    ]


def _shared_names(names: Sequence[str], noun: str, *, is_pattern: bool) -> list[Notice]:
    """Return a note on groups of one name in several collections; of a pattern, they may be."""
    shared = [name for name, number in Counter(names).items() if number > 1]
    if not shared or is_pattern:
        return []
    text = f"{noun}s of the same name in several collections are different {noun}s"
    return [note(f"{text}: {listed(shared, _LISTED)}")]


def _by_option(by: str | Mapping[str, str]) -> tuple[GroupOf, str]:
    """Return the function that gives the group of a topic by --groups, and what to call that."""
    if not isinstance(by, str):
        given = {visible(topic): group for topic, group in by.items()}
        return lambda _, topic: given.get(topic), f"{len(given)} given"
    if "{" in by and not os.path.exists(by):
        pattern = Pattern.of(by, "--groups", (GROUP,))
        return lambda _, topic: _matched(pattern, topic), by
    by_topic = _read_file(by)
    return lambda _, topic: by_topic.get(topic), os.path.basename(by)


def _matched(pattern: Pattern, topic: str) -> str | None:
    """Return the group of a topic by a pattern of its id; None: it is not matched."""
    ways = [*dict.fromkeys(way[GROUP] for way in pattern.ways(topic))]
    if len(ways) > 1:
        raise DataError(
            "",
            f"topic {quoted(topic)} fits --groups {quoted(pattern.text)} in several ways: group "
            f"{' or '.join(map(quoted, ways[:2]))}",
            "use --groups FILE, a file of topics and their groups",
        )
    return ways[0] if ways else None


def _read_file(path: str) -> dict[str, str]:
    """Return the groups by topic in a file of two columns, by tabs, commas or blanks."""
    source = read_text_source(path)
    groups: dict[str, str] = {}
    for number, line in source.lines():
        if line.startswith("#"):
            continue
        separator = next((mark for mark in "\t," if mark in line), None)
        cells = [cell.strip().strip('"') for cell in line.split(separator)]
        if len(cells) != 2 or not all(cells):
            raise source.error(
                number,
                f"a line has to be a topic and its group, not {quoted(line.strip())}",
                "if names have blanks, put a tab or a comma between topic and group",
            )
        topic, group = cells
        if not groups and topic.casefold() in TOPIC and group.casefold() in COLUMNS:
            continue
        if groups.setdefault(visible(topic), group) != group:
            raise source.error(
                number,
                f"topic {quoted(topic)} is in group {quoted(group)} here, and in "
                f"{quoted(groups[visible(topic)])} above",
            )
    if not groups:
        raise DataError(source.name, "lists no topics with their groups")
    return groups


def _by_columns(columns: Sequence[TopicGroups], scores: Scores) -> GroupOf:
    """Return the function that gives the group of a topic by columns of tables."""
    by_topic: dict[tuple[str, str], str] = {}
    for column in columns:
        for (collection, topic), group in column.by_topic.items():
            of = visible(collection) if scores.collections is not None else ""
            known = by_topic.setdefault((of, visible(topic)), group)
            if known != group:
                raise DataError(
                    "",
                    f"column {quoted(column.column)} of one file puts topic {quoted(topic)} into "
                    f"{quoted(known)}, that of another file into {quoted(group)}",
                    "use --groups FILE for the groups, or --labels none to ignore such columns",
                )
    return lambda collection, topic: by_topic.get((collection, topic)) or by_topic.get(("", topic))


def _perhaps_groups(scores: Scores) -> list[Notice]:
    """Return a note if the ids of topics look like turns of conversations, 31_4 and 31_5."""
    found = [_LIKE_TURNS.fullmatch(topic) for topic in scores.topics]
    if not found or not all(found):
        return []
    marks = {match[2] for match in found if match}
    prefixes = {match[1] for match in found if match}
    if len(marks) > 1 or 2 * len(prefixes) > len(found) or len(prefixes) < 2:
        return []
    (mark,) = marks
    example = next(topic for topic in scores.topics)
    is_clear = all(topic.count(mark) == 1 for topic in scores.topics)
    option = f"'{_FIELD}{mark}{{}}'" if is_clear else "FILE, with topics and their groups"
    return [
        note(
            f"topics such as {example} look like turns of {len(prefixes)} conversations, or like "
            "variants of a query, which are not independent",
            what_to_do=f"if so, use --groups {option}",
        )
    ]
