"""The scores of a cheaper judge beside those of people: where they are, and whether they fit."""

import os
from collections.abc import Collection, Sequence
from dataclasses import replace

from confint_cli.common.errors import CallError, DataError, Notice, detail, note, prefixed
from confint_cli.common.measures import canonical
from confint_cli.common.text import count, listed, quoted, visible
from confint_cli.inputs.reading import Reading
from confint_cli.inputs.source import stem
from confint_cli.scores.labels import (
    COLLECTION,
    RUN,
    Label,
    Pattern,
    fits_in_several_ways,
    is_pattern,
    shown_path,
)
from confint_cli.scores.scores import Scores

OPTION = "--judge-scores"
_LISTED = 3  # runs in a message, at most


def labelled_files(
    text: str, readings: Sequence[Reading], labels: Collection[Label]
) -> dict[str, Label]:
    """Return the files that --judge-scores stands for, and which run of which collection each is.

    A text without `{run}` and `{collection}` is one file, with an empty label. Files of runs that
    are not among the `readings` of people are left out; `labels` are those of people's files.
    """
    if not is_pattern(text):
        if os.path.isdir(text):
            raise DataError(
                text,
                f"is a folder, but {OPTION} is a pattern of paths, or one table of all runs",
                f"'{os.path.join(text, '{run}')}.eval', in quotes, stands for one file per run",
            )
        return {text: Label()}
    pattern = Pattern.of(text, OPTION, (RUN, COLLECTION))
    paths = pattern.files()
    if not paths:
        raise DataError(text, f"no file fits this {OPTION}")
    found = {path: _label(path, pattern, labels) for path in paths}
    known = _names(readings, labels)
    wanted = {path: label for path, label in found.items() if label.run in (None, *known)}
    if not wanted:
        raise DataError(
            "",
            f"{OPTION} {quoted(text)} has files of "
            f"{listed([label.run or '' for label in found.values()], _LISTED)}, but none of a run "
            f"in FILES, such as {quoted(min(known))}",
            "--labels '{run}.eval' names the runs of FILES by their paths",
        )
    by_label: dict[Label, str] = {}
    for path, label in wanted.items():
        other = by_label.setdefault(label, path)
        if other != path:
            raise DataError(
                path, f"is for the same run as {quoted(other)}, by {OPTION} {quoted(text)}",
                "leave one of them out",
            )  # fmt: skip
    return wanted


def _label(path: str, pattern: Pattern, labels: Collection[Label]) -> Label:
    """Return what a path says of its file, in the one way that people's files have, too."""
    known = {(label.run, label.collection) for label in labels}
    ways = pattern.labels_of_all(path)
    fit = [way for way in ways if (way.run, way.collection) in known]
    if len(ways) == 1 or len(fit) == 1:
        return (fit or ways)[0]
    hint = "use a separate folder for each collection"
    raise fits_in_several_ways(path, pattern, fit or ways, hint, OPTION)


def _names(readings: Sequence[Reading], labels: Collection[Label]) -> set[str]:
    """Return all names that the runs of people's files may have."""
    names = {label.run for label in labels if label.run is not None}
    for reading in readings:
        names |= {stem(reading.path), *filter(None, [reading.tag])}
        names |= {series.run for series in reading.series if series.run is not None}
    return names


def only_measure(readings: Sequence[Reading]) -> str | None:
    """Return the name of the measure of all readings; None, if there are several."""
    names = {canonical(name): name for reading in readings for name in reading.measures}
    return next(iter(names.values())) if len(names) == 1 else None


def shared_measures(
    scores: Scores, readings: Sequence[Reading], *, chosen: bool
) -> tuple[list[str], list[Notice]]:
    """Return which measures of people's scores the judge's readings have, and a note on others.

    All of them are needed if they are `chosen` by the call.
    """
    there = {canonical(name) for reading in readings for name in reading.measures}
    shared = [name for name in scores.measures if canonical(name) in there]
    if len(shared) == len(scores.measures):
        return shared, []
    lacking = [name for name in scores.measures if name not in shared]
    if not shared or chosen:
        names = dict.fromkeys(name for reading in readings for name in reading.measures)
        raise DataError(
            "",
            f"the judge has no scores on {listed(lacking, _LISTED)}",
            f"it has {listed([*map(visible, names)], _LISTED)}; --measure-name names the measure "
            "of files that do not name it",
        )
    return shared, [note(f"the judge has no scores on {listed(lacking, _LISTED)}: left out")]


def with_judge(
    scores: Scores, judge: Scores, name: str, about: Sequence[Notice]
) -> tuple[Scores, list[Notice]]:
    """Return people's scores with those of the judge, of the same runs and measures, and notices.

    `name` is what the judge is called, and `about` are the notices about its scores.
    """
    if scores.repeats is not None or judge.repeats is not None:
        raise CallError(
            "repeats of runs cannot be combined with a cheaper judge",
            "give one file per run, or leave out the judge",
        )
    notices = [_of_judge(notice) for notice in about]
    _check_collections(scores, judge)
    _check_groups(scores, judge)
    if len(scores.runs) == len(judge.runs) == 1 and scores.runs != judge.runs:
        (run,), (other,) = scores.runs, judge.runs
        notices.append(note(f"the judge's scores of {other} are used as those of {run}"))
        judge = replace(judge, runs=scores.runs)
    lacking = [run for run in scores.runs if run not in judge.runs]
    if lacking:
        raise DataError(
            "",
            f"the judge has no scores of {count(len(lacking), 'run')}: {listed(lacking, _LISTED)}",
            f"it has scores of {listed(judge.runs, _LISTED)}; a run needs the same name for both; "
            f"'{{run}}' in {OPTION}, in quotes, finds files by that name",
        )
    further = len(judge.runs) - len(scores.runs)
    if further:
        notices.append(detail(f"left out {count(further, 'run')} that only the judge has"))
    scores = scores.with_measures(judge.measures)
    judge = replace(judge.only(*scores.runs), judged_by=name)
    return replace(scores, judge=judge), notices


def called(text: str) -> str:
    """Return what a judge is called by its files: their name, with the folder of a pattern."""
    return visible(shown_path(text, keep=1))


def _check_collections(scores: Scores, judge: Scores) -> None:
    """Raise DataError if the judge lacks a collection, or only one of the two has several."""
    own, others = (
        [] if each.collections is None else [*each.collections.names] for each in (scores, judge)
    )
    if bool(own) != bool(others):
        whose = "the judge's scores are" if others else "people's scores are"
        other = "people's" if others else "the judge's"
        raise DataError(
            "",
            f"{whose} of several collections, but {other} of one",
            "'{collection}' in --judge-scores, or a column of a table, names collections",
        )
    lacking = [name for name in own if name not in others]
    if lacking:
        raise DataError("", f"the judge has no scores of collection {listed(lacking, _LISTED)}")


def _check_groups(scores: Scores, judge: Scores) -> None:
    """Raise DataError if topics come in groups by the files of only one of the two."""
    if (scores.groups is None) != (judge.groups is None):
        whose, other = ("people", "the judge") if judge.groups is None else ("the judge", "people")
        raise DataError(
            "",
            f"the topics of {whose} come in groups, but those of {other} do not",
            "--groups sets the groups for both; --labels none ignores columns of groups",
        )


def _of_judge(notice: Notice) -> Notice:
    """Return a notice that says whose scores it is about."""
    if notice.about or "the judge" in notice.text:
        return notice
    return prefixed("the judge: ", notice)
