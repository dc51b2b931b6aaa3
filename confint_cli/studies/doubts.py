"""Doubts about intervals in words: the notes that people read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from confint_cli.common.arrays import TextArray
from confint_cli.common.text import count, listed
from confint_cli.stats.equivalence import Verdict
from confint_cli.stats.flags import Doubt, DoubtArray

_LISTED = 5  # runs that a sentence names, at most

WORDS = {  # in the order in which a note has them
    Doubt.ONE_TOPIC: "one topic",
    Doubt.FEW_TOPICS: "few topics",
    Doubt.NO_VARIANCE: "no variance",
    Doubt.MOSTLY_ZEROS: "mostly zeros",
    Doubt.MOSTLY_TIES: "mostly ties",
    Doubt.MOSTLY_ONE_VALUE: "mostly one value",
    Doubt.SKEWED: "skewed",
    Doubt.UNBOUNDED: "unbounded",
    Doubt.RESAMPLED: "resampled",
    Doubt.IDENTICAL: "identical",
    Doubt.FEW_DIFFERENCES: "few differences",
    Doubt.FEW_LOSSES: "few losses",
    Doubt.NO_LOSSES: "no losses",
    Doubt.NO_WINS: "no wins",
    Doubt.SAME_BUT_SCALED: "correlation 1",
    Doubt.MIRRORED: "correlation -1",
    Doubt.FEW_COLLECTIONS: "few collections",
    Doubt.PARTLY_CONSTANT: "no variance in a collection",
    Doubt.FEW_GROUPS: "few groups",
    Doubt.ONE_REPEAT: "one repeat",
    Doubt.FEW_REPEATS: "few repeats",
    Doubt.JUDGE_CONSTANT: "judge constant",
    Doubt.NO_OTHER_TOPICS: "no further topics",
    Doubt.NO_GAIN: "no gain",
    Doubt.BOUNDS_WIDE: "bounds wide",
}


VERDICTS = {
    Verdict.EQUIVALENT: "equivalent",
    Verdict.SUPERIOR: "superior",
    Verdict.INFERIOR: "inferior",
    Verdict.NOT_INFERIOR: "not inferior",
    Verdict.UNDECIDED: "undecided",
}
"""What is shown of a difference and a margin, as records and tables have it."""

_HARMLESS = Doubt.RESAMPLED | Doubt.JUDGE_CONSTANT | Doubt.NO_OTHER_TOPICS | Doubt.NO_GAIN


def serious(doubts: int) -> int:
    """Return the doubts about whether an interval covers as often as its level says.

    These are all doubts except `resampled` and those about a judge, with which people's scores
    decide.
    """
    return doubts & ~int(_HARMLESS)


@cache  # there are few combinations, and many intervals
def words_of(doubts: int) -> tuple[str, ...]:
    """Return the words for the doubts about one interval, in the order of a note."""
    return tuple(word for doubt, word in WORDS.items() if doubts & doubt)


@cache
def note_of(doubts: int) -> str:
    """Return the note on one interval, such as `few topics, skewed`; empty without doubts."""
    return ", ".join(words_of(doubts))


def notes_of(doubts: DoubtArray) -> TextArray:
    """Return the note on each of many intervals, as an array of the same shape."""
    kinds, places = np.unique(doubts, return_inverse=True)
    notes: TextArray = np.array([note_of(kind) for kind in kinds.tolist()], dtype=object)
    return notes[places.reshape(doubts.shape)]


def note_by_methods(doubts: Sequence[tuple[str, int]]) -> str:
    """Return one note on several intervals of the same run, which are (method, doubts).

    A word that is true of only some methods is followed by their names or, if those are fewer, by
    the names of the methods that it is not true of.
    """
    methods_by_word: dict[str, list[str]] = {}  # a method is there for each of its levels
    for method, of_interval in doubts:
        for word in words_of(of_interval):
            methods_by_word.setdefault(word, []).append(method)
    remarks = []
    for word, methods in methods_by_word.items():
        others = dict.fromkeys(method for method, _ in doubts if method not in methods)
        distinct = dict.fromkeys(methods)
        if len(methods) == len(doubts):
            remarks.append(word)
        elif others and len(others) < len(distinct) - 1:
            remarks.append(f"{word} (all but {', '.join(others)})")
        else:
            remarks.append(f"{word} ({', '.join(distinct)})")
    return ", ".join(remarks)


def counted_note(doubts: Sequence[int]) -> str:
    """Return one note on several runs, `few topics, 3 skewed`: a word without number is for all."""
    counts = Counter(word for of_run in doubts for word in words_of(of_run))
    return ", ".join(
        word if number == len(doubts) else f"{number} {word}" for word, number in counts.items()
    )


def full_note(doubts: int, *remarks: str) -> str:
    """Return the note on one interval with further remarks; empty ones are left out."""
    return ", ".join(filter(None, [note_of(doubts), *remarks]))


def missing_note(topics: int) -> str:
    """Return `3 topics missing`, for a run that lacks topics, which are scored 0; else nothing.

    A message says so too, but not all who read a table see the message.
    """
    return f"{count(topics, 'topic')} missing" if topics else ""


def missing_notes(run: int, baseline: int) -> list[str]:
    """Return the remarks on topics that the run of a pair lacks, and those of its baseline."""
    return [missing_note(run), f"baseline: {missing_note(baseline)}" if baseline else ""]


def repeat_notes(doubts: int, run: int | None, baseline: int | None) -> list[str]:
    """Return the remarks on which of the two runs of a pair has one repeat, beside runs with more.

    `run` and `baseline` are their numbers of repeats.
    """
    if not doubts & Doubt.ONE_REPEAT:
        return []
    word = WORDS[Doubt.ONE_REPEAT]
    return [word if run == 1 else "", f"baseline: {word}" if baseline == 1 else ""]


def missing_in_words(topics: Mapping[str, int]) -> str:
    """Return a sentence, for below a table, on the runs that lack topics, and how many they lack.

    It is empty if no run lacks any.
    """
    runs = [f"{run} ({missing_note(number)})" for run, number in topics.items() if number]
    return f"Missing topics count as 0: {listed(runs, _LISTED)}." if runs else ""
