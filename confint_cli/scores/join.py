"""From the readings of many files to `Scores`: joined by topic id, checked, without gaps."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from confint_cli.common import words
from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.common.errors import DataError, Notice, detail, prefixed, told_once, warning
from confint_cli.common.measures import canonical
from confint_cli.common.text import (
    count,
    distinct,
    have,
    lack,
    listed,
    natural_key,
    quoted,
    visible,
    visible_measure,
)
from confint_cli.inputs.reading import Reading
from confint_cli.inputs.source import name_of
from confint_cli.scores.checks import (
    check_means,
    check_presence,
    check_topics_are_shared,
    mixed_scales,
    say_how_many_topics,
)
from confint_cli.scores.collections import (
    LeaveOut,
    by_collections,
    check_collections,
    complete_runs,
    stacked,
)
from confint_cli.scores.grouping import SIZE, with_groups
from confint_cli.scores.labels import Label
from confint_cli.scores.naming import NamedSeries, RunNames, name_runs
from confint_cli.scores.repeats import (
    by_column,
    check_grid,
    check_measures,
    perhaps_repeats,
    with_repeats,
)
from confint_cli.scores.scores import Scores
from confint_cli.scores.selection import Selection, differing_names, select


@dataclass(frozen=True)
class Joining:
    """How to join the readings of files."""

    measures: Sequence[str] = ()  # as the user asks for them; empty: the usual ones
    usual: Collection[str] = ()  # canonical names; empty: measures that people commonly report
    missing: str = "zero"  # what becomes of a topic that some run lacks: zero, drop or error
    topics: Collection[str] | None = None  # the topics to use; None: all
    every: int = 1  # 1 uses all of these topics, n every n-th, in their order
    judged: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All topics that were judged, by collection (empty: there is one); without any, unknown."""
    name_from: str = "file"  # what names a run that the data do not name: file or tag
    paired: bool = True  # whether all runs are meant to be on the same topics
    labels: Mapping[str, Label] = field(default_factory=dict)  # of files, by path
    leave_out: LeaveOut | None = None  # what becomes of runs that lack a collection; None: an error
    groups: str | Mapping[str, str] | None = None
    """Which topics belong together: a pattern, a file, or groups by topic; None: it is not said."""
    group_weight: str = SIZE  # what groups count by
    complete: bool = True  # whether every repeat of a run needs all of its topics, or else an error
    elsewhere: Collection[str] = ()  # topics that others have: of a judge, or of people


def join(
    readings: Sequence[Reading], joining: Joining, names: RunNames | None = None
) -> tuple[Scores, list[Notice]]:
    """Return the files' scores, joined by topic id, and notices of what was decided on the way.

    The `names` of the runs may be known already. Topics of different collections never meet: each
    collection is joined by itself, and one comes below the other.
    """
    by_path = sorted(readings, key=lambda reading: natural_key(reading.path))
    notices = told_once(notice for reading in by_path for notice in reading.notices)
    selection = select(readings, joining.measures, joining.usual)
    notices += selection.notices + differing_names(readings, selection)
    notices += _say_which_files_are_left_out(readings, selection)
    names = names or name_runs(readings, joining.name_from, joining.labels)
    of_runs = [
        entry for entry in names.series if canonical(entry.series.measure) in selection.shown
    ]
    named, owners = by_column(of_runs)
    if owners:
        check_measures(named, owners)
        if joining.complete and not joining.judged:
            check_grid(named, owners)
    if joining.paired:
        _check_row_numbers(readings)
    by_collection = by_collections(named, joining.labels)
    if len(by_collection) > 1:
        by_collection = complete_runs(by_collection, joining.leave_out)
    named = [entry for entries in by_collection.values() for entry in entries]
    notices += [*names.notices, *check_presence(readings)]
    runs = tuple(dict.fromkeys(entry.run for entry in named))
    parts = [
        _part(entries, collection, runs, readings, selection, joining)
        for collection, entries in by_collection.items()
    ]
    for part in parts:
        notices += part.notices_of(len(parts))
    if len(parts) > 1:
        notices += check_collections({part.collection: part.scores for part in parts})
        notices += _topics_of_no_collection(named, joining)
    scores = stacked({collection: part.scores for collection, part in
                      zip(by_collection, parts, strict=True)})  # fmt: skip
    scores, about_repeats = with_repeats(scores, owners)
    notices += about_repeats
    kept = {owners[entry.run][0] if owners else entry.run for entry in named}
    of_runs = [entry for entry in of_runs if entry.run in kept]
    scores = replace(scores, origins=_origins(of_runs), called=_by_given_names(of_runs))
    scores, about_groups = with_groups(scores, joining.groups, joining.group_weight, readings)
    notices += about_groups if owners else [*about_groups, *perhaps_repeats(scores.runs)]
    return scores, notices + _about_missing(parts, joining)


def _topics_of_no_collection(named: Sequence[NamedSeries], joining: Joining) -> list[Notice]:
    """Return a warning of topics in --topics that no collection has, if there are any."""
    known = {topic for judged in joining.judged.values() for topic in judged}
    for entry in named:
        known.update(chain(entry.series.topics, entry.series.gaps))
    return _unknown_topics({*(joining.topics or ())} - {*map(visible, known)}, joining)


def _unknown_topics(topics: Collection[str], joining: Joining) -> list[Notice]:
    """Return a warning of topics in --topics that are in no file; none without any."""
    topics = {*topics} - {*map(visible, joining.elsewhere)}
    if not topics:
        return []
    unknown = listed(sorted(topics, key=natural_key), 5)
    verb = "is" if len(topics) == 1 else "are"
    text = f"{count(len(topics), 'topic')} of --topics {verb} in no file, left out: {unknown}"
    return [warning(text)]


@dataclass(frozen=True)
class _Part:
    """The scores of one collection, and what there is to say of them."""

    collection: str  # empty: there is one only
    scores: Scores
    notices: Sequence[Notice]
    lacking: Mapping[str, int]  # topics that runs lack, by run
    dropped: Mapping[str, int]  # topics that are dropped for that, by measure
    total: int  # topics that a run should have

    def notices_of(self, number: int) -> list[Notice]:
        """Return the notices, which name the collection if it is one of several."""
        if number == 1:
            return [*self.notices]
        return [prefixed(f"{self.collection}: ", one) for one in self.notices]


def _part(
    named: Sequence[NamedSeries],
    collection: str,
    runs: tuple[str, ...],
    readings: Sequence[Reading],
    selection: Selection,
    joining: Joining,
) -> _Part:
    """Return the scores of one collection, without gaps."""
    judged = joining.judged.get(collection, ())
    all_topics = sorted(
        {topic for entry in named for topic in chain(entry.series.topics, entry.series.gaps)}
        | set(judged),
        key=natural_key,
    )
    notices = check_means(named, len(all_topics))
    measures = list(selection.shown)
    values = _fill(named, all_topics, runs, measures)
    scores = Scores(
        values,
        _visible_topics(all_topics),
        runs,
        tuple(map(visible_measure, selection.shown.values())),
        filled=np.zeros(values.shape, dtype=bool),
        judged=bool(judged),
    )
    scales = _scales(named, readings)
    scores = replace(scores, scales=_common_scales(scores, scales))
    notices += _say_which_lack_a_measure(scores) + _check_scales(scores, scales)
    if joining.paired and not judged:
        notices += check_topics_are_shared(scores)
    has_measure = any_along(~np.isnan(scores.values), 0)
    known = _known_topics(named, all_topics, measures, is_judged=bool(judged))
    scores, rows, about_topics = _only_wanted_topics(scores, joining, collection)
    notices += about_topics
    if not (joining.paired or judged):
        return _Part(collection, scores, notices + say_how_many_topics(scores), {}, {}, 0)
    return _treat_missing(
        _Part(collection, scores, notices, {}, {}, 0), joining, has_measure, known[rows]
    )


def _visible_topics(topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics as they are shown; those that would look alike get numbers."""
    if "".join(topics).isprintable():  # as ids of query logs are, of which there are a million
        return tuple(topics)
    shown = distinct(topics)
    return tuple(shown[topic] for topic in topics)


def _scales(
    named: Sequence[NamedSeries], readings: Sequence[Reading]
) -> dict[tuple[str, str], str | None]:
    """Return the scale by run and canonical measure; empty: not standardised; None: unknown."""
    scales_of_file = {reading.path: reading.scales for reading in readings}
    scales_of_run: dict[tuple[str, str], str | None] = {}
    for entry in named:
        scales, measure = scales_of_file[entry.path], canonical(entry.series.measure)
        scales_of_run[entry.run, measure] = None if scales is None else scales.get(measure, "")
    return scales_of_run


def _common_scales(scores: Scores, scales: Mapping[tuple[str, str], str | None]) -> dict[str, str]:
    """Return the scale of each standardised measure for which all runs share one."""
    by_measure: dict[str, set[str | None]] = {}
    for (_, measure), scale in scales.items():
        by_measure.setdefault(measure, set()).add(scale)
    common = {}
    for measure in scores.measures:
        shared = by_measure.get(canonical(measure), set())
        if len(shared) == 1 and (scale := shared.pop()):
            common[measure] = scale
    return common


def _check_scales(scores: Scores, scales: Mapping[tuple[str, str], str | None]) -> list[Notice]:
    """Return a warning of each measure by which some runs are standardised and others are not."""
    notices: list[Notice] = []
    for column, measure in enumerate(scores.measures):
        values = scores.values[:, :, column]
        has_scores = any_along(~np.isnan(values), 0)
        runs = [run for run, has_score in zip(scores.runs, has_scores, strict=True) if has_score]
        beyond = any_along((values < 0) | (values > 1), 0)
        scales_of_runs = [scales[run, canonical(measure)] for run in runs]
        notices += mixed_scales(measure, runs, scales_of_runs, beyond[has_scores])
    return notices


def _origins(named: Sequence[NamedSeries]) -> dict[str, tuple[str, ...]]:
    """Return the runs of each file."""
    runs_of_file: dict[str, dict[str, None]] = {}
    for entry in named:
        runs_of_file.setdefault(entry.path, {})[entry.run] = None
    return {path: tuple(names) for path, names in runs_of_file.items()}


def _by_given_names(named: Sequence[NamedSeries]) -> dict[str, str]:
    """Return the runs by the names that files give to them, where these are shown in another way.

    A name that files give to several runs is left out.
    """
    runs_of_name: dict[str, set[str]] = {}
    for entry in named:
        runs_of_name.setdefault(entry.given, set()).add(entry.run)
    return {
        given: run for given, all_runs in runs_of_name.items() for run in all_runs
        if len(all_runs) == 1 and run != given
    }  # fmt: skip


def _say_which_files_are_left_out(
    readings: Sequence[Reading], selection: Selection
) -> list[Notice]:
    """Return a warning of files that have none of the selected measures, if there are any."""
    without = sorted(
        name_of(reading.path)
        for reading in readings
        if not any(canonical(series.measure) in selection.shown for series in reading.series)
    )
    if not without:
        return []
    return [
        warning(
            f"{have(len(without), 'file')} none of the measures that are used, left out: "
            f"{listed(without, 5)}"
        )
    ]


def _check_row_numbers(readings: Sequence[Reading]) -> None:
    """Raise an error if a file of several has topics that may be no more than row numbers."""
    files = sorted(
        (name_of(reading.path) for reading in readings if reading.counted), key=natural_key
    )
    if files and len(readings) > 1:
        raise DataError(
            "",
            f"topics cannot be joined by row number, and {have(len(files), 'file')} no other "
            f"topics: {listed(files, 3)}",
            "if the column with 0, 1, 2 or 1, 2, 3 holds topics, call it 'topic' in a header",
        )


def _known_topics(
    named: Sequence[NamedSeries], topics: Sequence[str], measures: Sequence[str], *, is_judged: bool
) -> BoolArray:
    """Return which topics are known by which measures (bool, [topic, measure]), scores aside.

    These are the judged topics, and those of a row that has a blank for its score.
    """
    known = np.zeros((len(topics), len(measures)), dtype=bool)
    if is_judged:
        known[:] = True
    series_with_gaps = [entry.series for entry in named if entry.series.gaps]
    row_of = {topic: place for place, topic in enumerate(topics)} if series_with_gaps else {}
    for series in series_with_gaps:
        column = measures.index(canonical(series.measure))
        known[[row_of[topic] for topic in series.gaps], column] = True
    return known


def _only_wanted_topics(
    scores: Scores, joining: Joining, collection: str
) -> tuple[Scores, list[int], list[Notice]]:
    """Return the scores on the topics that are asked for, the rows of these, and notices."""
    all_topics = scores.topics
    topics, notices = list(all_topics), []
    if joining.topics is not None:
        topics = [topic for topic in all_topics if topic in joining.topics]
        if not topics:
            of_collection = f" of {quoted(collection)}" if collection else ""
            raise DataError(
                "",
                f"none of the topics in --topics is in the files{of_collection}",
                f"the list has {quoted(min(joining.topics, key=natural_key))}, "
                f"the files have {quoted(all_topics[0])}",
            )
        if not collection:  # else they may be those of another collection
            notices = _unknown_topics(set(joining.topics) - set(all_topics), joining)
    topics = topics[:: joining.every]
    if len(topics) == len(all_topics):
        return scores, list(range(len(topics))), notices
    wanted = set(topics)
    rows = [place for place, topic in enumerate(all_topics) if topic in wanted]
    wanted_scores = replace(
        scores, values=scores.values[rows], filled=scores.filled[rows], topics=tuple(topics)
    )
    return wanted_scores, rows, notices


def _fill(
    named: Sequence[NamedSeries],
    topics: Sequence[str],
    runs: Sequence[str],
    measures: Sequence[str],
) -> FloatArray:
    """Return values[topic, run, measure], NaN where there is no score."""
    _check_is_no_desert(len(topics) * len(runs) * len(measures), named)
    place_of_run = {run: place for place, run in enumerate(runs)}
    row_of = {topic: place for place, topic in enumerate(topics)}
    column_of = {measure: place for place, measure in enumerate(measures)}
    values = np.full((len(topics), len(runs), len(measures)), np.nan)
    rows_of: dict[int, Positions] = {}  # files share a list of topics
    for entry in named:
        places = rows_of.get(id(entry.series.topics))
        if places is None:
            places = np.array([row_of[topic] for topic in entry.series.topics])
            rows_of[id(entry.series.topics)] = places
        measure = column_of[canonical(entry.series.measure)]
        values[places, place_of_run[entry.run], measure] = entry.series.values
    return values


def _check_is_no_desert(cells: int, named: Sequence[NamedSeries]) -> None:
    """Raise an error if nearly all of a large table would be empty, and memory be wasted."""
    scores = sum(len(entry.series.topics) for entry in named)
    if cells > max(_LARGE, _MOST_CELLS_A_SCORE * scores):
        raise DataError(
            "",
            f"runs, topics and measures make a table of {cells} cells for only {scores} scores",
            "give only runs that have topics and measures in common",
        )


_LARGE = 10_000_000  # cells; a smaller table may be empty
_MOST_CELLS_A_SCORE = 100


def _say_which_lack_a_measure(scores: Scores) -> list[Notice]:
    """Return warnings of runs that lack a measure, one for all measures that the same runs lack."""
    lacking: dict[tuple[str, ...], list[str]] = {}
    for column, measure in enumerate(scores.measures):
        has_scores = any_along(~np.isnan(scores.values[:, :, column]), 0)
        without = [
            run for run, has_score in zip(scores.runs, has_scores, strict=True) if not has_score
        ]
        lacking.setdefault(tuple(sorted(without, key=natural_key)), []).append(measure)
    return [
        warning(
            f"{have(len(runs), 'run')} no scores on {listed(measures, 3)}, left out there: "
            f"{listed(runs, 5)}"
        )
        for runs, measures in lacking.items()
        if runs
    ]


def _treat_missing(
    part: _Part, joining: Joining, has_measure: BoolArray, known: BoolArray
) -> _Part:
    """Return the scores without gaps: topics that a run lacks are 0, or dropped.

    A run with the measure (`has_measure`, bool, [run, measure]) should have a score on each topic
    that any run has, and on each that is `known` (bool, [topic, measure]).
    """
    scores = part.scores
    if not np.isnan(scores.values).any():  # as nearly always: no copy is needed
        return part
    values, filled = scores.values.copy(), np.zeros_like(scores.filled)
    lacking: dict[str, int] = {}
    dropped: dict[str, int] = {}
    total = 0
    for column, measure in enumerate(scores.measures):
        present = ~np.isnan(values[:, :, column])
        rows = any_along(present, 1) | known[:, column]
        missing = ~present & rows[:, None] & has_measure[:, column]
        total = max(total, int(rows.sum()))
        for run in np.flatnonzero(any_along(missing, 0)):
            name = scores.runs[run]
            lacking[name] = max(lacking.get(name, 0), int(missing[:, run].sum()))
        if joining.missing == "zero":
            values[:, :, column][missing] = 0.0
            filled[:, :, column] = missing
        else:
            lost = any_along(missing, 1)
            values[lost, :, column] = np.nan
            dropped[measure] = int(lost.sum())
            if joining.missing == "drop" and rows.any() and np.isnan(values[:, :, column]).all():
                part = replace(part, lacking=lacking, total=total)
                report, _ = _report([part], several=bool(part.collection))
                raise DataError(
                    "", f"{report}; no topic is left for {visible(measure)}", "try --missing zero"
                )
    if not lacking:
        return part
    if joining.missing == "zero":
        scores = replace(scores, values=values, filled=filled)
    else:
        is_left = any_along(any_along(~np.isnan(values), 2), 1)
        topics = tuple(topic for topic, stays in zip(scores.topics, is_left, strict=True) if stays)
        scores = replace(scores, values=values[is_left], filled=filled[is_left], topics=topics)
    return replace(part, scores=scores, lacking=lacking, dropped=dropped, total=total)


def _about_missing(parts: Sequence[_Part], joining: Joining) -> list[Notice]:
    """Return notices on topics that runs lack, and what became of them; raise an error if asked."""
    lacking = [part for part in parts if part.lacking]
    if not lacking:
        return []
    several = len(parts) > 1
    report, full_report = _report(lacking, several=several)
    if joining.missing == "error":
        raise DataError("", report, "--missing zero scores them 0, --missing drop leaves them out")
    if joining.missing == "zero":
        return [warning(f"{report}; scored 0 there"), *full_report]
    dropped = "; ".join(
        _dropped(part.dropped) + (f" of {part.collection}" if several else "") for part in lacking
    )
    return [warning(f"{report}; {dropped} dropped for all runs"), *full_report]


def _dropped(number_of_topics: Mapping[str, int]) -> str:
    """Return `2 topics`, or where measures differ `2 topics on map, 1 topic on P_10`."""
    if len(set(number_of_topics.values())) == 1:
        return count(next(iter(number_of_topics.values())), "topic")
    return ", ".join(
        f"{count(number, 'topic')} on {visible(measure)}"
        for measure, number in number_of_topics.items()
        if number
    )


def _report(parts: Sequence[_Part], *, several: bool) -> tuple[str, list[Notice]]:
    """Return a report of the runs that lack topics and, if it does not name all, a detail.

    It names the collections of these topics if there are `several`.
    """
    lacking = {
        run: f"{run} lacks {_of_collections(run, parts, several=several)}"
        for part in parts
        for run in part.lacking
    }
    runs = [lacking[run] for run in sorted(lacking, key=natural_key)]
    some = "some topics" if several else f"some of the {parts[0].total} topics"
    report = f"{lack(len(runs), 'run')} {some}: {listed(runs, 10)}"
    return report, [detail(listed(runs, len(runs)))] if len(runs) > 10 else []


def _of_collections(run: str, parts: Sequence[_Part], *, several: bool) -> str:
    """Return how many topics a run lacks: `3`, or `3 topics of scifact and 1 of forum`."""
    numbers = {part.collection: part.lacking[run] for part in parts if run in part.lacking}
    if not several:
        return str(next(iter(numbers.values())))
    (first, number), *others = numbers.items()
    return words.series(
        [f"{count(number, 'topic')} of {first}", *(f"{some} of {name}" for name, some in others)]
    )
