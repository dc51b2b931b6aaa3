"""From what was read of many files to Scores: joined by topic id, checked, gaps treated."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions, any_along
from confint_cli.common.errors import DataError, Notice, detail, told_once, warning
from confint_cli.common.measures import canonical
from confint_cli.common.text import (
    count,
    distinct,
    have,
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
from confint_cli.scores.naming import NamedSeries, RunNames, name_runs
from confint_cli.scores.scores import Scores
from confint_cli.scores.selection import Selection, differing_names, select


@dataclass(frozen=True)
class Joining:
    """How to join what was read."""

    measures: Sequence[str] = ()  # as asked for; none: the usual ones …
    usual: Collection[str] = ()  # … which are these, if there are any, by their one name
    missing: str = "zero"
    topics: Collection[str] | None = None  # only these; None: all
    every: int = 1  # of these every so many-th, in order
    judged: Sequence[str] = ()  # all topics that were judged, where that is known
    name_from: str = "file"
    paired: bool = True  # whether all runs are meant to be on the same topics


def join(
    readings: Sequence[Reading], how: Joining, names: RunNames | None = None
) -> tuple[Scores, list[Notice]]:
    """Join the files' scores by topic id; the notices say all that was decided on the way.

    The `names` of the runs may be known already.
    """
    by_path = sorted(readings, key=lambda reading: natural_key(reading.path))
    notices = told_once(notice for reading in by_path for notice in reading.notices)
    selection = select(readings, how.measures, how.usual)
    notices += selection.notices + differing_names(readings, selection)
    notices += _say_which_files_are_left_out(readings, selection)
    names = names or name_runs(readings, how.name_from)
    named = [one for one in names.series if canonical(one.series.measure) in selection.shown]
    if how.paired:
        _check_row_numbers(readings)
    everything = sorted(
        {topic for one in named for topic in chain(one.series.topics, one.series.gaps)}
        | set(how.judged),
        key=natural_key,
    )
    notices += [*names.notices, *check_presence(readings), *check_means(named, len(everything))]
    values, runs = _fill(named, everything, list(selection.shown))
    scores = Scores(
        values,
        _visible_topics(everything),
        runs,
        tuple(map(visible_measure, selection.shown.values())),
        filled=np.zeros(values.shape, dtype=bool),
        judged=bool(how.judged),
        origins=_origins(named),
        called=_called(named),
    )
    scales = _scales(named, readings)
    scores = replace(scores, scales=_common_scales(scores, scales))
    notices += _say_which_lack_a_measure(scores) + _check_scales(scores, scales)
    if how.paired and not how.judged:
        notices += check_topics_are_shared(scores)
    has_measure = any_along(~np.isnan(scores.values), 0)
    known = _known_topics(named, everything, list(selection.shown), how)
    scores, rows, about_topics = _only_wanted_topics(scores, how)
    scores, about_missing = _treat_missing(scores, how, has_measure, known[rows])
    return scores, notices + about_topics + about_missing


def _visible_topics(topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics as they are shown; of those that would look alike some get a number."""
    if "".join(topics).isprintable():  # as ids of query logs are, of which there are a million
        return tuple(topics)
    shown = distinct(topics)
    return tuple(shown[topic] for topic in topics)


def _scales(
    named: Sequence[NamedSeries], readings: Sequence[Reading]
) -> dict[tuple[str, str], str | None]:
    """Return the scale of each run by each measure, as files tell; empty: not standardised."""
    told = {reading.path: reading.scales for reading in readings}
    found: dict[tuple[str, str], str | None] = {}
    for one in named:
        scales, measure = told[one.path], canonical(one.series.measure)
        found[one.run, measure] = None if scales is None else scales.get(measure, "")
    return found


def _common_scales(scores: Scores, scales: Mapping[tuple[str, str], str | None]) -> dict[str, str]:
    """Return the scale by each measure by which all runs are on one."""
    by_measure: dict[str, set[str | None]] = {}
    for (_, measure), scale in scales.items():
        by_measure.setdefault(measure, set()).add(scale)
    common = {}
    for measure in scores.measures:
        here = by_measure.get(canonical(measure), set())
        if len(here) == 1 and (scale := here.pop()):
            common[measure] = scale
    return common


def _check_scales(scores: Scores, scales: Mapping[tuple[str, str], str | None]) -> list[Notice]:
    """Warn of standardised scores among others."""
    notices: list[Notice] = []
    for place, measure in enumerate(scores.measures):
        values = scores.values[:, :, place]
        there = any_along(~np.isnan(values), 0)
        runs = [run for run, here in zip(scores.runs, there, strict=True) if here]
        beyond = any_along((values < 0) | (values > 1), 0)
        own = [scales[run, canonical(measure)] for run in runs]
        notices += mixed_scales(measure, runs, own, beyond[there])
    return notices


def _origins(named: Sequence[NamedSeries]) -> dict[str, tuple[str, ...]]:
    """Return the runs of each file."""
    runs: dict[str, dict[str, None]] = {}
    for one in named:
        runs.setdefault(one.path, {})[one.run] = None
    return {path: tuple(names) for path, names in runs.items()}


def _called(named: Sequence[NamedSeries]) -> dict[str, str]:
    """Return the runs whose names are shown otherwise, by the names that files have for them.

    A name that several runs had in their files is none of theirs.
    """
    runs: dict[str, set[str]] = {}
    for one in named:
        runs.setdefault(one.given, set()).add(one.run)
    return {
        given: run for given, all_runs in runs.items() for run in all_runs
        if len(all_runs) == 1 and run != given
    }  # fmt: skip


def _say_which_files_are_left_out(
    readings: Sequence[Reading], selection: Selection
) -> list[Notice]:
    without = sorted(
        name_of(reading.path)
        for reading in readings
        if not any(canonical(one.measure) in selection.shown for one in reading.series)
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
    """Refuse to join files if the topics of one may be no more than the numbers of its rows."""
    files = sorted((name_of(one.path) for one in readings if one.counted), key=natural_key)
    if files and len(readings) > 1:
        raise DataError(
            "",
            f"topics are not joined by row number, and {have(len(files), 'file')} no other topics: "
            f"{listed(files, 3)}",
            "if what counts 0, 1, 2 or 1, 2, 3 there is topics, call that column 'topic' in a "
            "header",
        )


def _known_topics(
    named: Sequence[NamedSeries], topics: Sequence[str], measures: Sequence[str], how: Joining
) -> BoolArray:
    """Return which topics (rows) some run should have a score for by which measures (columns).

    Those of which a row has a blank are known, though no run may have a score.
    """
    known = np.zeros((len(topics), len(measures)), dtype=bool)
    if how.judged:
        known[:] = True
    gaps = [one.series for one in named if one.series.gaps]
    row = {topic: place for place, topic in enumerate(topics)} if gaps else {}
    for series in gaps:
        column = measures.index(canonical(series.measure))
        known[[row[topic] for topic in series.gaps], column] = True
    return known


def _only_wanted_topics(scores: Scores, how: Joining) -> tuple[Scores, list[int], list[Notice]]:
    """Return the scores of the topics that are asked for, and their rows."""
    everything = scores.topics
    topics, notices = list(everything), []
    if how.topics is not None:
        topics = [topic for topic in everything if topic in how.topics]
        unknown = sorted(set(how.topics) - set(everything), key=natural_key)
        if not topics:
            raise DataError(
                "",
                "none of the topics in --topics is in the files",
                f"the list has {quoted(min(how.topics, key=natural_key))}, "
                f"the files have {quoted(everything[0])}",
            )
        if unknown:
            notices.append(
                warning(
                    f"{count(len(unknown), 'topic')} of --topics in no file, left out: "
                    f"{listed(unknown, 5)}"
                )
            )
    topics = topics[:: how.every]
    wanted = set(topics)
    rows = [place for place, topic in enumerate(everything) if topic in wanted]
    kept = replace(
        scores, values=scores.values[rows], filled=scores.filled[rows], topics=tuple(topics)
    )
    return kept, rows, notices


def _fill(
    named: Sequence[NamedSeries], topics: Sequence[str], measures: Sequence[str]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return values[topic, run, measure], NaN where nothing is known, and the runs."""
    runs = {run: place for place, run in enumerate(dict.fromkeys(one.run for one in named))}
    _check_is_no_desert(len(topics) * len(runs) * len(measures), named)
    row = {topic: place for place, topic in enumerate(topics)}
    column = {measure: place for place, measure in enumerate(measures)}
    values = np.full((len(topics), len(runs), len(measures)), np.nan)
    rows_of: dict[int, Positions] = {}  # files share a list of topics
    for one in named:
        places = rows_of.get(id(one.series.topics))
        if places is None:
            places = np.array([row[topic] for topic in one.series.topics])
            rows_of[id(one.series.topics)] = places
        measure = column[canonical(one.series.measure)]
        values[places, runs[one.run], measure] = one.series.values
    return values, tuple(runs)


def _check_is_no_desert(cells: int, named: Sequence[NamedSeries]) -> None:
    """Raise an error where nearly all of a large table would be empty: it may be of any size."""
    scores = sum(len(one.series.topics) for one in named)
    if cells > max(_LARGE, _MOST_CELLS_A_SCORE * scores):
        raise DataError(
            "",
            f"runs, topics and measures make a table of {cells} cells for {scores} scores",
            "look at runs together that have topics and measures in common",
        )


_LARGE = 10_000_000
_MOST_CELLS_A_SCORE = 100


def _say_which_lack_a_measure(scores: Scores) -> list[Notice]:
    """Warn of runs that some measure is not known of, those of the same runs in one line."""
    lacking: dict[tuple[str, ...], list[str]] = {}
    for place, measure in enumerate(scores.measures):
        has = any_along(~np.isnan(scores.values[:, :, place]), 0)
        without = [run for run, here in zip(scores.runs, has, strict=True) if not here]
        lacking.setdefault(tuple(sorted(without, key=natural_key)), []).append(measure)
    return [
        warning(
            f"{count(len(runs), 'run')} without {listed(measures, 3)}, left out there: "
            f"{listed(runs, 5)}"
        )
        for runs, measures in lacking.items()
        if runs
    ]


def _treat_missing(
    scores: Scores, how: Joining, has_measure: BoolArray, known: BoolArray
) -> tuple[Scores, list[Notice]]:
    """Give every topic of a measure a score for every run that has the measure.

    Topics are `known` by measures even where no run has a score. Runs that need not be on the same
    topics keep those they have, if it is not known which they should have.
    """
    if not (how.paired or how.judged):
        return scores, say_how_many_topics(scores)
    values, filled = scores.values.copy(), np.zeros_like(scores.filled)
    lacking: dict[str, int] = {}
    dropped: dict[str, int] = {}
    total = 0
    for place, measure in enumerate(scores.measures):
        here = ~np.isnan(values[:, :, place])
        rows = any_along(here, 1) | known[:, place]
        missing = ~here & rows[:, None] & has_measure[:, place]
        total = max(total, int(rows.sum()))
        for run in np.flatnonzero(any_along(missing, 0)):
            name = scores.runs[run]
            lacking[name] = max(lacking.get(name, 0), int(missing[:, run].sum()))
        if how.missing == "zero":
            values[:, :, place][missing] = 0.0
            filled[:, :, place] = missing
        else:
            lost = any_along(missing, 1)
            values[lost, :, place] = np.nan
            dropped[measure] = int(lost.sum())
            if how.missing == "drop" and rows.any() and np.isnan(values[:, :, place]).all():
                report, _ = _report(lacking, total)
                raise DataError(
                    "", f"{report}; no topic is left for {visible(measure)}", "try --missing zero"
                )
    if not lacking:
        return scores, []
    report, full_report = _report(lacking, total)
    if how.missing == "error":
        raise DataError("", report, "--missing zero scores them 0, --missing drop leaves them out")
    if how.missing == "zero":
        told = warning(f"{report}; scored 0 there")
        return replace(scores, values=values, filled=filled), [told, *full_report]
    kept = any_along(any_along(~np.isnan(values), 2), 1)
    topics = tuple(topic for topic, keep in zip(scores.topics, kept, strict=True) if keep)
    told = warning(f"{report}; {_dropped(dropped)} dropped for all runs")
    left = replace(scores, values=values[kept], filled=filled[kept], topics=topics)
    return left, [told, *full_report]


def _dropped(topics: dict[str, int]) -> str:
    """Return `2 topics`, or where measures differ `2 topics by map, 1 topic by P_10`."""
    if len(set(topics.values())) == 1:
        return count(next(iter(topics.values())), "topic")
    return ", ".join(
        f"{count(number, 'topic')} by {visible(measure)}"
        for measure, number in topics.items()
        if number
    )


def _report(lacking: dict[str, int], total: int) -> tuple[str, list[Notice]]:
    """Return the report of the runs that lack topics and, if it is cut short, the whole of it."""
    runs = [f"{run} lacks {lacking[run]}" for run in sorted(lacking, key=natural_key)]
    verb = "lacks" if len(runs) == 1 else "lack"
    report = f"{count(len(runs), 'run')} {verb} some of the {total} topics: {listed(runs, 10)}"
    return report, [detail(listed(runs, len(runs)))] if len(runs) > 10 else []
