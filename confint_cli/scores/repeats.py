"""Repeats of runs, such as training seeds: which columns are of one run, and what is their mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from confint_cli.common.errors import DataError, Notice, note, warning
from confint_cli.common.measures import canonical
from confint_cli.common.text import count, have, listed, natural_key, quoted, visible
from confint_cli.scores.design import Repeats
from confint_cli.scores.naming import NamedSeries
from confint_cli.scores.scores import Scores

Owner = tuple[str, str]
"""A run and one of its repeats; empty: the run has none."""

_LISTED = 5
_LIKE_REPEATS = re.compile(r"(|.+?[._-])((?:seed|rep|repeat|trial)[._=-]?)[0-9]+", re.IGNORECASE)


def by_column(named: Sequence[NamedSeries]) -> tuple[list[NamedSeries], dict[str, Owner]]:
    """Return the series with each repeat of a run as a run, and whose each of these columns is.

    Without repeats, nothing changes, and there are no owners.
    """
    if not any(entry.repeat for entry in named):
        return [*named], {}
    owners: dict[str, Owner] = {}
    columns: list[NamedSeries] = []
    for entry in named:
        column = f"{entry.run}, repeat {entry.repeat}" if entry.repeat else entry.run
        if owners.setdefault(column, (entry.run, entry.repeat)) != (entry.run, entry.repeat):
            raise DataError(entry.path, f"two runs are named {quoted(column)}")
        columns.append(replace(entry, run=column))
    return columns, owners


def check_measures(named: Sequence[NamedSeries], owners: Mapping[str, Owner]) -> None:
    """Raise an error if a repeat of a run lacks a measure that another has."""
    measures: dict[str, dict[str, dict[str, str]]] = {}  # by run and repeat, as they are called
    for entry in named:
        run, repeat = owners[entry.run]
        own = measures.setdefault(run, {}).setdefault(repeat, {})
        own[canonical(entry.series.measure)] = entry.series.measure
    for run, by_repeat in measures.items():
        every = {key: name for own in by_repeat.values() for key, name in own.items()}
        for repeat, own in by_repeat.items():
            for key in sorted({*every} - {*own})[:1]:
                raise DataError(
                    "",
                    f"repeat {quoted(repeat)} of {quoted(run)} lacks {visible(every[key])}, which "
                    "other repeats of the run have",
                    "choose other measures with -m, or leave the repeat out",
                )


def check_grid(named: Sequence[NamedSeries], owners: Mapping[str, Owner]) -> None:
    """Raise an error if a repeat of a run lacks topics that another has, by the same measure."""
    topics: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for entry in named:
        run, repeat = owners[entry.run]
        measure = canonical(entry.series.measure)
        of_run = topics.setdefault((run, entry.collection, measure), {})
        of_run.setdefault(repeat, set()).update(entry.series.topics)
    for (run, collection, measure), by_repeat in topics.items():
        every = set().union(*by_repeat.values())
        lacking = {repeat: every - own for repeat, own in by_repeat.items() if every - own}
        if lacking:
            repeat, cells = next(iter(lacking.items()))
            others = len(lacking) - 1
            more = f"; {count(others, 'more repeat')} also lack{'s' * (others == 1)} some"
            more = more if others else ""
            of_collection = f" of {quoted(collection)}" if collection else ""
            raise DataError(
                "",
                f"on {visible(measure)}, repeat {quoted(repeat)} of {quoted(run)} lacks topics"
                f"{of_collection} that its other repeats have: "
                f"{listed(sorted(cells, key=natural_key), _LISTED)}{more}",
                "every repeat needs all topics of its run; --missing zero scores them 0, --missing "
                "drop leaves these topics out for all runs",
            )


def with_repeats(
    scores: Scores, owners: Mapping[str, Owner]
) -> tuple[Scores, list[Notice]]:  # fmt: skip
    """Return the scores of runs, each the mean over its repeats, and with these beside them.

    The scores given have each repeat as a run. Notices are about repeats that say less than it
    seems.
    """
    if not owners:
        return scores, []
    by_run: dict[str, list[int]] = {}
    for place, column in enumerate(scores.runs):
        by_run.setdefault(owners[column][0], []).append(place)
    for places in by_run.values():
        places.sort(key=lambda place: natural_key(owners[scores.runs[place]][1]))
    labels = tuple(
        tuple(owners[scores.runs[place]][1] for place in places) for places in by_run.values()
    )
    repeats = Repeats(scores.values, tuple(map(tuple, by_run.values())), labels)
    of_runs = replace(
        scores,
        values=repeats.means(),
        filled=np.stack([scores.filled[:, own].any(axis=1) for own in repeats.columns], axis=1),
        runs=tuple(by_run),
        repeats=repeats,
    )
    return of_runs, [*_only_ones(of_runs.runs, labels), *_same_twice(of_runs.runs, repeats)]


def _only_ones(runs: Sequence[str], labels: Sequence[Sequence[str]]) -> list[Notice]:
    """Warn of runs with only one repeat: other repeats may have other scores."""
    alone = [run for run, own in zip(runs, labels, strict=True) if len(own) == 1 and own[0]]
    if not alone:
        return []
    its = "its scores are" if len(alone) == 1 else "their scores are"
    return [
        warning(
            f"{have(len(alone), 'run')} only one repeat: {listed(alone, _LISTED)}; {its} used as "
            "they are, and nothing here is for other repeats"
        )
    ]


def _same_twice(runs: Sequence[str], repeats: Repeats) -> list[Notice]:
    """Warn of repeats of a run that have the same scores on all topics."""
    notices = []
    for run, columns, labels in zip(runs, repeats.columns, repeats.labels, strict=True):
        first_with: dict[bytes, str] = {}
        for column, label in zip(columns, labels, strict=True):
            other = first_with.setdefault(repeats.values[:, column].tobytes(), label)
            if other != label:
                text = f"repeats {other} and {label} of {run} have the same scores on all topics"
                notices.append(warning(f"{text}: is it the same repeat twice?"))
                break
    return notices


def perhaps_repeats(runs: Sequence[str]) -> list[Notice]:
    """Return a note if runs such as `dense.seed1` and `dense.seed2` look like repeats of one.

    Where the name is that of a folder, it may be no more than `seed_1`.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        if found := _LIKE_REPEATS.fullmatch(run):
            alike.setdefault((found[1], found[2]), []).append(run)
    several = {key: names for key, names in alike.items() if len(names) > 1}
    if not several:
        return []
    (stem, word), (first, second, *_) = next(iter(several.items()))
    has_others = len(runs) > sum(map(len, several.values()))
    others = ", and '{run}.{}' too for other runs" if has_others and stem else ""
    pattern = f", such as '{{run}}{stem[-1:]}{word}{{repeat}}.{{}}'{others}" if stem else ""
    return [
        note(
            f"{first} and {second} look like repeats of one run, which differ by chance",
            what_to_do="if so, use --labels with {run} in the place of the system's name and "
            f"{{repeat}} in the place of the number{pattern}; in tables, use a column 'repeat'",
        )
    ]
