"""Scores of several collections: which series are of which, and all of them as one `Scores`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from confint_cli.common.errors import DataError, Notice, warning
from confint_cli.common.measures import canonical, is_share
from confint_cli.common.text import count, lack, listed, natural_key, quoted, visible, visible_name
from confint_cli.scores.labels import Label, check_name
from confint_cli.scores.naming import NamedSeries
from confint_cli.scores.scores import Collections, Scores

Named = Sequence[NamedSeries]
_LISTED = 5  # names in a message, at most


def by_collections(named: Named, labels: Mapping[str, Label]) -> dict[str, Named]:
    """Return the series of each collection, in the order of their names.

    Without collections, all are by an empty name. `labels` are those of files, by path: a file
    whose label names a collection has one, though it may lack the measures that are used.
    """
    names = {entry.collection for entry in named}
    if not any(names):
        return {"": named}
    without = dict.fromkeys(entry.path for entry in named if not entry.collection)
    others = sorted(names - {""}, key=natural_key)
    if without:
        raise DataError(
            next(iter(without)),
            f"does not name its collection, but other files do: {listed(others, _LISTED)}",
            "--labels '{collection}/{run}.run' takes the name from the path; --labels none ignores "
            "columns that name collections",
        )
    for entry in named:
        check_name(entry.collection, entry.path)
    of_paths = {visible_name(label.collection) for label in labels.values() if label.collection}
    for name in sorted(of_paths - names, key=natural_key):
        raise _no_measure("the measures that are used", name)
    return {name: [entry for entry in named if entry.collection == name] for name in others}


def _no_measure(measures: str, collection: str) -> DataError:
    return DataError(
        "",
        f"no run has {measures} in collection {quoted(collection)}",
        "with -m, choose measures that all collections have; --measure-name names the measure of "
        "files that do not name it",
    )


LeaveOut = Callable[[str, DataError], None]
"""Takes the path of a file that is left out, and the error that says why."""


def complete_runs(
    by_collection: Mapping[str, Named], leave_out: LeaveOut | None = None
) -> dict[str, Named]:
    """Return the series of the runs that are in every collection by every measure they have.

    A run that lacks a collection is an error, as means over different collections cannot be
    compared; if there is a way to `leave_out` its files, the run is left out.
    """
    lacking: dict[str, str] = {}  # what a run lacks, in words
    has = {
        (entry.run, collection, canonical(entry.series.measure))
        for collection, entries in by_collection.items()
        for entry in entries
    }
    measures = {canonical(entry.series.measure): entry.series.measure
                for entries in by_collection.values() for entry in entries}  # fmt: skip
    runs = dict.fromkeys(entry.run for entries in by_collection.values() for entry in entries)
    for key, measure in measures.items():
        there = {run: [name for name in by_collection if (run, name, key) in has] for run in runs}
        anywhere = {name for names in there.values() for name in names}
        for name in by_collection:
            if name not in anywhere:
                raise _no_measure(visible(measure), name)
        for run, names in there.items():
            missing = [name for name in by_collection if name not in names]
            if names and missing:
                lacking.setdefault(run, _lacks(run, missing, measure if len(measures) > 1 else ""))
    if not lacking:
        return {**by_collection}
    if leave_out is None or len(lacking) == len(runs):
        first, *others = lacking.values()
        more = f"; {lack(len(others), 'more run')} some too" if others else ""
        raise DataError(
            "",
            f"{first}{more}",
            "means over different collections cannot be compared: leave out the run, or these "
            "collections",
        )
    for entries in by_collection.values():
        for entry in entries:
            if entry.run in lacking:
                leave_out(entry.path, DataError(entry.path, lacking[entry.run]))
    return {
        name: [entry for entry in entries if entry.run not in lacking]
        for name, entries in by_collection.items()
    }


def _lacks(run: str, collections: Sequence[str], measure: str) -> str:
    noun = "collection" if len(collections) == 1 else "collections"
    on_measure = f" on {visible(measure)}" if measure else ""
    return f"run {quoted(run)} lacks {noun} {listed(collections, _LISTED)}{on_measure}"


def check_collections(parts: Mapping[str, Scores]) -> list[Notice]:
    """Return warnings of collections whose scores are on other scales, or the same twice."""
    notices = []
    first, *_ = parts.values()
    for column, measure in enumerate(first.measures):
        if not is_share(measure):
            continue
        values = {name: part.values[:, :, column] for name, part in parts.items()}
        beyond = [name for name, own in values.items() if ((own < 0) | (own > 1)).any()]
        if 0 < len(beyond) < len(parts):
            notices.append(
                warning(
                    f"{visible(measure)} goes beyond 0 to 1 in {count(len(beyond), 'collection')}, "
                    "but not in others: scores on different scales, such as percentages and "
                    f"fractions, cannot be averaged: {listed(beyond, _LISTED)}"
                )
            )
    return notices + _same_twice(parts)


def _same_twice(parts: Mapping[str, Scores]) -> list[Notice]:
    """Return warnings of runs that have the same scores in two collections, or of all runs."""
    seen: dict[tuple[int, bytes], str] = {}
    runs_of: dict[tuple[str, str], list[str]] = {}  # by two collections
    for name, part in parts.items():
        for place, run in enumerate(part.runs):
            values = part.values[:, place]
            if len(values) > 1 and not (values == values[0]).all():
                other = seen.setdefault((place, values.tobytes()), name)
                if other != name:
                    runs_of.setdefault((other, name), []).append(run)
    first, *_ = parts.values()
    return [
        warning(
            f"{'all runs' if len(runs) == len(first.runs) else listed(runs, _LISTED)} "
            f"{'has' if len(runs) == 1 < len(first.runs) else 'have'} the same scores in "
            f"collections {one} and {other}: is it the same collection twice?"
        )
        for (one, other), runs in runs_of.items()
    ]


def stacked(parts: Mapping[str, Scores]) -> Scores:
    """Return the scores of collections, which have the same runs and measures, as one.

    The topics of each follow those of the one before. Scores of a single collection stay as they
    are.
    """
    first, *others = parts.values()
    if not others:
        return first
    for measure in first.measures:
        if len({part.scales.get(measure, "") for part in parts.values()}) > 1:
            raise DataError(
                "",
                f"on {visible(measure)}, collections are on different scales: some are "
                "standardised, others are not, or in another way",
            )
    return replace(
        first,
        values=np.concatenate([part.values for part in parts.values()]),
        filled=np.concatenate([part.filled for part in parts.values()]),
        topics=tuple(topic for part in parts.values() for topic in part.topics),
        judged=all(part.judged for part in parts.values()),
        collections=Collections(tuple(parts), tuple(len(part.topics) for part in parts.values())),
    )
