"""For whom a result holds, in words: new topics like these, of these collections, or new ones."""

from collections.abc import Sequence

from confint_cli.common.text import count
from confint_cli.studies.facts import Facts

TOPICS, COLLECTIONS = "topics", "collections"
FOR_NEW = (TOPICS, COLLECTIONS)
"""What a result over several collections may be for: new topics of these, or new collections."""

_BEHIND = {
    "collection": ("run", "measure"),
    "collections": ("topics", "sample_size", "topics_now"),
    "df": ("se",),
    "collections_needed": ("topics_needed_high",),
    "collections_needed_high": ("topics_needed_high",),
}
"""The columns of results over collections, and those behind which they stand: the first there."""

FEW_COLLECTIONS = 5  # fewer hardly show how much collections differ


def with_further(names: Sequence[str]) -> list[str]:
    """Return the names of the columns of a result over collections, which has more than `names`."""
    behind: dict[str, list[str]] = {}
    for name, places in _BEHIND.items():
        if name not in names and (there := [place for place in places if place in names]):
            behind.setdefault(there[0], []).append(name)
    return [column for name in names for column in (name, *behind.get(name, ()))]


def is_further(name: str) -> bool:
    """Say whether only results over collections have a column of this name."""
    return name in _BEHIND


def has_collections(facts: Facts) -> bool:
    """Say whether a result is over several collections."""
    return "collections" in facts


def for_whom(facts: Facts) -> str:
    """Return `for new topics of these 3 collections`, or `for new collections like these 3`."""
    number = facts["collections"]
    if facts["for_new"] == COLLECTIONS:
        return f"for new collections like these {number}"
    return f"for new topics of these {number} collections"


def title_of(measure: str, facts: Facts, topics: int) -> str:
    """Return how the title of a table over collections begins.

    `nDCG@10, 3 collections, 100 topics, for new topics of these 3 collections`.
    """
    number = count(facts["collections"], "collection")
    return f"{measure}, {number}, {count(topics, 'topic')}, {for_whom(facts)}"


OF_SINGLE = "Rows of single collections are for new topics of theirs"
ABOUT_MACRO = "macro: the mean of the collections' means, each of which counts alike."
