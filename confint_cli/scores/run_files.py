"""Scores of run files, each read once for all judges: here, in a process or on a cluster."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.errors import DataError
from confint_cli.inputs.reading import Reading
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import read_source
from confint_cli.scores.judgements import Judged, read_judged
from confint_cli.scores.odd_runs import about_run
from confint_cli.scores.plan import Wanted
from confint_cli.scores.pool import RankedTopic
from confint_cli.scores.scorer import scorer_for
from confint_cli.scores.unjudged import Besides

PEOPLE = "people"
JUDGE = "the judge"  # the one besides people, in messages


@dataclass(frozen=True)
class Outcome:
    """What became of a run."""

    path: str
    readings: Mapping[str, Reading]  # by people, by the judge, and what is asked for besides
    ranked: Mapping[str, RankedTopic]


def make_scorer(
    judged: Sequence[Judged],
    plan: Sequence[Wanted],
    qrels: Sequence[str],
    besides: Besides,
    folder: str = "",
) -> Callable[[str], Outcome]:
    """Return the function that scores a run file, which is read once for all judges.

    `judged` and `qrels` are of each judge; people come first. Paths are relative to `folder`;
    empty: the current one.
    """
    people = scorer_for(judged[0], plan, qrels[0], besides=besides)
    judges = [
        scorer_for(own, plan, path, f" by {JUDGE}")
        for own, path in zip(judged[1:], qrels[1:], strict=True)
    ]

    def score(path: str) -> Outcome:
        source = read_source(path, folder)
        run = read_run(source)
        reading = people.reading(path, source, run)
        readings = dict(people.beside(reading, source, run))
        for judge in judges:
            readings[JUDGE] = judge.reading(path, source, run)
        about = about_run(source, run, judged[0].judgements, plan, besides.treatment)
        readings[PEOPLE] = replace(reading, notices=[*reading.notices, *about])
        return Outcome(path, readings, people.ranked(run))

    return score


def make_reading_scorer(
    qrels: Mapping[str, tuple[str, ...]],
    digests: Mapping[str, str],
    plan: Sequence[Wanted],
    besides: Besides,
    folder: str,
) -> Callable[[str], Outcome]:
    """Return the function that scores a run file, and reads its judgements itself.

    `qrels` has the files of judgements, by each judge, by the path of a run. Runs of the same files
    are to follow one another, as only judgements of those are kept. On another machine, where
    `digests` has an entry for each file, it raises DataError for files that are missing or differ
    there.
    """
    kept: dict[tuple[str, ...], Callable[[str], Outcome]] = {}

    def check_seen(path: str) -> None:
        if digests and not os.path.exists(os.path.join(folder, path)):
            raise DataError(
                path, "no such file on a worker of the cluster",
                "all machines must see the files under the same paths",
            )  # fmt: skip

    def judged_in(path: str) -> Judged:
        check_seen(path)
        source = read_source(path, folder)
        if digests and source.digest != digests[path]:
            raise DataError(path, "is a different file on a worker of the cluster")
        return read_judged(source, plan)

    def scorer_of(paths: tuple[str, ...]) -> Callable[[str], Outcome]:
        if paths not in kept:
            kept.clear()
            kept[paths] = make_scorer([*map(judged_in, paths)], plan, paths, besides, folder)
        return kept[paths]

    if len({*qrels.values()}) == 1:  # an error about it is not about a run
        scorer_of(next(iter(qrels.values())))

    def score(path: str) -> Outcome:
        scorer = scorer_of(qrels[path])
        check_seen(path)
        return scorer(path)

    return score
