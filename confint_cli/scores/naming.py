"""What each run is called: by its file, its tag or its column, and told apart by its path.

The module also finds the runs that options name, by their names or their files.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.guesses import unknown_name
from confint_cli.common.measures import canonical
from confint_cli.common.text import (
    did_you_mean,
    distinct,
    listed,
    put_together,
    quoted,
    visible,
    visible_name,
    without_endings,
)
from confint_cli.inputs.reading import Reading, RowLabels, Series
from confint_cli.inputs.source import STDIN, is_same_file, name_of, stem
from confint_cli.scores.labels import Label
from confint_cli.scores.scores import Scores

NO_LABELS: Mapping[str, Label] = {}


@dataclass(frozen=True, slots=True)  # a table may have fifty thousand of them
class NamedSeries:
    """A series with the name of its run."""

    run: str
    path: str
    series: Series
    given: str  # the run's name as the file has it, in which nothing is written out
    collection: str = ""  # empty: nothing says of which collection it is
    repeat: str = ""  # of the run; empty: there is one only


@dataclass(frozen=True)
class RunNames:
    """All series with the names of their runs, and notices about these names."""

    series: Sequence[NamedSeries]
    notices: Sequence[Notice]

    @property
    def runs(self) -> set[str]:
        """The names of all runs."""
        return {entry.run for entry in self.series}


def name_runs(
    readings: Sequence[Reading],
    name_from: str = "file",
    labels: Mapping[str, Label] = NO_LABELS,
) -> RunNames:
    """Return every series with the name of its run, its collection and repeat if these are known.

    Runs of one name in several files are one run if they are of different collections or repeats,
    or if the name stands in the data (a column of a table or matrix) and the files have different
    measures. Otherwise they are different runs, and their paths tell them apart. `labels` are by
    path.
    """
    of_series = [
        [_labels(reading, series, labels) for series in reading.series] for reading in readings
    ]
    given_names = [
        [_given_name(reading, series, name_from, labels.get(reading.path, Label()))
         for series in reading.series]
        for reading in readings
    ]  # fmt: skip
    collections = {own.collection for of_file in of_series for own in of_file} - {None}
    repeats_of_run: dict[str, set[str]] = {}
    for names, of_file in zip(given_names, of_series, strict=True):
        for name, known in zip(names, of_file, strict=True):
            repeats_of_run.setdefault(name, set()).add(known.repeat or "")
    has_repeats = any(len({*found} - {""}) > 1 for found in repeats_of_run.values())
    for name, found in repeats_of_run.items():
        if len(found) > 1 and "" in found:
            raise DataError(
                "",
                f"some scores of run {quoted(name)} belong to a repeat, such as "
                f"{quoted(max(found))}, and others to none",
                "every score of a run with repeats needs the name of its repeat",
            )
    notices = []
    if len(collections) == 1 and any(label.collection for label in labels.values()):
        (only,) = collections
        notices.append(
            note(f"all scores are from one collection, {quoted(only or '')}: nothing is averaged")
        )
    if any(any(found) for found in repeats_of_run.values()) and not has_repeats:
        notices.append(note("each run has only one repeat, which says nothing about other repeats"))
    claims: dict[tuple[str, str, str], list[int]] = {}  # places of files
    in_data: dict[str, bool] = {}
    named_by_file: list[list[NamedSeries]] = []
    for index, (reading, given) in enumerate(zip(readings, given_names, strict=True)):
        shown = distinct(given, visible_name)
        notices += _say_which_look_alike(reading, shown)
        own = []
        for name, series, known in zip(given, reading.series, of_series[index], strict=True):
            collection = known.collection or "" if len(collections) > 1 else ""
            repeat = known.repeat or "" if has_repeats else ""
            own.append(NamedSeries(shown[name], reading.path, series, name, collection, repeat))
            files = claims.setdefault((shown[name], collection, repeat), [])
            if files[-1:] != [index]:
                files.append(index)
            in_data[shown[name]] = in_data.get(shown[name], True) and series.run is not None
        named_by_file.append(own)
    renamed: dict[tuple[str, int], str] = {}
    for (name, collection, repeat), indices in claims.items():
        if len(indices) == 1 or (
            in_data[name] and _measures_differ([readings[index] for index in indices])
        ):
            continue
        paths = [readings[index].path for index in indices]
        if collection or repeat:
            which = f"repeat {quoted(repeat)} of run {quoted(name)}" if repeat else ""
            which = which or f"run {quoted(name)}"
            of_which = f" of collection {quoted(collection)}" if collection else ""
            hint = f"give each {'repeat of a run' if repeat else 'run of a collection'} only once"
            if labels and not repeat:
                hint += (
                    "; if these are repeats, use {repeat} in --labels; of several patterns, the "
                    "first that fits a path counts"
                )
            raise DataError(paths[1], f"is {which}{of_which}, and so is {visible(paths[0])}", hint)
        new_names = told_apart(name, paths, name_from)
        renamed |= {
            (name, index): new_name for index, new_name in zip(indices, new_names, strict=True)
        }
        notices.append(
            note(
                f"{len(new_names)} runs are named {quoted(name)}, and are told apart by path: "
                f"{listed(sorted(new_names), 5)}{_perhaps_collections(paths)}"
            )
        )
    named = [
        replace(entry, run=renamed[entry.run, index]) if (entry.run, index) in renamed else entry
        for index, entries in enumerate(named_by_file)
        for entry in entries
    ]
    _check_all_differ(named)
    return RunNames(named, sorted(notices, key=lambda notice: notice.text))


def _labels(reading: Reading, series: Series, labels: Mapping[str, Label]) -> RowLabels:
    """Return collection and repeat of a series by the label of its file, or as its data say.

    Raise DataError if these contradict each other. None: nothing says so.
    """
    of_file = labels.get(reading.path, Label())
    return RowLabels(
        _label("collection", of_file.collection, series.labels.collection, reading.path),
        _label("repeat", of_file.repeat, series.labels.repeat, reading.path),
    )


def _label(noun: str, of_file: str | None, in_data: str | None, path: str) -> str | None:
    """Return the collection, or repeat, that the label of a file or its data name."""
    if of_file is None:
        return visible_name(in_data) if in_data else in_data
    if in_data not in (None, of_file):
        raise DataError(
            path,
            f"names its {noun}s itself, such as {quoted(str(in_data))}, but {{{noun}}} of --labels "
            f"would be {quoted(of_file)}",
            f"use {{}} instead of {{{noun}}} for that part of the path",
        )
    return visible_name(of_file)


def _perhaps_collections(paths: Sequence[str]) -> str:
    """Return the end of a note on files of one name in several folders: are these collections?"""
    names = {os.path.basename(path) for path in paths}
    if len(names) > 1 or len({os.path.basename(os.path.dirname(path)) for path in paths}) == 1:
        return ""
    (name,) = names
    ending = name.removeprefix(without_endings(name)).removesuffix(".gz")
    return (
        "; if the folders are collections with different topics, use "
        f"--labels '{{collection}}/{{run}}{visible(ending)}'"
    )


def _given_name(reading: Reading, series: Series, name_from: str, label: Label) -> str:
    """Return the name of a series' run from its label, its column, the file's tag or its name.

    Raise DataError for a file with a label of which this is not clear.
    """
    if series.run is not None:
        if label.run is not None:
            raise DataError(
                reading.path,
                f"names its runs itself, such as {quoted(series.run)}, but {{run}} of --labels "
                f"would be {quoted(label.run)}",
                "use {} instead of {run} for that part of the path",
            )
        return series.run
    if label.run is not None:
        return label.run
    if label != Label():
        raise DataError(
            reading.path, "does not name its run, and the pattern of --labels has no {run}"
        )
    if reading.tag and (name_from == "tag" or reading.path == STDIN):
        return reading.tag
    return stem(reading.path)


def _say_which_look_alike(reading: Reading, shown: Mapping[str, str]) -> list[Notice]:
    """Return a note of each name that several runs would share when shown, without a number."""
    alike = Counter(map(visible_name, shown))
    return [
        note(
            f"{visible(name_of(reading.path))}: {number} different runs look like {quoted(name)}, "
            "and are told apart by number"
        )
        for name, number in alike.items()
        if number > 1
    ]


def _measures_differ(readings: Sequence[Reading]) -> bool:
    """Say whether no two files have a measure in common, whether it is used or not."""
    measures = [set(map(canonical, reading.measures)) for reading in readings]
    return len(set().union(*measures)) == sum(map(len, measures))


def told_apart(name: str, paths: Sequence[str], name_from: str = "tag") -> list[str]:
    """Return a name for each path: as much of the path as it takes for all to differ.

    That replaces a `name` which is the file's own (if `name_from` is `file`), and follows any
    other. Raise DataError if two paths are one.
    """
    whole_paths = [os.path.normpath(path).split(os.sep) for path in paths]
    stems = [[*parts[:-1], stem(path)] for parts, path in zip(whole_paths, paths, strict=True)]
    longest = max(map(len, whole_paths))
    if len(set(map(tuple, whole_paths))) < len(whole_paths):
        raise DataError(paths[0], "is given twice")
    candidates = [
        [visible_name("/".join(parts[-depth:])) for parts in split_paths]
        for split_paths in (stems, whole_paths)
        for depth in range(1, longest + 1)
    ]
    shown = distinct(paths, visible_name)  # for paths that look alike
    candidates.append([shown[path] for path in paths])
    names = next(names for names in candidates if len(set(names)) == len(names))
    if name_from == "file" and all(visible_name(stem(path)) == name for path in paths):
        return names
    return [visible_name(f"{name} ({ending})") for ending in names]


def _check_all_differ(named: Sequence[NamedSeries]) -> None:
    """Raise an error if two series are of one run and one measure."""
    seen: dict[tuple[str, ...], NamedSeries] = {}
    for entry in named:
        key: tuple[str, ...] = (entry.run, canonical(entry.series.measure))
        if entry.collection or entry.repeat:
            key = (*key, entry.collection, entry.repeat)
        other = seen.setdefault(key, entry)
        if other is entry:
            continue
        if other.path == entry.path and other.series.measure != entry.series.measure:
            raise DataError(
                entry.path,
                f"has {quoted(other.series.measure)} and {quoted(entry.series.measure)}, "
                "which are the same measure",
                "remove one of the two from the file",
            )
        where = "" if other.path == entry.path else f"; the other is in {visible(other.path)}"
        raise DataError(entry.path, f"two runs are named {quoted(entry.run)}{where}")


def separated(texts: Iterable[str]) -> list[str]:
    """Return the names in `texts`, split at commas unless a text is the path of a file."""
    return [
        name.strip()
        for text in texts
        for name in ([text] if os.path.exists(text) else text.split(","))
        if name.strip()
    ]


def names_in(texts: Iterable[str], runs: Collection[str]) -> list[str]:
    """Return the names in options: a text that is one of `runs`, or else its parts by commas."""
    return [
        name
        for text in texts
        for name in ([text] if _shown_as(text, runs) else put_together(separated([text]), runs))
    ]


def _shown_as(name: str, runs: Collection[str]) -> str:
    """Return the one of `runs` that shows this `name`, or an empty text."""
    return next((shown for shown in (visible(name), visible_name(name)) if shown in runs), "")


def runs_named(
    texts: Iterable[str], scores: Scores, *, all_in_a_file: bool = False
) -> tuple[str, ...]:
    """Return the runs that options name by their names or by their files, each once.

    A file of several runs stands for all of them if `all_in_a_file`; otherwise it is an error.
    """
    named: dict[str, None] = {}
    for name in names_in(texts, {*scores.runs, *scores.called}):
        runs = _runs_named(name, scores)
        if len(runs) > 1 and not all_in_a_file:
            raise CallError(
                f"{quoted(name)} holds {len(runs)} runs: name one of them", did_you_mean("", runs)
            )
        named |= dict.fromkeys(runs)
    return tuple(named)


def _runs_named(name: str, scores: Scores) -> tuple[str, ...]:
    """Return the run of that name, or all runs in the file of that name; else raise an error."""
    if name in scores.called:
        return (scores.called[name],)
    if shown := _shown_as(name, scores.runs):
        return (shown,)
    for path, runs in scores.origins.items():
        if is_same_file(path, name):
            return runs
    if os.path.isdir(name):
        raise CallError(f"{quoted(name)} is a folder, not a run")
    if os.path.isfile(name):
        raise DataError(name, "has none of the measures that are used", "choose others with -m")
    if os.sep in name:
        raise CallError(
            f"there is no file {quoted(name)}, and no run of that name",
            did_you_mean(os.path.basename(name), scores.runs),
        )
    raise unknown_name("run", name, scores.runs)
