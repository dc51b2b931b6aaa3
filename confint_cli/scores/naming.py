"""What each run is called: by its file, its tag or its column, and told apart by its path.

And the other way round: which runs, or files of runs, options name.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from confint_cli.common.errors import CallError, DataError, Notice, note, unknown_name
from confint_cli.common.measures import canonical
from confint_cli.common.text import (
    did_you_mean,
    distinct,
    listed,
    put_together,
    quoted,
    visible,
    visible_name,
)
from confint_cli.inputs.reading import Reading, Series
from confint_cli.inputs.source import STDIN, is_same_file, name_of, stem
from confint_cli.scores.scores import Scores


@dataclass(frozen=True)
class NamedSeries:
    """A series with the name of its run."""

    run: str
    path: str
    series: Series
    given: str  # the run's name as it is in the file, before it is shown


@dataclass(frozen=True)
class RunNames:
    """What the run of every series is called, and what there is to say about that."""

    series: Sequence[NamedSeries]
    notices: Sequence[Notice]

    @property
    def runs(self) -> set[str]:
        """All names."""
        return {one.run for one in self.series}


def name_runs(readings: Sequence[Reading], name_from: str = "file") -> RunNames:
    """Name the run of every series.

    Runs of one name in several files are one run if the name stands in the data (a column of a
    table or matrix) and the files have different measures. Otherwise they are different runs,
    and their paths tell them apart.
    """
    claims: dict[str, set[int]] = defaultdict(set)
    in_data: dict[str, bool] = {}
    notices = []
    names_in: list[list[str]] = []  # each file
    given_in: list[list[str]] = []
    for index, reading in enumerate(readings):
        given = [_given_name(reading, series, name_from) for series in reading.series]
        shown = distinct(given, visible_name)
        notices += _say_which_look_alike(reading, shown)
        names_in.append([shown[name] for name in given])
        given_in.append(given)
        for name, series in zip(names_in[-1], reading.series, strict=True):
            claims[name].add(index)
            in_data[name] = in_data.get(name, True) and series.run is not None
    renamed: dict[tuple[str, int], str] = {}
    for name, indices in claims.items():
        if len(indices) == 1 or (
            in_data[name] and _measures_differ([readings[index] for index in indices])
        ):
            continue
        apart = told_apart(name, [readings[index].path for index in sorted(indices)], name_from)
        renamed |= {(name, index): new for index, new in zip(sorted(indices), apart, strict=True)}
        notices.append(
            note(
                f"{len(apart)} runs are named {quoted(name)}; told apart by path: "
                f"{listed(sorted(apart), 5)}"
            )
        )
    named = []
    for index, reading in enumerate(readings):
        for name, raw, series in zip(names_in[index], given_in[index], reading.series, strict=True):
            run = renamed.get((name, index), name)
            named.append(NamedSeries(run, reading.path, series, raw))
    _check_all_differ(named)
    return RunNames(named, sorted(notices, key=lambda notice: notice.text))


def _given_name(reading: Reading, series: Series, name_from: str) -> str:
    """Return the name of a series' run as the file, its tag or its column has it."""
    if series.run is not None:
        return series.run
    if reading.tag and (name_from == "tag" or reading.path == STDIN):
        return reading.tag
    return stem(reading.path)


def _say_which_look_alike(reading: Reading, shown: Mapping[str, str]) -> list[Notice]:
    """Say where names differ only in characters that are written out, and got a number."""
    alike = Counter(map(visible_name, shown))
    return [
        note(
            f"{visible(name_of(reading.path))}: {number} different runs look like {quoted(name)}; "
            "told apart by number"
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

    A name that files gave (`file`) is replaced by that; another is followed by it.
    """
    folders = [os.path.normpath(path).split(os.sep) for path in paths]
    stems = [[*parts[:-1], stem(path)] for parts, path in zip(folders, paths, strict=True)]
    longest = max(map(len, folders))
    if len(set(map(tuple, folders))) < len(folders):
        raise DataError(paths[0], "is given twice")
    candidates = [
        [visible_name("/".join(one[-depth:])) for one in parts]
        for parts in (stems, folders)
        for depth in range(1, longest + 1)
    ]
    shown = distinct(paths, visible_name)  # for paths that look alike
    candidates.append([shown[path] for path in paths])
    names = next(names for names in candidates if len(set(names)) == len(names))
    if name_from == "file" and all(visible_name(stem(path)) == name for path in paths):
        return names
    return [visible_name(f"{name} ({one})") for one in names]


def _check_all_differ(named: Sequence[NamedSeries]) -> None:
    seen: dict[tuple[str, str], NamedSeries] = {}
    for one in named:
        key = (one.run, canonical(one.series.measure))
        other = seen.setdefault(key, one)
        if other is one:
            continue
        if other.path == one.path:
            raise DataError(
                one.path,
                f"has {quoted(other.series.measure)} and {quoted(one.series.measure)}, "
                "which are one measure",
                "remove one of the two from the file",
            )
        raise DataError(
            one.path, f"two runs are named {quoted(one.run)}; the other is in {visible(other.path)}"
        )


def separated(texts: Iterable[str]) -> list[str]:
    """Return names that may be separated by commas, but for a file that has some in its name."""
    return [
        part.strip()
        for text in texts
        for part in ([text] if os.path.exists(text) else text.split(","))
        if part.strip()
    ]


def names_in(texts: Iterable[str], runs: Collection[str]) -> list[str]:
    """Return what options name: what is a run as a whole, or else runs separated by commas."""
    return [
        name
        for text in texts
        for name in ([text] if _shown_as(text, runs) else put_together(separated([text]), runs))
    ]


def _shown_as(name: str, runs: Collection[str]) -> str:
    """Return the run that a name is shown as; nothing: there is no such run."""
    return next((shown for shown in (visible(name), visible_name(name)) if shown in runs), "")


def runs_named(
    texts: Iterable[str], scores: Scores, *, all_in_a_file: bool = False
) -> tuple[str, ...]:
    """Return the runs that options name by their names or by their files, each once.

    A file that holds several may stand for all of them, or else is an error.
    """
    found: dict[str, None] = {}
    for name in names_in(texts, {*scores.runs, *scores.called}):
        runs = _runs_named(name, scores)
        if len(runs) > 1 and not all_in_a_file:
            raise CallError(
                f"{quoted(name)} holds {len(runs)} runs: name one of them", did_you_mean("", runs)
            )
        found |= dict.fromkeys(runs)
    return tuple(found)


def _runs_named(name: str, scores: Scores) -> tuple[str, ...]:
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
